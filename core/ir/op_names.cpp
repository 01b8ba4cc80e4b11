// Spellings of operator names (formats.md 6).

#include <algorithm>
#include <array>

#include "core/ir/op_registry.h"

namespace aliascope {
namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& sorted, std::string_view s) {
    return std::binary_search(sorted.begin(), sorted.end(), s);
}

constexpr std::array<std::string_view, 48> higherOrder = {"aoti_call_delegate",
                                                          "associative_scan",
                                                          "auto_functionalized",
                                                          "auto_functionalized_v2",
                                                          "autograd_function_apply",
                                                          "call_torchbind",
                                                          "checkpoint",
                                                          "cond",
                                                          "control_deps",
                                                          "custom_function_call",
                                                          "dynamo_bypassing_wrapper",
                                                          "executorch_call_delegate",
                                                          "export_tracepoint",
                                                          "flat_apply",
                                                          "flex_attention",
                                                          "flex_attention_backward",
                                                          "foreach_map",
                                                          "functional_call_with_state",
                                                          "hints_wrapper",
                                                          "inline_asm_elementwise",
                                                          "inner_tensor",
                                                          "invoke_quant",
                                                          "invoke_quant_packed",
                                                          "invoke_subgraph",
                                                          "local_map_hop",
                                                          "map",
                                                          "map_impl",
                                                          "out_dtype",
                                                          "print",
                                                          "run_and_save_rng_state",
                                                          "run_const_graph",
                                                          "run_with_rng_state",
                                                          "scan",
                                                          "strict_mode",
                                                          "tag_activation_checkpoint",
                                                          "trace_wrapped",
                                                          "triton_kernel_wrapper_functional",
                                                          "triton_kernel_wrapper_mutation",
                                                          "while_loop",
                                                          "while_loop_stack_output",
                                                          "with_effects",
                                                          "wrap",
                                                          "wrap_activation_checkpoint",
                                                          "wrap_body_with_set_grad",
                                                          "wrap_generic",
                                                          "wrap_inductor_compiled_regions",
                                                          "wrap_with_autocast",
                                                          "wrap_with_set_grad_enabled"};
static_assert(std::is_sorted(higherOrder.begin(), higherOrder.end()));

/// Words that are builtins of Python when they stand alone; `print` alone is one too, although there is an operator hop::print.
constexpr std::array<std::string_view, 25> builtins = {"all",     "any",     "bool",  "delattr",    "dict", "divmod", "enumerate", "float", "getattr",
                                                       "hasattr", "id",      "int",   "isinstance", "iter", "len",    "list",      "next",  "print",
                                                       "range",   "setattr", "slice", "str",        "sum",  "tuple",  "type"};
static_assert(std::is_sorted(builtins.begin(), builtins.end()));

/// Namespaces of PyTorch itself: `aten.add` without `torch.ops.` is an operator.
constexpr std::array<std::string_view, 23> namespaces = {"_c10d_functional",
                                                         "_c10d_functional_autograd",
                                                         "_inductor_test",
                                                         "_quantized",
                                                         "_test",
                                                         "aten",
                                                         "c10d",
                                                         "c10d_functional",
                                                         "dim_order_ops",
                                                         "export",
                                                         "fbgemm",
                                                         "fsdp",
                                                         "inductor",
                                                         "mkl",
                                                         "mkldnn",
                                                         "prim",
                                                         "prims",
                                                         "profiler",
                                                         "quantized",
                                                         "quantized_decomposed",
                                                         "rngprims",
                                                         "symm_mem",
                                                         "torchvision"};
static_assert(std::is_sorted(namespaces.begin(), namespaces.end()));

/// Last parts that tell an operator of an unknown namespace from a Python path.
constexpr std::array<std::string_view, 12> overloadWords = {"Dimname", "Scalar", "Tensor", "Tensor_Scalar", "Tensor_Tensor", "default",
                                                            "dim",     "float",  "int",    "int_out",       "out",           "self"};
static_assert(std::is_sorted(overloadWords.begin(), overloadWords.end()));

bool cut(std::string_view& s, std::string_view prefix) {
    if (!s.starts_with(prefix)) return false;
    s.remove_prefix(prefix.size());
    return true;
}

std::string_view lastPart(std::string_view s) {
    const auto dot = s.rfind('.');
    return dot == std::string_view::npos ? s : s.substr(dot + 1);
}

bool isPath(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
}

Name prefixed(std::string_view prefix, std::string_view rest) {
    std::string out(prefix);
    out += rest;
    return Name(out);
}

/// `NS.N.O` -> `NS::N.O`; `.default` is the empty overload.
Name fromDotted(std::string_view s) {
    const auto dot = s.find('.');
    if (dot == std::string_view::npos) return contains(higherOrder, s) ? prefixed("hop::", s) : prefixed("python::torch.ops.", s);
    const std::string_view ns = s.substr(0, dot);
    std::string_view rest = s.substr(dot + 1);
    if (ns == "higher_order") return prefixed("hop::", rest);
    if (rest.ends_with(".default")) rest.remove_suffix(8);
    std::string out(ns);
    out += "::";
    out += rest;
    return Name(out);
}

/// The text between `key='` and the next quote.
std::string_view quoted(std::string_view s, std::string_view key) {
    const auto at = s.find(key);
    if (at == std::string_view::npos) return {};
    s.remove_prefix(at + key.size());
    if (s.empty() || (s[0] != '\'' && s[0] != '"')) return {};
    const auto end = s.find(s[0], 1);
    return end == std::string_view::npos ? std::string_view() : s.substr(1, end - 1);
}

/// `<built-in function N>`, `<OpOverload(…)>`, … : what Python's repr shows.
Name fromRepr(std::string_view s) {
    const std::string_view whole = s;
    s.remove_prefix(1);
    if (s.ends_with('>')) s.remove_suffix(1);
    if (s.starts_with("OpOverload")) {
        const std::string_view op = quoted(s, "op="), overload = quoted(s, "overload=");
        if (!op.empty()) return fromDotted(overload.empty() ? std::string(op) : std::string(op) + "." + std::string(overload));
    }
    const auto word = [&s] { return s.substr(0, s.find_first_of(" >")); };
    if (cut(s, "built-in function ")) {
        const auto n = word();
        return prefixed(contains(builtins, n) ? "builtin::" : "operator::", n);
    }
    if (cut(s, "built-in method ") || cut(s, "function ")) {
        const auto n = word();
        if (n.find('<') == std::string_view::npos) return prefixed("torch::", n);
    }
    if (cut(s, "class '")) {
        const auto n = s.substr(0, s.find('\''));
        return contains(builtins, n) ? prefixed("builtin::", n) : canonicalOp(n);
    }
    return prefixed("python::", whole);
}

bool looksLikeOperator(std::string_view s) {
    const std::string_view first = s.substr(0, s.find('.'));
    if (contains(namespaces, first)) return true;
    return std::count(s.begin(), s.end(), '.') >= 2 && contains(overloadWords, lastPart(s));
}

}  // namespace

Name canonicalOp(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    if (s.empty()) return {};
    if (s.front() == '<' && s != "<lambda>") return fromRepr(s);
    if (s.front() == '#') {
        s.remove_prefix(1);
        const auto colon = s.find(':');
        if (colon == std::string_view::npos) return prefixed("ext::", s);
        return Name("ext::" + std::string(s.substr(0, colon)) + "." + std::string(s.substr(colon + 1)));
    }
    if (s.find("::") != std::string_view::npos) {
        if (s.ends_with(".default")) s.remove_suffix(8);
        return Name(s);
    }
    if (!isPath(s)) return prefixed("python::", s);
    if (cut(s, "torch.ops.") || cut(s, "torch._ops.ops.") || cut(s, "executorch.exir.dialects.edge._ops.") || cut(s, "edge._ops."))
        return fromDotted(s);
    if (s.starts_with("torch._higher_order_ops.")) return prefixed("hop::", lastPart(s));
    if (cut(s, "operator.") || cut(s, "_operator.")) return prefixed("operator::", s);
    if (cut(s, "builtins.")) return prefixed("builtin::", s);
    if (cut(s, "math.")) return prefixed("math::", s);
    if (cut(s, "torch.")) return prefixed("torch::", s);
    if (cut(s, "self.")) return prefixed("module::", s);
    if (cut(s, "higher_order.")) return prefixed("hop::", s);
    if (s.find('.') == std::string_view::npos) {
        if (contains(builtins, s)) return prefixed("builtin::", s);
        if (contains(higherOrder, s)) return prefixed("hop::", s);
        return prefixed("python::", s);
    }
    return looksLikeOperator(s) ? fromDotted(s) : prefixed("python::", s);
}

Name spellOp(Name canonical) {
    std::string_view s = canonical.view();
    if (cut(s, "hop::")) return prefixed("torch.ops.higher_order.", s);
    if (cut(s, "operator::")) return prefixed("operator.", s);
    if (cut(s, "math::")) return prefixed("math.", s);
    if (cut(s, "torch::")) return prefixed("torch.", s);
    if (cut(s, "module::")) return prefixed("self.", s);
    if (cut(s, "builtin::") || cut(s, "python::") || cut(s, "method::")) return Name(s);
    if (cut(s, "ext::")) {
        const auto dot = s.find('.');
        if (dot == std::string_view::npos) return prefixed("#", s);
        return Name("#" + std::string(s.substr(0, dot)) + ":" + std::string(s.substr(dot + 1)));
    }
    return s.find("::") == std::string_view::npos ? canonical : prefixed("torch.ops.", spellOpArgument(canonical));
}

std::string spellOpArgument(Name canonical) {
    std::string_view s = canonical.view();
    if (cut(s, "hop::")) return std::string(s);
    const auto colons = s.find("::");
    if (colons == std::string_view::npos) return std::string(s);
    const std::string_view ns = s.substr(0, colons);
    for (std::string_view other : {"operator", "math", "torch", "module", "builtin", "python", "method", "ext"})
        if (ns == other) return spellOp(canonical).str();
    std::string out = std::string(ns) + "." + std::string(s.substr(colons + 2));
    if (s.find('.', colons) == std::string_view::npos) out += ".default";
    return out;
}

Name packetOf(Name canonical) {
    const std::string_view s = canonical.view();
    for (std::string_view whole : {"hop::", "operator::", "math::", "torch::", "module::", "builtin::", "python::", "method::", "ext::"})
        if (s.starts_with(whole)) return canonical;
    const auto colons = s.find("::");
    const auto dot = s.find('.', colons == std::string_view::npos ? 0 : colons);
    return dot == std::string_view::npos ? canonical : Name(s.substr(0, dot));
}

}  // namespace aliascope
