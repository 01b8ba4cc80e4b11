#include "core/pipeline/write_form_search.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/analysis/copies_left.h"
#include "core/analysis/view_scatter.h"

namespace aliascope {
namespace {

/// Nodes of all runs together, in graphs in which a call may have to clone and in others; runs of a small graph.
constexpr std::size_t kMostNodes = 6'000, kMostNodesWithoutCalls = 3'000, kMostRuns = 48, kMostDeepRuns = 400;

bool isLaunchOrWrapper(const Node& n) {
    static const std::array<Name, 4> names = {Name("hop::auto_functionalized"), Name("hop::auto_functionalized_v2"),
                                              Name("hop::triton_kernel_wrapper_functional"), Name("hop::triton_kernel_wrapper_mutation")};
    return std::find(names.begin(), names.end(), n.op) != names.end();
}

bool isMutableCustomCall(const OpRegistry& ops, const Node& n) {
    const OpDef* def = ops.find(n.op);
    return def && def->schema.ns != "aten" && def->schema.isMutable();
}

/// A sum with zeros or a product with ones, which gave its operand a copy of its own.
bool isIdentity(std::string_view rule) { return rule == "add-zero" || rule == "sub-zero" || rule == "mul-one" || rule == "div-one"; }

/// What a run has decided and could decide otherwise.
struct Choices : PassObserver {
    Status stageFinished(const Graph& g, const StageResult& stage) override {
        if (stage.pass == "reinplace") {
            for (const Decision& d : *stage.decisions)
                (d.op.view().starts_with("hop::") ? calls : d.code == "RI40" ? unprofitable : writers).push_back(d.node.name);
        } else if (stage.pass == "remove-noops") {
            for (const Decision& d : *stage.decisions)
                if (d.verdict == "refused" && (d.code == "CLONE_GUARD" || d.code == "OUTPUT_ALIAS")) copiesLeft.push_back(d.node.name);
            for (const Rewrite& r : *stage.rewrites)
                if (!r.before.empty()) copiesRemoved.push_back(r.before.front().name);
        } else if (stage.pass == "fold-constants") {
            for (const Rewrite& r : *stage.rewrites)
                if (isIdentity(r.rule) && takesOperand(g, r)) identities.push_back(r.before.front().name);
        }
        return {};
    }
    std::vector<Name> writers, unprofitable;      ///< operators that re-inplacing asked about
    std::vector<Name> calls;                      ///< wrapped calls that it asked about
    std::vector<Name> copiesLeft, copiesRemoved;  ///< of no-op removal
    std::vector<Name> identities;                 ///< kernels that only copy and that constant folding removed

private:
    /// Not in a body, and not replaced by a conversion.
    static bool takesOperand(const Graph& g, const Rewrite& r) {
        const NodeId by = r.after.empty() ? NodeId() : r.after.front().id;
        return r.before.front().id && by && g.contains(by) && g[by].op != "prims::convert_element_type"_n;
    }
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
        while (oneByOne() && runsLeft_ > 0) {
        }
        if (const auto yardsticks = others(); exceedsAny(yardsticks)) {
            runsLeft_ = std::min(kMostDeepRuns, kMostNodes / (opened_.size() + 1));
            // A kernel that is kept moves what the copy would that it spares, and is not counted: only where PyTorch's pipelines keep it, too.
            for (Name name : std::vector<Name>(best_.choices.identities))
                if (exceedsAny(yardsticks)) toggle({{&WriteForms::kept, name}});
            deep_ = true;
            while (exceedsAny(yardsticks) && twoByTwo()) {
            }
        }
        return std::move(best_.forms);
    }

private:
    using Change = std::pair<WriteForms::List WriteForms::*, Name>;

    bool oneByOne() {
        bool better = false;
        for (const Change& change : changes()) better = toggle({change}) || better;
        return better;
    }

    /// True when a pair copies less: then others may help on top of it.
    bool twoByTwo() {
        const std::vector<Change> all = changes();
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (runsLeft_ > 0 && toggle({all[j], all[i]})) return true;
        return false;
    }

    /// What PyTorch's own forms leave of the graph; only where `best` as a whole runs, since texts have no counterpart.
    std::vector<CopiesLeft> others() const {
        std::vector<CopiesLeft> out;
        if (pipeline_.name != "best") return out;
        for (const char* name : {"torch-v1", "torch-v2"}) {
            const auto pipeline = namedPipeline(name);
            if (!pipeline || options_.cancel.cancelled()) break;
            Graph g = opened_.clone();
            RunOptions options;
            options.cancel = options_.cancel;
            options.verify = false;
            if (runPipeline(g, *pipeline, ops_, {}, options).complete) out.push_back(copiesLeft(g, ops_));
        }
        return out;
    }

    /// More bytes, or as many by more clones.
    bool exceedsAny(const std::vector<CopiesLeft>& yardsticks) const {
        return std::any_of(yardsticks.begin(), yardsticks.end(), [&](const CopiesLeft& other) {
            return best_.left.bytes() > other.bytes() ||
                   (best_.left.bytes() == other.bytes() && best_.left.count() > other.count() && best_.left.clones > other.clones);
        });
    }

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
        // A call that clones all that it writes can stand wherever its operands are.
        const auto deeper = [this](std::vector<Name> names, const std::vector<Name>& more) {
            if (deep_) names.insert(names.end(), more.begin(), more.end());
            return names;
        };
        std::vector<std::pair<WriteForms::List WriteForms::*, std::vector<Name>>> out = {
            {&WriteForms::v1, calls_},
            {&WriteForms::removed, made.copiesLeft},
            {&WriteForms::inPlace, made.unprofitable},
            {&WriteForms::functional, deeper(made.writers, made.calls)},
            {&WriteForms::kept, deeper(made.copiesRemoved, made.identities)}};
        for (auto& [list, names] : out) {
            for (const auto& [name, effect] : best_.forms.*list) names.push_back(name);
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
        const WriteForms::Effect effect{trial.left.count(), trial.left.bytes(), best_.left.count(), best_.left.bytes()};
        for (auto list : WriteForms::lists)
            for (auto& [name, said] : trial.forms.*list)
                if (!(best_.forms.*list).contains(name)) said = effect;
        best_ = std::move(trial);
        return true;
    }

    std::vector<Change> changes() const {
        std::vector<Change> out;
        for (const auto& [list, names] : alternatives())
            for (Name name : names) out.emplace_back(list, name);
        return out;
    }

    bool toggle(const std::vector<Change>& changed) {
        WriteForms forms = best_.forms;
        bool removes = false, keeps = false;
        for (const auto& [list, name] : changed) {
            if (!(forms.*list).erase(name)) (forms.*list).try_emplace(name);
            removes = removes || list == &WriteForms::removed;
            keeps = keeps || list == &WriteForms::kept;
        }
        Trial trial = tryOut(forms);
        // What stands in the way only now: copies that make up for the one that went, or that go in place of the one that stays, scatters that do not
        // pay any more. Then all follow.
        bool more = false;
        const auto follow = [&](WriteForms::List WriteForms::*into, std::vector<Name> Choices::*which) {
            const std::vector<Name>& before = best_.choices.*which;
            for (Name now : trial.choices.*which)
                if (std::find(before.begin(), before.end(), now) == before.end()) more = (forms.*into).try_emplace(now).second || more;
        };
        if (trial.complete) follow(&WriteForms::inPlace, &Choices::unprofitable);
        if (trial.complete && removes) follow(&WriteForms::removed, &Choices::copiesLeft);
        if (trial.complete && keeps) follow(&WriteForms::kept, &Choices::copiesRemoved);
        if (accept(std::move(trial))) return true;
        return more && accept(tryOut(forms));
    }

    const Graph& opened_;
    const Pipeline& pipeline_;
    const OpRegistry& ops_;
    const RunOptions& options_;
    std::size_t runsLeft_ = 0;
    std::vector<Name> calls_;
    bool deep_ = false;  ///< identities and calls are tried as well
    Trial best_;
};

}  // namespace

bool needsFormSearch(const Graph& opened, const Pipeline& pipeline, const OpRegistry& ops) {
    // What wrappers will clone can be counted only once they are taken apart.
    const auto stepOf = [&](std::string_view name) {
        return std::find_if(pipeline.steps.begin(), pipeline.steps.end(), [&](const PipelineStep& step) { return step.pass->name() == name; });
    };
    const auto reinplace = stepOf("reinplace");
    const bool extent = reinplace != pipeline.steps.end() && reinplace->options.is("analysis", "extent") &&
                        stepOf("decompose-functionalized") != pipeline.steps.end();
    if (!extent) return false;
    for (NodeId id : inOrder(opened)) {
        const Node& n = opened[id];
        if (n.kind != NodeKind::CallFunction) continue;
        if (isLaunchOrWrapper(n) || isViewScatter(n.op)) return true;
        // `x += y` and what a later pass lowers have no schema.
        const OpDef* def = ops.find(n.op);
        if (def ? def->schema.isMutable() : !writtenOperands(ops, opened, id).empty()) return true;
    }
    return false;
}

WriteForms searchWriteForms(const Graph& opened, const Pipeline& pipeline, const OpRegistry& ops, const RunOptions& options) {
    return Search(opened, pipeline, ops, options).run();
}

}  // namespace aliascope
