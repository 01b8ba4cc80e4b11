#include "views/session/node_life.h"

#include <algorithm>

namespace aliascope {
namespace {

std::int64_t integer(const std::optional<std::string>& text) { return text ? std::strtoll(text->c_str(), nullptr, 10) : 0; }

/// The node that has the name in the stage; kNoUid when none has.
Uid uidNamed(const Recording& recording, std::int64_t lane, int stage, const std::string& name) {
    std::string quoted;
    for (char c : name) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    const std::string at = std::to_string(stage);
    const Result<QueryResult> rows = recording.query("SELECT uid FROM node WHERE lane = " + std::to_string(lane) + " AND name = '" + quoted +
                                                     "' AND first_stage <= " + at + " AND last_stage >= " + at + " LIMIT 1");
    return rows && !rows->rows.empty() ? Uid(integer(rows->rows.front().front())) : kNoUid;
}

}  // namespace

std::optional<NodeLife> lifeOf(const Recording& recording, std::int64_t lane, int stage, Uid uid) {
    const Result<QueryResult> rows = recording.query("SELECT name, first_stage, last_stage FROM node WHERE lane = " + std::to_string(lane) +
                                                     " AND uid = " + std::to_string(std::int64_t(uid)) + " ORDER BY first_stage");
    if (!rows || rows->rows.empty()) return std::nullopt;
    NodeLife life;
    for (const auto& row : rows->rows) {
        const int first = int(integer(row[1])), last = int(integer(row[2]));
        if (!life.name.empty() && first > stage) break;
        std::string name = row[0].value_or("");
        if (!life.name.empty() && life.name != name) life.earlier.insert(life.earlier.begin(), life.name);
        life.name = std::move(name);
        life.first = first;
        life.last = last;
        life.gone = last < stage;
    }
    if (!life.gone) return life;
    for (const HistoryRow& row : recording.history(lane, uid))
        if (row.stage == life.last + 1 && row.side == "before") life.replacedBy.insert(life.replacedBy.end(), row.others.begin(), row.others.end());
    return life;
}

std::vector<NodeLife> trailOf(const Recording& recording, std::int64_t lane, int stage, Uid uid, std::size_t most) {
    std::vector<NodeLife> out;
    while (uid != kNoUid && out.size() < most) {
        std::optional<NodeLife> life = lifeOf(recording, lane, stage, uid);
        if (!life) break;
        uid = life->gone && !life->replacedBy.empty() ? uidNamed(recording, lane, life->last + 1, life->replacedBy.front()) : kNoUid;
        out.push_back(std::move(*life));
    }
    return out;
}

}  // namespace aliascope
