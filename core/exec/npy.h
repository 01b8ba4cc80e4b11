#pragma once
// NumPy's array files: `.npy`, `.npz` (a zip of them, stored or deflated), a folder of them. Internal to core/exec; see tensor_files.h.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Object arrays (pickles) and structured dtypes are refused.

#include "core/exec/tensor_files.h"

namespace aliascope::exec {

bool looksLikeNpy(std::string_view head);
/// One tensor, named by the file without its ending.
Result<TensorFile> openNpy(const std::string& path);
/// One tensor per member, named without `.npy`.
Result<TensorFile> openNpz(const std::string& path);
/// Every `.npy` directly in the folder, in the order of the names.
Result<TensorFile> openNpyFolder(const std::string& path);

/// Exactly one tensor; bf16 is written as u16, which NumPy lacks a name for.
Status writeNpy(const std::string& path, const std::vector<TensorBytes>& tensors);
/// Stored, not deflated.
Status writeNpz(const std::string& path, const std::vector<TensorBytes>& tensors);

}  // namespace aliascope::exec
