// Programs of several graphs: which input is which value, the program as one graph, what lives how long, and what passes leave of it.

#include <QTest>
#include <cmath>

#include "core/analysis/verifier.h"
#include "core/exec/inputs.h"
#include "core/exec/predict.h"
#include "core/exec/tensor_files.h"
#include "core/memory/memory_report.h"
#include "core/pipeline/program.h"
#include "core/text/print.h"
#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

/// Saves `mul` and the weight; `neg` is taken by nobody; `sin` dies inside.
Graph forwardGraph() {
    return forward(R"(primals_1: "f32[4][1]", primals_2: "f32[4][1]")",
                   R"(mul: "f32[4][1]" = torch.ops.aten.mul.Tensor(primals_1, primals_2)
                      sin: "f32[4][1]" = torch.ops.aten.sin.default(mul)
                      sum_1: "f32[][]" = torch.ops.aten.sum.default(sin)
                      neg: "f32[4][1]" = torch.ops.aten.neg.default(primals_1)
                      return (sum_1, neg, primals_2, mul))");
}

/// Uses a name of the forward, `sin`, for something else.
Graph backwardGraph(const std::string& mul = "mul", const std::string& type = "f32[4][1]") {
    return forward("primals_2: \"f32[4][1]\", " + mul + ": \"" + type + R"(", tangents_1: "f32[][]")",
                   "sin: \"f32[4][1]\" = torch.ops.aten.cos.default(" + mul + R"()
                      mul_1: "f32[4][1]" = torch.ops.aten.mul.Tensor(sin, tangents_1)
                      mul_2: "f32[4][1]" = torch.ops.aten.mul.Tensor(mul_1, primals_2)
                      return (mul_2, None))");
}

std::vector<Graph> graphs(Graph a, Graph b) {
    std::vector<Graph> out;
    out.push_back(std::move(a));
    out.push_back(std::move(b));
    return out;
}

Program programOf(std::vector<Graph> list, const std::vector<StatedBinding>& stated = {}) {
    auto made = Program::make(std::move(list), stated);
    if (!made) qFatal("%s", made.error().format().c_str());
    return std::move(*made);
}

QString errorOf(std::vector<Graph> list, const std::string& bindings = {}) {
    auto stated = parseBindings(bindings);
    if (!stated) return QString::fromStdString(stated.error().format());
    const auto made = Program::make(std::move(list), *stated);
    return made ? QStringLiteral("none") : QString::fromStdString(made.error().format());
}

/// `input of graph <- value of graph`, in order.
QString bindingsOf(const Program& p) {
    QStringList out;
    for (const Binding& b : p.bindings())
        out << QStringLiteral("g%1.%2<-g%3.%4")
                   .arg(b.graph)
                   .arg(QString::fromStdString(p.graphs()[b.graph][b.input].name.str()))
                   .arg(b.from)
                   .arg(QString::fromStdString(p.graphs()[b.from][b.node].name.str()));
    return out.join(", ");
}

/// Events of a node's storage: where it is born and where it dies.
QString lifeOf(const Graph& g, const memory::EventLog& log, const char* node) {
    for (const memory::Lifetime& l : memory::lifetimesOf(log))
        if (l.origin.node == g.find(Name(node)))
            return l.death == memory::kNever ? QStringLiteral("never") : QString::fromStdString(g[l.last.node].name.str());
    return QStringLiteral("no storage");
}

class Heard final : public PassObserver {
public:
    Status stageFinished(const Graph& g, const StageResult& stage) override {
        stages << QString::fromStdString(stage.name) + (stage.changed ? " changed" : "");
        graphs.push_back(g.clone());
        rewrites.push_back(stage.rewrites ? *stage.rewrites : std::vector<Rewrite>());
        return {};
    }
    QStringList stages;
    std::vector<Graph> graphs;
    std::vector<std::vector<Rewrite>> rewrites;
};

}  // namespace

class ProgramsTest : public QObject {
    Q_OBJECT

private slots:
    void forwardAndBackwardAreOneGraph() {
        const Program p = programOf(graphs(forwardGraph(), backwardGraph()));
        QCOMPARE(bindingsOf(p), QString("g1.primals_2<-g0.primals_2, g1.mul<-g0.mul"));
        const QString text = QString::fromStdString(printGraphText(p.linked()));
        const QString expected = R"(graph():
    %primals_1 : [num_users=2] = placeholder[target=primals_1]
    %primals_2 : [num_users=3] = placeholder[target=primals_2]
    %tangents_1 : [num_users=1] = placeholder[target=tangents_1]
    %mul : [num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%primals_1, %primals_2), kwargs = {})
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul,), kwargs = {})
    %sum_1 : [num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%sin,), kwargs = {})
    %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%primals_1,), kwargs = {})
    %g0_output : [num_users=0] = call_function[target=torch.ops.aliascope.graph_output.default](args = ([%sum_1, %neg, %primals_2, %mul],), kwargs = {})
    %g1_sin : [num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul,), kwargs = {})
    %mul_1 : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%g1_sin, %tangents_1), kwargs = {})
    %mul_2 : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_1, %primals_2), kwargs = {})
    return (mul_2, None))";
        QVERIFY2(text.trimmed() == expected, qPrintable(text));
    }

    void gradientsAreThoseOfBothGraphsRunOneAfterTheOther() {
        const auto ones = [] { return tensor({}, {1}); };
        const Ran first = run(forwardGraph(), {range({4}), tensor({4}, {2, 3, 4, 5})});
        const auto& saved = first.result.outputs;
        const Ran second = run(backwardGraph(), {saved[2], saved[3], ones()});
        const Ran whole = run(programOf(graphs(forwardGraph(), backwardGraph())).linked(), {range({4}), tensor({4}, {2, 3, 4, 5}), ones()});
        QCOMPARE(whole.error, std::string());
        QCOMPARE(whole.outputs, second.outputs);
        QVERIFY(whole.outputs.ends_with(" | None"));
    }

    void savedValuesLiveToTheirLastUseAndOtherResultsToTheOutput() {
        const Graph g = programOf(graphs(forwardGraph(), backwardGraph())).linked();
        const Prediction planned = predict(g, ops());
        QVERIFY(planned.complete);
        QCOMPARE(lifeOf(g, planned.log, "mul"), QString("g1_sin"));
        QCOMPARE(lifeOf(g, planned.log, "sin"), QString("sum_1"));
        QCOMPARE(lifeOf(g, planned.log, "sum_1"), QString("g0_output"));
        QCOMPARE(lifeOf(g, planned.log, "neg"), QString("g0_output"));
        QCOMPARE(lifeOf(g, planned.log, "mul_1"), QString("mul_2"));
        QCOMPARE(lifeOf(g, planned.log, "mul_2"), QString("never"));
        QCOMPARE(planned.log.peakExact, 36);  // mul, sin, sum_1
    }

    void whatIsPlannedHappens() {
        const Graph g = programOf(graphs(forwardGraph(), backwardGraph())).linked();
        const Ran ran = run(g, {range({4}), range({4}), tensor({}, {1})});
        QCOMPARE(ran.error, std::string());
        const auto mismatch = planMismatch(g, predict(g, ops()).log, ran.result.memory);
        QVERIFY2(!mismatch, mismatch ? mismatch->sentence().c_str() : "");
    }

    /// Passes rename what a forward returns; the backward knows the old name and the place.
    void aRenamedValueIsFoundByItsPlace() {
        Graph f = forwardGraph();
        f.rename(f.find("mul"_n), "getitem");
        QCOMPARE(bindingsOf(programOf(graphs(std::move(f), backwardGraph()))), QString("g1.primals_2<-g0.primals_2, g1.mul<-g0.getitem"));
    }

    void aNodeThatIsNotReturnedIsFoundByItsName() {
        const Program p = programOf(graphs(forwardGraph(), backwardGraph("sin_")), {{1, "sin_"_n, 0, std::nullopt, "sin"_n, 1}});
        QCOMPARE(bindingsOf(p), QString("g1.sin_<-g0.sin, g1.primals_2<-g0.primals_2"));
        const Graph g = p.linked();
        QCOMPARE(lifeOf(g, predict(g, ops()).log, "sin"), QString("g1_sin"));
    }

    void fourGraphsAreBoundAsStated() {
        const auto body = [] {
            return forward(R"(primals_1: "f32[4][1]")", R"(sin: "f32[4][1]" = torch.ops.aten.sin.default(primals_1)
                                                          return (sin, primals_1))");
        };
        const auto bodyBackward = [] {
            return forward(R"(primals_1: "f32[4][1]", tangents_1: "f32[4][1]")", R"(cos: "f32[4][1]" = torch.ops.aten.cos.default(primals_1)
                                                          mul: "f32[4][1]" = torch.ops.aten.mul.Tensor(cos, tangents_1)
                                                          return (mul,))");
        };
        const auto list = [&] {
            std::vector<Graph> out;
            out.push_back(body());
            out.push_back(body());
            out.push_back(bodyBackward());
            out.push_back(bodyBackward());
            return out;
        };
        const auto stated = parseBindings("# the loss takes what the body gives\ng1.primals_1 = g0.out[0]\n\ng3.tangents_1 = g2.out[0]\n");
        QVERIFY(stated.has_value());
        const Program p = programOf(list(), *stated);
        // Equal names in four graphs: each backward takes those of its own forward, the inner pair first.
        QCOMPARE(bindingsOf(p), QString("g1.primals_1<-g0.sin, g2.primals_1<-g1.primals_1, g3.tangents_1<-g2.mul, g3.primals_1<-g0.primals_1"));
        const Ran ran = run(p.linked(), {tensor({4}, {0, 0, 0, 0}), tensor({4}, {1, 2, 3, 4})});
        QCOMPARE(ran.error, std::string());
        QCOMPARE(ran.outputs, std::string("1 2 3 4"));  // cos(sin 0) cos(0) t
    }

    void mistakesAreNamed_data() {
        QTest::addColumn<QString>("bindings");
        QTest::addColumn<QString>("says");
        QTest::newRow("not a line") << "g1.mul - g0.mul"
                                    << "\"g1.mul - g0.mul\" is no binding; lines like g1.primals_1 = g0.out[0] are expected";
        QTest::newRow("no graph") << "g7.mul = g0.mul"
                                  << "g7 cannot be bound: the program has 2 graphs";
        QTest::newRow("later graph") << "g0.primals_1 = g1.mul_2"
                                     << "g1 cannot be bound: a source must run before g0";
        QTest::newRow("no input") << "g1.mul_1 = g0.mul"
                                  << "g1.mul_1 cannot be bound: it is no input of that graph";
        QTest::newRow("no value") << "g1.mul = g0.cos"
                                  << "g0.cos cannot be bound: that graph has no such value";
        QTest::newRow("no result") << "g1.mul = g0.out[4]"
                                   << "g0.out[4] cannot be bound: that graph returns 4 values";
        QTest::newRow("huge") << "g1.mul = g0.out[99999999999999999999999]"
                              << "is no binding";
        QTest::newRow("two sources") << "g1.mul = g0.mul\ng1.mul = g0.out[1]"
                                     << "g1.mul has several sources: g0.mul, g0.out[1]";
        QTest::newRow("shape") << "g1.mul = g0.sum_1"
                               << "g1.mul: g0.sum_1 has shape f32[], f32[4] expected";
    }
    void mistakesAreNamed() {
        QFETCH(QString, bindings);
        QFETCH(QString, says);
        const QString got = errorOf(graphs(forwardGraph(), backwardGraph()), bindings.toStdString());
        QVERIFY2(got.contains(says), qPrintable(got));
    }

    void anInputWithoutSourceIsAnError() {
        const QString unknown = errorOf(graphs(forwardGraph(), backwardGraph("tanh")));
        QCOMPARE(unknown, QString("none"));  // by its place: primals_2 lies where it should
        Graph shorter = forward(R"(primals_1: "f32[4][1]", primals_2: "f32[4][1]")",
                                R"(mul: "f32[4][1]" = torch.ops.aten.mul.Tensor(primals_1, primals_2)
                                   return (mul,))");
        const QString got = errorOf(graphs(std::move(shorter), backwardGraph("tanh")));
        QVERIFY2(got.contains("g1.tanh has no source among the program's graphs") && got.contains("its forward is g0"), qPrintable(got));
        std::vector<Graph> alone;
        alone.push_back(backwardGraph());
        QVERIFY(errorOf(std::move(alone)).contains("no forward graph runs before it"));
    }

    void partnersOfOtherShapesAreRefused() {
        const QString got = errorOf(graphs(forwardGraph(), backwardGraph("mul", "f32[5][1]")));
        QVERIFY2(got.contains("g1.mul: g0.mul has shape f32[4], f32[5] expected"), qPrintable(got));
    }

    /// The pass runs on each graph; what is saved stays, and nodes keep their ids from stage to stage.
    void stagesAreThoseOfEveryGraph() {
        Graph f = forwardGraph();
        Node twice;
        twice.name = "mul_9"_n;
        twice.op = "aten::mul.Tensor"_n;
        twice.target = spellOp(twice.op);
        twice.args = {Value::node(f.find("primals_1"_n)), Value::node(f.find("primals_2"_n))};
        f.insertAfter(f.find("mul"_n), std::move(twice));
        const Program p = programOf(graphs(std::move(f), backwardGraph()));
        auto pipeline = parsePipeline("dce");
        QVERIFY(pipeline.has_value());
        Heard heard;
        const RunResult ran = runProgram(p, *pipeline, ops(), {&heard});
        QVERIFY(ran.complete && !ran.error);
        QCOMPARE(heard.stages, (QStringList{"imported", "dce changed"}));
        const Graph &before = heard.graphs[0], &after = heard.graphs[1];
        QVERIFY(before.find("mul_9"_n) && !after.find("mul_9"_n));
        for (const NodeId id : inOrder(after))
            if (after[id].isCall()) QCOMPARE(after[id].name, before[id].name);
        QCOMPARE(heard.rewrites[1].size(), std::size_t(1));
        QCOMPARE(heard.rewrites[1][0].before[0].id, before.find("mul_9"_n));
    }

    /// A backward takes sizes first; a forward returns them last. Their placeholders bind the symbols of both.
    void sizesAreSavedBehindTensors() {
        Graph f = forward(R"py(primals_1: "Sym(s0)", primals_2: "f32[s0][1]")py",
                          R"(sin: "f32[s0][1]" = torch.ops.aten.sin.default(primals_2)
                             return (sin, primals_2, primals_1))");
        Graph b = forward(R"py(size: "Sym(s0)", saved: "f32[s0][1]", tangents_1: "f32[s0][1]")py",
                          R"(cos: "f32[s0][1]" = torch.ops.aten.cos.default(saved)
                             mul: "f32[s0][1]" = torch.ops.aten.mul.Tensor(cos, tangents_1)
                             view: "f32[s0][1]" = torch.ops.aten.view.default(mul, [size])
                             return (None, view))");
        const auto stated = parseBindings("g1.size = g0.primals_1\ng1.saved = g0.out[1]\n");
        QVERIFY(stated.has_value());
        const Graph byHand = programOf(graphs(f.clone(), b.clone()), *stated).linked();
        b.rename(b.find("saved"_n), "primals_2");
        const Program p = programOf(graphs(std::move(f), std::move(b)));
        QCOMPARE(bindingsOf(p), QString("g1.size<-g0.primals_1, g1.primals_2<-g0.primals_2"));
        QCOMPARE(p.linked().hash(), byHand.hash());
        const Ran ran = run(p.linked(), {RuntimeValue(std::int64_t{3}), tensor({3}, {0, 0, 0}), tensor({3}, {1, 2, 3})});
        QCOMPARE(ran.error, std::string());
        QCOMPARE(ran.outputs, std::string("None | 1 2 3"));
    }

    /// Pieces between graph breaks: s0 of the second is the size of what it is bound to, twice that of the first; its other s1 is a size of its own.
    void symbolsOfOtherCompilationsAreOtherSizes() {
        const auto first = [] {
            return forward(R"py(s0: "Sym(s0)", s1: "Sym(s1)", x: "f32[s0][1]", y: "f32[s1][1]")py",
                           R"(cat: "f32[2*s0][1]" = torch.ops.aten.cat.default([x, x])
                              return (cat, y))");
        };
        const auto second = [] {
            return forward(R"py(s0: "Sym(s0)", s1: "Sym(s1)", x: "f32[s0][1]", y: "f32[s1][1]")py",
                           R"(full: "f32[s0][1]" = torch.ops.aten.full.default([s0], 10, dtype = torch.float32, device = device(type='cuda', index=0))
                              add: "f32[s0][1]" = torch.ops.aten.add.Tensor(x, full)
                              cat: "f32[s0 + s1][1]" = torch.ops.aten.cat.default([add, y])
                              return (cat,))");
        };
        const auto bound = parseBindings("g1.x = g0.out[0]");
        QVERIFY(bound.has_value());
        const Graph g = programOf(graphs(first(), second()), *bound).linked();
        QStringList inputs;
        for (const NodeId id : g.placeholders())
            inputs << QString::fromStdString(g[id].name.str() + ": " + (g[id].type ? g[id].type->str() : std::string("?")));
        QCOMPARE(inputs.join(", "),
                 QString("s0: Sym(s0), s1: Sym(s1), x: f32[s0][1], y: f32[s1][1], g1_s0: Sym(2*s0), g1_s1: Sym(g1_s1), g1_y: f32[g1_s1][1]"));
        QCOMPARE(QString::fromStdString(g[g.find("g1_cat"_n)].type->str()), QString("f32[(2*s0) + g1_s1][1]cuda:0"));
        const Ran ran = run(g, {RuntimeValue(std::int64_t{1}), RuntimeValue(std::int64_t{2}), tensor({1}, {5}), tensor({2}, {1, 2}),
                                RuntimeValue(std::int64_t{2}), RuntimeValue(std::int64_t{3}), tensor({3}, {7, 8, 9})});
        QCOMPARE(ran.error, std::string());
        QCOMPARE(ran.outputs, std::string("15 15 7 8 9"));
    }

    void linkedGraphsAreWhole() {
        const Graph g = programOf(graphs(forwardGraph(), backwardGraph())).linked();
        const auto ok = verify(g, ops());
        QVERIFY2(ok.has_value(), ok ? "" : ok.error().format().c_str());
        const auto again = readText(printReadable(g), "linked", ops());
        QVERIFY(again.has_value());
        QCOMPARE(again->units.at(0).graph.hash(), g.hash());
    }

    void constantsOfBothGraphsStayApart() {
        const auto withConstant = [](const char* parameters, const std::string& rest) {
            return forward(parameters, "_tensor_constant0: \"f32[4][1]\" = self._tensor_constant0\n" + rest);
        };
        const Program p = programOf(graphs(
            withConstant(R"(primals_1: "f32[4][1]")", R"(add: "f32[4][1]" = torch.ops.aten.add.Tensor(primals_1, _tensor_constant0)
                                                        return (add, add))"),
            withConstant(R"(add: "f32[4][1]", tangents_1: "f32[4][1]")", R"(mul: "f32[4][1]" = torch.ops.aten.mul.Tensor(add, _tensor_constant0)
                                                        mul_1: "f32[4][1]" = torch.ops.aten.mul.Tensor(mul, tangents_1)
                                                        return (mul_1,))")));
        const std::unordered_map<Name, RuntimeValue> constants = {{"_tensor_constant0"_n, tensor({4}, {1, 1, 1, 1})},
                                                                  {"g1__tensor_constant0"_n, tensor({4}, {2, 2, 2, 2})}};
        const Ran ran = run(p.linked(), {range({4}), tensor({4}, {1, 1, 1, 1})}, {}, cpu(), constants);
        QCOMPARE(ran.error, std::string());
        QCOMPARE(ran.outputs, std::string("2 4 6 8"));
    }

    /// Networks of the corpus: peaks of forward and backward after the post-grad passes (executor.md 4.3). That of gpt2_train counts `amax`, which
    /// the forward returns under another name, until its use.
    void peaksOfTrainedNetworks_data() {
        QTest::addColumn<qint64>("peak");
        QTest::addColumn<QString>("at");
        QTest::newRow("gpt_s_train") << qint64(236708) << "mul_36";
        QTest::newRow("resnet_s_train") << qint64(82028) << "add_27";
        QTest::newRow("gpt2_train") << qint64(3694760132 + 16384) << "sub_25";
        QTest::newRow("resnet34_train") << qint64(514932268) << "add_183";
    }
    void peaksOfTrainedNetworks() {
        if (shared().isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        QFETCH(qint64, peak);
        QFETCH(QString, at);
        const Program p = trained("after_post_grad");
        const Graph g = p.linked();
        const Prediction planned = predict(g, ops());
        QVERIFY2(planned.complete, planned.error ? planned.error->format().c_str() : "");
        QCOMPARE(planned.log.peakExact, peak);
        const memory::Event& event = planned.log.events[static_cast<std::size_t>(planned.log.peakSeq)];
        QCOMPARE(QString::fromStdString(g[event.site.node].name.str()), at);
    }

    /// What PyTorch's backward gave for what its forward saved, from the inputs of the forward alone; and the memory is as planned.
    void gradientsOfTrainedNetworks_data() {
        QTest::addColumn<int>("gradients");
        QTest::newRow("gpt_s_train") << 36;
        QTest::newRow("resnet_s_train") << 18;
    }
    void gradientsOfTrainedNetworks() {
        if (shared().isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        QFETCH(int, gradients);
        const Graph g = trained("before_post_grad").linked();
        auto inputs = TensorFile::open(file("values.0.safetensors").toStdString());
        auto expected = TensorFile::open(file("values.1.safetensors").toStdString());
        QVERIFY(inputs && expected);
        InputOptions options;
        options.file = &*inputs;
        options.bindings = {{"tangents_1"_n, std::nullopt, file("values.1.safetensors").toStdString()}};
        const auto chosen = InputSet::make(g, ops(), options);
        QVERIFY2(chosen.has_value(), chosen ? "" : chosen.error().format().c_str());
        const auto values = chosen->forStage(g, cpu());
        QVERIFY(values.has_value());
        const Ran ran = run(g, values->values, {}, cpu(), values->constants);
        QCOMPARE(ran.error, std::string());
        const auto mismatch = planMismatch(g, predict(g, ops()).log, ran.result.memory);
        QVERIFY2(!mismatch, mismatch ? mismatch->sentence().c_str() : "");
        int compared = 0;
        for (std::size_t i = 0; i < ran.result.outputs.size(); ++i) {
            const Tensor* t = ran.result.outputs[i].tensor();
            const auto want = expected->find("out/" + std::to_string(i));
            if (!t || !want || t->dtype != DType::F32) continue;
            const auto bytes = expected->read(*want);
            QVERIFY(bytes.has_value());
            std::vector<float> got(static_cast<std::size_t>(t->numel())), wanted(bytes->size() / sizeof(float));
            QCOMPARE(got.size(), wanted.size());
            cpu().download(reinterpret_cast<std::byte*>(got.data()), *t);
            std::memcpy(wanted.data(), bytes->data(), bytes->size());
            for (std::size_t k = 0; k < got.size(); ++k)
                QVERIFY2(std::fabs(got[k] - wanted[k]) <= 1e-4F,
                         qPrintable(QStringLiteral("out/%1 at %2: %3, %4").arg(i).arg(k).arg(double(got[k])).arg(double(wanted[k]))));
            ++compared;
        }
        QCOMPARE(compared, gradients);
    }

private:
    static QString shared() { return qEnvironmentVariable("ALIASCOPE_SHARED"); }
    static QString file(const QString& name) { return shared() + "/oracle/zoo/" + QTest::currentDataTag() + "/" + name; }
    /// Forward and backward of the network that is tested.
    static Program trained(const QString& stage) {
        std::vector<Graph> list;
        for (const char* number : {".0", ".1"}) {
            auto document = openFile(file(stage + number + ".readable.py").toStdString(), ops());
            if (!document) qFatal("%s", document.error().format().c_str());
            list.push_back(std::move(document->units.at(0).graph));
        }
        return programOf(std::move(list));
    }
};

QTEST_APPLESS_MAIN(ProgramsTest)
#include "tst_linked_programs.moc"
