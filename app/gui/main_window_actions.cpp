// What the commands of the table do in the window.

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/gui/main_window.h"
#include "core/pipeline/pipeline.h"
#include "views/canvas/byte_map_canvas.h"
#include "views/canvas/metrics.h"
#include "views/panels/alias_panel.h"
#include "views/panels/bookmarks_panel.h"
#include "views/panels/chunk_panel.h"
#include "views/panels/command_line.h"
#include "views/panels/command_palette.h"
#include "views/panels/command_table.h"
#include "views/panels/compare_panel.h"
#include "views/panels/decisions_panel.h"
#include "views/panels/diff_pane.h"
#include "views/panels/error_banner.h"
#include "views/panels/filter_bar.h"
#include "views/panels/find_all_panel.h"
#include "views/panels/find_bar.h"
#include "views/panels/glossary.h"
#include "views/panels/history_panel.h"
#include "views/panels/import_sheet.h"
#include "views/panels/log_panel.h"
#include "views/panels/memory_panel.h"
#include "views/panels/new_dump_strip.h"
#include "views/panels/nodes_panel.h"
#include "views/panels/numerics_panel.h"
#include "views/panels/passes_panel.h"
#include "views/panels/run_panel.h"
#include "views/panels/settings_panel.h"
#include "views/panels/stage_number.h"
#include "views/panels/stage_panel.h"
#include "views/panels/why_card.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

/// A character by itself or with Shift: a key that someone who types, or a reader of the screen, may want for something else.
bool isSingle(const QKeySequence& key) {
    const QKeyCombination combination = key[0];
    return !(combination.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) && combination.key() < Qt::Key_Escape;
}

}  // namespace

void MainWindow::bind(const char* id, std::function<void()> handler) { handlers_.insert(QString::fromLatin1(id), std::move(handler)); }

void MainWindow::buildActions() {
    bindCommands();
    bindStageCommands();
    bindPanelCommands();
    menuBar()->setObjectName(QStringLiteral("menu"));
    menuBar()->setAccessibleName(tr("Menu"));
    QHash<QString, QMenu*> menus;
    for (const Command& command : commandTable()) {
        QString name = QString::fromLatin1(command.menu);
        const bool line = name.startsWith(QLatin1Char('|'));
        name.remove(QLatin1Char('|'));
        QMenu*& menu = menus[name];
        if (!menu) {
            menu = menuBar()->addMenu(QLatin1Char('&') + tr(name.toLatin1().constData()));
            menu->setObjectName(QStringLiteral("menu.") + name.toLower());
        }
        if (line) menu->addSeparator();
        auto* action = menu->addAction(tr(command.text));
        const QString id = QString::fromLatin1(command.id);
        action->setObjectName(id);
        action->setShortcuts(settings_->keys().keysOf(id));
        const QList<QKeySequence> keys = action->shortcuts();
        QString plain = tr(command.text);
        plain.remove(QLatin1Char('&')).remove(QLatin1String("..."));
        action->setToolTip(keys.isEmpty() ? plain : QStringLiteral("%1 (%2)").arg(plain, keys.front().toString(QKeySequence::NativeText)));
        connect(action, &QAction::triggered, this, [this, id] {
            if (const auto handler = handlers_.constFind(id); handler != handlers_.constEnd()) (*handler)();
        });
        actions_.insert(id, action);
    }
    buildSubMenus(menus);
    number_ = new StageNumber(this);
    connect(number_, &StageNumber::typed, this, [this](const QString& shown) { say(shown); });
    connect(number_, &StageNumber::chosen, this, [this](int stage) {
        if (!session_.stageRow(stage)) return say(tr("There is no stage %1.").arg(stage));
        session_.setStage(stage);
        say({});
    });
}

void MainWindow::buildSubMenus(const QHash<QString, QMenu*>& menus) {
    QMenu* file = menus.value(QStringLiteral("File"));
    auto* samples = new QMenu(tr("&Samples"), file);
    samples->setObjectName(QStringLiteral("menu.samples"));
    for (const Sample& sample : bundledSamples())
        connect(samples->addAction(sample.title), &QAction::triggered, this, [this, &sample] { open(sample.request()); });
    file->insertMenu(action(QStringLiteral("file.operators")), samples);

    QMenu* view = menus.value(QStringLiteral("View"));
    auto* theme = new QMenu(tr("T&heme"), view);
    theme->setObjectName(QStringLiteral("menu.theme"));
    auto* choices = new QActionGroup(theme);
    const std::initializer_list<std::pair<QString, ThemeChoice>> themes = {{tr("Follow &system"), ThemeChoice::System},
                                                                           {tr("&Light"), ThemeChoice::Light},
                                                                           {tr("&Dark"), ThemeChoice::Dark},
                                                                           {tr("High &contrast"), ThemeChoice::HighContrast}};
    for (const auto& [text, choice] : themes) {
        QAction* entry = theme->addAction(text);
        entry->setCheckable(true);
        entry->setChecked(choice == themeChoice());
        choices->addAction(entry);
        connect(entry, &QAction::triggered, this, [this, choice = choice] { setTheme(choice); });
    }
    connect(theme, &QMenu::aboutToShow, this, [theme] {
        for (int i = 0; i < theme->actions().size(); ++i) theme->actions().at(i)->setChecked(i == int(themeChoice()));
    });
    view->addSeparator();
    view->addMenu(theme);
    auto* panels = new QMenu(tr("&Panels"), view);
    panels->setObjectName(QStringLiteral("menu.panels"));
    for (QDockWidget* dock : {passesDock_, inspectorDock_, bottomDock_}) panels->addAction(dock->toggleViewAction());
    view->addMenu(panels);

    QMenu* pipeline = menus.value(QStringLiteral("Pipeline"));
    pipeline->addSeparator();
    for (const std::string& name : pipelineNames()) {
        QAction* entry = pipeline->addAction(tr("Run %1").arg(qstr(name)));
        connect(entry, &QAction::triggered, this, [this, name] { session_.runPipeline(qstr(name)); });
    }
    connect(pipeline, &QMenu::aboutToShow, this, [this, pipeline] {
        for (QAction* entry : pipeline->actions()) entry->setEnabled(session_.isOpen());
    });
}

void MainWindow::bindCommands() {
    bind("file.open", [this] { chooseFile(); });
    bind("file.paste", [this] { pasteGraph(); });
    bind("file.newest", [this] { openNewestTrace(); });
    bind("file.watch", [this] { chooseWatched(); });
    bind("file.graphs", [this] {
        if (!session_.pendingDocument()) return say(tr("The file holds one graph."));
        showPage(import_);
        import_->showChoice();
    });
    bind("file.operators", [this] { chooseOperators(); });
    bind("file.save", [this] { saveAs(); });
    bind("file.export", [this] { chooseExport(); });
    bind("file.print", [this] { print(); });
    bind("file.close", [this] { closeGraph(); });
    bind("file.quit", [this] { close(); });
    bind("edit.copy", [this] {
        if (stage_->textPane()->hasFocus()) return stage_->textPane()->copy();
        QStringList names;
        std::vector<Uid> uids = session_.selection().nodes;
        uids.push_back(session_.selection().node);
        for (const Uid uid : uids)
            if (const NodeRow* node = session_.view() ? session_.view()->node(uid) : nullptr) names << qstr(node->name);
        if (!names.isEmpty()) QApplication::clipboard()->setText(names.join(QLatin1Char('\n')));
    });
    bind("edit.copyCommand", [this] { copyAsCommand(); });
    bind("edit.palette", [this] { palette_->open(); });
    bind("edit.find", [this] { stage_->findBar()->open(); });
    auto hit = [this](int direction) {
        return [this, direction] {
            if (!stage_->findBar()->step(direction)) say(tr("Nothing is found."));
        };
    };
    bind("edit.findNext", hit(1));
    bind("edit.findPrevious", hit(-1));
    bind("edit.findAll", [this] {
        raisePanel(QStringLiteral("find"));
        findAll_->open(stage_->findBar()->text());
    });
    bind("edit.findNode", [this] {
        raisePanel(QStringLiteral("nodes"));
        nodes_->focusFilter();
    });
    bind("edit.findDecision", [this] {
        raisePanel(QStringLiteral("decisions"));
        decisions_->focusFilter();
    });
    bind("edit.findStage", [this] {
        passesDock_->show();
        passes_->focusFilter();
    });
    bind("edit.settings", [this] { showSettings(!settingsDock_->isVisible()); });
    bind("edit.clear", [this] { cancelOrClear(); });
    bind("view.fullScreen", [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    bind("go.nextPanel", [this] { cyclePanel(1); });
    bind("go.previousPanel", [this] { cyclePanel(-1); });
    bind("pipeline.run", [this] { runsFocused() ? runs_->run() : passes_->run(); });
    auto edit = [this](const QString& done, const QString& nothing, void (QUndoStack::*act)(), bool (QUndoStack::*can)() const) {
        return [this, done, nothing, act, can] {
            QUndoStack* stack = session_.draft().undoStack();
            if (!(stack->*can)()) return say(nothing);
            const QString what = act == &QUndoStack::undo ? stack->undoText() : stack->redoText();
            (stack->*act)();
            say(done.arg(what));
        };
    };
    bind("edit.undo", edit(tr("Undone: %1."), tr("Nothing to undo."), &QUndoStack::undo, &QUndoStack::canUndo));
    bind("edit.redo", edit(tr("Done again: %1."), tr("Nothing to do again."), &QUndoStack::redo, &QUndoStack::canRedo));
    bind("pipeline.form", [this] { passes_->toggleForm(); });
    bind("pipeline.switch", [this] {
        if (!passes_->switchStep()) say(tr("This stage has no step."));
    });
    auto moveStep = [this](int by) {
        return [this, by] {
            if (!passes_->moveStep(by)) say(tr("The step cannot be moved further."));
        };
    };
    bind("pipeline.up", moveStep(-1));
    bind("pipeline.down", moveStep(1));
    bind("help.here", [this] { showTooltip(); });
    bind("help.keys", [this] { showKeys(); });
    bind("help.glossary", [this] { showSheet(QStringLiteral("help.glossary"), tr("Glossary"), glossarySheet()); });
    bind("edit.explain", [this] { palette_->open(QStringLiteral("explain: ")); });
    bind("help.about", [this] { showAbout(); });
}

void MainWindow::bindStageCommands() {
    auto canvas = [this](void (GraphCanvas::*method)()) { return [this, method] { (stage_->canvas()->*method)(); }; };
    bind("view.graph", [this] { compare_->active() ? compare_->setText(false) : stage_->setMode(StagePanel::Mode::Graph); });
    bind("view.text", [this] { compare_->active() ? compare_->setText(true) : stage_->setMode(StagePanel::Mode::Text); });
    bind("view.both", [this] { stage_->setMode(StagePanel::Mode::Both); });
    bind("view.removed", [this] { stage_->setRemovedLines(!stage_->removedLines()); });
    bind("view.sides", [this] { stage_->setSideBySide(!stage_->sideBySide()); });
    bind("view.unchanged", [this] {
        stage_->setSideBySide(true);
        stage_->diffPane()->setHideUnchanged(!stage_->diffPane()->hidesUnchanged());
    });
    bind("view.renames", [this] {
        stage_->setSideBySide(true);
        stage_->diffPane()->setIgnoreRenames(!stage_->diffPane()->ignoresRenames());
    });
    bind("view.colour", [this] { stage_->cycleColour(1); });
    bind("view.colourBack", [this] { stage_->cycleColour(-1); });
    bind("view.alias", [this] { stage_->toggleAliasHighlight(); });
    for (int slot = 0; slot < kPinnedStorages; ++slot)
        bind(qPrintable(QStringLiteral("view.slot%1").arg(slot + 1)), [this, slot] { pinStorage(slot); });
    bind("view.clearSlots", [this] { session_.storagePins().clear(); });
    bind("view.mutation", [this] { stage_->toggleMutationEdges(); });
    bind("view.fold", [this] { stage_->setFoldViews(!session_.drawing().foldViews); });
    bind("view.neighbourhood", [this] {
        if (!stage_->toggleNeighbourhood()) say(tr("Select a node first."));
    });
    auto widen = [this](int by) {
        return [this, by] {
            if (!stage_->widen(by)) say(tr("The whole graph is shown; F shows the neighbourhood of the selection."));
        };
    };
    bind("view.widen", widen(1));
    bind("view.narrow", widen(-1));
    bind("view.changedOnly", [this] { changeFilter(session_, [](DrawingFilter& f) { f.changedOnly = !f.changedOnly; }); });
    bind("view.hide", [this] {
        if (!stage_->hideSelected()) say(tr("Select a node first."));
    });
    bind("view.unhide", [this] { stage_->showHidden(); });
    bind("view.toggleGroup", [this] {
        const StageViewPtr& view = session_.view();
        const auto at = view ? view->indexOf(session_.selection().node) : std::nullopt;
        if (at && view->groupOf[*at] != ~0u) session_.toggleGroup(qstr(view->drawingInput->groups[view->groupOf[*at]].title));
    });
    bind("view.toggleGroups", [this] {
        DrawingOptions drawing = session_.drawing();
        drawing.groupsCollapsed = !drawing.groupsCollapsed;
        drawing.toggled.clear();
        session_.setDrawing(drawing);
    });
    bind("view.zoomIn", canvas(&GraphCanvas::zoomIn));
    bind("view.zoomOut", canvas(&GraphCanvas::zoomOut));
    bind("view.zoomReset", [this] { stage_->canvas()->setZoom(1.0); });
    bind("view.fitSelection", canvas(&GraphCanvas::fitSelection));
    bind("view.fitWidth", canvas(&GraphCanvas::fitWidth));

    auto step = [this](int direction, bool changedOnly) {
        return [this, direction, changedOnly] {
            if (!session_.step(direction, changedOnly))
                say(direction > 0 ? (changedOnly ? tr("No later stage changed anything.") : tr("This is the last stage."))
                                  : tr("This is the first stage."));
        };
    };
    bind("go.nextChanged", step(1, true));
    bind("go.previousChanged", step(-1, true));
    bind("go.next", step(1, false));
    bind("go.previous", step(-1, false));
    bind("go.first", [this] { session_.setStage(session_.data().stages.front().idx); });
    bind("go.last", [this] { session_.setStage(session_.data().stages.back().idx); });
    bind("go.firstTouch", [this] {
        if (!history_->goToTouch(true)) say(tr("No pass touched the selection."));
    });
    bind("go.lastTouch", [this] {
        if (!history_->goToTouch(false)) say(tr("No pass touched the selection."));
    });
    bind("go.back", [this] { session_.goBack(); });
    bind("go.forward", [this] { session_.goForward(); });
    bind("go.bookmark", [this] { say(session_.toggleBookmark() ? tr("Bookmarked; Ctrl+Shift+B lists them.") : tr("The bookmark is gone.")); });
    bind("go.bookmarks", [this] {
        raisePanel(QStringLiteral("bookmarks"));
        bookmarks_->focusFirst();
    });
    bind("go.why", [this] { showWhy(); });
    bind("go.blocker", [this] {
        if (!why_->showBlocker()) say(tr("The selection has no blocker."));
    });
    bind("go.definition", [this] { stage_->goToDefinition(); });
    auto use = [this](int direction, const QString& nothing) {
        return [this, direction, nothing] {
            const QString said = stage_->goToUse(direction);
            say(said.isEmpty() ? nothing : said);
        };
    };
    bind("go.nextUse", use(1, tr("Nothing uses the selection.")));
    bind("go.previousUse", use(-1, tr("The selection uses nothing.")));
    bind("go.base", [this] {
        const StageViewPtr& view = session_.view();
        const StorageRow* storage = view && session_.selection().storage >= 0 ? view->storage(session_.selection().storage) : nullptr;
        if (storage) session_.selectNode(storage->base, Origin::Command);
    });
    bind("go.nextWrite", [this] {
        if (!aliases_->goToWrite(1)) say(tr("No later write of this storage."));
    });
    bind("go.previousWrite", [this] {
        if (!aliases_->goToWrite(-1)) say(tr("No earlier write of this storage."));
    });
    bind("go.nextCopy", [this] {
        if (!stage_->goToCopy(1)) say(tr("No later clone or copy in this stage."));
    });
    bind("go.previousCopy", [this] {
        if (!stage_->goToCopy(-1)) say(tr("No earlier clone or copy in this stage."));
    });
    bind("go.nextHunk", [this] {
        if (!stage_->goAlong(1)) say(tr("Nothing changed further down."));
    });
    bind("go.previousHunk", [this] {
        if (!stage_->goAlong(-1)) say(tr("Nothing changed further up."));
    });
}

void MainWindow::bindPanelCommands() {
    bind("view.workPasses", [this] {
        compare_->stop();
        enlargeTables(false);
        focusStage();
    });
    bind("view.workAliases", [this] {
        raisePanel(QStringLiteral("aliases"));
        if (!narrow_) resizeDocks({inspectorDock_}, {std::max(Metrics::em(40), width() * 2 / 5)}, Qt::Horizontal);
        aliases_->map()->setFocus(Qt::ShortcutFocusReason);
    });
    bind("view.workCompare", [this] { duplicateAndCompare(); });
    bind("view.singleKeys", [this] {
        setSingleKeys(!singleKeys_);
        say(singleKeys_ ? tr("Single-key commands are on.") : tr("Single-key commands are off; menus and Ctrl+K have them all."));
    });
    bind("view.resetLayout", [this] { resetLayout(); });
    bind("compare.duplicate", [this] { duplicateAndCompare(); });
    bind("compare.swap",
         [this] { compare_->active() ? compare_->swap() : say(tr("Nothing stands beside this pipeline: Ctrl+D puts its counterpart there.")); });
    bind("compare.next", [this] {
        compare_->active() ? compare_->goToUnmatched() : say(tr("Nothing stands beside this pipeline: Ctrl+D puts its counterpart there."));
    });
    bind("compare.stop", [this] { compare_->stop(); });
    bind("view.enlargeTables", [this] { enlargeTables(bottomDock_->height() < height() * 2 / 5); });
    bind("view.workMemory", [this] {
        raisePanel(QStringLiteral("memory"));
        enlargeTables(true);
        memory_->chart()->setFocus(Qt::ShortcutFocusReason);
    });
    bind("memory.peak", [this] {
        raisePanel(QStringLiteral("memory"));
        memory_->goToPeak();
        memory_->chart()->setFocus(Qt::ShortcutFocusReason);
    });
    bind("view.workNumerics", [this] {
        raisePanel(QStringLiteral("numerics"));
        enlargeTables(true);
        numerics_->focusFirst();
    });
    bind("numerics.first", [this] {
        raisePanel(QStringLiteral("numerics"));
        if (!numerics_->goToFirstDivergence()) say(tr("No stage is known to differ from the first."));
    });
    bind("run.panel", [this] {
        raisePanel(QStringLiteral("run"));
        runs_->focusFirst();
    });
    bind("run.stage", [this] {
        raisePanel(QStringLiteral("run"));
        runs_->runCurrent();
    });
    bind("run.all", [this] {
        raisePanel(QStringLiteral("run"));
        runs_->runAll();
    });
    bind("run.stop", [this] { runs_->cancel(); });
    auto step = [this](int direction, bool bigOnly) {
        return [this, direction, bigOnly] {
            raisePanel(QStringLiteral("memory"));
            if (!memory_->step(direction, bigOnly))
                say(direction > 0 ? tr("Memory does not change further down.") : tr("Memory does not change further up."));
        };
    };
    bind("memory.nextEvent", step(1, false));
    bind("memory.previousEvent", step(-1, false));
    bind("memory.nextChange", step(1, true));
    bind("memory.previousChange", step(-1, true));
}

/// F5 runs what is in front: stages while the memory, numerics or run panel has the focus, else the pipeline.
bool MainWindow::runsFocused() const {
    const QWidget* focused = QApplication::focusWidget();
    for (const QWidget* page : std::initializer_list<const QWidget*>{memory_, numerics_, runs_})
        if (page == focused || page->isAncestorOf(focused)) return true;
    return false;
}

/// The tables take most of the window, or the height that they begin with.
void MainWindow::enlargeTables(bool large) {
    bottomDock_->show();
    resizeDocks({bottomDock_}, {large ? height() * 11 / 20 : Metrics::em(18)}, Qt::Vertical);
}

/// Docks as they are in a first start.
void MainWindow::resetLayout() {
    for (QDockWidget* dock : {passesDock_, inspectorDock_, bottomDock_}) {
        dock->setFloating(false);
        dock->show();
    }
    addDockWidget(Qt::LeftDockWidgetArea, passesDock_);
    addDockWidget(Qt::BottomDockWidgetArea, bottomDock_);
    if (narrow_)
        tabifyDockWidget(bottomDock_, inspectorDock_);
    else
        addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);
    resizeDocks({passesDock_, inspectorDock_}, {Metrics::em(21), Metrics::em(30)}, Qt::Horizontal);
    enlargeTables(false);
}

void MainWindow::showWhy() {
    inspectorDock_->show();
    inspectorDock_->raise();
    inspector_->setCurrentWidget(why_);
    why_->setFocus(Qt::ShortcutFocusReason);
}

/// The command line that prints what the panel with the focus shows; elsewhere that of the stage, or of the decision that is selected.
QString MainWindow::commandOfFocus() const {
    const QWidget* focus = QApplication::focusWidget();
    const auto within = [focus](const QWidget* panel) { return panel == focus || panel->isAncestorOf(focus); };
    const QString why = why_->command();
    if (within(bottom_)) {
        const QWidget* page = bottom_->currentWidget();
        if (page == decisions_) return decisions_->command();
        if (page == nodes_) return nodes_->command();
        if (page == findAll_) return findAll_->command();
        if (page == bookmarks_) return bookmarks_->command();
        if (page == memory_) return memory_->command();
        if (page == numerics_) return numerics_->command();
        if (page == chunk_) return chunk_->command();
        if (page == runs_) return runs_->command();
    }
    if (within(inspector_)) {
        const QWidget* page = inspector_->currentWidget();
        if (page == aliases_) return aliases_->command();
        if (page == history_) return history_->command();
        return why;
    }
    if (within(passesDock_)) return passes_->command();
    if (compare_->active()) return compare_->command();
    return session_.selection().decision && !why.isEmpty() ? why : stage_->command();
}

/// The storage of the selection gets a colour of its own, or gives it back.
void MainWindow::pinStorage(int slot) {
    const int storage = session_.selection().storage;
    if (!session_.pinStorage(slot)) return say(tr("Select a value: its storage gets the colour."));
    const bool keeps = session_.storagePins().coloursIn(*session_.view()).pinned(storage);
    say(keeps ? tr("S%1 keeps colour %2.").arg(storage).arg(slot + 1) : tr("S%1 has no colour of its own any more.").arg(storage));
}

void MainWindow::copyAsCommand() {
    QString command = commandOfFocus();
    if (command.isEmpty()) command = stage_->command();
    QApplication::clipboard()->setText(command);
    say(tr("Copied: %1").arg(command));
}

void MainWindow::raisePanel(const QString& name) {
    const QHash<QString, QWidget*> inInspector = {{QStringLiteral("node"), inspector_->widget(0)},
                                                  {QStringLiteral("aliases"), aliases_},
                                                  {QStringLiteral("why"), why_},
                                                  {QStringLiteral("history"), history_}};
    const QHash<QString, QWidget*> inBottom = {
        {QStringLiteral("decisions"), decisions_}, {QStringLiteral("nodes"), nodes_},   {QStringLiteral("find"), findAll_},
        {QStringLiteral("bookmarks"), bookmarks_}, {QStringLiteral("memory"), memory_}, {QStringLiteral("numerics"), numerics_},
        {QStringLiteral("chunker"), chunk_},       {QStringLiteral("run"), runs_},      {QStringLiteral("log"), log_}};
    if (QWidget* page = inInspector.value(name)) {
        inspectorDock_->show();
        inspectorDock_->raise();
        inspector_->setCurrentWidget(page);
    }
    if (QWidget* page = inBottom.value(name)) {
        bottomDock_->show();
        bottomDock_->raise();
        bottom_->setCurrentWidget(page);
    }
}

void MainWindow::cyclePanel(int direction) {
    std::vector<QWidget*> stops;
    auto add = [&](QWidget* widget) {
        if (widget && widget->isVisible()) stops.push_back(widget);
    };
    add(passes_->findChild<QWidget*>(QStringLiteral("passes.list")));
    add(stage_->canvas());
    add(stage_->textPane());
    add(inspector_->currentWidget());
    add(bottom_->currentWidget());
    if (stops.empty()) return;
    int at = direction > 0 ? -1 : 0;
    for (std::size_t i = 0; i < stops.size(); ++i)
        if (stops[i] == QApplication::focusWidget() || stops[i]->isAncestorOf(QApplication::focusWidget())) at = int(i);
    const int count = int(stops.size());
    QWidget* next = stops[std::size_t(((at + direction) % count + count) % count)];
    if (next->focusPolicy() == Qt::NoFocus)
        for (QWidget* child : next->findChildren<QWidget*>())
            if (child->isVisible() && child->focusPolicy() & Qt::TabFocus && qobject_cast<QAbstractItemView*>(child)) next = child;
    next->setFocus(Qt::TabFocusReason);
}

void MainWindow::cancelOrClear() {
    if (session_.jobs().cancelNewest()) return say(tr("Stopping \u2026"));
    if (stage_->isAncestorOf(QApplication::focusWidget()) && stage_->leave()) return;
    if (auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget())) {
        field->clear();
        stage_->setFocus();
        return;
    }
    if (stage_->leave()) return;
    session_.clearSelection(Origin::Command);
}

void MainWindow::setTheme(ThemeChoice choice) {
    applyTheme(choice);
    settings_->showTheme(choice);
}

void MainWindow::setSingleKeys(bool on) {
    singleKeys_ = on;
    settings_->showSingleKeys(on);
    applyKeys();
}

void MainWindow::setGraphviz(bool on) {
    stage_->setGraphviz(on);
    settings_->showGraphviz(on);
}

void MainWindow::showSettings(bool on) {
    settingsDock_->setVisible(on);
    if (!on) return focusStage();
    settings_->showTheme(themeChoice());
    settingsDock_->raise();
    settings_->focusFirst();
}

void MainWindow::applyKeys() {
    for (const Command& command : commandTable()) {
        const QString id = QString::fromLatin1(command.id);
        QList<QKeySequence> keys = settings_->keys().keysOf(id);
        if (!singleKeys_) keys.removeIf(isSingle);
        action(id)->setShortcuts(keys);
    }
    number_->setEnabled(singleKeys_);
}

}  // namespace aliascope
