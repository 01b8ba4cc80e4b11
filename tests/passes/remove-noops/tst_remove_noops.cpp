// No-op removal (canonicalize.md 5.1): every row of the table, and what must stay.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

std::string onCos(const std::string& body) {
    return readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")", R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1))"
                                                            "\n" +
                                                                body);
}

}  // namespace

class RemoveNoopsTest : public QObject {
    Q_OBJECT

private slots:
    void removed_data() {
        QTest::addColumn<QString>("call");
        QTest::newRow("clone") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(cos))";
        QTest::newRow("alias") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.alias.default(cos))";
        QTest::newRow("slice to the end") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 0, 9223372036854775807))";
        QTest::newRow("slice to the size") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 1, 0, 4))";
        QTest::newRow("repeat") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.repeat.default(cos, [1, 1]))";
        QTest::newRow("constant_pad_nd") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.constant_pad_nd.default(cos, [0, 0], 0.0))";
        QTest::newRow("convert_element_type") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.prims.convert_element_type.default(cos, torch.float32))";
        QTest::newRow("pow") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(cos, 1))";
        QTest::newRow("cat") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cat.default([cos]))";
        QTest::newRow("view") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.view.default(cos, [8, 4]))";
        QTest::newRow("view.dtype") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.view.dtype(cos, torch.float32))";
    }
    void removed() {
        QFETCH(QString, call);
        for (const char* mode : {"remove-noops", "remove-noops{mode=extended}"}) {
            RUN_PASSES(run, onCos(call.toStdString() + "\n" + R"(y: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(x, 1)
                                                             return (y,))"),
                       mode);
            QVERIFY2(run.contains("torch.ops.aten.add.Tensor](args = (%cos, 1)"), run.after.c_str());
            QVERIFY(!run.contains("%x :"));
        }
    }

    void kept_data() {
        QTest::addColumn<QString>("call");
        QTest::newRow("clone with other strides")
            << R"(x: "f32[8, 4][1, 8]cpu" = torch.ops.aten.clone.default(cos, memory_format = torch.contiguous_format))";
        QTest::newRow("slice without end") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 0))";
        QTest::newRow("slice of a part") << R"(x: "f32[7, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 0, 7))";
        QTest::newRow("slice from 1") << R"(x: "f32[7, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 1, 9223372036854775807))";
        QTest::newRow("repeat twice") << R"(x: "f32[16, 4][4, 1]cpu" = torch.ops.aten.repeat.default(cos, [2, 1]))";
        QTest::newRow("pow 1.0") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(cos, 1.0))";
        QTest::newRow("round of floats") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.round.default(cos))";
        QTest::newRow("cat of two") << R"(x: "f32[16, 4][4, 1]cpu" = torch.ops.aten.cat.default([cos, cos]))";
        QTest::newRow("view with -1") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.view.default(cos, [8, -1]))";
        QTest::newRow("reshape") << R"(x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.reshape.default(cos, [8, 4]))";
    }
    void kept() {
        QFETCH(QString, call);
        RUN_PASSES(run, onCos(call.toStdString() + "\n" + R"(y = torch.ops.aten.sum.default(x)
                                                         return (y,))"),
                   "remove-noops");
        QCOMPARE(run.after, run.before);
    }

    void integersAreRounded() {
        RUN_PASSES(run, readableGraph(R"(arg0_1: "i64[8][1]cpu")", R"(x: "i64[8][1]cpu" = torch.ops.aten.floor.default(arg0_1)
                                                                      y: "i64[8][1]cpu" = torch.ops.aten.add.Tensor(x, 1)
                                                                      return (y,))"),
                   "remove-noops");
        QVERIFY(run.contains("args = (%arg0_1, 1)"));
    }

    void copyAndSliceScatterGiveTheSource() {
        RUN_PASSES(run, onCos(R"(sin: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sin.default(arg0_1)
                                 x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy.default(cos, sin)
                                 z: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(cos, x, 0, 0, 9223372036854775807)
                                 y: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(z, 1)
                                 return (y,))"),
                   "remove-noops");
        QVERIFY(run.contains("torch.ops.aten.add.Tensor](args = (%sin, 1)"));
    }

    void whatOnlyTheRemovedCallReadGoesToo() {
        const std::string text = onCos(R"(relu: "f32[8, 4][4, 1]cpu" = torch.ops.aten.relu.default(arg0_1)
                                          x: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy.default(relu, cos)
                                          y: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(x, 1)
                                          return (y,))");
        RUN_PASSES(reference, text, "remove-noops");
        QCOMPARE(reference.count("aten.relu.default"), 1);
        RUN_PASSES(extended, text, "remove-noops{mode=extended}");
        QCOMPARE(extended.count("aten.relu.default"), 0);
    }

    void outputsNeverBecomeInputs() {
        RUN_PASSES(run, readableGraph(R"(arg0_1: "f32[8][1]cpu")", R"(x: "f32[8][1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                                                      return (x,))"),
                   "remove-noops");
        QCOMPARE(run.after, run.before);
        QVERIFY(std::any_of(run.decisions.begin(), run.decisions.end(),
                            [](const Decision& d) { return d.code == "OUTPUT_ALIAS" && d.verdict == "refused"; }));
    }

    void flattenedOutputsInExtendedMode() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8][1]cpu")", R"(x: "f32[8][1]cpu" = torch.ops.aten.alias.default(arg0_1)
                                                                               return (x,))");
        RUN_PASSES(reference, text, "remove-noops");
        QVERIFY(reference.contains("return (arg0_1,)"));
        RUN_PASSES(extended, text, "remove-noops{mode=extended}");
        QCOMPARE(extended.after, extended.before);
    }

    void copyWhosePlaceCounts() {
        // The row lies behind the start of its memory; as_strided counts from there.
        const std::string text = onCos(R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 1)
                                          clone: "f32[4][1]cpu" = torch.ops.aten.clone.default(select)
                                          as_strided: "f32[2][1]cpu" = torch.ops.aten.as_strided.default(clone, [2], [1], 0)
                                          return (as_strided,))");
        RUN_PASSES(extended, text, "remove-noops{mode=extended}");
        QCOMPARE(extended.after, extended.before);
        QVERIFY(std::any_of(extended.decisions.begin(), extended.decisions.end(), [](const Decision& d) { return d.code == "CLONE_GUARD"; }));
    }

    void copyThatSeparatesAWriteFromItsReader() {
        const std::string text = onCos(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(cos)
                                          auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo_ret.default, y = clone, _x_base_index = 0, _all_bases = [cos])
                                          getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                          return (getitem_1,))");
        RUN_PASSES(reference, text, "remove-noops");
        QCOMPARE(reference.count("aten.clone.default"), 0);
        RUN_PASSES(extended, text, "remove-noops{mode=extended}");
        QCOMPARE(extended.count("aten.clone.default"), 1);
        QVERIFY(std::any_of(extended.decisions.begin(), extended.decisions.end(), [](const Decision& d) { return d.code == "CLONE_GUARD"; }));
    }

    /// The second row of the input is not where the copy of it began.
    void copyWhoseViewsCountFromItsStart() {
        const auto text = [](const char* view) {
            return onCos(R"(last: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 4, 8)
                            clone: "f32[4, 4][4, 1]cpu" = torch.ops.aten.clone.default(last)
                            auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, )" +
                         std::string(view) + R"(, _all_bases = [clone])
                            getitem_1: "f32[4, 4][4, 1]cpu" = auto_functionalized_v2[1]
                            return (getitem_1,))");
        };
        const std::string byPlace = text("_x_size = (4,), _x_stride = (1,), _x_storage_offset = 4");
        RUN_PASSES(reference, byPlace, "remove-noops");
        QCOMPARE(reference.count("aten.clone.default"), 0);
        const Diagnostic* said = reference.diagnostic("SLICE_START_OFFSET");
        QVERIFY(said);
        QCOMPARE(said->node.str(), "clone");
        RUN_PASSES(extended, byPlace, "remove-noops{mode=extended}");
        QCOMPARE(extended.count("aten.clone.default"), 1);
        QVERIFY(extended.diagnostics.empty());
        RUN_PASSES(relative, text("_x_slice_dim = 0, _x_slice_start = 1, _x_slice_end = 2"), "remove-noops");
        QCOMPARE(relative.count("aten.clone.default"), 0);
        QVERIFY(relative.diagnostics.empty());
    }

    void cloneThatIsWrittenWhileItsSourceIsDead() {
        RUN_PASSES(run, onCos(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(cos)
                                 auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [clone])
                                 getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                 return (getitem_1,))"),
                   "remove-noops{mode=extended}");
        QCOMPARE(run.count("aten.clone.default"), 0);
    }

    void copyOfAnInputBeforeItsWriteBack() {
        const std::string text = readableGraph(R"(arg0_1: "f32[8][1]cpu", arg1_1: "f32[8][1]cpu")",
                                               R"(clone: "f32[8][1]cpu" = torch.ops.aten.clone.default(arg0_1)
                                                  add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(arg0_1, 1)
                                                  copy_: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg0_1, add)
                                                  copy__1: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg1_1, clone)
                                                  return ())");
        RUN_PASSES(extended, text, "remove-noops{mode=extended}");
        QCOMPARE(extended.after, extended.before);
    }

    void graphsThatWriteAreLeftAlone() {
        RUN_PASSES(run, onCos(R"(clone: "f32[8, 4][4, 1]cpu" = torch.ops.aten.clone.default(cos)
                                 add_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add_.Tensor(clone, 1)
                                 return (add_, cos))"),
                   "remove-noops");
        QCOMPARE(run.after, run.before);
        QVERIFY(run.diagnostic("NEEDS_FUNCTIONAL"));
    }
};

QTEST_APPLESS_MAIN(RemoveNoopsTest)
#include "tst_remove_noops.moc"
