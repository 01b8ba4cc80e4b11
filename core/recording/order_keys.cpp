#include "core/recording/order_keys.h"

#include <algorithm>

namespace aliascope::recording {
namespace {

constexpr std::int64_t kStep = std::int64_t(1) << 32;

/// Which elements keep their keys: those of a longest increasing subsequence of the known ones.
std::vector<bool> keepers(const std::vector<std::optional<std::int64_t>>& old) {
    std::vector<std::size_t> tails;  // tails[k]: element that ends the best run of length k + 1
    std::vector<std::size_t> before(old.size(), old.size());
    for (std::size_t i = 0; i < old.size(); ++i) {
        if (!old[i]) continue;
        const auto it = std::lower_bound(tails.begin(), tails.end(), *old[i], [&](std::size_t t, std::int64_t key) { return *old[t] < key; });
        if (it != tails.begin()) before[i] = *std::prev(it);
        if (it == tails.end())
            tails.push_back(i);
        else
            *it = i;
    }
    std::vector<bool> keep(old.size(), false);
    if (!tails.empty())
        for (std::size_t i = tails.back(); i != old.size(); i = before[i]) keep[i] = true;
    return keep;
}

std::vector<std::int64_t> freshKeys(std::size_t n) {
    std::vector<std::int64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int64_t>(i) * kStep;
    return keys;
}

}  // namespace

std::vector<std::int64_t> orderKeys(const std::vector<std::optional<std::int64_t>>& old) {
    const std::size_t n = old.size();
    const std::vector<bool> keep = keepers(old);
    std::vector<std::int64_t> keys(n);
    for (std::size_t i = 0; i < n;) {
        if (keep[i]) {
            keys[i] = *old[i];
            ++i;
            continue;
        }
        // A run of elements without keys, between two that have one (or an end).
        std::size_t end = i;
        while (end < n && !keep[end]) ++end;
        const auto count = static_cast<std::int64_t>(end - i);
        std::int64_t low = 0, step = kStep;
        if (i > 0)
            low = keys[i - 1];
        else if (end < n)
            low = *old[end] - kStep * (count + 1);
        else
            low = -kStep;
        if (i > 0 && end < n) step = (*old[end] - low) / (count + 1);
        if (step == 0) return freshKeys(n);
        for (; i < end; ++i) keys[i] = low += step;
    }
    return keys;
}

}  // namespace aliascope::recording
