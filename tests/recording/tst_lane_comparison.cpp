// Two pipelines over one graph, side by side.

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "core/recording/lane_comparison.h"
#include "core/recording/recorder.h"

using namespace aliascope;

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
        const auto stage = std::find_if(both.stagesA.begin(), both.stagesA.end(), [&](const StageRow& row) { return row.idx == both.firstDifference->first; });
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

private:
    std::shared_ptr<Recording> record(const char* sample, const std::vector<std::string>& pipelines) {
        const auto document = openFile(std::string(ALIASCOPE_SOURCE_DIR "/sample_graphs/") + sample, ops_);
        const std::string path = folder_.filePath(QStringLiteral("%1.aliascope").arg(++files_)).toStdString();
        auto recorder = Recorder::create(path);
        const auto graphs = (*recorder)->addDocument(*document);
        for (const std::string& pipeline : pipelines) {
            auto observer = (*recorder)->beginLane((*graphs)[0], pipeline, ops_);
            Graph graph = document->units[0].graph.clone();
            (void)runPipeline(graph, *namedPipeline(pipeline), ops_, {*observer});
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
