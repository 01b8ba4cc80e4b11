#include "core/exec/overlap.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/analysis/footprint.h"

namespace aliascope::exec {
namespace {

/// Dims of more than one element, smallest stride first.
std::vector<std::size_t> movingDims(const Tensor& t) {
    std::vector<std::size_t> dims(t.rank());
    std::iota(dims.begin(), dims.end(), std::size_t{0});
    std::erase_if(dims, [&](std::size_t d) { return t.sizes[d] == 1; });
    std::sort(dims.begin(), dims.end(), [&](std::size_t a, std::size_t b) { return t.strides[a] < t.strides[b]; });
    return dims;
}

bool dense(const Tensor& t) {
    std::int64_t expected = 1;
    for (const std::size_t d : movingDims(t)) {
        if (t.strides[d] != expected) return false;
        expected *= t.sizes[d];
    }
    return true;
}

/// Whether two elements of a small tensor have one address.
bool repeatsAddress(const Tensor& t) {
    std::unordered_set<std::int64_t> seen;
    Shape index(t.rank(), 0);
    for (std::int64_t n = t.numel(); n > 0; --n) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * t.strides[d];
        if (!seen.insert(at).second) return true;
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < t.sizes[d]) break;
            index[d] = 0;
        }
    }
    return false;
}

}  // namespace

SelfOverlap selfOverlap(const Tensor& t) {
    if (t.isContiguous() || t.numel() == 0) return SelfOverlap::None;
    std::int64_t reach = 0;
    bool nested = true;
    for (const std::size_t d : movingDims(t)) {
        if (t.strides[d] == 0) return SelfOverlap::Stretched;
        nested = nested && t.strides[d] > reach;
        reach += (t.sizes[d] - 1) * t.strides[d];
    }
    constexpr std::int64_t enumerable = 1 << 16;
    if (nested) return SelfOverlap::None;
    return t.numel() > enumerable || repeatsAddress(t) ? SelfOverlap::Some : SelfOverlap::None;
}

MutualOverlap mutualOverlap(const Tensor& written, const Tensor& other) {
    if (!written.storage || written.storage != other.storage) return MutualOverlap::None;
    if (sameGeometry(written, other)) return MutualOverlap::Same;
    const std::int64_t beginA = written.offset * written.itemSize(), endA = beginA + written.extent() * written.itemSize();
    const std::int64_t beginB = other.offset * other.itemSize(), endB = beginB + other.extent() * other.itemSize();
    if (endA <= beginB || endB <= beginA) return MutualOverlap::None;
    if (dense(written) && dense(other)) return MutualOverlap::Partial;
    return exactOverlap(written.type(), other.type(), {}) == Overlap::Disjoint ? MutualOverlap::None : MutualOverlap::Some;
}

}  // namespace aliascope::exec
