#include "core/recording/write_errors.h"

#include <algorithm>
#include <filesystem>

namespace aliascope::recording {

Diagnostic cannotWrite(const std::string& path, const std::string& why) {
    Diagnostic d = userError("S003", {{"why", why}});
    d.file = path;
    return d;
}

Diagnostic cannotWrite(const std::string& path, const SqlError& e, const std::string& what, std::uint64_t leastBytes) {
    if (e.readOnly()) return cannotWrite(path, path + ": " + e.what());
    if (!e.diskFull()) return cannotWrite(path, what + ": " + e.what());
    std::error_code error;
    const auto space = std::filesystem::space(std::filesystem::absolute(path).parent_path(), error);
    const std::uint64_t free = error ? 0 : space.available;
    const std::uint64_t neededBytes = std::max(leastBytes, e.pendingBytes());
    const std::uint64_t missing = neededBytes > free ? neededBytes - free : neededBytes;
    return cannotWrite(path, "disk full: " + what + " needs up to " + std::to_string(neededBytes) + " B, " + std::to_string(free) + " B are free, " +
                                 std::to_string(missing) + " B are missing");
}

LimitReached::LimitReached(const std::string& path, const std::string& what, std::int64_t limit)
    : diagnostic(userError("R050", {{"what", what}, {"limit", std::to_string(limit)}, {"option", "--limits"}})) {
    diagnostic.file = path;
}

}  // namespace aliascope::recording
