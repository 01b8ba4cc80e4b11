#include "core/passes/chunk_axes.h"

#include <limits>

namespace aliascope {
namespace {

std::optional<std::int64_t> productBefore(const TensorType& t, int axis) {
    std::int64_t product = 1;
    for (int i = 0; i < axis; ++i) {
        const auto size = constantSize(t, i);
        if (!size || __builtin_mul_overflow(product, *size, &product)) return std::nullopt;
    }
    return product;
}

AxisMap identityAxes(std::size_t rank) {
    AxisMap map(rank);
    for (std::size_t i = 0; i < rank; ++i) map[i] = static_cast<int>(i);
    return map;
}

const Value& argumentOf(const BoundCall& call, const char* name) {
    static const Value none;
    const Value* v = call.find(Name(name));
    return v ? *v : none;
}

std::optional<int> axisArgument(const BoundCall& call, const char* name, std::size_t rank) {
    const auto axis = argumentOf(call, name).asInt();
    return axis ? normalAxis(*axis, rank) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> listOfInts(const Value& v) {
    std::vector<std::int64_t> out;
    if (const auto one = v.asInt()) return std::vector<std::int64_t>{*one};
    if (!v.isSequence()) return std::nullopt;
    for (const Value& item : v.items()) {
        const auto i = item.asInt();
        if (!i) return std::nullopt;
        out.push_back(*i);
    }
    return out;
}

/// The identity, but for one axis along which the call works.
std::optional<AxisMap> allBut(std::optional<int> axis, std::size_t rank) {
    if (!axis) return std::nullopt;
    AxisMap map = identityAxes(rank);
    map[static_cast<std::size_t>(*axis)] = -1;
    return map;
}

std::optional<AxisMap> permuted(const BoundCall& call, std::size_t rank) {
    AxisMap map = identityAxes(rank);
    const Name packet = packetOf(call.op->canonical);
    if (packet == "aten::t") {
        if (rank == 2) std::swap(map[0], map[1]);
        return map;
    }
    if (packet == "aten::transpose") {
        const auto a = axisArgument(call, "dim0", rank), b = axisArgument(call, "dim1", rank);
        if (!a || !b) return std::nullopt;
        std::swap(map[static_cast<std::size_t>(*a)], map[static_cast<std::size_t>(*b)]);
        return map;
    }
    const auto order = listOfInts(argumentOf(call, "dims"));
    if (!order || order->size() != rank) return std::nullopt;
    for (std::size_t i = 0; i < rank; ++i) {
        const auto axis = normalAxis((*order)[i], rank);
        if (!axis) return std::nullopt;
        map[i] = *axis;
    }
    return map;
}

std::optional<AxisMap> withoutAxes(const std::vector<bool>& gone, bool keep) {
    AxisMap map;
    for (std::size_t i = 0; i < gone.size(); ++i) {
        if (!gone[i])
            map.push_back(static_cast<int>(i));
        else if (keep)
            map.push_back(-1);
    }
    return map;
}

std::optional<AxisMap> reducedMap(const BoundCall& call, std::size_t rank) {
    const auto axes = reducedAxes(call, rank);
    if (!axes) return std::nullopt;
    std::vector<bool> gone(rank);
    for (std::int64_t a : *axes) {
        const auto axis = normalAxis(a, rank);
        if (!axis) return std::nullopt;
        gone[static_cast<std::size_t>(*axis)] = true;
    }
    return withoutAxes(gone, keepsReducedAxes(call));
}

std::optional<AxisMap> squeezed(const BoundCall& call, const TensorType& operand) {
    const std::size_t rank = operand.rank();
    std::vector<bool> gone(rank);
    const Value& given = argumentOf(call, "dim");
    std::vector<std::int64_t> axes;
    if (given.isNone()) {
        for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
    } else if (const auto listed = listOfInts(given)) {
        axes = *listed;
    } else {
        return std::nullopt;
    }
    for (std::int64_t a : axes) {
        const auto axis = normalAxis(a, rank);
        if (!axis) return std::nullopt;
        gone[static_cast<std::size_t>(*axis)] = constantSize(operand, *axis) == 1;
    }
    return withoutAxes(gone, false);
}

std::optional<AxisMap> unsqueezed(const BoundCall& call, std::size_t rank) {
    const auto at = axisArgument(call, "dim", rank + 1);
    if (!at) return std::nullopt;
    AxisMap map = identityAxes(rank);
    map.insert(map.begin() + *at, -1);
    return map;
}

/// `pad` counts pairs from the last axis on.
std::optional<AxisMap> padded(const BoundCall& call, std::size_t rank) {
    const auto pad = listOfInts(argumentOf(call, "pad"));
    if (!pad || pad->size() % 2 != 0 || pad->size() / 2 > rank) return std::nullopt;
    AxisMap map = identityAxes(rank);
    for (std::size_t i = 0; i < pad->size(); ++i)
        if ((*pad)[i] != 0) map[rank - 1 - i / 2] = -1;
    return map;
}

bool isReduction(Name packet) {
    return packet == "aten::sum" || packet == "aten::amax" || packet == "aten::amin" || packet == "aten::mean" || packet == "aten::logsumexp" ||
           packet == "aten::any" || packet == "aten::all" || packet == "aten::prod";
}

}  // namespace

std::optional<std::int64_t> constantSize(const TensorType& t, int axis) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= t.rank()) return std::nullopt;
    return t.sizes[static_cast<std::size_t>(axis)].constant();
}

std::optional<std::int64_t> constantNumel(const TensorType& t) { return productBefore(t, static_cast<int>(t.rank())); }

std::optional<int> normalAxis(std::int64_t axis, std::size_t rank) {
    const auto n = static_cast<std::int64_t>(rank);
    if (axis < -n || axis >= n) return std::nullopt;
    return static_cast<int>(axis < 0 ? axis + n : axis);
}

std::optional<std::vector<std::int64_t>> reducedAxes(const BoundCall& call, std::size_t rank) {
    const Value& given = argumentOf(call, "dim");
    std::vector<std::int64_t> all(rank);
    for (std::size_t i = 0; i < rank; ++i) all[i] = static_cast<std::int64_t>(i);
    if (given.isNone()) return all;
    auto axes = listOfInts(given);
    if (axes && axes->empty()) return all;
    return axes;
}

bool keepsReducedAxes(const BoundCall& call) { return argumentOf(call, "keepdim").asBool().value_or(false); }

std::optional<AxisMap> axisMapOf(const BoundCall& call, const TensorType& operand, const TensorType& result) {
    const Name packet = packetOf(call.op->canonical);
    const std::size_t rank = operand.rank();
    if (packet == "aten::permute" || packet == "aten::transpose" || packet == "aten::t") return permuted(call, rank);
    if (isReduction(packet)) return reducedMap(call, rank);
    if (packet == "aten::squeeze") return squeezed(call, operand);
    if (packet == "aten::unsqueeze") return unsqueezed(call, rank);
    if (packet == "aten::constant_pad_nd") return padded(call, rank);
    const auto axis = axisArgument(call, "dim", rank);
    if (packet == "aten::select") {
        if (!axis) return std::nullopt;
        std::vector<bool> gone(rank);
        gone[static_cast<std::size_t>(*axis)] = true;
        return withoutAxes(gone, false);
    }
    if (packet == "aten::slice" && axis && result.rank() == rank && constantSize(operand, *axis) == constantSize(result, *axis))
        return identityAxes(rank);
    return allBut(axis, rank);
}

std::optional<int> viewedAxis(const TensorType& from, int axis, const TensorType& to) {
    const auto before = productBefore(from, axis);
    if (!before || constantSize(from, axis).value_or(1) == 1) return std::nullopt;
    std::int64_t product = 1;
    for (std::size_t i = 0; i < to.rank(); ++i) {
        const auto size = constantSize(to, static_cast<int>(i));
        if (!size) return std::nullopt;
        if (product == *before && *size != 1) return static_cast<int>(i);
        if (__builtin_mul_overflow(product, *size, &product)) return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace aliascope
