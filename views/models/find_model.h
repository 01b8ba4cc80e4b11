#pragma once
// Hits of a search in all stages: stages, and below each its nodes.

#include <QAbstractItemModel>
#include <memory>

#include "views/session/find_all.h"

namespace aliascope {

class FindModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Columns { Name, Operator, Type, Storage, Bytes, ColumnCount };
    enum Roles { StageRole = Qt::UserRole, UidRole };  ///< of a stage the node is kNoUid

    using QAbstractItemModel::QAbstractItemModel;
    void setContents(std::shared_ptr<const std::vector<StageHits>> hits);
    std::size_t count() const;  ///< of nodes, all stages together

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const StageHits& stageOf(const QModelIndex& index) const;

    std::shared_ptr<const std::vector<StageHits>> hits_;
};

}  // namespace aliascope
