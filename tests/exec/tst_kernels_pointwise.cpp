// What elementwise operators compute: promotion, compute types, layout of results, and the facts of each function (executor.md 2.2, 2.3).

#include "tests/exec/kernel_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;
using List = QStringList;

class PointwiseKernels : public QObject {
    Q_OBJECT

private slots:
    void promotes_data() {
        CALL_COLUMNS();
        CALL_ROW("integers divide to f32", "aten.div.Tensor(x, y)", (List{"i64[2]: 3 1", "i64[2]: 2 4"}), "f32[2]: 1.5 0.25");
        CALL_ROW("i64 times a float", "aten.mul.Tensor(x, 0.5)", List{"i64[2]: 3 4"}, "f32[2]: 1.5 2");
        CALL_ROW("i32 plus True", "aten.add.Tensor(x, True)", List{"i32[2]: 3 4"}, "i32[2]: 4 5");
        CALL_ROW("bool times an int", "aten.mul.Tensor(x, 1)", List{"b8[2]: 1 0"}, "i64[2]: 1 0");
        CALL_ROW("bool plus bool is or", "aten.add.Tensor(x, y)", (List{"b8[3]: 1 1 0", "b8[3]: 1 0 0"}), "b8[3]: 1 1 0");
        CALL_ROW("u8 plus i8", "aten.add.Tensor(x, y)", (List{"u8[1]: 200", "i8[1]: 100"}), "i16[1]: 300");
        CALL_ROW("u8 plus 300 wraps", "aten.add.Tensor(x, 300)", List{"u8[1]: 200"}, "u8[1]: 244");
        CALL_ROW("f16 plus bf16", "aten.add.Tensor(x, y)", (List{"f16[1]: 1", "bf16[1]: 2"}), "f32[1]: 3");
        CALL_ROW("i64 plus bf16", "aten.add.Tensor(x, y)", (List{"i64[1]: 257", "bf16[1]: 0"}), "bf16[1]: 256");
        CALL_ROW("0-d f64 does not count", "aten.mul.Tensor(x, y)", (List{"bf16[1]: 2", "f64: 1.5"}), "bf16[1]: 3");
        CALL_ROW("0-d of a higher category counts", "aten.mul.Tensor(x, y)", (List{"i64[1]: 3", "f32: 1.5"}), "f32[1]: 4.5");
        CALL_ROW("branches of where", "aten.where.self(x, y, z)", (List{"b8[2]: 1 0", "i64[2]: 1 2", "f32[2]: 0.5 0.5"}), "f32[2]: 1 0.5");
        CALL_ROW("where with numbers", "aten.where.ScalarOther(x, y, 7)", (List{"b8[2]: 1 0", "i32[2]: 1 2"}), "i32[2]: 1 7");
        CALL_ROW("sums of narrow integers wrap", "aten.add.Tensor(x, y)", (List{"i8[1]: 127", "i8[1]: 1"}), "i8[1]: -128");
        CALL_ROW("i64 wraps", "aten.mul.Tensor(x, 2)", List{"i64[1]: 4611686018427387904"}, "i64[1]: -9223372036854775808");
    }
    void promotes() { CALL_CHECK(); }

    void computesInItsType_data() {
        CALL_COLUMNS();
        CALL_ROW("a number is not rounded to bf16", "aten.mul.Tensor(x, 0.1)", List{"bf16[1]: 9"}, "bf16[1]: 0.8984375");
        CALL_ROW("a 0-d tensor on the device is", "aten.mul.Tensor(x, y)", (List{"bf16[1]: 9", "f32: 0.1"}), "bf16[1]: 0.90234375");
        CALL_ROW("a 0-d tensor on the host is not", "aten.mul.Tensor(x, y)", (List{"bf16[1]: 9", "f32 cpu: 0.1"}), "bf16[1]: 0.8984375");
        CALL_ROW("bf16(0.1) == 0.1", "aten.eq.Scalar(x, 0.1)", List{"bf16[1]: 0.1"}, "b8[1]: 1");
        CALL_ROW("bf16(0.1) > 0.1 is false", "aten.gt.Scalar(x, 0.1)", List{"bf16[1]: 0.1"}, "b8[1]: 0");
        CALL_ROW("alpha times b is not rounded to bf16", "aten.add.Tensor(x, y, alpha = 0.1)", (List{"bf16[1]: 0", "bf16[1]: 9"}),
                 "bf16[1]: 0.8984375");
        CALL_ROW("alpha of integers", "aten.sub.Tensor(x, y, alpha = 3)", (List{"i64[1]: 10", "i64[1]: 2"}), "i64[1]: 4");
        CALL_ROW("fma rounds once", "prims.fma.default(x, y, z)",
                 (List{"f32[1]: 1.000244140625", "f32[1]: 1.000244140625", "f32[1]: -1.00048828125"}), "f32[1]: 5.96046448e-08");
    }
    void computesInItsType() { CALL_CHECK(); }

    void laysResultsOut_data() {
        CALL_COLUMNS();
        const QString p = "f32[2,2][1,2]: 1 2 3 4", c = "f32[2,2]: 10 20 30 40";
        CALL_ROW("the first operand decides", "aten.add.Tensor(x, y)", (List{p, c}), "f32[2,2][1,2]: 11 22 33 44");
        CALL_ROW("so does a row-major one", "aten.add.Tensor(x, y)", (List{c, p}), "f32[2,2]: 11 22 33 44");
        CALL_ROW("a row does not", "aten.add.Tensor(x, y)", (List{"f32[2]: 10 20", p}), "f32[2,2][1,2]: 11 22 13 24");
        CALL_ROW("gaps are closed", "aten.neg.default(x)", List{"f32[2,2][6,2]: 1 2 3 4"}, "f32[2,2]: -1 -2 -3 -4");
        CALL_ROW("stretched dims become whole", "aten.neg.default(x)", List{"f32[2,2][0,1]: 1 2 1 2"}, "f32[2,2]: -1 -2 -1 -2");
        CALL_ROW("size 1 stretches", "aten.add.Tensor(x, y)", (List{"f32[2,1]: 1 2", "f32[1,3]: 10 20 30"}), "f32[2,3]: 11 21 31 12 22 32");
        CALL_ROW("size 0 stays", "aten.add.Tensor(x, y)", (List{"f32[0,1]:", "f32[1,3]: 1 2 3"}), "f32[0,3]:");
    }
    void laysResultsOut() { CALL_CHECK(); }

    void unary_data() {
        CALL_COLUMNS();
        CALL_ROW("rsqrt of zeros", "aten.rsqrt.default(x)", List{"f32[3]: 0 -0 4"}, "f32[3]: inf -inf 0.5");
        CALL_ROW("relu", "aten.relu.default(x)", List{"f32[4]: nan -0 -1 2"}, "f32[4]: nan 0 0 2");
        CALL_ROW("sign", "aten.sign.default(x)", List{"f32[4]: nan -3 0 3"}, "f32[4]: 0 -1 0 1");
        CALL_ROW("round half to even", "aten.round.default(x)", List{"f32[5]: 0.5 1.5 2.5 -0.5 -1.5"}, "f32[5]: 0 2 2 0 -2");
        CALL_ROW("round to decimals", "aten.round.decimals(x, decimals = 1)", List{"f32[2]: 1.26 -1.24"}, "f32[2]: 1.29999995 -1.20000005");
        CALL_ROW("round to tens", "aten.round.decimals(x, decimals = -1)", List{"f32[2]: 126 15"}, "f32[2]: 130 20");
        CALL_ROW("logical_not of NaN", "aten.logical_not.default(x)", List{"f32[3]: nan 0 1"}, "b8[3]: 0 1 0");
        CALL_ROW("bitwise_not of bool", "aten.bitwise_not.default(x)", List{"b8[2]: 1 0"}, "b8[2]: 0 1");
        CALL_ROW("bitwise_not of u8", "aten.bitwise_not.default(x)", List{"u8[2]: 0 5"}, "u8[2]: 255 250");
        CALL_ROW("integers become f32", "aten.exp.default(x)", List{"i64[1]: 0"}, "f32[1]: 1");
        CALL_ROW("floor keeps integers", "aten.floor.default(x)", List{"i32[2]: -3 3"}, "i32[2]: -3 3");
        CALL_ROW("erfinv", "aten.erfinv.default(x)", List{"f64[5]: 0.5 -0.9 1 -1 2"}, "f64[5]: 0.476936276 -1.16308715 inf -inf nan");
        CALL_ROW("nan_to_num", "aten.nan_to_num.default(x)", List{"f16[3]: nan inf -inf"}, "f16[3]: 0 65504 -65504");
        CALL_ROW("nan_to_num with numbers", "aten.nan_to_num.default(x, 1.0, 2.0, 3.0)", List{"f32[4]: nan inf -inf 5"}, "f32[4]: 1 2 3 5");
        CALL_ROW("frexp", "aten.frexp.Tensor(x)", List{"f32[3]: 8 -0.75 0"}, "f32[3]: 0.5 -0.75 0 | i32[3]: 4 0 0");
        CALL_ROW("angle", "aten.angle.default(x)", List{"f32[3]: -1 0 nan"}, "f32[3]: 3.14159274 0 nan");
        CALL_ROW("logit clamps", "aten.logit.default(x, 0.25)", List{"f32[2]: 0 1"}, "f32[2]: -1.09861231 1.09861231");
    }
    void unary() { CALL_CHECK(); }

    void reluGivesPositiveZero() {
        const Ran r = run(forward("x", "a = torch.ops.aten.relu.default(x)\nb = torch.ops.aten.reciprocal.default(a)\nreturn (b,)"),
                          {tensorFrom("f32[1]: -0")});
        QCOMPARE(QString::fromStdString(r.outputs), QString("inf"));
    }

    void binary_data() {
        CALL_COLUMNS();
        CALL_ROW("maximum keeps NaN", "aten.maximum.default(x, y)", (List{"f32[3]: nan 1 2", "f32[3]: 0 nan 1"}), "f32[3]: nan nan 2");
        CALL_ROW("fmax drops NaN", "aten.fmax.default(x, y)", (List{"f32[3]: nan 1 2", "f32[3]: 0 nan 1"}), "f32[3]: 0 1 2");
        CALL_ROW("clamp keeps NaN", "aten.clamp.default(x, 0, 1)", List{"f32[4]: nan -2 0.5 7"}, "f32[4]: nan 0 0.5 1");
        CALL_ROW("clamp where bounds cross", "aten.clamp.default(x, 3, 1)", List{"f32[2]: 0 9"}, "f32[2]: 1 1");
        CALL_ROW("clamp from below", "aten.clamp.default(x, 1)", List{"i64[2]: 0 2"}, "i64[2]: 1 2");
        CALL_ROW("floor of integers", "aten.div.Tensor_mode(x, y, rounding_mode = 'floor')", (List{"i64[4]: 7 -7 7 -7", "i64[4]: 2 2 -2 -2"}),
                 "i64[4]: 3 -4 -4 3");
        CALL_ROW("trunc of integers", "aten.div.Tensor_mode(x, y, rounding_mode = 'trunc')", (List{"i64[4]: 7 -7 7 -7", "i64[4]: 2 2 -2 -2"}),
                 "i64[4]: 3 -3 -3 3");
        CALL_ROW("floor of floats is Python's", "aten.div.Tensor_mode(x, y, rounding_mode = 'floor')",
                 (List{"f64[4]: 5 1 -1 0", "f64[4]: 0.1 0 0 0"}), "f64[4]: 49 inf -inf nan");
        CALL_ROW("integers by 0", "aten.div.Tensor_mode(x, y, rounding_mode = 'floor')", (List{"i64[2]: 1 2", "i64[2]: 1 0"}),
                 "DIVISION_BY_ZERO: r: integer division by 0 at element 1.");
        CALL_ROW("remainder has the divisor's sign", "aten.remainder.Tensor(x, y)", (List{"f32[4]: 7 -7 7 -7", "f32[4]: 3 3 -3 -3"}),
                 "f32[4]: 1 2 -2 -1");
        CALL_ROW("fmod has the dividend's", "aten.fmod.Tensor(x, y)", (List{"i64[4]: 7 -7 7 -7", "i64[4]: 3 3 -3 -3"}), "i64[4]: 1 -1 1 -1");
        CALL_ROW("the smallest i64 by -1", "aten.floor_divide.default(x, -1)", List{"i64[1]: -9223372036854775808"}, "i64[1]: -9223372036854775808");
        CALL_ROW("square", "aten.pow.Tensor_Scalar(x, 2)", List{"f32[2]: 3 -0.5"}, "f32[2]: 9 0.25");
        CALL_ROW("square root", "aten.pow.Tensor_Scalar(x, 0.5)", List{"f32[2]: 9 2"}, "f32[2]: 3 1.41421354");
        CALL_ROW("inverse square root", "aten.pow.Tensor_Scalar(x, -0.5)", List{"f32[2]: 4 0"}, "f32[2]: 0.5 inf");
        CALL_ROW("negative base, fraction", "aten.pow.Tensor_Scalar(x, 0.3)", List{"f32[1]: -2"}, "f32[1]: nan");
        CALL_ROW("integers to a negative power", "aten.pow.Tensor_Scalar(x, -1)", List{"i64[1]: 2"},
                 "UNSUPPORTED_OP: aten::pow.Tensor_Scalar at r cannot run: integers to negative integer powers are not allowed. Give a body with "
                 "--ops, or --stand-in.");
        CALL_ROW("integer powers wrap", "aten.pow.Tensor_Scalar(x, 8)", List{"u8[2]: 2 3"}, "u8[2]: 0 161");
        CALL_ROW("shifts", "aten.bitwise_left_shift.Tensor(x, y)", (List{"i8[4]: 1 1 1 -1", "i8[4]: 3 7 8 1"}), "i8[4]: 8 -128 0 -2");
        CALL_ROW("right shifts keep the sign", "aten.bitwise_right_shift.Tensor(x, y)", (List{"i32[3]: -8 -8 8", "i32[3]: 1 40 2"}),
                 "i32[3]: -4 -1 2");
        CALL_ROW("bitwise_and of bool", "aten.bitwise_and.Tensor(x, y)", (List{"b8[2]: 1 1", "b8[2]: 1 0"}), "b8[2]: 1 0");
        CALL_ROW("gcd and signs", "aten.gcd.default(x, y)", (List{"i64[3]: 12 -12 0", "i64[3]: 18 18 5"}), "i64[3]: 6 6 5");
        CALL_ROW("lcm", "aten.lcm.default(x, y)", (List{"i64[3]: 4 -4 0", "i64[3]: 6 6 5"}), "i64[3]: 12 12 0");
        CALL_ROW("heaviside", "aten.heaviside.default(x, y)", (List{"f32[3]: -1 0 2", "f32: 0.5"}), "f32[3]: 0 0.5 1");
        CALL_ROW("xlogy", "aten.xlogy.Tensor(x, y)", (List{"f32[3]: 0 0 1", "f32[3]: 0 nan 1"}), "f32[3]: 0 nan 0");
        CALL_ROW("lerp", "aten.lerp.Scalar(x, y, 0.25)", (List{"f32[2]: 0 4", "f32[2]: 4 8"}), "f32[2]: 1 5");
        CALL_ROW("addcmul", "aten.addcmul.default(x, y, z, value = 2)", (List{"f32[1]: 1", "f32[1]: 3", "f32[1]: 4"}), "f32[1]: 25");
        CALL_ROW("masked_fill keeps the type", "aten.masked_fill.Scalar(x, y, -65536.0)", (List{"bf16[2]: 1 2", "b8[2]: 0 1"}), "bf16[2]: 1 -65536");
        CALL_ROW("isclose of infinities", "aten.isclose.default(x, y)", (List{"f32[3]: inf inf nan", "f32[3]: inf 1 nan"}), "b8[3]: 1 0 0");
        CALL_ROW("isin", "aten.isin.Tensor_Tensor(x, y)", (List{"i64[4]: 1 2 3 4", "i64[2]: 4 2"}), "b8[4]: 0 1 0 1");
        CALL_ROW("shapes that clash", "aten.copy.default(x, y)", (List{"f32[2]: 1 2", "f32[3]: 1 2 3"}),
                 "SHAPE_MISMATCH: r: operand has shape [3], a shape that broadcasts to [2] expected.");
    }
    void binary() { CALL_CHECK(); }

    void activations_data() {
        CALL_COLUMNS();
        CALL_ROW("gelu", "aten.gelu.default(x)", List{"f32[3]: -1 0 1"}, "f32[3]: -0.158655256 0 0.841344714");
        CALL_ROW("gelu by tanh", "aten.gelu.default(x, approximate = 'tanh')", List{"f32[2]: -1 1"}, "f32[2]: -0.158807993 0.841192007");
        CALL_ROW("derivative of gelu at 0", "aten.gelu_backward.default(x, y)", (List{"f32[1]: 2", "f32[1]: 0"}), "f32[1]: 1");
        CALL_ROW("silu", "aten.silu.default(x)", List{"f32[2]: 0 1"}, "f32[2]: 0 0.731058598");
        CALL_ROW("elu", "aten.elu.default(x, 2)", List{"f32[2]: 1 -100"}, "f32[2]: 1 -2");
        CALL_ROW("threshold_backward", "aten.threshold_backward.default(x, y, 0)", (List{"f32[3]: 5 6 7", "f32[3]: -1 0 1"}), "f32[3]: 0 0 7");
        CALL_ROW("hardtanh_backward", "aten.hardtanh_backward.default(x, y, -1, 1)", (List{"f32[3]: 5 6 7", "f32[3]: -1 0 1"}), "f32[3]: 0 6 0");
        CALL_ROW("softplus is linear far out", "aten.softplus.default(x)", List{"f32[2]: 21 0"}, "f32[2]: 21 0.693147182");
        CALL_ROW("glu", "aten.glu.default(x)", List{"f32[4]: 2 4 0 0"}, "f32[2]: 1 2");
        CALL_ROW("glu_backward", "aten.glu_backward.default(x, y, 0)", (List{"f32[1]: 1", "f32[2]: 4 0"}), "f32[2]: 0.5 1");
        CALL_ROW("log_sigmoid_forward", "aten.log_sigmoid_forward.default(x)", List{"f32[1] cpu: 0"}, "f32[1]: -0.693147182 | f32[1]: 1");
        CALL_ROW("log_sigmoid_forward on CUDA", "aten.log_sigmoid_forward.default(x)", List{"f32[1]: 0"}, "f32[1]: -0.693147182 | f32[0]:");
    }
    void activations() { CALL_CHECK(); }

    void special_data() {
        CALL_COLUMNS();
        CALL_ROW("digamma", "aten.digamma.default(x)", List{"f64[4]: 1 0 -1 -0.5"}, "f64[4]: -0.577215665 -inf nan 0.036489974");
        CALL_ROW("polygamma of 1 is zeta(2)", "aten.polygamma.default(1, x)", List{"f64[1]: 1"}, "f64[1]: 1.64493407");
        CALL_ROW("zeta", "aten.special_zeta.default(x, y)", (List{"f64[3]: 2 1 3", "f64[3]: 1 1 0.5"}), "f64[3]: 1.64493407 inf 8.41439832");
        CALL_ROW("incomplete gamma", "aten.igamma.default(x, y)", (List{"f64[3]: 1 1 2", "f64[3]: 0 1 30"}), "f64[3]: 0 0.632120559 1");
        CALL_ROW("Bessel", "aten.special_bessel_j0.default(x)", List{"f64[2]: 0 1"}, "f64[2]: 1 0.765197687");
        CALL_ROW("scaled Bessel far out", "aten.special_i0e.default(x)", List{"f64[2]: 0 1000"}, "f64[2]: 1 0.0126172405");
        CALL_ROW("Airy", "aten.special_airy_ai.default(x)", List{"f64[3]: 0 1 -1"}, "f64[3]: 0.355028054 0.135292416 0.535560883");
        CALL_ROW("Legendre", "aten.special_legendre_polynomial_p.default(x, y)", (List{"f64[3]: 0.5 0.5 0.5", "i64[3]: 0 2 -1"}),
                 "f64[3]: 1 -0.125 0");
        CALL_ROW("quantiles", "aten.special_ndtri.default(x)", List{"f64[4]: 0.025 0.975 0 2"}, "f64[4]: -1.95996398 1.95996398 -inf nan");
        CALL_ROW("the next 16-bit float", "aten.nextafter.default(x, y)", (List{"bf16[3]: 1 1 0", "bf16[3]: 2 0 -1"}),
                 "bf16[3]: 1.0078125 0.99609375 -9.18354962e-41");
    }
    void special() { CALL_CHECK(); }

    void losses_data() {
        CALL_COLUMNS();
        const List two{"f32[2]: 1 4", "f32[2]: 0 1"};
        CALL_ROW("mse", "aten.mse_loss.default(x, y)", two, "f32: 5");
        CALL_ROW("mse summed", "aten.mse_loss.default(x, y, 2)", two, "f32: 10");
        CALL_ROW("mse of each", "aten.mse_loss.default(x, y, 0)", two, "f32[2]: 1 9");
        CALL_ROW("derivative of mse", "aten.mse_loss_backward.default(x, y, z, 1)", (List{"f32: 1", "f32[2]: 1 4", "f32[2]: 0 1"}), "f32[2]: 1 3");
        CALL_ROW("huber", "aten.huber_loss.default(x, y, 0, 2.0)", two, "f32[2]: 0.5 4");
        CALL_ROW("smooth l1", "aten.smooth_l1_loss.default(x, y, 0, 2.0)", two, "f32[2]: 0.25 2");
        CALL_ROW("cross entropy stops at -100", "aten.binary_cross_entropy.default(x, y, None, 0)", (List{"f32[2]: 0 0.5", "f32[2]: 1 1"}),
                 "f32[2]: 100 0.693147182");
        CALL_ROW("likelihood", "aten.nll_loss_forward.default(x, y, None, 1, -100)", (List{"f32[2,2]: -1 -2 -3 -5", "i64[2]: 0 1"}),
                 "f32: 3 | f32: 2");
        CALL_ROW("ignored targets", "aten.nll_loss_forward.default(x, y, None, 1, 1)", (List{"f32[2,2]: -1 -2 -3 -5", "i64[2]: 0 1"}),
                 "f32: 1 | f32: 1");
        CALL_ROW("weights", "aten.nll_loss_forward.default(x, y, z, 1, -100)", (List{"f32[2,2]: -1 -2 -3 -5", "i64[2]: 0 1", "f32[2]: 1 3"}),
                 "f32: 4 | f32: 4");
        CALL_ROW("likelihood of pixels", "aten.nll_loss2d_forward.default(x, y, None, 0, -100)",
                 (List{"f32[1,2,1,2]: -1 -2 -3 -4", "i64[1,1,2]: 1 0"}), "f32[1,1,2]: 3 2 | f32: 0");
        CALL_ROW("weights of another count", "aten.nll_loss_forward.default(x, y, z, 1, -100)", (List{"f32[1,2]: -1 -2", "i64[1]: 1", "f32[1]: 1"}),
                 "SHAPE_MISMATCH: r: weight has shape [1], [2] expected.");
        CALL_ROW("targets out of range", "aten.nll_loss_forward.default(x, y, None, 1, -100)", (List{"f32[1,2]: -1 -2", "i64[1]: 2"}),
                 "INDEX_OUT_OF_RANGE: r: index 2 at 0 of target is outside 0..2.");
    }
    void losses() { CALL_CHECK(); }

    /// The fast kernels and the reference agree on these exactly.
    void precisionsAgree() {
        const auto fast = makeCpuBackend(Precision::Fast);
        const std::vector<std::string> operands{"bf16[2,3][1,2]: 1 -2 3.5 0.1 7 nan", "f32[3]: 1 0.25 -8"};
        for (const char* call : {"aten.add.Tensor(x, y)", "aten.mul.Tensor(x, y)", "aten.maximum.default(x, y)", "aten.lt.Tensor(x, y)"})
            QCOMPARE(evaluate(call, operands, 1, *fast), evaluate(call, operands));
    }
};

QTEST_GUILESS_MAIN(PointwiseKernels)
#include "tst_kernels_pointwise.moc"
