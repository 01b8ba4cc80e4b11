// In-place, out= and metadata operators of ATen (functionalize.md 2.3).

#include <algorithm>
#include <cstdint>

#include "core/passes/functional_wrappers.h"
#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

const Name kFull("aten::full");
const Name kAlias("aten::alias");
const Name kSetItem("operator::setitem");

/// Views that an operator with a trailing underscore makes of its own operand, where the name alone does not lead there.
Name viewOfMetadataOp(const OpRegistry& ops, const OpDef& op) {
    static const std::unordered_map<Name, Name> table = {
        {Name("aten::transpose_"), Name("aten::transpose.int")},   {Name("aten::swapaxes_"), Name("aten::transpose.int")},
        {Name("aten::swapdims_"), Name("aten::transpose.int")},    {Name("aten::t_"), Name("aten::t")},
        {Name("aten::squeeze_"), Name("aten::squeeze")},           {Name("aten::squeeze_.dim"), Name("aten::squeeze.dim")},
        {Name("aten::squeeze_.dims"), Name("aten::squeeze.dims")}, {Name("aten::unsqueeze_"), Name("aten::unsqueeze")},
        {Name("aten::as_strided_"), Name("aten::as_strided")},     {Name("aten::detach_"), Name("aten::detach")},
    };
    const auto found = table.find(op.canonical);
    return found != table.end() && ops.find(found->second) ? found->second : Name();
}

/// Functional counterpart of Python's augmented assignment on tensors.
Name augmentedCounterpart(Name op, bool tensorOperand) {
    static const std::unordered_map<Name, std::pair<Name, Name>> table = {
        {Name("operator::iadd"), {Name("aten::add.Tensor"), Name("aten::add.Tensor")}},
        {Name("operator::isub"), {Name("aten::sub.Tensor"), Name("aten::sub.Tensor")}},
        {Name("operator::imul"), {Name("aten::mul.Tensor"), Name("aten::mul.Tensor")}},
        {Name("operator::itruediv"), {Name("aten::div.Tensor"), Name("aten::div.Tensor")}},
        {Name("operator::ipow"), {Name("aten::pow.Tensor_Tensor"), Name("aten::pow.Tensor_Scalar")}},
        {Name("operator::imod"), {Name("aten::remainder.Tensor"), Name("aten::remainder.Scalar")}},
        {Name("operator::ifloordiv"), {Name("aten::floor_divide"), Name("aten::floor_divide.Scalar")}},
        {Name("operator::iand"), {Name("aten::bitwise_and.Tensor"), Name("aten::bitwise_and.Scalar")}},
        {Name("operator::ior"), {Name("aten::bitwise_or.Tensor"), Name("aten::bitwise_or.Scalar")}},
        {Name("operator::ixor"), {Name("aten::bitwise_xor.Tensor"), Name("aten::bitwise_xor.Scalar")}},
    };
    const auto found = table.find(op);
    if (found == table.end()) return {};
    return tensorOperand ? found->second.first : found->second.second;
}

bool isAugmented(Name op) { return !augmentedCounterpart(op, true).empty(); }

/// Functional operators whose name or overload does not follow from that of the mutating one, with the same parameters.
const OpDef* counterpart(const OpRegistry& ops, const OpDef& op) {
    if (const OpDef* functional = ops.functionalOf(op)) return functional;
    static const std::unordered_map<Name, Name> table = {
        {Name("aten::native_batch_norm"), Name("aten::_native_batch_norm_legit_functional")},
        {Name("aten::_native_batch_norm_legit"), Name("aten::_native_batch_norm_legit_functional")},
        {Name("aten::_batch_norm_with_update"), Name("aten::_batch_norm_with_update_functional")},
        {Name("aten::normal_"), Name("aten::normal_functional")},
        {Name("aten::bernoulli_.float"), Name("aten::bernoulli.p")},
        {Name("aten::rrelu_with_noise"), Name("aten::rrelu_with_noise_functional")},
        {Name("aten::_fused_moving_avg_obs_fq_helper"), Name("aten::_fused_moving_avg_obs_fq_helper_functional")},
    };
    const auto found = table.find(op.canonical);
    return found == table.end() ? nullptr : ops.find(found->second);
}

/// Not dense at the example values of its symbols.
bool surelyNotDense(TensorType t, const SymbolTable& symbols) {
    if (!t.strides) return false;
    const auto settle = [&](std::vector<SymInt>& numbers) {
        for (SymInt& n : numbers) {
            const auto value = n.evaluate(symbols);
            if (!value) return false;
            n = SymInt(*value);
        }
        return true;
    };
    return settle(t.sizes) && settle(*t.strides) && !isDense(t);
}

/// Element `i` of every list that is as long as the written one; other values as they are.
Value elementOf(const Value& v, std::size_t i, std::size_t length) {
    return v.isSequence() && v.items().size() == length ? Value::list({v.items()[i]}) : v;
}

}  // namespace

bool needsFunctionalizing(const OpRegistry& ops, const Graph& g, NodeId id) {
    const Node& n = g[id];
    if (n.kind != NodeKind::CallFunction) return false;
    if (n.op == "hop::triton_kernel_wrapper_mutation"_n) return true;
    if (isAugmented(n.op) || n.op == kSetItem) return g[id].arg(0).isNode() && g[n.arg(0).asNode()].tensor();
    const OpDef* op = ops.find(n.op);
    if (!op || op->schema.ns == "inductor"_n) return false;
    if (op->is(Trait::HandleOnly)) return !viewOfMetadataOp(ops, *op).empty();
    if (!op->silentWrites.empty()) return !writtenOperands(ops, g, id).empty();
    return op->schema.isMutable();
}

Status Functionalizer::call(NodeId id) {
    const Node& n = g_[id];
    if (n.is(kGetItem)) return item(id);
    if (n.kind == NodeKind::CallFunction && !keptCopies_.contains(id)) {
        if (isAugmented(n.op) || n.op == kSetItem) return operatorCall(id);
        if (n.op == "hop::triton_kernel_wrapper_mutation"_n) return launch(id);
        const OpDef* op = ops_.find(n.op);
        if (isViewCall(id, op)) return viewCall(id, *op);
        if (op && needsFunctionalizing(ops_, g_, id)) {
            if (op->is(Trait::HandleOnly)) return metadataCall(id, *op);
            if (op->is(Trait::Resizes)) return setCall(id, *op);
            static const std::unordered_set<Name> ownRules = {Name("aten"), Name("prim"), Name("prims"), Name("_c10d_functional"),
                                                              Name("quantized_decomposed")};
            return ownRules.contains(op->schema.ns) ? atenWrite(id, *op) : customCall(id, *op);
        }
    }
    return otherCall(id);
}

Result<std::vector<Functionalizer::Written>> Functionalizer::writtenOf(NodeId id, const BoundCall& call) {
    std::vector<Written> out;
    const auto add = [&](std::size_t param, int element, const Value& v) -> Status {
        if (!v.isNode() && !v.isNone())
            return failAt(id, "WRITE_WITHOUT_WRITE_BACK",
                          {{"node", nameOf(id)}, {"arg", call.op->schema.params[param].name.str()}, {"why", "it is not a tensor of the graph"}});
        out.push_back({param, element, v.isNode() ? handleOf(v.asNode()) : nullptr});
        return {};
    };
    std::vector<std::size_t> params = call.op->schema.writtenParams();
    for (Name silent : call.op->silentWrites)
        if (const int index = call.op->schema.paramIndex(silent); index >= 0) params.push_back(static_cast<std::size_t>(index));
    for (std::size_t param : params) {
        const Value& v = call.values[param];
        if (!v.isSequence()) {
            if (Status s = add(param, -1, v); !s) return fail(s.error());
            continue;
        }
        for (std::size_t i = 0; i < v.items().size(); ++i)
            if (Status s = add(param, static_cast<int>(i), v.items()[i]); !s) return fail(s.error());
    }
    return out;
}

Status Functionalizer::atenWrite(NodeId id, const OpDef& op) {
    auto bound = bindCall(ops_, g_[id]);
    if (!bound) return fail(bound.error());
    auto written = writtenOf(id, *bound);
    if (!written) return fail(written.error());
    for (const Written& w : *written)
        if (w.handle)
            if (Status s = checkWrite(w.handle, false); !s) return s;
    const OpDef* functional = counterpart(ops_, op);
    if (functional && !written->empty() && (*written)[0].element >= 0 && elementsDepend(*bound, *written)) {
        if (form_ == Form::Auto) return foreachByElement(id, *written, *functional);
        if (firstTime("ALIASED_READ", op.canonical.view())) {
            const std::string list = op.schema.params[(*written)[0].param].name.str();
            Diagnostic d = warning("ALIASED_READ", {{"arg", "an element of " + list}, {"other", "elements of " + list}, {"node", nameOf(id)}});
            d.node = Name(nameOf(id));
            ctx_.say(std::move(d));
        }
    }

    const bool byIndex = functional && !functional->is(Trait::Pointwise) && written->size() == 1;
    Value aliased = form_ == Form::Auto && byIndex ? aliasedReads(*bound, *written) : Value();
    const NodeRef before = ref(g_, id);
    const std::string_view name = candidateName(op.canonical);
    const bool fill = name == "zero_" || op.canonical == "aten::fill_.Scalar"_n;
    syncOperands(id);
    bound = bindCall(ops_, g_[id]);

    if (fill && (*written)[0].handle) {
        Handle* self = (*written)[0].handle;
        const auto& t = self->geometry;
        if (t && t->dtype != DType::Unknown && !t->device.empty()) {
            std::vector<Value> sizes = sizeValues(t->sizes, [&] { return valueOf(self); });
            const Value value = name == "zero_" ? Value::integer(0) : bound->values[1];
            const Name dtype("torch." + std::string(info(t->dtype).torchName));
            become(id, kFull, {Value::list(std::move(sizes)), value},
                   {{"dtype"_n, Value::constant(dtype)},
                    {"layout"_n, Value::constant("torch.strided"_n)},
                    {"device"_n, Value::device(t->device)},
                    {"pin_memory"_n, Value::boolean(false)}});
            rewrite("functionalize-in-place", {before}, {ref(g_, id)});
            setHandle(id, self);
            at_ = g_[id].next;
            return write(self, id);
        }
    }
    if (!functional) {
        const auto params = op.schema.writtenParams();
        const std::string arg = !params.empty() ? op.schema.params[params[0]].name.str() : op.silentWrites.empty() ? "" : op.silentWrites[0].str();
        return failAt(id, "NO_COUNTERPART", {{"op", op.canonical.str()}, {"arg", arg}, {"node", nameOf(id)}});
    }
    std::vector<Value> args = g_[id].args;
    std::vector<Keyword> kwargs;
    for (const Keyword& k : g_[id].kwargs)
        if (functional->schema.paramIndex(k.first) >= 0) kwargs.push_back(k);
    // What the mutating operator has a default for, and its counterpart has not, is stated.
    const auto& params = functional->schema.params;
    for (std::size_t p = args.size(); p < params.size(); ++p) {
        const bool stated = std::any_of(kwargs.begin(), kwargs.end(), [&](const Keyword& k) { return k.first == params[p].name; });
        if (const Value* v = bound->find(params[p].name); !stated && !params[p].defaultValue && v) kwargs.emplace_back(params[p].name, *v);
    }
    const TypePtr oldType = g_[id].type;
    become(id, functional->canonical, std::move(args), std::move(kwargs));
    if (aliased.isSequence() && !aliased.items().empty()) g_.setMeta(id, kReadsOwnMemory, std::move(aliased));
    std::vector<NodeRef> made{ref(g_, id)};
    at_ = g_[id].next;
    Status s = storeResults(id, op, *functional, *written, oldType, made);
    rewrite(op.schema.isOut() ? "functionalize-out" : "functionalize-in-place", {before}, std::move(made));
    return s;
}

Value Functionalizer::aliasedReads(const BoundCall& call, const std::vector<Written>& written) const {
    std::vector<Value> names;
    for (std::size_t p = 0; p < call.values.size(); ++p) {
        bool meets = false;
        call.values[p].forEachNode([&](NodeId read) {
            const Handle* h = knownHandle(read);
            for (const Written& w : written) {
                if (!h || !h->geometry || !w.handle || !w.handle->geometry || w.param == p) continue;
                // PyTorch sees overlap between dense tensors and refuses the call; the functional form may run all the same.
                const bool runs = surelyNotDense(*h->geometry, g_.symbols) || surelyNotDense(*w.handle->geometry, g_.symbols);
                meets = meets || (runs && overlap(w.handle, h) != Overlap::Disjoint);
            }
        });
        if (meets) names.push_back(Value::string(call.op->schema.params[p].name));
    }
    return Value::list(std::move(names));
}

bool Functionalizer::elementsDepend(const BoundCall& call, const std::vector<Written>& written) {
    struct Operand {
        std::size_t element;
        const Handle* handle;
        bool written;
    };
    std::vector<Operand> operands;
    const std::size_t length = written.size();
    for (const Written& w : written)
        if (w.handle) operands.push_back({static_cast<std::size_t>(w.element), w.handle, true});
    for (std::size_t p = 0; p < call.values.size(); ++p) {
        if (!call.values[p].isSequence() || call.values[p].items().size() != length || p == written[0].param) continue;
        for (std::size_t i = 0; i < length; ++i)
            if (const Value& v = call.values[p].items()[i]; v.isNode())
                if (const Handle* h = knownHandle(v.asNode())) operands.push_back({i, h, false});
    }
    std::unordered_map<const Storage*, std::vector<const Operand*>> byStorage;
    for (const Operand& o : operands) byStorage[o.handle->storage].push_back(&o);
    std::size_t pairs = 0;
    for (const auto& [storage, group] : byStorage)
        for (const Operand* a : group)
            for (const Operand* b : group) {
                if (!a->written || a->element == b->element || (b->written && b->element < a->element)) continue;
                if (++pairs > 4096 || overlap(a->handle, b->handle) != Overlap::Disjoint) return true;
            }
    return false;
}

Status Functionalizer::foreachByElement(NodeId id, const std::vector<Written>& written, const OpDef& functional) {
    // Element by element, in list order, as eager runs it: an earlier element may write what a later one reads.
    const NodeRef before = ref(g_, id);
    const std::vector<Value> args = g_[id].args;
    const std::vector<Keyword> kwargs = g_[id].kwargs;
    const std::size_t length = written.size();
    std::vector<NodeRef> made;
    for (std::size_t i = 0; i < length; ++i) {
        std::vector<Value> elementArgs;
        for (const Value& v : args) elementArgs.push_back(current(elementOf(v, i, length)));
        std::vector<Keyword> elementKwargs;
        for (const auto& [key, v] : kwargs) elementKwargs.emplace_back(key, current(elementOf(v, i, length)));
        NodeId piece = id;
        if (i + 1 < length) {
            piece = emit(functional.canonical, std::move(elementArgs), std::move(elementKwargs));
        } else {
            become(id, functional.canonical, std::move(elementArgs), std::move(elementKwargs));
            at_ = g_[id].next;
        }
        made.push_back(ref(g_, piece));
        if (!written[i].handle) continue;
        const NodeId part = emitResult(piece, 0, written[i].handle);
        made.push_back(ref(g_, part));
        if (Status s = write(written[i].handle, part); !s) return s;
    }
    rewrite("functionalize-in-place", {before}, std::move(made));
    return {};
}

NodeId Functionalizer::emitResult(NodeId tuple, std::int64_t index, const Handle* written) {
    const NodeId part = emitItem(tuple, Value::integer(index), nullptr);
    if (!g_[part].type && written && written->geometry) g_.setType(part, Type::tensor(*written->geometry), Trust::Assumed);
    return part;
}

Status Functionalizer::storeResults(NodeId id, const OpDef& op, const OpDef& functional, const std::vector<Written>& written, const TypePtr& oldType,
                                    std::vector<NodeRef>& made) {
    // The functional operator returns what the mutating one makes afresh, then the new values of what it writes.
    const Schema& schema = op.schema;
    std::size_t fresh = 0;
    for (const SchemaReturn& r : schema.returns)
        if (!r.type.written()) ++fresh;
    std::vector<std::size_t> params;
    for (const Written& w : written)
        if (params.empty() || params.back() != w.param) params.push_back(w.param);
    const std::size_t results = functional.schema.returns.size();
    if (results != fresh + params.size())
        return failAt(id, "NO_COUNTERPART",
                      {{"op", op.canonical.str()}, {"arg", params.empty() ? "" : schema.params[params[0]].name.str()}, {"node", nameOf(id)}});

    const auto component = [&](std::size_t k, const Handle* h) {
        if (results == 1) return id;
        const NodeId part = emitResult(id, static_cast<std::int64_t>(k), h);
        made.push_back(ref(g_, part));
        return part;
    };
    // Components are taken before anything is put back, so that they stand beside the call.
    std::vector<std::pair<const Written*, NodeId>> values;
    NodeId list;
    std::size_t listParam = schema.params.size();
    for (const Written& w : written) {
        const std::size_t k = fresh + static_cast<std::size_t>(std::find(params.begin(), params.end(), w.param) - params.begin());
        if (!w.handle) continue;
        if (w.element < 0) {
            values.emplace_back(&w, component(k, w.handle));
            continue;
        }
        if (listParam != w.param) list = component(k, nullptr);
        listParam = w.param;
        const NodeId part = emitResult(list, w.element, w.handle);
        made.push_back(ref(g_, part));
        values.emplace_back(&w, part);
    }
    const bool returnsTuple = schema.returns.size() > 1;
    if (!returnsTuple && fresh == 1 && results > 1 && g_.hasUsers(id)) {
        const NodeId part = emitItem(id, Value::integer(0), oldType);
        made.push_back(ref(g_, part));
        setHandle(id, newRoot(id, part));
    }
    if (returnsTuple && fresh < schema.returns.size()) {
        std::vector<Handle*>& handles = resultHandles_[id];
        handles.assign(schema.returns.size(), nullptr);
        for (std::size_t r = 0; r < schema.returns.size(); ++r)
            for (const Written& w : written)
                if (w.element < 0 && schema.alias(r, w.param) == AliasKind::Same) handles[r] = w.handle;
    } else if (!returnsTuple && schema.returns.size() == 1 && schema.returns[0].type.written() && !schema.returns[0].type.isList()) {
        for (const Written& w : written)
            if (w.handle && schema.alias(0, w.param) == AliasKind::Same) setHandle(id, w.handle);
    }
    for (const auto& [w, value] : values) {
        if (schema.isOut())
            if (Status s = resizeOut(w->handle, value); !s) return s;
        if (Status s = write(w->handle, value); !s) return s;
    }
    return {};
}

Status Functionalizer::resizeOut(Handle* h, NodeId value) {
    const TensorType* t = g_[value].tensor();
    if (!t || !h->geometry || t->sizes == h->geometry->sizes) return {};
    for (const SymInt& s : t->sizes)
        if (!s.isConst()) return {};
    for (const SymInt& s : h->geometry->sizes)
        if (!s.isConst()) return {};
    if (h->parent || h->storage->handles > 1 || h->storage->input)
        return failAt(origin_, "RESIZE_OF_VIEW", {{"node", nameOf(origin_)}, {"view", nameOf(h)}, {"other", nameOf(h->storage->root)}});
    h->geometry = *t;
    return {};
}

Status Functionalizer::metadataCall(NodeId id, const OpDef& op) {
    // The tensor itself becomes the view: what names it from now on means the view.
    auto bound = bindCall(ops_, g_[id]);
    if (!bound) return fail(bound.error());
    if (!bound->values[0].isNode()) return {};
    Handle* self = handleOf(bound->values[0].asNode());
    const NodeRef before = ref(g_, id);
    const Name view = viewOfMetadataOp(ops_, op);
    const TypePtr oldType = g_[id].type;
    g_.setCall(id, spellOp(view), view);
    g_.rename(id, candidateName(view));
    const OpDef& viewOp = *ops_.find(view);
    if (Status s = viewCall(id, viewOp); !s) return s;
    Handle* changed = knownHandle(id);
    if (!changed) return {};
    if (auto geometry = viewGeometryOf(id, self)) changed->geometry = std::move(geometry);
    if (changed->step.op.empty())
        setHandle(id, self);
    else
        self->replacedBy = changed;
    rewrite("functionalize-metadata", {before}, {ref(g_, id)});
    return {};
}

Status Functionalizer::setCall(NodeId id, const OpDef& op) {
    auto bound = bindCall(ops_, g_[id]);
    if (!bound) return fail(bound.error());
    if (!bound->values[0].isNode()) return {};
    Handle* self = handleOf(bound->values[0].asNode());
    const auto refuse = [&] {
        return failAt(id, "RESIZE_OF_VIEW", {{"node", nameOf(id)}, {"view", nameOf(self)}, {"other", nameOf(self->storage->root)}});
    };
    const NodeRef before = ref(g_, id);
    Handle* result = self;
    if (op.canonical == "aten::set_.source_Tensor"_n && bound->values[1].isNode()) {
        result = handleOf(bound->values[1].asNode());
        if (result == self) return refuse();
        self->storage->frozen = true;
        self->storage->swapped = self->storage->input.valid();
        self->replacedBy = result;
    } else {
        // A resize that changes nothing is allowed.
        const bool sizes = candidateName(op.canonical) == "resize_" && self->geometry && bound->values.size() > 1;
        if (!sizes || bound->values[1].items().size() != self->geometry->rank()) return refuse();
        for (std::size_t d = 0; d < self->geometry->rank(); ++d) {
            const auto size = symOf(bound->values[1].items()[d]);
            if (!size || !(*size == self->geometry->sizes[d])) return refuse();
        }
    }
    become(id, kAlias, {Value::node(valueOf(result))}, {});
    setHandle(id, result);
    rewrite("functionalize-set", {before}, {ref(g_, id)});
    return {};
}

Status Functionalizer::operatorCall(NodeId id) {
    const Node& n = g_[id];
    const NodeId target = n.arg(0).asNode();
    if (!needsFunctionalizing(ops_, g_, id)) {
        syncOperands(id);
        return {};
    }
    Handle* self = handleOf(target);
    if (Status s = checkWrite(self, false); !s) return s;
    const NodeRef before = ref(g_, id);
    if (n.op == kSetItem) return setItemCall(id, self);
    const Value other = n.arg(1);
    const Name functional = augmentedCounterpart(n.op, other.isNode() && g_[other.asNode()].tensor());
    if (!ops_.find(functional)) return failAt(id, "NO_COUNTERPART", {{"op", n.op.str()}, {"arg", nameOf(target)}, {"node", nameOf(id)}});
    syncOperands(id);
    become(id, functional, g_[id].args, {});
    rewrite("functionalize-in-place", {before}, {ref(g_, id)});
    setHandle(id, self);
    at_ = g_[id].next;
    return write(self, id);
}

Status Functionalizer::setItemCall(NodeId id, Handle* self) {
    // x[i, a:b, …] = v: the views that the index means, then `copy_` into the last of them.
    const NodeRef before = ref(g_, id);
    const Value index = g_[id].arg(1), source = current(g_[id].arg(2));
    const std::vector<Value> parts = index.isSequence() ? index.items() : std::vector<Value>{index};
    const auto refuse = [&](std::string why) {
        return failAt(id, "WRITE_WITHOUT_WRITE_BACK", {{"node", nameOf(id)}, {"arg", nameOf(self)}, {"why", std::move(why)}});
    };
    if (!self->geometry) return refuse("the rank of what is indexed is unknown");
    Handle* h = self;
    std::int64_t dim = 0;
    for (const Value& part : parts) {
        const bool isIndex = part.isInt() || (symOf(part) && part.kind() != Value::Kind::Bool);
        ViewStep step;
        if (part.kind() == Value::Kind::Ellipsis) {
            std::int64_t rest = static_cast<std::int64_t>(self->geometry->rank());
            for (const Value& p : parts) rest -= p.kind() == Value::Kind::Ellipsis ? 0 : 1;
            dim += rest;
            continue;
        }
        if (isIndex) {
            step = {"aten::select.int"_n, {Value::integer(dim), part}, {}, -1};
        } else if (part.kind() == Value::Kind::Slice) {
            const auto& bounds = part.items();
            const bool whole = bounds[0].isNone() && bounds[1].isNone() && bounds[2].isNone();
            if (whole) {
                ++dim;
                continue;
            }
            step = {
                "aten::slice.Tensor"_n,
                {Value::integer(dim), bounds[0].isNone() ? Value::integer(0) : bounds[0], bounds[1].isNone() ? Value::integer(INT64_MAX) : bounds[1]},
                {},
                -1};
            if (!bounds[2].isNone()) step.args.push_back(bounds[2]);
            ++dim;
        } else {
            return refuse("the index is neither numbers nor slices");
        }
        std::vector<Value> args{Value::node(valueOf(h))};
        args.insert(args.end(), step.args.begin(), step.args.end());
        const NodeId view = emit(step.op, std::move(args));
        h = addView(h, std::move(step), view, view, viewGeometryOf(view, h));
    }
    const NodeId destination = valueOf(h);
    NodeId stored = source.asNode();
    if (stored && g_[stored].tensor())
        become(id, "aten::copy"_n, {Value::node(destination), source}, {});
    else
        become(id, "aten::fill.Scalar"_n, {Value::node(destination), source}, {});
    rewrite("functionalize-in-place", {before}, {ref(g_, id)});
    at_ = g_[id].next;
    return write(h, id);
}

}  // namespace aliascope::functionalization
