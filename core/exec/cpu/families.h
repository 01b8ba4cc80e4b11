#pragma once
// One registration function per family file of this folder. families.cpp calls them all.

#include "core/exec/kernel.h"

namespace aliascope::exec {

void registerCpuFamilies(KernelTable& table);

void registerCopy(KernelTable& table);
void registerCreate(KernelTable& table);
void registerPointwiseUnary(KernelTable& table);
void registerPointwiseBinary(KernelTable& table);
void registerPointwiseCompare(KernelTable& table);

void registerMatmul(KernelTable& table);
void registerViewScatter(KernelTable& table);
void registerAssemble(KernelTable& table);

}  // namespace aliascope::exec
