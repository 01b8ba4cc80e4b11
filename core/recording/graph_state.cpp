#include "core/recording/graph_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/text/print.h"

namespace aliascope::recording {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxNodeId = 1u << 24;

void collect(std::vector<Body>& out, const Graph& g, std::size_t parent, int depth) {
    if (depth > kMaxBodyDepth) return;
    for (const Graph::SubGraph& s : g.subGraphs()) {
        if (out.size() >= kMaxBodies) return;
        std::string path = out[parent].path.empty() ? s.attribute.str() : out[parent].path + "." + s.attribute.str();
        out.push_back({0, std::move(path), parent, s.attribute, s.graph.get()});
        collect(out, *s.graph, out.size() - 1, depth + 1);
    }
}

// --- style: one list of members serves both directions ------------------------------------------------------------------------------------

constexpr PrintStyle::Frame lastOf(PrintStyle::Frame) { return PrintStyle::Frame::None; }
constexpr PrintStyle::Signature lastOf(PrintStyle::Signature) { return PrintStyle::Signature::Boxed; }

/// Calls `f(key, member)` for every member of the style but `verbatim`.
template <class Style, class F>
void forEachMember(Style& s, F f) {
    f("class_line", s.classLine);
    f("return_type", s.returnType);
    f("delete_lists", s.deleteLists);
    f("delete_unused", s.deleteUnused);
    f("strides", s.strides);
    f("devices", s.devices);
    f("comments", s.comments);
    f("comment_indent", s.commentIndent);
    f("blank_before_comment", s.blankBeforeComment);
    f("final_newline", s.finalNewline);
    f("padded_blanks", s.paddedBlanks);
    f("unquoted_annotations", s.unquotedAnnotations);
    f("frame", s.frame);
    f("signature", s.signature);
    f("line_per_parameter", s.linePerParameter);
    f("parameters", s.parameters);
    f("flatten_spec", s.flattenSpec);
    f("unflatten_tail", s.unflattenTail);
    f("output_descriptors", s.outputDescriptors);
    f("body_indent", s.bodyIndent);
    f("old_users", s.oldUsers);
    f("type_exprs", s.typeExprs);
    f("quoted_notes", s.quotedNotes);
    f("graph_header", s.graphHeader);
    f("percent_return", s.percentReturn);
    f("graph_indent", s.graphIndent);
}

Json styleJson(const PrintStyle& style) {
    static const PrintStyle usual;
    Json j = Json::object();
    forEachMember(style, [&](const char* key, const auto& value) { j[key] = value; });
    forEachMember(usual, [&](const char* key, const auto& value) {
        if (j[key] == Json(value)) j.erase(key);
    });
    for (const auto& [before, line] : style.verbatim) j["verbatim"].push_back({before.str(), line});
    return j;
}

void readMember(const Json& j, std::string& out) {
    if (j.is_string()) out = j.get<std::string>();
}
void readMember(const Json& j, bool& out) {
    if (j.is_boolean()) out = j.get<bool>();
}
void readMember(const Json& j, int& out) {
    if (j.is_number_integer()) out = static_cast<int>(std::clamp<std::int64_t>(j.get<std::int64_t>(), 0, 1000));
}
void readMember(const Json& j, std::vector<std::string>& out) {
    if (!j.is_array()) return;
    for (const Json& item : j)
        if (item.is_string()) out.push_back(item.get<std::string>());
}

template <class Enum>
requires std::is_enum_v<Enum>
void readMember(const Json& j, Enum& out) {
    if (!j.is_number_integer()) return;
    const auto value = j.get<std::int64_t>();
    if (value >= 0 && value <= static_cast<std::int64_t>(lastOf(out))) out = static_cast<Enum>(value);
}

PrintStyle styleFrom(const Json& j) {
    PrintStyle style;
    if (!j.is_object()) return style;
    forEachMember(style, [&](const char* key, auto& value) {
        if (const auto it = j.find(key); it != j.end()) readMember(*it, value);
    });
    if (const auto it = j.find("verbatim"); it != j.end() && it->is_array())
        for (const Json& pair : *it)
            if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
                style.verbatim.emplace_back(Name(pair[0].get<std::string>()), pair[1].get<std::string>());
    return style;
}

// --- symbols ---------------------------------------------------------------------------------------------------------------------------------

Json optionalJson(const std::optional<std::int64_t>& v) { return v ? Json(*v) : Json(nullptr); }

Json symbolsJson(const SymbolTable& symbols) {
    std::vector<std::pair<Name, SymbolFacts>> sorted(symbols.begin(), symbols.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Json out = Json::array();
    for (const auto& [name, facts] : sorted) out.push_back({name.str(), optionalJson(facts.hint), optionalJson(facts.min), optionalJson(facts.max)});
    return out;
}

std::optional<std::int64_t> optionalFrom(const Json& j) { return j.is_number_integer() ? std::optional(j.get<std::int64_t>()) : std::nullopt; }

SymbolTable symbolsFrom(const Json& j) {
    SymbolTable out;
    if (!j.is_array()) return out;
    for (const Json& row : j)
        if (row.is_array() && row.size() == 4 && row[0].is_string())
            out[Name(row[0].get<std::string>())] = {optionalFrom(row[1]), optionalFrom(row[2]), optionalFrom(row[3])};
    return out;
}

// --- what passes left on nodes ---------------------------------------------------------------------------------------------------------------

Json metaJson(const Graph& g) {
    Json out = Json::array();
    for (NodeId id : inOrder(g)) {
        for (const auto& [key, value] : g[id].meta) {
            std::string text;
            printValue(text, g, value, Dialect::Exact);
            out.push_back({id.value, key.str(), text});
        }
    }
    return out;
}

std::vector<BodyState::Meta> metaFrom(const Json& j) {
    std::vector<BodyState::Meta> out;
    if (!j.is_array()) return out;
    for (const Json& row : j)
        if (row.is_array() && row.size() == 3 && row[0].is_number_unsigned() && row[0].get<std::uint64_t>() < kMaxNodeId && row[1].is_string() &&
            row[2].is_string())
            out.push_back({row[0].get<std::uint32_t>(), Name(row[1].get<std::string>()), row[2].get<std::string>()});
    return out;
}

Phase phaseFrom(const std::string& word) {
    for (Phase p : {Phase::Dynamo, Phase::PreGrad, Phase::Joint, Phase::Forward, Phase::Backward, Phase::Inference, Phase::Export})
        if (toString(p) == word) return p;
    return Phase::Unknown;
}

std::string textAt(const Json& j, const char* key) {
    const auto it = j.find(key);
    return it != j.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::uint64_t numberAt(const Json& j, const char* key) {
    const auto it = j.find(key);
    return it != j.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
}

}  // namespace

std::vector<Body> bodiesOf(const Graph& g) {
    std::vector<Body> out;
    out.push_back({0, {}, 0, Name(), &g});
    collect(out, g, 0, 1);
    return out;
}

std::string graphStateJson(const std::vector<Body>& bodies) {
    Json out = Json::array();
    for (const Body& b : bodies) {
        Json j = {{"number", b.number}, {"path", b.path}, {"parent", b.parent}, {"attribute", b.attribute.str()}, {"name", b.graph->name}};
        j["phase"] = std::string(toString(b.graph->phase));
        j["style"] = styleJson(b.graph->style);
        if (!b.graph->symbols.empty()) j["symbols"] = symbolsJson(b.graph->symbols);
        if (Json meta = metaJson(*b.graph); !meta.empty()) j["meta"] = std::move(meta);
        out.push_back(std::move(j));
    }
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::vector<BodyState>> graphStateFrom(std::string_view json) {
    const Json all = Json::parse(json, nullptr, false);
    if (!all.is_array() || all.empty() || all.size() > kMaxBodies) return std::nullopt;
    std::vector<BodyState> out;
    std::vector<int> depth;
    for (const Json& j : all) {
        if (!j.is_object()) return std::nullopt;
        BodyState b;
        b.number = static_cast<std::uint32_t>(numberAt(j, "number"));
        b.path = textAt(j, "path");
        b.parent = numberAt(j, "parent");
        if (!out.empty() && b.parent >= out.size()) return std::nullopt;
        depth.push_back(out.empty() ? 0 : depth[b.parent] + 1);
        if (depth.back() > kMaxBodyDepth) return std::nullopt;
        b.attribute = Name(textAt(j, "attribute"));
        b.graph.name = textAt(j, "name");
        b.graph.phase = phaseFrom(textAt(j, "phase"));
        if (const auto it = j.find("style"); it != j.end()) b.graph.style = styleFrom(*it);
        if (const auto it = j.find("symbols"); it != j.end()) b.graph.symbols = symbolsFrom(*it);
        if (const auto it = j.find("meta"); it != j.end()) b.meta = metaFrom(*it);
        out.push_back(std::move(b));
    }
    return out;
}

}  // namespace aliascope::recording
