// The command line of the window.

#include <QTest>

#include "app/gui/launch_options.h"

using namespace aliascope;

class TestLaunchOptions : public QObject {
    Q_OBJECT

private slots:
    void everythingAtOnce() {
        const ParsedLaunch p = parseLaunch({"a.py", "--ops", "x.ops", "--ops=y.ops", "--pipeline", "torch-v1", "--stage", "last", "--node", "%clone",
                                            "--screenshot", "o.png", "--size", "1440x900", "--theme", "dark"});
        QCOMPARE(p.exitCode, -1);
        QCOMPARE(p.options.open.path, QStringLiteral("a.py"));
        QCOMPARE(p.options.open.ops, (QStringList{"x.ops", "y.ops"}));
        QCOMPARE(p.options.open.pipeline, QStringLiteral("torch-v1"));
        QCOMPARE(p.options.open.stage, QStringLiteral("last"));
        QCOMPARE(p.options.open.node, QStringLiteral("clone"));
        QCOMPARE(p.options.size, QSize(1440, 900));
        QCOMPARE(p.options.theme, ThemeChoice::Dark);
        QVERIFY(p.options.clean);  // a picture does not depend on who took one before
    }

    void nothingIsTheStartPage() {
        const ParsedLaunch p = parseLaunch({});
        QCOMPARE(p.exitCode, -1);
        QVERIFY(p.options.open.path.isEmpty());
        QVERIFY(!p.options.clean);
    }

    void wrongUsage_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("size") << QStringList{"--size", "900"};
        QTest::newRow("negative size") << QStringList{"--size", "-1x5"};
        QTest::newRow("theme") << QStringList{"--theme", "blue"};
        QTest::newRow("view") << QStringList{"--view", "table"};
        QTest::newRow("panel") << QStringList{"--panel", "memroy"};
        QTest::newRow("unknown") << QStringList{"--nonsense"};
        QTest::newRow("two files") << QStringList{"a", "b"};
    }
    void wrongUsage() {
        QFETCH(QStringList, arguments);
        const ParsedLaunch p = parseLaunch(arguments);
        QCOMPARE(p.exitCode, 2);
        QVERIFY(p.message.startsWith(QLatin1String("aliascope-gui: ")));
    }

    void helpLeavesWithZero() {
        QCOMPARE(parseLaunch({"--help"}).exitCode, 0);
        QVERIFY(parseLaunch({"--help"}).message.contains(QLatin1String("--screenshot")));
    }

    void scaleIsReadEarly() {
        char program[] = "x", flag[] = "--scale", value[] = "1.5", joined[] = "--scale=2", wild[] = "--scale=900";
        char* two[] = {program, flag, value};
        char* one[] = {program, joined};
        char* bad[] = {program, wild};
        QCOMPARE(scaleArgument(3, two), QByteArray("1.5"));
        QCOMPARE(scaleArgument(2, one), QByteArray("2"));
        QVERIFY(scaleArgument(2, bad).isEmpty());
    }
};

QTEST_MAIN(TestLaunchOptions)
#include "tst_launch_options.moc"
