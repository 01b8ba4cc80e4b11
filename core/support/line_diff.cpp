#include "core/support/line_diff.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace aliascope {
namespace {

using Lines = std::vector<int>;  // lines as numbers: equal lines have equal numbers

/// Marks the lines that differ: Myers' algorithm in linear space (find the middle of a shortest path, go on in both halves), with an explicit stack.
class Differ {
public:
    Differ(const Lines& a, const Lines& b)
        : a_(a),
          b_(b),
          removed_(a.size()),
          added_(b.size()),
          offset_(static_cast<long>(b.size()) + 1),
          forward_(a.size() + b.size() + 3),
          backward_(forward_.size()) {}

    void run() {
        std::vector<Box> open = {{0, static_cast<long>(a_.size()), 0, static_cast<long>(b_.size())}};
        while (!open.empty()) {
            Box box = open.back();
            open.pop_back();
            while (box.x0 < box.x1 && box.y0 < box.y1 && a_[box.x0] == b_[box.y0]) ++box.x0, ++box.y0;
            while (box.x0 < box.x1 && box.y0 < box.y1 && a_[box.x1 - 1] == b_[box.y1 - 1]) --box.x1, --box.y1;
            if (box.x0 == box.x1 || box.y0 == box.y1) {
                std::fill(removed_.begin() + box.x0, removed_.begin() + box.x1, true);
                std::fill(added_.begin() + box.y0, added_.begin() + box.y1, true);
                continue;
            }
            const auto [x, y] = middle(box);
            open.push_back({box.x0, x, box.y0, y});
            open.push_back({x, box.x1, y, box.y1});
        }
    }

    const std::vector<bool>& removed() const { return removed_; }
    const std::vector<bool>& added() const { return added_; }

private:
    struct Box {
        long x0, x1, y0, y1;
    };
    static constexpr long patience = 2'000;  // steps from each side before the furthest point is good enough

    /// A point on a shortest path from (x0, y0) to (x1, y1), which is neither of them: first and last lines of the box differ.
    std::pair<long, long> middle(const Box& box) {
        long* forward = forward_.data() + offset_;
        long* backward = backward_.data() + offset_;
        const long least = box.x0 - box.y1, most = box.x1 - box.y0;  // diagonals x - y of the box
        const long fMid = box.x0 - box.y0, bMid = box.x1 - box.y1;
        const bool odd = ((fMid - bMid) & 1) != 0;
        long fMin = fMid, fMax = fMid, bMin = bMid, bMax = bMid;
        forward[fMid] = box.x0;
        backward[bMid] = box.x1;
        for (long step = 1;; ++step) {
            if (fMin > least)
                forward[--fMin - 1] = -1;
            else
                ++fMin;
            if (fMax < most)
                forward[++fMax + 1] = -1;
            else
                --fMax;
            for (long d = fMax; d >= fMin; d -= 2) {
                long x = forward[d - 1] < forward[d + 1] ? forward[d + 1] : forward[d - 1] + 1;
                while (x < box.x1 && x - d < box.y1 && a_[x] == b_[x - d]) ++x;
                forward[d] = x;
                if (odd && bMin <= d && d <= bMax && backward[d] <= x) return {x, x - d};
            }
            if (bMin > least)
                backward[--bMin - 1] = std::numeric_limits<long>::max();
            else
                ++bMin;
            if (bMax < most)
                backward[++bMax + 1] = std::numeric_limits<long>::max();
            else
                --bMax;
            for (long d = bMax; d >= bMin; d -= 2) {
                long x = backward[d - 1] < backward[d + 1] ? backward[d - 1] : backward[d + 1] - 1;
                while (x > box.x0 && x - d > box.y0 && a_[x - 1] == b_[x - d - 1]) --x;
                backward[d] = x;
                if (!odd && fMin <= d && d <= fMax && x <= forward[d]) return {x, x - d};
            }
            if (step >= patience) return furthest(box, fMin, fMax);
        }
    }

    std::pair<long, long> furthest(const Box& box, long fMin, long fMax) const {
        std::pair<long, long> best = {box.x0, box.y0};
        for (long d = fMax; d >= fMin; d -= 2) {
            long x = std::min(forward_[static_cast<std::size_t>(offset_ + d)], box.x1);
            long y = x - d;
            if (y > box.y1) {
                y = box.y1;
                x = y + d;
            }
            if (x + y > best.first + best.second) best = {x, y};
        }
        return best;
    }

    const Lines& a_;
    const Lines& b_;
    std::vector<bool> removed_, added_;
    long offset_;  ///< of diagonal 0
    std::vector<long> forward_, backward_;
};

void append(std::vector<DiffRun>& runs, DiffRun::Kind kind, std::size_t from, std::size_t to, std::size_t count) {
    if (count > 0) runs.push_back({kind, from, to, count});
}

/// `start,count` of a hunk header; an empty range names the line before it.
std::string range(std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    return std::to_string(count == 0 ? begin : begin + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::vector<DiffRun> diffLines(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::unordered_map<std::string_view, int> numbers;
    auto numbered = [&](const std::vector<std::string_view>& lines) {
        Lines out;
        out.reserve(lines.size());
        for (std::string_view line : lines) out.push_back(numbers.try_emplace(line, static_cast<int>(numbers.size())).first->second);
        return out;
    };
    const Lines x = numbered(a), y = numbered(b);
    Differ differ(x, y);
    differ.run();

    std::vector<DiffRun> runs;
    std::size_t i = 0, j = 0;
    while (i < x.size() || j < y.size()) {
        std::size_t same = 0, gone = 0, fresh = 0;
        while (i + same < x.size() && j + same < y.size() && !differ.removed()[i + same] && !differ.added()[j + same]) ++same;
        append(runs, DiffRun::Kind::Same, i, j, same);
        i += same;
        j += same;
        while (i + gone < x.size() && differ.removed()[i + gone]) ++gone;
        while (j + fresh < y.size() && differ.added()[j + fresh]) ++fresh;
        append(runs, DiffRun::Kind::Removed, i, j, gone);
        append(runs, DiffRun::Kind::Added, i + gone, j, fresh);
        i += gone;
        j += fresh;
    }
    return runs;
}

std::vector<std::string_view> splitLines(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string unifiedDiff(std::string_view a, std::string_view b, std::string_view nameA, std::string_view nameB, std::size_t context) {
    const auto from = splitLines(a), to = splitLines(b);
    const auto runs = diffLines(from, to);
    std::string out;
    for (std::size_t r = 0; r < runs.size();) {
        if (runs[r].kind == DiffRun::Kind::Same) {
            ++r;
            continue;
        }
        std::size_t last = r;  // of the hunk: changes with at most twice the context between them belong together
        for (std::size_t next = r + 1; next < runs.size(); ++next) {
            if (runs[next].kind != DiffRun::Kind::Same)
                last = next;
            else if (runs[next].count > 2 * context)
                break;
        }
        const std::size_t lead = std::min({context, runs[r].from, runs[r].to});
        const DiffRun& end = runs[last];
        const std::size_t endFrom = end.from + (end.kind == DiffRun::Kind::Removed ? end.count : 0);
        const std::size_t endTo = end.to + (end.kind == DiffRun::Kind::Added ? end.count : 0);
        const std::size_t trail = std::min({context, from.size() - endFrom, to.size() - endTo});
        if (out.empty()) out = "--- " + std::string(nameA) + "\n+++ " + std::string(nameB) + "\n";
        out += "@@ -" + range(runs[r].from - lead, endFrom + trail) + " +" + range(runs[r].to - lead, endTo + trail) + " @@\n";
        auto line = [&](char mark, std::string_view text) { (out += mark).append(text) += '\n'; };
        for (std::size_t i = 0; i < lead; ++i) line(' ', from[runs[r].from - lead + i]);
        for (std::size_t k = r; k <= last; ++k) {
            const DiffRun& run = runs[k];
            for (std::size_t i = 0; i < run.count; ++i) {
                if (run.kind == DiffRun::Kind::Added)
                    line('+', to[run.to + i]);
                else
                    line(run.kind == DiffRun::Kind::Same ? ' ' : '-', from[run.from + i]);
            }
        }
        for (std::size_t i = 0; i < trail; ++i) line(' ', from[endFrom + i]);
        r = last + 1;
    }
    return out;
}

}  // namespace aliascope
