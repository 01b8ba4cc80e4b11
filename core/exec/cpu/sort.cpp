// Sorting along a dimension, the largest k, and runs of equal elements. Sorts are stable, equal elements keep the order of their indices, NaN is larger
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
bool less(C a, C b) { return a < b || (isNaN(b) && !isNaN(a)); }

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
    if (descending) std::stable_sort(line.begin(), line.end(), [](const auto& a, const auto& b) { return less(b.value, a.value); });
    else std::stable_sort(line.begin(), line.end(), [](const auto& a, const auto& b) { return less(a.value, b.value); });
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

// --- runs and sets ---------------------------------------------------------------------------------------------------------------------------

/// A tensor cut into slices along a dimension (or into elements), which are compared as wholes.
class Slices {
public:
    /// `dim` < 0: the elements in row-major order.
    Slices(const Tensor& t, std::int64_t dim) : t_(t), inner_(dim < 0 ? Shape{} : without(t.sizes, dim), {dim < 0 ? Shape{} : without(t.strides, dim)}) {
        if (dim >= 0) {
            const std::int64_t stride = strideAlong(t, dim);
            for (std::int64_t i = 0; i < sizeAlong(t, dim); ++i) starts_.push_back(i * stride);
        } else {
            StridedLoop<1>(t.sizes, {&t}, LoopOrder::Logical).forEach([&](const auto& at) { starts_.push_back(at[0]); });
        }
    }

    std::size_t count() const { return starts_.size(); }
    std::int64_t start(std::size_t i) const { return starts_[i]; }

    /// -1, 0, 1; by the first elements that differ.
    int compare(std::size_t a, std::size_t b) const {
        int order = 0;
        inner_.forEach([&](const auto& at) {
            if (order != 0) return;
            const std::int64_t x = starts_[a] + at[0], y = starts_[b] + at[0];
            if (info(t_.dtype).floating) order = sign(readDouble(t_, x), readDouble(t_, y));
            else order = sign(readInteger(t_, x), readInteger(t_, y));
        });
        return order;
    }

private:
    template <class C>
    static int sign(C a, C b) {
        if (a == b) return 0;
        return less(a, b) ? -1 : 1;  // two NaN differ
    }
    const Tensor& t_;
    StridedLoop<1> inner_;
    std::vector<std::int64_t> starts_;
};

/// Groups of equal slices: members are numbered by group, groups by their order.
struct Groups {
    std::vector<std::size_t> representative, groupOf;
    std::vector<std::int64_t> counts;
};

Groups groupRuns(const Slices& slices, const std::vector<std::size_t>& order) {
    Groups g;
    g.groupOf.resize(slices.count());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || slices.compare(order[i - 1], order[i]) != 0) {
            g.representative.push_back(order[i]);
            g.counts.push_back(0);
        }
        g.groupOf[order[i]] = g.representative.size() - 1;
        ++g.counts.back();
    }
    return g;
}

/// What the overloads of unique ask for.
struct UniqueRequest {
    std::int64_t dim = -1;  ///< -1: the flattened tensor
    bool sorted = false, inverse = false, counts = false;
};

/// PyTorch's kernel for dimensions gives inverse and counts whether asked or not; consecutive along the only dimension is done by the other one when
/// it is written as 0.
bool givesAll(const OpCall& call, std::int64_t dim, std::size_t rank) {
    return !(call.name == "aten::unique_consecutive" && rank == 1 && dim == 0);
}

UniqueRequest uniqueRequest(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    UniqueRequest r;
    r.sorted = !call.name.view().starts_with("aten::unique_consecutive");
    r.inverse = call.arg("return_inverse").boolean().value_or(false);
    r.counts = call.arg("return_counts").boolean().value_or(false);
    for (std::size_t i = 0; call.op && i < call.op->schema.params.size(); ++i)
        if (call.op->schema.params[i].name == "dim" && !call.arg("dim").isNone()) {
            r.dim = call.dim(i, self.rank());
            if (givesAll(call, call.integer(i), self.rank())) r.inverse = r.counts = true;
        }
    return r;
}

Groups uniqueGroups(const Tensor& self, const UniqueRequest& request) {
    const Slices slices(self, self.rank() == 0 ? -1 : request.dim);
    std::vector<std::size_t> order(slices.count());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (request.sorted) std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return slices.compare(a, b) < 0; });
    return groupRuns(slices, order);
}

TensorType denseType(DType dtype, Name device, const Shape& sizes) {
    TensorType t;
    t.dtype = dtype;
    t.device = device;
    t.sizes.assign(sizes.begin(), sizes.end());
    t.strides = TensorType::contiguousStrides(t.sizes);
    return t;
}

/// Results: the unique slices; for every slice its group; the sizes of groups. What is not asked for is empty.
std::vector<TensorType> uniqueTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    const UniqueRequest request = uniqueRequest(call);
    const Groups groups = uniqueGroups(self, request);
    const auto found = static_cast<std::int64_t>(groups.representative.size());
    Shape values{found}, inverse = self.sizes;
    if (request.dim >= 0 && self.rank() > 0) {
        values = self.sizes;
        values[static_cast<std::size_t>(request.dim)] = found;
        inverse = {self.sizes[static_cast<std::size_t>(request.dim)]};
    }
    std::vector<TensorType> types{denseType(self.dtype, self.device, values)};
    types.push_back(denseType(DType::I64, self.device, request.inverse ? inverse : Shape{0}));
    if (call.op && call.op->schema.returns.size() > 2) types.push_back(denseType(DType::I64, self.device, request.counts ? Shape{found} : Shape{0}));
    return types;
}

void unique(OpCall& call) {
    const Tensor& self = call.tensor(0);
    const UniqueRequest request = uniqueRequest(call);
    const std::int64_t dim = self.rank() == 0 ? -1 : request.dim;
    const Groups groups = uniqueGroups(self, request);
    const Slices slices(self, dim);
    for (std::size_t g = 0; g < groups.representative.size(); ++g) {
        Tensor from = self, to = call.out(0);
        if (dim >= 0) {
            to.offset += static_cast<std::int64_t>(g) * strideAlong(to, dim);
            to.sizes = without(to.sizes, dim);
            to.strides = without(to.strides, dim);
        } else {
            to.offset += static_cast<std::int64_t>(g);
            to.sizes = to.strides = {};
        }
        from.offset += slices.start(groups.representative[g]);
        from.sizes = to.sizes;
        from.strides = dim >= 0 ? without(self.strides, dim) : Shape{};
        copyElements(to, from);
    }
    if (call.out(1).numel() > 0)
        for (std::size_t i = 0; i < groups.groupOf.size(); ++i) writeInteger(call.out(1), static_cast<std::int64_t>(i), static_cast<std::int64_t>(groups.groupOf[i]));
    if (call.outputs.size() > 2 && request.counts)
        for (std::size_t g = 0; g < groups.counts.size(); ++g) writeInteger(call.out(2), static_cast<std::int64_t>(g), groups.counts[g]);
}

}  // namespace

void registerSort(KernelTable& t) {
    for (const char* op : {"aten::sort", "aten::sort.stable"}) t.add(op, sort);
    for (const char* op : {"aten::argsort", "aten::argsort.stable"}) t.add(op, argsort);
    t.add("aten::topk", topK);
    for (const char* op : {"aten::unique_consecutive", "aten::unique_dim", "aten::_unique", "aten::_unique2"}) {
        Kernel& k = t.add(op, unique);
        k.resultTypes = uniqueTypes;
        k.dataDependent = true;
    }
}

}  // namespace aliascope::exec
