#include "core/recording/lane_comparison.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "core/recording/decision_words.h"

namespace aliascope {
namespace {

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

const std::string& operatorOrKind(const NodeRow& node) { return node.op.empty() ? node.kind : node.op; }

/// Equal hashes say equal graphs; that the nodes are of one kind, place by place, guards against what is recorded otherwise.
bool equalGraphs(const StageSnapshot& a, const StageSnapshot& b) {
    return a.stage.hash == b.stage.hash &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [](const auto& x, const auto& y) { return operatorOrKind(*x) == operatorOrKind(*y) && x->body == y->body; });
}

class Matcher {
public:
    Matcher(const StageSnapshot& a, const StageSnapshot& b) : a_(a), b_(b) {}

    void pair(Uid a, Uid b, MatchKind kind) {
        if (out_.toB.contains(a) || !out_.toA.emplace(b, a).second) return;
        out_.toB.emplace(a, b);
        kinds_.emplace(a, kind);
    }

    void matchByPlace() {
        for (std::size_t i = 0; i < a_.nodes.size(); ++i) pair(a_.nodes[i]->uid, b_.nodes[i]->uid, MatchKind::Structure);
    }

    /// Nodes that stand in both stages and are one by `toA`, which maps nodes of the second lane.
    template <class ToA>
    void matchStanding(ToA toA) {
        std::unordered_set<Uid> standing;
        for (const NodeRowPtr& node : a_.nodes) standing.insert(node->uid);
        for (const NodeRowPtr& node : b_.nodes)
            if (const std::optional<Uid> uid = toA(node->uid); uid && standing.contains(*uid)) pair(*uid, node->uid, MatchKind::Provenance);
    }

    enum class Types : std::uint8_t { Equal, Any };
    void matchByName(Types types) {
        using Named = std::tuple<std::string, std::string, std::string, std::string>;
        const auto named = [types](const NodeRow& node) {
            return std::optional(Named(node.body, node.name, operatorOrKind(node), types == Types::Equal ? node.type : std::string()));
        };
        match<Named>(MatchKind::Name, named, named);
    }

    /// Of two versions of a program sizes may differ everywhere: then a name and its operator have to do.
    void matchVersions() {
        matchByName(Types::Equal);
        matchByOperands();
        matchByName(Types::Any);
        matchByOperands();
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

/// Which node of the imported graph of the first lane a node of the other imported graph is.
std::unordered_map<Uid, Uid> matchImported(const StageSnapshot& a, const StageSnapshot& b) {
    Matcher matcher(a, b);
    equalGraphs(a, b) ? matcher.matchByPlace() : matcher.matchVersions();
    return matcher.finish().toA;
}

void matchByProvenance(Matcher& matcher, const std::unordered_map<Uid, Uid>& rootsA, const std::unordered_map<Uid, Uid>& rootsB) {
    using Key = std::tuple<Uid, std::string, std::string>;
    const auto key = [](const std::unordered_map<Uid, Uid>& roots, const NodeRow& node) -> std::optional<Key> {
        const auto root = roots.find(node.uid);
        return root == roots.end() ? std::nullopt : std::optional(Key(root->second, node.kind, node.op));
    };
    matcher.match<Key>(
        MatchKind::Provenance, [&](const NodeRow& node) { return key(rootsA, node); }, [&](const NodeRow& node) { return key(rootsB, node); });
}

/// Arguments of nodes of the first stage in the names of the second one.
class Renaming {
public:
    Renaming(const StageSnapshot& a, const StageSnapshot& b, const NodeMatching& matching) {
        std::unordered_map<Uid, const NodeRow*> rowsB;
        for (const NodeRowPtr& node : b.nodes) rowsB.emplace(node->uid, node.get());
        for (const NodeRowPtr& node : a.nodes) {
            const auto partner = matching.toB.find(node->uid);
            const NodeRow* other = partner == matching.toB.end() ? nullptr : rowsB.at(partner->second);
            if (other && other->name != node->name) names_[node->body].emplace(node->name, other->name);
            // A name that means another node, or none, in the second stage is none of its names.
            if (!other) names_[node->body].emplace(node->name, '%' + node->name);
        }
    }

    std::string apply(const std::string& body, std::string_view args) const {
        const auto names = names_.find(body);
        if (names == names_.end()) return std::string(args);
        std::string out;
        for (std::size_t at = 0; at < args.size();) {
            const std::size_t end = wordEnd(args, at);
            const std::string word(args.substr(at, end - at));
            const bool attribute = (at > 0 && args[at - 1] == '.') || (end < args.size() && (args[end] == '.' || args[end] == '='));
            const auto renamed = attribute ? names->second.end() : names->second.find(word);
            out += renamed == names->second.end() ? word : renamed->second;
            at = end;
        }
        return out;
    }

private:
    /// End of the word, the quoted text or the single sign that begins at `at`.
    static std::size_t wordEnd(std::string_view text, std::size_t at) {
        const auto inWord = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
        std::size_t end = at + 1;
        if (text[at] == '\'' || text[at] == '"') {
            while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
            return std::min(end + 1, text.size());
        }
        if (inWord(text[at]))
            while (end < text.size() && inWord(text[end])) ++end;
        return end;
    }

    std::unordered_map<std::string, std::unordered_map<std::string, std::string>> names_;  ///< by body
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

LaneTotals totalsOf(const LaneRef& lane) {
    LaneTotals out;
    for (const LaneRow& row : lane.recording->lanes())
        if (row.id == lane.lane) out.lane = row;
    for (const StageRow& row : lane.recording->stages(lane.lane))
        if (row.state != "failed") out.last = row;
    for (const DecisionRow& row : lane.recording->decisions(lane.lane)) {
        out.findings += isFinding(row);
        out.copies += row.verdict == "clone";
        out.decisions += row.verdict == "clone" || row.verdict == "in-place";
    }
    return out;
}

std::vector<StagePair> LaneComparison::pairs() const {
    std::vector<StagePair> out;
    auto a = stagesA.begin(), b = stagesB.begin();
    const auto alone = [&](int untilA, int untilB) {
        for (; a != stagesA.end() && a->idx != untilA; ++a) out.push_back({&*a, nullptr});
        for (; b != stagesB.end() && b->idx != untilB; ++b) out.push_back({nullptr, &*b});
    };
    for (const auto& [idxA, idxB] : aligned) {
        alone(idxA, idxB);
        out.push_back({&*a++, &*b++});
    }
    constexpr int kToTheEnd = -1;
    alone(kToTheEnd, kToTheEnd);
    return out;
}

LaneComparison compareLanes(const LaneRef& a, const LaneRef& b) {
    LaneComparison out;
    out.stagesA = a.recording->stages(a.lane);
    out.stagesB = b.recording->stages(b.lane);
    out.a = totalsOf(a);
    out.b = totalsOf(b);
    out.aligned = align(out.stagesA, out.stagesB);
    out.sameResult = !out.stagesA.empty() && !out.stagesB.empty() && out.a.last.hash == out.b.last.hash;
    const auto pairs = out.pairs();
    const auto first = std::find_if(pairs.begin(), pairs.end(), [](const StagePair& pair) { return pair.a && pair.b && !pair.same(); });
    if (first != pairs.end()) out.firstDifference = {first->a->idx, first->b->idx};
    return out;
}

NodeMatching matchNodes(const LaneRef& a, int stageA, const LaneRef& b, int stageB) {
    const auto snapshotA = a.recording->snapshot(a.lane, stageA), snapshotB = b.recording->snapshot(b.lane, stageB);
    if (!snapshotA || !snapshotB) return {};
    Matcher matcher(*snapshotA, *snapshotB);
    if (equalGraphs(*snapshotA, *snapshotB)) {
        matcher.matchByPlace();
        return matcher.finish();
    }
    if (a.lane == b.lane && a.recording->path() == b.recording->path()) matcher.matchStanding([](Uid uid) { return std::optional(uid); });
    const auto importedA = a.recording->snapshot(a.lane, 1), importedB = b.recording->snapshot(b.lane, 1);
    if (importedA && importedB) {
        const std::unordered_map<Uid, Uid> common = matchImported(*importedA, *importedB);
        const auto commonOf = [&](Uid uid) {
            const auto found = common.find(uid);
            return found == common.end() ? std::nullopt : std::optional(found->second);
        };
        matcher.matchStanding(commonOf);
        std::unordered_map<Uid, Uid> rootsB;
        for (const auto& [uid, root] : rootsOf(b, stageB, *importedB))
            if (const std::optional<Uid> known = commonOf(root)) rootsB.emplace(uid, *known);
        matchByProvenance(matcher, rootsOf(a, stageA, *importedA), rootsB);
    }
    if (!importedA || !importedB || !equalGraphs(*importedA, *importedB)) {
        matcher.matchVersions();
    } else {
        matcher.matchByName(Matcher::Types::Equal);
        matcher.matchByOperands();
    }
    return matcher.finish();
}

std::vector<NodeDifference> differingNodes(const LaneRef& a, int stageA, const LaneRef& b, int stageB) {
    const auto snapshotA = a.recording->snapshot(a.lane, stageA), snapshotB = b.recording->snapshot(b.lane, stageB);
    std::vector<NodeDifference> out;
    if (!snapshotA || !snapshotB) return out;
    const NodeMatching matching = matchNodes(a, stageA, b, stageB);
    const Renaming renaming(*snapshotA, *snapshotB, matching);
    std::unordered_map<Uid, NodeRowPtr> rowsA;
    for (const NodeRowPtr& node : snapshotA->nodes) rowsA.emplace(node->uid, node);
    for (const NodeRowPtr& node : snapshotB->nodes) {
        const auto partner = matching.toA.find(node->uid);
        if (partner == matching.toA.end()) {
            out.push_back({ChangeMark::Added, nullptr, node});
            continue;
        }
        const NodeRowPtr& other = rowsA.at(partner->second);
        const bool sameCallee = operatorOrKind(*other) == operatorOrKind(*node) && (node->kind == "placeholder" || other->target == node->target);
        const bool alike = sameCallee && other->type == node->type && renaming.apply(other->body, other->args) == node->args;
        if (!alike) out.push_back({ChangeMark::Modified, other, node});
    }
    for (const Uid uid : matching.onlyA) out.push_back({ChangeMark::Removed, rowsA.at(uid), nullptr});
    return out;
}

}  // namespace aliascope
