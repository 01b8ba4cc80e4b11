#pragma once
// Functional wrappers: the calls in which functionalization hides an operator that writes (functionalize.md 5 to 7).
//
// `auto_functionalized` (v1) takes the operator and all its arguments and returns its results, then one new value per written argument;
// `auto_functionalized_v2` takes bases and says how each written argument is cut out of one; `triton_kernel_wrapper_functional` takes a kernel's
// arguments and returns new values by name. None of them writes. Reading one never fails on odd text: what cannot be told is left empty.

#include <optional>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope {

/// Meta of a functional operator: parameters that shared the memory which the operator wrote in the program; it may be written there again.
/// functionalize{custom-ops=auto} states it, re-inplacing by extent reads it.
inline const Name kReadsOwnMemory("reads_own_memory");
/// Meta of the output: for each returned value (nodes of argument 0, counted through) the graph input whose memory it shows in the program, or an
/// empty name. Stated and read by the same two.
inline const Name kShownInputs("shown_inputs");

enum class WrapperKind : std::uint8_t { None, V1, V2, Launch };
WrapperKind wrapperKind(const Node& node);

/// How one written tensor of a v2 call is cut out of its base (functionalize.md 6.2).
struct ViewEncoding {
    enum class Kind : std::uint8_t { Absent, Base, Alias, Slice, AsStrided } kind = Kind::Absent;
    std::size_t base = 0;        ///< index into the bases
    Value dim, start, end;       ///< of Slice
    Value size, stride, offset;  ///< of AsStrided; offset counts from the start of the storage
};

/// One written argument of a wrapped operator.
struct WrappedArgument {
    Name param;
    bool list = false;
    Value value;                      ///< v1 and launches: what the call states; None when absent
    std::vector<ViewEncoding> views;  ///< v2: one per tensor; a list has one per element
    bool written = true;              ///< false: a read-only argument that is cut out of a base
};

struct WrapperCall {
    WrapperKind kind = WrapperKind::None;
    Name inner;                              ///< wrapped operator; empty for a launch
    const OpDef* definition = nullptr;       ///< of `inner`; null = no schema
    std::size_t results = 1;                 ///< results 0 to results-1 are the operator's own; the new values follow
    std::vector<WrappedArgument> arguments;  ///< in schema order, for launches in the order of `tensors_to_clone`
    std::vector<Value> bases;                ///< of v2
    bool assumed = false;                    ///< there was no schema: written arguments and `results` are guessed from the text
};
/// Nothing when the node is no wrapper or lacks what makes one (operator, bases, kwargs of the launch).
std::optional<WrapperCall> readWrapper(const OpRegistry& ops, const Graph& g, NodeId id);

/// Geometry of one encoded view, when base and numbers are known.
std::optional<TensorType> encodedGeometry(const Graph& g, const TensorType& base, const ViewEncoding& view);

/// `3` or a node whose type is a symbolic integer, as a SymInt.
std::optional<SymInt> asSymInt(const Graph& g, const Value& v);
/// Tensors of an argument: a node, or the nodes of a list (invalid ids for None elements).
std::vector<NodeId> tensorsOf(const Value& v);

}  // namespace aliascope
