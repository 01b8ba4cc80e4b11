// Colours of storages, bookmarks and find in all stages, by keys and clicks.

#include <QAbstractItemView>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/models/find_model.h"
#include "views/models/format.h"
#include "views/panels/find_all_panel.h"
#include "views/panels/pin_bar.h"
#include "views/panels/stage_panel.h"

using namespace aliascope;

class TestMarks : public QObject {
    Q_OBJECT

private slots:
    void init() {
        window_ = openWindow();
        QVERIFY(window_);
        window_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settle());
    }

    void aStorageGetsAColour() {
        key(Qt::Key_C);
        const int first = session().selection().storage;
        QVERIFY(first >= 0);
        key(Qt::Key_2, Qt::ControlModifier);
        auto* bar = window_->findChild<PinBar*>();
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->said().size(), 1);
        QVERIFY2(bar->said()[0].startsWith(QStringLiteral("2  S%1 %").arg(first)), qPrintable(bar->said()[0]));
        QCOMPARE(slotOnCard(session().selection().node), 2);
        // Another storage in another slot; in one slot only one of them.
        key(Qt::Key_C);
        const int second = session().selection().storage;
        QVERIFY(second != first);
        key(Qt::Key_5, Qt::ControlModifier);
        QCOMPARE(bar->said().size(), 2);
        key(Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(bar->said().size(), 1);
        QVERIFY2(bar->said()[0].startsWith(QStringLiteral("2  S%1 %").arg(second)), qPrintable(bar->said()[0]));
        keepPictures(*window_, QStringLiteral("storage-colours"));
        // The same key again takes it away; Ctrl+Z brings it back, Ctrl+7 takes all away.
        key(Qt::Key_2, Qt::ControlModifier);
        QVERIFY(!bar->isVisible());
        key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(bar->isVisible());
        key(Qt::Key_7, Qt::ControlModifier);
        QVERIFY(!bar->isVisible());
    }

    void theColourStaysWhileStepping() {
        const Uid input = session().view()->snapshot->nodes.front()->uid;
        session().selectNode(input, Origin::Program);
        key(Qt::Key_1, Qt::ControlModifier);
        auto* bar = window_->findChild<PinBar*>();
        for (const Qt::Key step : {Qt::Key_Home, Qt::Key_N, Qt::Key_N, Qt::Key_End}) {
            key(step);
            const NodeRow* node = session().view()->node(input);
            QVERIFY(node);
            QVERIFY2(bar->said()[0].contains(QStringLiteral("S%1").arg(node->storage)), qPrintable(bar->said()[0]));
        }
        // A click on it selects the base.
        key(Qt::Key_C);
        QVERIFY(session().selection().node != input);
        QTest::mouseClick(window_->findChild<QToolButton*>(QStringLiteral("stage.pins.1")), Qt::LeftButton);
        QVERIFY(settle());
        QCOMPARE(session().selection().node, input);
    }

    void unpinnedStoragesAreNeutral() {
        StorageColours colours;
        QCOMPARE(colours.slotOf(8), 2);
        QCOMPARE(colours.slotOf(-1), -1);
        colours.any = true;
        colours.storages[4] = 8;
        QCOMPARE(colours.slotOf(8), 4);
        QCOMPARE(colours.slotOf(2), -1);
        QVERIFY(colours.pinned(8) && !colours.pinned(2));
        QCOMPARE(colours.shownSlotOf(2), 0);  // pointed out, it takes a colour that nobody has
        colours.storages[0] = 3;
        QCOMPARE(colours.shownSlotOf(2), 1);
    }

    void bookmarksComeAndGoAndAreGoneTo() {
        key(Qt::Key_C);
        const Uid clone = session().selection().node;
        const int stage = session().stage();
        key(Qt::Key_B, Qt::ControlModifier);
        QCOMPARE(session().bookmarks().rows().size(), std::size_t(1));
        key(Qt::Key_Home);
        key(Qt::Key_Escape);
        key(Qt::Key_B, Qt::ControlModifier);  // nothing is selected: the stage itself
        QVERIFY(!session().bookmarks().rows()[1].uid);
        key(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
        auto* table = window_->findChild<QAbstractItemView*>(QStringLiteral("bookmarks.table"));
        QVERIFY(table->isVisible() && table->hasFocus());
        QCOMPARE(table->model()->rowCount(), 2);
        keepPictures(*window_, QStringLiteral("bookmarks"));
        QTest::keyClick(table, Qt::Key_Home, Qt::ControlModifier);
        QTest::keyClick(table, Qt::Key_Return);
        QVERIFY(settle());
        QCOMPARE(session().stage(), stage);
        QCOMPARE(session().selection().node, clone);
        // F2 gives it a name, Del forgets it, Ctrl+Z remembers it again.
        QTest::keyClick(table, Qt::Key_F2);
        auto* editor = table->findChild<QLineEdit*>();
        QVERIFY(editor);
        QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(editor, QStringLiteral("the costly one"));
        QTest::keyClick(editor, Qt::Key_Return);
        QVERIFY(settle());
        QCOMPARE(session().bookmarks().rows()[0].text, std::string("the costly one"));
        QTest::keyClick(table, Qt::Key_Delete);
        QCOMPARE(table->model()->rowCount(), 1);
        QTest::keyClick(table, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(table->model()->rowCount(), 2);
        QCOMPARE(session().bookmarks().rows()[0].text, std::string("the costly one"));
    }

    void marksAreKeptInTheSession() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("kept.aliascope"));
        key(Qt::Key_C);
        const Uid clone = session().selection().node;
        const std::string base = session().view()->storage(session().selection().storage)->baseName;
        key(Qt::Key_3, Qt::ControlModifier);
        key(Qt::Key_B, Qt::ControlModifier);
        session().saveAs(path);
        QVERIFY(settle());
        OpenRequest request;
        request.path = path;
        window_ = openWindow();
        window_->open(request);
        QVERIFY(settle());
        QCOMPARE(session().bookmarks().rows().size(), std::size_t(1));
        QVERIFY(session().bookmarks().rows()[0].uid == clone);
        QCOMPARE(session().storagePins().pins()[2].name, base);
        QVERIFY(window_->findChild<PinBar*>()->isVisible());
        // What belongs to another file is not shown here.
        window_->open(sampleRequest("full_written.py", "torch-v2"));
        QVERIFY(settle());
        QVERIFY(session().bookmarks().rows().empty());
        QVERIFY(!window_->findChild<PinBar*>()->isVisible());
    }

    void allStagesAreSearched() {
        key(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        auto* panel = window_->findChild<FindAllPanel*>();
        auto* field = window_->findChild<QLineEdit*>(QStringLiteral("find.text"));
        QVERIFY(panel->isVisible() && field->hasFocus());
        QTest::keyClicks(field, QStringLiteral("op:clone"));
        QVERIFY(settle());
        FindModel* model = panel->model();
        QCOMPARE(model->rowCount(), 1);  // clones come with the last pass only
        QCOMPARE(model->rowCount(model->index(0, 0)), 8);
        QVERIFY(model->index(0, 0).data().toString().contains(QLatin1String("decompose")));
        QCOMPARE(panel->said(), QStringLiteral("8 hits in 1 changed stage"));
        keepPictures(*window_, QStringLiteral("find-all"));
        // Enter goes to the first of them, from wherever one stands.
        const int last = model->index(0, 0).data(FindModel::StageRole).toInt();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_Home);
        QVERIFY(settle());
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(settle());
        QCOMPARE(session().stage(), last);
        const QString first = model->index(0, 0, model->index(0, 0)).data().toString();
        QCOMPARE(percentName(session().view()->node(session().selection().node)->name), first);
        // A name that several stages have.
        field->setText(QStringLiteral("name:mm"));
        QVERIFY(settle());
        QVERIFY(model->rowCount() > 2);
        field->setText(QStringLiteral("bytes>"));
        QVERIFY(settle());
        QVERIFY2(panel->said().contains(QLatin1String("column")), qPrintable(panel->said()));
        field->setText(QStringLiteral("no_such_node"));
        QVERIFY(settle());
        QCOMPARE(panel->said(), QStringLiteral("nothing found in any stage"));
    }

    /// The stages are read for the first text; what is typed after it finds in what was read.
    void searchTime() {
        window_->open(sampleRequest("gpt2_train_joint.py", "torch-v2"));
        QVERIFY(settle());
        key(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        auto* field = window_->findChild<QLineEdit*>(QStringLiteral("find.text"));
        std::vector<qint64> ms;
        for (const char* text : {"op:view", "op:mm", "bytes>1M"}) {
            QElapsedTimer clock;
            clock.start();
            field->setText(QLatin1String(text));
            QVERIFY(settle());
            ms.push_back(clock.elapsed());
            QVERIFY(window_->findChild<FindAllPanel*>()->model()->count() > 100);
        }
        qInfo("all stages of a 2,941-node graph: first search %lld ms, further ones %lld and %lld ms", ms[0], ms[1], ms[2]);
    }

private:
    Session& session() { return window_->session(); }
    bool settle() { return settled(window_->session()); }

    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(window_->stagePanel()->canvas(), key, modifiers);
        QVERIFY(settle());
    }

    int slotOnCard(Uid uid) {
        for (const QJsonValue& card : window_->stagePanel()->canvas()->dump()[QStringLiteral("cards")].toArray())
            if (card[QStringLiteral("uid")].toString() == QString::number(uid)) return card[QStringLiteral("slot")].toInt();
        return -1;
    }

    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestMarks)
#include "tst_marks.moc"
