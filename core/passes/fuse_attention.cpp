#include "core/passes/fuse_attention.h"

#include "core/passes/attention_rules.h"
#include "core/passes/clean_up.h"
#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

class FuseAttention final : public Pass {
public:
    std::string_view name() const override { return "fuse-attention"; }
    std::string_view help() const override { return "Replaces attention that is written out by one call of a kernel; applies patterns of a file"; }
    std::vector<PassOption> options() const override {
        return {{PassOption::Type::Enum, "mode", {"reference", "extended"}, "reference", "extended: every constant, axis and mask is verified"},
                {PassOption::Type::File, "patterns", {}, "", "a file of patterns, tried after those of attention"},
                {PassOption::Type::Enum, "tf32", {"off", "on"}, "off", "on: products of f32 on CUDA may round to TF32"}};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        const bool extended = isExtended(ctx);
        RuleSet rules;
        // Every attention pattern has two batched products: without any the patterns need not be built.
        if (anyCall(g, "aten::bmm"_n)) addPatternRules(rules, "fuse-attention", attentionPatterns(extended), ctx.options().is("tf32", "on"), true);
        std::shared_ptr<const patterns::PatternSet> own;
        if (const std::string& path = ctx.options().get("patterns"); !path.empty()) {
            auto read = userPatterns(path, ctx.ops(), extended);
            if (!read) return fail(read.error());
            own = std::move(*read);
            for (const Diagnostic& note : own->notes()) ctx.say(note);
            addPatternRules(rules, "user-pattern", *own, ctx.options().is("tf32", "on"), true);
        }
        inEveryGraph(g, ctx, [&](Graph& body, PassContext& inner) { rules.run(body, inner); });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeFuseAttention() { return std::make_unique<FuseAttention>(); }

}  // namespace aliascope
