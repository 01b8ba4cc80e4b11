#pragma once
// Generalised scatters: the canonical form of view-scatters during re-inplacing (reinplace.md 3).
//
// `GS(input, source, [w1 .. wk])` means: copy `input`, take views w1, then w2, …, wk of the copy, overwrite the innermost with `source`; the copy
// is the result. In the graph such a node keeps its `*_scatter` operator, with the outermost view's arguments; the whole view list stands here,
// beside the graph, until `decompose` turns it back into operators. Nested pairs become one node, so that the only read of the base is its own input.

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/alias.h"
#include "core/analysis/view_scatter.h"
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

class ScatterForms {
public:
    /// Brings every view-scatter of `g` into canonical form; nested ones are merged, which moves the outer node to the inner one's place.
    /// PyTorch sees that two are nested by the views that lead there; `byPlace` also sees it by where elements lie (a component of a split is a
    /// slice).
    ScatterForms(Graph& g, PassContext& ctx, bool byPlace);

    const GeneralizedScatter* find(NodeId id) const;
    /// The node reads `to` in place of `from` from now on.
    void operandReplaced(NodeId id, NodeId from, NodeId to);
    /// Where the elements lie that the node overwrites: geometry of the innermost view of its input. Nothing when unknown.
    std::optional<TensorType> written(const Graph& g, const OpRegistry& ops, const AliasInfo& places, NodeId id) const;
    /// The source is the very view of the input that is written: every element goes where it already stands. `source` is what the source is by now.
    bool writesOwnView(const Graph& g, const OpRegistry& ops, const AliasInfo& places, NodeId id, NodeId source);
    /// Every element of the input is overwritten, so that none of its old ones is read.
    bool coversInput(const Graph& g, NodeId id) const;
    /// A view in the list is always lowered to a write into a clone, so writing in place never costs a fusion.
    bool alwaysWrites(NodeId id) const;
    /// Turns every form back into operators; those in `inPlace` become views of the input and a `copy_`, and their uses become the input.
    /// With `places`, the clone of a form that is written but not in place keeps the strides of its input, and its offset where something counts in
    /// storage elements (`as_strided`); PyTorch's loses both.
    void decompose(Graph& g, PassContext& ctx, const std::unordered_set<NodeId>& inPlace, const AliasInfo* places) const;

private:
    void visitScatter(Graph& g, PassContext& ctx, NodeId id);
    void sayCopiedDensely(const Graph& g, PassContext& ctx, NodeId id, NodeId clone) const;
    bool merge(Graph& g, PassContext& ctx, NodeId outer, const ScatterView& view);
    bool isNested(const Graph& g, const OpRegistry& ops, NodeId input, const ScatterView& view, NodeId innerInput);
    void learnView(const Graph& g, NodeId id);
    std::uint32_t childChain(std::uint32_t parent, const ScatterView& view);
    NodeId baseOf(NodeId id) const;
    std::uint32_t chainOf(NodeId id) const;

    struct Link {
        std::uint32_t parent;
        ScatterView view;
    };
    bool byPlace_;
    std::optional<AliasInfo> places_;  ///< while forms are made, when `byPlace_` and a pair asks
    // Chains of views are interned, so that comparing two costs one integer comparison: 0 is the empty chain.
    std::vector<Link> chains_{{0, {}}};
    std::unordered_multimap<std::uint64_t, std::uint32_t> chainIndex_;
    std::unordered_map<NodeId, NodeId> base_;
    std::unordered_map<NodeId, std::uint32_t> chain_;
    std::unordered_map<NodeId, GeneralizedScatter> forms_;
    std::vector<NodeId> order_;  ///< keys of forms_ as they were made
};

}  // namespace aliascope
