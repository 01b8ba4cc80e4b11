// Layers: convolutions, normalisations, pooling, dropout, embedding, padding, attention.

#include <algorithm>

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {
namespace {

Value repeated(std::size_t n, std::int64_t v) { return Value::list(std::vector<Value>(n, Value::integer(v))); }

/// A number for all dimensions, or one per dimension.
Value perDim(const Value& v, std::size_t n) {
    const std::vector<Value> items = listOf(v);
    return items.size() == 1 ? Value::list(std::vector<Value>(n, items[0])) : Value::list(items);
}

/// How many dimensions the last letters of `conv2d`, `max_pool1d` say.
std::size_t dimsOf(std::string_view callee) { return static_cast<std::size_t>(callee[callee.size() - 2] - '0'); }

Lowered conv(Lowering& l, const PyArgs& a) {
    const std::size_t n = dimsOf(a.callee());
    const Value& padding = a["padding"];
    const bool named = padding.kind() == Value::Kind::String;
    if (l.rank(a["input"]) != n + 2 || (named && padding.name() != "valid")) {
        return l.emit("aten::" + std::string(a.callee()) + (named ? ".padding" : ""),
                      {a["input"], a["weight"], a["bias"], perDim(a["stride"], n), named ? padding : perDim(padding, n), perDim(a["dilation"], n),
                       a["groups"]});
    }
    return l.emit("aten::convolution", {a["input"], a["weight"], a["bias"], perDim(a["stride"], n), named ? repeated(n, 0) : perDim(padding, n),
                                        perDim(a["dilation"], n), Value::boolean(false), repeated(n, 0), a["groups"]});
}

Lowered convTranspose(Lowering& l, const PyArgs& a) {
    const std::size_t n = dimsOf(a.callee());
    if (l.rank(a["input"]) != n + 2) return std::nullopt;
    return l.emit("aten::convolution", {a["input"], a["weight"], a["bias"], perDim(a["stride"], n), perDim(a["padding"], n), perDim(a["dilation"], n),
                                        Value::boolean(true), perDim(a["output_padding"], n), a["groups"]});
}

Lowered maxPool(Lowering& l, const PyArgs& a) {
    const std::size_t n = dimsOf(a.callee());
    if (n == 1) return std::nullopt;
    const Value stride = a["stride"].isNone() ? a["kernel_size"] : a["stride"];
    const Lowered both =
        l.emit("aten::" + std::string(a.callee()).substr(0, 10) + "_with_indices",
               {a["input"], perDim(a["kernel_size"], n), perDim(stride, n), perDim(a["padding"], n), perDim(a["dilation"], n), a["ceil_mode"]});
    return a.isTrue("return_indices") ? both : l.item(both, 0);
}

Lowered adaptiveAverage(Lowering& l, const PyArgs& a) {
    const std::size_t n = dimsOf(a.callee());
    std::vector<Value> sizes = listOf(a["output_size"]);
    if (sizes.size() == 1) sizes.assign(n, sizes[0]);
    if (sizes.size() != n || n == 1) return l.emit("aten::" + std::string(a.callee()), {a["input"], Value::list(std::move(sizes))});
    const auto rank = l.rank(a["input"]);
    for (std::size_t d = 0; d < n; ++d)
        if (sizes[d].isNone()) {
            if (!rank || *rank < n) return std::nullopt;
            sizes[d] = l.size(a["input"], *rank - n + d);
        }
    const bool everything = std::all_of(sizes.begin(), sizes.end(), [](const Value& v) { return v.asInt() == std::optional<std::int64_t>(1); });
    if (!everything) return l.emit("aten::_" + std::string(a.callee()), {a["input"], Value::list(std::move(sizes))});
    std::vector<Value> dims;
    for (std::size_t d = n; d > 0; --d) dims.push_back(Value::integer(-static_cast<std::int64_t>(n - d) - 1));
    return l.emit("aten::mean.dim", {a["input"], Value::list(std::move(dims)), Value::boolean(true)});
}

Lowered layerNorm(Lowering& l, const PyArgs& a) {
    return l.item(l.emit("aten::native_layer_norm", {a["input"], Value::list(listOf(a["normalized_shape"])), a["weight"], a["bias"], a["eps"]}), 0);
}

Lowered groupNorm(Lowering& l, const PyArgs& a) {
    const Value& x = a["input"];
    if (l.rank(x).value_or(0) < 2) return l.emit("aten::group_norm", {x, a["num_groups"], a["weight"], a["bias"], a["eps"]});
    const std::vector<Value> sizes = l.sizes(x);
    Value area = Value::integer(1);
    for (std::size_t d = 2; d < sizes.size(); ++d) area = l.times(area, sizes[d]);
    return l.item(l.emit("aten::native_group_norm", {x, a["weight"], a["bias"], sizes[0], sizes[1], area, a["num_groups"], a["eps"]}), 0);
}

Lowered batchNorm(Lowering& l, const PyArgs& a) {
    const Value &x = a["input"], &mean = a["running_mean"], &var = a["running_var"];
    const auto training = a["training"].asBool();
    const Value momentum = a["momentum"].isNone() ? Value::real(0.0) : a["momentum"];
    if (!training) return std::nullopt;
    if (mean.isNone() || var.isNone()) {
        if (!mean.isNone() || !var.isNone()) return std::nullopt;
        return l.item(l.emit("aten::_native_batch_norm_legit.no_stats", {x, a["weight"], a["bias"], a["training"], momentum, a["eps"]}), 0);
    }
    if (!*training)
        return l.item(l.emit("aten::_native_batch_norm_legit_no_training", {x, a["weight"], a["bias"], mean, var, momentum, a["eps"]}), 0);
    return l.item(l.emit("aten::_native_batch_norm_legit", {x, a["weight"], a["bias"], mean, var, a["training"], momentum, a["eps"]}), 0);
}

Lowered dropout(Lowering& l, const PyArgs& a) {
    const auto training = a["training"].asBool();
    const auto p = a["p"].asNumber();
    if (!training || !p || a.isTrue("inplace")) return std::nullopt;
    if (!*training || *p == 0) return l.emit("aten::clone", {a["input"]});
    return l.item(l.emit("aten::native_dropout", {a["input"], a["p"], Value::boolean(true)}), 0);
}

/// The operands swap, and what F.embedding leaves open is stated.
Lowered embedding(Lowering& l, const PyArgs& a) {
    if (!a["max_norm"].isNone()) return std::nullopt;
    Value padding = a["padding_idx"].isNone() ? Value::integer(-1) : a["padding_idx"];
    if (const auto i = padding.asInt(); i && *i < 0 && !a["padding_idx"].isNone()) {
        const TensorType* w = l.tensor(a["weight"]);
        const auto rows = w && w->rank() == 2 ? w->sizes[0].constant() : std::nullopt;
        if (!rows) return std::nullopt;
        padding = Value::integer(*i + *rows);
    }
    return l.emit("aten::embedding", {a["weight"], a["input"], padding, a["scale_grad_by_freq"], a["sparse"]});
}

Lowered pad(Lowering& l, const PyArgs& a) {
    const std::vector<Value> pads = listOf(a["pad"]);
    const Value mode = a["mode"];
    if (mode.kind() != Value::Kind::String) return std::nullopt;
    if (mode.name() == "constant") {
        const Value value = a["value"].isNone() ? Value::real(0.0) : a["value"];
        return l.emit("aten::constant_pad_nd", {a["input"], Value::list(pads), value});
    }
    const std::string kind = mode.name() == "reflect" ? "reflection" : mode.name() == "replicate" ? "replication" : "";
    const std::size_t n = pads.size() / 2;
    if (kind.empty() || pads.size() % 2 != 0 || n < 1 || n > 3) return l.emit("aten::pad", {a["input"], Value::list(pads), mode, a["value"]});
    return l.emit("aten::" + kind + "_pad" + std::to_string(n) + "d", {a["input"], Value::list(pads)});
}

}  // namespace

const Rules& networkRules() {
    static const Rules rules = [] {
        Rules r = {
            {"max_pool2d", "input kernel_size stride=None padding=0 dilation=1 ceil_mode=False return_indices=False", maxPool},
            {"max_pool3d", "input kernel_size stride=None padding=0 dilation=1 ceil_mode=False return_indices=False", maxPool},
            {"adaptive_avg_pool1d", "input output_size", adaptiveAverage},
            {"adaptive_avg_pool2d", "input output_size", adaptiveAverage},
            {"adaptive_avg_pool3d", "input output_size", adaptiveAverage},
            {"layer_norm", "input normalized_shape weight=None bias=None eps=1e-05 cudnn_enable=True", layerNorm},
            {"group_norm", "input num_groups weight=None bias=None eps=1e-05 cudnn_enabled=True", groupNorm},
            {"batch_norm", "input running_mean running_var weight=None bias=None training=False momentum=0.1 eps=1e-05", batchNorm},
            {"dropout", "input p=0.5 training=True inplace=False", dropout},
            {"embedding", "input weight padding_idx=None max_norm=None norm_type=2.0 scale_grad_by_freq=False sparse=False", embedding},
            {"pad", "input pad mode=constant value=None", pad},
        };
        for (std::string_view name : {"conv1d", "conv2d", "conv3d"})
            r.push_back({name, "input weight bias=None stride=1 padding=0 dilation=1 groups=1", conv});
        for (std::string_view name : {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"})
            r.push_back({name, "input weight bias=None stride=1 padding=0 output_padding=0 groups=1 dilation=1", convTranspose});
        return r;
    }();
    return rules;
}

}  // namespace aliascope::torch_lowering
