// The graphs of a program as one graph.

#include <map>
#include <set>

#include "core/pipeline/graph_copy.h"
#include "core/pipeline/program.h"
#include "core/pipeline/substitute_symbols.h"

namespace aliascope {
namespace {

const std::vector<Value>& itemsOf(const Graph& g, std::vector<Value>& single) {
    static const std::vector<Value> none;
    if (!g.output()) return none;
    const Value& tree = g[g.output()].arg(0);
    if (tree.isSequence()) return tree.items();
    single = {tree};
    return single;
}

class Linker {
public:
    Linker(const Program& program, const std::vector<const Graph*>& stages, const std::vector<std::uint32_t>& offsets)
        : p_(program), stages_(stages), offsets_(offsets), returned_(stages.size()), taken_(stages.size()) {
        std::vector<Value> single;
        for (std::size_t k = 0; k < stages.size(); ++k) returned_[k] = itemsOf(*stages[k], single);
    }

    Graph run() {
        out_.name = "program";
        bindInputs();
        for (std::size_t k = 0; k < stages_.size(); ++k) addNodes(k);
        fill(offsets_.back());
        addOutputs();
        for (const NodeId id : gaps_) out_.erase(id);
        arrange();
        for (std::size_t k = 0; k < stages_.size(); ++k) setOperands(k);
        setOutputs();
        return std::move(out_);
    }

private:
    std::size_t last() const { return stages_.size() - 1; }
    NodeId idOf(std::size_t k, NodeId id) const { return NodeId(offsets_[k] + id.value); }
    std::string prefixed(std::size_t k, Name name) const { return "g" + std::to_string(k) + "_" + name.str(); }

    /// What stands for each bound input.
    void bindInputs() {
        for (std::size_t k = 0; k < stages_.size(); ++k) source_.emplace_back(stages_[k]->idBound());
        for (const Binding& b : p_.bindings()) {
            if (b.out && *b.out >= returned_[b.from].size()) continue;
            const Value value = b.out ? returned_[b.from][*b.out] : Value::node(b.node);
            if (b.out) taken_[b.from].insert(*b.out);
            source_[b.graph][b.input.value] = mapped(b.from, value);
        }
    }

    /// A value of graph `k` in the linked graph. Sources run before the graphs that take them, so that theirs are known.
    Value mapped(std::size_t k, const Value& v) const {
        const Value own = k < symbols_.size() && !symbols_[k].empty() ? substituted(v, symbols_[k]) : v;
        return own.mapNodes([&](NodeId id) { return source_[k][id.value] ? *source_[k][id.value] : Value::node(idOf(k, id)); });
    }

    void fill(std::uint32_t bound) {
        while (out_.idBound() < bound) {
            Node gap;
            gap.kind = NodeKind::Placeholder;
            gap.name = Name("gap " + std::to_string(out_.idBound()));
            gaps_.push_back(out_.appendExact(std::move(gap)));
        }
    }

    void addNodes(std::size_t k) {
        const Graph& g = *stages_[k];
        const auto provenance = static_cast<std::uint32_t>(out_.provenance.size()) - 1;
        out_.provenance.insert(out_.provenance.end(), g.provenance.begin() + 1, g.provenance.end());
        const SymbolSubstitution& by = symbols_.emplace_back(substitutionFor(k));
        for (const auto& [symbol, facts] : g.symbols) {
            const auto other = by.find(symbol);
            if (other == by.end()) {
                out_.symbols.try_emplace(symbol, facts);
            } else if (const auto names = other->second.symbols(); names.size() == 1 && other->second == SymInt::symbol(names[0])) {
                out_.symbols.try_emplace(names[0], facts);
            }
        }
        if (k == 0) out_.style = g.style;
        for (const Graph::SubGraph& sub : g.subGraphs())
            if (sub.graph) out_.addSubGraph(attributeOf(k, sub.attribute), sub.graph->clone());
        for (std::uint32_t i = 0; i < g.idBound(); ++i) {
            const NodeId id(i);
            if (!g.contains(id) || g[id].kind == NodeKind::Output || source_[k][i]) continue;
            fill(offsets_[k] + i);
            Node n = withoutOperands(g[id]);
            if (n.provenance > 0) n.provenance += provenance;
            if (k > 0 && out_.find(n.name)) n.name = Name(prefixed(k, n.name));
            if (n.kind == NodeKind::Placeholder && k > 0) n.target = n.name;
            if (n.kind == NodeKind::GetAttr) n.target = attributeOf(k, n.target);
            if (TypePtr type = by.empty() ? n.type : substituted(n.type, by); !sameType(type, n.type)) {
                n.type = std::move(type);
                n.annotation = Name();
            }
            out_.appendExact(std::move(n));
        }
    }

    /// Symbols are those of a compilation: a backward has its forward's. What another graph calls alike is another size, or the size of the value
    /// that an input is bound to.
    SymbolSubstitution substitutionFor(std::size_t k) const {
        if (const auto forward = p_.forwardOf(k)) return symbols_[*forward];
        SymbolSubstitution out;
        const Graph& g = *stages_[k];
        for (const auto& [symbol, facts] : g.symbols)
            if (out_.symbols.contains(symbol)) out.try_emplace(symbol, SymInt::symbol(Name(prefixed(k, symbol))));
        for (std::uint32_t i = 0; k > 0 && i < g.idBound(); ++i) {
            const NodeId source = source_[k][i] ? source_[k][i]->asNode() : NodeId();
            if (source && out_.contains(source)) takeSizes(g[NodeId(i)].type, out_[source].type, out);
        }
        return out;
    }

    static void takeSizes(const TypePtr& input, const TypePtr& source, SymbolSubstitution& out) {
        const auto take = [&](const SymInt& own, const SymInt& size) {
            const auto names = own.symbols();
            if (names.size() == 1 && own == SymInt::symbol(names[0])) out[names[0]] = size;
        };
        if (!input || !source) return;
        if (input->asSym() && source->asSym()) take(*input->asSym(), *source->asSym());
        const TensorType *a = input->asTensor(), *b = source->asTensor();
        if (!a || !b || a->rank() != b->rank()) return;
        for (std::size_t d = 0; d < a->rank(); ++d) take(a->sizes[d], b->sizes[d]);
    }

    /// Constants and bodies of different graphs share no names.
    Name attributeOf(std::size_t k, Name attribute) {
        const auto [at, fresh] = attributes_.try_emplace({k, attribute}, attribute);
        if (fresh && !usedAttributes_.insert(attribute).second) {
            at->second = Name(prefixed(k, attribute));
            usedAttributes_.insert(at->second);
        }
        return at->second;
    }

    /// Where each graph returns, in the order of graphs; of the last the program does.
    void addOutputs() {
        for (std::size_t k = 0; k < stages_.size(); ++k) {
            Node n;
            if (k == last()) {
                n.kind = NodeKind::Output;
                n.name = n.target = Name("output");
            } else {
                n.name = Name("g" + std::to_string(k) + "_output");
                n.op = Name(kGraphOutput);
                n.target = spellOp(n.op);
            }
            outputs_.push_back(out_.appendExact(std::move(n)));
        }
    }

    /// Inputs of all graphs, then each graph in its order.
    void arrange() {
        NodeId at;
        const auto next = [&](NodeId id) {
            if (at)
                out_.moveAfter(id, at);
            else if (out_.first() != id)
                out_.moveBefore(id, out_.first());
            at = id;
        };
        for (const bool inputs : {true, false})
            for (std::size_t k = 0; k < stages_.size(); ++k) {
                for (const NodeId id : inOrder(*stages_[k])) {
                    const NodeKind kind = (*stages_[k])[id].kind;
                    if (kind == NodeKind::Output || (kind == NodeKind::Placeholder) != inputs || source_[k][id.value]) continue;
                    next(idOf(k, id));
                }
                if (!inputs) next(outputs_[k]);
            }
    }

    void setOperands(std::size_t k) {
        const Graph& g = *stages_[k];
        for (const NodeId id : inOrder(g)) {
            const Node& n = g[id];
            if (n.kind == NodeKind::Output || source_[k][id.value]) continue;
            std::vector<Value> args;
            for (const Value& v : n.args) args.push_back(mapped(k, v));
            if (!args.empty()) out_.setArgs(idOf(k, id), std::move(args));
            std::vector<Keyword> kwargs;
            for (const Keyword& kw : n.kwargs) kwargs.emplace_back(kw.first, mapped(k, kw.second));
            if (!kwargs.empty()) out_.setKwargs(idOf(k, id), std::move(kwargs));
        }
    }

    void setOutputs() {
        std::vector<Value> results;
        for (std::size_t k = 0; k < last(); ++k) {
            // All of them in order, so that results of two stages can be compared by number.
            std::vector<Value> values;
            for (const Value& v : returned_[k])
                mapped(k, v).forEachNode([&](NodeId id) {
                    const bool size = out_[id].type && out_[id].type->asSym();
                    if (!size) values.push_back(Value::node(id));
                });
            if (values.empty())
                out_.erase(outputs_[k]);
            else
                out_.setArgs(outputs_[k], {Value::list(std::move(values))});
            // Gradients stay; what a forward returned and nobody took is gone with it.
            if (!isBackward(p_.graphs()[k])) continue;
            for (std::size_t i = 0; i < returned_[k].size(); ++i)
                if (!taken_[k].contains(i)) results.push_back(mapped(k, returned_[k][i]));
        }
        const std::vector<Value>& values = returned_[last()];
        for (const Value& v : values) results.push_back(mapped(last(), v));
        out_.setArgs(outputs_[last()], {Value::tuple(std::move(results))});
    }

    const Program& p_;
    const std::vector<const Graph*>& stages_;
    const std::vector<std::uint32_t>& offsets_;
    std::vector<std::vector<Value>> returned_;
    std::vector<std::set<std::size_t>> taken_;               ///< by graph: returned values that others take
    std::vector<std::vector<std::optional<Value>>> source_;  ///< by graph and id: of bound inputs, in the linked graph
    std::vector<SymbolSubstitution> symbols_;                ///< by graph, as far as they are linked
    std::map<std::pair<std::size_t, Name>, Name> attributes_;
    std::set<Name> usedAttributes_;
    std::vector<NodeId> gaps_, outputs_;
    Graph out_;
};

}  // namespace

Graph Program::link(const std::vector<const Graph*>& stages, const std::vector<std::uint32_t>& offsets) const {
    return Linker(*this, stages, offsets).run();
}

std::vector<std::uint32_t> Program::offsets(const std::vector<std::uint32_t>& idBounds) {
    std::vector<std::uint32_t> out(1, 0);
    for (const std::uint32_t bound : idBounds) out.push_back(out.back() + bound);
    return out;
}

Graph Program::linked() const {
    std::vector<const Graph*> graphs;
    std::vector<std::uint32_t> bounds;
    for (const Graph& g : graphs_) {
        graphs.push_back(&g);
        bounds.push_back(g.idBound());
    }
    return link(graphs, offsets(bounds));
}

}  // namespace aliascope
