// Tensors put together, padded, turned and cut (executor.md 2.3, assemble).

#include "tests/exec/kernel_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;
using List = QStringList;

class AssembleKernels : public QObject {
    Q_OBJECT

private slots:
    void joins_data() {
        CALL_COLUMNS();
        CALL_ROW("cat", "aten.cat.default([x, y], 1)", (List{"f32[2,1]: 1 2", "f32[2,2]: 3 4 5 6"}), "f32[2,3]: 1 3 4 2 5 6");
        CALL_ROW("cat promotes", "aten.cat.default([x, y])", (List{"i64[1]: 1", "f32[1]: 2.5"}), "f32[2]: 1 2.5");
        CALL_ROW("empty vectors are skipped", "aten.cat.default([x, y])", (List{"f32[0]:", "f32[1,2]: 1 2"}), "f32[1,2]: 1 2");
        CALL_ROW("sizes are checked", "aten.cat.default([x, y])", (List{"f32[1,2]: 1 2", "f32[1,3]: 1 2 3"}),
                 "SHAPE_MISMATCH: r: tensors has shape [1, 3], [1, 2] expected.");
        CALL_ROW("stack", "aten.stack.default([x, y], -1)", (List{"f32[2]: 1 2", "f32[2]: 3 4"}), "f32[2,2]: 1 3 2 4");
        CALL_ROW("block_diag", "aten.block_diag.default([x, y])", (List{"f32[1,2]: 1 2", "f32: 3"}), "f32[2,3]: 1 2 0 0 0 3");
        CALL_ROW("_chunk_cat pads", "aten._chunk_cat.default([x, y], 0, 2)", (List{"f32[3]: 1 2 3", "f32[2]: 4 5"}), "f32[2,3]: 1 2 4 3 0 5");
        CALL_ROW("repeat", "aten.repeat.default(x, [2, 1, 2])", List{"f32[1,2]: 1 2"}, "f32[2,1,4]: 1 2 1 2 1 2 1 2");
        CALL_ROW("repeat to nothing", "aten.repeat.default(x, [0])", List{"f32[2]: 1 2"}, "f32[0]:");
    }
    void joins() { CALL_CHECK(); }

    void pads_data() {
        CALL_COLUMNS();
        CALL_ROW("pairs from the last dim", "aten.constant_pad_nd.default(x, [1, 0, 0, 1], 7)", List{"f32[1,2]: 1 2"}, "f32[2,3]: 7 1 2 7 7 7");
        CALL_ROW("negative ones crop", "aten.constant_pad_nd.default(x, [-1, 2], 7)", List{"i64[3]: 1 2 3"}, "i64[4]: 2 3 7 7");
        CALL_ROW("the value converts", "aten.constant_pad_nd.default(x, [0, 1], 2.9)", List{"i64[1]: 1"}, "i64[2]: 1 2");
        CALL_ROW("reflection leaves the edge out", "aten.reflection_pad1d.default(x, [2, 1])", List{"f32[1,3]: 1 2 3"}, "f32[1,6]: 3 2 1 2 3 2");
        CALL_ROW("no more than there is", "aten.reflection_pad1d.default(x, [3, 0])", List{"f32[1,3]: 1 2 3"},
                 "SHAPE_MISMATCH: r: padding has shape [3, 0], less than the sizes [1, 3] expected.");
        CALL_ROW("replication repeats it", "aten.replication_pad1d.default(x, [2, 1])", List{"f32[1,2]: 1 2"}, "f32[1,5]: 1 1 1 2 2");
        CALL_ROW("gradients add up", "aten.replication_pad1d_backward.default(x, y, [2, 1])", (List{"f32[1,5]: 1 2 4 8 16", "f32[1,2]: 0 0"}),
                 "f32[1,2]: 7 24");
        CALL_ROW("of another shape", "aten.reflection_pad1d_backward.default(x, y, [1, 0])", (List{"f32[1,4]: 1 2 4 8", "f32[1,2]: 0 0"}),
                 "SHAPE_MISMATCH: r: grad_output has shape [1, 4], [1, 3] expected.");
        CALL_ROW("where they were reflected", "aten.reflection_pad1d_backward.default(x, y, [1, 0])", (List{"f32[1,3]: 1 2 4", "f32[1,2]: 0 0"}),
                 "f32[1,2]: 2 5");
    }
    void pads() { CALL_CHECK(); }

    void turns_data() {
        CALL_COLUMNS();
        const List grid{"f32[2,3]: 1 2 3 4 5 6"};
        CALL_ROW("roll over all", "aten.roll.default(x, [1])", grid, "f32[2,3]: 6 1 2 3 4 5");
        CALL_ROW("roll along dims", "aten.roll.default(x, [-1, 1], [1, 0])", grid, "f32[2,3]: 5 6 4 2 3 1");
        CALL_ROW("roll twice along one", "aten.roll.default(x, [1, 1], [1, 1])", grid, "f32[2,3]: 2 3 1 5 6 4");
        CALL_ROW("flip keeps the order of dims", "aten.flip.default(x, [0])", List{"f32[2,2][1,2]: 1 2 3 4"}, "f32[2,2][1,2]: 3 4 1 2");
        CALL_ROW("a quarter turn", "aten.rot90.default(x)", grid, "f32[3,2][1,3]: 3 6 2 5 1 4");
        CALL_ROW("half a turn", "aten.rot90.default(x, 2)", grid, "f32[2,3]: 6 5 4 3 2 1");
        CALL_ROW("tril", "aten.tril.default(x)", grid, "f32[2,3]: 1 0 0 4 5 0");
        CALL_ROW("triu above", "aten.triu.default(x, 1)", grid, "f32[2,3]: 0 2 3 0 0 6");
        CALL_ROW("far below", "aten.tril.default(x, -9223372036854775807)", grid, "f32[2,3]: 0 0 0 0 0 0");
        CALL_ROW("trace of integers", "aten.trace.default(x)", List{"i32[2,2]: 1 2 3 4"}, "i64: 5");
        CALL_ROW("diag_embed", "aten.diag_embed.default(x, 1)", List{"f32[2]: 1 2"}, "f32[3,3]: 0 1 0 0 0 2 0 0 0");
        CALL_ROW("pixel_shuffle", "aten.pixel_shuffle.default(x, 2)", List{"i64[4,1,1]: 1 2 3 4"}, "i64[1,2,2]: 1 2 3 4");
        CALL_ROW("pixel_unshuffle", "aten.pixel_unshuffle.default(x, 2)", List{"i64[1,2,2]: 1 2 3 4"}, "i64[4,1,1]: 1 2 3 4");
        CALL_ROW("channel_shuffle", "aten.channel_shuffle.default(x, 2)", List{"i64[1,4,1]: 1 2 3 4"}, "i64[1,4,1]: 1 3 2 4");
    }
    void turns() { CALL_CHECK(); }
};

QTEST_APPLESS_MAIN(AssembleKernels)
#include "tst_kernels_assemble.moc"
