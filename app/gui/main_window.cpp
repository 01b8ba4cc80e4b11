#include "app/gui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>

#include "app/cli/command_table.h"
#include "app/gui/window_state.h"
#include "views/canvas/metrics.h"
#include "views/panels/alias_panel.h"
#include "views/panels/bookmarks_panel.h"
#include "views/panels/chunk_panel.h"
#include "views/panels/command_palette.h"
#include "views/panels/command_table.h"
#include "views/panels/compare_panel.h"
#include "views/panels/decisions_panel.h"
#include "views/panels/error_banner.h"
#include "views/panels/find_all_panel.h"
#include "views/panels/history_panel.h"
#include "views/panels/import_sheet.h"
#include "views/panels/job_line.h"
#include "views/panels/learn.h"
#include "views/panels/log_panel.h"
#include "views/panels/memory_panel.h"
#include "views/panels/new_dump_strip.h"
#include "views/panels/node_card.h"
#include "views/panels/nodes_panel.h"
#include "views/panels/numerics_panel.h"
#include "views/panels/passes_panel.h"
#include "views/panels/run_panel.h"
#include "views/panels/settings_panel.h"
#include "views/panels/stage_panel.h"
#include "views/panels/start_page.h"
#include "views/panels/summary_strip.h"
#include "views/panels/why_card.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

constexpr int kSettingsVersion = 1;

/// What is current, at the left of the status bar. When the bar arranges itself anew (another theme, wider lines), Qt shows its widgets although a
/// message stands there.
class StatusText : public QLabel {
public:
    using QLabel::QLabel;

protected:
    void showEvent(QShowEvent* event) override {
        QLabel::showEvent(event);
        QMetaObject::invokeMethod(
            this,
            [this] {
                const auto* bar = qobject_cast<const QStatusBar*>(parentWidget());
                if (!bar || bar->currentMessage().isEmpty()) return;
                hide();
                setAttribute(Qt::WA_WState_ExplicitShowHide, false);  // the bar shows it again when the message goes
            },
            Qt::QueuedConnection);
    }
};

/// Outline and sentence while something is dragged over the window.
class DropHint : public QWidget {
public:
    explicit DropHint(QWidget* parent) : QWidget(parent) {
        setObjectName(QStringLiteral("window.dropHint"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Palette& p = Palette::active();
        QPainter painter(this);
        QColor veil = p(Role::Panel);
        veil.setAlphaF(0.85f);
        painter.fillRect(rect(), veil);
        painter.setPen(QPen(p(Role::Selection), 3, Qt::DashLine));
        const int inset = Metrics::section();
        painter.drawRect(rect().adjusted(inset, inset, -inset, -inset));
        painter.setFont(Metrics::uiFont(1.4, true));
        painter.setPen(p(Role::Ink));
        painter.drawText(rect(), Qt::AlignCenter,
                         MainWindow::tr("Drop to open: a graph, a log, a trace, a folder of dumps, an archive, a session, or schemas of operators"));
    }
};

/// Keeps a button beside the tabs, at the right. A corner widget of the tab widget would get a line drawn above it.
class CornerPlace : public QObject {
public:
    CornerPlace(QWidget* button, QTabWidget* tabs) : QObject(tabs), button_(button), tabs_(tabs) { tabs->installEventFilter(this); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show || event->type() == QEvent::LayoutRequest) {
            const QSize size = button_->sizeHint();
            button_->setGeometry(tabs_->width() - size.width() - Metrics::gap(), std::max(0, (tabs_->tabBar()->height() - size.height()) / 2),
                                 size.width(), size.height());
            button_->raise();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QWidget* button_;
    QTabWidget* tabs_;
};

QString text(std::string_view words) { return QString::fromUtf8(words.data(), qsizetype(words.size())); }

QTabWidget* tabs(const QString& objectName, const QString& accessibleName, QWidget* parent) {
    auto* widget = new QTabWidget(parent);
    widget->setObjectName(objectName);
    widget->setAccessibleName(accessibleName);
    widget->setDocumentMode(true);
    widget->tabBar()->setObjectName(objectName + QStringLiteral(".tabs"));
    widget->tabBar()->setAccessibleName(accessibleName);
    widget->tabBar()->setDrawBase(false);
    widget->tabBar()->setExpanding(false);
    return widget;
}

QDockWidget* dock(const QString& title, const QString& objectName, QWidget* content, QWidget* parent) {
    auto* widget = new QDockWidget(title, parent);
    widget->setObjectName(objectName);
    widget->setAccessibleName(title);
    auto* bar = new QLabel(title, widget);
    bar->setFont(Metrics::uiFont(0.9, true));
    bar->setProperty("quiet", true);
    bar->setContentsMargins(Metrics::pad(), Metrics::em(0.4), Metrics::pad(), Metrics::em(0.1));
    bar->setProperty("surface", QStringLiteral("panel"));
    bar->setAutoFillBackground(true);
    widget->setTitleBarWidget(bar);
    content->setAutoFillBackground(true);
    widget->setWidget(content);
    return widget;
}

}  // namespace

MainWindow::MainWindow(const LaunchOptions& options, QWidget* parent) : QMainWindow(parent), options_(options), extraOps_(options.open.ops) {
    setObjectName(QStringLiteral("window"));
    setWindowTitle(QStringLiteral("Aliascope"));
    setWindowIcon(QIcon(QStringLiteral(":/icons/aliascope.svg")));
    setAcceptDrops(true);
    setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks);
    if (options_.screenshot.isEmpty()) setMinimumSize(Metrics::em(60), Metrics::em(38));
    buildCentre();
    buildDocks();
    buildActions();
    buildToolBar();
    buildStatusBar();
    wire();
    if (!options_.clean && options_.screenshot.isEmpty()) state_ = new WindowState(session_, *stage_, *inspector_, *bottom_, this);
    resize(options_.size.isValid() ? options_.size : QSize(1440, 900));
    readSettings();
    showRecording();
    if (options_.view == QLatin1String("text")) stage_->setMode(StagePanel::Mode::Text);
    if (options_.view == QLatin1String("both")) stage_->setMode(StagePanel::Mode::Both);
    if (options_.zoom > 0) stage_->canvas()->setZoom(options_.zoom);
    if (!options_.open.path.isEmpty()) open(options_.open);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildCentre() {
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    banner_ = new ErrorBanner(centre);
    column->addWidget(banner_);
    dumps_ = new NewDumpStrip(centre);
    column->addWidget(dumps_);
    pages_ = new QStackedWidget(centre);
    pages_->setObjectName(QStringLiteral("window.pages"));
    start_ = new StartPage(recent_, pages_);
    import_ = new ImportSheet(session_, pages_);
    workspace_ = new QWidget(pages_);
    workspace_->setProperty("surface", QStringLiteral("canvas"));
    auto* work = new QVBoxLayout(workspace_);
    work->setContentsMargins(0, 0, 0, 0);
    work->setSpacing(0);
    summary_ = new SummaryStrip(session_, workspace_);
    work->addWidget(summary_);
    work->addWidget(rule(workspace_));
    middle_ = new QStackedWidget(workspace_);
    middle_->setObjectName(QStringLiteral("window.middle"));
    stage_ = new StagePanel(session_, middle_);
    compare_ = new ComparePanel(session_, middle_);
    middle_->addWidget(stage_);
    middle_->addWidget(compare_);
    work->addWidget(middle_, 1);
    for (QWidget* page : std::initializer_list<QWidget*>{start_, import_, workspace_}) pages_->addWidget(page);
    column->addWidget(pages_, 1);
    setCentralWidget(centre);
    dropHint_ = new DropHint(this);
    palette_ = new CommandPalette(session_, this);
    connect(palette_, &CommandPalette::commandChosen, this, [this](const QString& id) { action(id)->trigger(); });
    connect(palette_, &CommandPalette::verbChosen, this, &MainWindow::copyVerb);
    connect(palette_, &CommandPalette::said, this, &MainWindow::say);
    connect(palette_, &CommandPalette::explainWanted, this, [this](const QString& line) {
        if (!session_.isOpen()) return say(tr("Open the graph that the line is about first."));
        showWhy();
        why_->explain(line);
    });
    std::vector<CommandPalette::Verb> verbs;
    for (const cli::VerbSpec& verb : cli::verbTable())
        if (verb.built) verbs.push_back({text(verb.name), text(verb.arguments), text(verb.help)});
    palette_->setVerbs(std::move(verbs));
    connect(palette_, &CommandPalette::sampleChosen, this, [this](int sample) { open(bundledSamples()[std::size_t(sample)].request()); });
}

void MainWindow::buildDocks() {
    passes_ = new PassesPanel(session_, this);
    passesDock_ = dock(tr("Passes"), QStringLiteral("dock.passes"), passes_, this);
    addDockWidget(Qt::LeftDockWidgetArea, passesDock_);

    inspector_ = tabs(QStringLiteral("inspector.tab"), tr("Inspector"), this);
    auto* node = new NodeCard(session_, inspector_);
    why_ = new WhyCard(session_, inspector_);
    aliases_ = new AliasPanel(session_, inspector_);
    history_ = new HistoryPanel(session_, inspector_);
    inspector_->addTab(node, tr("Node"));
    inspector_->addTab(aliases_, tr("Aliases"));
    inspector_->addTab(why_, tr("Why"));
    inspector_->addTab(history_, tr("History"));
    inspectorDock_ = dock(tr("Inspector"), QStringLiteral("dock.inspector"), inspector_, this);
    addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);

    bottom_ = tabs(QStringLiteral("bottom.tab"), tr("Tables"), this);
    decisions_ = new DecisionsPanel(session_, bottom_);
    nodes_ = new NodesPanel(session_, bottom_);
    findAll_ = new FindAllPanel(session_, bottom_);
    bookmarks_ = new BookmarksPanel(session_, bottom_);
    memory_ = new MemoryPanel(session_, bottom_);
    numerics_ = new NumericsPanel(session_, bottom_);
    chunk_ = new ChunkPanel(session_, bottom_);
    runs_ = new RunPanel(session_, bottom_);
    log_ = new LogPanel(session_, bottom_);
    bottom_->addTab(decisions_, tr("Decisions"));
    bottom_->addTab(nodes_, tr("Nodes"));
    bottom_->addTab(memory_, tr("Memory"));
    bottom_->addTab(numerics_, tr("Numerics"));
    bottom_->addTab(chunk_, tr("Chunker"));
    bottom_->addTab(runs_, tr("Run"));
    bottom_->addTab(log_, tr("Log"));
    bottom_->addTab(findAll_, tr("Find"));
    bottom_->addTab(bookmarks_, tr("Bookmarks"));
    for (QWidget* page :
         std::initializer_list<QWidget*>{decisions_, nodes_, findAll_, memory_, numerics_, chunk_, runs_, bookmarks_, log_, aliases_, history_})
        page->setAutoFillBackground(true);
    auto* larger = iconButton(QStringLiteral("up"), tr("Larger or smaller tables"), QStringLiteral("bottom.enlarge"), bottom_);
    new CornerPlace(larger, bottom_);
    connect(larger, &QToolButton::clicked, this, [this] { action(QStringLiteral("view.enlargeTables"))->trigger(); });
    bottomDock_ = dock(tr("Tables"), QStringLiteral("dock.tables"), bottom_, this);
    addDockWidget(Qt::BottomDockWidgetArea, bottomDock_);
    resizeDocks({passesDock_, inspectorDock_}, {Metrics::em(21), Metrics::em(30)}, Qt::Horizontal);
    resizeDocks({bottomDock_}, {Metrics::em(18)}, Qt::Vertical);
    bottomDock_->setTitleBarWidget(new QWidget(bottomDock_));  // its tabs are title enough

    settings_ = new SettingsPanel(this);
    settingsDock_ = dock(tr("Settings"), QStringLiteral("dock.settings"), settings_, this);
    addDockWidget(Qt::RightDockWidgetArea, settingsDock_);
    settingsDock_->hide();
    connect(&settings_->keys(), &KeyModel::keysChanged, this, &MainWindow::applyKeys);
    connect(settings_, &SettingsPanel::themeChosen, this, &MainWindow::setTheme);
    connect(settings_, &SettingsPanel::singleKeysChosen, this, &MainWindow::setSingleKeys);
    connect(settings_, &SettingsPanel::graphvizChosen, this, &MainWindow::setGraphviz);
    connect(settings_, &SettingsPanel::closeWanted, this, [this] { showSettings(false); });

    connect(node, &NodeCard::whyWanted, this, &MainWindow::showWhy);
    connect(node, &NodeCard::copyCommandWanted, this, &MainWindow::copyAsCommand);
    connect(decisions_, &DecisionsPanel::whyWanted, this, &MainWindow::showWhy);
    connect(stage_, &StagePanel::whyWanted, this, &MainWindow::showWhy);
    connect(compare_, &ComparePanel::notice, this, &MainWindow::say);
    connect(stage_, &StagePanel::notice, this, &MainWindow::say);
    connect(compare_, &ComparePanel::secondChanged, this, [this] { memory_->setBeside(compare_->second(), compare_->laneNameB()); });
    connect(compare_, &ComparePanel::stopped, this, [this] {
        showCompare(false);
        if (session_.isOpen()) focusStage();
    });
    connect(why_, &WhyCard::byteMapWanted, this, [this] { raisePanel(QStringLiteral("aliases")); });
    connect(why_, &WhyCard::historyWanted, this, [this] { raisePanel(QStringLiteral("history")); });
    connect(numerics_, &NumericsPanel::runAllWanted, this, [this] { action(QStringLiteral("run.all"))->trigger(); });
    connect(runs_, &RunPanel::numericsWanted, this, [this] {
        // Whoever stood in the run panel stands at the first difference now; nobody else is moved.
        const bool follows = bottom_->isAncestorOf(QApplication::focusWidget()) || !QApplication::focusWidget();
        raisePanel(QStringLiteral("numerics"));
        if (follows) numerics_->focusFirst();
    });
    connect(runs_, &RunPanel::memoryWanted, this, [this](int stage, qlonglong run) {
        raisePanel(QStringLiteral("memory"));
        memory_->showRun(stage, run);
    });
}

void MainWindow::buildToolBar() {
    toolBar_ = addToolBar(tr("Stages"));
    toolBar_->setObjectName(QStringLiteral("toolbar"));
    toolBar_->setAccessibleName(tr("Stages"));
    toolBar_->setMovable(false);
    toolBar_->setIconSize(QSize(Metrics::icon(), Metrics::icon()));
    auto add = [this](const char* id, const QString& icon, bool withText, const QString& text = {}) {
        QAction* action = this->action(QString::fromLatin1(id));
        if (!text.isEmpty()) action->setIconText(text);
        action->setIcon(themedIcon(icon));
        auto* button = iconButton(icon, action->toolTip(), QStringLiteral("toolbar.") + QString::fromLatin1(id), toolBar_);
        button->setDefaultAction(action);
        button->setToolButtonStyle(withText ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        button->setAccessibleName(action->toolTip());
        toolBar_->addWidget(button);
    };
    add("go.back", QStringLiteral("back"), false);
    add("go.forward", QStringLiteral("forward"), false);
    toolBar_->addSeparator();
    add("go.previousChanged", QStringLiteral("step-previous"), true, tr("Previous  P"));
    stages_ = choiceBox(tr("Stage"), QStringLiteral("toolbar.stage"), toolBar_);
    stages_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    stages_->setMinimumWidth(Metrics::em(20));
    toolBar_->addWidget(stages_);
    add("go.nextChanged", QStringLiteral("step-next"), true, tr("Next  N"));
    toolBar_->addSeparator();
    add("go.why", QStringLiteral("info"), true, tr("Why?  W"));
    add("edit.copyCommand", QStringLiteral("copy"), true, tr("Copy as command"));
    connect(stages_, &QComboBox::activated, this, [this](int at) { session_.setStage(stages_->itemData(at).toInt()); });
}

void MainWindow::buildStatusBar() {
    status_ = new StatusText(this);
    status_->setObjectName(QStringLiteral("status.text"));
    status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->setObjectName(QStringLiteral("status"));
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(Metrics::gap(), 0, Metrics::gap(), 0);
    statusBar()->setMinimumHeight(Metrics::em(2.2));
    statusBar()->addWidget(status_, 1);
    statusBar()->addPermanentWidget(new JobLine(session_.jobs(), this));
}

void MainWindow::wire() {
    connect(&session_, &Session::recordingChanged, this, &MainWindow::showRecording);
    connect(&session_, &Session::stageSelected, this, [this](int idx) {
        stages_->setCurrentIndex(stages_->findData(idx));
        showStatus();
    });
    connect(&session_, &Session::stageChanged, this, &MainWindow::showStatus);
    connect(&session_, &Session::selectionChanged, this, &MainWindow::showStatus);
    connect(&session_, &Session::failed, banner_, &ErrorBanner::showReport);
    connect(&session_, &Session::notice, this, &MainWindow::say);
    connect(&session_, &Session::importChoice, this, [this] {
        showPage(import_);
        import_->showChoice();
    });
    connect(import_, &ImportSheet::dismissed, this, [this] { showPage(session_.isOpen() ? workspace_ : static_cast<QWidget*>(start_)); });
    connect(start_, &StartPage::openWanted, this, &MainWindow::chooseFile);
    connect(start_, &StartPage::pasteWanted, this, &MainWindow::pasteGraph);
    connect(start_, &StartPage::newestWanted, this, &MainWindow::openNewestTrace);
    connect(start_, &StartPage::watchWanted, this, &MainWindow::chooseWatched);
    connect(start_, &StartPage::requested, this, &MainWindow::open);
    connect(start_, &StartPage::learnWanted, this,
            [this](std::size_t card) { showSheet(QStringLiteral("help.learn"), tr("Learn"), learnSheet(card)); });
    connect(dumps_, &NewDumpStrip::openWanted, this, [this](const QString& path) {
        OpenRequest request;
        request.path = path;
        open(request);
    });
    connect(summary_, &SummaryStrip::decisionsWanted, this, [this](const QString& query) {
        raisePanel(QStringLiteral("decisions"));
        decisions_->setQuery(query);
    });
}

void MainWindow::open(OpenRequest request) {
    banner_->hide();
    for (const QString& ops : std::as_const(extraOps_))
        if (!request.ops.contains(ops)) request.ops << ops;
    last_ = request;
    if (state_) {
        state_->flush();
        state_->setWanted(!request.stage.isEmpty() || !request.node.isEmpty());
    }
    session_.open(request);
}

void MainWindow::showRecording() {
    showStageList();
    const bool open = session_.isOpen();
    finishCompare();
    if (open && !session_.sourcePath().isEmpty() && !session_.sourcePath().startsWith(QLatin1String(":/")))
        recent_.add(QFileInfo(session_.sourcePath()).absoluteFilePath());
    showPage(open ? workspace_ : static_cast<QWidget*>(start_));
    setWindowTitle(open ? QStringLiteral("%1 \u2013 Aliascope").arg(session_.title()) : QStringLiteral("Aliascope"));
    const int messages = log_->count();
    bottom_->setTabText(bottom_->indexOf(log_), messages > 0 ? tr("Log %1").arg(messages) : tr("Log"));
    const int decided = open ? int(session_.data().decisions->size()) : 0;
    bottom_->setTabText(bottom_->indexOf(decisions_), decided > 0 ? tr("Decisions %1").arg(decided) : tr("Decisions"));
    for (const Command& command : commandTable())
        if (command.needsGraph) action(QString::fromLatin1(command.id))->setEnabled(open);
    if (open && pages_->currentWidget() == workspace_) focusStage();
    if (open && !options_.panel.isEmpty()) raisePanel(options_.panel);
    showStatus();
}

void MainWindow::showStageList() {
    stages_->clear();
    const auto& stages = session_.data().stages;
    for (const StageRow& row : stages) {
        QString text = tr("Stage %1 of %2  %3").arg(row.idx).arg(stages.size()).arg(qstr(row.name));
        if (!row.changed && row.idx > 1) text += tr("  (no change)");
        stages_->addItem(text, row.idx);
    }
    stages_->setCurrentIndex(stages_->findData(session_.stage()));
}

void MainWindow::showPage(QWidget* page) {
    pages_->setCurrentWidget(page);
    const bool working = page == workspace_;
    for (QWidget* widget : std::initializer_list<QWidget*>{passesDock_, inspectorDock_, bottomDock_, toolBar_}) widget->setVisible(working);
    if (working && middle_->currentWidget() == compare_ && inspectorMadeRoom_) inspectorDock_->hide();
    if (working && narrow_) bottomDock_->raise();
}

void MainWindow::focusStage() {
    if (middle_->currentWidget() == compare_) return compare_->canvasA()->setFocus(Qt::OtherFocusReason);
    QWidget* shown = stage_->canvas();
    if (!shown->isVisibleTo(stage_)) shown = stage_->textPane();
    shown->setFocus(Qt::OtherFocusReason);
}

void MainWindow::showStatus() {
    QStringList parts;
    if (const StageRow* row = session_.stageRow(session_.stage())) {
        parts << tr("stage %1 %2").arg(row->idx).arg(qstr(row->name)) << tr("%1 nodes").arg(grouped(row->nodes));
        if (session_.view() && session_.view()->hiddenCount > 0) parts.back() += tr(", %1 hidden").arg(grouped(session_.view()->hiddenCount));
        if (row->state == "failed") parts << tr("failed: %1").arg(qstr(row->message));
    }
    const NodeRow* node = session_.view() ? session_.view()->node(session_.selection().node) : nullptr;
    if (node) parts << percentName(node->name) + (node->storage >= 0 ? QStringLiteral("  S%1").arg(node->storage) : QString());
    if (session_.isOpen() && session_.isTemporary()) parts << tr("not saved");
    status_->setText(parts.join(QStringLiteral("   \u00b7   ")));
    status_->setAccessibleName(status_->text());  // heard as a name change: what a reader of the screen announces
}

void MainWindow::say(const QString& sentence) {
    constexpr int kShownMs = 6000;
    statusBar()->showMessage(sentence, kShownMs);
}

// --- settings -----------------------------------------------------------------------------------------------------------------------------

void MainWindow::readSettings() {
    if (options_.clean) return;
    QSettings settings;
    recent_.setPaths(settings.value(QStringLiteral("recent")).toStringList());
    if (!options_.size.isValid()) restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    restoreState(settings.value(QStringLiteral("docks")).toByteArray(), kSettingsVersion);
    KeyModel::Changes keys;
    settings.beginGroup(QStringLiteral("keys"));
    for (const QString& id : settings.childKeys()) keys.insert(id, settings.value(id).toString());
    settings.endGroup();
    settings_->keys().setChanges(keys);
    setSingleKeys(settings.value(QStringLiteral("singleKeys"), true).toBool());
    if (!options_.themeGiven) setTheme(themeChoiceFrom(settings.value(QStringLiteral("theme"), int(ThemeChoice::System)).toInt()));
    setGraphviz(settings.value(QStringLiteral("graphviz"), true).toBool());
}

void MainWindow::writeSettings() {
    if (options_.clean) return;
    QSettings settings;
    settings.setValue(QStringLiteral("version"), kSettingsVersion);
    settings.setValue(QStringLiteral("recent"), recent_.paths());
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    if (pages_->currentWidget() == workspace_) settings.setValue(QStringLiteral("docks"), saveState(kSettingsVersion));
    settings.setValue(QStringLiteral("singleKeys"), singleKeys_);
    settings.setValue(QStringLiteral("theme"), int(themeChoice()));
    settings.setValue(QStringLiteral("graphviz"), stage_->graphviz());
    settings.remove(QStringLiteral("keys"));
    settings.beginGroup(QStringLiteral("keys"));
    const KeyModel::Changes& keys = settings_->keys().changes();
    for (auto key = keys.begin(); key != keys.end(); ++key) settings.setValue(key.key(), key.value());
    settings.endGroup();
}

// --- events -------------------------------------------------------------------------------------------------------------------------------

void MainWindow::closeEvent(QCloseEvent* event) {
    writeSettings();
    if (state_) state_->flush();
    session_.jobs().cancelAll();
    QMainWindow::closeEvent(event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    dropHint_->setGeometry(rect());
    arrangeForWidth();
}

/// In a narrow window the inspector stands beside the tables instead of beside the graph.
void MainWindow::arrangeForWidth() {
    constexpr int kNarrow = 1280;
    const bool narrow = width() < kNarrow;
    if (narrow == narrow_ || !inspectorDock_) return;
    narrow_ = narrow;
    const bool shown = inspectorDock_->isVisibleTo(this);
    if (narrow) {
        tabifyDockWidget(bottomDock_, inspectorDock_);
        resizeDocks({bottomDock_}, {Metrics::em(16)}, Qt::Vertical);
        resizeDocks({passesDock_}, {Metrics::em(21)}, Qt::Horizontal);
    } else {
        addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);
        resizeDocks({passesDock_, inspectorDock_}, {Metrics::em(21), Metrics::em(30)}, Qt::Horizontal);
    }
    inspectorDock_->setVisible(shown);
    if (narrow) bottomDock_->raise();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!event->mimeData()->hasUrls() && !event->mimeData()->hasText()) return;
    event->acceptProposedAction();
    dropHint_->setGeometry(rect());
    dropHint_->raise();
    dropHint_->show();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { dropHint_->hide(); }

void MainWindow::dropEvent(QDropEvent* event) {
    dropHint_->hide();
    event->acceptProposedAction();
    take(*event->mimeData(), tr("dropped text"));
}

}  // namespace aliascope
