#pragma once
// Result<T>: a value, or the Diagnostic that says why there is none. No exceptions cross a public header of core.

#include <tl/expected.hpp>

#include "core/support/diagnostic.h"

namespace aliascope {

template <class T>
using Result = tl::expected<T, Diagnostic>;
using Status = tl::expected<void, Diagnostic>;

inline tl::unexpected<Diagnostic> fail(Diagnostic d) { return tl::unexpected<Diagnostic>(std::move(d)); }

}  // namespace aliascope
