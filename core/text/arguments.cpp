#include "core/text/arguments.h"

#include "core/text/document.h"
#include "core/text/literals.h"
#include "core/text/print.h"
#include "core/text/python_expr.h"
#include "core/text/source_text.h"

namespace aliascope {
namespace {

/// Names are nodes of the graph; nothing is added to it.
class GraphScope : public PyScope {
public:
    explicit GraphScope(const Graph& g) : g_(g) {}

    const Value* lookup(std::string_view name) override {
        const NodeId id = g_.find(Name(name));
        if (!id) return nullptr;
        found_ = Value::node(id);
        return &found_;
    }
    Value undefined(std::string_view name, std::size_t) override { return Value::sym(SymInt::symbol(Name(name))); }
    std::optional<Value> makeNode(Node, std::size_t, std::size_t) override { return std::nullopt; }

private:
    const Graph& g_;
    Value found_;
};

void appendKeyword(std::string& out, const Graph& g, const Keyword& k) {
    if (isIdentifier(k.first.view())) {
        out += k.first.view();
        out += " = ";
        printValue(out, g, k.second, Dialect::Exact);
        return;
    }
    out += "**{";
    appendPythonString(out, k.first.view());
    out += ": ";
    printValue(out, g, k.second, Dialect::Exact);
    out += '}';
}

}  // namespace

std::string printArguments(const Graph& g, const Node& node) {
    std::string out = "(";
    for (const Value& v : node.args) {
        if (out.size() > 1) out += ", ";
        printValue(out, g, v, Dialect::Exact);
    }
    for (const Keyword& k : node.kwargs) {
        if (out.size() > 1) out += ", ";
        appendKeyword(out, g, k);
    }
    return out + ")";
}

Result<Call> parseArguments(std::string_view text, const Graph& g) {
    constexpr std::uint32_t depth = 1000;  // what is written may be nested as deep as any reader allows, and hold any string
    ReadLimits limits;
    limits.valueDepth = depth + 1;
    limits.stringBytes = text.size();
    GraphScope scope(g);
    PyLexer lexer(text, 0, text.size());
    PyExpr expr(lexer, scope, limits);
    Call call;
    if (lexer.token().is("(")) {
        lexer.take();
        expr.parseArguments(call.args, call.kwargs, ")");
    } else {
        expr.fail("\"(\"", lexer.token().begin);
    }
    if (!expr.error() && lexer.token().kind != PyToken::Kind::TextEnd) expr.fail("the end of the arguments", lexer.token().begin);
    if (!expr.error()) return call;
    const ReadError& e = *expr.error();
    Diagnostic d = e.limit ? limitPassed(e.want, depth) : userError("R014", {{"want", e.want}, {"got", std::string(text.substr(e.at, 30))}});
    d.line = 1;
    d.column = static_cast<std::uint32_t>(e.at + 1);
    return fail(std::move(d));
}

}  // namespace aliascope
