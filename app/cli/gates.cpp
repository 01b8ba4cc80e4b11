#include "app/cli/gates.h"

#include <fmt/format.h>

#include <cmath>

#include "app/cli/decision_view.h"
#include "app/cli/memory_source.h"
#include "app/cli/number_text.h"
#include "core/report/markup.h"

namespace aliascope::cli {
namespace {

std::string amountText(const std::optional<std::int64_t>& n) { return n ? grouped(*n) : "unknown"; }

std::string xmlEscaped(std::string_view text) { return report::escaped(escaped(text)); }

}  // namespace

LaneFigures figuresOf(Command& c, const Staged& staged, bool withPeak, const StageRow& stage) {
    LaneFigures out;
    out.last = stage;
    out.clones = out.last.clones;
    out.cloned = out.last.clonedBytes;
    out.copiedBack = out.last.copiedBackBytes;
    if (!withPeak) return out;
    const auto source = Predictions(c, staged).stage(out.last);
    if (const auto error = source->error()) {
        out.peakNote = error->sentence();
        return out;
    }
    out.peak = source->peakExact();
    if (source->conditional()) out.peakNote = "sizes depend on data";
    for (const auto& [symbol, value] : source->assumed())
        out.peakNote += fmt::format("{}{} = {}", out.peakNote.empty() ? "assumes " : ", ", symbol.str(), value);
    return out;
}

std::optional<Limit> parseLimit(const std::string& text, bool bytes) {
    Limit out;
    out.text = text;
    std::string rest = text;
    out.relative = rest.starts_with('+');
    if (out.relative) rest.erase(0, 1);
    if (rest.ends_with('%')) {
        if (!out.relative) return std::nullopt;
        const auto value = numberIn<double>(std::string_view(rest).substr(0, rest.size() - 1));
        if (!value || !(*value >= 0 && *value <= 1e6)) return std::nullopt;
        out.percent = true;
        out.amount = std::llround(*value * 100);
        return out;
    }
    if (!bytes) {
        const auto count = numberIn<std::int64_t>(rest);
        if (!count || *count < 0) return std::nullopt;
        out.amount = *count;
        return out;
    }
    const auto amount = parseAmount(rest);
    if (!amount) return std::nullopt;
    out.amount = *amount;
    return out;
}

GateResult judge(std::string gate, std::string key, bool bytes, const Limit& limit, const std::optional<std::int64_t>& value,
                 const std::optional<std::int64_t>& baseline) {
    GateResult out;
    out.gate = std::move(gate);
    out.key = std::move(key);
    out.limit = limit.text;
    out.bytes = bytes;
    out.value = value;
    if (limit.relative) {
        out.baseline = baseline;
        if (baseline) {
            const double more =
                limit.percent ? static_cast<double>(*baseline) * static_cast<double>(limit.amount) / 10'000 : static_cast<double>(limit.amount);
            const double most = static_cast<double>(*baseline) + std::floor(more);
            out.most = most < 9.2e18 ? static_cast<std::int64_t>(most) : std::int64_t(9'200'000'000'000'000'000);
        }
    } else {
        out.most = limit.amount;
    }
    if (limit.relative && !baseline)
        out.detail = "the baseline's value is not known";
    else if (!value)
        out.detail = "not known";
    else
        out.ok = *value <= *out.most;
    return out;
}

Table gateTable(const std::vector<GateResult>& gates) {
    Table table;
    table.columns = {{"gate", "gate"}, {"limit", "limit", true}, {"value", "value", true}, {"outcome", "outcome"}};
    for (const char* key : {"option", "most", "baseline", "ok", "unit", "detail"}) table.columns.push_back({key, ""});
    table.empty = "no gate was asked for";
    for (const GateResult& gate : gates) {
        Row row;
        const std::string limit =
            gate.most ? fmt::format("{}{}", grouped(*gate.most), gate.baseline ? fmt::format(" ({})", gate.limit) : "") : gate.limit;
        row.cells = {gate.gate, limit, amountText(gate.value), (gate.ok ? "ok" : "FAILED") + (gate.detail.empty() ? "" : ": " + gate.detail)};
        row.style = gate.ok ? Output::Style::Green : Output::Style::Red;
        row.json = {{"gate", gate.gate},
                    {"option", gate.key},
                    {"limit", gate.limit},
                    {"most", orNull(gate.most)},
                    {"value", orNull(gate.value)},
                    {"baseline", orNull(gate.baseline)},
                    {"unit", gate.bytes ? "bytes" : "count"},
                    {"ok", gate.ok},
                    {"outcome", gate.ok ? "ok" : "failed"},
                    {"detail", orNull(gate.detail)}};
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string junitText(const std::vector<GateResult>& gates, const std::string& suite) {
    std::size_t failed = 0;
    for (const GateResult& gate : gates) failed += !gate.ok;
    const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"", gates.size(), failed);
    std::string out =
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" {}>\n", counts, xmlEscaped(suite), counts);
    for (const GateResult& gate : gates) {
        out += fmt::format("    <testcase classname=\"aliascope.check\" name=\"{}\"", xmlEscaped(gate.key));
        const std::string words = fmt::format("{}: {}, limit {}", gate.gate, amountText(gate.value), gate.most ? grouped(*gate.most) : gate.limit);
        if (gate.ok) {
            out += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", xmlEscaped(words));
            continue;
        }
        out +=
            fmt::format(">\n      <failure type=\"gate\" message=\"{}\">{}</failure>\n    </testcase>\n", xmlEscaped(words), xmlEscaped(gate.detail));
    }
    return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace aliascope::cli
