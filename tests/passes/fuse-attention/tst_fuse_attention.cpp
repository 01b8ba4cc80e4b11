// Attention fusion (patterns.md 3, 5, 12 to 16): text in, text out; what must stay, and what is said about it.

#include <QTemporaryDir>
#include <fstream>

#include "tests/passes/fuse-attention/attention_text.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

const Decision* decisionOf(const PassRun& run, const std::string& verdict, const std::string& code = {}) {
    for (const Decision& d : run.decisions)
        if (d.verdict == verdict && (code.empty() || d.code == code)) return &d;
    return nullptr;
}

std::string sentenceOf(const PassRun& run, const std::string& verdict, const std::string& code) {
    const Decision* d = decisionOf(run, verdict, code);
    if (!d) {
        std::string all = "no such decision; there are";
        for (const Decision& other : run.decisions) all += " " + other.verdict + ":" + other.code + "(" + other.rule + ")";
        return all;
    }
    Diagnostic sentence = info(d->code, d->params);
    return sentence.sentence();
}

}  // namespace

class FuseAttentionTest : public QObject {
    Q_OBJECT

private slots:
    void pattern1() {
        RUN_PASSES(run, attention({}), "fuse-attention");
        QCOMPARE(QString::fromStdString(run.after).trimmed(), QString(R"(graph():
    %q : [num_users=1] = placeholder[target=q]
    %k : [num_users=1] = placeholder[target=k]
    %v : [num_users=1] = placeholder[target=v]
    %_scaled_dot_product_cudnn_attention_default : [num_users=1] = call_function[target=torch.ops.aten._scaled_dot_product_cudnn_attention.default](args = (%q, %k, %v, None, False), kwargs = {scale: 0.125})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%_scaled_dot_product_cudnn_attention_default, 0), kwargs = {})
    return (getitem,)
)")
                                                                  .trimmed());
        const Decision* applied = decisionOf(run, "applied", "APPLIED");
        QVERIFY(applied);
        QCOMPARE(applied->rule, std::string("sdpa_1_half_inference"));
        QCOMPARE(sentenceOf(run, "applied", "APPLIED"),
                 std::string("sdpa_1_half_inference replaced 21 nodes by _scaled_dot_product_cudnn_attention_default."));
    }

    void kernels_data() {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("kernel");
        QTest::newRow("f16") << "f16"
                             << "cuda:0"
                             << "aten._scaled_dot_product_cudnn_attention.default";
        QTest::newRow("bf16") << "bf16"
                              << "cuda:1"
                              << "aten._scaled_dot_product_cudnn_attention.default";
        QTest::newRow("f32") << "f32"
                             << "cuda:0"
                             << "aten._scaled_dot_product_efficient_attention.default";
        QTest::newRow("cpu") << "f32"
                             << "cpu"
                             << "aten._scaled_dot_product_flash_attention_for_cpu.default";
        QTest::newRow("cpu f16") << "f16"
                                 << "cpu"
                                 << "aten._scaled_dot_product_flash_attention_for_cpu.default";
    }
    void kernels() {
        QFETCH(QString, dtype);
        QFETCH(QString, device);
        QFETCH(QString, kernel);
        Attention a;
        a.dtype = dtype.toStdString();
        a.device = device.toStdString();
        for (const char* passes : {"fuse-attention{tf32=on}", "canonicalize-views{mode=extended},fuse-attention{mode=extended}"}) {
            RUN_PASSES(run, attention(a), passes);
            QVERIFY2(run.count(kernel.toStdString()) == 1, run.after.c_str());
            QVERIFY(run.contains("kwargs = {scale: 0.125}"));
        }
    }

    void floatsOnCudaNeedTf32() {
        Attention a;
        a.dtype = "f32";
        RUN_PASSES(run, attention(a), "fuse-attention");
        QCOMPARE(run.after, run.before);
        QCOMPARE(sentenceOf(run, "refused", "TF32_OFF"), std::string("float32 on CUDA is fused only when TF32 products are allowed."));
    }

    void multiplied() {
        Attention a;
        a.scale = "mul.Tensor(view_2, 0.3)";
        RUN_PASSES(run, attention(a), "fuse-attention");
        QVERIFY2(run.contains("kwargs = {scale: 0.3}"), run.after.c_str());
    }

    void maskWithFactorIsLeftByTheReference() {
        Attention a;
        a.scale = "mul.Tensor(view_2, 0.125)";
        a.mask = "f16[1, 1, 16, 16][256, 256, 16, 1]";
        RUN_PASSES(reference, attention(a), "fuse-attention");
        QCOMPARE(reference.after, reference.before);
        const std::string near = sentenceOf(reference, "refused", "OP");
        QVERIFY2(near == "Pattern wants aten::div.Tensor at scaled, graph has aten::mul.Tensor.", near.c_str());
        RUN_PASSES(extended, attention(a), "fuse-attention{mode=extended}");
        QVERIFY2(extended.contains("args = (%q, %k, %v, %m, False), kwargs = {scale: 0.125}"), extended.after.c_str());
    }

    void maskIsCastToTheQuery() {
        Attention a;
        a.dtype = "f16";
        a.scale = "div.Tensor(view_2, 8.0)";
        a.mask = "f16[1, 1, 16, 16][256, 256, 16, 1]";
        RUN_PASSES(run, attention(a), "fuse-attention");
        QVERIFY2(run.contains("args = (%q, %k, %v, %m, False), kwargs = {}"), run.after.c_str());
    }

    void anotherAxis() {
        Attention a;
        a.axis = "-2";
        RUN_PASSES(reference, attention(a), "fuse-attention");
        QCOMPARE(reference.count("aten._scaled_dot_product_cudnn_attention.default"), 1);
        QVERIFY2(decisionOf(reference, "applied", "SOFTMAX_AXIS"), sentenceOf(reference, "applied", "SOFTMAX_AXIS").c_str());
        RUN_PASSES(extended, attention(a), "fuse-attention{mode=extended}");
        QCOMPARE(extended.after, extended.before);
        QCOMPARE(sentenceOf(extended, "refused", "SOFTMAX_AXIS"), std::string("Softmax runs over axis [-2]; the kernel needs the last one."));
    }

    void lastAxisFromTheFront() {
        Attention a;
        a.axis = "3";
        RUN_PASSES(run, attention(a), "fuse-attention{mode=extended}");
        QVERIFY2(run.count("aten._scaled_dot_product_cudnn_attention.default") == 1, run.after.c_str());
    }

    void fixedScale() {
        Attention a;
        a.scale = "div.Tensor(view_2, 3.0)";
        a.mask = "f16[1, 1, 16, 16][256, 256, 16, 1]";
        RUN_PASSES(reference, attention(a), "fuse-attention");
        QVERIFY2(reference.contains("args = (%q, %k, %v, %m, False), kwargs = {}"), reference.after.c_str());
        QCOMPARE(sentenceOf(reference, "applied", "SCALE_NOT_SQRT_D"), std::string("Scale at scaled is 3.0; 8 wanted."));
        // The masked form with any divisor gives the right scale.
        RUN_PASSES(extended, attention(a), "fuse-attention{mode=extended}");
        QVERIFY2(extended.contains("kwargs = {scale: 0.3333333333333333}"), extended.after.c_str());
    }

    void lowerTriangles_data() {
        QTest::addColumn<QString>("keep");
        QTest::addColumn<bool>("causal");
        QTest::newRow("column <= row") << "le.Tensor(columns, rows)" << true;
        QTest::newRow("row >= column") << "ge.Tensor(rows, columns)" << true;
        QTest::newRow("one more") << "lt.Tensor(rows, columns)" << false;
        QTest::newRow("upper") << "le.Tensor(rows, columns)" << false;
        QTest::newRow("strict") << "lt.Tensor(columns, rows)" << false;
    }
    void lowerTriangles() {
        QFETCH(QString, keep);
        QFETCH(bool, causal);
        Attention a;
        a.keep = keep.toStdString();
        RUN_PASSES(run, attention(a), "fuse-attention{mode=extended}");
        if (causal)
            QVERIFY2(run.contains("args = (%q, %k, %v, None, False, 0.0, True), kwargs = {scale: 0.125}"), run.after.c_str());
        else
            QCOMPARE(run.after, run.before);
    }

    void symbolicLengths() {
        QString text = QString::fromStdString(attention({}));
        const std::pair<const char*, const char*> changes[] = {{"[2, 4, 16, 64])", "[2, 4, n, 64])"},
                                                               {"[2, 4, 64, 16])", "[2, 4, 64, n])"},
                                                               {"[2, 4, 16, 16])", "[2, 4, n, n])"},
                                                               {"[8, 16, 64])", "[8, n, 64])"},
                                                               {"[8, 64, 16])", "[8, 64, n])"},
                                                               {"[8, 16, 16])", "[8, n, n])"},
                                                               {"[2, 4, 16, 64]", "[2, 4, s0, 64]"},
                                                               {"[2, 4, 64, 16]", "[2, 4, 64, s0]"},
                                                               {"[2, 4, 16, 16]", "[2, 4, s0, s0]"},
                                                               {"[2, 4, 16, 1]", "[2, 4, s0, 1]"},
                                                               {"[8, 16, 64]", "[8, s0, 64]"},
                                                               {"[8, 64, 16]", "[8, 64, s0]"},
                                                               {"[8, 16, 16]", "[8, s0, s0]"},
                                                               {"[4096, 1024, 64, 1]", "[256*s0, 64*s0, 64, 1]"},
                                                               {"[4096, 1024, 1, 64]", "[256*s0, 64*s0, 1, 64]"},
                                                               {"[1024, 256, 16, 1]", "[4*s0**2, s0**2, s0, 1]"},
                                                               {"[64, 16, 1, 1]", "[4*s0, s0, 1, 1]"},
                                                               {"[1024, 64, 1]", "[64*s0, 64, 1]"},
                                                               {"[1024, 1, 64]", "[64*s0, 1, 64]"},
                                                               {"[256, 16, 1]", "[s0**2, s0, 1]"},
                                                               {"self, ", "self, n: \"Sym(s0)\", "}};
        for (const auto& [from, to] : changes) text.replace(QLatin1String(from), QLatin1String(to));
        for (const char* passes : {"fuse-attention", "fuse-attention{mode=extended}"}) {
            RUN_PASSES(run, text.toStdString(), passes);
            QVERIFY2(run.contains("args = (%q, %k, %v, None, False), kwargs = {scale: 0.125}"), run.after.c_str());
        }
    }

    void mixedDtypes() {
        Attention a;
        a.keyDType = "bf16";
        RUN_PASSES(run, attention(a), "fuse-attention");
        QCOMPARE(run.after, run.before);
        QCOMPARE(sentenceOf(run, "refused", "DTYPE_QKV"), std::string("query, key and value have dtypes f16, bf16, f16."));
    }

    void scaleThatIsNoNumber() {
        std::string text = attention({});
        text.replace(text.find("view_2, 8.0"), 11, "view_2, view_2");
        RUN_PASSES(run, text, "fuse-attention");
        QCOMPARE(run.after, run.before);
    }

    void weightsThatAreReturned() {
        Attention a;
        a.result = "view_5, convert_1";
        for (const char* passes : {"fuse-attention", "fuse-attention{mode=extended}"}) {
            RUN_PASSES(run, attention(a), passes);
            QCOMPARE(run.after, run.before);
            QVERIFY2(decisionOf(run, "refused", "USER_OUTSIDE"), sentenceOf(run, "refused", "USER_OUTSIDE").c_str());
        }
    }

    void writesInBetween() {
        std::string text = attention({});
        const auto at = text.find("        scaled:");
        text.insert(at, R"(        copy_: "f16[2, 4, 16, 64][4096, 1024, 64, 1]cuda:0" = torch.ops.aten.copy_.default(q, v))"
                        "\n");
        for (const char* passes : {"fuse-attention", "fuse-attention{mode=extended}"}) {
            RUN_PASSES(run, text, passes);
            QCOMPARE(run.after, run.before);
            const Decision* d = decisionOf(run, "refused", "REGION");
            QVERIFY2(d && d->blocker.name == "copy_", sentenceOf(run, "refused", "REGION").c_str());
        }
    }

    void oneReasonIsSaidOnce() {
        Attention a;
        a.dtype = "f32";
        RUN_PASSES(run, attention(a), "fuse-attention");
        QCOMPARE(run.decisions.size(), std::size_t(1));
    }

    void attentionBeforeDecomposition() {
        const std::string q = R"("f32[1, 2, 8, 4][64, 32, 4, 1]cpu")", folded = R"("f32[2, 8, 4][32, 4, 1]cpu")",
                          score = R"("f32[1, 2, 8, 8][128, 64, 8, 1]cpu")", flat = R"("f32[2, 8, 8][64, 8, 1]cpu")";
        const auto text = [&](const std::string& transpose, const std::string& axis) {
            return readableGraph("q: " + q + ", k: " + q + ", v: " + q,
                                 "transpose: \"f32[1, 2, 4, 8][64, 32, 1, 4]cpu\" = torch.ops.aten.transpose.int(k, " + transpose +
                                     ")\n"
                                     "expand: " +
                                     q +
                                     " = torch.ops.aten.expand.default(q, [1, 2, 8, 4])\n"
                                     "view: " +
                                     folded +
                                     " = torch.ops.aten.view.default(expand, [2, 8, 4])\n"
                                     "expand_1: \"f32[1, 2, 4, 8][64, 32, 1, 4]cpu\" = torch.ops.aten.expand.default(transpose, [1, 2, 4, 8])\n"
                                     "view_1: \"f32[2, 4, 8][32, 1, 4]cpu\" = torch.ops.aten.view.default(expand_1, [2, 4, 8])\n"
                                     "bmm: " +
                                     flat +
                                     " = torch.ops.aten.bmm.default(view, view_1)\n"
                                     "_unsafe_view: " +
                                     score +
                                     " = torch.ops.aten._unsafe_view.default(bmm, [1, 2, 8, 8])\n"
                                     "mul: " +
                                     score +
                                     " = torch.ops.aten.mul.Tensor(_unsafe_view, 0.3)\n"
                                     "_softmax: " +
                                     score + " = torch.ops.aten._softmax.default(mul, " + axis +
                                     ", False)\n"
                                     "expand_2: " +
                                     score +
                                     " = torch.ops.aten.expand.default(_softmax, [1, 2, 8, 8])\n"
                                     "view_2: " +
                                     flat +
                                     " = torch.ops.aten.view.default(expand_2, [2, 8, 8])\n"
                                     "expand_3: " +
                                     q +
                                     " = torch.ops.aten.expand.default(v, [1, 2, 8, 4])\n"
                                     "view_3: " +
                                     folded +
                                     " = torch.ops.aten.view.default(expand_3, [2, 8, 4])\n"
                                     "bmm_1: " +
                                     folded +
                                     " = torch.ops.aten.bmm.default(view_2, view_3)\n"
                                     "_unsafe_view_1: " +
                                     q +
                                     " = torch.ops.aten._unsafe_view.default(bmm_1, [1, 2, 8, 4])\n"
                                     "return (_unsafe_view_1,)");
        };
        for (const auto& [transpose, axis] : {std::pair("-2, -1", "-1"), std::pair("3, 2", "3")}) {
            RUN_PASSES(run, text(transpose, axis), "fuse-attention{mode=extended}");
            QVERIFY2(run.contains("_scaled_dot_product_flash_attention_for_cpu.default](args = (%q, %k, %v), kwargs = {scale: 0.3})"),
                     (run.after + sentenceOf(run, "refused", "X")).c_str());
        }
        RUN_PASSES(otherAxis, text("-2, -1", "-2"), "fuse-attention{mode=extended}");
        QCOMPARE(otherAxis.after, otherAxis.before);
    }

    void nearMissesNameTheirNodes() {
        Attention a;
        a.scale = "sub.Tensor(view_2, 8.0)";
        RUN_PASSES(run, attention(a), "fuse-attention");
        const Decision* d = decisionOf(run, "refused", "OP");
        QVERIFY(d);
        QCOMPARE(d->node.name, Name("view_5"));
        QCOMPARE(d->blocker.name, Name("scaled"));
        QVERIFY(d->checks.size() >= 8);
        QCOMPARE(d->checks.front().question, std::string("view_5"));
        QVERIFY(d->checks.back().answer == CheckStep::Answer::Failed);
    }

    // --- files of users
    void ownPatterns() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("own.patterns").toStdString();
        std::ofstream(path) << R"(set own {
            rule sin_cos { find aten.add.Tensor(%s=aten.mul.Tensor(aten.sin($x), aten.sin($x)), aten.mul.Tensor(aten.cos($x), aten.cos($x))) !commute
                           where dtype($x) in [f32, f64], rank($x) <= 2
                           make aten.ones_like($x) }
        })";
        const std::string text = readableGraph(R"(x: "f32[8, 4][4, 1]cpu")", R"(sin: "f32[8, 4][4, 1]cpu" = torch.ops.aten.sin.default(x)
            cos: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cos.default(x)
            mul: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(cos, cos)
            mul_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(sin, sin)
            add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(mul, mul_1)
            relu: "f32[8, 4][4, 1]cpu" = torch.ops.aten.relu.default(add)
            return (relu,))");
        RUN_PASSES(run, text, "fuse-attention{patterns=\"" + path + "\"}");
        QVERIFY2(
            run.contains("%ones_like_default : [num_users=1] = call_function[target=torch.ops.aten.ones_like.default](args = (%x,), kwargs = {})"),
            run.after.c_str());
        QCOMPARE(run.count("aten.sin.default"), 0);
        QCOMPARE(run.count("aten.relu.default"), 1);
    }

    void capturesThatMustDiffer() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("own.patterns").toStdString();
        std::ofstream(path) << "set own { rule r { find aten.relu(aten.add.Tensor(aten.mul.Tensor($x !exclusive, 2.0), $y !exclusive)) make "
                               "aten.add.Tensor($x, $y) } }";
        for (const char* other : {"x", "z"}) {
            RUN_PASSES(run,
                       readableGraph(R"(x: "f32[8][1]cpu", z: "f32[8][1]cpu")", std::string(R"(mul: "f32[8][1]cpu" = torch.ops.aten.mul.Tensor(x, 2.0)
                add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(mul, )") + other + R"()
                relu: "f32[8][1]cpu" = torch.ops.aten.relu.default(add)
                return (relu,))"),
                       "fuse-attention{patterns=\"" + path + "\"}");
            QCOMPARE(run.count("aten.relu.default"), other[0] == 'x' ? 1 : 0);
            if (other[0] == 'x') QCOMPARE(sentenceOf(run, "refused", "EXCLUSIVE"), std::string("$x and $y must differ, both are x."));
        }
    }

    void equalNamesBindEqualThings() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("own.patterns").toStdString();
        std::ofstream(path) << "set own { rule r { find aten.relu(aten.add.Tensor(aten.mul.Tensor($x, 2.0), $x)) make aten.mul.Tensor($x, 3.0) } }";
        for (const char* other : {"x", "z"}) {
            RUN_PASSES(run,
                       readableGraph(R"(x: "f32[8][1]cpu", z: "f32[8][1]cpu")", std::string(R"(mul: "f32[8][1]cpu" = torch.ops.aten.mul.Tensor(x, 2)
                add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(mul, )") + other + R"()
                relu: "f32[8][1]cpu" = torch.ops.aten.relu.default(add)
                return (relu,))"),
                       "fuse-attention{patterns=\"" + path + "\"}");
            QCOMPARE(run.contains("args = (%x, 3.0)"), other[0] == 'x');
            if (other[0] == 'z') QCOMPARE(sentenceOf(run, "refused", "CAPTURE_CONFLICT"), std::string("$x would be both x and z."));
        }
    }

    void theExampleOfTheSpecification() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("own.patterns").toStdString();
        std::ofstream(path) << R"(set own { rule sdpa_scaled prio 10 {
            find mm4( cvt( drop( softmax( cvt( {div|mul}( mm4($q, swap($k)), $c:scalar ) )? , =-1 ), $p )? )?, $v )
            where dtype($q) == dtype($k), dtype($k) == dtype($v), device($q) == device($k), device($k) == device($v)
            make sdpa($q, $k, $v, mask=none, p=$p, scale=scale_of(%0, $c))
        } })";
        for (const auto& [scale, want] : {std::pair("div.Tensor(view_2, 4.0)", "0.25"), std::pair("mul.Tensor(view_2, 0.5)", "0.5")}) {
            Attention a;
            a.scale = scale;
            a.dtype = "f32";  // PyTorch's own patterns want TF32 for it
            RUN_PASSES(run, attention(a), "fuse-attention{patterns=\"" + path + "\"}");
            QVERIFY2(run.contains(std::string("kwargs = {scale: ") + want + "}"), (run.after + sentenceOf(run, "refused", "X")).c_str());
        }
    }

    void badFiles_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::newRow("syntax") << "set s { rule"
                                << "PATTERN_SYNTAX";
        QTest::newRow("operator") << "set s { rule r { find aten.no_such_thing($x) make $x } }"
                                  << "PATTERN_SYNTAX";
        QTest::newRow("capture") << "set s { rule r { find aten.relu($x) make aten.relu($y) } }"
                                 << "PATTERN_SYNTAX";
        QTest::newRow("anything") << "set s { rule r { find $x make $x } }"
                                  << "EMPTY_PATTERN";
        QTest::newRow("empty") << "set s { rule r { find aten.permute(aten.permute($x, [1, 0]), [1, 0]) make $x } }"
                               << "EMPTY_PATTERN";
    }
    void badFiles() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QTemporaryDir folder;
        const std::string path = folder.filePath("own.patterns").toStdString();
        std::ofstream(path) << text.toStdString();
        const auto run = runPasses(attention({}), "fuse-attention{patterns=\"" + path + "\"}");
        QVERIFY2(run.error.find(code.toStdString()) != std::string::npos, run.error.c_str());
    }
};

QTEST_APPLESS_MAIN(FuseAttentionTest)
#include "tst_fuse_attention.moc"
