// Writing: settings, versions, copies, refusals, kill -9, full disks.

#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fstream>

#include "core/recording/migrations.h"
#include "core/text/print.h"
#include "recorded_sample.h"

using namespace aliascope;
using recording::Database;

namespace {

std::string query(Database& db, const std::string& sql) {
    recording::Statement s(db, sql);
    std::string out;
    while (s.step()) out += (out.empty() ? "" : " ") + (s.isNull(0) ? std::string("NULL") : s.text(0));
    return out;
}

/// Runs `body` in a child; its exit status. The child leaves by _exit, so that no test machinery runs twice.
int inChild(const std::function<int()>& body) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(body());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int g_statementsLeft = 0;

int countStatement(unsigned, void*, void*, void*) {
    if (--g_statementsLeft == 0) ::kill(::getpid(), SIGKILL);
    return 0;
}

/// Every connection that is opened from now on kills the process before its n-th statement.
int installKiller(sqlite3* db, char**, const sqlite3_api_routines*) { return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, countStatement, nullptr); }

/// Cancels just before a stage is recorded.
class CancelsAt : public PassObserver {
public:
    CancelsAt(PassObserver& recorder, CancelToken cancel, int stage) : recorder_(recorder), cancel_(std::move(cancel)), stage_(stage) {}
    Status pipelineStarted(const Graph& g, const Pipeline& pipeline) override { return recorder_.pipelineStarted(g, pipeline); }
    Status stageFinished(const Graph& g, const StageResult& stage) override {
        if (stage.index == stage_) cancel_.cancel();
        return recorder_.stageFinished(g, stage);
    }
    void pipelineFinished(bool complete) override { recorder_.pipelineFinished(complete); }

private:
    PassObserver& recorder_;
    CancelToken cancel_;
    int stage_;
};

}  // namespace

class TestRecorder : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int files_ = 0;
    std::string fresh() { return folder_.filePath(QString("s%1.aliascope").arg(++files_)).toStdString(); }

private slots:
    void finishedSessionIsOneFile() {
        const std::string path = fresh();
        test::recordSample(path);
        QVERIFY(!QFile::exists(QString::fromStdString(path + "-wal")));
        QVERIFY(!QFile::exists(QString::fromStdString(path + "-shm")));
        Database db(path, Database::Access::Read);
        QCOMPARE(query(db, "PRAGMA application_id"), std::to_string(0x414C5343));
        QCOMPARE(query(db, "PRAGMA user_version"), std::string("1"));
        QCOMPARE(query(db, "PRAGMA page_size"), std::string("8192"));
        QCOMPARE(query(db, "PRAGMA journal_mode"), std::string("delete"));
        QCOMPARE(query(db, "PRAGMA integrity_check"), std::string("ok"));
        QCOMPARE(query(db, "PRAGMA foreign_key_check"), std::string());
        QCOMPARE(query(db, "SELECT count(*) FROM meta WHERE key = 'writer'"), std::string("0"));
        QCOMPARE(query(db, "SELECT state FROM lane"), std::string("complete"));
    }

    void writesAheadWhileOpen() {
        const std::string path = fresh();
        auto recorder = Recorder::create(path);
        QVERIFY(recorder);
        Database db(path, Database::Access::Read);
        QCOMPARE(query(db, "PRAGMA journal_mode"), std::string("wal"));
        QVERIFY(query(db, "SELECT value FROM meta WHERE key = 'writer'").starts_with(std::to_string(::getpid()) + " "));
    }

    void onlyChangedNodesGetVersions() {
        const std::string path = fresh();
        test::recordSample(path);
        Database db(path, Database::Access::Read);
        QCOMPARE(
            query(db,
                  "SELECT group_concat(idx || ':' || name || ':' || changed || ':' || added || ':' || removed || ':' || modified, ' ') FROM stage"),
            std::string("1:imported:0:0:0:0 2:dce:0:0:0:0 3:decompose:1:1:1:1 4:rename:0:0:0:2 5:reorder:1:0:0:1 6:bodies:1:0:0:1 7:dce#2:1:0:1:0"));
        // What a stage row counts is what the view tells.
        QCOMPARE(query(db,
                       "SELECT count(*) FROM stage s WHERE s.idx > 1 AND (s.added <> (SELECT count(*) FROM v_change c WHERE c.stage_id = s.id AND "
                       "mark = '+') "
                       "OR s.removed <> (SELECT count(*) FROM v_change c WHERE c.stage_id = s.id AND mark = '-') "
                       "OR s.modified <> (SELECT count(*) FROM v_change c WHERE c.stage_id = s.id AND mark = '~'))"),
                 std::string("0"));
        QCOMPARE(query(db, "SELECT count(*) FROM stage s WHERE s.nodes <> (SELECT count(*) FROM v_node n WHERE n.stage_id = s.id)"),
                 std::string("0"));
        // Names in the arguments of users follow a rename.
        QCOMPARE(query(db, "SELECT t.text FROM node n JOIN str t ON t.id = n.args WHERE n.name = 'copy_' ORDER BY n.first_stage DESC LIMIT 1"),
                 std::string("(arg0_1, sine)"));
    }

    void columnsSayWhatPeopleAskFor() {
        const std::string path = fresh();
        test::recordSample(path);
        Database db(path, Database::Access::Read);
        QCOMPARE(query(db, "SELECT name FROM v_clone WHERE stage = 1"), std::string("clone"));
        QCOMPARE(query(db, "SELECT op FROM v_node WHERE stage = 1 AND name IN ('clone', 'getitem', 'cond') ORDER BY name"),
                 std::string("aten.clone.default higher_order.cond operator.getitem"));
        QCOMPARE(query(db, "SELECT op FROM v_node WHERE stage = 1 AND name = 'arg2_1'"), std::string("NULL"));
        QCOMPARE(query(db,
                       "SELECT clones || ' ' || cloned_bytes || ' ' || copies_back || ' ' || copied_back_bytes || ' ' || self_copies FROM stage "
                       "WHERE idx = 1"),
                 std::string("1 128 1 128 0"));
        QCOMPARE(query(db, "SELECT clones || ' ' || cloned_bytes || ' ' || copies_back FROM stage WHERE idx = 7"), std::string("0 0 0"));
        QCOMPARE(query(db, "SELECT bytes FROM v_node WHERE stage = 1 AND name = 'arg1_1'"), std::to_string(6 * 4 * 4));
        QCOMPARE(query(db, "SELECT bytes_expr IS NOT NULL FROM type WHERE text = 'f32[s77, 4]'"), std::string("1"));
        QCOMPARE(query(db, "SELECT file FROM v_node WHERE stage = 1 AND name = 'sin'"), std::string("/home/a b/model{1}.py"));
        QCOMPARE(query(db, "SELECT count(DISTINCT out) FROM part"), std::string("3"));
    }

    void usesSayHow() {
        const std::string path = fresh();
        test::recordSample(path);
        Database db(path, Database::Access::Read);
        const auto mode = [&](const char* from, const char* to) {
            return query(db, std::string("SELECT arg || ':' || mode FROM v_edge WHERE stage_id = 1 AND from_name = '") + from + "' AND to_name = '" +
                                 to + "'");
        };
        QCOMPARE(mode("arg0_1", "copy_"), std::string("self:write"));
        QCOMPARE(mode("sin", "copy_"), std::string("src:read"));
        QCOMPARE(mode("clone", "add"), std::string("self:read"));
        QCOMPARE(mode("arg1_1", "sym_size"), std::string("self:meta"));
        QCOMPARE(query(db, "SELECT u.out FROM use u JOIN node n ON n.id = u.node WHERE n.name = 'getitem'"), std::string("0"));
        QCOMPARE(query(db, "SELECT writer FROM v_write WHERE stage_id = 1 AND storage = 0"), std::string("copy_"));
    }

    void storagesKeepTheirNumbers() {
        const std::string path = fresh();
        test::recordSample(path);
        Database db(path, Database::Access::Read);
        QCOMPARE(query(db, "SELECT group_concat(name, ' ') FROM (SELECT name FROM v_member WHERE stage_id = 1 AND storage = 0 ORDER BY ord)"),
                 std::string("arg0_1 view copy_"));
        // One base, one number, in every stage; and a number has one base.
        QCOMPARE(
            query(db, "SELECT count(*) FROM (SELECT base_uid FROM storage WHERE base_uid >> 32 = 0 GROUP BY base_uid HAVING count(DISTINCT id) > 1)"),
            std::string("0"));
        QCOMPARE(query(db, "SELECT count(*) FROM (SELECT id FROM storage GROUP BY id HAVING count(DISTINCT base_uid) > 1)"), std::string("0"));
        QCOMPARE(query(db, "SELECT role || ':' || bytes FROM storage WHERE id = 0 AND first_stage = 1"), std::string("input:128"));
    }

    void lanesOfOneGraphShareUids() {
        const std::string path = fresh();
        const Document doc = test::sampleDocument();
        {
            auto recorder = Recorder::create(path);
            QVERIFY(recorder);
            const auto graphs = (*recorder)->addDocument(doc);
            for (int i = 0; i < 2; ++i) {
                auto observer = (*recorder)->beginLane(graphs->front(), "best", test::ops());
                QVERIFY(observer);
                QVERIFY(test::SampleRun(doc.units.front().graph.clone()).record(**observer));
            }
        }
        {
            auto again = Recorder::create(path);
            QVERIFY(again);
            auto observer = (*again)->beginLane(1, "best", test::ops());
            QVERIFY(test::SampleRun(doc.units.front().graph.clone()).record(**observer));
        }
        Database db(path, Database::Access::Read);
        QCOMPARE(query(db, "SELECT name FROM lane"), std::string("best best#2 best#3"));
        QCOMPARE(query(db,
                       "SELECT count(*) FROM node a JOIN node b ON b.uid = a.uid AND b.lane <> a.lane AND b.first_stage = 1 AND a.first_stage = 1 "
                       "WHERE a.name <> b.name"),
                 std::string("0"));
        QCOMPARE(query(db, "SELECT count(DISTINCT args) = count(*) / 3 FROM node WHERE first_stage = 1 AND args NOT NULL AND name = 'copy_'"),
                 std::string("1"));
        QCOMPARE(query(db, "PRAGMA foreign_key_check"), std::string());
    }

    void noFileOfOthersIsOverwritten() {
        const std::string path = fresh();
        std::ofstream(path) << "not a session at all, but someone's notes\n";
        const auto refused = Recorder::create(path);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("S003"));
        std::ifstream in(path);
        QCOMPARE(std::string((std::istreambuf_iterator<char>(in)), {}), std::string("not a session at all, but someone's notes\n"));

        const std::string other = fresh();
        {
            Database db(other, Database::Access::Create);
            db.exec("CREATE TABLE t(x)");
        }
        QCOMPARE(Recorder::create(other).error().code, std::string("S003"));
        Database db(other, Database::Access::Read);
        QCOMPARE(query(db, "SELECT name FROM sqlite_schema"), std::string("t"));
        QCOMPARE(query(db, "PRAGMA journal_mode"), std::string("delete"));

        for (const std::string& bad :
             {std::string(":memory:"), std::string(), folder_.filePath("none/s.aliascope").toStdString(), folder_.path().toStdString()}) {
            const auto result = Recorder::create(bad);
            QVERIFY(!result);
            QCOMPARE(result.error().code, std::string("S003"));
        }
    }

    void emptyFileMayBecomeASession() {
        const std::string path = fresh();
        std::ofstream(path).flush();
        QVERIFY(Recorder::create(path));
    }

    /// The process dies between writing pages and the end of its transaction: its journal is beside the file, and reading rolls it back.
    void journalOfAKilledWriterIsRolledBack() {
        const std::string path = fresh();
        test::recordSample(path);
        QCOMPARE(inChild([&] {
                     sqlite3* db = nullptr;
                     if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) return 2;
                     if (sqlite3_exec(db, "BEGIN IMMEDIATE; UPDATE lane SET name = 'half done'", nullptr, nullptr, nullptr) != SQLITE_OK) return 3;
                     return sqlite3_db_cacheflush(db) == SQLITE_OK ? 0 : 4;
                 }),
                 0);
        QVERIFY(QFile::exists(QString::fromStdString(path + "-journal")));
        const auto recording = Recording::open(path);
        QVERIFY2(recording, recording ? "" : recording.error().format().c_str());
        QCOMPARE((*recording)->lanes().front().name, std::string("best"));
        QVERIFY(!QFile::exists(QString::fromStdString(path + "-journal")));
    }

    void aFileThatCannotBeMadeIsNotLeft() {
        const std::string path = fresh();
        QCOMPARE(inChild([&] {
                     const rlimit none{0, 0};
                     std::signal(SIGXFSZ, SIG_IGN);
                     if (::setrlimit(RLIMIT_FSIZE, &none) != 0) return 2;
                     return Recorder::create(path) ? 3 : 0;
                 }),
                 0);
        QVERIFY(!QFile::exists(QString::fromStdString(path)));
    }

    void theSchemaIsMadeOnce() {
        Database db(fresh(), Database::Access::Create);
        recording::createSchema(db);
        db.exec("INSERT INTO meta(key, value) VALUES('writer', 'the first')");
        recording::createSchema(db);
        QCOMPARE(query(db, "SELECT value FROM meta WHERE key = 'writer'"), std::string("the first"));
    }

    void secondWriterIsRefusedByName() {
        const std::string path = fresh();
        auto first = Recorder::create(path);
        QVERIFY(first);
        const auto same = Recorder::create(path);
        QVERIFY(!same);
        QVERIFY(same.error().sentence().find("process " + std::to_string(::getpid())) != std::string::npos);
        const pid_t parent = ::getpid();
        QCOMPARE(inChild([&] {
                     const auto second = Recorder::create(path);
                     return !second && second.error().code == "S003" && second.error().sentence().find(std::to_string(parent)) != std::string::npos
                                ? 0
                                : 1;
                 }),
                 0);
        first = tl::unexpected(Diagnostic());
        QVERIFY(Recorder::create(path));
    }

    void readOnlyFolderIsNamed() {
        QTemporaryDir closed;
        ::chmod(closed.path().toUtf8().constData(), 0555);
        const std::string path = closed.filePath("s.aliascope").toStdString();
        QCOMPARE(inChild([&] {
                     if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
                     const auto result = Recorder::create(path);
                     return !result && result.error().code == "S003" &&
                                    result.error().sentence().find("folder is read-only; use -o") != std::string::npos
                                ? 0
                                : 1;
                 }),
                 0);
        ::chmod(closed.path().toUtf8().constData(), 0755);
    }

    /// At every statement of a run the process may die: what is left opens, with whole stages.
    void killedAtEveryStatement() {
        const Document doc = test::sampleDocument();
        std::vector<test::Printed> expected = test::recordSample(fresh());
        int runs = 0, interrupted = 0;
        for (int n = 1; n < 100'000; n += 5) {
            const std::string path = fresh();
            const int status = inChild([&] {
                g_statementsLeft = n;
                sqlite3_auto_extension(reinterpret_cast<void (*)()>(reinterpret_cast<void*>(installKiller)));
                try {
                    test::recordSample(path);
                } catch (...) {
                    return 1;
                }
                return 0;
            });
            ++runs;
            if (status == 0) break;
            QCOMPARE(status, -SIGKILL);
            const auto opened = Recording::open(path);
            if (!opened) {
                // Only before the first transaction has ended there is no session yet; the place can be used again.
                QVERIFY2(opened.error().code == "R003", opened.error().format().c_str());
                QVERIFY(Recorder::create(path));
                continue;
            }
            const Recording& recording = **opened;
            for (const LaneRow& lane : recording.lanes()) {
                QVERIFY(lane.state == "interrupted" || lane.state == "complete");
                interrupted += lane.state == "interrupted";
                const auto stages = recording.stages(lane.id);
                for (std::size_t i = 0; i < stages.size(); ++i) {
                    QCOMPARE(stages[i].idx, static_cast<int>(i) + 1);
                    const auto graph = recording.graph(lane.id, stages[i].idx, test::ops());
                    QVERIFY2(graph.has_value(), graph ? "" : graph.error().format().c_str());
                    QCOMPARE(printGraphText(*graph), expected[i].graphText);
                }
            }
            QVERIFY(!recording.fault());
        }
        QVERIFY(runs > 10);
        QVERIFY(interrupted > 5);
    }

    void lanesOfADeadWriterAreMarkedByTheNext() {
        const std::string path = fresh();
        QCOMPARE(inChild([&] {
                     auto recorder = Recorder::create(path);
                     const Document doc = test::sampleDocument();
                     const auto graphs = (*recorder)->addDocument(doc);
                     auto observer = (*recorder)->beginLane(graphs->front(), "best", test::ops());
                     (void)(*observer)->pipelineStarted(doc.units.front().graph, Pipeline());
                     ::kill(::getpid(), SIGKILL);
                     return 0;
                 }),
                 -SIGKILL);
        QCOMPARE((*Recording::open(path))->lanes().front().state, std::string("interrupted"));
        QVERIFY(Recorder::create(path));
        Database db(path, Database::Access::Read);
        QCOMPARE(query(db, "SELECT state FROM lane"), std::string("interrupted"));
    }

    void laneThatWasLeftIsInterrupted() {
        const std::string path = fresh();
        const Document doc = test::sampleDocument();
        {
            auto recorder = Recorder::create(path);
            const auto graphs = (*recorder)->addDocument(doc);
            auto observer = (*recorder)->beginLane(graphs->front(), "best", test::ops());
            QVERIFY((*observer)->pipelineStarted(doc.units.front().graph, Pipeline()));
            // While the writer lives, its lane runs.
            QCOMPARE((*Recording::open(path))->lanes().front().state, std::string("running"));
        }
        QCOMPARE((*Recording::open(path))->lanes().front().state, std::string("interrupted"));
    }

    /// A file-size limit stands for a full disk: sqlite sees a write that fails.
    /// Cancelled while a stage is written: those before it stay, and a lane without any goes.
    void aCancelledStageIsGivenUp_data() {
        QTest::addColumn<int>("stage");
        QTest::newRow("the first") << 1;
        QTest::newRow("a later one") << 3;
    }
    void aCancelledStageIsGivenUp() {
        QFETCH(int, stage);
        const std::string path = fresh();
        auto recorder = Recorder::create(path);
        QVERIFY(recorder);
        const CancelToken cancel;
        (*recorder)->stopWhen(cancel);
        const auto ids = (*recorder)->addDocument(test::sampleDocument());
        QVERIFY(ids);
        const auto observer = (*recorder)->beginLane(ids->front(), "best", test::ops());
        QVERIFY(observer);
        CancelsAt cancels(**observer, cancel, stage);
        const Status told = test::SampleRun(test::sampleDocument().units.front().graph.clone()).record(cancels);
        QVERIFY(!told);
        QCOMPARE(told.error().code, std::string("CANCELLED"));
        QCOMPARE((*recorder)->lane() != 0, stage > 1);
        QVERIFY((*recorder)->close());
        {
            Database db(path, Database::Access::Read);
            QCOMPARE(query(db, "SELECT count(*) FROM stage"), std::to_string(stage - 1));
            QCOMPARE(query(db, "SELECT state FROM lane"), std::string(stage > 1 ? "interrupted" : ""));
            QCOMPARE(query(db, "SELECT count(*) FROM node WHERE first_stage >= " + std::to_string(stage)), std::string("0"));
            QCOMPARE(query(db, "PRAGMA integrity_check"), std::string("ok"));
            QCOMPARE(query(db, "PRAGMA foreign_key_check"), std::string());
        }
        // The session takes further lanes.
        test::recordSample(path, "again");
        QCOMPARE((*Recording::open(path))->lanes().back().state, std::string("complete"));
    }

    void nothingIsReadIntoACancelledSession() {
        const std::string path = fresh();
        auto recorder = Recorder::create(path);
        QVERIFY(recorder);
        const CancelToken cancel;
        (*recorder)->stopWhen(cancel);
        cancel.cancel();
        const auto ids = (*recorder)->addDocument(test::sampleDocument());
        QVERIFY(!ids);
        QCOMPARE(ids.error().code, std::string("CANCELLED"));
        QVERIFY((*recorder)->close());
        QVERIFY((*Recording::open(path))->graphs().empty());
    }

    void diskFullKeepsWholeStages() {
        const std::string path = fresh();
        const std::string report = path + ".txt";
        const int status = inChild([&] {
            ::signal(SIGXFSZ, SIG_IGN);
            auto recorder = Recorder::create(path);
            const Document doc = test::sampleDocument();
            const auto graphs = (*recorder)->addDocument(doc);
            auto observer = (*recorder)->beginLane(graphs->front(), "best", test::ops());
            Graph g = doc.units.front().graph.clone();
            StageResult stage;
            stage.name = "imported";
            if (!(*observer)->pipelineStarted(g, Pipeline()) || !(*observer)->stageFinished(g, stage)) return 2;
            const auto size = static_cast<rlim_t>(QFileInfo(QString::fromStdString(path + "-wal")).size());
            const rlimit limit{size + 4096, size + 4096};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            const NodeId out = g.output();
            for (int i = 0; i < 400; ++i) {
                Node n;
                n.name = Name("neg");
                n.target = Name("torch.ops.aten.neg.default");
                n.op = Name("aten::neg");
                n.args = {Value::node(g.first())};
                g.insertBefore(out, std::move(n));
            }
            stage.index = 2;
            stage.name = "grow";
            const Status failed = (*observer)->stageFinished(g, stage);
            std::ofstream(report) << (failed ? "none" : failed.error().code + " " + failed.error().sentence());
            const bool stays = !(*observer)->stageFinished(g, stage);  // nothing more is taken
            return !failed && failed.error().code == "S003" && stays ? 0 : 1;
        });
        QCOMPARE(status, 0);
        std::ifstream said(report);
        const std::string words((std::istreambuf_iterator<char>(said)), {});
        QVERIFY2(words.find("stage 2 (grow)") != std::string::npos && words.find("are kept") != std::string::npos, words.c_str());
        const auto recording = Recording::open(path);
        QVERIFY2(recording.has_value(), recording ? "" : recording.error().format().c_str());
        const auto lanes = (*recording)->lanes();
        QCOMPARE(lanes.size(), std::size_t(1));
        QCOMPARE(lanes.front().state, std::string("interrupted"));
        QCOMPARE(lanes.front().stages, 1);
        QVERIFY((*recording)->graph(lanes.front().id, 1, test::ops()));
    }

    /// A small tmpfs, where mounting is allowed: the message says how much is missing.
    void fullDiskSaysWhatIsMissing() {
        QTemporaryDir small;
        const QByteArray folder = small.path().toUtf8();
        const std::string report = fresh() + ".txt";
        const int status = inChild([&] {
            if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                ::mount("tmpfs", folder.constData(), "tmpfs", 0, "size=4m") != 0)
                return 77;
            const std::string path = small.filePath("s.aliascope").toStdString();
            const Document doc = test::sampleDocument();
            auto recorder = Recorder::create(path);
            if (!recorder) return 2;
            const auto graphs = (*recorder)->addDocument(doc);
            if (!graphs) return 3;
            Status run;
            for (int lane = 0; lane < 64 && run; ++lane) {
                auto observer = (*recorder)->beginLane(graphs->front(), "best", test::ops());
                run = observer ? test::SampleRun(doc.units.front().graph.clone()).record(**observer) : Status(fail(observer.error()));
            }
            std::ofstream(report) << (run ? std::string("fitted") : run.error().code + " " + run.error().sentence());
            (void)(*recorder)->close();
            const auto recording = Recording::open(path);
            if (!recording || (*recording)->graphs().size() != 1 || (*recording)->lanes().size() < 2) return 4;
            return (*recording)->lanes().front().state == "complete" && (*recording)->lanes().back().state != "complete" ? 0 : 5;
        });
        if (status == 77) QSKIP("mounting is not allowed here");
        QCOMPARE(status, 0);
        std::ifstream said(report);
        const std::string words((std::istreambuf_iterator<char>(said)), {});
        QVERIFY2(words.starts_with("S003") && words.find("disk full") != std::string::npos && words.find("B are missing") != std::string::npos,
                 words.c_str());
    }

    void limitsAreKept() {
        RecorderLimits limits;
        limits.stages = 3;
        limits.lanes = 1;
        limits.graphs = 1;
        const Document doc = test::sampleDocument();
        const std::string path = fresh();
        auto recorder = Recorder::create(path, limits);
        const auto graphs = (*recorder)->addDocument(doc);
        QCOMPARE((*recorder)->addDocument(doc).error().code, std::string("R050"));
        auto observer = (*recorder)->beginLane(graphs->front(), "best", test::ops());
        const Status run = test::SampleRun(doc.units.front().graph.clone()).record(**observer);
        QVERIFY(!run);
        QCOMPARE(run.error().code, std::string("R050"));
        QCOMPARE((*recorder)->beginLane(graphs->front(), "best", test::ops()).error().code, std::string("R050"));
        QVERIFY((*recorder)->close());
        const auto lanes = (*Recording::open(path))->lanes();
        QCOMPARE(lanes.front().stages, 3);
        QCOMPARE(lanes.front().state, std::string("interrupted"));
    }

    void decisionsBeyondTheLimitAreCounted() {
        RecorderLimits limits;
        limits.decisions = 2;
        const Document doc = test::sampleDocument();
        const std::string path = fresh();
        auto recorder = Recorder::create(path, limits);
        const auto graphs = (*recorder)->addDocument(doc);
        auto observer = (*recorder)->beginLane(graphs->front(), "best", test::ops());
        const std::vector<Decision> decisions(5);
        StageResult stage;
        stage.name = "imported";
        stage.decisions = &decisions;
        QVERIFY((*observer)->pipelineStarted(doc.units.front().graph, Pipeline()));
        QVERIFY((*observer)->stageFinished(doc.units.front().graph, stage));
        QVERIFY((*recorder)->close());
        const auto recording = *Recording::open(path);
        QCOMPARE(recording->decisions(1).size(), std::size_t(2));
        const auto messages = recording->diagnostics();
        QCOMPARE(messages.back().code, std::string("R051"));
        QVERIFY(messages.back().sentence.find('3') != std::string::npos);
    }

    void longTextIsNotStored() {
        RecorderLimits limits;
        limits.textBytes = 8;
        const std::string path = fresh();
        {
            auto recorder = Recorder::create(path, limits);
            QVERIFY((*recorder)->addDocument(test::sampleDocument()));
        }
        const auto recording = *Recording::open(path);
        QVERIFY(!recording->sourceText(1));
        QCOMPARE(recording->graphs().size(), std::size_t(1));
    }

    void migrationsRunStepByStep() {
        const std::string path = fresh();
        test::recordSample(path);
        Database db(path, Database::Access::Write);
        const recording::MigrationStep steps[] = {
            {1, [](Database& d) { d.exec("ALTER TABLE note ADD COLUMN colour TEXT"); }},
            {2, [](Database& d) { d.exec("UPDATE note SET colour = 'none'"); }},
        };
        QVERIFY(recording::migrate(db, steps, 3, path));
        QCOMPARE(query(db, "PRAGMA user_version"), std::string("3"));
        QCOMPARE(query(db, "SELECT count(*) FROM pragma_table_info('note') WHERE name = 'colour'"), std::string("1"));
        // A hole in the chain: nothing changes.
        const auto hole = recording::migrate(db, steps, 5, path);
        QVERIFY(!hole);
        QCOMPARE(hole.error().code, std::string("S002"));
        QCOMPARE(query(db, "PRAGMA user_version"), std::string("3"));
    }
};

QTEST_GUILESS_MAIN(TestRecorder)
#include "tst_recorder.moc"
