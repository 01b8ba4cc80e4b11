#pragma once
// The memory of one stage as the verb `memory` shows it: predicted now, or read from a run that a session holds.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/source.h"
#include "core/exec/op_bodies.h"
#include "core/recording/stage_memory.h"
#include "core/recording/stage_runs.h"

namespace aliascope::cli {

class MemorySource {
public:
    virtual ~MemorySource() = default;
    virtual std::string kind() const = 0;           ///< `predicted`, `measured`
    virtual std::int64_t run() const { return 0; }  ///< id in the session; 0 = predicted just now
    virtual std::int64_t peakExact() const = 0;
    virtual std::int64_t peakCharged() const = 0;
    virtual std::int64_t peakSeq() const = 0;  ///< -1 = no event
    virtual std::int64_t events() const = 0;
    virtual bool conditional() const { return false; }
    /// Where sizes depend on data: the run whose sizes these are (`run 3`, `a run on random values, seed 0`); empty = guesses.
    virtual std::string firstRun() const { return {}; }
    virtual std::optional<Diagnostic> error() const { return std::nullopt; }
    virtual std::vector<std::pair<Name, std::int64_t>> assumed() const { return {}; }
    virtual std::optional<memory::Event> event(std::int64_t seq) const = 0;
    virtual std::vector<memory::Event> eventsFrom(std::int64_t seq, std::int64_t count) const = 0;
    virtual std::vector<memory::Lifetime> liveAt(std::int64_t seq) const = 0;
    virtual std::int64_t seqOf(Uid node) const = 0;  ///< -1 = the node has no event
    virtual std::vector<memory::CurveBucket> curve(int buckets, memory::Accounting accounting) const = 0;
    virtual Uid uidOf(const memory::Site& site) const = 0;  ///< 0 = no node
    /// The predicted stage behind it; null for a run of the session.
    virtual const StageMemory* stageMemory() const { return nullptr; }
};

/// Rows of a stage's nodes by uid.
class StageNodes {
public:
    StageNodes(const Recording& recording, std::int64_t lane, int stage);
    const NodeRow* find(Uid uid) const;
    std::string name(Uid uid) const;  ///< `-` when there is no such node

private:
    std::shared_ptr<const StageSnapshot> snapshot_;
    std::unordered_map<Uid, const NodeRow*> byUid_;
};

/// Predictions of a lane's stages; stages of equal graphs share one. Where sizes depend on data, what a run of such a graph in the session did stands
/// for the prediction, with --inputs or --seed a run now on those values.
class Predictions {
public:
    Predictions(Command& c, const Staged& staged);
    ~Predictions();
    std::shared_ptr<const MemorySource> stage(const StageRow& stage);

private:
    std::shared_ptr<const MemorySource> ofFirstRun(const StageRow& stage);

    Command& c_;
    const Staged& staged_;
    std::vector<StageRow> stages_;
    std::vector<MemoryRunRow> recorded_;
    std::unique_ptr<StageRuns> runs_;  ///< with --inputs or --seed
    std::optional<exec::OpBodies> bodies_;
    /// By hash of the graph and number of re-inplacing stages so far: what reinplace decides is no part of the hash (executor.md 1.2 e).
    std::map<std::pair<std::uint64_t, std::int64_t>, std::shared_ptr<const MemorySource>> made_;
};

/// The first event in which a run differs from the prediction of its stage (executor.md 4.5); nothing when they agree, or when the prediction is of
/// other sizes (assumed, conditional) or not complete.
std::optional<std::int64_t> firstDifference(const MemorySource& predicted, const MemorySource& run);

std::shared_ptr<const MemorySource> recordedRun(const Recording& recording, const MemoryRunRow& run);

}  // namespace aliascope::cli
