// The smallest graph that keeps a property: text in, text out.

#include <QTest>

#include "core/analysis/verifier.h"
#include "core/reduce/reduce_graph.h"
#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

namespace {

bool calls(const Graph& g, const char* op) {
    for (NodeId id : inOrder(g))
        if (g[id].is(Name(op))) return true;
    for (const Graph::SubGraph& body : g.subGraphs())
        if (calls(*body.graph, op)) return true;
    return false;
}

}  // namespace

class ReduceGraphTest : public QObject {
    Q_OBJECT

private slots:
    /// What stands before a call becomes an input, what stands after it goes; sizes become 1.
    void oneCallIsLeft() {
        const Reduction r = reduceGraph(read(R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[8, 16][16, 1]cpu", y: "f32[16, 8][8, 1]cpu"):
        # No stacktrace found for following nodes
        sin: "f32[8, 16][16, 1]cpu" = torch.ops.aten.sin.default(x)
        mm: "f32[8, 8][8, 1]cpu" = torch.ops.aten.mm.default(sin, y)
        cos: "f32[8, 8][8, 1]cpu" = torch.ops.aten.cos.default(mm)
        return (cos, sin)
)"),
                                        ops_, [](const Graph& g) { return calls(g, "aten::mm"); });
        const std::string text = printReadable(r.graph);
        QVERIFY(r.complete);
        QVERIFY2(calls(r.graph, "aten::mm") && !calls(r.graph, "aten::sin") && !calls(r.graph, "aten::cos"), text.c_str());
        for (NodeId id : inOrder(r.graph))
            if (const TensorType* t = r.graph[id].tensor()) QVERIFY2(*t->numel().constant() == 1, text.c_str());
        QVERIFY2(r.graph.size() <= 4, text.c_str());  // two inputs, the call, the output
    }

    /// A size that the property needs stays, and so does everything that hangs on it.
    void sizesThatMatterStay() {
        const std::string text = reduced(R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[8, 16][16, 1]cpu"):
        # No stacktrace found for following nodes
        view: "f32[128][1]cpu" = torch.ops.aten.view.default(x, [128])
        return (view,)
)",
                                         [](const Graph& g) {
                                             for (NodeId id : inOrder(g))
                                                 if (g[id].is("aten::view"_n) && *g[id].tensor()->numel().constant() == 128) return true;
                                             return false;
                                         });
        QVERIFY2(text.find("aten.view.default") != std::string::npos && text.find("[128]") != std::string::npos, text.c_str());
    }

    void argumentsBecomePlain() {
        const std::string text = reduced(R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu", y: "f32[4][1]cpu"):
        # No stacktrace found for following nodes
        add: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(x, y, alpha = 3)
        cat: "f32[8][1]cpu" = torch.ops.aten.cat.default([add, y])
        return (cat,)
)",
                                         [](const Graph& g) { return calls(g, "aten::add.Tensor") && calls(g, "aten::cat"); });
        QVERIFY2(text.find("alpha") == std::string::npos, text.c_str());
        QVERIFY2(text.find("cat.default([add])") != std::string::npos || text.find("cat.default([y])") != std::string::npos, text.c_str());
    }

    void symbolsBecomeNumbers() {
        const std::string text = reduced(
            "class Net(torch.nn.Module):\n"
            "    def forward(self, s0: \"Sym(s0)\", x: \"f32[s0, 4][4, 1]cpu\"):\n"
            "        # No stacktrace found for following nodes\n"
            "        floordiv: \"Sym((s0//2))\" = s0 // 2;  s0 = None\n"
            "        slice_1: \"f32[(s0//2), 4][4, 1]cpu\" = torch.ops.aten.slice.Tensor(x, 0, 0, floordiv)\n"
            "        return (slice_1,)\n",
            [](const Graph& g) { return calls(g, "aten::slice.Tensor"); });
        QVERIFY2(text.find("s0") == std::string::npos, text.c_str());
    }

    void bodiesAreReducedToo() {
        const std::string text = reduced(R"(
class Net(torch.nn.Module):
    def forward(self, p: "b8[][]cpu", x: "f32[4][1]cpu"):
        # No stacktrace found for following nodes
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(p, true_graph_0, false_graph_0, (x,));  p = true_graph_0 = false_graph_0 = x = None
        getitem: "f32[4][1]cpu" = cond[0];  cond = None
        return (getitem,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x: "f32[4][1]cpu"):
            # No stacktrace found for following nodes
            sin: "f32[4][1]cpu" = torch.ops.aten.sin.default(x);  x = None
            cos: "f32[4][1]cpu" = torch.ops.aten.cos.default(sin);  sin = None
            return (cos,)

    class false_graph_0(torch.nn.Module):
        def forward(self, x: "f32[4][1]cpu"):
            # No stacktrace found for following nodes
            neg: "f32[4][1]cpu" = torch.ops.aten.neg.default(x);  x = None
            return (neg,)
)",
                                         [](const Graph& g) { return calls(g, "aten::cos"); });
        QVERIFY2(text.find("aten.cos.default") != std::string::npos && text.find("aten.sin") == std::string::npos &&
                     text.find("aten.neg") == std::string::npos,
                 text.c_str());
    }

    /// A property that every candidate loses: nothing is taken, and the number of tries stays near n log n.
    void nothingThatMattersGoes() {
        const Graph g = read(R"(
class Net(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        # No stacktrace found for following nodes
        sin: "f32[4][1]cpu" = torch.ops.aten.sin.default(x)
        return (sin,)
)");
        const std::uint64_t hash = g.hash();
        const Reduction r = reduceGraph(g, ops_, [&](const Graph& now) { return now.hash() == hash; });
        QVERIFY(r.complete);
        QCOMPARE(r.taken, std::uint64_t{0});
        QCOMPARE(r.graph.hash(), hash);
        QVERIFY(r.tries < 20);
    }

    void stopsWhenToldTo() {
        std::string text =
            "class Net(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]cpu\"):\n        # No stacktrace found for following nodes\n";
        std::string last = "x";
        for (int i = 0; i < 60; ++i) {
            const std::string name = "sin_" + std::to_string(i);
            text += "        " + name + ": \"f32[4][1]cpu\" = torch.ops.aten.sin.default(" + last + ")\n";
            last = name;
        }
        const Graph g = read(text + "        return (" + last + ",)\n");
        ReduceOptions few;
        few.mostTries = 3;
        const Reduction r = reduceGraph(
            g, ops_, [&](const Graph& now) { return calls(now, "aten::sin"); }, few);
        QVERIFY(!r.complete);
        QCOMPARE(r.tries, std::uint64_t{3});
        QVERIFY(verify(r.graph, ops_).has_value());
        ReduceOptions cancelled;
        cancelled.cancel.cancel();
        QCOMPARE(reduceGraph(
                     g, ops_, [](const Graph&) { return true; }, cancelled)
                     .tries,
                 std::uint64_t{0});
    }

private:
    Graph read(const std::string& text) const {
        auto document = readText(text, "test", ops_);
        if (!document || document->units.size() != 1) qFatal("not one graph");
        return std::move(document->units[0].graph);
    }
    /// Text of the smallest graph; it must be one that can be read back.
    std::string reduced(const std::string& text, const std::function<bool(const Graph&)>& keeps) const {
        const Reduction r = reduceGraph(read(text), ops_, keeps);
        const std::string out = printReadable(r.graph);
        if (!r.complete || !verify(r.graph, ops_) || !keeps(read(out))) qWarning("not sound:\n%s", out.c_str());
        return out;
    }

    const OpRegistry& ops_ = OpRegistry::builtin();
};

QTEST_APPLESS_MAIN(ReduceGraphTest)
#include "tst_reduce_graph.moc"
