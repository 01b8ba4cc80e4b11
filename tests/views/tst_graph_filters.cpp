// Searching, filtering and narrowing the graph with real keys and clicks on a window.

#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/panels/colour_legend.h"
#include "views/panels/filter_bar.h"
#include "views/panels/find_bar.h"
#include "views/panels/stage_panel.h"

using namespace aliascope;

class TestGraphFilters : public QObject {
    Q_OBJECT

private slots:
    void init() {
        window_ = openWindow();
        QVERIFY(window_);
    }
    void cleanup() { window_.reset(); }

    void findsAsTypedAndWalksTheHits() {
        open("kv_cache_layers.py", "torch-v1");
        QTest::keyClick(canvas(), Qt::Key_Slash);
        auto* field = window_->findChild<QLineEdit*>(QStringLiteral("stage.find.text"));
        QVERIFY(field && field->hasFocus());
        type(field, "op:clone");
        QCOMPARE(find()->said(), QStringLiteral("8 hits"));
        QCOMPARE(canvas()->dump()[QStringLiteral("hits")].toInt(), 8);
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(settled(session()));
        QCOMPARE(selectedOp(), QStringLiteral("aten.clone.default"));
        QCOMPARE(find()->said(), QStringLiteral("1 of 8"));
        const Uid first = session().selection().node;
        QTest::keyClick(field, Qt::Key_Return);
        QTest::keyClick(field, Qt::Key_F3);
        QCOMPARE(find()->said(), QStringLiteral("3 of 8"));
        keepPicture(*window_, QStringLiteral("find"));
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(field, Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(session().selection().node, first);
        QTest::keyClick(field, Qt::Key_F3, Qt::ShiftModifier);  // round the end
        QCOMPARE(find()->said(), QStringLiteral("8 of 8"));
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!find()->isVisible());
        QVERIFY(canvas()->hasFocus());
        QCOMPARE(canvas()->dump()[QStringLiteral("hits")].toInt(), 0);
        QVERIFY(session().selection().node != kNoUid);
    }

    void mistakesAreNamedAndTheRestStillFinds() {
        open("kv_cache_layers.py", "torch-v1");
        QTest::keyClick(canvas(), Qt::Key_F, Qt::ControlModifier);
        auto* field = window_->findChild<QLineEdit*>(QStringLiteral("stage.find.text"));
        type(field, "op:clone bytes>");
        QVERIFY2(find()->said().startsWith(QStringLiteral("8 hits, column 16: ")), qPrintable(find()->said()));
        type(field, "op:nothing_like_this");
        QCOMPARE(find()->said(), QStringLiteral("nothing found"));
    }

    void hitsInClosedGroupsAreCountedAndOpened() {
        open("gpt2_train_joint.py", "torch-v2");
        QTest::keyClick(canvas(), Qt::Key_Slash);
        auto* field = window_->findChild<QLineEdit*>(QStringLiteral("stage.find.text"));
        type(field, "op:mm");
        QVERIFY2(find()->said().contains(QStringLiteral("inside closed groups")), qPrintable(find()->said()));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(settled(session()));
        const auto at = session().view()->indexOf(session().selection().node);
        QVERIFY(at);
        QCOMPARE(selectedOp(), QStringLiteral("aten.mm.default"));
        QVERIFY(session().view()->closedGroupOf(*at).empty());
        QVERIFY(canvas()->viewport()->rect().intersects(canvas()->cardRect(session().selection().node)));
    }

    void neighbourhoodNarrowsWidensAndComesBack() {
        open("gpt2_train_joint.py", "torch-v2");
        const std::size_t all = session().view()->drawing->cards.size();
        const auto& families = session().view()->family;
        const auto product = std::find(families.begin(), families.end(), Family::Matmul) - families.begin();
        const std::string name = session().view()->snapshot->nodes[std::size_t(product)]->name;
        QVERIFY(select(name.c_str()) != kNoUid);
        const GraphCanvas::Place before = canvas()->place();
        QTest::keyClick(canvas(), Qt::Key_F);
        QVERIFY(settled(session()));
        const std::size_t four = session().view()->drawing->cards.size();
        QVERIFY(four > 4 && four < 200);
        QVERIFY(bar()->said().contains(QStringLiteral("around %%1: 4 steps").arg(QString::fromStdString(name))));
        QTest::keyClick(canvas(), Qt::Key_Plus);
        QVERIFY(settled(session()));
        keepPicture(*window_, QStringLiteral("neighbourhood"));
        const std::size_t five = session().view()->drawing->cards.size();
        QVERIFY(five > four);
        QTest::keyClick(canvas(), Qt::Key_Minus);
        QTest::keyClick(canvas(), Qt::Key_Minus);
        QVERIFY(settled(session()));
        QVERIFY(session().view()->drawing->cards.size() < four);
        QTest::keyClick(canvas(), Qt::Key_Escape);
        QVERIFY(settled(session()));
        QCOMPARE(session().view()->drawing->cards.size(), all);
        QCOMPARE(canvas()->place().scroll, before.scroll);
        QVERIFY(session().selection().node != kNoUid);
    }

    void chipsSayWhatIsHiddenAndTakeFiltersAway() {
        open("kv_cache_layers.py", "torch-v1");
        auto* funnel = window_->findChild<QToolButton*>(QStringLiteral("stage.filter"));
        choose(funnel, "stage.filter.changed");
        const StageViewPtr narrowed = session().view();
        QVERIFY(narrowed->hiddenCount > 0);
        QVERIFY(bar()->said().startsWith(QString::fromUtf8("changed \u00b1 1 | ")));
        for (std::uint32_t i = 0; i < narrowed->mark.size(); ++i)
            if (narrowed->mark[i] != ' ') QVERIFY(!narrowed->hidden[i]);
        choose(funnel, "stage.filter.inputs");
        for (std::uint32_t i = 0; i < session().view()->mark.size(); ++i)
            if (session().view()->family[i] == Family::Input) QVERIFY(session().view()->drawing->cardOfNode[i] < 0);
        auto* chip = window_->findChild<QToolButton*>(QStringLiteral("stage.filters.chip.changed"));
        QVERIFY(chip && chip->isVisible());
        QTest::mouseClick(chip, Qt::LeftButton);
        QVERIFY(settled(session()));
        QVERIFY(bar()->said().startsWith(QStringLiteral("no inputs | ")));
        choose(funnel, "stage.filter.none");
        QCOMPARE(session().view()->hiddenCount, 0u);
        QVERIFY(!bar()->isVisible());
    }

    void hiddenSelectionOffersToShow() {
        open("kv_cache_layers.py", "torch-v1");
        const Uid uid = select("clone_default");
        QTest::keyClick(canvas(), Qt::Key_H);
        QVERIFY(settled(session()));
        QVERIFY(session().view()->isHidden(uid));
        QVERIFY2(bar()->said().contains(QStringLiteral("%clone_default is hidden by a filter.")), qPrintable(bar()->said()));
        QTest::mouseClick(window_->findChild<QToolButton*>(QStringLiteral("stage.filters.showAnyway")), Qt::LeftButton);
        QVERIFY(settled(session()));
        QVERIFY(!session().view()->isHidden(uid));
        QVERIFY(canvas()->cardRect(uid).isValid());
    }

    void foldedResultsAreDrawnByTheirProducer() {
        open("kv_cache_layers.py", "torch-v1");
        for (int stage = 1; stage <= int(session().data().stages.size()); ++stage) {
            session().setStage(stage);
            QVERIFY(settled(session()));
            if (session().view()->nodeNamed("getitem")) break;
        }
        const NodeRow* result = session().view()->nodeNamed("getitem");
        QVERIFY(result);
        const Uid uid = result->uid;
        const std::size_t folded = session().view()->drawing->cards.size();
        const EdgeRow& edge = session().view()->snapshot->edges[session().view()->inputs(uid).front()];
        QCOMPARE(canvas()->cardRect(uid), canvas()->cardRect(edge.from));
        choose(window_->findChild<QToolButton*>(QStringLiteral("stage.filter")), "stage.filter.results");
        QVERIFY(session().view()->drawing->cards.size() > folded);
        QVERIFY(canvas()->cardRect(uid) != canvas()->cardRect(edge.from));
    }

    void colourModesHaveLegendsAndHeatOfThePeak() {
        open("kv_cache_layers.py", "torch-v1");
        auto* legend = window_->findChild<ColourLegend*>(QStringLiteral("graph.legend"));
        QVERIFY(legend->words().contains(QStringLiteral("+ added here")));
        bool seen = false;
        for (int i = 0; i < kColourModes; ++i) {
            QTest::keyClick(canvas(), Qt::Key_K);
            QVERIFY(settled(session()));
            QCOMPARE(legend->words().isEmpty(), canvas()->colourMode() == ColourMode::None);
            if (canvas()->colourMode() != ColourMode::LiveAtPeak) continue;
            seen = true;
            keepPicture(*window_, QStringLiteral("live_at_peak"));
            QVERIFY(legend->words().contains(QStringLiteral("64 KiB")));
        }
        QVERIFY(seen);
        QCOMPARE(canvas()->colourMode(), ColourMode::Diff);
    }

    void pinsStayWhileStepping() {
        open("kv_cache_layers.py", "torch-v1");
        const Uid uid = select("mm");
        QVERIFY(uid != kNoUid);
        QTest::keyClick(canvas(), Qt::Key_Space);
        QVERIFY(session().pins().contains(uid));
        QTest::keyClick(canvas(), Qt::Key_P);
        QVERIFY(settled(session()));
        canvas()->reveal(uid);
        bool pinned = false;
        for (const QJsonValue& card : canvas()->dump()[QStringLiteral("cards")].toArray()) pinned = pinned || card[QStringLiteral("pinned")].toBool();
        QVERIFY(pinned);
        QTest::keyClick(canvas(), Qt::Key_Space);
        QVERIFY(session().pins().empty());
    }

private:
    Session& session() { return window_->session(); }
    GraphCanvas* canvas() { return window_->stagePanel()->canvas(); }
    FindBar* find() { return window_->stagePanel()->findBar(); }
    FilterBar* bar() { return window_->stagePanel()->filterBar(); }

    void open(const char* sample, const char* pipeline) {
        window_->open(sampleRequest(sample, pipeline));
        QVERIFY(settled(session()));
        QVERIFY(session().view());
        canvas()->setFocus();
    }
    void type(QLineEdit* field, const char* text) {
        field->selectAll();
        QTest::keyClicks(field, QString::fromLatin1(text));
        QVERIFY(settled(session()));
    }
    Uid select(const char* name) {
        const NodeRow* node = session().view()->nodeNamed(name);
        if (!node) return kNoUid;
        session().selectNode(node->uid, Origin::Program);
        return settled(session()) ? node->uid : kNoUid;
    }
    QString selectedOp() {
        const NodeRow* node = session().view()->node(session().selection().node);
        return node ? QString::fromStdString(node->target).section(QStringLiteral("torch.ops."), -1) : QString();
    }
    void choose(QToolButton* button, const char* action) {
        QMenu* menu = button->menu();
        emit menu->aboutToShow();
        auto* entry = menu->findChild<QAction*>(QLatin1String(action));
        QVERIFY(entry && entry->isEnabled());
        entry->trigger();
        QVERIFY(settled(session()));
    }

    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestGraphFilters)
#include "tst_graph_filters.moc"
