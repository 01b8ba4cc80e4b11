#include "core/exec/doubles.h"

#include <algorithm>
#include <new>

namespace aliascope::exec {
namespace {

/// Elements of a whole storage, as many as fit.
Tensor flat(const StoragePtr& storage, DType dtype) {
    Tensor t;
    t.storage = storage;
    t.dtype = dtype;
    t.sizes = {static_cast<std::int64_t>(storage->bytes) / itemSize(dtype)};
    t.strides = {1};
    t.offset = storage->start / itemSize(dtype);
    return t;
}

StoragePtr makeStorage(Backend& backend, std::size_t bytes) {
    std::byte* data = bytes > 0 ? backend.allocate(bytes) : nullptr;
    if (bytes > 0 && !data) throw std::bad_alloc();
    return std::make_shared<Storage>(backend, data, bytes);
}

class Doubler {
public:
    explicit Doubler(Backend& backend) : backend_(backend) {}

    RuntimeValue of(const RuntimeValue& v) {
        const Tensor* t = v.tensor();
        if (!t || !t->storage || doubled(t->dtype) == t->dtype) return v;
        StoragePtr& storage = storages_[t->storage.get()];
        const Tensor from = flat(t->storage, t->dtype);
        if (!storage) {
            storage = makeStorage(backend_, static_cast<std::size_t>(from.sizes[0] * itemSize(doubled(t->dtype))));
            storage->start = from.offset * itemSize(doubled(t->dtype));
            backend_.copy(flat(storage, doubled(t->dtype)), from);
        }
        Tensor out = *t;
        out.storage = storage;
        out.dtype = doubled(t->dtype);
        return out;
    }

private:
    Backend& backend_;
    std::unordered_map<const Storage*, StoragePtr> storages_;
};

}  // namespace

StageInputs inDoubles(const StageInputs& inputs, Backend& backend) {
    Doubler doubler(backend);
    StageInputs out;
    for (const RuntimeValue& v : inputs.values) out.values.push_back(doubler.of(v));
    for (const auto& [name, v] : inputs.constants) out.constants.emplace(name, doubler.of(v));
    out.indices = inputs.indices;
    return out;
}

bool mayBeDecided(const OpRegistry& ops, const Node& n, const Tensor& value) {
    if (!n.isCall()) return false;
    const DTypeInfo& type = info(value.dtype);
    if (!type.floating && !type.complex) return true;
    const OpDef* op = ops.find(n.op);
    return op && op->is(Trait::Random);
}

bool DecidedValues::give(const memory::Site& site, int out, const Tensor& into, Backend& backend) {
    const auto found = values_.find({site, out});
    if (found == values_.end() || found->second.sizes != into.sizes) return false;
    const KeptValue& kept = found->second;
    if (kept.dtype == into.dtype) {
        std::vector<std::byte> own(kept.data.size());
        backend.download(own.data(), into);
        const auto item = static_cast<std::size_t>(into.itemSize());
        std::int64_t differ = 0;
        for (std::size_t i = 0; i + item <= own.size(); i += item)
            differ += !std::equal(own.begin() + static_cast<std::ptrdiff_t>(i), own.begin() + static_cast<std::ptrdiff_t>(i + item),
                                  kept.data.begin() + static_cast<std::ptrdiff_t>(i));
        if (differ > 0) {
            otherwise_[{site.body, site.node.value}] += differ;
            backend.upload(into, kept.data.data());
        }
        return true;
    }
    Tensor native;
    native.dtype = kept.dtype;
    native.sizes = kept.sizes;
    native.strides = contiguousStrides(kept.sizes);
    native.storage = makeStorage(backend, kept.data.size());
    backend.upload(native, kept.data.data());
    backend.copy(into, native);
    return true;
}

}  // namespace aliascope::exec
