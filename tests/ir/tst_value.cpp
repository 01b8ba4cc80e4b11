// Values: sixteen bytes each, containers shared until the last holder goes.

#include <QTest>

#include "core/ir/value.h"

using namespace aliascope;

class ValueTest : public QObject {
    Q_OBJECT

private slots:
    void holdsOneOfManyKinds() {
        QVERIFY(Value().isNone());
        QCOMPARE(*Value::integer(-3).asInt(), std::int64_t(-3));
        QCOMPARE(*Value::real(0.5).asNumber(), 0.5);
        QCOMPARE(*Value::boolean(true).asBool(), true);
        QVERIFY(!Value::integer(2).asBool());
        QCOMPARE(Value::string("x"_n).name().str(), std::string("x"));
        QVERIFY(Value::integer(1).name().empty());
        QCOMPARE(Value::node(NodeId(7)).asNode(), NodeId(7));
        QVERIFY(Value::integer(0) != Value::boolean(false));
        QVERIFY(Value::real(0.0) != Value::real(-0.0));
    }

    void copiesShareItems() {
        Value copy;
        {
            const Value list = Value::list({Value::integer(1), Value::string("a"_n)});
            copy = list;
            QVERIFY(&copy.items() == &list.items());
        }
        QCOMPARE(copy.items().size(), std::size_t(2));
        copy = copy.items()[1];  // an item of itself
        QCOMPARE(copy.name().str(), std::string("a"));
    }

    void movedFromIsNone() {
        Value list = Value::tuple({Value::integer(1)});
        const Value taken = std::move(list);
        QVERIFY(list.isNone());  // NOLINT: what is left is the point
        QCOMPARE(taken.items().size(), std::size_t(1));
    }

    void mapsNodesInContainers() {
        const Value nested = Value::list({Value::integer(4), Value::tuple({Value::node(NodeId(1))}), Value::node(NodeId(2))});
        const Value same = nested.mapNodes([](NodeId id) { return Value::node(id); });
        QVERIFY(&same.items() == &nested.items());
        const Value mapped = nested.mapNodes([](NodeId id) { return Value::node(NodeId(id.value + 10)); });
        QVERIFY(mapped == Value::list({Value::integer(4), Value::tuple({Value::node(NodeId(11))}), Value::node(NodeId(12))}));
        std::vector<std::uint32_t> seen;
        nested.forEachNode([&](NodeId id) { seen.push_back(id.value); });
        QCOMPARE(seen, (std::vector<std::uint32_t>{1, 2}));
    }
};

QTEST_APPLESS_MAIN(ValueTest)
#include "tst_value.moc"
