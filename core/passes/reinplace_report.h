#pragma once
// Decisions of re-inplacing as they are recorded: verdict, need, bytes, parameters of the sentence (reason-codes.md 1 and 2).

#include "core/passes/reinplace_decision.h"

namespace aliascope {

/// What the decision is about, and what cloning it would copy.
struct Subject {
    NodeId node;
    std::string argument;  ///< recorded: argument name, or base index for v2
    std::string shown;     ///< in sentences
    Value value;           ///< the tensors
    bool wrapper = false;  ///< a clone would be made by decomposition (else: the functional form copies)
    bool logged = false;   ///< PyTorch writes a log line about it
    AnalysisMode mode = AnalysisMode::Reference;
    bool bytes = true;  ///< false: the bytes are stated by another row about the same base
};

/// Verdict in-place or clone, from an answer of the decision table. `clone` false turns a refusal into `not-attempted`.
Decision makeDecision(const Graph& g, const ReinplaceIndex& index, const Subject& subject, const Answer& answer, const PassContext& ctx,
                      bool clone = true);

}  // namespace aliascope
