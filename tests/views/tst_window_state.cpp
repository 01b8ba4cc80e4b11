// A session opens as it was left.

#include <QSettings>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include "tests/views/open_window.h"
#include "tests/views/widget_test.h"
#include "views/panels/stage_panel.h"

using namespace aliascope;

class TestWindowState : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(settings_.isValid());
        QCoreApplication::setOrganizationName(QStringLiteral("aliascope-test"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_.path());
        const auto window = openWindow();
        window->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settled(window->session()));
        window->session().runPipeline(QStringLiteral("torch-v2"));
        QVERIFY(settled(window->session()));
        window->session().saveAs(file());
        QVERIFY(settled(window->session()));
    }

    void stageLaneSelectionAndPanelsComeBack() {
        {
            MainWindow window;
            window.show();
            open(window);
            Session& session = window.session();
            session.setLane(session.data().lanes.front().id);
            QVERIFY(settled(session));
            session.setStage(3);
            QVERIFY(settled(session));
            session.selectNode(session.view()->nodeNamed("auto_functionalized_2")->uid, Origin::Program);
            window.stagePanel()->setMode(StagePanel::Mode::Both);
            window.findChild<QTabWidget*>(QStringLiteral("bottom.tab"))->setCurrentIndex(1);
            QVERIFY(settled(session));
            window.close();
        }
        MainWindow window;
        window.show();
        open(window);
        Session& session = window.session();
        QCOMPARE(session.lane()->name, std::string("torch-v1"));
        QCOMPARE(session.stage(), 3);
        QCOMPARE(session.view()->node(session.selection().node)->name, std::string("auto_functionalized_2"));
        QCOMPARE(window.stagePanel()->mode(), StagePanel::Mode::Both);
        QCOMPARE(window.findChild<QTabWidget*>(QStringLiteral("bottom.tab"))->currentIndex(), 1);
    }

    void whatIsAskedForGoesFirst() {
        MainWindow window;
        window.show();
        OpenRequest request;
        request.path = file();
        request.stage = QStringLiteral("imported");
        window.open(request);
        QVERIFY(settled(window.session()));
        QCOMPARE(window.session().stage(), 1);
    }

    void cleanIgnoresWhatWasLeft() {
        const auto window = openWindow();
        open(*window);
        QCOMPARE(window->session().lane()->name, std::string("torch-v2"));
        QVERIFY(window->session().selection().empty());
    }

private:
    QString file() const { return settings_.filePath(QStringLiteral("left.aliascope")); }

    void open(MainWindow& window) {
        OpenRequest request;
        request.path = file();
        window.open(request);
        QVERIFY(settled(window.session()));
        QVERIFY(settled(window.session()));
    }

    QTemporaryDir settings_;
};

ALC_WIDGET_TEST(TestWindowState)
#include "tst_window_state.moc"
