#include "views/session/save_job.h"

#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <algorithm>
#include <memory>

namespace aliascope {
namespace {

constexpr qint64 kBlock = 1 << 20;  ///< between two looks at Cancel

enum class Copied : std::uint8_t { Whole, Cancelled, Failed };

Copied copy(QFile& from, QFile& to, const JobContext& job) {
    if (!from.open(QIODevice::ReadOnly) || !to.open(QIODevice::WriteOnly | QIODevice::Truncate)) return Copied::Failed;
    const auto block = std::make_unique<char[]>(kBlock);
    const double whole = double(std::max<qint64>(1, from.size()));
    for (qint64 done = 0;;) {
        if (job.cancelled()) return Copied::Cancelled;
        const qint64 got = from.read(block.get(), kBlock);
        if (got < 0 || to.write(block.get(), got) != got) return Copied::Failed;
        if (got == 0) return to.flush() ? Copied::Whole : Copied::Failed;
        done += got;
        job.progress(double(done) / whole, "copying the session");
    }
}

/// What went wrong with one of the two.
QString reasonOf(const QFile& first, const QFile& second) {
    return first.error() != QFileDevice::NoError ? first.errorString() : second.errorString();
}

}  // namespace

RecordOutcome saveSession(const QString& from, const QString& path, std::int64_t lane, const JobContext& job) {
    RecordOutcome out;
    QFile source(from), part(path + QStringLiteral(".part"));
    const Copied copied = copy(source, part, job);
    QString why = reasonOf(source, part);  // closing forgets it
    part.close();
    if (copied == Copied::Whole) {
        QFile old(path);
        if ((!old.exists() || old.remove()) && part.rename(path)) return openRecording(path, lane, {});
        why = reasonOf(old, part);
    }
    out.cancelled = copied == Copied::Cancelled;
    if (!out.cancelled) {
        ErrorReport report;
        report.what = QObject::tr("The session cannot be saved: %1.").arg(why);
        report.where = path;
        report.todo = QObject::tr("Choose another folder, or free some space.");
        report.exitCode = 9;
        out.error = report;
    }
    part.remove();
    return out;
}

}  // namespace aliascope
