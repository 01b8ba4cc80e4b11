#include "core/ir/dtype.h"

#include <array>
#include <unordered_map>

namespace aliascope {
namespace {

constexpr std::array kTable = {
    DTypeInfo{DType::Unknown, "?", "unknown", 0, false, false, false},
    DTypeInfo{DType::F64, "f64", "float64", 8, true, false, false},
    DTypeInfo{DType::F32, "f32", "float32", 4, true, false, false},
    DTypeInfo{DType::F16, "f16", "float16", 2, true, false, false},
    DTypeInfo{DType::BF16, "bf16", "bfloat16", 2, true, false, false},
    DTypeInfo{DType::F8E4M3FN, "f8e4m3fn", "float8_e4m3fn", 1, true, false, false},
    DTypeInfo{DType::F8E5M2, "f8e5m2", "float8_e5m2", 1, true, false, false},
    DTypeInfo{DType::F8E4M3FNUZ, "f8e4m3fnuz", "float8_e4m3fnuz", 1, true, false, false},
    DTypeInfo{DType::F8E5M2FNUZ, "f8e5m2fnuz", "float8_e5m2fnuz", 1, true, false, false},
    DTypeInfo{DType::F8E8M0FNU, "f8e8m0fnu", "float8_e8m0fnu", 1, true, false, false},
    DTypeInfo{DType::F8E8M0FNU_X4, "f8e8m0fnu_x4", "float8_e8m0fnu_x4", 4, true, false, false},
    DTypeInfo{DType::F4E2M1FN_X2, "f4e2m1fnx2", "float4_e2m1fn_x2", 1, true, false, false},
    DTypeInfo{DType::C32, "c32", "complex32", 4, false, true, false},
    DTypeInfo{DType::C64, "c64", "complex64", 8, false, true, false},
    DTypeInfo{DType::C128, "c128", "complex128", 16, false, true, false},
    DTypeInfo{DType::I8, "i8", "int8", 1, false, false, true},
    DTypeInfo{DType::I16, "i16", "int16", 2, false, false, true},
    DTypeInfo{DType::I32, "i32", "int32", 4, false, false, true},
    DTypeInfo{DType::I64, "i64", "int64", 8, false, false, true},
    DTypeInfo{DType::U8, "u8", "uint8", 1, false, false, true},
    DTypeInfo{DType::U16, "u16", "uint16", 2, false, false, true},
    DTypeInfo{DType::U32, "u32", "uint32", 4, false, false, true},
    DTypeInfo{DType::U64, "u64", "uint64", 8, false, false, true},
    DTypeInfo{DType::B8, "b8", "bool", 1, false, false, false},
    DTypeInfo{DType::B16, "b16", "bits16", 2, false, false, false},
    DTypeInfo{DType::B1X8, "b1x8", "bits1x8", 1, false, false, false},
};

const std::unordered_map<std::string_view, DType>& byShortName() {
    static const auto map = [] {
        std::unordered_map<std::string_view, DType> m;
        for (const DTypeInfo& row : kTable) m.emplace(row.shortName, row.dtype);
        m.erase("?");
        return m;
    }();
    return map;
}

const std::unordered_map<std::string_view, DType>& byTorchName() {
    static const auto map = [] {
        std::unordered_map<std::string_view, DType> m;
        for (const DTypeInfo& row : kTable) m.emplace(row.torchName, row.dtype);
        m.erase("unknown");
        m.insert({{"double", DType::F64}, {"float", DType::F32}, {"half", DType::F16}, {"chalf", DType::C32}, {"cfloat", DType::C64},
                  {"cdouble", DType::C128}, {"short", DType::I16}, {"int", DType::I32}, {"long", DType::I64}});
        return m;
    }();
    return map;
}

}  // namespace

const DTypeInfo& info(DType dtype) { return kTable[static_cast<std::size_t>(dtype)]; }

std::optional<DType> dtypeFromShortName(std::string_view name) {
    const auto it = byShortName().find(name);
    return it == byShortName().end() ? std::nullopt : std::optional(it->second);
}

std::optional<DType> dtypeFromTorchName(std::string_view name) {
    if (name.starts_with("torch.")) name.remove_prefix(6);
    const auto it = byTorchName().find(name);
    return it == byTorchName().end() ? std::nullopt : std::optional(it->second);
}

}  // namespace aliascope
