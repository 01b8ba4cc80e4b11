#include "core/ir/graph.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include <xxhash.h>

namespace aliascope {
namespace {

/// Room between two neighbours of a fresh graph: 36 halvings before keys must be spread again; two million nodes fit with room to spare.
constexpr std::int64_t kOrdStep = std::int64_t(1) << 36;

/// Numbers tried one by one before a name goes behind the highest that its base has.
constexpr int kNumbersTried = 64;

const Value kNone;

bool isNameChar(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string legalName(std::string_view candidate) {
    std::string out(candidate.empty() ? std::string_view("_unnamed") : candidate);
    for (char& c : out)
        if (!isNameChar(c)) c = '_';
    if (out.front() >= '0' && out.front() <= '9') out.insert(out.begin(), '_');
    return out;
}

/// `add_3` -> (`add`, 3); `add` -> (`add`, none). A suffix that does not fit a number belongs to the base.
std::pair<std::string_view, std::optional<std::uint32_t>> splitSuffix(std::string_view name) {
    const auto underscore = name.rfind('_');
    if (underscore == std::string_view::npos || underscore == 0 || underscore + 1 == name.size()) return {name, std::nullopt};
    std::uint32_t number = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + underscore + 1, end, number);
    if (error != std::errc() || stop != end) return {name, std::nullopt};
    return {name.substr(0, underscore), number};
}

/// Names that generated Python code could not use for a variable: keywords, builtins, and the globals of torch.fx.
bool isReserved(std::string_view name) {
    static const std::unordered_set<std::string_view> reserved = {
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
        "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
        "while", "with", "yield", "abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray", "bytes", "callable",
        "chr", "classmethod", "compile", "complex", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "filter", "float", "format",
        "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input", "int", "isinstance", "issubclass", "iter", "len",
        "list", "locals", "map", "max", "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print", "property", "range", "repr",
        "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
        "inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree", "self"};
    return reserved.contains(name);
}

class Hasher {
public:
    void add(std::uint64_t v) { h_ = (std::rotl(h_, 5) ^ v) * 0x9e3779b97f4a7c15ull; }
    void add(Name n) { add(n.textHash()); }
    std::uint64_t value() const { return h_ ^ (h_ >> 32); }

private:
    std::uint64_t h_ = 0x51ed270b;
};

}  // namespace

std::string_view toString(NodeKind k) {
    switch (k) {
        case NodeKind::Placeholder: return "placeholder";
        case NodeKind::GetAttr: return "get_attr";
        case NodeKind::CallFunction: return "call_function";
        case NodeKind::CallMethod: return "call_method";
        case NodeKind::CallModule: return "call_module";
        case NodeKind::Output: break;
    }
    return "output";
}

std::string_view toString(Phase p) {
    switch (p) {
        case Phase::Dynamo: return "dynamo";
        case Phase::PreGrad: return "pre-grad";
        case Phase::Joint: return "joint";
        case Phase::Forward: return "forward";
        case Phase::Backward: return "backward";
        case Phase::Inference: return "inference";
        case Phase::Export: return "export";
        case Phase::Unknown: break;
    }
    return "unknown";
}

const Value* Node::kwarg(Name key) const {
    for (const auto& [k, v] : kwargs)
        if (k == key) return &v;
    return nullptr;
}

const Value* Node::metaValue(Name key) const {
    for (const auto& [k, v] : meta)
        if (k == key) return &v;
    return nullptr;
}

const Value& Node::arg(std::size_t i) const { return i < args.size() ? args[i] : kNone; }

std::string annotationText(const Node& node) {
    if (node.annotation) return node.annotation.str();
    return node.type ? node.type->str() : std::string();
}

Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

Graph Graph::clone() const {
    Graph g;
    g.nodes_ = nodes_;
    g.alive_ = alive_;
    g.live_ = live_;
    g.placeholders_ = placeholders_;
    g.first_ = first_;
    g.last_ = last_;
    g.output_ = output_;
    g.byName_ = byName_;
    g.nameCount_ = nameCount_;
    for (const SubGraph& s : subGraphs_) g.subGraphs_.push_back({s.attribute, std::make_unique<Graph>(s.graph->clone())});
    g.provenance = provenance;
    g.symbols = symbols;
    g.style = style;
    g.name = name;
    g.phase = phase;
    return g;
}

NodeId Graph::find(Name name) const {
    const NodeId* id = byName_.find(name);
    return id ? *id : NodeId();
}

std::vector<NodeId> Graph::order() const {
    std::vector<NodeId> out;
    out.reserve(live_);
    for (NodeId id = first_; id; id = nodes_[id.value].next) out.push_back(id);
    return out;
}

std::vector<NodeId> Graph::placeholders() const {
    std::vector<NodeId> out;
    out.reserve(placeholders_);
    for (NodeId id = first_; id && out.size() < placeholders_; id = nodes_[id.value].next)
        if (nodes_[id.value].kind == NodeKind::Placeholder) out.push_back(id);
    return out;
}

std::vector<NodeId> Graph::users(NodeId id) const {
    std::vector<NodeId> out;
    out.reserve(nodes_[id.value].users.size());
    for (const Node::User& u : nodes_[id.value].users) out.push_back(u.id);
    return out;
}

std::vector<NodeId> Graph::operands(NodeId id) const {
    std::vector<NodeId> out;
    std::unordered_set<NodeId> seen;
    const auto collect = [&](NodeId used) {
        if (seen.insert(used).second) out.push_back(used);
    };
    const Node& n = nodes_[id.value];
    for (const Value& v : n.args) v.forEachNode(collect);
    for (const auto& [k, v] : n.kwargs) v.forEachNode(collect);
    return out;
}

NodeId Graph::insertBefore(NodeId at, Node n) {
    n.name = uniqueName(n.name.view());
    return store(at, std::move(n));
}

NodeId Graph::appendExact(Node n) {
    if (n.name.empty() || byName_.contains(n.name)) return append(std::move(n));
    const auto [base, number] = splitSuffix(n.name.view());
    if (number) {
        std::uint32_t& count = nameCount_[Name(base)];
        count = std::max(count, *number);
    }
    return store(NodeId(), std::move(n));
}

NodeId Graph::store(NodeId at, Node n) {
    const NodeId id(static_cast<std::uint32_t>(nodes_.size()));
    n.id = id;
    n.users.clear();
    const Node& stored = nodes_.push_back(std::move(n));
    alive_.push_back(true);
    ++live_;
    byName_[stored.name] = id;
    link(id, at);
    if (stored.kind == NodeKind::Output) output_ = id;
    placeholders_ += stored.kind == NodeKind::Placeholder;
    for (const Value& v : stored.args) addUses(id, v, true);
    for (const auto& [k, v] : stored.kwargs) addUses(id, v, true);
    return id;
}

NodeId Graph::insertAfter(NodeId at, Node n) { return insertBefore(at ? nodes_[at.value].next : first_, std::move(n)); }

void Graph::erase(NodeId id) {
    Node& n = nodes_[id.value];
    for (const Value& v : n.args) removeUses(id, v);
    for (const auto& [k, v] : n.kwargs) removeUses(id, v);
    unlink(id);
    byName_.erase(n.name);
    if (output_ == id) output_ = NodeId();
    placeholders_ -= n.kind == NodeKind::Placeholder;
    alive_[id.value] = false;
    --live_;
    // The node itself stays readable (name, target): rewrites still refer to it. Its operands go.
    n.args.clear();
    n.kwargs.clear();
}

void Graph::moveBefore(NodeId id, NodeId at) {
    if (id == at || nodes_[id.value].next == at) return;
    unlink(id);
    link(id, at);
}

void Graph::moveAfter(NodeId id, NodeId at) {
    const NodeId next = nodes_[at.value].next;
    if (id == at || next == id) return;
    unlink(id);
    link(id, next);
}

void Graph::setArgs(NodeId id, std::vector<Value> args) {
    Node& n = nodes_[id.value];
    const bool first = n.args.empty() && n.kwargs.empty();
    std::swap(n.args, args);
    for (const Value& v : n.args) addUses(id, v, first);  // first add, then remove: a kept operand keeps its place among the users
    for (const Value& v : args) removeUses(id, v);
}

void Graph::setArg(NodeId id, std::size_t i, Value v) {
    Node& n = nodes_[id.value];
    if (i >= n.args.size()) n.args.resize(i + 1);
    std::swap(n.args[i], v);
    addUses(id, n.args[i]);
    removeUses(id, v);
}

void Graph::setKwargs(NodeId id, std::vector<Keyword> kwargs) {
    Node& n = nodes_[id.value];
    const bool first = n.args.empty() && n.kwargs.empty();
    std::swap(n.kwargs, kwargs);
    for (const auto& [k, v] : n.kwargs) addUses(id, v, first);
    for (const auto& [k, v] : kwargs) removeUses(id, v);
}

void Graph::setCall(NodeId id, Name target, Name op) {
    Node& n = nodes_[id.value];
    n.kind = NodeKind::CallFunction;
    n.target = target;
    n.op = op;
}

void Graph::setType(NodeId id, TypePtr type, Trust trust) {
    Node& n = nodes_[id.value];
    n.type = std::move(type);
    n.trust = trust;
    n.annotation = Name();
}

void Graph::setMeta(NodeId id, Name key, Value v) {
    for (auto& [k, old] : nodes_[id.value].meta)
        if (k == key) {
            old = std::move(v);
            return;
        }
    nodes_[id.value].meta.emplace_back(key, std::move(v));
}

void Graph::rename(NodeId id, std::string_view candidate) {
    Node& n = nodes_[id.value];
    byName_.erase(n.name);
    n.name = uniqueName(candidate);
    byName_[n.name] = id;
}

void Graph::replaceAllUses(NodeId from, NodeId to, const std::function<bool(NodeId)>& keep) {
    if (from == to) return;
    const auto users = nodes_[from.value].users;
    const auto swapNode = [&](NodeId used) { return Value::node(used == from ? to : used); };
    const auto mentions = [&](const Node& n) {
        return std::any_of(n.args.begin(), n.args.end(), [&](const Value& v) { return v.usesNode(to); }) ||
               std::any_of(n.kwargs.begin(), n.kwargs.end(), [&](const Keyword& k) { return k.second.usesNode(to); });
    };
    std::vector<Node::User> left;
    for (const Node::User& user : users) {
        if (keep && keep(user.id)) {
            left.push_back(user);
            continue;
        }
        Node& n = nodes_[user.id.value];
        // Operands tell faster than the users of `to`, of which there may be thousands, whether the user is among them.
        const bool uses = mentions(n);
        for (Value& v : n.args) v = v.mapNodes(swapNode);
        for (auto& [k, v] : n.kwargs) v = v.mapNodes(swapNode);
        auto& toUsers = nodes_[to.value].users;
        const auto known = uses ? std::find_if(toUsers.rbegin(), toUsers.rend(), [&](const Node::User& u) { return u.id == user.id; }) : toUsers.rend();
        if (known == toUsers.rend()) toUsers.push_back(user);
        else known->uses += user.uses;
    }
    nodes_[from.value].users = std::move(left);
}

void Graph::replaceUses(const std::vector<std::pair<NodeId, NodeId>>& by) {
    std::unordered_map<NodeId, NodeId> target;
    std::unordered_map<NodeId, std::unordered_map<NodeId, std::size_t>> usersOf;  // of a target: place of each user in its list
    std::unordered_set<NodeId> changed;
    for (const auto& [from, to] : by) {
        if (from == to || !target.emplace(from, to).second) continue;
        auto& toUsers = nodes_[to.value].users;
        const auto [index, isNew] = usersOf.try_emplace(to);
        if (isNew)
            for (std::size_t i = 0; i < toUsers.size(); ++i) index->second.emplace(toUsers[i].id, i);
        for (const Node::User& user : nodes_[from.value].users) {
            changed.insert(user.id);
            const auto [it, added] = index->second.emplace(user.id, toUsers.size());
            if (added) toUsers.push_back(user);
            else toUsers[it->second].uses += user.uses;
        }
        nodes_[from.value].users.clear();
    }
    const auto swapNode = [&](NodeId used) {
        const auto it = target.find(used);
        return Value::node(it == target.end() ? used : it->second);
    };
    for (NodeId id : changed) {
        Node& n = nodes_[id.value];
        for (Value& v : n.args) v = v.mapNodes(swapNode);
        for (auto& [k, v] : n.kwargs) v = v.mapNodes(swapNode);
    }
}

void Graph::replaceUsesIn(NodeId user, NodeId from, const Value& to) {
    Node& n = nodes_[user.value];
    const auto swapNode = [&](NodeId used) { return used == from ? to : Value::node(used); };
    for (std::size_t i = 0; i < n.args.size(); ++i)
        if (n.args[i].usesNode(from)) setArg(user, i, n.args[i].mapNodes(swapNode));
    for (auto& [k, v] : n.kwargs) {
        if (!v.usesNode(from)) continue;
        Value old = v;
        v = v.mapNodes(swapNode);
        addUses(user, v);
        removeUses(user, old);
    }
}

Name Graph::uniqueName(std::string_view candidate) {
    const std::string legal = legalName(candidate);
    const auto [baseText, number] = splitSuffix(legal);
    const Name base(baseText);
    Name name(legal);
    std::uint32_t n = number.value_or(0);
    if (!number) {
        if (const std::uint32_t* last = nameCount_.find(base)) n = *last;
    }
    std::uint32_t& count = nameCount_[base];
    int tries = 0;
    while (byName_.contains(name) || isReserved(name.view())) {
        // torch.fx tries one number after the other, which is quadratic when a long run is taken: leave the run at its end.
        if (++tries == kNumbersTried) n = std::max(n, count);
        name = Name(std::string(baseText) + "_" + std::to_string(++n));
    }
    count = number ? std::max(count, n) : n;
    return name;
}

Graph* Graph::subGraph(Name attribute) const {
    for (const SubGraph& s : subGraphs_)
        if (s.attribute == attribute) return s.graph.get();
    return nullptr;
}

Graph& Graph::addSubGraph(Name attribute, Graph g) {
    subGraphs_.push_back({attribute, std::make_unique<Graph>(std::move(g))});
    return *subGraphs_.back().graph;
}

std::uint64_t Graph::hash() const {
    Hasher h;
    std::vector<std::uint32_t> position(nodes_.size(), 0);
    std::unordered_map<const Type*, std::uint64_t> typeHash;
    std::uint32_t at = 0;
    const std::function<void(const Value&)> addValue = [&](const Value& v) {
        h.add(static_cast<std::uint64_t>(v.kind()));
        switch (v.kind()) {
            case Value::Kind::Node: h.add(position[v.asNode().value]); break;
            case Value::Kind::Bool:
            case Value::Kind::Int: h.add(static_cast<std::uint64_t>(*v.asInt())); break;
            case Value::Kind::Float: h.add(std::bit_cast<std::uint64_t>(*v.asNumber())); break;
            case Value::Kind::Sym: h.add(v.asSym().hash()); break;
            default:
                if (!v.isContainer()) {
                    h.add(v.name());
                    break;
                }
                h.add(v.items().size());
                for (Name k : v.keys()) h.add(k);
                for (const Value& item : v.items()) addValue(item);
        }
    };
    for (NodeId id = first_; id; id = nodes_[id.value].next) {
        const Node& n = nodes_[id.value];
        position[id.value] = ++at;
        h.add(static_cast<std::uint64_t>(n.kind) * 31 + n.flags);
        h.add(n.target);
        h.add(n.args.size());
        for (const Value& v : n.args) addValue(v);
        for (const auto& [k, v] : n.kwargs) {
            h.add(k);
            addValue(v);
        }
        if (n.type) {
            auto [it, fresh] = typeHash.try_emplace(n.type.get(), 0);
            if (fresh) it->second = n.type->hash();
            h.add(it->second);
        } else {
            h.add(0);
        }
    }
    for (const SubGraph& s : subGraphs_) {
        h.add(s.attribute);
        h.add(s.graph->hash());
    }
    return h.value();
}

void Graph::link(NodeId id, NodeId before) {
    Node& n = nodes_[id.value];
    n.next = before;
    n.prev = before ? nodes_[before.value].prev : last_;
    (n.prev ? nodes_[n.prev.value].next : first_) = id;
    (before ? nodes_[before.value].prev : last_) = id;
    if (!before) {
        n.ord = n.prev ? nodes_[n.prev.value].ord + kOrdStep : 0;
        return;
    }
    const std::int64_t high = nodes_[before.value].ord;
    const std::int64_t low = n.prev ? nodes_[n.prev.value].ord : high - 2 * kOrdStep;
    n.ord = low + (high - low) / 2;
    if (n.ord == low) respread();
}

void Graph::unlink(NodeId id) {
    Node& n = nodes_[id.value];
    (n.prev ? nodes_[n.prev.value].next : first_) = n.next;
    (n.next ? nodes_[n.next.value].prev : last_) = n.prev;
    n.prev = n.next = NodeId();
}

void Graph::respread() {
    std::int64_t ord = 0;
    for (NodeId id = first_; id; id = nodes_[id.value].next, ord += kOrdStep) nodes_[id.value].ord = ord;
}

void Graph::addUses(NodeId user, const Value& v, bool fresh) {
    v.forEachNode([&](NodeId used) { addUse(used, user, fresh); });
}

void Graph::removeUses(NodeId user, const Value& v) {
    v.forEachNode([&](NodeId used) { removeUse(used, user); });
}

void Graph::addUse(NodeId used, NodeId user, bool fresh) {
    auto& users = nodes_[used.value].users;
    if (!users.empty() && users.back().id == user) {
        ++users.back().uses;
        return;
    }
    // A node that had no operands so far cannot stand anywhere but at the back.
    if (!fresh) {
        const auto it = std::find_if(users.rbegin(), users.rend(), [&](const Node::User& u) { return u.id == user; });
        if (it != users.rend()) {
            ++it->uses;
            return;
        }
    }
    users.push_back({user, 1});
}

void Graph::removeUse(NodeId used, NodeId user) {
    // From both ends: passes walk forwards or backwards, and a value may have thousands of readers.
    auto& users = nodes_[used.value].users;
    std::size_t at = users.size();
    for (std::size_t front = 0, back = users.size(); front < back; ++front) {
        if (users[--back].id == user) at = back;
        else if (users[front].id == user) at = front;
        else continue;
        break;
    }
    if (at < users.size() && --users[at].uses == 0) users.erase(users.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace aliascope
