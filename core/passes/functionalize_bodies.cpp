// Bodies of higher-order operators. A body is functionalized like a graph of its own; what it writes of its inputs becomes results that are appended
// to its own, and the call writes them to its operands (functionalize.md 3.1, "outside").

#include <algorithm>

#include "core/ops/higher_order.h"
#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

bool outputIsTuple(const Graph& body) { return body.output() && body[body.output()].arg(0).isSequence(); }

/// Calls of Python's torch functions, methods and modules: whether their result may share memory with an operand. Custom operators may not, by
/// contract.
bool mayReturnOperand(const OpRegistry& ops, const Node& n) {
    if (n.kind == NodeKind::CallModule) return true;
    const std::string_view op = n.op.view();
    const bool python = n.kind == NodeKind::CallMethod || op.starts_with("python::") || op.starts_with("torch::");
    if (!python) return false;
    const std::string_view target = n.target.view();
    const std::vector<const OpDef*> overloads = ops.overloads(Name("aten::" + std::string(target.substr(target.rfind('.') + 1))));
    return overloads.empty() || std::any_of(overloads.begin(), overloads.end(),
                                            [](const OpDef* d) { return d->isView() || d->is(Trait::AliasIfLayout) || d->schema.isInPlace(); });
}

}  // namespace

bool graphWrites(const OpRegistry& ops, const Graph& g) {
    const std::unordered_set<NodeId> copies = epilogueCopies(ops, g);
    for (NodeId id : inOrder(g)) {
        if (copies.contains(id)) continue;
        if (needsFunctionalizing(ops, g, id)) return true;
        if (bodyOf(g, g[id]) && !writtenOperands(ops, g, id).empty()) return true;
    }
    return false;
}

bool needsWork(const OpRegistry& ops, const Graph& g) {
    if (graphWrites(ops, g)) return true;
    const auto& bodies = g.subGraphs();
    return std::any_of(bodies.begin(), bodies.end(), [&](const Graph::SubGraph& s) { return needsWork(ops, *s.graph); });
}

Status Functionalizer::otherCall(NodeId id) {
    bool done = false;
    Status s = bodies(id, done);
    if (!s || done) return s;
    noteUnknownAliases(id);
    syncOperands(id);
    return {};
}

void Functionalizer::noteUnknownAliases(NodeId id) {
    if (!g_[id].tensor() || !mayReturnOperand(ops_, g_[id])) return;
    bool any = false;
    for (NodeId operand : g_.operands(id)) {
        if (!g_[operand].tensor()) continue;
        handleOf(operand)->storage->unknownViews.push_back(id);
        any = true;
    }
    if (any) handleOf(id)->storage->unknownMaker = id;
}

Status Functionalizer::checkKnownAliases(const Storage& storage) {
    NodeId view = storage.unknownMaker;
    for (NodeId id : storage.unknownViews)
        for (const Node::User& user : g_[id].users)
            if (g_.before(origin_, user.id)) view = id;
    if (!view) return {};
    return failAt(origin_, "WRITE_WITHOUT_WRITE_BACK",
                  {{"node", nameOf(origin_)},
                   {"arg", nameOf(storage.root)},
                   {"why", "the result of " + nameOf(view) + ", which is no ATen operator, may be the same memory as its operand"}});
}

Status Functionalizer::bodies(NodeId id, bool& done) {
    std::vector<Name> attributes;
    std::vector<Value> stated = g_[id].args;
    for (const auto& [key, v] : g_[id].kwargs) stated.push_back(v);
    for (const Value& v : stated)
        v.forEachNode([&](NodeId used) {
            if (g_[used].kind == NodeKind::GetAttr && g_.subGraph(g_[used].target)) attributes.push_back(g_[used].target);
        });
    if (attributes.empty()) return {};

    // A body that several calls name is rewritten once.
    std::set<std::size_t> written;
    for (Name attribute : attributes) {
        auto body = bodyWrites_.find(attribute);
        if (body == bodyWrites_.end()) {
            auto writes = functionalizeBody(id, attribute);
            if (!writes) return fail(writes.error());
            body = bodyWrites_.emplace(attribute, std::move(*writes)).first;
        }
        if (body->second.refused) return {};
        written.insert(body->second.placeholders.begin(), body->second.placeholders.end());
    }
    if (written.empty()) return {};
    done = true;

    const auto call = bodyOf(g_, g_[id]);
    std::vector<std::pair<Handle*, std::size_t>> operands;  // of written placeholders
    for (std::size_t p : written) operands.emplace_back(handleOf(call->operands[p].asNode()), p);
    for (const auto& [h, p] : operands) {
        if (Status s = checkWrite(h, false); !s) return s;
        for (std::size_t q = 0; q < call->operands.size(); ++q) {
            const Handle* other = q == p || !call->operands[q].isNode() ? nullptr : knownHandle(call->operands[q].asNode());
            if (other && overlap(h, other) != Overlap::Disjoint)
                return failAt(
                    id, "WRITE_WITHOUT_WRITE_BACK",
                    {{"node", nameOf(id)}, {"arg", nameOf(h)}, {"why", "operand " + nameOf(other) + " shares memory with it inside the body"}});
        }
    }
    for (Name attribute : attributes) {
        const Graph& body = *g_.subGraph(attribute);
        const bool fits = body.output() && body[body.output()].arg(0).isSequence() && *written.rbegin() < body.placeholders().size();
        if (!fits)
            return failAt(id, "WRITE_WITHOUT_WRITE_BACK",
                          {{"node", nameOf(id)},
                           {"arg", attribute.str()},
                           {"why", "the body takes fewer inputs than the one that writes, or does not return a tuple"}});
    }
    // Every branch returns every written input, changed or not.
    std::size_t results = 0;
    for (Name attribute : attributes) {
        BodyEffect& effect = bodyWrites_.at(attribute);
        Graph& body = *g_.subGraph(attribute);
        const NodeId output = body.output();
        std::vector<Value> items = body[output].arg(0).items();
        if (effect.placeholders.size() != written.size()) {
            if (effect.shared)
                return failAt(id, "WRITE_WITHOUT_WRITE_BACK",
                              {{"node", nameOf(id)}, {"arg", attribute.str()}, {"why", "the body is shared by calls that write differently"}});
            const std::vector<NodeId> inputs = body.placeholders();
            std::vector<Value> complete(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(effect.results));
            auto own = items.begin() + static_cast<std::ptrdiff_t>(effect.results);
            for (std::size_t p : written) {
                if (effect.placeholders.contains(p)) {
                    complete.push_back(*own++);
                    continue;
                }
                Node clone;
                clone.op = "aten::clone"_n;
                clone.target = spellOp(clone.op);
                clone.name = "clone"_n;
                clone.args = {Value::node(inputs[p])};
                const NodeId copied = body.insertBefore(output, std::move(clone));
                setInferredType(ops_, body, copied);
                complete.push_back(Value::node(copied));
            }
            body.setArgs(output, {Value::container(body[output].arg(0).kind(), std::move(complete))});
            effect.placeholders = written;
        }
        effect.shared = true;
        results = effect.results;
    }
    const NodeRef before = ref(g_, id);
    syncOperands(id);
    g_.setType(id, nullptr, Trust::Unknown);
    if (const Inferred t = inferNode(ops_, g_, id); t.type) g_.setType(id, t.type, t.trust);
    at_ = g_[id].next;
    std::vector<NodeRef> made{before};
    std::vector<NodeId> values;
    for (std::size_t j = 0; j < operands.size(); ++j) {
        const Handle* h = operands[j].first;
        values.push_back(emitItem(id, Value::integer(static_cast<std::int64_t>(results + j)), h->geometry ? Type::tensor(*h->geometry) : nullptr));
        made.push_back(ref(g_, values.back()));
    }
    rewrite("functionalize-body", {before}, std::move(made));
    for (std::size_t j = 0; j < operands.size(); ++j)
        if (Status s = write(operands[j].first, values[j]); !s) return s;
    return {};
}

Result<Functionalizer::BodyEffect> Functionalizer::functionalizeBody(NodeId id, Name attribute) {
    BodyEffect effect;
    Graph& body = *g_.subGraph(attribute);
    if (!needsWork(ops_, body)) {
        if (outputIsTuple(body)) effect.results = body[body.output()].arg(0).items().size();
        return effect;
    }
    if (outputIsTuple(body)) effect.results = body[body.output()].arg(0).items().size();
    Graph changed = body.clone();
    std::vector<BodyWrite> writes;
    PassContext innerCtx(ops_, ctx_.options(), ctx_.cancel());
    Functionalizer inner(changed, innerCtx, form_, &writes);  // as a whole: half a body has no form
    Status ran = inner.run();
    const auto inside = [&](Name node) { return node ? Name(attribute.str() + "." + node.str()) : Name(); };
    for (Diagnostic& d : innerCtx.diagnostics) {
        d.node = inside(d.node);
        ctx_.say(std::move(d));
    }
    if (!ran) {
        ran.error().node = inside(ran.error().node);
        return fail(ran.error());
    }
    if (!writes.empty()) {
        const auto call = bodyOf(g_, g_[id]);
        const bool matched =
            call && returnsBodyResults(g_[id].op) && !call->operands.empty() && std::all_of(writes.begin(), writes.end(), [&](const BodyWrite& w) {
                return w.placeholder < call->operands.size() && call->operands[w.placeholder].isNode();
            });
        if (!matched) {
            Diagnostic d = warning("WRITE_WITHOUT_WRITE_BACK",
                                   {{"node", nameOf(id)},
                                    {"arg", attribute.str()},
                                    {"why", "the body writes its inputs, and " + g_[id].op.str() + " cannot return new values of them"}});
            d.node = Name(nameOf(id));
            ctx_.say(std::move(d));
            effect.refused = true;
            return effect;
        }
    }
    for (const BodyWrite& w : writes) effect.placeholders.insert(w.placeholder);
    // Ids of a body mean nothing outside of it: decisions name its nodes by their path, and its rewrites are left out.
    for (Decision& d : innerCtx.decisions) {
        d.node = d.origin = {NodeId(), inside(d.node.name)};
        ctx_.decide(std::move(d));
    }
    body = std::move(changed);
    return effect;
}

}  // namespace aliascope::functionalization
