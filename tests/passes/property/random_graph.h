#pragma once
// What generators of random graphs share: a source of chances, a graph that grows call by call, and a pool of the values made so far.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::testing {

class RandomGraph {
protected:
    RandomGraph(const OpRegistry& ops, std::uint64_t seed, Name device);

    // --- chances
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T>
    const T& anyOf(const std::vector<T>& items) {
        return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
    }
    template <class T, std::size_t N>
    const T& anyOf(const T (&items)[N]) {
        return items[static_cast<std::size_t>(below(static_cast<int>(N)))];
    }

    // --- values; sizes of symbolic tensors are those of the hints
    const TensorType& type(NodeId id) const { return *g_[id].tensor(); }
    std::int64_t valueOf(const SymInt& s) const;
    std::int64_t size(NodeId id, std::size_t d) const { return valueOf(type(id).sizes[d]); }
    std::size_t rank(NodeId id) const { return type(id).rank(); }
    std::int64_t numel(NodeId id) const { return valueOf(type(id).numel()); }
    std::vector<std::int64_t> sizesOf(NodeId id) const;

    // --- calls
    NodeId call(std::string_view op, std::vector<Value> args, std::vector<Keyword> kwargs = {});
    /// Adds a tensor of 1 to 512 elements to the pool; gives `id`.
    NodeId keep(NodeId id);
    NodeId addInput(int number, TensorType type);
    /// Ends the graph with some of the pool's values; each is taken with this chance.
    Graph finish(int percent);

    static Value ints(const std::vector<std::int64_t>& v);
    static Value dtypeValue(DType d);

    const OpRegistry& ops_;
    std::mt19937 random_;
    Name device_;
    Graph g_;
    std::vector<NodeId> pool_;
};

}  // namespace aliascope::testing
