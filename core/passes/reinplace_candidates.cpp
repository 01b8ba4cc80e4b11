#include "core/passes/reinplace_candidates.h"

#include <algorithm>

#include "core/analysis/footprint.h"
#include "core/passes/reinplace_profit.h"
#include "core/passes/reinplace_report.h"

namespace aliascope {
namespace {

/// In-place form of an operator that writes its first argument; empty = not one of them.
Name inPlaceTwin(Name op) {
    static const std::unordered_map<Name, Name> twins = {
        {"aten::index_put"_n, "aten::index_put_"_n},
        {"aten::_unsafe_index_put"_n, "prims::_unsafe_index_put_"_n},
        {"_c10d_functional::all_reduce"_n, "_c10d_functional::all_reduce_"_n},
        {"_c10d_functional::all_reduce_coalesced"_n, "_c10d_functional::all_reduce_coalesced_"_n},
    };
    const auto it = twins.find(op);
    return it == twins.end() ? Name() : it->second;
}

/// `aten::_foreach_add.List` -> `aten::_foreach_add_.List`.
Name foreachTwin(Name op) {
    const std::string& text = op.str();
    const auto dot = text.find('.');
    return Name(dot == std::string::npos ? text + "_" : text.substr(0, dot) + "_" + text.substr(dot));
}

std::string paramName(const OpRegistry& ops, Name op, std::size_t i) {
    const OpDef* def = ops.find(op);
    if (def && i < def->schema.params.size()) return def->schema.params[i].name.str();
    return i == 0 ? "self" : "argument " + std::to_string(i);
}

/// getitem users of a node that take `key`.
std::vector<NodeId> itemsTaken(const Graph& g, NodeId id, const Value& key) {
    std::vector<NodeId> out;
    for (const Node::User& user : g[id].users) {
        const Node& n = g[user.id];
        const bool same = key.isInt() ? n.arg(1) == key : !n.arg(1).isContainer() && n.arg(1).name() == key.name() && key.name();
        if (n.op == "operator::getitem" && n.arg(0).asNode() == id && same) out.push_back(user.id);
    }
    return out;
}

/// True when several positions of the tensor are one element.
bool overlapsItself(const TensorType& t) {
    if (!t.strides) return false;
    for (std::size_t i = 0; i < t.sizes.size() && i < t.strides->size(); ++i)
        if ((*t.strides)[i] == SymInt(0) && t.sizes[i].constant().value_or(0) > 1) return true;
    return false;
}

}  // namespace

Reinplacer::Reinplacer(Graph& g, PassContext& ctx, AnalysisMode mode)
    : g_(g),
      ctx_(ctx),
      mode_(mode),
      forms_(g, ctx, mode == AnalysisMode::Extent),
      index_(g, ctx.ops(), mode, forms_),
      defects_(ctx),
      table_(g, ctx.ops(), index_, mode, defects_) {}

bool Reinplacer::isCandidate(NodeId id) const {
    const Node& n = g_[id];
    if (n.kind != NodeKind::CallFunction) return false;
    if (isInPlaceableForeach(n.op)) {
        // One that is not written back to inputs stays as it is (RI41).
        const auto tensors = tensorsOf(n.arg(0));
        return std::all_of(tensors.begin(), tensors.end(), [&](NodeId t) { return t && index_.writeBack(t, id); });
    }
    return wrapperKind(n) != WrapperKind::None || forms_.find(id) || inPlaceTwin(n.op) || n.op == "hop::with_effects" || forwarding(id).twin;
}

void Reinplacer::run() {
    if (mode_ == AnalysisMode::Extent) {
        std::unordered_set<NodeId> fixed;
        bool any = false;
        for (NodeId id : inOrder(g_)) {
            const bool asked = isCandidate(id);
            any = any || asked || isInPlaceableForeach(g_[id].op);
            if (asked && !(isListed(&WriteForms::functional, id) && mayMove(id))) fixed.insert(id);
        }
        if (!any) return;
        order_.emplace(g_, ctx_, std::move(fixed));
        findWrittenBackChains();
    }
    for (NodeId id : g_.order()) {
        if (ctx_.cancelled()) return;
        visit(id);
    }
    if (mode_ == AnalysisMode::Extent) eraseRefusedCopies();
    reportForeignWriteBacks();
    replacements_.apply(g_);
    forms_.decompose(g_, ctx_, inPlaceScatters_, mode_ == AnalysisMode::Extent ? &index_.alias() : nullptr);
}

void Reinplacer::visit(NodeId id) {
    static const Name withEffects("hop::with_effects");
    const Node& n = g_[id];
    if (n.kind != NodeKind::CallFunction) return;
    if (wrapperKind(n) != WrapperKind::None) return visitWrapper(id);
    if (staysFunctional(id)) return;
    if (isInPlaceableForeach(n.op)) return visitForeach(id);
    if (forms_.find(id)) return visitTableOp(id, 0, n.op);
    if (const Name twin = inPlaceTwin(n.op)) return visitTableOp(id, 0, twin);
    if (mode_ == AnalysisMode::Extent)
        if (const Forwarding how = forwarding(id); how.twin) return visitForwarded(id, how);
    if (n.is(withEffects) && n.arg(1).kind() == Value::Kind::Op)
        if (const Name twin = inPlaceTwin(n.arg(1).name())) visitTableOp(id, 2, twin);
}

bool Reinplacer::mayMove(NodeId id) const {
    const WrapperKind kind = wrapperKind(g_[id]);
    if (kind == WrapperKind::None) return true;
    // Kernels may write more than a launch names, and draws are dealt in order.
    const auto call = kind == WrapperKind::Launch ? std::nullopt : readWrapper(ctx_.ops(), g_, id);
    const OpDef* def = call ? ctx_.ops().find(call->inner) : nullptr;
    return def && !def->is(Trait::Random);
}

bool Reinplacer::isListed(WriteForms::List WriteForms::*list, NodeId id) const {
    return mode_ == AnalysisMode::Extent && ctx_.forms && (ctx_.forms->*list).contains(g_[id].name);
}

Answer Reinplacer::functionalByRun(NodeId id) const {
    Answer answer;
    answer.code = "RI53";
    answer.rule = "reinplace 9 L5";
    answer.params = ctx_.forms->functional.at(g_[id].name).params();
    answer.checks.push_back({"the whole program copies less with it in place", CheckStep::Answer::Failed, ""});
    return answer;
}

bool Reinplacer::staysFunctional(NodeId id) {
    if (!isListed(&WriteForms::functional, id)) return false;
    const Answer answer = functionalByRun(id);
    const std::string argument = paramName(ctx_.ops(), g_[id].op, 0);
    ctx_.decide(makeDecision(g_, index_, {id, argument, argument, g_[id].arg(0), false, false, mode_}, answer, ctx_, false));
    return true;
}

void Reinplacer::visitTableOp(NodeId id, std::size_t operand, Name inPlace) {
    const Node& n = g_[id];
    const bool effects = operand != 0;
    const Name op = effects ? n.arg(1).name() : n.op;
    // There PyTorch's pass has overwritten its own helper.
    if (mode_ == AnalysisMode::Reference && effectsSeen_)
        defects_.sayStops("R6", g_, id, "WRITE_WITHOUT_WRITE_BACK",
                          {{"node", n.name.str()}, {"arg", paramName(ctx_.ops(), op, 0)}, {"why", "an operator with an effect token came before"}});
    effectsSeen_ = effectsSeen_ || effects;
    Question q;
    q.node = id;
    q.value = n.arg(operand);
    q.argument = paramName(ctx_.ops(), op, 0);
    if (!effects)
        q.results.push_back({id});
    else
        for (NodeId item : itemsTaken(g_, id, Value::integer(1))) q.results.push_back({item});
    for (std::size_t i = operand + 1; i < n.args.size(); ++i)
        n.args[i].forEachNode([&](NodeId read) { q.reads.push_back({paramName(ctx_.ops(), op, i - operand), read}); });
    for (const Keyword& k : n.kwargs) k.second.forEachNode([&](NodeId read) { q.reads.push_back({k.first.str(), read}); });
    if (mode_ == AnalysisMode::Extent) {
        dropHarmlessReads(q);
        if (auto place = forms_.written(g_, ctx_.ops(), index_.alias(), id)) q.written.push_back(std::move(*place));
    }

    if (mode_ == AnalysisMode::Extent && keepsEveryElement(id)) return visitIdentity(q);
    const bool pays = !forms_.find(id) || writtenBackChain_.contains(id) || writesWhatStands(id) || isListed(&WriteForms::inPlace, id) ||
                      scatterPaysInPlace(g_, forms_, mode_, id);
    q.mayBeTaken = pays;
    Answer answer = pays ? askMakingRoom(q, cloneBytes(q.value, false), false) : table_.ask(q);
    bool clone = true;
    const TensorType* target = q.value.isNode() ? index_.geometry(q.value.asNode()) : nullptr;
    if (answer.inPlace && target && overlapsItself(*target)) {
        if (mode_ == AnalysisMode::Reference) {
            defects_.say("overlapping target", g_, id, "OVERLAPPING_WRITE", {{"node", n.name.str()}, {"arg", q.argument}, {"other", q.argument}});
        } else {
            answer.inPlace = false;
            answer.code = "RI31";
            answer.rule = "reinplace 4.6";
            answer.params = {{"base", g_[q.value.asNode()].name.str()}, {"other", q.argument + ", whose positions share elements"}};
        }
    }
    if (answer.inPlace && forms_.find(id)) {
        const bool byBytes = isListed(&WriteForms::inPlace, id);
        answer.checks.push_back({byBytes ? "the whole program copies less with it in place" : "input and result must exist in memory anyway",
                                 pays ? CheckStep::Answer::Ok : CheckStep::Answer::Failed, ""});
        if (!pays) {
            answer.inPlace = clone = false;
            answer.code = "RI40";
            answer.rule = "reinplace 4.5 step 8";
            answer.params = {{"input", g_[q.value.asNode()].name.str()}};
        }
    }
    withinBudget(answer);
    ctx_.decide(makeDecision(g_, index_, {id, q.argument, q.argument, q.value, false, false, mode_}, answer, ctx_, clone));
    if (!answer.inPlace) return;

    if (q.value.isNode()) {
        eraseWriteBackOf(q.value.asNode(), id);
        for (const auto& result : q.results) table_.accept(q.value.asNode(), result.node);
    }
    if (writesWhatStands(id)) {
        replacements_.add(id, q.value.asNode());
        return ctx_.rewrite({"erase-own-write", {ref(g_, id)}, {ref(g_, q.value.asNode())}});
    }
    if (forms_.find(id)) {
        inPlaceScatters_.insert(id);
        return;
    }
    ctx_.rewrite({"reinplace", {ref(g_, id)}, {ref(g_, id)}});
    if (effects) {
        g_.setArg(id, 1, Value::op(inPlace));
        redirectEffectResults(id, q.value);
    } else {
        g_.setCall(id, spellOp(inPlace), inPlace);
    }
}

bool Reinplacer::writesWhatStands(NodeId id) {
    const GeneralizedScatter* form = mode_ == AnalysisMode::Extent ? forms_.find(id) : nullptr;
    if (!form) return false;
    const NodeId source = form->source.asNode();
    if (!source) return false;
    if (forms_.writesOwnView(g_, ctx_.ops(), index_.alias(), id, standing(source))) return true;
    const auto place = forms_.written(g_, ctx_.ops(), index_.alias(), id);
    return place && table_.standsAt(standing(source), form->input, *place);
}

bool Reinplacer::keepsEveryElement(NodeId id) {
    const GeneralizedScatter* form = forms_.find(id);
    NodeId source = form ? form->source.asNode() : NodeId();
    while (source && (g_[source].is("aten::clone"_n) || g_[source].is("aten::copy"_n))) {
        const NodeId from = g_[source].arg(g_[source].is("aten::copy"_n) ? 1 : 0).asNode();
        const TensorType *to = g_[source].tensor(), *t = from ? g_[from].tensor() : nullptr;
        if (!to || !t || to->dtype != t->dtype || !(to->sizes == t->sizes)) return false;
        source = from;
    }
    // Where all of the input is covered, its old value need not stand any more: only the source's own reads say so.
    if (form && source != form->source.asNode() && forms_.coversInput(g_, id)) return false;
    if (!source || !forms_.writesOwnView(g_, ctx_.ops(), index_.alias(), id, source)) return false;
    const StorageId storage = index_.alias().storageOf(id);
    if (!storage) return false;
    const auto& uses = index_.uses(storage);
    return uses.empty() || uses.back().user != g_.output();
}

void Reinplacer::visitIdentity(const Question& q) {
    Answer answer;
    answer.inPlace = true;
    answer.checks.push_back({"every element is what it was", CheckStep::Answer::Ok, ""});
    withinBudget(answer);
    ctx_.decide(makeDecision(g_, index_, {q.node, q.argument, q.argument, q.value, false, false, mode_}, answer, ctx_));
    if (!answer.inPlace) return;
    const NodeId input = q.value.asNode();
    eraseWriteBackOf(input, q.node);
    table_.accept(input, q.node);
    replacements_.add(q.node, input);
    ctx_.rewrite({"erase-own-write", {ref(g_, q.node)}, {ref(g_, input)}});
}

void Reinplacer::dropHarmlessReads(Question& q) {
    if (writesWhatStands(q.node)) return q.reads.clear();
    const Value* own = g_[q.node].metaValue(kReadsOwnMemory);
    if (!own || !q.value.isNode()) return;
    std::erase_if(q.reads, [&](const Question::Read& read) {
        const auto& names = own->items();
        const bool aliased = std::any_of(names.begin(), names.end(), [&](const Value& v) { return v.name() == Name(read.argument); });
        return aliased && index_.alias().sameStorage(read.value, q.value.asNode());
    });
}

void Reinplacer::redirectEffectResults(NodeId id, const Value& value) {
    for (NodeId result : itemsTaken(g_, id, Value::integer(1))) {
        if (value.isNode()) {
            replacements_.add(result, value.asNode());
            continue;
        }
        for (std::size_t i = 0; i < value.items().size(); ++i)
            for (NodeId element : itemsTaken(g_, result, Value::integer(static_cast<std::int64_t>(i))))
                if (value.items()[i].isNode()) replacements_.add(element, value.items()[i].asNode());
    }
}

void Reinplacer::visitForeach(NodeId id) {
    const Node& n = g_[id];
    Question q;
    q.node = id;
    q.value = n.arg(0);
    q.argument = paramName(ctx_.ops(), n.op, 0);
    if (!q.value.isSequence()) return;
    for (const Node::User& user : n.users)
        if (g_[user.id].op == "operator::getitem") q.results.push_back({user.id, g_[user.id].arg(1).asInt().value_or(-1)});
    for (std::size_t i = 1; i < n.args.size(); ++i)
        n.args[i].forEachNode([&](NodeId read) { q.reads.push_back({paramName(ctx_.ops(), n.op, i), read}); });

    const auto tensors = tensorsOf(q.value);
    Answer answer;
    const Subject subject{id, q.argument, q.argument, q.value, false, false, mode_};
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i] && index_.writeBack(tensors[i], id)) continue;
        answer.code = "RI41";
        answer.rule = "reinplace 4.5 step 9";
        answer.params = {{"index", std::to_string(i)}};
        answer.checks.push_back({"every element is written back to an input from here", CheckStep::Answer::Failed, "element " + std::to_string(i)});
        bool clone = false;
        for (const auto& foreign : index_.foreignWriteBacks())
            if (foreign.producer == id && foreign.input == tensors[i]) {
                answer.code = "RI22";
                answer.rule = "reinplace 5.3";
                answer.blocker = foreign.copy;
                answer.params = {{"input", g_[foreign.input].name.str()}, {"source", g_[foreign.source].name.str()}};
                clone = true;
                break;
            }
        ctx_.decide(makeDecision(g_, index_, subject, answer, ctx_, clone));
        return;
    }
    answer = table_.ask(q);
    withinBudget(answer);
    answer.checks.insert(answer.checks.begin(), {"every element is written back to an input from here", CheckStep::Answer::Ok, ""});
    ctx_.decide(makeDecision(g_, index_, subject, answer, ctx_));
    if (!answer.inPlace) return;
    ctx_.rewrite({"reinplace", {ref(g_, id)}, {ref(g_, id)}});
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        eraseWriteBack(index_.writeBack(tensors[i], id), tensors[i]);
        for (NodeId result : itemsTaken(g_, id, Value::integer(static_cast<std::int64_t>(i)))) {
            table_.accept(tensors[i], result);
            // The in-place overload returns nothing; PyTorch leaves the getitems to its code generator.
            if (mode_ == AnalysisMode::Extent) replacements_.add(result, tensors[i]);
        }
    }
    const Name twin = foreachTwin(n.op);
    g_.setCall(id, spellOp(twin), twin);
}

std::vector<Reinplacer::Key> Reinplacer::keysOf(NodeId id, const WrapperCall& call) const {
    std::vector<Key> keys;
    const auto results = [&](const Value& key, const Value& value) {
        std::vector<Question::Result> out;
        for (NodeId item : itemsTaken(g_, id, key)) {
            if (!value.isSequence())
                out.push_back({item});
            else
                for (const Node::User& user : g_[item].users)
                    if (g_[user.id].op == "operator::getitem") out.push_back({user.id, g_[user.id].arg(1).asInt().value_or(-1)});
        }
        return out;
    };
    if (call.kind == WrapperKind::V2) {
        for (std::size_t i = 0; i < call.bases.size(); ++i) {
            Key key{std::to_string(i), call.bases[i], {}, results(Value::integer(static_cast<std::int64_t>(call.results + i)), call.bases[i]), {}};
            for (std::size_t j = 0; j < call.arguments.size(); ++j) {
                const auto& views = call.arguments[j].views;
                const bool uses = std::any_of(views.begin(), views.end(),
                                              [&](const ViewEncoding& v) { return v.kind != ViewEncoding::Kind::Absent && v.base == i; });
                if (call.arguments[j].written && uses) key.arguments.push_back(j);
            }
            keys.push_back(std::move(key));
        }
        return keys;
    }
    for (std::size_t j = 0; j < call.arguments.size(); ++j) {
        const WrappedArgument& argument = call.arguments[j];
        if (argument.value.isNone()) continue;
        const Value key = call.kind == WrapperKind::V1 ? Value::integer(static_cast<std::int64_t>(call.results + j)) : Value::string(argument.param);
        keys.push_back({argument.param.str(), argument.value, {j}, results(key, argument.value), {}});
    }
    return keys;
}

std::vector<Question::Read> Reinplacer::readsOf(NodeId id, const WrapperCall& call) const {
    std::vector<Question::Read> reads;
    const auto add = [&](Name key, const Value& value) {
        const bool written =
            std::any_of(call.arguments.begin(), call.arguments.end(), [&](const WrappedArgument& a) { return a.param == key && a.written; });
        if (!written) value.forEachNode([&](NodeId v) { reads.push_back({key.str(), v}); });
    };
    if (call.kind == WrapperKind::Launch) {
        if (const Value* kwargs = g_[id].kwarg("kwargs"_n))
            for (std::size_t i = 0; i < kwargs->keys().size() && i < kwargs->items().size(); ++i) add(kwargs->keys()[i], kwargs->items()[i]);
        return reads;
    }
    for (const auto& [key, value] : g_[id].kwargs)
        if (!(key == "_all_bases")) add(key, value);
    return reads;
}

std::string Reinplacer::shownName(const WrapperCall& call, const Key& key) const {
    if (call.kind != WrapperKind::V2) return key.name;
    std::string names;
    for (std::size_t j : key.arguments) names += (names.empty() ? "" : ", ") + call.arguments[j].param.str();
    return names.empty() ? "base " + key.name : names;
}

void Reinplacer::visitWrapper(NodeId id) {
    const auto call = readWrapper(ctx_.ops(), g_, id);
    if (!call) return;
    if (call->assumed) {
        Diagnostic d = warning("NO_SCHEMA", {{"op", call->inner.str()}});
        d.node = g_[id].name;
        ctx_.say(std::move(d));
    }
    auto keys = keysOf(id, *call);
    askKeys(id, *call, keys);
    if (mode_ == AnalysisMode::Reference) warnSeparateCopies(id, *call, keys);
    if (mode_ == AnalysisMode::Extent && call->kind == WrapperKind::V2)
        decideByArgument(id, *call, keys);
    else
        decideByKey(id, *call, keys);
    recordClones(id, *call, keys);
}

void Reinplacer::askKeys(NodeId id, const WrapperCall& call, std::vector<Key>& keys) {
    const auto reads = readsOf(id, call);
    std::unordered_map<std::uint32_t, std::string> taken;  // by memory, which may be several storages that earlier answers made one
    bool any = false;
    std::vector<Key*> order;
    for (Key& key : keys) order.push_back(&key);
    // Of two that share memory the one whose new value is used gains more: the other's clone is only scratch.
    if (mode_ == AnalysisMode::Extent) std::stable_partition(order.begin(), order.end(), [](const Key* key) { return !key->results.empty(); });
    for (Key* asked : order) {
        Key& key = *asked;
        if (isListed(&WriteForms::functional, id)) {
            key.answer = functionalByRun(id);
            continue;
        }
        Question q{id, key.value, shownName(call, key), {}, reads, key.results};
        auto tensors = tensorsOf(key.value);
        // A view without elements takes no memory from anybody.
        if (mode_ == AnalysisMode::Extent)
            std::erase_if(tensors, [&](NodeId t) { return t && index_.geometry(t) && knownEmpty(*index_.geometry(t)); });
        const auto dup = std::find_if(tensors.begin(), tensors.end(), [&](NodeId t) {
            const auto memory = t ? table_.memoryOf(t) : std::nullopt;
            return memory && taken.contains(*memory);
        });
        if (dup != tensors.end()) {
            key.answer.code = "RI13";
            key.answer.rule = "reinplace 4.5 step 0b";
            key.answer.params = {{"other", taken[*table_.memoryOf(*dup)]}};
            key.answer.checks.push_back({"no earlier argument of the call writes this memory", CheckStep::Answer::Failed, ""});
            continue;
        }
        if (call.kind == WrapperKind::V2 && key.value.isNode()) {
            // The elements that are written: the union of the encoded views; unknown geometry means the whole base.
            const TensorType* base = index_.geometry(key.value.asNode());
            const auto index = static_cast<std::size_t>(&key - keys.data());
            bool known = base != nullptr;
            for (std::size_t j : key.arguments)
                for (const ViewEncoding& view : call.arguments[j].views) {
                    if (view.kind == ViewEncoding::Kind::Absent || view.base != index || !known) continue;
                    auto geometry = encodedGeometry(g_, *base, view);
                    if (geometry)
                        q.written.push_back(std::move(*geometry));
                    else
                        known = false;
                }
            if (!known) q.written.clear();
        }
        if (mode_ == AnalysisMode::Extent) q.ignored = putBacks(key);
        key.answer = askMakingRoom(q, cloneBytes(key.value, true), call.kind == WrapperKind::V2);
        withinBudget(key.answer);
        if (!key.answer.inPlace) continue;
        any = true;
        takeInPlace(id, call, key);
        for (NodeId t : tensors)
            if (const auto memory = t ? table_.memoryOf(t) : std::nullopt) taken.emplace(*memory, q.argument);
    }
    if (any) ctx_.rewrite({"reinplace", {ref(g_, id)}, {ref(g_, id)}});
}

std::vector<StorageUse> Reinplacer::putBacks(const Key& key) {
    std::vector<StorageUse> out;
    for (const auto& [result, element] : key.results) {
        const auto& items = key.value.isSequence() ? key.value.items() : std::vector<Value>{key.value};
        const auto i = element < 0 ? std::size_t{0} : static_cast<std::size_t>(element);
        const TensorType* place = i < items.size() && items[i].isNode() ? index_.geometry(items[i].asNode()) : nullptr;
        if (!place) continue;
        for (const Node::User& user : g_[result].users) {
            const GeneralizedScatter* form = forms_.find(user.id);
            if (!form || form->source.asNode() != result || !index_.alias().sameStorage(form->input, items[i].asNode())) continue;
            const auto into = forms_.written(g_, ctx_.ops(), index_.alias(), user.id);
            if (into && samePlace(*into, *place)) out.push_back({user.id, form->input});
        }
    }
    return out;
}

void Reinplacer::withinBudget(Answer& answer) {
    if (!answer.inPlace || ctx_.mayRewrite()) return;
    answer.inPlace = false;
    answer.code = "NOT_REACHED";
    answer.rule = "limit of rewrites";
}

void Reinplacer::takeInPlace(NodeId id, const WrapperCall& call, const Key& key) {
    if (key.value.isNode()) {
        const NodeId copy = index_.writeBack(key.value.asNode(), id);
        // Two arguments may be the same input, each with a new value of its own: only the one that is written back is what the input ends as.
        const bool own = copy && (mode_ == AnalysisMode::Reference || std::any_of(key.results.begin(), key.results.end(), [&](const auto& result) {
                                      return result.node == g_[copy].arg(1).asNode();
                                  }));
        if (own) eraseWriteBack(copy, key.value.asNode());
        for (const auto& result : key.results) {
            table_.accept(key.value.asNode(), result.node);
            standsIn_[result.node] = standing(key.value.asNode());
            if (call.kind == WrapperKind::Launch) replacements_.add(result.node, key.value.asNode());
        }
        return;
    }
    const auto& items = key.value.items();
    for (const auto& [result, i] : key.results)
        if (i >= 0 && static_cast<std::size_t>(i) < items.size() && items[static_cast<std::size_t>(i)].isNode())
            table_.accept(items[static_cast<std::size_t>(i)].asNode(), result);
}

void Reinplacer::eraseWriteBack(NodeId copy, NodeId input) {
    if (!copy) return;
    replacements_.add(copy, input);
    ctx_.rewrite({"erase-copy-back", {ref(g_, copy)}, {ref(g_, input)}});
}

void Reinplacer::reportForeignWriteBacks() {
    for (const auto& foreign : index_.foreignWriteBacks()) {
        Params params = {{"input", g_[foreign.input].name.str()}, {"source", g_[foreign.source].name.str()}};
        if (mode_ == AnalysisMode::Reference) {
            if (replacements_.contains(foreign.copy))
                defects_.say(wrapperKind(g_[foreign.producer]) == WrapperKind::V1 ? "R4" : "R3", g_, foreign.copy, "RI22", std::move(params));
            continue;
        }
        if (wrapperKind(g_[foreign.producer]) != WrapperKind::V1) continue;  // a foreach has said so itself
        Decision d;
        d.node = ref(g_, foreign.copy);
        if (ctx_.originOf) d.origin = ctx_.originOf(foreign.copy);
        d.op = g_[foreign.copy].op;
        d.argument = g_[foreign.input].name.str();
        d.verdict = "refused";
        d.need = "unknown";
        d.code = "RI22";
        d.blocker = ref(g_, foreign.source);
        d.rule = "reinplace 5.3";
        d.params = std::move(params);
        ctx_.decide(std::move(d));
    }
}

}  // namespace aliascope
