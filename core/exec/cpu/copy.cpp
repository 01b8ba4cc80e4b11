// Copies and conversions. Layout and type of the result are made already; what remains is copyElements.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/strided.h"

namespace aliascope::exec {
namespace {

void copyFirst(OpCall& call) { copyElements(call.out(), call.tensor(0)); }

/// copy(self, src), copy_(self, src): src in self's layout and type.
void copySecond(OpCall& call) { copyElements(call.out(), call.tensor(1)); }

/// fill(self, value): a number or a 0-d tensor.
void fill(OpCall& call) {
    if (const Tensor* value = call.args.at(1).tensor()) {
        if (value->rank() > 0) failShape("value", shapeText(value->sizes), "[]");
        copyElements(call.out(), *value);
    } else {
        fillScalar(call.out(), call.args[1]);
    }
}

}  // namespace

void registerCopy(KernelTable& t) {
    for (const char* op : {"aten::clone", "aten::_to_copy", "aten::lift_fresh", "aten::lift_fresh_copy", "prims::convert_element_type",
                           "prims::clone", "prims::copy_strided", "prims::device_put"}) {
        Kernel& k = t.add(op, copyFirst);
        k.elementwise = k.casts = true;
    }
    for (const char* op : {"aten::copy", "aten::copy_", "prims::copy_to"}) t.add(op, copySecond);
    for (const char* op : {"aten::fill.Scalar", "aten::fill.Tensor"}) t.add(op, fill).elementwise = true;
    for (const char* op : {"aten::fill_.Scalar", "aten::fill_.Tensor", "prims::fill"}) t.add(op, fill).elementwise = true;
}

}  // namespace aliascope::exec
