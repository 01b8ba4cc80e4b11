#pragma once
// Random values of a role. Element i is a function of key and i alone: equal on every device and layout (executor.md 5.4). Internal to core/exec.

#include "core/exec/input_roles.h"
#include "core/exec/tensor.h"

namespace aliascope::exec {

/// xxh64(graph signature, placeholder name) xor seed. The signature is the list of placeholders with their types.
std::uint64_t randomKey(const Graph& opened, Name input, std::uint64_t seed);
/// Fills host memory.
void fillRandom(const Tensor& t, const RoleChoice& role, std::uint64_t key);

}  // namespace aliascope::exec
