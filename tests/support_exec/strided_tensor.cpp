#include "tests/support_exec/strided_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "core/ops/layout.h"

namespace aliascope::testing {
namespace {

template <class T>
T read(const std::vector<std::byte>& bytes, std::int64_t at) {
    const auto begin = static_cast<std::size_t>(at) * sizeof(T);
    if (at < 0 || begin + sizeof(T) > bytes.size()) throw std::runtime_error("read outside of a storage");
    T value;
    std::memcpy(&value, bytes.data() + begin, sizeof(T));
    return value;
}

template <class T>
void write(std::vector<std::byte>& bytes, std::int64_t at, T value) {
    const auto begin = static_cast<std::size_t>(at) * sizeof(T);
    if (at < 0 || begin + sizeof(T) > bytes.size()) throw std::runtime_error("write outside of a storage");
    std::memcpy(bytes.data() + begin, &value, sizeof(T));
}

template <class T>
T toInteger(double v) {
    if (!(std::abs(v) < 9e18)) return 0;
    return static_cast<T>(static_cast<std::int64_t>(v));
}

/// Half precision to a number; every half is exact in double.
double fromHalf(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31) return fraction ? std::nan("") : sign * INFINITY;
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

/// The nearest half, ties to even.
std::uint16_t toHalf(double v) {
    const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
    const double a = std::abs(v);
    if (std::isnan(v)) return 0x7e00;
    if (a >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
    int exponent = 0;
    std::frexp(a, &exponent);
    const int unit = std::max(exponent - 11, -24);  // of the last place
    const auto steps = static_cast<int>(std::nearbyint(std::ldexp(a, -unit)));
    return static_cast<std::uint16_t>(sign | (unit == -24 ? steps : ((unit + 24) << 10) + steps));
}

std::vector<SymInt> symbolic(const Shape& shape) { return {shape.begin(), shape.end()}; }

Shape numbers(const std::vector<SymInt>& values) {
    Shape out;
    for (const SymInt& s : values) out.push_back(s.constant().value());
    return out;
}

TensorType typeOf(const StridedTensor& t) {
    TensorType type;
    type.dtype = t.dtype;
    type.sizes = symbolic(t.sizes);
    type.strides = symbolic(t.strides);
    return type;
}

}  // namespace

std::int64_t StridedTensor::numel() const { return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()); }

std::int64_t StridedTensor::extent() const {
    std::int64_t last = offset;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 0) return 0;
        last += (sizes[d] - 1) * strides[d];
    }
    return last + 1;
}

double StridedTensor::load(std::int64_t at) const {
    switch (dtype) {
        case DType::F32:
            return read<float>(*storage, at);
        case DType::F64:
            return read<double>(*storage, at);
        case DType::F16:
            return fromHalf(read<std::uint16_t>(*storage, at));
        case DType::I64:
            return static_cast<double>(read<std::int64_t>(*storage, at));
        case DType::I32:
            return read<std::int32_t>(*storage, at);
        case DType::I16:
            return read<std::int16_t>(*storage, at);
        case DType::B8:
            return read<std::uint8_t>(*storage, at) ? 1.0 : 0.0;
        default:
            throw std::runtime_error("element type not supported");
    }
}

void StridedTensor::store(std::int64_t at, double value) const {
    switch (dtype) {
        case DType::F32:
            return write<float>(*storage, at, static_cast<float>(value));
        case DType::F64:
            return write<double>(*storage, at, value);
        case DType::F16:
            return write<std::uint16_t>(*storage, at, toHalf(value));
        case DType::I64:
            return write<std::int64_t>(*storage, at, toInteger<std::int64_t>(value));
        case DType::I32:
            return write<std::int32_t>(*storage, at, toInteger<std::int32_t>(value));
        case DType::I16:
            return write<std::int16_t>(*storage, at, toInteger<std::int16_t>(value));
        case DType::B8:
            return write<std::uint8_t>(*storage, at, value != 0);
        default:
            throw std::runtime_error("element type not supported");
    }
}

std::vector<std::int64_t> StridedTensor::offsets() const {
    std::vector<std::int64_t> out{offset};
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        std::vector<std::int64_t> next;
        next.reserve(out.size() * static_cast<std::size_t>(sizes[d]));
        for (std::int64_t o : out)
            for (std::int64_t i = 0; i < sizes[d]; ++i) next.push_back(o + i * strides[d]);
        out = std::move(next);
    }
    return out;
}

std::vector<double> StridedTensor::values() const {
    std::vector<double> out;
    for (std::int64_t o : offsets()) out.push_back(load(o));
    return out;
}

Shape rowMajor(const Shape& sizes) {
    Shape strides(sizes.size());
    std::int64_t stride = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        strides[d] = stride;
        stride *= std::max<std::int64_t>(sizes[d], 1);
    }
    return strides;
}

StridedTensor StridedTensor::make(DType dtype, Shape sizes, Shape strides, std::int64_t offset) {
    StridedTensor t;
    t.dtype = dtype;
    t.sizes = std::move(sizes);
    t.strides = std::move(strides);
    t.offset = offset;
    t.storage = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(std::max<std::int64_t>(t.extent(), 0)) *
                                                         static_cast<std::size_t>(itemSize(dtype)));
    return t;
}

StridedTensor StridedTensor::contiguous(DType dtype, Shape sizes) {
    Shape strides = rowMajor(sizes);
    return make(dtype, std::move(sizes), std::move(strides));
}

StridedTensor emptyFor(DType dtype, const Shape& sizes, const std::vector<const StridedTensor*>& operands) {
    std::vector<TensorType> types;
    for (const StridedTensor* t : operands) types.push_back(typeOf(*t));
    std::vector<const TensorType*> pointers;
    for (const TensorType& t : types) pointers.push_back(&t);
    const Strides strides = elementwiseStrides(symbolic(sizes), pointers);
    return strides ? StridedTensor::make(dtype, sizes, numbers(*strides)) : StridedTensor::contiguous(dtype, sizes);
}

StridedTensor emptyLike(const StridedTensor& t, DType dtype) {
    const Strides strides = preservedStrides(typeOf(t));
    return strides ? StridedTensor::make(dtype, t.sizes, numbers(*strides)) : StridedTensor::contiguous(dtype, t.sizes);
}

StridedTensor cloneWithLayout(const StridedTensor& t) {
    StridedTensor c = t;
    c.storage = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(t.extent()) * static_cast<std::size_t>(itemSize(t.dtype)));
    for (std::int64_t o : t.offsets()) c.store(o, t.load(o));
    // Bytes, not numbers: a float storage may hold an integer's bit pattern.
    const auto bytes = static_cast<std::size_t>(itemSize(t.dtype));
    for (std::int64_t o : t.offsets())
        std::memcpy(c.storage->data() + static_cast<std::size_t>(o) * bytes, t.storage->data() + static_cast<std::size_t>(o) * bytes, bytes);
    return c;
}

StridedTensor cloneDense(const StridedTensor& t) {
    StridedTensor c = emptyLike(t, t.dtype);
    assign(c, t);
    return c;
}

StridedTensor cloneContiguous(const StridedTensor& t) {
    StridedTensor c = StridedTensor::contiguous(t.dtype, t.sizes);
    assign(c, t);
    return c;
}

StridedTensor broadcast(const StridedTensor& t, const Shape& sizes) {
    if (sizes.size() < t.sizes.size()) throw std::runtime_error("cannot be broadcast to a lower rank");
    StridedTensor out = t;
    out.sizes = sizes;
    out.strides.assign(sizes.size(), 0);
    const std::size_t extra = sizes.size() - t.sizes.size();
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
        if (t.sizes[d] == sizes[d + extra])
            out.strides[d + extra] = t.strides[d];
        else if (t.sizes[d] != 1)
            throw std::runtime_error("sizes cannot be broadcast");
    }
    return out;
}

Shape broadcastShape(const Shape& a, const Shape& b) {
    Shape out(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) throw std::runtime_error("sizes cannot be broadcast");
        out[out.size() - 1 - i] = x == 1 ? y : x;
    }
    return out;
}

void assign(const StridedTensor& destination, const StridedTensor& source) {
    const StridedTensor wide = broadcast(source, destination.sizes);
    const auto from = wide.offsets(), to = destination.offsets();
    if (source.dtype == destination.dtype) {
        const auto bytes = static_cast<std::size_t>(itemSize(source.dtype));
        std::vector<std::byte> all(from.size() * bytes);
        for (std::size_t i = 0; i < from.size(); ++i)
            std::memcpy(all.data() + i * bytes, source.storage->data() + static_cast<std::size_t>(from[i]) * bytes, bytes);
        for (std::size_t i = 0; i < to.size(); ++i)
            std::memcpy(destination.storage->data() + static_cast<std::size_t>(to[i]) * bytes, all.data() + i * bytes, bytes);
        return;
    }
    std::vector<double> all;
    for (std::int64_t o : from) all.push_back(source.load(o));
    for (std::size_t i = 0; i < to.size(); ++i) destination.store(to[i], all[i]);
}

}  // namespace aliascope::testing
