#pragma once
// Storages that are live at one event, or in a range of events: who made them, from when to when, why they are kept (ui.md 2.8).

#include <QAbstractTableModel>
#include <vector>

#include "views/session/memory_profile.h"

namespace aliascope {

class BlockModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Columns { Size, Storage, Node, Module, Born, Dies, Why, ColumnCount };
    enum Roles { UidRole = Qt::UserRole, BlockRole, SortRole };

    explicit BlockModel(QObject* parent = nullptr);
    /// `blocks`: indices into the profile's lifetimes.
    void setContents(MemoryProfilePtr profile, std::vector<std::size_t> blocks, memory::Accounting accounting);
    /// First row of what `uid` made; -1 when there is none.
    int rowOf(Uid uid) const;
    std::int64_t bytes() const { return bytes_; }  ///< of all rows

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const memory::Lifetime& at(int row) const { return profile_->report().lifetimes()[blocks_[std::size_t(row)]]; }
    QVariant sortValue(const memory::Lifetime& life, int column) const;
    QVariant text(const memory::Lifetime& life, int column) const;

    MemoryProfilePtr profile_;
    std::vector<std::size_t> blocks_;
    memory::Accounting accounting_ = memory::Accounting::Exact;
    std::int64_t bytes_ = 0;
};

/// Indices of the lifetimes that are live after event `seq`, or in the events [from, to).
std::vector<std::size_t> blocksLiveAt(const MemoryProfile& profile, std::int64_t seq);
std::vector<std::size_t> blocksLiveIn(const MemoryProfile& profile, std::int64_t from, std::int64_t to);

}  // namespace aliascope
