#include "core/text/readable_body.h"

#include <algorithm>

#include "core/text/line_kinds.h"
#include "core/text/literals.h"
#include "core/text/provenance.h"
#include "core/text/python_syntax.h"

namespace aliascope {
namespace {

constexpr std::string_view kFlatten = "fx_pytree.tree_flatten_spec(", kUnflatten = "pytree.tree_unflatten(", kLeaves = "pytree.tree_leaves(",
                           kShuffle = "self._in_shuffle_graph(";

bool endsStatement(const PyToken& t) {
    return t.kind == PyToken::Kind::LineEnd || t.kind == PyToken::Kind::TextEnd || t.kind == PyToken::Kind::Comment || t.is(";");
}

/// `# descriptor` behind `at`, up to the line's end.
std::string_view trailingComment(std::string_view text, std::size_t at) {
    std::string_view rest = text.substr(at, text.find('\n', at) - at);
    if (trimmed(rest).starts_with(",")) rest = rest.substr(rest.find(',') + 1);
    rest = trimmed(rest);
    return rest.starts_with("#") ? trimmed(rest.substr(1)) : std::string_view();
}

/// Whether some value dies before the graph ends: then a text with delete lists has at least one.
bool expectsDeletes(const Graph& g) {
    std::vector<bool> seen(g.idBound());
    for (NodeId id = g.last(); id; id = g[id].prev) {
        if (g[id].kind == NodeKind::Placeholder) continue;
        for (const NodeId operand : g.operands(id)) {
            if (!seen[operand.value] && g[id].kind != NodeKind::Output) return true;
            seen[operand.value] = true;
        }
    }
    return false;
}

}  // namespace

/// One logical line while it is being read.
struct ReadableBody::Statement {
    Statement(std::string_view text, std::size_t begin, std::size_t end, GraphBuilder& b)
        : begin(begin), lexer(text, begin, end), expr(lexer, b, b.limits()) {}

    bool fail(std::string want) {
        expr.fail(std::move(want), lexer.token().begin);
        return false;
    }
    std::size_t begin;
    PyLexer lexer;
    PyExpr expr;
    std::string_view name;  // left side of the assignment at hand
    std::string_view annotation;
    bool first = true;            // before the first `;`
    NodeId made;                  // the node that this line made
    std::optional<Node> inPlace;  // `x += y` or `x[i] = v`, waiting for `name = x`
    Value inPlaceTarget;
};

std::size_t ReadableBody::read(std::size_t at, std::size_t end, int defIndent) {
    for (bool firstLine = true; at < end; firstLine = false) {
        const std::string_view line = lineAt(at);
        const std::string_view content = trimmed(line);
        if (content.empty()) {
            if (!sawBlank_) style().paddedBlanks = !line.empty();
            sawBlank_ = lastBlank_ = true;
            at += line.size() + 1;
            continue;
        }
        const int indent = static_cast<int>(indentOf(line));
        if (indent <= defIndent) break;
        if (!firstLine && done_) {
            at += line.size() + 1;
            continue;
        }
        if (content[0] == '#') {
            comment(line);
            at += line.size() + 1;
        } else if (content.starts_with("\"\"\"")) {
            at = metadataBlock(at, end);
        } else {
            if (bodyIndent_ < 0) {
                bodyIndent_ = indent;
                style().bodyIndent = std::string(static_cast<std::size_t>(indent), ' ');
            }
            at = logicalLine(at + static_cast<std::size_t>(indent), end);
        }
        lastBlank_ = false;
    }
    makePlaceholders();
    settleStyle();
    return std::min(at, text_.size());
}

void ReadableBody::comment(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (!isProvenance(text)) {
        verbatim_ += std::string(line) + "\n";
        return;
    }
    provenance_ = builder_.provenanceOf(text);
    if (!sawComment_) {
        const int extra = bodyIndent_ >= 0 ? static_cast<int>(indentOf(line)) - bodyIndent_ : static_cast<int>(indentOf(line)) % 4;
        style().commentIndent = std::clamp(extra, 0, 8);
    }
    sawComment_ = true;
    if (bodyStarted_ && !blankDecided_) {
        style().blankBeforeComment = lastBlank_;
        blankDecided_ = true;
    }
}

/// `"""`, lines of node metadata, `"""`: kept as it stands.
std::size_t ReadableBody::metadataBlock(std::size_t at, std::size_t end) {
    const std::size_t open = text_.find("\"\"\"", at);
    const std::size_t close = text_.substr(0, end).find("\"\"\"", open + 3);
    const std::size_t stop = close == std::string_view::npos ? source_.lineEnd(at) : source_.lineEnd(close);
    verbatim_ += std::string(text_.substr(at, stop - at)) + "\n";
    return stop + 1;
}

/// Where to go on after a statement that could not be read: the next line that may start one.
std::size_t ReadableBody::recover(std::size_t begin, std::size_t end) const {
    std::size_t at = source_.lineEnd(begin) + 1;
    while (at < end) {
        const std::string_view line = lineAt(at);
        const std::string_view content = trimmed(line);
        const bool starts = !content.empty() && (isNameStart(content[0]) || content[0] == '#' || content[0] == '"');
        if (starts && static_cast<int>(indentOf(line)) <= std::max(bodyIndent_, 0)) break;
        at += line.size() + 1;
    }
    return std::min(at, end);
}

std::size_t ReadableBody::logicalLine(std::size_t at, std::size_t end) {
    Statement s(text_, at, end, builder_);
    if (source_.lineEnd(at) - at > builder_.limits().lineBytes) {
        builder_.reporter().report(limitPassed("length of a line", builder_.limits().lineBytes), at);
        if (s.lexer.token().kind == PyToken::Kind::Name) builder_.defineUnparsed(s.lexer.token().text, at, at + 256, false);
        return source_.lineEnd(at) + 1;
    }
    bool ok = true;
    while (ok && !done_) {
        s.name = s.annotation = {};
        ok = statement(s);
        if (!ok || !s.lexer.token().is(";")) break;
        s.lexer.take();
        s.first = false;
        if (endsStatement(s.lexer.token())) break;
    }
    if (ok && s.inPlace) finishInPlace(s);
    const PyToken& t = s.lexer.token();
    if (ok && !endsStatement(t)) ok = s.fail("the end of the statement");
    if (ok) return std::max(source_.lineEnd(s.lexer.lastEnd()) + 1, at + 1);
    const std::size_t next = recover(at, end);
    builder_.reporter().report(*s.expr.error(), {}, Name(s.name));
    // A node that was made before the mistake (in a delete list, say) is whole.
    if (!s.made && !s.name.empty() && !done_) {
        makePlaceholders();
        builder_.defineUnparsed(s.name, at, std::max(next, at + 1) - (next < text_.size() ? 1 : 0), false);
        bodyStarted_ = true;
    }
    return std::max(next, at + 1);
}

bool ReadableBody::statement(Statement& s) {
    const PyToken t = s.lexer.token();
    if (t.kind != PyToken::Kind::Name) return expression(s);
    if (t.text == "return") return returned(s);
    if (t.text == "pass" || t.text == "import" || t.text == "from") {
        skipLine(s);
        return true;
    }
    return named(s);
}

/// A statement that starts with a name.
bool ReadableBody::named(Statement& s) {
    const PyToken t = s.lexer.token(), next = s.lexer.peek();
    if (t.text.starts_with("_rf") && (next.is("=") || next.is("."))) {
        skipLine(s);
        return true;
    }
    if (next.is("=")) {
        s.name = t.text;
        s.lexer.take();
        s.lexer.take();
        return assignment(s);
    }
    if (next.is(",")) return unpacking(s);
    if (next.is(":")) {
        s.name = t.text;
        s.lexer.take();
        s.lexer.take();
        s.annotation = annotation(s);
        if (s.expr.error()) return false;
        if (s.lexer.token().is(",")) return unpacking(s);
        if (s.lexer.token().is("=")) {
            s.lexer.take();
            return assignment(s);
        }
        declared_[t.text] = {s.annotation, trailingComment(text_, s.lexer.lastEnd())};
        s.name = {};
        return true;
    }
    if (next.is(".") && (text_.substr(next.end()).starts_with("clear()") || text_.substr(t.begin).starts_with("torch.fx.wrap("))) {
        skipLine(s);
        return true;
    }
    return expression(s);
}

/// An annotation, quoted or not, behind its colon.
std::string_view ReadableBody::annotation(Statement& s) {
    const PyToken t = s.lexer.token();
    if (t.kind == PyToken::Kind::String) {
        s.lexer.take();
        return t.text.substr(1, t.text.size() - 2);
    }
    int depth = 0;
    while (!endsStatement(s.lexer.token()) && s.lexer.token().kind != PyToken::Kind::Bad) {
        const PyToken& u = s.lexer.token();
        if (depth == 0 && (u.is("=") || u.is(",") || u.is(")"))) break;
        if (u.is("(") || u.is("[")) ++depth;
        if (u.is(")") || u.is("]")) --depth;
        s.lexer.take();
    }
    if (s.lexer.lastEnd() <= t.begin) s.fail("an annotation");
    style().unquotedAnnotations = true;
    return s.lexer.lastEnd() > t.begin ? text_.substr(t.begin, s.lexer.lastEnd() - t.begin) : std::string_view();
}

/// Behind `NAME =` or `NAME: ann =`.
bool ReadableBody::assignment(Statement& s) {
    const PyToken t = s.lexer.token();
    if (t.kind == PyToken::Kind::Name && s.annotation.empty()) {
        const PyToken next = s.lexer.peek();
        if (t.text == "None" ? endsStatement(next) : next.is("=")) return deleteList(s);
        if (endsStatement(next) && rebinds(s, t)) return true;
        // A delete list that the end of the text cuts off says nothing.
        if (!s.first && !s.inPlace && next.kind == PyToken::Kind::TextEnd) return s.fail("None");
    }
    if (!s.first && !s.inPlace && t.kind == PyToken::Kind::TextEnd) return s.fail("None");
    if (t.kind == PyToken::Kind::Name && plumbing(s, text_.substr(t.begin))) return true;
    makePlaceholders();
    PyOperand operand = s.expr.parse();
    if (s.expr.error()) return false;
    return define(s, std::move(operand));
}

/// `l_x_ = L_x_`: the node of parameter L_x_ is called l_x_.
bool ReadableBody::rebinds(Statement& s, const PyToken& right) {
    if (!placeholdersMade_) {
        if (parameterAt_.empty())
            for (std::size_t i = 0; i < parameters_.size(); ++i) parameterAt_.try_emplace(parameters_[i].name, i);
        const auto p = parameterAt_.find(right.text);
        if (p == parameterAt_.end() || !parameters_[p->second].nodeName.empty()) return false;
        parameters_[p->second].nodeName = s.name;
        s.lexer.take();
        return true;
    }
    const Value* v = builder_.lookup(right.text);
    if (!v || !v->isNode() || s.inPlace) return false;
    const Node& n = graph()[v->asNode()];
    if (n.kind != NodeKind::Placeholder || n.target != right.text || n.name != n.target || graph().hasUsers(n.id)) return false;
    graph().rename(n.id, s.name);
    builder_.bind(s.name, *v);
    s.lexer.take();
    return true;
}

bool ReadableBody::deleteList(Statement& s) {
    std::vector<std::string_view> names = {s.name};
    while (s.lexer.token().kind == PyToken::Kind::Name && s.lexer.peek().is("=")) {
        names.push_back(s.lexer.take().text);
        s.lexer.take();
    }
    if (!s.lexer.token().isName("None")) return s.fail("None");
    s.lexer.take();
    if (s.inPlace) finishInPlace(s);
    for (const std::string_view name : names) {
        const Value* v = builder_.lookup(name);
        if (v && v->isNode() && v->asNode() == s.made) deletedItself_.insert(s.made);
        builder_.markDeleted(name);
    }
    sawDelete_ = true;
    return true;
}

/// Right sides that move parameters about and make no node.
bool ReadableBody::plumbing(Statement& s, std::string_view rest) {
    if (rest.starts_with("iter(")) {
        style().signature = PrintStyle::Signature::Boxed;
        for (const Parameter& p : parameters_) style().parameters.push_back(p.text);
        parameters_.clear();
        iterator_ = s.name;
        skipLine(s);
        return true;
    }
    if (!iterator_.empty() && rest.starts_with("next(")) {
        Parameter p;
        p.name = s.name;
        p.target = std::string(s.name);
        p.annotation = s.annotation;
        p.at = s.begin;
        parameters_.push_back(std::move(p));
        skipLine(s);
        return true;
    }
    return false;
}

/// `a, b, = …`; each name may carry an annotation.
bool ReadableBody::unpacking(Statement& s) {
    std::vector<Parameter> targets;
    const auto push = [&](std::string_view name, std::string_view ann) {
        Parameter p;
        p.name = name;
        p.target = std::string(name);
        p.annotation = ann;
        p.at = s.begin;
        targets.push_back(std::move(p));
    };
    if (!s.annotation.empty()) push(s.name, s.annotation);
    while (!s.expr.error() && !s.lexer.token().is("=")) {
        if (s.lexer.token().is(",")) {
            s.lexer.take();
            continue;
        }
        if (s.lexer.token().kind != PyToken::Kind::Name) return s.fail("a name or \"=\"");
        const std::string_view name = s.lexer.take().text;
        std::string_view ann;
        if (s.lexer.token().is(":")) {
            s.lexer.take();
            ann = annotation(s);
        }
        push(name, ann);
    }
    s.name = {};
    if (s.expr.error()) return false;
    s.lexer.take();
    const std::string_view rest = text_.substr(s.lexer.token().begin);
    if (rest.starts_with(kFlatten) || rest.starts_with(kLeaves) || rest.starts_with(kShuffle)) {
        for (Parameter& p : targets) {
            const auto it = declared_.find(p.name);
            if (it == declared_.end()) continue;
            p.annotation = it->second.annotation;
            p.descriptor = it->second.descriptor;
        }
        unpackedInputs(s, rest);
        parameters_ = std::move(targets);
        parameterAt_.clear();
        return !s.expr.error();
    }
    makePlaceholders();
    const Value whole = s.expr.toValue(s.expr.parse(true));
    if (s.expr.error()) return false;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        Node n;
        n.target = "operator.getitem"_n;
        n.op = "operator::getitem"_n;
        n.args = {whole, Value::integer(static_cast<std::int64_t>(i))};
        n.flags = FlagSynthetic;
        s.name = targets[i].name;
        s.annotation = targets[i].annotation;
        defineNode(s, std::move(n));
    }
    return true;
}

/// `fx_pytree.tree_flatten_spec(([p], {}), self._in_spec)`: what stands in the brackets is kept for printing.
void ReadableBody::unpackedInputs(Statement& s, std::string_view rest) {
    if (style().parameters.empty())
        for (const Parameter& p : parameters_) style().parameters.push_back(p.text);
    style().linePerParameter = style().signature == PrintStyle::Signature::Expanded;
    style().signature = PrintStyle::Signature::Pytree;
    const std::size_t begin = s.lexer.token().begin;
    while (!s.lexer.token().is("(") && !endsStatement(s.lexer.token())) s.lexer.take();
    int depth = 0;
    do {
        if (s.lexer.token().is("(") || s.lexer.token().is("[") || s.lexer.token().is("{")) ++depth;
        if (s.lexer.token().is(")") || s.lexer.token().is("]") || s.lexer.token().is("}")) --depth;
        if (s.lexer.token().kind == PyToken::Kind::TextEnd || s.lexer.token().kind == PyToken::Kind::Bad) {
            s.fail("\")\"");
            return;
        }
        s.lexer.take();
    } while (depth > 0);
    if (rest.starts_with(kFlatten))
        style().flattenSpec = std::string(text_.substr(begin + kFlatten.size(), s.lexer.lastEnd() - begin - kFlatten.size() - 1));
}

void ReadableBody::makePlaceholders() {
    if (placeholdersMade_) return;
    placeholdersMade_ = true;
    for (Parameter& p : parameters_) {
        if (builder_.full(p.at)) break;
        Node n;
        n.kind = NodeKind::Placeholder;
        n.target = Name(p.target);
        if (p.defaultValue) n.args.push_back(std::move(*p.defaultValue));
        if (!p.annotation.empty()) builder_.annotate(n, p.annotation);
        if (!p.descriptor.empty()) n.meta.emplace_back("descriptor"_n, Value::string(Name(p.descriptor)));
        n.spanBegin = p.at;
        n.spanEnd = p.at + p.name.size();
        const NodeId id = builder_.define(std::move(n), p.nodeName.empty() ? p.name : p.nodeName, p.at);
        if (!p.nodeName.empty() && !builder_.defined(p.name)) builder_.bind(p.name, Value::node(id));
        bodyStarted_ = bodyStarted_ || !p.nodeName.empty();
    }
}

/// Expression statements, `x += y`, `x[i] = v`.
bool ReadableBody::expression(Statement& s) {
    makePlaceholders();
    PyOperand left = s.expr.parse();
    if (s.expr.error()) return false;
    const PyToken t = s.lexer.token();
    const std::string_view function = t.kind == PyToken::Kind::Op ? inPlaceFunction(t.text) : std::string_view();
    if (function.empty() && !t.is("=")) {
        if (left.kind != PyOperand::Kind::Call) return endsStatement(t) ? true : s.fail("\"=\"");
        s.expr.toValue(std::move(left));
        return !s.expr.error();
    }
    s.lexer.take();
    Node n;
    if (!function.empty()) {
        n.target = Name(function);
        n.args.push_back(s.expr.toValue(std::move(left)));
    } else if (left.kind == PyOperand::Kind::Call && left.call->op == "operator::getitem") {
        n.target = "operator.setitem"_n;
        n.args = std::move(left.call->args);
    } else {
        return s.fail("a name, or an element of a value, before \"=\"");
    }
    n.op = canonicalOp(n.target.view());
    n.args.push_back(s.expr.toValue(s.expr.parse(true)));
    if (s.expr.error()) return false;
    s.inPlaceTarget = n.args[0];
    s.inPlace = std::move(n);
    return true;
}

/// `x += y` without a name for its result.
void ReadableBody::finishInPlace(Statement& s) {
    if (auto made = builder_.makeNode(std::move(*s.inPlace), s.begin, s.lexer.lastEnd())) {
        s.made = made->asNode();
        graph().edit(s.made).provenance = provenance_;
    }
    s.inPlace.reset();
}

bool ReadableBody::define(Statement& s, PyOperand operand) {
    if (s.inPlace && operand.kind == PyOperand::Kind::Value && operand.value == s.inPlaceTarget) {
        Node n = std::move(*s.inPlace);
        s.inPlace.reset();
        defineNode(s, std::move(n));
        return true;
    }
    switch (operand.kind) {
        case PyOperand::Kind::Call:
            defineNode(s, std::move(*operand.call));
            return true;
        case PyOperand::Kind::SelfPath: {
            Node n;
            n.kind = NodeKind::GetAttr;
            n.target = Name(operand.path);
            defineNode(s, std::move(n));
            return true;
        }
        case PyOperand::Kind::Path:
            return s.fail("\"(\"");
        case PyOperand::Kind::Value:
            builder_.bind(s.name, std::move(operand.value));
            return true;
    }
    return true;
}

void ReadableBody::defineNode(Statement& s, Node n) {
    if (builder_.full(s.begin)) {
        done_ = true;
        return;
    }
    n.provenance = provenance_;
    if (!s.annotation.empty()) builder_.annotate(n, s.annotation);
    n.spanBegin = s.begin;
    n.spanEnd = s.lexer.lastEnd();
    s.made = builder_.define(std::move(n), s.name, s.begin);
    bodyStarted_ = true;
    if (verbatim_.empty()) return;
    style().verbatim.emplace_back(graph()[s.made].name, std::move(verbatim_));
    verbatim_.clear();
}

bool ReadableBody::returned(Statement& s) {
    makePlaceholders();
    s.lexer.take();
    if (endsStatement(s.lexer.token())) {
        builder_.setOutput(std::nullopt, s.begin, s.lexer.lastEnd());
        done_ = true;
        return true;
    }
    const std::size_t begin = s.lexer.token().begin;
    const bool unflatten = text_.substr(begin).starts_with(kUnflatten);
    if (unflatten)
        while (!s.lexer.take().is("(")) {
        }
    Value v = s.expr.toValue(s.expr.parse(!unflatten));
    const std::size_t valueEnd = s.lexer.lastEnd();
    if (unflatten && !s.expr.error()) {
        while (!endsStatement(s.lexer.token()) && s.lexer.token().kind != PyToken::Kind::Bad) s.lexer.take();
        style().unflattenTail = std::string(text_.substr(valueEnd, s.lexer.lastEnd() - valueEnd));
    }
    if (!s.expr.error() && !endsStatement(s.lexer.token())) s.fail("the end of the returned value");
    done_ = true;
    if (s.expr.error()) {
        builder_.reporter().report(*s.expr.error(), " in the returned value", "output"_n);
        builder_.setUnparsedOutput(s.begin, source_.lineEnd(s.begin), false);
        skipLine(s);
        return true;
    }
    builder_.setOutput(std::move(v), s.begin, s.lexer.lastEnd());
    descriptorsOf(begin, valueEnd);
    if (!verbatim_.empty()) style().verbatim.emplace_back("output"_n, std::move(verbatim_));
    return true;
}

/// A return of several lines has a descriptor behind each item.
void ReadableBody::descriptorsOf(std::size_t begin, std::size_t end) {
    std::size_t at = source_.lineEnd(begin) + 1;
    while (at < end) {
        const std::string_view line = lineAt(at);
        const std::string_view content = trimmed(line);
        if (!content.empty() && content[0] != ')' && content[0] != ']') {
            const std::size_t mark = line.find("# ");
            style().outputDescriptors.emplace_back(mark == std::string_view::npos ? std::string_view() : trimmed(line.substr(mark + 2)));
        }
        at += line.size() + 1;
    }
}

/// Passes over what is left of the physical line.
void ReadableBody::skipLine(Statement& s) {
    while (s.lexer.token().kind != PyToken::Kind::LineEnd && s.lexer.token().kind != PyToken::Kind::TextEnd) s.lexer.take();
    s.name = {};
}

void ReadableBody::settleStyle() {
    style().comments = sawComment_ || graph().size() <= parameters_.size() + 1;
    style().deleteLists = sawDelete_ || !expectsDeletes(graph());
    if (!style().deleteLists) return;
    for (const NodeId id : inOrder(graph())) {
        const Node& n = graph()[id];
        if (n.kind == NodeKind::Placeholder || n.kind == NodeKind::Output || graph().hasUsers(id) || (n.flags & FlagUnparsed)) continue;
        style().deleteUnused = deletedItself_.contains(id);
        return;
    }
}

}  // namespace aliascope
