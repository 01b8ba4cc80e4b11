#pragma once
// One registration function per family file of this folder. families.cpp calls them all.

#include "core/exec/kernel.h"

namespace aliascope::exec {

void registerCpuFamilies(KernelTable& table);

}  // namespace aliascope::exec
