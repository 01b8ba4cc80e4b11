// Line diffs: correct, shortest, and as `patch` reads them.

#include <QTest>
#include <random>

#include "core/support/line_diff.h"

using namespace aliascope;

namespace {

std::string randomText(std::mt19937& random, int lines, int letters) {
    std::string out;
    for (int i = 0; i < lines; ++i) (out += static_cast<char>('a' + random() % static_cast<unsigned>(letters))) += '\n';
    return out;
}

std::size_t longestCommon(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::vector<std::vector<std::size_t>> l(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) l[i][j] = a[i - 1] == b[j - 1] ? l[i - 1][j - 1] + 1 : std::max(l[i - 1][j], l[i][j - 1]);
    return l[a.size()][b.size()];
}

}  // namespace

class TestLineDiff : public QObject {
    Q_OBJECT

private slots:
    void shortestAndCorrect() {
        std::mt19937 random(7);
        for (int round = 0; round < 2000; ++round) {
            const std::string x = randomText(random, static_cast<int>(random() % 30), 1 + static_cast<int>(random() % 6));
            const std::string y = randomText(random, static_cast<int>(random() % 30), 1 + static_cast<int>(random() % 6));
            const auto a = splitLines(x), b = splitLines(y);
            std::size_t i = 0, j = 0, same = 0;
            for (const DiffRun& run : diffLines(a, b)) {
                QCOMPARE(run.from, i);
                QCOMPARE(run.to, j);
                if (run.kind == DiffRun::Kind::Same) {
                    for (std::size_t k = 0; k < run.count; ++k) QVERIFY(a[i + k] == b[j + k]);
                    same += run.count;
                }
                if (run.kind != DiffRun::Kind::Added) i += run.count;
                if (run.kind != DiffRun::Kind::Removed) j += run.count;
            }
            QCOMPARE(i, a.size());
            QCOMPARE(j, b.size());
            QCOMPARE(same, longestCommon(a, b));
        }
    }

    void unified() {
        QCOMPARE(unifiedDiff("a\nb\n", "a\nb\n", "x", "y"), std::string());
        QCOMPARE(unifiedDiff("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\ne\nf\n", "x", "y", 1),
                 std::string("--- x\n+++ y\n@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n"));
        QCOMPARE(unifiedDiff("", "a\n", "x", "y"), std::string("--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n"));
    }

    void largeTextsWithFewEqualLines() {
        std::string x, y;
        for (int i = 0; i < 20000; ++i) {
            x += "x" + std::to_string(i) + "\n";
            y += (i % 50 == 0 ? "x" : "y") + std::to_string(i) + "\n";
        }
        const auto a = splitLines(x), b = splitLines(y);
        std::size_t i = 0, j = 0;
        for (const DiffRun& run : diffLines(a, b)) {
            if (run.kind != DiffRun::Kind::Added) i += run.count;
            if (run.kind != DiffRun::Kind::Removed) j += run.count;
        }
        QCOMPARE(i, a.size());
        QCOMPARE(j, b.size());
    }
};

QTEST_APPLESS_MAIN(TestLineDiff)
#include "tst_line_diff.moc"
