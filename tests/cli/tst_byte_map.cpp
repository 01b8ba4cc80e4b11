// The text byte map: exact coverage of strided regions. And the amounts and log lines that options take.

#include <QTest>

#include "app/cli/decision_view.h"
#include "core/exec/reinplace_log.h"
#include "core/report/byte_map.h"

using namespace aliascope;
using namespace aliascope::cli;
using namespace aliascope::report;

class TestByteMap : public QObject {
    Q_OBJECT

private slots:
    void draws_data() {
        QTest::addColumn<QList<int>>("sizes");
        QTest::addColumn<QList<int>>("strides");
        QTest::addColumn<int>("offset");
        QTest::addColumn<QString>("want");  // 16 elements of 4 bytes in 8 or 16 characters
        QTest::newRow("whole") << QList<int>{4, 4} << QList<int>{4, 1} << 0 << "################";
        QTest::newRow("row") << QList<int>{4} << QList<int>{1} << 4 << "....####........";
        QTest::newRow("column") << QList<int>{4} << QList<int>{4} << 1 << ".#...#...#...#..";
        QTest::newRow("transposed") << QList<int>{4, 4} << QList<int>{1, 4} << 0 << "################";
        QTest::newRow("block") << QList<int>{2, 2} << QList<int>{4, 1} << 5 << ".....##..##.....";
        QTest::newRow("every second, half the width") << QList<int>{8} << QList<int>{2} << 0 << "++++++++";
        QTest::newRow("empty") << QList<int>{0, 4} << QList<int>{4, 1} << 0 << "................";
        QTest::newRow("scalar") << QList<int>{} << QList<int>{} << 15 << "...............#";
        QTest::newRow("expanded") << QList<int>{3, 4} << QList<int>{0, 1} << 0 << "%%%%............";
    }
    void draws() {
        QFETCH(QList<int>, sizes);
        QFETCH(QList<int>, strides);
        QFETCH(int, offset);
        QFETCH(QString, want);
        Region region;
        region.sizes.assign(sizes.begin(), sizes.end());
        region.strides.assign(strides.begin(), strides.end());
        region.offset = offset;
        region.itemSize = 4;
        QCOMPARE(QString::fromStdString(drawRegion(region, 64, static_cast<std::size_t>(want.size()))), want);
    }

    void agreesWithCounting() {
        for (int s0 = 1; s0 < 5; ++s0)
            for (int s1 = 1; s1 < 5; ++s1)
                for (int t0 = 1; t0 < 9; ++t0)
                    for (int t1 = 1; t1 < 5; ++t1) {
                        const Region region{{s0, s1}, {t0, t1}, 2, 1};
                        std::string want(64, '.');
                        for (int i = 0; i < s0; ++i)
                            for (int j = 0; j < s1; ++j) want[static_cast<std::size_t>(2 + i * t0 + j * t1)] = '#';
                        QCOMPARE(drawRegion(region, 64, 64), want);
                        QCOMPARE(region.firstByte(), std::int64_t(2));
                        QCOMPARE(region.endByte(), std::int64_t(want.rfind('#') + 1));
                    }
    }

    void manyRunsAreDrawnAsPartlyCovered() {
        const Region region{{2000, 2000}, {4000, 2}, 0, 1};
        const std::string map = drawRegion(region, 8'000'000, 64);
        QCOMPARE(map, std::string(64, '+'));
    }

    void amounts() {
        QCOMPARE(parseAmount("4096"), std::optional<std::int64_t>(4096));
        QCOMPARE(parseAmount("1MiB"), std::optional<std::int64_t>(1 << 20));
        QCOMPARE(parseAmount("16 KiB"), std::optional<std::int64_t>(16384));
        QCOMPARE(parseAmount("1.5K"), std::optional<std::int64_t>(1536));
        for (const char* bad : {"", "x", "-1", "1 parsec", "1e300", "1KiBs"}) QVERIFY2(!parseAmount(bad), bad);
    }

    void logLines() {
        const auto v1 = parseLogLine(
            "V0101 12:00:00 reinplace.py:1] [0/0] For node auto_functionalized, attempted to reinplace ['x', 'y']. We were unable to reinplace "
            "['y']; "
            "['y'] (if non-empty) are possible missed reinplacing opportunities that may be bad for memory usage and performance. Total size of "
            "missed "
            "opportunities with static shapes is : 96 bytes.");
        QVERIFY(v1.has_value());
        QCOMPARE(v1->node, std::string("auto_functionalized"));
        QCOMPARE(v1->tried, (std::vector<std::string>{"x", "y"}));
        QCOMPARE(v1->cloned, std::vector<std::string>{"y"});
        QCOMPARE(v1->missed, std::vector<std::string>{"y"});
        QCOMPARE(v1->bytes, std::optional<std::int64_t>(96));
        const auto v2 = parseLogLine(
            "For node auto_functionalized_v2_1, attempted to reinplace range(0, 2). We were unable to reinplace []; [] (if non-empty) is : 0 bytes");
        QVERIFY(v2.has_value());
        QCOMPARE(v2->tried, (std::vector<std::string>{"0", "1"}));
        QVERIFY(v2->cloned.empty());
        for (const char* bad : {"", "For node x", "For node x, attempted to reinplace [",
                                "For node x, attempted to reinplace range(0, 99999999999). We were unable to reinplace []; []"})
            QVERIFY2(!parseLogLine(bad), bad);
    }
};

QTEST_APPLESS_MAIN(TestByteMap)
#include "tst_byte_map.moc"
