#pragma once
// Opening files: bytes in, graphs out (formats.md 1 to 3, 17). Content decides, the extension is only a tie-break. Errors in one graph never
// hide another. Nothing in a file is executed, imported or opened by path.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace aliascope {

struct ReadLimits {
    std::uint64_t fileBytes = 2ull << 30;
    std::uint64_t graphBytes = 512ull << 20;
    std::uint64_t lineBytes = 64ull << 20;
    std::uint64_t stringBytes = 16ull << 20;  ///< of one string literal
    std::uint64_t recordBytes = 1ull << 30;   ///< one entry of an archive, unpacked
    std::uint64_t archiveBytes = 4ull << 30;  ///< all entries that are read, unpacked
    std::uint32_t archiveEntries = 100'000;
    std::uint32_t packingRatio = 200;  ///< unpacked to packed, of what is larger than 10 MiB unpacked
    std::uint32_t jsonDepth = 512;
    std::uint32_t nodesPerGraph = 2'000'000;
    std::uint32_t valueDepth = 200;
    std::uint32_t classDepth = 64;
    std::uint32_t subGraphs = 10'000;  ///< of one graph
    std::uint32_t diagnosticsPerUnit = 100;
    std::uint32_t diagnostics = 10'000;
};

enum class GraphForm : std::uint8_t { GraphText, Readable, Table, Program };
/// `graph`, `readable`, `table`, `program`.
std::string_view graphFormName(GraphForm form);

/// One input or output of an exported graph (formats.md 11.5). An output whose kind says mutation is a copy-back: after the graph, its value is
/// written into the input whose entry carries the same target.
struct SignatureEntry {
    Name kind;               ///< `parameter`, `buffer`, `user_input`, `user_output`, `buffer_mutation`, …
    Name name;               ///< node of the graph, or a literal
    Name target;             ///< name in the module, or of the mutated user input; empty for plain inputs and outputs
    bool persistent = true;  ///< of a buffer
};
struct Signature {
    std::vector<SignatureEntry> inputs, outputs;
    bool empty() const { return inputs.empty() && outputs.empty(); }
};

/// Which compilation a graph belongs to (formats.md 15). What is not known is absent.
struct UnitGroup {
    std::string compileId;  ///< `0/0`, `!1/0/0`; empty = not known
    std::optional<int> rank, attempt, aotId;
    std::optional<std::int64_t> process;
    int run = 0;  ///< compile ids repeat after a reset: which time it is
    friend bool operator==(const UnitGroup&, const UnitGroup&) = default;
};

/// One graph with its place.
struct Unit {
    std::string id;     ///< `1`, `2`, … in file order; a sub-graph is `1.cond_true_0`
    std::string label;  ///< class name, title or `graph`
    GraphForm form = GraphForm::GraphText;
    Graph graph;
    std::uint64_t spanBegin = 0, spanEnd = 0;  ///< bytes of Document::text
    std::uint32_t firstLine = 1;
    std::uint32_t statedNodes = 0;  ///< countStatedNodes of the graph
    std::string stage;              ///< `before_post_grad_graph`, `AFTER POST GRAD`, …; empty = the text names none
    UnitGroup group;
    std::string member;      ///< file in the folder or archive; empty = the document itself
    Signature signature;     ///< of exported graphs
    bool abandoned = false;  ///< a later attempt of the same compilation replaced it
    bool unread = false;     ///< the graph was left out, see ReadOptions::only
    std::vector<std::string> notes;
    std::vector<Diagnostic> diagnostics;
};

/// A file of a folder or archive in which no graph was found, or which was not read.
struct SkippedMember {
    std::string name, why;
};

struct Document {
    std::string path;       ///< as given; `-` for standard input
    std::string container;  ///< `text`, `log`, `fragment`, `repro`, `trace`, `program`, `archive`, `folder`
    std::string text;       ///< normalised source text; spans of units and nodes count its bytes
    std::vector<Unit> units;
    std::vector<Diagnostic> diagnostics;
    std::vector<SkippedMember> skipped;
};

/// Neither a ghost nor an output that the reader made up.
bool isOfText(const Node& n);

/// Inputs, constants, calls, and the output, as far as the text states them whole: nodes of the text (isOfText) but for statements that could not be
/// read. Of the graph itself, without sub-graphs.
std::uint32_t countStatedNodes(const Graph& g);

struct ReadOptions {
    ReadLimits limits;
    CancelToken cancel;
    Progress progress;
    bool inferTypes = true;  ///< run inferMissingTypes on every graph
    /// Id of the one graph that is wanted (`12`). Where graphs can be counted without being read (TORCH_TRACE), only those of its compilation are
    /// read; the others are there, in their order, with empty graphs and `unread` set. Empty = all.
    std::string only;
};

/// Reads a file (`-` = standard input). Errors are final: unreadable (R004), too large (R050), binary (R002), nothing of a graph found (R003). A
/// `.aliascope` session is not opened here: see isSessionFile.
Result<Document> openFile(const std::string& path, const OpRegistry& ops, const ReadOptions& options = {});
Result<Document> readText(std::string text, const std::string& path, const OpRegistry& ops, const ReadOptions& options = {});
/// A regular file that starts with the sqlite magic.
bool isSessionFile(const std::string& path);

}  // namespace aliascope
