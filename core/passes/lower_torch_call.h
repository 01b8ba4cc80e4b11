#pragma once
// What the rules of lower-torch work with: the call that is being lowered, its arguments by the names of Python's signature, and the nodes made for
// it. Private to the pass.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ops/infer.h"
#include "core/pipeline/pass.h"

namespace aliascope::torch_lowering {

/// What stands for a lowered call: a node, or a constant. Nothing = the call stays as it is.
using Lowered = std::optional<Value>;

enum class CallForm : std::uint8_t {
    Function,   ///< `torch.add(x, y)`, `torch.nn.functional.relu(x)`, `x.add(y)`
    Operator,   ///< `operator.add(x, y)`
    Attribute,  ///< `x.T`
};

/// The name that a call is looked up by: `add`, `linear`, `special_erf`.
struct Callee {
    CallForm form = CallForm::Function;
    std::string name;
    bool method = false;
};
/// Nothing for calls that are no affair of this pass: operators of torch.ops, higher-order operators, arithmetic of Python.
std::optional<Callee> calleeOf(const Node& n);

/// Arguments bound to a Python signature.
class PyArgs {
public:
    /// The value of a parameter: given, or its default; None when the signature has no such parameter.
    const Value& operator[](std::string_view name) const;
    bool given(std::string_view name) const;
    bool isTrue(std::string_view name) const { return (*this)[name].asBool().value_or(false); }
    /// Keywords that the signature does not name, in order.
    const std::vector<Keyword>& others() const { return others_; }
    /// All parameters in order.
    std::vector<std::pair<std::string_view, Value>> values() const;
    /// The name that the call was looked up by.
    std::string_view callee() const { return callee_; }

private:
    friend class Signature;
    struct Entry {
        std::string_view name;
        Value value;
        bool given = false;
    };
    std::vector<Entry> entries_;
    std::vector<Keyword> others_;
    std::string_view callee_;
};

/// `input *size`, `input dim=None keepdim=False **`: parameters in order, defaults, `*name` = several numbers or one list of them, `**` = further
/// keywords are kept. NumPy's names of parameters are understood (`axis`, `keepdims`, `x`).
class Signature {
public:
    explicit Signature(std::string_view text);
    /// Nothing when the call does not fit. `callee` must outlive the result.
    std::optional<PyArgs> bind(const Node& call, std::string_view callee) const;

private:
    struct Parameter {
        std::string_view name;
        std::optional<Value> fallback;
        bool variadic = false;
    };
    std::vector<Parameter> parameters_;
    bool moreKeywords_ = false;
};

/// One call while it is lowered.
class Lowering {
public:
    Lowering(Graph& g, PassContext& ctx);

    const Graph& graph() const { return g_; }
    const OpRegistry& ops() const { return ctx_.ops(); }

    // --- what is known of values ----------------------------------------------------------------------------------------------------------
    const TensorType* tensor(const Value& v) const { return v.isNode() ? g_[v.asNode()].tensor() : nullptr; }
    /// A tensor: by its type, by what makes it, or because nothing says otherwise (inputs of graphs without types).
    bool isTensor(const Value& v) const;
    /// A symbol, a constant number, or a node of symbolic type.
    std::optional<SymInt> symInt(const Value& v) const;
    std::optional<std::size_t> rank(const Value& v) const;
    /// Dimension number from 0; nothing when it is no constant, out of range, or the rank is unknown.
    std::optional<std::size_t> dim(const Value& tensor, const Value& d) const;

    // --- making calls before the lowered one ---------------------------------------------------------------------------------------------
    /// A call of an operator of the registry, written as PyTorch's tracer writes it: lists for lists, defaults at the end left out. Nothing when the
    /// arguments do not fit.
    Lowered emit(std::string_view op, std::vector<Value> args, std::vector<Keyword> kwargs = {});
    /// The overload of `aten::<name>` that fits.
    Lowered emitByName(std::string_view name, std::vector<Value> args, std::vector<Keyword> kwargs);
    Lowered item(const Lowered& tuple, std::int64_t index);
    /// Size of a dimension: a number, a node that holds the symbol, or a new `sym_size`.
    Value size(const Value& tensor, std::size_t d);
    std::vector<Value> sizes(const Value& tensor);
    /// Product of two sizes.
    Value times(const Value& a, const Value& b);
    /// The constant at attribute path `path`, made on first use: float32, on the device of `like` as far as that is known.
    Value constant(const std::string& path, const std::vector<Value>& sizes, const Value& like);
    /// `reshape` as PyTorch traces it: `view` where that is possible, else a copy and `_unsafe_view`.
    Lowered reshape(const Value& x, std::vector<Value> sizes);

    // --- driving, by the pass ----------------------------------------------------------------------------------------------------------------
    /// Starts with `id`; forgets nodes of the one before.
    void start(NodeId id);
    /// Puts `result` in the place of the call; nothing = takes back what was made. True when the call was lowered.
    bool finish(const Lowered& result, std::string_view rule);
    void learnSymbol(NodeId id);
    NodeId at() const { return at_; }

private:
    Lowered append(const OpDef& op, const BoundCall& call);
    void replaceBy(const Value& result);
    void become(NodeId made);
    std::optional<Value> known(const SymInt& s) const;

    Graph& g_;
    PassContext& ctx_;
    NodeId at_;
    std::vector<NodeId> made_;
    std::unordered_multimap<std::uint64_t, NodeId> symbols_;  ///< by hash of the expression
    std::unordered_map<std::string, NodeId> constants_;       ///< by attribute path
    NodeId lastInput_;                                        ///< behind it the next constant goes
    bool untypedAreTensors_ = false;                          ///< inputs of which nothing is known
};

/// The meta entry in which readers keep the text of a module's constructor.
inline const Name kConstructor("constructor");

inline std::vector<Value> integers(std::initializer_list<std::int64_t> items) {
    std::vector<Value> out;
    for (std::int64_t i : items) out.push_back(Value::integer(i));
    return out;
}
inline std::vector<Value> integers(const std::vector<std::size_t>& items) {
    std::vector<Value> out;
    for (std::size_t i : items) out.push_back(Value::integer(static_cast<std::int64_t>(i)));
    return out;
}
/// The items of a list or tuple, else the value alone.
std::vector<Value> listOf(const Value& v);
/// `torch.float32` and such among values; nothing for others.
std::optional<DType> dtypeOf(const Value& v);

// --- rules ------------------------------------------------------------------------------------------------------------------------------------

struct Rule {
    std::string_view name;
    std::string_view signature;
    Lowered (*lower)(Lowering&, const PyArgs&);
};
using Rules = std::vector<Rule>;
// One list per family.
const Rules& elementwiseRules();
const Rules& shapeRules();
const Rules& reductionRules();
const Rules& factoryRules();
const Rules& matmulRules();
const Rules& networkRules();
const Rules& lossRules();
const Rules& attributeRules();

Lowered lowerOperator(Lowering& l, const Node& call, std::string_view name);
Lowered getItem(Lowering& l, const Value& x, const Value& index);
Lowered setItem(Lowering& l, const Value& x, const Value& index, const Value& v);
/// Arithmetic of two values of which one is a tensor; `name` as in ATen (`add`, `bitwise_and`, `floor_divide`).
Lowered binary(Lowering& l, std::string_view name, const Value& a, const Value& b, std::vector<Keyword> kwargs = {});
/// `x @ y` of tensors of any rank.
Lowered matmul(Lowering& l, const Value& a, const Value& b);
/// `softmax` and `log_softmax` over one dimension.
Lowered softmax(Lowering& l, std::string_view op, const Value& x, const Value& d, const Value& dtype);
/// `x` in another dtype or on another device; `x` itself when it is so already. None = as it is.
Lowered convert(Lowering& l, const Value& x, const Value& dtype, const Value& device, bool copy = false, std::vector<Keyword> kwargs = {});

}  // namespace aliascope::torch_lowering
