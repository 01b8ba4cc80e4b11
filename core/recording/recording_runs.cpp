// Runs, values and comparisons of a session (session.md 5, numerics).

#include <limits>
#include <map>
#include <unordered_map>

#include "core/ir/op_registry.h"
#include "core/recording/node_text.h"
#include "core/recording/recording_impl.h"
#include "core/recording/writer_mark.h"

namespace aliascope {

using namespace recording;

namespace {

double realOrNaN(const Statement& s, int column) { return s.isNull(column) ? std::numeric_limits<double>::quiet_NaN() : s.real(column); }
std::optional<double> optionalReal(const Statement& s, int column) { return s.isNull(column) ? std::nullopt : std::optional(s.real(column)); }

std::optional<Uid> optionalUid(const Statement& s, int column) {
    return s.isNull(column) ? std::nullopt : std::optional(static_cast<Uid>(s.integer(column)));
}

constexpr const char* kRunColumns =
    "r.id, r.stage, s.lane, s.idx, s.name, r.kind, r.device, r.backend, r.mode, r.accounting, r.state, r.inputs, r.options, r.created, r.seed, "
    "r.peak_exact, r.peak_charged, r.wall_ns, r.synthetic, (SELECT count(*) FROM digest d WHERE d.run = r.id)";

RunRow runFrom(const Statement& s, bool written) {
    RunRow r;
    r.id = s.integer(0);
    r.stageId = s.integer(1);
    r.lane = s.integer(2);
    r.stage = static_cast<int>(s.integer(3));
    r.stageName = s.text(4);
    r.kind = s.text(5);
    r.device = s.text(6);
    r.backend = s.text(7);
    r.mode = s.text(8);
    r.accounting = s.text(9);
    r.state = s.text(10);
    if (r.state == "running" && !written) r.state = "interrupted";
    r.inputs = s.text(11);
    r.options = s.text(12);
    r.created = s.text(13);
    r.seed = s.optionalInteger(14);
    r.peakExact = s.optionalInteger(15);
    r.peakCharged = s.optionalInteger(16);
    r.wallNs = s.optionalInteger(17);
    r.synthetic = s.integer(18) != 0;
    r.digests = s.integer(19);
    return r;
}

/// What is said of a node of one stage: found once, asked for often.
class NodeWords {
public:
    NodeWords(Database& db, std::int64_t lane, int stage)
        : lane_(lane),
          stage_(stage),
          find_(db,
                "SELECT n.id, n.kind, n.name, o.kind, o.text FROM node n LEFT JOIN str o ON o.id = n.op "
                "WHERE n.lane = ?1 AND n.uid = ?2 AND n.first_stage <= ?3 AND n.last_stage >= ?3"),
          written_(db, "SELECT arg FROM use WHERE node = ?1 AND mode IN ('write', 'readwrite') ORDER BY slot") {}

    struct Words {
        std::int64_t version = 0;
        std::string kind, name, op;
    };
    const Words& of(Uid uid) {
        const auto [it, fresh] = known_.try_emplace(uid);
        if (!fresh) return it->second;
        find_.bind(lane_, uid, stage_);
        if (find_.step()) {
            Words& w = it->second;
            w.version = find_.integer(0);
            w.kind = find_.text(1);
            w.name = find_.text(2);
            if (!find_.isNull(4)) w.op = canonicalOp(spellTarget(find_.view(3), find_.view(4))).str();
        }
        return it->second;
    }

    std::string label(Uid uid, int out) {
        const Words& w = of(uid);
        if (w.kind == "output") return "returned value " + std::to_string(out);
        if (out >= 0) return out == 0 ? w.name : w.name + "[" + std::to_string(out) + "]";
        if (w.kind == "placeholder") return w.name + " after the run";
        const std::string argument = writtenArgument(w.version, -1 - out);
        if (argument.empty()) return "written value " + std::to_string(-1 - out) + " of " + w.name;
        return argument + " of " + w.op + " after (" + w.name + ")";
    }
    /// A wrapper's label cannot name the argument, the call that it wraps can.
    bool namesArgument(Uid uid, int out) { return out >= 0 || of(uid).kind == "placeholder" || !writtenArgument(of(uid).version, -1 - out).empty(); }

private:
    std::string writtenArgument(std::int64_t version, int k) {
        written_.bind(version);
        for (int at = 0; written_.step(); ++at)
            if (at == k) return written_.text(0);
        return {};
    }

    std::int64_t lane_;
    int stage_;
    Statement find_, written_;
    std::unordered_map<Uid, Words> known_;
};

struct RunPlace {
    std::int64_t lane = 0;
    int stage = 0;
};

std::optional<RunPlace> placeOf(Database& db, std::int64_t run) {
    Statement s(db, "SELECT s.lane, s.idx FROM run r JOIN stage s ON s.id = r.stage WHERE r.id = ?1");
    s.bind(run);
    if (!s.step()) return std::nullopt;
    return RunPlace{s.integer(0), static_cast<int>(s.integer(1))};
}

exec::Digest digestFrom(const Statement& s, int first) {
    exec::Digest d;
    d.hash = static_cast<std::uint64_t>(s.integer(first));
    d.hashV = static_cast<std::uint64_t>(s.integer(first + 1));
    d.min = realOrNaN(s, first + 2);
    d.max = realOrNaN(s, first + 3);
    d.mean = realOrNaN(s, first + 4);
    d.l2 = realOrNaN(s, first + 5);
    d.nan = s.integer(first + 6);
    d.posInf = s.integer(first + 7);
    d.negInf = s.integer(first + 8);
    d.zero = s.integer(first + 9);
    d.argmaxAbs = s.isNull(first + 10) ? -1 : s.integer(first + 10);
    return d;
}

ComparisonRow comparisonFrom(Database& db, const Statement& s) {
    ComparisonRow c;
    c.id = s.integer(0);
    c.runA = s.integer(1);
    c.runB = s.integer(2);
    c.stageA = static_cast<int>(s.integer(3));
    c.stageB = static_cast<int>(s.integer(4));
    c.stageNameA = s.text(5);
    c.stageNameB = s.text(6);
    c.policy = s.text(7);
    c.verdict = s.text(8);
    c.firstUid = optionalUid(s, 9);
    c.firstOut = static_cast<int>(s.integer(10));
    if (!c.firstUid) return c;
    const auto a = placeOf(db, c.runA), b = placeOf(db, c.runB);
    if (!a || !b) return c;
    NodeWords words(db, b->lane, b->stage), earlier(db, a->lane, a->stage);
    c.first = words.label(*c.firstUid, c.firstOut);
    if (words.namesArgument(*c.firstUid, c.firstOut)) return c;
    Statement pair(db, "SELECT uid_a FROM comparison_row WHERE comparison = ?1 AND uid_b = ?2 AND out = ?3");
    pair.bind(c.id, *c.firstUid, c.firstOut);
    if (pair.step() && !pair.isNull(0)) c.first = earlier.label(static_cast<Uid>(pair.integer(0)), c.firstOut);
    return c;
}

constexpr const char* kComparisonQuery =
    "SELECT c.id, c.run_a, c.run_b, sa.idx, sb.idx, sa.name, sb.name, c.policy, c.verdict, c.first_uid, c.first_out FROM comparison c "
    "JOIN run ra ON ra.id = c.run_a JOIN run rb ON rb.id = c.run_b JOIN stage sa ON sa.id = ra.stage JOIN stage sb ON sb.id = rb.stage ";

}  // namespace

char ComparedRow::glyph() const {
    if (verdict == "differs") return inherited ? 'x' : 'X';
    if (verdict != "not-comparable") return '.';
    return uidA && uidB ? '~' : '-';
}

std::vector<RunRow> Recording::runs(std::int64_t lane, int stage) const {
    return impl_->read(std::vector<RunRow>(), [&](Database& db) {
        const bool written = writerIsAlive(db.text("SELECT value FROM meta WHERE key = 'writer'"));
        std::vector<RunRow> out;
        Statement s(db, std::string("SELECT ") + kRunColumns +
                            " FROM run r JOIN stage s ON s.id = r.stage WHERE s.lane = ?1 AND (?2 = 0 OR s.idx = ?2) ORDER BY r.id");
        s.bind(lane, stage);
        while (s.step()) out.push_back(runFrom(s, written));
        return out;
    });
}

std::vector<DigestRow> Recording::digests(std::int64_t run, std::optional<Uid> uid) const {
    return impl_->read(std::vector<DigestRow>(), [&](Database& db) {
        std::vector<DigestRow> out;
        const auto place = placeOf(db, run);
        if (!place) return out;
        NodeWords words(db, place->lane, place->stage);
        Statement s(
            db,
            "SELECT d.uid, d.out, p.text, t.text, t.numel, d.hash, d.hash_v, d.min, d.max, d.mean, d.l2, d.n_nan, d.n_posinf, d.n_neginf, d.n_zero, "
            "d.argmax_abs, t.dtype FROM digest d LEFT JOIN str p ON p.id = d.call_path LEFT JOIN type t ON t.id = d.type "
            "LEFT JOIN node n ON n.lane = ?2 AND n.uid = d.uid AND n.first_stage <= ?3 AND n.last_stage >= ?3 "
            "WHERE d.run = ?1 AND (?4 IS NULL OR d.uid = ?4) ORDER BY d.call_path, d.uid >> 32, n.ord, d.uid, d.out");
        s.bind(run, place->lane, place->stage, uid);
        while (s.step()) {
            DigestRow d;
            d.uid = static_cast<Uid>(s.integer(0));
            d.out = static_cast<int>(s.integer(1));
            d.callPath = s.text(2);
            d.type = s.text(3);
            d.digest = digestFrom(s, 5);
            d.digest.numel = s.integer(4);
            d.digest.dtype = dtypeFromShortName(s.view(16)).value_or(DType::Unknown);
            const auto& w = words.of(d.uid);
            d.node = w.name;
            d.op = w.op;
            d.label = words.label(d.uid, d.out);
            out.push_back(std::move(d));
        }
        return out;
    });
}

std::vector<TimingRow> Recording::timings(std::int64_t run) const {
    return impl_->read(std::vector<TimingRow>(), [&](Database& db) {
        std::vector<TimingRow> out;
        const auto place = placeOf(db, run);
        if (!place) return out;
        NodeWords words(db, place->lane, place->stage);
        Statement s(
            db, "SELECT t.uid, p.text, t.repeat, t.ns FROM timing t LEFT JOIN str p ON p.id = t.call_path WHERE t.run = ?1 ORDER BY t.uid, t.repeat");
        s.bind(run);
        while (s.step()) {
            const Uid uid = static_cast<Uid>(s.integer(0));
            const auto& w = words.of(uid);
            out.push_back({uid, s.text(1), w.name, w.op, static_cast<int>(s.integer(2)), s.integer(3)});
        }
        return out;
    });
}

std::vector<ComparisonRow> Recording::comparisons(std::int64_t lane) const {
    return impl_->read(std::vector<ComparisonRow>(), [&](Database& db) {
        std::vector<ComparisonRow> out;
        Statement s(db, std::string(kComparisonQuery) + "WHERE sb.lane = ?1 AND c.policy <> ?2 ORDER BY c.id");
        s.bind(lane, kErrorPolicy);
        while (s.step()) out.push_back(comparisonFrom(db, s));
        return out;
    });
}

namespace {

/// By number of row, the errors of `run` that were written with `comparison`.
std::map<std::int64_t, double> errorsOf(Database& db, std::int64_t comparison, std::int64_t run) {
    Statement s(db,
                "SELECT r.seq, r.max_abs FROM comparison_row r WHERE r.comparison = (SELECT min(id) FROM comparison WHERE id > ?1 AND run_b = ?2 AND "
                "policy = ?3) AND NOT EXISTS (SELECT 1 FROM comparison o WHERE o.id > ?1 AND o.id < r.comparison AND o.policy <> ?3)");
    s.bind(comparison, run, kErrorPolicy);
    std::map<std::int64_t, double> out;
    while (s.step())
        if (const auto error = optionalReal(s, 1)) out.emplace(s.integer(0), *error);
    return out;
}

}  // namespace

std::vector<ComparedRow> Recording::comparisonRows(std::int64_t comparison) const {
    return impl_->read(std::vector<ComparedRow>(), [&](Database& db) {
        std::vector<ComparedRow> out;
        Statement runs(db, "SELECT run_a, run_b FROM comparison WHERE id = ?1");
        runs.bind(comparison);
        if (!runs.step()) return out;
        const auto a = placeOf(db, runs.integer(0)), b = placeOf(db, runs.integer(1));
        if (!a || !b) return out;
        NodeWords earlier(db, a->lane, a->stage), later(db, b->lane, b->stage);
        const auto errorsA = errorsOf(db, comparison, runs.integer(0)), errorsB = errorsOf(db, comparison, runs.integer(1));
        Statement s(db,
                    "SELECT seq, uid_a, uid_b, out, verdict, inherited, max_abs, max_rel, ulp, at, a, b FROM comparison_row WHERE comparison = ?1 "
                    "ORDER BY seq");
        s.bind(comparison);
        while (s.step()) {
            ComparedRow r;
            r.seq = static_cast<int>(s.integer(0));
            r.uidA = optionalUid(s, 1);
            r.uidB = optionalUid(s, 2);
            r.out = static_cast<int>(s.integer(3));
            r.verdict = s.text(4);
            r.inherited = s.integer(5) != 0;
            r.maxAbs = optionalReal(s, 6);
            r.maxRel = optionalReal(s, 7);
            r.ulp = optionalReal(s, 8);
            if (const auto error = errorsA.find(r.seq); error != errorsA.end()) r.errorA = error->second;
            if (const auto error = errorsB.find(r.seq); error != errorsB.end()) r.errorB = error->second;
            r.at = s.text(9);
            r.a = s.text(10);
            r.b = s.text(11);
            if (r.uidA) r.nodeA = earlier.of(*r.uidA).name;
            if (r.uidB) {
                r.nodeB = later.of(*r.uidB).name;
                r.opB = later.of(*r.uidB).op;
            }
            const bool fromA = !r.uidB || (r.uidA && !later.namesArgument(*r.uidB, r.out));
            if (r.uidA || r.uidB) r.label = fromA ? earlier.label(*r.uidA, r.out) : later.label(*r.uidB, r.out);
            out.push_back(std::move(r));
        }
        return out;
    });
}

std::optional<std::pair<ComparisonRow, ComparedRow>> Recording::firstDivergence(std::int64_t lane) const {
    const ComparisonRow* best = nullptr;
    const auto all = comparisons(lane);
    for (const ComparisonRow& c : all)
        if (c.verdict == "differs" && (!best || c.stageB < best->stageB || (c.stageB == best->stageB && c.id > best->id))) best = &c;
    if (!best) return std::nullopt;
    ComparedRow found;
    bool any = false;
    for (ComparedRow& r : comparisonRows(best->id)) {
        const bool first = best->firstUid ? r.uidB == best->firstUid && r.out == best->firstOut : r.verdict == "differs" && !r.inherited;
        if (!first || any) continue;
        found = std::move(r);
        any = true;
    }
    return std::pair(*best, found);
}

std::vector<ProbeRow> Recording::probes(std::int64_t lane) const {
    return impl_->read(std::vector<ProbeRow>(), [&](Database& db) {
        std::vector<ProbeRow> out;
        Statement s(db, "SELECT id, kind, verdict, command, seq, k, run FROM probe WHERE lane = ?1 ORDER BY id");
        s.bind(lane);
        while (s.step()) {
            ProbeRow p;
            p.id = s.integer(0);
            p.kind = s.text(1);
            p.verdict = s.text(2);
            p.command = s.text(3);
            p.seq = static_cast<int>(s.integer(4));
            p.k = s.optionalInteger(5);
            p.run = s.optionalInteger(6);
            out.push_back(std::move(p));
        }
        return out;
    });
}

}  // namespace aliascope
