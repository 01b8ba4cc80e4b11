#include "core/ir/type.h"

#include <xxhash.h>

namespace aliascope {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15ull + (h >> 29); }

std::uint64_t hashText(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::string bracketed(const std::vector<SymInt>& list) {
    std::string out = "[";
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i) out += ", ";
        out += list[i].str();
    }
    return out + "]";
}

/// The list between a `[` at `at` and its `]`; moves `at` behind it. Nothing on unbalanced text or a term that does not parse.
std::optional<std::vector<SymInt>> readList(std::string_view text, std::size_t& at) {
    std::vector<SymInt> out;
    std::size_t begin = ++at;
    int depth = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '(' || c == '[') ++depth;
        const bool closes = c == ']' && depth == 0;
        if (closes || (c == ',' && depth == 0)) {
            std::string_view item = text.substr(begin, at - begin);
            while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
            if (!item.empty()) {
                Result<SymInt> term = SymInt::parse(item);
                out.push_back(term ? std::move(*term) : SymInt::opaque(item));
            } else if (!closes) {
                return std::nullopt;
            }
            begin = at + 1;
        }
        if (closes) {
            ++at;
            return out;
        }
        if (c == ')' || c == ']') --depth;
        if (depth < 0) return std::nullopt;
    }
    return std::nullopt;
}

/// PyTorch's own limit. A text with more dims is no tensor; their strides alone would be a table as large as the square of its length.
constexpr std::size_t kMaxRank = 64;

std::optional<TensorType> readTensor(std::string_view text) {
    const auto bracket = text.find('[');
    if (bracket == std::string_view::npos || bracket == 0) return std::nullopt;
    const std::string_view head = text.substr(0, bracket);
    for (char c : head)
        if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '_')) return std::nullopt;
    TensorType t;
    if (const auto dtype = dtypeFromShortName(head)) {
        t.dtype = *dtype;
    } else {
        t.dtypeName = Name(head);
    }
    std::size_t at = bracket;
    auto sizes = readList(text, at);
    if (!sizes || sizes->size() > kMaxRank) return std::nullopt;
    t.sizes = std::move(*sizes);
    if (at < text.size() && text[at] == '[') {
        auto strides = readList(text, at);
        if (!strides || strides->size() != t.sizes.size()) return std::nullopt;
        t.strides = std::move(*strides);
    }
    const std::string_view device = text.substr(at);
    for (char c : device)
        if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':')) return std::nullopt;
    if (!device.empty()) t.device = Name(device);
    return t;
}

}  // namespace

std::string_view toString(Trust t) {
    switch (t) {
        case Trust::Stated: return "stated";
        case Trust::Sibling: return "sibling";
        case Trust::Inferred: return "inferred";
        case Trust::Assumed: return "assumed";
        case Trust::Unknown: break;
    }
    return "unknown";
}

SymInt TensorType::numel() const {
    SymInt n = 1;
    for (const SymInt& s : sizes) n = n * s;
    return n;
}

std::optional<SymInt> TensorType::bytes() const {
    if (const int item = itemSize(dtype)) return numel() * SymInt(item);
    return std::nullopt;
}

std::optional<SymInt> TensorType::extent() const {
    if (!strides) return std::nullopt;
    SymInt last = offset.value_or(SymInt(0));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i].constant() == 0) return SymInt(0);
        last = last + (sizes[i] - SymInt(1)) * (*strides)[i];
    }
    return last + SymInt(1);
}

std::vector<SymInt> TensorType::contiguousStrides(const std::vector<SymInt>& sizes) {
    std::vector<SymInt> strides(sizes.size());
    SymInt step = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = step;
        if (sizes[i].constant() != 0) step = step * sizes[i];
    }
    return strides;
}

bool TensorType::isContiguous() const {
    if (!strides) return false;
    SymInt step = 1;
    for (const SymInt& s : sizes)
        if (s.constant() == 0) return true;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i].constant() == 1) continue;
        if (!((*strides)[i] == step)) return false;
        step = step * sizes[i];
    }
    return true;
}

std::string TensorType::str(bool withStrides, bool withDevice) const {
    std::string out = dtype == DType::Unknown ? dtypeName.str() : std::string(info(dtype).shortName);
    out += bracketed(sizes);
    if (withStrides && strides) out += bracketed(*strides);
    if (withDevice) out += device.str();
    return out;
}

bool operator==(const TensorType& a, const TensorType& b) {
    return a.dtype == b.dtype && a.dtypeName == b.dtypeName && a.device == b.device && a.sizes == b.sizes && a.strides == b.strides && a.offset == b.offset;
}

TypePtr Type::tensor(TensorType t) {
    auto type = std::make_shared<Type>();
    type->kind_ = Kind::Tensor;
    type->tensor_ = std::move(t);
    return type;
}

TypePtr Type::sym(SymInt value) {
    auto type = std::make_shared<Type>();
    type->kind_ = Kind::Sym;
    type->sym_ = std::move(value);
    return type;
}

TypePtr Type::tuple(std::vector<TypePtr> parts) {
    auto type = std::make_shared<Type>();
    type->kind_ = Kind::Tuple;
    for (TypePtr& p : parts) {
        // Shared parts would let a few lines of text describe a tree that no walk ends in.
        if (p && p->kind_ == Kind::Tuple && p->nodes_ > kNestedParts) p = nullptr;
        type->nodes_ += p ? p->nodes_ : 1;
    }
    type->parts_ = std::move(parts);
    return type;
}

TypePtr Type::other(std::string_view text) {
    auto type = std::make_shared<Type>();
    type->text_ = text;
    return type;
}

TypePtr Type::parseAnnotation(std::string_view text) {
    if (text.starts_with("Sym(") && text.ends_with(")")) {
        const std::string_view inside = text.substr(4, text.size() - 5);
        Result<SymInt> value = SymInt::parse(inside);
        return sym(value ? std::move(*value) : SymInt::opaque(inside));
    }
    if (auto t = readTensor(text)) return tensor(std::move(*t));
    return other(text);
}

std::string Type::str() const {
    switch (kind_) {
        case Kind::Tensor: return tensor_.str();
        case Kind::Sym: return "Sym(" + sym_.str() + ")";
        case Kind::Tuple: return {};
        case Kind::Other: break;
    }
    return text_;
}

std::uint64_t Type::hash() const {
    std::uint64_t h = static_cast<std::uint64_t>(kind_) + 1;
    switch (kind_) {
        case Kind::Tensor:
            h = mix(h, static_cast<std::uint64_t>(tensor_.dtype));
            h = mix(h, hashText(tensor_.dtypeName.view()));
            h = mix(h, hashText(tensor_.device.view()));
            for (const SymInt& s : tensor_.sizes) h = mix(h, s.hash());
            h = mix(h, tensor_.strides.has_value());
            if (tensor_.strides)
                for (const SymInt& s : *tensor_.strides) h = mix(h, s.hash());
            return h;
        case Kind::Sym: return mix(h, sym_.hash());
        case Kind::Tuple:
            for (const TypePtr& p : parts_) h = mix(h, p ? p->hash() : 0);
            return h;
        case Kind::Other: break;
    }
    return mix(h, hashText(text_));
}

bool sameType(const TypePtr& a, const TypePtr& b) {
    if (a == b) return true;
    if (!a || !b || a->kind() != b->kind()) return false;
    if (const auto* x = a->asTensor()) return *x == *b->asTensor();
    if (const auto* x = a->asSym()) return *x == *b->asSym();
    if (const auto* x = a->asTuple()) {
        const auto& y = *b->asTuple();
        if (x->size() != y.size()) return false;
        for (std::size_t i = 0; i < y.size(); ++i)
            if (!sameType((*x)[i], y[i])) return false;
        return true;
    }
    return a->str() == b->str();
}

}  // namespace aliascope
