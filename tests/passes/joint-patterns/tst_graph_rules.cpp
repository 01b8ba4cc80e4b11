// The rules of the main joint set that need no pattern language (canonicalize.md 5.5).

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

constexpr const char* kReference = "joint-patterns";
constexpr const char* kExtended = "joint-patterns{mode=extended}";

std::string indexed(const std::string& device, const std::string& user) {
    return readableGraph(R"(x: "f32[8, 4][4, 1]cuda:0")",
                         "iota: \"i64[8][1]" + device + R"(" = torch.ops.prims.iota.default(8, start = 0, step = 1, dtype = torch.int64, device = device(type=')" +
                             device.substr(0, device.find(':')) + R"('), requires_grad = False)
                             )" + user + R"(
                             return (y,))");
}

std::string converts(const std::string& from, const std::string& middle, const std::string& to) {
    return readableGraph("x: \"" + from + "[8][1]cpu\"", "a = torch.ops.prims.convert_element_type.default(x, torch." + middle + R"()
                                                          b = torch.ops.prims.convert_element_type.default(a, torch.)" + to + R"()
                                                          return (b,))");
}

std::string product(const std::string& a, const std::string& b) {
    return readableGraph("a: \"" + a + "\", b: \"" + b + "\"", "c = torch.ops.aten.bmm.default(a, b)\nreturn (c,)");
}

std::string scattered(const std::string& shape, const std::string& index, int dim = 1) {
    return readableGraph("i: \"" + index + "\"",
                         "full: \"f32" + shape + "cuda:0\" = torch.ops.aten.full.default(" + shape.substr(0, shape.find(']') + 1) +
                             ", 0, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)\n" +
                             "scatter: \"f32" + shape + "cuda:0\" = torch.ops.aten.scatter.value(full, " + std::to_string(dim) + ", i, -1.0)\nreturn (scatter,)");
}

/// Attention of T5 in half precision (patterns.md 9, row 21): the scores are rounded to f16 and widened again.
std::string attentionWithTwoConversions() {
    return readableGraph(
        R"(q: "f16[2, 128, 4, 64][32768, 256, 64, 1]cuda:0", k: "f16[2, 128, 4, 64][32768, 256, 64, 1]cuda:0", v: "f16[2, 128, 4, 64][32768, 256, 64, 1]cuda:0", m: "f32[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0")",
        R"(
        permute: "f16[2, 4, 128, 64][32768, 64, 256, 1]cuda:0" = torch.ops.aten.permute.default(q, [0, 2, 1, 3])
        permute_1: "f16[2, 4, 128, 64][32768, 64, 256, 1]cuda:0" = torch.ops.aten.permute.default(k, [0, 2, 1, 3])
        permute_2: "f16[2, 4, 128, 64][32768, 64, 256, 1]cuda:0" = torch.ops.aten.permute.default(v, [0, 2, 1, 3])
        permute_3: "f16[2, 4, 64, 128][32768, 64, 1, 256]cuda:0" = torch.ops.aten.permute.default(permute_1, [0, 1, 3, 2])
        expand: "f16[2, 4, 128, 64][32768, 64, 256, 1]cuda:0" = torch.ops.aten.expand.default(permute, [2, 4, 128, 64])
        clone: "f16[2, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = torch.ops.aten.clone.default(expand, memory_format = torch.contiguous_format)
        view: "f16[8, 128, 64][8192, 64, 1]cuda:0" = torch.ops.aten.view.default(clone, [8, 128, 64])
        expand_1: "f16[2, 4, 64, 128][32768, 64, 1, 256]cuda:0" = torch.ops.aten.expand.default(permute_3, [2, 4, 64, 128])
        clone_1: "f16[2, 4, 64, 128][32768, 8192, 128, 1]cuda:0" = torch.ops.aten.clone.default(expand_1, memory_format = torch.contiguous_format)
        view_1: "f16[8, 64, 128][8192, 128, 1]cuda:0" = torch.ops.aten.view.default(clone_1, [8, 64, 128])
        bmm: "f16[8, 128, 128][16384, 128, 1]cuda:0" = torch.ops.aten.bmm.default(view, view_1)
        view_2: "f16[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.aten.view.default(bmm, [2, 4, 128, 128])
        add: "f32[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.aten.add.Tensor(view_2, m)
        low: "f16[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.prims.convert_element_type.default(add, torch.float16)
        high: "f32[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.prims.convert_element_type.default(low, torch.float32)
        amax: "f32[2, 4, 128, 1][512, 128, 1, 1]cuda:0" = torch.ops.aten.amax.default(high, [-1], True)
        sub: "f32[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.aten.sub.Tensor(high, amax)
        exp: "f32[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.aten.exp.default(sub)
        sum_1: "f32[2, 4, 128, 1][512, 128, 1, 1]cuda:0" = torch.ops.aten.sum.dim_IntList(exp, [-1], True)
        div_1: "f32[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.aten.div.Tensor(exp, sum_1)
        convert: "f16[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.prims.convert_element_type.default(div_1, torch.float16)
        expand_2: "f16[2, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = torch.ops.aten.expand.default(convert, [2, 4, 128, 128])
        view_3: "f16[8, 128, 128][16384, 128, 1]cuda:0" = torch.ops.aten.view.default(expand_2, [8, 128, 128])
        expand_3: "f16[2, 4, 128, 64][32768, 64, 256, 1]cuda:0" = torch.ops.aten.expand.default(permute_2, [2, 4, 128, 64])
        clone_2: "f16[2, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = torch.ops.aten.clone.default(expand_3, memory_format = torch.contiguous_format)
        view_4: "f16[8, 128, 64][8192, 64, 1]cuda:0" = torch.ops.aten.view.default(clone_2, [8, 128, 64])
        bmm_1: "f16[8, 128, 64][8192, 64, 1]cuda:0" = torch.ops.aten.bmm.default(view_3, view_4)
        view_5: "f16[2, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = torch.ops.aten.view.default(bmm_1, [2, 4, 128, 64])
        return (view_5,))");
}

}  // namespace

class GraphRulesTest : public QObject {
    Q_OBJECT

private slots:
    void iotaMovesToItsOnlyDevice() {
        RUN_PASSES(run, indexed("cpu", "y: \"f32[8, 4][4, 1]cuda:0\" = torch.ops.aten.index.Tensor(x, [iota])"), kReference);
        QVERIFY2(run.contains("device: cuda:0"), run.after.c_str());
        QCOMPARE(run.count("prims.iota.default"), 1);
    }
    void iotaStays_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("user");
        QTest::newRow("same device") << "cuda:0" << "y: \"f32[8, 4][4, 1]cuda:0\" = torch.ops.aten.index.Tensor(x, [iota])";
        QTest::newRow("another user") << "cpu" << "y: \"i64[8][1]cpu\" = torch.ops.aten.add.Tensor(iota, 1)";
    }
    void iotaStays() {
        QFETCH(QString, device);
        QFETCH(QString, user);
        RUN_PASSES(run, indexed(device.toStdString(), user.toStdString()), kReference);
        QCOMPARE(run.after, run.before);
    }

    void doubleConvert_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("middle");
        QTest::addColumn<QString>("to");
        QTest::addColumn<bool>("reference");
        QTest::addColumn<bool>("extended");
        QTest::newRow("bf16 f32 bf16") << "bf16" << "float32" << "bfloat16" << true << true;
        QTest::newRow("f32 f64 f16") << "f32" << "float64" << "float16" << true << true;
        QTest::newRow("f32 bf16 f32 rounds") << "f32" << "bfloat16" << "float32" << true << false;
        QTest::newRow("f16 bf16 f32 rounds") << "f16" << "bfloat16" << "float32" << true << false;
        QTest::newRow("integers between") << "f32" << "int64" << "float32" << false << false;
        QTest::newRow("from integers") << "i64" << "float32" << "float16" << true << false;
    }
    void doubleConvert() {
        QFETCH(QString, from);
        QFETCH(QString, middle);
        QFETCH(QString, to);
        QFETCH(bool, reference);
        QFETCH(bool, extended);
        const std::string text = converts(from.toStdString(), middle.toStdString(), to.toStdString());
        RUN_PASSES(inReference, text, kReference);
        QCOMPARE(inReference.count("prims.convert_element_type.default"), reference ? 1 : 2);
        RUN_PASSES(inExtended, text, kExtended);
        QCOMPARE(inExtended.count("prims.convert_element_type.default"), extended ? 1 : 2);
        if (reference && !extended)
            QVERIFY(std::any_of(inExtended.decisions.begin(), inExtended.decisions.end(), [](const Decision& d) { return d.code == "FP_STRICT"; }));
    }

    void doubleConvertWithAnotherReader() {
        RUN_PASSES(run, readableGraph("x: \"bf16[8][1]cpu\"", R"(a = torch.ops.prims.convert_element_type.default(x, torch.float32)
                                                                b = torch.ops.prims.convert_element_type.default(a, torch.bfloat16)
                                                                return (a, b))"),
                   kReference);
        QCOMPARE(run.after, run.before);
    }

    /// One traversal: attention ends nearer to the output than its conversions, so it is found before they merge.
    void attentionBeforeItsConversions() {
        RUN_PASSES(reference, attentionWithTwoConversions(), kReference);
        QCOMPARE(reference.count("aten._scaled_dot_product_cudnn_attention.default"), 1);
        QCOMPARE(reference.count("aten.bmm.default"), 0);
        RUN_PASSES(extended, attentionWithTwoConversions(), kExtended);  // left to fuse-attention
        QCOMPARE(extended.count("aten.bmm.default"), 2);
        QCOMPARE(extended.count("prims.convert_element_type.default"), 3);
    }

    void productsOfOneMatrix() {
        RUN_PASSES(run, product("f16[1, 4, 8][32, 8, 1]cuda:0", "f16[1, 8, 2][16, 2, 1]cuda:0"), kReference);
        QCOMPARE(run.count("aten.bmm.default"), 0);
        QCOMPARE(run.count("aten.mm.default"), 1);
        QCOMPARE(run.count("aten.squeeze.dim"), 2);
        QVERIFY(run.contains("aten.unsqueeze.default](args = (%mm_default, 0)"));
    }
    void productsThatStay_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::newRow("two matrices") << "f16[2, 4, 8][32, 8, 1]cuda:0" << "f16[2, 8, 2][16, 2, 1]cuda:0";
        QTest::newRow("on the CPU") << "f32[1, 4, 8][32, 8, 1]cpu" << "f32[1, 8, 2][16, 2, 1]cpu";
        QTest::newRow("unknown batch") << "f16[s0, 4, 8][32, 8, 1]cuda:0" << "f16[s0, 8, 2][16, 2, 1]cuda:0";
    }
    void productsThatStay() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        RUN_PASSES(run, product(a.toStdString(), b.toStdString()), kReference);
        QCOMPARE(run.after, run.before);
    }

    void scatterIntoAConstant() {
        RUN_PASSES(run, scattered("[32, 97][97, 1]", "i64[32, 1][1, 1]cuda:0"), kReference);
        QCOMPARE(run.count("aten.scatter.value"), 0);
        QCOMPARE(run.count("aten.full.default"), 0);
        for (const char* line : {"prims.iota.default](args = (97,)", "aten.view.default](args = (%iota_default, [1, 97])", "aten.expand.default](args = (%i, [32, 97])",
                                 "aten.eq.Tensor](args = (%expand_default, %view_default)", "aten.scalar_tensor.default](args = (0,)",
                                 "aten.where.self](args = (%eq_tensor, %scalar_tensor_default_1, %scalar_tensor_default)"})
            QVERIFY2(run.contains(line), run.after.c_str());
    }
    void scattersThatStay_data() {
        QTest::addColumn<QString>("shape");
        QTest::addColumn<QString>("index");
        QTest::addColumn<int>("dim");
        QTest::newRow("two per row") << "[32, 97][97, 1]" << "i64[32, 2][2, 1]cuda:0" << 1;
        QTest::newRow("fewer rows") << "[32, 97][97, 1]" << "i64[31, 1][1, 1]cuda:0" << 1;
        QTest::newRow("other rank") << "[32, 97][97, 1]" << "i64[32][1]cuda:0" << 1;
        QTest::newRow("other dim") << "[32, 97][97, 1]" << "i64[32, 1][1, 1]cuda:0" << 0;
    }
    void scattersThatStay() {
        QFETCH(QString, shape);
        QFETCH(QString, index);
        QFETCH(int, dim);
        RUN_PASSES(run, scattered(shape.toStdString(), index.toStdString(), dim), kReference);
        QCOMPARE(run.after, run.before);
    }

    void indexingByRandperm() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[8, 4][4, 1]cuda:0")", R"(p: "i64[8][1]cuda:0" = torch.ops.aten.randperm.default(8, device = device(type='cuda', index=0), pin_memory = False)
                                                                          s: "i64[3][1]cuda:0" = torch.ops.aten.slice.Tensor(p, 0, 0, 3)
                                                                          y: "f32[3, 4][4, 1]cuda:0" = torch.ops.aten.index.Tensor(x, [s])
                                                                          return (y, s))"),
                   kReference);
        QVERIFY(run.contains("aten._unsafe_index.Tensor](args = (%x, [%s])"));
        QCOMPARE(run.count("aten.index.Tensor"), 0);
    }
    void addingAtPositionsOfRandperm() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[8, 4][4, 1]cuda:0", y: "f32[3, 4][4, 1]cuda:0")",
                                      R"(p: "i64[8][1]cuda:0" = torch.ops.aten.randperm.default(8, device = device(type='cuda', index=0), pin_memory = False)
                                         s: "i64[3][1]cuda:0" = torch.ops.aten.slice.Tensor(p, 0, 0, 3)
                                         z: "f32[8, 4][4, 1]cuda:0" = torch.ops.aten.index_put.default(x, [s], y, True)
                                         return (z, s))"),
                   kReference);
        QVERIFY(run.contains("aten.add.Tensor](args = (%_unsafe_index_tensor, %y)"));
        QVERIFY(run.contains("aten._unsafe_index_put.default](args = (%x, [%s], %add_tensor)"));
    }
    void otherIndicesStay() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[8, 4][4, 1]cuda:0")", R"(p: "i64[9][1]cuda:0" = torch.ops.aten.randperm.default(9, device = device(type='cuda', index=0), pin_memory = False)
                                                                          s: "i64[3][1]cuda:0" = torch.ops.aten.slice.Tensor(p, 0, 0, 3)
                                                                          y: "f32[3, 4][4, 1]cuda:0" = torch.ops.aten.index.Tensor(x, [s])
                                                                          return (y, s))"),
                   kReference);
        QCOMPARE(run.after, run.before);
    }
};

QTEST_APPLESS_MAIN(GraphRulesTest)
#include "tst_graph_rules.moc"
