#include "core/exec/plan.h"

#include <algorithm>

#include "core/exec/symbolic.h"
#include "core/ops/infer.h"

namespace aliascope::exec {
namespace {

bool isForeach(Name op) { return op.view().starts_with("aten::_foreach_"); }

/// Contents are undefined by definition.
bool isUninitialised(std::string_view op) {
    for (const std::string_view name : {"aten::empty", "aten::new_empty"})
        if (op.starts_with(name)) return op.find("quantized") == std::string_view::npos && op.find(".out") == std::string_view::npos;
    return false;
}

bool isHostRead(Name op) {
    static const Name scalar("aten::_local_scalar_dense"), item("aten::item");
    return op == scalar || op == item;
}

/// `aten::t_` -> `aten::t`.
const OpDef* viewBehind(const OpRegistry& ops, const OpDef& handle) {
    std::string name(handle.canonical.view());
    const auto dot = name.find('.');
    const auto end = dot == std::string::npos ? name.size() : dot;
    if (end == 0 || name[end - 1] != '_') return nullptr;
    name.erase(end - 1, 1);
    const OpDef* found = ops.find(Name(name));
    return found ? found : ops.find(Name(name + ".int"));
}

}  // namespace

const OpPlan& OpPlans::of(const OpDef& op) {
    auto it = plans_.find(&op);
    if (it == plans_.end()) it = plans_.emplace(&op, make(op)).first;
    return it->second;
}

OpPlan OpPlans::make(const OpDef& op) const {
    OpPlan plan;
    plan.op = &op;
    plan.kernel = backend_.kernel(op.canonical);
    plan.bodies = bodies_ ? bodies_->find(op.canonical) : nullptr;
    plan.written = op.schema.writtenParams();
    if (op.is(Trait::HandleOnly)) {
        plan.functional = viewBehind(ops_, op);
        plan.means = plan.functional ? Means::Handle : Means::Unknown;
    } else if (isHostRead(op.canonical)) {
        plan.means = Means::HostRead;
    } else if (!op.schema.isMutable() && (op.isView() || op.is(Trait::AliasIfLayout))) {
        plan.means = Means::View;
    } else if (op.canonical == "aliascope::graph_output"_n) {
        plan.means = Means::Nothing;
    } else if (plan.bodies) {
        plan.means = Means::Body;
    } else if (isForeach(op.canonical)) {
        plan.means = Means::Foreach;
    } else if (op.schema.isMutable()) {
        static const Name copy("aten::copy_");  // run without kernel
        plan.functional = ops_.functionalOf(op);
        if (plan.functional) plan.functionalKernel = backend_.kernel(plan.functional->canonical);
        plan.means = plan.kernel || plan.functional || op.canonical == copy ? Means::InPlace : Means::Unknown;
    } else if (isUninitialised(op.canonical.view())) {
        plan.means = Means::Uninitialised;
    } else if (plan.kernel) {
        plan.means = Means::Kernel;
    } else if (op.is(Trait::FreshCopy)) {
        plan.means = Means::ViewCopy;
    }
    return plan;
}

GraphPlan::GraphPlan(const Graph& g, OpPlans& ops) : nodes_(g.idBound()) {
    for (const NodeId id : inOrder(g))
        if (g[id].isCall()) planCall(g, id, ops);
    findLastUses(g);
    findItems(g);
    findSymbols(g);
}

void GraphPlan::planCall(const Graph& g, NodeId id, OpPlans& ops) {
    const Node& n = g[id];
    NodePlan& plan = nodes_[id.value];
    if (n.type && n.trust <= Trust::Sibling && n.type->asTensor()) plan.stated = {n.type};
    if (n.kind != NodeKind::CallFunction) return;
    if (isSymbolic(n.op)) {
        plan.means = Means::Symbolic;
        return;
    }
    if (n.op.view().starts_with("hop::")) {
        plan.means = Means::HigherOrder;
        return;
    }
    const OpDef* def = ops.registry().find(n.op);
    if (!def) def = resolveOverload(ops.registry(), g, n);
    if (!def) return;
    auto call = bindCall(*def, n.args, n.kwargs);
    plan.op = &ops.of(*def);
    plan.means = plan.op->means;
    if (call)
        plan.values = std::move(call->values);
    else
        plan.misfit = std::move(call.error());
}

void GraphPlan::findLastUses(const Graph& g) {
    std::vector<bool> seen(g.idBound(), false);
    for (NodeId id = g.last(); id; id = g[id].prev) {
        NodePlan& plan = nodes_[id.value];
        plan.unused = !g.hasUsers(id);
        if (g[id].kind == NodeKind::Output) {
            for (const NodeId operand : g.operands(id)) seen[operand.value] = true;
            continue;
        }
        for (const NodeId operand : g.operands(id)) {
            if (seen[operand.value]) continue;
            seen[operand.value] = true;
            plan.dies.push_back(operand);
        }
    }
}

void GraphPlan::findItems(const Graph& g) {
    static const Name getitem("operator::getitem");
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (!n.isCall() || n.users.empty()) continue;
        NodePlan& plan = nodes_[id.value];
        if (!plan.stated.empty()) continue;
        std::vector<std::pair<std::int64_t, NodeId>> takers;
        plan.onlyItems = std::all_of(n.users.begin(), n.users.end(), [&](const Node::User& u) {
            const Node& user = g[u.id];
            const auto index = user.arg(1).asInt();
            if (!user.is(getitem) || user.arg(0).asNode() != id || !index || *index < 0) return false;
            takers.emplace_back(*index, u.id);
            return true;
        });
        std::stable_sort(takers.begin(), takers.end(),
                         [&](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : g.before(a.second, b.second); });
        constexpr std::int64_t mostStated = 4096;
        for (std::size_t i = 0; i < takers.size(); ++i) {
            const auto& [index, taker] = takers[i];
            const Node& item = g[taker];
            if (index < mostStated && item.type && item.trust <= Trust::Sibling) {
                if (plan.stated.size() <= static_cast<std::size_t>(index)) plan.stated.resize(static_cast<std::size_t>(index) + 1);
                plan.stated[static_cast<std::size_t>(index)] = item.type;
            }
            if (!plan.onlyItems) continue;
            if (plan.taken.empty() || plan.taken.back() != index) plan.taken.push_back(index);
            nodes_[taker.value].lastOfItem = i + 1 == takers.size() || takers[i + 1].first != index;
        }
    }
}

void GraphPlan::findSymbols(const Graph& g) {
    std::size_t at = 0;
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.kind != NodeKind::Placeholder) continue;
        const auto plain = [](const SymInt& s) -> Name {
            if (s.isConst() || s.isOpaque()) return {};
            const auto symbols = s.symbols();
            return symbols.size() == 1 && s == SymInt::symbol(symbols[0]) ? symbols[0] : Name();
        };
        if (const SymInt* s = n.type ? n.type->asSym() : nullptr) {
            if (const Name symbol = plain(*s)) symbols_.push_back({symbol, at, -1});
        } else if (const TensorType* t = n.tensor()) {
            for (std::size_t d = 0; d < t->sizes.size(); ++d)
                if (const Name symbol = plain(t->sizes[d])) symbols_.push_back({symbol, at, static_cast<int>(d)});
        } else if (g.symbols.contains(n.target)) {
            symbols_.push_back({n.target, at, -1});
        }
        ++at;
    }
}

}  // namespace aliascope::exec
