// Random programs must compute the same before and after every pass: what they return, and their inputs after the call.
//
// With ALIASCOPE_SHARED set to the folder of the reference corpus, its programs are run too.
// ALIASCOPE_PROPERTY_SEEDS sets how many programs are tried (default 300), ALIASCOPE_PROPERTY_FIRST the first seed.

#include <QDirIterator>
#include <QTest>
#include <cmath>
#include <set>

#include "core/analysis/verifier.h"
#include "core/pipeline/pipeline.h"
#include "core/text/document.h"
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
        // Integers are indices in these programs: small and different.
        std::int64_t index = 0;
        for (std::int64_t o : tensor.offsets())
            tensor.store(o, info(t.dtype).floating ? next = std::fmod(next * 1.7 + 0.3, 5.0) : static_cast<double>(index++));
        inputs.emplace_back(tensor);
    }
    return inputs;
}

bool hasStaticInputs(const Graph& g) {
    static const std::set<DType> supported{DType::F16, DType::F32, DType::F64, DType::I16, DType::I32, DType::I64, DType::B8};
    for (NodeId id : g.placeholders()) {
        const TensorType* t = g[id].tensor();
        if (!t || !t->strides || !supported.contains(t->dtype)) return false;
        for (const SymInt& s : t->sizes)
            if (!s.isConst()) return false;
    }
    return true;
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

/// Programs that PyTorch would not run either, such as writes to overlapping elements.
bool refused(const Graph& program, const OpRegistry& ops) {
    Graph g = program.clone();
    const RunResult result = runPipeline(g, *parsePipeline("functionalize"), ops, {});
    return result.error && result.error->audience == Audience::User;
}

/// Empty when every stage behaves like the program; else the first stage that does not, with both graphs.
std::string firstDifference(const Graph& program, const OpRegistry& ops, const std::vector<std::string>& steps, bool skipReportedDefects,
                            int& compared) {
    const Behaviour want = behaviourOf(program, ops);
    if (!want.error.empty()) return "the program itself does not run: " + want.error + "\n" + printGraphText(program);
    Graph g = program.clone();
    for (const std::string& step : steps) {
        auto pipeline = parsePipeline(step);
        if (!pipeline) return pipeline.error().format();
        const std::string before = printGraphText(g);
        const RunResult result = runPipeline(g, *pipeline, ops, {});
        const auto describe = [&](const std::string& what) {
            return step + ": " + what + "\nprogram\n" + printGraphText(program) + "\nbefore the pass\n" + before + "\nafter\n" + printGraphText(g);
        };
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
        const auto number = [](const char* name, int otherwise) {
            return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise;
        };
        const int first = number("ALIASCOPE_PROPERTY_FIRST", 1), count = number("ALIASCOPE_PROPERTY_SEEDS", 300);
        int compared = 0, failed = 0;
        for (int seed = first; seed < first + count; ++seed) {
            ProgramOptions sized = options;
            sized.calls = 3 + seed % 14;
            const Graph program = randomProgram(ops_, static_cast<std::uint32_t>(seed), sized);
            const std::string difference = firstDifference(program, ops_, steps, skipReportedDefects, compared);
            if (difference.empty()) continue;
            if (++failed <= 1)
                qWarning("seed %d: %s", seed, difference.c_str());
            else if (failed <= 10)
                qWarning("seed %d: %s", seed, difference.substr(0, difference.find('\n')).c_str());
        }
        qInfo("%d of %d programs compared through every stage, %d differ", compared, count, failed);
        QCOMPARE(failed, 0);
        QVERIFY2(compared > count / 4, "too few programs were compared");
    }

private slots:
    void initTestCase() { QVERIFY(ops_.addText(customOperators(), "custom").empty()); }

    void v2() { tryPrograms({"functionalize{custom-ops=v2}", "dce"}, {}, true); }
    void v1() { tryPrograms({"functionalize{custom-ops=v1}", "dce"}, {}, true); }
    void automatic() { tryPrograms({"functionalize", "dce"}, {}, false); }
    void v2ThroughDecomposition() {
        ProgramOptions plain;
        plain.aliasedOperands = false;
        tryPrograms({"functionalize{custom-ops=v2}", "dce", "remove-noops", "reorder-for-locality", "reinplace", "decompose-functionalized"}, plain,
                    true);
    }
    void v1ThroughDecomposition() {
        ProgramOptions plain;
        plain.aliasedOperands = false;
        tryPrograms({"functionalize{custom-ops=v1}", "dce", "remove-noops", "reorder-for-locality", "reinplace", "decompose-functionalized"}, plain,
                    true);
    }
    void extended() {
        tryPrograms({"functionalize", "dce", "remove-noops{mode=extended}", "reinplace{analysis=extent}", "decompose-functionalized{mode=extended}"},
                    {}, false);
    }
    void programsOfTheCorpus() {
        const QString shared = qEnvironmentVariable("ALIASCOPE_SHARED");
        if (shared.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        OpRegistry ops = OpRegistry::withBuiltin();
        QVERIFY(ops.addFile((shared + "/oracle/mylib.ops").toStdString()).has_value());
        int compared = 0, notRun = 0;
        QDirIterator files(shared + "/oracle", {"aten.mutable.readable.py", "graph.readable.py"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            auto document = openFile(path.toStdString(), ops);
            if (!document || document->units.empty()) continue;
            Graph& program = document->units[0].graph;
            if (!hasStaticInputs(program) || refused(program, ops) || !behaviourOf(program, ops).error.empty()) {
                ++notRun;
                continue;
            }
            for (const std::vector<std::string>& steps :
                 {std::vector<std::string>{"functionalize", "dce", "reinplace{analysis=extent}", "decompose-functionalized{mode=extended}"},
                  {"best"},
                  {"functionalize{custom-ops=v2}", "dce"},
                  {"functionalize{custom-ops=v1}", "dce"}}) {
                const std::string difference = firstDifference(program, ops, steps, true, compared);
                QVERIFY2(difference.empty(), (path.toStdString() + "\n" + difference).c_str());
            }
        }
        qInfo("%d pipelines compared, %d programs not run", compared, notRun);
        QVERIFY(compared > 0);
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
