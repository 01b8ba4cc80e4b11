#include "core/text/sniff.h"

#include <algorithm>
#include <cstdio>

namespace aliascope {
namespace {

constexpr std::size_t kHead = 8192;

/// Control characters that no text holds: a file with many of them is binary even without a NUL.
bool isStrange(char c) {
    const auto b = static_cast<unsigned char>(c);
    return b < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\x1b' && c != '\b' && c != '\a';
}

}  // namespace

FileKind sniff(std::string_view head) {
    head = head.substr(0, kHead);
    using namespace std::string_view_literals;
    if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv)) return FileKind::Zip;
    if (head.starts_with("\x1f\x8b"sv)) return FileKind::Gzip;
    if (head.substr(std::min<std::size_t>(257, head.size()), 5) == "ustar") return FileKind::Tar;
    if (head.starts_with("SQLite format 3"sv)) return FileKind::Session;
    if (head.starts_with("\xff\xfe\0\0"sv)) return FileKind::Binary;  // UTF-32
    if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv)) return FileKind::Utf16;
    const auto strange = static_cast<std::size_t>(std::count_if(head.begin(), head.end(), isStrange));
    if (head.find('\0') != head.npos || strange * 20 > head.size()) return FileKind::Binary;
    return FileKind::Text;
}

std::string_view describe(FileKind kind) {
    switch (kind) {
        case FileKind::Zip:
            return "a zip archive";
        case FileKind::Gzip:
            return "a gzip stream";
        case FileKind::Tar:
            return "a tar archive";
        case FileKind::Session:
            return "a session of this program";
        case FileKind::Utf16:
            return "UTF-16 text";
        case FileKind::Binary:
            return "binary data";
        case FileKind::Text:
            break;
    }
    return "text";
}

std::string firstBytes(std::string_view head) {
    std::string out;
    for (const char c : head.substr(0, 16)) {
        const auto b = static_cast<unsigned char>(c);
        if (b >= 0x20 && b < 0x7f) {
            out += c;
        } else {
            char buffer[8];
            std::snprintf(buffer, sizeof buffer, "\\x%02x", b);
            out += buffer;
        }
    }
    return out;
}

}  // namespace aliascope
