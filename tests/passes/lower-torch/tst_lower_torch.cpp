// Dynamo-level calls in, ATen calls out.

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>
#include <map>

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

const QString kShared = qEnvironmentVariable("ALIASCOPE_SHARED");

/// Calls of a graph as `op(arguments)`, nodes as `.`.
std::vector<std::string> callsOf(const Graph& g) {
    std::vector<std::string> out;
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (!n.isCall()) continue;
        std::string text = n.op.str() + "(";
        const auto add = [&](const Value& v) {
            if (text.back() != '(') text += ", ";
            printValue(text, g, v.mapNodes([](NodeId) { return Value::constant("."_n); }), Dialect::Python);
        };
        for (const Value& v : n.args) add(v);
        for (const auto& [key, v] : n.kwargs) {
            add(v);
            text += " as " + key.str();
        }
        out.push_back(text + ")");
    }
    return out;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += line + "\n";
    return out;
}

/// What the lines become, with x: f32[8, 4], y: f32[4], i: i64[3], m: b8[8, 4], t: f32[2, 8, 4], s: a symbol.
std::string lowered(const std::string& body) {
    const std::string text = readableGraph(
        R"--(x: "f32[8, 4][4, 1]cpu", y: "f32[4][1]cpu", i: "i64[3][1]cpu", m: "b8[8, 4][4, 1]cpu", t: "f32[2, 8, 4][32, 4, 1]cpu", s: "Sym(s0)")--",
        body + "\nreturn (x,)");
    const PassRun run = runPasses(text, "lower-torch");
    return run.error.empty() ? joined(callsOf(run.graph)) : run.error;
}

Result<Document> openShared(const QString& path) { return openFile(path.toStdString(), testOps()); }

}  // namespace

class LowerTorchTest : public QObject {
    Q_OBJECT

private slots:
    void calls_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("want");
        const auto row = [](const char* name, const char* body, const char* want) { QTest::newRow(name) << QString(body) << QString(want); };
        row("number", "a = x + 1", "aten::add.Tensor(., 1)\n");
        row("number first", "a = 1 - x", "aten::rsub.Scalar(., 1)\n");
        row("compared with a number", "a = 2 < x", "aten::gt.Scalar(., 2)\n");
        row("divided number", "a = 1 / x", "aten::reciprocal(.)\naten::mul.Tensor(., 1)\n");
        row("symbols stay", "a = s // 2\nb = x.view(a, -1)", "operator::floordiv(., 2)\naten::view(., [., -1])\n");
        row("in place", "x += 1;  a = x", "aten::add_.Tensor(., 1)\n");
        row("special method", "a = x.__and__(m)", "aten::bitwise_and.Tensor(., .)\n");
        row("power", "a = x.pow(2)\nb = 2 ** x", "aten::pow.Tensor_Scalar(., 2)\naten::pow.Scalar(2, .)\n");
        row("rounding", "a = torch.div(x, 3, rounding_mode = 'floor')", "aten::div.Tensor_mode(., 3, 'floor' as rounding_mode)\n");
        row("index", "a = x[1]", "aten::select.int(., 0, 1)\n");
        row("slice", "a = x[slice(None, 3, None)]", "aten::slice.Tensor(., 0, 0, 3)\n");
        row("open slice", "a = x[slice(1, None, None)]", "aten::slice.Tensor(., 0, 1, 9223372036854775807)\n");
        row("mixed index", "a = t[(0, slice(None, None, None), None, slice(None, None, 2))]",
            "aten::select.int(., 0, 0)\naten::unsqueeze(., 1)\naten::slice.Tensor(., 2, 0, 9223372036854775807, 2)\n");
        row("ellipsis", "a = t[(Ellipsis, slice(None, 2, None))]", "aten::slice.Tensor(., 2, 0, 2)\n");
        row("nothing", "a = x[slice(None, None, None)]", "aten::alias(.)\n");
        row("gather", "a = t[(slice(None, None, None), i)]", "aten::index.Tensor(., [None, .])\n");
        row("list of places", "a = x[[0, 2]]", "aten::tensor([0, 2])\naten::index.Tensor(., [.])\n");
        row("mask", "a = t[(0, m)]", "aten::select.int(., 0, 0)\naten::index.Tensor(., [.])\n");
        row("assigned number", "x[0] = 1;  a = x", "aten::select.int(., 0, 0)\naten::fill_.Scalar(., 1)\n");
        row("assigned rows", "x[slice(0, 1, None)] = y;  a = x", "aten::slice.Tensor(., 0, 0, 1)\naten::copy_(., .)\n");
        row("scattered", "x[i] = y;  a = x", "aten::index_put_(., [.], .)\n");
        row("item of a tuple", "a = x.split(2)\nb = a[0]", "aten::split.Tensor(., 2)\noperator::getitem(., 0)\n");
        row("sizes as arguments", "a = x.reshape(4, 8)\nb = a.permute(1, 0)\nc = b.reshape(-1)",
            "aten::view(., [4, 8])\naten::permute(., [1, 0])\naten::clone(., torch.contiguous_format as memory_format)\naten::_unsafe_view(., "
            "[32])\n");
        row("flatten", "a = t.flatten(1)", "aten::view(., [2, 32])\n");
        row("transposed", "a = x.T\nb = t.mT", "aten::permute(., [1, 0])\naten::transpose.int(., -2, -1)\n");
        row("shape", "a = x.shape\nb = a[0]\nc = y.view(b, 1)\nd = y.expand(x.size(0), 4)", "aten::view(., [8, 1])\naten::expand(., [8, 4])\n");
        row("same dtype", "a = x.float()\nb = a.cos()", "aten::cos(.)\n");
        row("other dtype", "a = x.to(torch.float16)", "aten::_to_copy(., torch.float16 as dtype)\n");
        row("contiguous", "a = x.contiguous()\nb = x.t().contiguous()", "aten::t(.)\naten::clone(., torch.contiguous_format as memory_format)\n");
        row("reductions",
            "a = x.sum()\nb = x.mean(-1, keepdim = True)\nc = torch.max(x, 1)\nd = torch.max(x, x)\ne = x.var(dim = 0, unbiased = False)",
            "aten::sum(.)\naten::mean.dim(., [-1], True)\naten::max.dim(., 1)\naten::maximum(., .)\naten::var.correction(., [0], 0 as correction)\n");
        row("softmax", "a = torch.nn.functional.softmax(x, dim = -1)", "aten::_softmax(., -1, False)\n");
        row("factories", "a = torch.zeros(2, 3, device = 'cuda')\nb = torch.arange(4)\nc = torch.full((3,), 1.0)",
            "aten::zeros([2, 3], device(type='cuda') as device, False as pin_memory)\naten::arange(4, False as pin_memory)\n"
            "aten::full([3], 1.0, False as pin_memory)\n");
        row("linear", "a = torch._C._nn.linear(x, x, None)\nb = torch.nn.functional.linear(t, x)",
            "aten::t(.)\naten::mm(., .)\naten::t(.)\naten::view(., [16, 4])\naten::mm(., .)\naten::_unsafe_view(., [2, 8, 8])\n");
        row("matmul", "a = x @ y\nb = t @ x.t()",
            "aten::mv(., .)\naten::t(.)\naten::view(., [16, 4])\naten::mm(., .)\naten::_unsafe_view(., [2, 8, 8])\n");
        row("embedding", "a = torch.nn.functional.embedding(i, x, None, None, 2.0, False, False)", "aten::embedding(., .)\n");
        row("norm", "a = torch.nn.functional.layer_norm(x, (4,), y, y, 1e-05)",
            "aten::native_layer_norm(., [4], ., ., 1e-05)\noperator::getitem(., 0)\n");
        row("dropout", "a = torch.nn.functional.dropout(x, 0.5, False)\nb = torch.nn.functional.dropout(x, 0.5, True)",
            "aten::clone(.)\naten::native_dropout(., 0.5, True)\noperator::getitem(., 0)\n");
        row("by name", "a = torch.rsqrt(x)\nb = x.masked_fill(m, 0.0)\nc = torch._foreach_add_([x, t], 1.0)",
            "aten::rsqrt(.)\naten::masked_fill.Scalar(., ., 0.0)\naten::_foreach_add_.Scalar([., .], 1.0)\n");
        row("inplace flag", "a = torch.nn.functional.relu(x, inplace = True)", "aten::relu_(.)\n");
    }
    void calls() {
        QFETCH(QString, body);
        QFETCH(QString, want);
        QCOMPARE(QString::fromStdString(lowered(body.toStdString())), want);
    }

    void namesAndTypesStay() {
        const std::string text = readableGraph(R"(x: "f32[8, 4][4, 1]cpu")", "q: \"f32[8, 4][4, 1]cpu\" = x.cos();  x = None\nreturn (q,)");
        RUN_PASSES(run, text, "lower-torch");
        QVERIFY(run.contains("%q : [num_users=1] = call_function[target=torch.ops.aten.cos.default]"));
    }

    void whatIsNotKnownStaysAndIsListed() {
        const std::string text =
            readableGraph(R"(x: "f32[8, 4][4, 1]cpu")",
                          "a = torch.nn.functional.multi_head_attention_forward(x, x)\nb = self.block(x)\nc = self.block(x)\nreturn (a, b, c)");
        RUN_PASSES(run, text, "lower-torch");
        QVERIFY(run.contains("target=torch.nn.functional.multi_head_attention_forward"));
        std::map<std::string, std::string> listed;
        for (const Diagnostic& d : run.diagnostics)
            if (d.code == "LEFT_OPAQUE") listed[d.params[0].second] = d.params[1].second;
        QCOMPARE(listed, (std::map<std::string, std::string>{{"torch.nn.functional.multi_head_attention_forward", "1"}, {"module::block", "2"}}));
    }

    void bookkeepingIsLeftOut() {
        const std::string text = readableGraph(R"(x: "f32[8, 4][4, 1]cpu")", "g = torch._C._set_grad_enabled(False)\na = x.cos()\nreturn (a,)");
        RUN_PASSES(run, text, "lower-torch");
        QVERIFY(!run.contains("_set_grad_enabled"));
        QVERIFY(run.diagnostic("DROPPED_CALL"));
    }

    void modulesWithKnownConstructors() {
        const std::string text =
            "class Repro(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.fc = Linear(in_features=4, out_features=2, bias=True).cuda()\n        self.act = ReLU(inplace=False)\n\n"
            "    def forward(self, x: \"f32[8, 4][4, 1]cpu\"):\n        fc = self.fc(x);  x = None\n        act = self.act(fc);  fc = None\n"
            "        return (act,)\n";
        RUN_PASSES(run, text, "lower-torch");
        QCOMPARE(joined(callsOf(run.graph)), std::string("aten::t(.)\naten::addmm(., ., .)\naten::relu(.)\n"));
        QVERIFY(run.contains("get_attr[target=fc.weight]"));
    }

    void functionalizeFollows() {
        const std::string text = readableGraph(R"(x: "f32[8, 4][4, 1]cpu")", "y = x.clone()\nv = y[0]\na = v.add_(1);  a = None\nreturn (y,)");
        RUN_PASSES(run, text, "lower-torch,functionalize,dce");
        QVERIFY(run.contains("select_scatter"));
    }

    /// Every Dynamo graph of the corpus becomes ATen as a whole.
    void corpus_data() {
        QTest::addColumn<QString>("path");
        for (const char* folder : {"cases", "zoo"}) {
            const QDir root(kShared + "/oracle/" + folder);
            for (const QString& name : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                for (const QString& file : QDir(root.filePath(name)).entryList({"*dynamo*.readable.py", "*dynamo*.graph.txt"}))
                    QTest::newRow(qPrintable(name + "/" + file)) << root.filePath(name) + "/" + file;
        }
    }
    void corpus() {
        if (kShared.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        QFETCH(QString, path);
        auto document = openShared(path);
        QVERIFY(document && document->units.size() == 1);
        Graph& g = document->units[0].graph;
        const RunResult run = runPipeline(g, *parsePipeline("lower-torch"), testOps(), {});
        QVERIFY2(!run.error, run.error ? run.error->format().c_str() : "");
        if (path.endsWith("graph.txt")) return;  // without types some composite operators stay
        for (const Diagnostic& d : run.diagnostics) QVERIFY2(d.code != "LEFT_OPAQUE", d.format().c_str());
        for (NodeId id : inOrder(g)) QVERIFY2(g[id].kind != NodeKind::CallMethod, g[id].name.c_str());
    }

    /// ATen graphs of the corpus are left alone, types or none.
    void atenStays_data() {
        QTest::addColumn<QString>("path");
        for (const char* folder : {"cases", "zoo", "reports", "wild", "formats/export", "formats/text", "formats/logs", "formats/trace_train"}) {
            QDirIterator it(kShared + "/oracle/" + folder, QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = it.next();
                static const QRegularExpression graphs("\\.(py|txt|log|pt2)$");
                if (graphs.match(path).hasMatch() && QFileInfo(path).size() < 300'000)
                    QTest::newRow(qPrintable(path.mid(kShared.size() + 8))) << path;
            }
        }
    }
    void atenStays() {
        if (kShared.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        QFETCH(QString, path);
        auto document = openShared(path);
        if (!document) return;  // no graph in it
        for (Unit& unit : document->units) {
            bool aten = false, torch = false;
            for (NodeId id : inOrder(unit.graph)) {
                const Node& n = unit.graph[id];
                aten = aten || n.op.view().starts_with("aten::");
                torch = torch || n.kind == NodeKind::CallMethod || n.kind == NodeKind::CallModule || n.op.view().starts_with("torch::");
            }
            if (!aten || torch) continue;
            const std::uint64_t before = unit.graph.hash();
            const RunResult run = runPipeline(unit.graph, *parsePipeline("lower-torch"), testOps(), {});
            QVERIFY2(unit.graph.hash() == before, qPrintable(path + " " + QString::fromStdString(unit.id)));
        }
    }

    /// The program as PyTorch traced it to ATen, call by call.
    void asTraced_data() {
        QTest::addColumn<QString>("folder");
        const QDir root(kShared + "/oracle/cases");
        for (const QString& name : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            if (QFile::exists(root.filePath(name) + "/aten.mutable.readable.py") && QFile::exists(root.filePath(name) + "/v1.dynamo.readable.py"))
                QTest::newRow(qPrintable(name)) << root.filePath(name);
    }
    void asTraced() {
        if (kShared.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        QFETCH(QString, folder);
        auto dynamo = openShared(folder + "/v1.dynamo.readable.py"), traced = openShared(folder + "/aten.mutable.readable.py");
        QVERIFY(dynamo && traced);
        const RunResult run = runPipeline(dynamo->units[0].graph, *parsePipeline("lower-torch"), testOps(), {});
        QVERIFY(!run.error);
        QString ours = QString::fromStdString(joined(callsOf(dynamo->units[0].graph)));
        QString theirs = QString::fromStdString(joined(callsOf(traced->units[0].graph)));
        theirs.remove("aten::sym_size.int(., 0)\n");  // Dynamo's graph has the symbol as an input
        static const QRegularExpression literal(R"(aten::tensor\(\[.*)");
        ours.replace(literal, "aten::lift_fresh_copy(.)");  // of a constant whose value no graph states
        QCOMPARE(ours, theirs);
    }

    /// Networks: what PyTorch decomposes no further stands in the same order with the same arguments as in the graph that it traced (of training, its
    /// forward part).
    void networksAsTraced_data() {
        QTest::addColumn<QString>("folder");
        const QDir root(kShared + "/oracle/zoo");
        for (const QString& name : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) QTest::newRow(qPrintable(name)) << root.filePath(name);
    }
    void networksAsTraced() {
        if (kShared.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        QFETCH(QString, folder);
        auto dynamo = openShared(folder + "/dynamo.0.readable.py"), traced = openShared(folder + "/before_joint.0.readable.py");
        QVERIFY(dynamo && traced);
        const RunResult run = runPipeline(dynamo->units[0].graph, *parsePipeline("lower-torch"), testOps(), {});
        QVERIFY(!run.error);
        const auto anchors = [](const Graph& g) {
            std::vector<std::string> out;
            for (const std::string& call : callsOf(g))
                for (std::string_view op : {"aten::mm(", "aten::addmm(", "aten::bmm(", "aten::convolution(", "aten::embedding(", "aten::cat(",
                                            "aten::split.Tensor(", "aten::unbind.int(", "aten::pow.Tensor_Scalar(", "aten::mean.dim("})
                    if (call.starts_with(op)) out.push_back(call);
            return out;
        };
        std::vector<std::string> ours = anchors(dynamo->units[0].graph), theirs = anchors(traced->units[0].graph);
        QVERIFY(ours.size() > 5);
        theirs.resize(std::min(theirs.size(), ours.size()));
        QCOMPARE(QString::fromStdString(joined(ours)), QString::fromStdString(joined(theirs)));
    }
};

QTEST_APPLESS_MAIN(LowerTorchTest)
#include "tst_lower_torch.moc"
