#include "views/models/key_model.h"

#include <QObject>
#include <algorithm>

#include "views/panels/command_table.h"

namespace aliascope {
namespace {

QStringList wordsOf(const QString& keys) { return keys.split(QLatin1Char(' '), Qt::SkipEmptyParts); }

QString plainText(const Command& command) { return QObject::tr(command.text).remove(QLatin1Char('&')).remove(QLatin1String("...")); }

}  // namespace

void KeyModel::setChanges(const Changes& changes) {
    beginResetModel();
    changes_ = changes;
    endResetModel();
    emit keysChanged();
}

void KeyModel::reset() { setChanges({}); }

QString KeyModel::textOf(int row) const {
    const Command& command = commandTable()[std::size_t(row)];
    return changes_.value(QString::fromLatin1(command.id), QString::fromLatin1(command.keys));
}

QList<QKeySequence> KeyModel::keysOf(const QString& id) const {
    const auto& table = commandTable();
    const auto at = std::find_if(table.begin(), table.end(), [&](const Command& command) { return id == QLatin1String(command.id); });
    QList<QKeySequence> out;
    if (at != table.end())
        for (const QString& key : wordsOf(textOf(int(at - table.begin())))) out << QKeySequence(key);
    return out;
}

int KeyModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(commandTable().size()); }

int KeyModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(ColumnCount); }

QVariant KeyModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Command& command = commandTable()[std::size_t(index.row())];
    if (role == Qt::ToolTipRole && index.column() == Keys) return tr("As it was: %1").arg(QString::fromLatin1(*command.keys ? command.keys : "none"));
    if (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::AccessibleTextRole) return {};
    return index.column() == Name ? QStringLiteral("%1: %2").arg(QString::fromLatin1(command.menu).remove(QLatin1Char('|')), plainText(command))
                                  : textOf(index.row());
}

bool KeyModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || index.column() != Keys) return false;
    QStringList keys;
    for (const QString& word : wordsOf(value.toString())) {
        const QKeySequence key(word);
        if (key.isEmpty() || key.count() != 1 || key[0].key() == Qt::Key_unknown) {
            emit refused(tr("%1 is no key. Expected: Ctrl+E, Shift+F5, or N; several with a blank between.").arg(word));
            return false;
        }
        for (int row = 0; row < rowCount(); ++row) {
            if (row == index.row() || !keysOf(QString::fromLatin1(commandTable()[std::size_t(row)].id)).contains(key)) continue;
            emit refused(tr("%1 means \"%2\" already: give that another key first.").arg(word, plainText(commandTable()[std::size_t(row)])));
            return false;
        }
        keys << key.toString(QKeySequence::PortableText);
    }
    const Command& command = commandTable()[std::size_t(index.row())];
    const QString id = QString::fromLatin1(command.id), text = keys.join(QLatin1Char(' '));
    if (text == QLatin1String(command.keys))
        changes_.remove(id);
    else
        changes_.insert(id, text);
    emit dataChanged(index, index);
    emit keysChanged();
    return true;
}

Qt::ItemFlags KeyModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == Keys ? flags | Qt::ItemIsEditable : flags;
}

QVariant KeyModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == Name ? tr("Command") : tr("Keys");
}

}  // namespace aliascope
