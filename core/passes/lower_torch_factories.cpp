// Tensors made from sizes and numbers: dtype, layout, device and pin_memory stand in the call as PyTorch's tracer writes them.

#include <algorithm>

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {
namespace {

/// The keywords of a factory: what is None or only says how gradients are kept is left out.
std::vector<Keyword> factoryKeywords(const PyArgs& a) {
    std::vector<Keyword> out;
    for (const auto& [key, value] : a.others()) {
        if (key == "requires_grad" || key == "out" || key == "names" || value.isNone()) continue;
        out.emplace_back(key, value);
    }
    const bool pinned = std::any_of(out.begin(), out.end(), [](const Keyword& k) { return k.first == "pin_memory"; });
    if (!pinned) out.emplace_back("pin_memory"_n, Value::boolean(false));
    return out;
}

bool hasOutOrGenerator(const PyArgs& a) {
    return std::any_of(a.others().begin(), a.others().end(),
                       [](const Keyword& k) { return (k.first == "out" || k.first == "generator") && !k.second.isNone(); });
}

Lowered bySize(Lowering& l, const PyArgs& a) {
    if (hasOutOrGenerator(a)) return std::nullopt;
    const std::string op = "aten::" + std::string(a.callee());
    return l.emit(a.callee() == "empty" ? op + ".memory_format" : op, {Value::list(listOf(a["size"]))}, factoryKeywords(a));
}

Lowered full(Lowering& l, const PyArgs& a) {
    return hasOutOrGenerator(a) ? std::nullopt : l.emit("aten::full", {Value::list(listOf(a["size"])), a["fill_value"]}, factoryKeywords(a));
}

/// `X_like(x)`, `x.new_X(size)`.
Lowered like(Lowering& l, const PyArgs& a) {
    if (hasOutOrGenerator(a)) return std::nullopt;
    std::vector<Value> args{a["input"]};
    if (a.given("size")) args.push_back(Value::list(listOf(a["size"])));
    if (a.given("fill_value")) args.push_back(a["fill_value"]);
    return l.emit("aten::" + std::string(a.callee()), std::move(args), factoryKeywords(a));
}

Lowered arange(Lowering& l, const PyArgs& a) {
    if (hasOutOrGenerator(a)) return std::nullopt;
    if (a["end"].isNone()) return l.emit("aten::arange", {a["start"]}, factoryKeywords(a));
    if (a.given("step")) return l.emit("aten::arange.start_step", {a["start"], a["end"], a["step"]}, factoryKeywords(a));
    return l.emit("aten::arange.start", {a["start"], a["end"]}, factoryKeywords(a));
}

Lowered arangeToEnd(Lowering& l, const PyArgs& a) {
    return hasOutOrGenerator(a) ? std::nullopt : l.emit("aten::arange", {a["end"]}, factoryKeywords(a));
}

Lowered emptyStrided(Lowering& l, const PyArgs& a) {
    return l.emit("aten::empty_strided", {Value::list(listOf(a["size"])), Value::list(listOf(a["stride"]))}, factoryKeywords(a));
}

Lowered eye(Lowering& l, const PyArgs& a) {
    if (hasOutOrGenerator(a)) return std::nullopt;
    if (a["m"].isNone()) return l.emit("aten::eye", {a["n"]}, factoryKeywords(a));
    return l.emit("aten::eye.m", {a["n"], a["m"]}, factoryKeywords(a));
}

Lowered linspace(Lowering& l, const PyArgs& a) {
    return hasOutOrGenerator(a) ? std::nullopt : l.emit("aten::linspace", {a["start"], a["end"], a["steps"]}, factoryKeywords(a));
}

/// `torch.tensor(number)` and `torch.tensor([…])`: PyTorch's tracer makes a constant of it whose value no graph states; here it keeps its numbers.
Lowered tensor(Lowering& l, const PyArgs& a) {
    std::vector<Keyword> kwargs;
    for (const auto& [key, value] : a.others())
        if (key == "dtype" || key == "device") {
            if (!value.isNone()) kwargs.emplace_back(key, value);
        } else if (key != "requires_grad" && key != "pin_memory") {
            return std::nullopt;
        }
    if (a["data"].isSequence()) return l.emit("aten::tensor", {Value::list(a["data"].items())}, std::move(kwargs));
    if (!a["data"].asNumber()) return std::nullopt;
    const bool typed = std::any_of(kwargs.begin(), kwargs.end(), [](const Keyword& k) { return k.first == "dtype"; });
    if (!typed && a["data"].kind() != Value::Kind::Float)
        kwargs.insert(kwargs.begin(), {"dtype"_n, Value::constant(a["data"].kind() == Value::Kind::Bool ? "torch.bool"_n : "torch.int64"_n)});
    kwargs.emplace_back("pin_memory"_n, Value::boolean(false));
    return l.emit("aten::scalar_tensor", {a["data"]}, std::move(kwargs));
}

}  // namespace

const Rules& factoryRules() {
    static const Rules rules = [] {
        Rules r = {
            {"full", "size fill_value **", full},
            {"full_like", "input fill_value **", like},
            {"new_full", "input size fill_value **", like},
            {"arange", "start end=None step=None **", arange},
            {"arange", "end **", arangeToEnd},
            {"empty_strided", "size stride **", emptyStrided},
            {"eye", "n m=None **", eye},
            {"linspace", "start end steps **", linspace},
            {"tensor", "data **", tensor},
        };
        for (std::string_view name : {"zeros", "ones", "empty", "rand", "randn"}) r.push_back({name, "*size **", bySize});
        for (std::string_view name : {"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"}) r.push_back({name, "input **", like});
        for (std::string_view name : {"new_zeros", "new_ones", "new_empty"}) r.push_back({name, "input *size **", like});
        return r;
    }();
    return rules;
}

}  // namespace aliascope::torch_lowering
