// What a file is and which graphs it holds (formats.md 2, 3, 17).

#include <sys/stat.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <thread>

#include "core/text/print.h"
#include "text_fixture.h"

using namespace aliascope;

class tst_open_file : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;

    QString write(const QString& name, const QByteArray& bytes) {
        QFile f(dir_.filePath(name));
        if (f.open(QIODevice::WriteOnly)) f.write(bytes);
        return f.fileName();
    }
    static Result<Document> open(const QString& path) { return openFile(path.toStdString(), OpRegistry::builtin()); }

private slots:
    void opensByContent() {
        const QString wrong = write("readable.dat", QByteArray::fromStdString(fixture::file("wrapper_v2.readable.py")));
        const auto doc = open(wrong);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].form, GraphForm::Readable);
        QCOMPARE(QString::fromStdString(doc->path), wrong);
    }

    void severalGraphsInOneFile() {
        const std::string text = "# ---- before ----\n" + fixture::file("in_place_views.readable.py") + "\nsome words\n" +
                                 fixture::file("in_place_views.graph.txt") + "\n# after\n" + fixture::file("wrapper_v1.graph.txt");
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(3));
        QCOMPARE(QString::fromStdString(doc->units[0].label), QStringLiteral("before"));
        QCOMPARE(QString::fromStdString(doc->units[2].id), QStringLiteral("3"));
        QCOMPARE(doc->units[0].statedNodes, doc->units[1].statedNodes);
        const auto& last = doc->units[2];
        QVERIFY(doc->text.substr(last.spanBegin, 8) == "graph():");
        const Node& n = last.graph[last.graph.find("mul"_n)];
        QVERIFY(doc->text.substr(n.spanBegin, n.spanEnd - n.spanBegin).starts_with("%mul : [num_users=1] = call_function"));
    }

    /// `print(gm.graph)` and `print(gm.code)`, one after the other.
    void aGraphAndItsCode() {
        const std::string graph =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %relu : [num_users=1] = "
            "call_function[target=torch.relu](args = (%x,), kwargs = {})\n    return relu\n\n\n";
        const auto both = fixture::read(graph + "def forward(self, x):\n    relu = torch.relu(x);  x = None\n    return relu\n");
        QVERIFY(both.has_value());
        QCOMPARE(both->units.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(both->units[0].notes.at(0)), QStringLiteral("its code stands at line 7"));
        const auto other = fixture::read(graph + "def forward(self, x):\n    neg = torch.neg(x);  x = None\n    return neg\n");
        QCOMPARE(other->units.size(), std::size_t(2));
    }

    /// What a pass made of a graph has the names of the graph before it.
    void aGraphAndOtherCode_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("units");
        QTest::newRow("functions") << "call_function[target=torch.add](args = (%x, 1), kwargs = {alpha: 2})"
                                   << "torch.add(x, 1, alpha = 2)" << 1;
        QTest::newRow("texts") << "call_function[target=torch.div](args = (%x, %y), kwargs = {rounding_mode: trunc})"
                               << "torch.div(x, y, rounding_mode = 'trunc')" << 1;
        QTest::newRow("dtypes") << "call_method[target=to](args = (%x, torch.float32), kwargs = {})"
                                << "x.to(torch.float32)" << 1;
        QTest::newRow("operators") << "call_function[target=operator.add](args = (%x, %y), kwargs = {})"
                                   << "x + y" << 1;
        QTest::newRow("slices") << "call_function[target=operator.getitem](args = (%x, (slice(None, 3, None), Ellipsis)), kwargs = {})"
                                << "x[(slice(None, 3, None), Ellipsis)]" << 1;
        QTest::newRow("lists") << "call_function[target=torch.cat](args = ([%x, %y], -1), kwargs = {})"
                               << "torch.cat([x, y], -1)" << 1;
        QTest::newRow("another operator") << "call_function[target=torch.relu](args = (%x,), kwargs = {})"
                                          << "torch.relu6(x)" << 2;
        QTest::newRow("written in place") << "call_function[target=torch.add](args = (%x, 1), kwargs = {})"
                                          << "torch.add_(x, 1)" << 2;
        QTest::newRow("another number") << "call_function[target=torch.add](args = (%x, 1), kwargs = {})"
                                        << "torch.add(x, 2)" << 2;
        QTest::newRow("another input") << "call_function[target=torch.relu](args = (%x,), kwargs = {})"
                                       << "torch.relu(y)" << 2;
        QTest::newRow("another option") << "call_function[target=torch.add](args = (%x, 1), kwargs = {alpha: 2})"
                                        << "torch.add(x, 1, alpha = 3)" << 2;
        QTest::newRow("a list less") << "call_function[target=torch.cat](args = ([%x, %y],), kwargs = {})"
                                     << "torch.cat([x])" << 2;
    }
    void aGraphAndOtherCode() {
        QFETCH(QString, call);
        QFETCH(QString, code);
        QFETCH(int, units);
        const auto doc = fixture::read(("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = placeholder[target=y]\n"
                                        "    %r : [num_users=1] = " +
                                        call + "\n    return r\n\n\ndef forward(self, x, y):\n    r = " + code + "\n    return r\n")
                                           .toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(static_cast<int>(doc->units.size()), units);
    }

    /// Of another rank: another graph, however equal.
    void codeOfAnotherRank() {
        const auto log = [](const std::string& rank) {
            return "[rank0]: graph():\n[rank0]:     %x : [num_users=1] = placeholder[target=x]\n[rank0]:     return (x,)\n" + rank +
                   "def forward(self, x):\n" + rank + "    return (x,)\n";
        };
        QCOMPARE(fixture::read(log("[rank0]: "))->units.size(), std::size_t(1));
        QCOMPARE(fixture::read(log("[rank1]: "))->units.size(), std::size_t(2));
    }

    void anErrorStaysInItsGraph() {
        const std::string good = fixture::file("in_place_views.graph.txt");
        const auto doc = fixture::read("graph():\n    %x : [num_users=1] = nonsense\n\n" + good);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(2));
        QVERIFY(!doc->units[0].diagnostics.empty());
        QCOMPARE(fixture::codes(doc->units[1]), QString());
    }

    void refuses_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("binary") << QByteArray(
                                       "\x7f"
                                       "ELF\x02\x00\x01",
                                       7)
                                << "R002"
                                << "\\x7fELF";
        QTest::newRow("zip") << QByteArray("PK\x03\x04rest") << "R004"
                             << "the archive cannot be read";
        QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08") << "R004"
                              << "the gzip stream cannot be read";
        QTest::newRow("prose") << QByteArray("Just some words.\nNothing else.\n") << "R003"
                               << "looked for";
        QTest::newRow("empty") << QByteArray() << "R003"
                               << "the file is empty";
        QTest::newRow("a NUL in a text") << QByteArray("graph():\n\0", 10) << "R002"
                                         << "the first NUL is byte 10";
        QTest::newRow("UTF-32") << QByteArray("\xff\xfe\0\0g\0\0\0", 8) << "R002"
                                << "binary";
        QTest::newRow("session through a pipe") << QByteArray("SQLite format 3\0", 16) << "R002"
                                                << "by the path of its file";
        QTest::newRow("json") << QByteArray("{\"a\": 1}") << "R003"
                              << "JSON";
        QTest::newRow("garbage without NUL") << QByteArray("\x01\x02\x03\x04\x05\x06\x0e\x0f", 8).repeated(100) << "R002"
                                             << "binary";
    }
    void refuses() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, code);
        QFETCH(QString, words);
        const auto doc = open(write("refused", bytes));
        QVERIFY(!doc.has_value());
        QCOMPARE(QString::fromStdString(doc.error().code), code);
        QVERIFY2(QString::fromStdString(doc.error().format()).contains(words), doc.error().format().c_str());
    }

    void missingFiles() {
        const std::pair<QString, const char*> cases[] = {{dir_.filePath("none"), "No such file"}, {QString(), "a path"}};
        for (const auto& [path, words] : cases) {
            const auto doc = open(path);
            QVERIFY(!doc.has_value());
            QCOMPARE(QString::fromStdString(doc.error().code), QStringLiteral("R004"));
            QVERIFY2(QString::fromStdString(doc.error().format()).contains(words), doc.error().format().c_str());
        }
    }

    void pipeIsReadFromItsStart() {
        const QString path = dir_.filePath("pipe");
        QCOMPARE(::mkfifo(path.toLocal8Bit().constData(), 0600), 0);
        std::thread writer([&] { std::ofstream(path.toStdString()) << fixture::file("in_place_views.graph.txt"); });
        QVERIFY(!isSessionFile(path.toStdString()));
        const auto doc = open(path);
        writer.join();
        QVERIFY2(doc.has_value(), doc ? "" : doc.error().format().c_str());
        QCOMPARE(doc->units.size(), std::size_t(1));
    }

    void encodings() {
        const std::string text = fixture::file("in_place_views.graph.txt");
        QByteArray utf16("\xff\xfe");
        for (const char c : text) utf16.append(c).append('\0');
        const auto wide = open(write("utf16", utf16));
        QVERIFY(wide.has_value());
        QCOMPARE(QString::fromStdString(printGraphText(wide->units[0].graph)).trimmed(), QString::fromStdString(text).trimmed());
        std::string broken = "\xff bad\n" + text;
        const auto doc = fixture::read(broken);
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->diagnostics[0].format()), QStringLiteral("test.txt: warning R001: 1 invalid UTF-8 bytes, first at 0"));
    }

    void colours() {
        const auto doc = fixture::read("graph():\n    %x : [num_users=1] = \x1b[31mplaceholder\x1b[0m[target=x]\n    return (x,)\n");
        QVERIFY(doc.has_value());
        QCOMPARE(fixture::codes(doc->units[0]), QString());
    }

    void shortenedNodes() {
        const auto doc = fixture::read("%a = relu(%x)\n%b = aten.add.Tensor(%a, %y, alpha = 2)\nreturn (%b,)\n");
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("fragment"));
        const Graph& g = doc->units[0].graph;
        QCOMPARE(doc->units[0].statedNodes, 3u);
        QCOMPARE(g[g.find("a"_n)].op.view(), std::string_view("aten::relu"));
        QCOMPARE(g[g.find("b"_n)].op.view(), std::string_view("aten::add.Tensor"));
    }

    void statementsWithoutFrame() {
        const auto doc = fixture::read(
            "    getitem_7 = split_2[3];  split_2 = None\n    mul_4 = torch.ops.aten.mul(getitem_7, w);  getitem_7 = None\n    sub_1 = "
            "torch.ops.aten.sub(mul_4, 1.5);  mul_4 = None\n");
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        QCOMPARE(doc->units[0].statedNodes, 3u);
        QCOMPARE(g[g.find("mul_4"_n)].op.view(), std::string_view("aten::mul.Tensor"));
        QCOMPARE(g[g.find("sub_1"_n)].op.view(), std::string_view("aten::sub.Scalar"));
        QVERIFY(g[g.find("w"_n)].flags & FlagGhost);
    }

    /// Found by the fuzzer: `pass` makes no node and its open bracket takes the rest of the text; a graph of no node, or of names that are only used,
    /// was listed.
    void statementsOfWhichNothingIsLeft_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("no node") << "pass = x[\nb = y[";
        QTest::newRow("names only") << "pass = n[\np = n[})\n[t";
    }
    void statementsOfWhichNothingIsLeft() {
        QFETCH(QString, text);
        const auto doc = fixture::read(text.toStdString());
        QVERIFY(!doc.has_value());
        QCOMPARE(QString::fromStdString(doc.error().code), QStringLiteral("R003"));
    }

    void reproKeepsOnlyRepro() {
        const auto doc = fixture::read(
            "class Helper(torch.nn.Module):\n    def forward(self, x):\n        return x\n\nclass Repro(torch.nn.Module):\n    def forward(self, "
            "a):\n        b = torch.ops.aten.relu.default(a);  a = None\n        return (b,)\n");
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(doc->units[0].label), QStringLiteral("Repro"));
    }

    void loopBodiesAreNoGraphs() {
        const auto doc = fixture::read(
            "graph():\n    %ops : [num_users=1] = placeholder[target=ops]\n    %load : [num_users=0] = call_method[target=load](args = (%ops, buf0), "
            "kwargs = {})\n    return store_reduction\n\n" +
            fixture::file("in_place_views.graph.txt"));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
    }

    void unknownOperatorsAreMarked() {
        const auto doc = fixture::read(
            "graph():\n    %x : [num_users=2] = placeholder[target=x]\n    %a : [num_users=1] = "
            "call_function[target=torch.ops.vendor.bump.default](args = (%x,), kwargs = {})\n"
            "    %b : [num_users=0] = call_function[target=operator.add](args = (%x, 1), kwargs = {})\n    return (a,)\n");
        const Graph& g = doc->units[0].graph;
        QVERIFY(g[g.find("a"_n)].flags & FlagNoSchema);
        QVERIFY(!(g[g.find("b"_n)].flags & FlagNoSchema));
    }

    /// Two processes write into one log (formats.md 8.3).
    void interleavedLog() {
        const QString head = "[rank%1]:I0107 10:00:00.00000%2 7%1 torch/x.py:5] [3/1] [__aot_graphs] %3\n";
        QString text;
        const QStringList body = {"TRACED GRAPH",
                                  " ===== Forward graph %1 =====",
                                  " <eval_with_key>.8 class GraphModule(torch.nn.Module):",
                                  "    def forward(self, x):",
                                  "        a = torch.ops.aten.relu.default(x);  x = None",
                                  "        return (a,)"};
        for (const QString& line : body)
            for (int rank = 0; rank < 2; ++rank) {
                text += head.arg(rank).arg(rank).arg(line.contains("%1") ? line.arg(rank) : line);
                text += "a warning of somebody else\n";
            }
        const auto doc = fixture::read(text.toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("log"));
        QCOMPARE(doc->units.size(), std::size_t(2));
        QCOMPARE(QString::fromStdString(doc->units[1].label), QStringLiteral("Forward graph 1"));
        // No joint and no backward graph of its number: it is an inference graph.
        QVERIFY(doc->units[1].graph.phase == Phase::Inference);
        for (const Unit& unit : doc->units) QCOMPARE(unit.statedNodes, 3u);
    }

    void otherLogPrefixes_data() {
        QTest::addColumn<QString>("prefix");
        QTest::newRow("bracketed") << "[2024-01-02 03:04:05,678] [0/0] torch._dynamo.output_graph: [DEBUG] ";
        QTest::newRow("cut head") << "torch/_inductor/compile_fx.py:910] [3/0] [__post_grad_graphs] ";
        QTest::newRow("worker") << "(Worker_TP0 pid=12) INFO 01-02 03:04:05 [backends.py:7] ";
        QTest::newRow("stacked") << "rank0: V0107 10:00:00.000001 140700000000001 /a/torch/x.py:5] [0/1_2] [__graph] ";
    }
    void otherLogPrefixes() {
        QFETCH(QString, prefix);
        QString text;
        for (const QString& line : QString::fromStdString(fixture::file("in_place_views.readable.py")).split('\n')) text += prefix + line + "\n";
        const auto doc = fixture::read(text.toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].statedNodes, 11u);
        QCOMPARE(fixture::codes(doc->units[0]), QString());
    }

    void quotesInQuotes() {
        QString text;
        for (const QString& line : QString::fromStdString(fixture::file("in_place_views.readable.py")).split('\n')) text += "> > " + line + "\n";
        const auto doc = fixture::read(text.toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].statedNodes, 11u);
    }

    /// Sequences of a terminal that never end: in quadratic time this would be hours.
    void unfinishedColours() {
        std::string text;
        for (int i = 0; i < 2'000'000; ++i) text += "\x1b]";
        QVERIFY(fixture::read(text + "\n" + fixture::file("in_place_views.readable.py")).has_value());
    }

    /// The address of a link is left out, however it ends; one that another sequence cuts hides nothing behind it.
    void links() {
        for (const char* end : {"\a", "\x1b\\"}) {
            const auto doc = fixture::read("\x1b]8;;file:///model.py" + std::string(end) + fixture::file("in_place_views.readable.py"));
            QVERIFY(doc.has_value());
            QCOMPARE(doc->units[0].statedNodes, 11u);
        }
        const auto cut = fixture::read("\x1b]8;;file:///model\x1b[0m\n" + fixture::file("in_place_views.readable.py"));
        QVERIFY(cut.has_value());
        QCOMPARE(cut->units[0].statedNodes, 11u);
    }

    void sizeLimit() {
        ReadOptions options;
        options.limits.fileBytes = 1000;
        const QString path = write("large", QByteArray(5000, 'a'));
        const auto doc = openFile(path.toStdString(), OpRegistry::builtin(), options);
        QVERIFY(!doc.has_value());
        QCOMPARE(QString::fromStdString(doc.error().code), QStringLiteral("R050"));
    }

    void diagnosticsPerDocument() {
        std::string text;
        for (int i = 0; i < 5; ++i) text += "graph():\n    %a : [num_users=0] = nonsense[target=x]\n    return None\n\n";
        ReadOptions options;
        options.limits.diagnostics = 3;
        const auto doc = readText(text, "t", OpRegistry::builtin(), options);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(5));
        QCOMPARE(doc->units[2].diagnostics.size(), std::size_t(1));
        QCOMPARE(doc->units[4].diagnostics.size(), std::size_t(0));
        QCOMPARE(QString::fromStdString(doc->diagnostics[0].sentence()), QStringLiteral("2 further messages not shown"));
    }

    void largeTextsAreRefusedInTime() {
        QByteArray garbage(40 << 20, '\0');
        for (int i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 2654435761u >> 13);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!open(write("garbage", garbage)).has_value());
        QVERIFY2(timer.elapsed() < 2000, "binary data is refused by its head");
        timer.restart();
        QVERIFY(!open(write("prose", QByteArray("a long line of words, without any graph (in it)\n").repeated(1 << 19))).has_value());
        QVERIFY(timer.elapsed() < 10000);
    }

    void cancelled() {
        ReadOptions options;
        options.cancel.cancel();
        QVERIFY(!readText(fixture::file("in_place_views.graph.txt"), "t", OpRegistry::builtin(), options).has_value());
    }
};

QTEST_APPLESS_MAIN(tst_open_file)
#include "tst_open_file.moc"
