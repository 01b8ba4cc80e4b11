#include "core/passes/reinplace_save.h"

#include <algorithm>
#include <limits>

#include "core/analysis/footprint.h"
#include "core/passes/new_nodes.h"

namespace aliascope {
namespace {

struct Range {
    std::int64_t first = 0, last = 0;
};

/// Elements of the storage that a value spans; nothing for empty, symbolic, or negatively strided ones.
std::optional<Range> rangeOf(const TensorType& t) {
    if (!t.strides || !t.offset || !t.offset->constant() || t.strides->size() != t.sizes.size()) return std::nullopt;
    Range r;
    r.first = r.last = *t.offset->constant();
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
        const auto size = t.sizes[d].constant(), stride = (*t.strides)[d].constant();
        std::int64_t reach = 0;
        if (!size || !stride || *size < 1 || *stride < 0 || __builtin_mul_overflow(*size - 1, *stride, &reach)) return std::nullopt;
        if (__builtin_add_overflow(r.last, reach, &r.last)) return std::nullopt;
    }
    return r;
}

Value integers(const std::vector<SymInt>& numbers) {
    std::vector<Value> items;
    for (const SymInt& n : numbers) items.push_back(Value::integer(n.constant().value_or(0)));
    return Value::list(std::move(items));
}

}  // namespace

std::optional<OldValuePlan> planOldValue(const Graph& g, const ReinplaceIndex& index, const std::vector<StorageUse>& readers) {
    OldValuePlan plan;
    std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = -1;
    const TensorType* model = nullptr;
    for (const StorageUse& use : readers) {
        if (std::find(plan.values.begin(), plan.values.end(), use.value) != plan.values.end()) continue;
        const TensorType* t = index.geometry(use.value);
        const auto range = t ? rangeOf(*t) : std::nullopt;
        if (!range || itemSize(t->dtype) == 0) return std::nullopt;
        if (model && (model->dtype != t->dtype || !index.alias().sameStorage(use.value, plan.values.front()))) return std::nullopt;
        model = t;
        plan.values.push_back(use.value);
        first = std::min(first, range->first);
        last = std::max(last, range->last);
    }
    if (!model || !g.contains(plan.values.front())) return std::nullopt;
    plan.first = first;
    plan.length = last - first + 1;
    plan.plain = plan.values.size() == 1 && isDense(*model);
    if (__builtin_mul_overflow(plan.length, static_cast<std::int64_t>(itemSize(model->dtype)), &plan.bytes)) return std::nullopt;
    return plan;
}

SavedValues saveOldValues(Graph& g, const PassContext& ctx, const OldValuePlan& plan, const ReinplaceIndex& index, NodeId writer) {
    NewNodes make(g, ctx.ops(), writer);
    SavedValues out;
    const auto call = [&](Name op, std::vector<Value> args) {
        out.made.push_back(make.call(op, std::move(args)));
        return out.made.back();
    };
    const Value base = Value::node(plan.values.front());
    if (plan.plain) {
        out.clone = call("aten::clone"_n, {base});
        out.saved = {out.clone};
        return out;
    }
    const NodeId flat = call("aten::as_strided"_n, {base, Value::list({Value::integer(plan.length)}), Value::list({Value::integer(1)}),
                                                    Value::integer(plan.first)});
    out.clone = call("aten::clone"_n, {Value::node(flat)});
    for (NodeId value : plan.values) {
        const TensorType& t = *index.geometry(value);
        out.saved.push_back(call("aten::as_strided"_n, {Value::node(out.clone), integers(t.sizes), integers(*t.strides),
                                                        Value::integer(t.offset->constant().value_or(0) - plan.first)}));
    }
    return out;
}

}  // namespace aliascope
