#include "core/recording/storage_versions.h"

namespace aliascope::recording {

StorageVersions::StorageVersions(RowQueue& queue, Database& db, std::int64_t lane)
    : lane_(lane),
      insert_(queue, db,
              "INSERT INTO storage(lane, id, first_stage, last_stage, base_uid, role, bytes, bytes_expr, opaque) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, "
              "?8, ?9)"),
      close_(queue, db, "UPDATE storage SET last_stage = ?4 WHERE lane = ?1 AND id = ?2 AND first_stage = ?3") {}

std::vector<int> StorageVersions::number(const AliasInfo& alias, std::uint32_t body) {
    std::vector<int> out;
    out.reserve(alias.storageCount());
    for (std::uint32_t i = 0; i < alias.storageCount(); ++i) {
        const StorageInfo& s = alias.storage(StorageId(i));
        const auto next = static_cast<int>(numbers_.size());
        out.push_back(numbers_.try_emplace({makeUid(body, s.base), s.baseOutput}, next).first->second);
    }
    return out;
}

std::optional<int> StorageVersions::numberOf(Uid base, int output) const {
    const auto it = numbers_.find({base, output});
    return it == numbers_.end() ? std::nullopt : std::optional(it->second);
}

void StorageVersions::record(int stage, std::uint32_t body, const AliasInfo& alias, const std::vector<int>& numbers, const SymbolTable& symbols) {
    std::map<int, Row> now;
    for (std::uint32_t i = 0; i < alias.storageCount(); ++i) {
        const StorageInfo& s = alias.storage(StorageId(i));
        Row row{stage, makeUid(body, s.base), s.role, std::nullopt, {}};
        if (s.bytes) {
            row.bytes = s.bytes->isConst() ? s.bytes->constant() : s.bytes->evaluate(symbols);
            if (!s.bytes->isConst()) row.expr = s.bytes->str();
        }
        now.emplace(numbers[i], std::move(row));
    }
    std::map<int, Row>& before = live_[body];
    for (const auto& [id, row] : before) {
        const auto it = now.find(id);
        if (it != now.end() && it->second.sameAs(row))
            it->second.firstStage = row.firstStage;
        else
            close(stage, id, row);
    }
    for (const auto& [id, row] : now)
        if (row.firstStage == stage)
            insert_.run(lane_, id, stage, kOpenEnd, row.base, toString(row.role), row.bytes, orNull(row.expr), row.role == StorageRole::Opaque);
    before = std::move(now);
}

void StorageVersions::removeBody(int stage, std::uint32_t body) {
    for (const auto& [id, row] : live_[body]) close(stage, id, row);
    live_.erase(body);
}

void StorageVersions::close(int stage, int id, const Row& row) { close_.run(lane_, id, row.firstStage, stage - 1); }

}  // namespace aliascope::recording
