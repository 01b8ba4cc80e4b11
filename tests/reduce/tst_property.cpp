// What `reduce --keep` asks of a graph under a pipeline.

#include <QTest>

#include "core/reduce/property.h"
#include "core/reduce/reduce_graph.h"
#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

namespace {

constexpr const char* kOps = R"(op mylib::foo(Tensor(a!) x) -> ()
    def forward(self, x):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        return ()
)";

/// The old value is returned: one copy is needed.
constexpr const char* kOld = R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[8][1]cpu"):
        # No stacktrace found for following nodes
        sin: "f32[8][1]cpu" = torch.ops.aten.sin.default(x)
        clone: "f32[8][1]cpu" = torch.ops.aten.clone.default(sin)
        foo = torch.ops.mylib.foo.default(sin);  foo = None
        return (clone, sin)
)";

/// v1 lets two arguments that overlap be written apart: PyTorch's result is wrong.
constexpr const char* kOverlap = R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[8][1]cpu", y: "f32[8][1]cpu"):
        # No stacktrace found for following nodes
        cos: "f32[8][1]cpu" = torch.ops.aten.cos.default(y)
        slice_1: "f32[6][1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 0, 6)
        slice_2: "f32[6][1]cpu" = torch.ops.aten.slice.Tensor(x, 0, 2, 8)
        two = torch.ops.mylib.two.default(slice_1, slice_2);  two = None
        return (x, cos)
)";

}  // namespace

class PropertyTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        ops_ = OpRegistry::withBuiltin();
        QVERIFY(ops_.addText(std::string(kOps) + R"(op mylib::two(Tensor(a!) x, Tensor(b!) y) -> ()
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        add__1 = torch.ops.aten.add_.Tensor(y, 2)
        return ()
)",
                             "ops")
                    .empty());
    }

    void holds_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("pipeline");
        QTest::addColumn<QString>("keep");
        QTest::addColumn<bool>("holds");
        const auto row = [](const char* program, const char* pipeline, const char* keep, bool holds) {
            QTest::newRow(qPrintable(QString("%1: %2").arg(pipeline, keep))) << program << pipeline << keep << holds;
        };
        row(kOld, "torch-v2", "clones>=1", true);
        row(kOld, "torch-v2", "clones>=2", false);
        row(kOld, "torch-v2", "cloned=32", true);
        row(kOld, "torch-v2", "cloned > 1KiB", false);
        row(kOld, "torch-v2", "copied>0", false);
        row(kOld, "torch-v2", "decision(code=RI30)", true);
        row(kOld, "torch-v2", "decision(code=RI30,verdict=clone)", true);
        row(kOld, "torch-v2", "decision(code=RI30,verdict=in-place)", false);
        row(kOld, "torch-v2", "decision(code=RI21)", false);
        row(kOld, "torch-v2", "verdict:clone clones=1", true);
        row(kOld, "torch-v2", "-verdict:clone", false);
        row(kOld, "torch-v2", "differs", false);
        row(kOld, "torch-v2", "pass-fails(dce)", false);
        row(kOld, "torch-v2", "finding(STALE_READ)", false);
        row(kOverlap, "torch-v1", "differs", true);
        row(kOverlap, "torch-v1", "differs(functionalize)", true);
        row(kOverlap, "torch-v1", "differs(last)", true);
        row(kOverlap, "torch-v1", "differs(lower-torch)", false);
        row(kOverlap, "torch-v1", "finding(OVERLAPPING_WRITES)", true);
        row(kOverlap, "torch-v2", "differs", false);
        row(kOverlap, "best", "differs", false);
    }
    void holds() {
        QFETCH(QString, program);
        QFETCH(QString, pipeline);
        QFETCH(QString, keep);
        QFETCH(bool, holds);
        auto property = Property::parse(keep.toStdString(), *namedPipeline(pipeline.toStdString()), ops_, {});
        QVERIFY(property.has_value());
        QCOMPARE(property->holds(read(program)), holds);
    }

    void mistakesNameTheColumn() {
        const auto wrong = Property::parse("clones>=", *namedPipeline("best"), ops_, {});
        QVERIFY(!wrong.has_value());
        QCOMPARE(wrong.error().code, std::string("P005"));
        QVERIFY(wrong.error().column > 0);
    }

    /// The difference is cut down to the call that makes it.
    void aDifferenceIsReduced() {
        const auto property = Property::parse("differs(functionalize)", *namedPipeline("torch-v1"), ops_, {});
        const Graph g = read(kOverlap);
        const Reduction r = reduceGraph(g, ops_, [&](const Graph& now) { return property->holds(now); });
        const std::string text = printReadable(r.graph);
        QVERIFY2(property->holds(read(QString::fromStdString(text))), text.c_str());
        QVERIFY2(text.find("mylib.two") != std::string::npos && text.find("cos") == std::string::npos, text.c_str());
    }

private:
    Graph read(const QString& text) const {
        auto document = readText(text.toStdString(), "test", ops_);
        if (!document || document->units.size() != 1) qFatal("not one graph");
        return std::move(document->units[0].graph);
    }
    OpRegistry ops_ = OpRegistry::withBuiltin();
};

QTEST_APPLESS_MAIN(PropertyTest)
#include "tst_property.moc"
