// Reordering for locality (canonicalize.md 5.9).

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

std::vector<std::string> order(const PassRun& run) {
    std::vector<std::string> names;
    for (NodeId id : inOrder(run.graph))
        if (run.graph[id].isCall()) names.push_back(run.graph[id].name.str());
    return names;
}

constexpr const char* kReadBeforeWrite = R"(sin: "f32[8][1]cpu" = torch.ops.aten.sin.default(arg0_1)
                                            mul: "f32[8][1]cpu" = torch.ops.aten.mul.Tensor(sin, 3)
                                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [sin])
                                            getitem_1: "f32[8][1]cpu" = auto_functionalized_v2[1]
                                            add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(getitem_1, mul)
                                            return (add,))";

}  // namespace

class ReorderForLocalityTest : public QObject {
    Q_OBJECT

private slots:
    void producersMoveToTheirConsumer() {
        RUN_PASSES(run, readableGraph(R"(arg0_1: "f32[8][1]cpu")", R"(cos: "f32[8][1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                                                      sin: "f32[8][1]cpu" = torch.ops.aten.sin.default(arg0_1)
                                                                      exp: "f32[8][1]cpu" = torch.ops.aten.exp.default(sin)
                                                                      add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(exp, cos)
                                                                      return (add,))"),
                   "reorder-for-locality");
        QCOMPARE(order(run), (std::vector<std::string>{"sin", "exp", "cos", "add"}));
    }

    void sharedProducerStaysBeforeItsFirstUser() {
        RUN_PASSES(run, readableGraph(R"(arg0_1: "f32[8][1]cpu")", R"(cos: "f32[8][1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                                                      sin: "f32[8][1]cpu" = torch.ops.aten.sin.default(arg0_1)
                                                                      exp: "f32[8][1]cpu" = torch.ops.aten.exp.default(cos)
                                                                      add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(cos, sin)
                                                                      return (add, exp))"),
                   "reorder-for-locality");
        QCOMPARE(order(run), (std::vector<std::string>{"cos", "sin", "add", "exp"}));
    }

    void trainingGraphsStay() {
        for (const char* name : {"primals_1", "tangents_1"}) {
            RUN_PASSES(run, readableGraph(std::string(name) + R"(: "f32[8][1]cpu")", std::string(R"(cos: "f32[8][1]cpu" = torch.ops.aten.cos.default()") + name + R"()
                                                                      sin: "f32[8][1]cpu" = torch.ops.aten.sin.default()" + name + R"()
                                                                      exp: "f32[8][1]cpu" = torch.ops.aten.exp.default(sin)
                                                                      add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(exp, cos)
                                                                      return (add,))"),
                       "reorder-for-locality");
            QCOMPARE(run.after, run.before);
        }
    }

    void nodesFromTheFirstWriteBackOnStay() {
        RUN_PASSES(run, readableGraph(R"(arg0_1: "f32[8][1]cpu")", R"(cos: "f32[8][1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                                                      add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(arg0_1, 1)
                                                                      copy_: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg0_1, add)
                                                                      exp: "f32[8][1]cpu" = torch.ops.aten.exp.default(cos)
                                                                      return (exp,))"),
                   "reorder-for-locality");
        QCOMPARE(run.after, run.before);
    }

    void readerBehindTheWrite() {  // R7
        const std::string text = readableGraph(R"(arg0_1: "f32[8][1]cpu")", kReadBeforeWrite);
        RUN_PASSES(reference, text, "reorder-for-locality,reinplace");
        QCOMPARE(order(reference), (std::vector<std::string>{"sin", "auto_functionalized_v2", "getitem_1", "mul", "add"}));
        QCOMPARE(reference.code("0"), "RI30.READ");
        const Diagnostic* d = reference.diagnostic("REGION");
        QVERIFY(d && d->note.find("R7") != std::string::npos);
        RUN_PASSES(extended, text, "reorder-for-locality{mode=extended},reinplace");
        QCOMPARE(order(extended), (std::vector<std::string>{"sin", "mul", "auto_functionalized_v2", "getitem_1", "add"}));
        QCOMPARE(extended.code("0"), "RI00");
        QVERIFY(!extended.diagnostic("REGION"));
    }

    void graphsThatWriteAreLeftAlone() {
        RUN_PASSES(run, readableGraph(R"(arg0_1: "f32[8][1]cpu")", R"(cos: "f32[8][1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                                                      add_: "f32[8][1]cpu" = torch.ops.aten.add_.Tensor(cos, 1)
                                                                      return (add_,))"),
                   "reorder-for-locality");
        QCOMPARE(run.after, run.before);
        QVERIFY(run.diagnostic("NEEDS_FUNCTIONAL"));
    }
};

QTEST_APPLESS_MAIN(ReorderForLocalityTest)
#include "tst_reorder_for_locality.moc"
