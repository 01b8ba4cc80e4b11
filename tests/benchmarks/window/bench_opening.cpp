// Starting, opening, cancelling, and what it takes of memory.

#include <QApplication>
#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QSettings>
#include <algorithm>
#include <fstream>

#include "core/text/print.h"
#include "tests/benchmarks/window/window_bench.h"
#include "views/panels/stage_panel.h"

using namespace aliascope;
using namespace aliascope::bench;

namespace {

/// The program itself, from exec to the end of a picture of its start page: an upper bound of when the page stands there. Files are in the cache of
/// the system.
void coldStartToStartPage(benchmark::State& state) {
    const QString picture = folder() + QStringLiteral("/start.bmp");  // no compression to wait for
    Measure measure(state, 800, Clock::Wall);
    for (auto _ : state) {
        measure([&] {
            QProcess program;
            program.start(QStringLiteral(ALIASCOPE_GUI_PROGRAM),
                          {QStringLiteral("--screenshot"), picture, QStringLiteral("--size"), QStringLiteral("1440x900")});
            if (!program.waitForFinished(60'000) || program.exitCode() != 0) state.SkipWithError("aliascope-gui does not start");
        });
    }
}
BENCHMARK(coldStartToStartPage)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(7);

/// A further window with its start page; the process and its fonts are warm.
void startPage(benchmark::State& state) {
    Measure measure(state, 800);
    for (auto _ : state) measure([&] { newWindow(QSize(1440, 900))->repaint(); });
}
BENCHMARK(startPage)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

/// From the request to the first painted graph: reading, every pass, recording, layout.
void openGraphText(benchmark::State& state) {
    OpenRequest request;
    request.path = QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/gpt2_train_joint.py");
    request.pipeline = QStringLiteral("torch-joint");
    Measure measure(state, 500, Clock::Wall);
    for (auto _ : state) {
        const std::unique_ptr<MainWindow> window = newWindow(QSize(1440, 900));
        measure([&] {
            window->open(request);
            while (!window->session().view()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            window->repaint();
        });
        settle(window->session());
    }
}
BENCHMARK(openGraphText)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

/// A TORCH_TRACE of 39 MB: compilations of ten small graphs, and among them some of the largest sample.
QString bigTrace() {
    const QString path = folder() + QStringLiteral("/big.trace.log");
    if (QFile::exists(path)) return path;
    std::ifstream file(ALIASCOPE_SOURCE_DIR "/tests/data/text/train.trace.log");
    const std::string once((std::istreambuf_iterator<char>(file)), {});
    // A record of a trace: its line, then what belongs to it, each line after a tab.
    std::string large;
    const std::string text = sampleText("gpt2_train_joint.py");
    const QByteArray hash = QCryptographicHash::hash(QByteArray::fromStdString(text).trimmed(), QCryptographicHash::Md5).toHex();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        large += '\t' + text.substr(at, end - at) + '\n';
        at = end + 1;
    }
    std::ofstream out(path.toStdString(), std::ios::binary);
    std::size_t written = 0;
    constexpr std::size_t kBytes = 39'000'000;
    for (int i = 0; written < kBytes; ++i) {
        std::string copy = once;
        const std::string from = "\"frame_id\": 0", to = "\"frame_id\": " + std::to_string(i);
        for (std::size_t at = copy.find(from); at != std::string::npos; at = copy.find(from, at + to.size())) copy.replace(at, from.size(), to);
        if (i % 8 == 0)
            copy +=
                "V0101 00:00:00.000000 1 torch/_inductor/compile_fx.py:1] {\"aot_joint_graph\": {}, \"rank\": 0, \"frame_id\": " + std::to_string(i) +
                ", \"frame_compile_id\": 0, \"attempt\": 0, \"has_payload\": \"" + hash.toStdString() + "\"}\n" + large;
        out << copy;
        written += copy.size();
    }
    return path;
}

void openTraceToItsList(benchmark::State& state) {
    OpenRequest request;
    request.path = bigTrace();
    state.counters["MB"] = double(QFileInfo(request.path).size()) / 1e6;
    Measure measure(state, 1000, Clock::Wall);
    for (auto _ : state) {
        const std::unique_ptr<MainWindow> window = newWindow(QSize(1440, 900));
        bool listed = false;
        QObject::connect(&window->session(), &Session::importChoice, window.get(), [&] { listed = true; });
        measure([&] {
            window->open(request);
            while (!listed && window->session().jobs().busy()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            window->repaint();
        });
        if (!listed) return state.SkipWithError("no list came");
        state.counters["graphs"] = double(window->session().pendingDocument()->units.size());
        settle(window->session());
    }
}
BENCHMARK(openTraceToItsList)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(3);

/// Any graph of the list, once its passes have run: the time until it is painted, without what the passes take.
void openGraphOfTrace(benchmark::State& state) {
    OpenRequest request;
    request.path = bigTrace();
    request.pipeline = QStringLiteral("dce");
    const std::unique_ptr<MainWindow> window = newWindow(QSize(1440, 900));
    window->open(request);
    settle(window->session());
    const auto document = window->session().pendingDocument();
    if (!document) return state.SkipWithError("no list came");
    const std::vector<std::size_t> units = openableUnits(*document);
    Measure measure(state, 100, Clock::Wall);
    std::size_t at = 0;
    for (auto _ : state) {
        StageViewPtr before = window->session().view();
        measure([&] {
            window->session().openUnit(units[at]);
            while (window->session().view() == before && window->session().jobs().busy())
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            window->repaint();
        });
        settle(window->session());
        at = (at + 7) % units.size();
    }
}
BENCHMARK(openGraphOfTrace)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

/// A session as it was left: stage, selected node, text beside the graph.
void openSessionAsLeft(benchmark::State& state) {
    const QString path = folder() + QStringLiteral("/left.aliascope");
    if (!QFile::exists(path) && !record(int(state.range(0)), "torch-v2", path)) return state.SkipWithError("the session cannot be recorded");
    QCoreApplication::setOrganizationName(QStringLiteral("aliascope-bench"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder());
    LaunchOptions options;
    options.size = QSize(1440, 900);
    OpenRequest request;
    request.path = path;
    Uid chosen = kNoUid;
    {
        MainWindow window(options);
        window.show();
        if (!open(window, request)) return state.SkipWithError("the session does not open");
        window.session().setStage(2);
        settle(window.session());
        chosen = window.session().view()->snapshot->nodes[window.session().view()->snapshot->nodes.size() / 2]->uid;
        window.session().selectNode(chosen, Origin::Command);
        window.stagePanel()->setMode(StagePanel::Mode::Both);
        settle(window.session());
        window.close();  // writes what was not written yet
    }
    Measure measure(state, 500, Clock::Wall);
    for (auto _ : state) {
        MainWindow window(options);
        window.show();
        QCoreApplication::processEvents();
        QElapsedTimer patience;
        patience.start();
        bool text = false;
        QObject::connect(&window.session(), &Session::textReady, &window, [&] { text = true; });
        measure([&] {
            window.open(request);
            while ((window.session().selection().node != chosen || !text) && patience.elapsed() < 20'000)
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
            window.repaint();
        });
        if (window.session().selection().node != chosen) return state.SkipWithError("the view is not as it was left");
        settle(window.session());
    }
}
BENCHMARK(openSessionAsLeft)->ArgName("copies")->Arg(1)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(7);

/// Cancel while a graph is read, while its passes run and while it is recorded: until those jobs are gone. Reading what was finished, to show it, is
/// a job of its own.
void cancelOpening(benchmark::State& state) {
    const int copies = int(state.range(0));
    const QString path = folder() + QStringLiteral("/cancel-%1.py").arg(copies);
    if (!QFile::exists(path)) {
        const Document doc = network(copies);
        if (doc.units.empty()) return state.SkipWithError("the sample does not open");
        std::ofstream(path.toStdString(), std::ios::binary) << printReadable(doc.units.front().graph);
    }
    OpenRequest request;
    request.path = path;
    request.pipeline = QStringLiteral("torch-joint");
    const std::unique_ptr<MainWindow> window = newWindow(QSize(1440, 900));
    Measure measure(state, 200, Clock::Wall);
    int wait = 0, cancelled = 0;
    for (auto _ : state) {
        wait = (wait + 13 * copies) % (140 * copies);
        window->open(request);
        QElapsedTimer clock;
        clock.start();
        while (clock.elapsed() < wait && window->session().jobs().busy()) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        if (window->session().jobs().busy()) ++cancelled;
        JobQueue& jobs = window->session().jobs();
        int last = 0;
        for (const JobInfo& job : jobs.visible()) last = std::max(last, job.id);
        const auto isThere = [&] {
            const std::vector<JobInfo> now = jobs.visible();
            return std::any_of(now.begin(), now.end(), [last](const JobInfo& job) { return job.id <= last; });
        };
        measure([&] {
            jobs.cancelAll();
            while (isThere()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        });
        settle(window->session());  // what was finished is shown
    }
    state.counters["cancelled"] = cancelled;
}
BENCHMARK(cancelOpening)->ArgName("copies")->Arg(1)->Arg(10)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

/// Peak of a process of its own that has shown every stage of a session. MiB in place of ms.
void memoryOfTheWindow(benchmark::State& state) {
    const int copies = int(state.range(0));
    const QString path = folder() + QStringLiteral("/memory-%1.aliascope").arg(copies);
    const char* const pipeline = copies > 10 ? "dce" : "functionalize,canonicalize-views,cse,reinplace,decompose-functionalized,cse,dce";
    if (!QFile::exists(path) && !record(copies, pipeline, path)) return state.SkipWithError("the session cannot be recorded");
    for (auto _ : state) {
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--step-through"), path});
        if (!child.waitForFinished(300'000) || child.exitCode() != 0) return state.SkipWithError("the session does not open");
        const QList<QByteArray> words = child.readAllStandardOutput().simplified().split(' ');
        const double peak = words.value(1).toDouble(), budget = copies > 10 ? 1024 : 300;
        state.counters["stages"] = words.value(0).toDouble();
        state.counters["peak_MiB"] = peak;
        state.counters["budget_MiB"] = budget;
        state.counters["over"] = peak / budget;
        if (peak > 1.5 * budget) state.SetLabel("OVER BUDGET");
    }
}
BENCHMARK(memoryOfTheWindow)->ArgName("copies")->Arg(1)->Arg(38)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
