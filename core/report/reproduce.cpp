#include "core/report/reproduce.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/pipeline/pipeline.h"
#include "core/support/shell_word.h"

namespace aliascope::report {
using words::shellWord;

std::string reproduceCommands(const LaneRow& lane, const Reproduction& from) {
    const std::string source = from.source.empty() || from.source == "-" ? "FILE" : from.source;
    const std::string pipeline = lane.name.substr(0, lane.name.find('#'));
    const bool named = !pipeline.empty() && namedPipeline(pipeline).has_value();
    std::string run = fmt::format("aliascope run {}", shellWord(source));
    run += named ? " --pipeline " + pipeline : " --passes " + shellWord(lane.pipeline);
    for (const std::string& ops : from.opsFiles) run += " --ops " + shellWord(ops);
    const std::string kept = from.session.empty() ? "SESSION" : std::filesystem::path(from.session).filename().string();
    return run + fmt::format(" -o {0}\naliascope report {0} --pipeline {1} -o report.html", shellWord(kept), shellWord(lane.name));
}

}  // namespace aliascope::report
