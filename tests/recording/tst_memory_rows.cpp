// Memory of runs in a session: what is written, and that the recording answers as the log in memory does.

#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "core/memory/memory_model.h"
#include "core/memory/memory_report.h"
#include "core/recording/memory_rows.h"
#include "recorded_sample.h"

using namespace aliascope;
using namespace aliascope::memory;
using recording::Database;

namespace {

/// Traffic of the sample's nodes: `steps` allocations and frees, a call path now and then.
EventLog traffic(int steps, unsigned seed = 1) {
    const Graph graph = test::sampleDocument().units.front().graph.clone();
    const std::vector<NodeId> nodes = graph.order();
    std::mt19937 random(seed);
    MemoryModel model;
    const std::uint32_t frame = model.callPath("cond#0");
    const auto site = [&](unsigned k) { return Site{0, nodes[k % nodes.size()], k % 7 == 0 ? frame : 0}; };
    memory::StorageId next = 0;
    model.borrow(EventKind::Input, site(1), next++, 128);
    std::vector<memory::StorageId> live;
    for (int i = 0; i < steps; ++i) {
        model.setTime(i * 10);
        if (live.size() > 12 || (live.size() > 3 && random() % 2)) {
            const std::size_t k = random() % live.size();
            model.release(site(random()), live[k]);
            live.erase(live.begin() + std::ptrdiff_t(k));
        } else {
            live.push_back(next);
            (void)model.allocate(random() % 8 ? EventKind::Alloc : EventKind::WorkspaceAlloc, site(random()), next++, 1 + random() % 100000);
        }
    }
    for (const auto s : live) model.mark(EventKind::Output, site(4), s);
    return model.takeLog();
}

bool same(const Lifetime& a, const Lifetime& b) {
    return a.storage == b.storage && a.role == b.role && a.birth == b.birth && a.death == b.death && a.exact == b.exact && a.charged == b.charged &&
           a.address == b.address && a.origin.node == b.origin.node && a.origin.body == b.origin.body && a.last.node == b.last.node;
}

bool same(const std::vector<Lifetime>& a, const std::vector<Lifetime>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Lifetime& x, const Lifetime& y) { return same(x, y); });
}

bool same(const std::vector<CurveBucket>& a, const std::vector<CurveBucket>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const CurveBucket& x, const CurveBucket& y) {
        return x.seq == y.seq && x.events == y.events && x.minLive == y.minLive && x.maxLive == y.maxLive;
    });
}

}  // namespace

class TestMemoryRows : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void runsNameTheirPeak();
    void curvesAgree_data();
    void curvesAgree();
    void liveSetsAgree();
    void lifetimesAgree();
    void holdersAgree();
    void eventsReadBack();
    void peaksWithoutAgree();
    void differencesAgree();
    void totalsPassTheAudit();
    void questionsOfTheSpecificationRun();
    void panelsNeverScanEvents();
    void aLogOfNothingIsARunOfNothing();

private:
    std::int64_t addRun(int stage, const EventLog& log);
    std::int64_t number(const std::string& sql) const;

    QTemporaryDir folder_;
    std::string path_;
    std::shared_ptr<Recording> recording_;
    EventLog log_ = traffic(30000), other_ = traffic(500, 2), empty_;
    std::unique_ptr<MemoryReport> report_, otherReport_;
    std::int64_t run_ = 0, otherRun_ = 0, emptyRun_ = 0, lane_ = 0;
};

std::int64_t TestMemoryRows::addRun(int stage, const EventLog& log) {
    Database db(path_, Database::Access::Write);
    recording::RowQueue queue;
    recording::TextPool pool(queue, db);
    recording::Transaction transaction(db);
    recording::Statement insert(
        db,
        "INSERT INTO run(stage, kind, device, mode, accounting, state, created) SELECT id, 'predicted', 'cpu', 'observe', 'exact', "
        "'complete', '2026-01-01' FROM stage WHERE idx = ?1 RETURNING id");
    insert.bind(stage);
    insert.step();
    const std::int64_t run = insert.integer(0);
    insert.reset();
    recording::writeMemory(db, pool, run, log);
    transaction.commit();
    return run;
}

void TestMemoryRows::initTestCase() {
    path_ = folder_.filePath("s.aliascope").toStdString();
    test::recordSample(path_);
    run_ = addRun(1, log_);
    otherRun_ = addRun(2, other_);
    emptyRun_ = addRun(3, empty_);
    auto opened = Recording::open(path_);
    QVERIFY2(opened, qPrintable(opened ? QString() : QString::fromStdString(opened.error().format())));
    recording_ = *opened;
    lane_ = recording_->lanes().front().id;
    report_ = std::make_unique<MemoryReport>(log_);
    otherReport_ = std::make_unique<MemoryReport>(other_);
}

std::int64_t TestMemoryRows::number(const std::string& sql) const {
    const auto result = recording_->query(sql);
    if (!result || result->rows.empty() || !result->rows[0][0]) return -999;
    return std::stoll(*result->rows[0][0]);
}

void TestMemoryRows::runsNameTheirPeak() {
    const auto runs = recording_->memoryRuns(lane_);
    QCOMPARE(runs.size(), std::size_t(3));
    QCOMPARE(qint64(runs[0].peakExact), qint64(log_.peakExact));
    QCOMPARE(qint64(runs[0].peakCharged), qint64(log_.peakCharged));
    QCOMPARE(qint64(*runs[0].peakSeq), qint64(log_.peakSeq));
    QCOMPARE(qint64(runs[0].events), qint64(log_.events.size()));
    const Graph graph = test::sampleDocument().units.front().graph.clone();
    QCOMPARE(runs[0].at, std::string(graph[log_.events[std::size_t(log_.peakSeq)].site.node].name.view()));
    QCOMPARE(recording_->memoryRuns(lane_, 2).size(), std::size_t(1));
    QCOMPARE(recording_->memoryRuns(lane_, 5).size(), std::size_t(0));
}

void TestMemoryRows::curvesAgree_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    QTest::addColumn<int>("buckets");
    QTest::newRow("all, coarse") << 0 << -1 << 5;
    QTest::newRow("all") << 0 << -1 << 100;
    QTest::newRow("all, fine") << 0 << -1 << 2000;
    QTest::newRow("part") << 4000 << 20001 << 33;
    QTest::newRow("single events") << 4000 << 4100 << 200;
    QTest::newRow("nothing") << 50 << 50 << 10;
    QTest::newRow("beyond the end") << 1000000 << 2000000 << 10;
}

void TestMemoryRows::curvesAgree() {
    QFETCH(int, from);
    QFETCH(int, to);
    QFETCH(int, buckets);
    for (const Accounting a : {Accounting::Exact, Accounting::Charged}) {
        const auto curve = report_->curve(from, to, buckets, a);
        QVERIFY(same(recording_->memoryCurve(run_, from, to, buckets, a), curve));
        QVERIFY(int(curve.size()) <= buckets + 1);
        for (const CurveBucket& bucket : curve) {  // against a scan of the events
            std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
            for (std::int64_t i = bucket.seq; i < bucket.seq + bucket.events; ++i) {
                const Event& e = log_.events[std::size_t(i)];
                low = std::min(low, a == Accounting::Exact ? e.liveExact : e.liveCharged);
                high = std::max(high, a == Accounting::Exact ? e.liveExact : e.liveCharged);
            }
            QCOMPARE(qint64(bucket.minLive), qint64(low));
            QCOMPARE(qint64(bucket.maxLive), qint64(high));
        }
    }
}

void TestMemoryRows::liveSetsAgree() {
    for (std::int64_t seq = 0; seq < std::int64_t(log_.events.size()); seq += 997) {
        const auto live = report_->liveAt(seq);
        std::int64_t bytes = 0;
        for (const Lifetime& life : live) bytes += life.exact;
        QCOMPARE(qint64(bytes), qint64(log_.events[std::size_t(seq)].liveExact));
        QVERIFY(same(recording_->memoryLiveAt(run_, seq), live));
    }
    QVERIFY(same(recording_->memoryLiveAt(run_, log_.peakSeq), report_->liveAt(log_.peakSeq)));
}

void TestMemoryRows::lifetimesAgree() {
    QVERIFY(same(recording_->memoryLifetimes(run_, 1 << 20), report_->lifetimes()));
    QVERIFY(same(recording_->memoryLifetimes(run_, 50), report_->largest(50)));
}

void TestMemoryRows::holdersAgree() {
    const auto graph = recording_->snapshot(lane_, 1);
    for (const HolderKey by : {HolderKey::Node, HolderKey::Op, HolderKey::Storage}) {
        const auto key = [&](const Lifetime& life) -> std::string {
            if (by == HolderKey::Storage) return std::to_string(life.storage);
            for (const NodeRowPtr& n : graph->nodes)
                if (n->uid == life.origin.node.value) return by == HolderKey::Node ? n->name : n->op;
            return {};
        };
        const auto want = groupHeld(report_->liveAt(log_.peakSeq), key);
        const auto have = recording_->memoryHolders(run_, by);
        QCOMPARE(have.size(), want.size());
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < have.size(); ++i) {
            QCOMPARE(have[i].key, want[i].key);
            QCOMPARE(qint64(have[i].exact), qint64(want[i].exact));
            bytes += have[i].exact;
        }
        QCOMPARE(qint64(bytes), qint64(log_.peakExact));
    }
    const auto sources = recording_->memoryHolders(run_, HolderKey::Source);
    QVERIFY(std::any_of(sources.begin(), sources.end(), [](const Held& h) { return h.key.ends_with("model{1}.py:12"); }));
    const auto dtypes = recording_->memoryHolders(run_, HolderKey::Dtype);
    QVERIFY(std::any_of(dtypes.begin(), dtypes.end(), [](const Held& h) { return h.key == "f32"; }));
}

void TestMemoryRows::eventsReadBack() {
    const auto events = recording_->memoryEvents(run_, 100, 500);
    QCOMPARE(events.size(), std::size_t(500));
    const auto paths = recording_->memoryCallPaths();
    for (std::size_t i = 0; i < events.size(); ++i) {
        QVERIFY(events[i] == log_.events[100 + i]);
        QCOMPARE(qint64(events[i].time), qint64(log_.events[100 + i].time));
        QCOMPARE(paths[events[i].site.callPath], log_.callPaths[log_.events[100 + i].site.callPath]);
    }
    const Site site = log_.events[200].site;
    const std::int64_t at = recording_->memorySeqOf(run_, site.node.value);
    QVERIFY(at >= 0 && log_.events[std::size_t(at)].site.node == site.node);
}

void TestMemoryRows::peaksWithoutAgree() {
    for (const Held& h : recording_->memoryHolders(run_, HolderKey::Storage)) {
        const auto storage = static_cast<memory::StorageId>(std::stoul(h.key));
        QVERIFY(recording_->memoryPeakWithout(run_, storage) == report_->peakWithout(storage));
    }
}

void TestMemoryRows::differencesAgree() {
    const PeakDifference want = comparePeaks(report_->peakView(), otherReport_->peakView());
    const PeakDifference have = recording_->memoryDifference(run_, otherRun_);
    QCOMPARE(qint64(have.peakA), qint64(log_.peakExact));
    QCOMPARE(qint64(have.peakB), qint64(other_.peakExact));
    QCOMPARE(have.rows.size(), want.rows.size());
    QVERIFY(!have.rows.empty());
    std::int64_t delta = 0;
    for (std::size_t i = 0; i < have.rows.size(); ++i) {
        const DifferenceRow& row = have.rows[i];
        QVERIFY(row.kind == want.rows[i].kind && row.a == want.rows[i].a && row.b == want.rows[i].b && row.callPath == want.rows[i].callPath);
        if (row.kind == DifferenceKind::OnlyA || row.kind == DifferenceKind::Longer) delta += row.bytesA;
        if (row.kind == DifferenceKind::OnlyB || row.kind == DifferenceKind::Shorter) delta -= row.bytesB;
        if (row.kind == DifferenceKind::Bytes) delta += row.bytesA - row.bytesB;
    }
    QCOMPARE(qint64(delta), qint64(have.peakA - have.peakB));  // the rows explain the whole difference
    QCOMPARE(recording_->memoryDifference(run_, run_).rows.size(), std::size_t(0));
}

void TestMemoryRows::totalsPassTheAudit() {
    QCOMPARE(
        number(
            "SELECT count(*) FROM (SELECT live_exact, live_charged, sum(CASE WHEN kind IN ('alloc','workspace_alloc','slack') THEN bytes_exact WHEN "
            "kind IN ('free','workspace_free') THEN -bytes_exact ELSE 0 END) OVER w AS exact, sum(CASE WHEN kind IN "
            "('alloc','workspace_alloc','slack') THEN bytes_charged WHEN kind IN ('free','workspace_free') THEN -bytes_charged ELSE 0 END) OVER w AS "
            "charged FROM mem_event WINDOW w AS (PARTITION BY run ORDER BY seq)) WHERE exact <> live_exact OR charged <> live_charged"),
        0);
    QCOMPARE(number("SELECT count(*) FROM run r WHERE peak_exact <> coalesce((SELECT max(live_exact) FROM mem_event e WHERE e.run = r.id), 0)"), 0);
    QCOMPARE(number("SELECT count(*) FROM mem_level a WHERE max_live <> (SELECT max(live_exact) FROM mem_event e WHERE e.run = a.run AND e.seq >> (6 "
                    "* a.level) "
                    "= a.bucket)"),
             0);
}

void TestMemoryRows::questionsOfTheSpecificationRun() {
    // 8: who holds the peak; 9: live after event 20000.
    QCOMPARE(number("SELECT sum(bytes_exact) FROM v_holder WHERE run = 1"), log_.peakExact);
    QCOMPARE(
        number("SELECT sum(m.bytes_exact) FROM mem_storage m WHERE m.run=1 AND m.death>20000 AND m.storage IN (SELECT storage FROM mem_live WHERE "
               "run=1 AND "
               "seq=20000/4096*4096 UNION SELECT storage FROM mem_event WHERE run=1 AND seq>20000/4096*4096 AND seq<=20000 AND storage NOT NULL)"),
        log_.events[20000].liveExact);
    QCOMPARE(number("SELECT peak_exact FROM v_peak WHERE run = 1 AND at_uid NOT NULL"), log_.peakExact);
}

void TestMemoryRows::panelsNeverScanEvents() {
    for (const char* sql : {"SELECT * FROM v_peak WHERE run = 1", "SELECT module, sum(bytes_exact) FROM v_holder WHERE run = 1 GROUP BY module",
                            "SELECT bucket, min_live, max_live FROM mem_level WHERE run = 1 AND level = 1 AND bucket >= 2 AND bucket < 9"}) {
        const auto plan = recording_->query(std::string("EXPLAIN QUERY PLAN ") + sql);
        QVERIFY(plan);
        for (const auto& row : plan->rows) {
            const QString step = QString::fromStdString(row.back().value_or(""));
            QVERIFY2(!step.startsWith("SCAN") || step.startsWith("SCAN r"), qPrintable(step));
        }
    }
}

void TestMemoryRows::aLogOfNothingIsARunOfNothing() {
    QCOMPARE(qint64(recording_->memoryRuns(lane_, 3).front().events), qint64(0));
    QVERIFY(!recording_->memoryRuns(lane_, 3).front().peakSeq);
    QVERIFY(recording_->memoryCurve(emptyRun_).empty());
    QVERIFY(recording_->memoryLiveAt(emptyRun_, 0).empty());
    QVERIFY(recording_->memoryHolders(emptyRun_, HolderKey::Node).empty());
    QVERIFY(recording_->memoryLiveAt(4711, 0).empty());
    QVERIFY(!recording_->fault());
}

QTEST_APPLESS_MAIN(TestMemoryRows)
#include "tst_memory_rows.moc"
