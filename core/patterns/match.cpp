#include "core/patterns/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/patterns/evaluate.h"

namespace aliascope::patterns {
namespace {

constexpr std::size_t kAnchors = 256;

std::string shown(const Graph& g, const Value& v) {
    if (v.isNode()) return g[v.asNode()].name.str();
    if (v.kind() == Value::Kind::Bool) return *v.asBool() ? "True" : "False";
    if (v.isInt()) return std::to_string(*v.asInt());
    if (const auto d = v.asNumber()) return pythonFloat(*d);
    if (v.kind() == Value::Kind::Sym) return v.asSym().str();
    if (v.isSequence()) {
        std::string out;
        for (const Value& item : v.items()) out += (out.empty() ? "[" : ", ") + shown(g, item);
        return out.empty() ? "[]" : out + "]";
    }
    return v.isNone() ? "None" : v.name().str();
}

/// The value of a size that stands in the graph as a node.
Value resolved(const Graph& g, const Value& v) {
    if (v.isNode())
        if (const TypePtr& t = g[v.asNode()].type; t && t->asSym()) return Value::sym(*t->asSym());
    return v;
}

bool equalConstants(const Graph& g, const Value& want, const Value& raw) {
    const Value got = resolved(g, raw);
    const bool numbers = want.kind() != Value::Kind::Bool && got.kind() != Value::Kind::Bool;
    const auto a = want.asNumber(), b = got.asNumber();
    if (numbers && a && b) return *a == *b || std::abs(*a - *b) <= 1e-6 * std::max(std::abs(*a), std::abs(*b)) || (std::isnan(*a) && std::isnan(*b));
    if (want.kind() == Value::Kind::Sym && got.kind() == Value::Kind::Sym) return want.asSym() == got.asSym();
    return want == got;
}

/// An axis counts from the front or from the back.
bool sameAxis(const Graph& g, NodeId reduction, const Value& want, const Value& got) {
    const auto a = want.asInt(), b = got.asInt();
    const TensorType* t = reduction && g[reduction].arg(0).isNode() ? g[g[reduction].arg(0).asNode()].tensor() : nullptr;
    if (!a || !b || !t || want.kind() == Value::Kind::Bool || got.kind() == Value::Kind::Bool) return false;
    const auto rank = static_cast<std::int64_t>(t->rank());
    return (*a < 0 ? *a + rank : *a) == (*b < 0 ? *b + rank : *b);
}

bool hasType(const Graph& g, const Value& v, const CaptureType& t) {
    using Kind = CaptureType::Kind;
    if (t.kind == Kind::Any) return true;
    const TensorType* tensor = v.isNode() ? g[v.asNode()].tensor() : nullptr;
    if (t.kind == Kind::Scalar) return !v.isNode() && v.kind() != Value::Kind::Bool && v.asNumber().has_value();
    if (t.kind == Kind::Symbol) return v.kind() == Value::Kind::Sym || v.isInt() || (v.isNode() && g[v.asNode()].type && g[v.asNode()].type->asSym());
    if (!tensor) return false;
    switch (t.kind) {
        case Kind::Floating:
            return info(tensor->dtype).floating;
        case Kind::Integer:
            return info(tensor->dtype).integral;
        case Kind::Boolean:
            return tensor->dtype == DType::B8;
        case Kind::Rank:
            return static_cast<std::int64_t>(tensor->rank()) == t.rank;
        default:
            return std::find(t.dtypes.begin(), t.dtypes.end(), tensor->dtype) != t.dtypes.end();
    }
}

bool isPermute(const Matcher& m) { return !m.ops.empty() && packetOf(m.ops.front().name) == "aten::permute"; }
bool isReduction(const Matcher& m) {
    const Name packet = m.ops.empty() ? Name() : packetOf(m.ops.front().name);
    return packet == "aten::amax" || packet == "aten::sum";
}

class Attempt {
public:
    Attempt(const Pattern& p, const Graph& g, const OpRegistry& ops, Refusal* why)
        : p_(p),
          g_(g),
          ops_(ops),
          why_(why),
          bound_(p.matchers.size()),
          isBound_(p.matchers.size(), false),
          captures_(p.captures.size()),
          isCaptured_(p.captures.size(), false),
          budget_(64 * p.matchers.size() + 4096) {}

    std::optional<Match> run(NodeId root) {
        if (p_.outputs.empty() || p_.outputs.front() < 0) return std::nullopt;
        std::vector<Goal> goals = {{static_cast<std::uint32_t>(p_.outputs.front()), Value::node(root), {}, 0}};
        if (!solve(std::move(goals), 1)) return std::nullopt;
        Match out;
        out.captures = captures_;
        for (std::int32_t o : p_.outputs) out.outputs.push_back(o < 0 ? NodeId() : bound_[static_cast<std::size_t>(o)].asNode());
        out.nodes = calls();
        return out;
    }

private:
    struct Goal {
        std::uint32_t matcher;
        Value value;
        NodeId user;          ///< the call whose operand it is
        std::uint32_t under;  ///< that call's matcher
    };

    std::vector<Bound> calls() const {
        std::vector<Bound> out;
        for (std::uint32_t i : trail_)
            if (p_.matchers[i].kind == Matcher::Kind::Call && bound_[i].isNode()) out.push_back({i, bound_[i].asNode()});
        return out;
    }

    bool refuse(const char* code, Params params, NodeId node, NodeId blocker = {}) {
        if (!why_) return false;
        std::size_t reached = 0;
        for (std::uint32_t i : trail_) reached += p_.matchers[i].kind == Matcher::Kind::Call;
        if (!why_->code.empty() && reached <= why_->nodes.size()) return false;
        *why_ = {code, std::move(params), node, blocker, calls()};
        return false;
    }

    void bind(std::uint32_t matcher, const Value& v) {
        isBound_[matcher] = true;
        bound_[matcher] = v;
        trail_.push_back(matcher);
    }

    void undo(std::size_t mark) {
        while (trail_.size() > mark) {
            const std::uint32_t i = trail_.back();
            trail_.pop_back();
            isBound_[i] = false;
            if (p_.matchers[i].kind == Matcher::Kind::Capture) isCaptured_[p_.matchers[i].capture] = false;
        }
    }

    /// Matches all goals, then the outputs from `nextOutput` on.
    bool solve(std::vector<Goal> goals, std::size_t nextOutput) {
        while (!goals.empty()) {
            if (budget_ == 0) return false;
            --budget_;
            const Goal goal = goals.back();
            goals.pop_back();
            const Matcher& m = p_.matchers[goal.matcher];
            if (std::find(absent_.begin(), absent_.end(), goal.matcher) != absent_.end()) {
                goals.push_back({m.absent, goal.value, goal.user, goal.under});
                continue;
            }
            if (isBound_[goal.matcher] && m.kind != Matcher::Kind::Ignored && m.kind != Matcher::Kind::Constant && m.kind != Matcher::Kind::List) {
                if (bound_[goal.matcher] == goal.value || (!bound_[goal.matcher].isNode() && equalConstants(g_, bound_[goal.matcher], goal.value)))
                    continue;
                return conflict(goal);
            }
            switch (m.kind) {
                case Matcher::Kind::Ignored:
                    break;
                case Matcher::Kind::Constant:
                    if (!equalConstants(g_, m.constant, goal.value) && !wrongConstant(goal)) return false;
                    break;
                case Matcher::Kind::Capture:
                    if (!capture(goal)) return false;
                    break;
                case Matcher::Kind::List:
                    if (!goal.value.isSequence() || goal.value.items().size() != m.args.size()) return wrongConstant(goal);
                    for (std::size_t i = m.args.size(); i-- > 0;) goals.push_back({m.args[i], goal.value.items()[i], goal.user, goal.under});
                    break;
                case Matcher::Kind::Call:
                    if (m.optional || m.commute) return choose(goal, std::move(goals), nextOutput);
                    if (!call(goal, false, goals)) return false;
                    break;
            }
        }
        return furtherOutputs(nextOutput);
    }

    bool choose(const Goal& goal, std::vector<Goal> goals, std::size_t nextOutput) {
        const Matcher& m = p_.matchers[goal.matcher];
        const std::size_t mark = trail_.size();
        for (int way = 0; way < 3; ++way) {
            const bool swapped = way == 1, absent = way == 2;
            if ((swapped && !m.commute) || (absent && !m.optional)) continue;
            std::vector<Goal> rest = goals;
            if (absent) {
                absent_.push_back(goal.matcher);
                rest.push_back({m.absent, goal.value, goal.user, goal.under});
                if (solve(std::move(rest), nextOutput)) return true;
                absent_.pop_back();
            } else if (call(goal, swapped, rest) && solve(std::move(rest), nextOutput)) {
                return true;
            }
            undo(mark);
        }
        return false;
    }

    bool call(const Goal& goal, bool swapped, std::vector<Goal>& goals) {
        const Matcher& m = p_.matchers[goal.matcher];
        const NodeId id = goal.value.asNode();
        if (!id || g_[id].kind != NodeKind::CallFunction) {
            return refuse("OP",
                          {{"want", describe(p_, goal.matcher)},
                           {"node", id          ? g_[id].name.str()
                                    : goal.user ? g_[goal.user].name.str()
                                                : ""},
                           {"got", id ? std::string(toString(g_[id].kind)) : shown(g_, goal.value)}},
                          id ? id : goal.user);
        }
        const Node& n = g_[id];
        if (std::none_of(m.ops.begin(), m.ops.end(), [&](const OpMatch& op) { return op.fits(n.op); })) {
            if (!swapped && orderOnly(goal)) return refuse("OPERAND_ORDER", {{"node", g_[goal.user].name.str()}}, goal.user);
            return refuse("OP", {{"want", describe(p_, goal.matcher)}, {"node", n.name.str()}, {"got", n.op.str()}}, id);
        }
        const bool output = p_.isOutput(goal.matcher);
        if (m.usersRule == Matcher::Users::Exactly && !output && n.users.size() != m.users) {
            const NodeId user = n.users.empty() ? NodeId() : n.users.back().id;
            return refuse("USER_OUTSIDE", {{"node", n.name.str()}, {"user", user ? g_[user].name.str() : "nothing"}}, id, user);
        }
        if (m.expected && !sameResult(m, n)) return false;
        bind(goal.matcher, goal.value);
        return operands(goal.matcher, id, swapped, goals);
    }

    /// Two operands stand in the other order: the matcher fits the sibling.
    bool orderOnly(const Goal& goal) const {
        if (!goal.user || g_[goal.user].args.size() != 2) return false;
        const auto& args = g_[goal.user].args;
        const Value& other = args[0] == goal.value ? args[1] : args[0];
        const Name packet = packetOf(g_[goal.user].op);
        if (!other.isNode() || (packet != "aten::add" && packet != "aten::mul")) return false;
        const Matcher& m = p_.matchers[goal.matcher];
        return std::any_of(m.ops.begin(), m.ops.end(), [&](const OpMatch& op) { return op.fits(g_[other.asNode()].op); });
    }

    /// Result type of a strict matcher: dtype and sizes.
    bool sameResult(const Matcher& m, const Node& n) {
        const TensorType *want = m.expected->asTensor(), *got = n.tensor();
        if (!want) return true;
        if (!got) return refuse("UNDECIDED", {{"guard", "the type of " + n.name.str()}}, n.id);
        if (want->dtype != got->dtype)
            return refuse("CONST",
                          {{"what", "dtype"},
                           {"node", n.name.str()},
                           {"want", std::string(info(want->dtype).shortName)},
                           {"got", std::string(info(got->dtype).shortName)}},
                          n.id);
        if (want->sizes == got->sizes) return true;
        return refuse("CONST", {{"what", "shape"}, {"node", n.name.str()}, {"want", want->str(false, false)}, {"got", got->str(false, false)}}, n.id);
    }

    bool operands(std::uint32_t matcher, NodeId id, bool swapped, std::vector<Goal>& goals) {
        const Matcher& m = p_.matchers[matcher];
        const Node& n = g_[id];
        if (n.args.size() == m.args.size() && keywordsFit(m, n)) {
            for (const auto& [key, k] : m.keywords) goals.push_back({k, *n.kwarg(key), id, matcher});
            for (std::size_t i = m.args.size(); i-- > 0;) goals.push_back({m.args[swapped ? m.args.size() - 1 - i : i], n.args[i], id, matcher});
            return true;
        }
        return bySchema(matcher, id, swapped, goals);
    }

    static bool keywordsFit(const Matcher& m, const Node& n) {
        if (!m.openKeywords && n.kwargs.size() != m.keywords.size()) return false;
        return std::all_of(m.keywords.begin(), m.keywords.end(), [&](const auto& k) { return n.kwarg(k.first) != nullptr; });
    }

    /// Call and pattern spell their arguments in different ways: both are bound to the schema.
    bool bySchema(std::uint32_t matcher, NodeId id, bool swapped, std::vector<Goal>& goals) {
        const Matcher& m = p_.matchers[matcher];
        const Node& n = g_[id];
        const auto arity = [&] {
            return refuse("OP",
                          {{"want", describe(p_, matcher) + " with " + std::to_string(m.args.size() + m.keywords.size()) + " arguments"},
                           {"node", n.name.str()},
                           {"got", std::to_string(n.args.size() + n.kwargs.size())}},
                          id);
        };
        const auto bound = bindCall(ops_, n);
        if (!bound || m.args.size() > bound->values.size()) return arity();
        std::vector<bool> used(bound->values.size(), false);
        std::vector<Goal> own;
        for (std::size_t i = 0; i < m.args.size(); ++i) {
            const std::size_t at = swapped && m.args.size() == 2 ? 1 - i : i;
            used[at] = true;
            own.push_back({m.args[i], bound->values[at], id, matcher});
        }
        for (const auto& [key, k] : m.keywords) {
            const auto& params = bound->op->schema.params;
            const auto it = std::find_if(params.begin(), params.end(), [&, key = key](const SchemaParam& p) { return p.name == key; });
            if (it == params.end()) return arity();
            const auto at = static_cast<std::size_t>(it - params.begin());
            used[at] = true;
            own.push_back({k, bound->values[at], id, matcher});
        }
        for (std::size_t i = 0; i < used.size(); ++i)
            if (!used[i] && bound->given[i] && !(m.openKeywords && i >= n.args.size())) return arity();
        goals.insert(goals.end(), own.rbegin(), own.rend());
        return true;
    }

    bool capture(const Goal& goal) {
        const Matcher& m = p_.matchers[goal.matcher];
        if (isCaptured_[m.capture] && !(captures_[m.capture] == goal.value) && !equalConstants(g_, captures_[m.capture], goal.value))
            return conflict(goal);
        if (!hasType(g_, goal.value, m.type))
            return refuse("CONST",
                          {{"what", "$" + p_.captures[m.capture]},
                           {"node", goal.user ? g_[goal.user].name.str() : ""},
                           {"want", "another type"},
                           {"got", shown(g_, goal.value)}},
                          goal.user);
        if (m.exclusive)
            for (std::uint32_t i : trail_) {
                const Matcher& other = p_.matchers[i];
                if (other.kind != Matcher::Kind::Capture || !other.exclusive || other.capture == m.capture ||
                    !(captures_[other.capture] == goal.value))
                    continue;
                return refuse("EXCLUSIVE",
                              {{"a", "$" + p_.captures[other.capture]}, {"b", "$" + p_.captures[m.capture]}, {"node", shown(g_, goal.value)}},
                              goal.user);
            }
        captures_[m.capture] = goal.value;
        isCaptured_[m.capture] = true;
        bind(goal.matcher, goal.value);
        return true;
    }

    bool conflict(const Goal& goal) {
        const Matcher& m = p_.matchers[goal.matcher];
        const Value& old = m.kind == Matcher::Kind::Capture ? captures_[m.capture] : bound_[goal.matcher];
        return refuse("CAPTURE_CONFLICT",
                      {{"name", m.kind == Matcher::Kind::Capture ? "$" + p_.captures[m.capture] : describe(p_, goal.matcher)},
                       {"a", shown(g_, old)},
                       {"b", shown(g_, goal.value)}},
                      goal.value.isNode() ? goal.value.asNode() : goal.user);
    }

    bool wrongConstant(const Goal& goal) {
        const Matcher& user = p_.matchers[goal.under];
        const Matcher& m = p_.matchers[goal.matcher];
        if (m.kind == Matcher::Kind::Constant && isReduction(user) && sameAxis(g_, goal.user, m.constant, goal.value)) return true;
        std::string want = describe(p_, goal.matcher);
        if (m.kind == Matcher::Kind::List) {
            want = "[";
            for (std::uint32_t a : m.args) want += (want.size() > 1 ? ", " : "") + describe(p_, a);
            want += "]";
        }
        const std::string node = goal.user ? g_[goal.user].name.str() : "",
                          got = shown(g_, goal.user && p_.matchers[goal.under].kind == Matcher::Kind::Call ? wholeArgument(goal) : goal.value);
        if (isPermute(user)) return refuse("PERMUTATION", {{"node", node}, {"want", want}, {"got", got}}, goal.user);
        if (isReduction(user) && m.constant.kind() != Value::Kind::Bool) return refuse("SOFTMAX_AXIS", {{"got", got}, {"node", node}}, goal.user);
        return refuse("CONST", {{"what", "an argument"}, {"node", node}, {"want", want}, {"got", got}}, goal.user);
    }

    /// The argument of the call in which the value stands: of a list the list.
    Value wholeArgument(const Goal& goal) const {
        for (const Value& v : g_[goal.user].args)
            if (v.isSequence() && std::find(v.items().begin(), v.items().end(), goal.value) != v.items().end()) return v;
        return goal.value;
    }

    // --- further outputs
    bool furtherOutputs(std::size_t next) {
        while (next < p_.outputs.size() && (p_.outputs[next] < 0 || isBound_[static_cast<std::size_t>(p_.outputs[next])])) ++next;
        if (next == p_.outputs.size()) return usersInside();
        const auto matcher = static_cast<std::uint32_t>(p_.outputs[next]);
        std::vector<NodeId> candidates;
        std::vector<bool> seen(p_.matchers.size(), false);
        anchors(matcher, candidates, seen);
        const std::size_t mark = trail_.size();
        for (NodeId id : candidates) {
            std::vector<Goal> goals = {{matcher, Value::node(id), {}, 0}};
            if (solve(std::move(goals), next + 1)) return true;
            undo(mark);
        }
        if (candidates.empty()) refuse("OP", {{"want", describe(p_, matcher)}, {"node", "the further results"}, {"got", "none"}}, {});
        return false;
    }

    /// Nodes that may match `matcher`: users, with a fitting operator, of what matched below it.
    void anchors(std::uint32_t matcher, std::vector<NodeId>& out, std::vector<bool>& seen) {
        if (isBound_[matcher]) {
            if (bound_[matcher].isNode()) out.push_back(bound_[matcher].asNode());
            return;
        }
        if (seen[matcher] || budget_ == 0) return;
        seen[matcher] = true;
        --budget_;
        const Matcher& m = p_.matchers[matcher];
        if (m.kind != Matcher::Kind::Call) return;
        for (std::uint32_t a : m.args) {
            std::vector<NodeId> below;
            anchors(a, below, seen);
            for (NodeId id : below)
                for (const Node::User& user : g_[id].users) {
                    if (out.size() >= kAnchors || budget_ == 0) return;
                    --budget_;
                    const bool fits = g_[user.id].kind == NodeKind::CallFunction &&
                                      std::any_of(m.ops.begin(), m.ops.end(), [&](const OpMatch& op) { return op.fits(g_[user.id].op); });
                    if (fits && std::find(out.begin(), out.end(), user.id) == out.end()) out.push_back(user.id);
                }
        }
    }

    bool usersInside() {
        std::unordered_set<NodeId> inside;
        for (std::uint32_t i : trail_)
            if (p_.matchers[i].kind == Matcher::Kind::Call && bound_[i].isNode()) inside.insert(bound_[i].asNode());
        for (std::uint32_t i : trail_) {
            const Matcher& m = p_.matchers[i];
            if (m.kind != Matcher::Kind::Call || m.usersRule != Matcher::Users::Inside || p_.isOutput(i) || !bound_[i].isNode()) continue;
            for (const Node::User& user : g_[bound_[i].asNode()].users)
                if (!inside.contains(user.id))
                    return refuse("USER_OUTSIDE", {{"node", g_[bound_[i].asNode()].name.str()}, {"user", g_[user.id].name.str()}}, bound_[i].asNode(),
                                  user.id);
        }
        return true;
    }

    const Pattern& p_;
    const Graph& g_;
    const OpRegistry& ops_;
    Refusal* why_;
    std::vector<Value> bound_;
    std::vector<bool> isBound_;
    std::vector<Value> captures_;
    std::vector<bool> isCaptured_;
    std::vector<std::uint32_t> trail_;   ///< matchers in the order in which they were bound
    std::vector<std::uint32_t> absent_;  ///< optional calls that are not there, of the alternatives now taken
    std::size_t budget_;
};

}  // namespace

std::optional<Match> match(const Pattern& p, const Graph& g, const OpRegistry& ops, NodeId root, Refusal* why) {
    return Attempt(p, g, ops, why).run(root);
}

}  // namespace aliascope::patterns
