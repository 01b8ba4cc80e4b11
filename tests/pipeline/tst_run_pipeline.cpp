// The runner: what it believes, what it takes back, what observers hear. With passes of its own.

#include <QTest>
#include <functional>

#include "core/pipeline/pipeline.h"

using namespace aliascope;

namespace {

class FakePass : public Pass {
public:
    using Body = std::function<Result<Outcome>(Graph&, PassContext&)>;
    FakePass(std::string name, Body body) : name_(std::move(name)), body_(std::move(body)) {}
    std::string_view name() const override { return name_; }
    std::string_view help() const override { return "a pass of the test"; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override { return body_(g, ctx); }

private:
    std::string name_;
    Body body_;
};

struct Heard {
    int index;
    std::string name, message;
    StageResult::State state;
    bool changed;
    std::uint64_t hash, graphHash;
    std::size_t nodes, rewrites, decisions, diagnostics;
};

class Listener : public PassObserver {
public:
    Status stageFinished(const Graph& g, const StageResult& s) override {
        heard.push_back({s.index, s.name, s.message, s.state, s.changed, s.hash, g.hash(), g.size(), s.rewrites->size(), s.decisions->size(),
                         s.diagnostics->size()});
        if (s.index == failAt) return tl::unexpected(userError("S003", {{"why", "disk full"}}));
        return {};
    }
    void pipelineFinished(bool complete) override { finished = complete; }

    std::vector<Heard> heard;
    std::optional<bool> finished;
    int failAt = 0;
};

Node call(std::string_view name, std::string_view op, std::vector<Value> args) {
    Node n;
    n.name = Name(name);
    n.target = spellOp(Name(op));
    n.op = Name(op);
    n.args = std::move(args);
    return n;
}

/// x -> add(x, 1) -> mul(add, 2) -> output
Graph sample() {
    Graph g;
    Node x;
    x.kind = NodeKind::Placeholder;
    x.name = "x"_n;
    x.target = "x"_n;
    const NodeId in = g.append(std::move(x));
    const NodeId add = g.append(call("add", "aten::add.Tensor", {Value::node(in), Value::integer(1)}));
    const NodeId mul = g.append(call("mul", "aten::mul.Tensor", {Value::node(add), Value::integer(2)}));
    Node out;
    out.kind = NodeKind::Output;
    out.name = "output"_n;
    out.target = "output"_n;
    out.args = {Value::tuple({Value::node(mul)})};
    g.append(std::move(out));
    return g;
}

Pipeline pipelineOf(std::initializer_list<const Pass*> passes) {
    Pipeline p;
    for (const Pass* pass : passes) p.steps.push_back({pass, {}});
    return p;
}

const FakePass nothing("nothing", [](Graph&, PassContext&) { return Outcome::Done; });
const FakePass grow("grow", [](Graph& g, PassContext& ctx) {
    const NodeId mul = g.find("mul"_n);
    const NodeId made = g.insertAfter(mul, call("neg", "aten::neg", {Value::node(mul)}));
    g.replaceAllUses(mul, made, [&](NodeId user) { return user == made; });
    ctx.rewrite({"grow", {ref(g, mul)}, {ref(g, made)}});
    return Outcome::Done;
});
const FakePass fails("fails", [](Graph& g, PassContext& ctx) -> Result<Outcome> {
    g.setArg(g.find("mul"_n), 1, Value::integer(99));
    ctx.rewrite({"half", {ref(g, g.find("mul"_n))}, {}});
    return tl::unexpected(userError("NO_COUNTERPART", {{"op", "demo.f_"}, {"arg", "x"}}));
});
const FakePass breaks("breaks", [](Graph& g, PassContext&) {
    g.moveAfter(g.find("add"_n), g.find("mul"_n));  // used before it is defined
    return Outcome::Done;
});
const FakePass throws("throws", [](Graph&, PassContext&) -> Result<Outcome> { throw std::runtime_error("boom"); });
const FakePass skips("skips", [](Graph&, PassContext& ctx) {
    ctx.say(info("NEEDS_FUNCTIONAL", {{"pass", "skips"}, {"write", "add_"}, {"arg", "self"}}));
    return Outcome::Skipped;
});

}  // namespace

class TestRunPipeline : public QObject {
    Q_OBJECT

private slots:
    void hashesDecideWhatChanged() {
        Graph g = sample();
        Listener listener;
        const auto result = runPipeline(g, pipelineOf({&nothing, &grow, &nothing}), OpRegistry::builtin(), {&listener});
        QVERIFY(result.complete && !result.failed && !result.error);
        QCOMPARE(listener.heard.size(), std::size_t(4));
        QCOMPARE(listener.heard[0].name, std::string("imported"));
        QCOMPARE(listener.heard[0].index, 1);
        QVERIFY(!listener.heard[1].changed);
        QVERIFY(listener.heard[2].changed);
        QCOMPARE(listener.heard[2].rewrites, std::size_t(1));
        QVERIFY(!listener.heard[3].changed);
        QCOMPARE(listener.heard[3].name, std::string("nothing#2"));
        for (const Heard& h : listener.heard) QCOMPARE(h.hash, h.graphHash);
        QCOMPARE(listener.finished, std::optional(true));
    }

    void failedPassIsTakenBack() {
        Graph g = sample();
        const std::uint64_t before = g.hash();
        Listener listener;
        const auto result = runPipeline(g, pipelineOf({&nothing, &fails, &grow}), OpRegistry::builtin(), {&listener});
        QVERIFY(result.failed && !result.complete);
        QCOMPARE(result.error->code, std::string("NO_COUNTERPART"));
        QCOMPARE(g.hash(), before);
        QCOMPARE(listener.heard.size(), std::size_t(3));  // imported, nothing, fails; grow does not run
        const Heard& stage = listener.heard.back();
        QVERIFY(stage.state == StageResult::State::Failed);
        QCOMPARE(stage.graphHash, before);
        QVERIFY2(stage.message.find("demo.f_") != std::string::npos, stage.message.c_str());
        QCOMPARE(listener.finished, std::optional(false));
    }

    void brokenGraphNamesThePass() {
        Graph g = sample();
        Listener listener;
        const auto result = runPipeline(g, pipelineOf({&grow, &breaks}), OpRegistry::builtin(), {&listener});
        QVERIFY(result.failed);
        QCOMPARE(result.error->code, std::string("V001"));
        QVERIFY(result.error->audience == Audience::Internal);
        QVERIFY2(result.error->sentence().find("breaks") != std::string::npos, result.error->sentence().c_str());
        QVERIFY(g.find("neg"_n).valid());  // the last good stage, after grow
        QVERIFY(g.before(g.find("add"_n), g.find("mul"_n)));
        QCOMPARE(listener.heard.back().nodes, std::size_t(5));
    }

    void verifierSpeaksBeforeTheFirstPass() {
        Graph g = sample();
        g.moveAfter(g.find("add"_n), g.find("mul"_n));
        Listener listener;
        const auto result = runPipeline(g, pipelineOf({&grow}), OpRegistry::builtin(), {&listener});
        QVERIFY(result.failed);
        QCOMPARE(result.error->code, std::string("V001"));
        QCOMPARE(listener.heard.size(), std::size_t(1));
        QVERIFY(!g.find("neg"_n).valid());
    }

    void exceptionOfAPassIsAFaultOfOurs() {
        Graph g = sample();
        const auto result = runPipeline(g, pipelineOf({&throws}), OpRegistry::builtin(), {});
        QVERIFY(result.failed);
        QVERIFY(result.error->audience == Audience::Internal);
        QVERIFY(result.error->sentence().find("boom") != std::string::npos);
    }

    void skippedStages() {
        Graph g = sample();
        Listener listener;
        RunOptions options;
        options.skip = {"grow"};
        const auto result = runPipeline(g, pipelineOf({&skips, &grow}), OpRegistry::builtin(), {&listener}, options);
        QVERIFY(result.complete);
        QVERIFY(listener.heard[1].state == StageResult::State::Skipped);
        QVERIFY(!listener.heard[1].message.empty());
        QVERIFY(listener.heard[2].state == StageResult::State::Skipped);
        QVERIFY(!g.find("neg"_n).valid());
    }

    void until() {
        Graph g = sample();
        Listener listener;
        RunOptions options;
        options.until = "nothing";
        runPipeline(g, pipelineOf({&nothing, &grow}), OpRegistry::builtin(), {&listener}, options);
        QCOMPARE(listener.heard.size(), std::size_t(2));
        QVERIFY(!g.find("neg"_n).valid());
    }

    void cancelKeepsWholeStages() {
        Graph g = sample();
        RunOptions options;
        const FakePass interrupted("interrupted", [&](Graph& graph, PassContext&) {
            graph.setArg(graph.find("mul"_n), 1, Value::integer(5));
            options.cancel.cancel();
            return Outcome::Done;
        });
        Listener listener;
        const auto result = runPipeline(g, pipelineOf({&grow, &interrupted, &grow}), OpRegistry::builtin(), {&listener}, options);
        QVERIFY(!result.complete && !result.failed);
        QCOMPARE(listener.heard.size(), std::size_t(2));
        QCOMPARE(listener.finished, std::optional(false));
        QCOMPARE(g[g.find("mul"_n)].arg(1).asInt(), std::optional<std::int64_t>(2));
        QVERIFY(g.find("neg"_n).valid());
    }

    void observerThatCannotWriteStopsTheRun() {
        Graph g = sample();
        Listener listener;
        listener.failAt = 2;
        const auto result = runPipeline(g, pipelineOf({&nothing, &grow}), OpRegistry::builtin(), {&listener});
        QVERIFY(result.failed);
        QCOMPARE(result.error->code, std::string("S003"));
        QCOMPARE(listener.heard.size(), std::size_t(2));
    }

    void originsFollowRewrites() {
        Graph g = sample();
        NodeId wrapper;
        const FakePass wraps("wraps", [&](Graph& graph, PassContext& ctx) {
            const NodeId mul = graph.find("mul"_n);
            const NodeRef old = ref(graph, mul);
            wrapper = graph.insertBefore(mul, call("wrapped", "aten::mul.Tensor", graph[mul].args));
            graph.replaceAllUses(mul, wrapper);
            graph.erase(mul);
            ctx.rewrite({"wrap-v2", {old}, {ref(graph, wrapper)}});
            return Outcome::Done;
        });
        const FakePass asks("asks", [&](Graph& graph, PassContext& ctx) {
            Decision d;
            d.node = ref(graph, wrapper);
            d.verdict = "in-place";
            d.code = "RI00";
            ctx.decide(std::move(d));
            const NodeId made = graph.insertAfter(wrapper, call("neg", "aten::neg", {Value::node(wrapper)}));
            graph.replaceAllUses(wrapper, made, [&](NodeId user) { return user == made; });
            ctx.rewrite({"again", {ref(graph, wrapper)}, {ref(graph, made)}});
            if (ctx.originOf(made).name != "mul"_n) return Result<Outcome>(tl::unexpected(internalError("V001")));  // known within the pass, too
            if (ctx.originOf(graph.find("add"_n)).name != "add"_n) return Result<Outcome>(tl::unexpected(internalError("V001")));
            return Result<Outcome>(Outcome::Done);
        });
        const auto result = runPipeline(g, pipelineOf({&wraps, &asks}), OpRegistry::builtin(), {});
        QVERIFY2(!result.failed, result.error ? result.error->format().c_str() : "");
        const auto& decisions = result.decisions.back();
        QCOMPARE(decisions.first, std::string("asks"));
        QCOMPARE(decisions.second.front().origin.name.str(), std::string("mul"));
    }
};

QTEST_APPLESS_MAIN(TestRunPipeline)
#include "tst_run_pipeline.moc"
