#include "core/text/graph_builder.h"

#include <algorithm>
#include <unordered_set>

#include "core/text/literals.h"
#include "core/text/overloads.h"
#include "core/text/provenance.h"

namespace aliascope {
namespace {

bool takesPart(const Node& n) { return n.kind == NodeKind::CallFunction && !n.op.empty() && (n.flags & FlagUnparsed) == 0; }

/// Functions of Python and of PyTorch's front end, and operators that are no dispatcher operators, have no schema by nature.
bool needsSchema(std::string_view op) {
    for (const std::string_view prefix : {"operator::", "hop::", "builtin::", "math::", "torch::", "method::", "module::"})
        if (op.substr(0, prefix.size()) == prefix) return false;
    return true;
}

/// `torch.ops.aten.add`: what `torch.ops.aten.add.default` is not.
bool namesNoOverload(const Node& n) {
    const std::string_view target = n.target.view();
    return packetOf(n.op) == n.op && needsSchema(n.op.view()) && n.op.view().find("::") != std::string_view::npos && !target.ends_with(".default") &&
           n.op.view().substr(0, 8) != "python::";
}

/// Whether a higher-order operator takes `body` as a graph: as a direct argument of those that have bodies. Wrappers and kernels have none.
bool takesBody(const Node& user, NodeId body) {
    static const std::unordered_set<std::string_view> kWithBody = {"hop::cond",
                                                                   "hop::while_loop",
                                                                   "hop::invoke_subgraph",
                                                                   "hop::map_impl",
                                                                   "hop::scan",
                                                                   "hop::associative_scan",
                                                                   "hop::wrap",
                                                                   "hop::tag_activation_checkpoint",
                                                                   "hop::hints_wrapper",
                                                                   "hop::wrap_with_set_grad_enabled",
                                                                   "hop::wrap_with_autocast",
                                                                   "hop::flex_attention"};
    return kWithBody.contains(user.op.view()) && std::any_of(user.args.begin(), user.args.end(), [&](const Value& v) { return v.asNode() == body; });
}

std::string baseName(const Node& call) {
    const std::string_view target = call.target.view();
    std::string_view last = target.substr(target.rfind('.') + 1);
    const std::string_view op = call.op.view();
    if (op.find("::") != op.npos && target.substr(0, 10) == "torch.ops.") last = op.substr(op.find("::") + 2);
    last = last.substr(0, last.find('.'));
    return std::string(last) + "_nested";
}

}  // namespace

const Value* GraphBuilder::lookup(std::string_view name) {
    Entry* entry = names_.find(name);
    if (!entry) return nullptr;
    if (entry->deleted) {
        entry->deleted = false;
        reporter_.report(warning("R019", {{"name", std::string(name)}}), placeOf(name));
    }
    return &entry->value;
}

std::size_t GraphBuilder::placeOf(std::string_view part) const {
    const std::string_view text = reporter_.source().text();
    const bool inside = part.data() >= text.data() && part.data() <= text.data() + text.size();
    return inside ? static_cast<std::size_t>(part.data() - text.data()) : 0;
}

Value GraphBuilder::undefined(std::string_view name, std::size_t at) {
    if (isSymbolName(name) || graph.symbols.contains(Name(name))) return Value::sym(SymInt::symbol(Name(name)));
    return use(name, at);
}

Value GraphBuilder::use(std::string_view name, std::size_t at) {
    if (const Value* known = lookup(name)) return *known;
    name = Name(name).view();  // the caller's text may be gone before the graph is finished
    // A stand-in until the end: the name may still be defined later, which is another mistake.
    Node n;
    n.kind = NodeKind::Placeholder;
    n.name = Name("ghost of " + std::string(name));
    n.flags = FlagGhost;
    const NodeId id = graph.appendExact(std::move(n));
    names_[name] = Entry{Value::node(id), false, static_cast<std::int32_t>(ghosts_.size())};
    ghosts_.push_back({name, id, at});
    return Value::node(id);
}

bool GraphBuilder::defined(std::string_view name) const {
    const Entry* entry = names_.find(name);
    return entry && entry->ghost < 0;
}

void GraphBuilder::bind(std::string_view name, Value v) { names_[name] = Entry{std::move(v), false, -1}; }

void GraphBuilder::markDeleted(std::string_view name) {
    if (Entry* entry = names_.find(name)) entry->deleted = true;
}

std::optional<Value> GraphBuilder::makeNode(Node call, std::size_t begin, std::size_t end) {
    call.flags |= FlagSynthetic;
    call.name = Name(baseName(call));
    call.spanBegin = begin;
    call.spanEnd = end;
    const NodeId id = graph.append(std::move(call));
    nested_.push_back(id);
    ++nestedCount_;
    return Value::node(id);
}

/// A kernel names buffers and nodes of the graph that it belongs to, and their layouts: nobody can do anything about what does not fit.
Diagnostic GraphBuilder::noteworthy(Diagnostic d) const {
    if (graph.style.quotedNotes) d.severity = Severity::Info;
    return d;
}

/// In a fragment of Inductor's code a buffer that is read has the name of the node that it holds, which the kernel may compute anew.
bool GraphBuilder::isRead(const Value& v) const { return graph.style.quotedNotes && v.isNode() && graph[v.asNode()].kind == NodeKind::Placeholder; }

NodeId GraphBuilder::define(Node n, std::string_view name, std::size_t at) {
    nested_.clear();
    n.name = Name(name);
    const auto [entry, fresh] = names_.insert(name);
    const std::int32_t ghost = fresh ? -1 : entry->ghost;
    if (!fresh && ghost < 0 && isRead(entry->value)) {
        graph.rename(entry->value.asNode(), std::string(name) + "_read");
    } else if (!fresh && ghost < 0) {
        reporter_.report(userError("R011", {{"name", std::string(name)}}), at);
        n.name = Name(std::string(name) + "_duplicate");
    }
    const NodeId id = graph.appendExact(std::move(n));
    *entry = Entry{Value::node(id), false, -1};
    if (ghost >= 0) resolveGhost(ghosts_[static_cast<std::size_t>(ghost)], id, at);
    return id;
}

void GraphBuilder::resolveGhost(Ghost& ghost, NodeId id, std::size_t at) {
    reporter_.report(userError("R013", {{"name", std::string(ghost.name)}}), at);
    graph.replaceAllUses(ghost.standIn, id);
    graph.erase(ghost.standIn);
    ghost.standIn = NodeId();
}

/// The text itself, then the uses in it that can be read.
std::vector<Value> GraphBuilder::unparsedArguments(std::string_view ownName, std::size_t begin, std::size_t end, bool percentUses) {
    // Nodes made for calls inside the statement are part of what could not be read.
    for (auto id = nested_.rbegin(); id != nested_.rend(); ++id)
        if (!graph.hasUsers(*id)) graph.erase(*id);
    const std::string_view text = reporter_.source().text().substr(begin, end - begin);
    std::vector<Value> args;
    args.push_back(Value::named(Value::Kind::Opaque, Name(trimmed(text))));
    std::unordered_set<std::string_view> seen = {ownName};
    PyLexer lexer(text, 0, text.size());
    for (bool marked = false; lexer.token().kind != PyToken::Kind::TextEnd; lexer.take()) {
        const PyToken& t = lexer.token();
        if (t.kind == PyToken::Kind::Name && marked == percentUses && seen.insert(t.text).second) {
            const Entry* entry = names_.find(t.text);
            if (entry && entry->value.isNode()) args.push_back(entry->value);
        }
        marked = t.is("%");
    }
    return args;
}

void GraphBuilder::defineUnparsed(std::string_view name, std::size_t begin, std::size_t end, bool percentUses) {
    Node n;
    n.flags = FlagUnparsed;
    n.target = Name("unparsed");
    n.op = Name("python::unparsed");
    n.args = unparsedArguments(name, begin, end, percentUses);
    n.spanBegin = begin;
    n.spanEnd = end;
    define(std::move(n), name, begin);
}

void GraphBuilder::setUnparsedOutput(std::size_t begin, std::size_t end, bool percentUses) {
    auto args = unparsedArguments({}, begin, end, percentUses);
    setOutput(std::nullopt, begin, end);
    graph.edit(graph.output()).flags |= FlagUnparsed;
    graph.setArgs(graph.output(), std::move(args));
}

void GraphBuilder::setOutput(std::optional<Value> returned, std::size_t begin, std::size_t end) {
    nested_.clear();
    Node n;
    n.kind = NodeKind::Output;
    n.name = n.target = "output"_n;
    if (returned) n.args.push_back(std::move(*returned));
    n.spanBegin = begin;
    n.spanEnd = end;
    graph.appendExact(std::move(n));
}

void GraphBuilder::annotate(Node& n, std::string_view annotation) {
    n.annotation = Name(annotation);
    const auto [it, fresh] = types_.try_emplace(annotation);
    if (fresh) {
        it->second = Type::parseAnnotation(annotation);
        // `f32[` and what follows is no type of Python: something is wrong in it.
        const bool tensorLike = dtypeFromShortName(annotation.substr(0, annotation.find('['))).has_value() && annotation.find('[') != annotation.npos;
        if (tensorLike && it->second->kind() == Type::Kind::Other)
            reporter_.report(noteworthy(warning("R017", {{"got", std::string(annotation.substr(0, 60))}})), placeOf(annotation));
        noteSymbols(*it->second);
    }
    n.type = it->second;
    n.trust = Trust::Stated;
}

void GraphBuilder::noteSymbols(const Type& type) {
    const auto note = [&](const SymInt& s) {
        if (!s.isConst())
            for (const Name name : s.symbols()) graph.symbols.try_emplace(name);
    };
    if (const SymInt* s = type.asSym()) note(*s);
    if (const TensorType* t = type.asTensor()) {
        for (const SymInt& s : t->sizes) note(s);
        if (t->strides)
            for (const SymInt& s : *t->strides) note(s);
    }
}

std::uint32_t GraphBuilder::provenanceOf(std::string_view comment) {
    const auto [it, fresh] = provenance_.try_emplace(Name(comment), static_cast<std::uint32_t>(graph.provenance.size()));
    if (fresh) graph.provenance.push_back(parseProvenance(comment));
    return it->second;
}

bool GraphBuilder::full(std::size_t at) {
    const bool nodes = graph.size() >= limits_.nodesPerGraph;
    if (!nodes && at - begin_ <= limits_.graphBytes) return false;
    if (!full_)
        reporter_.report(nodes ? limitPassed("nodes of one graph", limits_.nodesPerGraph) : limitPassed("bytes of one graph", limits_.graphBytes),
                         at);
    full_ = true;
    return true;
}

void GraphBuilder::makeGhosts() {
    std::erase_if(ghosts_, [](const Ghost& ghost) { return !ghost.standIn; });
    // From the last to the first, each at the start: the order of first use results, and no gap between order keys gets narrow.
    for (auto ghost = ghosts_.rbegin(); ghost != ghosts_.rend(); ++ghost) {
        Node n;
        n.kind = NodeKind::Placeholder;
        n.name = n.target = Name(ghost->name);
        n.flags = FlagGhost;
        const NodeId id = graph.appendExact(std::move(n));
        graph.replaceAllUses(ghost->standIn, id);
        graph.erase(ghost->standIn);
        if (graph.first() != id) graph.moveBefore(id, graph.first());
    }
    for (const Ghost& ghost : ghosts_) {
        Diagnostic d = noteworthy(userError("R012", {{"name", std::string(ghost.name)}}));
        d.node = Name(ghost.name);
        reporter_.report(std::move(d), ghost.at);
    }
    ghosts_.clear();
}

void GraphBuilder::makeOutput(std::size_t at) {
    std::vector<Value> unused;
    for (const NodeId id : inOrder(graph))
        if (!graph.hasUsers(id) && graph[id].kind != NodeKind::Placeholder) unused.push_back(Value::node(id));
    reporter_.report(warning("R020"), at);
    setOutput(Value::tuple(std::move(unused)), at, at);
    graph.edit(graph.output()).flags |= FlagSynthetic;
}

void GraphBuilder::markOperators() {
    std::unordered_set<Name> known, told;
    for (const NodeId id : inOrder(graph)) {
        const Node& n = graph[id];
        if (!takesPart(n)) continue;
        const bool anyOverload = namesNoOverload(n);
        if (!anyOverload && known.contains(n.op)) continue;
        if (!anyOverload && (!needsSchema(n.op.view()) || ops_.find(n.op))) {
            known.insert(n.op);
            continue;
        }
        const OverloadChoice choice = anyOverload ? chooseOverload(ops_, n) : OverloadChoice();
        if (choice.chosen) {
            graph.edit(id).op = choice.chosen->canonical;
            continue;
        }
        graph.edit(id).flags |= FlagNoSchema;
        if (!told.insert(n.op).second) continue;
        Diagnostic d =
            choice.candidates.empty() ? info("R022", {{"op", n.op.str()}}) : warning("R024", {{"op", n.op.str()}, {"list", choice.candidates}});
        d.node = n.name;
        reporter_.report(std::move(d), n.spanBegin);
    }
}

void GraphBuilder::reportMissingSubGraphs() {
    std::unordered_set<Name> told;
    for (const NodeId id : inOrder(graph)) {
        const Node& n = graph[id];
        if (n.kind != NodeKind::GetAttr || graph.subGraph(n.target)) continue;
        const bool body = std::any_of(n.users.begin(), n.users.end(), [&](const Node::User& u) {
            const Node& user = graph[u.id];
            return takesBody(user, id);
        });
        if (!body || !told.insert(n.target).second) continue;
        Diagnostic d = info("R021", {{"name", n.target.str()}});
        d.node = n.name;
        reporter_.report(std::move(d), n.spanBegin);
    }
}

void GraphBuilder::finish(std::size_t at) {
    makeGhosts();
    if (!hasOutput() && graph.size() > 0) makeOutput(at);
    markOperators();
}

}  // namespace aliascope
