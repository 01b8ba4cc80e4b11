#pragma once
// Two lanes side by side: which stages stand beside each other, where the graphs first differ, what is left at the end, and which nodes are the same
// (ui.md 2.14). The lanes may be of one session or of two. The verb `compare` and the window's compare mode both ask here.
// Thread-safety: as Recording; results are plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope {

/// A lane of a recording.
struct LaneRef {
    const Recording* recording = nullptr;
    std::int64_t lane = 0;
};

/// What is left at the last good stage of a lane.
struct LaneTotals {
    LaneRow lane;
    StageRow last;
    std::int64_t findings = 0;   ///< copies that are not needed
    std::int64_t decisions = 0;  ///< of re-inplacing about a write
    std::int64_t copies = 0;     ///< of these decisions: those that copy
};
LaneTotals totalsOf(const LaneRef& lane);

/// A stage of each lane; null where a lane has none that stands beside the other's.
struct StagePair {
    const StageRow *a = nullptr, *b = nullptr;
    bool same() const { return a && b && a->hash == b->hash; }
};

struct LaneComparison {
    LaneTotals a, b;
    std::vector<StageRow> stagesA, stagesB;
    /// Stages (idx) of equal passes in equal order, longest such list; `imported` stands beside `imported`.
    std::vector<std::pair<int, int>> aligned;
    std::optional<std::pair<int, int>> firstDifference;  ///< of the aligned stages; nothing = none of them differs
    bool sameResult = false;                             ///< the last graphs are equal

    /// The stage that stands beside `idx` of the other lane: its partner, else that of the last stage before it that has one.
    int partnerOfA(int idx) const;
    int partnerOfB(int idx) const;
    /// Every stage once, in the order of `a`; what only `b` has stands before the next stage that both have. Points into this comparison.
    std::vector<StagePair> pairs() const;
};

/// Linear in stages and decisions; quadratic in stages up to some thousand of them, linear beyond.
LaneComparison compareLanes(const LaneRef& a, const LaneRef& b);

enum class MatchKind : std::uint8_t { Provenance, Name, Structure };
struct LaneMatch {
    Uid a = 0, b = 0;
    MatchKind kind = MatchKind::Provenance;
};
struct NodeMatching {
    std::vector<LaneMatch> pairs;   ///< in the order of the stage of `a`
    std::vector<Uid> onlyA, onlyB;  ///< in program order
    std::unordered_map<Uid, Uid> toB, toA;
};

/// Nodes of two stages. Equal graphs are matched place by place (Structure). Else: nodes of the imported graph (of one lane: any nodes) that still
/// stand in both, then those that stem from the same imported node through recorded rewrites (same operator, in order), then equal names with equal
/// operators and types, then equal operators over matched operands. Where the imported graphs differ, as those of two versions of a program do, their
/// own nodes are matched by name and structure first, and equal names with equal operators count whatever their types are. A name alone is no
/// identity. Near-linear in nodes, edges and rewrites.
NodeMatching matchNodes(const LaneRef& a, int stageA, const LaneRef& b, int stageB);

/// A node that only `b` has (Added), that only `a` has (Removed), or that both have with another operator, type or arguments (Modified).
struct NodeDifference {
    ChangeMark mark = ChangeMark::Modified;
    NodeRowPtr a, b;
};
/// By matchNodes; arguments are compared by which node they mean, so that a new name alone is no difference. In the order of the stage of `b`, then
/// what only `a` has. Empty when a stage is not there.
std::vector<NodeDifference> differingNodes(const LaneRef& a, int stageA, const LaneRef& b, int stageB);

}  // namespace aliascope
