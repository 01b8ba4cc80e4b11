#pragma once
// Small tensor programs, traced the way PyTorch traces them: every function below adds the core operators into which PyTorch 2.11's decomposition
// table turns it, typed, and remembers how its gradient is made. Search programs of patterns are run on examples (and, to verify constants, on the
// tensors of a match), replacements on the tensors of a match.
//
// Gradients are PyTorch's own formulas (derivatives.yaml, decompositions of softmax and dropout); where a gradient has another dtype or shape than
// its tensor, it is converted and summed as the autograd engine does.

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::patterns {

/// A program that cannot be run on these tensors. Thrown inside core/patterns only.
struct TraceError {
    std::string message;
};

class Program {
public:
    /// `training`: dropout draws random numbers, and gradients can be asked for.
    Program(const OpRegistry& ops, bool training) : ops_(ops), training_(training) {}

    const Graph& graph() const { return g_; }
    Graph& graph() { return g_; }
    const OpRegistry& ops() const { return ops_; }
    bool training() const { return training_; }

    /// Ends the program with its results, as one tuple. Returns the output.
    NodeId finish(std::vector<Value> results);
    /// A placeholder. A program value is a node, or a number (Value::Int, Value::Float, Value::Sym).
    Value input(const std::string& name, TensorType type, bool requiresGrad);
    /// Throws when `v` is no tensor of known shape, device and strides.
    const TensorType& tensor(const Value& v) const;

    /// Any operator; its result has no gradient.
    Value call(Name op, std::vector<Value> args, std::vector<Keyword> kwargs = {});

    Value permute(const Value& x, std::vector<std::int64_t> dims);
    Value transpose(const Value& x, std::int64_t i, std::int64_t j);
    Value reshape(const Value& x, std::vector<SymInt> sizes);
    Value expand(const Value& x, std::vector<SymInt> sizes);
    Value bmm(const Value& a, const Value& b);
    Value matmul(const Value& a, const Value& b);
    Value add(const Value& a, const Value& b);
    Value mul(const Value& a, const Value& b);
    Value div(const Value& a, const Value& b);
    Value softmax(const Value& x, std::int64_t dim);
    Value dropout(const Value& x, const Value& p);
    Value convert(const Value& x, DType dtype);
    Value where(const Value& condition, const Value& x, const Value& y);
    /// A constant of dtype and device of `like`; no sizes = a 0-d tensor.
    Value full(const Value& value, const Value& like, std::vector<SymInt> sizes = {});
    Value unsqueeze(const Value& x, std::int64_t dim);
    Value squeeze(const Value& x, std::int64_t dim);
    Value select(const Value& tuple, std::int64_t item);

    /// Scaled dot-product attention by the kernel that PyTorch chooses for these tensors (attention_kernels.h).
    struct Attention {
        Value query, key, value, mask;  ///< mask: None, an additive or a boolean tensor
        Value dropout = Value::real(0.0);
        bool causal = false;
        Value scale;  ///< None = 1/sqrt(last size of query)
    };
    Value attention(const Attention& call);

    /// Adds the gradients of `result` weighted with `tangent`; one per element of `wrt`, None where there is none.
    std::vector<Value> backward(const Value& result, const Value& tangent, const std::vector<Value>& wrt);

    bool requiresGrad(const Value& v) const { return v.isNode() && requiring_.contains(v.asNode()); }
    /// How the gradient of `result` goes on to its operands: called once, with the complete gradient.
    void onBackward(const Value& result, const std::vector<Value>& operands, std::function<void(Value grad)> step);
    /// Adds `grad` to the gradient of `to`, if `to` needs one.
    void accumulate(const Value& to, Value grad);

private:
    struct Step {
        NodeId result;
        std::function<void(Value)> run;
    };
    Value sumTo(const Value& grad, const std::vector<SymInt>& sizes);
    Value convertWithoutGradient(const Value& x, DType dtype);
    Value zeroLike(const Value& like);
    Value fold(const Value& x, const std::vector<SymInt>& batch, const SymInt& folded);

    const OpRegistry& ops_;
    const bool training_;
    Graph g_;
    std::vector<Step> tape_;
    std::unordered_map<NodeId, bool> requiring_;
    std::unordered_map<NodeId, Value> gradients_;
};

/// Sizes as arguments: integers, and symbols as they are.
Value sizesValue(const std::vector<SymInt>& sizes);
Value dtypeValue(DType dtype);

}  // namespace aliascope::patterns
