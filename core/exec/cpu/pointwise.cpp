#include "core/exec/cpu/pointwise.h"

#include "core/ops/promote.h"

namespace aliascope::exec {
namespace {

/// Only what promotion looks at: the element type, and whether there are dimensions.
TensorType promotionType(const Tensor& t) {
    TensorType type;
    type.dtype = t.dtype;
    if (t.rank() > 0) type.sizes.emplace_back(1);
    return type;
}

Value numberValue(const RuntimeValue& v) {
    if (auto* b = std::get_if<bool>(&v.data)) return Value::boolean(*b);
    if (auto i = v.integer()) return Value::integer(*i);
    return Value::real(v.number().value_or(0));
}

/// Numbers that are operands of the operator count in promotion; parameters (alpha, value, negative_slope ...) do not.
bool countsInPromotion(const OpCall& call, std::size_t i) {
    if (!call.op || i >= call.op->schema.params.size()) return true;
    const SchemaParam& param = call.op->schema.params[i];
    if (param.type.isTensorLike()) return true;
    static const Name counted[] = {"self"_n, "other"_n, "exponent"_n, "min"_n, "max"_n, "a"_n, "b"_n, "test_element"_n};
    return std::find(std::begin(counted), std::end(counted), param.name) != std::end(counted);
}

bool isOnCpu(const Tensor& t) { return t.device.view().starts_with("cpu"); }

/// Every element of `from` is an element of `to`, or is computed as one anyway.
bool embeds(DType from, DType to) {
    if (from == to || to == DType::Unknown || to == DType::F64 || to == DType::F32 || to == DType::I64) return true;
    return from == DType::B8 && to != DType::B8;
}

}  // namespace

PointwiseOperand pointwiseOperand(const Tensor& t) {
    PointwiseOperand operand;
    operand.tensor = &t;
    return operand;
}

PointwiseOperand pointwiseOperand(const OpCall& call, std::size_t i) {
    if (i < call.args.size()) {
        const RuntimeValue& v = call.args[i];
        if (const Tensor* t = v.tensor()) return pointwiseOperand(*t);
        if (auto real = v.number()) {
            PointwiseOperand operand;
            operand.real = *real;
            operand.integer = v.integer() ? *v.integer() : truncateTo<std::int64_t>(*real);
            return operand;
        }
    }
    return pointwiseOperand(call.tensor(i));  // says what is wrong
}

DType meetingType(const OpCall& call, const std::size_t* indices, std::size_t count, MeetRule rule) {
    if (rule == MeetRule::First) return call.tensor(indices[0]).dtype;
    Promotion promotion;
    for (std::size_t k = 0; k < count; ++k) {
        const RuntimeValue& v = call.args[indices[k]];
        if (const Tensor* t = v.tensor())
            promotion.add(promotionType(*t));
        else if (countsInPromotion(call, indices[k]))
            promotion.addNumber(numberValue(v));
    }
    return rule == MeetRule::Floating ? floatingFor(promotion.result()) : promotion.result();
}

void markRounding(PointwiseOperand* operands, std::size_t count, DType meet, MeetRule rule) {
    bool onDevice = false;
    for (std::size_t k = 0; k < count; ++k) onDevice |= operands[k].tensor && !isOnCpu(*operands[k].tensor);
    for (std::size_t k = 0; k < count; ++k) {
        PointwiseOperand& operand = operands[k];
        const bool compared = rule == MeetRule::Compared;
        if (!operand.tensor) {
            operand.roundsToMeet = compared && !embeds(DType::Unknown, meet);
        } else {
            const bool hostNumber = onDevice && operand.tensor->rank() == 0 && isOnCpu(*operand.tensor);
            operand.roundsToMeet = !embeds(operand.tensor->dtype, meet) && (compared || !hostNumber);
        }
    }
}

template <class C>
void roundBlock(C* values, std::int64_t n, DType meet) {
    if (meet == DType::Unknown || !(info(meet).floating || info(meet).integral || meet == DType::B8)) failDType(meet);
    dispatch(meet, [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::int64_t i = 0; i < n; ++i) values[i] = convertElement<C>(convertElement<T>(values[i]));
    });
}

template void roundBlock<float>(float*, std::int64_t, DType);
template void roundBlock<double>(double*, std::int64_t, DType);
template void roundBlock<std::int64_t>(std::int64_t*, std::int64_t, DType);

}  // namespace aliascope::exec
