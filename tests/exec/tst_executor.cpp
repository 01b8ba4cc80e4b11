// What graphs compute, what they leave in their inputs, how much memory they hold, and how they fail.

#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

#define COMPARE(actual, expected) QCOMPARE(QString::fromStdString(actual), QString::fromUtf8(expected))

class ExecutorTest : public QObject {
    Q_OBJECT

private slots:
    void computesInOrder() {
        const Graph g = forward("x", R"(add = torch.ops.aten.add.Tensor(x, 1)
            mul = torch.ops.aten.mul.Tensor(add, x)
            return (mul, add))");
        const Ran r = run(g, {tensor({3}, {1, 2, 3})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "2 6 12 | 2 3 4");
        COMPARE(r.inputs, "1 2 3");
    }

    void viewsShareStorage() {
        const Graph g = forward("x", R"(view = torch.ops.aten.view.default(x, [2, 3])
            select = torch.ops.aten.select.int(view, 0, 1)
            add_ = torch.ops.aten.add_.Tensor(select, 10)
            t = torch.ops.aten.t.default(view)
            return (t,))");
        const Ran r = run(g, {range({6})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "0 13 1 14 2 15");
        COMPARE(r.inputs, "0 1 2 13 14 15");
        QCOMPARE(r.peak, 0);  // nothing is allocated
    }

    void reshapeCopiesWhereItMust() {
        const Graph g = forward("x", R"(t = torch.ops.aten.t.default(x)
            reshape = torch.ops.aten.reshape.default(t, [6])
            add_ = torch.ops.aten.add_.Tensor(reshape, 10)
            reshape_1 = torch.ops.aten.reshape.default(x, [6])
            mul_ = torch.ops.aten.mul_.Tensor(reshape_1, 2)
            return (reshape,))");
        const Ran r = run(g, {range({2, 3})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "10 13 11 14 12 15");
        COMPARE(r.inputs, "0 2 4 6 8 10");
        QCOMPARE(r.peak, 24);
    }

    void copiesOfViewsAreRowMajor() {
        const Graph g = forward("x", R"(t_copy = torch.ops.aten.t_copy.default(x)
            add_ = torch.ops.aten.add_.Tensor(t_copy, 1)
            return (t_copy,))");
        const Ran r = run(g, {range({2, 3})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "1 4 2 5 3 6");
        COMPARE(r.inputs, "0 1 2 3 4 5");
        COMPARE(r.result.outputs[0].tensor()->str(), "f32[3, 2][2, 1]cuda:0");
    }

    void asStridedCountsFromTheStorage() {
        const Graph g = forward("x", R"(slice_1 = torch.ops.aten.slice.Tensor(x, 0, 2, 6)
            as_strided = torch.ops.aten.as_strided.default(slice_1, [2], [2], 1)
            as_strided_1 = torch.ops.aten.as_strided.default(slice_1, [2], [1])
            return (as_strided, as_strided_1))");
        COMPARE(run(g, {range({6})}).outputs, "1 3 | 2 3");
    }

    void copyBroadcastsAndConverts() {
        const Graph g = forward("x, y", R"(copy_ = torch.ops.aten.copy_.default(x, y)
            copy__1 = torch.ops.aten.copy_.default(x, x)
            return ())");
        const Ran r = run(g, {range({2, 2}), tensor({1}, {7})});
        COMPARE(r.error, "");
        COMPARE(r.inputs, "7 7 7 7 | 7");
    }

    void outForms() {
        const Graph g = forward("x, y", R"(add = torch.ops.aten.add.out(x, x, out = y)
            return (add,))");
        const Ran r = run(g, {range({3}), range({3})});
        COMPARE(r.error, "");
        COMPARE(r.inputs, "0 1 2 | 0 2 4");
    }

    void foreachGoesElementByElement() {
        const Graph g = forward("x, y", R"(_foreach_mul_ = torch.ops.aten._foreach_mul_.Scalar([x, y, x], 2.0)
            _foreach_add = torch.ops.aten._foreach_add.List([x, y], [x, y])
            getitem = _foreach_add[0]
            getitem_1 = _foreach_add[1]
            return (getitem, getitem_1))");
        const Ran r = run(g, {tensor({2}, {1, 2}), tensor({1}, {5})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "8 16 | 20");
        COMPARE(r.inputs, "4 8 | 10");
    }

    void handlesChange() {
        const Graph g = forward("x", R"(add = torch.ops.aten.add.Tensor(x, 0)
            t_ = torch.ops.aten.t_.default(add)
            mul = torch.ops.aten.mul.Tensor(add, 1)
            return (mul,))");
        COMPARE(run(g, {range({2, 3})}).outputs, "0 3 1 4 2 5");
    }

    // --- custom operators and wrappers -------------------------------------------------------------------------------------------------------

    void bodiesWriteTheirArguments() {
        const Graph g = forward("x, y", R"(foo = torch.ops.mylib.foo.default(x)
            foo_ret = torch.ops.mylib.foo_ret.default(x, y)
            opt = torch.ops.mylib.opt.default(y, None)
            opt_1 = torch.ops.mylib.opt.default(x, y)
            return (foo_ret,))");
        const Ran r = run(g, {tensor({2}, {1, 2}), tensor({2}, {100, 200})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "204 406");
        COMPARE(r.inputs, "112 213 | 111 211");
    }

    void wrapperClones() {
        const Graph g =
            forward("x, y", R"(auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo_ret.default, x = x, y = y)
            getitem = auto_functionalized[0]
            getitem_1 = auto_functionalized[1]
            return (getitem, getitem_1))");
        const Ran r = run(g, {tensor({2}, {1, 2}), tensor({2}, {10, 20})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "22 44 | 11 22");
        COMPARE(r.inputs, "1 2 | 10 20");
        QCOMPARE(r.peak, 16);
    }

    void wrapperWritesWhatIsReinplaced() {
        Graph g = forward("x, y", R"(auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo_ret.default, x = x, y = y)
            getitem_1 = auto_functionalized[1]
            return (getitem_1,))");
        ExecOptions options;
        options.reinplaced = [](const Graph&, NodeId, Name argument) { return argument == "x"; };
        COMPARE(run(g, {tensor({2}, {1, 2}), tensor({2}, {10, 20})}, options).inputs, "11 22 | 10 20");
        g.setMeta(g.find(Name("auto_functionalized")), Name("clone_only"), Value::list({}));  // as the pass reinplace says it
        COMPARE(run(g, {tensor({2}, {1, 2}), tensor({2}, {10, 20})}).inputs, "11 22 | 10 20");
    }

    void wrapperOfBases() {
        const Graph g = forward("x", R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.lst.default, s = 2.0,
                _xs_length = 2, _xs_0_base_index = 0, _xs_0_slice_dim = 0, _xs_0_slice_start = 0, _xs_0_slice_end = 2, _xs_1_base_index = 0,
                _xs_1_size = (2,), _xs_1_stride = (1,), _xs_1_storage_offset = 1, _all_bases = [x])
            getitem_1 = auto_functionalized_v2[1]
            return (getitem_1,))");
        const Ran r = run(g, {tensor({4}, {1, 1, 1, 1})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "2 4 2 1");
        COMPARE(r.inputs, "1 1 1 1");
        QCOMPARE(r.peak, 16);
    }

    void optionalArgumentOfWrapper() {
        const Graph g = forward("x", R"(auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.opt.default,
                _x_base_index = 0, _y_base_index = None, _all_bases = [x])
            getitem_1 = auto_functionalized_v2[1]
            return (getitem_1, None))");
        COMPARE(run(g, {tensor({1}, {1})}).outputs, "2 | None");
    }

    void tritonKernels() {
        const Graph g =
            forward("x, y", R"(triton_kernel_wrapper_functional_proxy = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0,
                constant_args_idx = 0, grid = [(1, 1, 1)], tma_descriptor_metadata = {}, kwargs = {'x_ptr': x, 'out_ptr': y}, tensors_to_clone = ['out_ptr'])
            getitem = triton_kernel_wrapper_functional_proxy['out_ptr']
            triton_kernel_wrapper_mutation = torch.ops.higher_order.triton_kernel_wrapper_mutation(kernel_idx = 0, constant_args_idx = 0,
                grid = [(1, 1, 1)], tma_descriptor_metadata = {}, kwargs = {'x_ptr': getitem, 'out_ptr': x})
            return (getitem,))");
        const Ran r = run(g, {range({3}), range({3})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "1 2 3");
        COMPARE(r.inputs, "2 3 4 | 0 1 2");
    }

    void resultsOfBodiesAreTheirOwn() {
        const Graph g = forward("x", R"(self_1 = torch.ops.mylib.self.default(x)
            add_ = torch.ops.aten.add_.Tensor(self_1, 1)
            return (self_1,))");
        const Ran r = run(g, {range({2})});
        COMPARE(r.outputs, "1 2");
        COMPARE(r.inputs, "0 1");
        QCOMPARE(r.result.warnings.size(), std::size_t{1});
        COMPARE(r.result.warnings[0].code, "RESULT_CLONED");
    }

    // --- bodies in the graph -----------------------------------------------------------------------------------------------------------------

    void subgraphsRunInTheirOwnFrame() {
        const Graph g = graphOf(R"(class Net(torch.nn.Module):
    def forward(self, x):
        add = torch.ops.aten.add.Tensor(x, 1)
        body = self.body
        invoke_subgraph = torch.ops.higher_order.invoke_subgraph(body, 'body', add)
        getitem = invoke_subgraph[0]
        getitem_1 = invoke_subgraph[1]
        return (getitem, getitem_1)

    class body(torch.nn.Module):
        def forward(self, a):
            add = torch.ops.aten.add.Tensor(a, 10)
            mul = torch.ops.aten.mul.Tensor(add, 2)
            view = torch.ops.aten.view.default(a, [2])
            return (mul, view)
)");
        const Ran r = run(g, {tensor({2}, {1, 2})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "24 26 | 2 3");
        QCOMPARE(r.result.memory.callPaths, (std::vector<std::string>{"", "invoke_subgraph"}));
        // The result that is a view of the argument is copied; the argument was given away and dies in the caller's name.
        COMPARE(r.result.warnings.at(0).code, "RESULT_CLONED");
    }

    void argumentsThatDieAreDonated() {
        const Graph g = graphOf(R"(class Net(torch.nn.Module):
    def forward(self, x):
        add = torch.ops.aten.add.Tensor(x, 1)
        body = self.body
        invoke_subgraph = torch.ops.higher_order.invoke_subgraph(body, 'body', add)
        getitem = invoke_subgraph[0]
        return (getitem,)

    class body(torch.nn.Module):
        def forward(self, a):
            neg = torch.ops.aten.neg.default(a)
            mul = torch.ops.aten.mul.Tensor(neg, 2)
            return (mul,)
)");
        const Ran r = run(g, {tensor({2}, {1, 2})});
        COMPARE(r.outputs, "-4 -6");
        QCOMPARE(r.peak, 16);  // add is gone before mul comes
    }

    void conditions() {
        const Graph g = graphOf(R"(class Net(torch.nn.Module):
    def forward(self, p, x):
        yes = self.yes
        no = self.no
        gt = torch.ops.aten.gt.Scalar(p, 0)
        cond = torch.ops.higher_order.cond(gt, yes, no, (x,))
        getitem = cond[0]
        return (getitem,)

    class yes(torch.nn.Module):
        def forward(self, x):
            add = torch.ops.aten.add.Tensor(x, 1)
            return (add,)

    class no(torch.nn.Module):
        def forward(self, x):
            neg = torch.ops.aten.neg.default(x)
            return (neg,)
)");
        COMPARE(run(g, {tensor({}, {1}), tensor({2}, {1, 2})}).outputs, "2 3");
        COMPARE(run(g, {tensor({}, {-1}), tensor({2}, {1, 2})}).outputs, "-1 -2");
    }

    void loops() {
        const Graph g = graphOf(R"(class Net(torch.nn.Module):
    def forward(self, x, y):
        condition = self.condition
        body = self.body
        while_loop = torch.ops.higher_order.while_loop(condition, body, (x,), (y,))
        getitem = while_loop[0]
        return (getitem,)

    class condition(torch.nn.Module):
        def forward(self, x, y):
            sum_1 = torch.ops.aten.sum.default(x)
            lt = torch.ops.aten.lt.Scalar(sum_1, 10)
            return lt

    class body(torch.nn.Module):
        def forward(self, x, y):
            add = torch.ops.aten.add.Tensor(x, y)
            return (add,)
)");
        const Ran r = run(g, {tensor({2}, {1, 1}), tensor({2}, {1, 2})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "4 7");
        COMPARE(r.inputs, "1 1 | 1 2");
        QCOMPARE(r.peak, 16);  // two rounds of the carried value; of the sum only one at a time
    }

    void scansAndMaps() {
        const std::string bodies = R"(
    class body(torch.nn.Module):
        def forward(self, carry, x):
            add = torch.ops.aten.add.Tensor(carry, x)
            mul = torch.ops.aten.mul.Tensor(add, 10)
            return (add, mul)

    class item(torch.nn.Module):
        def forward(self, x, y):
            mul = torch.ops.aten.mul.Tensor(x, y)
            return (mul,)
)";
        const Graph g = graphOf(R"(class Net(torch.nn.Module):
    def forward(self, start, xs):
        body = self.body
        item = self.item
        scan = torch.ops.higher_order.scan(body, [start], [xs], ())
        getitem = scan[0]
        getitem_1 = scan[1]
        map_impl = torch.ops.higher_order.map_impl(item, [xs], [start])
        getitem_2 = map_impl[0]
        return (getitem, getitem_1, getitem_2)
)" + bodies);
        const Ran r = run(g, {tensor({1}, {100}), tensor({3, 1}, {1, 2, 3})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "106 | 1010 1030 1060 | 100 200 300");
    }

    void standsIn() {
        const Graph g = forward("x", R"(bare: "f32[3][1]cuda:0" = torch.ops.mylib.bare.default(x)
            odd: "f32[2][1]cuda:0" = torch.ops.other.odd.default(x, bare)
            mul = torch.ops.aten.mul.Tensor(odd, 2)
            neg = torch.ops.aten.neg.default(x)
            return (bare, odd, mul, neg))");
        ExecOptions options;
        options.standIn = true;
        const Ran r = run(g, {tensor({2}, {1, 2})}, options), again = run(g, {tensor({2}, {1, 2})}, options),
                  other = run(g, {tensor({2}, {1, 3})}, options);
        COMPARE(r.error, "");
        QVERIFY(r.result.synthetic);
        COMPARE(r.outputs, again.outputs.c_str());
        QVERIFY(r.outputs != other.outputs);
        QCOMPARE(r.result.outputs[0].tensor()->str(), std::string("f32[3][1]cuda:0"));
        QVERIFY(r.result.outputs[2].tensor()->storage->synthetic);  // reached through odd
        QVERIFY(!r.result.outputs[3].tensor()->storage->synthetic);
        QCOMPARE(r.result.warnings.size(), std::size_t{2});
        COMPARE(r.result.warnings[0].code, "SYNTHETIC");
    }

    // --- dynamic shapes ------------------------------------------------------------------------------------------------------------------------

    void symbolsComeFromTheInputs() {
        const Graph g = forward("s0: \"Sym(s0)\", x: \"f32[s0, 2][2, 1]cuda:0\"",
                                "floordiv = s0 // 2\n"
                                "slice_1: \"f32[s0//2, 2][2, 1]cuda:0\" = torch.ops.aten.slice.Tensor(x, 0, floordiv, 9223372036854775807)\n"
                                "sym_size_int: \"Sym(s0)\" = torch.ops.aten.sym_size.int(slice_1, 0)\n"
                                "view: \"f32[2*(s0 - s0//2)][1]cuda:0\" = torch.ops.aten.view.default(slice_1, [-1])\n"
                                "return (view, floordiv)");
        const Ran r = run(g, {RuntimeValue(std::int64_t{5}), range({5, 2})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "4 5 6 7 8 9 | 2");
    }

    void pythonArithmetic() {
        const Graph g = forward("a, b", R"(floordiv = a // b
            mod = a % b
            truediv = a / b
            neg = -a
            pow_1 = a ** 3
            return (floordiv, mod, truediv, neg, pow_1))");
        const Ran r = run(g, {RuntimeValue(std::int64_t{-7}), RuntimeValue(std::int64_t{2})});
        COMPARE(r.error, "");
        COMPARE(r.outputs, "-4 | 1 | -3.5 | 7 | -343");
    }

    // --- memory --------------------------------------------------------------------------------------------------------------------------------

    void storagesDieAfterTheirLastView() {
        const Graph g = forward("x", R"(add = torch.ops.aten.add.Tensor(x, 1)
            view = torch.ops.aten.view.default(add, [4])
            mul = torch.ops.aten.mul.Tensor(x, 2)
            add_1 = torch.ops.aten.add.Tensor(view, 1)
            return (mul, add_1))");
        const Ran r = run(g, {range({2, 2})});
        COMPARE(eventsOf(r.result.memory, g),
                "input x 16, alloc add 16, alloc mul 32, alloc add_1 48, free add_1 32, output output 32, output output 32");
        QCOMPARE(r.peak, 48);
        QCOMPARE(r.result.memory.peakExact, 48);
    }

    void unusedItemsDieAtOnce() {
        const Graph g = forward("x", R"(_foreach_add = torch.ops.aten._foreach_add.Scalar([x, x], 1)
            getitem = _foreach_add[1]
            mul = torch.ops.aten.mul.Tensor(getitem, 2)
            return (mul,))");
        COMPARE(eventsOf(run(g, {range({1})}).result.memory, g),
                "input x 4, alloc _foreach_add 4, alloc _foreach_add 8, free _foreach_add 4, alloc mul 8, free mul 4, output output 4");
    }

    void predictionIsTheRun() {
        const Graph g = forward(R"(x: "f32[2, 3][3, 1]cuda:0")", R"(t = torch.ops.aten.t.default(x)
            reshape = torch.ops.aten.reshape.default(t, [6])
            auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo_ret.default, x = reshape, y = reshape)
            getitem = auto_functionalized[0]
            add = torch.ops.aten.add.Tensor(getitem, 1)
            add_ = torch.ops.aten.add_.Tensor(add, reshape)
            return (add,))");
        const auto none = makeNullBackend();
        const auto inputs = typedInputs(g, *none);
        QVERIFY(inputs.has_value());
        const Ran predicted = run(g, *inputs, {}, *none), ran = run(g, {range({2, 3})});
        COMPARE(ran.error, "");
        COMPARE(predicted.error, "");
        QVERIFY(predicted.result.complete);
        QVERIFY(!ran.result.memory.events.empty());
        COMPARE(eventsOf(predicted.result.memory, g), eventsOf(ran.result.memory, g).c_str());
        QVERIFY(predicted.result.memory.events == ran.result.memory.events);
        QCOMPARE(predicted.result.memory.peakCharged, ran.result.memory.peakCharged);
    }

    void bodiesLeaveReadOnlyArgumentsAlone() {
        const Graph g = forward("x", "sneaky = torch.ops.mylib.sneaky.default(x)\nreturn ()");
        ExecOptions options;
        QVERIFY(run(g, {range({4})}, options).result.findings.empty());
        options.sanitize = Sanitize::Reads;
        const Ran r = run(g, {range({4})}, options);
        QCOMPARE(r.result.findings.size(), std::size_t{1});
        COMPARE(warning(r.result.findings[0].code, r.result.findings[0].params).sentence(),
                "sneaky changed x, which its schema does not mark as written.");
    }

    void tooManyOperations() {
        const Graph g = forward("x, y", "mm = torch.ops.aten.mm.default(x, y)\nreturn (mm,)");
        ExecOptions options;
        options.maxFlops = 47;
        COMPARE(run(g, {range({2, 3}), range({3, 4})}, options).error, "TOO_LARGE: 48 operations are above --max-flops.");
        options.maxFlops = 48;
        COMPARE(run(g, {range({2, 3}), range({3, 4})}, options).error, "");
    }

    // --- failures ------------------------------------------------------------------------------------------------------------------------------

    void failures_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, const char* body, const char* error) { QTest::newRow(name) << QString(body) << QString(error); };
        row("no body", "bare = torch.ops.mylib.bare.default(x)\nreturn (bare,)",
            "UNSUPPORTED_OP: mylib::bare at bare cannot run: there is no kernel for it. Give a body with --ops, or --stand-in.");
        row("no schema", "odd = torch.ops.other.odd.default(x)\nreturn (odd,)",
            "UNSUPPORTED_OP: other::odd at odd cannot run: its schema is not known. Give a body with --ops, or --stand-in.");
        row("endless body", "loop = torch.ops.mylib.loop.default(x)\nreturn (loop,)", "UNSUPPORTED_OP: mylib::loop at loop");
        row("bad view", "view = torch.ops.aten.view.default(x, [5])\nreturn (view,)", "SHAPE_MISMATCH: view: self has shape");
        row("reshape to another number of elements",
            "t = torch.ops.aten.expand.default(x, [2, 6])\nreshape = torch.ops.aten.reshape.default(t, [5])\nreturn (reshape,)",
            "SHAPE_MISMATCH: reshape");
        row("beyond the storage", "as_strided = torch.ops.aten.as_strided.default(x, [4], [2])\nreturn (as_strided,)",
            "SHAPE_MISMATCH: as_strided: self has shape 24 bytes of storage, 28 expected.");
        row("absurd size", "full = torch.ops.aten.empty.memory_format([4000000000, 4000000000], dtype = torch.float32)\nreturn (full,)",
            "OUT_OF_MEMORY: ");
        row("stretched write", "expand = torch.ops.aten.expand.default(x, [2, 6])\nadd_ = torch.ops.aten.add_.Tensor(expand, 1)\nreturn ()",
            "OVERLAP_REFUSED: add_ writes self, which partly overlaps itself.");
        row("partial overlap",
            "slice_1 = torch.ops.aten.slice.Tensor(x, 0, 0, 4)\nslice_2 = torch.ops.aten.slice.Tensor(x, 0, 1, 5)\n"
            "copy_ = torch.ops.aten.copy_.default(slice_1, slice_2)\nreturn ()",
            "OVERLAP_REFUSED: copy_ writes self, which partly overlaps src.");
        row("shapes that do not go together", "full = torch.ops.aten.full.default([4], 1.0)\nadd = torch.ops.aten.add.Tensor(x, full)\nreturn (add,)",
            "SHAPE_MISMATCH: add: other has shape f32[4], one that goes with self f32[6] expected.");
        row("products that do not go together",
            "full = torch.ops.aten.full.default([2, 3], 1.0)\nfull_1 = torch.ops.aten.full.default([2, 3], 1.0)\n"
            "mm = torch.ops.aten.mm.default(full, full_1)\nreturn (mm,)",
            "SHAPE_MISMATCH: mm: mat2 has shape [2, 3], 3 in dimension 0 expected.");
        row("lists that do not go together",
            "full = torch.ops.aten.full.default([2, 3], 1.0)\ncat = torch.ops.aten.cat.default([x, full])\nreturn (cat,)",
            "SHAPE_MISMATCH: cat: tensors[1] has shape f32[2, 3], one that goes with tensors[0] f32[6] expected.");
        row("wrong shape in place", "full = torch.ops.aten.full.default([2, 6], 1.0)\nadd_ = torch.ops.aten.add_.Tensor(x, full)\nreturn ()",
            "SHAPE_MISMATCH: add_: self has shape f32[6], f32[2, 6] expected.");
        row("item that is not there", "split = torch.ops.aten.split.Tensor(x, 3)\ngetitem = split[7]\nreturn (getitem,)",
            "INDEX_OUT_OF_RANGE: getitem");
        row("division by zero", "sym_size_int = torch.ops.aten.sym_size.int(x, 0)\nsub = sym_size_int - 6\nfloordiv = 1 // sub\nreturn (floordiv,)",
            "DIVISION_BY_ZERO: floordiv: integer division by 0");
        row("constant", "_tensor_constant0 = self._tensor_constant0\nadd = torch.ops.aten.add.Tensor(x, _tensor_constant0)\nreturn (add,)",
            "CONSTANT_VALUE_MISSING: Constant _tensor_constant0 has no value");
    }

    void failures() {
        QFETCH(QString, body);
        QFETCH(QString, error);
        const Graph g = forward("x", body.toStdString());
        const Ran r = run(g, {range({6})});
        const QString got = QString::fromStdString(r.error);
        QVERIFY2(got.startsWith(error), qPrintable(got));
        QVERIFY(!r.result.complete);
    }

    void warnings_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("warning");
        const auto row = [](const char* name, const char* body, const char* warning) { QTest::newRow(name) << QString(body) << QString(warning); };
        row("a place put twice",
            "full = torch.ops.aten.full.default([2], 3, dtype = torch.int64)\narange = torch.ops.aten.arange.default(2, dtype = torch.float32)\n"
            "index_put = torch.ops.aten.index_put.default(x, [full], arange)\nreturn (index_put,)",
            "warning DUPLICATE_INDEX: index_put writes [3] more than once; the last one stays.");
        row("in place too",
            "full = torch.ops.aten.full.default([2], -1, dtype = torch.int64)\narange = torch.ops.aten.arange.default(2, dtype = torch.float32)\n"
            "index_put_ = torch.ops.aten.index_put_.default(x, [full], arange)\nreturn ()",
            "warning DUPLICATE_INDEX: index_put_ writes [5] more than once; the last one stays.");
        row("scattered twice",
            "full = torch.ops.aten.full.default([3], 1, dtype = torch.int64)\nscatter = torch.ops.aten.scatter.src(x, 0, full, x)\nreturn (scatter,)",
            "warning DUPLICATE_INDEX: scatter writes [1] more than once; the last one stays.");
        row("sums",
            "full = torch.ops.aten.full.default([2], 3, dtype = torch.int64)\narange = torch.ops.aten.arange.default(2, dtype = torch.float32)\n"
            "index_put = torch.ops.aten.index_put.default(x, [full], arange, True)\nreturn (index_put,)",
            "");
        row("different places",
            "arange = torch.ops.aten.arange.default(6)\nindex_put = torch.ops.aten.index_put.default(x, [arange], x)\nreturn (index_put,)", "");
        row("cast", "mul = torch.ops.aten.mul.Tensor(x, 100)\ncast = torch.ops.prims.convert_element_type.default(mul, torch.int8)\nreturn (cast,)",
            "info CAST_RANGE: cast converts values outside i8: not compared.");
        row("cast in place",
            "full = torch.ops.aten.full.default([6], 0, dtype = torch.uint8)\nneg = torch.ops.aten.neg.default(x)\n"
            "copy_ = torch.ops.aten.copy_.default(full, neg)\nreturn (copy_,)",
            "info CAST_RANGE: copy_ converts values outside u8: not compared.");
        row("cast in range", "cast = torch.ops.prims.convert_element_type.default(x, torch.int8)\nreturn (cast,)", "");
        row("overlapping target",
            "full = torch.ops.aten.full.default([6], 0.0)\nas_strided = torch.ops.aten.as_strided.default(full, [2, 2], [2, 1])\n"
            "as_strided_1 = torch.ops.aten.as_strided.default(full, [3, 2], [1, 1])\nadd_ = torch.ops.aten.add_.Tensor(as_strided_1, 1)\nreturn ()",
            "warning OVERLAPPING_WRITE: add_ writes self, whose elements overlap (row-major order was used).");
    }
    void warnings() {
        QFETCH(QString, body);
        QFETCH(QString, warning);
        const Graph g = forward("x", body.toStdString());
        const Ran r = run(g, {range({6})});
        COMPARE(r.error, "");
        QString got;
        for (const Diagnostic& d : r.result.warnings) got += QString::fromStdString(d.format());
        QVERIFY2(warning.isEmpty() ? got.isEmpty() : got == warning, qPrintable(got));
    }

    void emptyTensorsHoldPoison() {
        const Graph g = forward("x", "empty = torch.ops.aten.empty.memory_format([4], dtype = torch.float32)\nreturn (empty,)");
        const Ran a = run(g, {range({6})}), b = run(g, {range({6})});
        const Digest da = cpu().digest(*a.result.outputs[0].tensor()), db = cpu().digest(*b.result.outputs[0].tensor());
        QCOMPARE(da.nan, 4);
        QCOMPARE(da.hash, db.hash);
    }

    void inputsAreChecked() {
        const Graph g = forward(R"(x: "f32[2, 3][3, 1]cuda:0")", "return (x,)");
        COMPARE(run(g, {range({6})}).error, "INPUT_MISMATCH: Input x: the file has f32[6], the graph wants f32[2, 3].");
        COMPARE(run(g, {}).error, "INPUT_MISSING: No value for input x f32[2, 3][3, 1]cuda:0.");
    }

    void memoryLimit() {
        const Graph g = forward("x", "add = torch.ops.aten.add.Tensor(x, 1)\nadd_1 = torch.ops.aten.add.Tensor(add, 1)\nreturn (add_1,)");
        ExecOptions options;
        options.maxBytes = 30;
        COMPARE(run(g, {range({4})}, options).error, "OUT_OF_MEMORY: add_1 asks for 16 B with 16 B live; 14 B are free.");
    }

    void cancelled() {
        ExecOptions options;
        options.cancel.cancel();
        const Ran r = run(forward("x", "add = torch.ops.aten.add.Tensor(x, 1)\nreturn (add,)"), {range({4})}, options);
        QVERIFY2(r.error.starts_with("CANCELLED: "), r.error.c_str());
    }

    void constants() {
        const Graph g = forward("x", R"(_tensor_constant0 = self._tensor_constant0
            add = torch.ops.aten.add.Tensor(x, _tensor_constant0)
            return (add,))");
        COMPARE(run(g, {range({2})}, {}, cpu(), {{Name("_tensor_constant0"), tensor({2}, {5, 5})}}).outputs, "5 6");
    }

private:
    /// Kind, node and live bytes (of inputs their own) of every event.
    static std::string eventsOf(const memory::EventLog& log, const Graph& g) {
        std::string out;
        for (const memory::Event& e : log.events) {
            if (e.kind == memory::EventKind::SegmentAlloc || e.kind == memory::EventKind::SegmentFree) continue;
            if (!out.empty()) out += ", ";
            const std::int64_t bytes = e.kind == memory::EventKind::Input ? e.exact : e.liveExact;
            out += std::string(toString(e.kind)) + " " + g[e.site.node].name.str() + " " + std::to_string(bytes);
        }
        return out;
    }
};

QTEST_APPLESS_MAIN(ExecutorTest)
#include "tst_executor.moc"
