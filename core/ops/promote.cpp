#include "core/ops/promote.h"

#include <algorithm>

namespace aliascope {
namespace {

bool isBool(DType d) { return d == DType::B8; }
bool isFloat(DType d) { return info(d).floating; }
bool isComplex(DType d) { return info(d).complex; }
bool isUnsigned(DType d) { return d == DType::U8 || d == DType::U16 || d == DType::U32 || d == DType::U64; }

DType complexOf(DType real) { return real == DType::F64 ? DType::C128 : real == DType::F16 ? DType::C32 : DType::C64; }

DType signedOf(int bytes) { return bytes <= 1 ? DType::I8 : bytes == 2 ? DType::I16 : bytes == 4 ? DType::I32 : DType::I64; }

DType promoteIntegers(DType a, DType b) {
    if (isUnsigned(a) == isUnsigned(b)) return itemSize(a) >= itemSize(b) ? a : b;
    const DType with = isUnsigned(a) ? b : a, without = isUnsigned(a) ? a : b;
    return itemSize(with) > itemSize(without) ? with : signedOf(std::min(8, 2 * itemSize(without)));
}

/// `higher` decides unless `lower` has a higher category.
DType combine(DType higher, DType lower) {
    if (higher == DType::Unknown) return lower;
    if (lower == DType::Unknown) return higher;
    if (isComplex(higher)) return higher;
    if (isFloat(higher)) return isComplex(lower) ? complexOf(higher) : higher;
    if (isBool(higher) || isFloat(lower) || isComplex(lower)) return promoteTypes(higher, lower);
    return higher;
}

}  // namespace

DType promoteTypes(DType a, DType b) {
    if (a == b || b == DType::Unknown) return a;
    if (a == DType::Unknown) return b;
    if (isComplex(a) || isComplex(b)) {
        auto real = [](DType d) { return isComplex(d) ? realFor(d) : isFloat(d) ? d : DType::Unknown; };
        return complexOf(promoteTypes(real(a), real(b)));
    }
    if (isBool(a)) return b;
    if (isBool(b)) return a;
    if (isFloat(a) != isFloat(b)) return isFloat(a) ? a : b;
    if (!isFloat(a)) return promoteIntegers(a, b);
    if (itemSize(a) != itemSize(b)) return itemSize(a) > itemSize(b) ? a : b;
    return DType::F32;  // f16 with bf16
}

DType floatingFor(DType d) { return isFloat(d) || isComplex(d) || d == DType::Unknown ? d : DType::F32; }

DType accumulationFor(DType d) { return isFloat(d) || isComplex(d) || d == DType::Unknown ? d : DType::I64; }

DType realFor(DType d) {
    switch (d) {
        case DType::C32:
            return DType::F16;
        case DType::C64:
            return DType::F32;
        case DType::C128:
            return DType::F64;
        default:
            return d;
    }
}

void Promotion::add(const TensorType& t) {
    if (t.dtype == DType::Unknown) {
        unknown_ = true;
        return;
    }
    DType& into = t.rank() > 0 ? dimensioned_ : zeroDim_;
    into = promoteTypes(into, t.dtype);
}

void Promotion::addNumber(const Value& v, const SymInt* sym) {
    DType d = DType::Unknown;
    switch (v.kind()) {
        case Value::Kind::Bool:
            d = DType::B8;
            break;
        case Value::Kind::Int:
        case Value::Kind::BigInt:
            d = DType::I64;
            break;
        case Value::Kind::Float:
            d = DType::F32;
            break;
        case Value::Kind::Complex:
            d = DType::C64;
            break;
        case Value::Kind::Sym:
            sym = &v.asSym();
            break;
        default:
            break;
    }
    if (sym) d = sym->isOpaque() ? DType::F32 : DType::I64;
    number_ = promoteTypes(number_, d);
}

DType Promotion::result() const { return unknown_ ? DType::Unknown : combine(dimensioned_, combine(zeroDim_, number_)); }

}  // namespace aliascope
