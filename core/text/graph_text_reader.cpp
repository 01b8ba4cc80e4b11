#include "core/text/graph_text_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/text/find.h"
#include "core/text/graph_builder.h"
#include "core/text/graph_values.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"

namespace aliascope {
namespace {

std::optional<NodeKind> nodeKind(std::string_view word) {
    if (word == "placeholder" || word == "PlaceHolder") return NodeKind::Placeholder;
    if (word == "get_attr") return NodeKind::GetAttr;
    if (word == "call_function") return NodeKind::CallFunction;
    if (word == "call_method") return NodeKind::CallMethod;
    if (word == "call_module") return NodeKind::CallModule;
    return std::nullopt;
}

/// Lines of Inductor's lowering repeat nodes behind a few words.
bool repeatsNode(std::string_view line) {
    line = trimmed(line);
    return line.substr(0, 10) == "lowering %" || line.substr(0, 24) == "Propagate_single_node: %";
}

class GraphTextReader {
public:
    GraphTextReader(Reporter& reporter, const OpRegistry& ops, const ReadLimits& limits, std::uint32_t depth)
        : reporter_(reporter), text_(reporter.source().text()), builder_(reporter, ops, limits), values_(builder_), depth_(depth) {}

    /// Reads from `begin` on; stops at a node line whose indent is at most `outerIndent`, when one is given.
    std::size_t read(std::size_t begin, std::optional<std::size_t> outerIndent);
    Graph& graph() { return builder_.graph; }

private:
    std::string_view lineAt(std::size_t at) const { return text_.substr(at, reporter_.source().lineEnd(at) - at); }
    std::size_t header(std::size_t begin);
    std::size_t logicalEnd(std::size_t begin) const;
    void node(std::size_t begin, std::size_t end);
    bool nodeBody(Node& n, std::size_t at, std::size_t end);
    std::size_t note(Node& n, std::size_t at, std::size_t end);
    std::size_t returned(std::size_t begin);
    std::size_t nested(std::size_t begin);
    void checkUsers();
    bool expected(std::string want, std::size_t at) {
        failedAt_ = at;
        want_ = std::move(want);
        return false;
    }

    Reporter& reporter_;
    std::string_view text_;
    GraphBuilder builder_;
    GraphValueReader values_;
    std::uint32_t depth_;
    struct StatedUsers {
        NodeId node;
        std::uint32_t count;
        std::size_t at;
    };
    std::vector<StatedUsers> users_;
    std::optional<std::uint32_t> stated_;  // users of the node that is being read
    std::size_t statedAt_ = 0;
    std::size_t failedAt_ = 0;
    std::string want_;
    NodeId last_;
    bool first_ = true, tooMany_ = false;
};

std::size_t GraphTextReader::header(std::size_t begin) {
    const std::string_view line = lineAt(begin);
    const std::size_t at = graphHeaderAt(line);
    builder_.graph.style.graphHeader = at != kNone;
    if (at == kNone) return begin;
    const std::size_t arrow = line.find(" -> ", at);
    if (arrow != kNone) builder_.graph.style.returnType = std::string(line.substr(arrow, line.rfind(':') - arrow));
    return begin + line.size() + 1;
}

std::size_t GraphTextReader::read(std::size_t begin, std::optional<std::size_t> outerIndent) {
    builder_.setBegin(begin);
    std::size_t at = header(begin), junk = 0, junkAt = 0;
    bool done = false;
    while (at < text_.size() && !done) {
        const std::string_view line = lineAt(at);
        std::size_t next = at + line.size() + 1;
        const bool isNode = isNodeLine(line);
        if (outerIndent && (isNode || isReturnLine(line)) && indentOf(line) <= *outerIndent) break;
        if (isNode) {
            if (builder_.full(at)) break;
            if (first_) builder_.graph.style.graphIndent = std::string(indentOf(line), ' ');
            first_ = false;
            next = logicalEnd(at) + 1;
            node(at + indentOf(line), next - 1);
        } else if (isReturnLine(line)) {
            next = returned(at);
            done = true;
        } else if (graphHeaderAt(line) != kNone) {
            const bool inner = last_ && indentOf(line) >= builder_.graph.style.graphIndent.size() && depth_ > 0;
            const std::size_t firstInside = next < text_.size() ? indentOf(lineAt(next)) : 0;
            if (!inner || firstInside <= builder_.graph.style.graphIndent.size()) break;
            next = nested(at);
        } else if (classLineAt(line) != kNone || forwardLineAt(line) != kNone) {
            break;
        } else if (!trimmed(line).empty() && !repeatsNode(line)) {
            if (junk++ == 0) junkAt = at;
        }
        at = next;
    }
    if (junk > 0) reporter_.report(info("R032", {{"n", std::to_string(junk)}}), junkAt);
    checkUsers();
    builder_.finish(std::min(at, text_.size()));
    builder_.reportMissingSubGraphs();
    return std::min(at, text_.size());
}

/// End of the node that starts in the line of `begin`: it goes on while its brackets are open and no other node begins.
std::size_t GraphTextReader::logicalEnd(std::size_t begin) const {
    std::size_t end = reporter_.source().lineEnd(begin), at = begin;
    for (int depth = 0; end < text_.size(); end = reporter_.source().lineEnd(end + 1)) {
        for (; at < end; ++at) {
            const char c = text_[at];
            if (c == '(' || c == '[' || c == '{') ++depth;
            if (c == ')' || c == ']' || c == '}') --depth;
        }
        const std::string_view following = lineAt(end + 1);
        if (depth <= 0 || isNodeLine(following) || isReturnLine(following) || graphHeaderAt(following) != kNone) break;
    }
    return end;
}

void GraphTextReader::node(std::size_t begin, std::size_t end) {
    std::size_t at = begin + 1;
    while (at < end && (isNameChar(text_[at]) || text_[at] == '.')) ++at;
    const std::string_view name = text_.substr(begin + 1, at - begin - 1);
    Node n;
    n.spanBegin = begin;
    n.spanEnd = end;
    stated_.reset();
    values_.clearError();
    const bool tooLong = end - begin > builder_.limits().lineBytes;
    if (tooLong) reporter_.report(limitPassed("length of a line", builder_.limits().lineBytes), begin);
    if (!tooLong && nodeBody(n, at + 2, end)) {
        last_ = builder_.define(std::move(n), name, begin + 1);
        if (stated_) users_.push_back({last_, *stated_, statedAt_});
        return;
    }
    if (!tooLong && values_.error()) {
        reporter_.report(*values_.error(), " in arguments of %" + std::string(name), Name(name));
    } else if (!tooLong && want_ == "a node kind") {
        Diagnostic d = userError("R010", {{"got", reporter_.source().found(failedAt_)}});
        d.node = Name(name);
        reporter_.report(std::move(d), failedAt_);
    } else if (!tooLong) {
        reporter_.expected(want_ + " in %" + std::string(name), failedAt_, Name(name));
    }
    builder_.defineUnparsed(name, begin, end, true);
}

/// The note and the users, up to the node's kind. npos on failure.
std::size_t GraphTextReader::note(Node& n, std::size_t at, std::size_t end) {
    const std::string_view body = text_.substr(at, end - at);
    const std::size_t equals = body.find(" = ");
    std::size_t users = body.find("[num_users=");
    const bool old = users == kNone || users > equals;
    if (old) users = body.find("[#users=");
    const bool stated = users != kNone && users < equals;
    if (equals == kNone) {
        expected("\" = \"", end);
        return kNone;
    }
    if (stated) {
        builder_.graph.style.oldUsers = old;
        const std::size_t digits = users + (old ? 8 : 11);
        std::uint32_t count = 0;
        const auto [stop, error] = std::from_chars(body.data() + digits, body.data() + equals, count);
        if (error != std::errc() || *stop != ']') {
            expected("a number of users", at + digits);
            return kNone;
        }
        stated_ = count;
        statedAt_ = at + digits;
    }
    const std::string_view note = trimmed(body.substr(0, stated ? users : equals));
    if (note.substr(0, 6) == "Tensor" && (note.size() == 6 || note.find('"') != kNone)) {
        builder_.graph.style.quotedNotes = true;
        const std::size_t open = note.find('"'), close = note.rfind('"');
        if (close != open) builder_.annotate(n, note.substr(open + 1, close - open - 1));
    } else if (!note.empty()) {
        builder_.graph.style.typeExprs = true;
        n.annotation = Name(note);
    }
    return at + equals + 3;
}

bool GraphTextReader::nodeBody(Node& n, std::size_t at, std::size_t end) {
    at = note(n, at, end);
    if (at == kNone) return false;
    std::size_t wordEnd = at;
    while (wordEnd < end && isNameChar(text_[wordEnd])) ++wordEnd;
    const auto kind = nodeKind(text_.substr(at, wordEnd - at));
    if (!kind) return expected(wordEnd == end ? "the rest of the node" : "a node kind", wordEnd == end ? end : at);
    constexpr std::string_view kTarget = "[target=";
    if (text_.substr(wordEnd, kTarget.size()) != kTarget) return expected("\"[target=\"", wordEnd);
    std::size_t close = wordEnd + 1;
    for (int depth = 1; close < end; ++close) {
        if (text_[close] == '[') ++depth;
        if (text_[close] == ']' && --depth == 0) break;
    }
    if (close >= end) return expected("\"]\"", end);
    std::string_view target = text_.substr(wordEnd + kTarget.size(), close - wordEnd - kTarget.size());
    n.kind = *kind;
    // As Python code names it; the printer of graph text puts the module back.
    if (n.kind == NodeKind::CallFunction && target.starts_with("builtins.")) target.remove_prefix(9);
    n.target = Name(target);
    at = close + 1;
    if (n.kind == NodeKind::CallFunction) n.op = canonicalOp(target);
    if (n.kind == NodeKind::CallMethod) n.op = Name("method::" + std::string(target));
    if (n.kind == NodeKind::CallModule) n.op = Name("module::" + std::string(target));
    if (n.isCall()) {
        values_.readCall(n, at, end);
        return !values_.error();
    }
    constexpr std::string_view kDefault = "(default=";
    if (n.kind == NodeKind::Placeholder && text_.substr(at, kDefault.size()) == kDefault) {
        const std::string_view rest = trimmed(text_.substr(at, end - at));
        if (rest.back() != ')') return expected("\")\"", end);
        n.args.push_back(values_.readValue(at + kDefault.size(), at + rest.size() - 1));
        return !values_.error();
    }
    return true;
}

std::size_t GraphTextReader::returned(std::size_t begin) {
    const std::size_t word = begin + indentOf(lineAt(begin)), lineEnd = reporter_.source().lineEnd(begin);
    if (first_) builder_.graph.style.graphIndent = std::string(word - begin, ' ');
    if (trimmed(text_.substr(word + 6, lineEnd - word - 6)).empty()) {
        builder_.setOutput(std::nullopt, word, lineEnd);
        return lineEnd + 1;
    }
    PyLexer lexer(text_, word + 6, text_.size());
    PyExpr expr(lexer, builder_, builder_.limits());
    expr.percentUses = true;
    builder_.graph.style.percentReturn = lexer.token().is("%");
    Value v = expr.toValue(expr.parse(true));
    const PyToken& t = lexer.token();
    if (!expr.error() && t.kind != PyToken::Kind::LineEnd && t.kind != PyToken::Kind::TextEnd && t.kind != PyToken::Kind::Comment)
        expr.fail("the end of the returned value", t.begin);
    if (!expr.error()) {
        builder_.setOutput(std::move(v), word, lexer.lastEnd());
        return reporter_.source().lineEnd(lexer.lastEnd()) + 1;
    }
    reporter_.report(*expr.error(), " in the returned value", "output"_n);
    builder_.setUnparsedOutput(word, lineEnd, builder_.graph.style.percentReturn);
    return lineEnd + 1;
}

/// A graph printed in the middle of this one belongs to the node before it when that is a get_attr.
std::size_t GraphTextReader::nested(std::size_t begin) {
    GraphTextReader inner(reporter_, builder_.ops(), builder_.limits(), depth_ - 1);
    const std::size_t end = inner.read(begin, builder_.graph.style.graphIndent.size());
    const std::size_t limit = builder_.limits().subGraphs, known = builder_.graph.subGraphs().size();
    if (builder_.graph[last_].kind != NodeKind::GetAttr) return std::max(end, begin + 1);
    if (known < limit)
        builder_.graph.addSubGraph(builder_.graph[last_].target, std::move(inner.graph()));
    else if (!std::exchange(tooMany_, true))
        reporter_.report(limitPassed("sub-graphs of a graph", limit), begin);
    return std::max(end, begin + 1);
}

/// A fragment states the users in the graph that it was cut from.
void GraphTextReader::checkUsers() {
    if (!builder_.graph.style.graphHeader) return;
    for (const StatedUsers& s : users_) {
        const Node& n = builder_.graph[s.node];
        if (n.users.size() == s.count) continue;
        Diagnostic d = warning("R018", {{"got", std::to_string(s.count)}, {"want", std::to_string(n.users.size())}});
        d.node = n.name;
        reporter_.report(std::move(d), s.at);
    }
}

/// Bodies of loops in Inductor's IR: a placeholder `ops` whose methods make everything.
bool isLoopBody(const Graph& g) {
    NodeId first = g.first();
    while (first && (g[first].flags & FlagGhost)) first = g[first].next;
    return first && g[first].kind == NodeKind::Placeholder && g[first].name == "ops";
}

}  // namespace

std::size_t readGraphText(const SourceText& source, std::size_t begin, const OpRegistry& ops, const ReadOptions& options, std::optional<Unit>& unit) {
    Reporter reporter(source, options.limits.diagnosticsPerUnit);
    GraphTextReader reader(reporter, ops, options.limits, options.limits.classDepth);
    const std::size_t end = reader.read(begin, std::nullopt);
    unit.reset();
    if (reader.graph().size() == 0 || isLoopBody(reader.graph())) return end;
    unit.emplace();
    const std::string_view line = source.text().substr(begin, source.lineEnd(begin) - begin);
    const std::string_view words = trimmed(line.substr(0, std::min(graphHeaderAt(line), std::size_t(80))));
    unit->label = words.empty() || graphHeaderAt(line) == kNone ? "graph" : std::string(words);
    unit->form = GraphForm::GraphText;
    unit->graph = std::move(reader.graph());
    unit->spanBegin = begin;
    unit->spanEnd = end;
    unit->firstLine = source.place(begin).first;
    unit->diagnostics = reporter.take();
    return end;
}

}  // namespace aliascope
