// Operators: views, kernels with the results that the shape rules give, bodies from files (executor.md 2.2, 6.2).

#include <algorithm>
#include <cstring>

#include "core/exec/overlap.h"
#include "core/exec/run.h"

namespace aliascope::exec {
namespace {

/// Random numbers that a node of `n` elements takes from the stream (executor.md 2.3, random).
std::uint64_t randomSpan(std::int64_t n) {
    constexpr std::uint64_t mostThreads = 270'336;
    const auto elements = static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1));
    const std::uint64_t threads = std::min<std::uint64_t>((elements + 255) / 256 * 256, mostThreads);
    return 4 * ((elements + 4 * threads - 1) / (4 * threads));
}

std::string stridesText(const Shape& strides) {
    std::string out = "[";
    for (std::size_t i = 0; i < strides.size(); ++i) out += (i ? ", " : "") + std::to_string(strides[i]);
    return out + "]";
}

/// Results of matrix products, attention and convolutions lie as the library that ran them chose (executor.md 2.2).
bool libraryChoosesLayout(const OpPlan& op) {
    if (!op.kernel) return false;
    if (op.kernel->tolerance == ToleranceClass::Matmul || op.kernel->tolerance == ToleranceClass::Attention) return true;
    return op.op->canonical.view().starts_with("aten::convolution");
}

/// Operations that a call needs, about: of products two for each pair of factors, of everything else one for each element.
double operationsOf(const Kernel& kernel, const OpCall& call) {
    double read = 0, written = 0;
    std::vector<const Tensor*> tensors;
    for (const RuntimeValue& v : call.args)
        v.forEachTensor([&](const Tensor& t) {
            tensors.push_back(&t);
            read += static_cast<double>(t.numel());
        });
    for (const Tensor& t : call.outputs) written += static_cast<double>(t.storage ? t.numel() : 0);
    const auto lastSize = [](const Tensor& t) { return t.rank() > 0 ? static_cast<double>(t.sizes.back()) : 1; };
    const bool convolves = call.name.view().starts_with("aten::convolution");
    if (convolves && tensors.size() >= 2) {
        const bool backward = call.name.view().starts_with("aten::convolution_backward");
        const Tensor& weight = *tensors[backward && tensors.size() > 2 ? 2 : 1];
        const double perElement = weight.rank() > 0 && weight.sizes[0] > 0 ? static_cast<double>(weight.numel() / weight.sizes[0]) : 1;
        return backward ? 4 * static_cast<double>(tensors[0]->numel()) * perElement : 2 * written * perElement;
    }
    if (kernel.tolerance == ToleranceClass::Matmul && tensors.size() >= 2) return 2 * written * lastSize(*tensors[tensors.size() - 2]);
    if (kernel.tolerance == ToleranceClass::Attention && tensors.size() >= 3 && tensors[1]->rank() >= 2)
        return 4 * static_cast<double>(tensors[0]->numel()) * static_cast<double>(tensors[1]->sizes[tensors[1]->rank() - 2]);
    return read + written;
}

/// The results of an operator from its tensors in order: one value, or a list by the schema's returns.
RuntimeValue byReturns(const Schema& schema, const std::vector<Tensor>& tensors) {
    const auto value = [](const Tensor& t) { return t.storage ? RuntimeValue(t) : RuntimeValue(); };
    if (schema.returns.size() == 1 && !schema.returns[0].type.isList()) return tensors.empty() ? RuntimeValue() : value(tensors[0]);
    RuntimeList list;
    for (const Tensor& t : tensors) list.push_back(value(t));
    return list;
}

/// The operator gives a Python number (`equal`); its kernel writes it into a tensor without dimensions.
bool givesNumber(const Schema& schema) {
    if (schema.returns.size() != 1 || schema.returns[0].type.isList()) return false;
    const Name base = schema.returns[0].type.innermost();
    return base == "bool" || base == "int" || base == "float" || base == "Scalar";
}

}  // namespace

RuntimeValue Run::callOperator(const OpPlan& op, Args args, const NodePlan* node, const Frame* frame) {
    switch (op.means) {
        case Means::View:
            return callView(op, args);
        case Means::Handle:
            return callView(ops_.of(*op.functional), args);
        case Means::Foreach:
            return callForeach(op, args);
        case Means::Body:
            return callBody(op, std::move(args));
        case Means::InPlace:
            return callInPlace(op, std::move(args));
        case Means::Kernel:
            return callKernel(op, std::move(args), node, frame);
        case Means::ViewCopy:
            return copyOfView(op, args);
        case Means::Uninitialised:
            return uninitialised(op, args, node, frame);
        case Means::HostRead:
            return hostRead(args, node, frame);
        case Means::Nothing:
            ledger_.mark(memory::EventKind::Leave);
            return args.empty() ? RuntimeValue() : std::move(args[0]);  // its results, for those who look
        default:
            return unknownOperator(op, args, node, frame);
    }
}

// --- tensors -------------------------------------------------------------------------------------------------------------------------------

Tensor Run::fresh(const Geometry& g, std::int64_t room, StorageRole role) {
    Tensor t;
    t.dtype = options_.doubles ? doubled(g.dtype) : g.dtype;
    t.sizes = g.sizes;
    t.strides = g.strides;
    t.offset = g.offset;
    t.device = g.device;
    const std::int64_t item = itemSize(t.dtype);
    if (item == 0) failUnsupported("elements of type " + std::string(info(g.dtype).shortName) + " are not held");
    const std::int64_t bytes = storageBytes(t.sizes, t.strides, t.offset, item), start = bytes > 0 ? (t.offset - room) * item : 0;
    t.storage = ledger_.allocate(bytes - start, role);
    t.storage->start = start;
    return t;
}

Tensor Run::viewOf(const Tensor& base, const TensorType& type) {
    const auto g = evaluate(type, {});
    if (!type.strides || !g) failShape("self", base.type().str(true, false), "a layout that it can be viewed in");
    Tensor t = base;
    t.dtype = g->dtype;
    t.sizes = g->sizes;
    t.strides = g->strides;
    t.offset = g->offset;
    const std::int64_t needed = storageBytes(t.sizes, t.strides, t.offset, itemSize(t.dtype));
    const std::int64_t start = base.storage ? base.storage->start : 0;
    const std::int64_t held = start + static_cast<std::int64_t>(base.storage ? base.storage->bytes : 0);
    if (needed > held) failShape("self", std::to_string(held) + " bytes of storage", std::to_string(needed));
    if (needed > 0 && t.offset * itemSize(t.dtype) < start && !base.storage->hasRoom) giveRoom(base);
    return t;
}

/// Lets the bytes before the storage of `t` be read: whoever copies from the start of the address space takes them along, and looks at none of them.
void Run::giveRoom(const Tensor& t) {
    Storage& s = *t.storage;
    s.hasRoom = true;
    if (!backend_.computes()) return;
    const auto bytes = [](const StoragePtr& storage, std::int64_t offset, std::int64_t count) {
        Tensor out;
        out.storage = storage;
        out.dtype = DType::U8;
        out.sizes = {count};
        out.strides = {1};
        out.offset = offset;
        return out;
    };
    const bool counted = ledger_.setUncounted(true);
    const StoragePtr wide = ledger_.allocate(s.start + static_cast<std::int64_t>(s.bytes));
    ledger_.setUncounted(counted);
    const std::vector<std::byte> zeros(static_cast<std::size_t>(s.start));
    backend_.upload(bytes(wide, 0, s.start), zeros.data());
    const auto moved = std::make_shared<Storage>(backend_, wide->data + s.start, s.bytes);
    moved->start = s.start;
    moved->home = wide;
    backend_.copy(bytes(moved, s.start, static_cast<std::int64_t>(s.bytes)), bytes(t.storage, s.start, static_cast<std::int64_t>(s.bytes)));
    if (s.data && !s.home) s.backend.free(s.data, s.bytes);
    s.data = moved->data;
    s.home = wide;
}

/// The bytes that `t` reaches, gaps included, in a storage of their own.
Tensor Run::copyOf(const Tensor& t, bool keepOffset) {
    const std::int64_t room = t.storage ? t.offset - t.storage->start / t.itemSize() : 0;
    Tensor out = keepOffset ? fresh({t.dtype, t.sizes, t.strides, t.offset, t.device}, room) : fresh({t.dtype, t.sizes, t.strides, 0, t.device});
    if (!backend_.computes() || out.storage->bytes == 0) return out;
    Tensor from = t, to = out;
    from.sizes = to.sizes = {t.extent()};
    from.strides = to.strides = {1};
    backend_.copy(to, from);
    return out;
}

// --- views ---------------------------------------------------------------------------------------------------------------------------------

RuntimeValue Run::callView(const OpPlan& op, const Args& args) {
    const Tensor* base = args.empty() ? nullptr : args[0].tensor();
    if (!base) failUnsupported("its first argument is no tensor");
    types_.bind(*op.op, args);
    auto view = types_.view();
    if (!view) {
        if (op.op->is(Trait::IdentityView)) return *base;
        if (op.kernel) return callKernel(op, args, nullptr, nullptr);
        failShape(op.op->schema.params.empty() ? "self" : op.op->schema.params[0].name.view(), base->type().str(true, false),
                  "a layout and arguments that fit");
    }
    RuntimeList results;
    for (const TensorType& type : view->types) {
        if (view->aliases == Tri::Yes) {
            results.emplace_back(viewOf(*base, type));
            continue;
        }
        const auto g = evaluate(type, {});
        if (!g) failUnsupported("the shape of its result is not known");
        Tensor copy = fresh({g->dtype, g->sizes, g->strides, 0, g->device});
        if (copy.numel() != base->numel()) failShape("self", base->type().str(false, false), type.str(false, false));
        Tensor rows = copy;
        if (base->sizes != copy.sizes) {  // a reshape: the same elements in row-major order
            rows.sizes = base->sizes;
            rows.strides = contiguousStrides(base->sizes);
        }
        if (backend_.computes()) backend_.copy(rows, *base);
        results.emplace_back(std::move(copy));
    }
    if (view->list) return results;
    return results.empty() ? RuntimeValue() : std::move(results.front());
}

RuntimeValue Run::copyOfView(const OpPlan& op, const Args& args) {
    types_.bind(*op.op, args);
    const Inferred found = types_.infer();
    const Tensor* base = args.empty() ? nullptr : args[0].tensor();
    std::string name(op.op->canonical.view());
    if (const auto at = name.find("_copy"); at != std::string::npos) name.erase(at, 5);
    const OpDef* viewOp = ops_.registry().find(Name(name));
    if (!found.type || !base || !viewOp) failUnsupported("the shape of its result is not known");
    std::vector<Tensor> outputs;
    RuntimeValue result = materialise(found.type, outputs, nullptr, nullptr, op);
    if (!backend_.computes()) return result;
    RuntimeValue views = callView(ops_.of(*viewOp), args);
    std::size_t at = 0;
    views.forEachTensor([&](const Tensor& view) { backend_.copy(outputs.at(at++), view); });
    return result;
}

// --- result types --------------------------------------------------------------------------------------------------------------------------

TypePtr Run::resultType(const OpPlan& op, const Args& args, const NodePlan* node, const Frame* frame) {
    types_.bind(*op.op, args);
    Inferred found = types_.infer();
    if (found.type && found.trust == Trust::Inferred) return found.type;
    if (!node || !frame || node->stated.empty()) return found.type;
    const bool single = op.op->schema.returns.size() == 1 && !op.op->schema.returns[0].type.isList();
    const TypePtr stated = single ? node->stated[0] : Type::tuple(node->stated);
    // A kernel relies on the shape of its result: an annotation alone is not believed when something is computed.
    if (!found.type) return backend_.computes() && op.kernel ? nullptr : stated;
    const TensorType *own = asTensor(found.type), *printed = asTensor(stated);
    if (!own || !printed || own->dtype != printed->dtype) return found.type;
    return evaluate(own->sizes, frame->symbols) == evaluate(printed->sizes, frame->symbols) ? stated : found.type;
}

/// What the annotation says against what was computed: symbols get values, a library's layout is taken over, other differences are noted.
void Run::reconcile(Geometry& g, const TypePtr& statedType, const Frame& frame, const OpPlan& op) {
    const TensorType* stated = asTensor(statedType);
    if (!stated || !stated->strides) return;
    const auto printed = evaluate(*stated, frame.symbols);
    if (!printed || printed->sizes != g.sizes || printed->dtype != g.dtype || sameStrides(g.sizes, printed->strides, g.strides)) return;
    if (std::find(g.sizes.begin(), g.sizes.end(), 0) != g.sizes.end()) return;
    if (libraryChoosesLayout(op) && denseOrPadded(g.sizes, printed->strides)) {
        g.strides = printed->strides;
        return;
    }
    warnOnce("LAYOUT_STALE", op.op->canonical,
             {{"op", op.op->canonical.str()}, {"printed", stridesText(printed->strides)}, {"computed", stridesText(g.strides)}});
}

RuntimeValue Run::materialise(const TypePtr& type, std::vector<Tensor>& outputs, const NodePlan* node, const Frame* frame, const OpPlan& op,
                              std::size_t position) {
    if (!type) {  // a result that this call does not have
        outputs.emplace_back();
        return {};
    }
    if (const TensorType* t = type->asTensor()) {
        static const SymbolTable none;
        auto g = evaluate(*t, frame ? frame->symbols : none);
        if (!g) failUnsupported("the shape of its result is not known: " + t->str());
        if (node && frame && position < node->stated.size()) reconcile(*g, node->stated[position], *frame, op);
        outputs.push_back(fresh(*g));
        return outputs.back();
    }
    if (const SymInt* s = type->asSym()) {
        const auto value = frame ? s->evaluate(frame->symbols) : s->constant();
        return value ? RuntimeValue(*value) : RuntimeValue();
    }
    RuntimeList list;
    if (const auto* parts = type->asTuple())
        for (std::size_t i = 0; i < parts->size(); ++i) list.push_back(materialise((*parts)[i], outputs, node, frame, op, i));
    return list;
}

// --- kernels -------------------------------------------------------------------------------------------------------------------------------

void Run::runKernel(const Kernel& kernel, OpCall& call) {
    if (call.op && call.op->is(Trait::Random)) {
        call.random = {options_.seed, randomOffset_};
        randomOffset_ += randomSpan(call.outputs.empty() ? 1 : call.outputs[0].numel());
    }
    if (backend_.computes() && options_.maxFlops > 0) {
        const double operations = operationsOf(kernel, call);
        if (operations > options_.maxFlops) failExec("TOO_LARGE", {{"flops", std::to_string(static_cast<std::int64_t>(std::min(operations, 9e18)))}});
    }
    if (kernel.workspace) {
        const std::int64_t bytes = kernel.workspace(call);
        if (bytes > 0) call.workspace = fresh({DType::U8, {bytes}, {1}, 0, Name()}, 0, StorageRole::Workspace);
    }
    backend_.launch(kernel, call);
    call.workspace = {};
    for (KernelNote& note : call.notes) {
        note.params.insert(note.params.begin(), {"node", failure_.node.str()});
        warnOnce(note.code, failure_.node, std::move(note.params));
    }
}

std::optional<Tensor> Run::overDying(const OpPlan& op, const Args& args, const TypePtr& result, const NodePlan& node, const Frame& frame) {
    const TensorType* type = asTensor(result);
    if (!op.kernel->elementwise || !type || node.dies.empty()) return {};
    auto g = evaluate(*type, frame.symbols);
    if (!g) return {};
    if (options_.doubles) g->dtype = doubled(g->dtype);
    const std::int64_t start = g->offset * itemSize(g->dtype);
    const std::int64_t bytes = storageBytes(g->sizes, g->strides, g->offset, itemSize(g->dtype)) - start;
    // All that holds a storage must be this call's arguments and the values that end with it.
    const auto holders = [&](const Storage* s) {
        long n = 0;
        const auto count = [&](const Tensor& t) { n += t.storage.get() == s; };
        for (const RuntimeValue& v : args) v.forEachTensor(count);
        for (const NodeId operand : node.dies) frame.values[operand.value].forEachTensor(count);
        return n;
    };
    for (const RuntimeValue& v : args) {
        const Tensor* t = v.tensor();
        if (!t || !t->storage || t->storage->role != StorageRole::Value || t->storage->bytes == 0 ||
            static_cast<std::int64_t>(t->storage->bytes) != bytes || t->storage->start != start)
            continue;
        const bool sameLayout =
            itemSize(t->dtype) == itemSize(g->dtype) && t->sizes == g->sizes && t->strides == g->strides && t->offset == g->offset;
        if (!sameLayout || selfOverlap(*t) != SelfOverlap::None || t->storage.use_count() != holders(t->storage.get())) continue;
        bool readOtherwise = false;
        for (const RuntimeValue& other : args)
            other.forEachTensor([&](const Tensor& o) { readOtherwise |= o.storage == t->storage && !sameGeometry(o, *t); });
        if (readOtherwise) continue;
        if (!node.stated.empty()) reconcile(*g, node.stated[0], frame, op);
        Tensor out = *t;
        out.dtype = g->dtype;
        out.device = g->device;
        return out;
    }
    return {};
}

void Run::failResultType(const OpPlan& op, const Args& args) {
    std::vector<std::pair<std::string, const Tensor*>> tensors;
    for (std::size_t i = 0; i < args.size() && i < op.op->schema.params.size(); ++i) {
        std::size_t element = 0;
        const bool list = args[i].isList();
        args[i].forEachTensor([&](const Tensor& t) {
            tensors.emplace_back(op.op->schema.params[i].name.str() + (list ? "[" + std::to_string(element++) + "]" : std::string()), &t);
        });
    }
    if (tensors.empty()) failUnsupported("no shape of its result follows from its arguments");
    std::string others;
    for (std::size_t i = 0; i + 1 < tensors.size(); ++i)
        others += (i ? ", " : "") + tensors[i].first + " " + tensors[i].second->type().str(false, false);
    failShape(tensors.back().first, tensors.back().second->type().str(false, false),
              others.empty() ? "one that goes with its other arguments" : "one that goes with " + others);
}

RuntimeValue Run::callKernel(const OpPlan& op, Args args, const NodePlan* node, const Frame* frame) {
    OpCall call;
    call.op = op.op;
    call.name = op.op->canonical;
    const bool fromData = op.kernel->dataDependent;
    conditional_ = conditional_ || fromData;
    RuntimeValue result;
    if (op.kernel->resultTypes && (backend_.computes() || !fromData)) {
        call.args = std::move(args);
        for (const TensorType& t : op.kernel->resultTypes(call)) {
            const auto g = t.dtype == DType::Unknown ? std::nullopt : evaluate(t, {});
            call.outputs.push_back(g ? fresh(*g) : Tensor());
        }
        result = byReturns(op.op->schema, call.outputs);
    } else {
        const TypePtr type = resultType(op, args, node, frame);
        if (!type && !op.op->schema.returns.empty()) fromData ? failUnsupported("its sizes depend on data") : failResultType(op, args);
        const auto taken = type && options_.reuse && node && frame ? overDying(op, args, type, *node, *frame) : std::nullopt;
        if (taken) {
            ledger_.reuse(taken->storage);
            call.outputs = {*taken};
            result = *taken;
        } else if (type) {
            result = materialise(type, call.outputs, node, frame, op);
        }
        call.args = std::move(args);
    }
    runKernel(*op.kernel, call);
    if (op.kernel->casts && call.args[0].tensor() && !call.outputs.empty()) noteCast(call.outputs[0], *call.args[0].tensor());
    return givesNumber(op.op->schema) ? hostRead({result}, node, frame) : result;
}

RuntimeValue Run::uninitialised(const OpPlan& op, const Args& args, const NodePlan* node, const Frame* frame) {
    const TypePtr type = resultType(op, args, node, frame);
    if (!type) failUnsupported("the shape of its result is not known");
    std::vector<Tensor> outputs;
    RuntimeValue result = materialise(type, outputs, node, frame, op);
    if (options_.poison && backend_.computes())
        for (const Tensor& t : outputs) backend_.fillPoison(t);
    return result;
}

/// `item`: the one element as a Python number. A prediction takes the hint of the symbol that the result is.
RuntimeValue Run::hostRead(const Args& args, const NodePlan* node, const Frame* frame) {
    const Tensor* t = args.empty() ? nullptr : args[0].tensor();
    if (!t || t->numel() != 1) failShape("self", t ? t->type().str(false, false) : "no tensor", "one element");
    conditional_ = true;
    if (!backend_.computes()) {
        const SymInt* s = node && frame && !node->stated.empty() && node->stated[0] ? node->stated[0]->asSym() : nullptr;
        if (const auto hint = s ? s->evaluate(frame->symbols) : std::nullopt) return *hint;
        failUnsupported("its value depends on data");
    }
    alignas(16) std::byte raw[16] = {};
    const DType wide = info(t->dtype).floating ? DType::F64 : DType::I64;
    if (t->dtype == wide || t->dtype == DType::B8) {
        backend_.download(raw, *t);
    } else {
        Tensor widened = fresh({wide, t->sizes, contiguousStrides(t->sizes), 0, t->device});
        backend_.copy(widened, *t);
        backend_.download(raw, widened);
    }
    if (t->dtype == DType::B8) return raw[0] != std::byte{0};
    if (wide == DType::F64) {
        double value = 0;
        std::memcpy(&value, raw, sizeof value);
        return value;
    }
    std::int64_t value = 0;
    std::memcpy(&value, raw, sizeof value);
    return value;
}

// --- bodies --------------------------------------------------------------------------------------------------------------------------------

RuntimeValue Run::callBody(const OpPlan& op, Args args) {
    const memory::Site site = ledger_.site();
    const Place place = failure_;
    const std::string label = place.path.empty() ? place.node.str() : place.path + "/" + place.node.str();
    RuntimeValue result = runBody(*op.bodies, op.op->schema, std::move(args), label);
    ledger_.at(site);
    failure_ = place;
    return result;
}

/// Storages that a body must leave alone: those of arguments that are not marked `!` and share nothing with one that is.
std::vector<Run::ReadOnlyArgument> Run::readOnlyArguments(const Schema& schema, const Args& args) const {
    std::vector<ReadOnlyArgument> out;
    if (options_.sanitize == Sanitize::Off || !backend_.computes()) return out;
    std::set<const Storage*> written;
    const auto forEach = [&](bool marked, const std::function<void(Name, const StoragePtr&)>& f) {
        for (std::size_t i = 0; i < args.size() && i < schema.params.size(); ++i)
            if (schema.params[i].written() == marked)
                args[i].forEachTensor([&](const Tensor& t) {
                    if (t.storage) f(schema.params[i].name, t.storage);
                });
    };
    forEach(true, [&](Name, const StoragePtr& s) { written.insert(s.get()); });
    forEach(false, [&](Name param, const StoragePtr& s) {
        if (!written.contains(s.get())) out.push_back({param, s, s->generation});
    });
    return out;
}

RuntimeValue Run::runBody(const std::vector<OpBody>& bodies, const Schema& schema, Args args, std::string_view label) {
    const auto fits = [&](const OpBody& body) {
        const int param = body.whenNone ? schema.paramIndex(body.whenNone) : -1;
        return !body.whenNone || (param >= 0 && static_cast<std::size_t>(param) < args.size() && args[static_cast<std::size_t>(param)].isNone());
    };
    const auto body = std::find_if(bodies.begin(), bodies.end(), fits);
    if (body == bodies.end()) failUnsupported("none of its bodies is for these arguments");
    std::set<memory::StorageId> lent;
    bool fresh = true;  // no return may be an argument
    for (std::size_t r = 0; r < schema.returns.size(); ++r)
        for (std::size_t p = 0; p < schema.params.size(); ++p) fresh = fresh && schema.alias(r, p) == AliasKind::None;
    if (fresh)
        for (const RuntimeValue& v : args)
            v.forEachTensor([&](const Tensor& t) {
                if (t.storage) lent.insert(t.storage->id);
            });
    const Name node = failure_.node;
    const memory::Site owner = ledger_.site();
    const auto untouched = readOnlyArguments(schema, args);
    RuntimeValue result = ownResults(runGraph(body->graph, std::move(args), std::string(label), &owner), lent, node);
    for (const ReadOnlyArgument& a : untouched) {
        if (a.storage->generation == a.generation) continue;
        Finding f{"READ_ONLY_WRITTEN", owner, node, {{"node", node.str()}, {"arg", a.param.str()}}};
        if (observer_) observer_->finding(f);
        findings_.push_back(std::move(f));
    }
    const RuntimeList* list = result.list();
    if (schema.returns.empty()) return {};
    if (schema.returns.size() == 1 && list && list->size() == 1 && !schema.returns[0].type.isList()) return (*list)[0];
    return result;
}

RuntimeValue Run::ownResults(RuntimeValue results, const std::set<memory::StorageId>& lent, Name node) {
    if (auto* list = std::get_if<RuntimeList>(&results.data)) {
        for (RuntimeValue& item : *list) item = ownResults(std::move(item), lent, node);
        return results;
    }
    const Tensor* t = results.tensor();
    if (!t || !t->storage || !lent.contains(t->storage->id)) return results;
    warnOnce("RESULT_CLONED", node, {{"node", node.str()}});
    return copyOf(*t, false);
}

}  // namespace aliascope::exec
