// `_foreach_*`: the operator of one tensor, element by element in the order of the lists.

#include "core/exec/run.h"

namespace aliascope::exec {
namespace {

/// `aten::_foreach_mul_.Scalar` -> `aten::mul_`. Of numbers `maximum` is spelled `clamp_min`; the norm of a tensor has a name of its own.
Name elementPacket(std::string_view foreach, bool numbers) {
    constexpr std::string_view prefix = "aten::_foreach_";
    std::string name(foreach.substr(prefix.size()));
    name = name.substr(0, name.find('.'));
    const bool inPlace = name.ends_with('_');
    if (inPlace) name.pop_back();
    if (name == "norm") name = "linalg_vector_norm";
    if (numbers && name == "maximum") name = "clamp_min";
    if (numbers && name == "minimum") name = "clamp_max";
    return Name("aten::" + name + (inPlace ? "_" : ""));
}

/// How well one element's arguments fit an overload, by position; negative = not at all. A number may stand for a tensor.
int fitOf(const Schema& schema, const Args& element) {
    if (element.size() > schema.params.size()) return -1;
    int fit = 0;
    for (std::size_t i = 0; i < element.size(); ++i) {
        const bool tensorParam = schema.params[i].type.isTensorLike();
        if (element[i].tensor()) {
            if (!tensorParam || schema.params[i].type.isList()) return -1;
            fit += 2;
        } else if (element[i].number()) {
            fit += tensorParam ? 0 : 2;
        }
    }
    for (std::size_t i = element.size(); i < schema.params.size(); ++i)
        if (!schema.params[i].defaultValue) return -1;
    return fit;
}

RuntimeValue defaultOf(const SchemaParam& p) {
    const Value& v = *p.defaultValue;
    if (v.kind() == Value::Kind::Bool) return v.asBool().value_or(false);
    if (const auto i = v.asInt()) return *i;
    if (const auto d = v.asNumber()) return *d;
    return {};
}

}  // namespace

RuntimeValue Run::callForeach(const OpPlan& op, const Args& args) {
    const Schema& schema = op.op->schema;
    std::optional<std::size_t> length;
    Args first;
    std::vector<std::size_t> positional, named;
    bool numbers = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const RuntimeList* list = args[i].list();
        if (list && length && list->size() != *length)
            failShape(schema.params[i].name.view(), std::to_string(list->size()) + " tensors", std::to_string(*length));
        if (list) length = list->size();
        (schema.params[i].keywordOnly ? named : positional).push_back(i);
    }
    if (!length) failUnsupported("none of its arguments is a list");
    if (*length == 0) return RuntimeList{};
    const auto elementOf = [&](std::size_t param, std::size_t at) { return args[param].list() ? (*args[param].list())[at] : args[param]; };
    for (const std::size_t p : positional) first.push_back(elementOf(p, 0));
    for (std::size_t i = 1; i < first.size(); ++i) numbers = numbers || first[i].number().has_value();
    const OpPlan* best = nullptr;
    int bestFit = -1;
    for (const OpDef* candidate : ops_.registry().overloads(elementPacket(op.op->canonical.view(), numbers))) {
        const OpPlan& plan = ops_.of(*candidate);
        const bool runs = plan.kernel || plan.functionalKernel || candidate->canonical == "aten::copy_";
        const int fit = runs ? fitOf(candidate->schema, first) : -1;
        if (fit > bestFit) best = &plan, bestFit = fit;
    }
    if (!best) failUnsupported("there is no kernel for its elements");
    RuntimeList results;
    for (std::size_t at = 0; at < *length; ++at) {
        Args element;
        for (const std::size_t p : positional) element.push_back(elementOf(p, at));
        const Schema& inner = best->op->schema;
        for (std::size_t i = element.size(); i < inner.params.size(); ++i) {
            const int same = schema.paramIndex(inner.params[i].name);
            element.push_back(same >= 0 ? elementOf(static_cast<std::size_t>(same), at) : defaultOf(inner.params[i]));
        }
        results.push_back(callOperator(*best, std::move(element)));
    }
    return results;  // also of forms that return nothing: re-inplacing leaves the getitems of the functional form
}

}  // namespace aliascope::exec
