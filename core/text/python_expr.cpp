#include "core/text/python_expr.h"

#include <algorithm>
#include <array>

#include "core/ir/op_registry.h"
#include "core/text/document.h"
#include "core/text/literals.h"
#include "core/text/python_calls.h"
#include "core/text/value_spelling.h"

namespace aliascope {
namespace {

constexpr int kLowest = 1, kNot = 3, kUnary = 11;

constexpr std::array<PyBinary, 21> kBinary = {{{"or", 1, ""},
                                               {"and", 2, ""},
                                               {"==", 4, "operator.eq"},
                                               {"!=", 4, "operator.ne"},
                                               {"<", 4, "operator.lt"},
                                               {">", 4, "operator.gt"},
                                               {"<=", 4, "operator.le"},
                                               {">=", 4, "operator.ge"},
                                               {"is", 4, "operator.is_"},
                                               {"in", 4, "operator.contains"},
                                               {"|", 5, "operator.or_"},
                                               {"^", 6, "operator.xor"},
                                               {"&", 7, "operator.and_"},
                                               {"<<", 8, "operator.lshift"},
                                               {">>", 8, "operator.rshift"},
                                               {"+", 9, "operator.add"},
                                               {"-", 9, "operator.sub"},
                                               {"*", 10, "operator.mul"},
                                               {"@", 10, "operator.matmul"},
                                               {"/", 10, "operator.truediv"},
                                               {"//", 10, "operator.floordiv"}}};
constexpr PyBinary kModulo = {"%", 10, "operator.mod"};

const PyBinary* binaryOperator(const PyToken& t) {
    if (t.kind != PyToken::Kind::Op && t.kind != PyToken::Kind::Name) return nullptr;
    if (t.kind == PyToken::Kind::Name && t.text.size() > 3) return nullptr;
    // Most tokens are brackets and commas.
    if (t.kind == PyToken::Kind::Op && std::string_view("=!<>|^&+-*@/%").find(t.text[0]) == std::string_view::npos) return nullptr;
    if (t.is("=")) return nullptr;
    if (t.text == kModulo.token) return &kModulo;
    const auto it = std::find_if(kBinary.begin(), kBinary.end(), [&](const PyBinary& b) { return b.token == t.text; });
    return it == kBinary.end() ? nullptr : &*it;
}

bool startsOperand(const PyToken& t) {
    return t.kind == PyToken::Kind::Name || t.kind == PyToken::Kind::Number || t.kind == PyToken::Kind::String ||
           (t.kind == PyToken::Kind::Op && std::string_view("([{-+~<%").find(t.text[0]) != std::string_view::npos) || t.is("...");
}

bool isNodeLike(const PyOperand& o) {
    return o.kind == PyOperand::Kind::Call || o.kind == PyOperand::Kind::SelfPath ||
           (o.kind == PyOperand::Kind::Value && (o.value.isContainer() || o.value.isNode()));
}

PyOperand valueOperand(Value v, std::size_t begin, std::size_t end) {
    PyOperand o;
    o.value = std::move(v);
    o.begin = begin;
    o.end = end;
    return o;
}

}  // namespace

bool usesNodes(const Value& v) {
    if (v.isNode()) return true;
    return v.isContainer() && std::any_of(v.items().begin(), v.items().end(), usesNodes);
}

/// One level of brackets, signs or powers; beyond the limit the parser stops instead of using up the stack.
class PyExpr::Nesting {
public:
    explicit Nesting(PyExpr& e) : e_(e) {
        if (++e_.depth_ <= e_.limits_.valueDepth || e_.error_) return;
        e_.error_ = ReadError{"nesting of values", e_.lex_.token().begin, e_.limits_.valueDepth};
    }
    ~Nesting() { --e_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    PyExpr& e_;
};

bool PyExpr::expect(std::string_view op) {
    if (error_) return false;
    if (lex_.token().is(op)) {
        lex_.take();
        return true;
    }
    fail("\"" + std::string(op) + "\"", lex_.token().begin);
    return false;
}

PyOperand PyExpr::parse(bool allowTuple) {
    const std::size_t begin = lex_.token().begin;
    PyOperand first = binary(kLowest);
    if (!allowTuple || error_ || !lex_.token().is(",")) return first;
    std::vector<Value> items;
    items.push_back(toValue(std::move(first)));
    while (!error_ && lex_.token().is(",")) {
        lex_.take();
        if (!startsOperand(lex_.token())) break;
        items.push_back(toValue(binary(kLowest)));
    }
    return valueOperand(Value::tuple(std::move(items)), begin, lex_.lastEnd());
}

PyOperand PyExpr::binary(int lowest) {
    PyOperand left = unary();
    bool pendingConstant = false;  // a chain of constants is read as one text at its end: `s0*s1 + 1`
    const auto settle = [&] {
        if (pendingConstant) left = constantText(left.begin, left.end);
        pendingConstant = false;
    };
    while (!error_) {
        const PyBinary* op = binaryOperator(lex_.token());
        if (!op || op->level < lowest) break;
        lex_.take();
        PyOperand right = binary(op->level + 1);
        if (error_) break;
        left = asValue(std::move(left));
        right = asValue(std::move(right));
        if (!isNodeLike(left) && !isNodeLike(right)) {
            left.end = right.end;
            pendingConstant = true;
            continue;
        }
        settle();
        left = combine(*op, std::move(left), std::move(right));
    }
    if (!error_) settle();
    return left;
}

PyOperand PyExpr::combine(const PyBinary& op, PyOperand left, PyOperand right) {
    const std::size_t begin = left.begin;
    if (op.function.empty()) {
        fail("an operator that works on tensors", left.end);
        return left;
    }
    std::vector<Value> args;
    args.push_back(toValue(std::move(left)));
    args.push_back(toValue(std::move(right)));
    if (op.token == "in") std::swap(args[0], args[1]);
    return operation(op.function, std::move(args), begin);
}

PyOperand PyExpr::unary() {
    const PyToken& t = lex_.token();
    const bool isNot = t.isName("not");
    if (!isNot && !t.is("-") && !t.is("+") && !t.is("~")) return power();
    const Nesting nesting(*this);
    const char sign = t.text[0];
    const std::size_t begin = t.begin;
    lex_.take();
    if (error_) return {};
    PyOperand operand = asValue(isNot ? binary(kNot) : unary());
    if (error_) return operand;
    if (isNodeLike(operand)) {
        std::vector<Value> args;
        args.push_back(toValue(std::move(operand)));
        return operation(isNot         ? "operator.not_"
                         : sign == '-' ? "operator.neg"
                         : sign == '+' ? "operator.pos"
                                       : "operator.invert",
                         std::move(args), begin);
    }
    if (!isNot && sign != '~') {
        if (const auto negative = negated(operand.value)) return valueOperand(sign == '-' ? *negative : operand.value, begin, operand.end);
    }
    return constantText(begin, operand.end);
}

PyOperand PyExpr::power() {
    PyOperand base = postfix();
    if (error_ || !lex_.token().is("**")) return base;
    const Nesting nesting(*this);
    lex_.take();
    if (error_) return base;
    PyOperand exponent = asValue(unary());
    if (error_) return base;
    base = asValue(std::move(base));
    if (!isNodeLike(base) && !isNodeLike(exponent)) return constantText(base.begin, exponent.end);
    return combine({"**", kUnary, "operator.pow"}, std::move(base), std::move(exponent));
}

PyOperand PyExpr::postfix() {
    PyOperand x = atom();
    while (!error_) {
        const PyToken& t = lex_.token();
        if (t.is(".")) {
            x = attribute(std::move(x));
        } else if (t.is("(")) {
            x = callOf(std::move(x));
        } else if (t.is("[")) {
            x = subscript(std::move(x));
        } else {
            break;
        }
    }
    return x;
}

PyOperand PyExpr::atom() {
    const PyToken& t = lex_.token();
    const std::size_t begin = t.begin;
    switch (t.kind) {
        case PyToken::Kind::Name:
            return name();
        case PyToken::Kind::String:
            return stringAtom();
        case PyToken::Kind::Number: {
            const auto v = readNumber(t.text);
            if (!v) {
                fail("a number", begin);
                return {};
            }
            lex_.take();
            return valueOperand(*v, begin, lex_.lastEnd());
        }
        case PyToken::Kind::Op:
            break;
        default:
            fail("an expression", begin);
            return {};
    }
    if (t.is("(") || t.is("[")) return bracketed();
    if (t.is("{")) return dictOrSet();
    if (t.is("...")) {
        lex_.take();
        return valueOperand(Value::ellipsis(), begin, lex_.lastEnd());
    }
    if (t.is("<")) return reprAtom();
    if (t.is("%") && percentUses) {
        lex_.take();
        if (lex_.token().kind == PyToken::Kind::Name) return name();
    }
    fail("an expression", begin);
    return {};
}

PyOperand PyExpr::name() {
    const PyToken t = lex_.take();
    if (const Value* known = scope_.lookup(t.text)) return valueOperand(*known, t.begin, t.end());
    if (t.text == "None") return valueOperand(Value::none(), t.begin, t.end());
    if (t.text == "True" || t.text == "False") return valueOperand(Value::boolean(t.text == "True"), t.begin, t.end());
    PyOperand o;
    o.kind = t.text == "self" ? PyOperand::Kind::SelfPath : PyOperand::Kind::Path;
    if (o.kind == PyOperand::Kind::Path) o.path = t.text;
    o.begin = t.begin;
    o.end = t.end();
    return o;
}

/// Tuple, list, or an expression in brackets.
PyOperand PyExpr::bracketed() {
    const Nesting nesting(*this);
    const PyToken open = lex_.take();
    const bool list = open.text == "[";
    const std::string_view close = list ? "]" : ")";
    std::vector<Value> items;
    bool comma = list;
    while (!error_ && !lex_.token().is(close)) {
        const bool spread = lex_.token().is("*");
        if (spread) lex_.take();
        PyOperand item = binary(kLowest);
        if (error_) break;
        if (!list && !comma && !spread && items.empty() && lex_.token().is(")")) {
            lex_.take();
            item.begin = open.begin;
            item.end = lex_.lastEnd();
            const bool complex = item.kind == PyOperand::Kind::Value && item.value.kind() == Value::Kind::Complex;
            if (complex && isComplexSpelling(textFrom(open.begin))) item.value = Value::named(Value::Kind::Complex, Name(textFrom(open.begin)));
            return item;
        }
        Value v = toValue(std::move(item));
        if (!spread) {
            items.push_back(std::move(v));
        } else if (v.isSequence()) {
            items.insert(items.end(), v.items().begin(), v.items().end());
        } else {
            fail("a list after *", open.begin);
        }
        if (!lex_.token().is(",")) break;
        comma = true;
        lex_.take();
    }
    if (!expect(close)) return {};
    return valueOperand(list ? Value::list(std::move(items)) : Value::tuple(std::move(items)), open.begin, lex_.lastEnd());
}

PyOperand PyExpr::dictOrSet() {
    const Nesting nesting(*this);
    const PyToken open = lex_.take();
    std::vector<Name> keys;
    std::vector<Value> values;
    bool plain = true, anyNode = false;  // plain: every key is a string
    while (!error_ && !lex_.token().is("}")) {
        const std::size_t keyBegin = lex_.token().begin;
        Value key = toValue(binary(kLowest));
        plain = plain && key.kind() == Value::Kind::String && lex_.token().is(":");
        keys.push_back(key.kind() == Value::Kind::String ? key.name() : Name(textFrom(keyBegin)));
        if (!error_ && lex_.token().is(":")) {
            lex_.take();
            values.push_back(toValue(binary(kLowest)));
        } else {
            values.push_back(std::move(key));
        }
        anyNode = anyNode || usesNodes(values.back());
        if (!lex_.token().is(",")) break;
        lex_.take();
    }
    if (!expect("}")) return {};
    // A set, or keys that are no strings: only a text when no use would be lost.
    if (!plain && !anyNode) return valueOperand(Value::named(Value::Kind::Opaque, Name(textFrom(open.begin))), open.begin, lex_.lastEnd());
    return valueOperand(Value::dict(std::move(keys), std::move(values)), open.begin, lex_.lastEnd());
}

PyOperand PyExpr::stringAtom() {
    const std::size_t begin = lex_.token().begin;
    std::string joined;
    bool verbatim = false;
    while (lex_.token().kind == PyToken::Kind::String) {
        const auto part = decodePythonString(lex_.token().text);
        if (joined.size() + (part ? part->size() : lex_.token().text.size()) > limits_.stringBytes) {
            if (!error_) error_ = ReadError{"bytes of a string", begin, limits_.stringBytes};
            return valueOperand(Value(), begin, lex_.lastEnd());
        }
        verbatim = verbatim || !part;
        if (part) joined += *part;
        lex_.take();
    }
    if (verbatim) return valueOperand(Value::named(Value::Kind::Opaque, Name(textFrom(begin))), begin, lex_.lastEnd());
    return valueOperand(Value::string(Name(joined)), begin, lex_.lastEnd());
}

/// `<OpOverload(op='aten.add', overload='Tensor')>` and other texts between angle brackets, as Python's repr of objects writes them.
PyOperand PyExpr::reprAtom() {
    const std::size_t begin = lex_.token().begin;
    const std::string_view text = lex_.text();
    int depth = 0;
    for (std::size_t i = begin; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == '<') ++depth;
        if (text[i] != '>' || --depth > 0) continue;
        lex_.skipTo(i + 1);
        const Name whole(text.substr(begin, i + 1 - begin));
        const bool op = whole.view().substr(0, 11) == "<OpOverload";
        return valueOperand(op ? Value::op(canonicalOp(whole.view())) : Value::named(Value::Kind::Opaque, whole), begin, i + 1);
    }
    fail("\">\"", begin);
    return {};
}

PyOperand PyExpr::attribute(PyOperand base) {
    lex_.take();
    if (lex_.token().kind != PyToken::Kind::Name) {
        fail("a name after \".\"", lex_.token().begin);
        return base;
    }
    const PyToken t = lex_.take();
    base.end = t.end();
    if (base.kind == PyOperand::Kind::Path || base.kind == PyOperand::Kind::SelfPath) {
        if (!base.path.empty()) base.path += '.';
        base.path += t.text;
        return base;
    }
    const std::size_t begin = base.begin;
    std::vector<Value> args;
    args.push_back(toValue(std::move(base)));
    if (!lex_.token().is("(")) {
        args.push_back(Value::string(Name(t.text)));
        return operation("getattr", std::move(args), begin);
    }
    lex_.take();
    PyOperand o;
    o.kind = PyOperand::Kind::Call;
    o.begin = begin;
    o.call = std::make_unique<Node>();
    o.call->kind = NodeKind::CallMethod;
    o.call->target = Name(t.text);
    o.call->op = Name("method::" + std::string(t.text));
    const Nesting nesting(*this);
    parseArguments(args, o.call->kwargs, ")");
    o.call->args = std::move(args);
    o.end = lex_.lastEnd();
    return o;
}

void PyExpr::parseArguments(std::vector<Value>& args, std::vector<Keyword>& kwargs, std::string_view close) {
    while (!error_ && !lex_.token().is(close)) {
        const PyToken t = lex_.token();
        if (t.is("*") || t.is("**")) {
            lex_.take();
            const Value v = toValue(binary(kLowest));
            if (t.text == "*" && v.isSequence()) {
                args.insert(args.end(), v.items().begin(), v.items().end());
            } else if (t.text == "**" && v.kind() == Value::Kind::Dict) {
                for (std::size_t i = 0; i < v.items().size(); ++i) kwargs.emplace_back(v.keys()[i], v.items()[i]);
            } else {
                fail("a list or dict after *", t.begin);
            }
        } else if (t.kind == PyToken::Kind::Name && lex_.peek().is("=")) {
            lex_.take();
            lex_.take();
            kwargs.emplace_back(Name(t.text), toValue(binary(kLowest)));
        } else {
            args.push_back(toValue(binary(kLowest)));
        }
        if (error_) return;
        if (!lex_.token().is(",")) {
            if (lex_.token().is(close)) break;
            return fail("\",\" or \"" + std::string(close) + "\"", lex_.token().begin);
        }
        lex_.take();
    }
    if (lex_.token().kind != PyToken::Kind::TextEnd || !close.empty()) expect(close);
}

PyOperand PyExpr::callOf(PyOperand callee) {
    const Nesting nesting(*this);
    const std::size_t begin = callee.begin, open = lex_.token().begin;
    if (error_) return {};
    if (callee.kind == PyOperand::Kind::Value || callee.kind == PyOperand::Kind::Call) {
        fail("an operator before \"(\"", open);
        return callee;
    }
    lex_.take();
    if (callee.path == "getattr" && callee.kind == PyOperand::Kind::Path) return getattrOf(begin);
    PyOperand o;
    o.kind = PyOperand::Kind::Call;
    o.begin = begin;
    o.call = std::make_unique<Node>();
    parseArguments(o.call->args, o.call->kwargs, ")");
    o.end = lex_.lastEnd();
    if (error_) return o;
    if (callee.kind == PyOperand::Kind::SelfPath) {
        o.call->kind = NodeKind::CallModule;
        o.call->target = Name(callee.path);
        o.call->op = Name("module::" + callee.path);
        return o;
    }
    if (auto value = specialValue(callee.path, o.call->args, o.call->kwargs, textFrom(begin))) return valueOperand(std::move(*value), begin, o.end);
    // Python code says `_operator`, graph text `operator`.
    if (callee.path.starts_with("_operator.")) callee.path.erase(0, 1);
    o.call->target = Name(callee.path);
    o.call->op = canonicalOp(callee.path);
    return o;
}

/// `getattr(self.seq, "0")` is a path, `getattr(x, 'shape')` a call. The bracket is taken already.
PyOperand PyExpr::getattrOf(std::size_t begin) {
    PyOperand object = binary(kLowest);
    if (error_ || object.kind != PyOperand::Kind::SelfPath) {
        std::vector<Value> args;
        std::vector<Keyword> kwargs;
        args.push_back(toValue(std::move(object)));
        if (lex_.token().is(",")) lex_.take();
        parseArguments(args, kwargs, ")");
        PyOperand o = operation("getattr", std::move(args), begin);
        o.call->kwargs = std::move(kwargs);
        return o;
    }
    expect(",");
    const auto attribute = lex_.token().kind == PyToken::Kind::String ? decodePythonString(lex_.token().text) : std::nullopt;
    if (!attribute) {
        fail("the name of an attribute", lex_.token().begin);
        return object;
    }
    lex_.take();
    expect(")");
    if (!object.path.empty()) object.path += '.';
    object.path += *attribute;
    object.begin = begin;
    object.end = lex_.lastEnd();
    return object;
}

PyOperand PyExpr::subscript(PyOperand base) {
    const Nesting nesting(*this);
    const std::size_t begin = base.begin;
    lex_.take();
    std::vector<Value> items;
    bool comma = false;
    while (!error_ && !lex_.token().is("]")) {
        items.push_back(toValue(sliceItem()));
        if (!lex_.token().is(",")) break;
        comma = true;
        lex_.take();
    }
    if (!error_ && items.empty()) fail("an index", lex_.token().begin);
    if (!expect("]")) return base;
    std::vector<Value> args;
    args.push_back(toValue(std::move(base)));
    args.push_back(comma || items.size() > 1 ? Value::tuple(std::move(items)) : items[0]);
    return operation("operator.getitem", std::move(args), begin);
}

/// An index, or `a:b:c`.
PyOperand PyExpr::sliceItem() {
    const std::size_t begin = lex_.token().begin;
    Value parts[3];
    bool isSlice = false;
    for (int i = 0; i < 3 && !error_; ++i) {
        if (!lex_.token().is(":") && !lex_.token().is("::") && !lex_.token().is("]") && !lex_.token().is(",")) {
            PyOperand item = binary(kLowest);
            if (i == 0 && !lex_.token().is(":") && !lex_.token().is("::")) return item;
            parts[i] = toValue(std::move(item));
        }
        if (lex_.token().is("::")) {
            isSlice = true;
            ++i;
            lex_.take();
        } else if (lex_.token().is(":")) {
            isSlice = true;
            lex_.take();
        } else {
            break;
        }
    }
    if (!isSlice) fail("an index", begin);
    return valueOperand(Value::slice(parts[0], parts[1], parts[2]), begin, lex_.lastEnd());
}

PyOperand PyExpr::operation(std::string_view function, std::vector<Value> args, std::size_t begin) {
    PyOperand o;
    o.kind = PyOperand::Kind::Call;
    o.begin = begin;
    o.end = lex_.lastEnd();
    o.call = std::make_unique<Node>();
    o.call->target = Name(function);
    o.call->op = canonicalOp(function);
    o.call->args = std::move(args);
    return o;
}

/// Constants under operators: a symbolic expression, a complex number, else kept as text.
PyOperand PyExpr::constantText(std::size_t begin, std::size_t end) {
    const std::string_view text = lex_.text().substr(begin, end - begin);
    std::string packed(text);
    packed.erase(std::remove(packed.begin(), packed.end(), ' '), packed.end());
    if (packed.find('j') != packed.npos && isComplexSpelling("(" + packed + ")"))
        return valueOperand(Value::named(Value::Kind::Complex, Name("(" + packed + ")")), begin, end);
    if (const auto sym = SymInt::parse(text)) return valueOperand(Value::sym(*sym), begin, end);
    return valueOperand(Value::named(Value::Kind::Opaque, Name(text)), begin, end);
}

Value PyExpr::pathValue(std::string_view path, std::size_t at) {
    if (path.find('.') == path.npos) {
        if (const auto builtin = builtinValue(path)) return *builtin;
        return scope_.undefined(path, at);
    }
    if (isOpSpelling(path)) return Value::op(canonicalOp(path));
    if (isConstantSpelling(path)) return Value::constant(Name(path));
    return Value::named(Value::Kind::Opaque, Name(path));
}

PyOperand PyExpr::asValue(PyOperand operand) {
    if (operand.kind != PyOperand::Kind::Path) return operand;
    return valueOperand(pathValue(operand.path, operand.begin), operand.begin, operand.end);
}

Value PyExpr::toValue(PyOperand operand) {
    if (error_) return {};
    switch (operand.kind) {
        case PyOperand::Kind::Value:
            return std::move(operand.value);
        case PyOperand::Kind::Path:
            return pathValue(operand.path, operand.begin);
        case PyOperand::Kind::SelfPath:
            operand.call = std::make_unique<Node>();
            operand.call->kind = NodeKind::GetAttr;
            operand.call->target = Name(operand.path);
            break;
        case PyOperand::Kind::Call:
            break;
    }
    const std::string_view text = lex_.text().substr(operand.begin, operand.end - operand.begin);
    const Node& call = *operand.call;
    const bool uses = std::any_of(call.args.begin(), call.args.end(), usesNodes) ||
                      std::any_of(call.kwargs.begin(), call.kwargs.end(), [](const Keyword& k) { return usesNodes(k.second); });
    // `Cls(…)` without uses is the repr of an object, not a call.
    const bool object = call.kind == NodeKind::CallFunction && !uses && call.target.view().find('.') == std::string_view::npos &&
                        call.target.view()[0] >= 'A' && call.target.view()[0] <= 'Z';
    if (!object)
        if (auto made = scope_.makeNode(std::move(*operand.call), operand.begin, operand.end)) return *made;
    return Value::named(Value::Kind::Opaque, Name(text));
}

}  // namespace aliascope
