// A pass that stops early leaves a graph that does the same: every prefix of its rewrites, on the samples.

#include <QTest>

#include "core/exec/executor.h"
#include "core/exec/inputs.h"
#include "core/exec/op_bodies.h"
#include "core/pipeline/pipeline.h"
#include "core/text/document.h"
#include "tests/passes/auto-chunk/head_program.h"

using namespace aliascope;

namespace {

const std::string samples = std::string(ALIASCOPE_SOURCE_DIR) + "/sample_graphs/";

const OpRegistry& ops() {
    static const OpRegistry registry = [] {
        OpRegistry r = OpRegistry::withBuiltin();
        if (!r.addFile(samples + "mylib.ops")) qWarning("mylib.ops cannot be read");
        return r;
    }();
    return registry;
}

/// Digests of what a graph returns and of its inputs after the run, or the error.
QString told(const Graph& g, const exec::InputSet& inputs) {
    static const auto backend = exec::makeCpuBackend(exec::Precision::Reference);
    static const exec::OpBodies bodies = exec::OpBodies::read(ops());
    auto values = inputs.forStage(g, *backend);
    if (!values) return QString::fromStdString(values.error().sentence());
    exec::ExecOptions options;
    options.bodies = &bodies;
    const exec::ExecResult r = exec::execute(g, ops(), *backend, values->values, values->constants, options);
    if (r.error) return QString::fromStdString(r.error->code + ": " + r.error->sentence());
    QStringList out;
    for (const auto* list : {&r.outputs, &r.inputs})
        for (const exec::RuntimeValue& v : *list) out << (v.tensor() ? QString::number(backend->digest(*v.tensor()).hashV, 16) : QStringLiteral("-"));
    return out.join(' ');
}

RunResult runOne(Graph& g, const PipelineStep& step, std::optional<std::int64_t> most) {
    Pipeline one;
    one.steps = {step};
    RunOptions options;
    options.mostRewrites = most;
    return runPipeline(g, one, ops(), {}, options);
}

}  // namespace

class RewriteBudgetTest : public QObject {
    Q_OBJECT

private slots:
    void everyPrefixOfRewritesGivesTheSame_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<QString>("pipeline");
        for (const char* sample :
             {"dynamic_rows.py", "full_written.py", "inplace_aten_views.py", "list_of_views.py", "old_value_kept.py", "row_written.py"})
            for (const char* pipeline : {"torch-v2", "torch-v1", "best"}) QTest::addRow("%s %s", sample, pipeline) << sample << pipeline;
    }
    void everyPrefixOfRewritesGivesTheSame() {
        QFETCH(QString, sample);
        QFETCH(QString, pipeline);
        auto document = openFile(samples + sample.toStdString(), ops());
        QVERIFY(document);
        Graph g = document->units.front().graph.clone();
        auto inputs = exec::InputSet::make(g, ops(), {});
        QVERIFY2(inputs.has_value(), inputs ? "" : inputs.error().sentence().c_str());
        QString expected = told(g, *inputs);
        // v1 copies overlapping elements of a list separately, as PyTorch does: from there on the result is another.
        const bool changes = sample == "list_of_views.py" && pipeline == "torch-v1";
        const auto named = namedPipeline(pipeline.toStdString());
        QVERIFY(named);
        for (const PipelineStep& step : named->steps) {
            Graph whole = g.clone();
            const RunResult ran = runOne(whole, step, std::nullopt);
            QVERIFY(!ran.error);
            for (std::int64_t k = 0; step.pass->stopsEarly() && k < std::min<std::int64_t>(ran.rewritesTaken, 24); ++k) {
                Graph part = g.clone();
                const RunResult stopped = runOne(part, step, k);
                QVERIFY2(!stopped.error, stopped.error ? stopped.error->format().c_str() : "");
                QCOMPARE(stopped.rewritesTaken, k);
                const QString got = told(part, *inputs);
                QVERIFY2(got == expected, qPrintable(QString::fromUtf8(step.pass->name().data()) + " after " + QString::number(k) +
                                                     " rewrites: " + got + ", expected " + expected));
            }
            g = std::move(whole);
            if (changes) expected = told(g, *inputs);
        }
        QCOMPARE(told(g, *inputs), expected);
    }

    /// Cutting a region is one rewrite: without it the graph stays as it is.
    void chunkingIsOneRewrite() {
        auto document = readText(testing::headProgram(12), "head.py", ops());
        QVERIFY(document);
        const Graph& g = document->units.front().graph;
        const auto pipeline = parsePipeline("auto-chunk{num-chunks=4,min-bytes=0,min-ratio=1}");
        QVERIFY(pipeline);
        Graph none = g.clone(), one = g.clone();
        QCOMPARE(runOne(none, pipeline->steps[0], 0).rewritesTaken, 0);
        QVERIFY(none.hash() == g.hash());
        const RunResult ran = runOne(one, pipeline->steps[0], std::nullopt);
        QVERIFY2(!ran.error, ran.error ? ran.error->format().c_str() : "");
        QCOMPARE(ran.rewritesTaken, 1);
        QVERIFY(one.hash() != g.hash());
    }
};

QTEST_APPLESS_MAIN(RewriteBudgetTest)
#include "tst_rewrite_budget.moc"
