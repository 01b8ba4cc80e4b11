// Regions of a storage as the byte map draws them.

#include <QTest>
#include <numeric>

#include "views/session/alias_rows.h"

using namespace aliascope;

namespace {

Region region(std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides, std::int64_t offset, std::int64_t item) {
    return {std::move(sizes), std::move(strides), offset, item};
}

double total(const std::vector<float>& shares, std::int64_t extent) {
    return std::accumulate(shares.begin(), shares.end(), 0.0) * double(extent) / double(shares.size());
}

}  // namespace

class TestAliasRows : public QObject {
    Q_OBJECT

private slots:
    void aWindowCoversItsBuckets() {
        // 16 KiB at 400 KiB of a 1 MiB storage, as the last layer of a key/value cache.
        const Region window = region({256, 2, 8}, {16, 8, 1}, 102400, 4);
        QCOMPARE(window.begin(), 409600);
        QCOMPARE(window.end(), 425984);
        QVERIFY(window.contiguous());
        const auto shares = coverage(window, 0, 1 << 20, 64);  // buckets of 16 KiB
        for (int i = 0; i < 64; ++i) QCOMPARE(shares[std::size_t(i)], i == 25 ? 1.0f : 0.0f);
    }

    void aColumnIsPartial() {
        const Region column = region({8}, {8}, 3, 4);  // column 3 of f32[8, 8]
        QVERIFY(!column.contiguous());
        QCOMPARE(column.begin(), 12);
        QCOMPARE(column.end(), 4 + 4 * (3 + 7 * 8));
        const auto shares = coverage(column, 0, 256, 8);
        for (float share : shares) QCOMPARE(share, 0.125f);
    }

    void bytesAddUp() {
        const Region block = region({5, 7, 3}, {200, 20, 2}, 11, 2);
        for (int buckets : {1, 7, 64, 900}) QVERIFY(std::abs(total(coverage(block, 0, 2400, buckets), 2400) - 5 * 7 * 3 * 2) < 0.5);
    }

    void strideZeroCountsOnce() {
        const Region row = region({100, 4}, {0, 1}, 0, 4);
        const auto shares = coverage(row, 0, 32, 2);
        QCOMPARE(shares[0], 1.0f);
        QCOMPARE(shares[1], 0.0f);
    }

    void manyElementsAreCheap() {
        const Region large = region({4096, 4096, 64}, {1 << 20, 128, 2}, 0, 4);  // 2^30 elements
        const auto shares = coverage(large, 0, large.end(), 500);
        QVERIFY(std::abs(total(shares, large.end()) / (double(large.elements()) * 4) - 1) < 0.01);
    }

    void overlapsAreExact() {
        const Region k = region({256, 2, 8}, {16, 8, 1}, 98304, 4), v = region({256, 2, 8}, {16, 8, 1}, 102400, 4);
        QCOMPARE(overlapBytes(k, v), std::optional<std::int64_t>(0));
        QCOMPARE(gapBytes(k, v), 0);  // they touch
        const Region upper = region({6, 4}, {4, 1}, 0, 4), lower = region({6, 4}, {4, 1}, 12, 4);
        QCOMPARE(overlapBytes(upper, lower), std::optional<std::int64_t>(3 * 4 * 4));
        QCOMPARE(contains(upper, lower), std::optional<bool>(false));
        // Even and odd columns interleave: their spans meet, their bytes do not.
        const Region even = region({8, 4}, {8, 2}, 0, 4), odd = region({8, 4}, {8, 2}, 1, 4);
        QVERIFY(commonSpan(even, odd) > 0);
        QCOMPARE(overlapBytes(even, odd), std::optional<std::int64_t>(0));
        const Region whole = region({64}, {1}, 0, 4);
        QCOMPARE(overlapBytes(whole, odd), std::optional<std::int64_t>(8 * 4 * 4));
        QCOMPARE(contains(whole, odd), std::optional<bool>(true));
        QVERIFY(overlapsItself(region({100, 4}, {0, 1}, 0, 4)));
        QCOMPARE(overlapBytes(region({100, 4}, {0, 1}, 0, 4), whole), std::optional<std::int64_t>(16));
        QVERIFY(!overlapBytes(region({1 << 20, 2}, {2, 5}, 0, 4), region({1 << 20}, {2}, 1, 4)));  // too many runs to say
    }

    void aByteHasAnIndex() {
        const Region window = region({256, 2, 8}, {16, 8, 1}, 102400, 4);
        QCOMPARE(indexAt(window, 409600), std::optional(std::vector<std::int64_t>{0, 0, 0}));
        QCOMPARE(indexAt(window, 409600 + 4 * (3 * 16 + 8 + 5) + 2), std::optional(std::vector<std::int64_t>{3, 1, 5}));
        QVERIFY(!indexAt(window, 409599));
        QVERIFY(!indexAt(region({8}, {8}, 3, 4), 16));  // between two elements of a column
    }

    void emptyRegionsCoverNothing() {
        const Region none = region({0, 4}, {4, 1}, 5, 4);
        QCOMPARE(none.end(), none.begin());
        for (float share : coverage(none, 0, 100, 10)) QCOMPARE(share, 0.0f);
        QVERIFY(coverage(none, 10, 10, 4).empty());
    }
};

QTEST_MAIN(TestAliasRows)
#include "tst_alias_rows.moc"
