#pragma once
// What the names of files and folders say of the graphs inside (formats.md 10, 13).

#include <optional>
#include <string>
#include <string_view>

#include "core/text/document.h"

namespace aliascope {

struct MemberPlace {
    enum class Kind { Plain, Model, Tlparse, Depyf } kind = Kind::Plain;
    UnitGroup group;
    Phase phase = Phase::Unknown;
    std::string stage;        ///< from the file's name, its running number left out
    std::int64_t order = 0;   ///< of the file, or of its model folder; smaller = earlier
    bool neverGraph = false;  ///< known to hold no graph of tensors
};

/// Of the name of a file with its folders, the one that was opened included: `model__0_forward_1.0/fx_graph_readable.py`,
/// `0_0_0/aot_forward_graph_5.txt`, `__compiled_fn_1.AFTER_POST_GRAD.0.py`, `rank_0/x.txt`, …
MemberPlace memberPlace(std::string_view name);

}  // namespace aliascope
