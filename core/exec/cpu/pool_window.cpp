#include "core/exec/cpu/pool_window.h"

#include "core/exec/cpu/strided.h"

namespace aliascope::exec {

Spatial spatialArgument(const Shape& list, std::size_t dims, std::int64_t otherwise, std::string_view argument) {
    if (!list.empty() && list.size() != 1 && list.size() != dims) failShape(argument, shapeText(list), std::to_string(dims) + " values");
    Spatial out = {otherwise, otherwise, otherwise};
    for (std::size_t i = 0; i < dims && !list.empty(); ++i) out[3 - dims + i] = list[std::min(i, list.size() - 1)];
    for (std::size_t i = 0; i < 3 - dims; ++i) out[i] = otherwise;
    return out;
}

Spatial spatialSizes(const Shape& sizes, std::size_t dims) {
    Spatial out = {1, 1, 1};
    for (std::size_t i = 0; i < dims; ++i) out[3 - dims + i] = sizes[sizes.size() - dims + i];
    return out;
}

std::int64_t planesOf(const Shape& sizes, std::size_t dims) {
    std::int64_t n = 1;
    for (std::size_t i = 0; i + dims < sizes.size(); ++i) n *= sizes[i];
    return n;
}

std::int64_t product(const Spatial& s) { return s[0] * s[1] * s[2]; }

Window Window::of(const OpCall& call, std::size_t dims, std::size_t kernel, std::size_t stride, std::size_t padding, int dilation) {
    Window w;
    w.kernel = spatialArgument(call.ints(kernel), dims, 1, "kernel_size");
    w.stride = call.ints(stride).empty() ? w.kernel : spatialArgument(call.ints(stride), dims, 1, "stride");
    w.padding = spatialArgument(call.ints(padding), dims, 0, "padding");
    w.dilation = dilation < 0 ? Spatial{1, 1, 1} : spatialArgument(call.ints(static_cast<std::size_t>(dilation)), dims, 1, "dilation");
    for (std::size_t i = 0; i < 3; ++i) {
        if (w.kernel[i] < 1 || w.stride[i] < 1 || w.dilation[i] < 1 || w.padding[i] < 0)
            failShape("kernel_size", shapeText({w.kernel.begin(), w.kernel.end()}),
                      "kernels, strides and dilations of at least 1, no negative padding");
        // Larger numbers than any tensor has would only overflow later.
        for (std::int64_t n : {w.kernel[i], w.stride[i], w.dilation[i], w.padding[i]})
            if (n > (std::int64_t{1} << 31)) failShape("kernel_size", std::to_string(n), "a smaller number");
    }
    return w;
}

}  // namespace aliascope::exec
