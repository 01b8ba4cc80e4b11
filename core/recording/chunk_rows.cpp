#include "core/recording/chunk_rows.h"

#include <charconv>

#include "core/recording/recording_impl.h"

namespace aliascope {

namespace recording {
namespace {

std::string_view paramOf(const Decision& d, std::string_view key) {
    for (const auto& [name, value] : d.params)
        if (name == key) return value;
    return {};
}

std::optional<std::int64_t> integerIn(std::string_view text) {
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(n) : std::nullopt;
}

void writeEstimates(Database& db, std::int64_t stageId, const Decision& d) {
    Statement insert(db, "INSERT OR IGNORE INTO chunk_estimate(stage, chunks, peak_bytes, chosen) VALUES(?1, ?2, ?3, ?4)");
    std::string_view rest = paramOf(d, "peaks");
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        const auto equals = word.find('=');
        if (equals == std::string_view::npos) continue;
        const auto chunks = integerIn(word.substr(0, equals)), peak = integerIn(word.substr(equals + 1));
        if (chunks && peak) insert.run(stageId, *chunks, *peak, d.code == "CHUNKED" && paramOf(d, "chunks") == word.substr(0, equals));
    }
}

}  // namespace

void writeChunkRows(Database& db, std::int64_t stageId, const std::vector<Decision>& decisions,
                    const std::function<std::optional<Uid>(const NodeRef&)>& uidOf, const std::function<std::optional<Uid>(Name)>& uidOfName) {
    Statement insert(db, "INSERT OR IGNORE INTO chunk_row(stage, uid, class, dim, sum, scale_uid, rule) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    for (const Decision& d : decisions) {
        writeEstimates(db, stageId, d);
        const auto uid = uidOf(d.node);
        if (d.code != "CHUNKED" || !uid) continue;
        const std::string_view scale = paramOf(d, "scale");
        insert.run(stageId, *uid, d.argument, integerIn(paramOf(d, "dim")), paramOf(d, "sum") == "yes",
                   scale.empty() || scale == "-" ? std::nullopt : uidOfName(Name(scale)), orNull(d.rule));
    }
}

}  // namespace recording

using namespace recording;

std::vector<ChunkRow> Recording::chunkRows(std::int64_t lane, int stage) const {
    return impl_->read(std::vector<ChunkRow>(), [&](Database& db) {
        std::vector<ChunkRow> out;
        Statement s(db,
                    "SELECT c.uid, d.node, d.op, c.class, c.dim, c.sum, c.scale_uid, t.node, c.rule FROM stage s JOIN chunk_row c ON c.stage = s.id "
                    "JOIN decision d ON d.stage = s.id AND d.uid = c.uid LEFT JOIN decision t ON t.stage = s.id AND t.uid = c.scale_uid "
                    "WHERE s.lane = ?1 AND s.idx = ?2 ORDER BY d.seq");
        s.bind(lane, stage);
        while (s.step()) {
            ChunkRow r;
            r.uid = static_cast<Uid>(s.integer(0));
            r.node = s.text(1);
            r.op = s.text(2);
            r.role = s.text(3);
            if (const auto dim = s.optionalInteger(4)) r.dim = static_cast<int>(*dim);
            r.sum = s.integer(5) != 0;
            if (const auto scale = s.optionalInteger(6)) r.scaleUid = static_cast<Uid>(*scale);
            r.scale = s.text(7);
            r.rule = s.text(8);
            out.push_back(std::move(r));
        }
        return out;
    });
}

std::vector<ChunkEstimateRow> Recording::chunkEstimates(std::int64_t lane, int stage) const {
    return impl_->read(std::vector<ChunkEstimateRow>(), [&](Database& db) {
        std::vector<ChunkEstimateRow> out;
        Statement s(db,
                    "SELECT e.chunks, e.peak_bytes, e.chosen FROM stage s JOIN chunk_estimate e ON e.stage = s.id WHERE s.lane = ?1 AND s.idx = ?2 "
                    "ORDER BY e.chunks");
        s.bind(lane, stage);
        while (s.step()) out.push_back({s.integer(0), s.integer(1), s.integer(2) != 0});
        return out;
    });
}

}  // namespace aliascope
