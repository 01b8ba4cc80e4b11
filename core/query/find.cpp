#include "core/query/find.h"

#include <algorithm>

#include "core/query/expression.h"

namespace aliascope::query {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isCapital(char c) { return c >= 'A' && c <= 'Z'; }
bool endsPart(char c) { return c == '.' || c == ':' || c == '/' || c == ' '; }

bool same(char pattern, char sign, bool caseMatters) { return caseMatters ? pattern == sign : lower(pattern) == lower(sign); }

/// `*` = any run, `?` = one sign. Goes back to the last `*` only: linear but for that.
bool fits(std::string_view pattern, std::string_view text, bool caseMatters) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || same(pattern[p], text[t], caseMatters))) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

/// The dimensions of an annotation or list: what stands in its first square brackets, or the whole when it has none.
std::vector<std::string_view> dimensionsOf(std::string_view text) {
    std::vector<std::string_view> out;
    if (const std::size_t open = text.find('['); open != std::string_view::npos)
        text = text.substr(open + 1, std::min(text.find(']', open), text.size()) - open - 1);
    else
        return out;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && (text[i] == '(')) ++depth;
        if (i < text.size() && (text[i] == ')')) --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
        std::string_view dim = text.substr(start, i - start);
        while (!dim.empty() && dim.front() == ' ') dim.remove_prefix(1);
        while (!dim.empty() && dim.back() == ' ') dim.remove_suffix(1);
        if (!dim.empty()) out.push_back(dim);
        start = i + 1;
    }
    return out;
}

/// As wildcards over texts, with `...` for the `*`.
bool shapeFits(const std::vector<Word>& want, const std::vector<std::string_view>& have) {
    std::size_t w = 0, h = 0, dots = want.size() + 1, from = 0;
    while (h < have.size()) {
        if (w < want.size() && want[w].text() == "...") {
            dots = w++;
            from = h;
        } else if (w < want.size() && want[w].equals(have[h])) {
            ++w;
            ++h;
        } else if (dots <= want.size()) {
            w = dots + 1;
            h = ++from;
        } else {
            return false;
        }
    }
    while (w < want.size() && want[w].text() == "...") ++w;
    return w == want.size();
}

/// `op:clone` is any overload in any namespace: the packet's name, alone or with what stands beside it.
bool operatorFits(const Word& word, std::string_view op) {
    std::string spelled(op);
    for (std::size_t at = 0; (at = spelled.find("::", at)) != std::string::npos;) spelled.replace(at, 2, ".");
    const std::size_t first = spelled.find('.');
    if (word.equals(spelled) || first == std::string::npos) return word.equals(spelled);
    const std::size_t second = std::min(spelled.find('.', first + 1), spelled.size());
    const std::string_view all = spelled;
    return word.equals(all.substr(first + 1, second - first - 1)) || word.equals(all.substr(first + 1)) || word.equals(all.substr(0, second));
}

bool wordFits(Field field, const Word& word, std::string_view text) {
    switch (field) {
        case Field::Text:
            return word.isIn(text);
        case Field::Op:
            return operatorFits(word, text);
        case Field::Source:
            return word.isPartOf(text, true) || word.isPartOf(text.substr(0, text.rfind(':')), true);
        case Field::Storage:
            return word.equals(text) || (text.size() > 1 && word.equals(text.substr(1)));
        case Field::Module:
        case Field::Rule:
        case Field::Code:
            return word.isPartOf(text);
        default:
            return word.equals(text);
    }
}

class Evaluation {
public:
    explicit Evaluation(const Subject& subject) : subject_(subject) {}

    bool operator()(const FieldTerm& term) const {
        return std::any_of(term.words.begin(), term.words.end(), [&](const Word& word) {
            // `%add_3` speaks of names, wherever it is written.
            const bool named = word.text().size() > 1 && word.text()[0] == '%';
            const bool ofNames = term.field == Field::Name || term.field == Field::Touches || term.field == Field::Text;
            if (!named || !ofNames) return subject_.any(term.field, [&](std::string_view text) { return wordFits(term.field, word, text); });
            const Word name(std::string_view(word.text()).substr(1));
            const Field field = term.field == Field::Text ? Field::Name : term.field;
            return subject_.any(field, [&](std::string_view text) { return wordFits(term.field, name, text); });
        });
    }
    bool operator()(const ShapeTerm& term) const {
        return subject_.any(Field::Shape, [&](std::string_view text) {
            return text.find('[') != std::string_view::npos && shapeFits(term.dims, dimensionsOf(text));
        });
    }
    bool operator()(const NumberTerm& term) const {
        const auto have = subject_.number(term.number);
        if (!have) return false;
        double want = term.amount.value;
        if (term.amount.kind != Amount::Kind::Plain) {
            const auto base = term.amount.kind == Amount::Kind::Percent ? subject_.whole(term.number) : subject_.tolerance();
            if (!base) return false;
            want = term.amount.kind == Amount::Kind::Percent ? *base * want / 100 : *base;
        }
        switch (term.compare) {
            case Compare::Equal:
                return *have == want;
            case Compare::Different:
                return *have != want;
            case Compare::Less:
                return *have < want;
            case Compare::AtMost:
                return *have <= want;
            case Compare::More:
                return *have > want;
            case Compare::AtLeast:
                return *have >= want;
        }
        return false;
    }
    bool operator()(Flag flag) const { return subject_.is(flag); }
    bool operator()(const Fact& fact) const { return subject_.holds(fact); }
    bool operator()(const Regex& regex) const {
        return subject_.any(Field::Text, [&](std::string_view text) { return regex.isIn(text); });
    }

    /// As deep as the text nests brackets, which the parser bounds.
    bool holds(const Find::Expression& e) const {
        using Kind = Find::Expression::Kind;
        const auto part = [&](const Find::Expression& p) { return holds(p); };
        switch (e.kind) {
            case Kind::Term:
                return std::visit(*this, *e.term);
            case Kind::Not:
                return !holds(e.parts.front());
            case Kind::And:
                return std::all_of(e.parts.begin(), e.parts.end(), part);
            case Kind::Or:
                return std::any_of(e.parts.begin(), e.parts.end(), part);
        }
        return false;
    }

private:
    const Subject& subject_;
};

}  // namespace

Word::Word(std::string_view text)
    : text_(text), caseMatters_(std::any_of(text.begin(), text.end(), isCapital)), wild_(text.find_first_of("*?") != std::string_view::npos) {}

bool Word::equals(std::string_view text) const {
    if (wild_) return fits(text_, text, caseMatters_);
    return text.size() == text_.size() &&
           std::equal(text.begin(), text.end(), text_.begin(), [&](char a, char b) { return same(b, a, caseMatters_); });
}

bool Word::isPartOf(std::string_view text, bool atEnd) const {
    if (equals(text)) return true;
    for (std::size_t from = 0; from < text.size(); ++from) {
        if (from > 0 && !endsPart(text[from - 1])) continue;
        if (atEnd || !wild_) {
            const std::size_t size = atEnd ? text.size() - from : std::min(text_.size(), text.size() - from);
            const bool whole = from + size == text.size() || endsPart(text[from + size]);
            if (whole && equals(text.substr(from, size))) return true;
            continue;
        }
        for (std::size_t end = from + 1; end <= text.size(); ++end)
            if ((end == text.size() || endsPart(text[end])) && equals(text.substr(from, end - from))) return true;
    }
    return false;
}

bool Word::isIn(std::string_view text) const {
    if (wild_) return fits("*" + text_ + "*", text, caseMatters_);
    return std::search(text.begin(), text.end(), text_.begin(), text_.end(), [&](char a, char b) { return same(b, a, caseMatters_); }) != text.end();
}

Find::Find() = default;
bool Find::empty() const { return !expression_; }
bool Find::matches(const Subject& subject) const { return !expression_ || Evaluation(subject).holds(*expression_); }

}  // namespace aliascope::query
