#pragma once
// Gates of `check`: limits for the last stage of a lane, absolute or against a baseline.

#include <optional>
#include <string>
#include <vector>

#include "app/cli/source.h"

namespace aliascope::cli {

/// What gates speak of. Nothing = not known, for example because sizes are symbolic.
struct LaneFigures {
    StageRow last;  ///< the stage whose figures these are
    std::optional<std::int64_t> clones, cloned, copiedBack, peak;
    std::string peakNote;  ///< why the peak is not known, or what it assumes
};
/// `withPeak`: predicts the memory of the stage.
LaneFigures figuresOf(Command& c, const Staged& staged, bool withPeak, const StageRow& stage);

/// A limit as a user writes it: `0`, `1.2GiB`; `+5%`, `+0`, `+64KiB` = that much more than the baseline has.
struct Limit {
    std::int64_t amount = 0;  ///< hundredths of a percent where `percent`
    bool relative = false, percent = false;
    std::string text;
};
/// Nothing when it is none. `bytes`: units of sizes are allowed.
std::optional<Limit> parseLimit(const std::string& text, bool bytes);

struct GateResult {
    std::string gate, key;  ///< `cloned bytes`, `max-cloned`
    std::string limit;
    std::optional<std::int64_t> most, value, baseline;
    bool bytes = false, ok = false;
    std::string detail;  ///< of a failed gate why; else what is good to know, or empty
};

/// Holds when `value` is known and at most the limit; a relative limit also needs `baseline`.
GateResult judge(std::string gate, std::string key, bool bytes, const Limit& limit, const std::optional<std::int64_t>& value,
                 const std::optional<std::int64_t>& baseline);

Table gateTable(const std::vector<GateResult>& gates);
/// One test suite with one case a gate, as CI systems read it.
std::string junitText(const std::vector<GateResult>& gates, const std::string& suite);

}  // namespace aliascope::cli
