// Every model under QAbstractItemModelTester, with data of the kinds that recordings give and with none.

#include <QAbstractItemModelTester>
#include <QTest>

#include "views/models/alias_tree_model.h"
#include "views/models/compare_model.h"
#include "views/models/decision_group_model.h"
#include "views/models/diagnostic_model.h"
#include "views/models/history_model.h"
#include "views/models/node_table_model.h"
#include "views/models/pass_list_model.h"
#include "views/models/sample_list.h"
#include "views/models/unit_model.h"

using namespace aliascope;

namespace {

StageRow stage(int idx, const char* name, bool changed, std::int64_t clones, std::optional<std::int64_t> cloned) {
    StageRow row;
    row.idx = idx;
    row.name = name;
    row.state = "ok";
    row.changed = changed;
    row.nodes = 100;
    row.added = changed ? 10 : 0;
    row.clones = clones;
    row.clonedBytes = cloned;
    row.rewrites = changed ? 2 : 0;
    return row;
}

DecisionRow decision(std::int64_t id, const char* verdict, const char* need, const char* code) {
    DecisionRow d;
    d.id = id;
    d.node = "cache_" + std::to_string(id);
    d.op = "mylib::cache";
    d.argument = "value_cache";
    d.verdict = verdict;
    d.need = need;
    d.code = code;
    d.stageName = "reinplace";
    d.clonedBytes = 1000 * id;
    return d;
}

std::shared_ptr<const DecisionModel::Rows> decisions() {
    auto rows = std::make_shared<DecisionModel::Rows>();
    rows->push_back(decision(1, "in-place", "none", "RI00"));
    rows->push_back(decision(2, "clone", "avoidable", "RI21"));
    rows->push_back(decision(3, "clone", "needed", "RI51"));
    rows->push_back(decision(4, "clone", "unknown", "RI30.READ"));
    rows->push_back(decision(5, "refused", "none", "SELF_COPY"));
    return rows;
}

StageViewPtr stageView() {
    auto snapshot = std::make_shared<StageSnapshot>();
    auto add = [&](Uid uid, const char* kind, const char* name, const char* target, int storage) {
        auto node = std::make_shared<NodeRow>();
        node->uid = uid;
        node->kind = kind;
        node->name = name;
        node->target = target;
        node->op = target;
        node->storage = storage;
        node->bytes = 64;
        snapshot->nodes.push_back(node);
    };
    add(0, "placeholder", "x", "x", 0);
    add(1, "call_function", "view", "torch.ops.aten.view.default", 0);
    add(2, "call_function", "add_", "torch.ops.aten.add_.Tensor", 0);
    add(3, "output", "output", "output", -1);
    snapshot->edges = {{0, 1, "self", EdgeRow::Mode::Meta}, {1, 2, "self", EdgeRow::Mode::ReadWrite}, {2, 3, "", EdgeRow::Mode::Read}};
    auto view = std::make_shared<StageView>();
    view->lane = 1;
    view->stage = 1;
    view->changes = std::make_shared<const std::vector<ChangeRow>>(std::vector<ChangeRow>{{1, "view", ChangeMark::Added}});
    view->storages = std::make_shared<const std::vector<StorageRow>>(std::vector<StorageRow>{{0, 0, "x", "input", "", 64, false}});
    view->snapshot = snapshot;
    return finishStageView(std::move(view), {}, {});
}

}  // namespace

class TestModels : public QObject {
    Q_OBJECT

private slots:
    void passList() {
        PassListModel model;
        QSet<int> asked;
        connect(&model, &PassListModel::rewritesWanted, this, [&](int idx) { asked << idx; });
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        PassFilterProxy proxy;
        QAbstractItemModelTester proxyTester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
        proxy.setSourceModel(&model);
        model.setStages({stage(1, "imported", true, 0, {}), stage(2, "functionalize", true, 0, 0), stage(3, "dce", false, 0, 0),
                         stage(4, "decompose-functionalized", true, 8, 1769472)});
        QCOMPARE(proxy.rowCount(), 4);
        QCOMPARE(model.indexOfStage(4).data(PassListModel::ByteDeltaRole).toLongLong(), 1769472);
        proxy.setChangedOnly(true);
        QCOMPARE(proxy.rowCount(), 3);
        proxy.setQuery(QStringLiteral("decomp"));
        QCOMPARE(proxy.rowCount(), 1);
        proxy.setQuery({});

        const QModelIndex parent = model.indexOfStage(2);
        QVERIFY(model.hasChildren(parent));
        model.fetchMore(parent);
        QVERIFY(asked.contains(2));
        QVERIFY(!asked.contains(3));  // no rewrites there
        RewriteRow rewrite;
        rewrite.rule = "wrap";
        rewrite.before = {{3, "cache"}};
        rewrite.after = {{9, "auto_functionalized"}, {10, "getitem"}};
        model.setRewrites(2, {rewrite, rewrite});
        QCOMPARE(model.rowCount(parent), 2);
        QVERIFY(model.rewriteAt(model.index(1, 0, parent)));
        QVERIFY(model.index(0, 0, parent).data().toString().contains(QLatin1String("%cache")));
        model.setTouched({2, 4});
        QVERIFY(model.indexOfStage(2).data(PassListModel::TouchedRole).toBool());
        QVERIFY(!model.indexOfStage(3).data(PassListModel::TouchedRole).toBool());
        model.setStages({});
        QCOMPARE(model.rowCount(), 0);
    }

    void groupsAddUp() {
        DecisionModel rows;
        DecisionGroupModel groups(rows);
        QAbstractItemModelTester tester(&groups, QAbstractItemModelTester::FailureReportingMode::QtTest);
        rows.setContents(decisions());
        std::int64_t cloned = 0;
        for (const DecisionRow& d : *decisions()) cloned += d.verdict == "clone" ? d.clonedBytes.value_or(0) : 0;
        QVERIFY(cloned > 0);
        for (int by = 1; by < kDecisionGroupings; ++by) {
            groups.setContents(DecisionGrouping(by), {0, 1, 2, 3, 4});
            int members = 0;
            std::int64_t sum = 0;
            for (int row = 0; row < groups.rowCount(); ++row) {
                const QModelIndex group = groups.index(row, 0);
                members += groups.rowCount(group);
                for (int i = 0; i < groups.rowCount(group); ++i) {
                    const DecisionRow* d = groups.decisionAt(groups.index(i, 0, group));
                    QVERIFY(d);
                    QCOMPARE(groups.indexOf(d->id), groups.index(i, 0, group));
                    if (d->verdict == "clone") sum += d->clonedBytes.value_or(0);
                }
            }
            QCOMPARE(members, 5);
            QCOMPARE(sum, cloned);
        }
        groups.setContents(DecisionGrouping::None, {0, 1});
        QCOMPARE(groups.rowCount(), 0);
    }

    void lanesSideBySide() {
        CompareModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        LaneFigures v1;
        v1.totals.lane.name = "torch-v1";
        v1.totals.last = stage(17, "decompose-functionalized", true, 8, 1769472);
        LaneFigures v2 = v1;
        v2.totals.lane.name = "torch-v2";
        v2.peak = 36864;
        model.setContents({v1, v2});
        QCOMPARE(model.index(0, CompareModel::Cloned).data().toString(), QStringLiteral("1.69 MiB"));
        QCOMPARE(model.index(1, CompareModel::Lane).data().toString(), QStringLiteral("B  torch-v2"));
        QCOMPARE(model.index(1, CompareModel::Peak).data().toString(), QStringLiteral("36 KiB"));
        QCOMPARE(model.index(0, CompareModel::Peak).data().toString(), bytesText(std::nullopt));
    }

    void decisionTable() {
        DecisionModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        DecisionFilterProxy proxy;
        QAbstractItemModelTester proxyTester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
        proxy.setSourceModel(&model);
        proxy.sort(DecisionModel::Verdict);
        model.setContents(decisions());
        QCOMPARE(proxy.rowCount(), 5);
        QCOMPARE(proxy.decisionAt(proxy.index(0, 0))->id, 2);  // avoidable comes first
        QCOMPARE(proxy.decisionAt(proxy.index(4, 0))->id, 1);  // what is well comes last
        QCOMPARE(model.index(4, DecisionModel::Verdict).data().toString(), QStringLiteral("no-op left"));
    }

    void decisionFilter_data() {
        QTest::addColumn<QString>("query");
        QTest::addColumn<int>("count");
        QTest::newRow("all") << "" << 5;
        QTest::newRow("word") << "cache_3" << 1;
        QTest::newRow("code") << "code:RI30" << 1;
        QTest::newRow("name of the code") << "VIEW_OF_INPUT" << 1;
        QTest::newRow("verdict") << "verdict:avoidable" << 1;
        QTest::newRow("clones") << "verdict:clone" << 3;
        QTest::newRow("not") << "verdict:clone -verdict:needed" << 2;
        QTest::newRow("and") << "op:cache need:needed" << 1;
        QTest::newRow("nothing") << "op:matmul" << 0;
        QTest::newRow("half typed") << "op:" << 5;
    }
    void decisionFilter() {
        QFETCH(QString, query);
        DecisionModel model;
        DecisionFilterProxy proxy;
        proxy.setSourceModel(&model);
        model.setContents(decisions());
        proxy.setQuery(query);
        QTEST(proxy.rowCount(), "count");
    }

    /// Every other row of many comes and goes: the mapping is built anew, order and persistent indexes hold.
    void decisionFilterOfManyScatteredRows() {
        constexpr int kRows = 3000;
        auto rows = std::make_shared<DecisionModel::Rows>();
        for (int i = 0; i < kRows; ++i) {
            DecisionRow row;
            row.id = i + 1;
            row.node = "cache_" + std::to_string(i);
            row.argument = i % 2 ? "value_cache" : "key_cache";
            row.clonedBytes = (std::int64_t(i) * 7919) % kRows;
            rows->push_back(std::move(row));
        }
        DecisionModel model;
        DecisionFilterProxy proxy;
        QAbstractItemModelTester tester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
        proxy.setSourceModel(&model);
        model.setContents(rows);
        proxy.sort(DecisionModel::Cloned, Qt::DescendingOrder);
        const QPersistentModelIndex even = proxy.mapFromSource(model.index(1000, 0)), odd = proxy.mapFromSource(model.index(1001, 0));
        for (const auto& [query, count] : std::initializer_list<std::pair<const char*, int>>{{"key_cache", kRows / 2},
                                                                                             {"key_cache cache_1000", 1},
                                                                                             {"key_cache", kRows / 2},
                                                                                             {"nothing of this", 0},
                                                                                             {"key_cache", kRows / 2},
                                                                                             {"", kRows}}) {
            proxy.setQuery(QString::fromLatin1(query));
            QCOMPARE(proxy.rowCount(), count);
            for (int row = 1; row < proxy.rowCount(); ++row)
                QVERIFY(*proxy.decisionAt(proxy.index(row - 1, 0))->clonedBytes > *proxy.decisionAt(proxy.index(row, 0))->clonedBytes);
            if (count == kRows / 2) QVERIFY(!odd.isValid());
            if (query == QByteArray("key_cache cache_1000")) QCOMPARE(proxy.decisionAt(even)->id, 1001);
        }
    }

    void nodeTable() {
        NodeTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const StageViewPtr view = stageView();
        QVERIFY(view);
        model.setContents(view);
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.index(1, NodeTableModel::Mark).data().toString(), QStringLiteral("+"));
        QCOMPARE(model.index(1, NodeTableModel::Op).data().toString(), QStringLiteral("view"));
        QCOMPARE(model.index(2, NodeTableModel::Op).data().toString(), QStringLiteral("add_.Tensor"));
        QCOMPARE(model.indexOf(2).row(), 2);
        QVERIFY(!model.indexOf(77).isValid());
        model.setContents(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void familiesComeFromTheOperators() {
        const StageViewPtr view = stageView();
        QCOMPARE(view->family, (std::vector<Family>{Family::Input, Family::View, Family::Write, Family::Output}));
        QCOMPARE(view->users, (std::vector<std::uint32_t>{1, 1, 1, 0}));
        QCOMPARE(view->members(0).size(), std::size_t(3));
    }

    void aliasTree() {
        AliasTreeModel model;
        int wanted = -1;
        connect(&model, &AliasTreeModel::membersWanted, this, [&](int storage) { wanted = storage; });
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setContents(stageView());
        QCOMPARE(model.rowCount(), 1);
        model.fetchMore(model.index(0, 0));
        QCOMPARE(wanted, 0);
        auto rows = std::make_shared<AliasRows>();
        rows->storage = 0;
        AliasMember base;
        base.kind = AliasMember::Kind::Base;
        base.uid = 0;
        base.name = "x";
        base.region = Region{{4, 4}, {4, 1}, 0, 4};
        AliasMember write = base;
        write.kind = AliasMember::Kind::Write;
        write.uid = 2;
        write.region.reset();
        rows->members = {base, write};
        model.setMembers(rows);
        QCOMPARE(model.rowCount(model.index(0, 0)), 2);
        QCOMPARE(model.indexOfMember(0, 2).row(), 1);
        QCOMPARE(model.index(0, AliasTreeModel::Place, model.index(0, 0)).data().toString(), QStringLiteral("0 \u2013 64"));
        model.setContents(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void smallTables() {
        HistoryModel history;
        QAbstractItemModelTester historyTester(&history, QAbstractItemModelTester::FailureReportingMode::QtTest);
        history.setContents({{2, "functionalize", "wrap", "before", "cache", "Replaced", 1, 0, {"auto_functionalized"}}});
        QCOMPARE(history.index(0, HistoryModel::Others).data().toString(), QStringLiteral("%auto_functionalized"));

        DiagnosticModel diagnostics;
        QAbstractItemModelTester diagnosticTester(&diagnostics, QAbstractItemModelTester::FailureReportingMode::QtTest);
        DiagnosticRow warning;
        warning.severity = "warning";
        warning.sentence = "operator x::y has no schema";
        diagnostics.setContents(std::make_shared<const DiagnosticModel::Rows>(DiagnosticModel::Rows{warning}));
        QCOMPARE(diagnostics.rowCount(), 1);

        UnitModel units;
        QAbstractItemModelTester unitTester(&units, QAbstractItemModelTester::FailureReportingMode::QtTest);
        units.setContents(nullptr);
        QVERIFY(!units.largest().isValid());

        RecentModel recent;
        QAbstractItemModelTester recentTester(&recent, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (int i = 0; i < 30; ++i) recent.add(QStringLiteral("/nowhere/%1.py").arg(i));
        QCOMPARE(recent.rowCount(), 20);
        QVERIFY(recent.index(0).data(MissingRole).toBool());
        recent.remove(0);
        QCOMPARE(recent.paths().front(), QStringLiteral("/nowhere/28.py"));
    }

    void bytes_data() {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << qint64(0) << "0 B";
        QTest::newRow("small") << qint64(1023) << "1023 B";
        QTest::newRow("whole") << qint64(16384) << "16 KiB";
        QTest::newRow("two places") << qint64(1769472) << "1.69 MiB";
        QTest::newRow("large") << qint64(411664384) << "392.6 MiB";
        QTest::newRow("zeros stay") << qint64(100) * 1024 * 1024 * 1024 << "100 GiB";
    }
    void bytes() {
        QFETCH(qint64, bytes);
        QTEST(bytesText(bytes), "text");
    }
};

QTEST_MAIN(TestModels)
#include "tst_models.moc"
