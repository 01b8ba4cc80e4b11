#pragma once
// Bookmarks as rows: what the reader calls the place, and where it is. The name can be edited.

#include <QAbstractTableModel>

#include "views/session/session.h"

namespace aliascope {

class BookmarkModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Name, Stage, Lane, When, ColumnCount };

    explicit BookmarkModel(Session& session, QObject* parent = nullptr);
    /// Reads the session's bookmarks anew.
    void refresh();
    const NoteRow* at(const QModelIndex& index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    Session& session_;
    std::vector<NoteRow> rows_;
};

}  // namespace aliascope
