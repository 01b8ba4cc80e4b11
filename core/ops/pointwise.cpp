// Elementwise operators: broadcasting, promotion, layout by TensorIterator's rule (executor.md 2.2).

#include <algorithm>

#include "core/ops/pointwise.h"
#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

enum class ResultDType { Promoted, Floating, Bool, Real, FloatingReal, First };

bool countsInPromotion(Name param) {
    static const Name counted[] = {"other"_n, "exponent"_n, "self"_n, "min"_n, "max"_n, "test_elements"_n, "a"_n, "b"_n};
    return std::find(std::begin(counted), std::end(counted), param) != std::end(counted);
}

/// Operands of a call that are elements of the computation, by the schema.
bool gather(const InferContext& c, std::size_t skipDType, Elementwise& into, Promotion& promotion) {
    const Schema& schema = c.call.op->schema;
    static const Name scalar = "Scalar"_n;
    for (std::size_t i = 0; i < schema.params.size(); ++i) {
        const Value& v = c.value(i);
        if (v.isNone()) continue;
        const SchemaType& type = schema.params[i].type;
        if (type.isTensorLike()) {
            if (type.isList()) return false;
            if (v.isNode()) {
                if (const TensorType* tensor = c.tensorOf(v.asNode())) {
                    into.operands.push_back(tensor);
                    if (i + 1 != skipDType) promotion.add(*tensor);
                } else if (const TypePtr t = c.typeOf(v.asNode()); t && t->asSym()) {
                    promotion.addNumber(v, t->asSym());
                } else {
                    return false;
                }
            } else {
                promotion.addNumber(v);
            }
        } else if (type.innermost() == scalar && countsInPromotion(schema.params[i].name)) {
            const TypePtr t = v.isNode() ? c.typeOf(v.asNode()) : nullptr;
            promotion.addNumber(v, t ? t->asSym() : nullptr);
        }
    }
    return !into.operands.empty();
}

Inferred inferElementwise(const InferContext& c, ResultDType rule, std::size_t skipDType = 0) {
    Elementwise e;
    Promotion promotion;
    if (!gather(c, skipDType, e, promotion)) return {};
    DType dtype = promotion.result();
    switch (rule) {
        case ResultDType::Promoted: break;
        case ResultDType::Floating: dtype = floatingFor(dtype); break;
        case ResultDType::Bool: dtype = DType::B8; break;
        case ResultDType::Real: dtype = realFor(dtype); break;
        case ResultDType::FloatingReal: dtype = realFor(floatingFor(dtype)); break;
        case ResultDType::First: dtype = e.operands.front()->dtype; break;
    }
    auto result = elementwiseResult(e, dtype);
    if (!result.type) return {};
    if (const TensorType* first = e.operands.front(); dtype == DType::Unknown && !first->dtypeName.empty()) {
        TensorType named = *result.type->asTensor();
        named.dtypeName = first->dtypeName;
        result.type = Type::tensor(std::move(named));
    }
    return result;
}

Inferred promoted(const InferContext& c) { return inferElementwise(c, ResultDType::Promoted); }
Inferred floating(const InferContext& c) { return inferElementwise(c, ResultDType::Floating); }
Inferred boolean(const InferContext& c) { return inferElementwise(c, ResultDType::Bool); }
Inferred realPart(const InferContext& c) { return inferElementwise(c, ResultDType::Real); }
Inferred angle(const InferContext& c) { return inferElementwise(c, ResultDType::FloatingReal); }
Inferred likeFirst(const InferContext& c) { return inferElementwise(c, ResultDType::First); }

/// `where(condition, a, b)`: the condition takes part in broadcasting only.
Inferred where(const InferContext& c) { return inferElementwise(c, ResultDType::Promoted, 1); }

/// `div.Tensor_mode`: true division unless a rounding mode is given.
Inferred divide(const InferContext& c) {
    const Value* mode = c.call.find("rounding_mode"_n);
    return inferElementwise(c, mode && !mode->isNone() ? ResultDType::Promoted : ResultDType::Floating);
}

/// A loss per element; reduced to one number unless `reduction` is 0.
Inferred loss(const InferContext& c) {
    static const Name reduction = "reduction"_n;
    Inferred each = inferElementwise(c, ResultDType::Promoted);
    const Value* how = c.call.find(reduction);
    if (!each.type || !how || how->asInt() == 0) return each;
    return inferred(contiguousLike(*each.type->asTensor(), {}));
}

/// `mul` of all elements of lists: one result per element of the first list, each like its element.
Inferred foreachOp(const InferContext& c) {
    const Value& list = c.value(0);
    if (!list.isSequence()) return {};
    std::vector<TypePtr> parts;
    for (const Value& v : list.items()) {
        const TensorType* t = v.isNode() ? c.tensorOf(v.asNode()) : nullptr;
        if (!t) return {};
        TensorType result = *t;
        result.strides = preservedStrides(*t);
        parts.push_back(Type::tensor(std::move(result)));
    }
    return inferred(std::move(parts));
}

}  // namespace

Inferred elementwiseResult(const Elementwise& e, DType dtype) {
    std::vector<SymInt> shape;
    for (const TensorType* t : e.operands) {
        auto sizes = broadcastSizes(shape, t->sizes);
        if (!sizes) return {};
        shape = std::move(*sizes);
    }
    TensorType t;
    setDType(t, dtype);
    t.device = commonDevice(e.operands);
    t.strides = elementwiseStrides(shape, e.operands);
    const bool assumed = !t.strides;
    if (assumed) t.strides = TensorType::contiguousStrides(shape);
    t.sizes = std::move(shape);
    return {Type::tensor(std::move(t)), assumed ? Trust::Assumed : Trust::Inferred};
}

Name commonDevice(const std::vector<const TensorType*>& operands) {
    Name device;
    for (const TensorType* t : operands) {
        if (t->device.empty()) continue;
        if (t->rank() > 0) return t->device;
        if (device.empty() || device == "cpu") device = t->device;
    }
    return device;
}

void registerPointwise(InferTable& table) {
    for (const char* op :
         {"aten::add.Tensor", "aten::add.Scalar", "aten::sub.Tensor", "aten::sub.Scalar", "aten::rsub.Tensor", "aten::rsub.Scalar", "aten::mul.Tensor",
          "aten::mul.Scalar", "aten::neg", "aten::relu", "aten::relu6", "aten::sign", "aten::sgn", "aten::square", "aten::positive", "aten::floor", "aten::ceil",
          "aten::trunc", "aten::fix", "aten::round", "aten::round.decimals", "aten::frac", "aten::bitwise_not", "aten::bitwise_and.Tensor",
          "aten::bitwise_and.Scalar", "aten::bitwise_and.Scalar_Tensor", "aten::bitwise_or.Tensor", "aten::bitwise_or.Scalar",
          "aten::bitwise_or.Scalar_Tensor", "aten::bitwise_xor.Tensor", "aten::bitwise_xor.Scalar", "aten::bitwise_xor.Scalar_Tensor",
          "aten::bitwise_left_shift.Tensor", "aten::bitwise_left_shift.Tensor_Scalar", "aten::bitwise_right_shift.Tensor",
          "aten::bitwise_right_shift.Tensor_Scalar", "aten::__lshift__.Scalar", "aten::__lshift__.Tensor", "aten::__rshift__.Scalar",
          "aten::__rshift__.Tensor", "aten::__and__.Tensor", "aten::__and__.Scalar", "aten::__or__.Tensor", "aten::__or__.Scalar", "aten::__xor__.Tensor",
          "aten::__xor__.Scalar", "aten::floor_divide", "aten::floor_divide.Scalar", "aten::remainder.Tensor", "aten::remainder.Scalar",
          "aten::remainder.Scalar_Tensor", "aten::fmod.Tensor", "aten::fmod.Scalar", "aten::pow.Tensor_Tensor", "aten::pow.Tensor_Scalar",
          "aten::pow.Scalar", "aten::float_power.Tensor_Scalar", "aten::maximum", "aten::minimum", "aten::fmax", "aten::fmin", "aten::max.other",
          "aten::min.other", "aten::clamp", "aten::clamp.Tensor", "aten::clamp_min", "aten::clamp_min.Tensor", "aten::clamp_max", "aten::clamp_max.Tensor",
          "aten::lerp.Tensor", "aten::lerp.Scalar", "aten::addcmul", "aten::addcdiv", "aten::gcd", "aten::lcm", "aten::hypot", "aten::nextafter",
          "aten::copysign.Tensor", "aten::copysign.Scalar", "aten::heaviside", "aten::gelu", "aten::gelu_backward", "aten::silu", "aten::silu_backward",
          "aten::elu", "aten::elu_backward", "aten::celu", "aten::selu", "aten::mish", "aten::mish_backward", "aten::hardtanh", "aten::hardtanh_backward",
          "aten::hardswish", "aten::hardswish_backward", "aten::hardsigmoid", "aten::hardsigmoid_backward", "aten::leaky_relu",
          "aten::leaky_relu_backward", "aten::softplus", "aten::softplus_backward", "aten::softshrink", "aten::hardshrink", "aten::threshold",
          "aten::threshold_backward", "aten::log_sigmoid_backward", "aten::sigmoid_backward", "aten::tanh_backward", "aten::logit_backward",
          "aten::nan_to_num", "aten::conj_physical", "aten::_conj_physical", "aten::prelu", "aten::_prelu_kernel", "aten::xlogy.Scalar_Self",
          "aten::smooth_l1_loss_backward", "aten::huber_loss_backward", "prims::fma", "aten::log_sigmoid", "aten::xlogy.Scalar_Other"})
        table.add(op, promoted);
    for (const char* op :
         {"aten::exp", "aten::exp2", "aten::expm1", "aten::log", "aten::log2", "aten::log10", "aten::log1p", "aten::sqrt", "aten::rsqrt", "aten::sin",
          "aten::cos", "aten::tan", "aten::sinh", "aten::cosh", "aten::tanh", "aten::asin", "aten::acos", "aten::atan", "aten::asinh", "aten::acosh",
          "aten::atanh", "aten::sigmoid", "aten::erf", "aten::erfc", "aten::erfinv", "aten::lgamma", "aten::digamma", "aten::reciprocal", "aten::logit",
          "aten::sinc", "aten::i0", "aten::deg2rad", "aten::rad2deg", "aten::div.Tensor", "aten::div.Scalar", "aten::true_divide.Tensor",
          "aten::true_divide.Scalar", "aten::atan2", "aten::logaddexp", "aten::logaddexp2", "aten::xlogy.Tensor", "aten::special_entr",
          "aten::special_ndtri", "aten::special_log_ndtr", "aten::special_erfcx", "aten::special_xlog1py", "aten::special_zeta", "aten::polygamma",
          "aten::special_i0e", "aten::special_i1", "aten::special_i1e", "aten::special_bessel_j0", "aten::special_bessel_j1", "aten::special_bessel_y0",
          "aten::special_bessel_y1", "aten::special_airy_ai", "aten::special_modified_bessel_i0", "aten::special_modified_bessel_i1",
          "aten::special_modified_bessel_k0", "aten::special_modified_bessel_k1", "aten::special_scaled_modified_bessel_k0",
          "aten::special_scaled_modified_bessel_k1", "aten::special_spherical_bessel_j0", "aten::special_chebyshev_polynomial_t",
          "aten::special_chebyshev_polynomial_u", "aten::special_chebyshev_polynomial_v", "aten::special_chebyshev_polynomial_w",
          "aten::special_shifted_chebyshev_polynomial_t", "aten::special_shifted_chebyshev_polynomial_u",
          "aten::special_shifted_chebyshev_polynomial_v", "aten::special_shifted_chebyshev_polynomial_w", "aten::special_hermite_polynomial_h",
          "aten::special_hermite_polynomial_he", "aten::special_laguerre_polynomial_l", "aten::special_legendre_polynomial_p", "aten::igamma",
          "aten::igammac", "aten::ldexp.Tensor", "aten::mvlgamma", "aten::native_dropout_backward"})
        table.add(op, floating);
    for (const char* op : {"aten::div.Tensor_mode", "aten::div.Scalar_mode"}) table.add(op, divide);
    for (const char* op :
         {"aten::eq.Tensor", "aten::eq.Scalar", "aten::ne.Tensor", "aten::ne.Scalar", "aten::lt.Tensor", "aten::lt.Scalar", "aten::le.Tensor",
          "aten::le.Scalar", "aten::gt.Tensor", "aten::gt.Scalar", "aten::ge.Tensor", "aten::ge.Scalar", "aten::logical_not", "aten::logical_and",
          "aten::logical_or", "aten::logical_xor", "aten::isnan", "aten::isinf", "aten::isfinite", "aten::isposinf", "aten::isneginf", "aten::signbit",
          "aten::isclose", "aten::isin.Tensor_Scalar", "aten::isreal"})
        table.add(op, boolean);
    for (const char* op : {"aten::abs", "aten::absolute"}) table.add(op, realPart);
    table.add("aten::angle", angle);
    for (const char* op : {"aten::mse_loss", "aten::smooth_l1_loss", "aten::huber_loss", "aten::soft_margin_loss", "aten::binary_cross_entropy"})
        table.add(op, loss);
    for (const char* op : {"aten::masked_fill.Scalar", "aten::masked_fill.Tensor", "aten::fill.Scalar", "aten::fill.Tensor", "aten::rrelu_with_noise_functional"})
        table.add(op, likeFirst);
    for (const char* op : {"aten::where.self", "aten::where.ScalarOther", "aten::where.ScalarSelf", "aten::where.Scalar", "prims::where"})
        table.add(op, where);
    for (const char* op : {"aten::_foreach_add.Scalar", "aten::_foreach_add.List", "aten::_foreach_add.ScalarList", "aten::_foreach_add.Tensor",
                           "aten::_foreach_sub.Scalar", "aten::_foreach_sub.List", "aten::_foreach_sub.ScalarList", "aten::_foreach_mul.Scalar",
                           "aten::_foreach_mul.List", "aten::_foreach_mul.ScalarList", "aten::_foreach_mul.Tensor", "aten::_foreach_div.Scalar",
                           "aten::_foreach_div.List", "aten::_foreach_div.ScalarList", "aten::_foreach_div.Tensor", "aten::_foreach_neg",
                           "aten::_foreach_sqrt", "aten::_foreach_rsqrt", "aten::_foreach_reciprocal", "aten::_foreach_exp", "aten::_foreach_log",
                           "aten::_foreach_abs", "aten::_foreach_sign", "aten::_foreach_sin", "aten::_foreach_cos", "aten::_foreach_tanh",
                           "aten::_foreach_sigmoid", "aten::_foreach_lerp.List", "aten::_foreach_lerp.Scalar", "aten::_foreach_lerp.ScalarList",
                           "aten::_foreach_addcmul.Scalar", "aten::_foreach_addcmul.ScalarList", "aten::_foreach_addcmul.Tensor",
                           "aten::_foreach_addcdiv.Scalar", "aten::_foreach_addcdiv.ScalarList", "aten::_foreach_addcdiv.Tensor",
                           "aten::_foreach_pow.List", "aten::_foreach_pow.Scalar", "aten::_foreach_pow.ScalarList", "aten::_foreach_maximum.List",
                           "aten::_foreach_maximum.Scalar", "aten::_foreach_minimum.List", "aten::_foreach_minimum.Scalar",
                           "aten::_foreach_clamp_min.Scalar", "aten::_foreach_clamp_max.Scalar", "aten::_foreach_clamp_min.List",
                           "aten::_foreach_clamp_max.List", "aten::_foreach_zero", "aten::_foreach_copy", "aten::_foreach_floor", "aten::_foreach_ceil",
                           "aten::_foreach_round", "aten::_foreach_trunc", "aten::_foreach_erf"})
        table.add(op, foreachOp);
}

}  // namespace aliascope
