// Linked into every test of a sanitizer build. The thread by which Qt Test watches for hanging tests may still be ending when the process exits; what
// it holds then looks leaked to LeakSanitizer. Objects like this one are destroyed before leaks are looked for.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

namespace {

struct OtherThreadsEnd {
    OtherThreadsEnd() = default;
    OtherThreadsEnd(const OtherThreadsEnd&) = delete;
    OtherThreadsEnd& operator=(const OtherThreadsEnd&) = delete;
    ~OtherThreadsEnd() {
        // Not for ever: threads of libraries stay to the end of the process.
        for (int i = 0; i < 50 && threads() > 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }

    static std::ptrdiff_t threads() {
        std::error_code error;
        return std::distance(std::filesystem::directory_iterator("/proc/self/task", error), {});
    }
} otherThreadsEnd;

}  // namespace
