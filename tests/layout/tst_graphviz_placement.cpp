// A drawing is asked of Graphviz in DOT and read back from its plain answer.

#include <QTest>

#include "core/layout/graphviz_placement.h"

using namespace aliascope;

namespace {

/// a feeds b and c, b feeds c.
LayoutResult drawing() {
    LayoutInput input;
    input.nodes.resize(3);
    input.edges = {{0, 1}, {0, 2}, {1, 2}};
    return *layoutGraph(input);
}

/// As `dot -Tplain` writes: middles in inches, y upwards. The cards are 240 x 80 pixels, 72 an inch.
const char* const kPlain =
    "graph 1 8 5\n"
    "node n0 2 4 3.3333 1.1111 \"\" solid box black lightgrey\n"
    "node n1 6 2.5 3.3333 1.1111 \"\" solid box black lightgrey\n"
    "node n2 2 1 3.3333 1.1111 \"\" solid box black lightgrey\n"
    "edge n0 n1 4 1 3 1 2 1 2 1 1 solid black\n"
    "stop\n";

}  // namespace

class TestGraphvizPlacement : public QObject {
    Q_OBJECT

private slots:
    void theQuestionNamesEveryCardAndEdge() {
        const QString dot = QString::fromStdString(graphvizInput(drawing()));
        for (const char* line : {"n0 [width=3.333, height=1.111];", "n1 [width=3.333, height=1.111];", "n2 [width=3.333, height=1.111];", "n0 -> n1;",
                                 "n0 -> n2;", "n1 -> n2;", "nodesep=0.389, ranksep=0.472"})
            QVERIFY2(dot.contains(QLatin1String(line)), qPrintable(dot));
    }

    void cardsStandWhereTheAnswerSays() {
        const auto placed = placedByGraphviz(drawing(), kPlain);
        QVERIFY(placed);
        QCOMPARE(placed->cards.size(), 3u);
        const PlacedCard &a = placed->cards[0], &b = placed->cards[1], &c = placed->cards[2];
        QCOMPARE(a.node, 0u);
        QCOMPARE(b.node, 1u);
        QCOMPARE(c.node, 2u);
        QCOMPARE(QPointF(a.x, a.y), QPointF(0, 0));
        QCOMPARE(QPointF(b.x, b.y), QPointF(288, 108));
        QCOMPARE(QPointF(c.x, c.y), QPointF(0, 216));
        QCOMPARE(QSizeF(placed->width, placed->height), QSizeF(528, 296));
        QCOMPARE(placed->rowY, (std::vector<float>{0, 108, 216}));
        QCOMPARE(placed->rowStart, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    }

    void edgesGoFromCardToCard() {
        const auto placed = placedByGraphviz(drawing(), kPlain);
        QVERIFY(placed);
        QCOMPARE(placed->edges.size(), 3u);
        for (const PlacedEdge& edge : placed->edges) {
            const PlacedCard &from = placed->cards[edge.from], &to = placed->cards[edge.to];
            QCOMPARE(edge.y1, from.y + from.height);
            QCOMPARE(edge.y2, to.y);
            QVERIFY(edge.x1 >= from.x && edge.x1 <= from.x + from.width);
            QVERIFY(edge.x2 >= to.x && edge.x2 <= to.x + to.width);
            QVERIFY(!edge.stub);
        }
    }

    /// Rows count from the top whatever the order in which the answer names the cards.
    void aCardThatMovesUpIsTheFirst() {
        const auto placed = placedByGraphviz(drawing(), "node n2 1 9 1 1\nnode n0 1 5 1 1\nnode n1 1 2 1 1\n");
        QVERIFY(placed);
        QCOMPARE(placed->cards.front().node, 2u);
        QCOMPARE(placed->cardOfNode, (std::vector<std::int32_t>{1, 2, 0}));
        for (const PlacedEdge& edge : placed->edges) QCOMPARE(edge.stub, edge.to == 0);  // what would run upwards
    }

    void anAnswerThatIsNoneLeavesTheDrawingAlone_data() {
        QTest::addColumn<QString>("plain");
        QTest::newRow("nothing") << QString();
        QTest::newRow("a card is missing") << QStringLiteral("node n0 1 1 1 1\nnode n1 1 5 1 1\n");
        QTest::newRow("no number") << QStringLiteral("node n0 1 1 1 1\nnode n1 1 x 1 1\nnode n2 1 9 1 1\n");
        QTest::newRow("not finite") << QStringLiteral("node n0 1 1 1 1\nnode n1 1 inf 1 1\nnode n2 1 9 1 1\n");
        QTest::newRow("far away") << QStringLiteral("node n0 1 1 1 1\nnode n1 1 1e30 1 1\nnode n2 1 9 1 1\n");
        QTest::newRow("one upon another") << QStringLiteral("node n0 1 1 1 1\nnode n1 1 1 1 1\nnode n2 1 9 1 1\n");
        QTest::newRow("names of somebody else") << QStringLiteral("node n7 1 1 1 1\nnode 1 5\nnode\n");
        QTest::newRow("an error") << QStringLiteral("Error: syntax error in line 1\n");
    }
    void anAnswerThatIsNoneLeavesTheDrawingAlone() {
        QFETCH(QString, plain);
        QVERIFY(!placedByGraphviz(drawing(), plain.toStdString()));
    }
};

QTEST_APPLESS_MAIN(TestGraphvizPlacement)
#include "tst_graphviz_placement.moc"
