// `open`: starts the window where --at says (ui.md 6). What is asked for is looked up first: a window that opens elsewhere says less than a sentence.

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/cli/command.h"
#include "app/cli/node_lookup.h"
#include "app/cli/source.h"
#include "app/cli/window_program.h"

extern char** environ;

namespace aliascope::cli {
namespace {

namespace fs = std::filesystem;

struct Spot {
    std::string stage, node;
};

/// `stage=decompose,node=clone_default_7`.
Spot spotOf(const std::string& text) {
    Spot out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string part = text.substr(at, end - at);
        const std::size_t sign = part.find('=');
        const std::string key = part.substr(0, sign), value = sign == std::string::npos ? std::string() : part.substr(sign + 1);
        if (value.empty() || (key != "stage" && key != "node"))
            usage(fmt::format("--at {}: stage=NAME, node=NAME or both with a comma expected", text));
        (key == "stage" ? out.stage : out.node) = value;
        at = end + 1;
    }
    return out;
}

/// Of a session: the stage by its whole name, and that the node is there.
void lookUp(Command& c, const std::string& file, Spot& spot) {
    const Staged staged = openSession(c, file);
    const int at = spot.stage.empty() ? 0 : pickStage(staged, spot.stage).idx;
    if (at) spot.stage = staged.recording->stage(staged.lane.id, std::to_string(at))->name;
    if (spot.node.starts_with('%')) spot.node.erase(0, 1);
    if (!spot.node.empty()) requireNode(c, staged, spot.node, at);
}

std::vector<std::string> wordsFor(Command& c, const std::string& file, const Spot& spot) {
    std::vector<std::string> out = {file};
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) out.insert(out.end(), {option, value});
    };
    for (const std::string& ops : c.args().all("--ops")) add("--ops", ops);
    add("--pipeline", c.args().get("--pipeline"));
    add("--graph", c.args().get("--graph"));
    add("--stage", spot.stage);
    add("--node", spot.node);
    return out;
}

pid_t startWindow(const std::string& program, const std::vector<std::string>& words) {
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    pid_t pid = 0;
    if (const int error = ::posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv.data(), environ))
        throw Failure{ExitNotFound, fmt::format("{} cannot be started: {}", program, std::strerror(error))};
    return pid;
}

/// Its exit code, as a shell would tell it.
int waitFor(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

void runOpen(Command& c) {
    const std::string program = windowProgram();
    if (program.empty()) throw Failure{ExitNotFound, "aliascope-gui is neither beside aliascope nor in PATH; ALIASCOPE_WINDOW names another place"};
    std::vector<std::vector<std::string>> windows;
    for (const std::string& file : c.args().positional) {
        std::error_code ignored;
        if (!fs::exists(file, ignored)) throw Failure{ExitInput, file + ": no such file"};
        Spot spot = spotOf(c.args().get("--at"));
        if (isSessionFile(file)) lookUp(c, file, spot);
        windows.push_back(wordsFor(c, file, spot));
    }
    std::vector<pid_t> started;
    for (const auto& words : windows) started.push_back(startWindow(program, words));
    Json list = Json::array();
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const int exit = waitFor(started[i]);
        c.setExit(exit);
        list.push_back({{"program", program}, {"arguments", windows[i]}, {"exit", exit}});
    }
    if (c.json()) c.answerJson({{"windows", list}});
}

}  // namespace aliascope::cli
