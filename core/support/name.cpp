#include "core/support/name.h"

#include <array>
#include <mutex>
#include <vector>

#include <xxhash.h>

#include "core/support/stable_vector.h"

namespace aliascope {

#ifdef __clang__  // clang 14 does not see that the empty string of libstdc++ is a constant; before main() only its address is used
const Name::Kept Name::kEmpty;
#else
constinit const Name::Kept Name::kEmpty;
#endif

/// One part of the table of all texts: open addressing over hash and address, so that a lookup that misses touches one cache line.
/// Texts are never removed and never move. 16 shards keep two readers on two threads apart.
class NameTable {
public:
    using Text = Name::Text;

    const Text* intern(std::string_view text, std::uint64_t hash) {
        std::scoped_lock lock(mutex_);
        if ((texts_.size() + 1) * 2 > slots_.size()) grow();
        std::size_t i = hash & (slots_.size() - 1);
        for (; slots_[i].text; i = (i + 1) & (slots_.size() - 1))
            if (slots_[i].hash == hash && slots_[i].text->value == text) return slots_[i].text;
        slots_[i] = {hash, &texts_.push_back(Text{std::string(text), hash})};
        return slots_[i].text;
    }

private:
    struct Slot {
        std::uint64_t hash = 0;
        const Text* text = nullptr;
    };

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 256 : slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (!slot.text) continue;
            std::size_t i = slot.hash & (slots_.size() - 1);
            while (slots_[i].text) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = slot;
        }
    }

    std::mutex mutex_;
    std::vector<Slot> slots_;
    StableVector<Text> texts_;
};

namespace {

std::array<NameTable, 16>& shards() {
    static auto* all = new std::array<NameTable, 16>;  // never destroyed: names may outlive static objects
    return *all;
}

}  // namespace

const Name::Text* Name::intern(std::string_view text) {
    if (text.empty()) return &kEmpty.text;
    const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
    return shards()[hash >> 60].intern(text, hash);
}

}  // namespace aliascope
