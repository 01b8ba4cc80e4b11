// Rules that are written in operators: expressions become a small graph in the IR of programs, which is canonicalised like one, and then matchers.

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/ops/infer.h"
#include "core/patterns/evaluate.h"
#include "core/patterns/pattern.h"

namespace aliascope::patterns {
namespace {

constexpr std::size_t kChoices = 200;  ///< most `?` and `!commute` of one pattern: each may be tried both ways

struct RuleError {
    TextPlace place;
    std::string want, got;
};

/// What a call of the pattern has beside what a node of a program has.
struct Mark {
    std::vector<OpMatch> ops;
    bool open = false, shared = false, commute = false, optional = false;
    NodeId absent;  ///< of an optional call: what stands for it
    std::string label;
};

const Value& wildcard() {
    static const Value v = Value::named(Value::Kind::Opaque, "_"_n);
    return v;
}

class RuleGraph {
public:
    RuleGraph(const Rule& rule, const OpRegistry& ops) : rule_(rule), ops_(ops) {}

    Graph g;
    std::unordered_map<NodeId, Mark> marks;
    std::map<std::string, CaptureType> types;
    std::set<std::string> exclusive;
    std::unordered_set<NodeId> readers;  ///< of the results

    void build() {
        std::vector<Value> results;
        for (const Expr& e : rule_.find) {
            results.push_back(value(e));
            if (!results.back().isNode() && !results.back().isNone()) throw RuleError{e.place, "an operator", "a value"};
            // Returned values may not become inputs when views are removed; results of a pattern may: a reader stands between.
            if (results.back().isNode()) {
                Node reader;
                reader.kind = NodeKind::CallFunction;
                reader.op = "aten::neg"_n;
                reader.target = spellOp(reader.op);
                reader.name = "result"_n;
                reader.args = {results.back()};
                readers.insert(g.append(std::move(reader)));
                results.back() = Value::node(g.last());
            }
        }
        Node n;
        n.kind = NodeKind::Output;
        n.name = "output"_n;
        n.target = n.name;
        n.args = {Value::tuple(std::move(results))};
        g.appendExact(std::move(n));
    }

private:
    Value value(const Expr& e) {
        switch (e.kind) {
            case Expr::Kind::Capture:
                return capture(e);
            case Expr::Kind::NodeRef: {
                const auto it = named_.find(e.name);
                if (it == named_.end()) throw RuleError{e.place, "a node that was named before", "%" + e.name};
                return Value::node(it->second);
            }
            case Expr::Kind::Literal:
                return e.literal;
            case Expr::Kind::None:
                return {};
            case Expr::Kind::Wildcard:
                return wildcard();
            case Expr::Kind::Binary:
                throw RuleError{e.place, "an operator or a literal", "arithmetic"};
            case Expr::Kind::List: {
                std::vector<Value> items;
                for (const Argument& a : e.args) items.push_back(value(a.value));
                return Value::list(std::move(items));
            }
            case Expr::Kind::Call:
                return Value::node(call(e));
        }
        return {};
    }

    Value capture(const Expr& e) {
        const auto it = captures_.find(e.name);
        if (e.exclusive) exclusive.insert(e.name);
        if (e.type.kind != CaptureType::Kind::Any) types[e.name] = e.type;
        if (it != captures_.end()) return Value::node(it->second);
        Node n;
        n.kind = NodeKind::Placeholder;
        n.name = Name(e.name);
        n.target = n.name;
        // Captures come before the calls, wherever the text mentions them first.
        const NodeId id = lastCapture_ ? g.insertAfter(lastCapture_, std::move(n)) : g.insertAfter(NodeId(), std::move(n));
        lastCapture_ = id;
        captures_[e.name] = id;
        if (e.type.kind == CaptureType::Kind::Rank) {
            TensorType t;
            for (std::int64_t d = 0; d < e.type.rank; ++d) t.sizes.push_back(SymInt::symbol(Name(e.name + "_" + std::to_string(d))));
            t.dtype = DType::F32;
            t.device = "cpu"_n;
            t.strides = TensorType::contiguousStrides(t.sizes);
            g.setType(id, Type::tensor(std::move(t)));
        }
        return Value::node(id);
    }

    NodeId call(const Expr& e) {
        Mark mark{{}, e.open, e.shared, e.commute, e.optional, {}, e.name};
        Node n;
        n.kind = NodeKind::CallFunction;
        for (const Argument& a : e.args) {
            const Value v = isRelation(a.value) ? relation(a.value, n) : value(a.value);
            if (a.key.empty())
                n.args.push_back(v);
            else
                n.kwargs.emplace_back(Name(a.key), v);
        }
        if (mark.optional) {
            const Value stands = e.absent.empty() ? n.args.front() : value(e.absent.front().value);
            if (!stands.isNode()) throw RuleError{e.place, "an operand of an optional operator", "a literal"};
            mark.absent = stands.asNode();
        }
        if (mark.commute && n.args.size() != 2) throw RuleError{e.place, "two operands of a commutative operator", std::to_string(n.args.size())};
        if ((mark.commute || mark.optional) && ++choices_ > kChoices)
            throw RuleError{e.place, "at most " + std::to_string(kChoices) + " of ? and !commute", "more"};
        for (const std::string& op : e.ops) mark.ops.push_back(operatorMatch(op, e.place));
        n.op = mark.ops.front().name;
        n.target = spellOp(n.op);
        n.name = Name(e.ops.front().substr(e.ops.front().find('.') + 1));
        // Equal expressions are one node: macros may mention an operand twice.
        const std::string key = keyOf(n, mark);
        if (const auto it = byKey_.find(key); it != byKey_.end()) {
            if (!e.name.empty()) named_[e.name] = it->second;
            return it->second;
        }
        const NodeId id = g.append(std::move(n));
        byKey_[key] = id;
        if (mark.ops.size() == 1 && !mark.optional && ops_.find(mark.ops.front().name)) setInferredType(ops_, g, id);
        if (!e.name.empty()) named_[e.name] = id;
        marks[id] = std::move(mark);
        return id;
    }

    static std::string keyOf(const Node& n, const Mark& mark) {
        std::string out;
        for (const OpMatch& op : mark.ops) out += op.name.str() + (op.family ? "*|" : "|");
        out += mark.open ? "." : "";
        out += mark.shared ? "s" : "";
        out += mark.commute ? "c" : "";
        out += mark.optional ? "?" + std::to_string(mark.absent.value) : "";
        for (const Value& v : n.args) out += "," + spelled(v);
        for (const auto& [key, v] : n.kwargs) out += "," + key.str() + "=" + spelled(v);
        return out;
    }
    static std::string spelled(const Value& v) {
        if (v.isNode()) return "%" + std::to_string(v.asNode().value);
        if (v.kind() == Value::Kind::Sym) return v.asSym().str();
        if (v.isSequence()) {
            std::string out = "[";
            for (const Value& item : v.items()) out += spelled(item) + ",";
            return out + "]";
        }
        return std::to_string(static_cast<int>(v.kind())) + ":" + (v.asNumber() ? pythonFloat(*v.asNumber()) : v.name().str());
    }

    OpMatch operatorMatch(const std::string& dotted, TextPlace place) const {
        const Name op = operatorOf(dotted);
        const bool exact = dotted.ends_with(".default") || op.view().substr(op.view().find("::") + 2).find('.') != std::string_view::npos;
        if (op == "operator::getitem") return {op, false};
        if (exact ? ops_.find(op) == nullptr : ops_.overloads(op).empty() && ops_.find(op) == nullptr)
            throw RuleError{place, "an operator", "\"" + dotted + "\""};
        return {op, !exact && ops_.overloads(op).size() != 1};
    }

    /// `merge(i, j)`, `split(i)`: what a view does to the dims of its operand, in place of sizes.
    static bool isRelation(const Expr& e) {
        return e.kind == Expr::Kind::Call && e.ops.size() == 1 && (e.ops.front() == "merge" || e.ops.front() == "split");
    }

    Value relation(const Expr& e, const Node& n) {
        const TensorType* t = !n.args.empty() && n.args.front().isNode() ? g[n.args.front().asNode()].tensor() : nullptr;
        if (!t) throw RuleError{e.place, "an operand of known rank, as $x: rank 4", "one of unknown rank"};
        std::vector<std::size_t> dims;
        for (const Argument& a : e.args) {
            const auto i = a.value.literal.asInt();
            if (!i || *i < 0 || *i >= static_cast<std::int64_t>(t->rank()))
                throw RuleError{a.value.place, "a dim of a tensor of rank " + std::to_string(t->rank()), "another value"};
            dims.push_back(static_cast<std::size_t>(*i));
        }
        std::vector<SymInt> sizes = t->sizes;
        if (e.ops.front() == "split") {
            if (dims.size() != 1) throw RuleError{e.place, "one dim to split", std::to_string(dims.size())};
            const SymInt whole = sizes[dims[0]];
            const auto parts = partsOf(whole);
            sizes[dims[0]] = parts.second;
            sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dims[0]), parts.first);
        } else {
            if (dims.size() != 2 || dims[0] >= dims[1])
                throw RuleError{e.place, "the first and the last of the dims to merge", std::to_string(dims.size()) + " dims"};
            SymInt product = sizes[dims[0]];
            for (std::size_t d = dims[0] + 1; d <= dims[1]; ++d) product = product * sizes[d];
            for (const auto& [whole, parts] : split_)
                if (parts.first * parts.second == product) product = whole;
            for (std::size_t d = dims[0]; d < dims[1]; ++d) merged_.push_back({product, sizes[d], sizes[d + 1]});
            sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dims[0]), sizes.begin() + static_cast<std::ptrdiff_t>(dims[1]));
            sizes[dims[0]] = product;
        }
        std::vector<Value> items;
        for (const SymInt& s : sizes) items.push_back(Value::sym(s));
        return Value::list(std::move(items));
    }

    /// A dim that was merged before splits into what it was; another one into two new symbols.
    std::pair<SymInt, SymInt> partsOf(const SymInt& whole) {
        for (const auto& m : merged_)
            if (m.first * m.second == whole) return {m.first, m.second};
        const std::string n = std::to_string(split_.size());
        split_.push_back({whole, {SymInt::symbol(Name("part" + n + "_0")), SymInt::symbol(Name("part" + n + "_1"))}});
        return split_.back().second;
    }

    struct Merged {
        SymInt whole, first, second;
    };

    const Rule& rule_;
    const OpRegistry& ops_;
    std::map<std::string, NodeId> captures_, named_, byKey_;
    NodeId lastCapture_;
    std::vector<Merged> merged_;
    std::vector<std::pair<SymInt, std::pair<SymInt, SymInt>>> split_;
    std::size_t choices_ = 0;
};

class RuleMatchers {
public:
    RuleMatchers(const RuleGraph& rule, Pattern& out) : r_(rule), g_(rule.g), out_(out) {}

    void run() {
        for (NodeId id : inOrder(g_)) {
            const Node& n = g_[id];
            if (n.kind == NodeKind::Placeholder)
                capture(id);
            else if (n.isCall() && !r_.readers.contains(id))
                byNode_[id] = call(id);
            else if (n.kind == NodeKind::Output)
                for (const Value& v : n.arg(0).items())
                    out_.outputs.push_back(v.isNode() ? static_cast<std::int32_t>(byNode_.at(g_[v.asNode()].arg(0).asNode())) : -1);
        }
    }

private:
    std::uint32_t add(Matcher m) {
        out_.matchers.push_back(std::move(m));
        return static_cast<std::uint32_t>(out_.matchers.size() - 1);
    }
    void capture(NodeId id) {
        Matcher m;
        m.kind = Matcher::Kind::Capture;
        m.capture = static_cast<std::uint32_t>(out_.captures.size());
        out_.captures.push_back(g_[id].name.str());
        if (const auto it = r_.types.find(g_[id].name.str()); it != r_.types.end()) m.type = it->second;
        m.exclusive = r_.exclusive.contains(g_[id].name.str());
        byNode_[id] = add(std::move(m));
    }
    std::uint32_t call(NodeId id) {
        const Node& n = g_[id];
        const auto it = r_.marks.find(id);
        const Mark mark = it == r_.marks.end() ? Mark{} : it->second;
        Matcher m;
        m.kind = Matcher::Kind::Call;
        m.ops = mark.ops.empty() || mark.ops.front().name != n.op ? std::vector<OpMatch>{{n.op, false}} : mark.ops;
        const bool view = packetOf(n.op) == "aten::view" || packetOf(n.op) == "aten::reshape";
        for (std::size_t i = 0; i < n.args.size(); ++i) m.args.push_back(view && i == 1 ? size(n.args[i]) : value(n.args[i]));
        for (const auto& [key, v] : n.kwargs) m.keywords.emplace_back(key, value(v));
        m.openKeywords = mark.open;
        m.commute = mark.commute;
        m.optional = mark.optional;
        if (mark.optional) {
            const auto stands = byNode_.find(mark.absent);  // gone when canonicalising replaced it
            m.absent = stands != byNode_.end() ? stands->second : m.args.front();
        }
        m.usersRule = mark.shared ? Matcher::Users::Any : Matcher::Users::Inside;
        m.label = mark.label;
        return add(std::move(m));
    }
    std::uint32_t value(const Value& v) {
        if (v.isNode()) return byNode_.at(v.asNode());
        Matcher m;
        if (v == wildcard()) return add(std::move(m));
        if (v.isSequence()) {
            m.kind = Matcher::Kind::List;
            for (const Value& item : v.items()) m.args.push_back(value(item));
            return add(std::move(m));
        }
        m.kind = Matcher::Kind::Constant;
        m.constant = v;
        return add(std::move(m));
    }
    /// Sizes of a view that are symbols of the pattern are a relation; the guard that verifies it speaks of the real types.
    std::uint32_t size(const Value& v) {
        const bool symbolic = std::any_of(v.items().begin(), v.items().end(), [](const Value& item) { return item.kind() == Value::Kind::Sym; });
        return symbolic ? add(Matcher()) : value(v);
    }

    const RuleGraph& r_;
    const Graph& g_;
    Pattern& out_;
    std::unordered_map<NodeId, std::uint32_t> byNode_;
};

/// Captures of `make` and of guards must be bound by `find`.
void checkNames(const Expr& e, const Pattern& p, const char* where) {
    if (e.kind == Expr::Kind::Capture && std::find(p.captures.begin(), p.captures.end(), e.name) == p.captures.end())
        throw RuleError{e.place, std::string("a capture of find in ") + where, "$" + e.name};
    for (const Argument& a : e.args) checkNames(a.value, p, where);
}

}  // namespace

Result<Pattern> patternOfRule(const Rule& rule, const OpRegistry& ops, const Canonicalize& canonicalize, std::string_view fileName) {
    Pattern out;
    out.name = rule.name;
    try {
        RuleGraph graph(rule, ops);
        graph.build();
        if (canonicalize) canonicalize(graph.g);
        RuleMatchers(graph, out).run();
        for (const Expr& e : rule.make) checkNames(e, out, "make");
        for (const Guard& guard : rule.where) {
            checkNames(guard.left, out, "where");
            checkNames(guard.right, out, "where");
        }
    } catch (const RuleError& e) {
        return fail(userError("PATTERN_SYNTAX", {{"file", std::string(fileName)},
                                                 {"line", std::to_string(e.place.line)},
                                                 {"col", std::to_string(e.place.column)},
                                                 {"want", e.want},
                                                 {"got", e.got}}));
    }
    const bool empty = out.outputs.empty() || out.outputs.front() < 0 ||
                       out.matchers[static_cast<std::size_t>(out.outputs.front())].kind != Matcher::Kind::Call ||
                       out.matchers[static_cast<std::size_t>(out.outputs.front())].optional;
    if (empty) return fail(userError("EMPTY_PATTERN", {{"name", rule.name}}));
    return out;
}

}  // namespace aliascope::patterns
