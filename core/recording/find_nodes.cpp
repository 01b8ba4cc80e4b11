#include "core/recording/find_nodes.h"

#include <algorithm>
#include <unordered_map>

#include "core/ir/op_registry.h"
#include "core/recording/find_decisions.h"

namespace aliascope {
namespace {

using query::Field;
using query::Flag;
using query::Number;

/// Facts of a whole stage, made once.
class StageFacts {
public:
    StageFacts(const StageSnapshot& snapshot, const FindContext& context) : context_(context) {
        for (const EdgeRow& edge : snapshot.edges) {
            if (edge.mode == EdgeRow::Mode::Write || edge.mode == EdgeRow::Mode::ReadWrite) writers_.insert(edge.to);
            auto& last = lastUser_[edge.from];
            if (last.second != edge.to || last.first == 0) ++last.first;
            last.second = edge.to;
        }
        for (const NodeRowPtr& node : snapshot.nodes) allBytes_ += double(node->bytes.value_or(0));
        if (context.changes)
            for (const ChangeRow& change : *context.changes) marks_.emplace(change.uid, change.mark);
        if (context.storages)
            for (const StorageRow& storage : *context.storages) bases_.emplace(storage.id, storage.base);
        if (context.decisions) {
            for (const DecisionRow& d : *context.decisions) {
                if (d.stage > snapshot.stage.idx) continue;
                if (d.uid) decisions_[*d.uid].push_back(&d);
                if (d.originUid && d.originUid != d.uid) decisions_[*d.originUid].push_back(&d);
            }
        }
    }

    double allBytes() const { return allBytes_; }
    bool writes(Uid uid) const { return writers_.contains(uid); }
    int users(Uid uid) const {
        const auto found = lastUser_.find(uid);
        return found == lastUser_.end() ? 0 : found->second.first;
    }
    std::optional<ChangeMark> mark(Uid uid) const {
        const auto found = marks_.find(uid);
        return found == marks_.end() ? std::nullopt : std::optional(found->second);
    }
    bool isBase(const NodeRow& node) const {
        const auto found = bases_.find(node.storage);
        return found == bases_.end() || found->second == node.uid;
    }
    bool pinned(Uid uid) const { return context_.pinned && context_.pinned->contains(uid); }
    const std::vector<const DecisionRow*>& decisions(Uid uid) const {
        static const std::vector<const DecisionRow*> none;
        const auto found = decisions_.find(uid);
        return found == decisions_.end() ? none : found->second;
    }

private:
    const FindContext& context_;
    double allBytes_ = 0;
    std::unordered_set<Uid> writers_;
    std::unordered_map<Uid, std::pair<int, Uid>> lastUser_;  // number of users, the last one counted
    std::unordered_map<Uid, ChangeMark> marks_;
    std::unordered_map<int, Uid> bases_;
    std::unordered_map<Uid, std::vector<const DecisionRow*>> decisions_;
};

class NodeSubject : public query::Subject {
public:
    explicit NodeSubject(const StageFacts& facts) : facts_(facts) {}

    void look(const NodeRow& node) {
        node_ = &node;
        op_ = operatorOf(node);
    }

    bool any(Field field, const Fits& fits) const override {
        switch (field) {
            case Field::Text:
                return fits(node_->name) || (isCall() && fits(op_));
            case Field::Op:
                return isCall() && fits(op_);
            case Field::Name:
            case Field::Touches:
                return fits(node_->name);
            case Field::Dtype:
                return fits(dtypeOfType(node_->type));
            case Field::Shape:
                return fits(node_->type);
            case Field::Storage:
                return node_->storage >= 0 && fits("S" + std::to_string(node_->storage));
            case Field::Source:
                return !node_->file.empty() && fits(node_->line > 0 ? node_->file + ":" + std::to_string(node_->line) : node_->file);
            case Field::Module:
                return !node_->module.empty() && fits(node_->module);
            default:
                return anyDecision([&](const DecisionRow& d) { return ofDecision(d, field, fits); });
        }
    }

    std::optional<double> number(Number number) const override {
        switch (number) {
            case Number::Bytes:
                return node_->bytes ? std::optional(double(*node_->bytes)) : std::nullopt;
            case Number::Users:
                return facts_.users(node_->uid);
            case Number::Rank:
                return rank();
            case Number::Cloned:
                return sum(&DecisionRow::clonedBytes);
            case Number::Reported:
                return sum(&DecisionRow::reportedBytes);
            case Number::Needed:
                return sum(&DecisionRow::neededBytes);
            default:
                return std::nullopt;
        }
    }

    std::optional<double> whole(Number number) const override { return number == Number::Bytes ? std::optional(facts_.allBytes()) : std::nullopt; }

    bool is(Flag flag) const override {
        const auto mark = facts_.mark(node_->uid);
        switch (flag) {
            case Flag::Changed:
                return mark.has_value();
            case Flag::Added:
                return mark == ChangeMark::Added;
            case Flag::Removed:
                return mark == ChangeMark::Removed;
            case Flag::Input:
                return node_->kind == "placeholder";
            case Flag::Output:
                return node_->kind == "output";
            case Flag::Constant:
                return node_->kind == "get_attr";
            case Flag::Unknown:
                return node_->flags & (FlagNoSchema | FlagUnparsed);
            case Flag::Write:
                return isCall() && facts_.writes(node_->uid);
            case Flag::View:
                return isCall() && node_->storage >= 0 && !facts_.isBase(*node_) && !facts_.writes(node_->uid);
            case Flag::Clone:
                return op_.rfind("aten.clone", 0) == 0;
            case Flag::Pinned:
                break;
        }
        return facts_.pinned(node_->uid);
    }

    bool holds(const query::Fact& fact) const override {
        if (fact.kind == query::Fact::Kind::Finding) {
            const query::Word code(fact.argument);
            return anyDecision([&](const DecisionRow& d) { return code.isPartOf(d.code); });
        }
        return anyDecision([&](const DecisionRow& d) { return decisionHolds(d, passOf(d), fact); });
    }

private:
    bool isCall() const { return node_->kind != "placeholder" && node_->kind != "output" && node_->kind != "get_attr"; }

    std::optional<double> rank() const {
        if (dtypeOfType(node_->type).empty()) return std::nullopt;
        const std::size_t open = node_->type.find('['), close = node_->type.find(']', open);
        if (close == std::string::npos) return std::nullopt;
        int depth = 0, commas = 0;
        for (std::size_t i = open + 1; i < close; ++i) {
            depth += node_->type[i] == '(' ? 1 : node_->type[i] == ')' ? -1 : 0;
            commas += node_->type[i] == ',' && depth == 0;
        }
        return close == open + 1 ? 0 : commas + 1;
    }

    template <class Wanted>
    bool anyDecision(Wanted wanted) const {
        const auto& rows = facts_.decisions(node_->uid);
        return std::any_of(rows.begin(), rows.end(), [&](const DecisionRow* d) { return wanted(*d); });
    }
    std::optional<double> sum(std::optional<std::int64_t> DecisionRow::*bytes) const {
        std::optional<double> out;
        for (const DecisionRow* d : facts_.decisions(node_->uid))
            if (d->*bytes) out = out.value_or(0) + double(*(d->*bytes));
        return out;
    }
    /// Fields of which a decision, not the node itself, has the text.
    static bool ofDecision(const DecisionRow& d, Field field, const Fits& fits) {
        switch (field) {
            case Field::Rule:
            case Field::Verdict:
            case Field::Need:
            case Field::Code:
            case Field::Stage:
            case Field::Pass:
                return decisionFits(d, passOf(d), field, fits);
            default:
                return false;
        }
    }
    /// Stages are named after their pass: `remove-noops#2`.
    static std::string passOf(const DecisionRow& d) { return d.stageName.substr(0, d.stageName.find('#')); }

    const StageFacts& facts_;
    const NodeRow* node_ = nullptr;
    std::string op_;
};

}  // namespace

std::string dtypeOfType(const std::string& type) {
    const auto bracket = type.find('[');
    if (bracket == std::string::npos || bracket == 0 || type.find_first_of(" (,") < bracket) return {};
    return type.substr(0, bracket);
}

std::string operatorOf(const NodeRow& node) {
    if (node.kind != "call_function") return node.target;
    std::string op = canonicalOp(node.target.empty() ? node.op : node.target).str();
    if (const auto colons = op.find("::"); colons != std::string::npos) op.replace(colons, 2, ".");
    return op;
}

std::vector<std::uint32_t> findNodes(const StageSnapshot& snapshot, const FindContext& context, const query::Find& find, const CancelToken& cancel) {
    constexpr std::uint32_t kBetweenLooks = 1024;
    const StageFacts facts(snapshot, context);
    NodeSubject subject(facts);
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < snapshot.nodes.size(); ++i) {
        if (i % kBetweenLooks == 0 && cancel.cancelled()) return {};
        subject.look(*snapshot.nodes[i]);
        if (find.matches(subject)) out.push_back(i);
    }
    return out;
}

}  // namespace aliascope
