#include "core/text/member_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/text/literals.h"
#include "core/text/natural_order.h"
#include "core/text/normalise.h"
#include "core/text/source_text.h"

namespace aliascope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameBytes = 4096;

Diagnostic above(const std::string& path, std::string what, std::uint64_t limit) {
    Diagnostic d = limitPassed(std::move(what), limit);
    d.file = path;
    return d;
}

class FolderSource : public MemberSource {
public:
    FolderSource(std::string path, const ReadLimits& limits) : path_(std::move(path)), limits_(limits) {}

    Status list() {
        std::error_code error;
        const fs::directory_iterator top(path_, error);
        if (error) return fail(unreadable(path_, "the folder", error.message()));
        if (auto status = listBelow("", 1); !status) return status;
        std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) { return naturallyBefore(a.name, b.name); });
        return {};
    }

    Result<std::string> read(std::size_t index) override {
        const Member& member = members_[index];
        if (member.bytes > limits_.fileBytes)
            return fail(above(member.name, "a file of " + std::to_string(member.bytes) + " bytes", limits_.fileBytes));
        struct Closer {
            void operator()(std::FILE* f) const { std::fclose(f); }
        };
        const std::unique_ptr<std::FILE, Closer> file(std::fopen((fs::path(path_) / member.name).c_str(), "rb"));
        if (!file) return fail(unreadable(member.name, "the file", std::strerror(errno)));
        // The file may have grown or shrunk since it was listed.
        std::string text(member.bytes, '\0');
        text.resize(std::fread(text.data(), 1, text.size(), file.get()));
        if (std::ferror(file.get())) return fail(unreadable(member.name, "the file", std::strerror(errno)));
        return text;
    }

private:
    /// The files below `folder`, which ends with `/` or is empty. What cannot be listed hides nothing else.
    Status listBelow(const std::string& folder, int depth) {
        constexpr int kDepth = 8;
        std::error_code error;
        fs::directory_iterator it(fs::path(path_) / folder, error);
        for (; !error && it != fs::directory_iterator(); it.increment(error)) {
            const std::string name = folder + it->path().filename().generic_string();
            // symlink_status: a link is none of both.
            std::error_code gone;
            const fs::file_status status = it->symlink_status(gone);
            if (fs::is_directory(status)) {
                if (depth < kDepth) {
                    if (auto below = listBelow(name + "/", depth + 1); !below) return below;
                    continue;
                }
                skipped_.push_back({name + "/", "folders are read 8 levels deep"});
            } else if (!fs::is_regular_file(status)) {
                skipped_.push_back({name, fs::is_symlink(status) ? "links are not followed" : "it is no file"});
            } else {
                const std::uint64_t bytes = it->file_size(gone);
                members_.push_back({name, gone ? 0 : bytes});
            }
            // What is left out is kept by name as well, so it counts.
            if (members_.size() + skipped_.size() + diagnostics_.size() > limits_.archiveEntries)
                return fail(above(path_, "files in the folder", limits_.archiveEntries));
        }
        if (error) diagnostics_.push_back(unreadable(path_ + "/" + folder, "the folder", error.message()));
        return {};
    }

    std::string path_;
    ReadLimits limits_;
};

/// Blocks of 512 bytes: a header, then the content of the file, filled up (POSIX ustar).
class TarSource : public MemberSource {
public:
    TarSource(std::string bytes, std::string path, const ReadLimits& limits) : bytes_(std::move(bytes)), path_(std::move(path)), limits_(limits) {}

    Status list() {
        std::size_t at = 0;
        while (at + kBlock <= bytes_.size() && bytes_[at] != '\0') {
            const std::string_view header = std::string_view(bytes_).substr(at, kBlock);
            const auto size = octal(header.substr(124, 12));
            const std::size_t content = at + kBlock;
            if (!size) {
                diagnostics_.push_back(refusedMember(nameOf(header), "its header is damaged", path_));
                break;
            }
            if (*size > bytes_.size() - content) {
                diagnostics_.push_back(unreadable(path_, "the end of " + nameOf(header), "the archive ends inside it"));
                take(header, content, bytes_.size() - content);
                break;
            }
            if (!takeLongName(header, content, *size)) {
                take(header, content, *size);
                longName_.clear();
            }
            if (members_.size() + diagnostics_.size() > limits_.archiveEntries)
                return fail(above(path_, "entries of the archive", limits_.archiveEntries));
            at = content + (*size + kBlock - 1) / kBlock * kBlock;
        }
        return {};
    }

    Result<std::string> read(std::size_t index) override { return bytes_.substr(begins_[index], members_[index].bytes); }

private:
    static constexpr std::size_t kBlock = 512;

    static std::optional<std::uint64_t> octal(std::string_view field) {
        std::uint64_t value = 0;
        bool any = false;
        for (const char c : field) {
            if (c == ' ' || c == '\0') {
                if (any) break;
                continue;
            }
            if (c < '0' || c > '7' || value >> 60) return std::nullopt;
            value = value * 8 + static_cast<std::uint64_t>(c - '0');
            any = true;
        }
        return any ? std::optional(value) : std::nullopt;
    }
    static std::string field(std::string_view header, std::size_t at, std::size_t size) {
        const std::string_view raw = header.substr(at, size);
        return std::string(raw.substr(0, raw.find('\0')));
    }
    static std::string nameOf(std::string_view header) {
        const std::string name = field(header, 0, 100), prefix = field(header, 345, 155);
        return prefix.empty() ? name : prefix + "/" + name;
    }

    /// Names of more than 100 bytes stand in a member of their own before the file: as they are (GNU), or as `path=` among other records (POSIX pax).
    bool takeLongName(std::string_view header, std::size_t content, std::uint64_t size) {
        const char type = header[156];
        if (type != 'L' && type != 'K' && type != 'x' && type != 'g') return false;
        const std::string_view text = std::string_view(bytes_).substr(content, size);
        if (type == 'L') longName_ = text.substr(0, text.find('\0'));
        if (type != 'x') return true;
        // A record is its own length in digits, a blank, `key=value`, and a line end.
        for (std::size_t at = 0; at < text.size();) {
            std::size_t length = 0;
            const char* end = text.data() + text.size();
            const auto [digits, error] = std::from_chars(text.data() + at, end, length);
            if (error != std::errc() || digits == end || *digits != ' ' || length > text.size() - at) break;
            const auto prefix = static_cast<std::size_t>(digits + 1 - (text.data() + at));
            if (length <= prefix) break;
            const std::string_view record = text.substr(at + prefix, length - prefix - 1);
            if (record.starts_with("path=")) longName_ = record.substr(5);
            at += length;
        }
        return true;
    }

    void take(std::string_view header, std::size_t content, std::uint64_t size) {
        const char type = header[156];
        std::string name = cleanUtf8(longName_.empty() ? nameOf(header) : longName_).text;
        if (name.starts_with("./")) name.erase(0, 2);
        if ((type != '0' && type != '\0') || name.empty() || name.ends_with('/')) {
            if (type == '1' || type == '2') diagnostics_.push_back(refusedMember(name, "it is a link", path_));
            return;
        }
        if (const auto why = badMemberName(name); !why.empty()) {
            diagnostics_.push_back(refusedMember(name, why, path_));
            return;
        }
        members_.push_back({std::move(name), size});
        begins_.push_back(content);
    }

    std::string bytes_, path_;
    ReadLimits limits_;
    std::string longName_;  // of the next member
    std::vector<std::size_t> begins_;
};

}  // namespace

Diagnostic unreadable(const std::string& path, std::string what, std::string why) {
    Diagnostic d = userError("R004", {{"what", std::move(what)}, {"why", std::move(why)}});
    d.file = path;
    return d;
}

std::string_view badMemberName(std::string_view name) {
    if (name.empty()) return "it has no name";
    if (name.size() > kNameBytes) return "its name is longer than 4096 bytes";
    if (name[0] == '/') return "its name is absolute";
    if (name.size() > 1 && name[1] == ':') return "its name has a drive";
    for (const char c : name) {
        if (c == '\\') return "its name has a backslash";
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "its name has a control character";
    }
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        if (name.substr(at, end - at) == "..") return "its name leads out of the archive";
        at = end + 1;
    }
    return {};
}

Diagnostic refusedMember(std::string_view name, std::string_view why, const std::string& file) {
    Diagnostic d = warning("R040", {{"name", std::string(name.substr(0, 200))}, {"why", std::string(why)}});
    d.file = file;
    return d;
}

Result<std::unique_ptr<MemberSource>> openFolder(const std::string& path, const ReadLimits& limits) {
    auto source = std::make_unique<FolderSource>(path, limits);
    if (auto status = source->list(); !status) return fail(status.error());
    return std::unique_ptr<MemberSource>(std::move(source));
}

Result<std::unique_ptr<MemberSource>> openTar(std::string bytes, const std::string& path, const ReadLimits& limits) {
    auto source = std::make_unique<TarSource>(std::move(bytes), path, limits);
    if (auto status = source->list(); !status) return fail(status.error());
    return std::unique_ptr<MemberSource>(std::move(source));
}

Result<std::string> gunzip(std::string_view bytes, const std::string& path, const ReadLimits& limits, std::optional<Diagnostic>* rest) {
    z_stream stream{};
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) return fail(unreadable(path, "the gzip stream", "no memory"));
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
    constexpr std::size_t kBlock = 1 << 20, kRatioFrom = 10 << 20;
    std::string out;
    std::size_t taken = 0;
    for (int state = Z_OK; state != Z_STREAM_END;) {
        if (stream.avail_in == 0) {
            const std::size_t piece = std::min(bytes.size() - taken, kBlock);
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
            stream.avail_in = static_cast<uInt>(piece);
            taken += piece;
        }
        const std::size_t old = out.size();
        out.resize(old + kBlock);
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + old);
        stream.avail_out = kBlock;
        state = inflate(&stream, Z_NO_FLUSH);
        out.resize(old + kBlock - stream.avail_out);
        if (state != Z_OK && state != Z_STREAM_END) {
            const std::string why = state == Z_BUF_ERROR ? "it ends too early" : "it is damaged";
            if (!rest || out.empty()) return fail(unreadable(path, "the gzip stream", why));
            *rest = unreadable(path, "the gzip stream behind " + std::to_string(out.size()) + " unpacked bytes", why);
            return out;
        }
        if (out.size() > limits.fileBytes) return fail(above(path, "the unpacked file", limits.fileBytes));
        if (out.size() > kRatioFrom && out.size() / limits.packingRatio > bytes.size())
            return fail(above(path, "packing ratio of the file", limits.packingRatio));
        // What follows the first stream is another one.
        if (state == Z_STREAM_END && taken - stream.avail_in < bytes.size() && inflateReset(&stream) == Z_OK && stream.avail_in >= 2 &&
            stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b)
            state = Z_OK;
    }
    return out;
}

}  // namespace aliascope
