// im2col and col2im: windows of a plane as columns, and columns added back into a plane.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/pool_window.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

/// Parameters kernel_size, dilation, padding, stride start at `first`.
Window windowOf(const OpCall& call, std::size_t first) { return Window::of(call, 2, first, first + 3, first + 2, static_cast<int>(first + 1)); }

/// Positions of the window over a plane of `in`.
Spatial positions(const Window& w, const Spatial& in) {
    Spatial out = {1, 1, 1};
    for (std::size_t d = 1; d < 3; ++d) {
        const std::int64_t span = in[d] + 2 * w.padding[d] - w.dilation[d] * (w.kernel[d] - 1) - 1;
        if (span < 0) failShape("kernel_size", std::to_string(w.kernel[d]), "no more than the padded plane");
        out[d] = span / w.stride[d] + 1;
    }
    return out;
}

/// Calls `f(column element, plane element)` for a plane; those in the padding are left out.
template <class F>
void forEachPlaced(const Window& w, const Spatial& in, const Spatial& at, F&& f) {
    std::int64_t column = 0;
    forEachPosition(w.kernel, [&](const Spatial& k) {
        forEachPosition(at, [&](const Spatial& p) {
            const std::int64_t y = p[1] * w.stride[1] - w.padding[1] + k[1] * w.dilation[1],
                               x = p[2] * w.stride[2] - w.padding[2] + k[2] * w.dilation[2];
            if (y >= 0 && y < in[1] && x >= 0 && x < in[2]) f(column, y * in[2] + x);
            ++column;
        });
    });
}

void im2col(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const Window w = windowOf(call, 1);
    const Spatial in = spatialSizes(self.sizes, 2), at = positions(w, in);
    dispatchCompute(self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> x(self);
        DenseResult<C> y(out, C(0));
        for (std::int64_t p = 0; p < planesOf(self.sizes, 2); ++p)
            forEachPlaced(w, in, at, [&](std::int64_t c, std::int64_t k) { y[p * product(w.kernel) * product(at) + c] = x[p * product(in) + k]; });
        y.store();
    });
}

std::vector<TensorType> im2colTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    if (self.rank() != 3 && self.rank() != 4) failShape("self", shapeText(self.sizes), "3 or 4 dimensions");
    const Window w = windowOf(call, 1);
    Shape sizes(self.sizes.begin(), self.sizes.end() - 3);
    sizes.push_back(self.sizes[self.rank() - 3] * product(w.kernel));
    sizes.push_back(product(positions(w, spatialSizes(self.sizes, 2))));
    return {rowMajor(self, sizes)};
}

/// col2im(self, output_size, kernel_size, dilation, padding, stride).
void col2im(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const Window w = windowOf(call, 2);
    const Spatial in = spatialSizes(out.sizes, 2), at = positions(w, in);
    if (self.sizes.back() != product(at)) failShape("self", shapeText(self.sizes), std::to_string(product(at)) + " columns");
    dispatchSums(call, self.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> x(self);
        DenseResult<C> y(out, C(0));
        for (std::int64_t p = 0; p < planesOf(out.sizes, 2); ++p)
            forEachPlaced(w, in, at, [&](std::int64_t c, std::int64_t k) {
                C& sum = y[p * product(in) + k];
                sum = wrappingAdd(sum, x[p * product(w.kernel) * product(at) + c]);
            });
        y.store();
    });
}

std::vector<TensorType> col2imTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    const Shape plane = call.ints(1);
    const std::int64_t kernel = product(windowOf(call, 2).kernel);
    if (self.rank() != 2 && self.rank() != 3) failShape("self", shapeText(self.sizes), "2 or 3 dimensions");
    const std::int64_t rows = self.sizes[self.rank() - 2];
    if (plane.size() != 2 || plane[0] < 0 || plane[1] < 0 || rows % kernel != 0)
        failShape("self", shapeText(self.sizes), "channels x kernel rows, and an output of two sizes");
    Shape sizes(self.sizes.begin(), self.sizes.end() - 2);
    sizes.insert(sizes.end(), {rows / kernel, plane[0], plane[1]});
    return {rowMajor(self, sizes)};
}

}  // namespace

void registerUnfold(KernelTable& table) {
    table.add("aten::im2col", im2col).resultTypes = im2colTypes;
    table.add("aten::col2im", col2im, ToleranceClass::Reduction).resultTypes = col2imTypes;
}

}  // namespace aliascope::exec
