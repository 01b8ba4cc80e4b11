// Stages that another compiler wrote down: which node continues which, and what an observer hears.

#include <QElapsedTimer>
#include <QTest>

#include "core/pipeline/foreign_stages.h"
#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

namespace {

Graph graphOf(const std::string& body, const std::string& inputs = "a, b") {
    ReadOptions options;
    options.inferTypes = false;
    auto doc = readText("class M(torch.nn.Module):\n    def forward(self, " + inputs + "):\n" + body, "test.py", OpRegistry::builtin(), options);
    return doc ? std::move(doc->units[0].graph) : Graph();
}

/// `mul<-mul 1.00` for every pair.
QString pairs(const Graph& before, const Graph& after) {
    QStringList out;
    for (const NodeMatch& m : matchNodes(before, after))
        out << QStringLiteral("%1<-%2 %3")
                   .arg(QString::fromStdString(after[m.after].name.str()), QString::fromStdString(before[m.before].name.str()))
                   .arg(m.confidence, 0, 'f', 2);
    return out.join(", ");
}

class Heard : public PassObserver {
public:
    QStringList stages;
    std::vector<Graph> graphs;
    bool complete = false;

    Status stageFinished(const Graph& g, const StageResult& stage) override {
        stages << QStringLiteral("%1 %2 %3").arg(stage.index).arg(QString::fromStdString(stage.name), stage.changed ? "changed" : "same");
        graphs.push_back(g.clone());
        return {};
    }
    void pipelineFinished(bool whole) override { complete = whole; }
};

}  // namespace

class tst_foreign_stages : public QObject {
    Q_OBJECT

private slots:
    void matches() {
        const Graph before = graphOf(
            "        # File: net.py:1 in f, code: x\n        mul = torch.ops.aten.mul.Tensor(a, 2)\n        add = torch.ops.aten.add.Tensor(mul, b)\n"
            "        # File: net.py:2 in f, code: y\n        relu = torch.ops.aten.relu.default(add)\n        return (relu,)\n");
        // mul stays; add got another name; relu works on something else; a clone is new.
        const Graph after = graphOf(
            "        # File: net.py:1 in f, code: x\n        mul = torch.ops.aten.mul.Tensor(a, 2)\n        add_7 = torch.ops.aten.add.Tensor(mul, "
            "b)\n"
            "        # File: net.py:2 in f, code: y\n        clone = torch.ops.aten.clone.default(add_7)\n        relu_1 = "
            "torch.ops.aten.relu.default(clone)\n"
            "        return (relu_1,)\n");
        QCOMPARE(pairs(before, after),
                 QStringLiteral("a<-a 1.00, b<-b 1.00, mul<-mul 1.00, add_7<-add 0.85, relu_1<-relu 0.60, output<-output 0.85"));
    }

    /// A pass that changes the operator of a node keeps its name and its operands.
    void rewrittenNodes() {
        const Graph before =
            graphOf("        view = torch.ops.aten.view.default(a, [4])\n        add = torch.ops.aten.add.Tensor(view, b)\n        return (add,)\n");
        const Graph after = graphOf(
            "        view = torch.ops.aten.reshape.default(a, [4])\n        add = torch.ops.aten.add_.Tensor(view, b)\n        return (add,)\n");
        QVERIFY(pairs(before, after).contains("view<-view 0.70, add<-add 0.70"));
        // A new node that only has the name of one that is gone works on something else.
        const Graph other = graphOf("        view = torch.ops.aten.neg.default(b)\n        return (view,)\n");
        QVERIFY(!pairs(before, other).contains("view<-view"));
    }

    void renamedInputs() {
        const Graph before = graphOf("        y = torch.ops.aten.neg.default(L_x_)\n        return (y,)\n", "L_x_: \"f32[2]\", L_y_: \"f32[3]\"");
        const Graph after =
            graphOf("        neg = torch.ops.aten.neg.default(primals_1)\n        return (neg,)\n", "primals_1: \"f32[2]\", primals_2: \"f32[4]\"");
        const QString text = pairs(before, after);
        QVERIFY2(text.contains("primals_1<-L_x_ 0.70"), qPrintable(text));
        QVERIFY2(!text.contains("primals_2"), qPrintable(text));
    }

    void idsContinue() {
        const Graph before =
            graphOf("        mul = torch.ops.aten.mul.Tensor(a, 2)\n        add = torch.ops.aten.add.Tensor(mul, b)\n        return (add,)\n");
        const Graph target = graphOf(
            "        clone = torch.ops.aten.clone.default(b)\n        add = torch.ops.aten.add.Tensor(clone, b)\n        mul = "
            "torch.ops.aten.mul.Tensor(add, 3)\n"
            "        return (mul, clone)\n");
        const Graph g = continued(before, target, matchNodes(before, target));
        QCOMPARE(QString::fromStdString(printReadable(g)), QString::fromStdString(printReadable(target)));
        QVERIFY(g.hash() == target.hash());
        for (const Name name : {"a"_n, "b"_n, "mul"_n, "add"_n}) QVERIFY(g.find(name) == before.find(name));
        QVERIFY(g.find("clone"_n).value >= before.idBound());
        QVERIFY(g[g.find("a"_n)].metaValue("match"_n) != nullptr);
        QVERIFY(g[g.find("clone"_n)].metaValue("match"_n) == nullptr);
        for (const NodeId id : inOrder(g))
            for (const NodeId operand : g.operands(id)) QVERIFY(g.before(operand, id));
    }

    void bodiesContinue() {
        const std::string body =
            "        yes_0 = self.yes_0\n        no_0 = self.no_0\n        cond = torch.ops.higher_order.cond(a, yes_0, no_0, (b,))\n        return "
            "(cond,)\n\n"
            "    class yes_0(torch.nn.Module):\n        def forward(self, x):\n            neg = torch.ops.aten.neg.default(x)\n            return "
            "(neg,)\n\n"
            "    class no_0(torch.nn.Module):\n        def forward(self, x):\n            return (x,)\n";
        const Graph before = graphOf(body), target = graphOf(body);
        const Graph g = continued(before, target, matchNodes(before, target));
        QCOMPARE(g.subGraphs().size(), std::size_t(2));
        QVERIFY(g.hash() == target.hash());
        QVERIFY(g.subGraph("yes_0"_n)->find("neg"_n) == before.subGraph("yes_0"_n)->find("neg"_n));
    }

    void observersHearStages() {
        const Graph one = graphOf("        mul = torch.ops.aten.mul.Tensor(a, 2)\n        return (mul,)\n"), two = one.clone();
        const Graph three =
            graphOf("        mul = torch.ops.aten.mul.Tensor(a, 2)\n        neg = torch.ops.aten.neg.default(mul)\n        return (neg,)\n");
        Heard heard;
        QVERIFY(replayForeign({{"before", &one}, {"after", &two}, {"after", &three}}, heard).has_value());
        QCOMPARE(heard.stages.join(", "), QStringLiteral("1 before same, 2 after same, 3 after#2 changed"));
        QVERIFY(heard.complete);
        QVERIFY(heard.graphs[0].find("mul"_n) == heard.graphs[2].find("mul"_n));
        CancelToken cancel;
        cancel.cancel();
        Heard nothing;
        QVERIFY(replayForeign({{"before", &one}}, nothing, cancel).has_value());
        QVERIFY(!nothing.complete && nothing.stages.isEmpty());
        QVERIFY(replayForeign({}, nothing).has_value());
    }

    void linear() {
        std::string body, other;
        for (int i = 0; i < 20'000; ++i) {
            const std::string n = std::to_string(i), p = i == 0 ? "a" : "y" + std::to_string(i - 1), q = i == 0 ? "a" : "z" + std::to_string(i - 1);
            body += "        y" + n + " = torch.ops.aten.add.Tensor(" + p + ", b)\n";
            other += "        z" + n + " = torch.ops.aten.add.Tensor(" + q + ", b)\n";
        }
        const Graph before = graphOf(body + "        return (y19999,)\n"), after = graphOf(other + "        return (z19999,)\n");
        QElapsedTimer timer;
        timer.start();
        const auto matched = matchNodes(before, after);
        QCOMPARE(matched.size(), std::size_t(20'003));
        const Graph g = continued(before, after, matched);
        QVERIFY(g.hash() == after.hash());
        QCOMPARE(g.idBound(), before.idBound());
        QVERIFY2(timer.elapsed() < 3'000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_APPLESS_MAIN(tst_foreign_stages)
#include "tst_foreign_stages.moc"
