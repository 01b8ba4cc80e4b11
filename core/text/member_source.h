#pragma once
// Files inside something: a zip archive, a tar, a folder. Names are shown and grouped by, never opened as paths of this machine.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/text/document.h"

namespace aliascope {

struct Member {
    std::string name;  ///< with `/` between its parts, relative
    std::uint64_t bytes = 0;
};

/// Thread-safety: none.
class MemberSource {
public:
    virtual ~MemberSource() = default;
    /// In the order of the archive, or by natural order of their names.
    const std::vector<Member>& members() const { return members_; }
    /// Members that were refused, and why.
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
    /// What is no file that can be read as one: links, what lies too deep.
    const std::vector<SkippedMember>& skipped() const { return skipped_; }
    /// The content of a member. Errors: R004 (damaged, cannot be read), R050 (a limit of ReadLimits).
    virtual Result<std::string> read(std::size_t index) = 0;

protected:
    std::vector<Member> members_;
    std::vector<Diagnostic> diagnostics_;
    std::vector<SkippedMember> skipped_;
};

/// Why a member of that name is not taken (formats.md 17): absolute, `..`, a drive, a backslash, a control character. Empty = it is.
std::string_view badMemberName(std::string_view name);
/// The diagnostic of a refused member.
Diagnostic refusedMember(std::string_view name, std::string_view why, const std::string& file);

/// The files of a folder, 8 levels deep; links are not followed. Errors: R004, R050.
Result<std::unique_ptr<MemberSource>> openFolder(const std::string& path, const ReadLimits& limits);
/// A zip archive at `path`. Only its directory is read here. Errors: R004, R050.
Result<std::unique_ptr<MemberSource>> openZip(const std::string& path, const ReadLimits& limits);
/// A zip archive in memory; `path` is named in messages.
Result<std::unique_ptr<MemberSource>> openZip(std::string bytes, const std::string& path, const ReadLimits& limits);
/// A tar in memory. Errors: R050.
Result<std::unique_ptr<MemberSource>> openTar(std::string bytes, const std::string& path, const ReadLimits& limits);

/// R004 about `path`.
Diagnostic unreadable(const std::string& path, std::string what, std::string why);
/// What a gzip stream holds. Errors: R050 (size, ratio), and R004 when it is damaged or ends too early; with `rest` that is told there if anything
/// could be unpacked, and what could is the result.
Result<std::string> gunzip(std::string_view bytes, const std::string& path, const ReadLimits& limits, std::optional<Diagnostic>* rest = nullptr);

}  // namespace aliascope
