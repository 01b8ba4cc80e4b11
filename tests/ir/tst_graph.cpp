#include <QtTest>

#include "core/ir/graph.h"

using namespace aliascope;

namespace {

Node call(std::string_view name, std::string_view op, std::vector<Value> args) {
    Node n;
    n.name = Name(name);
    n.target = Name("torch.ops." + std::string(op));
    n.op = Name(op);
    n.args = std::move(args);
    return n;
}

Node input(std::string_view name) {
    Node n;
    n.kind = NodeKind::Placeholder;
    n.name = Name(name);
    n.target = Name(name);
    return n;
}

Node output(std::vector<Value> values) {
    Node n;
    n.kind = NodeKind::Output;
    n.name = "output"_n;
    n.target = "output"_n;
    n.args = {Value::tuple(std::move(values))};
    return n;
}

QStringList names(const Graph& g) {
    QStringList out;
    for (NodeId id : inOrder(g)) out << QString::fromStdString(g[id].name.str());
    return out;
}

}  // namespace

class TestGraph : public QObject {
    Q_OBJECT
private slots:
    void severalReplacementsAtOnce() {
        Graph g;
        const NodeId x = g.append(input("x"));
        const NodeId a = g.append(call("a", "aten.cos", {Value::node(x)}));
        const NodeId b = g.append(call("b", "aten.cos", {Value::node(a)}));
        const NodeId c = g.append(call("c", "aten.add", {Value::node(a), Value::list({Value::node(b), Value::node(x)})}));
        const NodeId out = g.append(output({Value::node(b), Value::node(c)}));
        g.replaceUses({{a, x}, {b, x}});
        QVERIFY(!g.hasUsers(a));
        QVERIFY(!g.hasUsers(b));
        QCOMPARE(g.users(x), (std::vector<NodeId>{a, c, b, out}));
        QCOMPARE(g[x].users[1].uses, 3u);  // twice as itself, once more in the place of a and b
        QVERIFY(g[c].args[0] == Value::node(x));
        QVERIFY(g[out].args[0].usesNode(x) && !g[out].args[0].usesNode(b));
        g.erase(b);
        g.erase(a);
        QCOMPARE(g.users(x), (std::vector<NodeId>{c, out}));
    }
    void namesFollowTorchFx() {
        Graph g;
        g.append(input("x"));
        QCOMPARE(g.uniqueName("add").str(), std::string("add"));
        const NodeId a = g.append(call("add", "aten.add", {}));
        const NodeId b = g.append(call("add", "aten.add", {}));
        const NodeId c = g.append(call("add_7", "aten.add", {}));
        const NodeId d = g.append(call("add", "aten.add", {}));
        QCOMPARE(g[a].name.str(), std::string("add"));
        QCOMPARE(g[b].name.str(), std::string("add_1"));
        QCOMPARE(g[c].name.str(), std::string("add_7"));
        QCOMPARE(g[d].name.str(), std::string("add_8"));
        QCOMPARE(g[g.append(call("sum", "aten.sum", {}))].name.str(), std::string("sum_1"));    // a Python builtin
        QCOMPARE(g[g.append(call("clone.default", "aten.clone", {}))].name.str(), std::string("clone_default"));
        QCOMPARE(g[g.appendExact(call("sum", "aten.sum", {}))].name.str(), std::string("sum"));  // readers keep what stands there
    }

    void usersAreExact() {
        Graph g;
        const NodeId x = g.append(input("x"));
        const NodeId a = g.append(call("a", "aten.add.Tensor", {Value::node(x), Value::node(x)}));
        const NodeId b = g.append(call("b", "aten.cat", {Value::list({Value::node(x), Value::node(a)})}));
        QCOMPARE(g[x].users.size(), std::size_t(2));
        QCOMPARE(g[x].users[0].uses, 2u);
        g.setArg(a, 1, Value::integer(1));
        QCOMPARE(g[x].users[0].uses, 1u);
        g.setArg(a, 0, Value::integer(1));
        QCOMPARE(g.users(x), std::vector<NodeId>{b});
        g.replaceAllUses(x, a);
        QVERIFY(!g.hasUsers(x));
        QCOMPARE(g[a].users.size(), std::size_t(1));
        QCOMPARE(g[a].users[0].uses, 2u);
        g.replaceUsesIn(b, a, Value::node(x));
        QVERIFY(!g.hasUsers(a));
        g.erase(b);
        QVERIFY(!g.hasUsers(x));
        QVERIFY(!g.contains(b));
        QCOMPARE(g[b].name.str(), std::string("b"));  // rewrites still speak of it
    }

    void replaceAllUsesCanSpareUsers() {
        Graph g;
        const NodeId x = g.append(input("x"));
        const NodeId a = g.append(call("a", "aten.clone", {Value::node(x)}));
        const NodeId b = g.append(call("b", "aten.cos", {Value::node(x)}));
        g.replaceAllUses(x, a, [&](NodeId user) { return user == a; });
        QCOMPARE(g.users(x), std::vector<NodeId>{a});
        QCOMPARE(g.users(a), std::vector<NodeId>{b});
    }

    void orderSurvivesManyInsertionsAtOnePlace() {
        Graph g;
        const NodeId x = g.append(input("x"));
        const NodeId end = g.append(output({Value::node(x)}));
        NodeId last = x;
        for (int i = 0; i < 200; ++i) last = g.insertAfter(last, call("c", "aten.cos", {Value::node(x)}));
        for (int i = 0; i < 200; ++i) g.insertBefore(last, call("d", "aten.cos", {Value::node(x)}));
        const auto order = g.order();
        QCOMPARE(order.size(), std::size_t(402));
        for (std::size_t i = 1; i < order.size(); ++i) QVERIFY(g.before(order[i - 1], order[i]));
        QCOMPARE(order.back(), end);
        QCOMPARE(g.output(), end);
    }

    void moving() {
        Graph g;
        for (const char* n : {"a", "b", "c", "d"}) g.append(input(n));
        const auto id = [&](const char* n) { return g.find(Name(n)); };
        g.moveBefore(id("d"), id("b"));
        QCOMPARE(names(g), QStringList({"a", "d", "b", "c"}));
        g.moveAfter(id("a"), id("c"));
        QCOMPARE(names(g), QStringList({"d", "b", "c", "a"}));
        g.moveBefore(id("d"), id("d"));
        g.moveAfter(id("b"), id("d"));
        QCOMPARE(names(g), QStringList({"d", "b", "c", "a"}));
    }

    void hashSeesStructureNotNames() {
        const auto build = [](std::string_view name, std::int64_t literal) {
            Graph g;
            const NodeId x = g.append(input("x"));
            const NodeId a = g.append(call(name, "aten.add.Tensor", {Value::node(x), Value::integer(literal)}));
            g.append(output({Value::node(a)}));
            return g;
        };
        const Graph one = build("a", 1);
        QCOMPARE(one.hash(), build("other", 1).hash());
        QVERIFY(one.hash() != build("a", 2).hash());
        Graph copy = one.clone();
        QCOMPARE(copy.hash(), one.hash());
        copy.setMeta(copy.find("a"_n), "clone_only"_n, Value::none());
        QCOMPARE(copy.hash(), one.hash());
        copy.setArg(copy.find("a"_n), 1, Value::integer(3));
        QVERIFY(copy.hash() != one.hash());
        QCOMPARE(*one[one.find("a"_n)].args[1].asInt(), std::int64_t(1));  // a snapshot stands on its own
    }

    void pythonFloats_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("one") << 1.0 << "1.0";
        QTest::newRow("tenth") << 0.1 << "0.1";
        QTest::newRow("eps") << 1e-5 << "1e-05";
        QTest::newRow("small") << 0.0001 << "0.0001";
        QTest::newRow("third") << 1.0 / 3 << "0.3333333333333333";
        QTest::newRow("large") << 1e16 << "1e+16";
        QTest::newRow("below") << 123456789012345.0 << "123456789012345.0";
        QTest::newRow("huge") << 1.5e300 << "1.5e+300";
        QTest::newRow("tiny") << -2.5e-300 << "-2.5e-300";
        QTest::newRow("minus zero") << -0.0 << "-0.0";
        QTest::newRow("infinity") << -std::numeric_limits<double>::infinity() << "-inf";
    }
    void pythonFloats() {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(pythonFloat(value)), text);
    }

    void hundredThousandNodesStayBelow64MiB() {
        // Counted, not measured: what a node with two operands and one user holds.
        const std::size_t perNode = sizeof(Node) + sizeof(std::unique_ptr<Node>) + 2 * sizeof(Value) + 2 * sizeof(Node::User) +
                                    /* name map */ 64 + /* allocator overhead */ 4 * 16;
        QVERIFY2(perNode * 100'000 < 64u << 20, qPrintable(QString::number(perNode)));
    }
};

QTEST_APPLESS_MAIN(TestGraph)
#include "tst_graph.moc"
