// Every sample, every bundled pipeline, every stage: what is read back from the file prints as the graph in memory printed.

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "core/text/print.h"
#include "recorded_sample.h"

using namespace aliascope;

namespace {

/// Keeps what the graph in memory prints, stage by stage.
class Watcher : public PassObserver {
public:
    struct Stage {
        std::string name, graphText, readable;
        std::uint64_t hash = 0;
    };
    Status stageFinished(const Graph& g, const StageResult& stage) override {
        stages.push_back({stage.name, printGraphText(g), printReadable(g), g.hash()});
        return {};
    }
    std::vector<Stage> stages;
};

}  // namespace

class TestRecordedSamples : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void stagesReadBackAsTheyWere_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("pipeline");
        const QDir samples(QStringLiteral(ALIASCOPE_SOURCE_DIR) + "/sample_graphs");
        for (const QString& file : samples.entryList({"*.py", "*.txt", "*.log"}, QDir::Files))
            for (const std::string& pipeline : pipelineNames())
                QTest::addRow("%s %s", qPrintable(file), pipeline.c_str()) << samples.filePath(file) << QString::fromStdString(pipeline);
    }

    void stagesReadBackAsTheyWere() {
        QFETCH(QString, file);
        QFETCH(QString, pipeline);
        OpRegistry ops = OpRegistry::withBuiltin();
        for (const QString& extra : QDir(QStringLiteral(ALIASCOPE_SOURCE_DIR) + "/sample_graphs").entryList({"*.ops"}, QDir::Files))
            (void)ops.addFile((QStringLiteral(ALIASCOPE_SOURCE_DIR) + "/sample_graphs/" + extra).toStdString());
        const auto doc = openFile(file.toStdString(), ops);
        QVERIFY2(doc.has_value(), doc ? "" : doc.error().format().c_str());
        const auto steps = namedPipeline(pipeline.toStdString());
        QVERIFY(steps);

        const std::string path = folder_.filePath("s.aliascope").toStdString();
        QFile::remove(QString::fromStdString(path));
        std::vector<Watcher> watchers(doc->units.size());
        {
            auto recorder = Recorder::create(path);
            QVERIFY(recorder);
            const auto graphs = (*recorder)->addDocument(*doc);
            QVERIFY2(graphs.has_value(), graphs ? "" : graphs.error().format().c_str());
            for (std::size_t i = 0; i < doc->units.size(); ++i) {
                auto observer = (*recorder)->beginLane((*graphs)[i], pipeline.toStdString(), ops);
                QVERIFY(observer);
                Graph g = doc->units[i].graph.clone();
                const RunResult run = runPipeline(g, *steps, ops, {*observer, &watchers[i]});
                QVERIFY2(!run.error || run.error->code != "S003", run.error ? run.error->format().c_str() : "");
            }
            QVERIFY((*recorder)->close());
        }
        const auto recording = *Recording::open(path);
        const auto lanes = recording->lanes();
        QCOMPARE(lanes.size(), doc->units.size());
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const auto stages = recording->stages(lanes[i].id);
            QCOMPARE(stages.size(), watchers[i].stages.size());
            for (std::size_t s = 0; s < stages.size(); ++s) {
                const auto graph = recording->graph(lanes[i].id, stages[s].idx, ops);
                QVERIFY2(graph.has_value(), graph ? "" : graph.error().format().c_str());
                QCOMPARE(printGraphText(*graph), watchers[i].stages[s].graphText);
                QCOMPARE(printReadable(*graph), watchers[i].stages[s].readable);
                QCOMPARE(graph->hash(), watchers[i].stages[s].hash);
            }
            const auto sound = recording->query(
                "SELECT count(*) FROM stage s JOIN node n ON n.lane = s.lane AND n.first_stage <= s.idx AND n.last_stage >= s.idx JOIN use u ON "
                "u.node = n.id "
                "WHERE NOT EXISTS (SELECT 1 FROM node d WHERE d.lane = n.lane AND d.uid = u.uid AND d.first_stage <= s.idx AND d.last_stage >= "
                "s.idx)");
            QVERIFY(sound);
            QCOMPARE(*sound->rows[0][0], std::string("0"));
        }
        QVERIFY(!recording->fault());
    }
};

QTEST_GUILESS_MAIN(TestRecordedSamples)
#include "tst_recorded_samples.moc"
