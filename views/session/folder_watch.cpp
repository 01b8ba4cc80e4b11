#include "views/session/folder_watch.h"

#include <QDateTime>
#include <QDir>
#include <QRegularExpression>

namespace aliascope {
namespace {

bool mayHoldGraphs(const QFileInfo& file) {
    static const QStringList suffixes{QStringLiteral("txt"), QStringLiteral("py"), QStringLiteral("log"), QStringLiteral("pt2"),
                                      QStringLiteral("json")};
    return suffixes.contains(file.suffix());
}

bool isTraceName(const QString& name) {
    static const QRegularExpression names(QStringLiteral(
        "^(dedicated_log_torch_trace.*\\.log|.*(post_grad|pre_grad|joint|forward|backward|inference|fx_graph).*\\.(py|txt)|.*\\.pt2)$"));
    return names.match(name).hasMatch();
}

}  // namespace

FolderWatch::FolderWatch(QObject* parent) : QObject(parent) {
    quiet_.setInterval(300);
    quiet_.setSingleShot(true);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, [this](const QString& folder) {
        const int depth = folder.mid(folder_.size()).count(QLatin1Char('/'));
        scan(folder, depth, true);
    });
    connect(&quiet_, &QTimer::timeout, this, &FolderWatch::settle);
}

void FolderWatch::watch(const QString& folder) {
    stop();
    folder_ = QDir::cleanPath(QFileInfo(folder).absoluteFilePath());
    scan(folder_, 0, false);
}

void FolderWatch::stop() {
    if (!watcher_.directories().isEmpty()) watcher_.removePaths(watcher_.directories());
    folder_.clear();
    known_.clear();
    growing_.clear();
    quiet_.stop();
}

void FolderWatch::scan(const QString& folder, int depth, bool tell) {
    if (!watcher_.directories().contains(folder) && watcher_.directories().size() < kFolders) watcher_.addPath(folder);
    for (const QFileInfo& entry : QDir(folder).entryInfoList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks)) {
        const QString path = entry.absoluteFilePath();
        if (entry.isDir()) {
            const bool fresh = !watcher_.directories().contains(path);
            if (fresh && depth < kDepth && watcher_.directories().size() < kFolders) scan(path, depth + 1, tell);
            continue;
        }
        if (!mayHoldGraphs(entry) || known_.contains(path) || known_.size() >= kFiles) continue;
        known_.insert(path, entry.size());
        if (tell) growing_.insert(path, -1);
    }
    if (!growing_.isEmpty()) quiet_.start();
}

/// A file whose size has not changed since the last look is complete.
void FolderWatch::settle() {
    QStringList complete;
    for (auto it = growing_.begin(); it != growing_.end();) {
        const QFileInfo file(it.key());
        if (file.exists() && file.size() > 0 && file.size() == it.value()) complete << it.key();
        if (!file.exists() || complete.contains(it.key())) {
            it = growing_.erase(it);
            continue;
        }
        it.value() = file.size();
        ++it;
    }
    if (!growing_.isEmpty()) quiet_.start();
    for (const QString& path : complete) emit appeared(path);
}

QString newestTrace(const QStringList& roots, const std::function<bool()>& cancelled) {
    constexpr int mostEntries = 50'000, mostDepth = 4;
    QString best;
    QDateTime bestTime;
    int entries = 0;
    QList<std::pair<QString, int>> todo;
    for (const QString& root : roots) todo.append({root, 0});
    while (!todo.isEmpty() && entries < mostEntries && !cancelled()) {
        const auto [folder, depth] = todo.takeFirst();
        for (const QFileInfo& entry : QDir(folder).entryInfoList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks)) {
            if (++entries > mostEntries) break;
            if (entry.isDir()) {
                if (depth < mostDepth) todo.append({entry.absoluteFilePath(), depth + 1});
            } else if (isTraceName(entry.fileName()) && (best.isEmpty() || entry.lastModified() > bestTime)) {
                best = entry.absoluteFilePath();
                bestTime = entry.lastModified();
            }
        }
    }
    return best;
}

}  // namespace aliascope
