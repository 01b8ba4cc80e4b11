#include "views/session/evidence.h"

#include <algorithm>
#include <unordered_map>

namespace aliascope {
namespace {

class Reader {
public:
    Reader(const Recording& recording, std::int64_t lane, int stage)
        : recording_(recording), lane_(lane), stage_(stage), snapshot_(recording.snapshot(lane, stage)) {
        if (!snapshot_) return;
        for (std::size_t i = 0; i < snapshot_->nodes.size(); ++i) places_.emplace(snapshot_->nodes[i]->uid, i);
    }

    const NodeRow* node(Uid uid) const {
        const auto at = places_.find(uid);
        return at == places_.end() ? nullptr : snapshot_->nodes[at->second].get();
    }
    int place(Uid uid) const { return int(places_.at(uid)) + 1; }

    /// The value that the call gets for `argument`, by name or as base number.
    Uid valueOf(Uid call, const std::string& argument) const {
        const std::string base = "_all_bases[" + argument + "]";
        for (const EdgeRow& edge : snapshot_->edges)
            if (edge.to == call && (edge.arg == argument || edge.arg == base)) return edge.from;
        return kNoUid;
    }

    std::optional<Region> region(const NodeRow& node) const {
        return node.storage < 0 ? std::nullopt : regionOfNode(recording_, lane_, stage_, node.uid);
    }

    std::optional<StorageRow> storage(int id) const {
        for (const StorageRow& row : recording_.storages(lane_, stage_))
            if (row.id == id) return row;
        return std::nullopt;
    }

private:
    const Recording& recording_;
    std::int64_t lane_;
    int stage_;
    std::shared_ptr<const StageSnapshot> snapshot_;
    std::unordered_map<Uid, std::size_t> places_;
};

/// What a person calls the operator: of a wrapper the operator that it wraps.
std::string wordOf(const NodeRow& node) {
    if (node.kind == "placeholder") return "graph input";
    if (node.kind == "output") return "return";
    if (node.op.find("auto_functionalized") != std::string::npos) {
        std::string first = node.args.substr(0, node.args.find_first_of(",)"));
        first.erase(0, std::min(first.find_first_not_of("( "), first.size()));
        if (first.starts_with("torch.ops.")) first.erase(0, 10);
        if (first.ends_with(".default")) first.erase(first.size() - 8);
        if (first.find('.') != std::string::npos) return first;
    }
    return shortOp(node);
}

void addStep(Evidence& out, const Reader& reader, EvidenceStep::Kind kind, const NodeRow& node) {
    for (EvidenceStep& step : out.steps) {
        if (step.uid != node.uid) continue;
        if (kind == EvidenceStep::Kind::Argument) step.kind = EvidenceStep::Kind::Argument;  // the argument is the base itself
        return;
    }
    out.steps.push_back({kind, node.uid, node.name, wordOf(node), reader.place(node.uid), node.bytes});
}

}  // namespace

EvidencePtr loadEvidence(const Recording& recording, std::int64_t lane, const DecisionRow& decision) {
    if (!decision.uid) return nullptr;
    const Reader before(recording, lane, std::max(1, decision.stage - 1)), after(recording, lane, decision.stage);
    const Reader& reader = before.node(*decision.uid) ? before : after;
    const NodeRow* call = reader.node(*decision.uid);
    if (!call) return nullptr;
    Uid value = reader.valueOf(*decision.uid, decision.argument);
    if (value == kNoUid && decision.viewUid) value = *decision.viewUid;
    const NodeRow* argument = reader.node(value);
    const NodeRow* blocker = decision.blockerUid ? reader.node(*decision.blockerUid) : nullptr;

    auto out = std::make_shared<Evidence>();
    out->clonedBytes = decision.clonedBytes;
    if (argument) {
        out->storage = argument->storage;
        out->argumentBytes = argument->bytes;
        out->argument = reader.region(*argument);
        if (const auto storage = reader.storage(argument->storage)) {
            out->storageBytes = storage->bytes;
            if (const NodeRow* base = reader.node(storage->base)) addStep(*out, reader, EvidenceStep::Kind::Base, *base);
        }
        addStep(*out, reader, EvidenceStep::Kind::Argument, *argument);
    }
    addStep(*out, reader, EvidenceStep::Kind::Write, *call);
    if (blocker) {
        const std::size_t before = out->steps.size();
        addStep(*out, reader, EvidenceStep::Kind::Blocker, *blocker);
        out->blockerIsLater = reader.place(blocker->uid) > reader.place(call->uid);
        const bool another = out->steps.size() > before;  // not the base, the argument or the call itself
        if (another && argument && blocker->storage == argument->storage) {
            out->blocker = reader.region(*blocker);
            if (out->argument && out->blocker) out->overlap = overlapBytes(*out->argument, *out->blocker);
        }
    }
    return out;
}

}  // namespace aliascope
