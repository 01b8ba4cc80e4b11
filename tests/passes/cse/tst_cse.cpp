// Common sub-expressions (canonicalize.md 5.7): what has one key, what never has one.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

std::string twice(const std::string& a, const std::string& b) {
    return readableGraph(R"(x: "f32[4, 6][6, 1]cpu", y: "f32[4, 6][6, 1]cpu")", "a = " + a + "\nb = " + b + "\nc = torch.ops.aten.mul.Tensor(a, b)\nreturn (c,)");
}

}  // namespace

class CseTest : public QObject {
    Q_OBJECT

private slots:
    void merged_data() {
        QTest::addColumn<QString>("call");
        for (const char* call : {"torch.ops.aten.cos.default(x)", "torch.ops.aten.add.Tensor(x, y, alpha = 2)", "torch.ops.aten.sum.dim_IntList(x, [0], True)",
                                 "torch.ops.aten.full.default([4, 6], 1.0, dtype = torch.float32, device = device(type='cpu'))"})
            QTest::newRow(call) << call;
    }
    void merged() {
        QFETCH(QString, call);
        for (const char* mode : {"cse", "cse{mode=extended}"}) {
            RUN_PASSES(run, twice(call.toStdString(), call.toStdString()), mode);
            QVERIFY2(run.contains("mul.Tensor](args = (%a, %a)"), run.after.c_str());
            QVERIFY(!run.contains("%b :"));
        }
    }

    void kept_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        const auto row = [](const char* name, const char* a, const char* b) { QTest::newRow(name) << a << b; };
        row("1 and 1.0", "torch.ops.aten.add.Tensor(x, 1)", "torch.ops.aten.add.Tensor(x, 1.0)");
        row("1 and True", "torch.ops.aten.add.Tensor(x, 1)", "torch.ops.aten.add.Tensor(x, True)");
        row("other operand", "torch.ops.aten.cos.default(x)", "torch.ops.aten.cos.default(y)");
        row("operands the other way round", "torch.ops.aten.add.Tensor(x, y)", "torch.ops.aten.add.Tensor(y, x)");
        row("random", "torch.ops.aten.rand.default([4, 6])", "torch.ops.aten.rand.default([4, 6])");
        row("dropout", "torch.ops.aten.bernoulli.default(x)", "torch.ops.aten.bernoulli.default(x)");
        row("uninitialised", "torch.ops.aten.empty.memory_format([4, 6])", "torch.ops.aten.empty.memory_format([4, 6])");
        row("no schema", "torch.ops.other.thing.default(x)", "torch.ops.other.thing.default(x)");
    }
    void kept() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        RUN_PASSES(run, twice(a.toStdString(), b.toStdString()), "cse");
        QCOMPARE(run.after, run.before);
    }

    void chainsMerge() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4][1]cpu")", R"(a = torch.ops.aten.cos.default(x)
                                                                 b = torch.ops.aten.cos.default(x)
                                                                 c = torch.ops.aten.sin.default(a)
                                                                 d = torch.ops.aten.sin.default(b)
                                                                 e = torch.ops.aten.add.Tensor(c, d)
                                                                 return (e,))"),
                   "cse");
        QVERIFY(run.contains("add.Tensor](args = (%c, %c)"));
        QCOMPARE(run.graph.size(), std::size_t(5));
    }

    void outputsKeepTheirStorage() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4][1]cpu")", R"(a = torch.ops.aten.cos.default(x)
                                                                 b = torch.ops.aten.cos.default(x)
                                                                 return (a, b))"),
                   "cse");
        QCOMPARE(run.after, run.before);
    }

    void notAcrossAWriteBack() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4][1]cpu")", R"(a = torch.ops.aten.cos.default(x)
                                                                 copy_ = torch.ops.aten.copy_.default(x, a)
                                                                 b = torch.ops.aten.cos.default(x)
                                                                 c = torch.ops.aten.sin.default(x)
                                                                 d = torch.ops.aten.sin.default(x)
                                                                 e = torch.ops.aten.add.Tensor(a, b)
                                                                 f = torch.ops.aten.add.Tensor(c, d)
                                                                 g = torch.ops.aten.add.Tensor(e, f)
                                                                 return (g,))"),
                   "cse");
        QVERIFY(run.contains("add.Tensor](args = (%a, %b)"));
        QVERIFY(run.contains("add.Tensor](args = (%c, %c)"));
        QVERIFY(std::any_of(run.decisions.begin(), run.decisions.end(), [](const Decision& d) { return d.code == "REGION"; }));
    }

    void writesAreRefused() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4][1]cpu")", R"(a = torch.ops.aten.cos.default(x)
                                                                 add_ = torch.ops.aten.add_.Tensor(a, 1)
                                                                 b = torch.ops.aten.cos.default(x)
                                                                 c = torch.ops.aten.add.Tensor(a, b)
                                                                 return (c,))"),
                   "cse");
        QCOMPARE(run.after, run.before);
        QVERIFY(run.diagnostic("NEEDS_FUNCTIONAL"));
    }
};

QTEST_APPLESS_MAIN(CseTest)
#include "tst_cse.moc"
