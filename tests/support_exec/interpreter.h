#pragma once
// Runs a graph node by node, the way eager PyTorch would: views share bytes, in-place operators and custom operators write them, functional wrappers
// clone first (functionalize.md 5, 6.4). Covers the operators that tests of passes need; anything else is an error that names the node.
//
// The mutable custom operators are those of the reference programs: mylib::foo, foo_ret, two, lst, opt, cache; kernel 0 is `out = x + 1`.

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "tests/support_exec/strided_tensor.h"

namespace aliascope::testing {

struct RuntimeValue;
using RuntimeList = std::vector<RuntimeValue>;

/// None, integer or boolean, float, text (dtype, key), tensor, list, dictionary.
struct RuntimeValue {
    std::variant<std::monostate, std::int64_t, double, std::string, StridedTensor, RuntimeList, std::map<std::string, RuntimeValue>> data;

    RuntimeValue() = default;
    RuntimeValue(std::int64_t i) : data(i) {}
    RuntimeValue(double d) : data(d) {}
    RuntimeValue(StridedTensor t) : data(std::move(t)) {}
    RuntimeValue(RuntimeList l) : data(std::move(l)) {}

    bool isNone() const { return std::holds_alternative<std::monostate>(data); }
    bool isTensor() const { return std::holds_alternative<StridedTensor>(data); }
    bool isInt() const { return std::holds_alternative<std::int64_t>(data); }
    bool isList() const { return std::holds_alternative<RuntimeList>(data); }
    // These throw std::runtime_error when the value is of another kind.
    const StridedTensor& tensor() const;
    std::int64_t integer() const;
    double number() const;
    const RuntimeList& list() const;
    const std::string& text() const;
    Shape shape() const;
};

/// A call as an operator sees it: one value per schema parameter.
struct RuntimeCall {
    const Graph& graph;
    const OpRegistry& ops;
    const Node& node;
    const Schema* schema = nullptr;  ///< null for operators without one
    std::vector<RuntimeValue> values;
    std::map<std::string, RuntimeValue> keywords;  ///< of higher-order operators

    const RuntimeValue& operator[](std::size_t i) const { return values.at(i); }
    /// By parameter name; throws when there is none.
    const RuntimeValue& named(std::string_view name) const;
    bool has(std::string_view name) const;
};

using RuntimeFunction = std::function<RuntimeValue(const RuntimeCall&)>;
using RuntimeTable = std::unordered_map<std::string, RuntimeFunction>;
void addTensorOps(RuntimeTable& table);
void addViewOps(RuntimeTable& table);
void addWrapperOps(RuntimeTable& table);
/// The operator by its canonical name; in-place and out= operators run their functional counterpart and store what it returns. Throws when unknown.
RuntimeValue runOperator(const OpRegistry& ops, const Graph& graph, const Node& node, Name op, const std::vector<RuntimeValue>& values);
std::optional<DType> dtypeOf(const RuntimeValue& v);

/// The tensors that the graph returns, flattened. Inputs are given by placeholder; what the graph writes into them is seen in the caller's tensors.
/// The error's parameters name the node and say why.
Result<std::vector<StridedTensor>> interpret(const Graph& g, const OpRegistry& ops, const std::vector<RuntimeValue>& inputs);

}  // namespace aliascope::testing
