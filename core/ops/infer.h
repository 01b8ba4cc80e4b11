#pragma once
// Shape, dtype, stride and offset inference, one file per op family (architecture.md 2). A family registers an inference function per
// canonical operator; nothing else in the program switches over operators.
//
// View operators are exact: sizes, strides and storage offset follow from the operand's. Other operators get dtype by promotion, sizes by
// their rule and strides as PyTorch lays the result out, marked Assumed where that is a guess.

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope {

struct Inferred {
    TypePtr type;                  ///< null = nothing known
    Trust trust = Trust::Unknown;  ///< Inferred or Assumed
};

/// What an inference function sees: bound arguments, and the types of nodes.
class InferContext {
public:
    InferContext(const Graph& g, const BoundCall& call, const std::function<TypePtr(NodeId)>& typeOf) : graph(g), call(call), typeOf(typeOf) {}
    const Graph& graph;
    const BoundCall& call;
    const std::function<TypePtr(NodeId)>& typeOf;

    /// Bound argument; None when absent: an operator file may give a known operator another schema.
    const Value& value(std::size_t i) const {
        static const Value none;
        return i < call.values.size() ? call.values[i] : none;
    }
    const TensorType* tensor(std::size_t i) const;       ///< of a node argument; null when unknown
    const TensorType* tensorOf(NodeId id) const;         ///< valid as long as this context
    std::optional<SymInt> symInt(const Value& v) const;  ///< an int, a symbol expression, or a node of symbolic type
    std::optional<std::vector<SymInt>> symInts(const Value& v) const;

private:
    mutable std::vector<TypePtr> held_;  // types that nobody else keeps alive
};

using InferFn = Inferred (*)(const InferContext&);

/// Inference of an operator; null when no family knows it.
InferFn inferenceOf(Name canonicalOp);
/// Type of a node from its operands' types in the graph; `{}` when nothing can be said. Handles getitem on tuples, wrappers
/// (`auto_functionalized*`, Triton), symbolic arithmetic, and every registered family. `typeOf` overrides the operands' types when given.
Inferred inferNode(const OpRegistry& ops, const Graph& g, NodeId id, const std::function<TypePtr(NodeId)>& typeOf = {});
/// Type of a bound call that need not be a node: an operator with schema, on the types that `c` gives.
Inferred inferCall(const InferContext& c);
/// Fills in types that are missing, in graph order, without changing stated ones: a stated type whose strides or device are missing is completed
/// (trust stays Stated; the annotation text that was read is kept, so that the graph prints as it was read).
void inferMissingTypes(const OpRegistry& ops, Graph& g);
/// Infers and sets the type of a node that a pass has just made.
void setInferredType(const OpRegistry& ops, Graph& g, NodeId id);

/// What a call that may share its first tensor's storage gives: one type, or several (split, unbind).
struct ViewResult {
    std::vector<TensorType> types;  ///< parts that do not follow from the base stay unknown (strides, offset)
    bool list = false;              ///< the call's result is a list of `types`
    /// Yes for view operators; No when `reshape`, `contiguous`, `to` … copy; Unknown when the layout does not decide.
    Tri aliases = Tri::Yes;
};
/// The same as viewGeometry, but keeps a missing `base.offset` missing, answers also when strides are unknown, and for operators that copy in
/// some cases. Nothing when the operator shares no storage or its arguments are not understood.
std::optional<ViewResult> viewResult(const InferContext& ctx, const TensorType& base);

/// Geometry of view operator results, exact, with absolute offsets: the result types of `viewOp` applied to `base` (several for split, unbind).
/// `base.offset` missing counts as 0. Nothing when the operator is no view, arguments are not understood, or strides are unknown.
std::optional<std::vector<TensorType>> viewGeometry(const InferContext& ctx, const TensorType& base);

/// Whether `reshape(base, sizes)` can be a view, and then its strides; nothing = a copy, or undecided (`decided` says which).
std::optional<std::vector<SymInt>> reshapeStrides(const TensorType& base, const std::vector<SymInt>& sizes, bool* decided = nullptr);

}  // namespace aliascope
