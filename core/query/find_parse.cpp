// The grammar of ui.md 3.7:
//   find = or ;  or = and { "|" and } ;  and = not { not } ;  not = [ "-" ] term ;  term = "(" or ")" | field ":" words | number cmp amount | flag |
//   fact | "re:" regex | word ;
// A text that must be right ends at its first mistake; while somebody types, a term that is not finished is left out and the rest finds.

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/query/expression.h"

namespace aliascope::query {
namespace {

constexpr int maxDepth = 100;
constexpr std::size_t maxText = 100'000;

template <class T>
struct Spelled {
    std::string_view text;
    T value;
};

constexpr Spelled<Field> fields[] = {{"op", Field::Op},           {"name", Field::Name},       {"dtype", Field::Dtype}, {"storage", Field::Storage},
                                     {"src", Field::Source},      {"module", Field::Module},   {"rule", Field::Rule},   {"pass", Field::Pass},
                                     {"touches", Field::Touches}, {"verdict", Field::Verdict}, {"need", Field::Need},   {"code", Field::Code},
                                     {"stage", Field::Stage}};
constexpr Spelled<Number> numbers[] = {{"bytes", Number::Bytes},       {"cloned", Number::Cloned}, {"copied", Number::Copied},
                                       {"reported", Number::Reported}, {"needed", Number::Needed}, {"clones", Number::Clones},
                                       {"nodes", Number::Nodes},       {"users", Number::Users},   {"rank", Number::Rank},
                                       {"error", Number::Error},       {"time", Number::Time},     {"peak", Number::Peak}};
constexpr Spelled<Flag> flags[] = {{"changed", Flag::Changed}, {"added", Flag::Added},       {"removed", Flag::Removed}, {"input", Flag::Input},
                                   {"output", Flag::Output},   {"constant", Flag::Constant}, {"unknown", Flag::Unknown}, {"write", Flag::Write},
                                   {"view", Flag::View},       {"clone", Flag::Clone},       {"pinned", Flag::Pinned}};
constexpr Spelled<Fact::Kind> facts[] = {{"differs", Fact::Kind::Differs},
                                         {"decision", Fact::Kind::Decision},
                                         {"pass-fails", Fact::Kind::PassFails},
                                         {"verifier-fails", Fact::Kind::VerifierFails},
                                         {"finding", Fact::Kind::Finding}};
constexpr Spelled<Compare> compares[] = {{"!=", Compare::Different}, {"<=", Compare::AtMost}, {">=", Compare::AtLeast},
                                         {"=", Compare::Equal},      {"<", Compare::Less},    {">", Compare::More}};

template <class T, std::size_t N>
const Spelled<T>* lookUp(const Spelled<T> (&table)[N], std::string_view text) {
    const auto found = std::find_if(std::begin(table), std::end(table), [&](const Spelled<T>& entry) { return entry.text == text; });
    return found == std::end(table) ? nullptr : found;
}

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool endsWord(char c) { return isBlank(c) || c == '(' || c == ')' || c == '|' || c == ','; }

struct Mistake {
    std::size_t at;
    std::string want;
};

}  // namespace

struct FindParser {
    using Expression = Find::Expression;

    std::string_view text;
    bool lenient = false;
    std::size_t at = 0;
    std::optional<Mistake> first;  ///< of a lenient parse

    bool atEnd() const { return at >= text.size(); }
    void skipBlanks() {
        while (!atEnd() && isBlank(text[at])) ++at;
    }
    bool take(char c) {
        if (atEnd() || text[at] != c) return false;
        ++at;
        return true;
    }

    std::shared_ptr<const Expression> parse() {
        Expression whole = alternatives(0);
        while (!atEnd()) {  // only a `)` ends it early
            wrong({at, "no `)` without a `(`"});
            ++at;
            whole = both(std::move(whole), alternatives(0));
        }
        if (isEverything(whole)) return nullptr;
        return std::make_shared<const Expression>(std::move(whole));
    }

    static bool isEverything(const Expression& e) { return e.kind == Expression::Kind::And && e.parts.empty(); }
    static Expression both(Expression a, Expression b) {
        if (isEverything(a)) return b;
        if (isEverything(b)) return a;
        Expression out;
        out.parts.push_back(std::move(a));
        out.parts.push_back(std::move(b));
        return out;
    }

    void wrong(Mistake mistake) {
        if (!lenient) throw mistake;
        if (!first) first = std::move(mistake);
    }

    Expression alternatives(int depth) {
        Expression out;
        out.kind = Expression::Kind::Or;
        for (;;) {
            Expression part = terms(depth);
            if (!isEverything(part))
                out.parts.push_back(std::move(part));
            else if (!out.parts.empty() || (!atEnd() && text[at] == '|'))
                wrong({at, "a term beside `|`"});
            skipBlanks();
            if (!take('|')) break;
        }
        if (out.parts.empty()) return {};
        if (out.parts.size() > 1) return out;
        Expression only = std::move(out.parts.front());
        return only;
    }

    Expression terms(int depth) {
        Expression out;
        for (skipBlanks(); !atEnd() && text[at] != '|' && text[at] != ')'; skipBlanks()) {
            const std::size_t start = at;
            try {
                if (auto part = negation(depth)) out.parts.push_back(std::move(*part));
            } catch (const Mistake& mistake) {
                wrong(mistake);
                if (at == start) ++at;
                while (!atEnd() && !isBlank(text[at]) && text[at] != '|' && text[at] != ')') ++at;
            }
        }
        if (out.parts.size() == 1) {
            Expression only = std::move(out.parts.front());
            return only;
        }
        return out;
    }

    std::optional<Expression> negation(int depth) {
        const bool negated = take('-');
        if (negated && (atEnd() || isBlank(text[at]))) throw Mistake{at, "a term directly after `-`"};
        auto inner = term(depth);
        if (!negated || !inner) return inner;
        Expression out;
        out.kind = Expression::Kind::Not;
        out.parts.push_back(std::move(*inner));
        return out;
    }

    static Expression of(Term term) {
        Expression out;
        out.kind = Expression::Kind::Term;
        out.term = std::move(term);
        return out;
    }

    std::optional<Expression> term(int depth) {
        if (take('(')) {
            if (depth >= maxDepth) throw Mistake{at, "at most 100 brackets within each other"};
            Expression inner = alternatives(depth + 1);
            const bool closed = take(')');
            if (isEverything(inner))
                wrong({at, "a term between `(` and `)`"});
            else if (!closed)
                wrong({at, "`)`"});
            if (isEverything(inner)) return std::nullopt;
            return inner;
        }
        const std::size_t start = at;
        std::size_t end = at;
        while (end < text.size() && (std::isalpha(static_cast<unsigned char>(text[end])) || text[end] == '-')) ++end;
        const std::string_view key = text.substr(start, end - start);
        const bool colon = end < text.size() && text[end] == ':';
        if (colon && key == "re") return regex(end + 1);
        if (colon && key == "shape") return shape(end + 1);
        if (const auto* field = colon ? lookUp(fields, key) : nullptr) {
            at = end + 1;
            FieldTerm out{field->value, words("a word after `" + std::string(key) + ":`")};
            if (out.field == Field::Op) std::for_each(out.words.begin(), out.words.end(), spellWithDots);
            return of(std::move(out));
        }
        if (const auto* number = lookUp(numbers, key)) {
            if (auto found = comparison(number->value, end)) return found;
        }
        const bool alone = end == text.size() || endsWord(text[end]);
        if (const auto* flag = alone ? lookUp(flags, key) : nullptr) {
            at = end;
            return of(flag->value);
        }
        if (const auto* fact = alone ? lookUp(facts, key) : nullptr) {
            const bool bracket = end < text.size() && text[end] == '(';
            if (bracket || fact->value == Fact::Kind::Differs || fact->value == Fact::Kind::VerifierFails) return factTerm(fact->value, end);
        }
        return of(FieldTerm{Field::Text, {Word(word("a word"))}});
    }

    std::string word(std::string_view want) {
        if (!atEnd() && text[at] == '"') return quoted();
        const std::size_t start = at;
        while (!atEnd() && !endsWord(text[at])) ++at;
        if (at == start) throw Mistake{at, std::string(want)};
        return std::string(text.substr(start, at - start));
    }

    std::string quoted() {
        std::string out;
        for (++at; !atEnd() && text[at] != '"'; ++at) {
            if (text[at] == '\\' && at + 1 < text.size()) ++at;
            out += text[at];
        }
        if (!take('"')) throw Mistake{at, "the `\"` that ends the text"};
        if (out.empty()) throw Mistake{at, "a text between the quotes"};
        return out;
    }

    std::vector<Word> words(const std::string& want) {
        std::vector<Word> out;
        do out.emplace_back(word(want));
        while (take(','));
        return out;
    }

    /// `aten::clone` is `aten.clone`.
    static void spellWithDots(Word& word) {
        std::string spelled = word.text();
        for (std::size_t found = 0; (found = spelled.find("::", found)) != std::string::npos;) spelled.replace(found, 2, ".");
        word = Word(spelled);
    }

    Expression regex(std::size_t from) {
        at = from;
        std::string pattern;
        const std::size_t start = at;
        if (!atEnd() && text[at] == '"') {
            for (++at; !atEnd() && text[at] != '"'; ++at) {
                if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '"') ++at;
                pattern += text[at];
            }
            if (!take('"')) throw Mistake{at, "the `\"` that ends the expression"};
        } else {
            int open = 0;
            for (; !atEnd() && !isBlank(text[at]); ++at) {
                if (text[at] == '\\' && at + 1 < text.size())
                    pattern += text[at++];
                else if (text[at] == '(')
                    ++open;
                else if (text[at] == ')' && --open < 0)
                    break;
                pattern += text[at];
            }
        }
        if (pattern.empty()) throw Mistake{at, "a regular expression after `re:`"};
        const bool capital = std::any_of(pattern.begin(), pattern.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        auto compiled = Regex::compile(pattern, capital);
        if (!compiled) throw Mistake{start + compiled.error().column - 1, compiled.error().params.front().second};
        return of(std::move(*compiled));
    }

    Expression shape(std::size_t from) {
        at = from;
        if (!take('[')) throw Mistake{at, "`[` after `shape:`"};
        ShapeTerm out;
        skipBlanks();
        while (!take(']')) {
            if (!out.dims.empty() && !take(',')) throw Mistake{at, "`,` or `]`"};
            skipBlanks();
            const std::size_t start = at;
            int open = 0;
            for (; !atEnd() && text[at] != ']' && (text[at] != ',' || open > 0); ++at) open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
            std::size_t end = at;
            while (end > start && isBlank(text[end - 1])) --end;
            if (end == start) throw Mistake{at, "a number, a symbol, `*` or `...`"};
            out.dims.emplace_back(text.substr(start, end - start));
        }
        return of(std::move(out));
    }

    /// Nothing when no comparison follows: then it is a word like any other.
    std::optional<Expression> comparison(Number number, std::size_t end) {
        std::size_t next = end;
        while (next < text.size() && isBlank(text[next])) ++next;
        const auto* found =
            std::find_if(std::begin(compares), std::end(compares), [&](const auto& c) { return text.substr(next).starts_with(c.text); });
        if (found == std::end(compares)) return std::nullopt;
        at = next + found->text.size();
        skipBlanks();
        return of(NumberTerm{number, found->value, amount(number)});
    }

    Amount amount(Number number) {
        if (text.substr(at).starts_with("tol") && (at + 3 == text.size() || endsWord(text[at + 3]))) {
            if (number != Number::Error) throw Mistake{at, "a number; `tol` is for `error`"};
            at += 3;
            return {0, Amount::Kind::Tolerance};
        }
        Amount out;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), out.value);
        if (error != std::errc()) throw Mistake{at, "a number"};
        at = static_cast<std::size_t>(end - text.data());
        std::size_t unit = at;
        while (unit < text.size() && isBlank(text[unit])) ++unit;
        std::size_t stop = unit;
        while (stop < text.size() && !endsWord(text[stop])) ++stop;
        const std::string_view word = text.substr(unit, stop - unit);
        static constexpr Spelled<double> sizes[] = {{"K", 1024.},       {"KiB", 1024.},       {"M", 1048576.}, {"MiB", 1048576.},
                                                    {"G", 1073741824.}, {"GiB", 1073741824.}, {"B", 1.}};
        static constexpr Spelled<double> times[] = {{"ns", 1.}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
        const auto* size = number == Number::Time ? nullptr : lookUp(sizes, word);
        const auto* time = number == Number::Time ? lookUp(times, word) : nullptr;
        if (size || time)
            out.value *= size ? size->value : time->value;
        else if (word == "%")
            out.kind = Amount::Kind::Percent;
        else if (unit == at && !word.empty())
            throw Mistake{unit, number == Number::Time ? "us, ms, s or %" : "K, M, G, KiB, MiB, GiB or %"};
        else if (number == Number::Time)
            throw Mistake{at, "us, ms or s"};
        else
            return out;
        at = stop;
        return out;
    }

    Expression factTerm(Fact::Kind kind, std::size_t end) {
        at = end;
        Fact out;
        out.kind = kind;
        if (kind == Fact::Kind::VerifierFails || !take('(')) return of(std::move(out));
        skipBlanks();
        if (kind == Fact::Kind::Decision) {
            do {
                skipBlanks();
                const std::size_t start = at;
                while (!atEnd() && text[at] != '=' && !endsWord(text[at])) ++at;
                std::string key(text.substr(start, at - start));
                static constexpr std::string_view keys[] = {"code", "verdict", "need", "pass", "op", "node", "argument", "rule", "blocker"};
                if (std::find(std::begin(keys), std::end(keys), key) == std::end(keys))
                    throw Mistake{start, "code, verdict, need, pass, op, node, argument, rule or blocker"};
                if (!take('=')) throw Mistake{at, "`=`"};
                out.with.emplace_back(std::move(key), Word(word("a word after `=`")));
                skipBlanks();
            } while (take(','));
        } else {
            out.argument = word(kind == Fact::Kind::Differs ? "a stage" : kind == Fact::Kind::PassFails ? "a pass" : "a reason code");
        }
        skipBlanks();
        if (!take(')')) throw Mistake{at, "`)`"};
        return of(std::move(out));
    }

    static Find made(std::shared_ptr<const Expression> expression) {
        Find out;
        out.expression_ = std::move(expression);
        return out;
    }
};

namespace {

Diagnostic diagnosticOf(std::string_view text, const Mistake& mistake) {
    std::size_t end = mistake.at;
    while (end < text.size() && !endsWord(text[end])) ++end;
    const std::string_view word = text.substr(std::min(mistake.at, text.size()), std::max<std::size_t>(end - std::min(mistake.at, end), 1));
    Diagnostic d =
        userError("P005", {{"want", mistake.want}, {"got", word.empty() ? std::string("the end") : "`" + std::string(word.substr(0, 40)) + "`"}});
    d.line = 1;
    d.column =
        1 + static_cast<std::uint32_t>(std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(mistake.at, text.size())),
                                                     [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    d.excerpt = "    " + std::string(text.substr(0, 120)) + (d.column <= 120 ? "\n    " + std::string(d.column - 1, ' ') + "^" : std::string());
    return d;
}

}  // namespace

Typed typedFind(std::string_view text) {
    Typed out;
    FindParser parser;
    parser.text = text.substr(0, maxText);
    parser.lenient = true;
    out.find = FindParser::made(parser.parse());
    if (parser.first) out.error = diagnosticOf(text, *parser.first);
    return out;
}

Result<Find> parseFind(std::string_view text) {
    FindParser parser;
    parser.text = text;
    try {
        if (text.size() > maxText) throw Mistake{maxText, "at most 100,000 characters"};
        return FindParser::made(parser.parse());
    } catch (const Mistake& mistake) {
        return fail(diagnosticOf(text, mistake));
    }
}

}  // namespace aliascope::query
