#pragma once
// The graphs that the benchmarks run on: a bundled sample, and k copies of it in one graph.

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

/// `copies` independent copies of `g` behind each other; the output returns the results of all.
inline Graph repeated(const Graph& g, int copies) {
    Graph out;
    out.provenance = g.provenance;
    out.symbols = g.symbols;
    out.style = g.style;
    out.name = g.name;
    std::vector<Value> results;
    for (int k = 0; k < copies; ++k) {
        std::unordered_map<NodeId, NodeId> copyOf;
        const auto map = [&](NodeId id) { return Value::node(copyOf.at(id)); };
        for (NodeId id : inOrder(g)) {
            Node n = g[id];
            for (Value& v : n.args) v = v.mapNodes(map);
            for (auto& [key, v] : n.kwargs) v = v.mapNodes(map);
            if (n.kind == NodeKind::Output) {
                for (const Value& v : n.args) results.push_back(v);
                continue;
            }
            copyOf[id] = out.append(std::move(n));
        }
    }
    Node output;
    output.kind = NodeKind::Output;
    output.name = output.target = "output"_n;
    output.args = {Value::tuple(std::move(results))};
    out.append(std::move(output));
    return out;
}

}  // namespace aliascope::bench
