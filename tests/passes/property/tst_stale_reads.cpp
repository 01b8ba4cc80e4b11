// The sanitizer's reads: a correct re-inplacing shows none that differ from the program as written; a wrong one is caught at the node that reads the
// overwritten value. Wrong ones are made by taking clones out of correct results.
//
// ALIASCOPE_PROPERTY_SEEDS sets how many programs are tried (default 120), ALIASCOPE_PROPERTY_FIRST the first seed.

#include <QTest>

#include "core/exec/inputs.h"
#include "core/exec/op_bodies.h"
#include "core/exec/read_tracer.h"
#include "core/pipeline/pipeline.h"
#include "core/text/document.h"
#include "core/text/print.h"
#include "tests/passes/property/random_program.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

/// Graphs of all stages, and the rewrites between the first and each.
struct Stages : PassObserver {
    struct Stage {
        std::string pass;
        Graph graph;
        exec::RewriteSteps rewrites;
    };
    std::vector<Stage> all;
    exec::RewriteSteps soFar;

    Status stageFinished(const Graph& g, const StageResult& stage) override {
        if (stage.rewrites)
            for (const Rewrite& r : *stage.rewrites) {
                if (r.state != Rewrite::State::Applied) continue;
                exec::RewriteStep step;
                for (const NodeRef& n : r.before) step.before.push_back({0, n.id, 0});
                for (const NodeRef& n : r.after) step.after.push_back({0, n.id, 0});
                soFar.push_back(std::move(step));
            }
        all.push_back({stage.name, g.clone(), soFar});
        return {};
    }
};

struct Traced {
    exec::ReadLog reads;
    std::vector<std::uint64_t> hashes;  ///< of results and inputs after the run
    std::string error;
};

struct Machine {
    explicit Machine(const OpRegistry& ops) : ops(ops), bodies(exec::OpBodies::read(ops)), cpu(exec::makeCpuBackend(exec::Precision::Reference)) {}

    Traced run(const Graph& g, const exec::InputSet& inputs, bool full = false) const {
        Traced out;
        exec::ReadTracer tracer(*cpu, nullptr, full);
        auto values = inputs.forStage(g, *cpu);
        if (!values) return {{}, {}, values.error().format()};
        exec::ExecOptions options;
        options.bodies = &bodies;
        {
            const exec::ExecResult result = exec::execute(g, ops, tracer, values->values, values->constants, options, &tracer);
            if (result.error) out.error = result.error->format();
            tracer.noteResults(g, result);
            for (const auto* list : {&result.outputs, &result.inputs})
                for (const exec::RuntimeValue& v : *list)
                    v.forEachTensor([&](const exec::Tensor& t) { out.hashes.push_back(exec::digestOf(t).hash); });
        }
        out.reads = tracer.takeLog();
        return out;
    }

    const OpRegistry& ops;
    exec::OpBodies bodies;
    std::unique_ptr<exec::Backend> cpu;
};

std::string describe(const std::vector<exec::Finding>& findings) {
    std::string text;
    for (const exec::Finding& f : findings) {
        Diagnostic d = warning(f.code, f.params);
        text += d.sentence() + "\n";
    }
    return text;
}

/// The graph without the clone `id`: its users read what was cloned.
Graph withoutClone(const Graph& g, NodeId id) {
    Graph out = g.clone();
    out.replaceAllUses(id, out[id].arg(0).asNode());
    out.erase(id);
    return out;
}

int setting(const char* name, int fallback) {
    bool ok = false;
    const int value = qEnvironmentVariableIntValue(name, &ok);
    return ok ? value : fallback;
}

}  // namespace

class StaleReads : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ops_.addText(customOperators(), "ops"); }

    /// `sin` reads x before `add_` writes it; a wrong pass swaps them.
    void aReadAfterTheWriteIsStale() {
        const auto [was, is] = beforeAndAfterTheWrite("1");
        const auto findings = exec::staleReads(was.reads, is.reads, {}, "reinplace");
        QCOMPARE(findings.size(), std::size_t(1));
        QCOMPARE(describe(findings), std::string("sin reads 32 B of self that add_ had overwritten; expected from x. Brought in by reinplace.\n"));
        QVERIFY(exec::staleReads(was.reads, was.reads, {}, "").empty());
    }

    /// The write changes nothing: the numbers agree, the read is stale all the same.
    void foundWhereTheNumbersAgree() {
        const auto [was, is] = beforeAndAfterTheWrite("0");
        QCOMPARE(was.hashes, is.hashes);
        QCOMPARE(exec::staleReads(was.reads, is.reads, {}, "").size(), std::size_t(1));
    }

    /// Half of a buffer is overwritten: the reader of the other half is not touched.
    void onlyTheBytesThatAreReadCount() {
        const Graph right = read(R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %low : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%x, 0, 0, 4), kwargs = {})
    %high : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%x, 0, 4, 8), kwargs = {})
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%high,), kwargs = {})
    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%low, 1), kwargs = {})
    return (sin, add_)
)");
        Graph moved = right.clone();
        moved.moveAfter(moved.find("sin"_n), moved.find("add_"_n));
        const Machine machine(ops_);
        const exec::InputSet inputs = *exec::InputSet::make(right, ops_, {});
        QVERIFY(exec::staleReads(machine.run(right, inputs).reads, machine.run(moved, inputs).reads, {}, "").empty());
    }

    void aSumMayTakeItsOperandsTheOtherWayRound() {
        const auto stage = [this](const char* sum) {
            return read(std::string(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=1] = placeholder[target=y]
    %sin : [num_users=2] = call_function[target=torch.ops.aten.sin.default](args = (%x,), kwargs = {})
    %cos : [num_users=2] = call_function[target=torch.ops.aten.cos.default](args = (%y,), kwargs = {})
    %add : [num_users=1] = call_function[target=torch.ops.aten.)") +
                        sum + R"(, kwargs = {})
    return add
)");
        };
        const Graph right = stage("add.Tensor](args = (%sin, %cos)");
        const Machine machine(ops_);
        const exec::InputSet inputs = *exec::InputSet::make(right, ops_, {});
        const auto findings = [&](const char* sum) {
            return describe(exec::staleReads(machine.run(right, inputs).reads, machine.run(stage(sum), inputs).reads, {}, "reinplace"));
        };
        QCOMPARE(findings("add_.Tensor](args = (%cos, %sin)"), std::string());
        QVERIFY(QByteArray::fromStdString(findings("add_.Tensor](args = (%cos, %cos)")).contains("self"));
    }

    void undefinedBytesAreReported() {
        const Graph g = read(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %empty : [num_users=1] = call_function[target=torch.ops.aten.empty_like.default](args = (%x,), kwargs = {})
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%empty,), kwargs = {})
    return sin
)");
        const Machine machine(ops_);
        const exec::InputSet inputs = *exec::InputSet::make(g, ops_, {});
        const auto findings = exec::localFindings(machine.run(g, inputs, true).reads);
        QCOMPARE(describe(findings), std::string("sin reads 32 B of self that were never written.\n"));
    }

    void correctStagesShowNone() {
        int stages = 0;
        for (int i = 0; i < seeds(); ++i) {
            const auto seed = static_cast<std::uint32_t>(first() + i);
            const Stages run = stagesOf(seed, "best");
            const Machine machine(ops_);
            const auto inputs = exec::InputSet::make(run.all.front().graph, ops_, {});
            QVERIFY(inputs.has_value());
            const Traced reference = machine.run(run.all.front().graph, *inputs);
            if (!reference.error.empty()) continue;  // overlapping operands that PyTorch refuses too
            for (const Stages::Stage& stage : run.all) {
                const Traced traced = machine.run(stage.graph, *inputs);
                QVERIFY2(traced.error.empty(), traced.error.c_str());
                const auto findings = exec::staleReads(reference.reads, traced.reads, stage.rewrites, stage.pass);
                QVERIFY2(findings.empty(), ("seed " + std::to_string(seed) + ", " + stage.pass + ":\n" + describe(findings) +
                                            printGraphText(run.all.front().graph) + printGraphText(stage.graph))
                                               .c_str());
                ++stages;
            }
        }
        QVERIFY(stages > seeds() * 3);
    }

    /// Every clone that is left is taken out, one at a time: where the result changes, a stale read says where.
    void wrongReinplacingIsCaught() {
        int wrong = 0, harmless = 0;
        for (int i = 0; i < seeds(); ++i) {
            const auto seed = static_cast<std::uint32_t>(first() + i);
            const Stages run = stagesOf(seed, "torch-v2");
            const Machine machine(ops_);
            const exec::InputSet inputs = *exec::InputSet::make(run.all.front().graph, ops_, {});
            const Traced reference = machine.run(run.all.front().graph, inputs);
            if (!reference.error.empty()) continue;
            const Stages::Stage& last = run.all.back();
            const Traced right = machine.run(last.graph, inputs);
            for (NodeId id : last.graph.order()) {
                if (!last.graph[id].is("aten::clone"_n)) continue;
                const Graph mutant = withoutClone(last.graph, id);
                const Traced traced = machine.run(mutant, inputs);
                if (!traced.error.empty() || traced.hashes == right.hashes) {
                    ++harmless;
                    continue;
                }
                ++wrong;
                const auto findings = exec::staleReads(reference.reads, traced.reads, last.rewrites, "reinplace");
                QVERIFY2(!findings.empty(), ("seed " + std::to_string(seed) + " without " + last.graph[id].name.str() + "\n" +
                                             printGraphText(run.all.front().graph) + printGraphText(mutant))
                                                .c_str());
            }
        }
        qInfo("%d wrong re-inplacings caught, %d clones whose loss changes no result", wrong, harmless);
        QVERIFY(wrong > 10);
    }

private:
    static int seeds() { return setting("ALIASCOPE_PROPERTY_SEEDS", 120); }
    static int first() { return setting("ALIASCOPE_PROPERTY_FIRST", 1); }

    /// `sin(x)` read before and after `x.add_(number)`.
    std::pair<Traced, Traced> beforeAndAfterTheWrite(const std::string& number) const {
        const Graph right = read(R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%x,), kwargs = {})
    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%x, )" +
                                 number + R"(), kwargs = {})
    return (sin, add_)
)");
        Graph wrong = right.clone();
        wrong.moveAfter(wrong.find("sin"_n), wrong.find("add_"_n));
        const Machine machine(ops_);
        const exec::InputSet inputs = *exec::InputSet::make(right, ops_, {});
        return {machine.run(right, inputs), machine.run(wrong, inputs)};
    }

    Graph read(std::string text) const {
        // The tests' placeholders are eight floats.
        Result<Document> doc = readText(text, "test", ops_);
        if (!doc) qFatal("%s", doc.error().format().c_str());
        Graph g = std::move(doc->units.front().graph);
        for (NodeId id : g.placeholders()) g.setType(id, Type::parseAnnotation("f32[8][1]cpu"));
        return g;
    }

    Stages stagesOf(std::uint32_t seed, const char* pipeline) const {
        Stages out;
        Graph g = randomProgram(ops_, seed);
        runPipeline(g, *namedPipeline(pipeline), ops_, {&out});
        return out;
    }

    OpRegistry ops_ = OpRegistry::withBuiltin();
};

QTEST_APPLESS_MAIN(StaleReads)
#include "tst_stale_reads.moc"
