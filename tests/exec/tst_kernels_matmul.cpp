// Matrix products and attention (executor.md 2.3).

#include <cmath>

#include "core/exec/cpu/matmul_gemm.h"
#include "tests/exec/kernel_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;
using List = QStringList;

class MatmulKernels : public QObject {
    Q_OBJECT

private slots:
    void multiplies_data() {
        CALL_COLUMNS();
        const List square{"f32[2,2]: 1 2 3 4", "f32[2,2]: 5 6 7 8"};
        CALL_ROW("mm", "aten.mm.default(x, y)", square, "f32[2,2]: 19 22 43 50");
        CALL_ROW("transposed operands", "aten.mm.default(x, y)", (List{"f32[2,2][1,2]: 1 2 3 4", "f32[2,2][1,2]: 5 6 7 8"}), "f32[2,2]: 19 22 43 50");
        CALL_ROW("rows with gaps", "aten.mm.default(x, y)", (List{"f32[2,2][6,2]: 1 2 3 4", "f32[2,1][3,7]: 5 6"}), "f32[2,1]: 17 39");
        CALL_ROW("stretched operands", "aten.mm.default(x, y)", (List{"f32[2,2][0,0]: 3 3 3 3", "f32[2,1][0,1]: 2 2"}), "f32[2,1]: 12 12");
        CALL_ROW("integers wrap", "aten.mm.default(x, y)", (List{"i32[1,2]: 65536 1", "i32[2,1]: 65536 7"}), "i32[1,1]: 7");
        CALL_ROW("nothing to sum", "aten.mm.default(x, y)", (List{"f32[2,0]:", "f32[0,1]:"}), "f32[2,1]: 0 0");
        CALL_ROW("sums of bf16 are not rounded in between", "aten.mm.default(x, y)", (List{"bf16[1,4]: 256 1 1 1", "bf16[4,1]: 1 1 1 1"}),
                 "bf16[1,1]: 260");
        CALL_ROW("shapes that do not go together", "aten.mm.default(x, y)", (List{"f32[2,2]: 1 2 3 4", "f32[3,1]: 1 2 3"}),
                 "SHAPE_MISMATCH: r: mat2 has shape [3, 1], 2 in dimension 0 expected.");
        CALL_ROW("different types", "aten.mm.default(x, y)", (List{"f32[1,1]: 1", "bf16[1,1]: 1"}),
                 "UNSUPPORTED_OP: aten::mm at r cannot run: the factors have different types. Give a body with --ops, or --stand-in.");
        CALL_ROW("8-bit floats with scales", "aten._scaled_mm.default(x, y, z, w, out_dtype = torch.float32)",
                 (List{"f8e4m3fn[2,2]: 1 2 3 4", "f8e4m3fn[2,1][1,2]: 3 4", "f32[2,1]: 0.5 1", "f32: 2"}), "f32[2,1]: 11 50");
        CALL_ROW("bmm", "aten.bmm.default(x, y)", (List{"f32[2,1,2]: 1 2 3 4", "f32[2,2,1]: 1 1 2 2"}), "f32[2,1,1]: 3 14");
        CALL_ROW("mv", "aten.mv.default(x, y)", (List{"f32[2,2]: 1 2 3 4", "f32[2]: 1 -1"}), "f32[2]: -1 -1");
        CALL_ROW("dot", "aten.dot.default(x, y)", (List{"i64[3]: 1 2 3", "i64[3]: 4 5 6"}), "i64: 32");
        CALL_ROW("dot of strided vectors", "aten.dot.default(x, y)", (List{"f32[2][3]: 1 2", "f32[2][2]: 3 4"}), "f32: 11");
    }
    void multiplies() { CALL_CHECK(); }

    void addsProducts_data() {
        CALL_COLUMNS();
        const List rows{"f32[2]: 10 20", "f32[1,1]: 3", "f32[1,2]: 1 2"};
        CALL_ROW("addmm over rows", "aten.addmm.default(x, y, z)", rows, "f32[1,2]: 13 26");
        CALL_ROW("scaled", "aten.addmm.default(x, y, z, beta = 0.5, alpha = 2)", rows, "f32[1,2]: 11 22");
        CALL_ROW("beta 0 ignores self", "aten.addmm.default(x, y, z, beta = 0)", (List{"f32[1,1]: nan", "f32[1,1]: 3", "f32[1,2]: 1 2"}),
                 "f32[1,2]: 3 6");
        CALL_ROW("self alone", "aten.addmm.default(x, y, z, beta = 2)", (List{"f32: 1", "f32[2,0]:", "f32[0,1]:"}), "f32[2,1]: 2 2");
        CALL_ROW("one rounding", "aten.addmm.default(x, y, z)", (List{"bf16[1]: 256", "bf16[1,2]: 1 1", "bf16[2,1]: 1 1"}), "bf16[1,1]: 258");
        CALL_ROW("baddbmm", "aten.baddbmm.default(x, y, z)", (List{"f32[2,1,1]: 1 2", "f32[2,1,1]: 3 4", "f32[2,1,1]: 5 6"}), "f32[2,1,1]: 16 26");
        CALL_ROW("addbmm sums over the batch", "aten.addbmm.default(x, y, z)", (List{"f32[1,1]: 1", "f32[2,1,1]: 3 4", "f32[2,1,1]: 5 6"}),
                 "f32[1,1]: 40");
        CALL_ROW("addmv", "aten.addmv.default(x, y, z)", (List{"f32[2]: 1 1", "f32[2,1]: 2 3", "f32[1]: 10"}), "f32[2]: 21 31");
        CALL_ROW("addr", "aten.addr.default(x, y, z)", (List{"f32[2,2]: 1 1 1 1", "f32[2]: 1 2", "f32[2]: 3 4"}), "f32[2,2]: 4 5 7 9");
        CALL_ROW("addr of bool", "aten.addr.default(x, y, z)", (List{"b8[1,2]: 0 1", "b8[1]: 1", "b8[2]: 1 1"}), "b8[1,2]: 1 1");
    }
    void addsProducts() { CALL_CHECK(); }

    void measures_data() {
        CALL_COLUMNS();
        const List rows{"f32[2,2]: 0 0 3 4", "f32[1,2]: 0 0"};
        CALL_ROW("distances", "aten._cdist_forward.default(x, y, 2.0, None)", rows, "f32[2,1]: 0 5");
        CALL_ROW("what differs", "aten._cdist_forward.default(x, y, 0.0, None)", rows, "f32[2,1]: 0 2");
        CALL_ROW("the largest difference", "aten._pdist_forward.default(x, float('inf'))", List{"f32[3,1]: 0 1 5"}, "f32[3]: 1 5 4");
        CALL_ROW("cross products", "aten.linalg_cross.default(x, y)", (List{"i64[3]: 1 0 0", "i64[3]: 0 1 0"}), "i64[3]: 0 0 1");
        CALL_ROW("of two elements", "aten.linalg_cross.default(x, y)", (List{"i64[2]: 1 0", "i64[2]: 0 1"}),
                 "SHAPE_MISMATCH: r: dim has shape [2], 3 elements along it expected.");
    }
    void measures() { CALL_CHECK(); }

    void groups_data() {
        CALL_COLUMNS();
        CALL_ROW("rows by group", "aten._grouped_mm.default(x, y, z)", (List{"f32[3,1]: 1 2 3", "f32[2,1,2]: 10 20 30 40", "i32[2]: 1 3"}),
                 "f32[3,2]: 10 20 60 80 90 120");
        CALL_ROW("an empty group", "aten._grouped_mm.default(x, y, z)", (List{"f32[1,1]: 2", "f32[2,1,1]: 10 20", "i32[2]: 0 1"}), "f32[1,1]: 40");
        CALL_ROW("columns by group", "aten._grouped_mm.default(x, y, z)", (List{"f32[2,1,1]: 2 3", "f32[1,3]: 1 1 1", "i32[2]: 1 3"}),
                 "f32[1,3]: 2 3 3");
        CALL_ROW("the summed dimension by group", "aten._grouped_mm.default(x, y, z)", (List{"f32[1,3]: 1 2 3", "f32[3,1]: 1 1 1", "i32[2]: 1 3"}),
                 "f32[2,1,1]: 1 5");
        CALL_ROW("ends that go back", "aten._grouped_mm.default(x, y, z)", (List{"f32[2,1]: 1 2", "f32[2,1,1]: 1 1", "i32[2]: 2 1"}),
                 "INDEX_OUT_OF_RANGE: r: index 1 at 1 of offs is outside 0..3.");
    }
    void groups() { CALL_CHECK(); }

    /// BLAS and plain loops agree on every combination of layouts, and neither reads C when beta is 0.
    void layoutsAgree() {
        std::vector<double> a(12), b(20), expected(15);
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = double(i) - 5;
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = 2 * double(i) - 7;
        const MatrixView<const double> left = rowMajorMatrix<const double>(a.data(), 3, 4), right = rowMajorMatrix<const double>(b.data(), 4, 5);
        gemm<double>(Precision::Reference, 1, left, right, 0, rowMajorMatrix(expected.data(), 3, 5));
        const auto asColumns = [](const MatrixView<const double>& m, std::vector<double>& memory) {
            memory.resize(static_cast<std::size_t>(m.rows * m.columns));
            for (std::int64_t i = 0; i < m.rows; ++i)
                for (std::int64_t j = 0; j < m.columns; ++j) memory[static_cast<std::size_t>(j * m.rows + i)] = m.data[i * m.rowStride + j];
            return MatrixView<const double>{memory.data(), m.rows, m.columns, 1, m.rows};
        };
        std::vector<double> aColumns, bColumns;
        for (const auto& l : {left, asColumns(left, aColumns)})
            for (const auto& r : {right, asColumns(right, bColumns)})
                for (const bool columns : {false, true}) {
                    std::vector<double> c(15, std::nan(""));
                    const MatrixView<double> out = columns ? MatrixView<double>{c.data(), 3, 5, 1, 3} : rowMajorMatrix(c.data(), 3, 5);
                    gemm<double>(Precision::Fast, 1, l, r, 0, out);
                    for (std::int64_t i = 0; i < 3; ++i)
                        for (std::int64_t j = 0; j < 5; ++j)
                            QCOMPARE(out.data[i * out.rowStride + j * out.columnStride], expected[static_cast<std::size_t>(i * 5 + j)]);
                }
    }

    void attends_data() {
        CALL_COLUMNS();
        // One head, width 1, scale 1: the weights of two equal scores are a half each.
        const List equal{"f32[1,1,1,1]: 0", "f32[1,1,2,1]: 5 7", "f32[1,1,2,1]: 2 4"};
        CALL_ROW("equal scores", "aten._scaled_dot_product_flash_attention_for_cpu.default(x, y, z)", equal,
                 "f32[1,1,1,1]: 3 | f32[1,1,1]: 0.693147182");
        CALL_ROW("the triangle is aligned at the top left", "aten._scaled_dot_product_flash_attention_for_cpu.default(x, y, z, 0.0, True)",
                 (List{"f32[1,1,2,1]: 0 0", "f32[1,1,2,1]: 5 7", "f32[1,1,2,1]: 2 4"}), "f32[1,1,2,1]: 2 3 | f32[1,1,2]: 0 0.693147182");
        CALL_ROW("a false mask drops a key", "aten._scaled_dot_product_flash_attention_for_cpu.default(x, y, z, attn_mask = w)",
                 equal + List{"b8[1,2]: 0 1"}, "f32[1,1,1,1]: 4 | f32[1,1,1]: 0");
        CALL_ROW("a bias is added", "aten._scaled_dot_product_flash_attention_for_cpu.default(x, y, z, attn_mask = w)",
                 equal + List{"f32[1,2]: 0 1.09861231"}, "f32[1,1,1,1]: 3.5 | f32[1,1,1]: 1.38629436");
        CALL_ROW("heads share keys", "aten._scaled_dot_product_flash_attention_for_cpu.default(x, y, z)",
                 (List{"f32[1,2,1,1]: 0 0", "f32[1,1,1,1]: 1", "f32[1,1,1,1]: 9"}), "f32[1,2,1,1]: 9 9 | f32[1,2,1]: 0 0");
        CALL_ROW("nothing to attend to", "aten._scaled_dot_product_cudnn_attention.default(x, y, z, w, True)", equal + List{"f32[1,2]: -inf -inf"},
                 "f32[1,1,1,1]: 0 | f32[1,1,1,1]: -inf");
        CALL_ROW("the efficient form says 0 then", "aten._scaled_dot_product_efficient_attention.default(x, y, z, w, False)",
                 equal + List{"f32[1,2]: -inf -inf"}, "f32[1,1,1,1]: 0 | f32[1,1,0]:");
        CALL_ROW("widths that differ", "aten._scaled_dot_product_flash_attention_for_cpu.default(x, y, z)",
                 (List{"f32[1,1,1,2]: 0 0", "f32[1,1,1,1]: 1", "f32[1,1,1,1]: 9"}),
                 "SHAPE_MISMATCH: r: key has shape [1, 1, 1, 1], what goes with query [1, 1, 1, 2] and value [1, 1, 1, 1] expected.");
    }
    void attends() { CALL_CHECK(); }

    /// The gradient is the slope of the output, measured by small steps.
    void attentionGradientIsTheSlope() {
        const auto loss = [](double q, double k) {
            const std::string query = "f64[1,1,2,1]: " + std::to_string(q) + " 0.5", key = "f64[1,1,2,1]: " + std::to_string(k) + " -1";
            const Ran r =
                run(forward("x, y, z", "r = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(x, y, z)\ng = r[0]\nreturn (g,)"),
                    {tensorFrom(query), tensorFrom(key), tensorFrom("f64[1,1,2,1]: 3 5")});
            return readDouble(*r.result.outputs.at(0).tensor(), 0) + 2 * readDouble(*r.result.outputs.at(0).tensor(), 1);
        };
        const Graph g = forward("q, k, v, w", R"(r = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v)
            out = r[0]
            lse = r[1]
            b = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(w, q, k, v, out, lse, 0.0, False)
            dq = b[0]
            dk = b[1]
            return (dq, dk))");
        const Ran r = run(g, {tensorFrom("f64[1,1,2,1]: 0.7 0.5"), tensorFrom("f64[1,1,2,1]: 0.3 -1"), tensorFrom("f64[1,1,2,1]: 3 5"),
                              tensorFrom("f64[1,1,2,1]: 1 2")});
        QCOMPARE(QString::fromStdString(r.error), QString());
        const double step = 1e-4;
        QVERIFY(std::fabs(readDouble(*r.result.outputs[0].tensor(), 0) - (loss(0.7 + step, 0.3) - loss(0.7 - step, 0.3)) / (2 * step)) < 1e-5);
        QVERIFY(std::fabs(readDouble(*r.result.outputs[1].tensor(), 0) - (loss(0.7, 0.3 + step) - loss(0.7, 0.3 - step)) / (2 * step)) < 1e-5);
    }
};

QTEST_APPLESS_MAIN(MatmulKernels)
#include "tst_kernels_matmul.moc"
