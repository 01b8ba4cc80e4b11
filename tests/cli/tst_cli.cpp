// The program as its users meet it: exit codes, messages, the JSON envelope, each verb on a sample.

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/samples.h"

using namespace aliascope::testing;

namespace {

const QString kept = samples + "old_value_kept.py";
const QStringList mylib = {"--ops", samples + "mylib.ops"};

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
        QTest::newRow("selftest") << QStringList{"selftest"} << QStringList{"passed", "failed", "unsupported", "unsupported_ops", "failures"};
        QTest::newRow("memory") << QStringList{"memory", "S"} << QStringList{"stages", "holders", "moment", "curve"};
        QTest::newRow("query") << QStringList{"query", "S", "SELECT 1 AS one"} << QStringList{"columns", "rows"};
        QTest::newRow("passes") << QStringList{"passes"} << QStringList{"passes", "pipelines"};
        QTest::newRow("ops") << QStringList{"ops", "copy_"} << QStringList{"ops"};
        QTest::newRow("samples") << QStringList{"samples"} << QStringList{"samples"};
        QTest::newRow("version") << QStringList{"version"} << QStringList{"version", "session_schema"};
        QTest::newRow("check") << QStringList{"check", "S", "--max-clones", "99"} << QStringList{"gates", "failed", "ok", "baseline_written"};
        QTest::newRow("compare") << QStringList{"compare", "S", "S"}
                                 << QStringList{"same", "differs", "first_difference", "figures", "stages", "nodes", "sentence"};
        QTest::newRow("report") << QStringList{"report", "S"} << QStringList{"written", "bytes", "findings", "html"};
        QTest::newRow("export") << QStringList{"export", "S"} << QStringList{"written", "form", "bytes", "text"};
        QTest::newRow("show --find") << QStringList{"show", "S", "--find", "output"} << QStringList{"nodes"};
        QTest::newRow("explain")
            << QStringList{"explain",
                           "For node mylib.cache, attempted to reinplace ['key_cache', 'value_cache']. We were unable to reinplace []; [] (if "
                           "non-empty) are possible missed reinplacing opportunities that may be bad for memory usage and performance. Total size of "
                           "missed opportunities with static shapes is : 0 bytes."}
            << QStringList{"lines"};
        QTest::newRow("devices") << QStringList{"devices"} << QStringList{"devices"};
        QTest::newRow("doctor") << QStringList{"doctor"} << QStringList{"checks", "faults"};
        QTest::newRow("completion") << QStringList{"completion", "fish"} << QStringList{"shell", "script"};
    }
    void everyVerbAnswersInJson() {
        QFETCH(QStringList, words);
        QFETCH(QStringList, keys);
        words.replaceInStrings(QRegularExpression("^S$"), session_);
        const bool takesOps = !QStringList{"passes", "samples", "version", "devices", "doctor", "completion"}.contains(words[0]);
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

    void operatorsBesideTheGraph() {
        const auto clones = [](const QStringList& words) { return ask(words).result()["summary"].toObject()["clones"].toInt(); };
        QCOMPARE(clones({"run", kv, "--pipeline", "torch-v1", "--json"}), 8);
        QCOMPARE(clones({"run", kv, "--pipeline", "torch-v1", "--ops", "none", "--json"}), 0);
        QVERIFY(ask({"run", kv}).err.contains("mylib.ops, in the folder of the graph"));

        // A session holds no schemas: those beside the graph that it was recorded from count.
        QVERIFY(ask({"exec", session_, "--pipeline", "torch-v2"}).err.contains("mylib.ops, in the folder of the graph"));

        QTemporaryDir folder;  // one that cannot be understood keeps nothing from opening
        QVERIFY(QFile::copy(kv, folder.filePath("kv.py")));
        QFile ops(folder.filePath("own.ops"));
        QVERIFY(ops.open(QIODevice::WriteOnly));
        ops.write("foo(Tensor(a! x -> ()\n");
        ops.close();
        const Answer answer = ask({"run", folder.filePath("kv.py")});
        QCOMPARE(answer.exit, 0);
        QVERIFY2(answer.err.contains("own.ops"), qPrintable(answer.err));
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

    void whyForcesAWriteInPlace() {
        const Answer unknown = ask({"why", session_, "--force"});
        QCOMPARE(unknown.exit, 2);
        const Answer answer = ask(withOps({"why", kept, "--pipeline", "torch-v2", "--node", "foo", "--force", "--json"}));
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        const QJsonObject card = answer.result()["cards"].toArray()[0].toObject(), forced = card["forced"].toObject();
        QVERIFY2(forced["needed"].toBool() && forced["verdict"].toString() == "differs", qPrintable(answer.out));
        QVERIFY(forced["reads"].toArray().size() >= 1);
        QVERIFY(forced["first"].toObject()["value"].toString().startsWith("returned value"));
        QCOMPARE(card["need"].toString(), QString("needed"));
        const Answer text = ask(withOps({"why", kept, "--pipeline", "torch-v2", "--node", "foo", "--force"}));
        QVERIFY2(text.out.startsWith("NEEDED") && text.out.contains("forced") && text.out.contains("seen by"), qPrintable(text.out));
        const Answer harmless = ask(withOps({"why", session_, "--pipeline", "torch-v1", "--node", "cache", "--arg", "key_cache", "--force"}));
        QVERIFY2(harmless.out.contains("nothing goes wrong on these inputs"), qPrintable(harmless.out));
    }

    void missedOrNeeded() {
        const Answer answer = ask(withOps({"decisions", kv, "--pipeline", "torch-v1", "--need", "--json"}));
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        const QJsonObject result = answer.result();
        QCOMPARE(result["decisions"].toArray().size(), 8);
        QCOMPARE(result["needs"].toObject()["avoidable"].toObject()["copies"].toInt(), 8);
        QCOMPARE(result["before"].toObject()["cloned_bytes"].toInt(), 1'769'472);
        QCOMPARE(result["after"].toObject()["clones"].toInt(), 0);
        for (const QJsonValue& row : result["decisions"].toArray()) QVERIFY(!row.toObject()["change"].toString().isEmpty());
        const Answer text = ask(withOps({"decisions", kv, "--pipeline", "torch-v1", "--need"}));
        QVERIFY2(text.out.contains("what to change") && text.out.contains("needed 0, avoidable 8, unknown 0"), qPrintable(text.out));
    }

    void reduceLeavesTheSmallestGraph() {
        const Answer answer = ask(withOps({"reduce", kv, "--pipeline", "torch-v1", "--keep", "clones>=1", "--json"}));
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        const QJsonObject result = answer.result();
        QVERIFY(result["complete"].toBool());
        QVERIFY(result["nodes"].toInt() <= 10 && result["nodes"].toInt() < result["nodes_before"].toInt());
        QVERIFY(result["command"].toString().startsWith("aliascope run reduced.py --pipeline torch-v1"));
        // What is printed shows the property when it is read again.
        const QByteArray small = result["graph"].toString().toUtf8();
        const Answer again = ask(withOps({"opt", "-", "--pipeline", "torch-v1", "--as", "graph"}), small);
        QVERIFY2(again.exit == 0 && again.out.contains("aten.clone.default"), qPrintable(again.out));
        QCOMPARE(ask(withOps({"reduce", kv, "--pipeline", "torch-v2", "--keep", "clones>=1"})).exit, 1);
        QCOMPARE(ask(withOps({"reduce", kv})).exit, 2);
        const Answer wrong = ask(withOps({"reduce", kv, "--keep", "clones>>"}));
        QVERIFY2(wrong.exit == 2 && wrong.err.contains("1:8"), qPrintable(wrong.err));
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
        // PyTorch names the operator of a v1 wrapper; three of the four calls kept both arguments for the same bytes, and so did the first.
        const Answer missed = ask({"why", session_, "--pipeline", "torch-v1", "--json", "--line",
                                   "[0/0] For node mylib::cache, attempted to reinplace ['key_cache', 'value_cache']. We were unable to reinplace "
                                   "['key_cache', 'value_cache']; ['key_cache', 'value_cache'] (if non-empty) are possible missed reinplacing "
                                   "opportunities that may be bad for memory usage and performance. Total size of missed opportunities with static "
                                   "shapes is : 32768 bytes."});
        QCOMPARE(missed.exit, 0);
        QCOMPARE(missed.result()["cards"].toArray().size(), 8);
        const QJsonObject line = missed.result()["line"].toObject();
        QCOMPARE(line["calls"].toArray().size(), 4);
        QVERIFY(line["agrees"].toBool());
        QVERIFY2(line["sentence"].toString().contains("32,768 B"), qPrintable(line["sentence"].toString()));
        QCOMPARE(ask({"why", session_, "--line", "For node other::op, attempted to reinplace ['x']. We were unable to reinplace []; [] is : 0 bytes"})
                     .exit,
                 1);
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
        QTest::newRow("verb of later") << QStringList{"patterns", kv} << 2 << "`patterns` is not in this build";
        QTest::newRow("svg of opt") << QStringList{"opt", kv, "--as", "svg"} << 2 << "`show` and `export` draw";
        QTest::newRow("form") << QStringList{"show", kv, "--as", "python"} << 2 << "graph, readable, dot or json expected";
        QTest::newRow("format") << QStringList{"stages", "S", "--format", "xml"} << 2 << "table, json, ndjson, csv or md expected";
        QTest::newRow("no such file") << QStringList{"show", "nosuch.py"} << 3 << "nosuch.py: error R004: the file cannot be read: No such file";
        QTest::newRow("folder without graphs") << QStringList{"show", samples + "../resources/icons"} << 3 << "files holds a graph";
        QTest::newRow("no graph") << QStringList{"show", source + "/LICENSE"} << 3 << "R003";
        QTest::newRow("binary") << QStringList{"show", ALIASCOPE_PROGRAM} << 3 << "R002";
        QTest::newRow("no such ops file") << QStringList{"show", kv, "--ops", "nosuch.ops"} << 3 << "nosuch.ops";
        QTest::newRow("unknown pass") << QStringList{"opt", kv, "--passes", "dce,rinplace"} << 2
                                      << "pipeline:1:5: error P001: no pass rinplace; nearest reinplace";
        QTest::newRow("both") << QStringList{"opt", kv, "--passes", "dce", "--pipeline", "best"} << 2 << "exclude each other";
        QTest::newRow("until") << QStringList{"opt", kv, "--passes", "dce", "--until", "reinplace"} << 2 << "there are dce";
        QTest::newRow("no lane") << QStringList{"stages", "S", "--pipeline", "torch-v3"} << 1 << "lanes: torch-v1, torch-v2";
        QTest::newRow("no stage") << QStringList{"show", "S", "--stage", "nope"} << 1 << "1 imported, 2 lower-torch, 3 functionalize";
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
        QTest::newRow("option without value") << QStringList{"show", kv, "--as"} << 2 << "--as needs a value: FORM";
        QTest::newRow("option for a value") << QStringList{"run", kv, "--exec", "-o", "x"} << 2 << "--exec needs a value: D";
        QTest::newRow("empty value") << QStringList{"show", kv, "--graph", ""} << 2 << "--graph needs a value: ID";
        QTest::newRow("value of a flag") << QStringList{"show", kv, "--quiet=no"} << 2 << "--quiet takes no value";
        QTest::newRow("option for a verb") << QStringList{"--json", "list", kv} << 2 << "stands where a verb is expected";
        QTest::newRow("nothing near") << QStringList{"xyzzy"} << 2 << "no verb xyzzy; there are list, show";
        QTest::newRow("pipeline folder") << QStringList{"opt", kv, "--pipeline", samples} << 3 << "this is a folder";
        QTest::newRow("no pipeline file") << QStringList{"opt", kv, "--pipeline", "no/such.txt"} << 3 << "No such file";
        QTest::newRow("until what") << QStringList{"opt", kv, "--until", "dce"} << 2 << "need --pipeline or --passes";
        QTest::newRow("no graph to list") << QStringList{"list", kv, "--graph", "9"} << 1 << "no graph 9";
        QTest::newRow("no graph to list in a session") << QStringList{"list", "S", "--graph", "9"} << 1 << "no graph 9";
        QTest::newRow("several stages") << QStringList{"show", "S", "--stage", "re"} << 2 << "fits several: 5 remove-noops";
        QTest::newRow("decisions of no node") << QStringList{"decisions", "S", "--node", "cachee"} << 1 << "no node cachee";
        QTest::newRow("argument of what") << QStringList{"why", "S", "--arg", "x"} << 2 << "--node NAME";
        QTest::newRow("first and last") << QStringList{"history", "S", "--node", "cache", "--first", "--last"} << 2 << "exclude each other";
        QTest::newRow("SQL beside tables") << QStringList{"query", "S", "SELECT 1", "--tables"} << 2 << "leave the SQL out";
        QTest::newRow("no limit of that name") << QStringList{"list", kv, "--limits", "nodez=3"} << 2 << "nearest nodes";
        QTest::newRow("limit too far") << QStringList{"list", kv, "--limits", "values=5000"} << 2 << "N from 1 to 1000";
        QTest::newRow("session to standard output") << QStringList{"run", kv, "-o", "-"} << 2 << "a session is a file";
        QTest::newRow("selftest on what") << QStringList{"selftest", "--device", "tpu"} << 2 << "cpu or cpu-ref expected";
        QTest::newRow("no records") << QStringList{"selftest", "--records", "nosuch.jsonl"} << 3
                                    << "nosuch.jsonl: error R004: the records cannot be read";
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

    void limitsCanBeMoved() {
        const Answer narrow = ask({"list", kv, "--limits", "nodes=5,messages=2"});
        QVERIFY2(narrow.err.contains("R050") && narrow.err.contains("limit of 5; raise it with --limits"), qPrintable(narrow.err));
        const QByteArray nested =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = "
            "call_function[target=torch.ops.aten.cat.default](args = (" +
            QByteArray(400, '[') + "%x" + QByteArray(400, ']') + ",), kwargs = {})\n    return (y,)\n";
        QVERIFY(ask({"list", "-"}, nested).err.contains("R050"));
        const QString out = folder_.filePath("nested.aliascope");
        const Answer wide = ask({"run", "-", "--passes", "dce", "--limits", "values=500", "-o", out}, nested);
        QVERIFY2(wide.exit == 0 && !wide.err.contains("R050"), qPrintable(wide.err));
        const Answer kept = ask({"show", out, "--as", "graph"});
        QVERIFY2(kept.exit == 0 && kept.out.contains(QString(400, '[')), qPrintable(kept.err));
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
