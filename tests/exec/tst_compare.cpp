// Two stages' runs side by side: what counts as equal, where a difference begins, and what is no fault.

#include <QTest>
#include <cstring>

#include "core/exec/compare.h"
#include "core/exec/compare_pairs.h"
#include "core/exec/compare_values.h"
#include "core/exec/run_values.h"
#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

struct Stage {
    Graph graph;
    RunValues values;
    KeptValues kept;
};

/// Runs a graph and keeps every value.
Stage executed(const std::string& inputs, const std::string& body, const std::vector<RuntimeValue>& values, std::uint64_t seed = 0) {
    Stage s;
    s.graph = forward(inputs, body);
    ExecOptions options;
    options.bodies = &bodies();
    options.seed = seed;
    RunCollector first(s.graph, ops(), cpu(), DigestMode::All);
    const auto copies = [&] {
        std::vector<RuntimeValue> out;
        for (const RuntimeValue& v : values) {
            Tensor t = makeTensor(cpu(), v.tensor()->type());
            cpu().copy(t, *v.tensor());
            out.emplace_back(t);
        }
        return out;
    };
    first.finish(execute(s.graph, ops(), cpu(), copies(), {}, options, &first));
    ValueKeys keys;
    for (const RunValue& v : first.values.rows) keys.insert({v.site, v.out});
    RunCollector second(s.graph, ops(), cpu(), DigestMode::All);
    second.keep(keys, 1 << 20);
    second.finish(execute(s.graph, ops(), cpu(), copies(), {}, options, &second));
    s.values = std::move(first.values);
    s.kept = std::move(second.kept);
    return s;
}

Comparison compared(const Stage& a, const Stage& b, const Tolerance& tolerance = {true, {}, {}}, const RewriteSteps& rewrites = {}) {
    return compareStages({&a.graph, &a.values}, {&b.graph, &b.values}, rewrites, tolerance, ops(),
                         [&](Comparison& c, const std::vector<std::size_t>& rows) {
                             for (std::size_t i : rows)
                                 measure(c.rows[i], a.kept.at({*c.rows[i].a, c.rows[i].outA}), b.kept.at({*c.rows[i].b, c.rows[i].outB}), tolerance);
                         });
}

/// `name[out] verdict` of every row that does not simply agree; `x` marks what is inherited.
QString told(const Comparison& c, const Stage& b) {
    QStringList out;
    for (const ComparedValue& row : c.rows) {
        if (agrees(row.verdict)) continue;
        const std::string name = row.b ? b.graph[row.b->node].name.str() : "-";
        out << QString::fromStdString(name + (row.outB == 0 ? "" : "[" + std::to_string(row.outB) + "]") + " ") +
                   (row.inherited ? "inherited" : toString(row.verdict).data()) + (row.why.empty() ? "" : ":" + QString::fromStdString(row.why));
    }
    return out.join(", ");
}

QString first(const Comparison& c, const Stage& b) {
    if (!c.first) return "nothing";
    const ComparedValue& row = c.rows[*c.first];
    QStringList at;
    for (std::int64_t i : row.at) at << QString::number(i);
    return QString::fromStdString(b.graph[row.b->node].name.str()) + " [" + at.join(", ") + "] " +
           QString::fromStdString(row.valueA + " " + row.valueB);
}

const char* x3 = R"(x: "f32[3][1]cuda:0")";

}  // namespace

class CompareTest : public QObject {
    Q_OBJECT

private slots:
    void equalStagesAreTheSame() {
        const Stage a = executed(x3, "cos = torch.ops.aten.cos.default(x)\nreturn (cos,)", {range({3})});
        const Comparison c = compared(a, a);
        QVERIFY(c.verdict == Verdict::Same);
        QCOMPARE(c.policy, std::string("bitwise"));
        QCOMPARE(told(c, a), QString());
        QVERIFY(!c.first);
    }

    /// `node` of the stage gives `factor` times what it gave, and so does nothing after it.
    static void falsify(Stage& s, const char* node, float factor) {
        for (RunValue& v : s.values.rows) {
            if (!s.graph.contains(v.site.node) || s.graph[v.site.node].name != std::string_view(node)) continue;
            KeptValue& kept = s.kept.at({v.site, v.out});
            for (std::size_t i = 0; i + 4 <= kept.data.size(); i += 4) {
                float x = 0;
                std::memcpy(&x, kept.data.data() + i, 4);
                x *= factor;
                std::memcpy(kept.data.data() + i, &x, 4);
            }
            ++v.digest.hash, ++v.digest.hashV;
        }
    }

    void operatorsAreHeldToTheirOwnBoundsOnEqualOperands_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<double>("factor");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("relu may not round") << "relu.default(x)" << 1 + 1e-6 << "differs";
        QTest::newRow("a product rounds once") << "mul.Tensor(x, 4)" << 1 + 1.1e-7 << "close";
        QTest::newRow("and no more") << "mul.Tensor(x, 4)" << 1 + 1e-6 << "differs";
        QTest::newRow("sin has four units") << "sin.default(x)" << 1 + 3e-7 << "close";
        QTest::newRow("not twenty") << "sin.default(x)" << 1 + 3e-6 << "differs";
        QTest::newRow("reductions lose by terms") << "cumsum.default(x, 0)" << 1 + 1e-6 << "close";
    }
    void operatorsAreHeldToTheirOwnBoundsOnEqualOperands() {
        QFETCH(QString, op);
        QFETCH(double, factor);
        QFETCH(QString, verdict);
        const std::string body = "r = torch.ops.aten." + op.toStdString() + "\nneg = torch.ops.aten.neg.default(r)\nreturn (neg,)";
        const Stage a = executed(x3, body, {range({3})});
        Stage b = executed(x3, body, {range({3})});
        falsify(b, "r", static_cast<float>(factor));
        const Comparison c = compared(a, b, Tolerance{});
        for (const ComparedValue& row : c.rows) {
            if (!row.b || b.graph[row.b->node].name != "r"_n) continue;
            QVERIFY(row.bound.has_value());
            QCOMPARE(QString(toString(row.verdict).data()), verdict);
        }
        // What follows from another value is judged by the bound for whole graphs.
        falsify(b, "neg", 1 + 1e-6F);
        for (const ComparedValue& row : compared(a, b, Tolerance{}).rows)
            if (row.b && b.graph[row.b->node].name == "neg"_n) QVERIFY(!row.bound && row.verdict == Verdict::Close);
    }

    void differencesBeginSomewhereAndGoOn() {
        const Stage a = executed(
            x3,
            "add = torch.ops.aten.add.Tensor(x, 1)\nmul = torch.ops.aten.mul.Tensor(add, 2)\nneg = torch.ops.aten.neg.default(mul)\nreturn (neg, x)",
            {range({3})});
        const Stage b = executed(
            x3,
            "add = torch.ops.aten.add.Tensor(x, 1)\nmul = torch.ops.aten.mul.Tensor(add, 3)\nneg = torch.ops.aten.neg.default(mul)\nreturn (neg, x)",
            {range({3})});
        const Comparison c = compared(a, b);
        QVERIFY(c.verdict == Verdict::Differs);
        QCOMPARE(told(c, b), QString("output inherited, mul differs, neg inherited"));
        QCOMPARE(first(c, b), QString("mul [2] 6 9"));
        const ComparedValue& row = c.rows[*c.first];
        QCOMPARE(row.maxAbs, 3.0);
        QCOMPARE(row.maxRel, 0.5);
    }

    void inputsAfterTheRunCount() {
        const Stage a = executed(x3, "add_ = torch.ops.aten.add_.Tensor(x, 1)\nreturn ()", {range({3})});
        const Stage b = executed(x3, "add_ = torch.ops.aten.add_.Tensor(x, 2)\nreturn ()", {range({3})});
        const Comparison c = compared(a, b);
        QVERIFY(c.verdict == Verdict::Differs);
        QCOMPARE(told(c, b), QString("x[-1] inherited, add_ differs"));
    }

    void differencesTravelThroughMemory() {
        // neg reads what the second call wrote into another view of the same storage.
        const char* body =
            "view = torch.ops.aten.view.default(x, [3])\nadd_ = torch.ops.aten.add_.Tensor(view, %1)\nneg = torch.ops.aten.neg.default(x)\nreturn "
            "(neg,)";
        const Stage a = executed(x3, QString(body).arg(1).toStdString(), {range({3})}),
                    b = executed(x3, QString(body).arg(2).toStdString(), {range({3})});
        QCOMPARE(told(compared(a, b), b), QString("output inherited, x[-1] inherited, add_ differs, neg inherited"));
    }

    void roundingIsCloseWhereThePolicySaysSo() {
        const Stage a = executed(x3, "div = torch.ops.aten.div.Tensor(x, 3)\nreturn (div,)", {range({3})});
        const Stage b = executed(x3, "div = torch.ops.aten.mul.Tensor(x, 0.3333333)\nreturn (div,)", {range({3})});
        QVERIFY(compared(a, b).verdict == Verdict::Differs);
        QVERIFY(compared(a, b, toleranceOf({"fuse-attention"})).verdict == Verdict::Close);
        QVERIFY(compared(a, b, {false, 1e-9, 0.0}).verdict == Verdict::Differs);
        QVERIFY(compared(a, b, {false, 1e-6, 0.0}).verdict == Verdict::Close);
    }

    void policiesFollowFromPasses() {
        QVERIFY(toleranceOf({"functionalize", "reinplace", "decompose-functionalized", "dce"}).bitwise);
        QVERIFY(!toleranceOf({"functionalize", "fold-constants"}).bitwise);
        QVERIFY(toleranceOf({}).bitwise);
    }

    void signsOfZeroAndNaNsAreNoDifference() {
        const Stage a = executed(x3, "mul = torch.ops.aten.mul.Tensor(x, 0.0)\nreturn (mul,)", {tensor({3}, {1, 2, 3})});
        const Stage b = executed(x3, "mul = torch.ops.aten.mul.Tensor(x, -0.0)\nreturn (mul,)", {tensor({3}, {1, 2, 3})});
        QVERIFY(compared(a, b).verdict == Verdict::ValueSame);
    }

    void infinityOnOneSideIsNeverClose() {
        const Stage a = executed(x3, "mul = torch.ops.aten.mul.Tensor(x, 1e+38)\nreturn (mul,)", {tensor({3}, {1, 2, 3})});
        const Stage b = executed(x3, "mul = torch.ops.aten.mul.Tensor(x, 3e+38)\nreturn (mul,)", {tensor({3}, {1, 2, 3})});
        const Comparison c = compared(a, b, {false, 10.0, 0.0});
        QVERIFY(c.verdict == Verdict::Differs);
        QCOMPARE(first(c, b), QString("mul [1] 2e+38 inf"));
    }

    void randomAndUndefinedValuesAreNotCompared() {
        const char* random =
            "rand = torch.ops.aten.rand.default([3], dtype = torch.float32, device = device(type='cpu'), pin_memory = False)\n"
            "add = torch.ops.aten.add.Tensor(rand, x)\nreturn (add,)";
        const Stage a = executed(x3, random, {range({3})}, 1), b = executed(x3, random, {range({3})}, 2);
        const Comparison c = compared(a, b);
        QVERIFY(c.verdict == Verdict::NotComparable);
        QCOMPARE(told(c, b), QString("output not-comparable:random, rand not-comparable:random, add not-comparable:random"));
    }

    void resultsThatOneStageLacksDiffer() {
        const Stage a = executed(x3, "return (x, x)", {range({3})}), b = executed(x3, "return (x,)", {range({3})});
        QVERIFY(compared(a, b).verdict == Verdict::Differs);
    }

    void whatACallWritesIsAValue() {
        const char* mutable_ = "foo = torch.ops.mylib.foo.default(x)\nreturn ()";
        const Stage a = executed(x3, mutable_, {range({3})});
        bool found = false;
        for (const RunValue& v : a.values.rows)
            if (a.graph[v.site.node].name == "foo"_n) {
                QCOMPARE(v.out, writtenOut(0));
                QCOMPARE(v.digest.max, 3.0);
                found = true;
            }
        QVERIFY(found);
    }

    void wrappersWriteTheSameOperands() {
        const Stage a = executed(x3, "foo = torch.ops.mylib.foo.default(x)\nreturn ()", {range({3})});
        const Stage v1 = executed(x3,
                                  "foo = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = x)\ngetitem = foo[1]\n"
                                  "copy_ = torch.ops.aten.copy_.default(x, getitem)\nreturn ()",
                                  {range({3})});
        const Stage v2 = executed(
            x3,
            "foo = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _x_size = (2,), _x_stride = (1,), "
            "_x_storage_offset = 1, _all_bases = [x])\ngetitem = foo[1]\ncopy_ = torch.ops.aten.copy_.default(x, getitem)\nreturn ()",
            {range({3})});
        const auto written = [](const Stage& s) {
            for (const RunValue& v : s.values.rows)
                if (s.graph[v.site.node].name == "foo"_n && v.out == writtenOut(0)) return v.digest;
            return Digest();
        };
        QCOMPARE(written(a).hash, written(v1).hash);
        QVERIFY(written(a).hash != 0);
        // v2 writes the view: its last two elements, one more each.
        QCOMPARE(written(v2).sizes, Shape({2}));
        QCOMPARE(written(v2).min, 2.0);
    }

    void rewritesPairValues() {
        const Stage a = executed(x3, "add = torch.ops.aten.add.Tensor(x, 1)\nreturn (add,)", {range({3})});
        const Stage b = executed(x3, "unused = torch.ops.aten.neg.default(x)\nsum_of_both = torch.ops.aten.add.Tensor(x, 1)\nreturn (sum_of_both,)",
                                 {range({3})});
        const RewriteSteps steps = {{{{0, a.graph.find("add"_n), 0}}, {{0, b.graph.find("sum_of_both"_n), 0}}}};
        const StagePairs pairs({&a.graph, &a.values}, {&b.graph, &b.values}, steps, ops());
        bool found = false;
        for (std::size_t i = 0; i < b.values.rows.size(); ++i)
            if (b.graph[b.values.rows[i].site.node].name == "sum_of_both"_n) {
                QVERIFY(pairs.counterpart(i));
                QCOMPARE(QString::fromStdString(a.graph[a.values.rows[*pairs.counterpart(i)].site.node].name.str()), QString("add"));
                found = true;
            }
        QVERIFY(found);
    }

    /// Two nodes became one, which has the value of the last.
    void whatReplacesSeveralNodesStandsForTheLast() {
        const Stage a = executed(x3, "neg = torch.ops.aten.neg.default(x)\nabs_1 = torch.ops.aten.abs.default(neg)\nreturn (abs_1,)", {range({3})});
        const Stage b = executed(x3,
                                 "one = torch.ops.aten.neg.default(x)\ntwo = torch.ops.aten.neg.default(x)\n"
                                 "relu = torch.ops.aten.relu.default(x)\nreturn (relu,)",
                                 {range({3})});
        const RewriteSteps steps = {{{{0, a.graph.find("neg"_n), 0}, {0, a.graph.find("abs_1"_n), 0}}, {{0, b.graph.find("relu"_n), 0}}}};
        const StagePairs pairs({&a.graph, &a.values}, {&b.graph, &b.values}, steps, ops());
        for (std::size_t i = 0; i < b.values.rows.size(); ++i)
            if (b.graph[b.values.rows[i].site.node].name == "relu"_n) {
                QVERIFY(pairs.counterpart(i));
                QCOMPARE(QString::fromStdString(a.graph[a.values.rows[*pairs.counterpart(i)].site.node].name.str()), QString("abs_1"));
            }
    }

    /// The sum of what cancels is all rounding: it is judged by what was summed, through views too. A term that is wrong still shows.
    void sumsThatCancelAreJudgedByTheirTerms_data() {
        QTest::addColumn<QString>("terms");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("rounding") << "mul = torch.ops.aten.mul.Tensor(x, 0.33333334)"
                                  << "close";
        QTest::newRow("one wrong term") << "mul = torch.ops.aten.clamp.default(x, -0.56, 0.7)"
                                        << "differs";
    }
    void sumsThatCancelAreJudgedByTheirTerms() {
        QFETCH(QString, terms);
        QFETCH(QString, verdict);
        const auto stage = [](const std::string& first) {
            return executed(x3,
                            first +
                                "\nsum_1 = torch.ops.aten.sum.dim_IntList(mul, [0], True)\nview = torch.ops.aten.view.default(sum_1, [1, 1])\n"
                                "return (view,)",
                            {tensor({3}, {2.1F, -1.7F, -0.4F})});
        };
        const Stage a = stage("mul = torch.ops.aten.div.Tensor(x, 3)"), b = stage(terms.toStdString());
        QCOMPARE(QString(toString(compared(a, b, toleranceOf({"fuse-attention"})).verdict).data()), verdict);
    }

    /// What a graph of a program returns before the last one counts as a result: a loss that changes is a fault even where gradients do not.
    void resultsOfEarlierGraphsCount() {
        const auto stage = [](const char* loss) {
            return executed(x3,
                            std::string("loss = torch.ops.aten.") + loss +
                                ".default(x)\nend = torch.ops.aliascope.graph_output.default([loss, x])\n"
                                "neg = torch.ops.aten.neg.default(x)\nreturn (neg,)",
                            {range({3})});
        };
        const Stage a = stage("cos"), b = stage("sin");
        QVERIFY(compared(a, stage("cos")).verdict == Verdict::Same);
        const Comparison c = compared(a, b);
        QVERIFY(c.verdict == Verdict::Differs);
        QCOMPARE(told(c, b), QString("end inherited, loss differs"));
        QCOMPARE(first(c, b), QString("loss [2] -0.41614684 0.9092974"));
    }

    void theFirstNaNIsNamed() {
        const Graph g = forward(
            x3,
            "neg = torch.ops.aten.neg.default(x)\nsqrt = torch.ops.aten.sqrt.default(neg)\nadd = torch.ops.aten.add.Tensor(sqrt, 1)\nreturn (add,)");
        RunCollector collector(g, ops(), cpu(), DigestMode::All);
        collector.finish(execute(g, ops(), cpu(), {range({3})}, {}, {}, &collector));
        QVERIFY(collector.firstNaN);
        QCOMPARE(collector.firstNaN->node, "sqrt"_n);
        QCOMPARE(collector.firstNaN->at, Shape({1}));
    }

    void ulpsCountNeighbours() {
        const KeptValue a{DType::F32, {1}, std::vector<std::byte>(4)},
            b{DType::F32, {1}, {std::byte{3}, std::byte{0}, std::byte{0}, std::byte{0x80}}};
        QCOMPARE(compareElements(a, b, {}).ulp, 3.0);  // +0 and the third subnormal below it
    }
};

QTEST_APPLESS_MAIN(CompareTest)
#include "tst_compare.moc"
