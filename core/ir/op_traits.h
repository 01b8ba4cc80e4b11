#pragma once
// Facts that schemas do not tell (schemas.md 4, 5), read from resources/op_traits.txt. One line per pattern:
//   aten::native_batch_norm  writes=running_mean,running_var  when=training
// A name without overload stands for all overloads; `*` at the end stands for any rest. Several lines may match one operator.
// Keys: traits (write-only handle-only partial-write random effect host-read shape-only fresh-copy scatter resizes pointwise),
// alias (if-layout, silent, identity, fresh), writes (parameters, or `none`: the annotation is wrong), when (a parameter that must be true for
// `writes` and `random` of this line to hold).

#include <string_view>
#include <vector>

#include "core/ir/op_registry.h"

namespace aliascope {

class OpTraits {
public:
    /// The table that is part of the program.
    static const OpTraits& builtin();
    /// Unknown keys and words are warnings; the rest of the line holds.
    static OpTraits parse(std::string_view text, std::vector<Diagnostic>& problems);

    /// Adds what the table says of `op.canonical`, and what follows from the schema alone (a `Generator` parameter makes it random).
    void apply(OpDef& op) const;

private:
    struct Rule {
        std::string_view pattern;  ///< without the `*`
        bool prefix = false;
        Trait traits = Trait::None;
        std::vector<Name> writes;
        bool writesNone = false;
        Name when;
    };
    std::vector<Rule> exact_;  ///< sorted by pattern
    std::vector<Rule> prefixes_;
};

}  // namespace aliascope
