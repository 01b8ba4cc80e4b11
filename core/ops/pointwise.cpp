// Elementwise operators: broadcasting, promotion, layout by TensorIterator's rule (executor.md 2.2).

#include "core/ops/pointwise.h"

#include <algorithm>

#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

enum class ResultDType { Promoted, Floating, Double, Bool, Real, FloatingReal, First };

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
        case ResultDType::Promoted:
            break;
        case ResultDType::Floating:
            dtype = floatingFor(dtype);
            break;
        case ResultDType::Double:
            dtype = DType::F64;
            break;
        case ResultDType::Bool:
            dtype = DType::B8;
            break;
        case ResultDType::Real:
            dtype = realFor(dtype);
            break;
        case ResultDType::FloatingReal:
            dtype = realFor(floatingFor(dtype));
            break;
        case ResultDType::First:
            dtype = e.operands.front()->dtype;
            break;
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
Inferred toDouble(const InferContext& c) { return inferElementwise(c, ResultDType::Double); }
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

/// Derivative of a loss (grad_output, self, target): one for each element of self.
Inferred lossBackward(const InferContext& c) {
    const TensorType* self = c.tensor(1);
    const TensorType* target = c.tensor(2);
    return self && target ? elementwiseResult({{self, target}}, self->dtype) : Inferred{};
}

/// frexp(self): mantissa and exponent.
Inferred mantissaAndExponent(const InferContext& c) {
    const Inferred mantissa = likeFirst(c);
    if (!mantissa.type) return {};
    TensorType exponent = *mantissa.type->asTensor();
    setDType(exponent, DType::I32);
    return {Type::tuple({mantissa.type, tensorType(std::move(exponent))}), mantissa.trust};
}

/// log_sigmoid_forward(self): the result, and a buffer that CUDA leaves empty.
Inferred logSigmoidForward(const InferContext& c) {
    const Inferred result = likeFirst(c);
    if (!result.type) return {};
    const TensorType& t = *result.type->asTensor();
    TypePtr buffer = t.device.view().starts_with("cuda") ? tensorType(contiguousLike(t, {SymInt(0)})) : result.type;
    return {Type::tuple({result.type, std::move(buffer)}), result.trust};
}

/// _prelu_kernel_backward(grad_output, self, weight): both derivatives in the broadcast shape.
Inferred preluBackward(const InferContext& c) {
    const Inferred each = inferElementwise(c, ResultDType::Promoted);
    return each.type ? Inferred{Type::tuple({each.type, each.type}), each.trust} : Inferred{};
}

/// Types of the tensors of a list, each dense in its order.
TypePtr listLike(const InferContext& c, const Value& list) {
    if (!list.isSequence()) return nullptr;
    std::vector<TypePtr> parts;
    for (const Value& v : list.items()) {
        const TensorType* t = v.isNode() ? c.tensorOf(v.asNode()) : nullptr;
        if (!t) return nullptr;
        TensorType result = *t;
        result.strides = preservedStrides(*t);
        parts.push_back(Type::tensor(std::move(result)));
    }
    return Type::tuple(std::move(parts));
}

/// _fused_adam: parameters, gradients and the three lists of averages, updated.
Inferred fusedAdam(const InferContext& c) {
    std::vector<TypePtr> lists;
    for (std::size_t i = 0; i < 5; ++i) lists.push_back(listLike(c, c.value(i)));
    return std::find(lists.begin(), lists.end(), nullptr) == lists.end() ? inferred(std::move(lists)) : Inferred{};
}

/// `mul` of all elements of lists: one result per element of the first list, each like its element.
Inferred foreachOp(const InferContext& c) {
    TypePtr lists = listLike(c, c.value(0));
    return lists ? Inferred{std::move(lists), Trust::Inferred} : Inferred{};
}

// --- the operators -----------------------------------------------------------------------------------------------------------------------

/// The result has the promoted dtype of the operands.
constexpr std::string_view kPromoted = R"(
    add.Tensor add.Scalar sub.Tensor sub.Scalar rsub.Tensor rsub.Scalar mul.Tensor mul.Scalar neg relu relu6 sign sgn square positive floor
    ceil trunc fix round round.decimals frac bitwise_not bitwise_and.Tensor bitwise_and.Scalar bitwise_and.Scalar_Tensor bitwise_or.Tensor
    bitwise_or.Scalar bitwise_or.Scalar_Tensor bitwise_xor.Tensor bitwise_xor.Scalar bitwise_xor.Scalar_Tensor bitwise_left_shift.Tensor
    bitwise_left_shift.Tensor_Scalar bitwise_left_shift.Scalar_Tensor bitwise_right_shift.Tensor
    bitwise_right_shift.Tensor_Scalar bitwise_right_shift.Scalar_Tensor __lshift__.Scalar __lshift__.Tensor
    __rshift__.Scalar __rshift__.Tensor __and__.Tensor __and__.Scalar __or__.Tensor __or__.Scalar __xor__.Tensor __xor__.Scalar floor_divide
    floor_divide.Scalar remainder.Tensor remainder.Scalar remainder.Scalar_Tensor fmod.Tensor fmod.Scalar pow.Tensor_Tensor
    pow.Tensor_Scalar pow.Scalar maximum minimum fmax fmin max.other min.other clamp clamp.Tensor clamp_min
    clamp_min.Tensor clamp_max clamp_max.Tensor lerp.Tensor lerp.Scalar addcmul addcdiv gcd lcm hypot nextafter
    heaviside gelu gelu_backward silu silu_backward elu elu_backward celu selu mish mish_backward hardtanh hardtanh_backward
    hardswish hardswish_backward hardsigmoid hardsigmoid_backward leaky_relu leaky_relu_backward softplus softplus_backward softshrink
    hardshrink threshold threshold_backward log_sigmoid_backward sigmoid_backward tanh_backward logit_backward nan_to_num conj_physical
    _conj_physical prelu _prelu_kernel xlogy.Scalar_Self log_sigmoid xlogy.Scalar_Other
)";

/// Integers become floating.
constexpr std::string_view kFloating = R"(
    exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh sigmoid erf erfc erfinv
    lgamma digamma reciprocal logit sinc i0 deg2rad rad2deg div.Tensor div.Scalar true_divide.Tensor true_divide.Scalar atan2 logaddexp
    logaddexp2 xlogy.Tensor special_entr special_ndtri special_log_ndtr special_erfcx special_xlog1py special_zeta polygamma special_i0e
    special_i1 special_i1e special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_airy_ai
    special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1
    special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_spherical_bessel_j0 special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_shifted_chebyshev_polynomial_t
    special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w
    special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p igamma igammac
    ldexp.Tensor mvlgamma native_dropout_backward copysign.Tensor copysign.Scalar special_digamma
)";

/// Comparisons and tests.
constexpr std::string_view kBoolean = R"(
    eq.Tensor eq.Scalar ne.Tensor ne.Scalar lt.Tensor lt.Scalar le.Tensor le.Scalar gt.Tensor gt.Scalar ge.Tensor ge.Scalar logical_not
    logical_and logical_or logical_xor isnan isinf isfinite isposinf isneginf signbit isclose isin.Tensor_Scalar isreal
)";

/// Operators of prims with the same rules, which hold where there is nothing to promote, too.
constexpr std::string_view kPrimsPromoted = R"(
    abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil cos cosh erf erf_inv erfc exp exp2
    expm1 floor fma fmax fmin fmod gcd hypot lgamma log log10 log1p log2 maximum minimum mul neg pow reciprocal remainder round rsqrt
    shift_left shift_right_arithmetic sign sin sinh sqrt sub tan tanh trunc
)";
constexpr std::string_view kPrimsBoolean = "eq ne lt le gt ge isfinite signbit";

/// One result for each element of the first list.
constexpr std::string_view kForeach = R"(
    _foreach_add.Scalar _foreach_add.List _foreach_add.ScalarList _foreach_add.Tensor _foreach_sub.Scalar _foreach_sub.List
    _foreach_sub.ScalarList _foreach_mul.Scalar _foreach_mul.List _foreach_mul.ScalarList _foreach_mul.Tensor _foreach_div.Scalar
    _foreach_div.List _foreach_div.ScalarList _foreach_div.Tensor _foreach_neg _foreach_sqrt _foreach_rsqrt _foreach_reciprocal _foreach_exp
    _foreach_log _foreach_abs _foreach_sign _foreach_sin _foreach_cos _foreach_tanh _foreach_sigmoid _foreach_lerp.List _foreach_lerp.Scalar
    _foreach_lerp.ScalarList _foreach_addcmul.Scalar _foreach_addcmul.ScalarList _foreach_addcmul.Tensor _foreach_addcdiv.Scalar
    _foreach_addcdiv.ScalarList _foreach_addcdiv.Tensor _foreach_pow.List _foreach_pow.Scalar _foreach_pow.ScalarList _foreach_maximum.List
    _foreach_maximum.Scalar _foreach_minimum.List _foreach_minimum.Scalar _foreach_clamp_min.Scalar _foreach_clamp_max.Scalar
    _foreach_clamp_min.List _foreach_clamp_max.List _foreach_zero _foreach_copy _foreach_floor _foreach_ceil _foreach_round _foreach_trunc
    _foreach_erf
)";

/// Enters operators that are listed with blanks between them.
void addEach(InferTable& table, std::string_view names, InferFn infer, std::string_view ns = "aten::") {
    constexpr std::string_view blanks = " \n";
    for (std::size_t at = names.find_first_not_of(blanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(names.find_first_of(blanks, at), names.size());
        table.add(std::string(ns) + std::string(names.substr(at, end - at)), infer);
        at = names.find_first_not_of(blanks, end);
    }
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
    addEach(table, kPromoted, promoted);
    addEach(table, kPrimsPromoted, promoted, "prims::");
    addEach(table, kPrimsBoolean, boolean, "prims::");
    addEach(table, "float_power.Tensor_Tensor float_power.Tensor_Scalar float_power.Scalar", toDouble);
    addEach(table, kFloating, floating);
    addEach(table, "div.Tensor_mode div.Scalar_mode", divide);
    for (const char* polynomial :
         {"chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t",
          "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "hermite_polynomial_h",
          "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"})
        for (const char* overload : {".n_scalar", ".x_scalar"}) table.add(std::string("aten::special_") + polynomial + overload, floating);
    addEach(table, kBoolean, boolean);
    addEach(table, "abs absolute", realPart);
    addEach(table, "angle", angle);
    addEach(table, "mse_loss smooth_l1_loss huber_loss soft_margin_loss binary_cross_entropy binary_cross_entropy_with_logits", loss);
    addEach(table, "mse_loss_backward smooth_l1_loss_backward huber_loss_backward soft_margin_loss_backward binary_cross_entropy_backward",
            lossBackward);
    addEach(table, "frexp.Tensor", mantissaAndExponent);
    addEach(table, "log_sigmoid_forward", logSigmoidForward);
    addEach(table, "_prelu_kernel_backward", preluBackward);
    addEach(table, "hardshrink_backward softshrink_backward", promoted);
    addEach(table, "masked_fill.Scalar masked_fill.Tensor fill.Scalar fill.Tensor rrelu_with_noise_functional", likeFirst);
    addEach(table, "where.self where.ScalarOther where.ScalarSelf where.Scalar", where);
    table.add("prims::where", where);
    addEach(table, kForeach, foreachOp);
    addEach(table, "_fused_adam _fused_adam.tensor_lr _fused_adamw _fused_adamw.tensor_lr", fusedAdam);
}

}  // namespace aliascope
