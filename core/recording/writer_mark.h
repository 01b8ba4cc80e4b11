#pragma once
// Who writes a session: `meta.writer` holds the process id, the process's start time and the boot in which both are meant, so that a number
// that was given to another process later is not taken for the writer. Internal to core/recording.

#include <string>
#include <string_view>

namespace aliascope::recording {

/// Mark of this process: `PID START BOOT`; START in clock ticks since boot, 0 and `-` where the system does not tell.
std::string ownWriterMark();
/// The process of `mark` still runs. False for an empty or unreadable mark.
bool writerIsAlive(std::string_view mark);
/// Process id of a mark, 0 if it has none.
long writerPid(std::string_view mark);

}  // namespace aliascope::recording
