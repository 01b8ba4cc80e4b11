#include "core/text/overloads.h"

#include <algorithm>

namespace aliascope {
namespace {

bool fits(const SchemaType& type, const Value& v) {
    if (v.isNone()) return type.isOptional();
    const Name base = type.innermost();
    if (v.isSequence()) {
        if (!type.isList()) return false;
        return std::all_of(v.items().begin(), v.items().end(), [&](const Value& item) {
            if (item.isNone()) return type.isTensorLike();
            return item.isNode() ? base == "Tensor" || base == "SymInt" || base == "int" : base != "Tensor";
        });
    }
    if (type.isList() && base != "int" && base != "SymInt") return false;
    switch (v.kind()) {
        case Value::Kind::Node:
            return base == "Tensor";
        case Value::Kind::Int:
            return base == "int" || base == "SymInt" || base == "float" || base == "Scalar";
        case Value::Kind::Sym:
            return base == "int" || base == "SymInt" || base == "Scalar";
        case Value::Kind::Float:
            return base == "float" || base == "Scalar";
        case Value::Kind::Bool:
            return base == "bool" || base == "Scalar";
        case Value::Kind::String:
            return base == "str" || base == "Dimname";
        case Value::Kind::Device:
            return base == "Device";
        case Value::Kind::Const:
            return base == "ScalarType" || base == "Layout" || base == "MemoryFormat" || base == "int";
        default:
            return base != "Tensor";
    }
}

bool fits(const OpDef& op, const Node& call) {
    const auto bound = bindCall(op, call.args, call.kwargs);
    if (!bound) return false;
    for (std::size_t i = 0; i < bound->values.size(); ++i)
        if (bound->given[i] && !fits(op.schema.params[i].type, bound->values[i])) return false;
    return true;
}

}  // namespace

OverloadChoice chooseOverload(const OpRegistry& ops, const Node& call) {
    OverloadChoice choice;
    if (packetOf(call.op) != call.op) return choice;
    const auto all = ops.overloads(call.op);
    std::vector<const OpDef*> fitting;
    std::copy_if(all.begin(), all.end(), std::back_inserter(fitting), [&](const OpDef* op) { return fits(*op, call); });
    if (fitting.size() == 1) choice.chosen = fitting[0];
    for (const OpDef* op : fitting.empty() ? all : fitting) choice.candidates += (choice.candidates.empty() ? "" : ", ") + op->canonical.str();
    return choice;
}

}  // namespace aliascope
