#include "core/exec/symbolic.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/exec/kernel.h"

namespace aliascope::exec {
namespace {

using Args = std::vector<RuntimeValue>;
using SymbolicFn = RuntimeValue (*)(const Args&);

[[noreturn]] void overflow() { failUnsupported("an integer leaves 64 bits"); }
[[noreturn]] void zeroDivision() { failExec("DIVISION_BY_ZERO", {{"pos", "0"}}); }

bool integers(const Args& a) {
    return std::all_of(a.begin(), a.end(), [](const RuntimeValue& v) { return v.integer().has_value(); });
}

double real(const Args& a, std::size_t i) {
    if (i < a.size())
        if (const auto v = a[i].number()) return *v;
    failUnsupported("operand " + std::to_string(i) + " is no number");
}

std::int64_t whole(const Args& a, std::size_t i) {
    if (i < a.size())
        if (const auto v = a[i].integer()) return *v;
    failUnsupported("operand " + std::to_string(i) + " is no integer");
}

const Tensor& tensorAt(const Args& a) {
    if (const Tensor* t = a.empty() ? nullptr : a[0].tensor()) return *t;
    failUnsupported("operand 0 is no tensor");
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    if (b == 0) zeroDivision();
    if (b == -1) {
        std::int64_t out = 0;
        if (__builtin_sub_overflow(std::int64_t{0}, a, &out)) overflow();
        return out;
    }
    return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

double floorModulo(double a, double b) {
    if (b == 0) zeroDivision();
    const double r = std::fmod(a, b);
    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

RuntimeValue add(const Args& a) {
    std::int64_t out = 0;
    if (!integers(a)) return real(a, 0) + real(a, 1);
    if (__builtin_add_overflow(whole(a, 0), whole(a, 1), &out)) overflow();
    return out;
}

RuntimeValue sub(const Args& a) {
    std::int64_t out = 0;
    if (!integers(a)) return real(a, 0) - real(a, 1);
    if (__builtin_sub_overflow(whole(a, 0), whole(a, 1), &out)) overflow();
    return out;
}

RuntimeValue mul(const Args& a) {
    std::int64_t out = 0;
    if (!integers(a)) return real(a, 0) * real(a, 1);
    if (__builtin_mul_overflow(whole(a, 0), whole(a, 1), &out)) overflow();
    return out;
}

RuntimeValue floordiv(const Args& a) {
    if (integers(a)) return floorDivide(whole(a, 0), whole(a, 1));
    const double x = real(a, 0), y = real(a, 1);
    return (x - floorModulo(x, y)) / y;
}

RuntimeValue mod(const Args& a) {
    if (!integers(a)) return floorModulo(real(a, 0), real(a, 1));
    const std::int64_t x = whole(a, 0), y = whole(a, 1);
    if (y == 0) zeroDivision();
    if (y == -1) return std::int64_t{0};
    const std::int64_t r = x % y;
    return r != 0 && ((r < 0) != (y < 0)) ? r + y : r;
}

RuntimeValue truediv(const Args& a) {
    if (real(a, 1) == 0) zeroDivision();
    return real(a, 0) / real(a, 1);
}

RuntimeValue power(const Args& a) {
    if (!integers(a) || whole(a, 1) < 0) return std::pow(real(a, 0), real(a, 1));
    std::int64_t base = whole(a, 0), out = 1;
    for (std::int64_t e = whole(a, 1); e > 0; e >>= 1) {
        if ((e & 1) && __builtin_mul_overflow(out, base, &out)) overflow();
        if (e > 1 && __builtin_mul_overflow(base, base, &base)) overflow();
    }
    return out;
}

RuntimeValue negate(const Args& a) { return integers(a) ? sub({std::int64_t{0}, a.at(0)}) : RuntimeValue(-real(a, 0)); }
RuntimeValue same(const Args& a) { return a.at(0); }

RuntimeValue rounded(double x) {
    if (!(x >= -0x1p63 && x < 0x1p63)) overflow();
    return static_cast<std::int64_t>(x);
}

template <class Compare>
RuntimeValue compare(const Args& a, Compare c) {
    if (integers(a)) return c(whole(a, 0), whole(a, 1));
    return c(real(a, 0), real(a, 1));
}

RuntimeValue pick(const Args& a, bool largest) {
    if (a.empty()) failUnsupported("there is nothing to choose from");
    std::size_t best = 0;
    for (std::size_t i = 1; i < a.size(); ++i)
        if (largest ? real(a, i) > real(a, best) : real(a, i) < real(a, best)) best = i;
    return a[best];
}

RuntimeValue sum(const Args& a) {
    const RuntimeList* list = a.empty() ? nullptr : a[0].list();
    if (!list) failUnsupported("operand 0 is no list");
    RuntimeValue out = std::int64_t{0};
    for (const RuntimeValue& v : *list) out = add({out, v});
    return out;
}

RuntimeValue boolean(bool b) { return b; }

bool truth(const RuntimeValue& v) {
    if (const auto n = v.number()) return *n != 0;
    failUnsupported("an operand is neither true nor false");
}

RuntimeValue getitem(const Args& a) {
    if (a.size() < 2) failUnsupported("an index is missing");
    if (const auto* dict = std::get_if<RuntimeDict>(&a[0].data)) {
        const auto it = std::find(dict->keys.begin(), dict->keys.end(), a[1].text());
        if (it == dict->keys.end()) failUnsupported("there is no item " + std::string(a[1].text().view()));
        return dict->items[static_cast<std::size_t>(it - dict->keys.begin())];
    }
    const RuntimeList* list = a[0].list();
    if (!list) failUnsupported("the value has no items");
    const auto size = static_cast<std::int64_t>(list->size());
    std::int64_t index = whole(a, 1);
    if (index < -size || index >= size)
        failExec("INDEX_OUT_OF_RANGE", {{"value", std::to_string(index)}, {"pos", "1"}, {"arg", "the list"}, {"limit", std::to_string(size)}});
    return (*list)[static_cast<std::size_t>(index < 0 ? index + size : index)];
}

std::size_t dimAt(const Args& a, const Tensor& t) {
    const auto rank = static_cast<std::int64_t>(t.rank()), d = whole(a, 1);
    if (d < -rank || d >= rank)
        failExec("INDEX_OUT_OF_RANGE", {{"value", std::to_string(d)}, {"pos", "1"}, {"arg", "dim"}, {"limit", std::to_string(rank)}});
    return static_cast<std::size_t>(d < 0 ? d + rank : d);
}

RuntimeValue listOf(const Shape& shape) {
    RuntimeList out(shape.begin(), shape.end());
    return out;
}

const std::unordered_map<Name, SymbolicFn>& table() {
    static const std::unordered_map<Name, SymbolicFn> functions = {
        {"operator::getitem"_n, getitem},
        {"operator::add"_n, add},
        {"operator::sub"_n, sub},
        {"operator::mul"_n, mul},
        {"operator::floordiv"_n, floordiv},
        {"operator::mod"_n, mod},
        {"operator::truediv"_n, truediv},
        {"operator::pow"_n, power},
        {"operator::neg"_n, negate},
        {"operator::pos"_n, same},
        {"operator::index"_n, same},
        {"operator::abs"_n, [](const Args& a) { return real(a, 0) < 0 ? negate(a) : a.at(0); }},
        {"operator::eq"_n, [](const Args& a) { return compare(a, std::equal_to<>()); }},
        {"operator::ne"_n, [](const Args& a) { return compare(a, std::not_equal_to<>()); }},
        {"operator::lt"_n, [](const Args& a) { return compare(a, std::less<>()); }},
        {"operator::le"_n, [](const Args& a) { return compare(a, std::less_equal<>()); }},
        {"operator::gt"_n, [](const Args& a) { return compare(a, std::greater<>()); }},
        {"operator::ge"_n, [](const Args& a) { return compare(a, std::greater_equal<>()); }},
        {"operator::not_"_n, [](const Args& a) { return boolean(!truth(a.at(0))); }},
        {"operator::and_"_n, [](const Args& a) { return boolean(truth(a.at(0)) && truth(a.at(1))); }},
        {"operator::or_"_n, [](const Args& a) { return boolean(truth(a.at(0)) || truth(a.at(1))); }},
        {"torch::sym_int"_n, [](const Args& a) { return integers(a) ? a.at(0) : rounded(std::trunc(real(a, 0))); }},
        {"torch::sym_float"_n, [](const Args& a) { return RuntimeValue(real(a, 0)); }},
        {"torch::sym_max"_n, [](const Args& a) { return pick(a, true); }},
        {"torch::sym_min"_n, [](const Args& a) { return pick(a, false); }},
        {"torch::sym_not"_n, [](const Args& a) { return boolean(!truth(a.at(0))); }},
        {"torch::sym_sum"_n, sum},
        {"torch::sym_ite"_n, [](const Args& a) { return truth(a.at(0)) ? a.at(1) : a.at(2); }},
        {"math::floor"_n, [](const Args& a) { return rounded(std::floor(real(a, 0))); }},
        {"math::ceil"_n, [](const Args& a) { return rounded(std::ceil(real(a, 0))); }},
        {"math::trunc"_n, [](const Args& a) { return rounded(std::trunc(real(a, 0))); }},
        {"math::sqrt"_n, [](const Args& a) { return RuntimeValue(std::sqrt(real(a, 0))); }},
        {"math::pow"_n, [](const Args& a) { return RuntimeValue(std::pow(real(a, 0), real(a, 1))); }},
        {"aten::sym_size.int"_n, [](const Args& a) { return RuntimeValue(tensorAt(a).sizes[dimAt(a, tensorAt(a))]); }},
        {"aten::sym_stride.int"_n, [](const Args& a) { return RuntimeValue(tensorAt(a).strides[dimAt(a, tensorAt(a))]); }},
        {"aten::sym_size"_n, [](const Args& a) { return listOf(tensorAt(a).sizes); }},
        {"aten::sym_stride"_n, [](const Args& a) { return listOf(tensorAt(a).strides); }},
        {"aten::sym_numel"_n, [](const Args& a) { return RuntimeValue(tensorAt(a).numel()); }},
        {"aten::sym_storage_offset"_n, [](const Args& a) { return RuntimeValue(tensorAt(a).offset); }},
        {"aten::sym_is_contiguous"_n, [](const Args& a) { return boolean(tensorAt(a).isContiguous()); }},
    };
    return functions;
}

}  // namespace

bool isSymbolic(Name op) {
    const std::string_view text = op.view();
    return text.starts_with("operator::") || text.starts_with("torch::sym_") || text.starts_with("math::") || text.starts_with("aten::sym_");
}

Name tensorOperator(Name op) {
    static const std::unordered_map<Name, Name> operators = {
        {"operator::add"_n, "aten::add.Tensor"_n},     {"operator::iadd"_n, "aten::add_.Tensor"_n},
        {"operator::sub"_n, "aten::sub.Tensor"_n},     {"operator::isub"_n, "aten::sub_.Tensor"_n},
        {"operator::mul"_n, "aten::mul.Tensor"_n},     {"operator::imul"_n, "aten::mul_.Tensor"_n},
        {"operator::truediv"_n, "aten::div.Tensor"_n}, {"operator::itruediv"_n, "aten::div_.Tensor"_n},
        {"operator::matmul"_n, "aten::matmul"_n},      {"operator::neg"_n, "aten::neg"_n},
    };
    const auto it = operators.find(op);
    return it == operators.end() ? Name() : it->second;
}

RuntimeValue evaluateSymbolic(Name op, const std::vector<RuntimeValue>& args) {
    const auto it = table().find(op);
    if (it == table().end()) failUnsupported("this operator on numbers is not known");
    if (args.empty()) failUnsupported("an operand is missing");
    try {
        return it->second(args);
    } catch (const std::out_of_range&) {
        failUnsupported("an operand is missing");
    }
}

}  // namespace aliascope::exec
