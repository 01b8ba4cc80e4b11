#include "core/exec/cpu/attention_rows.h"

#include "core/exec/cpu/dense.h"
#include "core/exec/cpu/matmul_gemm.h"
#include "core/exec/cpu/subviews.h"
#include "core/exec/philox.h"

namespace aliascope::exec {

void AttentionShape::check() const {
    for (const auto& [t, name] : {std::pair(&query, "query"), std::pair(&key, "key"), std::pair(&value, "value")})
        if (t->rank() != 4) failShape(name, shapeText(t->sizes), "4 dimensions");
    const bool fits = key.sizes[0] == batch() && value.sizes[0] == batch() && key.sizes[3] == width() && value.sizes[2] == keys();
    const bool shared = key.sizes[1] > 0 && value.sizes[1] > 0 && heads() % key.sizes[1] == 0 && heads() % value.sizes[1] == 0;
    if (!fits || (!shared && heads() > 0))
        failShape("key", shapeText(key.sizes), "what goes with query " + shapeText(query.sizes) + " and value " + shapeText(value.sizes));
    if (key.dtype != query.dtype || value.dtype != query.dtype) failUnsupported("query, key and value have different types");
}

namespace {

constexpr std::int64_t kRows = 128;  // query rows of a block

/// One head of one sample, and the scores of a block of its query rows.
template <class C>
class Head {
public:
    Head(const OpCall& call, const AttentionShape& s, std::int64_t n, std::int64_t h)
        : call_(call),
          s_(s),
          n_(n),
          h_(h),
          query_(headOf(s.query, n, h)),
          key_(headOf(s.key, n, h / (s.heads() / s.key.sizes[1]))),
          value_(headOf(s.value, n, h / (s.heads() / s.value.sizes[1]))),
          scores_(static_cast<std::size_t>(kRows * s.keys())) {
        if (s.bias) {
            const Shape sizes = {s.batch(), s.heads(), s.queries(), s.keys()};
            bias_ = headOf(restrided(*s.bias, sizes, broadcastStrides(*s.bias, sizes), s.bias->offset), n, h);
        }
    }

    static Tensor headOf(const Tensor& t, std::int64_t n, std::int64_t h) { return selected(selected(t, 0, n), 0, h); }

    MatrixView<const C> query(std::int64_t first, std::int64_t rows) const {
        return rowMajorMatrix(query_.data() + first * s_.width(), rows, s_.width());
    }
    MatrixView<const C> key() const { return rowMajorMatrix(key_.data(), s_.keys(), s_.width()); }
    MatrixView<const C> value() const { return rowMajorMatrix(value_.data(), s_.keys(), s_.valueWidth()); }
    C* scores() { return scores_.data(); }

    /// Scaled scores of `rows` query rows from `first` on, with bias and causal mask: minus infinity where a key does not take part.
    void score(std::int64_t first, std::int64_t rows) {
        gemm<C>(call_.precision, static_cast<C>(s_.scale), query(first, rows), key().transposed(), C(0), rowMajorMatrix(scores(), rows, s_.keys()));
        if (s_.bias) addBias(first, rows);
        if (!s_.causal) return;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = std::max<std::int64_t>(0, first + i + 1 + s_.causalShift); j < s_.keys(); ++j)
                scores()[i * s_.keys() + j] = -std::numeric_limits<C>::infinity();
    }

    /// 0 for a dropped weight, else what kept ones are multiplied with.
    C keep(std::int64_t row, std::int64_t key) const {
        const auto element = static_cast<std::uint64_t>(((n_ * s_.heads() + h_) * s_.queries() + row) * s_.keys() + key);
        const std::uint32_t word = philox(s_.random.seed, s_.random.offset / 4, element / 4)[element % 4];
        return static_cast<double>(word) * 0x1p-32 < s_.dropout ? C(0) : static_cast<C>(1 / (1 - s_.dropout));
    }

private:
    void addBias(std::int64_t first, std::int64_t rows) {
        const Dense<C> bias(narrowed(bias_, 0, first, rows));
        const bool mask = bias_.dtype == DType::B8;
        for (std::int64_t i = 0; i < rows * s_.keys(); ++i) {
            if (!mask)
                scores()[i] += bias[i];
            else if (bias[i] == C(0))
                scores()[i] = -std::numeric_limits<C>::infinity();
        }
    }

    const OpCall& call_;
    const AttentionShape& s_;
    std::int64_t n_, h_;
    Dense<C> query_, key_, value_;
    Tensor bias_;
    std::vector<C> scores_;
};

/// Turns a row of scores into weights that sum to 1; gives the logarithm of their sum.
template <class C>
C softmaxRow(C* row, std::int64_t n, EmptyRow empty) {
    C largest = -std::numeric_limits<C>::infinity();
    for (std::int64_t j = 0; j < n; ++j) largest = std::max(largest, row[j]);
    if (largest == -std::numeric_limits<C>::infinity()) {
        std::fill_n(row, n, C(0));
        return empty == EmptyRow::LseZero ? C(0) : largest;
    }
    C sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
        row[j] = std::exp(row[j] - largest);
        sum += row[j];
    }
    for (std::int64_t j = 0; j < n; ++j) row[j] /= sum;
    return largest + std::log(sum);
}

template <class C>
void forward(const OpCall& call, const AttentionShape& s, const Tensor& out, const Tensor& logsumexp) {
    for (std::int64_t n = 0; n < s.batch(); ++n)
        for (std::int64_t h = 0; h < s.heads(); ++h) {
            Head<C> head(call, s, n, h);
            DenseResult<C> result(Head<C>::headOf(out, n, h));
            for (std::int64_t first = 0; first < s.queries(); first += kRows) {
                const std::int64_t rows = std::min(kRows, s.queries() - first);
                head.score(first, rows);
                for (std::int64_t i = 0; i < rows; ++i) {
                    C* row = head.scores() + i * s.keys();
                    const C lse = softmaxRow(row, s.keys(), s.emptyRow);
                    if (logsumexp.storage)
                        writeDouble(logsumexp, n * logsumexp.strides[0] + h * logsumexp.strides[1] + (first + i) * logsumexp.strides[2],
                                    static_cast<double>(lse));
                    for (std::int64_t j = 0; s.dropout > 0 && j < s.keys(); ++j) row[j] *= head.keep(first + i, j);
                }
                gemm<C>(call.precision, C(1), rowMajorMatrix<const C>(head.scores(), rows, s.keys()), head.value(), C(0),
                        rowMajorMatrix(result.data() + first * s.valueWidth(), rows, s.valueWidth()));
            }
            result.store();
        }
}

/// Gradient of one operand, summed over the heads that share it before it is rounded.
template <class C>
class GradSum {
public:
    explicit GradSum(const Tensor& t) : tensor_(t), sums_(static_cast<std::size_t>(t.storage ? t.numel() : 0), C(0)) {}
    explicit operator bool() const { return tensor_.storage != nullptr; }
    MatrixView<C> head(std::int64_t n, std::int64_t h, std::int64_t first, std::int64_t rows) {
        const std::int64_t width = tensor_.sizes[3];
        return rowMajorMatrix(sums_.data() + ((n * tensor_.sizes[1] + h) * tensor_.sizes[2] + first) * width, rows, width);
    }
    void store() {
        if (!tensor_.storage) return;
        DenseResult<C> out(tensor_);
        std::copy(sums_.begin(), sums_.end(), out.data());
        out.store();
    }

private:
    Tensor tensor_;
    std::vector<C> sums_;
};

/// Gradient of the bias, summed over the dimensions in which it was broadcast.
template <class C>
class BiasGrad {
public:
    BiasGrad(const Tensor& t, const AttentionShape& s) : tensor_(t) {
        if (!t.storage) return;
        sums_.assign(static_cast<std::size_t>(t.numel()), C(0));
        Tensor like = t;
        like.strides = contiguousStrides(t.sizes);
        strides_ = broadcastStrides(like, {s.batch(), s.heads(), s.queries(), s.keys()});
    }
    explicit operator bool() const { return tensor_.storage != nullptr; }
    void add(std::int64_t n, std::int64_t h, std::int64_t row, const C* scores, std::int64_t count) {
        C* at = sums_.data() + n * strides_[0] + h * strides_[1] + row * strides_[2];
        for (std::int64_t j = 0; j < count; ++j) at[j * strides_[3]] += scores[j];
    }
    void store() {
        if (!tensor_.storage) return;
        DenseResult<C> out(tensor_);
        std::copy(sums_.begin(), sums_.end(), out.data());
        out.store();
    }

private:
    Tensor tensor_;
    Shape strides_;
    std::vector<C> sums_;
};

template <class C>
void backward(const OpCall& call, const AttentionShape& s, const Tensor& gradOut, const Tensor& out, const Tensor& logsumexp,
              const AttentionGrads& grads) {
    GradSum<C> dq(grads.query), dk(grads.key), dv(grads.value);
    BiasGrad<C> dbias(grads.bias, s);
    std::vector<C> towards(static_cast<std::size_t>(kRows * s.keys()));
    const std::int64_t keyShare = s.heads() ? s.heads() / s.key.sizes[1] : 1, valueShare = s.heads() ? s.heads() / s.value.sizes[1] : 1;
    for (std::int64_t n = 0; n < s.batch(); ++n)
        for (std::int64_t h = 0; h < s.heads(); ++h) {
            Head<C> head(call, s, n, h);
            const Dense<C> g(Head<C>::headOf(gradOut, n, h)), o(Head<C>::headOf(out, n, h));
            for (std::int64_t first = 0; first < s.queries(); first += kRows) {
                const std::int64_t rows = std::min(kRows, s.queries() - first);
                const MatrixView<const C> gRows = rowMajorMatrix(g.data() + first * s.valueWidth(), rows, s.valueWidth());
                head.score(first, rows);
                // The weights again, from the saved sum.
                for (std::int64_t i = 0; i < rows; ++i) {
                    const C lse = static_cast<C>(
                        readDouble(logsumexp, n * logsumexp.strides[0] + h * logsumexp.strides[1] + (first + i) * logsumexp.strides[2]));
                    C* row = head.scores() + i * s.keys();
                    for (std::int64_t j = 0; j < s.keys(); ++j) row[j] = std::isfinite(lse) ? std::exp(row[j] - lse) : C(0);
                }
                const MatrixView<C> weights = rowMajorMatrix(head.scores(), rows, s.keys()), change = rowMajorMatrix(towards.data(), rows, s.keys());
                gemm<C>(call.precision, C(1), gRows, head.value().transposed(), C(0), change);
                std::vector<C> dropped;
                if (s.dropout > 0) {
                    dropped.assign(head.scores(), head.scores() + rows * s.keys());
                    for (std::int64_t i = 0; i < rows; ++i)
                        for (std::int64_t j = 0; j < s.keys(); ++j) {
                            const C keep = head.keep(first + i, j);
                            dropped[static_cast<std::size_t>(i * s.keys() + j)] *= keep;
                            change.data[i * s.keys() + j] *= keep;
                        }
                }
                if (dv)
                    gemm<C>(call.precision, C(1),
                            rowMajorMatrix<const C>(dropped.empty() ? weights.data : dropped.data(), rows, s.keys()).transposed(), gRows, C(1),
                            dv.head(n, h / valueShare, 0, s.keys()));
                for (std::int64_t i = 0; i < rows; ++i) {
                    C through = 0;
                    for (std::int64_t d = 0; d < s.valueWidth(); ++d)
                        through += g[(first + i) * s.valueWidth() + d] * o[(first + i) * s.valueWidth() + d];
                    C* row = change.data + i * s.keys();
                    for (std::int64_t j = 0; j < s.keys(); ++j) row[j] = weights.data[i * s.keys() + j] * (row[j] - through);
                    if (dbias) dbias.add(n, h, first + i, row, s.keys());
                }
                const MatrixView<const C> scoreGrad = rowMajorMatrix<const C>(change.data, rows, s.keys());
                const C scale = static_cast<C>(s.scale);
                if (dq) gemm<C>(call.precision, scale, scoreGrad, head.key(), C(1), dq.head(n, h, first, rows));
                if (dk) gemm<C>(call.precision, scale, scoreGrad.transposed(), head.query(first, rows), C(1), dk.head(n, h / keyShare, 0, s.keys()));
            }
        }
    dq.store(), dk.store(), dv.store(), dbias.store();
}

/// Calls `f(tag)` with double or float.
template <class F>
void dispatchAttention(const OpCall& call, DType d, F&& f) {
    if (!info(d).floating) failDType(d);
    if (call.precision == Precision::Reference || d == DType::F64)
        f(DTypeTag<double>());
    else
        f(DTypeTag<float>());
}

}  // namespace

void attentionForward(const OpCall& call, const AttentionShape& s, const Tensor& out, const Tensor& logsumexp) {
    dispatchAttention(call, s.query.dtype, [&](auto tag) { forward<typename decltype(tag)::type>(call, s, out, logsumexp); });
}

void attentionBackward(const OpCall& call, const AttentionShape& s, const Tensor& gradOut, const Tensor& out, const Tensor& logsumexp,
                       const AttentionGrads& grads) {
    dispatchAttention(call, s.query.dtype, [&](auto tag) { backward<typename decltype(tag)::type>(call, s, gradOut, out, logsumexp, grads); });
}

}  // namespace aliascope::exec
