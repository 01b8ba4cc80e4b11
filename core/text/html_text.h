#pragma once
// Pages of tlparse (formats.md 2, step 10): the text inside `<pre>` and `<code>`, tags dropped, entities read.

#include <string>
#include <string_view>

namespace aliascope {

/// A text that starts with `<!doctype html` or `<html`, in any case, blanks before it allowed.
bool isHtml(std::string_view text);
/// What the page shows as code, blocks one below the other; of a page without such blocks everything that is no tag. Linear in its size.
std::string htmlText(std::string_view page);

}  // namespace aliascope
