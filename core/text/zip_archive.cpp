// Zip archives (formats.md 11.1, 17): sizes in their headers are claims, so bytes are counted while they are unpacked.

#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "core/text/member_source.h"
#include "core/text/normalise.h"
#include "core/text/source_text.h"

namespace aliascope {
namespace {

Diagnostic damaged(const std::string& path, std::string what, std::string why) {
    Diagnostic d = userError("R004", {{"what", std::move(what)}, {"why", std::move(why)}});
    d.file = path;
    return d;
}

Diagnostic above(const std::string& path, std::string what, std::uint64_t limit) {
    Diagnostic d = limitPassed(std::move(what), limit);
    d.file = path;
    return d;
}

struct ZipCloser {
    void operator()(zip_t* z) const { zip_discard(z); }
};
struct EntryCloser {
    void operator()(zip_file_t* f) const { zip_fclose(f); }
};

std::string reasonOf(int code) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

class ZipArchive : public MemberSource {
public:
    ZipArchive(std::string bytes, std::string path, const ReadLimits& limits) : bytes_(std::move(bytes)), path_(std::move(path)), limits_(limits) {}

    Status open(bool fromMemory) {
        int code = 0;
        if (fromMemory) {
            zip_error_t error;
            zip_error_init(&error);
            zip_source_t* source = zip_source_buffer_create(bytes_.data(), bytes_.size(), 0, &error);
            zip_t* zip = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
            code = zip_error_code_zip(&error);
            zip_error_fini(&error);
            if (!zip && source) zip_source_free(source);
            zip_.reset(zip);
        } else {
            zip_.reset(zip_open(path_.c_str(), ZIP_RDONLY, &code));
        }
        // The directory stands at the end: what was cut has none.
        if (!zip_ && code == ZIP_ER_NOZIP)
            return fail(damaged(path_, "the archive", "its directory, at the end of the file, is missing; was it cut?"));
        if (!zip_) return fail(damaged(path_, "the archive", reasonOf(code)));
        return list();
    }

    Result<std::string> read(std::size_t index) override;

private:
    Status list();
    std::string_view refusal(zip_uint64_t index, const zip_stat_t& stat);

    std::string bytes_, path_;
    ReadLimits limits_;
    std::unique_ptr<zip_t, ZipCloser> zip_;
    std::vector<zip_uint64_t> indices_;  // of members_, in the archive
    std::vector<std::uint64_t> packed_;
    std::uint64_t total_ = 0;
};

std::string_view ZipArchive::refusal(zip_uint64_t index, const zip_stat_t& stat) {
    if (const auto bad = badMemberName(stat.name); !bad.empty()) return bad;
    constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat.valid & kNeeded) != kNeeded) return "its sizes are not known";
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) && stat.encryption_method != ZIP_EM_NONE) return "it is encrypted";
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) return "it is packed in a way that is not read here";
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(zip_.get(), index, 0, &system, &attributes) == 0 && system == ZIP_OPSYS_UNIX && S_ISLNK(attributes >> 16))
        return "it is a link";
    return {};
}

Status ZipArchive::list() {
    const zip_int64_t count = zip_get_num_entries(zip_.get(), 0);
    if (count < 0) return fail(damaged(path_, "the archive", "it has no directory"));
    if (static_cast<std::uint64_t>(count) > limits_.archiveEntries)
        return fail(above(path_, std::to_string(count) + " entries", limits_.archiveEntries));
    std::unordered_set<std::string> seen;
    std::size_t untold = 0;
    const auto refuse = [&](std::string_view name, std::string_view why) {
        if (diagnostics_.size() < limits_.diagnosticsPerUnit)
            diagnostics_.push_back(refusedMember(name, why, path_));
        else
            ++untold;
    };
    for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
        zip_stat_t stat;
        zip_stat_init(&stat);
        if (zip_stat_index(zip_.get(), i, ZIP_FL_ENC_RAW, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME)) {
            refuse("number " + std::to_string(i + 1), "its header cannot be read");
            continue;
        }
        const std::string name = cleanUtf8(stat.name).text;
        if (name.ends_with('/')) continue;
        if (const auto why = refusal(i, stat); !why.empty()) {
            refuse(name, why);
        } else if (!seen.insert(name).second) {
            refuse(name, "another entry before it has the same name");
        } else {
            members_.push_back({name, stat.size});
            indices_.push_back(i);
            packed_.push_back(stat.comp_size);
        }
    }
    if (untold == 0) return {};
    diagnostics_.push_back(warning("R051", {{"n", std::to_string(untold)}}));
    diagnostics_.back().file = path_;
    return {};
}

Result<std::string> ZipArchive::read(std::size_t index) {
    const Member& member = members_[index];
    const std::string what = "entry " + member.name;
    if (member.bytes > limits_.recordBytes) return fail(above(path_, what + " of " + std::to_string(member.bytes) + " bytes", limits_.recordBytes));
    const std::unique_ptr<zip_file_t, EntryCloser> file(zip_fopen_index(zip_.get(), indices_[index], 0));
    if (!file) return fail(damaged(path_, what, zip_strerror(zip_.get())));
    constexpr std::size_t kBlock = 1 << 20, kRatioFrom = 10 << 20;
    std::string out;
    while (true) {
        const std::size_t old = out.size();
        out.resize(old + kBlock);
        const zip_int64_t got = zip_fread(file.get(), out.data() + old, kBlock);
        if (got < 0) return fail(damaged(path_, what, zip_file_strerror(file.get())));
        out.resize(old + static_cast<std::size_t>(got));
        if (got == 0) break;
        total_ += static_cast<std::uint64_t>(got);
        if (out.size() > limits_.recordBytes) return fail(above(path_, what + " unpacked", limits_.recordBytes));
        if (total_ > limits_.archiveBytes) return fail(above(path_, "all entries unpacked", limits_.archiveBytes));
        if (out.size() > kRatioFrom && out.size() / limits_.packingRatio > packed_[index])
            return fail(above(path_, "packing ratio of " + what, limits_.packingRatio));
    }
    return out;
}

Result<std::unique_ptr<MemberSource>> opened(std::unique_ptr<ZipArchive> zip, bool fromMemory) {
    if (auto status = zip->open(fromMemory); !status) return fail(status.error());
    return std::unique_ptr<MemberSource>(std::move(zip));
}

}  // namespace

Result<std::unique_ptr<MemberSource>> openZip(const std::string& path, const ReadLimits& limits) {
    return opened(std::make_unique<ZipArchive>(std::string(), path, limits), false);
}

Result<std::unique_ptr<MemberSource>> openZip(std::string bytes, const std::string& path, const ReadLimits& limits) {
    return opened(std::make_unique<ZipArchive>(std::move(bytes), path, limits), true);
}

}  // namespace aliascope
