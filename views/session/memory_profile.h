#pragma once
// The memory of one stage as the memory view shows it: predicted from its graph, or read from a recorded run. Also how the curve of another stage
// is laid over it. Profiles are made on job threads and immutable afterwards.

#include <QString>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/memory/memory_report.h"
#include "core/recording/recording.h"
#include "core/support/cancel.h"
#include "views/session/selection.h"

namespace aliascope {

class MemoryProfile {
public:
    /// `log` outlives nothing: `owner` keeps it. `uidOf` names the node of a site, 0 = none.
    MemoryProfile(std::shared_ptr<const void> owner, const memory::EventLog& log, std::shared_ptr<const memory::MemoryReport> report,
                  std::shared_ptr<const StageSnapshot> snapshot, const std::function<Uid(const memory::Site&)>& uidOf);
    MemoryProfile(const MemoryProfile&) = delete;
    MemoryProfile& operator=(const MemoryProfile&) = delete;

    std::int64_t run = 0;  ///< row of the run; 0 = predicted
    QString device;        ///< of a run
    bool synthetic = false;
    std::optional<Diagnostic> error;                            ///< the log ends there
    std::vector<std::pair<std::string, std::int64_t>> assumed;  ///< symbols without a value, and what was taken

    bool measured() const { return run != 0; }
    int stage() const { return snapshot_->stage.idx; }
    const std::string& stageName() const { return snapshot_->stage.name; }
    const memory::EventLog& log() const { return log_; }
    const memory::MemoryReport& report() const { return *report_; }
    std::int64_t events() const { return std::int64_t(log_.events.size()); }
    std::int64_t live(std::int64_t seq, memory::Accounting accounting) const;
    /// What event `seq` added; negative = freed.
    std::int64_t delta(std::int64_t seq, memory::Accounting accounting) const;
    std::int64_t peak(memory::Accounting accounting) const { return accounting == memory::Accounting::Exact ? log_.peakExact : log_.peakCharged; }

    /// Node of an event; kNoUid when it belongs to none.
    Uid uidAt(std::int64_t seq) const { return seq >= 0 && seq < events() ? uids_[std::size_t(seq)] : kNoUid; }
    /// Row of a node; null when the stage has no such node.
    const NodeRow* node(Uid uid) const;
    const NodeRow* originOf(const memory::Lifetime& lifetime) const { return node(originUid(lifetime)); }
    Uid originUid(const memory::Lifetime& lifetime) const { return uidAt(lifetime.birth); }
    /// Last user of a storage that dies; of outputs the output node. kNoUid when it lives to the end.
    Uid lastUid(const memory::Lifetime& lifetime) const { return uidAt(lifetime.death); }
    /// Where the cursor stands when `uid` is selected: its event with the highest live bytes, or the last event before it in program order; -1 when
    /// the stage has no such node.
    std::int64_t seqOf(Uid uid) const;
    /// First and last event of a node; nothing when it has none.
    std::optional<std::pair<std::int64_t, std::int64_t>> eventsOf(Uid uid) const;
    /// Storages that `uid` allocated, as indices into report().lifetimes().
    std::vector<std::size_t> blocksOf(Uid uid) const;

private:
    std::shared_ptr<const void> owner_;
    const memory::EventLog& log_;
    std::shared_ptr<const memory::MemoryReport> report_;
    std::shared_ptr<const StageSnapshot> snapshot_;
    std::vector<Uid> uids_;  ///< by event
    struct Span {
        std::int64_t first = 0, last = 0, highest = 0;
    };
    std::unordered_map<Uid, Span> spans_;
    std::unordered_map<Uid, std::size_t> nodes_;  ///< index into the snapshot
    std::vector<std::int64_t> seqBefore_;         ///< by index: last event up to that node in program order, -1 = none
    std::unordered_map<Uid, std::vector<std::size_t>> blocks_;
};
using MemoryProfilePtr = std::shared_ptr<const MemoryProfile>;

/// Allocated and never read: it dies at the node that made it.
bool isGhost(const MemoryProfile& profile, const memory::Lifetime& lifetime);
/// Made by a clone or copy.
bool isCopy(const MemoryProfile& profile, const memory::Lifetime& lifetime);
/// `read last by %x`, `returned by the graph`, … for people.
QString whyAlive(const MemoryProfile& profile, const memory::Lifetime& lifetime);

/// Predicts a stage. Null when cancelled. What cannot be predicted is in `error`. Job threads only.
Result<MemoryProfilePtr> predictProfile(const Recording& recording, std::int64_t lane, int stage, const OpRegistry& ops, const CancelToken& cancel,
                                        const Progress& progress);
/// Reads a recorded run, `stage` being what it stands for.
Result<MemoryProfilePtr> readProfile(const Recording& recording, std::int64_t lane, int stage, const MemoryRunRow& run, const CancelToken& cancel);

/// Runs with recorded memory that speak of `stage`: its own, and those of the stage from which it does not differ; newest first.
std::vector<MemoryRunRow> runsFor(const Recording& recording, std::int64_t lane, int stage);

/// With `sameLane` equal node ids mean one node; else `kin` alone says which nodes of `other` stand for which of `reference`.
/// Place of every event of `other`, and of its end, on the axis of `reference` (event numbers, rising): nodes that both have stand at the same
/// place, so do nodes that recorded rewrites made of one another; what lies between is spread evenly. O(events log events).
std::vector<double> alignEvents(const MemoryProfile& other, const MemoryProfile& reference, const std::unordered_map<Uid, Uid>& kin,
                                bool sameLane = true);
/// Nodes of stage `from` that stage `to` lacks, with what the recorded rewrites between the two made of them, or made them of.
std::unordered_map<Uid, Uid> kinBetween(const Recording& recording, std::int64_t lane, int from, int to);

}  // namespace aliascope
