// Views and what rearranges elements: sizes as lists, parts, dimensions.

#include <algorithm>
#include <numeric>

#include "core/passes/lower_torch_call.h"

namespace aliascope::torch_lowering {
namespace {

Value dimValue(std::size_t d) { return Value::integer(static_cast<std::int64_t>(d)); }
Value sizeList(const PyArgs& a, std::string_view name = "size") { return Value::list(listOf(a[name])); }

Lowered view(Lowering& l, const PyArgs& a) {
    if (const auto given = listOf(a["size"]); given.size() == 1 && dtypeOf(given[0])) return l.emit("aten::view.dtype", {a["input"], given[0]});
    return l.emit("aten::view", {a["input"], sizeList(a)});
}

Lowered reshape(Lowering& l, const PyArgs& a) { return l.reshape(a["input"], listOf(a["size"])); }

Lowered likeOther(Lowering& l, const PyArgs& a) {
    if (!l.tensor(a["other"])) return std::nullopt;
    std::vector<Value> sizes = l.sizes(a["other"]);
    if (a.callee() == "reshape_as") return l.reshape(a["input"], std::move(sizes));
    return l.emit(a.callee() == "view_as" ? "aten::view" : "aten::expand", {a["input"], Value::list(std::move(sizes))});
}

/// Operators whose only argument besides the tensor is a list.
Lowered withList(Lowering& l, const PyArgs& a) { return l.emit("aten::" + std::string(a.callee()), {a["input"], Value::list(listOf(a["size"]))}); }

Lowered permute(Lowering& l, const PyArgs& a) { return l.emit("aten::permute", {a["input"], sizeList(a, "dims")}); }

Lowered flatten(Lowering& l, const PyArgs& a) {
    const Value& x = a["input"];
    const auto start = l.dim(x, a["start_dim"]), end = l.dim(x, a["end_dim"]);
    if (!start || !end || *start > *end) return l.emit("aten::flatten.using_ints", {x, a["start_dim"], a["end_dim"]});
    if (l.rank(x) == 0) return l.reshape(x, integers({1}));
    if (*start == *end) return x;
    std::vector<Value> sizes = l.sizes(x);
    Value product = sizes[*start];
    for (std::size_t d = *start + 1; d <= *end; ++d) product = l.times(product, sizes[d]);
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(*start), sizes.begin() + static_cast<std::ptrdiff_t>(*end) + 1);
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*start), product);
    return l.reshape(x, std::move(sizes));
}

Lowered unflatten(Lowering& l, const PyArgs& a) {
    const Value& x = a["input"];
    const auto d = l.dim(x, a["dim"]);
    if (!d) return l.emit("aten::unflatten.int", {x, a["dim"], Value::list(listOf(a["sizes"]))});
    std::vector<Value> sizes = l.sizes(x), parts = listOf(a["sizes"]);
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(*d));
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*d), parts.begin(), parts.end());
    return l.emit("aten::view", {x, Value::list(std::move(sizes))});
}

Lowered transpose(Lowering& l, const PyArgs& a) { return l.emit("aten::transpose.int", {a["input"], a["dim0"], a["dim1"]}); }

Lowered moveDim(Lowering& l, const PyArgs& a) {
    const Value& x = a["input"];
    const auto rank = l.rank(x);
    const std::vector<Value> from = listOf(a["source"]), to = listOf(a["destination"]);
    if (!rank || from.size() != to.size()) return std::nullopt;
    std::vector<std::optional<std::size_t>> order(*rank);
    std::vector<bool> moved(*rank, false);
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto s = l.dim(x, from[i]), d = l.dim(x, to[i]);
        if (!s || !d || moved[*s] || order[*d]) return std::nullopt;
        order[*d] = *s;
        moved[*s] = true;
    }
    std::size_t next = 0;
    std::vector<std::size_t> dims;
    for (const auto& place : order) {
        while (!place && next < *rank && moved[next]) ++next;
        dims.push_back(place ? *place : next++);
    }
    return l.emit("aten::permute", {x, Value::list(integers(dims))});
}

Lowered squeeze(Lowering& l, const PyArgs& a) {
    std::string op = "aten::" + std::string(a.callee());
    if (!a.given("dim")) return l.emit(op, {a["input"]});
    const Value& d = a["dim"];
    return d.isSequence() ? l.emit(op + ".dims", {a["input"], Value::list(d.items())}) : l.emit(op + ".dim", {a["input"], d});
}

Lowered narrow(Lowering& l, const PyArgs& a) {
    const auto start = a["start"].asInt(), length = a["length"].asInt();
    const auto d = l.dim(a["input"], a["dim"]);
    if (!start || !length || !d) return l.emit("aten::narrow", {a["input"], a["dim"], a["start"], a["length"]});
    std::int64_t begin = *start, end = 0;
    if (begin < 0) {
        const auto size = l.tensor(a["input"])->sizes[*d].constant();
        if (!size) return l.emit("aten::narrow", {a["input"], a["dim"], a["start"], a["length"]});
        begin += *size;
    }
    if (__builtin_add_overflow(begin, *length, &end)) return std::nullopt;
    return l.emit("aten::slice.Tensor", {a["input"], a["dim"], Value::integer(begin), Value::integer(end)});
}

Lowered split(Lowering& l, const PyArgs& a) {
    const Value& sizes = a["split_size_or_sections"];
    if (sizes.isSequence()) return l.emit("aten::split_with_sizes", {a["input"], Value::list(sizes.items()), a["dim"]});
    return l.emit("aten::split.Tensor", {a["input"], sizes, a["dim"]});
}

Lowered chunk(Lowering& l, const PyArgs& a) {
    const auto d = l.dim(a["input"], a["dim"]);
    const auto chunks = a["chunks"].asInt();
    const auto size = d && *d < l.tensor(a["input"])->rank() ? l.tensor(a["input"])->sizes[*d].constant() : std::nullopt;
    if (!size || !chunks || *chunks <= 0 || *size <= 0) return l.emit("aten::chunk", {a["input"], a["chunks"], a["dim"]});
    const std::int64_t each = *size / *chunks + (*size % *chunks != 0 ? 1 : 0);
    return l.emit("aten::split.Tensor", {a["input"], Value::integer(each), a["dim"]});
}

Lowered unbind(Lowering& l, const PyArgs& a) { return l.emit("aten::unbind.int", {a["input"], a["dim"]}); }

/// Every slice along `dim` so many times: stretched, copied, joined.
Lowered repeatInterleave(Lowering& l, const PyArgs& a) {
    const Value& x = a["input"];
    const auto repeats = a["repeats"].asInt();
    const auto d = l.dim(x, a["dim"]);
    if (!repeats || !d || l.rank(x) == 0) {
        return l.emitByName("repeat_interleave", {x, a["repeats"], a["dim"]}, {});
    }
    const Lowered wide = l.emit("aten::unsqueeze", {x, dimValue(*d + 1)});
    if (!wide) return std::nullopt;
    std::vector<Value> sizes = l.sizes(x), joined = sizes;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*d) + 1, Value::integer(*repeats));
    joined[*d] = l.times(joined[*d], Value::integer(*repeats));
    const Lowered stretched = l.emit("aten::expand", {*wide, Value::list(std::move(sizes))});
    const Lowered copy =
        stretched ? l.emit("aten::clone", {*stretched}, {{"memory_format"_n, Value::constant("torch.contiguous_format"_n)}}) : std::nullopt;
    return copy ? l.emit("aten::view", {*copy, Value::list(std::move(joined))}) : std::nullopt;
}

Lowered joined(Lowering& l, const PyArgs& a) {
    const std::string_view name = a.callee() == "concat" || a.callee() == "concatenate" ? "cat" : a.callee();
    const Value tensors = a["tensors"].isSequence() ? Value::list(a["tensors"].items()) : a["tensors"];
    return l.emit("aten::" + std::string(name), {tensors, a["dim"]});
}

Lowered expand(Lowering& l, const PyArgs& a) { return l.emit("aten::expand", {a["input"], sizeList(a)}); }

Lowered detach(Lowering& l, const PyArgs& a) { return l.emit("aten::detach", {a["input"]}); }

Lowered sizeOf(Lowering& l, const PyArgs& a) {
    if (!a.given("dim")) return std::nullopt;  // lowered where its items are taken
    if (const auto d = l.dim(a["input"], a["dim"]); d && *d < l.rank(a["input"]).value_or(0)) return l.size(a["input"], *d);
    return l.emit("aten::sym_size.int", {a["input"], a["dim"]});
}

Lowered strideOf(Lowering& l, const PyArgs& a) {
    if (!a.given("dim")) return std::nullopt;
    const TensorType* t = l.tensor(a["input"]);
    if (const auto d = l.dim(a["input"], a["dim"]); d && t && t->strides && *d < t->rank())
        if (const auto s = (*t->strides)[*d].constant()) return Value::integer(*s);
    return l.emit("aten::sym_stride.int", {a["input"], a["dim"]});
}

Lowered numel(Lowering& l, const PyArgs& a) {
    if (const TensorType* t = l.tensor(a["input"]))
        if (const auto n = t->numel().constant()) return Value::integer(*n);
    return l.emit("aten::sym_numel", {a["input"]});
}

Lowered dimCount(Lowering& l, const PyArgs& a) {
    const auto r = l.rank(a["input"]);
    return r ? Lowered(dimValue(*r)) : std::nullopt;
}

// --- attributes -------------------------------------------------------------------------------------------------------------------------------

/// `x.T` and `x.mT`; the conjugate forms of real tensors are the same.
Lowered turned(Lowering& l, const PyArgs& a) {
    const Value& x = a["input"];
    const TensorType* t = l.tensor(x);
    const bool matrix = a.callee() == "mT" || a.callee() == "mH";
    if (a.callee() == "H" || a.callee() == "mH")
        if (!t || t->dtype == DType::Unknown || info(t->dtype).complex) return std::nullopt;
    if (matrix) return l.emit("aten::transpose.int", {x, Value::integer(-2), Value::integer(-1)});
    if (!t) return l.emit("aten::numpy_T", {x});
    std::vector<std::size_t> order(t->rank());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    return l.emit("aten::permute", {x, Value::list(integers(order))});
}

Lowered dtypeAttribute(Lowering& l, const PyArgs& a) {
    const TensorType* t = l.tensor(a["input"]);
    return t && t->dtype != DType::Unknown ? Lowered(Value::constant(Name("torch." + std::string(info(t->dtype).torchName)))) : std::nullopt;
}

Lowered deviceAttribute(Lowering& l, const PyArgs& a) {
    const TensorType* t = l.tensor(a["input"]);
    return t && t->device ? Lowered(Value::device(t->device)) : std::nullopt;
}

}  // namespace

const Rules& shapeRules() {
    static const Rules rules = {
        {"view", "input *size", view},
        {"reshape", "input *size", reshape},
        {"view_as", "input other", likeOther},
        {"reshape_as", "input other", likeOther},
        {"expand_as", "input other", likeOther},
        {"expand", "input *size implicit=False", expand},
        {"repeat", "input *size", withList},
        {"permute", "input *dims", permute},
        {"flatten", "input start_dim=0 end_dim=-1", flatten},
        {"ravel", "input start_dim=0 end_dim=-1", flatten},
        {"unflatten", "input dim sizes", unflatten},
        {"transpose", "input dim0 dim1", transpose},
        {"swapaxes", "input dim0 dim1", transpose},
        {"swapdims", "input dim0 dim1", transpose},
        {"movedim", "input source destination", moveDim},
        {"moveaxis", "input source destination", moveDim},
        {"squeeze", "input dim=None", squeeze},
        {"squeeze_", "input dim=None", squeeze},
        {"narrow", "input dim start length", narrow},
        {"split", "input split_size_or_sections dim=0", split},
        {"split_with_sizes", "input split_size_or_sections dim=0", split},
        {"chunk", "input chunks dim=0", chunk},
        {"unbind", "input dim=0", unbind},
        {"repeat_interleave", "input repeats dim=None", repeatInterleave},
        {"cat", "tensors dim=0", joined},
        {"concat", "tensors dim=0", joined},
        {"concatenate", "tensors dim=0", joined},
        {"stack", "tensors dim=0", joined},
        {"detach", "input", detach},
        {"size", "input dim=None", sizeOf},
        {"stride", "input dim=None", strideOf},
        {"numel", "input", numel},
        {"nelement", "input", numel},
        {"dim", "input", dimCount},
        {"ndimension", "input", dimCount},
    };
    return rules;
}

const Rules& attributeRules() {
    static const Rules rules = {
        {"T", "input", turned},
        {"mT", "input", turned},
        {"H", "input", turned},
        {"mH", "input", turned},
        {"dtype", "input", dtypeAttribute},
        {"device", "input", deviceAttribute},
        {"ndim", "input", dimCount},
        {"data", "input", detach},
    };
    return rules;
}

}  // namespace aliascope::torch_lowering
