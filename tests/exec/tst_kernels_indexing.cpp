// Reads and writes at positions that tensors hold, inverses of views, masks (executor.md 2.3, indexing and view_scatter).

#include "tests/exec/kernel_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;
using List = QStringList;

class IndexingKernels : public QObject {
    Q_OBJECT

private slots:
    void scattersIntoViews_data() {
        CALL_COLUMNS();
        CALL_ROW("select_scatter keeps strides and gaps", "aten.select_scatter.default(x, y, 0, 1)", (List{"f32[3][2]: 1 2 3", "f32: 9"}),
                 "f32[3][2]: 1 9 3");
        CALL_ROW("negative index", "aten.select_scatter.default(x, y, 0, -1)", (List{"f32[3]: 1 2 3", "f32: 9"}), "f32[3]: 1 2 9");
        CALL_ROW("index outside", "aten.select_scatter.default(x, y, 0, 3)", (List{"f32[3]: 1 2 3", "f32: 9"}),
                 "INDEX_OUT_OF_RANGE: r: index 3 at 0 of self is outside 0..3.");
        CALL_ROW("slice_scatter with a step", "aten.slice_scatter.default(x, y, 0, 1, 100, 2)", (List{"f32[4]: 1 2 3 4", "f32[2]: 8 9"}),
                 "f32[4]: 1 8 3 9");
        CALL_ROW("an empty slice", "aten.slice_scatter.default(x, y, 0, 2, 1)", (List{"f32[3]: 1 2 3", "f32[0]:"}), "f32[3]: 1 2 3");
        CALL_ROW("source of another shape", "aten.slice_scatter.default(x, y, 0, 1)", (List{"f32[3]: 1 2 3", "f32[1]: 7"}),
                 "SHAPE_MISMATCH: r: src has shape [1], [2] expected.");
        CALL_ROW("diagonal_scatter", "aten.diagonal_scatter.default(x, y, 1)", (List{"f32[2,2]: 1 2 3 4", "f32[1]: 9"}), "f32[2,2]: 1 9 3 4");
        CALL_ROW("below the diagonal", "aten.diagonal_scatter.default(x, y, -1)", (List{"f32[2,2][1,2]: 1 2 3 4", "f32[1]: 9"}),
                 "f32[2,2][1,2]: 1 2 9 4");
        CALL_ROW("as_strided_scatter", "aten.as_strided_scatter.default(x, y, [2], [2], 1)", (List{"f32[4]: 1 2 3 4", "f32[2]: 8 9"}),
                 "f32[4]: 1 8 3 9");
        CALL_ROW("outside the storage", "aten.as_strided_scatter.default(x, y, [2], [4], 1)", (List{"f32[4]: 1 2 3 4", "f32[2]: 8 9"}),
                 "SHAPE_MISMATCH: r: size has shape [2], a view within self's storage expected.");
        CALL_ROW("sizes beyond all bounds", "aten.as_strided_scatter.default(x, y, [4611686018427387904, 4], [4, 4611686018427387904], 0)",
                 (List{"f32[1]: 1", "f32[1]: 8"}),
                 "SHAPE_MISMATCH: r: size has shape [4611686018427387904, 4], a view within self's storage expected.");
    }
    void scattersIntoViews() { CALL_CHECK(); }

    void takesGradientsOfViews_data() {
        CALL_COLUMNS();
        CALL_ROW("slice", "aten.slice_backward.default(x, [4], 0, 1, 4, 2)", List{"f32[2]: 8 9"}, "f32[4]: 0 8 0 9");
        CALL_ROW("select", "aten.select_backward.default(x, [3], 0, -1)", List{"f32: 9"}, "f32[3]: 0 0 9");
        CALL_ROW("diagonal", "aten.diagonal_backward.default(x, [2, 2], 1, 0, 1)", List{"f32[1]: 9"}, "f32[2,2]: 0 9 0 0");
        CALL_ROW("windows overlap", "aten.unfold_backward.default(x, [3], 0, 2, 1)", List{"f32[2,2]: 1 2 3 4"}, "f32[3]: 1 5 4");
        CALL_ROW("of another shape", "aten.slice_backward.default(x, [4], 0, 1, 4, 1)", List{"f32[2]: 8 9"},
                 "SHAPE_MISMATCH: r: grad_output has shape [2], [3] expected.");
    }
    void takesGradientsOfViews() { CALL_CHECK(); }

    /// The offset counts from the start of the storage, in the result too.
    void asStridedScatterIsAbsolute() {
        const Graph g = forward("x, y", R"(view = torch.ops.aten.slice.Tensor(x, 0, 2, 5)
            scatter = torch.ops.aten.as_strided_scatter.default(view, y, [1], [1], 3)
            return (scatter,))");
        const Ran r = run(g, {tensorFrom("f32[5]: 0 1 2 3 4"), tensorFrom("f32[1]: 9")});
        QCOMPARE(QString::fromStdString(r.error), QString());
        QCOMPARE(QString::fromStdString(describe(r.result.outputs.at(0))), QString("f32[3]: 2 9 4"));
    }

    void reads_data() {
        CALL_COLUMNS();
        const List grid{"f32[2,3]: 1 2 3 4 5 6"};
        CALL_ROW("embedding", "aten.embedding.default(x, y)", grid + List{"i64[3]: 1 0 1"}, "f32[3,3]: 4 5 6 1 2 3 4 5 6");
        CALL_ROW("embedding takes no negative index", "aten.embedding.default(x, y)", grid + List{"i64[2]: 0 -1"},
                 "INDEX_OUT_OF_RANGE: r: index -1 at 1 of indices is outside 0..2.");
        CALL_ROW("embedding backward sums in order", "aten.embedding_dense_backward.default(x, y, 3, -1, False)",
                 (List{"f32[3,1]: 1 2 4", "i64[3]: 2 0 2"}), "f32[3,1]: 2 0 5");
        CALL_ROW("the padding row gets nothing", "aten.embedding_dense_backward.default(x, y, 2, 0, False)", (List{"f32[2,1]: 1 2", "i64[2]: 0 1"}),
                 "f32[2,1]: 0 2");
        CALL_ROW("gradients of other rows", "aten.embedding_dense_backward.default(x, y, 3, -1, False)", (List{"f32[1,1]: 1", "i64[2]: 0 1"}),
                 "SHAPE_MISMATCH: r: grad_output has shape [1, 1], [2, 1] expected.");
        CALL_ROW("by frequency", "aten.embedding_dense_backward.default(x, y, 1, -1, True)", (List{"f32[2,1]: 1 2", "i64[2]: 0 0"}), "f32[1,1]: 1.5");
        CALL_ROW("rows", "aten.index.Tensor(x, [y])", grid + List{"i64[1]: -1"}, "f32[1,3]: 4 5 6");
        CALL_ROW("columns stay in place", "aten.index.Tensor(x, [None, y])", grid + List{"i64[2]: 2 0"}, "f32[2,2]: 3 1 6 4");
        CALL_ROW("both, broadcast together", "aten.index.Tensor(x, [y, z])", (grid + List{"i64[2,1]: 0 1", "i64[2]: 0 2"}), "f32[2,2]: 1 3 4 6");
        CALL_ROW("separated ones move to the front", "aten.index.Tensor(x, [y, None, z])",
                 (List{"i64[2,2,2]: 0 1 2 3 4 5 6 7", "i64[1]: 1", "i64[1]: 0"}), "i64[1,2]: 4 6");
        CALL_ROW("a mask", "aten.index.Tensor(x, [y])", grid + List{"b8[2,3]: 1 0 0 0 1 1"}, "f32[3]: 1 5 6");
        CALL_ROW("a mask of rows", "aten.index.Tensor(x, [y])", grid + List{"b8[2]: 0 1"}, "f32[1,3]: 4 5 6");
        CALL_ROW("a mask that does not fit", "aten.index.Tensor(x, [y])", grid + List{"b8[3]: 0 1 1"},
                 "SHAPE_MISMATCH: r: indices has shape [3], the sizes of self from dimension 0 expected.");
        CALL_ROW("index outside", "aten.index.Tensor(x, [None, y])", grid + List{"i64[2]: 0 3"},
                 "INDEX_OUT_OF_RANGE: r: index 3 at 1 of indices is outside 0..3.");
        CALL_ROW("the order of dims follows the source", "aten.index.Tensor(x, [None, None, y])",
                 (List{"f32[2,3,2][1,2,6]: 1 2 3 4 5 6 7 8 9 10 11 12", "i64[1]: 1"}), "f32[2,3,1][1,2,1]: 2 4 6 8 10 12");
        CALL_ROW("and of the index", "aten.index.Tensor(x, [y])", (List{"i64[3]: 5 6 7", "i64[2,2][1,2]: 0 1 2 0"}), "i64[2,2][1,2]: 5 6 7 5");
        CALL_ROW("index_select", "aten.index_select.default(x, 1, y)", grid + List{"i64[2]: 2 2"}, "f32[2,2]: 3 3 6 6");
        CALL_ROW("gather", "aten.gather.default(x, 1, y)", grid + List{"i64[2,1]: 2 0"}, "f32[2,1]: 3 4");
        CALL_ROW("gather takes fewer rows", "aten.gather.default(x, 0, y)", grid + List{"i64[1,2]: 1 0"}, "f32[1,2]: 4 2");
        CALL_ROW("gather takes no negative index", "aten.gather.default(x, 1, y)", grid + List{"i64[1,1]: -1"},
                 "INDEX_OUT_OF_RANGE: r: index -1 at 0 of index is outside 0..3.");
        CALL_ROW("take counts over all", "aten.take.default(x, y)", grid + List{"i64[2]: 4 -1"}, "f32[2]: 5 6");
    }
    void reads() { CALL_CHECK(); }

    void writes_data() {
        CALL_COLUMNS();
        CALL_ROW("the last of several stays", "aten.index_put.default(x, [y], z)", (List{"f32[3]: 0 0 0", "i64[2]: 1 1", "f32[2]: 7 8"}),
                 "f32[3]: 0 8 0");
        CALL_ROW("accumulated", "aten.index_put.default(x, [y], z, True)", (List{"f32[3]: 1 1 1", "i64[2]: 1 1", "f32[2]: 7 8"}), "f32[3]: 1 16 1");
        CALL_ROW("accumulated with one rounding", "aten.index_put.default(x, [y], z, True)", (List{"bf16[1]: 256", "i64[2]: 0 0", "bf16[2]: 1 1"}),
                 "bf16[1]: 258");
        CALL_ROW("values are broadcast", "aten.index_put.default(x, [y], z)", (List{"f32[3,2]: 0 0 0 0 0 0", "i64[2]: 0 2", "f32[2]: 7 8"}),
                 "f32[3,2]: 7 8 0 0 7 8");
        CALL_ROW("where a mask is true", "aten.index_put.default(x, [y], z)", (List{"f32[3]: 1 2 3", "b8[3]: 1 0 1", "f32: 9"}), "f32[3]: 9 2 9");
        CALL_ROW("scatter", "aten.scatter.src(x, 1, y, z)", (List{"f32[1,3]: 1 2 3", "i64[1,2]: 2 0", "f32[1,2]: 7 8"}), "f32[1,3]: 8 2 7");
        CALL_ROW("scatter a number", "aten.scatter.value(x, 0, y, 5)", (List{"i64[3]: 1 2 3", "i64[1]: 1"}), "i64[3]: 1 5 3");
        CALL_ROW("scatter outside", "aten.scatter.value(x, 0, y, 5)", (List{"i64[3]: 1 2 3", "i64[1]: 3"}),
                 "INDEX_OUT_OF_RANGE: r: index 3 at 0 of index is outside 0..3.");
        CALL_ROW("scatter_add", "aten.scatter_add.default(x, 0, y, z)", (List{"f32[2]: 1 1", "i64[3]: 0 0 1", "f32[3]: 1 2 3"}), "f32[2]: 4 4");
        CALL_ROW("scatter_reduce: mean", "aten.scatter_reduce.two(x, 0, y, z, 'mean')", (List{"f32[2]: 3 1", "i64[2]: 0 0", "f32[2]: 6 9"}),
                 "f32[2]: 6 1");
        CALL_ROW("without self", "aten.scatter_reduce.two(x, 0, y, z, 'amax', include_self = False)",
                 (List{"f32[2]: 9 1", "i64[2]: 0 0", "f32[2]: 2 3"}), "f32[2]: 3 1");
        CALL_ROW("NaN wins", "aten.scatter_reduce.two(x, 0, y, z, 'amin')", (List{"f32[1]: 1", "i64[2]: 0 0", "f32[2]: nan 3"}), "f32[1]: nan");
        CALL_ROW("a reduction that is none", "aten.scatter_reduce.two(x, 0, y, z, 'median')", (List{"f32[1]: 1", "i64[1]: 0", "f32[1]: 3"}),
                 "UNSUPPORTED_OP: aten::scatter_reduce.two at r cannot run: \"median\" is no reduction. Give a body with --ops, or --stand-in.");
        CALL_ROW("index_add with alpha", "aten.index_add.default(x, 0, y, z, alpha = 2)", (List{"f32[2,1]: 1 1", "i64[2]: 1 1", "f32[2,1]: 3 4"}),
                 "f32[2,1]: 1 15");
        CALL_ROW("index_copy", "aten.index_copy.default(x, 1, y, z)", (List{"f32[1,2]: 1 2", "i64[1]: 0", "f32[1,1]: 9"}), "f32[1,2]: 9 2");
        CALL_ROW("index_fill wraps", "aten.index_fill.int_Scalar(x, 0, y, 7)", (List{"f32[3]: 1 2 3", "i64[1]: -1"}), "f32[3]: 1 2 7");
        CALL_ROW("index_reduce", "aten.index_reduce.default(x, 0, y, z, 'prod')", (List{"f32[2]: 2 3", "i64[2]: 0 0", "f32[2]: 5 7"}),
                 "f32[2]: 70 3");
        CALL_ROW("put", "aten.put.default(x, y, z)", (List{"f32[2,2]: 1 2 3 4", "i64[2]: 3 -3", "f32[2]: 8 9"}), "f32[2,2]: 1 9 3 8");
        CALL_ROW("masked_scatter", "aten.masked_scatter.default(x, y, z)", (List{"f32[3]: 1 2 3", "b8[3]: 1 0 1", "f32[3]: 7 8 9"}), "f32[3]: 7 2 8");
        CALL_ROW("too little to scatter", "aten.masked_scatter.default(x, y, z)", (List{"f32[3]: 1 2 3", "b8[3]: 1 0 1", "f32[1]: 7"}),
                 "SHAPE_MISMATCH: r: source has shape 1 elements, 2 expected.");
    }
    void writes() { CALL_CHECK(); }

    void selects_data() {
        CALL_COLUMNS();
        CALL_ROW("masked_select broadcasts", "aten.masked_select.default(x, y)", (List{"f32[2,2]: 1 2 3 4", "b8[2]: 0 1"}), "f32[2]: 2 4");
        CALL_ROW("nonzero lies by columns", "aten.nonzero.default(x)", List{"f32[2,2]: 0 5 nan 0"}, "i64[2,2][1,2]: 0 1 1 0");
        CALL_ROW("nonzero of a number", "aten.nonzero.default(x)", List{"f32: 3"}, "i64[1,0]:");
        CALL_ROW("nonzero_static fills", "aten.nonzero_static.default(x, size = 3)", List{"i64[3]: 0 1 0"}, "i64[3,1]: 1 -1 -1");
        CALL_ROW("isin", "aten.isin.Tensor_Tensor(x, y)", (List{"i64[3]: 1 2 3", "i64[2]: 3 1"}), "b8[3]: 1 0 1");
        CALL_ROW("inverted", "aten.isin.Tensor_Scalar(x, 2, invert = True)", List{"i64[3]: 1 2 3"}, "b8[3]: 1 0 1");
        CALL_ROW("repeat_interleave", "aten.repeat_interleave.Tensor(x)", List{"i64[3]: 2 0 1"}, "i64[3]: 0 0 2");
        CALL_ROW("a negative count", "aten.repeat_interleave.Tensor(x)", List{"i64[1]: -1"},
                 "SHAPE_MISMATCH: r: repeats has shape -1, counts expected.");
        CALL_ROW("unique sorts", "aten._unique2.default(x, True, True, True)", List{"i64[4]: 3 1 3 2"},
                 "i64[3]: 1 2 3 | i64[4]: 2 0 2 1 | i64[3]: 1 1 2");
        CALL_ROW("unique rows", "aten.unique_dim.default(x, 0)", List{"i64[3,2]: 1 2 0 9 1 2"}, "i64[2,2]: 0 9 1 2 | i64[3]: 1 0 1 | i64[2]: 1 2");
    }
    void selects() { CALL_CHECK(); }

    /// Only the rows that are used are shortened.
    void embeddingRenormWritesUsedRows() {
        const Graph g = forward("x, y", "r = torch.ops.aten.embedding_renorm_.default(x, y, 1.0, 1.0)\nreturn (r,)");
        const Ran r = run(g, {tensorFrom("f32[3,2]: 1 3 1 3 0.5 0"), tensorFrom("i64[2]: 1 2")});
        QCOMPARE(QString::fromStdString(r.error), QString());
        QCOMPARE(QString::fromStdString(describe(r.result.inputs.at(0))), QString("f32[3,2]: 1 3 0.25 0.75 0.5 0"));
    }

    /// `index_put_` writes the addressed elements only, over the argument itself.
    void indexPutWritesInPlace() {
        const Graph g = forward("x, y, z", R"(index_put_ = torch.ops.aten.index_put_.default(x, [y], z)
            return (index_put_,))");
        const Ran r = run(g, {tensorFrom("f32[3]: 1 2 3"), tensorFrom("i64[1]: 1"), tensorFrom("f32[1]: 9")});
        QCOMPARE(QString::fromStdString(r.error), QString());
        QCOMPARE(QString::fromStdString(describe(r.result.inputs.at(0))), QString("f32[3]: 1 9 3"));
        QCOMPARE(r.peak, 0);
    }
};

QTEST_APPLESS_MAIN(IndexingKernels)
#include "tst_kernels_indexing.moc"
