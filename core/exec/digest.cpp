#include "core/exec/digest.h"

#include <array>
#include <atomic>
#include <thread>

#include "core/exec/cpu/strided.h"

// Compiled for several instruction sets, of which the machine's best is taken when the program starts. Nothing is contracted, so all give the same
// bits. Everything that is called is inlined, because a callee would be compiled for the least of them.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ALIASCOPE_EVERY_MACHINE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), flatten))
#else
#define ALIASCOPE_EVERY_MACHINE
#endif

namespace aliascope::exec {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

/// Finaliser of SplitMix64.
inline std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

template <class Bits>
std::uint64_t hashBlock(const Bits* bits, std::int64_t n, std::int64_t first) {
    std::uint64_t sum = 0, position = static_cast<std::uint64_t>(first) * kGolden;
    for (std::int64_t i = 0; i < n; ++i, position += kGolden) sum += mix(bits[i] + position);
    return sum;
}

/// Bits of a float type: which of them are NaN, and -0.
struct FloatBits {
    std::uint64_t magnitude = 0;   ///< all bits but the sign
    std::uint64_t aboveIsNaN = 0;  ///< magnitudes above are NaN
    std::uint64_t canonicalNaN = 0;
    std::uint64_t minusZero = 0;
    std::uint64_t onlyNaN = 0;  ///< fnuz: the one code that is NaN; 0 = none such
};

std::optional<FloatBits> floatBits(DType dtype) {
    switch (dtype) {
        case DType::F64:
            return FloatBits{0x7FFFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000, 0x8000000000000000, 0};
        case DType::F32:
            return FloatBits{0x7FFFFFFF, 0x7F800000, 0x7FC00000, 0x80000000, 0};
        case DType::F16:
            return FloatBits{0x7FFF, 0x7C00, 0x7E00, 0x8000, 0};
        case DType::BF16:
            return FloatBits{0x7FFF, 0x7F80, 0x7FC0, 0x8000, 0};
        case DType::F8E4M3FN:
            return FloatBits{0x7F, 0x7E, 0x7F, 0x80, 0};
        case DType::F8E5M2:
            return FloatBits{0x7F, 0x7C, 0x7E, 0x80, 0};
        case DType::F8E4M3FNUZ:
        case DType::F8E5M2FNUZ:
            return FloatBits{0x7F, 0x7F, 0x80, 0, 0x80};
        default:
            return std::nullopt;
    }
}

/// The block with every NaN made one and -0 made +0; false when it has neither.
template <class Bits>
bool canonicalise(const FloatBits& f, const Bits* bits, std::int64_t n, Bits* out) {
    const auto magnitude = static_cast<Bits>(f.magnitude), limit = static_cast<Bits>(f.aboveIsNaN), minusZero = static_cast<Bits>(f.minusZero);
    Bits special = 0;
    for (std::int64_t i = 0; i < n; ++i)
        special |= static_cast<Bits>(static_cast<Bits>((bits[i] & magnitude) > limit) | static_cast<Bits>(bits[i] == minusZero));
    // The fnuz types have one NaN and no -0 already.
    if (!special || f.onlyNaN) return false;
    for (std::int64_t i = 0; i < n; ++i) {
        const bool isNaN = (bits[i] & magnitude) > limit;
        out[i] = isNaN ? static_cast<Bits>(f.canonicalNaN) : bits[i] == minusZero ? Bits(0) : bits[i];
    }
    return true;
}

/// Sums are taken in lanes over blocks of fixed size, so that they depend on the values and their order only, not on strides.
class Statistics {
public:
    /// At most kBlock values. Lanes side by side are what the compiler turns into vector instructions, also those that count.
    template <class V>
    void add(const V* x, std::int64_t n, std::int64_t first) {
        constexpr V infinity = std::numeric_limits<V>::infinity();
        constexpr std::size_t lanes = 8;
        std::array<double, lanes> sum{}, square{};
        std::array<V, lanes> low, high, nan{}, zero{};
        low.fill(infinity);
        high.fill(-infinity);
        const auto step = [&](std::size_t k, V v) {
            const double finite = static_cast<double>(std::fabs(v) < infinity ? v : V(0));
            sum[k] += finite;
            square[k] += finite * finite;
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
            nan[k] += v != v ? V(1) : V(0);
            zero[k] += v == V(0) ? V(1) : V(0);
        };
        const auto count = static_cast<std::size_t>(n), whole = count / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) step(k, x[i + k]);
        for (std::size_t i = whole; i < count; ++i) step(i - whole, x[i]);
        std::int64_t nans = 0;
        for (std::size_t k = 0; k < lanes; ++k) {
            sum_ += sum[k];
            square_ += square[k];
            nans += static_cast<std::int64_t>(nan[k]);
            zero_ += static_cast<std::int64_t>(zero[k]);
        }
        nan_ += nans;
        if (nans == n) return;
        const V least = *std::min_element(low.begin(), low.end()), most = *std::max_element(high.begin(), high.end());
        min_ = std::min(min_, static_cast<double>(least));
        max_ = std::max(max_, static_cast<double>(most));
        if (least == -infinity || most == infinity) countInfinities(x, n);
        const V largest = std::max(std::fabs(least), std::fabs(most));
        if (argmax_ >= 0 && static_cast<double>(largest) <= best_) return;
        best_ = static_cast<double>(largest);
        argmax_ = first + (std::find_if(x, x + n, [&](V v) { return std::fabs(v) == largest; }) - x);
    }

    void finish(Digest& d, std::int64_t values) const {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        const std::int64_t finite = values - nan_ - posInf_ - negInf_;
        d.min = argmax_ < 0 ? none : min_;
        d.max = argmax_ < 0 ? none : max_;
        d.mean = finite > 0 ? sum_ / static_cast<double>(finite) : none;
        d.l2 = std::sqrt(square_);
        d.nan = nan_;
        d.posInf = posInf_;
        d.negInf = negInf_;
        d.zero = zero_;
        d.argmaxAbs = argmax_;
    }

    /// What follows these values.
    void add(const Statistics& next) {
        sum_ += next.sum_;
        square_ += next.square_;
        min_ = std::min(min_, next.min_);
        max_ = std::max(max_, next.max_);
        nan_ += next.nan_;
        posInf_ += next.posInf_;
        negInf_ += next.negInf_;
        zero_ += next.zero_;
        if (next.argmax_ < 0 || (argmax_ >= 0 && next.best_ <= best_)) return;
        best_ = next.best_;
        argmax_ = next.argmax_;
    }

private:
    template <class V>
    void countInfinities(const V* x, std::int64_t n) {
        constexpr V infinity = std::numeric_limits<V>::infinity();
        for (std::int64_t i = 0; i < n; ++i) posInf_ += x[i] == infinity, negInf_ += x[i] == -infinity;
    }

    double sum_ = 0, square_ = 0, best_ = 0;
    double min_ = std::numeric_limits<double>::infinity(), max_ = -std::numeric_limits<double>::infinity();
    std::int64_t nan_ = 0, posInf_ = 0, negInf_ = 0, zero_ = 0, argmax_ = -1;
};

/// Values of a block, as float where that holds them, else as double.
template <class Bits>
void addValues(DType dtype, const Bits* bits, std::int64_t n, std::int64_t first, Statistics& stats) {
    const auto convert = [&](auto&& decode) {
        using V = decltype(decode(bits[0]));
        std::array<V, kBlock> values;
        for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = decode(bits[i]);
        stats.add(values.data(), n, first);
    };
    if constexpr (sizeof(Bits) == 1) {
        switch (dtype) {
            case DType::B8:
                return convert([](Bits b) { return b ? 1.0F : 0.0F; });
            case DType::I8:
                return convert([](Bits b) { return static_cast<float>(static_cast<std::int8_t>(b)); });
            case DType::U8:
                return convert([](Bits b) { return static_cast<float>(b); });
            case DType::F8E4M3FN:
            case DType::F8E5M2:
            case DType::F8E4M3FNUZ:
            case DType::F8E5M2FNUZ:
            case DType::F8E8M0FNU:
                return convert([&](Bits b) { return decodeFloat8(dtype, b); });
            default:
                return;
        }
    } else if constexpr (sizeof(Bits) == 2) {
        switch (dtype) {
            case DType::F16:
                return convert([](Bits b) { return toFloat(Half{b}); });
            case DType::BF16:
                return convert([](Bits b) { return toFloat(BFloat16{b}); });
            case DType::I16:
                return convert([](Bits b) { return static_cast<float>(static_cast<std::int16_t>(b)); });
            case DType::U16:
                return convert([](Bits b) { return static_cast<float>(b); });
            default:
                return;
        }
    } else if constexpr (sizeof(Bits) == 4) {
        switch (dtype) {
            case DType::F32:
                return convert([](Bits b) { return std::bit_cast<float>(b); });
            case DType::I32:
                return convert([](Bits b) { return static_cast<double>(static_cast<std::int32_t>(b)); });
            case DType::U32:
                return convert([](Bits b) { return static_cast<double>(b); });
            default:
                return;
        }
    } else {
        switch (dtype) {
            case DType::F64:
                return convert([](Bits b) { return std::bit_cast<double>(b); });
            case DType::I64:
                return convert([](Bits b) { return static_cast<double>(static_cast<std::int64_t>(b)); });
            case DType::U64:
                return convert([](Bits b) { return static_cast<double>(b); });
            default:
                return;
        }
    }
}

/// Calls `f(bits, n, first)` for blocks of kBlock elements in logical order, whatever the strides.
template <class Bits, class F>
void forEachBlock(const Tensor& t, F&& f) {
    const StridedLoop<1> loop(t.sizes, {&t}, LoopOrder::Logical);
    const std::int64_t row = loop.rowSize(), stride = loop.rowStrides()[0];
    const Bits* data = t.as<Bits>();
    std::array<Bits, kBlock> gathered;
    std::int64_t filled = 0, first = 0;
    loop.forEachRow([&](const auto& at) {
        const Bits* from = data + at[0];
        for (std::int64_t i = 0; i < row;) {
            if (filled == 0 && stride == 1 && row - i >= kBlock) {
                f(from + i, kBlock, first);
                first += kBlock;
                i += kBlock;
                continue;
            }
            const std::int64_t n = std::min(kBlock - filled, row - i);
            for (std::int64_t k = 0; k < n; ++k) gathered[static_cast<std::size_t>(filled + k)] = from[(i + k) * stride];
            i += n;
            filled += n;
            if (filled == kBlock) {
                f(static_cast<const Bits*>(gathered.data()), kBlock, first);
                first += kBlock;
                filled = 0;
            }
        }
    });
    if (filled > 0) f(static_cast<const Bits*>(gathered.data()), filled, first);
}

/// What a run of elements adds to a digest.
struct Part {
    std::uint64_t hash = 0, hashV = 0;
    Statistics stats;
};

template <class Bits>
void addElements(DType dtype, const Bits* bits, std::int64_t n, std::int64_t first, Part& part) {
    const auto floats = floatBits(dtype);
    std::array<Bits, kBlock> canonical;
    for (std::int64_t done = 0; done < n; done += kBlock) {
        const std::int64_t count = std::min(kBlock, n - done);
        const Bits* block = bits + done;
        const std::uint64_t hash = hashBlock(block, count, first + done);
        part.hash += hash;
        part.hashV += floats && canonicalise(*floats, block, count, canonical.data()) ? hashBlock(canonical.data(), count, first + done) : hash;
        addValues(dtype, block, count, first + done, part.stats);
    }
}

ALIASCOPE_EVERY_MACHINE void addBits(DType dtype, const std::uint8_t* bits, std::int64_t n, std::int64_t first, Part& part) {
    addElements(dtype, bits, n, first, part);
}
ALIASCOPE_EVERY_MACHINE void addBits(DType dtype, const std::uint16_t* bits, std::int64_t n, std::int64_t first, Part& part) {
    addElements(dtype, bits, n, first, part);
}
ALIASCOPE_EVERY_MACHINE void addBits(DType dtype, const std::uint32_t* bits, std::int64_t n, std::int64_t first, Part& part) {
    addElements(dtype, bits, n, first, part);
}
ALIASCOPE_EVERY_MACHINE void addBits(DType dtype, const std::uint64_t* bits, std::int64_t n, std::int64_t first, Part& part) {
    addElements(dtype, bits, n, first, part);
}

/// Sums are those of runs of this many elements, added in order: neither layout nor threads change them.
constexpr std::int64_t kRun = std::int64_t(1) << 17;
static_assert(kRun % kBlock == 0);

void join(Digest& d, Statistics& stats, const Part& part) {
    d.hash += part.hash;
    d.hashV += part.hashV;
    stats.add(part.stats);
}

/// Runs of elements that lie side by side, on two threads where that is worth starting one.
template <class Bits>
void addDense(const Tensor& t, Digest& d, Statistics& stats) {
    const std::int64_t n = t.numel(), runs = (n + kRun - 1) / kRun;
    const Bits* data = t.as<Bits>();
    std::vector<Part> parts(static_cast<std::size_t>(runs));
    std::atomic<std::int64_t> next = 0;
    const auto work = [&] {
        for (std::int64_t i = next++; i < runs; i = next++)
            addBits(t.dtype, data + i * kRun, std::min(kRun, n - i * kRun), i * kRun, parts[static_cast<std::size_t>(i)]);
    };
    constexpr std::int64_t worthAThread = 6;
    if (runs >= worthAThread && std::thread::hardware_concurrency() > 1) {
        const std::jthread helper(work);
        work();
    } else {
        work();
    }
    for (const Part& part : parts) join(d, stats, part);
}

template <class Bits>
void digestAs(const Tensor& t, Digest& d) {
    Statistics stats;
    if (t.isContiguous()) {
        addDense<Bits>(t, d, stats);
    } else {
        Part part;
        forEachBlock<Bits>(t, [&](const Bits* bits, std::int64_t n, std::int64_t first) {
            addBits(t.dtype, bits, n, first, part);
            if ((first + n) % kRun != 0) return;
            join(d, stats, part);
            part = {};
        });
        join(d, stats, part);
    }
    stats.finish(d, t.numel());
}

/// A complex tensor as one of real and imaginary parts.
Tensor parts(const Tensor& t) {
    Tensor out = t;
    out.dtype = t.dtype == DType::C128 ? DType::F64 : t.dtype == DType::C64 ? DType::F32 : DType::F16;
    for (std::int64_t& stride : out.strides) stride *= 2;
    out.offset *= 2;
    out.sizes.push_back(2);
    out.strides.push_back(1);
    return out;
}

}  // namespace

Digest digestOf(const Tensor& hostTensor) {
    const bool complex = info(hostTensor.dtype).complex;
    const Tensor t = complex ? parts(hostTensor) : hostTensor;
    Digest d;
    if (t.numel() == 0 || !t.data()) {
        Statistics().finish(d, 0);
    } else {
        switch (t.itemSize()) {
            case 1:
                digestAs<std::uint8_t>(t, d);
                break;
            case 2:
                digestAs<std::uint16_t>(t, d);
                break;
            case 4:
                digestAs<std::uint32_t>(t, d);
                break;
            case 8:
                digestAs<std::uint64_t>(t, d);
                break;
            default:
                Statistics().finish(d, 0);
                break;
        }
    }
    if (complex && d.argmaxAbs > 0) d.argmaxAbs /= 2;
    d.dtype = hostTensor.dtype;
    d.sizes = hostTensor.sizes;
    d.strides = hostTensor.strides;
    d.numel = hostTensor.numel();
    return d;
}

}  // namespace aliascope::exec
