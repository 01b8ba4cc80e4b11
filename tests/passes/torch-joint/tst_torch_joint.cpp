// The joint passes in PyTorch's order on whole networks: the rows of canonicalize.md 9 whose graphs are at hand, and how long the passes take.
//
// GPT-2 comes with the program. With ALIASCOPE_SHARED set to the folder of the reference corpus, its other networks are looked at too.

#include <QDir>
#include <ctime>
#include <map>

#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

Graph opened(const std::string& path) {
    auto document = openFile(path, testOps());
    return document && !document->units.empty() ? std::move(document->units[0].graph) : Graph();
}

std::map<std::string, int> counts(const Graph& g) {
    std::map<std::string, int> out;
    for (NodeId id : inOrder(g))
        if (g[id].isCall()) ++out[g[id].op.str()];
    out["nodes"] = static_cast<int>(g.size());
    return out;
}

struct Moved {
    const char* op;
    int before, after;
};

/// Empty when every count is as the row says, before and after the joint passes.
std::string difference(const Graph& before, const Graph& after, const std::vector<Moved>& row) {
    const auto was = counts(before), is = counts(after);
    const auto at = [](const std::map<std::string, int>& m, const char* op) {
        const auto found = m.find(op);
        return found == m.end() ? 0 : found->second;
    };
    for (const Moved& m : row)
        if (at(was, m.op) != m.before || at(is, m.op) != m.after)
            return std::string(m.op) + " " + std::to_string(at(was, m.op)) + " to " + std::to_string(at(is, m.op)) + ", want " +
                   std::to_string(m.before) + " to " + std::to_string(m.after);
    return {};
}

}  // namespace

class TorchJointTest : public QObject {
    Q_OBJECT

private:
    static void check(const std::string& path, const std::vector<Moved>& row) {
        Graph g = opened(path);
        QVERIFY2(g.size() > 0, path.c_str());
        const Graph before = g.clone();
        const RunResult run = runPipeline(g, *namedPipeline("torch-joint"), testOps(), {});
        QVERIFY2(run.complete, run.error ? run.error->format().c_str() : "");
        const std::string what = difference(before, g, row);
        QVERIFY2(what.empty(), what.c_str());
    }

private slots:
    void gpt2() {
        check(ALIASCOPE_SOURCE_DIR "/sample_graphs/gpt2_train_joint.py", {{"nodes", 2941, 2705},
                                                                          {"aten::view", 464, 465},
                                                                          {"aten::permute", 461, 315},
                                                                          {"aten::alias", 26, 0},
                                                                          {"aten::clone", 75, 0},
                                                                          {"aten::full", 3, 8},
                                                                          {"aten::scalar_tensor", 6, 2},
                                                                          {"aten::slice.Tensor", 0, 2},
                                                                          {"aten::constant_pad_nd", 0, 4},
                                                                          {"aten::scatter.value", 1, 0}});
    }

    void networksOfTheCorpus_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gpt_s_train", "llama_infer", "llama_s_infer", "resnet34_train", "resnet_s_train", "decode_kv", "decode_s"})
            QTest::newRow(name) << name;
    }
    void networksOfTheCorpus() {
        QFETCH(QString, name);
        const QString shared = qEnvironmentVariable("ALIASCOPE_SHARED");
        if (shared.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        const std::map<QString, std::vector<Moved>> rows = {
            {"gpt_s_train",
             {{"nodes", 520, 489},
              {"aten::view", 84, 81},
              {"aten::permute", 81, 55},
              {"aten::alias", 6, 0},
              {"aten::full", 3, 8},
              {"aten::scalar_tensor", 6, 2}}},
            {"llama_infer", {{"nodes", 1638, 1636}, {"aten::slice.Tensor", 2, 0}}},
            {"llama_s_infer", {{"nodes", 208, 206}, {"aten::slice.Tensor", 2, 0}}},
            {"resnet34_train",
             {{"nodes", 2387, 2319}, {"aten::permute", 5, 3}, {"aten::alias", 66, 0}, {"aten::full", 0, 33}, {"aten::scalar_tensor", 33, 0}}},
            {"resnet_s_train",
             {{"nodes", 389, 377}, {"aten::permute", 5, 3}, {"aten::alias", 10, 0}, {"aten::full", 0, 5}, {"aten::scalar_tensor", 5, 0}}},
            {"decode_kv", {{"nodes", 1474, 1450}, {"aten::permute", 289, 241}, {"aten::mul.Tensor", 72, 96}}},
            {"decode_s", {{"nodes", 181, 178}, {"aten::permute", 37, 31}, {"aten::mul.Tensor", 9, 12}}},
        };
        check((shared + "/oracle/zoo/" + name + "/before_joint.0.readable.py").toStdString(), rows.at(name));
    }

    /// Four times the nodes must not take much more than four times as long: a long chain, and one value that all others read.
    void timeGrowsLinearly_data() {
        QTest::addColumn<QString>("unit");  // %1 is a number, %2 the value before
        QTest::addColumn<bool>("chain");
        QTest::newRow("chain") << "v%1 = torch.ops.aten.view.default(%2, [24])\nw%1 = torch.ops.aten.view.default(v%1, [4, 6])\n"
                                  "p%1 = torch.ops.aten.permute.default(w%1, [1, 0])\nq%1 = torch.ops.aten.permute.default(p%1, [1, 0])\n"
                                  "f%1 = torch.ops.aten.full.default([4, 6], 1, dtype = torch.float32, device = device(type='cpu'))\n"
                                  "m%1 = torch.ops.aten.mul.Tensor(q%1, f%1)\nc%1 = torch.ops.aten.cos.default(m%1)\n"
                               << true;
        QTest::newRow("fan")
            << "v%1 = torch.ops.aten.view.default(x, [4, 6])\np%1 = torch.ops.aten.permute.default(x, [1, 0])\n"
               "q%1 = torch.ops.aten.permute.default(p%1, [1, 0])\na%1 = torch.ops.aten.alias.default(x)\n"
               "m%1 = torch.ops.aten.mul.Tensor(v%1, q%1)\nn%1 = torch.ops.aten.add.Tensor(m%1, a%1)\nc%1 = torch.ops.aten.cos.default(n%1)\n"
            << false;
    }
    void timeGrowsLinearly() {
        QFETCH(QString, unit);
        QFETCH(bool, chain);
        const auto milliseconds = [&](int copies) {
            QString body, last = "x";
            for (int i = 0; i < copies * 200; ++i) {
                body += QString(unit).replace("%1", QString::number(i)).replace("%2", last);
                if (chain) last = "c" + QString::number(i);
            }
            const QString result = chain ? last : "c0, c1";
            const std::string text = readableGraph(R"(x: "f32[4, 6][6, 1]cpu")", (body + "return (" + result + ",)").toStdString());
            double best = 1e9;
            for (int round = 0; round < 3; ++round) {
                Graph g = std::move(readText(text, "test.py", testOps())->units[0].graph);
                RunOptions options;
                options.verify = false;
                const std::clock_t start = std::clock();  // of the processor: other programs must not count
                runPipeline(g, *parsePipeline("torch-joint,torch-joint{mode=extended},cse{mode=extended},post-grad-patterns{mode=extended}"),
                            testOps(), {}, options);
                best = std::min(best, static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC);
            }
            return best;
        };
        const double small = milliseconds(5), large = milliseconds(20);
        qInfo("7,000 nodes: %.1f ms, 28,000 nodes: %.1f ms", small, large);
        QVERIFY2(large < small * 12, "four times the nodes took more than twelve times as long");
    }
};

QTEST_APPLESS_MAIN(TorchJointTest)
#include "tst_torch_joint.moc"
