#include "core/exec/run.h"

#include <algorithm>
#include <utility>

#include "core/exec/symbolic.h"

namespace aliascope::exec {
namespace {

constexpr int kMostFrames = 64;

/// Bodies below `g` with their paths; numbers follow the order of the paths, as a recording counts them.
void collectBodies(const Graph& g, const std::string& path, int depth, std::vector<std::pair<std::string, const Graph*>>& out) {
    constexpr std::size_t mostBodies = 10'000;
    if (depth > kMostFrames) return;
    for (const Graph::SubGraph& s : g.subGraphs()) {
        if (!s.graph || out.size() >= mostBodies) continue;
        const std::string inner = path.empty() ? s.attribute.str() : path + "." + s.attribute.str();
        out.emplace_back(inner, s.graph.get());
        collectBodies(*s.graph, inner, depth + 1, out);
    }
}

RuntimeValue textOf(Name text) {
    RuntimeValue v;
    v.data = RuntimeValue::Text{text};
    return v;
}

std::string shapeOf(const RuntimeValue& v) {
    if (const Tensor* t = v.tensor()) return t->type().str(false, false);
    if (v.isNone()) return "None";
    return v.isList() ? "a list" : "a number";
}

}  // namespace

Run::Run(const Graph& g, const OpRegistry& ops, Backend& backend, const std::unordered_map<Name, RuntimeValue>& constants, const ExecOptions& options,
         ExecObserver* observer)
    : main_(g),
      ops_(ops, backend, options.bodies),
      backend_(backend),
      constants_(constants),
      options_(options),
      observer_(observer),
      ledger_(backend, options.caching, options.maxBytes, options.arena) {
    std::vector<std::pair<std::string, const Graph*>> bodies;
    collectBodies(g, "", 0, bodies);
    std::sort(bodies.begin(), bodies.end());
    std::uint32_t number = 0;
    bodyNumbers_[&g] = number;
    for (const auto& [path, body] : bodies) bodyNumbers_[body] = ++number;
    if (options.digests != DigestMode::None && g.output()) {
        digested_.assign(g.idBound(), false);
        for (const NodeId id : g.operands(g.output())) digested_[id.value] = true;
    }
}

RuntimeValue Run::runMain(const std::vector<RuntimeValue>& inputs) { return runGraph(main_, inputs, "", nullptr); }

const GraphPlan& Run::planOf(const Graph& g) {
    auto& plan = plans_[&g];
    if (!plan) {
        plan = std::make_unique<GraphPlan>(g, ops_);
        const auto number = bodyNumbers_.find(&g);
        if (number != bodyNumbers_.end()) plan->body = number->second;
    }
    return *plan;
}

void Run::warnOnce(std::string_view code, Name subject, Params params) {
    if (!warned_.emplace(std::string(code), subject).second) return;
    const bool forInformation = code == "LAYOUT_STALE" || code == "RESULT_CLONED" || code == "CAST_RANGE";
    warnings_.push_back(forInformation ? info(std::string(code), std::move(params)) : warning(std::string(code), std::move(params)));
    warnings_.back().node = failure_.node;
    if (observer_) observer_->warned(ledger_.site(), code);
}

// --- frames --------------------------------------------------------------------------------------------------------------------------------

class Run::FrameScope {
public:
    FrameScope(Run& run, bool nested) : run_(run), nested_(nested), caller_(run.ledger_.site()), place_(run.failure_) {
        if (++run_.depth_ > kMostFrames) {
            --run_.depth_;
            failUnsupported("bodies are nested in each other more than " + std::to_string(kMostFrames) + " deep");
        }
        if (nested_) run_.ledger_.mark(memory::EventKind::Enter);
    }
    void leave() {
        run_.ledger_.at(caller_);
        run_.failure_ = place_;
        if (nested_) run_.ledger_.mark(memory::EventKind::Leave);
    }
    ~FrameScope() { --run_.depth_; }
    FrameScope(const FrameScope&) = delete;
    FrameScope& operator=(const FrameScope&) = delete;

private:
    Run& run_;
    bool nested_;
    memory::Site caller_;
    Place place_;
};

RuntimeValue Run::runGraph(const Graph& g, Args inputs, const std::string& path, const memory::Site* owner) {
    FrameScope scope(*this, &g != &main_);
    Frame f;
    f.graph = &g;
    f.plan = &planOf(g);
    f.values.resize(g.idBound());
    f.symbols = g.symbols;
    f.path = path;
    f.pathId = path.empty() ? 0 : ledger_.callPath(path);
    if (owner) f.owner = *owner;
    bindInputs(f, inputs);
    inputs.clear();
    RuntimeValue result;
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.kind != NodeKind::Output) {
            runNode(f, id);
            continue;
        }
        ledger_.at(siteOf(f, n));
        failure_ = {path, n.name, Name()};
        result = resolve(f, n.arg(0));
        if (&g == &main_) {
            std::set<memory::StorageId> marked;
            result.forEachTensor([&](const Tensor& t) {
                if (t.storage && t.storage->bytes > 0 && marked.insert(t.storage->id).second) ledger_.mark(memory::EventKind::Output, t.storage->id);
            });
        }
        break;
    }
    f.values.clear();
    scope.leave();
    return result;
}

/// Placeholders get their values and symbols theirs; what contradicts an annotation is an error.
void Run::bindInputs(Frame& f, Args& inputs) {
    std::vector<NodeId> placeholders;
    for (const NodeId id : inOrder(*f.graph))
        if ((*f.graph)[id].kind == NodeKind::Placeholder) placeholders.push_back(id);
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const Node& n = (*f.graph)[placeholders[i]];
        failure_ = {f.path, n.name, Name()};
        if (i < inputs.size()) continue;
        if (n.args.empty()) failExec("INPUT_MISSING", {{"name", n.name.str()}, {"type", annotationText(n)}});
        inputs.push_back(resolve(f, n.args[0]));
    }
    for (const GraphPlan::SymbolSource& source : f.plan->symbolSources()) {
        const RuntimeValue& v = inputs[source.placeholder];
        std::optional<std::int64_t> value = v.integer();
        if (const Tensor* t = v.tensor(); t && source.dim >= 0 && static_cast<std::size_t>(source.dim) < t->rank())
            value = t->sizes[static_cast<std::size_t>(source.dim)];
        if (value) f.symbols[source.symbol].hint = value;
    }
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const Node& n = (*f.graph)[placeholders[i]];
        const RuntimeValue& v = inputs[i];
        const TensorType* type = n.tensor();
        const Tensor* t = v.tensor();
        if (type && !v.isNone()) {
            const auto sizes = evaluate(type->sizes, f.symbols);
            const DType wanted = options_.doubles ? doubled(type->dtype) : type->dtype;
            const bool fits =
                t && (type->dtype == DType::Unknown || wanted == t->dtype) && t->rank() == type->rank() && (!sizes || *sizes == t->sizes);
            if (!fits) failExec("INPUT_MISMATCH", {{"name", n.name.str()}, {"got", shapeOf(v)}, {"want", type->str(false, false)}});
        }
        if (f.graph == &main_) {
            ledger_.at(siteOf(f, n));
            v.forEachTensor([&](const Tensor& tensor) { ledger_.borrow(memory::EventKind::Input, tensor.storage); });
        }
        f.values[placeholders[i].value] = std::move(inputs[i]);
    }
}

memory::Site Run::siteOf(const Frame& f, const Node& n) {
    if (!f.owner) return {f.plan->body, n.id, f.pathId};
    memory::Site site = *f.owner;
    site.callPath = ledger_.callPath(f.path + "/" + n.name.str());
    return site;
}

void Run::runNode(Frame& f, NodeId id) {
    const Node& n = (*f.graph)[id];
    const NodePlan& plan = (*f.plan)[id];
    failure_ = {f.path, n.name, n.op};
    site_ = siteOf(f, n);
    ledger_.at(site_);
    const memory::Site site = site_;
    if (options_.cancel.cancelled()) failExec("CANCELLED", {{"n", std::to_string(done_)}, {"total", std::to_string(main_.size())}});
    if (observer_) observer_->nodeStarted(site, *f.graph, n);
    const std::int64_t begin = observer_ ? ledger_.elapsed() : 0;
    RuntimeValue& value = f.values[id.value];
    const bool tainted = synthetic_ && reachedByStandIn(f, n);
    if (n.kind == NodeKind::GetAttr)
        value = constant(f, n);
    else if (n.isCall())
        value = callNode(f, n, plan);
    if (options_.doubles && options_.decided && !f.owner && n.isCall()) takeDecided(n, plan, f, value);
    if (tainted) markSynthetic(value);
    ledger_.at(site);
    if (observer_) {
        backend_.synchronize();
        observer_->nodeFinished(site, *f.graph, n, value, ledger_.elapsed() - begin);
        if (!f.owner) recordDigests(n, value);
    }
    release(f, n, plan);
    if (f.graph != &main_) return;
    ++done_;
    constexpr std::size_t progressStep = 32;
    if (options_.progress && done_ % progressStep == 0)
        options_.progress(static_cast<double>(done_) / static_cast<double>(main_.size()), n.name.view());
}

/// What nobody uses after `n` goes: its operands, then itself or its items.
void Run::release(Frame& f, const Node& n, const NodePlan& plan) {
    for (const NodeId operand : plan.dies) f.values[operand.value] = {};
    RuntimeValue& value = f.values[n.id.value];
    if (plan.unused) {
        value = {};
    } else if (plan.onlyItems) {
        if (auto* list = std::get_if<RuntimeList>(&value.data))
            for (std::size_t i = 0; i < list->size(); ++i)
                if (!std::binary_search(plan.taken.begin(), plan.taken.end(), static_cast<std::int64_t>(i))) (*list)[i] = {};
    }
}

void Run::donate(Frame& f, const NodePlan& plan) {
    std::set<memory::StorageId> marked;
    for (const NodeId operand : plan.dies) {
        RuntimeValue& value = f.values[operand.value];
        value.forEachTensor([&](const Tensor& t) {
            if (t.storage && t.storage->role == StorageRole::Value && t.storage->bytes > 0 && marked.insert(t.storage->id).second)
                ledger_.mark(memory::EventKind::Donate, t.storage->id);
        });
        value = {};
    }
}

void Run::takeDecided(const Node& n, const NodePlan& plan, const Frame& f, const RuntimeValue& value) {
    const bool random = plan.op && plan.op->op->is(Trait::Random);
    const auto holdsFloats = [&](NodeId operand) {
        const TensorType* t = operand ? (*f.graph)[operand].tensor() : nullptr;
        return t && info(t->dtype).floating;
    };
    if (!random && !(plan.op && f.graph->operands(n.id).size() > 0)) return;
    bool fromFloats = false;
    for (const NodeId operand : f.graph->operands(n.id)) fromFloats = fromFloats || holdsFloats(operand);
    int out = 0;
    value.forEachTensor([&](const Tensor& t) {
        if (t.storage && (random || (fromFloats && !info(t.dtype).floating && !info(t.dtype).complex))) options_.decided(site_, out, t);
        ++out;
    });
}

void Run::noteCast(const Tensor& to, const Tensor& from) {
    if (!backend_.computes() || !info(from.dtype).floating || !info(to.dtype).integral || backend_.fitsInto(to.dtype, from)) return;
    warnOnce("CAST_RANGE", failure_.node, {{"node", failure_.node.str()}, {"dtype", std::string(info(to.dtype).shortName)}});
}

void Run::recordDigests(const Node& n, const RuntimeValue& value) {
    if (options_.digests == DigestMode::None || !backend_.computes()) return;
    if (options_.digests != DigestMode::All && (site_.body != 0 || site_.callPath != 0 || !digested_[n.id.value])) return;
    int out = 0;
    value.forEachTensor([&](const Tensor& t) {
        if (t.storage) observer_->digest(ledger_.site(), out, backend_.digest(t));
        ++out;
    });
}

// --- values --------------------------------------------------------------------------------------------------------------------------------

RuntimeValue Run::resolveSymbol(const Frame& f, const SymInt& s) const {
    if (const auto value = s.evaluate(f.symbols)) return *value;
    failUnsupported("the symbol " + s.str() + " has no value");
}

RuntimeValue Run::resolve(const Frame& f, const Value& v) const {
    switch (v.kind()) {
        case Value::Kind::None:
            return {};
        case Value::Kind::Bool:
            return v.asBool().value_or(false);
        case Value::Kind::Int:
            return *v.asInt();
        case Value::Kind::Float:
            return *v.asNumber();
        case Value::Kind::Node: {
            const NodeId id = v.asNode();
            return id.value < f.values.size() ? f.values[id.value] : RuntimeValue();
        }
        case Value::Kind::Sym:
            return resolveSymbol(f, v.asSym());
        case Value::Kind::Ellipsis: {
            RuntimeValue out;
            out.data = RuntimeValue::Ellipsis();
            return out;
        }
        case Value::Kind::List:
        case Value::Kind::Tuple:
        case Value::Kind::Range:
        case Value::Kind::Slice:
        case Value::Kind::Dict: {
            RuntimeList items;
            items.reserve(v.items().size());
            for (const Value& item : v.items()) items.push_back(resolve(f, item));
            if (v.kind() == Value::Kind::Dict) return RuntimeDict{v.keys(), std::move(items)};
            if (v.kind() != Value::Kind::Slice) return items;
            RuntimeValue out;
            out.data = RuntimeValue::Slice{std::make_shared<const RuntimeList>(std::move(items))};
            return out;
        }
        case Value::Kind::Const:
            if (options_.doubles)
                if (const auto named = dtypeFromTorchName(v.name().view()))
                    return textOf(Name("torch." + std::string(info(doubled(*named)).torchName)));
            return textOf(v.name());
        default:
            return textOf(v.name());
    }
}

RuntimeValue Run::constant(const Frame& f, const Node& n) {
    if (f.graph->subGraph(n.target)) return {};
    const auto found = constants_.find(n.target);
    if (found != constants_.end()) {
        found->second.forEachTensor([&](const Tensor& t) { ledger_.borrow(memory::EventKind::Constant, t.storage); });
        return found->second;
    }
    if (n.users.empty()) return {};
    const auto type = n.tensor() && !backend_.computes() ? evaluate(*n.tensor(), f.symbols) : std::nullopt;
    if (!type) failExec("CONSTANT_VALUE_MISSING", {{"name", n.target.str()}});
    const RuntimeValue typed = makeTensor(backend_, *n.tensor());  // a prediction needs no elements
    ledger_.borrow(memory::EventKind::Constant, typed.tensor()->storage);
    return typed;
}

// --- nodes ---------------------------------------------------------------------------------------------------------------------------------

RuntimeValue Run::callNode(Frame& f, const Node& n, const NodePlan& plan) {
    if (n.flags & FlagUnparsed) failUnsupported("its statement could not be read");
    switch (plan.means) {
        case Means::Symbolic:
            return symbolicNode(f, n, plan);
        case Means::HigherOrder:
            return higherOrder(f, n, plan);
        default:
            break;
    }
    if (n.kind != NodeKind::CallFunction) failUnsupported("calls of methods and modules run after the pass lower-torch");
    if (!plan.op) return unknownSchema(f, n, plan);
    if (plan.misfit) failUnsupported(plan.misfit->sentence());
    Args args;
    args.reserve(plan.values.size());
    for (const Value& v : plan.values) args.push_back(resolve(f, v));
    if (plan.means == Means::Body) donate(f, plan);
    RuntimeValue result = callOperator(*plan.op, std::move(args), &plan, &f);
    if (plan.means == Means::Handle && n.arg(0).isNode()) f.values[n.arg(0).asNode().value] = result;
    return result;
}

RuntimeValue Run::symbolicNode(Frame& f, const Node& n, const NodePlan& plan) {
    if (auto item = itemOf(f, n, plan)) return std::move(*item);
    Args args;
    for (const Value& v : n.args) args.push_back(resolve(f, v));
    for (const Keyword& k : n.kwargs) args.push_back(resolve(f, k.second));
    const Name tensors =
        std::any_of(args.begin(), args.end(), [](const RuntimeValue& v) { return v.tensor() != nullptr; }) ? tensorOperator(n.op) : Name();
    if (!tensors) return evaluateSymbolic(n.op, args);
    const OpDef* def = ops_.registry().find(tensors);
    auto call = def ? bindCall(*def, n.args, n.kwargs) : fail(Diagnostic());
    if (!call) failUnsupported("tensors cannot be its operands");
    Args bound;
    for (const Value& v : call->values) bound.push_back(resolve(f, v));
    return callOperator(ops_.of(*def), std::move(bound), &plan, &f);
}

/// `getitem` of a list by number, without copying the list; nothing when it is another call.
std::optional<RuntimeValue> Run::itemOf(Frame& f, const Node& n, const NodePlan& plan) {
    static const Name getitem("operator::getitem");
    if (n.op != getitem || n.args.size() != 2 || !n.args[0].isNode()) return {};
    auto* list = std::get_if<RuntimeList>(&f.values[n.args[0].asNode().value].data);
    auto index = n.args[1].asInt();
    const auto size = list ? static_cast<std::int64_t>(list->size()) : 0;
    if (index && *index < 0) *index += size;
    if (!list || !index || *index < 0 || *index >= size) return {};
    RuntimeValue& item = (*list)[static_cast<std::size_t>(*index)];
    return plan.lastOfItem ? std::exchange(item, {}) : item;
}

}  // namespace aliascope::exec
