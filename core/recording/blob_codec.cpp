#include "core/recording/blob_codec.h"

#include <xxhash.h>
#include <zstd.h>

namespace aliascope::recording {
namespace {

/// Fast and still a fifth of the size for graph text; higher levels cost more time than a whole pipeline.
constexpr int kZstdLevel = 1;
constexpr std::size_t kWorthPacking = 200;

}  // namespace

std::uint64_t contentHash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::int64_t storeBlob(Database& db, std::string_view content) {
    const std::uint64_t hash = contentHash(content);
    Statement find(db, "SELECT id FROM blob WHERE xxh = ?1");
    find.bind(hash);
    if (find.step()) return find.integer(0);

    std::string packed;
    if (content.size() >= kWorthPacking) {
        packed.resize(ZSTD_compressBound(content.size()));
        const std::size_t size = ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), kZstdLevel);
        packed.resize(ZSTD_isError(size) ? 0 : size);
    }
    const bool pays = !packed.empty() && packed.size() < content.size();
    Statement insert(db, "INSERT INTO blob(xxh, codec, raw_bytes, data) VALUES(?1, ?2, ?3, ?4) RETURNING id");
    insert.bind(hash, pays ? "zstd" : "raw", static_cast<std::uint64_t>(content.size()), BlobView{pays ? std::string_view(packed) : content});
    insert.step();
    return insert.integer(0);
}

std::optional<std::string> loadBlob(Database& db, std::int64_t id) {
    Statement find(db, "SELECT codec, raw_bytes, data, xxh FROM blob WHERE id = ?1");
    find.bind(id);
    if (!find.step()) return std::nullopt;
    const std::uint64_t size = static_cast<std::uint64_t>(find.integer(1));
    const std::string_view data = find.view(2);
    if (size > kMaxBlobBytes) return std::nullopt;
    std::string out;
    if (find.view(0) == "raw") {
        out = data;
    } else {
        // The frame's own claim must agree before memory is given out for it.
        if (ZSTD_getFrameContentSize(data.data(), data.size()) != size) return std::nullopt;
        out.resize(size);
        const std::size_t got = ZSTD_decompress(out.data(), out.size(), data.data(), data.size());
        if (ZSTD_isError(got) || got != size) return std::nullopt;
    }
    if (out.size() != size || contentHash(out) != static_cast<std::uint64_t>(find.integer(3))) return std::nullopt;
    return out;
}

}  // namespace aliascope::recording
