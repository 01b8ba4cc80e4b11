#include "core/exec/safetensors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/exec/file_bytes.h"

namespace aliascope::exec {
namespace {

using Json = nlohmann::json;

/// The reference reader's own limit.
constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxRank = 64;

struct Spelling {
    std::string_view text;
    DType dtype;
};
constexpr Spelling kSpellings[] = {
    {"BOOL", DType::B8},
    {"U8", DType::U8},
    {"I8", DType::I8},
    {"F8_E4M3", DType::F8E4M3FN},
    {"F8_E5M2", DType::F8E5M2},
    {"F8_E8M0", DType::F8E8M0FNU},
    {"F8_E4M3FNUZ", DType::F8E4M3FNUZ},
    {"F8_E5M2FNUZ", DType::F8E5M2FNUZ},
    {"I16", DType::I16},
    {"U16", DType::U16},
    {"F16", DType::F16},
    {"BF16", DType::BF16},
    {"I32", DType::I32},
    {"U32", DType::U32},
    {"F32", DType::F32},
    {"C64", DType::C64},
    {"F64", DType::F64},
    {"I64", DType::I64},
    {"U64", DType::U64},
};

std::optional<DType> dtypeOf(std::string_view text) {
    for (const Spelling& s : kSpellings)
        if (s.text == text) return s.dtype;
    return std::nullopt;
}

std::optional<std::string_view> spellingOf(DType dtype) {
    for (const Spelling& s : kSpellings)
        if (s.dtype == dtype) return s.text;
    return std::nullopt;
}

std::uint64_t littleEndian(const std::byte* bytes) {
    std::uint64_t n = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) n = n << 8 | static_cast<std::uint64_t>(bytes[i]);
    return n;
}

/// One tensor of the header.
struct Entry {
    StoredTensor tensor;
    std::uint64_t begin = 0, end = 0;
    bool hasShape = false, hasOffsets = false;
};

/// Reads the header without building a document, so that a name given twice is seen and nesting costs nothing.
class HeaderReader : public nlohmann::json_sax<Json> {
public:
    std::vector<Entry> entries;
    std::string want, got;  ///< set when the header is not what it should be

    bool null() override { return scalar("null"); }
    bool boolean(bool b) override { return scalar(b ? "true" : "false"); }
    bool number_integer(std::int64_t n) override { return scalar(std::to_string(n)); }
    bool number_unsigned(std::uint64_t n) override {
        if (depth_ != 3 || !inList_) return scalar(std::to_string(n));
        if (key_ == "shape") {
            if (n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return refuse("a size below 2^63", std::to_string(n));
            if (entries.back().tensor.sizes.size() >= kMaxRank) return refuse("at most 64 dimensions", "more");
            entries.back().tensor.sizes.push_back(static_cast<std::int64_t>(n));
            return true;
        }
        if (offsets_ == 2) return refuse("two data_offsets", "three");
        (offsets_++ == 0 ? entries.back().begin : entries.back().end) = n;
        return true;
    }
    bool number_float(double, const std::string& text) override { return scalar(text); }
    bool string(std::string& text) override {
        if (inMetadata_ && depth_ == 2) return true;
        if (depth_ == 2 && key_ == "dtype") {
            const auto dtype = dtypeOf(text);
            if (!dtype) return refuse("a dtype such as F32 of tensor " + entries.back().tensor.name, "\"" + text + "\"");
            entries.back().tensor.dtype = *dtype;
            return true;
        }
        return scalar("\"" + text + "\"");
    }
    bool binary(Json::binary_t&) override { return refuse("text", "binary data"); }
    bool start_object(std::size_t) override {
        if (inList_ || depth_ >= 2 || (depth_ == 1 && key_.empty())) return refuse("an object of tensors", "an object inside");
        ++depth_;
        return true;
    }
    bool key(std::string& name) override {
        if (depth_ == 1) {
            inMetadata_ = name == "__metadata__";
            if (!names_.insert(name).second) return refuse("every name once", "\"" + name + "\" twice");
            if (!inMetadata_) entries.emplace_back().tensor.name = name;
            first_ = true;
            key_ = "tensor";
            return true;
        }
        if (first_) seen_.clear();
        first_ = false;
        if (!seen_.insert(name).second) return refuse("every key once", "\"" + name + "\" twice");
        key_ = name;
        if (!inMetadata_ && name != "dtype" && name != "shape" && name != "data_offsets")
            return refuse("dtype, shape and data_offsets", "key \"" + name + "\"");
        return true;
    }
    bool end_object() override {
        if (--depth_ == 1 && !inMetadata_) {
            const Entry& e = entries.back();
            if (e.tensor.dtype == DType::Unknown || !e.hasShape || !e.hasOffsets)
                return refuse("dtype, shape and data_offsets of tensor " + e.tensor.name, "less");
        }
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ != 2 || inMetadata_ || inList_ || (key_ != "shape" && key_ != "data_offsets")) return refuse("an object of tensors", "a list");
        inList_ = true;
        depth_ = 3;
        if (key_ == "shape")
            entries.back().hasShape = true;
        else
            offsets_ = 0;
        return true;
    }
    bool end_array() override {
        inList_ = false;
        depth_ = 2;
        if (key_ != "data_offsets") return true;
        if (offsets_ != 2) return refuse("two data_offsets", std::to_string(offsets_));
        return entries.back().hasOffsets = true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        return refuse("JSON", "something else at byte " + std::to_string(kLengthBytes + position));
    }

private:
    bool refuse(std::string wanted, std::string found) {
        if (want.empty()) want = std::move(wanted), got = std::move(found);
        return false;
    }
    bool scalar(std::string found) {
        return refuse(depth_ == 0                                 ? "an object of tensors"
                      : key_ == "shape" || key_ == "data_offsets" ? "non-negative integers"
                                                                  : "an object with dtype, shape and data_offsets",
                      std::move(found));
    }

    int depth_ = 0;
    bool inList_ = false, inMetadata_ = false, first_ = false;
    int offsets_ = 0;
    std::string key_;
    std::unordered_set<std::string> names_, seen_;
};

/// Every range lies in the data, is as long as its shape says, and shares no byte with another.
Status checkRanges(const std::string& path, std::vector<Entry>& entries, std::uint64_t dataBytes) {
    for (Entry& e : entries) {
        const auto bytes = byteCount(e.tensor.dtype, e.tensor.sizes);
        const std::string range = std::to_string(e.begin) + ".." + std::to_string(e.end);
        if (e.begin > e.end || e.end > dataBytes)
            return fail(malformed(path, "a range of tensor " + e.tensor.name + " within 0.." + std::to_string(dataBytes), range));
        if (!bytes || static_cast<std::uint64_t>(*bytes) != e.end - e.begin)
            return fail(
                malformed(path, (bytes ? std::to_string(*bytes) : std::string("fewer than 2^63")) + " bytes of tensor " + e.tensor.name, range));
        e.tensor.bytes = *bytes;
    }
    std::vector<const Entry*> sorted;
    for (const Entry& e : entries)
        if (e.begin != e.end) sorted.push_back(&e);
    std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return a->begin < b->begin; });
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i]->begin < sorted[i - 1]->end)
            return fail(malformed(
                path, "ranges that do not overlap",
                "tensors " + sorted[i - 1]->tensor.name + " and " + sorted[i]->tensor.name + " both at byte " + std::to_string(sorted[i]->begin)));
    return {};
}

class SafetensorsSource : public TensorSource {
public:
    SafetensorsSource(std::shared_ptr<const FileBytes> file, std::vector<std::uint64_t> places)
        : file_(std::move(file)), places_(std::move(places)) {}
    Status read(std::size_t index, const StoredTensor& tensor, std::byte* out) const override {
        return file_->read(places_[index], out, static_cast<std::size_t>(tensor.bytes));
    }

private:
    std::shared_ptr<const FileBytes> file_;
    std::vector<std::uint64_t> places_;  ///< by tensor: byte in the file
};

}  // namespace

bool looksLikeSafetensors(std::string_view head) {
    if (head.size() < kLengthBytes + 1 || head[kLengthBytes] != '{') return false;
    return littleEndian(reinterpret_cast<const std::byte*>(head.data())) <= kMaxHeader;
}

Result<TensorFile> openSafetensors(const std::string& path) {
    auto file = FileBytes::open(path);
    if (!file) return fail(std::move(file.error()));
    const std::uint64_t size = (*file)->size();
    std::byte length[kLengthBytes];
    if (size < kLengthBytes) return fail(malformed(path, "8 bytes of header length", std::to_string(size) + " bytes"));
    if (auto ok = (*file)->read(0, length, kLengthBytes); !ok) return fail(std::move(ok.error()));
    const std::uint64_t headerBytes = littleEndian(length);
    if (headerBytes > kMaxHeader || headerBytes > size - kLengthBytes)
        return fail(malformed(path, "a header of at most " + std::to_string(std::min(kMaxHeader, size - kLengthBytes)) + " bytes",
                              std::to_string(headerBytes)));
    std::string header(headerBytes, '\0');
    if (auto ok = (*file)->read(kLengthBytes, reinterpret_cast<std::byte*>(header.data()), header.size()); !ok) return fail(std::move(ok.error()));

    HeaderReader reader;
    if (!Json::sax_parse(header, &reader)) return fail(malformed(path, reader.want, reader.got));
    const std::uint64_t dataBegin = kLengthBytes + headerBytes;
    if (auto ok = checkRanges(path, reader.entries, size - dataBegin); !ok) return fail(std::move(ok.error()));
    std::vector<StoredTensor> tensors;
    std::vector<std::uint64_t> places;
    for (Entry& e : reader.entries) {
        tensors.push_back(std::move(e.tensor));
        places.push_back(dataBegin + e.begin);
    }
    return TensorFile(path, std::move(tensors), std::make_unique<SafetensorsSource>(*file, std::move(places)));
}

Status writeSafetensors(const std::string& path, const std::vector<TensorBytes>& tensors) {
    std::vector<const TensorBytes*> order;
    for (const TensorBytes& t : tensors) order.push_back(&t);
    std::stable_sort(order.begin(), order.end(), [](const TensorBytes* a, const TensorBytes* b) {
        const int left = itemSize(a->dtype), right = itemSize(b->dtype);
        return left != right ? left > right : a->name < b->name;
    });
    auto header = nlohmann::ordered_json::object();
    std::uint64_t at = 0;
    for (const TensorBytes* t : order) {
        const auto dtype = spellingOf(t->dtype);
        if (!dtype) return fail(malformed(path, "a dtype that safetensors has", std::string(info(t->dtype).shortName) + " of " + t->name));
        if (header.contains(t->name)) {
            Diagnostic d = userError("R011", {{"name", t->name}});
            d.file = path;
            return fail(std::move(d));
        }
        header[t->name] = {{"dtype", *dtype}, {"shape", t->sizes}, {"data_offsets", {at, at + t->data.size()}}};
        at += t->data.size();
    }
    std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' ');  // data start aligned
    std::byte length[kLengthBytes];
    for (std::size_t i = 0; i < kLengthBytes; ++i) length[i] = static_cast<std::byte>(text.size() >> (8 * i));
    FileWriter out(path);
    out.write(length, kLengthBytes);
    out.write(text.data(), text.size());
    for (const TensorBytes* t : order) out.write(t->data.data(), t->data.size());
    return out.finish();
}

}  // namespace aliascope::exec
