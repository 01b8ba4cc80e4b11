#pragma once
// How a node is written into the columns of `node`, and read back without loss. Internal to core/recording.
//
// The columns hold what people ask for; what printing needs besides stands in `str.kind`, behind the kind's word:
//   op      kind `op`:      an operator without `torch.ops.`            (`aten.add.Tensor` for target `torch.ops.aten.add.Tensor`)
//           kind `target`:  any other callee, as spelled                (`operator.getitem`, `torch.sym_max`, a method's or module's name)
//           NULL for placeholder, get_attr and output
//   args    kind `args`:    Python-dialect text of the arguments, keyword arguments included; NULL when there are none
//           kind `args:{…}` the same, and a JSON object of what differs from the rule (keys of Extras)
// A row's `flags` are NodeFlag in bits 0 to 4, the trust of its type (Trust) in bits 5 to 7, and bit 8 when the node has a type but no annotation was
// read.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/graph.h"

namespace aliascope::recording {

// --- callee ----------------------------------------------------------------------------------------------------------------------------

struct StoredOp {
    std::string_view kind, text;
};
StoredOp storeTarget(Name target);
/// The target as spelled.
std::string spellTarget(std::string_view kind, std::string_view text);
/// Node::target of a node that is no call, when nothing else is stored: its name, or `output`.
std::string_view defaultTarget(NodeKind kind, std::string_view name);
std::optional<NodeKind> nodeKindFrom(std::string_view word);

// --- what differs from the rule ----------------------------------------------------------------------------------------------------------

/// Facts of one node that its columns do not tell. Absent = as the rule beside it says.
struct Extras {
    std::optional<std::string> annotation;  ///< as read; rule: the text of the type, or none (annotationIsMade)
    std::optional<std::string> target;      ///< of no call; rule: defaultTarget
    std::optional<std::string> op;          ///< Node::op; rule: canonicalOp(target) of a call_function, else empty
    std::optional<std::string> comment;     ///< Provenance::raw with {file} {line} {fn} {code} for the parts; rule: PyTorch's form of them
    std::optional<std::string> type;        ///< exact type (typeTree); rule: what the row of `type` reads as
    std::optional<std::string> offset;      ///< TensorType::offset as stated on the node, `-` = none; rule: that of the row when it is not 0
    bool empty() const { return !annotation && !target && !op && !comment && !type && !offset; }
};
/// `args` or `args:{…}`.
std::string argsKind(const Extras& extras);
/// Unknown keys and broken JSON give what can be read.
Extras extrasFrom(std::string_view argsKind);

// --- provenance comments ---------------------------------------------------------------------------------------------------------------------

/// Template of the comment when it is not the one that `ruleComment` makes.
std::optional<std::string> commentTemplate(const Provenance& p);
std::string fillComment(std::string_view text, const Provenance& parts);
/// `# File: f:12 in fn, code: src`; empty when no file is known.
std::string ruleComment(const Provenance& p);

// --- flags -----------------------------------------------------------------------------------------------------------------------------------------

inline int packFlags(const Node& n) {
    const bool made = n.annotation.empty() && n.type;
    return (n.flags & 0x1f) | static_cast<int>(n.trust) << 5 | static_cast<int>(made) << 8;
}
inline bool annotationIsMade(std::int64_t packed) { return (packed & 0x100) != 0; }
inline std::uint8_t flagsOf(std::int64_t packed) { return static_cast<std::uint8_t>(packed & 0x1f); }
inline Trust trustOf(std::int64_t packed) {
    const auto t = static_cast<std::uint8_t>((packed >> 5) & 7);
    return t <= static_cast<std::uint8_t>(Trust::Unknown) ? static_cast<Trust>(t) : Trust::Unknown;
}

}  // namespace aliascope::recording
