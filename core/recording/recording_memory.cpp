// Memory of recorded runs: curve, live set, holders, lifetimes, differences. Question by question one indexed query (session.md 5).

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/recording/memory_rows.h"
#include "core/recording/recording_impl.h"
#include "core/recording/storage_versions.h"

namespace aliascope {

using namespace recording;

namespace {

using memory::Event;
using memory::EventKind;
using memory::Lifetime;

/// Call paths of the session: str row -> index into memoryCallPaths().
class CallPaths {
public:
    explicit CallPaths(Database& db) {
        Statement s(db, "SELECT id, text FROM str WHERE kind = 'frame' ORDER BY id");
        while (s.step()) {
            index_.emplace(s.integer(0), static_cast<std::uint32_t>(texts_.size()));
            texts_.push_back(s.text(1));
        }
    }
    std::uint32_t index(std::int64_t str) const {
        const auto it = index_.find(str);
        return it == index_.end() ? 0 : it->second;
    }
    const std::vector<std::string>& texts() const { return texts_; }

private:
    std::unordered_map<std::int64_t, std::uint32_t> index_;
    std::vector<std::string> texts_ = {""};
};

memory::Site siteFrom(const std::optional<std::int64_t>& uid, std::uint32_t callPath) {
    if (!uid) return {0, NodeId(), callPath};
    const auto u = static_cast<Uid>(*uid);
    return {static_cast<std::uint32_t>(u >> 32), NodeId(static_cast<std::uint32_t>(u)), callPath};
}

memory::StorageId storageFrom(std::int64_t number) {
    return number < 0 || number >= memory::kNoStorage ? memory::kNoStorage : static_cast<memory::StorageId>(number);
}

EventKind kindFrom(std::string_view word) {
    for (int k = 0; k <= static_cast<int>(EventKind::Leave); ++k)
        if (memory::toString(static_cast<EventKind>(k)) == word) return static_cast<EventKind>(k);
    return EventKind::Leave;
}

memory::Role roleFrom(std::string_view word) {
    for (int k = 0; k <= static_cast<int>(memory::Role::Slack); ++k)
        if (memory::toString(static_cast<memory::Role>(k)) == word) return static_cast<memory::Role>(k);
    return memory::Role::Value;
}

constexpr const char* kLifeColumns =
    "m.storage, m.birth, m.death, m.uid, m.last_uid, m.role, m.bytes_exact, m.bytes_charged, m.address_off, e.call_path ";
constexpr const char* kBirthEvent = "LEFT JOIN mem_event e ON e.run = m.run AND e.seq = m.birth ";

Lifetime lifetimeFrom(const Statement& s, const CallPaths& paths) {
    Lifetime life;
    life.storage = storageFrom(s.integer(0));
    life.birth = s.integer(1);
    life.role = roleFrom(s.view(5));
    life.death = life.counts() ? s.integer(2) : memory::kNever;
    life.origin = siteFrom(s.optionalInteger(3), paths.index(s.integer(9)));
    life.last = siteFrom(s.optionalInteger(4), life.origin.callPath);
    life.exact = s.integer(6);
    life.charged = s.integer(7);
    life.address = s.isNull(8) ? -1 : s.integer(8);
    return life;
}

std::int64_t eventCount(const Database& db, std::int64_t run) {
    Statement s(db, "SELECT events FROM run WHERE id = ?1");
    s.bind(run);
    return s.step() ? s.integer(0) : 0;
}

std::optional<std::int64_t> peakSeqOf(const Database& db, std::int64_t run) {
    Statement s(db, "SELECT peak_seq FROM run WHERE id = ?1");
    s.bind(run);
    return s.step() ? s.optionalInteger(0) : std::nullopt;
}

/// The nearest snapshot at or before `seq`: mem_live has one at every multiple of kLiveEvery and at the peak.
std::int64_t snapshotBefore(std::int64_t seq, const std::optional<std::int64_t>& peak) {
    const std::int64_t regular = seq / kLiveEvery * kLiveEvery;
    return peak && *peak <= seq ? std::max(regular, *peak) : regular;
}

std::vector<Lifetime> liveAfter(Database& db, std::int64_t run, std::int64_t seq) {
    const CallPaths paths(db);
    Statement s(
        db,
        std::string("SELECT ") + kLifeColumns +
            "FROM (SELECT storage FROM mem_live WHERE run = ?1 AND seq = ?2 UNION SELECT storage FROM mem_event " +
            "WHERE run = ?1 AND seq > ?2 AND seq <= ?3 AND storage NOT NULL) v CROSS JOIN mem_storage m ON m.run = ?1 AND m.storage = v.storage " +
            kBirthEvent + "WHERE m.death > ?3 AND m.birth <= ?3 ORDER BY m.birth");
    s.bind(run, snapshotBefore(seq, peakSeqOf(db, run)), seq);
    std::vector<Lifetime> out;
    while (s.step())
        if (Lifetime life = lifetimeFrom(s, paths); life.counts()) out.push_back(life);
    return out;
}

std::vector<Lifetime> allLifetimes(Database& db, std::int64_t run, const CallPaths& paths) {
    Statement s(db, std::string("SELECT ") + kLifeColumns + "FROM mem_storage m " + kBirthEvent + "WHERE m.run = ?1 ORDER BY m.storage");
    s.bind(run);
    std::vector<Lifetime> out;
    while (s.step()) out.push_back(lifetimeFrom(s, paths));
    std::stable_sort(out.begin(), out.end(), [](const Lifetime& a, const Lifetime& b) { return a.birth < b.birth; });
    return out;
}

/// What a node of a run's stage is grouped by.
class NodeKeys {
public:
    NodeKeys(Database& db, std::int64_t run, HolderKey by)
        : by_(by),
          node_(db,
                std::string("SELECT ") + column(by) +
                    " FROM run r JOIN stage s ON s.id = r.stage JOIN node n ON n.lane = s.lane AND n.uid = ?2 AND n.first_stage <= s.idx "
                    "AND n.last_stage >= s.idx LEFT JOIN str o ON o.id = n.op LEFT JOIN str mo ON mo.id = n.module LEFT JOIN str p ON p.id = n.path "
                    "WHERE r.id = ?1"),
          type_(db, "SELECT t.dtype FROM mem_storage m JOIN type t ON t.id = m.type WHERE m.run = ?1 AND m.storage = ?2"),
          run_(run) {}

    std::string operator()(const Lifetime& life) {
        if (by_ == HolderKey::Storage) return std::to_string(life.storage);
        if (by_ == HolderKey::Dtype) {
            type_.bind(run_, life.storage);
            return type_.step() ? type_.text(0) : std::string();
        }
        if (!life.origin.node) return {};
        node_.bind(run_, makeUid(life.origin.body, life.origin.node));
        return node_.step() ? node_.text(0) : std::string();
    }

private:
    static const char* column(HolderKey by) {
        switch (by) {
            case HolderKey::Op:
                return "o.text";
            case HolderKey::Module:
                return "mo.text";
            case HolderKey::Source:
                return "CASE WHEN n.line IS NULL OR n.line = 0 THEN p.text ELSE p.text || ':' || n.line END";
            default:
                return "n.name";
        }
    }
    HolderKey by_;
    Statement node_, type_;
    std::int64_t run_;
};

}  // namespace

std::vector<MemoryRunRow> Recording::memoryRuns(std::int64_t lane, int stage) const {
    return impl_->read(std::vector<MemoryRunRow>(), [&](Database& db) {
        Statement s(
            db,
            "SELECT r.id, s.lane, s.idx, s.name, r.kind, r.device, r.backend, r.mode, r.accounting, r.state, r.created, r.synthetic, r.peak_exact, "
            "r.peak_charged, r.events, r.peak_seq, r.arena, r.lower_bound, r.wall_ns, e.uid, n.name "
            "FROM run r JOIN stage s ON s.id = r.stage LEFT JOIN mem_event e ON e.run = r.id AND e.seq = r.peak_seq "
            "LEFT JOIN node n ON n.lane = s.lane AND n.uid = e.uid AND n.first_stage <= s.idx AND n.last_stage >= s.idx "
            "WHERE s.lane = ?1 AND (?2 = 0 OR s.idx = ?2) AND r.events IS NOT NULL ORDER BY r.id");
        s.bind(lane, stage);
        std::vector<MemoryRunRow> out;
        while (s.step()) {
            MemoryRunRow r;
            r.id = s.integer(0);
            r.lane = s.integer(1);
            r.stage = static_cast<int>(s.integer(2));
            const std::array<std::string*, 8> texts = {&r.stageName, &r.kind, &r.device, &r.backend, &r.mode, &r.accounting, &r.state, &r.created};
            for (std::size_t i = 0; i < texts.size(); ++i) *texts[i] = s.text(static_cast<int>(3 + i));
            r.synthetic = s.integer(11) != 0;
            r.peakExact = s.integer(12);
            r.peakCharged = s.integer(13);
            r.events = s.integer(14);
            r.peakSeq = s.optionalInteger(15);
            r.arena = s.optionalInteger(16);
            r.lowerBound = s.optionalInteger(17);
            r.wallNs = s.optionalInteger(18);
            if (!s.isNull(19)) r.atUid = static_cast<Uid>(s.integer(19));
            r.at = s.text(20);
            out.push_back(std::move(r));
        }
        return out;
    });
}

std::vector<std::string> Recording::memoryCallPaths() const {
    return impl_->read(std::vector<std::string>{""}, [](Database& db) { return CallPaths(db).texts(); });
}

std::vector<memory::CurveBucket> Recording::memoryCurve(std::int64_t run, std::int64_t from, std::int64_t to, int buckets,
                                                        memory::Accounting accounting) const {
    return impl_->read(std::vector<memory::CurveBucket>(), [&](Database& db) {
        const std::int64_t count = eventCount(db, run);
        if (to < 0 || to > count) to = count;
        memory::CurvePlan plan = memory::planCurve(from, to, buckets);
        if (accounting == memory::Accounting::Charged) plan.level = 0;
        std::vector<memory::CurveBucket> out;
        if (plan.start >= plan.end) return out;
        const std::int64_t unit = std::int64_t{1} << (memory::kLevelShift * plan.level);
        Statement s(db, plan.level > 0
                            ? "SELECT bucket, min_live, max_live FROM mem_level WHERE run = ?1 AND level = ?4 AND bucket >= ?2 AND bucket < ?3"
                        : accounting == memory::Accounting::Exact
                            ? "SELECT seq, live_exact, live_exact FROM mem_event WHERE run = ?1 AND seq >= ?2 AND seq < ?3"
                            : "SELECT seq, live_charged, live_charged FROM mem_event WHERE run = ?1 AND seq >= ?2 AND seq < ?3");
        // The last bucket of the plan may reach past `to`: whole buckets only.
        const std::int64_t end = std::min(plan.start + (plan.end - plan.start + plan.width - 1) / plan.width * plan.width, count);
        if (plan.level > 0)
            s.bind(run, plan.start / unit, (end + unit - 1) / unit, plan.level);
        else
            s.bind(run, plan.start, end);
        while (s.step()) {
            const std::int64_t begin = plan.start + (s.integer(0) * unit - plan.start) / plan.width * plan.width;
            if (out.empty() || out.back().seq != begin) out.push_back({begin, std::min(plan.width, count - begin), s.integer(1), s.integer(2)});
            out.back().minLive = std::min(out.back().minLive, s.integer(1));
            out.back().maxLive = std::max(out.back().maxLive, s.integer(2));
        }
        return out;
    });
}

std::vector<Event> Recording::memoryEvents(std::int64_t run, std::int64_t from, std::int64_t count) const {
    return impl_->read(std::vector<Event>(), [&](Database& db) {
        const CallPaths paths(db);
        Statement s(db,
                    "SELECT t_ns, kind, uid, call_path, storage, tenant, bytes_exact, bytes_charged, address_off, live_exact, live_charged, reserved "
                    "FROM mem_event WHERE run = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3");
        s.bind(run, from, std::max<std::int64_t>(count, 0));
        std::vector<Event> out;
        while (s.step()) {
            Event e;
            e.time = s.integer(0);
            e.kind = kindFrom(s.view(1));
            e.site = siteFrom(s.optionalInteger(2), paths.index(s.integer(3)));
            e.storage = s.isNull(4) ? memory::kNoStorage : storageFrom(s.integer(4));
            e.tenant = static_cast<std::uint32_t>(s.integer(5));
            e.exact = s.integer(6);
            e.charged = s.integer(7);
            e.address = s.isNull(8) ? -1 : s.integer(8);
            e.liveExact = s.integer(9);
            e.liveCharged = s.integer(10);
            e.reserved = s.integer(11);
            out.push_back(e);
        }
        return out;
    });
}

std::int64_t Recording::memorySeqOf(std::int64_t run, Uid node) const {
    return impl_->read(std::int64_t{-1}, [&](Database& db) {
        Statement s(db, "SELECT seq FROM mem_event WHERE run = ?1 AND uid = ?2 ORDER BY live_exact DESC, seq LIMIT 1");
        s.bind(run, node);
        return s.step() ? s.integer(0) : std::int64_t{-1};
    });
}

std::vector<Lifetime> Recording::memoryLiveAt(std::int64_t run, std::int64_t seq) const {
    return impl_->read(std::vector<Lifetime>(), [&](Database& db) { return liveAfter(db, run, seq); });
}

std::vector<Lifetime> Recording::memoryLifetimes(std::int64_t run, std::int64_t limit) const {
    return impl_->read(std::vector<Lifetime>(), [&](Database& db) {
        const CallPaths paths(db);
        Statement s(db, std::string("SELECT ") + kLifeColumns +
                            "FROM (SELECT * FROM mem_storage WHERE run = ?1 ORDER BY bytes_exact DESC, birth LIMIT ?2) m " + kBirthEvent +
                            "ORDER BY m.birth, m.storage");
        s.bind(run, std::max<std::int64_t>(limit, 0));
        std::vector<Lifetime> out;
        while (s.step()) out.push_back(lifetimeFrom(s, paths));
        return out;
    });
}

std::vector<memory::Held> Recording::memoryHolders(std::int64_t run, HolderKey by, std::int64_t seq) const {
    return impl_->read(std::vector<memory::Held>(), [&](Database& db) {
        if (seq < 0) seq = peakSeqOf(db, run).value_or(-1);
        if (seq < 0) return std::vector<memory::Held>();
        NodeKeys keys(db, run, by);
        return memory::groupHeld(liveAfter(db, run, seq), [&](const Lifetime& life) { return keys(life); });
    });
}

std::pair<std::int64_t, std::int64_t> Recording::memoryPeakWithout(std::int64_t run, memory::StorageId storage) const {
    return impl_->read(std::pair<std::int64_t, std::int64_t>(-1, 0), [&](Database& db) {
        Statement s(
            db,
            "SELECT e.seq, e.live_exact - CASE WHEN e.seq >= m.birth AND e.seq < m.death THEN m.bytes_exact ELSE 0 END AS live FROM mem_event e "
            "LEFT JOIN mem_storage m ON m.run = e.run AND m.storage = ?2 WHERE e.run = ?1 ORDER BY live DESC, e.seq LIMIT 1");
        s.bind(run, storage);
        return s.step() ? std::pair(s.integer(0), s.integer(1)) : std::pair<std::int64_t, std::int64_t>(-1, 0);
    });
}

memory::PeakDifference Recording::memoryDifference(std::int64_t runA, std::int64_t runB) const {
    return impl_->read(memory::PeakDifference(), [&](Database& db) {
        const CallPaths paths(db);
        const auto peak = [&](std::int64_t run) {
            Statement s(db, "SELECT peak_seq, peak_exact FROM run WHERE id = ?1");
            s.bind(run);
            return s.step() && !s.isNull(0) ? std::pair(s.integer(0), s.integer(1)) : std::pair<std::int64_t, std::int64_t>(-1, 0);
        };
        const auto [seqA, bytesA] = peak(runA);
        const auto [seqB, bytesB] = peak(runB);
        const std::vector<Lifetime> a = allLifetimes(db, runA, paths), b = allLifetimes(db, runB, paths);
        return memory::comparePeaks({a, seqA, bytesA, paths.texts()}, {b, seqB, bytesB, paths.texts()});
    });
}

}  // namespace aliascope
