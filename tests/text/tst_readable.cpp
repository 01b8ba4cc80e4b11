// Readable Python (formats.md 5): frame, plumbing, statements, expressions, comments, and agreement with graph text.

#include <QElapsedTimer>
#include <QTest>

#include "core/text/arguments.h"
#include "core/text/print.h"
#include "text_fixture.h"

using namespace aliascope;

namespace {

const Node& node(const Graph& g, const char* name) {
    static const Node none;
    const NodeId id = g.find(Name(name));
    return id ? g[id] : none;
}

std::string module(const std::string& body, const std::string& parameters = "x, y") {
    return "class M(torch.nn.Module):\n    def forward(self, " + parameters + "):\n" + body;
}

QString arguments(const Graph& g, const char* name) { return QString::fromStdString(printArguments(g, node(g, name))); }

}  // namespace

class tst_readable : public QObject {
    Q_OBJECT

private slots:
    void printsWhatItRead_data() {
        QTest::addColumn<QString>("name");
        for (const QString& name : fixture::files("*.readable.py")) QTest::newRow(qPrintable(name)) << name;
    }
    void printsWhatItRead() {
        QFETCH(QString, name);
        const std::string text = fixture::file(name);
        const auto doc = fixture::read(text, true);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(fixture::comparable(printReadable(doc->units[0].graph)), fixture::comparable(text));
        for (const Diagnostic& d : doc->units[0].diagnostics) QVERIFY2(d.severity == Severity::Info, d.format().c_str());
    }

    /// formats.md 19.2: graph text and readable Python of one graph give equal graphs.
    void agreesWithGraphText_data() {
        QTest::addColumn<QString>("name");
        for (QString name : fixture::files("*.graph.txt")) QTest::newRow(qPrintable(name)) << name.remove(".graph.txt");
    }
    void agreesWithGraphText() {
        QFETCH(QString, name);
        const auto python = fixture::read(fixture::file(name + ".readable.py"));
        const auto text = fixture::read(fixture::file(name + ".graph.txt"));
        QVERIFY(python.has_value() && text.has_value());
        const Graph &p = python->units[0].graph, &t = text->units[0].graph;
        const auto left = p.order(), right = t.order();
        QCOMPARE(left.size(), right.size());
        for (std::size_t i = 0; i < left.size(); ++i) {
            const Node &a = p[left[i]], &b = t[right[i]];
            QCOMPARE(a.name.view(), b.name.view());
            QVERIFY(a.kind == b.kind);
            QCOMPARE(a.target.view(), b.target.view());
            QCOMPARE(a.op.view(), b.op.view());
            QCOMPARE(a.users.size(), b.users.size());
            QCOMPARE(QString::fromStdString(printArguments(p, a)), QString::fromStdString(printArguments(t, b)));
        }
    }

    /// The example of formats.md 5.4: a comment with `#` and `;`, a string with `;`, a nested module.
    void readsTheExample() {
        const std::string text = fixture::file("nested_example.readable.py");
        const auto doc = fixture::read(text, true);
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        QCOMPARE(doc->units[0].statedNodes, 7u);
        QCOMPARE(QString::fromStdString(doc->units[0].label), QStringLiteral("<lambda>"));
        const Provenance& p = g.provenance[node(g, "blend").provenance];
        QCOMPARE(p.file.view(), std::string_view("/src/demo.py"));
        QCOMPARE(p.line, 12u);
        QCOMPARE(p.function.view(), std::string_view("step"));
        QCOMPARE(p.code.view(), std::string_view("y = mix(x)  # keep; y = None"));
        QCOMPARE(arguments(g, "blend"), QStringLiteral("(arg1_1, [None, 2], mode = 'so;ft')"));
        const Graph* inner = g.subGraph("pick_0"_n);
        QVERIFY(inner != nullptr);
        QCOMPARE(countStatedNodes(*inner), 5u);
        QCOMPARE(node(*inner, "floordiv").op.view(), std::string_view("operator::floordiv"));
        QVERIFY(g.symbols.contains("s7"_n));
        QCOMPARE(QString::fromStdString(printReadable(g)), QString::fromStdString(text));
    }

    void layoutsComeBack_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("no delete lists") << "class M(torch.nn.Module):\n    def forward(self, x):\n        a = torch.ops.aten.relu.default(x)\n      "
                                            "  b = torch.ops.aten.relu.default(a)\n        return b\n";
        QTest::newRow("unused not deleted") << "class M(torch.nn.Module):\n    def forward(self, x):\n        a = torch.ops.aten.relu_.default(x)\n  "
                                               "      b = torch.ops.aten.relu.default(x);  x = None\n        return b\n";
        QTest::newRow("def alone") << "def forward(self, x):\n    a = torch.ops.aten.relu.default(x);  x = None\n    return a\n";
        QTest::newRow("bare return") << "class M(torch.nn.Module):\n    def forward(self, x):\n        return\n";
        QTest::newRow("metadata") << "class M(torch.nn.Module):\n    def forward(self, x):\n        \"\"\"\n        seq: 1\n        \"\"\"\n        "
                                     "a = torch.ops.aten.relu.default(x);  x = None\n        return a\n";
        QTest::newRow("in place") << "class M(torch.nn.Module):\n    def forward(self, x, y):\n        x += y;  a = x;  x = y = None\n        a[0] = "
                                     "1;  b = a;  a = None\n        return b\n";
        QTest::newRow("padded") << "class M(torch.nn.Module):\n    def forward(self, x):\n         # File: a.py:1 in f, code: a\n        a = "
                                   "torch.ops.aten.relu.default(x);  x = None\n        \n         # File: a.py:2 in f, code: b\n        b = "
                                   "torch.ops.aten.relu.default(a);  a = None\n        return b\n";
        QTest::newRow("descriptors") << "class M(torch.nn.Module):\n    def forward(\n        self,\n        x: \"f32[2]\",  # "
                                        "PlainAOTInput(idx=0)\n    ):\n        return (\n            x,  # PlainAOTOutput(idx=0)\n        )\n";
        QTest::newRow("unquoted") << "class M(torch.nn.Module):\n    def forward(self, x: f32[2, 3], n: Sym(s0)):\n        a: f32[2, 3] = "
                                     "torch.ops.aten.mul.Tensor(x, n);  x = n = None\n        return a\n";
        QTest::newRow("default and star") << "class M(torch.nn.Module):\n    def forward(self, x, y = None, *args):\n        return (x, args)\n";
        QTest::newRow("boxed") << "class M(torch.nn.Module):\n    def forward(self, args_list: List[torch.Tensor]):\n        args_iter = "
                                  "iter(args_list)\n        a = next(args_iter)\n        args_list.clear()\n        return (a,)\n";
        QTest::newRow("attributes") << "class M(torch.nn.Module):\n    def forward(self, x):\n        w = getattr(self.seq, \"0\").weight\n        s "
                                       "= x.shape\n        f = getattr(self.seq, \"1\")(x, w);  x = w = None\n        return (s, f)\n";
        QTest::newRow("operators")
            << "class M(torch.nn.Module):\n    def forward(self, x, y):\n        a = x @ y\n        b = -a;  a = None\n        c = b ** 2;  b = "
               "None\n        d = x >= y;  x = y = None\n        e = ~d;  d = None\n        g = e[(slice(None, None, None), 0)];  e = None\n        "
               "h = _operator.truth(g);  g = None\n        i = math.sqrt(h);  h = None\n        return (c, i)\n";
        QTest::newRow("unparsed")
            << "class M(torch.nn.Module):\n    def forward(self, x):\n        a = torch.ops.aten.relu.default(x x)\n        return (a, ]\n";
    }
    void layoutsComeBack() {
        QFETCH(QString, text);
        const auto doc = fixture::read(text.toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(printReadable(doc->units[0].graph)), text);
        QCOMPARE(fixture::codes(doc->units[0]), QString(qstrcmp(QTest::currentDataTag(), "unparsed") == 0 ? "R014 R014" : ""));
    }

    void expressions_data() {
        QTest::addColumn<QString>("right");
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("args");
        QTest::newRow("call") << "torch.ops.aten.add.Tensor(x, y, alpha = 2)"
                              << "aten::add.Tensor"
                              << "(x, y, alpha = 2)";
        QTest::newRow("method") << "x.view(-1, 3)"
                                << "method::view"
                                << "(x, -1, 3)";
        QTest::newRow("module") << "self.a.b(x)"
                                << "module::a.b"
                                << "(x)";
        QTest::newRow("attribute") << "x.shape"
                                   << "builtin::getattr"
                                   << "(x, 'shape')";
        QTest::newRow("index") << "x[1, ..., None, 2:y:3]"
                               << "operator::getitem"
                               << "(x, (1, Ellipsis, None, slice(2, y, 3)))";
        QTest::newRow("open slice") << "x[:, ::2]"
                                    << "operator::getitem"
                                    << "(x, (slice(None, None, None), slice(None, None, 2)))";
        QTest::newRow("compare") << "x <= 2"
                                 << "operator::le"
                                 << "(x, 2)";
        QTest::newRow("not") << "not x"
                             << "operator::not_"
                             << "(x)";
        QTest::newRow("negative power") << "x ** -2"
                                        << "operator::pow"
                                        << "(x, -2)";
        QTest::newRow("literals") << "f.g(0x10, 1_000, .5, 1., 'a' 'b', r'\\n', b'x', {'k': x})"
                                  << "python::f.g"
                                  << "(16, 1000, 0.5, 1.0, 'ab', '\\\\n', Opaque(\"b'x'\"), {'k': x})";
        QTest::newRow("values that look like calls")
            << "f.g(x, slice(1, 2), torch.Size([2]), device('cpu'), float('inf'), Enum.A, torch.Tensor(size=[2], dtype=float32))"
            << "python::f.g"
            << "(x, slice(1, 2, None), (2,), device(type='cpu'), inf, Opaque('Enum.A'), Opaque('torch.Tensor(size=[2], dtype=float32)'))";
        QTest::newRow("symbols") << "f.g(x, s3 * 2 + 1, Max(1, s4))"
                                 << "python::f.g"
                                 << "(x, Sym('s3 * 2 + 1'), Sym('Max(1, s4)'))";
        QTest::newRow("wrapped operator")
            << "torch.ops.higher_order.auto_functionalized_v2(torch.ops.demo.f.default, _x_size = (2,), _all_bases = [x])"
            << "hop::auto_functionalized_v2"
            << "(torch.ops.demo.f.default, _x_size = (2,), _all_bases = [x])";
        QTest::newRow("over lines") << "torch.cat([\n            x,  # first; one\n            y], dim = \\\n1)"
                                    << "torch::cat"
                                    << "([x, y], dim = 1)";
    }
    void expressions() {
        QFETCH(QString, right);
        QFETCH(QString, op);
        QFETCH(QString, args);
        const auto doc = fixture::read(module("        r = " + right.toStdString() + ";  x = y = None\n        z = r + 1\n        return (z,)\n"));
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        QVERIFY2(!(node(g, "r").flags & FlagUnparsed), doc->units[0].diagnostics.empty() ? "" : doc->units[0].diagnostics[0].format().c_str());
        QCOMPARE(QString::fromStdString(node(g, "r").op.str()), op);
        QCOMPARE(arguments(g, "r").replace("Sym('2*s3 + 1')", "Sym('s3 * 2 + 1')"), args);
        QVERIFY(g[g.find("z"_n)].kind == NodeKind::CallFunction);
    }

    /// Functions of builtins and of the operator module have other spellings in graph text; the node is the same.
    void spellingsOfModules() {
        const std::string python = module("        s = x.shape\n        t = _operator.truth(y)\n        return (s, t)\n");
        const auto doc = fixture::read(python);
        const std::string text = printGraphText(doc->units[0].graph);
        QVERIFY(text.find("call_function[target=builtins.getattr](args = (%x, shape), kwargs = {})") != std::string::npos);
        QVERIFY(text.find("call_function[target=operator.truth](args = (%y,), kwargs = {})") != std::string::npos);
        const auto again = fixture::read(text);
        const Graph& g = again->units[0].graph;
        QCOMPARE(QString::fromStdString(printGraphText(g)), QString::fromStdString(text));
        for (const char* name : {"s", "t"}) QCOMPARE(node(g, name).target.view(), node(doc->units[0].graph, name).target.view());
        QVERIFY(printReadable(g).find("        t = _operator.truth(y);  y = None\n") != std::string::npos);
    }

    void nestedCallsBecomeNodes() {
        const auto doc = fixture::read(module("        r = torch.sigmoid(self.lin(x)) * self.gain\n        return r.sum()\n"));
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        QCOMPARE(g.size(), std::size_t(8));  // x, y, lin, sigmoid, gain, r, sum, output
        QVERIFY(node(g, "sigmoid_nested").flags & FlagSynthetic);
        QCOMPARE(arguments(g, "r"), QStringLiteral("(sigmoid_nested, gain_nested)"));
        QCOMPARE(doc->units[0].notes.size(), std::size_t(1));
    }

    void aliasesMakeNoNode() {
        const auto doc = fixture::read(
            module("        b = torch.ops.aten.relu.default(x)\n        a = b\n        r = torch.ops.aten.relu.default(a)\n        return r\n"));
        const Graph& g = doc->units[0].graph;
        QVERIFY(!g.find("a"_n));
        QCOMPARE(arguments(g, "r"), QStringLiteral("(b)"));
    }

    /// Files of 2.1 to 2.3 print a nested class under its own name.
    void nestedClassByClassName() {
        const auto doc = fixture::read(
            "class M(torch.nn.Module):\n    def forward(self, x):\n        body_0 = self.body_0\n        r = torch.ops.higher_order.wrap(body_0, "
            "x)\n        return r\n\n"
            "    class GraphModule(torch.nn.Module):\n        def forward(self, x):\n            return (x,)\n");
        QVERIFY(doc->units[0].graph.subGraph("body_0"_n) != nullptr);
    }

    void provenance_data() {
        QTest::addColumn<QString>("comment");
        QTest::addColumn<QString>("file");
        QTest::addColumn<unsigned>("line");
        QTest::addColumn<QString>("function");
        QTest::addColumn<QString>("code");
        QTest::newRow("plain") << "# File: a/b.py:7 in f, code: y = x"
                               << "a/b.py" << 7u << "f"
                               << "y = x";
        QTest::newRow("old") << "# File: a/b.py:7, code: y = x"
                             << "a/b.py" << 7u << ""
                             << "y = x";
        QTest::newRow("windows") << "# File: C:\\a b\\c.py:7 in <lambda>, code: y = \"#;\""
                                 << "C:\\a b\\c.py" << 7u << "<lambda>"
                                 << "y = \"#;\"";
        QTest::newRow("nested place") << "# File: <eval_with_key>.5 from /a/b.py:80 in wrapped:6 in forward, code: c"
                                      << "<eval_with_key>.5 from /a/b.py:80 in wrapped" << 6u << "forward"
                                      << "c";
        QTest::newRow("annotation") << "# Annotation: {'k': 1} recompute: MUST_SAVE File: a.py:3 in g, code: z"
                                    << "a.py" << 3u << "g"
                                    << "z";
        QTest::newRow("none") << "# No stacktrace found for following nodes"
                              << "" << 0u << ""
                              << "";
    }
    void provenance() {
        QFETCH(QString, comment);
        const auto doc =
            fixture::read(module("        " + comment.toStdString() + "\n        r = torch.ops.aten.add.Tensor(x, y)\n        return r\n"));
        const Graph& g = doc->units[0].graph;
        const Provenance& p = g.provenance[node(g, "r").provenance];
        QTEST(QString::fromStdString(p.file.str()), "file");
        QTEST(p.line, "line");
        QTEST(QString::fromStdString(p.function.str()), "function");
        QTEST(QString::fromStdString(p.code.str()), "code");
        QVERIFY(printReadable(g).find(comment.toStdString() + "\n") != std::string::npos);
    }

    void mistakes_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("codes");
        QTest::addColumn<unsigned>("line");
        QTest::addColumn<unsigned>("column");
        QTest::newRow("undefined") << "        a = torch.ops.aten.relu.default(gone)\n        return a\n"
                                   << "R012" << 3u << 41u;
        QTest::newRow("late") << "        a = torch.ops.aten.relu.default(b)\n        b = torch.ops.aten.relu.default(x)\n        return a\n"
                              << "R013" << 4u << 9u;
        QTest::newRow("twice") << "        a = torch.ops.aten.relu.default(x)\n        a = torch.ops.aten.relu.default(x)\n        return a\n"
                               << "R011" << 4u << 9u;
        QTest::newRow("closer") << "        a = torch.ops.aten.relu.default(x]\n        return a\n"
                                << "R014" << 3u << 42u;
        QTest::newRow("open bracket") << "        a = torch.ops.aten.relu.default(x\n        b = torch.ops.aten.relu.default(y)\n        return b\n"
                                      << "R014" << 4u << 9u;
        QTest::newRow("cut") << "        a = torch.ops.aten.relu.default(x, "
                             << "R015 R020" << 3u << 44u;
        QTest::newRow("deleted")
            << "        a = torch.ops.aten.relu.default(x);  x = None\n        b = torch.ops.aten.relu.default(x)\n        return (a, b)\n"
            << "R019" << 4u << 41u;
        QTest::newRow("no return") << "        a = torch.ops.aten.relu.default(x)\n"
                                   << "R020" << 4u << 1u;
        QTest::newRow("number") << "        a = f.g(12abc)\n        return x\n"
                                << "R016" << 3u << 17u;
        QTest::newRow("annotation") << "        a: \"f32[3\" = torch.ops.aten.relu.default(x)\n        return a\n"
                                    << "R017" << 3u << 13u;
        QTest::newRow("return") << "        return (x, ]\n"
                                << "R014" << 3u << 20u;
        QTest::newRow("string") << "        a = f.g('open)\n        return x\n"
                                << "R014" << 3u << 17u;
    }
    void mistakes() {
        QFETCH(QString, body);
        QFETCH(QString, codes);
        QFETCH(unsigned, line);
        QFETCH(unsigned, column);
        const auto doc = fixture::read(module(body.toStdString()));
        QVERIFY(doc.has_value());
        const Unit& unit = doc->units[0];
        QCOMPARE(fixture::codes(unit), codes);
        QCOMPARE(unit.diagnostics[0].line, line);
        QCOMPARE(unit.diagnostics[0].column, column);
    }

    /// The statements round a broken one are read; the broken one keeps its name, text and uses.
    void recovers() {
        const auto doc =
            fixture::read(module("        a = torch.ops.aten.relu.default(x)\n        b = torch.ops.aten.add.Tensor(a, y y)\n        c = "
                                 "torch.ops.aten.relu.default(b)\n        return (c,)\n"));
        const Graph& g = doc->units[0].graph;
        QCOMPARE(fixture::codes(doc->units[0]), QStringLiteral("R014"));
        QVERIFY(node(g, "b").flags & FlagUnparsed);
        QCOMPARE(node(g, "b").args.size(), std::size_t(3));
        QCOMPARE(arguments(g, "c"), QStringLiteral("(b)"));
        QCOMPARE(doc->units[0].statedNodes, 5u);
        QVERIFY(printReadable(g).find("        b = torch.ops.aten.add.Tensor(a, y y)") != std::string::npos);
    }

    void everyPrefixKeepsWholeNodes() {
        const std::string text = fixture::file("nested_modules.readable.py");
        const auto whole = fixture::read(text);
        const Graph& full = whole->units[0].graph;
        for (std::size_t cut = 0; cut < text.size(); ++cut) {
            const auto doc = fixture::read(text.substr(0, cut));
            if (!doc) continue;
            const Graph& g = doc->units[0].graph;
            for (const NodeId id : inOrder(full)) {
                const Node& n = full[id];
                if (n.kind == NodeKind::Output || n.kind == NodeKind::Placeholder || n.spanEnd >= cut) continue;
                const NodeId same = g.find(n.name);
                QVERIFY2(same && printArguments(g, g[same]) == printArguments(full, n),
                         qPrintable(QStringLiteral("cut at %1: %2").arg(cut).arg(n.name.c_str())));
            }
        }
    }

    void manySubGraphs() {
        std::string text = "class M(torch.nn.Module):\n    def forward(self, x):\n        return (x,)\n";
        for (int i = 0; i < 12; ++i)
            text += "    class s" + std::to_string(i) + "(torch.nn.Module):\n        def forward(self, x):\n            return (x,)\n";
        ReadOptions options;
        options.limits.subGraphs = 10;
        const auto doc = readText(text, "t", OpRegistry::builtin(), options);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].graph.subGraphs().size(), std::size_t(10));
        QCOMPARE(fixture::codes(doc->units[0]), QStringLiteral("R050"));
    }

    /// The node whose string is too long stays as text, and those behind it are read.
    void longStrings() {
        ReadOptions options;
        options.limits.stringBytes = 20;
        const std::string text =
            "def forward(self, x):\n    f = torch.ops.demo.f.default(x, '" + std::string(30, 'a') +
            "')\n    g = torch.ops.demo.g.default(x, 'short' 'parts')\n    h = torch.ops.demo.g.default(x, 'two long' 'enough parts!')\n"
            "    relu = torch.ops.aten.relu.default(x)\n    return (relu,)\n";
        const auto doc = readText(text, "t", OpRegistry::builtin(), options);
        QVERIFY(doc.has_value());
        QCOMPARE(fixture::codes(doc->units[0]), QStringLiteral("R050 R050 R022"));
        const Graph& g = doc->units[0].graph;
        QVERIFY(g[g.find("f"_n)].flags & FlagUnparsed);
        QVERIFY(!(g[g.find("g"_n)].flags & FlagUnparsed));
        QVERIFY(!(g[g.find("relu"_n)].flags & FlagUnparsed));
    }

    /// Parameters of one line are read in linear time.
    void manyParameters() {
        std::string text = "class M(torch.nn.Module):\n    def forward(self";
        for (int i = 0; i < 200'000; ++i) text += ", p" + std::to_string(i);
        QElapsedTimer timer;
        timer.start();
        const auto doc = fixture::read(text + "):\n        return (p0,)\n");
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].statedNodes, 200'001u);
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
    }

    void deepNestingIsRefused() {
        const auto doc = fixture::read(module("        a = f.g(" + std::string(5000, '(') + "x" + std::string(5000, ')') + ")\n        b = f.g(" +
                                              std::string(5000, '-') + "x)\n        return x\n"));
        QVERIFY(doc.has_value());
        QCOMPARE(fixture::codes(doc->units[0]), QStringLiteral("R050 R050"));
        std::string classes;
        for (int i = 0; i < 100; ++i)
            classes += std::string(static_cast<std::size_t>(i), ' ') + "class C" + std::to_string(i) + "(torch.nn.Module):\n";
        const auto nested = fixture::read(classes + std::string(101, ' ') + "def forward(self):\n" + std::string(102, ' ') + "return ()\n" +
                                          module("        return x\n"));
        QVERIFY(nested.has_value());
    }

    void passMadeNodesPrintLikeTheOthers() {
        const auto doc = fixture::read(fixture::file("in_place_views.readable.py"), true);
        Graph g = doc->units[0].graph.clone();
        Node n;
        n.target = "torch.ops.aten.neg.default"_n;
        n.op = "aten::neg"_n;
        n.name = "neg"_n;
        n.args = {Value::node(g.find("clone"_n))};
        n.type = node(g, "clone").type;
        const NodeId neg = g.insertBefore(g.output(), std::move(n));
        g.setArgs(g.output(), {Value::node(neg)});
        const std::string printed = printReadable(g);
        QVERIFY(printed.find("        neg: \"f32[8, 4][4, 1]cuda:0\" = torch.ops.aten.neg.default(clone);  clone = None\n        return neg\n") !=
                std::string::npos);
        QCOMPARE(fixture::codes(fixture::read(printed)->units[0]), QString());
    }
};

QTEST_APPLESS_MAIN(tst_readable)
#include "tst_readable.moc"
