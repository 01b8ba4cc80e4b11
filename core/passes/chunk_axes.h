#pragma once
// Where an axis of an operand lies in the result, and the other way round, for calls that only rearrange, shorten, reduce or scan axes.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/op_registry.h"

namespace aliascope {

/// By axis of the result: the axis of the operand that it runs along one to one, or -1 when the call works along it or makes it.
using AxisMap = std::vector<int>;

/// Number of elements, item size left out; nothing when symbolic or beyond int64.
std::optional<std::int64_t> constantNumel(const TensorType& t);
std::optional<std::int64_t> constantSize(const TensorType& t, int axis);

/// Axis `axis` of a value of rank `rank`, negative ones counted from the end; nothing when out of range.
std::optional<int> normalAxis(std::int64_t axis, std::size_t rank);

/// For `permute`, `transpose`, `t`, `slice`, `select`, `squeeze`, `unsqueeze`, `constant_pad_nd`, reductions over axes and softmax-like calls: from
/// the first tensor operand. For `gather`, `scatter`, `slice_scatter`, `cat` and the backward of softmax: from every tensor operand. Nothing when the
/// arguments are not understood.
std::optional<AxisMap> axisMapOf(const BoundCall& call, const TensorType& operand, const TensorType& result);

/// Axes of a reduction as written; all axes when the argument is None or empty.
std::optional<std::vector<std::int64_t>> reducedAxes(const BoundCall& call, std::size_t rank);
bool keepsReducedAxes(const BoundCall& call);

/// Axis of `to` whose slices hold the same elements as slices of `axis` of `from`, when `to` is a view of `from` of other sizes: the same elements
/// lie before both axes, so equal shares of the two are the same rows. Nothing when there is none.
std::optional<int> viewedAxis(const TensorType& from, int axis, const TensorType& to);

}  // namespace aliascope
