// `report` and `export`: what a reader of the file finds in it, and that it needs nothing else; pictures of stages; copies of sessions.

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include "tests/cli/program.h"

using namespace aliascope::testing;

namespace {

const QString samples = QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/");
const QString kv = samples + "kv_cache_layers.py";

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Number of elements with this class in a well-formed SVG; -1 when it is none.
int countOf(const QString& svg, const QString& cls) {
    QXmlStreamReader xml(svg);
    int n = 0;
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement) n += xml.attributes().value("class").toString().split(' ').contains(cls);
    return xml.hasError() ? -1 : n;
}

QStringList svgsOf(const QString& html) {
    static const QRegularExpression svg("<svg.*?</svg>", QRegularExpression::DotMatchesEverythingOption);
    QStringList out;
    for (auto it = svg.globalMatch(html); it.hasNext();) out << it.next().captured(0);
    return out;
}

}  // namespace

class TestReport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        session_ = folder_.filePath("kv.aliascope");
        QCOMPARE(runProgram({"run", kv, "--pipeline", "torch-v1", "-o", session_}).exit, 0);
        QCOMPARE(runProgram({"report", session_, "-o", folder_.filePath("report.html")}).exit, 0);
        html_ = QString::fromUtf8(contents(folder_.filePath("report.html")));
        QVERIFY(html_.startsWith("<!DOCTYPE html>") && html_.endsWith("</html>\n"));
    }

    void itSaysWhatTheVerbsSay() {
        QVERIFY(html_.contains("Pipeline torch-v1: 8 clones, 1.69 MiB cloned; 1 MiB copied back; 0 arguments written in place; 8 findings."));
        QVERIFY(html_.contains("aliascope run " + kv + " --pipeline torch-v1"));
        const Answer decisions = runProgram({"decisions", session_, "--json"});
        for (const QJsonValue& row : decisions.rows("decisions")) {
            QVERIFY(html_.contains("<td>%" + row.toObject()["node"].toObject()["name"].toString() + "</td>"));
            if (row.toObject()["verdict"] == "clone")
                QVERIFY(html_.contains(row.toObject()["sentence"].toString().toHtmlEscaped().replace("&quot;", "&quot;")));
        }
        for (const QJsonValue& stage : runProgram({"stages", session_, "--json"}).rows("stages"))
            QVERIFY(html_.contains(stage.toObject()["name"].toString()));
        QCOMPARE(html_.count("<details class=\"why finding\""), 8);
    }

    void everyFindingHasItsTwoPictures() {
        const QStringList pictures = svgsOf(html_);
        QCOMPARE(pictures.size(), 8 * 2 + 1);  // and the curve of the memory
        for (const QString& svg : pictures) QVERIFY2(countOf(svg, "picture") == 1, qPrintable(svg.left(300)));
        int bars = 0, chosen = 0;
        for (const QString& svg : pictures) {
            bars += countOf(svg, "bar") > 1;
            chosen += countOf(svg, "chosen");
        }
        QCOMPARE(bars, 8);
        QCOMPARE(chosen, 8);
        // The 16 KiB window of %clone_default_1's argument at 400 KiB, of which the clone copies 416 KiB.
        QVERIFY(html_.contains("covers bytes 409,600 to 425,984"));
    }

    void itNeedsNothingElse() {
        static const QRegularExpression outside("(src|href)=\"(?!#)|url\\(|@import|https?://(?!www\\.w3\\.org/2000/svg)");
        QVERIFY2(!outside.match(html_).hasMatch(), qPrintable(outside.match(html_).captured(0)));
        QVERIFY(html_.contains("@media (prefers-color-scheme:dark)"));
        static const QRegularExpression anchor("href=\"#([^\"]+)\"");
        for (auto it = anchor.globalMatch(html_); it.hasNext();) {
            const QString id = it.next().captured(1);
            QVERIFY2(html_.contains("id=\"" + id + "\""), qPrintable(id));
        }
    }

    void equalSessionsGiveEqualBytes() {
        QCOMPARE(runProgram({"report", session_, "-o", folder_.filePath("again.html")}).exit, 0);
        QCOMPARE(contents(folder_.filePath("again.html")), contents(folder_.filePath("report.html")));
    }

    void namesOfAFileAreNoMarkup() {
        const QByteArray graph =
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = "
            "call_function[target=torch.ops.evil.<script>alert(1)</script>.default](args = (%x,), kwargs = {})\n"
            "    return y\n";
        for (const QStringList& words : {QStringList{"report", "-"}, QStringList{"export", "-", "--as", "svg"}}) {
            const Answer answer = runProgram(words, graph);
            QVERIFY2(answer.exit == 0 || answer.exit == 3, qPrintable(answer.err));
            QVERIFY(!answer.out.contains("<script>alert"));
        }
    }

    void aLargeGraphStaysWithinItsLimit() {
        const Answer answer = runProgram({"report", samples + "gpt2_train_joint.py", "--json"});
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        QVERIFY(answer.result()["bytes"].toInt() < 8 << 20);
        QVERIFY(answer.result()["html"].toString().contains("2,941 nodes"));
    }

    void stagesAreDrawnWithWhatChanged() {
        const Answer svg = runProgram({"export", session_, "--stage", "decompose-functionalized"});
        QVERIFY2(svg.exit == 0, qPrintable(svg.err));
        const QJsonObject stage = runProgram({"stages", session_, "--json"}).rows("stages").last().toObject();
        QCOMPARE(countOf(svg.out, "card"), stage["nodes"].toInt());
        QCOMPARE(countOf(svg.out, "added"), stage["added"].toInt());
        QCOMPARE(countOf(svg.out, "changed"), stage["modified"].toInt());
        QVERIFY(svg.out.contains(QString("removed by this stage: %1").arg(stage["removed"].toInt())));
        QVERIFY(!svg.out.contains("var(--"));  // few viewers know variables
        const Answer dot = runProgram({"export", session_, "--stage", "decompose-functionalized", "--as", "dot"});
        QCOMPARE(dot.out.count(" [label="), stage["nodes"].toInt());
        QCOMPARE(dot.out.count("fillcolor=\"#E3F0FD\""), stage["added"].toInt());
        QVERIFY(dot.out.contains("S1"));
    }

    void oneNodeAndItsNeighbours() {
        const Answer near = runProgram({"show", session_, "--node", "clone_default_7", "--width", "1", "--json"});
        QStringList names;
        for (const QJsonValue& row : near.rows("nodes")) names << row.toObject()["name"].toString();
        QCOMPARE(names, QStringList({"as_strided_default_14", "clone_default_7", "as_strided_default_15"}));
        const Answer svg = runProgram({"export", session_, "--node", "clone_default_7", "--width", "1"});
        QCOMPARE(countOf(svg.out, "card"), 3);
        QCOMPARE(countOf(svg.out, "chosen"), 1);
        QCOMPARE(runProgram({"show", session_, "--node", "clone_default_7", "--width", "0", "--json"}).rows("nodes").size(), 1);
        QCOMPARE(runProgram({"show", session_, "--width", "2"}).exit, 2);
        QCOMPARE(runProgram({"show", session_, "--node", "nobody"}).exit, 1);
    }

    void whatFitsIsFound() {
        QCOMPARE(runProgram({"show", session_, "--find", "op:clone", "--json"}).rows("nodes").size(), 8);
        QCOMPARE(runProgram({"show", session_, "--find", "op:clone bytes>100K", "--json"}).rows("nodes").size(), 6);
        QCOMPARE(runProgram({"show", kv, "--find", "input", "--json"}).rows("nodes").size(),
                 runProgram({"show", kv, "--json"}).result()["graph"].toObject()["nodes"].toArray().isEmpty() ? -1 : 3);
        QCOMPARE(runProgram({"show", session_, "--find", "op:nothing"}).exit, 1);
        const Answer wrong = runProgram({"show", session_, "--find", "op:clone bytes>"});
        QVERIFY2(wrong.exit == 2 && wrong.err.contains("find text: expected a number"), qPrintable(wrong.err));
        QCOMPARE(runProgram({"decisions", session_, "--find", "code:VIEW_OF_INPUT", "--json"}).rows("decisions").size(), 2);
        QCOMPARE(runProgram({"decisions", session_, "--find", "verdict:clone cloned>200K -code:RI21", "--json"}).rows("decisions").size(), 4);
    }

    void copiesLeaveOutWhereTheyCameFrom() {
        const QString copy = folder_.filePath("shared.aliascope");
        QVERIFY(contents(session_).contains(samples.toUtf8()));
        QCOMPARE(runProgram({"export", session_, "--redact-paths", "-o", copy}).exit, 0);
        QVERIFY(!contents(copy).contains(samples.toUtf8()));
        QCOMPARE(runProgram({"doctor", copy}).exit, 0);
        QCOMPARE(runProgram({"decisions", copy, "--ops", "none", "--json"}).result(), runProgram({"decisions", session_, "--json"}).result());
        QCOMPARE(runProgram({"list", copy, "--json"}).rows("graphs")[0].toObject()["source"].toString(), QString("dir1/kv_cache_layers.py"));
        const Answer report = runProgram({"report", session_, "--redact-paths"});
        QVERIFY(!report.out.contains(samples) && report.out.contains("kv_cache_layers"));
        const Answer found = runProgram({"stages", session_, "--redact-paths", "--json"});
        QCOMPARE(found.result(), runProgram({"stages", session_, "--json"}).result());
        // A run writes its session so at once; what stood in the text of the file is not in it either.
        const QString fresh = folder_.filePath("fresh.aliascope");
        QCOMPARE(runProgram({"run", kv, "--redact-paths", "-o", fresh}).exit, 0);
        QVERIFY(!contents(fresh).contains(samples.toUtf8()));
    }

    void anOutputThatCannotBeWritten() {
        QCOMPARE(runProgram({"report", session_, "-o", "/no/such/folder/report.html"}).exit, 9);
        QCOMPARE(runProgram({"export", session_, "-o", "/no/such/folder/s.svg"}).exit, 9);
        QCOMPARE(runProgram({"export", session_, "--as", "pdf"}).exit, 2);
    }

private:
    QTemporaryDir folder_;
    QString session_, html_;
};

QTEST_APPLESS_MAIN(TestReport)
#include "tst_report.moc"
