#pragma once
// Every command with its keys, which can be changed (ui.md 3.2). One key means one command.

#include <QAbstractTableModel>
#include <QHash>
#include <QKeySequence>

namespace aliascope {

class KeyModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Name, Keys, ColumnCount };
    /// By id of the command: keys in portable text, several separated by blanks; empty = none.
    using Changes = QHash<QString, QString>;

    using QAbstractTableModel::QAbstractTableModel;
    void setChanges(const Changes& changes);
    const Changes& changes() const { return changes_; }
    /// All keys as they were in the beginning.
    void reset();
    /// Keys of a command as they are now.
    QList<QKeySequence> keysOf(const QString& id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    /// False, and refused() says why, for what is no key or has another meaning.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void keysChanged();
    void refused(const QString& sentence);

private:
    QString textOf(int row) const;

    Changes changes_;
};

}  // namespace aliascope
