// The registry (patterns.md 4, 5, 10, 16): the 144 variants of PyTorch's attention patterns, their sizes, and which of them coincide.

#include <QFile>
#include <QTest>
#include <map>
#include <random>
#include <set>

#include "core/passes/attention_rules.h"
#include "core/patterns/pattern_set.h"

using namespace aliascope;
using namespace aliascope::patterns;

namespace {

/// The part of the name that says which pattern it is: `sdpa_16_half_mask_fp32_bs1_training` -> `16_half_mask_fp32_bs1`.
std::string variant(const std::string& name) { return name.substr(5, name.rfind('_') - 5); }

/// Registers the rules of a text as extended mode does; what was refused is the code of the set's error.
struct Registered {
    std::unique_ptr<PatternSet> set;
    std::string error;
};
Registered registered(const std::string& text, bool unique = false) {
    SetOptions options = attentionPatterns(true).options();
    options.unique = unique;
    Registered out{std::make_unique<PatternSet>(OpRegistry::builtin(), options), {}};
    const auto file = parsePatterns(text, "own.patterns");
    const Status added = file ? out.set->add(*file) : Status(fail(file.error()));
    if (!added) out.error = added.error().code + ": " + added.error().sentence();
    return out;
}

const PatternSet& torchSet(bool reference) {
    const auto make = [](bool asReference) {
        SetOptions options = attentionPatterns(false).options();
        options.reference = asReference;
        auto set = std::make_unique<PatternSet>(OpRegistry::builtin(), options);
        const auto file = readPatternFile(std::string(ALIASCOPE_SOURCE_DIR) + "/resources/patterns/torch_attention.patterns");
        if (!file) qFatal("%s", file.error().format().c_str());
        const auto added = set->add(*file);
        if (!added) qFatal("%s", added.error().format().c_str());
        return set;
    };
    static const auto kept = make(true), all = make(false);
    return reference ? *kept : *all;
}

}  // namespace

class PatternSetTest : public QObject {
    Q_OBJECT

private slots:
    void variants() {
        const PatternSet& set = torchSet(false);
        QCOMPARE(set.actions().size(), std::size_t(144));
        std::map<bool, int> half;
        for (const Action& a : set.actions()) ++half[a.name.find("_half") != std::string::npos];
        QCOMPARE(half[false], 70);
        QCOMPARE(half[true], 74);
    }

    void referenceDrops() {
        const PatternSet& set = torchSet(true);
        QCOMPARE(set.actions().size(), std::size_t(126));
        std::set<std::string> dropped;
        for (const auto& [name, kept] : set.dropped()) dropped.insert(name.substr(5) + "=" + kept.substr(5));
        std::set<std::string> want;
        for (const char* half : {"", "_half"})
            for (const char* pair : {"4=2", "6=5", "8=7", "10=9", "16=14", "17=15"}) {
                const std::string p = pair;
                const auto at = p.find('=');
                want.insert(p.substr(0, at) + half + "_inference=" + p.substr(at + 1) + half + "_inference");
            }
        for (const char* bs1 : {"", "_bs1"})
            for (const char* pair : {"25=21", "26=22", "27=23"}) {
                const std::string p = pair;
                const auto at = p.find('=');
                want.insert(p.substr(0, at) + bs1 + "_inference=" + p.substr(at + 1) + bs1 + "_inference");
            }
        QCOMPARE(dropped, want);
    }

    void normalForms() {
        const PatternSet& set = torchSet(false);
        QCOMPARE(set.forms().size(), std::size_t(122));
        QCOMPARE(set.notes().size(), std::size_t(22));
        for (const Diagnostic& note : set.notes()) QCOMPARE(note.code, std::string("DUPLICATE_NORMAL_FORM"));
    }

    void sizes_data() {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<int>("inference");
        QTest::addColumn<int>("training");
        QTest::addColumn<int>("outputs");
        const auto row = [](const char* f32, int inference, int training, int halfInference, int halfTraining, int outputs) {
            const QString name = f32;
            if (inference) QTest::newRow(f32) << name << inference << training << outputs;
            const bool bs1 = name.endsWith("_bs1");
            const QString half = bs1 ? name.chopped(4) + "_half_bs1" : name + "_half";
            if (inference)
                QTest::newRow(qPrintable(half)) << half << halfInference << halfTraining << outputs;
            else
                QTest::newRow(f32) << name << halfInference << halfTraining << outputs;
        };
        row("1", 19, 39, 21, 44, 5);
        row("2", 19, 39, 21, 44, 5);
        row("3", 19, 46, 21, 51, 6);
        row("4", 19, 46, 21, 51, 6);
        row("5", 20, 40, 22, 45, 5);
        row("6", 20, 47, 22, 52, 6);
        row("7", 26, 58, 27, 59, 5);
        row("8", 26, 51, 27, 52, 4);
        row("9", 26, 58, 27, 59, 5);
        row("10", 26, 51, 27, 52, 4);
        row("11", 25, 48, 27, 53, 5);
        row("12", 25, 55, 27, 60, 6);
        row("13", 8, 28, 10, 33, 5);
        row("14", 26, 49, 28, 54, 6);
        row("15", 30, 55, 32, 60, 6);
        row("16", 26, 56, 28, 61, 7);
        row("16_bs1", 23, 53, 25, 58, 7);
        row("16_half_mask_fp32", 0, 0, 27, 59, 7);
        row("16_half_mask_fp32_bs1", 0, 0, 24, 56, 7);
        row("17", 30, 62, 32, 67, 7);
        row("18", 28, 60, 30, 65, 8);
        row("18_bs1", 25, 57, 27, 62, 8);
        row("19", 23, 52, 24, 55, 7);
        row("20", 30, 62, 32, 67, 6);
        for (const char* n : {"21", "22"}) {
            row(n, 25, 47, 28, 54, n[1] == '1' ? 5 : 7);
            row((std::string(n) + "_bs1").c_str(), 22, 44, 25, 51, n[1] == '1' ? 5 : 7);
        }
        row("23", 24, 46, 28, 54, 6);
        row("23_bs1", 21, 43, 25, 51, 6);
        row("24", 15, 32, 16, 37, 5);
        for (const char* n : {"25", "26"}) {
            row(n, 25, 54, 27, 58, n[1] == '5' ? 6 : 8);
            row((std::string(n) + "_bs1").c_str(), 22, 51, 24, 55, n[1] == '5' ? 6 : 8);
        }
        row("27", 24, 53, 26, 57, 7);
        row("27_bs1", 21, 50, 23, 54, 7);
    }
    void sizes() {
        QFETCH(QString, variant);
        QFETCH(int, inference);
        QFETCH(int, training);
        QFETCH(int, outputs);
        int found = 0;
        for (const Action& a : torchSet(false).actions()) {
            if (::variant(a.name) != variant.toStdString()) continue;
            ++found;
            QCOMPARE(static_cast<int>(a.pattern.calls()), a.training ? training : inference);
            if (a.training) QCOMPARE(static_cast<int>(a.pattern.outputs.size()), outputs);
        }
        QCOMPARE(found, 2);
    }

    void redundantViewsAreNoOtherPattern() {
        const std::string examples =
            "example $query=[2|1, 4, 8, 16] grad, $key=[2|1, 4, 8, 16] grad, $value=[2|1, 4, 8, 16] grad, $attn_mask=[2|1, 1, 1, 4]:f32\n";
        const auto rule = [&](const std::string& name, const std::string& score) {
            return "rule " + name + " { " + examples + "find matmul(cast(softmax(cast(" + score +
                   R"(, f32), -1), dtype($query)), %v=permute($value, [0, 2, 1, 3])), %k, %v
                make $query, %k, %v })";
        };
        const std::string masked =
            "cast(add(%s=matmul(permute($query, [0, 2, 1, 3]), permute(%k=permute($key, [0, 2, 1, 3]), [0, 1, 3, 2])), $attn_mask), dtype($query))";
        const std::string flat =
            "view(view(" + masked +
            ", [dim($query, 0) * dim($query, 2), dim($query, 1), dim($key, 1)]), [dim($query, 0), dim($query, 2), dim($query, 1), dim($key, 1)])";
        const Registered both = registered("set s { " + rule("is", masked) + rule("was", flat) + " }");
        QVERIFY2(both.error.empty(), both.error.c_str());
        QCOMPARE(both.set->actions().size(), std::size_t(16));
        QCOMPARE(both.set->forms().size(), std::size_t(8));
        QCOMPARE(both.set->notes().size(), std::size_t(8));
    }

    void oneFormTwoActions() {
        const Registered r = registered(R"(set s {
            rule first { find aten.relu(aten.view(aten.view($x: rank 3, merge(0, 1)), split(0))) make aten.neg($x) }
            rule second prio 5 { find aten.relu($y: rank 3) make aten.abs($y) }
        })");
        QVERIFY2(r.error.empty(), r.error.c_str());
        QCOMPARE(r.set->forms().size(), std::size_t(1));
        QCOMPARE(r.set->forms().front().actions.size(), std::size_t(2));
        QCOMPARE(r.set->actions()[r.set->forms().front().actions.front()].name, std::string("second"));
        QCOMPARE(r.set->notes().size(), std::size_t(1));
        QCOMPARE(r.set->notes().front().sentence(), std::string("first and second have one normal form, first is tried first."));
    }

    void otherViewsAreOtherForms() {
        const Registered r = registered(R"(set s {
            rule merged { find aten.relu(aten.view($x: rank 3, merge(0, 1))) make aten.neg($x) }
            rule split { find aten.relu(aten.view(aten.view($x: rank 3, merge(1, 2)), split(0))) make aten.neg($x) }
            rule plain { find aten.relu($x: rank 3) make aten.neg($x) }
        })");
        QVERIFY2(r.error.empty(), r.error.c_str());
        QCOMPARE(r.set->forms().size(), std::size_t(3));
    }

    void permutesAreComposed() {
        const Registered r = registered(R"(set s {
            rule two { find aten.relu(aten.permute(aten.permute($x: rank 3, [1, 0, 2]), [0, 2, 1])) make $x }
            rule one { find aten.relu(aten.permute($x: rank 3, [1, 2, 0])) make $x }
        })");
        QVERIFY2(r.error.empty(), r.error.c_str());
        QCOMPARE(r.set->forms().size(), std::size_t(1));
    }

    void commutativeOperandsAreSorted() {
        const Registered r = registered(R"(set s {
            rule a { find aten.add.Tensor(aten.sin($x), aten.cos($y)) !commute make $x }
            rule b { find aten.add.Tensor(aten.cos($p), aten.sin($q)) !commute make $q }
            rule c { find aten.add.Tensor(aten.cos($p), aten.sin($q)) make $q }
        })");
        QVERIFY2(r.error.empty(), r.error.c_str());
        QCOMPARE(r.set->forms().size(), std::size_t(2));
    }

    void equalRulesAreAnErrorWhereAsked() {
        const std::string twice = "set s { rule a { find aten.relu($x) make $x } rule b { find aten.relu($y) make $y } }";
        QVERIFY(registered(twice).error.empty());
        const std::string other = "set s { rule a { find aten.relu($x) make aten.neg($x) } rule b { find aten.relu($x) make aten.abs($x) } }";
        QVERIFY(registered(other, true).error.empty());
        const std::string same = "set s { rule a { find aten.relu($x) make aten.neg($x) } rule b { find aten.relu($x) make aten.neg($x) } }";
        QCOMPARE(registered(same, true).error, std::string("DUPLICATE_NORMAL_FORM: a and b have one normal form, a is tried first."));
    }

    void whatCancelsOutIsRefused() {
        QCOMPARE(registered("set s { rule r { find aten.permute(aten.permute($x: rank 3, [1, 2, 0]), [2, 0, 1]) make $x } }").error,
                 std::string("EMPTY_PATTERN: All of r cancels out, it would match anything."));
    }

    void theNetFindsOneOfThousands() {
        std::string rules = "set many {";
        for (int i = 0; i < 3000; ++i)
            rules += "rule r" + std::to_string(i) + " { find aten.mul.Tensor(aten.add.Tensor(aten." + (i % 2 ? "sin" : "cos") + "($x), " +
                     std::to_string(i) + "), $y) make $x }";
        const Registered r = registered(rules + "}");
        QVERIFY2(r.error.empty(), r.error.c_str());
        Graph g;
        const auto node = [&](NodeKind kind, const char* op, std::vector<Value> args) {
            Node n;
            n.kind = kind;
            n.name = "n"_n;
            n.op = Name(op);
            n.args = std::move(args);
            return g.append(std::move(n));
        };
        const Value x = Value::node(node(NodeKind::Placeholder, "", {}));
        const Value cos = Value::node(node(NodeKind::CallFunction, "aten::cos", {x}));
        const Value add = Value::node(node(NodeKind::CallFunction, "aten::add.Tensor", {cos, Value::integer(1234)}));
        const NodeId mul = node(NodeKind::CallFunction, "aten::mul.Tensor", {add, x});
        const PatternSet::Found found = r.set->find(g, mul, false);
        QCOMPARE(found.forms.size(), std::size_t(1));
        QCOMPARE(r.set->actions()[r.set->forms()[found.forms.front()].actions.front()].name, std::string("r1234"));
        QCOMPARE(found.depth, std::size_t(3));
    }

    void brokenTextsAreRefused() {
        QFile resource(QString(ALIASCOPE_SOURCE_DIR) + "/resources/patterns/attention.patterns");
        QVERIFY(resource.open(QIODevice::ReadOnly));
        const std::string whole = resource.readAll().toStdString();
        const std::string macros = whole.substr(0, whole.find("  # X1")), rule = whole.substr(whole.find("  rule softmax_call"));
        const std::size_t tracedAt = whole.find("  rule causal_div");
        const std::string traced = whole.substr(tracedAt, whole.find("  # The same before") - tracedAt) + "}";
        std::mt19937 random(11);
        int accepted = 0;
        for (int i = 0; i < 2000; ++i) {
            std::string text = macros + (i % 4 ? rule : traced);
            for (int k = 0; k < 1 + i % 3; ++k) {
                const std::size_t at = random() % text.size(), length = 1 + random() % 12;
                switch (random() % 3) {
                    case 0:
                        text.erase(at, length);
                        break;
                    case 1:
                        text.insert(at, text.substr(random() % text.size(), length));
                        break;
                    default:
                        text[at] = static_cast<char>(random() % 256);
                }
            }
            const Registered r = registered(text);
            accepted += r.error.empty();
            if (r.error.starts_with("PATTERN_SYNTAX")) QVERIFY2(r.error.find("own.patterns:") != std::string::npos, r.error.c_str());
        }
        QVERIFY(accepted > 0 && accepted < 2000);
    }

    void nothingIsLeftOut() {
        QVERIFY(attentionPatterns(true).actions().size() > 144);
        std::set<std::string> rules;
        for (const Action& a : attentionPatterns(true).actions()) rules.insert(a.rule->name);
        for (const char* rule : {"sdpa_1", "sdpa_27", "masked_mul", "decomposed_masked", "causal_mul", "padded_root"})
            QVERIFY2(rules.count(rule), rule);
    }
};

QTEST_APPLESS_MAIN(PatternSetTest)
#include "tst_pattern_set.moc"
