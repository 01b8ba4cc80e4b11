#include "core/passes/reinplace_profit.h"

#include <algorithm>
#include <unordered_set>

#include "core/passes/functional_wrappers.h"

namespace aliascope {
namespace {

/// Operators that Inductor 2.11 runs as they are (`make_fallback` in its lowerings): their results are buffers, and so are their operands.
/// Packets without `aten::`; higher-order operators as they are.
const std::unordered_set<std::string_view>& fallbackPackets() {
    static const std::unordered_set<std::string_view> packets = {
        "hop::auto_functionalized",
        "_adaptive_avg_pool3d",
        "_adaptive_avg_pool3d_backward",
        "_addmm_activation",
        "_cdist_backward",
        "_cdist_forward",
        "_ctc_loss",
        "_ctc_loss_backward",
        "_cudnn_rnn",
        "_cudnn_rnn_backward",
        "_dirichlet_grad",
        "_efficient_attention_backward",
        "_efficient_attention_forward",
        "_embedding_bag",
        "_embedding_bag_dense_backward",
        "_embedding_bag_forward_only",
        "_embedding_bag_per_sample_weights_backward",
        "_fft_c2c",
        "_fft_c2r",
        "_fft_r2c",
        "_flash_attention_backward",
        "_flash_attention_forward",
        "_fused_moving_avg_obs_fq_helper",
        "_fused_moving_avg_obs_fq_helper_functional",
        "_grouped_mm",
        "_histogramdd_bin_edges",
        "_histogramdd_from_bin_cts",
        "_linalg_check_errors",
        "_linalg_det",
        "_linalg_eigh",
        "_linalg_slogdet",
        "_linalg_solve_ex",
        "_linalg_svd",
        "_pdist_backward",
        "_pdist_forward",
        "_sample_dirichlet",
        "_scaled_dot_product_attention_math_for_mps",
        "_scaled_dot_product_cudnn_attention",
        "_scaled_dot_product_cudnn_attention_backward",
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_efficient_attention_backward",
        "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_flash_attention_backward",
        "_scaled_dot_product_flash_attention_for_cpu",
        "_scaled_dot_product_flash_attention_for_cpu_backward",
        "_scaled_dot_product_fused_attention_overrideable",
        "_scaled_dot_product_fused_attention_overrideable_backward",
        "_segment_reduce_backward",
        "_sparse_coo_tensor_with_dims_and_tensors",
        "_standard_gamma",
        "_thnn_fused_lstm_cell",
        "_trilinear",
        "_unique2",
        "adaptive_max_pool2d_backward",
        "adaptive_max_pool3d",
        "adaptive_max_pool3d_backward",
        "addbmm",
        "avg_pool3d_backward",
        "bernoulli_",
        "bincount",
        "binomial",
        "bucketize",
        "cholesky",
        "cholesky_inverse",
        "cholesky_solve",
        "convolution_backward",
        "cummax",
        "cummin",
        "cumprod",
        "cumsum",
        "exponential",
        "fractional_max_pool2d_backward",
        "fractional_max_pool3d",
        "fractional_max_pool3d_backward",
        "geqrf",
        "grid_sampler_2d_backward",
        "grid_sampler_3d_backward",
        "histc",
        "histogram",
        "index_reduce",
        "kthvalue",
        "linalg_cholesky_ex",
        "linalg_cross",
        "linalg_eig",
        "linalg_eigvals",
        "linalg_householder_product",
        "linalg_inv_ex",
        "linalg_ldl_factor_ex",
        "linalg_ldl_solve",
        "linalg_lu",
        "linalg_lu_factor_ex",
        "linalg_lu_solve",
        "linalg_matrix_exp",
        "linalg_pinv",
        "linalg_qr",
        "linalg_solve_triangular",
        "logcumsumexp",
        "lu_unpack",
        "masked_scatter",
        "masked_scatter_backward",
        "max_pool3d_with_indices_backward",
        "max_unpool2d",
        "max_unpool3d",
        "median",
        "mode",
        "multinomial",
        "nanmedian",
        "nonzero",
        "nonzero_static",
        "normal",
        "ormqr",
        "poisson",
        "rand",
        "randint",
        "randn",
        "randperm",
        "record_stream",
        "repeat_interleave",
        "replication_pad1d_backward",
        "replication_pad2d_backward",
        "resize",
        "resize_",
        "resize_as",
        "resize_as_",
        "searchsorted",
        "segment_reduce",
        "set_",
        "sort",
        "topk",
        "triangular_solve",
        "uniform",
        "upsample_bicubic2d_backward",
        "upsample_linear1d_backward",
        "upsample_trilinear3d_backward",
        "view_as_complex",
    };
    return packets;
}

/// Operators whose lowering needs its operands in memory (`add_needs_realized_inputs`).
const std::unordered_set<std::string_view>& realizingPackets() {
    static const std::unordered_set<std::string_view> packets = {
        "_int_mm",
        "_upsample_nearest_exact2d",
        "as_strided",
        "as_strided_copy",
        "avg_pool2d",
        "avg_pool2d_backward",
        "bmm",
        "convolution",
        "convolution_backward",
        "max_pool2d_with_indices",
        "max_pool2d_with_indices_backward",
        "max_pool3d_with_indices",
        "mm",
        "upsample_nearest2d",
    };
    return packets;
}

/// `aten::sort.stable` -> `sort`; `hop::auto_functionalized` stays.
std::string_view packetKey(const Node& n) {
    std::string_view text = n.op.view();
    if (text.starts_with("hop::")) return text;
    if (!text.starts_with("aten::")) return {};
    text.remove_prefix(6);
    return text.substr(0, text.find('.'));
}

/// PyTorch knows the first form of wrapped calls as such a kernel, and forgot the second.
bool isKernel(const Node& n, AnalysisMode mode) {
    return fallbackPackets().contains(packetKey(n)) || (mode == AnalysisMode::Extent && wrapperKind(n) != WrapperKind::None);
}

bool isBuffer(const Graph& g, AnalysisMode mode, NodeId id) {
    const Node* n = &g[id];
    while (n->op == "operator::getitem" && n->arg(0).isNode() && g.before(n->arg(0).asNode(), n->id)) n = &g[n->arg(0).asNode()];
    return n->kind == NodeKind::Placeholder || n->kind == NodeKind::Output || isKernel(*n, mode);
}

bool surelyMaterialised(const Graph& g, AnalysisMode mode, NodeId id) {
    if (isBuffer(g, mode, id)) return true;
    return std::any_of(g[id].users.begin(), g[id].users.end(), [&](const Node::User& user) {
        const Node& n = g[user.id];
        return n.kind == NodeKind::Output || realizingPackets().contains(packetKey(n)) || isKernel(n, mode);
    });
}

}  // namespace

bool scatterPaysInPlace(const Graph& g, const ScatterForms& forms, AnalysisMode mode, NodeId id) {
    if (forms.alwaysWrites(id)) return true;
    const NodeId input = g[id].arg(0).asNode();
    const bool readsInput = mode == AnalysisMode::Reference || !forms.coversInput(g, id);
    if (readsInput && surelyMaterialised(g, mode, input) && surelyMaterialised(g, mode, id)) return true;
    const Node& from = g[input];
    if (from.kind != NodeKind::Placeholder && from.kind != NodeKind::GetAttr) return false;
    return std::any_of(g[id].users.begin(), g[id].users.end(),
                       [&](const Node::User& user) { return g[user.id].op == "aten::copy_" && g[user.id].arg(0).asNode() == input; });
}

}  // namespace aliascope
