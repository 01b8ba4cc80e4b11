#include "core/recording/type_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace aliascope::recording {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 64;

/// Cuts `a, b[1, 2], (c, d)` at the commas outside brackets.
std::vector<std::string_view> topLevelParts(std::string_view text) {
    std::vector<std::string_view> parts;
    if (text.empty()) return parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (c != ',' || depth != 0) continue;
        parts.push_back(text.substr(begin, i - begin));
        begin = i + 1;
        while (begin < text.size() && text[begin] == ' ') ++begin;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

TypePtr readType(std::string_view text, int depth) {
    if (text == "?") return nullptr;
    if (depth < kMaxDepth && text.size() >= 2 && text.front() == '(' && text.back() == ')') {
        std::vector<TypePtr> parts;
        for (std::string_view part : topLevelParts(text.substr(1, text.size() - 2))) parts.push_back(readType(part, depth + 1));
        return Type::tuple(std::move(parts));
    }
    return Type::parseAnnotation(text);
}

Json symJson(const SymInt& s) {
    if (const auto c = s.constant()) return *c;
    return s.str();
}

Json listJson(const std::vector<SymInt>& list) {
    Json out = Json::array();
    for (const SymInt& s : list) out.push_back(symJson(s));
    return out;
}

Json treeOf(const TypePtr& type) {
    if (!type) return nullptr;
    if (const TensorType* t = type->asTensor()) {
        Json j = {{"dtype", t->dtype == DType::Unknown ? t->dtypeName.str() : std::string(info(t->dtype).shortName)}, {"sizes", listJson(t->sizes)}};
        if (t->strides) j["strides"] = listJson(*t->strides);
        if (t->device) j["device"] = t->device.str();
        return j;
    }
    if (const SymInt* s = type->asSym()) return {{"sym", symJson(*s)}};
    if (const auto* parts = type->asTuple()) {
        Json out = Json::array();
        for (const TypePtr& p : *parts) out.push_back(treeOf(p));
        return out;
    }
    return {{"text", type->str()}};
}

SymInt symFrom(const Json& j) {
    if (j.is_number_integer()) return SymInt(j.get<std::int64_t>());
    const std::string text = j.is_string() ? j.get<std::string>() : std::string("?");
    Result<SymInt> s = SymInt::parse(text);
    return s ? std::move(*s) : SymInt::opaque(text);
}

std::vector<SymInt> listFrom(const Json& j) {
    std::vector<SymInt> out;
    if (j.is_array())
        for (const Json& item : j) out.push_back(symFrom(item));
    return out;
}

TypePtr typeFrom(const Json& j, int depth) {
    if (depth > kMaxDepth) return nullptr;
    if (j.is_array()) {
        std::vector<TypePtr> parts;
        for (const Json& item : j) parts.push_back(typeFrom(item, depth + 1));
        return Type::tuple(std::move(parts));
    }
    if (!j.is_object()) return nullptr;
    if (j.contains("sym")) return Type::sym(symFrom(j["sym"]));
    if (j.contains("text") && j["text"].is_string()) return Type::other(j["text"].get<std::string>());
    if (!j.contains("dtype") || !j["dtype"].is_string()) return nullptr;
    TensorType t;
    const std::string dtype = j["dtype"].get<std::string>();
    if (const auto known = dtypeFromShortName(dtype))
        t.dtype = *known;
    else
        t.dtypeName = Name(dtype);
    if (j.contains("sizes")) t.sizes = listFrom(j["sizes"]);
    if (j.contains("strides")) t.strides = listFrom(j["strides"]);
    if (t.strides && t.strides->size() != t.sizes.size()) return nullptr;
    if (j.contains("device") && j["device"].is_string()) t.device = Name(j["device"].get<std::string>());
    return Type::tensor(std::move(t));
}

void addSymbols(std::vector<Name>& out, const std::vector<SymInt>& list) {
    for (const SymInt& s : list)
        for (Name n : s.symbols()) out.push_back(n);
}

}  // namespace

std::string typeText(const TypePtr& type) {
    if (!type) return "?";
    const auto* parts = type->asTuple();
    if (!parts) return type->str();
    std::string out = "(";
    for (std::size_t i = 0; i < parts->size(); ++i) out += (i ? ", " : "") + typeText((*parts)[i]);
    return out + ")";
}

std::string offsetMark(const SymInt& offset) { return " @" + offset.str(); }

std::string hintMark(const TypePtr& type, const SymbolTable& symbols) {
    std::vector<Name> names;
    if (const TensorType* t = asTensor(type)) {
        addSymbols(names, t->sizes);
        if (t->strides) addSymbols(names, *t->strides);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string out;
    for (Name n : names) {
        const auto it = symbols.find(n);
        out += (out.empty() ? " {" : ", ") + n.str() + "=" +
               (it != symbols.end() && it->second.hint ? std::to_string(*it->second.hint) : std::string("?"));
    }
    return out.empty() ? out : out + "}";
}

std::string_view bareTypeText(std::string_view text) {
    if (text.ends_with('}'))
        if (const auto at = text.rfind(" {"); at != std::string_view::npos) text = text.substr(0, at);
    if (const auto at = text.rfind(" @"); at != std::string_view::npos) text = text.substr(0, at);
    return text;
}

TypePtr typeFromText(std::string_view text) { return readType(bareTypeText(text), 0); }

std::string typeTree(const TypePtr& type) { return treeOf(type).dump(-1, ' ', false, Json::error_handler_t::replace); }

TypePtr typeFromTree(std::string_view json) { return typeFrom(Json::parse(json, nullptr, false), 0); }

std::string symIntList(const std::vector<SymInt>& list) { return listJson(list).dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace aliascope::recording
