// Reading: every question of recording.h on a recorded sample, places that cannot be written, several threads.

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <tuple>

#include "core/recording/graph_state.h"
#include "core/recording/migrations.h"
#include "core/text/print.h"
#include "recorded_sample.h"

using namespace aliascope;
using recording::Database;

namespace {

int inChildAsNobody(const std::function<int()>& body) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
        ::_exit(body());
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string readFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
}

const ChangeRow* changeOf(const std::vector<ChangeRow>& rows, const char* name) {
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const ChangeRow& r) { return r.name == name; });
    return it == rows.end() ? nullptr : &*it;
}

}  // namespace

class TestRecording : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string path_;
    std::vector<test::Printed> printed_;
    std::shared_ptr<Recording> recording_;
    std::int64_t lane_ = 0;

    Uid uidOf(int stage, const char* name) {
        for (const NodeRowPtr& n : recording_->snapshot(lane_, stage)->nodes)
            if (n->name == name && n->body.empty()) return n->uid;
        return ~Uid(0);
    }

private slots:
    void initTestCase() {
        path_ = folder_.filePath("sample.aliascope").toStdString();
        printed_ = test::recordSample(path_);
        auto opened = Recording::open(path_);
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().format().c_str());
        recording_ = *opened;
        lane_ = recording_->lanes().front().id;
    }

    void cleanup() { QVERIFY2(!recording_->fault(), recording_->fault() ? recording_->fault()->format().c_str() : ""); }

    void headers() {
        const auto graphs = recording_->graphs();
        QCOMPARE(graphs.size(), std::size_t(1));
        QCOMPARE(graphs[0].name, std::string("GraphModule"));
        QCOMPARE(graphs[0].phase, std::string("inference"));
        QCOMPARE(graphs[0].unit, std::string("1"));
        QCOMPARE(graphs[0].sourcePath, std::string("sample.txt"));
        const auto lanes = recording_->lanes();
        QCOMPARE(lanes.size(), std::size_t(1));
        QCOMPARE(lanes[0].name, std::string("best"));
        QCOMPARE(lanes[0].state, std::string("complete"));
        QCOMPARE(lanes[0].stages, 7);
        QCOMPARE(*recording_->sourceText(graphs[0].id), test::sampleDocument().text);
        QVERIFY(!recording_->sourceText(77));
    }

    void everyStagePrintsAsInMemory() {
        for (std::size_t i = 0; i < printed_.size(); ++i) {
            auto graph = recording_->graph(lane_, static_cast<int>(i) + 1, test::ops());
            QVERIFY2(graph.has_value(), graph ? "" : graph.error().format().c_str());
            QCOMPARE(printGraphText(*graph), printed_[i].graphText);
            QCOMPARE(printReadable(*graph), printed_[i].readable);
            QCOMPARE(graph->hash(), printed_[i].hash);
            QCOMPARE(recording_->stages(lane_)[i].hash, printed_[i].hash);
        }
    }

    void rebuiltGraphHasItsIdsAndFacts() {
        const Graph original = test::sampleDocument().units.front().graph.clone();
        const auto first = recording_->graph(lane_, 1, test::ops());
        for (NodeId id : inOrder(original)) {
            QVERIFY(first->contains(id));
            const Node &a = original[id], &b = (*first)[id];
            QCOMPARE(b.name.str(), a.name.str());
            QCOMPARE(b.target.str(), a.target.str());
            QCOMPARE(b.op.str(), a.op.str());
            QCOMPARE(annotationText(b), annotationText(a));
            QVERIFY(b.trust == a.trust);
            QVERIFY(sameType(a.type, b.type));
            QVERIFY(a.args == b.args && a.kwargs == b.kwargs);
            QCOMPARE(first->provenance[b.provenance].raw.str(), original.provenance[a.provenance].raw.str());
        }
        QCOMPARE(first->subGraphs().size(), std::size_t(2));
        QCOMPARE(first->subGraphs()[0].attribute.str(), std::string("true_graph_0"));
        QCOMPARE(*first->symbols.at(Name("s77")).hint, std::int64_t(6));
        // Annotations that were read are told from types that a pass has set: printers treat them differently.
        const auto third = recording_->graph(lane_, 3, test::ops());
        const Node& relu = (*third)[third->find(Name("relu"))];
        QVERIFY(relu.type && relu.annotation.empty());
        QCOMPARE((*third)[third->find(Name("view"))].annotation.str(), std::string("f32[32][1]cpu"));
        // Ids of nodes that are gone stay free.
        const auto last = recording_->graph(lane_, 7, test::ops());
        QVERIFY(!last->contains(original.find(Name("clone"))));
        QCOMPARE(last->find(Name("output")).value, original.output().value);
        const Value* meta = (*last)[last->find(Name("add"))].metaValue(Name("clone_only"));
        QVERIFY(meta && *meta == Value::list({Value::string(Name("self"))}));
    }

    /// A member that the list of graph_state.cpp lacks would print differently after reopening. A new member of PrintStyle must be named here too.
    void everyMemberOfTheStyleIsKept() {
        Graph g;
        auto& [classLine, returnType, deleteLists, deleteUnused, strides, devices, comments, commentIndent, blankBeforeComment, finalNewline,
               paddedBlanks, unquotedAnnotations, frame, signature, linePerParameter, parameters, flattenSpec, unflattenTail, outputDescriptors,
               bodyIndent, verbatim, oldUsers, typeExprs, quotedNotes, graphHeader, percentReturn, graphIndent] = g.style;
        int n = 0;
        for (std::string* text : {&classLine, &returnType, &flattenSpec, &unflattenTail, &bodyIndent, &graphIndent})
            *text = "text " + std::to_string(++n);
        for (bool* flag : {&deleteLists, &deleteUnused, &strides, &devices, &comments, &blankBeforeComment, &finalNewline, &paddedBlanks,
                           &unquotedAnnotations, &oldUsers, &typeExprs, &quotedNotes, &graphHeader, &percentReturn, &linePerParameter})
            *flag = !*flag;
        commentIndent = 1;
        frame = PrintStyle::Frame::Def;
        signature = PrintStyle::Signature::Boxed;
        parameters = {"a", "b"};
        outputDescriptors = {"PlainAOTOutput(idx=0)"};
        verbatim = {{Name(), "first line\n"}, {Name("add"), "    # \"quoted\" \t é\n"}};

        const auto back = recording::graphStateFrom(recording::graphStateJson(recording::bodiesOf(g)));
        QVERIFY(back && back->size() == 1);
        const PrintStyle& s = back->front().graph.style;
        const auto tied = [](const PrintStyle& p) {
            return std::tie(p.classLine, p.returnType, p.deleteLists, p.deleteUnused, p.strides, p.devices, p.comments, p.commentIndent,
                            p.blankBeforeComment, p.finalNewline, p.paddedBlanks, p.unquotedAnnotations, p.frame, p.signature, p.linePerParameter,
                            p.parameters, p.flattenSpec, p.unflattenTail, p.outputDescriptors, p.bodyIndent, p.verbatim, p.oldUsers, p.typeExprs,
                            p.quotedNotes, p.graphHeader, p.percentReturn, p.graphIndent);
        };
        QVERIFY(tied(s) == tied(g.style));
    }

    void stageSelectors() {
        const auto name = [&](const char* selector) {
            const auto s = recording_->stage(lane_, selector);
            return s ? s->name : std::string("-");
        };
        QCOMPARE(name("first"), std::string("imported"));
        QCOMPARE(name("last"), std::string("dce#2"));
        QCOMPARE(name("3"), std::string("decompose"));
        QCOMPARE(name("decom"), std::string("decompose"));
        QCOMPARE(name("dce"), std::string("dce"));  // a full name before its longer namesakes
        QCOMPARE(name("dc"), std::string("-"));     // two stages
        QCOMPARE(name("re"), std::string("-"));
        QCOMPARE(name("reo"), std::string("reorder"));
        QCOMPARE(name("8"), std::string("-"));
        QCOMPARE(name(""), std::string("-"));
    }

    void snapshotsShareRows() {
        const auto a = recording_->snapshot(lane_, 2), b = recording_->snapshot(lane_, 3);
        QVERIFY(a && b && !recording_->snapshot(lane_, 99));
        QCOMPARE(recording_->snapshot(lane_, 2), a);
        std::size_t shared = 0;
        for (const NodeRowPtr& x : a->nodes) shared += static_cast<std::size_t>(std::count(b->nodes.begin(), b->nodes.end(), x));
        QCOMPARE(shared, a->nodes.size() - 2);  // all but `clone`, gone, and `add`, changed
        QVERIFY(std::is_sorted(a->nodes.begin(), a->nodes.end(), [](const NodeRowPtr& x, const NodeRowPtr& y) {
            return std::pair(x->uid >> 32, x->ord) < std::pair(y->uid >> 32, y->ord);
        }));
        QCOMPARE(a->nodes[2]->target, std::string("L_flag_"));
        QCOMPARE(a->nodes[0]->type, std::string("f32[8, 4][4, 1]cpu"));
        QCOMPARE(*a->nodes[0]->bytes, std::int64_t(128));
    }

    void edgesAreTheOperandsOfTheGraph() {
        const auto graph = recording_->graph(lane_, 1, test::ops());
        std::multiset<std::pair<Uid, Uid>> expected, got;
        const auto collect = [&](const Graph& g, Uid body) {
            for (NodeId id : inOrder(g)) {
                const auto add = [&](NodeId used) { expected.emplace(body << 32 | used.value, body << 32 | id.value); };
                for (const Value& v : g[id].args) v.forEachNode(add);
                for (const auto& [key, v] : g[id].kwargs) v.forEachNode(add);
            }
        };
        collect(*graph, 0);
        collect(*graph->subGraph(Name("false_graph_0")), 1);  // bodies are numbered by path
        collect(*graph->subGraph(Name("true_graph_0")), 2);
        for (const EdgeRow& e : recording_->snapshot(lane_, 1)->edges) got.emplace(e.from, e.to);
        QVERIFY(expected == got);
    }

    void changesAgreeWithTheView() {
        for (const StageRow& stage : recording_->stages(lane_)) {
            const auto view = recording_->query("SELECT uid, mark FROM v_change WHERE stage_id = " + std::to_string(stage.id));
            QVERIFY(view);
            std::set<std::pair<std::string, std::string>> expected, got;
            for (const auto& row : view->rows) expected.emplace(*row[0], *row[1]);
            for (const ChangeRow& c : recording_->changes(lane_, stage.idx))
                got.emplace(std::to_string(c.uid), std::string(1, static_cast<char>(c.mark)));
            QVERIFY2(expected == got, stage.name.c_str());
        }
        const auto rows = recording_->difference(lane_, 1, 3);
        QCOMPARE(rows.size(), std::size_t(3));
        QCOMPARE(changeOf(rows, "clone")->mark, ChangeMark::Removed);
        QCOMPARE(changeOf(rows, "relu")->mark, ChangeMark::Added);
        QCOMPARE(changeOf(rows, "add")->mark, ChangeMark::Modified);
        const auto back = recording_->difference(lane_, 3, 1);
        QCOMPARE(changeOf(back, "clone")->mark, ChangeMark::Added);
        QCOMPARE(changeOf(back, "relu")->mark, ChangeMark::Removed);
        QVERIFY(recording_->difference(lane_, 2, 2).empty());
    }

    void storagesOfAStage() {
        const auto rows = recording_->storages(lane_, 1);
        QVERIFY(!rows.empty());
        QCOMPARE(rows[0].id, 0);
        QCOMPARE(rows[0].baseName, std::string("arg0_1"));
        QCOMPARE(rows[0].role, std::string("input"));
    }

    void decisionsSpeak() {
        const auto rows = recording_->decisions(lane_);
        QCOMPARE(rows.size(), std::size_t(1));
        const DecisionRow& d = rows[0];
        QCOMPARE(d.stageName, std::string("decompose"));
        QCOMPARE(d.node, std::string("add"));
        QCOMPARE(*d.uid, uidOf(3, "add"));
        QCOMPARE(*d.blockerUid, uidOf(1, "arg0_1"));
        QCOMPARE(*d.reportedBytes, std::int64_t(128));
        QVERIFY(d.counted && !d.neededBytes);
        QCOMPARE(d.avoidedBy, std::string("torch-v2"));
        QVERIFY2(d.sentence.find("arg0_1 is a graph input") != std::string::npos, d.sentence.c_str());
        QVERIFY(!d.advice.empty());
        QVERIFY(d.checks.empty());
        const auto card = recording_->decisionCard(d.id);
        QVERIFY(card);
        QCOMPARE(card->checks.size(), std::size_t(2));
        QCOMPARE(card->checks[1].result, std::string("failed"));
        QCOMPARE(card->checks[1].detail, std::string("arg0_1"));
        QVERIFY(!recording_->decisionCard(12345));
    }

    void historyOfNodes() {
        const auto states = [&](Uid uid) {
            std::string out;
            for (const HistoryRow& r : recording_->history(lane_, uid)) out += (out.empty() ? "" : " ") + std::to_string(r.stage) + ":" + r.state;
            return out;
        };
        QCOMPARE(states(uidOf(1, "clone")), std::string("1:Created 2:Survived 3:Replaced"));
        QCOMPARE(states(uidOf(3, "relu")), std::string("3:Created 4:Survived 5:Survived 6:Survived 7:Survived"));
        QCOMPARE(states(uidOf(1, "add")), std::string("1:Created 2:Survived 3:Changed 4:Survived 5:Survived 6:Survived 7:Survived"));
        QCOMPARE(states(uidOf(1, "copy_")), std::string("1:Created 2:Survived 3:Survived 4:Changed 5:Survived 6:Survived 7:Removed"));
        const auto rows = recording_->history(lane_, uidOf(1, "clone"));
        QCOMPARE(rows.back().rule, std::string("clone -> relu"));
        QCOMPARE(rows.back().others, std::vector<std::string>{"relu"});
        QVERIFY(recording_->history(lane_, 99999).empty());
    }

    void rewritesOfAStage() {
        const auto rows = recording_->rewrites(lane_, 3);
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows[0].theorem, std::string("sample 1"));
        QCOMPARE(rows[0].before.front().second, std::string("clone"));
        QCOMPARE(rows[0].after.front().first, uidOf(3, "relu"));
        QVERIFY(recording_->rewrites(lane_, 2).empty());
    }

    void messages() {
        const auto rows = recording_->diagnostics();
        QCOMPARE(rows.size(), std::size_t(3));
        QCOMPARE(rows[0].code, std::string("R025"));
        QCOMPARE(rows[0].line, 3);
        QCOMPARE(rows[0].file, std::string("sample.txt"));
        QCOMPARE(*rows[0].uid, uidOf(1, "max_1"));
        QVERIFY(rows[1].sentence.find("4 lines") != std::string::npos);
        QCOMPARE(rows[2].stage, std::string("decompose"));
        QVERIFY(rows[2].sentence.find("sample::op") != std::string::npos);
    }

    void stateOfTheWindow() {
        QCOMPARE(recording_->uiState("stage"), std::string());
        QVERIFY(recording_->setUiState("stage", "3"));
        QVERIFY(recording_->setUiState("stage", "4"));
        QCOMPARE(recording_->uiState("stage"), std::string("4"));
    }

    void marksOfAReaderAreKeptByKind() {
        const std::int64_t lane = recording_->lanes().front().id;
        NoteRow whole;
        whole.lane = lane;
        whole.stage = 2;
        whole.text = "look here";
        NoteRow first = whole;
        first.uid = 0;  // a node's number, not "none"
        first.text = "%x";
        QVERIFY(recording_->setNotes("bookmark", {whole, first}));
        QVERIFY(recording_->setNotes("pin", {first}));
        const std::vector<NoteRow> kept = recording_->notes("bookmark");
        QCOMPARE(kept.size(), std::size_t(2));
        QVERIFY(!kept[0].uid && kept[1].uid == Uid(0));
        QCOMPARE(kept[1].text, std::string("%x"));
        QCOMPARE(kept[0].kind, std::string("bookmark"));
        QVERIFY(!kept[0].created.empty());
        // What is written again keeps its time; other kinds stay.
        QVERIFY(recording_->setNotes("bookmark", {kept[0]}));
        QCOMPARE(recording_->notes("bookmark").size(), std::size_t(1));
        QVERIFY(recording_->notes("bookmark").front() == kept[0]);
        QCOMPARE(recording_->notes("pin").size(), std::size_t(1));
    }

    void manyThreadsAsk() {
        std::atomic<int> wrong{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&, t] {
                for (int i = 0; i < 30; ++i) {
                    const int stage = 1 + (t + i) % 7;
                    const auto graph = recording_->graph(lane_, stage, test::ops());
                    if (!graph || printGraphText(*graph) != printed_[static_cast<std::size_t>(stage - 1)].graphText) ++wrong;
                    if (recording_->snapshot(lane_, stage)->stage.idx != stage) ++wrong;
                    if (recording_->decisions(lane_).size() != 1) ++wrong;
                    if (!recording_->query("SELECT count(*) FROM v_node")) ++wrong;
                }
            });
        for (std::thread& t : threads) t.join();
        QCOMPARE(wrong.load(), 0);
    }

    void readersBesideAWriter() {
        const std::string path = folder_.filePath("live.aliascope").toStdString();
        const Document doc = test::sampleDocument();
        auto recorder = *Recorder::create(path);
        const auto graphs = recorder->addDocument(doc);
        const auto one = *Recording::open(path), two = *Recording::open(path);
        QVERIFY(one->lanes().empty());
        auto observer = *recorder->beginLane(graphs->front(), "best", test::ops());
        struct Watch : PassObserver {
            PassObserver& inner;
            const Recording &one, &two;
            int seen = 0;
            Watch(PassObserver& o, const Recording& a, const Recording& b) : inner(o), one(a), two(b) {}
            Status pipelineStarted(const Graph& g, const Pipeline& p) override { return inner.pipelineStarted(g, p); }
            Status stageFinished(const Graph& g, const StageResult& s) override {
                const Status done = inner.stageFinished(g, s);
                const auto lane = one.lanes().front();
                const auto snapshot = two.snapshot(lane.id, s.index);
                if (lane.state == "running" && lane.stages == s.index && snapshot && snapshot->nodes.front()->lastStage >= s.index) ++seen;
                return done;
            }
            void pipelineFinished(bool complete) override { inner.pipelineFinished(complete); }
        } watch(*observer, *one, *two);
        QVERIFY(test::SampleRun(doc.units.front().graph.clone()).record(watch));
        QCOMPARE(watch.seen, 7);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(recorder->close());
        QVERIFY2(timer.elapsed() < 2000, "closing waits for readers");
        QCOMPARE(one->lanes().front().state, std::string("complete"));
        QCOMPARE(printGraphText(*two->graph(1, 7, test::ops())), printed_[6].graphText);
    }

    void lastReaderLeavesOneFile() {
        const std::string path = folder_.filePath("left.aliascope").toStdString();
        {
            auto recorder = *Recorder::create(path);
            QVERIFY(recorder->addDocument(test::sampleDocument()));
            const auto reader = *Recording::open(path);
            QCOMPARE(reader->graphs().size(), std::size_t(1));
            QVERIFY(recorder->close());
        }
        QVERIFY(!std::filesystem::exists(path + "-wal"));
        Database db(path, Database::Access::Read);
        QCOMPARE(db.text("PRAGMA journal_mode"), std::string("delete"));
    }

    void readOnlyFolderOpens() {
        QTemporaryDir closed;
        const std::string path = closed.filePath("s.aliascope").toStdString();
        std::filesystem::copy_file(path_, path);
        ::chmod(path.c_str(), 0444);
        ::chmod(closed.path().toUtf8().constData(), 0555);
        QCOMPARE(inChildAsNobody([&] {
                     const auto opened = Recording::open(path);
                     if (!opened) return 1;
                     if ((*opened)->isTemporaryCopy()) return 2;
                     if ((*opened)->lanes().size() != 1) return 3;
                     const Status stored = (*opened)->setUiState("a", "b");
                     return !stored && stored.error().code == "S003" ? 0 : 4;
                 }),
                 0);
        ::chmod(closed.path().toUtf8().constData(), 0755);
    }

    void readOnlyFolderWithALogOpensAsCopy() {
        QTemporaryDir closed;
        const std::string path = closed.filePath("s.aliascope").toStdString();
        {
            auto recorder = *Recorder::create(path);
            QVERIFY(recorder->addDocument(test::sampleDocument()));
            // As a killed writer leaves it: the file and its log, copied while both are there.
            std::filesystem::copy_file(path, path + ".main");
            std::filesystem::copy_file(path + "-wal", path + ".log");
        }
        std::filesystem::rename(path + ".main", path);
        std::filesystem::rename(path + ".log", path + "-wal");
        ::chmod(path.c_str(), 0444);
        ::chmod((path + "-wal").c_str(), 0444);
        ::chmod(closed.path().toUtf8().constData(), 0555);
        QCOMPARE(inChildAsNobody([&] {
                     const auto opened = Recording::open(path);
                     if (!opened) return 1;
                     if (!(*opened)->isTemporaryCopy()) return 2;
                     if ((*opened)->graphs().size() != 1) return 3;
                     return (*opened)->path() == path ? 0 : 4;
                 }),
                 0);
        ::chmod(closed.path().toUtf8().constData(), 0755);
    }

    void storedFileOfSchemaOneOpens() {
        const std::string stored = readFile(std::string(ALIASCOPE_SOURCE_DIR) + "/tests/data/recording/schema-1.aliascope.zst");
        QVERIFY(!stored.empty());
        std::string content(ZSTD_getFrameContentSize(stored.data(), stored.size()), 0);
        QCOMPARE(ZSTD_decompress(content.data(), content.size(), stored.data(), stored.size()), content.size());
        const std::string copy = folder_.filePath("schema-1.aliascope").toStdString();
        std::ofstream(copy, std::ios::binary) << content;
        const auto opened = Recording::open(copy);
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().format().c_str());
        const auto lanes = (*opened)->lanes();
        QCOMPARE(lanes.size(), std::size_t(1));
        for (std::size_t i = 0; i < printed_.size(); ++i)
            QCOMPARE(printReadable(*(*opened)->graph(lanes[0].id, static_cast<int>(i) + 1, test::ops())), printed_[i].readable);
    }

    void newerFileIsRefusedWithBothNumbers() {
        const std::string path = folder_.filePath("newer.aliascope").toStdString();
        std::filesystem::copy_file(path_, path);
        {
            Database db(path, Database::Access::Write);
            db.exec("PRAGMA user_version=7");
        }
        const auto opened = Recording::open(path);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, std::string("S001"));
        QVERIFY(opened.error().sentence().find('7') != std::string::npos && opened.error().sentence().find('1') != std::string::npos);
        QCOMPARE(Recorder::create(path).error().code, std::string("S001"));
    }

    void othersAreToldApart() {
        const auto code = [](const std::string& path) {
            const auto opened = Recording::open(path);
            return opened ? std::string("opened") : opened.error().code;
        };
        QCOMPARE(code(folder_.filePath("missing").toStdString()), std::string("R003"));
        QCOMPARE(code(folder_.path().toStdString()), std::string("R003"));
        const std::string text = folder_.filePath("text").toStdString();
        std::ofstream(text) << std::string(20000, 'x');
        QCOMPARE(code(text), std::string("R003"));
        const std::string other = folder_.filePath("other.db").toStdString();
        {
            Database db(other, Database::Access::Create);
            db.exec("CREATE TABLE t(x)");
        }
        QCOMPARE(code(other), std::string("S002"));
        const std::string lacking = folder_.filePath("lacking.aliascope").toStdString();
        std::filesystem::copy_file(path_, lacking);
        {
            Database db(lacking, Database::Access::Write);
            db.exec("DROP TABLE probe");
        }
        QCOMPARE(code(lacking), std::string("S002"));
        const std::string trapped = folder_.filePath("trapped.aliascope").toStdString();
        std::filesystem::copy_file(path_, trapped);
        {
            Database db(trapped, Database::Access::Write);
            db.exec("CREATE TRIGGER t AFTER INSERT ON ui_state BEGIN DELETE FROM node; END");
        }
        QCOMPARE(code(trapped), std::string("S002"));
    }
};

QTEST_GUILESS_MAIN(TestRecording)
#include "tst_recording.moc"
