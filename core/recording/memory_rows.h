#pragma once
// The event log of a run as rows (session.md 2: mem_event, mem_storage, mem_level, mem_live). Internal to core/recording.
//
// Inputs and constants have a row in mem_storage and no life in it (death = birth), for they are not in the live totals.

#include <cstdint>

#include "core/memory/mem_event.h"
#include "core/recording/database.h"
#include "core/recording/text_pool.h"

namespace aliascope::recording {

/// Snapshots of the live set stand at every multiple of this, and at the peak.
constexpr std::int64_t kLiveEvery = 4096;
/// Longer logs keep their storages, levels and snapshots, but no single events (session.md 4); a message of the run says so.
constexpr std::int64_t kMostEvents = 5'000'000;

/// Writes `log` for row `run` of table `run`, and that row's peak_exact, peak_charged, peak_seq and events. Inside the caller's transaction.
/// Sites become uids of the run's stage: body k of the log is the k-th body of that stage by path. Throws SqlError.
void writeMemory(Database& db, TextPool& pool, std::int64_t run, const memory::EventLog& log);

}  // namespace aliascope::recording
