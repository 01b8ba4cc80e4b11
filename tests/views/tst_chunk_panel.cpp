// The panel of the auto-chunker's plan: applied, refused, not run.

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>

#include "tests/passes/auto-chunk/head_program.h"
#include "tests/views/open_session.h"
#include "views/panels/chunk_panel.h"

using namespace aliascope;

class ChunkPanelTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    OpenRequest request(const QString& pipeline) {
        OpenRequest r;
        r.path = folder_.filePath("head.py");
        QFile file(r.path);
        if (file.open(QIODevice::WriteOnly)) file.write(QByteArray::fromStdString(testing::headProgram(12)));
        r.pipeline = pipeline;
        return r;
    }
    static QString textOf(const ChunkPanel& panel, const char* name) { return panel.findChild<QLabel*>(name)->text(); }

private slots:
    void applied() {
        Session session;
        ChunkPanel panel(session);
        session.open(request("auto-chunk{num-chunks=4,min-bytes=0,min-ratio=1}"));
        QVERIFY(settled(session));
        QVERIFY2(textOf(panel, "chunk.verdict").contains("Applied.</b>  mm and "), qPrintable(textOf(panel, "chunk.verdict")));
        QVERIFY2(textOf(panel, "chunk.peaks").contains("(chosen)"), qPrintable(textOf(panel, "chunk.peaks")));
        const auto* table = panel.findChild<QTableView*>("chunk.table");
        const auto row = [&](const QString& node) {
            for (int i = 0; i < table->model()->rowCount(); ++i)
                if (table->model()->index(i, ChunkModel::Node).data() == node) {
                    QStringList cells;
                    for (int c = ChunkModel::Class; c < ChunkModel::ColumnCount; ++c) cells << table->model()->index(i, c).data().toString();
                    return cells.join(' ');
                }
            return QString("none");
        };
        QCOMPARE(row("%mm"), QString("body 0 no -"));
        QCOMPARE(row("%mm_1"), QString("output whole yes %tangents_1"));
        QCOMPARE(row("%permute"), QString("input whole no -"));
    }

    void refused() {
        Session session;
        ChunkPanel panel(session);
        session.open(request("auto-chunk"));
        QVERIFY(settled(session));
        QVERIFY2(textOf(panel, "chunk.verdict").startsWith("<b>Not applied.</b>  No product enlarges its inputs enough"),
                 qPrintable(textOf(panel, "chunk.verdict")));
        QVERIFY(!panel.findChild<QTableView*>("chunk.table")->isVisibleTo(&panel));
    }

    void cutsOnRequest() {
        Session session;
        ChunkPanel panel(session);
        session.open(request("dce"));
        QVERIFY(settled(session));
        QCOMPARE(textOf(panel, "chunk.verdict"), QString("The auto-chunker did not run in this lane."));
        panel.findChild<QSpinBox*>("chunk.number")->setValue(3);
        panel.findChild<QPushButton*>("chunk.cut")->click();
        QVERIFY(settled(session));
        QCOMPARE(session.data().lanes.size(), 2u);
        QVERIFY(textOf(panel, "chunk.verdict").contains("Not applied."));  // too small for the default threshold
        QVERIFY(panel.command().contains("chunk "));
        QVERIFY(panel.command().endsWith("--plan --chunks 3"));
    }
};

QTEST_MAIN(ChunkPanelTest)
#include "tst_chunk_panel.moc"
