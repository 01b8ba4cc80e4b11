#include "core/exec/cpu/families.h"

namespace aliascope::exec {

void registerCpuFamilies(KernelTable& table) {
    registerCopy(table);
    registerCreate(table);
    registerPointwiseUnary(table);
    registerPointwiseBinary(table);
    registerPointwiseCompare(table);
    registerReduce(table);
    registerReduceLogic(table);
    registerReduceOrder(table);
    registerSoftmax(table);
    registerActivations(table);
    registerLosses(table);
    registerScan(table);
    registerSort(table);
    registerSearch(table);
    registerForeach(table);
    registerPointwiseSpecial(table);
    registerRandom(table);

    registerMatmul(table);
    registerViewScatter(table);
    registerAssemble(table);
    registerTriangular(table);
    registerPad(table);
    registerIndexing(table);
    registerScatter(table);
    registerIndexPut(table);
    registerSelect(table);
    registerPool(table);
    registerConvolution(table);
    registerNormalize(table);
    registerBatchNorm(table);
    registerAttention(table);
    registerUnfold(table);
    registerResample(table);
    registerGridSample(table);
    registerDistance(table);
    registerViewBackward(table);
}

}  // namespace aliascope::exec
