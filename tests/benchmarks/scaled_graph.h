#pragma once
// The graphs that the benchmarks run on: a bundled sample, and the same network with k times the layers.

#include <fstream>
#include <iterator>
#include <string>
#include <unordered_map>

#include "core/text/document.h"

namespace aliascope::bench {

inline std::string sampleText(const std::string& file) {
    std::ifstream in(std::string(ALIASCOPE_SOURCE_DIR) + "/sample_graphs/" + file);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline Graph sampleGraph(const std::string& file) {
    Result<Document> doc = readText(sampleText(file), file, OpRegistry::builtin());
    return doc ? std::move(doc->units.front().graph) : Graph();
}

/// A network with `copies` times the layers of `g`: its body that many times behind each other, each fed with a result of the one before. Parameters of all
/// copies come first, as compilers place them; the output returns the results of all.
inline Graph stacked(const Graph& g, int copies) {
    Graph out;
    out.provenance = g.provenance;
    out.symbols = g.symbols;
    out.style = g.style;
    out.name = g.name;
    std::vector<std::unordered_map<NodeId, NodeId>> copyOf(static_cast<std::size_t>(copies));
    const NodeId fed = g.placeholders().front();
    for (int k = 0; k < copies; ++k)
        for (NodeId id : g.placeholders())
            if (k == 0 || id != fed) copyOf[static_cast<std::size_t>(k)][id] = out.append(g[id]);
    std::vector<Value> results;
    NodeId last;  // the latest node of the type of `fed`
    for (auto& copies : copyOf) {
        if (last) copies[fed] = last;
        const auto map = [&](NodeId id) { return Value::node(copies.at(id)); };
        for (NodeId id : inOrder(g)) {
            if (g[id].kind == NodeKind::Placeholder) continue;
            Node n = g[id];
            for (Value& v : n.args) v = v.mapNodes(map);
            for (auto& [key, v] : n.kwargs) v = v.mapNodes(map);
            if (n.kind == NodeKind::Output) {
                results.insert(results.end(), n.args.begin(), n.args.end());
                continue;
            }
            const NodeId copy = copies[id] = out.append(std::move(n));
            if (sameType(g[id].type, g[fed].type)) last = copy;
        }
        if (!last) last = copies.at(fed);
    }
    Node output;
    output.kind = NodeKind::Output;
    output.name = output.target = "output"_n;
    output.args = {Value::tuple(std::move(results))};
    out.append(std::move(output));
    return out;
}

}  // namespace aliascope::bench
