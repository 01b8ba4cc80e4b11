#pragma once
// The graph of one compiled function: nodes in a total order, their operands, users and types. The same IR holds the mutable program,
// the functional one and the re-inplaced one. Names follow torch.fx.
//
// Invariants kept by this class: users are exact after every call; names are unique; `before` is O(1); ids are never reused.
// Not kept by it: definition before use, types, alias rules; those are the Verifier's.
// Thread-safety: none; `clone()` gives an independent snapshot, which may be read from other threads.

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/print_style.h"
#include "core/ir/type.h"
#include "core/ir/value.h"
#include "core/support/flat_map.h"
#include "core/support/id.h"
#include "core/support/name.h"
#include "core/support/stable_vector.h"

namespace aliascope {

enum class NodeKind : std::uint8_t { Placeholder, GetAttr, CallFunction, CallMethod, CallModule, Output };
std::string_view toString(NodeKind k);  ///< `call_function`, …

/// Bits of Node::flags; the values are those of session.md's node.flags.
enum NodeFlag : std::uint8_t { FlagNoSchema = 1, FlagUnparsed = 2, FlagGhost = 4, FlagSynthetic = 8, FlagElided = 16 };

/// Where a node came from in the user's program. Index 0 of Graph::provenance is "nothing known".
struct Provenance {
    Name file;
    std::uint32_t line = 0;
    Name function, code;
    Name raw;  ///< the whole comment as read, from `#` on; printed back
};

using Keyword = std::pair<Name, Value>;

struct Node {
    // What every pass reads of every node stands in the first cache line, what it mostly reads in the second.
    NodeId id;
    NodeId prev, next;               ///< kept by Graph
    std::uint32_t provenance = 0;    ///< index into Graph::provenance
    std::int64_t ord = 0;            ///< kept by Graph: sparse order key; smaller = earlier
    Name name;                       ///< unique in its graph
    Name target;                     ///< as spelled: `torch.ops.aten.add.Tensor`, `operator.getitem`, parameter name, attribute path, `output`
    Name op;                         ///< canonical operator of a call (`aten::add.Tensor`, `hop::cond`, `operator::getitem`); empty otherwise
    Name annotation;                 ///< annotation text as read; empty = print from `type`
    NodeKind kind = NodeKind::CallFunction;
    std::uint8_t flags = 0;
    Trust trust = Trust::Unknown;    ///< of `type`

    std::vector<Value> args;         ///< output: one value, the returned tree; placeholder: empty or the default
    std::vector<Keyword> kwargs;
    TypePtr type;                    ///< null = unknown

    struct User { NodeId id; std::uint32_t uses; };
    std::vector<User> users;         ///< kept by Graph: distinct nodes that use this one, by first use
    std::vector<Keyword> meta;       ///< what passes tell each other (`clone_only`); not printed, not part of the hash
    Name modulePath;
    std::uint64_t spanBegin = 0, spanEnd = 0;  ///< bytes in the source text; 0,0 = made by a pass

    bool isCall() const { return kind == NodeKind::CallFunction || kind == NodeKind::CallMethod || kind == NodeKind::CallModule; }
    bool is(Name canonicalOp) const { return op == canonicalOp && kind == NodeKind::CallFunction; }
    const Value* kwarg(Name key) const;
    const Value* metaValue(Name key) const;
    const Value& arg(std::size_t i) const;  ///< None when absent
    const TensorType* tensor() const { return type ? type->asTensor() : nullptr; }
};

/// Type of `node.type` as an annotation prints it: what was read, else what the type says; empty = none.
std::string annotationText(const Node& node);

/// Names of graph stages in PyTorch (formats.md 1).
enum class Phase : std::uint8_t { Unknown, Dynamo, PreGrad, Joint, Forward, Backward, Inference, Export };
std::string_view toString(Phase p);

class Graph {
public:
    Graph() = default;
    Graph(Graph&&) noexcept;
    Graph& operator=(Graph&&) noexcept;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph();

    /// Deep snapshot with equal ids. O(nodes).
    Graph clone() const;

    // --- nodes -----------------------------------------------------------------------------------------------------------------------
    std::size_t size() const { return live_; }  ///< live nodes, output included
    bool contains(NodeId id) const { return id.value < nodes_.size() && alive_[id.value]; }
    const Node& operator[](NodeId id) const { return nodes_[id.value]; }
    std::uint32_t idBound() const { return static_cast<std::uint32_t>(nodes_.size()); }  ///< every id's value is below this
    NodeId first() const { return first_; }
    NodeId last() const { return last_; }
    NodeId output() const { return output_; }  ///< invalid while there is none
    NodeId find(Name name) const;              ///< invalid when absent
    bool before(NodeId a, NodeId b) const { return nodes_[a.value].ord < nodes_[b.value].ord; }
    /// Ids in graph order (a copy: safe while the graph changes).
    std::vector<NodeId> order() const;
    std::vector<NodeId> placeholders() const;
    std::vector<NodeId> users(NodeId id) const;
    bool hasUsers(NodeId id) const { return !nodes_[id.value].users.empty(); }
    /// Operands of a node, each once, in print order.
    std::vector<NodeId> operands(NodeId id) const;

    /// Adds a node at the end. `n.name` is made unique the way torch.fx does; id, links and users are set here.
    NodeId append(Node n) { return insertBefore(NodeId(), std::move(n)); }
    /// For readers: keeps `n.name` as it is when it is free, even where torch.fx would not have chosen it (`input`, `sum`).
    NodeId appendExact(Node n);
    NodeId insertBefore(NodeId at, Node n);  ///< invalid `at` = at the end
    NodeId insertAfter(NodeId at, Node n);   ///< invalid `at` = at the start
    /// Precondition: no users. The name becomes free again; torch.fx would go on counting.
    void erase(NodeId id);
    void moveBefore(NodeId id, NodeId at);
    void moveAfter(NodeId id, NodeId at);

    void setArgs(NodeId id, std::vector<Value> args);
    void setArg(NodeId id, std::size_t i, Value v);
    void setKwargs(NodeId id, std::vector<Keyword> kwargs);
    void setCall(NodeId id, Name target, Name op);
    /// Type and trust; drops the annotation that was read.
    void setType(NodeId id, TypePtr type, Trust trust = Trust::Inferred);
    void setMeta(NodeId id, Name key, Value v);
    void rename(NodeId id, std::string_view candidate);
    /// Raw access for readers (flags, annotation, provenance, …). Do not touch operands, name or links through it.
    Node& edit(NodeId id) { return nodes_[id.value]; }

    /// Every use of `from` becomes `to`; `keep` (if given) decides per user whether it is left alone.
    void replaceAllUses(NodeId from, NodeId to, const std::function<bool(NodeId user)>& keep = {});
    /// Every use of a first becomes its second; no second is a first. Linear, where single replacements into one much used node are not.
    void replaceUses(const std::vector<std::pair<NodeId, NodeId>>& by);
    /// Every use of `from` inside `user` becomes `to`.
    void replaceUsesIn(NodeId user, NodeId from, const Value& to);

    // --- names -----------------------------------------------------------------------------------------------------------------------
    /// torch.fx's rule: a free candidate stays unless Python or torch.fx's own globals use it (`sum`, `slice`, `device`), else `_1`, `_2`, … per base.
    Name uniqueName(std::string_view candidate);

    // --- sub-graphs, constants, facts ----------------------------------------------------------------------------------------------------
    struct SubGraph { Name attribute; std::unique_ptr<Graph> graph; };
    const std::vector<SubGraph>& subGraphs() const { return subGraphs_; }
    std::vector<SubGraph>& subGraphs() { return subGraphs_; }
    Graph* subGraph(Name attribute) const;  ///< null when absent
    Graph& addSubGraph(Name attribute, Graph g);

    std::vector<Provenance> provenance = {Provenance{}};
    SymbolTable symbols;
    PrintStyle style;         ///< how the text that it was read from was laid out
    std::string name;         ///< class name or label
    Phase phase = Phase::Unknown;

    /// Structural hash: kinds, targets, arguments by position, types, order, sub-graphs. Names, provenance, meta and style do not count.
    std::uint64_t hash() const;

private:
    NodeId store(NodeId at, Node n);
    void link(NodeId id, NodeId before);
    void unlink(NodeId id);
    void respread();
    void addUses(NodeId user, const Value& v, bool fresh = false);
    void removeUses(NodeId user, const Value& v);
    void addUse(NodeId used, NodeId user, bool fresh);
    void removeUse(NodeId used, NodeId user);

    StableVector<Node> nodes_;  ///< by id; an erased one keeps its place
    std::vector<bool> alive_;
    std::size_t live_ = 0, placeholders_ = 0;
    NodeId first_, last_, output_;
    FlatMap<Name, NodeId> byName_;
    FlatMap<Name, std::uint32_t> nameCount_;
    std::vector<SubGraph> subGraphs_;
};

/// Range-for over a graph in order: `for (NodeId id : inOrder(g))`. Erasing the current node inside the loop is allowed.
class InOrder {
public:
    explicit InOrder(const Graph& g) : g_(g) {}
    struct Iterator {
        const Graph* g;
        NodeId at, next;
        NodeId operator*() const { return at; }
        Iterator& operator++() { at = next; next = at ? (*g)[at].next : NodeId(); return *this; }
        bool operator!=(const Iterator& o) const { return at != o.at; }
    };
    Iterator begin() const { NodeId f = g_.first(); return {&g_, f, f ? g_[f].next : NodeId()}; }
    Iterator end() const { return {&g_, NodeId(), NodeId()}; }

private:
    const Graph& g_;
};
inline InOrder inOrder(const Graph& g) { return InOrder(g); }

}  // namespace aliascope
