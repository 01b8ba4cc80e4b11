// What auto-chunk decided, in a session: the nodes of the region, the predicted peaks, and nothing where it refused.

#include <QTemporaryDir>
#include <QTest>

#include "core/recording/recorder.h"
#include "core/recording/recording.h"
#include "tests/passes/auto-chunk/head_program.h"

using namespace aliascope;
using namespace aliascope::testing;

class ChunkRowsTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::shared_ptr<Recording> record(const char* name, const std::string& passes) {
        const std::string path = folder_.filePath(name).toStdString();
        auto document = readText(headProgram(12), "head.py", testOps());
        auto recorder = Recorder::create(path);
        if (!document || !recorder) return nullptr;
        const auto ids = (*recorder)->addDocument(*document);
        auto observer = (*recorder)->beginLane(ids->front(), "passes", testOps());
        const auto pipeline = parsePipeline(passes);
        if (!observer || !pipeline) return nullptr;
        runPipeline(document->units[0].graph, *pipeline, testOps(), {*observer});
        if (!(*recorder)->close()) return nullptr;
        return *Recording::open(path);
    }

private slots:
    void regionAndPeaks() {
        const auto recording = record("cut.aliascope", "auto-chunk{num-chunks=4,min-bytes=0,min-ratio=1}");
        QVERIFY(recording);
        const std::int64_t lane = recording->lanes().front().id;
        QStringList rows;
        for (const ChunkRow& r : recording->chunkRows(lane, 2))
            rows << QString("%1 %2 %3 %4 %5")
                        .arg(r.node.c_str(), r.role.c_str(), r.dim ? QString::number(*r.dim) : "-", r.sum ? "sum" : "-", r.scale.c_str());
        QCOMPARE(rows.front(), QString("mm body 0 - "));
        QVERIFY2(rows.contains("tangents_1 tangent - - tangents_1"), qPrintable(rows.join('\n')));
        QVERIFY(rows.contains("mm_1 output - sum tangents_1"));
        QVERIFY(rows.contains("permute_1 body 1 - tangents_1"));
        QVERIFY(recording->chunkRows(lane, 1).empty());
        QStringList chosen;
        const auto estimates = recording->chunkEstimates(lane, 2);
        for (const ChunkEstimateRow& e : estimates)
            if (e.chosen) chosen << QString::number(e.chunks);
        QCOMPARE(chosen, QStringList{"4"});
        QCOMPARE(estimates.front().chunks, std::int64_t(1));
        QVERIFY(estimates.size() >= 3 && estimates.front().peakBytes > 0);
        const auto decisions = recording->decisions(lane);
        const QString sentence = QString("mm and %1 nodes run in 4 chunks of 3 rows; predicted peak ").arg(rows.size() - 1);
        QVERIFY2(QString::fromStdString(decisions.front().sentence).startsWith(sentence), decisions.front().sentence.c_str());
        QVERIFY(!recording->fault());
    }

    void refusal() {
        const auto recording = record("refused.aliascope", "auto-chunk");
        QVERIFY(recording);
        const std::int64_t lane = recording->lanes().front().id;
        QVERIFY(recording->chunkRows(lane, 2).empty());
        QVERIFY(recording->chunkEstimates(lane, 2).empty());
        QCOMPARE(recording->decisions(lane).front().code, std::string("NO_AMPLIFIER"));
    }
};

QTEST_APPLESS_MAIN(ChunkRowsTest)
#include "tst_chunk_rows.moc"
