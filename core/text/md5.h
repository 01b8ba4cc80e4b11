#pragma once
// MD5 (RFC 1321): TORCH_TRACE names the digest of every payload. Only to notice damage.

#include <string>
#include <string_view>

namespace aliascope {

/// 32 lower-case hexadecimal digits.
std::string md5Hex(std::string_view bytes);

}  // namespace aliascope
