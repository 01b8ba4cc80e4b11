// Destination forwarding (reinplace.md 9, L10): `copy_(x, p)` where p computes element by element from input x, or from what was written in place
// there. p writes into x itself.

#include "core/passes/reinplace_candidates.h"
#include "core/passes/reinplace_report.h"

namespace aliascope {
namespace {

/// `a op b` is `b op a`, bit for bit.
bool commutes(const Node& n) {
    static const Name add("aten::add.Tensor"), mul("aten::mul.Tensor");
    return (n.is(add) || n.is(mul)) && n.args.size() == 2 && n.kwargs.empty();
}

}  // namespace

/// The operator's result lies where the input does, or nobody but the write-back sees where it lies.
bool Reinplacer::fitsForwarding(NodeId id, NodeId input) const {
    const TensorType *from = index_.geometry(input), *to = index_.geometry(id);
    if (!to) to = g_[id].tensor();
    if (!from || !to || !from->strides || from->dtype != to->dtype || from->dtypeName != to->dtypeName || !(from->sizes == to->sizes)) return false;
    const auto& users = g_[id].users;
    const bool onlyWrittenBack = users.size() == 1 && users.front().uses == 1;
    return onlyWrittenBack || (index_.geometry(id) && to->strides && *from->strides == *to->strides);
}

Reinplacer::Forwarding Reinplacer::forwarding(NodeId id) const {
    static const Name copy("aten::copy");
    const Node& n = g_[id];
    if (n.kind != NodeKind::CallFunction || n.args.empty() || movedReaders_.contains(id)) return {};
    const OpDef* op = ctx_.ops().find(n.op);
    if (!op || !(op->is(Trait::Pointwise) || n.is(copy)) || !op->isPure()) return {};
    const OpDef* twin = ctx_.ops().inPlaceOf(*op);
    if (!twin) return {};
    for (const std::size_t operand : {std::size_t{0}, std::size_t{1}}) {
        if (operand == 1 && !commutes(n)) break;
        const NodeId value = n.arg(operand).asNode(), input = value ? standing(value) : NodeId();
        if (input && isInput(g_[input]) && index_.writeBack(input, id) && fitsForwarding(id, value)) return {twin->canonical, operand == 1};
    }
    return {};
}

void Reinplacer::visitForwarded(NodeId id, const Forwarding& how) {
    const NodeId input = g_[id].arg(how.swapped ? 1 : 0).asNode();
    // A value that is returned besides must not become the caller's own input, unless the program returns that.
    const StorageId storage = index_.alias().storageOf(id);
    if (!storage) return;
    for (const StorageUse& use : index_.uses(storage))
        if (use.user == g_.output() && !table_.knowsReturned()) return;
    Question q;
    q.node = id;
    q.value = Value::node(input);
    q.argument = "self";
    q.results.push_back({id});
    // An operand that is x itself is read where it is written, element by element; another view of x need not be.
    const auto reads = [&](const std::string& name, const Value& v) {
        v.forEachNode([&](NodeId read) {
            if (read != input) q.reads.push_back({name, read});
        });
    };
    for (std::size_t i = 0; i < g_[id].args.size(); ++i) reads("argument " + std::to_string(i), g_[id].args[i]);
    for (const auto& [key, value] : g_[id].kwargs) reads(key.str(), value);
    Answer answer = askMakingRoom(q, cloneBytes(q.value, false), false);
    withinBudget(answer);
    if (!answer.inPlace) return;  // it stays what it was: nothing is missed that PyTorch would do
    answer.rule = "reinplace 9 L10";
    answer.checks.push_back({"it computes each element of the input from that element", CheckStep::Answer::Ok, ""});
    ctx_.decide(makeDecision(g_, index_, {id, q.argument, q.argument, q.value, false, false, mode_}, answer, ctx_));
    Rewrite rewrite{"forward-destination", {ref(g_, id)}, {ref(g_, id)}};
    rewrite.theorem = "reinplace 9 L10";
    eraseWriteBackOf(input, id);
    table_.accept(input, id);
    if (how.swapped) {
        const Value first = g_[id].arg(0), second = g_[id].arg(1);
        g_.setArg(id, 0, second);
        g_.setArg(id, 1, first);
    }
    g_.setCall(id, spellOp(how.twin), how.twin);
    ctx_.rewrite(std::move(rewrite));
}

}  // namespace aliascope
