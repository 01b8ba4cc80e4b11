// Ctrl+E: what the window writes is what the command line writes.

#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"
#include "tests/views/open_window.h"
#include "tests/views/widget_test.h"
#include "views/panels/error_banner.h"
#include "views/panels/stage_panel.h"

using namespace aliascope;

class TestExport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QVERIFY(folder_.isValid());
        window_ = openWindow();
        QVERIFY(window_);
        window_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settle());
        OpenRequest saved;
        saved.path = folder_.filePath(QStringLiteral("kv.aliascope"));
        window_->session().saveAs(saved.path);
        QVERIFY(settle());
        window_->open(saved);
        QVERIFY(settle());
    }

    void formsAreThoseOfTheCommandLine_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("report") << "report.html" << QStringList{"report", "kv.aliascope", "--pipeline", "torch-v1"};
        QTest::newRow("picture") << "stage.svg" << QStringList{"export", "kv.aliascope", "--stage", "last", "--as", "svg"};
        QTest::newRow("dot") << "stage.dot" << QStringList{"export", "kv.aliascope", "--stage", "last", "--as", "dot"};
        QTest::newRow("graph text") << "stage.txt" << QStringList{"export", "kv.aliascope", "--stage", "last", "--as", "graph"};
        QTest::newRow("Python") << "stage.py" << QStringList{"export", "kv.aliascope", "--stage", "last", "--as", "readable"};
    }

    void formsAreThoseOfTheCommandLine() {
        QFETCH(QString, name);
        QFETCH(QStringList, arguments);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_End);
        QVERIFY(settle());
        exportTo(folder_.filePath(name));
        const QByteArray here = contents(folder_.filePath(name));
        QVERIFY(here.size() > 1000);
        QVERIFY2(said().startsWith(QLatin1String("Written: ")), qPrintable(said()));
        const QString there = folder_.filePath(QStringLiteral("there-") + name);
        const testing::Answer answer = testing::runProgram(arguments + QStringList{"-o", there}, {}, {}, folder_.path());
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        QCOMPARE(here, contents(there));
    }

    void theReportHoldsTheDecisionItsPicturesAndTheCommand() {
        exportTo(folder_.filePath(QStringLiteral("again.html")));
        const QString html = QString::fromUtf8(contents(folder_.filePath(QStringLiteral("again.html"))));
        QVERIFY(html.contains(QLatin1String("select_scatter_13")));
        QVERIFY(html.contains(QLatin1String("<svg")));
        QVERIFY(html.contains(QLatin1String("aliascope report kv.aliascope --pipeline torch-v1")));
    }

    void aFileThatCannotBeWrittenIsSaid() {
        exportTo(folder_.filePath(QStringLiteral("no/such/folder/report.html")), false);
        QVERIFY(window_->banner()->isVisible());
        const QString text = window_->banner()->findChild<QLabel*>(QStringLiteral("error.what"))->text();
        QVERIFY2(text.contains(QLatin1String("cannot be written")), qPrintable(text));
        window_->banner()->hide();
    }

    void escapeStopsIt() {
        const QString path = folder_.filePath(QStringLiteral("stopped.html"));
        window_->open(sampleRequest("gpt2_train_joint.py", "torch-v2"));
        QVERIFY(settle());
        openDialog(path);
        QVERIFY(!window_->session().jobs().visible().empty());
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_Escape);
        QVERIFY(settle());
        QCOMPARE(said(), QStringLiteral("Stopped: nothing was written."));
        QVERIFY(!QFile::exists(path));
    }

private:
    bool settle() { return settled(window_->session()); }
    QString said() { return window_->statusBar()->currentMessage(); }

    static QByteArray contents(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    /// Ctrl+E, the path into the dialog, Save.
    void openDialog(const QString& path) {
        window_->activateWindow();  // the platform of the tests does not when a dialog has gone
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_E, Qt::ControlModifier);
        QFileDialog* dialog = nullptr;
        for (QFileDialog* each : window_->findChildren<QFileDialog*>(QStringLiteral("export.dialog")))
            if (each->isVisible()) dialog = each;  // one that was answered goes at the next turn of the loop
        QVERIFY(dialog);
        auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        name->setText(path);  // typed, the list of names that fit would stand over the buttons
        QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save), Qt::LeftButton);
        QVERIFY(!dialog->isVisible());
    }

    void exportTo(const QString& path, bool written = true) {
        QFile::remove(path);
        openDialog(path);
        QVERIFY(settle());
        QCOMPARE(QFile::exists(path), written);
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestExport)
#include "tst_export.moc"
