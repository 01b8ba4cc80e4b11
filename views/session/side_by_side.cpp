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
    Aligner(const StageText& left, const StageText& right, Renames renames, std::vector<SideBySide::Row>& rows)
        : left_(left), right_(right), renames_(renames), rows_(rows) {}

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
            rows_.push_back({l - 1, r - 1, alike(left_.lines[std::size_t(l - 1)], right_.lines[std::size_t(r - 1)]) ? ' ' : '~'});
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
    bool alike(const QString& a, const QString& b) const { return a == b || (renames_ == Renames::Ignored && sayTheSame(a, b)); }

    /// Equal but for names that stand for the same node on both sides.
    bool sayTheSame(const QString& a, const QString& b) const {
        qsizetype i = 0, j = 0;
        while (i < a.size() && j < b.size()) {
            if (!isNamePart(a[i]) || !isNamePart(b[j])) {
                if (a[i++] != b[j++]) return false;
                continue;
            }
            const QStringView nameA = nameAt(a, i), nameB = nameAt(b, j);
            i += nameA.size();
            j += nameB.size();
            if (nameA == nameB) continue;
            const auto here = left_.uidOfName.find(nameA.toString().toStdString()), there = right_.uidOfName.find(nameB.toString().toStdString());
            if (here == left_.uidOfName.end() || there == right_.uidOfName.end() || here->second != there->second) return false;
        }
        return i == a.size() && j == b.size();
    }
    static bool isNamePart(QChar c) { return c.isLetterOrNumber() || c == QLatin1Char('_'); }
    static QStringView nameAt(const QString& text, qsizetype from) {
        qsizetype end = from;
        while (end < text.size() && isNamePart(text[end])) ++end;
        return QStringView(text).mid(from, end - from);
    }
    static bool stands(const StageText& text, Uid uid) { return uid != kNoUid && text.lineOf.contains(uid); }

    const StageText& left_;
    const StageText& right_;
    Renames renames_;
    std::vector<SideBySide::Row>& rows_;
};

}  // namespace

SideBySidePtr alignTexts(StageTextPtr left, StageTextPtr right, Renames renames) {
    auto out = std::make_shared<SideBySide>();
    out->left = std::move(left);
    out->right = std::move(right);
    Aligner(*out->left, *out->right, renames, out->rows).align();
    for (std::size_t i = 0; i < out->rows.size(); ++i)
        if (out->rows[i].mark != ' ' && (i == 0 || out->rows[i - 1].mark == ' ')) out->hunks.push_back(int(i));
    return out;
}

ShownRowsPtr showAllRows(const SideBySide& both) {
    auto out = std::make_shared<ShownRows>();
    for (int row = 0; row < int(both.rows.size()); ++row) {
        out->lines.push_back({row, 0});
        out->lineOf.push_back(row);
    }
    return out;
}

ShownRowsPtr hideUnchanged(const SideBySide& both, int context, const std::set<int>& opened) {
    const int count = int(both.rows.size());
    std::vector<char> shown(std::size_t(count), 0);
    for (int row = 0, upTo = 0; row < count; ++row) {  // upTo: rows before it are decided
        if (both.rows[std::size_t(row)].mark == ' ') continue;
        const int end = std::min(count, row + context + 1);
        for (int near = std::max(upTo, row - context); near < end; ++near) shown[std::size_t(near)] = 1;
        upTo = end;
    }
    auto out = std::make_shared<ShownRows>();
    out->lineOf.resize(std::size_t(count));
    for (int row = 0; row < count;) {
        int end = row;
        while (end < count && !shown[std::size_t(end)]) ++end;
        const bool fold = end > row + 1 && !opened.contains(row);
        if (fold) out->lines.push_back({row, end - row});
        end = std::max(end, row + 1);
        for (; row < end; ++row) {
            if (!fold) out->lines.push_back({row, 0});
            out->lineOf[std::size_t(row)] = int(out->lines.size()) - 1;
        }
    }
    return out;
}

}  // namespace aliascope
