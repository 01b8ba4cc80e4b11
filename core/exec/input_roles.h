#pragma once
// What an input of a graph is used for, and which random values therefore make sense (executor.md 5.4). Uses are followed through views, where, casts
// and additions of numbers; the first rule of the table that fits decides. Linear in the number of nodes reached.

#include <string>
#include <string_view>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::exec {

enum class InputRole : std::uint8_t {
    Ids,           ///< uniform in [0, limit)
    Slots,         ///< a random permutation's prefix of [0, limit): unique
    Labels,        ///< ids, 5 % of them -100
    WindowCentre,  ///< limit everywhere: the place in a pooling window that lies inside the image at every border
    Offsets,       ///< sorted multiples of 8, the last one = limit
    Mask,          ///< 80 % true, no row all false
    NormWeight,    ///< 1 + 0.1 n
    NormBias,      ///< 0.02 n
    Variance,      ///< 1 + 0.1 abs(n)
    MatrixWeight,  ///< n / sqrt(fanIn)
    Tangent,       ///< 1 if 0-d, else n / sqrt(numel)
    Float,         ///< n
    Int,           ///< uniform [0, 8)
    Size           ///< a symbol: the hint, else 8 and distinct primes for distinct symbols
};
std::string_view toString(InputRole role);

struct RoleChoice {
    InputRole role = InputRole::Float;
    std::int64_t limit = 8;  ///< of Ids, Slots, Labels, WindowCentre, Offsets
    std::int64_t fanIn = 1;  ///< of MatrixWeight
    std::string reason;      ///< `indices of aten::embedding at embedding`
};

/// `tangents_1`; in a program of several graphs `g3_tangents_1` where an earlier graph has that name.
bool isTangent(std::string_view input);

/// Role of a placeholder or constant of `g` whose value is a tensor. `symbols`: values of the symbols, as hints.
RoleChoice roleOf(const Graph& g, const OpRegistry& ops, NodeId input, const SymbolTable& symbols);

}  // namespace aliascope::exec
