#pragma once
// What the node loop knows of a graph before it runs it: operators and bound arguments, last uses, what annotations state. Made once per graph and
// run, however often the graph is called.

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/exec/backend.h"
#include "core/exec/op_bodies.h"
#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::exec {

/// How an operator runs.
enum class Means : std::uint8_t {
    Unknown,
    Symbolic,  ///< arithmetic on Python numbers, getitem, sizes and strides
    HigherOrder,
    View,    ///< a view, or a copy where the layout wants one
    Handle,  ///< changes the geometry of its argument only (`t_`)
    Foreach,
    Body,     ///< from an `.ops` file
    InPlace,  ///< writes arguments: in-place and out= forms
    Kernel,
    ViewCopy,       ///< `*_copy`: a view, copied row-major
    Uninitialised,  ///< `empty`
    HostRead,       ///< a number out of a tensor
    Nothing,        ///< ends a graph of a program: its operands live until there
};

struct OpPlan {
    Means means = Means::Unknown;
    const OpDef* op = nullptr;
    const Kernel* kernel = nullptr;
    const std::vector<OpBody>* bodies = nullptr;
    // Of InPlace and Handle:
    const OpDef* functional = nullptr;
    const Kernel* functionalKernel = nullptr;
    std::vector<std::size_t> written;  ///< parameters
};

/// Operators of a run, looked up once each.
class OpPlans {
public:
    OpPlans(const OpRegistry& ops, const Backend& backend, const OpBodies* bodies) : ops_(ops), backend_(backend), bodies_(bodies) {}
    const OpPlan& of(const OpDef& op);
    const OpRegistry& registry() const { return ops_; }
    const OpBodies* bodies() const { return bodies_; }

private:
    OpPlan make(const OpDef& op) const;

    const OpRegistry& ops_;
    const Backend& backend_;
    const OpBodies* bodies_;
    std::unordered_map<const OpDef*, OpPlan> plans_;
};

struct NodePlan {
    Means means = Means::Unknown;
    const OpPlan* op = nullptr;
    std::vector<Value> values;         ///< of operators with schema: by parameter
    std::optional<Diagnostic> misfit;  ///< why the arguments do not fit the schema
    std::vector<NodeId> dies;          ///< operands whose last use this is, in print order
    bool unused = false;               ///< nobody uses the value
    bool onlyItems = false;            ///< every user takes one item by number
    std::vector<std::int64_t> taken;   ///< these items, sorted
    bool lastOfItem = false;           ///< of getitem: no later node takes this item
    std::vector<TypePtr> stated;       ///< annotations of the results; one for a tensor, by item for a tuple
};

class GraphPlan {
public:
    GraphPlan(const Graph& g, OpPlans& ops);
    const NodePlan& operator[](NodeId id) const { return nodes_[id.value]; }
    /// Symbols that the placeholders bind: of each its placeholder and dimension (-1 = the value itself).
    struct SymbolSource {
        Name symbol;
        std::size_t placeholder = 0;
        int dim = -1;
    };
    const std::vector<SymbolSource>& symbolSources() const { return symbols_; }
    std::uint32_t body = 0;  ///< number of the body (memory::Site)

private:
    void planCall(const Graph& g, NodeId id, OpPlans& ops);
    void findLastUses(const Graph& g);
    void findItems(const Graph& g);
    void findSymbols(const Graph& g);

    std::vector<NodePlan> nodes_;
    std::vector<SymbolSource> symbols_;
};

}  // namespace aliascope::exec
