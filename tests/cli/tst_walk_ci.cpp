// The walk of an engineer of continuous integration (ui.md 1.5): its eight commands as written.

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"

using namespace aliascope::testing;

class TestWalkCi : public QObject {
    Q_OBJECT

private:
    /// `aliascope …` as it stands in the walk, in the folder of the job.
    Answer type(const QString& line) {
        QStringList words = line.split(' ');
        if (words.takeFirst() != "aliascope") return {};
        return runProgram(words, {}, {"ALIASCOPE_SAMPLES=" ALIASCOPE_SOURCE_DIR "/sample_graphs", "ALIASCOPE_WINDOW=" + folder_.filePath("window")},
                          folder_.path());
    }
    QString text(const QString& name) {
        QFile file(folder_.filePath(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    QTemporaryDir folder_;

private slots:
    void theWholeWalk() {
        // 1. Something to try.
        QCOMPARE(type("aliascope samples kv_cache_layers -o a.fx.txt").exit, 0);
        QVERIFY(!text("a.fx.txt").isEmpty());

        // 2. The job runs the pipeline; that it ran is all that its exit code says.
        const Answer run = type("aliascope run a.fx.txt --pipeline torch-v1 -o now.aliascope");
        QVERIFY2(run.exit == 0, qPrintable(run.err));
        QVERIFY(run.out.contains("torch-v1: 8 clones, 1.69 MiB cloned; 1 MiB copied back"));

        // 3. A gate fails, the build server gets its file.
        const Answer check = type("aliascope check now.aliascope --max-cloned 0 --max-peak 1.2GiB --format junit -o check.xml");
        QCOMPARE(check.exit, 1);
        QVERIFY(text("check.xml").contains("tests=\"2\" failures=\"1\""));
        QVERIFY(text("check.xml").contains("8 clones in decompose-functionalized, largest clone_default_1 (425,984 B)"));

        // 4. Against the state that was accepted before, which had no clone.
        QCOMPARE(type("aliascope run a.fx.txt --pipeline torch-v2 -o base.aliascope").exit, 0);
        const Answer compare = type("aliascope compare base.aliascope now.aliascope --json");
        QVERIFY2(compare.exit == 0, qPrintable(compare.err));
        QCOMPARE(compare.json()["command"].toString(), QString("compare"));
        QCOMPARE(compare.result()["first_difference"].toObject()["name"].toString(), QString("functionalize"));
        const QJsonObject figures = compare.result()["figures"].toObject();
        QCOMPARE(figures["cloned_bytes"].toObject()["a"].toInt(), 0);
        QCOMPARE(figures["cloned_bytes"].toObject()["b"].toInt(), 1769472);
        for (const char* key : {"nodes", "peak", "numerics"}) QVERIFY(figures.contains(key));

        // 5. The artefact of the build.
        QCOMPARE(type("aliascope report now.aliascope -o report.html").exit, 0);
        QVERIFY(text("report.html").contains("8 findings"));

        // 6. The card of one clone.
        const Answer why = type("aliascope why now.aliascope --node clone_default_7");
        QVERIFY2(why.exit == 0, qPrintable(why.err));
        QVERIFY2(why.out.startsWith("AVOIDABLE  value_cache of mylib.cache"), qPrintable(why.out));
        QVERIFY(why.out.contains("VIEW_OF_INPUT") && why.out.contains("cloned 32,768"));

        // 7. A developer opens the window there.
        QFile window(folder_.filePath("window"));
        QVERIFY(window.open(QIODevice::WriteOnly));
        window.write("#!/bin/sh\necho \"$@\" > started\n");
        window.close();
        QVERIFY(window.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const Answer open = type("aliascope open now.aliascope --at stage=decompose,node=clone_default_7");
        QVERIFY2(open.exit == 0, qPrintable(open.err));
        QCOMPARE(text("started"), QString("now.aliascope --stage decompose-functionalized --node clone_default_7\n"));

        // 8. The new state is accepted; the job is content from now on.
        QCOMPARE(type("aliascope check now.aliascope --update-baseline base.aliascope").exit, 0);
        const Answer same = type("aliascope compare base.aliascope now.aliascope --exit-code");
        QVERIFY2(same.exit == 0, qPrintable(same.out));
        QCOMPARE(type("aliascope check now.aliascope --baseline base.aliascope --max-cloned +0 --max-peak +5% --no-new-findings").exit, 0);
    }
};

QTEST_APPLESS_MAIN(TestWalkCi)
#include "tst_walk_ci.moc"
