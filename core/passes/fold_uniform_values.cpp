// Uniform-value folding (canonicalize.md 5.2): abstract interpretation over "unknown" or one element.

#include <cmath>
#include <unordered_map>

#include "core/passes/clean_up.h"
#include "core/passes/fold_constants.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/new_nodes.h"
#include "core/passes/scalar_values.h"
#include "core/passes/topological_sort.h"

namespace aliascope {
namespace {

const Name& fullOp() {
    static const Name op("aten::full");
    return op;
}

struct Uniform {
    Scalar value;
    std::uint32_t buffer = 0;  ///< equal numbers = the interpreter would hold one tensor for both
    NodeId computedBy;         ///< the call that made the buffer
};

/// The number of a constructor as PyTorch writes it down again.
Value fillOf(const Node& n, const Scalar& value) { return n.is(fullOp()) && n.args.size() == 2 ? n.arg(1) : value.item(); }

bool isUnsigned(DType d) { return d == DType::U8 || d == DType::U16 || d == DType::U32 || d == DType::U64; }

class UniformFolder {
public:
    UniformFolder(Graph& g, PassContext& ctx) : g_(g), ctx_(ctx), values_(g.idBound()), lastUser_(g.idBound()), replacedUses_(g.idBound()) {}

    UniformNodes run() {
        interpret();
        countBuffers();
        for (NodeId id : candidates_)
            if (g_.contains(id) && isCandidate(id)) replace(id);
        if (needsSort_) stableTopologicalSort(g_);
        if (isExtended(ctx_)) eraseUnused();
        return std::move(found_);
    }

private:
    // --- values -----------------------------------------------------------------------------------------------------------------------------

    void interpret() {
        for (NodeId id : inOrder(g_))
            for (NodeId operand : g_.operands(id)) lastUser_[operand.value] = id;
        for (NodeId id : inOrder(g_)) {
            const Node& n = g_[id];
            rememberSize(id, n);
            if (n.kind != NodeKind::CallFunction) continue;
            auto value = valueOf(id, n);
            if (!value) continue;
            values_[id.value] = value;
            if (!n.tensor() || n.tensor()->device == "meta") continue;
            candidates_.push_back(id);
            candidate_.insert(id);
            dropOperandsOf(id);
        }
    }

    void rememberSize(NodeId id, const Node& n) {
        const SymInt* s = n.type ? n.type->asSym() : nullptr;
        if (s && !s->isConst()) sizeNodes_[s->hash()].push_back(id);
    }

    std::optional<Uniform> known(const Value& v) const {
        const NodeId id = v.asNode();
        return id ? values_[id.value] : std::nullopt;
    }

    std::optional<Uniform> valueOf(NodeId id, const Node& n) {
        static const Name devicePut("prims::device_put"), dtypeView("aten::view.dtype");
        const TensorType* own = n.tensor();
        if (!own) return std::nullopt;
        const Name packet = packetOf(n.op);
        if (auto zero = timesZero(n, packet, *own)) return zero;
        if (n.is(fullOp())) return fill(n, *own);
        if (passesOn(packet) && n.op != dtypeView) return known(n.arg(0));
        if (n.op == dtypeView) return reinterpret(n, *own);
        if (packet == "aten::clone" && isExtended(ctx_)) {
            // A copy that was kept because a write comes between costs nothing when the value can be made again.
            auto value = known(n.arg(0));
            if (value) value->buffer = fresh();
            if (value) value->computedBy = id;
            return value;
        }
        if (n.is("aten::copy"_n) && isExtended(ctx_)) {
            // The destination is not read; what is written may be of another type.
            const auto value = known(n.arg(1));
            const auto written = value ? converted(value->value, own->dtype) : std::nullopt;
            return written ? std::optional(Uniform{*written, fresh(), id}) : std::nullopt;
        }
        if (n.op == devicePut) {
            auto value = known(n.arg(0));
            const TensorType* from = n.arg(0).isNode() ? g_[n.arg(0).asNode()].tensor() : nullptr;
            if (value && (!from || from->device != own->device)) {
                value->buffer = fresh();
                value->computedBy = id;
            }
            return value;
        }
        return elementwise(id, *own);
    }

    static bool passesOn(Name packet) {
        static const std::unordered_set<Name> packets = {
            "aten::squeeze"_n, "aten::unsqueeze"_n, "aten::alias"_n,      "aten::view"_n,    "aten::slice"_n,
            "aten::t"_n,       "aten::expand"_n,    "aten::as_strided"_n, "aten::permute"_n, "prims::broadcast_in_dim"_n};
        return packets.contains(packet);
    }

    /// mul(x, 0) with the integer 0, whatever x is.
    std::optional<Uniform> timesZero(const Node& n, Name packet, const TensorType& own) {
        static const Name mul("aten::mul");
        if (packet != mul || n.args.size() != 2) return std::nullopt;
        const auto isZero = [](const Value& v) { return v.isInt() && *v.asInt() == 0; };
        if (!isZero(n.args[0]) && !isZero(n.args[1])) return std::nullopt;
        if (info(own.dtype).floating && !isFpFast(ctx_)) {
            if (!known(isZero(n.args[0]) ? n.args[1] : n.args[0]))
                refuse(g_, ctx_, n.id, "canonicalize 5.2", "FP_STRICT", {{"what", "NaN and infinity times 0"}});
            return std::nullopt;
        }
        const auto zero = converted(*scalarOf(Value::integer(0)), own.dtype);
        return zero ? std::optional(Uniform{*zero, fresh(), n.id}) : std::nullopt;
    }

    std::optional<Uniform> fill(const Node& n, const TensorType& own) {
        if (n.args.size() != 2) return std::nullopt;
        const auto number = scalarOf(n.arg(1));
        const auto value = number ? converted(*number, own.dtype) : std::nullopt;
        return value ? std::optional(Uniform{*value, fresh(), n.id}) : std::nullopt;
    }

    std::optional<Uniform> reinterpret(const Node& n, const TensorType& own) const {
        auto value = known(n.arg(0));
        const auto bits = value ? reinterpreted(value->value, own.dtype) : std::nullopt;
        if (!bits) return std::nullopt;
        value->value = *bits;
        return value;
    }

    std::optional<Uniform> elementwise(NodeId id, const TensorType& own) {
        static const Name scalarTensor("aten::scalar_tensor");
        const OpDef* def = ctx_.ops().find(g_[id].op);
        if (!def || (!def->is(Trait::Pointwise) && g_[id].op != scalarTensor) || def->is(Trait::Random)) return std::nullopt;
        for (NodeId operand : g_.operands(id))
            if (!values_[operand.value]) return std::nullopt;
        const auto call = bindCall(ctx_.ops(), g_[id]);
        if (!call) return std::nullopt;
        const auto element = [&](const Value& v) -> std::optional<Scalar> {
            if (!v.isNode()) return scalarOf(v);
            const auto value = known(v);
            return value ? std::optional(value->value) : std::nullopt;
        };
        const auto result = evaluateElementwise(*call, own.dtype, element);
        return result ? std::optional(Uniform{*result, fresh(), id}) : std::nullopt;
    }

    std::uint32_t fresh() { return buffers_++; }

    // --- candidates -------------------------------------------------------------------------------------------------------------------------

    /// A candidate all of whose users are candidates is no longer one: nobody needs it. Looked at when its last user was met.
    void dropOperandsOf(NodeId id) {
        const auto count = [&](NodeId operand) { ++replacedUses_[operand.value]; };
        for (const Value& v : g_[id].args) v.forEachNode(count);
        for (const Keyword& k : g_[id].kwargs) k.second.forEachNode(count);
        for (NodeId operand : g_.operands(id)) {
            if (lastUser_[operand.value] == id && replacedUses_[operand.value] == g_[operand].users.size()) candidate_.erase(operand);
        }
    }

    bool isCandidate(NodeId id) const { return candidate_.contains(id); }

    void countBuffers() {
        holders_.resize(buffers_);
        for (NodeId id : candidates_)
            if (isCandidate(id)) holders_[values_[id.value]->buffer].push_back(id);
    }

    // --- replacement ------------------------------------------------------------------------------------------------------------------------

    void replace(NodeId id) {
        const TensorType& own = *g_[id].tensor();
        const Uniform& uniform = *values_[id.value];
        if (isExtended(ctx_)) remember(id, uniform.value);  // a zero is a zero where it stands, too
        if (!own.isContiguous() || isUnsigned(own.dtype) || own.device.empty()) return;
        // Even the stride of a dimension of one element may be read: as a number, as another value's size, by as_strided.
        if (isExtended(ctx_) && !(own.strides == TensorType::contiguousStrides(own.sizes))) return;
        const auto& holders = holders_[uniform.buffer];
        if (holders.size() > 1) {
            const NodeId other = holders[0] == id ? holders[1] : holders[0];
            return refuse(g_, ctx_, id, "canonicalize 5.2", "FOLD_SHARED", {{"node", g_[id].name.str()}, {"other", other_(other)}},
                          g_.contains(other) ? other : NodeId());
        }
        NodeId lastSize;
        const auto shape = shapeOf(id, own, lastSize);
        if (!shape) return refuse(g_, ctx_, id, "canonicalize 5.2", "FOLD_SHAPE", {{"node", g_[id].name.str()}});
        const Value fill = fillOf(g_[id], uniform.value);
        Node full = newCall(fullOp(), {*shape, fill},
                            {{"dtype"_n, Value::constant(Name("torch." + std::string(info(own.dtype).torchName)))},
                             {"layout"_n, Value::constant("torch.strided"_n)},
                             {"device"_n, Value::device(own.device)},
                             {"pin_memory"_n, Value::boolean(false)}});
        if (isSame(g_[id], full)) return remember(id, uniform.value);
        if (!ctx_.mayRewrite()) return;
        full.provenance = g_[id].provenance;
        const NodeId made = g_.insertAfter(id, std::move(full));
        g_.setType(made, g_[id].type, g_[id].trust);
        if (lastSize && g_.before(id, lastSize)) needsSort_ = true;
        Rewrite rewrite{"fold-uniform-value", {ref(g_, id)}, {ref(g_, made)}};
        if (uniform.computedBy != id && g_.contains(uniform.computedBy)) rewrite.before.push_back(ref(g_, uniform.computedBy));
        g_.replaceAllUses(id, made);
        for (NodeId operand : g_.operands(id)) maybeUnused_.push_back(operand);
        g_.erase(id);
        ctx_.rewrite(std::move(rewrite));
        remember(made, uniform.value);
    }

    std::string other_(NodeId id) const { return g_.contains(id) ? g_[id].name.str() : "another constant"; }

    static bool isSame(const Node& a, const Node& b) { return a.op == b.op && a.args == b.args && a.kwargs == b.kwargs; }

    void remember(NodeId id, const Scalar& value) {
        if (value.toDouble() == 0) {
            found_.zeros.insert(id);
            if (value.floating() && std::signbit(value.real)) found_.negativeZeros.insert(id);
        } else if (value.toDouble() == 1) {
            found_.ones.insert(id);
        }
    }

    /// Sizes as numbers and size nodes; nothing when a symbol has no node, or only one that is computed from `id`.
    std::optional<Value> shapeOf(NodeId id, const TensorType& own, NodeId& lastSize) {
        std::vector<Value> out;
        for (const SymInt& size : own.sizes) {
            if (size.isConst()) {
                out.push_back(Value::sym(size));
                continue;
            }
            const NodeId node = sizeNode(size);
            if (!node || dependsOn(node, id)) return std::nullopt;
            if (!lastSize || g_.before(lastSize, node)) lastSize = node;
            out.push_back(Value::node(node));
        }
        return Value::list(std::move(out));
    }

    /// The first node that has the value.
    NodeId sizeNode(const SymInt& size) const {
        const auto found = sizeNodes_.find(size.hash());
        if (found == sizeNodes_.end()) return {};
        for (NodeId id : found->second)
            if (g_.contains(id) && *g_[id].type->asSym() == size) return id;
        return {};
    }

    /// Whether `node` is computed from `on`; yes when that takes a long search.
    bool dependsOn(NodeId node, NodeId on) const {
        constexpr std::size_t kMostLookedAt = 1024;
        if (g_.before(node, on)) return false;
        std::vector<NodeId> work{node};
        std::unordered_set<NodeId> seen{node};
        while (!work.empty()) {
            const NodeId at = work.back();
            work.pop_back();
            if (at == on || seen.size() > kMostLookedAt) return true;
            for (NodeId operand : g_.operands(at))
                if (!g_.before(operand, on) && seen.insert(operand).second) work.push_back(operand);
        }
        return false;
    }

    void eraseUnused() {
        for (NodeId id : maybeUnused_) eraseDeadChain(ctx_.ops(), g_, id);
        for (NodeId id : candidates_)
            if (g_.contains(id) && !isCandidate(id)) eraseDeadChain(ctx_.ops(), g_, id);
    }

    Graph& g_;
    PassContext& ctx_;
    std::vector<std::optional<Uniform>> values_;  ///< by id
    std::vector<NodeId> lastUser_;                ///< by id, in graph order
    std::vector<std::uint32_t> replacedUses_;     ///< by id: mentions by candidates
    std::vector<NodeId> candidates_;              ///< in graph order
    std::unordered_set<NodeId> candidate_;
    std::uint32_t buffers_ = 0;
    std::vector<std::vector<NodeId>> holders_;                          ///< by buffer
    std::unordered_map<std::uint64_t, std::vector<NodeId>> sizeNodes_;  ///< by hash of the value, in graph order
    std::vector<NodeId> maybeUnused_;
    bool needsSort_ = false;
    UniformNodes found_;
};

}  // namespace

UniformNodes foldUniformValues(Graph& g, PassContext& ctx) { return UniformFolder(g, ctx).run(); }

}  // namespace aliascope
