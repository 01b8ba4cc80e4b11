// `exec`, `memory`, `numerics` with --program: forward and backward of a log as one program.

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"

using namespace aliascope::testing;

namespace {

/// Lines of a graph as TORCH_LOGS=aot_graphs writes them.
QByteArray logged(const char* title, const QByteArray& body, const char* compilation = "0/0") {
    QByteArray out;
    const auto add = [&](const QByteArray& line) {
        out += QByteArray("I1129 17:45:13.609000 1 torch/_functorch/aot.py:1655] [") + compilation + "] [__aot_graphs] " + line + "\n";
    };
    add("TRACED GRAPH");
    add(QByteArray(" ===== ") + title + " 0 =====");
    add(" <eval_with_key>.2 class GraphModule(torch.nn.Module):");
    for (const QByteArray& line : body.split('\n')) add(" " + line);
    return out;
}

const QByteArray forward =
    "    def forward(self, primals_1: \"f32[64][1]cpu\", primals_2: \"f32[64][1]cpu\"):\n"
    "        mul: \"f32[64][1]cpu\" = torch.ops.aten.mul.Tensor(primals_1, primals_2)\n"
    "        sin: \"f32[64][1]cpu\" = torch.ops.aten.sin.default(mul)\n"
    "        sum_1: \"f32[][]cpu\" = torch.ops.aten.sum.default(sin);  sin = None\n"
    "        return (sum_1, primals_2, mul)\n";
const QByteArray backward =
    "    def forward(self, primals_2: \"f32[64][1]cpu\", mul: \"f32[64][1]cpu\", tangents_1: \"f32[][]cpu\"):\n"
    "        cos: \"f32[64][1]cpu\" = torch.ops.aten.cos.default(mul);  mul = None\n"
    "        mul_1: \"f32[64][1]cpu\" = torch.ops.aten.mul.Tensor(cos, tangents_1);  cos = tangents_1 = None\n"
    "        add: \"f32[64][1]cpu\" = torch.ops.prims.convert_element_type.default(mul_1, torch.float32);  mul_1 = None\n"
    "        mul_2: \"f32[64][1]cpu\" = torch.ops.aten.mul.Tensor(add, primals_2);  add = primals_2 = None\n"
    "        return (mul_2, None)\n";

const QByteArray training = logged("Forward graph", forward) + logged("Backward graph", backward);

void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

}  // namespace

class TestProgramOfGraphs : public QObject {
    Q_OBJECT

private slots:
    void forwardAndBackwardRunAsOne() {
        const Answer a = runProgram({"exec", "-", "--program", "auto", "--pipeline", "best", "--json"}, training);
        QCOMPARE(a.exit, 0);
        const QJsonArray stages = a.rows("stages");
        QVERIFY(stages.size() > 5);
        for (const QJsonValue& stage : stages) QCOMPARE(stage["state"].toString("complete"), QString("complete"));
        QCOMPARE(a.json()["input"].toObject()["graph"].toObject()["name"].toString(), QString("program"));
    }

    /// mul is saved: it lives beside sin and sum_1, and dies in the backward.
    void memoryIsThatOfTheWholeProgram() {
        const Answer a = runProgram({"memory", "-", "--program", "auto", "--passes", "dce", "--json"}, training);
        QCOMPARE(a.exit, 0);
        const QJsonObject first = a.rows("stages").first().toObject();
        QCOMPARE(first["peak_exact"].toInteger(), 256 + 256 + 4);
        QCOMPARE(first["at"]["name"].toString(), QString("sum_1"));
        const Answer at = runProgram({"memory", "-", "--program", "auto", "--passes", "dce", "--at", "cos", "--json"}, training);
        QStringList live;
        for (const QJsonValue& row : at.rows("live")) live << row["node"]["name"].toString();
        QVERIFY2(live.contains("cos") && live.contains("mul") && !live.contains("sum_1"), qPrintable(live.join(' ')));
        // What is held between forward and backward.
        const Answer between = runProgram({"memory", "-", "--program", "auto", "--passes", "dce", "--at", "g0_output", "--json"}, training);
        QCOMPARE(between.result().value("moment").toObject().value("live_exact").toInteger(), 256 + 4);
    }

    void aSessionHoldsTheProgramItsLinksAndItsRuns() {
        const QTemporaryDir folder;
        const QString session = folder.filePath("p.aliascope");
        QCOMPARE(runProgram({"exec", "-", "--program", "auto", "-o", session}, training).exit, 0);
        const Answer memory = runProgram({"memory", session, "--json"});
        QCOMPARE(memory.exit, 0);
        int measured = 0;
        QHash<int, qint64> predicted;
        for (const QJsonValue& stage : memory.rows("stages")) {
            if (stage["kind"] == "predicted") predicted[stage["idx"].toInt()] = stage["peak_exact"].toInteger();
            if (stage["kind"] != "measured") continue;
            ++measured;
            QCOMPARE(stage["peak_exact"].toInteger(), predicted[stage["idx"].toInt()]);
            QCOMPARE(stage["note"].toString(), QString());  // no PLAN_MISMATCH
        }
        QVERIFY(measured > 1);
        const Answer links =
            runProgram({"query", session, "SELECT g.name, count(*) AS n FROM link l JOIN graph g ON g.id = l.from_graph WHERE l.kind = 'saved'"});
        QVERIFY2(links.out.contains("2"), qPrintable(links.out));
        const Answer numerics = runProgram({"numerics", session});
        QCOMPARE(numerics.exit, 0);
        QVERIFY2(numerics.out.contains("every compared stage gives what the first gives"), qPrintable(numerics.out));
        const Answer shown = runProgram({"show", session, "--as", "graph", "--stage", "imported"});
        QVERIFY2(shown.out.contains("%g0_output"), qPrintable(shown.out));
        // The loss is a result of the program like the gradients.
        const Answer values = runProgram({"numerics", session, "--json"});
        QStringList first;
        for (const QJsonValue& row : values.rows("values")) first << row["value"].toString();
        QVERIFY2(first.indexOf("g0_output") > 0 && first.indexOf("g0_output") < first.indexOf("mul"), qPrintable(first.join(", ")));
    }

    /// stabilize-softmax scales the distance from the maximum, which rounds otherwise: errors of both against doubles are told, and kept.
    void errorsAgainstDoublesAreRecorded() {
        const QTemporaryDir folder;
        const QString session = folder.filePath("p.aliascope"), file = folder.filePath("net.py");
        write(file,
              "class Net(torch.nn.Module):\n"
              "    def forward(self, x: \"f32[8, 16][16, 1]cuda:0\"):\n"
              "        mul: \"f32[8, 16][16, 1]cuda:0\" = torch.ops.aten.mul.Tensor(x, 0.3)\n"
              "        amax: \"f32[8, 1][1, 1]cuda:0\" = torch.ops.aten.amax.default(mul, [1], True)\n"
              "        sub: \"f32[8, 16][16, 1]cuda:0\" = torch.ops.aten.sub.Tensor(mul, amax)\n"
              "        exp: \"f32[8, 16][16, 1]cuda:0\" = torch.ops.aten.exp.default(sub)\n"
              "        return (exp,)\n");
        QCOMPARE(runProgram({"run", file, "--pipeline", "best", "-o", session}).exit, 0);
        const auto errors = [](const Answer& a) {
            QJsonArray out;
            for (const QJsonValue& value : a.rows("values"))
                for (const QJsonValue& cell : value["cells"].toArray())
                    if (!cell["error_a"].isNull()) out << QJsonArray{value["value"], cell["stage"], cell["error_a"], cell["error_b"]};
            return out;
        };
        const Answer first = runProgram({"numerics", session, "--reference", "f64", "--json"});
        QCOMPARE(first.exit, 0);
        QVERIFY2(!errors(first).isEmpty(), qPrintable(first.out));
        QCOMPARE(errors(first)[0][0].toString(), QString("returned value 0"));
        for (const int side : {2, 3}) QVERIFY(errors(first)[0][side].toDouble() > 0 && errors(first)[0][side].toDouble() < 1e-6);
        const Answer again = runProgram({"numerics", session, "--json"});
        QCOMPARE(errors(again), errors(first));
        const Answer shown = runProgram({"numerics", session});
        QVERIFY2(shown.out.contains("numbers: largest error against a run in doubles"), qPrintable(shown.out));
        // What compares stages does not count them.
        QCOMPARE(runProgram(
                     {"query", session, "SELECT count(*) AS n FROM v_divergence d JOIN comparison c ON c.id = d.comparison WHERE c.policy = 'error'"})
                     .out.trimmed()
                     .section('\n', -1),
                 QString("0"));
    }

    void whatMakesNoProgramIsSaid_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("says");
        QTest::newRow("no backward") << logged("Forward graph", forward) << QStringList{"--program", "auto"} << 5
                                     << "no forward graph with its backward is in it";
        QTest::newRow("two programs") << training + logged("Forward graph", forward, "1/0") + logged("Backward graph", backward, "1/0")
                                      << QStringList{"--program", "auto"} << 5 << "there are several: 1,2";
        QTest::newRow("no such graph") << training << QStringList{"--program", "1,9"} << 5 << "there is no graph 9";
        QTest::newRow("twice") << training << QStringList{"--program", "1,1"} << 5 << "graph 1 is named twice";
        QTest::newRow("backward first") << training << QStringList{"--program", "2,1"} << 5
                                        << "g0.primals_2 has no source among the program's graphs";
        QTest::newRow("with --graph") << training << QStringList{"--program", "auto", "--graph", "1"} << 2 << "exclude each other";
        QTest::newRow("no file of bindings") << training << QStringList{"--program", "auto", "--bind", "nowhere.txt"} << 3 << "nowhere.txt";
    }
    void whatMakesNoProgramIsSaid() {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, words);
        QFETCH(int, exit);
        QFETCH(QString, says);
        const Answer a = runProgram(QStringList{"exec", "-"} + words, text);
        QVERIFY2(a.err.contains(says), qPrintable(a.err));
        QCOMPARE(a.exit, exit);
    }

    void otherVerbsTakeProgramsToo() {
        const Answer run = runProgram({"run", "-", "--program", "auto", "--pipeline", "best"}, training);
        QCOMPARE(run.exit, 0);
        QVERIFY(run.out.contains("decompose-functionalized"));
        const Answer bisect = runProgram({"bisect", "-", "--program", "auto"}, training);
        QCOMPARE(bisect.exit, 0);
        QVERIFY(bisect.out.contains("the last stage gives what the first gives"));
        QVERIFY(runProgram({"exec", "-"}, training).err.contains("--program auto takes forward and backward as one"));
    }

    /// The second tangents_1 is renamed, and still a tangent: 1 where it is a number.
    void everyTangentIsOne() {
        const Answer a = runProgram({"exec", "-", "--program", "1,3,4,2", "--stage", "imported", "--json"},
                                    training + logged("Forward graph", forward, "1/0") + logged("Backward graph", backward, "1/0"));
        QCOMPARE(a.exit, 0);
        int tangents = 0;
        for (const QJsonValue& value : a.rows("digests")) {
            if (value["out"].toInt() != 0 || !value["node"]["name"].toString().endsWith("tangents_1")) continue;
            ++tangents;
            QCOMPARE(value["mean"].toDouble(), 1.0);
        }
        QCOMPARE(tangents, 2);
    }

    /// Files of one stage that differ in a number; v1 and v2 are two programs.
    void filesOfOneStageAreOneProgram() {
        const QTemporaryDir folder;
        const QByteArray head = "class Net(torch.nn.Module):\n";
        for (const char* version : {"v1", "v2"}) {
            write(folder.filePath(QStringLiteral("%1.post_grad.py").arg(version)), head + forward);
            write(folder.filePath(QStringLiteral("%1.post_grad.1.py").arg(version)), head + backward);
        }
        const Answer both = runProgram({"exec", folder.path(), "--program", "auto"});
        QVERIFY2(both.exit == 5 && both.err.contains("there are several: "), qPrintable(both.err));
        const Answer one = runProgram({"exec", folder.path(), "--program", "v2", "--json"});
        QVERIFY2(one.exit == 0, qPrintable(one.err));
    }

    void bindingsAreReadFromAFile() {
        const QTemporaryDir folder;
        const QString good = folder.filePath("good.txt"), bad = folder.filePath("bad.txt"), log = folder.filePath("two.log");
        write(log, training + logged("Forward graph", forward, "1/0") + logged("Backward graph", backward, "1/0"));
        write(good, "g1.primals_1 = g0.out[2]\n");
        write(bad, "# comment\ng1.primals_1 = nothing\n");
        const Answer a = runProgram({"exec", log, "--program", "1,3,4,2", "--bind", good});
        QVERIFY2(a.exit == 0, qPrintable(a.err));
        QVERIFY2(a.err.contains("inputs of g1 that nothing is bound to get values of their own: primals_2"), qPrintable(a.err));
        const Answer b = runProgram({"exec", log, "--program", "1,3,4,2", "--bind", bad});
        QCOMPARE(b.exit, 3);
        QVERIFY2(b.err.contains("bad.txt:2:"), qPrintable(b.err));
        write(bad, "# comment\ng1.nobody = g0.out[0]\n");
        const Answer unknown = runProgram({"exec", log, "--program", "1,3,4,2", "--bind", bad});
        QVERIFY2(unknown.err.contains("bad.txt:2: error BIND_UNKNOWN: g1.nobody"), qPrintable(unknown.err));
    }

    /// nonzero: the plan takes the sizes of a run when there is one.
    void sizesThatDependOnDataComeFromARun() {
        const QByteArray text =
            "class Net(torch.nn.Module):\n    def forward(self, x: \"f32[256][1]cpu\"):\n"
            "        nonzero: \"i64[u0, 1][1, u0]cpu\" = torch.ops.aten.nonzero.default(x)\n"
            "        squeeze: \"i64[u0][1]cpu\" = torch.ops.aten.squeeze.dim(nonzero, 1)\n"
            "        index: \"f32[u0][1]cpu\" = torch.ops.aten.index.Tensor(x, [squeeze])\n"
            "        return (index,)\n";
        const auto stage = [](const Answer& a) { return a.rows("stages").first().toObject(); };
        const Answer guessed = runProgram({"memory", "-", "--passes", "dce", "--json"}, text);
        QCOMPARE(stage(guessed)["note"].toString(), QString("sizes depend on data"));
        QVERIFY(stage(guessed)["first_run"].isNull());
        const Answer run = runProgram({"memory", "-", "--passes", "dce", "--seed", "3", "--json"}, text);
        QCOMPARE(stage(run)["note"].toString(), QString("sizes as in a run on random values"));
        QCOMPARE(stage(run)["peak_exact"].toInteger(), 256 * 8 + 256 * 4);
        const QTemporaryDir folder;
        const QString session = folder.filePath("n.aliascope");
        QCOMPARE(runProgram({"exec", "-", "--passes", "dce", "-o", session}, text).exit, 0);
        const Answer known = runProgram({"memory", session, "--json"});
        QCOMPARE(stage(known)["first_run"].toString(), QString("run 1"));
        QCOMPARE(stage(known)["peak_exact"].toInteger(), 256 * 8 + 256 * 4);
    }
};

QTEST_APPLESS_MAIN(TestProgramOfGraphs)
#include "tst_program_of_graphs.moc"
