#include "views/models/run_history_model.h"

#include "views/models/format.h"

namespace aliascope {
namespace {

bool rightAligned(int column) { return column == RunHistoryModel::Run || column == RunHistoryModel::Peak || column == RunHistoryModel::Time; }

QString stateWord(const std::string& state) {
    if (state == "complete") return QObject::tr("done");
    return qstr(state);
}

QString inputsWord(const RunRow& run) {
    if (run.inputs == "random" || run.inputs.empty()) return run.seed ? QObject::tr("random, seed %1").arg(*run.seed) : QObject::tr("random");
    return qstr(run.inputs.substr(run.inputs.find_last_of('/') + 1));
}

}  // namespace

RunHistoryModel::RunHistoryModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunHistoryModel::setContents(std::vector<RunHistoryRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

int RunHistoryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }

int RunHistoryModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QString RunHistoryModel::text(const RunHistoryRow& row, int column) const {
    const bool message = !row.message.isEmpty();
    if (message && column == Stage) return QStringLiteral("%1: %2").arg(row.severity, row.message);  // shown over the whole row
    if (message && column != State && column != Message) return {};
    switch (column) {
        case Run:
            return QString::number(row.run.id);
        case Stage:
            return QStringLiteral("%1 %2").arg(row.run.stage).arg(qstr(row.run.stageName));
        case Device:
            return qstr(row.run.device == row.run.backend ? row.run.device : row.run.device + ", " + row.run.backend);
        case Inputs:
            return inputsWord(row.run);
        case State:
            if (message) return row.severity;
            return stateWord(row.run.state) + (row.run.synthetic ? tr(", stand-ins") : QString());
        case Verdict:
            return row.verdict;
        case Peak:
            return row.run.peakExact ? bytesText(*row.run.peakExact) : QString();
        case Time:
            return row.run.wallNs ? durationText(*row.run.wallNs) : QString();
        case Message:
            return row.message;
        default:
            return {};
    }
}

QVariant RunHistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const RunHistoryRow& row = rows_[std::size_t(index.row())];
    switch (role) {
        case RunRole:
            return qlonglong(row.run.id);
        case StageRole:
            return row.run.stage;
        case UidRole:
            return qulonglong(row.node);
        case MessageRole:
            return !row.message.isEmpty();
        case Qt::TextAlignmentRole:
            return int((rightAligned(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            if (index.column() == Peak && row.run.peakExact) return exactBytes(*row.run.peakExact);
            if (index.column() == Run) return qstr(row.run.created);
            if (index.column() == Inputs) return qstr(row.run.inputs);
            return row.message.isEmpty() ? text(row, index.column()) : QStringLiteral("%1: %2").arg(row.code, row.message);
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
            return text(row, index.column());
        default:
            return {};
    }
}

QVariant RunHistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((rightAligned(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Run:
            return tr("Run");
        case Stage:
            return tr("Stage");
        case Device:
            return tr("Device");
        case Inputs:
            return tr("Inputs");
        case State:
            return tr("State");
        case Verdict:
            return tr("Against the first");
        case Peak:
            return tr("Peak");
        case Time:
            return tr("Time");
        case Message:
            return tr("What was said");
        default:
            return {};
    }
}

}  // namespace aliascope
