#pragma once
// Inside of SymInt (sym.h): the expression node. For the sym*.cpp files, and for readers of texts that are not spelled as PyTorch prints.
//
// A node has two faces. The tree keeps the shape that sympy would keep (a product with a sum as a factor is not multiplied out), because
// that is what PyTorch prints. The polynomial is the multiplied-out canonical form over opaque terms, by which values are compared.
// Sizes are capped, so that hostile text can neither recurse nor grow without bound: beyond the caps a node is an opaque term.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/sym.h"

namespace aliascope {

using SymExprPtr = std::shared_ptr<const SymExpr>;
/// 128-bit content hash; equal keys are taken as equal contents.
using SymKey = std::array<std::uint64_t, 2>;

/// Product of terms with their powers, times `coefficient`; terms sorted by canonical key.
struct SymMonomial {
    std::int64_t coefficient = 0;
    std::vector<std::pair<SymExprPtr, std::uint32_t>> terms;
};
/// Sorted by terms, no zero coefficients, no equal term lists.
using SymPoly = std::vector<SymMonomial>;

class SymExpr {
public:
    enum class Kind : std::uint8_t {
        Symbol,   ///< `name`
        Call,     ///< `name(args)`; `FloorDiv`, `Mod`, `Max`, `Min`, `/`, `**`, `~`, or any other function
        Opaque,   ///< `name` is its text
        Sum,      ///< number + sum of n * expr over parts
        Product,  ///< number * product of expr ** n over parts
    };
    struct Part {
        SymExprPtr expr;
        std::int64_t n = 1;
    };

    Kind kind = Kind::Opaque;
    bool integral = true;  ///< an integer, as far as the grammar tells
    std::uint32_t depth = 1;
    Name name;
    std::vector<SymInt> args;
    std::int64_t number = 0;
    std::vector<Part> parts;      ///< in the order in which sympy prints them
    SymKey tree{}, canon{};       ///< hash of the tree; hash of the polynomial
    std::optional<SymPoly> poly;  ///< nothing: the node is itself a term
    std::string text;             ///< as read, when that differs from the printed form

    static SymExprPtr of(const SymInt& s) { return s.expr_; }
    static SymInt wrap(SymExprPtr e) { return SymInt(std::move(e)); }
    static std::int64_t constantOf(const SymInt& s) { return s.value_; }
};

/// Makes nodes in normal form.
struct SymBuild {
    static SymInt symbol(Name name);
    static SymInt opaque(std::string_view text);
    /// `name(args)` as it is, without rules of arithmetic.
    static SymInt call(Name name, std::vector<SymInt> args);
    /// `parts` may be in any order and repeat terms.
    static SymInt sum(std::int64_t constant, std::vector<SymExpr::Part> parts);
    static SymInt product(std::int64_t coefficient, std::vector<SymExpr::Part> factors);
    static SymInt power(const SymInt& base, std::uint32_t exponent);
    /// `a / b`, exact where it divides.
    static SymInt trueDiv(const SymInt& a, const SymInt& b);
    /// The same value, printed as `text`; an empty text is printed in normal form.
    static SymInt withText(const SymInt& s, std::string_view text);
};

/// Addends of a value: constant and n * expr, products split into coefficient and rest.
struct SymAddends {
    std::int64_t constant = 0;
    std::vector<SymExpr::Part> parts;
};
SymAddends symAddends(const SymInt& s);

/// Polynomial of any value, the term itself if it is one.
SymPoly symPoly(const SymInt& s);
SymPoly symPoly(const SymExprPtr& e);
/// a + factor * b; nothing on overflow or beyond the caps.
std::optional<SymPoly> addPoly(const SymPoly& a, const SymPoly& b, std::int64_t factor);
std::optional<SymPoly> mulPoly(const SymPoly& a, const SymPoly& b);

/// Order of sympy's default_sort_key.
int compareForPrint(const SymExprPtr& a, const SymExprPtr& b);
/// Order of the addends `a.n * a.expr` in a printed sum: descending lexicographic order of their exponents over the sorted bases.
void sortAddends(std::vector<SymExpr::Part>& parts);
/// Text as sympy prints it, cut after `budget` characters.
std::string printSym(const SymInt& s, std::size_t budget = 64 * 1024);

SymKey symKey(std::string_view bytes);

}  // namespace aliascope
