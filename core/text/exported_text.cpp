#include "core/text/exported_text.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/text/find.h"
#include "core/text/literals.h"

namespace aliascope {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    // The two spellings of one kind: the enum says CONSTANT_TENSOR, archives tensor_constant.
    return out == "constant_tensor" ? "tensor_constant" : out;
}

/// What stands in quotes behind `key=`.
std::string_view quotedAfter(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == kNone || at + key.size() >= text.size()) return {};
    const std::string_view rest = text.substr(at + key.size());
    if (rest[0] != '\'' && rest[0] != '"') return {};
    return rest.substr(1, rest.find(rest[0], 1) - 1);
}

/// `p_w: PARAMETER target='w' persistent=True`.
std::optional<SignatureEntry> lineEntry(std::string_view line) {
    const std::size_t colon = line.find(": ");
    if (colon == kNone) return std::nullopt;
    const std::string_view rest = line.substr(colon + 2), kind = rest.substr(0, rest.find(' '));
    if (kind.empty() || !std::all_of(kind.begin(), kind.end(), [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); })) return std::nullopt;
    SignatureEntry entry;
    entry.kind = Name(lower(kind));
    entry.name = Name(line.substr(0, colon));
    entry.target = Name(quotedAfter(rest, "target="));
    entry.persistent = rest.find("persistent=False") == kNone;
    return entry;
}

/// `InputSpec(kind=<InputKind.BUFFER: 3>, arg=TensorArgument(name='b_x'), target='x', persistent=True)`.
std::vector<SignatureEntry> specEntries(std::string_view text, std::string_view constructor) {
    std::vector<SignatureEntry> out;
    for (std::size_t at = text.find(constructor); at != kNone;) {
        const std::size_t next = text.find(constructor, at + constructor.size());
        const std::string_view spec = text.substr(at, std::min(next, text.size()) - at);
        SignatureEntry entry;
        const std::size_t dot = spec.find("Kind.");
        if (dot != kNone) entry.kind = Name(lower(spec.substr(dot + 5, spec.find(':', dot) - dot - 5)));
        entry.name = Name(quotedAfter(spec, "name="));
        entry.target = Name(quotedAfter(spec, "target="));
        entry.persistent = spec.find("persistent=False") == kNone;
        out.push_back(entry);
        at = next;
    }
    return out;
}

std::optional<std::int64_t> bound(std::string_view text) {
    text = trimmed(text);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// `{s0: VR[2, int_oo], s1: VR[3, 64]}`.
void readRanges(std::string_view text, SymbolTable& symbols) {
    constexpr std::string_view kRange = ": VR[";
    for (std::size_t at = text.find(kRange); at != kNone; at = text.find(kRange, at + 1)) {
        const std::size_t before = text.find_last_of("{, ", at), close = text.find(']', at);
        if (close == kNone) return;
        const std::string_view name = text.substr(before == kNone ? 0 : before + 1, at - (before == kNone ? 0 : before + 1));
        const std::string_view range = text.substr(at + kRange.size(), close - at - kRange.size());
        const std::size_t comma = range.find(',');
        if (!isIdentifier(name) || comma == kNone) continue;
        SymbolFacts& facts = symbols[Name(name)];
        facts.min = bound(range.substr(0, comma));
        facts.max = bound(range.substr(comma + 1));
    }
}

}  // namespace

void readExportedText(const SourceText& source, Unit& unit) {
    const std::string_view text = source.text();
    unit.graph.phase = Phase::Export;
    std::vector<SignatureEntry>* side = nullptr;
    for (std::size_t at = unit.spanEnd; at < text.size();) {
        const std::size_t end = source.lineEnd(at);
        const std::string_view line = trimmed(text.substr(at, end - at));
        at = end + 1;
        if (line.substr(0, 16) == "Graph signature:") {
            unit.signature.inputs = specEntries(line, "InputSpec(");
            unit.signature.outputs = specEntries(line, "OutputSpec(");
        } else if (line.substr(0, 18) == "Range constraints:") {
            readRanges(line, unit.graph.symbols);
            return;
        } else if (line == "# inputs" || line == "# outputs") {
            side = line == "# inputs" ? &unit.signature.inputs : &unit.signature.outputs;
        } else if (const auto entry = side ? lineEntry(line) : std::nullopt) {
            side->push_back(*entry);
        } else if (!line.empty()) {
            return;
        }
    }
}

}  // namespace aliascope
