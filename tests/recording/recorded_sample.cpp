#include "recorded_sample.h"

#include <stdexcept>

#include "core/text/print.h"

namespace aliascope::test {
namespace {

Node node(NodeKind kind, std::string_view name, std::string_view target) {
    Node n;
    n.kind = kind;
    n.name = Name(name);
    n.target = Name(target);
    if (kind == NodeKind::CallFunction) n.op = canonicalOp(target);
    return n;
}

Node input(std::string_view name, std::string_view annotation) {
    Node n = node(NodeKind::Placeholder, name, name);
    n.annotation = Name(annotation);
    n.type = Type::parseAnnotation(annotation);
    n.trust = Trust::Stated;
    return n;
}

Node call(std::string_view name, std::string_view target, std::vector<Value> args, std::string_view annotation) {
    Node n = node(NodeKind::CallFunction, name, target);
    n.args = std::move(args);
    if (!annotation.empty()) {
        n.annotation = Name(annotation);
        n.type = Type::parseAnnotation(annotation);
        n.trust = Trust::Stated;
    }
    return n;
}

Node output(Value value) {
    Node n = node(NodeKind::Output, "output", "output");
    n.args = {std::move(value)};
    return n;
}

std::uint32_t place(Graph& g, std::string_view raw, std::string_view file, std::uint32_t line, std::string_view fn, std::string_view code) {
    g.provenance.push_back({Name(file), line, Name(fn), Name(code), Name(raw)});
    return static_cast<std::uint32_t>(g.provenance.size() - 1);
}

Graph branch(std::string_view op) {
    Graph g;
    g.name = "branch";
    const NodeId x = g.append(input("x", "f32[8, 4][4, 1]cpu"));
    const NodeId y = g.append(call("y", op, {Value::node(x)}, "f32[8, 4][4, 1]cpu"));
    g.append(output(Value::tuple({Value::node(y)})));
    return g;
}

Graph sampleGraph() {
    Graph g;
    g.name = "GraphModule";
    g.phase = Phase::Inference;
    g.symbols[Name("s77")] = {6, 2, 1024};
    const auto first = place(g, "# File: /home/a b/model{1}.py:12 in forward, code: y = x.sin()  # {note}", "/home/a b/model{1}.py", 12, "forward",
                             "y = x.sin()  # {note}");
    const auto odd = place(g, "# recompute: MUST_SAVE File: m.py:13 in fwd, code: z = {a}", "m.py", 13, "fwd", "z = {a}");
    const auto none = place(g, "# No stacktrace found for following nodes", "", 0, "", "");

    const NodeId a = g.append(input("arg0_1", "f32[8, 4][4, 1]cpu"));
    const NodeId b = g.append(input("arg1_1", "f32[s77, 4]"));
    Node renamedInput = input("arg2_1", "f32[]");
    renamedInput.target = Name("L_flag_");
    const NodeId flag = g.append(std::move(renamedInput));

    Node sin = call("sin", "torch.ops.aten.sin.default", {Value::node(a)}, "f32[8, 4][4, 1]cpu");
    sin.provenance = first;
    const NodeId sinId = g.append(std::move(sin));
    Node view = call("view", "torch.ops.aten.view.default", {Value::node(a), Value::list({Value::integer(32)})}, "f32[32][1]cpu");
    view.provenance = first;
    const NodeId viewId = g.append(std::move(view));
    Node clone = call("clone", "torch.ops.aten.clone.default", {Value::node(viewId)}, "f32[32][1]cpu");
    clone.kwargs = {{Name("memory_format"), Value::constant(Name("torch.contiguous_format"))}};
    clone.provenance = odd;
    const NodeId cloneId = g.append(std::move(clone));
    Node add = call("add", "torch.ops.aten.add.Tensor", {Value::node(cloneId), Value::real(0.1)}, "f32[32][1]cpu");
    add.kwargs = {{Name("alpha"), Value::integer(2)}};
    add.provenance = none;
    const NodeId addId = g.append(std::move(add));

    Node pair = call("max_1", "torch.ops.aten.max.dim", {Value::node(b), Value::integer(0)}, {});
    pair.type = Type::tuple({Type::parseAnnotation("f32[4][1]cpu"), Type::parseAnnotation("i64[4][1]cpu"), nullptr});
    pair.trust = Trust::Inferred;
    const NodeId pairId = g.append(std::move(pair));
    const NodeId item = g.append(call("getitem", "operator.getitem", {Value::node(pairId), Value::integer(0)}, "f32[4][1]cpu"));
    const NodeId size = g.append(call("sym_size", "torch.ops.aten.sym_size.int", {Value::node(b), Value::integer(0)}, "Sym(s77)"));
    const NodeId constant = g.append(node(NodeKind::GetAttr, "_tensor_constant0", "_tensor_constant0"));
    const NodeId yes = g.append(node(NodeKind::GetAttr, "true_graph_0", "true_graph_0"));
    const NodeId no = g.append(node(NodeKind::GetAttr, "false_graph_0", "false_graph_0"));
    const NodeId cond = g.append(
        call("cond", "torch.ops.higher_order.cond", {Value::node(flag), Value::node(yes), Value::node(no), Value::tuple({Value::node(a)})}, {}));
    g.append(call("copy_", "torch.ops.aten.copy_.default", {Value::node(a), Value::node(sinId)}, "f32[8, 4][4, 1]cpu"));
    g.append(
        output(Value::tuple({Value::node(addId), Value::node(item), Value::node(size), Value::node(constant), Value::node(cond), Value::none()})));

    g.addSubGraph(Name("true_graph_0"), branch("torch.ops.aten.sin.default"));
    g.addSubGraph(Name("false_graph_0"), branch("torch.ops.aten.cos.default"));
    return g;
}

}  // namespace

const OpRegistry& ops() { return OpRegistry::builtin(); }

Document sampleDocument() {
    Document doc;
    doc.path = "sample.txt";
    doc.container = "text";
    doc.text = "graph():\n    the text that was read, kept as it is\n";
    Unit unit;
    unit.id = "1";
    unit.label = "GraphModule";
    unit.graph = sampleGraph();
    unit.statedNodes = static_cast<std::uint32_t>(unit.graph.size());
    unit.spanEnd = doc.text.size();
    unit.diagnostics.push_back(warning("R025", {{"node", "max_1"}}));
    unit.diagnostics.back().node = Name("max_1");
    unit.diagnostics.back().line = 3;
    doc.units.push_back(std::move(unit));
    doc.diagnostics.push_back(info("R032", {{"n", "4"}}));
    return doc;
}

Status SampleRun::record(PassObserver& observer) {
    Pipeline pipeline;
    pipeline.name = "sample";
    if (auto started = observer.pipelineStarted(graph_, pipeline); !started) return started;
    const auto id = [this](const char* name) { return graph_.find(Name(name)); };
    const std::vector<std::pair<std::string, std::function<void(Graph&)>>> stages = {
        {"", [](Graph&) {}},
        {"dce", [](Graph&) {}},
        {"decompose",
         [&](Graph& g) {
             const NodeId clone = id("clone"), add = id("add"), view = id("view");
             Node relu = call("relu", "torch.ops.aten.relu.default", {Value::node(view)}, {});
             relu.provenance = g[clone].provenance;
             const NodeId reluId = g.insertBefore(add, std::move(relu));
             g.setType(reluId, Type::parseAnnotation("f32[32][1]cpu"));
             rewrites_.push_back({"clone -> relu", {ref(g, clone)}, {ref(g, reluId)}, Rewrite::State::Applied, "sample 1", {}});
             g.replaceAllUses(clone, reluId);
             g.erase(clone);
             Decision d;
             d.node = ref(g, add);
             d.origin = ref(g, add);
             d.op = Name("aten::add.Tensor");
             d.argument = "self";
             d.verdict = "clone";
             d.need = "avoidable";
             d.code = "RI20";
             d.blocker = ref(g, id("arg0_1"));
             d.reportedBytes = 128;
             d.counted = true;
             d.clonedBytes = 128;
             d.rule = "sample 2";
             d.avoidedBy = "torch-v2";
             d.params = {{"base", "arg0_1"}};
             d.checks = {{"storage known?", CheckStep::Answer::Ok, ""}, {"written back?", CheckStep::Answer::Failed, "arg0_1"}};
             decisions_.push_back(std::move(d));
             diagnostics_.push_back(warning("NO_SCHEMA", {{"op", "sample::op"}}));
         }},
        {"rename", [&](Graph& g) { g.rename(id("sin"), "sine"); }},
        {"reorder", [&](Graph& g) { g.moveBefore(id("max_1"), id("sine")); }},
        {"bodies",
         [](Graph& g) {
             Graph& body = *g.subGraph(Name("true_graph_0"));
             const NodeId y = body.find(Name("y"));
             body.setCall(y, Name("torch.ops.aten.tanh.default"), Name("aten::tanh"));
         }},
        {"dce",
         [&](Graph& g) {
             g.erase(id("copy_"));
             g.setMeta(id("add"), Name("clone_only"), Value::list({Value::string(Name("self"))}));
         }},
    };
    for (const auto& [pass, edit] : stages)
        if (auto done = stage(observer, pass, edit); !done) {
            observer.pipelineFinished(false);
            return done;
        }
    observer.pipelineFinished(true);
    return {};
}

Status SampleRun::stage(PassObserver& observer, const std::string& pass, const std::function<void(Graph&)>& edit) {
    rewrites_.clear();
    decisions_.clear();
    diagnostics_.clear();
    edit(graph_);
    StageResult result;
    result.index = static_cast<int>(printed_.size()) + 1;
    result.pass = pass;
    result.name = pass.empty() ? "imported" : result.index == 7 ? "dce#2" : pass;
    result.hash = graph_.hash();
    result.changed = result.index > 1 && result.hash != hash_;
    result.wallNs = 1000 * result.index;
    result.rewrites = &rewrites_;
    result.decisions = &decisions_;
    result.diagnostics = &diagnostics_;
    hash_ = result.hash;
    printed_.push_back({printGraphText(graph_), printReadable(graph_), graph_.hash()});
    return observer.stageFinished(graph_, result);
}

std::vector<Printed> recordSample(const std::string& path, const std::string& name) {
    const Document doc = sampleDocument();
    auto recorder = Recorder::create(path);
    if (!recorder) throw std::runtime_error(recorder.error().format());
    const auto graphs = (*recorder)->addDocument(doc);
    if (!graphs) throw std::runtime_error(graphs.error().format());
    const auto observer = (*recorder)->beginLane(graphs->front(), name, ops());
    if (!observer) throw std::runtime_error(observer.error().format());
    SampleRun run(doc.units.front().graph.clone());
    if (auto recorded = run.record(**observer); !recorded) throw std::runtime_error(recorded.error().format());
    if (auto closed = (*recorder)->close(); !closed) throw std::runtime_error(closed.error().format());
    return run.printed();
}

}  // namespace aliascope::test
