// Factories, conversions, scans, sorts, searches and random numbers (executor.md 2.3).

#include <cmath>

#include "tests/exec/kernel_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;
using List = QStringList;

class DataKernels : public QObject {
    Q_OBJECT

private slots:
    void creates_data() {
        CALL_COLUMNS();
        CALL_ROW("full of bool", "aten.full.default([2], True)", List{}, "b8[2]: 1 1");
        CALL_ROW("full of int", "aten.full.default([2], 3)", List{}, "i64[2]: 3 3");
        CALL_ROW("full of float", "aten.full.default([2], 3.5)", List{}, "f32[2]: 3.5 3.5");
        CALL_ROW("the value converts like a cast", "aten.full.default([2], 3.9, dtype = torch.int32)", List{}, "i32[2]: 3 3");
        CALL_ROW("scalar_tensor is f32 even for ints", "aten.scalar_tensor.default(3)", List{}, "f32: 3");
        CALL_ROW("iota", "prims.iota.default(4, start = 5, step = -2, dtype = torch.int64, device = 'cpu', requires_grad = False)", List{},
                 "i64[4]: 5 3 1 -1");
        CALL_ROW("arange rounds the step first", "aten.arange.start_step(0, 1.2, 0.3)", List{}, "f32[4]: 0 0.300000012 0.600000024 0.900000036");
        CALL_ROW("arange of integers", "aten.arange.start_step(5, 0, -2)", List{}, "i64[3]: 5 3 1");
        CALL_ROW("linspace", "aten.linspace.default(-1, 1, 5)", List{}, "f32[5]: -1 -0.5 0 0.5 1");
        CALL_ROW("linspace of one", "aten.linspace.default(3, 9, 1)", List{}, "f32[1]: 3");
        CALL_ROW("logspace", "aten.logspace.default(0, 3, 4)", List{}, "f32[4]: 1 10 100 1000");
        CALL_ROW("eye", "aten.eye.m(2, 3)", List{}, "f32[2,3]: 1 0 0 0 1 0");
        CALL_ROW("tril_indices", "aten.tril_indices.default(2, 3, 1)", List{}, "i64[2,5]: 0 0 1 1 1 0 1 0 1 2");
        CALL_ROW("triu_indices", "aten.triu_indices.default(2, 3, 1)", List{}, "i64[2,3]: 0 0 1 1 2 2");
        CALL_ROW("the corner of a triangle", "aten.tril_indices.default(5, 1, -4)", List{}, "i64[2,1]: 4 0");
        CALL_ROW("ones_like keeps the layout", "aten.ones_like.default(x)", List{"f32[2,2][1,2]: 1 2 3 4"}, "f32[2,2][1,2]: 1 1 1 1");
    }
    void creates() { CALL_CHECK(); }

    void converts_data() {
        CALL_COLUMNS();
        const auto to = [](const char* dtype) { return QString("prims.convert_element_type.default(x, torch.") + dtype + ")"; };
        CALL_ROW("overflow of f16", to("float16"), List{"f32[3]: 65519 65520 -65520"}, "f16[3]: 65504 inf -inf");
        CALL_ROW("subnormal f16", to("float16"), List{"f32[3]: 6e-8 2.98023224e-8 8.94069672e-8"}, "f16[3]: 5.96046448e-08 0 1.1920929e-07");
        CALL_ROW("bf16 to nearest even", to("bfloat16"), List{"f32[3]: 1.00390625 1.01171875 nan"}, "bf16[3]: 1 1.015625 nan");
        CALL_ROW("f64 to bf16 goes through f32", to("bfloat16"), List{"f64[1]: 1.0039062500009095"}, "bf16[1]: 1");
        CALL_ROW("i64 to bf16 goes through f32", to("bfloat16"), List{"i64[1]: 257"}, "bf16[1]: 256");
        CALL_ROW("i64 to f32 rounds once", to("float32"), List{"i64[1]: 9007199791611905"}, "f32[1]: 9.00720033e+15");
        CALL_ROW("floats truncate", to("int32"), List{"f32[4]: 1.9 -1.9 0.5 -0.5"}, "i32[4]: 1 -1 0 0");
        CALL_ROW("narrow integers wrap", to("uint8"), List{"i64[3]: 256 -1 300"}, "u8[3]: 0 255 44");
        CALL_ROW("NaN is true", to("bool"), List{"f32[4]: nan 0 -0 0.1"}, "b8[4]: 1 0 0 1");
        CALL_ROW("f8e4m3fn does not saturate", to("float8_e4m3fn"), List{"f32[5]: 448 464 465 -1.0625 0.001953125"},
                 "f8e4m3fn[5]: 448 448 nan -1 0.001953125");
        CALL_ROW("f8e5m2 has infinity", to("float8_e5m2"), List{"f32[3]: 57344 61440 1.1"}, "f8e5m2[3]: 57344 inf 1");
        CALL_ROW("copy in self's layout and type", "aten.copy.default(x, y)", (List{"f16[2,2][1,2]: 0 0 0 0", "f32[2]: 1 2"}),
                 "f16[2,2][1,2]: 1 2 1 2");
        CALL_ROW("clone, row-major", "aten.clone.default(x, memory_format = torch.contiguous_format)", List{"f32[2,2][1,2]: 1 2 3 4"},
                 "f32[2,2]: 1 2 3 4");
        CALL_ROW("fill with a tensor", "aten.fill.Tensor(x, y)", (List{"i64[2]: 1 2", "f32: 7.5"}), "i64[2]: 7 7");
    }
    void converts() { CALL_CHECK(); }

    /// All 16-bit floats survive the way through f32.
    void sixteenBitsSurvive() {
        for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
            const auto word = static_cast<std::uint16_t>(bits);
            if ((bits & 0x7C00) != 0x7C00 || (bits & 0x3FF) == 0)
                QCOMPARE(toHalf(toFloat(Half{word})).bits, word);
            else
                QVERIFY(std::isnan(toFloat(Half{word})));
            if ((bits & 0x7F80) != 0x7F80 || (bits & 0x7F) == 0) QCOMPARE(toBFloat16(toFloat(BFloat16{word})).bits, word);
        }
    }

    void eightBitsSurvive() {
        for (const DType type : {DType::F8E4M3FN, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ, DType::F8E8M0FNU})
            for (int bits = 0; bits < 256; ++bits) {
                const float x = decodeFloat8(type, static_cast<std::uint8_t>(bits));
                if (!std::isnan(x)) QCOMPARE(int(encodeFloat8(type, x)), bits);
            }
    }

    void poisonCanBeTold() {
        Tensor t = tensorFrom("bf16[2,2][1,2]: 1 2 3 4");
        exec::fillPoison(t);
        QCOMPARE(t.as<std::uint16_t>()[3], 0x7FD5);
        QVERIFY(std::isnan(readDouble(t)));
        t = tensorFrom("i32[1]: 1");
        exec::fillPoison(t);
        QCOMPARE(readInteger(t), 0x5A5A5A5A);
    }

    void scansAndSorts_data() {
        CALL_COLUMNS();
        CALL_ROW("cumsum of bool", "aten.cumsum.default(x, 0)", List{"b8[3]: 1 0 1"}, "i64[3]: 1 1 2");
        CALL_ROW("cumsum in another type", "aten.cumsum.default(x, 0, dtype = torch.int32)", List{"i64[3]: 1 2 3"}, "i32[3]: 1 3 6");
        CALL_ROW("cumsum of columns", "aten.cumsum.default(x, 0)", List{"f32[2,2][1,2]: 1 2 3 4"}, "f32[2,2]: 1 2 4 6");
        CALL_ROW("bf16 sums are not rounded in between", "aten.cumsum.default(x, 0)", List{"bf16[4]: 256 1 1 1"}, "bf16[4]: 256 256 258 260");
        CALL_ROW("cumprod", "aten.cumprod.default(x, 0)", List{"f32[3]: 2 3 -1"}, "f32[3]: 2 6 -6");
        CALL_ROW("cummax takes the last of equal ones", "aten.cummax.default(x, 0)", List{"f32[5]: 1 3 3 nan 9"},
                 "f32[5]: 1 3 3 nan nan | i64[5]: 0 1 2 3 3");
        CALL_ROW("logcumsumexp", "aten.logcumsumexp.default(x, 0)", List{"f32[3]: -inf 0 0"}, "f32[3]: -inf 0 0.693147182");
        CALL_ROW("sorts are stable", "aten.sort.default(x)", List{"i64[4]: 2 1 2 1"}, "i64[4]: 1 1 2 2 | i64[4]: 1 3 0 2");
        CALL_ROW("descending ones too", "aten.sort.stable(x, stable = True, descending = True)", List{"i64[4]: 2 1 2 1"},
                 "i64[4]: 2 2 1 1 | i64[4]: 0 2 1 3");
        CALL_ROW("NaN sorts last", "aten.sort.default(x)", List{"f32[3]: nan 2 1"}, "f32[3]: 1 2 nan | i64[3]: 2 1 0");
        CALL_ROW("topk takes the lowest index", "aten.topk.default(x, 2)", List{"f32[4]: 1 5 5 5"}, "f32[2]: 5 5 | i64[2]: 1 2");
        CALL_ROW("NaN is the largest", "aten.topk.default(x, 1)", List{"f32[3]: 1 nan 5"}, "f32[1]: nan | i64[1]: 1");
        CALL_ROW("k beyond the size", "aten.topk.default(x, 4)", List{"f32[3]: 1 2 3"}, "INDEX_OUT_OF_RANGE: r: index 4 at 0 of k is outside 0..3.");
        CALL_ROW("median is the lower middle", "aten.median.dim(x, 0)", List{"f32[4]: 4 1 3 2"}, "f32: 2 | i64: 3");
        CALL_ROW("mode", "aten.mode.default(x)", List{"i64[5]: 3 1 3 1 2"}, "i64: 1 | i64: 3");
        CALL_ROW("kthvalue", "aten.kthvalue.default(x, 2)", List{"i64[3]: 9 7 8"}, "i64: 8 | i64: 2");
        CALL_ROW("histc is closed at the end", "aten.histc.default(x, 2, 0, 2)", List{"f32[5]: 0 1 2 -1 3"}, "f32[2]: 1 2");
        CALL_ROW("histc over the data's range", "aten.histc.default(x, 2)", List{"f32[3]: 4 5 6"}, "f32[2]: 1 2");
        CALL_ROW("bincount", "aten.bincount.default(x, None, 4)", List{"i64[3]: 1 1 2"}, "i64[4]: 0 2 1 0");
        CALL_ROW("negative values", "aten.bincount.default(x)", List{"i64[1]: -1"},
                 "INDEX_OUT_OF_RANGE: r: index -1 at 0 of self is outside 0..2147483648.");
        CALL_ROW("bucketize", "aten.bucketize.Tensor(x, y)", (List{"f32[4]: 0 1 2 nan", "f32[2]: 1 2"}), "i64[4]: 0 0 1 2");
        CALL_ROW("from the right", "aten.bucketize.Tensor(x, y, right = True)", (List{"f32[3]: 0 1 2", "f32[2]: 1 2"}), "i64[3]: 0 1 2");
        CALL_ROW("searchsorted by lines", "aten.searchsorted.Tensor(x, y)", (List{"i64[2,2]: 1 3 2 4", "i64[2,1]: 3 3"}), "i64[2,1]: 1 1");
        CALL_ROW("through a sorter", "aten.searchsorted.Tensor(x, y, sorter = z)", (List{"i64[3]: 5 1 3", "i64[1]: 3", "i64[3]: 1 2 0"}),
                 "i64[1]: 1");
        CALL_ROW("a sorter that leads out", "aten.searchsorted.Tensor(x, y, sorter = z)", (List{"i64[2]: 5 1", "i64[1]: 3", "i64[2]: 9 9"}),
                 "INDEX_OUT_OF_RANGE: r: index 9 at 1 of sorter is outside 0..2.");
        CALL_ROW("unique_consecutive", "aten.unique_consecutive.default(x, True, True)", List{"i64[5]: 1 1 2 1 1"},
                 "i64[3]: 1 2 1 | i64[5]: 0 0 1 2 2 | i64[3]: 2 1 2");
    }
    void scansAndSorts() { CALL_CHECK(); }

    /// What PyTorch prints on CUDA after `torch.manual_seed(0)`.
    void drawsPyTorchsNumbers() {
        const auto rounded = [](const std::string& call) {
            const Ran r = run(forward("", "r = torch.ops." + call + "\nreturn (r,)"), {});
            QString out;
            for (std::int64_t i = 0; i < r.result.outputs.at(0).tensor()->numel(); ++i)
                out += QString::number(readDouble(*r.result.outputs[0].tensor(), i), 'f', 4) + " ";
            return out.trimmed();
        };
        QCOMPARE(rounded("aten.rand.default([5], device = device(type='cuda', index=0))"), QString("0.3990 0.5167 0.0249 0.9401 0.9459"));
        QCOMPARE(rounded("aten.randn.default([5], device = device(type='cuda', index=0))"), QString("-0.9247 -0.4253 -2.6438 0.1452 -0.1209"));
    }

    /// One step of Adam from zero averages moves every element by the learning rate, against the gradient's sign.
    void adamSteps() {
        const std::string call =
            "aten._fused_adam_.default([x], [y], [z], [w], [], [s], lr = 0.1, beta1 = 0.9, beta2 = 0.999, weight_decay = 0.0, eps = 0.0, "
            "amsgrad = False, maximize = False)";
        const Ran r =
            run(forward("x, y, z, w, s", "r = torch.ops." + call + "\nreturn (x, z)"),
                {tensorFrom("f32[2]: 1 1"), tensorFrom("f32[2]: 4 -2"), tensorFrom("f32[2]:"), tensorFrom("f32[2]:"), tensorFrom("f32: 1")});
        QCOMPARE(QString::fromStdString(r.error), QString());
        QCOMPARE(QString::fromStdString(r.outputs), QString("0.9 1.1 | 0.4 -0.2"));
    }

    void dropoutKeepsItsShare() {
        const std::string call = "aten.native_dropout.default(x, 0.25, True)";
        const Ran r = run(forward("x", "r = torch.ops." + call + "\ng0 = r[0]\ng1 = r[1]\nreturn (g0, g1)"), {tensorFrom("f32[10000]:")});
        QCOMPARE(r.error, std::string());
        std::int64_t kept = 0;
        const Tensor mask = *r.result.outputs[1].tensor();
        for (std::int64_t i = 0; i < mask.numel(); ++i) kept += readInteger(mask, i);
        QVERIFY2(std::abs(kept - 7500) < 200, std::to_string(kept).c_str());
    }
};

QTEST_GUILESS_MAIN(DataKernels)
#include "tst_kernels_data.moc"
