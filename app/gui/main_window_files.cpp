// Which files and folders the window opens, saves and watches.

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QRegularExpression>

#include "app/gui/main_window.h"
#include "views/models/format.h"
#include "views/panels/command_line.h"
#include "views/panels/error_banner.h"
#include "views/panels/new_dump_strip.h"
#include "views/session/export_job.h"
#include "views/session/folder_watch.h"

namespace aliascope {

void MainWindow::chooseFile() {
    auto* dialog = new QFileDialog(this, tr("Open"));
    dialog->setObjectName(QStringLiteral("open.dialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Graphs and sessions (*.py *.txt *.log *.pt2 *.aliascope)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        OpenRequest request;
        request.path = path;
        open(request);
    });
    dialog->open();
}

void MainWindow::chooseOperators() {
    auto* dialog = new QFileDialog(this, tr("Add operator schemas"));
    dialog->setObjectName(QStringLiteral("operators.dialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Operator schemas (*.ops)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { useOperators({path}); });
    dialog->open();
}

void MainWindow::useOperators(const QStringList& files, const OpenRequest& next) {
    struct Sorted {
        QStringList used;
        std::optional<ErrorReport> refused;  // the first one
    };
    const auto names = [](const OpenRequest& request) { return !request.path.isEmpty() || !request.text.isEmpty(); };
    session_.jobs().start(
        tr("Reading operator schemas"), QString(), JobQueue::Kind::Visible,
        [files](const JobContext&) {
            Sorted out;
            for (const QString& file : files) {
                std::optional<ErrorReport> refused = operatorsRefused(file);
                if (!refused) out.used << file;
                if (!out.refused) out.refused = std::move(refused);
            }
            return out;
        },
        [this, next, names](const Sorted& sorted) {
            extraOps_ << sorted.used;
            if (names(next))
                open(next);
            else if (names(last_) && !sorted.used.isEmpty())
                open(last_);
            if (!sorted.used.isEmpty()) say(tr("Operators of %1 are used from now on.").arg(sorted.used.join(QStringLiteral(", "))));
            if (sorted.refused) banner_->showReport(*sorted.refused);
        });
}

void MainWindow::saveAs() {
    auto* dialog = new QFileDialog(this, tr("Save session as"));
    dialog->setObjectName(QStringLiteral("save.dialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("aliascope"));
    dialog->setNameFilters({tr("Sessions (*.aliascope)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { session_.saveAs(path); });
    dialog->open();
}

void MainWindow::chooseExport() {
    auto* dialog = new QFileDialog(this, tr("Export"));
    dialog->setObjectName(QStringLiteral("export.dialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const QStringList filters = {tr("Report of the pipeline (*.html)"), tr("Picture of the stage (*.svg)"), tr("Stage for Graphviz (*.dot)"),
                                 tr("Stage as graph text (*.txt)"), tr("Stage as Python (*.py)")};
    dialog->setNameFilters(filters);
    const auto suffixOf = [](const QString& filter) { return filter.section(QLatin1String("*."), 1).chopped(1); };
    dialog->setDefaultSuffix(suffixOf(filters.front()));
    QString name = session_.title() + (session_.lane() ? QLatin1Char('-') + qstr(session_.lane()->name) : QString());
    dialog->selectFile(name.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9._-]+")), QStringLiteral("_")) + QStringLiteral(".html"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, suffixOf](const QString& filter) { dialog->setDefaultSuffix(suffixOf(filter)); });
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::exportAs);
    dialog->open();
}

void MainWindow::exportAs(const QString& path) {
    if (!session_.isOpen()) return;
    ExportRequest request;
    request.path = path;
    request.form = exportFormOf(path);
    request.lane = session_.data().lane;
    request.stage = session_.stage();
    request.from = reproductionOf(session_);
    request.ops = session_.ops();
    const StageViewPtr& view = session_.view();
    if (view && view->hiddenCount > 0) {  // a picture shows what the window shows
        request.only.emplace();
        for (std::size_t node = 0; node < view->hidden.size(); ++node)
            if (!view->hidden[node]) request.only->insert(view->snapshot->nodes[node]->uid);
    }
    session_.jobs().start(
        tr("Writing %1").arg(QFileInfo(path).fileName()), QStringLiteral("export"), JobQueue::Kind::Visible,
        [recording = session_.data().recording, request](const JobContext& job) { return exportTo(*recording, request, job); },
        [this, path](const ExportOutcome& done) {
            if (done.error) return banner_->showReport(*done.error);
            say(done.cancelled ? tr("Stopped: nothing was written.") : tr("Written: %1, %2.").arg(path, bytesText(done.bytes)));
        });
}

void MainWindow::closeGraph() {
    banner_->hide();
    last_ = OpenRequest();
    session_.close();
}

void MainWindow::pasteGraph() { take(*QApplication::clipboard()->mimeData(), tr("pasted graph")); }

/// What was dropped or pasted: schemas of operators, a file or folder, else text.
void MainWindow::take(const QMimeData& data, const QString& title) {
    QStringList files, operators;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile()) (url.path().endsWith(QLatin1String(".ops")) ? operators : files) << url.toLocalFile();
    OpenRequest request;
    if (!files.isEmpty()) {
        request.path = files.front();
        if (QFileInfo(request.path).isDir()) dumps_->watch(request.path);  // a program may still be writing into it
        if (files.size() > 1)
            say(tr("%1 is opened, %2 more are not: files that belong together open as the folder that they lie in.")
                    .arg(QFileInfo(request.path).fileName())
                    .arg(files.size() - 1));
    } else if (operators.isEmpty()) {
        request.text = data.text();
        request.title = title;
        if (request.text.trimmed().isEmpty()) return say(tr("Nothing to open: neither text nor a file."));
    }
    if (!operators.isEmpty()) return useOperators(operators, request);
    open(request);
}

void MainWindow::openNewestTrace() {
    QStringList roots{QDir::homePath()};
    if (const QString folder = qEnvironmentVariable("TORCH_TRACE"); !folder.isEmpty()) roots.prepend(folder);
    session_.jobs().start(
        tr("Looking for the newest trace"), QStringLiteral("newest"), JobQueue::Kind::Visible,
        [roots](const JobContext& job) { return newestTrace(roots, [&job] { return job.cancelled(); }); },
        [this, roots](const QString& path) {
            if (path.isEmpty()) return say(tr("No trace or dump was found in %1.").arg(roots.join(tr(" or "))));
            OpenRequest request;
            request.path = path;
            open(request);
        });
}

void MainWindow::chooseWatched() {
    auto* dialog = new QFileDialog(this, tr("Watch a folder for new dumps"));
    dialog->setObjectName(QStringLiteral("watch.dialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { dumps_->watch(path); });
    dialog->open();
}

}  // namespace aliascope
