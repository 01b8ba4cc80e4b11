#include "app/cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

bool isSpecial(const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

}  // namespace

std::string escaped(std::string_view text, bool keepLines) {
    std::string out;
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && !(keepLines && (c == '\n' || c == '\t'))) || byte == 0x7f)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
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
    if (!color_ || style == Style::Plain || text.empty()) return std::string(text);
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
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
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
