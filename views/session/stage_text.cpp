#include "views/session/stage_text.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/text/print.h"

namespace aliascope {
namespace {

using std::string_view;

bool isNameChar(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; }

string_view leadingName(string_view line) {
    std::size_t n = 0;
    while (n < line.size() && isNameChar(line[n])) ++n;
    return line.substr(0, n);
}

/// Which body the lines belong to: in readable Python nested classes, in graph text one `graph():` after another.
class Bodies {
public:
    explicit Bodies(const StageView& view) {
        for (const NodeRowPtr& node : view.snapshot->nodes)
            if (paths_.empty() || paths_.back() != node->body) paths_.push_back(node->body);
    }

    void enterClass(string_view name, std::size_t indent) {
        while (!open_.empty() && open_.back().indent >= indent) open_.pop_back();
        const bool top = open_.empty();
        open_.push_back({indent, top ? std::string() : pathOf(open_.back().path, name)});
    }
    void enterGraph(std::string path) {
        open_.clear();
        open_.push_back({0, std::move(path)});
    }
    const std::string& path() const {
        static const std::string main;
        return open_.empty() ? main : open_.back().path;
    }

private:
    std::string pathOf(const std::string& parent, string_view name) const {
        const std::string joined = parent.empty() ? std::string(name) : parent + "." + std::string(name);
        if (std::find(paths_.begin(), paths_.end(), joined) != paths_.end()) return joined;
        for (const std::string& path : paths_)
            if (path.size() >= name.size() && string_view(path).substr(path.size() - name.size()) == name) return path;
        return joined;
    }
    struct Open {
        std::size_t indent;
        std::string path;
    };
    std::vector<std::string> paths_;
    std::vector<Open> open_;
};

using NameIndex = std::unordered_map<std::string, const NodeRow*>;

std::string key(const std::string& body, string_view name) { return body + '/' + std::string(name); }

class LineMatcher {
public:
    LineMatcher(const StageView& view, TextForm form, StageText& out) : view_(view), form_(form), out_(out), bodies_(view) {
        for (const NodeRowPtr& node : view.snapshot->nodes) {
            index_.emplace(key(node->body, node->name), node.get());
            out.uidOfName.emplace(node->name, node->uid);
            if (node->kind == "output") outputs_.emplace(node->body, node.get());
        }
    }

    void enterGraph(const std::string& path) { bodies_.enterGraph(path); }

    Uid nodeOf(string_view line, int number) {
        const std::size_t indent = line.find_first_not_of(" \t");  // texts of traces stand behind a tab
        if (indent == string_view::npos) return kNoUid;
        string_view rest = line.substr(indent);
        if (form_ == TextForm::Readable) {
            if (rest.substr(0, 6) == "class ") {
                bodies_.enterClass(leadingName(rest.substr(6)), indent);
                return kNoUid;
            }
            if (rest.substr(0, 4) == "def ") {
                placeInputs(number);
                return kNoUid;
            }
        }
        if (rest.substr(0, 6) == "return") {
            const auto found = outputs_.find(bodies_.path());
            return found == outputs_.end() ? kNoUid : found->second->uid;
        }
        if (rest.front() == '%') rest.remove_prefix(1);
        const string_view name = leadingName(rest);
        if (name.empty()) return kNoUid;
        const string_view after = rest.substr(name.size());
        if (after.substr(0, 1) != ":" && after.substr(0, 2) != " =" && after.substr(0, 2) != " :") return kNoUid;
        const auto found = index_.find(key(bodies_.path(), name));
        return found == index_.end() ? kNoUid : found->second->uid;
    }

private:
    void placeInputs(int number) {
        for (std::size_t i = 0; i < view_.snapshot->nodes.size(); ++i) {
            const NodeRow& node = *view_.snapshot->nodes[i];
            if (node.kind == "placeholder" && node.body == bodies_.path()) out_.lineOf.emplace(node.uid, number);
        }
    }

    const StageView& view_;
    TextForm form_;
    StageText& out_;
    Bodies bodies_;
    NameIndex index_;
    std::unordered_map<std::string, const NodeRow*> outputs_;
};

void appendGraphs(std::string& out, const Graph& g, const std::string& path) {
    if (!path.empty()) out += "\n# " + path + "\n";
    out += printGraphText(g);
    if (!out.empty() && out.back() != '\n') out += '\n';
    for (const Graph::SubGraph& sub : g.subGraphs())
        if (sub.graph) appendGraphs(out, *sub.graph, path.empty() ? sub.attribute.str() : path + "." + sub.attribute.str());
}

std::shared_ptr<StageText> matchedText(const std::string& printed, const StageView& view, TextForm form) {
    auto out = std::make_shared<StageText>();
    out->lane = view.lane;
    out->stage = view.stage;
    out->form = form;
    LineMatcher matcher(view, form, *out);
    string_view rest = printed;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const string_view line = rest.substr(0, end);
        rest = end == string_view::npos ? string_view() : rest.substr(end + 1);
        const int number = int(out->lines.size());
        if (form == TextForm::Graph && line.substr(0, 2) == "# ") matcher.enterGraph(std::string(line.substr(2)));
        const Uid uid = matcher.nodeOf(line, number);
        out->lines.push_back(QString::fromUtf8(line.data(), qsizetype(line.size())));
        out->longest = std::max(out->longest, int(out->lines.back().size()));
        out->uidOfLine.push_back(uid);
        const auto at = uid == kNoUid ? std::nullopt : view.indexOf(uid);
        out->mark.push_back(at ? view.mark[*at] : ' ');
        if (uid != kNoUid) out->lineOf.emplace(uid, number);
    }
    return out;
}

/// The graph's part of its file, as it was read.
StageTextPtr originalText(const Recording& recording, const StageView& view) {
    const Result<QueryResult> row = recording.query(
        "SELECT g.id, g.span_begin, g.span_end, s.path FROM lane l JOIN graph g ON g.id = l.graph JOIN source s ON s.id = g.source WHERE l.id = " +
        std::to_string(view.lane));
    if (!row || row->rows.empty()) return nullptr;
    const auto number = [&](std::size_t column) { return std::strtoll(row->rows.front()[column].value_or("0").c_str(), nullptr, 10); };
    std::string text = recording.sourceText(number(0)).value_or("# the session keeps no text of this graph\n");
    const auto begin = std::size_t(std::max<long long>(0, number(1))), end = std::size_t(std::max<long long>(0, number(2)));
    int before = 0;
    if (begin < end && end <= text.size()) {
        before = int(std::count(text.begin(), text.begin() + std::ptrdiff_t(begin), '\n'));
        text = text.substr(begin, end - begin);
    }
    const std::size_t start = text.find_first_not_of(" \t\n");
    const bool graphText = start != std::string::npos && text.compare(start, 6, "graph(") == 0;
    const std::shared_ptr<StageText> out = matchedText(text, view, graphText ? TextForm::Graph : TextForm::Readable);
    out->form = TextForm::Original;
    out->firstLine = before;
    std::fill(out->mark.begin(), out->mark.end(), ' ');  // of the stage, not of this text
    const std::string path = row->rows.front()[3].value_or("");
    for (const DiagnosticRow& note : recording.diagnostics()) {
        const int line = note.line - 1 - before;
        if (note.line == 0 || line < 0 || line >= int(out->lines.size()) || (!note.file.empty() && note.file != path)) continue;
        out->mark[std::size_t(line)] = '!';
        QString& said = out->notes[line];
        said += (said.isEmpty() ? QString() : QStringLiteral("\n")) + QString::fromStdString(note.code + ": " + note.sentence);
    }
    return out;
}

}  // namespace

StageTextPtr makeStageText(const std::string& printed, const StageView& view, TextForm form) { return matchedText(printed, view, form); }

StageTextPtr withRemovedLines(const StageText& now, const StageText& before, const std::vector<ChangeRow>& changes) {
    std::unordered_map<Uid, ChangeMark> changed;
    for (const ChangeRow& change : changes) changed.emplace(change.uid, change.mark);
    // Removed lines wait for the next line of the old text that is still there.
    std::unordered_map<Uid, std::vector<std::size_t>> standBefore;
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < before.lines.size(); ++i) {
        const Uid uid = before.uidOfLine[i];
        if (uid == kNoUid) continue;
        const auto mark = changed.find(uid);
        const auto line = now.lineOf.find(uid);
        if (line == now.lineOf.end()) {
            waiting.push_back(i);
            continue;
        }
        auto& place = standBefore[uid];
        place.insert(place.end(), waiting.begin(), waiting.end());
        waiting.clear();
        if (mark != changed.end() && mark->second == ChangeMark::Modified && now.lines[std::size_t(line->second)] != before.lines[i])
            place.push_back(i);
    }
    auto out = std::make_shared<StageText>();
    out->lane = now.lane;
    out->stage = now.stage;
    out->form = now.form;
    out->withRemoved = true;
    out->uidOfName = now.uidOfName;
    out->longest = std::max(now.longest, before.longest);
    auto add = [&](const QString& line, Uid uid, char mark) {
        out->lines.push_back(line);
        out->uidOfLine.push_back(uid);
        out->mark.push_back(mark);
    };
    std::vector<int> placeOf(now.lines.size());
    for (std::size_t i = 0; i < now.lines.size(); ++i) {
        const auto old = now.uidOfLine[i] == kNoUid ? standBefore.end() : standBefore.find(now.uidOfLine[i]);
        if (old != standBefore.end()) {
            for (std::size_t line : old->second) {
                const Uid uid = before.uidOfLine[line];
                if (!now.lineOf.contains(uid)) out->lineOf.emplace(uid, int(out->lines.size()));
                add(before.lines[line], uid, '-');
            }
        }
        placeOf[i] = int(out->lines.size());
        add(now.lines[i], now.uidOfLine[i], now.mark[i]);
    }
    for (const auto& [uid, line] : now.lineOf) out->lineOf[uid] = placeOf[std::size_t(line)];
    for (const auto& [name, uid] : before.uidOfName) out->uidOfName.emplace(name, uid);
    return out;
}

StageTextPtr loadStageText(const Recording& recording, const StageView& view, TextForm form, const OpRegistry& ops, const CancelToken& cancel) {
    if (cancel.cancelled()) return nullptr;
    if (form == TextForm::Original) return originalText(recording, view);
    const Result<Graph> graph = recording.graph(view.lane, view.stage, ops);
    if (!graph || cancel.cancelled()) return nullptr;
    std::string printed;
    if (form == TextForm::Readable) {
        printed = printReadable(*graph);
    } else {
        appendGraphs(printed, *graph, {});
    }
    if (cancel.cancelled()) return nullptr;
    return makeStageText(printed, view, form);
}

}  // namespace aliascope
