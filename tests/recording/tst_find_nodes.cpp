// The find language of ui.md 3.7 over the nodes of a stage: what a text keeps.

#include <QTest>

#include "core/recording/find_nodes.h"

using namespace aliascope;

namespace {

NodeRowPtr node(Uid uid, const char* kind, const char* name, const char* target, const char* type, int storage) {
    auto row = std::make_shared<NodeRow>();
    row->uid = uid;
    row->kind = kind;
    row->name = name;
    row->target = target;
    row->type = type;
    row->storage = storage;
    row->ord = std::int64_t(uid);
    return row;
}

/// x -> select -> clone -> write -> output, and an unknown operator.
struct Stage {
    StageSnapshot snapshot;
    std::vector<ChangeRow> changes;
    std::vector<StorageRow> storages;
    std::vector<DecisionRow> decisions;

    Stage() {
        snapshot.stage.idx = 3;
        add(node(1, "placeholder", "x_1", "x", "bf16[8, 512, s7][512, 1]cuda:0", 1), 8 << 20);
        add(node(2, "call_function", "select_3", "torch.ops.aten.select.int", "f32[256, 2, 8]", 1), 16384);
        add(node(3, "call_function", "clone_default_1", "torch.ops.aten.clone.default", "f32[8192]", 9), 32768);
        add(node(4, "call_function", "cache", "torch.ops.mylib.cache.default", "None", -1), std::nullopt);
        add(node(5, "output", "output", "output", "", -1), std::nullopt);
        snapshot.edges = {{1, 2, "self", EdgeRow::Mode::Read},
                          {2, 3, "self", EdgeRow::Mode::Read},
                          {3, 4, "key", EdgeRow::Mode::ReadWrite},
                          {2, 4, "x", EdgeRow::Mode::Read}};
        changes = {{3, "clone_default_1", ChangeMark::Added}};
        storages.resize(2);
        storages[0].id = 1;
        storages[0].base = 1;
        storages[1].id = 9;
        storages[1].base = 3;
        DecisionRow d;
        d.stage = 2;
        d.uid = 4;
        d.verdict = "clone";
        d.need = "avoidable";
        d.code = "RI30.READ";
        d.argument = "key";
        d.clonedBytes = 32768;
        decisions.push_back(d);
    }
    void add(std::shared_ptr<const NodeRow> row, std::optional<std::int64_t> bytes) {
        auto copy = std::make_shared<NodeRow>(*row);
        copy->bytes = bytes;
        copy->module = "transformer.h.3.attn";
        copy->file = "/home/me/model.py";
        copy->line = 40 + int(row->uid);
        snapshot.nodes.push_back(std::move(copy));
    }
    QString find(const char* text) const {
        QStringList names;
        const FindContext context{&changes, &storages, &decisions, nullptr};
        for (std::uint32_t i : findNodes(snapshot, context, query::typedFind(text).find)) names << QString::fromStdString(snapshot.nodes[i]->name);
        return names.join(' ');
    }
};

}  // namespace

class TestFindNodes : public QObject {
    Q_OBJECT

private slots:
    void keeps_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("names");
        const auto row = [](const char* text, const char* names) { QTest::newRow(text) << text << names; };
        row("", "x_1 select_3 clone_default_1 cache output");
        row("clone", "clone_default_1");
        row("\"clone\"", "clone_default_1");
        row("SELECT", "");  // a capital makes case matter
        row("sel*3", "select_3");
        row("%cache", "cache");
        row("op:clone", "clone_default_1");
        row("op:aten.clone", "clone_default_1");
        row("op:mylib::cache,select", "select_3 cache");
        row("op:clon", "");
        row("op:clon?", "clone_default_1");
        row("shape:[8,512,*]", "x_1");
        row("shape:[ 8 , ... ]", "x_1");
        row("shape:[...,s7]", "x_1");
        row("shape:[8,*]", "");
        row("dtype:bf16", "x_1");
        row("storage:S1", "x_1 select_3");
        row("bytes>1M", "x_1");
        row("bytes >= 32 KiB", "x_1 clone_default_1");
        row("bytes=16K", "select_3");
        row("src:model.py:43", "clone_default_1");
        row("src:odel.py", "");
        row("module:h.3 op:clone", "clone_default_1");
        row("module:h.4", "");
        row("changed", "clone_default_1");
        row("view", "select_3");
        row("write", "cache");
        row("input | output", "x_1 output");
        row("-input -output", "select_3 clone_default_1 cache");
        row("(view | clone) bytes<20K", "select_3");
        row("-(view | clone | input)", "cache output");
        row("re:^c.*e$", "cache");
        row("users=2", "select_3");
        row("rank=3", "x_1 select_3");
        row("decision(code=RI30)", "cache");
        row("decision(code=RI30,verdict=in-place)", "");
        row("need:avoidable cloned>=32K", "cache");
        row("verdict:avoidable", "cache");  // as `decisions --find` has it
        row("decision(verdict=avoidable)", "cache");
        row("verdict:needed", "");
    }
    void keeps() {
        QFETCH(QString, text);
        QFETCH(QString, names);
        QVERIFY(query::parseFind(text.toStdString()));
        QCOMPARE(Stage().find(qPrintable(text)), names);
    }
};

QTEST_APPLESS_MAIN(TestFindNodes)
#include "tst_find_nodes.moc"
