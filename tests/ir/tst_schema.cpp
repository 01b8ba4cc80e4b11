// The schema language: reading, printing, derived facts, errors. The counts are those of PyTorch 2.11's operators.

#include <QtTest>
#include <fstream>
#include <map>
#include <sstream>

#include "core/ir/schema.h"
#include "core/ir/schema_parse.h"

using namespace aliascope;

namespace {

std::vector<std::string> dataLines() {
    std::ifstream in(std::string(ALIASCOPE_SOURCE_DIR) + "/resources/aten_schemas.txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        if (!line.empty() && line[0] != '#') lines.push_back(line);
    return lines;
}

Schema schema(const char* text) {
    auto r = Schema::parse(text);
    if (!r) qFatal("cannot parse %s: %s", text, r.error().sentence().c_str());
    return *r;
}

bool hasTensor(const Schema& s) {
    return std::any_of(s.params.begin(), s.params.end(), [](const SchemaParam& p) { return p.type.isTensorLike(); });
}

QString text(const std::string& s) { return QString::fromStdString(s); }

}  // namespace

class TestSchema : public QObject {
    Q_OBJECT

private slots:
    void everyLineReadsAndPrints();
    void dataIsSorted();
    void countsOfFacts();
    void aliasAnnotations();
    void listsAndOptionals();
    void typeVariablesAndGenerics();
    void results();
    void keywordOnlyAndVariadic();
    void defaults_data();
    void defaults();
    void enumDefaultsMeanNames();
    void kindsOfAlias();
    void names();
    void errorColumns_data();
    void errorColumns();
    void everyPrefixIsRejected();
    void anyBytesAreAnswered();
    void deepTextIsRefused();
    void kernelSignatures();
};

void TestSchema::everyLineReadsAndPrints() {
    const auto lines = dataLines();
    QCOMPARE(lines.size(), std::size_t(4025));
    for (const std::string& line : lines) {
        const auto s = Schema::parse(line);
        QVERIFY2(s.has_value(), (line + ": " + (s ? "" : s.error().sentence())).c_str());
        QCOMPARE(text(s->str()), text(line));
        QCOMPARE(text(s->canonical().str()), text(line.substr(0, line.find('('))));
    }
}

void TestSchema::dataIsSorted() {
    const auto lines = dataLines();
    QVERIFY(std::is_sorted(lines.begin(), lines.end()));
}

void TestSchema::countsOfFacts() {
    int tensor = 0, isMutable = 0, out = 0, inPlace = 0, view = 0, multi = 0, neither = 0, pure = 0, inPlaceReturning = 0;
    for (const std::string& line : dataLines()) {
        const Schema s = schema(line.c_str());
        if (!hasTensor(s)) continue;
        ++tensor;
        isMutable += s.isMutable();
        out += s.isOut();
        inPlace += s.isInPlace();
        inPlaceReturning += s.isInPlace() && !s.returns.empty();
        view += s.isView();
        multi += s.isMultiOutputView();
        neither += s.isMutable() && !s.isOut() && !s.isInPlace();
        pure += !s.isMutable() && !s.isView();
    }
    QCOMPARE(tensor, 3381);
    QCOMPARE(isMutable, 1519);
    QCOMPARE(out, 1142);
    QCOMPARE(inPlace, 355);
    QCOMPARE(inPlaceReturning, 275);
    QCOMPARE(view, 128);
    QCOMPARE(multi, 16);
    QCOMPARE(neither, 22);
    QCOMPARE(pure, 1734);
}

void TestSchema::aliasAnnotations() {
    const Schema s = schema("m::f(Tensor(a) x, Tensor(b!) y, Tensor! z, Tensor(c -> *) w, Tensor(d! -> d|*) v) -> Tensor(e|a)");
    QVERIFY(!s.params[0].written());
    QCOMPARE(s.params[0].type.sets(), std::vector<Name>{"a"_n});
    QVERIFY(s.params[1].written());
    QVERIFY(s.params[2].written());
    QVERIFY(s.params[2].type.alias->fresh);
    QVERIFY(s.params[2].type.sets().empty());
    QVERIFY(!s.params[3].written());
    QCOMPARE(s.params[3].type.sets(), std::vector<Name>{"c"_n});
    QCOMPARE(s.params[3].type.alias->after, std::vector<Name>{"*"_n});
    QVERIFY(s.params[4].written());
    QCOMPARE(s.returns[0].type.sets(), (std::vector<Name>{"e"_n, "a"_n}));
    QCOMPARE(s.writtenParams(), (std::vector<std::size_t>{1, 2, 4}));
}

void TestSchema::listsAndOptionals() {
    for (const char* t : {"m::f(Tensor(a!)[] xs) -> ()", "m::f(Tensor[](a!) xs) -> ()", "m::f(Tensor(a!)? x) -> ()", "m::f(Tensor(a!)[]? xs) -> ()",
                          "m::f(Tensor?(a!)[] xs) -> ()"}) {
        const Schema s = schema(t);
        QVERIFY2(s.params[0].written(), t);
        QVERIFY2(s.params[0].type.isTensorLike(), t);
        QCOMPARE(text(s.str()), QString(t));
    }
    const SchemaType inner = schema("m::f(Tensor(a!)[] xs) -> ()").params[0].type;
    QVERIFY(!inner.alias && inner.parts[0].alias);
    const SchemaType outer = schema("m::f(Tensor[](a!) xs) -> ()").params[0].type;
    QVERIFY(outer.alias && !outer.parts[0].alias);
    const SchemaType sized = schema("m::f(int[2] x) -> ()").params[0].type;
    QVERIFY(sized.isList());
    QCOMPARE(sized.fixedSize, std::optional<std::int64_t>(2));
    QVERIFY(schema("m::f(Tensor[]? x) -> ()").params[0].type.isList());
    QVERIFY(schema("m::f(Tensor[]? x) -> ()").params[0].type.isOptional());
    QVERIFY(!schema("m::f(Tensor? x) -> ()").params[0].type.isList());
}

void TestSchema::typeVariablesAndGenerics() {
    const Schema s = schema("m::f(Dict(str, t)(a!) d, t1 x, tVal y, Tensor(a) z, __torch__.torch.classes.ns.C c, AnyEnumType e) -> Dict(str, t)");
    QVERIFY(s.params[0].written());
    QVERIFY(s.params[0].type.kind == SchemaType::Kind::Generic);
    QCOMPARE(s.params[0].type.parts.size(), std::size_t(2));
    QVERIFY(!s.params[0].type.isTensorLike());
    QCOMPARE(text(s.params[4].type.innermost().str()), QString("__torch__.torch.classes.ns.C"));
    QVERIFY(schema("m::f((str, t)[] x) -> ((str, t)[])").params[0].type.parts[0].kind == SchemaType::Kind::TupleOf);
}

void TestSchema::results() {
    QCOMPARE(schema("m::f() -> ()").returns.size(), std::size_t(0));
    QCOMPARE(schema("m::f() -> Tensor").returns.size(), std::size_t(1));
    QCOMPARE(schema("m::f() -> (Tensor)").returns.size(), std::size_t(1));
    QCOMPARE(text(schema("m::f() -> (Tensor)").str()), QString("m::f() -> Tensor"));
    QCOMPARE(text(schema("m::f() -> Tensor[] xs").returns[0].name.str()), QString("xs"));
    const Schema two = schema("m::f(Tensor x, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)");
    QCOMPARE(two.returns.size(), std::size_t(2));
    QCOMPARE(text(two.returns[1].name.str()), QString("indices"));
    QCOMPARE(text(schema("m::f() -> ((str, t)[])").str()), QString("m::f() -> ((str, t)[])"));
    QVERIFY(schema("m::f(...) -> ...").variadicReturns);
}

void TestSchema::keywordOnlyAndVariadic() {
    const Schema s = schema("m::f(Tensor x, *, int y, Tensor(a!) out) -> Tensor(a!)");
    QVERIFY(!s.params[0].keywordOnly && s.params[1].keywordOnly && s.params[2].keywordOnly);
    QVERIFY(s.isOut());
    QVERIFY(!s.isInPlace());
    QVERIFY(schema("m::f(Tensor x, ...) -> Tensor").variadic);
    QVERIFY(!schema("m::f(Tensor(a!) out) -> Tensor(a!)").isOut());  // positional: the word alone says nothing
    QVERIFY(!schema("m::f_(Tensor x, Tensor(a!) y) -> ()").isInPlace());
    QVERIFY(!schema("m::__f__(Tensor(a!) x) -> ()").isInPlace());
    QVERIFY(schema("aten::__iand__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)").isInPlace());
}

void TestSchema::defaults_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* type, const char* t, Value::Kind kind) {
        QTest::addRow("%s=%s", type, t) << QString(type) << QString(t) << int(kind);
    };
    row("Tensor?", "None", Value::Kind::None);
    row("bool", "True", Value::Kind::Bool);
    row("int", "-1", Value::Kind::Int);
    row("int", "+1", Value::Kind::Int);
    row("int", "123456789012345678901", Value::Kind::BigInt);
    row("float", "1.", Value::Kind::Float);
    row("float", ".5", Value::Kind::Float);
    row("float", "1.0000000000000001e-05", Value::Kind::Float);
    row("float", "1e10", Value::Kind::Float);
    row("float", "inf", Value::Kind::Float);
    row("float", "-inf", Value::Kind::Float);
    row("float", "nan", Value::Kind::Float);
    row("str", "\"a\\\"b, )\"", Value::Kind::String);
    row("str", "'single'", Value::Kind::String);
    row("int[]", "[]", Value::Kind::List);
    row("int[2]", "[0, -1]", Value::Kind::List);
    row("int[2]", "1", Value::Kind::Int);
}

void TestSchema::defaults() {
    QFETCH(QString, type);
    QFETCH(QString, text);
    QFETCH(int, kind);
    const std::string source = "m::f(" + type.toStdString() + " x=" + text.toStdString() + ") -> ()";
    const Schema s = schema(source.c_str());
    QVERIFY(s.params[0].defaultValue.has_value());
    QCOMPARE(int(s.params[0].defaultValue->kind()), kind);
    QCOMPARE(QString::fromStdString(s.params[0].defaultText), text);
    QCOMPARE(QString::fromStdString(s.str()), QString::fromStdString(source));
}

void TestSchema::enumDefaultsMeanNames() {
    const auto value = [](const char* param) { return *schema((std::string("m::f(") + param + ") -> ()").c_str()).params[0].defaultValue; };
    QVERIFY(value("MemoryFormat x=0") == Value::constant("torch.contiguous_format"_n));
    QVERIFY(value("MemoryFormat? x=contiguous_format") == Value::constant("torch.contiguous_format"_n));
    QVERIFY(value("MemoryFormat x=2") == Value::constant("torch.channels_last"_n));
    QVERIFY(value("ScalarType x=6") == Value::constant("torch.float32"_n));
    QVERIFY(value("ScalarType x=15") == Value::constant("torch.bfloat16"_n));
    QVERIFY(value("ScalarType x=long") == Value::constant("torch.int64"_n));
    QVERIFY(value("Layout x=0") == Value::constant("torch.strided"_n));
    QVERIFY(value("int x=Mean") == Value::integer(1));
    QVERIFY(value("int x=6") == Value::integer(6));
    QVERIFY(value("str x=\"\\t\\\\n\"") == Value::string("\t\\n"_n));
}

void TestSchema::kindsOfAlias() {
    QCOMPARE(schema("m::f_(Tensor(a!) x) -> Tensor(a!)").alias(0, 0), AliasKind::Same);
    QCOMPARE(schema("m::f(Tensor(a) x) -> Tensor(a)").alias(0, 0), AliasKind::View);
    QCOMPARE(schema("m::f(Tensor(a) x) -> Tensor(b|a)").alias(0, 0), AliasKind::Maybe);
    QCOMPARE(schema("m::f(Tensor(a) x) -> Tensor(a|*)").alias(0, 0), AliasKind::Maybe);
    QCOMPARE(schema("m::f(Tensor(a) x) -> Tensor").alias(0, 0), AliasKind::None);
    QCOMPARE(schema("m::f(Tensor(a) x, Tensor y) -> Tensor(a)").alias(0, 1), AliasKind::None);
    QCOMPARE(schema("m::f(t[](a) list) -> t(*)").alias(0, 0), AliasKind::None);
    QCOMPARE(schema("m::f(Tensor(a -> *) x) -> Tensor(a)[]").alias(0, 0), AliasKind::View);
    QCOMPARE(schema("m::f(Tensor(a) x) -> Tensor(a)").alias(5, 0), AliasKind::None);
    QVERIFY(schema("m::f(Tensor(a -> *) x, int n) -> Tensor(a)[]").isMultiOutputView());
    QVERIFY(!schema("m::f(Tensor(a) x) -> Tensor(a)").isMultiOutputView());
    QVERIFY(!schema("m::f_(Tensor(a!) x) -> Tensor(a!)").isView());
    QVERIFY(!schema("m::f(Tensor(a) x, *, Tensor(b!) out) -> Tensor(a)").isView());
}

void TestSchema::names() {
    const Schema s = schema("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
    QCOMPARE(text(s.ns.str()), QString("aten"));
    QCOMPARE(text(s.name.str()), QString("add"));
    QCOMPARE(text(s.overload.str()), QString("Tensor"));
    QCOMPARE(s.paramIndex("alpha"_n), 2);
    QCOMPARE(s.paramIndex("beta"_n), -1);
    QCOMPARE(text(schema("f(Tensor x) -> ()").canonical().str()), QString("f"));
    QCOMPARE(text(schema("f.o(Tensor x) -> ()").canonical().str()), QString("f.o"));
    QCOMPARE(text(schema("a.b::f(Tensor x) -> ()").ns.str()), QString("a.b"));
    QCOMPARE(text(schema("aten::relu.default(Tensor self) -> Tensor").canonical().str()), QString("aten::relu"));
    QCOMPARE(text(schema("  m :: f ( Tensor ( a ! ) x , * , int  y = 1 )  ->  Tensor ( a ! )  ").str()),
             QString("m::f(Tensor(a!) x, *, int y=1) -> Tensor(a!)"));
}

void TestSchema::errorColumns_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("want");
    const auto row = [](const char* s, int column, const char* want) { QTest::addRow("%s", s) << QString(s) << column << QString(want); };
    row("", 1, "operator name");
    row("1f(Tensor x) -> ()", 1, "operator name");
    row("m::f", 5, "'('");
    row("m::f(Tensor) -> ()", 12, "parameter name");
    row("m::f(Tensor x", 14, "')'");
    row("m::f(Tensor x Tensor y) -> ()", 15, "')'");
    row("m::f(Tensor x) Tensor", 16, "'->'");
    row("m::f(Tensor x) ->", 18, "type");
    row("m::f(Tensor x) -> Tensor y z", 28, "end");
    row("m::f(Tensor(a x) -> ()", 15, "')'");
    row("m::f(Tensor(!) x) -> ()", 13, "alias set");
    row("m::f(int[2 x) -> ()", 12, "']'");
    row("m::f(int x=) -> ()", 12, "default value");
    row("m::f(int x=-) -> ()", 13, "number");
    row("m::f(str x=\"a) -> ()", 21, "end of the string");
    row("m::f(Tensor x, *, *, int y) -> ()", 20, "one '*'");
    row("m::f(Tensor x, Tensor x) -> ()", 24, "differ");
    row("m::f(Dict(str, ) x) -> ()", 16, "type");
    row("a.b.c(Tensor x) -> ()", 6, "'::'");
}

void TestSchema::errorColumns() {
    QFETCH(QString, source);
    QFETCH(int, column);
    QFETCH(QString, want);
    const auto r = Schema::parse(source.toStdString());
    QVERIFY(!r);
    QCOMPARE(text(r.error().code), QString("R060"));
    QCOMPARE(int(r.error().column), column);
    QVERIFY2(text(r.error().sentence()).contains(want), r.error().sentence().c_str());
}

void TestSchema::everyPrefixIsRejected() {
    // Schemas that end in a bracket: every proper prefix is incomplete.
    const char* whole[] = {
        "aten::Delete.Dict_Tensor(Dict(Tensor, t)(a!) self, Tensor key) -> ()",
        "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        "aten::max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values) -> (Tensor(a!) values, "
        "Tensor(b!) indices)",
        "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
        "aten::items.int(Dict(int, t) self) -> ((int, t)[])",
        "aten::native_batch_norm(Tensor input, Tensor? weight, float eps=1.0000000000000001e-05) -> (Tensor, Tensor, Tensor)",
        "aten::split.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()",
        "aten::strip(str self, str chars=\" \\n\\t\", int[2] pads=[0, -1]) -> (str, str)",
        "mylib::opt(Tensor(a! -> a|*) x, Tensor(b!)? y, ...) -> (Tensor?[], int)",
        "mylib::cls(__torch__.torch.classes.ns.C c, Tensor! out, *, MemoryFormat f=contiguous_format) -> (C, Tensor)"};
    for (const char* t : whole) {
        const std::string s(t);
        QVERIFY(Schema::parse(s).has_value());
        for (std::size_t n = 0; n < s.size(); ++n) {
            const auto r = Schema::parse(s.substr(0, n));
            QVERIFY2(!r, s.substr(0, n).c_str());
            QVERIFY(r.error().column >= 1 && r.error().column <= n + 1);
            QVERIFY(!r.error().params.empty());
        }
    }
}

void TestSchema::anyBytesAreAnswered() {
    std::uint64_t state = 0x9e3779b97f4a7c15ull;
    const auto next = [&state] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    const auto lines = dataLines();
    const std::string bytes = "()[]!?*|,.=:->\"'\\ aT1\xff\xc3\xa9";
    for (int round = 0; round < 20000; ++round) {
        std::string s = lines[next() % lines.size()];
        for (int i = 0; i < 3; ++i) s[next() % s.size()] = bytes[next() % bytes.size()];
        if (const auto r = Schema::parse(s)) {
            const auto again = Schema::parse(r->str());
            QVERIFY2(again.has_value(), s.c_str());
            QCOMPARE(text(again->str()), text(r->str()));
        }
    }
}

void TestSchema::deepTextIsRefused() {
    for (const std::string& open : {std::string("("), std::string("Dict("), std::string("List(")}) {
        std::string s = "m::f(";
        for (int i = 0; i < 10000; ++i) s += open;
        QVERIFY(!Schema::parse(s));
    }
    std::string lists = "m::f(int x=";
    for (int i = 0; i < 10000; ++i) lists += "[";
    QVERIFY(!Schema::parse(lists));
    std::string suffixes = "m::f(int";
    for (int i = 0; i < 10000; ++i) suffixes += "[]";
    QVERIFY(!Schema::parse(suffixes + " x) -> ()"));
    QVERIFY(!Schema::parse(std::string(70000, ' ')));
}

void TestSchema::kernelSignatures() {
    const auto k = parseKernelSignature("0(Tensor x_ptr, Tensor(a!) out_ptr, int n = numel(x_ptr), int m=4)");
    QVERIFY(k.has_value());
    QCOMPARE(text(k->canonical().str()), QString("triton::kernel.0"));
    QCOMPARE(k->writtenParams(), std::vector<std::size_t>{1});
    QCOMPARE(text(k->params[2].defaultText), QString("numel(x_ptr)"));
    QVERIFY(*k->params[3].defaultValue == Value::integer(4));
    QVERIFY(parseKernelSignature("add_kernel(Tensor x)").has_value());
    QVERIFY(!parseKernelSignature("(Tensor x)").has_value());
    QVERIFY(!parseKernelSignature("0(Tensor x, int n = )").has_value());
    QVERIFY(!parseKernelSignature("0(Tensor x) x").has_value());
}

QTEST_APPLESS_MAIN(TestSchema)
#include "tst_schema.moc"
