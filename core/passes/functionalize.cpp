#include "core/passes/functionalize.h"

#include "core/passes/functionalize_state.h"

namespace aliascope {
namespace {

using functionalization::Form;
using functionalization::Functionalizer;

/// Namespaces of calls that have no schema by nature (schemas.md 5.4).
bool needsNoSchema(std::string_view op) {
    for (std::string_view ns : {"operator::", "hop::", "math::", "torch::", "python::", "builtin::", "method::", "module::"})
        if (op.starts_with(ns)) return true;
    return op.find("::") == std::string_view::npos;
}

void reportUnknownOperators(const Graph& g, PassContext& ctx, std::unordered_set<Name>& said) {
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.kind != NodeKind::CallFunction || needsNoSchema(n.op.view()) || ctx.ops().find(n.op) || !said.insert(n.op).second) continue;
        Diagnostic d = warning("NO_SCHEMA", {{"op", n.op.str()}, {"node", n.name.str()}});
        d.node = n.name;
        ctx.say(std::move(d));
    }
    for (const Graph::SubGraph& s : g.subGraphs()) reportUnknownOperators(*s.graph, ctx, said);
}

class Functionalize : public Pass {
public:
    std::string_view name() const override { return "functionalize"; }
    std::string_view help() const override {
        return "Replace writes by new values: in-place operators, custom operators and kernel launches become functional";
    }
    std::vector<PassOption> options() const override {
        return {{PassOption::Type::Enum,
                 "custom-ops",
                 {"v1", "v2", "auto"},
                 "auto",
                 "form of wrapped custom operators; v1 and v2 give PyTorch's graphs, defects included"}};
    }

    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        std::unordered_set<Name> said;
        reportUnknownOperators(g, ctx, said);
        if (!functionalization::needsWork(ctx.ops(), g)) return Outcome::Done;
        const std::string& form = ctx.options().get("custom-ops");
        Functionalizer functionalizer(g, ctx, form == "v1" ? Form::V1 : form == "v2" ? Form::V2 : Form::Auto);
        if (Status s = functionalizer.run(); !s) return fail(s.error());
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeFunctionalize() { return std::make_unique<Functionalize>(); }

}  // namespace aliascope
