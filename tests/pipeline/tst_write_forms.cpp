// Forms of writes and copies that are chosen by running the pipeline: what a rule of one call cannot see.

#include <QTest>

#include "core/analysis/copies_left.h"
#include "core/pipeline/pipeline.h"
#include "core/text/document.h"
#include "core/text/print.h"
#include "tests/passes/property/random_program.h"

using namespace aliascope;

namespace {

const OpRegistry& ops() {
    static const OpRegistry registry = [] {
        OpRegistry r = OpRegistry::withBuiltin();
        r.addText(testing::customOperators(), "custom");
        return r;
    }();
    return registry;
}

struct Ran {
    Graph graph;
    CopiesLeft left;
    RunResult result;

    const Decision* decision(std::string_view code, std::string_view node) const {
        for (const auto& [stage, decisions] : result.decisions)
            for (const Decision& d : decisions)
                if (d.code == code && d.node.name.view() == node) return &d;
        return nullptr;
    }
};

/// `forms` given: nothing is looked for.
Ran run(const std::string& body, const char* pipeline, const WriteForms* forms = nullptr) {
    Ran out;
    auto document = readText("class GraphModule(torch.nn.Module):\n    def forward(" + body, "program.py", ops());
    if (!document || document->units.size() != 1) qFatal("not one graph");
    out.graph = std::move(document->units[0].graph);
    RunOptions options;
    options.forms = forms;
    out.result = runPipeline(out.graph, *namedPipeline(pipeline), ops(), {}, options);
    out.left = copiesLeft(out.graph, ops());
    return out;
}

const WriteForms noForms;

const std::string scatterBeforeACall = R"(self, x0: "f32[1][1]cpu", kv: "f32[1][1]cpu", slot: "i64[1][1]cpu"):
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(x0)
        select: "f32[][]cpu" = torch.ops.aten.select.int(clone, 0, 0)
        _foreach_mul_ = torch.ops.aten._foreach_mul_.Scalar([select, x0], 1.0)
        cache = torch.ops.mylib.cache.default(kv, kv, clone, x0, slot)
        return (clone,)
)";
const std::string viewOfAnInput = R"(self, x0: "f32[1, 1, 2][2, 2, 1]cpu", x1: "f32[2][1]cpu"):
        permute: "f32[1, 2, 1][2, 1, 2]cpu" = torch.ops.aten.permute.default(x0, [1, 2, 0])
        cos_: "f32[1, 2, 1][2, 1, 2]cpu" = torch.ops.aten.cos_.default(permute)
        two = torch.ops.mylib.two.default(permute, x1)
        copy_: "f32[1, 1, 2][2, 2, 1]cpu" = torch.ops.aten.copy_.default(x0, x0)
        return ()
)";
const std::string copyOfAnInput = R"(self, x0: "f32[4, 4][4, 1]cpu", x2: "f32[4, 4][4, 1]cpu"):
        slice_2: "f32[4, 1][4, 1]cpu" = torch.ops.aten.slice.Tensor(x0, 1, 3, None)
        copy_: "f32[4, 4][4, 1]cpu" = torch.ops.aten.copy_.default(x2, x0)
        copy__1: "f32[4, 1][4, 1]cpu" = torch.ops.aten.copy_.default(slice_2, slice_2)
        select: "f32[4][4]cpu" = torch.ops.aten.select.int(x0, 0, 0)
        opt_read = torch.ops.mylib.opt_read.default(x2, None)
        as_strided: "f32[1, 1][3, 2]cpu" = torch.ops.aten.as_strided.default(select, [1, 1], [3, 2], None)
        return (as_strided,)
)";
const std::string cloneBesideACall = R"(self, x0: "f32[3][1]cpu"):
        sub: "f32[3][1]cpu" = torch.ops.aten.sub.Tensor(x0, 0)
        clone: "f32[3][1]cpu" = torch.ops.aten.clone.default(sub)
        slice_1: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(clone, 0, 0, 2)
        pair = torch.ops.mylib.pair.default(sub, x0)
        slice_2: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(sub, 0, 1, None)
        gt: "b8[2][1]cpu" = torch.ops.aten.gt.Scalar(slice_2, 1.0)
        masked_fill_: "f32[2][1]cpu" = torch.ops.aten.masked_fill_.Scalar(slice_1, gt, 0)
        return (clone,)
)";
const std::string callBehindAScatter = R"(self, x1: "f32[1, 1][1, 1]cpu"):
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(x1)
        as_strided: "f32[1, 1][3, 1]cpu" = torch.ops.aten.as_strided.default(x1, [1, 1], [3, 1], None)
        cos_: "f32[1, 1][3, 1]cpu" = torch.ops.aten.cos_.default(as_strided)
        select: "f32[1][1]cpu" = torch.ops.aten.select.int(clone, 0, 0)
        clone_1: "f32[1][1]cpu" = torch.ops.aten.clone.default(select)
        foo_ret = torch.ops.mylib.foo_ret.default(select, clone_1)
        cos_ += cos_
        view: "i32[1][1]cpu" = torch.ops.aten.view.dtype(select, torch.int32)
        return (view,)
)";
/// PyTorch does not see through the permutation that `zeros` are zeros, and keeps the kernel.
std::string identityOfAResult(const std::string& op, const std::string& fill, bool first = false) {
    return R"(self, x0: "f32[4, 1][1, 1]cpu"):
        clone: "f32[4, 1][1, 1]cpu" = torch.ops.aten.clone.default(x0)
        fill_: "f32[4, 1][1, 1]cpu" = torch.ops.aten.fill_.Scalar(x0, )" +
           fill + R"()
        permute: "f32[1, 4][1, 1]cpu" = torch.ops.aten.permute.default(x0, [1, 0])
        permute_1: "f32[4, 1][1, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0])
        pair = torch.ops.mylib.pair.default(clone, x0)
        result: "f32[4, 1][1, 1]cpu" = torch.ops.aten.)" +
           op + ".Tensor(" + (first ? "permute_1, clone" : "clone, permute_1") + R"()
        return (result,)
)";
}

}  // namespace

class WriteFormsTest : public QObject {
    Q_OBJECT

private slots:
    void aRunOfTheWholePipelineDecides_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("node");
        QTest::newRow("a scatter stays functional where a call would clone what it wrote") << QString::fromStdString(scatterBeforeACall) << "RI53"
                                                                                           << "select_scatter";
        QTest::newRow("a copy that went stays: the call then writes into it") << QString::fromStdString(copyOfAnInput) << "CLONE_BY_RUN"
                                                                              << "copy";
        QTest::newRow("a copy goes although a call writes its source: the call clones, a scatter then need not")
            << QString::fromStdString(cloneBesideACall) << "CLONE_BY_RUN"
            << "clone";
        QTest::newRow("a call clones what it writes and goes in front of a scatter") << QString::fromStdString(callBehindAScatter) << "RI53"
                                                                                     << "auto_functionalized_v2";
        const char* stays = "a kernel that only copies stays: the call then writes into the input";
        QTest::addRow("%s, sub", stays) << QString::fromStdString(identityOfAResult("sub", "0")) << "KERNEL_BY_RUN"
                                        << "result";
        QTest::addRow("%s, add", stays) << QString::fromStdString(identityOfAResult("add", "-0.0")) << "KERNEL_BY_RUN"
                                        << "result";
        QTest::addRow("%s, mul", stays) << QString::fromStdString(identityOfAResult("mul", "1", true)) << "KERNEL_BY_RUN"
                                        << "result";
        QTest::addRow("%s, div", stays) << QString::fromStdString(identityOfAResult("div", "1")) << "KERNEL_BY_RUN"
                                        << "result";
    }
    void aRunOfTheWholePipelineDecides() {
        QFETCH(QString, program);
        QFETCH(QString, code);
        QFETCH(QString, node);
        const Ran found = run(program.toStdString(), "best"), without = run(program.toStdString(), "best", &noForms);
        const Decision* decision = found.decision(code.toStdString(), node.toStdString());
        QVERIFY2(decision, printReadable(found.graph).c_str());
        QVERIFY(!without.decision(code.toStdString(), node.toStdString()));
        QVERIFY2(found.left.bytes() < without.left.bytes() || found.left.clones < without.left.clones,
                 qPrintable(QString("%1 B against %2 B").arg(found.left.bytes()).arg(without.left.bytes())));
        QVERIFY(found.left.bytes() <= run(program.toStdString(), "torch-v2").left.bytes());
    }

    void aCallTakesTheFirstFormWhereThatCopiesLess() {
        const Ran found = run(viewOfAnInput, "best"), without = run(viewOfAnInput, "best", &noForms);
        QVERIFY(found.left.bytes() < without.left.bytes());
        const Decision* decision = found.decision("FORM_BY_RUN", "two");
        QVERIFY(decision);
        const auto param = [&](const char* key) {
            for (const auto& [name, value] : decision->params)
                if (name == key) return QString::fromStdString(value);
            return QString();
        };
        QCOMPARE(param("form"), QString("auto_functionalized"));
        QCOMPARE(param("other_form"), QString("auto_functionalized_v2"));
        QVERIFY(param("bytes").toLongLong() < param("other_bytes").toLongLong());
    }

    void nothingIsLookedForWhereNothingIsCopied() {
        const std::string program = R"(self, x0: "f32[4][1]cpu"):
        add_: "f32[4][1]cpu" = torch.ops.aten.add_.Tensor(x0, 1.0)
        foo = torch.ops.mylib.foo.default(x0)
        return ()
)";
        const Ran found = run(program, "best"), without = run(program, "best", &noForms);
        QCOMPARE(printReadable(found.graph), printReadable(without.graph));
        QCOMPARE(found.left.clones, std::int64_t{0});
    }

    void referenceModeLooksForNothing() {
        const Ran found = run(scatterBeforeACall, "torch-v2"), without = run(scatterBeforeACall, "torch-v2", &noForms);
        QCOMPARE(printReadable(found.graph), printReadable(without.graph));
    }

    void theSameProgramGetsTheSameFormsAgain() {
        for (const std::string& program : {scatterBeforeACall, viewOfAnInput, copyOfAnInput, cloneBesideACall, identityOfAResult("sub", "0")})
            QCOMPARE(printReadable(run(program, "best").graph), printReadable(run(program, "best").graph));
    }

    /// Cancelled while the pipeline runs to and fro: the run ends where it is, with the graph of a whole stage.
    void cancelledSearchEndsTheRun() {
        struct CancelAtOpening : PassObserver {
            Status stageFinished(const Graph&, const StageResult& stage) override {
                if (stage.name == "imported") token.cancel();  // the search comes next
                return {};
            }
            CancelToken token;
        } observer;
        auto document = readText("class GraphModule(torch.nn.Module):\n    def forward(" + scatterBeforeACall, "program.py", ops());
        QVERIFY(document && document->units.size() == 1);
        Graph& g = document->units[0].graph;
        const std::string before = printReadable(g);
        RunOptions options;
        options.cancel = observer.token;
        const RunResult result = runPipeline(g, *namedPipeline("best"), ops(), {&observer}, options);
        QVERIFY(!result.complete);
        QVERIFY(!result.failed);
        QCOMPARE(printReadable(g), before);
    }

    void everyCopyThatMovesSomethingCounts() {
        auto document = readText(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu", y: "f32[2][1]cpu"):
        clone: "f32[4][1]cpu" = torch.ops.aten.clone.default(x)
        slice_1: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(clone, 0, 0, 2)
        copy_: "f32[2][1]cpu" = torch.ops.aten.copy_.default(slice_1, y)
        slice_scatter: "f32[4][1]cpu" = torch.ops.aten.slice_scatter.default(x, y, 0, 0, 2)
        copy__1: "f32[4][1]cpu" = torch.ops.aten.copy_.default(x, x)
        return (clone, slice_scatter)
)",
                                 "copies.py", ops());
        QVERIFY(document && document->units.size() == 1);
        const CopiesLeft left = copiesLeft(document->units[0].graph, ops());
        QCOMPARE(left.clones, std::int64_t{1});
        QCOMPARE(left.clonedBytes, std::int64_t{16});
        QCOMPARE(left.copies, std::int64_t{1});  // `x.copy_(x)` moves nothing
        QCOMPARE(left.copiedBytes, std::int64_t{8});
        QCOMPARE(left.scatters, std::int64_t{1});
        QCOMPARE(left.scatteredBytes, std::int64_t{24});
    }
};

QTEST_APPLESS_MAIN(WriteFormsTest)
#include "tst_write_forms.moc"
