#include "core/reduce/property.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/reduce/copy_totals.h"
#include "core/reduce/stage_behaviour.h"
#include "core/support/reasons.h"

namespace aliascope {
namespace {

using query::Fact;
using query::Field;
using query::Flag;
using query::Number;

bool codeFits(const std::string& code, const query::Word& word) {
    const Reason* reason = findReason(code);
    return word.isPartOf(code) || (reason && word.equals(reason->name));
}

/// `aten.clone.default`
std::string_view spelled(const Node& n) {
    std::string_view text = n.target.view();
    constexpr std::string_view prefix = "torch.ops.";
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    return text;
}

/// What one run of the pipeline came to.
class WholeRun : public query::Subject {
public:
    WholeRun(const Graph& g, const Pipeline& pipeline, const OpRegistry& ops, const PropertyOptions& options, const StageBehaviour& behaviour,
             bool judge)
        : opened_(g), pipeline_(pipeline), ops_(ops), options_(options), behaviour_(behaviour) {
        last_ = g.clone();
        Stages stages(*this);
        RunOptions how;
        how.cancel = options.cancel;
        how.judgeNeeds = judge;
        run_ = runPipeline(last_, pipeline, ops, {&stages}, how);
    }

    bool any(Field field, const Fits& fits) const override {
        switch (field) {
            case Field::Op:
            case Field::Name:
            case Field::Text:
                for (NodeId id : inOrder(last_))
                    if ((field != Field::Op && fits(last_[id].name.view())) ||
                        (field != Field::Name && last_[id].isCall() && fits(spelled(last_[id]))))
                        return true;
                return false;
            case Field::Stage:
            case Field::Pass:
                return std::any_of(changed_.begin(), changed_.end(), [&](const std::string& stage) { return fits(stage); });
            default:
                return anyDecision([&](const Decision& d) {
                    if (field == Field::Code) {
                        const Reason* reason = findReason(d.code);
                        return fits(d.code) || (reason && fits(reason->name));
                    }
                    return (field == Field::Verdict && fits(d.verdict)) || (field == Field::Need && fits(d.need)) ||
                           (field == Field::Rule && fits(d.rule));
                });
        }
    }

    std::optional<double> number(Number what) const override {
        switch (what) {
            case Number::Clones:
                return static_cast<double>(copies().clones);
            case Number::Cloned:
                return static_cast<double>(copies().clonedBytes);
            case Number::Copied:
                return static_cast<double>(copies().copiedBackBytes);
            case Number::Nodes:
                return static_cast<double>(last_.size());
            case Number::Reported:
                return sum([](const Decision& d) { return d.counted ? d.reportedBytes : std::nullopt; });
            case Number::Needed:
                return sum([](const Decision& d) { return d.neededBytes; });
            default:
                return std::nullopt;
        }
    }

    bool is(Flag flag) const override {
        if (flag == Flag::Clone) return copies().clones > 0;
        return flag == Flag::Changed && !changed_.empty();
    }

    bool holds(const Fact& fact) const override {
        switch (fact.kind) {
            case Fact::Kind::Differs:
                return behaviour_.differs(opened_, pipeline_, fact.argument);
            case Fact::Kind::Decision:
                return anyDecision([&](const Decision& d) {
                    return std::all_of(fact.with.begin(), fact.with.end(), [&](const auto& pair) { return detailFits(d, pair.first, pair.second); });
                });
            case Fact::Kind::PassFails:
                return run_.failed && !verifierFailed() && (fact.argument.empty() || failedPass_ == fact.argument);
            case Fact::Kind::VerifierFails:
                return run_.failed && verifierFailed();
            case Fact::Kind::Finding:
                if (std::any_of(run_.diagnostics.begin(), run_.diagnostics.end(), [&](const Diagnostic& d) { return d.code == fact.argument; }))
                    return true;
                return StageBehaviour::isExecuted(fact.argument) && behaviour_.finds(opened_, pipeline_, fact.argument);
        }
        return false;
    }

private:
    struct Stages : PassObserver {
        explicit Stages(WholeRun& whole) : whole(whole) {}
        Status stageFinished(const Graph&, const StageResult& stage) override {
            if (stage.changed && stage.index > 1) whole.changed_.push_back(stage.name);
            if (stage.state == StageResult::State::Failed) whole.failedPass_ = stage.pass;
            return {};
        }
        WholeRun& whole;
    };

    bool verifierFailed() const { return run_.error && run_.error->code == "V001"; }

    bool anyDecision(const std::function<bool(const Decision&)>& test) const {
        for (const auto& [stage, decisions] : run_.decisions)
            if (std::any_of(decisions.begin(), decisions.end(), test)) return true;
        return false;
    }

    double sum(const std::function<std::optional<std::int64_t>(const Decision&)>& bytes) const {
        double out = 0;
        anyDecision([&](const Decision& d) {
            out += static_cast<double>(bytes(d).value_or(0));
            return false;
        });
        return out;
    }

    bool detailFits(const Decision& d, const std::string& key, const query::Word& word) const {
        if (key == "code") return codeFits(d.code, word);
        if (key == "verdict") return word.equals(d.verdict);
        if (key == "need") return word.equals(d.need);
        if (key == "arg" || key == "argument") return word.equals(d.argument);
        if (key == "op") return word.isPartOf(d.op.view());
        if (key == "rule") return word.isIn(d.rule);
        return false;
    }

    const CopyTotals& copies() const {
        if (!copies_) copies_ = copyTotals(last_, ops_);
        return *copies_;
    }

    const Graph& opened_;
    const Pipeline& pipeline_;
    const OpRegistry& ops_;
    const PropertyOptions& options_;
    const StageBehaviour& behaviour_;
    Graph last_;
    RunResult run_;
    std::vector<std::string> changed_;
    std::string failedPass_;
    mutable std::optional<CopyTotals> copies_;
};

}  // namespace

struct Property::Impl {
    query::Find find;
    Pipeline pipeline;
    const OpRegistry& ops;
    PropertyOptions options;
    StageBehaviour behaviour;
    bool judge = false;
};

Property::Property(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Property::~Property() = default;
Property::Property(Property&&) noexcept = default;

Result<Property> Property::parse(std::string_view text, Pipeline pipeline, const OpRegistry& ops, PropertyOptions options) {
    auto find = query::parseFind(text);
    if (!find) return fail(std::move(find.error()));
    StageBehaviour behaviour(ops, options.seed, options.standIn, options.cancel);
    // Judging runs the other bundled pipelines too.
    const bool judge = text.find("need") != std::string_view::npos;
    return Property(std::unique_ptr<Impl>(new Impl{std::move(*find), std::move(pipeline), ops, std::move(options), std::move(behaviour), judge}));
}

bool Property::holds(const Graph& g) const {
    return impl_->find.matches(WholeRun(g, impl_->pipeline, impl_->ops, impl_->options, impl_->behaviour, impl_->judge));
}

}  // namespace aliascope
