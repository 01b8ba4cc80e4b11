// Graphs read from text after re-inplacing: which arguments wrappers write in place comes from PyTorch's log (executor.md 1.2 e).

#include <QTest>

#include "core/exec/reinplaced_sets.h"
#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

const char* v1 = "auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = x)\nreturn ()";

std::string logLine(const std::string& node, const std::string& tried, const std::string& cloned) {
    return "For node " + node + ", attempted to reinplace " + tried + ". We were unable to reinplace " + cloned +
           "; [] (if non-empty) are possible missed reinplacing opportunities that may be bad for memory usage and performance. Total size of missed "
           "opportunities with static shapes is : 0 bytes.\n";
}

Ran runWith(const Graph& g, const ReinplacedSets& sets) {
    ExecOptions options;
    options.reinplaced = [&](const Graph&, NodeId node, Name argument) { return sets.writesInPlace(node, argument); };
    return run(g, {range({3})}, options);
}

const char* x3 = R"(x: "f32[3][1]cuda:0")";

}  // namespace

class ReinplacedSetsTest : public QObject {
    Q_OBJECT

private slots:
    void theLogSaysWhatIsWrittenInPlace() {
        const Graph g = forward(x3, v1);
        const ReinplacedSets all = ReinplacedSets::ofLog(logLine("mylib::foo", "['x']", "[]"), g);
        QVERIFY(!all.firstUnknown(g, true));
        QCOMPARE(runWith(g, all).inputs, std::string("1 2 3"));  // in place, as the graph without its copy back needs
        const ReinplacedSets none = ReinplacedSets::ofLog(logLine("mylib::foo", "['x']", "['x']"), g);
        QVERIFY(!none.firstUnknown(g, true));
        QCOMPARE(runWith(g, none).inputs, std::string("0 1 2"));
    }

    void linesBelongToWrappersInOrder() {
        const Graph g = forward(x3,
                                "clone = torch.ops.aten.clone.default(x)\n"
                                "auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = "
                                "0, _all_bases = [clone])\n"
                                "auto_functionalized_v2_1 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index "
                                "= 0, _all_bases = [x])\n"
                                "return (clone,)");
        const ReinplacedSets sets =
            ReinplacedSets::ofLog(logLine("slice_scatter", "[0]", "[]") + logLine("auto_functionalized_v2", "range(0, 1)", "[0]") +
                                      logLine("auto_functionalized_v2", "range(0, 1)", "[]"),
                                  g);
        const Ran r = runWith(g, sets);
        QCOMPARE(r.outputs, std::string("0 1 2"));
        QCOMPARE(r.inputs, std::string("1 2 3"));
    }

    void withoutALineTheSetIsUnknown() {
        const Graph g = forward(x3, v1);
        const ReinplacedSets sets = ReinplacedSets::ofLog("", g);
        QCOMPARE(g[sets.firstUnknown(g, true)].name.str(), std::string("auto_functionalized"));
        QVERIFY(!sets.firstUnknown(g, false));
        QVERIFY(!ReinplacedSets::ofFile("v1.before_reinplace.readable.py", g));
        QVERIFY(ReinplacedSets::ofFile("nowhere/v1.after_reinplace.readable.py", g));
    }
};

QTEST_APPLESS_MAIN(ReinplacedSetsTest)
#include "tst_reinplaced_sets.moc"
