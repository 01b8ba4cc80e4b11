// Functional wrappers and Triton launches by their definitions (functionalize.md 5, 6, 7): clone what must be cloned, run on the clones, return
// results and clones.

#include <algorithm>

#include "core/exec/run.h"

namespace aliascope::exec {
namespace {

/// Results of the wrapped operator, one None where it has none, then the new values.
RuntimeValue wrapped(const OpDef& op, RuntimeValue returned, RuntimeList newValues) {
    RuntimeList out;
    auto* list = std::get_if<RuntimeList>(&returned.data);
    if (op.schema.returns.size() > 1 && list)
        out = std::move(*list);
    else
        out.push_back(std::move(returned));
    out.insert(out.end(), std::make_move_iterator(newValues.begin()), std::make_move_iterator(newValues.end()));
    return out;
}

/// `numel(x)`, `size(x, 0)`, `stride(x, 0)` as the default of a kernel's parameter; nothing when it is none of these.
std::optional<std::int64_t> evaluateDefault(std::string_view text, const Schema& schema, const Args& args) {
    const auto open = text.find('('), close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    const std::string_view function = text.substr(0, open);
    std::string_view inside = text.substr(open + 1, close - open - 1);
    const auto comma = inside.find(',');
    const std::string_view name = inside.substr(0, comma);
    const int param = schema.paramIndex(Name(name));
    if (param < 0 || static_cast<std::size_t>(param) >= args.size()) return {};
    const Tensor* t = args[static_cast<std::size_t>(param)].tensor();
    if (!t) return {};
    if (function == "numel" && comma == std::string_view::npos) return t->numel();
    if (comma == std::string_view::npos) return {};
    inside = inside.substr(comma + 1);
    while (inside.starts_with(' ')) inside.remove_prefix(1);
    std::size_t dim = 0;
    if (inside.empty() || inside.size() > 2 || !std::all_of(inside.begin(), inside.end(), [](char c) { return c >= '0' && c <= '9'; })) return {};
    for (const char c : inside) dim = dim * 10 + static_cast<std::size_t>(c - '0');
    if (dim >= t->rank()) return {};
    if (function == "size") return t->sizes[dim];
    if (function == "stride") return t->strides[dim];
    return {};
}

}  // namespace

const OpDef& Run::innerOperator(const Node& n) const {
    const Value& inner = n.arg(0);
    if (inner.kind() != Value::Kind::Op) failUnsupported("its first argument is no operator");
    const OpDef* op = ops_.registry().find(inner.name());
    if (!op) failUnsupported("the schema of " + inner.name().str() + " is not known");
    return *op;
}

RuntimeValue Run::innerCall(const OpDef& op, Args args) {
    const OpPlan& plan = ops_.of(op);
    if (plan.means == Means::Unknown) failUnsupported("there is neither a kernel nor a body for " + op.canonical.str());
    return callOperator(plan, std::move(args));
}

/// Re-inplacing says in `clone_only` what is still cloned; a text does not carry that, then the caller may know.
bool Run::isReinplaced(const Frame& f, const Node& n, const Value& key, Name name) {
    if (const Value* left = n.metaValue("clone_only"_n)) return std::find(left->items().begin(), left->items().end(), key) == left->items().end();
    return options_.reinplaced && options_.reinplaced(*f.graph, n.id, name);
}

RuntimeValue Run::cloneAll(const RuntimeValue& v, bool keepOffset) {
    if (const Tensor* t = v.tensor()) return copyOf(*t, keepOffset);
    const RuntimeList* list = v.list();
    if (!list) return v;
    RuntimeList out;
    for (const RuntimeValue& item : *list) out.push_back(cloneAll(item, keepOffset));
    return out;
}

RuntimeValue Run::autoFunctionalized(Frame& f, const Node& n) {
    const OpDef& op = innerOperator(n);
    Args args;
    RuntimeList written;
    for (std::size_t i = 0; i < op.schema.params.size(); ++i) {
        const SchemaParam& p = op.schema.params[i];
        const Value* given = n.kwarg(p.name);
        if (!given && i + 1 < n.args.size()) given = &n.args[i + 1];
        RuntimeValue value;
        if (given)
            value = resolve(f, *given);
        else if (p.defaultValue)
            value = resolve(f, *p.defaultValue);
        else
            failUnsupported("a value for " + p.name.str() + " is missing");
        if (p.written() && !isReinplaced(f, n, Value::string(p.name), p.name)) value = cloneAll(value, false);
        if (p.written()) written.push_back(value);
        args.push_back(std::move(value));
    }
    RuntimeValue returned = innerCall(op, std::move(args));
    return wrapped(op, std::move(returned), std::move(written));
}

/// One written tensor, cut out of its base.
RuntimeValue Run::rebuildView(const Frame& f, const Node& n, const std::string& prefix, const RuntimeList& bases) {
    const auto value = [&](const char* suffix) -> std::optional<RuntimeValue> {
        const Value* v = n.kwarg(Name(prefix + suffix));
        return v ? std::optional(resolve(f, *v)) : std::nullopt;
    };
    const auto index = value("_base_index");
    if (!index || index->isNone()) return {};
    const auto at = index->integer();
    if (!at || *at < 0 || *at >= static_cast<std::int64_t>(bases.size())) failUnsupported(prefix + "_base_index is outside _all_bases");
    const RuntimeValue& base = bases[static_cast<std::size_t>(*at)];
    const auto call = [&](std::string_view view, Args args) {
        const OpDef* def = ops_.registry().find(Name(view));
        if (!def) failUnsupported(std::string(view) + " has no schema");
        return callView(ops_.of(*def), args);
    };
    if (auto dim = value("_slice_dim"))
        return call("aten::slice.Tensor",
                    {base, *dim, value("_slice_start").value_or(RuntimeValue()), value("_slice_end").value_or(RuntimeValue()), std::int64_t{1}});
    if (auto size = value("_size"))
        return call("aten::as_strided", {base, *size, value("_stride").value_or(RuntimeValue()), value("_storage_offset").value_or(RuntimeValue())});
    return base;
}

RuntimeValue Run::autoFunctionalizedV2(Frame& f, const Node& n) {
    constexpr std::int64_t longestList = 100'000;
    const Value* listed = n.kwarg("_all_bases"_n);
    if (!listed || !listed->isSequence()) failUnsupported("_all_bases is missing");
    RuntimeList bases;
    for (std::size_t i = 0; i < listed->items().size(); ++i) {
        RuntimeValue base = resolve(f, listed->items()[i]);
        const auto index = static_cast<std::int64_t>(i);
        bases.push_back(isReinplaced(f, n, Value::integer(index), Name(std::to_string(i))) ? std::move(base) : cloneAll(base, true));
    }
    if (!backend_.computes() && n.arg(0).kind() == Value::Kind::Op && !ops_.registry().find(n.arg(0).name())) {
        const std::vector<std::int64_t>& taken = (*f.plan)[n.id].taken;  // of an operator without schema: results come before the bases
        const auto read = static_cast<std::size_t>(taken.empty() ? 1 : std::clamp<std::int64_t>(taken.back() + 1, 1, 1024));
        RuntimeList results(std::max<std::size_t>(read, bases.size() + 1) - bases.size());
        results.insert(results.end(), bases.begin(), bases.end());
        return results;
    }
    const OpDef& op = innerOperator(n);
    Args args;
    for (const SchemaParam& p : op.schema.params) {
        const std::string prefix = "_" + p.name.str();
        if (const Value* length = n.kwarg(Name(prefix + "_length"))) {
            const auto count = length->asInt();
            if (!length->isNone() && (!count || *count < 0 || *count > longestList)) failUnsupported(prefix + "_length is no length");
            RuntimeList list;
            for (std::int64_t i = 0; count && i < *count; ++i) list.push_back(rebuildView(f, n, prefix + "_" + std::to_string(i), bases));
            args.push_back(count ? RuntimeValue(std::move(list)) : RuntimeValue());
        } else if (n.kwarg(Name(prefix + "_base_index"))) {
            args.push_back(rebuildView(f, n, prefix, bases));
        } else if (const Value* given = n.kwarg(p.name)) {
            args.push_back(resolve(f, *given));
        } else if (p.defaultValue) {
            args.push_back(resolve(f, *p.defaultValue));
        } else {
            failUnsupported("a value for " + p.name.str() + " is missing");
        }
    }
    RuntimeValue returned = innerCall(op, std::move(args));
    return wrapped(op, std::move(returned), std::move(bases));
}

/// A Triton launch: the kernel's body from an `.ops` file on the tensors of `kwargs`. The functional form returns the clones by name.
RuntimeValue Run::launchTriton(Frame& f, const Node& n, bool functional) {
    const Value *given = n.kwarg("kwargs"_n), *index = n.kwarg("kernel_idx"_n);
    const auto number = index ? index->asInt() : std::nullopt;
    if (!given || given->kind() != Value::Kind::Dict || !number) failUnsupported("kernel_idx or kwargs is missing");
    const std::string numberText = std::to_string(number.value_or(0));
    const Name name("triton::kernel." + numberText);
    const OpDef* kernel = ops_.registry().find(name);
    const std::vector<OpBody>* bodies = ops_.bodies() ? ops_.bodies()->find(name) : nullptr;
    if ((!kernel || !bodies) && backend_.computes()) failUnsupported("Triton kernel " + numberText + " has no body");
    RuntimeDict arguments{given->keys(), {}}, clones;
    for (const Value& v : given->items()) arguments.items.push_back(resolve(f, v));
    if (const Value* names = functional ? n.kwarg("tensors_to_clone"_n) : nullptr)
        for (const Value& item : names->items()) {
            const auto at = std::find(arguments.keys.begin(), arguments.keys.end(), item.name());
            if (at == arguments.keys.end()) failUnsupported("tensors_to_clone names " + item.name().str() + ", which is no argument");
            RuntimeValue& value = arguments.items[static_cast<std::size_t>(at - arguments.keys.begin())];
            if (!isReinplaced(f, n, Value::string(item.name()), item.name())) value = cloneAll(value, false);
            clones.keys.push_back(item.name());
            clones.items.push_back(value);
        }
    // What a kernel holds is not counted: a prediction need not run it.
    if (!backend_.computes()) return functional ? RuntimeValue(std::move(clones)) : RuntimeValue();
    Args args;
    for (const SchemaParam& p : kernel->schema.params) {
        const auto at = std::find(arguments.keys.begin(), arguments.keys.end(), p.name);
        if (at != arguments.keys.end()) {
            args.push_back(arguments.items[static_cast<std::size_t>(at - arguments.keys.begin())]);
        } else if (!p.defaultValue) {
            failUnsupported("a value for the kernel's parameter " + p.name.str() + " is missing");
        } else if (p.defaultValue->kind() == Value::Kind::Opaque) {
            const auto value = evaluateDefault(p.defaultValue->name().view(), kernel->schema, args);
            if (!value) failUnsupported("the default of the kernel's parameter " + p.name.str() + " has no value");
            args.push_back(*value);
        } else {
            args.push_back(resolve(f, *p.defaultValue));
        }
    }
    arguments = {};
    const std::string label = f.path.empty() ? n.name.str() : f.path + "/" + n.name.str();
    const bool counted = ledger_.setUncounted(true);
    runBody(*bodies, kernel->schema, std::move(args), label);
    ledger_.setUncounted(counted);
    return functional ? RuntimeValue(std::move(clones)) : RuntimeValue();
}

/// `with_effects(token, op, …)` gives the token and the results.
RuntimeValue Run::withEffects(Frame& f, const Node& n) {
    if (n.args.size() < 2 || n.args[1].kind() != Value::Kind::Op) failUnsupported("its second argument is no operator");
    const OpDef* op = ops_.registry().find(n.args[1].name());
    if (!op) failUnsupported("the schema of " + n.args[1].name().str() + " is not known");
    auto call = bindCall(*op, {n.args.begin() + 2, n.args.end()}, n.kwargs);
    if (!call) failUnsupported(call.error().sentence());
    Args args;
    for (const Value& v : call->values) args.push_back(resolve(f, v));
    RuntimeList out{resolve(f, n.args[0])};
    RuntimeValue returned = innerCall(*op, std::move(args));
    if (op->schema.returns.size() > 1 && returned.isList())
        for (const RuntimeValue& v : *returned.list()) out.push_back(v);
    else
        out.push_back(std::move(returned));
    return out;
}

}  // namespace aliascope::exec
