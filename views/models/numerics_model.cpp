#include "views/models/numerics_model.h"

#include <algorithm>
#include <cmath>

#include "views/models/format.h"

namespace aliascope {
namespace {

/// NaN is the largest error of all.
bool byError(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

/// Errors of one value against doubles.
struct RowErrors {
    std::optional<double> first, later;  ///< of the first stage, and the largest of the later ones
    std::size_t column = 0;              ///< where that is
};

RowErrors errorsOf(const ValueMatrix::Row& row) {
    RowErrors out;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const auto& cell = row.cells[i];
        if (!cell) continue;
        if (cell->errorA) out.first = cell->errorA;
        if (!cell->errorB || (out.later && !byError(*out.later, *cell->errorB))) continue;
        out.later = cell->errorB;
        out.column = i;
    }
    return out;
}

/// A value as the find language asks about it.
class ValueSubject : public query::Subject {
public:
    ValueSubject(const NumericsModel& model, int row) : model_(model), row_(row) {}

    bool any(query::Field field, const Fits& fits) const override {
        const ValueMatrix::Row& row = model_.matrix()->rows[std::size_t(row_)];
        if (field == query::Field::Text) return fits(row.label);
        if (field == query::Field::Name || field == query::Field::Op)
            return std::any_of(row.cells.begin(), row.cells.end(), [&](const auto& cell) {
                if (!cell) return false;
                return field == query::Field::Op ? fits(cell->opB) : fits(cell->nodeB.empty() ? cell->nodeA : cell->nodeB);
            });
        if (field != query::Field::Verdict) return false;
        return std::any_of(row.cells.begin(), row.cells.end(), [&](const auto& cell) { return cell && fits(cell->verdict); });
    }
    std::optional<double> number(query::Number number) const override {
        return number == query::Number::Error ? model_.largestError(row_) : std::nullopt;
    }

private:
    const NumericsModel& model_;
    int row_;
};

}  // namespace

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

void NumericsModel::setContents(std::shared_ptr<const ValueMatrix> matrix) {
    beginResetModel();
    matrix_ = std::move(matrix);
    hasErrors_ = matrix_ && std::any_of(matrix_->rows.begin(), matrix_->rows.end(), [](const ValueMatrix::Row& row) {
                     return std::any_of(row.cells.begin(), row.cells.end(), [](const auto& cell) { return cell && (cell->errorA || cell->errorB); });
                 });
    endResetModel();
}

const ComparedRow* NumericsModel::cell(const QModelIndex& index) const {
    if (!index.isValid() || index.column() < kFirstCell || index.column() == errorColumn()) return nullptr;
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
    return parent.isValid() || !matrix_ || matrix_->columns.empty() ? 0 : kFirstCell + int(matrix_->columns.size()) + (hasErrors_ ? 1 : 0);
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
    if (value->errorA && value->errorB)
        text += tr("; error against doubles %1, in the first stage %2").arg(errorText(*value->errorB), errorText(*value->errorA));
    return text;
}

std::optional<double> NumericsModel::largestError(int row) const {
    const RowErrors errors = errorsOf(matrix_->rows[std::size_t(row)]);
    if (errors.later) return std::max(*errors.later, errors.first.value_or(0), byError);
    std::optional<double> largest = errors.first;
    if (largest) return largest;
    for (const auto& cell : matrix_->rows[std::size_t(row)].cells)
        if (cell && cell->maxAbs && (!largest || byError(*largest, *cell->maxAbs))) largest = cell->maxAbs;
    return largest;
}

/// The cell of the column of errors: of the first stage and the largest of the later ones, where it was measured, and of every stage for who asks.
QVariant NumericsModel::errorData(int row, int role) const {
    const ValueMatrix::Row& value = matrix_->rows[std::size_t(row)];
    const RowErrors errors = errorsOf(value);
    switch (role) {
        case Qt::DisplayRole:
        case ErrorRole:
            if (!errors.first && !errors.later) return QString();
            return QStringLiteral("%1 \u2192 %2")
                .arg(errors.first ? errorText(*errors.first) : QStringLiteral("\u2013"),
                     errors.later ? errorText(*errors.later) : QStringLiteral("\u2013"));
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole: {
            if (!errors.first && !errors.later) return tr("not measured against doubles");
            QStringList lines{tr("largest error against a run in doubles")};
            const auto line = [&](int stage, const std::string& name, double error) {
                lines << QStringLiteral("%1 %2: %3").arg(stage).arg(qstr(name), errorText(error));
            };
            if (errors.first) line(matrix_->columns.front().stageA, matrix_->columns.front().stageNameA, *errors.first);
            for (std::size_t i = 0; i < value.cells.size(); ++i)
                if (value.cells[i] && value.cells[i]->errorB)
                    line(matrix_->columns[i].stageB, matrix_->columns[i].stageNameB, *value.cells[i]->errorB);
            return lines.join(QLatin1Char('\n'));
        }
        case StageRole:
        case UidRole:
            // Leads to the stage that errs most.
            return errors.later ? index(row, kFirstCell + int(errors.column)).data(role) : index(row, kReference).data(role);
        default:
            return {};
    }
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
    if (index.column() == errorColumn()) return errorData(index.row(), role);
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
    if (section == errorColumn())
        return role == Qt::DisplayRole ? tr("Error") : tr("Largest error against a run in doubles: of the first stage \u2192 of the worst later one");
    const ComparisonRow& column = matrix_->columns[std::size_t(std::max(0, section - kFirstCell))];
    if (section == kReference) return QStringLiteral("%1 %2").arg(column.stageA).arg(qstr(column.stageNameA));
    const QString title = QStringLiteral("%1 %2").arg(column.stageB).arg(qstr(column.stageNameB));
    return role == Qt::DisplayRole ? title : tr("%1: %2, judged %3").arg(title, qstr(column.verdict), qstr(column.policy));
}

void NumericsFilterProxy::setOnlyDifferences(bool on) {
    onlyDifferences_ = on;
    refilter();
}

QString NumericsFilterProxy::setQuery(const QString& text) {
    query::Typed typed = query::typedFind(text.toStdString());
    find_.reset();
    if (!text.trimmed().isEmpty()) find_ = std::move(typed.find);
    refilter();
    return typed.error ? qstr(typed.error->format()) : QString();
}

bool NumericsFilterProxy::keeps(int row) const {
    const QModelIndex value = sourceModel()->index(row, NumericsModel::kValue);
    if (onlyDifferences_ && !value.data(NumericsModel::DiffersRole).toBool()) return false;
    return !find_ || find_->matches(ValueSubject(*qobject_cast<const NumericsModel*>(sourceModel()), row));
}

}  // namespace aliascope
