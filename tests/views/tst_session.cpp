// Opening, stepping and selecting without a window.

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "views/panels/command_line.h"
#include "views/session/session.h"

using namespace aliascope;

namespace {

QString sample(const char* name) { return QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/") + QLatin1String(name); }

OpenRequest kvCache(const char* pipeline) {
    OpenRequest request;
    request.path = sample("kv_cache_layers.py");
    request.ops << sample("mylib.ops");
    request.pipeline = QLatin1String(pipeline);
    return request;
}

bool settle(Session& session) {
    return QTest::qWaitFor([&] { return !session.jobs().busy(); }, 60'000);
}

/// The stage as text, once it is ready; null when it does not come.
StageTextPtr textOf(Session& session, TextForm form, bool withRemoved = false) {
    StageTextPtr text;
    const auto heard = QObject::connect(&session, &Session::textReady, &session, [&](const StageTextPtr& ready) { text = ready; });
    session.requestText(form, withRemoved);
    const bool settled = settle(session);
    QObject::disconnect(heard);
    return settled ? text : nullptr;
}

}  // namespace

class TestSession : public QObject {
    Q_OBJECT

private slots:
    void opensAndRecords() {
        Session session;
        QSignalSpy failed(&session, &Session::failed);
        session.open(kvCache("torch-v1"));
        QVERIFY(settle(session));
        QCOMPARE(failed.count(), 0);
        QVERIFY(session.isOpen());
        QVERIFY(session.isTemporary());
        QVERIFY(session.data().stages.size() > 3);
        QCOMPARE(session.data().stages.front().name, std::string("imported"));
        QVERIFY(session.view());
        QCOMPARE(session.view()->stage, session.stage());
        QCOMPARE(session.data().stages.back().clones, 8);
        QCOMPARE(session.data().stages.back().clonedBytes, std::optional<std::int64_t>(1769472));
    }

    void stepsOverWhatDidNotChange() {
        Session session;
        session.open(kvCache("torch-v1"));
        QVERIFY(settle(session));
        session.setStage(1);
        QVERIFY(settle(session));
        std::vector<int> visited;
        while (session.step(1, true)) {
            visited.push_back(session.stage());
            QVERIFY(session.stageRow(session.stage())->changed);
            QVERIFY(settle(session));
        }
        QVERIFY(visited.size() >= 2);
        QVERIFY(visited.size() < session.data().stages.size() - 1);
        while (session.step(-1, false)) {
        }
        QCOMPARE(session.stage(), 1);
        QVERIFY(!session.step(-1, false));
    }

    void neighboursAreReadAhead() {
        Session session;
        session.open(kvCache("torch-v1"));
        QVERIFY(settle(session));
        QSignalSpy changed(&session, &Session::stageChanged);
        QVERIFY(session.step(-1, true));
        QCOMPARE(changed.count(), 1);  // at once, without a job
    }

    void aCloneKnowsItsDecision() {
        Session session;
        OpenRequest request = kvCache("torch-v1");
        request.stage = QStringLiteral("last");
        request.node = QStringLiteral("clone_default_1");
        session.open(request);
        QVERIFY(settle(session));
        const Uid clone = session.selection().node;
        QVERIFY(clone != kNoUid);
        const auto about = decisionsAbout(session.data(), clone);
        QVERIFY(!about.empty());
        QCOMPARE(about.front()->verdict, std::string("clone"));
        QCOMPARE(about.front()->argument, std::string("value_cache"));
        QCOMPARE(about.front()->clonedBytes, std::optional<std::int64_t>(425984));
        session.clearSelection(Origin::Program);
        session.selectDecision(*about.front(), Origin::Decisions);
        QCOMPARE(session.selection().node, clone);  // in a stage without the wrapper the clone stands for it
    }

    void selectionTellsWhoSelected() {
        Session session;
        session.open(kvCache("torch-v2"));
        QVERIFY(settle(session));
        QSignalSpy changed(&session, &Session::selectionChanged);
        const Uid first = session.view()->snapshot->nodes[0]->uid, second = session.view()->snapshot->nodes[1]->uid;
        session.selectNode(first, Origin::Text);
        session.selectNode(first, Origin::Graph);  // the same again says nothing
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed[0][1].value<Origin>(), Origin::Text);
        session.selectNode(second, Origin::Graph);
        QVERIFY(session.goBack());
        QCOMPARE(session.selection().node, first);
        QVERIFY(session.goForward());
        QCOMPARE(session.selection().node, second);
    }

    void textKnowsItsLines_data() {
        QTest::addColumn<int>("form");
        QTest::newRow("readable") << int(TextForm::Readable);
        QTest::newRow("graph") << int(TextForm::Graph);
    }
    void textKnowsItsLines() {
        QFETCH(int, form);
        Session session;
        session.open(kvCache("torch-v1"));
        QVERIFY(settle(session));
        const StageTextPtr text = textOf(session, TextForm(form));
        QVERIFY(text);
        std::size_t placed = 0;
        for (const NodeRowPtr& node : session.view()->snapshot->nodes) {
            const auto line = text->lineOf.find(node->uid);
            if (line == text->lineOf.end()) continue;
            ++placed;
            if (node->kind != "output") QVERIFY(text->lines[std::size_t(line->second)].contains(QString::fromStdString(node->name)));
        }
        QCOMPARE(placed, session.view()->snapshot->nodes.size());
        QVERIFY(std::count(text->mark.begin(), text->mark.end(), '+') > 0);
    }

    void theOriginalTextIsKept() {
        Session session;
        OpenRequest request = kvCache("torch-v1");
        request.stage = QStringLiteral("last");
        session.open(request);
        QVERIFY(settle(session));
        const StageTextPtr text = textOf(session, TextForm::Original, true);
        QVERIFY(text && text->form == TextForm::Original && !text->withRemoved);
        QFile file(request.path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
        QVERIFY(text->lines.size() > 60 && text->firstLine + qsizetype(text->lines.size()) <= lines.size());
        for (std::size_t i = 0; i < text->lines.size(); ++i) QCOMPARE(text->lines[i], lines[text->firstLine + qsizetype(i)]);
        // A name leads to the node that the last stage still has under it.
        const NodeRow* mm = session.view()->nodeNamed("mm");
        QVERIFY(mm && text->lineOf.contains(mm->uid));
        QVERIFY(text->lines[std::size_t(text->lineOf.at(mm->uid))].contains(QLatin1String("mm")));
    }

    void theOriginalTextOfOneGraphOfSeveralCarriesItsNotes() {
        Session session;
        OpenRequest request;
        request.text = QStringLiteral(
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n\n"
            "graph():\n    %y : [num_users=1] = placeholder[target=y]\n"
            "    %odd : [num_users=1] = call_function[target=torch.ops.nobody.knows.default](args = (%y,), kwargs = {})\n    return odd\n");
        request.title = QStringLiteral("two");
        session.open(request);
        QVERIFY(settle(session));
        QVERIFY(session.pendingDocument());
        session.openUnit(1);
        QVERIFY(settle(session));
        const StageTextPtr text = textOf(session, TextForm::Original);
        QVERIFY(text);
        QCOMPARE(text->firstLine, 4);
        QCOMPARE(text->lines.front(), QStringLiteral("graph():"));
        QCOMPARE(text->lineOf.at(session.view()->nodeNamed("odd")->uid), 2);
        QCOMPARE(text->mark[2], '!');  // its operator is unknown
        QVERIFY(text->notes.at(2).contains(QLatin1String("nobody")));
    }

    void removedLinesStandWhereTheyWere() {
        Session session;
        OpenRequest request = kvCache("torch-v1");
        request.stage = QStringLiteral("last");
        session.open(request);
        QVERIFY(settle(session));
        const StageTextPtr text = textOf(session, TextForm::Readable, true);
        QVERIFY(text && text->withRemoved);
        const StageRow& stage = session.data().stages.back();
        std::int64_t removed = 0;
        for (std::size_t i = 0; i < text->lines.size(); ++i) {
            if (text->mark[i] != '-') continue;
            QVERIFY(text->uidOfLine[i] != kNoUid);
            removed += session.view()->node(text->uidOfLine[i]) ? 0 : 1;
        }
        QCOMPARE(removed, stage.removed);
        for (const auto& [uid, line] : text->lineOf)
            if (session.view()->node(uid)) QVERIFY(text->mark[std::size_t(line)] != '-');
    }

    void aFurtherPipelineIsALaneOfItsOwn() {
        Session session;
        session.open(kvCache("torch-v1"));
        QVERIFY(settle(session));
        QSignalSpy failed(&session, &Session::failed);
        session.runPipeline(QStringLiteral("torch-v2"));
        QVERIFY(settle(session));
        QCOMPARE(failed.count(), 0);
        QCOMPARE(session.data().lanes.size(), std::size_t(2));
        QCOMPARE(session.lane()->name, std::string("torch-v2"));
        QCOMPARE(session.data().stages.back().clones, 0);
        session.setLane(session.data().lanes.front().id);
        QVERIFY(settle(session));
        QCOMPARE(session.data().stages.back().clones, 8);
    }

    void aSavedSessionOpensAgain() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("kept.aliascope"));
        Session session;
        session.open(kvCache("torch-v1"));
        QVERIFY(settle(session));
        const int stages = int(session.data().stages.size());
        session.saveAs(path);
        QVERIFY(settle(session));
        QVERIFY(!session.isTemporary());
        QCOMPARE(commandLine(session, QStringLiteral("stages")), QStringLiteral("aliascope stages ") + path + QStringLiteral(" --pipeline torch-v1"));

        Session again;
        OpenRequest request;
        request.path = path;
        again.open(request);
        QVERIFY(settle(again));
        QVERIFY(again.isOpen());
        QCOMPARE(int(again.data().stages.size()), stages);
        QVERIFY(!again.isTemporary());
    }

    /// The reason of the system, whichever file it is about.
    void whatCannotBeSavedIsSaid() {
        QTemporaryDir folder;
        Session session;
        session.open(kvCache("torch-v1"));
        QVERIFY(settle(session));
        QString said;
        connect(&session, &Session::failed, &session, [&](const ErrorReport& report) { said = report.what; });
        // A folder has the name: what stands there cannot be removed.
        const QString taken = folder.filePath(QStringLiteral("taken.aliascope"));
        QVERIFY(QDir().mkpath(taken + QStringLiteral("/within")));
        session.saveAs(taken);
        QVERIFY(settle(session));
        QVERIFY2(said.contains(QLatin1String("s a directory")), qPrintable(said));
        QVERIFY(!QFile::exists(taken + QStringLiteral(".part")));
        // The disk is full.
        if (!QFile::exists(QStringLiteral("/dev/full"))) return;
        const QString full = folder.filePath(QStringLiteral("full.aliascope"));
        QVERIFY(QFile::link(QStringLiteral("/dev/full"), full + QStringLiteral(".part")));
        session.saveAs(full);
        QVERIFY(settle(session));
        QVERIFY2(said.contains(QLatin1String("No space left")), qPrintable(said));
        QVERIFY(!QFile::exists(full));
    }

    void whatCannotBeOpenedIsSaid_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("prose") << QByteArray("nothing of a graph\n");
        QTest::newRow("binary") << QByteArray(
            "\x7f"
            "ELF\0\1\2\3",
            8);
        QTest::newRow("cut session") << QByteArray("SQLite format 3\0", 16);
    }
    void whatCannotBeOpenedIsSaid() {
        QFETCH(QByteArray, content);
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("bad")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        Session session;
        QSignalSpy failed(&session, &Session::failed);
        OpenRequest request;
        request.path = file.fileName();
        session.open(request);
        QVERIFY(settle(session));
        QCOMPARE(failed.count(), 1);
        const auto report = failed[0][0].value<ErrorReport>();
        QVERIFY(!report.what.isEmpty());
        QVERIFY(report.exitCode == 3 || report.exitCode == 7);
        QVERIFY(!session.isOpen());
    }

    void missingStageAndNodeAreSaid() {
        Session session;
        QSignalSpy failed(&session, &Session::failed);
        OpenRequest request = kvCache("torch-v2");
        request.stage = QStringLiteral("nonsense");
        request.node = QStringLiteral("nobody");
        session.open(request);
        QVERIFY(settle(session));
        QCOMPARE(failed.count(), 2);
        QVERIFY(session.isOpen());
    }

    void newestRequestWins() {
        Session session;
        session.open(kvCache("torch-v1"));
        OpenRequest second = kvCache("torch-v2");
        second.title = QStringLiteral("second");
        session.open(second);
        QVERIFY(settle(session));
        QCOMPARE(session.title(), QStringLiteral("second"));
        QCOMPARE(session.lane()->name, std::string("torch-v2"));
    }

    void wordsAreQuoted() {
        QCOMPARE(shellQuoted(QStringLiteral("a/b-c.py")), QStringLiteral("a/b-c.py"));
        QCOMPARE(shellQuoted(QStringLiteral("it's")), QStringLiteral("'it'\\''s'"));
        QCOMPARE(shellQuoted(QString()), QStringLiteral("''"));
    }
};

QTEST_MAIN(TestSession)
#include "tst_session.moc"
