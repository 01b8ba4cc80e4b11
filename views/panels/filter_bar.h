#pragma once
// The filters of the graph: a funnel with its menu, one chip per filter that narrows, and what they hide (ui.md 2.3).

#include <QWidget>

#include "views/session/session.h"

class QHBoxLayout;
class QLabel;
class QMenu;
class QToolButton;

namespace aliascope {

/// The funnel: a button whose menu switches filters on and off.
class FilterMenu : public QObject {
    Q_OBJECT

public:
    FilterMenu(Session& session, QToolButton* button);

private:
    void fill();
    QAction* add(const QString& name, const QString& text, bool checked, std::function<void(DrawingFilter&)> change);

    Session& session_;
    QMenu* menu_;
};

/// Chips of the filters that are on, and a sentence when the selection is not drawn. Hidden while there is neither.
class FilterBar : public QWidget {
    Q_OBJECT

public:
    explicit FilterBar(Session& session, QWidget* parent = nullptr);
    void refresh();
    /// Chips and hidden count, as read.
    QString said() const;

private:
    void showHiddenSelection();

    Session& session_;
    QHBoxLayout* chips_ = nullptr;
    std::vector<QToolButton*> buttons_;
    QLabel* hidden_ = nullptr;
    QToolButton* showAnyway_ = nullptr;
};

/// Changes the filter of the drawing, leaving the rest of it as it is.
void changeFilter(Session& session, const std::function<void(DrawingFilter&)>& change);

}  // namespace aliascope
