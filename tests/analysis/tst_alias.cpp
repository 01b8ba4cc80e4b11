#include <QtTest>

#include "core/analysis/alias.h"
#include "core/text/document.h"

using namespace aliascope;

namespace {

const OpRegistry& registry() {
    static const OpRegistry ops = [] {
        OpRegistry r = OpRegistry::withBuiltin();
        (void)r.addText("lib::two(Tensor(a!) x, Tensor(b!) y) -> ()\nlib::lst(Tensor(a!)[] xs) -> ()\nlib::ret(Tensor(a!) x) -> Tensor", "lib.ops");
        return r;
    }();
    return ops;
}

struct Analysed {
    Graph graph;
    std::unique_ptr<AliasInfo> alias;

    NodeId node(const char* name) const { return graph.find(Name(name)); }
    bool share(const char* a, const char* b) const { return alias->sameStorage(node(a), node(b)); }
    const StorageInfo& storage(const char* name) const { return alias->storage(alias->storageOf(node(name))); }
    std::string base(const char* name) const { return graph[storage(name).base].name.str(); }
    /// `f32[4][1]cpu at 8`; `?` for what is not known.
    std::string geometry(const char* name) const {
        const TensorType* t = alias->geometry(node(name));
        return t ? t->str() + " at " + (t->offset ? t->offset->str() : "?") : "?";
    }
};

Analysed analyse(const std::string& parameters, const std::string& body) {
    std::string text = "class <lambda>(torch.nn.Module):\n    def forward(self, " + parameters + "):\n";
    for (const QString& line : QString::fromStdString(body).split('\n', Qt::SkipEmptyParts)) text += "        " + line.trimmed().toStdString() + "\n";
    Analysed out;
    auto document = readText(text, "alias.py", registry());
    if (document && !document->units.empty()) out.graph = std::move(document->units[0].graph);
    out.alias = std::make_unique<AliasInfo>(out.graph, registry());
    return out;
}

QString shown(const std::string& s) { return QString::fromStdString(s); }

}  // namespace

class TestAlias : public QObject {
    Q_OBJECT

private slots:
    void viewsKeepTheStorageAndAddUpOffsets() {
        const Analysed a = analyse("x: \"f32[8, 4][4, 1]cpu\"", R"(
            rows = torch.ops.aten.slice.Tensor(x, 0, 2, 6)
            column = torch.ops.aten.select.int(rows, 1, 3)
            last = torch.ops.aten.select.int(column, 0, -1)
            fresh = torch.ops.aten.cos.default(x)
            return (last, fresh))");
        QVERIFY(a.share("x", "last"));
        QVERIFY(!a.share("x", "fresh"));
        QCOMPARE(shown(a.geometry("rows")), QString("f32[4, 4][4, 1]cpu at 8"));
        QCOMPARE(shown(a.geometry("column")), QString("f32[4][4]cpu at 11"));
        QCOMPARE(shown(a.geometry("last")), QString("f32[][]cpu at 23"));
        QVERIFY(a.storage("x").role == StorageRole::Input);
        QVERIFY(a.storage("fresh").role == StorageRole::Intermediate);
        QCOMPARE(shown(a.storage("x").bytes->str()), QString("128"));
        QCOMPARE(a.storage("x").members.size(), std::size_t(4));
        QCOMPARE(shown(a.base("last")), QString("x"));
    }

    void reshapeIsDecidedByStrides() {
        const Analysed a = analyse("x: \"f32[8, 4][4, 1]cpu\", u: \"f32[8, 4]\"", R"(
            flat = torch.ops.aten.reshape.default(x, [32])
            turned = torch.ops.aten.permute.default(x, [1, 0])
            copied = torch.ops.aten.reshape.default(turned, [32])
            open = torch.ops.aten.reshape.default(u, [32])
            return (flat, copied, open))");
        QVERIFY(a.share("x", "flat"));
        QVERIFY(!a.share("x", "copied"));
        QVERIFY(a.share("u", "open"));
        QVERIFY(a.alias->undecided(a.node("open")));
        QVERIFY(!a.alias->undecided(a.node("flat")));
    }

    void writesReturnTheirArgument() {
        const Analysed a = analyse("x: \"f32[8, 4][4, 1]cpu\", y: \"f32[4][1]cpu\"", R"(
            row = torch.ops.aten.select.int(x, 0, 1)
            added = torch.ops.aten.add_.Tensor(row, y)
            copied = torch.ops.aten.copy_.default(y, added)
            turned = torch.ops.aten.t_.default(x)
            return (added, copied, turned))");
        QVERIFY(a.share("added", "x"));
        QCOMPARE(shown(a.geometry("added")), QString("f32[4][1]cpu at 4"));
        QVERIFY(a.share("copied", "y"));
        QVERIFY(!a.share("copied", "added"));
        QVERIFY(a.share("turned", "x"));
        QCOMPARE(shown(a.geometry("turned")), QString("f32[4, 8][1, 4]cpu at 0"));
    }

    void pieceOfASplitIsAView() {
        const Analysed a = analyse("x: \"f32[2, 6][6, 1]cpu\"", R"(
            parts = torch.ops.aten.split.Tensor(x, 4, 1)
            right = parts[1]
            rows = torch.ops.aten.unbind.int(x)
            last = rows[-1]
            return (right, last))");
        const Value& result = a.graph[a.graph.output()].arg(0);
        const NodeId right = result.items()[0].asNode(), last = result.items()[1].asNode();
        QVERIFY(a.alias->sameStorage(right, a.node("x")));
        QCOMPARE(shown(a.alias->geometry(right)->str() + " at " + a.alias->geometry(right)->offset->str()), QString("f32[2, 2][6, 1]cpu at 4"));
        QCOMPARE(shown(a.alias->geometry(last)->offset->str()), QString("6"));
        QVERIFY(!a.alias->storageOf(a.node("parts")));
    }

    void resultsOfWrappersAreFresh() {
        const Analysed a = analyse("x: \"f32[8, 4][4, 1]cpu\", y: \"f32[4][1]cpu\"", R"(
            row = torch.ops.aten.select.int(x, 0, 1)
            h = torch.ops.higher_order.auto_functionalized(torch.ops.lib.two.default, x = row, y = y)
            new_row = h[1]
            again = h[1]
            new_y = h[2]
            v = torch.ops.higher_order.auto_functionalized_v2(torch.ops.lib.lst.default, _xs_length = 0, _all_bases = [x])
            base = v[1]
            return (new_row, again, new_y, base))");
        const auto& items = a.graph[a.graph.output()].arg(0).items();
        const NodeId newRow = items[0].asNode(), again = items[1].asNode(), newY = items[2].asNode(), base = items[3].asNode();
        for (NodeId n : {newRow, newY, base}) {
            QVERIFY(a.alias->storageOf(n));
            QVERIFY(!a.alias->sameStorage(n, a.node("x")));
            QVERIFY(a.alias->storage(a.alias->storageOf(n)).role == StorageRole::Intermediate);
        }
        QVERIFY(!a.alias->sameStorage(newRow, newY));
        QVERIFY(a.alias->sameStorage(newRow, again));                             // the same component is the same value
        QCOMPARE(shown(a.alias->geometry(newRow)->offset->str()), QString("4"));  // cloned with its place in the storage
        QCOMPARE(a.alias->storage(a.alias->storageOf(newRow)).base, newRow);
        QVERIFY(!a.alias->storageOf(a.node("h")));
    }

    void elementsOfAListResultAreFresh() {
        const Analysed a = analyse("x: \"f32[4][1]cpu\", y: \"f32[4][1]cpu\"", R"(
            h = torch.ops.higher_order.auto_functionalized(torch.ops.lib.lst.default, xs = [x, y])
            list = h[1]
            first = list[0]
            second = list[1]
            return (first, second))");
        const auto& items = a.graph[a.graph.output()].arg(0).items();
        QVERIFY(a.alias->storageOf(items[0].asNode()));
        QVERIFY(!a.alias->sameStorage(items[0].asNode(), items[1].asNode()));
        QVERIFY(!a.alias->sameStorage(items[0].asNode(), a.node("x")));
    }

    void severalResultsOfOneOperatorAreFresh() {
        const Analysed a = analyse("x: \"f32[8, 4][4, 1]cpu\"", R"(
            both = torch.ops.aten.var_mean.correction(x, [1], correction = 0)
            variance = both[0]
            mean = both[1]
            return (variance, mean))");
        const auto& items = a.graph[a.graph.output()].arg(0).items();
        const StorageInfo& mean = a.alias->storage(a.alias->storageOf(items[1].asNode()));
        QCOMPARE(mean.base, items[1].asNode());
        QCOMPARE(mean.baseOutput, 1);
        QVERIFY(!a.alias->sameStorage(items[0].asNode(), items[1].asNode()));
    }

    void operatorsWithoutSchemaAreOpaque() {
        const Analysed a = analyse("x: \"f32[4][1]cpu\"", "r = torch.ops.somewhere.unknown.default(x)\nreturn (r,)");
        QVERIFY(a.storage("r").role == StorageRole::Opaque);
        QVERIFY(!a.share("r", "x"));
    }

    void symbolsHaveNoStorage() {
        const Analysed a = analyse("n: \"Sym(s0)\", x: \"f32[s0, 4][4, 1]cpu\"", R"(
            m = n // 2
            top = torch.ops.aten.slice.Tensor(x, 0, m, 9223372036854775807)
            return (top,))");
        QVERIFY(!a.alias->storageOf(a.node("n")));
        const NodeId top = a.graph[a.graph.output()].arg(0).items()[0].asNode();
        QCOMPARE(shown(a.alias->geometry(top)->offset->str()), QString("4*((s0//2))"));
    }

    void aScatterKeepsThePlaceOfItsBase() {
        const Analysed a = analyse("x: \"f32[8, 4][4, 1]cpu\", y: \"f32[4][1]cpu\"", R"(
            rows = torch.ops.aten.slice.Tensor(x, 0, 2, 6)
            put = torch.ops.aten.select_scatter.default(rows, y, 0, 0)
            return (put,))");
        QVERIFY(!a.share("put", "x"));
        QCOMPARE(shown(a.geometry("put")), QString("f32[4, 4][4, 1]cpu at 8"));
    }

    void statedStridesWinAndTheOffsetIsComputed() {
        const Analysed a = analyse("x: \"f32[8, 4][4, 1]cpu\"", R"(
            v: "f32[2, 16][99, 1]cpu" = torch.ops.aten.view.default(x, [2, 16])
            return (v,))");
        QCOMPARE(shown(a.geometry("v")), QString("f32[2, 16][99, 1]cpu at 0"));
    }

    void assumedStridesAreNotInTheGeometry() {
        const Analysed a = analyse("u: \"f32[2, 3]\"", R"(
            r = torch.ops.aten.neg.default(u)
            return (r,))");
        QCOMPARE(shown(a.geometry("r")), QString("f32[2, 3] at 0"));
        QCOMPARE(shown(a.storage("r").bytes->str()), QString("24"));
    }

    void aBodyReturnsItsOperandOrAPartOfIt() {
        const auto add = [](Graph& g, NodeKind kind, const char* name, Name op, std::vector<Value> args, const char* type) {
            Node n;
            n.kind = kind;
            n.name = n.target = Name(name);
            n.op = op;
            n.args = std::move(args);
            if (*type) n.type = Type::parseAnnotation(type);
            return g.append(std::move(n));
        };
        constexpr const char *whole = "f32[8, 4][4, 1]cpu", *row = "f32[4][1]cpu";
        for (const bool cut : {false, true}) {
            for (const bool bare : {false, true}) {
                Graph body;
                NodeId result = add(body, NodeKind::Placeholder, "p", Name(), {}, whole);
                if (cut)
                    result = add(body, NodeKind::CallFunction, "view", Name("aten::select.int"),
                                 {Value::node(result), Value::integer(0), Value::integer(2)}, row);
                add(body, NodeKind::Output, "output", Name(), {bare ? Value::node(result) : Value::tuple({Value::node(result)})}, "");
                Analysed a;
                const NodeId x = add(a.graph, NodeKind::Placeholder, "x", Name(), {}, whole);
                a.graph.addSubGraph(Name("body"), std::move(body));
                const NodeId f = add(a.graph, NodeKind::GetAttr, "body", Name(), {}, "");
                const char* type = cut ? row : whole;
                NodeId r =
                    add(a.graph, NodeKind::CallFunction, bare ? "r" : "all", Name("hop::wrap"), {Value::node(f), Value::node(x)}, bare ? type : "");
                if (!bare) r = add(a.graph, NodeKind::CallFunction, "r", Name("operator::getitem"), {Value::node(r), Value::integer(0)}, type);
                add(a.graph, NodeKind::Output, "output", Name(), {Value::node(r)}, "");
                a.alias = std::make_unique<AliasInfo>(a.graph, registry());
                QVERIFY(a.share("x", "r"));
                QCOMPARE(shown(a.geometry("r")), cut ? QString("f32[4][1]cpu at ?") : QString("f32[8, 4][4, 1]cpu at 0"));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestAlias)
#include "tst_alias.moc"
