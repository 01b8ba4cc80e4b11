// Matrix products (executor.md 2.3, matmul): result = beta * self + alpha * (product), summed in the wide type, one rounding. beta 0 ignores self.

#include <optional>

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/matmul_gemm.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

/// beta and alpha of a call, and the tensor that beta multiplies; null = a plain product.
struct Addend {
    const Tensor* self = nullptr;
    double beta = 0, alpha = 1;
};

void checkShapes(const Tensor& a, const Tensor& b, std::size_t rank, std::string_view argument) {
    if (a.rank() != rank || b.rank() != rank) failShape(argument, shapeText(b.sizes), std::to_string(rank) + " dimensions");
    if (a.sizes[rank - 1] != b.sizes[rank - 2])
        failShape(argument, shapeText(b.sizes), std::to_string(a.sizes[rank - 1]) + " in dimension " + std::to_string(rank - 2));
    if (rank == 3 && a.sizes[0] != b.sizes[0]) failShape(argument, shapeText(b.sizes), "a batch of " + std::to_string(a.sizes[0]));
}

/// Memory of a 2-d tensor of C as it lies.
template <class C>
MatrixView<C> asMatrix(const Tensor& t) {
    return {t.as<C>(), t.sizes[0], t.sizes[1], t.strides[0], t.strides[1]};
}

/// A 2-d operand: the tensor's own memory when it has the type, else packed in the order in which it lies.
template <class C>
class Operand {
public:
    explicit Operand(const Tensor& t) {
        if (t.dtype == kDTypeOf<C>) {
            view_ = asMatrix<const C>(t);
        } else if (t.strides[0] < t.strides[1]) {
            packed_.emplace(transposed(t, 0, 1));
            view_ = rowMajorMatrix<const C>(packed_->data(), t.sizes[1], t.sizes[0]).transposed();
        } else {
            packed_.emplace(t);
            view_ = rowMajorMatrix<const C>(packed_->data(), t.sizes[0], t.sizes[1]);
        }
    }
    MatrixView<const C> view() const { return view_; }

private:
    std::optional<Dense<C>> packed_;
    MatrixView<const C> view_;
};

template <class C>
bool writesInPlace(const Tensor& out) {
    return out.dtype == kDTypeOf<C> && (out.strides[1] == 1 || out.strides[0] == 1);
}

/// out[m,n] = beta * self + alpha * sum over the pairs of a[m,k] b[k,n].
template <class C>
void addProducts(Precision precision, const Tensor& out, const std::vector<std::pair<Tensor, Tensor>>& pairs, const Addend& addend) {
    const auto alpha = static_cast<C>(addend.alpha);
    auto beta = static_cast<C>(addend.self ? addend.beta : 0);
    std::optional<DenseResult<C>> buffer;
    MatrixView<C> c;
    if (writesInPlace<C>(out)) {
        c = asMatrix<C>(out);
        if (beta != C(0)) copyElements(out, *addend.self);
    } else {
        buffer.emplace(out);
        c = rowMajorMatrix<C>(buffer->data(), out.sizes[0], out.sizes[1]);
        if (beta != C(0)) {
            const Shape strides = broadcastStrides(*addend.self, out.sizes);
            Dense<C>::load(restrided(*addend.self, out.sizes, strides, addend.self->offset), buffer->data());
        }
    }
    for (const auto& [a, b] : pairs) {
        const Operand<C> left(a), right(b);
        gemm<C>(precision, alpha, left.view(), right.view(), beta, c);
        beta = C(1);
    }
    if (buffer) buffer->store();
}

void addProducts(const OpCall& call, const Tensor& out, const std::vector<std::pair<Tensor, Tensor>>& pairs, const Addend& addend) {
    const DType dtype = pairs.front().first.dtype;
    if (pairs.front().second.dtype != dtype) failUnsupported("the factors have different types");
    dispatchSums(call, dtype, [&](auto tag) { addProducts<typename decltype(tag)::type>(call.precision, out, pairs, addend); });
}

Addend addendOf(const OpCall& call) { return {&call.tensor(0), call.arg("beta").number().value_or(1), call.arg("alpha").number().value_or(1)}; }

void mm(OpCall& call) {
    checkShapes(call.tensor(0), call.tensor(1), 2, "mat2");
    addProducts(call, call.out(), {{call.tensor(0), call.tensor(1)}}, {});
}

void addmm(OpCall& call) {
    checkShapes(call.tensor(1), call.tensor(2), 2, "mat2");
    addProducts(call, call.out(), {{call.tensor(1), call.tensor(2)}}, addendOf(call));
}

void batched(OpCall& call, const Tensor& a, const Tensor& b, const Addend& addend) {
    checkShapes(a, b, 3, "batch2");
    Tensor self;
    if (addend.self) self = restrided(*addend.self, call.out().sizes, broadcastStrides(*addend.self, call.out().sizes), addend.self->offset);
    for (std::int64_t i = 0; i < a.sizes[0]; ++i) {
        Addend part = addend;
        const Tensor row = addend.self ? selected(self, 0, i) : Tensor();
        if (addend.self) part.self = &row;
        addProducts(call, selected(call.out(), 0, i), {{selected(a, 0, i), selected(b, 0, i)}}, part);
    }
}

void bmm(OpCall& call) { batched(call, call.tensor(0), call.tensor(1), {}); }
void baddbmm(OpCall& call) { batched(call, call.tensor(1), call.tensor(2), addendOf(call)); }

void addbmm(OpCall& call) {
    const Tensor &a = call.tensor(1), &b = call.tensor(2);
    checkShapes(a, b, 3, "batch2");
    std::vector<std::pair<Tensor, Tensor>> pairs;
    for (std::int64_t i = 0; i < a.sizes[0]; ++i) pairs.emplace_back(selected(a, 0, i), selected(b, 0, i));
    if (pairs.empty()) pairs.emplace_back(restrided(a, {a.sizes[1], 0}, {1, 1}, 0), restrided(b, {0, b.sizes[2]}, {1, 1}, 0));
    addProducts(call, call.out(), pairs, addendOf(call));
}

Tensor asColumn(const Tensor& v) { return restrided(v, {v.sizes[0], 1}, {v.strides[0], 1}, v.offset); }
Tensor asRow(const Tensor& v) { return restrided(v, {1, v.sizes[0]}, {1, v.strides[0]}, v.offset); }

void checkVector(const Tensor& v, std::string_view argument) {
    if (v.rank() != 1) failShape(argument, shapeText(v.sizes), "1 dimension");
}

void matrixVector(OpCall& call, const Tensor& a, const Tensor& v, const Addend& addend) {
    checkVector(v, "vec");
    const Tensor column = asColumn(v);
    checkShapes(a, column, 2, "vec");
    Tensor self;
    Addend part = addend;
    if (addend.self) {
        self = asColumn(restrided(*addend.self, call.out().sizes, broadcastStrides(*addend.self, call.out().sizes), addend.self->offset));
        part.self = &self;
    }
    addProducts(call, asColumn(call.out()), {{a, column}}, part);
}

void mv(OpCall& call) { matrixVector(call, call.tensor(0), call.tensor(1), {}); }
void addmv(OpCall& call) { matrixVector(call, call.tensor(1), call.tensor(2), addendOf(call)); }

void addr(OpCall& call) {
    checkVector(call.tensor(1), "vec1");
    checkVector(call.tensor(2), "vec2");
    Addend addend = addendOf(call);
    Tensor a = asColumn(call.tensor(1)), b = asRow(call.tensor(2));
    if (a.dtype != b.dtype) failUnsupported("the factors have different types");
    addProducts(call, call.out(), {{a, b}}, addend);
}

void outer(OpCall& call) {
    checkVector(call.tensor(0), "self");
    checkVector(call.tensor(1), "vec2");
    addProducts(call, call.out(), {{asColumn(call.tensor(0)), asRow(call.tensor(1))}}, {});
}

void dot(OpCall& call) {
    const Tensor &a = call.tensor(0), &b = call.tensor(1);
    checkVector(a, "self");
    checkVector(b, "tensor");
    if (a.sizes != b.sizes) failShape("tensor", shapeText(b.sizes), shapeText(a.sizes));
    addProducts(call, restrided(call.out(), {1, 1}, {1, 1}, call.out().offset), {{asRow(a), asColumn(b)}}, {});
}

/// _grouped_mm(a, b, offs): group g of the rows (or columns, or of the summed dimension) ends at offs[g].
void grouped(OpCall& call) {
    const Tensor &a = call.tensor(0), &b = call.tensor(1);
    const Tensor* ends = call.optionalTensor(2);
    if (a.rank() == 3 && b.rank() == 3) return batched(call, a, b, {});
    if (!ends || ends->rank() != 1) failShape("offs", ends ? shapeText(ends->sizes) : "None", "1 dimension");
    const Tensor& out = call.out();
    if (a.rank() != 2 && a.rank() != 3) failShape("self", shapeText(a.sizes), "2 or 3 dimensions");
    if (b.rank() != 2 && b.rank() != 3) failShape("mat2", shapeText(b.sizes), "2 or 3 dimensions");
    const std::int64_t groups = ends->sizes[0], limit = a.rank() == 3 ? b.sizes[1] : b.rank() == 3 ? a.sizes[0] : a.sizes[1];
    if (a.rank() == 3 && a.sizes[0] != groups) failShape("self", shapeText(a.sizes), std::to_string(groups) + " groups");
    if (b.rank() == 3 && b.sizes[0] != groups) failShape("mat2", shapeText(b.sizes), std::to_string(groups) + " groups");
    fillScalar(out, 0.0);  // what no group covers
    std::int64_t start = 0;
    for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t end = readInteger(*ends, g * ends->strides[0]);
        if (end < start || end > limit)
            failExec("INDEX_OUT_OF_RANGE",
                     {{"value", std::to_string(end)}, {"pos", std::to_string(g)}, {"arg", "offs"}, {"limit", std::to_string(limit + 1)}});
        const std::int64_t size = end - start;
        Tensor left = a, right = b, result = out;
        if (a.rank() == 3)
            left = selected(a, 0, g), right = narrowed(b, 1, start, size), result = narrowed(out, 1, start, size);
        else if (b.rank() == 3)
            left = narrowed(a, 0, start, size), right = selected(b, 0, g), result = narrowed(out, 0, start, size);
        else
            left = narrowed(a, 1, start, size), right = narrowed(b, 0, start, size), result = selected(out, 0, g);
        checkShapes(left, right, 2, "mat2");
        addProducts(call, result, {{left, right}}, {});
        start = end;
    }
}

/// _scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype): 8-bit floats times one number, or one for each row of self and column of
/// mat2.
void scaledMm(OpCall& call) {
    const Tensor &a = call.tensor(0), &b = call.tensor(1), &out = call.out();
    const Tensor* bias = call.optionalTensor(4);
    checkShapes(a, b, 2, "mat2");
    const auto scales = [](const Tensor& t, std::int64_t each, std::string_view argument) {
        if (t.numel() != 1 && t.numel() != each) failShape(argument, shapeText(t.sizes), "1 or " + std::to_string(each) + " elements");
        const Dense<double> values(t);
        std::vector<double> all(static_cast<std::size_t>(each), t.numel() == 1 ? values[0] : 0);
        if (t.numel() != 1) std::copy_n(values.data(), each, all.begin());
        return all;
    };
    const std::vector<double> rows = scales(call.tensor(2), a.sizes[0], "scale_a"), columns = scales(call.tensor(3), b.sizes[1], "scale_b");
    std::vector<double> shift(static_cast<std::size_t>(b.sizes[1]), 0);
    if (bias) shift = scales(*bias, b.sizes[1], "bias");
    const auto run = [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Operand<C> left(a), right(b);
        std::vector<C> product(static_cast<std::size_t>(out.numel()));
        gemm<C>(call.precision, C(1), left.view(), right.view(), C(0), rowMajorMatrix(product.data(), a.sizes[0], b.sizes[1]));
        DenseResult<C> result(out);
        for (std::int64_t i = 0; i < a.sizes[0]; ++i)
            for (std::int64_t j = 0; j < b.sizes[1]; ++j) {
                const auto column = static_cast<std::size_t>(j);
                const double sum = static_cast<double>(product[static_cast<std::size_t>(i * b.sizes[1] + j)]);
                result[i * b.sizes[1] + j] = static_cast<C>(sum * rows[static_cast<std::size_t>(i)] * columns[column] + shift[column]);
            }
        result.store();
    };
    if (call.precision == Precision::Reference)
        run(DTypeTag<double>());
    else
        run(DTypeTag<float>());
}

/// linear(input, weight, bias): the last dimension of `input` against the last of `weight`.
void linear(OpCall& call) {
    const Tensor &x = call.tensor(0), &w = call.tensor(1);
    const Tensor* bias = call.optionalTensor(2);
    if (w.rank() != 2 || x.rank() == 0 || x.sizes.back() != w.sizes[1])
        failShape("weight", shapeText(w.sizes), "[out, " + std::to_string(x.rank() ? x.sizes.back() : 0) + "]");
    const Tensor& out = call.out();
    const Tensor weight = transposed(w, 0, 1);
    // Rows that lie one after the other are one matrix; else each matrix of the outer dimensions by itself.
    const auto flat = [](const Tensor& t) {
        const std::int64_t last = t.sizes.back();
        return restrided(t, {last ? t.numel() / last : 0, last}, {last, 1}, t.offset);
    };
    Addend addend;
    if (bias) addend = {bias, 1, 1};
    if (x.isContiguous() && out.isContiguous()) return addProducts(call, flat(out), {{flat(x), weight}}, addend);
    if (x.rank() == 1) return addProducts(call, asRow(out), {{asRow(x), weight}}, addend);
    if (x.rank() == 2) return addProducts(call, out, {{x, weight}}, addend);
    StridedLoop<2> loop(Shape(x.sizes.begin(), x.sizes.end() - 1),
                        {Shape(x.strides.begin(), x.strides.end() - 1), Shape(out.strides.begin(), out.strides.end() - 1)});
    loop.forEach([&](const auto& at) {
        const Tensor row = restrided(x, {1, x.sizes.back()}, {1, x.strides.back()}, x.offset + at[0]);
        addProducts(call, restrided(out, {1, out.sizes.back()}, {1, out.strides.back()}, out.offset + at[1]), {{row, weight}}, addend);
    });
}

/// matmul(a, b): vectors become matrices, outer dimensions are broadcast.
void matmul(OpCall& call) {
    Tensor a = call.tensor(0), b = call.tensor(1), out = call.out();
    if (a.rank() == 0 || b.rank() == 0) failShape("other", shapeText(b.sizes), "1 or more dimensions");
    const auto put = [](Tensor& t, std::size_t at) {
        t.sizes.insert(t.sizes.begin() + static_cast<std::ptrdiff_t>(at), 1);
        t.strides.insert(t.strides.begin() + static_cast<std::ptrdiff_t>(at), 1);
    };
    const bool vectorA = a.rank() == 1, vectorB = b.rank() == 1;
    if (vectorA) put(a, 0);
    if (vectorB) put(b, 1);
    if (vectorA) put(out, out.rank() - (vectorB ? 0 : 1));
    if (vectorB) put(out, out.rank());
    const auto outer = [](const Tensor& t) {
        return restrided(t, Shape(t.sizes.begin(), t.sizes.end() - 2), Shape(t.strides.begin(), t.strides.end() - 2), t.offset);
    };
    const auto inner = [](const Tensor& t, std::int64_t at) {
        return restrided(t, Shape(t.sizes.end() - 2, t.sizes.end()), Shape(t.strides.end() - 2, t.strides.end()), t.offset + at);
    };
    checkShapes(inner(a, 0), inner(b, 0), 2, "other");
    const Tensor batches[] = {outer(a), outer(b), outer(out)};
    StridedLoop<3>(batches[2].sizes, {&batches[0], &batches[1], &batches[2]}, LoopOrder::Logical).forEach([&](const auto& at) {
        addProducts(call, inner(out, at[2]), {{inner(a, at[0]), inner(b, at[1])}}, {});
    });
}

}  // namespace

void registerMatmul(KernelTable& table) {
    const auto add = [&](const char* op, KernelFn run) { table.add(op, run, ToleranceClass::Matmul); };
    for (const char* op : {"aten::mm", "aten::mm.dtype", "aten::_int_mm"}) add(op, mm);
    for (const char* op : {"aten::addmm", "aten::addmm.dtype"}) add(op, addmm);
    for (const char* op : {"aten::bmm", "aten::bmm.dtype"}) add(op, bmm);
    for (const char* op : {"aten::baddbmm", "aten::baddbmm.dtype"}) add(op, baddbmm);
    add("aten::addbmm", addbmm);
    add("aten::mv", mv);
    add("aten::addmv", addmv);
    add("aten::addr", addr);
    for (const char* op : {"aten::outer", "aten::ger"}) add(op, outer);
    for (const char* op : {"aten::dot", "aten::vdot"}) add(op, dot);
    add("aten::_grouped_mm", grouped);
    add("aten::_scaled_mm", scaledMm);
    add("aten::linear", linear);
    add("aten::matmul", matmul);
}

}  // namespace aliascope::exec
