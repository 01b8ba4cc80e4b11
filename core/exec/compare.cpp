#include "core/exec/compare.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/alias.h"
#include "core/exec/compare_pairs.h"
#include "core/exec/graph_ends.h"
#include "core/exec/operator_bounds.h"
#include "core/exec/written_values.h"

namespace aliascope::exec {
namespace {

/// Why a value is not what it was: because of a fault, or of something that may differ from run to run.
enum class Taint : std::uint8_t { None, BeyondRange, Undefined, Random, Differs };

bool isUndefined(const Node& n) {
    const std::string_view packet = packetOf(n.op).view();
    return packet == "aten::empty" || packet == "aten::new_empty" || packet == "aten::empty_like" || packet == "aten::empty_strided" ||
           packet == "aten::new_empty_strided" || packet == "aten::empty_permuted" || packet == "aten::resize_";
}

bool isRandom(const OpRegistry& ops, const Node& n) {
    const OpDef* op = ops.find(n.op);
    return op && op->is(Trait::Random);
}

Verdict byHash(const Digest& a, const Digest& b) {
    if (a.dtype != b.dtype || a.sizes != b.sizes) return Verdict::Differs;
    return a.hash == b.hash ? Verdict::Same : a.hashV == b.hashV ? Verdict::ValueSame : Verdict::Differs;
}

/// Nodes of the tensors that are returned at `at`, the output or the end of a graph of a program, in order.
std::vector<NodeId> returnedNodes(const Graph& g, NodeId at) {
    std::vector<NodeId> out;
    if (!at) return out;
    g[at].arg(0).forEachNode([&](NodeId id) {
        if (!g[id].type || g[id].tensor()) out.push_back(id);
    });
    return out;
}

/// The node whose value a row of results is; invalid for other rows, and when it cannot be told.
NodeId resultOf(const Graph& g, const ComparedValue& row) {
    if (!row.b || row.b->body != 0 || !g.contains(row.b->node)) return {};
    if (row.b->node != g.output() && !endsGraph(g[row.b->node])) return {};
    const std::vector<NodeId> returned = returnedNodes(g, row.b->node);
    const auto k = static_cast<std::size_t>(row.outB);
    return row.outB >= 0 && k < returned.size() ? returned[k] : NodeId();
}

/// Goes through the later stage in order and tells where a difference begins and where it is passed on, through operands and through memory.
class Spread {
public:
    Spread(const Graph& g, const OpRegistry& ops, std::set<NodeId> beyondRange)
        : g_(g), ops_(ops), alias_(g, ops), beyondRange_(std::move(beyondRange)) {}

    /// `rows`: the rows of a body by node, in order.
    void run(const std::map<NodeId, std::vector<ComparedValue*>>& rows) {
        for (NodeId id : inOrder(g_)) {
            const Node& n = g_[id];
            if (n.kind == NodeKind::Output || endsGraph(n)) {
                results(n, rows);
                continue;
            }
            const Taint before = incoming(id);
            const auto own = rows.find(id);
            Taint after = before, written = before;
            if (own != rows.end())
                after = judge(n, own->second, before, written);
            else if (isRandom(ops_, n))
                after = std::max(after, Taint::Random);
            node_[id] = after;
            for (NodeId operand : n.isCall() ? writtenNodes(ops_, g_, id) : std::vector<NodeId>())
                if (const StorageId s = alias_.storageOf(operand)) raise(storage_[s], std::max(after, written));
        }
        for (const auto& [id, list] : rows)
            if (g_[id].kind == NodeKind::Placeholder)
                for (ComparedValue* row : list)
                    if (row->outB < 0) settle(*row, ofStorage(id));
    }

private:
    static void raise(Taint& t, Taint to) { t = std::max(t, to); }

    Taint ofStorage(NodeId id) const {
        const StorageId s = alias_.storageOf(id);
        const auto at = s ? storage_.find(s) : storage_.end();
        return at == storage_.end() ? Taint::None : at->second;
    }
    Taint of(NodeId id) const {
        const auto at = node_.find(id);
        return std::max(at == node_.end() ? Taint::None : at->second, ofStorage(id));
    }
    Taint incoming(NodeId id) const {
        Taint t = Taint::None;
        for (NodeId operand : g_.operands(id)) raise(t, of(operand));
        return t;
    }

    /// A difference is inherited when what it came from differs; it is none of ours when that was random or undefined.
    static Taint settle(ComparedValue& row, Taint before) {
        if (row.verdict != Verdict::Differs) return agrees(row.verdict) ? Taint::None : before;
        if (before == Taint::Random || before == Taint::Undefined || before == Taint::BeyondRange) {
            row.verdict = Verdict::NotComparable;
            row.why = before == Taint::Random ? "random" : before == Taint::Undefined ? "undefined" : "beyond range";
            return before;
        }
        row.inherited = before == Taint::Differs;
        return Taint::Differs;
    }

    Taint judge(const Node& n, const std::vector<ComparedValue*>& rows, Taint before, Taint& written) {
        if (before != Taint::Differs && beyondRange_.contains(n.id)) before = Taint::BeyondRange;
        if (before != Taint::Differs && isUndefined(n)) before = Taint::Undefined;
        if (before != Taint::Differs && isRandom(ops_, n)) before = Taint::Random;
        Taint result = Taint::None;
        bool any = false;
        written = Taint::None;
        for (ComparedValue* row : rows) {
            if (n.kind == NodeKind::Placeholder && row->outB < 0) continue;
            const bool paired = row->a && row->b;
            const Taint t = paired ? settle(*row, before) : before;
            raise(row->outB < 0 ? written : result, t);
            any |= row->outB >= 0;
        }
        // A wrapper hands what it wrote on as results of its own.
        if (!any || wrappedOperator(ops_, n)) raise(result, written);
        return result;
    }

    void results(const Node& n, const std::map<NodeId, std::vector<ComparedValue*>>& rows) {
        const auto own = rows.find(n.id);
        if (own == rows.end()) return;
        const std::vector<NodeId> returned = returnedNodes(g_, n.id);
        for (ComparedValue* row : own->second) {
            const auto k = static_cast<std::size_t>(row->outB);
            const Taint before = returned.size() == own->second.size() && k < returned.size() ? of(returned[k]) : incoming(n.id);
            settle(*row, before);
        }
    }

    const Graph& g_;
    const OpRegistry& ops_;
    AliasInfo alias_;
    std::set<NodeId> beyondRange_;
    std::unordered_map<NodeId, Taint> node_;
    std::unordered_map<StorageId, Taint> storage_;
};

/// Nodes of the main graph that can have changed what differs in the end: backwards through operands and through what was written to their memory.
std::set<NodeId> causesOf(const Graph& g, const OpRegistry& ops, const std::vector<NodeId>& differing) {
    const AliasInfo alias(g, ops);
    std::set<NodeId> needed(differing.begin(), differing.end());
    std::set<StorageId> storages;
    const auto addStorage = [&](NodeId id) {
        if (const StorageId s = alias.storageOf(id)) storages.insert(s);
    };
    for (NodeId id : differing) addStorage(id);
    const std::vector<NodeId> order = g.order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const auto written = g[*at].isCall() ? writtenNodes(ops, g, *at) : std::vector<NodeId>();
        const bool writes = std::any_of(written.begin(), written.end(), [&](NodeId w) { return storages.contains(alias.storageOf(w)); });
        if (!writes && !needed.contains(*at)) continue;
        needed.insert(*at);
        for (NodeId operand : g.operands(*at)) {
            needed.insert(operand);
            addStorage(operand);
        }
    }
    return needed;
}

class Comparer {
public:
    Comparer(const ComparedStage& earlier, const ComparedStage& later, const RewriteSteps& rewrites, const Tolerance& tolerance,
             const OpRegistry& ops, const FetchRows& fetch)
        : earlier_(earlier), later_(later), rewrites_(rewrites), ops_(ops), fetch_(fetch), bodies_(bodiesOf(*later.graph)) {
        byOperator_ = !tolerance.bitwise && !tolerance.rtol && !tolerance.atol && !tolerance.reference;
        out_.policy = tolerance.rtol || tolerance.atol ? "given" : tolerance.bitwise ? "bitwise" : tolerance.reference ? "reference" : "tolerance";
    }

    Comparison compare() {
        addResults(earlier_.graph->output(), later_.graph->output());
        // What graphs of a program return before the last, each at a node of its own.
        for (const NodeId id : inOrder(*later_.graph))
            if (endsGraph((*later_.graph)[id]) && earlier_.graph->contains(id) && endsGraph((*earlier_.graph)[id])) addResults(id, id);
        addInputs();
        results_ = out_.rows.size();
        addValues();
        fetchDetails();
        spread();
        conclude();
        return std::move(out_);
    }

private:
    /// Rows of the main graph's node, by component.
    static std::map<int, const RunValue*> componentsOf(const ComparedStage& stage, NodeId node) {
        std::map<int, const RunValue*> out;
        for (const RunValue& v : stage.values->rows)
            if (v.site.body == 0 && v.site.callPath == 0 && v.site.node == node) out[v.out] = &v;
        return out;
    }

    void addPair(const RunValue* a, const RunValue* b) {
        ComparedValue row;
        if (a) row.a = a->site, row.outA = a->out;
        if (b) row.b = b->site, row.outB = b->out;
        if (!b && a) row.outB = a->out;
        row.verdict = a && b ? byHash(a->digest, b->digest) : Verdict::NotComparable;
        if (!a || !b)
            row.why = "no counterpart";
        else if (a->digest.dtype != b->digest.dtype || a->digest.sizes != b->digest.sizes)
            row.why = "other shape";
        out_.rows.push_back(std::move(row));
    }

    void addResults(NodeId earlier, NodeId later) {
        const auto a = componentsOf(earlier_, earlier), b = componentsOf(later_, later);
        std::set<int> all;
        for (const auto& [k, v] : a) all.insert(k);
        for (const auto& [k, v] : b) all.insert(k);
        for (int k : all) {
            addPair(a.contains(k) ? a.at(k) : nullptr, b.contains(k) ? b.at(k) : nullptr);
            // A result that only one stage returns is a difference.
            if (!a.contains(k) || !b.contains(k)) out_.rows.back().verdict = Verdict::Differs;
        }
    }

    void addInputs() {
        std::map<Name, const RunValue*> a, b;
        const auto collect = [](const ComparedStage& stage, std::map<Name, const RunValue*>& out) {
            for (const RunValue& v : stage.values->rows)
                if (v.out == kAfter && v.site.body == 0 && stage.graph->contains(v.site.node) &&
                    (*stage.graph)[v.site.node].kind == NodeKind::Placeholder)
                    out[(*stage.graph)[v.site.node].name] = &v;
        };
        collect(earlier_, a);
        collect(later_, b);
        for (NodeId id : later_.graph->placeholders()) {
            const Name name = (*later_.graph)[id].name;
            if (a.contains(name) && b.contains(name)) addPair(a.at(name), b.at(name));
        }
    }

    bool isResultRow(const RunValue& v) const {
        const Node* n = v.site.body < bodies_.size() && bodies_[v.site.body]->contains(v.site.node) ? &(*bodies_[v.site.body])[v.site.node] : nullptr;
        return !n || n->kind == NodeKind::Output || endsGraph(*n) || (n->kind == NodeKind::Placeholder && v.out < 0);
    }

    void addValues() {
        const StagePairs pairs(earlier_, later_, rewrites_, ops_);
        const auto& rows = later_.values->rows;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (isResultRow(rows[i])) continue;
            const auto a = pairs.counterpart(i);
            addPair(a ? &earlier_.values->rows[*a] : nullptr, &rows[i]);
        }
    }

    void fetchDetails() {
        if (!fetch_) return;
        std::vector<std::size_t> suspicious;
        for (std::size_t i = 0; i < out_.rows.size(); ++i)
            if (out_.rows[i].verdict == Verdict::Differs && out_.rows[i].a && out_.rows[i].b && out_.rows[i].why.empty()) suspicious.push_back(i);
        if (suspicious.empty()) return;
        if (byOperator_ || out_.policy == "reference") {
            OperatorBounds bounds(earlier_, later_, out_.rows, ops_);
            for (std::size_t i : suspicious) {
                ComparedValue& row = out_.rows[i];
                if (byOperator_) row.bound = bounds.of(row);
                const NodeId result = resultOf(*later_.graph, row);
                row.rounding = bounds.roundingOf(result ? memory::Site{0, result, 0} : *row.b);
            }
        }
        fetch_(out_, suspicious);
    }

    void spread() {
        std::vector<std::map<NodeId, std::vector<ComparedValue*>>> byBody(bodies_.size());
        for (ComparedValue& row : out_.rows)
            if (row.b && row.b->body < bodies_.size()) byBody[row.b->body][row.b->node].push_back(&row);
        std::vector<std::set<NodeId>> beyond(bodies_.size());
        for (const memory::Site& site : later_.values->beyondRange)
            if (site.body < beyond.size()) beyond[site.body].insert(site.node);
        for (std::size_t i = 0; i < bodies_.size(); ++i) Spread(*bodies_[i], ops_, std::move(beyond[i])).run(byBody[i]);
    }

    void conclude() {
        const bool synthetic = earlier_.values->synthetic || later_.values->synthetic;
        for (std::size_t i = 0; i < results_; ++i) {
            ComparedValue& row = out_.rows[i];
            if (synthetic && row.verdict == Verdict::Differs) {
                row.verdict = Verdict::NotComparable;
                row.why = "synthetic";
            }
            const bool differs = row.verdict == Verdict::Differs || out_.verdict == Verdict::Differs;
            out_.verdict = differs ? Verdict::Differs : std::max(out_.verdict, row.verdict);
        }
        if (out_.verdict != Verdict::Differs) return;
        // The earliest origin among the values that the differing results depend on; when none is left to blame, the first such result.
        const std::set<NodeId> causes = causesOf(*later_.graph, ops_, differingNodes());
        for (std::size_t i = results_; i < out_.rows.size() && !out_.first; ++i) {
            const ComparedValue& row = out_.rows[i];
            if (row.verdict == Verdict::Differs && !row.inherited && (row.b->body != 0 || causes.contains(row.b->node))) out_.first = i;
        }
        for (std::size_t i = 0; i < results_ && !out_.first; ++i)
            if (out_.rows[i].verdict == Verdict::Differs) out_.first = i;
    }

    /// Nodes whose values differ in the end.
    std::vector<NodeId> differingNodes() const {
        std::vector<NodeId> out;
        for (std::size_t i = 0; i < results_; ++i) {
            const ComparedValue& row = out_.rows[i];
            if (row.verdict != Verdict::Differs || !row.b) continue;
            const bool returns = row.b->node == later_.graph->output() || endsGraph((*later_.graph)[row.b->node]);
            const NodeId node = returns ? resultOf(*later_.graph, row) : row.b->node;
            if (node) out.push_back(node);
        }
        return out;
    }

    const ComparedStage& earlier_;
    const ComparedStage& later_;
    const RewriteSteps& rewrites_;
    const OpRegistry& ops_;
    const FetchRows& fetch_;
    std::vector<const Graph*> bodies_;
    std::size_t results_ = 0;
    bool byOperator_ = false;
    Comparison out_;
};

}  // namespace

std::string_view toString(Verdict v) {
    switch (v) {
        case Verdict::Same:
            return "same";
        case Verdict::ValueSame:
            return "value-same";
        case Verdict::Close:
            return "close";
        case Verdict::Differs:
            return "differs";
        case Verdict::NotComparable:
            return "not-comparable";
    }
    return "";
}

Comparison compareStages(const ComparedStage& earlier, const ComparedStage& later, const RewriteSteps& rewrites, const Tolerance& tolerance,
                         const OpRegistry& ops, const FetchRows& fetch) {
    return Comparer(earlier, later, rewrites, tolerance, ops, fetch).compare();
}

}  // namespace aliascope::exec
