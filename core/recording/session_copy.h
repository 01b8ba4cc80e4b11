#pragma once
// Copies of sessions: whole ones for baselines, ones without the folders of the machine that made them, and what can be read of damaged ones.
// A copy appears under its name only when it is complete. Thread-safety: may be called from any thread.

#include <cstdint>
#include <string>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope {

struct CopyOptions {
    /// Folders in paths become `dir1`, `dir2`, …; the texts that were read, and excerpts of them, are left out (session.md 1.7).
    bool redactPaths = false;
};

/// Errors: those of Recording::open for `from`; S003 when `to` cannot be written.
Status copySession(const std::string& from, const std::string& to, const CopyOptions& options = {});

struct SalvagedTable {
    std::string name;
    std::int64_t rows = 0;
    bool whole = true;  ///< false: reading ended at a fault, rows may be missing
};
struct Salvaged {
    std::vector<SalvagedTable> tables;  ///< those that have rows or a fault
    std::string what;                   ///< what sqlite says of the original; empty = nothing is wrong with it
};
/// Reads each table from both ends up to the fault. Errors: R003 when `from` is no session at all; S003 when `to` cannot be written.
Result<Salvaged> salvageSession(const std::string& from, const std::string& to);
/// What `PRAGMA quick_check` and the list of tables say; empty = sound. Errors: R003, S001.
Result<std::string> checkSession(const std::string& path);

}  // namespace aliascope
