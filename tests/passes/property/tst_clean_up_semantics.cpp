// Random functional graphs give the same before and after every clean-up. Rewrites that touch no number are compared bit by bit; those that regroup
// floats within a tolerance. In extended mode a second run finds nothing.
//
// ALIASCOPE_PROPERTY_SEEDS sets how many graphs are tried (default 300), ALIASCOPE_PROPERTY_FIRST the first seed.

#include <QTest>
#include <cmath>

#include "core/analysis/verifier.h"
#include "core/exec/executor.h"
#include "core/pipeline/pipeline.h"
#include "core/text/print.h"
#include "tests/passes/property/random_functional.h"

using namespace aliascope;
using namespace aliascope::testing;
using exec::RuntimeValue;
using exec::Tensor;

namespace {

struct Results {
    std::vector<TensorType> types;
    std::vector<std::vector<double>> values;
    std::string error;
};

class Machine {
public:
    Results run(const Graph& g) const {
        Results out;
        const exec::ExecResult result = execute(g, OpRegistry::builtin(), *cpu_, inputs(g), {}, {});
        if (result.error) out.error = result.error->format();
        for (const RuntimeValue& v : result.outputs)
            if (const Tensor* t = v.tensor()) {
                out.types.push_back(t->type());
                out.values.push_back(elements(*t));
            }
        return out;
    }

private:
    Tensor wide(TensorType type) const {
        type.dtype = DType::F64;
        type.strides.reset();
        type.offset.reset();
        return makeTensor(*cpu_, type);
    }
    std::vector<double> elements(const Tensor& t) const {
        const Tensor copy = wide(t.type());
        cpu_->copy(copy, t);
        return {copy.as<double>(), copy.as<double>() + copy.numel()};
    }
    std::vector<RuntimeValue> inputs(const Graph& g) const {
        std::vector<RuntimeValue> out;
        double next = 0.25;
        for (NodeId id : g.placeholders()) {
            const Tensor values = wide(*g[id].tensor()), tensor = makeTensor(*cpu_, *g[id].tensor());
            for (std::int64_t i = 0; i < values.numel(); ++i) values.as<double>()[i] = (next = std::fmod(next * 1.7 + 0.3, 5.0)) - 2.0;
            cpu_->copy(tensor, values);
            out.emplace_back(tensor);
        }
        return out;
    }

    std::unique_ptr<exec::Backend> cpu_ = exec::makeCpuBackend(exec::Precision::Reference);
};

/// Empty when the results agree; `tolerance` is relative to the largest element of a tensor, 0 = bit by bit but for the sign of NaN. With a tolerance a
/// NaN may have become a number: x * 0 is 0 then.
std::string difference(const Results& want, const Results& got, double tolerance, bool layouts) {
    if (!got.error.empty()) return "does not run: " + got.error;
    if (want.values.size() != got.values.size()) return "returns another number of tensors";
    for (std::size_t i = 0; i < want.values.size(); ++i) {
        const TensorType &a = want.types[i], &b = got.types[i];
        if (!(a.sizes == b.sizes) || a.dtype != b.dtype) return "output " + std::to_string(i) + " is " + b.str() + ", was " + a.str();
        for (std::size_t d = 0; layouts && d < a.rank(); ++d)
            if (!(a.sizes[d] == SymInt(1)) && !((*a.strides)[d] == (*b.strides)[d])) return "output " + std::to_string(i) + " is " + b.str() + ", was " + a.str();
        double largest = 0;
        for (double v : want.values[i])
            if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
        for (std::size_t k = 0; k < want.values[i].size(); ++k) {
            const double x = want.values[i][k], y = got.values[i][k];
            if (std::isnan(x) && (std::isnan(y) || tolerance > 0)) continue;
            const bool same = tolerance == 0 ? x == y && std::signbit(x) == std::signbit(y) : x == y || std::abs(x - y) <= tolerance * std::max(1.0, largest);
            if (!same) return "output " + std::to_string(i) + "[" + std::to_string(k) + "] is " + std::to_string(y) + ", was " + std::to_string(x);
        }
    }
    return {};
}

}  // namespace

class CleanUpSemanticsTest : public QObject {
    Q_OBJECT

private slots:
    void sameResults_data() {
        QTest::addColumn<QString>("passes");
        QTest::addColumn<double>("tolerance");
        QTest::addColumn<bool>("lowPrecision");
        const auto row = [](const char* passes, double tolerance, bool lowPrecision = true) {
            QTest::newRow(qPrintable(QString(passes) + (lowPrecision ? "" : " without 2-byte floats"))) << passes << tolerance << lowPrecision;
        };
        row("canonicalize-views", 0);
        row("canonicalize-views{mode=extended}", 0);
        row("canonicalize-views{mode=extended,hoist-conversions=on}", 0);
        row("views-to-reshape", 0);
        row("views-to-reshape,canonicalize-views{mode=extended}", 0);
        row("remove-noops,canonicalize-views{mode=extended},cse{mode=extended}", 0);
        row("cse", 0);
        row("cse{mode=extended}", 0);
        row("dce", 0);
        row("fold-constants{mode=extended}", 0);
        row("fold-constants{fp=strict}", 0);
        row("fold-constants", 1e-6);
        row("joint-patterns{mode=extended}", 1e-6);
        row("joint-patterns", 1e-6, false);
        row("joint-patterns", 0.02);
        row("pad-matmul", 1e-6);
        row("stabilize-softmax", 1e-5, false);
        row("stabilize-softmax{mode=extended}", 1e-5, false);
        row("stabilize-softmax", 0.02);
        row("views-to-reshape,post-grad-patterns", 1e-5, false);
        row("post-grad-patterns{mode=extended}", 1e-5, false);
        row("torch-joint", 1e-5, false);
        row("torch-joint{mode=extended}", 1e-5, false);
        row("torch-joint,views-to-reshape,remove-noops,post-grad-patterns", 0.05);
        row("best", 1e-5, false);
    }
    void sameResults() {
        QFETCH(QString, passes);
        QFETCH(double, tolerance);
        QFETCH(bool, lowPrecision);
        const auto number = [](const char* name, int otherwise) { return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise; };
        const int first = number("ALIASCOPE_PROPERTY_FIRST", 1), count = number("ALIASCOPE_PROPERTY_SEEDS", 300);
        const auto pipeline = parsePipeline(passes.toStdString());
        QVERIFY(pipeline.has_value());
        // PyTorch's own rules give x for x + 0 whatever its strides, and after partitioning leave layouts to lowering.
        const bool changesLayouts = passes.contains("post-grad-patterns") || passes.contains("fold-constants") || passes.contains("torch-joint");
        const bool layouts = !changesLayouts || passes.contains("extended");
        const Machine machine;
        int changed = 0, failed = 0;
        for (int seed = first; seed < first + count; ++seed) {
            FunctionalOptions options;
            options.calls = 4 + seed % 24;
            options.lowPrecision = lowPrecision;
            options.dtypeViews = tolerance == 0;
            options.gpu = seed % 3 != 0;
            const Graph program = randomFunctional(OpRegistry::builtin(), static_cast<std::uint32_t>(seed), options);
            const Results want = machine.run(program);
            QVERIFY2(want.error.empty(), (want.error + "\n" + printGraphText(program)).c_str());
            Graph g = program.clone();
            const RunResult run = runPipeline(g, *pipeline, OpRegistry::builtin(), {});
            std::string what = run.error ? run.error->format() : difference(want, machine.run(g), tolerance, layouts);
            changed += g.hash() != program.hash();
            if (what.empty()) continue;
            if (++failed == 1) qWarning("seed %d: %s\nbefore\n%s\nafter\n%s", seed, what.c_str(), printGraphText(program).c_str(), printGraphText(g).c_str());
        }
        qInfo("%d of %d graphs changed, %d differ", changed, count, failed);
        QCOMPARE(failed, 0);
        QVERIFY2(changed > 0 || passes == "pad-matmul", "the passes changed nothing");
    }

    /// A pass that is stopped after some rewrites leaves a graph that gives the same.
    void stoppedEarly_data() {
        QTest::addColumn<QString>("pass");
        for (const char* pass : {"canonicalize-views", "fold-constants", "cse", "joint-patterns", "stabilize-softmax", "post-grad-patterns", "views-to-reshape"})
            QTest::newRow(pass) << pass;
    }
    void stoppedEarly() {
        QFETCH(QString, pass);
        const Pass* found = findPass(pass.toStdString());
        QVERIFY(found && found->stopsEarly());
        const Machine machine;
        int stopped = 0;
        for (std::uint32_t seed = 1; seed <= 120; ++seed) {
            FunctionalOptions options;
            options.lowPrecision = options.dtypeViews = false;
            Graph g = randomFunctional(OpRegistry::builtin(), seed, options);
            if (pass == "post-grad-patterns") runPipeline(g, *parsePipeline("views-to-reshape"), OpRegistry::builtin(), {});  // as lowering does before it
            const Results want = machine.run(g);
            const std::string before = printGraphText(g);
            PassOptions chosen;
            chosen.set("mode", seed % 2 ? "reference" : "extended");
            PassContext ctx(OpRegistry::builtin(), chosen, {});
            ctx.budget->most = seed % 5;
            QVERIFY(found->run(g, ctx).has_value());
            QVERIFY(ctx.budget->taken <= ctx.budget->most);
            stopped += ctx.budget->taken == ctx.budget->most;
            const Status sound = verify(g, OpRegistry::builtin());
            QVERIFY2(sound.has_value(), (before + printGraphText(g)).c_str());
            const std::string what = difference(want, machine.run(g), 1e-5, false);
            QVERIFY2(what.empty(), (what + "\n" + before + "\n" + printGraphText(g)).c_str());
            QVERIFY(ctx.budget->most > 0 || ctx.rewrites.empty());
        }
        QVERIFY(stopped > 0);
    }

    void aSecondRunFindsNothing_data() {
        QTest::addColumn<QString>("pass");
        for (const char* pass : {"canonicalize-views{mode=extended}", "fold-constants{mode=extended}", "cse{mode=extended}", "joint-patterns{mode=extended}",
                                 "stabilize-softmax{mode=extended}", "post-grad-patterns{mode=extended}", "views-to-reshape"})
            QTest::newRow(pass) << pass;
    }
    void aSecondRunFindsNothing() {
        QFETCH(QString, pass);
        struct Counter : PassObserver {
            Status stageFinished(const Graph&, const StageResult& stage) override {
                rewrites.push_back(stage.rewrites->size());
                return {};
            }
            std::vector<std::size_t> rewrites;
        };
        const auto pipeline = parsePipeline((pass + "," + pass).toStdString());
        QVERIFY(pipeline.has_value());
        std::size_t total = 0;
        for (int seed = 1; seed <= 200; ++seed) {
            FunctionalOptions options;
            options.calls = 30;
            Graph g = randomFunctional(OpRegistry::builtin(), static_cast<std::uint32_t>(seed), options);
            const std::string before = printGraphText(g);
            Counter counter;
            const RunResult run = runPipeline(g, *pipeline, OpRegistry::builtin(), {&counter});
            QVERIFY2(!run.error, run.error ? run.error->format().c_str() : "");
            total += counter.rewrites[1];
            QVERIFY2(counter.rewrites[2] == 0, (before + "\n" + printGraphText(g)).c_str());
        }
        QVERIFY(total > 0);
    }
};

QTEST_APPLESS_MAIN(CleanUpSemanticsTest)
#include "tst_clean_up_semantics.moc"
