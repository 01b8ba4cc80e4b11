#include <array>
#include <string_view>

#include "core/ir/op_registry.h"
#include "views/session/stage_view.h"

namespace aliascope {
namespace {

using std::string_view;

// Operators of ATen that a reader looks for by kind of work; the registry tells views, copies and writes apart, but not these.
constexpr std::array<string_view, 22> kMatmul = {"mm",
                                                 "bmm",
                                                 "addmm",
                                                 "baddbmm",
                                                 "addbmm",
                                                 "matmul",
                                                 "linear",
                                                 "dot",
                                                 "mv",
                                                 "addmv",
                                                 "einsum",
                                                 "convolution",
                                                 "convolution_backward",
                                                 "conv2d",
                                                 "scaled_dot_product_attention",
                                                 "_scaled_dot_product_flash_attention",
                                                 "_scaled_dot_product_efficient_attention",
                                                 "_scaled_dot_product_flash_attention_backward",
                                                 "_scaled_dot_product_efficient_attention_backward",
                                                 "_scaled_mm",
                                                 "_grouped_mm",
                                                 "_int_mm"};
constexpr std::array<string_view, 32> kReduction = {"sum",
                                                    "mean",
                                                    "prod",
                                                    "max",
                                                    "min",
                                                    "amax",
                                                    "amin",
                                                    "argmax",
                                                    "argmin",
                                                    "any",
                                                    "all",
                                                    "var",
                                                    "var_mean",
                                                    "std",
                                                    "std_mean",
                                                    "norm",
                                                    "softmax",
                                                    "_softmax",
                                                    "_softmax_backward_data",
                                                    "log_softmax",
                                                    "_log_softmax",
                                                    "_log_softmax_backward_data",
                                                    "logsumexp",
                                                    "native_layer_norm",
                                                    "native_layer_norm_backward",
                                                    "native_batch_norm",
                                                    "native_batch_norm_backward",
                                                    "native_group_norm",
                                                    "cumsum",
                                                    "nll_loss_forward",
                                                    "topk",
                                                    "sort"};
constexpr std::array<string_view, 8> kCopy = {"clone",           "copy",       "copy_",  "_to_copy",
                                              "lift_fresh_copy", "contiguous", "resize", "convert_element_type"};

template <std::size_t N>
bool in(const std::array<string_view, N>& table, string_view name) {
    for (string_view entry : table)
        if (entry == name) return true;
    return false;
}

struct Spelling {
    string_view space, packet;  // `aten`, `view`
};

Spelling split(string_view op) {
    const auto colons = op.find("::");
    if (colons == string_view::npos) return {{}, op};
    string_view packet = op.substr(colons + 2);
    packet = packet.substr(0, packet.find('.'));
    return {op.substr(0, colons), packet};
}

/// Rows carry the target as the text spells it.
Name canonicalTarget(const NodeRow& node) { return canonicalOp(node.target.empty() ? node.op : node.target); }

Family familyOfCall(const NodeRow& node) {
    const Name op = canonicalTarget(node);
    const auto [space, packet] = split(op.view());
    if (node.flags & FlagUnparsed) return Family::Unknown;
    if (space == "hop") return Family::Wrapper;
    if (space.substr(0, 9) == "_c10d_fun" || space == "c10d") return Family::Collective;
    if (packet == "getitem") return Family::View;
    if (space == "operator" || space == "sym" || space == "math" || space == "torch") return Family::Shape;
    if (node.flags & FlagNoSchema) return Family::Unknown;
    if (space != "aten" && space != "prims") return Family::Custom;
    if (in(kCopy, packet)) return Family::Copy;
    if (in(kMatmul, packet)) return Family::Matmul;
    if (in(kReduction, packet)) return Family::Reduction;
    const OpDef* def = OpRegistry::builtin().find(op);
    if (!def) return Family::Pointwise;
    if (def->isView() || def->is(Trait::AliasIfLayout)) return Family::View;
    if (def->is(Trait::FreshCopy)) return Family::Copy;
    if (def->schema.isMutable()) return Family::Write;
    if (def->is(Trait::ShapeOnly)) return Family::Shape;
    return Family::Pointwise;
}

struct FamilyText {
    const char *tag, *word;
};
constexpr std::array<FamilyText, 13> kFamilies = {{{"IN", "input"},
                                                   {"OU", "output"},
                                                   {"VW", "view"},
                                                   {"CP", "copy"},
                                                   {"MU", "in-place write"},
                                                   {"HO", "wrapper"},
                                                   {"MM", "matrix product"},
                                                   {"RD", "reduction"},
                                                   {"PW", "pointwise"},
                                                   {"CO", "collective"},
                                                   {"CU", "custom operator"},
                                                   {"SH", "shape arithmetic"},
                                                   {"??", "unknown operator"}}};

}  // namespace

const char* familyTag(Family family) { return kFamilies[std::size_t(family)].tag; }
const char* familyWord(Family family) { return kFamilies[std::size_t(family)].word; }

Family familyOf(const NodeRow& node) {
    if (node.kind == "placeholder" || node.kind == "get_attr") return Family::Input;
    if (node.kind == "output") return Family::Output;
    if (node.op.empty() && node.target.empty()) return Family::Unknown;
    return familyOfCall(node);
}

std::string shortOp(const NodeRow& node) {
    if (node.kind == "placeholder") return "input";
    if (node.kind == "get_attr") return "constant";
    if (node.kind == "output") return "output";
    std::string op = node.kind == "call_function" ? canonicalTarget(node).str() : node.target;
    for (string_view dropped : {"aten::", "operator::", "hop::", "python::"}) {
        if (op.compare(0, dropped.size(), dropped) == 0) {
            op.erase(0, dropped.size());
            break;
        }
    }
    if (const auto colons = op.find("::"); colons != std::string::npos) op.replace(colons, 2, ".");
    if (constexpr string_view tail = ".default"; op.size() > tail.size() && op.compare(op.size() - tail.size(), tail.size(), tail) == 0)
        op.erase(op.size() - tail.size());
    return op;
}

}  // namespace aliascope
