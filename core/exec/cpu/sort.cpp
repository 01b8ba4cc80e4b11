// Sorting along a dimension, and the largest k. Sorts are stable, equal elements keep the order of their indices, NaN is larger
// than everything.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/reduce.h"

namespace aliascope::exec {
namespace {

template <class C>
struct Ranked {
    C value;
    std::int64_t index;
};

template <class C>
bool less(C a, C b) {
    return a < b || (isNaN(b) && !isNaN(a));
}

/// Elements of a line with their indices.
template <class C, std::size_t N>
void readLine(const Lines<N>& lines, std::int64_t offset, std::vector<Ranked<C>>& out) {
    out.clear();
    lines.template blocks<C>(offset, [&](const C* x, std::int64_t n, std::int64_t first) {
        for (std::int64_t i = 0; i < n; ++i) out.push_back({x[i], first + i});
    });
}

template <class C>
void sortLine(std::vector<Ranked<C>>& line, bool descending) {
    if (descending)
        std::stable_sort(line.begin(), line.end(), [](const auto& a, const auto& b) { return less(b.value, a.value); });
    else
        std::stable_sort(line.begin(), line.end(), [](const auto& a, const auto& b) { return less(a.value, b.value); });
}

std::int64_t strideAlong(const Tensor& t, std::int64_t dim) { return t.rank() ? t.strides[static_cast<std::size_t>(dim)] : 1; }
std::int64_t sizeAlong(const Tensor& t, std::int64_t dim) { return t.rank() ? t.sizes[static_cast<std::size_t>(dim)] : 1; }

/// The first elements of every line in order, as many as `out` has room for; `values` or `indices` may be null.
template <class Order>
void orderLines(const Tensor& in, std::int64_t dim, const Tensor* values, const Tensor* indices, std::int64_t count, Order order) {
    const Tensor &first = values ? *values : *indices, &second = indices ? *indices : *values;
    const Lines<2> lines(in, oneDim(dim, in.rank()), {&first, &second});
    for (const Tensor* t : {&first, &second})
        if (sizeAlong(*t, dim) != count) failShape("result", shapeText(t->sizes), std::to_string(count) + " in dimension " + std::to_string(dim));
    dispatchCompute(in.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        std::vector<Ranked<C>> line;
        lines.forEach([&](const auto& at) {
            readLine(lines, at[2], line);
            order(line);
            for (std::int64_t i = 0; i < count; ++i) {
                const Ranked<C>& item = line[static_cast<std::size_t>(i)];
                if (values) storeBlock(*values, at[0] + i * strideAlong(*values, dim), 0, 1, &item.value);
                if (indices) writeInteger(*indices, at[1] + i * strideAlong(*indices, dim), item.index);
            }
        });
    });
}

void sort(OpCall& call) {
    const Tensor& in = call.tensor(0);
    const bool descending = call.arg("descending").boolean().value_or(false);
    const std::int64_t dim = call.op && call.op->schema.params.size() == 4 ? call.dim(2, in.rank()) : call.dim(1, in.rank());
    orderLines(in, dim, &call.out(0), &call.out(1), sizeAlong(in, dim), [=](auto& line) { sortLine(line, descending); });
}

void argsort(OpCall& call) {
    const Tensor& in = call.tensor(0);
    const bool descending = call.arg("descending").boolean().value_or(false);
    const std::int64_t dim = call.op && call.op->schema.params.size() == 4 ? call.dim(2, in.rank()) : call.dim(1, in.rank());
    orderLines(in, dim, nullptr, &call.out(), sizeAlong(in, dim), [=](auto& line) { sortLine(line, descending); });
}

/// topk(self, k, dim, largest, sorted).
void topK(OpCall& call) {
    const Tensor& in = call.tensor(0);
    const std::int64_t k = call.integer(1), dim = call.dim(2, in.rank());
    const bool largest = call.flag(3);
    if (k < 0 || k > sizeAlong(in, dim))
        failExec("INDEX_OUT_OF_RANGE", {{"value", std::to_string(k)}, {"pos", "0"}, {"arg", "k"}, {"limit", std::to_string(sizeAlong(in, dim))}});
    orderLines(in, dim, &call.out(0), &call.out(1), k, [=](auto& line) {
        std::partial_sort(line.begin(), line.begin() + k, line.end(), [largest](const auto& a, const auto& b) {
            if (less(a.value, b.value)) return !largest;
            if (less(b.value, a.value)) return largest;
            return a.index < b.index;
        });
    });
}

}  // namespace

void registerSort(KernelTable& t) {
    for (const char* op : {"aten::sort", "aten::sort.stable"}) t.add(op, sort);
    for (const char* op : {"aten::argsort", "aten::argsort.stable"}) t.add(op, argsort);
    t.add("aten::topk", topK);
}

}  // namespace aliascope::exec
