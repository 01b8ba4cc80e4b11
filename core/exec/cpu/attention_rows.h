#pragma once
// Scaled dot-product attention over blocks of query rows, shared by the operators and their gradients.

#include <functional>
#include <optional>

#include "core/exec/kernel.h"

namespace aliascope::exec {

/// What a row of which every score is minus infinity gives (executor.md 2.3, attention).
enum class EmptyRow : std::uint8_t { LseMinusInfinity, LseZero };

struct AttentionShape {
    Tensor query, key, value;      ///< [batch, heads, length, width]; key and value may have fewer heads
    const Tensor* bias = nullptr;  ///< broadcast to [batch, heads, queries, keys]; bool: false masks out
    double scale = 1;
    bool causal = false;           ///< query i attends to keys up to i + causalShift
    std::int64_t causalShift = 0;  ///< 0: the triangle is aligned at the top left
    double dropout = 0;
    RandomState random;  ///< of the dropout mask
    EmptyRow emptyRow = EmptyRow::LseMinusInfinity;

    std::int64_t batch() const { return query.sizes[0]; }
    std::int64_t heads() const { return query.sizes[1]; }
    std::int64_t queries() const { return query.sizes[2]; }
    std::int64_t keys() const { return key.sizes[2]; }
    std::int64_t width() const { return query.sizes[3]; }
    std::int64_t valueWidth() const { return value.sizes[3]; }
    /// SHAPE_MISMATCH when the three do not go together.
    void check() const;
};

/// out and, where it has storage, logsumexp ([batch, heads, queries, …]; natural logarithm).
void attentionForward(const OpCall& call, const AttentionShape& s, const Tensor& out, const Tensor& logsumexp);

struct AttentionGrads {
    Tensor query, key, value, bias;  ///< without storage: not wanted
};
void attentionBackward(const OpCall& call, const AttentionShape& s, const Tensor& gradOut, const Tensor& out, const Tensor& logsumexp,
                       const AttentionGrads& grads);

}  // namespace aliascope::exec
