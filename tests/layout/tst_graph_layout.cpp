#include <QtTest>

#include <random>

#include "core/layout/graph_layout.h"

using namespace aliascope;

namespace {

LayoutInput chain(std::uint32_t n) {
    LayoutInput in;
    in.nodes.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) in.nodes[i].uid = i;
    for (std::uint32_t i = 1; i < n; ++i) in.edges.push_back({i - 1, i});
    return in;
}

LayoutInput randomGraph(std::uint32_t n, unsigned seed) {
    std::mt19937 random(seed);
    LayoutInput in;
    in.nodes.resize(n);
    in.groups = {{"a"}, {"b"}, {"a.inner", 0}, {"closed", -1, true}, {"in closed", 3}};
    for (std::uint32_t i = 0; i < n; ++i) {
        in.nodes[i].uid = i;
        in.nodes[i].group = static_cast<std::int32_t>(random() % 6) - 1;
        in.nodes[i].viewLike = random() % 4 == 0;
        if (i < n / 10) in.nodes[i].shelf = LayoutNode::Shelf::Input;
        for (unsigned k = random() % 3; k-- && i;) in.edges.push_back({static_cast<std::uint32_t>(random() % i), i});
    }
    in.foldViews = seed % 2;
    return in;
}

bool overlap(const PlacedCard& a, const PlacedCard& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

}  // namespace

class TestGraphLayout : public QObject {
    Q_OBJECT
private slots:
    void emptyGraph() {
        const auto r = layoutGraph({});
        QVERIFY(r);
        QVERIFY(r->cards.empty());
        QCOMPARE(r->rowStart.size(), std::size_t(1));
    }

    void chainGoesDownInOneColumn() {
        const auto r = layoutGraph(chain(5));
        QCOMPARE(r->cards.size(), std::size_t(5));
        for (std::size_t i = 0; i < 5; ++i) {
            QCOMPARE(r->cards[i].node, std::uint32_t(i));
            QCOMPARE(r->cards[i].row, std::uint32_t(i));
            QCOMPARE(r->cards[i].x, r->cards[0].x);
        }
        QCOMPARE(r->edges.size(), std::size_t(4));
        QVERIFY(!r->edges[0].stub);
    }

    void operandsStandSideBySideAboveTheirUse() {
        LayoutInput in = chain(0);
        in.nodes.resize(3);
        in.edges = {{0, 2}, {1, 2}};
        const auto r = layoutGraph(in);
        QCOMPARE(r->cards[0].row, r->cards[1].row);
        QVERIFY(r->cards[2].y > r->cards[0].y + r->cards[0].height);
        const float middle = (r->cards[0].x + r->cards[1].x + r->cards[1].width) / 2;
        QVERIFY(std::abs(r->cards[2].x + r->cards[2].width / 2 - middle) <= 1);
        QVERIFY(r->edges[0].x2 < r->edges[1].x2);
    }

    void longEdgeBecomesStub() {
        LayoutInput in = chain(30);
        in.edges.push_back({0, 29});
        const auto r = layoutGraph(in);
        const auto stubs = std::count_if(r->edges.begin(), r->edges.end(), [](const PlacedEdge& e) { return e.stub; });
        QCOMPARE(stubs, 1);
    }

    void collapsedGroupIsOneCard() {
        LayoutInput in = chain(6);
        in.groups = {{"layer", -1, true}};
        for (int i = 1; i < 5; ++i) in.nodes[i].group = 0;
        const auto r = layoutGraph(in);
        QCOMPARE(r->cards.size(), std::size_t(3));
        QCOMPARE(r->cards[1].group, 0);
        for (int i = 1; i < 5; ++i) QCOMPARE(r->cardOfNode[i], 1);
        QVERIFY(r->groups.empty());
    }

    void openGroupEnclosesItsCards() {
        LayoutInput in = chain(6);
        in.groups = {{"layer"}};
        for (int i = 1; i < 5; ++i) in.nodes[i].group = 0;
        const auto r = layoutGraph(in);
        QCOMPARE(r->cards.size(), std::size_t(6));
        QCOMPARE(r->groups.size(), std::size_t(1));
        const PlacedGroup& g = r->groups[0];
        for (int i = 1; i < 5; ++i) {
            const PlacedCard& c = r->cards[r->cardOfNode[i]];
            QVERIFY(c.x >= g.x && c.y >= g.y && c.x + c.width <= g.x + g.width && c.y + c.height <= g.y + g.height);
        }
        QVERIFY(r->cards[r->cardOfNode[0]].y + 80 <= g.y);
    }

    void foldedViewIsDrawnInItsConsumer() {
        LayoutInput in = chain(3);
        in.nodes[1].viewLike = true;
        in.foldViews = true;
        const auto r = layoutGraph(in);
        QCOMPARE(r->cards.size(), std::size_t(2));
        QCOMPARE(r->cardOfNode[1], r->cardOfNode[2]);
        QCOMPARE(r->edges.size(), std::size_t(1));
    }

    void groupBetweenItsOwnNodesMakesNoCycle() {
        LayoutInput in = chain(3);
        in.groups = {{"split", -1, true}};
        in.nodes[0].group = in.nodes[2].group = 0;
        const auto r = layoutGraph(in);
        QCOMPARE(r->cards.size(), std::size_t(2));
        QCOMPARE(r->edges.size(), std::size_t(2));  // there, and back as a stub
        QCOMPARE(std::count_if(r->edges.begin(), r->edges.end(), [](const PlacedEdge& e) { return e.stub; }), 1);
    }

    void cardsNeverOverlap_data() {
        QTest::addColumn<unsigned>("seed");
        for (unsigned s = 0; s < 20; ++s) QTest::newRow(qPrintable(QString::number(s))) << s;
    }
    void cardsNeverOverlap() {
        QFETCH(unsigned, seed);
        const LayoutInput in = randomGraph(300, seed);
        const auto r = layoutGraph(in);
        for (std::size_t a = 0; a < r->cards.size(); ++a)
            for (std::size_t b = a + 1; b < r->cards.size(); ++b) QVERIFY(!overlap(r->cards[a], r->cards[b]));
        for (std::int32_t c : r->cardOfNode) QVERIFY(c >= 0 && static_cast<std::size_t>(c) < r->cards.size());
        for (const PlacedEdge& e : r->edges) QVERIFY(e.stub || e.y2 >= e.y1);
        QCOMPARE(r->rowStart.back(), static_cast<std::uint32_t>(r->cards.size()));
    }

    void equalInputGivesEqualOutput() {
        const LayoutInput in = randomGraph(500, 7);
        const auto a = layoutGraph(in), b = layoutGraph(in);
        for (std::size_t i = 0; i < a->cards.size(); ++i) QVERIFY(a->cards[i].x == b->cards[i].x && a->cards[i].y == b->cards[i].y);
    }

    void cancelled() {
        CancelToken cancel;
        cancel.cancel();
        QVERIFY(!layoutGraph(chain(100), {}, cancel));
    }
};

QTEST_APPLESS_MAIN(TestGraphLayout)
#include "tst_graph_layout.moc"
