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
void registerReduce(KernelTable& table);
void registerReduceLogic(KernelTable& table);
void registerReduceOrder(KernelTable& table);
void registerSoftmax(KernelTable& table);
void registerActivations(KernelTable& table);
void registerLosses(KernelTable& table);
void registerScan(KernelTable& table);
void registerSort(KernelTable& table);
void registerSearch(KernelTable& table);
void registerForeach(KernelTable& table);
void registerPointwiseSpecial(KernelTable& table);
void registerRandom(KernelTable& table);

void registerMatmul(KernelTable& table);
void registerViewScatter(KernelTable& table);
void registerAssemble(KernelTable& table);
void registerTriangular(KernelTable& table);
void registerPad(KernelTable& table);
void registerIndexing(KernelTable& table);
void registerScatter(KernelTable& table);
void registerIndexPut(KernelTable& table);
void registerSelect(KernelTable& table);
void registerPool(KernelTable& table);
void registerConvolution(KernelTable& table);
void registerNormalize(KernelTable& table);
void registerBatchNorm(KernelTable& table);
void registerAttention(KernelTable& table);
void registerUnfold(KernelTable& table);
void registerResample(KernelTable& table);
void registerGridSample(KernelTable& table);
void registerDistance(KernelTable& table);
void registerViewBackward(KernelTable& table);

}  // namespace aliascope::exec
