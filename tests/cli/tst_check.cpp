// `check` as a job of continuous integration runs it: gates, baselines, what a build server reads, exit codes.

#include <sqlite3.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include "tests/cli/program.h"

using namespace aliascope::testing;

namespace {

const QString samples = QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/");
const QString kv = samples + "kv_cache_layers.py";

QJsonObject gateOf(const Answer& answer, const QString& option) {
    for (const QJsonValue& gate : answer.rows("gates"))
        if (gate.toObject()["option"] == option) return gate.toObject();
    return {};
}

}  // namespace

class TestCheck : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        v1_ = folder_.filePath("v1.aliascope");
        v2_ = folder_.filePath("v2.aliascope");
        QCOMPARE(runProgram({"run", kv, "--pipeline", "torch-v1", "-o", v1_}).exit, 0);
        QCOMPARE(runProgram({"run", kv, "--pipeline", "torch-v2", "-o", v2_}).exit, 0);
    }

    void aGateThatFailsSaysWhere() {
        const Answer answer = runProgram({"check", v1_, "--max-cloned", "0", "--max-clones", "8", "--max-copied-back", "1MiB", "--format", "md"});
        QCOMPARE(answer.exit, 1);
        QCOMPARE(answer.out,
                 QString("| gate | limit | value | outcome |\n|---|---:|---:|---|\n| clones | 8 | 8 | ok |\n"
                         "| cloned bytes | 0 | 1,769,472 | FAILED: 8 clones in decompose-functionalized, largest clone_default_1 (425,984 B) |\n"
                         "| copied back bytes | 1,048,576 | 1,048,576 | ok |\n"));
        const Answer json = runProgram({"check", v1_, "--max-cloned", "0", "--json"});
        QCOMPARE(json.exit, 1);
        QCOMPARE(json.result()["failed"].toInt(), 1);
        QCOMPARE(gateOf(json, "max-cloned")["value"].toInt(), 1769472);
        QCOMPARE(gateOf(json, "max-cloned")["ok"].toBool(), false);
    }

    void gatesThatHoldEndWithZero() {
        QCOMPARE(runProgram({"check", v2_, "--max-cloned", "0", "--max-clones", "0", "--max-copied-back", "0", "--max-peak", "1.2GiB"}).exit, 0);
    }

    void buildServersReadJunit() {
        const QString file = folder_.filePath("check.xml");
        QCOMPARE(runProgram({"check", v1_, "--max-cloned", "0", "--max-peak", "1.2GiB", "--format", "junit", "-o", file}).exit, 1);
        QFile in(file);
        QVERIFY(in.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&in);
        int cases = 0, failures = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement) continue;
            cases += xml.name() == QLatin1String("testcase");
            if (xml.name() == QLatin1String("failure")) {
                ++failures;
                QCOMPARE(xml.attributes().value("message").toString(), QString("cloned bytes: 1,769,472, limit 0"));
            }
            if (xml.name() == QLatin1String("testsuite")) QCOMPARE(xml.attributes().value("failures").toInt(), 1);
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(cases, 2);
        QCOMPARE(failures, 1);
    }

    void limitsThatGrowFromABaseline() {
        const Answer worse = runProgram({"check", v1_, "--baseline", v2_, "--max-peak", "+5%", "--max-clones", "+2", "--no-new-findings", "--json"});
        QCOMPARE(worse.exit, 1);
        QCOMPARE(gateOf(worse, "max-clones")["most"].toInt(), 2);
        QCOMPARE(gateOf(worse, "max-clones")["baseline"].toInt(), 0);
        QCOMPARE(gateOf(worse, "max-peak")["most"].toInt(), int(gateOf(worse, "max-peak")["baseline"].toInt() * 1.05));
        QCOMPARE(gateOf(worse, "no-new-findings")["value"].toInt(), 8);
        const Answer same = runProgram({"check", v1_, "--baseline", v1_, "--max-peak", "+0", "--max-clones", "+0%", "--no-new-findings"});
        QVERIFY2(same.exit == 0, qPrintable(same.out));
    }

    void aBaselineIsAcceptedWhenNoGateFails() {
        const QString base = folder_.filePath("base.aliascope");
        QCOMPARE(runProgram({"check", v1_, "--max-cloned", "0", "--update-baseline", base}).exit, 1);
        QVERIFY(!QFile::exists(base));
        QCOMPARE(runProgram({"check", v1_, "--update-baseline", base}).exit, 0);
        QCOMPARE(runProgram({"stages", base, "--json"}).result(), runProgram({"stages", v1_, "--json"}).result());
        QCOMPARE(runProgram({"check", v2_, "--update-baseline", base}).exit, 0);  // replaces what was there
        QCOMPARE(runProgram({"stages", base, "--json"}).result(), runProgram({"stages", v2_, "--json"}).result());
        const Answer nowhere = runProgram({"check", v1_, "--update-baseline", "/no/such/folder/base.aliascope"});
        QCOMPARE(nowhere.exit, 9);
        QVERIFY2(nowhere.err.contains("S003"), qPrintable(nowhere.err));
    }

    void whatIsNotKnownFails() {
        const Answer answer = runProgram({"check", samples + "dynamic_rows.py", "--pipeline", "torch-v1", "--max-cloned", "1GiB", "--json"});
        QCOMPARE(answer.exit, 1);
        QVERIFY(gateOf(answer, "max-cloned")["value"].isNull());
        QCOMPARE(gateOf(answer, "max-cloned")["detail"].toString(), QString("not known"));
    }

    void aLaneThatEndedEarlyPassesNoGate() {
        const QString half = folder_.filePath("half.aliascope");
        QFile::remove(half);
        QVERIFY(QFile::copy(v2_, half));
        // What a writer that was killed leaves behind.
        sqlite3* db = nullptr;
        QCOMPARE(sqlite3_open(half.toUtf8().constData(), &db), SQLITE_OK);
        const int changed = sqlite3_exec(db, "UPDATE lane SET state = 'interrupted'", nullptr, nullptr, nullptr);
        sqlite3_close(db);
        QCOMPARE(changed, SQLITE_OK);
        const Answer answer = runProgram({"check", half, "--max-cloned", "0", "--json"});
        QCOMPARE(answer.exit, 1);
        QCOMPARE(gateOf(answer, "max-cloned")["ok"].toBool(), true);
        QVERIFY(gateOf(answer, "complete")["detail"].toString().contains("interrupted after stage 17"));
    }

    void mistakes_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("says");
        QTest::newRow("no gate") << QStringList{"check", "S"} << "needs a gate";
        QTest::newRow("no baseline") << QStringList{"check", "S", "--max-peak", "+5%"} << "needs --baseline";
        QTest::newRow("no amount") << QStringList{"check", "S", "--max-peak", "much"} << "--max-peak much: bytes as in 0 or 1.2GiB expected";
        QTest::newRow("percent of nothing") << QStringList{"check", "S", "--max-clones", "5%"} << "--max-clones 5%: a count expected";
        QTest::newRow("negative") << QStringList{"check", "S", "--max-clones=-1"} << "--max-clones -1: a count expected";
        QTest::newRow("junit elsewhere") << QStringList{"stages", "S", "--format", "junit"} << "table, json, ndjson, csv or md expected";
        QTest::newRow("format") << QStringList{"check", "S", "--max-clones", "1", "--format", "xml"} << "csv, junit or md expected";
    }
    void mistakes() {
        QFETCH(QStringList, words);
        QFETCH(QString, says);
        words.replace(1, v1_);
        const Answer answer = runProgram(words);
        QCOMPARE(answer.exit, 2);
        QVERIFY2(answer.err.contains(says), qPrintable(answer.err));
    }

private:
    QTemporaryDir folder_;
    QString v1_, v2_;
};

QTEST_APPLESS_MAIN(TestCheck)
#include "tst_check.moc"
