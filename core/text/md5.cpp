#include "core/text/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace aliascope {
namespace {

using State = std::array<std::uint32_t, 4>;

std::uint32_t wordAt(const unsigned char* p) {
    return std::uint32_t(p[0]) | std::uint32_t(p[1]) << 8 | std::uint32_t(p[2]) << 16 | std::uint32_t(p[3]) << 24;
}

const std::array<std::uint32_t, 64>& sines() {
    static const auto table = [] {
        std::array<std::uint32_t, 64> t{};
        for (std::size_t i = 0; i < t.size(); ++i) t[i] = static_cast<std::uint32_t>(std::floor(std::abs(std::sin(double(i + 1))) * 4294967296.0));
        return t;
    }();
    return table;
}

void addBlock(State& state, const unsigned char* block) {
    static constexpr std::array<std::array<int, 4>, 4> kTurns = {{{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
    const auto& sine = sines();
    auto [a, b, c, d] = state;
    for (std::uint32_t i = 0; i < 64; ++i) {
        const std::uint32_t round = i / 16;
        std::uint32_t f = 0, word = 0;
        if (round == 0) {
            f = (b & c) | (~b & d);
            word = i;
        } else if (round == 1) {
            f = (d & b) | (~d & c);
            word = (5 * i + 1) % 16;
        } else if (round == 2) {
            f = b ^ c ^ d;
            word = (3 * i + 5) % 16;
        } else {
            f = c ^ (b | ~d);
            word = (7 * i) % 16;
        }
        const std::uint32_t sum = a + f + sine[i] + wordAt(block + 4 * word);
        a = d;
        d = c;
        c = b;
        b += std::rotl(sum, kTurns[round][i % 4]);
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::string md5Hex(std::string_view bytes) {
    State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t left = bytes.size();
    for (; left >= 64; left -= 64, p += 64) addBlock(state, p);
    unsigned char tail[128] = {};
    std::memcpy(tail, p, left);
    tail[left] = 0x80;
    const std::size_t blocks = left + 9 <= 64 ? 1 : 2;
    const std::uint64_t bits = std::uint64_t(bytes.size()) * 8;
    for (std::size_t i = 0; i < 8; ++i) tail[blocks * 64 - 8 + i] = static_cast<unsigned char>(bits >> (8 * i));
    for (std::size_t i = 0; i < blocks; ++i) addBlock(state, tail + 64 * i);
    std::string out;
    for (const std::uint32_t word : state)
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t byte = (word >> (8 * i)) & 0xff;
            out += "0123456789abcdef"[byte >> 4];
            out += "0123456789abcdef"[byte & 15];
        }
    return out;
}

}  // namespace aliascope
