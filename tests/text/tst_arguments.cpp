// Argument lists as text and back (core/text/arguments.h).

#include <QTest>
#include <limits>

#include "core/ir/op_registry.h"
#include "core/text/arguments.h"
#include "core/text/print.h"

using namespace aliascope;

class tst_arguments : public QObject {
    Q_OBJECT

    Graph g_;
    NodeId a_, b_;

private slots:
    void initTestCase() {
        Node n;
        n.kind = NodeKind::Placeholder;
        n.name = n.target = "a"_n;
        a_ = g_.appendExact(n);
        n.name = n.target = "s77"_n;
        b_ = g_.appendExact(n);
    }

    void everyKindComesBack_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << "(None)";
        QTest::newRow("empty") << "()";
        QTest::newRow("node") << "(a)";
        QTest::newRow("numbers") << "(1, -3, 0.1, 1e-05, -inf, nan, 9223372036854775807, -9223372036854775808)";
        QTest::newRow("big") << "(9223372036854775809, -170141183460469231731687303715884105728)";
        QTest::newRow("complex") << "(1j, (1+2j), -1j)";
        QTest::newRow("bools") << "(True, False, Ellipsis)";
        QTest::newRow("strings") << "('soft', \"it's\", 'a\\nb', 'mit Ümlaut', '\\x00\\x1b', 'back\\\\slash', '')";
        QTest::newRow("device") << "(device(type='cuda', index=0), device(type='cpu'))";
        QTest::newRow("constant") << "(torch.float32, torch.contiguous_format)";
        QTest::newRow("operator") << "(torch.ops.mylib.two.default, torch.ops.aten.add.Tensor, torch.ops.higher_order.cond, operator.add)";
        QTest::newRow("containers") << "([a, [1, 2]], (a,), (), [], {'x': a, 'y': [None]})";
        QTest::newRow("slices") << "((slice(None, a, None), None, Ellipsis), range(0, 4), range(0, 9, 3))";
        QTest::newRow("symbol beside a node of its name") << "(Sym('s77'), s77, Sym('s77*2 + 1'))";
        QTest::newRow("opaque") << "(Opaque('<lambda>'), Const('Reduce.SUM'), Op('torch::relu'), Device('not a device'))";
        QTest::newRow("keywords") << "(a, dim = 1, kwargs = {'x_ptr': a})";
        QTest::newRow("odd keyword") << "(**{'a.b': 1})";
    }
    void everyKindComesBack() {
        QFETCH(QString, text);
        const auto call = parseArguments(text.toStdString(), g_);
        QVERIFY2(call.has_value(), call ? "" : call.error().format().c_str());
        Node n;
        n.args = call->args;
        n.kwargs = call->kwargs;
        QCOMPARE(QString::fromStdString(printArguments(g_, n)), text);
        const auto again = parseArguments(printArguments(g_, n), g_);
        QVERIFY(again.has_value());
        QVERIFY(again->args == call->args && again->kwargs == call->kwargs);
    }

    void kindsAreTold() {
        const auto call = parseArguments("(a, 2, 2.0, 'cpu', device('cuda:1'), torch.ops.mylib.two.default, s77, s5, torch.Size([2, a]))", g_);
        QVERIFY(call.has_value());
        const std::vector<Value::Kind> want = {Value::Kind::Node, Value::Kind::Int,  Value::Kind::Float, Value::Kind::String, Value::Kind::Device,
                                               Value::Kind::Op,   Value::Kind::Node, Value::Kind::Sym,   Value::Kind::Tuple};
        QCOMPARE(call->args.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) QCOMPARE(call->args[i].kind(), want[i]);
        QCOMPARE(call->args[4].name().view(), std::string_view("cuda:1"));
        QCOMPARE(call->args[5].name().view(), std::string_view("mylib::two"));
    }

    /// Values that no text of PyTorch holds come back too.
    void hardValuesComeBack() {
        const std::vector<Value> values = {Value::constant("odd constant"_n),
                                           Value::op("python::<lambda>"_n),
                                           Value::op("hop::cond"_n),
                                           Value::op("aten::add"_n),
                                           Value::device("cuda:01"_n),
                                           Value::named(Value::Kind::BigInt, "0xffffffffffffffffff"_n),
                                           Value::named(Value::Kind::Complex, "1+2j"_n),
                                           Value::named(Value::Kind::Opaque, "a'b\"\n\\"_n),
                                           Value::sym(SymInt::opaque("f(?)")),
                                           Value::string("\xef\xbf\xbd \xe2\x80\x8b"_n),
                                           Value::real(-0.0),
                                           Value::real(std::numeric_limits<double>::denorm_min()),
                                           Value::dict({"a b"_n, ""_n}, {Value::node(a_), Value::none()})};
        for (const Value& v : values) {
            Node n;
            n.args = {v};
            const std::string text = printArguments(g_, n);
            const auto call = parseArguments(text, g_);
            QVERIFY2(call.has_value(), text.c_str());
            QVERIFY2(call->args.size() == 1 && call->args[0] == v, text.c_str());
        }
    }

    void errorsNameTheColumn_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<unsigned>("column");
        QTest::newRow("closer") << "(a, [1)" << 7u;
        QTest::newRow("cut") << "(a, " << 5u;
        QTest::newRow("behind") << "(a) b" << 5u;
        QTest::newRow("no list") << "a" << 1u;
        QTest::newRow("string") << "('a" << 2u;
    }
    void errorsNameTheColumn() {
        QFETCH(QString, text);
        QFETCH(unsigned, column);
        const auto call = parseArguments(text.toStdString(), g_);
        QVERIFY(!call.has_value());
        QCOMPARE(call.error().column, column);
    }

    void nestingIsBounded() {
        const auto nested = [](int depth) {
            return "(" + std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']') + ")";
        };
        QVERIFY(parseArguments(nested(200), g_).has_value());
        const auto deep = parseArguments(nested(100'000), g_);
        QVERIFY(!deep.has_value());
        QCOMPARE(QString::fromStdString(deep.error().code), QStringLiteral("R050"));
    }
};

QTEST_APPLESS_MAIN(tst_arguments)
#include "tst_arguments.moc"
