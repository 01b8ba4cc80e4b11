#include "core/passes/functionalize.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/passes/functionalize_state.h"
#include "core/passes/layouts.h"
#include "core/passes/reinplace_scatter.h"

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

/// Some value has a dimension of one element whose stride is not the one that a new value of these sizes gets.
bool hasOddUnitStrides(const Graph& g) {
    for (NodeId id : inOrder(g)) {
        const TensorType* t = g[id].tensor();
        if (!t || !t->strides || t->strides->size() != t->rank()) continue;
        SymInt dense = 1;
        for (std::size_t d = t->rank(); d-- > 0; dense = dense * t->sizes[d])
            if (t->sizes[d] == SymInt(1) && !((*t->strides)[d] == dense)) return true;
    }
    return false;
}

/// The strides of `id` as its text states them; null where inference would not have said so, and its word counts for nothing here.
const TensorType* statedLayout(const OpRegistry& ops, const Graph& source, NodeId id) {
    if (!source.contains(id)) return nullptr;
    const TensorType* stated = source[id].tensor();
    if (!stated || !stated->strides) return nullptr;
    const Inferred own = inferNode(ops, source, id);
    return own.type && own.type->asTensor() && sameStrides(*stated, *own.type->asTensor()) ? stated : nullptr;
}

/// Infers anew whatever is computed from `written`, as PyTorch does when it traces. Returns the values that lie otherwise than `source` states.
std::vector<NodeId> layOut(const OpRegistry& ops, const Graph& source, Graph& g, const std::vector<NodeId>& written) {
    std::unordered_set<NodeId> reached(written.begin(), written.end());
    std::vector<NodeId> moved;
    for (NodeId id : inOrder(g)) {
        const std::vector<NodeId> operands = g.operands(id);
        const bool reads = std::any_of(operands.begin(), operands.end(), [&](NodeId operand) { return reached.contains(operand); });
        if (!reads || g[id].kind != NodeKind::CallFunction) continue;
        reached.insert(id);
        const Inferred now = inferNode(ops, g, id);
        if (!now.type || now.trust != Trust::Inferred) continue;
        g.setType(id, now.type, now.trust);
        const TensorType* own = now.type->asTensor();
        if (!own || !own->strides) continue;
        if (const TensorType* stated = statedLayout(ops, source, id); stated && !sameStrides(*stated, *own)) moved.push_back(id);
    }
    return moved;
}

/// Other strides than those of dimensions of one element, of the value or of a part of it.
bool liesOtherwise(const TypePtr& a, const TypePtr& b) {
    if (!a || !b) return false;
    if (const auto* x = a->asTensor(), *y = b->asTensor(); x && y) return x->strides && y->strides && !sameStrides(*x, *y);
    const auto *x = a->asTuple(), *y = b->asTuple();
    for (std::size_t i = 0; x && y && i < std::min(x->size(), y->size()); ++i)
        if (liesOtherwise((*x)[i], (*y)[i])) return true;
    return false;
}

/// A functional graph, made of `source`, as it lies when the new values `written` lie otherwise than the program's own.
struct Laid {
    Laid(const OpRegistry& ops, const Graph& source, const Graph& functional, const std::vector<NodeId>& written) : graph(functional.clone()) {
        const std::vector<NodeId> moved = layOut(ops, source, graph, written);
        NodeId user;
        for (std::size_t i = 0; i < written.size() && !user; ++i) user = unfitView(graph, written[i], {});
        if (!user && !written.empty()) user = misplacedUser(ops, graph, written.front(), moved);
        if (!user) return;
        const NodeId viewed = graph[user].arg(0).asNode();
        const bool known = viewed && source.contains(viewed) && source[viewed].tensor() && graph[viewed].tensor();
        const NodeId at = known ? viewed : written.front();
        stale = staleLayout(graph, user, *(known ? source : functional)[at].tensor(), *graph[at].tensor());
    }

    /// Takes over the types of what lies otherwise, where the source's text says what inference says.
    void giveTo(const OpRegistry& ops, const Graph& source, Graph& functional) const {
        for (NodeId id : inOrder(functional)) {
            if (!liesOtherwise(functional[id].type, graph[id].type)) continue;
            if (source.contains(id) && source[id].tensor() && !statedLayout(ops, source, id)) continue;
            functional.setType(id, graph[id].type, graph[id].trust);
        }
    }

    Graph graph;
    std::optional<Diagnostic> stale;  ///< LAYOUT_STALE of the first call that finds other elements, or none
};

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
        const Form kind = form == "v1" ? Form::V1 : form == "v2" ? Form::V2 : Form::Auto;
        const bool odd = hasOddUnitStrides(g);
        Graph source;
        if (odd) source = g.clone();
        Functionalizer functionalizer(g, ctx, kind);
        if (odd && kind == Form::Auto && layoutsMatter(g, ctx)) functionalizer.keepUnitStrides();
        if (Status s = functionalizer.run(); !s) return fail(s.error());
        const std::vector<NodeId>& written = functionalizer.laidOtherwise();
        if (written.empty()) return Outcome::Done;
        const Laid laid(ctx.ops(), source, g, written);
        if (kind != Form::Auto && laid.stale) ctx.say(*laid.stale);
        laid.giveTo(ctx.ops(), source, g);
        return Outcome::Done;
    }

private:
    /// Tried on a copy: something that is computed from a new value does not lie as the program goes on to use it.
    static bool layoutsMatter(const Graph& g, const PassContext& ctx) {
        Graph trial = g.clone();
        PassContext silent(ctx.ops(), ctx.options(), ctx.cancel());
        silent.forms = ctx.forms;
        Functionalizer functionalizer(trial, silent, Form::Auto);
        return functionalizer.run() && !functionalizer.laidOtherwise().empty() && Laid(ctx.ops(), g, trial, functionalizer.laidOtherwise()).stale;
    }
};

}  // namespace

std::unique_ptr<Pass> makeFunctionalize() { return std::make_unique<Functionalize>(); }

}  // namespace aliascope
