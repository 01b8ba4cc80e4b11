#include "core/text/table_reader.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "core/text/find.h"
#include "core/text/graph_builder.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"
#include "core/text/python_expr.h"

namespace aliascope {
namespace {

constexpr std::size_t kColumns = 5;
constexpr std::array<std::string_view, kColumns> kTitles = {"opcode", "name", "target", "args", "kwargs"};

using Cells = std::array<std::string_view, kColumns>;
using Columns = std::array<std::size_t, kColumns>;  // where each begins, in columns of the display

std::optional<NodeKind> kindOf(std::string_view opcode) {
    for (const NodeKind kind :
         {NodeKind::Placeholder, NodeKind::GetAttr, NodeKind::CallFunction, NodeKind::CallMethod, NodeKind::CallModule, NodeKind::Output})
        if (opcode == toString(kind)) return kind;
    return std::nullopt;
}

bool isHeader(std::string_view line) {
    std::size_t at = line.rfind(kTitles[0]);
    if (at == kNone) return false;
    for (const std::string_view title : kTitles) {
        if (line.substr(at, title.size()) != title) return false;
        at += title.size();
        const std::size_t blanks = indentOf(line.substr(at));
        if (blanks < 2 && title != kTitles.back()) return false;
        at += blanks;
    }
    return at >= line.size();
}

/// `-------------  ----  ------  ----  ------`: five runs of dashes, two blanks apart.
std::optional<Columns> ruleColumns(std::string_view line) {
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    std::size_t at = indentOf(line), count = 0;
    Columns columns{};
    while (at < line.size() && line[at] == '-') {
        if (count == kColumns) return std::nullopt;
        columns[count++] = at;
        at = std::min(line.find_first_not_of('-', at), line.size());
        if (at < line.size() && line.substr(at, 3) != "  -") return std::nullopt;
        if (at < line.size()) at += 2;
    }
    return count == kColumns && at >= line.size() ? std::optional(columns) : std::nullopt;
}

/// Size in bytes of the character that starts with `c`, of well-formed UTF-8.
std::size_t characterSize(char c) {
    const auto b = static_cast<unsigned char>(c);
    return b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
}

/// Characters that take two columns of a terminal: East Asian scripts, full-width forms, emoji.
bool isWide(std::string_view line, std::size_t at) {
    const auto b = static_cast<unsigned char>(line[at]);
    const auto next = at + 1 < line.size() ? static_cast<unsigned char>(line[at + 1]) : 0u;
    return (b >= 0xe3 && b <= 0xed) || (b == 0xef && next >= 0xbc && next < 0xbe) || b >= 0xf0;
}

/// Byte of the line at which a column of the display begins. Wide characters may count as two columns: tabulate does so only when the package
/// wcwidth is there.
std::size_t byteOf(std::string_view line, std::size_t column, bool wide) {
    std::size_t at = 0;
    for (std::size_t seen = 0; at < line.size() && seen < column;) {
        seen += wide && isWide(line, at) ? 2 : 1;
        at += characterSize(line[at]);
    }
    return std::min(at, line.size());
}

/// The cells under a rule; nothing when a cell reaches across the gap between two columns, or when the last one is empty and `whole`.
std::optional<Cells> cut(std::string_view line, const Columns& columns, bool wide, bool whole) {
    Cells cells;
    std::size_t begin = byteOf(line, columns[0], wide);
    for (std::size_t i = 0; i < kColumns; ++i) {
        const std::size_t end = i + 1 < kColumns ? byteOf(line, columns[i + 1], wide) : line.size();
        const std::string_view cell = line.substr(begin, end - begin);
        if (end < line.size() && end - begin >= 2 && cell.substr(cell.size() - 2) != "  ") return std::nullopt;
        cells[i] = trimmed(cell);
        begin = end;
    }
    return whole && cells.back().empty() ? std::nullopt : std::optional(cells);
}

/// Cells without a rule: runs of two or more blanks outside brackets and quotes are the gaps.
std::optional<Cells> split(std::string_view line) {
    Cells cells;
    std::size_t at = indentOf(line), count = 0;
    while (at < line.size()) {
        if (count == kColumns) return std::nullopt;
        const std::size_t begin = at;
        int depth = 0;
        char quote = 0;
        for (; at < line.size(); ++at) {
            const char c = line[at];
            if (quote != 0) {
                if (c == '\\')
                    ++at;
                else if (c == quote)
                    quote = 0;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == '(' || c == '[' || c == '{' || c == '<') {
                ++depth;
            } else if (c == ')' || c == ']' || c == '}' || c == '>') {
                --depth;
            } else if (depth <= 0 && line.substr(at, 2) == "  ") {
                break;
            }
        }
        cells[count++] = trimmed(line.substr(begin, at - begin));
        at += indentOf(line.substr(std::min(at, line.size())));
    }
    return count == kColumns ? std::optional(cells) : std::nullopt;
}

/// A row that is one without a rule above it.
bool isRow(std::string_view line) {
    const std::string_view rest = line.substr(indentOf(line));
    if (rest.empty() || std::string_view("pgco").find(rest[0]) == kNone || !kindOf(rest.substr(0, rest.find(' ')))) return false;
    const auto cells = split(line);
    return cells && (*cells)[3].substr(0, 1) == "(" && (*cells)[4].substr(0, 1) == "{";
}

class TableReader {
public:
    TableReader(Reporter& reporter, const OpRegistry& ops, const ReadLimits& limits)
        : reporter_(reporter), text_(reporter.source().text()), builder_(reporter, ops, limits) {}

    std::size_t read(std::size_t begin) {
        builder_.setBegin(begin);
        std::size_t at = begin;
        while (at < text_.size() && !builder_.hasOutput()) {
            const std::string_view line = lineAt(at);
            if (at == begin && isHeader(line)) {
                at += line.size() + 1;
                continue;
            }
            if (const auto rule = ruleColumns(line); rule && !columns_ && builder_.graph.size() == 0) {
                columns_ = rule;
                at += line.size() + 1;
                continue;
            }
            if (builder_.full(at)) break;
            const auto cells = cellsOf(line);
            if (!cells || !isNode(*cells)) break;
            at = row(*cells, at);
        }
        builder_.finish(std::min(at, text_.size()));
        return std::min(at, text_.size());
    }
    Graph& graph() { return builder_.graph; }

private:
    std::string_view lineAt(std::size_t at) const { return text_.substr(at, reporter_.source().lineEnd(at) - at); }

    std::optional<Cells> cellsOf(std::string_view line) const {
        if (trimmed(line).empty()) return std::nullopt;
        if (!columns_) return split(line);
        if (auto cells = cut(line, *columns_, false, true)) return cells;
        if (auto cells = cut(line, *columns_, true, true)) return cells;
        if (auto cells = split(line)) return cells;
        return cut(line, *columns_, false, false);
    }

    /// Rows of other kinds than the known ones are rows only when the rest looks like one.
    static bool isNode(const Cells& cells) {
        if (kindOf(cells[0])) return true;
        return isIdentifier(cells[0]) && isIdentifier(cells[1]) && cells[3].substr(0, 1) == "(" && cells[4].substr(0, 1) == "{";
    }

    std::size_t row(Cells cells, std::size_t begin);
    std::size_t joinContinuations(Cells& cells, std::size_t begin);
    std::optional<Value> parse(std::string_view cell, std::string_view name, std::size_t begin);
    Value withOperators(const Value& v) const;
    void setTarget(Node& n, std::string_view target) const;

    Reporter& reporter_;
    std::string_view text_;
    GraphBuilder builder_;
    std::optional<Columns> columns_;
    std::deque<std::string> joined_;  // cells that were printed on several lines
};

/// A cell that holds line ends goes on in the lines below, where the first two columns are blank.
std::size_t TableReader::joinContinuations(Cells& cells, std::size_t begin) {
    std::size_t at = begin + lineAt(begin).size() + 1;
    while (columns_ && at < text_.size()) {
        const std::string_view line = lineAt(at);
        const auto more = cut(line, *columns_, false, false);
        if (trimmed(line).empty() || !more || !(*more)[0].empty() || !(*more)[1].empty()) break;
        for (std::size_t i = 2; i < kColumns; ++i) {
            if ((*more)[i].empty()) continue;
            joined_.push_back(std::string(cells[i]) + "\\n" + std::string((*more)[i]));
            cells[i] = joined_.back();
        }
        at += line.size() + 1;
    }
    return at;
}

void TableReader::setTarget(Node& n, std::string_view target) const {
    n.target = Name(target);
    if (n.kind == NodeKind::CallMethod) n.op = Name("method::" + std::string(target));
    if (n.kind == NodeKind::CallModule) n.op = Name("module::" + std::string(target));
    if (n.kind != NodeKind::CallFunction) return;
    n.op = canonicalOp(target);
    // An operator prints without `torch.ops.`, a function of Python as its repr.
    const std::string_view op = n.op.view();
    const bool dotted = target[0] != '<' && target.find('.') != kNone && isIdentifier(target.substr(0, target.find('.')));
    if (op.substr(0, 8) == "python::") {
        if (!dotted) return;
        n.op = canonicalOp("torch.ops." + std::string(target));
        n.target = Name("torch.ops." + std::string(target));
    } else if (dotted && op.substr(0, 7) != "torch::" && op.substr(0, 6) != "math::" && op.substr(0, 10) != "operator::") {
        n.target = Name("torch.ops." + std::string(target));
    } else if (!dotted) {
        n.target = spellOp(n.op);
    }
}

/// Dotted names of operators among the arguments, which Python's syntax alone cannot tell.
Value TableReader::withOperators(const Value& v) const {
    if (v.kind() == Value::Kind::Opaque && v.name().view().find('.') != kNone && isIdentifier(v.name().view().substr(0, v.name().view().find('.')))) {
        const Name op = canonicalOp("torch.ops." + v.name().str());
        return builder_.ops().find(op) || v.name().view().ends_with(".default") ? Value::op(op) : v;
    }
    if (v.kind() != Value::Kind::List && v.kind() != Value::Kind::Tuple) return v;
    std::vector<Value> items;
    items.reserve(v.items().size());
    for (const Value& item : v.items()) items.push_back(withOperators(item));
    return Value::container(v.kind(), std::move(items));
}

std::optional<Value> TableReader::parse(std::string_view cell, std::string_view name, std::size_t begin) {
    const bool inside = cell.data() >= text_.data() && cell.data() < text_.data() + text_.size();
    const std::size_t base = inside ? static_cast<std::size_t>(cell.data() - text_.data()) : 0;
    PyLexer lexer(inside ? text_ : cell, base, base + cell.size());
    PyExpr expr(lexer, builder_, builder_.limits());
    Value v = expr.toValue(expr.parse());
    if (!expr.error() && lexer.token().kind != PyToken::Kind::TextEnd) expr.fail("the end of the cell", lexer.token().begin);
    if (!expr.error()) return withOperators(v);
    const ReadError& e = *expr.error();
    reporter_.report(ReadError{e.want, inside ? e.at : begin, e.limit}, {}, Name(name));
    return std::nullopt;
}

std::size_t TableReader::row(Cells cells, std::size_t begin) {
    const std::size_t next = joinContinuations(cells, begin);
    const std::size_t word = begin + indentOf(lineAt(begin)), end = std::min(next, text_.size() + 1) - 1;
    const std::string_view name = cells[1];
    const auto kind = kindOf(cells[0]);
    if (!kind) {
        reporter_.report(userError("R010", {{"got", std::string(cells[0].substr(0, 30))}}), word);
        builder_.defineUnparsed(name, word, end, false);
        return next;
    }
    const bool output = *kind == NodeKind::Output;
    if (!output && (!isIdentifier(name) || cells[2].empty())) {
        reporter_.expected(isIdentifier(name) ? "a target" : "the name of a node", word);
        return next;
    }
    auto args = parse(cells[3], name, begin), kwargs = args ? parse(cells[4], name, begin) : std::nullopt;
    const bool whole = args && kwargs && args->isSequence() && kwargs->kind() == Value::Kind::Dict;
    if (args && kwargs && !whole) reporter_.expected("a tuple of arguments and a dict of keyword arguments", word, Name(name));
    if (!whole) {
        if (output)
            builder_.setUnparsedOutput(word, end, false);
        else
            builder_.defineUnparsed(name, word, end, false);
        return next;
    }
    if (output) {
        builder_.setOutput(args->items().empty() ? std::nullopt : std::optional(args->items()[0]), word, end);
        return next;
    }
    Node n;
    n.kind = *kind;
    setTarget(n, cells[2]);
    n.args = args->items();
    for (std::size_t i = 0; i < kwargs->items().size(); ++i) n.kwargs.emplace_back(kwargs->keys()[i], kwargs->items()[i]);
    n.spanBegin = word;
    n.spanEnd = end;
    builder_.define(std::move(n), name, word);
    return next;
}

}  // namespace

bool isTableLine(std::string_view line) {
    const std::size_t at = indentOf(line);
    if (at == line.size()) return false;
    if (line[at] == '-') return ruleColumns(line).has_value();
    return isRow(line) || isHeader(line);
}

std::size_t readTable(const SourceText& source, std::size_t begin, const OpRegistry& ops, const ReadOptions& options, std::optional<Unit>& unit) {
    Reporter reporter(source, options.limits.diagnosticsPerUnit);
    TableReader reader(reporter, ops, options.limits);
    const std::size_t end = reader.read(begin);
    unit.reset();
    if (reader.graph().size() == 0) return end;
    unit.emplace();
    const std::string_view line = source.text().substr(begin, source.lineEnd(begin) - begin);
    const std::string_view words = isHeader(line) ? trimmed(line.substr(0, line.rfind(kTitles[0]))) : std::string_view();
    unit->label = words.empty() ? "table" : std::string(words.substr(0, std::min(words.find(' '), std::size_t(80))));
    unit->form = GraphForm::Table;
    unit->graph = std::move(reader.graph());
    unit->spanBegin = begin;
    unit->spanEnd = end;
    unit->firstLine = source.place(begin).first;
    unit->diagnostics = reporter.take();
    return end;
}

}  // namespace aliascope
