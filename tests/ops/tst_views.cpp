#include <QtTest>

#include "core/ops/infer.h"
#include "core/text/document.h"

using namespace aliascope;

namespace {

/// `f32[4][1]cuda:0 at 28`; several results are separated by `; `. What a call copies is marked `copy`, what its layout leaves open `undecided`.
std::string describe(const TensorType& t) { return t.str() + (t.offset ? " at " + t.offset->str() : " at ?"); }

/// Reads `annotation [at offset]` and applies the call to a tensor `x` of that geometry.
std::string viewOf(const std::string& base, const std::string& call, const std::string& parameters = "") {
    const OpRegistry& ops = OpRegistry::builtin();
    const auto at = base.find(" at ");
    const std::string text = "class <lambda>(torch.nn.Module):\n    def forward(self, x: \"" + base.substr(0, at) + "\"" + parameters +
                             "):\n        r = " + call + "\n        return (r,)\n";
    auto document = readText(text, "views.py", ops);
    if (!document || document->units.empty()) return "unreadable";
    const Graph& g = document->units[0].graph;
    const NodeId r = g.find(Name("r"));
    auto bound = bindCall(ops, g[r]);
    if (!bound) return bound.error().sentence();
    TensorType x = *g[g.find(Name("x"))].tensor();
    if (at != std::string::npos) x.offset = *SymInt::parse(base.substr(at + 4));
    if (!x.offset) x.offset = SymInt(0);
    const std::function<TypePtr(NodeId)> typeOf = [&g](NodeId id) { return g[id].type; };
    auto result = viewResult(InferContext(g, *bound, typeOf), x);
    if (!result) return "unknown";
    std::string out = result->aliases == Tri::No ? "copy " : result->aliases == Tri::Unknown ? "undecided " : "";
    for (std::size_t i = 0; i < result->types.size(); ++i) out += (i ? "; " : "") + describe(result->types[i]);
    return out;
}

QString shown(const std::string& s) { return QString::fromStdString(s); }

}  // namespace

class TestViews : public QObject {
    Q_OBJECT

private slots:
    void geometry_data() {
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("expected");
        auto row = [](const char* name, const char* base, const char* call, const char* expected) {
            QTest::newRow(name) << base << call << expected;
        };

        row("select", "f32[8, 4][4, 1]cpu", "torch.ops.aten.select.int(x, 0, 2)", "f32[4][1]cpu at 8");
        row("select from the end", "f32[8, 4][4, 1]cpu at 100", "torch.ops.aten.select.int(x, -2, -1)", "f32[4][1]cpu at 128");
        row("slice", "f32[8, 4][4, 1]cpu", "torch.ops.aten.slice.Tensor(x, 0, 2, 5)", "f32[3, 4][4, 1]cpu at 8");
        row("slice with a step", "f32[8, 4][4, 1]cpu", "torch.ops.aten.slice.Tensor(x, 0, 1, 8, 3)", "f32[3, 4][12, 1]cpu at 4");
        row("slice to the end", "f32[8, 4][4, 1]cpu", "torch.ops.aten.slice.Tensor(x, 1, 1, 9223372036854775807)", "f32[8, 3][4, 1]cpu at 1");
        row("slice from the end", "f32[8][1]cpu", "torch.ops.aten.slice.Tensor(x, 0, -3, -1)", "f32[2][1]cpu at 5");
        row("slice beyond the start", "f32[8][1]cpu", "torch.ops.aten.slice.Tensor(x, 0, -30, 2)", "f32[2][1]cpu at 0");
        row("empty slice keeps its clamped start", "f32[3][1]cpu", "torch.ops.aten.slice.Tensor(x, 0, 2, 1)", "f32[0][1]cpu at 2");
        row("narrow", "f32[8, 4][4, 1]cpu", "torch.ops.aten.narrow.default(x, 0, -2, 2)", "f32[2, 4][4, 1]cpu at 24");
        row("permute", "f32[2, 3, 4][12, 4, 1]cpu", "torch.ops.aten.permute.default(x, [2, 0, -2])", "f32[4, 2, 3][1, 12, 4]cpu at 0");
        row("permute twice the same dim", "f32[2, 3][3, 1]cpu", "torch.ops.aten.permute.default(x, [0, 0])", "unknown");
        row("transpose", "f32[2, 3, 4][12, 4, 1]cpu at 7", "torch.ops.aten.transpose.int(x, 0, -1)", "f32[4, 3, 2][1, 4, 12]cpu at 7");
        row("t", "f32[2, 3][3, 1]cpu", "torch.ops.aten.t.default(x)", "f32[3, 2][1, 3]cpu at 0");
        row("t of a vector", "f32[3][1]cpu", "torch.ops.aten.t.default(x)", "f32[3][1]cpu at 0");
        row("movedim", "f32[2, 3, 4][12, 4, 1]cpu", "torch.ops.aten.movedim.int(x, 0, 2)", "f32[3, 4, 2][4, 1, 12]cpu at 0");
        row("expand keeps and stretches", "f32[3, 1][1, 1]cpu", "torch.ops.aten.expand.default(x, [2, -1, 4])", "f32[2, 3, 4][0, 1, 0]cpu at 0");
        row("expand of one to one", "f32[1, 3][3, 1]cpu", "torch.ops.aten.expand.default(x, [1, 3])", "f32[1, 3][3, 1]cpu at 0");
        row("squeeze", "f32[1, 3, 1][3, 1, 1]cpu", "torch.ops.aten.squeeze.default(x)", "f32[3][1]cpu at 0");
        row("squeeze of a larger dim", "f32[2, 3][3, 1]cpu", "torch.ops.aten.squeeze.dim(x, 0)", "f32[2, 3][3, 1]cpu at 0");
        row("squeeze of two dims", "f32[1, 3, 1][3, 1, 1]cpu", "torch.ops.aten.squeeze.dims(x, [0, -1])", "f32[3][1]cpu at 0");
        row("unsqueeze in front", "f32[2, 3][3, 1]cpu", "torch.ops.aten.unsqueeze.default(x, 0)", "f32[1, 2, 3][6, 3, 1]cpu at 0");
        row("unsqueeze at the end", "f32[2, 3][3, 1]cpu", "torch.ops.aten.unsqueeze.default(x, -1)", "f32[2, 3, 1][3, 1, 1]cpu at 0");
        row("diagonal", "f32[3, 4][4, 1]cpu", "torch.ops.aten.diagonal.default(x)", "f32[3][5]cpu at 0");
        row("diagonal above", "f32[3, 4][4, 1]cpu", "torch.ops.aten.diagonal.default(x, 2)", "f32[2][5]cpu at 2");
        row("diagonal below", "f32[3, 4][4, 1]cpu", "torch.ops.aten.diagonal.default(x, -1)", "f32[2][5]cpu at 4");
        row("as_strided is absolute", "f32[4][1]cpu at 8", "torch.ops.aten.as_strided.default(x, [2, 2], [2, 1], 1)", "f32[2, 2][2, 1]cpu at 1");
        row("as_strided without offset", "f32[4][1]cpu at 8", "torch.ops.aten.as_strided.default(x, [2], [2])", "f32[2][2]cpu at 8");
        row("split, the last one shorter", "f32[5, 2][2, 1]cpu", "torch.ops.aten.split.Tensor(x, 2)",
            "f32[2, 2][2, 1]cpu at 0; f32[2, 2][2, 1]cpu at 4; f32[1, 2][2, 1]cpu at 8");
        row("split_with_sizes", "f32[2, 5][5, 1]cpu", "torch.ops.aten.split_with_sizes.default(x, [1, 4], -1)",
            "f32[2, 1][5, 1]cpu at 0; f32[2, 4][5, 1]cpu at 1");
        row("chunk", "f32[5][1]cpu", "torch.ops.aten.chunk.default(x, 4)", "f32[2][1]cpu at 0; f32[2][1]cpu at 2; f32[1][1]cpu at 4");
        row("tensor_split", "f32[5][1]cpu", "torch.ops.aten.tensor_split.sections(x, 2)", "f32[3][1]cpu at 0; f32[2][1]cpu at 3");
        row("unbind", "f32[2, 3][3, 1]cpu at 1", "torch.ops.aten.unbind.int(x)", "f32[3][1]cpu at 1; f32[3][1]cpu at 4");
        row("unfold", "f32[7][1]cpu", "torch.ops.aten.unfold.default(x, 0, 3, 2)", "f32[3, 3][2, 1]cpu at 0");
        row("view", "f32[8, 4][4, 1]cpu at 3", "torch.ops.aten.view.default(x, [2, -1])", "f32[2, 16][16, 1]cpu at 3");
        row("view splits a strided dim", "f32[6, 2][2, 12]cpu", "torch.ops.aten.view.default(x, [3, 2, 2])", "f32[3, 2, 2][4, 2, 12]cpu at 0");
        row("view adds ones", "f32[6][2]cpu", "torch.ops.aten.view.default(x, [1, 6, 1])", "f32[1, 6, 1][12, 2, 2]cpu at 0");
        row("reshape that is a view", "f32[2, 3, 4][12, 4, 1]cpu", "torch.ops.aten.reshape.default(x, [6, 4])", "f32[6, 4][4, 1]cpu at 0");
        row("reshape that copies", "f32[3, 2][1, 3]cpu", "torch.ops.aten.reshape.default(x, [6])", "copy f32[6][1]cpu at 0");
        row("reshape of nothing", "f32[0, 4][4, 1]cpu", "torch.ops.aten.reshape.default(x, [4, 0])", "f32[4, 0][1, 1]cpu at 0");
        row("reshape without strides", "f32[2, 3]", "torch.ops.aten.reshape.default(x, [6])", "undecided f32[6] at 0");
        row("flatten", "f32[2, 3, 4][12, 4, 1]cpu", "torch.ops.aten.flatten.using_ints(x, 1)", "f32[2, 12][12, 1]cpu at 0");
        row("unflatten", "f32[2, 12][12, 1]cpu", "torch.ops.aten.unflatten.int(x, 1, [3, -1])", "f32[2, 3, 4][12, 4, 1]cpu at 0");
        row("smaller items", "f32[4, 2][2, 1]cpu at 2", "torch.ops.aten.view.dtype(x, torch.bfloat16)", "bf16[4, 4][4, 1]cpu at 4");
        row("larger items", "i32[4, 2][2, 1]cpu at 2", "torch.ops.aten.view.dtype(x, torch.int64)", "i64[4, 1][1, 1]cpu at 1");
        row("view_as_real", "c64[3][1]cpu at 2", "torch.ops.aten.view_as_real.default(x)", "f32[3, 2][2, 1]cpu at 4");
        row("view_as_complex", "f32[3, 2][2, 1]cpu at 4", "torch.ops.aten.view_as_complex.default(x)", "c64[3][1]cpu at 2");
        row("imag", "c64[3][1]cpu at 2", "torch.ops.aten.imag.default(x)", "f32[3][2]cpu at 5");
        row("contiguous already", "f32[2, 3][3, 1]cpu", "torch.ops.aten.contiguous.default(x)", "f32[2, 3][3, 1]cpu at 0");
        row("contiguous by copy", "f32[2, 3][1, 2]cpu", "torch.ops.aten.contiguous.default(x)", "copy f32[2, 3][3, 1]cpu at 0");
        row("contiguous by symbols", "f32[s0, s1][1, s0]cpu", "torch.ops.aten.contiguous.default(x)", "copy f32[s0, s1][s1, 1]cpu at 0");
        row("contiguous by open symbols", "f32[s0, s1][s2, 1]cpu", "torch.ops.aten.contiguous.default(x)", "undecided f32[s0, s1][s1, 1]cpu at 0");
        row("to the same device", "f32[2][1]cpu", "torch.ops.aten.to.device(x, 'cpu', torch.float32)", "f32[2][1]cpu at 0");
        row("to a device, own unknown", "f32[2][1]", "torch.ops.aten.to.device(x, 'cpu', torch.float32)", "undecided f32[2][1]cpu at 0");
        row("broadcast of a number", "f32[][]cpu", "torch.ops.prims.broadcast_in_dim.default(x, [], [])", "f32[][]cpu at 0");
        row("movedim of a number", "f32[][]cpu", "torch.ops.aten.movedim.int(x, 0, 0)", "f32[][]cpu at 0");
        row("to the same dtype", "f32[2][1]cpu", "torch.ops.aten.to.dtype(x, torch.float32)", "f32[2][1]cpu at 0");
        row("to another dtype", "f32[2][1]cpu", "torch.ops.aten.to.dtype(x, torch.float16)", "copy f16[2][1]cpu at 0");
        row("lift_fresh is no alias", "f32[2][1]cpu", "torch.ops.aten.lift_fresh.default(x)", "copy f32[2][1]cpu at 0");
    }
    void geometry() {
        QFETCH(QString, base);
        QFETCH(QString, call);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(viewOf(base.toStdString(), call.toStdString())), expected);
    }

    void symbolicSizes() {
        const std::string x = "f32[s77, s27][s27, 1]cpu";
        QCOMPARE(shown(viewOf(x, "torch.ops.aten.select.int(x, 0, 1)")), QString("f32[s27][1]cpu at s27"));
        QCOMPARE(shown(viewOf(x, "torch.ops.aten.view.default(x, [-1])")), QString("f32[s27*s77][1]cpu at 0"));
        QCOMPARE(shown(viewOf(x, "torch.ops.aten.view.default(x, [n, -1])", ", n: \"Sym(s77)\"")), QString("f32[s77, s27][s27, 1]cpu at 0"));
        QCOMPARE(shown(viewOf(x, "torch.ops.aten.slice.Tensor(x, 0, 0, n)", ", n: \"Sym((s77//2))\"")),
                 QString("f32[(s77//2), s27][s27, 1]cpu at 0"));
        QCOMPARE(shown(viewOf(x, "torch.ops.aten.slice.Tensor(x, 0, n, 9223372036854775807)", ", n: \"Sym((s77//2))\"")),
                 QString("f32[s77 - ((s77//2)), s27][s27, 1]cpu at s27*((s77//2))"));
    }

    void anIndexOfUnknownSignLeavesTheOffsetOpen() {
        QCOMPARE(shown(viewOf("f32[8, 4][4, 1]cpu", "torch.ops.aten.select.int(x, 0, n)", ", n: \"Sym(s0 - 5)\"")), QString("f32[4][1]cpu at ?"));
    }

    void hostileCountsAreNotListed() {
        QCOMPARE(shown(viewOf("f32[1000000000000][1]cpu", "torch.ops.aten.unbind.int(x)")), QString("unknown"));
        QCOMPARE(shown(viewOf("f32[1000000000000][1]cpu", "torch.ops.aten.split.Tensor(x, 1)")), QString("unknown"));
        QCOMPARE(shown(viewOf("f32[4][1]cpu", "torch.ops.aten.select.int(x, 0, 9223372036854775807)")), QString("f32[][]cpu at 9223372036854775807"));
        QCOMPARE(shown(viewOf("f32[4][1]cpu", "torch.ops.aten.view.default(x, [-1, -1])")), QString("unknown"));
        QCOMPARE(shown(viewOf("f32[4][1]cpu", "torch.ops.aten.view.default(x, [0, -1])")), QString("unknown"));
        QCOMPARE(shown(viewOf("f32[4][1]cpu", "torch.ops.aten.permute.default(x, [3])")), QString("unknown"));
        QCOMPARE(shown(viewOf("f32[4][1]cpu", "torch.ops.aten.slice.Tensor(x, 0, 0, 4, 0)")), QString("unknown"));
    }

    void withoutStridesNothingIsDecided() {
        TensorType x = *Type::parseAnnotation("f32[8, 4]")->asTensor();
        bool decided = true;
        QVERIFY(!reshapeStrides(x, {SymInt(32)}, &decided));
        QVERIFY(!decided);
        x.strides = TensorType::contiguousStrides(x.sizes);
        QCOMPARE(*reshapeStrides(x, {SymInt(32)}, &decided), std::vector<SymInt>{SymInt(1)});
        QVERIFY(decided);
    }
};

QTEST_APPLESS_MAIN(TestViews)
#include "tst_views.moc"
