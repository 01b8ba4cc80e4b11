// The timeline under real keys and clicks: filters, editing of the pipeline with undo, stale stages, and stages beside each other as text.

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "views/models/pass_list_model.h"
#include "views/panels/diff_pane.h"
#include "views/panels/stage_panel.h"
#include "views/panels/step_form.h"
#include "views/panels/theme.h"

using namespace aliascope;

class TestTimeline : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        prepareTheme(*qApp);
        applyTheme(ThemeChoice::Light);
    }
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

QTEST_MAIN(TestTimeline)
#include "tst_timeline.moc"
