#include "core/patterns/mask_values.h"

#include "core/ir/op_registry.h"

namespace aliascope::patterns {
namespace {

constexpr int kDepth = 24;

bool isViewLike(Name packet) {
    return packet == "aten::expand" || packet == "aten::view" || packet == "aten::unsqueeze" || packet == "aten::squeeze" ||
           packet == "aten::alias" || packet == "aten::clone" || packet == "aten::permute" || packet == "aten::slice" || packet == "aten::reshape";
}

/// row * i + column * j + constant, of an element at row i and column j of the last two dims.
struct Linear {
    std::int64_t row = 0, column = 0, constant = 0;
};

/// A condition `row * i + column * j + constant >= 0`, or always true.
struct Condition {
    bool always = false;
    Linear left;
};

std::optional<std::int64_t> whole(const Value& v) {
    const auto i = v.asInt();
    return i && *i > -(1ll << 40) && *i < (1ll << 40) ? i : std::nullopt;
}

class MaskReader {
public:
    explicit MaskReader(const Graph& g) : g_(g) {}

    std::optional<Condition> condition(NodeId id, int depth = 0) const {
        if (!id || depth > kDepth || g_[id].kind != NodeKind::CallFunction) return std::nullopt;
        const Node& n = g_[id];
        const Name packet = packetOf(n.op);
        if (const auto v = uniformValue(g_, id)) return *v != 0 ? std::optional(Condition{true, {}}) : std::nullopt;
        if (packet == "aten::expand" || packet == "aten::alias" || packet == "aten::clone" || leadingUnsqueeze(n) || leadingView(n))
            return condition(n.arg(0).asNode(), depth + 1);
        if (packet == "aten::bitwise_and" || packet == "aten::logical_and") {
            const auto a = condition(n.arg(0).asNode(), depth + 1), b = condition(n.arg(1).asNode(), depth + 1);
            if (!a || !b) return std::nullopt;
            return a->always ? b : b->always ? a : std::nullopt;
        }
        const bool ge = packet == "aten::ge", gt = packet == "aten::gt", le = packet == "aten::le", lt = packet == "aten::lt";
        if (!ge && !gt && !le && !lt) return std::nullopt;
        const auto a = linear(n.arg(0), id, depth + 1), b = linear(n.arg(1), id, depth + 1);
        if (!a || !b) return std::nullopt;
        Linear d = ge || gt ? Linear{a->row - b->row, a->column - b->column, a->constant - b->constant}
                            : Linear{b->row - a->row, b->column - a->column, b->constant - a->constant};
        if (gt || lt) d.constant -= 1;
        return Condition{false, d};
    }

private:
    /// Only dims before the last two are added.
    bool leadingUnsqueeze(const Node& n) const {
        const TensorType* t = n.tensor();
        const auto dim = n.op == "aten::unsqueeze" ? n.arg(1).asInt() : std::nullopt;
        if (!t || !dim) return false;
        const auto rank = static_cast<std::int64_t>(t->rank());
        return (*dim < 0 ? *dim + rank : *dim) + 2 < rank;
    }
    bool leadingView(const Node& n) const {
        if (n.op != "aten::view") return false;
        const TensorType *to = n.tensor(), *from = n.arg(0).isNode() ? g_[n.arg(0).asNode()].tensor() : nullptr;
        if (!to || !from || to->rank() < 2 || from->rank() < 2) return false;
        return to->sizes[to->rank() - 1] == from->sizes[from->rank() - 1] && to->sizes[to->rank() - 2] == from->sizes[from->rank() - 2];
    }

    /// `user` is the call whose result has the rank in which rows and columns are counted.
    std::optional<Linear> linear(const Value& v, NodeId user, int depth) const {
        if (const auto i = whole(v)) return Linear{0, 0, *i};
        if (!v.isNode() || depth > kDepth) return std::nullopt;
        const Node& n = g_[v.asNode()];
        const Name packet = packetOf(n.op);
        if (packet == "aten::add" || packet == "aten::sub") {
            const auto a = linear(n.arg(0), user, depth + 1), b = linear(n.arg(1), user, depth + 1);
            if (!a || !b || n.kwarg("alpha"_n)) return std::nullopt;
            const std::int64_t s = packet == "aten::add" ? 1 : -1;
            return Linear{a->row + s * b->row, a->column + s * b->column, a->constant + s * b->constant};
        }
        return iota(v.asNode());
    }

    /// A range along the last dim counts columns, along the one before rows.
    std::optional<Linear> iota(NodeId id) const {
        bool column = true;
        for (int depth = 0; depth < kDepth; ++depth) {
            const Node& n = g_[id];
            const TensorType* t = n.tensor();
            if (n.op == "prims::iota") {
                const Value *start = n.kwarg("start"_n), *step = n.kwarg("step"_n);
                if (!start || !step || !whole(*start) || !whole(*step)) return std::nullopt;
                const std::int64_t by = *whole(*step), from = *whole(*start);
                return column ? Linear{0, by, from} : Linear{by, 0, from};
            }
            if (n.op == "aten::arange" || n.op == "aten::arange.start_step" || n.op == "aten::arange.start") {
                if (n.op != "aten::arange") return std::nullopt;
                return column ? Linear{0, 1, 0} : Linear{1, 0, 0};
            }
            if (!n.arg(0).isNode() || !t) return std::nullopt;
            if (n.op == "aten::unsqueeze" || n.op == "aten::view") {
                const TensorType* from = g_[n.arg(0).asNode()].tensor();
                if (!from || from->rank() != 1 || t->rank() < 1) return std::nullopt;
                const std::size_t r = t->rank();
                if (r >= 2 && t->sizes[r - 1] == SymInt(1) && t->sizes[r - 2] == from->sizes[0])
                    column = false;
                else if (!(t->sizes[r - 1] == from->sizes[0]))
                    return std::nullopt;
            } else if (packetOf(n.op) != "prims::convert_element_type" && n.op != "aten::alias") {
                return std::nullopt;
            }
            id = n.arg(0).asNode();
        }
        return std::nullopt;
    }

    const Graph& g_;
};

}  // namespace

std::optional<double> uniformValue(const Graph& g, NodeId id) {
    for (int depth = 0; depth < kDepth && id; ++depth) {
        const Node& n = g[id];
        const Name packet = packetOf(n.op);
        if (n.op == "aten::full") return n.arg(1).asNumber();
        if (packet == "aten::scalar_tensor") return n.arg(0).asNumber();
        if (packet == "aten::zeros") return 0.0;
        if (packet == "aten::ones") return 1.0;
        if (!isViewLike(packet)) return std::nullopt;
        id = n.arg(0).asNode();
    }
    return std::nullopt;
}

std::optional<LowerTriangle> lowerTriangle(const Graph& g, NodeId id) {
    const auto c = MaskReader(g).condition(id);
    if (!c || c->always || c->left.row != 1 || c->left.column != -1) return std::nullopt;
    return LowerTriangle{c->left.constant};
}

}  // namespace aliascope::patterns
