#pragma once
// Places in a text: line and column, excerpts, and the collection of diagnostics about it (formats.md 17).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/diagnostic.h"

namespace aliascope {

/// A text with its file name. The text must outlive it.
class SourceText {
public:
    SourceText(std::string_view text, std::string file)
        : text_(text), whole_(text), file_(std::move(file)), lineStarts_(std::make_shared<std::vector<std::size_t>>()) {}

    /// The same text as if it ended at `end`: places stay those of the whole. The table of lines is shared.
    SourceText upTo(std::size_t end) const {
        SourceText part = *this;
        part.text_ = whole_.substr(0, end);
        return part;
    }

    std::string_view text() const { return text_; }
    const std::string& file() const { return file_; }
    /// Line and column of a byte, both from 1; columns count characters. The table of lines is made on first use.
    std::pair<std::uint32_t, std::uint32_t> place(std::size_t at) const;
    /// The line of `at`, cut to 120 columns round it, and a caret line. Control characters are written as \xNN.
    std::string excerpt(std::size_t at) const;
    /// What stands at `at`, for `found …`: a quoted token of at most 30 characters, or the end of the line or text.
    std::string found(std::size_t at) const;
    /// End of the line of `at`, its line feed left out.
    std::size_t lineEnd(std::size_t at) const;

private:
    std::string_view text_, whole_;
    std::string file_;
    std::shared_ptr<std::vector<std::size_t>> lineStarts_;
};

/// R050: `what` is larger than the settable limit.
Diagnostic limitPassed(std::string what, std::uint64_t limit);

/// Why reading stopped at a place.
struct ReadError {
    std::string want;
    std::size_t at = 0;
    std::uint64_t limit = 0;  ///< the limit that was passed, of what `want` names; 0 = something else was expected
};

/// Collects diagnostics; above the limit they are only counted, and R051 says how many.
class Reporter {
public:
    Reporter(const SourceText& source, std::uint32_t limit) : source_(source), limit_(limit) {}

    const SourceText& source() const { return source_; }
    /// Adds file, line, column and excerpt of a byte to `d` and keeps it.
    void report(Diagnostic d, std::size_t at);
    /// R014 with what stands at the place.
    void expected(const std::string& want, std::size_t at, Name node = Name());
    /// R050 or R014; `where` is added to what was expected (` in the returned value`).
    void report(const ReadError& error, const std::string& where = {}, Name node = Name());
    std::vector<Diagnostic> take();
    std::size_t count() const { return kept_.size() + dropped_; }

private:
    const SourceText& source_;
    std::uint32_t limit_;
    std::size_t dropped_ = 0;
    std::vector<Diagnostic> kept_;
};

}  // namespace aliascope
