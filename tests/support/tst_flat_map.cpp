// FlatMap against std::unordered_map: what it holds after long runs of insertions and erasures, and that erasing leaves no gaps in a chain.

#include <random>
#include <string>
#include <unordered_map>

#include <QTest>

#include "core/support/flat_map.h"
#include "core/support/name.h"

using namespace aliascope;

namespace {

/// Every key has the same hash, so that all entries share one chain.
struct Colliding {
    std::size_t operator()(int) const { return 7; }
};

}  // namespace

class FlatMapTest : public QObject {
    Q_OBJECT

private slots:
    void findsWhatWasInserted() {
        FlatMap<Name, int> map;
        QVERIFY(!map.find("add"_n));
        map["add"_n] = 1;
        QCOMPARE(*map.find("add"_n), 1);
        QCOMPARE(map.insert("add"_n).second, false);
        QCOMPARE(map.insert("mul"_n).second, true);
        QCOMPARE(map.size(), std::size_t(2));
    }

    void erasingKeepsTheRestOfTheChain() {
        FlatMap<int, std::string, Colliding> map;
        for (int i = 0; i < 50; ++i) map[i] = std::to_string(i);
        for (int i = 0; i < 50; i += 3) map.erase(i);
        map.erase(1000);
        for (int i = 0; i < 50; ++i) {
            const std::string* value = map.find(i);
            QCOMPARE(value != nullptr, i % 3 != 0);
            if (value) QCOMPARE(*value, std::to_string(i));
        }
    }

    void agreesWithTheStandardMap() {
        std::mt19937 random(11);
        FlatMap<std::uint32_t, std::uint32_t> map;
        std::unordered_map<std::uint32_t, std::uint32_t> expected;
        for (int step = 0; step < 200'000; ++step) {
            const std::uint32_t key = random() % 3000, what = random() % 3;
            if (what == 0) {
                map.erase(key);
                expected.erase(key);
            } else {
                map[key] = expected[key] = random();
            }
        }
        QCOMPARE(map.size(), expected.size());
        for (std::uint32_t key = 0; key < 3000; ++key) {
            const auto it = expected.find(key);
            const std::uint32_t* value = map.find(key);
            QCOMPARE(value != nullptr, it != expected.end());
            if (value) QCOMPARE(*value, it->second);
        }
    }
};

QTEST_APPLESS_MAIN(FlatMapTest)
#include "tst_flat_map.moc"
