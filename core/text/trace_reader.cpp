// TORCH_TRACE (formats.md 9): records of one line of JSON, each with a payload whose lines stand behind a TAB. Graphs are read where they stand, so
// that places are those of the file.

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/text/document_parts.h"
#include "core/text/find.h"
#include "core/text/graph_finder.h"
#include "core/text/input_facts.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"
#include "core/text/log_prefix.h"
#include "core/text/md5.h"
#include "core/text/normalise.h"
#include "core/text/stage_order.h"
#include "core/text/stated_sizes.h"
#include "core/text/table_reader.h"
#include "core/text/trace_counts.h"

namespace aliascope {
namespace {

/// Where the JSON of a record's header begins in its line; npos when the line is no header.
std::size_t headerJson(std::string_view line) {
    if (line.size() < 20 || std::string_view("VIWEC").find(line[0]) == kNone || !isDigit(line[1])) return kNone;
    const std::size_t prefix = logPrefix(line).size;
    return prefix > 0 && line.substr(prefix, 2) == "{\"" ? prefix : kNone;
}

/// The process in `V0107 10:00:00.000001 71 torch/x.py:9] `.
std::optional<std::int64_t> processOf(std::string_view line) {
    const std::size_t time = line.find(' '), pid = time == kNone ? kNone : line.find(' ', time + 1);
    if (pid == kNone) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(line.data() + pid + 1, line.data() + line.size(), value);
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// Kinds of records that hold a graph as their payload; artifacts are named by `artifact`.
bool isGraphKind(std::string_view kind) {
    static const std::unordered_set<std::string_view> kKinds = {
        "dynamo_output_graph", "optimize_ddp_split_graph", "optimize_ddp_split_child", "compiled_autograd_graph",
        "graph_dump",          "inductor_pre_grad_graph",  "inductor_post_grad_graph", "aot_joint_graph",
        "aot_forward_graph",   "aot_backward_graph",       "aot_inference_graph",      "exported_program"};
    return kKinds.contains(kind);
}

/// Kinds of records of which nothing is made.
bool isIgnoredKind(std::string_view kind) {
    static const std::unordered_set<std::string_view> kIgnored = {
        "chromium_event",        "str",         "describe_storage", "dump_file", "dynamo_guards",
        "dynamo_cpp_guards_str", "guard_added", "guard_added_fast", "link",      "bwd_compilation_metrics"};
    return kIgnored.contains(kind);
}

bool isKind(std::string_view kind) {
    static const std::unordered_set<std::string_view> kOthers = {"artifact",        "dynamo_start",           "compilation_metrics",
                                                                 "create_symbol",   "create_unbacked_symbol", "inductor_output_code",
                                                                 "describe_tensor", "describe_source"};
    return kOthers.contains(kind) || isGraphKind(kind) || isIgnoredKind(kind);
}

struct Record {
    std::size_t begin = 0;              // of the header line
    std::size_t json = 0, jsonEnd = 0;  // of the header's JSON
    std::size_t payload = 0, end = 0;   // of the payload's lines
};

/// What is read as graphs later on.
struct Piece {
    std::size_t begin = 0, end = 0;
    std::string stage;
    Phase phase = Phase::Unknown;
    UnitGroup group;
    bool script = false;  // a runnable script, which repeats the graph that follows
    bool code = false;    // Inductor's output code: graphs stand in its comments
    std::size_t header = 0;
    std::string digest;  // of the payload, as the header states it
    bool prepared = false;
    std::size_t json = 0, jsonEnd = 0;          // of a header that states sizes
    std::size_t metadata = 0, metadataEnd = 0;  // of the record that tells what the compiled function does to its inputs
};

/// What is known of one compile id while the records go by.
struct Compilation {
    bool started = false, finished = false;
    int attempt = -1, run = 0;
    std::vector<std::size_t> block;             // pieces since the last runnable script whose phase the output code will tell
    std::size_t metadata = 0, metadataEnd = 0;  // for the next forward graph: that record comes before it
};

class TraceReader {
public:
    TraceReader(std::string text, const std::string& path, const ReadContext& context) : path_(path), context_(context) {
        NormalisedText clean = cleanUtf8(std::move(text));
        doc_.path = path;
        doc_.container = "trace";
        doc_.text = std::move(clean.text);
        if (clean.invalidBytes > 0) note(warning("R001", {{"n", std::to_string(clean.invalidBytes)}, {"pos", std::to_string(clean.firstInvalid)}}));
    }

    Result<Document> read() {
        const SourceText source(doc_.text, path_);
        Reporter reporter(source, context_.options.limits.diagnosticsPerUnit);
        reporter_ = &reporter;
        eachRecord();
        if (context_.options.only.empty() || !readOnly(source)) {
            readPieces(source, false);
            if (doc_.units.empty()) readPieces(source, true);
        }
        std::vector<Diagnostic> said = reporter.take();
        std::stable_sort(said.begin(), said.end(), [](const Diagnostic& a, const Diagnostic& b) {
            return std::pair(a.code == "R032", a.line) < std::pair(b.code == "R032", b.line);
        });
        for (Diagnostic& d : said) doc_.diagnostics.push_back(std::move(d));
        if (doc_.units.empty()) return fail(noGraph(path_, "this is a TORCH_TRACE without a graph"));
        orderStages(doc_.units);
        return std::move(doc_);
    }

private:
    void note(Diagnostic d) {
        d.file = path_;
        doc_.diagnostics.push_back(std::move(d));
    }
    std::string_view text() const { return doc_.text; }

    void eachRecord();
    void record(const Record& r);
    void graphRecord(const Record& r, JsonValue header, std::string stage);
    void artifact(const Record& r, JsonValue header);
    void outputCode(const Record& r, JsonValue header);
    Compilation& compilation(JsonValue header, const Record& r);
    UnitGroup groupOf(JsonValue header, const Record& r);
    void symbol(JsonValue fact, JsonValue header, const Record& r);
    bool startsGraph(const Record& r) const;
    void preparePayload(Piece& piece);
    void hideCommentMarks(const Piece& piece);
    void blankStrays();
    void readPieces(const SourceText& source, bool scripts);
    bool readOnly(const SourceText& source);
    std::vector<Unit> readPiece(const SourceText& source, const Piece& piece);
    void addFacts(Unit& unit, const Piece& piece) const;
    std::optional<std::vector<Unit>> unreadUnits(const Piece& piece) const;
    std::vector<Unit> readCompilation(const SourceText& source, const UnitGroup& group);

    const std::string& path_;
    const ReadContext& context_;
    Document doc_;
    Reporter* reporter_ = nullptr;
    std::vector<Piece> pieces_;
    std::map<std::string, Compilation> compilations_;
    std::map<std::string, SymbolTable> symbols_;               // of each run of each compile id
    std::map<std::string, InputFacts> inputs_;                 // the same
    std::vector<std::pair<std::size_t, std::size_t>> strays_;  // lines inside records that belong to none; they become blank
};

std::string symbolsKey(const UnitGroup& g) {
    return std::to_string(g.rank.value_or(-1)) + ":" + std::to_string(g.process.value_or(-1)) + ":" + g.compileId + "#" + std::to_string(g.run);
}

void TraceReader::eachRecord() {
    Record open;
    bool any = false;
    const auto finish = [&](std::size_t end) {
        open.end = end;
        if (any) record(open);
    };
    for (std::size_t at = 0; at < text().size() && !context_.options.cancel.cancelled();) {
        const std::size_t end = std::min(text().find('\n', at), text().size());
        const std::string_view line = text().substr(at, end - at);
        if (const std::size_t json = headerJson(line); json != kNone) {
            finish(at);
            open = {at, at + json, end, std::min(end + 1, text().size()), 0};
            any = true;
        }
        at = end + 1;
    }
    finish(text().size());
}

/// `0/0`, `!1/0/0`, `-/-`.
std::string compileIdOf(JsonValue header) {
    const auto part = [&](std::string_view key) { return header[key].integer() ? std::to_string(*header[key].integer()) : std::string(); };
    const std::string autograd = part("compiled_autograd_id"), frame = part("frame_id"), compile = part("frame_compile_id");
    std::string id = autograd.empty() ? std::string() : "!" + autograd;
    if (frame.empty()) return id;
    return (id.empty() ? id : id + "/") + frame + "/" + (compile.empty() ? "-" : compile);
}

UnitGroup TraceReader::groupOf(JsonValue header, const Record& r) {
    UnitGroup group;
    const auto number = [](JsonValue v) {
        const auto n = v.integer();
        return n && *n >= 0 && *n < (1 << 30) ? std::optional<int>(static_cast<int>(*n)) : std::nullopt;
    };
    group.rank = number(header["rank"]);
    group.attempt = number(header["attempt"]);
    group.compileId = compileIdOf(header);
    group.process = processOf(text().substr(r.begin, r.json - r.begin));
    group.run = compilation(header, r).run;
    return group;
}

Compilation& TraceReader::compilation(JsonValue header, const Record& r) {
    const auto process = processOf(text().substr(r.begin, r.json - r.begin));
    return compilations_[std::string(header["rank"].text()) + ":" + std::to_string(process.value_or(-1)) + ":" + compileIdOf(header)];
}

void TraceReader::record(const Record& r) {
    // Most records are events of time, descriptions and guards; nothing is made of them.
    const std::size_t name = r.json + 2, nameEnd = std::min(text().find('"', name), r.jsonEnd);
    if (isIgnoredKind(text().substr(name, nameEnd - name))) return;
    const JsonDocument json(text(), r.json, r.jsonEnd);
    const JsonValue header = json.root();
    if (json.error()) {
        Diagnostic d = warning("R030");
        reporter_->report(std::move(d), json.error()->at);
        return;
    }
    const std::string_view kind = header.first().key();
    if (kind == "artifact") return artifact(r, header);
    if (kind == "inductor_output_code") return outputCode(r, header);
    if (kind == "create_symbol" || kind == "create_unbacked_symbol") return symbol(header.first(), header, r);
    if (kind == "describe_tensor" || kind == "describe_source") return inputs_[symbolsKey(groupOf(header, r))].add(kind, header.first());
    if (kind == "dynamo_start") {
        Compilation& c = compilation(header, r);
        const int attempt = static_cast<int>(std::clamp<std::int64_t>(header["attempt"].integer().value_or(0), 0, 1 << 20));
        // Ids repeat after a reset.
        if (c.started && (c.finished || attempt <= c.attempt)) {
            const int run = c.run + 1;
            c = Compilation();
            c.run = run;
        }
        c.started = true;
        c.attempt = attempt;
        return;
    }
    if (kind == "compilation_metrics") {
        compilation(header, r).finished = true;
        return;
    }
    if (!isGraphKind(kind)) return;
    std::string stage(kind);
    if (const std::string name = header.first()["name"].string(); !name.empty()) stage += " " + name;
    graphRecord(r, header, std::move(stage));
    if (header.first()["sizes"]) {
        pieces_.back().json = r.json;
        pieces_.back().jsonEnd = r.jsonEnd;
    }
}

void TraceReader::artifact(const Record& r, JsonValue header) {
    const std::string name = header["artifact"]["name"].string();
    if (header["artifact"]["encoding"].string() == "json") return;
    if (name.ends_with("_fw_metadata")) {
        Compilation& c = compilation(header, r);
        c.metadata = r.payload;
        c.metadataEnd = r.end;
        return;
    }
    if (name == "fx_graph_runnable") {
        compilation(header, r).block.clear();
        pieces_.push_back({r.payload, r.end, name, Phase::Unknown, groupOf(header, r), true, false, r.begin, {}});
        return;
    }
    if (startsGraph(r)) graphRecord(r, header, name.empty() ? "artifact" : name);
}

void TraceReader::graphRecord(const Record& r, JsonValue header, std::string stage) {
    Piece piece{r.payload, r.end, std::move(stage), Phase::Unknown, groupOf(header, r), false, false, r.begin, header["has_payload"].string()};
    piece.phase = phaseOfStage(piece.stage);
    Compilation& c = compilation(header, r);
    if (piece.phase == Phase::Unknown) c.block.push_back(pieces_.size());
    if (piece.stage == "aot_forward_graph" || piece.stage == "aot_inference_graph") {
        piece.metadata = std::exchange(c.metadata, 0);
        piece.metadataEnd = std::exchange(c.metadataEnd, 0);
    }
    pieces_.push_back(std::move(piece));
}

/// Fragments of graphs in comments, one per kernel; the first lines tell the phase of the block that ends here.
void TraceReader::outputCode(const Record& r, JsonValue header) {
    const auto aot = aotNameOfCode(text().substr(r.payload, r.end - r.payload));
    Compilation& c = compilation(header, r);
    if (aot)
        for (const std::size_t i : c.block) {
            pieces_[i].phase = aot->phase;
            pieces_[i].group.aotId = aot->id;
        }
    c.block.clear();
    Piece piece{r.payload, r.end,   "inductor_output_code",        aot ? aot->phase : Phase::Unknown, groupOf(header, r), false,
                true,      r.begin, header["has_payload"].string()};
    if (aot) piece.group.aotId = aot->id;
    pieces_.push_back(std::move(piece));
}

void TraceReader::symbol(JsonValue fact, JsonValue header, const Record& r) {
    const std::string name = fact["symbol"].string();
    if (!isIdentifier(name)) return;
    SymbolFacts facts;
    std::int64_t value = 0;
    const std::string hint = fact["val"].isString() ? fact["val"].string() : std::string(fact["val"].text());
    if (const auto [end, error] = std::from_chars(hint.data(), hint.data() + hint.size(), value); error == std::errc() && *end == '\0')
        facts.hint = value;
    const std::string range = fact["vr"].string();
    const std::size_t open = range.find('['), comma = range.find(',');
    if (open != range.npos && comma != range.npos && open < comma) {
        const auto bound = [&](std::size_t begin, std::size_t end) -> std::optional<std::int64_t> {
            const std::string_view digits = trimmed(std::string_view(range).substr(begin, end - begin));
            std::int64_t n = 0;
            const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
            return error == std::errc() && stop == digits.data() + digits.size() ? std::optional(n) : std::nullopt;
        };
        facts.min = bound(open + 1, comma);
        facts.max = bound(comma + 1, std::min(range.find(']', comma), range.size()));
    }
    symbols_[symbolsKey(groupOf(header, r))][Name(name)] = facts;
}

/// Whether the first line with text starts a graph.
bool TraceReader::startsGraph(const Record& r) const {
    for (std::size_t at = r.payload; at < r.end;) {
        const std::size_t end = std::min(text().find('\n', at), r.end);
        std::string_view line = text().substr(at, end - at);
        if (line.substr(0, 1) == "\t") line.remove_prefix(1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!trimmed(line).empty())
            return classLineAt(line) != kNone || forwardLineAt(line) != kNone || graphHeaderAt(line) != kNone || isNodeLine(line) ||
                   isTableLine(line);
        at = end + 1;
    }
    return false;
}

/// Checks the payload against its digest and makes it readable in place: the TAB becomes a blank; lines that do not belong to it are noted.
void TraceReader::preparePayload(Piece& piece) {
    if (std::exchange(piece.prepared, true)) return;
    const std::string_view payload = text().substr(piece.begin, piece.end - piece.begin);
    // A terminal or a page makes blanks of the TABs; then all that is indented belongs to the payload.
    const bool noTabs = !payload.starts_with('\t') && payload.find("\n\t") == payload.npos;
    std::string with, without;  // lines without TAB taken, and left out
    std::vector<std::pair<std::size_t, std::size_t>> strays;
    for (std::size_t at = piece.begin; at < piece.end;) {
        const std::size_t end = std::min(text().find('\n', at), piece.end);
        std::string_view line = text().substr(at, end - at);
        if (line.ends_with('\r')) line.remove_suffix(1);
        const bool tab = line.substr(0, 1) == "\t";
        if (tab) line.remove_prefix(1);
        with += line;
        with += '\n';
        if (tab) {
            without += line;
            without += '\n';
            doc_.text[at] = ' ';
        } else if (!noTabs || !line.starts_with(' ')) {
            strays.emplace_back(at, end);
        }
        at = end + 1;
    }
    for (std::string* s : {&with, &without})
        if (!s->empty()) s->pop_back();
    const bool withIt = !piece.digest.empty() && md5Hex(with) == piece.digest;
    const bool whole = withIt || piece.digest.empty() || (!strays.empty() && md5Hex(without) == piece.digest);
    if (!whole) reporter_->report(warning("R031"), piece.header);
    std::replace(doc_.text.begin() + static_cast<std::ptrdiff_t>(piece.begin), doc_.text.begin() + static_cast<std::ptrdiff_t>(piece.end), '\r', ' ');
    if (piece.code) hideCommentMarks(piece);
    if (withIt) return;
    for (const auto& stray : strays)
        if (stray.first < stray.second) strays_.push_back(stray);
}

/// Lines that belong to no payload become blank, once they have been reported.
void TraceReader::blankStrays() {
    if (strays_.empty()) return;
    reporter_->report(info("R032", {{"n", std::to_string(strays_.size())}}), strays_[0].first);
    for (const auto& [begin, end] : strays_)
        std::fill(doc_.text.begin() + static_cast<std::ptrdiff_t>(begin), doc_.text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    strays_.clear();
}

/// Graph fragments are comments of the code.
void TraceReader::hideCommentMarks(const Piece& piece) {
    for (std::size_t at = piece.begin; at < piece.end;) {
        const std::size_t end = std::min(text().find('\n', at), piece.end);
        const std::size_t mark = at + indentOf(text().substr(at, end - at));
        if (mark < end && text()[mark] == '#') {
            const std::string_view inside = trimmed(text().substr(mark + 1, end - mark - 1));
            if (isNodeLine(inside) || isReturnLine(inside)) doc_.text[mark] = ' ';
        }
        at = end + 1;
    }
}

/// What other records tell of a graph.
void TraceReader::addFacts(Unit& unit, const Piece& piece) const {
    const std::string key = symbolsKey(piece.group);
    const auto inputs = inputs_.find(key);
    if (inputs != inputs_.end() && (unit.graph.phase == Phase::Dynamo || unit.graph.phase == Phase::PreGrad)) inputs->second.tell(unit);
    if (piece.metadata < piece.metadataEnd)
        for (std::string& note : mutationNotes(text().substr(piece.metadata, piece.metadataEnd - piece.metadata), unit.graph))
            unit.notes.push_back(std::move(note));
    if (piece.json == piece.jsonEnd) return;
    const JsonDocument header(text(), piece.json, piece.jsonEnd);
    for (JsonValue sizes = header.root().first()["sizes"].first(); sizes; sizes = sizes.next()) {
        std::string list(sizes.text());
        std::erase(list, '"');
        if (const auto parsed = parseSizes(list)) giveSizes(unit.graph, unit.graph.find(Name(sizes.key())), *parsed);
    }
}

std::vector<Unit> TraceReader::readPiece(const SourceText& source, const Piece& piece) {
    const auto table = symbols_.find(symbolsKey(piece.group));
    std::vector<Unit> units;
    for (Unit& unit : findGraphs(source.upTo(piece.end), piece.begin, context_.ops, context_.options)) {
        if (piece.script && unit.graph.name != "Repro") continue;
        if (unit.stage != "kernel") {
            unit.stage = piece.stage;
            unit.label = piece.stage;
        }
        unit.group = piece.group;
        if (piece.phase != Phase::Unknown || unit.stage == "kernel") unit.graph.phase = piece.phase;
        if (table != symbols_.end())
            for (auto& [name, facts] : unit.graph.symbols)
                if (const auto known = table->second.find(name); known != table->second.end()) facts = known->second;
        addFacts(unit, piece);
        units.push_back(std::move(unit));
    }
    return units;
}

void TraceReader::readPieces(const SourceText& source, bool scripts) {
    for (Piece& piece : pieces_)
        if (piece.script == scripts) preparePayload(piece);
    blankStrays();
    for (const Piece& piece : pieces_) {
        if (context_.options.cancel.cancelled()) return;
        if (piece.script != scripts) continue;
        for (Unit& unit : readPiece(source, piece)) doc_.units.push_back(std::move(unit));
        if (context_.options.progress)
            context_.options.progress(static_cast<double>(piece.end) / static_cast<double>(doc_.text.size()), "reading graphs");
    }
}

/// Units with all that orders them, and empty graphs; nothing when the piece must be read to know them.
std::optional<std::vector<Unit>> TraceReader::unreadUnits(const Piece& piece) const {
    if (piece.phase == Phase::Unknown) return std::nullopt;
    const std::string_view payload = text().substr(piece.begin, piece.end - piece.begin);
    const auto count = piece.code ? countFragments(payload) : countModules(payload);
    if (!count) return std::nullopt;
    std::vector<Unit> units(*count);
    for (Unit& unit : units) {
        unit.unread = true;
        unit.stage = unit.label = piece.code ? "kernel" : piece.stage;
        unit.group = piece.group;
        unit.graph.phase = piece.phase;
        unit.spanBegin = piece.begin;
        unit.spanEnd = piece.end;
    }
    return units;
}

/// Units of the pieces of a compilation, read.
std::vector<Unit> TraceReader::readCompilation(const SourceText& source, const UnitGroup& group) {
    const auto belongs = [&](const Piece& piece) { return !piece.script && symbolsKey(piece.group) == symbolsKey(group); };
    for (Piece& piece : pieces_)
        if (belongs(piece)) preparePayload(piece);
    blankStrays();
    std::vector<Unit> units;
    for (const Piece& piece : pieces_)
        if (belongs(piece))
            for (Unit& unit : readPiece(source, piece)) units.push_back(std::move(unit));
    return units;
}

/// Reads the compilation that the wanted graph belongs to, and those whose graphs cannot be counted unread. False, with nothing done, when there is
/// no such graph.
bool TraceReader::readOnly(const SourceText& source) {
    std::size_t wanted = 0;
    const std::string& only = context_.options.only;
    if (const auto [end, error] = std::from_chars(only.data(), only.data() + only.size(), wanted); error != std::errc() || *end != '\0') return false;
    std::unordered_set<std::string> read;  // compilations that must be read to be counted
    for (const Piece& piece : pieces_)
        if (!piece.script && !unreadUnits(piece)) read.insert(symbolsKey(piece.group));
    std::vector<Unit> units;
    std::unordered_set<std::string> done;
    for (const Piece& piece : pieces_) {
        if (piece.script) continue;
        const std::string key = symbolsKey(piece.group);
        if (read.contains(key) && !done.insert(key).second) continue;
        for (Unit& unit : read.contains(key) ? readCompilation(source, piece.group) : *unreadUnits(piece)) units.push_back(std::move(unit));
    }
    orderStages(units);
    if (wanted == 0 || wanted > units.size()) return false;
    if (units[wanted - 1].unread) {
        const UnitGroup group = units[wanted - 1].group;
        const auto same = [&](const Unit& u) { return symbolsKey(u.group) == symbolsKey(group); };
        const auto begin = std::find_if(units.begin(), units.end(), same);
        const auto end = std::find_if_not(begin, units.end(), same);
        std::vector<Unit> whole = readCompilation(source, group);
        if (static_cast<std::ptrdiff_t>(whole.size()) != end - begin) return false;
        std::move(whole.begin(), whole.end(), begin);
    }
    doc_.units = std::move(units);
    return true;
}

}  // namespace

bool isTrace(std::string_view text) {
    std::size_t at = 0;
    for (int lines = 0; lines < 200 && at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        if (!trimmed(line).empty()) ++lines;
        if (const std::size_t json = headerJson(line); json != kNone) {
            const std::size_t close = line.find('"', json + 2);
            if (close != kNone && isKind(line.substr(json + 2, close - json - 2))) return true;
        }
        at = end + 1;
    }
    return false;
}

Result<Document> readTrace(std::string text, const std::string& path, const ReadContext& context) {
    return TraceReader(std::move(text), path, context).read();
}

}  // namespace aliascope
