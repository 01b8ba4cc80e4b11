#pragma once
// Settings: theme, single-key commands, keys (ui.md 3.2, 3.6). What is chosen holds at once.

#include <QWidget>

#include "views/models/key_model.h"
#include "views/panels/theme.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace aliascope {

class SettingsPanel : public QWidget {
    Q_OBJECT

public:
    explicit SettingsPanel(QWidget* parent = nullptr);
    KeyModel& keys() { return *keys_; }
    const KeyModel& keys() const { return *keys_; }
    void focusFirst();
    /// What was changed elsewhere, by a menu or at the start.
    void showTheme(ThemeChoice choice);
    void showSingleKeys(bool on);
    void showGraphviz(bool on);

signals:
    void themeChosen(aliascope::ThemeChoice choice);
    void singleKeysChosen(bool on);
    void graphvizChosen(bool on);
    void closeWanted();

private:
    QWidget* buildHead();

    KeyModel* keys_;
    QSortFilterProxyModel* proxy_;
    QComboBox* theme_ = nullptr;
    QCheckBox *singleKeys_ = nullptr, *graphviz_ = nullptr;
    QLabel* said_ = nullptr;
    QTableView* table_ = nullptr;
};

}  // namespace aliascope
