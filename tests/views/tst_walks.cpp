// The walks of ui.md 1 by clicks and keys alone, with what the user must see after each (Release 1: 1.1 from the graph file, 1.3 to step 3, and those
// of its further steps that are there). No test of this file calls a slot or triggers an action: what it does, a hand could do.

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
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
    void initTestCase() { QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }

    /// Sizes are logical: at 200 % (another run, QT_SCALE_FACTOR=2) the window takes four times the pixels.
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
        shot(QStringLiteral("1-start"));
        openSample(QStringLiteral("Key/value"));
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
        press(Qt::Key_1, Qt::AltModifier);
        press(Qt::Key_D, Qt::ControlModifier);
        press(Qt::Key_End);
        ComparePanel* compare = window_->comparePanel();
        QVERIFY(compare->isVisible());
        QVERIFY2(compare->differences().contains(QLatin1String("clones 8 / 0")), qPrintable(compare->differences()));
        QVERIFY2(compare->differences().contains(QLatin1String("nodes 121 / 61")), qPrintable(compare->differences()));
        shot(QStringLiteral("5-compare"));
        // 7. Memory, predicted: both curves, and what one holds more at the peak. M goes there.
        press(Qt::Key_M);
        auto* memory = window_->findChild<MemoryPanel*>();
        QVERIFY(memory->isVisible());
        QVERIFY(memory->chart()->cursor() >= 0);
        QCOMPARE(memory->chart()->curves().size(), std::size_t(2));
        const QString peaks = window_->findChild<QLabel*>(QStringLiteral("memory.caption"))->text();
        QVERIFY2(peaks.contains(QLatin1String("torch-v1 holds")), qPrintable(peaks));
        shot(QStringLiteral("6-memory"));
        // 8. Ctrl+E: one file with the pictures, the decision and the command that gives it again.
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("issue.html"));
        press(Qt::Key_E, Qt::ControlModifier);
        auto* dialog = window_->findChild<QFileDialog*>(QStringLiteral("export.dialog"));
        QVERIFY(dialog && dialog->isVisible());
        auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        QTest::keyClick(name, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(name, path);
        QTest::keyClick(name, Qt::Key_Return);
        if (dialog->isVisible()) QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(settle());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString html = QString::fromUtf8(file.readAll());
        for (const char* part : {"<svg", "select_scatter_13", "416 KiB", "aliascope run kv_cache_layers.py --pipeline torch-v1 --ops mylib.ops"})
            QVERIFY2(html.contains(QLatin1String(part)), part);
    }

    void whichPassIsWrong_data() { whyIsThereACopy_data(); }

    /// 1.3 to step 3: compiled code gives wrong values.
    void whichPassIsWrong() {
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        applyTheme(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        open(size);
        // 1. The sample, pipeline torch-v1; how to run: CPU, seed 7. Ctrl+F5 runs all stages and compares.
        openSample(QStringLiteral("written views overlap"));
        QCOMPARE(session().lane()->name, std::string("torch-v1"));
        command(QStringLiteral("How to run"));
        tabTo(QStringLiteral("run.device"));
        QCOMPARE(qobject_cast<QComboBox*>(QApplication::focusWidget())->currentData().toString(), QStringLiteral("cpu"));
        tabTo(QStringLiteral("run.seed"));
        press(Qt::Key_A, Qt::ControlModifier);
        press(Qt::Key_7);
        QCOMPARE(qobject_cast<QLineEdit*>(QApplication::focusWidget())->text(), QStringLiteral("7"));
        shot(QStringLiteral("1-run"));
        press(Qt::Key_F5, Qt::ControlModifier);
        // 2. Numerics: stages as columns; the first X is functionalize. Enter jumps there.
        press(Qt::Key_4, Qt::AltModifier);
        auto* table = window_->findChild<QTableView*>(QStringLiteral("numerics.table"));
        QVERIFY(table && table->isVisible() && table->hasFocus());
        const QString reference = window_->findChild<QLabel*>(QStringLiteral("numerics.reference"))->text();
        QVERIFY2(reference.contains(QLatin1String("stage 1 imported")), qPrintable(reference));
        const QModelIndex first = table->currentIndex();
        QVERIFY2(first.data().toString().startsWith(QLatin1Char('X')), qPrintable(first.data().toString()));
        QVERIFY(table->model()->headerData(first.column(), Qt::Horizontal).toString().contains(QLatin1String("functionalize")));
        for (int row = 0; row < table->model()->rowCount(); ++row)
            for (int column = 0; column < first.column(); ++column)
                QVERIFY(!table->model()->index(row, column).data().toString().startsWith(QLatin1Char('X')));
        shot(QStringLiteral("2-numerics"));
        const int before = session().stage();
        press(Qt::Key_Return);
        QCOMPARE(passOfStage(), QStringLiteral("functionalize"));
        QVERIFY(session().stage() != before);
        // 3. The divergent node is selected; the largest error, where, and the values on both sides are said.
        QVERIFY(session().selection().node != kNoUid);
        QVERIFY(!nameOfSelection().isEmpty());
        QStringList said;
        for (const QLabel* label : window_->findChild<QWidget*>(QStringLiteral("numerics.detail"))->findChildren<QLabel*>()) said << label->text();
        for (const char* key : {"max abs", "at", "was", "became"})
            QVERIFY2(said.contains(QLatin1String(key)), qPrintable(said.join(QLatin1Char('|'))));
        QVERIFY2(said.indexOf(QRegularExpression(QStringLiteral("^\\[\\d+, \\d+\\]$"))) >= 0, qPrintable(said.join(QLatin1Char('|'))));
        shot(QStringLiteral("3-divergent"));
        // 5. A colours the storage, Shift+M shows from where to where writes are read: each argument got a clone of its own, in a storage of its own.
        press(Qt::Key_1, Qt::AltModifier);
        press(Qt::Key_End);
        press(Qt::Key_Escape);
        QSet<int> storages;
        for (int i = 0; i < 2; ++i) {
            press(Qt::Key_C);
            QVERIFY2(nameOfSelection().startsWith(QLatin1String("clone_default")), qPrintable(nameOfSelection()));
            storages << session().selection().storage;
        }
        selectByName(QStringLiteral("cos"));
        storages << session().selection().storage;
        QCOMPARE(storages.size(), 3);
        press(Qt::Key_A);
        press(Qt::Key_M, Qt::ShiftModifier);
        shot(QStringLiteral("5-storage"));
        // 6. Bisecting rewrites: each probe is a row, the bad one is found by halving.
        press(Qt::Key_4, Qt::AltModifier);
        tabTo(QStringLiteral("numerics.bisectRewrites"));
        press(Qt::Key_Space);
        auto* probes = window_->findChild<QAbstractItemView*>(QStringLiteral("numerics.probes"));
        QVERIFY(probes->isVisible() && probes->model()->rowCount() > 1);
        const QString found = window_->findChild<QLabel*>(QStringLiteral("numerics.found"))->text();
        QVERIFY2(found.contains(QLatin1String("functionalize")), qPrintable(found));
        shot(QStringLiteral("6-bisect"));
    }

    /// The same with the mouse alone: a click on the sample, on the buttons, on the X.
    void whichPassIsWrongByMouse() {
        applyTheme(ThemeChoice::Light);
        open(QSize(1440, 900));
        auto* samples = window_->findChild<QAbstractItemView*>(QStringLiteral("start.samples"));
        const QModelIndex sample = rowNamed(*samples, QStringLiteral("written views overlap"));
        samples->scrollTo(sample);
        click(samples->viewport(), samples->visualRect(sample).center());
        clickTab(QStringLiteral("bottom.tab.tabs"), QStringLiteral("Run"));
        click(window_->findChild<QWidget*>(QStringLiteral("run.startAll")));
        auto* table = window_->findChild<QTableView*>(QStringLiteral("numerics.table"));
        QVERIFY(table->isVisible());  // a difference brings it to the front
        const QModelIndex first = table->currentIndex();
        QVERIFY(first.data().toString().startsWith(QLatin1Char('X')));
        const QRect cell = table->visualRect(first);
        QVERIFY(table->viewport()->rect().contains(cell.center()));
        click(table->viewport(), cell.center());
        QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, cell.center());
        QVERIFY(settle());
        QCOMPARE(passOfStage(), QStringLiteral("functionalize"));
        QVERIFY(session().selection().node != kNoUid);
    }

    void theCopyIsForcedAway_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("says");
        QTest::newRow("avoidable") << QStringLiteral("Key/value") << QStringLiteral("avoidable") << QStringLiteral("nothing goes wrong");
        QTest::newRow("still used") << QStringLiteral("old value is returned") << QStringLiteral("unknown")
                                    << QStringLiteral("returned value 0 changes");
    }

    /// What would go wrong if the copy were left out: asked of the card by a click, answered in it.
    void theCopyIsForcedAway() {
        QFETCH(QString, sample);
        QFETCH(QString, verdict);
        applyTheme(ThemeChoice::Light);
        open(QSize(1440, 900));
        openSample(sample);
        press(Qt::Key_End);
        press(Qt::Key_C);
        press(Qt::Key_W);
        QVERIFY(window_->whyCard()->decision());
        QCOMPARE(QString::fromStdString(window_->whyCard()->decision()->need), verdict);
        auto* force = window_->findChild<QPushButton*>(QStringLiteral("why.force"));
        auto* answer = window_->findChild<QLabel*>(QStringLiteral("why.forced"));
        QVERIFY(force->isVisible() && !answer->isVisible());
        tabTo(QStringLiteral("why.force"));  // scrolls it into view
        click(force);
        QVERIFY(answer->isVisible());
        QFETCH(QString, says);
        QVERIFY2(answer->text().contains(says), qPrintable(answer->text()));
        QVERIFY(force->isEnabled());
        shot(QStringLiteral("forced"));
    }

    /// A pasted line of PyTorch's log becomes a card.
    void aLogLineIsExplained() {
        applyTheme(ThemeChoice::Light);
        open(QSize(1440, 900));
        openSample(QStringLiteral("Key/value"));
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

    QString passOfStage() { return QString::fromStdString(session().stageRow(session().stage())->pass); }

    QString nameOfSelection() {
        const NodeRow* node = session().view() ? session().view()->node(session().selection().node) : nullptr;
        return node ? QString::fromStdString(node->name) : QString();
    }

    /// Tab until the widget has the focus.
    void tabTo(const QString& name) {
        QStringList passed;
        for (int i = 0; i < 200 && (!QApplication::focusWidget() || QApplication::focusWidget()->objectName() != name); ++i) {
            QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : window_.get(), Qt::Key_Tab);
            if (QApplication::focusWidget()) passed << QApplication::focusWidget()->objectName();
        }
        QVERIFY2(QApplication::focusWidget() && QApplication::focusWidget()->objectName() == name,
                 qPrintable(QStringLiteral("%1 is not among %2").arg(name, passed.join(QLatin1Char(' ')))));
    }

    static QModelIndex rowNamed(const QAbstractItemView& list, const QString& part) {
        for (int row = 0; row < list.model()->rowCount(); ++row)
            if (list.model()->index(row, 0).data().toString().contains(part)) return list.model()->index(row, 0);
        return {};
    }

    /// From the start page by keyboard: Tab to the samples, Down to the one whose title says `part`, Enter.
    void openSample(const QString& part) {
        tabTo(QStringLiteral("start.samples"));
        auto* samples = window_->findChild<QAbstractItemView*>(QStringLiteral("start.samples"));
        press(Qt::Key_Home);
        for (int row = 0; row < samples->model()->rowCount() && !samples->currentIndex().data().toString().contains(part); ++row) press(Qt::Key_Down);
        QVERIFY(samples->currentIndex().data().toString().contains(part));
        press(Qt::Key_Return);
        QVERIFY(session().isOpen());
    }

    /// A command by its words, from the palette.
    void command(const QString& words) {
        press(Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(window_->findChild<QLineEdit*>(QStringLiteral("palette.field")), QLatin1Char('>') + words);
        press(Qt::Key_Return);
    }

    void click(QWidget* widget, QPoint at = {}) {
        QVERIFY(widget && widget->isVisible());
        QTest::mouseClick(widget, Qt::LeftButton, {}, at.isNull() ? widget->rect().center() : at);
        QVERIFY(settle());
    }

    void clickTab(const QString& bar, const QString& title) {
        auto* tabs = window_->findChild<QTabBar*>(bar);
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->tabText(i) == title) return click(tabs, tabs->tabRect(i).center());
        QFAIL("no such tab");
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
