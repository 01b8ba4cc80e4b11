// Walk 1.5 of ui.md: a run on a server whose gate fails, and the window that a developer opens at the place. Every command is the program's; where it
// comes to a window, the words that the program starts it with open one here.

#include <QFile>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"
#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/panels/stage_panel.h"
#include "views/panels/why_card.h"

using namespace aliascope;
using aliascope::testing::Answer;

class TestWalkHeadless : public QObject {
    Q_OBJECT

private slots:
    void theGateFailsAndADeveloperLooks_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        QTest::newRow("1280 light") << QSize(1280, 800) << false;
        QTest::newRow("1280 dark") << QSize(1280, 800) << true;
        QTest::newRow("1920 light") << QSize(1920, 1080) << false;
        QTest::newRow("1920 dark") << QSize(1920, 1080) << true;
    }

    void theGateFailsAndADeveloperLooks() {
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        QTemporaryDir folder;
        const auto run = [&](const char* words, const QStringList& environment = {}) {
            return aliascope::testing::runProgram(QString::fromLatin1(words).split(QLatin1Char(' ')), {}, environment, folder.path());
        };
        const auto text = [&](const char* name) {
            QFile file(folder.filePath(QLatin1String(name)));
            return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
        };
        // 1, 2. A sample, run: exit 0 says that the pipeline ran.
        QCOMPARE(run("samples kv_cache_layers -o a.fx.txt").exit, 0);
        QCOMPARE(run("run a.fx.txt --pipeline torch-v1 -o now.aliascope").exit, 0);
        QCOMPARE(run("run a.fx.txt --pipeline torch-v2 -o base.aliascope").exit, 0);
        // 3. The gate fails, and the report of the run says which and why.
        QCOMPARE(run("check now.aliascope --max-cloned 0 --max-peak 1.2GiB --format junit -o check.xml").exit, 1);
        const QString gates = text("check.xml");
        QVERIFY2(gates.contains(QLatin1String("cloned bytes: 1,769,472, limit 0")), qPrintable(gates));
        QVERIFY(gates.contains(QLatin1String("failures=\"1\"")));
        // 4. What differs, for the log.
        const Answer compared = run("compare base.aliascope now.aliascope --json");
        const QJsonObject first = compared.result()["first_difference"].toObject();
        QVERIFY2(first["name"] == QLatin1String("functionalize") && first["idx"] == 3, qPrintable(compared.out.left(1000)));
        // 5. The artefact.
        QCOMPARE(run("report now.aliascope -o report.html").exit, 0);
        QVERIFY(text("report.html").contains(QLatin1String("<svg")));
        // 6. The card in words.
        const Answer card = run("why now.aliascope --node clone_default_7");
        QCOMPARE(card.exit, 0);
        QVERIFY2(card.out.contains(QLatin1String("VIEW_OF_INPUT")), qPrintable(card.out));
        // 7. A developer opens the artefact where it hurts: the words that the program starts its window with open one here.
        const QString started = folder.filePath(QStringLiteral("window.sh"));
        QFile script(started);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done > words.txt\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QCOMPARE(run("open now.aliascope --at stage=decompose,node=clone_default_7", {QStringLiteral("ALIASCOPE_WINDOW=") + started}).exit, 0);
        QStringList words = text("words.txt").split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QVERIFY2(!words.isEmpty(), "no window was started");
        words.front() = folder.filePath(words.front());
        const ParsedLaunch launch = parseLaunch(words << QStringLiteral("--clean"));
        QVERIFY2(launch.exitCode < 0, qPrintable(launch.message));
        applyTheme(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        LaunchOptions options = launch.options;
        options.size = size;
        MainWindow window(options);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        if (!window.session().isOpen()) window.open(options.open);
        QVERIFY(settled(window.session()));
        const Session& session = window.session();
        QCOMPARE(session.stageRow(session.stage())->pass, std::string("decompose-functionalized"));
        QCOMPARE(session.view()->node(session.selection().node)->name, std::string("clone_default_7"));
        QVERIFY(window.stagePanel()->canvas()->viewport()->rect().intersects(window.stagePanel()->canvas()->cardRect(session.selection().node)));
        picture(window, QStringLiteral("7-opened"));
        // The card says in the window what it says in the log.
        QTest::keyClick(window.stagePanel()->canvas(), Qt::Key_W);
        QVERIFY(settled(window.session()));
        QVERIFY(window.whyCard()->isVisible() && window.whyCard()->decision());
        QVERIFY(card.out.contains(QString::fromStdString(window.whyCard()->decision()->blocker)));
        QVERIFY(card.out.contains(QString::fromStdString(window.whyCard()->decision()->code)));
        picture(window, QStringLiteral("7-why"));
        // 8. After review the new state is the one to hold.
        QCOMPARE(run("check now.aliascope --update-baseline base.aliascope").exit, 0);
    }

private:
    static void picture(QWidget& window, const QString& step) {
        QCoreApplication::processEvents();
        QString tag = QString::fromLatin1(QTest::currentDataTag()).replace(QLatin1Char(' '), QLatin1Char('-'));
        keepPicture(window, QStringLiteral("walk-headless-%1-%2").arg(tag, step));
    }
};

ALC_WIDGET_TEST(TestWalkHeadless)
#include "tst_walk_headless.moc"
