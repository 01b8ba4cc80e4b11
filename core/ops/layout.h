#pragma once
// How PyTorch lays results out (executor.md 2.2). Private to core/ops.

#include <optional>
#include <vector>

#include "core/ir/type.h"
#include "core/ir/value.h"

namespace aliascope {

enum class MemoryFormat : std::uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

/// `torch.channels_last`, a name without `torch.`, or the number of the C++ enumeration; `fallback` for None.
MemoryFormat memoryFormatArgument(const Value& v, MemoryFormat fallback);

/// PyTorch's own limit; of a tensor with more dims nothing is said, so that searches over dims stay small.
inline constexpr std::size_t kMaxRank = 64;

using Strides = std::optional<std::vector<SymInt>>;

/// Strides of a fresh tensor in `format`; nothing for Preserve, and for a channels-last format of the wrong rank.
Strides stridesOf(const std::vector<SymInt>& sizes, MemoryFormat format);
/// Whether `t` has `strides`, dims of size 1 left out of the comparison.
bool hasLayout(const TensorType& t, const std::vector<SymInt>& strides);
/// Every element at its own address and no gaps between them. Statically known; false when strides are unknown.
bool denseNonOverlapping(const TensorType& t);
/// Strides of a copy that preserves the format of `t`: its own when dense, else dense in the same order of dims.
Strides preservedStrides(const TensorType& t);
/// Strides of the result of an elementwise operator over `operands` (each broadcastable to `shape`), as TensorIterator chooses them. Nothing when
/// the strides of an operand are unknown.
Strides elementwiseStrides(const std::vector<SymInt>& shape, const std::vector<const TensorType*>& operands);
/// Channels-last strides of rank 4 or 5, and not row-major.
bool isChannelsLast(const TensorType& t);

}  // namespace aliascope
