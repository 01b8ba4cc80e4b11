// The text form of patterns (patterns.md 6): what is read, and where errors are said to be.

#include <QTest>

#include "core/patterns/language.h"

using namespace aliascope;
using namespace aliascope::patterns;

namespace {

std::string errorOf(const std::string& text, const LanguageLimits& limits = {}) {
    const auto file = parsePatterns(text, "p.patterns", limits);
    return file ? "no error" : file.error().sentence();
}

}  // namespace

class PatternLanguageTest : public QObject {
    Q_OBJECT

private slots:
    void oneRule() {
        const auto file = parsePatterns(R"(
            # a comment
            set own {
              rule twice prio 3 { find aten.mul.Tensor(%s={aten.sin|aten.cos}($x: f) !shared, =2, ..) !commute where rank($x) <= 4 make aten.add($x, $x) }
            })",
                                        "p.patterns");
        QVERIFY2(file, file ? "" : file.error().format().c_str());
        QCOMPARE(file->rules.size(), std::size_t(1));
        const Rule& rule = file->rules.front();
        QCOMPARE(rule.set, std::string("own"));
        QCOMPARE(rule.name, std::string("twice"));
        QCOMPARE(rule.priority, std::int64_t(3));
        const Expr& mul = rule.find.front();
        QVERIFY(mul.open && mul.commute && !mul.shared);
        QCOMPARE(mul.args.size(), std::size_t(2));
        QCOMPARE(mul.args[0].value.ops.size(), std::size_t(2));
        QVERIFY(mul.args[0].value.shared);
        QCOMPARE(*mul.args[1].value.literal.asInt(), std::int64_t(2));
        QCOMPARE(rule.where.front().text, std::string("rank($x) <= 4"));
    }

    void macrosAreExpanded() {
        const auto file = parsePatterns(R"(macro twice($x) = aten.add(%a=aten.sin($x), %a)
                                           set s { rule r { find aten.mul(twice($p), twice(aten.neg($q))) make $p } })",
                                        "p.patterns");
        QVERIFY2(file, file ? "" : file.error().format().c_str());
        const Expr& mul = file->rules.front().find.front();
        QCOMPARE(mul.args[1].value.args[0].value.args[0].value.ops.front(), std::string("aten.neg"));
        // Nodes named in a macro are other nodes at every use.
        QVERIFY(mul.args[0].value.args[0].value.name != mul.args[1].value.args[0].value.name);
    }

    void errors_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("no set") << "rule r"
                                << "p.patterns:1:1: expected set or macro, found \"rule\".";
        QTest::newRow("no find") << "set s {\n  rule r { make $x }\n}"
                                 << "p.patterns:2:12: expected find, found \"make\".";
        QTest::newRow("open call") << "set s { rule r { find aten.relu($x make $x } }"
                                   << "p.patterns:1:36: expected \")\", found \"make\".";
        QTest::newRow("end") << "set s { rule r { find"
                             << "p.patterns:1:22: expected an expression, found the end of the text.";
        QTest::newRow("results") << "set s { rule r { find aten.relu($x) make $x, $x } }"
                                 << "p.patterns:1:42: expected 1 results, as many as find has, found 2.";
        QTest::newRow("columns are characters") << "# \xC3\xBC\nset s\xC3\xBC {"
                                                << "p.patterns:2:6: expected \"{\", found \"\xC3\xBC\".";
        QTest::newRow("type") << "set s { rule r { find aten.relu($x: float) make $x } }"
                              << "p.patterns:1:37: expected f, i, b, scalar, sym, rank or a dtype such as f32, found \"float\".";
        QTest::newRow("number") << "set s { rule r { find aten.add($x, 99999999999999999999) make $x } }"
                                << "p.patterns:1:36: expected a number that fits 64 bits, found 99999999999999999999.";
        QTest::newRow("string") << "set s { rule r { find aten.add($x, \"a) make $x } }"
                                << "p.patterns:1:36: expected a closing \", found the end of the line.";
        QTest::newRow("macro arguments") << "macro m($x) = aten.relu($x)\nset s { rule r { find m($x, $y) make $x } }"
                                         << "p.patterns:2:23: expected 1 arguments of m, found 2.";
    }
    void errors() {
        QFETCH(QString, text);
        QFETCH(QString, sentence);
        QCOMPARE(QString::fromStdString(errorOf(text.toStdString())), sentence);
    }

    void hostileTextsAreBounded() {
        QVERIFY(errorOf("set s { rule r { find " + std::string(200000, '(')).find("nested at most") != std::string::npos);
        QVERIFY(errorOf("set s { rule r { find " + std::string(200000, '[')).find("nested at most") != std::string::npos);
        std::string equals;
        for (int i = 0; i < 100000; ++i) equals += "= ";
        QVERIFY(errorOf("set s { rule r { find " + equals).find("nested at most") != std::string::npos);
        std::string doubling = "macro m0($x) = aten.add($x, $x)\n";
        for (int i = 1; i < 40; ++i) doubling += "macro m" + std::to_string(i) + "($x) = m" + std::to_string(i - 1) + "(aten.add($x, $x))\n";
        QVERIFY(errorOf(doubling + "set s { rule r { find m39($x) make $x } }") != "no error");
        LanguageLimits small;
        small.bytes = 10;
        QVERIFY(errorOf("set s { rule", small).find("at most 10 bytes") != std::string::npos);
        QVERIFY(errorOf(std::string("set s \0 {", 9)) != "no error");
    }

    void everyPrefixIsAnErrorOrAFile() {
        const std::string text =
            "macro m($x) = aten.relu($x)\nset s { rule r prio 2 { example $x=[2|1, 3]:f|f32 grad, $p=0.5 find m($x)?, none where $x in [1, -2.5e3] "
            "make 1/$x * (2 - $x), none } }";
        for (std::size_t n = 0; n <= text.size(); ++n) (void)parsePatterns(text.substr(0, n), "p");
        QVERIFY(parsePatterns(text, "p"));
    }
};

QTEST_APPLESS_MAIN(PatternLanguageTest)
#include "tst_pattern_language.moc"
