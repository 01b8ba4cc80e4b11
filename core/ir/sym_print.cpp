// Text of symbolic integers, as PyTorch prints them: sympy's string printer with PyTorch's own forms of FloorDiv and its precedences.

#include <algorithm>

#include "core/ir/sym_expr.h"

namespace aliascope {
namespace {

using Kind = SymExpr::Kind;
using Part = SymExpr::Part;

// sympy's precedences; FloorDiv, Mod, … of PyTorch bind looser than a sum, which is why they print in double parentheses there.
enum Precedence : int { PrecFloorDiv = 35, PrecAdd = 40, PrecMul = 50, PrecPow = 60, PrecFunction = 70, PrecAtom = 1000 };

bool looseFunction(std::string_view f) {
    return f == "FloorDiv" || f == "Mod" || f == "PythonMod" || f == "ModularIndexing" || f == "Where" || f == "IntTrueDiv" || f == "FloatTrueDiv";
}

int precedence(const SymInt& s) {
    const auto e = SymExpr::of(s);
    if (!e) return SymExpr::constantOf(s) < 0 ? PrecAdd : PrecAtom;
    switch (e->kind) {
        case Kind::Symbol:
            return PrecAtom;
        case Kind::Opaque:
            return e->name.view().find_first_of(" +-*/<>=&|") == std::string_view::npos ? PrecAtom : 0;
        case Kind::Sum:
            return PrecAdd;
        case Kind::Product:
            if (e->number < 0) return PrecAdd;
            return e->number == 1 && e->parts.size() == 1 ? PrecPow : PrecMul;
        case Kind::Call:
            if (looseFunction(e->name.view())) return PrecFloorDiv;
            if (e->name == "/") return PrecMul;
            if (e->name == "**") return PrecPow;
            if (e->name == "~") return PrecAdd;
            return e->name == "Max" || e->name == "Min" ? PrecAtom : PrecFunction;
    }
    return PrecAtom;
}

/// sympy's one exception in the order of a sum: `5 - s0`, not `-s0 + 5`.
bool numberFirst(const SymExpr& sum) {
    if (sum.parts.size() != 1 || sum.number <= 0 || sum.parts[0].n >= 0) return false;
    return sum.parts[0].expr->kind != Kind::Product || sum.parts[0].expr->parts.size() == 1;
}

class Printer {
public:
    explicit Printer(std::size_t budget) : budget_(budget) {}
    std::string take() { return std::move(out_); }

    void print(const SymInt& s) {
        if (out_.size() > budget_) {
            if (!out_.ends_with("…")) out_ += "…";
            return;
        }
        const auto e = SymExpr::of(s);
        if (!e) {
            out_ += std::to_string(SymExpr::constantOf(s));
            return;
        }
        switch (e->kind) {
            case Kind::Symbol:
            case Kind::Opaque:
                out_ += e->name.view();
                break;
            case Kind::Call:
                printCall(*e);
                break;
            case Kind::Sum:
                printSum(*e);
                break;
            case Kind::Product:
                printProduct(e->number, e->parts);
                break;
        }
    }

private:
    /// In parentheses unless it binds tighter than `level`.
    void printTighter(const SymInt& s, int level) {
        const bool wrap = precedence(s) <= level;
        if (wrap) out_ += '(';
        print(s);
        if (wrap) out_ += ')';
    }

    void printCall(const SymExpr& e) {
        const std::string_view f = e.name.view();
        if (f == "FloorDiv" && e.args.size() == 2) {
            out_ += '(';
            printTighter(e.args[0], PrecAtom - 1);
            out_ += "//";
            printTighter(e.args[1], PrecAtom - 1);
            out_ += ')';
        } else if ((f == "/" || f == "**") && e.args.size() == 2) {
            printTighter(e.args[0], f == "/" ? PrecMul - 1 : PrecPow);
            out_ += f;
            printTighter(e.args[1], f == "/" ? PrecMul : PrecPow);
        } else if (f == "~" && e.args.size() == 1) {
            out_ += '~';
            printTighter(e.args[0], PrecFunction);
        } else {
            out_ += f;
            out_ += '(';
            for (std::size_t i = 0; i < e.args.size(); ++i) {
                if (i > 0) out_ += ", ";
                print(e.args[i]);
            }
            out_ += ')';
        }
    }

    void printSum(const SymExpr& e) {
        bool first = true;
        if (numberFirst(e)) {
            out_ += std::to_string(e.number);
            first = false;
        }
        const auto sign = [&](bool negative) {
            if (first)
                out_ += negative ? "-" : "";
            else
                out_ += negative ? " - " : " + ";
            first = false;
        };
        for (const Part& p : e.parts) {
            sign(p.n < 0);
            const std::vector<Part> factors = p.expr->kind == Kind::Product ? p.expr->parts : std::vector<Part>{{p.expr, 1}};
            if (p.n == 1 || p.n == -1) {
                const bool wrap = precedence(SymExpr::wrap(p.expr)) < PrecAdd || (p.n == -1 && precedence(SymExpr::wrap(p.expr)) <= PrecAdd);
                if (wrap) out_ += '(';
                print(SymExpr::wrap(p.expr));
                if (wrap) out_ += ')';
            } else {
                out_ += absoluteText(p.n);
                out_ += '*';
                printFactors(factors);
            }
        }
        if (e.number != 0 && !numberFirst(e)) {
            sign(e.number < 0);
            out_ += absoluteText(e.number);
        }
    }

    void printProduct(std::int64_t coefficient, const std::vector<Part>& factors) {
        if (coefficient == 1 && factors.size() == 1) {
            printFactor(factors[0], PrecAdd);
            return;
        }
        if (coefficient < 0) out_ += '-';
        if (coefficient != 1 && coefficient != -1) {
            out_ += absoluteText(coefficient);
            out_ += '*';
        }
        printFactors(factors);
    }

    void printFactors(const std::vector<Part>& factors) {
        for (std::size_t i = 0; i < factors.size(); ++i) {
            if (i > 0) out_ += '*';
            printFactor(factors[i], PrecMul);
        }
    }

    void printFactor(const Part& f, int level) {
        printTighter(SymExpr::wrap(f.expr), f.n == 1 ? level : PrecPow);
        if (f.n != 1) out_ += "**" + std::to_string(f.n);
    }

    /// |n|, right for the smallest int64 too.
    static std::string absoluteText(std::int64_t n) {
        std::string t = std::to_string(n);
        return n < 0 ? t.substr(1) : t;
    }

    std::string out_;
    std::size_t budget_;
};

template <class T>
int cmp(const T& a, const T& b) {
    return a < b ? -1 : (b < a ? 1 : 0);
}

/// sympy's class_key().
struct ClassKey {
    int group, place;
    std::string_view name;
};

ClassKey classKey(const SymExpr& e) {
    switch (e.kind) {
        case Kind::Symbol:
        case Kind::Opaque:
            return {2, 0, "Symbol"};
        case Kind::Product:
            return {3, 0, "Mul"};
        case Kind::Sum:
            return {3, 1, "Add"};
        case Kind::Call:
            break;
    }
    if (e.name == "Max" || e.name == "Min") return {5, 0, e.name.view()};
    if (e.name == "**") return {3, 2, "Pow"};
    return {4, 10000, e.name.view()};
}

/// A value as sort_key() sees it: coefficient * base ** exponent.
struct SortView {
    SymExprPtr base;  ///< null = a number
    std::int64_t exponent = 1, coefficient = 1;
    bool many = false;  ///< base is a product of several factors
};

SortView sortView(const SymExprPtr& e, std::int64_t n) {
    if (e->kind != Kind::Product) return {e, 1, n, false};
    if (e->parts.size() == 1) return {e->parts[0].expr, e->parts[0].n, n * e->number, false};
    return {e, 1, n * e->number, true};
}

/// Addends of a sum in print order.
std::vector<SortView> addendViews(const SymExpr& sum) {
    std::vector<SortView> out;
    for (const Part& p : sum.parts) out.push_back(sortView(p.expr, p.n));
    if (sum.number != 0) out.insert(numberFirst(sum) ? out.begin() : out.end(), {nullptr, 1, sum.number, false});
    return out;
}

int compareArgs(const SymInt& a, const SymInt& b);

int compareViews(const SortView& a, const SortView& b) {
    if (!a.base || !b.base) {
        if (a.base || b.base) return a.base ? 1 : -1;
        return cmp(a.coefficient, b.coefficient);
    }
    if (a.base->tree != b.base->tree) {
        const ClassKey x = classKey(*a.base), y = classKey(*b.base);
        if (int c = cmp(x.group, y.group)) return c;
        if (int c = cmp(x.place, y.place)) return c;
        if (int c = cmp(x.name, y.name)) return c;
        const SymExpr &p = *a.base, &q = *b.base;
        if (p.kind == Kind::Call) {
            if (int c = cmp(p.args.size(), q.args.size())) return c;
            for (std::size_t i = 0; i < p.args.size(); ++i)
                if (int c = compareArgs(p.args[i], q.args[i])) return c;
        } else if (p.kind == Kind::Sum) {
            const std::vector<SortView> x2 = addendViews(p), y2 = addendViews(q);
            if (int c = cmp(x2.size(), y2.size())) return c;
            for (std::size_t i = 0; i < x2.size(); ++i)
                if (int c = compareViews(x2[i], y2[i])) return c;
        } else if (p.kind == Kind::Product) {
            if (int c = cmp(p.parts.size(), q.parts.size())) return c;
            for (std::size_t i = 0; i < p.parts.size(); ++i) {
                SortView x2 = sortView(p.parts[i].expr, 1), y2 = sortView(q.parts[i].expr, 1);
                if (!x2.many) x2.exponent *= p.parts[i].n;
                if (!y2.many) y2.exponent *= q.parts[i].n;
                if (int c = compareViews(x2, y2)) return c;
            }
        } else if (int c = cmp(p.name.view(), q.name.view())) {
            return c;
        }
    }
    if (int c = cmp(a.exponent, b.exponent)) return c;
    return cmp(a.coefficient, b.coefficient);
}

int compareArgs(const SymInt& a, const SymInt& b) {
    const auto x = SymExpr::of(a), y = SymExpr::of(b);
    const SortView u = x ? sortView(x, 1) : SortView{nullptr, 1, SymExpr::constantOf(a), false};
    const SortView v = y ? sortView(y, 1) : SortView{nullptr, 1, SymExpr::constantOf(b), false};
    return compareViews(u, v);
}

}  // namespace

int compareForPrint(const SymExprPtr& a, const SymExprPtr& b) { return compareViews(sortView(a, 1), sortView(b, 1)); }

void sortAddends(std::vector<Part>& parts) {
    struct Less {
        bool operator()(const SymExprPtr& a, const SymExprPtr& b) const {
            const int c = compareForPrint(a, b);
            return c != 0 ? c < 0 : a->tree < b->tree;
        }
    };
    const auto factorsOf = [](const SymExprPtr& e) { return e->kind == Kind::Product ? e->parts : std::vector<Part>{{e, 1}}; };
    std::vector<SymExprPtr> bases;
    for (const Part& p : parts)
        for (const Part& f : factorsOf(p.expr)) bases.push_back(f.expr);
    std::sort(bases.begin(), bases.end(), Less());
    bases.erase(std::unique(bases.begin(), bases.end(), [](const auto& a, const auto& b) { return a->tree == b->tree; }), bases.end());

    // Exponents by rank of the base; equal ranks meet, a lower rank or a higher exponent comes first.
    struct Keyed {
        std::vector<std::pair<std::size_t, std::int64_t>> exponents;
        Part part;
    };
    std::vector<Keyed> keyed;
    keyed.reserve(parts.size());
    for (Part& p : parts) {
        Keyed k;
        for (const Part& f : factorsOf(p.expr))
            k.exponents.emplace_back(std::lower_bound(bases.begin(), bases.end(), f.expr, Less()) - bases.begin(), f.n);
        std::sort(k.exponents.begin(), k.exponents.end());
        k.part = std::move(p);
        keyed.push_back(std::move(k));
    }
    std::stable_sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
        for (std::size_t i = 0; i < a.exponents.size() && i < b.exponents.size(); ++i) {
            if (a.exponents[i].first != b.exponents[i].first) return a.exponents[i].first < b.exponents[i].first;
            if (a.exponents[i].second != b.exponents[i].second) return a.exponents[i].second > b.exponents[i].second;
        }
        return a.exponents.size() > b.exponents.size();
    });
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = std::move(keyed[i].part);
}

std::string printSym(const SymInt& s, std::size_t budget) {
    Printer p(budget);
    p.print(s);
    return p.take();
}

}  // namespace aliascope
