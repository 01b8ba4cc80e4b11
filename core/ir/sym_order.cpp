// What is known of the order of two symbolic integers. Everything here only ever proves; what it cannot prove is Unknown.

#include <algorithm>

#include "core/ir/sym_expr.h"

namespace aliascope {
namespace {

using Bound = std::optional<std::int64_t>;  // nothing = unbounded

struct Range {
    Bound lo, hi;
};

Bound plus(Bound a, Bound b) {
    std::int64_t r = 0;
    if (!a || !b || __builtin_add_overflow(*a, *b, &r)) return std::nullopt;
    return r;
}

Range add(const Range& a, const Range& b) { return {plus(a.lo, b.lo), plus(a.hi, b.hi)}; }

Range multiply(const Range& a, const Range& b) {
    if (a.lo && b.lo && *a.lo >= 0 && *b.lo >= 0) {
        std::int64_t lo = 0, hi = 0;
        Range r;
        if (!__builtin_mul_overflow(*a.lo, *b.lo, &lo))
            r.lo = lo;
        else
            r.lo = 0;
        if (a.hi && b.hi && !__builtin_mul_overflow(*a.hi, *b.hi, &hi)) r.hi = hi;
        if ((a.hi && *a.hi == 0) || (b.hi && *b.hi == 0)) r.hi = 0;
        return r;
    }
    if (!a.lo || !a.hi || !b.lo || !b.hi) return {};
    std::int64_t p[4];
    if (__builtin_mul_overflow(*a.lo, *b.lo, &p[0]) || __builtin_mul_overflow(*a.lo, *b.hi, &p[1]) || __builtin_mul_overflow(*a.hi, *b.lo, &p[2]) ||
        __builtin_mul_overflow(*a.hi, *b.hi, &p[3]))
        return {};
    return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

Range scale(const Range& a, std::int64_t n) {
    std::int64_t lo = 0, hi = 0;
    Range r;
    if (a.lo && !__builtin_mul_overflow(*a.lo, n, &lo)) (n < 0 ? r.hi : r.lo) = lo;
    if (a.hi && !__builtin_mul_overflow(*a.hi, n, &hi)) (n < 0 ? r.lo : r.hi) = hi;
    return r;
}

std::int64_t floorBy(std::int64_t a, std::int64_t positive) { return a >= 0 ? a / positive : -((-(a + 1)) / positive) - 1; }

/// `s12`: what PyTorch's printers name so are sizes. An unbacked int (`u3`) may be negative.
bool isSizeSymbol(std::string_view name) {
    return name.size() > 1 && name[0] == 's' &&
           std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class Prover {
public:
    explicit Prover(const SymbolTable& table) : table_(table) {}

    bool nonNegative(const SymPoly& p, int depth = 0) {
        if (++steps_ > maxSteps || depth > maxSubstitutions) return false;
        if (const Range r = rangeOf(p); r.lo && *r.lo >= 0) return true;
        if (termwiseNonNegative(p)) return true;
        for (std::size_t i = 0; i < p.size(); ++i)
            for (const auto& [term, power] : p[i].terms)
                if (power == 1 && term->kind == SymExpr::Kind::Call && substitute(p, i, term, depth)) return true;
        return false;
    }

private:
    static constexpr int maxSubstitutions = 6;
    static constexpr int maxSteps = 400;
    static constexpr int maxRangeDepth = 32;
    static constexpr std::uint32_t maxRangePower = 64;

    Range rangeOf(const SymInt& s, int depth) {
        if (const auto c = s.constant()) return {c, c};
        return rangeOf(symPoly(s), depth);
    }

    Range rangeOf(const SymPoly& p, int depth = 0) {
        Range sum{0, 0};
        for (const SymMonomial& m : p) sum = add(sum, rangeOf(m, depth));
        return sum;
    }

    Range rangeOf(const SymMonomial& m, int depth) {
        Range product{1, 1};
        for (const auto& [term, power] : m.terms) {
            const Range r = rangeOfTerm(*term, depth + 1);
            if (power % 2 == 0 && !(r.lo && *r.lo >= 0)) {
                product = multiply(product, {0, std::nullopt});  // an even power of anything
                continue;
            }
            if (power > maxRangePower && !(r.lo && *r.lo >= 0)) return {};  // the sign hangs on the power
            for (std::uint32_t i = 0; i < std::min(power, maxRangePower); ++i) product = multiply(product, r);
            if (power > maxRangePower) product.hi.reset();
        }
        return scale(product, m.coefficient);
    }

    Range rangeOfTerm(const SymExpr& e, int depth) {
        if (!e.integral || depth > maxRangeDepth || ++steps_ > maxSteps) return {};
        if (e.kind == SymExpr::Kind::Symbol) {
            Range r;
            if (const auto it = table_.find(e.name); it != table_.end()) r = {it->second.min, it->second.max};
            if (!r.lo && isSizeSymbol(e.name.view())) r.lo = 0;
            return r;
        }
        if (e.kind != SymExpr::Kind::Call || e.args.empty()) return {};
        const std::string_view f = e.name.view();
        if (f == "Max" || f == "Min") return rangeOfExtremum(e, f == "Max", depth);
        if (f == "Abs") return {0, std::nullopt};
        if (e.args.size() != 2) return {};
        const Range a = rangeOf(e.args[0], depth), b = rangeOf(e.args[1], depth);
        if (f == "FloorDiv") return rangeOfFloorDiv(a, b);
        if (f == "Mod" && b.lo && *b.lo >= 1) {
            Bound hi = plus(b.hi, -1);
            if (a.lo && *a.lo >= 0 && a.hi && (!hi || *a.hi < *hi)) hi = a.hi;
            return {0, hi};
        }
        return {};
    }

    static Range rangeOfFloorDiv(const Range& a, const Range& b) {
        if (!b.lo || *b.lo < 1) {
            // A divisor of 0 raises; what remains of [0, …) is positive.
            if (b.lo && *b.lo == 0 && a.lo && *a.lo >= 0) return {0, a.hi};
            return {};
        }
        Range r;
        if (a.lo) r.lo = *a.lo >= 0 ? (b.hi ? floorBy(*a.lo, *b.hi) : 0) : floorBy(*a.lo, *b.lo);
        if (a.hi) r.hi = *a.hi >= 0 ? floorBy(*a.hi, *b.lo) : (b.hi ? floorBy(*a.hi, *b.hi) : -1);
        return r;
    }

    Range rangeOfExtremum(const SymExpr& e, bool isMax, int depth) {
        // The safe side of an extremum is known from one argument, the other side needs all.
        Range r;
        bool allNear = true;
        Bound near;
        for (const SymInt& arg : e.args) {
            const Range x = rangeOf(arg, depth);
            const Bound safe = isMax ? x.lo : x.hi, other = isMax ? x.hi : x.lo;
            Bound& side = isMax ? r.lo : r.hi;
            if (safe && (!side || (isMax ? *safe > *side : *safe < *side))) side = safe;
            if (!other)
                allNear = false;
            else if (!near || (isMax ? *other > *near : *other < *near))
                near = other;
        }
        if (allNear) (isMax ? r.hi : r.lo) = near;
        return r;
    }

    /// Every monomial by itself is >= 0 (ranges that overflow as a sum still decide so).
    bool termwiseNonNegative(const SymPoly& p) {
        return std::all_of(p.begin(), p.end(), [&](const SymMonomial& m) {
            const Range r = rangeOf(m, 0);
            return r.lo && *r.lo >= 0;
        });
    }

    /// `p` with `term` in monomial `i` replaced by `by`.
    static std::optional<SymPoly> replaced(const SymPoly& p, std::size_t i, const SymExprPtr& term, const SymPoly& by) {
        SymMonomial cofactor = p[i];
        std::erase_if(cofactor.terms, [&](const auto& t) { return t.first->canon == term->canon; });
        SymPoly rest = p;
        rest.erase(rest.begin() + std::ptrdiff_t(i));
        const auto product = mulPoly({cofactor}, by);
        return product ? addPoly(rest, *product, 1) : std::nullopt;
    }

    bool tryReplaced(const std::optional<SymPoly>& p, int depth) { return p && nonNegative(*p, depth + 1); }

    /// Replaces one call by something that is no better for the proof.
    bool substitute(const SymPoly& p, std::size_t i, const SymExprPtr& term, int depth) {
        SymMonomial cofactor = p[i];
        std::erase_if(cofactor.terms, [&](const auto& t) { return t.first->canon == term->canon; });
        const Range c = rangeOf(cofactor, 0);
        const bool up = c.lo && *c.lo >= 0, down = c.hi && *c.hi <= 0;
        if (!term->integral || (!up && !down)) return false;
        const std::string_view f = term->name.view();
        if (f == "Max" || f == "Min") {
            // Max is at least each argument, and equal to one of them.
            const bool any = (f == "Max") == up;
            const auto proves = [&](const SymInt& arg) { return tryReplaced(replaced(p, i, term, symPoly(arg)), depth); };
            return any ? std::any_of(term->args.begin(), term->args.end(), proves) : std::all_of(term->args.begin(), term->args.end(), proves);
        }
        if (term->args.size() != 2) return false;
        const auto k = term->args[1].constant();
        const SymPoly a = symPoly(term->args[0]);
        if (f == "FloorDiv" && k && *k >= 1) {
            // a - (k - 1) <= k * floor(a / k) <= a: multiply everything by k and replace.
            const auto scaled = addPoly({}, p, *k);
            if (!scaled) return false;
            auto bound = up ? addPoly(a, symPoly(SymInt(*k - 1)), -1) : std::optional(a);
            if (!bound) return false;
            SymPoly rest = *scaled;
            rest.erase(rest.begin() + std::ptrdiff_t(i));  // scaling keeps the order of the monomials
            const auto product = mulPoly({cofactor}, *bound);
            return product && tryReplaced(addPoly(rest, *product, 1), depth);
        }
        if (f == "Mod" && down) {
            const Range whole = rangeOf(a), divisor = rangeOf(term->args[1], 0);
            if (!divisor.lo || *divisor.lo < 1) return false;
            if (whole.lo && *whole.lo >= 0 && tryReplaced(replaced(p, i, term, a), depth)) return true;
            const auto below = addPoly(symPoly(term->args[1]), symPoly(SymInt(1)), -1);
            return below && tryReplaced(replaced(p, i, term, *below), depth);
        }
        return false;
    }

    const SymbolTable& table_;
    int steps_ = 0;
};

bool provenNonNegative(const std::optional<SymPoly>& p, const SymbolTable& table) { return p && Prover(table).nonNegative(*p); }

}  // namespace

Tri knownLessEqual(const SymInt& a, const SymInt& b, const SymbolTable& table) {
    if (a == b) return Tri::Yes;
    if (const auto x = a.constant(), y = b.constant(); x && y) return *x <= *y ? Tri::Yes : Tri::No;
    if (a.isOpaque() || b.isOpaque()) return Tri::Unknown;
    const SymPoly p = symPoly(a), q = symPoly(b);
    if (provenNonNegative(addPoly(q, p, -1), table)) return Tri::Yes;
    const auto greater = addPoly(p, q, -1);
    if (greater && provenNonNegative(addPoly(*greater, symPoly(SymInt(1)), -1), table)) return Tri::No;
    return Tri::Unknown;
}

}  // namespace aliascope
