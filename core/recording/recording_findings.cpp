// What passes said: decisions, rewrites, the history of a node, messages.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/recording/recording_impl.h"
#include "core/support/reasons.h"

namespace aliascope {

using namespace recording;

namespace {

/// A JSON object of texts, as paramsJson wrote it; what is no text is left out.
Params paramsFrom(std::string_view json) {
    Params out;
    const nlohmann::json j = nlohmann::json::parse(json, nullptr, false);
    if (!j.is_object()) return out;
    for (const auto& [key, value] : j.items())
        if (value.is_string()) out.emplace_back(key, value.get<std::string>());
    return out;
}

/// The parameters that every decision's sentence may name, behind those that the pass gave.
void addDecisionParams(Params& params, const DecisionRow& d) {
    const auto number = [](const std::optional<std::int64_t>& v) { return v ? std::to_string(*v) : std::string("?"); };
    params.emplace_back("node", d.node);
    params.emplace_back("op", d.op);
    params.emplace_back("arg", d.argument);
    params.emplace_back("blocker", d.blocker);
    params.emplace_back("cloned", number(d.clonedBytes));
    params.emplace_back("needed", number(d.neededBytes));
    params.emplace_back("bytes", number(d.reportedBytes));
}

/// Area of reasons.tsv that a pass draws from; a code that stands in two areas means different things there.
std::string_view areaOf(std::string_view pass) {
    if (pass == "reinplace") return "reinplace";
    if (pass == "functionalize" || pass == "decompose-functionalized") return "functionalize";
    if (pass == "fuse-attention") return "patterns";
    if (pass == "auto-chunk") return "chunk";
    return "cleanup";
}

std::optional<Uid> uidAt(const Statement& s, int column) {
    const auto v = s.optionalInteger(column);
    return v ? std::optional(static_cast<Uid>(*v)) : std::nullopt;
}

constexpr const char* kDecisionColumns =
    "SELECT d.id, d.stage, s.idx, s.name, l.name, d.uid, d.origin_uid, d.blocker_uid, d.view_uid, d.node, d.origin, d.op, d.argument, d.verdict, "
    "d.need, d.code, "
    "d.blocker, d.rule, d.avoided_by, d.advice, d.bytes_expr, d.params, d.reported_bytes, d.cloned_bytes, d.needed_bytes, d.counted, s.pass "
    "FROM decision d JOIN stage s ON s.id = d.stage JOIN lane l ON l.id = s.lane ";

DecisionRow decisionFrom(const Statement& s) {
    DecisionRow d;
    d.id = s.integer(0);
    d.stageId = s.integer(1);
    d.stage = static_cast<int>(s.integer(2));
    d.stageName = s.text(3);
    d.lane = s.text(4);
    d.uid = uidAt(s, 5);
    d.originUid = uidAt(s, 6);
    d.blockerUid = uidAt(s, 7);
    d.viewUid = uidAt(s, 8);
    d.node = s.text(9);
    d.origin = s.text(10);
    d.op = s.text(11);
    d.argument = s.text(12);
    d.verdict = s.text(13);
    d.need = s.text(14);
    d.code = s.text(15);
    d.blocker = s.text(16);
    d.rule = s.text(17);
    d.avoidedBy = s.text(18);
    d.advice = s.text(19);
    d.bytesExpr = s.text(20);
    d.reportedBytes = s.optionalInteger(22);
    d.clonedBytes = s.optionalInteger(23);
    d.neededBytes = s.optionalInteger(24);
    d.counted = s.integer(25) != 0;
    Params params = paramsFrom(s.view(21));
    addDecisionParams(params, d);
    const Reason* reason = findReason(d.code, areaOf(s.view(26)));
    if (!reason) reason = findReason(d.code);
    if (reason) {
        d.sentence = fillSentence(reason->sentence, params);
        if (d.advice.empty()) d.advice = fillSentence(reason->advice, params);
    }
    return d;
}

/// One node's part in one rewrite.
struct Touch {
    int seq = 0;
    std::string rule;
    bool before = false, after = false;
    std::string ownName;
    std::vector<std::string> othersBefore, othersAfter;
};

HistoryRow historyRow(std::int64_t rewrite, const Touch& t) {
    HistoryRow r;
    r.rule = t.rule;
    r.rewrite = rewrite;
    r.seq = t.seq;
    r.name = t.ownName;
    r.side = t.before && t.after ? "both" : t.before ? "before" : "after";
    if (t.before && t.after) {
        r.state = "Changed";
        r.others = t.othersAfter;
    } else if (t.after) {
        r.state = "Created";
        r.others = t.othersBefore;
    } else {
        r.state = t.othersAfter.empty() ? "Removed" : t.othersBefore.empty() ? "Replaced" : "Merged into";
        r.others = t.othersAfter;
    }
    return r;
}

}  // namespace

std::vector<DecisionRow> Recording::decisions(std::int64_t lane) const {
    return impl_->read(std::vector<DecisionRow>(), [&](Database& db) {
        std::vector<DecisionRow> out;
        Statement s(db, std::string(kDecisionColumns) + "WHERE s.lane = ?1 ORDER BY s.idx, d.seq");
        s.bind(lane);
        while (s.step()) out.push_back(decisionFrom(s));
        return out;
    });
}

std::optional<DecisionRow> Recording::decisionCard(std::int64_t id) const {
    return impl_->read(std::optional<DecisionRow>(), [&](Database& db) -> std::optional<DecisionRow> {
        Statement s(db, std::string(kDecisionColumns) + "WHERE d.id = ?1");
        s.bind(id);
        if (!s.step()) return std::nullopt;
        DecisionRow d = decisionFrom(s);
        Statement checks(db, "SELECT question, result, detail FROM check_step WHERE decision = ?1 ORDER BY seq");
        checks.bind(id);
        while (checks.step()) d.checks.push_back({checks.text(0), checks.text(1), checks.text(2)});
        return d;
    });
}

std::vector<RewriteRow> Recording::rewrites(std::int64_t lane, int stage) const {
    return impl_->read(std::vector<RewriteRow>(), [&](Database& db) {
        std::vector<RewriteRow> out;
        Statement s(db,
                    "SELECT r.id, s.idx, r.seq, r.rule, r.state, r.theorem, r.message FROM stage s JOIN rewrite r ON r.stage = s.id "
                    "WHERE s.lane = ?1 AND s.idx = ?2 ORDER BY r.seq");
        Statement nodes(db, "SELECT side, uid, name FROM rewrite_node WHERE rewrite = ?1 ORDER BY side, uid");
        s.bind(lane, stage);
        while (s.step()) {
            RewriteRow r;
            r.id = s.integer(0);
            r.stage = static_cast<int>(s.integer(1));
            r.seq = static_cast<int>(s.integer(2));
            r.rule = s.text(3);
            r.state = s.text(4);
            r.theorem = s.text(5);
            r.message = s.text(6);
            nodes.bind(r.id);
            while (nodes.step()) (nodes.view(0) == "before" ? r.before : r.after).emplace_back(static_cast<Uid>(nodes.integer(1)), nodes.text(2));
            out.push_back(std::move(r));
        }
        return out;
    });
}

std::vector<HistoryRow> Recording::history(std::int64_t lane, Uid uid) const {
    return impl_->read(std::vector<HistoryRow>(), [&](Database& db) {
        std::map<int, std::map<std::int64_t, Touch>> touches;  // by stage, then rewrite
        Statement touched(
            db,
            "SELECT s.idx, r.id, r.seq, r.rule, o.side, o.uid, o.name FROM rewrite_node w JOIN rewrite r ON r.id = w.rewrite JOIN stage s ON "
            "s.id = r.stage JOIN rewrite_node o ON o.rewrite = r.id WHERE w.uid = ?1 AND s.lane = ?2 AND r.state = 'applied' ORDER BY r.id, o.uid");
        touched.bind(uid, lane);
        while (touched.step()) {
            Touch& t = touches[static_cast<int>(touched.integer(0))][touched.integer(1)];
            t.seq = static_cast<int>(touched.integer(2));
            t.rule = touched.text(3);
            const bool before = touched.view(4) == "before";
            if (static_cast<Uid>(touched.integer(5)) == uid) {
                (before ? t.before : t.after) = true;
                t.ownName = touched.text(6);
            } else {
                // The join repeats the other nodes once per side on which the node itself stands.
                auto& others = before ? t.othersBefore : t.othersAfter;
                if (std::find(others.begin(), others.end(), touched.view(6)) == others.end()) others.push_back(touched.text(6));
            }
        }
        std::map<int, std::pair<std::string, int>> versions;  // first stage -> name, last stage
        Statement lives(db, "SELECT first_stage, last_stage, name FROM node WHERE lane = ?1 AND uid = ?2 ORDER BY first_stage");
        lives.bind(lane, uid);
        while (lives.step()) versions[static_cast<int>(lives.integer(0))] = {lives.text(2), static_cast<int>(lives.integer(1))};

        std::vector<HistoryRow> out;
        Statement stages(db, "SELECT idx, name FROM stage WHERE lane = ?1 ORDER BY idx");
        stages.bind(lane);
        while (stages.step()) {
            const int idx = static_cast<int>(stages.integer(0));
            const auto place = [&](HistoryRow row) {
                row.stage = idx;
                row.stageName = stages.text(1);
                out.push_back(std::move(row));
            };
            if (const auto it = touches.find(idx); it != touches.end()) {
                for (const auto& [rewrite, touch] : it->second) place(historyRow(rewrite, touch));
                continue;
            }
            auto next = versions.upper_bound(idx);
            if (next == versions.begin()) continue;
            const auto& [first, version] = *std::prev(next);
            HistoryRow row;
            row.name = version.first;
            if (version.second >= idx) {
                const bool before = std::prev(next) != versions.begin() && std::prev(std::prev(next))->second.second == idx - 1;
                row.state = first < idx ? "Survived" : before ? "Changed" : "Created";
            } else if (version.second == idx - 1) {
                row.state = "Removed";
            } else {
                continue;
            }
            place(std::move(row));
        }
        return out;
    });
}

std::vector<DiagnosticRow> Recording::diagnostics() const {
    return impl_->read(std::vector<DiagnosticRow>(), [](Database& db) {
        std::vector<DiagnosticRow> out;
        Statement s(db,
                    "SELECT d.severity, d.audience, d.code, d.params, d.excerpt, d.line, d.col, d.uid, o.path, s.name FROM diagnostic d "
                    "LEFT JOIN source o ON o.id = d.source LEFT JOIN stage s ON s.id = d.stage ORDER BY d.id");
        while (s.step()) {
            DiagnosticRow r;
            r.severity = s.text(0);
            r.audience = s.text(1);
            r.code = s.text(2);
            Params params = paramsFrom(s.view(3));
            Diagnostic d;
            d.code = r.code;
            for (auto& [key, value] : params) {
                if (key == "note") d.note = value;
                d.params.emplace_back(key, value);
            }
            r.sentence = d.sentence();
            r.excerpt = s.text(4);
            r.line = static_cast<int>(s.integer(5));
            r.col = static_cast<int>(s.integer(6));
            r.uid = uidAt(s, 7);
            r.file = s.text(8);
            r.stage = s.text(9);
            out.push_back(std::move(r));
        }
        return out;
    });
}

}  // namespace aliascope
