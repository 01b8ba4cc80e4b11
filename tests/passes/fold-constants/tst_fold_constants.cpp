// Uniform values, arithmetic identities, dtype views (canonicalize.md 5.2 to 5.4).

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

constexpr const char* kReference = "fold-constants";
constexpr const char* kExtended = "fold-constants{mode=extended}";

std::string graph(const std::string& body) { return readableGraph(R"(x: "f32[3][1]cuda:0", i: "i64[3][1]cuda:0")", body); }

bool refusedWith(const PassRun& run, std::string_view code) {
    return std::any_of(run.decisions.begin(), run.decisions.end(), [&](const Decision& d) { return d.code == code && d.verdict == "refused"; });
}

}  // namespace

class FoldConstantsTest : public QObject {
    Q_OBJECT

private slots:
    void becomesFull_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<QString>("full");  // arguments of the full that stands for `c`
        const auto row = [](const char* name, const char* calls, const char* full) { QTest::newRow(name) << calls << full; };
        row("scalar_tensor",
            R"(c: "f32[][]cuda:0" = torch.ops.aten.scalar_tensor.default(0, dtype = torch.float32, device = device(type='cuda', index=0)))",
            "([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False}");
        row("integers", R"(c: "i64[][]cuda:0" = torch.ops.aten.scalar_tensor.default(7, dtype = torch.int64, device = device(type='cuda', index=0)))",
            "([], 7), kwargs = {dtype: torch.int64,");
        row("a full keeps its literal",
            R"(c: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2, dtype = torch.float32, device = device(type='cuda'), pin_memory = False))",
            "([3], 2), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False}");
        row("arithmetic",
            R"(f: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2, dtype = torch.float32, device = device(type='cuda', index=0))
               g: "f32[3][1]cuda:0" = torch.ops.aten.mul.Tensor(f, 1.5)
               c: "f32[3][1]cuda:0" = torch.ops.aten.neg.default(g))",
            "([3], -3.0)");
        row("rounding to f16",
            R"(f: "f16[3][1]cuda:0" = torch.ops.aten.full.default([3], 1, dtype = torch.float16, device = device(type='cuda', index=0))
               c: "f16[3][1]cuda:0" = torch.ops.aten.add.Tensor(f, 0.0001))",
            "([3], 1.0)");
        row("integers wrap",
            R"(f: "i32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2147483647, dtype = torch.int32, device = device(type='cuda', index=0))
               c: "i32[3][1]cuda:0" = torch.ops.aten.add.Tensor(f, 1))",
            "([3], -2147483648)");
        row("comparison",
            R"(f: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2.5, dtype = torch.float32, device = device(type='cuda', index=0))
               c: "b8[3][1]cuda:0" = torch.ops.aten.gt.Scalar(f, 2))",
            "([3], True), kwargs = {dtype: torch.bool,");
        row("conversion",
            R"(f: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2.5, dtype = torch.float32, device = device(type='cuda', index=0))
               c: "i64[3][1]cuda:0" = torch.ops.prims.convert_element_type.default(f, torch.int64))",
            "([3], 2), kwargs = {dtype: torch.int64,");
        row("dtype view",
            R"(f: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 1, dtype = torch.float32, device = device(type='cuda', index=0))
               c: "i32[3][1]cuda:0" = torch.ops.aten.view.dtype(f, torch.int32))",
            "([3], 1065353216), kwargs = {dtype: torch.int32,");
        row("views pass a value on",
            R"(f: "f32[3, 4][4, 1]cuda:0" = torch.ops.aten.full.default([3, 4], 2.5, dtype = torch.float32, device = device(type='cuda', index=0))
               c: "f32[12][1]cuda:0" = torch.ops.aten.view.default(f, [12]))",
            "([12], 2.5)");
        row("x times the integer 0", R"(c: "i64[3][1]cuda:0" = torch.ops.aten.mul.Tensor(i, 0))", "([3], 0), kwargs = {dtype: torch.int64,");
        row("where",
            R"(t: "b8[3][1]cuda:0" = torch.ops.aten.full.default([3], True, dtype = torch.bool, device = device(type='cuda', index=0))
               a: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 4, dtype = torch.float32, device = device(type='cuda', index=0))
               b: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 5, dtype = torch.float32, device = device(type='cuda', index=0))
               c: "f32[3][1]cuda:0" = torch.ops.aten.where.self(t, a, b))",
            "([3], 4.0)");
    }
    void becomesFull() {
        QFETCH(QString, calls);
        QFETCH(QString, full);
        RUN_PASSES(run, graph(calls.toStdString() + "\nreturn (c, x)"), kReference);
        QVERIFY2(run.contains("aten.full.default](args = " + full.toStdString()), run.after.c_str());
        QVERIFY2(!run.contains("%c :"), run.after.c_str());
    }

    void stays_data() {
        QTest::addColumn<QString>("calls");
        const auto row = [](const char* name, const char* calls) { QTest::newRow(name) << calls; };
        row("unknown operands", R"(c: "f32[3][1]cuda:0" = torch.ops.aten.mul.Tensor(x, 2))");
        row("times 0.0", R"(c: "f32[3][1]cuda:0" = torch.ops.aten.mul.Tensor(x, 0.0))");
        row("unsigned", R"(c: "u8[3][1]cuda:0" = torch.ops.aten.full.default([3], 2, dtype = torch.uint8, device = device(type='cuda')))");
        row("random", R"(c: "f32[3][1]cuda:0" = torch.ops.aten.rand.default([3], dtype = torch.float32, device = device(type='cuda')))");
        row("reductions",
            R"(f: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)
               c: "f32[][]cuda:0" = torch.ops.aten.sum.default(f))");
        row("integer division by 0",
            R"(f: "i64[3][1]cuda:0" = torch.ops.aten.full.default([3], 0, dtype = torch.int64, layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)
               c: "i64[3][1]cuda:0" = torch.ops.aten.div.Tensor_mode(i, f, rounding_mode = 'floor'))");
    }
    void stays() {
        QFETCH(QString, calls);
        RUN_PASSES(run, graph(calls.toStdString() + "\nreturn (c, x)"), kReference);
        QCOMPARE(run.after, run.before);
    }

    /// The copy separates a write from a reader; a second constant does so too, and copies nothing.
    void copiesOfConstantsAreConstants() {
        const std::string text = graph(
            R"(f: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)
                                          c: "f32[3][1]cuda:0" = torch.ops.aten.clone.default(f)
                                          return (f, c, x))");
        RUN_PASSES(extended, text, "fold-constants{mode=extended}");
        QCOMPARE(extended.count("aten.clone.default"), 0);
        QCOMPARE(extended.count("aten.full.default"), 2);
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.after, reference.before);
    }

    /// Destinations are not read; what is written may be of another type.
    void copiesOverConstantsAreConstants() {
        RUN_PASSES(run,
                   graph(R"(f: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2.5, dtype = torch.float32, device = device(type='cuda', index=0))
                                c: "i64[3][1]cuda:0" = torch.ops.aten.copy.default(i, f)
                                return (c, x))"),
                   kExtended);
        QVERIFY2(run.contains("aten.full.default](args = ([3], 2), kwargs = {dtype: torch.int64,"), run.after.c_str());
        QCOMPARE(run.count("aten.copy.default"), 0);
    }

    /// A `full` has the strides of its sizes; where others are stated someone may read them.
    void otherStridesStay() {
        RUN_PASSES(
            run,
            graph(
                R"x(f: "f32[2, 16][16, 1]cuda:0" = torch.ops.aten.full.default([2, 16], 2.0, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)
                   s: "f32[1, 16][16, 1]cuda:0" = torch.ops.aten.slice.Tensor(f, 0, 0, 1)
                   v: "f32[1, 2][16, 1]cuda:0" = torch.ops.aten.slice.Tensor(s, 1, 0, 2)
                   n: "Sym(16)" = torch.ops.aten.sym_stride.int(v, 0)
                   c: "f32[3][1]cuda:0" = torch.ops.aten.mul.Tensor(x, n)
                   return (c, v))x"),
            kExtended);
        QVERIFY2(run.contains("%v :") && run.contains("aten.slice.Tensor](args = (%s, 1, 0, 2)"), run.after.c_str());
    }

    /// x * 1 lies as x does. Without it nothing changes only where no one can tell.
    void onesInAnotherLayout_data() {
        QTest::addColumn<QString>("use");
        QTest::addColumn<bool>("removed");
        const auto row = [](const char* name, const char* use, bool removed) { QTest::newRow(name) << use << removed; };
        row("copied", "u = torch.ops.aten.copy_.default(y, mul)\nreturn (x,)", true);
        row("a view of it copied", R"(p: "f32[2, 2][1, 2]cuda:0" = torch.ops.aten.permute.default(mul, [1, 0])
                                      u = torch.ops.aten.copy_.default(y, p)
                                      return (x,))",
            true);
        row("returned", "return (mul,)", false);
        row("computed with", R"(u: "f32[2, 2][2, 1]cuda:0" = torch.ops.aten.neg.default(mul)
                                return (u,))",
            false);
        row("seen as another type", R"(v: "f16[2, 4][4, 1]cuda:0" = torch.ops.aten.view.dtype(mul, torch.float16)
                                       u = torch.ops.aten.copy_.default(h, v)
                                       return (x,))",
            false);
        row("seen as a row", R"(v: "f32[4][1]cuda:0" = torch.ops.aten._unsafe_view.default(mul, [4])
                                u = torch.ops.aten.copy_.default(r, v)
                                return (x,))",
            false);
        row("seen by strides", R"(v: "f32[4][1]cuda:0" = torch.ops.aten.as_strided.default(mul, [4], [1])
                                  u = torch.ops.aten.copy_.default(r, v)
                                  return (x,))",
            false);
    }
    void onesInAnotherLayout() {
        QFETCH(QString, use);
        QFETCH(bool, removed);
        const std::string text = readableGraph(
            R"(x: "f32[2, 4][4, 1]cuda:0", y: "f32[2, 2][2, 1]cuda:0", h: "f16[2, 4][4, 1]cuda:0", r: "f32[4][1]cuda:0")",
            R"(one: "f32[2, 2][2, 1]cuda:0" = torch.ops.aten.full.default([2, 2], 1.0, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)
               s: "f32[2, 2][4, 2]cuda:0" = torch.ops.aten.slice.Tensor(x, 1, 0, 9223372036854775807, 2)
               mul: "f32[2, 2][2, 1]cuda:0" = torch.ops.aten.mul.Tensor(s, one)
               )" +
                use.toStdString());
        RUN_PASSES(run, text, kExtended);
        QVERIFY2(run.contains("%mul :") != removed, run.after.c_str());
    }

    /// Both could be one buffer that someone writes.
    void sharedBuffersStay() {
        RUN_PASSES(run,
                   graph(R"(f: "f32[3, 4][4, 1]cuda:0" = torch.ops.aten.full.default([3, 4], 2.5, dtype = torch.float32, device = device(type='cuda'))
                                 v: "f32[12][1]cuda:0" = torch.ops.aten.view.default(f, [12])
                                 return (f, v, x))"),
                   kReference);
        QCOMPARE(run.after, run.before);
        QVERIFY(refusedWith(run, "FOLD_SHARED"));
    }

    void symbolicShapesAreRebuiltFromSizeNodes() {
        const auto text = [](const char* inputs, const char* first) {
            return readableGraph(inputs, std::string(first) + R"(
                c: "f32[s77, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(x, 0)
                return (c,))");
        };
        RUN_PASSES(run, text(R"x(arg0_1: "Sym(s77)", x: "f32[s77, 2][2, 1]cpu")x", ""), kReference);
        QVERIFY2(run.contains("full.default](args = ([%arg0_1, 2], 0.0)"), run.after.c_str());
        RUN_PASSES(computed, text(R"(x: "f32[s77, 2][2, 1]cpu")", R"x(sym_size_int: "Sym(s77)" = torch.ops.aten.sym_size.int(x, 0))x"), kReference);
        QVERIFY(computed.contains("full.default](args = ([%sym_size_int, 2], 0.0)"));
        RUN_PASSES(without, text(R"(x: "f32[s77, 2][2, 1]cpu")", ""), kReference);
        QCOMPARE(without.after, without.before);
        QVERIFY(refusedWith(without, "FOLD_SHAPE"));
    }

    /// The only size node reads what would be replaced.
    void sizesOfItselfAreRefused() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[s77][1]cpu")", R"x(c: "f32[s77][1]cpu" = torch.ops.aten.mul.Tensor(x, 0)
                                                                   n: "Sym(s77)" = torch.ops.aten.sym_size.int(c, 0)
                                                                   return (c, n))x"),
                   kReference);
        QCOMPARE(run.after, run.before);
        QVERIFY(refusedWith(run, "FOLD_SHAPE"));
    }

    void valuesThatOnlyFeedConstantsAreDropped() {
        const std::string text =
            graph(R"(f: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 2, dtype = torch.float32, device = device(type='cuda'))
                                          c: "f32[3][1]cuda:0" = torch.ops.aten.neg.default(f)
                                          return (c,))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.count("aten.full.default"), 2);  // PyTorch leaves the dead one for DCE
        QVERIFY(reference.contains("%f :"));
        RUN_PASSES(extended, text, kExtended);
        QCOMPARE(extended.count("aten.full.default"), 1);
    }

    void identities_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("result");
        const auto row = [](const char* name, const char* call, const char* result) { QTest::newRow(name) << call << result; };
        row("x + 0", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.add.Tensor(x, zeros)", "x");
        row("0 + x", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.add.Tensor(zeros, x)", "x");
        row("x - 0", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.sub.Tensor(x, zeros)", "x");
        row("0 - x stays", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.sub.Tensor(zeros, x)", "y");
        row("x * 1", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.mul.Tensor(x, ones)", "x");
        row("1 * x", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.mul.Tensor(ones, x)", "x");
        row("x / 1", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.div.Tensor(x, ones)", "x");
        row("1 / x stays", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.div.Tensor(ones, x)", "y");
        row("alpha stays", "y: \"f32[3][1]cuda:0\" = torch.ops.aten.add.Tensor(zeros, x, alpha = 2)", "y");
        row("broadcast stays", "y: \"f32[2, 3][3, 1]cuda:0\" = torch.ops.aten.add.Tensor(x, wide)", "y");
    }
    void identities() {
        QFETCH(QString, call);
        QFETCH(QString, result);
        RUN_PASSES(run,
                   graph(R"(zeros: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 0, dtype = torch.float32, device = device(type='cuda'))
                                 ones: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 1, dtype = torch.float32, device = device(type='cuda'))
                                 wide: "f32[2, 3][3, 1]cuda:0" = torch.ops.aten.full.default([2, 3], 0, dtype = torch.float32, device = device(type='cuda'))
                                 )" +
                         call.toStdString() + R"(
                                 z = torch.ops.aten.cos.default(y)
                                 return (z, i))"),
                   kReference);
        QVERIFY2(run.contains("cos.default](args = (%" + result.toStdString() + ",)"), run.after.c_str());
    }

    void anotherDtypeIsConverted() {
        RUN_PASSES(run,
                   readableGraph(R"(x: "f16[3][1]cpu")",
                                 R"(zeros: "f32[3][1]cpu" = torch.ops.aten.full.default([3], 0, dtype = torch.float32, device = device(type='cpu'))
                                                                 y: "f32[3][1]cpu" = torch.ops.aten.add.Tensor(x, zeros)
                                                                 z = torch.ops.aten.cos.default(y)
                                                                 return (z,))"),
                   kReference);
        QVERIFY(run.contains("convert_element_type.default](args = (%x, torch.float32)"));
        QCOMPARE(run.count("aten.add.Tensor"), 0);
    }

    /// What may change a float waits for fp=fast.
    void strict() {
        const std::string plus =
            graph(R"(zeros: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 0, dtype = torch.float32, device = device(type='cuda'))
                                          y: "f32[3][1]cuda:0" = torch.ops.aten.add.Tensor(x, zeros)
                                          z = torch.ops.aten.cos.default(y)
                                          return (z,))");
        const std::string times = graph(R"(y: "f32[3][1]cuda:0" = torch.ops.aten.mul.Tensor(x, 0)
                                           return (y,))");
        for (const std::string& text : {plus, times}) {
            for (const char* mode : {"fold-constants{fp=strict}", kExtended}) {
                RUN_PASSES(run, text, mode);
                QVERIFY(refusedWith(run, "FP_STRICT"));
                QCOMPARE(run.count("aten.add.Tensor") + run.count("aten.mul.Tensor"), 1);
            }
            for (const char* mode : {kReference, "fold-constants{mode=extended,fp=fast}"}) {
                RUN_PASSES(run, text, mode);
                QCOMPARE(run.count("aten.add.Tensor") + run.count("aten.mul.Tensor"), 0);
            }
        }
        RUN_PASSES(negative,
                   graph(R"(zeros: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], -0.0, dtype = torch.float32, device = device(type='cuda'))
                                      y: "f32[3][1]cuda:0" = torch.ops.aten.add.Tensor(x, zeros)
                                      z = torch.ops.aten.cos.default(y)
                                      return (z,))"),
                   kExtended);
        QCOMPARE(negative.count("aten.add.Tensor"), 0);
    }

    /// PyTorch removes `x + 0` all the same: said where a later call tells -0.0 from 0.0, and not where none does.
    void signOfZeroIsSaid() {
        const auto text = [](const char* zero, const char* user) {
            return graph(std::string(R"(zeros: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], )") + zero +
                         R"(, dtype = torch.float32, device = device(type='cuda'))
                            y: "f32[3][1]cuda:0" = torch.ops.aten.add.Tensor(x, zeros)
                            n: "f32[3][1]cuda:0" = torch.ops.aten.neg.default(y)
                            z = )" +
                         user + R"((n)
                            return (z,))");
        };
        RUN_PASSES(seen, text("0.0", "torch.ops.aten.signbit.default"), kReference);
        QVERIFY(seen.diagnostic("FP_STRICT"));
        QCOMPARE(seen.count("aten.add.Tensor"), 0);
        RUN_PASSES(unseen, text("0.0", "torch.ops.aten.cos.default"), kReference);
        QVERIFY(!unseen.diagnostic("FP_STRICT"));
        RUN_PASSES(harmless, text("-0.0", "torch.ops.aten.signbit.default"), kReference);
        QVERIFY(!harmless.diagnostic("FP_STRICT"));
        // The sign is gone before bits are looked at.
        RUN_PASSES(gone,
                   graph(R"(zeros: "f32[3][1]cuda:0" = torch.ops.aten.full.default([3], 0.0, dtype = torch.float32, device = device(type='cuda'))
                                  y: "f32[3][1]cuda:0" = torch.ops.aten.add.Tensor(x, zeros)
                                  n: "i32[3][1]cuda:0" = torch.ops.prims.convert_element_type.default(y, torch.int32)
                                  z: "f32[3][1]cuda:0" = torch.ops.aten.view.dtype(n, torch.float32)
                                  return (z,))"),
                   kReference);
        QVERIFY(!gone.diagnostic("FP_STRICT"));
    }

    /// Complex zeros have signs too, and integers none.
    void signsOfOtherTypes() {
        const auto text = [](const char* type, const char* result) {
            return readableGraph("x: \"" + std::string(type) + "[3][1]cpu\"",
                                 R"(zeros: "f32[3][1]cpu" = torch.ops.aten.full.default([3], 0.0, dtype = torch.float32, device = device(type='cpu'))
                                    y: ")" +
                                     std::string(result) + R"([3][1]cpu" = torch.ops.aten.add.Tensor(x, zeros)
                                    z = torch.ops.aten.cos.default(y)
                                    return (z,))");
        };
        RUN_PASSES(complex, text("c64", "c64"), kExtended);
        QVERIFY(refusedWith(complex, "FP_STRICT"));
        RUN_PASSES(integer, text("i64", "f32"), kExtended);
        QCOMPARE(integer.count("aten.add.Tensor"), 0);
    }

    /// What was a value of its own becomes an input that is overwritten before it is read.
    void writeBackBeforeTheReader() {
        const std::string text =
            readableGraph(R"(x: "f32[3][1]cpu", w: "f32[3][1]cpu")",
                          R"(ones: "f32[3][1]cpu" = torch.ops.aten.full.default([3], 1, dtype = torch.float32, device = device(type='cpu'))
                                                  y: "f32[3][1]cpu" = torch.ops.aten.mul.Tensor(x, ones)
                                                  z: "f32[3][1]cpu" = torch.ops.aten.cos.default(x)
                                                  copy_: "f32[3][1]cpu" = torch.ops.aten.copy_.default(x, z)
                                                  copy__1: "f32[3][1]cpu" = torch.ops.aten.copy_.default(w, y)
                                                  return ())");
        RUN_PASSES(reference, text, kReference);
        QVERIFY(reference.contains("copy_.default](args = (%w, %x)"));
        const Diagnostic* said = reference.diagnostic("OUTPUT_ALIAS");
        QVERIFY(said);
        QCOMPARE(said->node.str(), "y");
        RUN_PASSES(extended, text, kExtended);
        QVERIFY(extended.contains("copy_.default](args = (%w, %y)"));
        QVERIFY(refusedWith(extended, "CLONE_GUARD"));
        QVERIFY(extended.diagnostics.empty());
    }

    void operandOfOtherStrides() {
        const auto text = [](const std::string& user) {
            return readableGraph(
                R"(x: "f32[3, 2][1, 3]cpu")",
                R"(ones: "f32[3, 2][2, 1]cpu" = torch.ops.aten.full.default([3, 2], 1, dtype = torch.float32, device = device(type='cpu'))
                                    y: "f32[3, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(ones, x)
                                    row: "f32[2][1]cpu" = torch.ops.aten.select.int(y, 0, 1)
                                    )" +
                    user + R"(
                                    return (row, u))");
        };
        // Types follow the operand.
        RUN_PASSES(harmless, text(R"(u: "f32[2][1]cpu" = torch.ops.aten.cos.default(row))"), kReference);
        QVERIFY(harmless.diagnostics.empty());
        QCOMPARE(harmless.graph[harmless.graph.find("row"_n)].tensor()->str(true, false), "f32[2][3]");
        for (const char* user : {R"(u: "f32[6][1]cpu" = torch.ops.aten.view.default(y, [6]))",
                                 R"(u: "f32[2][1]cpu" = torch.ops.aten.as_strided.default(row, [2], [1], 2))"}) {
            RUN_PASSES(reference, text(user), kReference);
            const Diagnostic* said = reference.diagnostic("LAYOUT_STALE");
            QVERIFY(said);
            QCOMPARE(said->node.str(), "u");
            RUN_PASSES(extended, text(user), kExtended);
            QCOMPARE(extended.count("aten.mul.Tensor"), 1);
        }
    }

    void dtypeViewsAreShared() {
        RUN_PASSES(run, graph(R"(a: "i32[3][1]cuda:0" = torch.ops.aten.view.dtype(x, torch.int32)
                                 b: "f32[3][1]cuda:0" = torch.ops.aten.view.dtype(a, torch.float32)
                                 c: "i32[3][1]cuda:0" = torch.ops.aten.view.dtype(b, torch.int32)
                                 d: "i32[3][1]cuda:0" = torch.ops.aten.view.dtype(x, torch.int32)
                                 e = torch.ops.aten.add.Tensor(c, d)
                                 f = torch.ops.aten.cos.default(b)
                                 return (e, f))"),
                   kReference);
        QCOMPARE(run.count("aten.view.dtype"), 1);
        QVERIFY(run.contains("add.Tensor](args = (%a, %a)"));
        QVERIFY(run.contains("cos.default](args = (%x,)"));
    }

    void returnedMetaTensors() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[3, 2][2, 1]meta")", R"(y: "f32[3, 2][2, 1]meta" = torch.ops.aten.cos.default(x)
                                                                        return (y,))"),
                   kReference);
        QVERIFY(run.contains("empty_strided.default](args = ([3, 2], [2, 1]), kwargs = {dtype: torch.float32, device: meta}"));
        QCOMPARE(run.count("aten.cos.default"), 0);
    }
};

QTEST_APPLESS_MAIN(FoldConstantsTest)
#include "tst_fold_constants.moc"
