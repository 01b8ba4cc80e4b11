#include "core/query/regex.h"

#include <algorithm>
#include <optional>
#include <string>

namespace aliascope::query {
namespace {

constexpr std::size_t maxSteps = 10'000;
constexpr std::uint32_t maxRepeat = 100;
constexpr int maxGroups = 50;

bool isDigit(unsigned char c) { return c >= '0' && c <= '9'; }
bool isWordSign(unsigned char c) { return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isSpace(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

using Set = std::bitset<256>;

Set setOf(bool (*belongs)(unsigned char), bool inverse) {
    Set out;
    for (unsigned c = 0; c < 256; ++c) out[c] = belongs(static_cast<unsigned char>(c)) != inverse;
    return out;
}

/// The class that `\d` and its like stand for.
std::optional<Set> classOf(char c) {
    switch (c) {
        case 'd':
            return setOf(isDigit, false);
        case 'D':
            return setOf(isDigit, true);
        case 'w':
            return setOf(isWordSign, false);
        case 'W':
            return setOf(isWordSign, true);
        case 's':
            return setOf(isSpace, false);
        case 'S':
            return setOf(isSpace, true);
        default:
            return std::nullopt;
    }
}

struct RegexMistake {
    std::size_t at;
    std::string want;
};

}  // namespace

/// Recursive descent over the pattern; every part leaves its steps at the end of the program, with relative order kept.
class RegexCompiler {
public:
    RegexCompiler(std::string_view pattern, bool caseMatters) : pattern_(pattern), caseMatters_(caseMatters) {}

    Result<Regex> compile() {
        try {
            alternatives(0);
            if (at_ < pattern_.size()) throw RegexMistake{at_, "no `)` without a `(`"};
            emit(Regex::Op::Match);
        } catch (const RegexMistake& mistake) {
            Diagnostic d = userError(
                "P005", {{"want", mistake.want},
                         {"got", mistake.at < pattern_.size() ? "`" + std::string(1, pattern_[mistake.at]) + "`" : std::string("the end")}});
            d.line = 1;
            d.column = static_cast<std::uint32_t>(mistake.at + 1);
            return fail(std::move(d));
        }
        return std::move(regex_);
    }

private:
    using Op = Regex::Op;

    std::uint32_t emit(Op op, std::uint32_t a = 0, std::uint32_t b = 0) {
        if (regex_.steps_.size() >= maxSteps) throw RegexMistake{at_, "a pattern of at most 10,000 steps"};
        regex_.steps_.push_back({op, a, b});
        return static_cast<std::uint32_t>(regex_.steps_.size() - 1);
    }
    std::uint32_t here() const { return static_cast<std::uint32_t>(regex_.steps_.size()); }
    bool atEnd() const { return at_ >= pattern_.size(); }
    char peek() const { return atEnd() ? '\0' : pattern_[at_]; }

    void alternatives(int depth) {
        if (depth > maxGroups) throw RegexMistake{at_, "at most 50 brackets within each other"};
        std::uint32_t start = here();
        sequence(depth);
        std::vector<std::uint32_t> ends;
        while (!atEnd() && peek() == '|') {
            ++at_;
            insertSplit(start);
            ends.push_back(emit(Op::Jump));
            regex_.steps_[start] = {Op::Split, start + 1, here()};
            start = here();
            sequence(depth);
        }
        for (std::uint32_t end : ends) regex_.steps_[end].a = here();
    }

    void sequence(int depth) {
        while (!atEnd() && peek() != '|' && peek() != ')') {
            const std::uint32_t start = here();
            atom(depth);
            repeat(start);
        }
    }

    void atom(int depth) {
        const char c = pattern_[at_++];
        switch (c) {
            case '(':
                if (pattern_.substr(at_, 2) == "?:") at_ += 2;
                alternatives(depth + 1);
                if (atEnd()) throw RegexMistake{at_, "`)`"};
                ++at_;
                return;
            case '^':
                emit(Op::Begin);
                return;
            case '$':
                emit(Op::End);
                return;
            case '.':
                return one(Set().set());
            case '[':
                return one(bracket());
            case '\\':
                return escape();
            case '*':
            case '+':
            case '?':
                throw RegexMistake{at_ - 1, "something to repeat"};
            default:
                return one(literal(c));
        }
    }

    void escape() {
        if (atEnd()) throw RegexMistake{at_, "a sign after `\\`"};
        const char c = pattern_[at_++];
        if (c == 'b') {
            emit(Op::Border);
            return;
        }
        const auto known = classOf(c);
        one(known ? *known : literal(c == 't' ? '\t' : c));
    }

    Set literal(char c) const {
        Set set;
        add(set, static_cast<unsigned char>(c));
        return set;
    }
    void add(Set& set, unsigned char c) const {
        set.set(c);
        if (caseMatters_) return;
        if (c >= 'a' && c <= 'z') set.set(c - 'a' + 'A');
        if (c >= 'A' && c <= 'Z') set.set(c - 'A' + 'a');
    }

    Set bracket() {
        Set set;
        const bool inverse = peek() == '^';
        if (inverse) ++at_;
        for (bool first = true; atEnd() || peek() != ']' || first; first = false) {
            if (atEnd()) throw RegexMistake{at_, "`]`"};
            char c = pattern_[at_++];
            if (c == '\\') {
                if (atEnd()) throw RegexMistake{at_, "a sign after `\\`"};
                c = pattern_[at_++];
                if (const auto known = classOf(c)) {
                    set |= *known;
                    continue;
                }
            }
            unsigned char last = static_cast<unsigned char>(c);
            if (peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
                last = static_cast<unsigned char>(pattern_[at_ + 1]);
                if (last < static_cast<unsigned char>(c)) throw RegexMistake{at_ + 1, "a range whose end is not before its start"};
                at_ += 2;
            }
            for (unsigned i = static_cast<unsigned char>(c); i <= last; ++i) add(set, static_cast<unsigned char>(i));
        }
        ++at_;
        return inverse ? ~set : set;
    }

    void one(const Set& set) {
        regex_.sets_.push_back(set);
        emit(Op::Set, static_cast<std::uint32_t>(regex_.sets_.size() - 1));
    }

    /// Makes room for a Split at `start`; where steps behind it lead is moved along.
    void insertSplit(std::uint32_t start) {
        emit(Op::Match);
        auto& steps = regex_.steps_;
        std::rotate(steps.begin() + start, steps.end() - 1, steps.end());
        for (std::size_t i = start + 1; i < steps.size(); ++i) {
            if (steps[i].op == Op::Split || steps[i].op == Op::Jump) {
                if (steps[i].a >= start) ++steps[i].a;
                if (steps[i].b >= start) ++steps[i].b;
            }
        }
    }

    void star(std::uint32_t start) {
        insertSplit(start);
        emit(Op::Jump, start);
        regex_.steps_[start] = {Op::Split, start + 1, here()};
    }
    void maybe(std::uint32_t start) {
        insertSplit(start);
        regex_.steps_[start] = {Op::Split, start + 1, here()};
    }
    /// The steps [start, end) once more, at the end.
    void copy(std::uint32_t start, std::uint32_t end) {
        const std::uint32_t shift = here() - start;
        for (std::uint32_t i = start; i < end; ++i) {
            Regex::Step step = regex_.steps_[i];
            const bool leads = step.op == Op::Split || step.op == Op::Jump;
            emit(step.op, step.a + (leads ? shift : 0), step.b + (leads ? shift : 0));
        }
    }

    void repeat(std::uint32_t start) {
        while (!atEnd() &&
               (peek() == '*' || peek() == '+' || peek() == '?' || (peek() == '{' && at_ + 1 < pattern_.size() && isDigit(pattern_[at_ + 1])))) {
            const char c = pattern_[at_++];
            const std::uint32_t end = here();
            if (c == '*')
                star(start);
            else if (c == '?')
                maybe(start);
            else if (c == '+') {
                copy(start, end);
                star(end);
            } else {
                times(start, end);
            }
        }
    }

    std::uint32_t count() {
        const std::size_t from = at_;
        std::uint32_t n = 0;
        while (!atEnd() && isDigit(static_cast<unsigned char>(peek()))) {
            n = n * 10 + static_cast<std::uint32_t>(pattern_[at_++] - '0');
            if (n > maxRepeat) throw RegexMistake{from, "a count up to 100"};
        }
        if (from == at_) throw RegexMistake{at_, "a count"};
        return n;
    }

    void times(std::uint32_t start, std::uint32_t end) {
        const std::size_t from = at_;
        const std::uint32_t least = count();
        std::uint32_t most = least;
        bool open = false;
        if (peek() == ',') {
            ++at_;
            open = peek() == '}';
            if (!open) most = count();
        }
        if (peek() != '}') throw RegexMistake{at_, "`}`"};
        ++at_;
        if (most < least) throw RegexMistake{from, "a range whose end is not before its start"};
        const std::vector<Regex::Step> unit(regex_.steps_.begin() + start, regex_.steps_.begin() + end);
        regex_.steps_.resize(start);
        const auto append = [&] {
            const std::uint32_t at = here();
            for (Regex::Step step : unit) {
                const bool leads = step.op == Op::Split || step.op == Op::Jump;
                emit(step.op, leads ? step.a - start + at : step.a, leads ? step.b - start + at : step.b);
            }
            return at;
        };
        for (std::uint32_t i = 0; i < least; ++i) append();
        if (open) star(append());
        for (std::uint32_t i = least; i < most && !open; ++i) maybe(append());
    }

    std::string_view pattern_;
    bool caseMatters_;
    std::size_t at_ = 0;
    Regex regex_;
};

Result<Regex> Regex::compile(std::string_view pattern, bool caseMatters) { return RegexCompiler(pattern, caseMatters).compile(); }

bool Regex::isIn(std::string_view text) const {
    // The set of steps at which a match may stand, carried from sign to sign; a match may start anywhere.
    std::vector<std::uint32_t> current, next, pending;
    std::vector<std::size_t> seen(steps_.size(), 0);
    std::size_t round = 0;
    const auto wordAt = [&](std::size_t i) { return i < text.size() && isWordSign(static_cast<unsigned char>(text[i])); };
    /// Follows what consumes nothing. True: a match ends here.
    const auto follow = [&](std::uint32_t from, std::size_t at, std::vector<std::uint32_t>& list) {
        pending.assign(1, from);
        while (!pending.empty()) {
            const std::uint32_t i = pending.back();
            pending.pop_back();
            if (seen[i] == round) continue;
            seen[i] = round;
            const Step& step = steps_[i];
            switch (step.op) {
                case Op::Match:
                    return true;
                case Op::Set:
                    list.push_back(i);
                    break;
                case Op::Jump:
                    pending.push_back(step.a);
                    break;
                case Op::Split:
                    pending.push_back(step.b);
                    pending.push_back(step.a);
                    break;
                case Op::Begin:
                    if (at == 0) pending.push_back(i + 1);
                    break;
                case Op::End:
                    if (at == text.size()) pending.push_back(i + 1);
                    break;
                case Op::Border:
                    if ((at > 0 && wordAt(at - 1)) != wordAt(at)) pending.push_back(i + 1);
                    break;
            }
        }
        return false;
    };
    for (std::size_t at = 0;; ++at) {
        ++round;
        for (std::uint32_t i : next)
            if (follow(i, at, current)) return true;
        if (follow(0, at, current)) return true;
        next.clear();
        if (at == text.size()) return false;
        for (std::uint32_t i : current)
            if (sets_[steps_[i].a][static_cast<unsigned char>(text[at])]) next.push_back(i + 1);
        current.clear();
    }
}

}  // namespace aliascope::query
