// Predictions of memory: peaks of PyTorch's reference programs to the byte, and that a run does what was predicted, event by event.
// The reference programs and networks need ALIASCOPE_SHARED, the folder of the reference corpus.

#include <QDir>
#include <QDirIterator>
#include <QTest>
#include <array>

#include "core/exec/inputs.h"
#include "core/exec/op_bodies.h"
#include "core/exec/predict.h"
#include "core/text/document.h"

using namespace aliascope;
using namespace aliascope::exec;

namespace {

QString sharedFolder() { return qEnvironmentVariable("ALIASCOPE_SHARED"); }
QString samples() { return QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs"); }

struct Operators {
    OpRegistry registry = OpRegistry::withBuiltin();
    std::optional<OpBodies> bodies;
    explicit Operators(const QString& file) {
        if (!registry.addFile(file.toStdString())) qFatal("no operators in %s", qPrintable(file));
        bodies = OpBodies::read(registry);
    }
};
const Operators& ops() {
    static const Operators operators(samples() + "/mylib.ops");
    return operators;
}

std::vector<Graph> graphsOf(const QString& path) {
    std::vector<Graph> out;
    auto document = openFile(path.toStdString(), ops().registry);
    if (!document) return out;
    for (Unit& unit : document->units) out.push_back(std::move(unit.graph));
    return out;
}

Graph forward(const char* parameters, const char* body) {
    const std::string text = std::string("class Net(torch.nn.Module):\n    def forward(self, ") + parameters + "):\n" + body;
    auto document = readText(text, "test", ops().registry);
    if (!document || document->units.size() != 1) qFatal("not one graph");
    return std::move(document->units[0].graph);
}

PredictOptions options() {
    PredictOptions o;
    o.bodies = &*ops().bodies;
    return o;
}

std::string errorText(const std::optional<Diagnostic>& d) { return d ? d->format() : std::string(); }

/// `alloc 64 add, free 64 add, …` without segments.
std::string story(const Graph& g, const memory::EventLog& log) {
    std::string out;
    for (const memory::Event& e : log.events) {
        if (e.kind == memory::EventKind::SegmentAlloc) continue;
        out += (out.empty() ? "" : ", ") + std::string(toString(e.kind)) + " " + std::to_string(e.exact) + " " +
               (e.site.body == 0 ? g[e.site.node].name.str() : log.callPaths[e.site.callPath]);
    }
    return out;
}

}  // namespace

class TestPredict : public QObject {
    Q_OBJECT

private slots:
    void storagesDieAtTheirLastUse();
    void symbolsTakeGivenValues();
    void whatCannotBePredictedSaysWhere();
    void sizesBeyondAnyDeviceAreRefused();
    void constantsNeedNoValues();
    void mismatchNamesTheEvent();
    void reuseOfDyingOperands_data();
    void reuseOfDyingOperands();
    void peaksOfCases_data();
    void peaksOfCases();
    void plannedIsMeasured_data();
    void plannedIsMeasured();
};

void TestPredict::storagesDieAtTheirLastUse() {
    const Graph g = forward("x: \"f32[4, 4]\"",
                            "        a: \"f32[4, 4]\" = torch.ops.aten.sin.default(x)\n"
                            "        v: \"f32[16]\" = torch.ops.aten.view.default(a, [16])\n"
                            "        b: \"f32[16]\" = torch.ops.aten.cos.default(v)\n"
                            "        c: \"f32[16]\" = torch.ops.aten.add.Tensor(b, v)\n"
                            "        return (c,)\n");
    const Prediction p = predict(g, ops().registry, options());
    QCOMPARE(errorText(p.error), std::string());
    QVERIFY(p.complete);
    QCOMPARE(QString::fromStdString(story(g, p.log)),
             QString("input 64 x, alloc 64 a, alloc 64 b, alloc 64 c, free 64 c, free 64 c, output 64 output"));
    QCOMPARE(qint64(p.log.peakExact), qint64(192));
}

void TestPredict::symbolsTakeGivenValues() {
    const Graph g = forward("s0: \"Sym(s0)\", x: \"f32[s0, 4]\"", "        a: \"f32[s0, 4]\" = torch.ops.aten.sin.default(x)\n        return (a,)\n");
    PredictOptions o = options();
    o.symbols[Name("s0")] = 10;
    QCOMPARE(qint64(predict(g, ops().registry, o).log.peakExact), qint64(160));
    o.symbols[Name("s0")] = 3;
    QCOMPARE(qint64(predict(g, ops().registry, o).log.peakExact), qint64(48));
    const Prediction assumed = predict(g, ops().registry, options());
    QCOMPARE(qint64(assumed.log.peakExact), qint64(8 * 4 * 4));
    QCOMPARE(assumed.assumed, (std::vector<std::pair<Name, std::int64_t>>{{Name("s0"), 8}}));
}

void TestPredict::whatCannotBePredictedSaysWhere() {
    const Graph g = forward("x: \"f32[4]\"",
                            "        a: \"f32[4]\" = torch.ops.aten.sin.default(x)\n"
                            "        b = torch.ops.nowhere.op.default(a)\n"
                            "        return (b,)\n");
    const Prediction p = predict(g, ops().registry, options());
    QVERIFY(!p.complete && p.error);
    QCOMPARE(p.error->node.str(), std::string("b"));
    QCOMPARE(qint64(p.log.peakExact), qint64(16));  // what came before stays
}

void TestPredict::sizesBeyondAnyDeviceAreRefused() {
    const Prediction input = predict(forward("x: \"f32[9000000000000000000]\"", "        return (x,)\n"), ops().registry, options());
    QVERIFY(input.error && input.log.events.empty());
    QVERIFY(QString::fromStdString(input.error->sentence()).startsWith("x asks for more than 2^63 B"));
    const Prediction inside = predict(forward("x: \"f32[4]\"",
                                              "        a: \"f32[4]\" = torch.ops.aten.sin.default(x)\n"
                                              "        b = torch.ops.aten.full.default([9000000000000000], 1)\n"
                                              "        return (a, b)\n"),
                                      ops().registry, options());
    QVERIFY(inside.error);
    QCOMPARE(inside.error->code, std::string("OUT_OF_MEMORY"));
    QCOMPARE(inside.error->node.str(), std::string("b"));
    QCOMPARE(qint64(inside.log.peakExact), qint64(16));
}

void TestPredict::constantsNeedNoValues() {
    const Graph g = forward("x: \"f32[4]\"",
                            "        _tensor_constant0: \"f32[4]\" = self._tensor_constant0\n"
                            "        a: \"f32[4]\" = torch.ops.aten.add.Tensor(x, _tensor_constant0)\n"
                            "        return (a,)\n");
    const Prediction p = predict(g, ops().registry, options());
    QCOMPARE(errorText(p.error), std::string());
    QCOMPARE(QString::fromStdString(story(g, p.log)), QString("input 16 x, constant 16 _tensor_constant0, alloc 16 a, output 16 output"));
}

void TestPredict::mismatchNamesTheEvent() {
    const Graph g = forward("x: \"f32[4]\"", "        a: \"f32[4]\" = torch.ops.aten.sin.default(x)\n        return (a,)\n");
    const memory::EventLog planned = predict(g, ops().registry, options()).log;
    QVERIFY(!planMismatch(g, planned, planned));
    memory::EventLog happened = planned;
    happened.events[2].exact = 32;
    const auto d = planMismatch(g, planned, happened);
    QVERIFY(d);
    QCOMPARE(d->code, std::string("PLAN_MISMATCH"));
    QCOMPARE(d->sentence(),
             std::string("Event 2 at a: planned alloc of storage 1 with 16 B (charged 512 B), then 16 B live, happened alloc of storage 1 with "
                         "32 B (charged 512 B), then 16 B live."));
    happened = planned;
    happened.events.pop_back();
    QVERIFY(planMismatch(g, planned, happened)->sentence().ends_with("happened nothing."));
}

void TestPredict::reuseOfDyingOperands_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("found");
    const auto row = [](const char* name, int found, const char* body) { QTest::newRow(name) << QString(body) << found; };
    row("pointwise", 1,
        "        a: \"f32[4, 4]\" = torch.ops.aten.sin.default(x)\n"
        "        b: \"f32[4, 4]\" = torch.ops.aten.cos.default(a)\n"
        "        c: \"f32[4, 4]\" = torch.ops.aten.mm.default(b, x)\n"
        "        return (c,)\n");
    row("an input stays", 0,
        "        b: \"f32[4, 4]\" = torch.ops.aten.cos.default(x)\n"
        "        c: \"f32[4, 4]\" = torch.ops.aten.mm.default(b, x)\n"
        "        return (c,)\n");
    row("the operand lives on", 0,
        "        a: \"f32[4, 4]\" = torch.ops.aten.sin.default(x)\n"
        "        b: \"f32[4, 4]\" = torch.ops.aten.cos.default(a)\n"
        "        c: \"f32[4, 4]\" = torch.ops.aten.mm.default(b, a)\n"
        "        return (c,)\n");
    row("a view of the operand lives on", 0,
        "        a: \"f32[4, 4]\" = torch.ops.aten.sin.default(x)\n"
        "        v: \"f32[4, 4]\" = torch.ops.aten.view.default(a, [4, 4])\n"
        "        b: \"f32[4, 4]\" = torch.ops.aten.cos.default(a)\n"
        "        c: \"f32[4, 4]\" = torch.ops.aten.mm.default(b, v)\n"
        "        return (c,)\n");
    row("read transposed too", 0,
        "        a: \"f32[4, 4]\" = torch.ops.aten.sin.default(x)\n"
        "        t: \"f32[4, 4]\" = torch.ops.aten.permute.default(a, [1, 0])\n"
        "        b: \"f32[4, 4]\" = torch.ops.aten.add.Tensor(a, t)\n"
        "        c: \"f32[4, 4]\" = torch.ops.aten.mm.default(b, x)\n"
        "        return (c,)\n");
    row("broadcast", 0,
        "        a: \"f32[4]\" = torch.ops.aten.sum.dim_IntList(x, [0])\n"
        "        b: \"f32[4, 4]\" = torch.ops.aten.add.Tensor(x, a)\n"
        "        c: \"f32[4, 4]\" = torch.ops.aten.mm.default(b, x)\n"
        "        return (c,)\n");
    row("an output stays its own", 0,
        "        a: \"f32[4, 4]\" = torch.ops.aten.sin.default(x)\n"
        "        b: \"f32[4, 4]\" = torch.ops.aten.cos.default(a)\n"
        "        return (a, b)\n");
}

void TestPredict::reuseOfDyingOperands() {
    QFETCH(QString, body);
    QFETCH(int, found);
    const Graph g = forward("x: \"f32[4, 4]\"", body.toUtf8().constData());
    PredictOptions o = options();
    o.findReuse = true;
    const Prediction p = predict(g, ops().registry, o);
    QCOMPARE(errorText(p.error), std::string());
    QCOMPARE(int(p.reuse.size()), found);
}

void TestPredict::peaksOfCases_data() {
    using Peaks = std::array<qint64, 5>;
    QTest::addColumn<QList<qint64>>("peaks");
    const auto row = [](const char* name, const Peaks& peaks) { QTest::newRow(name) << QList<qint64>(peaks.begin(), peaks.end()); };
    row("seed_full", {12, 24, 12, 24, 12});
    row("seed_view", {12, 24, 12, 28, 28});
    row("input_mutated", {0, 40, 0, 40, 0});
    row("base_read_after", {96, 192, 96, 192, 96});
    row("view_returned", {192, 384, 192, 384, 192});
    row("input_not_returned", {100, 192, 100, 192, 100});
    row("slices_same_base", {128, 256, 128, 384, 448});
    row("dynamic_rows", {128, 256, 128, 384, 448});
    row("list_arg", {128, 256, 128, 400, 464});
    row("two_bases", {576, 768, 576, 608, 640});
    row("copy_back_to_input", {196, 384, 196, 384, 196});
    row("transpose_then_reshape_copy", {384, 576, 384, 576, 384});
    row("foreach_inplace", {192, 384, 384, 384, 384});
    row("aten_inplace_views", {128, 288, 288, 288, 288});
    row("kv_cache", {8192, 40960, 8192, 40960, 8192});
    // v1 scatters into views: their results keep the offset of what they were made from, without the room before it.
    row("kv_cache_layers", {36864, 2134016, 36864, 2260992, 2670592});
    row("triton_out", {400, 800, 400, 800, 400});
    row("triton_out_arg", {400, 800, 400, 800, 400});
    row("triton_inplace_read_before", {1200, 1200, 1200, 1200, 1200});
}

void TestPredict::peaksOfCases() {
    if (sharedFolder().isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
    QFETCH(QList<qint64>, peaks);
    static const char* const stages[] = {"aten.mutable", "v2.before_reinplace", "v2.after_post_grad", "v1.before_reinplace", "v1.after_post_grad"};
    for (int i = 0; i < 5; ++i) {
        const QString path = sharedFolder() + "/oracle/cases/" + QTest::currentDataTag() + "/" + stages[i] + ".readable.py";
        if (!QFile::exists(path)) continue;
        const std::vector<Graph> graphs = graphsOf(path);
        QCOMPARE(int(graphs.size()), 1);
        PredictOptions o = options();
        if (QTest::currentDataTag() == std::string("dynamic_rows")) {  // run on f32[8, 4]; each stage names its symbols anew
            const TensorType* t = graphs.front()[graphs.front().placeholders().back()].tensor();
            QVERIFY(t);
            o.symbols = {{Name(t->sizes.at(0).str()), 8}, {Name(t->sizes.at(1).str()), 4}};
        }
        const Prediction p = predict(graphs.front(), ops().registry, o);
        QVERIFY2(!p.error, errorText(p.error).c_str());
        QVERIFY2(p.log.peakExact == peaks[i], qPrintable(QString("%1: %2, not %3").arg(stages[i]).arg(p.log.peakExact).arg(peaks[i])));
    }
}

void TestPredict::plannedIsMeasured_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("least");  ///< graphs that must have run
    QTest::newRow("samples") << samples() << 10;
    if (sharedFolder().isEmpty()) return;
    for (const char* set : {"cases", "zoo"}) {
        const QDir root(sharedFolder() + "/oracle/" + set);
        for (const QString& name : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const bool large = set == std::string("zoo") && !name.contains("_s");
            if (!large) QTest::newRow(qPrintable(name)) << root.filePath(name) << 1;
        }
    }
}

void TestPredict::plannedIsMeasured() {
    QFETCH(QString, folder);
    QFETCH(int, least);
    const auto backend = makeCpuBackend(Precision::Reference);
    int ran = 0;
    for (const QString& file : QDir(folder).entryList({"*.py"}, QDir::Files, QDir::Name)) {
        if (file == "program.py") continue;
        for (const Graph& g : graphsOf(QDir(folder).filePath(file))) {
            const auto set = InputSet::make(g, ops().registry, {.seed = 7, .randomConstants = true});
            if (!set || set->bytes() > 64 << 20) continue;
            auto inputs = set->forStage(g, *backend);
            if (!inputs) continue;
            ExecOptions run;
            run.bodies = &*ops().bodies;
            run.maxFlops = 2e8;
            const ExecResult measured = execute(g, ops().registry, *backend, inputs->values, inputs->constants, run);
            if (!measured.complete) continue;
            ++ran;
            PredictOptions o = options();
            for (const auto& [symbol, facts] : set->symbols())
                if (facts.hint) o.symbols[symbol] = *facts.hint;
            const Prediction planned = predict(g, ops().registry, o);
            if (measured.memory.conditional) continue;
            QVERIFY2(!planned.error, (file.toStdString() + ": " + errorText(planned.error)).c_str());
            const auto mismatch = planMismatch(g, planned.log, measured.memory);
            QVERIFY2(!mismatch, (file.toStdString() + ": " + errorText(mismatch)).c_str());
        }
    }
    QVERIFY2(ran >= least, qPrintable(QString("only %1 ran").arg(ran)));
}

QTEST_APPLESS_MAIN(TestPredict)
#include "tst_predict.moc"
