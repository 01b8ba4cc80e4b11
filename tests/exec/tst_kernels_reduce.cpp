// What reductions compute, in which type, and in which order (executor.md 2.3, reduce).

#include "tests/exec/kernel_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;
using List = QStringList;

class ReduceKernels : public QObject {
    Q_OBJECT

private slots:
    void reduces_data() {
        CALL_COLUMNS();
        const List grid{"f32[2,3]: 1 2 3 4 5 6"};
        CALL_ROW("sum of bool", "aten.sum.default(x)", List{"b8[3]: 1 1 0"}, "i64: 2");
        CALL_ROW("sum of u8", "aten.sum.default(x)", List{"u8[2]: 200 100"}, "i64: 300");
        CALL_ROW("rows", "aten.sum.dim_IntList(x, [1])", grid, "f32[2]: 6 15");
        CALL_ROW("columns, kept", "aten.sum.dim_IntList(x, [0], True)", grid, "f32[1,3]: 5 7 9");
        CALL_ROW("outer and inner dims", "aten.sum.dim_IntList(x, [0, -1])", List{"f32[2,2,2][2,4,1]: 1 2 3 4 5 6 7 8"}, "f32[2]: 14 22");
        CALL_ROW("no dims are all dims", "aten.sum.dim_IntList(x, [])", grid, "f32: 21");
        CALL_ROW("a dimension that is not there", "aten.sum.dim_IntList(x, [2])", grid,
                 "SHAPE_MISMATCH: r: self has shape f32[2, 3], one that goes with its other arguments expected.");
        CALL_ROW("dtype converts first", "aten.sum.default(x, dtype = torch.int64)", List{"f32[2]: 1.9 1.9"}, "i64: 2");
        CALL_ROW("bf16 is summed in f32", "aten.sum.default(x)", List{"bf16[5]: 256 1 1 1 1"}, "bf16: 260");
        CALL_ROW("sum of nothing", "aten.sum.default(x)", List{"f32[0]:"}, "f32: 0");
        CALL_ROW("mean of nothing", "aten.mean.default(x)", List{"f32[0]:"}, "f32: nan");
        CALL_ROW("mean of integers", "aten.mean.default(x)", List{"i64[2]: 1 2"},
                 "UNSUPPORTED_OP: aten::mean at r cannot run: elements of type i64 are not computed with. Give a body with --ops, or --stand-in.");
        CALL_ROW("mean of columns", "aten.mean.dim(x, [0])", grid, "f32[3]: 2.5 3.5 4.5");
        CALL_ROW("prod", "aten.prod.dim_int(x, 1)", grid, "f32[2]: 6 120");
        CALL_ROW("nansum", "aten.nansum.default(x)", List{"f32[3]: 1 nan 2"}, "f32: 3");
        CALL_ROW("any of u8 is u8", "aten.any.dim(x, 0)", List{"u8[2]: 0 7"}, "u8: 1");
        CALL_ROW("any of floats is bool", "aten.any.dim(x, 0)", List{"f32[2]: 0 nan"}, "b8: 1");
        CALL_ROW("all of nothing", "aten.all.default(x)", List{"f32[0]:"}, "b8: 1");
        CALL_ROW("count_nonzero", "aten.count_nonzero.dim_IntList(x, [1])", List{"f32[2,2]: 0 1 2 3"}, "i64[2]: 1 2");
        CALL_ROW("amax keeps NaN", "aten.amax.default(x, [1])", List{"f32[2,2]: 1 nan 3 2"}, "f32[2]: nan 3");
        CALL_ROW("amax of nothing", "aten.amax.default(x, [0])", List{"f32[0]:"},
                 "UNSUPPORTED_OP: aten::amax at r cannot run: a reduction without identity over a dimension of size 0. Give a body with --ops, or "
                 "--stand-in.");
        CALL_ROW("the first largest", "aten.max.dim(x, 1)", List{"i64[2,3]: 1 3 3 2 2 1"}, "i64[2]: 3 2 | i64[2]: 1 0");
        CALL_ROW("the first NaN", "aten.argmax.default(x)", List{"f32[4]: 1 nan 9 nan"}, "i64: 1");
        CALL_ROW("argmin of all", "aten.argmin.default(x)", List{"f32[2,2]: 3 2 1 4"}, "i64: 2");
        CALL_ROW("aminmax", "aten.aminmax.default(x)", List{"i64[3]: 2 1 3"}, "i64: 1 | i64: 3");
        CALL_ROW("norm", "aten.linalg_vector_norm.default(x)", List{"f32[2]: 3 -4"}, "f32: 5");
        CALL_ROW("infinite norm", "aten.linalg_vector_norm.default(x, float('inf'))", List{"f32[2]: 3 -4"}, "f32: 4");
        CALL_ROW("dist", "aten.dist.default(x, y)", (List{"f32[2]: 3 5", "f32[1]: 0"}), "f32: 5.83095169");
        CALL_ROW("trace", "aten.trace.default(x)", List{"i64[2,3]: 1 2 3 4 5 6"}, "i64: 6");
    }
    void reduces() { CALL_CHECK(); }

    void spreads_data() {
        CALL_COLUMNS();
        const List x{"f32[4]: 1 2 3 6"};
        CALL_ROW("no correction stated is 1", "aten.var_mean.correction(x, [0])", x, "f32: 4.66666651 | f32: 3");
        CALL_ROW("correction 0", "aten.var_mean.correction(x, [0], correction = 0, keepdim = True)", x, "f32[1]: 3.5 | f32[1]: 3");
        CALL_ROW("one element, correction 1", "aten.var.correction(x, [0], correction = 1)", List{"f32[1]: 5"}, "f32: nan");
        CALL_ROW("one element, correction 0", "aten.var.correction(x, [0], correction = 0)", List{"f32[1]: 5"}, "f32: 0");
        CALL_ROW("two passes", "aten.var.correction(x, [0], correction = 0)", List{"f32[2]: 16777216 16777218"}, "f32: 1");
        CALL_ROW("bf16 inside f32", "aten.var_mean.correction(x, [0], correction = 0)", List{"bf16[2]: 1 2"}, "bf16: 0.25 | bf16: 1.5");
        CALL_ROW("deviation", "aten.std.correction(x, [0], correction = 0)", List{"f32[2]: 1 5"}, "f32: 2");
    }
    void spreads() { CALL_CHECK(); }

    void softmaxes_data() {
        CALL_COLUMNS();
        CALL_ROW("softmax", "aten._softmax.default(x, 0, False)", List{"f32[2]: 1000 1000"}, "f32[2]: 0.5 0.5");
        CALL_ROW("of columns", "aten._softmax.default(x, 0, False)", List{"f32[2,2]: 0 5 0 -inf"}, "f32[2,2]: 0.5 1 0.5 0");
        CALL_ROW("a row of -inf", "aten._softmax.default(x, 1, False)", List{"f32[1,2]: -inf -inf"}, "f32[1,2]: nan nan");
        CALL_ROW("the safe one", "aten._safe_softmax.default(x, 1)", List{"f32[1,2]: -inf -inf"}, "f32[1,2]: 0 0");
        CALL_ROW("logarithm", "aten._log_softmax.default(x, 0, False)", List{"f32[2]: 0 0"}, "f32[2]: -0.693147182 -0.693147182");
        CALL_ROW("logsumexp of -inf", "aten.logsumexp.default(x, [0])", List{"f32[2]: -inf -inf"}, "f32: -inf");
        CALL_ROW("logsumexp", "aten.logsumexp.default(x, [0])", List{"f32[2]: 100 100"}, "f32: 100.693146");
        CALL_ROW("largest and sum", "prims.prepare_softmax_online.default(x, 1)", List{"f32[1,2]: 3 3"}, "f32[1,1]: 3 | f32[1,1]: 2");
        CALL_ROW("derivative", "aten._softmax_backward_data.default(x, y, 0, torch.float32)", (List{"f32[2]: 1 0", "f32[2]: 0.5 0.5"}),
                 "f32[2]: 0.25 -0.25");
        CALL_ROW("derivative of the logarithm", "aten._log_softmax_backward_data.default(x, y, 0, torch.float32)",
                 (List{"f32[2]: 1 0", "f32[2]: 0 -inf"}), "f32[2]: 0 0");
    }
    void softmaxes() { CALL_CHECK(); }

    /// The order of summation does not depend on how the line lies in memory.
    void layoutDoesNotChangeSums() {
        for (const Precision precision : {Precision::Reference, Precision::Fast}) {
            const auto backend = makeCpuBackend(precision);
            std::string values;
            for (int i = 0; i < 2 * 3001; ++i) values += " " + std::to_string((i * 7919 % 1000) * 0.001 + (i % 5 == 0 ? 1e4 : 0));
            std::string sums;
            for (const char* layout : {"[2,3001]", "[2,3001][1,2]", "[2,3001][6002,2]", "[2,3001][3001,1]"}) {
                const std::string got = evaluate("aten.sum.dim_IntList(x, [1])", {"f32" + std::string(layout) + ":" + values}, 1, *backend);
                if (sums.empty()) sums = got;
                QCOMPARE(got, sums);
            }
        }
    }

    /// f32 sums of many terms stay near the true one.
    void sumsPairwise() {
        const auto fast = makeCpuBackend(Precision::Fast);
        std::string values;
        for (int i = 0; i < 100000; ++i) values += " 0.1";
        const std::string got = evaluate("aten.sum.default(x)", {"f32[100000]:" + values}, 1, *fast);
        QVERIFY2(std::fabs(std::stod(got.substr(5)) - 10000.0001490116) < 0.01, got.c_str());
    }

    void answersAreNumbers() {
        QCOMPARE(evaluate("aten.equal.default(x, y)", {"i64[2]: 1 2", "i64[2]: 1 2"}), std::string("1"));
        QCOMPARE(evaluate("aten.equal.default(x, y)", {"f32[1]: nan", "f32[1]: nan"}), std::string("0"));
        QCOMPARE(evaluate("aten.allclose.default(x, y)", {"f32[1]: 1", "f32[1]: 1.000001"}), std::string("1"));
    }
};

QTEST_GUILESS_MAIN(ReduceKernels)
#include "tst_kernels_reduce.moc"
