#include "core/text/trace_counts.h"

#include <algorithm>

#include "core/text/find.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"

namespace aliascope {
namespace {

/// Calls `f` for every line, its TAB and line end taken off, until it gives false.
template <class F>
void eachLine(std::string_view payload, F&& f) {
    for (std::size_t at = 0; at < payload.size();) {
        const std::size_t end = std::min(payload.find('\n', at), payload.size());
        std::string_view line = payload.substr(at, end - at);
        if (line.substr(0, 1) == "\t") line.remove_prefix(1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!f(line)) return;
        at = end + 1;
    }
}

}  // namespace

std::optional<std::size_t> countModules(std::string_view payload) {
    std::size_t outer = kNone;
    bool forward = false, one = true;
    eachLine(payload, [&](std::string_view line) {
        const std::size_t indent = indentOf(line);
        if (indent == line.size()) return true;
        if (outer == kNone) {
            outer = indent;
            return one = classLineAt(line) == indent;
        }
        if (!forward) {
            forward = forwardLineAt(line) != kNone;
            if (!forward && classLineAt(line) != kNone) return one = false;
        }
        return one = indent > outer;
    });
    return one && forward ? std::optional<std::size_t>(1) : std::nullopt;
}

std::optional<std::size_t> countFragments(std::string_view payload) {
    std::size_t count = 0;
    bool inside = false, plain = true;
    eachLine(payload, [&](std::string_view line) {
        const std::size_t mark = indentOf(line);
        if (mark == line.size()) return true;
        if (line[mark] != '#') return plain = classLineAt(line) == kNone && forwardLineAt(line) == kNone && graphHeaderAt(line) == kNone;
        const std::string_view comment = trimmed(line.substr(mark + 1));
        if (isNodeLine(comment)) {
            count += inside ? 0 : 1;
            inside = true;
        } else if (isReturnLine(comment)) {
            inside = false;
        }
        return true;
    });
    return plain ? std::optional(count) : std::nullopt;
}

}  // namespace aliascope
