#include "core/ir/sym.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "core/ir/sym_expr.h"

namespace aliascope {
namespace {

using Kind = SymExpr::Kind;
using Part = SymExpr::Part;

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

/// Towards minus infinity, as Python does. Nothing on division by zero and on overflow.
std::optional<std::int64_t> floorDivide(std::int64_t a, std::int64_t b) {
    if (b == 0 || (a == smallest && b == -1)) return std::nullopt;
    const std::int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/// With the sign of `b`, as Python does.
std::optional<std::int64_t> floorModulo(std::int64_t a, std::int64_t b) {
    if (b == 0) return std::nullopt;
    if (b == -1) return 0;
    const std::int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

bool isIntegral(const SymInt& s) {
    const auto e = SymExpr::of(s);
    return !e || e->integral;
}

/// A value as coefficient times factors.
struct Factors {
    std::int64_t coefficient = 1;
    std::vector<Part> parts;
};

Factors factorsOf(const SymInt& s) {
    const auto e = SymExpr::of(s);
    if (!e) return {SymExpr::constantOf(s), {}};
    if (e->kind == Kind::Product) return {e->number, e->parts};
    return {1, {{e, 1}}};
}

Factors factorsOf(const Part& addend) {
    if (addend.expr->kind == Kind::Product) return {addend.n, addend.expr->parts};
    return {addend.n, {{addend.expr, 1}}};
}

/// a / b if every factor of b is in a.
std::optional<SymInt> divideExactly(Factors a, const Factors& b) {
    if (b.coefficient == 0 || b.coefficient == -1 || a.coefficient % b.coefficient != 0) return std::nullopt;
    for (const Part& f : b.parts) {
        const auto at = std::find_if(a.parts.begin(), a.parts.end(), [&](const Part& p) { return p.expr->tree == f.expr->tree; });
        if (at == a.parts.end() || at->n < f.n) return std::nullopt;
        at->n -= f.n;
    }
    std::erase_if(a.parts, [](const Part& p) { return p.n == 0; });
    return SymBuild::product(a.coefficient / b.coefficient, std::move(a.parts));
}

/// The greatest common factor of all addends of `a` and of `b`.
Factors commonFactor(const SymAddends& a, const Factors& b) {
    Factors common;
    std::uint64_t g = b.coefficient < 0 ? 0 - std::uint64_t(b.coefficient) : std::uint64_t(b.coefficient);
    const auto meet = [&](std::int64_t n) { g = std::gcd(g, n < 0 ? 0 - std::uint64_t(n) : std::uint64_t(n)); };
    meet(a.constant);
    for (const Part& p : a.parts) meet(p.n);
    common.coefficient = g > 0 && g <= std::uint64_t(std::numeric_limits<std::int64_t>::max()) ? std::int64_t(g) : 1;
    if (a.constant != 0) return common;
    for (const Part& f : b.parts) {
        std::int64_t power = f.n;
        for (const Part& p : a.parts) {
            const Factors own = factorsOf(p);
            const auto at = std::find_if(own.parts.begin(), own.parts.end(), [&](const Part& q) { return q.expr->tree == f.expr->tree; });
            power = std::min(power, at == own.parts.end() ? 0 : at->n);
        }
        if (power > 0) common.parts.push_back({f.expr, power});
    }
    return common;
}

SymInt divideAll(const SymAddends& a, const Factors& by) {
    SymInt sum(by.parts.empty() ? a.constant / by.coefficient : 0);
    for (const Part& p : a.parts) {
        const auto q = divideExactly(factorsOf(p), by);
        sum = sum + (q ? *q : SymInt(0));
    }
    return sum;
}

/// Splits the addends of `a` into quotients by `b` and the rest.
std::pair<SymInt, SymInt> splitDivisible(const SymInt& a, const Factors& b) {
    const SymAddends addends = symAddends(a);
    SymInt quotient(0);
    std::vector<Part> rest;
    std::int64_t constant = addends.constant;
    if (constant != 0 && b.parts.empty() && b.coefficient != -1 && constant % b.coefficient == 0) {
        quotient = SymInt(constant / b.coefficient);
        constant = 0;
    }
    for (const Part& p : addends.parts) {
        if (const auto q = p.expr->integral ? divideExactly(factorsOf(p), b) : std::nullopt)
            quotient = quotient + *q;
        else
            rest.push_back(p);
    }
    return {quotient, SymBuild::sum(constant, std::move(rest))};
}

/// `FloorDiv(a, b)` as a term. With a constant divisor the constant of `a` is reduced in the polynomial, so that (s0 + 3)//2 and (s0 + 1)//2 + 1
/// meet.
SymInt floorDivTerm(const SymInt& a, const SymInt& b) {
    SymInt term = SymBuild::call("FloorDiv"_n, {a, b});
    const auto k = b.constant();
    const std::int64_t c = symAddends(a).constant;
    if (!k || *k < 2 || (c >= 0 && c < *k)) return term;
    const std::int64_t q = *floorDivide(c, *k);
    std::int64_t whole = 0;
    if (__builtin_mul_overflow(q, *k, &whole)) return term;
    const SymInt reduced = SymBuild::call("FloorDiv"_n, {a - SymInt(whole), b});
    const auto poly = addPoly(symPoly(reduced), symPoly(SymInt(q)), 1);
    const auto e = SymExpr::of(term);
    if (!poly || !e || e->kind != Kind::Call) return term;
    auto copy = std::make_shared<SymExpr>(*e);
    copy->poly = poly;
    copy->canon = SymExpr::of(reduced + SymInt(q))->canon;
    return SymExpr::wrap(std::move(copy));
}

SymInt extremum(Name function, const SymInt& a, const SymInt& b) {
    const bool isMax = function == "Max";
    std::vector<SymInt> args;
    std::optional<std::int64_t> constant;
    const auto take = [&](const SymInt& s) {
        if (const auto c = s.constant())
            constant = !constant ? *c : isMax ? std::max(*constant, *c) : std::min(*constant, *c);
        else if (std::find(args.begin(), args.end(), s) == args.end())
            args.push_back(s);
    };
    for (const SymInt* s : {&a, &b}) {
        const auto e = SymExpr::of(*s);
        if (e && e->kind == Kind::Call && e->name == function)
            for (const SymInt& x : e->args) take(x);
        else
            take(*s);
    }
    // Two arguments that differ by a constant: one of them never counts.
    constexpr std::size_t pairLimit = 16;
    for (std::size_t i = 0; args.size() <= pairLimit && i < args.size(); ++i)
        for (std::size_t j = args.size(); j-- > i + 1;) {
            const auto d = (args[j] - args[i]).constant();
            if (!d) continue;
            if ((*d > 0) == isMax) std::swap(args[i], args[j]);
            args.erase(args.begin() + std::ptrdiff_t(j));
        }
    if (constant) args.insert(args.begin(), SymInt(*constant));
    if (args.size() == 1) return args[0];
    return SymBuild::call(function, std::move(args));
}

class Evaluator {
public:
    explicit Evaluator(const SymbolTable& table) : table_(table) {}

    std::optional<std::int64_t> value(const SymInt& s) {
        const auto e = SymExpr::of(s);
        if (!e) return SymExpr::constantOf(s);
        if (const auto it = seen_.find(e.get()); it != seen_.end()) return it->second;
        const auto v = compute(*e);
        seen_.emplace(e.get(), v);
        return v;
    }

private:
    using Number = std::optional<std::int64_t>;

    static Number product(Number a, Number b) {
        std::int64_t r = 0;
        if (!a || !b || __builtin_mul_overflow(*a, *b, &r)) return std::nullopt;
        return r;
    }
    static Number plus(Number a, Number b) {
        std::int64_t r = 0;
        if (!a || !b || __builtin_add_overflow(*a, *b, &r)) return std::nullopt;
        return r;
    }
    static Number power(Number base, std::int64_t n) {
        if (!base || n < 0) return std::nullopt;
        if (*base == 0 || *base == 1) return n == 0 ? 1 : *base;
        if (*base == -1) return n % 2 == 0 ? 1 : -1;
        Number r = 1;
        for (std::int64_t i = 0; i < n && r; ++i) r = product(r, base);
        return r;
    }

    Number compute(const SymExpr& e) {
        switch (e.kind) {
            case Kind::Symbol: {
                const auto it = table_.find(e.name);
                return it == table_.end() || !e.integral ? std::nullopt : it->second.hint;
            }
            case Kind::Opaque:
                return std::nullopt;
            case Kind::Sum: {
                Number r = e.number;
                for (const Part& p : e.parts) r = plus(r, product(p.n, value(SymExpr::wrap(p.expr))));
                return r;
            }
            case Kind::Product: {
                Number r = e.number;
                for (const Part& p : e.parts) r = product(r, power(value(SymExpr::wrap(p.expr)), p.n));
                return r;
            }
            case Kind::Call:
                return call(e);
        }
        return std::nullopt;
    }

    Number call(const SymExpr& e) {
        std::vector<std::int64_t> v;
        for (const SymInt& a : e.args) {
            const Number x = value(a);
            if (!x) return std::nullopt;
            v.push_back(*x);
        }
        if (v.empty()) return std::nullopt;
        const std::string_view f = e.name.view();
        if (f == "Max") return *std::max_element(v.begin(), v.end());
        if (f == "Min") return *std::min_element(v.begin(), v.end());
        if (f == "Abs" && v.size() == 1 && v[0] != smallest) return v[0] < 0 ? -v[0] : v[0];
        if (f == "~" && v.size() == 1) return ~v[0];
        if ((f == "FloorToInt" || f == "CeilToInt" || f == "TruncToInt" || f == "RoundToInt") && v.size() == 1) return v[0];
        if (v.size() != 2) return std::nullopt;
        if (f == "FloorDiv") return floorDivide(v[0], v[1]);
        if (f == "Mod") return floorModulo(v[0], v[1]);
        if (f == "/") return floorModulo(v[0], v[1]) == Number(0) ? floorDivide(v[0], v[1]) : std::nullopt;
        if (f == "**" || f == "PowByNatural") return power(v[0], v[1]);
        if (f == "LShift" && v[1] >= 0 && v[1] < 63) return product(v[0], std::int64_t(1) << v[1]);
        if (f == "RShift" && v[1] >= 0 && v[1] < 64) return v[0] >> v[1];
        return std::nullopt;
    }

    const SymbolTable& table_;
    std::unordered_map<const SymExpr*, Number> seen_;
};

void collectSymbols(const SymInt& s, std::unordered_set<const SymExpr*>& seen, std::vector<Name>& out) {
    const auto e = SymExpr::of(s);
    if (!e || !seen.insert(e.get()).second) return;
    if (e->kind == Kind::Symbol && std::find(out.begin(), out.end(), e->name) == out.end()) out.push_back(e->name);
    for (const SymInt& a : e->args) collectSymbols(a, seen, out);
    for (const Part& p : e->parts) collectSymbols(SymExpr::wrap(p.expr), seen, out);
}

}  // namespace

SymInt SymInt::symbol(Name name) { return SymBuild::symbol(name); }
SymInt SymInt::opaque(std::string_view text) { return SymBuild::opaque(text); }

std::string SymInt::str() const { return expr_ && !expr_->text.empty() ? expr_->text : printSym(*this); }

std::vector<Name> SymInt::symbols() const {
    std::unordered_set<const SymExpr*> seen;
    std::vector<Name> out;
    collectSymbols(*this, seen, out);
    return out;
}

std::optional<std::int64_t> SymInt::evaluate(const SymbolTable& table) const { return Evaluator(table).value(*this); }

std::uint64_t SymInt::hash() const {
    if (expr_) return expr_->canon[1];
    return symKey({reinterpret_cast<const char*>(&value_), sizeof value_})[1];
}

bool SymInt::isOpaque() const { return expr_ && !expr_->integral; }

SymInt floorDiv(const SymInt& a, const SymInt& b) {
    if (b == SymInt(1)) return a;
    if (b == SymInt(0)) return SymBuild::call("FloorDiv"_n, {a, b});
    if (a == SymInt(0)) return 0;
    if (a.isConst() && b.isConst()) {
        if (const auto q = floorDivide(a.value_, b.value_)) return SymInt(*q);
        return SymBuild::call("FloorDiv"_n, {a, b});
    }
    if (!isIntegral(a) || !isIntegral(b)) return SymBuild::call("FloorDiv"_n, {a, b});
    if (a == b) return 1;
    if (const auto e = a.expr_; e && e->kind == Kind::Call && e->name == "FloorDiv" && b.isConst() && b.value_ > 0)
        if (const auto inner = e->args[1].constant(); inner && *inner != 0) {
            const SymInt both = e->args[1] * b;
            if (both.isConst()) return floorDiv(e->args[0], both);
        }
    const auto [quotient, rest] = splitDivisible(a, factorsOf(b));
    if (!(quotient == SymInt(0))) return quotient + floorDiv(rest, b);

    const SymAddends addends = symAddends(a);
    const Factors common = commonFactor(addends, factorsOf(b));
    if (common.coefficient != 1 || !common.parts.empty()) {
        const auto divisor = divideExactly(factorsOf(b), common);
        if (divisor && !(*divisor == b)) return floorDiv(divideAll(addends, common), *divisor);
    }
    return floorDivTerm(a, b);
}

SymInt mod(const SymInt& a, const SymInt& b) {
    if (b == SymInt(0)) return SymBuild::call("Mod"_n, {a, b});
    if (b == SymInt(1) || b == SymInt(-1) || a == SymInt(0)) return 0;
    if (a.isConst() && b.isConst()) return SymInt(*floorModulo(a.value_, b.value_));
    if (!isIntegral(a) || !isIntegral(b)) return SymBuild::call("Mod"_n, {a, b});
    if (a == b) return 0;
    if (splitDivisible(a, factorsOf(b)).second == SymInt(0)) return 0;
    return SymBuild::call("Mod"_n, {a, b});
}

SymInt min(const SymInt& a, const SymInt& b) { return extremum("Min"_n, a, b); }
SymInt max(const SymInt& a, const SymInt& b) { return extremum("Max"_n, a, b); }

Tri knownEqual(const SymInt& a, const SymInt& b) {
    if (a == b) return Tri::Yes;
    const auto d = (a - b).constant();
    if (d) return *d == 0 ? Tri::Yes : Tri::No;
    return Tri::Unknown;
}

}  // namespace aliascope
