#include "core/memory/memory_model.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace aliascope::memory {
namespace {

// Sizes of PyTorch's CUDACachingAllocator (executor.md 4.1).
constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kRounding = 512;
constexpr std::int64_t kSmallRequest = kMiB;  ///< at most this: small pool
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kMidRequest = 10 * kMiB;  ///< below this: a shared large segment
constexpr std::int64_t kMidSegment = 20 * kMiB;
constexpr std::int64_t kSegmentRounding = 2 * kMiB;
constexpr std::int64_t kAddressSpace = std::int64_t{1} << 55;  ///< more than any device has; keeps sums of sizes and placements in range
constexpr std::int64_t kExpandableSpan = std::int64_t{1} << 53;

std::int64_t roundUp(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

/// Next multiple of 1/divisions of the power of two below `n`.
std::int64_t roundToDivision(std::int64_t n, int divisions) {
    const auto u = static_cast<std::uint64_t>(n);
    if (std::has_single_bit(u)) return n;
    const std::int64_t floor = static_cast<std::int64_t>(std::bit_floor(u));
    const std::int64_t step = floor >> (std::bit_width(static_cast<unsigned>(divisions)) - 1);
    return step == 0 ? 2 * floor : roundUp(n, step);
}

std::int64_t requestSize(std::int64_t bytes, const CachingOptions& options) {
    if (bytes < kRounding) return kRounding;
    const int divisions = options.roundupPower2Divisions;
    if (divisions > 1 && bytes > kRounding * divisions) return roundToDivision(bytes, divisions);
    return roundUp(bytes, kRounding);
}

std::int64_t segmentSize(std::int64_t request) {
    if (request <= kSmallRequest) return kSmallSegment;
    if (request < kMidRequest) return kMidSegment;
    return roundUp(request, kSegmentRounding);
}

using BlockIndex = std::uint32_t;
constexpr BlockIndex kNoBlock = 0xFFFFFFFF;

struct Block {
    std::int64_t address = 0, size = 0;
    BlockIndex prev = kNoBlock, next = kNoBlock;  ///< neighbours in the segment
    bool free = false, small = false;
};

/// The caching allocator on one stream: where a request lands, and how much of a block it takes.
class CachingAllocator {
public:
    /// Told of segments that come and go: address, signed bytes.
    using SegmentFn = std::function<void(std::int64_t address, std::int64_t bytes)>;

    explicit CachingAllocator(const CachingOptions& options) : options_(options) {}

    /// kNoBlock = out of memory.
    BlockIndex allocate(std::int64_t bytes, const SegmentFn& onSegment) {
        if (bytes > kAddressSpace) return kNoBlock;
        const std::int64_t size = requestSize(bytes, options_);
        BlockIndex found = takeFitting(size);
        if (found == kNoBlock) found = fromNewSegment(size, onSegment);
        if (found == kNoBlock && releaseOversized(size, onSegment)) found = fromNewSegment(size, onSegment);
        if (found == kNoBlock) {
            releaseUnsplit(onSegment);
            found = fromNewSegment(size, onSegment);
        }
        if (found != kNoBlock) splitOff(found, size);
        return found;
    }

    void release(BlockIndex at) {
        Block& block = blocks_[at];
        if (block.prev != kNoBlock && blocks_[block.prev].free) at = mergeWithNext(block.prev);
        if (const BlockIndex next = blocks_[at].next; next != kNoBlock && blocks_[next].free) mergeWithNext(at);
        setFree(at);
    }

    const Block& operator[](BlockIndex at) const { return blocks_[at]; }
    std::int64_t reserved() const { return reserved_; }
    std::int64_t limit() const { return options_.capacity > 0 ? std::min(options_.capacity, kAddressSpace) : kAddressSpace; }

private:
    using Key = std::tuple<std::int64_t, std::int64_t, BlockIndex>;  ///< size, address: best fit, ties by address
    using Pool = std::set<Key>;

    static bool isSmall(std::int64_t size) { return size <= kSmallRequest; }
    Pool& poolOf(bool small) { return small ? small_ : large_; }
    Key keyOf(BlockIndex at) const { return {blocks_[at].size, blocks_[at].address, at}; }
    bool limited() const { return options_.maxSplitSize > 0; }

    void setFree(BlockIndex at) {
        blocks_[at].free = true;
        poolOf(blocks_[at].small).insert(keyOf(at));
    }
    void take(BlockIndex at) {
        poolOf(blocks_[at].small).erase(keyOf(at));
        blocks_[at].free = false;
    }

    BlockIndex newBlock(Block block) {
        if (unused_.empty()) {
            blocks_.push_back(block);
            return static_cast<BlockIndex>(blocks_.size() - 1);
        }
        const BlockIndex at = unused_.back();
        unused_.pop_back();
        blocks_[at] = block;
        return at;
    }

    BlockIndex takeFitting(std::int64_t size) {
        Pool& pool = poolOf(isSmall(size));
        auto it = pool.lower_bound({size, -1, 0});
        if (it == pool.end()) return kNoBlock;
        // The last block of an expandable segment counts as the size that it can grow to: any other block that fits goes first.
        if (options_.expandableSegments && std::get<2>(*it) == tail(isSmall(size)) && std::next(it) != pool.end()) ++it;
        const auto [found, address, at] = *it;
        if (limited() && !options_.expandableSegments) {
            if (size < options_.maxSplitSize && found >= options_.maxSplitSize) return kNoBlock;
            if (size >= options_.maxSplitSize && found >= size + kMidSegment) return kNoBlock;
        }
        take(at);
        return at;
    }

    BlockIndex& tail(bool small) { return small ? smallTail_ : largeTail_; }

    /// A block that is in no pool, in use, at least `size` long.
    BlockIndex fromNewSegment(std::int64_t size, const SegmentFn& onSegment) {
        if (options_.expandableSegments) return grow(size, onSegment);
        const std::int64_t bytes = segmentSize(size);
        if (bytes > limit() - reserved_ || bytes > std::numeric_limits<std::int64_t>::max() - nextAddress_) return kNoBlock;
        const BlockIndex at = newBlock({nextAddress_, bytes, kNoBlock, kNoBlock, false, isSmall(size)});
        nextAddress_ += bytes;
        reserved_ += bytes;
        onSegment(blocks_[at].address, bytes);
        return at;
    }

    /// Makes the free end of the pool's one segment at least `size` long.
    BlockIndex grow(std::int64_t size, const SegmentFn& onSegment) {
        const bool small = isSmall(size);
        BlockIndex last = tail(small);
        const std::int64_t have = last != kNoBlock && blocks_[last].free ? blocks_[last].size : 0;
        const std::int64_t bytes = have >= size ? 0 : roundUp(size - have, small ? kSmallSegment : kMidSegment);
        std::int64_t& end = small ? smallEnd_ : largeEnd_;
        const std::int64_t spanEnd = small ? kExpandableSpan : kAddressSpace;
        if (bytes > limit() - reserved_ || bytes > spanEnd - end) return kNoBlock;
        if (have > 0) {
            take(last);
            blocks_[last].size += bytes;
        } else {
            const BlockIndex before = last;
            last = newBlock({end, bytes, before, kNoBlock, false, small});
            if (before != kNoBlock) blocks_[before].next = last;
            tail(small) = last;
        }
        if (bytes > 0) {
            reserved_ += bytes;
            onSegment(end, bytes);
            end += bytes;
        }
        return last;
    }

    bool splits(const Block& block, std::int64_t size) const {
        const std::int64_t rest = block.size - size;
        if (block.small || options_.expandableSegments) return rest >= kRounding;
        return (!limited() || size < options_.maxSplitSize) && rest > kSmallRequest;
    }

    void splitOff(BlockIndex at, std::int64_t size) {
        if (!splits(blocks_[at], size)) return;
        const Block whole = blocks_[at];
        const BlockIndex rest = newBlock({whole.address + size, whole.size - size, at, whole.next, false, whole.small});
        if (whole.next != kNoBlock) blocks_[whole.next].prev = rest;
        blocks_[at].size = size;
        blocks_[at].next = rest;
        if (tail(whole.small) == at) tail(whole.small) = rest;
        setFree(rest);
    }

    /// `at` swallows its successor; both leave their pools, and the result is in none.
    BlockIndex mergeWithNext(BlockIndex at) {
        const BlockIndex gone = blocks_[at].next;
        if (blocks_[at].free) take(at);
        if (blocks_[gone].free) take(gone);
        blocks_[at].size += blocks_[gone].size;
        blocks_[at].next = blocks_[gone].next;
        if (blocks_[at].next != kNoBlock) blocks_[blocks_[at].next].prev = at;
        if (tail(blocks_[at].small) == gone) tail(blocks_[at].small) = at;
        unused_.push_back(gone);
        return at;
    }

    bool isWholeSegment(const Block& block) const { return block.prev == kNoBlock && block.next == kNoBlock; }

    void releaseSegment(BlockIndex at, const SegmentFn& onSegment) {
        const Block gone = blocks_[at];
        take(at);
        unused_.push_back(at);
        reserved_ -= gone.size;
        onSegment(gone.address, -gone.size);
    }

    /// With max_split_size: gives back cached blocks above it, the smallest that suffices, else the largest ones until they do.
    bool releaseOversized(std::int64_t size, const SegmentFn& onSegment) {
        if (!limited() || options_.expandableSegments) return false;
        const std::int64_t wanted = std::max(size, options_.maxSplitSize);
        Pool& pool = poolOf(isSmall(size));
        if (auto it = pool.lower_bound({wanted, -1, 0}); it != pool.end()) {
            const BlockIndex at = std::get<2>(*it);
            if (!isWholeSegment(blocks_[at])) return false;
            releaseSegment(at, onSegment);
            return true;
        }
        std::int64_t released = 0;
        while (released < wanted && !pool.empty()) {
            const BlockIndex at = std::get<2>(*pool.rbegin());
            if (blocks_[at].size < options_.maxSplitSize || !isWholeSegment(blocks_[at])) break;
            released += blocks_[at].size;
            releaseSegment(at, onSegment);
        }
        return released >= wanted;
    }

    void releaseUnsplit(const SegmentFn& onSegment) {
        if (options_.expandableSegments) {
            for (const bool small : {false, true}) shrink(small, onSegment);
            return;
        }
        for (const bool small : {false, true}) {
            std::vector<BlockIndex> whole;
            for (const Key& key : poolOf(small))
                if (isWholeSegment(blocks_[std::get<2>(key)])) whole.push_back(std::get<2>(key));
            for (const BlockIndex at : whole) releaseSegment(at, onSegment);
        }
    }

    /// Unmaps what is free at the end of an expandable segment.
    void shrink(bool small, const SegmentFn& onSegment) {
        const BlockIndex last = tail(small);
        if (last == kNoBlock || !blocks_[last].free) return;
        const std::int64_t unit = small ? kSmallSegment : kMidSegment;
        const std::int64_t bytes = blocks_[last].size / unit * unit;
        if (bytes == 0) return;
        std::int64_t& end = small ? smallEnd_ : largeEnd_;
        take(last);
        blocks_[last].size -= bytes;
        if (blocks_[last].size > 0) {
            setFree(last);
        } else {
            tail(small) = blocks_[last].prev;
            if (blocks_[last].prev != kNoBlock) blocks_[blocks_[last].prev].next = kNoBlock;
            unused_.push_back(last);
        }
        end -= bytes;
        reserved_ -= bytes;
        onSegment(end, -bytes);
    }

    CachingOptions options_;
    std::vector<Block> blocks_;
    std::vector<BlockIndex> unused_;
    Pool small_, large_;
    BlockIndex smallTail_ = kNoBlock, largeTail_ = kNoBlock;  ///< of expandable segments
    std::int64_t smallEnd_ = 0, largeEnd_ = kExpandableSpan;
    std::int64_t nextAddress_ = 0, reserved_ = 0;
};

struct Record {
    std::int64_t bytes = 0;  ///< 0 = unknown storage
    BlockIndex block = kNoBlock;
    EventKind kind = EventKind::Alloc;
    std::uint32_t tenant = 0;
    bool live = false;  ///< counted in the live bytes
};

}  // namespace

struct MemoryModel::Impl {
    explicit Impl(const CachingOptions& options) : caching(options), options(options) {}

    Record* find(StorageId storage) {
        if (storage >= records.size() || records[storage].bytes == 0) return nullptr;
        return &records[storage];
    }
    Record& record(StorageId storage) {
        if (storage >= records.size()) records.resize(std::size_t{storage} + 1);
        return records[storage];
    }

    Event event(EventKind kind, const Site& site, StorageId storage) {
        Event e;
        e.time = time;
        e.kind = kind;
        e.site = site;
        e.storage = storage;
        if (const Record* r = find(storage)) {
            e.tenant = r->tenant;
            e.exact = r->bytes;
            e.charged = r->block != kNoBlock ? caching[r->block].size : requestSize(r->bytes, options);
            e.address = r->block != kNoBlock ? caching[r->block].address : -1;
        }
        return e;
    }
    void add(Event e) {
        e.liveExact = liveExact;
        e.liveCharged = liveCharged;
        e.reserved = reserved;
        log.add(e);
    }

    void addSegment(const Site& site, std::int64_t address, std::int64_t bytes) {
        reserved += bytes;
        Event e = event(bytes > 0 ? EventKind::SegmentAlloc : EventKind::SegmentFree, site, kNoStorage);
        e.charged = bytes > 0 ? bytes : -bytes;
        e.address = address;
        add(e);
    }

    CachingAllocator caching;
    CachingOptions options;
    std::vector<Record> records;  ///< by StorageId
    std::unordered_map<std::string, std::uint32_t> callPaths = {{"", 0}};
    EventLog log;
    std::int64_t time = 0, liveExact = 0, liveCharged = 0, reserved = 0;
};

MemoryModel::MemoryModel(const CachingOptions& options) : impl_(std::make_unique<Impl>(options)) {}
MemoryModel::~MemoryModel() = default;
MemoryModel::MemoryModel(MemoryModel&&) noexcept = default;

void MemoryModel::borrow(EventKind kind, const Site& site, StorageId storage, std::int64_t bytes) {
    if (bytes <= 0 || storage == kNoStorage) return;
    impl_->record(storage) = {std::min(bytes, kAddressSpace), kNoBlock, kind, 0, false};
    impl_->add(impl_->event(kind, site, storage));
}

Status MemoryModel::allocate(EventKind kind, const Site& site, StorageId storage, std::int64_t bytes) {
    if (bytes <= 0 || storage == kNoStorage) return {};
    Impl& m = *impl_;
    const BlockIndex block = m.caching.allocate(bytes, [&](std::int64_t address, std::int64_t segment) { m.addSegment(site, address, segment); });
    if (block == kNoBlock)
        return fail(userError("OUT_OF_MEMORY", {{"bytes", std::to_string(bytes)},
                                                {"live", std::to_string(m.liveCharged)},
                                                {"free", std::to_string(m.caching.limit() - m.caching.reserved())}}));
    m.record(storage) = {bytes, block, kind, 0, true};
    m.liveExact += bytes;
    m.liveCharged += m.caching[block].size;
    m.add(m.event(kind, site, storage));
    return {};
}

void MemoryModel::release(const Site& site, StorageId storage) {
    Impl& m = *impl_;
    Record* record = m.find(storage);
    if (!record || !record->live) return;
    Event e = m.event(record->kind == EventKind::WorkspaceAlloc ? EventKind::WorkspaceFree : EventKind::Free, site, storage);
    m.liveExact -= record->bytes;
    m.liveCharged -= e.charged;
    m.caching.release(record->block);
    *record = {};
    m.add(e);
}

void MemoryModel::reuse(const Site& site, StorageId storage) {
    Record* record = impl_->find(storage);
    if (!record) return;
    ++record->tenant;
    impl_->add(impl_->event(EventKind::Reuse, site, storage));
}

void MemoryModel::mark(EventKind kind, const Site& site, StorageId storage) {
    if (storage != kNoStorage && !impl_->find(storage)) return;
    impl_->add(impl_->event(kind, site, storage));
}

std::uint32_t MemoryModel::callPath(const std::string& text) {
    const auto [it, fresh] = impl_->callPaths.try_emplace(text, static_cast<std::uint32_t>(impl_->log.callPaths.size()));
    if (fresh) impl_->log.callPaths.push_back(text);
    return it->second;
}

void MemoryModel::setTime(std::int64_t ns) { impl_->time = ns; }

const EventLog& MemoryModel::log() const { return impl_->log; }

EventLog MemoryModel::takeLog() {
    impl_->callPaths = {{"", 0}};
    return std::exchange(impl_->log, EventLog());
}

}  // namespace aliascope::memory
