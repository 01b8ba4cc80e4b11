#include "core/memory/memory_report.h"

#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

namespace aliascope::memory {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

std::optional<Role> roleOfBirth(EventKind kind) {
    switch (kind) {
        case EventKind::Input:
            return Role::Input;
        case EventKind::Constant:
            return Role::Constant;
        case EventKind::Alloc:
            return Role::Value;
        case EventKind::WorkspaceAlloc:
            return Role::Workspace;
        case EventKind::Slack:
            return Role::Slack;
        default:
            return std::nullopt;
    }
}

/// What a storage is known by in another run.
using Origin = std::tuple<std::uint32_t, std::uint32_t, std::string_view, std::uint32_t>;  ///< body, node, call path, rank

struct Matched {
    const Lifetime* a = nullptr;
    const Lifetime* b = nullptr;
};

bool heldAt(const Lifetime* life, std::int64_t seq) { return life && life->birth <= seq && life->death > seq; }

void matchSide(const PeakView& run, const Lifetime* Matched::*side, std::map<Origin, Matched>& byOrigin) {
    std::map<Origin, std::uint32_t> ranks;
    for (const Lifetime& life : run.lifetimes) {
        if (!life.counts()) continue;
        const std::string_view path = life.origin.callPath < run.callPaths.size() ? std::string_view(run.callPaths[life.origin.callPath]) : "";
        const std::uint32_t rank = ranks[{life.origin.body, life.origin.node.value, path, 0}]++;
        byOrigin[{life.origin.body, life.origin.node.value, path, rank}].*side = &life;
    }
}

std::optional<DifferenceKind> kindOf(const Matched& m, std::int64_t seqA, std::int64_t seqB) {
    const bool inA = heldAt(m.a, seqA), inB = heldAt(m.b, seqB);
    if (inA && inB) return m.a->exact == m.b->exact ? std::nullopt : std::optional(DifferenceKind::Bytes);
    if (inA) return m.b ? DifferenceKind::Longer : DifferenceKind::OnlyA;
    if (inB) return m.a ? DifferenceKind::Shorter : DifferenceKind::OnlyB;
    return std::nullopt;
}

/// Bytes by which the row moves the peak.
std::int64_t weight(const DifferenceRow& row) {
    switch (row.kind) {
        case DifferenceKind::OnlyA:
        case DifferenceKind::Longer:
            return row.bytesA;
        case DifferenceKind::OnlyB:
        case DifferenceKind::Shorter:
            return row.bytesB;
        case DifferenceKind::Bytes:
            break;
    }
    return row.bytesA > row.bytesB ? row.bytesA - row.bytesB : row.bytesB - row.bytesA;
}

std::int64_t liveOf(const Event& e, Accounting accounting) { return accounting == Accounting::Exact ? e.liveExact : e.liveCharged; }

}  // namespace

std::string_view toString(Role role) {
    static constexpr std::array<std::string_view, 6> names = {"input", "constant", "value", "output", "workspace", "slack"};
    return names[static_cast<std::size_t>(role)];
}

std::string_view toString(DifferenceKind kind) {
    static constexpr std::array<std::string_view, 5> names = {"only-a", "only-b", "longer", "shorter", "bytes"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<Lifetime> lifetimesOf(const EventLog& log) {
    std::vector<Lifetime> out;
    std::vector<std::uint32_t> current;  // storage -> index into out
    for (std::size_t seq = 0; seq < log.events.size(); ++seq) {
        const Event& e = log.events[seq];
        if (e.storage == kNoStorage) continue;
        if (const auto role = roleOfBirth(e.kind)) {
            if (e.storage >= current.size()) current.resize(std::size_t{e.storage} + 1, kNone);
            current[e.storage] = static_cast<std::uint32_t>(out.size());
            out.push_back({e.storage, *role, e.site, e.site, static_cast<std::int64_t>(seq), kNever, e.exact, e.charged, e.address, 0});
            continue;
        }
        if (e.storage >= current.size() || current[e.storage] == kNone) continue;
        Lifetime& life = out[current[e.storage]];
        life.last = e.site;
        if (e.kind == EventKind::Free || e.kind == EventKind::WorkspaceFree) life.death = static_cast<std::int64_t>(seq);
        if (e.kind == EventKind::Reuse) life.tenants = e.tenant;
        if (e.kind == EventKind::Output && life.role == Role::Value && e.site.callPath == 0) life.role = Role::Output;
    }
    return out;
}

std::vector<Held> groupHeld(const std::vector<Lifetime>& held, const std::function<std::string(const Lifetime&)>& key) {
    std::unordered_map<std::string, std::size_t> index;
    std::vector<Held> out;
    for (const Lifetime& life : held) {
        std::string text = key(life);
        const auto [it, fresh] = index.try_emplace(text, out.size());
        if (fresh) out.push_back({std::move(text), 0, 0, 0});
        Held& group = out[it->second];
        group.exact += life.exact;
        group.charged += life.charged;
        ++group.storages;
    }
    std::stable_sort(out.begin(), out.end(), [](const Held& a, const Held& b) { return a.exact > b.exact; });
    return out;
}

PeakDifference comparePeaks(const PeakView& a, const PeakView& b) {
    PeakDifference out{a.peakExact, b.peakExact, a.peakSeq, b.peakSeq, 0, {}};
    std::map<Origin, Matched> byOrigin;
    matchSide(a, &Matched::a, byOrigin);
    matchSide(b, &Matched::b, byOrigin);
    for (const auto& [origin, m] : byOrigin) {
        if (heldAt(m.a, a.peakSeq) && heldAt(m.b, b.peakSeq)) out.same += std::min(m.a->exact, m.b->exact);
        const auto kind = kindOf(m, a.peakSeq, b.peakSeq);
        if (!kind) continue;
        DifferenceRow row;
        row.kind = *kind;
        row.origin = {std::get<0>(origin), NodeId(std::get<1>(origin)), m.a ? m.a->origin.callPath : m.b->origin.callPath};
        row.callPath = std::string(std::get<2>(origin));
        if (m.a) row.a = m.a->storage, row.bytesA = m.a->exact;
        if (m.b) row.b = m.b->storage, row.bytesB = m.b->exact;
        out.rows.push_back(std::move(row));
    }
    std::stable_sort(out.rows.begin(), out.rows.end(), [](const DifferenceRow& x, const DifferenceRow& y) { return weight(x) > weight(y); });
    return out;
}

CurvePlan planCurve(std::int64_t from, std::int64_t to, int buckets) {
    CurvePlan plan;
    from = std::max<std::int64_t>(from, 0);
    to = std::max(to, from);
    const std::int64_t wanted = std::max<std::int64_t>((to - from + std::max(buckets, 1) - 1) / std::max(buckets, 1), 1);
    std::int64_t unit = 1;
    while (unit << kLevelShift <= wanted) {
        unit <<= kLevelShift;
        ++plan.level;
    }
    plan.width = (wanted + unit - 1) / unit * unit;
    plan.start = from / unit * unit;
    plan.end = to;
    return plan;
}

std::vector<std::vector<LiveRange>> livePyramid(const EventLog& log, Accounting accounting) {
    std::vector<std::vector<LiveRange>> levels;
    if (log.events.empty()) return levels;
    auto& first = levels.emplace_back((log.events.size() >> kLevelShift) + ((log.events.size() & 63) != 0));
    for (std::size_t i = 0; i < log.events.size(); ++i) {
        const std::int64_t live = liveOf(log.events[i], accounting);
        first[i >> kLevelShift].add({live, live});
    }
    while (levels.back().size() > 1) {
        const auto& below = levels.back();
        std::vector<LiveRange> level((below.size() >> kLevelShift) + ((below.size() & 63) != 0));
        for (std::size_t i = 0; i < below.size(); ++i) level[i >> kLevelShift].add(below[i]);
        levels.push_back(std::move(level));
    }
    return levels;
}

MemoryReport::MemoryReport(const EventLog& log) : log_(log), lifetimes_(lifetimesOf(log)) {
    for (std::size_t i = 0; i < lifetimes_.size(); ++i) {
        const memory::StorageId storage = lifetimes_[i].storage;
        if (storage >= byStorage_.size()) byStorage_.resize(std::size_t{storage} + 1, kNone);
        byStorage_[storage] = static_cast<std::uint32_t>(i);
    }
    std::size_t leaves = 1;
    while (leaves < lifetimes_.size()) leaves *= 2;
    latestDeath_.assign(2 * leaves, -1);
    for (std::size_t i = 0; i < lifetimes_.size(); ++i) latestDeath_[leaves + i] = lifetimes_[i].death;
    for (std::size_t i = leaves - 1; i > 0; --i) latestDeath_[i] = std::max(latestDeath_[2 * i], latestDeath_[2 * i + 1]);
    exact_ = livePyramid(log, Accounting::Exact);
    charged_ = livePyramid(log, Accounting::Charged);
}

const Lifetime* MemoryReport::find(StorageId storage) const {
    if (storage >= byStorage_.size() || byStorage_[storage] == kNone) return nullptr;
    return &lifetimes_[byStorage_[storage]];
}

std::vector<CurveBucket> MemoryReport::curve(std::int64_t from, std::int64_t to, int buckets, Accounting accounting) const {
    const auto count = static_cast<std::int64_t>(log_.events.size());
    if (to < 0 || to > count) to = count;
    const CurvePlan plan = planCurve(from, to, buckets);
    const auto& pyramid = accounting == Accounting::Exact ? exact_ : charged_;
    std::vector<CurveBucket> out;
    const std::int64_t unit = std::int64_t{1} << (kLevelShift * plan.level);
    for (std::int64_t begin = plan.start; begin < plan.end; begin += plan.width) {
        const std::int64_t end = std::min(begin + plan.width, count);
        LiveRange range;
        for (std::int64_t i = begin; i < end; i += unit) {
            if (plan.level == 0) {
                const std::int64_t live = liveOf(log_.events[static_cast<std::size_t>(i)], accounting);
                range.add({live, live});
            } else {
                range.add(pyramid[static_cast<std::size_t>(plan.level - 1)][static_cast<std::size_t>(i / unit)]);
            }
        }
        out.push_back({begin, end - begin, range.min, range.max});
    }
    return out;
}

/// Storages [0, born) that die after `seq`, below `node`, which covers [begin, end).
void MemoryReport::collectLive(std::size_t node, std::size_t begin, std::size_t end, std::size_t born, std::int64_t seq, bool borrowed,
                               std::vector<Lifetime>& out) const {
    if (begin >= born || latestDeath_[node] <= seq) return;
    if (end - begin == 1) {
        if (borrowed || lifetimes_[begin].counts()) out.push_back(lifetimes_[begin]);
        return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    collectLive(2 * node, begin, middle, born, seq, borrowed, out);
    collectLive(2 * node + 1, middle, end, born, seq, borrowed, out);
}

std::vector<Lifetime> MemoryReport::liveAt(std::int64_t seq, bool borrowed) const {
    const auto born =
        std::upper_bound(lifetimes_.begin(), lifetimes_.end(), seq, [](std::int64_t s, const Lifetime& life) { return s < life.birth; });
    std::vector<Lifetime> out;
    collectLive(1, 0, latestDeath_.size() / 2, static_cast<std::size_t>(born - lifetimes_.begin()), seq, borrowed, out);
    return out;
}

std::vector<Lifetime> MemoryReport::peakHolders() const {
    std::vector<Lifetime> out = liveAt(log_.peakSeq);
    std::stable_sort(out.begin(), out.end(), [](const Lifetime& a, const Lifetime& b) { return a.exact > b.exact; });
    return out;
}

std::vector<Lifetime> MemoryReport::largest(std::size_t limit) const {
    std::vector<Lifetime> out = lifetimes_;
    if (limit < out.size()) {
        std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(limit), out.end(),
                         [](const Lifetime& a, const Lifetime& b) { return a.exact != b.exact ? a.exact > b.exact : a.birth < b.birth; });
        out.resize(limit);
        std::sort(out.begin(), out.end(), [](const Lifetime& a, const Lifetime& b) { return a.birth < b.birth; });
    }
    return out;
}

std::pair<std::int64_t, std::int64_t> MemoryReport::peakWithout(StorageId without) const {
    const Lifetime* gone = find(without);
    std::int64_t at = -1, height = -1;
    for (std::size_t i = 0; i < log_.events.size(); ++i) {
        const auto seq = static_cast<std::int64_t>(i);
        std::int64_t live = log_.events[i].liveExact;
        if (gone && gone->counts() && gone->birth <= seq && gone->death > seq) live -= gone->exact;
        if (live > height) height = live, at = seq;
    }
    return {at, std::max<std::int64_t>(height, 0)};
}

std::int64_t MemoryReport::seqOf(const Site& site) const {
    std::int64_t at = -1;
    for (std::size_t i = 0; i < log_.events.size(); ++i) {
        const Event& e = log_.events[i];
        if (e.site == site && (at < 0 || e.liveExact > log_.events[static_cast<std::size_t>(at)].liveExact)) at = static_cast<std::int64_t>(i);
    }
    return at;
}

std::optional<std::int64_t> firstDivergence(const EventLog& planned, const EventLog& happened) {
    const std::size_t common = std::min(planned.events.size(), happened.events.size());
    const auto path = [](const EventLog& log, std::uint32_t index) {
        return index < log.callPaths.size() ? std::string_view(log.callPaths[index]) : "";
    };
    for (std::size_t i = 0; i < common; ++i) {
        const Event &p = planned.events[i], &h = happened.events[i];
        if (!(p == h) || path(planned, p.site.callPath) != path(happened, h.site.callPath)) return static_cast<std::int64_t>(i);
    }
    if (planned.events.size() == happened.events.size()) return std::nullopt;
    return static_cast<std::int64_t>(common);
}

std::string describe(const EventLog& log, std::int64_t seq) {
    if (seq < 0 || seq >= static_cast<std::int64_t>(log.events.size())) return "nothing";
    const Event& e = log.events[static_cast<std::size_t>(seq)];
    std::string out(toString(e.kind));
    if (e.storage != kNoStorage) out += " of storage " + std::to_string(e.storage);
    out += " with " + std::to_string(e.exact) + " B";
    if (e.charged != e.exact) out += " (charged " + std::to_string(e.charged) + " B)";
    return out + ", then " + std::to_string(e.liveExact) + " B live";
}

}  // namespace aliascope::memory
