// Factories. `empty` and its like leave their contents as the allocation gave them (the executor poisons where it is asked to).

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/strided.h"

namespace aliascope::exec {
namespace {

void leaveUndefined(OpCall&) {}

template <int Value>
void fillWith(OpCall& call) {
    fillScalar(call.out(), RuntimeValue(std::int64_t{Value}));
}

/// A value that may be a 0-d tensor (a number computed in the graph).
template <std::size_t I>
void fillWithArgument(OpCall& call) {
    if (const Tensor* value = call.args.at(I).tensor())
        copyElements(call.out(), *value);
    else
        fillScalar(call.out(), call.args[I]);
}

/// out[i] = value(i) for a result of one dimension, in the compute type C of the result.
template <class C, class F>
void fillSequence(const Tensor& out, F value) {
    C buffer[kBlock];
    const std::int64_t stride = out.rank() ? out.strides[0] : 1;
    for (std::int64_t i = 0; i < out.numel(); i += kBlock) {
        const std::int64_t n = std::min(kBlock, out.numel() - i);
        for (std::int64_t k = 0; k < n; ++k) buffer[k] = value(i + k);
        storeBlock(out, i * stride, stride, n, buffer);
    }
}

double numberOf(const RuntimeValue& v) {
    if (const Tensor* t = v.tensor()) {
        if (t->numel() != 1) failShape("number", shapeText(t->sizes), "[]");
        return readDouble(*t);
    }
    if (auto number = v.number()) return *number;
    failUnsupported("an argument is no number");
}

/// Numbers as the compute type: ints stay exact.
template <class C>
C numberAs(const RuntimeValue& v) {
    if constexpr (std::is_integral_v<C>)
        if (auto i = v.integer()) return *i;
    return convertElement<C>(numberOf(v));
}

template <class C>
C wrappingStep(C start, std::int64_t i, C step) {
    if constexpr (std::is_integral_v<C>)
        return static_cast<C>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
    else
        return start + static_cast<C>(i) * step;
}

/// start + i * step in the result's compute type.
void fillRange(const Tensor& out, const RuntimeValue& start, const RuntimeValue& step) {
    dispatchCompute(out.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const C first = numberAs<C>(start), by = numberAs<C>(step);
        fillSequence<C>(out, [=](std::int64_t i) { return wrappingStep(first, i, by); });
    });
}

void arange(OpCall& call) { fillRange(call.out(), std::int64_t{0}, std::int64_t{1}); }
void arangeStart(OpCall& call) { fillRange(call.out(), call.args.at(0), std::int64_t{1}); }
void arangeStep(OpCall& call) { fillRange(call.out(), call.args.at(0), call.args.at(2)); }
void iota(OpCall& call) { fillRange(call.out(), call.arg("start"), call.arg("step")); }

/// Ends of linspace and logspace in the type C that they are spaced in; of an integer result they are integers first.
template <class C>
struct Ends {
    explicit Ends(OpCall& call) : steps(call.out().numel()) {
        const bool whole = !info(call.out().dtype).floating;
        const double from = numberOf(call.args.at(0)), to = numberOf(call.args.at(1));
        start = static_cast<C>(whole ? std::trunc(from) : from);
        end = static_cast<C>(whole ? std::trunc(to) : to);
        step = steps > 1 ? (end - start) / static_cast<C>(steps - 1) : C(0);
    }
    /// Both halves are counted from their own end.
    bool firstHalf(std::int64_t i) const { return i < steps / 2 || steps == 1; }
    C fromEnd(std::int64_t i) const { return static_cast<C>(steps - i - 1); }

    C start{}, end{}, step{};
    std::int64_t steps;
};

/// Calls `f` with float or double; integers are spaced in f64.
template <class F>
void dispatchSpacing(DType d, F f) {
    if (info(d).floating && d != DType::F64)
        f(float());
    else
        f(double());
}

/// Evenly spaced numbers, each with one rounding.
void linspace(OpCall& call) {
    dispatchSpacing(call.out().dtype, [&]<class C>(C) {
        const Ends<C> e(call);
        fillSequence<C>(call.out(), [&](std::int64_t i) {
            return e.firstHalf(i) ? std::fma(e.step, static_cast<C>(i), e.start) : std::fma(-e.step, e.fromEnd(i), e.end);
        });
    });
}

/// logspace(start, end, steps, base): powers of the base at evenly spaced exponents, which are rounded twice, as PyTorch's are.
void logspace(OpCall& call) {
    const double base = numberOf(call.args.at(3));
    dispatchSpacing(call.out().dtype, [&]<class C>(C) {
        const Ends<C> e(call);
        fillSequence<C>(call.out(), [&](std::int64_t i) {
            const C exponent = e.firstHalf(i) ? e.start + e.step * static_cast<C>(i) : e.end - e.step * e.fromEnd(i);
            return static_cast<C>(std::pow(base, static_cast<double>(exponent)));
        });
    });
}

/// tensor(data): the numbers of nested lists, in order.
void literalTensor(OpCall& call) {
    const Tensor& out = call.out();
    const bool integers = info(out.dtype).integral || out.dtype == DType::B8;
    std::int64_t next = 0;
    const auto put = [&](auto&& self, const RuntimeValue& v) -> void {
        if (const RuntimeList* list = v.list()) {
            for (const RuntimeValue& item : *list) self(self, item);
            return;
        }
        if (next >= out.numel()) failShape("data", "more numbers", shapeText(out.sizes));
        if (integers && v.integer())
            writeInteger(out, next, *v.integer());
        else
            writeDouble(out, next, numberOf(v));
        ++next;
    };
    put(put, call.args.at(0));
    if (next != out.numel()) failShape("data", "fewer numbers", shapeText(out.sizes));
}

void eye(OpCall& call) {
    const Tensor& out = call.out();
    fillScalar(out, RuntimeValue(std::int64_t{0}));
    for (std::int64_t i = 0; i < std::min(out.sizes[0], out.sizes[1]); ++i) writeInteger(out, i * (out.strides[0] + out.strides[1]), 1);
}

}  // namespace

void registerCreate(KernelTable& t) {
    for (const char* op : {"aten::empty.memory_format", "aten::empty_like", "aten::new_empty", "aten::empty_strided", "aten::new_empty_strided",
                           "aten::empty_permuted", "prims::empty", "prims::empty_strided", "prims::empty_permuted"})
        t.add(op, leaveUndefined);
    for (const char* op : {"aten::zeros", "aten::zeros_like", "aten::new_zeros", "aten::_efficientzerotensor", "aten::zero", "aten::zero_"})
        t.add(op, fillWith<0>).elementwise = true;
    for (const char* op : {"aten::ones", "aten::ones_like", "aten::new_ones"}) t.add(op, fillWith<1>).elementwise = true;
    for (const char* op : {"aten::full", "aten::full_like", "prims::full", "prims::full_like"}) t.add(op, fillWithArgument<1>);
    t.add("aten::new_full", fillWithArgument<2>);
    for (const char* op : {"aten::scalar_tensor", "prims::scalar_tensor"}) t.add(op, fillWithArgument<0>);
    t.add("aten::tensor", literalTensor);
    t.add("aten::arange", arange);
    t.add("aten::arange.start", arangeStart);
    t.add("aten::arange.start_step", arangeStep);
    t.add("prims::iota", iota);
    for (const char* overload : {"", ".Tensor_Tensor", ".Tensor_Scalar", ".Scalar_Tensor"}) {
        t.add(std::string("aten::linspace") + overload, linspace, ToleranceClass::Reduction);
        t.add(std::string("aten::logspace") + overload, logspace, ToleranceClass::Transcendental);
    }
    for (const char* op : {"aten::eye", "aten::eye.m"}) t.add(op, eye);
}

}  // namespace aliascope::exec
