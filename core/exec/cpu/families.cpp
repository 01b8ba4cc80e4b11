#include "core/exec/cpu/families.h"

namespace aliascope::exec {

void registerCpuFamilies(KernelTable& table) {
    registerCopy(table);
    registerCreate(table);
    registerPointwiseUnary(table);
    registerPointwiseBinary(table);
    registerPointwiseCompare(table);

    registerMatmul(table);
    registerViewScatter(table);
    registerAssemble(table);
}

}  // namespace aliascope::exec
