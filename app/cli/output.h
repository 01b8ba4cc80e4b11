#pragma once
// Where the answer goes: standard output, or a file that appears only when it is complete. Notices write errors; a closed pipe is no error.

#include <cstdio>
#include <string>
#include <string_view>

namespace aliascope::cli {

class Output {
public:
    /// Empty path = standard output. `color` decides whether `style` writes escape sequences.
    Output(std::string path, bool color);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view text) { buffer_ += text; }
    /// Text that came from a file: control characters are shown as \xNN when it goes to a terminal.
    void writeForeign(std::string_view text);
    enum class Style { Plain, Bold, Dim, Red, Green, Amber };
    /// `text`, escaped, in a style; plain where there are no colours.
    std::string styled(Style style, std::string_view text) const;

    /// Writes everything out. Gives what went wrong, or an empty text.
    std::string finish();

private:
    std::string finishFile();
    std::string path_, buffer_;
    bool color_ = false, terminal_ = false;
};

/// Characters that steer a terminal, and bytes that are no UTF-8, as \xNN; line ends and tabs stay if `keepLines`.
std::string escaped(std::string_view text, bool keepLines = false);
/// The answer goes to a terminal that shows colours.
bool colorTerminal(std::FILE* stream);

}  // namespace aliascope::cli
