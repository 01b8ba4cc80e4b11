// Making room for a write in place: readers go in front of it (L2), a saved copy serves them (L3), chains on one input are seen as one (L7).

#include <algorithm>

#include "core/analysis/footprint.h"
#include "core/passes/reinplace_candidates.h"
#include "core/passes/reinplace_save.h"
#include "core/passes/write_forms.h"

namespace aliascope {
namespace {

/// Readers that are dealt with for one write; more of them are left in the way.
constexpr std::size_t kMostReaders = 32;
/// Uses that may be looked at for all moves of a graph, so that a graph of refusals stays near-linear.
constexpr std::size_t kMostRoomWork = 20'000'000;
/// What an allocator hands out at least: less than that is held for nothing.
constexpr std::int64_t kSmallestAllocation = 512;

bool isLaterRead(const Answer& answer) { return answer.code.starts_with("RI30") || answer.code == "RI31" || answer.code == "RI51"; }

std::string namesOf(const Graph& g, const std::vector<NodeId>& nodes) {
    std::string out;
    for (NodeId id : nodes) out += (out.empty() ? "" : ", ") + g[id].name.str();
    return out;
}

std::vector<NodeRef> refs(const Graph& g, const std::vector<NodeId>& nodes) {
    std::vector<NodeRef> out;
    for (NodeId id : nodes) out.push_back(ref(g, id));
    return out;
}

}  // namespace

std::optional<std::int64_t> Reinplacer::cloneBytes(const Value& value, bool wrapper) const {
    const TensorType* t = value.isNode() ? index_.geometry(value.asNode()) : nullptr;
    if (!t || itemSize(t->dtype) == 0) return std::nullopt;
    auto elements = wrapper ? t->extent() : std::optional(t->numel());
    if (elements && wrapper && t->offset && !(*elements == SymInt(0))) elements = *elements - *t->offset;
    return elements ? (*elements * SymInt(itemSize(t->dtype))).evaluate(g_.symbols) : std::nullopt;
}

Answer Reinplacer::askMakingRoom(Question& q, std::optional<std::int64_t> cloneBytes, bool mayCopy) {
    Answer answer = table_.ask(q);
    if (answer.inPlace || !order_ || !q.value.isNode() || !isLaterRead(answer) || roomWork_ > kMostRoomWork) return answer;
    const auto readers = table_.readersOfOld(q, kMostReaders);
    if (!readers || readers->empty()) return answer;
    // Nothing is touched unless these readers are all that is in the way.
    Question without = q;
    without.ignored.insert(without.ignored.end(), readers->begin(), readers->end());
    const bool enough = table_.ask(without).inPlace;
    if (!enough) return answer;

    std::unordered_set<NodeId> moved;
    std::vector<StorageUse> stuck;
    NodeId inCycle;
    for (const StorageUse& use : *readers) {
        const auto way = use.user == q.node ? ReaderOrder::Way::Fixed : order_->plan(q.node, use.user, moved);
        if (way == ReaderOrder::Way::Free) continue;
        if (way == ReaderOrder::Way::Cycle && g_[use.user].kind != NodeKind::Output && !inCycle) inCycle = use.user;
        stuck.push_back(use);
    }
    const auto held = order_->heldBytes(moved);
    const bool affordable =
        moved.empty() || order_->restoresSource(q.node, moved) || (held && cloneBytes && (*held <= *cloneBytes || *held <= kSmallestAllocation));
    if (stuck.empty() && affordable && moveReaders(q, moved, answer)) return answer;
    if (!affordable) {
        stuck = *readers;
        moved.clear();
    }
    if (mayCopy && cloneBytes && !stuck.empty() && saveOld(q, stuck, std::move(moved), *cloneBytes, answer)) return answer;
    if (inCycle && answer.code.starts_with("RI30")) {
        answer.code = "RI50";
        answer.rule = "reinplace 9 L2";
        answer.neededBytes = table_.neededBytes(q, stuck);
        answer.params.emplace_back("reader", g_[inCycle].name.str());
        answer.params.emplace_back("needed", answer.neededBytes ? std::to_string(*answer.neededBytes) : "some");
        answer.checks.push_back({"the readers can run first", CheckStep::Answer::Failed, g_[inCycle].name.str() + " needs a result of the node"});
    }
    return answer;
}

bool Reinplacer::moveReaders(const Question& q, const std::unordered_set<NodeId>& moved, Answer& answer) {
    if (!ctx_.mayRewrite()) return false;
    const auto nodes = order_->sorted(moved);
    Rewrite rewrite{"order-readers", refs(g_, nodes), refs(g_, nodes)};
    rewrite.theorem = "reinplace 9 L2";
    rewrite.message = "read what " + g_[q.node].name.str() + " overwrites, and need none of its results";
    for (NodeId id : nodes) g_.moveBefore(id, q.node);
    movedReaders_.insert(nodes.begin(), nodes.end());
    roomWork_ += index_.usersMoved(g_, nodes);
    ctx_.rewrite(std::move(rewrite));
    answer = table_.ask(q);
    answer.rule = "reinplace 9 L2";
    answer.checks.push_back({"the readers of the old value run first", CheckStep::Answer::Ok, namesOf(g_, nodes)});
    return true;
}

bool Reinplacer::saveOld(const Question& q, const std::vector<StorageUse>& readers, std::unordered_set<NodeId> moved, std::int64_t cloneBytes,
                         Answer& answer) {
    const auto plan = planOldValue(g_, index_, readers);
    if (!plan || plan->bytes >= cloneBytes) return false;
    for (const StorageUse& use : readers) {
        const auto written = operandsToBeWritten(ctx_.ops(), g_, use.user);
        if (use.user != q.node && std::find(written.begin(), written.end(), use.value) != written.end()) return false;
    }
    // A view that is only taken behind the write can be taken in front of it.
    for (NodeId value : plan->values)
        if (!g_.before(value, q.node) && order_->plan(q.node, value, moved) != ReaderOrder::Way::Free) return false;
    if (!ctx_.mayRewrite()) return false;

    const auto nodes = order_->sorted(moved);
    for (NodeId id : nodes) g_.moveBefore(id, q.node);
    movedReaders_.insert(nodes.begin(), nodes.end());
    roomWork_ += index_.usersMoved(g_, nodes);
    const SavedValues saved = saveOldValues(g_, ctx_, *plan, index_, q.node);
    Rewrite rewrite{"save-old", {}, refs(g_, saved.made)};
    rewrite.theorem = "reinplace 9 L3";
    rewrite.message = std::to_string(plan->bytes) + " B instead of " + std::to_string(cloneBytes) + " B";
    for (const StorageUse& use : readers) {
        const auto at = std::find(plan->values.begin(), plan->values.end(), use.value) - plan->values.begin();
        rewrite.before.push_back(ref(g_, use.user));
        readSaved(use.user, use.value, saved.saved[static_cast<std::size_t>(at)]);
        if (use.user != q.node) index_.dropUse(use.user, use.value);
    }
    ctx_.rewrite(std::move(rewrite));

    const std::string blocker = answer.code;
    Question rest = q;
    std::erase_if(rest.reads, [&](const Question::Read& r) {
        return std::find(readers.begin(), readers.end(), StorageUse{q.node, r.value}) != readers.end();
    });
    Answer now = table_.ask(rest);
    now.rule = "reinplace 9 L3";
    now.blocker = answer.blocker;
    now.view = answer.view;
    now.neededBytes = table_.neededBytes(q, readers);
    now.saved = SavedOld{plan->bytes, cloneBytes, "save-old"};
    now.checks.push_back(
        {"readers of the old value get a copy of what they read", CheckStep::Answer::Ok, g_[saved.clone].name.str() + ", " + blocker});
    answer = std::move(now);
    return true;
}

void Reinplacer::readSaved(NodeId user, NodeId from, NodeId to) {
    if (wrapperKind(g_[user]) != WrapperKind::V2) {
        g_.replaceUsesIn(user, from, Value::node(to));
        return forms_.operandReplaced(user, from, to);
    }
    // The bases are what is written; only what the call reads besides changes.
    auto kwargs = g_[user].kwargs;
    for (auto& [key, value] : kwargs)
        if (!(key == "_all_bases")) value = value.mapNodes([&](NodeId n) { return Value::node(n == from ? to : n); });
    g_.setKwargs(user, std::move(kwargs));
}

void Reinplacer::findWrittenBackChains() {
    std::unordered_map<NodeId, ChainLink> links;
    const auto link = [&](NodeId result, NodeId previous) {
        const auto it = links.find(previous);
        links[result] = {previous, it == links.end() ? previous : it->second.root};
    };
    for (NodeId id : inOrder(g_)) {
        const NodeId first = g_[id].arg(0).asNode();
        if (wrapperKind(g_[id]) != WrapperKind::None) {
            // The new value of a base follows the base: both are one memory when the call writes in place.
            const auto call = readWrapper(ctx_.ops(), g_, id);
            if (!call) continue;
            for (const Key& key : keysOf(id, *call))
                if (key.value.isNode())
                    for (const auto& result : key.results) link(result.node, key.value.asNode());
        } else if (first && isCandidate(id)) {
            link(id, first);
        } else if (first && g_[id].is("aten::copy_"_n) && isInput(g_[first])) {
            const auto it = links.find(g_[id].arg(1).asNode());
            if (it != links.end() && it->second.root == first) markChain(first, it->first, links);
        }
    }
}

void Reinplacer::markChain(NodeId input, NodeId last, const std::unordered_map<NodeId, ChainLink>& links) {
    const auto bytesOf = [&](NodeId id) {
        const TensorType* t = id ? g_[id].tensor() : nullptr;
        const auto bytes = t ? t->bytes() : std::nullopt;
        return bytes ? bytes->evaluate(g_.symbols) : std::nullopt;
    };
    // Links that overwrite each other may move more than the one copy at the end.
    std::vector<NodeId> chain;
    std::int64_t written = 0;
    for (NodeId at = last; at != input && !writtenBackChain_.contains(at); at = links.at(at).previous) {
        chain.push_back(at);
        if (!mayFollow(at, links.at(at).previous, input)) return;
        if (!forms_.find(at)) continue;
        const auto bytes = bytesOf(g_[at].arg(1).asNode());
        if (!bytes || __builtin_add_overflow(written, *bytes, &written)) return;
    }
    const auto whole = bytesOf(input);
    if (whole && written <= *whole) writtenBackChain_.insert(chain.begin(), chain.end());
}

bool Reinplacer::mayFollow(NodeId link, NodeId previous, NodeId input) {
    const bool item = g_[link].op == "operator::getitem";
    const NodeId writer = item ? g_[link].arg(0).asNode() : link;
    const StorageId storage = index_.alias().storageOf(previous);
    if (!storage || table_.returnedApart(link, input)) return false;
    const auto place = item ? std::nullopt : forms_.written(g_, ctx_.ops(), index_.alias(), link);
    const auto& uses = index_.uses(storage);
    std::unordered_set<NodeId> moved;
    auto at = std::upper_bound(uses.begin(), uses.end(), writer, [&](NodeId n, const StorageUse& u) { return g_.before(n, u.user); });
    for (std::size_t looked = 0; at != uses.end(); ++at) {
        if (g_[at->value].is("aten::copy_"_n)) continue;  // reads what was written back
        if (at->view || (g_[at->user].is("aten::copy_"_n) && !g_[at->user].arg(1).usesNode(at->value))) continue;
        const TensorType* read = index_.geometry(at->value);
        if (place && read && exactOverlap(*place, *read, g_.symbols) == Overlap::Disjoint) continue;
        if (++looked > kMostReaders || order_->plan(writer, at->user, moved) != ReaderOrder::Way::Free) return false;
    }
    return true;
}

NodeId Reinplacer::standing(NodeId value) const {
    const auto it = standsIn_.find(value);
    return it == standsIn_.end() ? value : it->second;
}

void Reinplacer::eraseWriteBackOf(NodeId value, NodeId id) {
    NodeId input = value;
    if (mode_ == AnalysisMode::Extent) {
        input = standsIn_[id] = standing(value);
        // A view that shows all of an input is the input.
        const StorageId storage = index_.alias().storageOf(input);
        const TensorType* place = index_.geometry(input);
        if (storage && place)
            for (NodeId whole : index_.inputs(storage))
                if (index_.geometry(whole) && samePlace(*place, *index_.geometry(whole))) input = whole;
    }
    if (const NodeId copy = index_.writeBack(input, id)) eraseWriteBack(copy, input);
}

void Reinplacer::eraseRefusedCopies() {
    for (NodeId id : inOrder(g_)) {
        const NodeId to = g_[id].is("aten::copy_"_n) ? g_[id].arg(0).asNode() : NodeId(), from = to ? g_[id].arg(1).asNode() : NodeId();
        if (!from || from == to || replacements_.contains(id) || !table_.sameMemory(to, from)) continue;
        if (!(*index_.geometry(to)->strides == *index_.geometry(from)->strides)) eraseWriteBack(id, to);
    }
}

}  // namespace aliascope
