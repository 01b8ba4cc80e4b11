// Reductions and softmax: the overload by whether dimensions are given.

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {
namespace {

std::vector<Keyword> dtypeKeyword(const PyArgs& a) {
    return a["dtype"].isNone() ? std::vector<Keyword>() : std::vector<Keyword>{{"dtype"_n, a["dtype"]}};
}

/// sum, mean: over everything, or over a list of dimensions.
Lowered sumLike(Lowering& l, const PyArgs& a) {
    const std::string op = "aten::" + std::string(a.callee());
    if (!a.given("dim") && !a.isTrue("keepdim")) return l.emit(op, {a["input"]}, dtypeKeyword(a));
    const Value dims = a["dim"].isNone() ? Value() : Value::list(listOf(a["dim"]));
    return l.emit(op + (a.callee() == "sum" ? ".dim_IntList" : ".dim"), {a["input"], dims, a["keepdim"]}, dtypeKeyword(a));
}

Lowered prod(Lowering& l, const PyArgs& a) {
    if (a["dim"].isNone()) return l.emit("aten::prod", {a["input"]}, dtypeKeyword(a));
    return l.emit("aten::prod.dim_int", {a["input"], a["dim"], a["keepdim"]}, dtypeKeyword(a));
}

/// `max` and `min`: of all elements, over a dimension with the places, or of two tensors.
Lowered extreme(Lowering& l, const PyArgs& a) {
    const std::string op = "aten::" + std::string(a.callee());
    if (!a.given("dim") && !a.given("other")) return l.emit(op, {a["input"]});
    const Value& second = a.given("dim") ? a["dim"] : a["other"];
    if (l.isTensor(second)) return l.emit(a.callee() == "max" ? "aten::maximum" : "aten::minimum", {a["input"], second});
    return second.isInt() ? l.emit(op + ".dim", {a["input"], second, a["keepdim"]}) : std::nullopt;
}

/// `any`, `all`.
Lowered anyLike(Lowering& l, const PyArgs& a) {
    const std::string op = "aten::" + std::string(a.callee());
    if (a["dim"].isNone()) return l.emit(op, {a["input"]});
    if (a["dim"].isSequence()) return l.emit(op + ".dims", {a["input"], Value::list(a["dim"].items()), a["keepdim"]});
    return l.emit(op + ".dim", {a["input"], a["dim"], a["keepdim"]});
}

/// `var(x, dim, unbiased, keepdim, correction=)` and its relatives go through the overload with a correction; `var(x, False)` states it first.
Lowered variance(Lowering& l, const PyArgs& a) {
    Value dim = a["dim"], unbiased = a["unbiased"];
    if (dim.kind() == Value::Kind::Bool) {
        if (!unbiased.isNone()) return std::nullopt;
        std::swap(dim, unbiased);
    }
    std::vector<Keyword> kwargs;
    if (a.given("correction"))
        kwargs.emplace_back("correction"_n, a["correction"]);
    else if (unbiased.asBool() == std::optional(false))
        kwargs.emplace_back("correction"_n, Value::integer(0));
    else if (!dim.isNone() || a.isTrue("keepdim"))
        kwargs.emplace_back("correction"_n, Value::integer(1));
    if (a.isTrue("keepdim")) kwargs.emplace_back("keepdim"_n, Value::boolean(true));
    return l.emit("aten::" + std::string(a.callee()) + ".correction", {a["input"], dim.isNone() ? Value() : Value::list(listOf(dim))},
                  std::move(kwargs));
}

Lowered softmaxCall(Lowering& l, const PyArgs& a) {
    if (a["dim"].isNone()) return std::nullopt;
    return softmax(l, a.callee() == "log_softmax" ? "_log_softmax" : "_softmax", a["input"], a["dim"], a["dtype"]);
}

Lowered softmin(Lowering& l, const PyArgs& a) {
    const Lowered negative = l.emit("aten::neg", {a["input"]});
    return negative && !a["dim"].isNone() ? softmax(l, "_softmax", *negative, a["dim"], a["dtype"]) : std::nullopt;
}

}  // namespace

Lowered softmax(Lowering& l, std::string_view op, const Value& x, const Value& d, const Value& dtype) {
    const Lowered input = convert(l, x, dtype, {});
    return input ? l.emit("aten::" + std::string(op), {*input, d, Value::boolean(false)}) : std::nullopt;
}

const Rules& reductionRules() {
    static const Rules rules = {
        {"sum", "input dim=None keepdim=False dtype=None", sumLike},
        {"mean", "input dim=None keepdim=False dtype=None", sumLike},
        {"prod", "input dim=None keepdim=False dtype=None", prod},
        {"max", "input dim=None keepdim=False other=None", extreme},
        {"min", "input dim=None keepdim=False other=None", extreme},
        {"any", "input dim=None keepdim=False", anyLike},
        {"all", "input dim=None keepdim=False", anyLike},
        {"var", "input dim=None unbiased=None keepdim=False correction=None", variance},
        {"std", "input dim=None unbiased=None keepdim=False correction=None", variance},
        {"var_mean", "input dim=None unbiased=None keepdim=False correction=None", variance},
        {"std_mean", "input dim=None unbiased=None keepdim=False correction=None", variance},
        {"softmax", "input dim=None _stacklevel=3 dtype=None", softmaxCall},
        {"log_softmax", "input dim=None _stacklevel=3 dtype=None", softmaxCall},
        {"softmin", "input dim=None _stacklevel=3 dtype=None", softmin},
    };
    return rules;
}

}  // namespace aliascope::torch_lowering
