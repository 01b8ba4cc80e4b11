#include "core/passes/lower_torch_modules.h"

#include "core/text/arguments.h"

namespace aliascope::torch_lowering {
namespace {

/// A constructor as text: its class and its arguments.
struct Constructor {
    std::string kind;
    Node call;  ///< arguments only
};

std::optional<Constructor> parseConstructor(std::string_view text) {
    const auto open = text.find('(');
    if (open == std::string_view::npos) return std::nullopt;
    // `Linear(…).cuda()`: the arguments end at the bracket that closes the first.
    std::size_t depth = 0, end = std::string_view::npos;
    for (std::size_t i = open; i < text.size() && end == std::string_view::npos; ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')' && --depth == 0) end = i + 1;
    }
    if (end == std::string_view::npos) return std::nullopt;
    const auto arguments = parseArguments(text.substr(open, end - open), Graph());
    if (!arguments) return std::nullopt;
    Constructor out;
    const std::string_view path = text.substr(0, open);
    out.kind = std::string(path.substr(path.rfind('.') + 1));
    out.call.args = arguments->args;
    out.call.kwargs = arguments->kwargs;
    return out;
}

/// What the makers of calls work with.
struct Layer {
    Lowering& l;
    std::string path;  ///< of the module
    PyArgs args;       ///< of the constructor
    Value input;

    /// A parameter or buffer of the layer.
    Value constant(std::string_view name, std::vector<Value> sizes) const { return l.constant(path + "." + std::string(name), sizes, input); }
    Value optional(bool there, std::string_view name, std::vector<Value> sizes) const { return there ? constant(name, std::move(sizes)) : Value(); }
};

FunctionCall linear(const Layer& m) {
    const Value &in = m.args["in_features"], &out = m.args["out_features"];
    return {"linear", {m.input, m.constant("weight", {out, in}), m.optional(m.args.isTrue("bias"), "bias", {out})}, {}};
}

FunctionCall conv(const Layer& m) {
    const std::string name(m.args.callee());
    const std::size_t n = static_cast<std::size_t>(name[name.size() - 2] - '0');
    const Value &in = m.args["in_channels"], &out = m.args["out_channels"], &groups = m.args["groups"];
    const std::int64_t divisor = groups.asInt().value_or(0);
    if (!in.asInt() || divisor <= 0 || !(m.args["padding_mode"].name() == "zeros")) return {};
    std::vector<Value> sizes{out, Value::integer(*in.asInt() / divisor)};
    const std::vector<Value> kernel = listOf(m.args["kernel_size"]);
    for (std::size_t d = 0; d < n; ++d) sizes.push_back(kernel[kernel.size() == n ? d : 0]);
    return {"conv" + std::to_string(n) + "d",
            {m.input, m.constant("weight", std::move(sizes)), m.optional(m.args.isTrue("bias"), "bias", {out}), m.args["stride"], m.args["padding"],
             m.args["dilation"], groups},
            {}};
}

FunctionCall layerNorm(const Layer& m) {
    const Value shape = Value::list(listOf(m.args["normalized_shape"]));
    const bool affine = m.args.isTrue("elementwise_affine");
    return {"layer_norm",
            {m.input, shape, m.optional(affine, "weight", shape.items()), m.optional(affine && m.args.isTrue("bias"), "bias", shape.items()),
             m.args["eps"]},
            {}};
}

FunctionCall groupNorm(const Layer& m) {
    const bool affine = m.args.isTrue("affine");
    const std::vector<Value> sizes{m.args["num_channels"]};
    return {"group_norm", {m.input, m.args["num_groups"], m.optional(affine, "weight", sizes), m.optional(affine, "bias", sizes), m.args["eps"]}, {}};
}

FunctionCall batchNorm(const Layer& m) {
    const bool affine = m.args.isTrue("affine"), tracked = m.args.isTrue("track_running_stats");
    const std::vector<Value> sizes{m.args["num_features"]};
    return {"batch_norm",
            {m.input, m.optional(tracked, "running_mean", sizes), m.optional(tracked, "running_var", sizes), m.optional(affine, "weight", sizes),
             m.optional(affine, "bias", sizes), Value::boolean(true), m.args["momentum"], m.args["eps"]},
            {}};
}

FunctionCall embedding(const Layer& m) {
    return {"embedding", {m.input, m.constant("weight", {m.args["num_embeddings"], m.args["embedding_dim"]}), m.args["padding_idx"]}, {}};
}

/// Layers without parameters: the function of the same meaning, with the constructor's arguments as keywords.
FunctionCall plain(const Layer& m, std::string_view function) {
    FunctionCall call{std::string(function), {m.input}, {}};
    for (const auto& [name, value] : m.args.values()) call.kwargs.emplace_back(Name(name), value);
    return call;
}

struct LayerKind {
    std::string_view kind, signature, function;
    FunctionCall (*make)(const Layer&) = nullptr;  ///< null: `plain`
};

const std::vector<LayerKind>& layerKinds() {
    constexpr std::string_view kConv = "in_channels out_channels kernel_size stride=1 padding=0 dilation=1 groups=1 bias=True padding_mode=zeros";
    constexpr std::string_view kBatchNorm = "num_features eps=1e-05 momentum=0.1 affine=True track_running_stats=True";
    constexpr std::string_view kMaxPool = "kernel_size stride=None padding=0 dilation=1 return_indices=False ceil_mode=False";
    static const std::vector<LayerKind> kinds = {
        {"Linear", "in_features out_features bias=True", {}, linear},
        {"Conv1d", kConv, {}, conv},
        {"Conv2d", kConv, {}, conv},
        {"Conv3d", kConv, {}, conv},
        {"LayerNorm", "normalized_shape eps=1e-05 elementwise_affine=True bias=True", {}, layerNorm},
        {"GroupNorm", "num_groups num_channels eps=1e-05 affine=True", {}, groupNorm},
        {"BatchNorm1d", kBatchNorm, {}, batchNorm},
        {"BatchNorm2d", kBatchNorm, {}, batchNorm},
        {"BatchNorm3d", kBatchNorm, {}, batchNorm},
        {"Embedding", "num_embeddings embedding_dim padding_idx=None", {}, embedding},
        {"ReLU", "inplace=False", "relu"},
        {"ReLU6", "inplace=False", "relu6"},
        {"SiLU", "inplace=False", "silu"},
        {"Mish", "inplace=False", "mish"},
        {"Hardswish", "inplace=False", "hardswish"},
        {"Hardsigmoid", "inplace=False", "hardsigmoid"},
        {"LeakyReLU", "negative_slope=0.01 inplace=False", "leaky_relu"},
        {"ELU", "alpha=1.0 inplace=False", "elu"},
        {"GELU", "approximate=none", "gelu"},
        {"Sigmoid", "", "sigmoid"},
        {"Tanh", "", "tanh"},
        {"Identity", "", "positive"},
        {"Softmax", "dim=None", "softmax"},
        {"LogSoftmax", "dim=None", "log_softmax"},
        {"Dropout", "p=0.5 inplace=False", "dropout"},
        {"Flatten", "start_dim=1 end_dim=-1", "flatten"},
        {"MaxPool2d", kMaxPool, "max_pool2d"},
        {"MaxPool3d", kMaxPool, "max_pool3d"},
        {"AvgPool2d", "kernel_size stride=None padding=0", "avg_pool2d"},
        {"AdaptiveAvgPool2d", "output_size", "adaptive_avg_pool2d"},
    };
    return kinds;
}

}  // namespace

FunctionCall functionOfModule(Lowering& l, const Node& call) {
    const Value* text = call.metaValue(kConstructor);
    if (!text || call.args.size() != 1 || !call.kwargs.empty()) return {};
    const auto constructor = parseConstructor(text->name().view());
    if (!constructor) return {};
    for (const LayerKind& kind : layerKinds()) {
        if (kind.kind != constructor->kind) continue;
        auto args = Signature(kind.signature).bind(constructor->call, constructor->kind);
        if (!args) return {};
        const Layer layer{l, call.target.str(), std::move(*args), call.args[0]};
        return kind.make ? kind.make(layer) : plain(layer, kind.function);
    }
    return {};
}

}  // namespace aliascope::torch_lowering
