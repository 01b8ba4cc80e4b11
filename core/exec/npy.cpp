#include "core/exec/npy.h"

#include <zip.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>

#include "core/exec/file_bytes.h"

namespace aliascope::exec {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMaxHeader = 1 << 20;
constexpr std::size_t kMaxRank = 64;
constexpr std::uint64_t kMaxMembers = 1'000'000;
/// Bytes that deflate can make of one byte, at most.
constexpr std::uint64_t kMostInflated = 1032;

struct Spelling {
    std::string_view text;  ///< without the byte order
    DType dtype;
};
constexpr Spelling kSpellings[] = {
    {"b1", DType::B8},  {"i1", DType::I8},  {"u1", DType::U8},  {"i2", DType::I16}, {"u2", DType::U16}, {"f2", DType::F16}, {"i4", DType::I32},
    {"u4", DType::U32}, {"f4", DType::F32}, {"i8", DType::I64}, {"u8", DType::U64}, {"f8", DType::F64}, {"c8", DType::C64}, {"c16", DType::C128},
};

/// What precedes the elements.
struct NpyHeader {
    DType dtype = DType::Unknown;
    Shape sizes;
    bool columnMajor = false;
    std::size_t length = 0;  ///< bytes up to the first element
};

/// Reads the Python dict of the header: `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : text_(text) {}
    std::string want;  ///< what was expected where parsing ended; empty = fine

    bool parse(NpyHeader& out) {
        if (!take('{')) return expect("'{'");
        bool descr = false, order = false, shape = false;
        while (!take('}')) {
            std::string key;
            if (!quoted(key) || !take(':')) return expect("a key");
            if (key == "descr")
                descr = parseDtype(out);
            else if (key == "fortran_order")
                order = parseOrder(out);
            else if (key == "shape")
                shape = parseShape(out);
            else
                return expect("descr, fortran_order or shape");
            if (!want.empty()) return false;
            if (!take(',') && !peek('}')) return expect("','");
        }
        return (descr && order && shape) || expect("descr, fortran_order and shape");
    }

private:
    bool expect(std::string what) {
        want = std::move(what);
        return false;
    }
    void blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    }
    bool peek(char c) { return blanks(), at_ < text_.size() && text_[at_] == c; }
    bool take(char c) { return peek(c) && ++at_; }
    bool word(std::string_view w) {
        blanks();
        if (text_.substr(at_, w.size()) != w) return false;
        at_ += w.size();
        return true;
    }
    bool quoted(std::string& out) {
        blanks();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
        const std::size_t end = text_.find(text_[at_], at_ + 1);
        if (end == std::string_view::npos) return false;
        out = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return true;
    }
    bool parseDtype(NpyHeader& out) {
        std::string text;
        if (!quoted(text)) return expect("a plain dtype such as '<f4'");
        std::string_view name = text;
        if (!name.empty() && name.front() == '>' && !name.ends_with("1")) return expect("little-endian elements instead of '" + text + "'");
        if (!name.empty() && std::string_view("<>|=").find(name.front()) != std::string_view::npos) name.remove_prefix(1);
        for (const Spelling& s : kSpellings)
            if (s.text == name) {
                out.dtype = s.dtype;
                return true;
            }
        return expect("a dtype of bools or numbers instead of '" + text + "'");
    }
    bool parseOrder(NpyHeader& out) {
        if (word("True")) return out.columnMajor = true;
        return word("False") || expect("True or False");
    }
    bool parseShape(NpyHeader& out) {
        if (!take('(')) return expect("a tuple of sizes");
        while (!take(')')) {
            blanks();
            std::int64_t n = 0;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
            if (error != std::errc() || n < 0) return expect("a size");
            if (out.sizes.size() == kMaxRank) return expect("at most 64 dimensions");
            at_ = static_cast<std::size_t>(end - text_.data());
            out.sizes.push_back(n);
            take('L');  // Python 2 wrote 3L
            if (!take(',') && !peek(')')) return expect("','");
        }
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// Gives the next bytes of a stream, exactly as many as asked for.
using Feed = std::function<Status(std::byte*, std::size_t)>;

Result<NpyHeader> readHeader(const std::string& where, const Feed& feed) {
    unsigned char fixed[12] = {};
    if (auto ok = feed(reinterpret_cast<std::byte*>(fixed), 8); !ok) return fail(std::move(ok.error()));
    if (std::memcmp(fixed, kMagic.data(), kMagic.size()) != 0) return fail(malformed(where, "an npy header", "something else"));
    const int version = fixed[6];
    if (version < 1 || version > 3) return fail(malformed(where, "npy version 1, 2 or 3", std::to_string(version)));
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    if (auto ok = feed(reinterpret_cast<std::byte*>(fixed + 8), lengthBytes); !ok) return fail(std::move(ok.error()));
    std::size_t length = 0;
    for (std::size_t i = lengthBytes; i-- > 0;) length = length << 8 | fixed[8 + i];
    if (length > kMaxHeader) return fail(malformed(where, "an npy header of at most 1 MiB", std::to_string(length) + " bytes"));
    std::string text(length, '\0');
    if (auto ok = feed(reinterpret_cast<std::byte*>(text.data()), length); !ok) return fail(std::move(ok.error()));
    NpyHeader header;
    header.length = 8 + lengthBytes + length;
    HeaderParser parser(text);
    if (!parser.parse(header)) return fail(malformed(where, parser.want, text.substr(0, 120)));
    return header;
}

/// Name, type and size of a member whose whole length is `available` (header included).
Result<StoredTensor> describe(const std::string& where, std::string name, const NpyHeader& header, std::uint64_t available) {
    const auto bytes = byteCount(header.dtype, header.sizes);
    if (!bytes || available < header.length || static_cast<std::uint64_t>(*bytes) > available - header.length)
        return fail(malformed(where, (bytes ? std::to_string(*bytes) : "fewer than 2^63") + " bytes of elements",
                              std::to_string(available - std::min<std::uint64_t>(available, header.length))));
    return StoredTensor{std::move(name), header.dtype, header.sizes, *bytes};
}

/// Turns column-major elements in `data` into row-major ones.
void toRowMajor(const StoredTensor& t, std::byte* data) {
    const std::vector<std::byte> source(data, data + t.bytes);
    const std::size_t item = static_cast<std::size_t>(itemSize(t.dtype)), rank = t.sizes.size();
    Shape strides(rank, 1), index(rank, 0);
    for (std::size_t d = 1; d < rank; ++d) strides[d] = strides[d - 1] * t.sizes[d - 1];
    std::int64_t from = 0;
    for (std::size_t at = 0; at < source.size(); at += item) {
        std::memcpy(data + at, source.data() + static_cast<std::size_t>(from) * item, item);
        for (std::size_t d = rank; d-- > 0;) {
            from += strides[d];
            if (++index[d] < t.sizes[d]) break;
            from -= index[d] * strides[d];
            index[d] = 0;
        }
    }
}

class NpyFiles : public TensorSource {
public:
    struct Place {
        std::string path;
        std::size_t begin = 0;
        bool columnMajor = false;
    };
    std::vector<Place> places;

    Status read(std::size_t index, const StoredTensor& tensor, std::byte* out) const override {
        auto file = FileBytes::open(places[index].path);
        if (!file) return fail(std::move(file.error()));
        if (auto ok = (*file)->read(places[index].begin, out, static_cast<std::size_t>(tensor.bytes)); !ok) return ok;
        if (places[index].columnMajor) toRowMajor(tensor, out);
        return {};
    }

    Result<StoredTensor> add(const std::string& path) {
        auto file = FileBytes::open(path);
        if (!file) return fail(std::move(file.error()));
        std::uint64_t at = 0;
        auto header = readHeader(path, [&](std::byte* out, std::size_t n) {
            auto ok = (*file)->read(at, out, n);
            at += n;
            return ok;
        });
        if (!header) return fail(std::move(header.error()));
        places.push_back({path, header->length, header->columnMajor});
        return describe(path, std::filesystem::path(path).stem().string(), *header, (*file)->size());
    }
};

/// An open archive. libzip is not thread-safe: one member at a time.
class Archive : public TensorSource {
public:
    static Result<std::unique_ptr<Archive>> open(const std::string& path) {
        int error = 0;
        zip_t* zip = zip_open(path.c_str(), ZIP_RDONLY, &error);
        std::error_code ignored;
        if (zip) return std::unique_ptr<Archive>(new Archive(path, zip, std::filesystem::file_size(path, ignored)));
        zip_error_t reason;
        zip_error_init_with_code(&reason, error);
        Diagnostic d = cannotRead(path, "the archive", zip_error_strerror(&reason));
        zip_error_fini(&reason);
        return fail(std::move(d));
    }
    ~Archive() override { zip_discard(zip_); }
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    Result<std::vector<StoredTensor>> list() {
        std::vector<StoredTensor> out;
        const std::int64_t n = zip_get_num_entries(zip_, 0);
        if (n > static_cast<std::int64_t>(kMaxMembers)) return fail(malformed(path_, "at most 1,000,000 members", std::to_string(n)));
        std::set<std::string> names;
        for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(n); ++i) {
            zip_stat_t stat;
            if (zip_stat_index(zip_, i, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME) || !(stat.valid & ZIP_STAT_SIZE))
                return fail(refused(std::to_string(i), "it has no name or size"));
            std::string name = stat.name;
            if (name.ends_with("/")) continue;
            if (name.ends_with(".npy")) name.resize(name.size() - 4);
            if (!names.insert(name).second) return fail(refused(name, "another one has the same name"));
            if (!(stat.valid & ZIP_STAT_COMP_SIZE) || stat.comp_size > fileBytes_ || stat.size > stat.comp_size * kMostInflated + kMostInflated)
                return fail(refused(name, "it claims more bytes than its data can give"));
            auto tensor = add(i, std::move(name), stat.size);
            if (!tensor) return fail(std::move(tensor.error()));
            out.push_back(std::move(*tensor));
        }
        return out;
    }

    Status read(std::size_t index, const StoredTensor& tensor, std::byte* out) const override {
        const std::lock_guard lock(mutex_);
        const Member& member = members_[index];
        Stream stream(zip_, member.index);
        if (!stream.file) return fail(refused(tensor.name, zip_strerror(zip_)));
        std::vector<std::byte> header(member.begin);
        if (!stream.read(header.data(), header.size()) || !stream.read(out, static_cast<std::size_t>(tensor.bytes)))
            return fail(refused(tensor.name, "its data are cut or damaged"));
        if (member.columnMajor) toRowMajor(tensor, out);
        return {};
    }

private:
    struct Member {
        zip_uint64_t index = 0;
        std::size_t begin = 0;
        bool columnMajor = false;
    };
    struct Stream {
        Stream(zip_t* zip, zip_uint64_t index) : file(zip_fopen_index(zip, index, 0)) {}
        ~Stream() {
            if (file) zip_fclose(file);
        }
        Stream(const Stream&) = delete;
        Stream& operator=(const Stream&) = delete;
        bool read(std::byte* out, std::size_t n) {
            while (n > 0) {
                const zip_int64_t got = zip_fread(file, out, n);
                if (got <= 0) return false;
                out += got;
                n -= static_cast<std::size_t>(got);
            }
            return true;
        }
        zip_file_t* file;
    };

    Archive(std::string path, zip_t* zip, std::uint64_t fileBytes) : path_(std::move(path)), zip_(zip), fileBytes_(fileBytes) {}

    Diagnostic refused(std::string name, std::string why) const {
        Diagnostic d = userError("R040", {{"name", std::move(name)}, {"why", std::move(why)}});
        d.file = path_;
        return d;
    }

    Result<StoredTensor> add(zip_uint64_t index, std::string name, std::uint64_t size) {
        Stream stream(zip_, index);
        if (!stream.file) return fail(refused(name, zip_strerror(zip_)));
        auto header = readHeader(path_ + ":" + name, [&](std::byte* out, std::size_t n) -> Status {
            if (!stream.read(out, n)) return fail(refused(name, "its header is cut or damaged"));
            return {};
        });
        if (!header) return fail(std::move(header.error()));
        members_.push_back({index, header->length, header->columnMajor});
        return describe(path_ + ":" + name, name, *header, size);
    }

    std::string path_;
    zip_t* zip_;
    std::uint64_t fileBytes_;
    std::vector<Member> members_;
    mutable std::mutex mutex_;
};

/// Version 1, elements aligned to 64 bytes.
Result<std::string> headerOf(const std::string& path, const TensorBytes& t) {
    const DType dtype = t.dtype == DType::BF16 ? DType::U16 : t.dtype;
    const auto spelling = std::find_if(std::begin(kSpellings), std::end(kSpellings), [&](const Spelling& s) { return s.dtype == dtype; });
    if (spelling == std::end(kSpellings))
        return fail(malformed(path, "a dtype that NumPy has", std::string(info(dtype).shortName) + " of " + t.name));
    std::string dict =
        "{'descr': '" + std::string(itemSize(dtype) == 1 ? "|" : "<") + std::string(spelling->text) + "', 'fortran_order': False, 'shape': (";
    for (std::int64_t size : t.sizes) dict += std::to_string(size) + ", ";
    if (t.sizes.size() > 1)
        dict.resize(dict.size() - 2);
    else if (t.sizes.size() == 1)
        dict.pop_back();
    dict += "), }";
    const std::size_t before = kMagic.size() + 4, whole = (before + dict.size() + 1 + 63) / 64 * 64;
    dict.append(whole - before - dict.size() - 1, ' ') += '\n';
    std::string out(kMagic);
    out += {'\1', '\0', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
    return out + dict;
}

}  // namespace

bool looksLikeNpy(std::string_view head) { return head.starts_with(kMagic); }

Result<TensorFile> openNpy(const std::string& path) {
    auto source = std::make_unique<NpyFiles>();
    auto tensor = source->add(path);
    if (!tensor) return fail(std::move(tensor.error()));
    return TensorFile(path, {std::move(*tensor)}, std::move(source));
}

Result<TensorFile> openNpyFolder(const std::string& path) {
    std::vector<std::string> files;
    std::error_code error;
    for (auto at = std::filesystem::directory_iterator(path, error); !error && at != std::filesystem::directory_iterator(); at.increment(error))
        if (at->path().extension() == ".npy") files.push_back(at->path().string());
    if (error) return fail(cannotRead(path, "the folder", error.message()));
    if (files.empty()) return fail(malformed(path, "a folder with .npy files", "none in it"));
    std::sort(files.begin(), files.end());
    auto source = std::make_unique<NpyFiles>();
    std::vector<StoredTensor> tensors;
    for (const std::string& file : files) {
        auto tensor = source->add(file);
        if (!tensor) return fail(std::move(tensor.error()));
        tensors.push_back(std::move(*tensor));
    }
    return TensorFile(path, std::move(tensors), std::move(source));
}

Result<TensorFile> openNpz(const std::string& path) {
    auto archive = Archive::open(path);
    if (!archive) return fail(std::move(archive.error()));
    auto tensors = (*archive)->list();
    if (!tensors) return fail(std::move(tensors.error()));
    return TensorFile(path, std::move(*tensors), std::move(*archive));
}

Status writeNpy(const std::string& path, const std::vector<TensorBytes>& tensors) {
    if (tensors.size() != 1)
        return fail(malformed(path, "one tensor for an npy file; npz and safetensors take more", std::to_string(tensors.size())));
    auto header = headerOf(path, tensors.front());
    if (!header) return fail(std::move(header.error()));
    FileWriter out(path);
    out.write(header->data(), header->size());
    out.write(tensors.front().data.data(), tensors.front().data.size());
    return out.finish();
}

Status writeNpz(const std::string& path, const std::vector<TensorBytes>& tensors) {
    std::vector<std::string> members;  // kept until the archive is closed: libzip reads them then
    members.reserve(tensors.size());
    int error = 0;
    const std::string temporary = path + ".part";
    zip_t* zip = zip_open(temporary.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    const auto refuse = [&](std::string why) {
        if (zip) zip_discard(zip);
        std::remove(temporary.c_str());
        Diagnostic d = userError("R005", {{"what", "the archive"}, {"why", std::move(why)}});
        d.file = path;
        return fail(std::move(d));
    };
    if (!zip) return refuse("it cannot be made");
    for (const TensorBytes& t : tensors) {
        auto header = headerOf(path, t);
        if (!header) {
            zip_discard(zip);
            return fail(std::move(header.error()));
        }
        std::string& member = members.emplace_back(std::move(*header));
        member.append(reinterpret_cast<const char*>(t.data.data()), t.data.size());
        zip_source_t* source = zip_source_buffer(zip, member.data(), member.size(), 0);
        const zip_int64_t index = source ? zip_file_add(zip, (t.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
        if (index < 0 || zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) != 0) return refuse(zip_strerror(zip));
    }
    if (zip_close(zip) != 0) return refuse(zip_strerror(zip));
    std::error_code failed;
    std::filesystem::rename(temporary, path, failed);
    zip = nullptr;
    if (failed) return refuse(failed.message());
    return {};
}

}  // namespace aliascope::exec
