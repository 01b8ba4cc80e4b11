#include "core/ir/value.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace aliascope {
namespace {

const std::vector<Value> kNoItems;
const std::vector<Name> kNoKeys;

}  // namespace

Value Value::holding(Kind kind, std::vector<Value> items, std::vector<Name> keys, SymInt sym) {
    return {kind, reinterpret_cast<std::uintptr_t>(new Items{std::move(items), std::move(keys), std::move(sym)})};
}

Value Value::sym(SymInt s) {
    if (const auto c = s.constant()) return integer(*c);
    return holding(Kind::Sym, {}, {}, std::move(s));
}

Value Value::container(Kind kind, std::vector<Value> items) { return holding(kind, std::move(items), {}, {}); }

Value Value::dict(std::vector<Name> keys, std::vector<Value> items) { return holding(Kind::Dict, std::move(items), std::move(keys), {}); }

Value Value::slice(Value start, Value stop, Value step) {
    std::vector<Value> items;
    items.push_back(std::move(start));
    items.push_back(std::move(stop));
    items.push_back(std::move(step));
    return container(Kind::Slice, std::move(items));
}

std::optional<std::int64_t> Value::asInt() const { return kind_ == Kind::Int || kind_ == Kind::Bool ? std::optional(static_cast<std::int64_t>(bits_)) : std::nullopt; }

std::optional<double> Value::asNumber() const {
    if (kind_ == Kind::Float) return std::bit_cast<double>(bits_);
    if (const auto i = asInt()) return static_cast<double>(*i);
    return std::nullopt;
}

std::optional<bool> Value::asBool() const {
    if (kind_ == Kind::Bool || (kind_ == Kind::Int && bits_ <= 1)) return bits_ != 0;
    return std::nullopt;
}

const SymInt& Value::asSym() const { return shared()->sym; }
const std::vector<Value>& Value::items() const { return isContainer() ? shared()->values : kNoItems; }
const std::vector<Name>& Value::keys() const { return isContainer() ? shared()->keys : kNoKeys; }

const Value* Value::find(Name key) const {
    const auto& k = keys();
    for (std::size_t i = 0; i < k.size(); ++i)
        if (k[i] == key) return &shared()->values[i];
    return nullptr;
}

Value Value::mapNodes(const std::function<Value(NodeId)>& f) const {
    if (kind_ == Kind::Node) return f(asNode());
    if (!isContainer()) return *this;
    const auto& old = items();
    for (std::size_t i = 0; i < old.size(); ++i) {
        Value mapped = old[i].mapNodes(f);
        if (mapped == old[i]) continue;
        std::vector<Value> items = old;
        items[i] = std::move(mapped);
        for (std::size_t j = i + 1; j < old.size(); ++j) items[j] = old[j].mapNodes(f);
        return holding(kind_, std::move(items), keys(), {});
    }
    return *this;
}

bool Value::usesNode(NodeId id) const {
    if (kind_ == Kind::Node) return asNode() == id;
    if (isContainer())
        for (const Value& v : items())
            if (v.usesNode(id)) return true;
    return false;
}

bool operator==(const Value& a, const Value& b) {
    if (a.kind_ != b.kind_) return false;
    switch (a.kind_) {
        case Value::Kind::None:
        case Value::Kind::Ellipsis: return true;
        case Value::Kind::Bool:
        case Value::Kind::Int:
        case Value::Kind::Node:
        case Value::Kind::Float: return a.bits_ == b.bits_;
        case Value::Kind::Sym: return a.asSym() == b.asSym();
        default: break;
    }
    if (!a.isContainer()) return a.name() == b.name();
    return a.bits_ == b.bits_ || (a.keys() == b.keys() && a.items() == b.items());
}

std::string pythonFloat(double d) {
    if (std::isnan(d)) return "nan";
    if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
    // Shortest digits that read back to the same double; then Python's choice of form: exponent below -4 or from 16 digits on.
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    const auto e = text.find('e');
    int exponent = 0;
    const char* digits = text.data() + e + 1;
    if (*digits == '+') ++digits;
    std::from_chars(digits, end, exponent);
    if (exponent < -4 || exponent >= 16) {
        std::string out(text.substr(0, e));
        out += exponent < 0 ? "e-" : "e+";
        const int size = exponent < 0 ? -exponent : exponent;
        if (size < 10) out += '0';
        return out + std::to_string(size);
    }
    char fixed[64];
    std::string out(fixed, std::to_chars(fixed, fixed + sizeof fixed, d, std::chars_format::fixed).ptr);
    if (out.find('.') == std::string::npos) out += ".0";
    return out;
}

}  // namespace aliascope
