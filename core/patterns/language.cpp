#include "core/patterns/language.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "core/ir/dtype.h"
#include "core/patterns/lexer.h"
#include "core/support/diagnostic.h"

namespace aliascope::embedded {
extern const std::string_view pattern_macros;
}

namespace aliascope::patterns {
namespace {

struct Macro {
    std::vector<std::string> parameters;
    Expr body;
};

class Parser {
public:
    /// `prelude`: macros for rules in operators.
    Parser(std::string_view text, const LanguageLimits& limits, const std::map<std::string, Macro>* prelude)
        : text_(text), lexer_(text), limits_(limits), prelude_(prelude) {
        take();
    }

    const std::map<std::string, Macro>& macros() const { return macros_; }

    void file(PatternFile& out) {
        while (token_.kind != TokenKind::End) {
            if (acceptWord("macro"))
                macro();
            else if (acceptWord("set"))
                set(out);
            else
                refuse("set or macro");
        }
    }

private:
    // --- tokens
    void take() { token_ = lexer_.next(); }
    [[noreturn]] void refuse(std::string want) const { throw SyntaxError{token_.place, std::move(want), shown(token_)}; }
    bool isSign(std::string_view s) const { return token_.kind == TokenKind::Sign && token_.text == s; }
    bool acceptSign(std::string_view s) {
        if (!isSign(s)) return false;
        take();
        return true;
    }
    void expectSign(std::string_view s) {
        if (!acceptSign(s)) refuse("\"" + std::string(s) + "\"");
    }
    bool isWord(std::string_view w) const { return token_.kind == TokenKind::Name && token_.text == w; }
    bool acceptWord(std::string_view w) {
        if (!isWord(w)) return false;
        take();
        return true;
    }
    std::string expectName(const char* what) {
        if (token_.kind != TokenKind::Name) refuse(what);
        std::string out(token_.text);
        take();
        return out;
    }
    std::int64_t expectInteger() {
        const bool negative = acceptSign("-");
        if (token_.kind != TokenKind::Integer) refuse("an integer");
        const std::int64_t value = token_.integer;
        take();
        return negative ? -value : value;
    }

    // --- sets, rules, macros
    void set(PatternFile& out) {
        const std::string name = expectName("the name of the set");
        expectSign("{");
        while (!acceptSign("}")) {
            if (acceptWord("macro"))
                macro();
            else if (acceptWord("rule"))
                out.rules.push_back(rule(name));
            else
                refuse("rule, macro or \"}\"");
            if (out.rules.size() > limits_.rules) refuse("at most " + std::to_string(limits_.rules) + " rules");
        }
    }

    void macro() {
        const TextPlace place = token_.place;
        const std::string name = expectName("the name of the macro");
        if (macros_.count(name)) throw SyntaxError{place, "a new name", "macro " + name + " a second time"};
        Macro m;
        expectSign("(");
        while (!isSign(")")) {
            if (token_.kind != TokenKind::Capture) refuse("a parameter as $name");
            m.parameters.emplace_back(token_.text);
            take();
            if (!acceptSign(",")) break;
        }
        expectSign(")");
        expectSign("=");
        expressions_ = 0;
        m.body = expression(0, true);
        macros_.emplace(name, std::move(m));
    }

    Rule rule(const std::string& set) {
        Rule r;
        r.set = set;
        r.place = token_.place;
        r.name = expectName("the name of the rule");
        if (acceptWord("prio")) r.priority = expectInteger();
        expressions_ = 0;
        unnamed_ = 0;
        expectSign("{");
        if (acceptWord("example")) do
                r.examples.push_back(example());
            while (acceptSign(","));
        if (!acceptWord("find")) refuse("find");
        inOperators_ = r.examples.empty();
        r.find = expressions(true);
        inOperators_ = false;
        if (acceptWord("where")) do
                r.where.push_back(guard());
            while (acceptSign(","));
        if (!acceptWord("make")) refuse("make");
        const TextPlace made = token_.place;
        r.make = expressions(true);
        expectSign("}");
        if (r.make.size() != r.find.size())
            throw SyntaxError{made, std::to_string(r.find.size()) + " results, as many as find has", std::to_string(r.make.size())};
        return r;
    }

    Example example() {
        Example e;
        if (token_.kind != TokenKind::Capture) refuse("a capture as $name");
        e.capture = std::string(token_.text);
        take();
        expectSign("=");
        if (!acceptSign("[")) {
            e.tensor = false;
            if (token_.kind == TokenKind::Integer)
                e.number = static_cast<double>(token_.integer);
            else if (token_.kind == TokenKind::Real)
                e.number = token_.real;
            else
                refuse("a number or the sizes of a tensor");
            take();
            return e;
        }
        while (!isSign("]")) {
            e.sizes.emplace_back();
            do {
                e.sizes.back().push_back(expectInteger());
                const bool fits = e.sizes.back().back() >= 0 && e.sizes.back().back() <= 4096;
                if (!fits || e.sizes.size() > 16 || e.sizes.back().size() > 4)
                    refuse("at most 16 sizes from 0 to 4096, each with at most 4 alternatives");
            } while (acceptSign("|"));
            if (!acceptSign(",")) break;
        }
        expectSign("]");
        if (!acceptSign(":"))
            e.dtypes.emplace_back("f");
        else
            do {
                const TextPlace place = token_.place;
                e.dtypes.push_back(expectName("a dtype"));
                if (e.dtypes.back() != "f" && !dtypeFromShortName(e.dtypes.back()))
                    throw SyntaxError{place, "a dtype such as f32, or f", e.dtypes.back()};
                if (e.dtypes.size() > 4) refuse("at most 4 dtypes");
            } while (acceptSign("|"));
        e.gradient = acceptWord("grad");
        return e;
    }

    Guard guard() {
        Guard g;
        g.place = token_.place;
        const std::size_t begin = token_.begin;
        g.left = expression(0, true);
        std::size_t end = lastEnd_;
        for (const char* sign : {"==", "!=", "<=", "<"})
            if (isSign(sign)) g.compare = sign;
        if (isWord("in")) g.compare = "in";
        if (!g.compare.empty()) {
            take();
            g.right = expression(0, true);
            end = lastEnd_;
        } else if (g.left.kind != Expr::Kind::Call) {
            throw SyntaxError{g.place, "a predicate or a comparison", std::string(text_.substr(begin, std::min<std::size_t>(end - begin, 40)))};
        }
        g.text = std::string(text_.substr(begin, end - begin));
        return g;
    }

    std::vector<Expr> expressions(bool arithmetic) {
        std::vector<Expr> out;
        do out.push_back(expression(0, arithmetic));
        while (acceptSign(","));
        return out;
    }

    // --- expressions
    Expr expression(int depth, bool arithmetic) {
        Expr left = product(depth, arithmetic);
        while (arithmetic && (isSign("+") || isSign("-"))) left = binary(std::move(left), depth, &Parser::product);
        return left;
    }
    Expr product(int depth, bool arithmetic) {
        Expr left = operand(depth, arithmetic);
        while (arithmetic && (isSign("*") || isSign("/"))) left = binary(std::move(left), depth, &Parser::operand);
        return left;
    }
    Expr binary(Expr left, int depth, Expr (Parser::*next)(int, bool)) {
        Expr e;
        e.kind = Expr::Kind::Binary;
        e.place = token_.place;
        e.name = std::string(token_.text);
        take();
        count();
        Expr right = (this->*next)(depth + 1, true);
        e.args.push_back({"", std::move(left)});
        e.args.push_back({"", std::move(right)});
        return e;
    }

    void count() {
        if (++expressions_ > limits_.expressions) refuse("a rule of at most " + std::to_string(limits_.expressions) + " expressions");
    }

    Expr operand(int depth, bool arithmetic) {
        if (depth > limits_.depth) refuse("expressions nested at most " + std::to_string(limits_.depth) + " deep");
        count();
        Expr e;
        e.place = token_.place;
        switch (token_.kind) {
            case TokenKind::Capture:
                e.kind = Expr::Kind::Capture;
                e.name = std::string(token_.text);
                next();
                if (acceptSign(":")) e.type = captureType();
                return modifiers(std::move(e));
            case TokenKind::Node:
                e.kind = Expr::Kind::NodeRef;
                e.name = std::string(token_.text);
                next();
                if (!isSign("=")) return e;
                take();
                {
                    const std::string name = e.name;
                    e = operand(depth + 1, arithmetic);
                    if (e.kind != Expr::Kind::Call) throw SyntaxError{e.place, "an operator after %" + name + "=", "something else"};
                    e.name = name;
                    return e;
                }
            case TokenKind::Integer:
            case TokenKind::Real:
            case TokenKind::String:
                return literal(std::move(e), false);
            case TokenKind::Name:
                return named(std::move(e), depth, arithmetic);
            case TokenKind::Sign:
                break;
            case TokenKind::End:
                refuse("an expression");
        }
        if (acceptSign("=")) return operand(depth + 1, arithmetic);
        if (acceptSign("-")) {
            if (isWord("inf")) return real(std::move(e), -std::numeric_limits<double>::infinity());
            return literal(std::move(e), true);
        }
        if (acceptSign("[")) return list(std::move(e), depth, arithmetic);
        if (isSign("{")) return call(std::move(e), depth, arithmetic);
        if (acceptSign("(")) {
            e = expression(depth + 1, arithmetic);
            close(")");
            return e;
        }
        refuse("an expression");
    }

    void next() {
        lastEnd_ = token_.end;
        take();
    }
    void close(std::string_view sign) {
        if (!isSign(sign)) refuse("\"" + std::string(sign) + "\"");
        next();
    }

    Expr real(Expr e, double value) {
        e.kind = Expr::Kind::Literal;
        e.literal = Value::real(value);
        next();
        return e;
    }

    Expr literal(Expr e, bool negative) {
        e.kind = Expr::Kind::Literal;
        if (token_.kind == TokenKind::Integer)
            e.literal = Value::integer(negative ? -token_.integer : token_.integer);
        else if (token_.kind == TokenKind::Real)
            e.literal = Value::real(negative ? -token_.real : token_.real);
        else if (token_.kind == TokenKind::String && !negative)
            e.literal = Value::string(Name(token_.text));
        else
            refuse("a number");
        next();
        return e;
    }

    Expr list(Expr e, int depth, bool arithmetic) {
        e.kind = Expr::Kind::List;
        while (!isSign("]")) {
            e.args.push_back({"", expression(depth + 1, arithmetic)});
            if (!acceptSign(",")) break;
        }
        close("]");
        return e;
    }

    Expr named(Expr e, int depth, bool arithmetic) {
        if (isWord("_")) return plain(std::move(e), Expr::Kind::Wildcard);
        if (isWord("none")) return plain(std::move(e), Expr::Kind::None);
        if (isWord("inf")) return real(std::move(e), std::numeric_limits<double>::infinity());
        if (isWord("nan")) return real(std::move(e), std::numeric_limits<double>::quiet_NaN());
        if (isWord("true") || isWord("false")) {
            e.kind = Expr::Kind::Literal;
            e.literal = Value::boolean(isWord("true"));
            next();
            return e;
        }
        if (dtypeFromShortName(token_.text)) {
            e.kind = Expr::Kind::Literal;
            e.literal = Value::constant(Name("torch." + std::string(info(*dtypeFromShortName(token_.text)).torchName)));
            next();
            return e;
        }
        return call(std::move(e), depth, arithmetic);
    }

    Expr plain(Expr e, Expr::Kind kind) {
        e.kind = kind;
        next();
        return e;
    }

    std::string dotted() {
        std::string out = expectNameKeepingEnd("an operator");
        while (isSign(".")) {
            take();
            out += "." + expectNameKeepingEnd("a part of the operator's name");
        }
        return out;
    }
    std::string expectNameKeepingEnd(const char* what) {
        if (token_.kind != TokenKind::Name) refuse(what);
        std::string out(token_.text);
        next();
        return out;
    }

    Expr call(Expr e, int depth, bool arithmetic) {
        e.kind = Expr::Kind::Call;
        if (acceptSign("{")) {
            do e.ops.push_back(dotted());
            while (acceptSign("|"));
            expectSign("}");
        } else {
            e.ops.push_back(dotted());
            if (e.ops.front().starts_with("torch.") && !isSign("(")) {  // a constant: torch.contiguous_format
                e.kind = Expr::Kind::Literal;
                e.literal = Value::constant(Name(e.ops.front()));
                e.ops.clear();
                return e;
            }
        }
        expectSign("(");
        while (!isSign(")")) {
            if (acceptSign("..")) {
                e.open = true;
                break;
            }
            e.args.push_back(argument(depth, arithmetic));
            if (!acceptSign(",")) break;
        }
        close(")");
        e = modifiers(std::move(e));
        if (e.optional && e.args.empty()) throw SyntaxError{e.place, "an operand of an optional operator", "none"};
        if (const Macro* m = macroOf(e)) return expand(std::move(e), *m, depth);
        if (e.ops.size() > 1 && e.name.empty()) e.name = std::to_string(unnamed_++);
        return e;
    }

    Argument argument(int depth, bool arithmetic) {
        Argument a;
        if (token_.kind == TokenKind::Name) {
            const Lexer lexer = lexer_;
            const Token token = token_;
            take();
            if (isSign("=")) {
                take();
                a.key = std::string(token.text);
            } else {
                lexer_ = lexer;
                token_ = token;
            }
        }
        a.value = expression(depth + 1, arithmetic);
        return a;
    }

    Expr modifiers(Expr e) {
        for (;;) {
            if (isSign("?")) {
                if (e.kind != Expr::Kind::Call) refuse("an operator before ?");
                e.optional = true;
                next();
            } else if (isSign("!")) {
                take();
                if (isWord("shared"))
                    e.shared = true;
                else if (isWord("commute"))
                    e.commute = true;
                else if (isWord("exclusive") && e.kind == Expr::Kind::Capture)
                    e.exclusive = true;
                else
                    refuse(e.kind == Expr::Kind::Capture ? "exclusive" : "shared or commute");
                next();
            } else {
                return e;
            }
        }
    }

    CaptureType captureType() {
        CaptureType t;
        using Kind = CaptureType::Kind;
        const TextPlace place = token_.place;
        const std::string word = expectNameKeepingEnd("a type");
        if (word == "f")
            t.kind = Kind::Floating;
        else if (word == "i")
            t.kind = Kind::Integer;
        else if (word == "b")
            t.kind = Kind::Boolean;
        else if (word == "scalar")
            t.kind = Kind::Scalar;
        else if (word == "sym")
            t.kind = Kind::Symbol;
        else if (word == "rank") {
            t.kind = Kind::Rank;
            t.rank = expectInteger();
            if (t.rank < 0 || t.rank > 64) throw SyntaxError{place, "a rank from 0 to 64", std::to_string(t.rank)};
        } else {
            t.kind = Kind::DTypes;
            std::string name = word;
            for (;;) {
                const auto dtype = dtypeFromShortName(name);
                if (!dtype) throw SyntaxError{place, "f, i, b, scalar, sym, rank or a dtype such as f32", "\"" + name + "\""};
                t.dtypes.push_back(*dtype);
                if (!acceptSign("|")) break;
                name = expectNameKeepingEnd("a dtype");
            }
        }
        return t;
    }

    // --- macros
    const Macro* macroOf(const Expr& e) const {
        if (e.ops.size() != 1) return nullptr;
        if (const auto m = macros_.find(e.ops.front()); m != macros_.end()) return &m->second;
        if (!inOperators_ || !prelude_) return nullptr;
        const auto m = prelude_->find(e.ops.front());
        return m == prelude_->end() ? nullptr : &m->second;
    }

    Expr expand(Expr use, const Macro& macro, int depth) {
        if (use.args.size() != macro.parameters.size())
            throw SyntaxError{use.place, std::to_string(macro.parameters.size()) + " arguments of " + use.ops.front(),
                              std::to_string(use.args.size())};
        std::map<std::string, const Expr*> given;
        for (std::size_t i = 0; i < use.args.size(); ++i) given[macro.parameters[i]] = &use.args[i].value;
        Expr out = substitute(macro.body, given, use.place, depth, ++expansions_);
        if (!use.name.empty()) out.name = use.name;
        if (use.optional || use.shared || use.commute) {
            if (out.kind != Expr::Kind::Call) throw SyntaxError{use.place, "a macro of an operator before ? and !", use.ops.front()};
            if (use.optional) out.absent = {{"", use.args.front().value}};
            out.optional |= use.optional;
            out.shared |= use.shared;
            out.commute |= use.commute;
        }
        return out;
    }

    Expr substitute(const Expr& e, const std::map<std::string, const Expr*>& given, TextPlace place, int depth, std::size_t expansion) {
        count();
        if (depth > limits_.depth) throw SyntaxError{place, "expressions nested at most " + std::to_string(limits_.depth) + " deep", "more"};
        if (e.kind == Expr::Kind::Capture) {
            const auto it = given.find(e.name);
            if (it != given.end()) {
                charge(*it->second, depth);
                return *it->second;
            }
        }
        Expr out = e;
        out.place = place;
        // Nodes that a macro names are its own: every use of the macro has other ones.
        if (e.kind == Expr::Kind::NodeRef || (e.kind == Expr::Kind::Call && !e.name.empty())) out.name = e.name + "@" + std::to_string(expansion);
        for (Argument& a : out.args) a.value = substitute(a.value, given, place, depth + 1, expansion);
        for (Argument& a : out.absent) a.value = substitute(a.value, given, place, depth + 1, expansion);
        return out;
    }

    /// A copied argument counts as if it had been written again.
    void charge(const Expr& e, int depth) {
        count();
        if (depth > limits_.depth) throw SyntaxError{e.place, "expressions nested at most " + std::to_string(limits_.depth) + " deep", "more"};
        for (const Argument& a : e.args) charge(a.value, depth + 1);
        for (const Argument& a : e.absent) charge(a.value, depth + 1);
    }

    std::string_view text_;
    Lexer lexer_;
    LanguageLimits limits_;
    const std::map<std::string, Macro>* prelude_;
    Token token_;
    std::map<std::string, Macro> macros_;
    bool inOperators_ = false;
    std::size_t expressions_ = 0, expansions_ = 0, unnamed_ = 0, lastEnd_ = 0;
};

const std::map<std::string, Macro>& preludeMacros() {
    static const auto macros = [] {
        PatternFile none;
        Parser parser(embedded::pattern_macros, LanguageLimits(), nullptr);
        parser.file(none);  // a part of the program: a test keeps it free of errors
        return parser.macros();
    }();
    return macros;
}

std::string excerptOf(std::string_view text, TextPlace place) {
    std::size_t begin = 0;
    for (std::uint32_t line = 1; line < place.line; ++line) begin = text.find('\n', begin) + 1;
    std::string line(text.substr(begin, std::min<std::size_t>(text.find('\n', begin) - begin, 120)));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    if (line.empty()) return {};
    if (place.column > 120) return "    " + line;
    return "    " + line + "\n    " + std::string(place.column - 1, ' ') + "^";
}

Diagnostic syntaxError(std::string_view text, std::string_view file, const SyntaxError& e) {
    Diagnostic d = userError("PATTERN_SYNTAX", {{"file", std::string(file)},
                                                {"line", std::to_string(e.place.line)},
                                                {"col", std::to_string(e.place.column)},
                                                {"want", e.want},
                                                {"got", e.got}});
    if (!text.empty()) d.excerpt = excerptOf(text, e.place);
    return d;
}

}  // namespace

Result<PatternFile> parsePatterns(std::string_view text, std::string_view fileName, const LanguageLimits& limits) {
    PatternFile out;
    out.name = fileName;
    try {
        if (text.size() > limits.bytes)
            throw SyntaxError{{}, "a text of at most " + std::to_string(limits.bytes) + " bytes", std::to_string(text.size())};
        Parser(text, limits, &preludeMacros()).file(out);
    } catch (const SyntaxError& e) {
        return fail(syntaxError(text, fileName, e));
    }
    return out;
}

Result<PatternFile> readPatternFile(const std::string& path) {
    const auto unreadable = [&](std::string got) { return fail(syntaxError("", path, {{}, "a file of patterns", std::move(got)})); };
    std::ifstream in(path, std::ios::binary);
    if (!in) return unreadable("none that can be opened");
    std::string text;
    char block[65536];
    while (in.read(block, sizeof block) || in.gcount() > 0) {
        text.append(block, static_cast<std::size_t>(in.gcount()));
        if (text.size() > LanguageLimits().bytes) return unreadable("more than " + std::to_string(LanguageLimits().bytes) + " bytes");
    }
    if (in.bad()) return unreadable("one that cannot be read");
    return parsePatterns(text, path);
}

}  // namespace aliascope::patterns
