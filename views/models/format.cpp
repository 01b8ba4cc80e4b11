#include "views/models/format.h"

#include <QLocale>
#include <QObject>
#include <array>
#include <cmath>

#include "core/support/reasons.h"

namespace aliascope {

QString grouped(std::int64_t n) {
    static const QLocale locale = [] {
        QLocale english(QLocale::English, QLocale::UnitedStates);
        english.setNumberOptions(QLocale::DefaultNumberOptions);
        return english;
    }();
    return locale.toString(qlonglong(n));
}

QString bytesText(std::int64_t bytes) {
    constexpr std::array<const char*, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    const double size = std::abs(double(bytes));
    if (size < 1024) return QStringLiteral("%1 B").arg(bytes);
    double value = double(bytes) / 1024;
    std::size_t unit = 0;
    while (std::abs(value) >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    QString number = QString::number(value, 'f', std::abs(value) < 100 ? 2 : 1);
    while (number.contains(QLatin1Char('.')) && (number.endsWith(QLatin1Char('0')) || number.endsWith(QLatin1Char('.')))) number.chop(1);
    return number + QLatin1Char(' ') + QLatin1String(units[unit]);
}

QString bytesText(const std::optional<std::int64_t>& bytes) { return bytes ? bytesText(*bytes) : QStringLiteral("\u2013"); }

QString exactBytes(std::int64_t bytes) { return grouped(bytes) + QStringLiteral(" B"); }

QString percentName(const std::string& name) { return name.empty() ? QString() : QLatin1Char('%') + qstr(name); }

QString durationText(std::int64_t ns) {
    const double ms = double(ns) / 1e6;
    if (ms < 1) return QStringLiteral("%1 \u00b5s").arg(std::lround(double(ns) / 1e3));
    if (ms < 1000) return QStringLiteral("%1 ms").arg(ms, 0, 'f', ms < 10 ? 1 : 0);
    return QStringLiteral("%1 s").arg(ms / 1000, 0, 'f', 2);
}

QString counted(std::int64_t n, const QString& one, const QString& many) { return grouped(n) + QLatin1Char(' ') + (n == 1 ? one : many); }

VerdictKind verdictKind(const DecisionRow& d) {
    if (d.code == "SELF_COPY") return VerdictKind::NoOp;
    if (d.verdict == "in-place") return VerdictKind::InPlace;
    if (d.verdict == "not-attempted") return VerdictKind::NotAttempted;
    if (d.verdict == "applied") return VerdictKind::Applied;
    if (d.verdict == "refused") return VerdictKind::Refused;
    if (d.need == "needed") return VerdictKind::Needed;
    if (d.need == "avoidable") return VerdictKind::Avoidable;
    return VerdictKind::Unknown;
}

QString verdictWord(VerdictKind kind) {
    switch (kind) {
        case VerdictKind::InPlace:
            return QObject::tr("in place");
        case VerdictKind::Needed:
            return QObject::tr("needed");
        case VerdictKind::Avoidable:
            return QObject::tr("avoidable");
        case VerdictKind::Unknown:
            return QObject::tr("copied");
        case VerdictKind::NoOp:
            return QObject::tr("no-op left");
        case VerdictKind::NotAttempted:
            return QObject::tr("not attempted");
        case VerdictKind::Applied:
            return QObject::tr("applied");
        case VerdictKind::Refused:
            return QObject::tr("refused");
    }
    return {};
}

QString verdictGlyph(VerdictKind kind) {
    switch (kind) {
        case VerdictKind::InPlace:
            return QStringLiteral("\u2713");
        case VerdictKind::Needed:
            return QStringLiteral("=");
        case VerdictKind::Avoidable:
            return QStringLiteral("!");
        case VerdictKind::Unknown:
            return QStringLiteral("?");
        case VerdictKind::NoOp:
            return QStringLiteral("\u00b7");
        case VerdictKind::NotAttempted:
            return QStringLiteral("\u2013");
        case VerdictKind::Applied:
            return QStringLiteral("\u2713");
        case VerdictKind::Refused:
            return QStringLiteral("\u00d7");
    }
    return {};
}

Role verdictRole(VerdictKind kind) {
    switch (kind) {
        case VerdictKind::InPlace:
        case VerdictKind::Applied:
            return Role::InPlace;
        case VerdictKind::Avoidable:
            return Role::Avoidable;
        case VerdictKind::Needed:
            return Role::Needed;
        default:
            return Role::Unchanged;
    }
}

QString reasonText(const std::string& code) {
    const Reason* reason = findReason(code);
    if (!reason || reason->name.empty() || reason->name == code) return qstr(code);
    return qstr(code) + QLatin1Char(' ') + QString::fromUtf8(reason->name.data(), qsizetype(reason->name.size()));
}

}  // namespace aliascope
