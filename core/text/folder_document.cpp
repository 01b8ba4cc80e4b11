// Folders of dumps (formats.md 10, 13): each file on its own, then put into the order in which the compiler wrote them.

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/text/document_parts.h"
#include "core/text/folder_names.h"
#include "core/text/graph_finder.h"
#include "core/text/natural_order.h"
#include "core/text/repro_inputs.h"
#include "core/text/stage_order.h"

namespace aliascope {
namespace {

std::string_view folderOf(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    return slash == name.npos ? std::string_view() : name.substr(0, slash);
}

std::string_view fileOf(std::string_view name) { return name.substr(name.rfind('/') + 1); }

std::size_t annotations(const Graph& g) {
    std::size_t count = 0;
    for (const NodeId id : inOrder(g)) count += !g[id].annotation.empty();
    return count;
}

class FolderReader {
public:
    FolderReader(MemberSource& source, const std::string& path, const ReadContext& context)
        : source_(source), path_(path), context_{context.ops, context.options, context.nesting + 1} {}

    Result<Document> read() {
        doc_.path = path_;
        doc_.container = "folder";
        doc_.diagnostics = source_.diagnostics();
        doc_.skipped = source_.skipped();
        for (const std::size_t i : readingOrder()) {
            if (context_.options.cancel.cancelled()) break;
            take(i);
        }
        if (doc_.units.empty()) {
            Diagnostic d = noGraph(path_, emptyNote());
            if (nestedArchive_ && source_.members().size() == 1) markNestedArchive(d);
            return fail(std::move(d));
        }
        orderStages(doc_.units);
        return std::move(doc_);
    }

private:
    /// What tlparse wrote can be read again from its raw log, which tells more.
    bool isRepeated(std::size_t i) const {
        const std::string_view name = source_.members()[i].name;
        if (fileOf(name) == "raw.log") return false;
        for (std::string_view folder = folderOf(name);; folder = folderOf(folder)) {
            if (rawLogs_.contains(folder)) return true;
            if (folder.empty()) return false;
        }
    }

    std::vector<std::size_t> readingOrder() {
        const auto& members = source_.members();
        for (const Member& m : members)
            if (fileOf(m.name) == "raw.log") rawLogs_.emplace(folderOf(m.name));
        const std::string root = rootName();
        for (const Member& m : members) places_.push_back(memberPlace(root + "/" + m.name));
        std::vector<std::size_t> order(members.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        // Models by their counter; files of one folder by their number, then by name.
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const bool models = places_[a].kind == MemberPlace::Kind::Model && places_[b].kind == MemberPlace::Kind::Model;
            const std::string_view fa = folderOf(members[a].name), fb = folderOf(members[b].name);
            if (models && folderOf(fa) == folderOf(fb) && places_[a].order != places_[b].order) return places_[a].order < places_[b].order;
            if (fa != fb) return naturallyBefore(fa, fb);
            if (!models && places_[a].order != places_[b].order) return places_[a].order < places_[b].order;
            return naturallyBefore(members[a].name, members[b].name);
        });
        return order;
    }

    /// The name of the folder itself: it may be the one of a compilation.
    std::string rootName() const {
        std::error_code error;
        const auto path = std::filesystem::absolute(path_, error).lexically_normal();
        return (path.has_filename() ? path : path.parent_path()).filename().generic_string();
    }

    void skip(std::size_t i, std::string why) { doc_.skipped.push_back({source_.members()[i].name, std::move(why)}); }

    void take(std::size_t i) {
        const Member& member = source_.members()[i];
        const MemberPlace& place = places_[i];
        if (isRepeated(i)) return skip(i, "raw.log holds the same");
        if (place.neverGraph) return skip(i, "files of this name hold no graph");
        total_ += member.bytes;
        if (total_ > context_.options.limits.fileBytes) return skip(i, "the folder is above the limit of bytes");
        auto content = source_.read(i);
        const std::string shown = path_ + "/" + member.name;
        const auto aot = content ? noteOutputCode(*content, i) : std::nullopt;
        auto part = content ? readBytes(std::move(*content), shown, context_) : Result<Document>(fail(content.error()));
        if (!part) {
            const std::string& code = part.error().code;
            if (code != "R002" && code != "R003") doc_.diagnostics.push_back(part.error());
            if (isNestedArchive(part.error())) {
                nestedArchive_ = true;
                return skip(i, part.error().note);
            }
            return skip(i, code == "R002" || code == "R003" ? "no graph in it" : part.error().sentence());
        }
        // Words of a file that is no dump may look like statements.
        if (part->container == "fragment") return skip(i, "no graph in it");
        const std::size_t before = doc_.units.size();
        // These tell themselves which compilation a graph is of.
        const std::string& container = part->container;
        const bool trace = container == "trace" || container == "log" || container == "folder" || container == "archive";
        appendPart(doc_, std::move(*part), member.name);
        if (trace)
            for (std::size_t u = before; u < doc_.units.size(); ++u) {
                UnitGroup& group = doc_.units[u].group;
                if (!group.rank) group.rank = place.group.rank;
                if (!group.process) group.process = place.group.process;
            }
        else
            placeUnits(before, i, aot);
    }

    void placeUnits(std::size_t before, std::size_t member, const std::optional<AotName>& aot) {
        const MemberPlace& place = places_[member];
        if (place.kind == MemberPlace::Kind::Depyf) mergeRenderings(before);
        const bool script = doc_.units.size() > before && doc_.units[before].graph.name == "Repro";
        for (std::size_t u = before; u < doc_.units.size(); ++u) {
            Unit& unit = doc_.units[u];
            unit.group = place.group;
            if (unit.stage != "kernel" && unit.stage.empty()) {
                unit.stage = place.stage;
                unit.label = place.stage;
            }
            if (place.phase != Phase::Unknown) unit.graph.phase = place.phase;
            if (aot) takeAotName(unit, *aot);
        }
        if (place.kind == MemberPlace::Kind::Model) mergeRunnable(before, script);
        if (!hasOutputCode(place)) return;
        auto& block = block_[std::string(folderOf(source_.members()[member].name))];
        for (std::size_t u = before; u < doc_.units.size(); ++u)
            if (!aot && doc_.units[u].graph.phase == Phase::Unknown) block.push_back(u);
        // In a compilation the script repeats the graph that follows.
        if (place.kind == MemberPlace::Kind::Tlparse && script) {
            doc_.units.erase(doc_.units.begin() + static_cast<std::ptrdiff_t>(before), doc_.units.end());
            block.clear();
        }
    }

    /// Whether the folder may hold output code among its graphs.
    static bool hasOutputCode(const MemberPlace& place) { return place.kind == MemberPlace::Kind::Tlparse || place.kind == MemberPlace::Kind::Model; }

    static void takeAotName(Unit& unit, const AotName& aot) {
        unit.graph.phase = aot.phase;
        unit.group.aotId = aot.id;
    }

    /// Output code ends a block of graphs and tells their phase and its own.
    std::optional<AotName> noteOutputCode(std::string_view content, std::size_t member) {
        if (!hasOutputCode(places_[member])) return std::nullopt;
        const auto aot = aotNameOfCode(content);
        if (!aot) return std::nullopt;
        auto& block = block_[std::string(folderOf(source_.members()[member].name))];
        for (const std::size_t u : block) takeAotName(doc_.units[u], *aot);
        block.clear();
        return aot;
    }

    /// depyf falls back to plain code with the annotated class in comments behind it: the one that says more stays.
    void mergeRenderings(std::size_t before) {
        if (doc_.units.size() != before + 2 || !sameNames(doc_.units[before].graph, doc_.units[before + 1].graph)) return;
        const bool second = annotations(doc_.units[before + 1].graph) > annotations(doc_.units[before].graph);
        doc_.units.erase(doc_.units.begin() + static_cast<std::ptrdiff_t>(before + (second ? 0 : 1)));
    }

    /// The runnable script of a model repeats its readable graph.
    void mergeRunnable(std::size_t before, bool script) {
        if (!script || before == 0) return;
        Unit& readable = doc_.units[before - 1];
        if (readable.stage != "fx_graph_readable" || folderOf(readable.member) != folderOf(doc_.units[before].member)) return;
        if (!sameNames(readable.graph, doc_.units[before].graph)) return;
        const Graph& loaded = doc_.units[before].graph;
        for (const NodeId id : readable.graph.placeholders())
            if (const NodeId twin = loaded.find(readable.graph[id].name); loaded[twin].type) completeInput(readable.graph, id, loaded[twin].type);
        doc_.units.erase(doc_.units.begin() + static_cast<std::ptrdiff_t>(before), doc_.units.end());
    }

    std::string emptyNote() const {
        const std::size_t files = source_.members().size();
        std::string note = files == 0 ? "it has no files that can be read" : "none of its " + std::to_string(files) + " files holds a graph";
        if (!source_.diagnostics().empty())
            note += "; " + source_.diagnostics().front().sentence();
        else if (files == 1 && !doc_.skipped.empty())
            note += ": " + doc_.skipped.back().why;
        return note;
    }

    MemberSource& source_;
    const std::string& path_;
    ReadContext context_;  // of the members
    Document doc_;
    std::vector<MemberPlace> places_;
    std::set<std::string, std::less<>> rawLogs_;             // their folders
    std::map<std::string, std::vector<std::size_t>> block_;  // units whose phase the output code will tell, by folder
    std::uint64_t total_ = 0;
    bool nestedArchive_ = false;  // a member is an archive inside too many others
};

}  // namespace

Result<Document> readFolder(MemberSource& source, const std::string& path, const ReadContext& context) {
    return FolderReader(source, path, context).read();
}

}  // namespace aliascope
