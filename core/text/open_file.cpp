// Opening files and finding the graphs in them (formats.md 1 to 3).

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/ops/infer.h"
#include "core/text/document.h"
#include "core/text/graph_text_reader.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"
#include "core/text/log_prefix.h"
#include "core/text/normalise.h"
#include "core/text/readable_reader.h"
#include "core/text/short_nodes.h"
#include "core/text/sniff.h"
#include "core/text/source_text.h"
#include "core/text/table_reader.h"

namespace aliascope {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kLookedFor =
    "graph text (\"graph():\"), readable Python (\"class …(torch.nn.Module):\" or \"def forward(\"), runs of nodes or statements";

Diagnostic nothingFound(const std::string& path, std::string note) {
    Diagnostic d = userError("R003", {{"list", std::string(kLookedFor)}});
    d.file = path;
    d.note = std::move(note);
    return d;
}

Diagnostic unreadable(const std::string& path, std::string what, std::string why) {
    Diagnostic d = userError("R004", {{"what", std::move(what)}, {"why", std::move(why)}});
    d.file = path;
    return d;
}

/// What a text is in which no graph was found, as far as that helps; may be empty.
std::string noteOn(std::string_view text) {
    const std::string_view start = trimmed(text.substr(0, 4096));
    if (text.empty()) return "the file is empty";
    if (start.empty()) return "it starts with blanks only";
    return start[0] == '{' || start[0] == '[' ? "this looks like JSON, which this build does not read yet" : "";
}

/// Of a file that is no text: what it is instead.
std::string noteOn(FileKind kind, std::string_view head) {
    if (kind == FileKind::Session) return "this is a session of this program; it is opened by the path of its file, whole and not through a pipe";
    if (kind != FileKind::Binary) return "this is " + std::string(describe(kind)) + ", which is not read here";
    const std::size_t nul = head.find('\0');
    return nul == kNone ? "" : "the first NUL is byte " + std::to_string(nul + 1) + ", and no text holds one";
}

Diagnostic tooLarge(const std::string& path, std::string_view what, std::uint64_t size, std::uint64_t limit) {
    Diagnostic d = userError(
        "R050", {{"what", std::string(what) + " of " + std::to_string(size) + " bytes"}, {"limit", std::to_string(limit)}, {"option", "--limits"}});
    d.file = path;
    return d;
}

/// By the title of a log message (formats.md 8.3), else by what only one stage has: containers for primals and tangents, parameters `L_x_`.
Phase phaseOf(const Unit& unit) {
    const auto titled = [&](std::string_view word) { return unit.label.find(word) != std::string::npos; };
    if (titled("Joint graph")) return Phase::Joint;
    if (titled("Forward graph")) return Phase::Forward;
    if (titled("Backward graph")) return Phase::Backward;
    if (titled("BEFORE PRE GRAD") || titled("AFTER PRE GRAD")) return Phase::PreGrad;
    if (titled("__compiled_fn")) return Phase::Dynamo;
    if (unit.graph.style.parameters == std::vector<std::string>{"primals", "tangents"}) return Phase::Joint;
    const NodeId first = unit.graph.first();
    if (first && unit.graph[first].kind == NodeKind::Placeholder && unit.graph[first].target.view().substr(0, 2) == "L_") return Phase::Dynamo;
    return Phase::Unknown;
}

/// Finds the graphs of one text and reads each.
class Extractor {
public:
    Extractor(const SourceText& source, const OpRegistry& ops, const ReadOptions& options)
        : source_(source), text_(source.text()), ops_(ops), options_(options) {}

    std::vector<Unit> run() {
        std::size_t previous = 0;  // start of the last line with text, where a title may stand
        for (std::size_t at = 0; at < text_.size() && !options_.cancel.cancelled();) {
            const std::size_t lineEnd = source_.lineEnd(at);
            const std::string_view line = text_.substr(at, lineEnd - at);
            std::optional<Unit> unit;
            const std::size_t next = read(line, at, unit);
            if (unit) keep(std::move(*unit), text_.substr(previous, previous < at ? source_.lineEnd(previous) - previous : 0));
            if (!trimmed(line).empty()) previous = at;
            at = std::max(next, lineEnd + 1);
        }
        return std::move(units_);
    }

private:
    std::size_t read(std::string_view line, std::size_t at, std::optional<Unit>& unit) const {
        if (classLineAt(line) != kNone || forwardLineAt(line) != kNone) return readReadable(source_, at, ops_, options_, unit);
        if (graphHeaderAt(line) != kNone || isNodeLine(line)) return readGraphText(source_, at, ops_, options_, unit);
        if (isTableLine(line)) return readTable(source_, at, ops_, options_, unit);
        return 0;
    }

    void keep(Unit unit, std::string_view lineBefore) {
        const std::string_view title = trimmed(lineBefore);
        if (title.substr(0, 1) == "#" || title.substr(0, 5) == "=====") {
            const std::size_t begin = title.find_first_not_of("#-= "), end = title.find_last_not_of("-= ");
            if (begin != kNone) unit.label = std::string(title.substr(begin, end - begin + 1));
        }
        unit.graph.phase = phaseOf(unit);
        unit.id = std::to_string(units_.size() + 1);
        units_.push_back(std::move(unit));
        if (options_.progress) options_.progress(static_cast<double>(units_.back().spanEnd) / static_cast<double>(text_.size()), "reading graphs");
    }

    const SourceText& source_;
    std::string_view text_;
    const OpRegistry& ops_;
    const ReadOptions& options_;
    std::vector<Unit> units_;
};

/// A log prefix followed by a JSON object in one of the first 200 lines (formats.md 2, step 9).
bool isTrace(std::string_view text) {
    std::size_t at = 0;
    for (int line = 0; line < 200 && at < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t prefix = logPrefixSize(text.substr(at, end - at));
        if (prefix > 0 && text.substr(at + prefix, 2) == "{\"") return true;
        at = end + 1;
    }
    return false;
}

/// In a repro script only the class `Repro` is the graph, others are helpers (formats.md 12). A trace holds such scripts beside the graphs that they
/// repeat; there the scripts are left out.
void sortOutRepro(std::vector<Unit>& units, bool trace) {
    const auto isRepro = [](const Unit& u) { return u.graph.name == "Repro"; };
    if (!trace && std::none_of(units.begin(), units.end(), isRepro)) return;
    std::erase_if(units, [&](const Unit& u) { return isRepro(u) == trace; });
    for (std::size_t i = 0; i < units.size(); ++i) units[i].id = std::to_string(i + 1);
}

/// A text without any frame: shortened nodes, or bare statements (formats.md 2, step 16).
std::optional<Unit> readFragment(const SourceText& source, const OpRegistry& ops, const ReadOptions& options) {
    std::optional<Unit> unit;
    if (const auto span = shortNodeSpan(source))
        readShortNodes(source, span->first, span->second, ops, options, unit);
    else if (const auto statements = statementSpan(source))
        readStatements(source, statements->first, statements->second, ops, options, unit);
    if (unit) unit->id = "1";
    return unit;
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
    std::size_t kept = doc.diagnostics.size(), dropped = 0;
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

struct FileCloser {
    void operator()(std::FILE* f) const {
        if (f && f != stdin) std::fclose(f);
    }
};

}  // namespace

std::string_view toString(GraphForm form) {
    switch (form) {
        case GraphForm::GraphText:
            return "graph";
        case GraphForm::Readable:
            return "readable";
        case GraphForm::Table:
            return "table";
        case GraphForm::Program:
            return "program";
    }
    return "";
}

std::uint32_t countStatedNodes(const Graph& g) {
    std::uint32_t count = 0;
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        const bool madeUp = n.kind == NodeKind::Output && (n.flags & FlagSynthetic);
        if (!madeUp && (n.flags & (FlagGhost | FlagUnparsed)) == 0) ++count;
    }
    return count;
}

Result<Document> readText(std::string text, const std::string& path, const OpRegistry& ops, const ReadOptions& options) {
    const FileKind kind = sniff(text);
    if (kind != FileKind::Text && kind != FileKind::Utf16) {
        Diagnostic d = userError("R002", {{"bytes", firstBytes(text)}});
        d.file = path;
        d.note = noteOn(kind, text);
        return fail(std::move(d));
    }
    if (kind == FileKind::Utf16) text = decodeUtf16(std::move(text));
    NormalisedText normal = normalise(std::move(text));
    Document doc;
    doc.path = path;
    doc.text = std::move(normal.text);
    doc.container = "text";
    if (normal.invalidBytes > 0) {
        doc.diagnostics.push_back(warning("R001", {{"n", std::to_string(normal.invalidBytes)}, {"pos", std::to_string(normal.firstInvalid)}}));
        doc.diagnostics.back().file = path;
    }
    if (auto messages = logMessages(doc.text)) {
        doc.text = std::move(*messages);
        doc.container = "log";
    }
    const SourceText source(doc.text, path);
    doc.units = Extractor(source, ops, options).run();
    if (doc.container == "text" && isTrace(doc.text)) doc.container = "trace";
    sortOutRepro(doc.units, doc.container == "trace");
    if (!doc.units.empty() && doc.units[0].graph.name == "Repro") doc.container = "repro";
    if (doc.units.empty()) {
        if (auto fragment = readFragment(source, ops, options)) {
            doc.units.push_back(std::move(*fragment));
            doc.container = "fragment";
        }
    }
    if (doc.units.empty()) return fail(nothingFound(path, noteOn(doc.text)));
    limitDiagnostics(doc, options.limits.diagnostics);
    for (Unit& unit : doc.units) {
        unit.statedNodes = countStatedNodes(unit.graph);
        if (!options.inferTypes || options.cancel.cancelled()) continue;
        inferMissingTypes(ops, unit.graph);
        if (unit.form == GraphForm::Readable) markUnannotated(unit.graph);
    }
    return doc;
}

Result<Document> openFile(const std::string& path, const OpRegistry& ops, const ReadOptions& options) {
    std::error_code error;
    if (path.empty()) return fail(unreadable(path, "a file without a name", "a path, or - for standard input, is expected"));
    if (path != "-" && std::filesystem::is_directory(path, error)) {
        return fail(unreadable(path, "the folder", "this is a folder, which this build does not read; open one of its files"));
    }
    const std::string what = path == "-" ? "standard input" : "the file";
    const std::unique_ptr<std::FILE, FileCloser> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (!file) return fail(unreadable(path, what, std::strerror(errno)));
    const std::uint64_t size = path == "-" ? 0 : std::filesystem::file_size(path, error);
    if (!error && size > options.limits.fileBytes) return fail(tooLarge(path, "a file", size, options.limits.fileBytes));
    // The first 8 KiB decide whether the rest is read at all.
    std::string text(8192, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    int failure = std::ferror(file.get()) ? errno : 0;
    const FileKind kind = sniff(text);
    if (kind == FileKind::Text || kind == FileKind::Utf16) {
        if (!error) text.reserve(size + 1);
        for (std::size_t got = text.size(); got > 0 && text.size() <= options.limits.fileBytes && !options.cancel.cancelled();) {
            constexpr std::size_t kBlock = 1 << 20;
            const std::size_t old = text.size();
            text.resize(old + kBlock);
            got = std::fread(text.data() + old, 1, kBlock, file.get());
            text.resize(old + got);
            if (got == 0 && std::ferror(file.get())) failure = errno;
        }
    }
    if (text.size() > options.limits.fileBytes) return fail(tooLarge(path, "a file", text.size(), options.limits.fileBytes));
    if (failure != 0) return fail(unreadable(path, what, std::strerror(failure)));
    return readText(std::move(text), path, ops, options);
}

bool isSessionFile(const std::string& path) {
    // Looking into a pipe would take away what the reader needs afterwards.
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rb"));
    char head[16] = {};
    return file && std::fread(head, 1, sizeof head, file.get()) == sizeof head && sniff(std::string_view(head, sizeof head)) == FileKind::Session;
}

}  // namespace aliascope
