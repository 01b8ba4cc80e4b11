#pragma once
// Why a session could not be written, in words of the user (S003, R050). Internal to core/recording.

#include <cstdint>
#include <exception>
#include <string>

#include "core/recording/database.h"
#include "core/support/cancel.h"
#include "core/support/diagnostic.h"

namespace aliascope::recording {

/// S003 `path`: why.
Diagnostic cannotWrite(const std::string& path, const std::string& why);
/// The same for an error of sqlite while `what` was written; a full disk is told with the bytes that are missing and those that are free;
/// `leastBytes` is what the caller knows to be needed.
Diagnostic cannotWrite(const std::string& path, const SqlError& e, const std::string& what, std::uint64_t leastBytes = 0);

/// Whoever asked for what is being written wants it no longer (CancelToken): the transaction rolls back.
struct Cancelled : std::exception {
    const char* what() const noexcept override { return "cancelled"; }
};
/// Looked at between rows: a look costs a load.
inline void throwIfCancelled(const CancelToken& cancel) {
    if (cancel.cancelled()) throw Cancelled();
}

/// A limit of session.md 4 would be passed.
struct LimitReached : std::exception {
    LimitReached(const std::string& path, const std::string& what, std::int64_t limit);
    Diagnostic diagnostic;
};

}  // namespace aliascope::recording
