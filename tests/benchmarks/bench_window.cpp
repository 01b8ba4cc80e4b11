// Stepping from stage to stage in the window, all panels and the repaint included (ui.md 8: 50 ms for the largest sample). Runs offscreen.

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QDeadlineTimer>
#include <QTemporaryDir>

#include "app/gui/main_window.h"
#include "core/recording/recorder.h"
#include "tests/benchmarks/scaled_graph.h"
#include "views/panels/theme.h"

using namespace aliascope;

namespace {

/// The torch-v2 lane of a network with `copies` times the layers of the largest sample, as a session file.
bool record(int copies, const QString& path) {
    Result<Document> doc = readText(bench::sampleText("gpt2_train_joint.py"), "gpt2_train_joint.py", OpRegistry::builtin());
    if (!doc) return false;
    Graph g = bench::stacked(doc->units.front().graph, copies);
    doc->units.front().graph = g.clone();
    auto recorder = Recorder::create(path.toStdString());
    if (!recorder) return false;
    const auto graphs = (*recorder)->addDocument(*doc);
    if (!graphs) return false;
    const auto observer = (*recorder)->beginLane(graphs->front(), "torch-v2", OpRegistry::builtin());
    return observer && runPipeline(g, *namedPipeline("torch-v2"), OpRegistry::builtin(), {*observer}).complete && (*recorder)->close().has_value();
}

void settle(MainWindow& window) {
    while (window.session().jobs().busy()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QCoreApplication::processEvents();
}

void stepInWindow(benchmark::State& state) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("bench.aliascope"));
    if (!record(static_cast<int>(state.range(0)), path)) return state.SkipWithError("recording failed");
    LaunchOptions options;
    options.clean = true;
    options.size = QSize(1440, 900);
    MainWindow window(options);
    window.show();
    OpenRequest request;
    request.path = path;
    window.open(request);
    Session& session = window.session();
    const QDeadlineTimer patience(60'000);
    while (!session.isOpen() && !patience.hasExpired()) QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
    settle(window);
    if (!session.isOpen()) return state.SkipWithError("the session does not open");
    int direction = -1;
    for (auto _ : state) {
        session.step(direction, true);
        while (!session.view() || session.view()->stage != session.stage()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        window.repaint();
        state.PauseTiming();
        settle(window);
        direction = -direction;
        state.ResumeTiming();
    }
    state.counters["nodes"] = static_cast<double>(session.view()->snapshot->nodes.size());
}
BENCHMARK(stepInWindow)->Arg(1)->Arg(4)->Arg(10)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(24);

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    benchmark::Initialize(&argc, argv);
    prepareTheme(app);
    applyTheme(ThemeChoice::Light);
    benchmark::RunSpecifiedBenchmarks();
}
