#include "core/text/input_facts.h"

#include <charconv>
#include <optional>

#include "core/text/find.h"
#include "core/text/literals.h"
#include "core/text/repro_inputs.h"
#include "core/text/stated_sizes.h"

namespace aliascope {
namespace {

/// `L['fn']._modules['0'].weight` -> `L_fn_modules_0_weight_`: as Dynamo names the input of that source.
std::string inputName(std::string_view source) {
    std::string name;
    for (const char c : source)
        if (c != '_' && isNameChar(c) && static_cast<unsigned char>(c) < 0x80)
            name += c;
        else if (!name.ends_with('_'))
            name += '_';
    return name;
}

/// `device(type='cuda', index=0)` or `cuda:0`.
std::string deviceName(std::string_view text) {
    constexpr std::string_view kType = "type='", kIndex = "index=";
    const std::size_t type = text.find(kType);
    if (type == kNone) return std::string(text);
    const std::size_t begin = type + kType.size();
    std::string name(text.substr(begin, text.find('\'', begin) - begin));
    if (const std::size_t index = text.find(kIndex); index != kNone) {
        std::size_t end = index + kIndex.size();
        while (end < text.size() && isDigit(text[end])) ++end;
        name += ":" + std::string(text.substr(index + kIndex.size(), end - index - kIndex.size()));
    }
    return name;
}

/// `[16, "s0"]`.
std::optional<std::vector<SymInt>> sizesOf(JsonValue list) {
    std::string text(list.text());
    std::erase(text, '"');
    return list.isArray() ? parseSizes(text) : std::nullopt;
}

TypePtr typeOf(JsonValue fact) {
    const auto sizes = sizesOf(fact["size"]);
    if (!sizes) return nullptr;
    TensorType t;
    t.sizes = *sizes;
    t.strides = sizesOf(fact["stride"]);
    if (t.strides && t.strides->size() != t.sizes.size()) t.strides.reset();
    const std::string dtype = fact["dtype"].string();
    t.dtype = dtypeFromTorchName(dtype).value_or(DType::Unknown);
    if (t.dtype == DType::Unknown) t.dtypeName = Name(dtype.substr(dtype.rfind('.') + 1));
    t.device = Name(deviceName(fact["device"].string()));
    t.offset = SymInt(fact["storage_offset"].integer().value_or(0));
    return Type::tensor(std::move(t));
}

bool isTrue(std::string_view object, std::string_view key) {
    const std::size_t at = object.find(key);
    return at != kNone && object.substr(at + key.size()).starts_with("=True");
}

/// What stands in the brackets of `name=[…]`; empty when it is not there.
std::string_view listOf(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == kNone) return {};
    const std::size_t begin = at + name.size();
    int depth = 1;
    for (std::size_t i = begin; i < text.size(); ++i) {
        if (text[i] == '[') ++depth;
        if (text[i] == ']' && --depth == 0) return text.substr(begin, i - begin);
    }
    return text.substr(begin);
}

/// The objects `Name(…)` of a list, cut at the names.
std::vector<std::string_view> objectsOf(std::string_view list, std::string_view name) {
    std::vector<std::string_view> out;
    for (std::size_t at = list.find(name); at != kNone;) {
        const std::size_t next = list.find(name, at + name.size());
        out.push_back(list.substr(at, next == kNone ? next : next - at));
        at = next;
    }
    return out;
}

}  // namespace

void InputFacts::add(std::string_view kind, JsonValue fact) {
    const auto describer = fact["describer_id"].integer(), id = fact["id"].integer();
    if (!describer || !id) return;
    if (kind == "describe_tensor") tensors_[{*describer, *id}] = {typeOf(fact), fact["storage"].integer().value_or(-1)};
    if (kind == "describe_source") sources_[inputName(fact["source"].string())].emplace_back(*describer, *id);
}

void InputFacts::tell(Unit& unit) const {
    Graph& g = unit.graph;
    std::map<Id, std::vector<std::string>> sharing;
    for (const NodeId id : g.placeholders()) {
        const auto source = sources_.find(g[id].target.view());
        // Of several tensors of one name none is known to be it.
        if (source == sources_.end() || source->second.size() != 1) continue;
        const auto tensor = tensors_.find(source->second.front());
        if (tensor == tensors_.end()) continue;
        if (tensor->second.type) completeInput(g, id, tensor->second.type);
        if (tensor->second.storage >= 0) sharing[{tensor->first.first, tensor->second.storage}].push_back(g[id].name.str());
    }
    for (const auto& [storage, names] : sharing) {
        if (names.size() < 2) continue;
        std::string note = "one storage: ";
        for (std::size_t i = 0; i < names.size(); ++i) note += (i ? ", " : "") + names[i];
        unit.notes.push_back(note);
    }
}

std::vector<std::string> mutationNotes(std::string_view metadata, const Graph& g) {
    const std::vector<NodeId> placeholders = g.placeholders();
    const auto inputName = [&](std::size_t i) { return i < placeholders.size() ? g[placeholders[i]].name.str() : "input " + std::to_string(i); };
    std::vector<std::string> notes;
    std::string written;
    const auto inputs = objectsOf(listOf(metadata, "input_info=["), "InputAliasInfo(");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool data = isTrue(inputs[i], "mutates_data"), shape = isTrue(inputs[i], "mutates_metadata");
        if (data || shape) written += (written.empty() ? "" : ", ") + inputName(i) + (data ? "" : " (its sizes or strides)");
    }
    if (!written.empty()) notes.push_back("the function writes its inputs " + written);
    const auto outputs = objectsOf(listOf(metadata, "output_info=["), "OutputAliasInfo(");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string_view type = outputs[i].substr(0, outputs[i].find(": "));
        const bool same = type.ends_with("OutputType.is_input");
        if (!same && !type.ends_with("OutputType.alias_of_input")) continue;
        constexpr std::string_view kBase = "base_idx=";
        const std::size_t at = outputs[i].find(kBase);
        std::size_t base = 0;
        const char* end = outputs[i].data() + outputs[i].size();
        if (at == kNone || std::from_chars(outputs[i].data() + at + kBase.size(), end, base).ec != std::errc()) continue;
        notes.push_back("output " + std::to_string(i) + (same ? " is input " : " is a view of input ") + inputName(base));
    }
    return notes;
}

}  // namespace aliascope
