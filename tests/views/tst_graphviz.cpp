// A neighbourhood is shown with the built-in placement at once; Graphviz's replaces it, where there is a Graphviz, it is wanted, and it answers in
// time.

#include <QElapsedTimer>
#include <QFile>
#include <QMainWindow>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/panels/stage_panel.h"
#include "views/session/graphviz.h"

using namespace aliascope;

class TestGraphviz : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        path_ = qgetenv("PATH");
        QVERIFY(folder_.isValid());
        window_ = openWindow();
        QVERIFY(window_);
        window_->open(sampleRequest("gpt2_train_joint.py", "torch-v2"));
        QVERIFY(settle());
        const auto& families = session().view()->family;
        const auto product = std::find(families.begin(), families.end(), Family::Matmul) - families.begin();
        node_ = session().view()->snapshot->nodes[std::size_t(product)]->uid;
    }
    void init() {
        session().selectNode(node_, Origin::Command);
        QVERIFY(settle());
    }
    void cleanup() {
        qputenv("PATH", path_);
        window_->stagePanel()->setGraphviz(true);
        QTest::keyClick(canvas(), Qt::Key_Escape);
        QVERIFY(settle());
    }

    void nicerPlacesReplaceTheBuiltInOnes() {
        if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty()) QSKIP("Graphviz is not installed");
        QTest::keyClick(canvas(), Qt::Key_F);
        QVERIFY(settle());
        const LayoutResult &built = *session().view()->drawing, &nicer = *canvas()->stage()->drawing;
        QVERIFY(canvas()->stage() != session().view());
        QCOMPARE(nicer.cards.size(), built.cards.size());
        QCOMPARE(nicer.edges.size(), built.edges.size());
        QVERIFY(nicer.rowY != built.rowY || nicer.width != built.width);
        // Every node has a card of its own still, and clicks find it.
        QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {}, canvas()->cardRect(node_).center());
        QCOMPARE(session().selection().node, node_);
        keepPictures(*window_, QStringLiteral("graphviz"));
    }

    void theBuiltInPlacementIsThereAtOnce() {
        sleepingDot();
        QTest::keyClick(canvas(), Qt::Key_F);
        QVERIFY(QTest::qWaitFor([&] { return session().view()->options.filter.centre == node_; }));
        QCOMPARE(canvas()->stage(), session().view());
        QVERIFY(QTest::qWaitFor([&] { return child() > 0; }));
        QElapsedTimer clock;
        clock.start();
        session().jobs().cancelAll();  // as closing the window does
        QVERIFY(settle());
        QVERIFY2(clock.elapsed() < 5000, "the child was waited for");
        QVERIFY(hasEnded(child()));
        QCOMPARE(canvas()->stage(), session().view());
    }

    void leavingTheNeighbourhoodEndsIt() {
        sleepingDot();
        QTest::keyClick(canvas(), Qt::Key_F);
        QVERIFY(QTest::qWaitFor([&] { return child() > 0; }));
        QTest::keyClick(canvas(), Qt::Key_Escape);
        QVERIFY(QTest::qWaitFor([&] { return session().view()->options.filter.centre == kNoUid; }));
        QVERIFY(QTest::qWaitFor([&] { return hasEnded(child()); }));
        QVERIFY(settle());
    }

    void whatTakesTooLongIsKilled() {
        sleepingDot();
        QTest::keyClick(canvas(), Qt::Key_F);
        QVERIFY(QTest::qWaitFor([&] { return session().view()->options.filter.centre == node_; }));
        session().jobs().cancelAll();
        QVERIFY(settle());
        sleepingDot();
        QElapsedTimer clock;
        clock.start();
        const GraphvizPlacement placed = placeByGraphviz(*session().view(), CancelToken(), 1000);
        QVERIFY(clock.elapsed() < 6000);
        QVERIFY(child() > 0 && hasEnded(child()));
        QVERIFY(!placed.view);
        QVERIFY2(placed.why.contains(QLatin1String("took too long")), qPrintable(placed.why));
    }

    void withoutAnAnswerTheBuiltInPlacementStays_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("says");
        QTest::newRow("not installed") << QString() << QStringLiteral("Graphviz is not installed");
        QTest::newRow("it fails") << QStringLiteral("exit 1") << QStringLiteral("Graphviz failed");
        QTest::newRow("it crashes") << QStringLiteral("kill -9 $$") << QStringLiteral("Graphviz failed");
        QTest::newRow("it talks too much") << QStringLiteral("exec head -c 5000000 /dev/zero")
                                           << QStringLiteral("Graphviz answered with more than 4 MiB");
        QTest::newRow("it talks nonsense") << QStringLiteral("echo node n0 here there") << QStringLiteral("Graphviz gave no places");
    }
    void withoutAnAnswerTheBuiltInPlacementStays() {
        QFETCH(QString, program);
        QFETCH(QString, says);
        fakeDot(program.toLatin1());
        QTest::keyClick(canvas(), Qt::Key_F);
        QVERIFY(settle());
        QCOMPARE(session().view()->options.filter.centre, node_);
        QCOMPARE(canvas()->stage(), session().view());
        QVERIFY2(window_->statusBar()->currentMessage().startsWith(says), qPrintable(window_->statusBar()->currentMessage()));
    }

    void itCanBeSwitchedOff() {
        window_->stagePanel()->setGraphviz(false);
        QTest::keyClick(canvas(), Qt::Key_F);
        QVERIFY(settle());
        QCOMPARE(canvas()->stage(), session().view());
    }

    void theWholeGraphIsNotAskedFor() {
        QVERIFY(!suitsGraphviz(*session().view()));
        QCOMPARE(canvas()->stage(), session().view());
    }

private:
    /// PATH leads to a `dot` that does this, or to none.
    void fakeDot(const QByteArray& commands) {
        const QString folder = folder_.filePath(QString::number(++folders_));
        QVERIFY(QDir().mkpath(folder));
        if (!commands.isEmpty()) {
            QFile script(folder + QStringLiteral("/dot"));
            QVERIFY(script.open(QIODevice::WriteOnly));
            script.write("#!/bin/sh\nPATH=/usr/bin:/bin\n" + commands + '\n');
            script.close();
            QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        }
        qputenv("PATH", folder.toLocal8Bit());
    }

    /// A `dot` that takes half a minute and tells its process id.
    void sleepingDot() {
        QFile::remove(folder_.filePath(QStringLiteral("pid")));
        fakeDot("echo $$ > '" + folder_.filePath(QStringLiteral("pid")).toLocal8Bit() + "'\nexec sleep 30");
    }
    /// 0 while it has not told.
    qint64 child() const {
        QFile file(folder_.filePath(QStringLiteral("pid")));
        return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toLongLong() : 0;
    }
    static bool hasEnded(qint64 process) { return ::kill(pid_t(process), 0) != 0; }

    Session& session() { return window_->session(); }
    bool settle() { return settled(window_->session()); }
    GraphCanvas* canvas() { return window_->stagePanel()->canvas(); }

    QByteArray path_;
    QTemporaryDir folder_;
    int folders_ = 0;
    Uid node_ = kNoUid;
    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestGraphviz)
#include "tst_graphviz.moc"
