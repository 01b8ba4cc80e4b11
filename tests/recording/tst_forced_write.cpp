// Writing in place by force: the write that re-inplacing refused, made on a copy of the stage, and what it breaks.

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "core/pipeline/pipeline.h"
#include "core/recording/forced_write.h"
#include "core/recording/recorder.h"
#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

namespace {

constexpr const char* kOld = R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[8][1]cpu"):
        # No stacktrace found for following nodes
        sin: "f32[8][1]cpu" = torch.ops.aten.sin.default(x);  x = None
        mul: "f32[8][1]cpu" = torch.ops.aten.mul.Tensor(sin, 2)
        foo = torch.ops.mylib.foo.default(mul);  foo = None
        cos: "f32[8][1]cpu" = torch.ops.aten.cos.default(mul)
        return (sin, cos, mul)
)";

/// The caller gets the value of before the write, and that of after it.
constexpr const char* kReturned = R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[8][1]cpu"):
        # No stacktrace found for following nodes
        sin: "f32[8][1]cpu" = torch.ops.aten.sin.default(x);  x = None
        clone: "f32[8][1]cpu" = torch.ops.aten.clone.default(sin)
        foo = torch.ops.mylib.foo.default(sin);  foo = None
        return (clone, sin)
)";

/// v1 does not re-inplace through views of inputs; nothing reads the old value.
constexpr const char* kView = R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[2, 8][8, 1]cpu"):
        # No stacktrace found for following nodes
        select: "f32[8][1]cpu" = torch.ops.aten.select.int(x, 0, 1);  x = None
        foo = torch.ops.mylib.foo.default(select);  select = foo = None
        return ()
)";

}  // namespace

class ForcedWriteTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(ops_.addText("op mylib::foo(Tensor(a!) x) -> ()\n    def forward(self, x):\n        add_ = torch.ops.aten.add_.Tensor(x, 1)\n        "
                             "return ()\n",
                             "ops")
                    .empty());
    }

    void theReadOfTheOldValueIsNamed() {
        for (const char* pipeline : {"torch-v1", "torch-v2"}) {
            const ForcedWrite forced = force(kReturned, pipeline);
            QVERIFY(forced.shownNeeded());
            QVERIFY(forced.verdict == exec::Verdict::Differs);
            QCOMPARE(forced.firstValue, std::string("returned value 0"));
            QVERIFY2(forced.sentence().starts_with("Without the copy returned value 0 changes: "), forced.sentence().c_str());
            QCOMPARE(forced.reads.size(), std::size_t{1});
            const std::string read = warning(forced.reads[0].code, forced.reads[0].params).sentence();
            QVERIFY2(read.find("output reads 32 B") == 0 && read.find("expected from sin") != std::string::npos, read.c_str());
        }
    }

    void nothingGoesWrongWhereNobodyReads() {
        const ForcedWrite forced = force(kView, "torch-v1");
        QVERIFY2(!forced.shownNeeded(), forced.sentence().c_str());
        QCOMPARE(forced.sentence(), std::string("Without the copy nothing goes wrong on these inputs."));
    }

    void theStageItselfIsNotTouched() {
        const auto lane = record(kReturned, "torch-v2");
        const DecisionRow decision = refused(*lane);
        const Graph before = *lane->graph(laneOf(*lane), decision.stage, ops_);
        const auto node = NodeId(static_cast<std::uint32_t>(*decision.uid));
        const auto forced = writtenInPlace(before, ops_, node, decision.argument);
        QVERIFY(forced.has_value());
        QVERIFY(before[node].metaValue("clone_only"_n)->items().size() == 1);
        QVERIFY((*forced)[node].metaValue("clone_only"_n)->items().empty());
    }

    void scattersAndOperatorsGetTheirWritingForm() {
        auto document = readText(R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[2, 4][4, 1]cpu", y: "f32[4][1]cpu", i: "i64[1][1]cpu"):
        # No stacktrace found for following nodes
        select_scatter: "f32[2, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(x, y, 0, 1)
        index_put: "f32[4][1]cpu" = torch.ops.aten.index_put.default(y, [i], y)
        mm: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mm.default(x, x)
        return (select_scatter, index_put)
)",
                                 "test", ops_);
        QVERIFY(document.has_value());
        const Graph& g = document->units[0].graph;
        const auto scatter = writtenInPlace(g, ops_, g.find("select_scatter"_n), "self");
        QVERIFY(scatter.has_value());
        const std::string text = printReadable(*scatter);
        QVERIFY2(text.find("torch.ops.aten.select.int(x, 0, 1)") != std::string::npos &&
                     text.find("torch.ops.aten.copy_.default(select, y)") != std::string::npos &&
                     text.find("return (x, index_put)") != std::string::npos,
                 text.c_str());
        const auto put = writtenInPlace(g, ops_, g.find("index_put"_n), "self");
        QVERIFY(put.has_value() && (*put)[put->find("index_put"_n)].is("aten::index_put_"_n));
        const auto none = writtenInPlace(g, ops_, g.find("mm"_n), "self");
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().code, std::string("FORCE_IMPOSSIBLE"));
        QVERIFY(!writtenInPlace(g, ops_, g.find("x"_n), "self").has_value());
    }

    void whatIsInPlaceAlreadyCannotBeForced() {
        const auto lane = record(kOld, "torch-v2");
        const auto decisions = lane->decisions(laneOf(*lane));
        const auto inPlace = std::find_if(decisions.begin(), decisions.end(), [](const DecisionRow& d) { return d.verdict == "in-place"; });
        QVERIFY(inPlace != decisions.end());
        auto runs = StageRuns::create(lane, laneOf(*lane), ops_, options());
        QVERIFY(runs.has_value());
        const auto forced = forceWrite(**runs, *lane, laneOf(*lane), *inPlace, ops_);
        QVERIFY(!forced.has_value());
        QCOMPARE(forced.error().code, std::string("FORCE_IMPOSSIBLE"));
    }

private:
    std::shared_ptr<Recording> record(const char* text, const char* pipeline) {
        const std::string path = folder_.filePath(QString("s%1.aliascope").arg(++sessions_)).toStdString();
        auto document = readText(text, "test", ops_);
        if (!document) qFatal("not a graph");
        auto recorder = Recorder::create(path);
        if (!recorder) qFatal("no session");
        const auto graphs = (*recorder)->addDocument(*document);
        if (!graphs) qFatal("nothing recorded");
        auto observer = (*recorder)->beginLane(graphs->front(), pipeline, ops_);
        if (!observer) qFatal("no lane");
        runPipeline(document->units[0].graph, *namedPipeline(pipeline), ops_, {*observer});
        if (!(*recorder)->close()) qFatal("not closed");
        return *Recording::open(path);
    }
    static std::int64_t laneOf(const Recording& recording) { return recording.lanes().front().id; }
    static DecisionRow refused(const Recording& recording) {
        for (const DecisionRow& d : recording.decisions(laneOf(recording)))
            if (d.verdict == "clone") return d;
        qFatal("nothing is copied");
    }
    static StageRunOptions options() {
        StageRunOptions out;
        out.run.sanitize = exec::Sanitize::Reads;
        return out;
    }
    ForcedWrite force(const char* text, const char* pipeline) {
        const auto recording = record(text, pipeline);
        auto runs = StageRuns::create(recording, laneOf(*recording), ops_, options());
        if (!runs) qFatal("no runs");
        auto forced = forceWrite(**runs, *recording, laneOf(*recording), refused(*recording), ops_);
        if (!forced) qFatal("%s", forced.error().format().c_str());
        return std::move(*forced);
    }

    OpRegistry ops_ = OpRegistry::withBuiltin();
    QTemporaryDir folder_;
    int sessions_ = 0;
};

QTEST_APPLESS_MAIN(ForcedWriteTest)
#include "tst_forced_write.moc"
