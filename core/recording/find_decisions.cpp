#include "core/recording/find_decisions.h"

#include <algorithm>

#include "core/recording/decision_words.h"

namespace aliascope {
namespace {

using query::Field;
using query::Flag;
using query::Number;

std::optional<double> asNumber(const std::optional<std::int64_t>& n) { return n ? std::optional(static_cast<double>(*n)) : std::nullopt; }

std::string_view withoutPercent(std::string_view name) { return name.starts_with('%') ? name.substr(1) : name; }

class DecisionSubject final : public query::Subject {
public:
    DecisionSubject(const DecisionRow& row, const std::string& pass) : row_(row), pass_(pass) {}

    bool any(Field field, const Fits& fits) const override {
        const auto oneOf = [&](std::initializer_list<std::string_view> texts) {
            return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) { return !text.empty() && fits(text); });
        };
        const std::string reason = reasonName(row_.code);
        switch (field) {
            case Field::Text:
                return oneOf({row_.node, row_.origin, row_.op, row_.argument, row_.blocker, row_.code, reason, row_.sentence, row_.verdict, row_.need,
                              row_.stageName, row_.rule});
            case Field::Op:
                return oneOf({row_.op});
            case Field::Name:
                return oneOf({row_.node, row_.origin});
            case Field::Touches:
                return oneOf({row_.node, row_.origin, withoutPercent(row_.blocker)});
            case Field::Rule:
                return oneOf({row_.rule});
            case Field::Pass:
                return oneOf({pass_});
            case Field::Verdict:
                return oneOf({row_.verdict, row_.verdict == "clone" ? std::string_view(row_.need) : std::string_view()});
            case Field::Need:
                return oneOf({row_.need});
            case Field::Code:
                return oneOf({row_.code, reason});
            case Field::Stage:
                return oneOf({row_.stageName, std::to_string(row_.stage)});
            default:
                return false;
        }
    }
    std::optional<double> number(Number number) const override {
        switch (number) {
            case Number::Bytes:
                return static_cast<double>(std::max(row_.reportedBytes.value_or(0), row_.clonedBytes.value_or(0)));
            case Number::Reported:
                return asNumber(row_.reportedBytes);
            case Number::Cloned:
                return asNumber(row_.clonedBytes);
            case Number::Needed:
                return asNumber(row_.neededBytes);
            case Number::Clones:
                return row_.verdict == "clone" ? 1 : 0;
            default:
                return std::nullopt;
        }
    }
    bool is(Flag flag) const override { return flag == Flag::Clone && row_.verdict == "clone"; }
    bool holds(const query::Fact& fact) const override {
        if (fact.kind != query::Fact::Kind::Decision) return false;
        const std::string reason = reasonName(row_.code);
        return std::all_of(fact.with.begin(), fact.with.end(), [&](const auto& wanted) {
            const query::Word& word = wanted.second;
            const std::string& key = wanted.first;
            if (key == "code") return word.isPartOf(row_.code) || word.equals(reason);
            if (key == "op") return any(Field::Op, [&](std::string_view op) { return word.isPartOf(op); });
            if (key == "rule") return word.isPartOf(row_.rule);
            if (key == "verdict") return any(Field::Verdict, [&](std::string_view text) { return word.equals(text); });
            if (key == "need") return word.equals(row_.need);
            if (key == "pass") return word.equals(pass_);
            if (key == "argument") return word.equals(row_.argument);
            if (key == "blocker") return word.equals(withoutPercent(row_.blocker));
            return word.equals(row_.node) || word.equals(row_.origin);
        });
    }

private:
    const DecisionRow& row_;
    const std::string& pass_;
};

}  // namespace

bool decisionFits(const DecisionRow& row, const std::string& pass, query::Field field, const query::Subject::Fits& fits) {
    return DecisionSubject(row, pass).any(field, fits);
}

bool decisionHolds(const DecisionRow& row, const std::string& pass, const query::Fact& fact) { return DecisionSubject(row, pass).holds(fact); }

bool decisionMatches(const query::Find& what, const DecisionRow& row, const std::string& pass) { return what.matches(DecisionSubject(row, pass)); }

}  // namespace aliascope
