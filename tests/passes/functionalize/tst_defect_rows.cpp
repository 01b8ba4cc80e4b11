// The defects of PyTorch 2.11 as programs (functionalize.md 9, reinplace.md 10): the reference pipelines give PyTorch's answer and say that it is
// unsound, `best` gives what the program gives. Every stage is executed.

#include <QTest>
#include <algorithm>

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
    {"F8 same_node_read", "torch-v1", "ALIASED_READ",
     R"(y = torch.ops.aten.cos.default(x)
        a = torch.ops.aten.slice.Tensor(y, 0, 0, 4)
        b = torch.ops.aten.slice.Tensor(y, 0, 0, 4)
        r = torch.ops.mylib.opt_read.default(a, b)
        return (y, r))"},
    {"F8 same_node_read_of_a_cloned_base", "torch-v2", "ALIASED_READ",
     R"(y = torch.ops.aten.cos.default(x)
        z = torch.ops.aten.mul.Tensor(y, 2)
        r = torch.ops.mylib.opt_read.default(y, y)
        return (y, z, r))"},
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
    {"old value written back", "torch-v2", "RI30.COPY",
     R"(copy_ = torch.ops.aten.copy_.default(x, x)
        c = torch.ops.aten.clone.default(x)
        r = torch.ops.mylib.foo_ret.default(c, w)
        return (r,))"},
    {"written back behind a fold", "torch-v2", "OUTPUT_ALIAS",
     R"(c = torch.ops.aten.clone.default(x)
        zero_ = torch.ops.aten.zero_.default(x)
        one = torch.ops.aten.cos.default(x)
        product = torch.ops.aten.mul.Tensor(one, c)
        return (product,))"},
    {"copy of rows that are counted from its start", "torch-v2", "SLICE_START_OFFSET",
     R"(rows = torch.ops.aten.slice.Tensor(x, 0, 2, 4)
        c = torch.ops.aten.clone.default(rows)
        row = torch.ops.aten.select.int(c, 0, 0)
        foo = torch.ops.mylib.foo.default(row)
        return (c,))"},
    {"R4 v1_copy_other", "torch-v1", "RI22",
     R"(two = torch.ops.mylib.two.default(x, w)
        copy_ = torch.ops.aten.copy_.default(x, w)
        return ())"},
};

}  // namespace

class DefectRowsTest : public QObject {
    Q_OBJECT

private:
    static constexpr const char* kInputs = R"(x: "f32[8, 4][4, 1]cpu", w: "f32[8, 4][4, 1]cpu")";
    OpRegistry ops_ = OpRegistry::withBuiltin();

    Graph program(const Row& row, const char* inputs = kInputs) const {
        std::string text = std::string("class program(torch.nn.Module):\n    def forward(self, ") + inputs + "):\n";
        for (const QString& line : QString(row.body).split('\n')) text += "        " + line.trimmed().toStdString() + "\n";
        auto document = readText(text, "row.py", ops_);
        if (!document || document->units.size() != 1) qFatal("%s cannot be read", row.id);
        return std::move(document->units[0].graph);
    }

    ProgramOutcome check(const Row& row, const std::vector<const char*>& pipelines, const char* inputs = kInputs) const {
        ProgramChecker checker(ops_);
        checker.pipelines.clear();
        for (const char* name : pipelines) checker.pipelines.push_back(*namedPipeline(name));
        return checker.check(program(row, inputs));
    }

    static bool says(const LaneOutcome& lane, const char* code) { return std::find(lane.said.begin(), lane.said.end(), code) != lane.said.end(); }

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

    /// F3: PyTorch clones views by their place in the storage where its code generator has made buffers of the views alone.
    void f3_clonesOfViewsThatNothingComputed_data() {
        QTest::addColumn<QString>("views");
        QTest::newRow("slices_same_base") << "a = torch.ops.aten.slice.Tensor(y, 0, 0, 4)\n b = torch.ops.aten.slice.Tensor(y, 0, 4, 8)";
        QTest::newRow("select_diag") << "a = torch.ops.aten.select.int(y, 0, 1)\n b = torch.ops.aten.diagonal.default(y)";
        QTest::newRow("chain_of_views") << "p = torch.ops.aten.permute.default(y, [1, 0])\n a = torch.ops.aten.select.int(p, 0, 1)\n"
                                           " b = torch.ops.aten.select.int(p, 0, 2)";
        QTest::newRow("unbind_rows") << "rows = torch.ops.aten.unbind.int(y)\n a = rows[1]\n b = rows[3]";
    }
    void f3_clonesOfViewsThatNothingComputed() {
        QFETCH(QString, views);
        const QByteArray body = ("y = torch.ops.aten.cos.default(x)\n" + views + "\n two = torch.ops.mylib.two.default(a, b)\n return (y,)").toUtf8();
        const ProgramOutcome outcome = check({"F3", "", "", body.constData()}, {"torch-v1", "torch-v2", "best"});
        const LaneOutcome *v1 = outcome.lane("torch-v1"), *v2 = outcome.lane("torch-v2"), *best = outcome.lane("best");
        QVERIFY2(outcome.failure.empty(), outcome.failure.c_str());
        QVERIFY(says(*v1, "UNDEFINED_READ"));
        QVERIFY(v1->stage.empty() || says(*v1, "OVERLAPPING_WRITES"));
        QVERIFY(!says(*v2, "UNDEFINED_READ") && v2->stage.empty());
        QVERIFY(!says(*best, "UNDEFINED_READ") && best->stage.empty() && best->left.clones == 0);
    }

    /// The storage of an input exists, and so does what begins where its buffer would.
    void f3_nothingIsSaidWhereTheStorageExists() {
        const Row ofInput{"F3", "", "",
                          R"(a = torch.ops.aten.select.int(x, 0, 3)
                             foo = torch.ops.mylib.foo.default(a)
                             return ())"};
        const Row atTheStart{"F3", "", "",
                             R"(y = torch.ops.aten.cos.default(x)
                                a = torch.ops.aten.slice.Tensor(y, 0, 0, 4)
                                foo = torch.ops.mylib.foo.default(a)
                                return (y,))"};
        for (const Row* row : {&ofInput, &atTheStart}) {
            const LaneOutcome v1 = *check(*row, {"torch-v1"}).lane("torch-v1");
            QVERIFY(v1.said.empty() && v1.stage.empty() && v1.left.clones == 1);
        }
    }

    /// F4: without a pass that says what may be written in place PyTorch clones nothing; here everything is cloned and said.
    void f4_missingCloneSet() {
        const Row row{"F4", "", "",
                      R"(y = torch.ops.aten.cos.default(x)
                         old = torch.ops.aten.clone.default(y)
                         foo = torch.ops.mylib.foo.default(y)
                         return (y, old))"};
        for (const char* mode : {"reference", "extended"}) {
            const std::string pipeline = std::string("functionalize{custom-ops=v2},remove-noops,decompose-functionalized{mode=") + mode + "}";
            ProgramChecker checker(ops_);
            checker.pipelines = {*parsePipeline(pipeline)};
            const ProgramOutcome outcome = checker.check(program(row));
            QVERIFY2(outcome.lanes.at(0).stage.empty(), outcome.lanes.at(0).what.c_str());
            QCOMPARE(QString::fromStdString(outcome.lanes.at(0).unsound), QString("NO_CLONE_SET"));
            QCOMPARE(outcome.lanes.at(0).left.clones, std::int64_t{1});
        }
    }

    /// F5: PyTorch wraps a write to a view of a complex tensor, but cannot take the wrapper apart again.
    void f5_complexBase() {
        const Row row{"F5", "", "",
                      R"(c = torch.ops.aten.clone.default(z)
                         r = torch.ops.aten.view_as_real.default(c)
                         foo = torch.ops.mylib.foo.default(r)
                         after = torch.ops.aten.view_as_real.default(c)
                         return (after,))"};
        const ProgramOutcome outcome = check(row, {"torch-v1", "torch-v2", "best"}, R"(z: "c64[4][1]cpu")");
        QCOMPARE(QString::fromStdString(outcome.refused), QString());
        QCOMPARE(QString::fromStdString(outcome.lane("torch-v2")->what), QString("fails with COMPLEX_BASE"));
        for (const char* pipeline : {"torch-v1", "best"})
            QVERIFY2(outcome.lane(pipeline)->stage.empty(), (pipeline + (": " + outcome.lane(pipeline)->what)).c_str());
    }

    /// F6: PyTorch clones the storage up to the last element of a view; the last row is all of it.
    void f6_storagePrefix() {
        const Row row{"F6", "", "",
                      R"(y = torch.ops.aten.cos.default(x)
                         last = torch.ops.aten.select.int(y, 0, 7)
                         old = torch.ops.aten.clone.default(last)
                         foo = torch.ops.mylib.foo.default(last)
                         return (y, old))"};
        const ProgramOutcome outcome = check(row, {"torch-v1", "best"});
        QVERIFY2(outcome.failure.empty(), outcome.failure.c_str());
        QCOMPARE(outcome.lane("torch-v1")->left.clonedBytes, std::int64_t{128});
        QCOMPARE(outcome.lane("best")->left.clonedBytes, std::int64_t{16});
    }

    /// F7: sizes, strides and start of the view are those of the base, only the dtype differs: no alias of it, and no slice.
    void f7_encodingsLookAtTheDtype_data() {
        QTest::addColumn<QString>("calls");
        QTest::newRow("alias") << "foo = torch.ops.mylib.foo.default(a)\n";
        QTest::newRow("slice") << "b = torch.ops.aten.slice.Tensor(a, 0, 2, 4)\n foo = torch.ops.mylib.foo.default(b)\n";
    }
    void f7_encodingsLookAtTheDtype() {
        QFETCH(QString, calls);
        const QByteArray body =
            ("y = torch.ops.aten.cos.default(x)\n a = torch.ops.aten.view.dtype(y, torch.int32)\n" + calls + "return (y, a)").toUtf8();
        const Row row{"F7", "", "", body.constData()};
        for (const char* pipeline : {"functionalize{custom-ops=v2},dce", "functionalize,dce"}) {
            Graph g = program(row);
            runPipeline(g, *parsePipeline(pipeline), ops_, {});
            int wrappers = 0;
            for (NodeId id : g.order()) {
                if (!g[id].is("hop::auto_functionalized_v2"_n)) continue;
                ++wrappers;
                const Value* bases = g[id].kwarg("_all_bases"_n);
                QVERIFY(bases && bases->items().size() == 1);
                const NodeId base = bases->items()[0].asNode();
                QVERIFY(base && g[base].tensor());
                QVERIFY(g[base].tensor()->dtype == DType::I32 || !(g[id].kwarg("_x_alias"_n) || g[id].kwarg("_x_slice_dim"_n)));
            }
            QCOMPARE(wrappers, 1);
        }
        const ProgramOutcome outcome = check(row, {"torch-v1", "torch-v2", "best"});
        QVERIFY2(outcome.failure.empty(), outcome.failure.c_str());
        for (const LaneOutcome& lane : outcome.lanes) QVERIFY2(lane.stage.empty() && lane.unsound.empty(), lane.what.c_str());
    }

    /// R5: of two written arguments in one memory PyTorch writes the first in place and clones the other.
    void r5_writtenApart_data() {
        QTest::addColumn<QString>("view");
        QTest::newRow("same_twice") << "b = torch.ops.aten.alias.default(y)";
        QTest::newRow("view_and_base") << "b = torch.ops.aten.select.int(y, 0, 0)";
    }
    void r5_writtenApart() {
        QFETCH(QString, view);
        const QByteArray body = ("y = torch.ops.aten.cos.default(x)\n" + view + "\n two = torch.ops.mylib.two.default(y, b)\n return (y,)").toUtf8();
        const Row row{"R5", "", "", body.constData()};
        const ProgramOutcome outcome = check(row, {"torch-v1", "torch-v2", "best"});
        QVERIFY2(outcome.failure.empty(), outcome.failure.c_str());
        const LaneOutcome *v1 = outcome.lane("torch-v1"), *best = outcome.lane("best");
        QVERIFY(!v1->stage.empty());
        QCOMPARE(std::count(v1->said.begin(), v1->said.end(), "OVERLAPPING_WRITES"), 2);  // of the form, and of what re-inplacing makes of it
        QVERIFY(best->stage.empty() && best->left.clones == 0);
    }

    /// R6: behind an operator with an effect token PyTorch's pass stops at the next candidate.
    void r6_effectTokens() {
        const Row row{"R6", "", "",
                      R"(cos = torch.ops.aten.cos.default(x)
                         index = torch.ops.aten.full.default([2], 3, dtype = torch.int64)
                         full = torch.ops.aten.full.default([2, 4], 1.0)
                         token = torch.ops.aten.full.default([0], 1.0)
                         effects = torch.ops.higher_order.with_effects(token, torch.ops.aten.index_put.default, cos, [index], full)
                         written: "f32[8, 4][4, 1]cpu" = effects[1]
                         sin = torch.ops.aten.sin.default(x)
                         put = torch.ops.aten.index_put.default(sin, [index], full)
                         return (written, put))"};
        ProgramChecker checker(ops_);
        checker.pipelines = {*parsePipeline("reinplace"), *parsePipeline("reinplace{analysis=extent}")};
        const ProgramOutcome outcome = checker.check(program(row));
        QCOMPARE(QString::fromStdString(outcome.refused), QString());
        QVERIFY2(outcome.failure.empty(), outcome.failure.c_str());
        QCOMPARE(QString::fromStdString(outcome.lanes.at(0).unsound), QString("WRITE_WITHOUT_WRITE_BACK"));
        QVERIFY(outcome.lanes.at(1).said.empty());
        for (const LaneOutcome& lane : outcome.lanes) QVERIFY2(lane.stage.empty(), lane.what.c_str());
    }

    /// R8: with dynamic shapes PyTorch reports 0 bytes of what it copies, and never counts a second argument of the same memory.
    void r8_unreportedBytes() {
        struct Decisions : PassObserver {
            Status stageFinished(const Graph&, const StageResult& stage) override {
                for (const Decision& d : *stage.decisions)
                    if (d.code.starts_with("RI") && d.verdict == "clone") clones.push_back(d);
                return {};
            }
            std::vector<Decision> clones;
        };
        const Row dynamic{"R8", "", "",
                          R"(y = torch.ops.aten.cos.default(x)
                             z = torch.ops.aten.mul.Tensor(y, 2)
                             foo = torch.ops.mylib.foo.default(y)
                             return (y, z))"};
        const char* inputs = R"g(s0: "Sym(s0)", x: "f32[s0, 4][4, 1]cpu")g";
        Graph g = program(dynamic, inputs);
        g.symbols["s0"_n].hint = 6;
        ProgramChecker checker(ops_);
        checker.pipelines = {*namedPipeline("torch-v2"), *namedPipeline("best")};
        const ProgramOutcome outcome = checker.check(g);
        QVERIFY2(outcome.failure.empty() && outcome.refused.empty(), (outcome.failure + outcome.refused).c_str());
        QCOMPARE(outcome.lane("torch-v2")->left.clonedBytes, std::int64_t{6 * 4 * 4});
        QCOMPARE(outcome.lane("best")->left.clonedBytes, std::int64_t{0});
        Decisions seen;
        runPipeline(g, *namedPipeline("torch-v2"), ops_, {&seen});
        QCOMPARE(seen.clones.size(), std::size_t{1});
        QCOMPARE(seen.clones[0].reportedBytes.value_or(-1), std::int64_t{0});
        QCOMPARE(seen.clones[0].clonedBytes.value_or(-1), std::int64_t{6 * 4 * 4});
        QVERIFY(!seen.clones[0].bytesExpr.empty());

        const Row twice{"R8", "", "",
                        R"(y = torch.ops.aten.cos.default(x)
                           two = torch.ops.mylib.two.default(y, y)
                           return (y,))"};
        Graph second = program(twice);
        Decisions uncounted;
        runPipeline(second, *namedPipeline("torch-v1"), ops_, {&uncounted});
        QCOMPARE(uncounted.clones.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(uncounted.clones[0].code), QString("RI13"));
        QVERIFY(!uncounted.clones[0].counted);
        QCOMPARE(uncounted.clones[0].clonedBytes.value_or(-1), std::int64_t{128});
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
        QCOMPARE(outcome.lane("torch-v2")->left.clonedBytes, std::int64_t{128});
        QCOMPARE(outcome.lane("best")->left.clonedBytes, std::int64_t{0});
    }
};

QTEST_APPLESS_MAIN(DefectRowsTest)
#include "tst_defect_rows.moc"
