// The scaled dot-product attention operators that PyTorch chooses between (executor.md 2.3, attention). They differ in what they return besides the
// output: the logarithms of the softmax sums, the state of the dropout mask.

#include "core/exec/cpu/attention_rows.h"
#include "core/exec/cpu/families.h"
#include "core/exec/cpu/strided.h"

namespace aliascope::exec {
namespace {

/// Query, key and value at `first` and after it; bias, scale and mask by name.
AttentionShape shapeOf(const OpCall& call, std::size_t first) {
    AttentionShape s;
    s.query = call.tensor(first);
    s.key = call.tensor(first + 1);
    s.value = call.tensor(first + 2);
    s.check();
    for (const char* name : {"attn_bias", "attn_mask"})
        if (const Tensor* bias = call.arg(name).tensor()) s.bias = bias->numel() || bias->rank() > 1 ? bias : nullptr;
    s.scale = call.arg("scale").number().value_or(1 / std::sqrt(static_cast<double>(s.width())));
    s.causal = call.arg("is_causal").boolean().value_or(false);
    s.dropout = call.arg("dropout_p").number().value_or(0);
    if (!(s.dropout >= 0 && s.dropout < 1)) failUnsupported("dropout_p is not in [0, 1)");
    return s;
}

/// Seed and offset of the dropout mask, for the backward; 0 without dropout.
void writeState(const AttentionShape& s, const Tensor& seed, const Tensor& offset) {
    if (seed.storage) writeInteger(seed, 0, s.dropout > 0 ? static_cast<std::int64_t>(s.random.seed) : 0);
    if (offset.storage) writeInteger(offset, 0, s.dropout > 0 ? static_cast<std::int64_t>(s.random.offset) : 0);
}

RandomState readState(const OpCall& call) {
    const Tensor *seed = call.arg("philox_seed").tensor(), *offset = call.arg("philox_offset").tensor();
    RandomState state;
    if (seed && seed->numel() > 0) state.seed = static_cast<std::uint64_t>(readInteger(*seed));
    if (seed && seed->numel() > 1)
        state.offset = static_cast<std::uint64_t>(readInteger(*seed, seed->strides.back()));
    else if (offset && offset->numel() > 0)
        state.offset = static_cast<std::uint64_t>(readInteger(*offset));
    return state;
}

/// Results: output, logsumexp, None, None, sizes, seed, offset, None. Sizes are no tensors.
void cudnn(OpCall& call) {
    AttentionShape s = shapeOf(call, 0);
    s.random = call.random;
    attentionForward(call, s, call.out(), call.out(1));
    writeState(s, call.out(4), call.out(5));
}

/// Results: output, logsumexp padded to a multiple of 32 rows, seed, offset.
void efficient(OpCall& call) {
    AttentionShape s = shapeOf(call, 0);
    s.random = call.random;
    s.emptyRow = EmptyRow::LseZero;
    Tensor logsumexp = call.out(1);
    if (logsumexp.storage) fillScalar(logsumexp, std::numeric_limits<double>::infinity());  // of rows that are only padding
    if (logsumexp.sizes[2] == 0) logsumexp.storage.reset();
    attentionForward(call, s, call.out(), logsumexp);
    writeState(s, call.out(2), call.out(3));
}

/// Flash attention aligns the triangle at the bottom right; the operators that PyTorch chooses by itself get equal lengths, where that is the same.
AttentionShape flashShapeOf(const OpCall& call, std::size_t first) {
    AttentionShape s = shapeOf(call, first);
    s.causalShift = s.keys() - s.queries();
    return s;
}

/// Results: output, logsumexp, None, None, sizes, seed and offset in one tensor, an unused one, an empty mask.
void flash(OpCall& call) {
    AttentionShape s = flashShapeOf(call, 0);
    s.random = call.random;
    attentionForward(call, s, call.out(), call.out(1));
    const Tensor& state = call.out(4);
    fillScalar(state, 0.0);
    if (s.dropout > 0) {
        writeInteger(state, 0, static_cast<std::int64_t>(s.random.seed));
        writeInteger(state, state.strides[0], static_cast<std::int64_t>(s.random.offset));
    }
    fillScalar(call.out(5), 0.0);
}

void flashForCpu(OpCall& call) {
    const AttentionShape s = shapeOf(call, 0);
    if (s.dropout > 0) failUnsupported("it has no dropout");
    attentionForward(call, s, call.out(), call.out(1));
}

/// scaled_dot_product_attention itself: query, key and value of any rank, the outer dimensions alike.
void composite(OpCall& call) {
    const auto fourDims = [](const Tensor& t) {
        if (t.rank() < 2 || t.rank() > 4) failUnsupported("query, key and value of 2 to 4 dimensions are attended to");
        Tensor out = t;
        while (out.rank() < 4) {
            out.sizes.insert(out.sizes.begin(), 1);
            out.strides.insert(out.strides.begin(), 0);
        }
        return out;
    };
    OpCall inner = call;
    for (std::size_t i = 0; i < 3; ++i) inner.args[i] = fourDims(call.tensor(i));
    AttentionShape s = shapeOf(inner, 0);
    s.random = call.random;
    attentionForward(inner, s, fourDims(call.out()), {});
}

Tensor outputOr(const OpCall& call, std::size_t i) { return i < call.outputs.size() ? call.outputs[i] : Tensor(); }

const Tensor& tensorNamed(const OpCall& call, std::string_view name) {
    if (const Tensor* t = call.arg(name).tensor()) return *t;
    failUnsupported(std::string(name) + " is not a tensor");
}

void backward(OpCall& call, AttentionShape s) {
    s.random = readState(call);
    const Tensor &grad = call.tensor(0), &out = tensorNamed(call, "out"), &logsumexp = tensorNamed(call, "logsumexp");
    if (grad.sizes != out.sizes || out.rank() != 4 || out.sizes != Shape{s.batch(), s.heads(), s.queries(), s.valueWidth()})
        failShape("out", shapeText(out.sizes), shapeText(grad.sizes));
    if (logsumexp.rank() < 3 || logsumexp.sizes[0] != s.batch() || logsumexp.sizes[1] != s.heads() || logsumexp.sizes[2] < s.queries())
        failShape("logsumexp", shapeText(logsumexp.sizes), shapeText({s.batch(), s.heads(), s.queries()}));
    attentionBackward(call, s, grad, out, logsumexp, {outputOr(call, 0), outputOr(call, 1), outputOr(call, 2), outputOr(call, 3)});
}

void plainBackward(OpCall& call) { backward(call, shapeOf(call, 1)); }
void flashBackward(OpCall& call) { backward(call, flashShapeOf(call, 1)); }

}  // namespace

void registerAttention(KernelTable& table) {
    const auto add = [&](const char* op, KernelFn run) { table.add(op, run, ToleranceClass::Attention); };
    add("aten::_scaled_dot_product_cudnn_attention", cudnn);
    add("aten::_scaled_dot_product_efficient_attention", efficient);
    add("aten::_scaled_dot_product_flash_attention", flash);
    add("aten::_scaled_dot_product_flash_attention_for_cpu", flashForCpu);
    add("aten::scaled_dot_product_attention", composite);
    for (const char* op : {"aten::_scaled_dot_product_cudnn_attention_backward", "aten::_scaled_dot_product_efficient_attention_backward",
                           "aten::_scaled_dot_product_flash_attention_for_cpu_backward"})
        add(op, plainBackward);
    add("aten::_scaled_dot_product_flash_attention_backward", flashBackward);
}

}  // namespace aliascope::exec
