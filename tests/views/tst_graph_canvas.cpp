// The drawing of a stage: where cards are, what is under a click, what stays in place, zoom, keys, and the dump that tests read.

#include <QJsonArray>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/views/open_session.h"
#include "tests/views/widget_test.h"
#include "views/canvas/graph_canvas.h"
#include "views/canvas/metrics.h"

using namespace aliascope;

namespace {

/// A chain with a fork: relu feeds neg and abs_1, add joins them.
const char* const kFork = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(x);  x = None
        neg: "f32[4, 4][4, 1]cpu" = torch.ops.aten.neg.default(relu)
        abs_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.abs.default(relu);  relu = None
        add: "f32[4, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(neg, abs_1);  neg = abs_1 = None
        return (add,)
)";

}  // namespace

class TestGraphCanvas : public QObject {
    Q_OBJECT

private slots:
    void init() {
        session_ = std::make_unique<Session>();
        canvas_ = std::make_unique<GraphCanvas>();
        canvas_->resize(900, 700);
        canvas_->show();
        QVERIFY(QTest::qWaitForWindowExposed(canvas_.get()));
        connect(session_.get(), &Session::stageChanged, canvas_.get(), [this] { canvas_->setStage(session_->view()); });
        connect(canvas_.get(), &GraphCanvas::selected, session_.get(), [this](Uid uid) { session_->selectNode(uid, Origin::Graph); });
        connect(session_.get(), &Session::selectionChanged, canvas_.get(), [this](const Selection& now) { canvas_->setSelection(now); });
    }

    void cleanup() {
        canvas_.reset();
        session_.reset();
    }

    void nothingIsDrawnOfNothing() {
        QCOMPARE(canvas_->nodeAt(QPoint(100, 100)), kNoUid);
        QVERIFY(canvas_->cardRect(1).isEmpty());
        QVERIFY(canvas_->dump()["cards"].toArray().isEmpty());
        QTest::keyClick(canvas_.get(), Qt::Key_Down);
        QTest::mouseClick(canvas_->viewport(), Qt::LeftButton, {}, QPoint(50, 50));
        QVERIFY(!canvas_->grab().isNull());
    }

    void everyNodeHasACardOfTheSizeOfTheSpec() {
        openFork();
        for (const char* name : {"relu", "neg", "abs_1", "add"}) {
            const QRect card = canvas_->cardRect(uid(name));
            QVERIFY2(std::abs(card.width() - card::width) <= 1 && std::abs(card.height() - card::height) <= 1, name);
            QCOMPARE(canvas_->nodeAt(card.center()), uid(name));
        }
        // Users stand below, siblings beside each other and apart.
        QVERIFY(canvas_->cardRect(uid("relu")).bottom() < canvas_->cardRect(uid("neg")).top());
        QVERIFY(canvas_->cardRect(uid("neg")).bottom() < canvas_->cardRect(uid("add")).top());
        QCOMPARE(canvas_->cardRect(uid("neg")).top(), canvas_->cardRect(uid("abs_1")).top());
        QVERIFY(!canvas_->cardRect(uid("neg")).intersects(canvas_->cardRect(uid("abs_1"))));
    }

    /// Symbol nodes stand far to the right of nothing: a drawing that opens must not show an empty canvas.
    void aFreshDrawingShowsItsFirstCard() {
        for (const Sample& sample : bundledSamples()) {
            canvas_->setStage(nullptr);
            open(sample.request());
            int whole = 0;
            for (const QJsonValue& card : canvas_->dump()["cards"].toArray())
                whole +=
                    canvas_->viewport()->rect().contains(QRect(card["x"].toInt(), card["y"].toInt(), card["w"].toInt(), card["h"].toInt())) ? 1 : 0;
            QVERIFY2(whole >= 1, qPrintable(sample.file));
        }
    }

    void theNearestNodeIsSoughtInSightFirst() {
        QCOMPARE(canvas_->nearestNode(QPoint(10, 10), [](Uid) { return true; }), kNoUid);
        openFork();
        const QPoint place = canvas_->cardRect(uid("neg")).center() + QPoint(3, 3);
        QCOMPARE(canvas_->nearestNode(place, [](Uid) { return true; }), uid("neg"));
        QCOMPARE(canvas_->nearestNode(place, [&](Uid node) { return node == uid("add"); }), uid("add"));
        QCOMPARE(canvas_->nearestNode(place, [](Uid) { return false; }), kNoUid);
        // Of a large drawing no more is asked than what is in sight; what is out of sight is found only then.
        open(sampleRequest("gpt2_train_joint.py", "torch-v2"));
        const auto inSight = canvas_->dump()["cards"].toArray().size(), all = qsizetype(canvas_->dump()["cards_total"].toInt());
        QVERIFY(inSight < all / 2);
        qsizetype asked = 0;
        const QPoint middle = canvas_->viewport()->rect().center();
        const Uid near = canvas_->nearestNode(middle, [&](Uid) { return ++asked > 0; });
        QVERIFY(asked <= inSight);
        QVERIFY(canvas_->cardRect(near).intersects(canvas_->viewport()->rect()));
        const Uid last = session_->view()->snapshot->nodes.back()->uid;
        QVERIFY(!canvas_->cardRect(last).isEmpty() && !canvas_->cardRect(last).intersects(canvas_->viewport()->rect()));
        QCOMPARE(canvas_->nearestNode(middle, [&](Uid node) { return node == last; }), last);
    }

    void aClickSelectsWhatIsUnderIt() {
        openFork();
        QSignalSpy selected(canvas_.get(), &GraphCanvas::selected);
        QTest::mouseClick(canvas_->viewport(), Qt::LeftButton, {}, canvas_->cardRect(uid("neg")).center());
        QCOMPARE(session_->selection().node, uid("neg"));
        QTest::mouseClick(canvas_->viewport(), Qt::LeftButton, {}, QPoint(canvas_->viewport()->width() - 3, canvas_->viewport()->height() - 3));
        QCOMPARE(session_->selection().node, kNoUid);  // empty canvas clears
        QCOMPARE(selected.count(), 2);
        QSignalSpy activated(canvas_.get(), &GraphCanvas::activated);
        QTest::mouseDClick(canvas_->viewport(), Qt::LeftButton, {}, canvas_->cardRect(uid("add")).center());
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].value<Uid>(), uid("add"));
    }

    void aDragMovesAndSelectsNothing() {
        open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        const QSize port = canvas_->viewport()->size();
        const int before = canvas_->verticalScrollBar()->value();
        QTest::mousePress(canvas_->viewport(), Qt::LeftButton, {}, QPoint(port.width() / 2, port.height() - 20));
        QTest::mouseMove(canvas_->viewport(), QPoint(port.width() / 2, port.height() / 2));
        QTest::mouseMove(canvas_->viewport(), QPoint(port.width() / 2, 30));
        QTest::mouseRelease(canvas_->viewport(), Qt::LeftButton, {}, QPoint(port.width() / 2, 30));
        QVERIFY(canvas_->verticalScrollBar()->value() != before || canvas_->verticalScrollBar()->maximum() == 0);
        QCOMPARE(session_->selection().node, kNoUid);
    }

    void keysWalkTheGraph() {
        openFork();
        session_->selectNode(uid("relu"), Origin::Graph);
        QTest::keyClick(canvas_.get(), Qt::Key_Down);
        QCOMPARE(session_->selection().node, uid("neg"));  // the first user
        QTest::keyClick(canvas_.get(), Qt::Key_Right);
        QCOMPARE(session_->selection().node, uid("abs_1"));
        QTest::keyClick(canvas_.get(), Qt::Key_Right);
        QCOMPARE(session_->selection().node, uid("abs_1"));  // the last of its row
        QTest::keyClick(canvas_.get(), Qt::Key_Left);
        QCOMPARE(session_->selection().node, uid("neg"));
        QTest::keyClick(canvas_.get(), Qt::Key_Down);
        QCOMPARE(session_->selection().node, uid("add"));
        QTest::keyClick(canvas_.get(), Qt::Key_Up);
        QCOMPARE(session_->selection().node, uid("neg"));
        QTest::keyClick(canvas_.get(), Qt::Key_Up);
        QCOMPARE(session_->selection().node, uid("relu"));
        QTest::keyClick(canvas_.get(), Qt::Key_Down, Qt::AltModifier);  // program order
        QTest::keyClick(canvas_.get(), Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(session_->selection().node, uid("abs_1"));
        QTest::keyClick(canvas_.get(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(session_->selection().node, uid("neg"));
        QSignalSpy activated(canvas_.get(), &GraphCanvas::activated);
        QTest::keyClick(canvas_.get(), Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
    }

    void zoomStaysOnTheLadder() {
        openFork();
        QCOMPARE(canvas_->zoom(), 1.0);
        std::vector<double> seen;
        for (std::size_t i = 0; i < card::zoomLadder.size() + 2; ++i) canvas_->zoomOut();
        QCOMPARE(canvas_->zoom(), card::zoomLadder.front());
        seen.push_back(canvas_->zoom());
        for (std::size_t i = 0; i < card::zoomLadder.size() + 2; ++i) {
            canvas_->zoomIn();
            if (canvas_->zoom() != seen.back()) seen.push_back(canvas_->zoom());
        }
        QVERIFY(std::equal(seen.begin(), seen.end(), card::zoomLadder.begin(), card::zoomLadder.end()));
        canvas_->setZoom(0.47);
        QCOMPARE(canvas_->zoom(), 0.5);
        canvas_->fitWidth();
        QVERIFY(std::find(card::zoomLadder.begin(), card::zoomLadder.end(), canvas_->zoom()) != card::zoomLadder.end());
    }

    void theLevelFollowsTheZoom() {
        openFork();
        const std::vector<std::pair<double, QString>> levels = {{0.10, QStringLiteral("far")},    {0.14, QStringLiteral("far")},
                                                                {0.18, QStringLiteral("middle")}, {0.50, QStringLiteral("middle")},
                                                                {0.70, QStringLiteral("near")},   {2.0, QStringLiteral("near")}};
        for (const auto& [zoom, level] : levels) {
            canvas_->setZoom(zoom);
            QCOMPARE(canvas_->dump()["level"].toString(), level);
            QCOMPARE(canvas_->cardRect(uid("neg")).width(), int(std::lround(card::width * zoom)));
            QVERIFY(!canvas_->grab().isNull());
        }
    }

    void theSelectedNodeKeepsItsPlaceAcrossStages() {
        open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        session_->setStage(1);
        QVERIFY(settled(*session_));
        DrawingOptions opened = session_->drawing();
        opened.groupsCollapsed = false;
        session_->setDrawing(opened);
        QVERIFY(settled(*session_));
        // A node in the middle of the program that lives through every stage.
        Uid lasting = kNoUid;
        const auto& nodes = session_->view()->snapshot->nodes;
        for (std::size_t i = nodes.size() / 2; i < nodes.size() && lasting == kNoUid; ++i)
            if (nodes[i]->lastStage >= int(session_->data().stages.size()) && nodes[i]->kind == "call_function") lasting = nodes[i]->uid;
        QVERIFY(lasting != kNoUid);
        session_->selectNode(lasting, Origin::Program);
        int compared = 0;
        while (session_->stage() < int(session_->data().stages.size())) {
            const QRect before = canvas_->cardRect(lasting);
            QVERIFY(canvas_->viewport()->rect().intersects(before));
            const int stage = session_->stage();
            session_->step(1, false);
            QVERIFY(settled(*session_));
            if (session_->stage() == stage) break;
            const QRect after = canvas_->cardRect(lasting);
            const bool roomAbove =
                canvas_->verticalScrollBar()->value() > 0 && canvas_->verticalScrollBar()->value() < canvas_->verticalScrollBar()->maximum();
            if (!roomAbove) continue;  // at an end of the drawing nothing can stay in place
            QVERIFY2(std::abs(after.top() - before.top()) <= 1,
                     qPrintable(QStringLiteral("stage %1: %2 became %3").arg(stage).arg(before.top()).arg(after.top())));
            ++compared;
        }
        QVERIFY(compared > 0);
    }

    void selectingRevealsWhatIsNotVisible() {
        open(sampleRequest("gpt2_train_joint.py", "dce"));
        const auto& nodes = session_->view()->snapshot->nodes;
        const Uid far = nodes[nodes.size() * 3 / 4]->uid;
        session_->selectNode(far, Origin::Nodes);
        QVERIFY(canvas_->viewport()->rect().intersects(canvas_->cardRect(far)));
        const int at = canvas_->verticalScrollBar()->value();
        session_->selectNode(kNoUid, Origin::Nodes);
        session_->selectNode(far, Origin::Nodes);
        QCOMPARE(canvas_->verticalScrollBar()->value(), at);  // it is visible: nothing scrolls
    }

    void dumpSaysWhatIsDrawn() {
        openFork();
        session_->selectNode(uid("neg"), Origin::Graph);
        const QJsonObject drawn = canvas_->dump();
        QCOMPARE(drawn["zoom"].toDouble(), 1.0);
        QCOMPARE(drawn["mode"].toString(), QString::fromLatin1(colourModeWord(canvas_->colourMode())));
        QJsonObject neg;
        int selected = 0;
        for (const QJsonValue& card : drawn["cards"].toArray()) {
            selected += card["selected"].toBool() ? 1 : 0;
            if (card["uid"].toString() == QString::number(uid("neg"))) neg = card.toObject();
        }
        QCOMPARE(selected, 1);
        QCOMPARE(neg["op"].toString(), QStringLiteral("neg"));
        QCOMPARE(neg["name"].toString(), QStringLiteral("%neg"));
        QCOMPARE(neg["shape"].toString(), QStringLiteral("f32[4, 4]"));
        QVERIFY(neg["selected"].toBool());
        QCOMPARE(QRect(neg["x"].toInt(), neg["y"].toInt(), neg["w"].toInt(), neg["h"].toInt()), canvas_->cardRect(uid("neg")));
    }

    void colourModesAreDrawn() {
        open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QList<QImage> pictures;
        for (int mode = 0; mode < kColourModes; ++mode) {
            canvas_->setColourMode(ColourMode(mode));
            QCOMPARE(canvas_->dump()["mode"].toString(), QString::fromLatin1(colourModeWord(ColourMode(mode))));
            pictures << canvas_->grab().toImage();
        }
        QVERIFY(pictures[int(ColourMode::Storage)] != pictures[int(ColourMode::None)]);
        QVERIFY(pictures[int(ColourMode::Family)] != pictures[int(ColourMode::None)]);
    }

    void enterOpensAGroup() {
        open(sampleRequest("gpt2_train_joint.py", "dce"));
        QSignalSpy toggled(canvas_.get(), &GraphCanvas::groupToggled);
        Uid inside = kNoUid;
        for (const QJsonValue& card : canvas_->dump()["cards"].toArray())
            if (card["group"].isString() && inside == kNoUid) inside = card["uid"].toString().toULongLong();
        QVERIFY(inside != kNoUid);
        session_->selectNode(inside, Origin::Graph);
        QTest::keyClick(canvas_.get(), Qt::Key_Return);
        QCOMPARE(toggled.count(), 1);
        const QString group = toggled[0][0].toString();
        const int before = canvas_->dump()["cards_total"].toInt();
        session_->toggleGroup(group);
        QVERIFY(settled(*session_));
        QVERIFY(canvas_->dump()["cards_total"].toInt() > before);
    }

private:
    void open(const OpenRequest& request) {
        session_->open(request);
        QVERIFY(settled(*session_));
        QVERIFY(session_->view());
    }

    void openFork() {
        OpenRequest request;
        request.text = QLatin1String(kFork);
        request.pipeline = QStringLiteral("dce");
        open(request);
    }

    Uid uid(const char* name) const {
        const NodeRow* node = session_->view()->nodeNamed(name);
        return node ? node->uid : kNoUid;
    }

    std::unique_ptr<Session> session_;
    std::unique_ptr<GraphCanvas> canvas_;
};

ALC_WIDGET_TEST(TestGraphCanvas)
#include "tst_graph_canvas.moc"
