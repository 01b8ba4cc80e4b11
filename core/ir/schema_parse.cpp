#include "core/ir/schema_parse.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/ir/schema.h"

namespace aliascope {
namespace {

constexpr std::size_t maxText = 64 * 1024;
constexpr int maxNesting = 32;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isIdentStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isIdentPart(char c) { return isIdentStart(c) || isDigit(c); }

bool isGeneric(std::string_view name) {
    static constexpr std::string_view generics[] = {"Dict", "Future", "RRef", "Await", "List", "Optional", "Union", "Tuple"};
    return std::find(std::begin(generics), std::end(generics), name) != std::end(generics);
}

std::uint32_t columnOf(std::string_view text, std::size_t at) {
    std::uint32_t column = 1;
    for (std::size_t i = 0; i < at && i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) ++column;
    return column;
}

// Numbers of C++ enums that stand as defaults (schemas.md 1.2).
constexpr std::string_view memoryFormats[] = {"torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "torch.channels_last_3d"};
constexpr std::string_view scalarTypes[] = {"torch.uint8",
                                            "torch.int8",
                                            "torch.int16",
                                            "torch.int32",
                                            "torch.int64",
                                            "torch.float16",
                                            "torch.float32",
                                            "torch.float64",
                                            "torch.complex32",
                                            "torch.complex64",
                                            "torch.complex128",
                                            "torch.bool",
                                            "",
                                            "",
                                            "",
                                            "torch.bfloat16"};

/// The value that a default means for a parameter of this type: enum numbers and names become what a graph shows.
Value meaningOf(const Value& v, Name base) {
    if (v.isInt()) {
        const auto n = static_cast<std::size_t>(*v.asInt());
        if (base == "MemoryFormat" && n < std::size(memoryFormats)) return Value::constant(Name(memoryFormats[n]));
        if (base == "ScalarType" && n < std::size(scalarTypes) && !scalarTypes[n].empty()) return Value::constant(Name(scalarTypes[n]));
        if (base == "Layout" && n == 0) return Value::constant("torch.strided"_n);
    }
    if (v.kind() == Value::Kind::Const) {
        if (v.name() == "Mean") return Value::integer(1);
        if (v.name() == "Sum") return Value::integer(2);
        if (base == "MemoryFormat" || base == "Layout") return Value::constant(Name("torch." + v.name().str()));
        if (base == "ScalarType") return Value::constant(v.name() == "long" ? "torch.int64"_n : Name("torch." + v.name().str()));
    }
    return v;
}

class Parser {
public:
    Parser(std::string_view text, bool expressionDefaults) : text_(text), expressionDefaults_(expressionDefaults) {}

    Result<Schema> schema() {
        Schema s;
        if (text_.size() > maxText) return failure("at most 65536 characters");
        parseName(s);
        parseParams(s);
        expect("->");
        parseReturns(s);
        return finish(std::move(s));
    }

    Result<Schema> kernel() {
        Schema s;
        if (text_.size() > maxText) return failure("at most 65536 characters");
        skipBlanks();
        const std::size_t begin = at_;
        while (at_ < text_.size() && (isIdentPart(text_[at_]) || text_[at_] == '.')) ++at_;
        if (at_ == begin) error("the index or name of a kernel");
        s.ns = "triton"_n;
        s.name = "kernel"_n;
        s.overload = Name(text_.substr(begin, at_ - begin));
        parseParams(s);
        if (!failed_ && take("->")) parseReturns(s);
        return finish(std::move(s));
    }

private:
    Result<Schema> finish(Schema s) {
        skipBlanks();
        if (!failed_ && at_ < text_.size()) error("the end");
        if (failed_) {
            at_ = errorAt_;
            return failure(wanted_);
        }
        return s;
    }

    Result<Schema> failure(std::string_view wanted) {
        skipBlanks();
        std::string got = "the end of the text";
        if (at_ < text_.size()) {
            std::size_t end = at_ + 1;
            if (isIdentPart(text_[at_]))
                while (end < text_.size() && isIdentPart(text_[end]) && end - at_ < 40) ++end;
            else
                while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
            got = "'" + std::string(text_.substr(at_, end - at_)) + "'";
        }
        Diagnostic d = userError("R060", {{"want", std::string(wanted)}, {"got", got}});
        d.column = columnOf(text_, at_);
        return fail(std::move(d));
    }

    void error(std::string wanted) {
        if (failed_) return;
        skipBlanks();
        failed_ = true;
        errorAt_ = at_;
        wanted_ = std::move(wanted);
    }

    void skipBlanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }

    bool peek(std::string_view token) {
        skipBlanks();
        return !failed_ && text_.substr(at_).starts_with(token);
    }

    bool take(std::string_view token) {
        if (!peek(token)) return false;
        at_ += token.size();
        return true;
    }

    void expect(std::string_view token) {
        if (failed_ || take(token)) return;
        error("'" + std::string(token) + "'");
    }

    std::string_view identifier(std::string_view wanted) {
        skipBlanks();
        if (failed_ || at_ >= text_.size() || !isIdentStart(text_[at_])) {
            error(std::string(wanted));
            return {};
        }
        const std::size_t begin = at_;
        while (at_ < text_.size() && isIdentPart(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    std::string_view dotted(std::string_view wanted) {
        skipBlanks();
        const std::size_t begin = at_;
        identifier(wanted);
        while (!failed_ && at_ + 1 < text_.size() && text_[at_] == '.' && isIdentStart(text_[at_ + 1])) {
            ++at_;
            identifier(wanted);
        }
        return failed_ ? std::string_view() : text_.substr(begin, at_ - begin);
    }

    void parseName(Schema& s) {
        const std::string_view first = dotted("an operator name");
        if (take("::")) {
            s.ns = Name(first);
            s.name = Name(identifier("an operator name"));
            if (take(".")) s.overload = Name(identifier("an overload name"));
        } else if (const auto dot = first.find('.'); dot != std::string_view::npos) {
            if (first.find('.', dot + 1) != std::string_view::npos) return error("'::'");
            s.name = Name(first.substr(0, dot));
            s.overload = Name(first.substr(dot + 1));
        } else {
            s.name = Name(first);
        }
    }

    void parseParams(Schema& s) {
        expect("(");
        if (take(")")) return;
        bool keywordOnly = false;
        do {
            if (take("...")) {
                s.variadic = true;
            } else if (take("*")) {
                if (keywordOnly) return error("one '*' only");
                keywordOnly = true;
            } else {
                SchemaParam p = parseParam(keywordOnly);
                if (!failed_ && s.paramIndex(p.name) >= 0) return error("parameter names that differ");
                s.params.push_back(std::move(p));
            }
        } while (!failed_ && take(","));
        if (!failed_ && !take(")")) error("',' or ')'");
    }

    SchemaParam parseParam(bool keywordOnly) {
        SchemaParam p;
        p.keywordOnly = keywordOnly;
        p.type = parseType();
        p.name = Name(identifier("a parameter name"));
        if (!failed_ && take("=")) {
            skipBlanks();
            const std::size_t begin = at_;
            const Value v = expressionDefaults_ ? parseExpression() : parseDefault(0);
            if (failed_) return p;
            p.defaultText = std::string(text_.substr(begin, at_ - begin));
            p.defaultValue = meaningOf(v, p.type.innermost());
        }
        return p;
    }

    void parseReturns(Schema& s) {
        if (failed_) return;
        if (take("...")) {
            s.variadicReturns = true;
            return;
        }
        if (!peek("(") || tupleTypeFollows()) {
            s.bareReturn = true;
            s.returns.push_back(parseReturn());
            return;
        }
        s.bareReturn = false;
        take("(");
        if (take(")")) return;
        do s.returns.push_back(parseReturn());
        while (!failed_ && take(","));
        if (!failed_ && !take(")")) error("',' or ')'");
        if (s.returns.size() == 1 && !s.returns[0].type.str().starts_with('(')) s.bareReturn = true;
    }

    /// `(A, B)[] x` is one result whose type is a tuple; `(A, B)` are two results.
    bool tupleTypeFollows() const {
        int depth = 0;
        for (std::size_t i = at_; i < text_.size(); ++i) {
            if (text_[i] == '(') ++depth;
            if (text_[i] == ')' && --depth == 0) {
                while (++i < text_.size() && (text_[i] == ' ' || text_[i] == '\t')) {
                }
                return i < text_.size() && (text_[i] == '[' || text_[i] == '?');
            }
        }
        return false;
    }

    SchemaReturn parseReturn() {
        SchemaReturn r;
        r.type = parseType();
        skipBlanks();
        if (!failed_ && at_ < text_.size() && isIdentStart(text_[at_])) r.name = Name(identifier("a result name"));
        return r;
    }

    SchemaType parseType() {
        SchemaType t;
        if (++nesting_ > maxNesting) {
            error("at most 32 nested types");
            return t;
        }
        if (take("(")) {
            t.kind = SchemaType::Kind::TupleOf;
            if (!take(")")) {
                do t.parts.push_back(parseType());
                while (!failed_ && take(","));
                if (!failed_ && !take(")")) error("',' or ')'");
            }
        } else {
            const std::string_view base = dotted("a type");
            t.base = Name(base);
            if (isGeneric(base) && take("(")) {
                t.kind = SchemaType::Kind::Generic;
                do t.parts.push_back(parseType());
                while (!failed_ && take(","));
                if (!failed_ && !take(")")) error("',' or ')'");
            }
        }
        t.alias = parseAlias();
        int suffixes = 0;
        while (!failed_ && parseSuffix(t))
            if (++suffixes > maxNesting) error("at most 32 suffixes");
        --nesting_;
        return t;
    }

    bool parseSuffix(SchemaType& t) {
        SchemaType outer;
        if (take("?")) {
            outer.kind = SchemaType::Kind::Optional;
        } else if (take("[")) {
            outer.kind = SchemaType::Kind::List;
            skipBlanks();
            if (at_ < text_.size() && isDigit(text_[at_])) {
                std::int64_t n = 0;
                const auto [end, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
                if (code != std::errc()) {
                    error("a list length");
                    return false;
                }
                at_ = static_cast<std::size_t>(end - text_.data());
                outer.fixedSize = n;
            }
            if (!take("]")) {
                error("']'");
                return false;
            }
        } else {
            return false;
        }
        outer.alias = parseAlias();
        outer.parts.push_back(std::move(t));
        t = std::move(outer);
        return true;
    }

    std::optional<AliasAnnotation> parseAlias() {
        if (failed_) return std::nullopt;
        AliasAnnotation a;
        if (take("!")) {
            a.written = a.fresh = true;
            return a;
        }
        if (!take("(")) return std::nullopt;
        parseSet(a.before);
        a.written = take("!");
        if (take("->")) parseSet(a.after);
        if (!failed_ && !take(")")) error("'!', '|', '->' or ')'");
        return a;
    }

    void parseSet(std::vector<Name>& out) {
        do {
            if (take("*"))
                out.push_back("*"_n);
            else
                out.push_back(Name(identifier("the name of an alias set or '*'")));
        } while (!failed_ && take("|"));
    }

    Value parseDefault(int depth) {
        skipBlanks();
        if (at_ >= text_.size() || depth > maxNesting) {
            error("a default value");
            return {};
        }
        const char c = text_[at_];
        if (c == '"' || c == '\'') return parseString(c);
        if (isDigit(c) || c == '-' || c == '+' || c == '.') return parseNumber();
        if (c == '[') {
            ++at_;
            std::vector<Value> items;
            if (take("]")) return Value::list({});
            do items.push_back(parseDefault(depth + 1));
            while (!failed_ && take(","));
            if (!failed_ && !take("]")) error("',' or ']'");
            return Value::list(std::move(items));
        }
        const std::string_view word = dotted("a default value");
        if (word == "None") return Value::none();
        if (word == "True" || word == "False") return Value::boolean(word == "True");
        if (word == "inf") return Value::real(std::numeric_limits<double>::infinity());
        if (word == "nan") return Value::real(std::numeric_limits<double>::quiet_NaN());
        return Value::constant(Name(word));
    }

    Value parseNumber() {
        const std::size_t begin = at_;
        if (text_[at_] == '-' || text_[at_] == '+') ++at_;
        if (text_.substr(at_).starts_with("inf") || text_.substr(at_).starts_with("nan")) {
            const double v = text_[at_] == 'i' ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
            at_ += 3;
            return Value::real(text_[begin] == '-' ? -v : v);
        }
        bool digits = false, isFloat = false;
        const auto skipDigits = [&] {
            while (at_ < text_.size() && isDigit(text_[at_])) ++at_, digits = true;
        };
        skipDigits();
        if (at_ < text_.size() && text_[at_] == '.') {
            isFloat = true;
            ++at_;
            skipDigits();
        }
        if (!digits) {
            error("a number");
            return {};
        }
        if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            isFloat = true;
            ++at_;
            if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
            digits = false;
            skipDigits();
            if (!digits) {
                error("digits of an exponent");
                return {};
            }
        }
        std::string_view token = text_.substr(begin, at_ - begin);
        const std::string_view whole = token;
        if (token.front() == '+') token.remove_prefix(1);
        if (!isFloat) {
            std::int64_t v = 0;
            const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), v);
            return code == std::errc() ? Value::integer(v) : Value::named(Value::Kind::BigInt, Name(whole));
        }
        double v = 0;
        std::from_chars(token.data(), token.data() + token.size(), v);
        return Value::real(v);
    }

    Value parseString(char quote) {
        std::string s;
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] != '\\' || at_ + 1 >= text_.size()) {
                s += text_[at_];
                continue;
            }
            switch (const char e = text_[++at_]) {
                case 'n':
                    s += '\n';
                    break;
                case 't':
                    s += '\t';
                    break;
                case 'f':
                    s += '\f';
                    break;
                case 'v':
                    s += '\v';
                    break;
                case 'r':
                    s += '\r';
                    break;
                default:
                    s += e;
            }
        }
        if (at_ >= text_.size()) {
            error("the end of the string");
            return {};
        }
        ++at_;
        return Value::string(Name(s));
    }

    /// Anything up to the comma or bracket that ends the parameter.
    Value parseExpression() {
        const std::size_t begin = at_;
        int depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (depth == 0 && (c == ',' || c == ')')) break;
            if (c == '(' || c == '[') ++depth;
            if (c == ')' || c == ']') --depth;
            ++at_;
        }
        std::size_t end = at_;
        while (end > begin && text_[end - 1] == ' ') --end;
        const std::string_view token = text_.substr(begin, end - begin);
        if (token.empty() || depth != 0) {
            error("a default value");
            return {};
        }
        Parser inner(token, false);
        const Value plain = inner.parseDefault(0);
        if (!inner.failed_ && inner.at_ == token.size() && plain.kind() != Value::Kind::Const) return plain;
        return Value::named(Value::Kind::Opaque, Name(token));
    }

    std::string_view text_;
    bool expressionDefaults_ = false;
    std::size_t at_ = 0, errorAt_ = 0;
    int nesting_ = 0;
    bool failed_ = false;
    std::string wanted_;
};

}  // namespace

Result<Schema> Schema::parse(std::string_view text) { return Parser(text, false).schema(); }
Result<Schema> parseKernelSignature(std::string_view text) { return Parser(text, true).kernel(); }

}  // namespace aliascope
