// `selftest`: operators against recorded results.

#include <fmt/format.h>

#include "app/cli/command.h"
#include "core/exec/selftest.h"

namespace aliascope::cli {
namespace {

std::unique_ptr<exec::Backend> chosenBackend(Command& c) {
    const std::string device = c.args().get("--device");
    if (device.empty() || device == "cpu") return exec::makeCpuBackend(exec::Precision::Fast);
    if (device == "cpu-ref") return exec::makeCpuBackend(exec::Precision::Reference);
    usage(fmt::format("--device {}: cpu or cpu-ref expected", device));
}

Table failureTable(const exec::SelftestReport& report) {
    Table table{{{"line", "line", true}, {"op", "operator"}, {"what", "what differs", false, 90}}, {}, ""};
    for (const exec::SelftestFailure& f : report.failures) {
        Row row;
        row.cells = {std::to_string(f.line), f.op, f.what};
        row.json = {{"line", f.line}, {"op", f.op}, {"what", f.what}};
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

void runSelftest(Command& c) {
    const std::string records = c.args().get("--records");
    const auto backend = chosenBackend(c);
    exec::SelftestOptions options;
    options.cancel = c.cancel();
    const auto report = records.empty() ? exec::selftestText(exec::bundledSelftest(), c.ops(), *backend, options)
                                        : exec::selftestFile(records, c.ops(), *backend, options);
    if (!report) endWith(report.error());
    c.input = {{"path", records.empty() ? Json(nullptr) : Json(records)}, {"device", backend->name()}};
    if (report->failed) c.setExit(ExitNotFound);
    const Table failures = failureTable(*report);
    if (c.json())
        return c.answerJson({{"passed", report->passed},
                             {"failed", report->failed},
                             {"unsupported", report->unsupported},
                             {"unsupported_ops", report->unsupportedOps},
                             {"failures", failures.json()}});
    if (!failures.rows.empty() || c.format() != Format::Table) writeTable(c.out(), failures, c.format());
    if (c.format() != Format::Table) return;
    c.out().write(fmt::format("{} passed, {} failed, {} unsupported\n", report->passed, report->failed, report->unsupported));
    for (const auto& [op, calls] : report->unsupportedOps) c.out().write(fmt::format("  no kernel for {} ({} calls)\n", op, calls));
}

}  // namespace aliascope::cli
