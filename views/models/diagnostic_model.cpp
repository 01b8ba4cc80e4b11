#include "views/models/diagnostic_model.h"

#include "views/models/format.h"

namespace aliascope {

void DiagnosticModel::setContents(std::shared_ptr<const Rows> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

const DiagnosticRow* DiagnosticModel::at(int row) const {
    return rows_ && row >= 0 && row < int(rows_->size()) ? &(*rows_)[std::size_t(row)] : nullptr;
}

int DiagnosticModel::rowCount(const QModelIndex& parent) const { return parent.isValid() || !rows_ ? 0 : int(rows_->size()); }

int DiagnosticModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant DiagnosticModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const DiagnosticRow& row = (*rows_)[std::size_t(index.row())];
    if (role == Qt::ToolTipRole) return row.excerpt.empty() ? qstr(row.sentence) : qstr(row.sentence + "\n" + row.excerpt);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Severity:
            return row.audience == "internal" ? tr("fault") : qstr(row.severity);
        case Code:
            return qstr(row.code);
        case Sentence:
            return qstr(row.sentence);
        case Place: {
            QString place = qstr(row.stage.empty() ? row.file : row.stage);
            if (row.line > 0) place += QStringLiteral(":%1").arg(row.line);
            return place;
        }
        default:
            return {};
    }
}

QVariant DiagnosticModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Severity:
            return tr("Kind");
        case Code:
            return tr("Code");
        case Sentence:
            return tr("Message");
        case Place:
            return tr("Where");
        default:
            return {};
    }
}

}  // namespace aliascope
