// The table of verbs: every verb has help, every option exists, every example parses.

#include <QTest>

#include "app/cli/arguments.h"

using namespace aliascope::cli;

namespace {

/// Splits a command line as a shell would, single quotes only; a redirection ends it.
std::vector<std::string> shellWords(std::string_view line) {
    std::vector<std::string> out;
    std::string word;
    bool quoted = false, any = false;
    for (char c : line) {
        if (c == '\'') {
            quoted = !quoted;
            any = true;
        } else if (c == '<' && !quoted) {
            break;
        } else if (c == ' ' && !quoted) {
            if (any) out.push_back(word);
            word.clear();
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    if (any) out.push_back(word);
    return out;
}

}  // namespace

class TestCommandTable : public QObject {
    Q_OBJECT

private slots:
    void everyVerbHasHelp() {
        for (const VerbSpec& verb : verbTable()) {
            QVERIFY2(!verb.help.empty(), verb.name.data());
            const std::string page = verbHelp(verb);
            QVERIFY(page.find(verb.name) != std::string::npos);
            if (!verb.built) {
                QVERIFY(page.find("not in this build") != std::string::npos);
                continue;
            }
            QVERIFY2(overviewHelp().find(std::string("  ") + std::string(verb.name)) != std::string::npos, verb.name.data());
            QVERIFY2(!verb.examples.empty(), verb.name.data());
            for (std::string_view option : verb.options) {
                QVERIFY2(findOption(option), option.data());
                QVERIFY(page.find(option) != std::string::npos);
            }
        }
    }

    void everyOptionIsOfSomeVerb() {
        for (const OptionSpec& option : optionTable()) {
            bool used = false;
            for (const VerbSpec& verb : verbTable())
                used = used || std::find(verb.options.begin(), verb.options.end(), option.name) != verb.options.end();
            QVERIFY2(used, option.name.data());
            QVERIFY2(!option.help.empty(), option.name.data());
        }
    }

    void examplesParse() {
        for (const VerbSpec& verb : verbTable()) {
            for (std::string_view example : verb.examples) {
                auto words = shellWords(example);
                QCOMPARE(words.front(), std::string("aliascope"));
                words.erase(words.begin());
                const Parsed parsed = parseArguments(words);
                QVERIFY2(parsed.kind == Parsed::Kind::Command, parsed.text.c_str());
                QCOMPARE(parsed.arguments.verb->name, verb.name);
            }
        }
    }

    void values() {
        const Parsed parsed = parseArguments({"decisions", "-", "--ops", "a.ops", "--ops=b.ops", "--json", "--code", "RI30", "-q"});
        QVERIFY2(parsed.kind == Parsed::Kind::Command, parsed.text.c_str());
        QCOMPARE(parsed.arguments.at(0), std::string("-"));
        QCOMPARE(parsed.arguments.all("--ops"), (std::vector<std::string>{"a.ops", "b.ops"}));
        QVERIFY(parsed.arguments.has("--json") && parsed.arguments.has("--quiet") && !parsed.arguments.has("--strict"));
        QCOMPARE(parsed.arguments.get("--code"), std::string("RI30"));
        const Parsed brackets = parseArguments({"why", "f.py", "--line", "[0/0] For node [x]"});
        QCOMPARE(brackets.arguments.get("--line"), std::string("[0/0] For node [x]"));
    }

    void mistakes_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("says");
        QTest::newRow("nothing") << QStringList{} << "usage: aliascope VERB";
        QTest::newRow("verb") << QStringList{"shwo", "f"} << "nearest show";
        QTest::newRow("option") << QStringList{"show", "f", "--grpah", "1"} << "--graph";
        QTest::newRow("option of another verb") << QStringList{"show", "f", "--bytemap"} << "`show` has no option --bytemap";
        QTest::newRow("no file") << QStringList{"show"} << "`show` needs FILE";
        QTest::newRow("too much") << QStringList{"passes", "f"} << "takes no arguments";
        QTest::newRow("no value") << QStringList{"show", "f", "--graph"} << "--graph";
        QTest::newRow("not built") << QStringList{"patterns", "f"} << "`patterns` is not in this build";
    }
    void mistakes() {
        QFETCH(QStringList, words);
        QFETCH(QString, says);
        std::vector<std::string> list;
        for (const QString& word : words) list.push_back(word.toStdString());
        const Parsed parsed = parseArguments(list);
        QVERIFY(parsed.kind == Parsed::Kind::Mistake);
        QVERIFY2(QString::fromStdString(parsed.text).contains(says), parsed.text.c_str());
    }
};

QTEST_APPLESS_MAIN(TestCommandTable)
#include "tst_command_table.moc"
