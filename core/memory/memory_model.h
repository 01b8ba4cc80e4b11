#pragma once
// The two accountings of executor.md 4.1, always kept together: `exact` counts the bytes asked for, `cuda-caching` models PyTorch's default CUDA
// allocator on one stream. Pure bookkeeping: no memory is touched. Inputs and constants are counted apart from what the graph allocates.
// Thread-safety: none.

#include <memory>

#include "core/memory/mem_event.h"
#include "core/support/result.h"

namespace aliascope::memory {

struct CachingOptions {
    std::int64_t maxSplitSize = 0;   ///< 0 = no limit
    int roundupPower2Divisions = 0;  ///< 0 = off
    bool expandableSegments = false;
    std::int64_t capacity = 0;  ///< bytes of the modelled device; 0 = unlimited
};

class MemoryModel {
public:
    explicit MemoryModel(const CachingOptions& options = {});
    ~MemoryModel();
    MemoryModel(MemoryModel&&) noexcept;

    /// Storage of a placeholder or constant: an event without live bytes.
    void borrow(EventKind kind, const Site& site, StorageId storage, std::int64_t bytes);
    /// A fresh storage. 0 bytes: no event. Error OUT_OF_MEMORY (node, bytes asked, live, free) when a capacity is set and does not suffice.
    Status allocate(EventKind kind, const Site& site, StorageId storage, std::int64_t bytes);
    /// The storage dies at `site`; unknown and 0-byte storages are ignored.
    void release(const Site& site, StorageId storage);
    /// `storage` gets another tenant; bytes do not change.
    void reuse(const Site& site, StorageId storage);
    /// Events that move no bytes: output, donate, enter, leave.
    void mark(EventKind kind, const Site& site, StorageId storage);
    std::uint32_t callPath(const std::string& text);  ///< interned

    /// Time of the following events, ns since the run began.
    void setTime(std::int64_t ns);
    const EventLog& log() const;
    EventLog takeLog();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace aliascope::memory
