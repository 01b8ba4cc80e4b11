#include "core/exec/shape_rules.h"

#include <algorithm>
#include <numeric>

namespace aliascope::exec {
namespace {

/// Text among the arguments as the reader would have made it.
Value textValue(Name text) {
    const std::string_view s = text.view();
    if (s.starts_with("torch.")) return Value::constant(text);
    if (s == "cpu" || s.starts_with("cuda") || s == "meta") return Value::device(text);
    return Value::string(text);
}

}  // namespace

CallTypes::CallTypes() : typeOf_([this](NodeId id) { return id.value < types_.size() ? types_[id.value] : nullptr; }) {}

void CallTypes::bind(const OpDef& op, const std::vector<RuntimeValue>& args) {
    call_.op = &op;
    call_.values.clear();
    types_.clear();
    call_.given.assign(args.size(), true);
    for (const RuntimeValue& v : args) call_.values.push_back(valueOf(v));
}

Value CallTypes::valueOf(const RuntimeValue& v) {
    if (const Tensor* t = v.tensor()) {
        types_.push_back(Type::tensor(t->type()));
        return Value::node(NodeId(static_cast<std::uint32_t>(types_.size() - 1)));
    }
    if (const bool* b = std::get_if<bool>(&v.data)) return Value::boolean(*b);
    if (const std::int64_t* i = std::get_if<std::int64_t>(&v.data)) return Value::integer(*i);
    if (const double* d = std::get_if<double>(&v.data)) return Value::real(*d);
    if (std::holds_alternative<RuntimeValue::Text>(v.data)) return textValue(v.text());
    if (std::holds_alternative<RuntimeValue::Ellipsis>(v.data)) return Value::ellipsis();
    std::vector<Value> items;
    if (const RuntimeList* list = v.list()) {
        items.reserve(list->size());
        for (const RuntimeValue& item : *list) items.push_back(valueOf(item));
        return Value::list(std::move(items));
    }
    if (const auto* dict = std::get_if<RuntimeDict>(&v.data)) {
        for (const RuntimeValue& item : dict->items) items.push_back(valueOf(item));
        return Value::dict(dict->keys, std::move(items));
    }
    if (const auto* slice = std::get_if<RuntimeValue::Slice>(&v.data); slice && slice->parts && slice->parts->size() == 3)
        return Value::slice(valueOf((*slice->parts)[0]), valueOf((*slice->parts)[1]), valueOf((*slice->parts)[2]));
    return {};
}

std::optional<ViewResult> CallTypes::view() const {
    if (call_.values.empty() || !call_.values[0].isNode()) return std::nullopt;
    const TypePtr base = typeOf_(call_.values[0].asNode());
    return viewResult(InferContext(graph_, call_, typeOf_), *base->asTensor());
}

std::optional<Shape> evaluate(const std::vector<SymInt>& values, const SymbolTable& symbols) {
    Shape out;
    out.reserve(values.size());
    for (const SymInt& s : values) {
        const auto n = s.isConst() ? s.constant() : s.evaluate(symbols);
        if (!n) return std::nullopt;
        out.push_back(*n);
    }
    return out;
}

std::optional<Geometry> evaluate(const TensorType& type, const SymbolTable& symbols) {
    if (type.dtype == DType::Unknown) return std::nullopt;
    auto sizes = evaluate(type.sizes, symbols);
    if (!sizes) return std::nullopt;
    Geometry g;
    g.dtype = type.dtype;
    g.device = type.device;
    auto strides = type.strides ? evaluate(*type.strides, symbols) : contiguousStrides(*sizes);
    if (!strides || strides->size() != sizes->size()) return std::nullopt;
    const auto offset = type.offset ? type.offset->evaluate(symbols) : 0;
    if (!offset) return std::nullopt;
    g.sizes = std::move(*sizes);
    g.strides = std::move(*strides);
    g.offset = *offset;
    return g;
}

bool denseOrPadded(const Shape& sizes, const Shape& strides) {
    std::vector<std::size_t> dims(sizes.size());
    std::iota(dims.begin(), dims.end(), std::size_t{0});
    std::erase_if(dims, [&](std::size_t d) { return sizes[d] == 1; });
    std::stable_sort(dims.begin(), dims.end(), [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
    std::int64_t expected = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::int64_t stride = strides[dims[i]];
        const bool row = i == 1;  // only rows are padded
        if (row ? stride < expected : stride != expected) return false;
        if (__builtin_mul_overflow(stride, sizes[dims[i]], &expected)) return false;
    }
    return true;
}

bool sameStrides(const Shape& sizes, const Shape& a, const Shape& b) {
    if (a.size() != sizes.size() || b.size() != sizes.size()) return false;
    for (std::size_t d = 0; d < sizes.size(); ++d)
        if (sizes[d] != 1 && a[d] != b[d]) return false;
    return true;
}

}  // namespace aliascope::exec
