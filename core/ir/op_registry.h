#pragma once
// What is known of each operator: schema, traits (schemas.md 4 and 5), and how the ops/ families compute types and views.
// Lookup by canonical name is O(1). Sources, later wins: resources/aten_schemas.txt, resources/op_traits.txt, files of the user.
// Thread-safety: a registry is filled first and then only read; reading is safe from any thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/schema.h"

namespace aliascope {

/// Facts that the schema does not tell; a bit set.
enum class Trait : std::uint32_t {
    None = 0,
    WriteOnly = 1u << 0,    ///< old elements of the written argument are not read (`copy_`, `zero_`)
    HandleOnly = 1u << 1,   ///< written by schema, no element changes (`t_`)
    PartialWrite = 1u << 2, ///< only addressed elements change (`index_put_`)
    Random = 1u << 3,
    Effect = 1u << 4,       ///< never dead
    HostRead = 1u << 5,
    ShapeOnly = 1u << 6,    ///< reads no element
    FreshCopy = 1u << 7,    ///< `*_copy`: never an alias
    Scatter = 1u << 8,
    AliasIfLayout = 1u << 9,///< `reshape`, `contiguous`, `to`: alias or copy, decided by layout (schemas.md 5.1)
    SilentAlias = 1u << 10, ///< result shares storage although the schema says fresh (`_unsafe_view`)
    IdentityView = 1u << 11,///< same storage, same geometry (`alias`, `detach`)
    Resizes = 1u << 12,     ///< `resize_`, `set_`: may change or drop the storage
    Pointwise = 1u << 13,
};
constexpr Trait operator|(Trait a, Trait b) { return Trait(std::uint32_t(a) | std::uint32_t(b)); }
constexpr bool has(Trait set, Trait t) { return (std::uint32_t(set) & std::uint32_t(t)) != 0; }

enum class SchemaSource : std::uint8_t { Data, UserFile, Reconstructed };

struct OpDef {
    Name canonical;             ///< `aten::add.Tensor`
    Schema schema;
    Trait traits = Trait::None;
    SchemaSource source = SchemaSource::Data;
    std::vector<Name> silentWrites;  ///< parameters written although the schema is silent (schemas.md 5.2)
    Name silentWhen;                 ///< parameter whose truth is the condition of silentWrites, e.g. `training`; empty = always
    Name randomWhen;                 ///< parameter whose truth is the condition of Trait::Random, e.g. `dropout_p`; empty = always
    std::string body;           ///< text of a `.ops` body, unparsed; empty = none

    bool is(Trait t) const { return has(traits, t); }
    /// View op by schema or by trait; its result shares the storage of argument 0.
    bool isView() const { return (schema.isView() && !is(Trait::FreshCopy)) || is(Trait::SilentAlias) || is(Trait::IdentityView); }
    /// Without looking at a call: conditions count as true.
    bool isPure() const { return !schema.isMutable() && !is(Trait::Random) && !is(Trait::Effect) && silentWrites.empty(); }
};

class OpRegistry {
public:
    OpRegistry();
    ~OpRegistry();
    OpRegistry(OpRegistry&&) noexcept;
    OpRegistry& operator=(OpRegistry&&) noexcept;

    /// The operators that are part of the program, shared by the process. A schema is parsed when it is first asked for.
    static const OpRegistry& builtin();
    /// A registry that starts with everything that `builtin` has.
    static OpRegistry withBuiltin();

    /// `.ops` file (executor.md 6.1) or bare schema lines, `#` comments. Every bad line is one diagnostic; good lines are kept.
    std::vector<Diagnostic> addText(std::string_view text, std::string_view fileName);
    Result<std::vector<Diagnostic>> addFile(const std::string& path);
    void add(OpDef def);

    /// Definition by exact canonical name; null when absent. Pointers stay valid as long as the registry (builtin ones: for ever).
    const OpDef* find(Name canonical) const;
    /// All overloads of `ns::name`.
    std::vector<const OpDef*> overloads(Name packet) const;
    /// Functional counterpart of a mutating operator (`aten::add_.Tensor` -> `aten::add.Tensor`, `aten::add.out` -> `aten::add.Tensor`); null when
    /// there is none. Looked up by parameters, never built by text alone. Where it has more results than the mutating one, the new values of
    /// the written arguments follow in schema order (`_fused_adam_`, `_native_batch_norm_legit`).
    const OpDef* functionalOf(const OpDef& mutating) const;
    /// In-place counterpart of a pure operator; null when there is none.
    const OpDef* inPlaceOf(const OpDef& pure) const;
    std::size_t size() const;
    std::vector<const OpDef*> all() const;  ///< sorted by canonical name

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// --- names of operators (formats.md 6) -------------------------------------------------------------------------------------------------

/// Canonical name of a call target as spelled: `torch.ops.aten.add.Tensor` -> `aten::add.Tensor`, `torch.ops.mylib.foo.default` -> `mylib::foo`,
/// `torch.ops.higher_order.cond` -> `hop::cond`, `operator.getitem`, `_operator.getitem` -> `operator::getitem`, `torch.sym_max` -> `torch::sym_max`,
/// `<OpOverload(op='aten.add', overload='Tensor')>` -> `aten::add.Tensor`. Unknown spellings become `python::…`.
Name canonicalOp(std::string_view spelled);
/// The spelling that PyTorch's printers use in a call: `torch.ops.aten.add.Tensor`, `torch.ops.higher_order.cond`, `operator.getitem`.
Name spellOp(Name canonical);
/// As an argument in graph text: `mylib.foo.default`.
std::string spellOpArgument(Name canonical);
/// `aten::add.Tensor` -> `aten::add`.
Name packetOf(Name canonical);

// --- calls ---------------------------------------------------------------------------------------------------------------------------------

/// A call bound to its schema: one value per parameter.
struct BoundCall {
    const OpDef* op = nullptr;
    std::vector<Value> values;    ///< by parameter index; defaults filled in
    std::vector<bool> given;      ///< whether the call states it
    const Value& operator[](std::size_t i) const { return values[i]; }
    const Value* find(Name param) const;
};
/// Errors: R023 (missing value, unknown keyword, surplus positional). Null schema: R022.
Result<BoundCall> bindCall(const OpRegistry& ops, const Node& node);
/// Same, for an operator and values that are no node yet.
Result<BoundCall> bindCall(const OpDef& op, const std::vector<Value>& args, const std::vector<Keyword>& kwargs);

/// Operator of a call: the exact overload, else (overload missing in the text) the only one of its packet that the arguments fit best
/// (schemas.md 2.5: those that bind; exact kinds before coerced ones, `Tensor` before `Scalar` for a node). Null when none or several remain.
const OpDef* resolveOverload(const OpRegistry& ops, const Graph& g, const Node& node);

/// One tensor that a node writes: which parameter (index into the schema, or into kwargs of a wrapper), which element of a list, which node.
struct WrittenOperand {
    Name param;
    int element = -1;  ///< index inside a list argument; -1 = not a list
    NodeId value;
};
/// Every operand that executing `id` may write, in schema order; what the schema calls written is in it even where only the handle changes
/// (Trait::HandleOnly). Wrappers of bodies (`cond`, `invoke_subgraph`, …) write what their bodies write. Handles ATen, custom operators, `triton_kernel_wrapper_mutation`,
/// `operator::iadd`, `setitem`, and operators without schema (all tensor operands). Functional wrappers write nothing. None values are skipped.
std::vector<WrittenOperand> writtenOperands(const OpRegistry& ops, const Graph& g, NodeId id);
/// False when removing the node could be noticed: it writes, is random, has an effect, or nothing is known of it.
bool isPure(const OpRegistry& ops, const Graph& g, NodeId id);
/// Argument 0's node if the call is a view op (by schema or trait, AliasIfLayout left out), else invalid.
NodeId viewedOperand(const OpRegistry& ops, const Graph& g, NodeId id);

}  // namespace aliascope
