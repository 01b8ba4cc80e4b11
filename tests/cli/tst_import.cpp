// `import`: what PyTorch left behind as a session, and how its stages are found again.

#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"

using namespace aliascope::testing;

namespace {

/// Two stages of the forward of a compilation, as TORCH_LOGS writes them; the second has one node more.
QByteArray compilation(int id) {
    QByteArray out;
    for (const bool later : {false, true}) {
        const QByteArray number = QByteArray::number(id);
        const QByteArray title = later ? QByteArray("AFTER POST GRAD") : "Forward graph " + number;
        const QByteArray more = later ? "        neg: \"f32[2]\" = torch.ops.aten.neg.default(x)\n" : "";
        const QByteArray text = "TRACED GRAPH\n ===== " + title +
                                " =====\n a.py class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[2]\"):\n" + more +
                                "        relu: \"f32[2]\" = torch.ops.aten.relu.default(x)\n        return (relu,)\n";
        for (const QByteArray& line : text.split('\n'))
            out += "V0107 10:00:00.000001 71 torch/x.py:5] [" + number + "/0] [__aot_graphs] " + line + "\n";
    }
    return out;
}

}  // namespace

class tst_import : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void stagesOfEveryCompilation() {
        const QString session = folder_.filePath("two.aliascope");
        const Answer imported = runProgram({"import", "-", "-o", session}, compilation(0) + compilation(1));
        QVERIFY2(imported.exit == 0, qPrintable(imported.err));
        // Without further ado the stages of the first compilation are shown; a lane is known by its name, whatever graph it belongs to.
        const Answer first = runProgram({"stages", session});
        QVERIFY2(first.out.contains("Forward graph 0") && first.out.contains("AFTER POST GRAD"), qPrintable(first.out + first.err));
        const Answer second = runProgram({"stages", session, "--pipeline", "torch 1/0 inference"});
        QVERIFY2(second.out.contains("Forward graph 1") && second.out.contains("+1"), qPrintable(second.out + second.err));
        const Answer history = runProgram({"history", session, "--pipeline", "torch 1/0 inference", "--node", "neg"});
        QVERIFY2(history.out.contains("Created"), qPrintable(history.out + history.err));
    }

    /// PyTorch's stages beside ours: lanes of two graphs of one session.
    void comparedWithOurs() {
        const QString session = folder_.filePath("both.aliascope");
        const Answer ran = runProgram({"run", "-", "-o", session, "--graph", "2"}, compilation(0));
        QVERIFY2(ran.exit == 0, qPrintable(ran.err));
        const Answer compared = runProgram({"compare", session + ":best", session + ":torch 0/0 inference"});
        QVERIFY2(compared.exit < 2, qPrintable(compared.err));
        QVERIFY2(compared.out.contains("Forward graph 0"), qPrintable(compared.out + compared.err));
    }

    /// More graphs than a session may have lanes: they are there, those with several stages can be stepped through.
    void moreGraphsThanLanes() {
        const QString session = folder_.filePath("many.aliascope");
        QByteArray log;
        for (int id = 0; id < 40; ++id) log += compilation(id);
        const Answer imported = runProgram({"import", "-", "-o", session}, log);
        QVERIFY2(imported.exit == 0, qPrintable(imported.err));
        QVERIFY2(imported.err.contains("R050") && imported.err.contains("--latest"), qPrintable(imported.err));
        QCOMPARE(runProgram({"list", session, "--format", "csv"}).out.trimmed().split('\n').size(), 81);
        const Answer first = runProgram({"stages", session});
        QVERIFY2(first.out.contains("AFTER POST GRAD"), qPrintable(first.out + first.err));
        const Answer last = runProgram({"stages", session, "--pipeline", "torch 39/0 inference"});
        QVERIFY2(last.out.contains("Forward graph 39"), qPrintable(last.out + last.err));
    }

    /// Stages count more than single graphs also where only both together are too many, and beside what other files took.
    void stagesComeFirstWhereLanesAreFew() {
        QByteArray log;
        for (int id = 0; id < 5; ++id) log += compilation(id);
        const auto foreign = [&](const QStringList& files, const char* limit) {
            const QString session = folder_.filePath(QStringLiteral("few-%1.aliascope").arg(QLatin1String(limit)));
            const QStringList words = QStringList{"import"} + files + QStringList{"-o", session, "--limits", QStringLiteral("lanes=") + limit};
            const Answer imported = runProgram(words, log);
            int found = 0;
            for (int id = 0; id < 5; ++id)
                found += runProgram({"stages", session, "--pipeline", QStringLiteral("torch %1/0 inference").arg(id)}).exit == 0;
            return imported.exit == 0 && imported.err.contains("--latest picks") ? found : -1;
        };
        QCOMPARE(foreign({"-"}, "12"), 5);  // 10 graphs and 5 chains
        QFile before(folder_.filePath("before.log"));
        QVERIFY(before.open(QIODevice::WriteOnly));
        before.write(compilation(7));
        before.close();
        QCOMPARE(foreign({before.fileName(), "-"}, "16"), 5);  // 3 lanes are taken
    }

    /// What is shown of a session when no lane is named does not depend on the verb.
    void stagesAndCompareTakeTheSameLane() {
        const QString session = folder_.filePath("crowded.aliascope");
        const Answer imported = runProgram({"import", "-", "-o", session, "--limits", "lanes=2"}, compilation(0));
        QVERIFY2(imported.exit == 0, qPrintable(imported.err));
        const Answer stages = runProgram({"stages", session, "--json"});
        const Answer compared = runProgram({"compare", session, session, "--json"});
        QCOMPARE(stages.json()["input"].toObject()["lane"].toString(), QStringLiteral("torch 0/0 inference"));
        const QJsonObject sides = compared.json()["input"].toObject();
        for (const char* side : {"a", "b"}) QCOMPARE(sides[QLatin1String(side)].toObject()["lane"].toString(), QStringLiteral("torch 0/0 inference"));
    }

    void listTellsNotes() {
        const QByteArray head = "V0107 10:00:00.000000 71 torch/x.py:9] [0/0] [__graph_breaks] ";
        const Answer answer =
            runProgram({"list", "-"}, head + "Graph break in user code at /src/demo.py:7\n" + head + "Reason: print\n" + compilation(0));
        QCOMPARE(answer.exit, 0);
        QVERIFY2(answer.err.contains("graph 1: Graph break in user code at /src/demo.py:7"), qPrintable(answer.err));
        QVERIFY2(!answer.err.contains("Reason"), qPrintable(answer.err));
    }
};

QTEST_APPLESS_MAIN(tst_import)
#include "tst_import.moc"
