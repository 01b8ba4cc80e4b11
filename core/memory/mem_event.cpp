#include "core/memory/mem_event.h"

#include <array>

namespace aliascope::memory {

std::string_view toString(EventKind kind) {
    static constexpr std::array<std::string_view, 14> names = {"input",           "constant",       "alloc", "reuse",         "donate",       "free",  "output",
                                                               "workspace_alloc", "workspace_free", "slack", "segment_alloc", "segment_free", "enter", "leave"};
    return names[static_cast<std::size_t>(kind)];
}

void EventLog::add(Event e) {
    if (e.liveExact > peakExact || (peakSeq < 0 && e.liveExact == peakExact)) {
        peakExact = e.liveExact;
        peakSeq = static_cast<std::int64_t>(events.size());
    }
    if (e.liveCharged > peakCharged) peakCharged = e.liveCharged;
    events.push_back(e);
}

}  // namespace aliascope::memory
