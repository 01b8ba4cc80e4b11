// Inspector and tables: Why card, history, byte map, memory curve, filters, report.

#include <QCoreApplication>
#include <QTabWidget>

#include "core/memory/memory_model.h"
#include "core/report/html_report.h"
#include "tests/benchmarks/window/window_bench.h"
#include "views/canvas/byte_map_canvas.h"
#include "views/canvas/memory_chart.h"
#include "views/models/decision_model.h"
#include "views/models/numerics_model.h"
#include "views/panels/why_card.h"

using namespace aliascope;
using namespace aliascope::bench;

namespace {

/// 64 views of one buffer: rows, columns, blocks and a broadcast, as key/value caches have them.
AliasRowsPtr sixtyFourViews() {
    auto rows = std::make_shared<AliasRows>();
    rows->storage = 1;
    rows->base = "cache";
    rows->bytes = std::int64_t{64} << 20;
    for (int i = 0; i < 64; ++i) {
        AliasMember member;
        member.kind = i == 0 ? AliasMember::Kind::Base : AliasMember::Kind::View;
        member.uid = Uid(i + 1);
        member.name = "select_" + std::to_string(i);
        member.op = i == 0 ? "input" : "aten.as_strided.default";
        member.type = "f32[256, 8192]";
        Region region;
        region.itemBytes = 4;
        if (i == 0) {
            region.sizes = {std::int64_t{16} << 20};
            region.strides = {1};
        } else if (i % 4 == 0) {
            region.sizes = {8192};
            region.strides = {2048};
            region.offset = i;
        } else if (i % 4 == 1) {
            region.sizes = {256, 2, 8};
            region.strides = {16, 8, 1};
            region.offset = 98304 + 4096 * i;
        } else {
            region.sizes = {1024, 64};
            region.strides = {i % 4 == 2 ? 0 : 1024, 2};
            region.offset = 65536 * i;
        }
        member.bytes = region.elements() * 4;
        member.region = region;
        rows->members.push_back(std::move(member));
    }
    return rows;
}

void byteMapOf64Views(benchmark::State& state) {
    const AliasRowsPtr rows = sixtyFourViews();
    ByteMapCanvas map;
    map.setRows(rows);
    map.resize(1200, map.sizeHint().height());
    map.setVisible(true);
    QCoreApplication::processEvents();  // only what is exposed is painted
    Measure measure(state, 16);
    int at = 0;
    for (auto _ : state) {
        measure([&] {
            map.setSelection(Uid(at++ % 64 + 1));
            map.repaint();
        });
    }
}
BENCHMARK(byteMapOf64Views)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(40);

/// The sample with operators that keep caches: most decisions of all, each with its card.
void whyCard(benchmark::State& state) {
    static const std::unique_ptr<MainWindow> window = [] {
        auto made = newWindow(QSize(1920, 1080));
        for (const Sample& sample : bundledSamples()) {
            if (sample.file != QLatin1String("decode_24_layers.py")) continue;
            OpenRequest request = sample.request();
            request.pipeline = QStringLiteral("torch-v1");
            open(*made, request);
        }
        return made;
    }();
    Session& session = window->session();
    if (!session.isOpen() || session.data().decisions->empty()) return state.SkipWithError("no decision was recorded");
    window->action(QStringLiteral("go.why"))->trigger();
    settle(session);
    const auto decisions = session.data().decisions;
    Measure measure(state, 30);
    std::size_t at = 0;
    for (auto _ : state) {
        measure([&] {
            session.selectDecision((*decisions)[at++ % decisions->size()], Origin::Command);
            settle(session);
            window->whyCard()->repaint();
        });
    }
    state.counters["decisions"] = double(decisions->size());
}
BENCHMARK(whyCard)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(40);

/// One node through 60 stages, as the history panel asks for it.
void historyOver60Stages(benchmark::State& state) {
    static const std::shared_ptr<Recording> recording = [] {
        const QString path = folder() + QStringLiteral("/history.aliascope");
        std::string pipeline = "functionalize";
        const char* const passes[] = {"dce", "cse", "canonicalize-views"};
        for (int i = 1; i < 59; ++i) pipeline += std::string(",") + passes[i % 3];
        std::shared_ptr<Recording> none;
        if (!record(1, pipeline, path)) return none;
        auto opened = Recording::open(path.toStdString());
        return opened ? std::shared_ptr<Recording>(std::move(*opened)) : none;
    }();
    if (!recording || recording->lanes().empty()) return state.SkipWithError("the session cannot be recorded");
    const std::int64_t lane = recording->lanes().front().id;
    const auto snapshot = recording->snapshot(lane, 1);
    if (!snapshot) return state.SkipWithError("the stage is not recorded");
    Measure measure(state, 50, Clock::Wall);
    std::size_t at = 0;
    for (auto _ : state) {
        at = (at + 977) % snapshot->nodes.size();
        measure([&] { benchmark::DoNotOptimize(recording->history(lane, snapshot->nodes[at]->uid)); });
    }
    state.counters["stages"] = double(recording->stages(lane).size());
}
BENCHMARK(historyOver60Stages)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(40);

/// A million events: storages of growing and shrinking sizes, at most 4,096 at a time.
MemoryProfilePtr millionEvents() {
    struct Kept {
        memory::EventLog log;
    };
    memory::MemoryModel model;
    auto snapshot = std::make_shared<StageSnapshot>();
    snapshot->stage.idx = 1;
    snapshot->stage.name = "imported";
    constexpr std::uint32_t kStorages = 500'000, kLive = 4096;
    for (std::uint32_t i = 0; i < kStorages; ++i) {
        const memory::Site site{0, NodeId(i), 0};
        auto row = std::make_shared<NodeRow>();
        row->uid = Uid(i) + 1;
        row->ord = i;
        row->kind = "call_function";
        row->op = "aten::mul";
        row->name = "mul_" + std::to_string(i);
        snapshot->nodes.push_back(std::move(row));
        if (!model.allocate(memory::EventKind::Alloc, site, i, 512 + (std::int64_t(i) * 7919) % 100'000)) return nullptr;
        if (i >= kLive) model.release(site, i - kLive);
    }
    auto kept = std::make_shared<Kept>(Kept{model.takeLog()});
    return std::make_shared<MemoryProfile>(kept, kept->log, std::make_shared<const memory::MemoryReport>(kept->log), snapshot,
                                           [](const memory::Site& site) { return Uid(site.node.value) + 1; });
}

MemoryChart& chartOfMillion() {
    static const std::unique_ptr<MemoryChart> chart = [] {
        auto made = std::make_unique<MemoryChart>();
        made->resize(1400, 420);
        MemoryCurve curve;
        curve.profile = millionEvents();
        if (curve.profile) made->setCurves({curve});
        made->show();
        QCoreApplication::processEvents();
        return made;
    }();
    return *chart;
}

void paintMillionEvents(benchmark::State& state) {
    MemoryChart& chart = chartOfMillion();
    if (chart.curves().empty()) return state.SkipWithError("the model refuses the events");
    state.counters["events"] = double(chart.curves().front().profile->events());
    Measure measure(state, 16);
    for (auto _ : state) measure([&] { chart.repaint(); });
}
BENCHMARK(paintMillionEvents)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

void moveMemoryCursor(benchmark::State& state) {
    MemoryChart& chart = chartOfMillion();
    if (chart.curves().empty()) return state.SkipWithError("the model refuses the events");
    Measure measure(state, 16);
    for (auto _ : state) {
        measure([&] {
            chart.step(1, state.iterations() % 2 == 0);
            chart.repaint();
        });
    }
}
BENCHMARK(moveMemoryCursor)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(40);

double filterBudget(const benchmark::State& state) { return state.range(0) > 10'000 ? 100 : 16; }

void filterDecisions(benchmark::State& state) {
    auto rows = std::make_shared<DecisionModel::Rows>();
    const char* const verdicts[] = {"copied", "in_place", "note"};
    const char* const codes[] = {"RI21", "RI30", "RI10"};
    for (int i = 0; i < int(state.range(0)); ++i) {
        DecisionRow row;
        row.id = i + 1;
        row.uid = Uid(i + 1);
        row.node = "auto_functionalized_" + std::to_string(i);
        row.op = i % 7 ? "mylib::cache" : "aten::index_put_";
        row.argument = i % 2 ? "value_cache" : "key_cache";
        row.verdict = verdicts[i % 3];
        row.code = codes[i % 3];
        row.blocker = "select_" + std::to_string(i / 3);
        row.reportedBytes = row.clonedBytes = std::int64_t(i) * 1024;
        rows->push_back(std::move(row));
    }
    DecisionModel model;
    model.setContents(rows);
    DecisionFilterProxy proxy;
    proxy.setSourceModel(&model);
    proxy.sort(DecisionModel::Verdict);  // as the table comes
    const char* const typed[] = {"k", "ke", "key_cache", "op:index_put_", "code:RI21 bytes>1M", ""};
    Measure measure(state, filterBudget(state));
    std::size_t at = 0;
    for (auto _ : state) measure([&] { benchmark::DoNotOptimize(proxy.setQuery(QLatin1String(typed[at++ % std::size(typed)]))); });
}
BENCHMARK(filterDecisions)->ArgName("rows")->Arg(10'000)->Arg(100'000)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(24);

void filterNumerics(benchmark::State& state) {
    auto matrix = std::make_shared<ValueMatrix>();
    matrix->columns.resize(5);
    for (int i = 0; i < int(state.range(0)); ++i) {
        ValueMatrix::Row row;
        row.label = "mul_" + std::to_string(i);
        for (std::size_t c = 0; c < matrix->columns.size(); ++c) {
            ComparedRow cell;
            cell.label = row.label;
            cell.uidA = cell.uidB = std::uint64_t(i) + 1;
            cell.verdict = i % 5 == 0 ? "differs" : "same";
            row.cells.emplace_back(std::move(cell));
        }
        matrix->rows.push_back(std::move(row));
    }
    NumericsModel model;
    model.setContents(matrix);
    NumericsFilterProxy proxy;
    proxy.setSourceModel(&model);
    const char* const typed[] = {"m", "7", "mul_12", "mul_123", "error>1", ""};
    Measure measure(state, filterBudget(state));
    std::size_t at = 0;
    for (auto _ : state) {
        measure([&] {
            proxy.setQuery(QLatin1String(typed[at++ % std::size(typed)]));
            benchmark::DoNotOptimize(proxy.rowCount());
        });
    }
}
BENCHMARK(filterNumerics)->ArgName("rows")->Arg(10'000)->Arg(100'000)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(24);

/// Every stage of the sample with most decisions, on the thread of whoever asks.
void htmlReportOf8Stages(benchmark::State& state) {
    const QString path = folder() + QStringLiteral("/report.aliascope");
    if (!QFile::exists(path) && !record(1, "functionalize,canonicalize-views,cse,reinplace,decompose-functionalized,cse,dce", path))
        return state.SkipWithError("the session cannot be recorded");
    const auto recording = Recording::open(path.toStdString());
    if (!recording) return state.SkipWithError("the session does not open");
    const GraphRow graph = (*recording)->graphs().front();
    const LaneRow lane = (*recording)->lanes().front();
    state.counters["stages"] = double((*recording)->stages(lane.id).size());
    Measure measure(state, 3000, Clock::Wall);
    for (auto _ : state) {
        measure([&] {
            const auto html = report::htmlReport(**recording, graph, lane, OpRegistry::builtin());
            if (html)
                state.counters["KiB"] = double(html->size()) / 1024;
            else
                state.SkipWithError(html.error().format().c_str());
        });
    }
}
BENCHMARK(htmlReportOf8Stages)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
