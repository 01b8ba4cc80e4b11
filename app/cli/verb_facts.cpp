// `passes`, `ops`, `samples`, `version`: facts about this build.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/cli/command.h"
#include "app/cli/samples.h"
#include "app/cli/source.h"
#include "core/recording/migrations.h"
#include "core/support/nearest.h"

namespace aliascope::cli {
namespace {

namespace fs = std::filesystem;

std::string typeName(const PassOption& option) {
    switch (option.type) {
        case PassOption::Type::Int:
            return "integer";
        case PassOption::Type::Float:
            return "number";
        case PassOption::Type::Text:
            return "text";
        case PassOption::Type::File:
            return "file";
        case PassOption::Type::Enum:
            break;
    }
    std::string out;
    for (const std::string& value : option.values) out += (out.empty() ? "" : "|") + value;
    return out;
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out;
}

Table passTable() {
    Table table{{{"name", "pass"}, {"options", "options (default)"}, {"help", "does"}}, {}, "no passes"};
    for (const auto& pass : allPasses()) {
        Row row;
        std::string shown;
        Json options = Json::array();
        for (const PassOption& option : pass->options()) {
            shown += fmt::format("{}{}={} ({})", shown.empty() ? "" : "  ", option.key, typeName(option), option.defaultValue);
            options.push_back({{"key", option.key},
                               {"type", option.type == PassOption::Type::Enum ? "enum" : typeName(option)},
                               {"values", option.values},
                               {"default", option.defaultValue},
                               {"help", option.help}});
        }
        row.cells = {std::string(pass->name()), shown.empty() ? "-" : shown, std::string(pass->help())};
        row.json = {{"name", pass->name()}, {"help", pass->help()}, {"options", options}};
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table pipelineTable() {
    Table table{{{"name", "pipeline"}, {"steps", "steps"}, {"missing", "left out: not in this build"}}, {}, ""};
    for (const std::string& name : pipelineNames()) {
        const auto pipeline = namedPipeline(name);
        if (!pipeline) endWith(pipeline.error());
        Row row;
        row.cells = {name, pipeline->str(), pipeline->missing.empty() ? "-" : joined(pipeline->missing)};
        row.json = {{"name", name}, {"steps", pipeline->str()}, {"missing", pipeline->missing}};
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string traitText(const OpDef& op) {
    static constexpr std::pair<Trait, std::string_view> names[] = {{Trait::WriteOnly, "write-only"},
                                                                   {Trait::HandleOnly, "handle-only"},
                                                                   {Trait::PartialWrite, "partial-write"},
                                                                   {Trait::Random, "random"},
                                                                   {Trait::Effect, "effect"},
                                                                   {Trait::HostRead, "host-read"},
                                                                   {Trait::ShapeOnly, "shape-only"},
                                                                   {Trait::FreshCopy, "fresh-copy"},
                                                                   {Trait::Scatter, "scatter"},
                                                                   {Trait::AliasIfLayout, "alias-if-layout"},
                                                                   {Trait::SilentAlias, "silent-alias"},
                                                                   {Trait::IdentityView, "identity-view"},
                                                                   {Trait::Resizes, "resizes"},
                                                                   {Trait::Pointwise, "pointwise"}};
    std::string out = op.isView() ? "view" : "";
    for (const auto& [trait, name] : names)
        if (op.is(trait)) out += (out.empty() ? "" : ", ") + std::string(name);
    return out;
}

std::string sourceName(SchemaSource source) {
    switch (source) {
        case SchemaSource::Data:
            return "PyTorch";
        case SchemaSource::UserFile:
            return "--ops";
        case SchemaSource::Reconstructed:
            break;
    }
    return "reconstructed";
}

/// Folders in which samples may lie, the first that exists wins: ALIASCOPE_SAMPLES, the installed folder, the source tree of a build.
std::vector<fs::path> sampleFolders() {
    std::vector<fs::path> out;
    if (const char* chosen = std::getenv("ALIASCOPE_SAMPLES"); chosen && *chosen) return {chosen};
    std::error_code error;
    fs::path at = fs::read_symlink("/proc/self/exe", error).parent_path();
    if (error) return out;
    for (int up = 0; up < 5 && !at.empty(); ++up, at = at.parent_path()) {
        out.push_back(at / ALIASCOPE_SAMPLES_INSTALLED);
        out.push_back(at / ALIASCOPE_SAMPLES_SOURCE);
    }
    return out;
}

std::string textOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int limitOf(Command& c, int fallback) {
    const std::string text = c.args().get("--limit");
    if (text.empty()) return fallback;
    char* end = nullptr;
    const long n = std::strtol(text.c_str(), &end, 10);
    if (*end != '\0' || n < 1 || n > 100'000'000) usage(fmt::format("--limit {}: a number of rows expected", text));
    return static_cast<int>(n);
}

}  // namespace

void runPasses(Command& c) {
    const Table passes = passTable(), pipelines = pipelineTable();
    if (c.json()) return c.answerJson({{"passes", passes.json()}, {"pipelines", pipelines.json()}});
    writeTable(c.out(), passes, c.format());
    c.out().write("\n");
    writeTable(c.out(), pipelines, c.format());
}

void runOps(Command& c) {
    const std::string word = c.args().at(0);
    Table table{{{"name", "operator"}, {"schema", "schema"}, {"traits", "traits"}, {"source", "from"}},
                {},
                fmt::format("no operator with \"{}\" in its name", word)};
    const std::string needle =
        word.find("::") == std::string::npos && word.find('.') != std::string::npos ? canonicalOp("torch.ops." + word).str() : word;
    const auto most = static_cast<std::size_t>(limitOf(c, 1'000'000));
    for (const OpDef* op : c.ops().all()) {
        if (op->canonical.str().find(word) == std::string::npos && op->canonical.str().find(needle) == std::string::npos) continue;
        if (table.rows.size() == most) break;
        Row row;
        row.cells = {op->canonical.str(), op->schema.str(), traitText(*op), sourceName(op->source)};
        row.json = {{"name", op->canonical.str()}, {"schema", op->schema.str()}, {"traits", traitText(*op)}, {"source", sourceName(op->source)}};
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) c.setExit(ExitNotFound);
    c.answer(table, "ops");
}

std::optional<std::string> sampleFolder() {
    for (const fs::path& candidate : sampleFolders()) {
        std::error_code ignored;
        if (fs::is_regular_file(candidate / "samples.json", ignored)) return candidate.string();
    }
    return std::nullopt;
}

namespace {

Json sampleList(const fs::path& folder) {
    std::ifstream in(folder / "samples.json");
    Json list = Json::parse(in, nullptr, false);
    if (!list.is_array()) throw Failure{ExitInput, (folder / "samples.json").string() + ": not a JSON array"};
    return list;
}

std::string contentsOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in.good() && !in.eof()) throw Failure{ExitInput, path.string() + ": cannot be read"};
    return text;
}

/// The operators of a sample go beside its copy, where every verb looks for them; a file that is there already stays.
void copyOps(Command& c, const fs::path& ops, const fs::path& copy) {
    const fs::path target = copy.parent_path() / ops.filename();
    const std::string text = contentsOf(ops);
    std::error_code ignored;
    if (fs::exists(target, ignored)) {
        if (contentsOf(target) != text)
            c.note(fmt::format("{} is there already and differs from the sample's operators; --ops {} names those", target.string(), ops.string()));
        return;
    }
    Output out(target.string(), false);
    out.write(text);
    if (const std::string wrong = out.finish(); !wrong.empty()) throw Failure{ExitOutput, wrong};
    c.note(fmt::format("its operators are in {}", target.string()));
}

/// One sample as text, to -o or standard output.
void printSample(Command& c, const fs::path& folder, const std::string& name) {
    const Json list = sampleList(folder);
    std::vector<std::string> names;
    for (const Json& sample : list) {
        if (!sample.is_object()) continue;
        const fs::path file = textOf(sample, "file");
        names.push_back(file.stem().string());
        if (file.string() != name && file.stem().string() != name) continue;
        const std::string text = contentsOf(folder / file), copy = c.args().get("--output"), ops = textOf(sample, "ops");
        if (c.json())
            return c.answerJson({{"file", file.string()},
                                 {"title", textOf(sample, "title")},
                                 {"story", textOf(sample, "story")},
                                 {"pipeline", textOf(sample, "pipeline")},
                                 {"text", text}});
        c.out().writeForeign(text);
        if (!copy.empty() && !ops.empty()) copyOps(c, folder / ops, copy);
        return;
    }
    throw Failure{ExitNotFound, fmt::format("no sample {}; {}", name, nearestPhrase(name, names))};
}

}  // namespace

void runSamples(Command& c) {
    const auto found = sampleFolder();
    if (!found) throw Failure{ExitNotFound, "no sample graphs found; set ALIASCOPE_SAMPLES to the folder that holds samples.json"};
    const fs::path folder = *found;
    if (!c.args().at(0).empty()) return printSample(c, folder, c.args().at(0));
    const Json list = sampleList(folder);
    c.input["folder"] = folder.string();
    Table table{{{"file", "file"}, {"title", "title"}, {"pipeline", "pipeline"}, {"command", "try"}}, {}, "no samples"};
    for (const Json& sample : list) {
        if (!sample.is_object()) continue;
        const std::string path = (folder / textOf(sample, "file")).string(), ops = textOf(sample, "ops");
        std::string command = fmt::format("aliascope run {}", path);
        if (!textOf(sample, "pipeline").empty()) command += " --pipeline " + textOf(sample, "pipeline");
        if (!ops.empty()) command += " --ops " + (folder / ops).string();
        Row row;
        row.cells = {textOf(sample, "file"), textOf(sample, "title"), textOf(sample, "pipeline"), ""};
        row.json = {{"file", textOf(sample, "file")},         {"path", path},
                    {"title", textOf(sample, "title")},       {"story", textOf(sample, "story")},
                    {"pipeline", textOf(sample, "pipeline")}, {"command", command}};
        table.rows.push_back(std::move(row));
    }
    table.columns.back().title.clear();
    if (c.format() != Format::Table) return c.answer(table, "samples");
    writeTable(c.out(), table, Format::Table);
    c.out().write(fmt::format("\nThey lie in {}. For example:\n  {}\n", folder.string(),
                              table.rows.empty() ? "" : table.rows.front().json["command"].get<std::string>()));
}

void runVersion(Command& c) {
    const std::size_t ops = c.ops().size();
    if (c.json())
        return c.answerJson({{"version", ALIASCOPE_VERSION},
                             {"session_schema", recording::kSchemaVersion},
                             {"json_schema", "aliascope/1"},
                             {"operators", ops},
                             {"passes", allPasses().size()}});
    c.out().write(fmt::format("aliascope {}\nsession schema {}, {} operators, {} passes\n", ALIASCOPE_VERSION, recording::kSchemaVersion, ops,
                              allPasses().size()));
}

}  // namespace aliascope::cli
