#pragma once
// The text form of patterns (patterns.md 6), with three additions: macros, examples and guards on several lines.
//
//   file    = { set | macro }
//   set     = "set" NAME "{" { rule | macro } "}"
//   macro   = "macro" NAME "(" [ CAP { "," CAP } ] ")" "=" expr
//   rule    = "rule" NAME [ "prio" INT ] "{" [ "example" example { "," example } ] "find" expr { "," expr }
//             [ "where" guard { "," guard } ] "make" expr { "," expr } "}"
//   example = CAP "=" ( number | "[" [ size { "," size } ] "]" [ ":" dtype { "|" dtype } ] [ "grad" ] ),  size = INT { "|" INT },  dtype = DTYPE |
//   "f"
//
// A rule with examples is traced: `find` is a program over tensors (program.h) and is run on the examples; `f` takes the dtype of the variant, `2|1`
// makes two variants, `grad` says that a gradient is wanted (the rule then also gets a training form, which is derived). A rule without examples is
// written in operators: `aten.mul` stands for all overloads, `aten.mul.Tensor` for one. A number may follow `=`. In guards and after `make`
// expressions may use + - * /. `#` starts a comment.
//
// `!exclusive` behind a capture: no two captures marked so may bind the same thing.
//
// Rules in operators may use the macros of resources/patterns/macros.patterns: cvt, swap, mm4, softmax, drop. Equal expressions are one node.
//
// Texts come from users: nesting, sizes and counts are bounded, and every error is a PATTERN_SYNTAX with line and column.

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/value.h"
#include "core/support/result.h"

namespace aliascope::patterns {

struct TextPlace {
    std::uint32_t line = 1, column = 1;  ///< from 1; columns count characters
};

/// What a capture must be, after `$name:`.
struct CaptureType {
    enum class Kind : std::uint8_t { Any, Floating, Integer, Boolean, Scalar, Symbol, Rank, DTypes } kind = Kind::Any;
    std::int64_t rank = 0;
    std::vector<DType> dtypes;
};

struct Argument;

struct Expr {
    enum class Kind : std::uint8_t { Capture, NodeRef, Call, Literal, Wildcard, List, None, Binary } kind = Kind::None;
    TextPlace place;
    std::string name;              ///< capture or node without its mark; the operator sign of Binary
    CaptureType type;              ///< of Capture
    std::vector<std::string> ops;  ///< of Call: alternatives as written, dotted
    std::vector<Argument> args;    ///< of Call; items of List; both sides of Binary
    Value literal;
    bool open = false;  ///< `..`: further keyword arguments are allowed
    bool shared = false, commute = false, optional = false;
    bool exclusive = false;        ///< of Capture: no other exclusive capture may bind the same
    std::vector<Argument> absent;  ///< of an optional macro: its first argument, which stands for it when it is absent
};

struct Argument {
    std::string key;  ///< empty = positional
    Expr value;
};

struct Guard {
    TextPlace place;
    std::string compare;  ///< `==`, `!=`, `<`, `<=`, `in`; empty = `left` is the call of a predicate
    Expr left, right;
    std::string text;  ///< as written, for reports
};

struct Example {
    std::string capture;
    bool tensor = true;
    std::vector<std::vector<std::int64_t>> sizes;  ///< alternatives per dimension
    std::vector<std::string> dtypes;               ///< alternatives; `f` = that of the variant
    bool gradient = false;
    double number = 0;  ///< of a scalar: the conspicuous value by which it is found again in the trace
};

struct Rule {
    std::string set, name;
    TextPlace place;
    std::int64_t priority = 0;
    std::vector<Example> examples;
    std::vector<Expr> find, make;
    std::vector<Guard> where;
};

struct PatternFile {
    std::string name;  ///< shown path
    std::vector<Rule> rules;
};

/// Bounds of what is read.
struct LanguageLimits {
    std::size_t bytes = 4u << 20;
    std::size_t rules = 50'000;
    int depth = 64;                    ///< of nested expressions, after macros are expanded
    std::size_t expressions = 20'000;  ///< of one rule, after macros are expanded
};

/// Macros are expanded. Errors: PATTERN_SYNTAX.
Result<PatternFile> parsePatterns(std::string_view text, std::string_view fileName, const LanguageLimits& limits = {});
/// Reads a file and parses it; a file that cannot be read is a PATTERN_SYNTAX too.
Result<PatternFile> readPatternFile(const std::string& path);

}  // namespace aliascope::patterns
