// The filter of the timeline (ui.md 2.2): which stages a text in the language for finding keeps.

#include <algorithm>

#include "core/recording/find_nodes.h"
#include "views/models/format.h"
#include "views/models/pass_list_model.h"

namespace aliascope {
namespace {

class StageSubject : public query::Subject {
public:
    StageSubject(const StageRow& row, const PassFacts* facts, const std::vector<DecisionRow>* decisions)
        : row_(row), facts_(facts), decisions_(decisions) {}

    bool any(query::Field field, const Fits& fits) const override {
        using query::Field;
        switch (field) {
            case Field::Text:
            case Field::Pass:
                return fits(row_.name) || (!row_.pass.empty() && fits(row_.pass));
            case Field::Stage:
                return fits(row_.name) || fits(std::to_string(row_.idx));
            case Field::Op:
                return facts_ && std::any_of(facts_->ops.begin(), facts_->ops.end(), fits);
            case Field::Rule:
                return facts_ && std::any_of(facts_->rules.begin(), facts_->rules.end(), fits);
            case Field::Name:
            case Field::Touches:
                return facts_ && std::any_of(facts_->names.begin(), facts_->names.end(), fits);
            case Field::Verdict:
                return anyDecision([&](const DecisionRow& d) { return fits(d.verdict); });
            case Field::Need:
                return anyDecision([&](const DecisionRow& d) { return fits(d.need); });
            case Field::Code:
                return anyDecision([&](const DecisionRow& d) { return fits(d.code); });
            default:
                return false;
        }
    }

    std::optional<double> number(query::Number number) const override {
        using query::Number;
        const auto bytes = [](const std::optional<std::int64_t>& b) { return b ? std::optional(double(*b)) : std::nullopt; };
        switch (number) {
            case Number::Bytes:
                return double(row_.clonedBytes.value_or(0) + row_.copiedBackBytes.value_or(0));
            case Number::Cloned:
                return bytes(row_.clonedBytes);
            case Number::Copied:
                return bytes(row_.copiedBackBytes);
            case Number::Clones:
                return double(row_.clones);
            case Number::Nodes:
                return double(row_.nodes);
            case Number::Time:
                return double(row_.wallNs);
            default:
                return std::nullopt;
        }
    }

    bool is(query::Flag flag) const override {
        using query::Flag;
        switch (flag) {
            case Flag::Changed:
                return row_.changed || row_.idx == 1;
            case Flag::Added:
                return row_.added > 0;
            case Flag::Removed:
                return row_.removed > 0;
            case Flag::Clone:
                return row_.clones > 0;
            default:
                return false;
        }
    }

    bool holds(const query::Fact& fact) const override {
        if (fact.kind == query::Fact::Kind::PassFails) return row_.state == "failed" && query::Word(fact.argument).equals(row_.pass);
        if (fact.kind == query::Fact::Kind::VerifierFails) return row_.state == "failed";
        if (fact.kind != query::Fact::Kind::Finding) return false;
        const query::Word code(fact.argument);
        return anyDecision([&](const DecisionRow& d) { return code.isPartOf(d.code); });
    }

private:
    template <class Wanted>
    bool anyDecision(Wanted wanted) const {
        return decisions_ &&
               std::any_of(decisions_->begin(), decisions_->end(), [&](const DecisionRow& d) { return d.stage == row_.idx && wanted(d); });
    }

    const StageRow& row_;
    const PassFacts* facts_;
    const std::vector<DecisionRow>* decisions_;
};

}  // namespace

PassFactsPtr readPassFacts(const Recording& recording, std::int64_t lane, const std::vector<StageRow>& stages, const CancelToken& cancel) {
    auto out = std::make_shared<std::map<int, PassFacts>>();
    std::shared_ptr<const StageSnapshot> before;
    for (const StageRow& row : stages) {
        if (cancel.cancelled()) return nullptr;
        const auto now = row.changed || row.idx == 1 ? recording.snapshot(lane, row.idx) : before;
        PassFacts& facts = (*out)[row.idx];
        if (row.idx > 1 && row.changed && now) {
            std::set<Uid> touched;
            for (const ChangeRow& change : recording.changes(lane, row.idx)) {
                touched.insert(change.uid);
                facts.names.insert(change.name);
            }
            for (const auto& snapshot : {before, now}) {
                if (!snapshot) continue;
                for (const NodeRowPtr& node : snapshot->nodes)
                    if (touched.contains(node->uid)) facts.ops.insert(operatorOf(*node));
            }
        }
        if (row.rewrites > 0) {
            for (const RewriteRow& rewrite : recording.rewrites(lane, row.idx)) {
                facts.rules.insert(rewrite.rule);
                for (const auto& [uid, name] : rewrite.before) facts.names.insert(name);
                for (const auto& [uid, name] : rewrite.after) facts.names.insert(name);
            }
        }
        before = now;
    }
    return out;
}

PassFilterProxy::PassFilterProxy(QObject* parent) : QSortFilterProxyModel(parent) { setSortRole(PassListModel::SortRole); }

void PassFilterProxy::setChangedOnly(bool on) {
    changedOnly_ = on;
    invalidateFilter();
}

void PassFilterProxy::setQuery(const QString& text) {
    query::Typed typed = query::typedFind(text.toStdString());
    find_ = typed.find;
    mistake_ = typed.error ? tr("column %1: %2").arg(typed.error->column).arg(qstr(typed.error->sentence())) : QString();
    invalidateFilter();
}

void PassFilterProxy::setFacts(PassFactsPtr facts) {
    facts_ = std::move(facts);
    if (!find_.empty()) invalidateFilter();
}

void PassFilterProxy::setDecisions(std::shared_ptr<const std::vector<DecisionRow>> decisions) {
    decisions_ = std::move(decisions);
    if (!find_.empty()) invalidateFilter();
}

bool PassFilterProxy::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const auto* model = static_cast<const PassListModel*>(sourceModel());
    const QModelIndex index = model->index(row, PassListModel::Name, parent);
    if (index.data(PassListModel::IsRewriteRole).toBool()) return true;
    const StageRow* stage = model->stageAt(index);
    if (!stage) return false;
    if (changedOnly_ && !stage->changed && stage->idx != 1 && stage->state == "ok") return false;
    if (find_.empty()) return true;
    const PassFacts* facts = nullptr;
    if (facts_)
        if (const auto found = facts_->find(stage->idx); found != facts_->end()) facts = &found->second;
    return find_.matches(StageSubject(*stage, facts, decisions_.get()));
}

}  // namespace aliascope
