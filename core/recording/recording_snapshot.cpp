// The graph at a stage as rows, and the differences between stages.

#include <algorithm>

#include "core/recording/node_text.h"
#include "core/recording/recording_impl.h"
#include "core/recording/type_text.h"

namespace aliascope {

using namespace recording;

namespace {

constexpr const char* kNodeColumns =
    "n.id, n.uid, n.first_stage, n.last_stage, n.ord, b.text, n.kind, n.name, o.kind, o.text, a.kind, a.text, t.text, t.bytes, t.extent_bytes, "
    "t.offset_el, "
    "n.storage, m.text, p.text, n.line, n.fn, c.text, n.flags "
    "FROM node n LEFT JOIN str b ON b.id = n.body LEFT JOIN str o ON o.id = n.op LEFT JOIN str a ON a.id = n.args LEFT JOIN type t ON t.id = n.type "
    "LEFT JOIN str m ON m.id = n.module LEFT JOIN str p ON p.id = n.path LEFT JOIN str c ON c.id = n.code ";

NodeRow nodeRowFrom(const Statement& s) {
    NodeRow r;
    r.version = s.integer(0);
    r.uid = static_cast<Uid>(s.integer(1));
    r.firstStage = static_cast<int>(s.integer(2));
    r.lastStage = static_cast<int>(s.integer(3));
    r.ord = s.integer(4);
    r.body = s.text(5);
    r.kind = s.text(6);
    r.name = s.text(7);
    r.op = s.text(9);
    const Extras extras = extrasFrom(s.view(10));
    r.args = s.text(11);
    if (!s.isNull(9))
        r.target = spellTarget(s.view(8), s.view(9));
    else
        r.target = extras.target.value_or(std::string(defaultTarget(nodeKindFrom(r.kind).value_or(NodeKind::CallFunction), r.name)));
    const std::string_view type = bareTypeText(s.view(12));
    // A tuple's row has a text of ours; PyTorch prints no annotation there.
    r.type = extras.annotation ? *extras.annotation : type.starts_with('(') ? std::string() : std::string(type);
    r.bytes = s.optionalInteger(13);
    r.extentBytes = s.optionalInteger(14);
    r.offset = s.optionalInteger(15);
    r.storage = s.isNull(16) ? -1 : static_cast<int>(s.integer(16));
    r.module = s.text(17);
    r.file = s.text(18);
    r.line = static_cast<int>(s.integer(19));
    r.function = s.text(20);
    r.code = s.text(21);
    r.flags = flagsOf(s.integer(22));
    r.trust = trustOf(s.integer(22));
    return r;
}

EdgeRow::Mode modeFrom(std::string_view word) {
    if (word == "write") return EdgeRow::Mode::Write;
    if (word == "readwrite") return EdgeRow::Mode::ReadWrite;
    return word == "meta" ? EdgeRow::Mode::Meta : EdgeRow::Mode::Read;
}

/// Loads versions that no snapshot has loaded yet.
class VersionLoader {
public:
    VersionLoader(Database& db, SnapshotCache& cache) : db_(db), cache_(cache) {}

    /// All versions of a stage, by body, then order.
    std::vector<VersionPtr> stage(std::int64_t lane, int stage) {
        std::vector<std::pair<std::int64_t, int>> ids;
        Statement list(db_, "SELECT id, last_stage FROM node WHERE lane = ?1 AND first_stage <= ?2 AND last_stage >= ?2");
        list.bind(lane, stage);
        while (list.step()) ids.emplace_back(list.integer(0), static_cast<int>(list.integer(1)));
        std::vector<VersionPtr> out;
        std::vector<std::int64_t> missing;
        for (const auto& [id, last] : ids) {
            if (VersionPtr known = cache_.find(id, last))
                out.push_back(std::move(known));
            else
                missing.push_back(id);
        }
        load(lane, stage, missing, ids.size(), out);
        std::sort(out.begin(), out.end(), [](const VersionPtr& a, const VersionPtr& b) {
            const auto bodyA = a->row.uid >> 32, bodyB = b->row.uid >> 32;
            return bodyA != bodyB ? bodyA < bodyB : a->row.ord != b->row.ord ? a->row.ord < b->row.ord : a->row.uid < b->row.uid;
        });
        return out;
    }

private:
    void load(std::int64_t lane, int stage, const std::vector<std::int64_t>& missing, std::size_t total, std::vector<VersionPtr>& out) {
        if (missing.empty()) return;
        std::unordered_map<std::int64_t, std::shared_ptr<Version>> loaded;
        // One range query when most are new, else one look-up per version.
        if (missing.size() * 4 > total) {
            const std::string range = "WHERE n.lane = ?1 AND n.first_stage <= ?2 AND n.last_stage >= ?2";
            Statement rows(db_, std::string("SELECT ") + kNodeColumns + range);
            rows.bind(lane, stage);
            for (std::int64_t id : missing) loaded.emplace(id, nullptr);
            while (rows.step())
                if (const auto it = loaded.find(rows.integer(0)); it != loaded.end()) it->second = take(rows);
            Statement uses(db_, "SELECT u.uid, u.arg, u.mode, u.node FROM node n JOIN use u ON u.node = n.id " + range + " ORDER BY u.node, u.slot");
            uses.bind(lane, stage);
            while (uses.step())
                if (const auto it = loaded.find(uses.integer(3)); it != loaded.end() && it->second) addUse(*it->second, uses);
        } else {
            Statement row(db_, std::string("SELECT ") + kNodeColumns + "WHERE n.id = ?1");
            Statement uses(db_, "SELECT uid, arg, mode FROM use WHERE node = ?1 ORDER BY slot");
            for (std::int64_t id : missing) {
                row.bind(id);
                if (!row.step()) continue;
                const auto version = take(row);
                uses.bind(id);
                while (uses.step()) addUse(*version, uses);
                loaded.emplace(id, version);
            }
        }
        for (const auto& [id, version] : loaded) {
            if (!version) continue;
            cache_.keep(version);
            out.push_back(version);
        }
    }

    static std::shared_ptr<Version> take(const Statement& s) {
        auto version = std::make_shared<Version>();
        version->row = nodeRowFrom(s);
        return version;
    }

    static void addUse(Version& version, const Statement& s) {
        version.uses.push_back({static_cast<Uid>(s.integer(0)), version.row.uid, s.text(1), modeFrom(s.view(2))});
    }

    Database& db_;
    SnapshotCache& cache_;
};

}  // namespace

namespace recording {

VersionPtr SnapshotCache::find(std::int64_t version, int lastStage) {
    const std::lock_guard lock(mutex_);
    const auto it = versions_.find(version);
    if (it == versions_.end()) return nullptr;
    VersionPtr known = it->second.lock();
    // A lane that is being written may have closed the version since it was loaded.
    return known && known->row.lastStage == lastStage ? known : nullptr;
}

void SnapshotCache::keep(const VersionPtr& version) {
    const std::lock_guard lock(mutex_);
    versions_[version->row.version] = version;
}

std::shared_ptr<const StageSnapshot> SnapshotCache::snapshot(std::int64_t stageId) {
    const std::lock_guard lock(mutex_);
    const auto it = std::find_if(recent_.begin(), recent_.end(), [&](const auto& s) { return s->stage.id == stageId; });
    if (it == recent_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, it);
    return recent_.front();
}

void SnapshotCache::keep(const std::shared_ptr<const StageSnapshot>& snapshot) {
    const std::lock_guard lock(mutex_);
    recent_.push_front(snapshot);
    if (recent_.size() > kSnapshots) recent_.pop_back();
    // Versions that nobody holds any more leave dead entries; sweep when they may be the majority.
    if (versions_.size() > 4 * snapshot->nodes.size() + 1024) std::erase_if(versions_, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace recording

std::shared_ptr<const StageSnapshot> Recording::snapshot(std::int64_t lane, int stage) const {
    return impl_->read(std::shared_ptr<const StageSnapshot>(), [&](Database& db) -> std::shared_ptr<const StageSnapshot> {
        Statement row(db, std::string("SELECT ") + kStageColumns + " FROM stage s WHERE s.lane = ?1 AND s.idx = ?2");
        row.bind(lane, stage);
        if (!row.step()) return nullptr;
        auto out = std::make_shared<StageSnapshot>();
        out->stage = stageRowFrom(row);
        if (auto known = impl_->cache.snapshot(out->stage.id)) return known;
        for (const VersionPtr& version : VersionLoader(db, impl_->cache).stage(lane, stage)) {
            out->nodes.emplace_back(version, &version->row);
            out->edges.insert(out->edges.end(), version->uses.begin(), version->uses.end());
        }
        impl_->cache.keep(out);
        return out;
    });
}

std::vector<ChangeRow> Recording::changes(std::int64_t lane, int stage) const {
    return stage > 1 ? difference(lane, stage - 1, stage) : std::vector<ChangeRow>();
}

std::vector<ChangeRow> Recording::difference(std::int64_t lane, int stageA, int stageB) const {
    return impl_->read(std::vector<ChangeRow>(), [&](Database& db) {
        Statement only(
            db,
            "SELECT uid, name, ord FROM node WHERE lane = ?1 AND first_stage <= ?2 AND last_stage >= ?2 AND (last_stage < ?3 OR first_stage > ?3) "
            "ORDER BY uid >> 32, ord");
        only.bind(lane, stageA, stageB);
        std::vector<ChangeRow> removed;
        while (only.step()) removed.push_back({static_cast<Uid>(only.integer(0)), only.text(1), ChangeMark::Removed});
        std::vector<ChangeRow> out;
        only.bind(lane, stageB, stageA);
        while (only.step()) out.push_back({static_cast<Uid>(only.integer(0)), only.text(1), ChangeMark::Added});
        std::unordered_map<Uid, std::size_t> added;
        for (std::size_t i = 0; i < out.size(); ++i) added.emplace(out[i].uid, i);
        for (ChangeRow& r : removed) {
            const auto it = added.find(r.uid);
            if (it != added.end())
                out[it->second].mark = ChangeMark::Modified;
            else
                out.push_back(std::move(r));
        }
        return out;
    });
}

}  // namespace aliascope
