// The auto-chunker (chunker.md): what it cuts, what it refuses and why, and that a cut graph computes what the whole one does.

#include <QTest>

#include "core/exec/tolerance.h"
#include "core/passes/chunk_proposal.h"
#include "core/passes/chunk_rules.h"
#include "tests/passes/auto-chunk/evaluate.h"
#include "tests/passes/auto-chunk/head_program.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

constexpr const char* kSmall = "auto-chunk{num-chunks=4,min-bytes=0,min-ratio=1}";
constexpr const char* kSmallExtended = "auto-chunk{mode=extended,num-chunks=4,min-bytes=0}";

std::string with(const std::string& options) { return "auto-chunk{" + options + ",min-bytes=0,min-ratio=1}"; }

std::string bodyText(const PassRun& run, std::size_t i) { return printGraphText(*run.graph.subGraphs()[i].graph); }

int calls(const PassRun& run) { return run.count("higher_order.invoke_subgraph"); }

}  // namespace

class AutoChunkTest : public QObject {
    Q_OBJECT

private slots:
    void cutsTheHeadIntoCallsOfOneBody() {
        RUN_PASSES(run, headProgram(12), "auto-chunk{num-chunks=3,min-bytes=0,min-ratio=1}");
        const std::string wanted = R"(
    %tangent_overriden_as_one__idx_ : [num_users=3] = call_function[target=torch.ops.aten.full.default](args = ((), 1), kwargs = {device: cpu, dtype: torch.float32})
    %chunk_default : [num_users=3] = call_function[target=torch.ops.aten.chunk.default](args = (%primals_2, 3, 0), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%chunk_default, 0), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%chunk_default, 1), kwargs = {})
    %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = (%chunk_default, 2), kwargs = {})
)";
        QVERIFY2(run.contains(wanted.substr(1)), run.after.c_str());
        QVERIFY(run.contains(
            "%full_default : [num_users=1] = call_function[target=torch.ops.aten.full.default](args = ((40, 3), 0), kwargs = {device: cpu, "
            "dtype: torch.float32})"));
        QVERIFY(run.contains("%chunking_subgraph_1 : [num_users=1] = get_attr[target=chunking_subgraph_0]"));
        QVERIFY(run.contains(
            "%invoke_subgraph_1 : [num_users=3] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%chunking_subgraph_1, "
            "chunking_subgraph_0, %getitem_1, %permute, %getitem_4, %convert, %getitem_7, %getitem_10, %tangent_overriden_as_one__idx_, "
            "%getitem_13), kwargs = {})"));
        QVERIFY(run.contains(
            "%mul_tensor : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%getitem_19, %tangents_1), kwargs = {})"));
        QVERIFY(run.contains("return [div, mul_tensor, mul_tensor_1]"));
        QCOMPARE(run.graph.subGraphs().size(), 1u);
        const std::string body = bodyText(run, 0);
        const auto inBody = [&](const std::string& text) { return body.find(text) != std::string::npos; };
        QVERIFY2(inBody("%mm : [num_users=2] = call_function[target=torch.ops.aten.mm.default](args = (%primals_2, %permute), kwargs = {})"),
                 body.c_str());
        QVERIFY(inBody("%full_2 : [num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([4, 40], 0)"));
        QVERIFY(
            inBody("%div_1 : [num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%tangent_overriden_as_one__idx_, %convert), "
                   "kwargs = {})"));
        QVERIFY(inBody("%add_tensor : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mm_1, %full_default), kwargs = {})"));
        QVERIFY(inBody("return (gather, add_tensor, mm_2)"));
        QCOMPARE(calls(run), 3);
    }

    void remainderGetsABodyOfItsOwn() {
        RUN_PASSES(run, headProgram(11), "auto-chunk{num-chunks=3,min-bytes=0,min-ratio=1}");
        QCOMPARE(run.graph.subGraphs().size(), 2u);
        QVERIFY(bodyText(run, 0).find("args = ([4, 40], 0)") != std::string::npos);
        QVERIFY(bodyText(run, 1).find("args = ([3, 40], 0)") != std::string::npos);
        QVERIFY(run.contains("(%chunking_subgraph_2, chunking_subgraph_1, "));
    }

    void neverMoreCallsThanPieces() {
        RUN_PASSES(run, headProgram(9), kSmallExtended);
        QCOMPARE(calls(run), 3);
        RUN_PASSES(reference, headProgram(9), kSmall);
        QCOMPARE(reference.after, reference.before);
        QVERIFY(reference.diagnostic("TOO_FEW_ROWS"));
    }

    void sameValues_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("pass");
        const auto row = [](const char* name, const std::string& program, const std::string& pass) {
            QTest::newRow(name) << QString::fromStdString(program) << QString::fromStdString(pass);
        };
        row("reference", headProgram(12), kSmall);
        row("reference, remainder", headProgram(13), with("num-chunks=3"));
        row("reference, bias", biasedProgram(), kSmall);
        row("extended", headProgram(12), kSmallExtended);
        row("extended, remainder", headProgram(13), with("mode=extended,num-chunks=5"));
        row("extended, bias", biasedProgram(), kSmallExtended);
        row("soft-capping", cappedProgram(), kSmallExtended);
        row("shifted logits", shiftedProgram(), kSmallExtended);
        row("shifted logits, two sequences in the first chunk", shiftedProgram(), with("mode=extended,num-chunks=3"));
        row("several tangents", twoLossesProgram(), kSmallExtended);
        // The gradient of a sum over softmax is nothing but rounding: here the sum is weighted.
        std::string weighted = softmaxProgram("12", "3", "40");
        weighted.replace(weighted.find("mul.Tensor(expand, div)"), 23, "mul.Tensor(expand, sub)");
        row("softmax", weighted, kSmall);
        row("softmax, extended", weighted, kSmallExtended);
        row("gradient accumulation",
            headProgram(12, {{"div_1: ", "div_2: \"f32[][]cpu\" = torch.ops.aten.div.Tensor(tangents_1, 4)\n        div_1: "},
                             {"div.Tensor(tangents_1, convert)", "div.Tensor(div_2, convert)"}}),
            kSmall);
        row("one mask for inside and outside", headProgram(12, {{"where.self(ne_2, div_1", "where.self(ne_1, div_1"}}), kSmallExtended);
        row("views between product and loss",
            headProgram(12, {{"amax: ",
                              "view: \"f32[3, 4, 40][160, 40, 1]cpu\" = torch.ops.aten.view.default(mm, [3, 4, 40])\n"
                              "        view_1: \"f32[12, 40][40, 1]cpu\" = torch.ops.aten.view.default(view, [-1, 40])\n        amax: "},
                             {"sub.Tensor(mm, amax)", "sub.Tensor(view_1, amax)"}}),
            kSmallExtended);
    }
    void sameValues() {
        QFETCH(QString, program);
        QFETCH(QString, pass);
        RUN_PASSES(whole, program.toStdString(), "dce");
        RUN_PASSES(run, program.toStdString(), pass.toStdString());
        for (const Diagnostic& d : run.diagnostics) qInfo("%s", d.format().c_str());
        QVERIFY2(calls(run) >= 2, run.after.c_str());
        const Evaluated a = evaluate(whole.graph), b = evaluate(run.graph);
        QVERIFY2(a.error.empty() && b.error.empty(), (a.error + b.error).c_str());
        QCOMPARE(b.outputs.size(), a.outputs.size());
        QVERIFY2(errorOf(a, b) < exec::graphBound(DType::F32).relativeL2, std::to_string(errorOf(a, b)).c_str());
        QVERIFY2(std::abs(a.outputs[0][0]) > 0.1, "the loss says nothing");
    }

    /// 16-bit gradients: added up in their own type each chunk rounds; with f32 accumulators the sum is rounded once.
    void accumulators() {
        const std::string program =
            headProgram(64, {{"primals_2: \"f32[@R, 3]", "primals_2: \"bf16[@R, 3]"},
                             {"primals_1: \"f32[40, 3]", "primals_1: \"bf16[40, 3]"},
                             {"permute: \"f32", "permute: \"bf16"},
                             {"mm: \"f32[@R, 40][40, 1]cpu\" = torch.ops.aten.mm.default(primals_2, permute)",
                              "mm_0: \"bf16[@R, 40][40, 1]cpu\" = torch.ops.aten.mm.default(primals_2, permute)\n"
                              "        mm: \"f32[@R, 40][40, 1]cpu\" = torch.ops.prims.convert_element_type.default(mm_0, torch.float32)"},
                             {"permute_1: \"f32[40, @R][1, 40]cpu\" = torch.ops.aten.permute.default(sub_2, ",
                              "convert_1: \"bf16[@R, 40][40, 1]cpu\" = torch.ops.prims.convert_element_type.default(sub_2, torch.bfloat16)\n"
                              "        permute_1: \"bf16[40, @R][1, 40]cpu\" = torch.ops.aten.permute.default(convert_1, "},
                             {"mm_1: \"f32", "mm_1: \"bf16"},
                             {"permute_2: \"f32", "permute_2: \"bf16"},
                             {"mm_2: \"f32[@R, 3][3, 1]cpu\" = torch.ops.aten.mm.default(sub_2, ",
                              "mm_2: \"bf16[@R, 3][3, 1]cpu\" = torch.ops.aten.mm.default(convert_1, "}});
        RUN_PASSES(whole, program, "dce");
        RUN_PASSES(native, program, with("num-chunks=32"));
        RUN_PASSES(wide, program, with("num-chunks=32,accum=f32"));
        QVERIFY(native.contains("args = ((40, 3), 0), kwargs = {device: cpu, dtype: torch.bfloat16}"));
        QVERIFY(wide.contains("args = ((40, 3), 0), kwargs = {device: cpu, dtype: torch.float32}"));
        QVERIFY(bodyText(wide, 0).find("mm.dtype](args = (%permute_1, %primals_2, torch.float32)") != std::string::npos);
        const Evaluated a = evaluate(whole.graph), n = evaluate(native.graph), w = evaluate(wide.graph);
        QVERIFY2(n.error.empty() && w.error.empty(), (n.error + w.error).c_str());
        const double inNative = errorOf(a, n), inWide = errorOf(a, w);
        QVERIFY2(inWide < exec::graphBound(DType::BF16).relativeL2 && inNative < 0.05 && 2 * inWide < inNative,
                 (std::to_string(inWide) + " " + std::to_string(inNative)).c_str());
    }

    void refusals_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("pass");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("node");
        using Lines = std::vector<std::pair<std::string, std::string>>;
        const auto row = [](const char* name, const std::string& program, const std::string& pass, const char* code, const char* node) {
            QTest::newRow(name) << QString::fromStdString(program) << QString::fromStdString(pass) << code << node;
        };
        const auto head = [](const Lines& lines) { return headProgram(12, lines); };
        row("nothing is large", head({}), "auto-chunk", "NO_AMPLIFIER", "mm");
        row("inference", head({{", tangents_1: \"f32[][]cpu\"", ""}, {"div.Tensor(tangents_1, convert)", "div.Tensor(convert, convert)"}}), kSmall,
            "NO_TANGENT", "");
        row("a chunk", head({{"primals_2", "tangent_overriden_as_one_"}}), kSmall, "NESTED", "");
        row("symbolic rows",
            readableGraph(R"(primals_1: "f32[s0, 3]", primals_2: "f32[3, 40]", tangents_1: "f32[]")",
                          R"(mm: "f32[s0, 40]" = torch.ops.aten.mm.default(primals_1, primals_2)
                                              return [mm])"),
            with("num-chunks=4"), "DYNAMIC_SHAPE", "mm");
        row("logits are returned", head({{"return [div, ", "return [div, mm, "}}), kSmall, "NOT_A_CALL", "output");
        row("view, reference", shiftedProgram(), kSmall, "NO_RULE", "view");
        row("no gradient meets the logits",
            readableGraph(R"(primals_1: "f32[12, 3]", primals_2: "f32[3, 40]", tangents_1: "f32[]")",
                          R"(mm: "f32[12, 40]" = torch.ops.aten.mm.default(primals_1, primals_2)
                                                             sum_1: "f32[]" = torch.ops.aten.sum.default(mm)
                                                             expand: "f32[12, 40]" = torch.ops.aten.expand.default(tangents_1, [12, 40])
                                                             permute: "f32[40, 3]" = torch.ops.aten.permute.default(primals_2, [1, 0])
                                                             mm_1: "f32[12, 3]" = torch.ops.aten.mm.default(expand, permute)
                                                             return [sum_1, mm_1])"),
            kSmall, "NO_BACKWARD_REACH", "mm");
        row("reduction over the rows",
            head({{"amax.default(mm, [1], True)", "amax.default(mm, [0], True)"}, {"amax: \"f32[@R, 1][1, 1]", "amax: \"f32[1, 40][40, 1]"}}),
            kSmallExtended, "ACTS_ON_CHUNK_AXIS", "amax");
        row("reduction over the rows, reference",
            head({{"amax.default(mm, [1], True)", "amax.default(mm, [0], True)"}, {"amax: \"f32[@R, 1][1, 1]", "amax: \"f32[1, 40][40, 1]"}}), kSmall,
            "RULE", "amax");
        row("square of the tangent",
            head({{"where_3: ", "mul_2: \"f32[][]cpu\" = torch.ops.aten.mul.Tensor(div_1, div_1)\n        where_3: "},
                  {"(ne_2, div_1, full_3)", "(ne_2, mul_2, full_3)"}}),
            kSmall, "SCALE_TWICE", "mul_2");
        row("exponential of the tangent",
            head({{"where_3: ", "exp_2: \"f32[][]cpu\" = torch.ops.aten.exp.default(div_1)\n        where_3: "},
                  {"(ne_2, div_1, full_3)", "(ne_2, exp_2, full_3)"}}),
            kSmall, "NO_SCALE_RULE", "exp_2");
        row("the other choice is 1",
            head(
                {{"full_3: \"f32[][]cpu\" = torch.ops.aten.full.default([], 0.0,", "full_3: \"f32[][]cpu\" = torch.ops.aten.full.default([], 1.0,"}}),
            kSmall, "SCALE_RULE", "where_3");
        row("tangent of three elements",
            head({{"tangents_1: \"f32[][]cpu\"", "tangents_1: \"f32[3][1]cpu\""},
                  {"div_1: \"f32[][]cpu\" = torch.ops.aten.div.Tensor(tangents_1, convert)",
                   "sum_9: \"f32[][]cpu\" = torch.ops.aten.sum.default(tangents_1)\n        div_1: \"f32[][]cpu\" = torch.ops.aten.div.Tensor(sum_9, "
                   "convert)"}}),
            kSmallExtended, "TANGENT_NOT_SCALAR", "tangents_1");
        row("no scalar among tangents",
            head({{"tangents_1: \"f32[][]cpu\"", "tangents_1: \"f32[3][1]cpu\", tangents_2: \"f32[2][1]cpu\""},
                  {"div_1: \"f32[][]cpu\" = torch.ops.aten.div.Tensor(tangents_1, convert)",
                   "sum_9: \"f32[][]cpu\" = torch.ops.aten.sum.default(tangents_1)\n        div_1: \"f32[][]cpu\" = torch.ops.aten.div.Tensor(sum_9, "
                   "convert)"}}),
            kSmallExtended, "TANGENT_COUNT", "tangents_1");
        row("the weight would be cut too",
            head({{"mm.default(sub_2, permute_2)", "mm.default(sub_2, permute_4)"},
                  {"mm_2: ", "permute_4: \"f32[40, 3][3, 1]cpu\" = torch.ops.aten.mul.Tensor(permute_2, permute_2)\n        mm_2: "},
                  {"mm_1: \"f32[40, 3][3, 1]cpu\" = torch.ops.aten.mm.default(permute_1, primals_2)",
                   "mm_1: \"f32[@R, @R][@R, 1]cpu\" = torch.ops.aten.mm.default(sub_2, permute_1)"}}),
            kSmallExtended, "MM_RHS_NOT_PLAIN", "mm_1");
        row(
            "one sequence cannot be cut between positions",
            [] {
                std::string text = shiftedProgram();
                for (const auto& [from, to] : Lines{{"[4, 3, 40][120,", "[1, 12, 40][480,"},
                                                    {"[4, 2, 40][80,", "[1, 11, 40][440,"},
                                                    {"[4, 2, 40][120,", "[1, 11, 40][480,"},
                                                    {"[4, 3, 40]", "[1, 12, 40]"},
                                                    {"[4, 2, -1]", "[1, 11, 40]"},
                                                    {"[8, 40]", "[11, 40]"},
                                                    {"[8, 1]", "[11, 1]"},
                                                    {"[8]", "[11]"}})
                    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
                        text.replace(at, from.size(), to);
                return text;
            }(),
            kSmallExtended, "ACTS_ON_CHUNK_AXIS", "slice_1");
        row("a view that no share of rows survives",
            head({{"amax: ",
                   "view: \"f32[5, 96][96, 1]cpu\" = torch.ops.aten.view.default(mm, [5, 96])\n"
                   "        view_1: \"f32[12, 40][40, 1]cpu\" = torch.ops.aten.view.default(view, [12, 40])\n        amax: "},
                  {"sub.Tensor(mm, amax)", "sub.Tensor(view_1, amax)"}}),
            kSmallExtended, "VIEW_ALIGN", "view");
        row("one mask for inside and outside, reference", head({{"where.self(ne_2, div_1", "where.self(ne_1, div_1"}}), kSmall, "MIXED_ARGS",
            "where_2");
        row("half-precision gradients without loss scale",
            head({{"exp_1: ",
                   "half: \"f16[@R, 40][40, 1]cpu\" = torch.ops.prims.convert_element_type.default(mul, torch.float16)\n        mul_h: \"f32[@R, "
                   "40][40, 1]cpu\" = torch.ops.prims.convert_element_type.default(half, torch.float32)\n        exp_1: "},
                  {"dim_IntList(mul, [1]", "dim_IntList(mul_h, [1]"}}),
            with("mode=extended,num-chunks=4,accum=native"), "F16_UNSCALED", "mm");
        row("saves too little", headProgram(2048), "auto-chunk{mode=extended,min-bytes=0}", "NO_GAIN", "mm");
        row("too few rows to gain", head({}), "auto-chunk{mode=extended,min-bytes=0}", "TOO_FEW_ROWS", "mm");
        row("a write inside", head({{"amax: ", "exp_: \"f32[@R, 40][40, 1]cpu\" = torch.ops.aten.exp_.default(primals_2)\n        amax: "}}), kSmall,
            "MUTABLE_GRAPH", "exp_");
        row("targets hang on the logits",
            head({{"unsqueeze_1: ",
                   "argmax: \"i64[@R][1]cpu\" = torch.ops.aten.argmax.default(squeeze, 0)\n        clone: \"i64[@R][1]cpu\" = "
                   "torch.ops.aten.add.Tensor(primals_3, argmax)\n        unsqueeze_1: "},
                  {"unsqueeze.default(primals_3, 1)", "unsqueeze.default(clone, 1)"},
                  {"argmax: \"i64[@R][1]", "argmax: \"i64[][]"}}),
            kSmall, "NO_RULE", "argmax");
    }
    void refusals() {
        QFETCH(QString, program);
        QFETCH(QString, pass);
        QFETCH(QString, code);
        QFETCH(QString, node);
        RUN_PASSES(run, program.toStdString(), pass.toStdString());
        QCOMPARE(run.after, run.before);
        QCOMPARE(run.decisions.size(), 1u);
        const Decision& d = run.decisions.front();
        QCOMPARE(QString::fromStdString(d.code), code);
        QCOMPARE(run.diagnostics.size(), 1u);
        const std::string sentence = run.diagnostics.front().sentence();
        QVERIFY2(sentence.find('{') == std::string::npos, sentence.c_str());
        if (!node.isEmpty()) QCOMPARE(QString::fromStdString(run.diagnostics.front().node.str()), node);
    }

    void refusalTellsThePath() {
        RUN_PASSES(run, shiftedProgram(), kSmall);
        const Diagnostic& d = run.diagnostics.front();
        QCOMPARE(QString::fromStdString(d.sentence()),
                 "No rule for aten::view at view f32[4, 3, 40]. Reached by %mm, %view. mode=extended can cut it.");
        const Decision& decision = run.decisions.front();
        QCOMPARE(decision.node.name.str(), std::string("mm"));
        QCOMPARE(decision.blocker.name.str(), std::string("view"));
        QCOMPARE(decision.checks.size(), 2u);
        QCOMPARE(decision.checks[0].question, std::string("%mm aten::mm"));
        QCOMPARE(decision.checks[0].detail, std::string("cut along axis 0"));
    }

    void everyNodeOfTheRegionIsRecorded() {
        RUN_PASSES(run, headProgram(12), kSmall);
        const auto of = [&](const std::string& name) {
            for (const Decision& d : run.decisions)
                if (d.node.name == name) {
                    std::string text = d.argument;
                    for (const auto& [key, value] : d.params)
                        if (key == "dim" || key == "sum" || key == "scale") text += " " + value;
                    return text;
                }
            return std::string("none");
        };
        QCOMPARE(of("primals_2"), std::string("input 0 no -"));
        QCOMPARE(of("permute"), std::string("input - no -"));
        QCOMPARE(of("mm"), std::string("body 0 no -"));
        QCOMPARE(of("gather"), std::string("output 0 no -"));
        QCOMPARE(of("tangents_1"), std::string("tangent - no tangents_1"));
        QCOMPARE(of("permute_1"), std::string("body 1 no tangents_1"));
        QCOMPARE(of("mm_1"), std::string("output - yes tangents_1"));
        QCOMPARE(of("mm_2"), std::string("output 0 no tangents_1"));
        QCOMPARE(of("neg"), std::string("none"));
    }

    /// The published check: 32768 x 32 x 32768, 4 chunks, less memory than one copy of the logits.
    void productSoftmaxSum() {
        auto document = readText(softmaxProgram("32768", "32", "32768"), "test.py", testOps());
        ChunkRequest request;
        request.limits.minRatio = 8;
        request.chunks = 4;
        const ChunkProposal proposal = proposeChunks(document->units[0].graph, testOps(), request);
        QVERIFY2(!proposal.refusal, proposal.refusal ? proposal.refusal->code.c_str() : "");
        QCOMPARE(proposal.chosen->cut.chunks(), 4);
        const std::int64_t logits = std::int64_t(32768) * 32768 * 4;
        QVERIFY(proposal.estimates.front().peak >= logits);
        QVERIFY2(proposal.chosen->peak < logits, std::to_string(proposal.chosen->peak).c_str());
    }

    /// C7: the left factor of the weight gradient is cut along the axis that is summed over before anything is known of the right one.
    void leftFactorOfTheWeightGradientFirst() {
        auto document = readText(headProgram(12), "test.py", testOps());
        const Graph& g = document->units[0].graph;
        const NodeId left = g.find(Name("permute_1")), right = g.find(Name("primals_2")), product = g.find(Name("mm_1"));
        ChunkMetas extended(g.idBound()), reference(g.idBound());
        extended.set(left, ChunkMeta::along(1));
        QVERIFY(!applyChunkRule(g, testOps(), true, product, extended).refusal);
        QVERIFY(extended.find(product)->sum);
        QCOMPARE(extended.find(right)->dim, 0);
        reference.set(left, ChunkMeta::along(1));
        (void)applyChunkRule(g, testOps(), false, product, reference);
        QCOMPARE(reference.find(product)->dim, 1);  // PyTorch's own rule takes the axis over
    }

    /// The zero matrix has no operands: it learns its slices from its user, and every chunk makes its own.
    void fillsAreMadeInTheChunk() {
        RUN_PASSES(run, headProgram(12), kSmall);
        const Graph& body = *run.graph.subGraphs().front().graph;
        const NodeId full = body.find(Name("full_2"));
        QVERIFY(full);
        QCOMPARE(body[full].tensor()->str(false, false), std::string("f32[3, 40]"));
    }

    void asFewChunksAsKeepWithinABudget() {
        auto document = readText(headProgram(4096), "test.py", testOps());
        ChunkRequest request;
        request.limits = {true, 0, std::nullopt};
        request.form = {true, true};
        const Graph& g = document->units[0].graph;
        request.budget = 1 << 30;
        QCOMPARE(proposeChunks(g, testOps(), request).refusal->code, std::string("WITHIN_BUDGET"));
        request.budget = 1;
        QCOMPARE(proposeChunks(g, testOps(), request).refusal->code, std::string("OVER_BUDGET"));
        const auto all = proposeChunks(g, testOps(), request).estimates;
        QCOMPARE(all.size(), 6u);  // 64 chunks of 64 rows would be rounded up to 32 of 128
        for (std::size_t i = 2; i < all.size(); ++i) QVERIFY(all[i].peak <= all[i - 1].peak);
        request.budget = all[3].peak;
        const ChunkProposal proposal = proposeChunks(g, testOps(), request);
        QVERIFY(!proposal.refusal && proposal.chosen);
        QCOMPARE(proposal.chosen->cut.chunks(), all[3].cut.chunks());
    }

    /// What nobody in the region needs stays behind it, so that it does not live through the chunks.
    void extendedKeepsTheOrderOfTheRest() {
        const std::string program =
            headProgram(12, {{"return [div, mm_1, mm_2]",
                              "neg_1: \"f32[12, 3][3, 1]cpu\" = torch.ops.aten.neg.default(primals_2)\n        return [div, mm_1, mm_2, neg_1]"}});
        RUN_PASSES(reference, program, kSmall);
        RUN_PASSES(extended, program, kSmallExtended);
        const auto before = [](const PassRun& run, const char* a, const char* b) { return run.after.find(a) < run.after.find(b); };
        QVERIFY(before(reference, "%neg_1 :", "%invoke_subgraph :"));
        QVERIFY(before(extended, "%invoke_subgraph :", "%neg_1 :"));
    }
};

QTEST_APPLESS_MAIN(AutoChunkTest)
#include "tst_auto_chunk.moc"
