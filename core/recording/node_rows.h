#pragma once
// Writes the rows of one node version: `node`, its `use`s and its `part`s. Internal to core/recording.

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/analysis/alias.h"
#include "core/recording/graph_state.h"
#include "core/recording/row_queue.h"
#include "core/recording/storage_versions.h"
#include "core/recording/text_pool.h"

namespace aliascope::recording {

/// What a version says of a node's memory.
struct Placement {
    int storage = -1;              ///< number shown as S<n>; -1 = none
    std::optional<SymInt> offset;  ///< from the start of the storage, in elements
    friend bool operator==(const Placement&, const Placement&) = default;
};

class NodeRows {
public:
    NodeRows(RowQueue& queue, Database& db, TextPool& pool, std::int64_t lane, const OpRegistry& ops);

    /// Returns the version's row id.
    std::int64_t insert(const Body& body, NodeId id, int stage, std::int64_t ord, const Placement& place, const StorageVersions& storages);
    void close(std::int64_t version, int lastStage);

private:
    std::int64_t bodyStr(const Body& body);
    void insertUses(std::int64_t version, const Body& body, NodeId id);
    void insertParts(std::int64_t version, const Body& body, NodeId id, const StorageVersions& storages);

    TextPool& pool_;
    std::int64_t lane_;
    const OpRegistry& ops_;
    QueuedStatement node_, use_, part_, close_;
    std::int64_t nextVersion_;
    std::unordered_map<Name, std::int64_t> paths_, modules_, codes_, targets_;
    std::unordered_map<std::uint32_t, std::int64_t> bodyStrs_;
    std::unordered_map<Name, Name> canonical_;  ///< target -> canonicalOp(target)
};

}  // namespace aliascope::recording
