// The window under real keys and clicks, on the offscreen platform.

#include <QAbstractScrollArea>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/panels/command_table.h"
#include "views/panels/counterpart_strip.h"
#include "views/panels/error_banner.h"
#include "views/panels/glossary.h"
#include "views/panels/stage_panel.h"
#include "views/panels/term_label.h"
#include "views/panels/why_card.h"

using namespace aliascope;

namespace {

const char* const kTwoGraphs = R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    return relu

graph():
    %y : [num_users=1] = placeholder[target=y]
    %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%y,), kwargs = {})
    %abs_1 : [num_users=1] = call_function[target=torch.ops.aten.abs.default](args = (%neg,), kwargs = {})
    return abs_1
)";

}  // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private slots:
    void init() {
        window_ = openWindow();
        QVERIFY(window_);
    }

    void cleanup() { window_.reset(); }

    void startPageOffersSamples() {
        auto* samples = window_->findChild<QAbstractItemView*>(QStringLiteral("start.samples"));
        QVERIFY(samples && samples->isVisible());
        QCOMPARE(samples->model()->rowCount(), int(bundledSamples().size()));
        QVERIFY(samples->model()->rowCount() > 5);
        QTest::mouseClick(samples->viewport(), Qt::LeftButton, {}, samples->visualRect(samples->model()->index(0, 0)).center());
        QVERIFY(settle());
        QVERIFY(window_->session().isOpen());
        QVERIFY(!samples->isVisible());
    }

    void startPageTeaches() {
        for (int card = 1; card <= 6; ++card) {
            auto* button = window_->findChild<QWidget*>(QStringLiteral("start.learn.%1").arg(card));
            QVERIFY(button && button->isVisible());
        }
        QTest::mouseClick(window_->findChild<QWidget*>(QStringLiteral("start.learn.3")), Qt::LeftButton);
        auto* sheet = window_->findChild<QWidget*>(QStringLiteral("help.learn"));
        QVERIFY(sheet && sheet->isVisible());
        QVERIFY(sheet->findChild<QLabel*>()->text().contains(QLatin1String("asks why it is there")));
        keepPictures(*sheet, QStringLiteral("learn"));
        keepPictures(*window_, QStringLiteral("start"));
    }

    /// Words of the glossary are dotted where they stand, and say what they mean.
    void wordsAreExplainedWhereTheyStand() {
        QVERIFY(meaningOf(QStringLiteral("Storages")).startsWith(QLatin1String("Memory that a value")));
        QVERIFY(meaningOf(QStringLiteral("no such word")).isEmpty());
        openKv();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_C);
        QVERIFY(settle());
        QStringList explained;
        for (const TermLabel* label : window_->findChildren<TermLabel*>())
            if (!label->toolTip().isEmpty() && label->isVisible()) explained << label->text();
        QVERIFY2(explained.contains(QLatin1String("Storage")), qPrintable(explained.join(QLatin1Char(' '))));
        // In a header the dots stand below the word.
        const auto* table = window_->findChild<QTableView*>(QStringLiteral("decisions.table"));
        QHeaderView* header = table->horizontalHeader();
        const QImage picture = header->viewport()->grab().toImage();
        int dots = 0;
        for (int y = picture.height() / 2; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) dots += picture.pixelColor(x, y) == Palette::active()(Role::Edge) ? 1 : 0;
        QVERIFY2(dots > 20, qPrintable(QString::number(dots)));
    }

    void everySampleOpens() {
        for (const Sample& sample : bundledSamples()) {
            QSignalSpy failed(&window_->session(), &Session::failed);
            window_->open(sample.request());
            QVERIFY(settle());
            QVERIFY2(failed.isEmpty(),
                     qPrintable(sample.file + QStringLiteral(": ") + (failed.isEmpty() ? QString() : failed[0][0].value<ErrorReport>().what)));
            QCOMPARE(window_->session().title(), sample.title);
            QVERIFY(window_->session().view());
        }
    }

    void stepsWithNAndP() {
        openKv();
        Session& session = window_->session();
        const int last = session.stage();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_P);
        QVERIFY(settle());
        const int before = session.stage();
        QVERIFY(before < last);
        QVERIFY(session.stageRow(before)->changed);
        auto* list = window_->findChild<QTreeView*>(QStringLiteral("passes.list"));
        QCOMPARE(list->currentIndex().data(Qt::UserRole).toInt(), before);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_N);
        QVERIFY(settle());
        QCOMPARE(session.stage(), last);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_P, Qt::ShiftModifier);
        QVERIFY(settle());
        QCOMPARE(session.stage(), last - 1);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_Home);
        QVERIFY(settle());
        QCOMPARE(session.stage(), 1);
    }

    void aClickInTheTimelineGoesThere() {
        openKv();
        auto* list = window_->findChild<QTreeView*>(QStringLiteral("passes.list"));
        const QModelIndex second = list->model()->index(1, 0);
        list->scrollTo(second);  // the last stages are on screen
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(second).center());
        QVERIFY(settle());
        QCOMPARE(window_->session().stage(), 2);
    }

    void keysDoNotFireInFields() {
        openKv();
        const int stage = window_->session().stage();
        auto* filter = window_->findChild<QLineEdit*>(QStringLiteral("passes.filter"));
        filter->setFocus();
        QTest::keyClicks(filter, QStringLiteral("np"));
        QCOMPARE(filter->text(), QStringLiteral("np"));
        QCOMPARE(window_->session().stage(), stage);
    }

    void selectingInTheTableSelectsEverywhere() {
        openKv();
        window_->stagePanel()->setMode(StagePanel::Mode::Both);
        QVERIFY(settle());
        auto* table = window_->findChild<QTableView*>(QStringLiteral("decisions.table"));
        QVERIFY(table && table->isVisible());
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(2, 1)).center());
        QVERIFY(settle());
        const Selection& selection = window_->session().selection();
        QVERIFY(selection.decision);
        QVERIFY(selection.node != kNoUid);
        QVERIFY(window_->session().view()->node(selection.node));
        QVERIFY(!window_->stagePanel()->canvas()->cardRect(selection.node).isEmpty());
        QCOMPARE(window_->stagePanel()->textPane()->selectedNode(), selection.node);
        QVERIFY(window_->stagePanel()->textPane()->selectedLine() >= 0);
    }

    void aClickOnACardSelectsEverywhere() {
        openKv();
        window_->stagePanel()->setMode(StagePanel::Mode::Both);
        QVERIFY(settle());
        GraphCanvas* canvas = window_->stagePanel()->canvas();
        Uid wanted = kNoUid;
        QPoint at;
        for (const NodeRowPtr& node : window_->session().view()->snapshot->nodes) {
            const QRect visible = canvas->cardRect(node->uid).intersected(canvas->viewport()->rect());
            if (visible.width() < 40 || visible.height() < 40 || canvas->nodeAt(visible.center()) != node->uid) continue;
            wanted = node->uid;
            at = visible.center();
            break;
        }
        QVERIFY(wanted != kNoUid);
        QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, at);
        QVERIFY(settle());
        QCOMPARE(window_->session().selection().node, wanted);
        QCOMPARE(window_->stagePanel()->textPane()->selectedNode(), wanted);
        auto* nodes = window_->findChild<QTableView*>(QStringLiteral("nodes.table"));
        QVERIFY(nodes->currentIndex().isValid());
    }

    void aClickInTheTextSelects() {
        openKv();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_L);
        QVERIFY(settle());
        TextPane* text = window_->stagePanel()->textPane();
        QVERIFY(text->isVisible() && text->source());
        int line = text->firstVisibleLine();
        while (text->source()->uidOf(line) == kNoUid) ++line;
        QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, QPoint(4, text->lineRect(line).center().y()));
        QCOMPARE(window_->session().selection().node, text->source()->uidOf(line));
        QTest::keyClick(text, Qt::Key_G);
        QVERIFY(window_->stagePanel()->canvas()->isVisible());
    }

    void wOpensTheCard() {
        openKv();
        Session& session = window_->session();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_C);  // next clone
        QVERIFY(settle());
        QVERIFY(session.selection().node != kNoUid);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_W);
        QVERIFY(settle());
        QVERIFY(window_->whyCard()->isVisible());
        QVERIFY(window_->whyCard()->decision());
        QCOMPARE(window_->whyCard()->decision()->verdict, std::string("clone"));
        auto* sentence = window_->whyCard()->findChild<QLabel*>(QStringLiteral("why.sentence"));
        QVERIFY(!sentence->text().isEmpty());
        QVERIFY(!sentence->text().contains(QLatin1Char('{')));  // every parameter is filled in
        QVERIFY(window_->whyCard()->markdown().contains(sentence->text()));
        QVERIFY(
            window_->whyCard()->command().startsWith(QLatin1String("aliascope why kv_cache_layers.py --ops mylib.ops --pipeline torch-v1 --node")));
        const Uid blocker = *window_->whyCard()->decision()->blockerUid;
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_J);
        QCOMPARE(session.selection().node, blocker);
    }

    void aNodeThatIsNotThereIsSaidSo() {
        openKv();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_C);
        QVERIFY(settle());
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_Home);
        QVERIFY(settle());
        auto* strip = window_->findChild<CounterpartStrip*>(QStringLiteral("stage.counterpart"));
        QVERIFY(strip->isVisible());
        QVERIFY(strip->text().contains(QLatin1String("clone_default")));
        QTest::mouseClick(strip->findChild<QWidget*>(QStringLiteral("stage.counterpart.go")), Qt::LeftButton);
        QVERIFY(settle());
        QVERIFY(!strip->isVisible());
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_Left, Qt::AltModifier);
        QVERIFY(settle());
        QCOMPARE(window_->session().stage(), 1);
    }

    void aBadFileShowsTheBanner() {
        openKv();
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("bad.txt")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is a shopping list, not a graph\n");
        file.close();
        OpenRequest request;
        request.path = file.fileName();
        window_->open(request);
        QVERIFY(settle());
        QVERIFY(window_->banner()->isVisible());
        for (const char* part : {"error.what", "error.where", "error.todo"}) {
            auto* label = window_->banner()->findChild<QLabel*>(QLatin1String(part));
            QVERIFY2(label->isVisible() && !label->text().isEmpty(), part);
        }
        QVERIFY(!QApplication::activeModalWidget());
        QVERIFY(window_->session().isOpen());  // what was open stays open
        QTest::mouseClick(window_->banner()->findChild<QWidget*>(QStringLiteral("error.close")), Qt::LeftButton);
        QVERIFY(!window_->banner()->isVisible());
    }

    void escapeCancels() {
        openKv();
        QSignalSpy notice(&window_->session(), &Session::notice);
        window_->open(sampleRequest("gpt2_train_joint.py", "torch-v2"));
        QElapsedTimer clock;
        clock.start();
        QTest::keyClick(window_.get(), Qt::Key_Escape);
        QVERIFY(settle());
        qInfo("cancelled after %lld ms", static_cast<long long>(clock.elapsed()));
        QVERIFY(notice.count() >= 1);
        QVERIFY(window_->session().isOpen());
        QVERIFY(!window_->banner()->isVisible());
    }

    void severalGraphsAreOffered() {
        QApplication::clipboard()->setText(QLatin1String(kTwoGraphs));
        QTest::keyClick(window_.get(), Qt::Key_V, Qt::ControlModifier);
        QVERIFY(settle());
        auto* list = window_->findChild<QTreeView*>(QStringLiteral("import.list"));
        QVERIFY(list->isVisible());
        QCOMPARE(list->model()->rowCount(), 2);
        QCOMPARE(list->currentIndex().row(), 1);  // the largest
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY(settle());
        QVERIFY(window_->session().isOpen());
        QVERIFY(window_->session().view()->nodeNamed("abs_1"));
    }

    void paletteFindsNodesStagesAndCommands() {
        openKv();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_K, Qt::ControlModifier);
        auto* field = window_->findChild<QLineEdit*>(QStringLiteral("palette.field"));
        QVERIFY(field->isVisible() && field->hasFocus());
        QTest::keyClicks(field, QStringLiteral("@clone_default_1"));
        keepPictures(*window_, QStringLiteral("palette"));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(!field->isVisible());
        QCOMPARE(window_->session().view()->node(window_->session().selection().node)->name, std::string("clone_default_1"));
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_K, Qt::ControlModifier);
        field->setText(QStringLiteral(":imported"));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(settle());
        QCOMPARE(window_->session().stage(), 1);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!field->isVisible());
        QVERIFY(window_->session().selection().node != kNoUid);  // Escape closed the box only
    }

    void aNarrowWindowKeepsTheInspector() {
        openKv();
        window_->resize(1100, 700);
        QVERIFY(settle());
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_W);
        QVERIFY(settle());
        QVERIFY(window_->whyCard()->isVisible());
        QVERIFY(window_->stagePanel()->canvas()->width() > 600);
        keepPictures(*window_, QStringLiteral("narrow"));
        window_->resize(1440, 900);
        QVERIFY(settle());
        QVERIFY(window_->whyCard()->isVisible());
    }

    void aHalfReadableFileOpensWithABanner() {
        QApplication::clipboard()->setText(
            QStringLiteral("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %r : [num_users=1] = "
                           "call_function[target=torch.ops.aten.relu.default](args = (%x,, kwargs = {})\n    return r\n"));
        window_->action(QStringLiteral("file.paste"))->trigger();
        QVERIFY(settle());
        QVERIFY(window_->session().isOpen());
        QVERIFY(window_->banner()->isVisible());
        QCOMPARE(window_->banner()->report().exitCode, 0);
        QVERIFY(!window_->banner()->report().excerpt.isEmpty());
    }

    void copyAsCommand() {
        openKv();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_K, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(QApplication::clipboard()->text().startsWith(QLatin1String("aliascope show kv_cache_layers.py")));
    }

    void everyFocusableWidgetHasAName() {
        QVERIFY2(nameless().isEmpty(), qPrintable(nameless().join(QLatin1Char('\n'))));  // the start page
        QApplication::clipboard()->setText(QLatin1String(kTwoGraphs));
        QTest::keyClick(window_.get(), Qt::Key_V, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(nameless(), QStringList());  // the import sheet
        openKv();
        QCOMPARE(nameless(), QStringList());
        for (int i = 0; i < 20 && !window_->whyCard()->decision(); ++i) {
            QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_C);
            QVERIFY(settle());
        }
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_W);
        QVERIFY(settle());
        QCOMPARE(nameless(), QStringList());  // with a card
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(nameless(), QStringList());  // two pipelines
        window_->action(QStringLiteral("help.keys"))->trigger();
        QCOMPARE(nameless(), QStringList());
    }

    void noKeyMeansTwoThings() {
        QHash<QString, QString> seen;
        for (const Command& command : commandTable()) {
            QVERIFY2(window_->action(QLatin1String(command.id)), command.id);
            for (const QKeySequence& key : window_->action(QLatin1String(command.id))->shortcuts()) {
                QVERIFY2(!seen.contains(key.toString()),
                         qPrintable(QStringLiteral("%1: %2 and %3").arg(key.toString(), seen.value(key.toString()), QLatin1String(command.id))));
                seen.insert(key.toString(), QLatin1String(command.id));
            }
        }
        QVERIFY(seen.size() > 40);
    }

    void singleKeysCanBeSwitchedOff() {
        openKv();
        const int stage = window_->session().stage();
        window_->action(QStringLiteral("view.singleKeys"))->trigger();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_P);
        QVERIFY(settle());
        QCOMPARE(window_->session().stage(), stage);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_D, Qt::ControlModifier);  // others stay
        QVERIFY(settle());
        QCOMPARE(window_->session().data().lanes.size(), 2u);
        window_->action(QStringLiteral("view.singleKeys"))->trigger();
        QTest::keyClick(window_->findChild<QWidget*>(QStringLiteral("compare.canvasA")), Qt::Key_P);
        QVERIFY(settle());
        QVERIFY(window_->session().stage() != stage);
    }

    void everyCommandDoesSomething() {
        openKv();
        // Files and the end of the program are left out: they open choosers of the desktop.
        const QStringList left = {"file.open", "file.save", "file.operators", "file.quit", "file.paste", "view.fullScreen", "file.close"};
        for (const Command& command : commandTable()) {
            if (left.contains(QLatin1String(command.id))) continue;
            QAction* action = window_->action(QLatin1String(command.id));
            QVERIFY2(action->isEnabled(), command.id);
            action->trigger();
            QVERIFY2(settle(), command.id);
        }
        window_->action(QStringLiteral("file.close"))->trigger();
        QVERIFY(settle());
        QVERIFY(!window_->session().isOpen());
        QVERIFY(!window_->action(QStringLiteral("go.why"))->isEnabled());
    }

    /// Whatever is typed, stage and selection stay what the panels show, and nothing blocks for long.
    void randomKeysKeepEverythingTogether() {
        openKv();
        Session& session = window_->session();
        constexpr std::array<Qt::Key, 24> keys = {Qt::Key_N,      Qt::Key_P,     Qt::Key_C,     Qt::Key_U,    Qt::Key_W,   Qt::Key_J,
                                                  Qt::Key_A,      Qt::Key_K,     Qt::Key_V,     Qt::Key_L,    Qt::Key_G,   Qt::Key_B,
                                                  Qt::Key_Period, Qt::Key_Comma, Qt::Key_T,     Qt::Key_Home, Qt::Key_End, Qt::Key_Down,
                                                  Qt::Key_Up,     Qt::Key_Left,  Qt::Key_Right, Qt::Key_X,    Qt::Key_D,   Qt::Key_Escape};
        QSignalSpy steps(&session, &Session::stageSelected), selections(&session, &Session::selectionChanged);
        std::uint32_t state = 7;
        qint64 longest = 0;
        for (int i = 0; i < 2000; ++i) {
            state = state * 1664525u + 1013904223u;
            const Qt::Key key = keys[(state >> 16) % keys.size()];
            const bool arrow = key == Qt::Key_Down || key == Qt::Key_Up || key == Qt::Key_Left || key == Qt::Key_Right;
            const std::uint32_t dice = (state >> 28) % 4;
            // Alt with a letter would open a menu, which then takes the keys.
            const Qt::KeyboardModifiers modifiers = dice == 0 ? Qt::ShiftModifier : dice == 1 && arrow ? Qt::AltModifier : Qt::NoModifier;
            QElapsedTimer clock;
            clock.start();
            QWidget* focus = QApplication::focusWidget();
            QTest::keyClick(focus ? focus : window_->stagePanel()->canvas(), key, modifiers);
            longest = std::max(longest, clock.elapsed());
            if (i % 50 != 0) continue;
            QVERIFY(settle());
            QVERIFY(session.isOpen());
            QCOMPARE(session.view()->stage, session.stage());
            QCOMPARE(window_->findChild<QComboBox*>(QStringLiteral("toolbar.stage"))->currentData().toInt(), session.stage());
            QCOMPARE(window_->stagePanel()->textPane()->selectedNode(), session.selection().node);
            QCOMPARE(window_->stagePanel()->canvas()->stage(), session.view());
        }
        QVERIFY(settle());
        QVERIFY(!window_->banner()->isVisible());
        QVERIFY(steps.count() > 50);
        QVERIFY(selections.count() > 50);
        qInfo("longest key: %lld ms, %lld steps, %lld selections", static_cast<long long>(longest), static_cast<long long>(steps.count()),
              static_cast<long long>(selections.count()));
    }

    void bothThemesPaint() {
        openKv();
        const QImage light = window_->grab().toImage();
        applyTheme(ThemeChoice::Dark);
        QCoreApplication::processEvents();
        const QImage dark = window_->grab().toImage();
        applyTheme(ThemeChoice::Light);
        QCOMPARE(light.size(), dark.size());
        int lighter = 0, samples = 0;
        for (int y = 5; y < light.height(); y += 37)
            for (int x = 5; x < light.width(); x += 37, ++samples)
                lighter += light.pixelColor(x, y).lightnessF() > dark.pixelColor(x, y).lightnessF() ? 1 : 0;
        QVERIFY(lighter > samples * 3 / 4);
    }

    /// Printed, not asserted: machines differ (ui.md 8 wants 50 ms).
    void stepTime() {
        window_->open(sampleRequest("gpt2_train_joint.py", "torch-v2"));
        QVERIFY(settle());
        Session& session = window_->session();
        std::vector<double> ms;
        for (int i = 0; i < 6; ++i) {
            QElapsedTimer clock;
            clock.start();
            if (!session.step(i % 2 == 0 ? -1 : 1, true)) break;
            while (!session.view() || session.view()->stage != session.stage()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            window_->repaint();
            ms.push_back(double(clock.nsecsElapsed()) / 1e6);
            QVERIFY(settle());
        }
        QVERIFY(!ms.empty());
        std::sort(ms.begin(), ms.end());
        qInfo("step of a 2,941-node graph with all panels: median %.1f ms, worst %.1f ms", ms[ms.size() / 2], ms.back());
    }

private:
    bool settle() { return settled(window_->session()); }

    /// Widgets that take the focus and lack an object name or an accessible name.
    QStringList nameless() {
        QStringList out;
        for (QWidget* widget : window_->findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus) continue;
            const QString where =
                QStringLiteral("%1 in %2")
                    .arg(QLatin1String(widget->metaObject()->className()), widget->parentWidget() ? widget->parentWidget()->objectName() : QString());
            if (widget->objectName().isEmpty()) out << where + QStringLiteral(": no objectName");
            if (widget->accessibleName().isEmpty()) out << where + QStringLiteral(" ") + widget->objectName() + QStringLiteral(": no accessibleName");
        }
        return out;
    }

    void openKv() {
        window_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settle());
        QVERIFY(window_->session().isOpen());
    }

    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestMainWindow)
#include "tst_main_window.moc"
