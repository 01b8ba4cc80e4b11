#pragma once
// Rows of the table `storage`: which storages exist from which stage to which. Internal to core/recording.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/alias.h"
#include "core/recording/database.h"
#include "core/recording/recording.h"
#include "core/recording/row_queue.h"

namespace aliascope::recording {

/// `last_stage` of what is current.
constexpr int kOpenEnd = 2147483647;

constexpr Uid makeUid(std::uint32_t body, NodeId id) { return Uid(body) << 32 | id.value; }

class StorageVersions {
public:
    StorageVersions(RowQueue& queue, Database& db, std::int64_t lane);

    /// Numbers of the storages of one body, by StorageId. A storage with the same base keeps its number through all stages of the lane.
    std::vector<int> number(const AliasInfo& alias, std::uint32_t body);
    /// Number of component `output` of a node (-1 = its value); nothing when no storage has that base.
    std::optional<int> numberOf(Uid base, int output) const;
    /// Writes what is new, gone or different among the storages of `body` at `stage`.
    void record(int stage, std::uint32_t body, const AliasInfo& alias, const std::vector<int>& numbers, const SymbolTable& symbols);
    void removeBody(int stage, std::uint32_t body);

private:
    struct Row {
        int firstStage = 0;
        Uid base = 0;
        StorageRole role = StorageRole::Intermediate;
        std::optional<std::int64_t> bytes;
        std::string expr;
        bool sameAs(const Row& o) const { return base == o.base && role == o.role && bytes == o.bytes && expr == o.expr; }
    };
    void close(int stage, int id, const Row& row);

    std::int64_t lane_;
    QueuedStatement insert_, close_;
    std::map<std::pair<Uid, int>, int> numbers_;
    std::map<std::uint32_t, std::map<int, Row>> live_;  ///< by body, then number
};

}  // namespace aliascope::recording
