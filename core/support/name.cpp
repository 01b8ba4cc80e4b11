#include "core/support/name.h"

#include <array>
#include <mutex>
#include <unordered_set>

namespace aliascope {
namespace {

// Node-based sets keep the addresses of their strings; 16 shards keep two readers on two threads apart.
struct Shard {
    std::mutex mutex;
    std::unordered_set<std::string> texts;
};

std::array<Shard, 16>& shards() {
    static auto* all = new std::array<Shard, 16>;  // never destroyed: names may outlive static objects
    return *all;
}

}  // namespace

const std::string& Name::emptyText() {
    static const std::string* empty = intern(std::string_view());
    return *empty;
}

const std::string* Name::intern(std::string_view text) {
    std::string key(text);
    Shard& shard = shards()[std::hash<std::string>()(key) >> 60];
    std::scoped_lock lock(shard.mutex);
    return &*shard.texts.insert(std::move(key)).first;
}

}  // namespace aliascope
