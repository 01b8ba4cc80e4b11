#pragma once
// New dumps in a folder: a program that is being compiled writes them one after another (ui.md 2.13). Thread-safety: UI thread only.

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>
#include <functional>

namespace aliascope {

class FolderWatch : public QObject {
    Q_OBJECT

public:
    explicit FolderWatch(QObject* parent = nullptr);
    /// Watches `folder` and the folders in it, up to kDepth levels and kFolders folders. What is there already is told only when it is written again,
    /// as a trace is while its program runs. Another call replaces it.
    void watch(const QString& folder);
    void stop();
    const QString& folder() const { return folder_; }

    static constexpr int kDepth = 5, kFolders = 256, kFiles = 10'000, kWatchedFiles = 1'000;

Q_SIGNALS:
    /// A file that may hold graphs was written, or written on, and has been quiet for a moment.
    void appeared(const QString& path);

private:
    void scan(const QString& folder, int depth, bool tell);
    void watchFile(const QString& path);
    void written(const QString& path);
    void lookAgain();
    void settle();

    QString folder_;
    QFileSystemWatcher watcher_;
    QSet<QString> known_;             ///< files by path
    QHash<QString, qint64> growing_;  ///< files that are still written, with the size when last looked at
    qsizetype watchedFiles_ = 0;
    QTimer quiet_;
};

/// The file among `roots` and below that was written last and is named as PyTorch names its traces and dumps; empty when there is none. Looks at no
/// more than 50,000 entries, four folders deep; hidden folders and links are left out. Any thread.
QString newestTrace(const QStringList& roots, const std::function<bool()>& cancelled);

}  // namespace aliascope
