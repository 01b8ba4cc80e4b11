#pragma once
// Expressions of dialect P (formats.md 5.4), parsed straight into values and calls: no syntax tree is built. A call inside an argument becomes a
// node of its own through the scope.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/graph.h"
#include "core/text/python_lexer.h"
#include "core/text/source_text.h"

namespace aliascope {

struct ReadLimits;

/// A binary operator of Python: its token, how tightly it binds, and the function of the operator module that it calls.
struct PyBinary {
    std::string_view token;
    int level = 0;
    std::string_view function;
};

/// What the parser must know of the names around it.
class PyScope {
public:
    virtual ~PyScope() = default;
    /// What a name stands for: a node, or the constant that it was bound to; null when unknown.
    virtual const Value* lookup(std::string_view name) = 0;
    /// Value of a name that nothing defines and that means nothing in Python: a symbol, or a ghost.
    virtual Value undefined(std::string_view name, std::size_t at) = 0;
    /// Makes a node for a call inside an argument; nothing if that is not allowed here.
    virtual std::optional<Value> makeNode(Node call, std::size_t begin, std::size_t end) = 0;
};

/// An expression that was parsed.
struct PyOperand {
    enum class Kind : std::uint8_t {
        Value,
        Path,      ///< a dotted name that no node starts: `torch.ops.aten.add.Tensor`
        SelfPath,  ///< `self.a.b`; `path` is `a.b`
        Call,      ///< a node without name
    };
    Kind kind = Kind::Value;
    aliascope::Value value;
    std::string path;
    std::unique_ptr<Node> call;
    std::size_t begin = 0, end = 0;  ///< place in the text
};

class PyExpr {
public:
    PyExpr(PyLexer& lexer, PyScope& scope, const ReadLimits& limits) : lex_(lexer), scope_(scope), limits_(limits) {}

    /// One expression; `a, b` at the top makes a tuple when `allowTuple`. Check error() afterwards.
    PyOperand parse(bool allowTuple = false);
    /// Arguments up to the closing bracket, which is taken.
    void parseArguments(std::vector<Value>& args, std::vector<Keyword>& kwargs, std::string_view close);
    /// As a plain value; calls become nodes of the scope.
    Value toValue(PyOperand operand);

    const std::optional<ReadError>& error() const { return error_; }
    /// `want` is no std::string: one in the frame of every bracket would cost stack.
    void fail(std::string_view want, std::size_t at) {
        if (!error_) error_ = ReadError{std::string(want), at};
    }

    /// Graph text: a `%` before a name is a use (formats.md 4.1, return line).
    bool percentUses = false;

private:
    class Nesting;

    PyOperand binary(int lowest);
    PyOperand unary();
    PyOperand power();
    PyOperand postfix();
    PyOperand atom();
    PyOperand name();
    PyOperand bracketed();
    PyOperand dictOrSet();
    PyOperand stringAtom();
    PyOperand attribute(PyOperand base);
    PyOperand callOf(PyOperand callee);
    PyOperand getattrOf(std::size_t begin);
    PyOperand subscript(PyOperand base);
    PyOperand sliceItem();
    PyOperand combine(const PyBinary& op, PyOperand left, PyOperand right);
    PyOperand asValue(PyOperand operand);
    PyOperand reprAtom();
    PyOperand operation(std::string_view function, std::vector<Value> args, std::size_t begin);
    PyOperand constantText(std::size_t begin, std::size_t end);
    Value pathValue(std::string_view path, std::size_t at);
    bool expect(std::string_view op);
    std::string_view textFrom(std::size_t begin) const { return lex_.text().substr(begin, lex_.lastEnd() - begin); }

    PyLexer& lex_;
    PyScope& scope_;
    const ReadLimits& limits_;
    std::uint32_t depth_ = 0;
    std::optional<ReadError> error_;
};

/// Whether a use stands somewhere in `v`.
bool usesNodes(const Value& v);

}  // namespace aliascope
