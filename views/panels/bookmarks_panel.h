#pragma once
// Bookmarks of the session: Enter goes there, F2 renames, Del forgets (ui.md 3.1).

#include <QWidget>

#include "views/session/session.h"

class QLabel;
class QTableView;

namespace aliascope {

class BookmarkModel;

class BookmarksPanel : public QWidget {
    Q_OBJECT

public:
    explicit BookmarksPanel(Session& session, QWidget* parent = nullptr);
    void focusFirst();
    /// The command line that prints the chosen place; empty when none is chosen.
    QString command() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void goTo(const QModelIndex& index);

    Session& session_;
    BookmarkModel* model_;
    QTableView* table_ = nullptr;
    QLabel* empty_ = nullptr;
};

}  // namespace aliascope
