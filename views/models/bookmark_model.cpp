#include "views/models/bookmark_model.h"

#include "views/models/format.h"

namespace aliascope {

BookmarkModel::BookmarkModel(Session& session, QObject* parent) : QAbstractTableModel(parent), session_(session) {}

void BookmarkModel::refresh() {
    beginResetModel();
    rows_ = session_.bookmarks().rows();
    endResetModel();
}

const NoteRow* BookmarkModel::at(const QModelIndex& index) const {
    return index.isValid() && index.row() < int(rows_.size()) ? &rows_[std::size_t(index.row())] : nullptr;
}

int BookmarkModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }

int BookmarkModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant BookmarkModel::data(const QModelIndex& index, int role) const {
    const NoteRow* row = at(index);
    if (!row || (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::AccessibleTextRole)) return {};
    switch (index.column()) {
        case Name:
            return qstr(row->text);
        case Stage: {
            const StageRow* stage = row->lane == session_.data().lane ? session_.stageRow(row->stage) : nullptr;
            return stage ? QStringLiteral("%1 %2").arg(row->stage).arg(qstr(stage->name)) : QString::number(row->stage);
        }
        case Lane:
            for (const LaneRow& lane : session_.data().lanes)
                if (lane.id == row->lane) return qstr(lane.name);
            return {};
        case When:
            return qstr(row->created).replace(QLatin1Char('T'), QLatin1Char(' ')).remove(QLatin1Char('Z'));
        default:
            return {};
    }
}

bool BookmarkModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || index.column() != Name || !at(index)) return false;
    session_.bookmarks().rename(index.row(), value.toString().trimmed().toStdString());
    return true;
}

Qt::ItemFlags BookmarkModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.column() == Name) flags |= Qt::ItemIsEditable;
    return flags;
}

QVariant BookmarkModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name:
            return tr("Place");
        case Stage:
            return tr("Stage");
        case Lane:
            return tr("Pipeline");
        case When:
            return tr("Set");
        default:
            return {};
    }
}

}  // namespace aliascope
