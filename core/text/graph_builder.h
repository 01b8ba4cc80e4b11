#pragma once
// Makes a graph out of what a reader finds, in text order, and keeps the promises of formats.md 17: duplicates, undefined and late names,
// statements that cannot be read, a missing return.

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/text/document.h"
#include "core/text/python_expr.h"
#include "core/text/source_text.h"

namespace aliascope {

class GraphBuilder : public PyScope {
public:
    GraphBuilder(Reporter& reporter, const OpRegistry& ops, const ReadLimits& limits) : reporter_(reporter), ops_(ops), limits_(limits) {}

    Graph graph;

    // --- names -----------------------------------------------------------------------------------------------------------------------
    const Value* lookup(std::string_view name) override;
    Value undefined(std::string_view name, std::size_t at) override;
    std::optional<Value> makeNode(Node call, std::size_t begin, std::size_t end) override;
    /// The node of that name; a ghost when there is none yet.
    Value use(std::string_view name, std::size_t at);
    /// Whether a node (no ghost) or constant of that name is known.
    bool defined(std::string_view name) const;
    /// From now on `name` stands for `v`. The text of `name` must outlive the builder.
    void bind(std::string_view name, Value v);
    /// `name` stands in a delete list: a later use is a warning.
    void markDeleted(std::string_view name);

    // --- nodes -----------------------------------------------------------------------------------------------------------------------
    /// Appends `n` under `name`, which must outlive the builder. A name that is taken gives R011 and another name.
    NodeId define(Node n, std::string_view name, std::size_t at);
    /// A statement whose left name is readable and whose rest is not. The uses that can be read in `text` are kept.
    void defineUnparsed(std::string_view name, std::size_t begin, std::size_t end, bool percentUses);
    void setOutput(std::optional<Value> returned, std::size_t begin, std::size_t end);
    /// A return whose value cannot be read.
    void setUnparsedOutput(std::size_t begin, std::size_t end, bool percentUses);
    bool hasOutput() const { return graph.output().valid(); }
    /// Gives the node the type of its annotation; equal annotations are parsed once.
    void annotate(Node& n, std::string_view annotation);
    /// Index of the provenance that a comment states.
    std::uint32_t provenanceOf(std::string_view comment);
    /// The number of nodes or bytes allowed is reached; said once. `at` is where reading stands.
    bool full(std::size_t at);
    /// Where the graph begins in the text.
    void setBegin(std::size_t at) { begin_ = at; }
    /// Bodies that operators take and the text does not hold; call it when sub-graphs are in place.
    void reportMissingSubGraphs();

    /// Ends the graph: ghosts become placeholders, a missing output is made, operators without schema are marked.
    void finish(std::size_t at);

    /// How many calls stood inside other statements and became nodes.
    std::size_t nestedCalls() const { return nestedCount_; }

    Reporter& reporter() { return reporter_; }
    const OpRegistry& ops() const { return ops_; }
    const ReadLimits& limits() const { return limits_; }

private:
    struct Entry {
        Value value;
        bool deleted = false;
        std::int32_t ghost = -1;  // index into ghosts_
    };
    struct Ghost {
        std::string_view name;
        NodeId standIn;  // invalid once the name was defined after all
        std::size_t at = 0;
    };
    std::vector<Value> unparsedArguments(std::string_view ownName, std::size_t begin, std::size_t end, bool percentUses);
    bool isRead(const Value& v) const;
    Diagnostic noteworthy(Diagnostic d) const;
    void resolveGhost(Ghost& ghost, NodeId id, std::size_t at);
    void makeGhosts();
    void makeOutput(std::size_t at);
    void markOperators();
    /// Offset of a part of the source text.
    std::size_t placeOf(std::string_view part) const;
    void noteSymbols(const Type& type);

    Reporter& reporter_;
    const OpRegistry& ops_;
    const ReadLimits& limits_;
    FlatMap<std::string_view, Entry> names_;
    std::vector<Ghost> ghosts_;
    std::unordered_map<std::string_view, TypePtr> types_;
    std::unordered_map<Name, std::uint32_t> provenance_;
    std::vector<NodeId> nested_;  // made for calls inside the statement that is being read
    std::size_t nestedCount_ = 0;
    std::size_t begin_ = 0;
    bool full_ = false;
};

}  // namespace aliascope
