#pragma once
// What the views show of one stage: the recorded snapshot, its difference to the stage before, its drawing, and indices into them. Built on a
// job thread, immutable afterwards and shared by all views.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/layout/graph_layout.h"
#include "core/recording/recording.h"
#include "core/support/cancel.h"
#include "views/session/selection.h"

namespace aliascope {

/// Families of nodes as cards, tags and colours know them (ui.md 4.2).
enum class Family : std::uint8_t { Input, Output, View, Copy, Write, Wrapper, Matmul, Reduction, Pointwise, Collective, Custom, Shape, Unknown };
/// Two letters: IN, OU, VW, CP, MU, HO, MM, RD, PW, CO, CU, SH, ??.
const char* familyTag(Family family);
/// The word for screen readers and legends.
const char* familyWord(Family family);

/// What is left out of the drawing of a stage (ui.md 2.3). Filters narrow each other; `shown` wins over all of them.
struct DrawingFilter {
    bool hideInputs = false;
    bool hideShapes = false;         ///< shape arithmetic
    bool foldResults = true;         ///< getitem: the producer's card stands for it
    bool changedOnly = false;        ///< and what is next to a change
    int changedWidth = 1;            ///< steps from a change that are still shown
    int storage = -1;                ///< members of this storage and whoever uses them
    std::string module;              ///< this module and those below it
    Uid centre = kNoUid;             ///< neighbourhood of this node, without groups
    int up = 4, down = 4;            ///< its width: steps towards inputs and towards users
    std::unordered_set<Uid> hidden;  ///< one by one
    std::unordered_set<Uid> shown;   ///< whatever filters say
    bool narrows() const { return hideInputs || hideShapes || changedOnly || storage >= 0 || !module.empty() || centre != kNoUid || !hidden.empty(); }
    friend bool operator==(const DrawingFilter&, const DrawingFilter&) = default;
};

/// How the drawing of a stage is wanted; part of the key under which drawings are kept.
struct DrawingOptions {
    bool foldViews = false;
    DrawingFilter filter;
    bool groupsCollapsed = true;              ///< what a group is that is not in `toggled`
    std::unordered_set<std::string> toggled;  ///< titles (full paths) of groups that are the other way round
    friend bool operator==(const DrawingOptions&, const DrawingOptions&) = default;
};

struct StageView {
    std::int64_t lane = 0;
    int stage = 1;
    std::shared_ptr<const StageSnapshot> snapshot;
    std::shared_ptr<const std::vector<ChangeRow>> changes;  ///< against the stage before; removed nodes are not in the snapshot
    std::shared_ptr<const std::vector<StorageRow>> storages;

    // By index into snapshot->nodes.
    std::vector<Family> family;
    std::vector<char> mark;              ///< `+`, `~` or blank
    std::vector<std::uint32_t> groupOf;  ///< index into drawingInput->groups; ~0u = none
    std::vector<std::uint32_t> users;    ///< number of distinct users

    std::shared_ptr<const LayoutInput> drawingInput;  ///< what is drawn; of interest are its groups
    std::shared_ptr<const LayoutResult> drawing;      ///< its nodes are indices into snapshot->nodes
    std::vector<char> hidden;                         ///< left out by a filter, by index into snapshot->nodes
    std::uint32_t hiddenCount = 0;
    DrawingOptions options;

    /// Index into snapshot->nodes; nothing when the node is not in this stage.
    std::optional<std::uint32_t> indexOf(Uid uid) const;
    const NodeRow* node(Uid uid) const;
    const NodeRow* nodeNamed(const std::string& name) const;  ///< in the main graph first
    bool isHidden(Uid uid) const;
    /// The closed group whose card stands for the node; empty when it has a card of its own or none.
    std::string closedGroupOf(std::uint32_t node) const;
    /// Indices into snapshot->edges of what `uid` uses and of who uses it.
    std::vector<std::uint32_t> inputs(Uid uid) const;
    std::vector<std::uint32_t> outputs(Uid uid) const;
    /// Nodes whose value lies in the storage, by order.
    const std::vector<std::uint32_t>& members(int storage) const;
    const StorageRow* storage(int id) const;

    std::unordered_map<Uid, std::uint32_t> byUid;
    std::unordered_map<std::string, std::uint32_t> byName;
    std::unordered_map<int, std::vector<std::uint32_t>> byStorage;
    std::vector<std::uint32_t> inputStart, inputEdges;    ///< by node index, plus the end: edges by `to`
    std::vector<std::uint32_t> outputStart, outputEdges;  ///< by node index, plus the end: edges by `from`
};
using StageViewPtr = std::shared_ptr<const StageView>;

/// Reads one stage and draws it. Nothing when cancelled or when the stage is not recorded. Job threads only.
StageViewPtr loadStageView(const Recording& recording, std::int64_t lane, int stage, const DrawingOptions& options, const CancelToken& cancel);
/// Indexes and draws a view whose snapshot, changes and storages are set.
StageViewPtr finishStageView(std::shared_ptr<StageView> view, const DrawingOptions& options, const CancelToken& cancel);
/// The same stage drawn another way; shares everything but the drawing. Nothing when cancelled.
StageViewPtr redraw(const StageView& view, const DrawingOptions& options, const CancelToken& cancel);

/// Operator as cards and tables show it: `aten.` and `.default` dropped (`view`, `mylib.cache`, `sum.dim_IntList`); inputs and outputs say so.
std::string shortOp(const NodeRow& node);
/// The family of a node, from the operator's schema and traits.
Family familyOf(const NodeRow& node);
inline bool isViewLike(Family f) { return f == Family::View; }

}  // namespace aliascope
