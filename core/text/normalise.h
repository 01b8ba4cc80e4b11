#pragma once
// What happens to a text before any grammar sees it (formats.md 3).

#include <cstdint>
#include <string>

namespace aliascope {

struct NormalisedText {
    std::string text;
    std::uint64_t invalidBytes = 0;  ///< bytes that were no UTF-8 and became U+FFFD
    std::uint64_t firstInvalid = 0;  ///< position of the first, in the bytes as read
    bool quoteMarksCut = false, commentMarksCut = false, fencesCut = false;
};

/// BOM, UTF-8, line ends, colours, odd blanks and tabs, quote marks, Markdown fences, HTML entities, graphs pasted as comments; in this order.
/// Linear in the size; a text that needs none of it is moved through.
NormalisedText normalise(std::string bytes);
/// Only BOM and bytes that are no UTF-8: for texts whose other characters mean themselves (JSON, traces). A BOM becomes three blanks, so that places
/// stay those of the file as long as nothing was invalid.
NormalisedText cleanUtf8(std::string bytes);
/// UTF-16 with BOM to UTF-8; other bytes stay as they are.
std::string decodeUtf16(std::string bytes);

}  // namespace aliascope
