#pragma once
// The memory side of a run: makes storages, numbers them, and tells the memory model of each birth and death with the node that caused it.
// A storage reports its death by itself when the last value that holds it goes. Storages may outlive the ledger; they report to nobody then.
// Thread-safety: none.

#include <unordered_set>
#include <utility>

#include "core/exec/arena_plan.h"
#include "core/exec/backend.h"
#include "core/memory/memory_model.h"

namespace aliascope::exec {

class Ledger {
public:
    /// `arena`: where storages lie, as long as events come as planned; null = wherever the backend has room.
    Ledger(Backend& backend, const memory::CachingOptions& caching, std::int64_t maxBytes, std::shared_ptr<const ArenaPlan> arena = {});
    ~Ledger();
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    /// Node to which the following events belong.
    void at(const memory::Site& site) { core_->site = site; }
    const memory::Site& site() const { return core_->site; }
    std::uint32_t callPath(const std::string& text) { return core_->model.callPath(text); }

    /// A fresh storage; 0 bytes are allowed. Throws ExecError OUT_OF_MEMORY.
    StoragePtr allocate(std::int64_t bytes, StorageRole role = StorageRole::Value);
    /// The storage of a value that dies gets another tenant, which is written over it.
    void reuse(const StoragePtr& storage);
    /// Storage of a placeholder or constant, which the caller owns. Further calls for the same storage do nothing.
    void borrow(memory::EventKind kind, const StoragePtr& storage);
    void mark(memory::EventKind kind, memory::StorageId storage = memory::kNoStorage);

    /// While true, storages are not part of the accounting: what a Triton kernel holds lives in registers, whatever its body allocates here.
    bool setUncounted(bool on) { return std::exchange(uncounted_, on); }

    /// The events of the run so far; storages that die later are not in it.
    memory::EventLog finish();
    /// Nanoseconds since the run began.
    std::int64_t elapsed() const;

private:
    struct Core {
        explicit Core(const memory::CachingOptions& caching) : model(caching) {}
        memory::MemoryModel model;
        memory::Site site;
        std::int64_t live = 0;
        bool closed = false;
        void died(const Storage& storage);
    };
    [[noreturn]] void outOfMemory(std::int64_t bytes, std::int64_t free) const;
    void stamp();
    struct Arena {
        Arena(Backend& backend, std::size_t bytes) : backend(backend), data(backend.allocate(bytes)), bytes(bytes) {}
        ~Arena() {
            if (data) backend.free(data, bytes);
        }
        Arena(const Arena&) = delete;
        Arena& operator=(const Arena&) = delete;
        Backend& backend;
        std::byte* data;
        std::size_t bytes;
    };
    /// Memory for the storage that is born next; null when that was not planned.
    std::byte* placed(memory::EventKind kind, std::int64_t bytes);

    Backend& backend_;
    std::int64_t maxBytes_;
    std::shared_ptr<Core> core_;
    std::int64_t start_ = 0;
    bool uncounted_ = false;
    memory::StorageId next_ = 0;
    std::unordered_set<const Storage*> borrowed_;
    std::shared_ptr<const ArenaPlan> plan_;
    std::shared_ptr<Arena> arena_;
    std::size_t followed_ = 0;  ///< events that came as planned
};

/// Bytes from the start of a storage that a tensor of this geometry needs; 0 when it is empty. Throws ExecError when a size is negative or a number
/// of elements or bytes does not fit 63 bits.
std::int64_t storageBytes(const Shape& sizes, const Shape& strides, std::int64_t offset, std::int64_t itemSize);

}  // namespace aliascope::exec
