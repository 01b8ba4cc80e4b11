#pragma once
// Paints a stage of the timeline: number, name, nodes; below them what changed, clones, bytes; a bar of changes (ui.md 2.2).

#include <QPersistentModelIndex>
#include <QStyledItemDelegate>

namespace aliascope {

class PassDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Leaves `height` pixels free under a row, of which nothing is painted; false when it was so already.
    bool setRoomBelow(const QModelIndex& index, int height);

private:
    int roomBelow(const QModelIndex& index) const;

    QPersistentModelIndex roomy_;
    int room_ = 0;
};

}  // namespace aliascope
