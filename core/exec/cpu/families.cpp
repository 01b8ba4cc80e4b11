#include "core/exec/cpu/families.h"

namespace aliascope::exec {

void registerCpuFamilies(KernelTable& table) { (void)table; }

}  // namespace aliascope::exec
