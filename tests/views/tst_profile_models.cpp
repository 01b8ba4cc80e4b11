// Models of the memory, numerics and run panels under QAbstractItemModelTester; how curves of two stages are laid over each other.

#include <QAbstractItemModelTester>
#include <QTest>

#include "core/memory/memory_model.h"
#include "views/models/block_model.h"
#include "views/models/format.h"
#include "views/models/holder_model.h"
#include "views/models/numerics_model.h"
#include "views/models/run_history_model.h"

using namespace aliascope;

namespace {

/// One event per entry: node number, positive bytes allocate a storage of that node, 0 frees the storage of the node before `frees`.
struct Step {
    std::uint32_t node;
    std::int64_t bytes;
    int frees = -1;  ///< storage
};

MemoryProfilePtr profileOf(const std::vector<Step>& steps) {
    memory::MemoryModel model;
    auto snapshot = std::make_shared<StageSnapshot>();
    snapshot->stage.idx = 1;
    snapshot->stage.name = "imported";
    memory::StorageId next = 0;
    std::uint32_t last = 0;
    for (const Step& step : steps) {
        if (step.node != last) {
            auto row = std::make_shared<NodeRow>();
            row->uid = step.node;
            row->name = "n" + std::to_string(step.node);
            row->op = step.node % 2 ? "aten::mm" : "aten::relu";
            row->kind = "call_function";
            row->type = "f32[4]";
            row->module = step.node < 3 ? "h.0" : "";
            row->storage = int(step.node);
            snapshot->nodes.push_back(row);
            last = step.node;
        }
        const memory::Site site{0, NodeId(step.node), 0};
        if (step.frees >= 0) {
            model.release(site, memory::StorageId(step.frees));
        } else if (!model.allocate(memory::EventKind::Alloc, site, next++, step.bytes)) {
            return nullptr;
        }
    }
    struct Kept {
        memory::EventLog log;
    };
    auto kept = std::make_shared<Kept>(Kept{model.takeLog()});
    return std::make_shared<MemoryProfile>(kept, kept->log, std::make_shared<const memory::MemoryReport>(kept->log), snapshot,
                                           [](const memory::Site& site) { return Uid(site.node.value); });
}

ComparedRow value(Uid a, Uid b, const char* label, const char* verdict, bool inherited, std::optional<double> error) {
    ComparedRow row;
    row.uidA = a;
    row.uidB = b;
    row.nodeA = row.nodeB = label;
    row.label = label;
    row.verdict = verdict;
    row.inherited = inherited;
    row.maxAbs = error;
    row.at = "[3, 0]";
    row.a = "1";
    row.b = "4";
    return row;
}

std::shared_ptr<const ValueMatrix> matrix() {
    auto m = std::make_shared<ValueMatrix>();
    for (int stage : {2, 5}) {
        ComparisonRow column;
        column.stageA = 1;
        column.stageNameA = "imported";
        column.stageB = stage;
        column.stageNameB = "pass" + std::to_string(stage);
        column.verdict = stage == 5 ? "differs" : "same";
        m->columns.push_back(column);
    }
    m->rows.push_back({"cos", {value(1, 1, "cos", "same", false, {}), value(1, 1, "cos", "close", false, {})}});
    m->rows.push_back({"two", {value(2, 2, "two", "same", false, {}), value(2, 2, "two", "differs", false, 3.0)}});
    m->rows.push_back({"sum", {std::nullopt, value(3, 3, "sum", "differs", true, 1.5e-7)}});
    m->rows.push_back(
        {"exp", {value(4, 4, "exp", "not-comparable", false, {}), value(4, 4, "exp", "differs", true, std::numeric_limits<double>::infinity())}});
    m->first = std::pair<std::size_t, std::size_t>(1, 1);
    return m;
}

}  // namespace

class TestProfileModels : public QObject {
    Q_OBJECT

private slots:
    void blocks() {
        BlockModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        const MemoryProfilePtr profile = profileOf({{1, 4096}, {2, 1024}, {3, 512}, {3, 0, 0}, {4, 0, 1}});
        QVERIFY(profile);
        model.setContents(profile, blocksLiveAt(*profile, 3), memory::Accounting::Exact);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.bytes(), std::int64_t(5632));
        QCOMPARE(model.index(0, BlockModel::Size).data().toString(), QStringLiteral("4 KiB"));
        QCOMPARE(model.index(0, BlockModel::Why).data().toString(), QStringLiteral("read last by %n3"));
        QCOMPARE(model.index(1, BlockModel::Module).data().toString(), QStringLiteral("h.0"));
        QCOMPARE(model.index(2, BlockModel::Dies).data().toString(), QStringLiteral("end"));
        QCOMPARE(model.rowOf(2), 1);
        model.setContents(profile, blocksLiveAt(*profile, 5), memory::Accounting::Exact);
        QCOMPARE(model.rowCount(), 1);
        model.setContents(profile, blocksLiveIn(*profile, 4, 6), memory::Accounting::Exact);
        QCOMPARE(model.rowCount(), 2);  // what died at event 4 is not live in it
        model.setContents(nullptr, {}, memory::Accounting::Exact);
        QCOMPARE(model.rowCount(), 0);
    }

    void holders() {
        HolderModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const MemoryProfilePtr profile = profileOf({{1, 4096}, {2, 1024}, {3, 512}, {3, 0, 0}});
        model.setContents(profile, HolderKey::Module, memory::Accounting::Exact);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, HolderModel::Group).data().toString(), QStringLiteral("h.0"));
        QCOMPARE(model.index(0, HolderModel::Size).data().toString(), QStringLiteral("5 KiB"));
        QCOMPARE(model.index(0, HolderModel::Blocks).data().toString(), QStringLiteral("2"));
        QCOMPARE(model.index(0, HolderModel::Group).data(HolderModel::UidRole).toULongLong(), 1ull);  // of its largest block
        QCOMPARE(model.index(1, HolderModel::Group).data().toString(), QStringLiteral("no module recorded"));
        model.setContents(profile, HolderKey::Op, memory::Accounting::Exact);
        QCOMPARE(model.rowCount(), 2);
        model.setContents(nullptr, HolderKey::Op, memory::Accounting::Exact);
        QCOMPARE(model.rowCount(), 0);
    }

    void numerics() {
        NumericsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        NumericsFilterProxy proxy;
        proxy.setSourceModel(&model);
        QCOMPARE(model.columnCount(), 0);
        model.setContents(matrix());
        QCOMPARE(model.columnCount(), 4);
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("1 imported"));
        const auto shown = [&](int row) {
            QStringList cells;
            for (int c = 1; c < model.columnCount(); ++c) cells << model.index(row, c).data().toString();
            return cells.join(QLatin1Char('|'));
        };
        QCOMPARE(shown(0), QStringLiteral(".|.|."));
        QCOMPARE(shown(1), QStringLiteral(".|.|X 3"));
        QCOMPARE(shown(2), QStringLiteral(".|-|x 1.5e-07"));
        QCOMPARE(shown(3), QStringLiteral(".|~|n inf"));
        QCOMPARE(model.firstDivergence(), model.index(1, 3));
        QVERIFY(model.index(1, 3).data(Qt::AccessibleTextRole).toString().contains(QLatin1String("begins here")));
        QCOMPARE(model.rowOf(3), 2);
        proxy.setOnlyDifferences(true);
        QCOMPARE(proxy.rowCount(), 3);
        proxy.setQuery(QStringLiteral("sum"));
        QCOMPARE(proxy.rowCount(), 1);
        model.setContents(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void runs() {
        RunHistoryModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        RunHistoryRow run;
        run.run.id = 3;
        run.run.stage = 2;
        run.run.stageName = "functionalize";
        run.run.state = "failed";
        run.run.seed = 7;
        run.run.inputs = "random";
        run.run.peakExact = 4096;
        RunHistoryRow message = run;
        message.code = QStringLiteral("OUT_OF_MEMORY");
        message.message = QStringLiteral("out of memory at %mm");
        message.severity = QStringLiteral("error");
        message.node = 12;
        model.setContents({run, message});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, RunHistoryModel::State).data().toString(), QStringLiteral("failed"));
        QCOMPARE(model.index(0, RunHistoryModel::Inputs).data().toString(), QStringLiteral("random, seed 7"));
        QCOMPARE(model.index(1, RunHistoryModel::Stage).data().toString(), QStringLiteral("error: out of memory at %mm"));
        QCOMPARE(model.index(1, RunHistoryModel::Inputs).data().toString(), QString());
        QCOMPARE(model.index(1, RunHistoryModel::State).data().toString(), QStringLiteral("error"));
        QCOMPARE(model.index(1, RunHistoryModel::Message).data().toString(), QStringLiteral("out of memory at %mm"));
        QCOMPARE(model.index(1, 0).data(RunHistoryModel::UidRole).toULongLong(), 12ull);
    }

    /// Nodes 1, 2, 4 are in both; 3 was replaced by 9 and 10 of the other stage; what has no counterpart is spread between its neighbours.
    void aStageIsLaidOverAnother() {
        const MemoryProfilePtr reference = profileOf({{1, 64}, {2, 64}, {3, 64}, {4, 64}});
        const MemoryProfilePtr other = profileOf({{1, 64}, {9, 64}, {2, 64}, {10, 64}, {4, 64}});
        const std::vector<double> places = alignEvents(*other, *reference, {{10, 3}});
        QCOMPARE(places.size(), std::size_t(7));  // the first event is the allocator's segment
        QCOMPARE(places[0], 0.0);
        QCOMPARE(places[2], 2.0);  // after node 1
        QCOMPARE(places[3], 2.5);  // 9 lies between
        QCOMPARE(places[4], 3.0);  // after node 2
        QCOMPARE(places[5], 4.0);  // 10 stands where 3 stood
        QCOMPARE(places[6], 5.0);
    }

    /// One node that moved to the front does not push all others away.
    void aMovedNodeDoesNotBendTheAxis() {
        std::vector<Step> straight, moved;
        for (std::uint32_t n = 1; n <= 20; ++n) straight.push_back({n, 64});
        moved.push_back({20, 64});
        for (std::uint32_t n = 1; n < 20; ++n) moved.push_back({n, 64});
        const std::vector<double> places = alignEvents(*profileOf(moved), *profileOf(straight), {});
        QVERIFY(std::is_sorted(places.begin(), places.end()));
        QCOMPARE(places[7], 6.0);  // after node 5, which is the sixth there
    }

    void anEmptyStageIsLaidOverToo() {
        const MemoryProfilePtr empty = profileOf({}), some = profileOf({{1, 64}, {2, 64}});
        QCOMPARE(alignEvents(*empty, *some, {}).size(), std::size_t(1));
        QCOMPARE(alignEvents(*some, *empty, {}).size(), std::size_t(some->events()) + 1);
    }
};

QTEST_GUILESS_MAIN(TestProfileModels)
#include "tst_profile_models.moc"
