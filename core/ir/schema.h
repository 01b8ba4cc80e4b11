#pragma once
// Operator schemas: PyTorch's schema language and the facts derived from it (schemas.md 1 to 3).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/value.h"
#include "core/support/name.h"
#include "core/support/result.h"

namespace aliascope {

/// `(a! -> b|*)`: before and after sets, and whether it is written.
struct AliasAnnotation {
    std::vector<Name> before, after;  ///< `*` is the wildcard; after is empty when the text has no arrow
    bool written = false;
    bool fresh = false;               ///< `Tensor!`: an anonymous set of its own
};

/// A type tree: base (`Tensor`, `int`, `Scalar`, `Dict`, …), its arguments, suffixes `?` and `[N]`.
struct SchemaType {
    enum class Kind : std::uint8_t { Base, Optional, List, Generic, TupleOf } kind = Kind::Base;
    Name base;                              ///< of Base and Generic
    std::vector<SchemaType> parts;          ///< element of Optional and List; arguments of Generic and TupleOf
    std::optional<std::int64_t> fixedSize;  ///< of List: `int[2]`
    std::optional<AliasAnnotation> alias;

    /// The type is `Tensor` once `?` and `[…]` are taken off.
    bool isTensorLike() const;
    bool isOptional() const { return kind == Kind::Optional; }
    /// A list somewhere under optional marks.
    bool isList() const;
    bool written() const;                   ///< some annotation in the tree is written
    std::vector<Name> sets() const;         ///< union of all before and after sets, `*` left out
    Name innermost() const;                 ///< base name below `?` and `[…]`
    std::string str() const;
};

struct SchemaParam {
    Name name;
    SchemaType type;
    bool keywordOnly = false;
    std::optional<Value> defaultValue;
    std::string defaultText;  ///< verbatim
    bool written() const { return type.written(); }
};

struct SchemaReturn {
    SchemaType type;
    Name name;  ///< may be empty
};

/// How a return relates to a parameter.
enum class AliasKind : std::uint8_t { None, Same, View, Maybe };

struct Schema {
    Name ns, name, overload;  ///< overload empty = `default`
    std::vector<SchemaParam> params;
    std::vector<SchemaReturn> returns;
    bool variadic = false;         ///< `...` among the parameters
    bool variadicReturns = false;
    bool bareReturn = true;        ///< printed without parentheses

    /// One schema, without surrounding comment. Errors: R060 with column.
    static Result<Schema> parse(std::string_view text);
    std::string str() const;       ///< canonical text; parse -> str is the identity on the data file
    Name canonical() const;        ///< `aten::add.Tensor`, `mylib::foo`

    bool isMutable() const;
    bool isOut() const;
    bool isInPlace() const;
    bool isView() const;           ///< schemas.md 3, "view op"
    bool isMultiOutputView() const;
    AliasKind alias(std::size_t result, std::size_t param) const;
    int paramIndex(Name name) const;  ///< -1 when absent
    std::vector<std::size_t> writtenParams() const;
};

}  // namespace aliascope
