#pragma once
// What a single line of text may be the start of (formats.md 4.1, 4.5, 5.1). Lines are given without their line feed.

#include <cstddef>
#include <string_view>

namespace aliascope {

/// Count of leading blanks.
std::size_t indentOf(std::string_view line);
/// `graph():`, possibly behind other words, possibly with ` -> TYPE`. The place of `graph` in the line, or npos.
std::size_t graphHeaderAt(std::string_view line);
/// `%x : [num_users=1] = …`, `%x : Tensor "f32[2]" = PlaceHolder[…]`.
bool isNodeLine(std::string_view line);
/// `%x = aten.add(%y, 1)`: a node that was shortened by hand.
bool isShortNodeLine(std::string_view line);
/// `return`, alone or with a value.
bool isReturnLine(std::string_view line);
/// `class NAME(torch.nn.Module):`, possibly behind a path. The place of `class`, or npos.
std::size_t classLineAt(std::string_view line);
/// `def forward(`; the place of `def` (or of `async`), or npos.
std::size_t forwardLineAt(std::string_view line);
/// The name in a class line: what stands between `class ` and the bracket.
std::string_view className(std::string_view line);

}  // namespace aliascope
