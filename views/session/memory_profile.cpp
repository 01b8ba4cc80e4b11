#include "views/session/memory_profile.h"

#include <QObject>
#include <algorithm>

#include "core/exec/op_bodies.h"
#include "core/recording/stage_memory.h"
#include "views/models/format.h"
#include "views/session/stage_view.h"

namespace aliascope {
namespace {

constexpr std::int64_t kMostEvents = 8'000'000;  // of a run that is read whole

struct ReadLog {
    memory::EventLog log;
};

/// Longest rising subsequence of `values`: indices.
std::vector<std::size_t> longestRising(const std::vector<std::int64_t>& values) {
    std::vector<std::size_t> tails, before(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = std::lower_bound(tails.begin(), tails.end(), values[i], [&](std::size_t t, std::int64_t v) { return values[t] < v; });
        before[i] = at == tails.begin() ? i : *(at - 1);
        if (at == tails.end()) {
            tails.push_back(i);
        } else {
            *at = i;
        }
    }
    std::vector<std::size_t> out(tails.size());
    if (tails.empty()) return out;
    std::size_t at = tails.back();
    for (std::size_t i = tails.size(); i-- > 0; at = before[at]) out[i] = at;
    return out;
}

}  // namespace

MemoryProfile::MemoryProfile(std::shared_ptr<const void> owner, const memory::EventLog& log, std::shared_ptr<const memory::MemoryReport> report,
                             std::shared_ptr<const StageSnapshot> snapshot, const std::function<Uid(const memory::Site&)>& uidOf)
    : owner_(std::move(owner)), log_(log), report_(std::move(report)), snapshot_(std::move(snapshot)) {
    uids_.reserve(log_.events.size());
    for (std::int64_t seq = 0; seq < events(); ++seq) {
        const memory::Event& event = log_.events[std::size_t(seq)];
        const Uid uid = event.site.node ? uidOf(event.site) : kNoUid;
        uids_.push_back(uid);
        if (uid == kNoUid) continue;
        const auto [it, fresh] = spans_.try_emplace(uid, Span{seq, seq, seq});
        it->second.last = seq;
        if (event.liveExact > log_.events[std::size_t(it->second.highest)].liveExact) it->second.highest = seq;
    }
    seqBefore_.reserve(snapshot_->nodes.size());
    std::int64_t last = -1;
    for (std::size_t i = 0; i < snapshot_->nodes.size(); ++i) {
        nodes_.emplace(snapshot_->nodes[i]->uid, i);
        if (const auto span = spans_.find(snapshot_->nodes[i]->uid); span != spans_.end()) last = span->second.last;
        seqBefore_.push_back(last);
    }
    const auto& lifetimes = report_->lifetimes();
    for (std::size_t i = 0; i < lifetimes.size(); ++i)
        if (lifetimes[i].counts()) blocks_[originUid(lifetimes[i])].push_back(i);
}

std::int64_t MemoryProfile::live(std::int64_t seq, memory::Accounting accounting) const {
    if (seq < 0 || seq >= events()) return 0;
    const memory::Event& event = log_.events[std::size_t(seq)];
    return accounting == memory::Accounting::Exact ? event.liveExact : event.liveCharged;
}

std::int64_t MemoryProfile::delta(std::int64_t seq, memory::Accounting accounting) const { return live(seq, accounting) - live(seq - 1, accounting); }

const NodeRow* MemoryProfile::node(Uid uid) const {
    const auto it = nodes_.find(uid);
    return it == nodes_.end() ? nullptr : snapshot_->nodes[it->second].get();
}

std::int64_t MemoryProfile::seqOf(Uid uid) const {
    if (const auto it = spans_.find(uid); it != spans_.end()) return it->second.highest;
    const auto it = nodes_.find(uid);
    return it == nodes_.end() ? -1 : seqBefore_[it->second];
}

std::optional<std::pair<std::int64_t, std::int64_t>> MemoryProfile::eventsOf(Uid uid) const {
    const auto it = spans_.find(uid);
    if (it == spans_.end()) return std::nullopt;
    return std::pair(it->second.first, it->second.last);
}

std::vector<std::size_t> MemoryProfile::blocksOf(Uid uid) const {
    const auto it = blocks_.find(uid);
    return it == blocks_.end() ? std::vector<std::size_t>() : it->second;
}

bool isGhost(const MemoryProfile& profile, const memory::Lifetime& lifetime) {
    return lifetime.role == memory::Role::Value && lifetime.death != memory::kNever && profile.lastUid(lifetime) == profile.originUid(lifetime);
}

bool isCopy(const MemoryProfile& profile, const memory::Lifetime& lifetime) {
    const NodeRow* node = profile.originOf(lifetime);
    return node && familyOf(*node) == Family::Copy;
}

QString whyAlive(const MemoryProfile& profile, const memory::Lifetime& lifetime) {
    const NodeRow* last = profile.node(profile.lastUid(lifetime));
    const QString name = last ? percentName(last->name) : QString();
    switch (lifetime.role) {
        case memory::Role::Output:
            return QObject::tr("returned by the graph");
        case memory::Role::Workspace:
            return QObject::tr("scratch space of the operator");
        case memory::Role::Slack:
            return QObject::tr("rest of a block that the allocator did not split");
        case memory::Role::Input:
            return QObject::tr("input of the graph");
        case memory::Role::Constant:
            return QObject::tr("constant of the graph");
        case memory::Role::Value:
            break;
    }
    if (lifetime.death == memory::kNever) return QObject::tr("held to the end");
    if (isGhost(profile, lifetime)) return QObject::tr("never read");
    return name.isEmpty() ? QObject::tr("freed at event %1").arg(grouped(lifetime.death)) : QObject::tr("read last by %1").arg(name);
}

Result<MemoryProfilePtr> predictProfile(const Recording& recording, std::int64_t lane, int stage, const OpRegistry& ops, const CancelToken& cancel,
                                        const Progress& progress) {
    if (cancel.cancelled()) return MemoryProfilePtr();
    progress(-1, "predicting memory");
    const exec::OpBodies bodies = exec::OpBodies::read(ops);
    exec::PredictOptions options;
    options.cancel = cancel;
    options.bodies = &bodies;
    auto predicted = predictStage(recording, lane, stage, ops, options);
    if (!predicted) return fail(predicted.error());
    auto snapshot = recording.snapshot(lane, stage);
    if (cancel.cancelled() || !snapshot) return MemoryProfilePtr();
    const std::shared_ptr<const StageMemory> memory = std::move(*predicted);
    auto profile =
        std::make_shared<MemoryProfile>(memory, memory->prediction().log, std::shared_ptr<const memory::MemoryReport>(memory, &memory->report()),
                                        std::move(snapshot), [&](const memory::Site& site) { return memory->uidOf(site); });
    profile->error = memory->prediction().error;
    for (const auto& [symbol, value] : memory->prediction().assumed) profile->assumed.emplace_back(symbol.str(), value);
    return MemoryProfilePtr(std::move(profile));
}

Result<MemoryProfilePtr> readProfile(const Recording& recording, std::int64_t lane, int stage, const MemoryRunRow& run, const CancelToken& cancel) {
    if (run.events > kMostEvents)
        return fail(userError("R050", {{"what", "events of a run"}, {"limit", std::to_string(kMostEvents)}, {"value", std::to_string(run.events)}}));
    auto read = std::make_shared<ReadLog>();
    read->log.events = recording.memoryEvents(run.id, 0, run.events);
    read->log.callPaths = recording.memoryCallPaths();
    read->log.peakExact = run.peakExact;
    read->log.peakCharged = run.peakCharged;
    read->log.peakSeq = run.peakSeq.value_or(-1);
    auto snapshot = recording.snapshot(lane, stage);
    if (cancel.cancelled() || !snapshot) return MemoryProfilePtr();
    auto profile = std::make_shared<MemoryProfile>(read, read->log, std::make_shared<const memory::MemoryReport>(read->log), std::move(snapshot),
                                                   [](const memory::Site& site) { return Uid(site.body) << 32 | site.node.value; });
    profile->run = run.id;
    profile->device = qstr(run.device);
    profile->synthetic = run.synthetic;
    return MemoryProfilePtr(std::move(profile));
}

std::vector<MemoryRunRow> runsFor(const Recording& recording, std::int64_t lane, int stage) {
    std::vector<MemoryRunRow> out;
    const std::vector<StageRow> stages = recording.stages(lane);
    auto at = std::find_if(stages.begin(), stages.end(), [&](const StageRow& row) { return row.idx == stage; });
    if (at == stages.end()) return out;
    while (at != stages.begin() && !at->changed) --at;  // equal graphs are run once, at the first of them
    for (; at != stages.end() && at->idx <= stage; ++at)
        for (MemoryRunRow& run : recording.memoryRuns(lane, at->idx))
            if (run.kind == "measured" && run.events > 0) out.push_back(std::move(run));
    std::sort(out.begin(), out.end(), [](const MemoryRunRow& a, const MemoryRunRow& b) { return a.id > b.id; });
    return out;
}

std::vector<double> alignEvents(const MemoryProfile& other, const MemoryProfile& reference, const std::unordered_map<Uid, Uid>& kin, bool sameLane) {
    // Ends of nodes that both have, in the order of `other`; of those the longest run that keeps the order of `reference`.
    std::vector<std::int64_t> own, there;
    for (std::int64_t seq = 0; seq < other.events(); ++seq) {
        const Uid uid = other.uidAt(seq);
        const auto span = other.eventsOf(uid);
        if (!span || span->second != seq) continue;
        const auto relative = kin.find(uid);
        const Uid counterpart = sameLane && reference.eventsOf(uid) ? uid : relative != kin.end() ? relative->second : kNoUid;
        const auto match = reference.eventsOf(counterpart);
        if (!match) continue;
        own.push_back(seq + 1);
        there.push_back(match->second + 1);
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> anchors = {{0, 0}};
    for (const std::size_t i : longestRising(there))
        if (own[i] > anchors.back().first && there[i] > anchors.back().second) anchors.emplace_back(own[i], there[i]);
    if (anchors.back().first < other.events()) anchors.emplace_back(other.events(), std::max(reference.events(), anchors.back().second));

    std::vector<double> out(std::size_t(other.events()) + 1, double(reference.events()));
    for (std::size_t i = 0; i + 1 < anchors.size(); ++i) {
        const auto [fromOwn, fromThere] = anchors[i];
        const auto [toOwn, toThere] = anchors[i + 1];
        for (std::int64_t seq = fromOwn; seq <= toOwn; ++seq)
            out[std::size_t(seq)] = double(fromThere) + double(toThere - fromThere) * double(seq - fromOwn) / double(toOwn - fromOwn);
    }
    return out;
}

std::unordered_map<Uid, Uid> kinBetween(const Recording& recording, std::int64_t lane, int from, int to) {
    std::unordered_map<Uid, Uid> out;
    const auto root = [&](Uid uid) {
        const auto it = out.find(uid);
        return it == out.end() ? uid : it->second;
    };
    const auto link = [&](int stage, bool backwards) {
        for (const RewriteRow& rewrite : recording.rewrites(lane, stage)) {
            if (rewrite.state != "applied" || rewrite.before.empty() || rewrite.after.empty()) continue;
            if (backwards) {
                for (const auto& [uid, name] : rewrite.after) out.try_emplace(uid, root(rewrite.before.front().first));
            } else {
                for (const auto& [uid, name] : rewrite.before) out.try_emplace(uid, root(rewrite.after.back().first));
            }
        }
    };
    if (from > to) {
        for (int stage = to + 1; stage <= from; ++stage) link(stage, true);
    } else {
        for (int stage = to; stage > from; --stage) link(stage, false);
    }
    return out;
}

}  // namespace aliascope
