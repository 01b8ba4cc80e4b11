// Convolutions, pools and norms (executor.md 2.3, conv_pool).

#include <cmath>

#include "tests/exec/kernel_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;
using List = QStringList;

class ConvKernels : public QObject {
    Q_OBJECT

private slots:
    void convolves_data() {
        CALL_COLUMNS();
        const List line{"f32[1,1,4]: 1 2 3 4", "f32[1,1,2]: 1 10", "f32[1]: 0.5"};
        CALL_ROW("one dimension", "aten.convolution.default(x, y, z, [1], [0], [1], False, [0], 1)", line, "f32[1,1,3]: 21.5 32.5 43.5");
        CALL_ROW("stride and padding", "aten.convolution.default(x, y, None, [2], [1], [1], False, [0], 1)", line, "f32[1,1,3]: 10 32 4");
        CALL_ROW("dilation", "aten.convolution.default(x, y, None, [1], [0], [2], False, [0], 1)", line, "f32[1,1,2]: 31 42");
        CALL_ROW("transposed", "aten.convolution.default(x, y, None, [2], [0], [1], True, [0], 1)", (List{"f32[1,1,2]: 1 2", "f32[1,1,2]: 1 10"}),
                 "f32[1,1,4]: 1 10 2 20");
        CALL_ROW("overlapping", "aten.convolution.default(x, y, None, [1], [0], [1], True, [0], 1)", (List{"f32[1,1,2]: 1 2", "f32[1,1,2]: 1 10"}),
                 "f32[1,1,3]: 1 12 20");
        CALL_ROW("groups", "aten.convolution.default(x, y, None, [1], [0], [1], False, [0], 2)", (List{"f32[1,2,1]: 3 5", "f32[2,1,1]: 2 10"}),
                 "f32[1,2,1]: 6 50");
        CALL_ROW("two dimensions, channels last", "aten.convolution.default(x, y, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)",
                 (List{"f32[1,2,2,1][4,1,2,2]: 1 2 3 4", "f32[1,2,1,1]: 1 10"}), "f32[1,1,2,1]: 31 42");
        CALL_ROW("channels that do not fit", "aten.convolution.default(x, y, None, [1], [0], [1], False, [0], 1)",
                 (List{"f32[1,2,1]: 3 5", "f32[2,1,1]: 2 10"}),
                 "SHAPE_MISMATCH: r: weight has shape [2, 1, 1], the channels of input [1, 2, 1] in 1 groups expected.");
        CALL_ROW("gradients", "aten.convolution_backward.default(x, y, z, [1], [1], [0], [1], False, [0], 1, [True, True, True])",
                 (List{"f32[1,1,2]: 1 2", "f32[1,1,3]: 3 4 5", "f32[1,1,2]: 10 100"}), "f32[1,1,3]: 10 120 200 | f32[1,1,2]: 11 14 | f32[1]: 3");
        CALL_ROW("gradients of the transposed form",
                 "aten.convolution_backward.default(x, y, z, None, [1], [0], [1], True, [0], 1, [True, True, False])",
                 (List{"f32[1,1,2]: 1 2", "f32[1,1,1]: 3", "f32[1,1,2]: 10 100"}), "f32[1,1,1]: 210 | f32[1,1,2]: 3 6");
    }
    void convolves() { CALL_CHECK(); }

    void pools_data() {
        CALL_COLUMNS();
        const List grid{"f32[1,1,2,3]: 1 5 2 5 3 4"};
        CALL_ROW("the first of equal ones", "aten.max_pool2d_with_indices.default(x, [2, 2], [1, 1])", grid, "f32[1,1,1,2]: 5 5 | i64[1,1,1,2]: 1 1");
        CALL_ROW("NaN wins", "aten.max_pool2d_with_indices.default(x, [1, 3])", List{"f32[1,1,1,3]: 1 nan 7"}, "f32[1,1,1,1]: nan | i64[1,1,1,1]: 1");
        CALL_ROW("places in the window", "prims._low_memory_max_pool_with_offsets.default(x, [2, 2], [1, 1], [0, 0], [1, 1], False)", grid,
                 "f32[1,1,1,2]: 5 5 | i8[1,1,1,2]: 1 0");
        CALL_ROW("and back in the plane", "prims._low_memory_max_pool_offsets_to_indices.default(x, [2, 2], [2, 3], [1, 1], [0, 0], [1, 1])",
                 List{"i8[1,1,1,2]: 1 0"}, "i64[1,1,1,2]: 1 1");
        CALL_ROW("gradients go to the maxima", "aten.max_pool2d_with_indices_backward.default(x, y, [2, 2], [1, 1], [0, 0], [1, 1], False, z)",
                 (List{"f32[1,1,1,2]: 2 3", "f32[1,1,2,3]: 1 5 2 5 3 4", "i64[1,1,1,2]: 1 1"}), "f32[1,1,2,3]: 0 5 0 0 0 0");
        CALL_ROW("indices are checked", "aten.max_pool2d_with_indices_backward.default(x, y, [2, 2], [1, 1], [0, 0], [1, 1], False, z)",
                 (List{"f32[1,1,1,1]: 2", "f32[1,1,1,1]: 1", "i64[1,1,1,1]: 9"}), "INDEX_OUT_OF_RANGE: r: index 9 at 0 of indices is outside 0..1.");
        CALL_ROW("back to the maxima", "aten.max_unpool2d.default(x, y, [1, 3])", (List{"f32[1,1,1,1]: 7", "i64[1,1,1,1]: 2"}), "f32[1,1,1,3]: 0 0 7");
        CALL_ROW("gradients of other planes", "aten.avg_pool2d_backward.default(x, y, [1, 1], [1, 1], [0, 0], False, True, None)",
                 (List{"f32[1,1,1,1]: 1", "f32[1,2,1,1]: 1 2"}), "SHAPE_MISMATCH: r: grad_output has shape [1, 1, 1, 1], the planes of [1, 2, 1, 1] expected.");
        CALL_ROW("padding counts", "aten.avg_pool2d.default(x, [1, 2], [1, 2], [0, 1])", List{"f32[1,1,1,2]: 2 4"}, "f32[1,1,1,2]: 1 2");
        CALL_ROW("or not", "aten.avg_pool2d.default(x, [1, 2], [1, 2], [0, 1], False, False)", List{"f32[1,1,1,2]: 2 4"}, "f32[1,1,1,2]: 2 4");
        CALL_ROW("or something else", "aten.avg_pool2d.default(x, [1, 2], [1, 2], [0, 0], False, True, 4)", List{"f32[1,1,1,2]: 2 4"},
                 "f32[1,1,1,1]: 1.5");
        CALL_ROW("adaptive windows overlap", "aten._adaptive_avg_pool2d.default(x, [1, 2])", List{"f32[1,1,1,3]: 1 2 6"}, "f32[1,1,1,2]: 1.5 4");
        CALL_ROW("their gradient", "aten._adaptive_avg_pool2d_backward.default(x, y)", (List{"f32[1,1,1,2]: 2 4", "f32[1,1,1,3]: 0 0 0"}),
                 "f32[1,1,1,3]: 1 3 2");
        CALL_ROW("adaptive maxima", "aten.adaptive_max_pool2d.default(x, [1, 2])", List{"f32[1,1,1,3]: 1 2 6"},
                 "f32[1,1,1,2]: 2 6 | i64[1,1,1,2]: 1 2");
        CALL_ROW("a stride of 0", "aten.avg_pool2d.default(x, [1, 1], [0, 0])", List{"f32[1,1,1,1]: 1"},
                 "SHAPE_MISMATCH: r: kernel_size has shape [1, 1, 1], kernels, strides and dilations of at least 1, no negative padding expected.");
    }
    void pools() { CALL_CHECK(); }

    void resamples_data() {
        CALL_COLUMNS();
        const List two{"f32[1,1,2]: 1 2"}, three{"f32[1,1,3]: 1 2 3"};
        CALL_ROW("nearest repeats", "aten.upsample_nearest2d.default(x, [1, 4])", List{"f32[1,1,1,2]: 1 2"}, "f32[1,1,1,4]: 1 1 2 2");
        CALL_ROW("nearest takes the start of a cell", "aten.upsample_nearest1d.default(x, [2])", three, "f32[1,1,2]: 1 2");
        CALL_ROW("the exact form its middle", "aten._upsample_nearest_exact1d.default(x, [2])", three, "f32[1,1,2]: 1 3");
        CALL_ROW("linear", "aten.upsample_linear1d.default(x, [4], False)", two, "f32[1,1,4]: 1 1.25 1.75 2");
        CALL_ROW("from corner to corner", "aten.upsample_linear1d.default(x, [3], True)", two, "f32[1,1,3]: 1 1.5 2");
        CALL_ROW("by a factor", "aten.upsample_nearest1d.vec(x, None, [2.0])", two, "f32[1,1,4]: 1 1 2 2");
        CALL_ROW("cubic hits the corners", "aten.upsample_bicubic2d.default(x, [1, 3], True)", List{"f32[1,1,1,2]: 1 3"}, "f32[1,1,1,3]: 1 2 3");
        CALL_ROW("gradients go back by weight", "aten.upsample_linear1d_backward.default(x, [4], [1, 1, 2], False)", List{"f32[1,1,4]: 1 2 4 8"},
                 "f32[1,1,2]: 3.5 11.5");
        CALL_ROW("nothing to take", "aten.upsample_nearest1d.default(x, [2])", List{"f32[1,1,0]:"},
                 "SHAPE_MISMATCH: r: input has shape [1, 1, 0], 1 or more in every resampled dimension expected.");
        const List sampled{"f32[1,1,1,2]: 1 3", "f32[1,1,1,2]: 0 0"}, beside{"f32[1,1,1,2]: 1 3", "f32[1,1,1,2]: 5 0"};
        CALL_ROW("between two places", "aten.grid_sampler_2d.default(x, y, 0, 0, True)", sampled, "f32[1,1,1,1]: 2");
        CALL_ROW("outside is 0", "aten.grid_sampler_2d.default(x, y, 0, 0, True)", beside, "f32[1,1,1,1]: 0");
        CALL_ROW("or the border", "aten.grid_sampler_2d.default(x, y, 1, 1, True)", beside, "f32[1,1,1,1]: 3");
        CALL_ROW("or a reflection", "aten.grid_sampler_2d.default(x, y, 1, 2, True)", (List{"f32[1,1,1,2]: 1 3", "f32[1,1,1,2]: 2.5 0"}),
                 "f32[1,1,1,1]: 1");
        CALL_ROW("im2col", "aten.im2col.default(x, [2, 2], [1, 1], [0, 0], [1, 1])", List{"f32[1,1,2,3]: 1 2 3 4 5 6"},
                 "f32[1,4,2]: 1 2 2 3 4 5 5 6");
        CALL_ROW("col2im adds", "aten.col2im.default(x, [2, 3], [2, 2], [1, 1], [0, 0], [1, 1])", List{"f32[1,4,2]: 1 2 2 3 4 5 5 6"},
                 "f32[1,1,2,3]: 1 4 3 4 10 6");
    }
    void resamples() { CALL_CHECK(); }

    void normalises_data() {
        CALL_COLUMNS();
        CALL_ROW("layer norm", "aten.native_layer_norm.default(x, [2], y, z, 0.0)", (List{"f32[1,2]: 1 3", "f32[2]: 2 2", "f32[2]: 0 1"}),
                 "f32[1,2]: -2 3 | f32[1,1]: 2 | f32[1,1]: 1");
        CALL_ROW("a shape that is no end of the input's", "aten.native_layer_norm.default(x, [3], None, None, 0.0)", List{"f32[1,2]: 1 3"},
                 "SHAPE_MISMATCH: r: normalized_shape has shape [3], the last sizes of [1, 2] expected.");
        CALL_ROW("gradients of another shape", "aten.native_layer_norm_backward.default(x, y, [2], z, z, None, None, [True, False, False])",
                 (List{"f32[1,1]: 1", "f32[1,2]: 1 2", "f32[1,1]: 1"}), "SHAPE_MISMATCH: r: grad_output has shape [1, 1], [1, 2] expected.");
        CALL_ROW("group norm", "aten.native_group_norm.default(x, None, None, 1, 2, 2, 2, 0.0)", List{"f32[1,2,2]: 1 3 10 30"},
                 "f32[1,2,2]: -1 1 -1 1 | f32[1,2]: 2 20 | f32[1,2]: 1 0.100000001");
        CALL_ROW("statistics of the running kind", "aten._native_batch_norm_legit_no_training.default(x, None, None, y, z, 0.1, 0.0)",
                 (List{"f32[1,1,2] cpu: 1 3", "f32[1] cpu: 1", "f32[1] cpu: 4"}), "f32[1,1,2]: 0 1 | f32[0]: | f32[0]:");
        CALL_ROW("new ones", "aten._native_batch_norm_legit_functional.default(x, None, None, y, z, True, 0.5, 0.0)",
                 (List{"f32[2,1]: 1 3", "f32[1]: 10", "f32[1]: 10"}), "f32[2,1]: -1 1 | f32[1]: 2 | f32[1]: 1 | f32[1]: 6 | f32[1]: 6");
        CALL_ROW("renorm", "aten.renorm.default(x, 1, 0, 2)", List{"f32[2,2]: 1 3 0.5 0.5"}, "f32[2,2]: 0.5 1.5 0.5 0.5");
    }
    void normalises() { CALL_CHECK(); }

    /// What trains in place leaves the new statistics in its arguments.
    void batchNormWritesItsStatistics() {
        const Graph g = forward("x, m, v", R"(r = torch.ops.aten._native_batch_norm_legit.default(x, None, None, m, v, True, 0.5, 0.0)
            g = r[0]
            return (g,))");
        const Ran r = run(g, {tensorFrom("f32[2,1]: 1 3"), tensorFrom("f32[1]: 10"), tensorFrom("f32[1]: 10")});
        QCOMPARE(QString::fromStdString(r.error), QString());
        QCOMPARE(QString::fromStdString(describe(r.result.inputs.at(1))), QString("f32[1]: 6"));
        QCOMPARE(QString::fromStdString(describe(r.result.inputs.at(2))), QString("f32[1]: 6"));
    }

    /// The gradient of a norm is the slope of its result, measured by small steps.
    void layerNormGradientIsTheSlope() {
        const auto loss = [](double x0) {
            const Ran r = run(forward("x, w", "r = torch.ops.aten.native_layer_norm.default(x, [3], w, None, 1e-05)\ng = r[0]\nreturn (g,)"),
                              {tensorFrom("f64[1,3]: " + std::to_string(x0) + " 2 -1"), tensorFrom("f64[3]: 1 2 3")});
            const Tensor& y = *r.result.outputs.at(0).tensor();
            return readDouble(y, 0) + 5 * readDouble(y, 1) - readDouble(y, 2);
        };
        const Graph g = forward("x, w, d", R"(r = torch.ops.aten.native_layer_norm.default(x, [3], w, None, 1e-05)
            mean = r[1]
            rstd = r[2]
            b = torch.ops.aten.native_layer_norm_backward.default(d, x, [3], mean, rstd, w, None, [True, True, False])
            dx = b[0]
            return (dx,))");
        const Ran r = run(g, {tensorFrom("f64[1,3]: 0.5 2 -1"), tensorFrom("f64[3]: 1 2 3"), tensorFrom("f64[1,3]: 1 5 -1")});
        QCOMPARE(QString::fromStdString(r.error), QString());
        const double step = 1e-3, slope = (loss(0.5 + step) - loss(0.5 - step)) / (2 * step);
        QVERIFY(std::fabs(readDouble(*r.result.outputs.at(0).tensor(), 0) - slope) < 1e-4);
    }
};

QTEST_APPLESS_MAIN(ConvKernels)
#include "tst_kernels_conv.moc"
