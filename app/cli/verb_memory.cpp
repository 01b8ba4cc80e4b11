// `memory`: peaks of the stages, who holds them, what is live at a node, the plan of an arena, the difference of two stages at their peaks.

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/command.h"
#include "app/cli/memory_source.h"
#include "app/cli/node_lookup.h"
#include "app/cli/number_text.h"
#include "core/support/nearest.h"

namespace aliascope::cli {
namespace {

using memory::Accounting;
using memory::Lifetime;
using SourcePtr = std::shared_ptr<const MemorySource>;

struct Question {
    Accounting accounting = Accounting::Exact;
    std::string by;  ///< empty = storage by storage
    std::string at;
    bool plan = false, diff = false;
};

const std::vector<std::string>& groupings() {
    static const std::vector<std::string> words = {"storage", "node", "module", "op", "source", "dtype"};
    return words;
}

Question questionOf(Command& c) {
    Question q;
    q.by = c.args().get("--by");
    q.at = c.args().get("--at");
    q.plan = c.args().has("--plan");
    q.diff = c.args().has("--diff");
    if (!q.by.empty() && std::find(groupings().begin(), groupings().end(), q.by) == groupings().end())
        usage(fmt::format("--by {}: {}; there are storage, node, module, op, source, dtype", q.by, nearestPhrase(q.by, groupings())));
    const std::string accounting = c.args().get("--accounting");
    if (accounting == "cuda-caching")
        q.accounting = Accounting::Charged;
    else if (!accounting.empty() && accounting != "exact")
        usage(fmt::format("--accounting {}: exact or cuda-caching", accounting));
    if (q.plan + q.diff + !q.at.empty() > 1) usage("--plan, --diff and --at exclude each other");
    if (c.args().positional.size() > 1 && !q.diff) usage("a second name belongs to --diff A B");
    if (q.diff && c.args().has("--run")) usage("--diff compares stages; --run names one run");
    return q;
}

/// One stage, or one run of it.
struct Shown {
    StageRow stage;
    SourcePtr source;
    std::optional<std::int64_t> differs;  ///< first event of a run that is not as predicted
};

Json nodeJson(const StageNodes& nodes, Uid uid) {
    const NodeRow* node = nodes.find(uid);
    if (!node) return nullptr;
    return {{"uid", std::to_string(uid)}, {"name", node->name}, {"op", orNull(node->op)}};
}

Uid peakNode(const MemorySource& source) {
    const auto event = source.event(source.peakSeq());
    return event ? source.uidOf(event->site) : 0;
}

std::string noteOf(const Shown& shown) {
    const MemorySource& source = *shown.source;
    if (shown.differs) return fmt::format("differs from the prediction at event {}", *shown.differs);
    if (const auto error = source.error()) return error->node ? "stops at " + error->node.str() : "not predicted";
    if (source.conditional()) return source.firstRun().empty() ? "sizes depend on data" : "sizes as in " + source.firstRun();
    std::string out;
    for (const auto& [symbol, value] : source.assumed()) out += fmt::format("{}{} = {}", out.empty() ? "assumes " : ", ", symbol.str(), value);
    return out;
}

Row stageRow(const Shown& shown, const StageNodes& nodes) {
    const MemorySource& s = *shown.source;
    const Uid at = peakNode(s);
    const std::int64_t holders = s.peakSeq() < 0 ? 0 : static_cast<std::int64_t>(s.liveAt(s.peakSeq()).size());
    Json assumed = Json::object();
    for (const auto& [symbol, value] : s.assumed()) assumed[symbol.str()] = value;
    Row row;
    row.cells = {std::to_string(shown.stage.idx),
                 shown.stage.name,
                 s.run() ? fmt::format("{} (run {})", s.kind(), s.run()) : s.kind(),
                 bytesText(s.peakExact()),
                 bytesText(s.peakCharged()),
                 at ? "%" + nodes.name(at) : "-",
                 std::to_string(holders),
                 noteOf(shown)};
    row.json = {{"idx", shown.stage.idx},
                {"name", shown.stage.name},
                {"kind", s.kind()},
                {"run", s.run() ? Json(std::to_string(s.run())) : Json(nullptr)},
                {"peak_exact", s.peakExact()},
                {"peak_charged", s.peakCharged()},
                {"peak_seq", s.peakSeq() < 0 ? Json(nullptr) : Json(s.peakSeq())},
                {"at", nodeJson(nodes, at)},
                {"holders", holders},
                {"events", s.events()},
                {"complete", !s.error()},
                {"conditional", s.conditional()},
                {"first_run", orNull(s.firstRun())},
                {"assumed", assumed},
                {"error", s.error() ? diagnosticJson(*s.error()) : Json(nullptr)}};
    if (s.error()) row.style = Output::Style::Amber;
    return row;
}

Table stageTable(const Staged& staged, const std::vector<Shown>& list) {
    Table table;
    table.columns = {{"idx", "#", true},           {"name", "stage", false, 40},      {"kind", "memory"},
                     {"peak_exact", "peak", true}, {"peak_charged", "charged", true}, {"at", "at", false, 36},
                     {"holders", "held by", true}, {"note", "note", false, 60}};
    table.columns.push_back({"peak_seq", ""});
    table.columns.push_back({"events", ""});
    table.columns.push_back({"run", ""});
    table.empty = "no stages";
    for (const Shown& shown : list) {
        table.rows.push_back(stageRow(shown, StageNodes(*staged.recording, staged.lane.id, shown.stage.idx)));
        table.rows.back().json["note"] = noteOf(shown);
    }
    return table;
}

std::string sourcePlace(const NodeRow& node) {
    return node.file.empty() ? "" : node.line > 0 ? fmt::format("{}:{}", node.file, node.line) : node.file;
}

/// `f32[8, 4]` -> `f32`.
std::string dtypeOf(const NodeRow& node) {
    const std::size_t end = node.type.find('[');
    return end == std::string::npos || node.type.front() == '(' ? std::string() : node.type.substr(0, end);
}

std::string keyOf(const std::string& by, const Lifetime& life, const NodeRow* node) {
    if (by == "storage") return std::to_string(life.storage);
    if (life.role == memory::Role::Workspace && by != "node") return "(workspace)";
    if (!node) return "(no node)";
    std::string key = by == "module"   ? node->module
                      : by == "op"     ? node->op
                      : by == "source" ? sourcePlace(*node)
                      : by == "dtype"  ? dtypeOf(*node)
                                       : node->name;
    return key.empty() ? fmt::format("(no {})", by) : key;
}

std::string share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

Table groupTable(const std::vector<Lifetime>& live, const MemorySource& source, const StageNodes& nodes, const Question& q) {
    auto groups = memory::groupHeld(live, [&](const Lifetime& life) { return keyOf(q.by, life, nodes.find(source.uidOf(life.origin))); });
    if (q.accounting == Accounting::Charged)
        std::stable_sort(groups.begin(), groups.end(), [](const memory::Held& a, const memory::Held& b) { return a.charged > b.charged; });
    std::int64_t total = 0;
    for (const memory::Held& g : groups) total += q.accounting == Accounting::Exact ? g.exact : g.charged;
    Table table{{{"key", q.by, false, 80},
                 {"bytes_exact", "bytes", true},
                 {"bytes_charged", "charged", true},
                 {"share", "share", true},
                 {"storages", "storages", true}},
                {},
                "nothing is live"};
    for (const memory::Held& g : groups) {
        Row row;
        const std::string part = share(q.accounting == Accounting::Exact ? g.exact : g.charged, total);
        row.cells = {g.key, bytesText(g.exact), bytesText(g.charged), part, std::to_string(g.storages)};
        row.json = {{"key", g.key}, {"bytes_exact", g.exact}, {"bytes_charged", g.charged}, {"share", part}, {"storages", g.storages}};
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// Why a storage is still there: its last user.
std::string whyAlive(const Lifetime& life, const MemorySource& source, const StageNodes& nodes) {
    if (life.role == memory::Role::Output) return "output";
    if (life.role == memory::Role::Workspace) return "workspace";
    const Uid last = source.uidOf(life.last);
    return life.death == memory::kNever ? "never freed" : "until %" + nodes.name(last);
}

Table storageTable(std::vector<Lifetime> live, const MemorySource& source, const StageNodes& nodes, const Question& q) {
    std::stable_sort(live.begin(), live.end(), [&](const Lifetime& a, const Lifetime& b) { return a.bytes(q.accounting) > b.bytes(q.accounting); });
    Table table{{{"storage", "storage", true},
                 {"node", "node", false, 36},
                 {"op", "op", false, 32},
                 {"bytes_exact", "bytes", true},
                 {"bytes_charged", "charged", true},
                 {"why", "why alive", false, 44},
                 {"module", "module", false, 40}},
                {},
                "nothing is live"};
    for (const char* key : {"role", "birth", "death", "last", "source", "address"}) table.columns.push_back({key, ""});
    for (const Lifetime& life : live) {
        const Uid uid = source.uidOf(life.origin);
        const NodeRow* node = nodes.find(uid);
        const std::string why = whyAlive(life, source, nodes);
        Row row;
        row.cells = {std::to_string(life.storage), node ? "%" + node->name : "-", node ? node->op : "-",
                     bytesText(life.exact),        bytesText(life.charged),       why,
                     node ? node->module : ""};
        row.json = {{"storage", life.storage},
                    {"node", nodeJson(nodes, uid)},
                    {"op", node ? orNull(node->op) : Json(nullptr)},
                    {"bytes_exact", life.exact},
                    {"bytes_charged", life.charged},
                    {"why", why},
                    {"module", node ? orNull(node->module) : Json(nullptr)},
                    {"role", memory::toString(life.role)},
                    {"birth", life.birth},
                    {"death", life.death == memory::kNever ? Json(nullptr) : Json(life.death)},
                    {"last", nodeJson(nodes, source.uidOf(life.last))},
                    {"source", node ? orNull(sourcePlace(*node)) : Json(nullptr)},
                    {"address", life.address < 0 ? Json(nullptr) : Json(life.address)}};
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table liveTable(const std::vector<Lifetime>& live, const MemorySource& source, const StageNodes& nodes, const Question& q) {
    return q.by.empty() || q.by == "storage" ? storageTable(live, source, nodes, q) : groupTable(live, source, nodes, q);
}

Json curveJson(const std::vector<memory::CurveBucket>& curve) {
    Json out = Json::array();
    for (const memory::CurveBucket& b : curve) out.push_back({{"seq", b.seq}, {"events", b.events}, {"min", b.minLive}, {"max", b.maxLive}});
    return out;
}

/// Live bytes over the events, highest per column.
std::string curveText(const std::vector<memory::CurveBucket>& curve, std::int64_t peak) {
    constexpr int height = 8;
    if (curve.size() < 2 || peak <= 0) return {};
    std::string out;
    for (int line = height; line > 0; --line) {
        out += line == height ? fmt::format("{:>10} |", bytesText(peak)) : fmt::format("{:>10} |", "");
        std::string bars;
        for (const memory::CurveBucket& b : curve)
            bars += b.maxLive > 0 && static_cast<double>(b.maxLive) / static_cast<double>(peak) * height > line - 1 ? '#' : ' ';
        bars.erase(bars.find_last_not_of(' ') + 1);
        out += bars + "\n";
    }
    return out + fmt::format("{:>10} +{}\n", "0", std::string(curve.size(), '-'));
}

std::string titleOf(const Shown& shown) {
    return fmt::format("stage {} {}, {}", shown.stage.idx, shown.stage.name,
                       shown.source->run() ? fmt::format("run {}", shown.source->run()) : shown.source->kind());
}

void firstLines(Output& out, Table& table, std::size_t most, std::string_view what) {
    const std::size_t all = table.rows.size();
    if (all > most) table.rows.resize(most);
    writeTable(out, table, Format::Table);
    if (all > most) out.write(fmt::format("... and {} more {}\n", all - most, what));
}

std::size_t limitOf(Command& c, std::size_t fallback) {
    const std::string text = c.args().get("--limit");
    if (text.empty()) return fallback;
    const auto n = numberIn<std::size_t>(text);
    if (!n) usage(fmt::format("--limit {}: a number of rows", text));
    return *n;
}

/// What is live at one moment: at a node, or at the peak.
struct Moment {
    std::int64_t seq = -1;
    std::string where;  ///< `at %mm, event 12`
    std::vector<Lifetime> live;
    std::int64_t liveExact = 0, liveCharged = 0, reserved = 0;
};

Moment momentOf(Command& c, const Staged& staged, const Shown& shown, const StageNodes& nodes, const std::string& at) {
    Moment m;
    m.seq = shown.source->peakSeq();
    if (!at.empty()) {
        const NamedNode node = requireNode(c, staged, at, shown.stage.idx);
        m.seq = shown.source->seqOf(node.uid);
        if (m.seq < 0)
            throw Failure{ExitNotFound,
                          fmt::format("%{} neither allocates nor frees memory in {}: ask for its operands or users", node.row->name, titleOf(shown))};
    }
    if (m.seq < 0) return m;
    m.live = shown.source->liveAt(m.seq);
    if (const auto event = shown.source->event(m.seq)) {
        m.liveExact = event->liveExact;
        m.liveCharged = event->liveCharged;
        m.reserved = event->reserved;
        m.where = fmt::format("at %{}, event {} of {}", nodes.name(shown.source->uidOf(event->site)), m.seq, shown.source->events());
    }
    return m;
}

void answerMoment(Command& c, const Staged& staged, const std::vector<Shown>& list, const Shown& shown, const Question& q) {
    const StageNodes nodes(*staged.recording, staged.lane.id, shown.stage.idx);
    const Moment m = momentOf(c, staged, shown, nodes, q.at);
    Table holders = liveTable(m.live, *shown.source, nodes, q);
    constexpr int jsonBuckets = 256, textBuckets = 96;
    const char* key = q.at.empty() ? "holders" : "live";
    if (c.json()) {
        Json moment = {
            {"seq", m.seq < 0 ? Json(nullptr) : Json(m.seq)}, {"live_exact", m.liveExact}, {"live_charged", m.liveCharged}, {"reserved", m.reserved}};
        Json result = {{"stages", stageTable(staged, list).json()}, {"stage", shown.stage.idx}, {"moment", moment}, {key, holders.json()}};
        result["curve"] = curveJson(shown.source->curve(jsonBuckets, q.accounting));
        return c.answerJson(std::move(result));
    }
    if (c.format() != Format::Table) return writeTable(c.out(), q.at.empty() && q.by.empty() ? stageTable(staged, list) : holders, c.format());
    if (q.at.empty() && q.by.empty()) {
        writeTable(c.out(), stageTable(staged, list), Format::Table);
        c.out().write("\n");
    }
    const std::int64_t peak = q.accounting == Accounting::Exact ? shown.source->peakExact() : shown.source->peakCharged();
    c.out().write(c.out().styled(Output::Style::Bold, titleOf(shown)) + "\n");
    if (q.at.empty()) c.out().write(curveText(shown.source->curve(textBuckets, q.accounting), peak));
    if (m.seq >= 0)
        c.out().write(fmt::format("{} {}: {} live, {} charged, {} reserved\n", q.at.empty() ? "peak" : "live", m.where, bytesText(m.liveExact),
                                  bytesText(m.liveCharged), bytesText(m.reserved)));
    constexpr std::size_t shortList = 12;
    firstLines(c.out(), holders, limitOf(c, q.at.empty() ? shortList : 1000), q.by.empty() ? "storages" : "groups");
}

void answerPlan(Command& c, const Staged& staged, const Shown& shown) {
    const StageMemory* stage = shown.source->stageMemory();
    if (!stage) usage("--plan places a prediction; it takes no --run");
    const StageNodes nodes(*staged.recording, staged.lane.id, shown.stage.idx);
    memory::PlanOptions options;
    options.cancel = c.cancel();
    const memory::MemoryPlan plan = memory::planMemory(stage->report().log(), options);
    options.reuse = stage->prediction().reuse;
    const memory::MemoryPlan reused = memory::planMemory(stage->report().log(), options);
    Table table{{{"offset", "offset", true},
                 {"bytes", "bytes", true},
                 {"storage", "storage", true},
                 {"node", "node", false, 40},
                 {"birth", "birth", true},
                 {"death", "death", true}},
                {},
                "nothing is allocated"};
    std::vector<memory::Interval> intervals = plan.intervals;
    std::stable_sort(intervals.begin(), intervals.end(), [](const memory::Interval& a, const memory::Interval& b) { return a.offset < b.offset; });
    for (const memory::Interval& i : intervals) {
        const Lifetime* life = stage->report().find(i.tenants.front());
        const Uid uid = life ? stage->uidOf(life->origin) : 0;
        const bool never = i.death == memory::kNever;
        Row row;
        row.cells = {grouped(i.offset),     bytesText(i.bytes),      std::to_string(i.tenants.front()),
                     "%" + nodes.name(uid), std::to_string(i.birth), never ? "end" : std::to_string(i.death)};
        row.json = {{"offset", i.offset},           {"bytes", i.bytes}, {"storage", i.tenants.front()},
                    {"node", nodeJson(nodes, uid)}, {"birth", i.birth}, {"death", never ? Json(nullptr) : Json(i.death)}};
        table.rows.push_back(std::move(row));
    }
    const auto summary = [&](const memory::MemoryPlan& p) {
        Json top = Json::array();
        for (const std::size_t i : p.top)
            if (const Lifetime* life = stage->report().find(p.intervals[i].tenants.back()))
                top.push_back(nodeJson(nodes, stage->uidOf(life->origin)));
        return Json{{"arena", p.arena}, {"lower_bound", p.lowerBound},     {"ratio", p.ratio()}, {"exact_peak", p.exactPeak},
                    {"key", p.key},     {"intervals", p.intervals.size()}, {"top", top}};
    };
    if (c.json()) {
        Json with = summary(reused);
        with["reused"] = stage->prediction().reuse.size();
        return c.answerJson({{"stage", shown.stage.idx}, {"plan", summary(plan)}, {"plan_with_reuse", with}, {"placements", table.json()}});
    }
    if (c.format() != Format::Table) return writeTable(c.out(), table, c.format());
    const auto words = [&](const memory::MemoryPlan& p) {
        std::string top;
        for (const std::size_t i : p.top)
            if (const Lifetime* life = stage->report().find(p.intervals[i].tenants.back()))
                top += (top.empty() ? "%" : ", %") + nodes.name(stage->uidOf(life->origin));
        return fmt::format("arena {} ({} B), lower bound {} ({} B), ratio {:.4f}, {} storages placed by {}; the top is held by {}",
                           bytesText(p.arena), grouped(p.arena), bytesText(p.lowerBound), grouped(p.lowerBound), p.ratio(), p.intervals.size(), p.key,
                           top.empty() ? "nothing" : top);
    };
    c.out().write(c.out().styled(Output::Style::Bold, titleOf(shown)) + "\n" + words(plan) + "\n");
    c.out().write(fmt::format("with {} outputs in the storage of an operand that dies: {}\n\n", stage->prediction().reuse.size(), words(reused)));
    constexpr std::size_t longList = 40;
    firstLines(c.out(), table, limitOf(c, longList), "storages");
}

void answerDifference(Command& c, const Staged& staged, const Shown& a, const Shown& b) {
    const memory::PeakDifference d = memory::comparePeaks(a.source->stageMemory()->report().peakView(), b.source->stageMemory()->report().peakView());
    const StageNodes nodesA(*staged.recording, staged.lane.id, a.stage.idx), nodesB(*staged.recording, staged.lane.id, b.stage.idx);
    Table table{{{"kind", "held"},
                 {"node", "node", false, 40},
                 {"op", "op", false, 32},
                 {"bytes_a", "bytes A", true},
                 {"bytes_b", "bytes B", true},
                 {"call_path", "frame", false, 40}},
                {},
                "the peaks are held by the same storages"};
    for (const memory::DifferenceRow& r : d.rows) {
        const bool inA = r.a != memory::kNoStorage;
        const Uid uid = inA ? a.source->uidOf(r.origin) : b.source->uidOf(r.origin);
        const StageNodes& nodes = inA ? nodesA : nodesB;
        const NodeRow* node = nodes.find(uid);
        Row row;
        row.cells = {std::string(memory::toString(r.kind)),
                     node ? "%" + node->name : "-",
                     node ? node->op : "-",
                     inA ? bytesText(r.bytesA) : "-",
                     r.b != memory::kNoStorage ? bytesText(r.bytesB) : "-",
                     r.callPath};
        row.json = {{"kind", memory::toString(r.kind)},
                    {"node", nodeJson(nodes, uid)},
                    {"op", node ? orNull(node->op) : Json(nullptr)},
                    {"bytes_a", inA ? Json(r.bytesA) : Json(nullptr)},
                    {"bytes_b", r.b != memory::kNoStorage ? Json(r.bytesB) : Json(nullptr)},
                    {"call_path", orNull(r.callPath)}};
        table.rows.push_back(std::move(row));
    }
    if (c.json())
        return c.answerJson({{"a", {{"idx", a.stage.idx}, {"name", a.stage.name}, {"peak_exact", d.peakA}}},
                             {"b", {{"idx", b.stage.idx}, {"name", b.stage.name}, {"peak_exact", d.peakB}}},
                             {"same", d.same},
                             {"difference", table.json()}});
    if (c.format() != Format::Table) return writeTable(c.out(), table, c.format());
    c.out().write(fmt::format("A {}: peak {}; B {}: peak {}; {} of it the same in both\n", titleOf(a), bytesText(d.peakA), titleOf(b),
                              bytesText(d.peakB), bytesText(d.same)));
    constexpr std::size_t longList = 40;
    firstLines(c.out(), table, limitOf(c, longList), "storages");
}

/// The run that --run names.
Shown chosenRun(Command& c, const Staged& staged, const std::vector<MemoryRunRow>& runs) {
    const std::string wanted = c.args().get("--run");
    std::string known;
    for (const MemoryRunRow& run : runs) {
        if (std::to_string(run.id) == wanted)
            return {pickStage(staged, std::to_string(run.stage)), recordedRun(*staged.recording, run), std::nullopt};
        known += fmt::format("{}{} ({} {})", known.empty() ? "" : ", ", run.id, run.kind, run.stageName);
    }
    throw Failure{ExitNotFound,
                  fmt::format("no run {} with memory in lane {}{}", wanted, staged.lane.name, known.empty() ? "; it has none" : "; it has " + known)};
}

/// A run that went otherwise than predicted is a fault of ours, and said so.
Shown runOf(Command& c, const Staged& staged, const StageRow& stage, const MemoryRunRow& run, const MemorySource& predicted) {
    Shown shown{stage, recordedRun(*staged.recording, run), std::nullopt};
    if (run.kind != "measured" || run.state != "complete" || run.synthetic) return shown;
    shown.differs = firstDifference(predicted, *shown.source);
    if (!shown.differs) return shown;
    const StageNodes nodes(*staged.recording, staged.lane.id, stage.idx);
    const auto words = [&](const MemorySource& source) {
        const auto event = source.event(*shown.differs);
        return event ? fmt::format("{} of {} B, then {} B live", memory::toString(event->kind), event->exact, event->liveExact)
                     : std::string("nothing");
    };
    const auto event = shown.source->event(*shown.differs);
    c.warn(internalError("PLAN_MISMATCH", {{"seq", std::to_string(*shown.differs)},
                                           {"node", nodes.name(event ? shown.source->uidOf(event->site) : 0)},
                                           {"planned", words(predicted)},
                                           {"happened", words(*shown.source)}}));
    return shown;
}

void warnOfErrors(Command& c, const Shown& shown) {
    if (const auto error = shown.source->error()) {
        Diagnostic d = *error;
        d.severity = Severity::Warning;
        d.note = fmt::format("the prediction of stage {} ends there", shown.stage.name);
        c.warn(std::move(d));
    }
    if (const auto assumed = shown.source->assumed(); !assumed.empty()) c.note(noteOf(shown));
}

}  // namespace

void runMemory(Command& c) {
    const Question q = questionOf(c);
    const Staged staged = openStaged(c, c.args().at(0));
    Predictions predictions(c, staged);
    const auto runs = staged.recording->memoryRuns(staged.lane.id);
    if (q.diff) {
        const StageRow a = pickStage(staged, c.args().get("--diff")), b = pickStage(staged, c.args().positional.size() > 1 ? c.args().at(1) : "last");
        const Shown shownA{a, predictions.stage(a), std::nullopt}, shownB{b, predictions.stage(b), std::nullopt};
        warnOfErrors(c, shownA);
        warnOfErrors(c, shownB);
        return answerDifference(c, staged, shownA, shownB);
    }
    const StageRow stage = pickStage(staged, c.args().has("--stage") ? c.args().get("--stage") : "last");
    const Shown shown = c.args().has("--run") ? chosenRun(c, staged, runs) : Shown{stage, predictions.stage(stage), std::nullopt};
    warnOfErrors(c, shown);
    c.input["stage"] = shown.stage.name;
    if (q.plan) return answerPlan(c, staged, shown);
    std::vector<Shown> list;
    for (const StageRow& row : staged.recording->stages(staged.lane.id)) {
        const SourcePtr predicted = predictions.stage(row);
        list.push_back({row, predicted, std::nullopt});
        for (const MemoryRunRow& run : runs)
            if (run.stage == row.idx) list.push_back(runOf(c, staged, row, run, *predicted));
    }
    answerMoment(c, staged, list, shown, q);
}

}  // namespace aliascope::cli
