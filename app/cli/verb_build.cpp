// `devices` and `doctor`: what this build can use here, and whether it is whole. `doctor FILE` looks at a session and saves what can be read.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include "app/cli/command.h"
#include "app/cli/samples.h"
#include "app/cli/source.h"
#include "app/cli/window_program.h"
#include "core/pipeline/pipeline.h"
#include "core/recording/session_copy.h"
#include "core/support/reasons.h"

namespace aliascope::cli {
namespace {

namespace fs = std::filesystem;

struct Checked {
    std::string what, detail;
    enum class Level : std::uint8_t { Ok, Note, Fault } level = Level::Ok;
};

const char* levelWord(Checked::Level level) {
    switch (level) {
        case Checked::Level::Ok:
            return "ok";
        case Checked::Level::Note:
            return "note";
        case Checked::Level::Fault:
            return "FAULT";
    }
    return "";
}

Checked checkOperators(Command& c) { return {"operators", fmt::format("{} operators, {} reasons", c.ops().size(), allReasons().size())}; }

Checked checkPipelines() {
    std::string missing;
    for (const std::string& name : pipelineNames()) {
        const auto pipeline = namedPipeline(name);
        if (!pipeline) return {"pipelines", pipeline.error().sentence(), Checked::Level::Fault};
        for (const std::string& pass : pipeline->missing)
            if (missing.find(pass) == std::string::npos) missing += (missing.empty() ? "" : ", ") + pass;
    }
    const std::string count = fmt::format("{} named pipelines, {} passes", pipelineNames().size(), allPasses().size());
    if (missing.empty()) return {"pipelines", count};
    return {"pipelines", fmt::format("{}; not in this build: {}", count, missing), Checked::Level::Note};
}

Checked checkSamples() {
    const auto folder = sampleFolder();
    if (!folder) return {"samples", "not found; ALIASCOPE_SAMPLES names their folder", Checked::Level::Note};
    return {"samples", *folder};
}

Checked checkWindow() {
    const std::string program = windowProgram();
    return program.empty() ? Checked{"window", "aliascope-gui is not installed; the command line does all the same", Checked::Level::Note}
                           : Checked{"window", program};
}

/// A run without -o is recorded there.
Checked checkTemporary() {
    try {
        TemporaryFolder folder;
        const fs::path file = folder.file("doctor");
        std::error_code error;
        const auto space = fs::space(file.parent_path(), error);
        if (error) return {"temporary folder", error.message(), Checked::Level::Fault};
        constexpr std::uintmax_t little = 64 << 20;
        return {"temporary folder",
                fmt::format("{}, {} free", file.parent_path().parent_path().string(), bytesText(static_cast<std::int64_t>(space.available))),
                space.available < little ? Checked::Level::Note : Checked::Level::Ok};
    } catch (const Failure& failure) {
        return {"temporary folder", failure.text, Checked::Level::Fault};
    }
}

/// A whole run of the smallest kind: reading, a pass, recording, printing.
Checked trialRun(Command& c) {
    static constexpr std::string_view text =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args "
        "= (%x,), "
        "kwargs = {})\n    return neg\n";
    auto document = readText(std::string(text), "trial", c.ops());
    if (!document || document->units.size() != 1) return {"trial run", "a graph of two nodes cannot be read", Checked::Level::Fault};
    auto pipeline = namedPipeline("best");
    if (!pipeline) return {"trial run", pipeline.error().sentence(), Checked::Level::Fault};
    const RunResult result = runPipeline(document->units.front().graph, *pipeline, c.ops(), {}, {});
    if (result.error) return {"trial run", result.error->sentence(), Checked::Level::Fault};
    return {"trial run", "a graph was read and went through pipeline best"};
}

Table checkedTable(const std::vector<Checked>& findings) {
    Table table{{{"check", "check"}, {"outcome", "outcome"}, {"detail", "detail"}}, {}, ""};
    for (const Checked& finding : findings) {
        std::string outcome = levelWord(finding.level);
        std::transform(outcome.begin(), outcome.end(), outcome.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        table.rows.push_back({{finding.what, levelWord(finding.level), finding.detail},
                              {{"check", finding.what}, {"outcome", outcome}, {"detail", finding.detail}},
                              finding.level == Checked::Level::Fault ? Output::Style::Red : Output::Style::Plain});
    }
    return table;
}

/// A session: sound or not; with -o what can be read goes there.
void examine(Command& c, const std::string& file, const std::string& copy) {
    c.input["path"] = file;
    const auto what = checkSession(file);
    if (!what) endWith(what.error());
    std::vector<Checked> findings = {
        {"session", what->empty() ? "sound" : "damaged: " + *what, what->empty() ? Checked::Level::Ok : Checked::Level::Fault}};
    Json saved = Json::array();
    if (!copy.empty()) {
        const auto salvaged = salvageSession(file, copy);
        if (!salvaged) endWith(salvaged.error());
        for (const SalvagedTable& table : salvaged->tables) {
            findings.push_back({"table " + table.name, fmt::format("{} rows{}", grouped(table.rows), table.whole ? "" : ", not all of them"),
                                table.whole ? Checked::Level::Ok : Checked::Level::Fault});
            saved.push_back({{"table", table.name}, {"rows", table.rows}, {"whole", table.whole}});
        }
        const bool any = std::any_of(salvaged->tables.begin(), salvaged->tables.end(), [](const SalvagedTable& table) { return table.rows > 0; });
        c.note(any ? fmt::format("what can be read is in {}", copy) : fmt::format("no row could be read: {} is a session without graphs", copy));
    } else if (!what->empty()) {
        c.note(fmt::format("aliascope doctor {} -o COPY.aliascope writes what can be read of it", file));
    }
    if (!what->empty()) c.setExit(ExitSession);
    const Table table = checkedTable(findings);
    if (c.json()) return c.answerJson({{"checks", table.json()}, {"sound", what->empty()}, {"copy", orNull(copy)}, {"tables", saved}});
    writeTable(c.out(), table, c.format());
}

}  // namespace

void runDevices(Command& c) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    struct Device {
        const char *name, *kind, *does;
    };
    static constexpr Device devices[] = {{"cpu", "CPU", "fast kernels; float sums in blocks, as PyTorch's"},
                                         {"cpu-ref", "CPU", "the yardstick: sums in double precision, one after the other"}};
    Table table{{{"name", "device"}, {"kind", "kind"}, {"threads", "threads", true}, {"detail", "does"}}, {}, ""};
    for (const Device& device : devices)
        table.rows.push_back({{device.name, device.kind, std::to_string(cores), device.does},
                              {{"name", device.name}, {"kind", device.kind}, {"available", true}, {"threads", cores}, {"detail", device.does}}});
    const char* none = "this build has no CUDA backend";
    table.rows.push_back({{"cuda:0", "CUDA", "-", none},
                          {{"name", "cuda:0"}, {"kind", "CUDA"}, {"available", false}, {"threads", nullptr}, {"detail", none}},
                          Output::Style::Dim});
    table.columns.push_back({"available", ""});
    c.answer(table, "devices");
}

void runDoctor(Command& c) {
    const std::string file = c.args().at(0);
    if (!file.empty()) return examine(c, file, c.args().get("--output"));
    if (c.args().has("--output")) usage("-o of `doctor` takes what can be read of a session: aliascope doctor SESSION -o COPY");
    const std::vector<Checked> findings = {checkOperators(c), checkPipelines(), checkSamples(), checkWindow(), checkTemporary(), trialRun(c)};
    const auto faults =
        std::count_if(findings.begin(), findings.end(), [](const Checked& finding) { return finding.level == Checked::Level::Fault; });
    if (faults > 0) c.setExit(ExitNotFound);
    const Table table = checkedTable(findings);
    if (c.json()) return c.answerJson({{"checks", table.json()}, {"faults", faults}});
    writeTable(c.out(), table, c.format());
}

}  // namespace aliascope::cli
