#pragma once
// Patterns in the form in which they are matched: matchers that refer to each other by index, operands before users. The same matcher reached twice
// must match the same node (patterns.md 1).

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/patterns/language.h"

namespace aliascope::patterns {

/// An operator, or with `family` all overloads of its packet.
struct OpMatch {
    Name name;
    bool family = false;
    bool fits(Name op) const { return op == name || (family && packetOfIs(op)); }

private:
    bool packetOfIs(Name op) const;
};

struct Matcher {
    enum class Kind : std::uint8_t { Call, Capture, Ignored, Constant, List } kind = Kind::Ignored;
    enum class Users : std::uint8_t {
        Exactly,  ///< as many users as `users` says
        Inside,   ///< all users belong to the match
        Any,
    };

    std::vector<OpMatch> ops;                              ///< of Call
    std::vector<std::uint32_t> args;                       ///< of Call and List
    std::vector<std::pair<Name, std::uint32_t>> keywords;  ///< of Call
    Users usersRule = Users::Inside;
    std::uint32_t users = 1;
    bool openKeywords = false;  ///< keyword arguments that the pattern does not mention are ignored
    bool commute = false;       ///< two operands in either order
    bool optional = false;      ///< the call may be absent
    std::uint32_t absent = 0;   ///< of an optional call: the matcher that stands for it then
    std::uint32_t capture = 0;  ///< of Capture: index into Pattern::captures
    CaptureType type;           ///< of Capture
    bool exclusive = false;     ///< of Capture: no other exclusive capture binds the same
    Value constant;             ///< of Constant
    TypePtr expected;           ///< of a strict Call: dtype and sizes of the result; null = not compared
    std::string label;          ///< name in the text, for reports; may be empty
};

struct Pattern {
    std::string name;
    std::vector<Matcher> matchers;
    std::vector<std::string> captures;
    std::vector<std::int32_t> outputs;  ///< matchers; the first is the root; -1 = a result that is no tensor
    std::size_t calls() const;
    bool isOutput(std::uint32_t matcher) const;
};

/// How a traced program becomes a pattern.
struct TraceForm {
    /// Numbers that stand for captures, by name.
    std::map<std::string, double> magic;
    /// Literals and types are compared: the trace was made with the tensors of a match. Otherwise sizes, numbers, dtypes and devices are ignored.
    bool strict = false;
    /// As PyTorch makes patterns: user counts are those of the trace. Otherwise users must be inside the match, dims of permutes are kept, operands
    /// of add and mul may stand in either order, a number may come as Scalar overload, and a clone may stand between expand and view.
    bool reference = true;
};
/// `outputs`: nodes of `g`, None for results that are no tensor. Placeholders become captures in their order; those in `scalars` that are not
/// placeholders follow.
Pattern patternOfTrace(const Graph& g, const std::vector<Value>& outputs, const TraceForm& form, std::string name);

/// A rule without examples. Errors: PATTERN_SYNTAX (unknown operator, capture in an operator's place), EMPTY_PATTERN (it would match anything).
/// `canonicalize` brings the small graph into the normal form of programs.
using Canonicalize = std::function<void(Graph&)>;
Result<Pattern> patternOfRule(const Rule& rule, const OpRegistry& ops, const Canonicalize& canonicalize, std::string_view fileName);

/// Text of a pattern in which equal patterns are equal: captures numbered by first occurrence, operands of commutative operators sorted, user counts
/// kept (patterns.md 5). `reference` keeps the names and the order, as PyTorch's key does (patterns.md 4).
std::string normalForm(const Pattern& p, bool reference = false);

/// An expression of a pattern as people read it: `aten.view.default`, `$q`, `_`.
std::string describe(const Pattern& p, std::uint32_t matcher);

}  // namespace aliascope::patterns
