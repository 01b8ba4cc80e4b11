#include "core/recording/node_text.h"

#include <nlohmann/json.hpp>

namespace aliascope::recording {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kOpsPrefix = "torch.ops.";
constexpr std::string_view kArgs = "args";

/// Appends `text` with braces doubled, so that they are not taken for a part.
void appendEscaped(std::string& out, std::string_view text) {
    for (char c : text) {
        out += c;
        if (c == '{' || c == '}') out += c;
    }
}

/// The parts in the order in which they stand in a comment.
struct Part {
    std::string_view key;
    std::string text;
};
std::vector<Part> partsOf(const Provenance& p) {
    return {{"file", p.file.str()}, {"line", p.line ? std::to_string(p.line) : std::string()}, {"fn", p.function.str()}, {"code", p.code.str()}};
}

void take(const Json& j, const char* key, std::optional<std::string>& out) {
    if (const auto it = j.find(key); it != j.end() && it->is_string()) out = it->get<std::string>();
}

}  // namespace

StoredOp storeTarget(Name target) {
    const std::string_view text = target.view();
    if (text.starts_with(kOpsPrefix)) return {"op", text.substr(kOpsPrefix.size())};
    return {"target", text};
}

std::string spellTarget(std::string_view kind, std::string_view text) {
    std::string out(kind == "op" ? kOpsPrefix : std::string_view());
    out += text;
    return out;
}

std::string_view defaultTarget(NodeKind kind, std::string_view name) { return kind == NodeKind::Output ? std::string_view("output") : name; }

std::optional<NodeKind> nodeKindFrom(std::string_view word) {
    for (NodeKind k :
         {NodeKind::Placeholder, NodeKind::GetAttr, NodeKind::CallFunction, NodeKind::CallMethod, NodeKind::CallModule, NodeKind::Output})
        if (toString(k) == word) return k;
    return std::nullopt;
}

std::string argsKind(const Extras& e) {
    std::string out(kArgs);
    if (e.empty()) return out;
    Json j = Json::object();
    if (e.annotation) j["annotation"] = *e.annotation;
    if (e.target) j["target"] = *e.target;
    if (e.op) j["op"] = *e.op;
    if (e.comment) j["comment"] = *e.comment;
    if (e.type) j["type"] = *e.type;
    if (e.offset) j["offset"] = *e.offset;
    return out + ":" + j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Extras extrasFrom(std::string_view kind) {
    Extras e;
    if (kind.size() <= kArgs.size() + 1) return e;
    const Json j = Json::parse(kind.substr(kArgs.size() + 1), nullptr, false);
    if (!j.is_object()) return e;
    take(j, "annotation", e.annotation);
    take(j, "target", e.target);
    take(j, "op", e.op);
    take(j, "comment", e.comment);
    take(j, "type", e.type);
    take(j, "offset", e.offset);
    return e;
}

std::string ruleComment(const Provenance& p) {
    if (p.file.empty()) return {};
    std::string out = "# File: " + p.file.str() + ":" + std::to_string(p.line);
    if (p.function) out += " in " + p.function.str();
    return out + ", code: " + p.code.str();
}

std::optional<std::string> commentTemplate(const Provenance& p) {
    if (p.raw.view() == ruleComment(p)) return std::nullopt;
    // Each part is looked for behind the one before it; a part that does not stand in the comment is kept in its own column only.
    std::string out;
    std::string_view rest = p.raw.view();
    for (const Part& part : partsOf(p)) {
        if (part.text.empty()) continue;
        const auto at = part.key == "code" ? rest.rfind(part.text) : rest.find(part.text);
        if (at == std::string_view::npos) continue;
        appendEscaped(out, rest.substr(0, at));
        out += "{" + std::string(part.key) + "}";
        rest.remove_prefix(at + part.text.size());
    }
    appendEscaped(out, rest);
    return out;
}

std::string fillComment(std::string_view text, const Provenance& provenance) {
    const std::vector<Part> parts = partsOf(provenance);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
            out += c;
            ++i;
            continue;
        }
        const auto close = c == '{' ? text.find('}', i) : std::string_view::npos;
        if (close == std::string_view::npos) {
            out += c;
            continue;
        }
        const std::string_view key = text.substr(i + 1, close - i - 1);
        for (const Part& part : parts)
            if (part.key == key) out += part.text;
        i = close;
    }
    return out;
}

}  // namespace aliascope::recording
