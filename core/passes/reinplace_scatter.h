#pragma once
// Generalised scatters: the canonical form of view-scatters during re-inplacing (reinplace.md 3).
//
// `GS(input, source, [w1 .. wk])` means: copy `input`, take views w1, then w2, …, wk of the copy, overwrite the innermost with `source`; the copy
// is the result. In the graph such a node keeps its `*_scatter` operator, with the outermost view's arguments; the whole view list stands here, beside
// the graph, until `decompose` turns it back into operators. Nested pairs become one node, so that the only read of the base is its own input.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/alias.h"
#include "core/pipeline/pass.h"

namespace aliascope {

/// One view of the list: `view(previous, args..., **kwargs)`.
struct ScatterView {
    Name op;
    std::vector<Value> args;
    std::vector<Keyword> kwargs;
    friend bool operator==(const ScatterView&, const ScatterView&) = default;
};

struct GeneralizedScatter {
    NodeId input;
    Value source;
    std::vector<ScatterView> views;
};

/// View operator by schema: the first parameter has alias information and is not written (reinplace.md 3.1); `reshape` counts, getitem does not.
bool isSchemaView(const OpRegistry& ops, const Node& node);
/// `aten::select_scatter`, `aten::slice_scatter`, `aten::diagonal_scatter`, `aten::as_strided_scatter`.
bool isViewScatter(Name op);

class ScatterForms {
public:
    /// Brings every view-scatter of `g` into canonical form; nested ones are merged, which moves the outer node to the inner one's place.
    ScatterForms(Graph& g, PassContext& ctx);

    const GeneralizedScatter* find(NodeId id) const;
    /// The source is the very view of the input that is written: every element goes where it already stands.
    bool writesOwnView(NodeId id);
    /// Every element of the input is overwritten, so that none of its old ones is read.
    bool coversInput(const Graph& g, NodeId id) const;
    /// A view in the list is always lowered to a write into a clone, so writing in place never costs a fusion.
    bool alwaysWrites(NodeId id) const;
    /// Turns every form back into operators; those in `inPlace` become views of the input and a `copy_`, and their uses become the input.
    /// With `places`, the clone of a form that is written but not in place keeps strides and offset of its input, which PyTorch's loses where the input
    /// has gaps: views by `as_strided` count in storage elements.
    void decompose(Graph& g, PassContext& ctx, const std::unordered_set<NodeId>& inPlace, const AliasInfo* places) const;

private:
    void visitScatter(Graph& g, PassContext& ctx, NodeId id);
    void sayCopiedDensely(const Graph& g, PassContext& ctx, NodeId id, NodeId clone) const;
    bool merge(Graph& g, PassContext& ctx, NodeId outer, const ScatterView& view);
    void learnView(const Graph& g, NodeId id);
    std::uint32_t childChain(std::uint32_t parent, const ScatterView& view);
    NodeId baseOf(NodeId id) const;
    std::uint32_t chainOf(NodeId id) const;

    struct Link {
        std::uint32_t parent;
        ScatterView view;
    };
    // Chains of views are interned, so that comparing two costs one integer comparison: 0 is the empty chain.
    std::vector<Link> chains_{{0, {}}};
    std::unordered_multimap<std::uint64_t, std::uint32_t> chainIndex_;
    std::unordered_map<NodeId, NodeId> base_;
    std::unordered_map<NodeId, std::uint32_t> chain_;
    std::unordered_map<NodeId, GeneralizedScatter> forms_;
    std::vector<NodeId> order_;  ///< keys of forms_ as they were made
};

}  // namespace aliascope
