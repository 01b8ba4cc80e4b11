#include "core/passes/stabilize_softmax.h"

#include <cmath>

#include "core/passes/clean_up.h"
#include "core/passes/rule_set.h"
#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

/// `sub(scaled, amax(scaled, dims, keepdim))`, where scaled is a product or quotient, perhaps converted.
struct ScaledDistance {
    NodeId root, amax, converted, scaled;  ///< `converted` is invalid when there is no conversion
    Value x, scale, dims, keepdim;
    Value dtype;  ///< of the conversion; None without one
};

/// Two positional operands and nothing that changes what the call means.
bool isBinary(const Node& n, Name op) { return n.is(op) && n.args.size() == 2 && n.kwargs.empty(); }

std::optional<ScaledDistance> matchDistance(RuleContext& c, NodeId root, Name scaling, bool reversed, bool converts) {
    static const Name sub("aten::sub.Tensor"), amax("aten::amax"), convert("prims::convert_element_type");
    const Node& n = c.g[root];
    if (!isBinary(n, sub) || !n.args[0].isNode() || !n.args[1].isNode()) return std::nullopt;
    ScaledDistance m;
    m.root = root;
    m.amax = n.args[1].asNode();
    const Node& maximum = c.g[m.amax];
    if (!maximum.is(amax) || maximum.args.size() != 3 || maximum.args[0].asNode() != n.args[0].asNode() || maximum.users.size() != 1)
        return std::nullopt;
    m.dims = maximum.args[1];
    m.keepdim = maximum.args[2];
    NodeId at = n.args[0].asNode();
    if (converts) {
        const Node& conversion = c.g[at];
        if (!conversion.is(convert) || conversion.args.size() != 2 || !conversion.args[0].isNode()) return std::nullopt;
        m.converted = at;
        m.dtype = conversion.args[1];
        at = conversion.args[0].asNode();
    }
    if (!isBinary(c.g[at], scaling)) return std::nullopt;
    m.scaled = at;
    m.x = c.g[at].args[reversed ? 1 : 0];
    m.scale = c.g[at].args[reversed ? 0 : 1];
    return m;
}

bool isSymbol(const Graph& g, const Value& v) { return v.isNode() && g[v.asNode()].type && g[v.asNode()].type->asSym(); }

/// Whether the scale is one number for all that a maximum is taken of, so that scaling does not change which element is the largest.
bool scaleIsConstantAlongDims(RuleContext& c, const ScaledDistance& m) {
    if (m.scale.isInt() || m.scale.kind() == Value::Kind::Float) return m.x.isNode() && c.tensor(m.x.asNode());
    if (!m.x.isNode() || !m.scale.isNode()) return false;
    const TensorType* x = c.tensor(m.x.asNode());
    if (!x) return false;
    if (isSymbol(c.g, m.scale)) return true;
    const TensorType* scale = c.tensor(m.scale.asNode());
    if (!scale || scale->rank() > x->rank()) return false;
    const std::vector<Value> dims = m.dims.isSequence() ? m.dims.items() : std::vector<Value>{m.dims};
    for (const Value& dim : dims) {
        const auto d = dim.asInt();
        const auto rank = static_cast<std::int64_t>(x->rank());
        if (!d || *d < -rank || *d >= rank) return false;
        const std::int64_t fromEnd = *d < 0 ? -*d : rank - *d;
        const auto own = static_cast<std::int64_t>(scale->rank());
        if (fromEnd <= own && !(scale->sizes[static_cast<std::size_t>(own - fromEnd)] == SymInt(1))) return false;
    }
    return true;
}

/// 1, -1 or `where(c >= 0, 1, -1)`, as a rewrite of this pass leaves it: such products are exact and need no other.
bool isSign(const Graph& g, const Value& v) {
    if (const auto number = v.asNumber()) return *number == 1 || *number == -1;
    static const Name where("aten::where.self"), ge("aten::ge.Scalar"), neg("aten::neg");
    const auto is = [&](const Value& x, Name op) { return x.isNode() && g[x.asNode()].is(op); };
    if (!is(v, where)) return false;
    const Node& n = g[v.asNode()];
    return is(n.arg(0), ge) && is(n.arg(2), neg) && g[n.arg(2).asNode()].arg(0) == n.arg(1);
}

/// The sign of the scale as an operand, and the scale without it.
struct SignAndSize {
    Value sign, size;
};

SignAndSize split(RuleContext& c, const ScaledDistance& m, NodeId x, NewNodes& add, std::vector<NodeId>& made) {
    static const Name scalar("aten::scalar_tensor"), ge("aten::ge.Scalar"), neg("aten::neg"), where("aten::where.self"), mul("aten::mul.Tensor");
    if (const auto number = m.scale.asNumber()) {
        if (*number >= 0) return {Value::integer(1), m.scale};
        const Value size = m.scale.isInt() ? Value::integer(-*m.scale.asInt()) : Value::real(-*number);
        return {Value::integer(-1), size};
    }
    // A symbolic size is positive; PyTorch guards on it and leaves the product with 1 out.
    if (isSymbol(c.g, m.scale)) return {Value::integer(1), m.scale};
    const TensorType t = *c.tensor(x);
    const auto call = [&](Name op, std::vector<Value> args, std::vector<Keyword> kwargs = {}) {
        made.push_back(add.call(op, std::move(args), std::move(kwargs)));
        return Value::node(made.back());
    };
    const Value one =
        call(scalar, {Value::integer(1)},
             {{"dtype"_n, Value::constant(Name("torch." + std::string(info(t.dtype).torchName)))}, {"device"_n, Value::device(t.device)}});
    const Value positive = call(ge, {m.scale, Value::integer(0)});
    const Value minusOne = call(neg, {one});
    const Value sign = call(where, {positive, one, minusOne});
    return {sign, call(mul, {sign, m.scale})};
}

bool stabilize(RuleContext& c, NodeId root, Name scaling, bool reversed, bool converts) {
    static const Name mul("aten::mul.Tensor"), amax("aten::amax"), sub("aten::sub.Tensor"), convert("prims::convert_element_type");
    const auto m = matchDistance(c, root, scaling, reversed, converts);
    if (!m || !scaleIsConstantAlongDims(c, *m) || (c.extended && (isSign(c.g, m->scale) || isSign(c.g, m->x)))) return false;
    std::vector<NodeId> matched{m->root, m->amax};
    if (m->converted) matched.push_back(m->converted);
    matched.push_back(m->scaled);
    if (c.acrossWrite(root, m->scaled)) return false;
    NewNodes add(c.g, c.ops(), root);
    std::vector<NodeId> made;
    const auto call = [&](Name op, std::vector<Value> args) {
        made.push_back(add.call(op, std::move(args)));
        return Value::node(made.back());
    };
    Value x = m->x;
    if (!m->dtype.isNone() && dtypeFromTorchName(m->dtype.name().view()) != c.tensor(x.asNode())->dtype) x = call(convert, {x, m->dtype});
    const SignAndSize scale = split(c, *m, x.asNode(), add, made);
    const Value z = call(mul, {x, scale.sign});
    const Value maximum = call(amax, {z, m->dims, m->keepdim});
    const Value distance = call(sub, {z, maximum});
    const Value result = call(scaling, {distance, scale.size});
    c.g.setType(result.asNode(), c.g[root].type, c.g[root].trust);
    c.replace(root, result.asNode(), matched, made);
    return true;
}

class StabilizeSoftmax final : public Pass {
public:
    std::string_view name() const override { return "stabilize-softmax"; }
    std::string_view help() const override { return "Scales the distance from the maximum instead of the operand of a softmax"; }
    std::vector<PassOption> options() const override { return {modeOption("extended: until nothing fires")}; }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        static const Name mul("aten::mul.Tensor"), div("aten::div.Tensor"), sub("aten::sub.Tensor");
        RuleSet rules;
        for (const bool reversed : {false, true})
            for (const bool converts : {false, true})
                rules.add("scaled-softmax", {sub}, [=](RuleContext& c, NodeId root) { return stabilize(c, root, mul, reversed, converts); });
        for (const bool converts : {false, true})
            rules.add("scaled-softmax", {sub}, [=](RuleContext& c, NodeId root) { return stabilize(c, root, div, false, converts); });
        inEveryGraph(g, ctx, [&](Graph& body, PassContext& inner) { rules.run(body, inner); });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeStabilizeSoftmax() { return std::make_unique<StabilizeSoftmax>(); }

}  // namespace aliascope
