#include "core/text/natural_order.h"

#include <algorithm>

#include "core/text/literals.h"

namespace aliascope {
namespace {

/// The run of digits at `at`, leading zeros left out; `at` moves behind it.
std::string_view number(std::string_view text, std::size_t& at) {
    std::size_t begin = at;
    while (at < text.size() && isDigit(text[at])) ++at;
    while (begin + 1 < at && text[begin] == '0') ++begin;
    return text.substr(begin, at - begin);
}

}  // namespace

bool naturallyBefore(std::string_view a, std::string_view b) {
    std::size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
        if (isDigit(a[i]) && isDigit(b[k])) {
            const std::string_view x = number(a, i), y = number(b, k);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
        } else {
            if (a[i] != b[k]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[k]);
            ++i;
            ++k;
        }
    }
    // Equal so far: the shorter rest first, then the spelling (`01` and `1`).
    if (a.size() - i != b.size() - k) return a.size() - i < b.size() - k;
    return a < b;
}

}  // namespace aliascope
