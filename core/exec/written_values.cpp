#include "core/exec/written_values.h"

#include <algorithm>

namespace aliascope::exec {
namespace {

using IntegerOf = std::function<std::optional<std::int64_t>(const Value&)>;

void flatten(const RuntimeValue& v, std::vector<Tensor>& out) {
    if (v.isNone()) return;
    v.forEachTensor([&](const Tensor& t) { out.push_back(t); });
}

std::optional<Shape> shapeOf(const Value* list, const IntegerOf& integer) {
    if (!list || !list->isSequence()) return std::nullopt;
    Shape out;
    for (const Value& item : list->items()) {
        const auto n = integer(item);
        if (!n) return std::nullopt;
        out.push_back(*n);
    }
    return out;
}

/// The view of a base that the wrapper's arguments `PREFIX_…` describe; without storage when they cannot be evaluated.
Tensor viewOf(const Node& n, const std::string& prefix, const RuntimeList& bases, const IntegerOf& integer) {
    const auto given = [&](const char* suffix) { return n.kwarg(Name(prefix + suffix)); };
    const Value* index = given("_base_index");
    const auto at = index ? index->asInt() : std::nullopt;
    if (!at || *at < 0 || *at >= static_cast<std::int64_t>(bases.size())) return {};
    const Tensor* base = bases[static_cast<std::size_t>(*at)].tensor();
    if (!base || !base->storage) return {};
    Tensor view = *base;
    if (const Value* dim = given("_slice_dim")) {
        const Value *start = given("_slice_start"), *end = given("_slice_end");
        const auto d = integer(*dim), from = start ? integer(*start) : std::optional<std::int64_t>(0), to = end ? integer(*end) : std::nullopt;
        if (!d || !from || !to || *d < 0 || *d >= static_cast<std::int64_t>(view.rank())) return {};
        std::int64_t& size = view.sizes[static_cast<std::size_t>(*d)];
        const auto clamped = [&](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + size : i, 0, size); };
        const std::int64_t begin = clamped(*from), stop = std::max(begin, clamped(*to));
        view.offset += begin * view.strides[static_cast<std::size_t>(*d)];
        size = stop - begin;
    } else if (given("_size")) {
        const auto sizes = shapeOf(given("_size"), integer), strides = shapeOf(given("_stride"), integer);
        const Value* offset = given("_storage_offset");
        const auto begin = offset ? integer(*offset) : std::nullopt;
        if (!sizes || !strides || !begin || sizes->size() != strides->size()) return {};
        view.sizes = *sizes;
        view.strides = *strides;
        view.offset = *begin;
    }
    const bool negative = view.offset < 0 || std::any_of(view.sizes.begin(), view.sizes.end(), [](std::int64_t s) { return s < 0; }) ||
                          std::any_of(view.strides.begin(), view.strides.end(), [](std::int64_t s) { return s < 0; });
    std::int64_t end = 0;
    if (negative || __builtin_add_overflow(view.offset, view.extent(), &end) || __builtin_mul_overflow(end, view.itemSize(), &end)) return {};
    const std::int64_t start = view.storage->start;
    const bool inside =
        (view.storage->hasRoom || view.offset * view.itemSize() >= start) && end <= start + static_cast<std::int64_t>(view.storage->bytes);
    return view.numel() > 0 && !inside ? Tensor() : view;
}

/// The last `count` items of a wrapper's tuple.
RuntimeList lastItems(const RuntimeValue& result, std::size_t count) {
    const RuntimeList* list = result.list();
    if (!list) return count == 1 ? RuntimeList{result} : RuntimeList{};
    if (list->size() < count) return {};
    return RuntimeList(list->end() - static_cast<std::ptrdiff_t>(count), list->end());
}

}  // namespace

const OpDef* wrappedOperator(const OpRegistry& ops, const Node& n) {
    if (!n.is("hop::auto_functionalized"_n) && !n.is("hop::auto_functionalized_v2"_n)) return nullptr;
    return n.arg(0).kind() == Value::Kind::Op ? ops.find(n.arg(0).name()) : nullptr;
}

std::vector<NodeId> writtenNodes(const OpRegistry& ops, const Graph& g, NodeId id) {
    std::vector<NodeId> out;
    for (const WrittenOperand& w : writtenOperands(ops, g, id)) out.push_back(w.value);
    return out;
}

std::vector<Tensor> writtenByWrapper(const OpRegistry& ops, const Node& n, const RuntimeValue& result, const IntegerOf& integer) {
    std::vector<Tensor> out;
    if (n.is("hop::triton_kernel_wrapper_functional"_n)) {
        flatten(result, out);
        return out;
    }
    const OpDef* op = wrappedOperator(ops, n);
    if (!op) return out;
    const auto written = op->schema.writtenParams();
    if (n.is("hop::auto_functionalized"_n)) {
        for (const RuntimeValue& item : lastItems(result, written.size())) flatten(item, out);
        return out;
    }
    const Value* listed = n.kwarg("_all_bases"_n);
    const RuntimeList bases = lastItems(result, listed ? listed->items().size() : 0);
    constexpr std::int64_t longestList = 10'000;
    for (const std::size_t i : written) {
        const std::string prefix = "_" + op->schema.params[i].name.str();
        if (const Value* length = n.kwarg(Name(prefix + "_length"))) {
            const std::int64_t count = std::clamp<std::int64_t>(length->asInt().value_or(0), 0, longestList);
            for (std::int64_t k = 0; k < count; ++k)
                if (const std::string element = prefix + "_" + std::to_string(k); n.kwarg(Name(element + "_base_index")))
                    out.push_back(viewOf(n, element, bases, integer));
        } else if (const Value* index = n.kwarg(Name(prefix + "_base_index")); index && !index->isNone()) {
            out.push_back(viewOf(n, prefix, bases, integer));
        }
    }
    return out;
}

}  // namespace aliascope::exec
