// Inverses of views (executor.md 2.3, view_scatter): a copy of self with its strides, gaps and offset in which what the view addresses is replaced.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/strided.h"
#include "core/exec/cpu/subviews.h"

namespace aliascope::exec {
namespace {

void replace(OpCall& call, const Tensor& part) {
    const Tensor& source = call.tensor(1);
    if (source.sizes != part.sizes) failShape("src", shapeText(source.sizes), shapeText(part.sizes));
    copyElements(part, source);
}

std::int64_t wrappedIndex(std::int64_t index, std::int64_t size, std::string_view argument) {
    if (index < -size || index >= size)
        failExec("INDEX_OUT_OF_RANGE",
                 {{"value", std::to_string(index)}, {"pos", "0"}, {"arg", std::string(argument)}, {"limit", std::to_string(size)}});
    return index < 0 ? index + size : index;
}

void selectScatter(OpCall& call) {
    const Tensor& out = call.out();
    const auto d = static_cast<std::size_t>(call.dim(2, out.rank()));
    if (out.rank() == 0) failShape("self", "[]", "1 or more dimensions");
    const std::int64_t index = wrappedIndex(call.integer(3), out.sizes[d], "self");
    copyElements(out, call.tensor(0));
    replace(call, selected(out, d, index));
}

/// A bound of a slice: negative ones count from the end, then it is clamped.
std::int64_t sliceBound(const RuntimeValue& v, std::int64_t otherwise, std::int64_t size) {
    std::int64_t at = v.integer().value_or(otherwise);
    if (at < 0) at += size;
    return std::clamp<std::int64_t>(at, 0, size);
}

void sliceScatter(OpCall& call) {
    const Tensor& out = call.out();
    const auto d = static_cast<std::size_t>(call.dim(2, out.rank()));
    if (out.rank() == 0) failShape("self", "[]", "1 or more dimensions");
    const std::int64_t size = out.sizes[d], start = sliceBound(call.args.at(3), 0, size);
    const std::int64_t end = std::max(start, sliceBound(call.args.at(4), size, size)), step = call.integer(5);
    if (step < 1) failShape("step", std::to_string(step), "1 or more");
    copyElements(out, call.tensor(0));
    const std::int64_t count = (end - start) / step + ((end - start) % step != 0);
    replace(call, narrowed(out, d, count ? start : 0, count, step));
}

void diagonalScatter(OpCall& call) {
    const Tensor& out = call.out();
    const auto d1 = static_cast<std::size_t>(call.dim(3, out.rank())), d2 = static_cast<std::size_t>(call.dim(4, out.rank()));
    if (d1 == d2 || out.rank() < 2) failShape("dim2", std::to_string(d2), "another dimension than dim1");
    copyElements(out, call.tensor(0));
    replace(call, diagonalOf(out, call.integer(2), d1, d2));
}

/// The offset counts from the start of self's storage, and so does the result's.
void asStridedScatter(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const std::int64_t asked = call.args.at(4).integer().value_or(self.offset);
    const Tensor part = restrided(out, call.ints(2), call.ints(3), asked - self.offset + out.offset);
    if (part.sizes.size() != part.strides.size()) failShape("stride", shapeText(part.strides), "as many as sizes");
    if (!fitsStorage(part)) failShape("size", shapeText(part.sizes), "a view within self's storage");
    copyElements(out, self);
    replace(call, part);
}

}  // namespace

void registerViewScatter(KernelTable& table) {
    table.add("aten::select_scatter", selectScatter);
    table.add("aten::slice_scatter", sliceScatter);
    table.add("aten::diagonal_scatter", diagonalScatter);
    for (const char* op : {"aten::as_strided_scatter", "prims::as_strided_scatter"}) table.add(op, asStridedScatter);
}

}  // namespace aliascope::exec
