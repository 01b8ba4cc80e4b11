#pragma once
// What a search in a text gives when there is nothing. Private to core/text.

#include <cstddef>
#include <string_view>

namespace aliascope {

inline constexpr std::size_t kNone = std::string_view::npos;

}  // namespace aliascope
