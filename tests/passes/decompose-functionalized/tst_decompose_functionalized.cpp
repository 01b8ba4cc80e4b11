// Functional wrappers back to clones and the operator that writes (functionalize.md 8).

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

std::string onInput(const std::string& body) { return readableGraph(R"(arg0_1: "f32[8, 4][4, 1]cpu")", body); }

const char* const kReference = "reinplace,decompose-functionalized";
const char* const kExtended = "reinplace{analysis=extent},decompose-functionalized{mode=extended}";

}  // namespace

class DecomposeFunctionalizedTest : public QObject {
    Q_OBJECT

private slots:
    void inPlaceCall() {
        RUN_PASSES(run, onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                   auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = cos)
                                   getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                                   return (getitem_1,))"),
                   kReference);
        QCOMPARE(run.after,
                 std::string("graph():\n"
                             "    %arg0_1 : [num_users=1] = placeholder[target=arg0_1]\n"
                             "    %cos : [num_users=2] = call_function[target=torch.ops.aten.cos.default](args = (%arg0_1,), kwargs = {})\n"
                             "    %foo_default : [num_users=0] = call_function[target=torch.ops.mylib.foo.default](args = (%cos,), kwargs = {})\n"
                             "    return (cos,)\n"));
    }

    void cloneOfAViewCopiesThePrefix() {
        const std::string text = onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                            select: "f32[4][1]cpu" = torch.ops.aten.select.int(cos, 0, 2)
                                            auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = select)
                                            getitem_1: "f32[4][1]cpu" = auto_functionalized[1]
                                            select_scatter: "f32[8, 4][4, 1]cpu" = torch.ops.aten.select_scatter.default(cos, getitem_1, 0, 2)
                                            return (select_scatter, cos))");
        RUN_PASSES(run, text, kReference);
        QVERIFY(
            run.contains("%as_strided_default : [num_users=1] = call_function[target=torch.ops.aten.as_strided.default](args = (%select, [12], [1], "
                         "0), kwargs = {})"));
        QVERIFY(run.contains(
            "%clone_default : [num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%as_strided_default,), kwargs = {})"));
        QVERIFY(
            run.contains("%as_strided_default_1 : [num_users=2] = call_function[target=torch.ops.aten.as_strided.default](args = (%clone_default, "
                         "[4], [1], 8), kwargs = {})"));
        QCOMPARE(run.decision("x", "CLONED")->clonedBytes.value_or(-1), 48);
        RUN_PASSES(tight, text, kExtended);
        QVERIFY(tight.contains("args = (%select, [4], [1], 8)"));
        QVERIFY(tight.contains("args = (%clone_default, [4], [1], 0)"));
        QCOMPARE(tight.decision("x", "CLONED")->clonedBytes.value_or(-1), 16);
    }

    void lastCallIsVisitedFirst() {
        RUN_PASSES(run, onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                   auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [cos])
                                   getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                   auto_functionalized_v2_1 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [getitem_1])
                                   getitem_3: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2_1[1]
                                   return (getitem_3,))"),
                   kReference);
        const auto first = run.after.find("%foo_default_1 :"), second = run.after.find("%foo_default :");
        QVERIFY(first != std::string::npos && second != std::string::npos && first < second);
        QVERIFY(run.contains("return (cos,)"));
    }

    void v2ViewsAreRebuiltInSchemaOrder() {
        RUN_PASSES(run, onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                   auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.lst.default, s = 2.0, _xs_length = 3, _xs_0_base_index = 0, _xs_0_slice_dim = 0, _xs_0_slice_start = 0, _xs_0_slice_end = 4, _xs_1_base_index = 0, _xs_1_alias = True, _xs_2_base_index = 0, _xs_2_size = (4,), _xs_2_stride = (1,), _xs_2_storage_offset = 0, _all_bases = [cos])
                                   getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                   return (getitem_1,))"),
                   kReference);
        QVERIFY(
            run.contains("%slice_tensor : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%cos, 0, 0, 4), kwargs = {})"));
        QVERIFY(run.contains("%alias_default : [num_users=1] = call_function[target=torch.ops.aten.alias.default](args = (%cos,), kwargs = {})"));
        QVERIFY(run.contains("call_function[target=torch.ops.aten.as_strided.default](args = (%cos, [4], [1], 0), kwargs = {})"));
        QVERIFY(run.contains(
            "call_function[target=torch.ops.mylib.lst.default](args = ([%slice_tensor, %alias_default, %as_strided_default], 2.0), kwargs = {})"));
    }

    void severalResults() {
        RUN_PASSES(run, onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                   sin: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sin.default(arg0_1)
                                   auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.two_ret.default, x = cos, y = sin)
                                   getitem: "f32[8, 4][4, 1]cpu" = auto_functionalized[0]
                                   getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                                   getitem_2: "f32[8, 4][4, 1]cpu" = auto_functionalized[2]
                                   getitem_3: "f32[8, 4][4, 1]cpu" = auto_functionalized[3]
                                   return (getitem, getitem_1, getitem_2, getitem_3))"),
                   kReference);
        QVERIFY(run.contains("%two_ret_default : [num_users=2]"));
        QVERIFY(run.contains("return (getitem, getitem_1, cos, sin)"));
    }

    void oneResultIsTheCall() {
        RUN_PASSES(run, onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                   auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo_ret.default, x = cos, y = arg0_1)
                                   getitem: "f32[8, 4][4, 1]cpu" = auto_functionalized[0]
                                   getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                                   return (getitem, getitem_1))"),
                   kReference);
        QVERIFY(run.contains("%foo_ret_default : [num_users=1]"));
        QVERIFY(run.contains("return (foo_ret_default, cos)"));
    }

    void defaultsAreLeftOut() {
        const auto call = [](const char* rest) {
            return onInput(std::string(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                          auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.optl.default, a = cos, )") +
                           rest + R"()
                                          getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                                          return (getitem_1,))");
        };
        RUN_PASSES(defaults, call("k = 3, z = None, w = 0.5"), kReference);
        QVERIFY(defaults.contains("call_function[target=torch.ops.mylib.optl.default](args = (%cos,), kwargs = {})"));
        RUN_PASSES(given, call("k = 4, z = None, w = 0.25"), kReference);
        QVERIFY(given.contains("call_function[target=torch.ops.mylib.optl.default](args = (%cos, 4), kwargs = {w: 0.25})"));
    }

    void missingMetadataClonesAll() {  // F4
        RUN_PASSES(run, onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                   auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = cos)
                                   getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized[1]
                                   return (getitem_1, cos))"),
                   "decompose-functionalized");
        QVERIFY(run.diagnostic("NO_CLONE_SET"));
        QCOMPARE(run.count("aten.clone.default"), 1);
        QVERIFY(run.contains("return (as_strided_default_1, cos)"));
    }

    void launch() {
        RUN_PASSES(run, onInput(R"(sin: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sin.default(arg0_1)
                                   triton_kernel_wrapper_functional_proxy = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0, constant_args_idx = 9, grid = [(2, 1, 1)], tma_descriptor_metadata = {}, kwargs = {'x_ptr': arg0_1, 'out_ptr': sin}, tensors_to_clone = ['out_ptr'])
                                   getitem: "f32[8, 4][4, 1]cpu" = triton_kernel_wrapper_functional_proxy['out_ptr']
                                   mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(sin, 3)
                                   add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(getitem, mul)
                                   return (add,))"),
                   kReference);
        QCOMPARE(run.count("higher_order.triton_kernel_wrapper_functional"), 0);
        QVERIFY(
            run.contains("%triton_kernel_wrapper_mutation : [num_users=0] = "
                         "call_function[target=torch.ops.higher_order.triton_kernel_wrapper_mutation](args = (), kwargs = "
                         "{kernel_idx: 0, constant_args_idx: 9, grid: [(2, 1, 1)], tma_descriptor_metadata: {}, kwargs: {x_ptr: %arg0_1, out_ptr: "
                         "%as_strided_default_1}})"));
        QVERIFY(run.contains("args = (%as_strided_default_1, %mul)"));
    }

    void symbolicSizesBecomeNodes() {
        RUN_PASSES(run,
                   readableGraph(R"g(arg0_1: "Sym(s7)", arg1_1: "f32[s7, 4][4, 1]cpu")g",
                                 R"(cos: "f32[s7, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg1_1)
                                         auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [cos])
                                         getitem_1: "f32[s7, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                         return (getitem_1, cos))"),
                   kReference);
        QVERIFY(run.contains("%sym_size_int : [num_users=2] = call_function[target=torch.ops.aten.sym_size.int](args = (%cos, 0), kwargs = {})"));
        QVERIFY(run.contains("%sub : [num_users=1] = call_function[target=operator.sub](args = (%sym_size_int, 1), kwargs = {})"));
        QVERIFY(run.contains("%mul : [num_users=1] = call_function[target=operator.mul](args = (%sub, 4), kwargs = {})"));
        QVERIFY(run.contains("%add : [num_users=1] = call_function[target=operator.add](args = (0, %mul), kwargs = {})"));
        QVERIFY(run.contains("%add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, 3), kwargs = {})"));
        QVERIFY(run.contains("%add_2 : [num_users=1] = call_function[target=operator.add](args = (1, %add_1), kwargs = {})"));
        QVERIFY(run.contains("args = (%cos, [%add_2], [1], 0)"));
        QVERIFY(run.contains("args = (%clone_default, [%sym_size_int, 4], [4, 1], 0)"));
        QVERIFY(!run.decision("0", "CLONED")->bytesExpr.empty());
    }

    void constantSizeNodesFold() {
        RUN_PASSES(run,
                   readableGraph(R"g(arg0_1: "Sym(s7)", arg1_1: "Sym(s2)", arg2_1: "f32[s7, s2][s2, 1]cpu")g",
                                 R"g(floordiv: "Sym(0)" = 0 // arg1_1
                                         cos: "f32[s7, s2][s2, 1]cpu" = torch.ops.aten.cos.default(arg2_1)
                                         auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _x_slice_dim = 0, _x_slice_start = floordiv, _x_slice_end = arg0_1, _all_bases = [cos])
                                         getitem_1: "f32[s7, s2][s2, 1]cpu" = auto_functionalized_v2[1]
                                         return (getitem_1,))g"),
                   kReference);
        QVERIFY(run.contains("call_function[target=torch.ops.aten.slice.Tensor](args = (%cos, 0, 0, %arg0_1), kwargs = {})"));
    }

    void selfCopyStaysOrGoes() {
        const std::string text = onInput(
            R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [arg0_1])
                                            getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                            copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, getitem_1)
                                            return (copy_,))");
        RUN_PASSES(reference, text, kReference);
        QVERIFY(reference.contains("call_function[target=torch.ops.aten.copy_.default](args = (%arg0_1, %arg0_1), kwargs = {})"));
        QVERIFY(reference.decision("arg0_1", "SELF_COPY"));
        RUN_PASSES(extended, text, kExtended);
        QCOMPARE(extended.count("aten.copy_.default"), 0);
        QVERIFY(extended.contains("return (arg0_1,)"));
        QVERIFY(extended.decision("arg0_1", "SELF_COPY"));
    }

    void copyOfAnotherValueStays() {
        RUN_PASSES(run, onInput(R"(add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(arg0_1, 1)
                                   copy_: "f32[8, 4][4, 1]cpu" = torch.ops.aten.copy_.default(arg0_1, add)
                                   return (add,))"),
                   kExtended);
        QCOMPARE(run.after, run.before);
        QVERIFY(!run.decision("arg0_1", "SELF_COPY"));
    }

    void unknownOperatorIsStillDecomposed() {
        RUN_PASSES(run, onInput(R"(cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(arg0_1)
                                   auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.vendor.bump.default, _x_base_index = 0, _all_bases = [cos])
                                   getitem_1: "f32[8, 4][4, 1]cpu" = auto_functionalized_v2[1]
                                   return (getitem_1,))"),
                   kReference);
        QVERIFY(run.diagnostic("NO_SCHEMA"));
        QCOMPARE(run.count("vendor.bump.default"), 1);
        QVERIFY(run.contains("return (cos,)"));
    }
};

QTEST_APPLESS_MAIN(DecomposeFunctionalizedTest)
#include "tst_decompose_functionalized.moc"
