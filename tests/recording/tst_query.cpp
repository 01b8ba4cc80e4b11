// The SQL of session.md: it runs as it stands, its questions have answers, its plans use indices, and users can only read.

#include <QTemporaryDir>
#include <QtTest>

#include "core/recording/database.h"
#include "recorded_sample.h"

using namespace aliascope;

namespace aliascope::embedded {
extern const std::string_view schema_sql;
}

class TestQuery : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string path_;
    std::shared_ptr<Recording> recording_;

    std::string refusal(const std::string& sql, int maxRows = 100, int maxMs = 10'000) {
        const auto result = recording_->query(sql, maxRows, maxMs);
        return result ? std::string("ran") : result.error().code;
    }
    std::size_t rows(const std::string& sql) {
        const auto result = recording_->query(sql);
        if (!result) qWarning("%s", result.error().format().c_str());
        return result ? result->rows.size() : std::size_t(0) - 1;
    }

private slots:
    void initTestCase() {
        path_ = folder_.filePath("sample.aliascope").toStdString();
        test::recordSample(path_);
        recording_ = *Recording::open(path_);
    }

    void everyTableAndViewAnswers() {
        const auto names = recording_->query("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'");
        QVERIFY(names);
        QCOMPARE(names->rows.size(), std::size_t(35 + 14));
        for (const auto& row : names->rows) QVERIFY2(recording_->query("SELECT * FROM " + *row[0]), row[0]->c_str());
    }

    void theTenQuestions() {
        QCOMPARE(rows("SELECT * FROM v_stage WHERE changed"), std::size_t(4));
        QCOMPARE(rows("SELECT name, type, bytes FROM v_clone WHERE lane='best' AND stage=1 ORDER BY bytes DESC"), std::size_t(1));
        QCOMPARE(rows("SELECT name, type, bytes FROM v_clone WHERE lane='best' AND stage=(SELECT max(idx) FROM v_stage WHERE lane='best') ORDER BY "
                      "bytes DESC"),
                 std::size_t(0));
        QCOMPARE(rows("SELECT code, count(*), sum(cloned_bytes) FROM v_decision WHERE need='avoidable' GROUP BY code"), std::size_t(1));
        QCOMPARE(rows("SELECT * FROM v_change WHERE stage_id=3"), std::size_t(3));
        QCOMPARE(rows("SELECT name, type FROM v_member WHERE stage_id=1 AND storage=0 ORDER BY ord"), std::size_t(3));
        QCOMPARE(rows("SELECT * FROM v_history WHERE lane='best' AND uid=5 ORDER BY stage, seq"), std::size_t(1));
        QCOMPARE(rows("SELECT lane, first_touch FROM v_touch WHERE uid=5"), std::size_t(1));
        QCOMPARE(rows("SELECT module, sum(bytes_exact) FROM v_holder WHERE run=1 GROUP BY module ORDER BY 2 DESC"), std::size_t(0));
        QCOMPARE(rows("SELECT m.storage, m.bytes_exact FROM mem_storage m WHERE m.run=1 AND m.death>90000 AND m.storage IN (SELECT storage FROM "
                      "mem_live WHERE "
                      "run=1 AND seq=90000/4096*4096 UNION SELECT storage FROM mem_event WHERE run=1 AND seq>90000/4096*4096 AND seq<=90000 AND "
                      "storage NOT NULL)"),
                 std::size_t(0));
        QCOMPARE(rows("SELECT * FROM v_divergence ORDER BY seq LIMIT 1"), std::size_t(0));
    }

    void plansOfPanelsScanNoBigTable() {
        for (const char* sql :
             {"SELECT * FROM v_node WHERE stage_id = 3", "SELECT * FROM v_edge WHERE stage_id = 3", "SELECT * FROM v_change WHERE stage_id = 3",
              "SELECT * FROM v_member WHERE stage_id = 3 AND storage = 1", "SELECT * FROM v_write WHERE stage_id = 3",
              "SELECT * FROM v_clone WHERE stage_id = 3", "SELECT * FROM v_history WHERE uid = 5", "SELECT * FROM v_holder WHERE run = 1",
              "SELECT * FROM v_peak WHERE run = 1"}) {
            const auto plan = recording_->query(std::string("EXPLAIN QUERY PLAN ") + sql);
            QVERIFY2(plan, sql);
            for (const auto& row : plan->rows) {
                const std::string& detail = *row.back();
                for (const char* scan : {"SCAN n ", "SCAN n\0", "SCAN u", "SCAN d ", "SCAN node", "SCAN use", "SCAN mem_event", "SCAN e "})
                    QVERIFY2(detail != scan && detail.rfind(scan, 0) != 0, (std::string(sql) + ": " + detail).c_str());
                QVERIFY2(detail != "SCAN n" && detail != "SCAN d" && detail != "SCAN e", (std::string(sql) + ": " + detail).c_str());
            }
        }
    }

    /// Both ends of an edge are found by uid: reading the whole lane for each would be quadratic.
    void edgesAreFoundByUid() {
        for (const char* view : {"v_edge", "v_write"}) {
            const auto plan = recording_->query(std::string("EXPLAIN QUERY PLAN SELECT * FROM ") + view + " WHERE stage_id = 3");
            QVERIFY(plan);
            int byUid = 0, byLane = 0;
            for (const auto& row : plan->rows) {
                byUid += row.back()->find("node_uid (lane=? AND uid=?") != std::string::npos;
                byLane += row.back()->find("node_last") != std::string::npos;
            }
            QVERIFY(byUid >= 1);
            QCOMPARE(byLane, 1);
        }
    }

    void everyUseHasAVersionInEachStageOfItsUser() {
        QCOMPARE(rows("SELECT n.name, s.idx FROM stage s JOIN node n ON n.lane = s.lane AND n.first_stage <= s.idx AND n.last_stage >= s.idx "
                      "JOIN use u ON u.node = n.id WHERE NOT EXISTS (SELECT 1 FROM node d WHERE d.lane = n.lane AND d.uid = u.uid AND d.first_stage "
                      "<= s.idx AND "
                      "d.last_stage >= s.idx)"),
                 std::size_t(0));
        // Versions of one node do not overlap.
        QCOMPARE(
            rows("SELECT a.name FROM node a JOIN node b ON b.lane = a.lane AND b.uid = a.uid AND b.id > a.id AND b.first_stage <= a.last_stage AND "
                 "b.last_stage >= a.first_stage"),
            std::size_t(0));
    }

    void valuesKeepTheirKinds() {
        const auto result = recording_->query("SELECT 1 AS a, 2.5, 'x', NULL, x'00ff'");
        QVERIFY(result);
        QCOMPARE(result->columns[0], std::string("a"));
        QCOMPARE(std::string(result->types[0].begin(), result->types[0].end()), std::string("irtnb"));
        QCOMPARE(*result->rows[0][1], std::string("2.5"));
        QVERIFY(!result->rows[0][3]);
        QCOMPARE(*result->rows[0][4], std::string("00ff"));
    }

    void onlyReading_data() {
        QTest::addColumn<QString>("sql");
        for (const char* sql : {"DELETE FROM node",
                                "INSERT INTO note(kind, created) VALUES('note', '')",
                                "UPDATE stage SET name = 'x'",
                                "DROP TABLE node",
                                "CREATE TABLE x(a)",
                                "CREATE TEMP TABLE x(a)",
                                "ATTACH 'other.db' AS o",
                                "DETACH main",
                                "VACUUM",
                                "VACUUM INTO 'copy.db'",
                                "PRAGMA user_version=3",
                                "PRAGMA query_only=OFF",
                                "PRAGMA journal_mode=WAL",
                                "BEGIN",
                                "SAVEPOINT s",
                                "REINDEX",
                                "ANALYZE",
                                "SELECT 1; DELETE FROM node",
                                "SELECT 1; SELECT 2",
                                "EXPLAIN DELETE FROM node",
                                "WITH x AS (SELECT 1) DELETE FROM node",
                                "SELECT load_extension('x')",
                                "SELECT * FROM pragma_user_version",
                                "",
                                "   -- nothing",
                                "SELEC 1",
                                "SELECT * FROM none",
                                "SELECT writefile('a', 'b')"})
            QTest::newRow(*sql ? sql : "(empty)") << QString(sql);
    }
    void onlyReading() {
        QFETCH(QString, sql);
        QCOMPARE(refusal(sql.toStdString()), std::string("R014"));
        QCOMPARE(rows("SELECT * FROM v_stage"), std::size_t(7));
    }

    void wordsOfSqliteAreGiven() {
        const auto result = recording_->query("SELECT nam FROM node");
        QVERIFY(!result);
        QVERIFY2(result.error().sentence().find("no such column: nam") != std::string::npos, result.error().sentence().c_str());
    }

    void readingMayBeDressed() {
        QCOMPARE(refusal("  /* a */ -- b\n select 1 ; "), std::string("ran"));
        QCOMPARE(refusal("SELECT 1; -- the end"), std::string("ran"));
        QCOMPARE(refusal("with x(a) as (values(1), (2)) select sum(a) from x"), std::string("ran"));
        QCOMPARE(refusal("EXPLAIN QUERY PLAN SELECT * FROM v_node"), std::string("ran"));
        QCOMPARE(refusal("SELECT * FROM pragma_table_info('node')"), std::string("ran"));
    }

    void rowsAndTimeAreLimited() {
        const std::string endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c";
        const auto cut = recording_->query(endless, 10);
        QVERIFY(cut && cut->truncated);
        QCOMPARE(cut->rows.size(), std::size_t(10));
        const auto whole = recording_->query("SELECT * FROM v_stage", 7);
        QVERIFY(whole && !whole->truncated);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(refusal("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c", 10, 100), std::string("R050"));
        QVERIFY(timer.elapsed() < 3000);
        // The limit does not stay with the recording.
        QCOMPARE(rows("SELECT * FROM v_stage"), std::size_t(7));
        QCOMPARE(refusal("SELECT length(zeroblob(900000000))"), std::string("R014"));
        QCOMPARE(refusal("SELECT fts3_tokenizer('simple')"), std::string("R014"));
        const auto heavy = recording_->query("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT zeroblob(30000000) FROM c");
        QVERIFY(heavy && heavy->truncated);
        QVERIFY(heavy->rows.size() < 10);
    }

    void canBeCancelled() {
        CancelToken cancel;
        cancel.cancel();
        const auto result = recording_->query("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c", 10, 60'000, cancel);
        QVERIFY(result && result->truncated && result->rows.empty());
    }
};

QTEST_GUILESS_MAIN(TestQuery)
#include "tst_query.moc"
