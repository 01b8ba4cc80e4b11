// Views, and the scatters that undo them.

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tests/support_exec/interpreter.h"

namespace aliascope::testing {
namespace {

std::size_t dim(const RuntimeValue& v, const StridedTensor& t) {
    const auto rank = static_cast<std::int64_t>(t.sizes.size());
    const std::int64_t d = v.integer() < 0 ? v.integer() + std::max<std::int64_t>(rank, 1) : v.integer();
    if (d < 0 || d >= std::max<std::int64_t>(rank, 1)) throw std::runtime_error("dimension out of range");
    return static_cast<std::size_t>(d);
}

StridedTensor select(const StridedTensor& t, std::size_t d, std::int64_t index) {
    if (index < 0) index += t.sizes.at(d);
    if (index < 0 || index >= t.sizes.at(d)) throw std::runtime_error("index out of range");
    StridedTensor v = t;
    v.offset += index * t.strides[d];
    v.sizes.erase(v.sizes.begin() + static_cast<std::ptrdiff_t>(d));
    v.strides.erase(v.strides.begin() + static_cast<std::ptrdiff_t>(d));
    return v;
}

StridedTensor slice(const StridedTensor& t, std::size_t d, const RuntimeValue& from, const RuntimeValue& to, std::int64_t step) {
    const std::int64_t size = t.sizes.at(d);
    const auto bound = [&](const RuntimeValue& v, std::int64_t missing) {
        std::int64_t i = v.isNone() ? missing : v.integer();
        if (i < 0) i += size;
        return std::clamp<std::int64_t>(i, 0, size);
    };
    const std::int64_t start = bound(from, 0), end = std::max(start, bound(to, size));
    StridedTensor v = t;
    v.offset += start * t.strides[d];
    v.sizes[d] = (end - start + step - 1) / step;
    v.strides[d] *= step;
    return v;
}

StridedTensor permute(const StridedTensor& t, const Shape& order) {
    StridedTensor v = t;
    for (std::size_t d = 0; d < order.size(); ++d) {
        const auto from = static_cast<std::size_t>(order[d] < 0 ? order[d] + static_cast<std::int64_t>(order.size()) : order[d]);
        v.sizes[d] = t.sizes.at(from);
        v.strides[d] = t.strides.at(from);
    }
    return v;
}

StridedTensor transpose(const StridedTensor& t, std::size_t a, std::size_t b) {
    StridedTensor v = t;
    if (t.sizes.empty()) return v;
    std::swap(v.sizes[a], v.sizes[b]);
    std::swap(v.strides[a], v.strides[b]);
    return v;
}

StridedTensor diagonal(const StridedTensor& t, std::int64_t offset, std::size_t a, std::size_t b) {
    StridedTensor v = t;
    const std::int64_t rows = offset >= 0 ? t.sizes[a] : t.sizes[a] + offset, columns = offset >= 0 ? t.sizes[b] - offset : t.sizes[b];
    v.offset += offset >= 0 ? offset * t.strides[b] : -offset * t.strides[a];
    const std::size_t high = std::max(a, b), low = std::min(a, b);
    for (std::size_t d : {high, low}) {
        v.sizes.erase(v.sizes.begin() + static_cast<std::ptrdiff_t>(d));
        v.strides.erase(v.strides.begin() + static_cast<std::ptrdiff_t>(d));
    }
    v.sizes.push_back(std::max<std::int64_t>(0, std::min(rows, columns)));
    v.strides.push_back(t.strides[a] + t.strides[b]);
    return v;
}

Shape completed(Shape sizes, std::int64_t numel) {
    std::int64_t known = 1;
    for (std::int64_t s : sizes)
        if (s >= 0) known *= s;
    for (std::int64_t& s : sizes)
        if (s < 0) s = known ? numel / known : 0;
    if (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()) != numel) throw std::runtime_error("sizes do not fit");
    return sizes;
}

/// Strides under which `sizes` lies over the same elements; nothing when a copy would be needed.
std::optional<Shape> viewStrides(const StridedTensor& t, const Shape& sizes) {
    if (t.numel() == 0) return rowMajor(sizes);
    Shape out(sizes.size());
    auto at = static_cast<std::int64_t>(sizes.size()) - 1;
    std::int64_t oldNumel = 1, newNumel = 1, base = t.strides.empty() ? 1 : t.strides.back();
    for (auto d = static_cast<std::int64_t>(t.sizes.size()) - 1; d >= 0; --d) {
        const auto i = static_cast<std::size_t>(d);
        oldNumel *= t.sizes[i];
        if (d == 0 || (t.sizes[i - 1] != 1 && t.strides[i - 1] != oldNumel * base)) {
            while (at >= 0 && (newNumel < oldNumel || sizes[static_cast<std::size_t>(at)] == 1)) {
                out[static_cast<std::size_t>(at)] = newNumel * base;
                newNumel *= sizes[static_cast<std::size_t>(at)];
                --at;
            }
            if (newNumel != oldNumel) return std::nullopt;
            if (d > 0) {
                base = t.strides[i - 1];
                oldNumel = newNumel = 1;
            }
        }
    }
    while (at >= 0) out[static_cast<std::size_t>(at--)] = 1;
    return out;
}

StridedTensor view(const StridedTensor& t, const Shape& asked, bool mayCopy) {
    const Shape sizes = completed(asked, t.numel());
    if (const auto strides = viewStrides(t, sizes)) {
        StridedTensor v = t;
        v.sizes = sizes;
        v.strides = *strides;
        return v;
    }
    if (!mayCopy) throw std::runtime_error("sizes cannot be laid over the strides");
    StridedTensor c = cloneContiguous(t);
    c.sizes = sizes;
    c.strides = rowMajor(sizes);
    return c;
}

StridedTensor asStrided(const StridedTensor& t, const Shape& sizes, const Shape& strides, const RuntimeValue& offset) {
    StridedTensor v = t;
    v.sizes = sizes;
    v.strides = strides;
    if (!offset.isNone()) v.offset = offset.integer();
    if (v.extent() * itemSize(v.dtype) > static_cast<std::int64_t>(v.storage->size())) throw std::runtime_error("as_strided leaves the storage");
    return v;
}

RuntimeList split(const StridedTensor& t, const Shape& parts, std::size_t d) {
    RuntimeList out;
    std::int64_t start = 0;
    for (std::int64_t length : parts) {
        out.push_back(slice(t, d, start, start + length, 1));
        start += length;
    }
    return out;
}

StridedTensor squeeze(const StridedTensor& t, const std::vector<bool>& which) {
    StridedTensor v = t;
    v.sizes.clear();
    v.strides.clear();
    for (std::size_t d = 0; d < t.sizes.size(); ++d)
        if (!(which[d] && t.sizes[d] == 1)) {
            v.sizes.push_back(t.sizes[d]);
            v.strides.push_back(t.strides[d]);
        }
    return v;
}

StridedTensor unsqueeze(const StridedTensor& t, std::int64_t d) {
    const auto rank = static_cast<std::int64_t>(t.sizes.size());
    if (d < 0) d += rank + 1;
    StridedTensor v = t;
    const std::int64_t stride = d < rank ? t.sizes[static_cast<std::size_t>(d)] * t.strides[static_cast<std::size_t>(d)] : 1;
    v.sizes.insert(v.sizes.begin() + d, 1);
    v.strides.insert(v.strides.begin() + d, stride);
    return v;
}

StridedTensor expand(const StridedTensor& t, Shape sizes) {
    const std::size_t extra = sizes.size() - t.sizes.size();
    for (std::size_t d = 0; d < t.sizes.size(); ++d)
        if (sizes[d + extra] < 0) sizes[d + extra] = t.sizes[d];
    return broadcast(t, sizes);
}

StridedTensor viewDtype(const StridedTensor& t, DType dtype) {
    if (itemSize(dtype) != itemSize(t.dtype)) throw std::runtime_error("views of another item size are not run");
    StridedTensor v = t;
    v.dtype = dtype;
    return v;
}

/// A copy of argument 0 in which the window that `window` cuts is argument 1.
RuntimeFunction scatter(std::function<StridedTensor(const StridedTensor&, const RuntimeCall&)> window) {
    return [window = std::move(window)](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor copy = cloneWithLayout(c[0].tensor());
        assign(window(copy, c), c[1].tensor());
        return copy;
    };
}

}  // namespace

void addViewOps(RuntimeTable& t) {
    t["aten::select.int"] = [](const RuntimeCall& c) -> RuntimeValue { return select(c[0].tensor(), dim(c[1], c[0].tensor()), c[2].integer()); };
    t["aten::slice.Tensor"] = [](const RuntimeCall& c) -> RuntimeValue {
        return slice(c[0].tensor(), dim(c[1], c[0].tensor()), c[2], c[3], c[4].integer());
    };
    t["aten::permute"] = [](const RuntimeCall& c) -> RuntimeValue { return permute(c[0].tensor(), c[1].shape()); };
    t["aten::t"] = [](const RuntimeCall& c) -> RuntimeValue {
        return c[0].tensor().sizes.size() < 2 ? c[0].tensor() : transpose(c[0].tensor(), 0, 1);
    };
    t["aten::transpose.int"] = [](const RuntimeCall& c) -> RuntimeValue {
        return transpose(c[0].tensor(), dim(c[1], c[0].tensor()), dim(c[2], c[0].tensor()));
    };
    t["aten::diagonal"] = [](const RuntimeCall& c) -> RuntimeValue {
        return diagonal(c[0].tensor(), c[1].integer(), dim(c[2], c[0].tensor()), dim(c[3], c[0].tensor()));
    };
    t["aten::view"] = [](const RuntimeCall& c) -> RuntimeValue { return view(c[0].tensor(), c[1].shape(), false); };
    t["aten::_unsafe_view"] = t["aten::view"];
    t["aten::reshape"] = [](const RuntimeCall& c) -> RuntimeValue { return view(c[0].tensor(), c[1].shape(), true); };
    t["aten::as_strided"] = [](const RuntimeCall& c) -> RuntimeValue { return asStrided(c[0].tensor(), c[1].shape(), c[2].shape(), c[3]); };
    t["aten::split.Tensor"] = [](const RuntimeCall& c) -> RuntimeValue {
        const std::size_t d = dim(c[2], c[0].tensor());
        Shape parts;
        for (std::int64_t left = c[0].tensor().sizes[d]; left > 0; left -= c[1].integer()) parts.push_back(std::min(left, c[1].integer()));
        return split(c[0].tensor(), parts, d);
    };
    t["aten::split_with_sizes"] = [](const RuntimeCall& c) -> RuntimeValue { return split(c[0].tensor(), c[1].shape(), dim(c[2], c[0].tensor())); };
    t["aten::unbind.int"] = [](const RuntimeCall& c) -> RuntimeValue {
        RuntimeList out;
        const std::size_t d = dim(c[1], c[0].tensor());
        for (std::int64_t i = 0; i < c[0].tensor().sizes[d]; ++i) out.push_back(select(c[0].tensor(), d, i));
        return out;
    };
    t["aten::unsqueeze"] = [](const RuntimeCall& c) -> RuntimeValue { return unsqueeze(c[0].tensor(), c[1].integer()); };
    t["aten::squeeze"] = [](const RuntimeCall& c) -> RuntimeValue {
        return squeeze(c[0].tensor(), std::vector<bool>(c[0].tensor().sizes.size(), true));
    };
    t["aten::squeeze.dim"] = [](const RuntimeCall& c) -> RuntimeValue {
        std::vector<bool> which(std::max<std::size_t>(c[0].tensor().sizes.size(), 1), false);
        which[dim(c[1], c[0].tensor())] = true;
        return squeeze(c[0].tensor(), which);
    };
    t["aten::expand"] = [](const RuntimeCall& c) -> RuntimeValue { return expand(c[0].tensor(), c[1].shape()); };
    t["aten::alias"] = [](const RuntimeCall& c) -> RuntimeValue { return c[0].tensor(); };
    t["aten::detach"] = t["aten::alias"];
    t["aten::view.dtype"] = [](const RuntimeCall& c) -> RuntimeValue { return viewDtype(c[0].tensor(), dtypeOf(c[1]).value()); };

    // The handle's own change is not seen through the node that was changed, only through the result: programs use the result from then on.
    t["aten::t_"] = t["aten::t"];
    t["aten::unsqueeze_"] = t["aten::unsqueeze"];

    t["aten::select_scatter"] = scatter([](const StridedTensor& b, const RuntimeCall& c) { return select(b, dim(c[2], b), c[3].integer()); });
    t["aten::slice_scatter"] =
        scatter([](const StridedTensor& b, const RuntimeCall& c) { return slice(b, dim(c[2], b), c[3], c[4], c[5].integer()); });
    t["aten::diagonal_scatter"] =
        scatter([](const StridedTensor& b, const RuntimeCall& c) { return diagonal(b, c[2].integer(), dim(c[3], b), dim(c[4], b)); });
    t["aten::as_strided_scatter"] =
        scatter([](const StridedTensor& b, const RuntimeCall& c) { return asStrided(b, c[2].shape(), c[3].shape(), c[4]); });
}

}  // namespace aliascope::testing
