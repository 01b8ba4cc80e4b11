#include "core/text/graph_values.h"

#include <algorithm>
#include <limits>

#include "core/text/literals.h"
#include "core/text/value_spelling.h"

namespace aliascope {
namespace {

constexpr std::size_t kNoPartner = std::numeric_limits<std::size_t>::max();

bool isOpener(char c) { return c == '(' || c == '[' || c == '{'; }
bool isCloser(char c) { return c == ')' || c == ']' || c == '}'; }
char closerFor(char c) { return c == '(' ? ')' : c == '[' ? ']' : '}'; }

/// Letters, digits and the signs of the symbol grammar, with a letter and a digit among them.
bool mayBeSymbolic(std::string_view t) {
    bool letter = false, digit = false;
    for (const char c : t) {
        letter = letter || isNameStart(c);
        digit = digit || isDigit(c);
        if (!isNameChar(c) && std::string_view(" +-*/%(),.<>=!&|~").find(c) == std::string_view::npos) return false;
    }
    return letter && digit;
}

bool isDotted(std::string_view t) {
    for (std::size_t at = 0; at <= t.size();) {
        const std::size_t dot = std::min(t.find('.', at), t.size());
        if (!isIdentifier(t.substr(at, dot - at))) return false;
        at = dot + 1;
    }
    return true;
}

/// Reprs of objects: `<…>`, `tensor(…)`, `Cls.NAME`, `Cls(…)`.
bool isOpaque(std::string_view t) {
    if (t.size() > 1 && t.front() == '<' && t.back() == '>') return true;
    const std::size_t open = t.find('(');
    if (open != t.npos && t.back() == ')') return t.substr(0, open) == "tensor" || (t[0] >= 'A' && t[0] <= 'Z' && isDotted(t.substr(0, open)));
    return t[0] >= 'A' && t[0] <= 'Z' && t.find('.') != t.npos && isDotted(t);
}

/// `%NAME`; some tools put dots into names.
bool isUse(std::string_view t) {
    return t.size() > 1 && t[0] == '%' && isNameStart(t[1]) && std::all_of(t.begin() + 1, t.end(), [](char c) { return isNameChar(c) || c == '.'; });
}

bool isWrapper(Name op) { return op.view().substr(0, 24) == "hop::auto_functionalized"; }

}  // namespace

/// What the schema says of the value to come.
struct GraphValueReader::Hint {
    Name base;  ///< innermost type, empty = nothing known
    bool list = false;
    bool optional = false;
    bool wrappedOp = false;  ///< the first argument of a functional wrapper

    static Hint of(const SchemaParam* p) {
        Hint h;
        if (!p) return h;
        h.base = p->type.innermost();
        h.list = p->type.isList();
        h.optional = p->type.isOptional();
        return h;
    }
    Hint element() const {
        Hint h = *this;
        h.list = h.optional = h.wrappedOp = false;
        return h;
    }
};

/// Pairs the brackets of [begin, end). A closer of another kind than the open one is an error at its place.
bool GraphValueReader::matchBrackets(std::size_t begin, std::size_t end) {
    base_ = begin;
    match_.assign(end - begin, kNoPartner);
    open_.clear();
    const std::string_view t = text();
    for (std::size_t i = begin; i < end; ++i) {
        const char c = t[i];
        if (isOpener(c)) {
            open_.push_back(i);
        } else if (isCloser(c)) {
            if (open_.empty()) break;
            const char want = closerFor(t[open_.back()]);
            if (c != want) {
                fail(std::string("\",\" or \"") + want + "\"", i);
                return false;
            }
            match_[open_.back() - base_] = i;
            match_[i - base_] = open_.back();
            open_.pop_back();
            if (open_.empty()) break;
        }
    }
    if (!open_.empty()) {
        fail(std::string("\",\" or \"") + closerFor(t[open_.back()]) + "\"", end);
        return false;
    }
    return true;
}

/// Whether `KEY: ` stands at `at`; a key holds no blank and no bracket.
bool GraphValueReader::startsKey(std::size_t at, std::size_t limit, std::size_t* colon) const {
    const std::string_view t = text();
    for (std::size_t i = at; i < limit; ++i) {
        const char c = t[i];
        if (c == ':' && i > at && i + 1 < limit && t[i + 1] == ' ') {
            if (colon) *colon = i;
            return true;
        }
        if (c == ' ' || c == '\n' || isOpener(c) || isCloser(c)) return false;
    }
    return false;
}

/// End of the value that starts at `begin`: the next `, ` outside brackets, in a dict only one that a key follows.
std::size_t GraphValueReader::itemEnd(std::size_t begin, std::size_t limit, bool dict) const {
    const std::string_view t = text();
    for (std::size_t i = begin; i < limit; ++i) {
        const char c = t[i];
        if (isOpener(c) && closerOf(i) != kNoPartner) {
            i = closerOf(i);
        } else if (c == ',' && i + 1 < limit && t[i + 1] == ' ' && (!dict || startsKey(i + 2, limit))) {
            return i;
        }
    }
    return limit;
}

std::vector<Value> GraphValueReader::items(std::size_t begin, std::size_t end, const Hint& hint) {
    std::vector<Value> out;
    for (std::size_t at = begin; at < end && !error_;) {
        const std::size_t stop = itemEnd(at, end, false);
        const std::string_view t = trimmed(text().substr(at, stop - at));
        // `(x,)`: the comma of a one-element tuple belongs to no value.
        const bool comma = stop == end && !t.empty() && t.back() == ',' && out.empty();
        out.push_back(value(at, comma ? stop - 1 : stop, hint));
        at = stop + 2;
    }
    return out;
}

std::size_t GraphValueReader::readCall(Node& node, std::size_t at, std::size_t end) {
    const std::string_view t = text();
    constexpr std::string_view kArgs = "(args = (", kKwargs = ", kwargs = {";
    if (t.substr(at, kArgs.size()) != kArgs) {
        fail("\"(args = (\"", at);
        return at;
    }
    if (!matchBrackets(at, end)) return at;
    const std::size_t close = closerOf(at), argsOpen = at + kArgs.size() - 1, argsClose = closerOf(argsOpen);
    const std::size_t kwargsOpen = argsClose + kKwargs.size();
    if (t.substr(argsClose + 1, kKwargs.size()) != kKwargs) {
        fail("\", kwargs = {\"", argsClose + 1);
        return at;
    }
    elided_ = false;
    const bool wrapper = isWrapper(node.op);
    const OpDef* op = builder_.ops().find(node.op);
    for (std::size_t from = argsOpen + 1, i = 0; from < argsClose && !error_; ++i) {
        std::size_t stop = itemEnd(from, argsClose, false);
        const std::size_t next = stop + 2;
        if (stop == argsClose && i == 0 && t[stop - 1] == ',') --stop;
        Hint hint = Hint::of(op && i < op->schema.params.size() ? &op->schema.params[i] : nullptr);
        hint.wrappedOp = wrapper && i == 0;
        node.args.push_back(value(from, stop, hint));
        from = next;
    }
    // What a wrapper gets by keyword are the parameters of the operator that it wraps.
    if (wrapper && !node.args.empty() && node.args[0].kind() == Value::Kind::Op) op = builder_.ops().find(node.args[0].name());
    const std::size_t kwargsClose = closerOf(kwargsOpen);
    for (std::size_t from = kwargsOpen + 1; from < kwargsClose && !error_;) {
        std::size_t colon = 0;
        if (!startsKey(from, kwargsClose, &colon)) {
            fail("a keyword", from);
            break;
        }
        const std::size_t stop = itemEnd(colon + 2, kwargsClose, true);
        const Name key(t.substr(from, colon - from));
        const int param = op ? op->schema.paramIndex(key) : -1;
        node.kwargs.emplace_back(key, value(colon + 2, stop, Hint::of(param >= 0 ? &op->schema.params[static_cast<std::size_t>(param)] : nullptr)));
        from = stop + 2;
    }
    if (elided_) node.flags |= FlagElided;
    return close + 1;
}

Value GraphValueReader::readValue(std::size_t begin, std::size_t end) {
    if (!matchBrackets(begin, end)) clearError();  // a lone value may be a bare string with any brackets
    return value(begin, end, Hint());
}

Value GraphValueReader::value(std::size_t begin, std::size_t end, const Hint& hint) {
    if (error_) return {};
    const std::string_view t = text().substr(begin, end - begin);
    if (t.empty()) return Value::string(Name());
    if (isUse(t)) return builder_.use(t.substr(1), begin + 1);
    if (hint.base == "str" && !(hint.list && isOpener(t[0]))) return hint.optional && t == "None" ? Value::none() : stringValue(t, begin);
    if (isOpener(t[0]) && closerOf(begin) == end - 1)
        if (auto v = container(begin, end, hint)) return *v;
    if (t.back() == ')' && (t.substr(0, 6) == "slice(" || t.substr(0, 6) == "range("))
        if (auto v = pythonValue(begin, end)) return *v;
    return token(t, begin, hint);
}

std::optional<Value> GraphValueReader::container(std::size_t begin, std::size_t end, const Hint& hint) {
    const std::string_view t = text().substr(begin, end - begin);
    if (t[0] == '{' && t.size() > 2 && !startsKey(begin + 1, end - 1)) return std::nullopt;
    if (isComplexSpelling(t)) return Value::named(Value::Kind::Complex, Name(t));
    if (++depth_ > builder_.limits().valueDepth) {
        fail("nesting of values", begin, builder_.limits().valueDepth);
        --depth_;
        return Value();
    }
    Value v;
    if (t[0] == '{') {
        v = dict(begin + 1, end - 1, hint);
    } else {
        auto parts = items(begin + 1, end - 1, hint.element());
        v = t[0] == '[' ? Value::list(std::move(parts)) : Value::tuple(std::move(parts));
    }
    --depth_;
    return v;
}

Value GraphValueReader::dict(std::size_t begin, std::size_t end, const Hint& hint) {
    std::vector<Name> keys;
    std::vector<Value> values;
    for (std::size_t at = begin; at < end && !error_;) {
        std::size_t colon = 0;
        if (!startsKey(at, end, &colon)) break;
        const std::size_t stop = itemEnd(colon + 2, end, true);
        keys.emplace_back(text().substr(at, colon - at));
        values.push_back(value(colon + 2, stop, hint.element()));
        at = stop + 2;
    }
    return Value::dict(std::move(keys), std::move(values));
}

Value GraphValueReader::token(std::string_view t, std::size_t at, const Hint& hint) {
    if (t == "None") return Value::none();
    if (t == "True" || t == "False") return Value::boolean(t == "True");
    if (t == "Ellipsis" || t == "...") return Value::ellipsis();
    if (hint.base == "Device" && isDeviceSpelling(t)) return Value::device(Name(t));
    const bool negative = t[0] == '-';
    const std::string_view magnitude = t.substr(negative ? 1 : 0);
    std::optional<Value> number;
    if (magnitude == "inf")
        number = Value::real(std::numeric_limits<double>::infinity());
    else if (magnitude == "nan")
        number = Value::real(std::numeric_limits<double>::quiet_NaN());
    else if (!magnitude.empty() && (isDigit(magnitude[0]) || magnitude[0] == '.'))
        number = readNumber(magnitude);
    if (number) return negative ? *negated(*number) : *number;
    constexpr std::size_t kMostDigits = 4300;  // a number that Python would not read is no string either
    if (magnitude.size() > kMostDigits && std::all_of(magnitude.begin(), magnitude.end(), isDigit)) fail("a number of at most 4300 digits", at);
    if (t.substr(0, 14) == "...[total_len=") {
        elided_ = true;
        return Value::named(Value::Kind::Opaque, Name(t));
    }
    if (isConstantSpelling(t)) return Value::constant(Name(t));
    if (isKnownDevice(t)) return Value::device(Name(t));
    if (auto op = operatorValue(t, hint)) return *op;
    if (auto s = symbolic(t)) return *s;
    if (t.size() > 11 && t.substr(0, 11) == "<OpOverload") return Value::op(canonicalOp(t));
    if (isOpaque(t)) return Value::named(Value::Kind::Opaque, Name(t));
    // A cut or damaged use is no string.
    if (t[0] == '%') fail("a name after \"%\"", at + 1);
    return stringValue(t, at);
}

Value GraphValueReader::stringValue(std::string_view t, std::size_t at) {
    if (t.size() <= builder_.limits().stringBytes) return Value::string(Name(t));
    fail("bytes of a string", at, builder_.limits().stringBytes);
    return {};
}

std::optional<Value> GraphValueReader::operatorValue(std::string_view t, const Hint& hint) {
    if (t.substr(0, 10) == "torch.ops.") return Value::op(canonicalOp(t));
    if (!isDotted(t)) return std::nullopt;
    if (hint.wrappedOp) return Value::op(t.find('.') == t.npos ? canonicalOp(t) : canonicalOp("torch.ops." + std::string(t)));
    if (t.find('.') == t.npos) return std::nullopt;
    const Name op = canonicalOp("torch.ops." + std::string(t));
    const bool named = t.size() > 8 && t.substr(t.size() - 8) == ".default" && std::count(t.begin(), t.end(), '.') >= 2;
    if (named || builder_.ops().find(op)) return Value::op(op);
    return std::nullopt;
}

std::optional<Value> GraphValueReader::symbolic(std::string_view t) {
    if (!mayBeSymbolic(t)) return std::nullopt;
    const auto s = SymInt::parse(t);
    if (!s || s->isConst()) return std::nullopt;
    const auto names = s->symbols();
    const bool known = !names.empty() &&
                       std::all_of(names.begin(), names.end(), [&](Name n) { return isSymbolName(n.view()) || builder_.graph.symbols.contains(n); });
    return known ? std::optional(Value::sym(*s)) : std::nullopt;
}

/// `slice(None, half, None)` and `range(0, 4)` hold Python, names without `%` in a slice are uses.
std::optional<Value> GraphValueReader::pythonValue(std::size_t begin, std::size_t end) {
    PyLexer lexer(text(), begin, end);
    PyExpr expr(lexer, builder_, builder_.limits());
    expr.percentUses = true;
    Value v = expr.toValue(expr.parse());
    if (expr.error() || lexer.token().kind != PyToken::Kind::TextEnd) return std::nullopt;
    return v.kind() == Value::Kind::Slice || v.kind() == Value::Kind::Range ? std::optional(v) : std::nullopt;
}

}  // namespace aliascope
