#pragma once
// Messages of readers and passes, for the log.

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope {

class DiagnosticModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using Rows = std::vector<DiagnosticRow>;
    enum Columns { Severity, Code, Sentence, Place, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setContents(std::shared_ptr<const Rows> rows);
    const DiagnosticRow* at(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const Rows> rows_;
};

}  // namespace aliascope
