#pragma once
// Literals of Python as they occur in graph files: numbers, strings, names. Shared by both dialects (formats.md 4.2, 5.4).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/value.h"

namespace aliascope {

inline bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isNameChar(char c) { return isNameStart(c) || isDigit(c); }
/// `[A-Za-z_][A-Za-z0-9_]*`; letters outside ASCII count, as in Python.
bool isIdentifier(std::string_view text);
/// `s77`, `u0`, `zf3`, `zuf1`, `i2`: how PyTorch names symbols (formats.md 5.5).
bool isSymbolName(std::string_view name);

/// A number without sign: int of any size, hex, float, exponent, `j`. Nothing when it is none; ints above 4,300 digits are refused.
std::optional<Value> readNumber(std::string_view token);
/// `-v` of a number literal; nothing for other kinds.
std::optional<Value> negated(const Value& number);
/// Text of a string literal with its quotes and prefix. Nothing for bytes and f-strings, which stay verbatim.
std::optional<std::string> decodePythonString(std::string_view literal);
/// Appends a code point as UTF-8.
void appendUtf8(std::string& out, std::uint32_t c);
/// Appends `text` as Python's repr writes it.
void appendPythonString(std::string& out, std::string_view text);

/// `cuda:0`, `cpu`: a name, optionally a colon and a number.
bool isDeviceSpelling(std::string_view text);
/// The same, and the name is one of PyTorch's devices.
bool isKnownDevice(std::string_view text);

/// Text without blanks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace aliascope
