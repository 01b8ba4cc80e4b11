// TORCH_TRACE and folders of dumps (formats.md 9, 10, 13, 15): which graphs, of which compilation, in which order.

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "core/text/folder_names.h"
#include "core/text/html_text.h"
#include "core/text/md5.h"
#include "core/text/stage_order.h"
#include "text_fixture.h"

using namespace aliascope;

namespace {

/// One line a unit: `0/0#1 forward before_post_grad_graph 3`.
QString table(const Document& doc) {
    QStringList out;
    for (const Unit& u : doc.units) {
        QString line = QString::fromStdString(u.group.compileId);
        if (u.group.run > 0) line += QStringLiteral("#%1").arg(u.group.run);
        if (u.group.rank) line += QStringLiteral(" rank %1").arg(*u.group.rank);
        if (u.group.aotId) line += QStringLiteral(" aot %1").arg(*u.group.aotId);
        line +=
            ' ' + QString::fromUtf8(toString(u.graph.phase).data()) + ' ' + QString::fromStdString(u.stage) + ' ' + QString::number(u.statedNodes);
        if (u.abandoned) line += " abandoned";
        out << line.trimmed();
    }
    return out.join('\n');
}

class Folder {
public:
    Folder& add(const QString& name, const std::string& content) {
        QFile f(dir_.filePath(name));
        QDir(dir_.path()).mkpath(QFileInfo(name).path());
        if (f.open(QIODevice::WriteOnly)) f.write(QByteArray::fromStdString(content));
        return *this;
    }
    Result<Document> open() const { return openFile(dir_.path().toStdString(), OpRegistry::builtin()); }
    QString path() const { return dir_.path(); }

private:
    QTemporaryDir dir_;
};

std::string graph(const std::string& inputs, const std::string& op) {
    return "class GraphModule(torch.nn.Module):\n    def forward(self, " + inputs + "):\n        y = torch.ops.aten." + op + ".default(" +
           inputs.substr(0, inputs.find_first_of(":,")) + ")\n        return (y,)\n";
}

}  // namespace

class tst_traces : public QObject {
    Q_OBJECT

private slots:
    void stages() {
        const auto doc = fixture::read(fixture::file("train.trace.log"));
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("trace"));
        QCOMPARE(table(*doc), QStringLiteral("0/0 dynamo dynamo_output_graph 3 abandoned\n"
                                             "0/0 dynamo dynamo_output_graph 3\n"
                                             "0/0 aot 4 forward aot_forward_graph 3\n"
                                             "0/0 aot 4 forward before_post_grad_graph 3\n"
                                             "0/0 aot 4 forward kernel 3\n"
                                             "0/0 aot 4 backward aot_backward_graph 5\n"
                                             "0/0 aot 4 backward before_post_grad_graph 5\n"
                                             "0/0#1 dynamo dynamo_output_graph 3\n"
                                             "0/0 rank 1 dynamo dynamo_output_graph 3\n"
                                             "0/0 rank 1 unknown my_own_pass 3"));
        QCOMPARE(QString::fromStdString(doc->units[4].label), QStringLiteral("cpp_fused_sin_0"));
        // Symbols know their hints; nodes know the user's line.
        const Graph& g = doc->units[1].graph;
        QCOMPARE(g.symbols.at("s3"_n).hint.value_or(0), std::int64_t(6));
        QCOMPARE(QString::fromStdString(g.provenance[g[g.find("y"_n)].provenance].file.str()), QStringLiteral("net.py"));
        QStringList codes;
        for (const Diagnostic& d : doc->diagnostics) codes << QString::fromStdString(d.code);
        QCOMPARE(codes.join(' '), QStringLiteral("R030 R032"));
        QVERIFY(QString::fromStdString(doc->diagnostics[1].excerpt).startsWith("a line that some other process printed"));
    }

    void placesAreThoseOfTheFile() {
        const std::string text = fixture::file("train.trace.log");
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        QCOMPARE(doc->text.size(), text.size());
        for (const Unit& u : doc->units) {
            const std::size_t line = std::size_t(std::count(text.begin(), text.begin() + std::ptrdiff_t(u.spanBegin), '\n')) + 1;
            QCOMPARE(std::size_t(u.firstLine), line);
        }
    }

    void changedPayload() {
        std::string text = fixture::file("train.trace.log");
        text.replace(text.find(".sin()"), 6, ".cos()");
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->diagnostics[0].code), QStringLiteral("R031"));
        QCOMPARE(doc->units.size(), std::size_t(10));
    }

    void withCarriageReturns() {
        QByteArray text = QByteArray::fromStdString(fixture::file("train.trace.log"));
        const auto doc = fixture::read(text.replace("\n", "\r\n").toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(10));
        for (const Unit& u : doc->units) QCOMPARE(fixture::codes(u), QString());
    }

    void onlyARunnableScript() {
        const auto doc = fixture::read(
            "V0107 10:00:00.000001 71 torch/x.py:9] {\"artifact\": {\"name\": \"fx_graph_runnable\", \"encoding\": \"string\"}, \"frame_id\": 2, "
            "\"frame_compile_id\": 1}\n\tclass Repro(torch.nn.Module):\n\t    def forward(self, a):\n\t        b = torch.ops.aten.neg.default(a)\n"
            "\t        return (b,)\n");
        QVERIFY(doc.has_value());
        QCOMPARE(table(*doc), QStringLiteral("2/1 unknown fx_graph_runnable 3"));
    }

    void cuts() {
        const std::string text = fixture::file("train.trace.log");
        std::size_t most = 0;
        for (std::size_t size = 0; size < text.size(); size += 13) {
            const auto doc = fixture::read(text.substr(0, size), true);
            if (doc) most = std::max(most, doc->units.size());
        }
        QCOMPARE(most, std::size_t(10));
    }

    void manyCompilations() {
        const std::string text = fixture::file("train.trace.log");
        QByteArray whole;
        for (int i = 0; i < 400; ++i)
            whole += QByteArray::fromStdString(text)
                         .replace("\"frame_id\": 0", "\"frame_id\": " + QByteArray::number(i))
                         .replace("'4_", "'" + QByteArray::number(i) + "_");
        QElapsedTimer timer;
        timer.start();
        const auto doc = fixture::read(whole.toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(4000));
        QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
        std::map<std::string, int> groups;
        for (const Unit& u : doc->units) ++groups[u.group.compileId];
        QCOMPARE(groups.size(), std::size_t(400));
    }

    /// What the capture module wrote of a training step and of a decoding step.
    void captured() {
        const auto doc = openFile(ALIASCOPE_SOURCE_DIR "/sample_graphs/captured", OpRegistry::builtin());
        QVERIFY(doc.has_value());
        QCOMPARE(table(*doc), QStringLiteral("0/0 pre-grad before_pre_grad_graph 13\n"
                                             "0/0 joint joint_graph_before_passes 36\n"
                                             "0/0 joint joint_graph_after_passes 29\n"
                                             "0/0 forward forward_graph_before_post_grad 15\n"
                                             "0/0 forward forward_graph_after_post_grad 16\n"
                                             "0/0 backward backward_graph_before_post_grad 19\n"
                                             "0/0 backward backward_graph_after_post_grad 19\n"
                                             "1/0 pre-grad before_pre_grad_graph 9\n"
                                             "1/0 inference inference_graph_before_passes 18\n"
                                             "1/0 inference inference_graph_after_passes 18\n"
                                             "1/0 inference inference_graph_before_post_grad 18\n"
                                             "1/0 inference inference_graph_after_post_grad 19"));
        for (const Unit& u : doc->units) {
            QVERIFY2(fixture::codes(u).remove("R022").trimmed().isEmpty(), qPrintable(fixture::codes(u)));
            for (const NodeId id : u.graph.placeholders()) QVERIFY(u.graph[id].tensor() && u.graph[id].tensor()->strides);
        }
        QStringList chains;
        for (const StageChain& chain : stageChains(*doc)) chains << QString::fromStdString(chain.name);
        QCOMPARE(chains.join(", "), QStringLiteral("0/0 forward, 0/0 backward, 1/0 inference"));
    }

    void debugFolder() {
        Folder folder;
        const QString run = "torch_compile_debug/run_2026_01_07-pid_71-rank_1/torchinductor/";
        const std::string repro =
            "class Repro(torch.nn.Module):\n    def forward(self, a):\n        y = torch.ops.aten.neg.default(a)\n        return (y,)\n";
        folder.add(run + "model__0_backward_3.11/fx_graph_readable.py", graph("t", "cos"))
            .add(run + "model__0_forward_1.2/fx_graph_readable.py", graph("a", "neg"))
            .add(run + "model__0_forward_1.2/fx_graph_runnable.py", repro)
            .add(run + "model__0_forward_1.2/fx_graph_transformed.py", graph("a", "abs"))
            .add(run + "model__0_forward_1.2/ir_pre_fusion.txt", "op0: SchedulerNode(x)\na = b.c(d)\ne = f.g(h)\n")
            .add(run + "model__0_forward_1.2/output_code.py", "# AOT ID: ['0_forward']\n")
            .add(run + "model__1_inference_4.12/fx_graph_readable.py", graph("z", "exp"));
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(table(*doc), QStringLiteral("rank 1 aot 0 forward fx_graph_readable 3\n"
                                             "rank 1 aot 0 forward fx_graph_transformed 3\n"
                                             "rank 1 aot 0 backward fx_graph_readable 3\n"
                                             "rank 1 aot 1 inference fx_graph_readable 3"));
        QCOMPARE(doc->units[0].group.process.value_or(0), std::int64_t(71));
        QVERIFY(doc->units[3].member.ends_with("model__1_inference_4.12/fx_graph_readable.py"));
        QCOMPARE(doc->skipped.size(), std::size_t(2));
    }

    void tlparseFolder() {
        Folder folder;
        folder.add("compile_directory.json", "{}")
            .add("rank_2/0_1_0/dynamo_output_graph_0.txt", graph("L_x_", "neg"))
            .add("rank_2/0_1_0/aot_forward_graph_3.txt", graph("primals_1", "neg"))
            .add("rank_2/0_1_0/aot_backward_graph_4.txt", graph("tangents_1", "cos"))
            .add("rank_2/0_1_0/before_post_grad_graph_10.txt", graph("primals_1", "neg"))
            .add("rank_2/0_1_0/inductor_output_code_abc_11.txt", "# AOT ID: ['7_forward']\n")
            .add("rank_2/0_1_0/before_post_grad_graph_12.txt", graph("tangents_1", "cos"))
            .add("rank_2/-_0_0_0/aot_inference_graph_1.html",
                 "<!DOCTYPE html><html><pre>class &lt;lambda&gt;(torch.nn.Module):\n    def forward(self, arg0_1):\n        return "
                 "(arg0_1,)\n</pre></html>");
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(table(*doc), QStringLiteral("0/0 rank 2 inference aot_inference_graph 2\n"
                                             "0/1 rank 2 dynamo dynamo_output_graph 3\n"
                                             "0/1 rank 2 aot 7 forward aot_forward_graph 3\n"
                                             "0/1 rank 2 aot 7 forward before_post_grad_graph 3\n"
                                             "0/1 rank 2 aot 7 backward aot_backward_graph 3\n"
                                             "0/1 rank 2 aot 7 backward before_post_grad_graph 3"));
    }

    void rawLogIsPreferred() {
        Folder folder;
        folder.add("raw.log", fixture::file("train.trace.log")).add("0_0_0/aot_forward_graph_5.txt", graph("a", "neg"));
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(10));
        QCOMPARE(doc->skipped.size(), std::size_t(1));
    }

    /// One model, dropped alone: its name tells the phase, or its output code does.
    void oneModelFolder() {
        const std::string repro =
            "class Repro(torch.nn.Module):\n    def forward(self, a):\n        y = torch.ops.aten.neg.default(a)\n        return (y,)\n";
        for (const QString& name : {QStringLiteral("model__3_backward_7.2"), QStringLiteral("model___7.2"), QStringLiteral("cxyz.debug")}) {
            Folder folder;
            folder.add(name + "/fx_graph_readable.py", graph("a", "neg"))
                .add(name + "/fx_graph_runnable.py", repro)
                .add(name + "/output_code.py", "# AOT ID: ['3_backward']\n");
            const auto doc = openFile((folder.path() + "/" + name).toStdString(), OpRegistry::builtin());
            QVERIFY(doc.has_value());
            QCOMPARE(table(*doc), QStringLiteral("aot 3 backward fx_graph_readable 3"));
        }
    }

    /// One dump, opened alone, is of the stage that its name tells.
    void oneDump() {
        Folder folder;
        folder.add("0_1_2_0/aot_backward_graph_5.txt", graph("a", "neg"))
            .add("model__3_forward_7.2/fx_graph_readable.py", graph("a", "neg"))
            .add("mine/graph.txt", graph("a", "neg"));
        const auto open = [&](const char* name) {
            const auto doc = openFile((folder.path() + "/" + name).toStdString(), OpRegistry::builtin());
            return doc ? table(*doc) : QString();
        };
        QCOMPARE(open("0_1_2_0/aot_backward_graph_5.txt"), QStringLiteral("!0/1/2 backward aot_backward_graph 3"));
        QCOMPARE(open("model__3_forward_7.2/fx_graph_readable.py"), QStringLiteral("aot 3 forward fx_graph_readable 3"));
        QCOMPARE(open("mine/graph.txt"), QStringLiteral("unknown  3"));
    }

    /// Kernels are of the compiled function whose code they stand in, whatever code follows.
    void kernelsOfOutputCode() {
        const auto code = [](const std::string& aot, const std::string& kernel) {
            return "# AOT ID: ['" + aot + "']\n# Graph fragment:\n#   %a : Tensor \"f32[2][1]cpu\" = PlaceHolder[target=a]\n#   %y : Tensor " +
                   "\"f32[2][1]cpu\"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%a,), kwargs = {})\n#   return %y\n" +
                   kernel + " = async_compile.cpp_pybinding([], '')\n";
        };
        Folder folder;
        folder.add("0_0_0/inductor_output_code_abc_1.txt", code("0_forward", "first"))
            .add("0_0_0/inductor_output_code_abc_2.txt", code("0_backward", "second"));
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(table(*doc), QStringLiteral("0/0 aot 0 forward kernel 3\n0/0 aot 0 backward kernel 3"));
    }

    /// Files that only lie beside each other know nothing of each other; renderings of one graph do.
    void filesBesideEachOther() {
        const std::string typed = "class G(torch.nn.Module):\n    def forward(self, a: \"f32[2][1]cpu\"):\n        return (a,)\n";
        const std::string bare = "graph():\n    %a : [num_users=1] = placeholder[target=a]\n    return (a,)\n";
        Folder folder;
        folder.add("one.readable.py", typed).add("one.graph.txt", bare).add("two.graph.txt", bare);
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(3));
        for (const Unit& u : doc->units) QCOMPARE(u.graph[u.graph.find("a"_n)].type != nullptr, u.member != "two.graph.txt");
    }

    /// A log among other files tells itself which compilation a graph is of.
    void logInAFolder() {
        const std::string head = "V0107 10:00:00.000001 71 torch/x.py:5] [0/1] [__aot_graphs] ";
        std::string log;
        for (const char* line :
             {"TRACED GRAPH", " ===== Forward graph 4 =====", " a.py class G(torch.nn.Module):", "    def forward(self, x):", "        return (x,)"})
            log += head + line + "\n";
        Folder folder;
        folder.add("rank_3/all.log", log);
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(table(*doc), QStringLiteral("0/1 rank 3 aot 4 inference Forward graph 4 2"));
    }

    void whatAFolderHides() {
        Folder folder;
        folder.add("a.txt", graph("a", "neg")).add("1/2/3/4/5/6/7/8/b.txt", graph("a", "neg"));
        QVERIFY(QFile::link("/etc", folder.path() + "/link"));
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QStringList skipped;
        for (const SkippedMember& s : doc->skipped) skipped << QString::fromStdString(s.name + ": " + s.why);
        skipped.sort();
        QCOMPARE(skipped.join('\n'), QStringLiteral("1/2/3/4/5/6/7/8/: folders are read 8 levels deep\nlink: links are not followed"));
    }

    /// A terminal or a page made blanks of the TABs.
    void blanksForTabs() {
        QByteArray text = QByteArray::fromStdString(fixture::file("train.trace.log"));
        const auto doc = fixture::read(text.replace("\n\t", "\n        ").toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(10));
        QCOMPARE(doc->units[1].statedNodes, 3u);
    }

    /// What the tracer said of the inputs: types that the graph does not state, and which of them share a storage.
    void describedInputs() {
        const auto record = [](const std::string& kind, const std::string& fact, const std::string& payload = "") {
            std::string text = "V0107 10:00:00.000001 71 torch/x.py:9] {\"" + kind + "\": " + fact + ", \"frame_id\": 0, \"frame_compile_id\": 0}\n";
            if (!payload.empty()) text += "\t" + QString::fromStdString(payload).trimmed().replace("\n", "\n\t").toStdString() + "\n";
            return text;
        };
        std::string text;
        for (const std::string i : {"0", "1"}) {
            text += record("describe_tensor", "{\"id\": " + i +
                                                  ", \"describer_id\": 3, \"dtype\": \"torch.float32\", \"device\": \"device(type='cuda', "
                                                  "index=0)\", \"size\": [4, 8], \"stride\": [8, 1], \"storage\": 5, \"storage_offset\": " +
                                                  i + "}");
            text += record("describe_source", "{\"describer_id\": 3, \"id\": " + i + ", \"source\": \"L['" + (i == "0" ? "x" : "y") + "']\"}");
        }
        text += record("dynamo_output_graph", "{\"sizes\": {\"l_x_\": [4, 8], \"sum\": [4, \"s0\"]}}",
                       "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_, L_y_):\n        l_x_ = L_x_\n        l_y_ = L_y_\n"
                       "        sum = demo.f(l_x_, l_y_);  l_x_ = l_y_ = None\n        return (sum,)\n");
        const auto doc = fixture::read(text);
        QVERIFY(doc.has_value());
        const Graph& g = doc->units[0].graph;
        const TensorType* y = g[g.find("l_y_"_n)].tensor();
        QVERIFY(y);
        QCOMPARE(QString::fromStdString(y->str()), QStringLiteral("f32[4, 8][8, 1]cuda:0"));
        QVERIFY(y->offset == SymInt(1));
        const TensorType* sum = g[g.find("sum"_n)].tensor();
        QVERIFY(sum && sum->dtype == DType::Unknown && sum->rank() == 2);
        QCOMPARE(QString::fromStdString(doc->units[0].notes.at(0)), QStringLiteral("one storage: l_x_, l_y_"));
    }

    /// A compilation may hold several compiled functions; what each does to its inputs stands before it.
    void mutatedInputs() {
        const auto record = [](const std::string& fact, const std::string& payload) {
            return "V0107 10:00:00.000001 71 torch/x.py:9] {" + fact + ", \"frame_id\": 0, \"frame_compile_id\": 0}\n\t" +
                   QString::fromStdString(payload).trimmed().replace("\n", "\n\t").toStdString() + "\n";
        };
        const auto metadata = [&](const char* first, const char* second) {
            return record("\"artifact\": {\"name\": \"aot_forward_graph_fw_metadata\", \"encoding\": \"string\"}",
                          std::string("ViewAndMutationMeta(input_info=[InputAliasInfo(mutates_data=") + first +
                              ", mutates_metadata=False), InputAliasInfo(mutates_data=" + second + ", mutates_metadata=False)], output_info=[])");
        };
        const auto forward = [&](const char* x) {
            const std::string name = x;
            return record("\"aot_forward_graph\": {}",
                          "class GraphModule(torch.nn.Module):\n    def forward(self, " + name + ", y):\n        return (" + name + ",)\n");
        };
        const auto doc = fixture::read(metadata("True", "False") + forward("a") + metadata("False", "True") + forward("b") + forward("c"));
        QVERIFY(doc.has_value());
        QStringList notes;
        for (const Unit& u : doc->units) notes << (u.notes.empty() ? QString() : QString::fromStdString(u.notes[0]));
        QCOMPARE(notes.join('|'), QStringLiteral("the function writes its inputs a|the function writes its inputs y|"));
    }

    void depyfFolder() {
        Folder folder;
        const std::string head = "from __future__ import annotations\nimport torch\nfrom torch import device\n";
        folder.add("__compiled_fn_1.AFTER_POST_GRAD.10.py", head + graph("a", "abs"))
            .add("__compiled_fn_1.Captured_Graph.0.py", head + graph("L_x_", "neg"))
            .add("__compiled_fn_1.Forward_graph_0.2.py",
                 "def forward(self, a):\n    y = torch.ops.aten.neg.default(a)\n    return (y,)\n\n# class GraphModule(torch.nn.Module):\n#     def "
                 "forward(self, a: \"f32[2]\"):\n#         y: \"f32[2]\" = torch.ops.aten.neg.default(a)\n#         return (y,)\n")
            .add("__transformed_code_0_for_f.py", "def forward(self, a):\n    return a\n");
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(table(*doc), QStringLiteral("__compiled_fn_1 dynamo Captured Graph 3\n"
                                             "__compiled_fn_1 forward Forward graph 0 3\n"
                                             "__compiled_fn_1 forward AFTER POST GRAD 3"));
        const Graph& g = doc->units[1].graph;
        QVERIFY(g[g.find("y"_n)].tensor() != nullptr);
    }

    void foldersThatHoldNoGraph() {
        Folder folder;
        const auto empty = folder.open();
        QVERIFY(!empty.has_value());
        QVERIFY(QString::fromStdString(empty.error().note).contains("no files"));
        folder.add("a.txt", "words").add("b.bin", std::string("\0\1\2", 3));
        const auto none = folder.open();
        QVERIFY(!none.has_value());
        QVERIFY(QString::fromStdString(none.error().note).contains("none of its 2 files"));
    }

    void chainsOfStages() {
        const auto names = [](const Document& doc) {
            QStringList out;
            for (const StageChain& chain : stageChains(doc)) {
                QStringList stages;
                for (const std::size_t i : chain.units) stages << QString::fromStdString(doc.units[i].stage);
                out << QString::fromStdString(chain.name) + ": " + stages.join(" ");
            }
            return out.join('\n');
        };
        Folder numbered, unrelated;
        numbered.add("002_after_dce.py", graph("a", "neg")).add("001_before.py", graph("a", "abs")).add("010_after_noop.py", graph("a", "neg"));
        unrelated.add("one.py", graph("a", "neg")).add("other.py", graph("a", "abs"));
        QCOMPARE(names(*numbered.open()), QStringLiteral("dumps: 001_before 002_after_dce 010_after_noop"));
        QCOMPARE(names(*unrelated.open()), QString());
        QCOMPARE(names(*fixture::read(fixture::file("train.trace.log"))),
                 QStringLiteral("0/0 forward: dynamo_output_graph aot_forward_graph before_post_grad_graph\n"
                                "0/0 backward: aot_backward_graph before_post_grad_graph"));
    }

    void linksAreNotFollowed() {
        Folder outside, folder;
        outside.add("secret.py", graph("a", "neg"));
        folder.add("own.py", graph("a", "neg"));
        QVERIFY(QFile::link(outside.path(), folder.path() + "/link"));
        QVERIFY(QFile::link(outside.path() + "/secret.py", folder.path() + "/link.py"));
        const auto doc = folder.open();
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
    }

    void pages() {
        QVERIFY(isHtml("\n <!DocType HTML>"));
        QVERIFY(!isHtml("class M"));
        QVERIFY(htmlText("<html><b>a</b> &lt;b&gt;<script>c</script></html>") == "a <b>");
        QVERIFY(htmlText("<html>x<pre>a &amp; <i>b</i></pre>y<code>c</code>") == "a & b\nc\n");
        QVERIFY(htmlText(std::string("<html>") + std::string(200'000, '<')).size() == 200'000);
        const auto doc = fixture::read(fixture::file("page.html"));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].statedNodes, 3u);
    }

    void digests() {
        QVERIFY(md5Hex("") == "d41d8cd98f00b204e9800998ecf8427e");
        QVERIFY(md5Hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
        QVERIFY(md5Hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890") == "57edf4a22be3c955ac49da2e2107b67a");
    }

    void names() {
        QVERIFY(!parseAotName("forward"));
        QVERIFY(!parseAotName("3_sideways"));
        QCOMPARE(parseAotName("12_backward")->id, 12);
        const MemberPlace place = memberPlace("!x/-_3_2_1/aot_joint_graph_44.txt");
        QCOMPARE(QString::fromStdString(place.group.compileId), QStringLiteral("3/2"));
        QCOMPARE(place.group.attempt.value_or(-1), 1);
        QCOMPARE(place.order, std::int64_t(44));
        QVERIFY(place.phase == Phase::Joint);
        QCOMPARE(QString::fromStdString(memberPlace("5_3_2_0/x_1.txt").group.compileId), QStringLiteral("!5/3/2"));
    }

    /// One graph of a trace: the graphs of its compilation are as in a full read, the others keep their places and are left out.
    void oneGraphOfATrace() {
        std::string text = fixture::file("train.trace.log");
        const std::string again = QString::fromStdString(text).replace("\"frame_id\": 0", "\"frame_id\": 1").toStdString();
        QVERIFY(again != text);
        text += again;
        const auto all = readText(text, "test.log", OpRegistry::builtin());
        QVERIFY(all && all->units.size() > 10);
        std::size_t leftOut = 0;
        for (std::size_t i = 0; i < all->units.size(); ++i) {
            ReadOptions options;
            options.only = std::to_string(i + 1);
            const auto one = readText(text, "test.log", OpRegistry::builtin(), options);
            QVERIFY(one);
            QCOMPARE(one->units.size(), all->units.size());
            std::size_t unread = 0;
            for (std::size_t k = 0; k < one->units.size(); ++k) {
                const Unit &a = one->units[k], &b = all->units[k];
                QCOMPARE(a.id, b.id);
                QCOMPARE(a.stage, b.stage);
                QVERIFY(a.graph.phase == b.graph.phase && a.group == b.group);
                if (a.unread)
                    ++unread;
                else
                    QVERIFY2(a.graph.hash() == b.graph.hash() && a.firstLine == b.firstLine, b.id.c_str());
            }
            QVERIFY(!one->units[i].unread);
            leftOut += unread;
        }
        QVERIFY(leftOut > all->units.size());  // most compilations need not be read
        ReadOptions options;
        options.only = "999";
        const auto none = readText(text, "test.log", OpRegistry::builtin(), options);
        QVERIFY(none && std::none_of(none->units.begin(), none->units.end(), [](const Unit& u) { return u.unread; }));
    }
};

QTEST_APPLESS_MAIN(tst_traces)
#include "tst_traces.moc"
