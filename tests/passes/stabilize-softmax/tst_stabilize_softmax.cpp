// Scaled softmax (canonicalize.md 5.5, second set): which scales match, what becomes of their sign.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

constexpr const char* kPass = "stabilize-softmax";

/// `scaled` is computed from x and c; its distance from the maximum over `dims` is returned.
std::string softmax(const std::string& scaled, const std::string& dims = "[-1]", const std::string& c = "f32[][]cpu") {
    return readableGraph("x: \"f32[2, 4, 8][32, 8, 1]cpu\", c: \"" + c + "\"", scaled + R"(
        amax = torch.ops.aten.amax.default(s, )" + dims + R"(, True)
        sub = torch.ops.aten.sub.Tensor(s, amax)
        exp = torch.ops.aten.exp.default(sub)
        return (exp,))");
}

}  // namespace

class StabilizeSoftmaxTest : public QObject {
    Q_OBJECT

private slots:
    void scales_data() {
        QTest::addColumn<QString>("scaled");
        QTest::addColumn<QString>("dims");
        QTest::addColumn<QString>("first");   // the operand of the maximum
        QTest::addColumn<QString>("last");    // what scales the distance
        const auto row = [](const char* name, const char* scaled, const char* first, const char* last, const char* dims = "[-1]") {
            QTest::newRow(name) << scaled << dims << first << last;
        };
        row("product", "s = torch.ops.aten.mul.Tensor(x, 0.25)", "mul.Tensor](args = (%x, 1)", "mul.Tensor](args = (%sub_tensor, 0.25)");
        row("quotient", "s = torch.ops.aten.div.Tensor(x, 8.0)", "mul.Tensor](args = (%x, 1)", "div.Tensor](args = (%sub_tensor, 8.0)");
        row("integer", "s = torch.ops.aten.mul.Tensor(x, 3)", "mul.Tensor](args = (%x, 1)", "mul.Tensor](args = (%sub_tensor, 3)");
        row("negative", "s = torch.ops.aten.mul.Tensor(x, -0.25)", "mul.Tensor](args = (%x, -1)", "mul.Tensor](args = (%sub_tensor, 0.25)");
        row("one tensor for all", "s = torch.ops.aten.mul.Tensor(x, c)", "where.self](args = (%ge_scalar,", "mul.Tensor](args = (%sub_tensor, %mul_tensor)");
        row("commuted", "s = torch.ops.aten.mul.Tensor(c, x)", "ge.Scalar](args = (%c, 0)", "mul.Tensor](args = (%sub_tensor, %mul_tensor)");
        row("two dims", "s = torch.ops.aten.mul.Tensor(x, 0.25)", "amax.default](args = (%mul_tensor, [1, 2], True)", "mul.Tensor](args = (%sub_tensor, 0.25)", "[1, 2]");
        row("converted", "m = torch.ops.aten.mul.Tensor(x, 0.25)\ns: \"f64[2, 4, 8][32, 8, 1]cpu\" = torch.ops.prims.convert_element_type.default(m, torch.float64)",
            "mul.Tensor](args = (%convert_element_type_default, 1)", "mul.Tensor](args = (%sub_tensor, 0.25)");
    }
    void scales() {
        QFETCH(QString, scaled);
        QFETCH(QString, dims);
        QFETCH(QString, first);
        QFETCH(QString, last);
        RUN_PASSES(run, softmax(scaled.toStdString(), dims.toStdString()), kPass);
        QVERIFY2(run.contains(first.toStdString()) && run.contains(last.toStdString()), run.after.c_str());
        QVERIFY(!run.contains("%s :"));
    }

    void stays_data() {
        QTest::addColumn<QString>("scaled");
        QTest::addColumn<QString>("dims");
        QTest::addColumn<QString>("c");
        QTest::newRow("no scale") << "s = torch.ops.aten.cos.default(x)" << "[-1]" << "f32[][]cpu";
        QTest::newRow("a sum") << "s = torch.ops.aten.add.Tensor(x, 0.25)" << "[-1]" << "f32[][]cpu";
        QTest::newRow("scale along the dim") << "s = torch.ops.aten.mul.Tensor(x, c)" << "[-1]" << "f32[8][1]cpu";
        QTest::newRow("number over x") << "s = torch.ops.aten.div.Tensor(c, x)" << "[-1]" << "f32[][]cpu";
    }
    void stays() {
        QFETCH(QString, scaled);
        QFETCH(QString, dims);
        QFETCH(QString, c);
        RUN_PASSES(run, softmax(scaled.toStdString(), dims.toStdString(), c.toStdString()), kPass);
        QCOMPARE(run.after, run.before);
    }

    void scaleThatIsConstantAlongTheDim() {
        RUN_PASSES(run, softmax("s = torch.ops.aten.mul.Tensor(x, c)", "[-1]", "f32[4, 1][1, 1]cpu"), kPass);
        QVERIFY(run.contains("ge.Scalar](args = (%c, 0)"));
    }

    void distanceFromAnotherMaximumStays() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 8][8, 1]cpu", y: "f32[4, 8][8, 1]cpu")", R"(s = torch.ops.aten.mul.Tensor(x, 0.25)
                                                                                               amax = torch.ops.aten.amax.default(y, [-1], True)
                                                                                               sub = torch.ops.aten.sub.Tensor(s, amax)
                                                                                               return (sub,))"),
                   kPass);
        QCOMPARE(run.after, run.before);
    }

    void maximumWithAnotherReaderStays() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 8][8, 1]cpu")", R"(s = torch.ops.aten.mul.Tensor(x, 0.25)
                                                                       amax = torch.ops.aten.amax.default(s, [-1], True)
                                                                       sub = torch.ops.aten.sub.Tensor(s, amax)
                                                                       return (sub, amax))"),
                   kPass);
        QCOMPARE(run.after, run.before);
    }

    /// Products with 1 and -1 are exact: extended mode leaves them, and so finds nothing a second time.
    void extendedLeavesSigns() {
        const std::string text = softmax("s = torch.ops.aten.mul.Tensor(x, -1)");
        RUN_PASSES(reference, text, kPass);
        QVERIFY(reference.contains("mul.Tensor](args = (%sub_tensor, 1)"));
        RUN_PASSES(extended, text, "stabilize-softmax{mode=extended}");
        QCOMPARE(extended.after, extended.before);
    }
};

QTEST_APPLESS_MAIN(StabilizeSoftmaxTest)
#include "tst_stabilize_softmax.moc"
