#include "core/recording/run_recorder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/recording/lane_recorder.h"
#include "core/recording/memory_rows.h"
#include "core/recording/storage_versions.h"
#include "core/recording/text_pool.h"

namespace aliascope::recording {
namespace {

/// Sites of a run count bodies in the order of their paths; a session has numbers of its own.
class SiteUids {
public:
    SiteUids(Database& db, std::int64_t run) {
        Statement s(
            db,
            "SELECT DISTINCT n.uid >> 32, b.text FROM run r JOIN stage s ON s.id = r.stage JOIN node n ON n.lane = s.lane AND n.first_stage <= s.idx "
            "AND n.last_stage >= s.idx JOIN str b ON b.id = n.body WHERE r.id = ?1 ORDER BY b.text");
        s.bind(run);
        while (s.step()) numbers_.push_back(static_cast<std::uint32_t>(s.integer(0)));
    }
    Uid operator()(const memory::Site& site) const { return makeUid(site.body < numbers_.size() ? numbers_[site.body] : site.body, site.node); }

private:
    std::vector<std::uint32_t> numbers_;
};

class RunWriter {
public:
    RunWriter(Database& db, TextPool& pool, std::int64_t run, const RunOutcome& outcome)
        : db_(db), pool_(pool), run_(run), outcome_(outcome), uid_(db, run) {}

    void write() {
        Statement update(db_, "UPDATE run SET state = ?2, synthetic = ?3, wall_ns = ?4, arena = ?5, lower_bound = ?6 WHERE id = ?1");
        update.run(run_, outcome_.state, outcome_.synthetic, outcome_.wallNs, outcome_.arena, outcome_.lowerBound);
        if (outcome_.values) {
            readCallPaths();
            writeDigests();
        }
        writeTimes();
        writeDiagnostics();
        if (outcome_.memory) writeMemory(db_, pool_, run_, *outcome_.memory);
    }

private:
    /// Rows of call paths; 0 is the main graph's own frame.
    void readCallPaths() {
        for (const std::string& path : outcome_.values->callPaths) callPaths_.push_back(path.empty() ? 0 : pool_.str("frame", path));
    }
    std::int64_t callPathOf(const memory::Site& site) const { return site.callPath < callPaths_.size() ? callPaths_[site.callPath] : 0; }

    /// Rows of types; values of a run share few of them.
    std::int64_t typeOf(const exec::Digest& d) {
        std::int64_t& row = types_[{d.dtype, d.sizes, d.strides}];
        if (row == 0) row = newType(d);
        return row;
    }

    std::int64_t newType(const exec::Digest& d) {
        TensorType t;
        t.dtype = d.dtype;
        t.sizes.assign(d.sizes.begin(), d.sizes.end());
        t.strides.emplace(d.strides.begin(), d.strides.end());
        return pool_.type(Type::tensor(std::move(t)), std::nullopt, Trust::Stated, {}).id;
    }

    void writeDigests() {
        Statement insert(
            db_,
            "INSERT OR REPLACE INTO digest(run, uid, out, call_path, type, hash, hash_v, min, max, mean, l2, n_nan, n_posinf, n_neginf, n_zero, "
            "argmax_abs) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)");
        for (const exec::RunValue& v : outcome_.values->rows) {
            const exec::Digest& d = v.digest;
            insert.run(run_, uid_(v.site), v.out, callPathOf(v.site), typeOf(d), d.hash, d.hashV, d.min, d.max, d.mean, d.l2, d.nan, d.posInf,
                       d.negInf, d.zero, d.argmaxAbs < 0 ? std::nullopt : std::optional(d.argmaxAbs));
        }
    }

    void writeTimes() {
        Statement insert(db_, "INSERT OR REPLACE INTO timing(run, uid, call_path, repeat, ns) VALUES(?1, ?2, ?3, ?4, ?5)");
        int repeat = 0;
        for (const auto* list : outcome_.times) {
            for (const exec::NodeTime& t : *list) insert.run(run_, uid_(t.site), callPathOf(t.site), repeat, t.ns);
            ++repeat;
        }
    }

    void writeDiagnostics() {
        Statement insert(
            db_,
            "INSERT INTO diagnostic(stage, run, uid, severity, audience, code, params) VALUES((SELECT stage FROM run WHERE id = ?1), ?1, ?2, ?3, ?4, "
            "?5, ?6)");
        Statement node(db_,
                       "SELECT n.uid FROM run r JOIN stage s ON s.id = r.stage JOIN node n ON n.lane = s.lane AND n.first_stage <= s.idx AND "
                       "n.last_stage >= s.idx "
                       "WHERE r.id = ?1 AND n.name = ?2 ORDER BY n.uid LIMIT 1");
        for (const Diagnostic& d : outcome_.diagnostics) {
            std::optional<std::int64_t> uid;
            node.bind(run_, d.node.str());
            if (d.node && node.step()) uid = node.integer(0);
            const std::string params = paramsJson(d.params, d.note);
            insert.run(run_, uid, toString(d.severity), toString(d.audience), d.code, params);
        }
    }

    Database& db_;
    TextPool& pool_;
    std::int64_t run_;
    const RunOutcome& outcome_;
    SiteUids uid_;
    std::vector<std::int64_t> callPaths_;
    std::map<std::tuple<DType, exec::Shape, exec::Shape>, std::int64_t> types_;
};

std::string bracketed(const exec::Shape& at) {
    std::string out = "[";
    for (std::size_t i = 0; i < at.size(); ++i) out += (i ? ", " : "") + std::to_string(at[i]);
    return out + "]";
}

}  // namespace

std::int64_t insertRun(Database& db, const RunHeader& h) {
    Statement insert(db,
                     "INSERT INTO run(stage, kind, device, backend, mode, accounting, seed, inputs, options, state, created) "
                     "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'running', ?10) RETURNING id");
    const std::string created = timestamp();
    insert.bind(h.stageId, h.kind, h.device, h.backend, h.mode, h.accounting, h.seed, h.inputs, h.options, created);
    insert.step();
    return insert.integer(0);
}

void writeRun(Database& db, TextPool& pool, std::int64_t run, const RunOutcome& outcome) { RunWriter(db, pool, run, outcome).write(); }

namespace {

/// The run in doubles that errors of `run` are taken against: the same stage, inputs and seed; its values are not kept.
std::int64_t referenceRun(Database& db, std::int64_t run) {
    Statement known(db, "SELECT c.run_a FROM comparison c WHERE c.run_b = ?1 AND c.policy = ?2 LIMIT 1");
    known.bind(run, kErrorPolicy);
    if (known.step()) return known.integer(0);
    Statement insert(
        db,
        "INSERT INTO run(stage, kind, device, backend, mode, accounting, seed, inputs, options, state, created) SELECT stage, kind, 'cpu-ref', "
        "backend, 'f64', accounting, seed, inputs, options, 'complete', created FROM run WHERE id = ?1 RETURNING id");
    insert.bind(run);
    insert.step();
    return insert.integer(0);
}

/// Errors against doubles of both sides of a comparison, as comparisons with the run in doubles: rows have the numbers of those that they belong to.
void insertErrors(Database& db, std::int64_t runA, std::int64_t runB, const exec::Comparison& c, const SiteUids& uidA, const SiteUids& uidB) {
    if (std::none_of(c.rows.begin(), c.rows.end(), [](const exec::ComparedValue& row) { return row.errorA && row.errorB; })) return;
    const std::int64_t reference = referenceRun(db, runA);
    for (const bool later : {false, true}) {
        Statement head(db, "INSERT INTO comparison(run_a, run_b, policy, verdict) VALUES(?1, ?2, ?3, 'not-comparable') RETURNING id");
        head.bind(reference, later ? runB : runA, kErrorPolicy);
        head.step();
        const std::int64_t id = head.integer(0);
        Statement insert(db,
                         "INSERT INTO comparison_row(comparison, seq, uid_a, uid_b, out, verdict, max_abs) VALUES(?1, ?2, ?3, ?4, ?5, "
                         "'not-comparable', ?6)");
        for (std::size_t i = 0; i < c.rows.size(); ++i) {
            const exec::ComparedValue& row = c.rows[i];
            if (!row.errorA || !row.errorB || !row.a || !row.b) continue;
            insert.run(id, static_cast<std::int64_t>(i), uidA(*row.a), later ? uidB(*row.b) : uidA(*row.a), later ? row.outB : row.outA,
                       later ? *row.errorB : *row.errorA);
        }
    }
}

}  // namespace

std::int64_t insertComparison(Database& db, std::int64_t runA, std::int64_t runB, const exec::Comparison& c) {
    const SiteUids uidA(db, runA), uidB(db, runB);
    const auto uidOf = [](const SiteUids& uids, const std::optional<memory::Site>& site) { return site ? std::optional(uids(*site)) : std::nullopt; };
    std::optional<Uid> firstUid;
    std::optional<int> firstOut;
    if (c.first) {
        const exec::ComparedValue& first = c.rows[*c.first];
        firstUid = first.b ? uidOf(uidB, first.b) : uidOf(uidA, first.a);
        firstOut = first.outB;
    }
    Statement head(db, "INSERT INTO comparison(run_a, run_b, policy, verdict, first_uid, first_out) VALUES(?1, ?2, ?3, ?4, ?5, ?6) RETURNING id");
    head.bind(runA, runB, c.policy, exec::toString(c.verdict), firstUid, firstOut);
    head.step();
    const std::int64_t id = head.integer(0);
    Statement insert(db,
                     "INSERT INTO comparison_row(comparison, seq, uid_a, uid_b, out, verdict, inherited, max_abs, max_rel, ulp, at, a, b) "
                     "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)");
    std::int64_t seq = 0;
    for (const exec::ComparedValue& row : c.rows) {
        const auto number = [&](double n) { return row.measured ? std::optional(n) : std::nullopt; };
        const std::string at = row.index < 0 ? std::string() : bracketed(row.at);
        insert.run(id, seq++, uidOf(uidA, row.a), uidOf(uidB, row.b), row.outB, exec::toString(row.verdict), row.inherited, number(row.maxAbs),
                   number(row.maxRel), number(row.ulp), orNull(at), orNull(row.valueA), orNull(row.valueB));
    }
    insertErrors(db, runA, runB, c, uidA, uidB);
    return id;
}

void insertProbe(Database& db, const ProbeRow& p, std::int64_t lane) {
    Statement insert(db, "INSERT INTO probe(kind, lane, seq, k, verdict, run, command) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    insert.run(p.kind, lane, p.seq, p.k, p.verdict, p.run, orNull(p.command));
}

}  // namespace aliascope::recording
