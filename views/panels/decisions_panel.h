#pragma once
// Every recorded decision of the lane, filtered by verdict and words (ui.md 2.6).

#include <QWidget>
#include <array>

#include "views/models/decision_group_model.h"
#include "views/session/session.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedLayout;
class QTableView;
class QToolButton;
class QTreeView;

namespace aliascope {

class DecisionsPanel : public QWidget {
    Q_OBJECT

public:
    explicit DecisionsPanel(Session& session, QWidget* parent = nullptr);
    void focusFilter();
    /// Puts `query` into the filter and shows every verdict.
    void setQuery(const QString& query);
    void setGrouping(DecisionGrouping grouping);
    /// The command line that prints these rows.
    QString command() const;

signals:
    void whyWanted();

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void drawChips();  ///< their glyphs, in the colours of the theme
    void showDecisions();
    void updateFilter();
    void updateFooter();
    void updateGroups();
    DecisionGrouping grouping() const;
    void follow(const Selection& selection, Origin origin);

    Session& session_;
    DecisionModel* model_;
    DecisionFilterProxy* proxy_;
    DecisionGroupModel* groups_;
    QTableView* table_ = nullptr;
    QTreeView* tree_ = nullptr;
    QComboBox* by_ = nullptr;
    QLineEdit* filter_ = nullptr;
    QLabel* footer_ = nullptr;
    QLabel* empty_ = nullptr;
    std::array<QToolButton*, kVerdictKinds> chips_{};
    bool following_ = false;
};

}  // namespace aliascope
