#include "app/cli/graph_text.h"

#include <fmt/format.h>

#include "app/cli/command.h"
#include "core/text/print.h"

namespace aliascope::cli {
namespace {

void endLine(std::string& text) {
    if (text.empty() || text.back() != '\n') text += '\n';
}

/// Text inside a DOT string.
std::string dotEscaped(std::string_view text) {
    std::string out;
    for (char c : escaped(text)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

const char* dotShape(const Node& node) {
    switch (node.kind) {
        case NodeKind::Placeholder:
            return "ellipse";
        case NodeKind::GetAttr:
            return "ellipse";
        case NodeKind::Output:
            return "doubleoctagon";
        default:
            return "box";
    }
}

void addDot(const Graph& g, const std::string& path, std::string& out) {
    const std::string indent(path.empty() ? 2 : 4, ' ');
    if (!path.empty()) out += fmt::format("  subgraph \"cluster_{}\" {{\n    label=\"{}\";\n", dotEscaped(path), dotEscaped(path));
    for (NodeId id : inOrder(g)) {
        const Node& node = g[id];
        const std::string type = annotationText(node);
        out += fmt::format("{}\"{}{}\" [shape={}, label=\"{}{}{}\"];\n", indent, dotEscaped(path), dotEscaped(node.name.view()), dotShape(node),
                           dotEscaped(node.name.view()), node.isCall() ? "\\n" + dotEscaped(node.target.view()) : std::string(),
                           type.empty() ? std::string() : "\\n" + dotEscaped(type));
        for (NodeId operand : g.operands(id))
            out += fmt::format("{}\"{}{}\" -> \"{}{}\";\n", indent, dotEscaped(path), dotEscaped(g[operand].name.view()), dotEscaped(path),
                               dotEscaped(node.name.view()));
    }
    if (!path.empty()) out += "  }\n";
    for (const Graph::SubGraph& sub : g.subGraphs()) addDot(*sub.graph, path + sub.attribute.str() + ".", out);
}

void addNodes(const Graph& g, const std::string& path, Json& out) {
    for (NodeId id : inOrder(g)) {
        const Node& node = g[id];
        std::string args;
        for (std::size_t i = 0; i < node.args.size(); ++i) {
            if (i) args += ", ";
            printValue(args, g, node.args[i], Dialect::Python);
        }
        for (const auto& [key, value] : node.kwargs) {
            args += (args.empty() ? "" : ", ") + key.str() + " = ";
            printValue(args, g, value, Dialect::Python);
        }
        Json users = Json::array();
        for (NodeId user : g.users(id)) users.push_back(g[user].name.str());
        out.push_back({{"name", node.name.str()},
                       {"kind", toString(node.kind)},
                       {"op", orNull(node.op.str())},
                       {"target", node.target.str()},
                       {"args", args},
                       {"type", orNull(annotationText(node))},
                       {"users", users},
                       {"body", path}});
    }
    for (const Graph::SubGraph& sub : g.subGraphs()) addNodes(*sub.graph, path.empty() ? sub.attribute.str() : path + "." + sub.attribute.str(), out);
}

}  // namespace

GraphOutput graphOutput(const std::string& name) {
    if (name == "graph") return GraphOutput::Graph;
    if (name == "readable") return GraphOutput::Readable;
    if (name == "dot") return GraphOutput::Dot;
    if (name == "json") return GraphOutput::Json;
    if (name == "svg") usage("--as svg: `show` and `export` draw a stage so");
    usage(fmt::format("--as {}: graph, readable, dot or json expected (svg of `show`)", name));
}

std::string graphText(const Graph& g, GraphOutput form) {
    std::string out;
    switch (form) {
        case GraphOutput::Graph:
            out = printGraphTexts(g);
            break;
        case GraphOutput::Readable:
            out = printReadable(g);
            break;
        case GraphOutput::Dot:
            out = "digraph \"" + dotEscaped(g.name) + "\" {\n  rankdir=TB;\n  node [fontname=\"monospace\", fontsize=10];\n";
            addDot(g, "", out);
            out += "}\n";
            break;
        case GraphOutput::Json:
            break;
    }
    endLine(out);
    return out;
}

Json graphJson(const Graph& g) {
    Json nodes = Json::array();
    addNodes(g, "", nodes);
    return {{"name", g.name}, {"phase", toString(g.phase)}, {"nodes", nodes}};
}

}  // namespace aliascope::cli
