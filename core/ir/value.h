#pragma once
// Argument values: what stands between the brackets of a call. Values nest; containers are immutable and shared, so that copying an
// argument list copies pointers. A sub-graph is passed as the use of its get_attr node, so it needs no kind of its own.

#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
    Value(const Value& o) : kind_(o.kind_), bits_(o.bits_) { retain(); }
    Value(Value&& o) noexcept : kind_(o.kind_), bits_(o.bits_) { o.kind_ = Kind::None; }
    Value& operator=(const Value& o) {
        Value copy(o);  // `o` may be an item of this value
        return *this = std::move(copy);
    }
    Value& operator=(Value&& o) noexcept {
        std::swap(kind_, o.kind_);
        std::swap(bits_, o.bits_);
        return *this;
    }
    ~Value() { release(); }
    static Value none() { return {}; }
    static Value ellipsis() { return {Kind::Ellipsis, 0}; }
    static Value boolean(bool b) { return {Kind::Bool, b}; }
    static Value integer(std::int64_t i) { return {Kind::Int, static_cast<std::uint64_t>(i)}; }
    static Value real(double d) { return {Kind::Float, std::bit_cast<std::uint64_t>(d)}; }
    static Value node(NodeId id) { return {Kind::Node, id.value}; }
    /// A constant SymInt becomes an Int.
    static Value sym(SymInt s);
    static Value string(Name text) { return named(Kind::String, text); }
    static Value constant(Name text) { return named(Kind::Const, text); }
    static Value device(Name text) { return named(Kind::Device, text); }
    static Value op(Name canonical) { return named(Kind::Op, canonical); }
    static Value named(Kind kind, Name text) { return {kind, std::bit_cast<std::uint64_t>(text)}; }
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

    NodeId asNode() const { return isNode() ? NodeId(static_cast<std::uint32_t>(bits_)) : NodeId(); }
    std::optional<std::int64_t> asInt() const;  ///< Int and Bool
    std::optional<double> asNumber() const;     ///< Int, Bool and Float
    std::optional<bool> asBool() const;         ///< Bool, and Int 0 or 1
    /// Text of String … Opaque; empty for everything else.
    Name name() const { return kind_ >= Kind::String && kind_ <= Kind::Opaque ? std::bit_cast<Name>(bits_) : Name(); }
    const SymInt& asSym() const;                ///< precondition: kind() == Sym
    /// Items of List, Tuple, Slice (start, stop, step), Range, values of Dict; empty for everything else.
    const std::vector<Value>& items() const;
    const std::vector<Name>& keys() const;  ///< of Dict; same length as items()
    const Value* find(Name key) const;      ///< in a Dict

    /// Calls `f(NodeId)` for every use, depth first, in print order.
    template <class F>
    void forEachNode(F&& f) const {
        if (kind_ == Kind::Node) f(asNode());
        else if (isContainer())
            for (const Value& v : items()) v.forEachNode(f);  // depth is bounded by the readers (ReadLimits::valueDepth)
    }
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
        mutable std::atomic<std::uint32_t> holders{1};
    };
    bool shares() const { return kind_ == Kind::Sym || isContainer(); }
    void retain() const {
        if (shares()) shared()->holders.fetch_add(1, std::memory_order_relaxed);
    }
    void release() {
        if (shares() && shared()->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared();
    }
    static Value holding(Kind kind, std::vector<Value> items, std::vector<Name> keys, SymInt sym);

    Value(Kind kind, std::uint64_t bits) : kind_(kind), bits_(bits) {}
    const Items* shared() const { return reinterpret_cast<const Items*>(bits_); }

    // 16 bytes: every operand of every node is one.
    Kind kind_ = Kind::None;
    std::uint64_t bits_ = 0;  // an int64, a double, a Name, or the address of Items
};
static_assert(sizeof(Value) == 16 && sizeof(Name) == 8);

/// A double as Python's repr prints it: `1.0`, `1e-05`, `inf`.
std::string pythonFloat(double d);

}  // namespace aliascope
