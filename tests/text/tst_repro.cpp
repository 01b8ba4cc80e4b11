// Repro scripts (formats.md 12) and logs of several compilations (formats.md 8, 15).

#include <QTest>

#include "core/text/print.h"
#include "text_fixture.h"

using namespace aliascope;

namespace {

QString typeOf(const Graph& g, const char* name) {
    const Node& n = g[g.find(Name(name))];
    return n.type ? QString::fromStdString(n.type->str()) : QStringLiteral("-");
}

/// A script of two inputs whose loader has one storage and these lines.
std::string repro(const std::string& lines) {
    return "class Repro(torch.nn.Module):\n    def forward(self, a, b):\n        return (a, b)\n\ndef load_args(reader):\n"
           "    buf0 = reader.storage(None, 8)\n" +
           lines;
}

}  // namespace

class tst_repro : public QObject {
    Q_OBJECT

private slots:
    void loaderGivesTypes() {
        const auto doc = fixture::read(fixture::file("two_views.repro.py"));
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("repro"));
        QCOMPARE(doc->units.size(), std::size_t(1));
        const Graph& g = doc->units[0].graph;
        QCOMPARE(typeOf(g, "x_1"), QStringLiteral("f32[s7, 4][4, 1]cuda:0"));
        QCOMPARE(typeOf(g, "v_1"), QStringLiteral("f32[s7, 4][1, s7]cuda:0"));
        QCOMPARE(typeOf(g, "i_1"), QStringLiteral("i64[2][1]cpu"));
        QCOMPARE(typeOf(g, "arg3_1"), QStringLiteral("Sym(s7)"));
        QCOMPARE(typeOf(g, "n_1"), QStringLiteral("-"));
        QVERIFY(g[g.find("v_1"_n)].tensor()->offset == SymInt(5));
        QVERIFY(g[g.find("v_1"_n)].trust == Trust::Sibling);
        QCOMPARE(g.symbols.at("s7"_n).hint.value_or(0), std::int64_t(6));
        QCOMPARE(QString::fromStdString(doc->units[0].notes.at(0)), QStringLiteral("one storage: x_1, v_1 (buf0)"));
    }

    void typesReachTheNodes() {
        const auto doc = fixture::read(fixture::file("two_views.repro.py"), true);
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        QCOMPARE(typeOf(g, "index"), QStringLiteral("f32[2, 4][4, 1]cuda:0"));
        // What was read without annotation prints without.
        QVERIFY(printReadable(g).find("def forward(self, x_1, v_1, i_1, arg3_1, n_1):") != std::string::npos);
    }

    void oldLoader() {
        const auto doc = fixture::read(
            "class Repro(torch.nn.Module):\n    def forward(self, a, b):\n        c = torch.ops.aten.add.Tensor(a, b)\n        return (c,)\n\n"
            "args = [((3, 4), (1, 3), torch.float16, 'cuda'), ((), (), torch.int64, 'cpu')]\nmod = Repro()\n");
        QVERIFY(doc.has_value());
        QCOMPARE(typeOf(doc->units[0].graph, "a"), QStringLiteral("f16[3, 4][1, 3]cuda"));
        QCOMPARE(typeOf(doc->units[0].graph, "b"), QStringLiteral("i64[][]cpu"));
    }

    void namesWinOverPlaces() {
        const std::string text = repro(
            "    reader.tensor(buf0, (2,))  # b\n    reader.tensor(buf0, (3, 3)  # a\n    reader.tensor(buf0, "
            "(4,))  # gone\n"
            "load_args._version = 0\n");
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        QCOMPARE(typeOf(doc->units[0].graph, "b"), QStringLiteral("f32[2][1]cpu"));
        QCOMPARE(typeOf(doc->units[0].graph, "a"), QStringLiteral("-"));
    }

    /// A line that cannot be read is an input all the same, and named.
    void brokenLineKeepsItsPlace() {
        const auto doc = fixture::read(repro("    reader.tensor(buf0, (3, 3)\n    reader.tensor(buf0, (2,))\n"));
        QVERIFY(doc.has_value());
        QCOMPARE(typeOf(doc->units[0].graph, "a"), QStringLiteral("-"));
        QCOMPARE(typeOf(doc->units[0].graph, "b"), QStringLiteral("f32[2][1]cpu"));
        QCOMPARE(QString::fromStdString(doc->units[0].notes.at(0)), QStringLiteral("inputs: line 7 cannot be read; what it says is not known"));
    }

    void limitsHoldForTheLoader() {
        ReadOptions options;
        options.limits.valueDepth = 3;
        const auto doc = readText(repro("    reader.tensor(buf0, ((((2,),),),))\n"), "repro.py", OpRegistry::builtin(), options);
        QVERIFY(doc.has_value());
        QCOMPARE(typeOf(doc->units[0].graph, "a"), QStringLiteral("-"));
        QVERIFY(QString::fromStdString(doc->units[0].notes.at(0)).startsWith(QLatin1String("inputs: line 7")));
    }

    void hintsBeforeAnyGraph() {
        const auto doc = fixture::read(
            "# torch version: 2.11.0\ns0 = 6\nx = 3\n\nclass M(torch.nn.Module):\n    def forward(self, a: \"f32[s0, 2]\"):\n        return (a,)\n");
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].graph.symbols.at("s0"_n).hint.value_or(0), std::int64_t(6));
    }

    void logsOfTwoRanks() {
        const auto graph = [](const QString& prefix, const QString& title, const QString& inputs) {
            QString out = prefix + "TRACED GRAPH\n";
            for (const QString& line :
                 {" ===== " + title + " =====", QStringLiteral(" <eval_with_key>.8 class GraphModule(torch.nn.Module):"),
                  "    def forward(self, " + inputs + "):", "        y = torch.ops.aten.neg.default(" + inputs.section(',', 0, 0) + ")",
                  QStringLiteral("        return (y,)")})
                out += prefix + line + "\n";
            return out;
        };
        const QString head = "[rank%1]:I0107 10:00:00.00000%2 %3 torch/x.py:5] [%4] [__aot_graphs] ";
        QString text;
        text += graph(head.arg("1", "1", "72", "3/0"), "Forward graph 4", "arg0_1");
        text += graph(head.arg("0", "1", "71", "3/1_2"), "Joint graph 4", "primals_1, tangents_1");
        text += graph(head.arg("0", "2", "71", "3/1_2"), "Backward graph 4", "tangents_1");
        text += graph(head.arg("0", "2", "71", "3/1_2"), "Forward graph 4", "primals_1");
        text += graph(head.arg("0", "3", "71", "3/1_2"), "AFTER POST GRAD", "tangents_1");
        const auto doc = fixture::read(text.toStdString());
        QVERIFY(doc.has_value());
        QStringList rows;
        for (const Unit& u : doc->units)
            rows << QStringLiteral("rank %1 %2 %3 %4")
                        .arg(u.group.rank.value_or(-1))
                        .arg(QString::fromStdString(u.group.compileId), QString::fromUtf8(toString(u.graph.phase).data()),
                             QString::fromStdString(u.stage));
        QCOMPARE(rows.join('\n'), QStringLiteral("rank 1 3/0 inference Forward graph 4\n"
                                                 "rank 0 3/1 joint Joint graph 4\n"
                                                 "rank 0 3/1 forward Forward graph 4\n"
                                                 "rank 0 3/1 backward Backward graph 4\n"
                                                 "rank 0 3/1 backward AFTER POST GRAD"));
        QCOMPARE(doc->units[1].group.attempt.value_or(-1), 2);
        QCOMPARE(doc->units[1].group.process.value_or(-1), std::int64_t(71));
    }
};

QTEST_APPLESS_MAIN(tst_repro)
#include "tst_repro.moc"
