#include "views/models/pass_list_model.h"

#include <QMimeData>
#include <algorithm>

#include "views/models/format.h"

namespace aliascope {
namespace {

const QString kStepMime = QStringLiteral("application/x-aliascope-step");

std::int64_t copiedBytes(const StageRow& row) { return row.clonedBytes.value_or(0) + row.copiedBackBytes.value_or(0); }

QString accessibleText(const StageRow& row) {
    if (row.state == "failed") return QObject::tr("stage %1, %2, failed: %3").arg(row.idx).arg(qstr(row.name), qstr(row.message));
    if (row.state == "stale" || row.state == "off") return QObject::tr("%1, %2").arg(qstr(row.name), qstr(row.message));
    if (row.state == "skipped") return QObject::tr("stage %1, %2, skipped: %3").arg(row.idx).arg(qstr(row.name), qstr(row.message));
    if (!row.changed && row.idx > 1) return QObject::tr("stage %1, %2, no change").arg(row.idx).arg(qstr(row.name));
    return QObject::tr("stage %1, %2, %3 nodes, %4 added, %5 removed, %6 changed, %7 clones, %8 copied back")
        .arg(row.idx)
        .arg(qstr(row.name))
        .arg(row.nodes)
        .arg(row.added)
        .arg(row.removed)
        .arg(row.modified)
        .arg(row.clones)
        .arg(row.copiesBack);
}

QString names(const std::vector<std::pair<Uid, std::string>>& nodes) {
    constexpr std::size_t kShown = 3;
    QStringList out;
    for (std::size_t i = 0; i < nodes.size() && i < kShown; ++i) out << percentName(nodes[i].second);
    if (nodes.size() > kShown) out << QObject::tr("and %1 more").arg(nodes.size() - kShown);
    return out.join(QStringLiteral(", "));
}

QString rewriteText(const RewriteRow& rewrite) {
    const QString before = names(rewrite.before), after = names(rewrite.after);
    if (before.isEmpty()) return QObject::tr("%1: %2 made").arg(qstr(rewrite.rule), after);
    if (after.isEmpty()) return QObject::tr("%1: %2 removed").arg(qstr(rewrite.rule), before);
    return QObject::tr("%1: %2 \u2192 %3").arg(qstr(rewrite.rule), before, after);
}

}  // namespace

PassListModel::PassListModel(QObject* parent) : QAbstractItemModel(parent) {}

void PassListModel::setStages(std::vector<StageRow> stages, int steps) {
    beginResetModel();
    steps_ = steps;
    stages_.clear();
    largestChange_ = 1;
    std::int64_t before = 0;
    for (StageRow& row : stages) {
        Stage stage;
        const std::int64_t now = row.state == "ok" ? copiedBytes(row) : before;
        stage.byteDelta = stages_.empty() ? 0 : now - before;
        before = now;
        largestChange_ = std::max(largestChange_, row.added + row.removed + row.modified);
        stage.row = std::move(row);
        stages_.push_back(std::move(stage));
    }
    endResetModel();
}

void PassListModel::setRewrites(int stage, std::vector<RewriteRow> rewrites) {
    const QModelIndex parent = indexOfStage(stage);
    if (!parent.isValid() || rewrites.empty()) return;
    Stage& entry = stages_[std::size_t(parent.row())];
    if (!entry.rewrites.empty()) return;
    beginInsertRows(parent, 0, int(rewrites.size()) - 1);
    entry.rewrites = std::move(rewrites);
    endInsertRows();
}

void PassListModel::setTouched(std::set<int> touched) {
    if (stages_.empty()) return;
    for (Stage& stage : stages_) stage.touched = touched.contains(stage.row.idx);
    emit dataChanged(index(0, Name), index(int(stages_.size()) - 1, Name), {TouchedRole});
}

QModelIndex PassListModel::indexOfStage(int idx) const {
    for (std::size_t i = 0; i < stages_.size(); ++i)
        if (stages_[i].row.idx == idx) return index(int(i), Name);
    return {};
}

const StageRow* PassListModel::stageAt(const QModelIndex& index) const {
    if (!index.isValid()) return nullptr;
    const std::size_t at = index.internalId() == 0 ? std::size_t(index.row()) : std::size_t(index.internalId() - 1);
    return at < stages_.size() ? &stages_[at].row : nullptr;
}

const RewriteRow* PassListModel::rewriteAt(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) return nullptr;
    const auto& rewrites = stages_[std::size_t(index.internalId() - 1)].rewrites;
    return std::size_t(index.row()) < rewrites.size() ? &rewrites[std::size_t(index.row())] : nullptr;
}

QModelIndex PassListModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : quintptr(0));
}

QModelIndex PassListModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == 0) return {};
    return createIndex(int(child.internalId() - 1), Name, quintptr(0));
}

int PassListModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return int(stages_.size());
    if (parent.internalId() != 0 || parent.column() != Name) return 0;
    return int(stages_[std::size_t(parent.row())].rewrites.size());
}

int PassListModel::columnCount(const QModelIndex& parent) const { return parent.isValid() && parent.internalId() != 0 ? 0 : int(ColumnCount); }

bool PassListModel::hasChildren(const QModelIndex& parent) const {
    if (!parent.isValid()) return !stages_.empty();
    if (parent.internalId() != 0 || parent.column() != Name) return false;
    return stages_[std::size_t(parent.row())].row.rewrites > 0;  // also while they are being read
}

bool PassListModel::canFetchMore(const QModelIndex& parent) const {
    if (!parent.isValid() || parent.internalId() != 0 || parent.column() != Name) return false;
    const Stage& stage = stages_[std::size_t(parent.row())];
    return !stage.asked && stage.row.rewrites > 0;
}

void PassListModel::fetchMore(const QModelIndex& parent) {
    if (!canFetchMore(parent)) return;
    Stage& stage = stages_[std::size_t(parent.row())];
    stage.asked = true;
    emit rewritesWanted(stage.row.idx);
}

QVariant PassListModel::stageData(const Stage& stage, int column, int role) const {
    const StageRow& row = stage.row;
    switch (role) {
        case IndexRole:
            return row.idx;
        case StageNameRole:
            return qstr(row.name);
        case IsRewriteRole:
            return false;
        case ChangedRole:
            return row.changed || row.idx == 1;
        case StateRole:
            return qstr(row.state);
        case NodesRole:
            return qlonglong(row.nodes);
        case AddedRole:
            return qlonglong(row.added);
        case RemovedRole:
            return qlonglong(row.removed);
        case ModifiedRole:
            return qlonglong(row.modified);
        case ClonesRole:
            return qlonglong(row.clones);
        case CopiesRole:
            return qlonglong(row.copiesBack);
        case BytesRole:
            return qlonglong(copiedBytes(row));
        case ByteDeltaRole:
            return qlonglong(stage.byteDelta);
        case MessageRole:
            return qstr(row.message);
        case TouchedRole:
            return stage.touched;
        case LargestChangeRole:
            return qlonglong(largestChange_);
        case Qt::AccessibleTextRole:
            return accessibleText(row);
        case Qt::ToolTipRole: {
            QStringList lines{QStringLiteral("%1  %2").arg(row.idx).arg(qstr(row.name))};
            if (!row.options.empty()) lines << QStringLiteral("{%1}").arg(qstr(row.options));
            if (!row.message.empty()) lines << qstr(row.message);
            lines << QObject::tr("%1 nodes: %2 added, %3 removed, %4 changed; %5")
                         .arg(row.nodes)
                         .arg(row.added)
                         .arg(row.removed)
                         .arg(row.modified)
                         .arg(durationText(row.wallNs));
            lines << QObject::tr("%1 clones, %2; %3 copied back, %4")
                         .arg(row.clones)
                         .arg(bytesText(row.clonedBytes))
                         .arg(row.copiesBack)
                         .arg(bytesText(row.copiedBackBytes));
            return lines.join(QLatin1Char('\n'));
        }
        case SortRole:
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    switch (column) {
        case Name:
            return qstr(row.name);
        case Nodes:
            return qlonglong(row.nodes);
        case Added:
            return qlonglong(row.added);
        case Removed:
            return qlonglong(row.removed);
        case Modified:
            return qlonglong(row.modified);
        case Clones:
            return qlonglong(row.clones);
        case CopiesBack:
            return qlonglong(row.copiesBack);
        case ByteDelta:
            return role == SortRole ? QVariant(qlonglong(stage.byteDelta)) : QVariant(bytesText(stage.byteDelta));
        case Rewrites:
            return qlonglong(row.rewrites);
        case Time:
            return role == SortRole ? QVariant(qlonglong(row.wallNs)) : QVariant(durationText(row.wallNs));
        default:
            return {};
    }
}

QVariant PassListModel::rewriteData(const Stage& stage, const RewriteRow& rewrite, int column, int role) const {
    switch (role) {
        case IndexRole:
            return stage.row.idx;
        case StageNameRole:
            return qstr(stage.row.name);
        case IsRewriteRole:
            return true;
        case StateRole:
            return qstr(rewrite.state);
        case SortRole:
            return rewrite.seq;
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
            return column == Name ? QVariant(rewriteText(rewrite)) : QVariant();
        case Qt::ToolTipRole: {
            QStringList lines{rewriteText(rewrite)};
            if (!rewrite.theorem.empty()) lines << qstr(rewrite.theorem);
            if (!rewrite.message.empty()) lines << qstr(rewrite.message);
            return lines.join(QLatin1Char('\n'));
        }
        default:
            return {};
    }
}

QVariant PassListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (const RewriteRow* rewrite = rewriteAt(index))
        return rewriteData(stages_[std::size_t(index.internalId() - 1)], *rewrite, index.column(), role);
    return stageData(stages_[std::size_t(index.row())], index.column(), role);
}

Qt::ItemFlags PassListModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::ItemIsDropEnabled;  // between rows, never on one
    const bool step = index.internalId() == 0 && index.row() >= 1 && index.row() <= steps_;
    return QAbstractItemModel::flags(index) | (step ? Qt::ItemIsDragEnabled : Qt::NoItemFlags);
}

QStringList PassListModel::mimeTypes() const { return {kStepMime}; }

QMimeData* PassListModel::mimeData(const QModelIndexList& indexes) const {
    if (indexes.isEmpty()) return nullptr;
    auto* data = new QMimeData;
    data->setData(kStepMime, QByteArray::number(indexes.front().row() - 1));
    return data;
}

bool PassListModel::canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int, const QModelIndex& parent) const {
    return action == Qt::MoveAction && data->hasFormat(kStepMime) && !parent.isValid() && row != 0;
}

bool PassListModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column, const QModelIndex& parent) {
    if (!canDropMimeData(data, action, row, column, parent)) return false;
    const int from = data->data(kStepMime).toInt();
    int to = row < 0 ? steps_ : std::min(row - 1, steps_);
    if (to > from) --to;  // the place that it leaves closes up
    if (from < 0 || from >= steps_ || to == from) return false;
    emit moveWanted(from, to);
    return true;
}

QVariant PassListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name:
            return tr("Stage");
        case Nodes:
            return tr("Nodes");
        case Added:
            return tr("+");
        case Removed:
            return tr("-");
        case Modified:
            return tr("~");
        case Clones:
            return tr("Clones");
        case CopiesBack:
            return tr("Copied back");
        case ByteDelta:
            return tr("Bytes");
        case Rewrites:
            return tr("Rewrites");
        case Time:
            return tr("Time");
        default:
            return {};
    }
}

}  // namespace aliascope
