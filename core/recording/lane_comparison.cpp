#include "core/recording/lane_comparison.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace aliascope {
namespace {

LaneTotals totalsOf(const LaneRef& ref, const std::vector<StageRow>& stages) {
    LaneTotals out;
    for (const LaneRow& row : ref.recording->lanes())
        if (row.id == ref.lane) out.lane = row;
    for (const StageRow& row : stages)
        if (row.state != "failed") out.last = row;
    for (const DecisionRow& row : ref.recording->decisions(ref.lane)) {
        out.findings += row.verdict == "clone" && row.need != "needed" ? 1 : 0;
        out.decisions += row.verdict == "clone" || row.verdict == "in-place" ? 1 : 0;
    }
    return out;
}

/// What a stage is called when lanes are laid beside each other: its pass, whatever its options are.
const std::string& keyOf(const StageRow& row) { return row.pass.empty() ? row.name : row.pass; }

/// Above so many pairs of stages (a session may hold any number) equal keys are taken as they come.
constexpr std::size_t kMostPairs = 4'000'000;

std::vector<std::pair<int, int>> alignAsTheyCome(const std::vector<StageRow>& a, const std::vector<StageRow>& b) {
    std::map<std::string, std::deque<std::size_t>> places;
    for (std::size_t k = 0; k < b.size(); ++k) places[keyOf(b[k])].push_back(k);
    std::vector<std::pair<int, int>> out;
    std::size_t next = 0;
    for (const StageRow& row : a) {
        auto& waiting = places[keyOf(row)];
        while (!waiting.empty() && waiting.front() < next) waiting.pop_front();
        if (waiting.empty()) continue;
        next = waiting.front() + 1;
        out.emplace_back(row.idx, b[waiting.front()].idx);
    }
    return out;
}

std::vector<std::pair<int, int>> align(const std::vector<StageRow>& a, const std::vector<StageRow>& b) {
    const std::size_t n = a.size(), m = b.size();
    if (m > 0 && n > kMostPairs / m) return alignAsTheyCome(a, b);
    std::vector<std::vector<int>> longest(n + 1, std::vector<int>(m + 1, 0));
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t k = m; k-- > 0;)
            longest[i][k] = keyOf(a[i]) == keyOf(b[k]) ? longest[i + 1][k + 1] + 1 : std::max(longest[i + 1][k], longest[i][k + 1]);
    std::vector<std::pair<int, int>> out;
    for (std::size_t i = 0, k = 0; i < n && k < m;) {
        if (keyOf(a[i]) == keyOf(b[k])) {
            out.emplace_back(a[i++].idx, b[k++].idx);
        } else {
            longest[i + 1][k] >= longest[i][k + 1] ? ++i : ++k;
        }
    }
    return out;
}

/// The node of the imported graph from which every node of a stage stems; of several the first in the rewrite that made it.
std::unordered_map<Uid, Uid> rootsOf(const LaneRef& ref, int stage, const StageSnapshot& imported) {
    std::unordered_map<Uid, Uid> roots;
    for (const NodeRowPtr& node : imported.nodes) roots.emplace(node->uid, node->uid);
    for (int idx = 2; idx <= stage; ++idx) {
        for (const RewriteRow& rewrite : ref.recording->rewrites(ref.lane, idx)) {
            if (rewrite.state != "applied" || rewrite.before.empty()) continue;
            const auto from = roots.find(rewrite.before.front().first);
            if (from == roots.end()) continue;
            const Uid root = from->second;
            for (const auto& [uid, name] : rewrite.after) roots.try_emplace(uid, root);
        }
    }
    return roots;
}

class Matcher {
public:
    Matcher(const StageSnapshot& a, const StageSnapshot& b) : a_(a), b_(b) {}

    void pair(Uid a, Uid b, MatchKind kind) {
        out_.toB.emplace(a, b);
        out_.toA.emplace(b, a);
        kinds_.emplace(a, kind);
    }

    /// Nodes that are still alone, the k-th of a key in one stage with the k-th in the other.
    template <class Key, class KeyA, class KeyB>
    void match(MatchKind kind, KeyA keyA, KeyB keyB) {
        std::map<Key, std::vector<Uid>> waiting;
        for (const NodeRowPtr& node : b_.nodes) {
            if (out_.toA.contains(node->uid)) continue;
            if (const std::optional<Key> key = keyB(*node)) waiting[*key].push_back(node->uid);
        }
        std::map<Key, std::size_t> taken;
        for (const NodeRowPtr& node : a_.nodes) {
            if (out_.toB.contains(node->uid)) continue;
            const std::optional<Key> key = keyA(*node);
            if (!key) continue;
            const auto at = waiting.find(*key);
            std::size_t& next = taken[*key];
            if (at != waiting.end() && next < at->second.size()) pair(node->uid, at->second[next++], kind);
        }
    }

    /// Operators whose operands are matched already: one pass in program order, so that a match can carry the next.
    void matchByOperands() {
        const auto byOperands = [](const StageSnapshot& stage) {
            std::unordered_map<Uid, std::vector<Uid>> operands;
            for (const EdgeRow& edge : stage.edges) operands[edge.to].push_back(edge.from);
            return operands;
        };
        const auto operandsA = byOperands(a_), operandsB = byOperands(b_);
        using Key = std::pair<std::string, std::vector<Uid>>;
        std::map<Key, std::deque<Uid>> waiting;
        for (const NodeRowPtr& node : b_.nodes) {
            const auto operands = operandsB.find(node->uid);
            if (!out_.toA.contains(node->uid) && operands != operandsB.end()) waiting[{node->op, operands->second}].push_back(node->uid);
        }
        for (const NodeRowPtr& node : a_.nodes) {
            const auto operands = operandsA.find(node->uid);
            if (out_.toB.contains(node->uid) || operands == operandsA.end()) continue;
            Key key{node->op, {}};
            for (const Uid uid : operands->second) {
                const auto partner = out_.toB.find(uid);
                if (partner == out_.toB.end()) break;
                key.second.push_back(partner->second);
            }
            if (key.second.size() != operands->second.size()) continue;
            const auto at = waiting.find(key);
            if (at == waiting.end() || at->second.empty()) continue;
            pair(node->uid, at->second.front(), MatchKind::Structure);
            at->second.pop_front();
        }
    }

    NodeMatching finish() {
        for (const NodeRowPtr& node : a_.nodes) {
            const auto partner = out_.toB.find(node->uid);
            if (partner == out_.toB.end())
                out_.onlyA.push_back(node->uid);
            else
                out_.pairs.push_back({node->uid, partner->second, kinds_.at(node->uid)});
        }
        for (const NodeRowPtr& node : b_.nodes)
            if (!out_.toA.contains(node->uid)) out_.onlyB.push_back(node->uid);
        return std::move(out_);
    }

private:
    const StageSnapshot &a_, &b_;
    NodeMatching out_;
    std::unordered_map<Uid, MatchKind> kinds_;
};

int partner(const std::vector<std::pair<int, int>>& aligned, int idx, bool fromA) {
    int out = 1;
    for (const auto& [a, b] : aligned)
        if ((fromA ? a : b) <= idx) out = fromA ? b : a;
    return out;
}

}  // namespace

int LaneComparison::partnerOfA(int idx) const {
    return !stagesA.empty() && !stagesB.empty() && idx == stagesA.back().idx ? stagesB.back().idx : partner(aligned, idx, true);
}

int LaneComparison::partnerOfB(int idx) const {
    return !stagesA.empty() && !stagesB.empty() && idx == stagesB.back().idx ? stagesA.back().idx : partner(aligned, idx, false);
}

LaneComparison compareLanes(const LaneRef& a, const LaneRef& b) {
    LaneComparison out;
    out.stagesA = a.recording->stages(a.lane);
    out.stagesB = b.recording->stages(b.lane);
    out.a = totalsOf(a, out.stagesA);
    out.b = totalsOf(b, out.stagesB);
    out.aligned = align(out.stagesA, out.stagesB);
    out.sameResult = !out.stagesA.empty() && !out.stagesB.empty() && out.a.last.hash == out.b.last.hash;
    std::map<int, std::uint64_t> hashB;
    for (const StageRow& row : out.stagesB) hashB[row.idx] = row.hash;
    std::map<int, std::uint64_t> hashA;
    for (const StageRow& row : out.stagesA) hashA[row.idx] = row.hash;
    for (const auto& [idxA, idxB] : out.aligned) {
        if (hashA[idxA] == hashB[idxB]) continue;
        out.firstDifference = {idxA, idxB};
        break;
    }
    return out;
}

NodeMatching matchNodes(const LaneRef& a, int stageA, const LaneRef& b, int stageB) {
    const auto snapshotA = a.recording->snapshot(a.lane, stageA), snapshotB = b.recording->snapshot(b.lane, stageB);
    if (!snapshotA || !snapshotB) return {};
    const auto importedA = a.recording->snapshot(a.lane, 1), importedB = b.recording->snapshot(b.lane, 1);
    Matcher matcher(*snapshotA, *snapshotB);
    const bool oneGraph = importedA && importedB && importedA->stage.hash == importedB->stage.hash && importedA->nodes.size() == importedB->nodes.size();
    if (oneGraph) {
        // Imported graphs are equal: their nodes stand in the same order, and are the same.
        std::unordered_map<Uid, Uid> common;
        for (std::size_t i = 0; i < importedA->nodes.size(); ++i) common.emplace(importedB->nodes[i]->uid, importedA->nodes[i]->uid);
        const auto rootsA = rootsOf(a, stageA, *importedA);
        auto rootsB = rootsOf(b, stageB, *importedB);
        for (auto& [uid, root] : rootsB) root = common.at(root);
        using Key = std::tuple<Uid, std::string, std::string>;
        const auto key = [](const std::unordered_map<Uid, Uid>& roots, const NodeRow& node) -> std::optional<Key> {
            const auto root = roots.find(node.uid);
            return root == roots.end() ? std::nullopt : std::optional(Key(root->second, node.kind, node.op));
        };
        matcher.match<Key>(
            MatchKind::Provenance, [&](const NodeRow& node) { return key(rootsA, node); }, [&](const NodeRow& node) { return key(rootsB, node); });
    }
    using Named = std::tuple<std::string, std::string, std::string, std::string>;
    const auto named = [](const NodeRow& node) { return std::optional(Named(node.body, node.name, node.op.empty() ? node.kind : node.op, node.type)); };
    matcher.match<Named>(MatchKind::Name, named, named);
    matcher.matchByOperands();
    return matcher.finish();
}

}  // namespace aliascope
