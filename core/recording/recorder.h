#pragma once
// Writes a session file (session.md) while a pipeline runs. One transaction per stage: a crash loses at most the stage in progress.
// Thread-safety: one recorder per file, used from one thread at a time; readers may be open beside it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/pipeline.h"
#include "core/recording/run_recorder.h"
#include "core/support/cancel.h"
#include "core/text/document.h"

namespace aliascope {

/// Rows that a session may have (session.md 4). What lies beyond is refused with R050; further decisions are left out and counted in an R051.
struct RecorderLimits {
    int stages = 500;  ///< of a lane
    std::int64_t lanes = 64;
    std::int64_t graphs = 10'000;
    std::int64_t nodeVersions = 10'000'000;
    std::int64_t decisions = 100'000;
    std::uint64_t textBytes = 512ull << 20;  ///< a longer text is not stored, only its spans
};

/// An input of one graph that is a value of another (session.md 2, `link`): `saved` by a forward for its backward, or `bound` as somebody stated.
struct LinkRow {
    std::int64_t fromGraph = 0;
    std::uint64_t fromUid = 0;
    std::int64_t toGraph = 0;
    std::uint64_t toUid = 0;
    std::string kind;
};

class Recorder {
public:
    /// Creates `path` (`:memory:` is refused: use a temporary file). An existing session is opened and gets further lanes; an existing file that is
    /// no session is never overwritten. Errors: S003 (read-only folder, disk full, held by another live writer whose process id is named), and for an
    /// existing session S001, S002 as Recording::open.
    static Result<std::unique_ptr<Recorder>> create(const std::string& path, const RecorderLimits& limits = {});
    ~Recorder();  ///< closes: checkpoint, journal_mode=DELETE

    /// What is written from now on is given up once `cancel` says so: the transaction rolls back and the call ends in CANCELLED. What was written
    /// before stays. A lane that was given up takes no further stage.
    void stopWhen(const CancelToken& cancel);
    /// The file goes with the program: from now on nothing waits for the disk. After a power cut it may be unreadable.
    void makeTemporary();
    /// Source text (zstd), its graphs, symbols and diagnostics. Returns ids of `graph` rows, one per unit of `doc`, in order.
    Result<std::vector<std::int64_t>> addDocument(const Document& doc);
    /// Between graphs that addDocument gave ids.
    Status addLinks(const std::vector<LinkRow>& links);
    /// Recorded: a pipeline runs here. Foreign: stages that another compiler wrote down (foreign_lanes.h).
    enum class LaneKind : std::uint8_t { Recorded, Foreign };
    /// An observer that records the next pipeline run as a lane of `graph` named `lane` (made unique: `torch-v2#2`). The observer lives until the
    /// next call or the recorder's end.
    Result<PassObserver*> beginLane(std::int64_t graph, const std::string& lane, const OpRegistry& ops, LaneKind kind = LaneKind::Recorded);
    /// The header of a run, with state `running`. Errors: S003.
    Result<std::int64_t> beginRun(const RunHeader& header);
    /// Everything that a run gave, in one transaction, and its end.
    Status endRun(std::int64_t run, const RunOutcome& outcome);
    /// Returns the id of the `comparison` row.
    Result<std::int64_t> addComparison(std::int64_t runA, std::int64_t runB, const exec::Comparison& comparison);
    Status addProbe(const ProbeRow& probe, std::int64_t lane);

    /// Row of the lane that beginLane began last, once its first stage is written; 0 before, and after close().
    std::int64_t lane() const;
    /// Ends a lane that still runs (interrupted) and leaves one file. A second call does nothing.
    Status close();
    const std::string& path() const;

private:
    Recorder();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace aliascope
