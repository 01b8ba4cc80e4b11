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

}  // namespace

int main(int argc, char** argv) {
    interrupted();
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    action.sa_flags = SA_RESETHAND;  // a second interrupt ends the program at once
    sigaction(SIGINT, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return aliascope::cli::runCommandLine(std::vector<std::string>(argv + 1, argv + argc), interrupted());
}
