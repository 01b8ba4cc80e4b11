#include "core/text/short_nodes.h"

#include <algorithm>

#include "core/text/graph_builder.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"
#include "core/text/python_expr.h"

namespace aliascope {
namespace {

/// `NAME = something(` or `NAME = x[0]`, annotated or not, with a dotted call, a method or an index on the right.
bool isStatementLine(std::string_view line) {
    line.remove_prefix(indentOf(line));
    std::size_t i = 0;
    while (i < line.size() && isNameChar(line[i])) ++i;
    if (i == 0 || isDigit(line[0])) return false;
    if (line.substr(i, 3) == ": \"") {
        const std::size_t close = line.find('"', i + 3);
        if (close == line.npos) return false;
        i = close + 1;
    }
    if (line.substr(i, 3) != " = ") return false;
    const std::string_view right = line.substr(i + 3);
    std::size_t end = 0;
    while (end < right.size() && (isNameChar(right[end]) || right[end] == '.')) ++end;
    if (end == 0 || end >= right.size() || isDigit(right[0])) return false;
    const bool dotted = right.substr(0, end).find('.') != right.npos;
    return (right[end] == '(' && dotted) || right[end] == '[';
}

template <class Test>
std::optional<std::pair<std::size_t, std::size_t>> spanOf(const SourceText& source, Test test) {
    std::size_t count = 0, first = 0, last = 0;
    const std::string_view text = source.text();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = source.lineEnd(at);
        if (test(text.substr(at, end - at))) {
            if (count++ == 0) first = at;
            last = end;
        }
        at = end + 1;
    }
    if (count < 2) return std::nullopt;
    return std::pair(first, last);
}

class ShortNodeReader {
public:
    ShortNodeReader(GraphBuilder& builder) : builder_(builder), source_(builder.reporter().source()), text_(source_.text()) {}

    void read(std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end;) {
            const std::size_t lineEnd = source_.lineEnd(at);
            const std::string_view line = text_.substr(at, lineEnd - at);
            std::size_t next = lineEnd + 1;
            if (isShortNodeLine(line))
                next = node(at + indentOf(line), lineEnd);
            else if (isReturnLine(line))
                returned(at + indentOf(line), lineEnd);
            if (builder_.hasOutput()) return;
            at = next;
        }
    }

private:
    std::size_t node(std::size_t begin, std::size_t lineEnd) {
        const std::size_t nameEnd = text_.find(' ', begin);
        const std::string_view name = text_.substr(begin + 1, nameEnd - begin - 1);
        PyLexer lexer(text_, nameEnd + 3, text_.size());
        PyExpr expr(lexer, builder_, builder_.limits());
        expr.percentUses = true;
        PyOperand right = expr.parse();
        if (!expr.error() && right.kind != PyOperand::Kind::Call) expr.fail("a call", nameEnd + 3);
        if (expr.error()) {
            builder_.reporter().report(*expr.error(), {}, Name(name));
            builder_.defineUnparsed(name, begin, lineEnd, true);
            return lineEnd + 1;
        }
        Node n = std::move(*right.call);
        if (n.kind == NodeKind::CallFunction && n.op.view().substr(0, 8) == "python::") resolve(n);
        n.spanBegin = begin;
        n.spanEnd = lexer.lastEnd();
        builder_.define(std::move(n), name, begin + 1);
        return source_.lineEnd(lexer.lastEnd()) + 1;
    }

    /// `add(…)` is `aten.add(…)` when there is such an operator.
    void resolve(Node& n) {
        const std::string target = n.target.view().find('.') == std::string_view::npos ? "aten." + n.target.str() : n.target.str();
        const Name op = canonicalOp("torch.ops." + target);
        if (!builder_.ops().find(op) && builder_.ops().overloads(packetOf(op)).empty()) return;
        n.op = op;
        n.target = Name("torch.ops." + target);
    }

    void returned(std::size_t word, std::size_t lineEnd) {
        PyLexer lexer(text_, word + 6, text_.size());
        PyExpr expr(lexer, builder_, builder_.limits());
        expr.percentUses = true;
        const bool empty = trimmed(text_.substr(word + 6, lineEnd - word - 6)).empty();
        Value v = empty ? Value() : expr.toValue(expr.parse(true));
        if (expr.error()) {
            builder_.reporter().report(*expr.error(), {}, "output"_n);
            builder_.setUnparsedOutput(word, lineEnd, true);
        } else {
            builder_.setOutput(empty ? std::nullopt : std::optional(std::move(v)), word, lineEnd);
        }
    }

    GraphBuilder& builder_;
    const SourceText& source_;
    std::string_view text_;
};

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> shortNodeSpan(const SourceText& source) {
    auto span = spanOf(source, isShortNodeLine);
    if (!span) return span;
    // A return right behind the last node belongs to it.
    const std::size_t next = span->second + 1;
    if (next < source.text().size() && isReturnLine(source.text().substr(next, source.lineEnd(next) - next))) span->second = source.lineEnd(next);
    return span;
}

std::optional<std::pair<std::size_t, std::size_t>> statementSpan(const SourceText& source) {
    auto span = spanOf(source, isStatementLine);
    if (!span) return span;
    // What follows with the same indent (a cut statement, the return) is read too.
    span->second = source.text().size();
    return span;
}

void readShortNodes(const SourceText& source, std::size_t begin, std::size_t end, const OpRegistry& ops, const ReadOptions& options,
                    std::optional<Unit>& unit) {
    Reporter reporter(source, options.limits.diagnosticsPerUnit);
    GraphBuilder builder(reporter, ops, options.limits);
    ShortNodeReader(builder).read(begin, end);
    builder.finish(end);
    builder.graph.style.graphHeader = false;
    unit.emplace();
    unit->label = "fragment";
    unit->form = GraphForm::GraphText;
    unit->graph = std::move(builder.graph);
    unit->spanBegin = begin;
    unit->spanEnd = end;
    unit->firstLine = source.place(begin).first;
    unit->diagnostics = reporter.take();
}

}  // namespace aliascope
