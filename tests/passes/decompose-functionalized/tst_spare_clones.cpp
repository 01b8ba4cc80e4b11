// The program's own clones when it is settled who writes where: those that separate nothing go, others shrink to what is used of them.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

const char* const kExtended = "decompose-functionalized{mode=extended}";

std::string onInput(const std::string& body) { return readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")", body); }

}  // namespace

class SpareClonesTest : public QObject {
    Q_OBJECT

private slots:
    void untilTheInputIsOverwritten() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            sub: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(clone, cos)
                                            copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, cos)
                                            return (sub,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.count("aten.clone.default"), 0);
        QVERIFY(run.contains("sub.Tensor](args = (%arg0_1, %cos)"));
        RUN_PASSES(reference, text, "decompose-functionalized");
        QCOMPARE(reference.after, reference.before);
    }

    void notAcrossTheWrite() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            foo = torch.ops.mylib.foo.default(arg0_1)
                                            cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(clone)
                                            return (cos,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.after, run.before);
    }

    void writeBesideIt() {
        const std::string text = onInput(R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(arg0_1, 0, 1)
                                            clone: "f32[4][1]cpu" = torch.ops.aten.clone.default(select)
                                            select_1: "f32[4][1]cpu" = torch.ops.aten.select.int(arg0_1, 0, 0)
                                            foo_ret: "f32[4][1]cpu" = torch.ops.mylib.foo_ret.default(select_1, clone)
                                            return (foo_ret,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.count("aten.clone.default"), 0);
    }

    void notWhereOneCallReadsAndWrites() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            foo_ret: "f32[8, 4][4, 1]cpu" = torch.ops.mylib.foo_ret.default(arg0_1, clone)
                                            return (foo_ret,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.after, run.before);
    }

    void copyOfACopyIsTheFirst() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            clone_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(clone)
                                            foo_ret: "f32[8, 4][4, 1]cpu" = torch.ops.mylib.foo_ret.default(clone, clone_1)
                                            return (clone, foo_ret))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.count("aten.clone.default"), 1);
        QVERIFY(run.contains("foo_ret.default](args = (%clone, %arg0_1)"));
    }

    void inputAsScratchBeforeItIsOverwritten() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            foo = torch.ops.mylib.foo.default(clone)
                                            sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(clone)
                                            copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, cos)
                                            return (sum_1,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.count("aten.clone.default"), 0);
        QVERIFY(run.contains("foo.default](args = (%arg0_1,)"));
    }

    void inputIsNoScratchOtherwise() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            foo = torch.ops.mylib.foo.default(clone)
                                            sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(clone)
                                            return (sum_1,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.after, run.before);
    }

    void returnedCloneStaysApart() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            return (clone,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.after, run.before);
    }

    void oneRowIsUsed() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            select: "f32[4][1]cpu" = torch.ops.aten.select.int(clone, 0, 3)
                                            foo = torch.ops.mylib.foo.default(select)
                                            return (select,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.count("aten.clone.default"), 1);
        QVERIFY(run.contains("select.int](args = (%arg0_1, 0, 3)"));
        QVERIFY(run.contains("clone.default](args = (%select_int,)"));
    }

    void oneComponentIsUsed() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            unbind = torch.ops.aten.unbind.int(clone)
                                            getitem: "f32[4][1]cpu" = unbind[3]
                                            foo = torch.ops.mylib.foo.default(getitem)
                                            return ())");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.count("aten.clone.default"), 1);
        QVERIFY(run.contains("unbind.int](args = (%arg0_1"));
    }

    void whereTheRestIsAddressedItIsCopied() {
        const std::string text = onInput(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                            select: "f32[4][1]cpu" = torch.ops.aten.select.int(clone, 0, 3)
                                            as_strided: "f32[2][1]cpu" = torch.ops.aten.as_strided.default(select, [2], [1], 0)
                                            foo = torch.ops.mylib.foo.default(as_strided)
                                            return ())");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.after, run.before);
    }
};

QTEST_APPLESS_MAIN(SpareClonesTest)
#include "tst_spare_clones.moc"
