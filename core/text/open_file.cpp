// Opening files: the front door (formats.md 2).

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/text/document.h"
#include "core/text/document_parts.h"
#include "core/text/folder_names.h"
#include "core/text/member_source.h"
#include "core/text/sniff.h"
#include "core/text/source_text.h"
#include "core/text/stage_order.h"

namespace aliascope {
namespace {

Diagnostic tooLarge(const std::string& path, std::string_view what, std::uint64_t size, std::uint64_t limit) {
    Diagnostic d = limitPassed(std::string(what) + " of " + std::to_string(size) + " bytes", limit);
    d.file = path;
    return d;
}

struct FileCloser {
    void operator()(std::FILE* f) const {
        if (f && f != stdin) std::fclose(f);
    }
};

/// The whole of a file or of standard input; of what nothing can be read from, the first 8 KiB.
Result<std::string> contentOf(const std::string& path, const ReadOptions& options) {
    std::error_code error;
    const std::string what = path == "-" ? "standard input" : "the file";
    const std::unique_ptr<std::FILE, FileCloser> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (!file) return fail(unreadable(path, what, std::strerror(errno)));
    const std::uint64_t size = path == "-" ? 0 : std::filesystem::file_size(path, error);
    if (!error && size > options.limits.fileBytes) return fail(tooLarge(path, "a file", size, options.limits.fileBytes));
    std::string text(8192, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    int failure = std::ferror(file.get()) ? errno : 0;
    const FileKind kind = sniff(text);
    if (kind != FileKind::Binary && kind != FileKind::Session) {
        if (!error) text.reserve(size + 1);
        for (std::size_t got = text.size(); got > 0 && text.size() <= options.limits.fileBytes && !options.cancel.cancelled();) {
            constexpr std::size_t kBlock = 1 << 20;
            const std::size_t old = text.size();
            text.resize(old + kBlock);
            got = std::fread(text.data() + old, 1, kBlock, file.get());
            text.resize(old + got);
            if (got == 0 && std::ferror(file.get())) failure = errno;
        }
    }
    if (text.size() > options.limits.fileBytes) return fail(tooLarge(path, "a file", text.size(), options.limits.fileBytes));
    if (failure != 0) return fail(unreadable(path, what, std::strerror(failure)));
    return text;
}

FileKind kindOf(const std::string& path) {
    const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rb"));
    char head[512] = {};
    return file ? sniff(std::string_view(head, std::fread(head, 1, sizeof head, file.get()))) : FileKind::Binary;
}

/// A dump that was opened alone: its folder and its name still tell stage, phase and compilation.
void takePlaceOf(const std::string& path, Document& doc) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
    const MemberPlace place = memberPlace((whole.parent_path().filename() / whole.filename()).generic_string());
    if (error || doc.container != "text") return;
    const auto aot = aotNameOfCode(doc.text);
    for (Unit& unit : doc.units) {
        if (place.kind != MemberPlace::Kind::Plain) {
            unit.group = place.group;
            if (unit.stage.empty()) unit.stage = place.stage;
        }
        if (aot) unit.group.aotId = aot->id;
        if (unit.graph.phase == Phase::Unknown) unit.graph.phase = aot ? aot->phase : place.phase;
    }
}

Result<Document> openPart(const std::string& path, const ReadContext& context) {
    std::error_code error;
    if (path != "-" && std::filesystem::is_directory(path, error)) {
        auto source = openFolder(path, context.options.limits);
        return source ? readFolder(**source, path, context) : Result<Document>(fail(source.error()));
    }
    // Of an archive only the entries that are needed are read, whatever its weights take.
    if (path != "-" && std::filesystem::is_regular_file(path, error) && kindOf(path) == FileKind::Zip) {
        auto source = openZip(path, context.options.limits);
        return source ? readArchive(**source, path, context) : Result<Document>(fail(source.error()));
    }
    auto content = contentOf(path, context.options);
    if (!content) return fail(content.error());
    auto doc = readBytes(std::move(*content), path, context);
    if (doc && path != "-") takePlaceOf(path, *doc);
    return doc;
}

Result<Document> finished(Result<Document> doc, const ReadContext& context) {
    if (doc) finishDocument(*doc, context);
    return doc;
}

}  // namespace

std::string_view graphFormName(GraphForm form) {
    switch (form) {
        case GraphForm::GraphText:
            return "graph";
        case GraphForm::Readable:
            return "readable";
        case GraphForm::Table:
            return "table";
        case GraphForm::Program:
            return "program";
    }
    return "";
}

bool isOfText(const Node& n) {
    const bool madeUp = n.kind == NodeKind::Output && (n.flags & FlagSynthetic);
    return !madeUp && (n.flags & FlagGhost) == 0;
}

std::uint32_t countStatedNodes(const Graph& g) {
    std::uint32_t count = 0;
    for (const NodeId id : inOrder(g))
        if (isOfText(g[id]) && (g[id].flags & FlagUnparsed) == 0) ++count;
    return count;
}

Result<Document> readText(std::string text, const std::string& path, const OpRegistry& ops, const ReadOptions& options) {
    const ReadContext context{ops, options};
    return finished(readBytes(std::move(text), path, context), context);
}

Result<Document> openFile(const std::string& path, const OpRegistry& ops, const ReadOptions& options) {
    if (path.empty()) return fail(unreadable(path, "a file without a name", "a path, or - for standard input, is expected"));
    const ReadContext context{ops, options};
    return finished(openPart(path, context), context);
}

bool isSessionFile(const std::string& path) {
    // Looking into a pipe would take away what the reader needs afterwards.
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && kindOf(path) == FileKind::Session;
}

}  // namespace aliascope
