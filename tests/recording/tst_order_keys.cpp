#include <QtTest>
#include <algorithm>
#include <set>

#include "core/recording/order_keys.h"

using aliascope::recording::orderKeys;
using Old = std::vector<std::optional<std::int64_t>>;

class TestOrderKeys : public QObject {
    Q_OBJECT

private slots:
    void freshKeysAscend() {
        const auto keys = orderKeys(Old(5));
        QVERIFY(std::is_sorted(keys.begin(), keys.end()));
        QCOMPARE(std::set<std::int64_t>(keys.begin(), keys.end()).size(), std::size_t(5));
        QVERIFY(orderKeys({}).empty());
    }

    void insertionsLeaveNeighboursAlone() {
        const auto keys = orderKeys({std::nullopt, 10, std::nullopt, std::nullopt, 40, std::nullopt});
        QCOMPARE(keys[1], std::int64_t(10));
        QCOMPARE(keys[4], std::int64_t(40));
        QCOMPARE(keys[2], std::int64_t(20));
        QCOMPARE(keys[3], std::int64_t(30));
        QVERIFY(keys[0] < 10 && keys[5] > 40);
    }

    void oneMovedElementGetsTheOnlyNewKey() {
        const auto keys = orderKeys({10, 50, 20, 30, 40, 60});
        QCOMPARE(keys, (std::vector<std::int64_t>{10, 15, 20, 30, 40, 60}));
    }

    void withoutRoomAllAreSpreadAgain() {
        const auto keys = orderKeys({1, std::nullopt, 2, 3});
        for (std::size_t i = 1; i < keys.size(); ++i) QVERIFY(keys[i] > keys[i - 1] + 1);
    }

    void thousandInsertionsAtOnePlace() {
        Old old = {std::int64_t(0), std::int64_t(1) << 32};
        int respread = 0;
        for (int i = 0; i < 1000; ++i) {
            old.insert(old.begin() + 1, std::nullopt);
            const auto keys = orderKeys(old);
            QVERIFY(std::adjacent_find(keys.begin(), keys.end(), [](auto a, auto b) { return a >= b; }) == keys.end());
            respread += keys.back() != *old.back();
            old.assign(keys.begin(), keys.end());
        }
        QVERIFY(respread > 0 && respread <= 40);
    }
};

QTEST_APPLESS_MAIN(TestOrderKeys)
#include "tst_order_keys.moc"
