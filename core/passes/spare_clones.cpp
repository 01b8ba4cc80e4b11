#include "core/passes/spare_clones.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/alias.h"
#include "core/analysis/footprint.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/layouts.h"
#include "core/passes/new_nodes.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {
namespace {

const Name kClone("aten::clone"), kCopy("aten::copy_"), kAsStrided("aten::as_strided"), kGetItem("operator::getitem");

/// What one node does to one storage.
struct Event {
    NodeId node;
    bool reads = false, writes = false;
    bool fills = false;  ///< writes every element
};

class SpareClones {
public:
    SpareClones(Graph& g, PassContext& ctx) : g_(g), ctx_(ctx), alias_(g, ctx.ops()), parent_(alias_.storageCount()), events_(parent_.size()) {
        std::iota(parent_.begin(), parent_.end(), 0u);
        for (std::uint32_t i = 0; i < parent_.size(); ++i) callers_.push_back(alias_.storage(StorageId{i}).role != StorageRole::Intermediate);
        for (NodeId id : inOrder(g)) note(id);
    }

    void run(const std::vector<NodeId>& clones) {
        for (NodeId id : clones) {
            if (ctx_.cancelled() || work_ > kMostWork) return;
            if (!g_.contains(id)) continue;
            const NodeId source = g_[id].arg(0).asNode();
            if (!source || !alias_.storageOf(id) || !alias_.storageOf(source)) continue;
            if (!remove(id, source)) narrow(id, source);
        }
    }

private:
    void note(NodeId id) {
        const Node& n = g_[id];
        if (n.kind == NodeKind::CallFunction && isSchemaView(ctx_.ops(), n) && !alias_.undecided(id)) return;  // its readers count
        if (n.op == kGetItem) return;
        const bool known =
            n.kind == NodeKind::Output || (n.kind == NodeKind::CallFunction && ctx_.ops().find(n.op) && wrapperKind(n) == WrapperKind::None);
        std::vector<NodeId> written;
        if (known)
            for (const WrittenOperand& w : writtenOperands(ctx_.ops(), g_, id)) written.push_back(w.value);
        for (NodeId operand : g_.operands(id)) {
            const StorageId storage = alias_.storageOf(operand);
            if (!storage) continue;
            const bool writes = !known || std::find(written.begin(), written.end(), operand) != written.end();
            const bool onlyTarget = n.is(kCopy) && n.arg(0).asNode() == operand && !n.arg(1).usesNode(operand);
            auto& events = events_[storage.value];
            if (events.empty() || events.back().node != id) events.push_back({id});
            Event& e = events.back();
            e.writes = e.writes || writes;
            e.reads = e.reads || !onlyTarget;
            e.fills = e.fills || (onlyTarget && operand == alias_.storage(storage).base);
        }
    }

    std::uint32_t find(StorageId storage) {
        std::uint32_t i = storage.value;
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    std::vector<Event>& eventsOf(NodeId value) { return events_[find(alias_.storageOf(value))]; }
    std::vector<Event>::iterator firstAfter(std::vector<Event>& events, NodeId node) {
        return std::upper_bound(events.begin(), events.end(), node, [&](NodeId n, const Event& e) { return g_.before(n, e.node); });
    }
    bool isReturned(const std::vector<Event>& events) const { return !events.empty() && events.back().node == g_.output(); }
    bool isCallers(NodeId value) { return callers_[find(alias_.storageOf(value))]; }

    bool remove(NodeId clone, NodeId source) {
        if (standsFor(clone, source, clone)) return replace(clone, source);
        // A copy of a copy is as good as the first value, as long as neither was written in between.
        const NodeId first = g_[source].is(kClone) ? g_[source].arg(0).asNode() : NodeId();
        if (!first || !alias_.storageOf(first) || find(alias_.storageOf(first)) == find(alias_.storageOf(source))) return false;
        auto& between = eventsOf(source);
        for (auto at = firstAfter(between, source); at != between.end() && g_.before(at->node, clone); ++at)
            if (at->writes && writesInto(at->node, source)) return false;
        return standsFor(clone, first, source) && replace(clone, first);
    }

    /// Whether `value`, which is equal to the clone at node `since`, may be read and written in its place.
    bool standsFor(NodeId clone, NodeId value, NodeId since) {
        const TensorType *own = alias_.geometry(clone), *other = alias_.geometry(value);
        if (!own || !other || !own->strides || !other->strides || own->dtype != other->dtype || !(own->sizes == other->sizes) ||
            !(*own->strides == *other->strides) || find(alias_.storageOf(clone)) == find(alias_.storageOf(value)))
            return false;
        auto &mine = eventsOf(clone), &its = eventsOf(value);
        if (mine.empty() || (isReturned(mine) && (isCallers(value) || isReturned(its)))) return false;
        if (!(own->offset == other->offset) && addressedByPlace(ctx_.ops(), g_, {clone})) return false;
        const auto write = std::find_if(mine.begin(), mine.end(), [](const Event& e) { return e.writes; });
        const NodeId last = mine.back().node;
        for (auto at = firstAfter(its, since); at != its.end(); ++at) {
            if (at->node == clone) continue;  // it reads what it is about to be
            const bool behind = g_.before(last, at->node);
            if (behind && write == mine.end()) return true;
            if (behind && at->fills && !at->reads) return true;  // what the clone's writers left there is gone
            if ((at->writes && writesInto(at->node, value)) || (write != mine.end() && !g_.before(at->node, write->node))) return false;
        }
        return write == mine.end() || !isCallers(value);
    }

    /// The node overwrites elements of the value, as far as geometry tells.
    bool writesInto(NodeId node, NodeId value) {
        const TensorType* place = alias_.geometry(value);
        const auto written = writtenOperands(ctx_.ops(), g_, node);
        if (!place || written.empty() || wrapperKind(g_[node]) != WrapperKind::None) return true;
        return std::any_of(written.begin(), written.end(), [&](const WrittenOperand& w) {
            const StorageId storage = alias_.storageOf(w.value);
            if (!storage || find(storage) != find(alias_.storageOf(value))) return !storage;
            const TensorType* t = alias_.geometry(w.value);
            return !t || !alias_.sameStorage(w.value, value) || exactOverlap(*t, *place, g_.symbols) != Overlap::Disjoint;
        });
    }

    bool replace(NodeId clone, NodeId value) {
        if (!ctx_.mayRewrite()) return false;
        Rewrite rewrite{"remove-clone", {ref(g_, clone)}, {ref(g_, value)}};
        auto &mine = eventsOf(clone), &its = eventsOf(value);
        std::vector<Event> merged;
        std::merge(mine.begin(), mine.end(), its.begin(), its.end(), std::back_inserter(merged),
                   [&](const Event& a, const Event& b) { return g_.before(a.node, b.node); });
        std::erase_if(merged, [&](const Event& e) { return e.node == clone; });
        work_ += merged.size();
        its = std::move(merged);
        mine.clear();
        const std::uint32_t from = find(alias_.storageOf(clone)), to = find(alias_.storageOf(value));
        parent_[from] = to;
        callers_[to] = callers_[to] || callers_[from];
        if (const NodeId source = g_[clone].arg(0).asNode(); source != value) {
            auto& read = eventsOf(source);
            std::erase_if(read, [&](const Event& e) { return e.node == clone; });
        }
        g_.replaceAllUses(clone, value);
        g_.erase(clone);
        ctx_.rewrite(std::move(rewrite));
        return true;
    }

    /// Copies the one view that is used of the clone.
    void narrow(NodeId clone, NodeId source) {
        const NodeId list = onlyUser(clone);
        if (!list || !isSchemaView(ctx_.ops(), g_[list]) || alias_.undecided(list)) return;
        const bool component = !alias_.storageOf(list);
        const NodeId view = component ? onlyUser(list) : list;
        if (!view || (component && g_[view].op != kGetItem) || !alias_.sameStorage(view, clone)) return;
        const TensorType *whole = alias_.geometry(clone), *part = alias_.geometry(view), *from = alias_.geometry(source);
        if (!whole || !part || !from || !whole->strides || !from->strides || !(*whole->strides == *from->strides) || !isDense(*part)) return;
        const auto before = whole->bytes(), after = part->bytes();
        if (!before || !after || knownLessEqual(*before, *after, g_.symbols) != Tri::No || addressedByPlace(ctx_.ops(), g_, {view})) return;
        std::vector<Value> args = g_[list].args;
        args[0] = Value::node(source);
        if (g_[list].is(kAsStrided)) {
            // It counts from the start of the source's memory then.
            const auto start = part->offset ? part->offset->constant() : std::nullopt, moved = from->offset ? from->offset->constant() : std::nullopt;
            if (!start || !moved || args.size() < 3) return;
            args.resize(3);
            args.push_back(Value::integer(*start + *moved));
        }
        if (!ctx_.mayRewrite()) return;
        Rewrite rewrite{"narrow-clone", {ref(g_, clone), ref(g_, view)}, {}};
        rewrite.message = after->str() + " B instead of " + before->str() + " B";
        NewNodes make(g_, ctx_.ops(), clone);
        NodeId cut = make.call(g_[list].op, std::move(args), g_[list].kwargs);
        if (component) cut = make.call(kGetItem, {Value::node(cut), g_[view].arg(1)});
        g_.setType(cut, g_[view].type, g_[view].trust);
        const NodeId copy = make.call(kClone, {Value::node(cut)});
        for (NodeId made : {cut, copy}) rewrite.after.push_back(ref(g_, made));
        auto& read = eventsOf(source);
        work_ += read.size();
        for (Event& e : read)
            if (e.node == clone) e.node = copy;
        g_.replaceAllUses(view, copy);
        g_.erase(view);
        if (component) g_.erase(list);
        g_.erase(clone);
        ctx_.rewrite(std::move(rewrite));
    }

    NodeId onlyUser(NodeId id) const {
        const auto& users = g_[id].users;
        return users.size() == 1 && users.front().uses == 1 ? users.front().id : NodeId();
    }

    /// Events that may be moved for all clones of a graph: thousands of clones of one value would move all of its readers each time.
    static constexpr std::size_t kMostWork = 50'000'000;

    Graph& g_;
    PassContext& ctx_;
    AliasInfo alias_;
    std::size_t work_ = 0;
    std::vector<std::uint32_t> parent_;       ///< storages that became one, by storage
    std::vector<bool> callers_;               ///< the memory is an input's, by storage
    std::vector<std::vector<Event>> events_;  ///< in graph order, by storage
};

}  // namespace

std::vector<NodeId> cloneCalls(const Graph& g) {
    std::vector<NodeId> out;
    for (NodeId id : inOrder(g))
        if (g[id].is(kClone) && g[id].arg(0).isNode()) out.push_back(id);
    return out;
}

void spareClones(Graph& g, PassContext& ctx, const std::vector<NodeId>& clones) {
    if (!clones.empty()) SpareClones(g, ctx).run(clones);
}

}  // namespace aliascope
