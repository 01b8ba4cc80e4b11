#include "core/support/reasons.h"

#include <array>
#include <unordered_map>

namespace aliascope {
namespace embedded {
extern const std::string_view reasons_tsv;
}
namespace {

constexpr std::size_t kColumns = 5;

std::vector<Reason> parseTable(std::string_view text) {
    std::vector<Reason> rows;
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.empty() || line.front() == '#') continue;
        std::array<std::string_view, kColumns> cell;
        for (std::size_t i = 0; i < kColumns; ++i) {
            const auto tab = i + 1 < kColumns ? line.find('\t') : std::string_view::npos;
            cell[i] = line.substr(0, tab);
            line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
        }
        rows.push_back({cell[0], cell[1], cell[2], cell[3], cell[4]});
    }
    return rows;
}

}  // namespace

const std::vector<Reason>& allReasons() {
    static const std::vector<Reason> rows = parseTable(embedded::reasons_tsv);
    return rows;
}

const Reason* findReason(std::string_view code, std::string_view area) {
    static const auto index = [] {
        std::unordered_multimap<std::string_view, const Reason*> map;
        for (const Reason& r : allReasons()) {
            map.emplace(r.code, &r);
            if (r.name != r.code) map.emplace(r.name, &r);
        }
        return map;
    }();
    const Reason* found = nullptr;
    const auto [begin, end] = index.equal_range(code);
    for (auto it = begin; it != end; ++it) {
        if (!area.empty() && it->second->area != area) continue;
        if (!found || it->second < found) found = it->second;  // rows lie in one array: the smaller address is the earlier row
    }
    return found;
}

std::string fillSentence(std::string_view sentence, const Params& params) {
    std::string out;
    out.reserve(sentence.size() + 32);
    while (!sentence.empty()) {
        const auto open = sentence.find('{');
        out += sentence.substr(0, open);
        if (open == std::string_view::npos) break;
        sentence.remove_prefix(open);
        const auto close = sentence.find('}');
        if (close == std::string_view::npos) {
            out += sentence;
            break;
        }
        const std::string_view key = sentence.substr(1, close - 1);
        bool known = false;
        for (const auto& [name, value] : params) {
            if (name != key) continue;
            out += value;
            known = true;
            break;
        }
        if (!known) out += sentence.substr(0, close + 1);
        sentence.remove_prefix(close + 1);
    }
    return out;
}

}  // namespace aliascope
