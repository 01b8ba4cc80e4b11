#pragma once
// The shape rules that the IR shares (core/ops), asked about values of a run: sizes are numbers, so that a run and its prediction get the same
// answers to the byte.

#include "core/exec/tensor.h"
#include "core/ops/infer.h"

namespace aliascope::exec {

/// One call, as inference sees it. Valid until the next call of `bind`.
class CallTypes {
public:
    CallTypes();
    /// Arguments by schema parameter.
    void bind(const OpDef& op, const std::vector<RuntimeValue>& args);
    Inferred infer() const { return inferCall(InferContext(graph_, call_, typeOf_)); }
    /// Of a call that may share the storage of argument 0; nothing when that is no tensor, or the arguments do not fit.
    std::optional<ViewResult> view() const;

private:
    Value valueOf(const RuntimeValue& v);

    Graph graph_;  ///< empty: nothing here is a symbol
    BoundCall call_;
    std::vector<TypePtr> types_;  ///< of the tensors among the arguments, which stand for nodes 0, 1, …
    std::function<TypePtr(NodeId)> typeOf_;
};

/// Numbers of a list that may hold symbols; nothing when one has no value.
std::optional<Shape> evaluate(const std::vector<SymInt>& values, const SymbolTable& symbols);
/// A type whose parts all have values. Strides that are missing are row-major, a missing offset is 0.
struct Geometry {
    DType dtype = DType::Unknown;
    Shape sizes, strides;
    std::int64_t offset = 0;
    Name device;
};
std::optional<Geometry> evaluate(const TensorType& type, const SymbolTable& symbols);

/// Strides that a library may choose for a result of `sizes`: dense in some order of dims, the rows perhaps padded (executor.md 2.2).
bool denseOrPadded(const Shape& sizes, const Shape& strides);
/// Equal, dims of size 1 left out.
bool sameStrides(const Shape& sizes, const Shape& a, const Shape& b);

}  // namespace aliascope::exec
