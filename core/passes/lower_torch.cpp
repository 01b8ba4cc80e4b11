#include "core/passes/lower_torch.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/passes/lower_torch_call.h"
#include "core/passes/lower_torch_modules.h"
#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

using torch_lowering::Callee;
using torch_lowering::CallForm;
using torch_lowering::Lowered;
using torch_lowering::Lowering;
using torch_lowering::PyArgs;
using torch_lowering::Rule;
using torch_lowering::Rules;
using torch_lowering::Signature;

/// A rule with its signature parsed.
struct Entry {
    const Rule* rule;
    Signature signature;
};
using Table = std::unordered_multimap<std::string_view, Entry>;

Table tableOf(std::initializer_list<const Rules*> families) {
    Table table;
    for (const Rules* family : families)
        for (const Rule& rule : *family) table.emplace(rule.name, Entry{&rule, Signature(rule.signature)});
    return table;
}

const Table& functionTable() {
    static const Table table =
        tableOf({&torch_lowering::elementwiseRules(), &torch_lowering::shapeRules(), &torch_lowering::reductionRules(),
                 &torch_lowering::factoryRules(), &torch_lowering::matmulRules(), &torch_lowering::networkRules(), &torch_lowering::lossRules()});
    return table;
}

const Table& attributeTable() {
    static const Table table = tableOf({&torch_lowering::attributeRules()});
    return table;
}

/// Calls that change how PyTorch records or measures, not what is computed.
bool isBookkeeping(std::string_view target) {
    static constexpr std::array<std::string_view, 12> names = {"_set_grad_enabled",
                                                               "_enter_autocast",
                                                               "_exit_autocast",
                                                               "_log_api_usage_once",
                                                               "_enter_inference_mode",
                                                               "_exit_inference_mode",
                                                               "_RecordFunctionFast",
                                                               "_record_function_enter_new",
                                                               "_record_function_exit",
                                                               "_saved_tensors_hooks_set_default_hooks",
                                                               "_saved_tensors_hooks_disable",
                                                               "_saved_tensors_hooks_enable"};
    const std::string_view last = target.substr(target.rfind('.') + 1);
    return std::find(names.begin(), names.end(), last) != names.end();
}

class TorchLowering {
public:
    TorchLowering(Graph& g, PassContext& ctx) : g_(g), ctx_(ctx), lowering_(g, ctx) {}

    void run() {
        for (NodeId id : g_.order()) {
            if (ctx_.cancelled()) return;
            lowering_.learnSymbol(id);
            if (g_[id].isCall()) visit(id);
        }
        dropBookkeeping();
        for (auto it = shapes_.rbegin(); it != shapes_.rend(); ++it)
            if (g_.hasUsers(*it))
                leave(*it);
            else
                g_.erase(*it);
        listOpaque();
    }

private:
    void visit(NodeId id) {
        if (g_[id].kind == NodeKind::CallFunction && isBookkeeping(g_[id].target.view())) {
            bookkeeping_.push_back(id);
            return;
        }
        if (g_[id].kind == NodeKind::CallModule) {
            lowering_.start(id);
            if (!lowering_.finish(lowerModule(id), "lower-torch")) leave(id);
            return;
        }
        const auto callee = torch_lowering::calleeOf(g_[id]);
        if (!callee) {
            if (g_[id].op.view().starts_with("python::")) leave(id);
            return;
        }
        if (isShape(id)) {
            shapes_.push_back(id);
            return;
        }
        lowering_.start(id);
        if (!lowering_.finish(lower(id, *callee), "lower-torch") && isTorch(id, *callee)) leave(id);
    }

    /// Operators and attributes of Python are PyTorch's only on tensors; whatever is taken out of a tuple stays.
    bool isTorch(NodeId id, const Callee& callee) const {
        if (callee.form == CallForm::Function) return true;
        const Node& n = g_[id];
        return std::any_of(n.args.begin(), n.args.end(), [&](const Value& v) { return lowering_.isTensor(v); });
    }

    /// `x.shape` or `x.size()`: its items are lowered where they are taken.
    bool isShape(NodeId id) const {
        const Node& n = g_[id];
        if (n.kind == NodeKind::CallMethod) return n.target == "size" && n.args.size() == 1 && n.kwargs.empty() && lowering_.isTensor(n.args[0]);
        return n.op == "builtin::getattr" && n.args.size() == 2 && n.args[1].name() == "shape" && lowering_.isTensor(n.args[0]);
    }

    Lowered lower(NodeId id, const Callee& callee) {
        Node call = g_[id];
        if (callee.form == CallForm::Operator && callee.name == "getitem" && call.args.size() == 2 && call.args[0].isNode() &&
            isShape(call.args[0].asNode()))
            return sizeItem(g_[call.args[0].asNode()].args[0], call.args[1]);
        for (Value& v : call.args) v = withShapes(v);
        for (auto& [key, v] : call.kwargs) v = withShapes(v);
        if (callee.form == CallForm::Operator) return lowerOperator(lowering_, call, callee.name);
        if (callee.form == CallForm::Attribute) {
            call.args.resize(1);
            return lowering_.isTensor(call.args[0]) ? byTable(attributeTable(), call, callee.name) : std::nullopt;
        }
        if (callee.method && !mayBeTensor(call.arg(0))) return std::nullopt;
        return byFunction(call, callee.name);
    }

    Lowered lowerModule(NodeId id) {
        torch_lowering::FunctionCall function = torch_lowering::functionOfModule(lowering_, g_[id]);
        if (function.name.empty()) return std::nullopt;
        Node call = g_[id];
        call.args = std::move(function.args);
        call.kwargs = std::move(function.kwargs);
        return byFunction(call, function.name);
    }

    Lowered byFunction(const Node& call, const std::string& name) {
        return functionTable().contains(name) ? byTable(functionTable(), call, name) : byName(call, name);
    }

    bool mayBeTensor(const Value& v) const {
        if (!v.isNode()) return false;
        const TypePtr& type = g_[v.asNode()].type;
        return !type || (!type->asSym() && !type->asTuple());
    }

    Lowered sizeItem(const Value& x, const Value& index) {
        const auto d = lowering_.dim(x, index);
        if (d && *d < lowering_.rank(x).value_or(0)) return lowering_.size(x, *d);
        return index.isInt() ? lowering_.emit("aten::sym_size.int", {x, index}) : std::nullopt;
    }

    /// A use of a shape becomes the list of sizes, where the rank is known.
    Value withShapes(const Value& v) {
        if (v.isNode() && isShape(v.asNode()) && lowering_.rank(g_[v.asNode()].args[0])) return Value::list(lowering_.sizes(g_[v.asNode()].args[0]));
        return v;
    }

    Lowered byTable(const Table& table, const Node& call, const std::string& name) {
        const auto [begin, end] = table.equal_range(name);
        for (auto it = begin; it != end; ++it)
            if (const auto args = it->second.signature.bind(call, name))
                if (Lowered result = it->second.rule->lower(lowering_, *args)) return result;
        return std::nullopt;
    }

    /// The ATen operator of that name, when one overload fits.
    Lowered byName(const Node& call, const std::string& name) {
        std::vector<Value> args = call.args;
        std::vector<Keyword> kwargs;
        for (const auto& [key, value] : call.kwargs) {
            const bool idle = value.isNone() && (key == "out" || key == "generator");
            if (key == "input" && args.empty())
                args.push_back(value);
            else if (!idle && key != "requires_grad")
                kwargs.emplace_back(key, value);
        }
        const bool any = std::any_of(args.begin(), args.end(), [&](const Value& v) {
            bool found = false;
            v.forEachNode([&](NodeId id) { found = found || mayBeTensor(Value::node(id)); });
            return found;
        });
        if (!any) return std::nullopt;
        if (Lowered found = lowering_.emitByName(name, args, kwargs)) return found;
        if (args.size() < 2) return std::nullopt;
        const Value list = Value::list({args.begin() + 1, args.end()});  // `x.tile(2, 2)`
        return lowering_.emitByName(name, {args[0], list}, std::move(kwargs));
    }

    void leave(NodeId id) {
        const Node& n = g_[id];
        Left& left = left_[n.kind == NodeKind::CallFunction ? n.target.str() : n.op.str()];
        if (left.count++ == 0) left.first = n.name;
    }

    void listOpaque() {
        for (const auto& [spelling, left] : left_) {
            Diagnostic d = info("LEFT_OPAQUE", {{"op", spelling}, {"count", std::to_string(left.count)}, {"node", left.first.str()}});
            d.node = left.first;
            ctx_.say(std::move(d));
        }
    }

    void dropBookkeeping() {
        for (auto it = bookkeeping_.rbegin(); it != bookkeeping_.rend(); ++it) {
            if (g_.hasUsers(*it)) {
                leave(*it);
                continue;
            }
            Diagnostic d = info("DROPPED_CALL", {{"op", g_[*it].target.str()}, {"node", g_[*it].name.str()}});
            d.node = g_[*it].name;
            ctx_.say(std::move(d));
            ctx_.rewrite({"drop-bookkeeping", {ref(g_, *it)}, {}});
            g_.erase(*it);
        }
    }

    struct Left {
        std::size_t count = 0;
        Name first;
    };

    Graph& g_;
    PassContext& ctx_;
    Lowering lowering_;
    std::vector<NodeId> bookkeeping_, shapes_;
    std::map<std::string, Left> left_;
};

bool isDynamoLevel(const Graph& g) {
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.kind == NodeKind::CallMethod || n.kind == NodeKind::CallModule) return true;
        if (n.kind != NodeKind::CallFunction) continue;
        const std::string_view op = n.op.view();
        if (op.starts_with("torch::") || op.starts_with("operator::") || op == "builtin::getattr" || op.starts_with("python::")) return true;
    }
    return std::any_of(g.subGraphs().begin(), g.subGraphs().end(), [](const Graph::SubGraph& s) { return isDynamoLevel(*s.graph); });
}

class LowerTorch final : public Pass {
public:
    std::string_view name() const override { return "lower-torch"; }
    std::string_view help() const override { return "Dynamo-level calls (torch functions, methods, operators, indexing, modules) become ATen calls"; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        if (!isDynamoLevel(g)) return Outcome::Done;
        inEveryGraph(g, ctx, [](Graph& body, PassContext& context) { TorchLowering(body, context).run(); });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeLowerTorch() { return std::make_unique<LowerTorch>(); }

}  // namespace aliascope
