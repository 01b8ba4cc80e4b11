#include "core/passes/reinplace.h"

#include "core/passes/reinplace_candidates.h"
#include "core/passes/sub_graphs.h"
#include "core/passes/wrapper_lists.h"

namespace aliascope {
namespace {

class Reinplace final : public Pass {
public:
    std::string_view name() const override { return "reinplace"; }
    std::string_view help() const override { return "Lets operators write where their operands stand, where no one reads the old value"; }
    std::vector<PassOption> options() const override {
        return {{PassOption::Type::Enum,
                 "analysis",
                 {"reference", "extent"},
                 "reference",
                 "PyTorch's overlap rules, or the elements that are really written"}};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        const AnalysisMode mode = ctx.options().is("analysis", "extent") ? AnalysisMode::Extent : AnalysisMode::Reference;
        inEveryGraph(g, ctx, [&](Graph& body, PassContext& context) {
            if (mode == AnalysisMode::Extent) listsByElement(body, context);
            Reinplacer(body, context, mode).run();
        });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeReinplace() { return std::make_unique<Reinplace>(); }

}  // namespace aliascope
