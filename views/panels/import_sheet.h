#pragma once
// Which of a file's graphs to open: a page in the window, not a dialog (ui.md 2.13).

#include <QSortFilterProxyModel>
#include <QWidget>

#include "views/models/unit_model.h"
#include "views/session/session.h"

class QLabel;
class QLineEdit;
class QTreeView;

namespace aliascope {

class ImportSheet : public QWidget {
    Q_OBJECT

public:
    explicit ImportSheet(Session& session, QWidget* parent = nullptr);
    /// Shows the document that the session holds; the largest graph of the latest compilation is chosen.
    void showChoice();

signals:
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void accept();
    void filter(const QString& text);
    void choose(const QModelIndex& index);
    void expandTo(const QModelIndex& index);

    Session& session_;
    UnitModel* model_;
    QSortFilterProxyModel* shown_;
    QLabel *title_, *note_, *skipped_;
    QLineEdit* filter_;
    QTreeView* tree_;
};

}  // namespace aliascope
