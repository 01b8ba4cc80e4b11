// Online softmax (canonicalize.md 5.8): maximum and sum in one sweep over the operand. It stands this late because earlier it costs memory.

#include "core/passes/clean_up.h"
#include "core/passes/post_grad_patterns.h"

namespace aliascope {
namespace {

/// One dim in a list, and keepdim: what a softmax reduces over.
bool reducesOneDim(const Node& n, Name op) {
    return n.is(op) && n.args.size() == 3 && n.kwargs.empty() && n.args[0].isNode() && n.args[1].isSequence() && n.args[1].items().size() == 1 &&
           n.args[1].items()[0].isInt() && n.args[2].asBool() == true;
}

struct Softmax {
    NodeId maximum, distance, exponential, sum;
};

std::optional<Softmax> matchSoftmax(const RuleContext& c, NodeId root) {
    static const Name amax("aten::amax"), sub("aten::sub.Tensor"), exp("aten::exp"), sum("aten::sum.dim_IntList");
    if (!reducesOneDim(c.g[root], amax)) return std::nullopt;
    const Value x = c.g[root].arg(0), dims = c.g[root].arg(1);
    for (const Node::User& below : c.g[root].users) {
        const Node& distance = c.g[below.id];
        if (!distance.is(sub) || distance.args.size() != 2 || !distance.kwargs.empty() || !(distance.args[0] == x) ||
            distance.args[1].asNode() != root)
            continue;
        for (const Node::User& user : distance.users) {
            if (!c.g[user.id].is(exp)) continue;
            for (const Node::User& last : c.g[user.id].users)
                if (reducesOneDim(c.g[last.id], sum) && c.g[last.id].arg(1).items() == dims.items()) return Softmax{root, below.id, user.id, last.id};
        }
    }
    return std::nullopt;
}

bool sweepOnce(RuleContext& c, NodeId root) {
    static const Name prepare("prims::prepare_softmax_online"), getitem("operator::getitem"), sub("aten::sub.Tensor"), exp("aten::exp");
    const auto m = matchSoftmax(c, root);
    if (!m) return false;
    const Value x = c.g[root].arg(0);
    const TensorType* t = c.tensor(x.asNode());
    if (!t || !t->device.view().starts_with("cuda")) return false;
    const std::vector<NodeId> matched{m->sum, m->exponential, m->distance, m->maximum};
    if (!c.oneRegion(matched)) return false;
    NewNodes make(c.g, c.ops(), root);
    const NodeId pair = make.call(prepare, {x, c.g[root].arg(1).items()[0]});
    const auto part = [&](std::int64_t i, NodeId like) {
        const NodeId id = make.call(getitem, {Value::node(pair), Value::integer(i)});
        c.g.setType(id, c.g[like].type, c.g[like].trust);
        return id;
    };
    const NodeId maximum = part(0, m->maximum), sum = part(1, m->sum);
    const NodeId distance = make.call(sub, {x, Value::node(maximum)});
    const NodeId exponential = make.call(exp, {Value::node(distance)});
    c.g.setType(distance, c.g[m->distance].type, c.g[m->distance].trust);
    c.g.setType(exponential, c.g[m->exponential].type, c.g[m->exponential].trust);
    c.replaceAll({{m->sum, sum}, {m->exponential, exponential}, {m->distance, distance}, {m->maximum, maximum}}, matched,
                 {pair, maximum, sum, distance, exponential});
    if (c.extended) eraseDeadChain(c.ops(), c.g, exponential);
    return true;
}

}  // namespace

void addOnlineSoftmax(RuleSet& set) { set.add("online-softmax", {"aten::amax"_n}, sweepOnce); }

}  // namespace aliascope
