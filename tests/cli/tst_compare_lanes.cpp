// `compare`: pipelines, sessions, files and stages side by side.

#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"

using namespace aliascope::testing;

namespace {

const QString samples = QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/");
const QString kv = samples + "kv_cache_layers.py";

QJsonObject figure(const Answer& answer, const char* key) { return answer.result()["figures"].toObject()[key].toObject(); }

}  // namespace

class TestCompare : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        session_ = folder_.filePath("kv.aliascope");
        QCOMPARE(runProgram({"run", kv, "--pipeline", "torch-v1", "-o", session_}).exit, 0);
        QCOMPARE(runProgram({"run", kv, "--pipeline", "torch-v2", "-o", session_}).exit, 0);
    }

    void twoPipelinesOfASession() {
        const Answer answer = runProgram({"compare", session_ + ":v1", session_ + ":v2", "--json"});
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        QCOMPARE(answer.result()["same"].toBool(), false);
        const QJsonObject first = answer.result()["first_difference"].toObject();
        QCOMPARE(first["name"].toString(), QString("functionalize"));
        QCOMPARE(first["idx"].toInt(), 3);
        QVERIFY(first["nodes_total"].toInt() > 0);
        QCOMPARE(figure(answer, "clones")["a"].toInt(), 8);
        QCOMPARE(figure(answer, "clones")["b"].toInt(), 0);
        QCOMPARE(figure(answer, "cloned_bytes")["a"].toInt(), 1769472);
        QCOMPARE(figure(answer, "copied_back_bytes")["a"].toInt(), 1048576);
        QCOMPARE(figure(answer, "copied_back_bytes")["b"].toInt(), 0);
        QCOMPARE(figure(answer, "self_copies")["b"].toInt(), 1);
        QVERIFY(figure(answer, "peak")["a"].toInt() > figure(answer, "peak")["b"].toInt());
        QVERIFY(figure(answer, "numerics")["a"].isNull());
        const Answer table = runProgram({"compare", session_ + ":v1", session_ + ":v2"});
        QVERIFY2(table.out.contains("they first differ at stage 3 functionalize"), qPrintable(table.out));
    }

    void filesRunThePipelineThatStandsBehindThem() {
        const Answer files = runProgram({"compare", kv + ":torch-v1", kv + ":v2", "--json"});
        QVERIFY2(files.exit == 0, qPrintable(files.err));
        const Answer session = runProgram({"compare", session_ + ":torch-v1", session_ + ":torch-v2", "--json"});
        QCOMPARE(files.result(), session.result());
    }

    void whatIsEqualIsSaid() {
        const Answer answer = runProgram({"compare", session_ + ":v1", kv + ":v1", "--exit-code", "--json"});
        QCOMPARE(answer.exit, 0);
        QCOMPARE(answer.result()["same"].toBool(), true);
        QVERIFY(answer.result()["first_difference"].isNull());
        QVERIFY(answer.rows("nodes").isEmpty());
        QVERIFY(answer.result()["sentence"].toString().contains("give the same graph at decompose-functionalized: the pipeline is the same"));
        // Two pipelines that agree on a graph without a write through a view.
        const Answer two = runProgram({"compare", samples + "full_written.py:v1", samples + "full_written.py:v2", "--json"});
        QVERIFY2(two.result()["sentence"].toString().contains(two.result()["same"].toBool() ? "neither has to copy" : "differ"), qPrintable(two.out));
    }

    void differencesEndWithOneOnRequest() {
        QCOMPARE(runProgram({"compare", session_ + ":v1", session_ + ":v2"}).exit, 0);
        QCOMPARE(runProgram({"compare", session_ + ":v1", session_ + ":v2", "--exit-code"}).exit, 1);
    }

    void twoStagesOfALane() {
        const Answer answer = runProgram({"compare", session_ + ":v1@dce", session_ + ":v1@reinplace", "--json"});
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        QVERIFY(answer.rows("stages").isEmpty());
        QCOMPARE(figure(answer, "nodes")["a"].toInt(), 97);
        QCOMPARE(figure(answer, "nodes")["b"].toInt(), 105);
        QStringList marks;
        for (const QJsonValue& node : answer.rows("nodes")) marks << node.toObject()["mark"].toString() + node.toObject()["name"].toString();
        QVERIFY2(marks.contains("+select_int"), qPrintable(marks.join(' ')));
        // What stays is itself under its new name, so that nothing seems to be removed.
        QVERIFY2(marks.contains("~select_scatter_default") && !marks.join(' ').contains('-'), qPrintable(marks.join(' ')));
    }

    void nodesAreMatchedByWhatTheyStemFrom() {
        const Answer answer = runProgram({"compare", session_ + ":v1", session_ + ":v2", "--json"});
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        int alone = 0;
        QStringList calls;
        for (const QJsonValue& value : answer.rows("nodes")) {
            const QJsonObject node = value.toObject();
            alone += node["mark"].toString() != "~";
            QCOMPARE(node["mark"].toString() == "+", node["name_a"].isNull());
            if (node["op"].toString() == "aten.as_strided.default" && node["mark"].toString() == "~")
                calls << node["name_a"].toString() + " is " + node["name"].toString();
        }
        QCOMPARE(answer.result()["unmatched"].toInt(), alone);
        // Both lanes number the views of the caches anew: equal names are views for other calls.
        QVERIFY2(calls.contains("as_strided_default_12 is as_strided_default_6"), qPrintable(calls.join(", ")));
        QVERIFY2(calls.contains("as_strided_default_4 is as_strided_default_2"), qPrintable(calls.join(", ")));
    }

    void recordedNumericsStandBesideEachOther() {
        const QString ran = folder_.filePath("ran.aliascope");
        QCOMPARE(runProgram({"run", samples + "overlapping_views.py", "--pipeline", "torch-v1", "--exec", "cpu", "-o", ran}).exit, 1);
        QCOMPARE(runProgram({"run", samples + "overlapping_views.py", "--pipeline", "torch-v2", "--exec", "cpu", "-o", ran}).exit, 0);
        const Answer answer = runProgram({"compare", ran + ":v1", ran + ":v2", "--json"});
        QVERIFY2(figure(answer, "numerics")["a"].toString().startsWith("differs"), qPrintable(answer.out));
        QVERIFY2(!figure(answer, "numerics")["b"].toString().startsWith("differs"), qPrintable(answer.out));
        QVERIFY(!figure(answer, "numerics")["b"].toString().isEmpty());
    }

    void mistakes_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("says");
        QTest::newRow("one side") << QStringList{"S"} << 2 << "needs A B";
        QTest::newRow("no file") << QStringList{"S", "nowhere.aliascope"} << 3 << "no such file";
        QTest::newRow("no lane") << QStringList{"S", "S:v3"} << 1 << "no lane v3";
        QTest::newRow("no stage") << QStringList{"S", "S@nothing"} << 1 << "no stage nothing";
        QTest::newRow("empty stage") << QStringList{"S", "S@"} << 2 << "a stage is expected after @";
        QTest::newRow("no pipeline") << QStringList{"S", kv + ":torch-v9"} << 2 << "no pass torch-v9";
    }
    void mistakes() {
        QFETCH(QStringList, words);
        QFETCH(int, exit);
        QFETCH(QString, says);
        for (QString& word : words)
            if (word.startsWith('S')) word.replace(0, 1, session_);
        const Answer answer = runProgram(QStringList{"compare"} + words);
        QVERIFY2(answer.err.contains(says), qPrintable(answer.err));
        QCOMPARE(answer.exit, exit);
    }

private:
    QTemporaryDir folder_;
    QString session_;
};

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare_lanes.moc"
