// Reader of the symbol grammar (formats.md 5.5).

#include <charconv>

#include "core/ir/sym_expr.h"

namespace aliascope {
namespace {

constexpr std::size_t maxText = 64 * 1024;
constexpr int maxNesting = 200;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Characters, not bytes, before `at`.
std::uint32_t columnOf(std::string_view text, std::size_t at) {
    std::uint32_t column = 1;
    for (std::size_t i = 0; i < at && i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) ++column;
    return column;
}

/// One argument of a function: a value, or a string such as the name in Symbol('s0').
struct Arg {
    std::string_view key;
    SymInt value;
    std::optional<std::string_view> string;
};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<SymInt> run() {
        if (text_.size() > maxText) return failAt(0, "at most 65536 characters");
        SymInt value = parseOr();
        skipBlanks();
        if (!failed_ && at_ < text_.size()) error("an operator or the end");
        if (failed_) return failAt(errorAt_, wanted_);
        return SymBuild::withText(value, trimmed());
    }

private:
    std::string_view trimmed() const {
        std::string_view t = text_;
        while (!t.empty() && (t.front() == ' ' || t.front() == '\t')) t.remove_prefix(1);
        while (!t.empty() && (t.back() == ' ' || t.back() == '\t')) t.remove_suffix(1);
        return t;
    }

    Result<SymInt> failAt(std::size_t at, std::string_view wanted) const {
        Diagnostic d = userError("R017");
        d.with("got", std::string(text_.substr(0, 120))).with("want", std::string(wanted));
        d.column = columnOf(text_, at);
        d.note = "expected " + std::string(wanted);
        return fail(std::move(d));
    }

    SymInt error(std::string_view wanted) {
        if (!failed_) {
            failed_ = true;
            errorAt_ = at_;
            wanted_ = wanted;
        }
        at_ = text_.size();
        return 0;
    }

    void skipBlanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    }

    /// Takes `token` unless a longer operator stands there.
    bool take(std::string_view token, std::string_view notFollowedBy = {}) {
        skipBlanks();
        if (!text_.substr(at_).starts_with(token)) return false;
        const std::size_t end = at_ + token.size();
        if (!notFollowedBy.empty() && end < text_.size() && notFollowedBy.find(text_[end]) != std::string_view::npos) return false;
        at_ = end;
        return true;
    }

    SymInt parseOr() { return parseLogic("|", &Parser::parseAnd); }
    SymInt parseAnd() { return parseLogic("&", &Parser::parseComparison); }

    SymInt parseLogic(std::string_view op, SymInt (Parser::*next)()) {
        skipBlanks();
        const std::size_t begin = at_;
        SymInt value = (this->*next)();
        while (!failed_ && take(op)) {
            (this->*next)();
            value = textTerm(begin);
        }
        return value;
    }

    SymInt parseComparison() {
        skipBlanks();
        const std::size_t begin = at_;
        SymInt value = parseSum();
        if (failed_) return value;
        if (take("<=") || take(">=") || take("==") || take("!=") || take("<", "<") || take(">", ">")) {
            parseSum();
            return textTerm(begin);
        }
        return value;
    }

    /// What was read from `begin` on, as a term that is only comparable by its text.
    SymInt textTerm(std::size_t begin) const { return SymBuild::opaque(text_.substr(begin, at_ - begin)); }

    SymInt parseSum() {
        SymInt value = parseProduct();
        while (!failed_) {
            if (take("+"))
                value = value + parseProduct();
            else if (take("-"))
                value = value - parseProduct();
            else
                break;
        }
        return value;
    }

    SymInt parseProduct() {
        // A number goes into a product last, and so does the minus of `-(a + 1)*b`, which by grammar belongs to the first factor: the value is
        // the same, and the product keeps the shape in which sympy printed it.
        SymInt number(take("-") ? -1 : 1), value(1);
        const auto multiply = [&](const SymInt& factor) {
            SymInt& into = factor.isConst() ? number : value;
            into = into * factor;
        };
        multiply(parsePower());
        while (!failed_) {
            if (take("*", "*")) {
                multiply(parsePower());
                continue;
            }
            value = number * value;
            number = SymInt(1);
            if (take("//"))
                value = floorDiv(value, parsePower());
            else if (take("/"))
                value = SymBuild::trueDiv(value, parsePower());
            else if (take("%"))
                value = mod(value, parsePower());
            else
                break;
        }
        return number * value;
    }

    SymInt parsePower() {
        if (!enter()) return 0;
        SymInt value;
        if (take("-")) {
            value = SymInt(0) - parsePower();
        } else if (take("~")) {
            const SymInt inner = parsePower();
            value = inner.isConst() ? SymInt(~*inner.constant()) : SymBuild::call("~"_n, {inner});
        } else {
            value = parseAtom();
            if (!failed_ && take("**")) value = powerOf(value, parsePower());
        }
        --nesting_;
        return value;
    }

    bool enter() {
        if (++nesting_ <= maxNesting * 2) return true;
        error("at most 200 nested brackets");
        return false;
    }

    static SymInt powerOf(const SymInt& base, const SymInt& exponent) {
        const auto n = exponent.constant();
        if (n && *n >= 0 && *n <= 4096) return SymBuild::power(base, static_cast<std::uint32_t>(*n));
        return SymBuild::call("**"_n, {base, exponent});
    }

    SymInt parseAtom() {
        skipBlanks();
        if (at_ >= text_.size()) return error("a number, a symbol or '('");
        const char c = text_[at_];
        if (c == '(') {
            ++at_;
            if (!enter()) return 0;
            SymInt value = parseOr();
            if (!failed_ && !take(")")) return error("')'");
            --nesting_;
            return value;
        }
        if (isDigit(c) || c == '.') return parseNumber();
        if (isNameStart(c)) return parseName();
        return error("a number, a symbol or '('");
    }

    SymInt parseNumber() {
        const std::size_t begin = at_;
        bool isFloat = false;
        const auto digits = [&] {
            const std::size_t from = at_;
            while (at_ < text_.size() && isDigit(text_[at_])) ++at_;
            return at_ > from;
        };
        const bool whole = digits();
        if (at_ < text_.size() && text_[at_] == '.') {
            isFloat = true;
            ++at_;
            if (!digits() && !whole) return error("a digit");
        }
        if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            isFloat = true;
            ++at_;
            if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
            if (!digits()) return error("digits of an exponent");
        }
        const std::string_view token = text_.substr(begin, at_ - begin);
        if (!isFloat) {
            std::int64_t value = 0;
            const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), value);
            if (code == std::errc() && end == token.data() + token.size()) return SymInt(value);
        }
        return SymBuild::opaque(token);
    }

    std::string_view takeIdentifier() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (isNameStart(text_[at_]) || isDigit(text_[at_]))) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    SymInt parseName() {
        const std::size_t begin = at_;
        std::string_view name = takeIdentifier();
        while (at_ + 1 < text_.size() && text_[at_] == '.' && isNameStart(text_[at_ + 1])) {
            ++at_;
            name = takeIdentifier();
        }
        if (at_ < text_.size() && text_[at_] == '(') {
            ++at_;
            return parseCall(name);
        }
        const std::string_view whole = text_.substr(begin, at_ - begin);
        if (whole.size() != name.size()) return error("'(' after a dotted name");
        static constexpr std::string_view constants[] = {"oo", "int_oo", "zoo", "nan", "True", "False", "true", "false"};
        for (std::string_view k : constants)
            if (name == k) return SymBuild::opaque(name);
        return SymBuild::symbol(Name(name));
    }

    SymInt parseCall(std::string_view function) {
        if (!enter()) return 0;
        std::vector<Arg> args;
        if (!take(")")) {
            do {
                args.push_back(parseArg());
                if (failed_) return 0;
            } while (take(","));
            if (!take(")")) return error("',' or ')'");
        }
        --nesting_;
        return applyFunction(function, args);
    }

    Arg parseArg() {
        Arg arg;
        skipBlanks();
        const std::size_t begin = at_;
        if (at_ < text_.size() && isNameStart(text_[at_])) {
            const std::string_view key = takeIdentifier();
            if (take("=", "="))
                arg.key = key;
            else
                at_ = begin;
        }
        skipBlanks();
        if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
            const std::size_t end = text_.find(text_[at_], at_ + 1);
            if (end == std::string_view::npos) {
                error("the end of the string");
                return arg;
            }
            arg.string = text_.substr(at_ + 1, end - at_ - 1);
            arg.value = SymBuild::opaque(text_.substr(at_, end + 1 - at_));
            at_ = end + 1;
            return arg;
        }
        arg.value = parseOr();
        return arg;
    }

    SymInt applyFunction(std::string_view f, const std::vector<Arg>& args) {
        if (f == "Symbol" && !args.empty() && args[0].string && !args[0].string->empty()) return SymBuild::symbol(Name(*args[0].string));
        if (f == "Float" && !args.empty()) return SymBuild::opaque(args[0].string ? *args[0].string : args[0].value.str());
        std::vector<SymInt> v;
        for (const Arg& a : args)
            if (a.key.empty() || a.key == "evaluate") {
                if (a.key.empty()) v.push_back(a.value);
            } else {
                v.push_back(SymBuild::opaque(std::string(a.key) + "=" + a.value.str()));
            }
        if (v.size() == 1 && (f == "Integer" || f == "Identity")) return v[0];
        if (v.size() == 2) {
            if (f == "FloorDiv" || f == "CleanDiv") return floorDiv(v[0], v[1]);
            if (f == "Mod" || f == "PythonMod") return mod(v[0], v[1]);
            if (f == "CeilDiv") return floorDiv(v[0] + v[1] - SymInt(1), v[1]);
            if (f == "Pow" || f == "PowByNatural") return powerOf(v[0], v[1]);
            if (f == "Rational") return SymBuild::trueDiv(v[0], v[1]);
        }
        if (v.size() == 3 && f == "ModularIndexing") return mod(floorDiv(v[0], v[1]), v[2]);
        if (!v.empty() && (f == "Max" || f == "Min" || f == "Add" || f == "Mul")) {
            SymInt r = v[0];
            for (std::size_t i = 1; i < v.size(); ++i) r = f == "Max" ? max(r, v[i]) : f == "Min" ? min(r, v[i]) : f == "Add" ? r + v[i] : r * v[i];
            return r;
        }
        return SymBuild::call(Name(f), std::move(v));
    }

    std::string_view text_;
    std::size_t at_ = 0, errorAt_ = 0;
    int nesting_ = 0;
    bool failed_ = false;
    std::string_view wanted_;
};

}  // namespace

SymInt SymBuild::trueDiv(const SymInt& a, const SymInt& b) {
    if (const auto k = b.constant(); k && *k > 0) {
        const SymAddends addends = symAddends(a);
        bool divides = addends.constant % *k == 0;
        for (const auto& p : addends.parts) divides = divides && p.n % *k == 0;
        if (divides) return floorDiv(a, b);
    }
    return call("/"_n, {a, b});
}

Result<SymInt> SymInt::parse(std::string_view text) { return Parser(text).run(); }

}  // namespace aliascope
