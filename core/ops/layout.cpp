#include "core/ops/layout.h"

#include <algorithm>

namespace aliascope {
namespace {

/// Order of magnitude of a stride, to order dims by: symbols count as large, because PyTorch specialises sizes 0 and 1.
std::int64_t magnitude(const SymInt& s) {
    if (auto n = s.constant()) return *n;
    constexpr std::int64_t large = 4096;
    SymbolTable table;
    for (Name symbol : s.symbols()) table[symbol].hint = large;
    return s.evaluate(table).value_or(large);
}

/// Strides of `operand` seen with the dims of `shape`: 0 where it is stretched.
std::vector<std::int64_t> stretchedStrides(const std::vector<SymInt>& shape, const TensorType& operand) {
    std::vector<std::int64_t> out(shape.size(), 0);
    const std::size_t lead = shape.size() - operand.rank();
    for (std::size_t i = 0; i < operand.rank(); ++i) {
        const bool stretched = operand.sizes[i].constant() == 1 && shape[lead + i].constant() != 1;
        out[lead + i] = stretched ? 0 : magnitude((*operand.strides)[i]);
    }
    return out;
}

std::vector<SymInt> denseInOrder(const std::vector<SymInt>& sizes, const std::vector<std::size_t>& innermostFirst) {
    std::vector<SymInt> strides(sizes.size());
    SymInt step = 1;
    for (std::size_t d : innermostFirst) {
        strides[d] = step;
        if (sizes[d].constant() != 0) step = step * sizes[d];
    }
    return strides;
}

std::vector<SymInt> channelsLastStrides(const std::vector<SymInt>& sizes) {
    std::vector<std::size_t> order = {1};
    for (std::size_t d = sizes.size(); d-- > 2;) order.push_back(d);
    order.push_back(0);
    return denseInOrder(sizes, order);
}

/// TensorIterator's order of dims, innermost first: an insertion sort with ties left alone.
std::vector<std::size_t> dimOrder(const std::vector<SymInt>& shape, const std::vector<std::vector<std::int64_t>>& strides) {
    std::vector<std::int64_t> size(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) size[i] = magnitude(shape[i]);
    auto compare = [&](std::size_t inner, std::size_t outer) {
        for (const auto& s : strides) {
            if (s[inner] == 0 || s[outer] == 0) continue;
            if (s[inner] != s[outer]) return s[inner] < s[outer] ? -1 : 1;
            if (size[inner] > size[outer]) return 1;
        }
        return 0;
    };
    std::vector<std::size_t> perm(shape.size());
    for (std::size_t i = 0; i < perm.size(); ++i) perm[i] = shape.size() - 1 - i;
    for (std::size_t i = 1; i < perm.size(); ++i) {
        std::size_t at = i;
        for (std::size_t below = i; below-- > 0;) {
            const int order = compare(perm[below], perm[at]);
            if (order > 0) {
                std::swap(perm[below], perm[at]);
                at = below;
            } else if (order < 0) {
                break;
            }
        }
    }
    return perm;
}

}  // namespace

MemoryFormat memoryFormatArgument(const Value& v, MemoryFormat fallback) {
    if (auto n = v.asInt(); n && *n >= 0 && *n <= 3) return static_cast<MemoryFormat>(*n);
    std::string_view text = v.name().view();
    if (text.starts_with("torch.")) text.remove_prefix(6);
    if (text == "contiguous_format") return MemoryFormat::Contiguous;
    if (text == "preserve_format") return MemoryFormat::Preserve;
    if (text == "channels_last") return MemoryFormat::ChannelsLast;
    if (text == "channels_last_3d") return MemoryFormat::ChannelsLast3d;
    return fallback;
}

Strides stridesOf(const std::vector<SymInt>& sizes, MemoryFormat format) {
    switch (format) {
        case MemoryFormat::Contiguous:
            return TensorType::contiguousStrides(sizes);
        case MemoryFormat::ChannelsLast:
            return sizes.size() == 4 ? Strides(channelsLastStrides(sizes)) : std::nullopt;
        case MemoryFormat::ChannelsLast3d:
            return sizes.size() == 5 ? Strides(channelsLastStrides(sizes)) : std::nullopt;
        case MemoryFormat::Preserve:
            break;
    }
    return std::nullopt;
}

bool hasLayout(const TensorType& t, const std::vector<SymInt>& strides) {
    if (!t.strides || strides.size() != t.rank()) return false;
    for (std::size_t i = 0; i < t.rank(); ++i)
        if (t.sizes[i].constant() != 1 && !((*t.strides)[i] == strides[i])) return false;
    return true;
}

bool denseNonOverlapping(const TensorType& t) {
    if (!t.strides || t.rank() > kMaxRank) return false;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < t.rank(); ++i) {
        if (t.sizes[i].constant() == 0) return true;
        if (t.sizes[i].constant() != 1) open.push_back(i);
    }
    SymInt step = 1;
    while (!open.empty()) {
        auto next = std::find_if(open.rbegin(), open.rend(), [&](std::size_t d) { return (*t.strides)[d] == step; });
        if (next == open.rend()) return false;
        step = step * t.sizes[*next];
        open.erase(std::next(next).base());
    }
    return true;
}

bool isChannelsLast(const TensorType& t) {
    return (t.rank() == 4 || t.rank() == 5) && !t.isContiguous() && hasLayout(t, channelsLastStrides(t.sizes));
}

Strides preservedStrides(const TensorType& t) { return elementwiseStrides(t.sizes, {&t}); }

Strides elementwiseStrides(const std::vector<SymInt>& shape, const std::vector<const TensorType*>& operands) {
    bool allContiguous = true, sameDense = !operands.empty(), sameShape = true;
    for (const TensorType* t : operands) {
        if (t->rank() == 0) {
            sameShape = sameShape && shape.empty();
            continue;
        }
        if (!t->strides || t->rank() > shape.size()) return std::nullopt;
        const bool same = t->sizes == shape;
        sameShape = sameShape && same;
        allContiguous = allContiguous && same && t->isContiguous();
        sameDense = sameDense && same && t->strides == operands.front()->strides;
    }
    if (shape.size() <= 1 || allContiguous) return TensorType::contiguousStrides(shape);
    if (shape.size() > kMaxRank) return std::nullopt;
    const bool allChannelsLast = sameShape && std::all_of(operands.begin(), operands.end(), [](const TensorType* t) { return isChannelsLast(*t); });
    if (allChannelsLast) return channelsLastStrides(shape);
    if (sameDense && sameShape && denseNonOverlapping(*operands.front())) return operands.front()->strides;

    std::vector<std::vector<std::int64_t>> strides;
    for (const TensorType* t : operands)
        if (t->rank() > 0) strides.push_back(stretchedStrides(shape, *t));
    return denseInOrder(shape, dimOrder(shape, strides));
}

}  // namespace aliascope
