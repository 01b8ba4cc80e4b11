// Ctrl+P: the view that is in front, on paper or into a PDF.

#include <QApplication>
#include <QDockWidget>
#include <QPointer>
#include <QPrintDialog>
#include <QPrinter>
#include <QStackedWidget>
#include <QTabWidget>

#include "app/gui/main_window.h"
#include "views/models/format.h"
#include "views/panels/compare_panel.h"
#include "views/panels/passes_panel.h"
#include "views/panels/print_view.h"
#include "views/panels/stage_panel.h"

namespace aliascope {

/// The panel with the focus; elsewhere the stage, or the two that are compared.
QWidget* MainWindow::viewOfFocus() const {
    const QWidget* focus = QApplication::focusWidget();
    for (QTabWidget* tabs : {bottom_, inspector_})
        if (focus && tabs->isAncestorOf(focus)) return tabs->currentWidget();
    if (focus && passesDock_->isAncestorOf(focus)) return passes_;
    return middle_->currentWidget();
}

void MainWindow::print() {
    if (!session_.isOpen()) return;
    QWidget* view = viewOfFocus();
    QString title = session_.title();
    if (const StageRow* stage = session_.stageRow(session_.stage()))
        title += tr("   stage %1 %2, %3 nodes").arg(stage->idx).arg(qstr(stage->name), grouped(stage->nodes));
    const QString footer = commandOfFocus();
    // The dialog owns the printer, and goes with the window.
    auto* dialog = new QPrintDialog(this);
    dialog->setObjectName(QStringLiteral("print.dialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->printer()->setDocName(session_.title());
    dialog->printer()->setPageOrientation(view->width() > view->height() ? QPageLayout::Landscape : QPageLayout::Portrait);
    connect(dialog, qOverload<QPrinter*>(&QPrintDialog::accepted), this, [this, view = QPointer(view), title, footer](QPrinter* printer) {
        if (!view) return;
        const QString file = printer->outputFileName();
        if (!printView(*printer, *view, title, footer))
            return say(tr("It cannot be printed: %1 cannot be written.").arg(file.isEmpty() ? tr("the printer") : file));
        say(file.isEmpty() ? tr("Printed.") : tr("Printed into %1.").arg(file));
    });
    dialog->open();
}

}  // namespace aliascope
