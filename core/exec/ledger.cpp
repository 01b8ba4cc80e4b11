#include "core/exec/ledger.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace aliascope::exec {
namespace {

std::int64_t now() { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Of this machine; 0 = not known.
std::int64_t physicalMemory() {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? static_cast<std::int64_t>(pages) * size : 0;
}

[[noreturn]] void tooLarge() { failExec("OUT_OF_MEMORY", {{"bytes", "more than 2^63"}, {"live", "0"}, {"free", "0"}}); }

}  // namespace

Ledger::Ledger(Backend& backend, const memory::CachingOptions& caching, std::int64_t maxBytes, std::shared_ptr<const ArenaPlan> arena)
    : backend_(backend), maxBytes_(maxBytes), core_(std::make_shared<Core>(caching)), start_(now()), plan_(std::move(arena)) {
    // Linux gives out more than there is, and kills who uses it.
    if (maxBytes_ == 0 && backend.name().starts_with("cpu")) maxBytes_ = physicalMemory();
}

Ledger::~Ledger() { core_->closed = true; }

void Ledger::Core::died(const Storage& storage) {
    if (closed) return;
    live -= static_cast<std::int64_t>(storage.bytes);
    if (storage.id != memory::kNoStorage) model.release(site, storage.id);
}

void Ledger::stamp() {
    if (backend_.computes()) core_->model.setTime(elapsed());
}

std::int64_t Ledger::elapsed() const { return now() - start_; }

void Ledger::outOfMemory(std::int64_t bytes, std::int64_t free) const {
    failExec("OUT_OF_MEMORY", {{"bytes", std::to_string(bytes)}, {"live", std::to_string(core_->live)}, {"free", std::to_string(free)}});
}

StoragePtr Ledger::allocate(std::int64_t bytes, StorageRole role) {
    const auto size = static_cast<std::size_t>(bytes);
    const auto kind = role == StorageRole::Workspace ? memory::EventKind::WorkspaceAlloc : memory::EventKind::Alloc;
    if (maxBytes_ > 0 && bytes > maxBytes_ - core_->live) outOfMemory(bytes, std::max<std::int64_t>(0, maxBytes_ - core_->live));
    std::byte* const planned = size > 0 && !uncounted_ ? placed(kind, bytes) : nullptr;
    std::byte* const data = planned || size == 0 ? planned : backend_.allocate(size);
    if (size > 0 && !data && backend_.computes()) outOfMemory(bytes, 0);
    StoragePtr storage(new Storage(backend_, data, size), [core = core_](Storage* s) {
        core->died(*s);
        delete s;
    });
    if (planned) storage->home = arena_;
    storage->origin = core_->site;
    storage->role = role;
    core_->live += bytes;
    if (uncounted_) return storage;
    storage->id = next_++;
    stamp();
    if (Status modelled = core_->model.allocate(kind, core_->site, storage->id, bytes); !modelled)
        throw ExecError{modelled.error().code, modelled.error().params};
    return storage;
}

std::byte* Ledger::placed(memory::EventKind kind, std::int64_t bytes) {
    if (!plan_) return nullptr;
    const std::vector<memory::Event>& events = core_->model.log().events;
    const std::vector<memory::Event>& expected = plan_->expected.events;
    while (followed_ < events.size() && followed_ < expected.size() && events[followed_] == expected[followed_]) ++followed_;
    std::size_t next = followed_;
    while (next < expected.size() && expected[next].kind == memory::EventKind::SegmentAlloc) ++next;
    const bool asPlanned = followed_ == events.size() && next < expected.size() && expected[next].kind == kind &&
                           expected[next].site == core_->site && expected[next].storage == next_ && expected[next].exact == bytes &&
                           next_ < plan_->offsets.size() && plan_->offsets[next_] >= 0;
    if (asPlanned && !arena_) arena_ = std::make_shared<Arena>(backend_, static_cast<std::size_t>(plan_->arena));
    if (asPlanned && arena_->data) return arena_->data + plan_->offsets[next_];
    plan_ = nullptr;  // what comes later may lie elsewhere in time than planned: nothing more is placed
    return nullptr;
}

void Ledger::reuse(const StoragePtr& storage) {
    ++storage->generation;
    if (uncounted_ || storage->id == memory::kNoStorage) return;
    stamp();
    core_->model.reuse(core_->site, storage->id);
}

void Ledger::borrow(memory::EventKind kind, const StoragePtr& storage) {
    if (!storage || !borrowed_.insert(storage.get()).second) return;
    storage->id = next_++;
    storage->origin = core_->site;
    storage->role = kind == memory::EventKind::Constant ? StorageRole::Constant : StorageRole::Input;
    stamp();
    core_->model.borrow(kind, core_->site, storage->id, static_cast<std::int64_t>(storage->bytes));
}

void Ledger::mark(memory::EventKind kind, memory::StorageId storage) {
    if (uncounted_) return;
    stamp();
    core_->model.mark(kind, core_->site, storage);
}

memory::EventLog Ledger::finish() {
    core_->closed = true;
    return core_->model.takeLog();
}

std::int64_t storageBytes(const Shape& sizes, const Shape& strides, std::int64_t offset, std::int64_t itemSize) {
    std::int64_t numel = 1, last = offset, step = 0, bytes = 0;
    bool empty = false;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] < 0) failShape("size", std::to_string(sizes[d]), "sizes of 0 and more");
        if (strides[d] < 0) failShape("stride", std::to_string(strides[d]), "strides of 0 and more");
        if (sizes[d] == 0) empty = true;
        if (!empty && (__builtin_mul_overflow(numel, sizes[d], &numel) || __builtin_mul_overflow(sizes[d] - 1, strides[d], &step) ||
                       __builtin_add_overflow(last, step, &last)))
            tooLarge();
    }
    if (offset < 0) failShape("storage_offset", std::to_string(offset), "an offset of 0 and more");
    if (empty) return 0;
    if (__builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, std::max<std::int64_t>(itemSize, 1), &bytes) ||
        __builtin_mul_overflow(numel, std::max<std::int64_t>(itemSize, 1), &numel))
        tooLarge();
    return bytes;
}

}  // namespace aliascope::exec
