#pragma once
// How an operator computes (executor.md 1.5, 2). The executor resolves arguments, makes the results' tensors from the shape rules that the IR shares
// (core/ops), and hands both to a kernel. View operators, `*_copy` operators, `reshape` and its like, in-place and out= forms of elementwise
// operators, and foreach operators need no kernel of their own: the executor makes them from the view rules and from the functional kernel.
//
// One family of operators = one file in core/exec/cpu; kernel_table.cpp calls them all, so that a static library drops none.

#include <string>
#include <string_view>
#include <unordered_map>

#include "core/exec/tensor.h"
#include "core/ir/op_registry.h"
#include "core/support/diagnostic.h"

namespace aliascope::exec {

/// Which numbers a kernel computes. Reference: plain loops, sums and products of floats in f64, one rounding (executor.md 7.7).
enum class Precision : std::uint8_t { Reference, Fast };

/// Stream of random numbers of one node: Philox-4x32-10 (executor.md 2.3, random).
struct RandomState {
    std::uint64_t seed = 0, offset = 0;
};

/// What a kernel did that its caller should know: a warning of reason-codes.md; `node` is filled in by the executor.
struct KernelNote {
    std::string code;
    Params params;
};

/// A call as a kernel sees it. Arguments stand by schema parameter, defaults filled in.
struct OpCall {
    const OpDef* op = nullptr;  ///< null for operators without schema (symbolic arithmetic, prims of Python)
    Name name;                  ///< canonical operator
    std::vector<RuntimeValue> args;
    std::vector<Tensor> outputs;  ///< allocated, uninitialised, flattened; None results have no storage
    Tensor workspace;             ///< u8; as many bytes as Kernel::workspace asked for
    Precision precision = Precision::Reference;
    RandomState random;
    std::vector<KernelNote> notes;  ///< by the kernel

    /// By parameter name; None when the operator has no such parameter.
    const RuntimeValue& arg(std::string_view param) const;
    // The following throw ExecError naming the argument when the value is of another kind.
    const Tensor& tensor(std::size_t i) const;
    const Tensor* optionalTensor(std::size_t i) const;  ///< null for None
    std::int64_t integer(std::size_t i) const;
    double number(std::size_t i) const;  ///< Python numbers and 0-d tensors
    bool flag(std::size_t i) const;
    Shape ints(std::size_t i) const;                          ///< an int stands for a list of one; None = empty
    std::vector<Tensor> tensors(std::size_t i) const;         ///< a tensor list, None elements as tensors without storage
    std::int64_t dim(std::size_t i, std::size_t rank) const;  ///< wrapped
    Tensor& out(std::size_t i = 0) { return outputs.at(i); }
};

/// Thrown by kernels for wrong arguments and data (index out of range, shapes that do not fit, not implemented dtype); the executor turns it into a
/// diagnostic that names the node. `code` is one of reason-codes.md, `params` are those of its sentence; `node` and `op` are filled in by the
/// executor.
struct ExecError {
    std::string code;
    Params params;
};
[[noreturn]] void failExec(std::string_view code, Params params);
/// SHAPE_MISMATCH of a parameter.
[[noreturn]] void failShape(std::string_view argument, std::string got, std::string want);
/// UNSUPPORTED_OP: what this kernel cannot do.
[[noreturn]] void failUnsupported(std::string why);

using KernelFn = void (*)(OpCall& call);
/// Types of the results where the shape rules cannot tell before the data are seen (nonzero, masked_select, unique), or do not know the operator.
using ResultTypesFn = std::vector<TensorType> (*)(const OpCall& call);
using WorkspaceFn = std::int64_t (*)(const OpCall& call);

/// Bound on the error of a result (executor.md 5.3).
enum class ToleranceClass : std::uint8_t { Exact, Rounded, Transcendental, Reduction, Matmul, Attention, Random };

struct Kernel {
    KernelFn run = nullptr;
    KernelFn fast = nullptr;  ///< null = `run` serves
    ResultTypesFn resultTypes = nullptr;
    WorkspaceFn workspace = nullptr;
    ToleranceClass tolerance = ToleranceClass::Exact;
    /// Element i of every result depends on element i of the operands only: the in-place form may write over `self`.
    bool elementwise = false;
    /// Converts elements and does nothing else: floats beyond an integer type are noted (CAST_RANGE).
    bool casts = false;
    bool dataDependent = false;  ///< result sizes depend on data: a prediction is conditional
};

class KernelTable {
public:
    Kernel& add(std::string_view op, KernelFn run, ToleranceClass tolerance = ToleranceClass::Exact);
    const Kernel* find(Name op) const;
    const std::unordered_map<Name, Kernel>& entries() const { return entries_; }
    static const KernelTable& cpu();

private:
    std::unordered_map<Name, Kernel> entries_;
};

}  // namespace aliascope::exec
