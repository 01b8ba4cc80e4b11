#include "core/exec/tensor.h"

#include <limits>

#include "core/exec/backend.h"

namespace aliascope::exec {

std::string_view toString(StorageRole role) {
    switch (role) {
        case StorageRole::Input: return "input";
        case StorageRole::Constant: return "constant";
        case StorageRole::Value: return "value";
        case StorageRole::Saved: return "saved";
        case StorageRole::Output: return "output";
        case StorageRole::Workspace: return "workspace";
        case StorageRole::Slack: return "slack";
    }
    return "";
}

Storage::~Storage() {
    if (data && !home) backend.free(data, bytes);
}

std::int64_t Tensor::numel() const {
    std::int64_t n = 1;
    for (std::int64_t size : sizes) n *= size;
    return n;
}

std::int64_t Tensor::extent() const {
    std::int64_t last = 0;
    for (const std::int64_t size : sizes)
        if (size == 0) return 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d];
    return last + 1;
}

bool Tensor::isContiguous() const {
    std::int64_t expected = 1;
    for (const std::int64_t size : sizes)
        if (size == 0) return true;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        if (sizes[d] != 1 && strides[d] != expected) return false;
        expected *= sizes[d];
    }
    return true;
}

TensorType Tensor::type() const {
    TensorType t;
    t.dtype = dtype;
    t.device = device;
    t.sizes.assign(sizes.begin(), sizes.end());
    t.strides.emplace(strides.begin(), strides.end());
    t.offset = SymInt(offset);
    return t;
}

DType doubled(DType dtype) { return info(dtype).floating ? DType::F64 : info(dtype).complex ? DType::C128 : dtype; }

Shape contiguousStrides(const Shape& sizes) {
    Shape strides(sizes.size(), 1);
    for (std::size_t d = sizes.size(); d-- > 1;)  // sizes that are too large are refused when memory is asked for
        if (__builtin_mul_overflow(strides[d], sizes[d] == 0 ? 1 : sizes[d], &strides[d - 1])) strides[d - 1] = std::numeric_limits<std::int64_t>::max();
    return strides;
}

bool sameGeometry(const Tensor& a, const Tensor& b) {
    return a.storage == b.storage && a.dtype == b.dtype && a.offset == b.offset && a.sizes == b.sizes && a.strides == b.strides;
}

std::optional<std::int64_t> RuntimeValue::integer() const {
    if (auto* i = std::get_if<std::int64_t>(&data)) return *i;
    if (auto* b = std::get_if<bool>(&data)) return *b ? 1 : 0;
    return {};
}

std::optional<double> RuntimeValue::number() const {
    if (auto* d = std::get_if<double>(&data)) return *d;
    if (auto i = integer()) return static_cast<double>(*i);
    return {};
}

std::optional<bool> RuntimeValue::boolean() const {
    if (auto* b = std::get_if<bool>(&data)) return *b;
    if (auto* i = std::get_if<std::int64_t>(&data); i && (*i == 0 || *i == 1)) return *i == 1;
    return {};
}

Name RuntimeValue::text() const {
    auto* t = std::get_if<Text>(&data);
    return t ? t->text : Name();
}

TypePtr RuntimeValue::type() const {
    if (auto* t = tensor()) return Type::tensor(t->type());
    if (auto i = integer()) return Type::sym(SymInt(*i));
    if (auto* l = list()) {
        std::vector<TypePtr> parts;
        for (const RuntimeValue& v : *l) parts.push_back(v.type());
        return Type::tuple(std::move(parts));
    }
    if (auto* d = std::get_if<RuntimeDict>(&data)) {
        std::vector<TypePtr> parts;
        for (const RuntimeValue& v : d->items) parts.push_back(v.type());
        return Type::tuple(std::move(parts));
    }
    return nullptr;
}

}  // namespace aliascope::exec
