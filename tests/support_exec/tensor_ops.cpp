// Elementwise operators, creation, copies, indexing, products and sums.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/support_exec/interpreter.h"

namespace aliascope::testing {
namespace {

bool isFloat(DType d) { return info(d).floating; }

/// Element type of a result of two operands; numbers of Python count less than tensors of their kind.
DType promoted(const RuntimeValue& a, const RuntimeValue& b) {
    if (a.isTensor() && b.isTensor()) {
        const DType x = a.tensor().dtype, y = b.tensor().dtype;
        if (x == y) return x;
        if (isFloat(x) != isFloat(y)) return isFloat(x) ? x : y;
        return itemSize(x) >= itemSize(y) ? x : y;
    }
    const DType t = a.isTensor() ? a.tensor().dtype : b.tensor().dtype;
    const RuntimeValue& number = a.isTensor() ? b : a;
    return !number.isInt() && !isFloat(t) ? DType::F32 : t;
}

StridedTensor scalarTensor(double v) {
    StridedTensor t = StridedTensor::contiguous(DType::F64, {});
    t.store(0, v);
    return t;
}

StridedTensor asTensor(const RuntimeValue& v) { return v.isTensor() ? v.tensor() : scalarTensor(v.number()); }

template <class F>
StridedTensor elementwise(const StridedTensor& a, const StridedTensor& b, DType dtype, F f) {
    const Shape sizes = broadcastShape(a.sizes, b.sizes);
    const StridedTensor x = broadcast(a, sizes), y = broadcast(b, sizes);
    const StridedTensor out = emptyFor(dtype, sizes, {&a, &b});
    const auto i = x.offsets(), j = y.offsets(), k = out.offsets();
    for (std::size_t n = 0; n < k.size(); ++n) out.store(k[n], f(x.load(i[n]), y.load(j[n])));
    return out;
}

using Binary = double (*)(double, double);
using Unary = double (*)(double);

RuntimeFunction binary(Binary f) {
    return [f](const RuntimeCall& c) -> RuntimeValue { return elementwise(asTensor(c[0]), asTensor(c[1]), promoted(c[0], c[1]), f); };
}

RuntimeFunction unary(Unary f, bool toFloat) {
    return [f, toFloat](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor& t = c[0].tensor();
        const DType dtype = toFloat && !isFloat(t.dtype) ? DType::F32 : t.dtype;
        return elementwise(t, scalarTensor(0), dtype, [f](double x, double) { return f(x); });
    };
}

/// `a + alpha * b`, the sign of alpha given.
RuntimeFunction sum(double sign) {
    return [sign](const RuntimeCall& c) -> RuntimeValue {
        const double alpha = sign * (c.has("alpha") ? c.named("alpha").number() : 1.0);
        return elementwise(asTensor(c[0]), asTensor(c[1]), promoted(c[0], c[1]), [alpha](double x, double y) { return x + alpha * y; });
    };
}

StridedTensor filled(DType dtype, const Shape& sizes, double value) {
    StridedTensor t = StridedTensor::contiguous(dtype, sizes);
    for (std::int64_t o : t.offsets()) t.store(o, value);
    return t;
}

DType wantedType(const RuntimeCall& c, DType otherwise) { return c.has("dtype") ? dtypeOf(c.named("dtype")).value_or(otherwise) : otherwise; }

/// Positions of `indices` over the first dimensions of `t`, broadcast together: for each, the offset of its block.
struct Indexed {
    Shape sizes;  ///< of the result
    std::vector<std::int64_t> offsets;
};

Indexed indexed(const StridedTensor& t, const RuntimeList& indices) {
    Shape common;
    for (const RuntimeValue& i : indices) {
        if (i.isNone()) throw std::runtime_error("indices with None are not run");
        common = broadcastShape(common, i.tensor().sizes);
    }
    std::vector<std::int64_t> starts(static_cast<std::size_t>(filled(DType::B8, common, 0).numel()), t.offset);
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const auto values = broadcast(indices[d].tensor(), common).values();
        for (std::size_t n = 0; n < starts.size(); ++n) {
            auto i = static_cast<std::int64_t>(values[n]);
            if (i < 0) i += t.sizes[d];
            if (i < 0 || i >= t.sizes[d]) throw std::runtime_error("index out of range");
            starts[n] += i * t.strides[d];
        }
    }
    StridedTensor block = t;
    block.sizes.erase(block.sizes.begin(), block.sizes.begin() + static_cast<std::ptrdiff_t>(indices.size()));
    block.strides.erase(block.strides.begin(), block.strides.begin() + static_cast<std::ptrdiff_t>(indices.size()));
    Indexed out;
    out.sizes = common;
    out.sizes.insert(out.sizes.end(), block.sizes.begin(), block.sizes.end());
    for (std::int64_t start : starts) {
        block.offset = start;
        for (std::int64_t o : block.offsets()) out.offsets.push_back(o);
    }
    return out;
}

void putInto(const StridedTensor& t, const RuntimeList& indices, const StridedTensor& values, bool accumulate) {
    const Indexed where = indexed(t, indices);
    const auto v = broadcast(values, where.sizes).values();
    for (std::size_t n = 0; n < v.size(); ++n) t.store(where.offsets[n], accumulate ? t.load(where.offsets[n]) + v[n] : v[n]);
}

RuntimeValue sumOver(const StridedTensor& t, std::vector<bool> reduced, bool keep) {
    Shape kept, keptStrides, gone, goneStrides, sizes;
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
        (reduced[d] ? gone : kept).push_back(t.sizes[d]);
        (reduced[d] ? goneStrides : keptStrides).push_back(t.strides[d]);
        if (!reduced[d])
            sizes.push_back(t.sizes[d]);
        else if (keep)
            sizes.push_back(1);
    }
    StridedTensor outer = t, inner = t;
    outer.sizes = kept;
    outer.strides = keptStrides;
    inner.sizes = gone;
    inner.strides = goneStrides;
    const StridedTensor out = StridedTensor::contiguous(isFloat(t.dtype) ? t.dtype : DType::I64, sizes);
    const auto to = out.offsets(), from = outer.offsets();
    for (std::size_t n = 0; n < to.size(); ++n) {
        inner.offset = from[n];
        double total = 0;
        for (double v : inner.values()) total += v;
        out.store(to[n], total);
    }
    return out;
}

/// The function over lists, element by element.
RuntimeFunction overList(const std::string& single) {
    return [single](const RuntimeCall& c) -> RuntimeValue {
        RuntimeList out;
        for (std::size_t i = 0; i < c[0].list().size(); ++i) {
            std::vector<RuntimeValue> values{c[0].list()[i]};
            values.push_back(c[1].isList() ? c[1].list()[i] : c[1]);
            if (c.has("alpha")) values.push_back(c.named("alpha"));
            out.push_back(runOperator(c.ops, c.graph, c.node, Name(single), values));
        }
        return out;
    };
}

void addElementwise(RuntimeTable& t) {
    t["aten::add.Tensor"] = t["aten::add.Scalar"] = sum(1);
    t["aten::sub.Tensor"] = t["aten::sub.Scalar"] = sum(-1);
    t["aten::mul.Tensor"] = t["aten::mul.Scalar"] = binary([](double a, double b) { return a * b; });
    t["aten::maximum"] = binary([](double a, double b) { return std::max(a, b); });
    t["aten::minimum"] = binary([](double a, double b) { return std::min(a, b); });
    t["aten::cos"] = unary([](double a) { return std::cos(a); }, true);
    t["aten::sin"] = unary([](double a) { return std::sin(a); }, true);
    t["aten::tanh"] = unary([](double a) { return std::tanh(a); }, true);
    t["aten::neg"] = unary([](double a) { return -a; }, false);
    t["aten::abs"] = unary([](double a) { return std::abs(a); }, false);
    t["aten::relu"] = unary([](double a) { return a > 0 ? a : 0.0; }, false);
    t["aten::gt.Scalar"] = [](const RuntimeCall& c) -> RuntimeValue {
        return elementwise(c[0].tensor(), scalarTensor(c[1].number()), DType::B8, [](double a, double b) { return a > b ? 1.0 : 0.0; });
    };
    t["aten::masked_fill.Scalar"] = [](const RuntimeCall& c) -> RuntimeValue {
        const double value = c[2].number();
        return elementwise(c[0].tensor(), c[1].tensor(), c[0].tensor().dtype, [value](double a, double mask) { return mask != 0 ? value : a; });
    };
    t["aten::_foreach_add.Scalar"] = overList("aten::add.Tensor");
    t["aten::_foreach_mul.Scalar"] = overList("aten::mul.Tensor");
    t["aten::_foreach_add.List"] = overList("aten::add.Tensor");
    t["aten::_foreach_mul.List"] = overList("aten::mul.Tensor");
}

void addCopies(RuntimeTable& t) {
    t["aten::clone"] = [](const RuntimeCall& c) -> RuntimeValue {
        const auto* format = std::get_if<std::string>(&c[1].data);
        return format && format->find("contiguous") != std::string::npos ? cloneContiguous(c[0].tensor()) : cloneDense(c[0].tensor());
    };
    t["aten::copy"] = [](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor out = emptyLike(c[0].tensor(), c[0].tensor().dtype);
        assign(out, c[1].tensor());
        return out;
    };
    t["aten::copy_"] = [](const RuntimeCall& c) -> RuntimeValue {
        assign(c[0].tensor(), c[1].tensor());
        return c[0];
    };
    t["aten::_to_copy"] = [](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor out = emptyLike(c[0].tensor(), wantedType(c, c[0].tensor().dtype));
        assign(out, c[0].tensor());
        return out;
    };
    t["prims::convert_element_type"] = [](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor out = emptyLike(c[0].tensor(), dtypeOf(c[1]).value());
        assign(out, c[0].tensor());
        return out;
    };
    t["aten::full"] = [](const RuntimeCall& c) -> RuntimeValue {
        return filled(wantedType(c, c[1].isInt() ? DType::I64 : DType::F32), c[0].shape(), c[1].number());
    };
    t["aten::zeros"] = [](const RuntimeCall& c) -> RuntimeValue { return filled(wantedType(c, DType::F32), c[0].shape(), 0); };
    t["aten::ones"] = [](const RuntimeCall& c) -> RuntimeValue { return filled(wantedType(c, DType::F32), c[0].shape(), 1); };
    t["aten::empty.memory_format"] = t["aten::zeros"];
    t["aten::fill.Scalar"] = [](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor out = emptyLike(c[0].tensor(), c[0].tensor().dtype);
        assign(out, scalarTensor(c[1].number()));
        return out;
    };
    t["aten::zero"] = [](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor out = emptyLike(c[0].tensor(), c[0].tensor().dtype);
        assign(out, scalarTensor(0));
        return out;
    };
}

void addIndexing(RuntimeTable& t) {
    t["aten::index.Tensor"] = [](const RuntimeCall& c) -> RuntimeValue {
        const Indexed where = indexed(c[0].tensor(), c[1].list());
        const StridedTensor out = StridedTensor::contiguous(c[0].tensor().dtype, where.sizes);
        const auto to = out.offsets();
        for (std::size_t n = 0; n < to.size(); ++n) out.store(to[n], c[0].tensor().load(where.offsets[n]));
        return out;
    };
    t["aten::index_put"] = [](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor out = cloneDense(c[0].tensor());
        putInto(out, c[1].list(), c[2].tensor(), c[3].isInt() && c[3].integer());
        return out;
    };
    t["aten::index_put_"] = [](const RuntimeCall& c) -> RuntimeValue {
        // Values that are a view of what is written are read first.
        putInto(c[0].tensor(), c[1].list(), cloneContiguous(c[2].tensor()), c[3].isInt() && c[3].integer());
        return c[0];
    };
}

void addReductions(RuntimeTable& t) {
    t["aten::sum"] = [](const RuntimeCall& c) -> RuntimeValue {
        return sumOver(c[0].tensor(), std::vector<bool>(c[0].tensor().sizes.size(), true), false);
    };
    t["aten::sum.dim_IntList"] = [](const RuntimeCall& c) -> RuntimeValue {
        const auto rank = static_cast<std::int64_t>(c[0].tensor().sizes.size());
        std::vector<bool> reduced(static_cast<std::size_t>(rank), c[1].isNone() || c[1].list().empty());
        if (!c[1].isNone())
            for (std::int64_t d : c[1].shape()) reduced.at(static_cast<std::size_t>(d < 0 ? d + rank : d)) = true;
        return sumOver(c[0].tensor(), reduced, c[2].isInt() && c[2].integer());
    };
    t["aten::mm"] = [](const RuntimeCall& c) -> RuntimeValue {
        const StridedTensor &a = c[0].tensor(), &b = c[1].tensor();
        const StridedTensor out = StridedTensor::contiguous(a.dtype, {a.sizes.at(0), b.sizes.at(1)});
        for (std::int64_t i = 0; i < a.sizes[0]; ++i)
            for (std::int64_t j = 0; j < b.sizes[1]; ++j) {
                double total = 0;
                for (std::int64_t k = 0; k < a.sizes[1]; ++k)
                    total += a.load(a.offset + i * a.strides[0] + k * a.strides[1]) * b.load(b.offset + k * b.strides[0] + j * b.strides[1]);
                out.store(i * out.strides[0] + j, total);
            }
        return out;
    };
    t["aten::sym_size.int"] = [](const RuntimeCall& c) -> RuntimeValue { return c[0].tensor().sizes.at(static_cast<std::size_t>(c[1].integer())); };
    t["aten::sym_stride.int"] = [](const RuntimeCall& c) -> RuntimeValue {
        return c[0].tensor().strides.at(static_cast<std::size_t>(c[1].integer()));
    };
    t["aten::sym_storage_offset"] = [](const RuntimeCall& c) -> RuntimeValue { return c[0].tensor().offset; };
}

}  // namespace

void addTensorOps(RuntimeTable& table) {
    addElementwise(table);
    addCopies(table);
    addIndexing(table);
    addReductions(table);
}

}  // namespace aliascope::testing
