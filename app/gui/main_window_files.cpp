// Which files and folders the window opens, saves and watches.

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>

#include "app/gui/main_window.h"
#include "views/panels/error_banner.h"
#include "views/panels/new_dump_strip.h"
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
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        extraOps_ << path;
        if (!last_.path.isEmpty() || !last_.text.isEmpty()) open(last_);
        say(tr("Operators of %1 are used from now on.").arg(path));
    });
    dialog->open();
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

void MainWindow::closeGraph() {
    banner_->hide();
    session_.close();
}

void MainWindow::pasteGraph() {
    OpenRequest request;
    request.text = QApplication::clipboard()->text();
    request.title = tr("pasted graph");
    if (request.text.trimmed().isEmpty()) {
        say(tr("The clipboard holds no text."));
        return;
    }
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
