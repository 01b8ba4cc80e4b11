#include "core/patterns/net.h"

#include <algorithm>

namespace aliascope::patterns {
namespace {

/// Longest way that the net looks at; what lies behind is left to the match itself.
constexpr std::size_t kTokens = 64;

struct NetToken {
    bool any = true;
    OpMatch op;
    std::size_t arity = 0;
};

/// The operand tree of the root, flattened. A matcher that stands for several shapes is not looked into.
std::vector<NetToken> tokensOf(const Pattern& p) {
    std::vector<NetToken> out;
    std::vector<std::uint32_t> pending = {static_cast<std::uint32_t>(p.outputs.front())};
    while (!pending.empty() && out.size() < kTokens) {
        const Matcher& m = p.matchers[pending.back()];
        pending.pop_back();
        // Operands that a call may spell as keywords leave its arity open.
        if (m.kind != Matcher::Kind::Call || m.optional || m.commute || m.ops.size() != 1) {
            out.push_back({});
            continue;
        }
        out.push_back({false, m.ops.front(), m.args.size()});
        pending.insert(pending.end(), m.args.rbegin(), m.args.rend());
    }
    return out;
}

}  // namespace

std::uint32_t Net::behind(std::uint32_t place, const OpMatch& op, std::size_t arity) {
    for (const Edge& e : places_[place].edges)
        if (e.op.name == op.name && e.op.family == op.family && e.arity == arity) return e.to;
    const auto to = static_cast<std::uint32_t>(places_.size());
    places_[place].edges.push_back({op, static_cast<std::uint32_t>(arity), to});
    places_.emplace_back();
    return to;
}

std::uint32_t Net::behindAny(std::uint32_t place) {
    if (places_[place].any) return places_[place].any;
    const auto to = static_cast<std::uint32_t>(places_.size());
    places_[place].any = to;
    places_.emplace_back();
    return to;
}

void Net::insert(const Pattern& p, std::uint32_t number) {
    std::uint32_t at = 0;
    for (const NetToken& token : tokensOf(p)) {
        at = token.any ? behindAny(at) : behind(at, token.op, token.arity);
        if (places_[at].sample == kNone) places_[at].sample = number;
    }
    places_[at].patterns.push_back(number);
    for (const OpMatch& op : p.matchers[static_cast<std::size_t>(p.outputs.front())].ops)
        if (std::none_of(roots_.begin(), roots_.end(), [&](const OpMatch& o) { return o.name == op.name && o.family == op.family; })) roots_.push_back(op);
}

struct Net::Walk {
    const Graph& g;
    Found found;
};

Net::Found Net::find(const Graph& g, NodeId root) const {
    Walk w{g, {}};
    const Value start = Value::node(root);
    std::vector<const Value*> pending = {&start};
    walk(w, 0, pending, 0);
    std::sort(w.found.numbers.begin(), w.found.numbers.end());
    return w.found;
}

// Depth is bounded by kTokens, and every place is visited at most once.
void Net::walk(Walk& w, std::uint32_t place, std::vector<const Value*>& pending, std::size_t depth) const {
    const Place& at = places_[place];
    w.found.numbers.insert(w.found.numbers.end(), at.patterns.begin(), at.patterns.end());
    if (depth > w.found.depth) {
        w.found.depth = depth;
        w.found.nearest = at.sample;
    }
    if (pending.empty()) return;
    const Value* subject = pending.back();
    pending.pop_back();
    if (at.any) walk(w, at.any, pending, depth);
    if (const NodeId id = subject->asNode(); id && w.g[id].kind == NodeKind::CallFunction) {
        const Node& n = w.g[id];
        for (const Edge& e : at.edges) {
            if (e.arity != n.args.size() || !e.op.fits(n.op)) continue;
            for (std::size_t i = n.args.size(); i-- > 0;) pending.push_back(&n.args[i]);
            walk(w, e.to, pending, depth + 1);
            pending.resize(pending.size() - n.args.size());
        }
    }
    pending.push_back(subject);
}

}  // namespace aliascope::patterns
