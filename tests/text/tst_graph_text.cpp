// Graph text (formats.md 4): what is read, what is printed, what is said of mistakes.

#include <QTest>

#include "core/text/arguments.h"
#include "core/text/print.h"
#include "text_fixture.h"

using namespace aliascope;

namespace {

/// One graph, its nodes named by %name.
const Node& node(const Graph& g, const char* name) {
    static const Node none;
    const NodeId id = g.find(Name(name));
    return id ? g[id] : none;
}

std::string graphOf(const std::string& call) {
    return "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = placeholder[target=y]\n    %r : [num_users=1] = " +
           call + "\n    return r\n";
}

}  // namespace

class tst_graph_text : public QObject {
    Q_OBJECT

private slots:
    void printsWhatItRead_data() {
        QTest::addColumn<QString>("name");
        for (const QString& name : fixture::files("*.graph.txt")) QTest::newRow(qPrintable(name)) << name;
    }
    void printsWhatItRead() {
        QFETCH(QString, name);
        const std::string text = fixture::file(name);
        const auto doc = fixture::read(text, true);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(fixture::comparable(printGraphText(doc->units[0].graph)), fixture::comparable(text));
        for (const Diagnostic& d : doc->units[0].diagnostics) QVERIFY2(d.severity == Severity::Info, d.format().c_str());
    }

    /// The example of formats.md 4.1.
    void readsTheExample() {
        const auto doc = fixture::read(R"(graph():
    %x : torch.Tensor [num_users=3] = placeholder[target=L_x_]
    %k : [#users=1] = placeholder[target=k](default=None)
    %pick_0 : [num_users=1] = get_attr[target=pick_0]
    %half : [num_users=1] = call_function[target=operator.floordiv](args = (%k, 2), kwargs = {})
    %part : [num_users=1] = call_function[target=operator.getitem](args = (%x, (slice(None, half, None), None)), kwargs = {})
    %blend : [num_users=1] = call_function[target=torch.ops.demo.blend.default](args = (%part, [%x, None], -inf), kwargs = {mode: soft, device: cuda:0})
    %cond : [num_users=1] = call_function[target=torch.ops.higher_order.cond](args = (%blend, %pick_0, %pick_0, (%x,)), kwargs = {})
    return (cond, None)
)");
        QVERIFY(doc.has_value());
        const Unit& unit = doc->units[0];
        const Graph& g = unit.graph;
        QCOMPARE(unit.statedNodes, 8u);
        QCOMPARE(fixture::codes(unit), QStringLiteral("R022 R021"));  // demo::blend has no schema, pick_0 no text
        QCOMPARE(node(g, "x").target.view(), std::string_view("L_x_"));
        QCOMPARE(node(g, "half").op.view(), std::string_view("operator::floordiv"));
        QCOMPARE(QString::fromStdString(printArguments(g, node(g, "part"))), QStringLiteral("(x, (slice(None, half, None), None))"));
        QCOMPARE(QString::fromStdString(printArguments(g, node(g, "blend"))),
                 QStringLiteral("(part, [x, None], -inf, mode = 'soft', device = device(type='cuda', index=0))"));
        QVERIFY(node(g, "blend").flags & FlagNoSchema);
        QVERIFY(!(node(g, "cond").flags & FlagNoSchema));
        QCOMPARE(QString::fromStdString(printArguments(g, g[g.output()])), QStringLiteral("((cond, None))"));
    }

    void valuesByTable_data() {
        QTest::addColumn<QString>("args");
        QTest::addColumn<QString>("python");
        QTest::newRow("constants") << "(%x, None, True, 1, -2, 0.5, 1e-05, nan), kwargs = {}"
                                   << "(x, None, True, 1, -2, 0.5, 1e-05, nan)";
        QTest::newRow("nested") << "(%x, [[1, 2], (%y,)], ()), kwargs = {}"
                                << "(x, [[1, 2], (y,)], ())";
        QTest::newRow("dict") << "(%x,), kwargs = {kwargs: {a: %x, b: 1}, e: {}}"
                              << "(x, kwargs = {'a': x, 'b': 1}, e = {})";
        QTest::newRow("strings") << "(%x, floor, a-b,c, out_ptr), kwargs = {}"
                                 << "(x, 'floor', 'a-b,c', 'out_ptr')";
        QTest::newRow("braces in a string") << "(%x,), kwargs = {asm: {.reg .b16 r; mov a, b;}, last: 2}"
                                            << "(x, asm = '{.reg .b16 r; mov a, b;}', last = 2)";
        QTest::newRow("comma in a dict's string") << "(%x,), kwargs = {why: one, two, n: 2}"
                                                  << "(x, why = 'one, two', n = 2)";
        QTest::newRow("types and devices") << "(%x, torch.float32, cuda:0, cpu, meta), kwargs = {}"
                                           << "(x, torch.float32, device(type='cuda', index=0), device(type='cpu'), device(type='meta'))";
        QTest::newRow("operators") << "(mylib.two.default, aten.add.Tensor, %x), kwargs = {}"
                                   << "(torch.ops.mylib.two.default, torch.ops.aten.add.Tensor, x)";
        QTest::newRow("symbols") << "(%x, s7, 2*s7, Max(1, s7)), kwargs = {}"
                                 << "(x, Sym('s7'), Sym('2*s7'), Sym('Max(1, s7)'))";
        QTest::newRow("opaque") << "(%x, <built-in>, ReduceOp.SUM, tensor([1, 2])), kwargs = {}"
                                << "(x, Opaque('<built-in>'), Opaque('ReduceOp.SUM'), Opaque('tensor([1, 2])'))";
        QTest::newRow("elided") << "([%x, %y, ...[total_len=9]],), kwargs = {}"
                                << "([x, y, Opaque('...[total_len=9]')])";
        QTest::newRow("big") << "(%x, 9223372036854775807, 99999999999999999999), kwargs = {}"
                             << "(x, 9223372036854775807, 99999999999999999999)";
    }
    void valuesByTable() {
        QFETCH(QString, args);
        QFETCH(QString, python);
        const auto doc = fixture::read(graphOf("call_function[target=torch.ops.demo.f.default](args = " + args.toStdString() + ")"));
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        QCOMPARE(QString::fromStdString(printArguments(g, node(g, "r"))), python);
        QVERIFY(printNode(g, g.find("r"_n)).ends_with("(args = " + args.toStdString() + ")"));
    }

    /// A `str` parameter makes a string of any token; a keyword of a wrapper belongs to the operator that it wraps.
    void schemaOverrides() {
        OpRegistry ops = OpRegistry::withBuiltin();
        QVERIFY(ops.addText("demo::send(Tensor(a!) x, str group, Device? device=None) -> Tensor", "demo.ops").empty());
        const auto read = [&](const std::string& call) {
            auto doc = readText(graphOf(call), "t", ops);
            return doc ? printArguments(doc->units[0].graph, node(doc->units[0].graph, "r")) : doc.error().format();
        };
        QCOMPARE(QString::fromStdString(read("call_function[target=torch.ops.demo.send.default](args = (%x, 0), kwargs = {device: npuish:1})")),
                 QStringLiteral("(x, '0', device = device(type='npuish', index=1))"));
        QCOMPARE(QString::fromStdString(read(
                     "call_function[target=torch.ops.higher_order.auto_functionalized](args = (demo.send.default,), kwargs = {x: %x, group: 0})")),
                 QStringLiteral("(torch.ops.demo.send.default, x = x, group = '0')"));
    }

    void headerAndIndentAreFree_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("behind words") << "[INFO] graph: graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return (x,)\n";
        QTest::newRow("no indent") << "graph():\n%x : [num_users=1] = placeholder[target=x]\nreturn (x,)\n";
        QTest::newRow("no header") << "%x : [num_users=1] = placeholder[target=x]\nreturn (x,)";
        QTest::newRow("crlf and bom") << "\xef\xbb\xbfgraph():\r\n    %x : [num_users=1] = placeholder[target=x]\r\n    return (x,)\r\n";
        QTest::newRow("comment") << "# graph():\n#     %x : [num_users=1] = placeholder[target=x]\n#     return (x,)\n";
        QTest::newRow("quoted mail") << "> graph():\n>     %x : [num_users=1] = placeholder[target=x]\n>     return (x,)\n";
        QTest::newRow("fence") << "text\n```\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n    return (x,)\n```\nmore\n";
        QTest::newRow("dotted name") << "graph():\n    %x.1 : [num_users=1] = placeholder[target=x]\n    %y : [num_users=0] = "
                                        "call_function[target=math.sqrt](args = (%x.1,), kwargs = {})\n    return\n";
        QTest::newRow("percent return") << "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return %x\n";
    }
    void headerAndIndentAreFree() {
        QFETCH(QString, text);
        const auto doc = fixture::read(text.toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(doc->units[0].statedNodes, qstrcmp(QTest::currentDataTag(), "dotted name") == 0 ? 3u : 2u);
        QCOMPARE(fixture::codes(doc->units[0]), QString());
    }

    void annotatedFragment() {
        const std::string text =
            "%a : Tensor \"f32[2, 3][3, 1]cpu\" = PlaceHolder[target=a]\n"
            "%b : Tensor \"f32[2, 3][3, 1]cpu\"[num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%a,), kwargs = {})\n"
            "return %b\n";
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        QVERIFY(node(g, "b").tensor() && node(g, "b").tensor()->sizes.size() == 2);
        QVERIFY(node(g, "b").trust == Trust::Stated);
        QCOMPARE(QString::fromStdString(printNode(g, g.find("b"_n))), QString::fromStdString(text).split('\n')[1]);
    }

    /// A kernel that writes in place reads a buffer under the name of the node that it computes, and names others that it does not list.
    void fragmentThatWritesInPlace() {
        const auto doc = fixture::read(
            "# Graph fragment:\n#   %add : Tensor \"f32[8][1]cuda:0\" = PlaceHolder[target=add]\n"
            "#   %mean : Tensor \"f32[8][1]cuda:0\"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%add,), kwargs = {})\n"
            "#   %add : Tensor \"f32[8][1]cuda:0\"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %mean), kwargs "
            "= {})\n"
            "#   return %add,%buf4\n");
        QVERIFY(doc.has_value());
        const Unit& unit = doc->units[0];
        for (const Diagnostic& d : unit.diagnostics) QVERIFY(d.severity == Severity::Info);
        const Graph& g = unit.graph;
        QVERIFY(g[g.find("add_read"_n)].kind == NodeKind::Placeholder);
        QCOMPARE(QString::fromStdString(g[g.find("add_read"_n)].target.str()), QStringLiteral("add"));
        QVERIFY(g[g.find("mean"_n)].args[0].asNode() == g.find("add_read"_n));
        QVERIFY(g[g.find("add"_n)].isCall());
        QVERIFY(g[g.find("primals_1"_n)].flags & FlagGhost);
    }

    void nestedGraphBelongsToTheGetAttr() {
        const auto doc = fixture::read(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %low : [num_users=1] = get_attr[target=low]
    graph():
        %y : [num_users=1] = placeholder[target=y]
        return (y,)
    %r : [num_users=1] = call_function[target=torch.ops.higher_order.executorch_call_delegate](args = (%low, %x), kwargs = {})
    return (r,)
)");
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(doc->units[0].statedNodes, 4u);
        QVERIFY(doc->units[0].graph.subGraph("low"_n) != nullptr);
        QCOMPARE(countStatedNodes(*doc->units[0].graph.subGraph("low"_n)), 2u);
    }

    void mistakes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("codes");
        QTest::addColumn<unsigned>("line");
        QTest::addColumn<unsigned>("column");
        const QString x = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n";
        const QString relu = "    %r : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})\n";
        QTest::newRow("unknown kind") << x + "    %r : [num_users=0] = call_thing[target=f](args = (%x,), kwargs = {})\n    return x\n"
                                      << "R010 R018" << 3u << 26u;
        QTest::newRow("twice") << x + relu + relu + "    return r\n"
                               << "R011 R018 R018 R018" << 4u << 6u;
        QTest::newRow("undefined") << "graph():\n" + relu + "    return r\n"
                                   << "R012" << 2u << 85u;
        QTest::newRow("late") << "graph():\n" + relu + x.mid(9) + "    return r\n"
                              << "R013" << 3u << 6u;
        QTest::newRow("closer")
            << x + "    %r : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x], kwargs = {})\n    return r\n"
            << "R014" << 3u << 86u;
        QTest::newRow("cut") << x + "    %r : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x"
                             << "R015 R020" << 3u << 86u;
        QTest::newRow("users") << QString(x).replace("users=1", "users=3") + relu + "    return r\n"
                               << "R018" << 2u << 21u;
        QTest::newRow("no return") << "graph():\n    %x : [num_users=1] = placeholder[target=x]\n" + QString(relu).replace("users=1", "users=0")
                                   << "R020" << 4u << 1u;
        QTest::newRow("junk") << "graph():\n    %x : [num_users=1] = placeholder[target=x]\n--> here\n    return x\n"
                              << "R032" << 3u << 1u;
        QTest::newRow("bad return") << "graph():\n    %x : [num_users=0] = placeholder[target=x]\n    return (x, ]\n"
                                    << "R014 R018" << 3u << 16u;
    }
    void mistakes() {
        QFETCH(QString, text);
        QFETCH(QString, codes);
        QFETCH(unsigned, line);
        QFETCH(unsigned, column);
        const auto doc = fixture::read(text.toStdString());
        QVERIFY(doc.has_value());
        const Unit& unit = doc->units[0];
        QVERIFY(!unit.diagnostics.empty());
        const Diagnostic& d = unit.diagnostics[0];
        QVERIFY2(fixture::codes(unit).startsWith(codes.section(' ', 0, 0)), d.format().c_str());
        for (const QString& code : codes.split(' ')) QVERIFY2(fixture::codes(unit).contains(code), qPrintable(fixture::codes(unit)));
        QCOMPARE(d.line, line);
        QCOMPARE(d.column, column);
        QVERIFY(!d.excerpt.empty());
        QVERIFY(d.sentence().find('{') == std::string::npos);
    }

    /// formats.md 17: the statement that cannot be read stays visible, with its text and its readable uses.
    void unparsedNodeKeepsTextAndUses() {
        const std::string text = graphOf("call_function[target=torch.ops.aten.add.Tensor](args = (%x, %y], kwargs = {})");
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        QVERIFY(node(g, "r").flags & FlagUnparsed);
        QCOMPARE(node(g, "r").args.size(), std::size_t(3));
        QCOMPARE(node(g, "r").args[1].asNode(), g.find("x"_n));
        QCOMPARE(QString::fromStdString(printGraphText(g)), QString::fromStdString(text));
        QCOMPARE(doc->units[0].statedNodes, 3u);
        QVERIFY(doc->units[0].diagnostics[0].excerpt.ends_with("^"));
    }

    void ghostsAreNotPrinted() {
        const std::string text =
            "graph():\n    %r : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%gone,), kwargs = {})\n    return r\n";
        const auto doc = fixture::read(text);
        const Graph& g = doc->units[0].graph;
        QVERIFY(node(g, "gone").flags & FlagGhost);
        QVERIFY(node(g, "gone").kind == NodeKind::Placeholder);
        QVERIFY(g.before(g.find("gone"_n), g.find("r"_n)));
        QCOMPARE(QString::fromStdString(printGraphText(g)), QString::fromStdString(text));
        QCOMPARE(doc->units[0].statedNodes, 2u);
    }

    void symbolsAreNoted() {
        const auto doc = fixture::read("%x : Tensor \"f32[s7, 2*s9][s7, 1]cpu\"[num_users=1] = placeholder[target=x]\nreturn (x,)\n");
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].graph.symbols.size(), std::size_t(2));
        QVERIFY(doc->units[0].graph.symbols.contains("s9"_n));
    }

    void diagnosticsAreCounted() {
        std::string text = "graph():\n";
        for (int i = 0; i < 300; ++i) text += "    %a" + std::to_string(i) + " : [num_users=0] = nonsense[target=x]\n";
        const auto doc = fixture::read(text + "    return None\n");
        QVERIFY(doc.has_value());
        const Unit& unit = doc->units[0];
        QCOMPARE(unit.diagnostics.size(), std::size_t(101));
        QCOMPARE(QString::fromStdString(unit.diagnostics.back().code), QStringLiteral("R051"));
        QCOMPARE(QString::fromStdString(unit.diagnostics.back().sentence()), QStringLiteral("200 further messages not shown"));
        QCOMPARE(unit.graph.size(), std::size_t(301));
    }

    void limits() {
        ReadOptions options;
        options.limits.nodesPerGraph = 2;
        const std::string text = graphOf("call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})");
        const auto doc = readText(text, "t", OpRegistry::builtin(), options);
        QVERIFY(doc.has_value());
        QVERIFY(fixture::codes(doc->units[0]).startsWith("R050"));
        const std::string deep =
            graphOf("call_function[target=torch.ops.demo.f.default](args = (" + std::string(500, '[') + std::string(500, ']') + ",), kwargs = {})");
        const auto nested = fixture::read(deep);
        QVERIFY(nested.has_value());
        QVERIFY(fixture::codes(nested->units[0]).startsWith("R050"));
        const auto number =
            fixture::read(graphOf("call_function[target=torch.ops.demo.f.default](args = (" + std::string(5000, '9') + ",), kwargs = {})"));
        QVERIFY(number.has_value());
        QVERIFY(fixture::codes(number->units[0]).startsWith("R014"));
    }

    void longStrings() {
        ReadOptions options;
        options.limits.stringBytes = 20;
        const auto read = [&](const std::string& string) {
            return readText(graphOf("call_function[target=torch.ops.demo.f.default](args = (%x, " + string + "), kwargs = {})"), "t",
                            OpRegistry::builtin(), options);
        };
        const auto allowed = read(std::string(20, 'a'));
        QVERIFY(allowed.has_value());
        QVERIFY(!fixture::codes(allowed->units[0]).contains("R050"));
        const auto cut = read(std::string(21, 'a'));
        QVERIFY(cut.has_value());
        QVERIFY(fixture::codes(cut->units[0]).startsWith("R050"));
        QCOMPARE(QString::fromStdString(cut->units[0].diagnostics[0].sentence()),
                 QStringLiteral("bytes of a string above the limit of 20; raise it with --limits"));
        QCOMPARE(cut->units[0].graph.size(), allowed->units[0].graph.size());  // the node is there, without its arguments
    }
};

QTEST_APPLESS_MAIN(tst_graph_text)
#include "tst_graph_text.moc"
