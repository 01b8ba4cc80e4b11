// What dce removes and what it leaves.

#include <QTest>

#include "core/pipeline/pipeline.h"
#include "core/text/document.h"

using namespace aliascope;

class DceTest : public QObject {
    Q_OBJECT

private:
    OpRegistry ops_ = OpRegistry::withBuiltin();

    /// Names of the calls and constants that are left, and how many rewrites were reported.
    std::pair<std::vector<std::string>, std::size_t> left(const std::string& body) {
        auto document =
            readText("class program(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]cpu\", unused: \"f32[4][1]cpu\"):\n" + body, "test", ops_);
        if (!document || document->units.empty()) qFatal("the test's own graph cannot be read");
        Graph g = std::move(document->units[0].graph);
        PassOptions options;
        PassContext ctx(ops_, options, {});
        const auto outcome = findPass("dce")->run(g, ctx);
        if (!outcome) qFatal("%s", outcome.error().format().c_str());
        refused_.clear();
        for (const Decision& d : ctx.decisions) refused_.push_back(d.node.name.str() + " " + d.code);
        std::vector<std::string> names;
        for (NodeId id : inOrder(g))
            if (g[id].kind != NodeKind::Placeholder && g[id].kind != NodeKind::Output) names.push_back(g[id].name.str());
        if (g.placeholders().size() != 2) qFatal("a placeholder was removed");
        return {names, ctx.rewrites.size()};
    }
    using Names = std::vector<std::string>;
    Names refused_;  ///< by the last call of `left`

private slots:
    void initTestCase() { QVERIFY(ops_.addText("mylib::foo(Tensor(a!) x) -> ()\n", "test.ops").empty()); }
    void nothingIsDead() {
        const auto [names, rewrites] = left("        cos = torch.ops.aten.cos.default(x)\n        return (cos,)\n");
        QCOMPARE(names, Names{"cos"});
        QCOMPARE(rewrites, std::size_t{0});
    }
    void chainOfDeadNodes() {
        const auto [names, rewrites] = left(
            "        cos = torch.ops.aten.cos.default(x)\n        sin = torch.ops.aten.sin.default(cos)\n        view = "
            "torch.ops.aten.view.default(sin, [2, 2])\n        return (x,)\n");
        QCOMPARE(names, Names{});
        QCOMPARE(rewrites, std::size_t{3});
    }
    void writesStay() {
        QCOMPARE(left("        cos = torch.ops.aten.cos.default(x)\n        add_ = torch.ops.aten.add_.Tensor(cos, 1)\n        foo = "
                      "torch.ops.mylib.foo.default(x)\n        return (x,)\n")
                     .first,
                 (Names{"cos", "add_", "foo"}));
    }
    void whatStaysIsExplained() {
        left("        bernoulli = torch.ops.aten.bernoulli.default(x)\n        _assert_async = torch.ops.aten._assert_async.default(x)\n"
             "        foo = torch.ops.mylib.foo.default(x)\n        cos = torch.ops.aten.cos.default(x)\n        return (x,)\n");
        QCOMPARE(refused_, (Names{"_assert_async IMPURE", "bernoulli IMPURE"}));
    }
    void randomStays() { QCOMPARE(left("        bernoulli = torch.ops.aten.bernoulli.default(x)\n        return (x,)\n").first, Names{"bernoulli"}); }
    void unknownOperatorStays() { QCOMPARE(left("        bump = torch.ops.vendor.bump.default(x)\n        return (x,)\n").first, Names{"bump"}); }
    void launchesThatWriteInPlaceStay() {
        // After re-inplacing a launch copies nothing, and nothing uses what it returns.
        const char* inPlace =
            "        launch = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 7, constant_args_idx = 0, grid = [(1, 1, 1)], "
            "tma_descriptor_metadata = {}, kwargs = {'in_ptr': x, 'out_ptr': y}, tensors_to_clone = [])\n";
        QCOMPARE(left("        y = torch.ops.aten.cos.default(x)\n" + std::string(inPlace) + "        return (y,)\n").first, (Names{"y", "launch"}));
        // A definition of the kernel says what it writes: nobody sees y.
        QVERIFY(ops_.addText("kernel 7(Tensor in_ptr, Tensor out_ptr)\n", "test.ops").empty());
        QCOMPARE(left("        y = torch.ops.aten.cos.default(x)\n" + std::string(inPlace) + "        return (x,)\n").first, Names{});
    }
    void wrappersWithoutUsersGo() {
        QCOMPARE(left("        a = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = x)\n"
                      "        b = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [x])\n"
                      "        getitem: \"f32[4][1]cpu\" = b[1]\n"
                      "        return (x,)\n")
                     .first,
                 Names{});
    }
    void constantsGo() { QCOMPARE(left("        weight: \"f32[4][1]cpu\" = self.weight\n        return (x,)\n").first, Names{}); }
};

QTEST_APPLESS_MAIN(DceTest)
#include "tst_dce.moc"
