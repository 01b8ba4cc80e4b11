// Convolution and pooling. Convolutions answer channels-last when an operand is; the library may choose otherwise, so that layout is Assumed.

#include <algorithm>

#include "core/ops/table.h"

namespace aliascope {
namespace {

/// Element of a list that may be shorter than the number of dims: one value stands for all.
SymInt at(const std::vector<SymInt>& list, std::size_t i, std::int64_t otherwise) {
    if (list.empty()) return SymInt(otherwise);
    return list[std::min(i, list.size() - 1)];
}

Inferred inFormat(TensorType out, bool channelsLast, Trust trust) {
    if (channelsLast)
        if (auto strides = stridesOf(out.sizes, out.rank() == 5 ? MemoryFormat::ChannelsLast3d : MemoryFormat::ChannelsLast))
            out.strides = std::move(strides);
    return {Type::tensor(std::move(out)), trust};
}

struct Kernel {
    std::vector<SymInt> stride, padding, dilation, outputPadding;
    SymInt groups = 1;
    bool transposed = false;
};

Inferred convolve(const TensorType& x, const TensorType& w, const Kernel& k) {
    if (x.rank() < 3 || x.rank() != w.rank()) return {};
    std::vector<SymInt> sizes = {x.sizes[0], k.transposed ? w.sizes[1] * k.groups : w.sizes[0]};
    for (std::size_t i = 0; i + 2 < x.rank(); ++i) {
        const SymInt in = x.sizes[i + 2], s = at(k.stride, i, 1), p = at(k.padding, i, 0);
        const SymInt reach = at(k.dilation, i, 1) * (w.sizes[i + 2] - 1);
        if (s.constant() == 0) return {};
        sizes.push_back(k.transposed ? (in - 1) * s - p * 2 + reach + at(k.outputPadding, i, 0) + 1 : floorDiv(in + p * 2 - reach - 1, s) + 1);
    }
    return inFormat(contiguousLike(x, std::move(sizes)), isChannelsLast(x) || isChannelsLast(w), Trust::Assumed);
}

/// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups).
Inferred convolution(const InferContext& c) {
    const TensorType *x = c.tensor(0), *w = c.tensor(1);
    auto stride = c.symInts(c.value(3)), padding = c.symInts(c.value(4)), dilation = c.symInts(c.value(5)), outputPadding = c.symInts(c.value(7));
    auto groups = c.symInt(c.value(8));
    if (!x || !w || !stride || !padding || !dilation || !outputPadding || !groups) return {};
    return convolve(*x, *w, {*stride, *padding, *dilation, *outputPadding, *groups, c.value(6).asBool().value_or(false)});
}

/// conv1d, conv2d, conv3d (input, weight, bias, stride, padding, dilation, groups).
Inferred convolutionNd(const InferContext& c) {
    const TensorType *x = c.tensor(0), *w = c.tensor(1);
    auto stride = c.symInts(c.value(3)), padding = c.symInts(c.value(4)), dilation = c.symInts(c.value(5));
    if (!x || !w || !stride || !padding || !dilation) return {};
    return convolve(*x, *w, {*stride, *padding, *dilation, {}, 1, false});
}

/// convolution_backward(grad_output, input, weight, bias_sizes, …, output_mask) -> gradients of input, weight, bias; None where the mask says no.
Inferred convolutionBackward(const InferContext& c) {
    const TensorType *grad = c.tensor(0), *x = c.tensor(1), *w = c.tensor(2);
    if (!grad || !x || !w || grad->rank() < 2) return {};
    const Value& mask = c.value(10);
    auto wanted = [&](std::size_t i) { return i < mask.items().size() && mask.items()[i].asBool().value_or(false); };
    const bool channelsLast = isChannelsLast(*x) || isChannelsLast(*w) || isChannelsLast(*grad);
    auto gradient = [&](const TensorType& t) { return inFormat(contiguousLike(t, t.sizes), channelsLast, Trust::Assumed).type; };
    std::vector<TypePtr> parts = {wanted(0) ? gradient(*x) : nullptr, wanted(1) ? gradient(*w) : nullptr,
                                  wanted(2) ? tensorType(contiguousLike(*grad, {grad->sizes[1]})) : nullptr};
    return {Type::tuple(std::move(parts)), Trust::Assumed};
}

struct Window {
    std::vector<SymInt> kernel, stride, padding, dilation;
    bool ceil = false;
};

/// One pooled dim; with `ceil`, a last window that would start in the padding is left out.
SymInt pooled(const SymInt& in, const Window& w, std::size_t i) {
    const SymInt k = at(w.kernel, i, 1), s = w.stride.empty() ? k : at(w.stride, i, 1), p = at(w.padding, i, 0), d = at(w.dilation, i, 1);
    if (s.constant() == 0) return SymInt(0);
    const SymInt span = in + p * 2 - d * (k - 1) - 1;
    if (!w.ceil) return floorDiv(span, s) + 1;
    const SymInt out = floorDiv(span + s - 1, s) + 1;
    auto last = ((out - 1) * s).constant(), limit = (in + p).constant();
    return last && limit && *last >= *limit ? out - 1 : out;
}

std::optional<std::vector<SymInt>> pooledSizes(const TensorType& t, const Window& w, std::size_t dims) {
    if (t.rank() < dims || t.rank() > dims + 2) return std::nullopt;
    std::vector<SymInt> sizes = t.sizes;
    for (std::size_t i = 0; i < dims; ++i) {
        SymInt& size = sizes[sizes.size() - dims + i];
        size = pooled(size, w, i);
    }
    return sizes;
}

template <int Dims>
Inferred maxPoolValues(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto kernel = c.symInts(c.value(1)), stride = c.symInts(c.value(2)), padding = c.symInts(c.value(3)), dilation = c.symInts(c.value(4));
    if (!t || !kernel || !stride || !padding || !dilation) return {};
    auto sizes = pooledSizes(*t, {*kernel, *stride, *padding, *dilation, c.value(5).asBool().value_or(false)}, Dims);
    return sizes ? inFormat(contiguousLike(*t, std::move(*sizes)), isChannelsLast(*t), Trust::Inferred) : Inferred{};
}

/// (values, indices).
template <int Dims, DType Index>
Inferred maxPool(const InferContext& c) {
    Inferred values = maxPoolValues<Dims>(c);
    if (!values.type) return {};
    TensorType indices = *values.type->asTensor();
    setDType(indices, Index);
    return inferred(std::vector<TypePtr>{values.type, tensorType(std::move(indices))});
}

template <int Dims>
Inferred averagePool(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto kernel = c.symInts(c.value(1)), stride = c.symInts(c.value(2)), padding = c.symInts(c.value(3));
    if (!t || !kernel || !stride || !padding) return {};
    auto sizes = pooledSizes(*t, {*kernel, *stride, *padding, {}, c.value(4).asBool().value_or(false)}, Dims);
    return sizes ? inFormat(contiguousLike(*t, std::move(*sizes)), isChannelsLast(*t), Trust::Inferred) : Inferred{};
}

template <int Dims>
Inferred adaptivePool(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto out = c.symInts(c.value(1));
    if (!t || !out || out->size() != Dims || t->rank() < Dims) return {};
    std::vector<SymInt> sizes = t->sizes;
    std::copy(out->begin(), out->end(), sizes.end() - Dims);
    return inFormat(contiguousLike(*t, std::move(sizes)), isChannelsLast(*t), Trust::Inferred);
}

template <int Dims>
Inferred adaptiveMaxPool(const InferContext& c) {
    Inferred values = adaptivePool<Dims>(c);
    if (!values.type) return {};
    TensorType indices = *values.type->asTensor();
    setDType(indices, DType::I64);
    return inferred(std::vector<TypePtr>{values.type, tensorType(std::move(indices))});
}

/// Gradient of the pooled input, which is argument `Input`.
template <int Input>
Inferred poolBackward(const InferContext& c) {
    const TensorType* t = c.tensor(Input);
    return t ? inFormat(contiguousLike(*t, t->sizes), isChannelsLast(*t), Trust::Inferred) : Inferred{};
}

/// Positions in the plane from positions in the window.
Inferred offsetsToIndices(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType out = *t;
    out.strides = preservedStrides(*t);
    setDType(out, DType::I64);
    return inferred(std::move(out));
}

/// upsample_*: the last dims take the given sizes.
template <int Dims>
Inferred upsample(const InferContext& c) {
    return adaptivePool<Dims>(c);
}

}  // namespace

void registerConvPool(InferTable& table) {
    for (const char* op : {"aten::convolution", "aten::_convolution"}) table.add(op, convolution);
    for (const char* op : {"aten::conv1d", "aten::conv2d", "aten::conv3d"}) table.add(op, convolutionNd);
    table.add("aten::convolution_backward", convolutionBackward);
    table.add("aten::max_pool2d_with_indices", maxPool<2, DType::I64>);
    table.add("aten::max_pool3d_with_indices", maxPool<3, DType::I64>);
    table.add("aten::max_pool2d", maxPoolValues<2>);
    table.add("aten::max_pool3d", maxPoolValues<3>);
    table.add("prims::_low_memory_max_pool_with_offsets", maxPool<2, DType::I8>);
    table.add("prims::_low_memory_max_pool_offsets_to_indices", offsetsToIndices);
    table.add("aten::avg_pool2d", averagePool<2>);
    table.add("aten::avg_pool3d", averagePool<3>);
    for (const char* op : {"aten::_adaptive_avg_pool2d", "aten::adaptive_avg_pool2d"}) table.add(op, adaptivePool<2>);
    for (const char* op : {"aten::_adaptive_avg_pool3d", "aten::adaptive_avg_pool3d"}) table.add(op, adaptivePool<3>);
    for (const char* op : {"aten::max_pool2d_with_indices_backward", "aten::avg_pool2d_backward", "aten::_adaptive_avg_pool2d_backward",
                           "aten::max_pool3d_with_indices_backward", "aten::avg_pool3d_backward", "aten::_adaptive_avg_pool3d_backward",
                           "aten::adaptive_max_pool2d_backward", "aten::adaptive_max_pool3d_backward"})
        table.add(op, poolBackward<1>);
    table.add("aten::adaptive_max_pool2d", adaptiveMaxPool<2>);
    table.add("aten::adaptive_max_pool3d", adaptiveMaxPool<3>);
    for (const char* op : {"aten::upsample_nearest1d", "aten::upsample_linear1d", "aten::_upsample_nearest_exact1d"}) table.add(op, upsample<1>);
    for (const char* op : {"aten::upsample_nearest2d", "aten::upsample_bilinear2d", "aten::upsample_bicubic2d", "aten::_upsample_nearest_exact2d"})
        table.add(op, upsample<2>);
    for (const char* op : {"aten::upsample_nearest3d", "aten::upsample_trilinear3d", "aten::_upsample_nearest_exact3d"}) table.add(op, upsample<3>);
}

}  // namespace aliascope
