// What the window opens, by drop, by key and by itself: traces as trees of compilations, folders of dumps, new dumps of a folder that is watched.

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QTreeView>

#include "core/pipeline/pipeline.h"
#include "core/recording/recorder.h"
#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/panels/error_banner.h"
#include "views/panels/stage_panel.h"
#include "views/session/folder_watch.h"

using namespace aliascope;

namespace {

QString trace() { return QStringLiteral(ALIASCOPE_SOURCE_DIR "/tests/data/text/train.trace.log"); }

/// Headings and graphs below `parent`, deeper ones indented.
QStringList rows(const QAbstractItemModel& model, const QModelIndex& parent = {}, int depth = 0) {
    QStringList out;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex at = model.index(row, 0, parent);
        out << QString(depth, QLatin1Char(' ')) + at.data().toString();
        out << rows(model, at, depth + 1);
    }
    return out;
}

const char* const kReadable =
    "class <lambda>(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]cpu\"):\n        cos: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(x);  "
    "x = None\n"
    "        return (cos,)\n";

void write(const QString& path, const char* text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

}  // namespace

class TestOpening : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<MainWindow> window_;

    bool settle() { return settled(window_->session()); }
    template <class Widget>
    Widget* find(const char* name) {
        return window_->findChild<Widget*>(QLatin1String(name));
    }
    void drop(const QStringList& paths) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &enter);
        QDropEvent event(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &event);
    }

private slots:
    void init() {
        window_ = openWindow();
        QVERIFY(window_);
    }
    void cleanup() { window_.reset(); }

    void aDroppedTraceIsATreeOfCompilations() {
        drop({trace()});
        QVERIFY(settle());
        auto* tree = find<QTreeView>("import.list");
        QVERIFY(tree->isVisible());
        const QStringList shown = rows(*tree->model());
        // The compilation that was written last stands first; in each the compiler's order, then what is aside.
        QVERIFY2(shown.value(0) == QLatin1String("rank 1, compile 0/0"), qPrintable(shown.join("\n")));
        const QStringList last = shown.mid(shown.indexOf(QStringLiteral("compile 0/0")));
        const QStringList want{"compile 0/0",
                               " dynamo",
                               "  dynamo_output_graph",
                               " forward",
                               "  aot_forward_graph",
                               "  before_post_grad_graph",
                               " backward",
                               "  aot_backward_graph",
                               "  before_post_grad_graph",
                               " earlier attempts",
                               "  dynamo_output_graph",
                               " kernels",
                               "  cpp_fused_sin_0"};
        QCOMPARE(last, want);
        QVERIFY(tree->currentIndex().parent().isValid());  // a graph, not a heading
        keepPictures(*window_, QStringLiteral("import"));
        QVERIFY(find<QPushButton>("import.open")->isEnabled());
    }

    void theFilterFindsAStage() {
        drop({trace()});
        QVERIFY(settle());
        auto* field = find<QLineEdit>("import.filter");
        QTest::mouseClick(field, Qt::LeftButton);
        QTest::keyClicks(field, QStringLiteral("aot_back"));
        auto* tree = find<QTreeView>("import.list");
        const QStringList shown = rows(*tree->model());
        QCOMPARE(shown, (QStringList{"compile 0/0", " backward", "  aot_backward_graph"}));
        QCOMPARE(tree->currentIndex().data().toString(), QStringLiteral("aot_backward_graph"));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(settle());
        QVERIFY(window_->session().isOpen());
    }

    void anotherGraphOfTheFileOpensWithoutReading() {
        drop({trace()});
        QVERIFY(settle());
        QTest::keyClick(find<QTreeView>("import.list"), Qt::Key_Return);
        QVERIFY(settle());
        const auto document = window_->session().pendingDocument();
        QVERIFY(window_->session().isOpen() && document);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        auto* tree = find<QTreeView>("import.list");
        QVERIFY(tree->isVisible());
        QTest::keyClicks(find<QLineEdit>("import.filter"), QStringLiteral("aot_backward"));
        QElapsedTimer clock;
        clock.start();
        QTest::keyClick(find<QLineEdit>("import.filter"), Qt::Key_Return);
        QVERIFY(settle());
        qInfo("another graph opened after %lld ms", static_cast<long long>(clock.elapsed()));
        QVERIFY(!tree->isVisible());
        QCOMPARE(window_->session().pendingDocument(), document);
    }

    void headingsOpenAndClose() {
        drop({trace()});
        QVERIFY(settle());
        auto* tree = find<QTreeView>("import.list");
        const QModelIndex heading = tree->model()->index(0, 0);
        tree->setCurrentIndex(heading);
        QVERIFY(!find<QPushButton>("import.open")->isEnabled());
        const bool open = tree->isExpanded(heading);
        QTest::keyClick(tree, Qt::Key_Return);
        QCOMPARE(tree->isExpanded(heading), !open);
        QVERIFY(!window_->session().isOpen());
    }

    void pyTorchsOwnStagesAreLanes() {
        drop({trace()});
        QVERIFY(settle());
        auto* field = find<QLineEdit>("import.filter");
        QTest::keyClicks(field, QStringLiteral("aot_forward_graph"));
        QTest::mouseClick(find<QPushButton>("import.open"), Qt::LeftButton);
        QVERIFY(settle());
        Session& session = window_->session();
        QVERIFY(session.isOpen());
        QStringList kinds;
        std::int64_t foreign = 0;
        for (const LaneRow& lane : session.data().lanes) {
            kinds << QString::fromStdString(lane.kind + " " + lane.name);
            if (lane.kind == "foreign" && lane.name.find("forward") != std::string::npos) foreign = lane.id;
        }
        QVERIFY2(foreign != 0, qPrintable(kinds.join("\n")));
        QCOMPARE(session.lane()->kind, std::string("recorded"));
        session.setLane(foreign);
        QVERIFY(settle());
        QVERIFY(session.data().stages.size() > 1);
        const int last = session.stage();
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_P, Qt::ShiftModifier);
        QVERIFY(settle());
        QCOMPARE(session.stage(), last - 1);
    }

    void aDroppedFolderIsReadAndWatched() {
        QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("before.readable.py")), kReadable);
        drop({folder.path()});
        QVERIFY(settle());
        QVERIFY(window_->session().isOpen());
        auto* strip = find<QWidget>("watch.strip");
        QVERIFY(strip->isVisible());
        QVERIFY(!find<QPushButton>("watch.open")->isVisible());
        write(folder.filePath(QStringLiteral("after.readable.py")), kReadable);
        QVERIFY(QTest::qWaitFor([&] { return find<QPushButton>("watch.open")->isVisible(); }, 10'000));
        QVERIFY2(find<QLabel>("watch.text")->text().contains(QStringLiteral("after.readable.py")), qPrintable(find<QLabel>("watch.text")->text()));
        QFile again(folder.filePath(QStringLiteral("after.readable.py")));
        QVERIFY(again.open(QIODevice::Append));
        again.write("\n");
        again.close();
        QTest::qWait(1000);
        QVERIFY2(find<QLabel>("watch.text")->text().startsWith(QStringLiteral("New dump: ")), qPrintable(find<QLabel>("watch.text")->text()));
        QTest::mouseClick(find<QPushButton>("watch.open"), Qt::LeftButton);
        QVERIFY(settle());
        QVERIFY(window_->session().title().contains(QStringLiteral("after")));
        QTest::mouseClick(find<QPushButton>("watch.stop"), Qt::LeftButton);
        QVERIFY(!strip->isVisible());
    }

    void newFoldersAreWatchedToo() {
        QTemporaryDir folder;
        FolderWatch watch;
        QStringList told;
        connect(&watch, &FolderWatch::appeared, this, [&](const QString& path) { told << QFileInfo(path).fileName(); });
        watch.watch(folder.path());
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("run/model__0")));
        write(folder.filePath(QStringLiteral("run/model__0/fx_graph_readable.py")), kReadable);
        write(folder.filePath(QStringLiteral("weights.bin")), "x");
        QVERIFY(QTest::qWaitFor([&] { return !told.isEmpty(); }, 10'000));
        QCOMPARE(told, QStringList{QStringLiteral("fx_graph_readable.py")});
    }

    /// A trace is one file that grows for as long as its program runs; a busy one hides no other.
    void filesThatAreWrittenOnAreToldAgain() {
        QTemporaryDir folder;
        const QString trace = folder.filePath(QStringLiteral("dedicated_log_torch_trace_rank_0.log"));
        write(trace, "V0107");
        FolderWatch watch;
        QStringList told;
        connect(&watch, &FolderWatch::appeared, this, [&](const QString& path) { told << QFileInfo(path).fileName(); });
        watch.watch(folder.path());
        QFile file(trace);
        QVERIFY(file.open(QIODevice::Append));
        QTimer busy;
        connect(&busy, &QTimer::timeout, this, [&] {
            file.write("more");
            file.flush();
        });
        busy.start(50);
        write(folder.filePath(QStringLiteral("fx_graph_readable.py")), kReadable);
        write(folder.filePath(QStringLiteral("inductor_provenance_tracking_node_mappings.json")), "{}");
        write(folder.filePath(QStringLiteral("ir_pre_fusion.txt")), "op0");
        QVERIFY(QTest::qWaitFor([&] { return !told.isEmpty(); }, 10'000));
        QCOMPARE(told, QStringList{QStringLiteral("fx_graph_readable.py")});
        busy.stop();
        QVERIFY(QTest::qWaitFor([&] { return told.size() == 2; }, 10'000));
        QCOMPARE(told.back(), QFileInfo(trace).fileName());
        QVERIFY(QFile::remove(trace));
        QTest::qWait(100);
        write(trace, "V0108");
        QVERIFY(QTest::qWaitFor([&] { return told.size() == 3; }, 10'000));
        QCOMPARE(told.back(), QFileInfo(trace).fileName());
    }

    void theNewestTraceIsFound() {
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("a/b")));
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral(".hidden")));
        const QString old = folder.filePath(QStringLiteral("dedicated_log_torch_trace_1.log")),
                      fresh = folder.filePath(QStringLiteral("a/b/model.pt2"));
        write(old, "x");
        write(fresh, "x");
        write(folder.filePath(QStringLiteral(".hidden/newer.pt2")), "x");
        for (const char* other : {"notes.txt", "test_forward.py", "joint.py", "ir_pre_fusion.txt"}) write(folder.filePath(QLatin1String(other)), "x");
        QFile file(old);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-1), QFileDevice::FileModificationTime));
        file.close();
        QCOMPARE(newestTrace({folder.path()}, [] { return false; }), QFileInfo(fresh).absoluteFilePath());
        QCOMPARE(newestTrace({folder.path()}, [] { return true; }), QString());
        QVERIFY(newestTrace({folder.filePath(QStringLiteral("none"))}, [] { return false; }).isEmpty());
    }

    /// What a program left that was killed before the first stage of a lane.
    void aLaneWithoutStagesIsPassedOver_data() {
        QTest::addColumn<bool>("another");
        QTest::newRow("there is another") << true;
        QTest::newRow("there is none") << false;
    }
    void aLaneWithoutStagesIsPassedOver() {
        QFETCH(bool, another);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("killed.aliascope"));
        {
            auto recorder = Recorder::create(path.toStdString());
            const auto doc = readText(kReadable, "a.py", OpRegistry::builtin());
            const auto graphs = (*recorder)->addDocument(*doc);
            Graph g = doc->units.front().graph.clone();
            if (another)
                QVERIFY(runPipeline(g, *parsePipeline("dce"), OpRegistry::builtin(),
                                    {*(*recorder)->beginLane(graphs->front(), "whole", OpRegistry::builtin())})
                            .complete);
            const auto killed = (*recorder)->beginLane(graphs->front(), "killed", OpRegistry::builtin());
            QVERIFY((*killed)->pipelineStarted(g, *parsePipeline("dce")));
        }
        drop({path});
        QVERIFY(settle());
        QCOMPARE(window_->session().isOpen(), another);
        if (!another) {
            QVERIFY2(find<QLabel>("error.what")->text().contains(QLatin1String("holds no stage")), qPrintable(find<QLabel>("error.what")->text()));
            return;
        }
        QCOMPARE(window_->session().lane()->name, std::string("whole"));
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_Home);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_End);
        QVERIFY(settle());
        QVERIFY(window_->session().view());
    }

    void oneOfSeveralDroppedFilesIsOpenedAndTheRestIsSaid() {
        QTemporaryDir folder;
        QStringList paths;
        for (const char* name : {"before.py", "after.py", "later.py"}) {
            paths << folder.filePath(QLatin1String(name));
            write(paths.back(), kReadable);
        }
        drop(paths);
        QVERIFY2(window_->statusBar()->currentMessage().contains(QLatin1String("before.py is opened, 2 more are not")),
                 qPrintable(window_->statusBar()->currentMessage()));
        QVERIFY(settle());
        QCOMPARE(window_->session().title(), QStringLiteral("before.py"));
    }

    /// Schemas tell what an operator of the open graph writes: dropped, they are used at once.
    void droppedSchemasAreUsed() {
        QTemporaryDir folder;
        write(
            folder.filePath(QStringLiteral("graph.py")),
            "class G(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]cpu\"):\n        f = torch.ops.mine.f.default(x)\n        return (x,)\n");
        QTemporaryDir elsewhere;
        write(elsewhere.filePath(QStringLiteral("mine.ops")), "op mine::f(Tensor(a!) x) -> ()\n");
        drop({folder.filePath(QStringLiteral("graph.py"))});
        QVERIFY(settle());
        QVERIFY(!window_->session().ops()->find("mine::f"_n));
        drop({elsewhere.filePath(QStringLiteral("mine.ops"))});
        QVERIFY(settle());
        QCOMPARE(window_->session().title(), QStringLiteral("graph.py"));
        QVERIFY(window_->session().ops()->find("mine::f"_n));
        window_->findChild<QAction*>(QStringLiteral("file.close"))->trigger();
        drop({elsewhere.filePath(QStringLiteral("mine.ops"))});
        QVERIFY(settle());
        QVERIFY(!window_->session().isOpen());
    }

    /// A schema file with a mistake is named and not used: what is open stays, and what is opened next opens.
    void brokenSchemasAreNotKept() {
        QTemporaryDir folder;
        const QString graph = folder.filePath(QStringLiteral("graph.py")), broken = folder.filePath(QStringLiteral("elsewhere/broken.ops"));
        QVERIFY(QDir().mkpath(QFileInfo(broken).path()));
        write(graph, kReadable);
        write(broken, "op mine::f(Tensor(a! x) -> ()\n");
        drop({graph});
        QVERIFY(settle());
        drop({broken});
        QVERIFY(settle());
        QVERIFY(window_->findChild<ErrorBanner*>()->isVisible());
        QVERIFY(window_->session().isOpen());
        drop({graph, broken});
        QVERIFY(settle());
        QVERIFY(window_->findChild<ErrorBanner*>()->isVisible());
        QVERIFY(window_->session().view()->nodeNamed("cos"));
        drop({graph});
        QVERIFY(settle());
        QVERIFY(!window_->findChild<ErrorBanner*>()->isVisible());
        QVERIFY(window_->session().view()->nodeNamed("cos"));
    }

    void pastedFilesOpen() {
        auto* data = new QMimeData;
        data->setUrls({QUrl::fromLocalFile(trace())});
        data->setText(trace());
        QApplication::clipboard()->setMimeData(data);
        QTest::keyClick(window_.get(), Qt::Key_V, Qt::ControlModifier);
        QVERIFY(settle());
        QVERIFY(find<QTreeView>("import.list")->isVisible());
    }

    void pastedExcerptsOpen() {
        QApplication::clipboard()->setText(QLatin1String(kReadable));
        QTest::keyClick(window_.get(), Qt::Key_V, Qt::ControlModifier);
        QVERIFY(settle());
        QVERIFY(window_->session().view()->nodeNamed("cos"));
    }
};

ALC_WIDGET_TEST(TestOpening)
#include "tst_opening.moc"
