// `graph():` text (formats.md 4.1 to 4.3), as torch.fx prints a Graph.

#include "core/text/print.h"

namespace aliascope {
namespace {

/// Graph text names functions of builtins and of the operator module by those modules, Python code does not.
std::string graphTextTarget(const Node& n) {
    const std::string_view op = n.op.view(), target = n.target.view();
    if (n.kind != NodeKind::CallFunction) return n.target.str();
    if (op.substr(0, 9) == "builtin::" && target.find('.') == target.npos) return "builtins." + n.target.str();
    return n.target.str();
}

void appendArguments(std::string& out, const Graph& g, const Node& n) {
    out += "(args = (";
    for (std::size_t i = 0; i < n.args.size(); ++i) {
        if (i != 0) out += ", ";
        printValue(out, g, n.args[i], Dialect::GraphText);
    }
    out += n.args.size() == 1 ? ",), kwargs = {" : "), kwargs = {";
    for (std::size_t i = 0; i < n.kwargs.size(); ++i) {
        if (i != 0) out += ", ";
        out += n.kwargs[i].first.view();
        out += ": ";
        printValue(out, g, n.kwargs[i].second, Dialect::GraphText);
    }
    out += "})";
}

/// What stands between the colon and the users: a Python type, or with quotes the tensor type of a fragment.
void appendNote(std::string& out, const Graph& g, const Node& n) {
    if (g.style.quotedNotes && n.annotation) {
        out += "Tensor \"";
        out += n.annotation.view();
        out += '"';
    } else if (g.style.typeExprs && n.annotation) {
        out += n.annotation.view();
        out += ' ';
    }
}

void appendReturned(std::string& out, const Graph& g, const Value& v) {
    if (!g.style.percentReturn) return printValue(out, g, v, Dialect::Python);
    if (!v.isSequence()) return printValue(out, g, v, Dialect::GraphText);
    for (std::size_t i = 0; i < v.items().size(); ++i) {
        if (i != 0) out += ',';
        printValue(out, g, v.items()[i], Dialect::GraphText);
    }
}

/// Distinct users that the text shows: an output that the reader made up is none of them.
std::size_t shownUsers(const Graph& g, const Node& n) {
    const NodeId output = g.output();
    if (!output || !(g[output].flags & FlagSynthetic)) return n.users.size();
    std::size_t count = 0;
    for (const Node::User& u : n.users) count += u.id != output;
    return count;
}

void appendNode(std::string& out, const Graph& g, NodeId id) {
    const Node& n = g[id];
    if ((n.flags & FlagUnparsed) && !n.args.empty()) {
        out += n.args[0].name().view();
        return;
    }
    if (n.kind == NodeKind::Output) {
        out += "return";
        if (!n.args.empty()) {
            out += ' ';
            appendReturned(out, g, n.args[0]);
        }
        return;
    }
    out += '%';
    out += n.name.view();
    out += " : ";
    appendNote(out, g, n);
    out += g.style.oldUsers ? "[#users=" : "[num_users=";
    out += std::to_string(shownUsers(g, n));
    out += "] = ";
    out += toString(n.kind);
    out += "[target=";
    out += graphTextTarget(n);
    out += ']';
    if (n.isCall()) {
        appendArguments(out, g, n);
    } else if (n.kind == NodeKind::Placeholder && !n.args.empty()) {
        out += "(default=";
        printValue(out, g, n.args[0], Dialect::GraphText);
        out += ')';
    }
}

}  // namespace

std::string printNode(const Graph& g, NodeId id) {
    std::string out;
    appendNode(out, g, id);
    return out;
}

std::string printGraphText(const Graph& g) {
    std::string out;
    out.reserve(g.size() * 160 + 64);
    if (g.style.graphHeader) out += "graph()" + g.style.returnType + ":\n";
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        // What the reader added is not in the text: ghosts, and the output of a graph without return.
        if ((n.flags & FlagGhost) || (n.kind == NodeKind::Output && (n.flags & FlagSynthetic))) continue;
        out += g.style.graphIndent;
        appendNode(out, g, id);
        out += '\n';
    }
    return out;
}

std::string printGraphTexts(const Graph& g) {
    std::string out = printGraphText(g);
    if (out.empty() || out.back() != '\n') out += '\n';
    for (const Graph::SubGraph& sub : g.subGraphs()) out += '\n' + printGraphTexts(*sub.graph);
    return out;
}

}  // namespace aliascope
