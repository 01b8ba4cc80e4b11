#pragma once
// The steps of reduceGraph on one graph, each on a clone that is thrown away when it does not help. Every function tells whether it changed
// something. Private to core/reduce.

#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::reduce {

// --- nodes (node_moves.cpp)

/// What a call becomes when it is taken out.
enum class TakeOut : std::uint8_t {
    Bypass,  ///< its users read an operand of its type
    Cut,     ///< else they read a new input; of the main graph only
};
std::vector<NodeId> calls(const Graph& g);
/// Those of `ids` that nothing replaces stay.
bool takeOut(Graph& g, const std::vector<NodeId>& ids, TakeOut how);
/// Items of the returned tuple; 0 when a single value is returned.
std::size_t resultCount(const Graph& g);
bool dropResults(Graph& g, std::size_t begin, std::size_t end);
/// Constants and, of the main graph, inputs that nothing uses.
std::vector<NodeId> idleInputs(const Graph& g, bool main);
bool erase(Graph& g, const std::vector<NodeId>& idle);
/// Bodies that no constant names any more.
bool dropIdleBodies(Graph& g);

// --- arguments (argument_moves.cpp)

/// Plainer values for one argument of a node; position past the positional arguments means keywords.
struct ArgumentStep {
    NodeId node;
    std::size_t position = 0;
    Value plainer;
    bool drop = false;  ///< the keyword goes
};
std::vector<ArgumentStep> argumentSteps(const Graph& g, const OpRegistry& ops);
bool apply(Graph& g, const ArgumentStep& step);

// --- shapes (shape_moves.cpp)

/// Sizes above 1 of inputs, largest first, each once.
std::vector<std::int64_t> inputSizes(const Graph& g);
/// Size `from` becomes `to` in the inputs and, with `numbers`, wherever that number stands in an argument; other types follow.
bool resize(Graph& g, const OpRegistry& ops, std::int64_t from, std::int64_t to, bool numbers);
bool resizeDimension(Graph& g, const OpRegistry& ops, NodeId input, std::size_t dimension, std::int64_t to);
/// The input lies row-major.
bool makeContiguous(Graph& g, const OpRegistry& ops, NodeId input);
/// Every symbol becomes its hint, or 8.
bool makeStatic(Graph& g, const OpRegistry& ops);

}  // namespace aliascope::reduce
