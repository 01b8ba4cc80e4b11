// Random programs must compute the same before and after every pass: what they return, and their inputs after the call.
//
// With ALIASCOPE_SHARED set to the folder of the reference corpus, its programs are run too.
// ALIASCOPE_PROPERTY_SEEDS sets how many programs are tried (default 400), ALIASCOPE_PROPERTY_FIRST the first seed.

#include <QDirIterator>
#include <QTest>
#include <cmath>
#include <set>

#include "core/analysis/verifier.h"
#include "core/exec/executor.h"
#include "core/exec/op_bodies.h"
#include "core/pipeline/pipeline.h"
#include "core/text/document.h"
#include "core/text/print.h"
#include "tests/passes/property/random_program.h"

using namespace aliascope;
using namespace aliascope::testing;
using exec::RuntimeValue;
using exec::Tensor;

namespace {

/// Runs graphs with the custom operators of one registry.
struct Machine {
    explicit Machine(const OpRegistry& ops) : ops(ops), bodies(exec::OpBodies::read(ops)), cpu(exec::makeCpuBackend(exec::Precision::Reference)) {}
    const OpRegistry& ops;
    exec::OpBodies bodies;
    std::unique_ptr<exec::Backend> cpu;
};

/// Row-major f64 tensor of the same sizes.
Tensor wide(const Machine& machine, const TensorType& like) {
    TensorType type = like;
    type.dtype = DType::F64;
    type.strides.reset();
    type.offset.reset();
    return makeTensor(*machine.cpu, type);
}

std::vector<double> elements(const Machine& machine, const Tensor& t) {
    const Tensor copy = wide(machine, t.type());
    machine.cpu->copy(copy, t);
    const double* begin = copy.as<double>();
    return {begin, begin + copy.numel()};
}

struct Behaviour {
    std::vector<std::vector<double>> outputs, inputsAfter;
    std::string error;
    bool overlapRefused = false;  ///< PyTorch would not run it either
};

std::vector<RuntimeValue> makeInputs(const Machine& machine, const Graph& g) {
    std::vector<RuntimeValue> inputs;
    double next = 0.25;
    for (NodeId id : g.placeholders()) {
        const TensorType& type = *g[id].tensor();
        const Tensor values = wide(machine, type), tensor = makeTensor(*machine.cpu, type);
        // Integers are indices in these programs: small and different.
        for (std::int64_t i = 0; i < values.numel(); ++i)
            values.as<double>()[i] = info(type.dtype).floating ? next = std::fmod(next * 1.7 + 0.3, 5.0) : static_cast<double>(i);
        machine.cpu->copy(tensor, values);
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

Behaviour behaviourOf(const Machine& machine, const Graph& g) {
    Behaviour b;
    exec::ExecOptions options;
    options.bodies = &machine.bodies;
    const exec::ExecResult result = execute(g, machine.ops, *machine.cpu, makeInputs(machine, g), {}, options);
    if (result.error) {
        b.error = result.error->format();
        b.overlapRefused = result.error->code == "OVERLAP_REFUSED";
        return b;
    }
    for (const RuntimeValue& v : result.outputs)
        if (const Tensor* t = v.tensor()) b.outputs.push_back(elements(machine, *t));
    for (const RuntimeValue& v : result.inputs) b.inputsAfter.push_back(elements(machine, *v.tensor()));
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
std::string firstDifference(const Graph& program, const Machine& machine, const std::vector<std::string>& steps, bool skipReportedDefects,
                            int& compared) {
    const OpRegistry& ops = machine.ops;
    const Behaviour want = behaviourOf(machine, program);
    if (want.overlapRefused) return {};
    if (!want.error.empty()) return "the program itself does not run: " + want.error + "\n" + printGraphText(program);
    Graph g = program.clone();
    for (const std::string& step : steps) {
        auto pipeline = parsePipeline(step);
        if (!pipeline) return pipeline.error().format();
        const std::string before = printGraphText(g);
        RunOptions exact;
        exact.skip = {"fuse-attention"};  // a fused softmax rounds elsewhere: tst_attention_values compares it, within tolerances
        const RunResult result = runPipeline(g, *pipeline, ops, {}, exact);
        const auto describe = [&](const std::string& what) {
            return step + ": " + what + "\nprogram\n" + printGraphText(program) + "\nbefore the pass\n" + before + "\nafter\n" + printGraphText(g);
        };
        if (result.failed) return describe(result.error ? result.error->format() : "failed");
        if (skipReportedDefects)
            for (const Diagnostic& d : result.diagnostics)
                if (d.severity == Severity::Warning && d.code != "REGION") return {};  // REGION: PyTorch orders badly, not wrongly
        const Behaviour got = behaviourOf(machine, g);
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
        const int first = number("ALIASCOPE_PROPERTY_FIRST", 1), count = number("ALIASCOPE_PROPERTY_SEEDS", 400);
        int compared = 0, failed = 0;
        const Machine machine(ops_);
        for (int seed = first; seed < first + count; ++seed) {
            ProgramOptions sized = options;
            sized.calls = 3 + seed % 14;
            const Graph program = randomProgram(ops_, static_cast<std::uint32_t>(seed), sized);
            const std::string difference = firstDifference(program, machine, steps, skipReportedDefects, compared);
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
        const Machine machine(ops);
        int compared = 0, notRun = 0;
        QDirIterator files(shared + "/oracle", {"aten.mutable.readable.py", "graph.readable.py"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            auto document = openFile(path.toStdString(), ops);
            if (!document || document->units.empty()) continue;
            Graph& program = document->units[0].graph;
            if (!hasStaticInputs(program) || refused(program, ops) || !behaviourOf(machine, program).error.empty()) {
                ++notRun;
                continue;
            }
            for (const std::vector<std::string>& steps :
                 {std::vector<std::string>{"functionalize", "dce", "reinplace{analysis=extent}", "decompose-functionalized{mode=extended}"},
                  {"best"},
                  {"functionalize{custom-ops=v2}", "dce"},
                  {"functionalize{custom-ops=v1}", "dce"}}) {
                const std::string difference = firstDifference(program, machine, steps, true, compared);
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
