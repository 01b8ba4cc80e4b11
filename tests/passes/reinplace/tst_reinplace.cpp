// The decision table of re-inplacing (reinplace.md 4.5), one example per row, and what the pass leaves alone.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

constexpr const char* kInput = R"(arg0_1: "f32[8, 4][4, 1]cpu")";

std::size_t occurrences(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

std::string v1(const std::string& body) { return readableGraph(kInput, body); }

}  // namespace

class ReinplaceTest : public QObject {
    Q_OBJECT

private slots:
    void wholeTensorIsWrittenInPlace() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1);  arg0_1 = None
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = cos);  cos = None
                              getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1];  auto_functionalized = None
                              return (getitem_1,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI00");
        const Decision& d = *run.decision("x");
        QCOMPARE(d.verdict, "in-place");
        QCOMPARE(d.need, "none");
        QCOMPARE(d.reportedBytes.value_or(-1), 0);
        QVERIFY(!d.counted);
        QCOMPARE(d.op.str(), "hop::auto_functionalized");
        QVERIFY(run.graph[d.node.id].metaValue("clone_only"_n));
        QCOMPARE(run.graph[d.node.id].metaValue("clone_only"_n)->items().size(), 0u);
        QCOMPARE(run.after, run.before);
    }

    void noneIsNotAttempted() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.opt.default, x = cos, y = None)
                              getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                              return (getitem_1,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI00");
        QCOMPARE(run.code("y"), "RI60");
        QCOMPARE(run.decision("y")->verdict, "not-attempted");
    }

    void secondArgumentOnTheSameStorageIsClonedAndNotCounted() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.two.default, x = cos, y = cos)
                              getitem_2: "f32[8, 4][4, 1]cpu" = auto_functionalized[2]
                              return (getitem_2,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI00");
        QCOMPARE(run.code("y"), "RI13");
        const Decision& d = *run.decision("y");
        QCOMPARE(d.verdict, "clone");
        QVERIFY(!d.counted);
        QCOMPARE(d.reportedBytes.value_or(-1), 0);
        QCOMPARE(d.clonedBytes.value_or(-1), 128);
        QCOMPARE(run.graph[d.node.id].metaValue("clone_only"_n)->items().at(0).name().str(), "y");
        QVERIFY(run.diagnostic("OVERLAPPING_WRITES"));
    }

    void listOfAliases() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              slice_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 0, 4)
                              slice_2: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 4, 8)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.lst.default, xs = [slice_1, slice_2], s = 2.0)
                              getitem_1 = auto_functionalized[1]
                              getitem_2: "f32[4, 4][4, 1]cpu" = getitem_1[0]
                              return (getitem_2,))"),
                   "reinplace");
        QCOMPARE(run.code("xs"), "RI11");
        QCOMPARE(run.decision("xs")->reportedBytes.value_or(-1), 128);
        QVERIFY(run.decision("xs")->counted);
        QCOMPARE(run.decision("xs")->clonedBytes.value_or(-1), 64 + 128);  // storage prefixes
    }

    /// Extent analysis asks about each element: only the one whose old value is read behind the call is cloned.
    void listElementsAreWrittenOnTheirOwn() {
        const std::string program = v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              sin: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sin.default(arg0_1)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.lst.default, xs = [cos, sin], s = 2.0)
                              getitem_1 = auto_functionalized[1]
                              getitem_2: "f32[8, 4][4, 1]cpu" = getitem_1[0]
                              getitem_3: "f32[8, 4][4, 1]cpu" = getitem_1[1]
                              return (getitem_2, getitem_3, sin))");
        RUN_PASSES(extent, program, "reinplace{analysis=extent},decompose-functionalized{mode=extended}");
        QCOMPARE(occurrences(extent.after, "aten.clone.default"), std::size_t{1});
        QVERIFY2(extent.after.find("[%cos, ") != std::string::npos, extent.after.c_str());
        RUN_PASSES(reference, program, "reinplace,decompose-functionalized");
        QCOMPARE(occurrences(reference.after, "aten.clone.default"), std::size_t{2});
    }

    void listWithOneElementThatFails() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              sin: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sin.default(arg0_1)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.lst.default, xs = [cos, sin], s = 2.0)
                              getitem_1 = auto_functionalized[1]
                              getitem_2: "f32[8, 4][4, 1]cpu" = getitem_1[0]
                              return (getitem_2, sin))"),
                   "reinplace");
        const Decision& d = *run.decision("xs");
        QCOMPARE(d.code, "RI12");
        const auto param = [&](const char* key) {
            for (const auto& [k, v] : d.params)
                if (k == key) return v;
            return std::string("absent");
        };
        QCOMPARE(param("index"), "1");
        QCOMPARE(param("inner"), "RI30.OUTPUT");
        QCOMPARE(d.reportedBytes.value_or(-1), 256);
    }

    void noStorage() {
        RUN_PASSES(run,
                   readableGraph(R"g(arg0_1: "Sym(s7)")g",
                                 R"(auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = arg0_1)
                                          getitem_1 = auto_functionalized[1]
                                          return (getitem_1,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI10");
    }

    void inputNotWrittenBack() {
        RUN_PASSES(run, v1(R"(auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = arg0_1)
                              getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                              return (getitem_1,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI20");
        QCOMPARE(run.decision("x")->reportedBytes.value_or(-1), 128);
    }

    void inputWrittenBack() {
        RUN_PASSES(run, v1(R"(auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = arg0_1)
                              getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                              copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem_1)
                              return (copy_,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI00");
        QCOMPARE(run.count("aten.copy_.default"), 0);
        QVERIFY(run.contains("return (arg0_1,)"));
    }

    void v2KeepsTheWriteBack() {
        RUN_PASSES(
            run,
            v1(R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [arg0_1])
                              getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                              copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem_1)
                              return (copy_,))"),
            "reinplace");
        QCOMPARE(run.code("0"), "RI00");
        QCOMPARE(run.count("aten.copy_.default"), 1);
    }

    void inputReadBeforeItsWriteBack() {
        RUN_PASSES(run, v1(R"(auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = arg0_1)
                              getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                              mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(arg0_1, 2)
                              copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem_1)
                              return (mul,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI30.READ");
        QCOMPARE(run.decision("x")->blocker.name.str(), "mul");
        QCOMPARE(run.count("aten.copy_.default"), 1);
    }

    void overwrittenInputIsNoReader() {  // E4
        RUN_PASSES(run, v1(R"(add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(arg0_1, 1)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = arg0_1)
                              copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, add)
                              return (add,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI00");
        QCOMPARE(run.count("aten.copy_.default"), 1);
    }

    void viewOfInput() {
        const std::string text = v1(R"(select: "f32[4][1]cpu" = torch.ops.aten.select.int(arg0_1, 0, 1)
                                       auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = select)
                                       getitem_1: "f32[4][1]cpu" = auto_functionalized[1]
                                       select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(arg0_1, getitem_1, 0, 1)
                                       return (select_scatter,))");
        RUN_PASSES(run, text, "reinplace");
        QCOMPARE(run.code("x"), "RI21");
        QCOMPARE(run.decision("x")->blocker.name.str(), "arg0_1");
        QCOMPARE(run.decision("x")->reportedBytes.value_or(-1), 16);
        QCOMPARE(run.decision("x")->clonedBytes.value_or(-1), 32);  // the storage up to the view's last element
        RUN_PASSES(extent, text, "reinplace{analysis=extent}");
        QCOMPARE(extent.code("x"), "RI21");
        QCOMPARE(extent.decision("x")->clonedBytes.value_or(-1), 16);
    }

    void viewOfInputThatIsWrittenBack() {
        const std::string text = v1(R"(view: "f32[32][1]cpu" = torch.ops.aten.reshape.default(arg0_1, [32])
                                       index: "i64[2][1]cpu" = torch.ops.aten.full.default([2], 3, dtype = torch.int64)
                                       full: "f32[2][1]cpu" = torch.ops.aten.full.default([2], 1.0)
                                       index_put: "f32[32][1]cpu" = torch.ops.aten.index_put.default(view, [index], full)
                                       view_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.reshape.default(index_put, [8, 4])
                                       copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, view_1)
                                       return ())");
        RUN_PASSES(run, text, "reinplace");
        QCOMPARE(run.code("self"), "RI21");
        RUN_PASSES(extent, text, "reinplace{analysis=extent},decompose-functionalized{mode=extended}");
        QCOMPARE(extent.code("self"), "RI00");
        QCOMPARE(extent.count("aten.index_put_.default"), 1);
        QCOMPARE(extent.count("aten.copy_.default"), 0);
    }

    void laterUses_data() {
        QTest::addColumn<QString>("tail");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("blocker");
        QTest::newRow("read") << R"(mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(cos, 2)
                                    return (getitem_1, mul))"
                              << "RI30.READ"
                              << "mul";
        QTest::newRow("output") << "return (getitem_1, cos)"
                                << "RI30.OUTPUT"
                                << "output";
        QTest::newRow("view") << R"(permute: "f32[4, 8][1, 4]cpu" = torch.ops.aten.permute.default(cos, [1, 0])
                                    mul: "f32[4, 8][1, 4]cpu" = torch.ops.aten.mul.Tensor(permute, 2)
                                    return (getitem_1, mul))"
                              << "RI30.VIEW"
                              << "permute";
        QTest::newRow("view that nobody reads") << R"(permute: "f32[4, 8][1, 4]cpu" = torch.ops.aten.permute.default(cos, [1, 0])
                                    return (getitem_1,))"
                                                << "RI00"
                                                << "";
        QTest::newRow("size") << R"g(sym_size_int: "Sym(8)" = torch.ops.aten.sym_size.int(cos, 0)
                                    return (getitem_1, sym_size_int))g"
                              << "RI00"
                              << "";
        QTest::newRow("copied elsewhere") << R"(copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, cos)
                                    return (getitem_1,))"
                                          << "RI30.COPY"
                                          << "copy_";
    }
    void laterUses() {
        QFETCH(QString, tail);
        QFETCH(QString, code);
        QFETCH(QString, blocker);
        RUN_PASSES(run,
                   v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = cos)
                              getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                              )" +
                      tail.toStdString()),
                   "reinplace");
        QCOMPARE(QString::fromStdString(run.code("x")), code);
        QCOMPARE(QString::fromStdString(run.decision("x")->blocker.name.str()), blocker);
        QCOMPARE(run.decision("x")->reportedBytes.value_or(-1), code == "RI00" ? 0 : 128);
    }

    void scatterOfTheBase() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 0)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = select)
                              getitem_1: "f32[4][1]cpu" = auto_functionalized[1]
                              select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(cos, getitem_1, 0, 0)
                              return (select_scatter,))"),
                   "reinplace");
        QCOMPARE(run.code("x"), "RI30.SCATTER");
        QCOMPARE(run.code("self"), "RI40");
        QCOMPARE(run.decision("self")->verdict, "not-attempted");
        QCOMPARE(run.after, run.before);
    }

    void scatterOnAnInput() {
        RUN_PASSES(run, v1(R"(full: "f32[3, 4][4, 1]cpu" = torch.ops.aten.full.default([3, 4], 1)
                              slice_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(arg0_1, full, 0, 2, 5)
                              copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, slice_scatter)
                              return ())"),
                   "reinplace");
        QCOMPARE(run.code("self"), "RI00");
        QCOMPARE(run.count("aten.slice_scatter.default"), 0);
        QVERIFY(run.contains(
            "%slice_tensor : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%arg0_1, 0, 2, 5), kwargs = {})"));
        QVERIFY(run.contains("call_function[target=torch.ops.aten.copy_.default](args = (%slice_tensor, %full), kwargs = {})"));
        QCOMPARE(run.count("aten.copy_.default"), 1);
    }

    void nestedScattersBecomeOneView() {
        RUN_PASSES(run, v1(R"(full: "f32[3, 2][2, 1]cpu" = torch.ops.aten.full.default([3, 2], 1)
                              slice_1: "f32[3, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(arg0_1, 0, 2, 5)
                              slice_2: "f32[3, 2][4, 1]cpu" = torch.ops.aten.slice.Tensor(slice_1, 1, 1, 3)
                              slice_3: "f32[3, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(arg0_1, 0, 2, 5)
                              slice_scatter: "f32[3, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(slice_3, full, 1, 1, 3)
                              slice_scatter_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(arg0_1, slice_scatter, 0, 2, 5)
                              copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, slice_scatter_1)
                              return ())"),
                   "reinplace");
        QCOMPARE(run.count("aten.slice_scatter.default"), 0);
        QVERIFY(run.contains(
            "%slice_tensor : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%arg0_1, 0, 2, 5), kwargs = {})"));
        QVERIFY(run.contains(
            "%slice_tensor_1 : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%slice_tensor, 1, 1, 3), kwargs = {})"));
        QVERIFY(run.contains("args = (%slice_tensor_1, %full)"));
    }

    void nestedFunctionalScattersComeBack() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              full: "f32[3, 2][2, 1]cpu" = torch.ops.aten.full.default([3, 2], 1)
                              slice_3: "f32[3, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(cos, 0, 2, 5)
                              slice_scatter: "f32[3, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(slice_3, full, 1, 1, 3)
                              slice_scatter_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.slice_scatter.default(cos, slice_scatter, 0, 2, 5)
                              add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(slice_scatter_1, 1)
                              add_1: "f32[3, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(slice_scatter, 1)
                              return (add, add_1))"),
                   "reinplace");
        QCOMPARE(run.code("self"), "RI40");
        QCOMPARE(run.count("aten.slice_scatter.default"), 2);
        QVERIFY(
            run.contains("%slice_scatter_1 : [num_users=2] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%cos, "
                         "%slice_scatter_default, 0, 2, 5), kwargs = {})"));
        // The inner scatter had another reader: it now reads the view of the merged result.
        QVERIFY(run.contains("call_function[target=torch.ops.aten.slice.Tensor](args = (%slice_scatter_1, 0, 2, 5), kwargs = {})"));
    }

    void diagonalScatterThatMustStayFunctionalClones() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              full: "f32[4][1]cpu" = torch.ops.aten.full.default([4], 1)
                              diagonal_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.diagonal_scatter.default(cos, full)
                              return (diagonal_scatter, cos))"),
                   "reinplace");
        QCOMPARE(run.code("self"), "RI30.OUTPUT");
        QCOMPARE(run.count("aten.clone.default"), 1);
        QCOMPARE(run.count("aten.diagonal.default"), 1);
        QVERIFY(run.contains("return (clone_default, cos)"));
    }

    void indexPut() {
        const std::string body = R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                    index: "i64[2][1]cpu" = torch.ops.aten.full.default([2], 3, dtype = torch.int64)
                                    full: "f32[2, 4][4, 1]cpu" = torch.ops.aten.full.default([2, 4], 1.0)
                                    index_put: "f32[8, 4][4, 1]cpu" = torch.ops.aten.index_put.default(cos, [index], full)
                                    return (index_put,))";
        RUN_PASSES(run, v1(body), "reinplace");
        QCOMPARE(run.code("self"), "RI00");
        QCOMPARE(run.count("aten.index_put_.default"), 1);
        QCOMPARE(run.count("aten.index_put.default"), 0);
    }

    void foreachWithoutWriteBack() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              _foreach_add = torch.ops.aten._foreach_add.Scalar([arg0_1, cos], 1.0)
                              getitem: "f32[8, 4][4, 1]cpu" = _foreach_add[0]
                              getitem_1: "f32[8, 4][4, 1]cpu" = _foreach_add[1]
                              copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem)
                              return (getitem_1,))"),
                   "reinplace");
        QCOMPARE(run.code("self"), "RI41");
        QCOMPARE(run.decision("self")->verdict, "not-attempted");
        QCOMPARE(run.after, run.before);
    }

    void foreachOnInputs() {
        RUN_PASSES(run,
                   readableGraph(R"(arg0_1: "f32[8][1]cpu", arg1_1: "f32[8][1]cpu")",
                                 R"(_foreach_add = torch.ops.aten._foreach_add.Scalar([arg0_1, arg1_1], 1.0)
                                         getitem: "f32[8][1]cpu" = _foreach_add[0]
                                         getitem_1: "f32[8][1]cpu" = _foreach_add[1]
                                         copy_: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem)
                                         copy__1: "f32[8][1]cpu" = torch.ops.aten.copy_.default(arg1_1, getitem_1)
                                         return ())"),
                   "reinplace");
        QCOMPARE(run.code("self"), "RI00");
        QCOMPARE(run.count("aten._foreach_add_.Scalar"), 1);
        QCOMPARE(run.count("aten.copy_.default"), 0);
    }

    void launchDropsTheName() {
        RUN_PASSES(run, v1(R"(empty: "f32[8, 4][4, 1]cpu" = torch.ops.aten.empty.memory_format([8, 4])
                              triton_kernel_wrapper_functional_proxy = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0, constant_args_idx = 1, grid = [(2, 1, 1)], tma_descriptor_metadata = {}, kwargs = {'x_ptr': arg0_1, 'out_ptr': empty}, tensors_to_clone = ['out_ptr'])
                              getitem: "f32[8, 4][4, 1]cpu" = triton_kernel_wrapper_functional_proxy['out_ptr']
                              return (getitem,))"),
                   "reinplace");
        QCOMPARE(run.code("out_ptr"), "RI00");
        QVERIFY(run.contains("tensors_to_clone: []"));
        QVERIFY(run.contains("return (empty,)"));
        QCOMPARE(run.count("operator.getitem"), 0);
    }

    void symbolicBytesCountAsNothing() {
        RUN_PASSES(run,
                   readableGraph(R"g(arg0_1: "Sym(s7)", arg1_1: "f32[s7, 4][4, 1]cpu")g",
                                 R"(cos: "f32[s7, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg1_1)
                                         auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [cos])
                                         getitem_1: "f32[s7, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                         return (getitem_1, cos))"),
                   "reinplace");
        QCOMPARE(run.code("0"), "RI30.OUTPUT");
        QCOMPARE(run.decision("0")->reportedBytes.value_or(-1), 0);
        QVERIFY(run.decision("0")->counted);
        QVERIFY(!run.decision("0")->bytesExpr.empty());
    }

    void everyParameterOfASentenceIsThere_data() { laterUses_data(); }
    void everyParameterOfASentenceIsThere() {
        QFETCH(QString, tail);
        RUN_PASSES(run,
                   v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = cos)
                              getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                              )" +
                      tail.toStdString()),
                   "reinplace");
        for (const Decision& d : run.decisions) {
            Diagnostic shown;
            shown.code = d.code;
            shown.params = d.params;
            const std::string sentence = shown.sentence();
            QVERIFY2(sentence.find('{') == std::string::npos, sentence.c_str());
        }
    }

    void effectsDoNotLeakIntoTheNextOperator() {  // R6
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              index: "i64[2][1]cpu" = torch.ops.aten.full.default([2], 3, dtype = torch.int64)
                              full: "f32[2, 4][4, 1]cpu" = torch.ops.aten.full.default([2, 4], 1.0)
                              token: "f32[0][1]cpu" = torch.ops.aten.full.default([0], 1.0)
                              with_effects = torch.ops.higher_order.with_effects(token, torch.ops.aten.index_put.default, cos, [index], full)
                              getitem: "f32[0][1]cpu" = with_effects[0]
                              getitem_1: "f32[8, 4][4, 1]cpu" = with_effects[1]
                              sin: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sin.default(arg0_1)
                              index_put: "f32[8, 4][4, 1]cpu" = torch.ops.aten.index_put.default(sin, [index], full)
                              return (getitem, getitem_1, index_put))"),
                   "reinplace");
        QCOMPARE(run.decisions.size(), 2u);
        QCOMPARE(run.decisions[0].code, "RI00");
        QCOMPARE(run.decisions[1].code, "RI00");
        QVERIFY(run.contains("return (getitem, cos, index_put)"));
    }

    void nothingToDoChangesNothing() {
        RUN_PASSES(run, v1(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                              add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(cos, 1)
                              return (add,))"),
                   "reinplace");
        QCOMPARE(run.after, run.before);
        QVERIFY(run.decisions.empty());
    }
};

QTEST_APPLESS_MAIN(ReinplaceTest)
#include "tst_reinplace.moc"
