#include "core/exec/selftest_records.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/ir/op_registry.h"

namespace aliascope::exec {
namespace {

using Json = nlohmann::json;
constexpr int kDeepest = 32;
constexpr std::size_t kHighestRank = 64;

struct BadRecord {
    std::string why;
};

const Json& member(const Json& object, const char* key) {
    auto it = object.find(key);
    if (it == object.end()) throw BadRecord{std::string("no \"") + key + "\""};
    return *it;
}

std::string textOf(const Json& object, const char* key) {
    const Json& v = member(object, key);
    if (!v.is_string()) throw BadRecord{std::string("\"") + key + "\" is no text"};
    return v.get<std::string>();
}

std::int64_t countOf(const Json& v, const char* key) {
    const bool fits = v.is_number_unsigned() ? v.get<std::uint64_t>() <= INT64_MAX : v.is_number_integer() && v.get<std::int64_t>() >= 0;
    if (!fits) throw BadRecord{std::string("\"") + key + "\" holds what is no count"};
    return v.get<std::int64_t>();
}

Shape countsOf(const Json& object, const char* key) {
    const Json& list = member(object, key);
    if (!list.is_array() || list.size() > kHighestRank) throw BadRecord{std::string("\"") + key + "\" is no list of counts"};
    Shape out;
    for (const Json& v : list) out.push_back(countOf(v, key));
    return out;
}

double specialFloat(const std::string& text) {
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    throw BadRecord{"\"" + text + "\" is no float"};
}

double numberOf(const Json& v) {
    if (v.is_number()) return v.get<double>();
    if (v.is_boolean()) return v.get<bool>() ? 1 : 0;
    if (v.is_string()) return specialFloat(v.get<std::string>());
    throw BadRecord{"an element of \"storage\" is no number"};
}

template <class T>
void append(std::vector<std::byte>& out, T value) {
    const std::size_t at = out.size();
    out.resize(at + sizeof(T));
    std::memcpy(out.data() + at, &value, sizeof(T));
}

std::vector<std::byte> elementsOf(const Json& list, DType dtype) {
    if (!list.is_array()) throw BadRecord{"\"storage\" is no list"};
    std::vector<std::byte> out;
    for (const Json& v : list) {
        switch (dtype) {
            case DType::F32:
                append(out, static_cast<float>(numberOf(v)));
                break;
            case DType::F64:
                append(out, numberOf(v));
                break;
            case DType::I64:
                append(out, v.is_number_integer() ? v.get<std::int64_t>() : static_cast<std::int64_t>(numberOf(v)));
                break;
            case DType::I32:
                append(out, static_cast<std::int32_t>(numberOf(v)));
                break;
            case DType::B8:
                append(out, static_cast<std::uint8_t>(numberOf(v) != 0));
                break;
            case DType::BF16: {
                const float f = static_cast<float>(numberOf(v));
                std::uint32_t bits = 0;
                std::memcpy(&bits, &f, sizeof bits);
                append(out, static_cast<std::uint16_t>(bits >> 16));
                break;
            }
            default:
                throw BadRecord{"\"storage\" of this dtype cannot stand in a line"};
        }
    }
    return out;
}

RecordedTensor tensorOf(const Json& object) {
    RecordedTensor t;
    t.storage = textOf(object, "tensor");
    t.dtypeName = textOf(object, "dtype");
    t.dtype = dtypeFromTorchName(t.dtypeName).value_or(DType::Unknown);
    t.sizes = countsOf(object, "size");
    t.strides = countsOf(object, "stride");
    t.offset = countOf(member(object, "offset"), "offset");
    if (t.sizes.size() != t.strides.size()) throw BadRecord{"\"size\" and \"stride\" differ in length"};
    if (auto it = object.find("storage"); it != object.end()) t.elements = elementsOf(*it, t.dtype);
    return t;
}

RecordedValue plain(Value v) {
    RecordedValue out;
    out.plain = v;
    return out;
}

RecordedValue valueOf(const Json& v, int depth) {
    if (depth > kDeepest) throw BadRecord{"lists nest too deep"};
    if (v.is_null()) return plain(Value::none());
    if (v.is_boolean()) return plain(Value::boolean(v.get<bool>()));
    if (v.is_number_unsigned() && v.get<std::uint64_t>() > INT64_MAX) return plain(Value::real(v.get<double>()));
    if (v.is_number_integer()) return plain(Value::integer(v.get<std::int64_t>()));
    if (v.is_number_float()) return plain(Value::real(v.get<double>()));
    if (v.is_string()) return plain(Value::string(Name(v.get<std::string>())));
    if (v.is_array()) {
        RecordedValue out;
        out.kind = RecordedValue::Kind::List;
        for (const Json& item : v) out.items.push_back(valueOf(item, depth + 1));
        return out;
    }
    if (v.contains("tensor")) {
        RecordedValue out;
        out.kind = RecordedValue::Kind::Tensor;
        out.tensor = tensorOf(v);
        return out;
    }
    if (v.contains("float")) return plain(Value::real(specialFloat(textOf(v, "float"))));
    if (v.contains("dtype")) return plain(Value::constant(Name("torch." + textOf(v, "dtype"))));
    if (v.contains("device")) return plain(Value::device(Name(textOf(v, "device"))));
    if (v.contains("enum")) return plain(Value::constant(Name(textOf(v, "enum"))));
    throw BadRecord{"an object that is no tensor, float, dtype, device or enum"};
}

RecordedCall callOf(const Json& record) {
    if (!record.is_object()) throw BadRecord{"no JSON object"};
    RecordedCall call;
    call.op = canonicalOp("torch.ops." + textOf(record, "op"));
    if (auto args = record.find("args"); args != record.end() && args->is_array())
        for (const Json& v : *args) call.args.push_back(valueOf(v, 0));
    if (auto kwargs = record.find("kwargs"); kwargs != record.end() && kwargs->is_object())
        for (const auto& [key, v] : kwargs->items()) call.kwargs.emplace_back(Name(key), valueOf(v, 0));
    call.out = valueOf(member(record, "out"), 0);
    if (auto after = record.find("mutated_after"); after != record.end() && after->is_object())
        for (const auto& [key, v] : after->items()) {
            if (key.empty() || key.size() > 3 || key.find_first_not_of("0123456789") != std::string::npos)
                throw BadRecord{"\"" + key + "\" in \"mutated_after\" is no position"};
            call.after.emplace_back(std::stoul(key), valueOf(v, 0));
        }
    return call;
}

}  // namespace

Result<RecordedCall> readRecordedCall(std::string_view line) {
    try {
        const Json record = Json::parse(line.begin(), line.end(), nullptr, false);
        if (record.is_discarded()) throw BadRecord{"no JSON"};
        return callOf(record);
    } catch (const BadRecord& bad) {
        return fail(userError("R004", {{"what", "the recorded call"}, {"why", bad.why}}));
    }
}

}  // namespace aliascope::exec
