// TORCH_LOGS text (formats.md 8): prefixes of loggers, launchers and collectors, and what messages tell beside graphs.

#include <QTest>

#include "core/text/log_prefix.h"
#include "text_fixture.h"

using namespace aliascope;

namespace {

const QStringList kForward = {"TRACED GRAPH",
                              " ===== Forward graph 4 =====",
                              " <eval_with_key>.8 class GraphModule(torch.nn.Module):",
                              "    def forward(self, x: \"f32[2]\"):",
                              "        a: \"f32[2]\" = torch.ops.aten.relu.default(x);  x = None",
                              "        return (a,)",
                              ""};

/// The lines, each behind `head`, as one stream of a log.
std::string log(const QString& head, const QStringList& lines) {
    QString text;
    for (const QString& line : lines) text += (head + line).trimmed() == head.trimmed() ? head.trimmed() + "\n" : head + line + "\n";
    return text.toStdString();
}

QString head(const QString& artifact, int line = 5) {
    return QStringLiteral("V0107 10:00:00.000001 71 torch/x.py:%1] [0/0] [__%2] ").arg(line).arg(artifact);
}

QString notes(const Unit& unit) {
    QStringList out;
    for (const std::string& note : unit.notes) out << QString::fromStdString(note);
    return out.join('|');
}

QString typeOf(const Graph& g, const char* name) {
    const NodeId id = g.find(Name(name));
    return id && g[id].type ? QString::fromStdString(g[id].type->str()) : QString();
}

}  // namespace

class tst_logs : public QObject {
    Q_OBJECT

private slots:
    void prefixes_data() {
        QTest::addColumn<QString>("prefix");
        QTest::addColumn<QString>("compileId");
        QTest::addColumn<int>("rank");
        const QString torch = "V0107 10:00:00.000001 71 torch/x.py:5] [3/1_2] [__aot_graphs] ";
        const auto row = [](const char* name, const QString& prefix, const char* id = "3/1", int rank = -1) {
            QTest::newRow(name) << prefix << QString::fromUtf8(id) << rank;
        };
        row("PyTorch", torch);
        row("rank", "[rank1]:" + torch, "3/1", 1);
        row("compiled autograd", "V0107 10:00:00.000001 71 torch/x.py:5] [!0/1/0] [__aot_graphs] ", "!0/1/0");
        row("2.1", "[2023-04-07 10:00:00,123] [3/1] torch._functorch.aot.__aot_graphs: [INFO] ");
        row("2.0", "[2023-04-07 10:00:00,123] torch._functorch.aot: [DEBUG] ", "");
        row("no brackets", "2023-04-07 10:00:00,123 torch._functorch.aot: [INFO] ", "");
        row("basicConfig", "2023-04-07 10:00:00,123 - torch._functorch.aot - DEBUG - ", "");
        row("torchrun", "[rank1]: [rank1]:" + torch, "3/1", 1);
        row("torchrun with a role", "[default0]:" + torch);
        row("srun", "0: " + torch);
        row("compose", "container-1  | " + torch);
        row("ray", "(RayWorker pid=123, ip=10.0.0.1) " + torch);
        row("vLLM", "DEBUG 11-07 10:00:00 [compilation/backends.py:12] ", "");
        row("vLLM worker", "(Worker_TP0 pid=12) DEBUG 11-07 10:00:00 [backends.py:12] ", "");
        row("vLLM worker with a rank", "(VllmWorker rank=2 pid=12) DEBUG 11-07 10:00:00 [backends.py:12] ", "", 2);
        row("CI", "2024-01-07T10:00:00.1234567Z " + torch);
        row("CI, whole seconds", "2024-01-07T10:00:00Z " + torch);
        row("time in brackets", "[2024-01-07T10:00:00.123Z] " + torch);
        row("time zone", "2024-01-07T10:00:00.123+00:00 " + torch);
        row("no zone", "2024-01-07 10:00:00.123 " + torch);
        row("Kubernetes", "2024-01-07T10:00:00.123456789Z stdout F " + torch);
        row("captured by pytest", "  " + torch);
        row("head cut", "torch/x.py:5] [3/1] [__aot_graphs] ");
        row("only groups left", "[3/1] [__aot_graphs] ");
        row("only the artifact left", "[__aot_graphs] ", "");
    }
    void prefixes() {
        QFETCH(QString, prefix);
        QFETCH(QString, compileId);
        QFETCH(int, rank);
        const auto doc = fixture::read(log(prefix, kForward));
        QVERIFY2(doc.has_value(), doc ? "" : doc.error().format().c_str());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("log"));
        QCOMPARE(doc->units.size(), std::size_t(1));
        const Unit& unit = doc->units[0];
        QCOMPARE(unit.statedNodes, 3u);
        QCOMPARE(fixture::codes(unit), QString());
        QVERIFY(unit.graph.phase == Phase::Inference);
        QCOMPARE(unit.group.aotId.value_or(-1), 4);
        QCOMPARE(QString::fromStdString(unit.group.compileId), compileId);
        QCOMPARE(unit.group.rank.value_or(-1), rank);
    }

    void prefixOfTheFirstLineOnly_data() {
        QTest::addColumn<QString>("prefix");
        for (const char* prefix : {"DEBUG:torch._functorch.aot:", "INFO: ", "[aot.py:12 DEBUG] ", "torch._functorch.aot: [INFO] ",
                                   "[INFO] TORCHAIR(123,python):2024-01-07 10:00:00.123.456 [npu.py:12]123 "})
            QTest::newRow(prefix) << QString::fromUtf8(prefix);
    }
    void prefixOfTheFirstLineOnly() {
        QFETCH(QString, prefix);
        const auto doc = fixture::read((prefix + kForward.join('\n')).toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("log"));
        QCOMPARE(doc->units.size(), std::size_t(1));
        QVERIFY(doc->units[0].graph.phase == Phase::Inference);
    }

    /// Formats without compile ids: the number of the AOT graphs joins the stages of a compilation, later ones by their inputs.
    void shortFormat() {
        const auto graph = [](const char* title, const char* inputs) {
            return "DEBUG:torch._x:TRACED GRAPH\n ===== " + std::string(title) +
                   " =====\n a.py class GraphModule(torch.nn.Module):\n    def forward(self, " + inputs +
                   "):\n        a = torch.ops.aten.relu.default(" + std::string(inputs).substr(0, std::string(inputs).find(',')) +
                   ")\n        return (a,)\n\n";
        };
        const auto doc =
            fixture::read(graph("__compiled_fn_1", "L_x_") + graph("Forward graph 0", "primals_1") + graph("Backward graph 0", "primals_1, t") +
                          graph("AFTER POST GRAD", "primals_1") + graph("__compiled_fn_3", "L_x_") + graph("Forward graph 1", "arg0_1") +
                          graph("AFTER POST GRAD", "arg0_1") + graph("AFTER POST GRAD", "primals_1, t"));
        QVERIFY(doc.has_value());
        QStringList table;
        for (const Unit& u : doc->units)
            table << QStringLiteral("%1 %2 %3")
                         .arg(u.group.aotId.value_or(-1))
                         .arg(QString::fromUtf8(toString(u.graph.phase).data()), QString::fromStdString(u.stage));
        QCOMPARE(table.join('\n'),
                 QStringLiteral("0 dynamo __compiled_fn_1\n0 forward Forward graph 0\n0 forward AFTER POST GRAD\n0 backward Backward graph 0\n"
                                "0 backward AFTER POST GRAD\n1 dynamo __compiled_fn_3\n1 inference Forward graph 1\n1 inference AFTER POST GRAD"));
    }

    void codeIsNoPrefix() {
        for (const char* line : {"        a = x | y", "        # V0107 10:00:00.000001 71 torch/x.py:5] [0/0] y",
                                 "print(\"V0107 10:00:00.000001 71 torch/x.py:5] y\")", "    %a : [num_users=1] = placeholder[target=a]", "[1, 2]"})
            QCOMPARE(logPrefix(line).size, std::size_t(0));
    }

    /// Launchers in launchers; nobody stacks more than some, and no line of nothing else takes long.
    void manyPrefixes() {
        std::string line;
        for (int i = 0; i < 200'000; ++i) line += "[rank0]: ";
        QCOMPARE(logPrefix(line).size, std::size_t(16 * 9));
        QCOMPARE(logPrefix(std::string(1 << 20, '[')).size, std::size_t(0));
    }

    /// What stands in front of a launcher's line tells streams apart, its time does not.
    void launchersNameStreams() {
        const LogPrefix a = logPrefix("2024-01-07T10:00:00Z pod-1 V0107 10:00:00.000001 71 torch/x.py:5] [0/0] [__g] TRACED");
        const LogPrefix b = logPrefix("2024-01-07T10:00:09Z pod-1 V0107 10:00:09.000001 71 torch/x.py:5] [0/0] [__g] GRAPH");
        const LogPrefix c = logPrefix("2024-01-07T10:00:09Z pod-2 V0107 10:00:09.000001 71 torch/x.py:5] [0/0] [__g] GRAPH");
        QCOMPARE(a.stream, b.stream);
        QVERIFY(a.stream != c.stream);
        QCOMPARE(a.group.process.value_or(0), std::int64_t(71));
    }

    /// The `graph` artifact: the head of the table is glued behind the name.
    void tables() {
        const auto doc = fixture::read(
            log(head("graph"),
                {"TRACED GRAPH", " __compiled_fn_1 <eval_with_key>.3 opcode         name     target              args      kwargs",
                 "-------------  -------  ------------------  --------  ----------------", "placeholder    x        x                   ()        {}",
                 "call_function  blend    demo.blend.default  (x, 0.5)  {'mode': 'soft'}",
                 "output         output   output              ((blend,),)  {}", ""}));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(doc->units[0].form, GraphForm::Table);
        QCOMPARE(doc->units[0].statedNodes, 3u);
        QVERIFY(doc->units[0].graph.phase == Phase::Dynamo);
        QCOMPARE(QString::fromStdString(doc->units[0].group.compileId), QStringLiteral("0/0"));
    }

    void notesAndSizes() {
        const QString reinplaced =
            "For node foo, attempted to reinplace ['x']. We were unable to reinplace []; [] (if non-empty) are possible missed "
            "reinplacing opportunities that may be bad for memory usage and performance.";
        const std::string text = log(head("graph_breaks"), {"Graph break in user code at /src/demo.py:7", "Reason: Unsupported: print"}) +
                                 log(head("graph_code"), {"TRACED GRAPH", " ===== __compiled_fn_1 =====", " a.py class GraphModule(torch.nn.Module):",
                                                          "    def forward(self, L_x_):", "        l_x_ = L_x_", "        y = l_x_ + 1;  l_x_ = None",
                                                          "        return (y,)", ""}) +
                                 log(head("graph_sizes", 7), {"TRACED GRAPH TENSOR SIZES", "===== __compiled_fn_1 =====", "l_x_: (s0, 3)",
                                                              "l_x_ (concrete): (2, 3)", "y: (s0, 3)", "y (concrete): (2, 3)", ""}) +
                                 log(head("reinplacing", 8), {reinplaced}) + log(head("aot_graphs", 9), kForward) +
                                 log(head("reinplacing", 8), {"Reinplace for bar: candidates=[]"});
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(2));
        const Unit &dynamo = doc->units[0], &forward = doc->units[1];
        QCOMPARE(notes(dynamo), QStringLiteral("Graph break in user code at /src/demo.py:7\nReason: Unsupported: print"));
        QCOMPARE(notes(forward), reinplaced + "|Reinplace for bar: candidates=[]");
        QVERIFY(typeOf(dynamo.graph, "y").endsWith("[s0, 3]"));
        QCOMPARE(dynamo.graph.symbols.at("s0"_n).hint.value_or(0), std::int64_t(2));
        // A type that is stated stays.
        QCOMPARE(typeOf(forward.graph, "a"), QStringLiteral("f32[2]"));
    }

    /// Logs of Dynamo quote the program, whose lines look like the start of a graph.
    void quotedSource() {
        const std::string text =
            log(head("trace_source"),
                {"TRACE starts_line /src/linear.py:134 in forward (Linear.forward)", "        def forward(self, input: Tensor) -> Tensor:",
                 "TRACE starts_line /src/linear.py:138 in forward (Linear.forward)", "            return F.linear(input, self.weight, self.bias)"}) +
            log(head("aot_graphs", 9), kForward);
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(doc->units[0].group.run, 0);
        // A text that was cut behind its signature is another thing.
        QCOMPARE(fixture::read("def forward(self, x, y):\n")->units[0].statedNodes, 2u);
    }

    /// Freezing folds inputs: what follows has fewer of them.
    void frozenGraphs() {
        const QStringList frozen = {"TRACED GRAPH",
                                    " ===== FROZEN GRAPH =====",
                                    " a.py class <lambda>(torch.nn.Module):",
                                    "    def forward(self):",
                                    "        c = self._frozen_param0",
                                    "        return (c,)",
                                    ""};
        const auto doc = fixture::read(log(head("aot_graphs", 9), kForward) + log(head("post_grad_graphs", 10), frozen));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(2));
        QVERIFY(doc->units[1].graph.phase == Phase::Inference);
    }

    /// Which of several graphs was frozen, its inputs tell; without any nothing does.
    void frozenGraphsOfSeveral() {
        const auto graph = [](const char* title, const char* inputs) {
            return QStringList{"TRACED GRAPH",
                               QStringLiteral(" ===== %1 =====").arg(title),
                               " a.py class <lambda>(torch.nn.Module):",
                               QStringLiteral("    def forward(self%1):").arg(inputs),
                               "        c = self._frozen_param0",
                               "        return (c,)",
                               ""};
        };
        const auto doc = fixture::read(log(head("aot_graphs", 9), graph("Forward graph 0", ", primals_1, primals_2, w")) +
                                       log(head("aot_graphs", 10), graph("Backward graph 0", ", primals_2, tangents_1")) +
                                       log(head("post_grad_graphs", 11), graph("FROZEN GRAPH", ", primals_1, primals_2")) +
                                       log(head("post_grad_graphs", 12), graph("FROZEN GRAPH", ", primals_2")) +
                                       log(head("post_grad_graphs", 13), graph("FROZEN GRAPH", "")));
        QVERIFY(doc.has_value());
        QStringList phases;
        for (const Unit& u : doc->units)
            if (u.stage == "FROZEN GRAPH") phases << QString::fromUtf8(toString(u.graph.phase).data());
        QCOMPARE(phases.join(' '), QStringLiteral("forward backward unknown"));
    }

    void mutatedInputs() {
        const auto doc = fixture::read(
            log(head("aot_graphs"),
                {"aot_config id: 4, fw_metadata=ViewAndMutationMeta(input_info=[InputAliasInfo(is_leaf=True, mutates_data=True, "
                 "mutates_metadata=False)], output_info=[OutputAliasInfo(output_type=<OutputType.alias_of_input: 2>, raw_type=<class 'T'>, "
                 "base_idx=0, dynamic_dims=set()), OutputAliasInfo(output_type=<OutputType.non_alias: 1>, base_idx=None)], x=[]), inner_meta=y"}) +
            log(head("aot_graphs", 9), kForward));
        QVERIFY(doc.has_value());
        QCOMPARE(notes(doc->units[0]), QStringLiteral("the function writes its inputs x|output 0 is a view of input x"));
    }
};

QTEST_APPLESS_MAIN(tst_logs)
#include "tst_logs.moc"
