#include "core/exec/cpu/strided.h"

namespace aliascope::exec {

std::string shapeText(const Shape& sizes) {
    std::string text = "[";
    for (std::size_t d = 0; d < sizes.size(); ++d) text += (d ? ", " : "") + std::to_string(sizes[d]);
    return text + "]";
}

void requireSizes(std::string_view argument, const Tensor& t, const Shape& sizes) {
    if (t.sizes != sizes) failShape(argument, shapeText(t.sizes), shapeText(sizes));
}

std::int64_t byteCount(const Shape& sizes, std::int64_t itemSize) {
    std::int64_t bytes = itemSize;
    for (std::int64_t size : sizes)
        if (__builtin_mul_overflow(bytes, size, &bytes)) failUnsupported(shapeText(sizes) + " are too many elements to keep");
    return bytes;
}

Shape broadcastShapes(const Shape& a, const Shape& b) {
    const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
    Shape out = longer;
    const std::size_t lead = longer.size() - shorter.size();
    for (std::size_t d = 0; d < shorter.size(); ++d) {
        std::int64_t& size = out[lead + d];
        if (size == 1)
            size = shorter[d];
        else if (shorter[d] != 1 && shorter[d] != size)
            failShape("operand", shapeText(b), "a shape that broadcasts with " + shapeText(a));
    }
    return out;
}

Shape broadcastStrides(const Tensor& t, const Shape& sizes) {
    if (t.rank() > sizes.size()) failShape("operand", shapeText(t.sizes), "a shape that broadcasts to " + shapeText(sizes));
    Shape strides(sizes.size(), 0);
    const std::size_t lead = sizes.size() - t.rank();
    for (std::size_t d = 0; d < t.rank(); ++d) {
        if (t.sizes[d] == sizes[lead + d])
            strides[lead + d] = t.strides[d];
        else if (t.sizes[d] != 1)
            failShape("operand", shapeText(t.sizes), "a shape that broadcasts to " + shapeText(sizes));
    }
    return strides;
}

Shape without(const Shape& shape, std::int64_t dim) {
    Shape out = shape;
    if (!out.empty()) out.erase(out.begin() + dim);
    return out;
}

// --- blocks --------------------------------------------------------------------------------------------------------------------------------

namespace {

template <class C, class T>
void loadAs(const Tensor& t, std::int64_t offset, std::int64_t stride, std::int64_t n, C* buffer) {
    const T* from = t.as<T>() + offset;
    if (stride == 0) {
        std::fill_n(buffer, n, convertElement<C>(*from));
    } else if (stride == 1) {
        for (std::int64_t i = 0; i < n; ++i) buffer[i] = convertElement<C>(from[i]);
    } else {
        for (std::int64_t i = 0; i < n; ++i) buffer[i] = convertElement<C>(from[i * stride]);
    }
}

template <class T, class C>
void storeAs(const Tensor& t, std::int64_t offset, std::int64_t stride, std::int64_t n, const C* values) {
    T* to = t.as<T>() + offset;
    if constexpr (std::is_same_v<T, C>)
        if (to == values) return;
    if (stride == 1) {
        for (std::int64_t i = 0; i < n; ++i) to[i] = convertElement<T>(values[i]);
    } else {
        for (std::int64_t i = 0; i < n; ++i) to[i * stride] = convertElement<T>(values[i]);
    }
}

bool isFloat8(DType d) { return info(d).floating && itemSize(d) == 1 && d != DType::F4E2M1FN_X2; }

/// bool as bytes: memory may hold other bits than 0 and 1, which a C++ bool must not.
bool isTrue(std::uint8_t byte) { return byte != 0; }

template <class C>
void loadBool(const Tensor& t, std::int64_t offset, std::int64_t stride, std::int64_t n, C* buffer) {
    const auto* from = t.as<std::uint8_t>() + offset;
    for (std::int64_t i = 0; i < n; ++i) buffer[i] = static_cast<C>(isTrue(from[i * stride]));
}

}  // namespace

template <class C>
const C* loadBlock(const Tensor& t, std::int64_t offset, std::int64_t stride, std::int64_t n, C* buffer) {
    if (const C* place = resultBlock<C>(t, offset, stride, buffer); place != buffer) return place;
    if (t.dtype == DType::B8) {
        loadBool(t, offset, stride, n, buffer);
    } else if (isFloat8(t.dtype)) {
        const auto* from = t.as<std::uint8_t>() + offset;
        for (std::int64_t i = 0; i < n; ++i) buffer[i] = convertElement<C>(decodeFloat8(t.dtype, from[i * stride]));
    } else {
        dispatch(t.dtype, [&](auto tag) { loadAs<C, typename decltype(tag)::type>(t, offset, stride, n, buffer); });
    }
    return buffer;
}

template <class C>
void storeBlock(const Tensor& t, std::int64_t offset, std::int64_t stride, std::int64_t n, const C* values) {
    if (isFloat8(t.dtype)) {
        auto* to = t.as<std::uint8_t>() + offset;
        for (std::int64_t i = 0; i < n; ++i) to[i * stride] = encodeFloat8(t.dtype, convertElement<float>(values[i]));
    } else {
        dispatch(t.dtype, [&](auto tag) { storeAs<typename decltype(tag)::type>(t, offset, stride, n, values); });
    }
}

template const float* loadBlock<float>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, float*);
template const double* loadBlock<double>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, double*);
template const std::int64_t* loadBlock<std::int64_t>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, std::int64_t*);
template void storeBlock<float>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, const float*);
template void storeBlock<double>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, const double*);
template void storeBlock<std::int64_t>(const Tensor&, std::int64_t, std::int64_t, std::int64_t, const std::int64_t*);

// --- whole tensors -------------------------------------------------------------------------------------------------------------------------

namespace {

/// Bits of elements that have the same size.
template <class Bits>
void moveBits(const Tensor& dst, const Tensor& src, const StridedLoop<2>& loop) {
    const std::int64_t n = loop.rowSize();
    const auto [to, from] = loop.rowStrides();
    loop.forEachRow([&, to = to, from = from](const auto& at) {
        Bits* d = dst.as<Bits>() + at[0];
        const Bits* s = src.as<Bits>() + at[1];
        if (to == 1 && from == 1)
            std::memmove(d, s, static_cast<std::size_t>(n) * sizeof(Bits));
        else if (from == 0)
            for (std::int64_t i = 0; i < n; ++i) d[i * to] = *s;
        else
            for (std::int64_t i = 0; i < n; ++i) d[i * to] = s[i * from];
    });
}

struct Wide {
    std::uint64_t low, high;
};

void moveElements(const Tensor& dst, const Tensor& src, const StridedLoop<2>& loop) {
    switch (dst.itemSize()) {
        case 1:
            return moveBits<std::uint8_t>(dst, src, loop);
        case 2:
            return moveBits<std::uint16_t>(dst, src, loop);
        case 4:
            return moveBits<std::uint32_t>(dst, src, loop);
        case 8:
            return moveBits<std::uint64_t>(dst, src, loop);
        case 16:
            return moveBits<Wide>(dst, src, loop);
        default:
            failDType(dst.dtype);
    }
}

template <class C>
void convertRows(const Tensor& dst, const Tensor& src, const StridedLoop<2>& loop) {
    C buffer[kBlock];
    const auto [to, from] = loop.rowStrides();
    loop.forEachRow([&, to = to, from = from](const auto& at) {
        for (std::int64_t i = 0; i < loop.rowSize(); i += kBlock) {
            const std::int64_t n = std::min(kBlock, loop.rowSize() - i);
            storeBlock(dst, at[0] + i * to, to, n, loadBlock(src, at[1] + i * from, from, n, buffer));
        }
    });
}

/// u64 does not fit into the i64 that other integers are converted through.
void convertUnsigned(const Tensor& dst, const Tensor& src, const StridedLoop<2>& loop) {
    dispatch(dst.dtype, [&](auto tag) {
        using To = typename decltype(tag)::type;
        loop.forEach([&](const auto& at) { dst.as<To>()[at[0]] = convertElement<To>(src.as<std::uint64_t>()[at[1]]); });
    });
}

}  // namespace

void copyElements(const Tensor& dst, const Tensor& src) {
    if (sameGeometry(dst, src) && dst.storage) return;
    const StridedLoop<2> loop(dst.sizes, {&dst, &src});
    if (loop.rowSize() == 0) return;
    if (dst.dtype == src.dtype) return moveElements(dst, src, loop);
    if (info(dst.dtype).complex || info(src.dtype).complex) failDType(info(dst.dtype).complex ? dst.dtype : src.dtype);
    if (src.dtype == DType::U64 && info(dst.dtype).floating && !isFloat8(dst.dtype)) return convertUnsigned(dst, src, loop);
    dispatchCompute(src.dtype, [&](auto tag) { convertRows<typename decltype(tag)::type>(dst, src, loop); });
}

void fillScalar(const Tensor& dst, const RuntimeValue& number) {
    if (dst.numel() == 0) return;
    const auto integer = number.integer();
    const auto real = number.number();
    if (!real) failUnsupported("the value to fill with is no number");
    const StridedLoop<1> loop(dst.sizes, {&dst});
    auto fill = [&]<class C>(C value) {
        C buffer[kBlock];
        std::fill_n(buffer, std::min(kBlock, loop.rowSize()), value);
        const std::int64_t stride = loop.rowStrides()[0];
        loop.forEachRow([&](const auto& at) {
            for (std::int64_t i = 0; i < loop.rowSize(); i += kBlock)
                storeBlock(dst, at[0] + i * stride, stride, std::min(kBlock, loop.rowSize() - i), buffer);
        });
    };
    if (integer)
        fill(*integer);
    else if (info(dst.dtype).floating && dst.dtype != DType::F64)
        fill(static_cast<float>(*real));
    else
        fill(*real);
}

void fillScalar(const Tensor& dst, double value) { fillScalar(dst, RuntimeValue(value)); }

void fillPoison(const Tensor& t) {
    if (t.numel() == 0) return;
    const StridedLoop<1> loop(t.sizes, {&t});
    auto fill = [&]<class Bits>(Bits pattern) { loop.forEach([&](const auto& at) { t.as<Bits>()[at[0]] = pattern; }); };
    switch (t.dtype) {
        case DType::F64:
            return fill(std::uint64_t{0x7FF80000000002A5});
        case DType::F32:
            return fill(std::uint32_t{0x7FC002A5});
        case DType::F16:
            return fill(std::uint16_t{0x7E55});
        case DType::BF16:
            return fill(std::uint16_t{0x7FD5});
        case DType::C64:
            return fill(std::uint64_t{0x7FC002A57FC002A5});
        default:
            break;
    }
    switch (t.itemSize()) {
        case 1:
            return fill(std::uint8_t{0x5A});
        case 2:
            return fill(std::uint16_t{0x5A5A});
        case 4:
            return fill(std::uint32_t{0x5A5A5A5A});
        case 8:
            return fill(std::uint64_t{0x5A5A5A5A5A5A5A5A});
        case 16:
            return fill(Wide{0x5A5A5A5A5A5A5A5A, 0x5A5A5A5A5A5A5A5A});
        default:
            failDType(t.dtype);
    }
}

double readDouble(const Tensor& t, std::int64_t offset) {
    if (t.dtype == DType::U64) return static_cast<double>(t.as<std::uint64_t>()[offset]);
    double value;
    if (info(t.dtype).floating) return *loadBlock(t, offset, 0, 1, &value);
    return static_cast<double>(readInteger(t, offset));
}

std::int64_t readInteger(const Tensor& t, std::int64_t offset) {
    std::int64_t value;
    return *loadBlock(t, offset, 0, 1, &value);
}

void writeDouble(const Tensor& t, std::int64_t offset, double value) { storeBlock(t, offset, 0, 1, &value); }
void writeInteger(const Tensor& t, std::int64_t offset, std::int64_t value) { storeBlock(t, offset, 0, 1, &value); }

bool fitsInteger(DType integer, const Tensor& floats) {
    if (floats.numel() == 0 || !floats.data()) return true;
    const int bits = 8 * itemSize(integer);
    const bool hasSign = integer == DType::I8 || integer == DType::I16 || integer == DType::I32 || integer == DType::I64;
    const double end = std::ldexp(1.0, hasSign ? bits - 1 : bits), below = hasSign ? -end - (bits < 64 ? 1.0 : 0.0) : -1.0;
    const bool includesBelow = hasSign && bits == 64;  // the next double under -2^63 is far away
    bool fits = true;
    dispatch(floats.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* data = floats.as<T>();
        StridedLoop<1>(floats.sizes, {&floats}).forEach([&](const auto& at) {
            const auto x = convertElement<double>(data[at[0]]);
            fits &= x < end && (includesBelow ? x >= below : x > below);
        });
    });
    return fits;
}

}  // namespace aliascope::exec
