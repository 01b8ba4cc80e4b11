#pragma once
// A hash map in one block of memory, for the maps that every node passes through: a lookup costs one cache miss where a map of linked nodes costs
// three. Iteration is left out on purpose: its order would differ between runs.
// Thread-safety: as std::unordered_map.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace aliascope {

/// `Key` and `T` are default constructible and movable. Pointers to values are valid until the next insertion or erasure.
template <class Key, class T, class Hash = std::hash<Key>>
class FlatMap {
public:
    std::size_t size() const { return size_; }

    T* find(const Key& key) { return const_cast<T*>(std::as_const(*this).find(key)); }
    const T* find(const Key& key) const {
        if (slots_.empty()) return nullptr;
        const std::uint32_t hash = hashOf(key);
        for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
            const Slot& slot = slots_[i];
            if (slot.hash == 0) return nullptr;
            if (slot.hash == hash && slot.key == key) return &slot.value;
        }
    }
    bool contains(const Key& key) const { return find(key) != nullptr; }

    /// The value of `key`, made by `T()` when there was none.
    T& operator[](const Key& key) { return *insert(key).first; }
    /// The value of `key`, and whether it was made now.
    std::pair<T*, bool> insert(const Key& key) {
        if ((size_ + 1) * 3 > slots_.size() * 2) grow();
        const std::uint32_t hash = hashOf(key);
        std::size_t i = hash & mask();
        for (; slots_[i].hash != 0; i = (i + 1) & mask())
            if (slots_[i].hash == hash && slots_[i].key == key) return {&slots_[i].value, false};
        slots_[i].hash = hash;
        slots_[i].key = key;
        ++size_;
        return {&slots_[i].value, true};
    }

    void erase(const Key& key) {
        if (slots_.empty()) return;
        const std::uint32_t hash = hashOf(key);
        std::size_t hole = hash & mask();
        while (!(slots_[hole].hash == hash && slots_[hole].key == key)) {
            if (slots_[hole].hash == 0) return;
            hole = (hole + 1) & mask();
        }
        // Entries behind the hole move up, unless their own place lies between: no marks of the dead are left.
        for (std::size_t i = (hole + 1) & mask(); slots_[i].hash != 0; i = (i + 1) & mask()) {
            const std::size_t home = slots_[i].hash & mask();
            if (((i - home) & mask()) < ((i - hole) & mask())) continue;
            slots_[hole] = std::move(slots_[i]);
            hole = i;
        }
        slots_[hole] = Slot();
        --size_;
    }

    void reserve(std::size_t entries) {
        while (slots_.size() * 2 < entries * 3) grow();
    }

private:
    struct Slot {
        std::uint32_t hash = 0;  ///< 0 = free
        Key key{};
        T value{};
    };

    std::size_t mask() const { return slots_.size() - 1; }
    static std::uint32_t hashOf(const Key& key) {
        // Pointers and small numbers differ in few bits: spread them.
        const std::uint64_t spread = static_cast<std::uint64_t>(Hash()(key)) * 0x9E3779B97F4A7C15ull;
        const auto hash = static_cast<std::uint32_t>(spread >> 32);
        return hash ? hash : 1;
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
        old.swap(slots_);
        for (Slot& slot : old) {
            if (slot.hash == 0) continue;
            std::size_t i = slot.hash & mask();
            while (slots_[i].hash != 0) i = (i + 1) & mask();
            slots_[i] = std::move(slot);
        }
    }

    std::vector<Slot> slots_;  // a power of two, at most two thirds full
    std::size_t size_ = 0;
};

}  // namespace aliascope
