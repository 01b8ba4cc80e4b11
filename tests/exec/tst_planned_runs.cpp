// Runs over the offline plan: results in storages that die, all storages in one arena, and the same values as without.

#include <QTest>

#include "core/exec/arena_plan.h"
#include "core/exec/predict.h"
#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

struct Planned {
    Ran plain, planned;
    std::shared_ptr<const ArenaPlan> plan;
    std::string mismatch;
};

Planned both(const Graph& g, const std::function<std::vector<RuntimeValue>()>& inputs) {
    Planned p;
    p.plain = run(g, inputs());
    const auto values = inputs();
    ExecOptions options;
    options.bodies = &bodies();
    p.plan = planArena(g, ops(), values, {}, options);
    options.reuse = true;
    options.arena = p.plan;
    p.planned = run(g, values, options);
    if (auto d = planMismatch(g, p.plan->expected, p.planned.result.memory)) p.mismatch = d->sentence();
    return p;
}

std::int64_t count(const Ran& r, memory::EventKind kind) {
    std::int64_t n = 0;
    for (const memory::Event& e : r.result.memory.events) n += e.kind == kind;
    return n;
}

/// Outputs that lie in one block of memory of `bytes`.
bool inOneArena(const Ran& r, std::int64_t bytes) {
    const std::byte *least = nullptr, *most = nullptr;
    for (const RuntimeValue& v : r.result.outputs) {
        const Tensor* t = v.tensor();
        if (!t || !t->storage->home) return false;
        least = !least || t->data() < least ? t->data() : least;
        most = !most || t->data() > most ? t->data() : most;
    }
    return least && most - least < bytes;
}

const char* x4 = R"(x: "f32[4][1]cuda:0")";

}  // namespace

class PlannedRunsTest : public QObject {
    Q_OBJECT

private slots:
    void aChainOfElementwiseNodesNeedsOneStorage() {
        const Graph g = forward(x4,
                                "add = torch.ops.aten.add.Tensor(x, 1)\nmul = torch.ops.aten.mul.Tensor(add, 2);  add = None\n"
                                "neg = torch.ops.aten.neg.default(mul);  mul = None\nreturn (neg,)");
        const Planned p = both(g, [] { return std::vector<RuntimeValue>{range({4})}; });
        QCOMPARE(p.planned.outputs, std::string("-2 -4 -6 -8"));
        QCOMPARE(p.planned.outputs, p.plain.outputs);
        QCOMPARE(p.planned.inputs, std::string("0 1 2 3"));  // inputs are never written over
        QCOMPARE(p.plain.peak, 32);
        QCOMPARE(p.planned.peak, 16);
        QCOMPARE(p.plan->reused, 2);
        QCOMPARE(count(p.planned, memory::EventKind::Reuse), 2);
        QCOMPARE(p.plan->arena, 512);
        QCOMPARE(p.plan->lowerBound, 512);
        QCOMPARE(p.mismatch, std::string());
        QVERIFY(inOneArena(p.planned, p.plan->arena));
    }

    void nothingIsWrittenOverThatIsStillSeen_data() {
        QTest::addColumn<QString>("body");
        QTest::newRow("read later") << "add = torch.ops.aten.add.Tensor(x, 1)\nneg = torch.ops.aten.neg.default(add)\n"
                                       "sub = torch.ops.aten.sub.Tensor(neg, add)\nreturn (sub, neg)";
        QTest::newRow("seen through a view") << "add = torch.ops.aten.add.Tensor(x, 1)\nview = torch.ops.aten.view.default(add, [2, 2])\n"
                                                "neg = torch.ops.aten.neg.default(add)\nreturn (neg, view)";
        QTest::newRow("returned") << "add = torch.ops.aten.add.Tensor(x, 1)\nneg = torch.ops.aten.neg.default(add)\nreturn (neg, add)";
        QTest::newRow("read in another layout") << "add = torch.ops.aten.add.Tensor(x, 1)\nview = torch.ops.aten.view.default(add, [2, 2])\n"
                                                   "view_1 = torch.ops.aten.view.default(add, [2, 2])\nt = torch.ops.aten.t.default(view_1)\n"
                                                   "sub = torch.ops.aten.sub.Tensor(view, t)\nreturn (sub,)";
        QTest::newRow("row of itself") << "add = torch.ops.aten.add.Tensor(x, 1)\nslice_1 = torch.ops.aten.slice.Tensor(add, 0, 3, 4)\n"
                                          "mul = torch.ops.aten.mul.Tensor(add, slice_1)\nreturn (mul,)";
        QTest::newRow("not elementwise") << "add = torch.ops.aten.add.Tensor(x, 1)\ncumsum = torch.ops.aten.cumsum.default(add, 0)\nreturn (cumsum,)";
    }
    void nothingIsWrittenOverThatIsStillSeen() {
        QFETCH(QString, body);
        const Planned p = both(forward(x4, body.toStdString()), [] { return std::vector<RuntimeValue>{range({4})}; });
        QCOMPARE(p.planned.error, std::string());
        QCOMPARE(p.planned.outputs, p.plain.outputs);
        QCOMPARE(p.mismatch, std::string());
    }

    void writesToMemoryStayWrites() {
        const Graph g = forward(x4,
                                "add = torch.ops.aten.add.Tensor(x, 1)\nslice_1 = torch.ops.aten.slice.Tensor(add, 0, 1, 3)\n"
                                "zero_ = torch.ops.aten.zero_.default(slice_1)\nneg = torch.ops.aten.neg.default(add)\n"
                                "copy_ = torch.ops.aten.copy_.default(x, neg)\nreturn (neg,)");
        const Planned p = both(g, [] { return std::vector<RuntimeValue>{range({4})}; });
        QCOMPARE(p.planned.outputs, std::string("-1 0 0 -4"));
        QCOMPARE(p.planned.outputs, p.plain.outputs);
        QCOMPARE(p.planned.inputs, p.plain.inputs);
    }

    void sizesThatDependOnDataEndThePlan() {
        const Graph g = forward(x4,
                                "add = torch.ops.aten.add.Tensor(x, 0)\nnonzero = torch.ops.aten.nonzero.default(add)\n"
                                "add_1 = torch.ops.aten.add.Tensor(x, 5)\nreturn (nonzero, add_1)");
        const Planned p = both(g, [] { return std::vector<RuntimeValue>{range({4})}; });
        QVERIFY(!p.plan->complete);
        QCOMPARE(p.planned.error, std::string());
        QVERIFY(p.planned.result.outputs[1].tensor());
        QCOMPARE(text(p.planned.result.outputs[1]), std::string("5 6 7 8"));
        // A run tells the sizes: with them the plan is whole.
        ExecOptions options;
        options.reuse = true;
        const auto values = [] { return std::vector<RuntimeValue>{range({4})}; };
        options.arena = planArena(run(g, values(), options).result.memory, {});
        const Ran again = run(g, values(), options);
        QVERIFY(inOneArena(again, options.arena->arena));
        QCOMPARE(text(again.result.outputs[1]), std::string("5 6 7 8"));
    }

    void aRunThatGoesOtherwiseStaysCorrect() {
        const Graph g = forward(x4, "add = torch.ops.aten.add.Tensor(x, 1)\nmul = torch.ops.aten.mul.Tensor(add, x)\nreturn (mul, add)");
        ExecOptions options;
        options.arena = planArena(forward(x4, "neg = torch.ops.aten.neg.default(x)\nreturn (neg,)"), ops(), {RuntimeValue(range({4}))}, {}, {});
        const Ran r = run(g, {range({4})}, options);
        QCOMPARE(r.outputs, std::string("0 2 6 12 | 1 2 3 4"));
    }
};

QTEST_APPLESS_MAIN(PlannedRunsTest)
#include "tst_planned_runs.moc"
