#include "views/models/unit_model.h"

#include <algorithm>
#include <map>

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

/// `compile 0/0`, `rank 1, compile 0/0, run 2`, `model 0`; empty when the file names no compilation.
QString compilationName(const UnitGroup& group) {
    QStringList parts;
    if (group.rank) parts << UnitModel::tr("rank %1").arg(*group.rank);
    if (!group.compileId.empty()) parts << UnitModel::tr("compile %1").arg(qstr(group.compileId));
    if (group.compileId.empty() && group.aotId) parts << UnitModel::tr("model %1").arg(*group.aotId);
    if (group.compileId.empty() && !group.aotId) return {};
    if (group.run > 0) parts << UnitModel::tr("run %1").arg(group.run + 1);
    return parts.join(QStringLiteral(", "));
}

bool isAside(const Unit& unit) { return unit.abandoned || unit.stage == "kernel"; }

QString phaseName(const Unit& unit) {
    if (unit.abandoned) return UnitModel::tr("earlier attempts");
    if (unit.stage == "kernel") return UnitModel::tr("kernels");
    return unit.graph.phase == Phase::Unknown ? UnitModel::tr("other graphs") : qstr(std::string(toString(unit.graph.phase)));
}

/// Compilations in the order in which the sheet shows them: the last one of the file first.
std::vector<QString> latestFirst(const Document& document, const std::vector<std::size_t>& units) {
    std::map<QString, std::uint64_t> last;
    for (const std::size_t i : units) {
        const QString name = compilationName(document.units[i].group);
        if (!name.isEmpty()) last[name] = std::max(last[name], document.units[i].spanEnd);
    }
    std::vector<QString> names;
    for (const auto& [name, at] : last) names.push_back(name);
    std::stable_sort(names.begin(), names.end(), [&](const QString& a, const QString& b) { return last[a] > last[b]; });
    return names;
}

}  // namespace

int UnitModel::add(int parent, QString heading, std::optional<std::size_t> unit) {
    std::vector<int>& siblings = parent < 0 ? roots_ : items_[std::size_t(parent)].children;
    const int id = int(items_.size());
    const int row = int(siblings.size());
    siblings.push_back(id);
    items_.push_back({parent, row, std::move(heading), unit, {}});
    return id;
}

int UnitModel::childNamed(int parent, const QString& heading) {
    for (int child : items_[std::size_t(parent)].children)
        if (items_[std::size_t(child)].heading == heading) return child;
    return add(parent, heading, std::nullopt);
}

void UnitModel::setContents(std::shared_ptr<const Document> document) {
    beginResetModel();
    document_ = std::move(document);
    items_.clear();
    roots_.clear();
    const std::vector<std::size_t> units = document_ ? openableUnits(*document_) : std::vector<std::size_t>();
    std::map<QString, int> groups;
    for (const QString& name : document_ ? latestFirst(*document_, units) : std::vector<QString>()) groups[name] = add(-1, name, std::nullopt);
    for (const bool aside : {false, true})  // kernels and earlier attempts stand behind the stages
        for (const std::size_t i : units) {
            const Unit& unit = document_->units[i];
            const auto group = groups.find(compilationName(unit.group));
            if (isAside(unit) != aside) continue;
            add(group == groups.end() ? -1 : childNamed(group->second, phaseName(unit)), {}, i);
        }
    endResetModel();
}

const UnitModel::Item& UnitModel::itemOf(const QModelIndex& index) const { return items_[std::size_t(index.internalId())]; }

const std::vector<int>& UnitModel::childrenOf(const QModelIndex& parent) const { return parent.isValid() ? itemOf(parent).children : roots_; }

std::optional<std::size_t> UnitModel::unitAt(const QModelIndex& index) const { return index.isValid() ? itemOf(index).unit : std::nullopt; }

QModelIndex UnitModel::indexOf(int item) const { return createIndex(items_[std::size_t(item)].row, Label, quintptr(item)); }

QModelIndex UnitModel::largest() const {
    int best = -1, bestRoot = -1;
    for (int i = 0; i < int(items_.size()); ++i) {
        if (!items_[std::size_t(i)].unit) continue;
        int root = i;
        while (items_[std::size_t(root)].parent >= 0) root = items_[std::size_t(root)].parent;
        if (items_[std::size_t(root)].unit) root = -1;  // a list without compilations is one
        const auto nodes = [&](int item) { return document_->units[*items_[std::size_t(item)].unit].statedNodes; };
        const bool earlier = best >= 0 && root >= 0 && items_[std::size_t(root)].row < items_[std::size_t(std::max(bestRoot, 0))].row;
        if (best < 0 || earlier || (root == bestRoot && nodes(i) > nodes(best))) {
            best = i;
            bestRoot = root;
        }
    }
    return best < 0 ? QModelIndex() : indexOf(best);
}

int UnitModel::graphs() const {
    return int(std::count_if(items_.begin(), items_.end(), [](const Item& item) { return item.unit.has_value(); }));
}

QModelIndex UnitModel::index(int row, int column, const QModelIndex& parent) const {
    if (column < 0 || column >= ColumnCount || row < 0 || row >= int(childrenOf(parent).size())) return {};
    return createIndex(row, column, quintptr(childrenOf(parent)[std::size_t(row)]));
}

QModelIndex UnitModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || itemOf(index).parent < 0) return {};
    return indexOf(itemOf(index).parent);
}

int UnitModel::rowCount(const QModelIndex& parent) const { return parent.column() > 0 ? 0 : int(childrenOf(parent).size()); }

int UnitModel::columnCount(const QModelIndex&) const { return int(ColumnCount); }

QVariant UnitModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Nodes || index.column() == Line || index.column() == Number ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    const Item& item = itemOf(index);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    if (item.unit) return unitData(document_->units[*item.unit], index.column());
    if (index.column() == Label) return item.heading;
    if (index.column() == Notes) return counted(graphsBelow(item), tr("graph"), tr("graphs"));
    return {};
}

qint64 UnitModel::graphsBelow(const Item& item) const {
    qint64 n = item.unit ? 1 : 0;
    for (int child : item.children) n += graphsBelow(items_[std::size_t(child)]);
    return n;
}

QVariant UnitModel::unitData(const Unit& unit, int column) const {
    switch (column) {
        case Label:
            return qstr(unit.label);
        case Number:
            return qstr(unit.id);
        case Nodes:
            return grouped(unit.statedNodes);
        case Form:
            return formName(unit.form);
        case Line:
            return grouped(unit.firstLine);
        case Notes: {
            QStringList notes;
            if (!unit.member.empty()) notes << qstr(unit.member);
            for (const std::string& note : unit.notes) notes << qstr(note).simplified();
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
        case Label:
            return tr("Graph");
        case Number:
            return tr("No.");
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
