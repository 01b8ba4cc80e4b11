#pragma once
// Contents of the table `blob`: stored once per content (xxh3), compressed when that pays. Internal to core/recording.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/recording/database.h"

namespace aliascope::recording {

/// Largest content that is stored or unpacked, in bytes (session.md 4: text above it is not stored, only its spans).
constexpr std::uint64_t kMaxBlobBytes = 512ull << 20;

std::uint64_t contentHash(std::string_view bytes);
/// Row id of the content, which is added when it is not there yet. Precondition: at most kMaxBlobBytes.
std::int64_t storeBlob(Database& db, std::string_view content);
/// Nothing when the row is missing, too large, or does not unpack to what it states.
std::optional<std::string> loadBlob(Database& db, std::int64_t id);

}  // namespace aliascope::recording
