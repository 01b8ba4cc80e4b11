#include <QtTest>

#include "core/analysis/verifier.h"
#include "core/text/document.h"

using namespace aliascope;

namespace {

Graph read(const std::string& body) {
    std::string text = "class <lambda>(torch.nn.Module):\n    def forward(self, x: \"f32[8, 4][4, 1]cpu\", n: \"Sym(s0)\"):\n";
    for (const QString& line : QString::fromStdString(body).split('\n', Qt::SkipEmptyParts)) text += "        " + line.trimmed().toStdString() + "\n";
    auto document = readText(text, "verifier.py", OpRegistry::builtin());
    return document && !document->units.empty() ? std::move(document->units[0].graph) : Graph();
}

/// `rule: node: why` of the first violation; empty when there is none.
std::string violation(const Graph& g, const VerifyOptions& options = {}) {
    Status s = verify(g, OpRegistry::builtin(), options);
    if (s) return {};
    std::string out = s.error().code;
    for (const auto& [key, value] : s.error().params) out += (out == "V001" ? " " : ": ") + value;
    return out;
}

Node call(const char* name, const char* op, std::vector<Value> args) {
    Node n;
    n.kind = NodeKind::CallFunction;
    n.name = Name(name);
    n.op = Name(op);
    n.target = spellOp(n.op);
    n.args = std::move(args);
    return n;
}

QString shown(const std::string& s) { return QString::fromStdString(s); }

}  // namespace

class TestVerifier : public QObject {
    Q_OBJECT

private slots:
    void aSoundGraphPasses() {
        QCOMPARE(shown(violation(read("a = torch.ops.aten.cos.default(x)\nb = torch.ops.aten.add_.Tensor(a, a)\nreturn (a, b)"))), QString(""));
    }

    void definitionStandsBeforeUse() {
        Graph g = read("a = torch.ops.aten.cos.default(x)\nb = torch.ops.aten.sin.default(a)\nreturn (b,)");
        g.moveBefore(g.find(Name("b")), g.find(Name("a")));
        QCOMPARE(shown(violation(g)), QString("V001 definition before use: b: it uses a, which comes later"));
    }

    void theOutputIsLastAndThereIsOne() {
        Graph g = read("a = torch.ops.aten.cos.default(x)\nreturn (a,)");
        g.append(call("late", "aten::sin", {Value::node(g.find(Name("a")))}));
        QCOMPARE(shown(violation(g)), QString("V001 output last: late: it stands behind the output"));
        Graph none;
        QCOMPARE(shown(violation(none)), QString("V001 one output: : the graph returns nothing"));
        Graph outer = read("a = torch.ops.aten.cos.default(x)\nreturn (a,)");
        outer.addSubGraph(Name("body"), Graph());
        QCOMPARE(shown(violation(outer)), QString("V001 one output: body: the graph returns nothing"));
    }

    void usersAgreeWithUses() {
        Graph g = read("a = torch.ops.aten.cos.default(x)\nreturn (a,)");
        g.edit(g.find(Name("a"))).args.push_back(Value::node(g.find(Name("x"))));  // behind the graph's back
        QCOMPARE(shown(violation(g)), QString("V001 users consistent: x: its list of users says 1 uses, there are 2"));
    }

    void viewsHaveTheSizesThatTheirOperatorGives() {
        Graph g = read("a = torch.ops.aten.select.int(x, 0, 1)\nreturn (a,)");
        QCOMPARE(shown(violation(g)), QString(""));
        g.setType(g.find(Name("a")), Type::parseAnnotation("f32[3][1]cpu"), Trust::Stated);
        QCOMPARE(shown(violation(g)), QString("V001 view types: a: it says f32[3], the operator gives f32[4]"));
        g.setType(g.find(Name("a")), Type::parseAnnotation("f32[s1][1]cpu"), Trust::Stated);
        QCOMPARE(shown(violation(g)), QString(""));  // symbols may be equal
    }

    void staleStridesAreTolerated() {
        Graph g = read("a = torch.ops.aten.view.default(x, [32])\nreturn (a,)");
        g.setType(g.find(Name("a")), Type::parseAnnotation("f32[32][2]cpu"), Trust::Stated);
        QCOMPARE(shown(violation(g)), QString(""));
    }

    void aNumberIsNotWritten() {
        Graph g = read("a = torch.ops.aten.cos.default(x)\nreturn (a,)");
        g.insertBefore(g.output(), call("w", "aten::zero_", {Value::node(g.find(Name("n")))}));
        QCOMPARE(shown(violation(g)), QString("V001 written arguments are tensors: w: self is the number n"));
    }

    void noWrapperIsLeftAfterDecomposition() {
        const Graph g = read("h = torch.ops.higher_order.auto_functionalized(torch.ops.lib.foo.default, x = x)\nr = h[1]\nreturn (r,)");
        QCOMPARE(shown(violation(g)), QString(""));
        VerifyOptions options;
        options.requireNoFunctionalWrappers = true;
        QCOMPARE(shown(violation(g, options)), QString("V001 no functional wrapper left: h: it is a call of hop::auto_functionalized"));
    }

    void bodiesAreVerifiedToo() {
        Graph g = read("a = torch.ops.aten.cos.default(x)\nreturn (a,)");
        Graph body = read("a = torch.ops.aten.cos.default(x)\nb = torch.ops.aten.sin.default(a)\nreturn (b,)");
        body.moveBefore(body.find(Name("b")), body.find(Name("a")));
        g.addSubGraph(Name("body_0"), std::move(body));
        QCOMPARE(shown(violation(g)), QString("V001 definition before use: body_0.b: it uses a, which comes later"));
    }
};

QTEST_APPLESS_MAIN(TestVerifier)
#include "tst_verifier.moc"
