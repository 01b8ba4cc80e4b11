#pragma once
// Binding that never fails: what fits is bound, what does not is listed. bindCall (op_registry.h) is the strict form.

#include <string>
#include <vector>

#include "core/ir/op_registry.h"

namespace aliascope {

struct LooseBinding {
    std::vector<Value> values;  ///< by parameter; None where nothing is known
    std::vector<bool> given;
    std::vector<Value> surplus;  ///< values that fit no parameter
    std::string why;             ///< the first misfit; empty = the call fits
};

LooseBinding bindLoosely(const Schema& schema, const std::vector<Value>& args, const std::vector<Keyword>& kwargs);

}  // namespace aliascope
