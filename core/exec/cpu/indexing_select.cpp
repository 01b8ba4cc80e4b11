// Elements chosen by what they are: masks, nonzero, unique, isin, repeat_interleave. Sizes of most results depend on data.

#include <algorithm>
#include <numeric>

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/indexing_positions.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

Tensor broadcastTo(const Tensor& t, const Shape& sizes) { return restrided(t, sizes, broadcastStrides(t, sizes), t.offset); }

std::int64_t countTrue(const Tensor& mask) {
    const Dense<std::int64_t> values(mask);
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < mask.numel(); ++i) n += values[i] != 0;
    return n;
}

bool isMask(const Tensor& t) { return t.dtype == DType::B8 || t.dtype == DType::U8; }

void maskedSelect(OpCall& call) {
    const Tensor &self = call.tensor(0), &mask = call.tensor(1), &out = call.out();
    const Shape sizes = broadcastShapes(self.sizes, mask.sizes);
    const Dense<std::int64_t> chosen(broadcastTo(mask, sizes));
    dispatchWidth(self.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        const U* from = self.as<U>();
        U* to = out.as<U>();
        std::int64_t i = 0;
        StridedLoop<1>(sizes, {broadcastStrides(self, sizes)}).forEach([&](const auto& at) {
            if (chosen[i++]) *to++ = from[at[0]];
        });
    });
}

std::vector<TensorType> maskedSelectTypes(const OpCall& call) {
    const Tensor &self = call.tensor(0), &mask = call.tensor(1);
    if (!isMask(mask)) failUnsupported("the mask is not boolean");
    return {rowMajor(self, {countTrue(broadcastTo(mask, broadcastShapes(self.sizes, mask.sizes)))})};
}

/// masked_scatter(self, mask, source): the mask's true places take source's elements in order.
void maskedScatter(OpCall& call) {
    const Tensor &self = call.tensor(0), &mask = call.tensor(1), &source = call.tensor(2), &out = call.out();
    if (!isMask(mask)) failUnsupported("the mask is not boolean");
    if (source.dtype != out.dtype) failUnsupported("self and source have different types");
    const Dense<std::int64_t> chosen(broadcastTo(mask, out.sizes));
    std::int64_t needed = 0;
    for (std::int64_t i = 0; i < out.numel(); ++i) needed += chosen[i] != 0;
    if (needed > source.numel()) failShape("source", std::to_string(source.numel()) + " elements", std::to_string(needed));
    std::vector<std::int64_t> places;
    StridedLoop<1>(source.sizes, {source.strides}).forEach([&](const auto& at) { places.push_back(at[0]); });
    copyElements(out, broadcastTo(self, out.sizes));
    dispatchWidth(out.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        std::int64_t i = 0;
        auto next = places.begin();
        StridedLoop<1>(out.sizes, {out.strides}).forEach([&](const auto& at) {
            if (chosen[i++]) out.as<U>()[at[0]] = source.as<U>()[*next++];
        });
    });
}

/// Row-major numbers of the elements that are not 0; NaN is not.
std::vector<std::int64_t> nonzeroNumbers(const Tensor& t) {
    std::vector<std::int64_t> out;
    dispatchCompute(t.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> values(t);
        for (std::int64_t i = 0; i < t.numel(); ++i)
            if (values[i] != C(0)) out.push_back(i);
    });
    return out;
}

void writeCoordinates(const Tensor& out, const Shape& sizes, const std::vector<std::int64_t>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::int64_t rest = numbers[i];
        for (std::size_t d = sizes.size(); d-- > 0;) {
            writeInteger(out, static_cast<std::int64_t>(i) * out.strides[0] + static_cast<std::int64_t>(d) * out.strides[1], rest % sizes[d]);
            rest /= sizes[d];
        }
    }
}

void nonzero(OpCall& call) { writeCoordinates(call.out(), call.tensor(0).sizes, nonzeroNumbers(call.tensor(0))); }

/// One column after the other in memory.
std::vector<TensorType> nonzeroTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    const auto n = static_cast<std::int64_t>(nonzeroNumbers(self).size());
    TensorType t = rowMajor(self, {n, static_cast<std::int64_t>(self.rank())}, DType::I64);
    t.strides = {SymInt(1), SymInt(n)};
    return {t};
}

void nonzeroStatic(OpCall& call) {
    const Tensor& out = call.out();
    fillScalar(out, RuntimeValue(call.arg("fill_value").integer().value_or(-1)));
    std::vector<std::int64_t> numbers = nonzeroNumbers(call.tensor(0));
    if (static_cast<std::int64_t>(numbers.size()) > out.sizes[0]) numbers.resize(static_cast<std::size_t>(out.sizes[0]));
    writeCoordinates(out, call.tensor(0).sizes, numbers);
}

std::vector<TensorType> nonzeroStaticTypes(const OpCall& call) {
    const std::int64_t size = call.arg("size").integer().value_or(0);
    if (size < 0) failShape("size", std::to_string(size), "0 or more");
    return {rowMajor(call.tensor(0), {size, static_cast<std::int64_t>(call.tensor(0).rank())}, DType::I64)};
}

// --- unique ----------------------------------------------------------------------------------------------------------------------------------

/// What unique operators find: numbers of the elements (or slices) that are kept, which kept one each equals, how often each occurs.
struct Unique {
    std::vector<std::int64_t> kept, inverse, counts;
};

/// `order` lists all items; equal ones side by side become one.
template <class Equal>
Unique mergeRuns(const std::vector<std::int64_t>& order, Equal equal) {
    Unique u;
    u.inverse.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || !equal(order[i - 1], order[i])) {
            u.kept.push_back(order[i]);
            u.counts.push_back(0);
        }
        u.inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(u.kept.size()) - 1;
        ++u.counts.back();
    }
    return u;
}

/// Slices of `t` along dimension `d` (all elements when `whole`), sorted or as they come.
Unique findUnique(const Tensor& t, std::size_t d, bool whole, bool sorted) {
    return dispatchCompute(t.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        Tensor front = t;
        if (!whole)
            for (std::size_t k = d; k > 0; --k) front = transposed(front, k, k - 1);
        const Dense<C> x(front);
        const std::int64_t n = whole ? t.numel() : t.sizes[d], width = n ? t.numel() / n : 0;
        const auto row = [&](std::int64_t i) { return x.data() + i * width; };
        std::vector<std::int64_t> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        if (sorted)
            std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
                for (std::int64_t j = 0; j < width; ++j) {
                    const C p = row(a)[j], q = row(b)[j];
                    if (p != q && !(p != p && q != q)) return p < q || (q != q && p == p);  // NaN last
                }
                return false;
            });
        return mergeRuns(order, [&](std::int64_t a, std::int64_t b) { return std::equal(row(a), row(a) + width, row(b)); });
    });
}

struct UniqueCall {
    std::size_t dim = 0;
    bool whole = true, sorted = true, inverse = false, counts = false;
};

UniqueCall uniqueCall(const OpCall& call) {
    UniqueCall u;
    const Tensor& self = call.tensor(0);
    const std::int64_t n = self.rank() ? static_cast<std::int64_t>(self.rank()) : 1;
    const auto dim = call.arg("dim").integer();
    if (dim && (*dim < -n || *dim >= n)) failShape("dim", std::to_string(*dim), "a dimension of self");
    u.whole = !dim || self.rank() == 0;
    if (!u.whole) u.dim = static_cast<std::size_t>(*dim < 0 ? *dim + n : *dim);
    u.sorted = call.name != "aten::unique_consecutive" && call.name != "aten::unique_dim_consecutive";
    // The form with a dimension gives everything, asked for or not; PyTorch takes dimension 0 of a vector for the other form.
    const bool all = dim && !(u.sorted == false && *dim == 0 && self.rank() == 1);
    u.inverse = all || call.arg("return_inverse").boolean().value_or(false);
    u.counts = all || call.arg("return_counts").boolean().value_or(false);
    return u;
}

void writeList(const Tensor& out, const std::vector<std::int64_t>& values) {
    if (out.numel() == 0) return;
    DenseResult<std::int64_t> to(out);
    std::copy(values.begin(), values.end(), to.data());
    to.store();
}

void unique(OpCall& call) {
    const Tensor& self = call.tensor(0);
    const UniqueCall how = uniqueCall(call);
    const Unique u = findUnique(self, how.dim, how.whole, how.sorted);
    const Tensor& out = call.out();
    if (how.whole) {
        Shape places;
        StridedLoop<1>(self.sizes, {self.strides}).forEach([&](const auto& at) { places.push_back(at[0]); });
        dispatchWidth(self.dtype, [&](auto tag) {
            using U = typename decltype(tag)::type;
            for (std::size_t i = 0; i < u.kept.size(); ++i)
                out.as<U>()[static_cast<std::int64_t>(i) * out.strides[0]] = self.as<U>()[places[static_cast<std::size_t>(u.kept[i])]];
        });
    } else {
        for (std::size_t i = 0; i < u.kept.size(); ++i)
            copyElements(selected(out, how.dim, static_cast<std::int64_t>(i)), selected(self, how.dim, u.kept[i]));
    }
    writeList(call.out(1), u.inverse);
    writeList(call.out(2), u.counts);
}

std::vector<TensorType> uniqueTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    const UniqueCall how = uniqueCall(call);
    const Unique u = findUnique(self, how.dim, how.whole, how.sorted);
    const auto n = static_cast<std::int64_t>(u.kept.size());
    Shape sizes = {n}, inverse = self.sizes;
    if (!how.whole) {
        sizes = self.sizes;
        sizes[how.dim] = n;
        inverse = {self.sizes[how.dim]};
    }
    return {rowMajor(self, sizes), rowMajor(self, how.inverse ? inverse : Shape{0}, DType::I64),
            rowMajor(self, how.counts ? Shape{n} : Shape{0}, DType::I64)};
}

// --- isin, repeat_interleave -------------------------------------------------------------------------------------------------------------------

void isin(OpCall& call) {
    const Tensor& out = call.out();
    const bool invert = call.arg("invert").boolean().value_or(false);
    const auto numbers = [&](std::size_t i, std::vector<double>& values) {
        if (const Tensor* t = call.args.at(i).tensor()) {
            const Dense<double> d(*t);
            values.assign(d.data(), d.data() + t->numel());
        } else {
            values.push_back(call.number(i));
        }
    };
    std::vector<double> elements, tests;
    numbers(0, elements);
    numbers(1, tests);
    std::sort(tests.begin(), tests.end());
    DenseResult<std::int64_t> to(out);
    for (std::size_t i = 0; i < elements.size(); ++i)
        to[static_cast<std::int64_t>(i)] = std::binary_search(tests.begin(), tests.end(), elements[i]) != invert;
    to.store();
}

std::vector<TensorType> isinTypes(const OpCall& call) {
    const Tensor* elements = call.args.at(0).tensor();
    const Tensor& like = elements ? *elements : call.tensor(1);
    return {rowMajor(like, elements ? elements->sizes : Shape(), DType::B8)};
}

/// repeat_interleave(repeats): i, repeats[i] times, for every i.
void repeatInterleave(OpCall& call) {
    const Dense<std::int64_t> repeats(call.tensor(0));
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < call.tensor(0).numel(); ++i) out.insert(out.end(), static_cast<std::size_t>(repeats[i]), i);
    writeList(call.out(), out);
}

std::vector<TensorType> repeatInterleaveTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    if (self.rank() != 1 || (self.dtype != DType::I64 && self.dtype != DType::I32)) failShape("repeats", self.str(), "1 dimension of integers");
    const Dense<std::int64_t> repeats(self);
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < self.numel(); ++i)
        if (repeats[i] < 0 || __builtin_add_overflow(total, repeats[i], &total) || total > (std::int64_t{1} << 40))
            failShape("repeats", std::to_string(repeats[i]), "counts");
    if (const auto asked = call.arg("output_size").integer(); asked && *asked != total)
        failShape("output_size", std::to_string(*asked), std::to_string(total));
    return {rowMajor(self, {total}, self.dtype)};
}

}  // namespace

void registerSelect(KernelTable& table) {
    const auto addSized = [&](const char* op, KernelFn run, ResultTypesFn types) {
        Kernel& k = table.add(op, run);
        k.resultTypes = types;
        k.dataDependent = true;
    };
    addSized("aten::masked_select", maskedSelect, maskedSelectTypes);
    table.add("aten::masked_scatter", maskedScatter);
    addSized("aten::nonzero", nonzero, nonzeroTypes);
    table.add("aten::nonzero_static", nonzeroStatic).resultTypes = nonzeroStaticTypes;
    for (const char* op : {"aten::_unique2", "aten::unique_consecutive", "aten::unique_dim", "aten::unique_dim_consecutive"})
        addSized(op, unique, uniqueTypes);
    for (const char* op : {"aten::isin.Tensor_Tensor", "aten::isin.Tensor_Scalar", "aten::isin.Scalar_Tensor"})
        table.add(op, isin).resultTypes = isinTypes;
    addSized("aten::repeat_interleave.Tensor", repeatInterleave, repeatInterleaveTypes);
}

}  // namespace aliascope::exec
