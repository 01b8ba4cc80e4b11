#include "core/analysis/footprint.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace aliascope {
namespace {

constexpr int kSearchSteps = 10'000;
constexpr std::size_t kMaxStrides = 64;
constexpr std::int64_t kMaxEnumerated = 1'000'000;
constexpr std::int64_t kMaxEnumerationSteps = 20'000'000;

struct Dim {
    std::int64_t size, stride;
};

/// Static geometry in units (elements, or bytes when item sizes differ): sizes above 1, strides above 0.
struct Region {
    std::vector<Dim> dims;
    std::int64_t offset = 0;
};

bool multiplyAdd(std::int64_t a, std::int64_t b, std::int64_t& sum) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

/// Nothing when some part is symbolic or unknown, or numbers do not fit.
std::optional<Region> regionOf(const TensorType& t) {
    if (!t.strides || !t.offset || !t.offset->constant() || t.strides->size() != t.sizes.size()) return std::nullopt;
    Region r;
    r.offset = *t.offset->constant();
    for (std::size_t i = 0; i < t.sizes.size(); ++i) {
        auto size = t.sizes[i].constant(), stride = (*t.strides)[i].constant();
        if (!size || !stride || *size < 0 || *stride == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
        if (*size <= 1 || *stride == 0) continue;
        if (*stride < 0 && !multiplyAdd(*size - 1, *stride, r.offset)) return std::nullopt;  // walk the dim from its other end
        r.dims.push_back({*size, std::abs(*stride)});
    }
    return r;
}

bool scaleToBytes(Region& r, std::int64_t itemSize) {
    std::int64_t offset = 0;
    if (!multiplyAdd(r.offset, itemSize, offset)) return false;
    r.offset = offset;
    for (Dim& d : r.dims) {
        std::int64_t stride = 0;
        if (!multiplyAdd(d.stride, itemSize, stride)) return false;
        d.stride = stride;
    }
    if (itemSize > 1) r.dims.push_back({itemSize, 1});
    return true;
}

/// The digit search of reinplace.md 4.3: whether two regions share an address.
class DigitSearch {
public:
    /// False when the regions are outside what the search can hold.
    bool prepare(const Region& a, const Region& b) {
        std::vector<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>> byStride;  // stride, (digits of a, digits of b)
        for (const Dim& d : a.dims) byStride.push_back({d.stride, {d.size - 1, 0}});
        for (const Dim& d : b.dims) byStride.push_back({d.stride, {0, d.size - 1}});
        std::sort(byStride.begin(), byStride.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
        for (const auto& [stride, digits] : byStride) {
            if (levels_.empty() || levels_.back().stride != stride) levels_.push_back({stride, 0, 0, 0, 0});
            if (__builtin_add_overflow(levels_.back().a, digits.first, &levels_.back().a)) return false;
            if (__builtin_add_overflow(levels_.back().b, digits.second, &levels_.back().b)) return false;
        }
        if (levels_.size() > kMaxStrides) return false;
        std::int64_t up = 0, down = 0;
        for (std::size_t k = levels_.size(); k-- > 0;) {
            Level& l = levels_[k];
            l.restUp = up;
            l.restDown = down;
            if (!multiplyAdd(l.a, l.stride, up) || !multiplyAdd(l.b, l.stride, down)) return false;
        }
        up_ = up;
        down_ = down;
        // Sums of a remainder and a bound must fit too.
        constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 4;
        return up < limit && down < limit && -limit < a.offset && a.offset < limit && -limit < b.offset && b.offset < limit;
    }

    int steps() const { return steps_; }  ///< of the last run

    Overlap run(std::int64_t delta) {
        steps_ = 0;
        if (delta > up_ || delta < -down_) return Overlap::Disjoint;
        return meet(0, delta);
    }

private:
    struct Level {
        std::int64_t stride, a, b;      // digits: 0..a of the first region, 0..b of the second
        std::int64_t restUp, restDown;  // what the levels below can add at most, and take away at most
    };

    static std::int64_t floorDivide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && a < 0); }

    Overlap meet(std::size_t k, std::int64_t r) {
        if (++steps_ > kSearchSteps) return Overlap::May;
        if (k == levels_.size()) return r == 0 ? Overlap::Overlaps : Overlap::Disjoint;
        const Level& l = levels_[k];
        std::int64_t low = std::max(-l.b, -floorDivide(l.restUp - r, l.stride));
        std::int64_t high = std::min(l.a, floorDivide(r + l.restDown, l.stride));
        for (std::int64_t d = low; d <= high; ++d) {
            Overlap found = meet(k + 1, r - d * l.stride);
            if (found != Overlap::Disjoint) return found;
        }
        return Overlap::Disjoint;
    }

    std::vector<Level> levels_;
    std::int64_t up_ = 0, down_ = 0;
    int steps_ = 0;
};

/// Where a region lies, and what is seen of it without looking at single addresses.
struct Span {
    std::int64_t first = 0, last = 0, elements = 1;
    bool gapFree = true;   ///< every address from first to last
    bool distinct = true;  ///< surely no address twice
};

std::optional<Span> spanOf(Region r) {
    std::sort(r.dims.begin(), r.dims.end(), [](const Dim& x, const Dim& y) { return x.stride < y.stride; });
    Span s;
    std::int64_t reach = 0;
    for (const Dim& d : r.dims) {
        s.gapFree = s.gapFree && d.stride - 1 <= reach;
        s.distinct = s.distinct && d.stride > reach;
        if (!multiplyAdd(d.size - 1, d.stride, reach) || __builtin_mul_overflow(s.elements, d.size, &s.elements)) return std::nullopt;
    }
    s.first = r.offset;
    if (__builtin_add_overflow(r.offset, reach, &s.last)) return std::nullopt;
    return s;
}

/// Number of addresses in both, where one lies inside the other or both are without gaps.
std::optional<std::int64_t> overlapBySpan(const Span& a, const Span& b) {
    const auto inside = [](const Span& part, const Span& whole) {
        return whole.gapFree && part.distinct && whole.first <= part.first && part.last <= whole.last;
    };
    if (inside(a, b)) return a.elements;
    if (inside(b, a)) return b.elements;
    const std::int64_t first = std::max(a.first, b.first), last = std::min(a.last, b.last);
    if (first > last) return 0;
    std::int64_t count = 0;
    if (!a.gapFree || !b.gapFree || __builtin_sub_overflow(last, first, &count) || __builtin_add_overflow(count, 1, &count)) return std::nullopt;
    return count;
}

bool sameItems(const TensorType& a, const TensorType& b) { return a.dtype == b.dtype && a.dtypeName == b.dtypeName; }

bool sameGeometry(const TensorType& a, const TensorType& b) { return a.sizes == b.sizes && a.strides == b.strides && a.offset == b.offset; }

/// One past the last address, when strides are known not to be negative. A size of 0 only makes the bound larger than needed.
std::optional<SymInt> endOf(const TensorType& t, const SymbolTable& symbols) {
    if (!t.strides || !t.offset) return std::nullopt;
    SymInt end = *t.offset + 1;
    for (std::size_t i = 0; i < t.sizes.size(); ++i) {
        if (knownLessEqual(SymInt(0), (*t.strides)[i], symbols) != Tri::Yes) return std::nullopt;
        end = end + (t.sizes[i] - 1) * (*t.strides)[i];
    }
    return end;
}

bool knownBefore(const TensorType& a, const TensorType& b, const SymbolTable& symbols) {
    auto end = endOf(a, symbols);
    auto bEnd = endOf(b, symbols);  // b's own strides must not lead it below its offset
    return end && bEnd && knownLessEqual(*end, *b.offset, symbols) == Tri::Yes;
}

Overlap symbolicOverlap(const TensorType& a, const TensorType& b, const SymbolTable& symbols) {
    if (!sameItems(a, b) || !a.strides || !b.strides || !a.offset || !b.offset) return Overlap::May;
    if (knownBefore(a, b, symbols) || knownBefore(b, a, symbols)) return Overlap::Disjoint;
    bool positive = std::all_of(a.sizes.begin(), a.sizes.end(), [&](const SymInt& s) { return knownLessEqual(SymInt(1), s, symbols) == Tri::Yes; });
    return positive && sameGeometry(a, b) ? Overlap::Overlaps : Overlap::May;
}

// --- PyTorch's predicate -----------------------------------------------------------------------------------------------------------------

/// Comparisons the way PyTorch's guards settle them: by value under the hints, else by what is statically known.
class Decide {
public:
    explicit Decide(const SymbolTable& symbols) : symbols_(symbols) {}

    std::optional<bool> lessEqual(const SymInt& a, const SymInt& b) const {
        if (auto values = evaluate(a, b)) return values->first <= values->second;
        Tri known = knownLessEqual(a, b, symbols_);
        return known == Tri::Unknown ? std::nullopt : std::optional(known == Tri::Yes);
    }
    std::optional<bool> less(const SymInt& a, const SymInt& b) const { return lessEqual(a + 1, b); }
    std::optional<bool> equal(const SymInt& a, const SymInt& b) const {
        if (auto values = evaluate(a, b)) return values->first == values->second;
        Tri known = knownEqual(a, b);
        return known == Tri::Unknown ? std::nullopt : std::optional(known == Tri::Yes);
    }
    /// PyTorch specialises sizes 0 and 1, so a symbolic size without a hint is at least 2.
    bool isSize(const SymInt& size, std::int64_t value) const { return equal(size, SymInt(value)).value_or(false); }

private:
    std::optional<std::pair<std::int64_t, std::int64_t>> evaluate(const SymInt& a, const SymInt& b) const {
        auto x = a.evaluate(symbols_), y = b.evaluate(symbols_);
        return x && y ? std::optional(std::pair(*x, *y)) : std::nullopt;
    }
    const SymbolTable& symbols_;
};

bool hasZeroElements(const TensorType& t, const Decide& decide) {
    return std::any_of(t.sizes.begin(), t.sizes.end(), [&](const SymInt& s) { return decide.isSize(s, 0); });
}

bool contiguous(const TensorType& t, const Decide& decide) {
    SymInt expected = 1;
    for (std::size_t i = t.sizes.size(); i-- > 0;) {
        if (decide.isSize(t.sizes[i], 1)) continue;
        if (!decide.equal((*t.strides)[i], expected).value_or(false)) return false;
        expected = expected * t.sizes[i];
    }
    return true;
}

/// Rows 3 to 8 with `x` the one of smaller offset. An undecided comparison ends in "overlap".
bool disjointInOrder(const TensorType& x, const TensorType& y, const Decide& decide) {
    const SymInt delta = *y.offset - *x.offset;
    if (contiguous(x, decide) && contiguous(y, decide)) return decide.lessEqual(*x.offset + x.numel(), *y.offset).value_or(false);

    SymInt last = *x.offset;
    for (std::size_t i = 0; i < x.sizes.size(); ++i) last = last + (x.sizes[i] - 1) * (*x.strides)[i];
    if (decide.less(last, *y.offset).value_or(false)) return true;

    if (x.rank() != 2 || y.rank() != 2) return false;
    const SymInt &stride = (*x.strides)[0], one = 1;
    bool blocks = decide.equal((*x.strides)[1], one).value_or(false) && decide.equal((*y.strides)[1], one).value_or(false) &&
                  decide.equal(stride, (*y.strides)[0]).value_or(false);
    if (!blocks) return false;
    if (decide.less(delta, x.sizes[1]).value_or(true)) return false;
    if (decide.lessEqual(stride * (x.sizes[0] - 1) + x.sizes[1], delta).value_or(false)) return true;
    if (decide.isSize(stride, 0)) return false;
    return decide.lessEqual(mod(delta, stride) + y.sizes[1], stride).value_or(false);  // row 7: does not look at x.sizes[1]
}

}  // namespace

Overlap exactOverlap(const TensorType& a, const TensorType& b, const SymbolTable& symbols) {
    if (knownEmpty(a) || knownEmpty(b)) return Overlap::Disjoint;
    auto x = regionOf(a), y = regionOf(b);
    if (!x || !y) return symbolicOverlap(a, b, symbols);
    if (!sameItems(a, b)) {
        int itemA = itemSize(a.dtype), itemB = itemSize(b.dtype);
        if (itemA == 0 || itemB == 0) return Overlap::May;
        if (itemA != itemB && (!scaleToBytes(*x, itemA) || !scaleToBytes(*y, itemB))) return Overlap::May;
    }
    DigitSearch search;
    if (!search.prepare(*x, *y)) return Overlap::May;
    return search.run(y->offset - x->offset);
}

bool referenceDisjoint(const TensorType& a, const TensorType& b, const SymbolTable& symbols) {
    const Decide decide(symbols);
    if (hasZeroElements(a, decide) || hasZeroElements(b, decide)) return true;
    if (!a.strides || !b.strides || !a.offset || !b.offset) return false;
    std::optional<bool> inOrder = decide.lessEqual(*a.offset, *b.offset);
    if (inOrder) return *inOrder ? disjointInOrder(a, b, decide) : disjointInOrder(b, a, decide);
    // The order itself hangs on values: whatever is proven with either order holds, because the proofs imply the order.
    return disjointInOrder(a, b, decide) || disjointInOrder(b, a, decide);
}

std::optional<std::int64_t> overlapElements(const TensorType& a, const TensorType& b) {
    if (knownEmpty(a) || knownEmpty(b)) return 0;
    if (!sameItems(a, b) && itemSize(a.dtype) != itemSize(b.dtype)) return std::nullopt;
    auto x = regionOf(a), y = regionOf(b);
    if (!x || !y) return std::nullopt;
    const auto spanX = spanOf(*x), spanY = spanOf(*y);
    if (!spanX || !spanY) return std::nullopt;
    if (const auto n = overlapBySpan(*spanX, *spanY)) return n;
    if (spanX->elements > spanY->elements) std::swap(x, y);
    if (std::min(spanX->elements, spanY->elements) > kMaxEnumerated) return std::nullopt;

    std::vector<std::int64_t> addresses = {x->offset};
    for (const Dim& d : x->dims) {
        const std::size_t before = addresses.size();
        addresses.reserve(before * static_cast<std::size_t>(d.size));
        for (std::int64_t i = 1; i < d.size; ++i) {
            for (std::size_t k = 0; k < before; ++k) {
                std::int64_t address = addresses[k];
                if (!multiplyAdd(i, d.stride, address)) return std::nullopt;
                addresses.push_back(address);
            }
        }
    }
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());

    const Region point;
    DigitSearch search;
    if (!search.prepare(*y, point)) return std::nullopt;
    std::int64_t shared = 0, steps = 0;
    for (std::int64_t address : addresses) {
        std::int64_t distance = 0;
        if (__builtin_sub_overflow(address, y->offset, &distance)) return std::nullopt;
        const Overlap hit = search.run(distance);
        steps += search.steps();
        if (hit == Overlap::May || steps > kMaxEnumerationSteps) return std::nullopt;
        shared += hit == Overlap::Overlaps;
    }
    return shared;
}

TensorType atHints(const TensorType& t, const SymbolTable& symbols) {
    TensorType out = t;
    const auto fix = [&](SymInt& s) {
        if (s.isConst()) return;
        if (const auto value = s.evaluate(symbols)) s = SymInt(*value);
    };
    for (SymInt& s : out.sizes) fix(s);
    if (out.strides)
        for (SymInt& s : *out.strides) fix(s);
    if (out.offset) fix(*out.offset);
    return out;
}

bool knownEmpty(const TensorType& t) {
    return std::any_of(t.sizes.begin(), t.sizes.end(), [](const SymInt& s) { return s.constant() == 0; });
}

bool samePlace(const TensorType& a, const TensorType& b) {
    if (!sameItems(a, b) || !(a.sizes == b.sizes) || !a.strides || !b.strides || !a.offset || !b.offset || !(*a.offset == *b.offset)) return false;
    for (std::size_t d = 0; d < a.sizes.size(); ++d)
        if (!(a.sizes[d] == SymInt(1)) && !((*a.strides)[d] == (*b.strides)[d])) return false;
    return true;
}

bool isDense(const TensorType& t) {
    const auto region = regionOf(t);
    if (!region || knownEmpty(t) ||
        std::any_of(t.strides->begin(), t.strides->end(), [](const SymInt& s) { return !s.constant() || *s.constant() < 0; }))
        return false;
    for (std::size_t d = 0; d < t.sizes.size(); ++d)
        if ((*t.strides)[d].constant() == 0 && t.sizes[d].constant() != 1) return false;
    const auto span = spanOf(*region);
    return span && span->gapFree && span->distinct;
}

}  // namespace aliascope
