// The reference in doubles, and how differences are judged: by operator where operands are equal, by errors against the reference.

#include <QTest>

#include "core/exec/compare_values.h"
#include "core/exec/doubles.h"
#include "core/exec/operator_bounds.h"
#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

/// Results of a graph in doubles, integers and random numbers from a native run.
std::vector<std::vector<double>> inDoubles(const Graph& g, const std::vector<RuntimeValue>& inputs, std::int64_t* otherwise = nullptr) {
    RunCollector natives(g, ops(), cpu(), DigestMode::None);
    natives.keepWhere([](const Node& n, const Tensor& t) { return mayBeDecided(ops(), n, t); }, 1 << 20);
    ExecOptions options;
    options.bodies = &bodies();
    StageInputs given;
    given.values = inputs;
    const StageInputs wide = exec::inDoubles(given, cpu());
    execute(g, ops(), cpu(), inputs, {}, options, &natives);
    DecidedValues decided(natives.kept);
    options.doubles = true;
    options.decided = [&](const memory::Site& site, int out, const Tensor& into) { return decided.give(site, out, into, cpu()); };
    const ExecResult r = execute(g, ops(), cpu(), wide.values, {}, options);
    if (r.error) qWarning("%s", r.error->sentence().c_str());
    std::vector<std::vector<double>> out;
    for (const RuntimeValue& v : r.outputs) {
        const Tensor* t = v.tensor();
        std::vector<double> values(t ? static_cast<std::size_t>(t->numel()) : 0);
        Tensor f64 = makeTensor(cpu(), [&] {
            TensorType type = t->type();
            type.dtype = DType::F64;
            type.strides.reset();
            type.offset.reset();
            return type;
        }());
        cpu().copy(f64, *t);
        cpu().download(reinterpret_cast<std::byte*>(values.data()), f64);
        out.push_back(values);
    }
    if (otherwise)
        for (const auto& [place, n] : decided.otherwise()) *otherwise += n;
    return out;
}

KeptValue floats(std::vector<float> values) {
    KeptValue v{DType::F32, {static_cast<std::int64_t>(values.size())}, std::vector<std::byte>(4 * values.size())};
    std::memcpy(v.data.data(), values.data(), v.data.size());
    return v;
}

KeptValue doubles(std::vector<double> values) {
    KeptValue v{DType::F64, {static_cast<std::int64_t>(values.size())}, std::vector<std::byte>(8 * values.size())};
    std::memcpy(v.data.data(), values.data(), v.data.size());
    return v;
}

const char* x3 = R"(x: "f32[3][1]cuda:0")";

}  // namespace

class DoublesTest : public QObject {
    Q_OBJECT

private slots:
    void nothingIsRoundedInBetween() {
        const Graph g = forward(x3,
                                "mul = torch.ops.aten.mul.Tensor(x, 0.1)\nhalf = torch.ops.prims.convert_element_type.default(mul, torch.bfloat16)\n"
                                "full = torch.ops.aten.full.default([], 0.1, dtype = torch.bfloat16)\nadd = torch.ops.aten.add.Tensor(half, full)\n"
                                "out = torch.ops.prims.convert_element_type.default(add, torch.float32)\nreturn (out,)");
        const auto values = inDoubles(g, {tensor({3}, {1, 2, 3})}).at(0);
        for (int i = 0; i < 3; ++i)
            QVERIFY2(std::fabs(values[std::size_t(i)] - (0.1 * (i + 1) + 0.1)) < 1e-15, qPrintable(QString::number(values[std::size_t(i)], 'g', 17)));
    }

    void whatRoundingMayDecideIsTheNativeRuns() {
        // 16777216 + 1 is 16777216 in f32: natively the two are equal, in doubles they are not.
        const Graph g = forward(x3,
                                "add = torch.ops.aten.add.Tensor(x, 1)\neq = torch.ops.aten.eq.Tensor(add, x)\n"
                                "where = torch.ops.aten.where.self(eq, x, add)\nreturn (eq, where)");
        std::int64_t otherwise = 0;
        const auto values = inDoubles(g, {tensor({3}, {1, 16777216, 3})}, &otherwise);
        QCOMPARE(values.at(0), (std::vector<double>{0, 1, 0}));
        QCOMPARE(values.at(1), (std::vector<double>{2, 16777216, 4}));
        QCOMPARE(otherwise, 1);
    }

    void randomNumbersAreTheNativeRuns() {
        const Graph g = forward(
            x3, "rand = torch.ops.aten.rand.default([3], dtype = torch.float32)\nadd = torch.ops.aten.add.Tensor(rand, x)\nreturn (rand, add)");
        ExecOptions options;
        const Ran native = run(g, {range({3})}, options);
        std::vector<float> expected(3);
        cpu().download(reinterpret_cast<std::byte*>(expected.data()), *native.result.outputs[0].tensor());
        const auto values = inDoubles(g, {range({3})});
        for (std::size_t i = 0; i < 3; ++i) QCOMPARE(values.at(0)[i], double(expected[i]));
    }

    void writesAndBodiesRunInDoublesToo() {
        const Graph g = forward(R"(x: "bf16[3][1]cuda:0")",
                                "clone = torch.ops.aten.clone.default(x)\nmul_ = torch.ops.aten.mul_.Tensor(clone, 0.1)\n"
                                "foo = torch.ops.mylib.foo.default(clone)\nreturn (clone,)");
        Tensor x = makeTensor(cpu(), *g[g.placeholders()[0]].tensor());
        cpu().copy(x, range({3}));
        const auto values = inDoubles(g, {x}).at(0);
        QVERIFY(std::fabs(values[1] - 1.1) < 1e-15);
    }

    void judgedByTheErrorsOfBoth() {
        ComparedValue row;
        const Tolerance policy{false, {}, {}, true};
        const KeptValue want = doubles({1, 2, 3});
        measureAgainst(row, floats({1, 2, 3.0000002F}), floats({1, 2, 2.9999998F}), want, policy);
        QVERIFY(row.verdict == Verdict::Close);
        QVERIFY(*row.errorA > 0 && *row.errorB > 0);
        measureAgainst(row, floats({1, 2, 3}), floats({1, 2, 3.00001F}), want, policy);
        QVERIFY(row.verdict == Verdict::Differs);  // the whole-graph bound would allow it
        measureAgainst(row, floats({1, 2, 3.5F}), floats({1, 2, 3}), want, policy);
        QVERIFY(row.verdict == Verdict::Close);  // nearer than what it replaces
        measureAgainst(row, floats({1, 2, 3}), floats({1, std::nanf(""), 3}), want, policy);
        QVERIFY(row.verdict == Verdict::Differs);
    }

    void boundsByClass_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<double>("relative");
        QTest::addColumn<double>("absolute");
        const auto row = [](const char* name, ToleranceClass kind, DType dtype, double relative, double absolute) {
            QTest::newRow(name) << int(kind) << int(dtype) << relative << absolute;
        };
        // terms 16, largest 2, norms 8; both runs may be off by the bound
        row("exact", ToleranceClass::Exact, DType::F32, 0, 0);
        row("rounded", ToleranceClass::Rounded, DType::BF16, 0x1p-7, 0x1p-7 * 0x1p-126);
        row("transcendental", ToleranceClass::Transcendental, DType::F32, 2 * 2 * 4 * 0x1p-24, 2 * 2 * 4 * 0x1p-24 * 0x1p-126);
        row("reduction", ToleranceClass::Reduction, DType::F32, 0x1p-23, 2 * 4 * 0x1p-24 * 5 * 32);
        row("product", ToleranceClass::Matmul, DType::F32, 0x1p-23, 2 * 0x1p-23 * 4 * 8);
        row("attention", ToleranceClass::Attention, DType::F16, 0, 2 * 0x1p-10 * 2);
    }
    void boundsByClass() {
        QFETCH(int, kind);
        QFETCH(int, dtype);
        QFETCH(double, relative);
        QFETCH(double, absolute);
        const ElementBound b = operatorBound(ToleranceClass(kind), {DType(dtype), 16, 2, 8});
        QCOMPARE(b.relative, relative);
        QCOMPARE(b.absolute, absolute);
    }
};

QTEST_APPLESS_MAIN(DoublesTest)
#include "tst_doubles.moc"
