// `--patterns FILE`, and what is said of attention by `decisions` and `why`.

#include <QTemporaryDir>

#include "tests/cli/program.h"
#include "tests/passes/fuse-attention/attention_text.h"

using namespace aliascope::testing;

namespace {

Answer ask(const QStringList& words, const std::string& graph) { return runProgram(words, QByteArray::fromStdString(graph)); }

const char* const halved = R"(set own { rule half { find aten.div.Tensor($x, 8.0) make aten.mul.Tensor($x, 0.125) } })";

}  // namespace

class TestPatternsOption : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(folder_.isValid()); }

    void applied() {
        // Attention itself needs TF32 in f32: the rule of the user is what fits.
        Attention a;
        a.dtype = "f32";
        for (const QString pipeline : {"torch-joint", "best"}) {
            const Answer opt = ask(
                {"opt", "-", "--pipeline", pipeline, "--patterns", file("own", halved), "--until", "fuse-attention", "--as", "graph"}, attention(a));
            QCOMPARE(opt.exit, 0);
            QCOMPARE(opt.out.contains("aten.mul.Tensor](args = (%view_2, 0.125)"), pipeline == "torch-joint");
        }
    }

    void decisionsAndWhy() {
        const std::string graph = [] {
            Attention a;
            a.scale = "mul.Tensor(view_2, 0.125)";
            a.mask = "f16[1, 1, 16, 16][256, 256, 16, 1]";
            return attention(a);
        }();
        const Answer rows = ask({"decisions", "-", "--pipeline", "torch-joint", "--pass", "fuse-attention", "--json"}, graph);
        QCOMPARE(rows.exit, 0);
        const QJsonObject row = rows.result()["decisions"].toArray().first().toObject();
        QCOMPARE(row["verdict"].toString(), QString("refused"));
        QCOMPARE(row["code"].toString(), QString("OP"));
        QCOMPARE(row["sentence"].toString(), QString("Pattern wants aten::div.Tensor at scaled, graph has aten::mul.Tensor."));

        const Answer why = ask({"why", "-", "--pipeline", "torch-joint", "--node", "view_5"}, graph);
        QCOMPARE(why.exit, 0);
        QVERIFY2(why.out.contains("ok      view_5: aten::view") && why.out.contains("Pattern wants aten::div.Tensor at scaled"), qPrintable(why.out));
    }

    void mistakes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("passes");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("message");
        QTest::newRow("syntax") << "set s {\n  rul"
                                << "fuse-attention" << 3 << "own.patterns:2:3: expected rule, macro or \"}\", found \"rul\".";
        QTest::newRow("no pass for it") << halved << "dce" << 2 << "the pipeline has no pass that takes patterns";
        QTest::newRow("operator") << "set s { rule r { find aten.nothing($x) make $x } }"
                                  << "fuse-attention" << 4 << "expected an operator, found \"aten.nothing\"";
    }
    void mistakes() {
        QFETCH(QString, text);
        QFETCH(QString, passes);
        QFETCH(int, exit);
        QFETCH(QString, message);
        const Answer a = ask({"opt", "-", "--passes", passes, "--patterns", file("own", text)}, attention({}));
        QVERIFY2(a.err.contains(message), qPrintable(a.err));
        QCOMPARE(a.exit, exit);
    }

    void noFile() {
        const Answer a = ask({"opt", "-", "--passes", "fuse-attention", "--patterns", folder_.filePath("nosuch.patterns")}, attention({}));
        QVERIFY2(a.err.contains("nosuch.patterns:1:1: expected a file of patterns, found none that can be opened"), qPrintable(a.err));
        QCOMPARE(a.exit, 3);
    }

private:
    QString file(const QString& name, const QString& text) {
        QFile out(folder_.filePath(name + ".patterns"));
        if (!out.open(QIODevice::WriteOnly) || out.write(text.toUtf8()) < 0) qFatal("%s", qPrintable(out.errorString()));
        return out.fileName();
    }
    QTemporaryDir folder_;
};

QTEST_APPLESS_MAIN(TestPatternsOption)
#include "tst_patterns.moc"
