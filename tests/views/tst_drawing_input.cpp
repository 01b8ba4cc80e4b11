// How the nodes of a large stage are grouped (ui.md 0: the fallback chain): modules inside modules, blocks of source lines, bands.

#include <QTest>
#include <functional>

#include "views/session/drawing_filter.h"
#include "views/session/stage_view.h"

using namespace aliascope;

namespace {

/// A chain of calls behind one input; `place` gives module and source line of each.
StageViewPtr chain(int calls, const std::function<void(int, NodeRow&)>& place, const DrawingOptions& options = {}) {
    auto snapshot = std::make_shared<StageSnapshot>();
    for (int i = 0; i <= calls + 1; ++i) {
        auto row = std::make_shared<NodeRow>();
        row->uid = Uid(i + 1);
        row->ord = i;
        row->kind = i == 0 ? "placeholder" : i > calls ? "output" : "call_function";
        row->name = "n" + std::to_string(i);
        row->target = i == 0 ? "x" : i > calls ? "output" : "torch.ops.aten.relu.default";
        if (i > 0 && i <= calls) place(i - 1, *row);
        snapshot->nodes.push_back(row);
        if (i > 0) snapshot->edges.push_back({Uid(i), Uid(i + 1), "self", EdgeRow::Mode::Read});
    }
    auto view = std::make_shared<StageView>();
    view->snapshot = snapshot;
    view->changes = std::make_shared<const std::vector<ChangeRow>>(std::vector<ChangeRow>{{Uid(calls / 2 - 10), "n", ChangeMark::Modified}});
    view->storages = std::make_shared<const std::vector<StorageRow>>();
    return finishStageView(view, options, {});
}

void inModules(int i, NodeRow& row) {
    const int layer = i / 60, part = i % 60 < 30 ? 0 : 1;
    row.module = "model.h." + std::to_string(layer) + (part == 0 ? ".attn" : ".mlp");
}

std::vector<std::string> topTitles(const StageView& view) {
    std::vector<std::string> out;
    for (const LayoutGroup& group : view.drawingInput->groups)
        if (group.parent < 0) out.push_back(group.title);
    return out;
}

}  // namespace

class TestDrawingInput : public QObject {
    Q_OBJECT

private slots:
    void smallStagesHaveNoGroups() { QVERIFY(chain(100, inModules)->drawingInput->groups.empty()); }

    void modulesNest() {
        const StageViewPtr view = chain(240, inModules);
        QCOMPARE(topTitles(*view), (std::vector<std::string>{"model.h.0", "model.h.1", "model.h.2", "model.h.3"}));
        const auto& groups = view->drawingInput->groups;
        QCOMPARE(groups.size(), 12u);
        for (std::size_t g = 0; g < groups.size(); ++g) QVERIFY(groups[g].parent < std::int32_t(g));
        QCOMPARE(groups[1].title, std::string("model.h.0.attn"));
        QCOMPARE(groups[1].parent, 0);
        QCOMPARE(view->drawing->cards.size(), 5u);  // four closed layers, the first with the input that only it uses, and the output
        for (std::uint32_t i = 1; i <= 240; ++i) QCOMPARE(view->closedGroupOf(i), topTitles(*view)[(i - 1) / 60]);
    }

    void openingGoesLevelByLevel() {
        DrawingOptions options;
        options.toggled = {"model.h.1"};
        const StageViewPtr view = chain(240, inModules, options);
        QCOMPARE(view->closedGroupOf(61), std::string("model.h.1.attn"));
        QCOMPARE(view->closedGroupOf(120), std::string("model.h.1.mlp"));
        QCOMPARE(view->drawing->groups.size(), 1u);
        options.toggled.insert("model.h.1.attn");
        QVERIFY(chain(240, inModules, options)->closedGroupOf(61).empty());
    }

    void backwardFollowsTheChainForItself() {
        const StageViewPtr view = chain(300, [](int i, NodeRow& row) {
            if (i < 120) return inModules(i, row);
            row.file = "model.py";
            row.line = 10 + i % 20 / 2;  // the same ten lines again and again
        });
        const auto titles = topTitles(*view);
        QCOMPARE(titles.size(), 11u);
        QCOMPARE(titles[1], std::string("model.h.1"));
        QVERIFY2(titles[2].find("repeat 1 of 8") != std::string::npos, titles[2].c_str());
    }

    void whatKnowsNothingIsBanded() {
        const StageViewPtr view = chain(500, [](int, NodeRow&) {});
        QCOMPARE(topTitles(*view).size(), 8u);  // 64 each
        QCOMPARE(topTitles(*view).front(), std::string("nodes band 1"));
    }

    void neighbourhoodsCountSteps() {
        DrawingOptions options;
        options.filter.centre = 101;
        options.filter.up = 3;
        options.filter.down = 1;
        const StageViewPtr view = chain(240, inModules, options);
        QCOMPARE(view->drawing->cards.size(), 5u);
        QVERIFY(view->drawingInput->groups.empty());
        QCOMPARE(view->hiddenCount, 242u - 5u);
        QVERIFY(!view->isHidden(98) && view->isHidden(97) && !view->isHidden(102) && view->isHidden(103));
    }

    void filtersNarrowEachOther() {
        DrawingOptions options;
        options.filter.module = "model.h.1";
        QCOMPARE(chain(240, inModules, options)->drawing->cards.size(), 60u);
        options.filter.changedOnly = true;
        options.filter.changedWidth = 2;
        QCOMPARE(chain(240, inModules, options)->drawing->cards.size(), 5u);  // the change stands in that module
        options.filter.shown = {1};
        const StageViewPtr view = chain(240, inModules, options);
        QVERIFY(!view->isHidden(1));
        QCOMPARE(filterChips(options.filter, *view).size(), 2u);
    }
};

QTEST_APPLESS_MAIN(TestDrawingInput)
#include "tst_drawing_input.moc"
