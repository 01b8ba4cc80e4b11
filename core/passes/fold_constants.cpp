#include "core/passes/fold_constants.h"

#include "core/passes/clean_up.h"

namespace aliascope {
namespace {

class FoldConstants final : public Pass {
public:
    std::string_view name() const override { return "fold-constants"; }
    std::string_view help() const override { return "Replaces tensors of one value by full, and removes x + 0, x * 1 and repeated dtype views"; }
    std::vector<PassOption> options() const override {
        return {modeOption("extended: erases what is no longer used"), fpOption("strict keeps x * 0 and x + 0 of floats")};
    }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        return onFunctionalGraphs(g, ctx, name(), [](Graph& body, PassContext& inner) {
            const UniformNodes uniform = foldUniformValues(body, inner);
            removeArithmeticIdentities(body, inner, uniform);
            reuseDtypeViews(body, inner);
        });
    }
};

}  // namespace

std::unique_ptr<Pass> makeFoldConstants() { return std::make_unique<FoldConstants>(); }

}  // namespace aliascope
