// Readable Python (formats.md 5), as GraphModule.print_readable writes it: delete lists, provenance comments and nested modules included.

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/text/literals.h"
#include "core/text/print.h"
#include "core/text/python_syntax.h"

namespace aliascope {
namespace {

constexpr std::string_view kNoStackTrace = "# No stacktrace found for following nodes";

/// `torch.Tensor`: a type of Python, which stands without quotes.
bool isPythonType(std::string_view text) {
    return text.find('.') != text.npos && isNameStart(text[0]) &&
           std::all_of(text.begin(), text.end(), [](char c) { return isNameChar(c) || c == '.'; });
}

/// After each node the values whose last use it is, in the order in which they first appear among its arguments; last itself when nothing uses it.
/// Found while printing, by counting users down: a walk from the end would bring every node of a large graph into the cache twice.
class DeleteLists {
public:
    explicit DeleteLists(const Graph& g) : g_(g), uses_(g.style.deleteLists ? g.idBound() : 0) {}

    /// Must be called for every node in order; valid until the next call.
    const std::vector<NodeId>& after(NodeId id) {
        const Node& n = g_[id];
        ids_.clear();
        if (n.kind == NodeKind::Output && (n.flags & FlagSynthetic)) return ids_;
        const auto count = [&](NodeId used) {
            Uses& u = uses_[used.value];
            if (u.by == id.value + 1) return;  // an operand that stands twice is used once
            if (u.by == 0) u.left = statedUsers(g_[used]);
            u.by = id.value + 1;
            if (--u.left == 0) ids_.push_back(used);
        };
        for (const Value& v : n.args) v.forEachNode(count);
        for (const Keyword& k : n.kwargs) k.second.forEachNode(count);
        if (g_.style.deleteUnused && statedUsers(n) == 0) ids_.push_back(id);
        return ids_;
    }

private:
    /// Users that the text shows: an output that the reader made up is none.
    std::uint32_t statedUsers(const Node& n) const {
        auto users = static_cast<std::uint32_t>(n.users.size());
        if (const NodeId output = g_.output(); output && (g_[output].flags & FlagSynthetic))
            for (const Node::User& u : n.users) users -= u.id == output;
        return users;
    }

    struct Uses {
        std::uint32_t left = 0, by = 0;
    };  ///< distinct users that are still to come; the latest one, plus 1
    const Graph& g_;
    std::vector<Uses> uses_;
    std::vector<NodeId> ids_;
};

class ReadablePrinter {
public:
    ReadablePrinter(std::string& out, const Graph& g, std::string indent)
        : out_(out), g_(g), style_(g.style), indent_(std::move(indent)), deletes_(g) {
        defIndent_ =
            indent_ + (style_.frame == PrintStyle::Frame::Class ? "    " : std::string(std::max<std::size_t>(style_.bodyIndent.size(), 4) - 4, ' '));
        bodyIndent_ = style_.frame == PrintStyle::Frame::Class ? defIndent_ + "    " : indent_ + style_.bodyIndent;
        for (const auto& [before, line] : style_.verbatim) verbatim_[before] += line;
    }

    void print() {
        if (style_.frame == PrintStyle::Frame::Class)
            out_ += indent_ +
                    (style_.classLine.empty() ? "class " + (g_.name.empty() ? std::string("GraphModule") : g_.name) + "(torch.nn.Module):"
                                              : style_.classLine) +
                    "\n";
        if (style_.frame != PrintStyle::Frame::None) signature();
        body();
        for (const Graph::SubGraph& s : g_.subGraphs()) {
            blankLine();
            ReadablePrinter(out_, *s.graph, indent_ + "    ").print();
        }
    }

private:
    void blankLine() {
        if (style_.paddedBlanks) out_ += bodyIndent_;
        out_ += '\n';
    }

    std::string annotation(const Node& n) const {
        const std::string_view read = n.annotation.view();
        if (!read.empty() && isPythonType(read))
            return n.type && (n.type->asTensor() || n.type->asSym()) ? quoted(typeText(*n.type)) : " : " + std::string(read);
        // A statement that was read without annotation keeps to that, whatever has been inferred since.
        if (read.empty() && (!n.type || n.metaValue("unannotated"_n))) return {};
        const std::string text = !read.empty() ? std::string(read) : typeText(*n.type);
        return text.empty() ? text : quoted(text);
    }
    std::string typeText(const Type& t) const { return t.asTensor() ? t.asTensor()->str(style_.strides, style_.devices) : t.str(); }
    std::string quoted(const std::string& text) const { return style_.unquotedAnnotations ? ": " + text : ": \"" + text + '"'; }

    /// `a: "f32[2]" = None` of a placeholder.
    std::string parameter(const Node& n) const {
        std::string text = n.target.str() + annotation(n);
        if (!n.args.empty()) {
            text += " = ";
            printValue(text, g_, n.args[0], Dialect::Python);
        }
        return text;
    }

    std::string descriptor(const Node& n) const {
        const Value* d = n.metaValue("descriptor"_n);
        return d ? "  # " + d->name().str() : std::string();
    }

    std::vector<NodeId> statedPlaceholders() const {
        std::vector<NodeId> out = g_.placeholders();
        std::erase_if(out, [&](NodeId id) { return (g_[id].flags & FlagGhost) != 0; });
        return out;
    }

    void signature() {
        const auto inputs = statedPlaceholders();
        out_ += defIndent_ + "def forward(";
        const bool expanded = style_.signature == PrintStyle::Signature::Expanded;
        if (expanded || style_.linePerParameter) {
            out_ += "\n" + bodyIndent_ + "self,\n";
            if (expanded)
                for (NodeId id : inputs) out_ += bodyIndent_ + parameter(g_[id]) + "," + descriptor(g_[id]) + "\n";
            else
                for (const std::string& p : style_.parameters) out_ += bodyIndent_ + p + ",\n";
            out_ += defIndent_;
        } else {
            out_ += "self";
            if (style_.signature == PrintStyle::Signature::Direct) {
                for (NodeId id : inputs) out_ += ", " + parameter(g_[id]);
            } else {
                for (const std::string& p : style_.parameters) out_ += ", " + p;
            }
        }
        out_ += ")" + style_.returnType + ":\n";
        if (style_.signature == PrintStyle::Signature::Pytree) flattening(inputs);
        if (style_.signature == PrintStyle::Signature::Boxed) unboxing(inputs);
    }

    void flattening(const std::vector<NodeId>& inputs) {
        std::string typed, names;
        for (NodeId id : inputs) {
            const std::string text = parameter(g_[id]);
            if (text.find(':') != text.npos) typed += style_.linePerParameter ? bodyIndent_ + text + descriptor(g_[id]) + "\n" : text + "; ";
            names += g_[id].target.str() + ", ";
        }
        if (!names.empty()) names.erase(names.size() - 1);
        if (style_.linePerParameter) {
            out_ += typed;
        } else if (!typed.empty()) {
            out_ += bodyIndent_ + typed + "\n";
            blankLine();
        }
        out_ += bodyIndent_ + names + " = fx_pytree.tree_flatten_spec(" + style_.flattenSpec + ")\n";
    }

    void unboxing(const std::vector<NodeId>& inputs) {
        std::string list = style_.parameters.empty() ? "args_list" : style_.parameters[0];
        list = list.substr(0, list.find_first_of(": ="));
        out_ += bodyIndent_ + "args_iter = iter(" + list + ")\n";
        for (NodeId id : inputs) out_ += bodyIndent_ + parameter(g_[id]) + " = next(args_iter)\n";
        out_ += bodyIndent_ + list + ".clear()\n";
    }

    void body() {
        const std::size_t start = out_.size();
        Name comment;
        for (NodeId id : inOrder(g_)) {
            const Node& n = g_[id];
            const std::vector<NodeId>* dead = style_.deleteLists ? &deletes_.after(id) : nullptr;
            if ((n.flags & FlagGhost) || (n.kind == NodeKind::Output && (n.flags & FlagSynthetic))) continue;
            if (n.kind == NodeKind::Placeholder) {
                if (style_.frame != PrintStyle::Frame::None) rebinding(n);
                continue;
            }
            if (style_.comments && n.kind != NodeKind::Output) provenance(n, comment, start);
            if (const auto it = verbatim_.find(n.name); it != verbatim_.end()) out_ += it->second;
            if (n.kind == NodeKind::Output) {
                output(n);
                continue;
            }
            out_ += bodyIndent_;
            statement(n);
            if (dead) deleteList(*dead);
            out_ += '\n';
        }
        if (out_.size() == start && style_.frame != PrintStyle::Frame::None) out_ += bodyIndent_ + "pass\n";
    }

    /// `l_x_ = L_x_` where parameter and node differ.
    void rebinding(const Node& n) {
        std::string_view raw = n.target.view();
        while (!raw.empty() && raw.front() == '*') raw.remove_prefix(1);
        if (raw != n.name.view()) out_ += bodyIndent_ + n.name.str() + " = " + std::string(raw) + "\n";
    }

    void provenance(const Node& n, Name& current, std::size_t bodyStart) {
        const Provenance& p = g_.provenance[n.provenance];
        Name text = p.raw;
        if (text.empty() && p.file.empty()) text = Name(kNoStackTrace);
        if (text.empty())
            text = Name("# File: " + p.file.str() + ":" + std::to_string(p.line) + " in " + p.function.str() + ", code: " + p.code.str());
        if (text == current) return;
        current = text;
        if (style_.blankBeforeComment && out_.size() > bodyStart) blankLine();
        out_ += bodyIndent_;
        out_.append(static_cast<std::size_t>(std::max(style_.commentIndent, 0)), ' ');
        out_ += text.view();
        out_ += '\n';
    }

    void deleteList(const std::vector<NodeId>& ids) {
        if (ids.empty()) return;
        out_ += ";  ";
        for (NodeId id : ids) {
            out_ += g_[id].name.view();
            out_ += " = ";
        }
        out_ += "None";
    }

    void value(const Value& v) { printValue(out_, g_, v, Dialect::Python); }

    void arguments(const Node& n, std::size_t from) {
        out_ += '(';
        bool first = true;
        const auto comma = [&] {
            if (!first) out_ += ", ";
            first = false;
        };
        for (std::size_t i = from; i < n.args.size(); ++i) {
            comma();
            value(n.args[i]);
        }
        for (const Keyword& k : n.kwargs) {
            comma();
            out_ += k.first.view();
            out_ += " = ";
            value(k.second);
        }
        out_ += ')';
    }

    /// `self.a.b`, with getattr where a part is no name: `getattr(self.seq, "0")`.
    void attributePath(std::string_view target) {
        std::string path = "self";
        for (std::size_t at = 0; at <= target.size();) {
            const std::size_t dot = std::min(target.find('.', at), target.size());
            const std::string part(target.substr(at, dot - at));
            path = isIdentifier(part) ? path + "." + part : "getattr(" + path + ", \"" + part + "\")";
            at = dot + 1;
        }
        out_ += path;
    }

    void statement(const Node& n) {
        if ((n.flags & FlagUnparsed) && !n.args.empty()) {
            out_ += n.args[0].name().view();
            return;
        }
        if (n.kind == NodeKind::CallFunction && inPlaceStatement(n)) return;
        out_ += n.name.view();
        out_ += annotation(n);
        out_ += " = ";
        switch (n.kind) {
            case NodeKind::GetAttr:
                attributePath(n.target.view());
                break;
            case NodeKind::CallModule:
                attributePath(n.target.view());
                arguments(n, 0);
                break;
            case NodeKind::CallMethod:
                if (!n.args.empty()) value(n.args[0]);
                out_ += '.';
                out_ += n.target.view();
                arguments(n, 1);
                break;
            default:
                callFunction(n);
        }
    }

    /// `x += y;  name = x` and `x[i] = v;  name = x`.
    bool inPlaceStatement(const Node& n) {
        const std::string_view symbol = inPlaceSymbol(n.op.view());
        const bool item = n.op.view() == "operator::setitem";
        if (!n.kwargs.empty() || n.args.size() != (item ? 3u : 2u) || (symbol.empty() && !item)) return false;
        value(n.args[0]);
        if (item) {
            out_ += '[';
            value(n.args[1]);
            out_ += "] = ";
        } else {
            out_ += ' ';
            out_ += symbol;
            out_ += ' ';
        }
        value(n.args.back());
        out_ += ";  ";
        out_ += n.name.view();
        out_ += annotation(n);
        out_ += " = ";
        value(n.args[0]);
        return true;
    }

    void callFunction(const Node& n) {
        const std::string_view op = n.op.view();
        if (n.kwargs.empty() && n.args.size() == 2) {
            if (op == "operator::getitem") {
                value(n.args[0]);
                out_ += '[';
                value(n.args[1]);
                out_ += ']';
                return;
            }
            if (const std::string_view symbol = binarySymbol(op); !symbol.empty()) {
                value(n.args[0]);
                out_ += ' ';
                out_ += symbol;
                out_ += ' ';
                value(n.args[1]);
                return;
            }
            if (op == "builtin::getattr" && n.args[1].kind() == Value::Kind::String && isIdentifier(n.args[1].name().view())) {
                value(n.args[0]);
                out_ += '.';
                out_ += n.args[1].name().view();
                return;
            }
        }
        if (const std::string_view symbol = unarySymbol(op); !symbol.empty() && n.kwargs.empty() && n.args.size() == 1) {
            out_ += symbol;
            value(n.args[0]);
            return;
        }
        out_ += functionName(n);
        arguments(n, 0);
    }

    static std::string functionName(const Node& n) {
        const std::string_view target = n.target.view();
        if (target.substr(0, 9) == "operator.") return "_" + n.target.str();
        return n.target.str();
    }

    void output(const Node& n) {
        if ((n.flags & FlagUnparsed) && !n.args.empty()) {
            out_ += bodyIndent_ + n.args[0].name().str() + "\n";
            return;
        }
        out_ += bodyIndent_ + "return";
        if (!n.args.empty()) {
            out_ += ' ';
            if (!style_.unflattenTail.empty()) out_ += "pytree.tree_unflatten(";
            if (style_.outputDescriptors.empty() || !n.args[0].isSequence()) {
                value(n.args[0]);
            } else {
                returnedLines(n.args[0]);
            }
            out_ += style_.unflattenTail;
        }
        out_ += '\n';
    }

    void returnedLines(const Value& v) {
        const bool list = v.kind() == Value::Kind::List;
        out_ += list ? "[\n" : "(\n";
        for (std::size_t i = 0; i < v.items().size(); ++i) {
            out_ += bodyIndent_ + "    ";
            value(v.items()[i]);
            out_ += ',';
            if (i < style_.outputDescriptors.size() && !style_.outputDescriptors[i].empty()) out_ += "  # " + style_.outputDescriptors[i];
            out_ += '\n';
        }
        out_ += bodyIndent_ + (list ? "]" : ")");
    }

    std::string& out_;
    const Graph& g_;
    const PrintStyle& style_;
    std::string indent_, defIndent_, bodyIndent_;
    DeleteLists deletes_;
    std::unordered_map<Name, std::string> verbatim_;
};

}  // namespace

std::string printReadable(const Graph& g) {
    std::string out;
    out.reserve(g.size() * 150 + 64);
    ReadablePrinter(out, g, std::string()).print();
    if (!g.style.finalNewline && out.ends_with('\n')) out.pop_back();
    return out;
}

}  // namespace aliascope
