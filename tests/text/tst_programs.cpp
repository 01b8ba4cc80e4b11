// Programs of torch.export (formats.md 11): JSON to graph, results, signature, metadata; the text form; JSON itself.

#include <QElapsedTimer>
#include <QTest>

#include "core/text/json_reader.h"
#include "core/text/print.h"
#include "core/text/program_values.h"
#include "text_fixture.h"

using namespace aliascope;

namespace {

/// A program of these nodes; `x` is its input.
std::string programOf(const std::string& nodes, const std::string& outputs) {
    return R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [)" + outputs + R"(], "nodes": [)" + nodes +
           R"(], "tensor_values": {}, "is_single_tensor_return": false}, "signature": {"input_specs": [], "output_specs": []}}})";
}

std::string nodeOf(const std::string& target, const std::string& outputs, const std::string& more) {
    return R"({"target": ")" + target + R"(", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}], "outputs": [)" + outputs +
           R"(], "metadata": {})" + more + "}";
}

QString graphOf(const std::string& json) {
    const auto doc = fixture::read(json);
    return doc ? fixture::comparable(printGraphText(doc->units[0].graph)) : QString::fromStdString(doc.error().format());
}

}  // namespace

class tst_programs : public QObject {
    Q_OBJECT

private slots:
    void readsAsPrinted() {
        const auto doc = fixture::read(fixture::file("cond.program.json"));
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("program"));
        QCOMPARE(fixture::comparable(printGraphText(doc->units[0].graph)), QStringLiteral(R"(graph():
    %p_w : [num_users=0] = placeholder[target=p_w]
    %b_count : [num_users=1] = placeholder[target=b_count]
    %x : [num_users=2] = placeholder[target=x]
    %k : [num_users=0] = placeholder[target=k](default=3)
    %rows : [num_users=2] = call_function[target=torch.ops.aten.sym_size.int](args = (%x, 0), kwargs = {})
    %add_1 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%b_count, 1), kwargs = {})
    %split : [num_users=2] = call_function[target=torch.ops.aten.split.Tensor](args = (%x, 2, 1), kwargs = {})
    %left : [num_users=1] = call_function[target=operator.getitem](args = (%split, 0), kwargs = {})
    %right : [num_users=1] = call_function[target=operator.getitem](args = (%split, 1), kwargs = {})
    %yes_0 : [num_users=1] = get_attr[target=yes_0]
    %no_0 : [num_users=1] = get_attr[target=no_0]
    %cond : [num_users=1] = call_function[target=torch.ops.higher_order.cond](args = (True, %yes_0, %no_0, (%left,)), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%cond, 0), kwargs = {})
    %full : [num_users=0] = call_function[target=torch.ops.aten.full.default](args = ([%rows, 2], -inf), kwargs = {dtype: torch.bfloat16, layout: torch.strided, device: cuda:1})
    %three : [num_users=1] = call_function[target=torch.ops.demo.three.default](args = ([%right, None],), kwargs = {tag: a "b" é})
    %third : [num_users=0] = call_function[target=operator.getitem](args = (%three, 2), kwargs = {})
    return (add_1, getitem, rows))"));
    }

    void typesAndSymbols() {
        const auto doc = fixture::read(fixture::file("cond.program.json"));
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        const auto type = [&](Name name) { return QString::fromStdString(annotationText(g[g.find(name)])); };
        QCOMPARE(type("x"_n), QStringLiteral("f32[s0, 4][4, 1]cuda:1"));
        QCOMPARE(type("full"_n), QStringLiteral("bf16[2*s0, 2][2, 1]cuda:1"));
        QCOMPARE(type("rows"_n), QStringLiteral("Sym(s0)"));
        QVERIFY(g[g.find("x"_n)].tensor()->offset == SymInt(8));
        const SymbolFacts facts = g.symbols.at("s0"_n);
        QCOMPARE(facts.hint.value_or(0), std::int64_t(6));
        QCOMPARE(facts.min.value_or(0), std::int64_t(2));
        QVERIFY(!facts.max);
        QVERIFY(g[g.find("full"_n)].trust == Trust::Stated);
    }

    void signature() {
        for (const char* file : {"cond.program.json", "exported.ep.txt"}) {
            const auto doc = fixture::read(fixture::file(file));
            QVERIFY(doc.has_value());
            const Signature& s = doc->units[0].signature;
            QCOMPARE(QString::fromStdString(s.inputs[0].kind.str()), QStringLiteral("parameter"));
            QCOMPARE(QString::fromStdString(s.inputs[0].target.str()), QStringLiteral("w"));
            QCOMPARE(QString::fromStdString(s.inputs[1].kind.str()), QStringLiteral("buffer"));
            QVERIFY(!s.inputs[1].persistent);
            QCOMPARE(QString::fromStdString(s.outputs[0].kind.str()), QStringLiteral("buffer_mutation"));
            QVERIFY(s.outputs[0].target == s.inputs[1].target);
            QVERIFY(doc->units[0].graph.phase == Phase::Export);
            QCOMPARE(doc->units[0].graph.symbols.at("s0"_n).min.value_or(0), std::int64_t(2));
        }
        const auto repr = fixture::read(
            "ExportedProgram:\n    class M(torch.nn.Module):\n        def forward(self, b_x):\n            return (b_x,)\n\n"
            "Graph signature: ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.BUFFER: 3>, arg=TensorArgument(name='b_x'), target='x', "
            "persistent=False)], output_specs=[OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, arg=TensorArgument(name='b_x'), target=None)])\n");
        QVERIFY(repr.has_value());
        QCOMPARE(QString::fromStdString(repr->units[0].signature.inputs.at(0).kind.str()), QStringLiteral("buffer"));
        QCOMPARE(QString::fromStdString(repr->units[0].signature.outputs.at(0).kind.str()), QStringLiteral("user_output"));
    }

    void sourceLines() {
        const auto doc = fixture::read(fixture::file("cond.program.json"));
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        const Provenance& p = g.provenance[g[g.find("add_1"_n)].provenance];
        QCOMPARE(QString::fromStdString(p.file.str()), QStringLiteral("net.py"));
        QCOMPARE(p.line, 12u);
        QCOMPARE(QString::fromStdString(p.code.str()), QStringLiteral("self.count.add_(1)"));
        QCOMPARE(QString::fromStdString(g[g.find("add_1"_n)].modulePath.str()), QStringLiteral("inner"));
        // Only generated code is known: better than nothing.
        QCOMPARE(QString::fromStdString(g.provenance[g[g.find("rows"_n)].provenance].file.str()), QStringLiteral("<eval_with_key>.3"));
        QCOMPARE(QString::fromStdString(modulePath("L__self__,,pkg.f.<locals>.Net")), QString());
        QCOMPARE(QString::fromStdString(modulePath("L['self'],L['self'].a.b,pkg.Net[int, str]")), QStringLiteral("a.b"));
    }

    void results_data() {
        QTest::addColumn<QString>("outputs");
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("lines");
        QTest::newRow("its own name") << R"({"as_tensor": {"name": "y"}})"
                                      << R"(, "name": "y")"
                                      << "%y";
        QTest::newRow("no name") << R"({"as_tensor": {"name": "y"}})"
                                 << ""
                                 << "%y";
        QTest::newRow("several, one unused") << R"({"as_tensor": {"name": "y"}}, {"as_tensor": {"name": "sort_unused_1"}})"
                                             << R"(, "name": "sort")"
                                             << "%sort %y";
        QTest::newRow("several, no name") << R"({"as_tensor": {"name": "y"}}, {"as_tensor": {"name": "z"}})"
                                          << ""
                                          << "%sort %y %z";
        QTest::newRow("a list") << R"({"as_tensors": [{"name": "y"}, {"name": "z"}]})"
                                << R"(, "name": "sort")"
                                << "%sort %y %z";
        QTest::newRow("a list among several") << R"({"as_tensor": {"name": "y"}}, {"as_tensors": [{"name": "p"}, {"name": "q"}]})"
                                              << R"(, "name": "sort")"
                                              << "%sort %y %getitem %p %q";
        QTest::newRow("None counts") << R"({"as_none": true}, {"as_tensor": {"name": "y"}})"
                                     << R"(, "name": "sort")"
                                     << "%sort %y";
        QTest::newRow("a tuple of one") << R"({"as_tensor": {"name": "y"}})"
                                        << R"(, "name": "sort", "is_hop_single_tensor_return": false)"
                                        << "%sort %y";
        QTest::newRow("nothing") << ""
                                 << R"(, "name": "sort")"
                                 << "%sort";
    }
    void results() {
        QFETCH(QString, outputs);
        QFETCH(QString, more);
        QFETCH(QString, lines);
        const QString text =
            graphOf(programOf(nodeOf("torch.ops.aten.sort.default", outputs.toStdString(), more.toStdString()), R"({"as_tensor": {"name": "x"}})"));
        QStringList names;
        for (const QString& line : text.split('\n'))
            if (line.contains("%") && !line.contains("placeholder")) names << line.trimmed().section(' ', 0, 0);
        QCOMPARE(names.join(' '), lines);
        if (outputs.contains("as_none")) QVERIFY(text.contains("(args = (%sort, 1)"));
    }

    void literals_data() {
        QTest::addColumn<QString>("argument");
        QTest::addColumn<QString>("text");
        QTest::newRow("ints") << R"({"as_ints": [1, -2]})"
                              << "[1, -2]";
        QTest::newRow("a very long int") << R"({"as_int": 123456789012345678901234567890})"
                                         << "123456789012345678901234567890";
        QTest::newRow("a whole float") << R"({"as_float": 2})"
                                       << "2.0";
        QTest::newRow("infinity as a string") << R"({"as_float": "-Infinity"})"
                                              << "-inf";
        QTest::newRow("infinity as a bare word") << R"({"as_float": Infinity})"
                                                 << "inf";
        QTest::newRow("not a number") << R"({"as_float": NaN})"
                                      << "nan";
        QTest::newRow("bools") << R"({"as_bools": [true, false]})"
                               << "[True, False]";
        QTest::newRow("tuples of ints") << R"({"as_int_lists": [[1, 2], [3]]})"
                                        << "[[1, 2], [3]]";
        QTest::newRow("complex") << R"({"as_complex": {"real": 1.5, "imag": -2.0}})"
                                 << "(1.5-2.0j)";
        QTest::newRow("dtype of old") << R"({"as_scalar_type": "HALF"})"
                                      << "torch.float16";
        QTest::newRow("memory format") << R"({"as_memory_format": 2})"
                                       << "torch.channels_last";
        QTest::newRow("extra nulls") << R"({"as_tensor": null, "as_string": "s", "as_int": null})"
                                     << "s";
        QTest::newRow("dict") << R"({"as_string_to_argument": {"k": {"as_int": 1}}})"
                              << "{k: 1}";
        QTest::newRow("operator") << R"({"as_operator": "torch.ops.aten.add.Tensor"})"
                                  << "aten.add.Tensor";
        QTest::newRow("nested tensors") << R"({"as_nested_tensors": [[{"name": "x"}], []]})"
                                        << "[[%x], []]";
        QTest::newRow("optional") << R"({"as_optional_tensor": {"as_none": true}})"
                                  << "None";
    }
    void literals() {
        QFETCH(QString, argument);
        QFETCH(QString, text);
        const std::string node = R"({"target": "torch.ops.demo.f.default", "inputs": [{"name": "a", "arg": )" + argument.toStdString() +
                                 R"(, "kind": 1}], "outputs": [], "metadata": {}, "name": "f"})";
        const QString printed = graphOf(programOf(node, ""));
        QVERIFY2(printed.contains("args = (" + text + ",)"), qPrintable(printed));
    }

    void whatIsWrongIsSaid() {
        const auto ghost = fixture::read(
            programOf(nodeOf("torch.ops.aten.neg.default", R"({"as_tensor": {"name": "y"}})", ""), R"({"as_tensor": {"name": "lost"}})"));
        QVERIFY(ghost.has_value());
        QCOMPARE(fixture::codes(ghost->units[0]), QStringLiteral("R012"));
        const auto unknown = fixture::read(programOf(
            R"({"target": "torch.ops.aten.neg.default", "inputs": [{"name": "self", "arg": {"as_future_thing": 1}, "kind": 1}], "outputs": []})",
            ""));
        QVERIFY(unknown.has_value());
        QCOMPARE(fixture::codes(unknown->units[0]), QStringLiteral("R014"));
        QCOMPARE(unknown->units[0].diagnostics[0].line, 1u);
        const auto newer =
            fixture::read(R"({"schema_version": {"major": 9}, "graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": []}}})");
        QVERIFY(newer.has_value());
        QCOMPARE(fixture::codes(newer->units[0]), QStringLiteral("R041"));
        const auto map = fixture::read(R"({"preToPost": {"a": ["b"]}})");
        QVERIFY(!map.has_value());
        QVERIFY(QString::fromStdString(map.error().note).contains("map of nodes"));
    }

    /// Every cut of a program opens as far as it goes, or says why it does not.
    void cuts() {
        const std::string whole = fixture::file("cond.program.json");
        std::size_t most = 0;
        for (std::size_t size = 0; size < whole.size(); size += 7) {
            const auto doc = fixture::read(whole.substr(0, size), true);
            if (!doc) continue;
            QVERIFY(!doc->units[0].diagnostics.empty());
            most = std::max(most, doc->units[0].graph.size());
        }
        QVERIFY(most >= 16);
    }

    void depth() {
        const auto deep = fixture::read(std::string(100'000, '[') + std::string(100'000, ']'));
        QVERIFY(!deep.has_value());
        std::string nested = R"({"as_int": 1})";
        for (int i = 0; i < 300; ++i) nested = R"({"as_string_to_argument": {"k": )" + nested + "}}";
        const auto doc = fixture::read(programOf(
            R"({"target": "torch.ops.demo.f.default", "inputs": [{"name": "a", "arg": )" + nested + R"(, "kind": 1}], "outputs": []})", ""));
        QVERIFY(doc.has_value());
        QVERIFY(fixture::codes(doc->units[0]).contains("R050"));
    }

    void longStrings() {
        const std::string json = programOf(R"({"target": "torch.ops.demo.f.default", "inputs": [{"name": "s", "arg": {"as_string": ")" +
                                               std::string(21, 'a') + R"("}, "kind": 1}], "outputs": []})",
                                           "");
        ReadOptions options;
        options.limits.stringBytes = 21;
        const auto whole = readText(json, "t", OpRegistry::builtin(), options);
        options.limits.stringBytes = 20;
        const auto cut = readText(json, "t", OpRegistry::builtin(), options);
        QVERIFY(whole.has_value() && cut.has_value());
        const auto call = [](const Graph& g) -> const Node& {
            NodeId id = g.first();
            while (!g[id].isCall()) id = g[id].next;
            return g[id];
        };
        QVERIFY(!fixture::codes(whole->units[0]).contains("R050"));
        QVERIFY(!(call(whole->units[0].graph).flags & FlagUnparsed));
        QVERIFY(fixture::codes(cut->units[0]).contains("R050"));
        QVERIFY(call(cut->units[0].graph).flags & FlagUnparsed);
    }

    void json() {
        const std::string text = R"( {"a": [1, 2.5, -3e2], "b": {"c": null, "d": true}, "e\u0041": "x\n\ud83d\ude00\u00e9", "a": [] } )";
        const JsonDocument json(text, 0, text.size());
        QVERIFY(!json.error());
        QCOMPARE(json.root().size(), std::size_t(4));
        QCOMPARE(json.root()["a"].size(), std::size_t(0));  // the last of two
        QCOMPARE(json.root().first().first().integer().value_or(0), std::int64_t(1));
        QCOMPARE(json.root().first().first().next().real().value_or(0), 2.5);
        QVERIFY(json.root()["b"]["c"].isNull());
        QVERIFY(json.root()["b"]["d"].boolean().value_or(false));
        QVERIFY(!json.root()["nothing"]["further"]);
        QVERIFY(json.root()["e\\u0041"].string() == "x\n\xf0\x9f\x98\x80\xc3\xa9");
        for (const char* bad : {"{", "[1,", "{\"a\" 1}", "[1 2]", "\"open", "[tru]", "{\"a\":1}x", "", "[1,]", "nul"}) {
            const JsonDocument broken(bad, 0, std::string_view(bad).size());
            QVERIFY2(broken.error().has_value(), bad);
        }
    }

    void linear() {
        std::string nodes, previous = "x";
        for (int i = 0; i < 20'000; ++i) {
            const std::string name = "y" + std::to_string(i);
            nodes += QStringLiteral(
                         "%1{'target': 'torch.ops.aten.split.Tensor', 'inputs': [{'name': 'self', 'arg': {'as_tensor': {'name': '%2'}}, 'kind': 1}], "
                         "'outputs': [{'as_tensors': [{'name': '%3'}]}], 'metadata': {}}")
                         .arg(i ? "," : "", QString::fromStdString(previous), QString::fromStdString(name))
                         .replace('\'', '"')
                         .toStdString();
            previous = name;
        }
        QElapsedTimer timer;
        timer.start();
        const auto doc = fixture::read(programOf(nodes, ""));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].statedNodes, 40'002u);
        QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_APPLESS_MAIN(tst_programs)
#include "tst_programs.moc"
