#include "core/exec/predict.h"

#include <algorithm>
#include <unordered_map>

#include "core/exec/symbol_values.h"
#include "core/memory/memory_report.h"

namespace aliascope::exec {
namespace {

/// Where a tensor lies, without holding its storage: what is observed must live no longer for it.
struct Place {
    memory::StorageId storage = memory::kNoStorage;
    std::size_t bytes = 0;
    Shape sizes, strides;
    std::int64_t offset = 0;

    bool sameLayout(const Place& p) const { return bytes == p.bytes && offset == p.offset && sizes == p.sizes && strides == p.strides; }
};

Place placeOf(const Tensor& t) {
    if (!t.storage || t.storage->bytes == 0) return {};
    return {t.storage->id, t.storage->bytes, t.sizes, t.strides, t.offset};
}

/// Elementwise nodes with the operands over which they could write.
class ReuseObserver final : public ExecObserver {
public:
    struct Candidate {
        memory::Site site;
        memory::StorageId output = memory::kNoStorage;
        std::vector<memory::StorageId> operands;  ///< in print order
    };
    const std::vector<Candidate>& candidates() const { return candidates_; }

    void nodeFinished(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value, std::int64_t) override {
        std::unordered_map<NodeId, Place>& places = frames_[{&g, site.callPath}];
        const Tensor* result = value.tensor();
        if (!result) return;
        const Place out = placeOf(*result);
        places[n.id] = out;
        const Kernel* kernel = KernelTable::cpu().find(n.op);
        if (out.storage == memory::kNoStorage || !kernel || !kernel->elementwise) return;
        Candidate c{site, out.storage, {}};
        std::vector<memory::StorageId> unfit = {out.storage};
        for (const NodeId operand : g.operands(n.id)) {
            const auto it = places.find(operand);
            if (it == places.end() || it->second.storage == memory::kNoStorage) continue;
            (it->second.sameLayout(out) ? c.operands : unfit).push_back(it->second.storage);
        }
        // A storage that is read in another layout too would be overwritten before that read.
        std::erase_if(c.operands, [&](memory::StorageId s) { return std::find(unfit.begin(), unfit.end(), s) != unfit.end(); });
        if (!c.operands.empty()) candidates_.push_back(std::move(c));
    }

private:
    std::map<std::pair<const Graph*, std::uint32_t>, std::unordered_map<NodeId, Place>> frames_;
    std::vector<Candidate> candidates_;
};

/// An operand gives its storage when it is a value of the graph that dies at the very node, and nothing else takes it.
std::vector<memory::Reuse> chooseReuse(const memory::EventLog& log, const std::vector<ReuseObserver::Candidate>& candidates) {
    const std::vector<memory::Lifetime> lifetimes = memory::lifetimesOf(log);
    std::unordered_map<memory::StorageId, const memory::Lifetime*> lives;
    for (const memory::Lifetime& life : lifetimes) lives.emplace(life.storage, &life);
    std::unordered_map<memory::StorageId, memory::StorageId> takenBy;
    std::vector<memory::Reuse> out;
    for (const ReuseObserver::Candidate& c : candidates) {
        const auto output = lives.find(c.output);
        if (output == lives.end() || output->second->role == memory::Role::Output || !(output->second->origin == c.site)) continue;
        for (const memory::StorageId operand : c.operands) {
            const auto life = lives.find(operand);
            if (life == lives.end() || life->second->role != memory::Role::Value || life->second->death == memory::kNever) continue;
            if (!(life->second->last == c.site) || life->second->death < output->second->birth || !takenBy.emplace(operand, c.output).second)
                continue;
            out.push_back({operand, c.output});
            break;
        }
    }
    return out;
}

void collectConstants(const Graph& g, Backend& backend, std::unordered_map<Name, RuntimeValue>& constants, int depth = 0) {
    constexpr int deepest = 64;
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.kind != NodeKind::GetAttr || !n.tensor() || constants.contains(n.target)) continue;
        try {
            constants.emplace(n.target, makeTensor(backend, *n.tensor()));
        } catch (const ExecError&) {
            // Of unknown shape: the run then says that its value is missing, if it is needed.
        }
    }
    if (depth < deepest)
        for (const Graph::SubGraph& sub : g.subGraphs()) collectConstants(*sub.graph, backend, constants, depth + 1);
}

Name nodeOf(const Graph& g, const memory::EventLog& log, std::int64_t seq) {
    if (seq < 0 || seq >= static_cast<std::int64_t>(log.events.size())) return {};
    const memory::Site& site = log.events[static_cast<std::size_t>(seq)].site;
    return site.body == 0 && site.node && g.contains(site.node) ? g[site.node].name : Name();
}

}  // namespace

Prediction predict(const Graph& g, const OpRegistry& ops, const PredictOptions& options) {
    Prediction out;
    SymbolTable symbols = g.symbols;
    for (const auto& [symbol, value] : options.symbols) symbols[symbol].hint = value;
    out.assumed = assumeSymbols(g, symbols);
    Graph bound;
    const Graph* graph = &g;
    if (!options.symbols.empty() || !out.assumed.empty()) {
        bound = g.clone();
        bound.symbols = std::move(symbols);
        graph = &bound;
    }
    const auto backend = makeNullBackend();
    auto inputs = typedInputs(*graph, *backend);
    if (!inputs) {
        out.error = inputs.error();
        const auto named = [](const auto& param) { return param.first == "node"; };
        if (std::none_of(out.error->params.begin(), out.error->params.end(), named)) out.error->with("node", out.error->node.str());
        return out;
    }
    std::unordered_map<Name, RuntimeValue> constants;
    collectConstants(*graph, *backend, constants);
    ExecOptions exec;
    exec.cancel = options.cancel;
    exec.caching = options.caching;
    exec.maxFlops = 0;  // nothing is computed
    exec.bodies = options.bodies;
    exec.reinplaced = options.reinplaced;
    ReuseObserver observer;
    ExecResult result = execute(*graph, ops, *backend, *inputs, constants, exec, options.findReuse ? &observer : nullptr);
    out.log = std::move(result.memory);
    out.complete = result.complete;
    out.error = std::move(result.error);
    out.warnings = std::move(result.warnings);
    out.wallNs = result.wallNs;
    if (options.findReuse) out.reuse = chooseReuse(out.log, observer.candidates());
    return out;
}

std::optional<Diagnostic> planMismatch(const Graph& g, const memory::EventLog& planned, const memory::EventLog& happened) {
    const auto seq = memory::firstDivergence(planned, happened);
    if (!seq) return std::nullopt;
    const Name node = nodeOf(g, happened, *seq) ? nodeOf(g, happened, *seq) : nodeOf(g, planned, *seq);
    Diagnostic d = internalError("PLAN_MISMATCH", {{"seq", std::to_string(*seq)},
                                                   {"node", node ? node.str() : std::string("the end")},
                                                   {"planned", memory::describe(planned, *seq)},
                                                   {"happened", memory::describe(happened, *seq)}});
    d.node = node;
    return d;
}

}  // namespace aliascope::exec
