// The driver of rule sets, with rules of its own, and the stable topological sort.

#include "core/passes/rule_set.h"
#include "core/passes/topological_sort.h"
#include "tests/passes/pass_fixture.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

Graph graphOf(const std::string& text) { return std::move(readText(text, "test.py", testOps())->units[0].graph); }

struct Run {
    Graph g;
    std::size_t count = 0;
    std::vector<Rewrite> rewrites;
    std::vector<Decision> decisions;
};

Run run(const RuleSet& rules, const std::string& text, const char* mode = "reference") {
    Run out;
    out.g = graphOf(text);
    PassOptions options;
    options.set("mode", mode);
    PassContext ctx(testOps(), options, {});
    out.count = rules.run(out.g, ctx);
    out.rewrites = std::move(ctx.rewrites);
    out.decisions = std::move(ctx.decisions);
    return out;
}

const std::string kChain = readableGraph(R"(x: "f32[4][1]cpu")", R"(a = torch.ops.aten.cos.default(x)
                                                                    b = torch.ops.aten.cos.default(a)
                                                                    c = torch.ops.aten.cos.default(b)
                                                                    return (c,))");

bool isCos(const Graph& g, NodeId id) { return g[id].op == "aten::cos"; }

/// cos(cos(x)) -> sin(x)
bool mergeCos(RuleContext& c, NodeId root) {
    const NodeId inner = c.g[root].arg(0).asNode();
    if (!isCos(c.g, inner) || !c.oneRegion({root, inner})) return false;
    const NodeId made = NewNodes(c.g, c.ops(), root).call("aten::sin"_n, {c.g[inner].arg(0)});
    c.replace(root, made, {root, inner}, {made});
    return true;
}

}  // namespace

class RuleSetTest : public QObject {
    Q_OBJECT

private slots:
    void rootsAreVisitedFromLastToFirst() {
        std::vector<std::string> seen;
        RuleSet rules;
        rules.add("look", {"aten::cos"_n}, [&](RuleContext& c, NodeId root) {
            seen.push_back(c.g[root].name.str());
            return false;
        });
        const Run r = run(rules, kChain);
        QCOMPARE(seen, (std::vector<std::string>{"c", "b", "a"}));
        QCOMPARE(r.count, std::size_t(0));
    }

    void rulesOfARootAreTriedInTheOrderOfAdding() {
        std::vector<std::string> seen;
        RuleSet rules;
        for (const char* name : {"first", "second"})
            rules.add(name, {"aten::cos"_n, "aten::sin"_n}, [&](RuleContext& c, NodeId) {
                seen.emplace_back(c.rule());
                return false;
            });
        run(rules, readableGraph(R"(x: "f32[4][1]cpu")", "a = torch.ops.aten.cos.default(x)\nreturn (a,)"));
        QCOMPARE(seen, (std::vector<std::string>{"first", "second"}));
    }

    /// c and b go, a is left alone; the new node is no root of this traversal.
    void aMatchErasesWhatItUsedUp() {
        RuleSet rules;
        int later = 0;
        rules.add("merge", {"aten::cos"_n}, mergeCos);
        rules.add("later", {"aten::cos"_n, "aten::sin"_n}, [&](RuleContext&, NodeId) { return ++later, false; });
        const Run r = run(rules, kChain);
        QCOMPARE(r.count, std::size_t(1));
        QCOMPARE(later, 1);  // a only
        QCOMPARE(r.rewrites[0].rule, std::string("merge"));
        QCOMPARE(r.rewrites[0].before[0].name, "c"_n);
        QCOMPARE(r.rewrites[0].after[0].name, "sin_default"_n);
        QVERIFY(printGraphText(r.g).find("sin.default](args = (%a,)") != std::string::npos);
    }

    void matchesDoNotCrossWrites() {
        RuleSet rules;
        rules.add("merge", {"aten::cos"_n}, mergeCos);
        const Run r = run(rules, readableGraph(R"(x: "f32[4][1]cpu")", R"(a = torch.ops.aten.cos.default(x)
                                                                          copy_ = torch.ops.aten.copy_.default(x, a)
                                                                          b = torch.ops.aten.cos.default(a)
                                                                          return (b,))"));
        QCOMPARE(r.count, std::size_t(0));
    }

    void unsupportedTypesAreNoRoots() {
        RuleSet rules;
        rules.add("never", {"aten::cos"_n}, [](RuleContext&, NodeId) -> bool { qFatal("tried"); });
        run(rules, readableGraph(R"(x: "c64[4][1]cpu")", "a: \"c64[4][1]cpu\" = torch.ops.aten.cos.default(x)\nreturn (a,)"));
    }

    /// sin -> cos -> sin …: extended mode stops after 8 rewrites and says so, reference mode goes round once.
    void rewritesAreCapped() {
        RuleSet rules;
        const auto swap = [](const char* to) {
            return [to](RuleContext& c, NodeId root) {
                const NodeId made = NewNodes(c.g, c.ops(), root).call(Name(to), c.g[root].args);
                c.replace(root, made, {root}, {made});
                return true;
            };
        };
        rules.add("there", {"aten::cos"_n}, swap("aten::sin"));
        rules.add("back", {"aten::sin"_n}, swap("aten::cos"));
        const std::string text = readableGraph(R"(x: "f32[4][1]cpu")", "a = torch.ops.aten.cos.default(x)\nreturn (a,)");
        QCOMPARE(run(rules, text).count, std::size_t(1));
        const Run extended = run(rules, text, "extended");
        QCOMPARE(extended.count, std::size_t(8));
        QCOMPARE(extended.decisions.size(), std::size_t(1));
        QCOMPARE(extended.decisions[0].code, std::string("REWRITE_CAP"));
    }

    void extendedModeLooksAgainAtWhatItFed() {
        RuleSet rules;
        rules.add("merge", {"aten::cos"_n}, mergeCos);
        rules.add("halve", {"aten::sin"_n}, [](RuleContext& c, NodeId root) {
            const NodeId made = NewNodes(c.g, c.ops(), root).call("aten::neg"_n, c.g[root].args);
            c.replace(root, made, {root}, {made});
            return true;
        });
        const Run r = run(rules, kChain, "extended");
        QCOMPARE(r.count, std::size_t(2));
        QVERIFY(printGraphText(r.g).find("neg.default](args = (%a,)") != std::string::npos);
    }

    void sortedGraphsStay() {
        Graph g = graphOf(kChain);
        const std::string before = printGraphText(g);
        QVERIFY(!stableTopologicalSort(g));
        QCOMPARE(printGraphText(g), before);
    }

    /// A node waits on its last missing operand and comes right after it.
    void lateDefinitionsAreWaitedFor() {
        Graph g = graphOf(readableGraph(R"(x: "f32[4][1]cpu")", R"(a = torch.ops.aten.cos.default(x)
                                                                   b = torch.ops.aten.sin.default(x)
                                                                   c = torch.ops.aten.neg.default(x)
                                                                   d = torch.ops.aten.add.Tensor(a, c)
                                                                   return (b, d))"));
        g.moveBefore(g.find("d"_n), g.find("a"_n));
        QVERIFY(stableTopologicalSort(g));
        std::vector<std::string> names;
        for (NodeId id : inOrder(g)) names.push_back(g[id].name.str());
        QCOMPARE(names, (std::vector<std::string>{"x", "a", "b", "c", "d", "output"}));
    }
};

QTEST_APPLESS_MAIN(RuleSetTest)
#include "tst_rule_set.moc"
