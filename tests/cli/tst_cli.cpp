// The program as its users meet it: exit codes, messages, the JSON envelope, each verb on a sample.

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

namespace {

struct Answer {
    int exit = -1;
    QString out, err;
    QJsonObject json() const { return QJsonDocument::fromJson(out.toUtf8()).object(); }
    QJsonObject result() const { return json()["result"].toObject(); }
};

const QString source = QStringLiteral(ALIASCOPE_SOURCE_DIR);
const QString samples = source + "/sample_graphs/";
const QString kv = samples + "kv_cache_layers.py";
const QString kept = samples + "old_value_kept.py";
const QStringList mylib = {"--ops", samples + "mylib.ops"};

Answer ask(const QStringList& words, const QByteArray& input = {}, const QStringList& environment = {}) {
    QProcess process;
    QProcessEnvironment env = QProcessEnvironment::systemEnvironment();
    env.insert("ALIASCOPE_SAMPLES", samples);
    for (const QString& pair : environment) env.insert(pair.section('=', 0, 0), pair.section('=', 1));
    process.setProcessEnvironment(env);
    process.start(ALIASCOPE_PROGRAM, words);
    process.write(input);
    process.closeWriteChannel();
    Answer answer;
    if (!process.waitForFinished(60'000)) return answer;
    answer.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    answer.out = QString::fromUtf8(process.readAllStandardOutput());
    answer.err = QString::fromUtf8(process.readAllStandardError());
    return answer;
}

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList withOps(QStringList words) { return words << mylib; }

}  // namespace

class TestCli : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        session_ = folder_.filePath("kv.aliascope");
        QCOMPARE(ask(withOps({"run", kv, "--pipeline", "torch-v1", "-o", session_})).exit, 0);
        QCOMPARE(ask(withOps({"run", kv, "--pipeline", "torch-v2", "-o", session_})).exit, 0);
    }

    // --- each verb ---------------------------------------------------------------------------------------------------------------------

    void everyVerbAnswersInJson_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QStringList>("keys");
        QTest::newRow("list") << QStringList{"list", kv} << QStringList{"graphs", "diagnostics"};
        QTest::newRow("list session") << QStringList{"list", "S"} << QStringList{"graphs", "diagnostics"};
        QTest::newRow("show") << QStringList{"show", kv} << QStringList{"graph"};
        QTest::newRow("opt") << QStringList{"opt", kv, "--passes", "functionalize,dce"} << QStringList{"graph"};
        QTest::newRow("run") << QStringList{"run", kv} << QStringList{"stages", "decisions", "summary", "missing_passes"};
        QTest::newRow("stages") << QStringList{"stages", "S"} << QStringList{"stages"};
        QTest::newRow("diff") << QStringList{"diff", "S", "reinplace", "decompose"} << QStringList{"changes", "diff"};
        QTest::newRow("decisions") << QStringList{"decisions", "S"} << QStringList{"decisions"};
        QTest::newRow("why") << QStringList{"why", "S"} << QStringList{"cards"};
        QTest::newRow("history") << QStringList{"history", "S", "--node", "cache"} << QStringList{"node", "history"};
        QTest::newRow("aliases") << QStringList{"aliases", "S"} << QStringList{"storages"};
        QTest::newRow("query") << QStringList{"query", "S", "SELECT 1 AS one"} << QStringList{"columns", "rows"};
        QTest::newRow("passes") << QStringList{"passes"} << QStringList{"passes", "pipelines"};
        QTest::newRow("ops") << QStringList{"ops", "copy_"} << QStringList{"ops"};
        QTest::newRow("samples") << QStringList{"samples"} << QStringList{"samples"};
        QTest::newRow("version") << QStringList{"version"} << QStringList{"version", "session_schema"};
    }
    void everyVerbAnswersInJson() {
        QFETCH(QStringList, words);
        QFETCH(QStringList, keys);
        words.replaceInStrings(QRegularExpression("^S$"), session_);
        const bool takesOps = words[0] != "passes" && words[0] != "samples" && words[0] != "version";
        const Answer plain = ask(takesOps ? withOps(words) : words);
        QVERIFY2(plain.exit == 0, qPrintable(plain.err));
        QVERIFY(!plain.out.isEmpty());
        const Answer answer = ask((takesOps ? withOps(words) : words) << "--json");
        QCOMPARE(answer.exit, 0);
        const QJsonObject json = answer.json();
        QCOMPARE(json["schema"].toString(), QString("aliascope/1"));
        QCOMPARE(json["command"].toString(), words[0]);
        QVERIFY(json["input"].isObject());
        QVERIFY(json["warnings"].isArray());
        for (const QString& key : keys) QVERIFY2(json["result"].toObject().contains(key), qPrintable(key));
    }

    void textComesBackByteForByte() {
        const QByteArray readable = contents(kv);
        const Answer asReadable = ask(withOps({"show", kv, "--as", "readable"}));
        QCOMPARE(asReadable.out.toUtf8().trimmed(), readable.trimmed());
        const Answer graph = ask(withOps({"show", kv, "--as", "graph"}));
        QVERIFY(graph.out.startsWith("graph():\n"));
        const Answer again = ask(withOps({"show", "-", "--as", "graph"}), graph.out.toUtf8());
        QCOMPARE(again.exit, 0);
        QCOMPARE(again.out, graph.out);
    }

    void optRunsPasses() {
        const Answer before = ask(withOps({"opt", kv, "--as", "graph"}));
        const Answer after = ask(withOps({"opt", kv, "--pipeline", "torch-v1", "--as", "graph"}));
        QCOMPARE(before.exit, 0);
        QCOMPARE(after.exit, 0);
        QVERIFY(!before.out.contains("aten.clone"));
        QCOMPARE(after.out.count("aten.clone.default]"), 8);
        QVERIFY(!after.out.contains("auto_functionalized"));
        const Answer until = ask(withOps({"opt", kv, "--pipeline", "torch-v1", "--until", "functionalize", "--as", "graph"}));
        QVERIFY(until.out.contains("auto_functionalized"));
        const QString file = folder_.filePath("pipeline.txt");
        QFile text(file);
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("functionalize{custom-ops=v1}, # wrap\n dce\n");
        text.close();
        const Answer fromFile = ask(withOps({"opt", kv, "--pipeline", file, "--as", "graph"}));
        QVERIFY2(fromFile.out.contains("auto_functionalized"), qPrintable(fromFile.err));
    }

    void subGraphsFollowTheMainGraph() {
        const Answer answer = ask(withOps({"show", samples + "repeated_region.py", "--as", "graph"}));
        QCOMPARE(answer.exit, 0);
        const QStringList parts = answer.out.split("graph():");
        QCOMPARE(parts.size(), 3);
        QVERIFY(parts[1].contains("invoke_subgraph"));
        QVERIFY(parts[2].contains("mylib.foo"));
        const Answer listed = ask(withOps({"list", samples + "repeated_region.py", "--json"}));
        const QJsonArray graphs = listed.result()["graphs"].toArray();
        QCOMPARE(graphs.size(), 2);
        const Answer one = ask(withOps({"show", samples + "repeated_region.py", "--as", "graph", "--graph", graphs[1].toObject()["id"].toString()}));
        QCOMPARE(one.out.count("graph():"), 1);
        QVERIFY(one.out.contains("mylib.foo"));
    }

    void runTellsClonesAndBytes() {
        const Answer v1 = ask(withOps({"run", kv, "--pipeline", "torch-v1", "--json"}));
        const QJsonObject summary = v1.result()["summary"].toObject();
        QCOMPARE(summary["clones"].toInt(), 8);
        QCOMPARE(summary["cloned_bytes"].toInt(), 1769472);
        QCOMPARE(summary["findings"].toInt(), 8);
        const Answer v2 = ask(withOps({"run", kv, "--pipeline", "torch-v2", "--json"}));
        QCOMPARE(v2.result()["summary"].toObject()["clones"].toInt(), 0);
        const Answer table = ask(withOps({"run", kv, "--pipeline", "torch-v1"}));
        QVERIFY2(table.out.contains("8 clones, 1.69 MiB cloned"), qPrintable(table.out));
        QVERIFY(!table.out.contains('\x1b'));
    }

    void lanesOfOneSession() {
        const Answer listed = ask({"list", session_, "--json"});
        const QJsonArray graphs = listed.result()["graphs"].toArray();
        QCOMPARE(graphs.size(), 1);  // the second run added a lane, not a second copy of the graph
        QCOMPARE(graphs[0].toObject()["lanes"].toArray().size(), 2);
        QCOMPARE(ask({"stages", session_, "--pipeline", "torch-v1", "--json"}).json()["input"].toObject()["lane"].toString(), QString("torch-v1"));
        const Answer last = ask({"stages", session_});
        QVERIFY2(last.err.contains("torch-v1, torch-v2"), qPrintable(last.err));
        QVERIFY(ask({"stages", session_, "-q"}).err.isEmpty());
    }

    void decisionsAndFilters() {
        const auto rows = [&](const QStringList& more) {
            return ask(QStringList{"decisions", session_, "--pipeline", "torch-v1", "--json"} + more).result()["decisions"].toArray();
        };
        QCOMPARE(rows({"--verdict", "clone"}).size(), 8);
        QCOMPARE(rows({"--verdict", "avoidable"}).size(), 8);
        QCOMPARE(rows({"--verdict", "in-place"}).size(), 0);
        QCOMPARE(rows({"--code", "RI30"}).size(), 6);
        QCOMPARE(rows({"--code", "VIEW_OF_INPUT"}).size(), 2);
        QCOMPARE(rows({"--min-bytes", "400KiB"}).size(), 2);
        const QJsonObject row = rows({"--code", "RI21"})[0].toObject();
        for (const char* key : {"node", "origin", "op", "argument", "verdict", "need", "code", "blocker", "bytes", "counted", "sentence",
                                "cloned_bytes", "needed_bytes", "avoided_by"})
            QVERIFY2(row.contains(key), key);
        QCOMPARE(row["origin"].toObject()["name"].toString(), QString("cache"));
        QCOMPARE(row["blocker"].toObject()["name"].toString(), QString("kv_1"));
        QCOMPARE(row["bytes"].toInt(), 16384);
        QCOMPARE(row["avoided_by"].toString(), QString("torch-v2"));
        QVERIFY(row["sentence"].toString().contains("view of graph input"));
    }

    void csvMarkdownAndLines() {
        const Answer csv = ask({"decisions", session_, "--pipeline", "torch-v1", "--format", "csv"});
        const QStringList lines = csv.out.trimmed().split('\n');
        QVERIFY(lines[0].startsWith("verdict,node,op,argument,code"));
        QCOMPARE(lines.size(), 1 + 16);
        const Answer md = ask({"stages", session_, "--format", "md"});
        QVERIFY(md.out.startsWith("| # | stage |"));
        const Answer nd = ask({"stages", session_, "--format", "ndjson"});
        for (const QString& line : nd.out.trimmed().split('\n')) QVERIFY(QJsonDocument::fromJson(line.toUtf8()).isObject());
        QCOMPARE(ask({"stages", session_, "--format", "json"}).json()["command"].toString(), QString("stages"));
    }

    void whyFindsTheCloneOfAnArgument() {
        const Answer answer = ask({"why", session_, "--pipeline", "torch-v1", "--node", "clone_default_7"});
        QCOMPARE(answer.exit, 0);
        QCOMPARE(answer.out.count("reason"), 1);
        QVERIFY2(answer.out.startsWith("AVOIDABLE  value_cache of mylib.cache"), qPrintable(answer.out));
        for (const char* part : {"RI21 VIEW_OF_INPUT", "%kv_1", "1,048,576 B", "reported 16,384", "cloned 32,768", "--pipeline torch-v2", "FAILED"})
            QVERIFY2(answer.out.contains(part), part);
        const Answer inPlace = ask({"why", session_, "--pipeline", "torch-v2", "--node", "cache"});
        QVERIFY2(inPlace.out.startsWith("IN PLACE  base 0 of mylib.cache"), qPrintable(inPlace.out));
    }

    void keepingTheUsersCloneAvoidsNothing() {
        // `best` keeps the clone that the user wrote, torch-v2 drops it and makes one of its own: as many bytes, so nothing was avoidable.
        const Answer answer = ask(withOps({"why", kept, "--pipeline", "torch-v2", "--json"}));
        const QJsonArray cards = answer.result()["cards"].toArray();
        QCOMPARE(cards.size(), 1);
        QVERIFY2(cards[0].toObject()["need"].toString() != "avoidable", qPrintable(answer.out));
        QVERIFY(cards[0].toObject()["avoided_by"].isNull());
    }

    void whyExplainsALogLine() {
        const Answer well = ask(
            {"why", session_, "--pipeline", "torch-v2", "--line",
             "For node auto_functionalized_v2, attempted to reinplace range(0, 1). We were unable to reinplace []; [] (if non-empty) is : 0 bytes"});
        QCOMPARE(well.exit, 0);
        QVERIFY2(well.out.contains("base 0 (key_cache, value_cache)"), qPrintable(well.out));
        QVERIFY(well.out.contains("All is well"));
        QCOMPARE(ask({"why", session_, "--line", "no such sentence"}).exit, 2);
    }

    void historyTellsStates() {
        const Answer answer = ask({"history", session_, "--pipeline", "torch-v1", "--node", "clone_default_7", "--json"});
        const QJsonArray rows = answer.result()["history"].toArray();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0].toObject()["state"].toString(), QString("Created"));
        QCOMPARE(rows[0].toObject()["stage_name"].toString(), QString("decompose-functionalized"));
        const Answer input = ask({"history", session_, "--node", "h_1"});
        QVERIFY(input.out.contains("Survived"));
        const Answer first = ask({"history", session_, "--pipeline", "torch-v1", "--node", "cache", "--first", "--json"});
        QCOMPARE(first.result()["history"].toArray()[0].toObject()["stage_name"].toString(), QString("functionalize"));
    }

    void byteMap() {
        const Answer answer = ask({"aliases", session_, "--storage", "S1", "--bytemap", "--width", "64"});
        QCOMPARE(answer.exit, 0);
        QVERIFY2(answer.out.contains("|" + QString(64, '#') + "| 0 - 1,048,576"), qPrintable(answer.out));
        QVERIFY(answer.out.contains("|.........................#......................................| 409,600 - 425,984"));
    }

    void diffIsAUnifiedDiff() {
        const Answer answer = ask({"diff", session_, "reinplace", "decompose", "--as", "graph"});
        QVERIFY(answer.out.contains("--- reinplace\n+++ decompose-functionalized\n@@ -"));
        const Answer same = ask({"diff", session_, "2", "2", "--json"});
        QCOMPARE(same.result()["changes"].toArray().size(), 0);
        QCOMPARE(same.result()["diff"].toString(), QString());
    }

    // --- what goes wrong ---------------------------------------------------------------------------------------------------------------

    void mistakes_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("says");
        QTest::newRow("no verb") << QStringList{} << 2 << "usage: aliascope VERB";
        QTest::newRow("unknown verb") << QStringList{"shwo", kv} << 2 << "nearest show";
        QTest::newRow("unknown option") << QStringList{"show", kv, "--garph", "1"} << 2 << "nearest --graph";
        QTest::newRow("verb of later") << QStringList{"memory", kv} << 2 << "`memory` is not in this build";
        QTest::newRow("svg") << QStringList{"show", kv, "--as", "svg"} << 2 << "--as dot";
        QTest::newRow("form") << QStringList{"show", kv, "--as", "python"} << 2 << "graph, readable, dot or json expected";
        QTest::newRow("format") << QStringList{"stages", "S", "--format", "xml"} << 2 << "table, json, ndjson, csv or md expected";
        QTest::newRow("no such file") << QStringList{"show", "nosuch.py"} << 3 << "nosuch.py: no such file";
        QTest::newRow("folder") << QStringList{"show", samples} << 3 << "is a folder";
        QTest::newRow("no graph") << QStringList{"show", source + "/LICENSE"} << 3 << "R003";
        QTest::newRow("binary") << QStringList{"show", ALIASCOPE_PROGRAM} << 3 << "R002";
        QTest::newRow("no such ops file") << QStringList{"show", kv, "--ops", "nosuch.ops"} << 3 << "nosuch.ops";
        QTest::newRow("unknown pass") << QStringList{"opt", kv, "--passes", "dce,rinplace"} << 2
                                      << "pipeline:1:5: error P001: no pass rinplace; nearest reinplace";
        QTest::newRow("pass of later") << QStringList{"opt", kv, "--passes", "fuse-attention"} << 2 << "fuse-attention is not in this build";
        QTest::newRow("both") << QStringList{"opt", kv, "--passes", "dce", "--pipeline", "best"} << 2 << "exclude each other";
        QTest::newRow("until") << QStringList{"opt", kv, "--passes", "dce", "--until", "reinplace"} << 2 << "nearest dce";
        QTest::newRow("no lane") << QStringList{"stages", "S", "--pipeline", "torch-v3"} << 1 << "lanes: torch-v1, torch-v2";
        QTest::newRow("no stage") << QStringList{"show", "S", "--stage", "nope"} << 1 << "1 imported, 2 functionalize";
        QTest::newRow("no graph of that name") << QStringList{"show", "S", "--graph", "9"} << 1 << "it has 1 (";
        QTest::newRow("no graph of that name in a file") << QStringList{"show", kv, "--graph", "9"} << 1 << "it has 1 (";
        QTest::newRow("no node") << QStringList{"why", "S", "--node", "clone_defualt_7", "--pipeline", "torch-v1"} << 1 << "clone_default_7";
        QTest::newRow("no storage") << QStringList{"aliases", "S", "--storage", "S99"} << 1 << "no storage S99";
        QTest::newRow("not a storage") << QStringList{"aliases", "S", "--storage", "x"} << 2 << "a storage such as S1 expected";
        QTest::newRow("verdict") << QStringList{"decisions", "S", "--verdict", "inplace"} << 2 << "nearest in-place";
        QTest::newRow("code") << QStringList{"decisions", "S", "--code", "RI99"} << 2 << "no such reason";
        QTest::newRow("bytes") << QStringList{"decisions", "S", "--min-bytes", "lots"} << 2 << "for example 4096 or 1MiB";
        QTest::newRow("history of what") << QStringList{"history", "S"} << 2 << "--node NAME";
        QTest::newRow("SQL that writes") << QStringList{"query", "S", "DELETE FROM node"} << 2 << "one SELECT, WITH or EXPLAIN";
        QTest::newRow("SQL with a mistake") << QStringList{"query", "S", "SELECT nope FROM node"} << 2 << "no such column: nope";
        QTest::newRow("session over a file") << QStringList{"run", kv, "-o", source + "/LICENSE"} << 9 << "is not a session";
        QTest::newRow("session in no folder") << QStringList{"run", kv, "-o", "/nosuchfolder/x.aliascope"} << 9 << "no such folder";
        QTest::newRow("text in no folder") << QStringList{"show", kv, "-o", "/nosuchfolder/x.txt"} << 9 << "No such file or directory";
        QTest::newRow("standard input twice") << QStringList{"opt", "-", "--pipeline", "-"} << 2 << "cannot be both";
    }
    void mistakes() {
        QFETCH(QStringList, words);
        QFETCH(int, exit);
        QFETCH(QString, says);
        words.replaceInStrings(QRegularExpression("^S$"), session_);
        const Answer answer = ask(words);
        QVERIFY2(answer.exit == exit, qPrintable(QString::number(answer.exit) + " " + answer.err));
        QVERIFY2(answer.err.contains(says), qPrintable(answer.err));
        QVERIFY2(!answer.err.contains(QRegularExpression("\\{\\w+\\}")), qPrintable(answer.err));  // no parameter of a sentence is left open
    }

    void damagedAndNewerSessions() {
        const QString cut = folder_.filePath("cut.aliascope"), newer = folder_.filePath("newer.aliascope");
        QByteArray bytes = contents(session_);
        QFile file(cut);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes.left(9000));
        file.close();
        Answer answer = ask({"stages", cut});
        QCOMPARE(answer.exit, 7);
        QVERIFY2(answer.err.contains("S002"), qPrintable(answer.err));
        bytes[63] = 99;  // user_version, big endian at byte 60
        QFile future(newer);
        QVERIFY(future.open(QIODevice::WriteOnly));
        future.write(bytes);
        future.close();
        answer = ask({"stages", newer});
        QCOMPARE(answer.exit, 7);
        QVERIFY2(answer.err.contains("schema 99, this build knows 1"), qPrintable(answer.err));
    }

    void refusedGraphKeepsTheSession() {
        const QByteArray text =
            "class f(torch.nn.Module):\n    def forward(self, x_1: \"f32[4][1]cpu\"):\n"
            "        expand: \"f32[3, 4][0, 1]cpu\" = torch.ops.aten.expand.default(x_1, [3, 4]);  x_1 = None\n"
            "        add_: \"f32[3, 4][0, 1]cpu\" = torch.ops.aten.add_.Tensor(expand, 1);  expand = None\n        return (add_,)\n";
        const QString out = folder_.filePath("refused.aliascope");
        const Answer answer = ask({"run", "-", "-o", out, "--pipeline", "torch-v2"}, text);
        QVERIFY2(answer.exit == 4, qPrintable(QString::number(answer.exit) + answer.err + answer.out));
        QVERIFY2(answer.err.contains("WRITE_TO_EXPANDED") && answer.err.contains("expand"), qPrintable(answer.err));
        QVERIFY(answer.out.contains("failed"));
        const Answer kept = ask({"show", out, "--stage", "imported", "--as", "readable"});
        QCOMPARE(kept.exit, 0);
        QVERIFY(kept.out.contains("add_"));
    }

    void strict() {
        const QByteArray text =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = "
            "call_function[target=torch.ops.aten.neg.default](args = (%z,), kwargs = {})\n    return (y,)\n";
        const Answer loose = ask({"list", "-"}, text);
        QVERIFY2(loose.exit == 0, qPrintable(loose.err));
        QVERIFY2(loose.err.contains("R012"), qPrintable(loose.err));
        QCOMPARE(ask({"list", "-", "--strict"}, text).exit, 3);
    }

    void fullDiskAndClosedPipe() {
        if (!QFile::exists("/dev/full")) QSKIP("needs /dev/full");
        const Answer full = ask({"show", kv, "-o", "/dev/full"});
        QCOMPARE(full.exit, 9);
        QVERIFY2(full.err.contains("No space left"), qPrintable(full.err));
        QProcess shell;
        shell.start("/bin/bash",
                    {"-c", QString("'%1' show '%2' -q | head -1; exit ${PIPESTATUS[0]}").arg(ALIASCOPE_PROGRAM, samples + "gpt2_train_joint.py")});
        QVERIFY(shell.waitForFinished(30'000));
        QCOMPARE(shell.exitCode(), 0);
        QVERIFY2(shell.readAllStandardError().isEmpty(), "a closed pipe is no error");
    }

    void outputFileAppearsWhole() {
        const QString path = folder_.filePath("out.py");
        QCOMPARE(ask({"show", kv, "-o", path}).exit, 0);
        QCOMPARE(contents(path).trimmed(), contents(kv).trimmed());
        QCOMPARE(QDir(folder_.path()).entryList({"*.part"}).size(), 0);
    }

    void interruptKeepsWholeStages() {
        QString passes = "functionalize{custom-ops=v2}";
        for (int i = 0; i < 450; ++i) passes += ",remove-noops,dce";
        passes = passes.section(',', 0, 498);
        const QString out = folder_.filePath("interrupted.aliascope");
        QProcess process;
        process.start(ALIASCOPE_PROGRAM, {"run", samples + "gpt2_train_joint.py", "--passes", passes, "-o", out, "-q"});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(out), 10'000);
        QTest::qWait(150);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(10'000));
        if (process.exitCode() == 0) QSKIP("the run was over before the signal came");
        QCOMPARE(process.exitCode(), 130);
        const Answer stages = ask({"stages", out, "--json"});
        QCOMPARE(stages.exit, 0);
        QVERIFY(stages.result()["stages"].toArray().size() < 499);
        QCOMPARE(ask({"list", out, "--json"}).result()["graphs"].toArray()[0].toObject()["lanes"].toArray()[0].toObject()["state"].toString(),
                 QString("interrupted"));
    }

    void colours() {
        const QString command = QString("'%1' stages '%2' -q").arg(ALIASCOPE_PROGRAM, session_);
        const auto typed = [&](const QString& line, const QStringList& environment) {
            QProcess process;
            QProcessEnvironment env = QProcessEnvironment::systemEnvironment();
            env.insert("TERM", "xterm");
            env.remove("NO_COLOR");
            for (const QString& pair : environment) env.insert(pair.section('=', 0, 0), pair.section('=', 1));
            process.setProcessEnvironment(env);
            process.start("/usr/bin/script", {"-qec", line, "/dev/null"});
            return process.waitForFinished(30'000) ? process.readAllStandardOutput() : QByteArray();
        };
        if (!QFile::exists("/usr/bin/script")) QSKIP("needs script(1) for a terminal");
        const QByteArray coloured = typed(command, {});
        if (coloured.isEmpty()) QSKIP("no terminal here");
        QVERIFY(coloured.contains("\x1b[2m"));  // unchanged stages are dimmed
        QVERIFY(!typed(command + " --no-color", {}).contains("\x1b["));
        QVERIFY(!typed(command, {"NO_COLOR=1"}).contains("\x1b["));
    }

    void everySampleRuns() {
        const QJsonArray list = ask({"samples", "--json"}).result()["samples"].toArray();
        QVERIFY(list.size() >= 10);
        for (const QJsonValue& sample : list) {
            const QString path = sample.toObject()["path"].toString();
            const Answer answer = ask(withOps({"run", path, "--pipeline", sample.toObject()["pipeline"].toString(), "--json"}));
            QVERIFY2(answer.exit == 0, qPrintable(path + ": " + answer.err));
            QVERIFY(answer.result()["stages"].toArray().size() > 5);
        }
    }

private:
    QTemporaryDir folder_;
    QString session_;
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
