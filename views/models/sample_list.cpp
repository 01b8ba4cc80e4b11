#include "views/models/sample_list.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>

namespace aliascope {
namespace {

constexpr int kRecent = 20;

QString whenText(const QDateTime& when) {
    const qint64 days = when.date().daysTo(QDate::currentDate());
    if (days == 0) return QObject::tr("today, %1").arg(when.toString(QStringLiteral("HH:mm")));
    if (days == 1) return QObject::tr("yesterday");
    return when.toString(QStringLiteral("yyyy-MM-dd"));
}

}  // namespace

OpenRequest Sample::request() const {
    OpenRequest request;
    request.path = QStringLiteral(":/samples/") + file;
    request.title = title;
    request.pipeline = pipeline;
    if (!ops.isEmpty()) request.ops << QStringLiteral(":/samples/") + ops;
    return request;
}

const std::vector<Sample>& bundledSamples() {
    static const std::vector<Sample> samples = [] {
        std::vector<Sample> out;
        QFile file(QStringLiteral(":/samples/samples.json"));
        if (!file.open(QIODevice::ReadOnly)) return out;
        for (const QJsonValue& value : QJsonDocument::fromJson(file.readAll()).array()) {
            const QJsonObject o = value.toObject();
            auto text = [&](const char* key) { return o.value(QLatin1String(key)).toString(); };
            out.push_back({text("file"), text("title"), text("pipeline"), text("ops"), text("story")});
        }
        return out;
    }();
    return samples;
}

int SampleModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(bundledSamples().size()); }

QVariant SampleModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Sample& sample = bundledSamples()[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
        case TitleRole:
            return sample.title;
        case DetailRole:
            return sample.story;
        case Qt::ToolTipRole:
            return QObject::tr("%1, pipeline %2").arg(sample.file, sample.pipeline);
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1. %2").arg(sample.title, sample.story);
        default:
            return {};
    }
}

void RecentModel::setPaths(QStringList paths) {
    beginResetModel();
    paths_ = std::move(paths);
    endResetModel();
}

void RecentModel::add(const QString& path) {
    QStringList next = paths_;
    next.removeAll(path);
    next.prepend(path);
    if (next.size() > kRecent) next.resize(kRecent);
    setPaths(std::move(next));
}

void RecentModel::remove(int row) {
    if (row < 0 || row >= paths_.size()) return;
    beginRemoveRows({}, row, row);
    paths_.removeAt(row);
    endRemoveRows();
}

int RecentModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(paths_.size()); }

QVariant RecentModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const QString& path = paths_[index.row()];
    const QFileInfo info(path);
    switch (role) {
        case Qt::DisplayRole:
        case TitleRole:
            return info.fileName();
        case DetailRole:
            return info.exists() ? QStringLiteral("%1  \u00b7  %2").arg(whenText(info.lastModified()), info.absolutePath())
                                 : QObject::tr("missing  \u00b7  %1").arg(info.absolutePath());
        case MissingRole:
            return !info.exists();
        case Qt::ToolTipRole:
            return path;
        case Qt::AccessibleTextRole:
            return info.exists() ? info.fileName() : QObject::tr("%1, missing").arg(info.fileName());
        default:
            return {};
    }
}

}  // namespace aliascope
