#pragma once
// What the op families share: the table into which each family enters its operators, and helpers to read arguments. Private to core/ops.

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ops/infer.h"
#include "core/ops/layout.h"

namespace aliascope {

/// Geometry of a call whose result may share the storage of its first tensor. `base` may lack strides or offset: what does not follow from
/// the rest stays unknown in the result.
using ViewFn = std::optional<ViewResult> (*)(const InferContext&, const TensorType& base);

struct OpInference {
    InferFn infer = nullptr;
    ViewFn view = nullptr;
    ViewFn copyOf = nullptr;  ///< of `*_copy`: the view whose result is copied, row-major
};

class InferTable {
public:
    void add(std::string_view op, InferFn infer) { entries_[Name(op)].infer = infer; }
    /// A view operator; its out-of-place copy form (`slice_copy.Tensor`) is entered with it when `copies` says so.
    void addView(std::string_view op, ViewFn view, bool copies = true);
    const OpInference* find(Name op) const {
        auto it = entries_.find(op);
        return it == entries_.end() ? nullptr : &it->second;
    }
    const std::unordered_map<Name, OpInference>& entries() const { return entries_; }
    /// All families, filled once.
    static const InferTable& instance();

private:
    std::unordered_map<Name, OpInference> entries_;
};

// One function per family file; infer.cpp calls them all, so that a static library drops none.
void registerViews(InferTable& table);
void registerReshapes(InferTable& table);
void registerViewScatters(InferTable& table);
void registerPointwise(InferTable& table);
void registerReduce(InferTable& table);
void registerScanSort(InferTable& table);
void registerMatmul(InferTable& table);
void registerCreate(InferTable& table);
void registerCopy(InferTable& table);
void registerIndexing(InferTable& table);
void registerAssemble(InferTable& table);
void registerRearrange(InferTable& table);
void registerAttention(InferTable& table);
void registerConvPool(InferTable& table);
void registerNormalize(InferTable& table);
void registerRandom(InferTable& table);
void registerSymInt(InferTable& table);
void registerCollectives(InferTable& table);

// --- reading arguments ---------------------------------------------------------------------------------------------------------------------

/// Dimension number with negative ones wrapped; nothing when out of range or no integer. A rank of 0 accepts 0 and -1.
std::optional<std::size_t> wrapDim(const Value& v, std::size_t rank);
/// A list of dimensions (an int stands for a list of one), each wrapped; nothing when one is bad.
std::optional<std::vector<std::size_t>> wrapDims(const Value& v, std::size_t rank);
/// `torch.float16`, `float16`, or a number of the C++ enumeration; nothing for None and unknown names.
std::optional<DType> dtypeArgument(const Value& v);
/// `cpu`, `cuda:1`; `cuda` alone is the first one, as PyTorch resolves it. Nothing for values that name no device.
std::optional<Name> deviceArgument(const Value& v);
/// The value bound to a parameter; None when the operator has no such parameter.
const Value& named(const InferContext& c, Name param);

// --- building results -----------------------------------------------------------------------------------------------------------------------

inline Inferred inferred(TensorType t) { return {Type::tensor(std::move(t)), Trust::Inferred}; }
inline Inferred inferred(std::vector<TypePtr> parts) { return {Type::tuple(std::move(parts)), Trust::Inferred}; }
/// A view operator's only result.
std::optional<ViewResult> one(TensorType t, Tri aliases = Tri::Yes);
inline TypePtr tensorType(TensorType t) { return Type::tensor(std::move(t)); }
/// Row-major tensor of `like`'s dtype and device.
TensorType contiguousLike(const TensorType& like, std::vector<SymInt> sizes);
/// The same with another dtype.
TensorType contiguousLike(const TensorType& like, std::vector<SymInt> sizes, DType dtype);
/// Inference of operators whose result is a row-major copy of the first argument with other values.
Inferred contiguousCopy(const InferContext& c);
void setDType(TensorType& t, DType dtype);
/// Two sizes as broadcasting joins them; nothing when they clash. Of a number and a symbol the number: PyTorch has guarded that they are equal.
std::optional<SymInt> broadcastSize(const SymInt& a, const SymInt& b);
std::optional<std::vector<SymInt>> broadcastSizes(const std::vector<SymInt>& a, const std::vector<SymInt>& b);
/// Most results of one call that are described one by one; PyTorch programs have far fewer, hostile files may ask for any number.
inline constexpr std::int64_t kMaxResults = 4096;
/// ceil(a / b) for positive b.
SymInt ceilDivide(const SymInt& a, const SymInt& b);

}  // namespace aliascope
