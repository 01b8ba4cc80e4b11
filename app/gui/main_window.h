#pragma once
// Docks, tool bar, menus and the wiring between panels; no logic of its own (ui.md 2.1, 7.3).

#include <QHash>
#include <QMainWindow>
#include <functional>

#include "app/gui/launch_options.h"
#include "views/models/sample_list.h"
#include "views/session/session.h"

class QComboBox;
class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;
class QTabWidget;
class QToolBar;

namespace aliascope {

class AliasPanel;
class BookmarksPanel;
class ChunkPanel;
class CommandPalette;
class ComparePanel;
class DecisionsPanel;
class ErrorBanner;
class FindAllPanel;
class HistoryPanel;
class ImportSheet;
class JobLine;
class LogPanel;
class MemoryPanel;
class NewDumpStrip;
class NodesPanel;
class NumericsPanel;
class PassesPanel;
class RunPanel;
class SettingsPanel;
class StageNumber;
class StagePanel;
class StartPage;
class SummaryStrip;
class WhyCard;
class WindowState;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(const LaunchOptions& options = {}, QWidget* parent = nullptr);
    ~MainWindow() override;

    Session& session() { return session_; }
    StagePanel* stagePanel() const { return stage_; }
    ComparePanel* comparePanel() const { return compare_; }
    WhyCard* whyCard() const { return why_; }
    ErrorBanner* banner() const { return banner_; }
    /// The action of a command of the table; null when there is none.
    QAction* action(const QString& id) const { return actions_.value(id); }
    void open(OpenRequest request);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildCentre();
    void buildDocks();
    void buildToolBar();
    void buildStatusBar();
    void buildActions();
    void buildSubMenus(const QHash<QString, QMenu*>& menus);
    void bindCommands();
    void bindStageCommands();
    void bindPanelCommands();
    void bind(const char* id, std::function<void()> handler);
    void wire();
    void readSettings();
    void writeSettings();

    void showRecording();
    void showStageList();
    void showStatus();
    void showPage(QWidget* page);
    void focusStage();
    bool runsFocused() const;
    void arrangeForWidth();
    void enlargeTables(bool large);
    void duplicateAndCompare();
    void showCompare(bool on);
    void finishCompare();
    void resetLayout();
    void showWhy();
    void copyAsCommand();
    QString commandOfFocus() const;
    QWidget* viewOfFocus() const;
    void raisePanel(const QString& name);
    void cyclePanel(int direction);
    void cancelOrClear();
    void chooseFile();
    void chooseOperators();
    void saveAs();
    void pinStorage(int slot);
    void chooseExport();
    void exportAs(const QString& path);
    void closeGraph();
    void pasteGraph();
    void take(const QMimeData& data, const QString& title);
    /// Schema files that can be read are used for all that is opened from now on; then opens `next`, or what is open again.
    void useOperators(const QStringList& files, const OpenRequest& next = {});
    void openNewestTrace();
    void chooseWatched();
    void setTheme(ThemeChoice choice);
    /// Keys of all commands; without the single ones where the user has switched those off.
    void applyKeys();
    void setSingleKeys(bool on);
    void setGraphviz(bool on);
    void print();
    void showSettings(bool on);
    /// The tooltip of what has the focus, for who has no mouse.
    void showTooltip();
    void showKeys();
    void showSheet(const QString& objectName, const QString& title, const QString& html);
    /// A verb of the command line for what is open goes to the clipboard.
    void copyVerb(const QString& verb);
    void showAbout();
    void say(const QString& sentence);

    LaunchOptions options_;
    Session session_;
    RecentModel recent_;
    QStringList extraOps_;
    OpenRequest last_;
    QHash<QString, QAction*> actions_;
    QHash<QString, std::function<void()>> handlers_;

    QStackedWidget* pages_ = nullptr;
    StartPage* start_ = nullptr;
    ImportSheet* import_ = nullptr;
    QWidget* workspace_ = nullptr;
    ErrorBanner* banner_ = nullptr;
    NewDumpStrip* dumps_ = nullptr;
    SummaryStrip* summary_ = nullptr;
    QStackedWidget* middle_ = nullptr;  ///< the stage, or two of them side by side
    StagePanel* stage_ = nullptr;
    ComparePanel* compare_ = nullptr;
    bool inspectorMadeRoom_ = false;
    std::int64_t comparedFrom_ = 0;  ///< lane that was current when its counterpart was asked for
    PassesPanel* passes_ = nullptr;
    DecisionsPanel* decisions_ = nullptr;
    NodesPanel* nodes_ = nullptr;
    FindAllPanel* findAll_ = nullptr;
    BookmarksPanel* bookmarks_ = nullptr;
    MemoryPanel* memory_ = nullptr;
    NumericsPanel* numerics_ = nullptr;
    ChunkPanel* chunk_ = nullptr;
    RunPanel* runs_ = nullptr;
    LogPanel* log_ = nullptr;
    SettingsPanel* settings_ = nullptr;
    WhyCard* why_ = nullptr;
    AliasPanel* aliases_ = nullptr;
    HistoryPanel* history_ = nullptr;
    QTabWidget *inspector_ = nullptr, *bottom_ = nullptr;
    QDockWidget *passesDock_ = nullptr, *inspectorDock_ = nullptr, *bottomDock_ = nullptr, *settingsDock_ = nullptr;
    QToolBar* toolBar_ = nullptr;
    QComboBox* stages_ = nullptr;
    QLabel* status_ = nullptr;
    bool narrow_ = false;
    bool singleKeys_ = true;
    StageNumber* number_ = nullptr;
    CommandPalette* palette_ = nullptr;
    QWidget* dropHint_ = nullptr;
    WindowState* state_ = nullptr;  ///< null with --clean, and for a picture
};

}  // namespace aliascope
