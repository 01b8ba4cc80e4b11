#include "views/models/holder_model.h"

#include <algorithm>

#include "views/models/format.h"
#include "views/session/stage_view.h"

namespace aliascope {
namespace {

QString groupOf(const MemoryProfile& profile, const memory::Lifetime& life, HolderKey key) {
    const NodeRow* node = profile.originOf(life);
    if (!node) return QObject::tr("no node");
    switch (key) {
        case HolderKey::Node:
            return percentName(node->name);
        case HolderKey::Storage:
            return node->storage >= 0 ? QStringLiteral("S%1  %2").arg(node->storage).arg(percentName(node->name)) : percentName(node->name);
        case HolderKey::Op:
            return qstr(shortOp(*node));
        case HolderKey::Module:
            return node->module.empty() ? QObject::tr("no module recorded") : qstr(node->module);
        case HolderKey::Source:
            return node->line > 0 ? QStringLiteral("%1:%2").arg(qstr(node->file)).arg(node->line) : QObject::tr("no source recorded");
        case HolderKey::Dtype:
            return qstr(node->type.substr(0, node->type.find('[')));
    }
    return {};
}

}  // namespace

HolderModel::HolderModel(QObject* parent) : QAbstractTableModel(parent) {}

void HolderModel::setContents(MemoryProfilePtr profile, HolderKey key, memory::Accounting accounting) {
    beginResetModel();
    rows_.clear();
    total_ = 0;
    if (profile && profile->log().peakSeq >= 0) {
        std::unordered_map<std::string, std::size_t> byGroup;
        for (const memory::Lifetime& life : profile->report().liveAt(profile->log().peakSeq)) {
            const QString group = groupOf(*profile, life, key);
            const auto [it, fresh] = byGroup.try_emplace(group.toStdString(), rows_.size());
            if (fresh) rows_.push_back({group, 0, -1, 0, kNoUid});
            Row& row = rows_[it->second];
            const std::int64_t bytes = life.bytes(accounting);
            row.bytes += bytes;
            ++row.blocks;
            total_ += bytes;
            if (bytes <= row.largest) continue;
            row.largest = bytes;
            row.uid = profile->originUid(life);
        }
        std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.bytes > b.bytes; });
    }
    endResetModel();
}

int HolderModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }

int HolderModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant HolderModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[std::size_t(index.row())];
    if (role == UidRole) return qulonglong(row.uid);
    if (role == Qt::TextAlignmentRole) return int((index.column() == Group ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) return index.column() == Size ? exactBytes(row.bytes) : row.group;
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    switch (index.column()) {
        case Group:
            return row.group;
        case Size:
            return bytesText(row.bytes);
        case Share:
            return total_ > 0 ? QStringLiteral("%1 %").arg(100.0 * double(row.bytes) / double(total_), 0, 'f', 1) : QString();
        case Blocks:
            return grouped(row.blocks);
        default:
            return {};
    }
}

QVariant HolderModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((section == Group ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Group:
            return tr("Held by");
        case Size:
            return tr("Size");
        case Share:
            return tr("Of the peak");
        case Blocks:
            return tr("Blocks");
        default:
            return {};
    }
}

}  // namespace aliascope
