#include "core/recording/writer_mark.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>

namespace aliascope::recording {
namespace {

/// Field 22 of /proc/PID/stat. The command name (field 2) may hold blanks and brackets, so counting starts behind the last bracket.
std::string startOf(long pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    const std::string stat((std::istreambuf_iterator<char>(in)), {});
    auto at = stat.rfind(')');
    if (at == std::string::npos) return "0";
    for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
    if (at == std::string::npos) return "0";
    return stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

std::string bootId() {
    std::ifstream in("/proc/sys/kernel/random/boot_id");
    std::string id;
    in >> id;
    return id.empty() ? "-" : id;
}

std::string markOf(long pid) { return std::to_string(pid) + " " + startOf(pid) + " " + bootId(); }

}  // namespace

std::string ownWriterMark() { return markOf(::getpid()); }

long writerPid(std::string_view mark) {
    long pid = 0;
    const auto [end, error] = std::from_chars(mark.data(), mark.data() + mark.size(), pid);
    return error == std::errc() && pid > 0 ? pid : 0;
}

bool writerIsAlive(std::string_view mark) {
    const long pid = writerPid(mark);
    if (pid == 0) return false;
    if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return false;
    return markOf(pid) == mark;
}

}  // namespace aliascope::recording
