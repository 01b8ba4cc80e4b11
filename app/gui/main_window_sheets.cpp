// What the window says beside its panels: tips by key, sheets of keys and words, command lines of verbs.

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QScrollArea>
#include <QToolTip>
#include <algorithm>

#include "app/cli/command_table.h"
#include "app/gui/main_window.h"
#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/command_table.h"
#include "views/panels/glossary.h"

namespace aliascope {

void MainWindow::showTooltip() {
    const QWidget* focus = QApplication::focusWidget();
    if (!focus) return;
    QString text = focus->toolTip();
    if (text.isEmpty()) text = focus->accessibleName();
    const auto* view = qobject_cast<const QAbstractItemView*>(focus);
    if (view && view->currentIndex().isValid()) {
        const QString cell = view->currentIndex().data(Qt::ToolTipRole).toString();
        if (!cell.isEmpty()) text = cell;
    }
    QToolTip::showText(focus->mapToGlobal(focus->rect().center()), text, const_cast<QWidget*>(focus));
    say(text.section(QLatin1Char('\n'), 0, 0));
}

void MainWindow::showKeys() { showSheet(QStringLiteral("help.sheet"), tr("Keyboard"), keyboardSheet()); }

void MainWindow::showSheet(const QString& objectName, const QString& title, const QString& html) {
    auto* sheet = new QScrollArea(this);
    sheet->setObjectName(objectName);
    sheet->setAccessibleName(title);
    sheet->setWindowFlag(Qt::Tool);
    sheet->setWindowTitle(title);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->setWidgetResizable(true);
    auto* text = new QLabel(html, sheet);
    text->setTextFormat(Qt::RichText);
    text->setWordWrap(true);
    text->setMargin(Metrics::pad());
    text->setAlignment(Qt::AlignTop);
    sheet->setWidget(text);
    const int width = Metrics::em(34);
    sheet->resize(width, std::min(Metrics::em(44), text->heightForWidth(width) + 2 * Metrics::pad()));
    sheet->show();
}

void MainWindow::copyVerb(const QString& verb) {
    const cli::VerbSpec* spec = cli::findVerb(verb.toStdString());
    QString command = QStringLiteral("aliascope %1").arg(verb);
    if (session_.isOpen() && spec && !spec->arguments.empty()) {
        const bool staged = std::find(spec->options.begin(), spec->options.end(), "--pipeline") != spec->options.end();
        command = staged ? commandLine(session_, verb) : QStringLiteral("aliascope %1 %2").arg(verb, shellQuoted(session_.commandFile()));
    }
    QApplication::clipboard()->setText(command);
    say(tr("Copied: %1").arg(command));
}

void MainWindow::showAbout() {
    say(tr("Aliascope %1: what a graph compiler does to memory, stage by stage. Qt %2.")
            .arg(QCoreApplication::applicationVersion(), QLatin1String(qVersion())));
}

}  // namespace aliascope
