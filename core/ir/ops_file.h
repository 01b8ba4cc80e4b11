#pragma once
// Reader of `.ops` files (executor.md 6.1): `op SCHEMA` and `kernel N(…)` blocks with indented bodies, or bare schema lines.

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/op_registry.h"

namespace aliascope {

struct OpsFile {
    struct Entry {
        OpDef def;
        std::uint32_t line = 0;  ///< of its schema, from 1
    };
    std::vector<Entry> entries;
    std::vector<Diagnostic> problems;  ///< one per bad line
};

/// `fileName` is shown in diagnostics; its stem is the namespace of schemas that name none. Bodies are kept as text; of their `key: value` lines
/// `deterministic` and `pure` become traits.
OpsFile parseOpsFile(std::string_view text, std::string_view fileName);

/// The `.ops` files in the folder of a graph file (or in the folder itself, where `path` is one), sorted: they are taken when a user names none.
/// Empty when there is no such path, or more than kOpsFilesBeside: then nobody can have meant them all.
inline constexpr std::size_t kOpsFilesBeside = 16;
std::vector<std::string> opsFilesBeside(const std::string& path);

}  // namespace aliascope
