#include <array>

#include "core/ops/table.h"

namespace aliascope {

std::optional<std::size_t> wrapDim(const Value& v, std::size_t rank) {
    auto d = v.asInt();
    if (!d) return std::nullopt;
    const auto n = static_cast<std::int64_t>(rank == 0 ? 1 : rank);
    if (*d < -n || *d >= n) return std::nullopt;
    return static_cast<std::size_t>(*d < 0 ? *d + n : *d);
}

std::optional<std::vector<std::size_t>> wrapDims(const Value& v, std::size_t rank) {
    std::vector<std::size_t> out;
    if (!v.isSequence()) {
        auto d = wrapDim(v, rank);
        if (!d) return std::nullopt;
        out.push_back(*d);
        return out;
    }
    for (const Value& item : v.items()) {
        auto d = wrapDim(item, rank);
        if (!d) return std::nullopt;
        out.push_back(*d);
    }
    return out;
}

std::optional<DType> dtypeArgument(const Value& v) {
    if (auto n = v.asInt()) {  // c10::ScalarType (schemas.md 1.2)
        static constexpr std::array numbers = {DType::U8,      DType::I8,      DType::I16,     DType::I32, DType::I64,  DType::F16,
                                               DType::F32,     DType::F64,     DType::C32,     DType::C64, DType::C128, DType::B8,
                                               DType::Unknown, DType::Unknown, DType::Unknown, DType::BF16};
        if (*n < 0 || *n >= static_cast<std::int64_t>(numbers.size()) || numbers[static_cast<std::size_t>(*n)] == DType::Unknown) return std::nullopt;
        return numbers[static_cast<std::size_t>(*n)];
    }
    return v.name().empty() ? std::nullopt : dtypeFromTorchName(v.name().view());
}

std::optional<Name> deviceArgument(const Value& v) {
    if (v.kind() != Value::Kind::Device && v.kind() != Value::Kind::String) return std::nullopt;
    static const Name cuda = "cuda"_n, first = "cuda:0"_n;
    return v.name() == cuda ? first : v.name();
}

const Value& named(const InferContext& c, Name param) {
    static const Value none;
    const Value* v = c.call.find(param);
    return v ? *v : none;
}

std::optional<ViewResult> one(TensorType t, Tri aliases) {
    ViewResult r;
    r.types.push_back(std::move(t));
    r.aliases = aliases;
    return r;
}

Inferred contiguousCopy(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    return t ? inferred(contiguousLike(*t, t->sizes)) : Inferred{};
}

void setDType(TensorType& t, DType dtype) {
    t.dtype = dtype;
    t.dtypeName = Name();
}

TensorType contiguousLike(const TensorType& like, std::vector<SymInt> sizes) {
    TensorType t;
    t.dtype = like.dtype;
    t.dtypeName = like.dtypeName;
    t.device = like.device;
    t.strides = TensorType::contiguousStrides(sizes);
    t.sizes = std::move(sizes);
    return t;
}

TensorType contiguousLike(const TensorType& like, std::vector<SymInt> sizes, DType dtype) {
    TensorType t = contiguousLike(like, std::move(sizes));
    setDType(t, dtype);
    return t;
}

std::optional<SymInt> broadcastSize(const SymInt& a, const SymInt& b) {
    if (a == b || b.constant() == 1) return a;
    if (a.constant() == 1) return b;
    if (a.constant() && b.constant()) return std::nullopt;
    return a.constant() ? a : b;
}

std::optional<std::vector<SymInt>> broadcastSizes(const std::vector<SymInt>& a, const std::vector<SymInt>& b) {
    const std::vector<SymInt>&longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
    std::vector<SymInt> out = longer;
    const std::size_t lead = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        auto size = broadcastSize(longer[lead + i], shorter[i]);
        if (!size) return std::nullopt;
        out[lead + i] = *size;
    }
    return out;
}

SymInt ceilDivide(const SymInt& a, const SymInt& b) { return b.constant() == 1 ? a : floorDiv(a + b - 1, b); }

}  // namespace aliascope
