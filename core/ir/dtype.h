#pragma once
// Element types: PyTorch's names, both spellings, and their sizes (formats.md 5.5).

#include <cstdint>
#include <optional>
#include <string_view>

namespace aliascope {

enum class DType : std::uint8_t {
    Unknown, F64, F32, F16, BF16, F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F8E8M0FNU, F8E8M0FNU_X4, F4E2M1FN_X2, C32, C64, C128,
    I8, I16, I32, I64, U8, U16, U32, U64, B8, B16, B1X8,
};

struct DTypeInfo {
    DType dtype;
    std::string_view shortName;  ///< `f32`, as annotations print it
    std::string_view torchName;  ///< `float32`, as `torch.float32`
    int bytes;                   ///< 0 = unknown
    bool floating, complex, integral;  ///< bool (b8) is neither
};

const DTypeInfo& info(DType dtype);
/// `f32`; nothing for names outside the table.
std::optional<DType> dtypeFromShortName(std::string_view name);
/// `float32`, `float`, `half`, …, with or without `torch.`.
std::optional<DType> dtypeFromTorchName(std::string_view name);
inline int itemSize(DType dtype) { return info(dtype).bytes; }

}  // namespace aliascope
