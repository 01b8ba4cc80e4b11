#include "core/passes/views_to_reshape.h"

#include "core/passes/clean_up.h"

namespace aliascope {
namespace {

void renameViews(Graph& g, PassContext& ctx) {
    static const Name view("aten::view"), reshape("aten::reshape");
    static const Name spelled = spellOp(reshape);
    for (NodeId id : inOrder(g)) {
        if (!g[id].is(view)) continue;
        if (!ctx.mayRewrite()) return;
        g.setCall(id, spelled, reshape);
        ctx.rewrite({"view-to-reshape", {ref(g, id)}, {ref(g, id)}});
    }
}

class ViewsToReshape final : public Pass {
public:
    std::string_view name() const override { return "views-to-reshape"; }
    std::string_view help() const override { return "Renames views to reshapes, which stay legal when layouts change"; }
    std::vector<PassOption> options() const override { return {modeOption("both modes do the same")}; }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override { return onFunctionalGraphs(g, ctx, name(), renameViews); }
};

}  // namespace

std::unique_ptr<Pass> makeViewsToReshape() { return std::make_unique<ViewsToReshape>(); }

}  // namespace aliascope
