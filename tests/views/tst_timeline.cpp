// The timeline under real keys and clicks: filters, editing of the pipeline with undo, stale stages, and stages beside each other as text.

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QStatusBar>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/models/format.h"
#include "views/models/pass_list_model.h"
#include "views/panels/diff_pane.h"
#include "views/panels/stage_panel.h"
#include "views/panels/step_form.h"
#include "views/panels/trail_banner.h"

using namespace aliascope;

class TestTimeline : public QObject {
    Q_OBJECT

private slots:
    void init() {
        window_ = openWindow();
        QVERIFY(window_);
        window_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settled(session()));
        list()->setFocus();
    }
    void cleanup() { window_.reset(); }

    void filterSpeaksTheLanguage_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("stages");
        const auto row = [](const char* text, const QStringList& stages) { QTest::newRow(text) << text << stages; };
        row("dce", {"dce"});
        row("clones>=1", {"decompose-functionalized"});
        row("bytes>1M clone", {"decompose-functionalized"});
        row("op:auto_functionalized -dce", {"functionalize", "decompose-functionalized"});
        row("touches:%clone_default_1", {"decompose-functionalized"});
        row("verdict:clone", {"reinplace"});
        row("nothing_like_this", {});
    }
    void filterSpeaksTheLanguage() {
        QFETCH(QString, text);
        QFETCH(QStringList, stages);
        auto* filter = window_->findChild<QLineEdit*>(QStringLiteral("passes.filter"));
        QTest::keyClicks(filter, text);
        QVERIFY(settled(session()));
        QStringList shown;
        for (int row = 0; row < list()->model()->rowCount(); ++row) shown << name(row);
        QCOMPARE(shown, stages);
    }

    void filterNamesMistakes() {
        auto* filter = window_->findChild<QLineEdit*>(QStringLiteral("passes.filter"));
        auto* mistake = window_->findChild<QLabel*>(QStringLiteral("passes.filter.mistake"));
        QTest::keyClicks(filter, QStringLiteral("dce bytes>"));
        QVERIFY(mistake->isVisible());
        QVERIFY2(mistake->text().startsWith(QStringLiteral("column 11: ")), qPrintable(mistake->text()));
        QCOMPARE(list()->model()->rowCount(), 1);  // the rest filters all the same
        filter->clear();
        QVERIFY(!mistake->isVisible());
    }

    void stepsAreSwitchedMovedAndUndone() {
        QAbstractItemModelTester tester(list()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const int reinplace = rowOf("reinplace");
        QVERIFY(reinplace > 2);
        choose(reinplace);
        const QString recorded = session().draft().text();
        QTest::keyClick(list(), Qt::Key_E, Qt::ShiftModifier);
        QVERIFY(session().draft().edited());
        QCOMPARE(state(reinplace), QStringLiteral("off"));
        QCOMPARE(state(reinplace - 1), QStringLiteral("ok"));
        QCOMPARE(state(reinplace + 1), QStringLiteral("stale"));
        QVERIFY(!session().draft().text().contains(QStringLiteral("reinplace")));
        choose(reinplace);
        QTest::keyClick(list(), Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(name(reinplace - 1), QStringLiteral("reinplace"));
        QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(name(reinplace), QStringLiteral("reinplace"));
        QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!session().draft().edited());
        QCOMPARE(session().draft().text(), recorded);
        QCOMPARE(state(reinplace), QStringLiteral("ok"));
        QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(session().draft().edited());
    }

    void optionsAreEditedInTheTimelineAndRun() {
        const int functionalize = rowOf("functionalize");
        choose(functionalize);
        auto* form = window_->findChild<StepForm*>(QStringLiteral("passes.form"));
        QVERIFY(!form->isVisible());
        QTest::keyClick(list(), Qt::Key_E);
        QVERIFY(form->isVisible());
        auto* option = form->findChild<QComboBox*>(QStringLiteral("passes.form.option.custom-ops"));
        QVERIFY(option);
        QCOMPARE(option->currentText(), QStringLiteral("v1"));
        option->setFocus();
        for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Up, Qt::Key_Up, Qt::Key_Up})
            if (option->currentText() != QLatin1String("v2")) QTest::keyClick(option, key);
        QCOMPARE(option->currentText(), QStringLiteral("v2"));
        QTRY_VERIFY(session().draft().edited());
        QCOMPARE(state(functionalize), QStringLiteral("stale"));
        keepPicture(*window_, QStringLiteral("timeline_edited"));
        QVERIFY(session().draft().text().contains(QStringLiteral("functionalize{custom-ops=v2")));
        const auto lanes = session().data().lanes.size();
        QTest::mouseClick(form->findChild<QPushButton*>(QStringLiteral("passes.form.run")), Qt::LeftButton);
        QVERIFY(settled(session()));
        QCOMPARE(session().data().lanes.size(), lanes + 1);
        QVERIFY(!session().draft().edited());
        QCOMPARE(state(functionalize), QStringLiteral("ok"));
        QCOMPARE(session().data().stages.back().clones, 0);  // v2 leaves no clone
        // Undo outlives the run: its result then is stale.
        QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(session().draft().edited());
        QCOMPARE(state(functionalize), QStringLiteral("stale"));
    }

    void stagesStandBesideEachOther() {
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_L);
        QTest::keyClick(window_->stagePanel()->textPane(), Qt::Key_R, Qt::ShiftModifier);
        QVERIFY(settled(session()));
        DiffPane* pane = window_->stagePanel()->diffPane();
        QVERIFY(pane->isVisible() && pane->shown());
        const SideBySide& shown = *pane->shown();
        QVERIFY(!shown.hunks.empty());
        int left = 0, right = 0;
        for (const SideBySide::Row& row : shown.rows) {  // every line of both once, in order
            if (row.left >= 0) QCOMPARE(row.left, left++);
            if (row.right >= 0) QCOMPARE(row.right, right++);
        }
        QCOMPARE(left, int(shown.left->lines.size()));
        QCOMPARE(right, int(shown.right->lines.size()));
        for (const SideBySide::Row& row : shown.rows)
            if (row.mark == ' ') QCOMPARE(shown.left->lines[std::size_t(row.left)], shown.right->lines[std::size_t(row.right)]);
        pane->right()->setFocus();
        QTest::keyClick(pane->right(), Qt::Key_Down, Qt::AltModifier);
        keepPicture(*window_, QStringLiteral("side_by_side"));
        QVERIFY2(pane->said().startsWith(QStringLiteral("hunk 1 of ")), qPrintable(pane->said()));
        pane->right()->verticalScrollBar()->setValue(7);
        QCOMPARE(pane->left()->verticalScrollBar()->value(), 7);
    }

    void whatIsAlikeIsLeftOut() {
        window_->stagePanel()->setSideBySide(true);
        QVERIFY(settled(session()));
        DiffPane* pane = window_->stagePanel()->diffPane();
        const SideBySide& both = *pane->shown();
        const int all = pane->right()->source()->lineCount();
        QCOMPARE(all, int(both.rows.size()));
        window_->action(QStringLiteral("view.unchanged"))->trigger();
        const LineSource* lines = pane->right()->source();
        const int fewer = lines->lineCount();
        QVERIFY(fewer < all);
        // Every row that differs is there, and the lines that stand for others say how many they are: nothing is lost.
        int differing = 0, shownDiffering = 0, folded = -1, counted = 0;
        for (const SideBySide::Row& row : both.rows) differing += row.mark != ' ' ? 1 : 0;
        for (int line = 0; line < fewer; ++line) {
            const char mark = lines->mark(line);
            if (mark != '=') {
                ++counted;
                shownDiffering += mark != ' ' ? 1 : 0;
                continue;
            }
            QCOMPARE(pane->left()->source()->line(line), lines->line(line));
            QCOMPARE(lines->numberOf(line), 0);
            counted += lines->line(line).split(QLatin1Char(' ')).value(1).toInt();
            if (folded < 0) folded = line;
        }
        QCOMPARE(shownDiffering, differing);
        QCOMPARE(counted, all);
        QVERIFY(folded >= 0);
        keepPicture(*window_, QStringLiteral("side_by_side_changes_only"));
        // A click brings the run back; so does selecting a node in another one.
        pane->right()->verticalScrollBar()->setValue(folded);
        const QRect at = pane->right()->lineRect(folded);
        QVERIFY(!at.isEmpty());
        QTest::mouseClick(pane->right()->viewport(), Qt::LeftButton, {}, QPoint(200, at.center().y()));
        QVERIFY(pane->right()->source()->lineCount() > fewer);
        window_->action(QStringLiteral("view.unchanged"))->trigger();
        window_->action(QStringLiteral("view.unchanged"))->trigger();
        QCOMPARE(pane->right()->source()->lineCount(), fewer);
        Uid hidden = kNoUid;
        for (const auto& [uid, line] : both.right->lineOf)
            if (pane->right()->source()->lineOf(uid) < 0) hidden = uid;
        QVERIFY(hidden != kNoUid);
        session().selectNode(hidden, Origin::Program);
        QVERIFY(pane->right()->selectedLine() >= 0);
        QVERIFY(pane->right()->source()->lineCount() > fewer);
    }

    void renamedNodesCanCountAsAlike() {
        const auto text = [](std::vector<std::pair<const char*, Uid>> lines) {
            auto out = std::make_shared<StageText>();
            for (const auto& [line, uid] : lines) {
                out->lines.push_back(QString::fromLatin1(line));
                out->uidOfLine.push_back(uid);
                out->lineOf[uid] = int(out->lines.size()) - 1;
                out->uidOfName[out->lines.back().section(QLatin1Char(' '), 0, 0).toStdString()] = uid;
            }
            return out;
        };
        const StageTextPtr before = text({{"a = f(x)", 1}, {"b = g(a)", 2}, {"c = g(b)", 3}});
        const StageTextPtr after = text({{"a_1 = f(x)", 1}, {"b = g(a_1)", 2}, {"c = g(a_1)", 3}});
        const auto marks = [](const SideBySide& both) {
            QString out;
            for (const SideBySide::Row& row : both.rows) out += QLatin1Char(row.mark);
            return out;
        };
        QCOMPARE(marks(*alignTexts(before, after)), QStringLiteral("~~~"));
        QCOMPARE(marks(*alignTexts(before, after, Renames::Ignored)), QStringLiteral("  ~"));  // the third reads another node
    }

    void aStepIsDraggedToAnotherPlace() {
        QStringList before;
        for (const DraftStep& step : session().draft().steps()) before << QString::fromStdString(step.str());
        QVERIFY(before.size() >= 3);
        QAbstractItemModel* model = list()->model();
        QVERIFY(!(model->flags(model->index(0, 0)) & Qt::ItemIsDragEnabled));  // the graph as it was opened is no step
        const auto drop = [&](int row, int above) {
            const std::unique_ptr<QMimeData> data(model->mimeData({model->index(row, 0)}));
            list()->scrollTo(model->index(above, 0));
            const QRect target = list()->visualRect(model->index(above, 0));
            const QPoint at(target.center().x(), target.top());
            QDragEnterEvent enter(at, Qt::MoveAction, data.get(), Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(list()->viewport(), &enter);
            QDragMoveEvent move(at, Qt::MoveAction, data.get(), Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(list()->viewport(), &move);
            QDropEvent event(at, Qt::MoveAction, data.get(), Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(list()->viewport(), &event);
            QCoreApplication::processEvents();
            QStringList now;
            for (const DraftStep& step : session().draft().steps()) now << QString::fromStdString(step.str());
            return now;
        };
        QStringList wanted = before;
        wanted.move(2, 0);
        QCOMPARE(drop(3, 1), wanted);
        QVERIFY(session().draft().edited());
        QCOMPARE(name(1), QString::fromStdString(std::string(session().draft().steps()[0].step.pass->name())));
        QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!session().draft().edited());
        wanted = before;
        wanted.move(0, 1);
        QCOMPARE(drop(1, 3), wanted);  // the place that it leaves closes up
        QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(drop(2, 0), before);  // nothing stands before the graph as it was opened
    }

    void theFormStandsUnderItsRow() {
        const int row = rowOf("functionalize");
        choose(row);
        QTest::keyClick(list(), Qt::Key_E);
        QCoreApplication::processEvents();
        auto* form = window_->findChild<StepForm*>(QStringLiteral("passes.form"));
        QVERIFY(form->isVisible());
        const auto place = [&](int of) { return list()->visualRect(list()->model()->index(of, 0)); };
        const auto stands = [&](int of) {
            return form->geometry().bottom() == place(of).bottom() && form->geometry().top() > place(of).top() + 20 &&
                   form->geometry().bottom() < place(of + 1).top();
        };
        QVERIFY(stands(row));
        keepPicture(*window_, QStringLiteral("timeline_form"));
        choose(row + 1);
        QCoreApplication::processEvents();
        QVERIFY(stands(row + 1));
        QVERIFY(place(row).height() < form->height());
        list()->setFocus();
        QTest::keyClick(list(), Qt::Key_E);
        QCoreApplication::processEvents();
        QVERIFY(!form->isVisible());
        QVERIFY(place(row + 1).height() < form->height());
    }

    void pinsLeaveATrail() {
        auto* trail = window_->findChild<TrailBanner*>(QStringLiteral("stage.trail"));
        QVERIFY(trail && trail->text().isEmpty());
        const int last = session().stage();
        const StageViewPtr end = session().view();
        choose(rowOf("functionalize"));
        const NodeRow *wrapper = nullptr, *result = nullptr;  // one keeps its place in the program under another name, one goes
        for (const NodeRowPtr& node : session().view()->snapshot->nodes) {
            if (!wrapper && node->name.starts_with("auto_functionalized")) wrapper = node.get();
            if (!result && node->name.starts_with("getitem") && !end->node(node->uid)) result = node.get();
        }
        QVERIFY(wrapper && result);
        session().togglePin(wrapper->uid);
        QVERIFY(settled(session()));
        QVERIFY(trail->isVisible());
        QVERIFY2(trail->text().contains(QStringLiteral("here: ")) && trail->text().contains(percentName(wrapper->name)), qPrintable(trail->text()));
        const QString name = percentName(result->name), before = percentName(wrapper->name);
        session().togglePin(result->uid);
        session().setStage(last);
        QVERIFY(settled(session()));
        QVERIFY2(trail->text().contains(QStringLiteral(" \u2190 ") + before), qPrintable(trail->text()));
        QVERIFY2(trail->text().contains(name + QStringLiteral(" \u2192 ")), qPrintable(trail->text()));
        keepPicture(*window_, QStringLiteral("trail"));
        session().setStage(1);
        QVERIFY(settled(session()));
        QVERIFY2(trail->text().contains(name + QStringLiteral(" is made in ")), qPrintable(trail->text()));
        QTest::mouseClick(trail->findChild<QWidget*>(QStringLiteral("stage.trail.unpin")), Qt::LeftButton);
        QVERIFY(trail->text().isEmpty() && session().pins().empty());
    }

    void restingOnANodeOutlinesItElsewhere() {
        window_->stagePanel()->setMode(StagePanel::Mode::Both);
        QVERIFY(settled(session()));
        GraphCanvas* canvas = window_->stagePanel()->canvas();
        TextPane* text = window_->stagePanel()->textPane();
        const QImage before = text->grab().toImage();
        const int scroll = text->firstVisibleLine();
        Uid uid = kNoUid;
        for (int line = scroll; line < scroll + 10; ++line)
            if (const Uid here = text->source()->uidOf(line); here != kNoUid && !canvas->cardRect(here).isEmpty()) uid = here;
        QVERIFY(uid != kNoUid);
        canvas->reveal(uid);
        QTest::mouseMove(canvas->viewport(), canvas->cardRect(uid).center());
        QCOMPARE(session().preview(), kNoUid);  // it must rest
        QTRY_COMPARE(session().preview(), uid);
        QVERIFY(text->grab().toImage() != before);
        QCOMPARE(text->firstVisibleLine(), scroll);
        QVERIFY(session().selection().node != uid);
    }

    /// The header of the stage makes itself small before it takes room from what stands beside it.
    void bothViewsLeaveTheListItsRoom() {
        window_->resize(1280, 800);
        QCoreApplication::processEvents();
        const int width = list()->width();
        auto* graph = window_->findChild<QToolButton*>(QStringLiteral("stage.graph"));
        QCOMPARE(graph->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
        window_->stagePanel()->setMode(StagePanel::Mode::Both);
        QVERIFY(settled(session()));
        QCOMPARE(list()->width(), width);
        QCOMPARE(graph->toolButtonStyle(), Qt::ToolButtonIconOnly);
        QWidget* head = graph->parentWidget();
        for (const QWidget* tool : head->findChildren<QWidget*>())
            if (tool->isVisible()) QVERIFY2(head->rect().contains(QRect(tool->mapTo(head, QPoint()), tool->size())), qPrintable(tool->objectName()));
        window_->stagePanel()->setMode(StagePanel::Mode::Graph);
        QCOMPARE(graph->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
    }

    void digitsGoToAStage() {
        QTest::keyClick(list(), Qt::Key_1);
        QTest::keyClick(list(), Qt::Key_2);
        QCOMPARE(window_->statusBar()->currentMessage(), QStringLiteral("stage: 12_"));
        QVERIFY(session().stage() != 12);
        QTest::keyClick(list(), Qt::Key_Return);
        QVERIFY(settled(session()));
        QCOMPARE(session().stage(), 12);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_9);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_9);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_Return);
        QCOMPARE(window_->statusBar()->currentMessage(), QStringLiteral("There is no stage 99."));
        QCOMPARE(session().stage(), 12);
        auto* filter = window_->findChild<QLineEdit*>(QStringLiteral("passes.filter"));
        filter->setFocus();
        QTest::keyClick(filter, Qt::Key_3);
        QCOMPARE(filter->text(), QStringLiteral("3"));  // a field keeps what is typed into it
        QCOMPARE(session().stage(), 12);
    }

    void severalNodesAreSelected() {
        GraphCanvas* canvas = window_->stagePanel()->canvas();
        choose(0);
        std::vector<Uid> seen;
        for (const NodeRowPtr& node : session().view()->snapshot->nodes)
            if (canvas->viewport()->rect().contains(canvas->cardRect(node->uid)) && !canvas->cardRect(node->uid).isEmpty()) seen.push_back(node->uid);
        QVERIFY(seen.size() >= 3);
        const auto click = [&](Uid uid, Qt::KeyboardModifiers keys) {
            QTest::mouseClick(canvas->viewport(), Qt::LeftButton, keys, canvas->cardRect(uid).center());
        };
        click(seen[0], Qt::NoModifier);
        click(seen[1], Qt::ControlModifier);
        QCOMPARE(session().selection().node, seen[1]);
        QCOMPARE(session().selection().nodes, std::vector<Uid>{seen[0]});
        click(seen[1], Qt::ControlModifier);  // out again
        QCOMPARE(session().selection().node, seen[0]);
        QVERIFY(session().selection().nodes.empty());
        click(seen[2], Qt::NoModifier);
        QVERIFY(session().selection().nodes.empty());
        // A rectangle round all that is seen whole.
        QRect box;
        for (const Uid uid : seen) box |= canvas->cardRect(uid);
        QTest::mousePress(canvas->viewport(), Qt::LeftButton, Qt::ShiftModifier, box.topLeft() - QPoint(4, 4));
        QMouseEvent move(QEvent::MouseMove, box.bottomRight() + QPoint(4, 4), canvas->viewport()->mapToGlobal(box.bottomRight() + QPoint(4, 4)),
                         Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
        QApplication::sendEvent(canvas->viewport(), &move);
        keepPicture(*window_, QStringLiteral("rectangle"));
        QTest::mouseRelease(canvas->viewport(), Qt::LeftButton, Qt::ShiftModifier, box.bottomRight() + QPoint(4, 4));
        std::vector<Uid> all = session().selection().nodes;
        all.push_back(session().selection().node);
        for (const Uid uid : seen) QVERIFY(std::find(all.begin(), all.end(), uid) != all.end());
        QTest::keyClick(canvas, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text().split(QLatin1Char('\n')).size(), qsizetype(all.size()));
    }

    void storagesKeepTheirColours() {
        GraphCanvas* canvas = window_->stagePanel()->canvas();
        choose(0);
        const NodeRow* input = session().view()->snapshot->nodes.front().get();
        session().selectNode(input->uid, Origin::Program);
        session().clearSelection(Origin::Program);
        const QImage plain = canvas->grab().toImage();
        QTest::keyClick(canvas, Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(canvas->grab().toImage(), plain);  // nothing is selected
        session().selectNode(input->uid, Origin::Program);
        QTest::keyClick(canvas, Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(window_->statusBar()->currentMessage(), QStringLiteral("S%1 keeps colour 2.").arg(input->storage));
        session().clearSelection(Origin::Program);
        const QImage coloured = canvas->grab().toImage();
        QVERIFY(coloured != plain);
        int pixels = 0;
        for (int y = 0; y < coloured.height(); ++y)
            for (int x = 0; x < coloured.width(); ++x)
                pixels += coloured.pixelColor(x, y) == Palette::active().slot(1) && plain.pixelColor(x, y) != Palette::active().slot(1) ? 1 : 0;
        QVERIFY(pixels > 100);  // its frames
        QTest::keyClick(canvas, Qt::Key_7, Qt::ControlModifier);
        QTRY_COMPARE(canvas->grab().toImage(), plain);
    }

    void usesAreWalkedRoundTheEnd() {
        const StageViewPtr view = session().view();
        Uid uid = kNoUid;
        for (std::uint32_t i = 0; i < view->users.size() && uid == kNoUid; ++i)
            if (view->users[i] == 2) uid = view->snapshot->nodes[i]->uid;
        QVERIFY(uid != kNoUid);
        session().selectNode(uid, Origin::Program);
        GraphCanvas* canvas = window_->stagePanel()->canvas();
        QTest::keyClick(canvas, Qt::Key_U);
        const Uid first = session().selection().node;
        QTest::keyClick(canvas, Qt::Key_U);
        const Uid second = session().selection().node;
        QVERIFY(first != uid && second != uid && first != second);
        QTest::keyClick(canvas, Qt::Key_U);
        QCOMPARE(session().selection().node, first);
    }

private:
    Session& session() { return window_->session(); }
    QTreeView* list() { return window_->findChild<QTreeView*>(QStringLiteral("passes.list")); }
    QString name(int row) { return list()->model()->index(row, 0).data(PassListModel::StageNameRole).toString(); }
    QString state(int row) { return list()->model()->index(row, 0).data(PassListModel::StateRole).toString(); }
    int rowOf(const char* wanted) {
        for (int row = 0; row < list()->model()->rowCount(); ++row)
            if (name(row) == QLatin1String(wanted)) return row;
        return -1;
    }
    void choose(int row) {
        const QModelIndex index = list()->model()->index(row, 0);
        list()->scrollTo(index);
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, list()->visualRect(index).center());
        QVERIFY(settled(session()));
    }

    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestTimeline)
#include "tst_timeline.moc"
