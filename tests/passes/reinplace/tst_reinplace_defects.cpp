// Defects of PyTorch 2.11 (reinplace.md 10): `reference` reproduces each and says so once, `extent` gives the right answer. And what extent analysis
// gains: regions instead of whole bases.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

std::string onInput(const std::string& body) { return readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")", body); }

/// The one warning that a run says about `code`, with the defect's id in its note.
bool warnsOf(const PassRun& run, const std::string& code, const std::string& defect) {
    const Diagnostic* d = run.diagnostic(code);
    return d && d->severity == Severity::Warning && d->note.find(defect) != std::string::npos && !d->node.empty();
}

const char* const kReference = "reinplace{analysis=reference}";
const char* const kExtent = "reinplace{analysis=extent}";

}  // namespace

class ReinplaceDefectsTest : public QObject {
    Q_OBJECT

private slots:
    void r1_laterReadOfAnInnerBlock() {
        // y[1:3, 1:3] of an 8 x 4 matrix is called disjoint from the matrix.
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            slice_1: "f32[2, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 1, 3)
                                            slice_2: "f32[2, 2][4, 1]cpu" = torch.ops.aten.slice.Tensor(slice_1, 1, 1, 3)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [cos])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            mul: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(slice_2, 2)
                                            return (getitem_1, mul))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("0"), "RI00");
        QVERIFY(warnsOf(reference, "RI30.READ", "R1"));
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI00");
        QCOMPARE(extent.decision("x")->rule, "reinplace 9 L2");  // only because mul now runs first
        QVERIFY(extent.after.find("%mul ") < extent.after.find("%auto_functionalized_v2 "));
        QVERIFY(!extent.diagnostic("RI30.READ"));
    }

    void r1_blockOfAnInput() {
        const std::string text = onInput(R"(slice_1: "f32[2, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(arg0_1, 0, 1, 3)
                                            slice_2: "f32[2, 2][4, 1]cpu" = torch.ops.aten.slice.Tensor(slice_1, 1, 1, 3)
                                            auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = slice_2)
                                            getitem_1: "f32[2, 2][4, 1]cpu" = auto_functionalized[1]
                                            return (getitem_1,))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("x"), "RI00");
        QVERIFY(warnsOf(reference, "RI21", "R1"));
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI21");
    }

    void r2_sameNodeRead() {
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo_ret.default, y = cos, _x_base_index = 0, _all_bases = [cos])
                                            getitem: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[0]
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            return (getitem, getitem_1))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("0"), "RI00");
        QVERIFY(warnsOf(reference, "RI31", "R2"));
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI31");
        QCOMPARE(extent.decision("x")->verdict, "clone");
    }

    void r2_disjointReadIsFine() {
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            slice_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 4, 8)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo_ret.default, y = slice_1, _x_base_index = 0, _x_slice_dim = 0, _x_slice_start = 0, _x_slice_end = 4, _all_bases = [cos])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            return (getitem_1,))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("0"), "RI00");
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI00");
    }

    void r3_foreachResultsSwapped() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8][1]cpu", arg1_1: "f32[8][1]cpu")",
                                               R"(_foreach_add = torch.ops.aten._foreach_add.Scalar([arg0_1, arg1_1], 1.0)
                                                  getitem: "f32[8][1]cpu" = _foreach_add[0]
                                                  getitem_1: "f32[8][1]cpu" = _foreach_add[1]
                                                  copy_: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem_1)
                                                  copy__1: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg1_1, getitem)
                                                  return ())");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("self"), "RI00");
        QCOMPARE(reference.count("aten.copy_.default"), 0);
        QVERIFY(warnsOf(reference, "RI22", "R3"));
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("self"), "RI22");
        QCOMPARE(extent.decision("self")->verdict, "clone");
        QCOMPARE(extent.after, extent.before);
    }

    void r4_v1WriteBackOfAnotherArgument() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8][1]cpu", arg1_1: "f32[8][1]cpu")",
                                               R"(auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.two.default, x = arg0_1, y = arg1_1)
                                                  getitem_2: "f32[8][1]cpu" = auto_functionalized[2]
                                                  copy_: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem_2)
                                                  copy__1: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg1_1, getitem_2)
                                                  return ())");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.count("aten.copy_.default"), 0);
        QVERIFY(warnsOf(reference, "RI22", "R4"));
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI00");
        QCOMPARE(extent.code("y"), "RI00");
        QCOMPARE(extent.count("aten.copy_.default"), 1);
        QVERIFY(extent.contains("args = (%arg0_1, %getitem_2)"));
        const Decision* d = extent.decision("arg0_1");
        QVERIFY(d);
        QCOMPARE(d->code, "RI22");
        QCOMPARE(d->node.name.str(), "copy_");
    }

    void r4_oneInputForTwoArguments() {
        // The input ends as what y is; x is written where the input stands.
        const std::string text = readableGraph(R"(arg0_1: "f32[8][1]cpu")",
                                               R"(auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.two.default, x = arg0_1, y = arg0_1)
                                                  getitem_1: "f32[8][1]cpu" = auto_functionalized[1]
                                                  getitem_2: "f32[8][1]cpu" = auto_functionalized[2]
                                                  cos: "f32[8][1]cpu" = torch.ops.aten.cos.default(getitem_1)
                                                  copy_: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem_2)
                                                  return (cos,))");
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI00");
        QCOMPARE(extent.code("y"), "RI13");
        QVERIFY(extent.contains("args = (%arg0_1, %getitem_2)"));
    }

    void r5_overlappingCopies() {
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            slice_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 0, 4)
                                            slice_2: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 2, 6)
                                            auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.two.default, x = slice_1, y = slice_2)
                                            getitem_1: "f32[4, 4][4, 1]cpu" = auto_functionalized[1]
                                            getitem_2: "f32[4, 4][4, 1]cpu" = auto_functionalized[2]
                                            slice_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(cos, getitem_1, 0, 0, 4)
                                            slice_scatter_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(slice_scatter, getitem_2, 0, 2, 6)
                                            return (slice_scatter_1,))");
        RUN_PASSES(reference, text, kReference);
        QVERIFY(warnsOf(reference, "OVERLAPPING_WRITES", "R5"));
        const auto& params = reference.diagnostic("OVERLAPPING_WRITES")->params;
        QVERIFY(std::find(params.begin(), params.end(), std::pair<std::string, std::string>("overlap", "32")) != params.end());
    }

    void resultsReadAfterTheirMemoryIsWrittenBack() {
        // The second call's result is returned, but lives in the input, which the write-back of another value overwrites.
        const std::string text = onInput(R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [arg0_1])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            auto_functionalized_v2_1 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [getitem_1])
                                            getitem_3: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2_1[1]
                                            mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(getitem_3, 2)
                                            copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, mul)
                                            return (getitem_3,))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.decisions.at(0).code, "RI00");
        QCOMPARE(reference.decisions.at(1).code, "RI00");
        QVERIFY(warnsOf(reference, "RI51", "result behind a write-back"));
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.decisions.at(0).code, "RI00");
        QCOMPARE(extent.decisions.at(1).code, "RI51");
        QCOMPARE(extent.decisions.at(1).view.name.str(), "getitem_3");
    }

    void resultsThatAreTheWriteBackMayBeReadAfterIt() {
        const std::string text = onInput(R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [arg0_1])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem_1)
                                            sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(getitem_1)
                                            return (sum_1,))");
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI00");
    }

    void targetThatOverlapsItself() {
        const std::string text = readableGraph(R"(arg0_1: "f32[1, 4][4, 1]cpu")",
                                               R"(cos: "f32[1, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                                  expand: "f32[3, 4][0, 1]cpu" = torch.ops.aten.expand.default(cos, [3, 4])
                                                  index: "i64[2][1]cpu" = torch.ops.aten.full.default([2], 1, dtype = torch.int64)
                                                  full: "f32[2, 4][4, 1]cpu" = torch.ops.aten.full.default([2, 4], 1.0)
                                                  index_put: "f32[3, 4][4, 1]cpu" = torch.ops.aten.index_put.default(expand, [index], full, True)
                                                  return (index_put,))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("self"), "RI00");
        QVERIFY(reference.diagnostic("OVERLAPPING_WRITE"));
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.decision("self")->verdict, "clone");
        QCOMPARE(extent.count("aten.index_put_.default"), 0);
    }

    void indexPutOfItsOwnRows() {
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            index: "i64[2][1]cpu" = torch.ops.aten.full.default([2], 3, dtype = torch.int64)
                                            slice_1: "f32[2, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 2, 4)
                                            index_put: "f32[8, 4][4, 1]cpu" = torch.ops.aten.index_put.default(cos, [index], slice_1)
                                            return (index_put,))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("self"), "RI00");
        QVERIFY(warnsOf(reference, "RI31", "R2"));
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("self"), "RI31");
    }

    void readThatTheProgramSharesMayStay() {
        // The program lets the operand share the memory that index_put_ writes; writing it there again reads what the program reads.
        const std::string parameters = R"(arg0_1: "f32[2, 3, 3][1, 2, 6]cpu", arg1_1: "i64[1][1]cpu")";
        RUN_PASSES(extent,
                   readableGraph(parameters,
                                 R"(select: "f32[3, 3][2, 6]cpu" = torch.ops.aten.select.int(arg0_1, 0, 0)
                                    index_put_: "f32[2, 3, 3][1, 2, 6]cpu" = torch.ops.aten.index_put_.default(arg0_1, [arg1_1], select, True)
                                    return ())"),
                   std::string("functionalize{custom-ops=auto},") + kExtent);
        QCOMPARE(extent.code("self"), "RI00");
        QCOMPARE(extent.count("aten.index_put_.default"), 1);
        QCOMPARE(extent.count("aten.copy_.default"), 0);
        // PyTorch refuses the same of dense tensors, whose overlap it sees: such a program never ran, and its functional form has to.
        RUN_PASSES(refused,
                   onInput(R"(index: "i64[1][1]cpu" = torch.ops.aten.full.default([1], 3, dtype = torch.int64)
                              select: "f32[4][1]cpu" = torch.ops.aten.select.int(arg0_1, 0, 0)
                              index_put_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.index_put_.default(arg0_1, [index], select, True)
                              return ())"),
                   std::string("functionalize{custom-ops=auto},") + kExtent);
        QCOMPARE(refused.code("self"), "RI31");
        // A copy of the operand that a reference clean-up has removed was no shared memory in the program.
        RUN_PASSES(copied,
                   readableGraph(parameters,
                                 R"(clone: "f32[2, 3, 3][1, 2, 6]cpu" = torch.ops.aten.clone.default(arg0_1)
                                    select: "f32[3, 3][2, 6]cpu" = torch.ops.aten.select.int(clone, 0, 0)
                                    index_put_: "f32[2, 3, 3][1, 2, 6]cpu" = torch.ops.aten.index_put_.default(arg0_1, [arg1_1], select, True)
                                    return ())"),
                   std::string("functionalize{custom-ops=auto},remove-noops{mode=reference},") + kExtent);
        QCOMPARE(copied.count("aten.clone.default"), 0);
        QCOMPARE(copied.code("self"), "RI31");
    }

    void copyOfAViewOntoItselfMovesNothing() {
        // Not even where sizes are symbolic: source and target are the same view, step by step.
        const std::string text = readableGraph(R"x(s0: "Sym(s0)", arg0_1: "f32[s0][1]cpu")x",
                                               R"(select: "f32[][]cpu" = torch.ops.aten.select.int(arg0_1, 0, 0)
                                                  select_scatter: "f32[s0][1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, select, 0, 0)
                                                  copy_: "f32[s0][1]cpu" = torch.ops.aten.copy_.default(arg0_1, select_scatter)
                                                  return ())");
        RUN_PASSES(own, text, kExtent);
        QCOMPARE(own.code("self"), "RI00");
        std::string last = text;
        last.replace(last.find("select.int(arg0_1, 0, 0)"), 24, "select.int(arg0_1, 0, -1)");
        RUN_PASSES(unknown, last, kExtent);
        QCOMPARE(unknown.code("self"), "RI31");
    }

    void regionsInsteadOfWholeBases() {  // L1, read_old_disjoint
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _x_slice_dim = 0, _x_slice_start = 0, _x_slice_end = 4, _all_bases = [cos])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            slice_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 4, 8)
                                            mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(slice_1, 2)
                                            return (getitem_1, mul))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("0"), "RI30.VIEW");
        QCOMPARE(reference.decision("0")->reportedBytes.value_or(-1), 128);
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI00");
    }

    void laterWriterIsJudgedWithTheOldValue() {
        // The first call is in place although rows 4 to 8 of the old value are read later; the second one would overwrite just these rows, whose reader
        // therefore goes in front of it.
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _x_slice_dim = 0, _x_slice_start = 0, _x_slice_end = 4, _all_bases = [cos])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            auto_functionalized_v2_1 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _x_slice_dim = 0, _x_slice_start = 4, _x_slice_end = 8, _all_bases = [getitem_1])
                                            getitem_3: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2_1[1]
                                            slice_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 4, 8)
                                            mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(slice_1, 2)
                                            return (getitem_3, mul))");
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.decisions.size(), 2u);
        QCOMPARE(extent.decisions[0].code, "RI00");
        QCOMPARE(extent.decisions[0].rule, "reinplace 4.5");
        QCOMPARE(extent.decisions[1].code, "RI00");
        QCOMPARE(extent.decisions[1].rule, "reinplace 9 L2");
        const auto place = [&](const std::string& node) { return extent.after.find("%" + node + " "); };
        QVERIFY(place("auto_functionalized_v2") < place("mul") && place("mul") < place("auto_functionalized_v2_1"));
    }

    void oldValueThatEscapesIsNeeded() {
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _x_slice_dim = 0, _x_slice_start = 0, _x_slice_end = 2, _all_bases = [cos])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            return (getitem_1, cos))");
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI51");
        QCOMPARE(extent.decision("x")->need, "needed");
        QCOMPARE(extent.decision("x")->neededBytes.value_or(-1), 32);
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.code("0"), "RI30.OUTPUT");
        QCOMPARE(reference.decision("0")->need, "unknown");
    }

    void extentNamesArguments() {
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.two.default, _x_base_index = 0, _x_slice_dim = 0, _x_slice_start = 0, _x_slice_end = 4, _y_base_index = 0, _y_slice_dim = 0, _y_slice_start = 4, _y_slice_end = 8, _all_bases = [cos])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            return (getitem_1,))");
        RUN_PASSES(extent, text, kExtent);
        QCOMPARE(extent.code("x"), "RI00");
        QCOMPARE(extent.code("y"), "RI00");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.decisions.size(), 1u);
    }

    void oneWarningPerDefect() {
        std::string body = R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              index: "i64[2][1]cpu" = torch.ops.aten.full.default([2], 3, dtype = torch.int64))";
        std::string last = "cos";
        for (int i = 0; i < 3; ++i) {
            const std::string n = std::to_string(i + 10);
            body += "\nslice_" + n + R"(: "f32[2, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor()" + last + ", 0, 2, 4)";
            body += "\nindex_put_" + n + R"(: "f32[8, 4][4, 1]cpu" = torch.ops.aten.index_put.default()" + last + ", [index], slice_" + n + ")";
            last = "index_put_" + n;
        }
        RUN_PASSES(run, onInput(body + "\nreturn (" + last + ",)"), kReference);
        QCOMPARE(std::count_if(run.diagnostics.begin(), run.diagnostics.end(), [](const Diagnostic& d) { return d.code == "RI31"; }), 1);
    }
};

QTEST_APPLESS_MAIN(ReinplaceDefectsTest)
#include "tst_reinplace_defects.moc"
