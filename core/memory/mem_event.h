#pragma once
// What happens to memory while a graph runs, or is predicted to run (executor.md 4.6). The prediction and the run produce the same list.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/id.h"

namespace aliascope::memory {

enum class EventKind : std::uint8_t {
    Input, Constant, Alloc, Reuse, Donate, Free, Output, WorkspaceAlloc, WorkspaceFree, Slack, SegmentAlloc, SegmentFree, Enter, Leave
};
std::string_view toString(EventKind kind);  ///< `alloc`, `workspace_alloc`, … as session.md stores them

/// Which node, in which frame. Body 0 is the main graph; bodies count in the order in which a recording numbers them.
struct Site {
    std::uint32_t body = 0;
    NodeId node;
    std::uint32_t callPath = 0;  ///< index into EventLog::callPaths; 0 = the main graph's own frame
    friend bool operator==(const Site&, const Site&) = default;
};

/// Number of a storage within a run, in birth order from 0.
using StorageId = std::uint32_t;
inline constexpr StorageId kNoStorage = 0xFFFFFFFF;

struct Event {
    std::int64_t time = 0;  ///< ns since the run began; 0 in a prediction, and never compared
    EventKind kind = EventKind::Alloc;
    Site site;
    StorageId storage = kNoStorage;
    std::uint32_t tenant = 0;         ///< how often the storage has been reused before
    std::int64_t exact = 0;           ///< bytes of the request: extent x item size; never negative
    std::int64_t charged = 0;         ///< bytes that the caching allocator takes for it
    std::int64_t address = -1;        ///< offset in the model's address space; -1 = none
    std::int64_t liveExact = 0, liveCharged = 0, reserved = 0;  ///< after the event
    /// Everything but the time.
    friend bool operator==(const Event& a, const Event& b) {
        return a.kind == b.kind && a.site == b.site && a.storage == b.storage && a.tenant == b.tenant && a.exact == b.exact && a.charged == b.charged &&
               a.address == b.address && a.liveExact == b.liveExact && a.liveCharged == b.liveCharged && a.reserved == b.reserved;
    }
};

struct EventLog {
    std::vector<Event> events;  ///< index = seq
    std::vector<std::string> callPaths = {""};
    std::int64_t peakExact = 0, peakCharged = 0;
    std::int64_t peakSeq = -1;  ///< first event at which liveExact is peakExact; -1 = no event
    bool conditional = false;   ///< sizes depend on data: the prediction took them from a run, or stopped there
    void add(Event e);          ///< keeps the peaks
};

}  // namespace aliascope::memory
