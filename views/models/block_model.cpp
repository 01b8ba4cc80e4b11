#include "views/models/block_model.h"

#include "views/models/format.h"

namespace aliascope {
namespace {

bool rightAligned(int column) { return column == BlockModel::Size || column == BlockModel::Born || column == BlockModel::Dies; }

}  // namespace

BlockModel::BlockModel(QObject* parent) : QAbstractTableModel(parent) {}

void BlockModel::setContents(MemoryProfilePtr profile, std::vector<std::size_t> blocks, memory::Accounting accounting) {
    beginResetModel();
    profile_ = std::move(profile);
    blocks_ = std::move(blocks);
    accounting_ = accounting;
    bytes_ = 0;
    for (int row = 0; row < int(blocks_.size()); ++row) bytes_ += at(row).bytes(accounting_);
    endResetModel();
}

int BlockModel::rowOf(Uid uid) const {
    for (int row = 0; uid != kNoUid && row < int(blocks_.size()); ++row)
        if (profile_->originUid(at(row)) == uid) return row;
    return -1;
}

int BlockModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(blocks_.size()); }

int BlockModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant BlockModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const memory::Lifetime& life = at(index.row());
    switch (role) {
        case UidRole:
            return qulonglong(profile_->originUid(life));
        case BlockRole:
            return qulonglong(blocks_[std::size_t(index.row())]);
        case SortRole:
            return sortValue(life, index.column());
        case Qt::TextAlignmentRole:
            return int((rightAligned(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            if (index.column() == Size) return exactBytes(life.bytes(accounting_));
            if (const NodeRow* node = profile_->originOf(life); node && index.column() == Node)
                return QStringLiteral("%1  %2").arg(qstr(node->op), qstr(node->type));
            return text(life, index.column());
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
            return text(life, index.column());
        default:
            return {};
    }
}

QVariant BlockModel::sortValue(const memory::Lifetime& life, int column) const {
    const NodeRow* node = profile_->originOf(life);
    switch (column) {
        case Size:
            return qlonglong(life.bytes(accounting_));
        case Storage:
            return node ? node->storage : -1;
        case Born:
            return qlonglong(life.birth);
        case Dies:
            return qlonglong(life.death);
        default:
            return text(life, column);
    }
}

QVariant BlockModel::text(const memory::Lifetime& life, int column) const {
    const NodeRow* node = profile_->originOf(life);
    switch (column) {
        case Size:
            return bytesText(life.bytes(accounting_));
        case Storage:
            return node && node->storage >= 0 ? QStringLiteral("S%1").arg(node->storage) : QString();
        case Node:
            return node ? percentName(node->name) : QString();
        case Module:
            return node ? qstr(node->module) : QString();
        case Born:
            return grouped(life.birth);
        case Dies:
            return life.death == memory::kNever ? tr("end") : grouped(life.death);
        case Why:
            return whyAlive(*profile_, life);
        default:
            return {};
    }
}

QVariant BlockModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((rightAligned(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Born) return tr("number of the event that allocated it");
    if (role == Qt::ToolTipRole && section == Dies) return tr("number of the event that frees it");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Size:
            return tr("Size");
        case Storage:
            return tr("Storage");
        case Node:
            return tr("Node");
        case Module:
            return tr("Module");
        case Born:
            return tr("Born");
        case Dies:
            return tr("Dies");
        case Why:
            return tr("Why alive");
        default:
            return {};
    }
}

std::vector<std::size_t> blocksLiveAt(const MemoryProfile& profile, std::int64_t seq) {
    std::vector<std::size_t> out;
    if (seq < 0) return out;
    const auto& lifetimes = profile.report().lifetimes();
    // Answers are in birth order, as the lifetimes are: a step along both finds the indices.
    std::size_t i = 0;
    for (const memory::Lifetime& life : profile.report().liveAt(seq)) {
        while (i < lifetimes.size() && lifetimes[i].storage != life.storage) ++i;
        if (i < lifetimes.size()) out.push_back(i);
    }
    return out;
}

std::vector<std::size_t> blocksLiveIn(const MemoryProfile& profile, std::int64_t from, std::int64_t to) {
    std::vector<std::size_t> out;
    const auto& lifetimes = profile.report().lifetimes();
    for (std::size_t i = 0; i < lifetimes.size(); ++i)
        if (lifetimes[i].counts() && lifetimes[i].birth < to && lifetimes[i].death > from) out.push_back(i);
    return out;
}

}  // namespace aliascope
