#pragma once
// Operators named without overload (formats.md 6): `torch.ops.aten.add`, as PyTorch wrote until 1.12.

#include <string>

#include "core/ir/op_registry.h"

namespace aliascope {

struct OverloadChoice {
    const OpDef* chosen = nullptr;
    std::string candidates;  ///< names of the overloads that fit, or of all when none fits; empty when there is no such operator
};

/// The overload that a call means, by count of arguments, keywords, and tensor against number. A tie is none.
OverloadChoice chooseOverload(const OpRegistry& ops, const Node& call);

}  // namespace aliascope
