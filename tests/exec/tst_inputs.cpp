// Which values a graph runs on: from a file, by name, number or order; or random, by what they are used for.

#include <QTemporaryDir>
#include <cstring>
#include <set>

#include "core/exec/inputs.h"
#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

TensorBytes floats(const std::string& name, const Shape& sizes, float first) {
    TensorBytes t{name, DType::F32, sizes, {}};
    std::int64_t n = 1;
    for (std::int64_t s : sizes) n *= s;
    std::vector<float> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(first + static_cast<float>(i));
    t.data.resize(values.size() * 4);
    std::memcpy(t.data.data(), values.data(), t.data.size());
    return t;
}

const InputValue& value(const InputSet& set, const char* name) {
    for (const InputValue& v : set.values())
        if (v.name == std::string_view(name)) return v;
    static const InputValue none;
    return none;
}

std::vector<std::int64_t> integers(const InputValue& v) {
    std::vector<std::int64_t> out(v.storage.size() / 8);
    std::memcpy(out.data(), v.storage.data(), v.storage.size());
    return out;
}

std::vector<float> numbers(const InputValue& v) {
    std::vector<float> out(v.storage.size() / 4);
    std::memcpy(out.data(), v.storage.data(), v.storage.size());
    return out;
}

const char* twoInputs = R"(x: "f32[2, 3][3, 1]cuda:0", y: "f32[2][1]cuda:0")";

}  // namespace

class InputsTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    TensorFile file(const std::vector<TensorBytes>& tensors) const {
        const std::string path = folder_.filePath("in.safetensors").toStdString();
        if (!writeTensorFile(path, tensors)) qFatal("cannot write");
        return std::move(*TensorFile::open(path));
    }
    static Graph sum() {
        return forward(twoInputs, "sum_1 = torch.ops.aten.sum.default(x)\nadd = torch.ops.aten.add.Tensor(y, sum_1)\nreturn (add,)");
    }
    static Result<InputSet> choose(const Graph& g, const TensorFile* f, std::uint64_t seed = 0) {
        InputOptions options;
        options.file = f;
        options.seed = seed;
        return InputSet::make(g, ops(), options);
    }

private slots:
    void filesMatchByName_data() {
        QTest::addColumn<QStringList>("names");
        QTest::newRow("in/NAME") << QStringList{"in/y", "in/x"};
        QTest::newRow("in/INDEX") << QStringList{"in/1", "in/0"};
        QTest::newRow("NAME") << QStringList{"y", "x"};
        QTest::newRow("mixed") << QStringList{"in/1", "x"};
    }
    void filesMatchByName() {
        QFETCH(QStringList, names);
        const TensorFile f = file({floats(names[0].toStdString(), {2}, 10), floats(names[1].toStdString(), {2, 3}, 0), floats("out/0", {2}, 99)});
        const Graph g = sum();
        const auto set = choose(g, &f);
        QVERIFY2(set, set ? "" : set.error().format().c_str());
        QCOMPARE(numbers(value(*set, "y")).front(), 10.0F);
        QCOMPARE(numbers(value(*set, "x")).back(), 5.0F);
        QCOMPARE(value(*set, "x").role, std::string("file"));
        const auto stage = set->forStage(g, cpu());
        QVERIFY(stage);
        QCOMPARE(QString::fromStdString(run(g, stage->values).outputs), QString("25 26"));
        QCOMPARE(stage->indices, (std::vector<int>{0, 1}));
    }

    void filesMatchByOrderWhenNoNameDoes() {
        const TensorFile f = file({floats("a", {2, 3}, 0), floats("b", {2}, 10)});
        const auto set = choose(sum(), &f);
        QVERIFY(set);
        QCOMPARE(numbers(value(*set, "y")).front(), 10.0F);
    }

    void mismatchesListBothSides() {
        const TensorFile f = file({floats("in/0", {2, 4}, 0), floats("in/1", {2}, 10)});
        const auto set = choose(sum(), &f);
        QVERIFY(!set);
        QCOMPARE(set.error().code, std::string("INPUT_MISMATCH"));
        const QString text = QString::fromStdString(set.error().format());
        QVERIFY2(text.contains("Input x: the file has in/0 f32[2, 4], the graph wants f32[2, 3]"), qPrintable(text));
        QVERIFY2(text.contains("The file has in/0 f32[2, 4], in/1 f32[2]; the graph wants x f32[2, 3]"), qPrintable(text));
    }

    void missingInputsAreNamed() {
        const TensorFile f = file({floats("in/0", {2, 3}, 0)});
        const auto set = choose(sum(), &f);
        QVERIFY(!set);
        QVERIFY(QString::fromStdString(set.error().format()).contains("No value for input y f32[2][1]cuda:0"));
    }

    void shapesTellSymbols() {
        const Graph g = forward(R"_(s0: "Sym(s0)", x: "f32[s0, 3][3, 1]cuda:0", y: "f32[2*s0][1]cuda:0")_", "return (x,)");
        const TensorFile f = file({floats("in/0", {5, 3}, 0), floats("in/1", {10}, 0)});
        const auto set = choose(g, &f);
        QVERIFY2(set, set ? "" : set.error().format().c_str());
        QCOMPARE(*value(*set, "s0").integer, 5);
        const TensorFile wrong = file({floats("in/0", {5, 3}, 0), floats("in/1", {11}, 0)});
        QVERIFY(!choose(g, &wrong));
    }

    void bfloatsComeAsBits() {
        const Graph g = forward(R"(x: "bf16[2][1]cuda:0")", "return (x,)");
        TensorBytes bits{"in/0", DType::U16, {2}, std::vector<std::byte>(4)};
        bits.data[1] = std::byte{0x40};
        const TensorFile f = file({bits});
        const auto set = choose(g, &f);
        QVERIFY2(set, set ? "" : set.error().format().c_str());
        QVERIFY(value(*set, "x").storage == bits.data);
    }

    void constantsComeByAttribute() {
        const Graph g =
            forward(R"(x: "f32[2][1]cuda:0")", "_c: \"f32[2][1]cuda:0\" = self._c\nadd = torch.ops.aten.add.Tensor(x, _c)\nreturn (add,)");
        const TensorFile without = file({floats("in/0", {2}, 0)});
        const auto refused = choose(g, &without);
        QVERIFY(!refused && refused.error().code == "CONSTANT_VALUE_MISSING");
        const TensorFile f = file({floats("in/0", {2}, 0), floats("_c", {2}, 10)});
        const auto set = choose(g, &f);
        QVERIFY(set);
        const auto stage = set->forStage(g, cpu());
        QVERIFY(stage);
        QCOMPARE(QString::fromStdString(run(g, stage->values, {}, cpu(), stage->constants).outputs), QString("10 12"));
    }

    void gapsAndStridesAreKept() {
        const Graph g = forward(R"(x: "f32[2, 2][4, 1]cuda:0")", "return (x,)");
        const TensorFile f = file({floats("in/0", {2, 2}, 1)});
        const auto set = choose(g, &f);
        QVERIFY(set);
        QCOMPARE(numbers(value(*set, "x")), (std::vector<float>{1, 2, 0, 0, 3, 4}));
    }

    void randomValuesRepeatAndDependOnTheSeed() {
        const Graph g = sum();
        const auto a = choose(g, nullptr, 1), b = choose(g, nullptr, 1), c = choose(g, nullptr, 2);
        QVERIFY(a && b && c);
        QVERIFY(value(*a, "x").storage == value(*b, "x").storage);
        QVERIFY(value(*a, "x").storage != value(*c, "x").storage);
        QVERIFY(numbers(value(*a, "x")).front() != numbers(value(*a, "y")).front());
    }

    void roles_data() {
        QTest::addColumn<QString>("inputs");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("role");
        const auto row = [](const char* name, const char* inputs, const char* body, const char* role) {
            QTest::newRow(name) << inputs << body << role;
        };
        row("embedding", R"(w: "f32[50, 4][4, 1]cuda:0", x: "i64[7][1]cuda:0")",
            "embedding = torch.ops.aten.embedding.default(w, x)\nreturn (embedding,)", "ids");
        row("through a view", R"(w: "f32[50, 4][4, 1]cuda:0", x: "i64[6][1]cuda:0")",
            "view = torch.ops.aten.view.default(x, [2, 3])\nembedding = torch.ops.aten.embedding.default(w, view)\nreturn (embedding,)", "ids");
        row("index_put", R"(w: "f32[50, 4][4, 1]cuda:0", x: "i64[7][1]cuda:0", v: "f32[7, 4][4, 1]cuda:0")",
            "index_put = torch.ops.aten.index_put.default(w, [x], v)\nreturn (index_put,)", "slots");
        row("accumulate", R"(w: "f32[50, 4][4, 1]cuda:0", x: "i64[7][1]cuda:0", v: "f32[7, 4][4, 1]cuda:0")",
            "index_put = torch.ops.aten.index_put.default(w, [x], v, True)\nreturn (index_put,)", "ids");
        row("labels", R"(w: "f32[7, 50][50, 1]cuda:0", x: "i64[7, 1][1, 1]cuda:0")",
            "ne = torch.ops.aten.ne.Scalar(x, -100)\nfull = torch.ops.aten.full.default([], 0, dtype = torch.int64)\nwhere = "
            "torch.ops.aten.where.self(ne, x, full)\n"
            "gather = torch.ops.aten.gather.default(w, 1, where)\nreturn (gather,)",
            "labels");
        row("pooling offsets", R"(x: "i8[1, 1, 4, 4][16, 16, 4, 1]cuda:0")",
            "w = torch.ops.prims._low_memory_max_pool_offsets_to_indices.default(x, [3, 3], [8, 8], [2, 2], [1, 1], [1, 1])\nreturn (w,)",
            "window centre");
        row("mask", R"(x: "b8[7, 3][3, 1]cuda:0")", "return (x,)", "mask");
        row("weight", R"(a: "f32[2, 16][16, 1]cuda:0", x: "f32[16, 4][4, 1]cuda:0")", "mm = torch.ops.aten.mm.default(a, x)\nreturn (mm,)",
            "matrix weight");
        row("norm", R"(a: "f32[2, 16][16, 1]cuda:0", x: "f32[16][1]cuda:0")",
            "n = torch.ops.aten.native_layer_norm.default(a, [16], x, None, 1e-05)\ngetitem = n[0]\nreturn (getitem,)", "norm weight");
        row("variance", R"(x: "f32[16][1]cuda:0")",
            "add = torch.ops.aten.add.Tensor(x, 1e-05)\nrsqrt = torch.ops.aten.rsqrt.default(add)\nreturn (rsqrt,)", "variance");
        row("tangent", R"(tangents_1: "f32[][]cuda:0", x: "f32[3][1]cuda:0")", "return (x,)", "float");
        row("integer", R"(x: "i32[7][1]cuda:0")", "return (x,)", "int");
    }
    void roles() {
        QFETCH(QString, inputs);
        QFETCH(QString, body);
        QFETCH(QString, role);
        const auto set = choose(forward(inputs.toStdString(), body.toStdString()), nullptr);
        QVERIFY2(set, set ? "" : set.error().format().c_str());
        QCOMPARE(QString::fromStdString(value(*set, "x").role), role);
    }

    void idsStayInRangeAndSlotsAreUnique() {
        const Graph g = forward(R"(w: "f32[9, 4][4, 1]cuda:0", ids: "i64[200][1]cuda:0", slots: "i64[9][1]cuda:0", v: "f32[9, 4][4, 1]cuda:0")",
                                "embedding = torch.ops.aten.embedding.default(w, ids)\nindex_put = torch.ops.aten.index_put.default(w, [slots], "
                                "v)\nreturn (embedding, index_put)");
        const auto set = choose(g, nullptr, 5);
        QVERIFY(set);
        std::set<std::int64_t> seen;
        for (std::int64_t i : integers(value(*set, "ids"))) {
            QVERIFY(i >= 0 && i < 9);
            seen.insert(i);
        }
        QCOMPARE(seen.size(), std::size_t(9));
        const auto rows = integers(value(*set, "slots"));
        QCOMPARE(std::set<std::int64_t>(rows.begin(), rows.end()).size(), std::size_t(9));
    }

    void sizesWithoutHintsAreDistinct() {
        const Graph g = forward(R"(x: "f32[s0, s1][s1, 1]cuda:0")", "return (x,)");
        const auto set = choose(g, nullptr);
        QVERIFY(set);
        QCOMPARE(QString::fromStdString(value(*set, "x").type.str(false, false)), QString("f32[8, 11]"));
    }

    /// A file of a forward's inputs is enough for forward and backward.
    void tangentsThatTheFileLacksAreChosen() {
        const Graph g =
            forward(R"(x: "f32[2][1]cuda:0", tangents_1: "f32[][]cuda:0", g3_tangents_1: "f32[2][1]cuda:0", gain_tangents_1: "f32[][]cuda:0")",
                    "return (x, tangents_1, g3_tangents_1, gain_tangents_1)");
        const TensorFile f = file({floats("in/x", {2}, 10), floats("in/gain_tangents_1", {}, 7)});
        const auto set = choose(g, &f);
        QVERIFY2(set.has_value(), set ? "" : set.error().format().c_str());
        QCOMPARE(QString::fromStdString(value(*set, "tangents_1").role), QString("tangent"));
        QCOMPARE(QString::fromStdString(value(*set, "g3_tangents_1").role), QString("tangent"));
        const TensorFile lacking = file({floats("in/x", {2}, 10)});
        const auto refused = choose(g, &lacking);
        QVERIFY(!refused && refused.error().code == "INPUT_MISSING" && refused.error().node == "gain_tangents_1"_n);
    }

    void stagesGetTheSameValues() {
        const Graph opened = sum();
        const Graph stage = opened.clone();
        const auto set = choose(opened, nullptr);
        QVERIFY(set);
        const auto a = set->forStage(opened, cpu()), b = set->forStage(stage, cpu());
        QVERIFY(a && b);
        QCOMPARE(QString::fromStdString(text(a->values[0])), QString::fromStdString(text(b->values[0])));
        QVERIFY(a->values[0].tensor()->storage != b->values[0].tensor()->storage);
        const Graph other = forward(R"(x: "f32[2, 3][3, 1]cuda:0", y: "f32[2][1]cuda:0", z: "f32[2][1]cuda:0")", "return (z,)");
        const auto refused = set->forStage(other, cpu());
        QVERIFY(!refused && refused.error().code == "INPUT_MISSING");
    }

    void inputsMayShareStorage() {
        const Graph g = forward(R"(x: "f32[4][1]cuda:0", y: "f32[2][1]cuda:0")",
                                "add_ = torch.ops.aten.add_.Tensor(y, 10)\nneg = torch.ops.aten.neg.default(x)\nreturn (neg,)");
        const TensorFile stored = file({floats("in/x", {4}, 0), floats("in/y", {2}, 50)});
        InputOptions options;
        options.file = &stored;
        options.aliases = {{Name("y"), Name("x"), 1}};
        const auto set = InputSet::make(g, ops(), options);
        QVERIFY2(set.has_value(), set ? "" : set.error().format().c_str());
        auto stage = set->forStage(g, cpu());
        QVERIFY(stage.has_value());
        QVERIFY(stage->values[0].tensor()->storage == stage->values[1].tensor()->storage);
        const Ran r = run(g, stage->values);
        QCOMPARE(r.outputs, std::string("0 -11 -12 -3"));  // the base's elements stay
        // An alias that reaches beyond the base brings its own elements there.
        options.aliases = {{Name("y"), Name("x"), 3}};
        const auto longer = InputSet::make(g, ops(), options);
        QVERIFY(longer.has_value());
        const Ran beyond = run(g, longer->forStage(g, cpu())->values);
        QCOMPARE(beyond.inputs, std::string("0 1 2 13 | 13 61"));
        options.aliases = {{Name("y"), Name("z"), 0}};
        const auto none = InputSet::make(g, ops(), options);
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().sentence(), std::string("There is no input, constant or symbol z; the graph has x, y."));
    }

    void singleInputsAreBound() {
        const Graph g =
            forward(R"x(s0: "Sym(s0)", x: "f32[s0][1]cuda:0", y: "f32[2][1]cuda:0")x", "add = torch.ops.aten.add.Tensor(x, 1)\nreturn (add, y)");
        const std::string path = folder_.filePath("y.safetensors").toStdString();
        QVERIFY(writeTensorFile(path, {floats("anything", {2}, 7)}));
        InputOptions options;
        options.bindings = {{Name("s0"), 3, {}}, {Name("x"), 5, {}}, {Name("y"), {}, path}};
        const auto set = InputSet::make(g, ops(), options);
        QVERIFY2(set.has_value(), set ? "" : set.error().format().c_str());
        QCOMPARE(run(g, set->forStage(g, cpu())->values).outputs, std::string("6 6 6 | 7 8"));
        options.bindings = {{Name("nobody"), 3, {}}};
        const auto none = InputSet::make(g, ops(), options);
        QVERIFY(!none.has_value() && none.error().code == "NO_SUCH_INPUT");
        options.bindings = {{Name("y"), {}, "/nowhere.npy"}};
        QVERIFY(!InputSet::make(g, ops(), options).has_value());
    }
};

QTEST_APPLESS_MAIN(InputsTest)
#include "tst_inputs.moc"
