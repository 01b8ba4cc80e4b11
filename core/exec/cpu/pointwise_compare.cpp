// Comparisons, logic, bits, and choices between operands.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pointwise.h"

namespace aliascope::exec {
namespace {

struct Equal {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>(a == b);
    }
};
struct NotEqual {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>(a != b);
    }
};
struct Less {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>(a < b);
    }
};
struct LessEqual {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>(a <= b);
    }
};
struct Greater {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>(a > b);
    }
};
struct GreaterEqual {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>(a >= b);
    }
};

struct LogicalAnd {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>(a != 0 && b != 0);
    }
};
struct LogicalOr {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>(a != 0 || b != 0);
    }
};
struct LogicalXor {
    template <class C>
    C operator()(C a, C b) const {
        return static_cast<C>((a != 0) != (b != 0));
    }
};

using Int = std::int64_t;
struct BitAnd {
    Int operator()(Int a, Int b) const { return a & b; }
};
struct BitOr {
    Int operator()(Int a, Int b) const { return a | b; }
};
struct BitXor {
    Int operator()(Int a, Int b) const { return a ^ b; }
};

/// Shifts by more than the type has bits, or by less than 0, shift everything out. `bits` is the width of the type.
struct ShiftLeft {
    Int operator()(Int a, Int by, Int bits) const { return by < 0 || by >= bits ? 0 : static_cast<Int>(static_cast<std::uint64_t>(a) << by); }
};
struct ShiftRight {
    Int operator()(Int a, Int by, Int bits) const { return a >> (by < 0 || by >= bits ? 63 : by); }
};

template <class F>
void shift(OpCall& call) {
    constexpr std::size_t indices[] = {0, 1};
    const DType meet = meetingType(call, indices, 2, MeetRule::Promoted);
    std::array<PointwiseOperand, 3> operands{pointwiseOperand(call, 0), pointwiseOperand(call, 1), {}};
    markRounding(operands.data(), 2, meet, MeetRule::Promoted);
    operands[2].integer = 8 * itemSize(meet);
    pointwiseApply<F>(call.out(), operands, meet);
}

struct IsClose {
    double operator()(double a, double b, double rtol, double atol, double equalNan) const {
        if (a == b) return 1;
        if (a != a || b != b) return equalNan != 0 && a != a && b != b;
        return std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) <= atol + rtol * std::fabs(b);
    }
};

void isClose(OpCall& call) {
    pointwiseApply<IsClose>(call.out(),
                            std::array{pointwiseOperand(call, 0), pointwiseOperand(call, 1), pointwiseOperand(call, 2), pointwiseOperand(call, 3),
                                       pointwiseOperand(call, 4)},
                            DType::F64);
}

// --- choices -------------------------------------------------------------------------------------------------------------------------------

struct Choose {
    template <class C>
    C operator()(C condition, C a, C b) const {
        return condition != 0 ? a : b;
    }
};

/// where(condition, self, other): the condition takes part in broadcasting only.
void where(OpCall& call) {
    constexpr std::size_t branches[] = {1, 2};
    std::array<PointwiseOperand, 3> operands{pointwiseOperand(call, 0), pointwiseOperand(call, 1), pointwiseOperand(call, 2)};
    const DType meet = meetingType(call, branches, 2, MeetRule::Promoted);
    markRounding(operands.data() + 1, 2, meet, MeetRule::Compared);
    pointwiseApply<Choose>(call.out(), operands, meet);
}

/// masked_fill(self, mask, value) in self's type.
void maskedFill(OpCall& call) {
    std::array<PointwiseOperand, 3> operands{pointwiseOperand(call, 1), pointwiseOperand(call, 2), pointwiseOperand(call, 0)};
    if (operands[1].tensor && operands[1].tensor->rank() > 0) failShape("value", shapeText(operands[1].tensor->sizes), "[]");
    const DType meet = call.tensor(0).dtype;
    markRounding(operands.data() + 1, 1, meet, MeetRule::Compared);
    pointwiseApply<Choose>(call.out(), operands, meet);
}

struct Entry {
    const char* op;
    KernelFn run;
};
constexpr MeetRule P = MeetRule::Promoted, Cmp = MeetRule::Compared;

constexpr Entry kEntries[] = {
    {"eq", pointwise<Equal, Cmp, 0, 1>},
    {"ne", pointwise<NotEqual, Cmp, 0, 1>},
    {"lt", pointwise<Less, Cmp, 0, 1>},
    {"le", pointwise<LessEqual, Cmp, 0, 1>},
    {"gt", pointwise<Greater, Cmp, 0, 1>},
    {"ge", pointwise<GreaterEqual, Cmp, 0, 1>},
    {"bitwise_and", pointwise<BitAnd, P, 0, 1>},
    {"bitwise_or", pointwise<BitOr, P, 0, 1>},
    {"bitwise_xor", pointwise<BitXor, P, 0, 1>},
    {"__and__", pointwise<BitAnd, P, 0, 1>},
    {"__or__", pointwise<BitOr, P, 0, 1>},
    {"__xor__", pointwise<BitXor, P, 0, 1>},
    {"__lshift__", shift<ShiftLeft>},
    {"__rshift__", shift<ShiftRight>},
};

}  // namespace

void registerPointwiseCompare(KernelTable& t) {
    auto add = [&t](const std::string& op, KernelFn run) { addPointwise(t, op, run, ToleranceClass::Exact); };
    const std::string aten = "aten::", prims = "prims::";
    for (const Entry& e : kEntries) {
        add(aten + e.op + ".Tensor", e.run);
        add(aten + e.op + ".Scalar", e.run);
        if (!std::string_view(e.op).starts_with("__")) add(prims + e.op, e.run);
    }
    for (const char* name : {"bitwise_and", "bitwise_or", "bitwise_xor"})
        t.add(aten + name + ".Scalar_Tensor", t.find(Name(aten + name + ".Tensor"))->run).elementwise = true;
    for (const char* overload : {".Tensor", ".Tensor_Scalar", ".Scalar_Tensor"}) {
        add(aten + "bitwise_left_shift" + overload, shift<ShiftLeft>);
        add(aten + "bitwise_right_shift" + overload, shift<ShiftRight>);
    }
    add("prims::shift_left", shift<ShiftLeft>);
    add("prims::shift_right_arithmetic", shift<ShiftRight>);
    add("aten::logical_and", pointwise<LogicalAnd, P, 0, 1>);
    add("aten::logical_or", pointwise<LogicalOr, P, 0, 1>);
    add("aten::logical_xor", pointwise<LogicalXor, P, 0, 1>);
    add("aten::isclose", isClose);
    for (const char* op : {"aten::where.self", "aten::where.ScalarOther", "aten::where.ScalarSelf", "aten::where.Scalar", "prims::where"})
        add(op, where);
    for (const char* op : {"aten::masked_fill.Scalar", "aten::masked_fill.Tensor"}) addPointwise(t, op, maskedFill, ToleranceClass::Exact);
}

}  // namespace aliascope::exec
