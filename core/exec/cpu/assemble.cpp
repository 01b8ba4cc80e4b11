// Tensors put together from others (executor.md 2.3, assemble): every operator here says which parts of the result come from where, and copies them.

#include <numeric>

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

bool isLegacyEmpty(const Tensor& t) { return t.rank() == 1 && t.sizes[0] == 0; }

void cat(OpCall& call) {
    const Tensor& out = call.out();
    const std::vector<Tensor> parts = call.tensors(0);
    std::size_t d = 0;
    if (out.rank() > 0) d = static_cast<std::size_t>(call.dim(1, out.rank()));
    std::int64_t at = 0;
    for (const Tensor& part : parts) {
        if (isLegacyEmpty(part)) continue;
        Shape want = out.sizes;
        if (part.rank() != out.rank()) failShape("tensors", shapeText(part.sizes), std::to_string(out.rank()) + " dimensions");
        want[d] = part.sizes[d];
        if (part.sizes != want || at + part.sizes[d] > out.sizes[d]) failShape("tensors", shapeText(part.sizes), shapeText(want));
        copyElements(narrowed(out, d, at, part.sizes[d]), part);
        at += part.sizes[d];
    }
}

void stack(OpCall& call) {
    const Tensor& out = call.out();
    const std::vector<Tensor> parts = call.tensors(0);
    const auto d = static_cast<std::size_t>(call.dim(1, out.rank()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Tensor place = selected(out, d, static_cast<std::int64_t>(i));
        if (parts[i].sizes != place.sizes) failShape("tensors", shapeText(parts[i].sizes), shapeText(place.sizes));
        copyElements(place, parts[i]);
    }
}

/// roll(self, shifts, dims): without dims the elements in row-major order.
void roll(OpCall& call) {
    const Tensor& out = call.out();
    Tensor self = call.tensor(0), to = out;
    const Shape shifts = call.ints(1);
    std::vector<std::size_t> dims;
    for (std::size_t i = 0; i < call.ints(2).size(); ++i) {
        const std::int64_t d = call.ints(2)[i], rank = std::max<std::int64_t>(1, static_cast<std::int64_t>(out.rank()));
        if (d < -rank || d >= rank) failShape("dims", std::to_string(d), "a dimension of self");
        dims.push_back(static_cast<std::size_t>(d < 0 ? d + rank : d));
    }
    if (dims.empty() ? shifts.size() != 1 : shifts.size() != dims.size()) failShape("shifts", shapeText(shifts), "one for each of dims");
    if (out.numel() == 0) return;
    if (out.rank() == 0) return copyElements(out, self);
    if (dims.empty()) {
        // Flattened: both in their logical order, the result from `shift` on.
        const std::int64_t n = out.numel(), shift = ((shifts[0] % n) + n) % n;
        Shape places;
        StridedLoop<1>(out.sizes, {out.strides}).forEach([&](const auto& at) { places.push_back(at[0]); });
        return dispatchWidth(out.dtype, [&](auto tag) {
            using U = typename decltype(tag)::type;
            std::int64_t i = shift;
            StridedLoop<1>(self.sizes, {self.strides}).forEach([&](const auto& at) {
                out.as<U>()[places[static_cast<std::size_t>(i)]] = self.as<U>()[at[0]];
                if (++i == n) i = 0;
            });
        });
    }
    // Each rolled dimension is cut in two; all combinations of the parts are copied.
    Shape shift(out.rank(), 0);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::int64_t n = out.sizes[dims[i]];
        shift[dims[i]] = (((shift[dims[i]] + shifts[i]) % n) + n) % n;
    }
    const auto move = [&](auto&& next, std::size_t d, const Tensor& target, const Tensor& source) -> void {
        if (d == out.rank()) return copyElements(target, source);
        const std::int64_t n = out.sizes[d], s = shift[d];
        if (n - s > 0) next(next, d + 1, narrowed(target, d, s, n - s), narrowed(source, d, 0, n - s));
        if (s > 0) next(next, d + 1, narrowed(target, d, 0, s), narrowed(source, d, n - s, s));
    };
    move(move, 0, to, self);
}

/// Copies with self's `dims` walked backwards.
void copyReversed(const Tensor& out, const Tensor& self, const std::vector<bool>& reversed) {
    Shape strides = self.strides;
    std::int64_t start = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) {
        if (!reversed[d] || self.sizes[d] == 0) continue;
        start += (self.sizes[d] - 1) * strides[d];
        strides[d] = -strides[d];
    }
    dispatchWidth(self.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        const U* from = self.as<U>() + start;
        U* to = out.as<U>();
        StridedLoop<2>(self.sizes, {out.strides, strides}).forEach([&](const auto& at) { to[at[0]] = from[at[1]]; });
    });
}

void flip(OpCall& call) {
    const Tensor& self = call.tensor(0);
    std::vector<bool> reversed(self.rank());
    for (std::int64_t d : call.ints(1)) {
        const auto rank = static_cast<std::int64_t>(self.rank());
        if (rank == 0 ? d < -1 || d > 0 : d < -rank || d >= rank) failShape("dims", std::to_string(d), "a dimension of self");
        if (rank) reversed[static_cast<std::size_t>(d < 0 ? d + rank : d)] = true;
    }
    copyReversed(call.out(), self, reversed);
}

/// The two dimensions that rot90 turns.
std::pair<std::size_t, std::size_t> rotationPlane(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    const Shape dims = call.ints(2);
    const auto rank = static_cast<std::int64_t>(self.rank());
    if (dims.size() != 2) failShape("dims", shapeText(dims), "two dimensions");
    for (std::int64_t d : dims)
        if (d < -rank || d >= rank) failShape("dims", shapeText(dims), "dimensions of self");
    const auto wrap = [&](std::int64_t d) { return static_cast<std::size_t>(d < 0 ? d + rank : d); };
    if (wrap(dims[0]) == wrap(dims[1])) failShape("dims", shapeText(dims), "two different dimensions");
    return {wrap(dims[0]), wrap(dims[1])};
}

std::int64_t quarters(const OpCall& call) { return ((call.integer(1) % 4) + 4) % 4; }

void rot90(OpCall& call) {
    const auto [a, b] = rotationPlane(call);
    const std::int64_t k = quarters(call);
    Tensor self = call.tensor(0);
    std::vector<bool> reversed(self.rank());
    if (k == 1) reversed[b] = true;
    if (k == 2) reversed[a] = reversed[b] = true;
    if (k == 3) reversed[a] = true;
    // A quarter turn flips one dimension and swaps the two: the swapped result is the flipped source.
    copyReversed(k % 2 ? transposed(call.out(), a, b) : call.out(), self, reversed);
}

/// repeat(self, repeats): the result seen with each dimension in two, (repeats, size), is self broadcast.
void repeat(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const Shape repeats = call.ints(1);
    const std::size_t lead = repeats.size() - self.rank();
    Tensor blocks = out, source = self;
    blocks.sizes.clear(), blocks.strides.clear(), source.sizes.clear(), source.strides.clear();
    for (std::size_t d = 0; d < repeats.size(); ++d) {
        const std::int64_t size = d < lead ? 1 : self.sizes[d - lead];
        for (std::int64_t n : {repeats[d], size}) blocks.sizes.push_back(n), source.sizes.push_back(n);
        blocks.strides.push_back(out.strides[d] * size), blocks.strides.push_back(out.strides[d]);
        source.strides.push_back(0), source.strides.push_back(d < lead ? 0 : self.strides[d - lead]);
    }
    copyElements(blocks, source);
}

void blockDiagonal(OpCall& call) {
    const Tensor& out = call.out();
    fillScalar(out, 0.0);
    std::int64_t row = 0, column = 0;
    for (Tensor block : call.tensors(0)) {
        while (block.rank() < 2) {
            block.sizes.insert(block.sizes.begin(), 1);
            block.strides.insert(block.strides.begin(), 1);
        }
        if (block.rank() != 2) failShape("tensors", shapeText(block.sizes), "2 dimensions or fewer");
        copyElements(narrowed(narrowed(out, 0, row, block.sizes[0]), 1, column, block.sizes[1]), block);
        row += block.sizes[0];
        column += block.sizes[1];
    }
}

/// `t` with other sizes and strides in place of its last three dimensions.
Tensor withInner(const Tensor& t, const Shape& sizes, const Shape& strides) {
    Shape s(t.sizes.begin(), t.sizes.end() - 3), k(t.strides.begin(), t.strides.end() - 3);
    s.insert(s.end(), sizes.begin(), sizes.end());
    k.insert(k.end(), strides.begin(), strides.end());
    return restrided(t, s, k, t.offset);
}

/// pixel_shuffle: [.., c*r*r, h, w] seen as [.., c, r, r, h, w] fills [.., c, h, r, w, r].
void pixelShuffle(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const std::size_t n = self.rank();
    const std::int64_t r = call.integer(1), h = self.sizes[n - 2], w = self.sizes[n - 1], c = out.sizes[n - 3];
    const std::int64_t *in = &self.strides[n - 3], *to = &out.strides[n - 3];
    copyElements(withInner(out, {c, r, r, h, w}, {to[0], to[1], to[2], to[1] * r, to[2] * r}),
                 withInner(self, {c, r, r, h, w}, {in[0] * r * r, in[0] * r, in[0], in[1], in[2]}));
}

void pixelUnshuffle(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const std::size_t n = self.rank();
    const std::int64_t r = call.integer(1), h = out.sizes[n - 2], w = out.sizes[n - 1], c = self.sizes[n - 3];
    const std::int64_t *in = &self.strides[n - 3], *to = &out.strides[n - 3];
    copyElements(withInner(out, {c, r, r, h, w}, {to[0] * r * r, to[0] * r, to[0], to[1], to[2]}),
                 withInner(self, {c, r, r, h, w}, {in[0], in[1], in[2], in[1] * r, in[2] * r}));
}

/// channel_shuffle: channels [g, c/g] become [c/g, g].
void channelShuffle(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const std::int64_t groups = call.integer(1);
    if (self.rank() < 3 || groups < 1 || self.sizes[1] % groups) failShape("self", shapeText(self.sizes), "channels divisible by groups");
    const std::int64_t each = self.sizes[1] / groups;
    for (std::int64_t g = 0; g < groups; ++g) copyElements(narrowed(out, 1, g, each, groups), narrowed(self, 1, g * each, each));
}

/// diag_embed(self, offset, dim1, dim2): the last dimension on a diagonal of zeros.
void diagonalEmbed(OpCall& call) {
    const Tensor& out = call.out();
    const auto d1 = static_cast<std::size_t>(call.dim(2, out.rank())), d2 = static_cast<std::size_t>(call.dim(3, out.rank()));
    fillScalar(out, 0.0);
    copyElements(diagonalOf(out, call.integer(1), d1, d2), call.tensor(0));
}

/// _chunk_cat(tensors, dim, num_chunks): every tensor padded to num_chunks equal parts along dim; part i of all tensors, flattened, side by side.
void chunkCat(OpCall& call) {
    const Tensor& out = call.out();
    const auto d = static_cast<std::size_t>(call.dim(1, call.tensors(0).front().rank()));
    const std::int64_t chunks = call.integer(2);
    fillScalar(out, 0.0);
    std::int64_t at = 0;
    for (const Tensor& t : call.tensors(0)) {
        if (t.rank() <= d || !std::equal(t.sizes.begin(), t.sizes.begin() + static_cast<std::ptrdiff_t>(d), out.sizes.begin()))
            failShape("tensors", shapeText(t.sizes), "the outer sizes of " + shapeText(out.sizes));
        const std::int64_t piece = (t.sizes[d] + chunks - 1) / chunks;
        Shape sizes(t.sizes.begin() + static_cast<std::ptrdiff_t>(d), t.sizes.end());
        sizes[0] = piece;
        const Shape inner = contiguousStrides(sizes);
        std::int64_t width = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
        for (std::int64_t i = 0; i < chunks; ++i) {
            const std::int64_t start = std::min(i * piece, t.sizes[d]), length = std::min(piece, t.sizes[d] - start);
            const Tensor part = narrowed(t, d, start, length);
            Shape partStrides(out.strides.begin(), out.strides.begin() + static_cast<std::ptrdiff_t>(d));
            for (std::int64_t s : inner) partStrides.push_back(s * out.strides.back());
            copyElements(restrided(out, part.sizes, partStrides, out.offset + i * out.strides[d] + at * out.strides.back()), part);
        }
        at += width;
    }
}

}  // namespace

void registerAssemble(KernelTable& table) {
    for (const char* op : {"aten::cat", "prims::cat"}) table.add(op, cat);
    table.add("aten::stack", stack);
    table.add("aten::roll", roll);
    for (const char* op : {"aten::flip", "prims::rev"}) table.add(op, flip);
    table.add("aten::rot90", rot90);
    table.add("aten::repeat", repeat);
    table.add("aten::block_diag", blockDiagonal);
    table.add("aten::pixel_shuffle", pixelShuffle);
    table.add("aten::pixel_unshuffle", pixelUnshuffle);
    for (const char* op : {"aten::channel_shuffle", "aten::native_channel_shuffle"}) table.add(op, channelShuffle);
    table.add("aten::diag_embed", diagonalEmbed);
    table.add("aten::_chunk_cat", chunkCat);
}

}  // namespace aliascope::exec
