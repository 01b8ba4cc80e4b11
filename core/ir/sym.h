#pragma once
// Integers that may be symbolic: sizes, strides, offsets, `Sym(...)` values (formats.md 5.5).
//
// A SymInt is an int64 or an immutable expression. Expressions are compared by a canonical form (polynomial over opaque terms), so
// `s1*s2`, `s2 * s1` and `1 + s1 - 1` meet; the text that was read is kept for printing. Arithmetic overflow makes an opaque term,
// never undefined behaviour. Thread-safety: values are immutable.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/support/name.h"
#include "core/support/result.h"

namespace aliascope {

struct SymbolFacts {
    std::optional<std::int64_t> hint, min, max;
};
/// What a graph knows of its symbols.
using SymbolTable = std::unordered_map<Name, SymbolFacts>;

class SymExpr;  // opaque here; sym.cpp

class SymInt {
public:
    SymInt() = default;
    SymInt(std::int64_t value) : value_(value) {}  // NOLINT: an int is a SymInt
    static SymInt symbol(Name name);
    /// Parses the symbol grammar; `Sym(...)` is taken off by the caller. Errors: R017 with column.
    /// Nesting above 200 and texts above 64 KiB are refused.
    static Result<SymInt> parse(std::string_view text);
    /// A term that is only comparable by its text, for what the grammar does not know.
    static SymInt opaque(std::string_view text);

    bool isConst() const { return expr_ == nullptr; }
    /// Value of a constant; nothing when symbolic.
    std::optional<std::int64_t> constant() const { return isConst() ? std::optional(value_) : std::nullopt; }
    /// As read, or as PyTorch would print it.
    std::string str() const;
    /// Names of the symbols in it, each once, in order of first appearance.
    std::vector<Name> symbols() const;
    /// Value under the hints of `table`; nothing if a hint is missing or the value does not fit.
    std::optional<std::int64_t> evaluate(const SymbolTable& table) const;
    /// Structural hash of the canonical form.
    std::uint64_t hash() const;
    /// True for non-integers (`Sym(0.125)`, booleans, comparisons): they print, and evaluate to nothing.
    bool isOpaque() const;

    friend SymInt operator+(const SymInt& a, const SymInt& b);
    friend SymInt operator-(const SymInt& a, const SymInt& b);
    friend SymInt operator*(const SymInt& a, const SymInt& b);
    friend SymInt floorDiv(const SymInt& a, const SymInt& b);
    friend SymInt mod(const SymInt& a, const SymInt& b);
    friend SymInt min(const SymInt& a, const SymInt& b);
    friend SymInt max(const SymInt& a, const SymInt& b);
    /// Equality of canonical forms: statically known equal. `!(a == b)` does not mean that they differ.
    friend bool operator==(const SymInt& a, const SymInt& b);

private:
    explicit SymInt(std::shared_ptr<const SymExpr> e) : expr_(std::move(e)) {}
    std::int64_t value_ = 0;
    std::shared_ptr<const SymExpr> expr_;
    friend class SymExpr;
    friend struct SymBuild;
};

enum class Tri : std::uint8_t { No, Yes, Unknown };

/// Statically known order under the facts of `table` (sizes: min defaults to 0 for `s` symbols; `u` symbols may be negative). Unknown when it depends on values.
Tri knownLessEqual(const SymInt& a, const SymInt& b, const SymbolTable& table);
Tri knownEqual(const SymInt& a, const SymInt& b);

}  // namespace aliascope
