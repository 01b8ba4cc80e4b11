#pragma once
// What the files of Recording share. Internal to core/recording.

#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

#include "core/recording/recording.h"
#include "core/recording/session_file.h"

namespace aliascope::recording {

/// A version with its uses: loaded once, shared by all stages in which it lives.
struct Version {
    NodeRow row;
    std::vector<EdgeRow> uses;
};
using VersionPtr = std::shared_ptr<const Version>;

/// Versions that someone still looks at, and the snapshots asked for last. Thread-safe.
class SnapshotCache {
public:
    VersionPtr find(std::int64_t version, int lastStage);
    void keep(const VersionPtr& version);
    std::shared_ptr<const StageSnapshot> snapshot(std::int64_t stageId);
    void keep(const std::shared_ptr<const StageSnapshot>& snapshot);

private:
    static constexpr std::size_t kSnapshots = 8;
    std::mutex mutex_;
    std::unordered_map<std::int64_t, std::weak_ptr<const Version>> versions_;
    std::list<std::shared_ptr<const StageSnapshot>> recent_;  ///< latest first
};

StageRow stageRowFrom(const Statement& s);
/// Columns that stageRowFrom reads, from `stage s`.
extern const char* const kStageColumns;

}  // namespace aliascope::recording

namespace aliascope {

struct Recording::Impl {
    std::unique_ptr<recording::SessionFile> file;
    recording::SnapshotCache cache;
    std::mutex faultMutex;
    std::optional<Diagnostic> fault;

    void note(const recording::SqlError& e);
    /// Runs `f(Database&)` on a connection of this call's own; `otherwise` and a fault when sqlite fails.
    template <class F, class T>
    T read(T otherwise, F f) {
        try {
            auto db = file->lease();
            return f(*db);
        } catch (const recording::SqlError& e) {
            note(e);
            return otherwise;
        }
    }
};

}  // namespace aliascope
