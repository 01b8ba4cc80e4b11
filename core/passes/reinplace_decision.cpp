#include "core/passes/reinplace_decision.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/footprint.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {
namespace {

using Verdict = CheckStep::Answer;

void check(Answer& a, std::string question, bool ok, std::string detail = {}) {
    a.checks.push_back({std::move(question), ok ? Verdict::Ok : Verdict::Failed, std::move(detail)});
}

Answer refuse(Answer a, std::string code, std::string rule) {
    a.inPlace = false;
    a.code = std::move(code);
    a.rule = std::move(rule);
    return a;
}

bool surelyDisjoint(const TensorType* a, const TensorType* b, const SymbolTable& symbols) { return a && b && exactOverlap(*a, *b, symbols) == Overlap::Disjoint; }

}  // namespace

void DefectReport::say(const std::string& defect, const Graph& g, NodeId node, const std::string& code, Params params) {
    if (std::find(said_.begin(), said_.end(), defect) != said_.end()) return;
    said_.push_back(defect);
    Diagnostic d = warning(code, std::move(params));
    d.node = g[node].name;
    d.note = "PyTorch 2.11 overlooks this and the result is kept as it is (reinplace.md 10, " + defect + "); analysis=extent does not.";
    ctx_.say(std::move(d));
}

DecisionTable::DecisionTable(const Graph& g, const OpRegistry& ops, const ReinplaceIndex& index, AnalysisMode mode, DefectReport& defects)
    : g_(g), ops_(ops), index_(index), mode_(mode), defects_(defects), parent_(index.alias().storageCount()), members_(parent_.size()), shifted_(parent_.size(), false) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (std::uint32_t i = 0; i < members_.size(); ++i) members_[i] = {StorageId(i)};
}

std::uint32_t DecisionTable::groupOf(StorageId id) const {
    std::uint32_t at = id.value;
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
}

void DecisionTable::accept(NodeId value, NodeId result) {
    if (mode_ == AnalysisMode::Reference) return;
    const StorageId from = index_.alias().storageOf(value), to = index_.alias().storageOf(result);
    if (!from || !to) return;
    std::uint32_t a = groupOf(from), b = groupOf(to);
    if (a == b) return;
    // A result has the strides of what it replaces and counts from its own start; only then do both speak of the same elements.
    const TensorType *v = index_.geometry(value), *r = index_.geometry(result);
    const bool same = v && r && !shifted_[from.value] && v->dtype == r->dtype && v->strides && r->strides && *v->strides == *r->strides &&
                      v->offset.value_or(SymInt(0)) == r->offset.value_or(SymInt(0));
    if (!same)
        for (StorageId member : members_[b]) shifted_[member.value] = true;
    if (members_[a].size() < members_[b].size()) std::swap(a, b);
    parent_[b] = a;
    members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
    members_[b].clear();
}

Answer DecisionTable::ask(const Question& q) const { return q.value.isSequence() ? askList(q) : askTensor(q, q.value.asNode()); }

Answer DecisionTable::askList(const Question& q) const {
    Answer answer;
    const auto& items = q.value.items();
    std::unordered_map<std::uint32_t, std::size_t> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].isNone()) continue;
        const StorageId storage = index_.alias().storageOf(items[i].asNode());
        const std::uint32_t key = storage ? groupOf(storage) : Id<struct StorageTag>::none;
        const auto [it, fresh] = seen.emplace(key, i);
        if (fresh) continue;
        check(answer, "the elements have memory of their own", false, "elements " + std::to_string(it->second) + " and " + std::to_string(i));
        answer.params = {{"i", std::to_string(it->second)}, {"j", std::to_string(i)}};
        answer.blocker = items[it->second].asNode();
        return refuse(std::move(answer), "RI11", "reinplace 4.5 step 1");
    }
    check(answer, "the elements have memory of their own", true);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].isNone()) continue;
        const Answer inner = askTensor(q, items[i].asNode());
        const bool ok = inner.inPlace;
        check(answer, "element " + std::to_string(i) + " may be written in place", ok, ok ? "" : inner.code);
        if (ok) continue;
        answer.blocker = inner.blocker;
        answer.view = inner.view;
        answer.element = static_cast<int>(i);
        answer.params = inner.params;
        answer.params.insert(answer.params.end(), {{"index", std::to_string(i)}, {"inner", inner.code}});
        return refuse(std::move(answer), "RI12", "reinplace 4.5 step 2");
    }
    answer.inPlace = true;
    return answer;
}

Answer DecisionTable::askTensor(const Question& q, NodeId a) const {
    Answer answer;
    const StorageId storage = a ? index_.alias().storageOf(a) : StorageId();
    check(answer, "the storage is known", static_cast<bool>(storage));
    if (!storage) return refuse(std::move(answer), "RI10", "reinplace 4.5 step 3");

    NodeId limit;
    if (!checkInputs(q, a, answer, limit)) return answer;
    if (mode_ == AnalysisMode::Extent && !checkSameNode(q, a, answer)) return answer;
    const auto later = laterUse(q, a, limit);
    check(answer, limit ? "nothing reads the old value before it is written back" : "nothing reads the old value afterwards", !later,
          later ? g_[later->use.user].name.str() + " uses " + g_[later->use.value].name.str() : "");
    if (later) {
        explainLaterUse(q, a, *later, answer);
        answer.rule = isInput(g_[a]) ? "reinplace 4.5 step 5" : "reinplace 4.5 step 7";
        return answer;
    }
    if (mode_ == AnalysisMode::Reference) {
        Answer unused;
        checkSameNode(q, a, unused);  // speaks of defect R2
    }
    answer.inPlace = true;
    return answer;
}

bool DecisionTable::checkInputs(const Question& q, NodeId a, Answer& answer, NodeId& limit) const {
    const StorageId storage = index_.alias().storageOf(a);
    const auto notWrittenBack = [&](NodeId input) {
        answer.blocker = input;
        answer.view = a;
        answer.params = {{"base", g_[input].name.str()}, {"input", g_[input].name.str()}, {"view", g_[a].name.str()}};
        answer = refuse(std::move(answer), "RI20", "reinplace 4.5 step 4");
        return false;
    };
    if (isInput(g_[a])) {
        limit = index_.firstCopy(a);
        const bool ok = limit && (mode_ == AnalysisMode::Reference || g_.before(q.node, limit));
        check(answer, "the program writes this graph input back", ok);
        return ok || notWrittenBack(a);
    }
    if (mode_ == AnalysisMode::Reference) {
        for (NodeId input : index_.inputs(storage)) {
            const TensorType *x = index_.geometry(a), *y = index_.geometry(input);
            if (x && y && referenceDisjoint(*x, *y, g_.symbols)) {
                if (exactOverlap(*x, *y, g_.symbols) == Overlap::Overlaps)
                    defects_.say("R1", g_, q.node, "RI21", {{"view", g_[a].name.str()}, {"input", g_[input].name.str()}, {"other_pipeline", "best"}});
                continue;
            }
            check(answer, "it is no view of a graph input", false, g_[input].name.str());
            answer.blocker = input;
            answer.view = a;
            answer.params = {{"view", g_[a].name.str()}, {"input", g_[input].name.str()}, {"other_pipeline", "best"}};
            answer = refuse(std::move(answer), "RI21", "reinplace 4.5 step 6");
            return false;
        }
        check(answer, "it is no view of a graph input", true);
        return true;
    }
    // L6: the memory belongs to an input that is rewritten as a whole at its write-back, so the input's own rule decides.
    for (StorageId member : group(storage))
        for (NodeId input : index_.inputs(member)) {
            const bool apart = !shifted_[member.value] && !shifted_[storage.value] && surelyDisjoint(index_.geometry(a), index_.geometry(input), g_.symbols);
            if (apart) continue;
            const NodeId back = index_.firstCopy(input);
            const bool ok = back && g_.before(q.node, back);
            check(answer, "the program writes graph input " + g_[input].name.str() + " back", ok);
            if (!ok) return notWrittenBack(input);
            if (!limit || g_.before(back, limit)) limit = back;
        }
    return true;
}

bool DecisionTable::checkSameNode(const Question& q, NodeId a, Answer& answer) const {
    const StorageId storage = index_.alias().storageOf(a);
    for (const Question::Read& read : q.reads) {
        const StorageId other = index_.alias().storageOf(read.value);
        if (!other || groupOf(other) != groupOf(storage) || !conflicts(q, a, read.value)) continue;
        // Where it may only overlap, reference stays silent: PyTorch may well be right.
        Params params = {{"base", g_[a].name.str()}, {"other", read.argument}};
        if (mode_ == AnalysisMode::Reference) {
            const TensorType *x = index_.geometry(a), *y = index_.geometry(read.value);
            if (x && y && exactOverlap(*x, *y, g_.symbols) == Overlap::Overlaps) defects_.say("R2", g_, q.node, "RI31", std::move(params));
            continue;
        }
        check(answer, "the node does not read what it overwrites", false, read.argument);
        answer.blocker = q.node;
        answer.view = read.value;
        answer.params = std::move(params);
        answer = refuse(std::move(answer), "RI31", "reinplace 4.6");
        return false;
    }
    check(answer, "the node does not read what it overwrites", true);
    return true;
}

bool DecisionTable::conflicts(const Question& q, NodeId a, NodeId value) const {
    if (a == value && (mode_ == AnalysisMode::Reference || q.written.empty())) return true;
    const TensorType* v = index_.geometry(value);
    if (mode_ == AnalysisMode::Reference) {
        const TensorType* x = index_.geometry(a);
        return !x || !v || !referenceDisjoint(*x, *v, g_.symbols);
    }
    const StorageId mine = index_.alias().storageOf(a), its = index_.alias().storageOf(value);
    if (mine != its && (shifted_[mine.value] || shifted_[its.value])) return true;
    if (!v) return true;
    if (q.written.empty()) return !surelyDisjoint(index_.geometry(a), v, g_.symbols);
    return std::any_of(q.written.begin(), q.written.end(), [&](const TensorType& w) { return exactOverlap(w, *v, g_.symbols) != Overlap::Disjoint; });
}

std::optional<DecisionTable::LaterUse> DecisionTable::laterUse(const Question& q, NodeId a, NodeId limit) const {
    static const Name copy("aten::copy_");
    std::optional<LaterUse> first;
    std::optional<StorageUse> overlooked;
    for (StorageId member : group(index_.alias().storageOf(a))) {
        const auto& uses = index_.uses(member);
        auto at = std::upper_bound(uses.begin(), uses.end(), q.node, [&](NodeId n, const StorageUse& u) { return g_.before(n, u.user); });
        for (; at != uses.end(); ++at) {
            if (limit && !g_.before(at->user, limit)) break;
            if (first && !g_.before(at->user, first->use.user)) break;
            if (mode_ == AnalysisMode::Extent && at->view) continue;
            const Node& user = g_[at->user];
            if (user.is(copy) && user.arg(0).asNode() == a) continue;
            if (!conflicts(q, a, at->value)) {
                if (mode_ == AnalysisMode::Reference && !overlooked) {
                    const TensorType *x = index_.geometry(a), *v = index_.geometry(at->value);
                    if (exactOverlap(*x, *v, g_.symbols) == Overlap::Overlaps) overlooked = *at;
                }
                continue;
            }
            first = LaterUse{*at, -1};
            break;
        }
    }
    if (!first && overlooked) {
        Answer right;
        explainLaterUse(q, a, {*overlooked, -1}, right);
        right.params.insert(right.params.begin(), {"node", g_[q.node].name.str()});
        defects_.say("R1", g_, q.node, right.code, std::move(right.params));
    }
    return first;
}

NodeId DecisionTable::finalReader(NodeId view) const {
    NodeId at = view;
    // Follows first users; every step goes forward, so it ends.
    while (isSchemaView(ops_, g_[at]) || g_[at].op == "operator::getitem") {
        if (g_[at].users.empty()) break;
        at = g_[at].users.front().id;
    }
    return at;
}

std::int64_t DecisionTable::overlapBytes(const Question& q, NodeId a, NodeId value) const {
    const TensorType *x = index_.geometry(a), *v = index_.geometry(value);
    if (!x || !v) return -1;
    std::int64_t elements = 0;
    if (mode_ == AnalysisMode::Reference || q.written.empty()) {
        const auto n = overlapElements(*x, *v);
        if (!n) return -1;
        elements = *n;
    } else {
        for (const TensorType& w : q.written) elements += overlapElements(w, *v).value_or(0);
    }
    return elements * itemSize(v->dtype);
}

void DecisionTable::explainLaterUse(const Question& q, NodeId a, const LaterUse& later, Answer& answer) const {
    const Node& user = g_[later.use.user];
    const std::string view = g_[later.use.value].name.str();
    const StorageId storage = index_.alias().storageOf(a);
    const NodeId base = index_.alias().storage(storage).base;
    const std::int64_t bytes = overlapBytes(q, a, later.use.value);
    answer.inPlace = false;
    answer.blocker = later.use.user;
    answer.view = later.use.value;
    answer.params = {{"blocker", user.name.str()}, {"op", user.op.str()}, {"view", view}, {"base", base ? g_[base].name.str() : view},
                     {"overlap", bytes < 0 ? "some" : std::to_string(bytes)}};
    if (user.kind == NodeKind::Output) {
        answer.code = "RI30.OUTPUT";
        if (mode_ == AnalysisMode::Extent) {
            answer.code = "RI51";
            answer.params.insert(answer.params.end(), {{"how", "it is returned"}, {"needed", bytes < 0 ? "some" : std::to_string(bytes)}});
            if (bytes >= 0) answer.neededBytes = bytes;
        }
    } else if (user.op == "aten::copy_") {
        answer.code = "RI30.COPY";
    } else if (isViewScatter(user.op) && user.arg(0).asNode() == later.use.value) {
        answer.code = "RI30.SCATTER";
    } else if (isSchemaView(ops_, user)) {
        answer.code = "RI30.VIEW";
        answer.params.emplace_back("reader", g_[finalReader(later.use.user)].name.str());
    } else {
        answer.code = "RI30.READ";
    }
}

}  // namespace aliascope
