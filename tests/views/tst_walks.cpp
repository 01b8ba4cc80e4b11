// The walks of ui.md 1 by clicks and keys alone, with what the user must see after each (Release 1: 1.1 from the graph file, 1.3 to step 3).

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/canvas/byte_map_canvas.h"
#include "views/canvas/evidence_picture.h"
#include "views/canvas/graph_canvas.h"
#include "views/panels/alias_panel.h"
#include "views/panels/compare_panel.h"
#include "views/panels/memory_panel.h"
#include "views/panels/stage_panel.h"
#include "views/panels/summary_strip.h"
#include "views/panels/theme.h"
#include "views/panels/why_card.h"

using namespace aliascope;

class TestWalks : public QObject {
    Q_OBJECT

private slots:
    void whyIsThereACopy_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        QTest::newRow("1280 light") << QSize(1280, 800) << false;
        QTest::newRow("1280 dark") << QSize(1280, 800) << true;
        QTest::newRow("1920 light") << QSize(1920, 1080) << false;
        QTest::newRow("1920 dark") << QSize(1920, 1080) << true;
    }

    /// 1.1: out of memory after adding a key/value cache operator.
    void whyIsThereACopy() {
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        applyTheme(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        open(size);
        // 1. From the start page, by keyboard: the sample in the list, Enter.
        auto* samples = window_->findChild<QAbstractItemView*>(QStringLiteral("start.samples"));
        QVERIFY(samples && samples->isVisible());
        shot(QStringLiteral("1-start"));
        samples->setFocus();
        QTest::keyClick(samples, Qt::Key_Home);
        for (int row = 0; row < samples->model()->rowCount() && !samples->currentIndex().data().toString().contains(QLatin1String("Key/value"));
             ++row)
            QTest::keyClick(samples, Qt::Key_Down);
        QTest::keyClick(samples, Qt::Key_Return);
        QVERIFY(settle());
        // 2. The summary says what happened; N goes to the stage in which the kept copies become clones.
        const QString summary = window_->findChild<SummaryStrip*>()->text();
        for (const char* part : {"torch-v1", "8 clones", "1.69 MiB cloned", "1 MiB copied back", "8 avoidable"})
            QVERIFY2(summary.contains(QLatin1String(part)), qPrintable(summary));
        press(Qt::Key_Home);
        for (int i = 0; i < 20 && session().stageRow(session().stage())->pass != "decompose-functionalized"; ++i) press(Qt::Key_N);
        QCOMPARE(session().stageRow(session().stage())->clones, 8);
        // 3. C until the largest clone; text line, storage and decision follow.
        for (int i = 0; i < 20 && nameOfSelection() != QLatin1String("clone_default_1"); ++i) press(Qt::Key_C);
        QCOMPARE(nameOfSelection(), QStringLiteral("clone_default_1"));
        QCOMPARE(window_->stagePanel()->textPane()->selectedNode(), session().selection().node);
        QVERIFY(session().selection().storage >= 0);
        auto* decisions = window_->findChild<QTableView*>(QStringLiteral("decisions.table"));
        QVERIFY(decisions->currentIndex().isValid());
        shot(QStringLiteral("2-clone"));
        // 4. W: the card.
        press(Qt::Key_W);
        WhyCard* card = window_->whyCard();
        QVERIFY(card->isVisible() && card->decision());
        QCOMPARE(card->decision()->need, std::string("avoidable"));
        QCOMPARE(card->decision()->argument, std::string("value_cache"));
        QCOMPARE(card->decision()->blocker, std::string("select_scatter_13"));
        const QString costs = card->findChild<QLabel*>(QStringLiteral("why.costs"))->text();
        QVERIFY2(costs.contains(QLatin1String("torch reports 16 KiB; the clone copies 416 KiB, from the start of the storage.")), qPrintable(costs));
        QVERIFY2(costs.contains(QLatin1String("If copied: view 16 KiB, base 1 MiB.")), qPrintable(costs));
        const EvidencePtr evidence = card->picture()->evidence();
        QVERIFY(evidence && card->picture()->isVisible());
        QCOMPARE(evidence->steps.size(), 4u);
        QVERIFY(evidence->blockerIsLater);
        QVERIFY(card->picture()->text().contains(QLatin1String("later use %select_scatter_13")));
        shot(QStringLiteral("3-why"));
        // 5. The byte map: 16 KiB at 400 KiB of 1 MiB; the K and V windows do not overlap.
        QCOMPARE(evidence->argument->begin(), 409600);
        QCOMPARE(evidence->argument->end() - evidence->argument->begin(), 16384);
        QTest::mouseClick(card->findChild<QWidget*>(QStringLiteral("why.byteMap")), Qt::LeftButton);
        QVERIFY(settle());
        auto* aliases = window_->findChild<AliasPanel*>();
        QVERIFY(aliases->isVisible());
        QCOMPARE(aliases->map()->extent(), 1 << 20);
        press(Qt::Key_Home);
        selectByName(QStringLiteral("select_21"));
        const Uid v = session().selection().node;
        selectByName(QStringLiteral("select_19"));
        compareRows(*aliases, session().selection().node, v);
        QVERIFY2(aliases->comparison().contains(QLatin1String("overlap 0 B, gap 0 B")), qPrintable(aliases->comparison()));
        shot(QStringLiteral("4-bytes"));
        // 6. Ctrl+D: the same with v2, side by side.
        window_->stagePanel()->canvas()->setFocus();
        press(Qt::Key_D, Qt::ControlModifier);
        press(Qt::Key_End);
        ComparePanel* compare = window_->comparePanel();
        QVERIFY(compare->isVisible());
        QVERIFY2(compare->differences().contains(QLatin1String("clones 8 / 0")), qPrintable(compare->differences()));
        QVERIFY2(compare->differences().contains(QLatin1String("nodes 121 / 61")), qPrintable(compare->differences()));
        shot(QStringLiteral("5-compare"));
        // 7. Memory, predicted: M goes to the peak, with the stage before overlaid on request.
        press(Qt::Key_M);
        auto* memory = window_->findChild<MemoryPanel*>();
        QVERIFY(memory->isVisible());
        QVERIFY(memory->chart()->cursor() >= 0);
        shot(QStringLiteral("6-memory"));
    }

    /// 1.3 to step 3: compiled code gives wrong values.
    void whichPassIsWrong() {
        applyTheme(ThemeChoice::Light);
        open(QSize(1440, 900));
        window_->open(sampleRequest("overlapping_views.py", "torch-v1"));
        QVERIFY(settle());
        // 1. Ctrl+F5 runs all stages and compares.
        press(Qt::Key_F5, Qt::ControlModifier);
        // 2. Numerics: stages as columns; the first X is functionalize. Enter jumps there.
        press(Qt::Key_4, Qt::AltModifier);
        auto* table = window_->findChild<QTableView*>(QStringLiteral("numerics.table"));
        QVERIFY(table && table->isVisible());
        QStringList cells;
        for (int row = 0; row < table->model()->rowCount(); ++row)
            for (int column = 0; column < table->model()->columnCount(); ++column) cells << table->model()->index(row, column).data().toString();
        QVERIFY2(cells.filter(QStringLiteral("X")).size() > 0, qPrintable(cells.join(QLatin1Char('|'))));
        shot(QStringLiteral("numerics"));
        window_->action(QStringLiteral("numerics.first"))->trigger();
        QVERIFY(settle());
        // 3. The divergent node is selected, in the pass that brought it.
        QCOMPARE(session().stageRow(session().stage())->pass, std::string("functionalize"));
        QVERIFY(session().selection().node != kNoUid);
    }

    /// A pasted line of PyTorch's log becomes a card.
    void aLogLineIsExplained() {
        applyTheme(ThemeChoice::Light);
        open(QSize(1440, 900));
        window_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settle());
        press(Qt::Key_K, Qt::ControlModifier);
        auto* field = window_->findChild<QLineEdit*>(QStringLiteral("palette.field"));
        QVERIFY(field->hasFocus());
        QTest::keyClicks(
            field, QStringLiteral("explain: For node mylib::cache, attempted to reinplace ['key_cache', 'value_cache']. We were unable to reinplace "
                                  "['key_cache', 'value_cache']; ['key_cache', 'value_cache'] (if non-empty) are possible missed reinplacing "
                                  "opportunities. Total size of missed opportunities with static shapes is : 32768 bytes."));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(settle());
        WhyCard* card = window_->whyCard();
        QVERIFY(card->isVisible());
        QVERIFY2(card->explanation().contains(QLatin1String("4 calls")), qPrintable(card->explanation()));
        QVERIFY(card->decision());
        QVERIFY(card->command().contains(QLatin1String("--line")));
        shot(QStringLiteral("explain"));
    }

private:
    void open(const QSize& size) {
        window_ = openWindow(size);
        QVERIFY(window_);
        QVERIFY(settle());
    }

    Session& session() { return window_->session(); }
    bool settle() { return settled(window_->session()); }

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : window_.get(), key, modifiers);
        QVERIFY(settle());
    }

    QString nameOfSelection() {
        const NodeRow* node = session().view() ? session().view()->node(session().selection().node) : nullptr;
        return node ? QString::fromStdString(node->name) : QString();
    }

    /// By the palette, as a user without a mouse does.
    void selectByName(const QString& name) {
        press(Qt::Key_K, Qt::ControlModifier);
        auto* field = window_->findChild<QLineEdit*>(QStringLiteral("palette.field"));
        QTest::keyClicks(field, QLatin1Char('@') + name);
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(settle());
        QCOMPARE(nameOfSelection(), name);
    }

    /// Ctrl+click on the bar of `second` in the byte map.
    void compareRows(AliasPanel& aliases, Uid first, Uid second) {
        QCOMPARE(session().selection().node, first);
        ByteMapCanvas* map = aliases.map();
        for (int row = 0; row < map->rowCount(); ++row)
            if (map->uidOf(row) == second) return QTest::mouseClick(map, Qt::LeftButton, Qt::ControlModifier, map->bar(std::size_t(row)).center());
        QFAIL("no such row");
    }

    void shot(const QString& step) {
        QCoreApplication::processEvents();
        QString tag = QString::fromLatin1(QTest::currentDataTag()).replace(QLatin1Char(' '), QLatin1Char('-'));
        keepPicture(
            *window_,
            QStringLiteral("walk-%1%2-%3").arg(QLatin1String(QTest::currentTestFunction()), tag.isEmpty() ? tag : QLatin1Char('-') + tag, step));
    }

    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestWalks)
#include "tst_walks.moc"
