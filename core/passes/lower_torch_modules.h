#pragma once
// Calls of modules whose constructor the file states (`self.fc = Linear(in_features=4, out_features=2, bias=True)`): the layer's parameters become
// constants `fc.weight`, …, and the call becomes that of the function which the layer stands for. A constructor says nothing of train() and eval():
// as in a new module, dropout drops and batch norm uses the batch. Private to lower-torch.

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {

struct FunctionCall {
    std::string name;  ///< as a Callee has it; empty = the module is not known
    std::vector<Value> args;
    std::vector<Keyword> kwargs;
};
/// The call of a function that does what this call of a module does.
FunctionCall functionOfModule(Lowering& l, const Node& call);

}  // namespace aliascope::torch_lowering
