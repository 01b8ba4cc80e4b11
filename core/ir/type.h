#pragma once
// Types of values. Unknown parts stay unknown and print as they were read; nothing is made up.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/sym.h"
#include "core/support/name.h"

namespace aliascope {

/// How far a type may be believed (formats.md 16), best first.
enum class Trust : std::uint8_t { Stated, Sibling, Inferred, Assumed, Unknown };
std::string_view toString(Trust t);

/// A dense strided tensor. Sizes and strides are in elements, outermost dimension first.
struct TensorType {
    DType dtype = DType::Unknown;
    Name dtypeName;  ///< the spelling, when dtype is Unknown (`qint8`, `bits8`, …)
    Name device;     ///< `cuda:0`, `cpu`; empty = unknown
    std::vector<SymInt> sizes;
    std::optional<std::vector<SymInt>> strides;  ///< same length as sizes
    std::optional<SymInt> offset;                ///< storage offset from the start of the allocation; text never states it

    std::size_t rank() const { return sizes.size(); }
    SymInt numel() const;
    /// numel x item size; symbolic sizes give a symbolic count; item size unknown = nothing.
    std::optional<SymInt> bytes() const;
    /// Elements of storage needed from its start: 0 if any size is 0, else 1 + offset + sum((size-1)*stride); nothing when strides unknown.
    std::optional<SymInt> extent() const;
    /// Row-major strides of `sizes` (a size of 0 counts as 1, as PyTorch does).
    static std::vector<SymInt> contiguousStrides(const std::vector<SymInt>& sizes);
    bool isContiguous() const;  ///< statically known, dims of size 1 ignored
    /// `f32[8, 4][4, 1]cuda:0`; strides and device are left out when unknown or when the flags say so.
    std::string str(bool withStrides = true, bool withDevice = true) const;
    friend bool operator==(const TensorType&, const TensorType&);
};

class Type;
/// Types are immutable and shared; null means unknown.
using TypePtr = std::shared_ptr<const Type>;

class Type {
public:
    enum class Kind : std::uint8_t { Tensor, Sym, Tuple, Other };
    static constexpr std::size_t kNestedParts = 256;

    static TypePtr tensor(TensorType t);
    static TypePtr sym(SymInt value);                 ///< `Sym(s77)`
    /// Tuple or list result; a null part is unknown, and so is a tuple within it of more than kNestedParts types.
    static TypePtr tuple(std::vector<TypePtr> parts);
    static TypePtr other(std::string_view text);       ///< an annotation that is none of these, kept verbatim
    /// Reads one annotation without its quotes. Never fails: what is not understood becomes `other`.
    static TypePtr parseAnnotation(std::string_view text);

    Kind kind() const { return kind_; }
    const TensorType* asTensor() const { return kind_ == Kind::Tensor ? &tensor_ : nullptr; }
    const SymInt* asSym() const { return kind_ == Kind::Sym ? &sym_ : nullptr; }
    const std::vector<TypePtr>* asTuple() const { return kind_ == Kind::Tuple ? &parts_ : nullptr; }
    /// As an annotation prints it; a tuple prints empty, because PyTorch prints none.
    std::string str() const;
    std::uint64_t hash() const;

private:
    Kind kind_ = Kind::Other;
    TensorType tensor_;
    SymInt sym_;
    std::vector<TypePtr> parts_;
    std::size_t nodes_ = 1;  ///< types in the tree, this one included
    std::string text_;
};

bool sameType(const TypePtr& a, const TypePtr& b);
inline const TensorType* asTensor(const TypePtr& t) { return t ? t->asTensor() : nullptr; }

}  // namespace aliascope
