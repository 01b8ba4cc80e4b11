// Two pipelines side by side, by keys and clicks.

#include <QApplication>
#include <QComboBox>
#include <QJsonArray>
#include <QLabel>
#include <QTableView>
#include <QTest>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/canvas/graph_canvas.h"
#include "views/models/format.h"
#include "views/panels/compare_panel.h"
#include "views/panels/memory_panel.h"
#include "views/panels/stage_panel.h"

using namespace aliascope;

class TestComparePanel : public QObject {
    Q_OBJECT

private slots:
    void init() {
        window_ = openWindow();
        QVERIFY(window_);
        window_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settled(window_->session()));
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
    }

    void theCounterpartRunsAndStandsBeside() {
        ComparePanel* compare = window_->comparePanel();
        QVERIFY(compare->active() && compare->isVisible());
        QCOMPARE(window_->session().data().lanes.size(), 2u);
        QCOMPARE(window_->session().lane()->name, std::string("torch-v1"));
        const QString text = compare->differences();
        QVERIFY2(text.contains(QLatin1String("first differ at stage 3 functionalize")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("clones 8 / 0")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("cloned 1.69 MiB / 0 B")), qPrintable(text));
        auto* table = window_->findChild<QTableView*>(QStringLiteral("compare.table"));
        QCOMPARE(table->model()->rowCount(), 2);
        QVERIFY(compare->command().startsWith(
            QLatin1String("aliascope compare kv_cache_layers.py:torch-v1 kv_cache_layers.py:torch-v2 --ops mylib.ops")));
    }

    void stagesStepTogether() {
        ComparePanel* compare = window_->comparePanel();
        QTest::keyClick(compare->canvasA(), Qt::Key_Home);
        QVERIFY(settled(window_->session()));
        QCOMPARE(compare->canvasA()->stage()->stage, 1);
        QCOMPARE(compare->canvasB()->stage()->stage, 1);
        QVERIFY(compare->second()->matching.onlyA.empty());
        QTest::keyClick(compare->canvasA(), Qt::Key_End);
        QVERIFY(settled(window_->session()));
        QCOMPARE(compare->canvasB()->stage()->stage, compare->pair()->comparison.stagesB.back().idx);
        QVERIFY(!compare->second()->matching.onlyA.empty());
    }

    void theSelectionIsLinked() {
        ComparePanel* compare = window_->comparePanel();
        Session& session = window_->session();
        const NodeRow* call = session.view()->nodeNamed("mm");
        QVERIFY(call);
        session.selectNode(call->uid, Origin::Program);
        QCOMPARE(compare->second()->matching.toB.at(call->uid), call->uid);  // of the imported graph
        // A clone has no counterpart: that is said, not hidden.
        QTest::keyClick(compare->canvasA(), Qt::Key_C);
        QVERIFY(settled(session));
        auto* strip = window_->findChild<QLabel*>(QStringLiteral("compare.strip"));
        QVERIFY(strip->isVisible());
        QVERIFY(strip->text().contains(QLatin1String("has no counterpart")));
        // The other side still shows what stands around it.
        QVERIFY(!compare->canvasB()->dump()[QStringLiteral("cards")].toArray().isEmpty());
        QVERIFY(compare->canvasA()->viewport()->rect().intersects(compare->canvasA()->cardRect(session.selection().node)));
        // A click at the right selects the counterpart at the left.
        const Uid right = compare->second()->matching.toB.at(call->uid);
        compare->canvasB()->reveal(right);
        QCoreApplication::processEvents();
        const QRect card = compare->canvasB()->cardRect(right);
        QVERIFY(!card.isEmpty());
        QTest::mouseClick(compare->canvasB()->viewport(), Qt::LeftButton, Qt::NoModifier, card.center());
        QCOMPARE(session.selection().node, call->uid);
        QVERIFY(!strip->isVisible());
        keepPictures(*window_, QStringLiteral("compare"));
    }

    void swapAndEnd() {
        ComparePanel* compare = window_->comparePanel();
        QTest::keyClick(compare->canvasA(), Qt::Key_Tab, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
        QCOMPARE(window_->session().lane()->name, std::string("torch-v2"));
        QVERIFY(compare->active());
        QVERIFY2(compare->differences().contains(QLatin1String("clones 0 / 8")), qPrintable(compare->differences()));
        QTest::keyClick(compare->canvasA(), Qt::Key_L);
        QVERIFY(settled(window_->session()));
        QVERIFY(compare->textShown());
        QTest::mouseClick(window_->findChild<QWidget*>(QStringLiteral("compare.close")), Qt::LeftButton);
        QVERIFY(!compare->active());
        QVERIFY(window_->stagePanel()->isVisible());
    }

    void bothMemoryCurvesLieOverEachOther() {
        QTest::keyClick(window_->comparePanel()->canvasA(), Qt::Key_End);
        QVERIFY(settled(window_->session()));
        QTest::keyClick(window_->comparePanel()->canvasA(), Qt::Key_M);
        QVERIFY(settled(window_->session()));
        auto* memory = window_->findChild<MemoryPanel*>();
        QVERIFY(memory->isVisible());
        const auto& curves = memory->chart()->curves();
        QCOMPARE(curves.size(), std::size_t(2));
        QVERIFY(curves[0].lane.isEmpty());
        QCOMPARE(curves[1].lane, QStringLiteral("torch-v2"));
        // Nodes of the imported graph stand at one place of the axis.
        const NodeRow* mm = window_->session().view()->nodeNamed("mm");
        const Uid there = window_->comparePanel()->second()->matching.toB.at(mm->uid);
        const auto here = curves[0].profile->eventsOf(mm->uid), beside = curves[1].profile->eventsOf(there);
        QVERIFY(here && beside);
        QCOMPARE((*curves[1].places)[std::size_t(beside->second) + 1], double(here->second + 1));
        const std::int64_t more = curves[0].profile->peak(memory::Accounting::Exact) - curves[1].profile->peak(memory::Accounting::Exact);
        QVERIFY(more > 0);
        const QString caption = window_->findChild<QLabel*>(QStringLiteral("memory.caption"))->text();
        QVERIFY2(caption.contains(QStringLiteral("torch-v1 holds %1 more").arg(bytesText(more))), qPrintable(caption));
        keepPictures(*window_, QStringLiteral("compare-memory"));
        // Stepping takes both along; ending takes the second one away.
        QTest::keyClick(window_->comparePanel()->canvasA(), Qt::Key_Home);
        QVERIFY(settled(window_->session()));
        QCOMPARE(memory->chart()->curves().size(), std::size_t(2));
        QCOMPARE(memory->chart()->curves()[1].profile->stage(), 1);
        QTest::mouseClick(window_->findChild<QWidget*>(QStringLiteral("compare.close")), Qt::LeftButton);
        QVERIFY(settled(window_->session()));
        QCOMPARE(memory->chart()->curves().size(), std::size_t(1));
    }

    void numericsStandInTheDifferences() {
        window_->open(sampleRequest("overlapping_views.py", "torch-v1"));
        QVERIFY(settled(window_->session()));
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
        ComparePanel* compare = window_->comparePanel();
        QVERIFY(!compare->differences().contains(QLatin1String("numerics")));
        QTest::keyClick(compare->canvasA(), Qt::Key_F5, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
        QVERIFY2(compare->differences().contains(QLatin1String("numerics differs from stage")), qPrintable(compare->differences()));
        QVERIFY2(compare->differences().contains(QLatin1String("/ not run")), qPrintable(compare->differences()));
        // The other lane, too: Ctrl+Tab, Ctrl+F5.
        QTest::keyClick(compare->canvasA(), Qt::Key_Tab, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
        QTest::keyClick(compare->canvasA(), Qt::Key_F5, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
        QVERIFY2(compare->differences().contains(QLatin1String("numerics equal / differs from stage")), qPrintable(compare->differences()));
    }

    void theSameIsSaid() {
        window_->open(sampleRequest("full_written.py", "torch-v2"));
        QVERIFY(settled(window_->session()));
        QVERIFY(!window_->comparePanel()->active());
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
        const QString text = window_->comparePanel()->differences();
        QVERIFY2(text.startsWith(QLatin1String("torch-v2 and torch-v1 give the same final graph")), qPrintable(text));
    }

private:
    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestComparePanel)
#include "tst_compare_panel.moc"
