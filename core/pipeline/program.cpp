// Which input of a program's graphs is which value (executor.md 1.3).

#include "core/pipeline/program.h"

#include <algorithm>
#include <map>
#include <set>

namespace aliascope {
namespace {

std::string graphName(std::size_t k) { return "g" + std::to_string(k); }

/// What a graph returns, one by one; a single value counts as one.
std::vector<Value> returnedBy(const Graph& g) {
    if (!g.output()) return {};
    const Value& tree = g[g.output()].arg(0);
    if (tree.isSequence()) return tree.items();
    return {tree};
}

bool isTangent(const Node& n) { return n.name.view().starts_with("tangents_"); }

bool isSize(const Node& n) { return n.type && n.type->asSym(); }

/// Whether a value of type `have` can stand for an input of type `want`, as far as both are known.
bool fits(const TypePtr& want, const TypePtr& have) {
    if (!want || !have) return true;
    const TensorType *a = want->asTensor(), *b = have->asTensor();
    if (!a || !b) return (want->asSym() != nullptr) == (have->asSym() != nullptr) || (!a && !b);
    if (a->dtype != DType::Unknown && b->dtype != DType::Unknown && a->dtype != b->dtype) return false;
    if (a->rank() != b->rank()) return false;
    for (std::size_t d = 0; d < a->rank(); ++d) {
        const auto x = a->sizes[d].constant(), y = b->sizes[d].constant();
        if (x && y && *x != *y) return false;
    }
    return true;
}

std::string typeText(const TypePtr& t) {
    if (!t) return "an unknown type";
    if (const TensorType* tensor = t->asTensor()) return tensor->str(false, false);
    return t->str();
}

}  // namespace

bool isBackward(const Graph& g) {
    if (g.phase == Phase::Backward) return true;
    if (g.phase != Phase::Unknown) return false;
    const auto inputs = g.placeholders();
    return std::any_of(inputs.begin(), inputs.end(), [&](NodeId id) { return isTangent(g[id]); });
}

/// Finds the sources of inputs, graph after graph.
class ProgramBinder {
public:
    ProgramBinder(Program& program, const std::vector<StatedBinding>& stated, const std::vector<int>& compilations)
        : p_(program), stated_(stated), compilations_(compilations) {}

    Status bind() {
        p_.forward_.assign(p_.graphs_.size(), std::nullopt);
        if (auto ok = takeStated(); !ok) return ok;
        for (std::size_t k = 0; k < p_.graphs_.size(); ++k)
            if (isBackward(p_.graphs_[k]))
                if (auto ok = bindBackward(k); !ok) return ok;
        returnWhatIsTaken();
        return {};
    }

private:
    using Places = std::vector<std::optional<std::size_t>>;

    Status takeStated() {
        std::map<std::pair<std::size_t, NodeId>, const StatedBinding*> known;
        for (const StatedBinding& s : stated_) {
            const auto unknown = [&](std::string what, std::string why) {
                Diagnostic d = userError("BIND_UNKNOWN", {{"what", std::move(what)}, {"why", std::move(why)}});
                d.file = s.file;
                d.line = s.line;
                return fail(std::move(d));
            };
            const std::size_t count = p_.graphs_.size();
            if (s.graph >= count) return unknown(graphName(s.graph), "the program has " + std::to_string(count) + " graphs");
            if (s.from >= s.graph) return unknown(graphName(s.from), "a source must run before " + graphName(s.graph));
            const Graph &g = p_.graphs_[s.graph], &from = p_.graphs_[s.from];
            const NodeId input = g.find(s.input);
            if (!input || g[input].kind != NodeKind::Placeholder)
                return unknown(graphName(s.graph) + "." + s.input.str(), "it is no input of that graph");
            Binding b{s.graph, input, s.from, {}, s.out, true};
            if (s.out) {
                const auto returned = returnedBy(from);
                if (*s.out >= returned.size())
                    return unknown(graphName(s.from) + ".out[" + std::to_string(*s.out) + "]",
                                   "that graph returns " + std::to_string(returned.size()) + " values");
                b.node = returned[*s.out].asNode();
                if (!b.node)
                    return unknown(graphName(s.from) + ".out[" + std::to_string(*s.out) + "]", "what is returned there is no value of a node");
            } else {
                b.node = from.find(s.node);
                if (!b.node || b.node == from.output()) return unknown(graphName(s.from) + "." + s.node.str(), "that graph has no such value");
            }
            const auto [other, fresh] = known.try_emplace({s.graph, input}, &s);
            if (!fresh) {
                Diagnostic d = ambiguous(s.graph, s.input, {sourceText(*other->second), sourceText(s)});
                d.file = s.file;
                d.line = s.line;
                return fail(std::move(d));
            }
            if (auto ok = add(b); !ok) return ok;
        }
        return {};
    }

    static std::string sourceText(const StatedBinding& s) {
        return graphName(s.from) + (s.out ? ".out[" + std::to_string(*s.out) + "]" : "." + s.node.str());
    }

    static Diagnostic ambiguous(std::size_t graph, Name input, const std::vector<std::string>& sources) {
        std::string list;
        for (const std::string& s : sources) list += (list.empty() ? "" : ", ") + s;
        Diagnostic d = userError("BIND_AMBIGUOUS", {{"graph", graphName(graph)}, {"input", input.str()}, {"list", list}});
        d.node = input;
        return d;
    }

    Status add(const Binding& b) {
        const Node &input = p_.graphs_[b.graph][b.input], &source = p_.graphs_[b.from][b.node];
        if (!fits(input.type, source.type)) {
            Diagnostic d = userError("SHAPE_MISMATCH", {{"node", graphName(b.graph) + "." + input.name.str()},
                                                        {"arg", graphName(b.from) + "." + source.name.str()},
                                                        {"got", typeText(source.type)},
                                                        {"want", typeText(input.type)}});
            d.node = input.name;
            return fail(std::move(d));
        }
        p_.bindings_.push_back(b);
        return {};
    }

    /// The forward of graph `k`; nothing when none is left.
    std::optional<std::size_t> partnerOf(std::size_t k) const {
        const bool known = compilations_.size() == p_.graphs_.size() && compilations_[k] >= 0;
        std::optional<std::size_t> latest;
        for (std::size_t j = 0; j < k; ++j) {
            const bool taken = std::find(p_.forward_.begin(), p_.forward_.end(), std::optional(j)) != p_.forward_.end();
            if (taken || isBackward(p_.graphs_[j])) continue;
            if (known && compilations_[j] >= 0 && compilations_[j] != compilations_[k]) continue;
            latest = j;
        }
        return latest;
    }

    Status bindBackward(std::size_t k) {
        const Graph& g = p_.graphs_[k];
        const auto partner = partnerOf(k);
        p_.forward_[k] = partner;
        std::vector<NodeId> saved;
        for (const NodeId id : g.placeholders())
            if (!isTangent(g[id]) && !isStated(k, id)) saved.push_back(id);
        if (saved.empty()) return {};
        const Places places = partner ? placesOf(k, *partner) : Places();
        for (const NodeId id : saved) {
            const auto source = partner ? sourceOf(k, id, *partner, places) : std::nullopt;
            if (!source) {
                Diagnostic d = userError("BIND", {{"graph", graphName(k)}, {"input", g[id].name.str()}});
                d.node = g[id].name;
                d.note = partner ? "its forward is " + graphName(*partner) + "; state the source with a line g1.NAME = g0.out[0] in --bind FILE"
                                 : "it is a backward graph and no forward graph runs before it";
                return fail(std::move(d));
            }
            if (auto ok = add(*source); !ok) return ok;
        }
        return {};
    }

    bool isStated(std::size_t k, NodeId input) const {
        return std::any_of(p_.bindings_.begin(), p_.bindings_.end(), [&](const Binding& b) { return b.graph == k && b.input == input; });
    }

    /// By id of the placeholder: which returned value of the forward lies where AOTAutograd puts it. Inputs of a backward are sizes, tensors,
    /// tangents; a forward returns its results, then those tensors, then those sizes. Empty when they do not line up.
    Places placesOf(std::size_t k, std::size_t from) {
        const Graph &g = p_.graphs_[k], &forward = p_.graphs_[from];
        const std::vector<Value>& returned = returnedOf(from).values;
        std::vector<NodeId> sizes, tensors;
        for (const NodeId id : g.placeholders())
            if (!isTangent(g[id])) (isSize(g[id]) ? sizes : tensors).push_back(id);
        if (sizes.size() + tensors.size() > returned.size()) return {};
        Places places(g.idBound());
        std::size_t at = returned.size() - sizes.size() - tensors.size(), agree = 0;
        for (const auto* part : {&tensors, &sizes})
            for (const NodeId id : *part) {
                const NodeId value = returned[at].asNode();
                if (!value || !fits(g[id].type, forward[value].type)) return {};
                if (forward[value].name == g[id].name) ++agree;
                places[id.value] = at++;
            }
        // Passes rename some of the saved values, never most of them.
        return 2 * agree >= sizes.size() + tensors.size() ? places : Places();
    }

    std::optional<Binding> sourceOf(std::size_t k, NodeId input, std::size_t from, const Places& places) {
        const Graph& forward = p_.graphs_[from];
        const Returned& returned = returnedOf(from);
        const NodeId named = forward.find(p_.graphs_[k][input].name);
        if (named && named != forward.output())
            if (const auto place = returned.places.find(named); place != returned.places.end())
                return Binding{k, input, from, named, place->second, false};
        if (!places.empty()) {
            const std::size_t place = *places[input.value];
            return Binding{k, input, from, returned.values[place].asNode(), place, false};
        }
        if (named && named != forward.output()) return Binding{k, input, from, named, std::nullopt, false};
        return std::nullopt;
    }

    struct Returned {
        std::vector<Value> values;
        std::map<NodeId, std::size_t> places;  ///< of each node the first
    };
    const Returned& returnedOf(std::size_t graph) {
        const auto [at, fresh] = returned_.try_emplace(graph);
        Returned& known = at->second;
        if (!fresh) return known;
        known.values = returnedBy(p_.graphs_[graph]);
        for (std::size_t i = 0; i < known.values.size(); ++i)
            if (const NodeId id = known.values[i].asNode()) known.places.try_emplace(id, i);
        return known;
    }

    /// Values that are taken are returned, so that no pass loses them.
    void returnWhatIsTaken() {
        for (Binding& b : p_.bindings_) {
            if (b.out || p_.graphs_[b.from][b.node].kind == NodeKind::Placeholder) continue;
            (void)returnedOf(b.from);
            Returned& returned = returned_.at(b.from);
            const auto [at, fresh] = returned.places.try_emplace(b.node, returned.values.size());
            b.out = at->second;
            if (fresh) returned.values.push_back(Value::node(b.node));
        }
        for (auto& [graph, returned] : returned_) {
            Graph& g = p_.graphs_[graph];
            if (g.output() && returned.values.size() != returnedBy(g).size()) g.setArgs(g.output(), {Value::tuple(std::move(returned.values))});
        }
    }

    Program& p_;
    const std::vector<StatedBinding>& stated_;
    const std::vector<int>& compilations_;
    std::map<std::size_t, Returned> returned_;
};

Result<Program> Program::make(std::vector<Graph> graphs, const std::vector<StatedBinding>& stated, const std::vector<int>& compilations) {
    Program program;
    program.graphs_ = std::move(graphs);
    if (auto ok = ProgramBinder(program, stated, compilations).bind(); !ok) return fail(std::move(ok.error()));
    std::stable_sort(program.bindings_.begin(), program.bindings_.end(), [](const Binding& a, const Binding& b) { return a.graph < b.graph; });
    return program;
}

std::vector<NodeId> Program::openInputs(std::size_t graph) const {
    std::set<NodeId> bound;
    for (const Binding& b : bindings_)
        if (b.graph == graph) bound.insert(b.input);
    std::vector<NodeId> out = graphs_[graph].placeholders();
    std::erase_if(out, [&](NodeId id) { return bound.contains(id); });
    return out;
}

}  // namespace aliascope
