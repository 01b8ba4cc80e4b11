#include "core/pipeline/substitute_symbols.h"

#include <algorithm>

namespace aliascope {
namespace {

bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continuesName(char c) { return startsName(c) || (c >= '0' && c <= '9'); }

/// As it stands inside another expression.
std::string operandText(const SymInt& s) {
    const std::string text = s.str();
    return std::all_of(text.begin(), text.end(), continuesName) ? text : "(" + text + ")";
}

}  // namespace

SymInt substituted(const SymInt& s, const SymbolSubstitution& by) {
    if (s.isConst()) return s;
    const std::vector<Name> symbols = s.symbols();
    if (std::none_of(symbols.begin(), symbols.end(), [&](Name symbol) { return by.contains(symbol); })) return s;
    if (symbols.size() == 1 && s == SymInt::symbol(symbols[0])) return by.at(symbols[0]);
    const std::string text = s.str();
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (!startsName(text[at]) || (at > 0 && continuesName(text[at - 1]))) {
            out += text[at++];
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && continuesName(text[end])) ++end;
        const std::string word = text.substr(at, end - at);
        const auto found = by.find(Name(word));
        out += found == by.end() ? word : operandText(found->second);
        at = end;
    }
    auto parsed = SymInt::parse(out);
    return parsed ? *parsed : SymInt::opaque(out);
}

TypePtr substituted(const TypePtr& type, const SymbolSubstitution& by) {
    if (!type) return type;
    if (const SymInt* s = type->asSym()) return Type::sym(substituted(*s, by));
    if (const std::vector<TypePtr>* parts = type->asTuple()) {
        std::vector<TypePtr> out;
        for (const TypePtr& part : *parts) out.push_back(substituted(part, by));
        return Type::tuple(std::move(out));
    }
    if (!type->asTensor()) return type;
    TensorType t = *type->asTensor();
    for (SymInt& size : t.sizes) size = substituted(size, by);
    if (t.strides)
        for (SymInt& stride : *t.strides) stride = substituted(stride, by);
    if (t.offset) t.offset = substituted(*t.offset, by);
    return Type::tensor(std::move(t));
}

Value substituted(const Value& v, const SymbolSubstitution& by) {
    if (v.kind() == Value::Kind::Sym) return Value::sym(substituted(v.asSym(), by));
    if (!v.isContainer()) return v;
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(substituted(item, by));  // depth is bounded by the readers
    if (items == v.items()) return v;
    if (v.kind() == Value::Kind::Dict) return Value::dict(v.keys(), std::move(items));
    if (v.kind() == Value::Kind::Slice) return Value::slice(items[0], items[1], items[2]);
    return Value::container(v.kind(), std::move(items));
}

}  // namespace aliascope
