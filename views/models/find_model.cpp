#include "views/models/find_model.h"

#include "views/models/format.h"
#include "views/session/stage_view.h"

namespace aliascope {
namespace {

/// Internal id of a stage's row; that of a node is the row of its stage, counted from 1.
constexpr quintptr kStage = 0;

}  // namespace

void FindModel::setContents(std::shared_ptr<const std::vector<StageHits>> hits) {
    beginResetModel();
    hits_ = std::move(hits);
    endResetModel();
}

std::size_t FindModel::count() const {
    std::size_t out = 0;
    if (hits_)
        for (const StageHits& stage : *hits_) out += stage.nodes.size();
    return out;
}

QModelIndex FindModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : kStage);
}

QModelIndex FindModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == kStage) return {};
    return createIndex(int(index.internalId() - 1), 0, kStage);
}

int FindModel::rowCount(const QModelIndex& parent) const {
    if (!hits_ || parent.column() > 0) return 0;
    if (!parent.isValid()) return int(hits_->size());
    return parent.internalId() == kStage ? int((*hits_)[std::size_t(parent.row())].nodes.size()) : 0;
}

int FindModel::columnCount(const QModelIndex&) const { return ColumnCount; }

const StageHits& FindModel::stageOf(const QModelIndex& index) const {
    return (*hits_)[index.internalId() == kStage ? std::size_t(index.row()) : std::size_t(index.internalId() - 1)];
}

QVariant FindModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !hits_) return {};
    const StageHits& stage = stageOf(index);
    const bool heads = index.internalId() == kStage;
    const NodeRow* node = heads ? nullptr : stage.nodes[std::size_t(index.row())].get();
    if (role == StageRole) return stage.stage;
    if (role == UidRole) return qulonglong(node ? node->uid : kNoUid);
    if (role == Qt::TextAlignmentRole && index.column() == Bytes) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && node && node->bytes && index.column() == Bytes) return exactBytes(*node->bytes);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    if (heads) {
        if (index.column() == Name) return QStringLiteral("%1  %2").arg(stage.stage).arg(qstr(stage.name));
        return index.column() == Operator ? counted(std::int64_t(stage.nodes.size()), tr("hit"), tr("hits")) : QString();
    }
    switch (index.column()) {
        case Name:
            return percentName(node->name);
        case Operator:
            return qstr(shortOp(*node));
        case Type:
            return qstr(node->type);
        case Storage:
            return node->storage >= 0 ? QStringLiteral("S%1").arg(node->storage) : QString();
        case Bytes:
            return node->bytes ? bytesText(*node->bytes) : QString();
        default:
            return {};
    }
}

QVariant FindModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name:
            return tr("Stage and node");
        case Operator:
            return tr("Operator");
        case Type:
            return tr("Type");
        case Storage:
            return tr("Storage");
        case Bytes:
            return tr("Bytes");
        default:
            return {};
    }
}

}  // namespace aliascope
