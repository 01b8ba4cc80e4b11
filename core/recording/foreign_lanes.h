#pragma once
// Stages that a document holds already (PyTorch's own dumps of one compilation) as lanes of kind `foreign`.

#include <cstdint>
#include <vector>

#include "core/recording/recorder.h"
#include "core/support/cancel.h"
#include "core/text/document.h"

namespace aliascope {

/// One lane for each chain of stages (stage_order.h) of the compilations that `units` of `doc` belong to, of the graph that stands for the program;
/// lanes are named `torch 0/0 forward`. `graphs` are the ids of the units, as addDocument gave them. Chains of more stages than a lane may have, and
/// chains beyond the limit of lanes, end the call with R050; what was recorded before stays.
Status recordForeignLanes(Recorder& recorder, const Document& doc, const std::vector<std::size_t>& units, const std::vector<std::int64_t>& graphs,
                          const OpRegistry& ops, const CancelToken& cancel = {});

}  // namespace aliascope
