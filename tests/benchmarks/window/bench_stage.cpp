// The stage in the middle of the window: stepping, selecting, the graph, the text.

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTimer>

#include "core/recording/find_nodes.h"
#include "tests/benchmarks/window/window_bench.h"
#include "views/canvas/metrics.h"
#include "views/panels/diff_pane.h"
#include "views/panels/stage_panel.h"
#include "views/session/drawing_filter.h"
#include "views/session/graphviz.h"
#include "views/session/side_by_side.h"

using namespace aliascope;
using namespace aliascope::bench;

namespace {

/// From the key to the painted stage, all panels included; half of the steps are answered from what was read ahead.
void step(benchmark::State& state, Clock clock) {
    if (!stageOf(state)) return;
    MainWindow& window = windowOf(int(state.range(0)));
    Session& session = window.session();
    session.setDrawing({});
    settle(session);
    Measure measure(state, state.range(0) > 1 ? 60 : 50, clock);
    int direction = -1;
    for (auto _ : state) {
        if (!session.step(direction, true)) {
            direction = -direction;
            session.step(direction, true);
            while (session.view()->stage != session.stage()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            settle(session);
        }
        direction = -direction;
        measure([&] {
            session.step(direction, true);
            while (session.view()->stage != session.stage()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            window.repaint();
        });
        settle(session);
    }
}
void stepOnPaintingThread(benchmark::State& state) { step(state, Clock::Thread); }
void stepUntilPainted(benchmark::State& state) { step(state, Clock::Wall); }
BENCHMARK(stepOnPaintingThread)->ArgName("copies")->Arg(1)->Arg(4)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(24);
BENCHMARK(stepUntilPainted)->ArgName("copies")->Arg(1)->Arg(4)->Arg(10)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(24);

void selectNode(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    MainWindow& window = windowOf(int(state.range(0)));
    Measure measure(state, state.range(0) > 10 ? 50 : 16);
    std::size_t at = 0;
    for (auto _ : state) {
        at = (at + 977) % view->snapshot->nodes.size();
        measure([&] {
            window.session().selectNode(view->snapshot->nodes[at]->uid, Origin::Command);
            window.repaint();
        });
        settle(window.session());
    }
}
BENCHMARK(selectNode)->ArgName("copies")->Arg(1)->Arg(4)->Arg(38)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(40);

/// All groups open: the most there is to draw.
void openAllGroups(MainWindow& window) {
    DrawingOptions options;
    options.groupsCollapsed = false;
    window.session().setDrawing(options);
    settle(window.session());
}

/// The pointer comes to rest on a card: its frame and edges at once, the outline in the text 80 ms later.
void hoverPreview(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    MainWindow& window = windowOf(int(state.range(0)));
    openAllGroups(window);
    window.stagePanel()->setMode(StagePanel::Mode::Both);
    settle(window.session());
    GraphCanvas* canvas = window.stagePanel()->canvas();
    canvas->setZoom(1.0);
    Measure measure(state, 16);
    std::size_t at = 0;
    for (auto _ : state) {
        at = (at + 977) % view->snapshot->nodes.size();
        const Uid uid = view->snapshot->nodes[at]->uid;
        canvas->reveal(uid);
        canvas->viewport()->repaint();
        const QPointF where = canvas->cardRect(uid).center();
        measure([&] {
            QMouseEvent move(QEvent::MouseMove, where, canvas->viewport()->mapToGlobal(where), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
            QCoreApplication::sendEvent(canvas->viewport(), &move);
            canvas->viewport()->repaint();
            QTimer patience;
            patience.setSingleShot(true);
            patience.start(500);
            while (window.session().preview() != uid && patience.isActive()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            window.stagePanel()->repaint();
        });
    }
    window.stagePanel()->setMode(StagePanel::Mode::Graph);
    settle(window.session());
}
BENCHMARK(hoverPreview)->ArgName("copies")->Arg(1)->Arg(4)->Arg(38)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

constexpr int kHd = 1080, k4K = 2160;

/// Window of that many lines, all groups open, and its canvas.
GraphCanvas* canvasAt(benchmark::State& state, int lines) {
    MainWindow& window = windowOf(int(state.range(0)));
    window.resize(lines * 16 / 9, lines);
    openAllGroups(window);
    QCoreApplication::processEvents();
    return window.stagePanel()->canvas();
}

void panFrame(benchmark::State& state) {
    if (!stageOf(state)) return;
    GraphCanvas* canvas = canvasAt(state, int(state.range(2)));
    canvas->setZoom(double(state.range(1)) / 100);
    canvas->verticalScrollBar()->setValue(0);
    canvas->viewport()->repaint();
    Measure measure(state, 16);
    int at = 0;
    for (auto _ : state) {
        at = (at + 64) % std::max(1, canvas->verticalScrollBar()->maximum());
        measure([&] {
            canvas->verticalScrollBar()->setValue(at);
            canvas->viewport()->repaint();
        });
    }
    canvasAt(state, kHd);
}
BENCHMARK(panFrame)
    ->ArgNames({"copies", "zoom", "lines"})
    ->ArgsProduct({{1, 4, 38}, {100, 35, 10}, {kHd, k4K}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(40);

/// One notch of Ctrl+wheel after another, up and down the ladder.
void zoomFrame(benchmark::State& state) {
    if (!stageOf(state)) return;
    GraphCanvas* canvas = canvasAt(state, int(state.range(1)));
    canvas->setZoom(1.0);
    canvas->viewport()->repaint();
    Measure measure(state, 16);
    bool out = true;
    for (auto _ : state) {
        if (canvas->zoom() <= 0.11) out = false;
        if (canvas->zoom() >= 1.9) out = true;
        measure([&] {
            if (out)
                canvas->zoomOut();
            else
                canvas->zoomIn();
            canvas->viewport()->repaint();
        });
    }
    canvasAt(state, kHd);
}
BENCHMARK(zoomFrame)
    ->ArgNames({"copies", "lines"})
    ->ArgsProduct({{1, 4, 38}, {kHd, k4K}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(40);

/// The whole viewport anew, at every step of the ladder: what comes when a gesture has ended.
void settledFrame(benchmark::State& state) {
    if (!stageOf(state)) return;
    GraphCanvas* canvas = canvasAt(state, int(state.range(1)));
    Measure measure(state, state.range(1) > kHd ? 60 : 16);
    int at = 0;
    for (auto _ : state) {
        canvas->setZoom(card::zoomLadder[std::size_t(at++) % card::zoomLadder.size()]);
        measure([&] {
            canvas->setColourMode(at % 2 ? ColourMode::Storage : ColourMode::Diff);
            canvas->viewport()->repaint();
        });
    }
    canvas->setColourMode(ColourMode::Diff);
    canvasAt(state, kHd);
}
BENCHMARK(settledFrame)
    ->ArgNames({"copies", "lines"})
    ->ArgsProduct({{1, 4, 38}, {kHd, k4K}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(40);

void layoutWithGroups(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    Measure measure(state, state.range(0) > 10 ? 500 : state.range(0) > 1 ? 60 : 20);
    DrawingOptions options;
    options.groupsCollapsed = false;
    for (auto _ : state) measure([&] { benchmark::DoNotOptimize(redraw(*view, options, {})); });
}
BENCHMARK(layoutWithGroups)->ArgName("copies")->Arg(1)->Arg(4)->Arg(38)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(12);

void expandOrCollapseGroup(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    MainWindow& window = windowOf(int(state.range(0)));
    window.session().setDrawing({});
    settle(window.session());
    if (window.session().view()->drawingInput->groups.empty()) return state.SkipWithError("no groups");
    const std::string title = window.session().view()->drawingInput->groups.front().title;
    Measure measure(state, 50);
    DrawingOptions options;
    for (auto _ : state) {
        if (!options.toggled.erase(title)) options.toggled.insert(title);
        measure([&] {
            window.stagePanel()->canvas()->setStage(redraw(*window.session().view(), options, {}));
            window.stagePanel()->canvas()->viewport()->repaint();
        });
    }
}
BENCHMARK(expandOrCollapseGroup)->ArgName("copies")->Arg(1)->Arg(4)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(12);

void neighbourhood(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    Measure measure(state, 30);
    std::size_t at = 0;
    for (auto _ : state) {
        at = (at + 977) % view->snapshot->nodes.size();
        DrawingOptions options;
        options.filter.centre = view->snapshot->nodes[at]->uid;
        measure([&] { benchmark::DoNotOptimize(redraw(*view, options, {})); });
    }
}
BENCHMARK(neighbourhood)->ArgName("copies")->Arg(1)->Arg(4)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

/// From the built-in placement to that of Graphviz: the child's start, its work and the reading of its answer, which the user waits for.
/// Neighbourhoods that are too large for it count with none.
void neighbourhoodByGraphviz(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    Measure measure(state, 500, Clock::Wall);
    std::size_t at = 0, placed = 0, largest = 0;
    for (auto _ : state) {
        StageViewPtr around;
        for (int tries = 0; tries < 20 && (!around || !suitsGraphviz(*around)); ++tries) {
            at = (at + 977) % view->snapshot->nodes.size();
            DrawingOptions options;
            options.filter.centre = view->snapshot->nodes[at]->uid;
            options.filter.up = options.filter.down = int(state.range(1));
            around = redraw(*view, options, {});
        }
        measure([&] {
            const GraphvizPlacement nicer = placeByGraphviz(*around, {});
            placed += nicer.view ? 1 : 0;
        });
        largest = std::max(largest, around->drawing->cards.size());
    }
    state.counters["placed"] = double(placed);
    state.counters["largest"] = double(largest);
}
BENCHMARK(neighbourhoodByGraphviz)
    ->ArgNames({"copies", "width"})
    ->Args({1, 4})
    ->Args({1, 8})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20);

/// The storage with most members, over the whole graph.
void highlightStorage(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    MainWindow& window = windowOf(int(state.range(0)));
    openAllGroups(window);
    GraphCanvas* canvas = window.stagePanel()->canvas();
    canvas->setZoom(0.35);
    int storage = -1;
    for (const StorageRow& row : *view->storages)
        if (storage < 0 || view->members(row.id).size() > view->members(storage).size()) storage = row.id;
    window.session().selectStorage(storage, Origin::Command);
    settle(window.session());
    Measure measure(state, 16);
    bool on = false;
    for (auto _ : state) {
        on = !on;
        measure([&] {
            canvas->setAliasHighlight(on);
            canvas->viewport()->repaint();
        });
    }
    canvas->setAliasHighlight(false);
    state.counters["members"] = double(view->members(storage).size());
}
BENCHMARK(highlightStorage)->ArgName("copies")->Arg(1)->Arg(4)->Arg(38)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

void findAsTyped(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    Measure measure(state, state.range(0) > 10 ? 200 : 30);
    const FindContext context{view->changes.get(), view->storages.get(), nullptr, nullptr};
    const char* const texts[] = {"v", "vi", "view", "op:view", "op:view bytes>1M", "shape:[*,512,*] -view"};
    std::size_t at = 0;
    for (auto _ : state) {
        const query::Find find = query::typedFind(texts[at++ % std::size(texts)]).find;
        measure([&] { benchmark::DoNotOptimize(findNodes(*view->snapshot, context, find)); });
    }
}
BENCHMARK(findAsTyped)->ArgName("copies")->Arg(1)->Arg(4)->Arg(38)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(24);

/// The first and the last stage, printed beforehand; then with what is alike left out.
void sideBySideDiff(benchmark::State& state) {
    const StageViewPtr view = stageOf(state);
    if (!view) return;
    const Session& session = windowOf(int(state.range(0))).session();
    const Recording& recording = *session.data().recording;
    const StageViewPtr first = loadStageView(recording, view->lane, 1, {}, {});
    const StageTextPtr before = loadStageText(recording, *first, TextForm::Readable, *session.ops(), {});
    const StageTextPtr now = loadStageText(recording, *view, TextForm::Readable, *session.ops(), {});
    if (!before || !now) return state.SkipWithError("a stage cannot be printed");
    Measure measure(state, 50);
    for (auto _ : state) {
        measure([&] {
            const SideBySidePtr both = alignTexts(before, now, Renames::Ignored);
            benchmark::DoNotOptimize(hideUnchanged(*both, 3, {}));
        });
    }
}
BENCHMARK(sideBySideDiff)->ArgName("copies")->Arg(1)->Arg(4)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
