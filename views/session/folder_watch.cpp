#include "views/session/folder_watch.h"

#include <QDateTime>
#include <QDir>
#include <QRegularExpression>

#include "core/text/folder_names.h"

namespace aliascope {
namespace {

/// JSON lies beside dumps as maps and counters, and is a program only where somebody has unpacked one.
bool mayHoldGraphs(const QFileInfo& file) {
    static const QStringList suffixes{QStringLiteral("txt"), QStringLiteral("py"), QStringLiteral("log"), QStringLiteral("pt2")};
    return suffixes.contains(file.suffix()) && !memberPlace(file.fileName().toStdString()).neverGraph;
}

/// A user's own `test_forward.py` is none.
bool isTraceName(const QString& name) {
    static const QRegularExpression names(
        QStringLiteral("^(dedicated_log_torch_trace.*\\.log|raw\\.log|.*\\.pt2|__compiled_fn_.*\\.py|fx_graph_(readable|runnable|transformed)(_\\d+)?"
                       "\\.(py|txt)|.*(_grad|joint|forward|backward|inference|output)_graph(_\\w+)?\\.(py|txt))$"));
    return names.match(name).hasMatch() && !memberPlace(name.toStdString()).neverGraph;
}

}  // namespace

FolderWatch::FolderWatch(QObject* parent) : QObject(parent) {
    quiet_.setInterval(300);
    quiet_.setSingleShot(true);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, [this](const QString& folder) {
        const int depth = folder.mid(folder_.size()).count(QLatin1Char('/'));
        scan(folder, depth, true);
    });
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &FolderWatch::written);
    connect(&quiet_, &QTimer::timeout, this, &FolderWatch::settle);
}

void FolderWatch::watch(const QString& folder) {
    stop();
    folder_ = QDir::cleanPath(QFileInfo(folder).absoluteFilePath());
    scan(folder_, 0, false);
}

void FolderWatch::stop() {
    if (const QStringList all = watcher_.directories() + watcher_.files(); !all.isEmpty()) watcher_.removePaths(all);
    folder_.clear();
    known_.clear();
    growing_.clear();
    watchedFiles_ = 0;
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
        known_.insert(path);
        watchFile(path);
        if (tell) growing_.insert(path, -1);
    }
    lookAgain();
}

/// Not put off by what is written meanwhile: a log that never rests must not keep other files from being told.
void FolderWatch::lookAgain() {
    if (!growing_.isEmpty() && !quiet_.isActive()) quiet_.start();
}

void FolderWatch::watchFile(const QString& path) {
    if (watchedFiles_ < kWatchedFiles && watcher_.addPath(path)) ++watchedFiles_;
}

void FolderWatch::written(const QString& path) {
    if (!QFileInfo::exists(path)) {  // a file of that name is told again when it comes
        known_.remove(path);
        growing_.remove(path);
    } else if (!growing_.contains(path)) {
        growing_.insert(path, -1);
    }
    watchedFiles_ = watcher_.files().size();  // those that went, or were replaced, are watched no longer
    if (known_.contains(path)) watchFile(path);
    lookAgain();
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
    lookAgain();
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
