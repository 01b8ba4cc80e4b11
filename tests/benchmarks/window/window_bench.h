#pragma once
// What the benchmarks of the window share: times against the budgets of ui.md 8, sessions of scaled networks, and one open window per size. Arguments
// named `copies` are copies of the layers of the largest sample (2,941 nodes each). Runs offscreen; nothing asserts a time.

#include <benchmark/benchmark.h>

#include <QString>
#include <vector>

#include "app/gui/main_window.h"
#include "tests/benchmarks/scaled_graph.h"

namespace aliascope::bench {

/// What a budget speaks of: processor time of the painting thread, or the time that the user waits.
enum class Clock : std::uint8_t { Thread, Wall };

/// Collects single times, gives each to the benchmark, and reports the 95th percentile beside the budget: `over` = how many times the budget it is.
/// From 1.5 on the line is marked.
class Measure {
public:
    Measure(benchmark::State& state, double budgetMs, Clock clock = Clock::Thread) : state_(state), budget_(budgetMs), clock_(clock) {}
    ~Measure();
    Measure(const Measure&) = delete;
    Measure& operator=(const Measure&) = delete;

    template <class Work>
    void operator()(Work work) {
        const double before = now(clock_);
        work();
        add(now(clock_) - before);
    }
    void add(double ms);
    static double now(Clock clock);  ///< ms

private:
    benchmark::State& state_;
    double budget_;
    Clock clock_;
    std::vector<double> times_;
};

/// The graph of the largest sample with `copies` times its layers.
Document network(int copies);
/// A session file of `pipeline` over network(copies); false when it cannot be recorded.
bool record(int copies, const std::string& pipeline, const QString& path);
/// A folder that goes with the program.
QString folder();

/// Runs the event loop until no job is left.
void settle(Session& session);
/// Shown, of that size, without settings.
std::unique_ptr<MainWindow> newWindow(const QSize& size);
/// Opens and waits until a stage is shown; false when none is.
bool open(MainWindow& window, const OpenRequest& request);

/// One window per number of copies, opened once: recording a large graph takes longer than everything that is measured on it. 1920 x 1080.
MainWindow& windowOf(int copies);
/// The window of state.range(0) copies with its stage; null (and the benchmark skipped) when it could not be opened.
StageViewPtr stageOf(benchmark::State& state);
/// Ends the windows, before the application does.
void closeWindows();

/// Most memory that this process ever held; 0 where the system does not say.
double peakMiB();

/// The part of a child process: steps through all stages of a session and prints the peak.
int stepThrough(const QString& session);

}  // namespace aliascope::bench
