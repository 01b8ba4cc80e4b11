#include "core/support/nearest.h"

#include <algorithm>
#include <cctype>

namespace aliascope {
namespace {

constexpr std::size_t longestCompared = 64;  // names are short; what is longer is no misspelling of one

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    a = a.substr(0, longestCompared);
    b = b.substr(0, longestCompared);
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

bool startsWith(std::string_view text, std::string_view head) {
    return text.size() >= head.size() && std::equal(head.begin(), head.end(), text.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string join(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

}  // namespace

std::vector<std::string> nearestNames(std::string_view typed, const std::vector<std::string>& known, std::size_t most) {
    std::vector<std::pair<std::size_t, const std::string*>> found;
    for (const std::string& name : known) {
        const std::size_t steps = typed.size() >= 2 && startsWith(name, typed) ? 0 : distance(typed, name);
        if (steps <= std::max<std::size_t>(2, std::max(typed.size(), name.size()) / 3) && steps < std::max(typed.size(), name.size()))
            found.emplace_back(steps, &name);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> out;
    for (std::size_t i = 0; i < found.size() && i < most; ++i) out.push_back(*found[i].second);
    return out;
}

std::string nearestList(std::string_view typed, const std::vector<std::string>& known, std::size_t most) {
    const auto near = nearestNames(typed, known, most);
    return join(near.empty() ? known : near);
}

std::string nearestPhrase(std::string_view typed, const std::vector<std::string>& known, std::size_t most) {
    const auto near = nearestNames(typed, known, most);
    return near.empty() ? "there are " + join(known) : "nearest " + join(near);
}

}  // namespace aliascope
