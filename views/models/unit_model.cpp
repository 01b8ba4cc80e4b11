#include "views/models/unit_model.h"

#include "views/models/format.h"
#include "views/session/opening.h"

namespace aliascope {
namespace {

QString formName(GraphForm form) {
    switch (form) {
        case GraphForm::Readable:
            return UnitModel::tr("readable Python");
        case GraphForm::GraphText:
            return UnitModel::tr("graph text");
        case GraphForm::Table:
            return UnitModel::tr("table");
        case GraphForm::Program:
            return UnitModel::tr("exported program");
    }
    return {};
}

}  // namespace

void UnitModel::setData(std::shared_ptr<const Document> document) {
    beginResetModel();
    document_ = std::move(document);
    units_ = document_ ? openableUnits(*document_) : std::vector<std::size_t>();
    endResetModel();
}

int UnitModel::largest() const {
    int best = units_.empty() ? -1 : 0;
    for (std::size_t row = 1; row < units_.size(); ++row)
        if (document_->units[units_[row]].graph.size() > document_->units[units_[std::size_t(best)]].graph.size()) best = int(row);
    return best;
}

int UnitModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(units_.size()); }

int UnitModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant UnitModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Unit& unit = document_->units[units_[std::size_t(index.row())]];
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Nodes || index.column() == Line || index.column() == Number ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Number:
            return qstr(unit.id);
        case Label:
            return qstr(unit.label);
        case Nodes:
            return grouped(unit.statedNodes);
        case Form:
            return formName(unit.form);
        case Line:
            return grouped(unit.firstLine);
        case Notes: {
            QStringList notes;
            for (const std::string& note : unit.notes) notes << qstr(note);
            if (!unit.diagnostics.empty()) notes << counted(qint64(unit.diagnostics.size()), tr("message"), tr("messages"));
            return notes.join(QStringLiteral("; "));
        }
        default:
            return {};
    }
}

QVariant UnitModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Nodes || section == Line || section == Number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Number:
            return tr("No.");
        case Label:
            return tr("Graph");
        case Nodes:
            return tr("Nodes");
        case Form:
            return tr("Form");
        case Line:
            return tr("Line");
        case Notes:
            return tr("Notes");
        default:
            return {};
    }
}

}  // namespace aliascope
