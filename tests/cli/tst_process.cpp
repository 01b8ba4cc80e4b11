// The program as a process: pipes and closed streams, signals and kills, full disks, terminals, several at once.

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

#include "tests/cli/samples.h"

using namespace aliascope::testing;

class TestProcess : public QObject {
    Q_OBJECT

private slots:
    void pipesAreReadFromTheirStart() {
        QProcess shell;
        shell.start("/bin/bash", {"-c", QString("'%1' show <(cat '%2') -q --ops '%3'").arg(ALIASCOPE_PROGRAM, kv, samples + "mylib.ops")});
        QVERIFY(shell.waitForFinished(30'000));
        QCOMPARE(shell.exitCode(), 0);
        QCOMPARE(shell.readAllStandardOutput().trimmed(), contents(kv).trimmed());
    }

    void closedStreamsHitNoFile() {
        const QString out = folder_.filePath("closed.aliascope");
        QProcess shell;
        shell.start("/bin/bash", {"-c", QString("'%1' run '%2' -o '%3' <&- >&- 2>&-").arg(ALIASCOPE_PROGRAM, kv, out)});
        QVERIFY(shell.waitForFinished(30'000));
        QCOMPARE(shell.exitCode(), 9);
        QVERIFY(contents(out).startsWith("SQLite format 3"));
        QCOMPARE(ask({"stages", out}).exit, 0);
    }

    void writersThatStartTogether() {
        const QString out = folder_.filePath("together.aliascope");
        QProcess runs[3];
        for (QProcess& run : runs) run.start(ALIASCOPE_PROGRAM, {"run", samples + "gpt2_train_joint.py", "-o", out, "-q"});
        int written = 0;
        for (QProcess& run : runs) {
            QVERIFY(run.waitForFinished(60'000));
            const QString err = QString::fromUtf8(run.readAllStandardError());
            QVERIFY2(run.exitCode() == 0 || (run.exitCode() == 9 && err.contains("process")), qPrintable(err));
            written += run.exitCode() == 0;
        }
        QVERIFY(written >= 1);
        int lanes = 0;
        for (const QJsonValue& graph : ask({"list", out, "--json"}).result()["graphs"].toArray()) lanes += graph.toObject()["lanes"].toArray().size();
        QCOMPARE(lanes, written);
    }

    /// Whatever a killed run left opens, and says what it is.
    void killedAtAnyTime() {
        int opened = 0;
        for (int i = 0; i < 12; ++i) {
            const QString out = folder_.filePath(QString("killed%1.aliascope").arg(i));
            QProcess run;
            run.start(ALIASCOPE_PROGRAM, {"run", samples + "gpt2_train_joint.py", "-o", out, "-q"});
            QVERIFY(run.waitForStarted());
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(out), 10'000);
            QTest::qWait(7 * i);
            run.kill();
            QVERIFY(run.state() == QProcess::NotRunning || run.waitForFinished(10'000));
            const Answer listed = ask({"list", out, "--json"}), stages = ask({"stages", out, "--json"}), decisions = ask({"decisions", out});
            QVERIFY2(!stages.err.contains("readonly") && !decisions.err.contains("readonly"), qPrintable(stages.err));
            const QJsonArray graphs = listed.result()["graphs"].toArray();
            if (graphs.isEmpty() || graphs[0].toObject()["lanes"].toArray().isEmpty()) {
                QVERIFY2(stages.err.contains("empty") || stages.err.contains("has no"), qPrintable(stages.err));
                continue;
            }
            ++opened;
            QCOMPARE(stages.exit, 0);
            QCOMPARE(decisions.exit, 0);
            const QString state = graphs[0].toObject()["lanes"].toArray()[0].toObject()["state"].toString();
            QCOMPARE(stages.json()["input"].toObject()["state"].toString(), state);
            const bool told = state == "interrupted" && stages.err.contains("lane best was interrupted");
            QVERIFY2(state == "complete" || told, qPrintable(state + stages.err));
            if (!stages.result()["stages"].toArray().isEmpty()) continue;
            const Answer shown = ask({"show", out});
            QCOMPARE(shown.exit, 1);
            QVERIFY2(shown.err.contains("before its first stage was whole"), qPrintable(shown.err));
        }
        QVERIFY(opened > 0);
    }

    void fullDiskIsNineWithAClearMessage() {
        const QString folder = folder_.filePath("small");
        QVERIFY(QDir().mkpath(folder));
        const QString script =
            "mount -t tmpfs -o size=1m tmpfs '%1' || exit 77; '%2' run '%3' -o '%1/x.aliascope'; code=$?; "
            "'%2' stages '%1/x.aliascope' >&2; TMPDIR='%1' '%2' stages '%3' >&2; exit $code";
        QProcess shell;
        shell.start("unshare", {"-rm", "sh", "-c", script.arg(folder, ALIASCOPE_PROGRAM, samples + "gpt2_train_joint.py")});
        if (!shell.waitForStarted() || !shell.waitForFinished(30'000) || shell.exitCode() == 77 || shell.exitCode() == 1)
            QSKIP("mounting is not allowed here");
        const QString err = QString::fromUtf8(shell.readAllStandardError());
        QVERIFY2(shell.exitCode() == 9, qPrintable(QString::number(shell.exitCode()) + err));
        QVERIFY2(err.contains("disk full: stage 1 (imported) needs"), qPrintable(err));
        QVERIFY2(err.contains("lane best was interrupted before its first stage was whole"), qPrintable(err));
        QVERIFY2(err.contains("for which TMPDIR names the place"), qPrintable(err));
    }

    void signalsLeaveNothingBehind() {
        const QString folder = folder_.filePath("temporary");
        QVERIFY(QDir().mkpath(folder));
        const QString endless = "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a";
        for (const int signal : {SIGINT, SIGTERM}) {
            QProcess process;
            QProcessEnvironment env = QProcessEnvironment::systemEnvironment();
            env.insert("TMPDIR", folder);
            process.setProcessEnvironment(env);
            process.start(ALIASCOPE_PROGRAM, {"query", kv, endless, "--timeout", "50", "-q", "--ops", samples + "mylib.ops"});
            QVERIFY(process.waitForStarted());
            QTRY_VERIFY_WITH_TIMEOUT(!QDir(folder).isEmpty(), 10'000);
            QTest::qWait(300);
            ::kill(static_cast<pid_t>(process.processId()), signal);
            QVERIFY(process.waitForFinished(5'000));
            QCOMPARE(process.exitCode(), 130);
            QCOMPARE(process.readAllStandardError(), QByteArray("aliascope: interrupted\n"));
            QVERIFY(QDir(folder).isEmpty());
        }
    }

    void whatSteersATerminalIsSpelledOut() {
        if (!QFile::exists("/usr/bin/script")) QSKIP("needs script(1) for a terminal");
        const QString file = folder_.filePath("steering.py");
        QFile text(file);
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write(QString("class Gr%12J%2aph(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n"
                           "        y = torch.ops.my.f.default(x, 'a\x07%1b')\n        return (y,)\n")
                       .arg(QChar(0x9b))
                       .arg(QChar(0x202e))
                       .toUtf8());
        text.close();
        for (const QString verb :
             {"list '%2'", "list '%2' --format csv", "list '%2' --format md", "list '%2' --format ndjson", "show '%2'", "show '%2' --as graph",
              "show '%2' --json", "run '%2'", "diff '%2'", "aliases '%2'", "show '%2' --graph 'x\x1b[31m'"}) {
            QProcess process;
            process.start("/usr/bin/script", {"-qec", QString("'%1' " + verb + " --no-color").arg(ALIASCOPE_PROGRAM, file), "/dev/null"});
            QVERIFY(process.waitForFinished(30'000));
            const QByteArray shown = process.readAllStandardOutput();
            if (shown.isEmpty()) QSKIP("no terminal here");
            for (const char* forbidden : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae"})
                QVERIFY2(!shown.contains(forbidden), qPrintable(verb + QString::fromUtf8(shown)));
            if (verb.startsWith("list '%2'")) QVERIFY2(shown.contains("\\x"), shown.constData());
        }
    }

    void fullDiskAndClosedPipe() {
        if (!QFile::exists("/dev/full")) QSKIP("needs /dev/full");
        const Answer full = ask({"show", kv, "-o", "/dev/full"});
        QCOMPARE(full.exit, 9);
        QVERIFY2(full.err.contains("No space left"), qPrintable(full.err));
        QProcess shell;
        shell.start("/bin/bash",
                    {"-c", QString("'%1' show '%2' -q | head -1; exit ${PIPESTATUS[0]}").arg(ALIASCOPE_PROGRAM, samples + "gpt2_train_joint.py")});
        QVERIFY(shell.waitForFinished(30'000));
        QCOMPARE(shell.exitCode(), 0);
        QVERIFY2(shell.readAllStandardError().isEmpty(), "a closed pipe is no error");
    }

    void outputFileAppearsWhole() {
        const QString path = folder_.filePath("out.py");
        QCOMPARE(ask({"show", kv, "-o", path}).exit, 0);
        QCOMPARE(contents(path).trimmed(), contents(kv).trimmed());
        QCOMPARE(QDir(folder_.path()).entryList({"*.part"}).size(), 0);
    }

    void interruptKeepsWholeStages() {
        QString passes = "functionalize{custom-ops=v2}";
        for (int i = 0; i < 450; ++i) passes += ",remove-noops,dce";
        passes = passes.section(',', 0, 498);
        const QString out = folder_.filePath("interrupted.aliascope");
        QProcess process;
        process.start(ALIASCOPE_PROGRAM, {"run", samples + "gpt2_train_joint.py", "--passes", passes, "-o", out, "-q"});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(out), 10'000);
        QTest::qWait(150);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(10'000));
        if (process.exitCode() == 0) QSKIP("the run was over before the signal came");
        QCOMPARE(process.exitCode(), 130);
        const Answer stages = ask({"stages", out, "--json"});
        QCOMPARE(stages.exit, 0);
        QVERIFY(stages.result()["stages"].toArray().size() < 499);
        QCOMPARE(ask({"list", out, "--json"}).result()["graphs"].toArray()[0].toObject()["lanes"].toArray()[0].toObject()["state"].toString(),
                 QString("interrupted"));
    }

    void colours() {
        const QString session = folder_.filePath("colours.aliascope");
        QCOMPARE(ask({"run", kv, "-o", session}).exit, 0);
        const QString command = QString("'%1' stages '%2' -q").arg(ALIASCOPE_PROGRAM, session);
        const auto typed = [&](const QString& line, const QStringList& environment) {
            QProcess process;
            QProcessEnvironment env = QProcessEnvironment::systemEnvironment();
            env.insert("TERM", "xterm");
            env.remove("NO_COLOR");
            for (const QString& pair : environment) env.insert(pair.section('=', 0, 0), pair.section('=', 1));
            process.setProcessEnvironment(env);
            process.start("/usr/bin/script", {"-qec", line, "/dev/null"});
            return process.waitForFinished(30'000) ? process.readAllStandardOutput() : QByteArray();
        };
        if (!QFile::exists("/usr/bin/script")) QSKIP("needs script(1) for a terminal");
        const QByteArray coloured = typed(command, {});
        if (coloured.isEmpty()) QSKIP("no terminal here");
        QVERIFY(coloured.contains("\x1b[2m"));  // unchanged stages are dimmed
        QVERIFY(!typed(command + " --no-color", {}).contains("\x1b["));
        QVERIFY(!typed(command, {"NO_COLOR=1"}).contains("\x1b["));
    }

private:
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestProcess)
#include "tst_process.moc"
