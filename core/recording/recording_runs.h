#pragma once
// Rows of runs and comparisons (session.md 2: run, digest, timing, comparison, comparison_row, probe), as panels and verbs read them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/exec/digest.h"

namespace aliascope {

/// One execution, or prediction, of a stage.
struct RunRow {
    std::int64_t id = 0, stageId = 0, lane = 0;
    int stage = 0;
    std::string stageName, kind, device, backend, mode, accounting, state, inputs, options, created;
    std::optional<std::int64_t> seed, peakExact, peakCharged, wallNs;
    bool synthetic = false;
    std::int64_t digests = 0;  ///< rows of its own
};

/// A value of a run. `out`: component of the node's result; of the output node, which tensor it returns; -1 of a placeholder: the input after the
/// run; -1-k of another node: its k-th written operand after the call.
struct DigestRow {
    std::uint64_t uid = 0;
    int out = 0;
    std::string callPath;               ///< empty = main graph's frame
    std::string node, op, label, type;  ///< label: `cos`, `x of mylib::two after`, `returned value 0`, `x_1 after the run`
    exec::Digest digest;                ///< dtype, shape and strides are in `type`
};

struct TimingRow {
    std::uint64_t uid = 0;
    std::string callPath, node, op;
    int repeat = 0;
    std::int64_t ns = 0;
};

/// Policy of a `comparison` that states errors against a run in doubles (mode `f64`) instead of comparing two stages: its rows belong to those of the
/// latest comparison before it of which its run_b is a side, by their number.
inline constexpr const char* kErrorPolicy = "error";

/// A later stage's run against an earlier one's.
struct ComparisonRow {
    std::int64_t id = 0, runA = 0, runB = 0;
    int stageA = 0, stageB = 0;
    std::string stageNameA, stageNameB, policy, verdict;
    std::optional<std::uint64_t> firstUid;  ///< where it begins, in the later stage
    int firstOut = 0;
    std::string first;  ///< its label
};

/// One value of a comparison; glyphs of the numerics view: `.` same, value-same, close; `X` differs; `x` differs and inherited; `-` no counterpart;
/// `~` not comparable.
struct ComparedRow {
    int seq = 0, out = 0;
    std::optional<std::uint64_t> uidA, uidB;
    std::string nodeA, nodeB, opB, label, verdict;  ///< of a result or input after the run the label says so
    bool inherited = false;
    std::optional<double> maxAbs, maxRel, ulp;  ///< nothing where values were not fetched
    std::optional<double> errorA, errorB;       ///< largest error of either value against doubles; nothing without `--reference f64`
    std::string at, a, b;                       ///< `[3, 0]` and both values
    char glyph() const;
};

/// One attempt of bisect or reduce.
struct ProbeRow {
    std::int64_t id = 0;
    std::string kind, verdict, command;
    int seq = 0;
    std::optional<std::int64_t> k, run;
};

}  // namespace aliascope
