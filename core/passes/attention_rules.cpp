#include "core/passes/attention_rules.h"

#include "core/passes/insert_replacement.h"
#include "core/patterns/rewrite.h"

namespace aliascope {
namespace embedded {
extern const std::string_view torch_attention_patterns, attention_patterns;
}
namespace {

using patterns::Action;
using patterns::Refusal;

void runPass(std::string_view name, const char* mode, Graph& g) {
    const Pass* pass = findPass(name);
    if (!pass) return;
    PassOptions options;
    for (const PassOption& option : pass->options()) options.set(option.key, option.defaultValue);
    options.set("mode", mode);
    PassContext context(OpRegistry::builtin(), options, {});
    (void)pass->run(g, context);
}

/// What canonicalises programs canonicalises patterns. The reference leaves inference patterns as they are traced (patterns.md 4).
void canonicalize(Graph& g, bool extended, bool training) {
    if (!extended && !training) return;
    if (extended) runPass("remove-noops", "extended", g);
    runPass("canonicalize-views", extended ? "extended" : "reference", g);
}

patterns::SetOptions setOptions(bool extended) {
    patterns::SetOptions options;
    options.reference = !extended;
    options.relaxed = extended;
    options.canonicalize = [extended](Graph& g, bool training) { canonicalize(g, extended, training); };
    return options;
}

/// Records what was found at a root and rewrites it.
class PatternAttempt {
public:
    PatternAttempt(const patterns::PatternSet& set, bool tf32, bool explain) : set_(set), tf32_(tf32), explain_(explain) {}

    bool operator()(RuleContext& c, NodeId root) const {
        const patterns::GuardFlags flags{c.extended, tf32_, isJoint(c.g)};
        const patterns::Attempted found = patterns::attempt(
            set_, c.g, root, flags, [&](NodeId a, NodeId b) { return c.writeBetween(a, b); }, explain_);
        if (explain_)
            for (const auto& [action, refusal] : found.refusals) record(c, root, *action, refusal, "refused");
        return found.replacement && replace(c, root, *found.replacement);
    }

private:
    /// Asked at every root; the answer is kept for the graph that is being traversed.
    bool isJoint(const Graph& g) const {
        if (graph_ != &g) {
            graph_ = &g;
            joint_ = isJointGraph(g);
        }
        return joint_;
    }

    bool replace(RuleContext& c, NodeId root, const patterns::Replacement& r) const {
        InsertedNodes nodes;
        if (const auto refusal = insertReplacement(r, c.g, nodes)) {
            if (explain_) record(c, root, *r.action, *refusal, "refused");
            return false;
        }
        std::string result;
        for (NodeId id : nodes.made)
            if (c.g[id].op != "operator::getitem") result += (result.empty() ? "" : ", ") + c.g[id].name.str();
        Refusal applied{
            "APPLIED", {{"pattern", r.action->name}, {"n", std::to_string(r.matched.size())}, {"result", result}}, root, {}, r.match.nodes};
        record(c, root, *r.action, applied, "applied");
        if (r.unsound) record(c, root, *r.action, *r.unsound, "applied");
        c.replaceAll(nodes.outputs, r.matched, nodes.made);
        return true;
    }

    void record(RuleContext& c, NodeId root, const Action& action, const Refusal& why, const char* verdict) const {
        Decision d;
        d.node = ref(c.g, root);
        if (c.pass.originOf) d.origin = c.pass.originOf(root);
        d.op = c.g[root].op;
        d.verdict = verdict;
        d.code = why.code;
        if (d.code != "APPLIED") d.blocker = ref(c.g, why.blocker ? why.blocker : why.node);
        d.rule = action.name;
        d.params = why.params;
        for (const patterns::Bound& b : why.nodes) d.checks.push_back({c.g[b.node].name.str(), CheckStep::Answer::Ok, c.g[b.node].op.str()});
        if (d.verdict == "refused") d.checks.push_back({action.name, CheckStep::Answer::Failed, info(why.code, why.params).sentence()});
        c.pass.decide(std::move(d));
    }

    const patterns::PatternSet& set_;
    const bool tf32_, explain_;
    mutable const Graph* graph_ = nullptr;  // a set of rules is traversed by one thread
    mutable bool joint_ = false;
};

std::unique_ptr<patterns::PatternSet> builtinSet(bool extended) {
    auto set = std::make_unique<patterns::PatternSet>(OpRegistry::builtin(), setOptions(extended));
    // The texts are part of the program: a test keeps them free of errors.
    if (const auto file = patterns::parsePatterns(embedded::torch_attention_patterns, "torch_attention.patterns")) (void)set->add(*file);
    if (!extended) return set;
    if (const auto file = patterns::parsePatterns(embedded::attention_patterns, "attention.patterns")) (void)set->add(*file);
    return set;
}

}  // namespace

const patterns::PatternSet& attentionPatterns(bool extended) {
    // Never destroyed: other threads may match when the program ends.
    if (extended) {
        static const patterns::PatternSet* const set = builtinSet(true).release();
        return *set;
    }
    static const patterns::PatternSet* const set = builtinSet(false).release();
    return *set;
}

Result<std::shared_ptr<const patterns::PatternSet>> userPatterns(const std::string& path, const OpRegistry& ops, bool extended) {
    auto file = patterns::readPatternFile(path);
    if (!file) return fail(file.error());
    patterns::SetOptions options = setOptions(extended);
    options.reference = false;  // nothing that users write is matched without its constants
    options.relaxed = true;
    auto set = std::make_shared<patterns::PatternSet>(ops, options);
    if (auto added = set->add(*file); !added) return fail(added.error());
    return std::shared_ptr<const patterns::PatternSet>(std::move(set));
}

void addPatternRules(RuleSet& rules, const std::string& name, const patterns::PatternSet& set, bool tf32, bool explain) {
    rules.add(name, set.roots(), PatternAttempt(set, tf32, explain));
}

bool isJointGraph(const Graph& g) {
    for (NodeId id = g.first(); id && g[id].kind == NodeKind::Placeholder; id = g[id].next)
        if (g[id].name.view().starts_with("tangents_")) return true;
    return g.phase == Phase::Joint;
}

}  // namespace aliascope
