// Verbs that speak of the program and its files: open, devices, doctor, completion, samples NAME, import, explain.

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"

using namespace aliascope::testing;

namespace {

const QString samples = QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/");
const QString kv = samples + "kv_cache_layers.py";
const QStringList withSamples = {"ALIASCOPE_SAMPLES=" + samples};
const QString logLine =
    "For node mylib.cache, attempted to reinplace ['key_cache', 'value_cache']. We were unable to reinplace ['value_cache']; ['value_cache'] "
    "(if non-empty) are possible missed reinplacing opportunities that may be bad for memory usage and performance. Total size of missed "
    "opportunities with static shapes is : 16384 bytes.";

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& path, const QByteArray& bytes, bool executable = false) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    if (executable) QVERIFY(file.setPermissions(file.permissions() | QFile::ExeOwner));
}

}  // namespace

class TestBuildFacts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        session_ = folder_.filePath("kv.aliascope");
        QCOMPARE(runProgram({"run", kv, "--pipeline", "torch-v1", "-o", session_}).exit, 0);
    }

    // --- open --------------------------------------------------------------------------------------------------------------------------

    void theWindowStartsWhereOneSays() {
        const QString window = folder_.filePath("window"), seen = folder_.filePath("seen");
        write(window, "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + seen.toUtf8() + "'\nexit 4\n", true);
        const Answer answer =
            runProgram({"open", session_, "--at", "stage=decompose,node=%clone_default_7", "--json"}, {}, {"ALIASCOPE_WINDOW=" + window});
        QVERIFY2(answer.exit == 4, qPrintable(answer.err));  // what the window ended with
        QCOMPARE(contents(seen).split('\n'),
                 (QList<QByteArray>{session_.toUtf8(), "--stage", "decompose-functionalized", "--node", "clone_default_7", ""}));
        QCOMPARE(answer.rows("windows")[0].toObject()["program"].toString(), window);
    }
    void aPlaceThatIsNotThereIsSaidBeforeAWindowOpens() {
        const QStringList window = {"ALIASCOPE_WINDOW=/bin/false"};
        QCOMPARE(runProgram({"open", session_, "--at", "stage=nothing"}, {}, window).exit, 1);
        const Answer node = runProgram({"open", session_, "--at", "stage=decompose,node=clone_default_77"}, {}, window);
        QVERIFY2(node.exit == 1 && node.err.contains("clone_default_7"), qPrintable(node.err));
        QCOMPARE(runProgram({"open", session_, "--at", "line=4"}, {}, window).exit, 2);
        QCOMPARE(runProgram({"open", "nowhere.py"}, {}, window).exit, 3);
        const Answer none = runProgram({"open", kv}, {}, {"ALIASCOPE_WINDOW=/nowhere/aliascope-gui"});
        QVERIFY2(none.exit == 1 && none.err.contains("ALIASCOPE_WINDOW"), qPrintable(none.err));
    }

    // --- devices, doctor, completion ----------------------------------------------------------------------------------------------------

    void devicesAreThoseThatRunTakes() {
        const Answer answer = runProgram({"devices", "--json"});
        QStringList usable;
        for (const QJsonValue& device : answer.rows("devices"))
            if (device.toObject()["available"].toBool()) usable << device.toObject()["name"].toString();
        QCOMPARE(usable, QStringList({"cpu", "cpu-ref"}));
        for (const QString& device : usable) QCOMPARE(runProgram({"run", samples + "row_written.py", "--exec", device}).exit, 0);
        QCOMPARE(runProgram({"run", samples + "row_written.py", "--exec", "cuda:0"}).exit, 6);
    }

    void theDoctorFindsThisBuildWhole() {
        const Answer answer = runProgram({"doctor", "--json"}, {}, withSamples);
        QVERIFY2(answer.exit == 0, qPrintable(answer.out));
        QCOMPARE(answer.result()["faults"].toInt(), 0);
        const Answer full = runProgram({"doctor"}, {}, QStringList{"TMPDIR=/nowhere"} + withSamples);
        QVERIFY2(full.exit == 1 && full.out.contains("temporary folder  FAULT"), qPrintable(full.out));
    }

    void aDamagedSessionIsReadAsFarAsItGoes() {
        QCOMPARE(runProgram({"doctor", session_}).exit, 0);
        QByteArray bytes = contents(session_);
        const qsizetype page = 8192;
        QVERIFY(bytes.size() > 12 * page);
        // One leaf in the middle of the file is overwritten.
        for (qsizetype at = bytes.size() / 2 / page * page, end = at + page; at < end; ++at) bytes[at] = char(at * 37);
        const QString broken = folder_.filePath("broken.aliascope"), saved = folder_.filePath("saved.aliascope");
        write(broken, bytes);
        QCOMPARE(runProgram({"stages", broken}).exit, 7);
        const Answer answer = runProgram({"doctor", broken, "-o", saved, "--json"});
        QCOMPARE(answer.exit, 7);
        QCOMPARE(answer.result()["sound"].toBool(), false);
        QVERIFY(answer.rows("tables").size() > 5);
        const Answer again = runProgram({"doctor", saved});
        QVERIFY2(again.exit == 0, qPrintable(again.out));
        QCOMPARE(runProgram({"list", saved}).exit, 0);
        const Answer none = runProgram({"doctor", kv});
        QVERIFY2(none.exit == 3, qPrintable(none.err));
    }

    void shellsCompleteVerbsAndOptions() {
        QVERIFY(!QStandardPaths::findExecutable("bash").isEmpty());
        const QString script = folder_.filePath("completion.bash");
        QCOMPARE(runProgram({"completion", "bash", "-o", script}).exit, 0);
        const auto complete = [&](const QString& words, int at) {
            QProcess bash;
            bash.start("bash",
                       {"-c", QString("source '%1'; COMP_WORDS=(%2); COMP_CWORD=%3; _aliascope; echo ${COMPREPLY[@]}").arg(script, words).arg(at)});
            bash.waitForFinished();
            return QString::fromUtf8(bash.readAllStandardOutput()).trimmed();
        };
        QCOMPARE(complete("aliascope com", 1), QString("compare completion"));
        QCOMPARE(complete("aliascope check x.aliascope --max-c", 3), QString("--max-clones --max-cloned --max-copied-back"));
        QCOMPARE(complete("aliascope run x.py --pipeline torch-v", 4), QString("torch-v2 torch-v1"));
        for (const char* shell : {"zsh", "fish"}) {
            const Answer answer = runProgram({"completion", shell});
            QCOMPARE(answer.exit, 0);
            QVERIFY(answer.out.contains("aliascope") && answer.out.contains("update-baseline"));
        }
        const Answer other = runProgram({"completion", "bsh"});
        QVERIFY2(other.exit == 2 && other.err.contains("nearest bash"), qPrintable(other.err));
    }

    // --- samples, import, explain -------------------------------------------------------------------------------------------------------

    void aSampleComesWithItsOperators() {
        const QString copy = folder_.filePath("sample/a.fx.txt");
        QVERIFY(QDir().mkpath(folder_.filePath("sample")));
        QCOMPARE(runProgram({"samples", "kv_cache_layers", "-o", copy}, {}, withSamples).exit, 0);
        QCOMPARE(contents(copy), contents(kv));
        QCOMPARE(contents(folder_.filePath("sample/mylib.ops")), contents(samples + "mylib.ops"));
        QCOMPARE(runProgram({"samples", "kv_cache_layers.py"}, {}, withSamples).out.toUtf8(), contents(kv));
        const Answer none = runProgram({"samples", "kv_cash"}, {}, withSamples);
        QVERIFY2(none.exit == 1 && none.err.contains("kv_cache_layers"), qPrintable(none.err));
    }

    void filesBecomeGraphsOfASession() {
        const QString session = folder_.filePath("imported.aliascope");
        const Answer answer = runProgram({"import", kv, samples + "row_written.py", "-o", session, "--json"});
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        QCOMPARE(answer.rows("graphs").size(), 2);
        QCOMPARE(runProgram({"list", session, "--json"}).rows("graphs").size(), 2);
        QCOMPARE(runProgram({"stages", session, "--graph", "1", "--json"}).rows("stages")[0].toObject()["nodes"].toInt(), 68);
        // A pipeline runs on it as on the file.
        QCOMPARE(runProgram({"decisions", session, "--graph", "1", "--pipeline", "torch-v1", "--json"}).rows("decisions").size(),
                 runProgram({"decisions", kv, "--pipeline", "torch-v1", "--json"}).rows("decisions").size());
        QCOMPARE(runProgram({"import", kv}).exit, 2);
        QCOMPARE(runProgram({"import", session, "-o", folder_.filePath("x.aliascope")}).exit, 2);
    }

    void theLastCompilationOfALog() {
        const QString log = QStringLiteral(ALIASCOPE_SOURCE_DIR "/tests/data/text/train.trace.log");
        const QJsonArray all = runProgram({"list", log, "--json"}).rows("graphs"),
                         latest = runProgram({"list", log, "--latest", "--json"}).rows("graphs");
        QVERIFY(!latest.isEmpty() && latest.size() <= all.size());
        const QString last = all.last().toObject()["compile_id"].toString();
        for (const QJsonValue& graph : latest) QCOMPARE(graph.toObject()["compile_id"].toString(), last);
        int same = 0;
        for (const QJsonValue& graph : all) same += graph.toObject()["compile_id"].toString() == last;
        QVERIFY(latest.size() <= same);
        // Of several files the one that was changed last.
        const QString old = folder_.filePath("old.py"), young = folder_.filePath("young.py"), session = folder_.filePath("latest.aliascope");
        write(old, contents(kv));
        write(young, contents(samples + "row_written.py"));
        QFile file(old);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-1), QFileDevice::FileModificationTime));
        file.close();
        const Answer answer = runProgram({"import", young, old, "--latest", "-o", session, "--json"});
        QCOMPARE(answer.rows("graphs").size(), 1);
        QCOMPARE(answer.rows("graphs")[0].toObject()["source"].toString(), young);
    }

    void aLogLineIsExplained() {
        const Answer alone = runProgram({"explain", logLine, "--json"});
        QVERIFY2(alone.exit == 0, qPrintable(alone.err));
        const QJsonObject line = alone.rows("lines")[0].toObject();
        QCOMPARE(line["missed"].toArray(), QJsonArray{"value_cache"});
        QCOMPARE(line["bytes"].toInt(), 16384);
        const Answer bases = runProgram({"explain", "-", session_}, logLine.toUtf8() + "\nsomething else\n");
        QVERIFY2(bases.out.contains("value_cache cloned; counted as missed: value_cache, 16,384 B"), qPrintable(bases.out));
        QCOMPARE(runProgram({"explain", "nothing of the kind"}).exit, 2);
        QCOMPARE(runProgram({"explain", "-", "-"}, logLine.toUtf8()).exit, 2);
    }

private:
    QTemporaryDir folder_;
    QString session_;
};

QTEST_APPLESS_MAIN(TestBuildFacts)
#include "tst_build_facts.moc"
