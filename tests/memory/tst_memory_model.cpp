// The two accountings: every figure of the table in executor.md 4.1, as PyTorch's allocator shows it.

#include <QtTest>
#include <map>
#include <random>

#include "core/memory/memory_model.h"

using namespace aliascope;
using namespace aliascope::memory;

namespace {

constexpr std::int64_t KiB = 1024, MiB = 1024 * KiB;

Site at(std::uint32_t node) { return {0, NodeId(node), 0}; }

/// A model whose storages count up by themselves.
struct Device {
    explicit Device(const CachingOptions& options = {}) : model(options) {}

    memory::StorageId take(std::int64_t bytes) {
        const auto status = model.allocate(EventKind::Alloc, at(next), next, bytes);
        return status ? next++ : kNoStorage;
    }
    void give(memory::StorageId s) { model.release(at(s), s); }
    const Event& last() const { return model.log().events.back(); }
    std::int64_t charged(std::int64_t bytes) {
        take(bytes);
        return last().charged;
    }
    /// `alloc 512@0 free …`: kinds with charged bytes and addresses.
    std::string story() const {
        std::string out;
        for (const Event& e : model.log().events)
            out += (out.empty() ? "" : " ") + std::string(toString(e.kind)) + ":" + std::to_string(e.charged) + "@" + std::to_string(e.address);
        return out;
    }

    MemoryModel model;
    memory::StorageId next = 0;
};

}  // namespace

class TestMemoryModel : public QObject {
    Q_OBJECT

private slots:
    void rounding_data();
    void rounding();
    void segmentsByRequest_data();
    void segmentsByRequest();
    void wholeBlockIsChargedWhenTheRestIsSmall_data();
    void wholeBlockIsChargedWhenTheRestIsSmall();
    void smallestFreeBlockThatFitsThenLowestAddress();
    void freedNeighboursMerge();
    void segmentsAreKept();
    void capacityGivesBackCachedSegmentsFirst();
    void outOfMemorySaysHowMuch();
    void maxSplitSizeKeepsLargeBlocksWhole();
    void roundupPower2();
    void expandableSegmentsGrow();
    void borrowedMemoryIsCountedApart();
    void emptyStoragesHaveNoEvents();
    void workspaceReuseAndMarks();
    void peaks();
    void hostileSizesDoNotOverflow();
    void totalsAreSumsOfEvents_data();
    void totalsAreSumsOfEvents();
};

void TestMemoryModel::rounding_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("charged");
    QTest::newRow("1") << qint64(1) << qint64(512);
    QTest::newRow("512") << qint64(512) << qint64(512);
    QTest::newRow("513") << qint64(513) << qint64(1024);
    QTest::newRow("1 MiB") << qint64(MiB) << qint64(MiB);
    QTest::newRow("3 MiB + 1") << qint64(3 * MiB + 1) << qint64(3 * MiB + 512);
}

void TestMemoryModel::rounding() {
    QFETCH(qint64, bytes);
    QFETCH(qint64, charged);
    Device d;
    QCOMPARE(qint64(d.charged(bytes)), charged);
    QCOMPARE(qint64(d.last().exact), bytes);
}

void TestMemoryModel::segmentsByRequest_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("reserved");
    QTest::newRow("small") << qint64(1) << qint64(2 * MiB);
    QTest::newRow("largest small") << qint64(MiB) << qint64(2 * MiB);
    QTest::newRow("smallest large") << qint64(MiB + 1) << qint64(20 * MiB);
    QTest::newRow("below 10 MiB") << qint64(10 * MiB - 512) << qint64(20 * MiB);
    QTest::newRow("10 MiB") << qint64(10 * MiB) << qint64(10 * MiB);
    QTest::newRow("10 MiB + 1") << qint64(10 * MiB + 1) << qint64(12 * MiB);
    QTest::newRow("33 MiB + 7") << qint64(33 * MiB + 7) << qint64(34 * MiB);
}

void TestMemoryModel::segmentsByRequest() {
    QFETCH(qint64, bytes);
    QFETCH(qint64, reserved);
    Device d;
    d.take(bytes);
    QCOMPARE(qint64(d.last().reserved), reserved);
    QVERIFY(d.model.log().events.front().kind == EventKind::SegmentAlloc);
    QCOMPARE(qint64(d.model.log().events.front().charged), reserved);
}

void TestMemoryModel::wholeBlockIsChargedWhenTheRestIsSmall_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("charged");
    QTest::newRow("23.5 MiB") << qint64(47 * MiB / 2) << qint64(24 * MiB);
    QTest::newRow("22 MiB") << qint64(22 * MiB) << qint64(22 * MiB);
    QTest::newRow("33 MiB + 7") << qint64(33 * MiB + 7) << qint64(34 * MiB);
}

void TestMemoryModel::wholeBlockIsChargedWhenTheRestIsSmall() {
    QFETCH(qint64, bytes);
    QFETCH(qint64, charged);
    Device d;
    QCOMPARE(qint64(d.charged(bytes)), charged);
}

void TestMemoryModel::smallestFreeBlockThatFitsThenLowestAddress() {
    Device d;
    std::vector<memory::StorageId> s;
    for (const std::int64_t n : {4, 1, 2, 1, 2, 1, 8}) s.push_back(d.take(n * 512));
    d.give(s[0]);  // 2048 at 0
    d.give(s[2]);  // 1024 at 2560
    d.give(s[4]);  // 1024 at 4096
    d.take(600);
    QCOMPARE(qint64(d.last().address), qint64(2560));
    d.take(600);
    QCOMPARE(qint64(d.last().address), qint64(4096));
    d.take(600);
    QCOMPARE(qint64(d.last().address), qint64(0));
    d.take(1024);
    QCOMPARE(qint64(d.last().address), qint64(1024));
}

void TestMemoryModel::freedNeighboursMerge() {
    Device d;
    const auto a = d.take(512), b = d.take(512), c = d.take(512);
    d.take(512);
    d.give(a);
    d.give(c);
    d.give(b);
    d.take(1536);
    QCOMPARE(qint64(d.last().address), qint64(0));
    QCOMPARE(qint64(d.last().reserved), qint64(2 * MiB));
}

void TestMemoryModel::segmentsAreKept() {
    Device d;
    d.give(d.take(30 * MiB));
    QCOMPARE(qint64(d.last().reserved), qint64(30 * MiB));
    QCOMPARE(qint64(d.last().liveCharged), qint64(0));
    QCOMPARE(qint64(d.charged(28 * MiB)), qint64(28 * MiB));  // 2 MiB are left over: split
    QCOMPARE(qint64(d.last().reserved), qint64(30 * MiB));
}

void TestMemoryModel::capacityGivesBackCachedSegmentsFirst() {
    Device d({.capacity = 100 * MiB});
    d.give(d.take(60 * MiB));
    d.take(80 * MiB);
    QCOMPARE(d.story(), std::string("segment_alloc:62914560@0 alloc:62914560@0 free:62914560@0 segment_free:62914560@0 "
                                    "segment_alloc:83886080@62914560 alloc:83886080@62914560"));
}

void TestMemoryModel::outOfMemorySaysHowMuch() {
    Device d({.capacity = 100 * MiB});
    d.take(60 * MiB);
    const auto status = d.model.allocate(EventKind::Alloc, at(7), 7, 50 * MiB);
    QVERIFY(!status);
    QCOMPARE(status.error().code, std::string("OUT_OF_MEMORY"));
    QCOMPARE(status.error().params, (Params{{"bytes", "52428800"}, {"live", "62914560"}, {"free", "41943040"}}));
    QCOMPARE(d.model.log().events.size(), std::size_t(2));
}

void TestMemoryModel::maxSplitSizeKeepsLargeBlocksWhole() {
    Device d({.maxSplitSize = 32 * MiB});
    d.give(d.take(64 * MiB));
    d.take(16 * MiB);  // may not take from the block of 64
    QCOMPARE(qint64(d.last().reserved), qint64(80 * MiB));
    QCOMPARE(qint64(d.charged(50 * MiB)), qint64(64 * MiB));  // within 20 MiB: the whole block
}

void TestMemoryModel::roundupPower2() {
    Device d({.roundupPower2Divisions = 4});
    QCOMPARE(qint64(d.charged(1200)), qint64(1536));              // at most 4 * 512: as ever
    QCOMPARE(qint64(d.charged(1200 * KiB)), qint64(1280 * KiB));  // between 1024 and 2048 KiB in steps of 256 KiB
    QCOMPARE(qint64(d.charged(2048 * KiB)), qint64(2048 * KiB));
}

void TestMemoryModel::expandableSegmentsGrow() {
    Device d({.expandableSegments = true});
    const auto a = d.take(23 * MiB);
    QCOMPARE(qint64(d.last().charged), qint64(23 * MiB));
    QCOMPARE(qint64(d.last().reserved), qint64(40 * MiB));
    d.take(30 * MiB);
    QCOMPARE(qint64(d.last().reserved), qint64(60 * MiB));
    QCOMPARE(qint64(d.last().address - d.model.log().events[0].address), qint64(23 * MiB));
    d.give(a);
    d.take(2 * MiB);  // the hole goes before the end, which could grow
    QCOMPARE(qint64(d.last().address), qint64(d.model.log().events[0].address));
    QCOMPARE(qint64(d.last().reserved), qint64(60 * MiB));
}

void TestMemoryModel::borrowedMemoryIsCountedApart() {
    Device d;
    d.model.borrow(EventKind::Input, at(0), 0, 4096);
    d.model.borrow(EventKind::Constant, at(1), 1, 100);
    d.model.release(at(2), 0);
    QCOMPARE(d.story(), std::string("input:4096@-1 constant:512@-1"));
    QCOMPARE(qint64(d.last().liveExact), qint64(0));
}

void TestMemoryModel::emptyStoragesHaveNoEvents() {
    Device d;
    QVERIFY(d.model.allocate(EventKind::Alloc, at(0), 0, 0));
    d.model.borrow(EventKind::Input, at(0), 1, 0);
    d.model.mark(EventKind::Output, at(1), 0);
    d.model.reuse(at(1), 0);
    d.model.release(at(1), 0);
    d.model.release(at(1), 99);
    QVERIFY(d.model.log().events.empty());
}

void TestMemoryModel::workspaceReuseAndMarks() {
    Device d;
    QVERIFY(d.model.allocate(EventKind::WorkspaceAlloc, at(0), 0, 100));
    d.model.release(at(0), 0);
    const auto s = d.next = 1;
    d.take(512);
    d.model.reuse(at(2), s);
    d.model.mark(EventKind::Enter, at(3), kNoStorage);
    d.model.mark(EventKind::Output, at(4), s);
    QCOMPARE(d.story(),
             std::string("segment_alloc:2097152@0 workspace_alloc:512@0 workspace_free:512@0 alloc:512@0 reuse:512@0 enter:0@-1 output:512@0"));
    QCOMPARE(d.last().tenant, 1u);
    QCOMPARE(qint64(d.last().liveExact), qint64(512));
    QCOMPARE(d.model.callPath("body#0"), 1u);
    QCOMPARE(d.model.callPath("body#0"), 1u);
    QCOMPARE(d.model.callPath(""), 0u);
}

void TestMemoryModel::peaks() {
    Device d;
    const auto a = d.take(100);
    d.take(200);
    d.give(a);
    d.take(100);  // as high as before: the first time counts
    d.take(600);
    const EventLog log = d.model.takeLog();
    QCOMPARE(qint64(log.peakExact), qint64(900));
    QCOMPARE(qint64(log.peakCharged), qint64(512 * 4));
    QCOMPARE(qint64(log.peakSeq), qint64(log.events.size() - 1));
    QVERIFY(d.model.log().events.empty());
}

void TestMemoryModel::hostileSizesDoNotOverflow() {
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    for (const CachingOptions& options :
         {CachingOptions{}, CachingOptions{.roundupPower2Divisions = 8}, CachingOptions{.expandableSegments = true}}) {
        Device d(options);
        QVERIFY(!d.model.allocate(EventKind::Alloc, at(0), 0, huge));
        for (int i = 0; i < 40; ++i) d.take(std::int64_t{1} << 51);
        QVERIFY(d.model.log().peakExact <= std::int64_t{1} << 55);
        QVERIFY(d.model.log().peakExact >= std::int64_t{1} << 54);
        d.model.borrow(EventKind::Input, at(0), 99, huge);
        QVERIFY(d.last().charged > 0);
    }
}

void TestMemoryModel::totalsAreSumsOfEvents_data() {
    QTest::addColumn<qint64>("maxSplit");
    QTest::addColumn<int>("divisions");
    QTest::addColumn<bool>("expandable");
    QTest::addColumn<qint64>("capacity");
    QTest::newRow("default") << qint64(0) << 0 << false << qint64(0);
    QTest::newRow("tight") << qint64(0) << 0 << false << qint64(700 * MiB);
    QTest::newRow("max split") << qint64(20 * MiB) << 0 << false << qint64(600 * MiB);
    QTest::newRow("power of two") << qint64(0) << 8 << false << qint64(0);
    QTest::newRow("expandable") << qint64(0) << 0 << true << qint64(600 * MiB);
}

/// Random traffic: totals add up, live blocks never overlap, every block lies in memory that was reserved.
void TestMemoryModel::totalsAreSumsOfEvents() {
    QFETCH(qint64, maxSplit);
    QFETCH(int, divisions);
    QFETCH(bool, expandable);
    QFETCH(qint64, capacity);
    Device d({maxSplit, divisions, expandable, capacity});
    std::mt19937 random(7);
    std::vector<memory::StorageId> live;
    for (int i = 0; i < 20000; ++i) {
        if (live.size() > 40 || (!live.empty() && random() % 2)) {
            const std::size_t k = random() % live.size();
            d.give(live[k]);
            live[k] = live.back();
            live.pop_back();
        } else if (const auto s = d.take(std::int64_t{1} << (random() % 25) | random() % 4000); s != kNoStorage) {
            live.push_back(s);
        } else {
            ++d.next;
        }
    }
    std::int64_t exact = 0, charged = 0, reserved = 0;
    std::map<std::int64_t, std::int64_t> blocks;  // address -> end
    for (const Event& e : d.model.log().events) {
        if (e.kind == EventKind::Alloc) {
            exact += e.exact, charged += e.charged;
            QVERIFY(e.charged >= e.exact);
            const auto after = blocks.lower_bound(e.address);
            QVERIFY(after == blocks.end() || after->first >= e.address + e.charged);
            QVERIFY(after == blocks.begin() || std::prev(after)->second <= e.address);
            blocks[e.address] = e.address + e.charged;
        } else if (e.kind == EventKind::Free) {
            exact -= e.exact, charged -= e.charged;
            QCOMPARE(blocks.erase(e.address), std::size_t(1));
        } else {
            reserved += e.kind == EventKind::SegmentAlloc ? e.charged : -e.charged;
        }
        QCOMPARE(qint64(e.liveExact), qint64(exact));
        QCOMPARE(qint64(e.liveCharged), qint64(charged));
        QCOMPARE(qint64(e.reserved), qint64(reserved));
        QVERIFY(reserved >= charged && (capacity == 0 || reserved <= capacity));
    }
    QVERIFY(d.model.log().events.size() > 15000);
}

QTEST_APPLESS_MAIN(TestMemoryModel)
#include "tst_memory_model.moc"
