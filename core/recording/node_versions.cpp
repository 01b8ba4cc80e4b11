#include "core/recording/node_versions.h"

#include <algorithm>
#include <unordered_set>

#include "core/analysis/copies_left.h"
#include "core/recording/order_keys.h"
#include "core/recording/write_errors.h"

namespace aliascope::recording {
namespace {

/// Sum that stays unknown once a part of it is.
void addBytes(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& bytes) {
    if (!sum || !bytes || __builtin_add_overflow(*sum, *bytes, &*sum)) sum.reset();
}

std::optional<std::int64_t> bytesOf(const Graph& g, NodeId id) {
    const TensorType* t = g[id].tensor();
    return t ? byteFacts(*t, g.symbols).bytes : std::nullopt;
}

StageFacts factsOf(const Body& body, const AliasInfo& alias) {
    static const Name clone("aten::clone"), copy("aten::copy_");
    const Graph& g = *body.graph;
    StageFacts f;
    f.nodes = static_cast<std::int64_t>(g.size());
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.is(clone)) {
            ++f.clones;
            addBytes(f.clonedBytes, bytesOf(g, id));
        } else if (n.is(copy) && body.number == 0) {
            const NodeId destination = n.arg(0).asNode(), source = n.arg(1).asNode();
            const StorageId storage = destination ? alias.storageOf(destination) : StorageId();
            if (!storage || alias.storage(storage).role != StorageRole::Input) continue;
            if (source && isSelfCopy(alias, destination, source)) {
                ++f.selfCopies;
            } else {
                ++f.copiesBack;
                addBytes(f.copiedBackBytes, bytesOf(g, destination));
            }
        }
    }
    return f;
}

const Provenance& provenanceOf(const Graph& g, const Node& n) { return g.provenance[n.provenance < g.provenance.size() ? n.provenance : 0]; }

bool usesAny(const Node& n, const std::unordered_set<NodeId>& ids) {
    bool found = false;
    const auto look = [&](NodeId used) { found = found || ids.contains(used); };
    for (const Value& v : n.args) v.forEachNode(look);
    for (const auto& [key, v] : n.kwargs) v.forEachNode(look);
    return found;
}

}  // namespace

/// What the current version of a node says.
struct NodeVersions::NodeState {
    std::int64_t version = 0;  ///< 0 = no current version
    std::int64_t ord = 0;
    NodeKind kind = NodeKind::CallFunction;
    std::uint8_t flags = 0;
    Trust trust = Trust::Unknown;
    Name name, target, op, annotation, modulePath;
    Provenance provenance;
    std::vector<Value> args;
    std::vector<Keyword> kwargs;
    TypePtr type;
    Placement place;

    bool says(const Node& n, const Provenance& p) const {
        return name == n.name && target == n.target && op == n.op && kind == n.kind && flags == n.flags && trust == n.trust &&
               annotation == n.annotation && modulePath == n.modulePath && provenance.raw == p.raw && provenance.file == p.file &&
               provenance.line == p.line && provenance.function == p.function && provenance.code == p.code && args == n.args && kwargs == n.kwargs &&
               sameType(type, n.type);
    }
    void take(const Node& n, const Provenance& p) {
        kind = n.kind;
        flags = n.flags;
        trust = n.trust;
        name = n.name;
        target = n.target;
        op = n.op;
        annotation = n.annotation;
        modulePath = n.modulePath;
        provenance = p;
        args = n.args;
        kwargs = n.kwargs;
        type = n.type;
    }
};

struct NodeVersions::BodyTrack {
    std::vector<NodeState> states;  ///< by node id; the name stays when the node is gone
    std::vector<NodeId> live;       ///< nodes of the stage before, in order
    StageFacts facts;
};

NodeVersions::NodeVersions(RowQueue& queue, Database& db, TextPool& pool, std::int64_t lane, const OpRegistry& ops, CancelToken cancel)
    : ops_(ops), cancel_(std::move(cancel)), rows_(queue, db, pool, lane, ops), storages_(queue, db, lane) {}
NodeVersions::~NodeVersions() = default;

StageDifference NodeVersions::record(const Graph& g, int stage) {
    StageDifference difference;
    numberBodies(g);
    for (const Body& body : bodies_) {
        auto& track = tracks_[body.number];
        if (!track) track = std::make_unique<BodyTrack>();
        recordBody(body, *track, stage, difference);
    }
    for (auto it = tracks_.begin(); it != tracks_.end();) {
        const bool gone = std::none_of(bodies_.begin(), bodies_.end(), [&](const Body& b) { return b.number == it->first; });
        if (gone) removeBody(it->first, *it->second, stage, difference);
        it = gone ? tracks_.erase(it) : std::next(it);
    }
    sumFacts();
    return difference;
}

/// The bodies of the first stage are numbered in the order of their paths, so that all lanes of a graph agree; later ones go on from there.
void NodeVersions::numberBodies(const Graph& g) {
    bodies_ = bodiesOf(g);
    std::vector<std::string> fresh;
    for (const Body& b : bodies_)
        if (!bodyNumbers_.contains(b.path)) fresh.push_back(b.path);
    std::sort(fresh.begin(), fresh.end());
    for (const std::string& path : fresh) bodyNumbers_.emplace(path, static_cast<std::uint32_t>(bodyNumbers_.size()));
    for (Body& b : bodies_) b.number = bodyNumbers_.at(b.path);
}

void NodeVersions::recordBody(const Body& body, BodyTrack& track, int stage, StageDifference& difference) {
    const Graph& g = *body.graph;
    const std::vector<NodeId> order = g.order();
    track.states.resize(std::max<std::size_t>(track.states.size(), g.idBound()));

    std::vector<std::optional<std::int64_t>> oldKeys(order.size());
    std::unordered_set<NodeId> renamed;
    std::vector<bool> dirty(order.size(), false);
    bool anyDirty = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
        throwIfCancelled(cancel_);
        const Node& n = g[order[i]];
        const NodeState& state = track.states[n.id.value];
        if (state.version == 0) {
            dirty[i] = true;
        } else {
            oldKeys[i] = state.ord;
            dirty[i] = !state.says(n, provenanceOf(g, n));
            if (state.name != n.name) renamed.insert(n.id);
        }
        anyDirty = anyDirty || dirty[i];
    }
    const bool moved = order != track.live;
    if (!anyDirty && !moved) return;

    // Arguments are stored with the names of their nodes.
    if (!renamed.empty())
        for (std::size_t i = 0; i < order.size(); ++i) dirty[i] = dirty[i] || usesAny(g[order[i]], renamed);
    const std::vector<std::int64_t> keys = orderKeys(oldKeys);
    throwIfCancelled(cancel_);
    const AliasInfo alias(g, ops_);
    throwIfCancelled(cancel_);
    const std::vector<int> numbers = storages_.number(alias, body.number);
    storages_.record(stage, body.number, alias, numbers, g.symbols);

    for (NodeId id : track.live) {
        NodeState& state = track.states[id.value];
        if (g.contains(id)) continue;
        rows_.close(state.version, stage - 1);
        state.version = 0;
        ++difference.removed;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        throwIfCancelled(cancel_);
        const NodeId id = order[i];
        NodeState& state = track.states[id.value];
        Placement place;
        if (const StorageId s = alias.storageOf(id)) place.storage = numbers[s.value];
        if (const TensorType* t = alias.geometry(id)) place.offset = t->offset;
        if (!dirty[i] && state.ord == keys[i] && state.place == place) continue;
        if (state.version != 0) {
            rows_.close(state.version, stage - 1);
            ++difference.modified;
        } else {
            ++difference.added;
        }
        state.version = rows_.insert(body, id, stage, keys[i], place, storages_);
        ++difference.versions;
        state.ord = keys[i];
        state.place = std::move(place);
        if (dirty[i]) state.take(g[id], provenanceOf(g, g[id]));
    }
    track.live = order;
    track.facts = factsOf(body, alias);
}

void NodeVersions::removeBody(std::uint32_t number, BodyTrack& track, int stage, StageDifference& difference) {
    for (NodeId id : track.live) {
        rows_.close(track.states[id.value].version, stage - 1);
        ++difference.removed;
    }
    storages_.removeBody(stage, number);
}

void NodeVersions::sumFacts() {
    facts_ = {};
    for (const auto& [number, track] : tracks_) {
        const StageFacts& f = track->facts;
        facts_.nodes += f.nodes;
        facts_.clones += f.clones;
        facts_.copiesBack += f.copiesBack;
        facts_.selfCopies += f.selfCopies;
        addBytes(facts_.clonedBytes, f.clonedBytes);
        addBytes(facts_.copiedBackBytes, f.copiedBackBytes);
    }
}

std::optional<Uid> NodeVersions::uidOf(const NodeRef& ref) const {
    if (!ref.id) return uidInBody(ref.name.view());
    for (const auto& [number, track] : tracks_)
        if (ref.id.value < track->states.size() && track->states[ref.id.value].name == ref.name) return makeUid(number, ref.id);
    return makeUid(0, ref.id);
}

/// `true_graph_0.add`: a node of a body, which reports name by the body's path because ids are those of another graph.
std::optional<Uid> NodeVersions::uidInBody(std::string_view path) const {
    const std::size_t dot = path.rfind('.');
    if (dot == path.npos) return std::nullopt;
    for (const Body& body : bodies_) {
        if (body.path != path.substr(0, dot)) continue;
        const NodeId id = body.graph->find(Name(path.substr(dot + 1)));
        return id ? std::optional(makeUid(body.number, id)) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<Uid> NodeVersions::uidOf(Name name) const {
    if (name.empty()) return std::nullopt;
    for (const Body& body : bodies_)
        if (const NodeId id = body.graph->find(name)) return makeUid(body.number, id);
    return std::nullopt;
}

}  // namespace aliascope::recording
