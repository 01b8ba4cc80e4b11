#include "core/text/program_values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/ir/sym_expr.h"
#include "core/text/find.h"
#include "core/text/literals.h"

namespace aliascope {
namespace {

struct Code {
    std::int64_t number;
    std::string_view oldName, name;
};

// These numbers are those of torch._export.serde, not those that C++ uses (formats.md 5.5, 11.2).
constexpr std::array<Code, 20> kScalarTypes = {{{1, "BYTE", "torch.uint8"},
                                                {2, "CHAR", "torch.int8"},
                                                {3, "SHORT", "torch.int16"},
                                                {4, "INT", "torch.int32"},
                                                {5, "LONG", "torch.int64"},
                                                {6, "HALF", "torch.float16"},
                                                {7, "FLOAT", "torch.float32"},
                                                {8, "DOUBLE", "torch.float64"},
                                                {9, "COMPLEXHALF", "torch.complex32"},
                                                {10, "COMPLEXFLOAT", "torch.complex64"},
                                                {11, "COMPLEXDOUBLE", "torch.complex128"},
                                                {12, "BOOL", "torch.bool"},
                                                {13, "BFLOAT16", "torch.bfloat16"},
                                                {28, "UINT16", "torch.uint16"},
                                                {29, "FLOAT8E4M3FN", "torch.float8_e4m3fn"},
                                                {30, "FLOAT8E5M2", "torch.float8_e5m2"},
                                                {31, "FLOAT8E4M3FNUZ", "torch.float8_e4m3fnuz"},
                                                {32, "FLOAT8E5M2FNUZ", "torch.float8_e5m2fnuz"},
                                                {-1, "UINT32", "torch.uint32"},
                                                {-1, "UINT64", "torch.uint64"}}};
constexpr std::array<Code, 7> kLayouts = {{{1, "SparseCoo", "torch.sparse_coo"},
                                           {2, "SparseCsr", "torch.sparse_csr"},
                                           {3, "SparseCsc", "torch.sparse_csc"},
                                           {4, "SparseBsr", "torch.sparse_bsr"},
                                           {5, "SparseBsc", "torch.sparse_bsc"},
                                           {6, "_mkldnn", "torch._mkldnn"},
                                           {7, "Strided", "torch.strided"}}};
constexpr std::array<Code, 4> kFormats = {{{1, "ContiguousFormat", "torch.contiguous_format"},
                                           {2, "ChannelsLast", "torch.channels_last"},
                                           {3, "ChannelsLast3d", "torch.channels_last_3d"},
                                           {4, "PreserveFormat", "torch.preserve_format"}}};

template <std::size_t N>
std::string nameOf(const std::array<Code, N>& codes, JsonValue code) {
    const auto number = code.integer();
    const std::string text = code.string();
    for (const Code& c : codes)
        if ((number && *number > 0 && c.number == *number) || (!text.empty() && (text == c.oldName || "torch." + text == c.name || text == c.name)))
            return std::string(c.name);
    return {};
}

/// `File "P", line N, in F` and, when it follows, the line of code.
struct Frame {
    std::string_view file, function, code;
    std::uint32_t line = 0;
};

std::optional<Frame> frameOf(std::string_view line) {
    constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
    line = trimmed(line);
    if (line.substr(0, kFile.size()) != kFile) return std::nullopt;
    const std::size_t number = line.rfind(kLine);
    if (number == kNone || number < kFile.size()) return std::nullopt;
    Frame frame;
    frame.file = line.substr(kFile.size(), number - kFile.size());
    const std::string_view rest = line.substr(number + kLine.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), frame.line);
    if (error != std::errc()) return std::nullopt;
    const std::string_view tail = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (tail.substr(0, kIn.size()) == kIn) frame.function = tail.substr(kIn.size());
    return frame;
}

/// As a comment of readable Python writes it.
std::string commentOf(const Frame& f) {
    std::string out = "# File: " + std::string(f.file) + ":" + std::to_string(f.line);
    if (!f.function.empty()) out += " in " + std::string(f.function);
    return out + ", code: " + std::string(f.code);
}

/// Entries of a list whose separator may stand inside brackets.
std::vector<std::string_view> entries(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : separator;
        if (c == '(' || c == '[' || c == '<') ++depth;
        if (c == ')' || c == ']' || c == '>') --depth;
        if (i < text.size() && (c != separator || depth > 0)) continue;
        out.push_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    return out;
}

}  // namespace

JsonValue unionEntry(JsonValue value) {
    JsonValue first = value.isObject() ? value.first() : JsonValue();
    for (JsonValue v = first; v; v = v.next())
        if (!v.isNull()) return v;
    return first;
}

std::string scalarTypeName(JsonValue code) { return nameOf(kScalarTypes, code); }
std::string layoutName(JsonValue code) { return nameOf(kLayouts, code); }
std::string memoryFormatName(JsonValue code) { return nameOf(kFormats, code); }

std::string deviceName(JsonValue device) {
    std::string name = device["type"].string();
    if (!isIdentifier(name)) return {};
    if (const auto index = device["index"].integer()) name += ":" + std::to_string(*index);
    return name;
}

SymInt symInt(JsonValue size, SymbolTable& symbols) {
    if (const auto plain = size["as_int"].integer()) return SymInt(*plain);
    const JsonValue expr = size["as_expr"];
    const std::string text = expr["expr_str"].string();
    if (text.empty()) return SymInt::opaque(size.isNull() ? "?" : size.text().substr(0, 80));
    const auto parsed = SymInt::parse(text);
    if (!parsed) return SymInt::opaque(text);
    if (parsed->isConst()) return *parsed;
    const auto names = parsed->symbols();
    for (const Name name : names) symbols.try_emplace(name);
    const auto hint = unionEntry(expr["hint"]).integer();
    if (hint && names.size() == 1 && *parsed == SymInt::symbol(names[0])) symbols[names[0]].hint = hint;
    // Archives spell expressions as sympy builds them: `Mul(Integer(4), Symbol('s27'))`.
    return SymBuild::withText(*parsed, {});
}

TypePtr tensorType(JsonValue meta, SymbolTable& symbols) {
    constexpr std::size_t kMostDimensions = 1024;
    if (!meta.isObject() || meta["sizes"].size() > kMostDimensions) return nullptr;
    TensorType t;
    const std::string dtype = scalarTypeName(meta["dtype"]);
    if (const auto known = dtypeFromTorchName(dtype))
        t.dtype = *known;
    else
        t.dtypeName = Name(dtype.empty() ? "dtype" + std::string(meta["dtype"].text().substr(0, 20)) : dtype);
    for (JsonValue v = meta["sizes"].first(); v; v = v.next()) t.sizes.push_back(symInt(v, symbols));
    if (meta["strides"].isArray() && meta["strides"].size() == t.sizes.size()) {
        t.strides.emplace();
        for (JsonValue v = meta["strides"].first(); v; v = v.next()) t.strides->push_back(symInt(v, symbols));
    }
    if (meta["storage_offset"].isObject()) t.offset = symInt(meta["storage_offset"], symbols);
    t.device = Name(deviceName(meta["device"]));
    return Type::tensor(std::move(t));
}

Provenance tracebackFrame(std::string_view traceback) {
    std::optional<Frame> last, user;
    const auto settle = [&] {
        if (last && last->file.substr(0, 15) != "<eval_with_key>") user = last;
    };
    for (std::size_t at = 0; at < traceback.size();) {
        const std::size_t end = std::min(traceback.find('\n', at), traceback.size());
        const std::string_view line = traceback.substr(at, end - at);
        if (auto frame = frameOf(line)) {
            settle();
            last = frame;
        } else if (last && last->code.empty()) {
            last->code = trimmed(line);
        }
        at = end + 1;
    }
    settle();
    const std::optional<Frame> chosen = user ? user : last;
    Provenance p;
    if (!chosen) return p;
    p.file = Name(chosen->file);
    p.line = chosen->line;
    p.function = Name(chosen->function);
    p.code = Name(chosen->code);
    p.raw = Name(commentOf(*chosen));
    return p;
}

std::string modulePath(std::string_view stack) {
    const auto levels = entries(stack, ';');
    if (levels.empty()) return {};
    const auto parts = entries(levels.back(), ',');
    if (parts.size() < 2) return {};
    std::string_view path = parts[1];
    for (const std::string_view root : {"L['self'].", "L__self___", "L['self']", "L__self__"})
        if (path.substr(0, root.size()) == root) {
            path.remove_prefix(root.size());
            break;
        }
    // Nodes that export itself made carry the name of a hook.
    return path.substr(0, 7) == "_empty_" ? std::string() : std::string(path);
}

}  // namespace aliascope
