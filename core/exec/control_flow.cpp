// Higher-order operators with bodies in the graph: each call of a body is a frame of its own (executor.md 3.5).

#include <algorithm>

#include "core/exec/run.h"
#include "core/ops/higher_order.h"

namespace aliascope::exec {
namespace {

void append(Args& to, RuntimeValue v) {
    if (auto* list = std::get_if<RuntimeList>(&v.data))
        to.insert(to.end(), std::make_move_iterator(list->begin()), std::make_move_iterator(list->end()));
    else
        to.push_back(std::move(v));
}

RuntimeList listOf(RuntimeValue v) {
    RuntimeList out;
    append(out, std::move(v));
    return out;
}

std::set<memory::StorageId> storagesOf(const Args& args) {
    std::set<memory::StorageId> out;
    for (const RuntimeValue& v : args)
        v.forEachTensor([&](const Tensor& t) {
            if (t.storage) out.insert(t.storage->id);
        });
    return out;
}

}  // namespace

RuntimeValue Run::higherOrder(Frame& f, const Node& n, const NodePlan& plan) {
    static const Name v1("hop::auto_functionalized"), v2("hop::auto_functionalized_v2"), launch("hop::triton_kernel_wrapper_mutation"),
        functionalLaunch("hop::triton_kernel_wrapper_functional"), cond("hop::cond"), whileLoopOp("hop::while_loop"), scanOp("hop::scan"),
        mapOp("hop::map"), mapImpl("hop::map_impl"), effects("hop::with_effects");
    if (n.op == v1) return autoFunctionalized(f, n);
    if (n.op == v2) return autoFunctionalizedV2(f, n);
    if (n.op == launch || n.op == functionalLaunch) return launchTriton(f, n, n.op == functionalLaunch);
    if (n.op == cond) return conditional(f, n, plan);
    if (n.op == whileLoopOp) return whileLoop(f, n, plan);
    if (n.op == scanOp) return scan(f, n, plan);
    if (n.op == mapOp || n.op == mapImpl) return map(f, n, plan);
    if (n.op == effects) return withEffects(f, n);
    if (returnsBodyResults(n.op)) return callSubgraph(f, n, plan);
    failUnsupported("this higher-order operator is not run");
}

const Graph& Run::bodyAt(const Frame& f, const Node& n, std::size_t arg) const {
    const NodeId id = n.arg(arg).asNode();
    const Graph* body = id && (*f.graph)[id].kind == NodeKind::GetAttr ? f.graph->subGraph((*f.graph)[id].target) : nullptr;
    if (!body) failUnsupported("argument " + std::to_string(arg) + " is no body that is in the file");
    return *body;
}

std::string Run::pathAt(const Frame& f, const Node& n, std::optional<std::int64_t> iteration) const {
    std::string path = f.path.empty() ? n.name.str() : f.path + "/" + n.name.str();
    if (iteration) path += "#" + std::to_string(*iteration);
    return path;
}

/// One call of a body; its results are its own, not views of what it was given.
RuntimeValue Run::callOnce(const Graph& body, Args args, const std::string& path, const Frame& f, Name node) {
    const std::set<memory::StorageId> lent = storagesOf(args);
    const memory::Site* owner = f.owner ? &*f.owner : nullptr;
    return ownResults(runGraph(body, std::move(args), path, owner), lent, node);
}

RuntimeValue Run::callSubgraph(Frame& f, const Node& n, const NodePlan& plan) {
    const auto call = bodyOf(*f.graph, n);
    if (!call) failUnsupported("its body is not in the file");
    Args args;
    for (const Value& v : call->operands) args.push_back(resolve(f, v));
    donate(f, plan);
    return callOnce(*call->body, std::move(args), pathAt(f, n, {}), f, n.name);
}

bool Run::truth(const RuntimeValue& v) {
    if (v.tensor() && !backend_.computes()) {
        conditional_ = true;
        return true;
    }
    const RuntimeValue value = v.tensor() ? hostRead({v}, nullptr, nullptr) : v;
    if (const auto number = value.number()) return *number != 0;
    failUnsupported("its condition is neither true nor false");
}

RuntimeValue Run::conditional(Frame& f, const Node& n, const NodePlan& plan) {
    const Graph& body = bodyAt(f, n, truth(resolve(f, n.arg(0))) ? 1 : 2);
    Args args;
    for (std::size_t i = 3; i < n.args.size(); ++i) append(args, resolve(f, n.args[i]));
    donate(f, plan);
    return callOnce(body, std::move(args), pathAt(f, n, {}), f, n.name);
}

/// A prediction runs the body once: how often is not known without data.
RuntimeValue Run::whileLoop(Frame& f, const Node& n, const NodePlan& plan) {
    const Graph &condition = bodyAt(f, n, 0), &body = bodyAt(f, n, 1);
    Args carried = listOf(resolve(f, n.arg(2)));
    const Args additional = listOf(resolve(f, n.arg(3)));
    donate(f, plan);
    const auto all = [&] {
        Args args = carried;
        args.insert(args.end(), additional.begin(), additional.end());
        return args;
    };
    for (std::int64_t i = 0;; ++i) {
        RuntimeValue go = runGraph(condition, all(), pathAt(f, n, i), f.owner ? &*f.owner : nullptr);
        if (const RuntimeList* list = go.list(); list && list->size() == 1) go = RuntimeValue((*list)[0]);
        const bool more = truth(go) && (backend_.computes() || i == 0);
        go = {};
        if (!more) {
            if (i > 0) return carried;
            return ownResults(carried, storagesOf(carried), n.name);
        }
        Args args = all();
        carried = listOf(callOnce(body, std::move(args), pathAt(f, n, i), f, n.name));
    }
}

/// Item `i` along dimension 0 of every tensor.
Args Run::slicesAt(const Args& xs, std::int64_t i) {
    const OpDef* select = ops_.registry().find("aten::select.int"_n);
    if (!select) failUnsupported("aten::select.int has no schema");
    Args out;
    for (const RuntimeValue& x : xs) out.push_back(x.tensor() ? callView(ops_.of(*select), {x, std::int64_t{0}, i}) : x);
    return out;
}

/// Puts results of one iteration into row `i` of tensors that hold all iterations.
void Run::stack(RuntimeList& stacked, const RuntimeList& results, std::int64_t i, std::int64_t length) {
    if (i == 0) {
        for (const RuntimeValue& v : results) {
            const Tensor* t = v.tensor();
            if (!t) {
                stacked.push_back(v);
                continue;
            }
            Geometry g{t->dtype, t->sizes, {}, 0, t->device};
            g.sizes.insert(g.sizes.begin(), length);
            g.strides = contiguousStrides(g.sizes);
            stacked.emplace_back(fresh(g));
        }
    }
    if (!backend_.computes()) return;
    const Args rows = slicesAt(stacked, i);
    for (std::size_t k = 0; k < rows.size() && k < results.size(); ++k)
        if (rows[k].tensor() && results[k].tensor()) {
            if (rows[k].tensor()->sizes != results[k].tensor()->sizes) failShape("result", results[k].tensor()->str(), rows[k].tensor()->str());
            backend_.copy(*rows[k].tensor(), *results[k].tensor());
        }
}

namespace {

std::int64_t lengthOf(const Args& xs) {
    std::optional<std::int64_t> length;
    for (const RuntimeValue& x : xs)
        if (const Tensor* t = x.tensor()) {
            if (t->rank() == 0 || (length && *length != t->sizes[0])) failShape("xs", t->str(), "tensors of one length");
            length = t->sizes[0];
        }
    if (!length || *length == 0) failUnsupported("there is nothing to go over");
    return *length;
}

}  // namespace

/// `scan(body, init, xs, additional)`: the body gives the next carried values, then what is stacked.
RuntimeValue Run::scan(Frame& f, const Node& n, const NodePlan& plan) {
    const Graph& body = bodyAt(f, n, 0);
    Args carried = listOf(resolve(f, n.arg(1)));
    const Args xs = listOf(resolve(f, n.arg(2)));
    const Args additional = n.args.size() > 3 ? listOf(resolve(f, n.arg(3))) : Args();
    donate(f, plan);
    const std::int64_t length = lengthOf(xs);
    const std::size_t kept = carried.size();
    RuntimeList stacked;
    for (std::int64_t i = 0; i < length; ++i) {
        Args args = std::move(carried);
        append(args, slicesAt(xs, i));
        args.insert(args.end(), additional.begin(), additional.end());
        RuntimeList results = listOf(callOnce(body, std::move(args), pathAt(f, n, i), f, n.name));
        if (results.size() < kept) failUnsupported("its body returns too little");
        const auto split = results.begin() + static_cast<std::ptrdiff_t>(kept);
        stack(stacked, RuntimeList(split, results.end()), i, length);
        carried.assign(results.begin(), split);
    }
    carried.insert(carried.end(), stacked.begin(), stacked.end());
    return carried;
}

/// `map(body, xs, additional)`: results of the items, stacked.
RuntimeValue Run::map(Frame& f, const Node& n, const NodePlan& plan) {
    const Graph& body = bodyAt(f, n, 0);
    const Args xs = listOf(resolve(f, n.arg(1)));
    Args additional;
    for (std::size_t i = 2; i < n.args.size(); ++i) append(additional, resolve(f, n.args[i]));
    donate(f, plan);
    const std::int64_t length = lengthOf(xs);
    RuntimeList stacked;
    for (std::int64_t i = 0; i < length; ++i) {
        Args args = slicesAt(xs, i);
        args.insert(args.end(), additional.begin(), additional.end());
        stack(stacked, listOf(callOnce(body, std::move(args), pathAt(f, n, i), f, n.name)), i, length);
    }
    return stacked;
}

}  // namespace aliascope::exec
