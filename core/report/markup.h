#pragma once
// Pieces of HTML, SVG and DOT that every report shares. Whatever comes from a file passes through escaped().

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aliascope::report {

/// For text and attributes of HTML and SVG: markup signs as entities; control characters, and bytes that are no UTF-8, as U+FFFD.
std::string escaped(std::string_view text);
/// At most `most` characters, the last one `…` when it was cut.
std::string shortened(std::string_view text, std::size_t most);
/// The colours of ui.md 4.3 as CSS variables (`--ink`, `--added-fill`, …), light, and dark where the reader's system is dark.
std::string colourSheet();
/// The sheet of a picture that stands alone: colours as numbers, since few viewers of SVG know variables; dark where the viewer asks for it.
std::string standaloneSheet();
/// Classes of the pictures: cards, edges, groups, byte bars.
std::string pictureSheet();

/// One cell of a table: text, already as markup, and the number to sort by if it is one.
struct Cell {
    std::string markup;
    std::string sortKey;
    bool right = false;
};
class HtmlTable {
public:
    explicit HtmlTable(std::vector<std::string> titles) : titles_(std::move(titles)) {}
    void row(std::vector<Cell> cells, std::string_view rowClass = {});
    bool empty() const { return rows_.empty(); }
    /// `caption` is for readers who hear the page.
    std::string markup(std::string_view caption) const;

private:
    std::vector<std::string> titles_;
    std::string rows_;
};
Cell text(std::string_view plain);
Cell number(std::int64_t n);
/// `shown` beside the bytes that it is sorted by.
Cell amount(std::string_view shown, std::int64_t bytes);

}  // namespace aliascope::report
