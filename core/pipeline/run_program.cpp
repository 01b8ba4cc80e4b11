// A pipeline over every graph of a program, told as stages of the program.

#include <algorithm>
#include <utility>

#include "core/pipeline/program.h"

namespace aliascope {
namespace {

struct KeptStage {
    Graph graph;
    StageResult result;
    std::vector<Rewrite> rewrites;
    std::vector<Decision> decisions;
    std::vector<Diagnostic> diagnostics;
};

/// Keeps every stage of one graph.
class Keeper final : public PassObserver {
public:
    Status stageFinished(const Graph& g, const StageResult& stage) override {
        KeptStage kept{g.clone(), stage, {}, {}, {}};
        if (stage.rewrites) kept.rewrites = *stage.rewrites;
        if (stage.decisions) kept.decisions = *stage.decisions;
        if (stage.diagnostics) kept.diagnostics = *stage.diagnostics;
        kept.result.rewrites = nullptr;
        kept.result.decisions = nullptr;
        kept.result.diagnostics = nullptr;
        bound = std::max(bound, g.idBound());
        stages.push_back(std::move(kept));
        return {};
    }
    std::vector<KeptStage> stages;
    std::uint32_t bound = 0;
};

void move(NodeRef& node, std::uint32_t offset) {
    if (node.id) node.id = NodeId(node.id.value + offset);
}

/// Stage `i` of all graphs; what they reported, with the ids of the linked graph.
KeptStage stageOf(const Program& program, std::vector<Keeper>& graphs, const std::vector<std::uint32_t>& offsets, std::size_t i) {
    std::vector<const Graph*> parts;
    for (const Keeper& k : graphs) parts.push_back(&k.stages[i].graph);
    KeptStage out{program.link(parts, offsets), graphs[0].stages[i].result, {}, {}, {}};
    out.result.changed = false;
    out.result.wallNs = 0;
    for (std::size_t k = 0; k < graphs.size(); ++k) {
        KeptStage& part = graphs[k].stages[i];
        out.result.changed = out.result.changed || part.result.changed;
        out.result.wallNs += part.result.wallNs;
        if (part.result.state == StageResult::State::Failed) out.result.state = part.result.state;
        if (part.result.state == StageResult::State::Ok && out.result.state == StageResult::State::Skipped) out.result.state = part.result.state;
        if (!part.result.message.empty() && out.result.message.empty()) out.result.message = part.result.message;
        for (Rewrite& r : part.rewrites) {
            for (NodeRef& node : r.before) move(node, offsets[k]);
            for (NodeRef& node : r.after) move(node, offsets[k]);
            out.rewrites.push_back(std::move(r));
        }
        for (Decision& d : part.decisions) {
            for (NodeRef* node : {&d.node, &d.origin, &d.blocker, &d.view}) move(*node, offsets[k]);
            out.decisions.push_back(std::move(d));
        }
        out.diagnostics.insert(out.diagnostics.end(), part.diagnostics.begin(), part.diagnostics.end());
    }
    if (out.result.state == StageResult::State::Ok) out.result.message.clear();
    out.result.hash = out.graph.hash();
    return out;
}

/// The first observer that cannot go on ends the telling.
Status tell(const std::vector<PassObserver*>& observers, const Pipeline& pipeline, const KeptStage& stage) {
    StageResult result = stage.result;
    result.rewrites = &stage.rewrites;
    result.decisions = &stage.decisions;
    result.diagnostics = &stage.diagnostics;
    for (PassObserver* observer : observers) {
        if (result.index == 1)
            if (auto started = observer->pipelineStarted(stage.graph, pipeline); !started) return started;
        if (auto told = observer->stageFinished(stage.graph, result); !told) return told;
    }
    return {};
}

}  // namespace

RunResult runProgram(const Program& program, const Pipeline& pipeline, const OpRegistry& ops, const std::vector<PassObserver*>& observers,
                     const RunOptions& options) {
    RunResult out;
    std::vector<Keeper> graphs(program.graphs().size());
    std::size_t stages = pipeline.steps.size() + 1;
    for (std::size_t k = 0; k < graphs.size(); ++k) {
        Graph g = program.graphs()[k].clone();
        RunResult ran = runPipeline(g, pipeline, ops, {&graphs[k]}, options);
        stages = std::min(stages, graphs[k].stages.size());
        out.complete = out.complete && ran.complete;
        out.failed = out.failed || ran.failed;
        if (ran.error && !out.error) out.error = std::move(ran.error);
        out.diagnostics.insert(out.diagnostics.end(), ran.diagnostics.begin(), ran.diagnostics.end());
        out.decisions.insert(out.decisions.end(), std::make_move_iterator(ran.decisions.begin()), std::make_move_iterator(ran.decisions.end()));
        out.rewritesTaken += ran.rewritesTaken;
    }
    std::vector<std::uint32_t> bounds;
    for (const Keeper& k : graphs) bounds.push_back(k.bound);
    const auto offsets = Program::offsets(bounds);
    for (std::size_t i = 0; i < stages; ++i) {
        const KeptStage stage = stageOf(program, graphs, offsets, i);
        if (auto told = tell(observers, pipeline, stage); !told) {
            out.complete = false;
            out.failed = true;
            if (!out.error) out.error = told.error();
            break;
        }
        for (Keeper& k : graphs) k.stages[i] = {};
    }
    for (PassObserver* observer : observers) observer->pipelineFinished(out.complete);
    return out;
}

}  // namespace aliascope
