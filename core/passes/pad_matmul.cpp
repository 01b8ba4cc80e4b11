#include "core/passes/pad_matmul.h"

#include <array>

#include "core/passes/clean_up.h"
#include "core/passes/rule_set.h"
#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

constexpr std::int64_t kAlignment = 8, kLarge = 512;

std::int64_t paddingOf(std::int64_t size) { return (kAlignment - size % kAlignment) % kAlignment; }

/// Operands of a product: `[.., m, k]` and `[.., k, n]`, and what is added to each of the three sizes.
struct Product {
    NodeId a, b, bias;  ///< `bias` of addmm, else invalid
    std::int64_t m = 0, k = 0, n = 0;
    bool pads() const { return m || k || n; }
};

std::optional<Product> productOf(RuleContext& c, NodeId root) {
    static const Name addmm("aten::addmm");
    const Node& node = c.g[root];
    const std::size_t first = node.is(addmm) ? 1 : 0;
    if (node.args.size() != first + 2 || !node.kwargs.empty()) return std::nullopt;
    for (const Value& v : node.args)
        if (!v.isNode() || !c.tensor(v.asNode())) return std::nullopt;
    Product p{node.args[first].asNode(), node.args[first + 1].asNode(), first ? node.args[0].asNode() : NodeId()};
    const TensorType &a = *c.tensor(p.a), &b = *c.tensor(p.b);
    if (!a.device.view().starts_with("cuda") || itemSize(a.dtype) != 2 || !info(a.dtype).floating || a.dtype != b.dtype || a.rank() < 2 ||
        a.rank() != b.rank())
        return std::nullopt;
    const auto m = a.sizes[a.rank() - 2].constant(), k = a.sizes[a.rank() - 1].constant(), n = b.sizes[b.rank() - 1].constant();
    if (!m || !k || !n) return std::nullopt;
    if (*k >= kLarge && *n >= kLarge) p.m = paddingOf(*m);
    if (*m >= kLarge && *n >= kLarge) p.k = paddingOf(*k);
    if (*m >= kLarge && *k >= kLarge) p.n = paddingOf(*n);
    return p;
}

/// `t` with zeros behind its last two dims.
NodeId padded(RuleContext& c, NewNodes& add, NodeId t, std::int64_t rows, std::int64_t columns, std::vector<NodeId>& made) {
    static const Name pad("aten::constant_pad_nd");
    if (!rows && !columns) return t;
    std::vector<Value> amounts{Value::integer(0), Value::integer(columns)};
    if (c.tensor(t)->rank() > 1) amounts.insert(amounts.end(), {Value::integer(0), Value::integer(rows)});
    made.push_back(add.call(pad, {Value::node(t), Value::list(std::move(amounts))}));
    return made.back();
}

/// A bias that broadcasts along a padded dim need not grow.
NodeId paddedBias(RuleContext& c, NewNodes& add, NodeId bias, const Product& p, std::vector<NodeId>& made) {
    const TensorType& t = *c.tensor(bias);
    const auto grows = [&](std::size_t fromEnd) { return t.rank() >= fromEnd && !(t.sizes[t.rank() - fromEnd] == SymInt(1)); };
    return padded(c, add, bias, grows(2) ? p.m : 0, grows(1) ? p.n : 0, made);
}

bool padProduct(RuleContext& c, NodeId root) {
    static const Name slice("aten::slice.Tensor");
    const auto p = productOf(c, root);
    if (!p || !p->pads()) return false;
    const TensorType own = *c.tensor(root);
    NewNodes add(c.g, c.ops(), root);
    std::vector<NodeId> made;
    std::vector<Value> args;
    if (p->bias) args.push_back(Value::node(paddedBias(c, add, p->bias, *p, made)));
    args.push_back(Value::node(padded(c, add, p->a, p->m, p->k, made)));
    args.push_back(Value::node(padded(c, add, p->b, p->k, p->n, made)));
    made.push_back(add.call(c.g[root].op, std::move(args)));
    const auto cut = [&](std::int64_t amount, std::size_t fromEnd) {
        if (!amount) return;
        const auto dim = static_cast<std::int64_t>(own.rank() - fromEnd);
        made.push_back(add.call(slice, {Value::node(made.back()), Value::integer(dim), Value::integer(0), Value::integer(-amount)}));
    };
    cut(p->m, 2);
    cut(p->n, 1);
    c.replace(root, made.back(), {root}, made);
    return true;
}

class PadMatmul final : public Pass {
public:
    std::string_view name() const override { return "pad-matmul"; }
    std::string_view help() const override { return "Pads products of 2-byte floats on GPUs to multiples of 8"; }
    std::vector<PassOption> options() const override { return {modeOption("both modes do the same")}; }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        RuleSet rules;
        rules.add("pad-matmul", {"aten::mm"_n, "aten::bmm"_n, "aten::addmm"_n}, padProduct);
        inEveryGraph(g, ctx, [&](Graph& body, PassContext& inner) { rules.run(body, inner); });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makePadMatmul() { return std::make_unique<PadMatmul>(); }

}  // namespace aliascope
