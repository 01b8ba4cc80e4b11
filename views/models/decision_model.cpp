#include "views/models/decision_model.h"

#include <algorithm>

#include "core/recording/find_decisions.h"

namespace aliascope {
namespace {

QString subject(const DecisionRow& d) {
    // The name in the user's own graph says more than that of the wrapper that a pass made of it.
    return percentName(d.origin.empty() ? d.node : d.origin);
}

/// Avoidable copies first, then unknown, needed, no-ops; what is well comes last.
std::uint8_t rankOf(VerdictKind kind) {
    switch (kind) {
        case VerdictKind::Avoidable:
            return 0;
        case VerdictKind::Unknown:
            return 1;
        case VerdictKind::Needed:
            return 2;
        case VerdictKind::Refused:
            return 3;
        case VerdictKind::NoOp:
            return 4;
        case VerdictKind::NotAttempted:
            return 5;
        case VerdictKind::InPlace:
            return 6;
        case VerdictKind::Applied:
            return 7;
    }
    return 8;
}

QString bytesCell(const DecisionRow& d, const std::optional<std::int64_t>& bytes) {
    if (!bytes) return d.bytesExpr.empty() ? QString() : qstr(d.bytesExpr) + QStringLiteral(" B");
    return bytesText(*bytes);
}

}  // namespace

DecisionModel::DecisionModel(QObject* parent) : QAbstractTableModel(parent), rows_(std::make_shared<const Rows>()) {}

void DecisionModel::setContents(std::shared_ptr<const Rows> rows) {
    beginResetModel();
    rows_ = rows ? std::move(rows) : std::make_shared<const Rows>();
    ranks_.clear();
    ranks_.reserve(rows_->size());
    for (const DecisionRow& d : *rows_) ranks_.push_back(rankOf(verdictKind(d)));
    endResetModel();
}

std::int64_t DecisionModel::rank(int row) const { return ranks_[std::size_t(row)] * 100'000'000LL + row; }

const DecisionRow* DecisionModel::at(int row) const { return row >= 0 && row < int(rows_->size()) ? &(*rows_)[std::size_t(row)] : nullptr; }

int DecisionModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_->size()); }

int DecisionModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant DecisionModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const DecisionRow& d = (*rows_)[std::size_t(index.row())];
    const VerdictKind kind = verdictKind(d);
    switch (role) {
        case IdRole:
            return qlonglong(d.id);
        case KindRole:
            return int(kind);
        case Qt::ToolTipRole:
            if (index.column() == Reported && d.reportedBytes) return exactBytes(*d.reportedBytes);
            if (index.column() == Cloned && d.clonedBytes) return exactBytes(*d.clonedBytes);
            if (index.column() == What) return QStringLiteral("%1  %2").arg(percentName(d.node), qstr(d.op));
            return qstr(d.sentence);
        case Qt::TextAlignmentRole:
            if (index.column() == Reported || index.column() == Cloned) return int(Qt::AlignRight | Qt::AlignVCenter);
            return int(Qt::AlignLeft | Qt::AlignVCenter);
        case SortRole:
            if (index.column() == Verdict) return qlonglong(rank(index.row()));
            if (index.column() == Reported) return qlonglong(d.reportedBytes.value_or(-1));
            if (index.column() == Cloned) return qlonglong(d.clonedBytes.value_or(-1));
            if (index.column() == Stage) return d.stage;
            break;
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
            break;
        default:
            return {};
    }
    switch (index.column()) {
        case Verdict:
            return verdictWord(kind);
        case What:
            return subject(d);
        case Argument:
            return qstr(d.argument);
        case Reason:
            return reasonText(d.code);
        case Blocker:
            return percentName(d.blocker);
        case Reported:
            return d.counted || d.reportedBytes.value_or(0) > 0 ? bytesCell(d, d.reportedBytes) : QString();
        case Cloned:
            return bytesCell(d, d.clonedBytes);
        case Stage:
            return QStringLiteral("%1 %2").arg(d.stage).arg(qstr(d.stageName));
        default:
            return {};
    }
}

QVariant DecisionModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((section == Reported || section == Cloned ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Verdict:
            return tr("Verdict");
        case What:
            return tr("What");
        case Argument:
            return tr("Argument");
        case Reason:
            return tr("Reason");
        case Blocker:
            return tr("Blocker");
        case Reported:
            return tr("Reported");
        case Cloned:
            return tr("Cloned");
        case Stage:
            return tr("Stage");
        default:
            return {};
    }
}

DecisionFilterProxy::DecisionFilterProxy(QObject* parent) : RowFilterProxy(parent) { setSortRole(DecisionModel::SortRole); }

QString DecisionFilterProxy::setQuery(const QString& text) {
    query::Typed typed = query::typedFind(text.toStdString());
    find_.reset();
    if (!text.trimmed().isEmpty()) find_ = std::move(typed.find);
    refilter();
    return typed.error ? qstr(typed.error->format()) : QString();
}

void DecisionFilterProxy::setKinds(std::vector<VerdictKind> kinds) {
    kinds_ = std::move(kinds);
    refilter();
}

const DecisionModel* DecisionFilterProxy::model() const { return qobject_cast<const DecisionModel*>(sourceModel()); }

const DecisionRow* DecisionFilterProxy::decisionAt(const QModelIndex& proxyIndex) const {
    return proxyIndex.isValid() ? model()->at(mapToSource(proxyIndex).row()) : nullptr;
}

/// Columns of numbers without a detour over QVariant: most of the time of a large table goes here.
bool DecisionFilterProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const auto bytes = [](const std::optional<std::int64_t>& n) { return n.value_or(-1); };
    const DecisionModel* table = model();
    switch (left.column()) {
        case DecisionModel::Verdict:
            return table->rank(left.row()) < table->rank(right.row());
        case DecisionModel::Reported:
            return bytes(table->at(left.row())->reportedBytes) < bytes(table->at(right.row())->reportedBytes);
        case DecisionModel::Cloned:
            return bytes(table->at(left.row())->clonedBytes) < bytes(table->at(right.row())->clonedBytes);
        default:
            return RowFilterProxy::lessThan(left, right);
    }
}

bool DecisionFilterProxy::keeps(int row) const {
    const DecisionRow* d = model()->at(row);
    if (!d) return false;
    if (!kinds_.empty() && std::find(kinds_.begin(), kinds_.end(), verdictKind(*d)) == kinds_.end()) return false;
    static const std::string unknown;
    const auto pass = passes_.find(d->stageId);
    return !find_ || decisionMatches(*find_, *d, pass == passes_.end() ? unknown : pass->second);
}

}  // namespace aliascope
