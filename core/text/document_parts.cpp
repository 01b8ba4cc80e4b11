#include "core/text/document_parts.h"

#include <algorithm>
#include <utility>

#include "core/ops/infer.h"
#include "core/text/graph_finder.h"
#include "core/text/html_text.h"
#include "core/text/literals.h"
#include "core/text/log_messages.h"
#include "core/text/normalise.h"
#include "core/text/program_reader.h"
#include "core/text/repro_inputs.h"
#include "core/text/sniff.h"
#include "core/text/stage_order.h"

namespace aliascope {
namespace {

constexpr std::string_view kLookedFor =
    "graph text (\"graph():\"), readable Python (\"class …(torch.nn.Module):\" or \"def forward(\"), tables, programs of torch.export, "
    "runs of nodes or statements";

// Parameter of an error about an archive inside archives.
constexpr std::string_view kKindParam = "kind", kArchive = "archive";

constexpr int kNesting = 2;  // a folder may hold archives; these hold no further ones

/// What a text is in which no graph was found, as far as that helps; may be empty.
std::string noteOn(std::string_view text) {
    const std::string_view start = trimmed(text.substr(0, 4096));
    if (text.empty()) return "the file is empty";
    if (start.empty()) return "it starts with blanks only";
    if (start[0] != '{') return "";
    const std::string_view line = start.substr(0, start.find('\n'));
    const JsonDocument first(line, 0, line.size());
    return first.error() ? "" : "this is JSON, " + describeJson(first.root());
}

/// Of a file that is no text: what it is instead.
std::string noteOn(FileKind kind, std::string_view head) {
    if (kind == FileKind::Session) return "this is a session of this program; it is opened by the path of its file, whole and not through a pipe";
    const std::size_t nul = head.find('\0');
    return nul == head.npos ? "" : "the first NUL is byte " + std::to_string(nul + 1) + ", and no text holds one";
}

/// In a repro script only the class `Repro` is the graph, others are helpers (formats.md 12).
void sortOutRepro(std::vector<Unit>& units) {
    const auto isRepro = [](const Unit& u) { return u.graph.name == "Repro"; };
    if (std::none_of(units.begin(), units.end(), isRepro)) return;
    std::erase_if(units, [&](const Unit& u) { return !isRepro(u); });
    numberUnits(units);
}

bool isText(const Value& v) { return v.kind() >= Value::Kind::String && v.kind() <= Value::Kind::Opaque; }

/// Whether two renderings of one graph may spell an argument so: graph text has no quotes around strings, so what is a text in both need not be of
/// one kind. Nodes are the same by name.
bool sameArgument(const Graph& a, const Value& x, const Graph& b, const Value& y) {
    if (isText(x) && isText(y)) return x.name() == y.name();
    if (x.kind() != y.kind()) return false;
    if (x.isNode()) return a[x.asNode()].name == b[y.asNode()].name;
    if (!x.isContainer()) return x == y;
    return x.keys() == y.keys() && std::equal(x.items().begin(), x.items().end(), y.items().begin(), y.items().end(),
                                              [&](const Value& i, const Value& j) { return sameArgument(a, i, b, j); });
}

/// The same operator with the same operands; types aside.
bool sameCall(const Graph& a, const Node& x, const Graph& b, const Node& y) {
    if (x.kind != y.kind) return false;
    // The target of an input is the name that the caller uses; generated code need not have it.
    const bool input = x.kind == NodeKind::Placeholder;
    if (!input && (x.op.empty() || y.op.empty() ? x.target != y.target : x.op != y.op)) return false;
    const auto sameArguments = [&](const Value& i, const Value& j) { return sameArgument(a, i, b, j); };
    if (!std::equal(x.args.begin(), x.args.end(), y.args.begin(), y.args.end(), sameArguments)) return false;
    return std::equal(x.kwargs.begin(), x.kwargs.end(), y.kwargs.begin(), y.kwargs.end(),
                      [&](const Keyword& i, const Keyword& j) { return i.first == j.first && sameArguments(i.second, j.second); });
}

bool sameCalls(const Graph& a, const Graph& b) {
    if (!sameNames(a, b)) return false;
    for (const NodeId id : inOrder(a))
        if (!sameCall(a, a[id], b, b[b.find(a[id].name)])) return false;
    return true;
}

/// A graph and the code that was generated from it, one after the other, are one graph (formats.md 2). What differs in more than types is another
/// one: passes change an operator and leave the names.
void sortOutGeneratedCode(std::vector<Unit>& units) {
    const auto isCodeOf = [](const Unit& graph, const Unit& code) {
        return graph.form == GraphForm::GraphText && graph.graph.style.graphHeader && code.form == GraphForm::Readable &&
               code.graph.style.frame == PrintStyle::Frame::Def && code.diagnostics.empty() && graph.group == code.group &&
               sameCalls(graph.graph, code.graph);
    };
    std::vector<Unit> kept;
    for (Unit& unit : units) {
        if (!kept.empty() && isCodeOf(kept.back(), unit))
            kept.back().notes.push_back("its code stands at line " + std::to_string(unit.firstLine));
        else
            kept.push_back(std::move(unit));
    }
    units = std::move(kept);
    numberUnits(units);
}

/// Hints of symbols before the first graph, and the loader of a repro script.
void readHead(const SourceText& source, Document& doc, const ReadLimits& limits) {
    if (doc.units[0].graph.name == "Repro") {
        doc.container = "repro";
        readReproInputs(source, doc.units[0], limits);
    }
    const SymbolTable hints = readSymbolHints(source, doc.units[0].spanBegin);
    if (hints.empty()) return;
    for (Unit& unit : doc.units)
        for (auto& [name, facts] : unit.graph.symbols)
            if (const auto known = hints.find(name); known != hints.end()) facts.hint = known->second.hint;
}

/// Nodes that got their type by inference print as they were read: without annotation.
void markUnannotated(Graph& g) {
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.annotation.empty() && n.type && !n.type->str().empty()) g.setMeta(id, "unannotated"_n, Value::boolean(true));
    }
    for (Graph::SubGraph& s : g.subGraphs()) markUnannotated(*s.graph);
}

/// Beyond the limit of the document the diagnostics of later units are only counted.
void limitDiagnostics(Document& doc, std::size_t limit) {
    std::size_t dropped = doc.diagnostics.size() > limit ? doc.diagnostics.size() - limit : 0;
    doc.diagnostics.resize(doc.diagnostics.size() - dropped);
    std::size_t kept = doc.diagnostics.size();
    for (Unit& unit : doc.units) {
        const std::size_t room = limit > kept ? limit - kept : 0;
        if (unit.diagnostics.size() > room) {
            dropped += unit.diagnostics.size() - room;
            unit.diagnostics.resize(room);
        }
        kept += unit.diagnostics.size();
    }
    if (dropped == 0) return;
    doc.diagnostics.push_back(warning("R051", {{"n", std::to_string(dropped)}}));
    doc.diagnostics.back().file = doc.path;
}

void noteInvalid(Document& doc, std::uint64_t count, std::uint64_t first) {
    if (count == 0) return;
    doc.diagnostics.push_back(warning("R001", {{"n", std::to_string(count)}, {"pos", std::to_string(first)}}));
    doc.diagnostics.back().file = doc.path;
}

/// A text that starts like JSON: a program when it is one, even one that was cut; nothing when it is no JSON at all.
std::optional<Result<Document>> readJson(std::string& text, const std::string& path, const ReadContext& context) {
    const std::size_t start = text.find_first_not_of(" \n\r\t", text.starts_with("\xef\xbb\xbf") ? 3 : 0);
    if (start == text.npos || (text[start] != '{' && text[start] != '[')) return std::nullopt;
    const JsonDocument json(text, start, text.size(), context.options.limits.jsonDepth);
    if (isProgram(json.root())) return readProgramText(std::move(text), path, context);
    if (json.error()) return std::nullopt;
    return fail(noGraph(path, "this is JSON, " + describeJson(json.root())));
}

}  // namespace

Diagnostic noGraph(const std::string& path, std::string note) {
    Diagnostic d = userError("R003", {{"list", std::string(kLookedFor)}});
    d.file = path;
    d.note = std::move(note);
    return d;
}

std::string describeJson(JsonValue root) {
    if (root["preToPost"] || root["postToPre"]) return "a map of nodes between stages, which holds no graph";
    const JsonValue first = root.isArray() ? root.first() : root;
    if (first["ph"] && (first["ts"] || first["pid"])) return "a list of timed events, which holds no graph";
    return "but no program of torch.export";
}

Document readProgramText(std::string text, const std::string& path, const ReadContext& context) {
    NormalisedText clean = cleanUtf8(std::move(text));
    Document doc;
    doc.path = path;
    doc.container = "program";
    doc.text = std::move(clean.text);
    noteInvalid(doc, clean.invalidBytes, clean.firstInvalid);
    const JsonDocument json(doc.text, 0, doc.text.size(), context.options.limits.jsonDepth);
    const SourceText source(doc.text, path);
    doc.units.push_back(readProgram(source, json.root(), context.ops, context.options));
    if (const auto& error = json.error()) {
        Reporter reporter(source, context.options.limits.diagnosticsPerUnit);
        if (error->limit)
            reporter.report(limitPassed(error->want, context.options.limits.jsonDepth), error->at);
        else
            reporter.expected(error->want, error->at);
        for (Diagnostic& d : reporter.take()) doc.units.back().diagnostics.insert(doc.units.back().diagnostics.begin(), std::move(d));
    }
    numberUnits(doc.units);
    return doc;
}

Result<Document> readTextPart(std::string text, const std::string& path, const ReadContext& context) {
    if (auto json = readJson(text, path, context)) return std::move(*json);
    if (isTrace(text)) return readTrace(std::move(text), path, context);
    if (isHtml(text)) text = htmlText(text);
    NormalisedText normal = normalise(std::move(text));
    Document doc;
    doc.path = path;
    doc.text = std::move(normal.text);
    doc.container = "text";
    noteInvalid(doc, normal.invalidBytes, normal.firstInvalid);
    auto log = logMessages(doc.text);
    if (log) {
        doc.text = std::move(log->text);
        doc.container = "log";
    }
    const SourceText source(doc.text, path);
    doc.units = findGraphs(source, 0, context.ops, context.options);
    if (log) {
        groupLogUnits(*log, doc.text, doc.units);
        orderStages(doc.units);
        numberUnits(doc.units);
    }
    sortOutRepro(doc.units);
    sortOutGeneratedCode(doc.units);
    if (!doc.units.empty()) readHead(source, doc, context.options.limits);
    if (doc.units.empty()) {
        if (auto fragment = readFragment(source, context.ops, context.options)) {
            doc.units.push_back(std::move(*fragment));
            doc.container = "fragment";
        }
    }
    if (doc.units.empty()) return fail(noGraph(path, noteOn(doc.text)));
    return doc;
}

Result<Document> readBytes(std::string bytes, const std::string& path, const ReadContext& context, bool packed) {
    const ReadLimits& limits = context.options.limits;
    const FileKind kind = sniff(bytes);
    switch (kind) {
        case FileKind::Text:
            return readTextPart(std::move(bytes), path, context);
        case FileKind::Utf16:
            return readTextPart(decodeUtf16(std::move(bytes)), path, context);
        case FileKind::Gzip: {
            if (packed) break;
            std::optional<Diagnostic> rest;
            auto content = gunzip(bytes, path, limits, &rest);
            if (!content) return fail(content.error());
            bytes = std::string();
            auto doc = readBytes(std::move(*content), path, context, true);
            if (rest && !doc) return fail(std::move(*rest));
            if (rest) doc->diagnostics.insert(doc->diagnostics.begin(), std::move(*rest));
            return doc;
        }
        case FileKind::Zip: {
            if (context.nesting >= kNesting) break;
            auto source = openZip(std::move(bytes), path, limits);
            return source ? readArchive(**source, path, context) : Result<Document>(fail(source.error()));
        }
        case FileKind::Tar: {
            if (context.nesting >= kNesting) break;
            auto source = openTar(std::move(bytes), path, limits);
            return source ? readFolder(**source, path, context) : Result<Document>(fail(source.error()));
        }
        case FileKind::Session:
        case FileKind::Binary:
            break;
    }
    Diagnostic d = userError("R002", {{"bytes", firstBytes(bytes)}});
    d.file = path;
    const bool archive = kind == FileKind::Tar || kind == FileKind::Zip;
    d.note = kind == FileKind::Gzip ? "this is a gzip stream inside a gzip stream"
             : archive              ? "this is an archive inside archives"
                                    : noteOn(kind, bytes);
    if (archive) markNestedArchive(d);
    return fail(std::move(d));
}

void markNestedArchive(Diagnostic& d) { d.with(std::string(kKindParam), std::string(kArchive)); }

bool isNestedArchive(const Diagnostic& d) {
    return std::any_of(d.params.begin(), d.params.end(), [](const auto& p) { return p.first == kKindParam && p.second == kArchive; });
}

bool sameNames(const Graph& a, const Graph& b) {
    if (a.size() != b.size()) return false;
    for (const NodeId id : inOrder(a))
        if (!b.find(a[id].name)) return false;
    return true;
}

void moveSpans(Graph& g, std::uint64_t by) {
    for (const NodeId id : inOrder(g)) {
        Node& n = g.edit(id);
        if (n.spanEnd == 0) continue;
        n.spanBegin += by;
        n.spanEnd += by;
    }
    for (Graph::SubGraph& s : g.subGraphs()) moveSpans(*s.graph, by);
}

void appendPart(Document& whole, Document part, const std::string& member) {
    const std::uint64_t by = whole.text.size();
    whole.text += part.text;
    if (!whole.text.empty() && whole.text.back() != '\n') whole.text += '\n';
    for (Unit& unit : part.units) {
        moveSpans(unit.graph, by);
        unit.spanBegin += by;
        unit.spanEnd += by;
        unit.member = unit.member.empty() ? member : member + "/" + unit.member;
        whole.units.push_back(std::move(unit));
    }
    for (Diagnostic& d : part.diagnostics) whole.diagnostics.push_back(std::move(d));
}

void finishDocument(Document& doc, const ReadContext& context) {
    numberUnits(doc.units);
    limitDiagnostics(doc, context.options.limits.diagnostics);
    for (Unit& unit : doc.units) {
        unit.statedNodes = countStatedNodes(unit.graph);
        if (!context.options.inferTypes || context.options.cancel.cancelled()) continue;
        inferMissingTypes(context.ops, unit.graph);
        if (unit.form == GraphForm::Readable) markUnannotated(unit.graph);
    }
}

}  // namespace aliascope
