#pragma once
// The registry (patterns.md 5): rules become patterns in normal form, equal forms share one entry with several actions, all forms are found through
// one net. Thread-safety: filled first, then only read.

#include <memory>
#include <unordered_set>

#include "core/patterns/evaluate.h"
#include "core/patterns/guards.h"
#include "core/patterns/net.h"
#include "core/patterns/program.h"

namespace aliascope::patterns {

/// One rule in one variant: dtype and sizes of its examples, with or without its gradients.
struct Action {
    std::shared_ptr<const Rule> rule;
    std::string name;  ///< `sdpa_1_half_training`; the rule's name when it has no examples
    bool traced = false, training = false;
    Pattern pattern;
    std::string tangent;    ///< capture of the gradient that comes in; empty without training
    std::size_t order = 0;  ///< by priority, then registration
};

/// Actions of one normal form, in the order in which they are tried.
struct Form {
    std::vector<std::size_t> actions;
};

struct SetOptions {
    /// PyTorch's registration: no second pattern of an equal key. Otherwise equal normal forms share an entry.
    bool reference = false;
    /// Traces become patterns that fit other spellings too (TraceForm::reference is off).
    bool relaxed = false;
    /// Equal normal form, guards and replacement are an error, not dead weight.
    bool unique = false;
    /// Brings traces into the normal form of programs; called with whether the trace has gradients. May be empty.
    std::function<void(Graph&, bool training)> canonicalize;
};

class PatternSet {
public:
    explicit PatternSet(const OpRegistry& ops, SetOptions options = {}) : ops_(ops), options_(std::move(options)) {}

    /// Registers all rules of a file. Errors: PATTERN_SYNTAX, EMPTY_PATTERN; with `unique` DUPLICATE_NORMAL_FORM; REPLACEMENT_TRACE when a search
    /// program cannot be run on its examples.
    Status add(const PatternFile& file);

    const std::vector<Action>& actions() const { return actions_; }
    const std::vector<Form>& forms() const { return forms_; }
    /// DUPLICATE_NORMAL_FORM, once per pair.
    const std::vector<Diagnostic>& notes() const { return notes_; }
    /// Names of patterns that `reference` dropped, with the name of the one that stays.
    const std::vector<std::pair<std::string, std::string>>& dropped() const { return dropped_; }
    const OpRegistry& ops() const { return ops_; }
    const SetOptions& options() const { return options_; }

    /// Operators at which a pattern may be rooted.
    std::vector<Name> roots() const;

    struct Found {
        std::vector<std::size_t> forms;   ///< that may fit, in the order in which they are tried
        const Action* nearest = nullptr;  ///< the one on whose way the net came farthest
        std::size_t depth = 0;
    };
    /// `training`: the graph has a backward part; near misses are then looked for among the training forms.
    Found find(const Graph& g, NodeId root, bool training) const;

private:
    Status addTraced(const std::shared_ptr<const Rule>& rule, const std::string& half);
    struct Variant;
    Status addVariant(const std::shared_ptr<const Rule>& rule, const Variant& variant);
    Status enter(Action action);

    const OpRegistry& ops_;
    SetOptions options_;
    std::vector<Action> actions_;
    std::vector<Form> forms_;
    std::map<std::string, std::size_t> byForm_;
    std::vector<Diagnostic> notes_;
    std::vector<std::pair<std::string, std::string>> dropped_;
    Net inference_, training_;
};

/// Runs the search of a traced rule with the values of its captures; `outputs` are the results of `find`, then one gradient per example (training).
/// Throws TraceError.
std::vector<Value> traceSearch(const Rule& rule, Program& program, Environment& environment, const std::vector<Value>& parameters,
                               const TensorType* tangent);

}  // namespace aliascope::patterns
