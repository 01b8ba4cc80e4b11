// The pattern sets after partitioning (canonicalize.md 5.8) and constructors on the GPU (5.10).

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

constexpr const char* kPass = "post-grad-patterns";
constexpr const char* kExtended = "post-grad-patterns{mode=extended}";

/// a [4, 8] times b [8, 16] and c, on `device`.
std::string products(const std::string& device, const std::string& body, const std::string& c = "[16][1]", const std::string& dtype = "f32") {
    return readableGraph("a: \"" + dtype + "[4, 8][8, 1]" + device + "\", b: \"" + dtype + "[8, 16][16, 1]" + device + "\", c: \"" + dtype + c + device + "\"", body);
}

}  // namespace

class PostGradPatternsTest : public QObject {
    Q_OBJECT

private slots:
    void addmm_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("sum");
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("c");
        QTest::addColumn<bool>("fuses");
        const auto row = [](const char* name, const char* device, const char* sum, const char* user, bool fuses, const char* c = "[16][1]") {
            QTest::newRow(name) << device << sum << user << c << fuses;
        };
        const char *pointwise = "u = torch.ops.aten.relu.default(s)", *reduction = "u = torch.ops.aten.sum.default(s)";
        row("product first", "cpu", "torch.ops.aten.add.Tensor(m, c)", pointwise, true);
        row("product second", "cpu", "torch.ops.aten.add.Tensor(c, m)", pointwise, true);
        row("GPU, elementwise user", "cuda:0", "torch.ops.aten.add.Tensor(m, c)", pointwise, false);
        row("GPU, elementwise behind a view", "cuda:0", "torch.ops.aten.add.Tensor(m, c)",
            "v = torch.ops.aten.reshape.default(s, [64])\nu = torch.ops.aten.relu.default(v)", false);
        row("GPU, reduced", "cuda:0", "torch.ops.aten.add.Tensor(m, c)", reduction, true);
        row("GPU, returned", "cuda:0", "torch.ops.aten.add.Tensor(m, c)", "u = torch.ops.aten.alias.default(s)", true);
        row("a number", "cpu", "torch.ops.aten.add.Tensor(m, 1)", pointwise, false);
        row("alpha", "cpu", "torch.ops.aten.add.Tensor(m, c, alpha = 2)", pointwise, false);
        row("whole bias", "cpu", "torch.ops.aten.add.Tensor(m, c)", pointwise, true, "[4, 16][16, 1]");
        row("bias that widens the sum", "cpu", "torch.ops.aten.add.Tensor(m, c)", pointwise, false, "[2, 4, 16][64, 16, 1]");
    }
    void addmm() {
        QFETCH(QString, device);
        QFETCH(QString, sum);
        QFETCH(QString, user);
        QFETCH(QString, c);
        QFETCH(bool, fuses);
        RUN_PASSES(run, products(device.toStdString(), "m = torch.ops.aten.mm.default(a, b)\ns = " + sum.toStdString() + "\n" + user.toStdString() + "\nreturn (u,)",
                                 c.toStdString()),
                   kPass);
        QCOMPARE(run.count("aten.addmm.default"), int(fuses));
        if (fuses)
            QVERIFY(run.contains("addmm.default](args = (%c, %a, %b)"));
        else
            QCOMPARE(run.after, run.before);
    }

    /// A sum follows the strides of its addend, a product with a bias does not.
    void addmmOfOtherStrides() {
        const std::string text = products("cpu", R"(m = torch.ops.aten.mm.default(a, b)
                                                    s: "f32[4, 16][1, 4]cpu" = torch.ops.aten.add.Tensor(c, m)
                                                    row: "f32[16][4]cpu" = torch.ops.aten.select.int(s, 0, 1)
                                                    u = torch.ops.aten.as_strided.default(s, [4], [1], 4)
                                                    return (row, u))",
                                          "[4, 16][1, 4]");
        RUN_PASSES(reference, text, kPass);
        QCOMPARE(reference.count("aten.addmm.default"), 1);
        QVERIFY(reference.diagnostic("LAYOUT_STALE"));
        QCOMPARE(reference.graph[reference.graph.find("row"_n)].tensor()->str(true, false), "f32[16][1]");
        RUN_PASSES(extended, text, kExtended);
        QCOMPARE(extended.count("aten.addmm.default"), 0);
        QVERIFY(std::any_of(extended.decisions.begin(), extended.decisions.end(), [](const Decision& d) { return d.code == "LAYOUT_STALE"; }));
    }

    void unAddmm_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<QString>("user");
        QTest::addColumn<bool>("unfuses");
        QTest::newRow("GPU, elementwise") << "cuda:0" << "f32" << "u = torch.ops.aten.relu.default(s)" << true;
        QTest::newRow("bfloat16") << "cuda:0" << "bf16" << "u = torch.ops.aten.relu.default(s)" << false;
        QTest::newRow("CPU") << "cpu" << "f32" << "u = torch.ops.aten.relu.default(s)" << false;
        QTest::newRow("reduced") << "cuda:0" << "f32" << "u = torch.ops.aten.sum.default(s)" << false;
    }
    void unAddmm() {
        QFETCH(QString, device);
        QFETCH(QString, dtype);
        QFETCH(QString, user);
        QFETCH(bool, unfuses);
        RUN_PASSES(run, products(device.toStdString(), "s = torch.ops.aten.addmm.default(c, a, b)\n" + user.toStdString() + "\nreturn (u,)", "[16][1]", dtype.toStdString()),
                   kPass);
        if (unfuses)
            QVERIFY2(run.contains("add.Tensor](args = (%c, %mm_default)"), run.after.c_str());
        else
            QCOMPARE(run.after, run.before);
    }

    void onlineSoftmax() {
        const auto text = [](const char* device, const char* dims) {
            return readableGraph(std::string("x: \"f32[4, 8][8, 1]") + device + "\"", std::string("amax = torch.ops.aten.amax.default(x, [1], True)\n") + R"(
                sub = torch.ops.aten.sub.Tensor(x, amax)
                exp = torch.ops.aten.exp.default(sub)
                sum_1 = torch.ops.aten.sum.dim_IntList(exp, )" + dims + R"(, True)
                log = torch.ops.aten.log.default(sum_1)
                y = torch.ops.aten.sub.Tensor(sub, log)
                return (y, amax))");
        };
        RUN_PASSES(run, text("cuda:0", "[1]"), kPass);
        QVERIFY2(run.contains("prepare_softmax_online.default](args = (%x, 1)"), run.after.c_str());
        QCOMPARE(run.count("aten.amax.default") + run.count("aten.sum.dim_IntList"), 0);
        QCOMPARE(run.count("aten.exp.default"), 1);  // PyTorch leaves the dead exponential
        RUN_PASSES(extended, text("cuda:0", "[1]"), kExtended);
        QCOMPARE(extended.count("aten.exp.default"), 0);
        RUN_PASSES(cpu, text("cpu", "[1]"), kPass);
        QCOMPARE(cpu.after, cpu.before);
        RUN_PASSES(otherDim, text("cuda:0", "[0]"), kPass);
        QCOMPARE(otherDim.after, otherDim.before);
    }

    void cumsumOfAConstant() {
        RUN_PASSES(run, readableGraph("", R"(full: "b8[2, 5][5, 1]cpu" = torch.ops.aten.full.default([2, 5], True, dtype = torch.bool, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
                                             c: "i64[2, 5][5, 1]cpu" = torch.ops.aten.cumsum.default(full, 1)
                                             return (c, full))"),
                   kPass);
        QVERIFY2(run.contains("iota.default](args = (5,), kwargs = {start: 1, step: 1, dtype: torch.int64"), run.after.c_str());
        QVERIFY(run.contains("view.default](args = (%mul_tensor, [1, 5])"));
        QVERIFY(run.contains("expand.default](args = (%view_default, [2, 5])"));
        QCOMPARE(run.count("aten.full.default"), 1);
    }
    void cumsumThatStays() {
        const char* text = R"(full: "f32[5][1]cpu" = torch.ops.aten.full.default([5], 2, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
                              c: "f64[5][1]cpu" = torch.ops.aten.cumsum.default(full, 0, dtype = torch.float64)
                              return (c,))";
        RUN_PASSES(run, readableGraph("", text), kExtended);
        QCOMPARE(run.after, run.before);
    }

    void splitAndCat_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<bool>("removed");
        const std::string split = "s = torch.ops.aten.split_with_sizes.default(y, [1, 3], 0)\nl = s[0]\nr = s[1]\n";
        const auto row = [](const char* name, const std::string& body, bool removed) { QTest::newRow(name) << QString::fromStdString(body) << removed; };
        row("cat of a split", split + "j = torch.ops.aten.cat.default([l, r])", true);
        row("other order", split + "j = torch.ops.aten.cat.default([r, l])", false);
        row("a part", split + "j = torch.ops.aten.cat.default([l])", false);
        row("other dim", "s = torch.ops.aten.split_with_sizes.default(y, [1, 3], 0)\nl = s[0]\nk = torch.ops.aten.cat.default([l, l])\nr = s[1]\nj = torch.ops.aten.cat.default([r, r], 1)", false);
        row("split of a cat", "c = torch.ops.aten.cat.default([x, y])\ns = torch.ops.aten.split_with_sizes.default(c, [4, 4], 0)\nl = s[0]\nr = s[1]\nj = torch.ops.aten.sub.Tensor(l, r)", true);
        row("other sizes", "c = torch.ops.aten.cat.default([x, y])\ns = torch.ops.aten.split_with_sizes.default(c, [2, 6], 0)\nl = s[0]\nr = s[1]\nj = torch.ops.aten.sub.Tensor(l, l)", false);
    }
    void splitAndCat() {
        QFETCH(QString, body);
        QFETCH(bool, removed);
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 4][4, 1]cpu")", "y = torch.ops.aten.cos.default(x)\n" + body.toStdString() + "\nz = torch.ops.aten.cos.default(j)\nreturn (z,)"),
                   kExtended);
        if (removed)
            QCOMPARE(run.count("aten.cat.default") + run.count("aten.split_with_sizes.default"), 0);
        else
            QCOMPARE(run.after, run.before);
    }

    /// What was joined anew becomes an input that is overwritten before it is read.
    void joinedBehindAWriteBack() {
        const std::string text = readableGraph(R"(x: "f32[4, 4][4, 1]cpu", w: "f32[4, 4][4, 1]cpu")", R"(s = torch.ops.aten.split_with_sizes.default(x, [1, 3], 0)
                                                                                                        l = s[0]
                                                                                                        r = s[1]
                                                                                                        j = torch.ops.aten.cat.default([l, r])
                                                                                                        z = torch.ops.aten.cos.default(x)
                                                                                                        copy_ = torch.ops.aten.copy_.default(x, z)
                                                                                                        copy__1 = torch.ops.aten.copy_.default(w, j)
                                                                                                        return ())");
        RUN_PASSES(reference, text, kPass);
        QVERIFY(reference.contains("copy_.default](args = (%w, %x)"));
        QVERIFY(reference.diagnostic("OUTPUT_ALIAS"));
        RUN_PASSES(extended, text, kExtended);
        QCOMPARE(extended.after, extended.before);
        QVERIFY(std::any_of(extended.decisions.begin(), extended.decisions.end(), [](const Decision& d) { return d.code == "CLONE_GUARD"; }));
    }

    void partialReduction() {
        const auto text = [](const char* size) {
            const std::string n = size;
            return readableGraph("x: \"f32[64, " + n + "][" + n + ", 1]cuda:0\"", R"(all = torch.ops.aten.max.default(x)
                                                                                  some = torch.ops.aten.amax.default(x, [1], True)
                                                                                  y = torch.ops.aten.add.Tensor(all, some)
                                                                                  return (y,))");
        };
        RUN_PASSES(run, text("64"), kPass);
        QVERIFY2(run.contains("max.default](args = (%amax_default,)"), run.after.c_str());
        QVERIFY(run.contains("amax.default](args = (%x, [1], True)"));
        RUN_PASSES(small, text("63"), kPass);
        QCOMPARE(small.after, small.before);
    }

    void markersGo() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4][1]cpu")", R"(_assert_tensor_metadata = torch.ops.aten._assert_tensor_metadata.default(x, None, None, torch.float32)
                                                                 y = torch.ops.aten.cos.default(x)
                                                                 return (y,))"),
                   kPass);
        QCOMPARE(run.graph.size(), std::size_t(3));
    }

    void constructorsMove_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<bool>("moves");
        const std::string make = "f: \"i64[2][1]cpu\" = torch.ops.aten.full.default([2], 1, dtype = torch.int64, layout = torch.strided, device = device(type='cpu'), pin_memory = False)\n";
        const auto row = [&](const char* name, const std::string& rest, bool moves) { QTest::newRow(name) << QString::fromStdString(make + rest) << moves; };
        row("an index", "y: \"f32[2, 4][4, 1]cuda:0\" = torch.ops.aten.index.Tensor(x, [f])\nreturn (y,)", true);
        row("computed with, then an index", "g: \"i64[2][1]cpu\" = torch.ops.aten.add.Tensor(f, 1)\ny: \"f32[2, 4][4, 1]cuda:0\" = torch.ops.aten.index.Tensor(x, [g])\nreturn (y,)", true);
        row("returned", "y: \"f32[2, 4][4, 1]cuda:0\" = torch.ops.aten.index.Tensor(x, [f])\nreturn (y, f)", false);
        row("another CPU tensor joins", "g: \"i64[2][1]cpu\" = torch.ops.aten.add.Tensor(f, h)\ny: \"f32[2, 4][4, 1]cuda:0\" = torch.ops.aten.index.Tensor(x, [g])\nreturn (y,)", false);
        row("an operator of the user", "y: \"f32[2, 4][4, 1]cuda:0\" = torch.ops.other.take.default(x, f)\nreturn (y,)", false);
    }
    void constructorsMove() {
        QFETCH(QString, body);
        QFETCH(bool, moves);
        RUN_PASSES(run, readableGraph(R"(x: "f32[8, 4][4, 1]cuda:0", h: "i64[2][1]cpu")", body.toStdString()), kPass);
        if (moves)
            QVERIFY2(run.contains("full.default](args = ([2], 1), kwargs = {dtype: torch.int64, layout: torch.strided, device: cuda:0"), run.after.c_str());
        else
            QCOMPARE(run.after, run.before);
    }

    /// index_put by mask fills with a number of the CPU without waiting for the GPU.
    void numbersPutByMaskStay() {
        const auto text = [](const char* index, const char* type) {
            return readableGraph(std::string("x: \"f32[4][1]cuda:0\", m: \"") + type + "\"",
                                 std::string(R"(v: "f32[][]cpu" = torch.ops.aten.full.default([], 1, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
                                    y: "f32[4][1]cuda:0" = torch.ops.aten.index_put.default(x, )") + index + R"(, v)
                                    return (y,))");
        };
        RUN_PASSES(mask, text("[m]", "b8[4][1]cuda:0"), kPass);
        QCOMPARE(mask.after, mask.before);
        RUN_PASSES(positions, text("[m]", "i64[2][1]cuda:0"), kPass);
        QVERIFY(positions.contains("device: cuda:0"));
    }

    void graphsWithWritesAreLeft() {
        RUN_PASSES(run, products("cpu", R"(m = torch.ops.aten.mm.default(a, b)
                                           s = torch.ops.aten.add.Tensor(m, c)
                                           add_ = torch.ops.aten.add_.Tensor(s, 1)
                                           return (s,))"),
                   kPass);
        QCOMPARE(run.after, run.before);
        QVERIFY(run.diagnostic("NEEDS_FUNCTIONAL"));
    }
};

QTEST_APPLESS_MAIN(PostGradPatternsTest)
#include "tst_post_grad_patterns.moc"
