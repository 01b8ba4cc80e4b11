#pragma once
// Philox-4x32-10, the counter-based generator of random numbers that PyTorch uses too: a block of four 32-bit numbers is a function of key and
// counter alone, so that elements may be made in any order. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (2011).

#include <array>
#include <cstdint>

namespace aliascope::exec {

using PhiloxBlock = std::array<std::uint32_t, 4>;

inline PhiloxBlock philox(std::uint64_t key, std::uint64_t counterLow, std::uint64_t counterHigh = 0) {
    PhiloxBlock c = {static_cast<std::uint32_t>(counterLow), static_cast<std::uint32_t>(counterLow >> 32), static_cast<std::uint32_t>(counterHigh),
                     static_cast<std::uint32_t>(counterHigh >> 32)};
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t(0xD2511F53) * c[0], b = std::uint64_t(0xCD9E8D57) * c[2];
        c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1,
             static_cast<std::uint32_t>(a)};
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return c;
}

}  // namespace aliascope::exec
