#pragma once
// Readers of whole documents, one for each kind of container, and how documents are put together. Behind openFile and readText (document.h), which
// end every document with finishDocument.

#include <string>
#include <string_view>

#include "core/text/document.h"
#include "core/text/json_reader.h"
#include "core/text/member_source.h"

namespace aliascope {

struct ReadContext {
    const OpRegistry& ops;
    const ReadOptions& options;
    int nesting = 0;  ///< folders and archives around what is read
};

/// Any text: JSON, a trace, a log, a script, a text with graphs. Errors: R002, R003, R050.
Result<Document> readTextPart(std::string text, const std::string& path, const ReadContext& context);
/// Any file content, unpacked when it is packed. `packed`: it came out of a gzip stream, another layer is refused.
Result<Document> readBytes(std::string bytes, const std::string& path, const ReadContext& context, bool packed = false);

/// Whether a text is a TORCH_TRACE: a log prefix and a JSON record of a known kind in one of the first 200 lines (formats.md 2, step 9).
bool isTrace(std::string_view text);
/// The graphs of a TORCH_TRACE (formats.md 9), grouped and in stage order. Errors: R003.
Result<Document> readTrace(std::string text, const std::string& path, const ReadContext& context);
/// A `.pt2` archive (formats.md 11.1). Errors: R003, R004, R042 (pickles only), R043 (compiled code only), R050.
Result<Document> readArchive(MemberSource& source, const std::string& path, const ReadContext& context);
/// A folder or tar (formats.md 10). Errors: R003, R004, R050.
Result<Document> readFolder(MemberSource& source, const std::string& path, const ReadContext& context);
/// A program of torch.export that is a file of its own; `json` was read from `text`.
Document readProgramText(std::string text, const std::string& path, const ReadContext& context);

/// R003 with what was looked for.
Diagnostic noGraph(const std::string& path, std::string note);
/// What a JSON text is when it is no program, for a note.
std::string describeJson(JsonValue root);

/// An error about an archive inside too many others, or about what holds nothing else, is marked by a parameter; `d.note` says it to people.
void markNestedArchive(Diagnostic& d);
bool isNestedArchive(const Diagnostic& d);

/// Whether both may be renderings of one graph: the same nodes, in any order.
bool sameNames(const Graph& a, const Graph& b);
/// Moves the places of all nodes, bodies included, by so many bytes; a negative number as its two's complement.
void moveSpans(Graph& g, std::uint64_t by);
/// Adds `part` to `whole`: texts are put together, spans move along, units name `member`.
void appendPart(Document& whole, Document part, const std::string& member);
/// Ids, types, counts, and the limit of diagnostics.
void finishDocument(Document& doc, const ReadContext& context);

}  // namespace aliascope
