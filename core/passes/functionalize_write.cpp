// Writing: a new value of a view is put back into its storage by the inverses of the views that lead to it (functionalize.md 2.2, 2.4, 2.6).

#include <algorithm>
#include <cstdint>

#include "core/passes/functionalize_state.h"
#include "core/passes/layouts.h"

namespace aliascope::functionalization {
namespace {

const Name kAsStridedScatter("aten::as_strided_scatter");
const Name kSliceScatter("aten::slice_scatter");
const Name kToCopy("aten::_to_copy");
const Name kViewDtype("aten::view.dtype");
const Name kViewAsComplex("aten::view_as_complex");

bool changesUnit(const Handle* h) { return h->step.op == kViewDtype || h->step.op == kViewAsReal || h->step.op == kViewAsComplex; }

}  // namespace

bool overlapsItself(const TensorType& t) {
    if (!t.strides) return false;
    std::vector<std::pair<std::int64_t, std::int64_t>> dims;  // stride, size
    bool known = true;
    for (std::size_t d = 0; d < t.rank(); ++d) {
        const auto size = t.sizes[d].constant(), stride = (*t.strides)[d].constant();
        if (size == 0) return false;
        if (size == 1) continue;
        if (stride == 0) return true;  // also of a symbolic size: PyTorch's symbols of sizes stand for 2 and more
        known = known && size && stride && *stride != INT64_MIN;
        if (known) dims.emplace_back(std::abs(*stride), *size);  // a mirrored dimension addresses the same elements
    }
    if (!known) return false;
    std::sort(dims.begin(), dims.end());
    std::int64_t reach = 0, count = 1;
    bool nested = true;
    for (const auto& [stride, size] : dims) {
        nested = nested && stride > reach;
        if (size > 1'000'000 || stride > (std::int64_t{1} << 40)) return !nested;
        reach += stride * (size - 1);
        count *= size;
        if (count > 1'000'000 || reach > (std::int64_t{1} << 40)) return !nested;
    }
    if (nested) return false;
    std::unordered_set<std::int64_t> seen;
    std::vector<std::int64_t> offsets{0};
    for (const auto& [stride, size] : dims) {
        std::vector<std::int64_t> next;
        for (std::int64_t i = 0; i < size; ++i)
            for (std::int64_t o : offsets) next.push_back(o + i * stride);
        offsets = std::move(next);
    }
    for (std::int64_t o : offsets)
        if (!seen.insert(o).second) return true;
    return false;
}

Status Functionalizer::checkWrite(Handle* h, bool selfOverlapAllowed) {
    if (h->storage->frozen)
        return failAt(origin_, "WRITE_AFTER_SET", {{"node", nameOf(origin_)}, {"view", nameOf(h)}, {"other", nameOf(h->storage->root)}});
    if (Status s = checkKnownAliases(*h->storage); !s) return s;
    const auto& t = h->geometry;
    if (!t || !t->strides) return {};
    if (h->storage->root->repeats && h->parent)
        return failAt(
            origin_, "WRITE_WITHOUT_WRITE_BACK",
            {{"node", nameOf(origin_)}, {"arg", nameOf(h)}, {"why", "several positions of " + nameOf(h->storage->root) + " are one element"}});
    for (std::size_t d = 0; d < t->rank(); ++d) {
        const auto size = t->sizes[d].evaluate(g_.symbols);
        if ((*t->strides)[d].constant() == std::optional<std::int64_t>(0) && size.value_or(2) > 1)
            return failAt(origin_, "WRITE_TO_EXPANDED",
                          {{"view", nameOf(h)}, {"dim", std::to_string(d)}, {"size", t->sizes[d].str()}, {"node", nameOf(origin_)}});
    }
    if (!selfOverlapAllowed && overlapsItself(*t))
        return failAt(origin_, "WRITE_WITHOUT_WRITE_BACK",
                      {{"node", nameOf(origin_)}, {"arg", nameOf(h)}, {"why", "several of its positions are one element"}});
    return {};
}

Handle* Functionalizer::unitRoot(Handle* h) const {
    while (h->parent && !changesUnit(h)) h = h->parent;
    return h;
}

void Functionalizer::restoreLayout(Storage& storage) {
    Handle* root = storage.root;
    const Node& value = g_[root->value];
    const TensorType* have = value.tensor();
    if (!have || value.trust == Trust::Assumed || !root->geometry || !have->strides || !root->geometry->strides) return;
    if (have->rank() != root->geometry->rank() || *have->strides == *root->geometry->strides) return;
    if (!unitStrides_ && sameStrides(*have, *root->geometry)) return laidOtherwise_.push_back(root->value);
    // A scatter has the strides of its first operand, gaps included; this one replaces every element.
    const NodeId laid =
        emit(kSliceScatter, {Value::node(storage.first), Value::node(root->value), Value::integer(0), Value::integer(0), Value::integer(INT64_MAX)},
             {}, Type::tensor(*root->geometry));
    rewrite("restore-layout", {ref(g_, root->value)}, {ref(g_, laid)});
    root->value = laid;
    root->generation = ++storage.generation;
}

Status Functionalizer::putBack(Handle* h, NodeId value) {
    std::vector<NodeRef> made;
    std::string inverses;
    const auto took = [&](NodeId id) {
        made.push_back(ref(g_, id));
        // A long chain of views is told by its first steps.
        if (made.size() <= 4)
            inverses += (inverses.empty() ? "" : ", ") + std::string(candidateName(g_[id].op));
        else if (made.size() == 5)
            inverses += ", …";
    };
    Handle* p = h;
    while (p->parent) {
        if (!p->repeats && hasInverse(p)) {
            auto inverse = invert(p, value);
            if (!inverse) return fail(inverse.error());
            if (*inverse != value) took(*inverse);
            value = *inverse;
            p = p->parent;
            continue;
        }
        // Any view of known geometry is a strided window of its storage: put it back there, past the views in between.
        Handle* unit = unitRoot(p);
        const auto& t = p->geometry;
        if (unit == p || !t || !t->strides || !t->offset || overlapsItself(*t))
            return failAt(origin_, "NO_INVERSE",
                          {{"view_op", p->step.op.str()}, {"view", nameOf(p)}, {"base", nameOf(h->storage->root)}, {"node", nameOf(origin_)}});
        const NodeId view = p->value;
        std::vector<Value> strides;
        for (std::size_t d = 0; d < t->rank(); ++d)
            strides.push_back(symbolValue((*t->strides)[d], [&] {
                return emit("aten::sym_stride.int"_n, {Value::node(view), Value::integer(static_cast<std::int64_t>(d))});
            }));
        std::vector<Value> sizes = sizeValues(t->sizes, [&] { return view; });
        Value offset = symbolValue(*t->offset, [&] { return emit("aten::sym_storage_offset"_n, {Value::node(view)}); });
        const NodeId base = valueOf(unit);
        value = emit(kAsStridedScatter,
                     {Value::node(base), Value::node(value), Value::list(std::move(sizes)), Value::list(std::move(strides)), std::move(offset)}, {},
                     g_[base].type);
        took(value);
        p = unit;
    }
    if (h->parent) {
        rewrite("write-back", {ref(g_, origin_)}, made);
        decide(origin_, "WRITE_BACK", nameOf(h),
               {{"view", nameOf(h)}, {"base", nameOf(h->storage->root)}, {"inverse", inverses.empty() ? "the value itself" : inverses}});
    }
    h->storage->root->value = value;
    return {};
}

Status Functionalizer::write(Handle* h, NodeId value) {
    Storage& storage = *h->storage;
    if (const TensorType* t = g_[value].tensor();
        t && h->geometry && t->dtype != h->geometry->dtype && t->dtype != DType::Unknown && h->geometry->dtype != DType::Unknown) {
        TensorType cast = *t;
        cast.dtype = h->geometry->dtype;
        const Name torchName("torch." + std::string(info(cast.dtype).torchName));
        value = emit(kToCopy, {Value::node(value)}, {{"dtype"_n, Value::constant(torchName)}, {"layout"_n, Value::constant("torch.strided"_n)}},
                     Type::tensor(std::move(cast)));
        rewrite("cast-to-written", {ref(g_, origin_)}, {ref(g_, value)});
    }
    for (NodeId view : std::exchange(storage.undecided, {}))
        if (firstTime("UNRESOLVED_ALIAS", g_[view].name.view())) {
            Diagnostic d = warning("UNRESOLVED_ALIAS", {{"node", nameOf(view)}, {"base", nameOf(storage.root)}, {"assumed", "a view"}});
            d.node = Name(nameOf(view));
            ctx_.say(std::move(d));
        }
    if (Status s = putBack(h, value); !s) return s;
    storage.root->generation = ++storage.generation;
    storage.writer = origin_;
    storage.written = true;
    return {};
}

}  // namespace aliascope::functionalization
