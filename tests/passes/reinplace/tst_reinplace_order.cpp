// Making room for writes in place: readers of the old value go first (L2), or read a saved copy (L3); chains of scatters on one input are one
// write (L7). Graphs in which nothing of it helps stay as they are.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

std::string onInput(const std::string& body) { return readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")", body); }

/// `foo(cos)` in v2 form, where `between` follows it; its new value is getitem_1.
std::string wrapped(const std::string& before, const std::string& after) {
    return onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
)" + before + R"(
auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [cos])
getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
)" + after);
}

const char* const kExtent = "reinplace{analysis=extent}";

std::size_t placeOf(const PassRun& run, const std::string& node) { return run.after.find("%" + node + " "); }

}  // namespace

class ReinplaceOrderTest : public QObject {
    Q_OBJECT

private slots:
    // --- L2 --------------------------------------------------------------------------------------------------------------------------------------

    void readerGoesFirst() {  // must_copy behind locality reordering
        RUN_PASSES(run, wrapped("", R"(mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(cos, 2)
                                       return (getitem_1, mul))"),
                   kExtent);
        QCOMPARE(run.code("x"), "RI00");
        QCOMPARE(run.decision("x")->rule, "reinplace 9 L2");
        QVERIFY(placeOf(run, "mul") < placeOf(run, "auto_functionalized_v2"));
    }

    void whatTheReaderNeedsGoesAlong() {
        RUN_PASSES(run, wrapped("", R"(slice_1: "f32[2, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 1, 3)
                                       neg: "f32[2, 4][4, 1]cpu" = torch.ops.aten.neg.default(slice_1)
                                       add: "f32[2, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(neg, slice_1)
                                       return (getitem_1, add))"),
                   kExtent);
        QCOMPARE(run.code("x"), "RI00");
        QVERIFY(placeOf(run, "slice_1") < placeOf(run, "neg"));
        QVERIFY(placeOf(run, "add") < placeOf(run, "auto_functionalized_v2"));
    }

    void readerOfBothValuesIsACycle() {
        const std::string text = wrapped("", R"(add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(cos, getitem_1)
                                                return (getitem_1, add))");
        RUN_PASSES(run, text, kExtent);
        const Decision* d = run.decision("x");
        QVERIFY(d);
        QCOMPARE(d->code, "RI50");
        QCOMPARE(d->need, "needed");
        QCOMPARE(*d->neededBytes, 128);
        QCOMPARE(d->blocker.name.str(), "add");
        QCOMPARE(run.after, run.before);
    }

    void resultThatWouldLiveLongerThanItSavesStays() {
        const std::string text = wrapped("", R"(cat: "f32[40, 4][4, 1]cpu" = torch.ops.aten.cat.default([cos, cos, cos, cos, cos])
                                                return (getitem_1, cat))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.code("x"), "RI30.READ");
        QCOMPARE(run.after, run.before);
    }

    /// Of several results those that somebody takes count.
    void severalResultsThatWouldLiveLongerStay() {
        const auto text = [](const char* taken) {
            return readableGraph(R"(x: "f32[1024][1]cuda:0", i: "i64[1][1]cuda:0", v: "f32[1][1]cuda:0")",
                                 std::string(R"(w: "f32[1024][1]cuda:0" = torch.ops.aten.index_put.default(x, [i], v)
                                                s = torch.ops.aten.sort.default(x)
                                                a: "f32[1024][1]cuda:0" = s[0]
                                                copy_ = torch.ops.aten.copy_.default(x, w)
                                                )") +
                                     taken);
        };
        RUN_PASSES(both, text("b: \"i64[1024][1]cuda:0\" = s[1]\nreturn (a, b)"), "reinplace{analysis=extent}");
        QVERIFY2(both.contains("index_put.default"), both.after.c_str());
        RUN_PASSES(first, text("return (a,)"), "reinplace{analysis=extent}");
        QVERIFY2(first.contains("index_put_.default"), first.after.c_str());
    }

    /// An allocator hands out 512 B at least: 384 B that live longer cost nothing.
    void smallResultMayLiveLonger() {
        RUN_PASSES(run, wrapped("", R"(cat: "f32[24, 4][4, 1]cpu" = torch.ops.aten.cat.default([cos, cos, cos])
                                       return (getitem_1, cat))"),
                   kExtent);
        QCOMPARE(run.code("x"), "RI00");
        QVERIFY(placeOf(run, "cat") < placeOf(run, "auto_functionalized_v2"));
    }

    void randomReaderStays() {
        const std::string text = wrapped("", R"(rand_like: "f32[8, 4][4, 1]cpu" = torch.ops.aten.rand_like.default(cos)
                                                bernoulli: "f32[8, 4][4, 1]cpu" = torch.ops.aten.bernoulli.default(cos)
                                                return (getitem_1, bernoulli))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.code("x"), "RI30.READ");
        QCOMPARE(run.after, run.before);
    }

    void tableOperatorsToo() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu", arg1_1: "i64[2][1]cpu", arg2_1: "f32[2, 4][4, 1]cpu")",
                                               R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                                  index_put: "f32[8, 4][4, 1]cpu" = torch.ops.aten.index_put.default(cos, [arg1_1], arg2_1)
                                                  mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(cos, 2)
                                                  return (index_put, mul))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.count("aten.index_put_.default"), 1);
        QVERIFY(placeOf(run, "mul") < placeOf(run, "index_put"));
    }

    void referenceMovesNothing() {
        const std::string text = wrapped("", R"(mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(cos, 2)
                                                return (getitem_1, mul))");
        RUN_PASSES(run, text, "reinplace{analysis=reference}");
        QCOMPARE(run.code("0"), "RI30.READ");
        QCOMPARE(run.after, run.before);
    }

    // --- L3 --------------------------------------------------------------------------------------------------------------------------------------

    void oldRowIsSavedInsteadOfTheBase() {
        RUN_PASSES(run, wrapped(R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 2))", "return (getitem_1, select)"), kExtent);
        const Decision* d = run.decision("x");
        QVERIFY(d);
        QCOMPARE(d->code, "RI52");
        QCOMPARE(d->verdict, "clone");
        QCOMPARE(*d->clonedBytes, 16);
        QCOMPARE(d->need, "needed");
        QCOMPARE(d->rule, "reinplace 9 L3");
        QVERIFY(run.contains("return (%getitem_1, %clone_default)") || run.contains("(getitem_1, clone_default)"));
    }

    void savedBytesAreWhatIsCopied() {
        RUN_PASSES(run, wrapped(R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 2))", "return (getitem_1, select)"),
                   "reinplace{analysis=extent},decompose-functionalized{mode=extended}");
        QCOMPARE(run.count("aten.clone.default"), 1);
        QVERIFY(run.contains("%clone_default : [num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%select,)"));
    }

    void columnKeepsItsStrides() {
        RUN_PASSES(run,
                   wrapped(R"(select: "f32[8][4]cpu" = torch.ops.aten.select.int(cos, 1, 2)
                                   slice_1: "f32[2][4]cpu" = torch.ops.aten.slice.Tensor(select, 0, 0, 2))",
                           "return (getitem_1, slice_1)"),
                   kExtent);
        QCOMPARE(run.code("x"), "RI52");
        QCOMPARE(*run.decision("x")->clonedBytes, 20);  // elements 2 to 6
        QVERIFY(run.contains("args = (%clone_default, [2], [4], 0)"));
    }

    void severalOldRowsShareOneCopy() {
        RUN_PASSES(run,
                   wrapped(R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 2)
                                   select_1: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 4))",
                           "return (getitem_1, select, select_1)"),
                   kExtent);
        QCOMPARE(run.code("x"), "RI52");
        QCOMPARE(*run.decision("x")->clonedBytes, 48);
        QCOMPARE(run.count("aten.clone.default"), 1);
    }

    void viewTakenBehindTheWrite() {
        RUN_PASSES(run, wrapped("", R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 2)
                                       return (getitem_1, select))"),
                   kExtent);
        QCOMPARE(run.code("x"), "RI52");
        QVERIFY(placeOf(run, "select") < placeOf(run, "clone_default"));
    }

    void cycleIsBrokenByTheRegionThatIsRead() {
        RUN_PASSES(run,
                   wrapped(R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 2))",
                           R"(add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(getitem_1, select)
                                   return (getitem_1, add))"),
                   kExtent);
        QCOMPARE(run.code("x"), "RI52");
        QCOMPARE(*run.decision("x")->clonedBytes, 16);
        QVERIFY(run.contains("args = (%getitem_1, %clone_default)"));
    }

    void theCallReadsItsOwnSavedRow() {  // RI31
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 2)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo_ret.default, y = select, _x_base_index = 0, _all_bases = [cos])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            return (getitem_1,))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.code("x"), "RI52");
        QVERIFY(run.contains("y: %clone_default") || run.contains("y = %clone_default"));
    }

    void wholeOldValueCostsTheSame() {
        const std::string text = wrapped("", "return (getitem_1, cos)");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.code("x"), "RI51");
        QCOMPARE(run.after, run.before);
    }

    // --- L7 --------------------------------------------------------------------------------------------------------------------------------------

    void chainOnAnInputIsWrittenInPlace() {  // chain_scatter
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu", arg1_1: "f32[2, 4][4, 1]cpu")",
                                               R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(arg1_1, 0, 0)
                                                  select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, select, 0, 0)
                                                  select_1: "f32[4][1]cpu" = torch.ops.aten.select.int(arg1_1, 0, 1)
                                                  select_scatter_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(select_scatter, select_1, 0, 1)
                                                  sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(select_scatter_1)
                                                  copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, select_scatter_1)
                                                  return (sum_1,))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.count("aten.select_scatter.default"), 0);
        QCOMPARE(run.count("aten.copy_.default"), 2);  // a row each
        QVERIFY(!run.contains("args = (%arg0_1, %arg0_1)"));
        RUN_PASSES(reference, text, "reinplace{analysis=reference}");
        QCOMPARE(reference.after, reference.before);
    }

    void chainThroughAWrappedCallIsWrittenInPlace() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu", arg1_1: "f32[4][1]cpu")",
                                               R"(select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, arg1_1, 0, 0)
               auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [select_scatter])
               getitem: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
               select_scatter_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(getitem, arg1_1, 0, 1)
               copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, select_scatter_1)
               return ())");
        RUN_PASSES(run, text, "reinplace{analysis=extent},decompose-functionalized{mode=extended}");
        QCOMPARE(run.count("aten.select_scatter.default"), 0);
        QCOMPARE(run.count("aten.copy_.default"), 2);  // a row each, and no write-back
        QCOMPARE(run.count("aten.clone.default"), 0);
        QVERIFY(run.contains("args = (%arg0_1,)"));
    }

    void scatterInFrontOfACallWritesOnlyItsRow() {
        // The call needs the scatter's result in memory: the row moves 16 B, the functional form makes all 128 B anew.
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu", arg1_1: "f32[4][1]cpu")",
                                               R"(select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, arg1_1, 0, 0)
               auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [select_scatter])
               getitem: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
               add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(getitem, 1)
               copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, add)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.code("self"), "RI00");
        QCOMPARE(run.count("aten.select_scatter.default"), 0);
    }

    void scatterThatCoversItsInputReadsNothingOfIt() {
        // The call writes a column of the input, then the whole input gets a new value: nothing is left to copy but that.
        const std::string text = readableGraph(
            R"(arg0_1: "f32[8, 4][4, 1]cpu")",
            R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _x_size = (8,), _x_stride = (4,), _x_storage_offset = 0, _all_bases = [arg0_1])
               getitem: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
               mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(getitem, getitem)
               slice_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(arg0_1, mul, 0, 0, 9223372036854775807)
               copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, slice_scatter)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.code("x"), "RI00");
        QCOMPARE(run.code("self"), "RI00");
    }

    void scatterThatCoversLessReadsTheRest() {
        const std::string text = readableGraph(
            R"(arg0_1: "f32[8, 4][4, 1]cpu")",
            R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _x_size = (8,), _x_stride = (4,), _x_storage_offset = 0, _all_bases = [arg0_1])
               getitem: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
               slice_1: "f32[7, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(getitem, 0, 0, 7)
               mul: "f32[7, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(slice_1, slice_1)
               slice_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(arg0_1, mul, 0, 0, 7)
               copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, slice_scatter)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.code("x"), "RI50");
    }

    void resultOfOtherStridesIsStillTheInput() {
        // Functionally the result would be dense; in place it is the input, gaps and all, and the write-back has nothing left to do.
        const std::string text =
            readableGraph(R"(arg0_1: "f32[5, 2][4, 1]cpu", arg1_1: "f32[5, 2][2, 1]cpu", arg2_1: "i64[1][1]cpu", arg3_1: "f32[1, 2][2, 1]cpu")",
                          R"(slice_scatter: "f32[5, 2][4, 1]cpu" = torch.ops.aten.slice_scatter.default(arg0_1, arg1_1, 0, 0, 9223372036854775807)
               index_put: "f32[5, 2][2, 1]cpu" = torch.ops.aten.index_put.default(slice_scatter, [arg2_1], arg3_1)
               copy_: "f32[5, 2][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, index_put)
               return ())");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.count("aten.index_put_.default"), 1);
        QCOMPARE(run.count("aten.copy_.default"), 1);
    }

    void chainOnAnIntermediateStaysFunctional() {  // two_setitems_local
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu", arg1_1: "f32[4][1]cpu")",
                                               R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                                  select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(cos, arg1_1, 0, 0)
                                                  select_scatter_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(select_scatter, arg1_1, 0, 1)
                                                  sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(select_scatter_1)
                                                  return (sum_1,))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.after, run.before);
    }

    void chainWithAnOldReaderInBetween() {
        // The middle value is returned: the first link may write the input, the second must not.
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu", arg1_1: "f32[4][1]cpu")",
                                               R"(select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, arg1_1, 0, 0)
                                                  select_scatter_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(select_scatter, arg1_1, 0, 1)
                                                  copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, select_scatter_1)
                                                  return (select_scatter,))");
        RUN_PASSES(run, text, kExtent);
        QVERIFY(run.contains("args = (%arg0_1, %select_scatter_1)"));
    }

    // --- L10 -------------------------------------------------------------------------------------------------------------------------------------

    void elementwiseUpdateWritesTheInput() {  // copy_back_to_input
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu", arg1_1: "f32[4][1]cpu")",
                                               R"(mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(arg0_1, arg1_1)
                                                  sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(mul)
                                                  copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, mul)
                                                  return (copy_, sum_1))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.count("aten.mul_.Tensor"), 1);
        QCOMPARE(run.count("aten.copy_.default"), 0);
        QCOMPARE(run.decision("self")->rule, "reinplace 9 L10");
        RUN_PASSES(reference, text, "reinplace{analysis=reference}");
        QCOMPARE(reference.after, reference.before);
    }

    void updateStaysWhereTheOldInputIsNeeded() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu", arg1_1: "f32[4][1]cpu")",
                                               R"(mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(arg0_1, arg1_1)
                                                  add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(arg0_1, mul)
                                                  copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, mul)
                                                  return (add,))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.after, run.before);
    }

    void updateThatIsReturnedBesidesStays() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")",
                                               R"(add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(arg0_1, 1)
                                                  slice_1: "f32[2, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(add, 0, 0, 2)
                                                  copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, add)
                                                  return (slice_1,))");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.after, run.before);
    }

    void updateFromItsOwnTransposeStays() {
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 4][4, 1]cpu")",
                                               R"(permute: "f32[4, 4][1, 4]cpu" = torch.ops.aten.permute.default(arg0_1, [1, 0])
                                                  add: "f32[4, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(arg0_1, permute)
                                                  copy_: "f32[4, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, add)
                                                  return ())");
        RUN_PASSES(run, text, kExtent);
        QCOMPARE(run.after, run.before);
    }
};

QTEST_APPLESS_MAIN(ReinplaceOrderTest)
#include "tst_reinplace_order.moc"
