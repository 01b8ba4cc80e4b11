// What extent analysis knows of elements: where a scatter writes, which of them only stay what they are, and whose memory results may lie in.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

const char* const kExtent = "reinplace{analysis=extent}";

}  // namespace

class WrittenElementsTest : public QObject {
    Q_OBJECT

private slots:
    void scatterIsAskedAboutItsWindow() {  // x[2:].copy_(x[:2])
        const std::string text = readableGraph(R"(arg0_1: "f32[4, s0][s0, 1]cpu")",
                                               R"(slice_1: "f32[2, s0][s0, 1]cpu" = torch.ops.aten.slice.Tensor(arg0_1, 0, 0, 2)
               slice_scatter: "f32[4, s0][s0, 1]cpu" = torch.ops.aten.slice_scatter.default(arg0_1, slice_1, 0, 2, 9223372036854775807)
               copy_: "f32[4, s0][s0, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, slice_scatter)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QVERIFY(run.code("self") == "RI00");
        QCOMPARE(run.count("aten.slice_scatter.default"), 0);
        RUN_PASSES(reference, text, "reinplace");
        QVERIFY(reference.code("self") != "no decision");
    }

    void overlappingWindowIsRefused() {  // x[1:].copy_(x[:3])
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 2][2, 1]cpu")",
                                               R"(slice_1: "f32[3, 2][2, 1]cpu" = torch.ops.aten.slice.Tensor(arg0_1, 0, 0, 3)
               slice_scatter: "f32[4, 2][2, 1]cpu" = torch.ops.aten.slice_scatter.default(arg0_1, slice_1, 0, 1, 9223372036854775807)
               copy_: "f32[4, 2][2, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, slice_scatter)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QVERIFY(run.code("self") == "RI31");
    }

    void componentOfASplitIsASlice() {
        const std::string text = readableGraph(R"(arg0_1: "f32[6, 4][4, 1]cpu", arg1_1: "f32[3][1]cpu")",
                                               R"(split = torch.ops.aten.split.Tensor(arg0_1, 3)
               getitem_1: "f32[3, 4][4, 1]cpu" = split[1]
               diagonal_scatter: "f32[3, 4][4, 1]cpu" = torch.ops.aten.diagonal_scatter.default(getitem_1, arg1_1)
               slice_scatter: "f32[6, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(arg0_1, diagonal_scatter, 0, 3, 6)
               copy_: "f32[6, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, slice_scatter)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.count("aten.clone.default"), 0);
        QCOMPARE(run.count("aten.copy_.default"), 1);
        RUN_PASSES(reference, text, "reinplace");
        QCOMPARE(reference.count("aten.clone.default"), 1);
    }

    void whatStaysWhatItIsIsNotWritten() {  // x.unbind()[1].copy_(x[1])
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 2][2, 1]cpu")",
                                               R"(unbind = torch.ops.aten.unbind.int(arg0_1)
               getitem_1: "f32[2][1]cpu" = unbind[1]
               copy: "f32[2][1]cpu" = torch.ops.aten.copy.default(getitem_1, getitem_1)
               select_scatter: "f32[4, 2][2, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, copy, 0, 1)
               mul: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(arg0_1, select_scatter)
               copy_: "f32[4, 2][2, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, select_scatter)
               return (mul,))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.count("aten.select_scatter.default"), 0);
        QCOMPARE(run.count("aten.copy_.default"), 0);
    }

    // --- L8: views that are written on their own ---------------------------------------------------------------------------------------------------

    void launchOnARow() {
        const std::string text = readableGraph(R"(arg0_1: "f32[4][1]cpu", arg1_1: "f32[8, 4][4, 1]cpu")",
                                               R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg1_1)
               select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 1)
               launch = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0, constant_args_idx = 0, grid = [(1, 1, 1)], tma_descriptor_metadata = {}, kwargs = {'in_ptr': arg0_1, 'out_ptr': select}, tensors_to_clone = ['out_ptr'])
               getitem: "f32[4][1]cpu" = launch['out_ptr']
               select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(cos, getitem, 0, 1)
               sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(select_scatter)
               return (sum_1,))");
        RUN_PASSES(run, text, kExtent);
        QVERIFY(run.code("out_ptr") == "RI00");
        QCOMPARE(run.count("aten.select_scatter.default"), 0);
        QVERIFY(run.contains("sum.default](args = (%cos,)"));
        RUN_PASSES(reference, text, "reinplace");
        QVERIFY(reference.code("out_ptr") == "RI30.SCATTER");
    }

    void firstFormOnARowOfAnInput() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")",
                                               R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(arg0_1, 0, 1)
               auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = select)
               getitem: "f32[4][1]cpu" = auto_functionalized[1]
               select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, getitem, 0, 1)
               copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, select_scatter)
               return ())");
        RUN_PASSES(run, text, "reinplace{analysis=extent},decompose-functionalized{mode=extended}");
        QVERIFY(run.code("x") == "RI00");
        QCOMPARE(run.count("aten.clone.default"), 0);
        QCOMPARE(run.count("aten.copy_.default"), 0);
    }

    void rowThatIsPutElsewhere() {
        // The old row 1 is still in the result, whose row 2 is the new one.
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")",
                                               R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(arg0_1, 0, 1)
               auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = select)
               getitem: "f32[4][1]cpu" = auto_functionalized[1]
               select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, getitem, 0, 2)
               copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, select_scatter)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QVERIFY(run.code("x") == "RI50" || run.code("x") == "RI30.SCATTER");
    }

    void oldRowReadBehindIt() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")",
                                               R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(arg0_1, 0, 1)
               auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = select)
               getitem: "f32[4][1]cpu" = auto_functionalized[1]
               mul: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(getitem, select)
               select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, getitem, 0, 1)
               copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, select_scatter)
               return (mul,))");
        RUN_PASSES(run, text, kExtent);
        QVERIFY(run.code("x") != "RI00");
    }

    void oldValueThatIsWrittenBack() {
        // The input ends as it began: its memory is not free for the call.
        const std::string text = readableGraph(
            R"(arg0_1: "f32[4, 2][2, 1]cpu")",
            R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [arg0_1])
               getitem_1: "f32[4, 2][2, 1]cpu" = auto_functionalized_v2[1]
               mul: "f32[4, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(getitem_1, 2)
               copy_: "f32[4, 2][2, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, arg0_1)
               return (mul,))");
        RUN_PASSES(run, text, kExtent);
        QVERIFY(run.code("x") == "RI30.COPY");
    }

    void sumThatGoesIntoItsSecondOperand() {
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 2][2, 1]cpu", arg1_1: "f32[4, 2][4, 1]cpu")",
                                               R"(add: "f32[4, 2][2, 1]cpu" = torch.ops.aten.add.Tensor(arg0_1, arg1_1)
               copy_: "f32[4, 2][4, 1]cpu" = torch.ops.aten.copy_.default(arg1_1, add)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QVERIFY(run.contains("torch.ops.aten.add_.Tensor](args = (%arg1_1, %arg0_1)"));
        QCOMPARE(run.count("aten.copy_.default"), 0);
    }

    void sumBehindAnInPlaceCall() {  // foo(x); x += 1; return x[0]
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 2][2, 1]cpu")",
                                               R"(foo = torch.ops.mylib.foo.default(arg0_1)
               add_: "f32[4, 2][2, 1]cpu" = torch.ops.aten.add_.Tensor(arg0_1, 1)
               select: "f32[2][1]cpu" = torch.ops.aten.select.int(arg0_1, 0, 0)
               return (select,))");
        RUN_PASSES(run, text, "best");
        QCOMPARE(run.count("aten.clone.default"), 0);
        QCOMPARE(run.count("aten.copy_.default"), 0);
        QCOMPARE(run.count("aten.add_.Tensor"), 1);
    }

    void returnedSumStaysApart() {  // y = x + 1; x.copy_(y); return y
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 2][2, 1]cpu")",
                                               R"(add: "f32[4, 2][2, 1]cpu" = torch.ops.aten.add.Tensor(arg0_1, 1)
               copy_: "f32[4, 2][2, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, add)
               return (add,))");
        RUN_PASSES(run, text, "best");
        QCOMPARE(run.count("aten.copy_.default"), 1);
        QVERIFY(run.contains("return (add,)"));
    }

    void differenceDoesNotCommute() {
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 2][2, 1]cpu", arg1_1: "f32[4, 2][2, 1]cpu")",
                                               R"(sub: "f32[4, 2][2, 1]cpu" = torch.ops.aten.sub.Tensor(arg0_1, arg1_1)
               copy_: "f32[4, 2][2, 1]cpu" = torch.ops.aten.copy_.default(arg1_1, sub)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.after, run.before);
    }

    void returnedCloneOfAWrittenInput() {  // foo(x); return x.clone()
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 2][2, 1]cpu")",
                                               R"(foo = torch.ops.mylib.foo.default(arg0_1)
               clone: "f32[4, 2][2, 1]cpu" = torch.ops.aten.clone.default(arg0_1)
               return (clone,))");
        RUN_PASSES(run, text, "best");
        QCOMPARE(run.count("aten.clone.default"), 1);
        QCOMPARE(run.count("aten.copy_.default"), 0);
        QVERIFY(run.contains("return (clone,)"));
    }

    void returnedInputIsTheInput() {  // foo(x); return x
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 2][2, 1]cpu")",
                                               R"(foo = torch.ops.mylib.foo.default(arg0_1)
               return (arg0_1,))");
        RUN_PASSES(run, text, "best");
        QCOMPARE(run.count("aten.clone.default"), 0);
        QVERIFY(run.contains("return (arg0_1,)"));
    }
};

QTEST_APPLESS_MAIN(WrittenElementsTest)
#include "tst_written_elements.moc"
