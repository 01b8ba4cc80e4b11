// Views become reshapes (canonicalize.md 5.11).

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

class ViewsToReshapeTest : public QObject {
    Q_OBJECT

private slots:
    void everyView() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 6][6, 1]cuda:0")", R"(view: "f32[24][1]cuda:0" = torch.ops.aten.view.default(x, [24])
                                                                          view_1: "f32[2, 12][12, 1]cuda:0" = torch.ops.aten.view.default(view, [2, 12])
                                                                          bits: "i32[2, 12][12, 1]cuda:0" = torch.ops.aten.view.dtype(view_1, torch.int32)
                                                                          return (bits,))"),
                   "views-to-reshape");
        QCOMPARE(run.count("aten.view.default"), 0);
        QCOMPARE(run.count("aten.reshape.default"), 2);
        QCOMPARE(run.count("aten.view.dtype"), 1);
        QVERIFY(run.contains("%view_1 : [num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view, [2, 12])"));
    }

    void nothingElse() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 6][6, 1]cuda:0")", R"(a = torch.ops.aten.reshape.default(x, [24])
                                                                          b = torch.ops.aten.permute.default(x, [1, 0])
                                                                          return (a, b))"),
                   "views-to-reshape");
        QCOMPARE(run.after, run.before);
    }

    /// There a reshape that copies would lose the write.
    void writtenViewsStay() {
        RUN_PASSES(run, readableGraph(R"(x: "f32[4, 6][6, 1]cpu")", R"(c = torch.ops.aten.cos.default(x)
                                                                       v = torch.ops.aten.view.default(c, [24])
                                                                       add_ = torch.ops.aten.add_.Tensor(v, 1)
                                                                       return (c,))"),
                   "views-to-reshape");
        QCOMPARE(run.after, run.before);
        QVERIFY(run.diagnostic("NEEDS_FUNCTIONAL"));
    }
};

QTEST_APPLESS_MAIN(ViewsToReshapeTest)
#include "tst_views_to_reshape.moc"
