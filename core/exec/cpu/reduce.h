#pragma once
// What reductions share: lines and sums. A line is the sequence of elements, in row-major order of the reduced dimensions, that make one result. Sums
// have one order whatever the layout (executor.md 2.3): blocks of 1024 along the line, 16 interleaved partial sums and a tree inside a block, a tree
// over blocks.

#include "core/exec/cpu/strided.h"

namespace aliascope::exec {

/// Dimensions that argument `i` names (an int or a list; None and, where `emptyMeansAll`, an empty list are all of them).
std::vector<bool> reducedDims(const OpCall& call, std::size_t i, std::size_t rank, bool emptyMeansAll = true);
std::vector<bool> allDims(std::size_t rank);
std::vector<bool> oneDim(std::int64_t dim, std::size_t rank);

/// The lines of `in`, and where their results go in `N` outputs, with or without the reduced dimensions.
template <std::size_t N>
class Lines {
public:
    Lines(const Tensor& in, const std::vector<bool>& reduced, const std::array<const Tensor*, N>& outs)
        : in_(in),
          along_(sizes(in, reduced, true), {strides(in, reduced, true)}),
          across_(sizes(in, reduced, false), outStrides(in, reduced, outs), LoopOrder::Logical) {
        for (std::int64_t size : sizes(in, reduced, true)) length_ *= size;
    }

    std::int64_t length() const { return length_; }

    /// Calls `f(offsets)` for every line: where its results go, and last where it starts in `in`.
    template <class F>
    void forEach(F&& f) const {
        if (!liesAcross()) return across_.forEach(f);
        const std::int64_t row = across_.rowSize();
        across_.forEachRow([&](std::array<std::int64_t, N + 1> at) {
            for (std::int64_t i = 0; i < row; ++i) {
                if (i % kTile == 0) tile_ = {at[N], std::min(kTile, row - i), 0, std::move(tile_.elements)};
                f(static_cast<const std::array<std::int64_t, N + 1>&>(at));
                for (std::size_t k = 0; k <= N; ++k) at[k] += across_.rowStrides()[k];
            }
        });
        tile_.lines = 0;
    }

    /// Calls `f(values, n, first)` for the blocks of the line that starts at `offset`: values as C, `first` the index of the first of them. Blocks
    /// start at multiples of kBlock.
    template <class C, class F>
    void blocks(std::int64_t offset, F&& f) const {
        if (const C* line = lineOfTile<C>(offset)) {
            for (std::int64_t i = 0; i < length_; i += kBlock) f(line + i, std::min(kBlock, length_ - i), i);
            return;
        }
        C buffer[kBlock];
        const std::int64_t row = along_.rowSize(), stride = along_.rowStrides()[0];
        std::int64_t held = 0, done = 0;
        along_.forEachRow([&](const auto& at) {
            for (std::int64_t i = 0; i < row;) {
                const std::int64_t n = std::min(kBlock - held, row - i), from = offset + at[0] + i * stride;
                const C* loaded = loadBlock(in_, from, stride, n, buffer + held);
                i += n;
                if (held == 0 && (n == kBlock || done + n == length_)) {
                    f(loaded, n, done);
                    done += n;
                    continue;
                }
                if (loaded != buffer + held) std::copy_n(loaded, n, buffer + held);
                held += n;
                if (held == kBlock || done + held == length_) {
                    f(static_cast<const C*>(buffer), held, done);
                    done += held;
                    held = 0;
                }
            }
        });
    }

private:
    static constexpr std::int64_t kTile = 16, kLongestTiled = 16384;

    /// Neighbouring lines whose elements lie side by side while those of one line lie apart (sums of columns). They are read together, so that
    /// every cache line is read once.
    struct Tile {
        std::int64_t start = 0, lines = 0;
        std::size_t loaded = 0;           ///< bytes of an element; 0: not read yet
        std::vector<std::byte> elements;  ///< line by line
    };

    bool liesAcross() const {
        return along_.rowSize() > 1 && along_.rowStrides()[0] > 1 && length_ <= kLongestTiled && across_.rowSize() > 1 &&
               across_.rowStrides()[N] == 1;
    }

    /// The line at `offset` out of the tile; null when it is in none.
    template <class C>
    const C* lineOfTile(std::int64_t offset) const {
        if (offset < tile_.start || offset >= tile_.start + tile_.lines) return nullptr;
        if (tile_.loaded == 0) {
            tile_.elements.resize(static_cast<std::size_t>(tile_.lines * length_) * sizeof(C));
            C scratch[kTile];
            C* to = reinterpret_cast<C*>(tile_.elements.data());
            along_.forEach([&](const auto& at) {
                const C* across = loadBlock(in_, tile_.start + at[0], 1, tile_.lines, scratch);
                for (std::int64_t k = 0; k < tile_.lines; ++k) to[k * length_] = across[k];
                ++to;
            });
            tile_.loaded = sizeof(C);
        }
        if (tile_.loaded != sizeof(C)) return nullptr;
        return reinterpret_cast<const C*>(tile_.elements.data()) + (offset - tile_.start) * length_;
    }

    static Shape sizes(const Tensor& t, const std::vector<bool>& reduced, bool wanted) { return pick(t.sizes, reduced, wanted); }
    static Shape strides(const Tensor& t, const std::vector<bool>& reduced, bool wanted) { return pick(t.strides, reduced, wanted); }
    static Shape pick(const Shape& from, const std::vector<bool>& reduced, bool wanted) {
        Shape out;
        for (std::size_t d = 0; d < from.size(); ++d)
            if (reduced[d] == wanted) out.push_back(from[d]);
        return out;
    }
    static std::array<Shape, N + 1> outStrides(const Tensor& in, const std::vector<bool>& reduced, const std::array<const Tensor*, N>& outs) {
        std::array<Shape, N + 1> out;
        const Shape kept = sizes(in, reduced, false);
        for (std::size_t k = 0; k < N; ++k) {
            const bool sameRank = outs[k]->rank() == in.rank();
            if ((sameRank ? sizes(*outs[k], reduced, false) : outs[k]->sizes) != kept)
                failShape("result", shapeText(outs[k]->sizes), shapeText(kept));
            out[k] = sameRank ? strides(*outs[k], reduced, false) : outs[k]->strides;
        }
        out[N] = strides(in, reduced, false);
        return out;
    }

    const Tensor& in_;
    StridedLoop<1> along_;
    StridedLoop<N + 1> across_;
    std::int64_t length_ = 1;
    mutable Tile tile_;
};

// --- sums ------------------------------------------------------------------------------------------------------------------------------------

/// Values of blocks joined pairwise, as a binary counter adds.
template <class A, class Join>
class PairwiseTree {
public:
    void add(A value) {
        for (std::uint64_t n = count_++; n & 1; n >>= 1) value = Join()(levels_[--depth_], value);
        levels_[depth_++] = value;
    }
    A result(A identity) const {
        if (depth_ == 0) return identity;
        A value = levels_[depth_ - 1];
        for (std::size_t d = depth_ - 1; d-- > 0;) value = Join()(levels_[d], value);
        return value;
    }

private:
    A levels_[64];
    std::size_t depth_ = 0;
    std::uint64_t count_ = 0;
};

/// 16 interleaved accumulators, so that a block can be joined by vector code; then a tree.
template <class A, class Join, class C, class Map>
A joinBlock(const C* x, std::int64_t n, A identity, Map map) {
    constexpr int kLanes = 16;
    A lane[kLanes];
    std::fill_n(lane, kLanes, identity);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (int k = 0; k < kLanes; ++k) lane[k] = Join()(lane[k], map(x[i + k]));
    for (int k = 0; i < n; ++i, ++k) lane[k] = Join()(lane[k], map(x[i]));
    for (int half = kLanes / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) lane[k] = Join()(lane[k], lane[k + half]);
    return lane[0];
}

struct Plus {
    template <class A>
    A operator()(A a, A b) const {
        if constexpr (std::is_integral_v<A>)
            return static_cast<A>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        else
            return a + b;
    }
};
struct Times {
    template <class A>
    A operator()(A a, A b) const {
        if constexpr (std::is_integral_v<A>)
            return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        else
            return a * b;
    }
};

/// Sum of map(x) over the line at `offset`, elements loaded as C, accumulated as A.
template <class A, class C, std::size_t N, class Map>
A sumLine(const Lines<N>& lines, std::int64_t offset, Map map) {
    PairwiseTree<A, Plus> tree;
    lines.template blocks<C>(offset, [&](const C* x, std::int64_t n, std::int64_t) { tree.add(joinBlock<A, Plus>(x, n, A(0), map)); });
    return tree.result(A(0));
}

/// Calls `f(DTypeTag<C>(), DTypeTag<A>())`: C is the compute type of `d`, A the type of sums: f64 for floats in Precision::Reference.
template <class F>
void dispatchSums(const OpCall& call, DType d, F&& f) {
    dispatchCompute(d, [&](auto tag) {
        using C = typename decltype(tag)::type;
        if constexpr (std::is_same_v<C, float>) {
            if (call.precision == Precision::Reference)
                f(tag, DTypeTag<double>());
            else
                f(tag, DTypeTag<float>());
        } else {
            f(tag, tag);
        }
    });
}

/// The same for floats only.
template <class F>
void dispatchFloatSums(const OpCall& call, DType d, F&& f) {
    if (!info(d).floating) failDType(d);
    dispatchSums(call, d, [&](auto c, auto a) {
        if constexpr (!std::is_integral_v<typename decltype(c)::type>) f(c, a);
    });
}

}  // namespace aliascope::exec
