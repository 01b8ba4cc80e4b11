#include "core/passes/chunk_scale.h"

#include <algorithm>
#include <unordered_map>

#include "core/passes/chunk_rules.h"

namespace aliascope {
namespace {

/// How a result depends on operands that wait for a tangent.
enum class Linear : std::uint8_t {
    No,
    Product,      ///< at most one factor waits
    Quotient,     ///< the dividend may wait
    Terms,        ///< all operands wait for the same tangent, or none does
    Choice,       ///< where
    MultiplyAdd,  ///< a * b + c
    First,        ///< in the first operand alone
    Constant,     ///< the result does not depend on the values
};

using LinearTable = std::unordered_map<Name, Linear>;

const LinearTable& referenceLinear() {
    static const LinearTable table = {{"aten::div.Tensor"_n, Linear::Quotient},
                                      {"aten::where.self"_n, Linear::Choice},
                                      {"aten::mul.Tensor"_n, Linear::Product},
                                      {"prims::convert_element_type"_n, Linear::Product},
                                      {"aten::sum.dim_IntList"_n, Linear::Product},
                                      {"aten::sum"_n, Linear::Product},
                                      {"aten::mm"_n, Linear::Product},
                                      {"aten::permute"_n, Linear::Product},
                                      {"aten::expand"_n, Linear::Product},
                                      {"aten::add.Tensor"_n, Linear::Terms},
                                      {"aten::sub.Tensor"_n, Linear::Terms},
                                      {"prims::fma"_n, Linear::MultiplyAdd}};
    return table;
}

/// By operator without overload.
const LinearTable& extendedLinear() {
    static const LinearTable table = [] {
        LinearTable t = {{"aten::div"_n, Linear::Quotient}, {"aten::where"_n, Linear::Choice}, {"aten::mul"_n, Linear::Product},
                         {"aten::mm"_n, Linear::Product},   {"aten::bmm"_n, Linear::Product},  {"prims::fma"_n, Linear::MultiplyAdd},
                         {"aten::gather"_n, Linear::First}, {"aten::add"_n, Linear::Terms},    {"aten::sub"_n, Linear::Terms},
                         {"aten::rsub"_n, Linear::Terms}};
        for (const char* op : {"prims::convert_element_type",
                               "aten::_to_copy",
                               "aten::clone",
                               "aten::alias",
                               "aten::detach",
                               "aten::contiguous",
                               "aten::neg",
                               "aten::sum",
                               "aten::permute",
                               "aten::transpose",
                               "aten::t",
                               "aten::expand",
                               "aten::view",
                               "aten::reshape",
                               "aten::_unsafe_view",
                               "aten::slice",
                               "aten::select",
                               "aten::squeeze",
                               "aten::unsqueeze",
                               "aten::mean",
                               "aten::cumsum"})
            t[Name(op)] = Linear::Product;
        for (const char* op : {"aten::cat", "aten::slice_scatter"}) t[Name(op)] = Linear::Terms;
        for (const char* op : {"aten::_softmax_backward_data", "aten::_log_softmax_backward_data", "aten::sigmoid_backward", "aten::tanh_backward",
                               "aten::gelu_backward", "aten::silu_backward", "aten::threshold_backward", "aten::hardtanh_backward"})
            t[Name(op)] = Linear::First;
        for (const char* op : {"aten::full_like", "aten::zeros_like", "aten::ones_like"}) t[Name(op)] = Linear::Constant;
        return t;
    }();
    return table;
}

Linear linearityOf(const Node& n, bool extended) {
    const LinearTable& table = extended ? extendedLinear() : referenceLinear();
    const auto it = table.find(extended ? packetOf(n.op) : n.op);
    return it == table.end() ? Linear::No : it->second;
}

/// A fill with 0: it may stand for any multiple of a tangent.
bool fillsZero(const Graph& g, NodeId id, bool extended) {
    const Node& n = g[id];
    if (n.op == "aten::full") return n.args.size() > 1 && n.arg(1).asNumber() == 0.0;
    if (!extended) return false;
    const Name packet = packetOf(n.op);
    return packet == "aten::zeros" || packet == "aten::zeros_like" || (packet == "aten::scalar_tensor" && n.arg(0).asNumber() == 0.0);
}

/// The rule of one node.
class ScaleRun {
public:
    ScaleRun(const Graph& g, bool extended, const ChunkMetas& metas, NodeId id)
        : g_(g), node_(g[id]), extended_(extended), metas_(metas), id_(id), operands_(tensorOperands(g, node_)) {}

    /// The tangent for which the result waits; invalid = none.
    std::optional<NodeId> run() {
        switch (linearityOf(node_, extended_)) {
            case Linear::No:
                return refuse("NO_SCALE_RULE", "it is not known to be linear");
            case Linear::Constant:
                return NodeId();
            case Linear::Product:
                return product(operands_);
            case Linear::Quotient:
                return dividend();
            case Linear::Terms:
                return terms(operands_);
            case Linear::Choice:
                return choice();
            case Linear::MultiplyAdd:
                return multiplyAdd();
            case Linear::First:
                return first();
        }
        return NodeId();
    }
    ChunkRefusal takeRefusal() { return std::move(*refusal_); }

private:
    NodeId scaleOf(NodeId id) const {
        const ChunkMeta* meta = id ? metas_.find(id) : nullptr;
        return meta ? meta->scale : NodeId();
    }
    std::optional<NodeId> refuse(std::string code, std::string why) {
        refusal_ = ChunkRefusal{std::move(code), {{"op", node_.op.str()}, {"node", node_.name.str()}, {"why", std::move(why)}}, id_};
        return std::nullopt;
    }
    std::optional<NodeId> product(const std::vector<NodeId>& factors) {
        NodeId scale;
        for (NodeId f : factors) {
            const NodeId s = scaleOf(f);
            if (scale && s) {
                refusal_ =
                    ChunkRefusal{"SCALE_TWICE", {{"node", node_.name.str()}, {"tangents", g_[scale].name.str() + ", " + g_[s].name.str()}}, id_};
                return std::nullopt;
            }
            if (s) scale = s;
        }
        return scale;
    }
    std::optional<NodeId> dividend() {
        if (scaleOf(node_.arg(1).asNode())) return refuse("SCALE_RULE", "the divisor waits for a tangent");
        return scaleOf(node_.arg(0).asNode());
    }
    std::optional<NodeId> terms(const std::vector<NodeId>& operands) {
        std::optional<NodeId> common;
        // A number added to what waits for a tangent would have to wait as well.
        const bool number = packetOf(node_.op) != "aten::cat" && packetOf(node_.op) != "aten::slice_scatter" && operands.size() < 2;
        for (NodeId t : operands) {
            if (extended_ && !scaleOf(t) && fillsZero(g_, t, true)) continue;
            if (common && !(*common == scaleOf(t))) return refuse("SCALE_RULE", "its terms do not all wait for the same tangent");
            common = scaleOf(t);
        }
        if (number && common && *common) return refuse("SCALE_RULE", "a number is added to what waits for a tangent");
        return common.value_or(NodeId());
    }
    std::optional<NodeId> choice() {
        const NodeId condition = node_.arg(0).asNode(), yes = node_.arg(1).asNode(), no = node_.arg(2).asNode();
        if (scaleOf(condition)) return refuse("SCALE_RULE", "the condition waits for a tangent");
        if (extended_ && scaleOf(yes) && scaleOf(yes) == scaleOf(no)) return scaleOf(yes);
        if (scaleOf(yes) && !scaleOf(no) && isZero(node_.arg(2))) return scaleOf(yes);
        if (extended_ && scaleOf(no) && !scaleOf(yes) && isZero(node_.arg(1))) return scaleOf(no);
        return refuse("SCALE_RULE", "the other choice is not zero");
    }
    bool isZero(const Value& v) const { return v.isNode() ? fillsZero(g_, v.asNode(), extended_) : extended_ && v.asNumber() == 0.0; }
    std::optional<NodeId> multiplyAdd() {
        const auto factor = product({node_.arg(0).asNode(), node_.arg(1).asNode()});
        if (!factor) return std::nullopt;
        if (!(*factor == scaleOf(node_.arg(2).asNode()))) return refuse("SCALE_RULE", "product and addend do not wait for the same tangent");
        return factor;
    }
    std::optional<NodeId> first() {
        for (std::size_t i = 1; i < operands_.size(); ++i)
            if (scaleOf(operands_[i])) return refuse("SCALE_RULE", "it is linear in its first operand only");
        return operands_.empty() ? NodeId() : scaleOf(operands_[0]);
    }

    const Graph& g_;
    const Node& node_;
    bool extended_;
    const ChunkMetas& metas_;
    NodeId id_;
    std::vector<NodeId> operands_;
    std::optional<ChunkRefusal> refusal_;
};

}  // namespace

std::optional<ChunkRefusal> propagateScale(const Graph& g, bool extended, const std::vector<bool>& dependent, ChunkMetas& metas) {
    const auto inside = [&](NodeId o) { return metas.contains(o); };
    for (NodeId id : inOrder(g)) {
        const ChunkMeta* meta = metas.find(id);
        if (!meta || !g[id].isCall()) continue;
        const std::vector<NodeId> operands = tensorOperands(g, g[id]);
        if (std::none_of(operands.begin(), operands.end(), inside)) continue;  // an input of the region, or a fill
        if (!std::all_of(operands.begin(), operands.end(), inside)) {
            if (extended && !dependent[id.value]) continue;  // an input that has inputs among its operands
            std::string outside;
            for (NodeId o : operands)
                if (!inside(o)) outside += (outside.empty() ? "" : ", ") + g[o].name.str();
            return ChunkRefusal{"MIXED_ARGS", {{"node", g[id].name.str()}, {"args", outside}}, id};
        }
        if (std::none_of(operands.begin(), operands.end(), [&](NodeId o) { return static_cast<bool>(metas.find(o)->scale); })) continue;
        ScaleRun run(g, extended, metas, id);
        const auto scale = run.run();
        if (!scale) return run.takeRefusal();
        ChunkMeta scaled = *meta;
        scaled.scale = *scale;
        metas.set(id, scaled);
    }
    return std::nullopt;
}

}  // namespace aliascope
