#include "tests/benchmarks/window/window_bench.h"

#include <time.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

#include "core/recording/recorder.h"
#include "views/panels/theme.h"

namespace aliascope::bench {
namespace {

constexpr double kMarkedFrom = 1.5;

/// They end before the application.
struct Windows {
    QTemporaryDir folder;
    std::map<int, std::unique_ptr<MainWindow>> byCopies;
};
std::unique_ptr<Windows>& windows() {
    static std::unique_ptr<Windows> all;
    if (!all) all = std::make_unique<Windows>();
    return all;
}

}  // namespace

double Measure::now(Clock clock) {
    timespec t{};
    clock_gettime(clock == Clock::Thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return double(t.tv_sec) * 1e3 + double(t.tv_nsec) / 1e6;
}

void Measure::add(double ms) {
    times_.push_back(ms);
    state_.SetIterationTime(ms / 1e3);
}

Measure::~Measure() {
    if (times_.empty()) return;
    std::sort(times_.begin(), times_.end());
    const double p95 = times_[std::min(times_.size() - 1, times_.size() * 95 / 100)];
    state_.counters["p95_ms"] = p95;
    state_.counters["budget_ms"] = budget_;
    state_.counters["over"] = p95 / budget_;
    if (p95 > kMarkedFrom * budget_) state_.SetLabel("OVER BUDGET");
}

Document network(int copies) {
    Result<Document> doc = readText(sampleText("gpt2_train_joint.py"), "gpt2_train_joint.py", OpRegistry::builtin());
    if (!doc) return {};
    doc->units.front().graph = stacked(doc->units.front().graph, copies);
    return std::move(*doc);
}

bool record(int copies, const std::string& pipeline, const QString& path) {
    const Document doc = network(copies);
    const auto steps = parsePipeline(pipeline);
    auto recorder = Recorder::create(path.toStdString());
    if (doc.units.empty() || !steps || !recorder) return false;
    const auto graphs = (*recorder)->addDocument(doc);
    if (!graphs) return false;
    const auto observer = (*recorder)->beginLane(graphs->front(), "bench", OpRegistry::builtin());
    Graph g = doc.units.front().graph.clone();
    return observer && runPipeline(g, *steps, OpRegistry::builtin(), {*observer}).complete && (*recorder)->close().has_value();
}

QString folder() { return windows()->folder.path(); }

void settle(Session& session) {
    while (session.jobs().busy()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QCoreApplication::processEvents();
}

std::unique_ptr<MainWindow> newWindow(const QSize& size) {
    LaunchOptions options;
    options.clean = true;
    options.size = size;
    auto window = std::make_unique<MainWindow>(options);
    window->show();
    QCoreApplication::processEvents();
    return window;
}

bool open(MainWindow& window, const OpenRequest& request) {
    window.open(request);
    QElapsedTimer patience;
    patience.start();
    while (!window.session().view() && patience.elapsed() < 120'000) QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
    settle(window.session());
    return window.session().view() != nullptr;
}

MainWindow& windowOf(int copies) {
    std::unique_ptr<MainWindow>& window = windows()->byCopies[copies];
    if (window) return *window;
    window = newWindow(QSize(1920, 1080));
    OpenRequest request;
    request.path = windows()->folder.filePath(QStringLiteral("bench-%1.aliascope").arg(copies));
    if (record(copies, copies > 10 ? "dce" : "torch-v2", request.path)) open(*window, request);
    return *window;
}

StageViewPtr stageOf(benchmark::State& state) {
    const StageViewPtr& view = windowOf(int(state.range(0))).session().view();
    if (!view)
        state.SkipWithError("the session does not open");
    else
        state.counters["nodes"] = double(view->snapshot->nodes.size());
    return view;
}

void closeWindows() { windows().reset(); }

/// Not getrusage(): what a parent held before exec counts there.
double peakMiB() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
    return 0;
}

int stepThrough(const QString& path) {
    const std::unique_ptr<MainWindow> window = newWindow(QSize(1920, 1080));
    OpenRequest request;
    request.path = path;
    if (!open(*window, request)) return 1;
    Session& session = window->session();
    session.setStage(1);
    settle(session);
    int stages = 1;
    for (; session.step(1, false); ++stages) settle(session);
    window->repaint();
    std::printf("%d %.1f\n", stages, peakMiB());
    return 0;
}

}  // namespace aliascope::bench

int main(int argc, char** argv) {
    using namespace aliascope;
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    prepareTheme(app);
    applyTheme(ThemeChoice::Light);
    if (argc == 3 && qstrcmp(argv[1], "--step-through") == 0) return bench::stepThrough(QString::fromLocal8Bit(argv[2]));
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    bench::closeWindows();
}
