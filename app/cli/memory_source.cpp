#include "app/cli/memory_source.h"

#include <algorithm>

#include "app/cli/execution.h"

namespace aliascope::cli {
namespace {

class Predicted final : public MemorySource {
public:
    explicit Predicted(std::shared_ptr<const StageMemory> memory, std::string firstRun = {})
        : memory_(std::move(memory)), firstRun_(std::move(firstRun)) {}

    std::string kind() const override { return "predicted"; }
    std::int64_t peakExact() const override { return log().peakExact; }
    std::int64_t peakCharged() const override { return log().peakCharged; }
    std::int64_t peakSeq() const override { return log().peakSeq; }
    std::int64_t events() const override { return static_cast<std::int64_t>(log().events.size()); }
    bool conditional() const override { return log().conditional; }
    std::string firstRun() const override { return firstRun_; }
    std::optional<Diagnostic> error() const override { return memory_->prediction().error; }
    std::vector<std::pair<Name, std::int64_t>> assumed() const override { return memory_->prediction().assumed; }
    std::optional<memory::Event> event(std::int64_t seq) const override {
        if (seq < 0 || seq >= events()) return std::nullopt;
        return log().events[static_cast<std::size_t>(seq)];
    }
    std::vector<memory::Event> eventsFrom(std::int64_t seq, std::int64_t count) const override {
        const std::int64_t begin = std::clamp<std::int64_t>(seq, 0, events()), end = std::min(begin + count, events());
        return {log().events.begin() + begin, log().events.begin() + end};
    }
    std::vector<memory::Lifetime> liveAt(std::int64_t seq) const override { return memory_->report().liveAt(seq); }
    std::int64_t seqOf(Uid node) const override { return memory_->seqOf(node); }
    std::vector<memory::CurveBucket> curve(int buckets, memory::Accounting accounting) const override {
        return memory_->report().curve(0, -1, buckets, accounting);
    }
    Uid uidOf(const memory::Site& site) const override { return memory_->uidOf(site); }
    const StageMemory* stageMemory() const override { return memory_.get(); }

private:
    const memory::EventLog& log() const { return memory_->prediction().log; }
    std::shared_ptr<const StageMemory> memory_;
    std::string firstRun_;
};

class Recorded final : public MemorySource {
public:
    Recorded(const Recording& recording, MemoryRunRow run) : recording_(recording), run_(std::move(run)) {}

    std::string kind() const override { return run_.kind; }
    std::int64_t run() const override { return run_.id; }
    std::int64_t peakExact() const override { return run_.peakExact; }
    std::int64_t peakCharged() const override { return run_.peakCharged; }
    std::int64_t peakSeq() const override { return run_.peakSeq.value_or(-1); }
    std::int64_t events() const override { return run_.events; }
    std::optional<memory::Event> event(std::int64_t seq) const override {
        const auto found = seq < 0 ? std::vector<memory::Event>() : recording_.memoryEvents(run_.id, seq, 1);
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    std::vector<memory::Event> eventsFrom(std::int64_t seq, std::int64_t count) const override {
        return recording_.memoryEvents(run_.id, seq, count);
    }
    std::vector<memory::Lifetime> liveAt(std::int64_t seq) const override { return recording_.memoryLiveAt(run_.id, seq); }
    std::int64_t seqOf(Uid node) const override { return recording_.memorySeqOf(run_.id, node); }
    std::vector<memory::CurveBucket> curve(int buckets, memory::Accounting accounting) const override {
        return recording_.memoryCurve(run_.id, 0, -1, buckets, accounting);
    }
    Uid uidOf(const memory::Site& site) const override { return site.node ? Uid(site.body) << 32 | site.node.value : 0; }

private:
    const Recording& recording_;
    MemoryRunRow run_;
};

}  // namespace

StageNodes::StageNodes(const Recording& recording, std::int64_t lane, int stage) : snapshot_(recording.snapshot(lane, stage)) {
    if (snapshot_)
        for (const NodeRowPtr& node : snapshot_->nodes) byUid_.emplace(node->uid, node.get());
}

const NodeRow* StageNodes::find(Uid uid) const {
    const auto it = byUid_.find(uid);
    return it == byUid_.end() ? nullptr : it->second;
}

std::string StageNodes::name(Uid uid) const {
    const NodeRow* node = find(uid);
    return node ? node->name : "-";
}

Predictions::Predictions(Command& c, const Staged& staged)
    : c_(c), staged_(staged), stages_(staged.recording->stages(staged.lane.id)), recorded_(staged.recording->memoryRuns(staged.lane.id)) {
    std::vector<Diagnostic> problems;
    bodies_ = exec::OpBodies::read(c.ops(), &problems);
    c.warn(problems);
}

Predictions::~Predictions() = default;

std::shared_ptr<const MemorySource> Predictions::stage(const StageRow& stage) {
    const auto decided =
        std::count_if(stages_.begin(), stages_.end(), [&](const StageRow& s) { return s.idx <= stage.idx && s.pass == "reinplace"; });
    const std::pair<std::uint64_t, std::int64_t> key(stage.hash, decided);
    if (const auto known = made_.find(key); known != made_.end()) return known->second;
    exec::PredictOptions options;
    options.bodies = &*bodies_;
    options.cancel = c_.cancel();
    options.findReuse = true;
    auto memory = predictStage(*staged_.recording, staged_.lane.id, stage.idx, c_.ops(), options);
    if (!memory) endWith(memory.error());
    std::shared_ptr<const MemorySource> source = std::make_shared<Predicted>(std::move(*memory));
    if (source->conditional())
        if (auto first = ofFirstRun(stage)) source = std::move(first);
    return made_[key] = std::move(source);
}

std::shared_ptr<const MemorySource> Predictions::ofFirstRun(const StageRow& stage) {
    if (c_.args().has("--inputs") || c_.args().has("--seed")) {
        if (!runs_) runs_ = prepareRuns(c_, staged_, stageRunOptions(c_));
        auto ran = runs_->run(stage.idx);
        if (!ran) endWith(ran.error());
        const ExecutedStage& executed = ran->get();
        if (!executed.complete) endWith(*executed.error);
        const std::string values = c_.args().has("--inputs") ? "the values of " + c_.args().get("--inputs") : "random values";
        return std::make_shared<Predicted>(memoryOfRun(*staged_.recording, staged_.lane.id, stage.idx, executed.memory), "a run on " + values);
    }
    for (const MemoryRunRow& run : recorded_) {
        const auto of = std::find_if(stages_.begin(), stages_.end(), [&](const StageRow& s) { return s.idx == run.stage; });
        if (run.kind != "measured" || run.state != "complete" || of == stages_.end() || of->hash != stage.hash) continue;
        return std::make_shared<Predicted>(memoryOfRun(*staged_.recording, run), "run " + std::to_string(run.id));
    }
    return nullptr;
}

std::optional<std::int64_t> firstDifference(const MemorySource& predicted, const MemorySource& run) {
    if (predicted.error() || predicted.conditional() || !predicted.assumed().empty()) return std::nullopt;
    constexpr std::int64_t block = 8192;
    for (std::int64_t seq = 0;; seq += block) {
        const auto planned = predicted.eventsFrom(seq, block), happened = run.eventsFrom(seq, block);
        for (std::size_t i = 0; i < std::min(planned.size(), happened.size()); ++i) {
            memory::Event p = planned[i], h = happened[i];
            const bool sameNode = predicted.uidOf(p.site) == run.uidOf(h.site);
            p.site = h.site = {};
            if (!sameNode || !(p == h)) return seq + static_cast<std::int64_t>(i);
        }
        if (planned.size() != happened.size()) return seq + static_cast<std::int64_t>(std::min(planned.size(), happened.size()));
        if (planned.empty()) return std::nullopt;
    }
}

std::shared_ptr<const MemorySource> recordedRun(const Recording& recording, const MemoryRunRow& run) {
    return std::make_shared<Recorded>(recording, run);
}

}  // namespace aliascope::cli
