#include "views/session/side_by_side.h"

#include <algorithm>

#include "core/support/line_diff.h"

namespace aliascope {
namespace {

/// Indices of a longest rising subsequence of `values`, rising.
std::vector<std::size_t> longestRising(const std::vector<int>& values) {
    std::vector<std::size_t> ends, before(values.size());  // ends[k]: where the best sequence of length k + 1 ends
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto place = std::lower_bound(ends.begin(), ends.end(), values[i], [&](std::size_t e, int v) { return values[e] < v; });
        before[i] = place == ends.begin() ? i : *(place - 1);
        if (place == ends.end())
            ends.push_back(i);
        else
            *place = i;
    }
    std::vector<std::size_t> out(ends.size());
    std::size_t at = ends.empty() ? 0 : ends.back();
    for (std::size_t k = ends.size(); k-- > 0; at = before[at]) out[k] = at;
    return out;
}

class Aligner {
public:
    Aligner(const StageText& left, const StageText& right, std::vector<SideBySide::Row>& rows) : left_(left), right_(right), rows_(rows) {}

    void align() {
        std::vector<int> leftLines, rightLines;  // of nodes that both have
        for (std::size_t i = 0; i < left_.lines.size(); ++i) {
            const Uid uid = left_.uidOfLine[i];
            if (uid == kNoUid || isMoved(left_, uid, int(i))) continue;
            const auto there = right_.lineOf.find(uid);
            if (there == right_.lineOf.end()) continue;
            leftLines.push_back(int(i));
            rightLines.push_back(there->second);
        }
        int l = 0, r = 0;
        for (std::size_t i : longestRising(rightLines)) {
            between(l, leftLines[i], r, rightLines[i]);
            l = leftLines[i] + 1;
            r = rightLines[i] + 1;
            const bool same = left_.lines[std::size_t(l - 1)] == right_.lines[std::size_t(r - 1)];
            rows_.push_back({l - 1, r - 1, same ? ' ' : '~'});
        }
        between(l, int(left_.lines.size()), r, int(right_.lines.size()));
    }

private:
    /// A node may name several lines; its own is the first.
    static bool isMoved(const StageText& text, Uid uid, int line) {
        const auto own = text.lineOf.find(uid);
        return own != text.lineOf.end() && own->second != line;
    }

    /// Lines between two anchors. Equal lines without a node pair up; the rest is removed, added or moved.
    void between(int l, int lEnd, int r, int rEnd) {
        std::vector<std::string> kept;
        kept.reserve(std::size_t(lEnd - l + rEnd - r));
        const auto textOf = [&kept](const StageText& text, int from, int to) {
            std::vector<std::string_view> out;
            for (int i = from; i < to; ++i) {
                kept.push_back(text.lines[std::size_t(i)].toStdString());
                out.push_back(kept.back());
            }
            return out;
        };
        const auto a = textOf(left_, l, lEnd), b = textOf(right_, r, rEnd);
        std::vector<int> gone, come;
        const auto flush = [&] {
            for (std::size_t i = 0; i < std::max(gone.size(), come.size()); ++i) {
                const int lineL = i < gone.size() ? gone[i] : -1, lineR = i < come.size() ? come[i] : -1;
                const bool movedL = lineL >= 0 && stands(right_, left_.uidOfLine[std::size_t(lineL)]);
                const bool movedR = lineR >= 0 && stands(left_, right_.uidOfLine[std::size_t(lineR)]);
                // One mark per row: a row that pairs what came with what went is a change.
                char mark = lineL < 0 ? (movedR ? '>' : '+') : lineR < 0 ? (movedL ? '>' : '-') : '~';
                if (lineL >= 0 && lineR >= 0 && movedL && movedR) mark = '>';
                rows_.push_back({lineL, lineR, mark});
            }
            gone.clear();
            come.clear();
        };
        for (const DiffRun& run : diffLines(a, b)) {
            for (std::size_t i = 0; i < run.count; ++i) {
                if (run.kind == DiffRun::Kind::Removed) gone.push_back(l + int(run.from + i));
                if (run.kind == DiffRun::Kind::Added) come.push_back(r + int(run.to + i));
                if (run.kind != DiffRun::Kind::Same) continue;
                flush();
                rows_.push_back({l + int(run.from + i), r + int(run.to + i), ' '});
            }
        }
        flush();
    }
    static bool stands(const StageText& text, Uid uid) { return uid != kNoUid && text.lineOf.contains(uid); }

    const StageText& left_;
    const StageText& right_;
    std::vector<SideBySide::Row>& rows_;
};

}  // namespace

SideBySidePtr alignTexts(StageTextPtr left, StageTextPtr right) {
    auto out = std::make_shared<SideBySide>();
    out->left = std::move(left);
    out->right = std::move(right);
    Aligner(*out->left, *out->right, out->rows).align();
    for (std::size_t i = 0; i < out->rows.size(); ++i)
        if (out->rows[i].mark != ' ' && (i == 0 || out->rows[i - 1].mark == ' ')) out->hunks.push_back(int(i));
    return out;
}

}  // namespace aliascope
