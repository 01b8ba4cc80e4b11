// Tensors put together from others, padded or repeated.

#include <algorithm>

#include "core/ops/promote.h"
#include "core/ops/table.h"

namespace aliascope {
namespace {

std::optional<std::vector<const TensorType*>> tensors(const InferContext& c, const Value& list) {
    std::vector<const TensorType*> out;
    for (const Value& v : list.items()) {
        const TensorType* t = v.isNode() ? c.tensorOf(v.asNode()) : nullptr;
        if (!t) return std::nullopt;
        out.push_back(t);
    }
    return out.empty() ? std::nullopt : std::optional(std::move(out));
}

Inferred joined(const std::vector<const TensorType*>& parts, std::vector<SymInt> sizes) {
    Promotion dtype;
    for (const TensorType* t : parts) dtype.add(*t);
    TensorType out = contiguousLike(*parts.front(), std::move(sizes), dtype.result());
    if (std::all_of(parts.begin(), parts.end(), [](const TensorType* t) { return isChannelsLast(*t); }))
        out.strides = stridesOf(out.sizes, out.rank() == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d);
    return inferred(std::move(out));
}

Inferred cat(const InferContext& c) {
    auto all = tensors(c, c.value(0));
    if (!all) return {};
    // One-dimensional empty tensors are skipped, whatever the rank of the others.
    std::vector<const TensorType*> parts;
    for (const TensorType* t : *all)
        if (!(t->rank() == 1 && t->sizes[0].constant() == 0)) parts.push_back(t);
    if (parts.empty()) return joined(*all, {SymInt(0)});
    auto d = wrapDim(c.value(1), parts.front()->rank());
    if (!d || *d >= parts.front()->rank()) return {};
    std::vector<SymInt> sizes = parts.front()->sizes;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i]->rank() != sizes.size()) return {};
        sizes[*d] = sizes[*d] + parts[i]->sizes[*d];
    }
    return joined(parts, std::move(sizes));
}

Inferred stack(const InferContext& c) {
    auto parts = tensors(c, c.value(0));
    if (!parts) return {};
    auto d = wrapDim(c.value(1), parts->front()->rank() + 1);
    if (!d) return {};
    std::vector<SymInt> sizes = parts->front()->sizes;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*d), SymInt(static_cast<std::int64_t>(parts->size())));
    Promotion dtype;
    for (const TensorType* t : *parts) dtype.add(*t);
    return inferred(contiguousLike(*parts->front(), std::move(sizes), dtype.result()));
}

/// Pairs (before, after) from the last dim on; negative ones crop.
Inferred pad(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto pairs = c.symInts(c.value(1));
    if (!t || !pairs || pairs->size() % 2 != 0 || pairs->size() / 2 > t->rank()) return {};
    std::vector<SymInt> sizes = t->sizes;
    for (std::size_t i = 0; i < pairs->size() / 2; ++i) {
        SymInt& size = sizes[sizes.size() - 1 - i];
        size = size + (*pairs)[2 * i] + (*pairs)[2 * i + 1];
    }
    return inferred(contiguousLike(*t, std::move(sizes)));
}

/// Gradient of what was padded, argument 1.
Inferred padBackward(const InferContext& c) {
    const TensorType* t = c.tensor(1);
    return t ? inferred(contiguousLike(*t, t->sizes)) : Inferred{};
}

Inferred repeat(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto repeats = c.symInts(c.value(1));
    if (!t || !repeats || repeats->size() < t->rank()) return {};
    std::vector<SymInt> sizes = std::move(*repeats);
    const std::size_t lead = sizes.size() - t->rank();
    for (std::size_t i = 0; i < t->rank(); ++i) sizes[lead + i] = sizes[lead + i] * t->sizes[i];
    return inferred(contiguousLike(*t, std::move(sizes)));
}

/// glu(self, dim): half of the dim is left.
Inferred glu(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    auto d = t ? wrapDim(c.value(1), t->rank()) : std::nullopt;
    if (!d || *d >= t->rank()) return {};
    std::vector<SymInt> sizes = t->sizes;
    sizes[*d] = floorDiv(sizes[*d], SymInt(2));
    return inferred(contiguousLike(*t, std::move(sizes)));
}

/// glu_backward(grad_output, self, dim): like self.
Inferred gluBackward(const InferContext& c) {
    const TensorType* t = c.tensor(1);
    return t ? inferred(contiguousLike(*t, t->sizes)) : Inferred{};
}

}  // namespace

void registerAssemble(InferTable& table) {
    for (const char* op : {"aten::cat", "prims::cat"}) table.add(op, cat);
    table.add("aten::stack", stack);
    for (const char* op : {"aten::constant_pad_nd", "aten::reflection_pad1d", "aten::reflection_pad2d", "aten::reflection_pad3d",
                           "aten::replication_pad1d", "aten::replication_pad2d", "aten::replication_pad3d"})
        table.add(op, pad);
    for (const char* op : {"aten::reflection_pad1d_backward", "aten::reflection_pad2d_backward", "aten::reflection_pad3d_backward",
                           "aten::replication_pad1d_backward", "aten::replication_pad2d_backward", "aten::replication_pad3d_backward"})
        table.add(op, padBackward);
    table.add("aten::repeat", repeat);
    for (const char* op : {"aten::roll", "aten::tril", "aten::triu"}) table.add(op, contiguousCopy);
    table.add("aten::glu", glu);
    table.add("aten::glu_backward", gluBackward);
}

}  // namespace aliascope
