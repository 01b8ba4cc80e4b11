#pragma once
// Argument values: what stands between the brackets of a call. Values nest; containers are immutable and shared, so that copying an
// argument list copies pointers. A sub-graph is passed as the use of its get_attr node, so it needs no kind of its own.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/sym.h"
#include "core/support/id.h"
#include "core/support/name.h"

namespace aliascope {

class Value {
public:
    enum class Kind : std::uint8_t {
        None, Ellipsis, Bool, Int, Float, Node, Sym,
        String,   ///< a Python string; `name()` is its text without quotes
        Const,    ///< a dotted constant as spelled: `torch.float32`, `torch.strided`, `torch.contiguous_format`
        Device,   ///< `cuda:0`, `cpu`
        Op,       ///< an operator as an argument; `name()` is canonical: `mylib::two`, `aten::add.Tensor`
        BigInt,   ///< an integer beyond int64, kept as text
        Complex,  ///< kept as text
        Opaque,   ///< anything else, kept verbatim
        List, Tuple, Dict, Slice, Range,
    };

    Value() = default;  ///< None
    static Value none() { return {}; }
    static Value ellipsis() { Value v; v.kind_ = Kind::Ellipsis; return v; }
    static Value boolean(bool b) { Value v; v.kind_ = Kind::Bool; v.int_ = b; return v; }
    static Value integer(std::int64_t i) { Value v; v.kind_ = Kind::Int; v.int_ = i; return v; }
    static Value real(double d) { Value v; v.kind_ = Kind::Float; v.float_ = d; return v; }
    static Value node(NodeId id) { Value v; v.kind_ = Kind::Node; v.int_ = id.value; return v; }
    /// A constant SymInt becomes an Int.
    static Value sym(SymInt s);
    static Value string(Name text) { return named(Kind::String, text); }
    static Value constant(Name text) { return named(Kind::Const, text); }
    static Value device(Name text) { return named(Kind::Device, text); }
    static Value op(Name canonical) { return named(Kind::Op, canonical); }
    static Value named(Kind kind, Name text) { Value v; v.kind_ = kind; v.name_ = text; return v; }
    static Value list(std::vector<Value> items) { return container(Kind::List, std::move(items)); }
    static Value tuple(std::vector<Value> items) { return container(Kind::Tuple, std::move(items)); }
    static Value dict(std::vector<Name> keys, std::vector<Value> items);
    static Value slice(Value start, Value stop, Value step);
    static Value range(std::vector<Value> items) { return container(Kind::Range, std::move(items)); }
    static Value container(Kind kind, std::vector<Value> items);

    Kind kind() const { return kind_; }
    bool isNone() const { return kind_ == Kind::None; }
    bool isNode() const { return kind_ == Kind::Node; }
    bool isInt() const { return kind_ == Kind::Int; }
    bool isSequence() const { return kind_ == Kind::List || kind_ == Kind::Tuple; }
    bool isContainer() const { return kind_ >= Kind::List; }

    NodeId asNode() const { return isNode() ? NodeId(static_cast<std::uint32_t>(int_)) : NodeId(); }
    std::optional<std::int64_t> asInt() const;  ///< Int and Bool
    std::optional<double> asNumber() const;     ///< Int, Bool and Float
    std::optional<bool> asBool() const;         ///< Bool, and Int 0 or 1
    Name name() const { return name_; }         ///< text of String … Opaque
    const SymInt& asSym() const;                ///< precondition: kind() == Sym
    /// Items of List, Tuple, Slice (start, stop, step), Range, values of Dict; empty for everything else.
    const std::vector<Value>& items() const;
    const std::vector<Name>& keys() const;  ///< of Dict; same length as items()
    const Value* find(Name key) const;      ///< in a Dict

    /// Calls `f(NodeId)` for every use, depth first, in print order.
    void forEachNode(const std::function<void(NodeId)>& f) const;
    /// The same value with every use replaced by `f(id)`; shares what does not change.
    Value mapNodes(const std::function<Value(NodeId)>& f) const;
    bool usesNode(NodeId id) const;

    /// Same kind and contents; floats by bits, containers deep.
    friend bool operator==(const Value& a, const Value& b);

private:
    struct Items {
        std::vector<Value> values;
        std::vector<Name> keys;
        SymInt sym;
    };
    Kind kind_ = Kind::None;
    union {
        std::int64_t int_ = 0;
        double float_;
    };
    Name name_;
    std::shared_ptr<const Items> items_;
};

/// A double as Python's repr prints it: `1.0`, `1e-05`, `inf`.
std::string pythonFloat(double d);

}  // namespace aliascope
