// `report` (one HTML file) and `export` (a stage as SVG, DOT or text, or the session itself), ui.md 5.

#include <fmt/format.h>

#include <filesystem>

#include "app/cli/command.h"
#include "app/cli/graph_text.h"
#include "app/cli/source.h"
#include "app/cli/stage_selection.h"
#include "core/recording/lane_comparison.h"
#include "core/recording/session_copy.h"
#include "core/report/html_report.h"
#include "core/report/reproduce.h"

namespace aliascope::cli {
namespace {

/// A file that is there when it is complete; standard output without a path.
void writeTo(Command& c, const std::string& path, const std::string& text) {
    if (path.empty() || path == "-") return c.out().write(text);
    Output file(path, false);
    file.write(text);
    if (const std::string wrong = file.finish(); !wrong.empty()) throw Failure{ExitOutput, wrong};
}

/// The commands that give this lane again. Paths are as the user wrote them, or left out.
std::string commandsFor(Command& c, const Staged& staged) {
    const std::string file = c.args().at(0);
    const bool session = file != "-" && isSessionFile(file), redacted = c.args().has("--redact-paths");
    auto shown = [redacted](const std::string& path) { return redacted ? std::filesystem::path(path).filename().string() : path; };
    report::Reproduction from;
    from.source = shown(session ? staged.graph.sourcePath : file);
    for (const std::string& ops : c.args().all("--ops")) from.opsFiles.push_back(shown(ops));
    if (session) from.session = file;
    return report::reproduceCommands(staged.lane, from);
}

std::string exported(Command& c, const Staged& staged, const StageRow& stage, const std::string& form) {
    if (form == "svg") return report::stageSvg(pictureOf(c, staged, stage), true, c.cancel());
    if (form == "dot") return report::stageDot(pictureOf(c, staged, stage));
    if (c.args().has("--node") || c.args().has("--find"))
        usage(fmt::format("--node and --find choose what a picture shows; --as {} is the whole stage", form));
    auto graph = staged.recording->graph(staged.lane.id, stage.idx, c.ops());
    if (!graph) endWith(graph.error());
    return graphText(*graph, form == "graph" ? GraphOutput::Graph : GraphOutput::Readable);
}

/// The form that --as says, else the one that the name of the file ends in.
std::string formOfExport(Command& c) {
    static const std::vector<std::string> forms = {"svg", "dot", "graph", "readable", "session"};
    std::string form = c.args().get("--as");
    const std::string extension = std::filesystem::path(c.args().get("--output")).extension().string();
    if (form.empty())
        form = extension == ".dot" || extension == ".gv" ? "dot"
               : extension == ".py"                      ? "readable"
               : extension == ".txt"                     ? "graph"
               : extension == ".aliascope"               ? "session"
                                                         : "svg";
    if (std::find(forms.begin(), forms.end(), form) == forms.end())
        usage(fmt::format("--as {}: svg, dot, graph, readable or session expected", form));
    return form;
}

void exportSession(Command& c, const Staged& staged, const std::string& path) {
    if (path.empty() || path == "-") usage("--as session needs -o FILE");
    CopyOptions options;
    options.redactPaths = c.args().has("--redact-paths");
    if (auto copied = copySession(staged.recording->path(), path, options); !copied) endWith(copied.error());
}

}  // namespace

void runReport(Command& c) {
    const Staged staged = openStaged(c, c.args().at(0));
    const std::string path = c.args().get("--output");
    report::ReportOptions options;
    options.reproduce = commandsFor(c, staged);
    options.cancel = c.cancel();
    const auto html = report::htmlReport(*staged.recording, staged.graph, staged.lane, c.ops(), options);
    if (!html) endWith(html.error());
    if (!c.json()) {
        writeTo(c, path, *html);
        if (!path.empty()) c.note(fmt::format("{}: {}", path, bytesText(static_cast<std::int64_t>(html->size()))));
        return;
    }
    if (!path.empty()) writeTo(c, path, *html);
    const std::int64_t findings = totalsOf({staged.recording.get(), staged.lane.id}).findings;
    c.answerJson({{"written", orNull(path)}, {"bytes", html->size()}, {"findings", findings}, {"html", path.empty() ? Json(*html) : Json(nullptr)}});
}

void runExport(Command& c) {
    const std::string path = c.args().get("--output"), form = formOfExport(c);
    const Staged staged = openStaged(c, c.args().at(0));
    if (form == "session") {
        exportSession(c, staged, path);
        if (c.json()) c.answerJson({{"written", path}, {"form", form}, {"redacted", c.args().has("--redact-paths")}});
        return;
    }
    const StageRow stage = pickStage(staged, c.args().has("--stage") ? c.args().get("--stage") : "last");
    c.input["stage"] = stage.name;
    const std::string text = exported(c, staged, stage, form);
    if (!c.json()) return writeTo(c, path, text);
    if (!path.empty()) writeTo(c, path, text);
    c.answerJson({{"written", orNull(path)}, {"form", form}, {"bytes", text.size()}, {"text", path.empty() ? Json(text) : Json(nullptr)}});
}

}  // namespace aliascope::cli
