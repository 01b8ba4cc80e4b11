// `memory` on samples, on text from standard input and on sessions.

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"

using namespace aliascope::testing;

namespace {

const QString samples = QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/");
const QString kv = samples + "kv_cache_layers.py";

Answer ask(const QStringList& words, const QByteArray& input = {}) { return runProgram(words + QStringList{"--ops", samples + "mylib.ops"}, input); }

const QByteArray chain =
    "class Net(torch.nn.Module):\n"
    "    def forward(self, x: \"f32[256]\"):\n"
    "        a: \"f32[256]\" = torch.ops.aten.sin.default(x)\n"
    "        b: \"f32[256]\" = torch.ops.aten.cos.default(a)\n"
    "        c: \"f32[128]\" = torch.ops.aten.slice.Tensor(b, 0, 0, 128)\n"
    "        d: \"f32[128]\" = torch.ops.aten.add.Tensor(c, 1)\n"
    "        return (d,)\n";

qint64 sum(const QJsonArray& rows, const char* key) {
    qint64 total = 0;
    for (const QJsonValue& row : rows) total += row[key].toInteger();
    return total;
}

}  // namespace

class TestMemoryVerb : public QObject {
    Q_OBJECT

private slots:
    void everyStageHasItsPeak() {
        const Answer a = ask({"memory", kv, "--pipeline", "torch-v1", "--json"});
        QCOMPARE(a.exit, 0);
        const QJsonArray stages = a.rows("stages");
        QVERIFY(stages.size() > 3);
        QCOMPARE(stages.first()["peak_exact"].toInteger(), 36864);
        QCOMPARE(stages.first()["kind"].toString(), QString("predicted"));
        QCOMPARE(stages.at(2)["peak_exact"].toInteger(), 2260992);
        QCOMPARE(stages.last()["peak_exact"].toInteger(), 2670592);  // v1 clones: worse than functional
        for (const QJsonValue& stage : stages) {
            QVERIFY(stage["complete"].toBool());
            QVERIFY(stage["peak_charged"].toInteger() >= stage["peak_exact"].toInteger());
            QVERIFY(!stage["at"]["name"].toString().isEmpty());
        }
        QCOMPARE(sum(a.rows("holders"), "bytes_exact"), stages.last()["peak_exact"].toInteger());
        QVERIFY(a.rows("curve").size() > 10);
    }

    void holdersOfChainAreNamed() {
        const Answer a = ask({"memory", "-", "--passes", "dce", "--json"}, chain);
        QCOMPARE(a.exit, 0);
        const QJsonArray holders = a.rows("holders");
        QCOMPARE(holders.size(), 2);
        QCOMPARE(a.rows("stages").first()["peak_exact"].toInteger(), 2048);
        QCOMPARE(holders.at(0)["node"]["name"].toString(), QString("a"));
        QCOMPARE(holders.at(0)["why"].toString(), QString("until %b"));
        QCOMPARE(holders.at(1)["why"].toString(), QString("until %d"));
        QCOMPARE(a.rows("stages").first()["peak_charged"].toInteger(), 2048);
    }

    void liveAtANode() {
        const Answer a = ask({"memory", "-", "--passes", "dce", "--at", "d", "--json"}, chain);
        QCOMPARE(a.exit, 0);
        QCOMPARE(a.rows("live").size(), 2);
        QCOMPARE(a.result().value("moment").toObject().value("live_exact").toInteger(), 1536);
        const Answer view = ask({"memory", "-", "--passes", "dce", "--at", "c"}, chain);
        QCOMPARE(view.exit, 1);
        QVERIFY(view.err.contains("%c neither allocates nor frees memory"));
        QCOMPARE(ask({"memory", "-", "--passes", "dce", "--at", "nowhere"}, chain).exit, 1);
    }

    void groupsAddUpToThePeak_data() {
        QTest::addColumn<QString>("by");
        for (const char* by : {"storage", "node", "module", "op", "source", "dtype"}) QTest::newRow(by) << by;
    }
    void groupsAddUpToThePeak() {
        QFETCH(QString, by);
        const Answer a = ask({"memory", kv, "--by", by, "--json"});
        QCOMPARE(a.exit, 0);
        QCOMPARE(sum(a.rows("holders"), "bytes_exact"), a.rows("stages").last()["peak_exact"].toInteger());
        if (by == "dtype") QCOMPARE(a.rows("holders").first()["key"].toString(), QString("f32"));
    }

    void aPlanIsNoLessThanItsBound() {
        const Answer a = ask({"memory", kv, "--plan", "--json"});
        QCOMPARE(a.exit, 0);
        for (const char* key : {"plan", "plan_with_reuse"}) {
            const QJsonObject plan = a.result().value(QLatin1String(key)).toObject();
            QVERIFY(plan["lower_bound"].toInteger() > 0);
            QVERIFY(plan["arena"].toInteger() >= plan["lower_bound"].toInteger());
            QVERIFY(plan["lower_bound"].toInteger() >= plan["exact_peak"].toInteger());
            QVERIFY(!plan["top"].toArray().isEmpty());
        }
        QCOMPARE(a.rows("placements").size(), a.result().value("plan").toObject().value("intervals").toInt());
        const Answer text = ask({"memory", kv, "--plan"});
        QVERIFY(text.out.contains("arena 36 KiB (36,864 B), lower bound 36 KiB (36,864 B), ratio 1.0000"));
    }

    void differencesExplainThePeaks() {
        const Answer a = ask({"memory", kv, "--pipeline", "torch-v1", "--diff", "imported", "last", "--json"});
        QCOMPARE(a.exit, 0);
        qint64 delta = 0;
        for (const QJsonValue& row : a.rows("difference")) {
            const QString kind = row["kind"].toString();
            if (kind == "only-a" || kind == "longer") delta += row["bytes_a"].toInteger();
            if (kind == "only-b" || kind == "shorter") delta -= row["bytes_b"].toInteger();
            if (kind == "bytes") delta += row["bytes_a"].toInteger() - row["bytes_b"].toInteger();
        }
        QCOMPARE(delta,
                 a.result().value("a").toObject().value("peak_exact").toInteger() - a.result().value("b").toObject().value("peak_exact").toInteger());
        QVERIFY(delta < 0);
        QVERIFY(ask({"memory", kv, "--diff", "first", "first"}).out.contains("the peaks are held by the same storages"));
    }

    void symbolsWithoutHintsAreAssumedAloud() {
        const Answer a = ask({"memory", samples + "dynamic_rows.py", "--json"});
        QCOMPARE(a.exit, 0);
        const QJsonObject first = a.rows("stages").first().toObject();
        if (first["assumed"].toObject().isEmpty()) QSKIP("the sample has hints");
        QVERIFY(a.err.contains("assumes"));
    }

    void whatStopsThePredictionIsSaid() {
        const QByteArray broken =
            "class Net(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n        a: \"f32[4]\" = torch.ops.aten.sin.default(x)\n"
            "        b = torch.ops.nowhere.op.default(a)\n        return (b,)\n";
        const Answer a = ask({"memory", "-", "--passes", "dce", "--json"}, broken);
        QCOMPARE(a.exit, 0);
        QVERIFY(!a.rows("stages").last()["complete"].toBool());
        QVERIFY(a.err.contains("the prediction of stage dce ends there"));
    }

    void mistakesAreExplained_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("message");
        QTest::newRow("key") << QStringList{"--by", "modul"} << "--by modul: nearest module";
        QTest::newRow("accounting") << QStringList{"--accounting", "cuda"} << "exact or cuda-caching";
        QTest::newRow("two questions") << QStringList{"--plan", "--at", "x"} << "exclude each other";
        QTest::newRow("second name") << QStringList{"last"} << "--diff A B";
        QTest::newRow("limit") << QStringList{"--limit", "many"} << "a number of rows";
    }
    void mistakesAreExplained() {
        QFETCH(QStringList, words);
        QFETCH(QString, message);
        const Answer a = ask(QStringList{"memory", kv} + words);
        QCOMPARE(a.exit, 2);
        QVERIFY2(a.err.contains(message), qPrintable(a.err));
    }

    void runsOfSessionsStandBesidePredictions() {
        const QString session = folder_.filePath("kv.aliascope");
        QCOMPARE(ask({"exec", kv, "-o", session}).exit, 0);
        const Answer a = ask({"memory", session, "--json"});
        QCOMPARE(a.exit, 0);
        QMap<int, qint64> predicted;
        int measured = 0;
        QString run;
        for (const QJsonValue& row : a.rows("stages")) {
            if (row["kind"].toString() == "predicted") predicted[row["idx"].toInt()] = row["peak_exact"].toInteger();
            if (row["kind"].toString() != "measured") continue;
            ++measured;
            run = row["run"].toString();
            QCOMPARE(row["peak_exact"].toInteger(), predicted[row["idx"].toInt()]);  // planned = measured
            QVERIFY(!row["note"].toString().contains("differs"));
        }
        QVERIFY(measured > 0);
        const Answer one = ask({"memory", session, "--run", run, "--json"});
        QCOMPARE(one.exit, 0);
        QVERIFY(!one.rows("holders").isEmpty());
        QCOMPARE(ask({"memory", session, "--run", "4711"}).exit, 1);
    }

private:
    QTemporaryDir folder_;
};

QTEST_MAIN(TestMemoryVerb)
#include "tst_memory.moc"
