// The numerics view: the cell where a difference begins carries the X, the strip says it and jumps there.

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTest>

#include "tests/cli/program.h"
#include "tests/views/open_session.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/panels/numerics_panel.h"

using namespace aliascope;

class TestNumericsPanel : public QObject {
    Q_OBJECT

private slots:
    void init() {
        session_ = std::make_unique<Session>();
        panel_ = std::make_unique<NumericsPanel>(*session_);
        panel_->resize(1200, 420);
        panel_->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
    }

    void cleanup() {
        panel_.reset();
        session_.reset();
    }

    void saysWhatWouldFillIt() {
        QVERIFY(label("numerics.empty")->isVisible());
        QVERIFY(label("numerics.empty")->text().contains(QLatin1String("Open a graph")));
        session_->open(sampleRequest("overlapping_views.py", "torch-v1"));
        QVERIFY(settled(*session_));
        QVERIFY(label("numerics.empty")->text().contains(QLatin1String("Run all stages")));
        QSignalSpy wanted(panel_.get(), &NumericsPanel::runAllWanted);
        QTest::mouseClick(panel_->findChild<QPushButton*>(QStringLiteral("numerics.emptyRun")), Qt::LeftButton);
        QCOMPARE(wanted.count(), 1);
    }

    void overlappingViewsShowTheXWhereItBegins() {
        runAll("overlapping_views.py", "torch-v1");
        const QModelIndex begin = panel_->model()->firstDivergence();
        QVERIFY(begin.isValid());
        QCOMPARE(begin.data(NumericsModel::GlyphRole).toChar(), QChar('X'));
        QVERIFY(begin.data().toString().startsWith(QLatin1String("X ")));
        // No earlier column has an X, and a stage before it agrees.
        for (int column = NumericsModel::kFirstCell; column < begin.column(); ++column)
            for (int row = 0; row < panel_->model()->rowCount(); ++row)
                QVERIFY(panel_->model()->index(row, column).data(NumericsModel::GlyphRole).toChar() != QChar('X'));
        // What is computed from it is marked as inherited, not as another origin.
        int inherited = 0;
        for (int row = 0; row < panel_->model()->rowCount(); ++row)
            inherited += panel_->model()->index(row, begin.column()).data(NumericsModel::GlyphRole).toChar() == QChar('x') ? 1 : 0;
        QVERIFY(inherited >= 1);

        const QString strip = label("numerics.verdict")->text();
        QVERIFY2(strip.startsWith(QStringLiteral("X  First divergence: stage %1 ").arg(begin.data(NumericsModel::StageRole).toInt())),
                 qPrintable(strip));
        QVERIFY(strip.contains(QLatin1String("max abs")));
        QVERIFY(label("numerics.reference")->text().contains(QLatin1String("stage 1 imported")));
        QCOMPARE(table()->currentIndex(), proxied(begin));  // shown at once
    }

    void bisectingRewritesShowsEveryProbeAndTheRewrite() {
        runAll("overlapping_views.py", "torch-v1");
        QSignalSpy finished(session_.get(), &Session::bisectFinished);
        auto* button = panel_->findChild<QPushButton*>(QStringLiteral("numerics.bisectRewrites"));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!button->isEnabled());
        QVERIFY(panel_->findChild<QPushButton*>(QStringLiteral("numerics.cancelBisect"))->isVisible());
        QVERIFY(finished.wait(20'000));
        QVERIFY(settled(*session_));
        QVERIFY2(label("numerics.found")->text().contains(QLatin1String("With rewrite 1 of 1 (wrap-v1): two became")),
                 qPrintable(label("numerics.found")->text()));
        auto* probes = panel_->findChild<QListWidget*>(QStringLiteral("numerics.probes"));
        QVERIFY(probes->count() >= 3);
        QVERIFY(probes->item(0)->text().endsWith(QLatin1String("reference")));
        QVERIFY(button->isEnabled());
        QVERIFY(!panel_->findChild<QPushButton*>(QStringLiteral("numerics.cancelBisect"))->isVisible());
        const int found = finished.first().first().value<BisectReport>().stage;
        QCOMPARE(session_->stage(), found);  // it is shown
        QCOMPARE(panel_->model()->firstDivergence().data(NumericsModel::StageRole).toInt(), found);
    }

    void aCancelledSearchSaysSo() {
        runAll("overlapping_views.py", "torch-v1");
        QSignalSpy finished(session_.get(), &Session::bisectFinished);
        QTest::mouseClick(panel_->findChild<QPushButton*>(QStringLiteral("numerics.bisectPasses")), Qt::LeftButton);
        QTest::mouseClick(panel_->findChild<QPushButton*>(QStringLiteral("numerics.cancelBisect")), Qt::LeftButton);
        QVERIFY(finished.wait(20'000));
        const auto report = finished.first().first().value<BisectReport>();
        QVERIFY(report.cancelled || report.stage > 1);  // it may have been done already
        if (report.cancelled) QVERIFY(label("numerics.found")->text().startsWith(QLatin1String("Cancelled")));
    }

    void theStripJumpsThere() {
        runAll("overlapping_views.py", "torch-v1");
        session_->setStage(1);
        QVERIFY(settled(*session_));
        const QModelIndex begin = panel_->model()->firstDivergence();
        QTest::mouseClick(panel_->findChild<QPushButton*>(QStringLiteral("numerics.goToFirst")), Qt::LeftButton);
        QVERIFY(settled(*session_));
        QCOMPARE(session_->stage(), begin.data(NumericsModel::StageRole).toInt());
        QCOMPARE(session_->selection().node, Uid(begin.data(NumericsModel::UidRole).toULongLong()));
    }

    void rowsStandInTheOrderOfTheProgram() {
        runAll("overlapping_views.py", "torch-v1");
        const auto& rows = panel_->model()->matrix()->rows;
        QCOMPARE(table()->model()->rowCount(), int(rows.size()));
        for (int row = 0; row < table()->model()->rowCount(); ++row)
            QCOMPARE(table()->model()->index(row, 0).data().toString(), QString::fromStdString(rows[std::size_t(row)].label));
    }

    void enterOnACellJumpsToItsStage() {
        runAll("overlapping_views.py", "torch-v1");
        session_->setStage(1);
        QVERIFY(settled(*session_));
        const QModelIndex cell = table()->model()->index(0, table()->model()->columnCount() - 1);
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(cell).center());
        QTest::keyClick(table(), Qt::Key_Return);
        QVERIFY(settled(*session_));
        QCOMPARE(session_->stage(), cell.data(NumericsModel::StageRole).toInt());
    }

    void theDetailNamesBothValues() {
        runAll("overlapping_views.py", "torch-v1");
        QVERIFY(panel_->goToFirstDivergence());
        QVERIFY(settled(*session_));
        QStringList said;
        for (const QLabel* fact : panel_->findChild<QWidget*>(QStringLiteral("numerics.detail"))->findChildren<QLabel*>())
            if (fact->isVisible()) said << fact->text();
        for (const char* wanted : {"max abs", "max rel", "ULP", "at", "was", "became", "verdict", "type", "range", "mean", "NaN", "infinite"})
            QVERIFY2(said.contains(QLatin1String(wanted)), wanted);
        QVERIFY(said.contains(QStringLiteral("differs, and it begins here")));
        QVERIFY2(said.filter(QStringLiteral("f32[")).size() == 1, qPrintable(said.join(QLatin1Char('\n'))));
        QVERIFY(said.filter(QStringLiteral(" \u2192 ")).size() >= 1);  // of the stage before, and of this one
    }

    void v2GivesWhatTheProgramGives() {
        runAll("overlapping_views.py", "torch-v2");
        QVERIFY(!panel_->model()->firstDivergence().isValid());
        QCOMPARE(label("numerics.verdict")->text(), QStringLiteral("Every compared stage gives what the first gives."));
        QVERIFY(!panel_->findChild<QPushButton*>(QStringLiteral("numerics.goToFirst"))->isVisible());
        QVERIFY(panel_->model()->rowCount() > 1);
    }

    void onlyDifferences() {
        runAll("overlapping_views.py", "torch-v1");
        const int all = table()->model()->rowCount();
        auto* box = panel_->findChild<QCheckBox*>(QStringLiteral("numerics.differences"));
        QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(6, box->height() / 2));
        QVERIFY(box->isChecked());
        const int fewer = table()->model()->rowCount();
        QVERIFY(fewer >= 1 && fewer < all);
        QCOMPARE(label("numerics.count")->text(), QStringLiteral("%1 of %2 values").arg(fewer).arg(all));
        auto* filter = panel_->findChild<QLineEdit*>(QStringLiteral("numerics.filter"));
        QTest::keyClicks(filter, QStringLiteral("no such value"));
        QCOMPARE(table()->model()->rowCount(), 0);
    }

    /// Errors against a run in doubles: a column whose numbers are those of the command.
    void errorsAgainstDoublesAreAColumn() {
        runAll("overlapping_views.py", "torch-v1");
        QCOMPARE(panel_->model()->errorColumn(), -1);
        const int columns = panel_->model()->columnCount();
        RunRequest request;
        request.doubles = true;
        run(request);
        NumericsModel& model = *panel_->model();
        const int errors = model.errorColumn();
        QCOMPARE(errors, columns);
        QCOMPARE(model.headerData(errors, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Error"));
        QVERIFY(model.headerData(errors, Qt::Horizontal, Qt::ToolTipRole).toString().contains(QLatin1String("doubles")));
        const QModelIndex begin = model.firstDivergence();
        QVERIFY(begin.isValid());
        const QModelIndex worst = model.index(begin.row(), errors);
        QVERIFY2(worst.data().toString().contains(QStringLiteral(" \u2192 ")), qPrintable(worst.data().toString()));
        QVERIFY2(worst.data(Qt::ToolTipRole).toString().contains(QLatin1String("functionalize: ")),
                 qPrintable(worst.data(Qt::ToolTipRole).toString()));
        // Enter leads to the stage that errs most.
        QVERIFY(worst.data(NumericsModel::StageRole).toInt() > 1);
        QVERIFY(worst.data(NumericsModel::UidRole).toULongLong() != kNoUid);
        keepPictures(*panel_, QStringLiteral("numerics-errors"));

        // The filter asks for them.
        auto* filter = panel_->findChild<QLineEdit*>(QStringLiteral("numerics.filter"));
        QTest::keyClicks(filter, QStringLiteral("error>0.1"));
        const int shown = table()->model()->rowCount();
        QVERIFY(shown >= 1 && shown < model.rowCount());
        QTest::keyClicks(filter, QStringLiteral(" bytes>"));
        QVERIFY2(filter->toolTip().contains(QLatin1String("P005")), qPrintable(filter->toolTip()));
        QCOMPARE(table()->model()->rowCount(), shown);
        filter->clear();

        // The same rows and numbers as the command gives of the same session.
        const aliascope::testing::Answer answer =
            aliascope::testing::runProgram({QStringLiteral("numerics"), session_->sessionPath(), QStringLiteral("--json")});
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        const QJsonArray rows = answer.rows("values");
        QCOMPARE(rows.size(), model.rowCount());
        for (int row = 0; row < model.rowCount(); ++row) {
            const QJsonObject value = rows[row].toObject();
            QCOMPARE(value[QStringLiteral("value")].toString(), model.index(row, NumericsModel::kValue).data().toString());
            for (const QJsonValue& each : value[QStringLiteral("cells")].toArray()) {
                const QJsonObject cell = each.toObject();
                const ComparedRow* same = nullptr;
                for (int column = NumericsModel::kFirstCell; column < errors; ++column)
                    if (model.index(row, column).data(NumericsModel::StageRole).toInt() == cell[QStringLiteral("idx")].toInt())
                        same = model.cell(model.index(row, column));
                QVERIFY(same);
                QCOMPARE(cell[QStringLiteral("error_b")].isDouble(), same->errorB.has_value());
                if (same->errorB) QCOMPARE(cell[QStringLiteral("error_b")].toDouble(), *same->errorB);
                if (same->errorA) QCOMPARE(cell[QStringLiteral("error_a")].toDouble(), *same->errorA);
            }
        }
    }

    void aSelectedNodeIsShown() {
        runAll("overlapping_views.py", "torch-v1");
        session_->setStage(1);
        QVERIFY(settled(*session_));
        session_->selectNode(session_->view()->nodeNamed("cos")->uid, Origin::Graph);
        QCOMPARE(table()->currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("cos"));
    }

    void theCommandPrintsTheMatrix() {
        runAll("overlapping_views.py", "torch-v1");
        QVERIFY(panel_->command().startsWith(QLatin1String("aliascope numerics overlapping_views.py --ops mylib.ops --pipeline torch-v1")));
    }

private:
    void runAll(const char* file, const char* pipeline) {
        session_->open(sampleRequest(file, pipeline));
        QVERIFY(settled(*session_));
        run({});
    }

    void run(const RunRequest& request) {
        QSignalSpy finished(session_.get(), &Session::runFinished);
        QVERIFY(session_->runStages(request));
        QVERIFY(settled(*session_));
        QCOMPARE(finished.count(), 1);
        const auto report = finished[0][0].value<RunReport>();
        QVERIFY2(!report.error, report.error ? qPrintable(report.error->what) : "");
        QVERIFY(panel_->model()->rowCount() > 0);
    }

    QLabel* label(const char* name) const { return panel_->findChild<QLabel*>(QLatin1String(name)); }
    QTableView* table() const { return panel_->findChild<QTableView*>(QStringLiteral("numerics.table")); }
    QModelIndex proxied(const QModelIndex& index) const { return qobject_cast<const QSortFilterProxyModel*>(table()->model())->mapFromSource(index); }

    std::unique_ptr<Session> session_;
    std::unique_ptr<NumericsPanel> panel_;
};

ALC_WIDGET_TEST(TestNumericsPanel)
#include "tst_numerics_panel.moc"
