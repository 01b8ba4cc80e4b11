#pragma once
// The safetensors format: 8 bytes of header length, a JSON header {name: {dtype, shape, data_offsets}}, the data. Internal to core/exec; see
// tensor_files.h. https://github.com/huggingface/safetensors#format

#include "core/exec/tensor_files.h"

namespace aliascope::exec {

/// The first bytes of a file look like a safetensors header.
bool looksLikeSafetensors(std::string_view head);
Result<TensorFile> openSafetensors(const std::string& path);
/// The header and where the data go: names sorted by alignment of their dtype, then by name, as the reference writer does.
Status writeSafetensors(const std::string& path, const std::vector<TensorBytes>& tensors);

}  // namespace aliascope::exec
