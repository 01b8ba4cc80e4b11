#include "app/cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace aliascope::cli {
namespace {

std::string cannotWrite(const std::string& where, int error) { return fmt::format("cannot write {}: {}", where, std::strerror(error)); }

/// 0, or errno.
int writeAll(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

/// Characters that steer a terminal, break its lines or turn the order of its text round (C0, C1, bidirectional marks).
bool steers(std::uint32_t c) {
    const auto within = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
    return c < 0x20 || within(0x7f, 0x9f) || c == 0x61c || within(0x200e, 0x200f) || within(0x2028, 0x202e) || within(0x2066, 0x2069);
}

/// Bytes of the character that `text` starts with; 0 when it may not be shown as it is or is no UTF-8.
std::size_t harmlessCharacter(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const std::uint32_t lead = byte(0);
    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4) return 0;
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    std::uint32_t c = size == 1 ? lead : lead & (0xffu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        c = (c << 6) | (byte(i) & 0x3f);
    }
    const bool overlong = (size == 3 && c < 0x800) || (size == 4 && c < 0x10000);
    return overlong || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || steers(c) ? 0 : size;
}

bool isSpecial(const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

}  // namespace

std::string escaped(std::string_view text, bool keepLines) {
    std::string out;
    while (!text.empty()) {
        const std::size_t bytes = keepLines && (text[0] == '\n' || text[0] == '\t') ? 1 : harmlessCharacter(text);
        if (bytes == 0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else
            out += text.substr(0, bytes);
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return out;
}

bool colorTerminal(std::FILE* stream) {
    const char* none = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return ::isatty(::fileno(stream)) != 0 && !(none && *none) && !(term && std::strcmp(term, "dumb") == 0);
}

Output::Output(std::string path, bool color) : path_(std::move(path)) {
    terminal_ = path_.empty() && ::isatty(STDOUT_FILENO) != 0;
    color_ = color && path_.empty() && colorTerminal(stdout);
}

Output::~Output() = default;

void Output::writeForeign(std::string_view text) { buffer_ += terminal_ ? escaped(text, true) : std::string(text); }

std::string Output::styled(Style style, std::string_view text) const {
    if (!color_ || style == Style::Plain || text.empty()) return escaped(text, true);
    const char* code = "0";
    switch (style) {
        case Style::Bold:
            code = "1";
            break;
        case Style::Dim:
            code = "2";
            break;
        case Style::Red:
            code = "1;31";
            break;
        case Style::Green:
            code = "32";
            break;
        case Style::Amber:
            code = "33";
            break;
        case Style::Plain:
            break;
    }
    return fmt::format("\x1b[{}m{}\x1b[0m", code, escaped(text, true));
}

std::string Output::finish() {
    if (!path_.empty()) return finishFile();
    const int error = writeAll(STDOUT_FILENO, buffer_);
    buffer_.clear();
    if (error != 0 && error != EPIPE) return cannotWrite("standard output", error);
    return {};
}

std::string Output::finishFile() {
    const bool special = isSpecial(path_);
    const std::string part = special ? path_ : fmt::format("{}.{}.part", path_, ::getpid());
    const int fd = ::open(part.c_str(), special ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return cannotWrite(path_, errno);
    int error = writeAll(fd, buffer_);
    buffer_.clear();
    if (::close(fd) != 0 && error == 0) error = errno;
    if (!special && error == 0 && ::rename(part.c_str(), path_.c_str()) != 0) error = errno;
    if (!special && error != 0) ::unlink(part.c_str());
    if (error != 0 && error != EPIPE) return cannotWrite(path_, error);
    return {};
}

}  // namespace aliascope::cli
