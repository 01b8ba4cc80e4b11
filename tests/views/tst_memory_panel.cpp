// The memory view under real clicks and keys: what stands at the cursor, who holds the peak, curves of other stages, selection both ways.

#include <QComboBox>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "tests/views/open_session.h"
#include "tests/views/widget_test.h"
#include "views/models/block_model.h"
#include "views/models/format.h"
#include "views/models/holder_model.h"
#include "views/panels/memory_panel.h"
#include "views/panels/theme.h"

using namespace aliascope;

namespace {

// %relu lives across the graph; %cat is dead after %sum_1; %neg is never read.
const char* const kGraph = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[32, 32][32, 1]cpu"):
        relu: "f32[32, 32][32, 1]cpu" = torch.ops.aten.relu.default(x)
        cat: "f32[128, 32][32, 1]cpu" = torch.ops.aten.cat.default([x, relu, x, relu]);  x = None
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(cat);  cat = None
        neg: "f32[32, 32][32, 1]cpu" = torch.ops.aten.neg.default(relu);  neg = None
        mul: "f32[32, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(relu, sum_1);  relu = sum_1 = None
        return (mul,)
)";

}  // namespace

class TestMemoryPanel : public QObject {
    Q_OBJECT

private slots:
    void init() {
        session_ = std::make_unique<Session>();
        panel_ = std::make_unique<MemoryPanel>(*session_);
        panel_->resize(1100, 420);
        panel_->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
    }

    void cleanup() {
        panel_.reset();
        session_.reset();
    }

    void saysWhatWouldFillIt() {
        QVERIFY(label("memory.empty")->isVisible());
        QVERIFY(label("memory.empty")->text().contains(QLatin1String("Open a graph")));
        QVERIFY(!panel_->chart()->isVisible());
    }

    void predictsAsSoonAsAGraphIsOpen() {
        openKv();
        QVERIFY(panel_->chart()->isVisible());
        const QJsonObject drawn = panel_->chart()->dump();
        QCOMPARE(drawn["curves"].toArray().size(), 1);
        QCOMPARE(drawn["curves"].toArray()[0].toObject()["source"].toString(), QStringLiteral("predicted"));
        QVERIFY(drawn["curves"].toArray()[0].toObject()["peak"].toInteger() > 0);
        QVERIFY(label("memory.caption")->text().contains(QLatin1String("not measured")));
        QVERIFY(!drawn["blocks"].toArray().isEmpty());
    }

    void mGoesToThePeakAndSelectsItsNode() {
        openKv();
        QTest::keyClick(panel_->chart(), Qt::Key_Right);
        panel_->goToPeak();
        const MemoryProfile& profile = *panel_->chart()->curves().front().profile;
        QCOMPARE(panel_->chart()->cursor(), profile.log().peakSeq);
        QCOMPARE(session_->selection().node, profile.uidAt(profile.log().peakSeq));
        QVERIFY(label("memory.cursor")->text().contains(bytesText(profile.log().peakExact)));
        // Everything that is live at the peak adds up to it.
        std::int64_t sum = 0;
        const auto* table = panel_->findChild<QTableView*>(QStringLiteral("memory.live"));
        for (int row = 0; row < table->model()->rowCount(); ++row)
            sum += table->model()->index(row, BlockModel::Size).data(BlockModel::SortRole).toLongLong();
        QCOMPARE(sum, profile.log().peakExact);
    }

    void arrowsStepThroughWhatChangesMemory() {
        openKv();
        MemoryChart* chart = panel_->chart();
        const MemoryProfile& profile = *chart->curves().front().profile;
        chart->setCursor(0);
        std::int64_t last = 0;
        int steps = 0;
        while (true) {
            QTest::keyClick(chart, Qt::Key_Right);
            if (chart->cursor() == last) break;
            last = chart->cursor();
            ++steps;
            QVERIFY(profile.delta(last, memory::Accounting::Exact) != 0);
        }
        QVERIFY(steps > 4);
        chart->setCursor(0);
        int big = 0;
        for (last = 0;; ++big) {
            QTest::keyClick(chart, Qt::Key_Right, Qt::ControlModifier);
            if (chart->cursor() == last) break;
            last = chart->cursor();
            QVERIFY(std::abs(profile.delta(last, memory::Accounting::Exact)) * 20 >= profile.log().peakExact);
        }
        QVERIFY(big >= 1 && big <= steps);
        QTest::keyClick(chart, Qt::Key_Left);
        QVERIFY(chart->cursor() < last);
    }

    void aClickInTheCurveMovesTheCursor() {
        openKv();
        MemoryChart* chart = panel_->chart();
        const QRect plot = chart->plotRect();
        const std::int64_t third = chart->curves().front().profile->events() / 3;
        QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(int(chart->xOf(double(third) + 0.5)), plot.center().y()));
        QCOMPARE(chart->cursor(), third);
        QVERIFY(label("memory.cursor")->text().startsWith(QStringLiteral("event %1 ").arg(grouped(third))));
    }

    void aBlockSelectsItsNodeAndANodeItsBlock() {
        openText();
        MemoryChart* chart = panel_->chart();
        const MemoryProfile& profile = *chart->curves().front().profile;
        const Uid big = session_->view()->nodeNamed("cat")->uid;
        const auto blocks = profile.blocksOf(big);
        QCOMPARE(blocks.size(), std::size_t(1));
        const QRect box = chart->blockRect(blocks.front());
        QVERIFY(!box.isEmpty());
        QTest::mouseClick(chart, Qt::LeftButton, {}, box.center());
        QCOMPARE(session_->selection().node, big);

        const Uid keep = session_->view()->nodeNamed("relu")->uid;
        session_->selectNode(keep, Origin::Graph);
        QCOMPARE(chart->cursor(), profile.seqOf(keep));
        const auto* table = panel_->findChild<QTableView*>(QStringLiteral("memory.live"));
        QCOMPARE(table->currentIndex().siblingAtColumn(BlockModel::Node).data().toString(), QStringLiteral("%relu"));
    }

    void theTableSaysWhyABlockIsAlive() {
        openText();
        const auto* table = panel_->findChild<QTableView*>(QStringLiteral("memory.live"));
        session_->selectNode(session_->view()->nodeNamed("cat")->uid, Origin::Graph);
        QCOMPARE(why(table, "%cat"), QStringLiteral("read last by %sum_1"));
        QCOMPARE(why(table, "%relu"), QStringLiteral("read last by %mul"));
        session_->selectNode(session_->view()->nodeNamed("neg")->uid, Origin::Graph);
        QCOMPARE(why(table, "%neg"), QStringLiteral("never read"));
        session_->selectNode(session_->view()->nodeNamed("mul")->uid, Origin::Graph);
        QCOMPARE(why(table, "%mul"), QStringLiteral("returned by the graph"));
    }

    void aRowOfTheTableSelectsItsNode() {
        openText();
        session_->selectNode(session_->view()->nodeNamed("cat")->uid, Origin::Graph);
        auto* table = panel_->findChild<QTableView*>(QStringLiteral("memory.live"));
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex at = table->model()->index(row, BlockModel::Node);
            if (at.data().toString() != QLatin1String("%relu")) continue;
            QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(at).center());
        }
        QCOMPARE(session_->selection().node, session_->view()->nodeNamed("relu")->uid);
    }

    void holdersAddUpToThePeak() {
        openKv();
        auto* by = panel_->findChild<QComboBox*>(QStringLiteral("memory.by"));
        auto* table = panel_->findChild<QTableView*>(QStringLiteral("memory.holders"));
        QVERIFY(by->count() >= 4);
        for (int i = 0; i < by->count(); ++i) {
            by->setCurrentIndex(i);
            emit by->activated(i);
            QVERIFY(table->model()->rowCount() > 0);
            double share = 0;
            for (int row = 0; row < table->model()->rowCount(); ++row)
                share += table->model()->index(row, HolderModel::Share).data().toString().section(QLatin1Char(' '), 0, 0).toDouble();
            QVERIFY(std::abs(share - 100) < 1);
        }
    }

    void stagesAreOverlaid() {
        openKv();
        overlay(1);
        QVERIFY(settled(*session_));
        const QJsonArray curves = panel_->chart()->dump()["curves"].toArray();
        QCOMPARE(curves.size(), 2);
        QCOMPARE(curves[1].toObject()["stage"].toInt(), 1);
        QVERIFY(curves[0].toObject()["colour"] != curves[1].toObject()["colour"]);
        const MemoryCurve& other = panel_->chart()->curves()[1];
        QVERIFY(std::is_sorted(other.places->begin(), other.places->end()));
        QCOMPARE(other.places->back(), double(panel_->chart()->curves()[0].profile->events()));
        // A node that both stages have stands at one place.
        const MemoryProfile& reference = *panel_->chart()->curves()[0].profile;
        int shared = 0;
        for (std::int64_t seq = 0; seq < other.profile->events(); ++seq) {
            const Uid uid = other.profile->uidAt(seq);
            const auto mine = other.profile->eventsOf(uid), theirs = reference.eventsOf(uid);
            if (mine && theirs && mine->second == seq && (*other.places)[std::size_t(seq) + 1] == double(theirs->second + 1)) ++shared;
        }
        QVERIFY(shared > 3);
    }

    void measuredAndPredictedAreToldApart() {
        openKv();
        const QString predicted = panel_->chart()->dump()["curves"].toArray()[0].toObject()["colour"].toString();
        RunRequest request;
        request.stages = {session_->stage()};
        QVERIFY(session_->runStages(request));
        QVERIFY(settled(*session_));
        auto* source = panel_->findChild<QComboBox*>(QStringLiteral("memory.source"));
        QVERIFY(source->count() >= 2);
        source->setCurrentIndex(1);
        emit source->activated(1);
        QVERIFY(settled(*session_));
        const QJsonObject curve = panel_->chart()->dump()["curves"].toArray()[0].toObject();
        QCOMPARE(curve["source"].toString(), QStringLiteral("measured"));
        QVERIFY(curve["colour"].toString() != predicted);
        QVERIFY(label("memory.caption")->text().startsWith(QLatin1String("measured: run")));
        // Stepping stays with what is measured, and says where nothing is.
        const int last = session_->stage();
        const auto sourceAt = [&](int stage) {
            session_->setStage(stage);
            return settled(*session_) ? panel_->chart()->dump()["curves"].toArray()[0].toObject()["source"].toString() : QString();
        };
        QCOMPARE(sourceAt(1), QStringLiteral("measured"));   // the first stage ran too, to be compared with
        QCOMPARE(sourceAt(3), QStringLiteral("predicted"));  // the second, lower-torch, changed nothing: what the first measured holds there
        QVERIFY(label("memory.caption")->text().contains(QLatin1String("not measured")));
        QCOMPARE(source->currentIndex(), 0);
        QCOMPARE(sourceAt(last), QStringLiteral("measured"));
    }

    void draggingLimitsTheTable() {
        openText();
        MemoryChart* chart = panel_->chart();
        const QRect plot = chart->plotRect();
        const auto* table = panel_->findChild<QTableView*>(QStringLiteral("memory.live"));
        QTest::mousePress(chart, Qt::LeftButton, {}, QPoint(plot.left() + 2, plot.center().y()));
        QTest::mouseMove(chart, QPoint(plot.center().x(), plot.center().y()));
        QTest::mouseMove(chart, QPoint(plot.right() - 2, plot.center().y()));
        QTest::mouseRelease(chart, Qt::LeftButton, {}, QPoint(plot.right() - 2, plot.center().y()));
        QVERIFY(chart->range());
        QCOMPARE(table->model()->rowCount(), 5);  // everything that the graph allocates
        QTest::mouseClick(chart, Qt::LeftButton, {}, plot.center());
        QVERIFY(!chart->range());
    }

    void zoomKeepsThePlaceUnderThePointer() {
        openKv();
        MemoryChart* chart = panel_->chart();
        const double before = chart->dump()["to"].toDouble();
        const double x = chart->plotRect().left() + chart->plotRect().width() * 0.25;
        chart->zoomBy(2, x);
        const QJsonObject now = chart->dump();
        QCOMPARE(now["to"].toDouble() - now["from"].toDouble(), before / 2);
        QCOMPARE(std::lround(chart->xOf(before / 4)), std::lround(x));
        QTest::keyClick(chart, Qt::Key_0);
        QCOMPARE(chart->dump()["to"].toDouble(), before);
    }

    void theCommandAsksForTheSame() {
        openText();
        session_->selectNode(session_->view()->nodeNamed("cat")->uid, Origin::Graph);
        QVERIFY2(panel_->command().contains(QLatin1String("memory")) && panel_->command().contains(QLatin1String("--at cat")),
                 qPrintable(panel_->command()));
    }

    void aGraphWithoutShapesSaysSo() {
        OpenRequest request;
        request.text = QStringLiteral("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return (x,)\n");
        session_->open(request);
        QVERIFY(settled(*session_));
        QVERIFY(label("memory.empty")->isVisible());
        QVERIFY(label("memory.empty")->text().startsWith(QLatin1String("No memory to show for stage")));
    }

    /// The area between two curves is hatched where they differ.
    void twoCurvesShowTheirDifference() {
        openKv();
        const QImage alone = panel_->chart()->grab().toImage();
        overlay(3);
        QVERIFY(settled(*session_));
        const QImage both = panel_->chart()->grab().toImage();
        const QRect plot = panel_->chart()->plotRect();
        int changed = 0;
        for (int y = plot.top(); y < plot.bottom(); ++y)
            for (int x = plot.left(); x < plot.right(); ++x) changed += alone.pixel(x, y) != both.pixel(x, y) ? 1 : 0;
        QVERIFY(changed > 500);
    }

    /// Printed, not asserted: machines differ (ui.md 8 wants 16 ms).
    void cursorTime() {
        session_->open(sampleRequest("gpt2_train_joint.py", "dce"));
        QVERIFY(settled(*session_));
        MemoryChart* chart = panel_->chart();
        std::vector<double> ms;
        for (int i = 0; i < 200; ++i) {
            QElapsedTimer clock;
            clock.start();
            QTest::keyClick(chart, Qt::Key_Right);
            panel_->repaint();
            ms.push_back(double(clock.nsecsElapsed()) / 1e6);
        }
        std::sort(ms.begin(), ms.end());
        qInfo("moving the cursor in a graph of 2,941 nodes: median %.1f ms, worst %.1f ms", ms[ms.size() / 2], ms.back());
        QVERIFY(chart->cursor() > 100);
    }

    /// Four curves of a million events; printed, not asserted (ui.md 8 wants 16 ms).
    void paintTimeOfAMillionEvents() {
        struct Kept {
            memory::EventLog log;
        };
        auto kept = std::make_shared<Kept>();
        constexpr std::int64_t kEvents = 1'000'000, kHeld = 400;
        std::int64_t live = 0;
        for (std::int64_t i = 0; i < kEvents; ++i) {
            memory::Event event;
            const bool freeing = i % 2 == 1 && i > 2 * kHeld;
            const std::int64_t number = freeing ? i / 2 - kHeld : i / 2 + (i % 2 == 1 ? kEvents : 0);
            event.kind = freeing ? memory::EventKind::Free : memory::EventKind::Alloc;
            event.site.node = NodeId(std::uint32_t(1 + i / 2 % 3000));
            event.storage = memory::StorageId(number);
            event.exact = event.charged = 512 * (1 + number % 97);
            live += freeing ? -event.exact : event.exact;
            event.liveExact = event.liveCharged = live;
            kept->log.add(event);
        }
        auto snapshot = std::make_shared<StageSnapshot>();
        snapshot->stage.idx = 1;
        MemoryChart chart;
        chart.resize(1600, 700);
        QElapsedTimer clock;
        clock.start();
        std::vector<MemoryCurve> curves(4);
        for (MemoryCurve& curve : curves)
            curve.profile = std::make_shared<MemoryProfile>(kept, kept->log, std::make_shared<const memory::MemoryReport>(kept->log), snapshot,
                                                            [](const memory::Site& site) { return Uid(site.node.value); });
        auto places = std::make_shared<std::vector<double>>(std::size_t(kEvents) + 1);
        for (std::int64_t i = 0; i <= kEvents; ++i) (*places)[std::size_t(i)] = double(i);
        for (std::size_t i = 1; i < curves.size(); ++i) curves[i].places = places;
        const qint64 made = clock.restart();
        chart.setCurves(std::move(curves));
        const qint64 arranged = clock.restart();
        std::vector<double> ms;
        for (int i = 0; i < 20; ++i) {
            clock.restart();
            chart.setCursor(kEvents / 20 * i);
            QVERIFY(!chart.grab().isNull());
            ms.push_back(double(clock.nsecsElapsed()) / 1e6);
        }
        std::sort(ms.begin(), ms.end());
        qInfo("4 curves of %lld events: read %lld ms, arranged %lld ms, painted in %.1f ms (median)", static_cast<long long>(kEvents),
              static_cast<long long>(made), static_cast<long long>(arranged), ms[ms.size() / 2]);
        QCOMPARE(chart.dump()["curves"].toArray().size(), 4);
    }

    void bothThemesDraw() {
        openKv();
        for (ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
            applyTheme(theme);
            const QImage picture = panel_->grab().toImage();
            const MemoryChart* chart = panel_->chart();
            const QColor wanted = Palette::active()(chart->curves().front().role);
            int found = 0;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x) found += picture.pixelColor(x, y) == wanted ? 1 : 0;
            QVERIFY(found > 100);
        }
    }

private:
    void openKv() {
        session_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settled(*session_));
        QVERIFY(session_->isOpen());
    }

    void openText() {
        OpenRequest request;
        request.text = QLatin1String(kGraph);
        request.pipeline = QStringLiteral("dce");
        session_->open(request);
        QVERIFY(settled(*session_));
        session_->setStage(1);
        QVERIFY(settled(*session_));
        QVERIFY(panel_->chart()->isVisible());
    }

    void overlay(int stage) {
        auto* menu = panel_->findChild<QMenu*>(QStringLiteral("memory.stages.menu"));
        emit menu->aboutToShow();
        for (QAction* entry : menu->actions())
            if (entry->text().startsWith(QStringLiteral("%1 ").arg(stage))) entry->trigger();
    }

    static QString why(const QTableView* table, const char* node) {
        for (int row = 0; row < table->model()->rowCount(); ++row)
            if (table->model()->index(row, BlockModel::Node).data().toString() == QLatin1String(node))
                return table->model()->index(row, BlockModel::Why).data().toString();
        return QStringLiteral("not in the table");
    }

    QLabel* label(const char* name) const { return panel_->findChild<QLabel*>(QLatin1String(name)); }

    std::unique_ptr<Session> session_;
    std::unique_ptr<MemoryPanel> panel_;
};

ALC_WIDGET_TEST(TestMemoryPanel)
#include "tst_memory_panel.moc"
