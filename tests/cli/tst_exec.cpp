// Running stages from the command line: values, comparisons, what is recorded, and every way in which a run can fail.

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/cli/program.h"

using namespace aliascope::testing;

namespace {

const QString samples = QStringLiteral(ALIASCOPE_SOURCE_DIR) + "/sample_graphs/";
const QStringList mylib = {"--ops", samples + "mylib.ops"};

QByteArray program(const char* inputs, const char* body) {
    QByteArray out = "class Net(torch.nn.Module):\n    def forward(self, " + QByteArray(inputs) + "):\n";
    for (const QByteArray& line : QByteArray(body).split('\n')) out += "        " + line + "\n";
    return out;
}

/// The one row of `list` whose `key` is `value`.
QJsonObject row(const QJsonArray& list, const char* key, const QString& value) {
    for (const QJsonValue& v : list)
        if (v.toObject()[key].toString() == value) return v.toObject();
    return {};
}

const char* x3 = R"(x: "f32[3][1]cuda:0")";

}  // namespace

class TestExec : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString put(const char* name, const QByteArray& content) const {
        QFile file(folder_.filePath(name));
        file.open(QIODevice::WriteOnly);
        file.write(content);
        return file.fileName();
    }
    /// A safetensors file of one f32 tensor 0, 1, 2, …
    QString tensorFile(const char* name, const char* key, int n) const {
        const QByteArray header = QStringLiteral(R"({"%1":{"dtype":"F32","shape":[%2],"data_offsets":[0,%3]}})").arg(key).arg(n).arg(4 * n).toUtf8();
        QByteArray out(8, '\0');
        out[0] = static_cast<char>(header.size());
        out += header;
        for (int i = 0; i < n; ++i) {
            const float f = static_cast<float>(i);
            out.append(reinterpret_cast<const char*>(&f), 4);
        }
        return put(name, out);
    }
    /// The session at `path` opens and says how its runs ended.
    static QString runStates(const QString& path) {
        const Answer a = runProgram({"query", path, "SELECT group_concat(state) AS s FROM run", "--json"});
        const QJsonArray rows = a.result()["rows"].toArray();
        if (rows.isEmpty()) return a.err + a.out;
        return rows.first().isArray() ? rows.first().toArray().first().toString() : rows.first().toObject()["s"].toString();
    }

private slots:
    void stagesOfSamplesAgree_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<QString>("pipeline");
        for (const char* sample :
             {"kv_cache_layers", "old_value_kept", "row_written", "list_of_views", "inplace_aten_views", "dynamic_rows", "full_written"})
            for (const char* pipeline : {"best", "torch-v2"}) QTest::addRow("%s %s", sample, pipeline) << sample << pipeline;
    }
    void stagesOfSamplesAgree() {
        QFETCH(QString, sample);
        QFETCH(QString, pipeline);
        const Answer a = runProgram(QStringList{"exec", samples + sample + ".py", "--pipeline", pipeline, "--seed", "1", "--json"} + mylib);
        QVERIFY2(a.exit == 0, qPrintable(a.err));
        for (const QJsonValue& c : a.result()["comparisons"].toArray())
            QVERIFY(QStringList({"same", "value-same", "close"}).contains(c.toObject()["verdict"].toString()));
        QVERIFY(!a.result()["digests"].toArray().isEmpty());
        QVERIFY(!a.result()["memory"].toArray().isEmpty());
    }

    void overlappingViewsDifferUnderV1() {
        const Answer a = runProgram(QStringList{"exec", samples + "overlapping_views.py", "--pipeline", "torch-v1", "--json"} + mylib);
        QCOMPARE(a.exit, 1);
        const QJsonObject c = row(a.result()["comparisons"].toArray(), "stage", "functionalize");
        QCOMPARE(c["verdict"].toString(), QString("differs"));
        const QJsonObject first = c["first"].toObject();
        QCOMPARE(first["node"].toObject()["name"].toString(), QString("auto_functionalized"));
        QVERIFY2(first["label"].toString().startsWith("x of mylib::two after"), qPrintable(first["label"].toString()));
        QCOMPARE(first["max_abs"].toDouble(), 2.00000011920929);
        QCOMPARE(runProgram(QStringList{"exec", samples + "overlapping_views.py", "--pipeline", "torch-v2"} + mylib).exit, 0);
        QCOMPARE(runProgram(QStringList{"exec", samples + "overlapping_views.py", "--pipeline", "best"} + mylib).exit, 0);
    }

    void valuesGoInAndComeOut() {
        const QString in = tensorFile("in.safetensors", "in/0", 3), out = folder_.filePath("out.safetensors");
        const QByteArray g = program(x3, "add_ = torch.ops.aten.add_.Tensor(x, 10)\nmul = torch.ops.aten.mul.Tensor(x, 2)\nreturn (mul,)");
        const Answer a = runProgram({"exec", "-", "--inputs", in, "--save-outputs", out, "--json"}, g);
        QVERIFY2(a.exit == 0, qPrintable(a.err));
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        const QJsonObject header =
            QJsonDocument::fromJson(bytes.mid(8, static_cast<unsigned char>(bytes[0]) + 256 * static_cast<unsigned char>(bytes[1])).trimmed())
                .object();
        QCOMPARE(header.keys(), QStringList({"after/0", "out/0"}));
        const QJsonObject mul = row(a.result()["inputs"].toArray(), "name", "x");
        QCOMPARE(mul["role"].toString(), QString("file"));
        for (const QJsonValue& d : a.result()["digests"].toArray())
            if (d.toObject()["node"].toObject()["name"].toString() == "mul") QCOMPARE(d.toObject()["max"].toDouble(), 24.0);
    }

    void sessionsKeepRuns() {
        const QString session = folder_.filePath("kept.aliascope");
        QCOMPARE(runProgram(QStringList{"exec", samples + "overlapping_views.py", "--pipeline", "torch-v1", "--repeat", "3", "-o", session} + mylib).exit,
                 1);
        QCOMPARE(runStates(session), QString("complete,complete,complete,complete"));
        const Answer numbers = runProgram({"numerics", session, "--json"});
        QVERIFY2(numbers.exit == 0, qPrintable(numbers.err));
        const QJsonObject first = numbers.result()["first_divergence"].toObject();
        QCOMPARE(first["stage"].toString(), QString("functionalize"));
        QVERIFY(first["value"].toString().startsWith("x of mylib::two after"));
        QCOMPARE(runProgram({"numerics", session, "--exit-code"}).exit, 1);
        const Answer times = runProgram({"query", session, "SELECT count(DISTINCT repeat) FROM timing"});
        QVERIFY2(times.out.contains("3"), qPrintable(times.out));
        // A run of a session adds to it.
        QCOMPARE(runProgram(QStringList{"exec", session, "--seed", "9"} + mylib).exit, 1);
        QCOMPARE(runStates(session).count("complete"), 8);
    }

    void bisectFindsThePass() {
        const Answer a = runProgram(QStringList{"bisect", samples + "overlapping_views.py", "--pipeline", "torch-v1", "--rewrites", "--json"} + mylib);
        QCOMPARE(a.exit, 1);
        QCOMPARE(a.result()["found"].toObject()["pass"].toString(), QString("functionalize"));
        const QJsonObject rewrite = a.result()["rewrite"].toObject();
        QCOMPARE(rewrite["before"].toArray().first().toString(), QString("two"));
        QCOMPARE(rewrite["number"].toInt(), 1);
        QCOMPARE(rewrite["of"].toInt(), 1);
        QVERIFY(a.result()["probes"].toArray().size() >= 2);
        QCOMPARE(runProgram(QStringList{"bisect", samples + "overlapping_views.py", "--pipeline", "torch-v2"} + mylib).exit, 0);
    }

    void failuresNameWhatTheyMean_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QStringList>("words");
        const QByteArray plain = program(x3, "add = torch.ops.aten.add.Tensor(x, 1)\nreturn (add,)");
        QTest::newRow("missing input") << program(R"(x: "f32[3][1]cuda:0", y: "f32[3][1]cuda:0")",
                                                  "add = torch.ops.aten.add.Tensor(x, y)\nreturn (add,)")
                                       << QStringList{"--inputs", "IN"} << 5 << QStringList{"INPUT_MISSING", "input y f32[3]"};
        QTest::newRow("shape of an input") << program(R"(x: "f32[4][1]cuda:0")", "return (x,)") << QStringList{"--inputs", "IN"} << 5
                                           << QStringList{"INPUT_MISMATCH", "f32[3]", "f32[4]"};
        QTest::newRow("no file") << plain << QStringList{"--inputs", "/nowhere.safetensors"} << 3 << QStringList{"R004", "No such file"};
        QTest::newRow("constant") << program(x3, "c = self.c\nadd = torch.ops.aten.add.Tensor(x, c)\nreturn (add,)") << QStringList{"--inputs", "IN"}
                                  << 5 << QStringList{"CONSTANT_VALUE_MISSING", "Constant c"};
        QTest::newRow("unknown operator") << program(x3, "foo = torch.ops.nobody.knows.default(x)\nreturn (foo,)") << QStringList{} << 5
                                          << QStringList{"UNSUPPORTED_OP", "nobody::knows at foo", "Stage 1 imported"};
        QTest::newRow("shape mismatch") << program(R"(x: "f32[3][1]cuda:0", y: "f32[4][1]cuda:0")",
                                                   "add = torch.ops.aten.add.Tensor(x, y)\nreturn (add,)")
                                        << QStringList{} << 5
                                        << QStringList{"SHAPE_MISMATCH", "add: other has shape f32[4], one that goes with self f32[3] expected"};
        QTest::newRow("index")
            << program(
                   R"(x: "f32[3][1]cuda:0")",
                   "full = torch.ops.aten.full.default([2], 7, dtype = torch.int64)\nindex = torch.ops.aten.index.Tensor(x, [full])\nreturn (index,)")
            << QStringList{} << 5 << QStringList{"INDEX_OUT_OF_RANGE", "index: index 7", "outside 0..3"};
        QTest::newRow("memory") << program(x3, "full = torch.ops.aten.full.default([1000000], 0)\nreturn (full,)")
                                << QStringList{"--max-bytes", "1000"} << 5 << QStringList{"OUT_OF_MEMORY", "full asks for"};
        QTest::newRow("device") << plain << QStringList{"--device", "cuda:0"} << 6 << QStringList{"DEVICE_MISSING", "cuda:0"};
        QTest::newRow("NaN") << program(x3, "log = torch.ops.aten.log.default(x)\nreturn (log,)") << QStringList{"--inputs", "IN"} << 0
                             << QStringList{"NEW_NAN", "log is the first", "[0]"};
        QTest::newRow("usage") << plain << QStringList{"--repeat", "none"} << 2 << QStringList{"--repeat none"};
        QTest::newRow("tolerance") << plain << QStringList{"--tolerance", "1e-3,x"} << 2 << QStringList{"RTOL,ATOL"};
    }
    void failuresNameWhatTheyMean() {
        QFETCH(QByteArray, graph);
        QFETCH(QStringList, options);
        QFETCH(int, exit);
        QFETCH(QStringList, words);
        options.replaceInStrings("IN", tensorFile("three.safetensors", "in/0", 3));
        const Answer a = runProgram(QStringList{"exec", "-"} + options, graph);
        QVERIFY2(a.exit == exit, qPrintable(QString::number(a.exit) + "\n" + a.err));
        for (const QString& word : words) QVERIFY2(a.err.contains(word), qPrintable(word + " not in\n" + a.err));
    }

    void failedRunsLeaveASession() {
        const QString session = folder_.filePath("failed.aliascope");
        const QString file =
            put("g.py", program(x3, "add = torch.ops.aten.add.Tensor(x, 1)\nfoo = torch.ops.nobody.knows.default(add)\nreturn (foo,)"));
        QCOMPARE(runProgram({"exec", file, "-o", session}).exit, 5);
        QCOMPARE(runStates(session), QString("failed"));
        const Answer a =
            runProgram({"query", session,
                 "SELECT d.code, n.name FROM diagnostic d JOIN run r ON r.id = d.run LEFT JOIN node n ON n.uid = d.uid WHERE d.severity = 'error'"});
        QVERIFY2(a.out.contains("UNSUPPORTED_OP") && a.out.contains("foo"), qPrintable(a.out + a.err));
        QVERIFY(runProgram({"stages", session}).out.contains("imported"));
    }

    void everyMisfortuneLeavesASession_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("node");
        const auto row = [](const char* name, const QByteArray& graph, const QStringList& options, int exit, const char* code, const char* node) {
            QTest::newRow(name) << graph << options << exit << QString(code) << QString(node);
        };
        row("index out of range",
            program(x3,
                    "full = torch.ops.aten.full.default([2], 7, dtype = torch.int64)\nindex = torch.ops.aten.index.Tensor(x, [full])\n"
                    "return (index,)"),
            {}, 5, "INDEX_OUT_OF_RANGE", "index");
        row("NaN", program(x3, "sub = torch.ops.aten.sub.Tensor(x, x)\nlog = torch.ops.aten.log.default(sub)\nreturn (log,)"), {}, 0, "NEW_NAN", "log");
        row("shape mismatch",
            program(R"(x: "f32[3][1]cuda:0", y: "f32[4][1]cuda:0")", "add = torch.ops.aten.add.Tensor(x, y)\nreturn (add,)"), {}, 5, "SHAPE_MISMATCH",
            "add");
        row("missing input", program("x", "add = torch.ops.aten.add.Tensor(x, 1)\nreturn (add,)"), {}, 5, "", "");
        row("out of memory", program(x3, "full = torch.ops.aten.full.default([1000000], 0)\nreturn (full,)"), {"--max-bytes", "1000"}, 5,
            "OUT_OF_MEMORY", "full");
        row("out of memory over a plan", program(x3, "full = torch.ops.aten.full.default([1000000], 0)\nreturn (full,)"),
            {"--max-bytes", "1000", "--plan", "on"}, 5, "OUT_OF_MEMORY", "full");
        row("read of what nobody wrote",
            program(x3, "empty = torch.ops.aten.empty_like.default(x)\nsin = torch.ops.aten.sin.default(empty)\nreturn (sin,)"), {"--sanitize", "full"},
            0, "UNDEFINED_READ", "sin");
        row("a place written twice",
            program(x3,
                    "full = torch.ops.aten.full.default([3], 1, dtype = torch.int64)\nscatter = torch.ops.aten.scatter.src(x, 0, full, x)\n"
                    "return (scatter,)"),
            {}, 0, "DUPLICATE_INDEX", "scatter");
    }
    void everyMisfortuneLeavesASession() {
        QFETCH(QByteArray, graph);
        QFETCH(QStringList, options);
        QFETCH(int, exit);
        QFETCH(QString, code);
        QFETCH(QString, node);
        const QString session = folder_.filePath(QString(QTest::currentDataTag()).replace(' ', '_') + ".aliascope");
        const Answer a = runProgram(QStringList{"exec", "-", "-o", session} + options, graph);
        QVERIFY2(a.exit == exit, qPrintable(a.err));
        QVERIFY(runProgram({"stages", session}).out.contains("imported"));
        if (code.isEmpty()) return;
        const Answer kept = runProgram({"query", session,
                                 "SELECT d.code || ' at ' || n.name FROM diagnostic d JOIN run r ON r.id = d.run JOIN node n ON n.uid = d.uid LIMIT 1"});
        QVERIFY2(kept.out.contains(code + " at " + node), qPrintable(kept.out + a.err));
    }

    void plannedRunsGiveTheSame() {
        const QString session = folder_.filePath("planned.aliascope");
        const Answer plain = runProgram(QStringList{"exec", samples + "inplace_aten_views.py", "--json"}),
                     planned = runProgram(QStringList{"exec", samples + "inplace_aten_views.py", "--plan", "on", "--json", "-o", session});
        QCOMPARE(planned.exit, 0);
        const auto hashes = [](const Answer& a) {
            QStringList out;
            for (const QJsonValue& v : a.result()["digests"].toArray()) out << v["node"]["name"].toString() + v["hash"].toString();
            return out;
        };
        QVERIFY(!hashes(plain).isEmpty());
        QCOMPARE(hashes(planned), hashes(plain));
        const QJsonObject memory = planned.result()["memory"].toArray().first().toObject();
        QVERIFY(memory["arena"].toInt() >= memory["lower_bound"].toInt() && memory["lower_bound"].toInt() > 0);
        const Answer recorded = runProgram({"query", session, "SELECT arena, lower_bound FROM run WHERE kind = 'measured'"});
        QVERIFY2(recorded.out.contains(QString::number(memory["arena"].toInt())), qPrintable(recorded.out));
        QCOMPARE(runProgram({"exec", samples + "inplace_aten_views.py", "--plan", "perhaps"}).exit, 2);
    }

    void aReferenceInDoublesJudges() {
        const QByteArray g =
            program(R"(x: "bf16[64][1]cuda:0")", "add = torch.ops.aten.add.Tensor(x, 0.1)\nmul = torch.ops.aten.mul.Tensor(add, 3)\nreturn (mul,)");
        const Answer a = runProgram({"exec", "-", "--reference", "f64", "--json", "--pipeline", "best"}, g);
        QVERIFY2(a.exit == 0, qPrintable(a.err));
        QCOMPARE(runProgram({"exec", "-", "--reference", "f16"}, g).exit, 2);
    }

    void nodesAreDigestedAndKept() {
        const QByteArray g = program(
            x3,
            "add = torch.ops.aten.add.Tensor(x, 1)\nmul = torch.ops.aten.mul.Tensor(add, 2)\nneg = torch.ops.aten.neg.default(mul)\nreturn (neg,)");
        const QString file = folder_.filePath("kept.safetensors");
        const Answer a = runProgram({"exec", "-", "--digests", "%mul", "--keep", "add,mul", "--save-outputs", file, "--stage", "imported", "--json"}, g);
        QVERIFY2(a.exit == 0, qPrintable(a.err));
        QStringList digested;
        for (const QJsonValue& v : a.result()["digests"].toArray()) digested << v["node"]["name"].toString();
        QCOMPARE(digested, (QStringList{"mul", "output"}));
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        const QByteArray content = saved.readAll();
        QVERIFY(content.contains("value/add") && content.contains("value/mul") && content.contains("out/0") && !content.contains("value/neg"));
        QVERIFY(runProgram({"exec", "-", "--keep", "nobody", "--save-outputs", file}, g).err.contains("no tensor of that name"));
        QCOMPARE(runProgram({"exec", "-", "--keep", "add"}, g).exit, 2);
    }

    void inputsAreBoundAndShared() {
        const QByteArray g = program(R"(x: "f32[3][1]cuda:0", y: "f32[3][1]cuda:0")", "add_ = torch.ops.aten.add_.Tensor(y, 1)\nreturn (x,)");
        const Answer a = runProgram({"exec", "-", "--bind", "x=4", "--alias", "y=x", "--stage", "imported", "--json"}, g);
        QVERIFY2(a.exit == 0, qPrintable(a.err));
        for (const QJsonValue& v : a.result()["digests"].toArray())
            if (v["node"]["name"] == "output") QCOMPARE(v["mean"].toDouble(), 5.0);
        QVERIFY(runProgram({"exec", "-", "--alias", "y=z"}, g).err.contains("NO_SUCH_INPUT"));
        QCOMPARE(runProgram({"exec", "-", "--alias", "y"}, g).exit, 2);
        QCOMPARE(runProgram({"exec", "-", "--alias", "y=x[one]"}, g).exit, 2);
        QCOMPARE(runProgram({"exec", "-", "--bind", "x"}, g).exit, 2);
    }

    void textAfterReinplacingNeedsTheLog() {
        const QByteArray g =
            program(x3, "auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.foo.default, x = x)\nreturn ()");
        const QString ops =
            put("foo.ops",
                "op mylib::foo(Tensor(a!) x) -> ()\n    def forward(self, x):\n        add_ = torch.ops.aten.add_.Tensor(x, 1)\n        return ()\n");
        const QString file = put("v1.after_reinplace.readable.py", g);
        const Answer refused = runProgram({"exec", file, "--ops", ops});
        QVERIFY2(refused.exit == 5 && refused.err.contains("which arguments of auto_functionalized are written in place"), qPrintable(refused.err));
        put("v1.reinplace.log",
            "For node mylib::foo, attempted to reinplace ['x']. We were unable to reinplace []; [] (if non-empty) are possible missed reinplacing "
            "opportunities that may be bad for memory usage and performance. Total size of missed opportunities with static shapes is : 0 bytes.\n");
        QVERIFY(runProgram({"exec", file, "--ops", ops, "--stage", "imported"}).exit == 0);
    }

    void warningsAreShownAndKept() {
        const QByteArray g =
            program(x3,
                    "full = torch.ops.aten.full.default([3], 1, dtype = torch.int64)\nscatter = torch.ops.aten.scatter.src(x, 0, full, x)\n"
                    "return (scatter,)");
        const QString session = folder_.filePath("warned.aliascope");
        QVERIFY(runProgram({"exec", "-", "-o", session}, g).err.contains("scatter writes [1] more than once"));
        QVERIFY(runProgram({"query", session, "SELECT code FROM diagnostic WHERE run IS NOT NULL"}).out.contains("DUPLICATE_INDEX"));
    }

    void timeoutsEndARun() {
        const QByteArray g = program(R"(x: "f32[1500, 1500][1500, 1]cuda:0")",
                                     "mm = torch.ops.aten.mm.default(x, x)\nmm_1 = torch.ops.aten.mm.default(mm, x)\n"
                                     "mm_2 = torch.ops.aten.mm.default(mm_1, x)\nreturn (mm_2,)");
        const Answer a = runProgram({"exec", "-", "--device", "cpu-ref", "--timeout", "0.001"}, g);
        QVERIFY2(a.exit == 8, qPrintable(QString::number(a.exit) + a.err));
        QVERIFY2(a.err.contains("TIMEOUT") && a.err.contains("Stopped at"), qPrintable(a.err));
    }

    void interruptsKeepWhatThereIs() {
        QByteArray body = "mm = torch.ops.aten.mm.default(x, x)\n";
        for (int i = 1; i < 300; ++i)
            body +=
                QStringLiteral("mm_%1 = torch.ops.aten.mm.default(%2, x)\n").arg(i).arg(i == 1 ? "mm" : QStringLiteral("mm_%1").arg(i - 1)).toUtf8();
        const QString file = put("long.py", program(R"(x: "f32[500, 500][500, 1]cuda:0")", body + "return (mm_299,)"));
        const QString session = folder_.filePath("interrupted.aliascope");
        QProcess process;
        process.start(ALIASCOPE_PROGRAM, {"exec", file, "--device", "cpu-ref", "--max-flops", "0", "-o", session});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(session), 20'000);
        QTest::qWait(1000);
        process.terminate();
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(runProgram({"stages", session}).out.contains("imported"));
    }

    void runExecutesToo() {
        const Answer a = runProgram(QStringList{"run", samples + "row_written.py", "--exec", "cpu", "--seed", "7", "--json"} + mylib);
        QVERIFY2(a.exit == 0, qPrintable(a.err));
        QVERIFY(!a.result()["execution"].toObject()["comparisons"].toArray().isEmpty());
        QCOMPARE(runProgram({"run", samples + "row_written.py", "--exec", "cuda:0"}).exit, 6);
    }

    void sanitizerNamesReadsAndWrites() {
        const QByteArray undefined =
            program(x3, "empty = torch.ops.aten.empty_like.default(x)\nsin = torch.ops.aten.sin.default(empty)\nreturn (sin,)");
        QVERIFY(runProgram({"exec", "-", "--sanitize", "reads"}, undefined).err.contains("sin reads 12 B of self that were never written"));
        QVERIFY(!runProgram({"exec", "-"}, undefined).err.contains("never written"));
        const QString ops = put("hidden.ops",
                                "op mylib::hidden(Tensor x) -> Tensor\n"
                                "    def forward(self, x):\n"
                                "        add_ = torch.ops.aten.add_.Tensor(x, 1)\n"
                                "        mul = torch.ops.aten.mul.Tensor(x, 2)\n"
                                "        return (mul,)\n");
        const Answer hidden =
            runProgram({"exec", "-", "--ops", ops, "--sanitize", "reads"}, program(x3, "hidden = torch.ops.mylib.hidden.default(x)\nreturn (hidden,)"));
        QVERIFY2(hidden.err.contains("hidden changed x, which its schema does not mark as written"), qPrintable(hidden.err));
    }
};

QTEST_GUILESS_MAIN(TestExec)
#include "tst_exec.moc"
