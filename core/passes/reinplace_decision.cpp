#include "core/passes/reinplace_decision.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/analysis/footprint.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/reinplace_scatter.h"

namespace aliascope {
namespace {

void check(Answer& a, std::string question, bool ok, std::string detail = {}) {
    a.checks.push_back({std::move(question), ok ? CheckStep::Answer::Ok : CheckStep::Answer::Failed, std::move(detail)});
}

void refuse(Answer& a, std::string code, std::string rule) {
    a.inPlace = false;
    a.code = std::move(code);
    a.rule = std::move(rule);
}

/// The use is only that a write-back overwrites the value.
bool isOnlyOverwritten(const Node& user, NodeId value) {
    return user.is("aten::copy_"_n) && user.arg(0).asNode() == value && !user.arg(1).usesNode(value);
}

/// Id in reinplace.md 10 of the defect that makes `right` differ from PyTorch's in-place.
std::string defectOf(const Answer& right) {
    if (right.code == "RI31") return "R2";
    if (right.code == "RI30.COPY") return "old value written back";
    return right.rule == "reinplace 9 theorem 1" ? "result behind a write-back" : "R1";
}

}  // namespace

void DefectReport::say(const std::string& defect, const Graph& g, NodeId node, const std::string& code, Params params) {
    say(defect, g, node, code, std::move(params),
        "PyTorch 2.11 overlooks this and its result is kept (defect " + defect + "); analysis=extent does not.");
}

void DefectReport::sayStops(const std::string& defect, const Graph& g, NodeId node, const std::string& code, Params params) {
    say(defect, g, node, code, std::move(params), "PyTorch 2.11 stops with an error here (defect " + defect + ").");
}

void DefectReport::say(const std::string& defect, const Graph& g, NodeId node, const std::string& code, Params params, std::string note) {
    if (std::find(said_.begin(), said_.end(), defect) != said_.end()) return;
    said_.push_back(defect);
    Diagnostic d = warning(code, std::move(params));
    d.node = g[node].name;
    d.note = std::move(note);
    ctx_.say(std::move(d));
}

DecisionTable::DecisionTable(const Graph& g, const OpRegistry& ops, const ReinplaceIndex& index, AnalysisMode mode, DefectReport& defects)
    : g_(g),
      ops_(ops),
      index_(index),
      mode_(mode),
      defects_(defects),
      parent_(index.alias().storageCount()),
      groups_(parent_.size()),
      shifted_(parent_.size(), false) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
        const StorageId id(i);
        groups_[i].members = {id};
        if (!index.uses(id).empty()) groups_[i].used = {id};
        for (NodeId input : index.inputs(id)) groups_[i].inputs.emplace_back(id, input);
    }
    const Value* shown = mode == AnalysisMode::Extent && g.output() ? g[g.output()].metaValue(kShownInputs) : nullptr;
    if (!shown) return;
    std::size_t at = 0;
    g[g.output()].arg(0).forEachNode([&](NodeId id) {
        if (at < shown->items().size()) shown_.emplace(id, shown->items()[at++].name());
    });
}

std::uint32_t DecisionTable::groupOf(StorageId id) const {
    std::uint32_t at = id.value;
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
}

/// PyTorch compares all strides, those of dimensions of one element too.
bool DecisionTable::sameElements(const TensorType* a, const TensorType* b) const {
    return a && b && samePlace(*a, *b) && (mode_ == AnalysisMode::Extent || *a->strides == *b->strides);
}

/// A result has the strides of what it replaces and counts from the same start; only then do both speak of the same elements.
bool DecisionTable::keepsPlace(NodeId value, NodeId result) const {
    const TensorType *v = index_.geometry(value), *r = index_.geometry(result);
    return !shifted_[storageOf(value).value] && sameElements(v, r);
}

void DecisionTable::accept(NodeId value, NodeId result) {
    const StorageId from = storageOf(value), to = storageOf(result);
    if (!from || !to) return;
    std::uint32_t a = groupOf(from), b = groupOf(to);
    if (a == b) return;
    if (!keepsPlace(value, result))
        for (StorageId member : groups_[b].members) shifted_[member.value] = true;
    if (groups_[a].members.size() < groups_[b].members.size()) std::swap(a, b);
    parent_[b] = a;
    Group &into = groups_[a], &merged = groups_[b];
    into.members.insert(into.members.end(), merged.members.begin(), merged.members.end());
    into.used.insert(into.used.end(), merged.used.begin(), merged.used.end());
    into.inputs.insert(into.inputs.end(), merged.inputs.begin(), merged.inputs.end());
    merged = {};
}

bool DecisionTable::sameMemory(NodeId a, NodeId b) const {
    const TensorType* place = index_.geometry(b);
    return place && standsAt(a, b, *place);
}

bool DecisionTable::standsAt(NodeId value, NodeId base, const TensorType& place) const {
    const StorageId mine = storageOf(value), its = storageOf(base);
    return mine && its && groupOf(mine) == groupOf(its) && !shifted_[mine.value] && !shifted_[its.value] &&
           sameElements(index_.geometry(value), &place);
}

std::optional<std::uint32_t> DecisionTable::memoryOf(NodeId value) const {
    const StorageId storage = storageOf(value);
    if (!storage) return std::nullopt;
    return mode_ == AnalysisMode::Reference ? storage.value : groupOf(storage);
}

Answer DecisionTable::ask(const Question& q) const { return q.value.isSequence() ? askList(q) : askTensor(q, q.value.asNode(), -1); }

Answer DecisionTable::askList(const Question& q) const {
    Answer answer;
    const auto& items = q.value.items();
    std::unordered_map<std::uint32_t, std::size_t> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].isNone()) continue;
        const StorageId storage = items[i].isNode() ? storageOf(items[i].asNode()) : StorageId();
        const auto [it, fresh] = seen.emplace(!storage ? StorageId::none : mode_ == AnalysisMode::Reference ? storage.value : groupOf(storage), i);
        if (fresh) continue;
        check(answer, "the elements have memory of their own", false, "elements " + std::to_string(it->second) + " and " + std::to_string(i));
        answer.params = {{"i", std::to_string(it->second)}, {"j", std::to_string(i)}};
        answer.blocker = items[it->second].asNode();
        refuse(answer, "RI11", "reinplace 4.5 step 1");
        return answer;
    }
    check(answer, "the elements have memory of their own", true);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].isNone()) continue;
        const Answer inner = askTensor(q, items[i].asNode(), static_cast<std::int64_t>(i));
        check(answer, "element " + std::to_string(i) + " may be written in place", inner.inPlace, inner.inPlace ? "" : inner.code);
        if (inner.inPlace) continue;
        answer.blocker = inner.blocker;
        answer.view = inner.view;
        answer.params = inner.params;
        answer.params.insert(answer.params.end(), {{"index", std::to_string(i)}, {"inner", inner.code}});
        refuse(answer, "RI12", "reinplace 4.5 step 2");
        return answer;
    }
    answer.inPlace = true;
    return answer;
}

Answer DecisionTable::askTensor(const Question& q, NodeId a, std::int64_t element) const {
    if (!a || !storageOf(a)) {
        Answer answer;
        check(answer, "the storage is known", false);
        refuse(answer, "RI10", "reinplace 4.5 step 3");
        return answer;
    }
    if (mode_ == AnalysisMode::Extent) return askExtent(q, a, element, Rules::Extent);
    Answer answer = askReference(q, a);
    if (!answer.inPlace || !q.mayBeTaken) return answer;
    Answer right = askExtent(q, a, element, Rules::CertainlyWrong);
    if (!right.inPlace) {
        right.params.insert(right.params.begin(), {"node", g_[q.node].name.str()});
        defects_.say(defectOf(right), g_, q.node, right.code, std::move(right.params));
    }
    return answer;
}

Answer DecisionTable::askReference(const Question& q, NodeId a) const {
    Answer answer;
    check(answer, "the storage is known", true);
    NodeId limit;
    if (!checkOwnInputs(a, answer, limit)) return answer;
    const auto later = laterUse(q, a, limit, Rules::Reference);
    check(answer, limit ? "nothing uses the old value before it is written back" : "nothing uses the old value afterwards", !later,
          later ? g_[later->user].name.str() + " uses " + g_[later->value].name.str() : "");
    if (later) {
        explainLaterUse(q, a, *later, Rules::Reference, answer);
        answer.rule = isInput(g_[a]) ? "reinplace 4.5 step 5" : "reinplace 4.5 step 7";
        return answer;
    }
    answer.inPlace = true;
    return answer;
}

Answer DecisionTable::askExtent(const Question& q, NodeId a, std::int64_t element, Rules rules) const {
    Answer answer;
    check(answer, "the storage is known", true);
    NodeId limit;
    if (!checkGroupInputs(q, a, rules, answer, limit)) return answer;
    if (!checkSameNode(q, a, rules, answer)) return answer;
    const auto later = laterUse(q, a, limit, rules);
    check(answer, "nothing reads the old elements afterwards", !later,
          later ? g_[later->user].name.str() + " reads " + g_[later->value].name.str() : "");
    if (later) {
        explainLaterUse(q, a, *later, rules, answer);
        answer.rule = "reinplace 9 L1";
        return answer;
    }
    if (!limit && rules == Rules::Extent && !checkReturnedTogether(q, a, element, answer)) return answer;
    const NodeId input = limit ? g_[limit].arg(0).asNode() : NodeId();
    answer.inPlace = !limit || ((rules != Rules::Extent || checkApart(q, a, element, input, answer)) && checkResults(q, a, element, limit, answer));
    return answer;
}

bool DecisionTable::refuseInput(NodeId a, NodeId input, const char* code, const char* rule, Answer& answer) const {
    answer.blocker = input;
    answer.view = a;
    answer.params = {{"base", g_[input].name.str()}, {"view", g_[a].name.str()}, {"input", g_[input].name.str()}, {"other_pipeline", "best"}};
    refuse(answer, code, rule);
    return false;
}

/// Steps 4 and 6; `limit` becomes the first write-back.
bool DecisionTable::checkOwnInputs(NodeId a, Answer& answer, NodeId& limit) const {
    if (isInput(g_[a])) {
        limit = index_.firstCopy(a);
        check(answer, "the program writes this graph input back", static_cast<bool>(limit));
        return limit || refuseInput(a, a, "RI20", "reinplace 4.5 step 4", answer);
    }
    for (NodeId input : index_.inputs(storageOf(a))) {
        if (!overlaps(index_.geometry(a), index_.geometry(input), Rules::Reference)) continue;
        check(answer, "it is no view of a graph input", false, g_[input].name.str());
        return refuseInput(a, input, "RI21", "reinplace 4.5 step 6", answer);
    }
    check(answer, "it is no view of a graph input", true);
    return true;
}

/// L6: the memory belongs to an input that is rewritten as a whole at its write-back, so the input's own rule decides.
bool DecisionTable::checkGroupInputs(const Question& q, NodeId a, Rules rules, Answer& answer, NodeId& limit) const {
    const StorageId own = storageOf(a);
    for (const auto& [member, input] : groups_[groupOf(own)].inputs) {
        // Even elements beside the input are the caller's: only the doubt about PyTorch's answer asks whether they really meet.
        const bool doubted = rules == Rules::CertainlyWrong && a != input;
        if (doubted && (shifted_[member.value] || shifted_[own.value] || !overlaps(index_.geometry(a), index_.geometry(input), rules))) continue;
        const NodeId back = index_.firstCopy(input);
        const bool ok = back && g_.before(q.node, back);
        check(answer, "the program writes graph input " + g_[input].name.str() + " back", ok);
        if (!ok) return refuseInput(a, input, a == input || member != own ? "RI20" : "RI21", "reinplace 4.5 step 4", answer);
        if (!limit || g_.before(back, limit)) limit = back;
    }
    return true;
}

bool DecisionTable::checkSameNode(const Question& q, NodeId a, Rules rules, Answer& answer) const {
    for (const Question::Read& read : q.reads) {
        const StorageId other = storageOf(read.value);
        if (!other || groupOf(other) != groupOf(storageOf(a)) || !conflicts(q, a, read.value, rules)) continue;
        if (std::find(q.ignored.begin(), q.ignored.end(), StorageUse{q.node, read.value}) != q.ignored.end()) continue;
        check(answer, "the node does not read what it overwrites", false, read.argument);
        answer.blocker = q.node;
        answer.view = read.value;
        answer.params = {{"base", g_[a].name.str()}, {"other", read.argument}};
        refuse(answer, "RI31", "reinplace 4.6");
        return false;
    }
    check(answer, "the node does not read what it overwrites", true);
    return true;
}

NodeId DecisionTable::returnedApart(NodeId result, NodeId input) const {
    const StorageId storage = storageOf(result);
    if (!storage || shown_.empty()) return {};
    const auto& uses = index_.uses(storage);
    for (auto use = uses.rbegin(); use != uses.rend() && use->user == g_.output(); ++use) {
        const auto [first, last] = shown_.equal_range(use->value);
        if (std::any_of(first, last, [&](const auto& entry) { return entry.second != g_[input].name; })) return use->value;
    }
    return {};
}

/// A view of the old value that is returned would share elements with the new value, where that is returned too. What the program lets share memory
/// is cut out of the new value by now.
bool DecisionTable::checkReturnedTogether(const Question& q, NodeId a, std::int64_t element, Answer& answer) const {
    const auto returnedOf = [&](StorageId storage, std::vector<NodeId>& out) {
        const auto& uses = index_.uses(storage);
        for (auto use = uses.rbegin(); use != uses.rend() && use->user == g_.output(); ++use)
            if (std::find(q.ignored.begin(), q.ignored.end(), *use) == q.ignored.end()) out.push_back(use->value);
    };
    std::vector<NodeId> made, kept;
    for (const auto& [result, itsElement] : q.results)
        if (const StorageId storage = itsElement == element ? storageOf(result) : StorageId(); storage && keepsPlace(a, result))
            returnedOf(storage, made);
    if (made.empty()) return true;
    for (StorageId member : usedBehind(q, a)) returnedOf(member, kept);
    // Of too many pairs one is taken to share elements.
    constexpr std::size_t kMostPairs = 4096;
    const bool tooMany = kept.size() * made.size() > kMostPairs;
    for (NodeId old : kept)
        for (NodeId value : made) {
            if (!tooMany && (shifted_[storageOf(old).value] || !overlaps(index_.geometry(value), index_.geometry(old), Rules::Extent))) continue;
            check(answer, "no old value is returned beside the new one", false, g_[old].name.str());
            answer.blocker = g_.output();
            answer.view = old;
            const TensorType* t = index_.geometry(old);
            const auto bytes = t ? t->bytes() : std::nullopt;
            answer.neededBytes = bytes ? bytes->evaluate(g_.symbols) : std::nullopt;
            answer.params = {{"view", g_[old].name.str()},
                             {"how", "it is returned beside " + g_[value].name.str()},
                             {"needed", answer.neededBytes ? std::to_string(*answer.neededBytes) : "some"}};
            refuse(answer, "RI51", "reinplace 9 theorem 1");
            return false;
        }
    return true;
}

/// Whoever gets a result that the program keeps apart from its inputs must not get an input's memory.
bool DecisionTable::checkApart(const Question& q, NodeId a, std::int64_t element, NodeId input, Answer& answer) const {
    for (const auto& [result, itsElement] : q.results) {
        const NodeId returned = itsElement == element ? returnedApart(result, input) : NodeId();
        if (!returned) continue;
        check(answer, "the result is not returned apart from graph input " + g_[input].name.str(), false, g_[returned].name.str());
        answer.blocker = g_.output();
        answer.view = a;
        const TensorType* t = index_.geometry(a);
        const auto bytes = t ? t->bytes() : std::nullopt;
        answer.neededBytes = bytes ? bytes->evaluate(g_.symbols) : std::nullopt;
        answer.params = {
            {"view", g_[a].name.str()},
            {"how", "as graph input " + g_[input].name.str() + ", which the result " + g_[returned].name.str() + " is returned apart from"},
            {"needed", answer.neededBytes ? std::to_string(*answer.neededBytes) : "some"}};
        refuse(answer, "RI51", "reinplace 9 theorem 1");
        return false;
    }
    return true;
}

/// The write-back rewrites the memory in which the results stand. Whoever reads them from then on finds them only if it copies them onto themselves.
bool DecisionTable::checkResults(const Question& q, NodeId a, std::int64_t element, NodeId limit, Answer& answer) const {
    const NodeId input = g_[limit].arg(0).asNode(), source = g_[limit].arg(1).asNode();
    for (const auto& [result, itsElement] : q.results) {
        const StorageId storage = storageOf(result);
        if (!storage || itsElement != element) continue;
        // The result itself is then `a`, whatever strides it would have had elsewhere; a view of it is where its own geometry says.
        const bool ontoItself =
            source && (source == result
                           ? !shifted_[storageOf(a).value] && sameElements(index_.geometry(a), index_.geometry(input))
                           : storageOf(source) == storage && keepsPlace(a, result) && sameElements(index_.geometry(source), index_.geometry(input)));
        if (ontoItself) continue;
        const auto& uses = index_.uses(storage);
        auto at = std::lower_bound(uses.begin(), uses.end(), limit, [&](const StorageUse& u, NodeId n) { return g_.before(u.user, n); });
        while (at != uses.end() && at->view) ++at;
        if (at == uses.end()) continue;
        check(answer, "nothing reads the result after " + g_[limit].name.str() + " has rewritten its memory", false, g_[at->user].name.str());
        explainLaterUse(q, a, *at, Rules::Extent, answer);
        answer.rule = "reinplace 9 theorem 1";
        return false;
    }
    check(answer, "nothing reads the result after its memory is written back", true);
    return true;
}

bool DecisionTable::overlaps(const TensorType* a, const TensorType* b, Rules rules) const {
    if (!a || !b) return rules != Rules::CertainlyWrong;
    if (rules == Rules::Reference) return !referenceDisjoint(*a, *b, g_.symbols);
    const Overlap exact = exactOverlap(*a, *b, g_.symbols);
    if (exact != Overlap::May || rules == Rules::Extent) return exact != Overlap::Disjoint;
    return exactOverlap(atHints(*a, g_.symbols), atHints(*b, g_.symbols), g_.symbols) == Overlap::Overlaps;
}

bool DecisionTable::conflicts(const Question& q, NodeId a, NodeId value, Rules rules) const {
    if (a == value && (rules == Rules::Reference || q.written.empty())) return true;
    const TensorType* v = index_.geometry(value);
    if (rules == Rules::Reference) return overlaps(index_.geometry(a), v, rules);
    const StorageId mine = storageOf(a), its = storageOf(value);
    if (mine != its && (shifted_[mine.value] || shifted_[its.value])) return rules == Rules::Extent;
    if (q.written.empty()) return overlaps(index_.geometry(a), v, rules);
    return std::any_of(q.written.begin(), q.written.end(), [&](const TensorType& w) { return overlaps(&w, v, rules); });
}

/// Calls `found` for conflicting uses of one storage behind the node, in graph order, until it says false.
template <class Found>
void DecisionTable::scanUses(const Question& q, NodeId a, StorageId member, NodeId limit, Rules rules, const Found& found) const {
    static const Name copy("aten::copy_");
    // Behind the first write-back, values of the input's own storage have their new contents anyway; results of other nodes have not.
    const NodeId end = limit && (rules == Rules::Reference || !index_.inputs(member).empty()) ? limit : NodeId();
    const auto& uses = index_.uses(member);
    auto at = std::upper_bound(uses.begin(), uses.end(), q.node, [&](NodeId n, const StorageUse& u) { return g_.before(n, u.user); });
    for (; at != uses.end() && !(end && g_.before(end, at->user)); ++at) {
        const Node& user = g_[at->user];
        // PyTorch takes a write-back for no reader, even of what it copies.
        if (rules == Rules::Reference ? at->user == end || (user.is(copy) && user.arg(0).asNode() == a)
                                      : at->view || isOnlyOverwritten(user, at->value))
            continue;
        if (std::find(q.ignored.begin(), q.ignored.end(), *at) != q.ignored.end() || !conflicts(q, a, at->value, rules)) continue;
        if (!found(*at)) return;
    }
}

const std::vector<StorageId>& DecisionTable::usedBehind(const Question& q, NodeId a) const {
    auto& used = groups_[groupOf(storageOf(a))].used;
    std::erase_if(used, [&](StorageId member) {
        const auto& uses = index_.uses(member);
        return uses.empty() || !g_.before(q.node, uses.back().user);
    });
    return used;
}

std::optional<StorageUse> DecisionTable::laterUse(const Question& q, NodeId a, NodeId limit, Rules rules) const {
    std::optional<StorageUse> first;
    const auto found = [&](const StorageUse& use) {
        if (!first || g_.before(use.user, first->user)) first = use;
        return false;
    };
    if (rules == Rules::Reference) {
        scanUses(q, a, storageOf(a), limit, rules, found);
        return first;
    }
    for (StorageId member : usedBehind(q, a)) scanUses(q, a, member, limit, rules, found);
    return first;
}

std::optional<std::vector<StorageUse>> DecisionTable::readersOfOld(const Question& q, std::size_t most) const {
    const NodeId a = q.value.asNode();
    std::vector<StorageUse> out;
    if (!a || !storageOf(a)) return std::nullopt;
    for (const Question::Read& read : q.reads) {
        const StorageId other = storageOf(read.value);
        const StorageUse use{q.node, read.value};
        if (!other || groupOf(other) != groupOf(storageOf(a)) || !conflicts(q, a, read.value, Rules::Extent)) continue;
        if (std::find(out.begin(), out.end(), use) == out.end()) out.push_back(use);
    }
    Answer unused;
    NodeId limit;
    if (!checkGroupInputs(q, a, Rules::Extent, unused, limit)) return std::nullopt;
    for (StorageId member : usedBehind(q, a))
        scanUses(q, a, member, limit, Rules::Extent, [&](const StorageUse& use) {
            out.push_back(use);
            return out.size() <= most;
        });
    return out.size() <= most ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::int64_t> DecisionTable::neededBytes(const Question& q, const std::vector<StorageUse>& readers) const {
    std::int64_t most = 0;
    for (const StorageUse& use : readers) {
        const std::int64_t bytes = overlapBytes(q, q.value.asNode(), use.value, Rules::Extent);
        if (bytes < 0) return std::nullopt;
        most = std::max(most, bytes);
    }
    return most;
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

std::int64_t DecisionTable::overlapBytes(const Question& q, NodeId a, NodeId value, Rules rules) const {
    const TensorType *x = index_.geometry(a), *v = index_.geometry(value);
    if (!x || !v) return -1;
    std::int64_t elements = 0;
    if (rules == Rules::Reference || q.written.empty()) {
        const auto n = overlapElements(*x, *v);
        if (!n) return -1;
        elements = *n;
    } else {
        for (const TensorType& w : q.written) elements += overlapElements(w, *v).value_or(0);
    }
    return elements * itemSize(v->dtype);
}

void DecisionTable::explainLaterUse(const Question& q, NodeId a, const StorageUse& use, Rules rules, Answer& answer) const {
    const Node& user = g_[use.user];
    const std::string view = g_[use.value].name.str();
    const NodeId base = index_.alias().storage(storageOf(a)).base;
    const std::int64_t bytes = overlapBytes(q, a, use.value, rules);
    const std::string shown = bytes < 0 ? "some" : std::to_string(bytes);
    answer.inPlace = false;
    answer.blocker = use.user;
    answer.view = use.value;
    answer.params = {
        {"blocker", user.name.str()}, {"op", user.op.str()}, {"view", view}, {"base", base ? g_[base].name.str() : view}, {"overlap", shown}};
    if (user.kind == NodeKind::Output) {
        answer.code = "RI30.OUTPUT";
        if (rules == Rules::Reference) return;
        answer.code = "RI51";
        answer.params.insert(answer.params.end(), {{"how", "it is returned"}, {"needed", shown}});
        if (bytes >= 0) answer.neededBytes = bytes;
    } else if (user.op == "aten::copy_") {
        answer.code = "RI30.COPY";
    } else if (isViewScatter(user.op) && user.arg(0).asNode() == use.value) {
        answer.code = "RI30.SCATTER";
    } else if (isSchemaView(ops_, user)) {
        answer.code = "RI30.VIEW";
        answer.params.emplace_back("reader", g_[finalReader(use.user)].name.str());
    } else {
        answer.code = "RI30.READ";
    }
}

}  // namespace aliascope
