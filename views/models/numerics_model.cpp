#include "views/models/numerics_model.h"

#include <cmath>

#include "views/models/format.h"

namespace aliascope {

QString errorText(double error) {
    if (std::isnan(error)) return QStringLiteral("nan");
    if (std::isinf(error)) return error > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    return QString::number(error, 'g', 3);
}

QString comparedWords(const ComparedRow& value) {
    if (value.verdict == "same") return QObject::tr("the same bytes");
    if (value.verdict == "value-same") return QObject::tr("the same values");
    if (value.verdict == "close") return QObject::tr("within tolerance");
    if (value.verdict == "differs")
        return value.inherited ? QObject::tr("differs because something before it does") : QObject::tr("differs, and it begins here");
    return value.glyph() == '-' ? QObject::tr("no counterpart in the other stage") : QObject::tr("cannot be compared");
}

NumericsModel::NumericsModel(QObject* parent) : QAbstractTableModel(parent) {}

void NumericsModel::setData(std::shared_ptr<const ValueMatrix> matrix) {
    beginResetModel();
    matrix_ = std::move(matrix);
    endResetModel();
}

const ComparedRow* NumericsModel::cell(const QModelIndex& index) const {
    if (!index.isValid() || index.column() < kFirstCell) return nullptr;
    const auto& cell = matrix_->rows[std::size_t(index.row())].cells[std::size_t(index.column() - kFirstCell)];
    return cell ? &*cell : nullptr;
}

QModelIndex NumericsModel::firstDivergence() const {
    if (!matrix_ || !matrix_->first) return {};
    return index(int(matrix_->first->second), kFirstCell + int(matrix_->first->first));
}

int NumericsModel::rowOf(Uid uid) const {
    for (int row = 0; matrix_ && uid != kNoUid && row < rowCount(); ++row)
        for (const auto& cell : matrix_->rows[std::size_t(row)].cells)
            if (cell && (cell->uidB == uid || cell->uidA == uid)) return row;
    return -1;
}

int NumericsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() || !matrix_ ? 0 : int(matrix_->rows.size()); }

int NumericsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !matrix_ || matrix_->columns.empty() ? 0 : kFirstCell + int(matrix_->columns.size());
}

QChar NumericsModel::glyph(const QModelIndex& index) const {
    if (index.column() == kReference) {
        for (const auto& cell : matrix_->rows[std::size_t(index.row())].cells)
            if (cell && cell->uidA) return QLatin1Char('.');
        return QLatin1Char('-');
    }
    const ComparedRow* value = cell(index);
    if (!value) return QLatin1Char('-');
    if (value->verdict == "differs" && value->inherited && value->maxAbs && !std::isfinite(*value->maxAbs)) return QLatin1Char('n');
    return QLatin1Char(value->glyph());
}

QString NumericsModel::error(const QModelIndex& index) const {
    const ComparedRow* value = cell(index);
    return value && value->verdict == "differs" && value->maxAbs ? errorText(*value->maxAbs) : QString();
}

QString NumericsModel::words(const QModelIndex& index) const {
    if (index.column() == kReference)
        return glyph(index) == QLatin1Char('.') ? tr("what the others are compared with") : tr("the first stage has no such value");
    const ComparedRow* value = cell(index);
    if (!value) return tr("the stage has no such value");
    QString text = comparedWords(*value);
    if (value->maxAbs && value->verdict == "differs")
        text += tr("; max abs %1 at %2: %3 became %4").arg(errorText(*value->maxAbs), qstr(value->at), qstr(value->a), qstr(value->b));
    return text;
}

QVariant NumericsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ValueMatrix::Row& row = matrix_->rows[std::size_t(index.row())];
    if (role == DiffersRole) return row.differs();
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (index.column() == kValue) {
        if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole || role == Qt::ToolTipRole) return qstr(row.label);
        return {};
    }
    switch (role) {
        case Qt::DisplayRole: {
            const QString largest = error(index);
            return largest.isEmpty() ? QString(glyph(index)) : QStringLiteral("%1 %2").arg(glyph(index)).arg(largest);
        }
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return words(index);
        case GlyphRole:
            return glyph(index);
        case ErrorRole:
            return error(index);
        case StageRole: {
            const ComparisonRow& column = matrix_->columns[std::size_t(std::max(0, index.column() - kFirstCell))];
            return index.column() == kReference ? column.stageA : column.stageB;
        }
        case UidRole: {
            if (const ComparedRow* value = cell(index)) return qulonglong(value->uidB.value_or(value->uidA.value_or(kNoUid)));
            for (const auto& value : row.cells)
                if (value && value->uidA) return qulonglong(*value->uidA);
            return qulonglong(kNoUid);
        }
        default:
            return {};
    }
}

QVariant NumericsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || !matrix_ || matrix_->columns.empty()) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    if (section == kValue) return tr("Value");
    const ComparisonRow& column = matrix_->columns[std::size_t(std::max(0, section - kFirstCell))];
    if (section == kReference) return QStringLiteral("%1 %2").arg(column.stageA).arg(qstr(column.stageNameA));
    const QString title = QStringLiteral("%1 %2").arg(column.stageB).arg(qstr(column.stageNameB));
    return role == Qt::DisplayRole ? title : tr("%1: %2, judged %3").arg(title, qstr(column.verdict), qstr(column.policy));
}

void NumericsFilterProxy::setOnlyDifferences(bool on) {
    onlyDifferences_ = on;
    refilter();
}

void NumericsFilterProxy::setWords(const QString& words) {
    words_ = words.trimmed();
    refilter();
}

bool NumericsFilterProxy::keeps(int row) const {
    const QModelIndex value = sourceModel()->index(row, NumericsModel::kValue);
    if (onlyDifferences_ && !value.data(NumericsModel::DiffersRole).toBool()) return false;
    return words_.isEmpty() || value.data().toString().contains(words_, Qt::CaseInsensitive);
}

}  // namespace aliascope
