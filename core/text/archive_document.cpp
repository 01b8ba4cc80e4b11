// Archives of torch.export (formats.md 11.1): finds the programs in both layouts. Pickles and weights are named, never read.

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/text/document_parts.h"
#include "core/text/graph_finder.h"
#include "core/text/program_reader.h"

namespace aliascope {
namespace {

constexpr std::string_view kOldProgram = "serialized_exported_program.json";

/// What stands behind `root` in a name; empty when the name is elsewhere.
std::string_view below(std::string_view name, std::string_view root) {
    return name.starts_with(root) ? name.substr(root.size()) : std::string_view();
}

class ArchiveReader {
public:
    ArchiveReader(MemberSource& source, const std::string& path, const ReadContext& context) : source_(source), path_(path), context_(context) {}

    Result<Document> read() {
        doc_.path = path_;
        doc_.container = "archive";
        doc_.diagnostics = source_.diagnostics();
        for (std::size_t i = 0; i < source_.members().size(); ++i) indexOf_.emplace(source_.members()[i].name, i);
        const std::string root = findRoot();
        std::optional<Diagnostic> failure;
        for (std::size_t i = 0; i < source_.members().size() && !context_.options.cancel.cancelled(); ++i) {
            const std::string name = modelName(source_.members()[i].name, root);
            if (name.empty()) continue;
            if (auto status = addProgram(i, name, root); !status) {
                // One broken model does not hide the others.
                if (!failure) failure = status.error();
                doc_.diagnostics.push_back(status.error());
            }
        }
        if (!doc_.units.empty()) return std::move(doc_);
        if (failure) return fail(*failure);
        if (const auto refused = refusal(root)) return fail(*refused);
        // Any archive of dumps: what users attach to reports.
        return readFolder(source_, path_, context_);
    }

private:
    /// The folder that holds the archive: none, or one.
    std::string findRoot() {
        for (std::size_t i = 0; i < source_.members().size(); ++i) {
            const std::string_view name = source_.members()[i].name;
            const std::size_t slash = name.rfind('/');
            const std::string_view file = slash == name.npos ? name : name.substr(slash + 1);
            const std::string root(slash == name.npos ? std::string_view() : name.substr(0, slash + 1));
            if (root.find('/') != root.rfind('/')) continue;
            if (file == kOldProgram) return root;
            if (file != "archive_format" || source_.members()[i].bytes > 64) continue;
            const auto format = source_.read(i);
            if (format && format->starts_with("pt2")) return root;
        }
        return {};
    }

    /// The model whose program a member is; empty when it is none.
    static std::string modelName(std::string_view member, std::string_view root) {
        const std::string_view rest = below(member, root);
        if (rest == kOldProgram) return "model";
        constexpr std::string_view kModels = "models/", kJson = ".json";
        if (!rest.starts_with(kModels) || !rest.ends_with(kJson) || rest.size() <= kModels.size() + kJson.size()) return {};
        return std::string(rest.substr(kModels.size(), rest.size() - kModels.size() - kJson.size()));
    }

    Status addProgram(std::size_t index, const std::string& name, const std::string& root) {
        auto text = source_.read(index);
        if (!text) return fail(text.error());
        const std::string& member = source_.members()[index].name;
        const JsonDocument json(*text, 0, text->size(), context_.options.limits.jsonDepth);
        if (!isProgram(json.root()))
            return fail(noGraph(path_ + "/" + member, json.error() ? "this is no JSON" : "this is JSON, " + describeJson(json.root())));
        Document part = readProgramText(std::move(*text), path_ + "/" + member, context_);
        for (Unit& unit : part.units) {
            unit.label = name;
            for (const std::string_view config : {"data/weights/", "data/constants/"}) noteShared(unit, root + std::string(config) + name);
        }
        appendPart(doc_, std::move(part), member);
        return {};
    }

    /// Weights of one storage, from `NAME_weights_config.json` or `NAME_constants_config.json`.
    void noteShared(Unit& unit, const std::string& prefix) {
        for (const std::string_view tail : {"_weights_config.json", "_constants_config.json"}) {
            const auto it = indexOf_.find(prefix + std::string(tail));
            if (it == indexOf_.end()) continue;
            const auto text = source_.read(it->second);
            if (!text) continue;
            const JsonDocument json(*text, 0, text->size());
            for (std::string& note : sharedWeights(json.root())) unit.notes.push_back(std::move(note));
        }
    }

    /// Why an archive of PyTorch without a program cannot be shown; nothing when it is none of PyTorch.
    std::optional<Diagnostic> refusal(const std::string& root) const {
        const auto any = [&](auto test) {
            return std::any_of(source_.members().begin(), source_.members().end(), [&](const Member& m) { return test(std::string_view(m.name)); });
        };
        const auto in = [&](std::string_view folder) { return any([&](std::string_view n) { return below(n, root).starts_with(folder); }); };
        Diagnostic d;
        if (in("data/aotinductor/") || in("data/executorch/")) {
            d = userError("R043");
            d.note = "export the program itself with torch.export.save to see its graph";
        } else if (any([](std::string_view n) { return n.ends_with("data.pkl") || n.find("/code/") != n.npos || n.starts_with("code/"); })) {
            d = userError("R042");
            d.note = "this is an archive of torch.save or TorchScript, without a program of torch.export";
        } else if (any([&](std::string_view n) { return below(n, root) == "archive_format"; })) {
            return noGraph(path_, "the archive holds no program of torch.export");
        } else {
            return std::nullopt;
        }
        d.file = path_;
        return d;
    }

    MemberSource& source_;
    const std::string& path_;
    const ReadContext& context_;
    Document doc_;
    std::unordered_map<std::string, std::size_t> indexOf_;  // of members, by name
};

}  // namespace

Result<Document> readArchive(MemberSource& source, const std::string& path, const ReadContext& context) {
    return ArchiveReader(source, path, context).read();
}

}  // namespace aliascope
