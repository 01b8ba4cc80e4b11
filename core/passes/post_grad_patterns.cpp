#include "core/passes/post_grad_patterns.h"

#include "core/passes/clean_up.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/topological_sort.h"

namespace aliascope {
namespace {

/// Nodes that only speak to a profiler or repeat what the types say.
void eraseMarkers(Graph& g, PassContext& ctx) {
    static const Name metadata("aten::_assert_tensor_metadata"), enter("profiler::_record_function_enter"),
        enterNew("profiler::_record_function_enter_new"), exit("profiler::_record_function_exit");
    const std::vector<NodeId> order = g.order();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const Name packet = g[*it].kind == NodeKind::CallFunction ? packetOf(g[*it].op) : Name();
        if ((packet != metadata && packet != enter && packet != enterNew && packet != exit) || g.hasUsers(*it)) continue;
        if (!ctx.mayRewrite()) return;
        ctx.rewrite({packet == metadata ? "metadata-assert" : "profiler-marker", {ref(g, *it)}, {}});
        g.erase(*it);
    }
}

/// cumsum(full(shape, v), dim) counts: 1 v, 2 v, … along dim. The constant may have other users.
bool countUp(RuleContext& c, NodeId root) {
    static const Name full("aten::full"), iota("prims::iota"), mul("aten::mul.Tensor"), add("aten::add.Tensor"),
        convert("prims::convert_element_type"), view("aten::view"), expand("aten::expand"), clone("aten::clone");
    const Node& n = c.g[root];
    if (n.args.size() != 2 || !n.args[0].isNode() || (c.extended && !n.kwargs.empty())) return false;
    const Node& constant = c.g[n.args[0].asNode()];
    const Value *dtypeArgument = constant.kwarg("dtype"_n), *device = constant.kwarg("device"_n), *pinned = constant.kwarg("pin_memory"_n);
    if (!constant.is(full) || constant.args.size() != 2 || !dtypeArgument || !device || device->kind() != Value::Kind::Device) return false;
    if ((pinned && pinned->asBool() != false) || constant.args[1].isNode() || !c.tensor(root)) return false;
    const auto stated = dtypeArgument->kind() == Value::Kind::Const ? dtypeFromTorchName(dtypeArgument->name().view()) : std::nullopt;
    const auto rank = static_cast<std::int64_t>(constant.args[0].items().size());
    const auto d = n.args[1].asInt();
    if (!stated || !d || *d < -rank || *d >= rank || info(*stated).complex) return false;
    const auto dim = static_cast<std::size_t>(*d < 0 ? *d + rank : *d);
    const bool integral = !info(*stated).floating;
    const Value shape = constant.args[0], fill = constant.args[1], length = shape.items()[dim];
    NewNodes make(c.g, c.ops(), root);
    std::vector<NodeId> made;
    const auto call = [&](Name op, std::vector<Value> args, std::vector<Keyword> kwargs = {}) {
        made.push_back(make.call(op, std::move(args), std::move(kwargs)));
        return Value::node(made.back());
    };
    Value count = call(iota, {length},
                       {{"start"_n, Value::integer(integral ? 1 : 0)},
                        {"step"_n, Value::integer(1)},
                        {"dtype"_n, Value::constant("torch.int64"_n)},
                        {"device"_n, *device},
                        {"requires_grad"_n, Value::boolean(false)}});
    if (!integral) {
        count = call(convert, {count, Value::constant(*stated == DType::F64 ? "torch.float64"_n : "torch.float32"_n)});
        count = call(add, {call(mul, {count, Value::integer(1)}), Value::integer(1)});
        if (itemSize(*stated) < 4) count = call(convert, {count, *dtypeArgument});
    }
    std::vector<Value> along(shape.items().size(), Value::integer(1));
    along[dim] = length;
    const Value values = call(mul, {count, fill});
    Value result = call(expand, {call(view, {values, Value::list(std::move(along))}), shape});
    // A result of cumsum has memory of its own; PyTorch decides on layouts later.
    if (c.extended) result = call(clone, {result}, {{"memory_format"_n, Value::constant("torch.contiguous_format"_n)}});
    c.replace(root, result.asNode(), {root}, made);
    return true;
}

/// max(x) of a large x of which a maximum along some dims is there: the maximum of that.
bool reusePartialReduction(RuleContext& c, NodeId root, Name partial, Name full) {
    const Node& n = c.g[root];
    if (n.args.size() != 3 || !n.args[0].isNode()) return false;
    const NodeId x = n.args[0].asNode();
    const TensorType* t = c.tensor(x);
    if (!t || knownLessEqual(SymInt(4096), t->numel(), c.g.symbols) != Tri::Yes) return false;
    NodeId complete;
    int budget = 1024;
    for (const Node::User& user : c.g[x].users) {
        if (--budget < 0) break;
        const Node& u = c.g[user.id];
        if ((u.is(partial) || u.is(full)) && u.args.size() == 1 && u.kwargs.empty() && c.oneRegion({root, user.id})) {
            complete = user.id;
            break;
        }
    }
    if (!complete) return false;
    NewNodes make(c.g, c.ops(), c.g.before(root, complete) ? root : complete);
    const NodeId some = make.call(partial, n.args, n.kwargs);
    const NodeId all = make.call(c.g[complete].op, {Value::node(some)});
    c.g.setType(some, c.g[root].type, c.g[root].trust);
    c.g.setType(all, c.g[complete].type, c.g[complete].trust);
    c.replaceAll({{root, some}, {complete, all}}, {root, complete}, {some, all});
    return true;
}

void addPartialReductions(RuleSet& set) {
    for (const auto& [partial, full] : {std::pair("aten::amax"_n, "aten::max"_n), std::pair("aten::amin"_n, "aten::min"_n)})
        set.add("partial-reduction", {partial},
                [partial = partial, full = full](RuleContext& c, NodeId root) { return reusePartialReduction(c, root, partial, full); });
}

class PostGradPatterns final : public Pass {
public:
    std::string_view name() const override { return "post-grad-patterns"; }
    std::string_view help() const override { return "Rewrites after partitioning: addmm, online softmax, constants that a GPU can make"; }
    std::vector<PassOption> options() const override { return {modeOption("extended: until nothing fires, and nothing dead is left")}; }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        RuleSet first, second;
        first.add("cumsum-of-full", {"aten::cumsum"_n}, countUp);
        addOnlineSoftmax(first);
        addProductRules(second);
        addPartialReductions(second);
        return onFunctionalGraphs(g, ctx, name(), [&](Graph& body, PassContext& inner) {
            eraseMarkers(body, inner);
            first.run(body, inner);
            second.run(body, inner);
            stableTopologicalSort(body);
            moveConstructorsToGpu(body, inner);
        });
    }
};

}  // namespace

std::unique_ptr<Pass> makePostGradPatterns() { return std::make_unique<PostGradPatterns>(); }

}  // namespace aliascope
