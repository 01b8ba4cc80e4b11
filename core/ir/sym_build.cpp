// Normal forms of symbolic integers: trees as sympy keeps them, and the polynomials by which they are compared.

#include <xxhash.h>

#include <algorithm>

#include "core/ir/sym_expr.h"

namespace aliascope {
namespace {

constexpr std::size_t maxParts = 256;
constexpr std::size_t maxMonomials = 1024;
constexpr std::uint32_t maxDepth = 1000;
constexpr std::uint32_t maxPower = 4096;

/// Bytes of a node for hashing.
class KeyWriter {
public:
    explicit KeyWriter(char tag) { bytes_.push_back(tag); }
    void add(std::string_view s) {
        add(static_cast<std::int64_t>(s.size()));
        bytes_.append(s);
    }
    void add(std::int64_t v) { bytes_.append(reinterpret_cast<const char*>(&v), sizeof v); }
    void add(const SymKey& k) {
        add(static_cast<std::int64_t>(k[0]));
        add(static_cast<std::int64_t>(k[1]));
    }
    SymKey key() const { return symKey(bytes_); }

private:
    std::string bytes_;
};

SymKey treeKeyOf(const SymInt& s) {
    if (auto e = SymExpr::of(s)) return e->tree;
    KeyWriter w('K');
    w.add(SymExpr::constantOf(s));
    return w.key();
}

SymKey canonKeyOf(const SymInt& s) {
    if (auto e = SymExpr::of(s)) return e->canon;
    return treeKeyOf(s);
}

int compareTerms(const SymMonomial& a, const SymMonomial& b) {
    const std::size_t n = std::min(a.terms.size(), b.terms.size());
    for (std::size_t i = 0; i < n; ++i) {
        const auto& [ea, pa] = a.terms[i];
        const auto& [eb, pb] = b.terms[i];
        if (ea->canon != eb->canon) return ea->canon < eb->canon ? -1 : 1;
        if (pa != pb) return pa < pb ? -1 : 1;
    }
    if (a.terms.size() == b.terms.size()) return 0;
    return a.terms.size() < b.terms.size() ? -1 : 1;
}

/// Sorts and adds up equal terms; false on overflow.
bool normalize(SymPoly& p) {
    std::sort(p.begin(), p.end(), [](const SymMonomial& a, const SymMonomial& b) { return compareTerms(a, b) < 0; });
    std::size_t out = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (out > 0 && compareTerms(p[out - 1], p[i]) == 0) {
            if (__builtin_add_overflow(p[out - 1].coefficient, p[i].coefficient, &p[out - 1].coefficient)) return false;
        } else {
            if (out != i) p[out] = std::move(p[i]);
            ++out;
        }
    }
    p.resize(out);
    std::erase_if(p, [](const SymMonomial& m) { return m.coefficient == 0; });
    return p.size() <= maxMonomials;
}

SymKey keyOfPoly(const SymPoly& p) {
    KeyWriter w('P');
    for (const SymMonomial& m : p) {
        w.add(m.coefficient);
        w.add(static_cast<std::int64_t>(m.terms.size()));
        for (const auto& [e, power] : m.terms) {
            w.add(e->canon);
            w.add(static_cast<std::int64_t>(power));
        }
    }
    return w.key();
}

/// A polynomial of one bare term has the key of that term, so that a node and a computed copy of it meet.
SymKey canonOfPoly(const SymPoly& p) {
    if (p.size() == 1 && p[0].coefficient == 1 && p[0].terms.size() == 1 && p[0].terms[0].second == 1) return p[0].terms[0].first->canon;
    return keyOfPoly(p);
}

bool commutes(std::string_view function) { return function == "Max" || function == "Min"; }

/// Functions with an integer result for integer arguments.
bool integralFunction(std::string_view f) {
    static constexpr std::string_view names[] = {"FloorDiv",   "Mod",        "Max",    "Min",    "Abs",          "FloorToInt", "CeilToInt",
                                                 "TruncToInt", "RoundToInt", "LShift", "RShift", "PowByNatural", "Identity",   "~"};
    return std::find(std::begin(names), std::end(names), f) != std::end(names);
}

SymInt finish(std::shared_ptr<SymExpr> e) {
    if (!e->poly) return SymExpr::wrap(std::move(e));
    const SymPoly& p = *e->poly;
    if (p.empty()) return SymInt(0);
    if (p.size() == 1 && p[0].terms.empty()) return SymInt(p[0].coefficient);
    e->canon = canonOfPoly(p);
    return SymExpr::wrap(std::move(e));
}

/// A sum or product beyond the caps: comparable by its text only.
SymInt tooLarge(const SymExpr& e) {
    KeyWriter w('T');
    w.add(e.tree);
    const SymKey key = w.key();
    auto shared = std::make_shared<SymExpr>(e);
    shared->depth = 1;
    const std::string text = printSym(SymExpr::wrap(shared), 200);
    return SymBuild::opaque(text + "#" + std::to_string(key[0]));
}

std::uint32_t depthOf(const std::vector<SymExpr::Part>& parts) {
    std::uint32_t d = 0;
    for (const auto& p : parts) d = std::max(d, p.expr->depth);
    return d + 1;
}

/// Adds up equal expressions; false on overflow.
bool mergeParts(std::vector<SymExpr::Part>& parts) {
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.expr->tree < b.expr->tree; });
    std::size_t out = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (out > 0 && parts[out - 1].expr->tree == parts[i].expr->tree) {
            if (__builtin_add_overflow(parts[out - 1].n, parts[i].n, &parts[out - 1].n)) return false;
        } else {
            if (out != i) parts[out] = std::move(parts[i]);
            ++out;
        }
    }
    parts.resize(out);
    std::erase_if(parts, [](const auto& p) { return p.n == 0; });
    return true;
}

SymKey treeKey(const SymExpr& e) {
    KeyWriter w(e.kind == SymExpr::Kind::Sum ? '+' : '*');
    w.add(e.number);
    // Order by key, not by print order: the key must not depend on how ties in the print order fall.
    std::vector<std::pair<SymKey, std::int64_t>> keys;
    for (const auto& p : e.parts) keys.emplace_back(p.expr->tree, p.n);
    std::sort(keys.begin(), keys.end());
    for (const auto& [k, n] : keys) {
        w.add(k);
        w.add(n);
    }
    return w.key();
}

std::optional<SymPoly> polyOfSum(const SymExpr& e) {
    SymPoly p;
    if (e.number != 0) p.push_back({e.number, {}});
    for (const auto& part : e.parts)
        for (SymMonomial m : symPoly(part.expr)) {
            if (__builtin_mul_overflow(m.coefficient, part.n, &m.coefficient)) return std::nullopt;
            p.push_back(std::move(m));
            if (p.size() > 2 * maxMonomials && !normalize(p)) return std::nullopt;
        }
    if (!normalize(p)) return std::nullopt;
    return p;
}

std::optional<SymPoly> polyOfProduct(const SymExpr& e) {
    SymPoly p{{e.number, {}}};
    for (const auto& part : e.parts) {
        SymPoly f = symPoly(part.expr);
        if (f.size() == 1 && f[0].coefficient == 1) {
            for (auto& [term, power] : f[0].terms) {
                if (power * part.n > maxPower) return std::nullopt;
                power = static_cast<std::uint32_t>(power * part.n);
            }
            auto next = mulPoly(p, f);
            if (!next) return std::nullopt;
            p = std::move(*next);
            continue;
        }
        for (std::int64_t i = 0; i < part.n; ++i) {
            auto next = mulPoly(p, f);
            if (!next) return std::nullopt;
            p = std::move(*next);
        }
    }
    return p;
}

/// `e` without its coefficient, which goes to `n`; false on overflow.
bool takeCoefficient(SymExpr::Part& part) {
    if (part.expr->kind != SymExpr::Kind::Product || part.expr->number == 1) return true;
    if (__builtin_mul_overflow(part.n, part.expr->number, &part.n)) return false;
    part.expr = SymExpr::of(SymBuild::product(1, part.expr->parts));
    return true;
}

SymInt overflowed(const SymInt& a, std::string_view op, const SymInt& b) {
    return SymBuild::opaque(printSym(a, 200) + std::string(op) + printSym(b, 200));
}

}  // namespace

SymKey symKey(std::string_view bytes) {
    const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
    return {h.high64, h.low64};
}

SymPoly symPoly(const SymExprPtr& e) {
    if (e->poly) return *e->poly;
    return {{1, {{e, 1}}}};
}

SymPoly symPoly(const SymInt& s) {
    if (auto e = SymExpr::of(s)) return symPoly(e);
    const std::int64_t c = SymExpr::constantOf(s);
    return c == 0 ? SymPoly{} : SymPoly{{c, {}}};
}

std::optional<SymPoly> addPoly(const SymPoly& a, const SymPoly& b, std::int64_t factor) {
    SymPoly p = a;
    p.reserve(a.size() + b.size());
    for (SymMonomial m : b) {
        if (__builtin_mul_overflow(m.coefficient, factor, &m.coefficient)) return std::nullopt;
        p.push_back(std::move(m));
    }
    if (!normalize(p)) return std::nullopt;
    return p;
}

std::optional<SymPoly> mulPoly(const SymPoly& a, const SymPoly& b) {
    if (a.size() * b.size() > maxMonomials) return std::nullopt;
    SymPoly p;
    p.reserve(a.size() * b.size());
    for (const SymMonomial& x : a)
        for (const SymMonomial& y : b) {
            SymMonomial m;
            if (__builtin_mul_overflow(x.coefficient, y.coefficient, &m.coefficient)) return std::nullopt;
            m.terms = x.terms;
            for (const auto& [e, power] : y.terms) {
                auto at =
                    std::lower_bound(m.terms.begin(), m.terms.end(), e, [](const auto& t, const SymExprPtr& k) { return t.first->canon < k->canon; });
                if (at != m.terms.end() && at->first->canon == e->canon) {
                    if (at->second + power > maxPower) return std::nullopt;
                    at->second += power;
                } else {
                    m.terms.insert(at, {e, power});
                }
            }
            if (m.terms.size() > maxParts) return std::nullopt;
            p.push_back(std::move(m));
        }
    if (!normalize(p)) return std::nullopt;
    return p;
}

SymInt SymBuild::symbol(Name name) {
    auto e = std::make_shared<SymExpr>();
    e->kind = SymExpr::Kind::Symbol;
    e->name = name;
    e->integral = !name.view().starts_with("zf") && !name.view().starts_with("zuf");
    KeyWriter w('S');
    w.add(name.view());
    e->tree = e->canon = w.key();
    return SymExpr::wrap(std::move(e));
}

SymInt SymBuild::opaque(std::string_view text) {
    auto e = std::make_shared<SymExpr>();
    e->kind = SymExpr::Kind::Opaque;
    e->name = Name(text);
    e->integral = false;
    KeyWriter w('O');
    w.add(text);
    e->tree = e->canon = w.key();
    return SymExpr::wrap(std::move(e));
}

SymInt SymBuild::call(Name name, std::vector<SymInt> args) {
    auto e = std::make_shared<SymExpr>();
    e->kind = SymExpr::Kind::Call;
    e->name = name;
    e->integral = integralFunction(name.view());
    KeyWriter tree('C'), canon('C');
    tree.add(name.view());
    canon.add(name.view());
    std::vector<SymKey> treeKeys, canonKeys;
    for (const SymInt& a : args) {
        treeKeys.push_back(treeKeyOf(a));
        canonKeys.push_back(canonKeyOf(a));
        if (auto x = SymExpr::of(a)) {
            e->depth = std::max(e->depth, x->depth + 1);
            e->integral = e->integral && x->integral;
        }
    }
    if (commutes(name.view())) {
        std::sort(treeKeys.begin(), treeKeys.end());
        std::sort(canonKeys.begin(), canonKeys.end());
    }
    for (const SymKey& k : treeKeys) tree.add(k);
    for (const SymKey& k : canonKeys) canon.add(k);
    e->tree = tree.key();
    e->canon = canon.key();
    e->args = std::move(args);
    if (e->depth > maxDepth || e->args.size() > maxParts) return tooLarge(*e);
    if (commutes(name.view()))
        std::stable_sort(e->args.begin(), e->args.end(), [](const SymInt& a, const SymInt& b) {
            const auto x = SymExpr::of(a), y = SymExpr::of(b);
            if (!x || !y) return !x && (y || SymExpr::constantOf(a) < SymExpr::constantOf(b));
            return compareForPrint(x, y) < 0;
        });
    return SymExpr::wrap(std::move(e));
}

SymInt SymBuild::sum(std::int64_t constant, std::vector<SymExpr::Part> parts) {
    auto e = std::make_shared<SymExpr>();
    e->kind = SymExpr::Kind::Sum;
    e->number = constant;
    bool fits = true;
    for (auto& p : parts) fits = fits && takeCoefficient(p);
    if (!fits || !mergeParts(parts)) {
        e->parts = std::move(parts);
        e->tree = treeKey(*e);
        return tooLarge(*e);
    }
    if (parts.empty()) return SymInt(constant);
    if (constant == 0 && parts.size() == 1) {
        if (parts[0].n == 1) return SymExpr::wrap(parts[0].expr);
        const SymExprPtr only = parts[0].expr;
        if (only->kind == SymExpr::Kind::Product) return product(parts[0].n, only->parts);
        return product(parts[0].n, {{only, 1}});
    }
    e->parts = std::move(parts);
    e->depth = depthOf(e->parts);
    e->integral = std::all_of(e->parts.begin(), e->parts.end(), [](const auto& p) { return p.expr->integral; });
    e->tree = treeKey(*e);
    if (e->depth > maxDepth || e->parts.size() > maxParts) return tooLarge(*e);
    sortAddends(e->parts);
    e->poly = polyOfSum(*e);
    if (!e->poly) e->canon = e->tree;
    return finish(std::move(e));
}

SymInt SymBuild::product(std::int64_t coefficient, std::vector<SymExpr::Part> factors) {
    if (coefficient == 0) return SymInt(0);
    auto e = std::make_shared<SymExpr>();
    e->kind = SymExpr::Kind::Product;
    e->number = coefficient;
    if (!mergeParts(factors)) {
        e->parts = std::move(factors);
        e->tree = treeKey(*e);
        return tooLarge(*e);
    }
    if (factors.empty()) return SymInt(coefficient);
    if (factors.size() == 1 && factors[0].n == 1) {
        const SymExprPtr only = factors[0].expr;
        if (coefficient == 1) return SymExpr::wrap(only);
        if (only->kind == SymExpr::Kind::Sum) {  // sympy multiplies a number into a lone sum, and nothing else
            std::vector<SymExpr::Part> parts = only->parts;
            std::int64_t constant = 0;
            bool fits = !__builtin_mul_overflow(only->number, coefficient, &constant);
            for (auto& p : parts) fits = fits && !__builtin_mul_overflow(p.n, coefficient, &p.n);
            if (fits) return sum(constant, std::move(parts));
        }
    }
    e->parts = std::move(factors);
    std::sort(e->parts.begin(), e->parts.end(), [](const auto& a, const auto& b) {
        const int c = compareForPrint(a.expr, b.expr);
        return c != 0 ? c < 0 : a.n < b.n;
    });
    e->depth = depthOf(e->parts);
    e->integral = std::all_of(e->parts.begin(), e->parts.end(), [](const auto& p) { return p.expr->integral && p.n > 0; });
    e->tree = treeKey(*e);
    const bool negative = std::any_of(e->parts.begin(), e->parts.end(), [](const auto& p) { return p.n < 0 || p.n > maxPower; });
    if (negative || e->depth > maxDepth || e->parts.size() > maxParts) return tooLarge(*e);
    e->poly = polyOfProduct(*e);
    if (!e->poly) e->canon = e->tree;
    return finish(std::move(e));
}

SymInt SymBuild::power(const SymInt& base, std::uint32_t exponent) {
    if (exponent == 0) return SymInt(1);
    const auto e = SymExpr::of(base);
    if (!e) {
        SymInt r(1);
        for (std::uint32_t i = 0; i < exponent; ++i) {
            r = r * base;
            if (!r.isConst()) return call("**"_n, {base, SymInt(exponent)});
            if (r == SymInt(0) || r == SymInt(1)) return r;
        }
        return r;
    }
    if (exponent > maxPower) return call("**"_n, {base, SymInt(exponent)});
    if (e->kind == SymExpr::Kind::Product) {
        std::vector<SymExpr::Part> factors = e->parts;
        for (auto& f : factors)
            if (__builtin_mul_overflow(f.n, std::int64_t(exponent), &f.n)) return call("**"_n, {base, SymInt(exponent)});
        const SymInt c = power(SymInt(e->number), exponent);
        if (!c.isConst()) return call("**"_n, {base, SymInt(exponent)});
        return product(*c.constant(), std::move(factors));
    }
    return product(1, {{e, exponent}});
}

SymInt SymBuild::withText(const SymInt& s, std::string_view text) {
    const auto e = SymExpr::of(s);
    if (!e || printSym(s) == text) return s;
    auto copy = std::make_shared<SymExpr>(*e);
    if (!copy->poly) copy->poly = symPoly(e);  // the term stays the node without text
    copy->text = std::string(text);
    return SymExpr::wrap(std::move(copy));
}

SymAddends symAddends(const SymInt& s) {
    const auto e = SymExpr::of(s);
    if (!e) return {SymExpr::constantOf(s), {}};
    if (e->kind == SymExpr::Kind::Sum) return {e->number, e->parts};
    SymExpr::Part whole{e, 1};
    takeCoefficient(whole);
    return {0, {std::move(whole)}};
}

SymInt operator+(const SymInt& a, const SymInt& b) {
    std::int64_t r = 0;
    if (a.isConst() && b.isConst()) {
        if (!__builtin_add_overflow(a.value_, b.value_, &r)) return SymInt(r);
        return overflowed(a, " + ", b);
    }
    SymAddends x = symAddends(a), y = symAddends(b);
    if (__builtin_add_overflow(x.constant, y.constant, &r)) return overflowed(a, " + ", b);
    x.parts.insert(x.parts.end(), y.parts.begin(), y.parts.end());
    return SymBuild::sum(r, std::move(x.parts));
}

SymInt operator-(const SymInt& a, const SymInt& b) {
    std::int64_t r = 0;
    if (a.isConst() && b.isConst()) {
        if (!__builtin_sub_overflow(a.value_, b.value_, &r)) return SymInt(r);
        return overflowed(a, " - ", b);
    }
    return a + SymInt(-1) * b;
}

SymInt operator*(const SymInt& a, const SymInt& b) {
    std::int64_t r = 0;
    if (a.isConst() && b.isConst()) {
        if (!__builtin_mul_overflow(a.value_, b.value_, &r)) return SymInt(r);
        return overflowed(a, "*", b);
    }
    std::int64_t coefficient = 1;
    std::vector<SymExpr::Part> factors;
    for (const SymInt* s : {&a, &b}) {
        const auto& e = s->expr_;
        const std::int64_t c = !e ? s->value_ : e->kind == SymExpr::Kind::Product ? e->number : 1;
        if (__builtin_mul_overflow(coefficient, c, &coefficient)) return overflowed(a, "*", b);
        if (!e) continue;
        if (e->kind == SymExpr::Kind::Product)
            factors.insert(factors.end(), e->parts.begin(), e->parts.end());
        else
            factors.push_back({e, 1});
    }
    return SymBuild::product(coefficient, std::move(factors));
}

bool operator==(const SymInt& a, const SymInt& b) {
    if (a.isConst() || b.isConst()) return a.isConst() && b.isConst() && a.value_ == b.value_;
    return a.expr_ == b.expr_ || a.expr_->canon == b.expr_->canon;
}

}  // namespace aliascope
