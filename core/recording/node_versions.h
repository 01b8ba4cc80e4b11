#pragma once
// Versions of nodes (session.md 1.4): compares the graph of a stage with the one before and writes what differs. Internal to core/recording.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/pass.h"
#include "core/recording/node_rows.h"
#include "core/recording/storage_versions.h"
#include "core/support/cancel.h"

namespace aliascope::recording {

/// Numbers of a stage that follow from its graph. Bytes are unknown when one of the copies has unknown bytes.
struct StageFacts {
    std::int64_t nodes = 0, clones = 0, copiesBack = 0, selfCopies = 0;
    std::optional<std::int64_t> clonedBytes = 0, copiedBackBytes = 0;
};

struct StageDifference {
    std::int64_t added = 0, removed = 0, modified = 0;
    std::int64_t versions = 0;  ///< rows written
};

class NodeVersions {
public:
    NodeVersions(RowQueue& queue, Database& db, TextPool& pool, std::int64_t lane, const OpRegistry& ops, CancelToken cancel);
    ~NodeVersions();

    /// Gives the versions and storages of `stage` to the queue. Throws Cancelled; then nothing more can be recorded.
    StageDifference record(const Graph& g, int stage);
    const StageFacts& facts() const { return facts_; }
    /// The bodies of the last recorded stage, numbered.
    const std::vector<Body>& bodies() const { return bodies_; }
    /// The node that a pass speaks of: reports carry no body, so the name decides between bodies that have the id.
    std::optional<Uid> uidOf(const NodeRef& ref) const;
    std::optional<Uid> uidOf(Name name) const;

private:
    std::optional<Uid> uidInBody(std::string_view path) const;
    struct NodeState;
    struct BodyTrack;
    void numberBodies(const Graph& g);
    void recordBody(const Body& body, BodyTrack& track, int stage, StageDifference& difference);
    void removeBody(std::uint32_t number, BodyTrack& track, int stage, StageDifference& difference);
    void sumFacts();

    const OpRegistry& ops_;
    CancelToken cancel_;
    NodeRows rows_;
    StorageVersions storages_;
    std::vector<Body> bodies_;
    std::map<std::string, std::uint32_t> bodyNumbers_;
    std::map<std::uint32_t, std::unique_ptr<BodyTrack>> tracks_;
    StageFacts facts_;
};

}  // namespace aliascope::recording
