// Placement of storages in one arena: what lives at once never shares addresses, the arena is as small as the lower bound lets it be, and the
// reference networks need what executor.md 4.3 says (with ALIASCOPE_SHARED, the folder of the reference corpus).

#include <QDir>
#include <QElapsedTimer>
#include <QTest>
#include <map>
#include <random>

#include "core/exec/op_bodies.h"
#include "core/exec/predict.h"
#include "core/memory/memory_model.h"
#include "core/memory/planner.h"
#include "core/text/document.h"

using namespace aliascope;
using namespace aliascope::memory;

namespace {

/// Storages as `birth death bytes` become a log: at each time deaths come before births, as between nodes.
EventLog logOf(const std::vector<std::array<std::int64_t, 3>>& storages) {
    std::map<std::int64_t, std::pair<std::vector<memory::StorageId>, std::vector<memory::StorageId>>> times;  // deaths, births
    for (std::size_t i = 0; i < storages.size(); ++i) {
        times[storages[i][0]].second.push_back(memory::StorageId(i));
        if (storages[i][1] >= 0) times[storages[i][1]].first.push_back(memory::StorageId(i));
    }
    MemoryModel model;
    for (const auto& [time, events] : times) {
        const Site site{0, NodeId(std::uint32_t(time)), 0};
        for (const auto s : events.first) model.release(site, s);
        for (const auto s : events.second) (void)model.allocate(EventKind::Alloc, site, s, storages[s][2]);
    }
    return model.takeLog();
}

/// As a training step: activations live from the forward to the backward pass, temporaries die soon.
std::vector<std::array<std::int64_t, 3>> trainingStep(int layers, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::array<std::int64_t, 3>> out;
    const auto size = [&] { return std::int64_t(512 * (1 + random() % 4000)); };
    for (int i = 0; i < layers; ++i) {
        out.push_back({10 * i, 20 * layers - 10 * i, size()});
        out.push_back({10 * i + 2, 10 * i + 2 + 1 + std::int64_t(random() % 20), size()});
        out.push_back({20 * layers - 10 * i - 5, 20 * layers - 10 * i + std::int64_t(random() % 9), size()});
        if (i % 10 == 0) out.push_back({20 * layers - 10 * i - 4, -1, size()});
    }
    return out;
}

void check(const MemoryPlan& plan) {
    QVERIFY(plan.arena >= plan.lowerBound);
    for (std::size_t a = 0; a < plan.intervals.size(); ++a) {
        const Interval& x = plan.intervals[a];
        QVERIFY(x.offset >= 0 && x.offset % kPlacementUnit == 0 && x.bytes % kPlacementUnit == 0 && x.bytes >= x.exact);
        QVERIFY(x.offset + x.bytes <= plan.arena);
        for (std::size_t b = a + 1; b < plan.intervals.size(); ++b) {
            const Interval& y = plan.intervals[b];
            const bool inTime = x.birth < y.death && y.birth < x.death;
            const bool inSpace = x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
            QVERIFY2(!(inTime && inSpace), qPrintable(QString("%1 and %2").arg(a).arg(b)));
        }
    }
    for (const std::size_t i : plan.top) QCOMPARE(qint64(plan.intervals[i].offset + plan.intervals[i].bytes), qint64(plan.arena));
    QCOMPARE(plan.top.empty(), plan.arena == 0);
}

QString sharedFolder() { return qEnvironmentVariable("ALIASCOPE_SHARED"); }

/// Forward and backward as one graph: a placeholder of the backward graph that bears the name of a forward value is that value (executor.md 1.3).
/// What the forward graph returns and nobody saves is left out: it dies where it is made.
Graph joined(Graph forward, const Graph& backward) {
    const std::vector<NodeId> inputs = forward.placeholders();
    forward.erase(forward.output());
    std::map<NodeId, Value> values;
    for (const NodeId id : inOrder(backward)) {
        Node n = backward[id];
        if (n.kind == NodeKind::Placeholder) {
            NodeId known = forward.find(n.name);
            if (!known) known = forward.insertAfter(inputs.back(), std::move(n));
            values.emplace(id, Value::node(known));
            continue;
        }
        const auto map = [&](const Value& v) { return v.mapNodes([&](NodeId used) { return values.at(used); }); };
        for (Value& v : n.args) v = map(v);
        for (Keyword& k : n.kwargs) k.second = map(k.second);
        n.users.clear();
        values.emplace(id, Value::node(forward.append(std::move(n))));
    }
    return forward;
}

}  // namespace

class TestPlanner : public QObject {
    Q_OBJECT

private slots:
    void nothingNeedsNothing();
    void gapsAreFilled();
    void lowerBoundIsTheHighestTide();
    void reuseMergesTenants();
    void storagesThatMeetNeverOverlap_data();
    void storagesThatMeetNeverOverlap();
    void swapsHelpSmallPlans();
    void timeGrowsWithSize();
    void referenceNetworks_data();
    void referenceNetworks();
};

void TestPlanner::nothingNeedsNothing() {
    const MemoryPlan plan = planMemory(EventLog());
    check(plan);
    QCOMPARE(qint64(plan.arena), qint64(0));
    QCOMPARE(plan.ratio(), 1.0);
}

void TestPlanner::gapsAreFilled() {
    const MemoryPlan plan = planMemory(logOf({{0, 10, 4096}, {1, 3, 1024}, {2, 10, 4096}, {4, 6, 1000}, {7, 9, 512}}));
    check(plan);
    QCOMPARE(qint64(plan.arena), qint64(9216));
    QCOMPARE(qint64(plan.lowerBound), qint64(9216));
}

void TestPlanner::lowerBoundIsTheHighestTide() {
    const MemoryPlan plan = planMemory(logOf({{0, 2, 100}, {1, 3, 600}, {2, 4, 100}, {3, -1, 2000}}));
    check(plan);
    QCOMPARE(qint64(plan.exactPeak), qint64(2100));
    QCOMPARE(qint64(plan.lowerBound), qint64(2048 + 512));
    QCOMPARE(qint64(plan.peakSeq), qint64(logOf({{0, 2, 100}, {1, 3, 600}, {2, 4, 100}, {3, -1, 2000}}).peakSeq));
}

void TestPlanner::reuseMergesTenants() {
    // b is made while a still lives, then takes its storage over; so does c after b.
    const EventLog log = logOf({{0, 2, 4096}, {1, 4, 4096}, {3, 6, 4096}});
    PlanOptions options;
    options.reuse = {{0, 1}, {1, 2}};
    const MemoryPlan plan = planMemory(log, options);
    check(plan);
    QCOMPARE(qint64(planMemory(log).arena), qint64(8192));
    QCOMPARE(qint64(plan.arena), qint64(4096));
    QCOMPARE(plan.intervals.size(), std::size_t(1));
    QCOMPARE(plan.intervals[0].tenants, (std::vector<memory::StorageId>{0, 1, 2}));
}

void TestPlanner::storagesThatMeetNeverOverlap_data() {
    QTest::addColumn<int>("storages");
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 40; ++seed) QTest::newRow(qPrintable(QString("%1").arg(seed))) << 3 + seed * 20 << seed;
}

void TestPlanner::storagesThatMeetNeverOverlap() {
    QFETCH(int, storages);
    QFETCH(int, seed);
    std::mt19937 random{unsigned(seed)};
    std::vector<std::array<std::int64_t, 3>> list;
    for (int i = 0; i < storages; ++i) {
        const std::int64_t birth = random() % 500, life = 1 + random() % (random() % 5 ? 20 : 500);
        list.push_back({birth, random() % 20 ? birth + life : -1, std::int64_t(1 + random() % 100000)});
    }
    const EventLog log = logOf(list);
    const MemoryPlan plan = planMemory(log);
    check(plan);
    QCOMPARE(qint64(plan.exactPeak), qint64(log.peakExact));
    QVERIFY(plan.ratio() < 1.5);
    PlanOptions options;
    for (memory::StorageId s = 1; s < memory::StorageId(storages); s += 2)
        if (list[s][0] <= list[s - 1][1] && list[s][0] > list[s - 1][0] && list[s][2] == list[s - 1][2]) options.reuse.push_back({s - 1, s});
    check(planMemory(log, options));
}

void TestPlanner::swapsHelpSmallPlans() {
    int better = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        const EventLog log = logOf(trainingStep(30, seed));
        PlanOptions plain;
        plain.improveUpTo = 0;
        const std::int64_t with = planMemory(log).arena, without = planMemory(log, plain).arena;
        QVERIFY(with <= without);
        better += with < without;
    }
    QVERIFY(better > 0);
}

/// Ten times the storages take about ten times as long, not a hundred.
void TestPlanner::timeGrowsWithSize() {
    std::array<qint64, 2> ns{};
    for (int k = 0; k < 2; ++k) {
        const EventLog log = logOf(trainingStep(k == 0 ? 1000 : 10000, 1));
        QElapsedTimer timer;
        timer.start();
        const MemoryPlan plan = planMemory(log);
        ns[std::size_t(k)] = timer.nsecsElapsed();
        QVERIFY(plan.ratio() < 1.2);
    }
    QVERIFY2(ns[1] < 40 * ns[0], qPrintable(QString("%1 ms, then %2 ms").arg(double(ns[0]) / 1e6).arg(double(ns[1]) / 1e6)));
}

void TestPlanner::referenceNetworks_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<qint64>("exact");
    QTest::addColumn<qint64>("rounded");
    QTest::addColumn<qint64>("arena");
    QTest::addColumn<qint64>("reused");  ///< 0 = not stated
    QTest::newRow("llama_infer") << "llama_infer/after_post_grad.0" << qint64(270532608) << qint64(270532608) << qint64(270532608)
                                 << qint64(270532608);
    QTest::newRow("decode_kv") << "decode_kv/after_post_grad.0" << qint64(33689600) << qint64(33689600) << qint64(33816576) << qint64(25296896);
    QTest::newRow("decode_kv before") << "decode_kv/before_post_grad.0" << qint64(805830656) << qint64(805830656) << qint64(805961728) << qint64(0);
    QTest::newRow("gpt2_train") << "gpt2_train/after_post_grad" << qint64(3694760132) << qint64(3694772736) << qint64(3694772736)
                                << qint64(3283128512);
    QTest::newRow("resnet34_train") << "resnet34_train/after_post_grad" << qint64(514932268) << qint64(514936832) << qint64(514936832)
                                    << qint64(513326636);
    QTest::newRow("gpt_s_train") << "gpt_s_train/after_post_grad" << qint64(236708) << qint64(242688) << qint64(244736) << qint64(0);
    QTest::newRow("resnet_s_train") << "resnet_s_train/after_post_grad" << qint64(82028) << qint64(88064) << qint64(93184) << qint64(0);
    QTest::newRow("llama_s_infer") << "llama_s_infer/after_post_grad.0" << qint64(45056) << qint64(45056) << qint64(45056) << qint64(0);
}

void TestPlanner::referenceNetworks() {
    if (sharedFolder().isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
    QFETCH(QString, file);
    QFETCH(qint64, exact);
    QFETCH(qint64, rounded);
    QFETCH(qint64, arena);
    QFETCH(qint64, reused);
    OpRegistry registry = OpRegistry::withBuiltin();
    QVERIFY(registry.addFile((sharedFolder() + "/oracle/mylib.ops").toStdString()));
    const exec::OpBodies bodies = exec::OpBodies::read(registry);
    const auto read = [&](const QString& name) {
        auto document = openFile((sharedFolder() + "/oracle/zoo/" + name + ".readable.py").toStdString(), registry);
        if (!document || document->units.size() != 1) qFatal("cannot read %s", qPrintable(name));
        return std::move(document->units[0].graph);
    };
    const Graph graph = file.endsWith(".0") ? read(file) : joined(read(file + ".0"), read(file + ".1"));
    exec::PredictOptions options;
    options.bodies = &bodies;
    options.findReuse = true;
    const exec::Prediction p = exec::predict(graph, registry, options);
    QVERIFY2(!p.error, p.error ? p.error->format().c_str() : "");
    const MemoryPlan plan = planMemory(p.log);
    check(plan);
    PlanOptions withReuse;
    withReuse.reuse = p.reuse;
    const MemoryPlan reusing = planMemory(p.log, withReuse);
    check(reusing);
    const Site peak = p.log.events[std::size_t(p.log.peakSeq)].site;
    qInfo("%s: %zu storages, exact %lld, rounded %lld, arena %lld by %s, with reuse %lld", graph[peak.node].name.str().c_str(), plan.intervals.size(),
          (long long)plan.exactPeak, (long long)plan.lowerBound, (long long)plan.arena, plan.key.c_str(), (long long)reusing.exactPeak);
    QCOMPARE(qint64(plan.exactPeak), exact);
    QCOMPARE(qint64(plan.lowerBound), rounded);
    QVERIFY2(plan.arena <= arena, qPrintable(QString::number(plan.arena)));
    if (reused) QVERIFY2(reusing.exactPeak <= reused, qPrintable(QString::number(reusing.exactPeak)));
}

QTEST_APPLESS_MAIN(TestPlanner)
#include "tst_planner.moc"
