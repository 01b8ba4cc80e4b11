// auto_functionalized_v2: bases, view encodings, write-back (functionalize.md 6).

#include <algorithm>

#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

const Name kV2("hop::auto_functionalized_v2");

bool knownZero(const std::optional<SymInt>& offset) { return !offset || *offset == SymInt(0); }

}  // namespace

Handle* Functionalizer::baseOf(Handle* h) const {
    Handle* base = h;
    while (base->parent && !base->boundary) base = base->parent;
    if (base == h || !base->parent) return base;
    // [O] An encoding counts from the start of the base's storage; a base that does not start there would move when it is cloned.
    return form_ == Form::Auto && !(base->geometry && knownZero(base->geometry->offset)) ? h : base;
}

std::vector<Keyword> Functionalizer::encodeView(NodeId id, Handle* h, Handle* base, const std::string& prefix, std::int64_t index) {
    std::vector<Keyword> keys;
    const auto key = [&](const char* suffix, Value v) { keys.emplace_back(Name(prefix + suffix), std::move(v)); };
    key("_base_index", Value::integer(index));
    if (h == base) return keys;
    const TensorType &t = *h->geometry, &b = *base->geometry;
    const auto &strides = *t.strides, &baseStrides = *b.strides;
    const SymInt offset = *t.offset, baseOffset = b.offset.value_or(SymInt(0));
    if (t.sizes == b.sizes && strides == baseStrides && offset == baseOffset) {
        key("_alias", Value::boolean(true));
        return keys;
    }
    // Sizes are compared as PyTorch's guards do: by example values where they are known.
    const auto sameSize = [&](const SymInt& x, const SymInt& y) {
        if (x == y) return true;
        const auto hx = x.evaluate(g_.symbols), hy = y.evaluate(g_.symbols);
        return hx && hy && *hx == *hy;
    };
    if (t.rank() == b.rank() && strides == baseStrides) {
        std::vector<std::size_t> different;
        for (std::size_t d = 0; d < t.rank(); ++d)
            if (!sameSize(t.sizes[d], b.sizes[d])) different.push_back(d);
        if (different.size() == 1) {
            const std::size_t d = different[0];
            const SymInt from = form_ == Form::Auto ? offset - baseOffset : offset;
            if (auto start = exactQuotient(h, from, strides[d]); start && (form_ != Form::Auto || fits(*start, t.sizes[d], b.sizes[d]))) {
                if (form_ == Form::V2 && !(baseOffset == SymInt(0))) reportSliceStart(id, h, *start, baseOffset);
                const auto view = [this, h] { return valueOf(h); };
                const SymInt end = *start + t.sizes[d];
                const Value startValue = symbolValue(*start, [&] {
                    return emit(
                        "operator::floordiv"_n,
                        {symbolValue(from, [&] { return emit("aten::sym_storage_offset"_n, {Value::node(view())}); }), symbolValue(strides[d], [&] {
                             return emit("aten::sym_stride.int"_n, {Value::node(view()), Value::integer(static_cast<std::int64_t>(d))});
                         })});
                });
                const Value endValue = symbolValue(end, [&] {
                    return emit("operator::add"_n, {startValue, sizeValue(t.sizes[d], view(), static_cast<std::int64_t>(d))});
                });
                key("_slice_dim", Value::integer(static_cast<std::int64_t>(d)));
                key("_slice_start", startValue);
                key("_slice_end", endValue);
                return keys;
            }
        }
    }
    const auto view = [this, h] { return valueOf(h); };
    std::vector<Value> strideValues;
    for (std::size_t d = 0; d < t.rank(); ++d)
        strideValues.push_back(symbolValue(strides[d], [&] {
            return emit("aten::sym_stride.int"_n, {Value::node(view()), Value::integer(static_cast<std::int64_t>(d))});
        }));
    key("_size", Value::tuple(sizeValues(t.sizes, view)));
    key("_stride", Value::tuple(std::move(strideValues)));
    key("_storage_offset", symbolValue(offset, [&] { return emit("aten::sym_storage_offset"_n, {Value::node(view())}); }));
    return keys;
}

std::optional<SymInt> Functionalizer::exactQuotient(const Handle* h, const SymInt& offset, const SymInt& stride) const {
    const auto o = offset.constant(), s = stride.constant();
    if (s && (*s == 0 || *s == -1)) return *s == 0 ? std::nullopt : std::optional(SymInt(0) - offset);
    if (o && s) return *o % *s == 0 ? std::optional(SymInt(*o / *s)) : std::nullopt;
    if (o && *o == 0) return SymInt(0);
    if (SymInt quotient = floorDiv(offset, stride); quotient * stride == offset) return quotient;
    // Where the division does not simplify, the starts that the program itself wrote may add up to it.
    SymInt start;
    for (const Handle* p = h; p->parent; p = p->parent)
        if (p->step.op == "aten::slice.Tensor"_n && p->step.args.size() > 1)
            if (const auto written = symOf(p->step.args[1])) {
                start = start + *written;
                if (*written * stride == offset) return written;
                if (start * stride == offset) return start;
            }
    return std::nullopt;
}

bool Functionalizer::fits(const SymInt& start, const SymInt& length, const SymInt& size) const {
    return knownLessEqual(SymInt(0), start, g_.symbols) != Tri::No && knownLessEqual(start + length, size, g_.symbols) != Tri::No;
}

void Functionalizer::reportSliceStart(NodeId id, const Handle* h, const SymInt& start, const SymInt& baseOffset) {
    if (!firstTime("SLICE_START_OFFSET", nameOf(h))) return;
    Diagnostic d = warning("SLICE_START_OFFSET", {{"start", start.str()}, {"view", nameOf(h)}, {"offset", baseOffset.str()}, {"node", nameOf(id)}});
    d.node = Name(nameOf(id));
    ctx_.say(std::move(d));
}

/// A view without elements.
bool Functionalizer::showsNothing(const Handle* h) { return h->parent && h->geometry && knownEmpty(*h->geometry); }

bool Functionalizer::encodable(const Handle* h, const Handle* base) const {
    if (h == base) return true;
    if (form_ == Form::Auto && showsNothing(h)) return false;  // its base is neither read nor written
    const auto complete = [](const Handle* x) { return x->geometry && x->geometry->strides && x->geometry->offset; };
    return complete(h) && complete(base) && h->geometry->dtype == base->geometry->dtype;
}

Status Functionalizer::wrapV2(NodeId id, const BoundCall& call, const std::vector<Written>& written) {
    const OpDef& op = *call.op;
    const NodeRef before = ref(g_, id);
    const TypePtr oldType = g_[id].type;
    std::vector<Handle*> bases;
    std::unordered_map<const Handle*, std::int64_t> indexOf;
    const auto indexOfBase = [&](Handle* base) {
        const auto [found, fresh] = indexOf.emplace(base, static_cast<std::int64_t>(bases.size()));
        if (fresh) bases.push_back(base);
        return found->second;
    };
    std::unordered_map<const Storage*, std::vector<const Handle*>> writtenIn;
    for (const Written& w : written) {
        if (!w.handle) continue;
        Handle* base = baseOf(w.handle);
        indexOfBase(encodable(w.handle, base) ? base : w.handle);
        writtenIn[w.handle->storage].push_back(w.handle);
    }
    if (Status s = checkBases(id, bases); !s) return s;

    // [O] A read argument that shows written memory is cut out of the base too, so that it follows the base when that is cloned.
    const auto readsWritten = [&](const Value& v) {
        bool found = false;
        v.forEachNode([&](NodeId used) {
            const Handle* h = knownHandle(used);
            const auto group = h ? writtenIn.find(h->storage) : writtenIn.end();
            if (group != writtenIn.end())
                found = found ||
                        std::any_of(group->second.begin(), group->second.end(), [&](const Handle* w) { return overlap(h, w) != Overlap::Disjoint; });
        });
        return found;
    };
    if (form_ != Form::Auto) reportAliasedReads(id, call, written);
    std::vector<Keyword> kwargs, encodings;
    const auto encode = [&](const std::string& prefix, const Value& v) {
        if (!v.isNode()) {
            encodings.emplace_back(Name(prefix + "_base_index"), Value::none());
            return;
        }
        Handle* h = handleOf(v.asNode());
        Handle* base = baseOf(h);
        if (!encodable(h, base)) base = h;
        for (Keyword& k : encodeView(id, h, base, prefix, indexOfBase(base))) encodings.push_back(std::move(k));
    };
    const auto encodeParam = [&](std::size_t p) {
        const std::string prefix = "_" + op.schema.params[p].name.str();
        const Value& v = call.values[p];
        if (!op.schema.params[p].type.isList()) return encode(prefix, v);
        encodings.emplace_back(Name(prefix + "_length"), v.isNone() ? Value::none() : Value::integer(static_cast<std::int64_t>(v.items().size())));
        for (std::size_t i = 0; i < v.items().size(); ++i) encode(prefix + "_" + std::to_string(i), v.items()[i]);
    };
    std::vector<std::size_t> readOnly;
    for (std::size_t p = 0; p < call.values.size(); ++p) {
        if (op.schema.params[p].written())
            encodeParam(p);
        else if (form_ == Form::Auto && readsWritten(call.values[p]))
            readOnly.push_back(p);
        else
            kwargs.emplace_back(op.schema.params[p].name, current(call.values[p]));
    }
    for (std::size_t p : readOnly) encodeParam(p);
    kwargs.insert(kwargs.end(), encodings.begin(), encodings.end());
    std::vector<Value> baseValues;
    for (Handle* base : bases) baseValues.push_back(Value::node(valueOf(base)));
    kwargs.emplace_back("_all_bases"_n, Value::list(baseValues));

    becomeWrapper(id, kV2, op, std::move(kwargs));
    at_ = g_[id].next;
    std::vector<NodeRef> made{ref(g_, id)};
    takeReturns(id, op, oldType, made);
    const std::size_t firstNew = std::max<std::size_t>(1, op.schema.returns.size());
    std::vector<NodeId> values;
    for (std::size_t i = 0; i < bases.size(); ++i) {
        values.push_back(emitItem(id, Value::integer(static_cast<std::int64_t>(firstNew + i)), g_[baseValues[i].asNode()].type));
        made.push_back(ref(g_, values.back()));
    }
    reportWrapped(id, before, op, "auto_functionalized_v2", std::move(made), written, bases.size());
    for (std::size_t i = 0; i < bases.size(); ++i) {
        if (form_ == Form::Auto && showsNothing(bases[i])) continue;
        if (Status s = write(bases[i], values[i]); !s) return s;
    }
    return {};
}

Status Functionalizer::checkBases(NodeId id, const std::vector<Handle*>& bases) {
    if (form_ == Form::V2) {
        for (const Handle* base : bases) {
            const Handle* root = base->storage->root;
            const bool complex = (base->geometry && info(base->geometry->dtype).complex) || (root->geometry && info(root->geometry->dtype).complex);
            if (complex) return failAt(id, "COMPLEX_BASE", {{"base", nameOf(root)}, {"node", nameOf(id)}});
        }
        return {};
    }
    // Bases of one storage cannot be cut out of one clone when their element types differ or their geometry is unknown; they must not meet.
    std::unordered_map<const Storage*, std::vector<const Handle*>> byStorage;
    for (const Handle* base : bases) {
        auto& group = byStorage[base->storage];
        for (const Handle* other : group) {
            if (overlap(base, other) == Overlap::Disjoint) continue;
            const bool typesDiffer = base->geometry && other->geometry && base->geometry->dtype != other->geometry->dtype;
            return failAt(id, "WRITE_WITHOUT_WRITE_BACK",
                          {{"node", nameOf(id)},
                           {"arg", nameOf(base)},
                           {"why", "the same call writes " + nameOf(other) + ", " +
                                       (typesDiffer ? "which is the same memory as another element type"
                                                    : "and where the two lie in their memory is unknown")}});
        }
        group.push_back(base);
    }
    return {};
}

}  // namespace aliascope::functionalization
