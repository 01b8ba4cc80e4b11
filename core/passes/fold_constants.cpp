#include "core/passes/fold_constants.h"

#include "core/passes/clean_up.h"

namespace aliascope {
namespace {

void foldOnce(Graph& g, PassContext& ctx) {
    const UniformNodes uniform = foldUniformValues(g, ctx);
    removeArithmeticIdentities(g, ctx, uniform);
    reuseDtypeViews(g, ctx);
}

/// What goes frees what shared its buffer, so extended mode looks again; what is refused is told once, as it stands at the end.
void foldToTheEnd(Graph& g, PassContext& ctx) {
    constexpr int kMostRounds = 16;
    const std::size_t told = ctx.decisions.size();
    for (int round = 0; round < kMostRounds && !ctx.cancelled(); ++round) {
        ctx.decisions.resize(told);
        const std::size_t before = ctx.rewrites.size();
        foldOnce(g, ctx);
        if (ctx.rewrites.size() == before) return;
    }
}

class FoldConstants final : public Pass {
public:
    std::string_view name() const override { return "fold-constants"; }
    std::string_view help() const override { return "Replaces tensors of one value by full, and removes x + 0, x * 1 and repeated dtype views"; }
    std::vector<PassOption> options() const override {
        return {modeOption("extended: erases what is no longer used"), fpOption("strict keeps x * 0 and x + 0 of floats")};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        return onFunctionalGraphs(g, ctx, name(), isExtended(ctx) ? foldToTheEnd : foldOnce);
    }
};

}  // namespace

std::unique_ptr<Pass> makeFoldConstants() { return std::make_unique<FoldConstants>(); }

}  // namespace aliascope
