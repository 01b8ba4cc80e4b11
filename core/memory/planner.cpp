#include "core/memory/planner.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <unordered_map>

namespace aliascope::memory {
namespace {

/// Disjoint address ranges in order; ranges that touch are one.
class RangeSet {
public:
    struct Range {
        std::int64_t begin = 0, end = 0;
    };
    const std::vector<Range>& ranges() const { return ranges_; }

    void add(Range r) {
        auto first = std::lower_bound(ranges_.begin(), ranges_.end(), r.begin, [](const Range& x, std::int64_t begin) { return x.end < begin; });
        auto last = first;
        while (last != ranges_.end() && last->begin <= r.end) {
            r.begin = std::min(r.begin, last->begin);
            r.end = std::max(r.end, last->end);
            ++last;
        }
        if (first == last) {
            ranges_.insert(first, r);
        } else {
            *first = r;
            ranges_.erase(first + 1, last);
        }
    }
    void clear() { ranges_.clear(); }

private:
    std::vector<Range> ranges_;
};

/// Which addresses are taken during which times: a segment tree over time whose nodes hold merged ranges. Well packed storages merge, so that a
/// query looks at few ranges however many storages it crosses.
class Occupancy {
public:
    explicit Occupancy(std::size_t times) {
        while (leaves_ < times) leaves_ *= 2;
        whole_.resize(2 * leaves_);
        touched_.resize(2 * leaves_);
    }

    void clear() {
        for (RangeSet& set : whole_) set.clear();
        for (RangeSet& set : touched_) set.clear();
    }

    void add(std::size_t from, std::size_t to, RangeSet::Range r) { add(1, 0, leaves_, from, to, r); }
    /// Ranges looked at since the beginning.
    std::int64_t work() const { return work_; }

    /// Lowest address of the tightest free gap of `bytes` during [from, to); behind everything when no gap fits.
    std::int64_t fit(std::size_t from, std::size_t to, std::int64_t bytes) {
        taken_.clear();
        collect(1, 0, leaves_, from, to);
        work_ += static_cast<std::int64_t>(taken_.size());
        std::sort(taken_.begin(), taken_.end(), [](const RangeSet::Range& a, const RangeSet::Range& b) { return a.begin < b.begin; });
        std::int64_t best = -1, bestSize = 0, end = 0;
        for (const RangeSet::Range& r : taken_) {
            const std::int64_t gap = r.begin - end;
            if (gap >= bytes && (best < 0 || gap < bestSize)) best = end, bestSize = gap;
            end = std::max(end, r.end);
        }
        return best >= 0 ? best : end;
    }

private:
    void add(std::size_t node, std::size_t begin, std::size_t end, std::size_t from, std::size_t to, RangeSet::Range r) {
        if (to <= begin || end <= from) return;
        touched_[node].add(r);
        if (from <= begin && end <= to) {
            whole_[node].add(r);
            return;
        }
        const std::size_t middle = begin + (end - begin) / 2;
        add(2 * node, begin, middle, from, to, r);
        add(2 * node + 1, middle, end, from, to, r);
    }

    void collect(std::size_t node, std::size_t begin, std::size_t end, std::size_t from, std::size_t to) {
        if (to <= begin || end <= from) return;
        const bool inside = from <= begin && end <= to;
        const auto& ranges = (inside ? touched_ : whole_)[node].ranges();
        taken_.insert(taken_.end(), ranges.begin(), ranges.end());
        if (inside) return;
        const std::size_t middle = begin + (end - begin) / 2;
        collect(2 * node, begin, middle, from, to);
        collect(2 * node + 1, middle, end, from, to);
    }

    std::size_t leaves_ = 1;
    std::vector<RangeSet> whole_;    ///< of storages that live throughout a node's time
    std::vector<RangeSet> touched_;  ///< of storages that live at some time of it
    std::vector<RangeSet::Range> taken_;
    std::int64_t work_ = 0;
};

/// Free memory between and behind the storages that are live at one moment.
class FreeGaps {
public:
    std::int64_t take(std::int64_t bytes) {
        const auto fitting = bySize_.lower_bound({bytes, -1});
        if (fitting == bySize_.end()) {
            end_ += bytes;
            return end_ - bytes;
        }
        const auto [size, address] = *fitting;
        erase(address, size);
        if (size > bytes) insert(address + bytes, size - bytes);
        return address;
    }

    void give(std::int64_t address, std::int64_t bytes) {
        const auto after = byAddress_.lower_bound(address);
        if (after != byAddress_.begin()) {
            const auto [before, size] = *std::prev(after);
            if (before + size == address) {
                erase(before, size);
                address = before;
                bytes += size;
            }
        }
        if (const auto next = byAddress_.find(address + bytes); next != byAddress_.end()) {
            const std::int64_t size = next->second;
            erase(address + bytes, size);
            bytes += size;
        }
        if (address + bytes == end_)
            end_ = address;
        else
            insert(address, bytes);
    }

private:
    void insert(std::int64_t address, std::int64_t size) {
        byAddress_.emplace(address, size);
        bySize_.emplace(size, address);
    }
    void erase(std::int64_t address, std::int64_t size) {
        byAddress_.erase(address);
        bySize_.erase({size, address});
    }

    std::map<std::int64_t, std::int64_t> byAddress_;
    std::set<std::pair<std::int64_t, std::int64_t>> bySize_;
    std::int64_t end_ = 0;  ///< behind the highest live storage
};

/// Places intervals in the order of their births (they come so): what they meet is what is live then. O(n log n).
std::int64_t placeByBirth(const std::vector<Interval>& intervals, std::vector<std::int64_t>& offsets) {
    using Death = std::pair<std::int64_t, std::size_t>;
    std::priority_queue<Death, std::vector<Death>, std::greater<>> deaths;
    FreeGaps gaps;
    offsets.assign(intervals.size(), 0);
    std::int64_t arena = 0;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        for (; !deaths.empty() && deaths.top().first <= intervals[i].birth; deaths.pop()) {
            const std::size_t gone = deaths.top().second;
            gaps.give(offsets[gone], intervals[gone].bytes);
        }
        offsets[i] = gaps.take(intervals[i].bytes);
        deaths.emplace(intervals[i].death, i);
        arena = std::max(arena, offsets[i] + intervals[i].bytes);
    }
    return arena;
}

/// Places intervals one by one in an order that is given.
class Placer {
public:
    explicit Placer(const std::vector<Interval>& intervals) : intervals_(intervals), times_(distinctTimes(intervals)), occupancy_(times_.size()) {
        for (const Interval& i : intervals) spans_.emplace_back(slot(i.birth), slot(i.death));
    }

    /// Bytes of the arena; offsets go into `offsets`. Nothing when it takes more work than is left.
    std::optional<std::int64_t> place(const std::vector<std::size_t>& order, std::vector<std::int64_t>& offsets, std::int64_t& workLeft) {
        const std::int64_t before = occupancy_.work();
        occupancy_.clear();
        offsets.assign(intervals_.size(), 0);
        std::int64_t arena = 0;
        for (const std::size_t i : order) {
            if (occupancy_.work() - before > workLeft) return std::nullopt;
            const auto [from, to] = spans_[i];
            const std::int64_t bytes = intervals_[i].bytes;
            offsets[i] = occupancy_.fit(from, to, bytes);
            occupancy_.add(from, to, {offsets[i], offsets[i] + bytes});
            arena = std::max(arena, offsets[i] + bytes);
        }
        workLeft -= occupancy_.work() - before;
        return arena;
    }

    bool overlap(std::size_t a, std::size_t b) const { return spans_[a].first < spans_[b].second && spans_[b].first < spans_[a].second; }

private:
    static std::vector<std::int64_t> distinctTimes(const std::vector<Interval>& intervals) {
        std::vector<std::int64_t> times;
        for (const Interval& i : intervals) times.insert(times.end(), {i.birth, i.death});
        std::sort(times.begin(), times.end());
        times.erase(std::unique(times.begin(), times.end()), times.end());
        return times;
    }
    std::size_t slot(std::int64_t time) const {
        return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
    }

    const std::vector<Interval>& intervals_;
    std::vector<std::int64_t> times_;
    std::vector<std::pair<std::size_t, std::size_t>> spans_;
    Occupancy occupancy_;
};

std::vector<std::size_t> orderBy(const std::vector<Interval>& intervals, const std::function<double(const Interval&)>& weight) {
    std::vector<std::size_t> order(intervals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> weights;
    for (const Interval& i : intervals) weights.push_back(weight(i));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    return order;
}

void findPeak(MemoryPlan& plan) {
    struct Change {
        std::int64_t time = 0, exact = 0, bytes = 0;
    };
    std::vector<Change> changes;
    for (const Interval& i : plan.intervals) {
        changes.push_back({i.birth, i.exact, i.bytes});
        changes.push_back({i.death, -i.exact, -i.bytes});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
    std::int64_t exact = 0, bytes = 0;
    for (std::size_t k = 0; k < changes.size(); ++k) {
        exact += changes[k].exact;
        bytes += changes[k].bytes;
        if (k + 1 < changes.size() && changes[k + 1].time == changes[k].time) continue;
        plan.lowerBound = std::max(plan.lowerBound, bytes);
        if (exact > plan.exactPeak) plan.exactPeak = exact, plan.peakSeq = changes[k].time;
    }
}

struct Best {
    std::int64_t arena = 0;
    std::vector<std::size_t> order;
    std::vector<std::int64_t> offsets;
    std::string key;
};

/// Ranges that may be looked at per interval: what real programs need is far below; beyond, time would grow with the square of their size.
constexpr std::int64_t kWorkPerInterval = 400;
constexpr std::int64_t kLeastWork = 1'000'000;

Best bestOfKeys(Placer& placer, const MemoryPlan& plan, std::int64_t end, const CancelToken& cancel) {
    Best best{0, orderBy(plan.intervals, [](const Interval& i) { return -static_cast<double>(i.birth); }), {}, "birth"};
    best.arena = placeByBirth(plan.intervals, best.offsets);
    const auto duration = [end](const Interval& i) { return static_cast<double>(std::min(i.death, end) - i.birth); };
    const std::array<std::pair<const char*, std::function<double(const Interval&)>>, 2> keys = {{
        {"size", [](const Interval& i) { return static_cast<double>(i.bytes); }},
        {"duration*size", [&](const Interval& i) { return duration(i) * static_cast<double>(i.bytes); }},
    }};
    std::vector<std::int64_t> offsets;
    for (const auto& [key, weight] : keys) {
        if (best.arena == plan.lowerBound || cancel.cancelled()) break;
        std::int64_t work = std::max(kLeastWork, kWorkPerInterval * static_cast<std::int64_t>(plan.intervals.size()));
        std::vector<std::size_t> order = orderBy(plan.intervals, weight);
        const auto arena = placer.place(order, offsets, work);
        if (arena && *arena < best.arena) best = {*arena, std::move(order), offsets, key};
    }
    return best;
}

/// Swaps an interval at the end of the arena with those placed before it that it meets in time, as long as that shrinks the arena.
void improve(Placer& placer, const MemoryPlan& plan, Best& best, const CancelToken& cancel) {
    std::int64_t work = 2 * kLeastWork;
    bool better = true;
    while (better && best.arena > plan.lowerBound) {
        better = false;
        const Best before = best;
        std::size_t top = before.order.size();  // rank of the first interval at the end of the arena
        for (std::size_t k = 0; k < before.order.size() && top == before.order.size(); ++k) {
            const std::size_t i = before.order[k];
            if (before.offsets[i] + plan.intervals[i].bytes == before.arena) top = k;
        }
        for (std::size_t k = top; k-- > 0 && !better;) {
            if (!placer.overlap(before.order[k], before.order[top])) continue;
            if (work <= 0 || cancel.cancelled()) return;
            Best next{0, before.order, {}, before.key};
            std::swap(next.order[k], next.order[top]);
            const auto arena = placer.place(next.order, next.offsets, work);
            if (!arena) return;
            if (*arena >= best.arena) continue;
            next.arena = *arena;
            if (!next.key.ends_with("+swaps")) next.key += "+swaps";
            best = std::move(next);
            better = true;
        }
    }
}

}  // namespace

std::vector<Interval> intervalsOf(const EventLog& log, const std::vector<Reuse>& reuse) {
    std::unordered_map<StorageId, StorageId> takes;  // output -> operand
    for (const Reuse& r : reuse) takes.emplace(r.output, r.operand);
    std::vector<Interval> out;
    std::unordered_map<StorageId, std::size_t> index;
    for (const Lifetime& life : lifetimesOf(log)) {
        if (!life.counts()) continue;
        const auto operand = takes.find(life.storage);
        const auto known = operand == takes.end() ? index.end() : index.find(operand->second);
        if (known == index.end()) {
            const std::int64_t bytes = (life.exact + kPlacementUnit - 1) / kPlacementUnit * kPlacementUnit;
            index[life.storage] = out.size();
            out.push_back({life.birth, life.death, life.exact, bytes, {life.storage}, -1});
            continue;
        }
        Interval& interval = out[known->second];
        interval.death = life.death;
        interval.tenants.push_back(life.storage);
        index[life.storage] = known->second;
    }
    return out;
}

MemoryPlan planMemory(const EventLog& log, const PlanOptions& options) {
    MemoryPlan plan;
    plan.intervals = intervalsOf(log, options.reuse);
    findPeak(plan);
    if (plan.intervals.empty()) return plan;
    Placer placer(plan.intervals);
    Best best = bestOfKeys(placer, plan, static_cast<std::int64_t>(log.events.size()), options.cancel);
    if (plan.intervals.size() <= options.improveUpTo) improve(placer, plan, best, options.cancel);
    plan.arena = best.arena;
    plan.key = best.key;
    for (std::size_t i = 0; i < plan.intervals.size(); ++i) {
        plan.intervals[i].offset = best.offsets[i];
        if (best.offsets[i] + plan.intervals[i].bytes == plan.arena) plan.top.push_back(i);
    }
    return plan;
}

}  // namespace aliascope::memory
