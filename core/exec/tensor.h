#pragma once
// Storage, tensors and values of a running graph (executor.md 3.1). A tensor is a view: writing through one is seen through every tensor on the
// same storage. Storage is freed when the last value that holds it goes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/type.h"
#include "core/memory/mem_event.h"
#include "core/support/name.h"

namespace aliascope::exec {

class Backend;

enum class StorageRole : std::uint8_t { Input, Constant, Value, Saved, Output, Workspace, Slack };
std::string_view toString(StorageRole role);

/// One allocation of a backend. `data` is null in a prediction and for 0 bytes; of a CUDA storage it is a device address.
struct Storage {
    Storage(Backend& backend, std::byte* data, std::size_t bytes) : backend(backend), data(data), bytes(bytes) {}
    ~Storage();  ///< gives the memory back to its backend
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    Backend& backend;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::int64_t start = 0;  ///< bytes of the address space before `data`: a scatter's result keeps the offset of its base, not the room there
    bool hasRoom = false;    ///< they may be read nevertheless (zeros); nobody counts them
    memory::StorageId id = memory::kNoStorage;
    memory::Site origin;  ///< node that allocated it
    StorageRole role = StorageRole::Value;
    std::uint64_t generation = 0;  ///< counts writes by nodes
    bool synthetic = false;        ///< reached by a stand-in (executor.md 6.4)
    std::shared_ptr<void> home;    ///< what owns `data` when it lies in an arena; null: this storage does
};
using StoragePtr = std::shared_ptr<Storage>;

using Shape = std::vector<std::int64_t>;

/// Sizes and strides in elements, strides never negative, offset in elements from the start of the storage.
struct Tensor {
    StoragePtr storage;
    DType dtype = DType::Unknown;
    Shape sizes, strides;
    std::int64_t offset = 0;
    Name device;  ///< as the graph says (`cuda:0`), whatever runs it

    std::size_t rank() const { return sizes.size(); }
    std::int64_t numel() const;
    std::int64_t itemSize() const { return aliascope::itemSize(dtype); }
    std::int64_t bytes() const { return numel() * itemSize(); }
    /// Elements from the first to past the last one reached: 0 for empty tensors, else 1 + sum((size-1)*stride).
    std::int64_t extent() const;
    bool isContiguous() const;
    std::byte* data() const { return storage && storage->data ? storage->data + (offset * itemSize() - storage->start) : nullptr; }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(data());
    }
    TensorType type() const;  ///< as the IR writes it, offset included
    std::string str() const { return type().str(); }
};

/// The type in which a reference computes what has type `dtype`: f64 for floats, c128 for complex numbers.
DType doubled(DType dtype);
Shape contiguousStrides(const Shape& sizes);          ///< a size of 0 counts as 1
bool sameGeometry(const Tensor& a, const Tensor& b);  ///< same storage, dtype, sizes, strides, offset

struct RuntimeValue;
using RuntimeList = std::vector<RuntimeValue>;
struct RuntimeDict {
    std::vector<Name> keys;
    RuntimeList items;
};

/// What a node gives: None, bool, int, float, text (dtype, device, layout, string, operator), tensor, list or tuple, dict, slice.
struct RuntimeValue {
    struct Text {
        Name text;
    };
    struct Slice {
        std::shared_ptr<const RuntimeList> parts;
    };  ///< start, stop, step
    struct Ellipsis {};
    std::variant<std::monostate, bool, std::int64_t, double, Text, Tensor, RuntimeList, RuntimeDict, Slice, Ellipsis> data;

    RuntimeValue() = default;
    RuntimeValue(bool b) : data(b) {}
    RuntimeValue(std::int64_t i) : data(i) {}
    RuntimeValue(double d) : data(d) {}
    RuntimeValue(Tensor t) : data(std::move(t)) {}
    RuntimeValue(RuntimeList l) : data(std::move(l)) {}
    RuntimeValue(RuntimeDict d) : data(std::move(d)) {}
    RuntimeValue(Text t) : data(t) {}

    bool isNone() const { return std::holds_alternative<std::monostate>(data); }
    bool isList() const { return std::holds_alternative<RuntimeList>(data); }
    const Tensor* tensor() const { return std::get_if<Tensor>(&data); }
    Tensor* tensor() { return std::get_if<Tensor>(&data); }
    const RuntimeList* list() const { return std::get_if<RuntimeList>(&data); }
    std::optional<std::int64_t> integer() const;  ///< int and bool
    std::optional<double> number() const;         ///< int, bool, float
    std::optional<bool> boolean() const;
    Name text() const;  ///< empty when it is none
    /// Type as inference sees it: tensors exact, ints as constant symbols, lists as tuples.
    TypePtr type() const;
    /// Calls `f(const Tensor&)` for every tensor inside, in order.
    template <class F>
    void forEachTensor(F&& f) const {
        if (auto* t = tensor())
            f(*t);
        else if (auto* l = list())
            for (const RuntimeValue& v : *l) v.forEachTensor(f);
        else if (auto* d = std::get_if<RuntimeDict>(&data))
            for (const RuntimeValue& v : d->items) v.forEachTensor(f);
    }
};

}  // namespace aliascope::exec
