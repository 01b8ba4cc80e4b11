#pragma once
// Statements of one `forward` (formats.md 5.2, 5.3): plumbing of parameters, assignments, delete lists, comments, the return.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/text/graph_builder.h"

namespace aliascope {

/// One parameter of the signature, or one that the plumbing unpacks.
struct Parameter {
    std::string_view name;  ///< without stars
    std::string target;     ///< with stars
    std::string_view annotation;
    std::string_view descriptor;
    std::optional<Value> defaultValue;
    std::string text;  ///< as written
    std::size_t at = 0;
    std::string_view nodeName;  ///< `l_x_` of `l_x_ = L_x_`; empty = name
};

class ReadableBody {
public:
    ReadableBody(GraphBuilder& builder, std::vector<Parameter> parameters)
        : builder_(builder), source_(builder.reporter().source()), text_(source_.text()), parameters_(std::move(parameters)) {}

    /// Reads statements from the start of a line at `at` up to the first line that is indented by at most `defIndent` (-1: up to `end`).
    /// Gives the start of that line.
    std::size_t read(std::size_t at, std::size_t end, int defIndent);

private:
    struct Statement;
    std::string_view lineAt(std::size_t at) const { return text_.substr(at, source_.lineEnd(at) - at); }
    GraphBuilder& builder() { return builder_; }
    Graph& graph() { return builder_.graph; }
    PrintStyle& style() { return builder_.graph.style; }

    void comment(std::string_view line);
    std::size_t metadataBlock(std::size_t at, std::size_t end);
    std::size_t logicalLine(std::size_t at, std::size_t end);
    std::size_t recover(std::size_t begin, std::size_t end) const;

    bool statement(Statement& s);
    bool named(Statement& s);
    bool assignment(Statement& s);
    bool plumbing(Statement& s, std::string_view rest);
    bool unpacking(Statement& s);
    bool expression(Statement& s);
    bool returned(Statement& s);
    bool deleteList(Statement& s);
    std::string_view annotation(Statement& s);
    bool define(Statement& s, PyOperand operand);
    void defineNode(Statement& s, Node n);
    void finishInPlace(Statement& s);
    bool rebinds(Statement& s, const PyToken& right);
    void unpackedInputs(Statement& s, std::string_view rest);
    void makePlaceholders();
    void skipLine(Statement& s);
    void descriptorsOf(std::size_t begin, std::size_t end);
    void settleStyle();

    GraphBuilder& builder_;
    const SourceText& source_;
    std::string_view text_;
    std::vector<Parameter> parameters_;
    std::unordered_map<std::string_view, std::size_t> parameterAt_;  // index by name, made when a rebinding asks for it
    struct Declared {
        std::string_view annotation, descriptor;
    };
    std::unordered_map<std::string_view, Declared> declared_;
    std::unordered_set<NodeId> deletedItself_;
    std::string verbatim_;  // lines kept for the node to come
    std::uint32_t provenance_ = 0;
    bool placeholdersMade_ = false;
    bool sawDelete_ = false, sawComment_ = false, sawBlank_ = false, done_ = false;
    bool lastBlank_ = false, bodyStarted_ = false, blankDecided_ = false;
    int bodyIndent_ = -1;
    std::string_view iterator_;  // name bound to iter(args_list)
};

}  // namespace aliascope
