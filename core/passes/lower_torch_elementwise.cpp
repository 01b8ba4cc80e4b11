// Arithmetic, comparisons, conversions and calls of Python's operators.

#include <algorithm>
#include <array>

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// Python's operators and the operator of ATen with the same meaning on tensors.
constexpr std::array<Pair, 20> kBinaryOperators = {{{"add", "add"},
                                                    {"sub", "sub"},
                                                    {"mul", "mul"},
                                                    {"truediv", "div"},
                                                    {"floordiv", "floor_divide"},
                                                    {"mod", "remainder"},
                                                    {"pow", "pow"},
                                                    {"eq", "eq"},
                                                    {"ne", "ne"},
                                                    {"lt", "lt"},
                                                    {"le", "le"},
                                                    {"gt", "gt"},
                                                    {"ge", "ge"},
                                                    {"and_", "bitwise_and"},
                                                    {"or_", "bitwise_or"},
                                                    {"xor", "bitwise_xor"},
                                                    {"lshift", "bitwise_left_shift"},
                                                    {"rshift", "bitwise_right_shift"},
                                                    {"div", "div"},
                                                    {"concat", "add"}}};
constexpr std::array<Pair, 13> kInPlaceOperators = {{{"iadd", "add_"},
                                                     {"isub", "sub_"},
                                                     {"imul", "mul_"},
                                                     {"itruediv", "div_"},
                                                     {"ifloordiv", "floor_divide_"},
                                                     {"imod", "remainder_"},
                                                     {"ipow", "pow_"},
                                                     {"iand", "bitwise_and_"},
                                                     {"ior", "bitwise_or_"},
                                                     {"ixor", "bitwise_xor_"},
                                                     {"ilshift", "bitwise_left_shift_"},
                                                     {"irshift", "bitwise_right_shift_"},
                                                     {"iconcat", "add_"}}};
constexpr std::array<Pair, 4> kUnaryOperators = {{{"neg", "neg"}, {"abs", "abs"}, {"invert", "bitwise_not"}, {"inv", "bitwise_not"}}};
/// Operators that are written with a tensor on the left when the tensor stands on the right.
constexpr std::array<Pair, 6> kMirrored = {{{"lt", "gt"}, {"le", "ge"}, {"gt", "lt"}, {"ge", "le"}, {"eq", "eq"}, {"ne", "ne"}}};
template <std::size_t N>
std::string_view lookUp(const std::array<Pair, N>& table, std::string_view name) {
    const auto it = std::find_if(table.begin(), table.end(), [name](const Pair& p) { return p.first == name; });
    return it == table.end() ? std::string_view() : it->second;
}

bool isNumber(const Lowering& l, const Value& v) {
    return v.asNumber() || v.kind() == Value::Kind::Complex || v.kind() == Value::Kind::BigInt || l.symInt(v).has_value();
}

/// Operators whose number on the right goes through the tensor overload.
bool takesNumberAsTensor(std::string_view name) {
    for (std::string_view arithmetic : {"add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_"})
        if (name == arithmetic) return true;
    return false;
}

Lowered numberFirst(Lowering& l, std::string_view name, const Value& number, const Value& x, std::vector<Keyword> kwargs) {
    if (name == "add" || name == "mul") return binary(l, name, x, number, std::move(kwargs));
    if (name == "sub") return l.emit("aten::rsub.Scalar", {x, number});
    if (name == "div") {
        const Lowered reciprocal = l.emit("aten::reciprocal", {x});
        return reciprocal ? binary(l, "mul", *reciprocal, number) : std::nullopt;
    }
    if (name == "pow") return l.emit("aten::pow.Scalar", {number, x});
    if (const std::string_view mirrored = lookUp(kMirrored, name); !mirrored.empty()) return binary(l, mirrored, x, number);
    return l.emitByName(name, {number, x}, std::move(kwargs));
}

/// `torch.add(x, y)`, `x.add_(y)`, … by their own names, and their synonyms.
Lowered arithmetic(Lowering& l, const PyArgs& a) {
    std::string name(a.callee());
    for (const auto& [synonym, plain] : {Pair{"subtract", "sub"}, Pair{"multiply", "mul"}, Pair{"divide", "div"}, Pair{"true_divide", "div"}})
        if (name.starts_with(synonym)) name.replace(0, synonym.size(), plain);
    return binary(l, name, a["input"], a["other"], a.others());
}

/// `F.relu(x, inplace)`: the in-place operator when asked for.
Lowered maybeInPlace(Lowering& l, const PyArgs& a) {
    std::vector<Value> args;
    for (const auto& [name, value] : a.values())
        if (name != "inplace") args.push_back(value);
    return l.emitByName(std::string(a.callee()) + (a.isTrue("inplace") ? "_" : ""), std::move(args), {});
}

// --- conversions ---------------------------------------------------------------------------------------------------------------------------------

/// `x.to(…)`: a dtype, a device, both, or a tensor to be like.
Lowered to(Lowering& l, const PyArgs& a) {
    Value dtype = a["dtype"], device = a["device"];
    std::vector<Value> stated = listOf(a["target"]);
    if (!a.given("target")) stated.clear();
    std::vector<Value> flags;
    for (const Value& v : stated) {
        if (v.kind() == Value::Kind::Const && dtypeOf(v))
            dtype = v;
        else if (v.kind() == Value::Kind::Device || v.kind() == Value::Kind::String)
            device = v;
        else if (v.kind() == Value::Kind::Bool)
            flags.push_back(v);
        else if (const TensorType* like = l.tensor(v); like && like->dtype != DType::Unknown && like->device) {
            dtype = Value::constant(Name("torch." + std::string(info(like->dtype).torchName)));
            device = Value::device(like->device);
        } else if (!v.isNone())
            return std::nullopt;
    }
    const bool nonBlocking = flags.empty() ? a.isTrue("non_blocking") : flags[0].asBool().value_or(false);
    const bool copy = flags.size() < 2 ? a.isTrue("copy") : flags[1].asBool().value_or(false);
    std::vector<Keyword> kwargs;
    if (nonBlocking) kwargs.emplace_back("non_blocking"_n, Value::boolean(true));
    if (!a["memory_format"].isNone()) kwargs.emplace_back("memory_format"_n, a["memory_format"]);
    return convert(l, a["input"], dtype, device, copy, std::move(kwargs));
}

/// `x.float()`, `x.long()`, …
Lowered toNamedDtype(Lowering& l, const PyArgs& a) {
    const std::string_view name = a.callee() == "char" ? "int8" : a.callee() == "byte" ? "uint8" : a.callee();
    const auto dtype = dtypeFromTorchName(name);
    return dtype ? convert(l, a["input"], Value::constant(Name("torch." + std::string(info(*dtype).torchName))), {}) : std::nullopt;
}

Lowered type(Lowering& l, const PyArgs& a) { return dtypeOf(a["dtype"]) ? convert(l, a["input"], a["dtype"], {}) : std::nullopt; }

Lowered typeAs(Lowering& l, const PyArgs& a) {
    const TensorType* like = l.tensor(a["other"]);
    if (!like || like->dtype == DType::Unknown || !like->device) return std::nullopt;
    return convert(l, a["input"], Value::constant(Name("torch." + std::string(info(like->dtype).torchName))), Value::device(like->device));
}

Lowered cpu(Lowering& l, const PyArgs& a) { return convert(l, a["input"], {}, Value::device("cpu"_n)); }

Lowered cuda(Lowering& l, const PyArgs& a) {
    if (const auto index = a["device"].asInt()) return convert(l, a["input"], {}, Value::device(Name("cuda:" + std::to_string(*index))));
    return convert(l, a["input"], {}, a["device"].isNone() ? Value::device("cuda"_n) : a["device"]);
}

Lowered clone(Lowering& l, const PyArgs& a) {
    std::vector<Keyword> kwargs;
    if (!a["memory_format"].isNone()) kwargs.emplace_back("memory_format"_n, a["memory_format"]);
    return l.emit("aten::clone", {a["input"]}, std::move(kwargs));
}

Lowered contiguous(Lowering& l, const PyArgs& a) {
    const Value& format = a["memory_format"];
    const bool rowMajor = format.isNone() || format.name() == "torch.contiguous_format";
    const TensorType* t = l.tensor(a["input"]);
    if (!t || !t->strides || !rowMajor)
        return l.emit("aten::contiguous", {a["input"]}, format.isNone() ? std::vector<Keyword>() : std::vector<Keyword>{{"memory_format"_n, format}});
    if (t->isContiguous()) return a["input"];
    return l.emit("aten::clone", {a["input"]}, {{"memory_format"_n, Value::constant("torch.contiguous_format"_n)}});
}

Lowered same(Lowering&, const PyArgs& a) { return a["input"]; }

Lowered fillInPlace(Lowering& l, const PyArgs& a) {
    return l.emit(isNumber(l, a["value"]) ? "aten::fill_.Scalar" : "aten::fill_.Tensor", {a["input"], a["value"]});
}

Lowered item(Lowering& l, const PyArgs& a) { return l.emit("aten::_local_scalar_dense", {a["input"]}); }

}  // namespace

Lowered binary(Lowering& l, std::string_view name, const Value& a, const Value& b, std::vector<Keyword> kwargs) {
    if (isNumber(l, a) && !isNumber(l, b)) return numberFirst(l, name, a, b, std::move(kwargs));
    if (takesNumberAsTensor(name)) {
        const bool rounded =
            name.starts_with("div") && std::any_of(kwargs.begin(), kwargs.end(), [](const Keyword& k) { return k.first == "rounding_mode"; });
        return l.emit("aten::" + std::string(name) + (rounded ? ".Tensor_mode" : ".Tensor"), {a, b}, std::move(kwargs));
    }
    return l.emitByName(name, {a, b}, std::move(kwargs));
}

Lowered convert(Lowering& l, const Value& x, const Value& dtype, const Value& device, bool copy, std::vector<Keyword> kwargs) {
    const TensorType* t = l.tensor(x);
    const Name wanted = device.name() == "cuda" && t && t->device.view().starts_with("cuda") ? t->device : device.name();
    const bool sameDtype = dtype.isNone() || (t && t->dtype != DType::Unknown && dtypeOf(dtype) == t->dtype);
    const bool sameDevice = device.isNone() || (t && t->device == wanted);
    const bool format = std::any_of(kwargs.begin(), kwargs.end(), [](const Keyword& k) { return k.first == "memory_format"; });
    if (sameDtype && sameDevice && !copy && !format) return x;
    const bool known = t && (dtype.isNone() || t->dtype != DType::Unknown) && (device.isNone() || t->device) && !format;
    if (!known && !copy) {  // whether it copies is not known: the operator that decides itself
        std::vector<Value> args{x};
        if (!device.isNone()) args.push_back(Value::device(device.name()));
        if (!device.isNone() && dtype.isNone()) return std::nullopt;
        args.push_back(dtype);
        if (dtype.isNone()) return std::nullopt;
        return l.emit(device.isNone() ? "aten::to.dtype" : "aten::to.device", std::move(args), std::move(kwargs));
    }
    std::vector<Keyword> all;
    if (!sameDtype) all.emplace_back("dtype"_n, dtype);
    if (!sameDevice) all.emplace_back("device"_n, Value::device(wanted));
    all.insert(all.end(), kwargs.begin(), kwargs.end());
    return l.emit("aten::_to_copy", {x}, std::move(all));
}

Lowered lowerOperator(Lowering& l, const Node& call, std::string_view name) {
    if (!call.kwargs.empty()) return std::nullopt;
    if (name == "getitem") return call.args.size() == 2 && l.isTensor(call.args[0]) ? getItem(l, call.args[0], call.args[1]) : std::nullopt;
    if (name == "setitem")
        return call.args.size() == 3 && l.isTensor(call.args[0]) ? setItem(l, call.args[0], call.args[1], call.args[2]) : std::nullopt;
    const bool any = std::any_of(call.args.begin(), call.args.end(), [&](const Value& v) { return l.isTensor(v); });
    if (!any) return std::nullopt;
    if (call.args.size() == 1) {
        if (name == "pos") return call.args[0];
        const std::string_view op = lookUp(kUnaryOperators, name);
        return op.empty() ? std::nullopt : l.emitByName(op, call.args, {});
    }
    if (call.args.size() != 2) return std::nullopt;
    if (name.starts_with('r') && !lookUp(kBinaryOperators, name.substr(1)).empty()) {  // `x.__rsub__(1)`
        Node turned = call;
        std::swap(turned.args[0], turned.args[1]);
        return lowerOperator(l, turned, name.substr(1));
    }
    if (name == "matmul") return matmul(l, call.args[0], call.args[1]);
    if (const std::string_view op = lookUp(kInPlaceOperators, name); !op.empty())
        return l.isTensor(call.args[0]) ? binary(l, op, call.args[0], call.args[1]) : std::nullopt;
    const std::string_view op = lookUp(kBinaryOperators, name);
    return op.empty() ? std::nullopt : binary(l, op, call.args[0], call.args[1]);
}

const Rules& elementwiseRules() {
    static const Rules rules = [] {
        Rules r = {
            {"pow", "input exponent", [](Lowering& l, const PyArgs& a) { return binary(l, "pow", a["input"], a["exponent"]); }},
            {"pow_", "input exponent", [](Lowering& l, const PyArgs& a) { return binary(l, "pow_", a["input"], a["exponent"]); }},
            {"rsub", "input other", [](Lowering& l, const PyArgs& a) { return binary(l, "sub", a["other"], a["input"]); }},
            {"positive", "input", same},
            {"elu", "input alpha=1.0 inplace=False", maybeInPlace},
            {"celu", "input alpha=1.0 inplace=False", maybeInPlace},
            {"leaky_relu", "input negative_slope=0.01 inplace=False", maybeInPlace},
            {"hardtanh", "input min_val=-1.0 max_val=1.0 inplace=False", maybeInPlace},
            {"threshold", "input threshold value inplace=False", maybeInPlace},
            {"to", "input *target dtype=None device=None non_blocking=False copy=False memory_format=None", to},
            {"type", "input dtype non_blocking=False", type},
            {"type_as", "input other", typeAs},
            {"cpu", "input", cpu},
            {"cuda", "input device=None non_blocking=False", cuda},
            {"clone", "input memory_format=None", clone},
            {"contiguous", "input memory_format=None", contiguous},
            {"requires_grad_", "input requires_grad=True", same},
            {"fill_", "input value", fillInPlace},
            {"item", "input", item},
            {"copy_", "input src non_blocking=False",
             [](Lowering& l, const PyArgs& a) {
                 return l.emit("aten::copy_", {a["input"], a["src"]});
             }},
        };
        for (std::string_view name : {"add", "sub", "mul", "div", "subtract", "multiply", "divide", "true_divide", "floor_divide", "remainder",
                                      "add_", "sub_", "mul_", "div_", "subtract_", "multiply_", "divide_", "true_divide_"})
            r.push_back({name, "input other **", arithmetic});
        for (std::string_view name : {"relu", "relu6", "silu", "mish", "selu", "hardswish", "hardsigmoid"})
            r.push_back({name, "input inplace=False", maybeInPlace});
        for (std::string_view name : {"float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool"})
            r.push_back({name, "input", toNamedDtype});
        return r;
    }();
    return rules;
}

}  // namespace aliascope::torch_lowering
