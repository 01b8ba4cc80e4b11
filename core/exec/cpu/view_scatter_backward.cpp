// Gradients of views: zeros of the viewed tensor's shape in which the view's part is the gradient.

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

void place(OpCall& call, const Tensor& part) {
    const Tensor& grad = call.tensor(0);
    if (grad.sizes != part.sizes) failShape("grad_output", shapeText(grad.sizes), shapeText(part.sizes));
    fillScalar(call.out(), 0.0);
    copyElements(part, grad);
}

std::size_t dimOf(const OpCall& call, std::size_t parameter) {
    if (call.outputs.at(0).rank() == 0) failShape("input_sizes", "[]", "1 or more dimensions");
    return static_cast<std::size_t>(call.dim(parameter, call.outputs[0].rank()));
}

/// select_backward(grad_output, input_sizes, dim, index).
void selectBackward(OpCall& call) {
    const std::size_t d = dimOf(call, 2);
    const std::int64_t size = call.out().sizes[d], index = call.integer(3);
    if (index < -size || index >= size)
        failExec("INDEX_OUT_OF_RANGE", {{"value", std::to_string(index)}, {"pos", "0"}, {"arg", "index"}, {"limit", std::to_string(size)}});
    place(call, selected(call.out(), d, index < 0 ? index + size : index));
}

/// slice_backward(grad_output, input_sizes, dim, start, end, step).
void sliceBackward(OpCall& call) {
    const std::size_t d = dimOf(call, 2);
    const std::int64_t size = call.out().sizes[d], step = call.integer(5);
    if (step < 1) failShape("step", std::to_string(step), "1 or more");
    const auto bound = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
    const std::int64_t start = bound(call.integer(3)), end = std::max(start, bound(call.integer(4)));
    const std::int64_t count = (end - start) / step + ((end - start) % step != 0);
    place(call, narrowed(call.out(), d, count ? start : 0, count, step));
}

/// diagonal_backward(grad_output, input_sizes, offset, dim1, dim2).
void diagonalBackward(OpCall& call) {
    const std::size_t d1 = dimOf(call, 3), d2 = dimOf(call, 4);
    if (d1 == d2) failShape("dim2", std::to_string(d2), "another dimension than dim1");
    place(call, diagonalOf(call.out(), call.integer(2), d1, d2));
}

/// unfold_backward(grad_in, input_sizes, dim, size, step): windows overlap, so their gradients add up.
void unfoldBackward(OpCall& call) {
    const Tensor &grad = call.tensor(0), &out = call.out();
    const std::size_t d = dimOf(call, 2);
    const std::int64_t size = call.integer(3), step = call.integer(4);
    const std::int64_t windows = step >= 1 && size >= 0 && size <= out.sizes[d] ? (out.sizes[d] - size) / step + 1 : -1;
    Shape want = out.sizes;
    want[d] = windows;
    want.push_back(size);
    if (grad.sizes != want) failShape("grad_in", shapeText(grad.sizes), shapeText(want));
    dispatchSums(call, grad.dtype, [&](auto tag) {
        using C = typename decltype(tag)::type;
        const Dense<C> g(grad);
        DenseResult<C> sums(out, C(0));
        Shape strides = contiguousStrides(out.sizes);
        strides.push_back(strides[d]);
        strides[d] *= step;
        std::int64_t i = 0;
        StridedLoop<1>(grad.sizes, {strides}).forEach([&](const auto& at) { sums[at[0]] = wrappingAdd(sums[at[0]], g[i++]); });
        sums.store();
    });
}

}  // namespace

void registerViewBackward(KernelTable& table) {
    table.add("aten::select_backward", selectBackward);
    table.add("aten::slice_backward", sliceBackward);
    table.add("aten::diagonal_backward", diagonalBackward);
    table.add("aten::unfold_backward", unfoldBackward, ToleranceClass::Reduction);
}

}  // namespace aliascope::exec
