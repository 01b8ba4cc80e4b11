#include <QtTest>

#include "core/ops/infer.h"
#include "core/ops/table.h"
#include "core/text/document.h"

using namespace aliascope;

namespace {

/// A graph whose text states types of the parameters only; the types of the rest are inferred.
Graph infer(const std::string& parameters, const std::string& body) {
    std::string text = "class <lambda>(torch.nn.Module):\n    def forward(self, " + parameters + "):\n";
    for (const QString& line : QString::fromStdString(body).split('\n', Qt::SkipEmptyParts)) text += "        " + line.trimmed().toStdString() + "\n";
    auto document = readText(text, "infer.py", OpRegistry::builtin());
    return document && !document->units.empty() ? std::move(document->units[0].graph) : Graph();
}

/// `f32[4][1]cpu`, `Sym(4)`, `(f32[4][1]cpu, none)`, `?`.
std::string describe(const TypePtr& type) {
    if (!type) return "?";
    const auto* parts = type->asTuple();
    if (!parts) return type->str();
    std::string out = "(";
    for (std::size_t i = 0; i < parts->size(); ++i) out += (i ? ", " : "") + ((*parts)[i] ? describe((*parts)[i]) : "none");
    return out + ")";
}

std::string typeOf(const Graph& g, const char* name) {
    const NodeId id = g.find(Name(name));
    return id ? describe(g[id].type) : "no such node";
}

QString shown(const std::string& s) { return QString::fromStdString(s); }

}  // namespace

class TestInfer : public QObject {
    Q_OBJECT

private slots:
    void oneCall_data() {
        QTest::addColumn<QString>("parameters");
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("expected");
        auto row = [](const char* call, const char* parameters, const char* expected) { QTest::newRow(call) << parameters << call << expected; };

        // Elementwise: broadcasting, promotion, layout.
        row("torch.ops.aten.add.Tensor(x, y)", "x: \"f32[8, 1][1, 1]cuda:0\", y: \"f32[4][1]cuda:0\"", "f32[8, 4][4, 1]cuda:0");
        row("torch.ops.aten.add.Tensor(x, 1)", "x: \"i64[3][1]cpu\"", "i64[3][1]cpu");
        row("torch.ops.aten.mul.Tensor(x, 0.5)", "x: \"i64[3][1]cpu\"", "f32[3][1]cpu");
        row("torch.ops.aten.div.Tensor(x, y)", "x: \"i64[3][1]cpu\", y: \"i64[3][1]cpu\"", "f32[3][1]cpu");
        row("torch.ops.aten.sin.default(x)", "x: \"i32[3][1]cpu\"", "f32[3][1]cpu");
        row("torch.ops.aten.le.Scalar(x, 0)", "x: \"bf16[2, 3][3, 1]cpu\"", "b8[2, 3][3, 1]cpu");
        row("torch.ops.aten.where.self(c, x, y)", "c: \"b8[4][1]cuda:0\", x: \"f16[4][1]cuda:0\", y: \"f32[][]cpu\"", "f16[4][1]cuda:0");
        row("torch.ops.aten.add.Tensor(p, c)", "p: \"f32[4, 2, 3][1, 12, 4]cpu\", c: \"f32[4, 2, 3][6, 3, 1]cpu\"", "f32[4, 2, 3][1, 12, 4]cpu");
        row("torch.ops.aten.add.Tensor(c, p)", "p: \"f32[4, 2, 3][1, 12, 4]cpu\", c: \"f32[4, 2, 3][6, 3, 1]cpu\"", "f32[4, 2, 3][6, 3, 1]cpu");
        row("torch.ops.aten.neg.default(x)", "x: \"f32[4, 3][6, 2]cpu\"", "f32[4, 3][3, 1]cpu");
        row("torch.ops.aten.neg.default(x)", "x: \"f32[4, 3][0, 1]cpu\"", "f32[4, 3][3, 1]cpu");
        row("torch.ops.aten.clone.default(x)", "x: \"f32[1, 3, 4][3, 1, 3]cpu\"", "f32[1, 3, 4][3, 1, 3]cpu");
        row("torch.ops.aten.clone.default(x, memory_format = torch.contiguous_format)", "x: \"f32[3, 4][1, 3]cpu\"", "f32[3, 4][4, 1]cpu");
        row("torch.ops.prims.convert_element_type.default(x, torch.bfloat16)", "x: \"f32[3, 4][1, 3]cpu\"", "bf16[3, 4][1, 3]cpu");
        row("torch.ops.aten._to_copy.default(x, dtype = torch.float16, device = device(type='cuda', index=0))", "x: \"f32[3][1]cpu\"",
            "f16[3][1]cuda:0");
        // Written arguments come back.
        row("torch.ops.aten.mul_.Tensor(x, 2)", "x: \"f32[3, 4][1, 3]cpu\"", "f32[3, 4][1, 3]cpu");
        row("torch.ops.aten.copy_.default(x, y)", "x: \"f32[4][1]cpu\", y: \"f16[4][1]cpu\"", "f32[4][1]cpu");
        // Reductions.
        row("torch.ops.aten.sum.dim_IntList(x, [0], True)", "x: \"f32[8, 4][1, 8]cpu\"", "f32[1, 4][4, 1]cpu");
        row("torch.ops.aten.sum.default(x)", "x: \"b8[8, 4][4, 1]cpu\"", "i64[][]cpu");
        row("torch.ops.aten.mean.dim(x, [-1])", "x: \"bf16[2, 3, 4][12, 4, 1]cpu\"", "bf16[2, 3][3, 1]cpu");
        row("torch.ops.aten.var_mean.correction(x, [1], correction = 0, keepdim = True)", "x: \"f32[8, 4][4, 1]cpu\"",
            "(f32[8, 1][1, 1]cpu, f32[8, 1][1, 1]cpu)");
        row("torch.ops.aten.max.dim(x, 0)", "x: \"f32[8, 4][4, 1]cpu\"", "(f32[4][1]cpu, i64[4][1]cpu)");
        row("torch.ops.aten.any.dim(x, 0)", "x: \"u8[8, 4][4, 1]cpu\"", "u8[4][1]cpu");
        row("torch.ops.aten.argmax.default(x)", "x: \"f32[8, 4][4, 1]cpu\"", "i64[][]cpu");
        // Products.
        row("torch.ops.aten.mm.default(x, y)", "x: \"f32[2, 3][1, 2]cpu\", y: \"f32[3, 5][1, 3]cpu\"", "f32[2, 5][5, 1]cpu");
        row("torch.ops.aten.bmm.default(x, y)", "x: \"bf16[7, 2, 3][6, 3, 1]cpu\", y: \"bf16[7, 3, 5][15, 5, 1]cpu\"", "bf16[7, 2, 5][10, 5, 1]cpu");
        row("torch.ops.aten.addmm.default(b, x, y)", "b: \"f32[5][1]cpu\", x: \"f32[2, 3][3, 1]cpu\", y: \"f32[3, 5][1, 3]cpu\"",
            "f32[2, 5][5, 1]cpu");
        // Factories.
        row("torch.ops.aten.full.default([2, 3], 1, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0), pin_memory "
            "= False)",
            "x: \"f32[1][1]cpu\"", "f32[2, 3][3, 1]cuda:0");
        row("torch.ops.aten.full.default([2], 1)", "x: \"f32[1][1]cpu\"", "i64[2][1]cpu");
        row("torch.ops.aten.arange.start_step(1, 10, 4)", "x: \"f32[1][1]cpu\"", "i64[3][1]cpu");
        row("torch.ops.prims.iota.default(5, start = 0, step = 1, dtype = torch.int32, device = device(type='cpu'), requires_grad = False)",
            "x: \"f32[1][1]cpu\"", "i32[5][1]cpu");
        row("torch.ops.aten.zeros_like.default(x, dtype = torch.int64)", "x: \"f32[3, 4][1, 3]cpu\"", "i64[3, 4][1, 3]cpu");
        // Indexing and assembling.
        row("torch.ops.aten.embedding.default(w, i)", "w: \"f32[100, 8][8, 1]cpu\", i: \"i64[2, 5][5, 1]cpu\"", "f32[2, 5, 8][40, 8, 1]cpu");
        row("torch.ops.aten.index.Tensor(x, [None, i])", "x: \"f32[4, 9, 3][27, 3, 1]cpu\", i: \"i64[2, 5][5, 1]cpu\"",
            "f32[4, 2, 5, 3][30, 15, 3, 1]cpu");
        row("torch.ops.aten.index.Tensor(x, [i, None, i])", "x: \"f32[4, 9, 3][27, 3, 1]cpu\", i: \"i64[5][1]cpu\"", "f32[5, 9][9, 1]cpu");
        row("torch.ops.aten.gather.default(x, 1, i)", "x: \"f32[4, 9][9, 1]cpu\", i: \"i64[4, 2][2, 1]cpu\"", "f32[4, 2][2, 1]cpu");
        row("torch.ops.aten.index_put.default(x, [i], y)", "x: \"f32[4, 9][1, 4]cpu\", i: \"i64[2][1]cpu\", y: \"f32[2, 9][9, 1]cpu\"",
            "f32[4, 9][1, 4]cpu");
        row("torch.ops.aten.cat.default([x, y], -1)", "x: \"f32[2, 3][3, 1]cpu\", y: \"f16[2, 5][5, 1]cpu\"", "f32[2, 8][8, 1]cpu");
        row("torch.ops.aten.constant_pad_nd.default(x, [0, 2, 1, -1])", "x: \"f32[4, 9][9, 1]cpu\"", "f32[4, 11][11, 1]cpu");
        row("torch.ops.aten.slice_scatter.default(x, y, 0, 0, 2)", "x: \"f32[4, 9][18, 2]cpu\", y: \"f32[2, 9][9, 1]cpu\"", "f32[4, 9][18, 2]cpu");
        row("torch.ops.aten.select_copy.int(x, 0, 1)", "x: \"f32[4, 9][1, 4]cpu\"", "f32[9][1]cpu");
        // Networks.
        row("torch.ops.aten._softmax.default(x, -1, False)", "x: \"f32[2, 3][1, 2]cpu\"", "f32[2, 3][3, 1]cpu");
        row("torch.ops.aten.native_layer_norm.default(x, [4], w, w, 1e-05)", "x: \"bf16[2, 3, 4][12, 4, 1]cuda:0\", w: \"bf16[4][1]cuda:0\"",
            "(bf16[2, 3, 4][12, 4, 1]cuda:0, f32[2, 3, 1][3, 1, 1]cuda:0, f32[2, 3, 1][3, 1, 1]cuda:0)");
        row("torch.ops.aten.convolution.default(x, w, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1)",
            "x: \"f32[1, 3, 8, 8][192, 64, 8, 1]cpu\", w: \"f32[5, 3, 3, 3][27, 9, 3, 1]cpu\"", "f32[1, 5, 4, 4][80, 16, 4, 1]cpu");
        row("torch.ops.aten.layer_norm.default(x, [8])", "x: \"f32[2, 8][1, 2]cpu\"", "f32[2, 8][8, 1]cpu");
        row("torch.ops.aten.dropout.default(x, 0.5, False)", "x: \"f32[2, 8][1, 2]cpu\"", "f32[2, 8][1, 2]cpu");
        row("torch.ops.aten.cross_entropy_loss.default(x, t)", "x: \"f32[32, 97][97, 1]cpu\", t: \"i64[32][1]cpu\"", "f32[][]cpu");
        row("torch.ops._c10d_functional.all_gather_into_tensor.default(x, 4, '0')", "x: \"f32[6, 64][64, 1]cuda:0\"", "f32[24, 64][64, 1]cuda:0");
        row("torch.ops._c10d_functional.wait_tensor.default(x)", "x: \"f32[6, 64][64, 1]cuda:0\"", "f32[6, 64][64, 1]cuda:0");
        row("torch.ops.aten._scaled_dot_product_efficient_attention.default(q, q, q, None, True)", "q: \"f16[2, 4, 40, 8][1280, 320, 8, 1]cuda:0\"",
            "(f16[2, 4, 40, 8][1280, 8, 32, 1]cuda:0, f32[2, 4, 64][256, 64, 1]cuda:0, i64[][]cuda:0, i64[][]cuda:0)");
        // Numbers.
        row("torch.ops.aten.sym_size.int(x, 0)", "x: \"f32[s77, s27][s27, 1]cpu\"", "Sym(s77)");
        row("torch.ops.aten.sym_stride.int(x, 0)", "x: \"f32[s77, s27][s27, 1]cpu\"", "Sym(s27)");
        row("n // 2", "n: \"Sym(s77)\"", "Sym((s77//2))");
        row("0 // n", "n: \"Sym(s77)\"", "Sym(0)");
        row("n * 4", "n: \"Sym(s77)\"", "Sym(4*s77)");
        row("torch.sym_max(n, 1)", "n: \"Sym(s77)\"", "Sym(Max(1, s77))");
    }
    void oneCall() {
        QFETCH(QString, parameters);
        QFETCH(QString, call);
        QFETCH(QString, expected);
        const Graph g = infer(parameters.toStdString(), "r = " + call.toStdString() + "\nreturn (r,)");
        QCOMPARE(QString::fromStdString(typeOf(g, "r")), expected);
    }

    void everyOperatorOfAFamilyHasASchema() {
        QStringList unknown;
        for (const auto& [name, entry] : InferTable::instance().entries())
            if ((entry.infer || entry.view) && !OpRegistry::builtin().find(name)) unknown << QString::fromStdString(name.str());
        unknown.sort();
        QCOMPARE(unknown.join(' '), QString());
    }

    void offsetsFollowFromTheChainOfViews() {
        const Graph g = infer("x: \"f32[s77, s27][s27, 1]cpu\", n: \"Sym((s77//2))\"", R"(
            low = torch.ops.aten.slice.Tensor(x, 0, n, 9223372036854775807)
            copied = torch.ops.aten.clone.default(low)
            a = torch.ops.aten.sym_storage_offset.default(low)
            b = torch.ops.aten.sym_storage_offset.default(copied)
            c = torch.ops.aten.sym_storage_offset.default(x)
            return (a, b, c))");
        QCOMPARE(shown(typeOf(g, "a")), QString("Sym(s27*((s77//2)))"));
        QCOMPARE(shown(typeOf(g, "b")), QString("Sym(0)"));
        QCOMPARE(shown(typeOf(g, "c")), QString("Sym(0)"));
    }

    void unknownLayoutsGiveAssumedOnes() {
        const Graph g = infer("x: \"f32[2, 3]\"", "a = torch.ops.aten.neg.default(x)\nb = torch.ops.aten.neg.default(a)\nreturn (b,)");
        QCOMPARE(shown(typeOf(g, "b")), QString("f32[2, 3][3, 1]"));
        QVERIFY(g[g.find(Name("a"))].trust == Trust::Assumed);
        QVERIFY(g[g.find(Name("b"))].trust == Trust::Assumed);  // what rests on a guess is a guess
        const Graph known = infer("x: \"f32[2, 3][3, 1]cpu\"", "a = torch.ops.aten.neg.default(x)\nreturn (a,)");
        QVERIFY(known[known.find(Name("a"))].trust == Trust::Inferred);
    }

    void statedTypesAreCompletedAndPrintAsRead() {
        const Graph g = infer("x: \"f32[2, 3][3, 1]cuda:0\"",
                              "a: \"f32[2, 3]\" = torch.ops.aten.neg.default(x)\nb: \"f32[7]\" = torch.ops.aten.neg.default(x)\nreturn (a, b)");
        const Node& a = g[g.find(Name("a"))];
        QCOMPARE(shown(typeOf(g, "a")), QString("f32[2, 3][3, 1]cuda:0"));
        QVERIFY(a.trust == Trust::Stated);
        QCOMPARE(shown(a.annotation.str()), QString("f32[2, 3]"));
        QCOMPARE(shown(typeOf(g, "b")), QString("f32[7]"));  // the statement wins
    }

    void autoFunctionalizedCountsReturnsAndWrittenArguments() {
        OpRegistry ops = OpRegistry::withBuiltin();
        QVERIFY(ops.addText("lib::lst(Tensor(a!)[] xs, Tensor(b!)? y, Tensor z) -> ()", "lib.ops").empty());
        const char* text =
            "class <lambda>(torch.nn.Module):\n"
            "    def forward(self, x: \"f32[4][1]cpu\", z: \"f32[2][1]cpu\"):\n"
            "        h = torch.ops.higher_order.auto_functionalized(torch.ops.lib.lst.default, xs = [x, z], y = None, z = z)\n"
            "        list = h[1]\n"
            "        first = list[0]\n"
            "        v = torch.ops.higher_order.auto_functionalized_v2(torch.ops.lib.lst.default, z = z, _xs_length = 1, _xs_0_base_index = 0, "
            "_y_base_index = None, _all_bases = [x])\n"
            "        base = v[1]\n"
            "        return (first, base)\n";
        auto document = readText(text, "wrappers.py", ops);
        QVERIFY(document);
        const Graph& g = document->units[0].graph;
        QCOMPARE(shown(typeOf(g, "h")), QString("(none, (f32[4][1]cpu, f32[2][1]cpu), none)"));
        QCOMPARE(shown(g[g.find(Name("h"))].annotation.str()), QString(""));
        QCOMPARE(shown(typeOf(g, "v")), QString("(none, f32[4][1]cpu)"));
        // Names of the text are the reader's business: look at the values that the graph returns.
        const Value& result = g[g.output()].arg(0);
        QCOMPARE(shown(describe(g[result.items()[0].asNode()].type)), QString("f32[4][1]cpu"));
        QCOMPARE(shown(describe(g[result.items()[1].asNode()].type)), QString("f32[4][1]cpu"));
    }

    void tritonResultsAreReadByName() {
        const Graph g =
            infer("x: \"f32[4][1]cpu\", out: \"f16[8][1]cpu\"",
                  "h = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0, constant_args_idx = 0, grid = [(1, 1, 1)], "
                  "tma_descriptor_metadata = {}, kwargs = {'x_ptr': x, 'out_ptr': out}, tensors_to_clone = ['out_ptr'])\n"
                  "r = h['out_ptr']\nreturn (r,)");
        QCOMPARE(shown(describe(g[g[g.output()].arg(0).items()[0].asNode()].type)), QString("f16[8][1]cpu"));
    }

    void nothingIsSaidOfMoreThan64Dims() {
        std::string twos = "2";
        for (int i = 1; i < 64; ++i) twos += ", 2";
        const Graph g = infer("x: \"f32[" + twos + "]\", z: \"f32[" + twos + ", 2]\"",
                              "a = torch.ops.aten.neg.default(x)\nb = torch.ops.aten.unsqueeze.default(a, 0)\n"
                              "c = torch.ops.aten.full.default([" + twos + ", 2], 1.0)\nreturn (a, b, c)");
        QVERIFY(g[g.find(Name("a"))].tensor() && !g[g.find(Name("b"))].tensor() && !g[g.find(Name("c"))].tensor());
        QVERIFY(g[g.find(Name("x"))].tensor() && !g[g.find(Name("z"))].tensor());
    }

    void aPassCanAskForTheTypeOfANodeItMade() {
        Graph g = infer("x: \"f32[8, 4][4, 1]cpu\"", "a = torch.ops.aten.neg.default(x)\nreturn (a,)");
        Node n;
        n.kind = NodeKind::CallFunction;
        n.name = Name("view");
        n.op = Name("aten::select.int");
        n.target = spellOp(n.op);
        n.args = {Value::node(g.find(Name("x"))), Value::integer(1), Value::integer(0)};
        const NodeId id = g.insertBefore(g.output(), std::move(n));
        setInferredType(OpRegistry::builtin(), g, id);
        QCOMPARE(shown(typeOf(g, "view")), QString("f32[8][4]cpu"));
        QVERIFY(g[id].trust == Trust::Inferred);
    }
};

QTEST_APPLESS_MAIN(TestInfer)
#include "tst_infer.moc"
