#include "core/text/readable_reader.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/text/find.h"
#include "core/text/graph_builder.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"
#include "core/text/readable_body.h"

namespace aliascope {
namespace {

/// Reads one module: frame, signature, body, nested modules.
class ReadableReader {
public:
    ReadableReader(Reporter& reporter, const OpRegistry& ops, const ReadLimits& limits, std::uint32_t depth)
        : reporter_(reporter), source_(reporter.source()), text_(source_.text()), builder_(reporter, ops, limits), depth_(depth) {}

    /// From a class line. Gives the start of the first line behind the class.
    std::size_t readClass(std::size_t begin);
    /// From a def line.
    std::size_t readForward(std::size_t begin, PrintStyle::Frame frame);
    Graph& graph() { return builder_.graph; }
    bool hasForward() const { return hasForward_; }
    std::size_t nestedCalls() const { return nestedCalls_; }

private:
    std::string_view lineAt(std::size_t at) const { return text_.substr(at, source_.lineEnd(at) - at); }
    std::size_t nestedClass(std::size_t at);
    std::size_t signature(std::size_t at, std::vector<Parameter>& parameters);
    void parameter(PyLexer& lexer, PyExpr& expr, std::vector<Parameter>& parameters);
    std::string_view descriptorAt(std::size_t at) const;
    void resolveSubGraphs();
    void noteConstructor(std::string_view line);
    void tellConstructors();

    Reporter& reporter_;
    const SourceText& source_;
    std::string_view text_;
    GraphBuilder builder_;
    std::uint32_t depth_;
    bool hasForward_ = false, tooMany_ = false;
    std::size_t nestedCalls_ = 0;
    std::unordered_map<std::string_view, std::string_view> constructors_;  ///< by attribute
};

std::size_t ReadableReader::readClass(std::size_t begin) {
    const std::string_view line = lineAt(begin);
    const std::size_t word = classLineAt(line), indent = indentOf(line);
    graph().name = std::string(className(line));
    graph().style.classLine = std::string(trimmed(line.substr(word)));
    std::size_t at = begin + line.size() + 1;
    while (at < text_.size()) {
        const std::string_view member = lineAt(at);
        if (trimmed(member).empty()) {
            at += member.size() + 1;
            continue;
        }
        if (indentOf(member) <= indent) break;
        if (!hasForward_ && forwardLineAt(member) != kNone) {
            at = readForward(at, PrintStyle::Frame::Class);
        } else if (classLineAt(member) != kNone) {
            at = nestedClass(at);
        } else {
            noteConstructor(trimmed(member));
            at += member.size() + 1;
        }
    }
    tellConstructors();
    resolveSubGraphs();
    if (hasForward_) builder_.reportMissingSubGraphs();
    return std::min(at, text_.size());
}

/// `self.fc = Linear(in_features=4, out_features=2, bias=True)` in `__init__` (formats.md 7.4, 12).
void ReadableReader::noteConstructor(std::string_view line) {
    if (line.substr(0, 5) != "self.") return;
    const auto equals = line.find(" = ");
    if (equals == std::string_view::npos || line.find('(', equals) == std::string_view::npos) return;
    constructors_.emplace(line.substr(5, equals - 5), line.substr(equals + 3));
}

void ReadableReader::tellConstructors() {
    if (constructors_.empty()) return;
    for (const NodeId id : inOrder(graph())) {
        if (graph()[id].kind != NodeKind::CallModule) continue;
        const auto it = constructors_.find(graph()[id].target.view());
        if (it != constructors_.end()) graph().setMeta(id, "constructor"_n, Value::string(Name(it->second)));
    }
}

std::size_t ReadableReader::nestedClass(std::size_t at) {
    if (depth_ == 0) {
        reporter_.report(limitPassed("nesting of classes", builder_.limits().classDepth), at);
        return source_.lineEnd(at) + 1;
    }
    ReadableReader inner(reporter_, builder_.ops(), builder_.limits(), depth_ - 1);
    const std::size_t end = inner.readClass(at);
    nestedCalls_ += inner.nestedCalls();
    const std::size_t limit = builder_.limits().subGraphs, known = graph().subGraphs().size();
    if (inner.hasForward() && known >= limit) {
        if (!std::exchange(tooMany_, true)) reporter_.report(limitPassed("sub-graphs of a graph", limit), at);
        return end;
    }
    if (inner.hasForward()) graph().addSubGraph(Name(inner.graph().name), std::move(inner.graph()));
    return end;
}

/// Until 2.3 a nested class is called by its own name, not by the attribute: children that nothing names belong to the attributes without class,
/// in order of first use.
void ReadableReader::resolveSubGraphs() {
    auto& subs = graph().subGraphs();
    if (subs.empty()) return;
    std::vector<Name> wanted;
    std::unordered_set<Name> mentioned;
    for (const NodeId id : inOrder(graph())) {
        const Node& n = graph()[id];
        const bool path = n.kind == NodeKind::GetAttr || n.kind == NodeKind::CallModule;
        if (!path || !mentioned.insert(n.target).second || graph().subGraph(n.target)) continue;
        const bool called = n.kind == NodeKind::CallModule || std::any_of(n.users.begin(), n.users.end(), [&](const Node::User& u) {
                                return graph()[u.id].op.view().substr(0, 5) == "hop::";
                            });
        if (called) wanted.push_back(n.target);
    }
    std::size_t next = 0;
    for (Graph::SubGraph& s : subs)
        if (!mentioned.contains(s.attribute) && next < wanted.size()) s.attribute = wanted[next++];
}

std::size_t ReadableReader::readForward(std::size_t begin, PrintStyle::Frame frame) {
    hasForward_ = true;
    builder_.setBegin(begin);
    const std::size_t indent = forwardLineAt(lineAt(begin));
    graph().style.frame = frame;
    std::vector<Parameter> parameters;
    const std::size_t bodyBegin = signature(begin, parameters);
    ReadableBody body(builder_, std::move(parameters));
    const std::size_t end = body.read(bodyBegin, text_.size(), static_cast<int>(indent));
    builder_.finish(end);
    nestedCalls_ += builder_.nestedCalls();
    return end;
}

/// `# descriptor` on the rest of the line of `at`.
std::string_view ReadableReader::descriptorAt(std::size_t at) const {
    // Only the end of a line is looked at: a signature may hold everything in one.
    at += indentOf(text_.substr(at));
    if (text_.substr(at, 1) == ",") at += 1 + indentOf(text_.substr(at + 1));
    return text_.substr(at, 1) == "#" ? trimmed(text_.substr(at + 1, source_.lineEnd(at) - at - 1)) : std::string_view();
}

/// The parameters, and the start of the line behind the signature.
std::size_t ReadableReader::signature(std::size_t begin, std::vector<Parameter>& parameters) {
    PyLexer lexer(text_, text_.find('(', begin), text_.size());
    PyExpr expr(lexer, builder_, builder_.limits());
    const std::size_t open = lexer.take().end();
    if (source_.lineEnd(open) < lexer.token().begin) graph().style.signature = PrintStyle::Signature::Expanded;
    while (!expr.error() && !lexer.token().is(")")) {
        parameter(lexer, expr, parameters);
        if (expr.error() || lexer.token().is(")")) break;
        if (!lexer.token().is(","))
            expr.fail("\",\" or \")\" in the signature", lexer.token().begin);
        else
            lexer.take();
    }
    if (!expr.error()) {
        const std::size_t close = lexer.take().end();
        while (!lexer.token().is(":") && lexer.token().kind != PyToken::Kind::LineEnd && lexer.token().kind != PyToken::Kind::TextEnd) lexer.take();
        const std::string_view type = text_.substr(close, lexer.lastEnd() - close);
        if (trimmed(type).substr(0, 2) == "->") graph().style.returnType = std::string(type);
        if (lexer.token().is(":")) return source_.lineEnd(lexer.token().end()) + 1;
        expr.fail("\":\"", lexer.token().begin);
    }
    reporter_.report(*expr.error());
    return source_.lineEnd(begin) + 1;
}

void ReadableReader::parameter(PyLexer& lexer, PyExpr& expr, std::vector<Parameter>& parameters) {
    Parameter p;
    std::string stars;
    const std::size_t begin = lexer.token().begin;
    if (lexer.token().is("*") || lexer.token().is("**")) stars = lexer.take().text;
    if (lexer.token().kind != PyToken::Kind::Name) return expr.fail("a parameter", lexer.token().begin);
    const PyToken name = lexer.take();
    p.name = name.text;
    p.target = stars + std::string(name.text);
    p.at = name.begin;
    if (lexer.token().is(":")) {
        lexer.take();
        const PyToken t = lexer.token();
        if (t.kind == PyToken::Kind::String) {
            p.annotation = t.text.substr(1, t.text.size() - 2);
            lexer.take();
        } else if (t.kind == PyToken::Kind::Bad || t.kind == PyToken::Kind::TextEnd) {
            return expr.fail("an annotation", t.begin);
        } else {
            int depth = 0;
            while (lexer.token().kind != PyToken::Kind::TextEnd && lexer.token().kind != PyToken::Kind::Bad) {
                const PyToken& u = lexer.token();
                if (depth == 0 && (u.is(",") || u.is(")") || u.is("="))) break;
                if (u.is("(") || u.is("[")) ++depth;
                if (u.is(")") || u.is("]")) --depth;
                lexer.take();
            }
            p.annotation = text_.substr(t.begin, lexer.lastEnd() - t.begin);
            graph().style.unquotedAnnotations = true;
        }
    }
    if (lexer.token().is("=")) {
        lexer.take();
        p.defaultValue = expr.toValue(expr.parse());
        if (expr.error()) return;
    }
    p.text = std::string(text_.substr(begin, lexer.lastEnd() - begin));
    p.descriptor = descriptorAt(lexer.lastEnd());
    if (p.name != "self" || !parameters.empty()) parameters.push_back(std::move(p));
}

Unit finishedUnit(const SourceText& source, Reporter& reporter, ReadableReader& reader, std::size_t begin, std::size_t end) {
    Unit unit;
    unit.label = reader.graph().name.empty() ? "graph" : reader.graph().name;
    unit.form = GraphForm::Readable;
    unit.graph = std::move(reader.graph());
    unit.spanBegin = begin;
    unit.spanEnd = end;
    unit.firstLine = source.place(begin).first;
    if (reader.nestedCalls() > 0)
        unit.notes.push_back(std::to_string(reader.nestedCalls()) + " calls inside other statements became nodes of their own");
    unit.diagnostics = reporter.take();
    return unit;
}

}  // namespace

std::size_t readReadable(const SourceText& source, std::size_t begin, const OpRegistry& ops, const ReadOptions& options, std::optional<Unit>& unit) {
    Reporter reporter(source, options.limits.diagnosticsPerUnit);
    ReadableReader reader(reporter, ops, options.limits, options.limits.classDepth);
    const std::string_view line = source.text().substr(begin, source.lineEnd(begin) - begin);
    const std::size_t end = classLineAt(line) != kNone ? reader.readClass(begin) : reader.readForward(begin, PrintStyle::Frame::Def);
    unit.reset();
    if (reader.hasForward()) unit.emplace(finishedUnit(source, reporter, reader, begin, end));
    return end;
}

void readStatements(const SourceText& source, std::size_t begin, std::size_t end, const OpRegistry& ops, const ReadOptions& options,
                    std::optional<Unit>& unit) {
    Reporter reporter(source, options.limits.diagnosticsPerUnit);
    GraphBuilder builder(reporter, ops, options.limits);
    builder.graph.style.frame = PrintStyle::Frame::None;
    ReadableBody body(builder, {});
    body.read(begin, end, -1);
    builder.finish(end);
    unit.emplace();
    unit->label = "fragment";
    unit->form = GraphForm::Readable;
    unit->graph = std::move(builder.graph);
    unit->spanBegin = begin;
    unit->spanEnd = end;
    unit->firstLine = source.place(begin).first;
    unit->diagnostics = reporter.take();
}

}  // namespace aliascope
