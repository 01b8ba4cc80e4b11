#pragma once
// What a find text came to. Private to core/query.

#include <optional>
#include <variant>
#include <vector>

#include "core/query/find.h"
#include "core/query/regex.h"

namespace aliascope::query {

enum class Compare : std::uint8_t { Equal, Different, Less, AtMost, More, AtLeast };

struct Amount {
    double value = 0;
    enum class Kind : std::uint8_t { Plain, Percent, Tolerance } kind = Kind::Plain;
};
struct FieldTerm {
    Field field = Field::Text;
    std::vector<Word> words;  ///< any of them
};
struct ShapeTerm {
    std::vector<Word> dims;  ///< `...` stands for any number of dimensions
};
struct NumberTerm {
    Number number = Number::Bytes;
    Compare compare = Compare::Equal;
    Amount amount;
};
using Term = std::variant<FieldTerm, ShapeTerm, NumberTerm, Flag, Fact, Regex>;

struct Find::Expression {
    enum class Kind : std::uint8_t { Term, Not, And, Or } kind = Kind::And;
    std::optional<Term> term;
    std::vector<Expression> parts;
};

}  // namespace aliascope::query
