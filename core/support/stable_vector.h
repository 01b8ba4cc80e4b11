#pragma once
// A growing array whose elements never move: blocks of 64 in one table. Neighbours lie beside each other, as in a vector, so that walking a large
// array is a walk through memory; references stay valid for the life of the array, as with a vector of pointers.
// Thread-safety: as std::vector.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace aliascope {

template <class T>
class StableVector {
public:
    StableVector() = default;
    StableVector(StableVector&& o) noexcept : blocks_(std::move(o.blocks_)), size_(std::exchange(o.size_, 0)) {}
    StableVector& operator=(StableVector&& o) noexcept {
        std::swap(blocks_, o.blocks_);
        std::swap(size_, o.size_);
        return *this;
    }
    StableVector(const StableVector& o) {
        blocks_.reserve(o.blocks_.size());
        for (std::size_t i = 0; i < o.size_; ++i) push_back(o[i]);
    }
    StableVector& operator=(const StableVector& o) {
        StableVector copy(o);
        return *this = std::move(copy);
    }
    ~StableVector() {
        for (std::size_t i = 0; i < size_; ++i) (*this)[i].~T();
    }

    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return blocks_[i / kBlock]->at(i % kBlock); }
    const T& operator[](std::size_t i) const { return blocks_[i / kBlock]->at(i % kBlock); }
    T& back() { return (*this)[size_ - 1]; }

    template <class... A>
    T& push_back(A&&... value) {
        if (size_ % kBlock == 0 && size_ / kBlock == blocks_.size()) blocks_.push_back(std::make_unique_for_overwrite<Block>());
        T* made = new (blocks_[size_ / kBlock]->room(size_ % kBlock)) T(std::forward<A>(value)...);
        ++size_;
        return *made;
    }

private:
    static constexpr std::size_t kBlock = 64;
    struct Block {
        void* room(std::size_t i) { return bytes + i * sizeof(T); }
        T& at(std::size_t i) { return *std::launder(reinterpret_cast<T*>(bytes + i * sizeof(T))); }
        alignas(T) std::byte bytes[kBlock * sizeof(T)];
    };
    std::vector<std::unique_ptr<Block>> blocks_;
    std::size_t size_ = 0;
};

}  // namespace aliascope
