#pragma once
// Reader of schema text (schemas.md 1). Schema::parse is the public door; kernel signatures of `.ops` files come through here.

#include <string_view>

#include "core/ir/schema.h"

namespace aliascope {

/// `N(params)` of a `kernel N(…)` block: parameters as in a schema, no results, and a default may be any expression (`numel(x_ptr)`), which
/// becomes an Opaque value. The name becomes `triton::kernel.N`. Errors: R060 with column.
Result<Schema> parseKernelSignature(std::string_view text);

}  // namespace aliascope
