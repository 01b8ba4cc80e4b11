// Ctrl+P: the view that is in front goes onto a page, in light colours whatever the theme.

#include <QDialogButtonBox>
#include <QFile>
#include <QLineEdit>
#include <QPrintDialog>
#include <QPrinter>
#include <QPushButton>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "tests/views/open_window.h"
#include "tests/views/widget_test.h"
#include "views/panels/print_view.h"
#include "views/panels/stage_panel.h"

using namespace aliascope;

class TestPrint : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        window_ = openWindow();
        QVERIFY(window_);
        window_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settled(window_->session()));
    }
    void cleanup() { applyTheme(ThemeChoice::Light); }

    void aViewBecomesAPage() {
        const QByteArray pdf = printed(*window_->stagePanel(), "graph.pdf");
        QVERIFY(pdf.startsWith("%PDF-"));
        QCOMPARE(pdf.count("/Type /Page\n"), 1);
        QVERIFY2(pdf.size() > 20'000, qPrintable(QString::number(pdf.size())));  // the picture is in it
    }

    /// The same bytes but for date and name: paper knows no theme. Afterwards the window is as it was.
    void everyThemePrintsAlike_data() {
        QTest::addColumn<int>("theme");
        QTest::newRow("dark") << int(ThemeChoice::Dark);
        QTest::newRow("high contrast") << int(ThemeChoice::HighContrast);
    }
    void everyThemePrintsAlike() {
        QFETCH(int, theme);
        const qsizetype light = printed(*window_->stagePanel(), "light.pdf").size();
        applyTheme(ThemeChoice(theme));
        const qsizetype other = printed(*window_->stagePanel(), "other.pdf").size();
        QVERIFY2(std::abs(light - other) < 64, qPrintable(QStringLiteral("%1 and %2 bytes").arg(light).arg(other)));
        QCOMPARE(themeChoice(), ThemeChoice(theme));
    }

    void aFileThatCannotBeWrittenIsSaid() {
        QPrinter printer;
        printer.setOutputFormat(QPrinter::PdfFormat);
        printer.setOutputFileName(folder_.filePath(QStringLiteral("no/such/folder/a.pdf")));
        QVERIFY(!printView(printer, *window_->stagePanel(), QStringLiteral("a"), QString()));
    }

    void theKeyOpensTheDialogAndItsAnswerIsAFile() {
        const QString path = folder_.filePath(QStringLiteral("dialog.pdf"));
        QPrintDialog* dialog = openDialog();
        QVERIFY(dialog);
        dialog->printer()->setOutputFormat(QPrinter::PdfFormat);
        auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("filename"));
        QVERIFY(name);
        name->setText(path);
        QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok), Qt::LeftButton);
        QTRY_VERIFY(QFile::exists(path));
        QVERIFY2(window_->statusBar()->currentMessage().contains(QLatin1String("dialog.pdf")), qPrintable(window_->statusBar()->currentMessage()));
    }

    void escapePrintsNothing() {
        QPrintDialog* dialog = openDialog();
        QVERIFY(dialog);
        QTest::keyClick(dialog, Qt::Key_Escape);
        QVERIFY(!dialog->isVisible());
    }

private:
    /// Ctrl+P; null when no dialog comes.
    QPrintDialog* openDialog() {
        window_->activateWindow();  // the platform of the tests does not when a dialog has gone
        if (!QTest::qWaitForWindowActive(window_.get())) return nullptr;
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_P, Qt::ControlModifier);
        for (QPrintDialog* each : window_->findChildren<QPrintDialog*>(QStringLiteral("print.dialog")))
            if (each->isVisible()) return each;  // one that was answered goes at the next turn of the loop
        return nullptr;
    }

    QByteArray printed(QWidget& view, const char* name) {
        const QString path = folder_.filePath(QLatin1String(name));
        {
            QPrinter printer;
            printer.setOutputFormat(QPrinter::PdfFormat);
            printer.setOutputFileName(path);
            printer.setPageOrientation(QPageLayout::Landscape);
            if (!printView(printer, view, QStringLiteral("kv_cache_layers.py"), QStringLiteral("aliascope show kv_cache_layers.py"))) return {};
        }
        QFile file(path);
        const QByteArray pdf = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        if (const QString kept = qEnvironmentVariable("ALIASCOPE_PICTURES"); !kept.isEmpty()) {
            QFile::remove(kept + QLatin1Char('/') + QLatin1String(name));
            QFile::copy(path, kept + QLatin1Char('/') + QLatin1String(name));
        }
        return pdf;
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestPrint)
#include "tst_print.moc"
