#include "core/passes/fused_memory.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/ops/higher_order.h"
#include "core/passes/chunk_rules.h"

namespace aliascope {
namespace {

constexpr int kDeepestBody = 64;
/// A chain that reads more buffers than this gets one itself, so that readers do not repeat its reads: any chain, and one with several readers
/// (Inductor's realize_acc_reads_threshold and realize_reads_threshold).
constexpr std::size_t kMostReads = 8, kMostRepeatedReads = 4;

/// Where a value lies, by its operator alone; a fused one still gets a buffer when somebody needs it in memory.
enum class Held : std::uint8_t {
    No,      ///< no call
    View,    ///< in the buffer of its first operand
    Fused,   ///< computed where it is read
    Buffer,  ///< has its own; what it reads is fused into it
    Kernel,  ///< has its own; what it reads must be in memory
};

/// A buffer that a fused value reads.
struct Read {
    std::uint32_t buffer = 0;
    bool inPlace = true;  ///< element i of the result reads element i only
};

struct BufferLife {
    std::int64_t bytes = 0;
    std::uint32_t birth = 0, death = 0;
    bool counted = false;  ///< not the caller's
};

bool reducesFused(Name packet) {
    static const std::unordered_set<Name> packets = {"aten::sum"_n, "aten::amax"_n, "aten::amin"_n,     "aten::mean"_n, "aten::logsumexp"_n,
                                                     "aten::any"_n, "aten::all"_n,  "aten::var_mean"_n, "aten::var"_n,  "aten::prod"_n,
                                                     "aten::max"_n, "aten::min"_n,  "aten::argmax"_n};
    return packets.contains(packet);
}

/// Read elements of their operands at other places.
bool readsElsewhere(Name packet) {
    static const std::unordered_set<Name> packets = {"aten::gather"_n, "aten::embedding"_n, "aten::index"_n, "aten::constant_pad_nd"_n};
    return packets.contains(packet);
}

bool readsInPlace(const OpRegistry& ops, Name op) {
    static const std::unordered_set<Name> packets = {"prims::convert_element_type"_n,
                                                     "aten::where"_n,
                                                     "aten::clone"_n,
                                                     "aten::_to_copy"_n,
                                                     "aten::full_like"_n,
                                                     "prims::fma"_n,
                                                     "aten::zeros_like"_n,
                                                     "aten::ones_like"_n};
    const OpDef* def = ops.find(op);
    return packets.contains(packetOf(op)) || (def && def->is(Trait::Pointwise) && def->isPure());
}

/// Writes some elements into a copy of its first operand.
bool scattersInto(Name packet) {
    static const std::unordered_set<Name> packets = {"aten::index_put"_n,     "aten::scatter"_n,        "aten::scatter_add"_n,
                                                     "aten::slice_scatter"_n, "aten::select_scatter"_n, "aten::index_add"_n};
    return packets.contains(packet);
}

bool makesFromNothing(Name op) {
    const Name packet = packetOf(op);
    return isFill(op) || packet == "prims::iota" || packet == "aten::arange";
}

/// Lives of buffers over program order, and the most that lives at once.
class FusedSweep {
public:
    FusedSweep(const Graph& g, const OpRegistry& ops, int depth, std::unordered_map<const Graph*, FusedPeak>& known)
        : g_(g),
          ops_(ops),
          depth_(depth),
          known_(known),
          held_(g.idBound(), Held::No),
          reads_(g.idBound()),
          positions_(g.idBound()),
          backward_(g.idBound()) {}

    FusedPeak run() {
        std::uint32_t at = 0;
        for (NodeId id : inOrder(g_)) positions_[id.value] = at++;
        extra_.assign(at, 0);
        nodes_.reserve(at);
        for (NodeId id : inOrder(g_)) {
            held_[id.value] = holds(id);
            const Node& n = g_[id];
            const std::vector<NodeId> operands = g_.operands(id);
            backward_[id.value] = (n.kind == NodeKind::Placeholder && n.name.view().find("tangent") != std::string_view::npos) ||
                                  std::any_of(operands.begin(), operands.end(), [&](NodeId o) { return backward_[o.value]; });
        }
        for (NodeId id : inOrder(g_)) {
            nodes_.push_back(id);
            visit(id);
        }
        return peak();
    }

private:
    std::uint32_t position(NodeId id) const { return positions_[id.value]; }

    std::int64_t bytesOf(NodeId id) {
        const TensorType* t = g_[id].tensor();
        const auto bytes = t ? t->bytes() : std::nullopt;
        if (!bytes) return 0;
        if (!bytes->isConst()) peak_.symbolic = true;
        return std::max<std::int64_t>(bytes->evaluate(g_.symbols).value_or(0), 0);
    }

    /// Some reader needs the value in memory: a kernel that is not fused, or the caller.
    bool neededInMemory(NodeId id) const {
        std::vector<NodeId> work{id};
        std::unordered_set<NodeId> seen;
        while (!work.empty()) {
            const NodeId value = work.back();
            work.pop_back();
            for (const Node::User& user : g_[value].users) {
                const Held how = held_[user.id.value];
                if (how == Held::View) {
                    if (seen.insert(user.id).second) work.push_back(user.id);
                } else if (g_[user.id].kind == NodeKind::Output) {
                    return true;
                } else if (how == Held::Kernel && !(scattersInto(packetOf(g_[user.id].op)) && fillsOnly(value))) {
                    return true;
                }
            }
        }
        return false;
    }
    bool fillsOnly(NodeId value) const { return makesFromNothing(g_[value].op); }

    Held holds(NodeId id) const {
        const Node& n = g_[id];
        if (!n.isCall()) return Held::No;
        const Name packet = packetOf(n.op);
        if (n.op == "operator::getitem") return cutsOperand(n.arg(0).asNode()) ? Held::View : Held::Buffer;
        if (isSplit(packet) || viewedOperand(ops_, g_, id) || packet == "aten::reshape" || packet == "aten::contiguous") return Held::View;
        if (makesFromNothing(n.op) || readsElsewhere(packet) || readsInPlace(ops_, n.op)) return Held::Fused;
        if (scattersInto(packet) && packet != "aten::index_put" && !n.args.empty() && n.arg(0).isNode() && fillsOnly(n.arg(0).asNode()))
            return Held::Fused;
        if (reducesFused(packet)) return Held::Buffer;
        return Held::Kernel;
    }

    void visit(NodeId id) {
        const Node& n = g_[id];
        if (n.kind == NodeKind::Output) {
            for (NodeId o : g_.operands(id))
                for (const Read& r : readsOf(o)) {
                    touch(r.buffer, position(id));
                    lives_[r.buffer].death = std::numeric_limits<std::uint32_t>::max();
                }
            return;
        }
        if (!n.isCall()) {
            if (n.tensor()) own(id, false);
            return;
        }
        const Held how = held_[id.value];
        if (n.op == "operator::getitem") return visitItem(id);
        if (how == Held::View) {
            const std::vector<NodeId> operands = tensorOperands(g_, n);
            if (!operands.empty()) reads_[id.value] = readsOf(operands.front());
            if (movesElements(n))
                for (Read& r : reads_[id.value]) r.inPlace = false;
            return;
        }
        if (how == Held::Fused) return visitFused(id);
        for (NodeId o : tensorOperands(g_, n))
            for (const Read& r : readsOf(o)) touch(r.buffer, position(id));
        if (!n.tensor()) return callBody(id);
        const std::uint32_t made = own(id, true);
        if (scattersInto(packetOf(n.op)) && n.arg(0).isNode()) takeOver(readsOf(n.arg(0).asNode()), made, position(id));
    }

    static bool movesElements(const Node& n) {
        const Name packet = packetOf(n.op);
        return packet == "aten::permute" || packet == "aten::transpose" || packet == "aten::t" || packet == "aten::expand" ||
               packet == "aten::slice" || packet == "aten::select";
    }

    const std::vector<Read>& readsOf(NodeId id) const { return reads_[id.value]; }
    std::vector<Read> readsBy(NodeId id, bool elsewhere) const {
        std::vector<Read> all;
        for (NodeId o : tensorOperands(g_, g_[id]))
            for (Read r : readsOf(o)) {
                r.inPlace = r.inPlace && !elsewhere;
                const auto same = std::find_if(all.begin(), all.end(), [&](const Read& a) { return a.buffer == r.buffer; });
                if (same == all.end())
                    all.push_back(r);
                else
                    same->inPlace = same->inPlace && r.inPlace;
            }
        return all;
    }
    /// The value is read at a position; positions only grow. What waits for its first reader is computed there, from what is then still held.
    void touch(std::uint32_t buffer, std::uint32_t at) {
        std::vector<std::uint32_t> work{buffer};
        while (!work.empty()) {
            const std::uint32_t b = work.back();
            work.pop_back();
            lives_[b].death = std::max(lives_[b].death, at);
            const auto waits = waiting_.find(b);
            if (waits == waiting_.end()) continue;
            lives_[b].birth = at;
            for (const Read& r : waits->second) work.push_back(r.buffer);
            takeOver(waits->second, b, at);
            waiting_.erase(waits);
        }
    }

    std::uint32_t own(NodeId id, bool counted) {
        const auto buffer = static_cast<std::uint32_t>(lives_.size());
        lives_.push_back({counted ? bytesOf(id) : 0, position(id), position(id), counted});
        reads_[id.value] = {{buffer, true}};
        return buffer;
    }
    /// A chain that somebody needs in memory is written where it stands. One that only reads too much is written for its first reader: compiled code
    /// computes values of the forward pass again rather than keep them.
    void visitFused(NodeId id) {
        const Node& n = g_[id];
        std::vector<Read> all = readsBy(id, readsElsewhere(packetOf(n.op)));
        const bool inMemory = neededInMemory(id);
        if (!inMemory && keptForBackward(id, all)) return keep(id, all);
        if (!inMemory && all.size() <= (n.users.size() > 1 ? kMostRepeatedReads : kMostReads)) {
            reads_[id.value] = std::move(all);
            return;
        }
        const std::uint32_t made = own(id, true);
        if (!inMemory || fillsOnly(id)) {
            waiting_.emplace(made, std::move(all));
            return;
        }
        for (const Read& r : all) touch(r.buffer, position(id));
        takeOver(all, made, position(id));
    }
    /// A value of the forward pass that the backward pass reads is kept where that takes less than what it is computed from (the partitioner's cut).
    bool keptForBackward(NodeId id, const std::vector<Read>& all) {
        const Node& n = g_[id];
        const auto later = [&](const Node::User& u) { return backward_[u.id.value] && g_[u.id].kind != NodeKind::Output; };
        if (backward_[id.value] || std::none_of(n.users.begin(), n.users.end(), later)) return false;
        std::int64_t kept = 0;
        for (const Read& r : all) kept += lives_[r.buffer].bytes;
        return bytesOf(id) < kept;
    }
    /// Written as soon as what it reads is there, however late the joint graph repeats the computation.
    void keep(NodeId id, const std::vector<Read>& all) {
        const std::uint32_t made = own(id, true);
        std::uint32_t ready = 0;
        for (const Read& r : all) {
            touch(r.buffer, lives_[r.buffer].birth);
            ready = std::max(ready, lives_[r.buffer].birth);
        }
        lives_[made].birth = lives_[made].death = ready;
        for (const Read& r : all) touch(r.buffer, ready);
        takeOver(all, made, ready);
    }
    /// The result takes the memory of an operand that dies with this node; settled when all deaths are known.
    void takeOver(const std::vector<Read>& from, std::uint32_t made, std::uint32_t at) {
        for (const Read& r : from)
            if (r.inPlace && lives_[r.buffer].counted && lives_[r.buffer].bytes == lives_[made].bytes && lives_[made].bytes > 0)
                takeovers_.push_back({r.buffer, made, at});
    }
    void visitItem(NodeId id) {
        const NodeId tuple = g_[id].arg(0).asNode();
        if (!tuple || !g_[id].tensor()) return;
        if (cutsOperand(tuple)) {
            reads_[id.value] = readsOf(tuple);
            for (Read& r : reads_[id.value]) r.inPlace = false;
            return;
        }
        const std::uint32_t made = own(id, true);
        lives_[made].birth = position(tuple);
    }
    static bool isSplit(Name packet) {
        return packet == "aten::split" || packet == "aten::chunk" || packet == "aten::unbind" || packet == "aten::split_with_sizes";
    }
    bool cutsOperand(NodeId tuple) const { return tuple && (viewedOperand(ops_, g_, tuple) || isSplit(packetOf(g_[tuple].op))); }
    void callBody(NodeId id) {
        const auto body = bodyOf(g_, g_[id]);
        if (!body || depth_ >= kDeepestBody) return;
        auto known = known_.find(body->body);
        if (known == known_.end()) {
            const FusedPeak inner = FusedSweep(*body->body, ops_, depth_ + 1, known_).run();
            known = known_.emplace(body->body, inner).first;
        }
        extra_[position(id)] = known->second.bytes;
        peak_.symbolic |= known->second.symbolic;
        bodies_.emplace(position(id), known->second.bytes);
    }

    FusedPeak peak() {
        std::unordered_set<std::uint32_t> given, settled;
        for (const TakeOver& t : takeovers_) {
            BufferLife& old = lives_[t.from];
            if (old.death != t.at || lives_[t.made].birth != t.at || given.contains(t.from) || !settled.insert(t.made).second) continue;
            given.insert(t.from);
            if (old.birth < t.at) old.death = t.at - 1;
        }
        std::vector<std::int64_t> change(nodes_.size() + 1, 0);
        for (std::uint32_t b = 0; b < lives_.size(); ++b) {
            const BufferLife& life = lives_[b];
            if (!life.counted || waiting_.contains(b)) continue;
            change[life.birth] += life.bytes;
            if (life.death + std::uint64_t(1) < change.size()) change[life.death + 1] -= life.bytes;
        }
        // What a body returns is counted in the body while it runs.
        std::vector<std::int64_t> returned(nodes_.size(), 0);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (g_[nodes_[i]].op == "operator::getitem" && !readsOf(nodes_[i]).empty()) {
                const BufferLife& life = lives_[readsOf(nodes_[i]).front().buffer];
                if (life.counted && bodies_.contains(life.birth)) returned[life.birth] += life.bytes;
            }
        std::int64_t live = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            live += change[i];
            const std::int64_t inBody = extra_[i];
            const std::int64_t now = std::max(live, live - returned[i] + inBody);
            if (now <= peak_.bytes) continue;
            peak_.bytes = now;
            peak_.node = nodes_[i];
            peak_.inBody = inBody;
        }
        return peak_;
    }

    struct TakeOver {
        std::uint32_t from, made, at;
    };
    const Graph& g_;
    const OpRegistry& ops_;
    int depth_;
    std::unordered_map<const Graph*, FusedPeak>& known_;
    std::vector<Held> held_;
    std::vector<std::vector<Read>> reads_;  ///< by node: buffers that its value lies in or is computed from
    std::vector<std::uint32_t> positions_;
    std::vector<bool> backward_;  ///< depends on a tangent
    std::vector<NodeId> nodes_;
    std::vector<BufferLife> lives_;
    std::vector<TakeOver> takeovers_;
    std::unordered_map<std::uint32_t, std::vector<Read>> waiting_;  ///< buffers that are not written yet, and what they are computed from
    std::vector<std::int64_t> extra_;                               ///< by position: what a called body allocates at its peak
    std::unordered_map<std::uint32_t, std::int64_t> bodies_;
    FusedPeak peak_;
};

}  // namespace

FusedPeak fusedPeak(const Graph& g, const OpRegistry& ops) {
    std::unordered_map<const Graph*, FusedPeak> known;
    return FusedSweep(g, ops, 0, known).run();
}

}  // namespace aliascope
