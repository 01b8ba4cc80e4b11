// Padding of the last dimensions: with a value, by reflection at the edge, by repeating the edge; and the gradients of the latter two.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

/// Pairs (before, after) from the last dimension on; negative ones crop.
void constantPad(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const Shape pad = call.ints(1);
    if (pad.size() % 2 != 0 || pad.size() / 2 > self.rank()) failShape("pad", shapeText(pad), "a pair for each padded dimension");
    Tensor from = self, to = out;
    for (std::size_t i = 0; i < pad.size() / 2; ++i) {
        const std::size_t d = self.rank() - 1 - i;
        const std::int64_t crop = std::max<std::int64_t>(0, -pad[2 * i]), before = std::max<std::int64_t>(0, pad[2 * i]);
        const std::int64_t kept = self.sizes[d] - crop - std::max<std::int64_t>(0, -pad[2 * i + 1]);
        if (kept < 0) failShape("pad", shapeText(pad), "no more cropped than there is");
        from = narrowed(from, d, kept ? crop : 0, kept);
        to = narrowed(to, d, kept ? before : 0, kept);
    }
    fillScalar(out, call.args.at(2));
    copyElements(to, from);
}

enum class Edge : std::uint8_t { Reflect, Replicate };

/// Where position `i` of a padded dimension of `size` elements comes from.
template <Edge E>
std::int64_t sourceOf(std::int64_t i, std::int64_t before, std::int64_t size) {
    const std::int64_t at = i - before;
    if constexpr (E == Edge::Replicate)
        return std::clamp<std::int64_t>(at, 0, size - 1);
    else
        return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}

/// For every dimension and every position in it the offset, with `strides`, of its source.
template <Edge E>
std::vector<Shape> sources(const Shape& sizes, const Shape& padded, const Shape& strides, const Shape& pad) {
    std::vector<Shape> out(sizes.size());
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::size_t fromLast = sizes.size() - 1 - d;
        const bool inPad = 2 * fromLast < pad.size();
        const std::int64_t before = inPad ? pad[2 * fromLast] : 0;
        const std::int64_t most = inPad ? std::max(before, pad[2 * fromLast + 1]) : 0;
        if (padded[d] > 0 && (sizes[d] == 0 || (E == Edge::Reflect && most >= sizes[d] && inPad)))
            failShape("padding", shapeText(pad), "less than the sizes " + shapeText(sizes));
        for (std::int64_t i = 0; i < padded[d]; ++i) out[d].push_back(sourceOf<E>(i, before, sizes[d]) * strides[d]);
    }
    return out;
}

/// Calls `f(position, source)`: positions row-major over `sizes`, sources by the tables.
template <class F>
void forEachSource(const Shape& sizes, const std::vector<Shape>& tables, F&& f) {
    std::int64_t count = 1;
    for (std::int64_t size : sizes) count *= size;
    Shape index(sizes.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t source = 0;
        for (std::size_t d = 0; d < sizes.size(); ++d) source += tables[d][static_cast<std::size_t>(index[d])];
        f(i, source);
        for (std::size_t d = sizes.size(); d-- > 0;) {
            if (++index[d] < sizes[d]) break;
            index[d] = 0;
        }
    }
}

template <Edge E>
void padEdge(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const auto tables = sources<E>(self.sizes, out.sizes, self.strides, call.ints(1));
    dispatchWidth(self.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        const U* from = self.as<U>();
        U* to = out.as<U>();
        Shape places;
        StridedLoop<1>(out.sizes, {out.strides}).forEach([&](const auto& at) { places.push_back(at[0]); });
        forEachSource(out.sizes, tables, [&](std::int64_t i, std::int64_t source) { to[places[static_cast<std::size_t>(i)]] = from[source]; });
    });
}

template <Edge E>
void padEdgeBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &self = call.tensor(1);
    Shape want = self.sizes;
    const Shape pad = call.ints(2);
    if (pad.size() % 2 != 0 || pad.size() / 2 > want.size()) failShape("padding", shapeText(pad), "a pair for each padded dimension");
    for (std::size_t k = 0; k < pad.size() / 2; ++k) want[want.size() - 1 - k] += pad[2 * k] + pad[2 * k + 1];
    if (grad.sizes != want) failShape("grad_output", shapeText(grad.sizes), shapeText(want));
    const auto tables = sources<E>(self.sizes, grad.sizes, contiguousStrides(self.sizes), call.ints(2));
    dispatchSums(call, grad.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> from(grad);
        DenseResult<C> to(call.out(), C(0));
        forEachSource(grad.sizes, tables, [&](std::int64_t i, std::int64_t source) { to[source] = wrappingAdd(to[source], from[i]); });
        to.store();
    });
}

}  // namespace

void registerPad(KernelTable& table) {
    table.add("aten::constant_pad_nd", constantPad);
    for (const char* op : {"aten::reflection_pad1d", "aten::reflection_pad2d", "aten::reflection_pad3d"}) table.add(op, padEdge<Edge::Reflect>);
    for (const char* op : {"aten::replication_pad1d", "aten::replication_pad2d", "aten::replication_pad3d"}) table.add(op, padEdge<Edge::Replicate>);
    for (const char* op : {"aten::reflection_pad1d_backward", "aten::reflection_pad2d_backward", "aten::reflection_pad3d_backward"})
        table.add(op, padEdgeBackward<Edge::Reflect>, ToleranceClass::Reduction);
    for (const char* op : {"aten::replication_pad1d_backward", "aten::replication_pad2d_backward", "aten::replication_pad3d_backward"})
        table.add(op, padEdgeBackward<Edge::Replicate>, ToleranceClass::Reduction);
}

}  // namespace aliascope::exec
