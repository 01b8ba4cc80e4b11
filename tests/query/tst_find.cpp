// The language for finding (ui.md 3.7): what each kind of term finds, what is said of a mistake, what is found while somebody still types.

#include <QTest>
#include <algorithm>
#include <map>

#include "core/query/find.h"
#include "core/query/regex.h"

using namespace aliascope;
using namespace aliascope::query;

namespace {

/// A node as a test writes it.
struct Node : Subject {
    std::multimap<Field, std::string> texts;
    std::map<Number, double> numbers, wholes;
    std::vector<Flag> flags;
    std::map<std::string, std::string> decision;
    std::optional<double> tol;

    bool any(Field field, const Fits& fits) const override {
        const auto [begin, end] = texts.equal_range(field);
        return std::any_of(begin, end, [&](const auto& text) { return fits(text.second); });
    }
    std::optional<double> number(Number n) const override { return look(numbers, n); }
    std::optional<double> whole(Number n) const override { return look(wholes, n); }
    std::optional<double> tolerance() const override { return tol; }
    bool is(Flag flag) const override { return std::find(flags.begin(), flags.end(), flag) != flags.end(); }
    bool holds(const Fact& fact) const override {
        if (fact.kind == Fact::Kind::Differs) return fact.argument.empty() || fact.argument == "last";
        if (fact.kind != Fact::Kind::Decision) return false;
        return std::all_of(fact.with.begin(), fact.with.end(), [&](const auto& pair) {
            const auto found = decision.find(pair.first);
            return found != decision.end() && pair.second.equals(found->second);
        });
    }

private:
    static std::optional<double> look(const std::map<Number, double>& table, Number n) {
        const auto found = table.find(n);
        return found == table.end() ? std::nullopt : std::optional(found->second);
    }
};

Node cloneNode() {
    Node node;
    for (const char* text : {"clone_default_7", "aten.clone.default", "transformer.h.3.attn"}) node.texts.emplace(Field::Text, text);
    node.texts.emplace(Field::Name, "clone_default_7");
    node.texts.emplace(Field::Op, "aten.clone.default");
    node.texts.emplace(Field::Dtype, "bf16");
    node.texts.emplace(Field::Shape, "bf16[8, 512, s0 + 1][4096, 1, 0]cpu");
    node.texts.emplace(Field::Storage, "S3");
    node.texts.emplace(Field::Source, "src/model.py:41");
    node.texts.emplace(Field::Module, "transformer.h.3.attn");
    node.texts.emplace(Field::Code, "RI30.READ");
    node.texts.emplace(Field::Code, "LATER_READ");
    node.numbers = {{Number::Bytes, 1 << 20}, {Number::Error, 0.5}, {Number::Time, 2e6}, {Number::Users, 3}};
    node.wholes = {{Number::Bytes, 10 << 20}};
    node.flags = {Flag::Clone, Flag::Added};
    node.decision = {{"code", "LATER_READ"}, {"verdict", "clone"}};
    node.tol = 0.25;
    return node;
}

QString errorOf(const char* text) {
    const auto parsed = parseFind(text);
    return parsed ? QString() : QString::fromStdString(std::to_string(parsed.error().column) + ": " + parsed.error().sentence());
}

}  // namespace

class TestFind : public QObject {
    Q_OBJECT

private slots:
    void findsOneClone_data() {
        QTest::addColumn<bool>("found");
        const std::pair<const char*, bool> rows[] = {
            {"", true},
            {"clone_default", true},
            {"CLONE_default", false},  // a capital: case matters
            {"h.3", true},
            {"clone*7", true},
            {"clone?7", false},
            {"%clone_default_7", true},
            {"%clone_def", true},
            {"op:clone", true},
            {"op:clone.default", true},
            {"op:aten.clone", true},
            {"op:aten.*", true},
            {"op:default", false},
            {"op:aten", false},
            {"op:view,clone", true},
            {"op:aten::clone", true},
            {"name:clone*", true},
            {"name:clone", false},
            {"name:%clone_default_7", true},
            {"dtype:bf16", true},
            {"dtype:f32,bf16", true},
            {"storage:S3", true},
            {"storage:3", true},
            {"storage:S33", false},
            {"src:model.py:41", true},
            {"src:model.py", true},
            {"src:odel.py", false},
            {"src:model.py:4", false},
            {"module:h.3", true},
            {"module:h.?", true},
            {"module:3.a", false},
            {"code:RI30", true},
            {"code:later_read", true},
            {"code:RI3", false},
            {"shape:[8,512,*]", true},
            {"shape:[8, 512, s0 + 1]", true},
            {"shape:[8,...]", true},
            {"shape:[...,512,...]", true},
            {"shape:[8,512]", false},
            {"shape:[]", false},
            {"bytes>1M", false},
            {"bytes>=1M", true},
            {"bytes >= 1 MiB", true},
            {"bytes=1024K", true},
            {"bytes!=1024KiB", false},
            {"bytes>5%", true},
            {"bytes>50%", false},
            {"users>50%", false},
            {"time>1ms", true},
            {"time < 1 us", false},
            {"error > tol", true},
            {"rank=3", false},
            {"clone", true},
            {"view", false},
            {"-view", true},
            {"clone -added", false},
            {"clone -removed users=3", true},
            {"view | clone", true},
            {"view | removed", false},
            {"(view | clone) (bf | default)", true},
            {"-(view | clone)", false},
            {"-(view clone)", true},
            {"\"clone_default\"", true},
            {"\"clone default\"", false},
            {"re:clone_\\w+_\\d", true},
            {"re:^aten\\.(copy|clone)\\.", true},
            {"(re:^aten | view)", true},
            {"re:\"[xyz]{2}\"", false},
            {"differs(last)", true},
            {"differs(first)", false},
            {"differs", true},
            {"decision(code=LATER_READ, verdict=clone)", true},
            {"decision(code=LATER_READ,verdict=in-place)", false},
            {"verifier-fails", false},
            {"bytes", false},  // without a comparison a word like any other
        };
        for (const auto& [text, found] : rows) QTest::newRow(text) << found;
    }
    void findsOneClone() {
        QFETCH(bool, found);
        const auto find = parseFind(QTest::currentDataTag());
        QVERIFY2(find, find ? "" : find.error().format().c_str());
        QCOMPARE(find->matches(cloneNode()), found);
    }

    void mistakesNameTheColumn() {
        QCOMPARE(errorOf("op:"), QString("4: find text: expected a word after `op:`, found the end"));
        QCOMPARE(errorOf("clone bytes>x"), QString("13: find text: expected a number, found `x`"));
        QCOMPARE(errorOf("bytes>1Q"), QString("8: find text: expected K, M, G, KiB, MiB, GiB or %, found `Q`"));
        QCOMPARE(errorOf("time>3"), QString("7: find text: expected us, ms or s, found the end"));
        QCOMPARE(errorOf("bytes>tol"), QString("7: find text: expected a number; `tol` is for `error`, found `tol`"));
        QCOMPARE(errorOf("(clone"), QString("7: find text: expected `)`, found the end"));
        QCOMPARE(errorOf("clone)"), QString("6: find text: expected no `)` without a `(`, found `)`"));
        QCOMPARE(errorOf("clone |"), QString("8: find text: expected a term beside `|`, found the end"));
        QCOMPARE(errorOf("clone - view"), QString("8: find text: expected a term directly after `-`, found ` `"));
        QCOMPARE(errorOf("shape:8"), QString("7: find text: expected `[` after `shape:`, found `8`"));
        QCOMPARE(errorOf("shape:[8,]"), QString("10: find text: expected a number, a symbol, `*` or `...`, found `]`"));
        QCOMPARE(errorOf("re:a(b"), QString("7: find text: expected `)`, found the end"));
        QCOMPARE(errorOf("re:*a"), QString("4: find text: expected something to repeat, found `*a`"));
        QVERIFY(errorOf("decision(size=3)").startsWith("10: find text: expected code, verdict, need"));
        QVERIFY(errorOf(std::string(1000, '(').c_str()).contains("at most 100 brackets"));
    }

    /// While somebody types, an unfinished term is left out and the rest finds.
    void whatIsTypedSoFarFinds() {
        for (const char* text :
             {"clone op:", "clone bytes>", "clone -", "clone (", "clone |", "clone )", "(clone", "clone re:[", "clone shape:[8", "clone \"a"}) {
            const Typed typed = typedFind(text);
            QVERIFY2(typed.error, text);
            QVERIFY2(typed.find.matches(cloneNode()), text);
            QVERIFY2(!typed.find.matches(Node()), text);
        }
        QVERIFY(!typedFind("clone").error);
        QVERIFY(typedFind("op:").find.empty());
        QVERIFY(typedFind("   ").find.empty());
    }

    void regularExpressions_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("found");
        QTest::newRow("alternatives") << "^(a|bc|d)$"
                                      << "bc" << true;
        QTest::newRow("empty alternative") << "^x(a|)y$"
                                           << "xy" << true;
        QTest::newRow("no alternative") << "^(a|bc|d)$"
                                        << "b" << false;
        QTest::newRow("counted") << "^a{2,3}$"
                                 << "aaa" << true;
        QTest::newRow("counted too often") << "^a{2,3}$"
                                           << "aaaa" << false;
        QTest::newRow("counted group") << "^(ab|c){2}$"
                                       << "cab" << true;
        QTest::newRow("at least") << "^(ab){2,}$"
                                  << "ababab" << true;
        QTest::newRow("none") << "^a{0}$"
                              << "" << true;
        QTest::newRow("plus of a group") << "^(a|b)+c$"
                                         << "abbac" << true;
        QTest::newRow("plus needs one") << "^(a|b)+c$"
                                        << "c" << false;
        QTest::newRow("star of a star") << "^(a*)*b$"
                                        << "aaab" << true;
        QTest::newRow("bracket") << "^[^a-c_]\\]$"
                                 << "d]" << true;
        QTest::newRow("bracket refused") << "^[^a-c_]$"
                                         << "b" << false;
        QTest::newRow("borders") << "\\bmul\\b"
                                 << "aten.mul.Tensor" << true;
        QTest::newRow("no border") << "\\bmul\\b"
                                   << "matmul" << false;
        QTest::newRow("case") << "mul"
                              << "MUL" << true;
        QTest::newRow("exponential elsewhere") << "^(a|aa|a*)*$" << QString(20'000, 'a') + "b" << false;
    }
    void regularExpressions() {
        QFETCH(QString, pattern);
        QFETCH(QString, text);
        QFETCH(bool, found);
        const auto regex = Regex::compile(pattern.toStdString(), false);
        QVERIFY(regex);
        QCOMPARE(regex->isIn(text.toStdString()), found);
    }
    void greatExpressionsAreRefused() { QVERIFY(!Regex::compile("((a{100}){100}){100}", true)); }
};

QTEST_APPLESS_MAIN(TestFind)
#include "tst_find.moc"
