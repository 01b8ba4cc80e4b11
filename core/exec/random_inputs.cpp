#include "core/exec/random_inputs.h"

#include <xxhash.h>

#include <algorithm>
#include <numbers>
#include <unordered_map>

#include "core/exec/cpu/strided.h"
#include "core/exec/philox.h"

namespace aliascope::exec {
namespace {

/// (0, 1), never an end.
double unit(std::uint32_t bits) { return (bits + 0.5) * 0x1p-32; }

/// Element i takes lane i % 4 of block i / 4.
class Stream {
public:
    explicit Stream(std::uint64_t key) : key_(key) {}

    double uniform(std::int64_t i) { return unit(block(i)[static_cast<std::size_t>(i & 3)]); }
    std::int64_t below(std::int64_t i, std::int64_t limit) {
        const std::uint64_t wide =
            static_cast<std::uint64_t>(block(i)[static_cast<std::size_t>(i & 3)]) << 32 | block(i)[static_cast<std::size_t>((i + 1) & 3)];
        return static_cast<std::int64_t>(wide % static_cast<std::uint64_t>(limit));
    }
    /// Standard normal, by Box and Muller: a pair of lanes gives two.
    double normal(std::int64_t i) {
        const PhiloxBlock& b = block(i);
        const std::size_t pair = static_cast<std::size_t>(i & 2);
        const double radius = std::sqrt(-2 * std::log(unit(b[pair]))), angle = 2 * std::numbers::pi * unit(b[pair + 1]);
        return i & 1 ? radius * std::sin(angle) : radius * std::cos(angle);
    }

private:
    const PhiloxBlock& block(std::int64_t i) {
        if (i >> 2 != at_) now_ = philox(key_, static_cast<std::uint64_t>(at_ = i >> 2));
        return now_;
    }
    std::uint64_t key_;
    std::int64_t at_ = -1;
    PhiloxBlock now_{};
};

/// Writes value(i) of every logical index i.
template <class C, class F>
void fill(const Tensor& t, F&& value) {
    const StridedLoop<1> loop(t.sizes, {&t}, LoopOrder::Logical);
    const std::int64_t row = loop.rowSize(), stride = loop.rowStrides()[0];
    C buffer[kBlock];
    std::int64_t i = 0;
    loop.forEachRow([&](const auto& at) {
        for (std::int64_t begin = 0; begin < row; begin += kBlock) {
            const std::int64_t n = std::min(kBlock, row - begin);
            for (std::int64_t k = 0; k < n; ++k) buffer[k] = static_cast<C>(value(i++));
            storeBlock(t, at[0] + begin * stride, stride, n, buffer);
        }
    });
}

/// The first elements of a random permutation of [0, limit), by Fisher and Yates, of which only what is touched is kept. Past the end it repeats.
std::vector<std::int64_t> permutationPrefix(std::int64_t n, std::int64_t limit, Stream& random) {
    std::unordered_map<std::int64_t, std::int64_t> moved;
    const auto at = [&](std::int64_t i) {
        const auto found = moved.find(i);
        return found == moved.end() ? i : found->second;
    };
    std::vector<std::int64_t> out;
    out.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
        if (i >= limit) {
            out.push_back(out[static_cast<std::size_t>(i - limit)]);
            continue;
        }
        const std::int64_t j = i + random.below(i, limit - i), chosen = at(j);
        moved[j] = at(i);
        out.push_back(chosen);
    }
    return out;
}

/// Sorted multiples of 8, the last one the limit.
std::vector<std::int64_t> groupOffsets(std::int64_t n, std::int64_t limit, Stream& random) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i + 1 < n; ++i) out.push_back(random.below(i, limit / 8 + 1) * 8);
    std::sort(out.begin(), out.end());
    if (n > 0) out.push_back(limit);
    return out;
}

void fillMask(const Tensor& t, Stream& random) {
    const std::int64_t row = t.rank() == 0 ? 1 : std::max<std::int64_t>(1, t.sizes.back());
    // A row that would be all false gets one true element.
    std::int64_t current = -1;
    bool any = false;
    fill<std::int64_t>(t, [&](std::int64_t i) {
        if (i / row != current) current = i / row, any = false;
        const bool on = random.uniform(i) < 0.8 || (i % row == row - 1 && !any);
        any |= on;
        return on ? 1 : 0;
    });
}

void fillIntegers(const Tensor& t, const RoleChoice& role, Stream& random) {
    const std::int64_t n = t.numel();
    if (role.role == InputRole::Slots || role.role == InputRole::Offsets) {
        const auto list = role.role == InputRole::Slots ? permutationPrefix(n, role.limit, random) : groupOffsets(n, role.limit, random);
        return fill<std::int64_t>(t, [&](std::int64_t i) { return list[static_cast<std::size_t>(i)]; });
    }
    if (role.role == InputRole::WindowCentre) return fill<std::int64_t>(t, [&](std::int64_t) { return role.limit; });
    Stream ignored(~random.below(0, std::int64_t(1) << 62));
    fill<std::int64_t>(t, [&](std::int64_t i) {
        if (role.role == InputRole::Labels && ignored.uniform(i) < 0.05) return std::int64_t(-100);
        return random.below(i, role.limit);
    });
}

void fillFloats(const Tensor& t, const RoleChoice& role, Stream& random) {
    const double numel = static_cast<double>(std::max<std::int64_t>(1, t.numel()));
    const auto scaled = [&](double shift, double scale) { fill<double>(t, [&](std::int64_t i) { return shift + scale * random.normal(i); }); };
    switch (role.role) {
        case InputRole::NormWeight:
            return scaled(1, 0.1);
        case InputRole::NormBias:
            return scaled(0, 0.02);
        case InputRole::Variance:
            return fill<double>(t, [&](std::int64_t i) { return 1 + 0.1 * std::fabs(random.normal(i)); });
        case InputRole::MatrixWeight:
            return scaled(0, 1 / std::sqrt(static_cast<double>(role.fanIn)));
        case InputRole::Tangent:
            return t.rank() == 0 ? scaled(1, 0) : scaled(0, 1 / std::sqrt(numel));
        default:
            return scaled(0, 1);
    }
}

}  // namespace

std::uint64_t randomKey(const Graph& opened, Name input, std::uint64_t seed) {
    std::string signature;
    for (NodeId id : opened.placeholders()) signature += opened[id].name.str() + ": " + (opened[id].type ? opened[id].type->str() : "?") + '\n';
    signature += '\0' + input.str();
    return XXH64(signature.data(), signature.size(), 0) ^ seed;
}

void fillRandom(const Tensor& t, const RoleChoice& role, std::uint64_t key) {
    if (t.numel() == 0) return;
    Stream random(key);
    const DTypeInfo& dtype = info(t.dtype);
    if (dtype.complex) {
        Tensor parts = t;
        parts.dtype = t.dtype == DType::C128 ? DType::F64 : t.dtype == DType::C64 ? DType::F32 : DType::F16;
        for (std::int64_t& stride : parts.strides) stride *= 2;
        parts.offset *= 2;
        parts.sizes.push_back(2);
        parts.strides.push_back(1);
        return fillFloats(parts, role, random);
    }
    if (t.dtype == DType::B8) return fillMask(t, random);
    return dtype.floating ? fillFloats(t, role, random) : fillIntegers(t, role, random);
}

}  // namespace aliascope::exec
