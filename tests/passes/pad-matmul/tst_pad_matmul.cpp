// Padding of products (canonicalize.md 9): which dims grow, and what is sliced off again.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

std::string product(const std::string& a, const std::string& b) {
    return readableGraph("a: \"" + a + "\", b: \"" + b + "\"", "c = torch.ops.aten.mm.default(a, b)\nreturn (c,)");
}

}  // namespace

class PadMatmulTest : public QObject {
    Q_OBJECT

private slots:
    /// The three products of the vocabulary in gpt2_train.
    void columns() {
        RUN_PASSES(run, product("bf16[4096, 768][768, 1]cuda:0", "bf16[768, 50257][1, 768]cuda:0"), "pad-matmul");
        QVERIFY2(run.contains("constant_pad_nd.default](args = (%b, [0, 7, 0, 0])"), run.after.c_str());
        QVERIFY(run.contains("mm.default](args = (%a, %constant_pad_nd_default)"));
        QVERIFY(run.contains("slice.Tensor](args = (%mm_default, 1, 0, -7)"));
    }
    void rows() {
        RUN_PASSES(run, product("bf16[50257, 4096][1, 50257]cuda:0", "bf16[4096, 768][768, 1]cuda:0"), "pad-matmul");
        QVERIFY(run.contains("constant_pad_nd.default](args = (%a, [0, 0, 0, 7])"));
        QVERIFY(run.contains("slice.Tensor](args = (%mm_default, 0, 0, -7)"));
    }
    void inner() {
        RUN_PASSES(run, product("bf16[4096, 50257][50257, 1]cuda:0", "bf16[50257, 768][768, 1]cuda:0"), "pad-matmul");
        QVERIFY(run.contains("constant_pad_nd.default](args = (%a, [0, 7, 0, 0])"));
        QVERIFY(run.contains("constant_pad_nd.default](args = (%b, [0, 0, 0, 7])"));
        QCOMPARE(run.count("aten.slice.Tensor"), 0);
    }
    void biasGrowsWithTheColumns() {
        RUN_PASSES(run, readableGraph(R"(bias: "f16[1001][1]cuda:0", a: "f16[512, 512][512, 1]cuda:0", b: "f16[512, 1001][1001, 1]cuda:0")",
                                      "c = torch.ops.aten.addmm.default(bias, a, b)\nreturn (c,)"),
                   "pad-matmul");
        QVERIFY(run.contains("constant_pad_nd.default](args = (%bias, [0, 7])"));
        QVERIFY(run.contains("addmm.default](args = (%constant_pad_nd_default, %a, %constant_pad_nd_default_1)"));
    }

    void stays_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::newRow("aligned") << "bf16[4096, 768][768, 1]cuda:0" << "bf16[768, 50264][1, 768]cuda:0";
        QTest::newRow("4 bytes") << "f32[4096, 768][768, 1]cuda:0" << "f32[768, 50257][1, 768]cuda:0";
        QTest::newRow("on the CPU") << "bf16[4096, 768][768, 1]cpu" << "bf16[768, 50257][1, 768]cpu";
        QTest::newRow("small") << "bf16[4096, 504][504, 1]cuda:0" << "bf16[504, 50257][1, 504]cuda:0";
        QTest::newRow("symbolic") << "bf16[s0, 768][768, 1]cuda:0" << "bf16[768, 50257][1, 768]cuda:0";
    }
    void stays() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        RUN_PASSES(run, product(a.toStdString(), b.toStdString()), "pad-matmul");
        QCOMPARE(run.after, run.before);
    }
};

QTEST_APPLESS_MAIN(PadMatmulTest)
#include "tst_pad_matmul.moc"
