// Destination forwarding (reinplace.md 9, L10): `copy_(x, p)` where p computes element by element from input x. p writes into x itself.

#include "core/passes/reinplace_candidates.h"
#include "core/passes/reinplace_report.h"

namespace aliascope {

Name Reinplacer::forwardTwin(NodeId id) const {
    const Node& n = g_[id];
    if (n.kind != NodeKind::CallFunction || !n.arg(0).isNode() || !isInput(g_[n.arg(0).asNode()])) return {};
    const NodeId input = n.arg(0).asNode();
    if (!index_.writeBack(input, id)) return {};
    const OpDef* op = ctx_.ops().find(n.op);
    if (!op || !op->is(Trait::Pointwise) || !op->isPure()) return {};
    const OpDef* twin = ctx_.ops().inPlaceOf(*op);
    const TensorType *from = index_.geometry(input), *to = index_.geometry(id);
    const bool fits = from && to && from->dtype == to->dtype && from->dtypeName == to->dtypeName && from->strides && to->strides &&
                      from->sizes == to->sizes && *from->strides == *to->strides;
    return twin && fits ? twin->canonical : Name();
}

void Reinplacer::visitForwarded(NodeId id, Name twin) {
    const NodeId input = g_[id].arg(0).asNode();
    // A value that is returned besides must not become the caller's own input.
    const StorageId storage = index_.alias().storageOf(id);
    if (!storage) return;
    for (const StorageUse& use : index_.uses(storage))
        if (use.user == g_.output()) return;
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
    for (std::size_t i = 1; i < g_[id].args.size(); ++i) reads("argument " + std::to_string(i), g_[id].args[i]);
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
    g_.setCall(id, spellOp(twin), twin);
    ctx_.rewrite(std::move(rewrite));
}

}  // namespace aliascope
