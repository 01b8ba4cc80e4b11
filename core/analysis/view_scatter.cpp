#include "core/analysis/view_scatter.h"

#include <array>

namespace aliascope {
namespace {

struct ScatterPair {
    Name scatter, view;
};

const std::array<ScatterPair, 4>& scatterPairs() {
    static const std::array<ScatterPair, 4> pairs = {{
        {"aten::select_scatter"_n, "aten::select.int"_n},
        {"aten::slice_scatter"_n, "aten::slice.Tensor"_n},
        {"aten::diagonal_scatter"_n, "aten::diagonal"_n},
        {"aten::as_strided_scatter"_n, "aten::as_strided"_n},
    }};
    return pairs;
}

}  // namespace

Name viewOfScatter(Name scatter) {
    for (const ScatterPair& p : scatterPairs())
        if (p.scatter == scatter) return p.view;
    return {};
}

Name scatterOfView(Name view) {
    for (const ScatterPair& p : scatterPairs())
        if (p.view == view) return p.scatter;
    return {};
}

bool coversInput(const Graph& g, const Node& scatter) {
    const NodeId source = scatter.arg(1).asNode();
    return source && scatter.tensor() && g[source].tensor() && scatter.tensor()->sizes == g[source].tensor()->sizes;
}

}  // namespace aliascope
