// Inverses of views: a copy of the first argument, with its strides, gaps and offset, in which the addressed part is replaced.

#include "core/ops/table.h"

namespace aliascope {
namespace {

Inferred likeBase(const InferContext& c) {
    const TensorType* t = c.tensor(0);
    if (!t) return {};
    TensorType out = contiguousLike(*t, t->sizes);
    out.strides = t->strides;
    out.offset = t->offset;
    return inferred(std::move(out));
}

}  // namespace

void registerViewScatters(InferTable& table) {
    for (const char* op :
         {"aten::slice_scatter", "aten::select_scatter", "aten::diagonal_scatter", "aten::as_strided_scatter", "prims::as_strided_scatter"})
        table.add(op, likeBase);
}

}  // namespace aliascope
