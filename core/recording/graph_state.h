#pragma once
// What a graph is beside its nodes: bodies (the graph and its sub-graphs), print style, symbols, and what passes left for each other on nodes.
// Kept per lane as JSON blobs, one per stage in which it changed. Internal to core/recording.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace aliascope::recording {

/// One graph of the tree, sub-graphs behind their parents. Numbers are the upper half of a uid.
struct Body {
    std::uint32_t number = 0;
    std::string path;        ///< attributes joined by `.`; empty = main graph
    std::size_t parent = 0;  ///< index into the list of bodies; of the main graph 0
    Name attribute;
    const Graph* graph = nullptr;
};

constexpr std::size_t kMaxBodies = 10'000;
constexpr int kMaxBodyDepth = 64;

/// The main graph and its sub-graphs, parents first; numbers are still 0. Deeper or more than the limits: what lies beyond is left out.
std::vector<Body> bodiesOf(const Graph& g);

std::string graphStateJson(const std::vector<Body>& bodies);

/// The state read back: graphs without nodes.
struct BodyState {
    std::uint32_t number = 0;
    std::string path;
    std::size_t parent = 0;
    Name attribute;
    Graph graph;
    struct Meta {
        std::uint32_t node = 0;
        Name key;
        std::string text;  ///< Dialect::Exact
    };
    std::vector<Meta> meta;
};
/// Nothing for text that is not such a state.
std::optional<std::vector<BodyState>> graphStateFrom(std::string_view json);

}  // namespace aliascope::recording
