#pragma once
// Numbers and words as every panel writes them.

#include <QString>
#include <optional>

#include "core/recording/recording.h"
#include "views/canvas/palette.h"

namespace aliascope {

inline QString qstr(const std::string& s) { return QString::fromUtf8(s.data(), qsizetype(s.size())); }

/// 1,769,472
QString grouped(std::int64_t n);
/// Binary units, two decimals from 1 KiB on where they say something: `96 B`, `16 KiB`, `1.69 MiB`.
QString bytesText(std::int64_t bytes);
/// As above; a dash where nothing is known.
QString bytesText(const std::optional<std::int64_t>& bytes);
/// `1,769,472 B`, for tooltips.
QString exactBytes(std::int64_t bytes);
QString percentName(const std::string& name);  ///< `%name`; empty stays empty
QString durationText(std::int64_t ns);
/// `1 clone`, `8 clones`.
QString counted(std::int64_t n, const QString& one, const QString& many);

/// What a decision means to a reader (reason-codes.md 1, UI words).
enum class VerdictKind : std::uint8_t { InPlace, Needed, Avoidable, Unknown, NoOp, NotAttempted, Applied, Refused };
inline constexpr int kVerdictKinds = 8;
VerdictKind verdictKind(const DecisionRow& decision);
QString verdictWord(VerdictKind kind);
/// One character that goes with the colour.
QString verdictGlyph(VerdictKind kind);
Role verdictRole(VerdictKind kind);

/// Code and name, `RI21 VIEW_OF_INPUT`; one of them when both are the same.
QString reasonText(const std::string& code);

}  // namespace aliascope
