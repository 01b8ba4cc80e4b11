#include "core/report/byte_map.h"

#include <algorithm>

namespace aliascope::report {
namespace {

constexpr std::int64_t maxRuns = 1'000'000;  // contiguous runs that are drawn one by one; beyond, the range is drawn as partly covered

struct Dim {
    std::int64_t size, stride;
};

/// Dimensions with more than one element, outermost first, neighbours that continue each other joined; strides in bytes.
std::vector<Dim> foldedDims(const Region& region) {
    std::vector<Dim> dims;
    for (std::size_t i = 0; i < region.sizes.size(); ++i)
        if (region.sizes[i] > 1 && region.strides[i] != 0) dims.push_back({region.sizes[i], region.strides[i] * region.itemSize});
    std::sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
    std::vector<Dim> out;
    for (const Dim& dim : dims) {
        if (!out.empty() && out.back().stride == dim.size * dim.stride)
            out.back() = {out.back().size * dim.size, dim.stride};
        else
            out.push_back(dim);
    }
    return out;
}

class Buckets {
public:
    Buckets(std::int64_t total, std::size_t width) : total_(total), covered_(width, 0.0) {}

    void cover(std::int64_t begin, std::int64_t end) {
        const double scale = static_cast<double>(covered_.size()) / static_cast<double>(total_);
        const double from = static_cast<double>(begin) * scale, to = static_cast<double>(end) * scale;
        for (auto i = static_cast<std::size_t>(from); i < covered_.size() && static_cast<double>(i) < to; ++i)
            covered_[i] += std::min(to, static_cast<double>(i + 1)) - std::max(from, static_cast<double>(i));
    }
    void touch(std::int64_t begin, std::int64_t end) {
        const double scale = static_cast<double>(covered_.size()) / static_cast<double>(total_);
        for (auto i = static_cast<std::size_t>(static_cast<double>(begin) * scale);
             i < covered_.size() && static_cast<double>(i) < static_cast<double>(end) * scale; ++i)
            covered_[i] = std::max(covered_[i], 0.5);
    }
    std::string drawn(char full, char partly) const {
        std::string out;
        for (double share : covered_) out += share >= 1 - 1e-9 ? full : share > 1e-12 ? partly : '.';
        return out;
    }

private:
    std::int64_t total_;
    std::vector<double> covered_;  ///< share of the bytes of a bucket
};

}  // namespace

std::int64_t Region::elements() const {
    std::int64_t n = 1;
    for (std::int64_t size : sizes) n *= size;
    return n;
}

std::int64_t Region::firstByte() const { return elements() == 0 ? 0 : offset * itemSize; }

std::int64_t Region::endByte() const {
    if (elements() == 0) return firstByte();
    std::int64_t last = offset;
    for (std::size_t i = 0; i < sizes.size(); ++i) last += (sizes[i] - 1) * strides[i];
    return (last + 1) * itemSize;
}

bool Region::overlapsItself() const {
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] > 1 && strides[i] == 0) return true;
    return false;
}

std::optional<Region> regionOf(const TensorType& type, const SymbolTable& symbols) {
    if (!type.strides || type.strides->size() != type.sizes.size() || itemSize(type.dtype) == 0) return std::nullopt;
    Region region;
    region.itemSize = itemSize(type.dtype);
    auto number = [&](const SymInt& value) { return value.isConst() ? value.constant() : value.evaluate(symbols); };
    double reach = 0, elements = 1;
    for (std::size_t i = 0; i < type.sizes.size(); ++i) {
        const auto size = number(type.sizes[i]), stride = number((*type.strides)[i]);
        if (!size || !stride || *size < 0 || *stride < 0) return std::nullopt;
        region.sizes.push_back(*size);
        region.strides.push_back(*stride);
        reach += static_cast<double>(*size) * static_cast<double>(*stride);
        elements *= static_cast<double>(*size);
    }
    const auto offset = type.offset ? number(*type.offset) : std::optional<std::int64_t>(0);
    if (!offset || *offset < 0 || (reach + static_cast<double>(*offset)) * region.itemSize > 9e18 || elements > 9e18) return std::nullopt;
    region.offset = *offset;
    return region;
}

std::string drawRegion(const Region& region, std::int64_t total, std::size_t width) {
    const char full = region.overlapsItself() ? '%' : '#', partly = region.overlapsItself() ? '-' : '+';
    if (total <= 0 || width == 0) return std::string(width, '.');
    Buckets buckets(total, width);
    if (region.elements() == 0) return buckets.drawn(full, partly);
    std::vector<Dim> dims = foldedDims(region);
    std::int64_t run = region.itemSize;
    if (!dims.empty() && dims.back().stride == region.itemSize) {
        run = dims.back().size * region.itemSize;
        dims.pop_back();
    }
    double runs = 1;
    for (const Dim& dim : dims) runs *= static_cast<double>(dim.size);
    if (runs > static_cast<double>(maxRuns)) {
        buckets.touch(region.firstByte(), region.endByte());
        return buckets.drawn(full, partly);
    }
    std::vector<std::int64_t> index(dims.size(), 0);
    std::int64_t at = region.firstByte();
    for (;;) {
        buckets.cover(at, at + run);
        std::size_t d = dims.size();
        while (d > 0) {
            --d;
            at += dims[d].stride;
            if (++index[d] < dims[d].size) break;
            at -= dims[d].stride * dims[d].size;
            index[d] = 0;
            if (d == 0) return buckets.drawn(full, partly);
        }
        if (dims.empty()) return buckets.drawn(full, partly);
    }
}

}  // namespace aliascope::report
