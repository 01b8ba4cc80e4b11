#include "core/patterns/attention_kernels.h"

#include <limits>

namespace aliascope::patterns {
namespace {

bool isCuda(const TensorType& t) { return t.device.view().starts_with("cuda"); }

/// Trailing positional arguments that have their defaults are not written.
void dropDefaults(std::vector<Value>& args, const std::vector<Value>& defaults, std::size_t required) {
    while (args.size() > required && args.back() == defaults[args.size() - 1 - required]) args.pop_back();
}

std::vector<Keyword> scaleKeyword(const Value& scale) {
    if (scale.isNone()) return {};
    return {{"scale"_n, scale}};
}

/// A boolean mask says what is kept; kernels add.
Value additive(Program& p, const Value& mask, DType dtype, double lowest) {
    if (mask.isNone() || p.tensor(mask).dtype != DType::B8) return mask;
    const TensorType& t = p.tensor(mask);
    const auto scalar = [&](double v) {
        return p.call("aten::scalar_tensor"_n, {Value::real(v)},
                      {{"dtype"_n, dtypeValue(dtype)}, {"layout"_n, Value::constant("torch.strided"_n)}, {"device"_n, Value::device(t.device)}});
    };
    const Value none = scalar(lowest), zero = scalar(0.0);
    return p.call("aten::where.self"_n, {mask, zero, none});
}

/// The efficient kernel wants every stride of the mask but the last to be a multiple of 8, and the mask of full size.
Value forEfficient(Program& p, Value mask, const TensorType& q, const TensorType& k) {
    if (mask.isNone()) return mask;
    const TensorType type = p.tensor(mask);
    bool aligned = true;
    for (std::size_t i = 0; i + 1 < type.rank(); ++i) {
        const auto stride = type.strides ? (*type.strides)[i].constant() : std::nullopt;
        aligned &= stride && *stride % 8 == 0;
    }
    if (!aligned) {
        const auto last = type.rank() ? type.sizes.back().constant() : std::nullopt;
        if (!last) throw TraceError{"a mask whose last size is not known cannot be aligned"};
        if (*last % 8 != 0) {
            mask = p.call("aten::constant_pad_nd"_n, {mask, Value::list({Value::integer(0), Value::integer(8 - *last % 8)}), Value::real(0.0)});
            mask = p.call("aten::slice.Tensor"_n, {mask, Value::integer(-1), Value::integer(0), Value::integer(*last)});
        }
    }
    return p.call("aten::expand"_n, {mask, sizesValue({q.sizes[0], q.sizes[1], q.sizes[2], k.sizes[2]})});
}

bool broadcasts(const SymInt& size, const SymInt& to) { return size == SymInt(1) || size == to; }

void checkMask(const Program& p, const Program::Attention& call) {
    if (call.mask.isNone()) return;
    const TensorType &m = p.tensor(call.mask), &q = p.tensor(call.query), &k = p.tensor(call.key);
    const std::vector<SymInt> want = {q.sizes[0], q.sizes[1], q.sizes[2], k.sizes[2]};
    if (m.rank() > 4 || m.rank() < 1) throw TraceError{"a mask of rank " + std::to_string(m.rank())};
    for (std::size_t i = 0; i < m.rank(); ++i)
        if (!broadcasts(m.sizes[m.rank() - 1 - i], want[3 - i]))
            throw TraceError{"the mask " + m.str(false, false) + " does not broadcast to the scores"};
    if (m.dtype != DType::B8 && m.dtype != q.dtype)
        throw TraceError{"the mask is " + std::string(info(m.dtype).shortName) + ", the query " + std::string(info(q.dtype).shortName)};
}

struct Kernel {
    Program& p;
    Program::Attention call;
    Value mask;      ///< as the kernel gets it
    bool gradients;  ///< of query, key or value

    const Value& q() const { return call.query; }
    const Value& k() const { return call.key; }
    const Value& v() const { return call.value; }

    Value cudnn() {
        mask = additive(p, call.mask, p.tensor(q()).dtype, -65504.0);
        std::vector<Value> args = {q(), k(), v(), mask, Value::boolean(gradients), call.dropout, Value::boolean(call.causal), Value::boolean(false)};
        dropDefaults(args, {Value::real(0.0), Value::boolean(false), Value::boolean(false)}, 5);
        const Value results = p.call("aten::_scaled_dot_product_cudnn_attention"_n, std::move(args), scaleKeyword(call.scale));
        const Value out = p.select(results, 0);
        if (!gradients) return out;
        const Value lse = p.select(results, 1), seed = p.select(results, 6), offset = p.select(results, 7);
        const SymInt queryLength = p.tensor(q()).sizes[2], keyLength = p.tensor(k()).sizes[2];
        onBackward(out, "aten::_scaled_dot_product_cudnn_attention_backward"_n, [=, *this](Value grad) {
            return std::vector<Value>{grad,
                                      q(),
                                      k(),
                                      v(),
                                      out,
                                      lse,
                                      seed,
                                      offset,
                                      mask,
                                      Value(),
                                      Value(),
                                      Value::sym(queryLength),
                                      Value::sym(keyLength),
                                      call.dropout,
                                      Value::boolean(call.causal)};
        });
        return out;
    }

    Value efficient() {
        const TensorType query = p.tensor(q()), key = p.tensor(k());
        mask = forEfficient(p, additive(p, call.mask, query.dtype, -std::numeric_limits<double>::infinity()), query, key);
        std::vector<Value> args = {q(), k(), v(), mask, Value::boolean(gradients), call.dropout, Value::boolean(call.causal)};
        dropDefaults(args, {Value::real(0.0), Value::boolean(false)}, 5);
        const Value results = p.call("aten::_scaled_dot_product_efficient_attention"_n, std::move(args), scaleKeyword(call.scale));
        const Value out = p.select(results, 0);
        if (!gradients) return out;
        const Value lse = p.select(results, 1), seed = p.select(results, 2), offset = p.select(results, 3);
        onBackward(out, "aten::_scaled_dot_product_efficient_attention_backward"_n, [=, *this](Value grad) {
            const Value yes = Value::boolean(true);
            std::vector<Value> in = {grad,
                                     q(),
                                     k(),
                                     v(),
                                     mask,
                                     out,
                                     lse,
                                     seed,
                                     offset,
                                     call.dropout,
                                     Value::list({yes, yes, yes, Value::boolean(false)}),
                                     Value::boolean(call.causal)};
            dropDefaults(in, {Value::boolean(false)}, 11);
            return in;
        });
        return out;
    }

    Value flashCpu() {
        mask = additive(p, call.mask, p.tensor(q()).dtype, -std::numeric_limits<double>::infinity());
        std::vector<Value> args = {q(), k(), v(), call.dropout, Value::boolean(call.causal)};
        dropDefaults(args, {Value::real(0.0), Value::boolean(false)}, 3);
        std::vector<Keyword> keywords;
        if (!mask.isNone()) keywords.push_back({"attn_mask"_n, mask});
        if (!call.scale.isNone()) keywords.push_back({"scale"_n, call.scale});
        const Value results = p.call("aten::_scaled_dot_product_flash_attention_for_cpu"_n, std::move(args), keywords);
        const Value out = p.select(results, 0);
        if (!gradients) return out;
        const Value lse = p.select(results, 1);
        backwardKeywords = keywords;
        onBackward(out, "aten::_scaled_dot_product_flash_attention_for_cpu_backward"_n,
                   [=, *this](Value grad) { return std::vector<Value>{grad, q(), k(), v(), out, lse, call.dropout, Value::boolean(call.causal)}; });
        return out;
    }

    void onBackward(const Value& out, Name op, std::function<std::vector<Value>(Value)> arguments) {
        const std::vector<Keyword> keywords = backwardKeywords.empty() ? scaleKeyword(call.scale) : backwardKeywords;
        Program& program = p;
        const Value query = q(), key = k(), value = v();
        program.onBackward(out, {query, key, value}, [&program, op, arguments = std::move(arguments), keywords, query, key, value](Value grad) {
            const Value results = program.call(op, arguments(grad), keywords);
            const Value all[] = {query, key, value};
            for (int i = 0; i < 3; ++i)
                if (program.requiresGrad(all[i])) program.accumulate(all[i], program.select(results, i));
        });
    }

    std::vector<Keyword> backwardKeywords;
};

}  // namespace

AttentionKernel chooseKernel(const Program& p, const Program::Attention& call) {
    const TensorType &q = p.tensor(call.query), &k = p.tensor(call.key), &v = p.tensor(call.value);
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw TraceError{"query, key and value of rank 4 are wanted"};
    for (std::size_t dim : {0, 1})
        if (!(q.sizes[dim] == k.sizes[dim]) || !(q.sizes[dim] == v.sizes[dim])) throw TraceError{"query, key and value differ in batch or heads"};
    if (!(q.sizes[3] == k.sizes[3]) || !(k.sizes[2] == v.sizes[2])) throw TraceError{"query, key and value differ in length or head size"};
    for (const TensorType* t : {&q, &k, &v})
        if (!t->strides || !(t->strides->back() == SymInt(1))) throw TraceError{"a tensor whose last dimension is not dense"};
    checkMask(p, call);
    const auto head = q.sizes[3].constant(), headOfValue = v.sizes[3].constant();
    if (!head || !headOfValue) throw TraceError{"the head size is not known"};
    const bool dropout = call.dropout.asNumber() != 0.0;
    if (isCuda(q)) {
        const bool half = q.dtype == DType::F16 || q.dtype == DType::BF16;
        const bool fits = *head % 8 == 0 && *headOfValue % 8 == 0 && *head <= 128 && *headOfValue <= 128;
        if (half && fits && (call.mask.isNone() || p.tensor(call.mask).rank() == 4)) return AttentionKernel::Cudnn;
        if ((half && *head % 8 == 0 && *headOfValue % 8 == 0) || (q.dtype == DType::F32 && *head % 4 == 0 && *headOfValue % 4 == 0))
            return AttentionKernel::Efficient;
        throw TraceError{"no CUDA kernel for " + q.str(false, false)};
    }
    const bool maskFits = call.mask.isNone() || p.tensor(call.mask).rank() == 2 || p.tensor(call.mask).rank() == 4;
    if (q.device == "cpu" && info(q.dtype).floating && !dropout && *head == *headOfValue && maskFits) return AttentionKernel::FlashCpu;
    throw TraceError{"no fused kernel for " + q.str(false, true) + (dropout ? " with dropout" : "")};
}

Value Program::attention(const Attention& call) {
    const AttentionKernel kernel = chooseKernel(*this, call);
    Kernel k{*this, call, {}, training() && (requiresGrad(call.query) || requiresGrad(call.key) || requiresGrad(call.value)), {}};
    return kernel == AttentionKernel::Cudnn ? k.cudnn() : kernel == AttentionKernel::Efficient ? k.efficient() : k.flashCpu();
}

}  // namespace aliascope::patterns
