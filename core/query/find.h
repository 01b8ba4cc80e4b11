#pragma once
// The language for finding, filtering, breaking and reducing (ui.md 3.7). One parser for all of them; what a text is asked about answers as a
// Subject. Thread-safety: a Find is immutable and may be shared between threads.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace aliascope::query {

/// Text that stands by itself is a word without a field. Shape is asked for as an annotation (`f32[2, s0]`) or a list (`[2, s0]`).
enum class Field : std::uint8_t { Text, Op, Name, Dtype, Storage, Source, Module, Rule, Pass, Touches, Verdict, Need, Code, Stage, Shape };
/// Bytes, counts; Time in nanoseconds; Error as the absolute error.
enum class Number : std::uint8_t { Bytes, Cloned, Copied, Reported, Needed, Clones, Nodes, Users, Rank, Error, Time, Peak };
enum class Flag : std::uint8_t { Changed, Added, Removed, Input, Output, Constant, Unknown, Write, View, Clone, Pinned };

/// A word with wildcards. Case matters only when the word holds a capital.
class Word {
public:
    explicit Word(std::string_view text);
    const std::string& text() const { return text_; }
    /// The whole of `text`.
    bool equals(std::string_view text) const;
    /// The whole of `text`, or a run of whole parts of it; parts end at `.`, `:`, `/` and blanks. Of `src`: a run at the end.
    bool isPartOf(std::string_view text, bool atEnd = false) const;
    /// Anywhere in `text`.
    bool isIn(std::string_view text) const;

private:
    std::string text_;
    bool caseMatters_ = false, wild_ = false;
};

struct Fact {
    enum class Kind : std::uint8_t { Differs, Decision, PassFails, VerifierFails, Finding } kind = Kind::Differs;
    std::string argument;                            ///< stage of `differs`, pass of `pass-fails`, code of `finding`; may be empty
    std::vector<std::pair<std::string, Word>> with;  ///< of `decision`: each key with the word that it must be
};

/// What a find text is asked about: a node of a graph, a row of a list, or a stage. A question that makes no sense for it answers no.
class Subject {
public:
    using Fits = std::function<bool(std::string_view)>;

    virtual ~Subject() = default;
    /// True as soon as `fits` says so of one of the texts of `field`. Names come without `%`; operators as `aten.clone.default`; sources as
    /// `model.py:41`; codes both as `RI30.READ` and by name; storages as `S3`; stages by number and by name.
    virtual bool any(Field field, const Fits& fits) const = 0;
    virtual std::optional<double> number(Number) const { return std::nullopt; }
    /// What `%` is a part of, for example all bytes of the graph; nothing = percentages never hold.
    virtual std::optional<double> whole(Number) const { return std::nullopt; }
    /// `tol`: the tolerance that the error is judged by.
    virtual std::optional<double> tolerance() const { return std::nullopt; }
    virtual bool is(Flag) const { return false; }
    virtual bool holds(const Fact&) const { return false; }
};

class Find {
public:
    Find();  ///< empty: finds everything
    bool empty() const;
    bool matches(const Subject& subject) const;

    struct Expression;  ///< private to core/query

private:
    friend struct FindParser;
    std::shared_ptr<const Expression> expression_;
};

/// What has been typed so far: the terms that are complete, and what is wrong with the rest (P005 with the column). Never fails.
struct Typed {
    Find find;
    std::optional<Diagnostic> error;
};
Typed typedFind(std::string_view text);
/// A text that must be right. Errors: P005 with the column and what was expected.
Result<Find> parseFind(std::string_view text);

}  // namespace aliascope::query
