#include "core/exec/literal_constants.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/exec/backend.h"
#include "core/exec/executor.h"
#include "core/text/document.h"

namespace fs = std::filesystem;

namespace aliascope::exec {
namespace {

constexpr std::uintmax_t kLargestFile = 4u << 20;
constexpr std::size_t kMostFiles = 64;
constexpr std::int64_t kMostElements = 1 << 20;
constexpr std::string_view kConstant = "_tensor_constant", kLiteral = "torch.tensor(";

/// Nested lists of numbers, row by row.
bool collect(const Value& v, std::vector<Value>& out) {
    if (v.asNumber()) {
        out.push_back(v);
        return true;
    }
    return v.isSequence() && std::all_of(v.items().begin(), v.items().end(), [&](const Value& item) { return collect(item, out); });
}

/// Elements of `type` from numbers as they stand in the text; nothing when the counts differ or the type is not known.
std::optional<TensorBytes> tensorOf(const Value& numbers, const TensorType& type) {
    std::vector<Value> elements;
    if (!collect(numbers, elements)) return {};
    TensorBytes out;
    out.dtype = type.dtype;
    std::int64_t count = 1;
    for (const SymInt& s : type.sizes) {
        const auto size = s.constant();
        if (!size || *size < 0 || __builtin_mul_overflow(count, *size, &count) || count > kMostElements) return {};
        out.sizes.push_back(*size);
    }
    if (itemSize(type.dtype) == 0 || count != static_cast<std::int64_t>(elements.size())) return {};
    const auto cpu = makeCpuBackend(Precision::Reference);
    const auto make = [&](DType dtype) {
        TensorType t;
        t.dtype = dtype;
        t.sizes.assign(out.sizes.begin(), out.sizes.end());
        return makeTensor(*cpu, t);
    };
    const bool floating = info(type.dtype).floating;
    const Tensor wide = make(floating ? DType::F64 : DType::I64), converted = make(type.dtype);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (floating) wide.as<double>()[i] = *elements[i].asNumber();
        else if (const auto whole = elements[i].asInt()) wide.as<std::int64_t>()[i] = *whole;
        else return {};
    }
    cpu->copy(converted, wide);
    out.data.resize(static_cast<std::size_t>(converted.bytes()));
    cpu->download(out.data.data(), converted);
    return out;
}

/// Constants of a graph in the order of their numbers, with the types that it states.
std::vector<std::pair<Name, const TensorType*>> constantsOf(const Graph& g) {
    std::vector<std::pair<Name, const TensorType*>> out;
    for (NodeId id : inOrder(g))
        if (g[id].kind == NodeKind::GetAttr && g[id].target.view().starts_with(kConstant) &&
            std::none_of(out.begin(), out.end(), [&](const auto& c) { return c.first == g[id].target; }))
            out.emplace_back(g[id].target, g[id].tensor());
    const auto number = [](Name n) { return std::make_pair(n.view().size(), n.view()); };
    std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return number(a.first) < number(b.first); });
    return out;
}

/// What `g` makes from numbers, when it fits `constants` one by one.
std::vector<TensorBytes> matching(const Graph& g, const std::vector<std::pair<Name, const TensorType*>>& constants) {
    std::vector<TensorBytes> out;
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (!n.isCall() || n.target.view() != kLiteral.substr(0, kLiteral.size() - 1)) continue;
        if (out.size() == constants.size()) return {};
        const auto& [name, wanted] = constants[out.size()];
        const TensorType* type = n.tensor();
        if (!type || !wanted || type->dtype != wanted->dtype || type->sizes != wanted->sizes) return {};
        auto value = tensorOf(n.arg(0), *type);
        if (!value) return {};
        value->name = name.str();
        out.push_back(std::move(*value));
    }
    return out.size() == constants.size() ? std::move(out) : std::vector<TensorBytes>();
}

}  // namespace

std::vector<LiteralConstant> literalConstants(const std::string& path, const Graph& opened, const OpRegistry& ops) {
    const auto constants = constantsOf(opened);
    if (constants.empty() || path.empty()) return {};
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator it(fs::path(path).parent_path().empty() ? fs::path(".") : fs::path(path).parent_path(), error), end; !error && it != end;
         it.increment(error)) {
        std::error_code ignored;
        if (files.size() < kMostFiles && it->is_regular_file(ignored) && it->path().extension() == fs::path(path).extension() &&
            it->file_size(ignored) <= kLargestFile)
            files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        if (text.find(kLiteral) == text.npos) continue;
        const auto document = readText(text, file.filename().string(), ops);
        if (!document) continue;
        for (const auto& unit : document->units) {
            std::vector<TensorBytes> found = matching(unit.graph, constants);
            if (found.empty()) continue;
            std::vector<LiteralConstant> out;
            for (TensorBytes& value : found) out.push_back({std::move(value), file.filename().string()});
            return out;
        }
    }
    return {};
}

}  // namespace aliascope::exec
