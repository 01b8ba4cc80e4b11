#include <fcntl.h>

#include <csignal>
#include <string>
#include <vector>

#include "app/cli/command.h"

namespace {

const aliascope::CancelToken& interrupted() {
    static const aliascope::CancelToken token;
    return token;
}

// Storing a lock-free atomic is all that happens here, which is safe inside a signal handler.
void onInterrupt(int) { interrupted().cancel(); }

/// A closed standard stream would give its number to the next file that is opened, and messages would end up in that file. What stands in for it
/// fails as the closed one would.
void holdStandardStreams() {
    for (int fd = 0; fd <= 2; ++fd)
        if (::fcntl(fd, F_GETFD) == -1) ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
    holdStandardStreams();
    interrupted();
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    action.sa_flags = SA_RESETHAND;  // a second interrupt ends the program at once
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return aliascope::cli::runCommandLine(std::vector<std::string>(argv + 1, argv + argc), interrupted());
}
