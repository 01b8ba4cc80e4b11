#include "core/recording/memory_rows.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/memory/memory_report.h"
#include "core/recording/storage_versions.h"

namespace aliascope::recording {
namespace {

using memory::Event;
using memory::EventLog;
using memory::Lifetime;

class MemoryWriter {
public:
    MemoryWriter(Database& db, TextPool& pool, std::int64_t run, const EventLog& log) : db_(db), pool_(pool), run_(run), log_(log) {}

    void write() {
        readStage();
        for (const std::string& path : log_.callPaths) callPaths_.push_back(path.empty() ? std::nullopt : std::optional(pool_.str("frame", path)));
        const bool tooMany = static_cast<std::int64_t>(log_.events.size()) > kMostEvents;
        if (tooMany)
            leaveOut();
        else
            writeEvents();
        const std::vector<Lifetime> lifetimes = memory::lifetimesOf(log_);
        writeStorages(lifetimes);
        writeLevels();
        writeLive(lifetimes);
        Statement update(db_, "UPDATE run SET peak_exact = ?2, peak_charged = ?3, peak_seq = ?4, events = ?5 WHERE id = ?1");
        update.run(run_, log_.peakExact, log_.peakCharged, log_.peakSeq < 0 ? std::nullopt : std::optional(log_.peakSeq),
                   static_cast<std::int64_t>(log_.events.size()));
    }

private:
    /// Numbers of the stage's bodies, in the order of their paths, and the types of its values.
    void readStage() {
        const std::string range =
            " FROM run r JOIN stage s ON s.id = r.stage JOIN node n ON n.lane = s.lane AND n.first_stage <= s.idx AND n.last_stage >= s.idx ";
        Statement nodes(db_, "SELECT n.uid, n.type, t.bytes IS NOT NULL, n.body" + range + "LEFT JOIN type t ON t.id = n.type WHERE r.id = ?1");
        std::map<std::int64_t, std::int64_t> bodies;  // str of the path -> number
        nodes.bind(run_);
        while (nodes.step()) {
            const auto uid = static_cast<Uid>(nodes.integer(0));
            if (nodes.integer(2) != 0) types_[uid].push_back(nodes.integer(1));
            bodies.emplace(nodes.integer(3), static_cast<std::int64_t>(uid >> 32));
        }
        Statement parts(db_, "SELECT n.uid, p.type" + range +
                                 "JOIN part p ON p.node = n.id JOIN type t ON t.id = p.type WHERE r.id = ?1 AND t.bytes > 0 "
                                 "ORDER BY n.uid, p.out");
        parts.bind(run_);
        while (parts.step()) types_[static_cast<Uid>(parts.integer(0))].push_back(parts.integer(1));
        Statement path(db_, "SELECT text FROM str WHERE id = ?1");
        std::map<std::string, std::int64_t> byPath;
        for (const auto& [str, number] : bodies) {
            path.bind(str);
            if (path.step()) byPath.emplace(path.text(0), number);
        }
        for (const auto& [text, number] : byPath) bodies_.push_back(static_cast<std::uint32_t>(number));
    }

    std::optional<Uid> uidOf(const memory::Site& site) const {
        if (!site.node) return std::nullopt;
        return makeUid(site.body < bodies_.size() ? bodies_[site.body] : site.body, site.node);
    }
    std::optional<std::int64_t> callPathOf(const memory::Site& site) const {
        return site.callPath < callPaths_.size() ? callPaths_[site.callPath] : std::nullopt;
    }
    static std::optional<std::int64_t> known(std::int64_t address) { return address < 0 ? std::nullopt : std::optional(address); }

    void writeEvents() {
        Statement insert(
            db_,
            "INSERT INTO mem_event(run, seq, t_ns, kind, uid, call_path, storage, tenant, bytes_exact, bytes_charged, address_off, stream, "
            "live_exact, live_charged, reserved) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, ?12, ?13, ?14)");
        std::int64_t seq = 0;
        for (const Event& e : log_.events) {
            const bool named = e.storage != memory::kNoStorage;
            insert.run(run_, seq++, e.time, memory::toString(e.kind), uidOf(e.site), callPathOf(e.site),
                       named ? std::optional(e.storage) : std::nullopt, named ? std::optional(e.tenant) : std::nullopt, e.exact, e.charged,
                       known(e.address), e.liveExact, e.liveCharged, e.reserved);
        }
    }

    void leaveOut() {
        Statement insert(db_, "INSERT INTO diagnostic(run, severity, audience, code, params) VALUES(?1, 'warning', 'user', 'R050', ?2)");
        insert.run(run_, "{\"what\":\"events of a run\",\"limit\":\"" + std::to_string(kMostEvents) + "\",\"value\":\"" +
                             std::to_string(log_.events.size()) + "\"}");
    }

    void writeStorages(const std::vector<Lifetime>& lifetimes) {
        Statement insert(db_,
                         "INSERT INTO mem_storage(run, storage, birth, death, uid, last_uid, role, type, bytes_exact, bytes_charged, address_off) "
                         "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
        std::unordered_map<Uid, std::unordered_map<std::uint32_t, std::size_t>> ranks;  // of a node's storages, per frame
        for (const Lifetime& life : lifetimes) {
            const auto uid = uidOf(life.origin);
            insert.run(run_, life.storage, life.birth, life.counts() ? life.death : life.birth, uid, uidOf(life.last), memory::toString(life.role),
                       uid && isValue(life.role) ? typeOf(*uid, ranks[*uid][life.origin.callPath]++) : std::nullopt, life.exact, life.charged,
                       known(life.address));
        }
    }

    static bool isValue(memory::Role role) { return role != memory::Role::Workspace && role != memory::Role::Slack; }

    /// Type of the `rank`-th storage that a node allocates.
    std::optional<std::int64_t> typeOf(Uid uid, std::size_t rank) const {
        const auto it = types_.find(uid);
        if (it == types_.end()) return std::nullopt;
        if (it->second.size() == 1) return it->second.front();
        return rank < it->second.size() ? std::optional(it->second[rank]) : std::nullopt;
    }

    void writeLevels() {
        Statement insert(db_, "INSERT INTO mem_level(run, level, bucket, min_live, max_live) VALUES(?1, ?2, ?3, ?4, ?5)");
        int level = 0;
        for (const auto& ranges : memory::livePyramid(log_, memory::Accounting::Exact)) {
            ++level;
            std::int64_t bucket = 0;
            for (const memory::LiveRange& range : ranges) insert.run(run_, level, bucket++, range.min, range.max);
        }
    }

    /// Sweeps over births and deaths; a snapshot is the set of storages that are live then, in order.
    void writeLive(const std::vector<Lifetime>& lifetimes) {
        Statement insert(db_, "INSERT INTO mem_live(run, seq, storage) VALUES(?1, ?2, ?3)");
        std::map<memory::StorageId, std::int64_t> live;  // storage -> death
        std::size_t next = 0;
        const auto snapshot = [&](std::int64_t seq) {
            for (; next < lifetimes.size() && lifetimes[next].birth <= seq; ++next)
                if (lifetimes[next].counts() && lifetimes[next].death > seq) live.emplace(lifetimes[next].storage, lifetimes[next].death);
            std::erase_if(live, [&](const auto& entry) { return entry.second <= seq; });
            for (const auto& [storage, death] : live) insert.run(run_, seq, storage);
        };
        const auto count = static_cast<std::int64_t>(log_.events.size());
        bool peakDone = log_.peakSeq < 0;
        for (std::int64_t seq = 0; seq < count; seq += kLiveEvery) {
            if (!peakDone && log_.peakSeq < seq) {
                snapshot(log_.peakSeq);
                peakDone = true;
            }
            peakDone = peakDone || log_.peakSeq == seq;
            snapshot(seq);
        }
        if (!peakDone) snapshot(log_.peakSeq);
    }

    Database& db_;
    TextPool& pool_;
    std::int64_t run_;
    const EventLog& log_;
    std::vector<std::uint32_t> bodies_;                         ///< by the log's body
    std::unordered_map<Uid, std::vector<std::int64_t>> types_;  ///< rows of `type`, of a node's tensors in order
    std::vector<std::optional<std::int64_t>> callPaths_;        ///< rows of `str`, by the log's index
};

}  // namespace

void writeMemory(Database& db, TextPool& pool, std::int64_t run, const memory::EventLog& log) { MemoryWriter(db, pool, run, log).write(); }

}  // namespace aliascope::recording
