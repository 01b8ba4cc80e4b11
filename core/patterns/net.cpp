#include "core/patterns/net.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace aliascope::patterns {
namespace {

/// Longest way that the net looks at; what lies behind is left to the match itself.
constexpr std::size_t kTokens = 64;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9ull; }
std::uint64_t callKey(Name op, bool family, std::size_t arity) { return mixed(mixed(op.hash(), family ? 2 : 1), arity); }

/// Numbers as doubles, so that 2 and 2.0 meet.
std::optional<std::uint64_t> numberKey(const Value& v) {
    const auto d = v.kind() == Value::Kind::Bool ? std::nullopt : v.asNumber();
    if (!d) return std::nullopt;
    return mixed(3, std::bit_cast<std::uint64_t>(*d == 0 ? 0.0 : *d));
}

/// Keys of the operand tree of the root, flattened; nothing where a matcher stands for several shapes, which is not looked into.
std::vector<std::optional<std::uint64_t>> keysOf(const Pattern& p) {
    std::vector<std::optional<std::uint64_t>> out;
    std::vector<std::uint32_t> pending = {static_cast<std::uint32_t>(p.outputs.front())};
    while (!pending.empty() && out.size() < kTokens) {
        const Matcher& m = p.matchers[pending.back()];
        pending.pop_back();
        if (m.kind == Matcher::Kind::Constant) {
            out.push_back(numberKey(m.constant));
        } else if (m.kind == Matcher::Kind::Call && !m.optional && !m.commute && m.ops.size() == 1) {
            out.push_back(callKey(m.ops.front().name, m.ops.front().family, m.args.size()));
            pending.insert(pending.end(), m.args.rbegin(), m.args.rend());
        } else {
            out.push_back(std::nullopt);
        }
    }
    return out;
}

}  // namespace

std::uint32_t Net::behind(std::uint32_t place, std::uint64_t key) {
    const auto next = static_cast<std::uint32_t>(places_.size());
    const auto [to, fresh] = places_[place].edges.insert(key);
    if (!fresh) return *to;
    *to = next;
    places_.emplace_back();
    return next;
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
    for (const auto& key : keysOf(p)) {
        at = key ? behind(at, *key) : behindAny(at);
        if (places_[at].sample == kNone) places_[at].sample = number;
    }
    places_[at].patterns.push_back(number);
    for (const Matcher& m : p.matchers)
        for (const OpMatch& op : m.ops) families_ |= op.family;
    for (const OpMatch& op : p.matchers[static_cast<std::size_t>(p.outputs.front())].ops)
        if (std::none_of(roots_.begin(), roots_.end(), [&](const OpMatch& o) { return o.name == op.name && o.family == op.family; }))
            roots_.push_back(op);
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
    if (at.edges.size() > 0) {
        if (const NodeId id = subject->asNode(); id && w.g[id].kind == NodeKind::CallFunction) {
            const Node& n = w.g[id];
            follow(w, at, callKey(n.op, false, n.args.size()), &n, pending, depth);
            if (families_) follow(w, at, callKey(packetOf(n.op), true, n.args.size()), &n, pending, depth);
        } else if (const auto number = numberKey(*subject)) {
            follow(w, at, *number, nullptr, pending, depth);
        }
    }
    pending.push_back(subject);
}

void Net::follow(Walk& w, const Place& at, std::uint64_t key, const Node* call, std::vector<const Value*>& pending, std::size_t depth) const {
    const std::uint32_t* to = at.edges.find(key);
    if (!to) return;
    const std::size_t before = pending.size();
    if (call)
        for (std::size_t i = call->args.size(); i-- > 0;) pending.push_back(&call->args[i]);
    walk(w, *to, pending, depth + (call ? 1 : 0));
    pending.resize(before);
}

}  // namespace aliascope::patterns
