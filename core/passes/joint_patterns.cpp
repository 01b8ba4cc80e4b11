#include "core/passes/joint_patterns.h"

#include "core/passes/attention_rules.h"
#include "core/passes/clean_up.h"
#include "core/passes/graph_rules.h"
#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

class JointPatterns final : public Pass {
public:
    std::string_view name() const override { return "joint-patterns"; }
    std::string_view help() const override { return "Rewrites small patterns: double conversions, products of one matrix, scatters into constants"; }
    std::vector<PassOption> options() const override {
        return {modeOption("extended: conversions merge only where nothing is lost, until nothing fires; attention waits for fuse-attention"),
                {PassOption::Type::Enum, "tf32", {"off", "on"}, "off", "on: products of f32 on CUDA may round to TF32, which attention needs"}};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        RuleSet rules;
        addGraphRules(rules);
        // Building the attention patterns takes longer than matching them; each has two batched products.
        if (!isExtended(ctx) && anyCall(g, "aten::bmm"_n))
            addPatternRules(rules, "fuse-attention", attentionPatterns(false), ctx.options().is("tf32", "on"), false);
        addRandpermRules(rules);
        inEveryGraph(g, ctx, [&](Graph& body, PassContext& inner) { rules.run(body, inner); });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeJointPatterns() { return std::make_unique<JointPatterns>(); }

}  // namespace aliascope
