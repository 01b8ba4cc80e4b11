// Redundant views and permutes (canonicalize.md 3, 4 and 9.1): every rule, what reference mode leaves alone, what must stay.

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

constexpr const char* kReference = "canonicalize-views";
constexpr const char* kExtended = "canonicalize-views{mode=extended}";

/// A graph on `cos`, f32[4, 6], whose last value is returned through mul 2.
std::string onCos(const std::string& body, const std::string& last) {
    return readableGraph(R"(arg0_1: "f32[4, 6][6, 1]cpu")", R"(cos: "f32[4, 6][6, 1]cpu" = torch.ops.aten.cos.default(arg0_1))" "\n" + body +
                                                                "\nmul = torch.ops.aten.mul.Tensor(" + last + ", 2)\nreturn (mul,)");
}

}  // namespace

class CanonicalizeViewsTest : public QObject {
    Q_OBJECT

private slots:
    /// canonicalize.md 9.1.
    void caseRedundantViews() {
        const std::string text = readableGraph(R"(arg0_1: "f32[4, 6][6, 1]cuda:0")",
                                               R"(view: "f32[24][1]cuda:0" = torch.ops.aten.view.default(arg0_1, [24])
                                                  view_1: "f32[4, 6][6, 1]cuda:0" = torch.ops.aten.view.default(view, [4, 6])
                                                  view_2: "f32[2, 12][12, 1]cuda:0" = torch.ops.aten.view.default(view_1, [2, 12])
                                                  permute: "f32[12, 2][1, 12]cuda:0" = torch.ops.aten.permute.default(view_2, [1, 0])
                                                  permute_1: "f32[2, 12][12, 1]cuda:0" = torch.ops.aten.permute.default(permute, [1, 0])
                                                  view_3: "f32[2, 12][12, 1]cuda:0" = torch.ops.aten.view.default(permute_1, [2, 12])
                                                  mul: "f32[2, 12][12, 1]cuda:0" = torch.ops.aten.mul.Tensor(view_3, 2)
                                                  return (mul,))");
        for (const char* mode : {kReference, kExtended}) {
            RUN_PASSES(run, text, mode);
            QCOMPARE(run.graph.size(), std::size_t(4));
            QVERIFY(run.contains("torch.ops.aten.view.default](args = (%arg0_1, [2, 12])"));
        }
    }

    void rules_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("last");
        QTest::addColumn<QString>("reference");  // what mul reads
        QTest::addColumn<QString>("extended");
        const auto row = [](const char* name, const char* body, const char* last, const char* reference, const char* extended) {
            QTest::newRow(name) << body << last << reference << extended;
        };
        row("R1 view to its own shape", "view = torch.ops.aten.view.default(cos, [4, 6])", "view", "cos", "cos");
        row("R1 one -1", "view = torch.ops.aten.view.default(cos, [4, -1])", "view", "cos", "cos");
        row("R2 back to the first shape",
            "view = torch.ops.aten.view.default(cos, [24])\nview_1 = torch.ops.aten.view.default(view, [4, 6])", "view_1", "cos", "cos");
        row("R3 permute undone",
            "permute = torch.ops.aten.permute.default(cos, [1, 0])\npermute_1 = torch.ops.aten.permute.default(permute, [1, 0])", "permute_1", "cos", "cos");
        row("E1 two views to one", "view = torch.ops.aten.view.default(cos, [24])\nview_1 = torch.ops.aten.view.default(view, [2, 12])", "view_1",
            "view_1", "view_1");
        row("single pass: three views back",
            "view = torch.ops.aten.view.default(cos, [24])\nview_1 = torch.ops.aten.view.default(view, [2, 12])\n"
            "view_2 = torch.ops.aten.view.default(view_1, [4, 6])",
            "view_2", "view_2", "cos");
        row("E3 identity permute alone", "permute = torch.ops.aten.permute.default(cos, [0, 1])", "permute", "permute", "cos");
        row("E3 negative axes", "permute = torch.ops.aten.permute.default(cos, [-2, -1])", "permute", "permute", "cos");
        row("E4 view beside unsqueeze", "unsqueeze = torch.ops.aten.unsqueeze.default(cos, 0)\nview = torch.ops.aten.view.default(unsqueeze, [4, 6])",
            "view", "view", "cos");
        row("another shape stays", "view = torch.ops.aten.view.default(cos, [6, 4])", "view", "view", "view");
        row("another permute stays", "permute = torch.ops.aten.permute.default(cos, [1, 0])", "permute", "permute", "permute");
        row("E6 reshape to its own shape", "view = torch.ops.aten.reshape.default(cos, [4, 6])", "view", "view", "cos");
    }
    void rules() {
        QFETCH(QString, body);
        QFETCH(QString, last);
        QFETCH(QString, reference);
        QFETCH(QString, extended);
        const std::string text = onCos(body.toStdString(), last.toStdString());
        RUN_PASSES(inReference, text, kReference);
        QVERIFY2(inReference.contains("mul.Tensor](args = (%" + reference.toStdString() + ", 2)"), inReference.after.c_str());
        RUN_PASSES(inExtended, text, kExtended);
        QVERIFY2(inExtended.contains("mul.Tensor](args = (%" + extended.toStdString() + ", 2)"), inExtended.after.c_str());
    }

    void whatDoesNotMatchIsLeftAsItWas() {
        RUN_PASSES(run, onCos("view = torch.ops.aten.view.default(cos, [2, 12])\npermute = torch.ops.aten.permute.default(view, [1, 0])", "permute"), kExtended);
        QCOMPARE(run.after, run.before);
    }

    void mergedViewReadsTheFirstOperand() {
        RUN_PASSES(run, onCos("view = torch.ops.aten.view.default(cos, [24])\nview_1 = torch.ops.aten.view.default(view, [2, -1])", "view_1"), kExtended);
        QVERIFY(run.contains("torch.ops.aten.view.default](args = (%cos, [2, 12])"));
        QCOMPARE(run.count("aten.view.default"), 1);
    }

    void permutesCompose() {
        const std::string text = readableGraph(R"(x: "f32[2, 3, 4][12, 4, 1]cpu")", R"(a = torch.ops.aten.permute.default(x, [1, 2, 0])
                                                                                       b = torch.ops.aten.permute.default(a, [0, -1, 1])
                                                                                       c = torch.ops.aten.cos.default(b)
                                                                                       return (c,))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.count("aten.permute.default"), 2);
        RUN_PASSES(extended, text, kExtended);
        QCOMPARE(extended.count("aten.permute.default"), 1);
        QVERIFY(extended.contains("permute.default](args = (%x, [1, 0, 2])"));
    }

    /// Only axes of size 1 move, and nobody can tell.
    void permuteOfOnes() {
        const std::string text = readableGraph(R"(x: "f32[1, 1, 4][4, 4, 1]cpu")", R"(a: "f32[1, 1, 4][4, 4, 1]cpu" = torch.ops.aten.permute.default(x, [1, 0, 2])
                                                                                     c = torch.ops.aten.cos.default(a)
                                                                                     return (c,))");
        RUN_PASSES(run, text, kExtended);
        QCOMPARE(run.count("aten.permute.default"), 0);
    }

    /// E5, in front of the chunker: product, view, conversion, view back.
    void conversionsBetweenViews() {
        const std::string text = readableGraph(R"(x: "bf16[8, 16][16, 1]cpu", w: "bf16[16, 4][4, 1]cpu")",
                                               R"(mm: "bf16[8, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, w)
                                                  view: "bf16[2, 4, 4][16, 4, 1]cpu" = torch.ops.aten.view.default(mm, [2, 4, 4])
                                                  wide: "f32[2, 4, 4][16, 4, 1]cpu" = torch.ops.prims.convert_element_type.default(view, torch.float32)
                                                  flat: "f32[8, 4][4, 1]cpu" = torch.ops.aten.view.default(wide, [-1, 4])
                                                  return (torch.ops.aten.exp.default(flat),))");
        RUN_PASSES(off, text, kExtended);
        QCOMPARE(off.after, off.before);
        RUN_PASSES(on, text, "canonicalize-views{mode=extended,hoist-conversions=on}");
        QVERIFY2(on.contains("convert_element_type.default](args = (%mm, torch.float32)"), on.after.c_str());
        QVERIFY(on.contains("exp.default](args = (%convert_element_type_default,)"));
        QCOMPARE(on.count("aten.view.default"), 0);
    }
    void conversionsThatOthersReadStay() {
        RUN_PASSES(run, readableGraph(R"(x: "bf16[8, 4][4, 1]cpu")", R"(view: "bf16[2, 16][16, 1]cpu" = torch.ops.aten.view.default(x, [2, 16])
                                                                        wide: "f32[2, 16][16, 1]cpu" = torch.ops.prims.convert_element_type.default(view, torch.float32)
                                                                        return (torch.ops.aten.exp.default(wide), torch.ops.aten.neg.default(view)))"),
                   "canonicalize-views{mode=extended,hoist-conversions=on}");
        QCOMPARE(run.after, run.before);
    }

    void innerWithMoreUsers() {
        const std::string text = readableGraph(R"(x: "f32[4, 6][6, 1]cpu")", R"(a = torch.ops.aten.permute.default(x, [1, 0])
                                                                                b = torch.ops.aten.permute.default(a, [1, 0])
                                                                                c = torch.ops.aten.cos.default(b)
                                                                                d = torch.ops.aten.cos.default(a)
                                                                                return (c, d))");
        RUN_PASSES(reference, text, kReference);
        QCOMPARE(reference.after, reference.before);
        QVERIFY(std::any_of(reference.decisions.begin(), reference.decisions.end(),
                            [](const Decision& d) { return d.code == "MULTI_USER" && d.rule == "R3" && d.node.name == "b" && d.blocker.name == "a"; }));
        RUN_PASSES(extended, text, kExtended);
        QVERIFY(extended.contains("cos.default](args = (%x,)"));
        QCOMPARE(extended.count("aten.permute.default"), 1);
    }

    /// A transposed tensor has no flat view; the pair goes through a copy that stands between.
    void stridesThatNeedACopy() {
        const std::string text = readableGraph(R"(x: "f32[4, 6][1, 4]cpu")", R"(a: "f32[2, 2, 6][2, 1, 4]cpu" = torch.ops.aten.view.default(x, [2, 2, 6])
                                                                                b: "f32[24][1]cpu" = torch.ops.aten.reshape.default(a, [24])
                                                                                c: "f32[4, 6][6, 1]cpu" = torch.ops.aten.reshape.default(b, [4, 6])
                                                                                return (torch.ops.aten.cos.default(c),))");
        RUN_PASSES(run, text, kExtended);
        QVERIFY2(run.contains("reshape.default](args = (%x, [24])"), run.after.c_str());
        QVERIFY2(run.contains("[4, 6])") && run.count("aten.reshape.default") == 2, "the layout of c is not that of x");
    }

    void viewThatTheSolverRejects() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 6][1, 4]cpu")", R"(a: "f32[4, 2, 3][1, 12, 4]cpu" = torch.ops.aten.view.default(x, [4, 2, 3])
                                                                       b: "f32[24][1]cpu" = torch.ops.aten.view.default(a, [24])
                                                                       return (torch.ops.aten.cos.default(b),))"),
                   kExtended);
        QCOMPARE(run.after, run.before);
        QVERIFY(std::any_of(run.decisions.begin(), run.decisions.end(), [](const Decision& d) { return d.code == "STRIDE" && d.rule == "E1"; }));
    }

    void symbolsAreEqualOrUndecided() {
        const auto graph = [](const char* size) {
            return readableGraph(R"x(arg0_1: "Sym(s77)", arg1_1: "Sym(s27)", x: "f32[s77, 4][4, 1]cpu")x",
                                 std::string(R"(y: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.view.default(x, [)") + size + R"(, 4])
                                                z = torch.ops.aten.cos.default(y)
                                                return (z,))");
        };
        for (const char* mode : {kReference, kExtended}) {
            RUN_PASSES(run, graph("arg0_1"), mode);
            QVERIFY(run.contains("cos.default](args = (%x,)"));
        }
        RUN_PASSES(undecided, graph("arg1_1"), kReference);
        QCOMPARE(undecided.after, undecided.before);
        QVERIFY(std::any_of(undecided.decisions.begin(), undecided.decisions.end(), [](const Decision& d) { return d.code == "UNDECIDED_SIZE"; }));
    }

    void outputsNeverBecomeInputs() {
        const std::string text = readableGraph(R"(x: "f32[4, 6][6, 1]cpu")", R"(y: "f32[4, 6][6, 1]cpu" = torch.ops.aten.view.default(x, [4, 6])
                                                                                return (y,))");
        RUN_PASSES(reference, text, kReference);
        QVERIFY(reference.contains("return (x,)"));
        RUN_PASSES(extended, text, kExtended);
        QCOMPARE(extended.after, extended.before);
        QVERIFY(std::any_of(extended.decisions.begin(), extended.decisions.end(), [](const Decision& d) { return d.code == "OUTPUT_ALIAS"; }));
    }

    void outputsNeverBecomeOneAnother() {
        RUN_PASSES(run, onCos("view = torch.ops.aten.view.default(cos, [4, 6])\nview_1 = torch.ops.aten.view.default(cos, [4, 6])\nreturn (view, view_1)", "view"),
                   kExtended);
        QVERIFY2(run.contains("return (cos, view_1)"), run.after.c_str());
    }

    void matchesStayOnOneSideOfAWrite() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 6][6, 1]cpu")", R"(a = torch.ops.aten.cos.default(x)
                                                                       b = torch.ops.aten.view.default(x, [24])
                                                                       copy_ = torch.ops.aten.copy_.default(x, a)
                                                                       c = torch.ops.aten.view.default(b, [4, 6])
                                                                       d = torch.ops.aten.cos.default(c)
                                                                       return (d,))"),
                   kReference);
        QCOMPARE(run.after, run.before);
        QVERIFY(std::any_of(run.decisions.begin(), run.decisions.end(), [](const Decision& d) { return d.code == "REGION" && d.rule == "R2"; }));
    }

    void unsupportedTypesAreLeft() {
        RUN_PASSES(run, readableGraph(R"(x: "c64[4, 6][6, 1]cpu")", R"(y: "c64[4, 6][6, 1]cpu" = torch.ops.aten.view.default(x, [4, 6])
                                                                       z = torch.ops.aten.mul.Tensor(y, 2)
                                                                       return (z,))"),
                   kExtended);
        QCOMPARE(run.after, run.before);
    }

    void graphsWithWritesAreLeft() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 6][6, 1]cpu")", R"(c = torch.ops.aten.cos.default(x)
                                                                       y = torch.ops.aten.view.default(c, [4, 6])
                                                                       add_ = torch.ops.aten.add_.Tensor(c, 1)
                                                                       return (y,))"),
                   kExtended);
        QCOMPARE(run.after, run.before);
        QVERIFY(run.diagnostic("NEEDS_FUNCTIONAL"));
    }
};

QTEST_APPLESS_MAIN(CanonicalizeViewsTest)
#include "tst_canonicalize_views.moc"
