// `chunk`: what would be cut, why not, and the predicted peaks.

#include <QTest>

#include "tests/cli/program.h"
#include "tests/passes/auto-chunk/head_program.h"

using namespace aliascope::testing;

namespace {

/// `options`: words between blanks.
Answer ask(const QString& options, int rows = 12) {
    return runProgram(QStringList{"chunk", "-"} + options.split(QLatin1Char(' '), Qt::SkipEmptyParts), QByteArray::fromStdString(headProgram(rows)));
}

const QString small = QStringLiteral("auto-chunk{min-bytes=0,min-ratio=1}");

}  // namespace

class TestChunkVerb : public QObject {
    Q_OBJECT

private slots:
    void plan() {
        const Answer a = ask("--passes " + small + " --chunks 4 --plan --json");
        QCOMPARE(a.exit, 0);
        const QJsonObject r = a.result();
        QCOMPARE(r["status"].toString(), QString("applied"));
        QCOMPARE(r["chunks"].toInt(), 4);
        QCOMPARE(r["amplifier"]["node"].toString(), QString("mm"));
        QCOMPARE(r["amplifier"]["bytes_out"].toInt(), 12 * 40 * 4);
        QCOMPARE(r["region"]["outputs"].toInt(), 3);
        bool seen = false;
        for (const QJsonValue& node : r["nodes"].toArray()) {
            if (node["node"].toString() != "mm_1") continue;
            seen = true;
            QVERIFY(node["dim"].isNull() && node["sum"].toBool());
            QCOMPARE(node["scale"].toString(), QString("tangents_1"));
            QCOMPARE(node["class"].toString(), QString("output"));
        }
        QVERIFY(seen);
        const QJsonArray peaks = r["peaks"].toArray();
        QCOMPARE(peaks.first()["chunks"].toInt(), 1);
        for (const QJsonValue& peak : peaks) {
            QCOMPARE(peak["chosen"].toBool(), peak["chunks"].toInt() == 4);
            QCOMPARE(peak["saving"].toInt(), peaks.first()["peak"].toInt() - peak["peak"].toInt());
        }
    }

    void table() {
        const Answer a = ask("--passes " + small + " --chunks 4 --plan");
        QVERIFY2(a.out.contains("amplifier %mm: 624 B in, 1.88 KiB out"), qPrintable(a.out));
        QVERIFY(a.out.contains("applied: 4 chunks of 3 rows"));
        QVERIFY(a.out.contains("predicted peak"));
        QVERIFY(a.out.contains("%permute_1"));
    }

    void refusal() {
        const Answer a = ask("--json");
        QCOMPARE(a.exit, 0);
        QCOMPARE(a.result()["status"].toString(), QString("refused"));
        QCOMPARE(a.result()["refusal"]["code"].toString(), QString("NO_AMPLIFIER"));
        QVERIFY(a.result()["chunks"].isNull());
        const Answer table = ask(QString());
        QVERIFY2(table.out.contains("not applied, NO_AMPLIFIER: No product enlarges its inputs enough: best is mm, 1920 B"), qPrintable(table.out));
    }

    void budget() {
        const Answer a = ask("--passes auto-chunk{mode=extended,min-bytes=0} --budget 1 --json", 4096);
        QCOMPARE(a.result()["refusal"]["code"].toString(), QString("OVER_BUDGET"));
        const Answer b = ask("--passes auto-chunk{mode=extended,min-bytes=0} --budget 1GiB --json", 4096);
        QCOMPARE(b.result()["refusal"]["code"].toString(), QString("WITHIN_BUDGET"));
    }

    void mistakes() {
        QCOMPARE(ask("--chunks none").exit, 2);
        QCOMPARE(ask("--mode fast").exit, 2);
        QVERIFY(ask("--mode fast").err.contains("reference or extended"));
    }
};

QTEST_APPLESS_MAIN(TestChunkVerb)
#include "tst_chunk.moc"
