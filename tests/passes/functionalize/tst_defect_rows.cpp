// The defects of PyTorch 2.11 as programs (functionalize.md 9, reinplace.md 10): the reference pipelines give PyTorch's answer and say that it is
// unsound, `best` gives what the program gives. Every stage is executed.

#include <QTest>

#include "core/text/document.h"
#include "tests/passes/property/program_check.h"
#include "tests/passes/property/random_program.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

struct Row {
    const char* id;
    const char* pipeline;  ///< that has the defect
    const char* code;      ///< with which it says so
    const char* body;      ///< of a program over `x: f32[8, 4]` and `w: f32[8, 4]`
    bool differs = true;   ///< false: the operator reads before it writes, so that no value shows the defect
};

// foo(x): x += 1; two(x, y): x += 1, y += 2; foo_ret(x, y): x += y, returns 2x; lst(xs, s): each *= s.
const Row kRows[] = {
    {"F1 off_slice", "torch-v2", "SLICE_START_OFFSET",
     R"(half = torch.ops.aten.slice.Tensor(x, 0, 2, 8)
        bits = torch.ops.aten.view.dtype(half, torch.int16)
        rows = torch.ops.aten.slice.Tensor(bits, 0, 1, 3)
        foo = torch.ops.mylib.foo.default(rows)
        return ())"},
    {"F2 overlapping_views", "torch-v1", "OVERLAPPING_WRITES",
     R"(y = torch.ops.aten.cos.default(x)
        a = torch.ops.aten.slice.Tensor(y, 0, 0, 4)
        b = torch.ops.aten.slice.Tensor(y, 0, 2, 6)
        two = torch.ops.mylib.two.default(a, b)
        return (y,))"},
    {"F2 same_twice", "torch-v1", "OVERLAPPING_WRITES",
     R"(y = torch.ops.aten.cos.default(x)
        two = torch.ops.mylib.two.default(y, y)
        return (y,))"},
    {"F2 view_and_base", "torch-v1", "OVERLAPPING_WRITES",
     R"(y = torch.ops.aten.cos.default(x)
        row = torch.ops.aten.select.int(y, 0, 0)
        two = torch.ops.mylib.two.default(y, row)
        return (y,))"},
    {"F2 list_arg", "torch-v1", "OVERLAPPING_WRITES",
     R"(y = torch.ops.aten.cos.default(x)
        a = torch.ops.aten.slice.Tensor(y, 0, 0, 4)
        b = torch.ops.aten.slice.Tensor(y, 0, 2, 6)
        lst = torch.ops.mylib.lst.default([a, b], 2.0)
        return (y,))"},
    {"R1 overlap_bug_v2", "torch-v2", "RI30.READ",
     R"(y = torch.ops.aten.cos.default(x)
        rows = torch.ops.aten.slice.Tensor(y, 0, 1, 3)
        v = torch.ops.aten.slice.Tensor(rows, 1, 1, 3)
        s = torch.ops.aten.sum.default(v)
        old = torch.ops.aten.mul.Tensor(v, 2)
        e = torch.ops.aten.expand.default(s, [8, 4])
        o = torch.ops.mylib.foo_ret.default(y, e)
        return (old, y, o))"},
    {"R1 overlap_bug_input", "torch-v1", "RI21",
     R"(z = torch.ops.aten.clone.default(x)
        rows = torch.ops.aten.slice.Tensor(z, 0, 1, 3)
        v = torch.ops.aten.slice.Tensor(rows, 1, 1, 3)
        foo = torch.ops.mylib.foo.default(v)
        return (v,))"},
    {"R2 same_node", "torch-v2", "RI31",
     R"(y = torch.ops.aten.cos.default(x)
        c = torch.ops.aten.clone.default(y)
        r = torch.ops.mylib.foo_ret.default(y, c)
        return (y, r))",
     false},
    {"R3 foreach_swapped", "torch-v2", "RI30.COPY",
     R"(q = torch.ops.aten._foreach_add.Scalar([x, w], 1)
        p0 = q[0]
        p1 = q[1]
        copy_ = torch.ops.aten.copy_.default(x, p1)
        copy__1 = torch.ops.aten.copy_.default(w, p0)
        return ())"},
    {"R4 v1_copy_other", "torch-v1", "RI22",
     R"(two = torch.ops.mylib.two.default(x, w)
        copy_ = torch.ops.aten.copy_.default(x, w)
        return ())"},
};

}  // namespace

class DefectRowsTest : public QObject {
    Q_OBJECT

private:
    OpRegistry ops_ = OpRegistry::withBuiltin();

    Graph program(const Row& row) const {
        std::string text = "class program(torch.nn.Module):\n    def forward(self, x: \"f32[8, 4][4, 1]cpu\", w: \"f32[8, 4][4, 1]cpu\"):\n";
        for (const QString& line : QString(row.body).split('\n')) text += "        " + line.trimmed().toStdString() + "\n";
        auto document = readText(text, "row.py", ops_);
        if (!document || document->units.size() != 1) qFatal("%s cannot be read", row.id);
        return std::move(document->units[0].graph);
    }

private slots:
    void initTestCase() { QVERIFY(ops_.addText(customOperators(), "custom").empty()); }

    void rows_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Row& row : kRows) QTest::newRow(row.id) << index++;
    }
    void rows() {
        QFETCH(int, index);
        const Row& row = kRows[index];
        ProgramChecker checker(ops_);
        checker.pipelines = {*namedPipeline(row.pipeline), *namedPipeline("best")};
        const ProgramOutcome outcome = checker.check(program(row));
        QVERIFY2(outcome.refused.empty(), outcome.refused.c_str());
        QVERIFY2(outcome.failure.empty(), outcome.failure.c_str());
        const LaneOutcome* best = outcome.lane("best");
        QVERIFY2(best && best->stage.empty(), best ? best->what.c_str() : "");
        const LaneOutcome* reference = outcome.lane(row.pipeline);
        QVERIFY(reference);
        QCOMPARE(QString::fromStdString(reference->unsound), QString(row.code));
        QVERIFY2(!row.differs || !reference->stage.empty(), "the reference computes the right values here, so this program does not show the defect");
    }

    /// R7: reordering for locality makes copies that `best` does without.
    void r7_mustCopy() {
        const Row row{"R7", "torch-v2", "",
                      R"(y = torch.ops.aten.cos.default(x)
                         z = torch.ops.aten.mul.Tensor(y, 2)
                         foo = torch.ops.mylib.foo.default(y)
                         return (y, z))"};
        ProgramChecker checker(ops_);
        checker.pipelines = {*namedPipeline("torch-v2"), *namedPipeline("best")};
        const ProgramOutcome outcome = checker.check(program(row));
        QVERIFY2(outcome.failure.empty(), outcome.failure.c_str());
        QCOMPARE(outcome.lane("torch-v2")->clonedBytes, std::int64_t{128});
        QCOMPARE(outcome.lane("best")->clonedBytes, std::int64_t{0});
    }
};

QTEST_APPLESS_MAIN(DefectRowsTest)
#include "tst_defect_rows.moc"
