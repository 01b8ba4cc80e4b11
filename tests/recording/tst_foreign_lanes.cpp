// Stages that PyTorch wrote down, as lanes of a session.

#include <QTemporaryDir>
#include <QTest>

#include "core/recording/database.h"
#include "core/recording/foreign_lanes.h"
#include "core/recording/recording.h"
#include "core/text/print.h"

using namespace aliascope;

class tst_foreign_lanes : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void traceBecomesLanes() {
        const auto doc = openFile(ALIASCOPE_SOURCE_DIR "/tests/data/text/train.trace.log", OpRegistry::builtin());
        QVERIFY(doc.has_value());
        const std::string path = folder_.filePath("trace.aliascope").toStdString();
        {
            auto recorder = Recorder::create(path);
            QVERIFY(recorder.has_value());
            const auto ids = (*recorder)->addDocument(*doc);
            QVERIFY(ids.has_value());
            const auto recorded = recordForeignLanes(**recorder, *doc, {1}, *ids, OpRegistry::builtin());
            QVERIFY2(recorded.has_value(), recorded ? "" : recorded.error().format().c_str());
        }
        const auto recording = Recording::open(path);
        QVERIFY(recording.has_value());
        QStringList lanes;
        for (const LaneRow& lane : (*recording)->lanes()) {
            QStringList stages;
            for (const StageRow& stage : (*recording)->stages(lane.id)) stages << QString::fromStdString(stage.name);
            lanes << QString::fromStdString(lane.name + " " + lane.kind + " " + lane.state + ": ") + stages.join(", ");
        }
        QCOMPARE(lanes.join('\n'),
                 QStringLiteral("torch 0/0 forward foreign complete: dynamo_output_graph, aot_forward_graph, before_post_grad_graph\n"
                                "torch 0/0 backward foreign complete: aot_backward_graph, before_post_grad_graph"));
        // A stage that was read comes back as it was, whatever ids its nodes got.
        const LaneRow forward = (*recording)->lanes()[0];
        const auto stage = (*recording)->graph(forward.id, 3, OpRegistry::builtin());
        QVERIFY(stage.has_value());
        QCOMPARE(QString::fromStdString(printReadable(*stage)), QString::fromStdString(printReadable(doc->units[3].graph)));
        recording::Database db(path, recording::Database::Access::Read);
        // The input goes on from Dynamo's `l_x_` by its place, the call by nothing: Dynamo's is a method.
        QCOMPARE(db.integer("SELECT count(*) FROM node WHERE lane = 1 AND match IS NOT NULL"), std::int64_t(2));
        QCOMPARE(db.text("SELECT compile_id FROM graph WHERE id = 4"), std::string("0/0"));
    }

    /// Each compilation of the chosen graphs has its lanes.
    void everyCompilation() {
        const std::string one = "V0107 10:00:00.000001 71 torch/x.py:5] [%/0] [__aot_graphs] ";
        std::string text;
        for (const char* id : {"0", "1"})
            for (const char* title : {"Forward graph ", "AFTER POST GRAD"})
                for (const std::string& line : {std::string("TRACED GRAPH"), " ===== " + std::string(title) + (title[0] == 'F' ? id : "") + " =====",
                                                std::string(" a.py class GraphModule(torch.nn.Module):"), std::string("    def forward(self, x):"),
                                                std::string("        return (x,)")}) {
                    std::string head = one;
                    text += head.replace(head.find('%'), 1, id) + line + "\n";
                }
        const auto doc = readText(text, "two.log", OpRegistry::builtin());
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(4));
        auto recorder = Recorder::create(folder_.filePath("two.aliascope").toStdString());
        QVERIFY(recorder.has_value());
        const auto ids = (*recorder)->addDocument(*doc);
        QVERIFY(recordForeignLanes(**recorder, *doc, {0, 1, 2, 3}, *ids, OpRegistry::builtin()).has_value());
        QVERIFY((*recorder)->close().has_value());
        const auto recording = Recording::open(folder_.filePath("two.aliascope").toStdString());
        QVERIFY(recording.has_value());
        QStringList lanes;
        for (const LaneRow& lane : (*recording)->lanes()) lanes << QString::fromStdString(lane.name);
        QCOMPARE(lanes.join(", "), QStringLiteral("torch 0/0 inference, torch 1/0 inference"));
    }

    void aLimitEndsTheCall() {
        const auto doc = openFile(ALIASCOPE_SOURCE_DIR "/tests/data/text/train.trace.log", OpRegistry::builtin());
        QVERIFY(doc.has_value());
        RecorderLimits limits;
        limits.lanes = 1;
        auto recorder = Recorder::create(folder_.filePath("small.aliascope").toStdString(), limits);
        QVERIFY(recorder.has_value());
        const auto ids = (*recorder)->addDocument(*doc);
        const auto recorded = recordForeignLanes(**recorder, *doc, {1}, *ids, OpRegistry::builtin());
        QVERIFY(!recorded.has_value());
        QCOMPARE(recorded.error().code, std::string("R050"));
    }
};

QTEST_APPLESS_MAIN(tst_foreign_lanes)
#include "tst_foreign_lanes.moc"
