// The run panel: F5 and Ctrl+F5 by mouse and key, progress, cancel, errors as rows, and results that are in the file afterwards.

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "tests/views/open_window.h"
#include "tests/views/widget_test.h"
#include "views/models/run_history_model.h"
#include "views/panels/run_panel.h"

using namespace aliascope;

namespace {

const char* const kOutOfRange = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        full: "i64[2][1]cpu" = torch.ops.aten.full.default([2], 9)
        index_select: "f32[2, 4][4, 1]cpu" = torch.ops.aten.index_select.default(x, 0, full);  x = full = None
        return (index_select,)
)";

const char* const kTooLarge = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(x);  x = None
        full: "f32[1000000, 1000000][1000000, 1]cpu" = torch.ops.aten.full.default([1000000, 1000000], 1.0)
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(full);  full = None
        add: "f32[4, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(relu, sum_1);  relu = sum_1 = None
        return (add,)
)";

const char* const kUnknown = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(x);  x = None
        foo: "f32[4, 4][4, 1]cpu" = torch.ops.nobody.foo.default(relu);  relu = None
        return (foo,)
)";

const char* const kLong = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[1200, 1200][1200, 1]cpu"):
        mm: "f32[1200, 1200][1200, 1]cpu" = torch.ops.aten.mm.default(x, x)
        mm_1: "f32[1200, 1200][1200, 1]cpu" = torch.ops.aten.mm.default(mm, x)
        mm_2: "f32[1200, 1200][1200, 1]cpu" = torch.ops.aten.mm.default(mm_1, x)
        mm_3: "f32[1200, 1200][1200, 1]cpu" = torch.ops.aten.mm.default(mm_2, x)
        mm_4: "f32[1200, 1200][1200, 1]cpu" = torch.ops.aten.mm.default(mm_3, x)
        mm_5: "f32[1200, 1200][1200, 1]cpu" = torch.ops.aten.mm.default(mm_4, x)
        return (mm_5,)
)";

}  // namespace

class TestRunPanel : public QObject {
    Q_OBJECT

private slots:
    void init() {
        window_ = openWindow();
        QVERIFY(window_);
    }

    void cleanup() { window_.reset(); }

    void cudaIsGreyedWithTheReason() {
        open(sampleRequest("overlapping_views.py", "torch-v1"));
        auto* device = window_->findChild<QComboBox*>(QStringLiteral("run.device"));
        QCOMPARE(device->currentData().toString(), QStringLiteral("cpu"));
        const int cuda = device->count() - 1;
        QVERIFY(device->itemText(cuda).contains(QLatin1String("no module")));
        QVERIFY(!qobject_cast<QStandardItemModel*>(device->model())->item(cuda)->isEnabled());
    }

    void nothingWasRunYet() {
        open(sampleRequest("overlapping_views.py", "torch-v1"));
        raise();
        QVERIFY(label("run.empty")->isVisible());
        QVERIFY(label("run.empty")->text().contains(QLatin1String("F5")));
    }

    void f5RunsTheCurrentStage() {
        open(sampleRequest("overlapping_views.py", "torch-v1"));
        raise();
        QSignalSpy finished(&window_->session(), &Session::runFinished);
        QTest::mouseClick(button("run.start"), Qt::LeftButton);
        QVERIFY(settled(window_->session()));
        QCOMPARE(finished.count(), 1);
        QVERIFY(history()->rowCount() >= 1);
        QCOMPARE(history()->index(0, RunHistoryModel::State).data().toString(), QStringLiteral("done"));
        QVERIFY(!history()->index(0, RunHistoryModel::Peak).data().toString().isEmpty());
        QCOMPARE(history()->index(0, RunHistoryModel::Inputs).data().toString(), QStringLiteral("random, seed 0"));
        // F5 with the focus in the panel runs stages, not the pipeline.
        const std::size_t lanes = window_->session().data().lanes.size();
        table()->setFocus();
        QTest::keyClick(table(), Qt::Key_F5);
        QVERIFY(settled(window_->session()));
        QCOMPARE(finished.count(), 2);
        QCOMPARE(window_->session().data().lanes.size(), lanes);
    }

    void ctrlF5RunsAllAndShowsWhereTheyDiffer() {
        open(sampleRequest("overlapping_views.py", "torch-v1"));
        QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
        QVERIFY2(label("run.said")->text().contains(QLatin1String("give other numbers than the first stage")), qPrintable(label("run.said")->text()));
        auto* table = window_->findChild<QTableView*>(QStringLiteral("numerics.table"));
        QVERIFY(table->isVisible());  // raised, because something differs
        raise();
        bool differs = false;
        for (int row = 0; row < history()->rowCount(); ++row)
            differs = differs || history()->index(row, RunHistoryModel::Verdict).data().toString() == QLatin1String("differs");
        QVERIFY(differs);
    }

    void seedAndRecordingAreAsTheFormSays() {
        open(sampleRequest("overlapping_views.py", "torch-v2"));
        raise();
        auto* seed = window_->findChild<QLineEdit*>(QStringLiteral("run.seed"));
        seed->selectAll();
        QTest::keyClicks(seed, QStringLiteral("42"));
        auto* memory = window_->findChild<QCheckBox*>(QStringLiteral("run.memory"));
        QTest::mouseClick(memory, Qt::LeftButton, {}, QPoint(6, memory->height() / 2));
        QVERIFY(!memory->isChecked());
        QTest::mouseClick(button("run.startAll"), Qt::LeftButton);
        QVERIFY(settled(window_->session()));
        QCOMPARE(history()->index(0, RunHistoryModel::Inputs).data().toString(), QStringLiteral("random, seed 42"));
        const auto& data = window_->session().data();
        QVERIFY(data.recording->memoryRuns(data.lane).empty());
        QVERIFY(!data.recording->comparisons(data.lane).empty());
        auto* runs = window_->findChild<RunPanel*>(QStringLiteral("run"));
        QVERIFY2(runs->command().contains(QLatin1String("exec overlapping_views.py")) && runs->command().contains(QLatin1String("--seed 42")),
                 qPrintable(runs->command()));
    }

    /// Judged by errors against doubles, the session holds those of the values that differ.
    void errorsAgainstDoublesAreRecorded() {
        open(sampleRequest("overlapping_views.py", "torch-v1"));
        raise();
        auto* runs = window_->findChild<RunPanel*>(QStringLiteral("run"));
        auto* doubles = window_->findChild<QCheckBox*>(QStringLiteral("run.doubles"));
        doubles->setFocus();
        QTest::keyClick(doubles, Qt::Key_Space);
        QVERIFY2(runs->command().contains(QLatin1String("--reference f64")), qPrintable(runs->command()));
        QTest::mouseClick(button("run.startAll"), Qt::LeftButton);
        QVERIFY(settled(window_->session()));
        bool measured = false;
        const auto& data = window_->session().data();
        for (const ComparisonRow& comparison : data.recording->comparisons(data.lane))
            for (const ComparedRow& row : data.recording->comparisonRows(comparison.id)) measured = measured || row.errorB.has_value();
        QVERIFY(measured);
    }

    void anErrorIsARowThatLeadsToItsNode_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("words");
        QTest::newRow("index out of range") << QString::fromLatin1(kOutOfRange) << "index_select"
                                            << "9";
        QTest::newRow("out of memory") << QString::fromLatin1(kTooLarge) << "full"
                                       << "4000000000000 B";
        QTest::newRow("unknown operator") << QString::fromLatin1(kUnknown) << "foo"
                                          << "nobody::foo";
    }

    void anErrorIsARowThatLeadsToItsNode() {
        QFETCH(QString, graph);
        QFETCH(QString, node);
        QFETCH(QString, words);
        OpenRequest request;
        request.text = graph;
        request.pipeline = QStringLiteral("dce");
        open(request);
        raise();
        QTest::mouseClick(button("run.start"), Qt::LeftButton);
        QVERIFY(settled(window_->session()));
        int message = -1;
        for (int row = 0; row < history()->rowCount(); ++row)
            if (history()->index(row, 0).data(RunHistoryModel::MessageRole).toBool()) message = row;
        QVERIFY(message > 0);
        QCOMPARE(history()->index(message, RunHistoryModel::State).data().toString(), QStringLiteral("error"));
        const QString said = history()->index(message, RunHistoryModel::Message).data().toString();
        QVERIFY2(said.contains(node) && said.contains(words), qPrintable(said));
        QCOMPARE(history()->index(0, RunHistoryModel::State).data().toString(), QStringLiteral("failed"));
        const QModelIndex at = history()->index(message, RunHistoryModel::Stage);
        QCOMPARE(at.data().toString(), QStringLiteral("error: ") + said);
        QVERIFY(table()->visualRect(at).width() > table()->viewport()->width() * 3 / 4);  // over the whole row
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(at).center());
        QVERIFY(settled(window_->session()));
        QCOMPARE(window_->session().view()->node(window_->session().selection().node)->name, node.toStdString());
        QVERIFY(label("run.said")->text().contains(QLatin1String("did not run to its end")));
        // What was live when it failed stays browsable: a double click on the run shows its memory.
        const QModelIndex run = history()->index(0, RunHistoryModel::State);
        emit table()->activated(run);
        QVERIFY(settled(window_->session()));
        QVERIFY2(label("memory.caption")->isVisible() && label("memory.caption")->text().startsWith(QLatin1String("measured: run")),
                 qPrintable(label("memory.caption")->text()));
    }

    void standInsRunWhatNobodyKnows() {
        OpenRequest request;
        request.text = QLatin1String(kUnknown);
        request.pipeline = QStringLiteral("dce");
        open(request);
        raise();
        auto* standIn = window_->findChild<QCheckBox*>(QStringLiteral("run.standIn"));
        standIn->setFocus();
        QTest::keyClick(standIn, Qt::Key_Space);
        QVERIFY(standIn->isChecked());
        QTest::mouseClick(button("run.start"), Qt::LeftButton);
        QVERIFY(settled(window_->session()));
        QCOMPARE(history()->index(0, RunHistoryModel::State).data().toString(), QStringLiteral("done, stand-ins"));
    }

    void aMissingFileOfInputsIsSaid() {
        open(sampleRequest("overlapping_views.py", "torch-v2"));
        raise();
        QTest::keyClicks(window_->findChild<QLineEdit*>(QStringLiteral("run.inputs")), QStringLiteral("no/such/file.npz"));
        QTest::mouseClick(button("run.start"), Qt::LeftButton);
        QVERIFY(settled(window_->session()));
        QVERIFY2(label("run.said")->text().contains(QLatin1String("no/such/file.npz")), qPrintable(label("run.said")->text()));
        QVERIFY(button("run.start")->isEnabled());
    }

    void cancelStopsAndKeepsTheWindowUsable() {
        OpenRequest request;
        request.text = QLatin1String(kLong);
        request.pipeline = QStringLiteral("dce");
        open(request);
        raise();
        window_->findChild<QComboBox*>(QStringLiteral("run.device"))->setCurrentIndex(1);  // the slow one
        QSignalSpy finished(&window_->session(), &Session::runFinished);
        QTest::mouseClick(button("run.start"), Qt::LeftButton);
        QVERIFY(button("run.cancel")->isVisible());
        QVERIFY(!button("run.start")->isEnabled());
        QElapsedTimer clock;
        clock.start();
        QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(settled(window_->session()));
        QVERIFY2(clock.elapsed() < 20'000, "cancelling took as long as running");
        QCOMPARE(finished.count(), 1);
        QVERIFY(finished[0][0].value<RunReport>().cancelled);
        QVERIFY(label("run.said")->text().startsWith(QLatin1String("Cancelled.")));
        QVERIFY(!button("run.cancel")->isVisible());
        QVERIFY(button("run.start")->isEnabled());
    }

    void runsAreInTheFileLater() {
        open(sampleRequest("overlapping_views.py", "torch-v1"));
        QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ControlModifier);
        QVERIFY(settled(window_->session()));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("kept.aliascope"));
        window_->session().saveAs(path);
        QVERIFY(settled(window_->session()));
        const auto again = Recording::open(path.toStdString());
        QVERIFY(again);
        const std::int64_t lane = (*again)->lanes().back().id;
        QVERIFY(!(*again)->runs(lane).empty());
        QVERIFY((*again)->firstDivergence(lane));
        QVERIFY(!(*again)->memoryRuns(lane).empty());
    }

private:
    void open(const OpenRequest& request) {
        window_->open(request);
        QVERIFY(settled(window_->session()));
        QVERIFY(window_->session().isOpen());
    }

    void raise() {
        window_->action(QStringLiteral("run.panel"))->trigger();
        QVERIFY(settled(window_->session()));
        QVERIFY(button("run.start")->isVisible());
    }

    QLabel* label(const char* name) const { return window_->findChild<QLabel*>(QLatin1String(name)); }
    QPushButton* button(const char* name) const { return window_->findChild<QPushButton*>(QLatin1String(name)); }
    QTableView* table() const { return window_->findChild<QTableView*>(QStringLiteral("run.history")); }
    QAbstractItemModel* history() const { return table()->model(); }

    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestRunPanel)
#include "tst_run_panel.moc"
