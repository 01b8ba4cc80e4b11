#pragma once
// What people ask of an event log (ui.md 2.8): the curve, who is live, who holds the peak, how two runs differ at their peaks. The recording answers
// the same questions from a session in the same rows (core/recording/recording.h).
// Thread-safety: a MemoryReport is immutable; the log that it was made of must outlive it.

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/memory/mem_event.h"

namespace aliascope::memory {

inline constexpr std::int64_t kNever = 2147483647;  ///< death of what lives to the end (session.md)

enum class Accounting : std::uint8_t { Exact, Charged };

/// What a storage is for: `input`, `constant`, `value`, `output`, `workspace`, `slack`.
enum class Role : std::uint8_t { Input, Constant, Value, Output, Workspace, Slack };
std::string_view toString(Role role);

/// One storage from birth to death, in event numbers: live after events birth … death - 1. Inputs and constants have no bytes of their own in the
/// totals.
struct Lifetime {
    StorageId storage = kNoStorage;
    Role role = Role::Value;
    Site origin;  ///< who allocated it
    Site last;    ///< who let it go: its last user; of outputs the output node
    std::int64_t birth = 0, death = kNever;
    std::int64_t exact = 0, charged = 0;
    std::int64_t address = -1;  ///< offset in the caching allocator's address space; -1 = none
    std::uint32_t tenants = 0;  ///< how often it was reused
    bool counts() const { return role != Role::Input && role != Role::Constant; }
    std::int64_t bytes(Accounting a) const { return a == Accounting::Exact ? exact : charged; }
};

/// Live bytes over the events [seq, seq + events).
struct CurveBucket {
    std::int64_t seq = 0, events = 0;
    std::int64_t minLive = 0, maxLive = 0;
};

/// Storages of one group, largest groups first.
struct Held {
    std::string key;
    std::int64_t exact = 0, charged = 0, storages = 0;
};

/// How a storage of two runs fares at their peaks.
enum class DifferenceKind : std::uint8_t {
    OnlyA,  ///< held at A's peak; B never has it
    OnlyB,
    Longer,   ///< held at A's peak; B has it, but not at its peak
    Shorter,  ///< the other way round
    Bytes     ///< held at both, of different size
};
std::string_view toString(DifferenceKind kind);  ///< `only-a`, …
struct DifferenceRow {
    DifferenceKind kind = DifferenceKind::OnlyA;
    Site origin;  ///< node ids are stable over the stages of a lane
    std::string callPath;
    StorageId a = kNoStorage, b = kNoStorage;
    std::int64_t bytesA = 0, bytesB = 0;  ///< exact, of the storage where it exists
};
struct PeakDifference {
    std::int64_t peakA = 0, peakB = 0, seqA = -1, seqB = -1;
    std::int64_t same = 0;            ///< bytes held at both peaks by the same origins
    std::vector<DifferenceRow> rows;  ///< largest first
};

/// Storages of a run, in birth order: a single pass over the events.
std::vector<Lifetime> lifetimesOf(const EventLog& log);

/// Groups of `held`, by what `key` says of each.
std::vector<Held> groupHeld(const std::vector<Lifetime>& held, const std::function<std::string(const Lifetime&)>& key);

/// One run as differencing sees it: its lifetimes, its peak event, and the text of its call paths.
struct PeakView {
    const std::vector<Lifetime>& lifetimes;  ///< in birth order
    std::int64_t peakSeq = -1, peakExact = 0;
    const std::vector<std::string>& callPaths;
};
/// Storages are matched by origin node, call path and rank among the storages of that node.
PeakDifference comparePeaks(const PeakView& a, const PeakView& b);

/// How a curve of [from, to) in about `buckets` buckets is read: every bucket is `width` events, a multiple of 64^level, and starts at such a
/// multiple.
struct CurvePlan {
    int level = 0;  ///< 0 = single events
    std::int64_t start = 0, end = 0, width = 1;
};
CurvePlan planCurve(std::int64_t from, std::int64_t to, int buckets);
inline constexpr int kLevelShift = 6;  ///< a level is 64 times coarser than the one below it

/// One level of the pyramid of live exact bytes.
struct LiveRange {
    std::int64_t min = std::numeric_limits<std::int64_t>::max(), max = std::numeric_limits<std::int64_t>::min();
    void add(const LiveRange& r) {
        min = std::min(min, r.min);
        max = std::max(max, r.max);
    }
};
/// Levels from 1 (64 events a bucket) up to the one that is a single bucket. O(events).
std::vector<std::vector<LiveRange>> livePyramid(const EventLog& log, Accounting accounting);

class MemoryReport {
public:
    explicit MemoryReport(const EventLog& log);

    const EventLog& log() const { return log_; }
    const std::vector<Lifetime>& lifetimes() const { return lifetimes_; }  ///< in birth order
    const Lifetime* find(StorageId storage) const;

    /// About `buckets` (at most one more) of the events [from, to); `to` < 0 = the end. O(buckets) thanks to the pyramid.
    std::vector<CurveBucket> curve(std::int64_t from = 0, std::int64_t to = -1, int buckets = 1000, Accounting accounting = Accounting::Exact) const;
    /// Live after event `seq`, in birth order; inputs and constants only on request. O(log n + answer · log n).
    std::vector<Lifetime> liveAt(std::int64_t seq, bool borrowed = false) const;
    /// The storages that hold the peak, largest first.
    std::vector<Lifetime> peakHolders() const;
    /// The `limit` largest storages by bytes, in birth order.
    std::vector<Lifetime> largest(std::size_t limit) const;
    /// First event at which live exact bytes are highest if `without` had never been; with that height.
    std::pair<std::int64_t, std::int64_t> peakWithout(StorageId without) const;
    /// Event with the highest live bytes of a node's own events; -1 when it has none.
    std::int64_t seqOf(const Site& site) const;
    PeakView peakView() const { return {lifetimes_, log_.peakSeq, log_.peakExact, log_.callPaths}; }

private:
    void collectLive(std::size_t node, std::size_t begin, std::size_t end, std::size_t born, std::int64_t seq, bool borrowed,
                     std::vector<Lifetime>& out) const;

    const EventLog& log_;
    std::vector<Lifetime> lifetimes_;
    std::vector<std::uint32_t> byStorage_;   ///< index into lifetimes_, or none
    std::vector<std::int64_t> latestDeath_;  ///< segment tree over lifetimes_ (birth order): latest death below a node
    std::vector<std::vector<LiveRange>> exact_, charged_;
};

/// The first event in which a run differs from its prediction; nothing when they agree (executor.md 4.5).
std::optional<std::int64_t> firstDivergence(const EventLog& planned, const EventLog& happened);
/// An event as a PLAN_MISMATCH shows it: kind, storage, bytes, totals.
std::string describe(const EventLog& log, std::int64_t seq);

}  // namespace aliascope::memory
