#include "core/pipeline/write_form_search.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/analysis/copies_left.h"
#include "core/analysis/view_scatter.h"

namespace aliascope {
namespace {

/// Nodes of all runs together, in graphs in which a call may have to clone and in others; runs of a small graph.
constexpr std::size_t kMostNodes = 6'000, kMostNodesWithoutCalls = 3'000, kMostRuns = 48;

bool isLaunchOrWrapper(const Node& n) {
    static const std::array<Name, 4> names = {Name("hop::auto_functionalized"), Name("hop::auto_functionalized_v2"),
                                              Name("hop::triton_kernel_wrapper_functional"), Name("hop::triton_kernel_wrapper_mutation")};
    return std::find(names.begin(), names.end(), n.op) != names.end();
}

bool isMutableCustomCall(const OpRegistry& ops, const Node& n) {
    const OpDef* def = ops.find(n.op);
    return def && def->schema.ns != "aten" && def->schema.isMutable();
}

/// What a run has decided and could decide otherwise.
struct Choices : PassObserver {
    Status stageFinished(const Graph&, const StageResult& stage) override {
        if (stage.pass == "reinplace") {
            for (const Decision& d : *stage.decisions)
                if (!d.op.view().starts_with("hop::")) (d.code == "RI40" ? unprofitable : writers).push_back(d.node.name);
        } else if (stage.pass == "remove-noops") {
            for (const Decision& d : *stage.decisions)
                if (d.verdict == "refused" && d.code == "CLONE_GUARD") copiesLeft.push_back(d.node.name);
            for (const Rewrite& r : *stage.rewrites)
                if (!r.before.empty()) copiesRemoved.push_back(r.before.front().name);
        }
        return {};
    }
    std::vector<Name> writers, unprofitable;      ///< operators that re-inplacing asked about
    std::vector<Name> copiesLeft, copiesRemoved;  ///< of no-op removal
};

class Search {
public:
    Search(const Graph& opened, const Pipeline& pipeline, const OpRegistry& ops, const RunOptions& options)
        : opened_(opened), pipeline_(pipeline), ops_(ops), options_(options) {
        bool calls = false;
        for (NodeId id : inOrder(opened)) {
            if (opened[id].kind != NodeKind::CallFunction) continue;
            const bool custom = isMutableCustomCall(ops, opened[id]);
            if (custom) calls_.push_back(opened[id].name);
            calls = calls || custom || isLaunchOrWrapper(opened[id]);
        }
        runsLeft_ = std::min(kMostRuns, (calls ? kMostNodes : kMostNodesWithoutCalls) / (opened.size() + 1));
    }

    WriteForms run() {
        if (runsLeft_ < 2) return {};
        best_ = tryOut({});
        if (!best_.complete || best_.left.count() == 0) return {};
        wholesale();
        for (bool better = true; better && runsLeft_ > 0;) {
            better = false;
            for (const auto& [list, names] : alternatives())
                for (Name name : names) better = toggle(list, name) || better;
        }
        return std::move(best_.forms);
    }

private:
    /// Each list as a whole, alone and with all calls in v1 form: two changes may only help together.
    void wholesale() {
        const auto all = [](WriteForms forms, const auto& alternative) {
            for (Name name : alternative.second) (forms.*alternative.first).try_emplace(name);
            return forms;
        };
        const auto single = alternatives();
        for (const auto& alternative : single)
            if (alternative.second.size() > 1) accept(tryOut(all(best_.forms, alternative)));
        for (std::size_t i = 1; i < single.size() && !calls_.empty(); ++i)
            if (!single[i].second.empty()) accept(tryOut(all(all({}, single.front()), single[i])));
    }

    struct Trial {
        WriteForms forms;
        CopiesLeft left;
        Choices choices;
        bool complete = false;

        auto cost() const {
            std::size_t listed = 0;
            for (auto list : WriteForms::lists) listed += (forms.*list).size();
            return std::tuple(left.bytes(), left.count(), left.clones, listed);
        }
    };

    /// What may be tried on top of the best run: the list that it goes to or is taken from, and names.
    std::vector<std::pair<WriteForms::List WriteForms::*, std::vector<Name>>> alternatives() const {
        const Choices& made = best_.choices;
        std::vector<std::pair<WriteForms::List WriteForms::*, std::vector<Name>>> out = {{&WriteForms::v1, calls_},
                                                                                         {&WriteForms::removed, made.copiesLeft},
                                                                                         {&WriteForms::inPlace, made.unprofitable},
                                                                                         {&WriteForms::functional, made.writers},
                                                                                         {&WriteForms::kept, made.copiesRemoved}};
        for (auto& [list, names] : out) {
            for (const auto& [name, bytes] : best_.forms.*list) names.push_back(name);
            std::sort(names.begin(), names.end(), [](Name a, Name b) { return a.view() < b.view(); });
            names.erase(std::unique(names.begin(), names.end()), names.end());
        }
        return out;
    }

    Trial tryOut(WriteForms forms) {
        Trial trial;
        if (runsLeft_ == 0 || options_.cancel.cancelled()) return trial;
        --runsLeft_;
        Graph g = opened_.clone();
        RunOptions options;
        options.cancel = options_.cancel;
        options.skip = options_.skip;
        options.verify = false;
        options.forms = &forms;
        trial.complete = runPipeline(g, pipeline_, ops_, {&trial.choices}, options).complete;
        if (trial.complete) trial.left = copiesLeft(g, ops_);
        trial.forms = std::move(forms);
        return trial;
    }

    /// Keeps what copies less. Whatever is new in its forms is said to have brought the difference.
    bool accept(Trial trial) {
        if (!trial.complete || !(trial.cost() < best_.cost())) return false;
        const WriteForms::Bytes bytes{trial.left.bytes(), best_.left.bytes()};
        for (auto list : WriteForms::lists)
            for (auto& [name, said] : trial.forms.*list)
                if (!(best_.forms.*list).contains(name)) said = bytes;
        best_ = std::move(trial);
        return true;
    }

    bool toggle(WriteForms::List WriteForms::*list, Name name) {
        WriteForms forms = best_.forms;
        if (!(forms.*list).erase(name)) (forms.*list).try_emplace(name);
        Trial trial = tryOut(forms);
        // A copy that goes may leave others standing that only make up for it: then all of them are tried.
        bool more = false;
        if (list == &WriteForms::removed && trial.complete)
            for (Name left : trial.choices.copiesLeft)
                if (std::find(best_.choices.copiesLeft.begin(), best_.choices.copiesLeft.end(), left) == best_.choices.copiesLeft.end())
                    more = forms.removed.try_emplace(left).second || more;
        if (accept(std::move(trial))) return true;
        return more && accept(tryOut(forms));
    }

    const Graph& opened_;
    const Pipeline& pipeline_;
    const OpRegistry& ops_;
    const RunOptions& options_;
    std::size_t runsLeft_ = 0;
    std::vector<Name> calls_;
    Trial best_;
};

}  // namespace

bool needsFormSearch(const Graph& opened, const Pipeline& pipeline, const OpRegistry& ops) {
    const bool extent = std::any_of(pipeline.steps.begin(), pipeline.steps.end(), [](const PipelineStep& step) {
        return step.pass->name() == "reinplace" && step.options.is("analysis", "extent");
    });
    if (!extent) return false;
    for (NodeId id : inOrder(opened)) {
        const Node& n = opened[id];
        if (n.kind != NodeKind::CallFunction) continue;
        const OpDef* def = ops.find(n.op);
        if (isLaunchOrWrapper(n) || isViewScatter(n.op) || (def && def->schema.isMutable())) return true;
    }
    return false;
}

WriteForms searchWriteForms(const Graph& opened, const Pipeline& pipeline, const OpRegistry& ops, const RunOptions& options) {
    return Search(opened, pipeline, ops, options).run();
}

}  // namespace aliascope
