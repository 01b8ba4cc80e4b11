#include "views/models/node_table_model.h"

#include "views/models/format.h"

namespace aliascope {
namespace {

QString source(const NodeRow& node) {
    if (node.line <= 0) return {};
    return QStringLiteral("%1:%2").arg(qstr(node.file.substr(node.file.find_last_of('/') + 1))).arg(node.line);
}

QString accessibleText(const StageView& view, const NodeRow& node, std::uint32_t at) {
    QStringList parts{qstr(shortOp(node)), qstr(node.name)};
    if (!node.type.empty()) parts << qstr(node.type);
    if (node.bytes) parts << bytesText(*node.bytes);
    if (node.storage >= 0) parts << QObject::tr("storage %1").arg(node.storage);
    if (view.mark[at] == '+') parts << QObject::tr("added in this stage");
    if (view.mark[at] == '~') parts << QObject::tr("changed in this stage");
    return parts.join(QStringLiteral(", "));
}

}  // namespace

NodeTableModel::NodeTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void NodeTableModel::setContents(StageViewPtr view) {
    beginResetModel();
    view_ = std::move(view);
    endResetModel();
}

QModelIndex NodeTableModel::indexOf(Uid uid) const {
    const auto at = view_ ? view_->indexOf(uid) : std::nullopt;
    return at ? index(int(*at), Name) : QModelIndex();
}

int NodeTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() || !view_ ? 0 : int(view_->snapshot->nodes.size()); }

int NodeTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant NodeTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !view_) return {};
    const auto at = std::uint32_t(index.row());
    const NodeRow& node = *view_->snapshot->nodes[at];
    switch (role) {
        case UidRole:
            return qulonglong(node.uid);
        case FilterRole:
            return qstr(node.name + ' ' + shortOp(node) + ' ' + node.type + ' ' + node.module);
        case Qt::TextAlignmentRole:
            return int((index.column() == Bytes || index.column() == Users ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::AccessibleTextRole:
            if (index.column() == Name) return accessibleText(*view_, node, at);
            break;
        case Qt::ToolTipRole:
            if (index.column() == Bytes && node.bytes) return exactBytes(*node.bytes);
            if (index.column() == Source && !node.code.empty()) return qstr(node.code);
            return {};
        case SortRole:
            if (index.column() == Name) return index.row();
            if (index.column() == Bytes) return qlonglong(node.bytes.value_or(-1));
            if (index.column() == Storage) return node.storage;
            if (index.column() == Users) return view_->users[at];
            break;
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    switch (index.column()) {
        case Mark:
            return view_->mark[at] == ' ' ? QString() : QString(QLatin1Char(view_->mark[at]));
        case Name:
            return percentName(node.name);
        case Op:
            return qstr(shortOp(node));
        case Type:
            return qstr(node.type);
        case Bytes:
            return node.bytes ? bytesText(*node.bytes) : QString();
        case Storage:
            return node.storage >= 0 ? QStringLiteral("S%1").arg(node.storage) : QString();
        case Users:
            return view_->users[at];
        case Source:
            return source(node);
        default:
            return {};
    }
}

QVariant NodeTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((section == Bytes || section == Users ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Mark:
            return tr("\u00b1");
        case Name:
            return tr("Node");
        case Op:
            return tr("Operator");
        case Type:
            return tr("Type");
        case Bytes:
            return tr("Bytes");
        case Storage:
            return tr("Storage");
        case Users:
            return tr("Users");
        case Source:
            return tr("Source");
        default:
            return {};
    }
}

}  // namespace aliascope
