#pragma once
// What a file is, by its first bytes (formats.md 2, steps 1 to 8).

#include <string>
#include <string_view>

namespace aliascope {

enum class FileKind { Text, Utf16, Zip, Gzip, Tar, Session, Binary };

/// Decides by at most the first 8 KiB.
FileKind sniff(std::string_view head);
/// `zip archive`, `gzip stream`, …: for a message.
std::string_view describe(FileKind kind);
/// The first bytes as text: printable ones as they are, others as \xNN; at most 16.
std::string firstBytes(std::string_view head);

}  // namespace aliascope
