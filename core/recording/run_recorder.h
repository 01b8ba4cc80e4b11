#pragma once
// What a session keeps of a run (session.md 2: run, digest, timing, comparison, comparison_row, probe, and through memory_rows.h its memory). A run
// is listened to by exec::RunCollector and written in one transaction after the stage, so that recording costs the run next to nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/exec/compare.h"
#include "core/exec/run_values.h"
#include "core/memory/mem_event.h"
#include "core/recording/recording_runs.h"
#include "core/support/diagnostic.h"

namespace aliascope {

struct RunHeader {
    std::int64_t stageId = 0;
    std::string kind = "measured";
    std::string device, backend;
    std::string mode = "observe", accounting = "exact";
    std::optional<std::uint64_t> seed;
    std::string inputs;          ///< file, or `random`
    std::string options = "{}";  ///< JSON object
};

/// What is null is not recorded.
struct RunOutcome {
    std::string state = "complete";  ///< complete, failed, cancelled
    bool synthetic = false;
    std::int64_t wallNs = 0;
    const exec::RunValues* values = nullptr;
    std::vector<const std::vector<exec::NodeTime>*> times;  ///< one list per repetition
    const memory::EventLog* memory = nullptr;
    std::optional<std::int64_t> arena, lowerBound;  ///< bytes, of a run over the offline plan
    std::vector<Diagnostic> diagnostics;
};

namespace recording {

class Database;
class TextPool;

// Inside the caller's transaction; throw SqlError.
std::int64_t insertRun(Database& db, const RunHeader& header);
void writeRun(Database& db, TextPool& pool, std::int64_t run, const RunOutcome& outcome);
std::int64_t insertComparison(Database& db, std::int64_t runA, std::int64_t runB, const exec::Comparison& comparison);
void insertProbe(Database& db, const ProbeRow& probe, std::int64_t lane);

}  // namespace recording
}  // namespace aliascope
