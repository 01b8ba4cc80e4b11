#include "core/patterns/program.h"

#include <algorithm>

#include "core/ops/infer.h"

namespace aliascope::patterns {
namespace {

bool isHalf(DType d) { return d == DType::F16 || d == DType::BF16; }

std::size_t wrapped(std::int64_t dim, std::size_t rank) {
    const auto r = static_cast<std::int64_t>(rank);
    if (dim < -r || dim >= r) throw TraceError{"dimension " + std::to_string(dim) + " of a tensor of rank " + std::to_string(rank)};
    return static_cast<std::size_t>(dim < 0 ? dim + r : dim);
}

/// Sizes to which both broadcast.
std::vector<SymInt> broadcast(const std::vector<SymInt>& a, const std::vector<SymInt>& b) {
    std::vector<SymInt> out(std::max(a.size(), b.size()), SymInt(1));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const SymInt x = i < a.size() ? a[a.size() - 1 - i] : SymInt(1), y = i < b.size() ? b[b.size() - 1 - i] : SymInt(1);
        if (!(x == y) && !(x == SymInt(1)) && !(y == SymInt(1))) throw TraceError{"sizes " + x.str() + " and " + y.str() + " do not broadcast"};
        out[out.size() - 1 - i] = x == SymInt(1) ? y : x;
    }
    return out;
}

}  // namespace

Value sizesValue(const std::vector<SymInt>& sizes) {
    std::vector<Value> items;
    for (const SymInt& s : sizes) items.push_back(Value::sym(s));
    return Value::list(std::move(items));
}

Value dtypeValue(DType dtype) { return Value::constant(Name("torch." + std::string(info(dtype).torchName))); }

NodeId Program::finish(std::vector<Value> results) {
    Node output;
    output.kind = NodeKind::Output;
    output.name = output.target = "output"_n;
    output.args = {Value::tuple(std::move(results))};
    return g_.append(std::move(output));
}

Value Program::input(const std::string& name, TensorType type, bool requiresGrad) {
    Node n;
    n.kind = NodeKind::Placeholder;
    n.name = Name(name);
    n.target = n.name;
    const NodeId id = g_.appendExact(std::move(n));
    if (!type.strides) type.strides = TensorType::contiguousStrides(type.sizes);
    if (requiresGrad) requiring_[id] = true;
    g_.setType(id, Type::tensor(std::move(type)));
    return Value::node(id);
}

const TensorType& Program::tensor(const Value& v) const {
    const TensorType* t = v.isNode() ? g_[v.asNode()].tensor() : nullptr;
    if (!t) throw TraceError{"a tensor of known type is wanted"};
    return *t;
}

Value Program::call(Name op, std::vector<Value> args, std::vector<Keyword> kwargs) {
    const OpDef* def = ops_.find(op);
    if (op != "operator::getitem") {
        if (!def) throw TraceError{"no operator " + op.str()};
        if (auto bound = bindCall(*def, args, kwargs); !bound) throw TraceError{bound.error().sentence()};
    }
    Node n;
    n.kind = NodeKind::CallFunction;
    n.op = op;
    n.target = spellOp(op);
    n.name = Name(packetOf(op).view().substr(packetOf(op).view().rfind(':') + 1));
    n.args = std::move(args);
    n.kwargs = std::move(kwargs);
    const NodeId id = g_.append(std::move(n));
    setInferredType(ops_, g_, id);
    return Value::node(id);
}

void Program::onBackward(const Value& result, const std::vector<Value>& operands, std::function<void(Value)> step) {
    if (!std::any_of(operands.begin(), operands.end(), [&](const Value& v) { return requiresGrad(v); })) return;
    requiring_[result.asNode()] = true;
    tape_.push_back({result.asNode(), std::move(step)});
}

void Program::accumulate(const Value& to, Value grad) {
    if (!requiresGrad(to)) return;
    const TensorType& want = tensor(to);
    if (!(tensor(grad).sizes == want.sizes)) grad = sumTo(grad, want.sizes);
    if (tensor(grad).dtype != want.dtype) grad = convertWithoutGradient(grad, want.dtype);
    const auto [it, first] = gradients_.emplace(to.asNode(), grad);
    if (!first) it->second = call("aten::add.Tensor"_n, {it->second, grad});
}

std::vector<Value> Program::backward(const Value& result, const Value& tangent, const std::vector<Value>& wrt) {
    gradients_.clear();
    if (requiresGrad(result)) gradients_[result.asNode()] = tangent;
    const std::vector<Step> tape = std::move(tape_);
    tape_.clear();
    for (auto it = tape.rbegin(); it != tape.rend(); ++it)
        if (const auto grad = gradients_.find(it->result); grad != gradients_.end()) it->run(Value(grad->second));
    std::vector<Value> out;
    for (const Value& v : wrt) {
        const auto it = v.isNode() ? gradients_.find(v.asNode()) : gradients_.end();
        out.push_back(it == gradients_.end() ? Value() : it->second);
    }
    return out;
}

Value Program::sumTo(const Value& grad, const std::vector<SymInt>& sizes) {
    const std::vector<SymInt> from = tensor(grad).sizes;
    if (sizes.size() > from.size()) throw TraceError{"a gradient has fewer dimensions than its tensor"};
    const std::size_t leading = from.size() - sizes.size();
    std::vector<Value> dims;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (i < leading || (sizes[i - leading] == SymInt(1) && !(from[i] == SymInt(1)))) dims.push_back(Value::integer(static_cast<std::int64_t>(i)));
    Value sum = grad;
    if (!dims.empty()) sum = call("aten::sum.dim_IntList"_n, {grad, Value::list(std::move(dims)), Value::boolean(true)});
    return leading ? call("aten::view"_n, {sum, sizesValue(sizes)}) : sum;
}

Value Program::convertWithoutGradient(const Value& x, DType dtype) { return call("prims::convert_element_type"_n, {x, dtypeValue(dtype)}); }

Value Program::permute(const Value& x, std::vector<std::int64_t> dims) {
    const std::size_t rank = tensor(x).rank();
    if (dims.size() != rank)
        throw TraceError{"a permutation of " + std::to_string(dims.size()) + " dimensions of a tensor of rank " + std::to_string(rank)};
    std::vector<std::int64_t> inverse(rank, -1);
    std::vector<Value> items;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t from = wrapped(dims[i], rank);
        if (inverse[from] >= 0) throw TraceError{"a permutation that names dimension " + std::to_string(from) + " twice"};
        inverse[from] = static_cast<std::int64_t>(i);
        items.push_back(Value::integer(static_cast<std::int64_t>(from)));
    }
    const Value out = call("aten::permute"_n, {x, Value::list(std::move(items))});
    onBackward(out, {x}, [this, x, inverse](Value grad) { accumulate(x, permute(grad, inverse)); });
    return out;
}

Value Program::transpose(const Value& x, std::int64_t i, std::int64_t j) {
    const std::size_t rank = tensor(x).rank();
    std::vector<std::int64_t> dims(rank);
    for (std::size_t k = 0; k < rank; ++k) dims[k] = static_cast<std::int64_t>(k);
    std::swap(dims[wrapped(i, rank)], dims[wrapped(j, rank)]);
    return permute(x, std::move(dims));
}

Value Program::reshape(const Value& x, std::vector<SymInt> sizes) {
    Value from = x;
    TensorType wanted = tensor(x);
    if (!(wanted.numel() == TensorType{DType::F32, {}, {}, sizes, {}, {}}.numel())) throw TraceError{"a view with another number of elements"};
    if (!reshapeStrides(wanted, sizes)) {
        from = call("aten::clone"_n, {x}, {{"memory_format"_n, Value::constant("torch.contiguous_format"_n)}});
        onBackward(from, {x}, [this, x](Value grad) { accumulate(x, grad); });
    }
    const Value out = call("aten::view"_n, {from, sizesValue(sizes)});
    onBackward(out, {from}, [this, from](Value grad) { accumulate(from, reshape(grad, tensor(from).sizes)); });
    return out;
}

Value Program::expand(const Value& x, std::vector<SymInt> sizes) {
    const Value out = call("aten::expand"_n, {x, sizesValue(sizes)});
    onBackward(out, {x}, [this, x](Value grad) { accumulate(x, grad); });
    return out;
}

Value Program::bmm(const Value& a, const Value& b) {
    const TensorType &x = tensor(a), &y = tensor(b);
    if (x.rank() != 3 || y.rank() != 3 || !(x.sizes[2] == y.sizes[1]) || !(x.sizes[0] == y.sizes[0]))
        throw TraceError{"a batched product of shapes that do not fit"};
    const Value out = call("aten::bmm"_n, {a, b});
    onBackward(out, {a, b}, [this, a, b](Value grad) {
        if (requiresGrad(b)) accumulate(b, bmm(transpose(a, 1, 2), grad));
        if (requiresGrad(a)) accumulate(a, bmm(grad, transpose(b, 1, 2)));
    });
    return out;
}

Value Program::fold(const Value& x, const std::vector<SymInt>& batch, const SymInt& folded) {
    const std::vector<SymInt> own = tensor(x).sizes;
    std::vector<SymInt> sizes = batch;
    sizes.insert(sizes.end(), own.end() - 2, own.end());
    return reshape(expand(x, sizes), {folded, own[own.size() - 2], own[own.size() - 1]});
}

Value Program::matmul(const Value& a, const Value& b) {
    const std::vector<SymInt> x = tensor(a).sizes, y = tensor(b).sizes;
    if (x.size() < 3 || y.size() < 3) throw TraceError{"a product of tensors of rank 3 or more is wanted"};
    std::vector<SymInt> sizes = broadcast({x.begin(), x.end() - 2}, {y.begin(), y.end() - 2});
    SymInt folded = 1;
    for (const SymInt& s : sizes) folded = folded * s;
    const Value product = bmm(fold(a, sizes, folded), fold(b, sizes, folded));
    sizes.push_back(x[x.size() - 2]);
    sizes.push_back(y.back());
    return reshape(product, sizes);
}

Value Program::add(const Value& a, const Value& b) {
    const Value out = call("aten::add.Tensor"_n, {a, b});
    onBackward(out, {a, b}, [this, a, b](Value grad) {
        accumulate(a, grad);
        accumulate(b, grad);
    });
    return out;
}

Value Program::mul(const Value& a, const Value& b) {
    const Value out = call("aten::mul.Tensor"_n, {a, b});
    onBackward(out, {a, b}, [this, a, b](Value grad) {
        if (requiresGrad(a)) accumulate(a, call("aten::mul.Tensor"_n, {grad, b}));
        if (requiresGrad(b)) accumulate(b, call("aten::mul.Tensor"_n, {grad, a}));
    });
    return out;
}

Value Program::div(const Value& a, const Value& b) {
    if (requiresGrad(b)) throw TraceError{"a divisor with a gradient"};
    const Value out = call("aten::div.Tensor"_n, {a, b});
    onBackward(out, {a}, [this, a, b](Value grad) { accumulate(a, call("aten::div.Tensor"_n, {grad, b})); });
    return out;
}

Value Program::softmax(const Value& x, std::int64_t dim) {
    const DType dtype = tensor(x).dtype;
    const bool narrow = isHalf(dtype);
    const Value dims = Value::list({Value::integer(dim)}), keep = Value::boolean(true);
    wrapped(dim, tensor(x).rank());
    const Value wide = narrow ? convertWithoutGradient(x, DType::F32) : x;
    const Value most = call("aten::amax"_n, {wide, dims, keep});
    const Value exp = call("aten::exp"_n, {call("aten::sub.Tensor"_n, {wide, most})});
    Value out = call("aten::div.Tensor"_n, {exp, call("aten::sum.dim_IntList"_n, {exp, dims, keep})});
    if (narrow) out = convertWithoutGradient(out, dtype);
    onBackward(out, {x}, [this, x, out, dims, keep, narrow, dtype](Value grad) {
        Value saved = out;
        if (narrow) {
            grad = convertWithoutGradient(grad, DType::F32);
            saved = convertWithoutGradient(out, DType::F32);
        }
        const Value weighted = call("aten::mul.Tensor"_n, {grad, saved});
        const Value sum = call("aten::sum.dim_IntList"_n, {weighted, dims, keep});
        Value gradient = call("prims::fma"_n, {call("aten::neg"_n, {saved}), sum, weighted});
        if (narrow) gradient = convertWithoutGradient(gradient, dtype);
        accumulate(x, gradient);
    });
    return out;
}

Value Program::dropout(const Value& x, const Value& p) {
    const auto probability = p.asNumber();
    if (!training_ || (probability && *probability == 0)) return x;
    if (!probability || *probability < 0 || *probability >= 1) throw TraceError{"a dropout probability from 0 to below 1 is wanted"};
    const TensorType type = tensor(x);
    const Value scale = Value::real(1.0 / (1.0 - *probability));
    const Value random =
        call("aten::rand"_n, {sizesValue(type.sizes)},
             {{"dtype"_n, dtypeValue(type.dtype)}, {"device"_n, Value::device(type.device)}, {"pin_memory"_n, Value::boolean(false)}});
    const Value kept = call("aten::gt.Scalar"_n, {random, p});
    const Value out = call("aten::mul.Tensor"_n, {call("aten::mul.Tensor"_n, {kept, x}), scale});
    onBackward(out, {x}, [this, x, kept, scale](Value grad) {
        const Value weight = call("aten::mul.Tensor"_n, {convertWithoutGradient(kept, tensor(grad).dtype), scale});
        accumulate(x, call("aten::mul.Tensor"_n, {grad, weight}));
    });
    return out;
}

Value Program::convert(const Value& x, DType dtype) {
    if (tensor(x).dtype == dtype) return x;
    const Value out = convertWithoutGradient(x, dtype);
    onBackward(out, {x}, [this, x](Value grad) { accumulate(x, grad); });  // accumulate converts back
    return out;
}

Value Program::full(const Value& value, const Value& like, std::vector<SymInt> sizes) {
    const TensorType& t = tensor(like);
    return call("aten::full"_n, {sizesValue(sizes), value},
                {{"dtype"_n, dtypeValue(t.dtype)}, {"device"_n, Value::device(t.device)}, {"pin_memory"_n, Value::boolean(false)}});
}

Value Program::zeroLike(const Value& like) { return full(Value::real(0.0), like); }

Value Program::where(const Value& condition, const Value& x, const Value& y) {
    const Value out = call("aten::where.self"_n, {condition, x, y});
    onBackward(out, {x, y}, [this, condition, x, y](Value grad) {
        if (requiresGrad(x)) accumulate(x, call("aten::where.self"_n, {condition, grad, zeroLike(grad)}));
        if (requiresGrad(y)) accumulate(y, call("aten::where.self"_n, {condition, zeroLike(grad), grad}));
    });
    return out;
}

Value Program::unsqueeze(const Value& x, std::int64_t dim) {
    const auto at = static_cast<std::int64_t>(wrapped(dim, tensor(x).rank() + 1));
    const Value out = call("aten::unsqueeze"_n, {x, Value::integer(at)});
    onBackward(out, {x}, [this, x, at](Value grad) { accumulate(x, squeeze(grad, at)); });
    return out;
}

Value Program::squeeze(const Value& x, std::int64_t dim) {
    const auto at = static_cast<std::int64_t>(wrapped(dim, tensor(x).rank()));
    const Value out = call("aten::squeeze.dim"_n, {x, Value::integer(at)});
    onBackward(out, {x}, [this, x, at](Value grad) { accumulate(x, unsqueeze(grad, at)); });
    return out;
}

Value Program::select(const Value& tuple, std::int64_t item) { return call("operator::getitem"_n, {tuple, Value::integer(item)}); }

}  // namespace aliascope::patterns
