#include "core/ir/schema.h"

#include <algorithm>

namespace aliascope {
namespace {

const Name wildcard = "*"_n;

std::string setText(const std::vector<Name>& set) {
    std::string out;
    for (Name n : set) out += (out.empty() ? "" : "|") + n.str();
    return out;
}

std::string aliasText(const AliasAnnotation& a) {
    if (a.fresh) return "!";
    std::string out = "(" + setText(a.before) + (a.written ? "!" : "");
    if (!a.after.empty() && a.after != a.before) out += " -> " + setText(a.after);
    return out + ")";
}

template <class F>
void forEachAlias(const SchemaType& t, const F& f) {
    if (t.alias) f(*t.alias);
    for (const SchemaType& p : t.parts) forEachAlias(p, f);
}

bool hasWildcard(const SchemaType& t) {
    bool found = false;
    forEachAlias(t, [&](const AliasAnnotation& a) {
        for (const auto* set : {&a.before, &a.after}) found = found || std::find(set->begin(), set->end(), wildcard) != set->end();
    });
    return found;
}

/// Names that only their dunders mark as in-place.
bool isInPlaceDunder(std::string_view name) {
    static constexpr std::string_view names[] = {"__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

bool SchemaType::isTensorLike() const { return innermost() == "Tensor"; }

bool SchemaType::isList() const {
    if (kind == Kind::List) return true;
    return kind == Kind::Optional && parts[0].isList();
}

bool SchemaType::written() const {
    bool found = false;
    forEachAlias(*this, [&](const AliasAnnotation& a) { found = found || a.written; });
    return found;
}

std::vector<Name> SchemaType::sets() const {
    std::vector<Name> out;
    forEachAlias(*this, [&](const AliasAnnotation& a) {
        for (const auto* set : {&a.before, &a.after})
            for (Name n : *set)
                if (n != wildcard && std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
    });
    return out;
}

Name SchemaType::innermost() const {
    const SchemaType* t = this;
    while (t->kind == Kind::Optional || t->kind == Kind::List) t = &t->parts[0];
    return t->kind == Kind::Base ? t->base : Name();
}

std::string SchemaType::str() const {
    std::string out;
    switch (kind) {
        case Kind::Base:
            out = base.str();
            break;
        case Kind::Optional:
            out = parts[0].str() + "?";
            break;
        case Kind::List:
            out = parts[0].str() + "[" + (fixedSize ? std::to_string(*fixedSize) : "") + "]";
            break;
        case Kind::Generic:
        case Kind::TupleOf:
            out = (kind == Kind::Generic ? base.str() : "") + "(";
            for (std::size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? ", " : "") + parts[i].str();
            out += ")";
            break;
    }
    return alias ? out + aliasText(*alias) : out;
}

std::string Schema::str() const {
    std::string out = canonical().str() + "(";
    bool keywordOnly = false, first = true;
    const auto separate = [&] {
        if (!first) out += ", ";
        first = false;
    };
    for (const SchemaParam& p : params) {
        separate();
        if (p.keywordOnly && !keywordOnly) out += "*, ";
        keywordOnly = p.keywordOnly;
        out += p.type.str() + " " + p.name.str();
        if (!p.defaultText.empty()) out += "=" + p.defaultText;
    }
    if (variadic) {
        separate();
        out += "...";
    }
    out += ") -> ";
    if (variadicReturns) return out + "...";
    const bool bare = bareReturn && returns.size() == 1;
    if (!bare) out += "(";
    for (std::size_t i = 0; i < returns.size(); ++i) {
        if (i > 0) out += ", ";
        out += returns[i].type.str();
        if (returns[i].name) out += " " + returns[i].name.str();
    }
    return bare ? out : out + ")";
}

Name Schema::canonical() const {
    std::string out;
    if (ns) out = ns.str() + "::";
    out += name.str();
    if (overload && overload != "default") out += "." + overload.str();
    return Name(out);
}

bool Schema::isMutable() const {
    return std::any_of(params.begin(), params.end(), [](const SchemaParam& p) { return p.written(); });
}

bool Schema::isOut() const {
    return std::any_of(params.begin(), params.end(), [](const SchemaParam& p) { return p.keywordOnly && p.written(); });
}

bool Schema::isInPlace() const {
    if (isOut() || params.empty() || !params[0].written()) return false;
    const std::string_view n = name.view();
    return (n.ends_with('_') && !n.ends_with("__")) || isInPlaceDunder(n);
}

AliasKind Schema::alias(std::size_t result, std::size_t param) const {
    if (result >= returns.size() || param >= params.size()) return AliasKind::None;
    const SchemaType &r = returns[result].type, &p = params[param].type;
    const std::vector<Name> of = r.sets();
    if (of.empty()) return AliasKind::None;
    const std::vector<Name> from = p.sets();
    const auto inParam = [&](Name n) { return std::find(from.begin(), from.end(), n) != from.end(); };
    if (std::none_of(of.begin(), of.end(), inParam)) return AliasKind::None;
    if (p.written() && r.written()) return AliasKind::Same;
    return hasWildcard(r) || !std::all_of(of.begin(), of.end(), inParam) ? AliasKind::Maybe : AliasKind::View;
}

bool Schema::isView() const {
    if (isOut()) return false;
    for (std::size_t p = 0; p < params.size(); ++p) {
        if (params[p].written()) continue;
        for (std::size_t r = 0; r < returns.size(); ++r)
            if (alias(r, p) != AliasKind::None) return true;
    }
    return false;
}

bool Schema::isMultiOutputView() const { return isView() && returns.size() == 1 && returns[0].type.isList(); }

int Schema::paramIndex(Name wanted) const {
    for (std::size_t i = 0; i < params.size(); ++i)
        if (params[i].name == wanted) return static_cast<int>(i);
    return -1;
}

std::vector<std::size_t> Schema::writtenParams() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < params.size(); ++i)
        if (params[i].written()) out.push_back(i);
    return out;
}

}  // namespace aliascope
