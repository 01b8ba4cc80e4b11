// Products: linear, matmul of any ranks and einsum, in the forms that PyTorch traces (formats.md 6.1).

#include <algorithm>
#include <array>

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {
namespace {

Lowered transposed(Lowering& l, const Value& x) { return l.emit("aten::t", {x}); }
Lowered lastTwoSwapped(Lowering& l, const Value& x) { return l.emit("aten::transpose.int", {x, Value::integer(-2), Value::integer(-1)}); }
Lowered unsafeView(Lowering& l, const Lowered& x, std::vector<Value> sizes) {
    return x ? l.emit("aten::_unsafe_view", {*x, Value::list(std::move(sizes))}) : std::nullopt;
}

Value product(Lowering& l, const std::vector<Value>& sizes, std::size_t begin, std::size_t end) {
    Value out = Value::integer(1);
    for (std::size_t d = begin; d < end; ++d) out = l.times(out, sizes[d]);
    return out;
}

/// Whether all dimensions but the last two can be one with the one before: then a product with a matrix needs no copy.
bool foldable(const TensorType& t) {
    if (!t.strides) return false;
    for (std::size_t d = 0; d + 2 < t.rank(); ++d)
        if (!((*t.strides)[d] == (*t.strides)[d + 1] * t.sizes[d + 1])) return false;
    return true;
}

/// (…, n, k) @ (k, m) or @ (k,): one matrix product over the folded dimensions.
Lowered foldedLeft(Lowering& l, const Value& a, const Value& b) {
    const std::vector<Value> sizes = l.sizes(a);
    const Lowered flat = l.reshape(a, {product(l, sizes, 0, sizes.size() - 1), sizes.back()});
    if (!flat) return std::nullopt;
    const bool matrix = l.rank(b) == 2;
    std::vector<Value> out(sizes.begin(), sizes.end() - 1);
    if (matrix) out.push_back(l.size(b, 1));
    return unsafeView(l, l.emit(matrix ? "aten::mm" : "aten::mv", {*flat, b}), std::move(out));
}

/// (n, k) @ (…, k, m) or (k,) @ …: the transposed product.
Lowered foldedRight(Lowering& l, const Value& a, const Value& b) {
    const Lowered turned = lastTwoSwapped(l, b);
    if (!turned) return std::nullopt;
    if (l.rank(a) == 1) return foldedLeft(l, *turned, a);
    const Lowered other = transposed(l, a);
    const Lowered result = other ? foldedLeft(l, *turned, *other) : std::nullopt;
    return result ? lastTwoSwapped(l, *result) : std::nullopt;
}

/// The common size of two dimensions under broadcasting.
Value broadcast(const Lowering& l, const Value& a, const Value& b) { return l.symInt(a) == std::optional(SymInt(1)) ? b : a; }

/// Products of stacks of matrices: stretched to one stack, flattened, one bmm.
Lowered stacked(Lowering& l, const Value& a, const Value& b) {
    const std::vector<Value> x = l.sizes(a), y = l.sizes(b);
    const std::size_t rx = x.size(), ry = y.size();
    const Value n = rx > 1 ? x[rx - 2] : Value::integer(1), k = x.back(), kRight = ry > 1 ? y[ry - 2] : y.back();
    const std::size_t batch = std::max(rx, ry) - 2;
    std::vector<Value> outer;
    for (std::size_t d = 0; d < batch; ++d) {
        const bool left = d + rx >= batch + 2, right = d + ry >= batch + 2;
        const Value &p = left ? x[d + rx - batch - 2] : Value::integer(1), &q = right ? y[d + ry - batch - 2] : Value::integer(1);
        outer.push_back(broadcast(l, p, q));
    }
    const auto prepare = [&](const Value& t, std::vector<Value> matrix) -> Lowered {
        std::vector<Value> wide = outer;
        wide.insert(wide.end(), matrix.begin(), matrix.end());
        const Lowered stretched = l.emit("aten::expand", {t, Value::list(std::move(wide))});
        if (!stretched) return std::nullopt;
        matrix.insert(matrix.begin(), product(l, outer, 0, outer.size()));
        return l.reshape(*stretched, std::move(matrix));
    };
    Value right = b;
    if (ry == 1) {
        const Lowered column = l.emit("aten::unsqueeze", {b, Value::integer(1)});
        if (!column) return std::nullopt;
        right = *column;
    }
    const Value m = ry > 1 ? y[ry - 1] : Value::integer(1);
    const Lowered p = prepare(a, rx > 1 ? std::vector<Value>{n, k} : std::vector<Value>{Value::integer(1), k});
    const Lowered q = prepare(right, {kRight, m});
    if (!p || !q) return std::nullopt;
    std::vector<Value> sizes = outer;
    if (rx > 1) sizes.push_back(n);
    if (ry > 1) sizes.push_back(m);
    return unsafeView(l, l.emit("aten::bmm", {*p, *q}), std::move(sizes));
}

Lowered linear(Lowering& l, const PyArgs& a) {
    const Value &x = a["input"], &w = a["weight"], &bias = a["bias"];
    const TensorType* t = l.tensor(x);
    const auto rank = l.rank(x);
    if (!rank || *rank == 0 || l.rank(w) != 2) return l.emit("aten::linear", {x, w, bias});
    if (!bias.isNone() && *rank == 2) {
        const Lowered columns = transposed(l, w);
        return columns ? l.emit("aten::addmm", {bias, x, *columns}) : std::nullopt;
    }
    if (!bias.isNone() && *rank > 2 && t->isContiguous()) {
        std::vector<Value> sizes = l.sizes(x);
        const Lowered flat = l.reshape(x, {product(l, sizes, 0, sizes.size() - 1), sizes.back()});
        const Lowered columns = transposed(l, w);
        const Lowered out = flat && columns ? l.emit("aten::addmm", {bias, *flat, *columns}) : std::nullopt;
        sizes.back() = l.size(w, 0);
        return out ? l.emit("aten::view", {*out, Value::list(std::move(sizes))}) : std::nullopt;
    }
    const Lowered columns = transposed(l, w);
    const Lowered out = columns ? matmul(l, x, *columns) : std::nullopt;
    return out && !bias.isNone() ? l.emit("aten::add.Tensor", {*out, bias}) : out;
}

Lowered matmulCall(Lowering& l, const PyArgs& a) { return matmul(l, a["input"], a["other"]); }

// --- einsum ----------------------------------------------------------------------------------------------------------------------------------------

/// `thd,shd->hts`: the letters of each operand and of the result.
struct Equation {
    std::vector<std::string> operands;
    std::string result;
};

std::optional<Equation> parseEquation(std::string_view text) {
    Equation out;
    std::string plain;
    for (char c : text)
        if (c != ' ') plain += c;
    const auto arrow = plain.find("->");
    std::string_view left = std::string_view(plain).substr(0, arrow);
    for (;;) {
        const auto comma = left.find(',');
        out.operands.emplace_back(left.substr(0, comma));
        if (comma == std::string_view::npos) break;
        left.remove_prefix(comma + 1);
    }
    std::array<int, 256> count{};
    for (const std::string& labels : out.operands)
        for (char c : labels) {
            if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return std::nullopt;  // `...` is left alone
            ++count[static_cast<unsigned char>(c)];
        }
    if (arrow != std::string::npos) {
        out.result = plain.substr(arrow + 2);
    } else {
        for (int c = 0; c < 256; ++c)
            if (count[static_cast<std::size_t>(c)] == 1) out.result += static_cast<char>(c);
    }
    for (std::size_t i = 0; i < out.result.size(); ++i)
        if (count[static_cast<unsigned char>(out.result[i])] == 0 || out.result.find(out.result[i], i + 1) != std::string::npos) return std::nullopt;
    return out;
}

/// Letters in the order of the dimensions that every operand is brought to: those of the result, then those that are summed.
std::string commonOrder(const Equation& e) {
    std::string order = e.result, summed;
    for (const std::string& labels : e.operands)
        for (char c : labels)
            if (order.find(c) == std::string::npos && summed.find(c) == std::string::npos) summed += c;
    std::sort(summed.begin(), summed.end());
    return order + summed;
}

/// An operand with one dimension per letter of `order`, of size 1 where it has none.
Lowered inOrder(Lowering& l, const Value& x, const std::string& labels, const std::string& order) {
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels.find(labels[i], i + 1) != std::string::npos) return std::nullopt;  // a diagonal
    if (l.rank(x) != labels.size()) return std::nullopt;
    Lowered out = x;
    std::vector<std::size_t> dims;
    std::size_t next = labels.size();
    for (char c : order) {
        const auto at = labels.find(c);
        dims.push_back(at != std::string::npos ? at : next++);
    }
    for (std::size_t i = labels.size(); i < next && out; ++i) out = l.emit("aten::unsqueeze", {*out, Value::integer(static_cast<std::int64_t>(i))});
    return out ? l.emit("aten::permute", {*out, Value::list(integers(dims))}) : std::nullopt;
}

/// Two operands in the common order; the dimensions in `summed` end with size 1.
Lowered contract(Lowering& l, const Value& a, const Value& b, const std::vector<bool>& summed) {
    const std::vector<Value> x = l.sizes(a), y = l.sizes(b);
    const SymInt one(1);
    std::vector<std::size_t> both, left, right, sum;
    for (std::size_t d = 0; d < x.size(); ++d) {
        const bool inLeft = !(l.symInt(x[d]) == std::optional(one)), inRight = !(l.symInt(y[d]) == std::optional(one));
        if (summed[d] && inLeft != inRight) return std::nullopt;  // summed on one side before the product
        if (summed[d] && inLeft)
            sum.push_back(d);
        else if (inLeft && inRight)
            both.push_back(d);
        else if (inLeft)
            left.push_back(d);
        else if (inRight)
            right.push_back(d);
        else
            both.push_back(d);
    }
    if (sum.empty()) return l.emit("aten::mul.Tensor", {a, b});
    const auto ordered = [](std::initializer_list<const std::vector<std::size_t>*> parts) {
        std::vector<std::size_t> out;
        for (const auto* p : parts) out.insert(out.end(), p->begin(), p->end());
        return out;
    };
    const auto sizeOf = [&](const std::vector<Value>& sizes, const std::vector<std::size_t>& dims) {
        Value out = Value::integer(1);
        for (std::size_t d : dims) out = l.times(out, sizes[d]);
        return out;
    };
    const Lowered p = l.emit("aten::permute", {a, Value::list(integers(ordered({&both, &left, &sum, &right})))});
    const Lowered pm = p ? l.reshape(*p, {sizeOf(x, both), sizeOf(x, left), sizeOf(x, sum)}) : std::nullopt;
    const Lowered q = l.emit("aten::permute", {b, Value::list(integers(ordered({&both, &sum, &right, &left})))});
    const Lowered qm = q ? l.reshape(*q, {sizeOf(x, both), sizeOf(x, sum), sizeOf(y, right)}) : std::nullopt;
    const Lowered result = pm && qm ? l.emit("aten::bmm", {*pm, *qm}) : std::nullopt;
    if (!result) return std::nullopt;
    std::vector<Value> sizes;
    for (std::size_t d : both) sizes.push_back(x[d]);
    for (std::size_t d : left) sizes.push_back(x[d]);
    for (std::size_t i = 0; i < sum.size(); ++i) sizes.push_back(Value::integer(1));
    for (std::size_t d : right) sizes.push_back(y[d]);
    const Lowered open = l.emit("aten::view", {*result, Value::list(std::move(sizes))});
    const std::vector<std::size_t> order = ordered({&both, &left, &sum, &right});
    std::vector<std::size_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
    return open ? l.emit("aten::permute", {*open, Value::list(integers(back))}) : std::nullopt;
}

Lowered einsum(Lowering& l, const PyArgs& a) {
    if (a["equation"].kind() != Value::Kind::String) return std::nullopt;
    const std::vector<Value> operands = listOf(a["operands"]);
    const auto whole = [&] { return l.emit("aten::einsum", {a["equation"], Value::list(operands)}); };
    const auto equation = parseEquation(a["equation"].name().view());
    if (!equation || equation->operands.size() != operands.size() || operands.empty() || operands.size() > 2) return whole();
    for (const Value& v : operands)
        if (!l.tensor(v)) return whole();
    const std::string order = commonOrder(*equation);
    Lowered first = inOrder(l, operands[0], equation->operands[0], order);
    if (!first) return std::nullopt;
    const std::size_t kept = equation->result.size();
    if (operands.size() == 1) {
        std::vector<std::size_t> summed;
        for (std::size_t d = kept; d < order.size(); ++d) summed.push_back(d);
        return summed.empty() ? first : l.emit("aten::sum.dim_IntList", {*first, Value::list(integers(summed))});
    }
    const Lowered second = inOrder(l, operands[1], equation->operands[1], order);
    std::vector<bool> summed(order.size());
    for (std::size_t d = kept; d < order.size(); ++d) summed[d] = true;
    const Lowered result = second ? contract(l, *first, *second, summed) : std::nullopt;
    if (!result || kept == order.size()) return result;
    std::vector<Value> sizes = l.sizes(*result);
    sizes.resize(kept);
    return l.emit("aten::view", {*result, Value::list(std::move(sizes))});
}

}  // namespace

Lowered matmul(Lowering& l, const Value& a, const Value& b) {
    const TensorType *x = l.tensor(a), *y = l.tensor(b);
    if (!x || !y) return l.emit("aten::matmul", {a, b});
    const std::size_t rx = x->rank(), ry = y->rank();
    if (rx == 0 || ry == 0) return std::nullopt;
    if (rx == 1 && ry == 1) return l.emit("aten::dot", {a, b});
    if (rx == 2 && ry == 1) return l.emit("aten::mv", {a, b});
    if (rx == 2 && ry == 2) return l.emit("aten::mm", {a, b});
    if (rx == 1 && ry == 2) {
        const Lowered row = l.emit("aten::unsqueeze", {a, Value::integer(0)});
        const Lowered out = row ? l.emit("aten::mm", {*row, b}) : std::nullopt;
        return out ? l.emit("aten::squeeze.dim", {*out, Value::integer(0)}) : std::nullopt;
    }
    if (rx >= 3 && ry <= 2 && foldable(*x)) return foldedLeft(l, a, b);
    if (rx <= 2 && ry >= 3 && foldable(*y)) return foldedRight(l, a, b);
    return stacked(l, a, b);
}

const Rules& matmulRules() {
    static const Rules rules = {
        {"linear", "input weight bias=None", linear},
        {"matmul", "input other", matmulCall},
        {"einsum", "equation *operands", einsum},
    };
    return rules;
}

}  // namespace aliascope::torch_lowering
