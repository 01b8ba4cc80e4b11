// Two pipelines over one graph, side by side.

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "core/exec/op_bodies.h"
#include "core/recording/lane_comparison.h"
#include "core/recording/recorder.h"
#include "core/recording/stage_memory.h"

using namespace aliascope;

namespace {

using Changes = QList<std::pair<QString, QString>>;
const Changes renamed = {{"select:", "row:"}, {"(select);  select =", "(row);  row ="}};

}  // namespace

class TestLaneComparison : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY2(ops_.addFile(ALIASCOPE_SOURCE_DIR "/sample_graphs/mylib.ops"), "mylib.ops"); }

    void v1AndV2OfTheCache() {
        const auto recording = record("kv_cache_layers.py", {"torch-v1", "torch-v2"});
        QVERIFY(recording);
        const LaneRef v1{recording.get(), recording->lanes()[0].id}, v2{recording.get(), recording->lanes()[1].id};
        const LaneComparison both = compareLanes(v1, v2);
        QCOMPARE(both.a.last.clones, 8);
        QCOMPARE(both.b.last.clones, 0);
        QCOMPARE(both.a.last.clonedBytes.value_or(0), 1'769'472);
        QCOMPARE(both.a.last.nodes, 121);
        QCOMPARE(both.b.last.nodes, 61);
        QCOMPARE(both.a.findings, 8);
        QCOMPARE(both.b.findings, 0);
        QVERIFY(!both.sameResult);
        // The same file and the same first passes; functionalize is where the forms part.
        QVERIFY(both.firstDifference);
        const auto stage =
            std::find_if(both.stagesA.begin(), both.stagesA.end(), [&](const StageRow& row) { return row.idx == both.firstDifference->first; });
        QCOMPARE(stage->pass, std::string("functionalize"));
        QCOMPARE(both.partnerOfA(1), 1);
        QCOMPARE(both.partnerOfA(both.stagesA.back().idx), both.stagesB.back().idx);
    }

    void nodesAreMatchedByOriginNotByName() {
        const auto recording = record("kv_cache_layers.py", {"torch-v1", "torch-v2"});
        const LaneRef v1{recording.get(), recording->lanes()[0].id}, v2{recording.get(), recording->lanes()[1].id};
        const LaneComparison both = compareLanes(v1, v2);
        const NodeMatching nodes = matchNodes(v1, both.stagesA.back().idx, v2, both.stagesB.back().idx);
        const auto named = [&](const LaneRef& lane, int stage, const std::string& name) {
            for (const NodeRowPtr& node : lane.recording->snapshot(lane.lane, stage)->nodes)
                if (node->name == name) return node->uid;
            return Uid(0);
        };
        // The four calls of both lanes stand in one order, whatever each lane calls them.
        std::vector<std::pair<std::string, std::string>> calls;
        std::map<Uid, std::string> a, b;
        for (const NodeRowPtr& node : recording->snapshot(v1.lane, both.stagesA.back().idx)->nodes)
            if (node->op.find("mylib") != std::string::npos) a[node->uid] = node->name;
        for (const NodeRowPtr& node : recording->snapshot(v2.lane, both.stagesB.back().idx)->nodes)
            if (node->op.find("mylib") != std::string::npos) b[node->uid] = node->name;
        std::vector<Uid> order;
        for (const LaneMatch& match : nodes.pairs)
            if (a.contains(match.a)) {
                QVERIFY(b.contains(match.b));
                QCOMPARE(int(match.kind), int(MatchKind::Provenance));
                order.push_back(match.b);
            }
        QCOMPARE(order.size(), 4u);
        const auto& second = recording->snapshot(v2.lane, both.stagesB.back().idx)->nodes;
        std::vector<Uid> inProgram;
        for (const NodeRowPtr& node : second)
            if (b.contains(node->uid)) inProgram.push_back(node->uid);
        QVERIFY(order == inProgram);
        QCOMPARE(nodes.toB.at(named(v1, 1, "kv_1")), named(v2, 1, "kv_1"));
        QCOMPARE(nodes.pairs.size() + nodes.onlyA.size(), 121u);
        QCOMPARE(nodes.pairs.size() + nodes.onlyB.size(), 61u);
    }

    void oneLaneBesideItselfIsTheSame() {
        const auto recording = record("full_written.py", {"torch-v2"});
        const LaneRef lane{recording.get(), recording->lanes()[0].id};
        const LaneComparison both = compareLanes(lane, lane);
        QVERIFY(both.sameResult);
        QVERIFY(!both.firstDifference);
        const int last = both.stagesA.back().idx;
        const NodeMatching nodes = matchNodes(lane, last, lane, last);
        QVERIFY(nodes.onlyA.empty() && nodes.onlyB.empty());
        for (const LaneMatch& match : nodes.pairs) QCOMPARE(match.a, match.b);
    }

    void everyStageStandsOnce() {
        const auto recording = record("kv_cache_layers.py", {"torch-v1", "dce, torch-v2"});
        const LaneComparison both = compareLanes({recording.get(), recording->lanes()[0].id}, {recording.get(), recording->lanes()[1].id});
        std::vector<int> a, b;
        for (const StagePair& pair : both.pairs()) {
            if (pair.a) a.push_back(pair.a->idx);
            if (pair.b) b.push_back(pair.b->idx);
            if (pair.a && pair.b) QCOMPARE(pair.a->pass, pair.b->pass);
        }
        std::vector<int> allA, allB;
        for (const StageRow& row : both.stagesA) allA.push_back(row.idx);
        for (const StageRow& row : both.stagesB) allB.push_back(row.idx);
        QCOMPARE(a, allA);
        QCOMPARE(b, allB);
        // The `dce` that only the second pipeline begins with stands alone; the later one, which is `dce#2` there, beside that of the first.
        const auto pairs = both.pairs();
        const auto named = [&](const char* name) {
            return *std::find_if(pairs.begin(), pairs.end(), [&](const StagePair& pair) { return pair.b && pair.b->name == name; });
        };
        QVERIFY(!named("dce").a);
        QCOMPARE(named("dce#2").a->name, std::string("dce"));
    }

    void aNewNameIsNoDifference() {
        const auto before = recordText("row_written.py", {}, {"dce"}), after = recordText("row_written.py", renamed, {"dce"});
        QVERIFY(before && after);
        QVERIFY(differingNodes(laneOf(before), 1, laneOf(after), 1).empty());
        QVERIFY(compareLanes(laneOf(before), laneOf(after)).sameResult);
    }

    void twoVersionsOfAProgram() {
        const auto before = recordText("row_written.py", {}, {"dce"});
        const auto after = recordText("row_written.py", renamed + Changes{{"[3]", "[4]"}}, {"dce"});
        QVERIFY(before && after);
        for (const int stage : {1, 2}) {
            const NodeMatching nodes = matchNodes(laneOf(before), stage, laneOf(after), stage);
            QVERIFY(nodes.onlyA.empty() && nodes.onlyB.empty());
            const auto list = differingNodes(laneOf(before), stage, laneOf(after), stage);
            QCOMPARE(list.size(), 1u);
            QCOMPARE(list[0].mark, ChangeMark::Modified);
            QCOMPARE(list[0].b->name, std::string("full"));
            QVERIFY(list[0].a->type != list[0].b->type);
        }
    }

    void otherArgumentsAreADifference() {
        const auto before = recordText("row_written.py", {}, {"dce"}),
                   after = recordText("row_written.py", {{"(full, 0, 0)", "(full, 0, 1)"}}, {"dce"});
        QVERIFY(before && after);
        const auto list = differingNodes(laneOf(before), 1, laneOf(after), 1);
        QCOMPARE(list.size(), 1u);
        QCOMPARE(list[0].b->name, std::string("select"));
    }

    void stagesOfALane() {
        const auto recording = record("kv_cache_layers.py", {"torch-v1"});
        const LaneRef lane = laneOf(recording);
        const auto dce = recording->stage(lane.lane, "dce"), reinplace = recording->stage(lane.lane, "reinplace");
        QVERIFY(dce && reinplace);
        // Re-inplacing removes nothing here: what still stands is itself, whatever it is called.
        const auto changes = recording->difference(lane.lane, dce->idx, reinplace->idx);
        for (const NodeDifference& d : differingNodes(lane, dce->idx, lane, reinplace->idx)) {
            QVERIFY(d.mark != ChangeMark::Removed);
            const auto recorded = std::find_if(changes.begin(), changes.end(), [&](const ChangeRow& row) { return row.uid == d.b->uid; });
            QVERIFY2(recorded != changes.end(), d.b->name.c_str());
        }
    }

    void thePeakCountsBodiesWhoeverAsks() {
        QVERIFY(write("twice.ops",
                      "op t::twice(Tensor x) -> Tensor\n    def forward(self, x):\n        mul = torch.ops.aten.mul.Tensor(x, 2)\n"
                      "        add = torch.ops.aten.add.Tensor(mul, mul)\n        return (add,)\n"));
        QVERIFY(write("twice.py",
                      "class m(torch.nn.Module):\n    def forward(self, x: \"f32[1024][1]cpu\"):\n"
                      "        twice: \"f32[1024][1]cpu\" = torch.ops.t.twice.default(x);  x = None\n        return twice\n"));
        QVERIFY2(ops_.addFile(folder_.filePath("twice.ops").toStdString()), "twice.ops");
        const auto recording = recordFile(folder_.filePath("twice.py").toStdString(), {"dce"});
        const LaneRef lane = laneOf(recording);
        const exec::OpBodies bodies = exec::OpBodies::read(ops_);
        exec::PredictOptions options;
        options.bodies = &bodies;
        const auto plain = predictStage(*recording, lane.lane, 1, ops_), with = predictStage(*recording, lane.lane, 1, ops_, options);
        QVERIFY(plain && with && !(*with)->prediction().error);
        QCOMPARE((*plain)->prediction().log.peakExact, (*with)->prediction().log.peakExact);
        const auto graph = recording->graph(lane.lane, 1, ops_);
        QVERIFY(graph && exec::predict(*graph, ops_).log.peakExact < (*with)->prediction().log.peakExact);
    }

private:
    bool write(const char* name, const char* text) {
        QFile file(folder_.filePath(QLatin1String(name)));
        return file.open(QIODevice::WriteOnly) && file.write(text) > 0;
    }

    static LaneRef laneOf(const std::shared_ptr<Recording>& recording) { return {recording.get(), recording->lanes()[0].id}; }

    /// The sample with every `first` of `changes` as `second`.
    std::shared_ptr<Recording> recordText(const char* sample, const Changes& changes, const std::vector<std::string>& pipelines) {
        QFile original(QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/") + QLatin1String(sample));
        QFile changed(folder_.filePath(QStringLiteral("changed%1.py").arg(++files_)));
        if (!original.open(QIODevice::ReadOnly) || !changed.open(QIODevice::WriteOnly)) return nullptr;
        QString text = QString::fromUtf8(original.readAll());
        for (const auto& [from, to] : changes) text.replace(from, to);
        changed.write(text.toUtf8());
        changed.close();
        return recordFile(changed.fileName().toStdString(), pipelines);
    }

    std::shared_ptr<Recording> record(const char* sample, const std::vector<std::string>& pipelines) {
        return recordFile(std::string(ALIASCOPE_SOURCE_DIR "/sample_graphs/") + sample, pipelines);
    }

    std::shared_ptr<Recording> recordFile(const std::string& file, const std::vector<std::string>& pipelines) {
        const auto document = openFile(file, ops_);
        const std::string path = folder_.filePath(QStringLiteral("%1.aliascope").arg(++files_)).toStdString();
        auto recorder = Recorder::create(path);
        const auto graphs = (*recorder)->addDocument(*document);
        for (const std::string& pipeline : pipelines) {
            auto observer = (*recorder)->beginLane((*graphs)[0], pipeline, ops_);
            Graph graph = document->units[0].graph.clone();
            (void)runPipeline(graph, *parsePipeline(pipeline), ops_, {*observer});
        }
        (void)(*recorder)->close();
        return *Recording::open(path);
    }

    OpRegistry ops_ = OpRegistry::withBuiltin();
    QTemporaryDir folder_;
    int files_ = 0;
};

QTEST_GUILESS_MAIN(TestLaneComparison)
#include "tst_lane_comparison.moc"
