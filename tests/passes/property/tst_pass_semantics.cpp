// Random programs must compute the same before and after every pass: what they return, and their inputs after the call.
//
// ALIASCOPE_PROPERTY_SEEDS sets how many programs are tried (default 300), ALIASCOPE_PROPERTY_FIRST the first seed.

#include <QTest>

#include <cmath>

#include "core/analysis/verifier.h"
#include "core/pipeline/pipeline.h"
#include "core/text/print.h"
#include "tests/support_exec/interpreter.h"
#include "tests/support_exec/random_program.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

struct Behaviour {
    std::vector<std::vector<double>> outputs, inputsAfter;
    std::string error;
};

std::vector<RuntimeValue> makeInputs(const Graph& g) {
    std::vector<RuntimeValue> inputs;
    double next = 0.25;
    for (NodeId id : g.placeholders()) {
        const TensorType& t = *g[id].tensor();
        Shape sizes, strides;
        for (const SymInt& s : t.sizes) sizes.push_back(*s.constant());
        for (const SymInt& s : *t.strides) strides.push_back(*s.constant());
        StridedTensor tensor = StridedTensor::make(t.dtype, sizes, strides);
        for (std::int64_t o : tensor.offsets()) tensor.store(o, next = std::fmod(next * 1.7 + 0.3, 5.0));
        inputs.emplace_back(tensor);
    }
    return inputs;
}

Behaviour behaviourOf(const Graph& g, const OpRegistry& ops) {
    Behaviour b;
    const std::vector<RuntimeValue> inputs = makeInputs(g);
    auto outputs = interpret(g, ops, inputs);
    if (!outputs) {
        b.error = outputs.error().params[1].second + ": " + outputs.error().params[2].second;
        return b;
    }
    for (const StridedTensor& t : *outputs) b.outputs.push_back(t.values());
    for (const RuntimeValue& v : inputs) b.inputsAfter.push_back(v.tensor().values());
    return b;
}

bool same(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].size() != b[i].size()) return false;
        for (std::size_t k = 0; k < a[i].size(); ++k) {
            const double x = a[i][k], y = b[i][k];
            if (!(x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-4 * std::max(std::abs(x), std::abs(y)))) return false;
        }
    }
    return true;
}

/// Empty when every stage behaves like the program; else the first stage that does not, with both graphs.
std::string firstDifference(const Graph& program, const OpRegistry& ops, const std::vector<std::string>& steps, bool skipReportedDefects, int& compared) {
    const Behaviour want = behaviourOf(program, ops);
    if (!want.error.empty()) return "the program itself does not run: " + want.error + "\n" + printGraphText(program);
    Graph g = program.clone();
    for (const std::string& step : steps) {
        auto pipeline = parsePipeline(step);
        if (!pipeline) return pipeline.error().format();
        const std::string before = printGraphText(g);
        const RunResult result = runPipeline(g, *pipeline, ops, {});
        const auto describe = [&](const std::string& what) { return step + ": " + what + "\nprogram\n" + printGraphText(program) + "\nbefore the pass\n" + before + "\nafter\n" + printGraphText(g); };
        if (result.failed) return describe(result.error ? result.error->format() : "failed");
        if (skipReportedDefects)
            for (const Diagnostic& d : result.diagnostics)
                if (d.severity == Severity::Warning && d.code != "REGION") return {};  // REGION: PyTorch orders badly, not wrongly
        const Behaviour got = behaviourOf(g, ops);
        if (!got.error.empty()) return describe("does not run: " + got.error);
        if (!same(got.outputs, want.outputs)) return describe("returns other values");
        if (!same(got.inputsAfter, want.inputsAfter)) return describe("leaves other values in the inputs");
    }
    ++compared;
    return {};
}

}  // namespace

class PassSemanticsTest : public QObject {
    Q_OBJECT

private:
    OpRegistry ops_ = OpRegistry::withBuiltin();

    void tryPrograms(const std::vector<std::string>& steps, const ProgramOptions& options, bool skipReportedDefects) {
        const auto number = [](const char* name, int otherwise) { return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise; };
        const int first = number("ALIASCOPE_PROPERTY_FIRST", 1), count = number("ALIASCOPE_PROPERTY_SEEDS", 300);
        int compared = 0, failed = 0;
        for (int seed = first; seed < first + count; ++seed) {
            ProgramOptions sized = options;
            sized.calls = 3 + seed % 14;
            const Graph program = randomProgram(ops_, static_cast<std::uint32_t>(seed), sized);
            const std::string difference = firstDifference(program, ops_, steps, skipReportedDefects, compared);
            if (difference.empty()) continue;
            if (++failed <= 1) qWarning("seed %d: %s", seed, difference.c_str());
            else if (failed <= 10) qWarning("seed %d: %s", seed, difference.substr(0, difference.find('\n')).c_str());
        }
        qInfo("%d of %d programs compared through every stage, %d differ", compared, count, failed);
        QCOMPARE(failed, 0);
        QVERIFY2(compared > count / 4, "too few programs were compared");
    }

private slots:
    void initTestCase() { QVERIFY(ops_.addText(customOperators(), "custom").empty()); }

    void v2() {
        tryPrograms({"functionalize{custom-ops=v2}", "dce"}, {}, true);
    }
    void v1() {
        tryPrograms({"functionalize{custom-ops=v1}", "dce"}, {}, true);
    }
    void automatic() {
        tryPrograms({"functionalize", "dce"}, {}, false);
    }
    void v2ThroughDecomposition() {
        ProgramOptions plain;
        plain.aliasedOperands = false;
        tryPrograms({"functionalize{custom-ops=v2}", "dce", "remove-noops", "reorder-for-locality", "reinplace", "decompose-functionalized"}, plain, true);
    }
    void v1ThroughDecomposition() {
        ProgramOptions plain;
        plain.aliasedOperands = false;
        tryPrograms({"functionalize{custom-ops=v1}", "dce", "remove-noops", "reorder-for-locality", "reinplace", "decompose-functionalized"}, plain, true);
    }
    void extended() {
        tryPrograms({"functionalize", "dce", "remove-noops{mode=extended}", "reinplace{analysis=extent}", "decompose-functionalized{mode=extended}"}, {}, false);
    }
    void namedBest() { tryPrograms({"best"}, {}, false); }
    void namedTorchV2() {
        ProgramOptions plain;
        plain.aliasedOperands = false;
        tryPrograms({"torch-v2"}, plain, true);
    }
};

QTEST_APPLESS_MAIN(PassSemanticsTest)
#include "tst_pass_semantics.moc"
