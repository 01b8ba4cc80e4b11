#pragma once
// Natural order of file names: numbers count as numbers, `model_2` before `model_10`.

#include <string_view>

namespace aliascope {

/// A strict weak order of texts; digits compare by value, everything else byte by byte.
bool naturallyBefore(std::string_view a, std::string_view b);

}  // namespace aliascope
