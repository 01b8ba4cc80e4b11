// The list of reasons: well formed, complete against its specification, and the only source of the codes that the program emits.

#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>
#include <set>

#include "core/support/diagnostic.h"
#include "core/support/reasons.h"

using namespace aliascope;

namespace {

QString text(std::string_view s) { return QString::fromUtf8(s.data(), qsizetype(s.size())); }

QStringList parametersOf(std::string_view sentence) {
    QStringList out;
    static const QRegularExpression name("\\{([^{}]*)\\}");
    for (auto it = name.globalMatch(text(sentence)); it.hasNext();) out << it.next().captured(1);
    return out;
}

}  // namespace

class TestReasons : public QObject {
    Q_OBJECT

private slots:
    void rowsAreWellFormed();
    void codesAreUniqueInTheirArea();
    void findsByCodeNameAndArea();
    void fillsParameters();
    void diagnosticsSpeak();
    void everyEmittedCodeHasASentence();
    void everyCodeOfTheSpecificationIsThere();
};

void TestReasons::rowsAreWellFormed() {
    const std::set<std::string_view> areas = {"reinplace", "functionalize", "cleanup", "patterns", "chunk", "exec", "read"};
    static const QRegularExpression code("^(RI\\d\\d(\\.[A-Z]+)?|[RPVS]\\d\\d\\d|[A-Z][A-Z0-9_]*)$"), parameter("^[a-z][a-z0-9_]*$");
    QVERIFY(allReasons().size() >= 180);
    for (const Reason& r : allReasons()) {
        QVERIFY2(code.match(text(r.code)).hasMatch(), qPrintable(text(r.code)));
        QVERIFY2(areas.contains(r.area), qPrintable(text(r.code)));
        QVERIFY2(!r.name.empty() && !r.sentence.empty(), qPrintable(text(r.code)));
        QCOMPARE(text(r.sentence).count('{'), text(r.sentence).count('}'));
        for (const QString& p : parametersOf(r.sentence)) QVERIFY2(parameter.match(p).hasMatch(), qPrintable(text(r.code) + " {" + p + "}"));
    }
}

void TestReasons::codesAreUniqueInTheirArea() {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const Reason& r : allReasons()) QVERIFY2(seen.emplace(r.code, r.area).second, qPrintable(text(r.code)));
}

void TestReasons::findsByCodeNameAndArea() {
    QVERIFY(findReason("RI21") && findReason("RI21")->name == "VIEW_OF_INPUT");
    QVERIFY(findReason("VIEW_OF_INPUT") && findReason("VIEW_OF_INPUT")->code == "RI21");
    QVERIFY(findReason("LATER_READ") && findReason("LATER_READ")->code == "RI30.READ");
    QVERIFY(findReason("REGION") && findReason("REGION")->area == "cleanup");
    QVERIFY(findReason("REGION", "patterns") && findReason("REGION", "patterns")->area == "patterns");
    QVERIFY(!findReason("REGION", "exec"));
    QVERIFY(!findReason("NO_SUCH_CODE"));
    QVERIFY(!findReason(""));
}

void TestReasons::fillsParameters() {
    QCOMPARE(text(fillSentence("{a} and {b}, {a}", {{"a", "1"}, {"b", "{a}"}})), QString("1 and {a}, 1"));
    QCOMPARE(text(fillSentence("{a} is {missing}", {{"a", "x"}})), QString("x is {missing}"));
    QCOMPARE(text(fillSentence("open {a", {{"a", "x"}})), QString("open {a"));
    QCOMPARE(text(fillSentence("plain", {})), QString("plain"));
    QCOMPARE(text(fillSentence("", {{"a", "x"}})), QString());
}

void TestReasons::diagnosticsSpeak() {
    Diagnostic d = userError("R014", {{"want", "')'"}, {"got", "','"}});
    d.file = "g.py";
    d.line = 3;
    d.column = 7;
    QVERIFY(text(d.format()).startsWith("g.py:3:7: error R014: expected ')', found ','"));
    QVERIFY(!text(userError("R060", {{"want", "a"}, {"got", "b"}}).sentence()).contains('{'));
    QVERIFY(!text(warning("R061", {{"name", "f"}, {"a", "1"}, {"b", "2"}}).sentence()).contains('{'));
}

void TestReasons::everyEmittedCodeHasASentence() {
    static const QRegularExpression call("\\b(?:userError|warning|info|internalError)\\(\\s*\"([A-Z][A-Z0-9_.]*)\"");
    int found = 0;
    for (const char* folder : {"core", "app", "views"}) {
        QDirIterator files(QStringLiteral(ALIASCOPE_SOURCE_DIR "/") + folder, {"*.cpp", "*.h"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString source = QString::fromUtf8(file.readAll());
            for (auto it = call.globalMatch(source); it.hasNext(); ++found) {
                const QString code = it.next().captured(1);
                QVERIFY2(findReason(code.toStdString()), qPrintable(code + " in " + file.fileName()));
            }
        }
    }
    QVERIFY(found > 0);
}

void TestReasons::everyCodeOfTheSpecificationIsThere() {
    const QString shared = qEnvironmentVariable("ALIASCOPE_SHARED");
    if (shared.isEmpty()) QSKIP("ALIASCOPE_SHARED does not name the folder of the specification");
    QFile file(shared + "/spec/reason-codes.md");
    QVERIFY(file.open(QIODevice::ReadOnly));
    static const QRegularExpression row("^\\| ([A-Z][^|]*?) +\\|"), word("[A-Z][A-Z0-9_]*(\\.[A-Z]+)?");
    bool inList = false;
    int codes = 0;
    std::set<std::string> own;
    for (const Reason& r : allReasons()) own.emplace(r.code);
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
        if (line.startsWith("## ")) inList = !line.startsWith("## 1.");
        const auto m = row.match(line);
        if (!inList || !m.hasMatch()) continue;
        const QString cell = m.captured(1).remove(QRegularExpression("\\([^)]*\\)"));
        for (auto it = word.globalMatch(cell); it.hasNext(); ++codes) {
            const QString code = it.next().captured(0);
            QVERIFY2(findReason(code.toStdString()), qPrintable(code));
            own.erase(code.toStdString());
        }
    }
    QVERIFY2(codes >= 180, qPrintable(QString::number(codes)));
    const std::set<std::string> known = {
        "BIND_AMBIGUOUS", "BIND_TEXT",   "BIND_UNKNOWN", "CLONE_BY_RUN", "DECIDED_NATIVELY", "DROPPED_CALL",  "FORCE_IMPOSSIBLE", "FORM_BY_RUN",
        "KERNEL_BY_RUN",  "LEFT_OPAQUE", "NOT_REACHED",  "NO_PROGRAM",   "NO_REFERENCE",     "NO_SUCH_INPUT", "OVER_BUDGET",      "P005",
        "R004",           "R005",        "RI53",         "WITHIN_BUDGET"};
    for (const std::string& code : own) QVERIFY2(known.contains(code), code.c_str());
    QCOMPARE(own.size(), known.size());
}

QTEST_APPLESS_MAIN(TestReasons)
#include "tst_reasons.moc"
