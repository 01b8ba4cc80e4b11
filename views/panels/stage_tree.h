#pragma once
// The list of stages in the timeline: chevrons in the theme's colour, the form of a step directly under its row (ui.md 2.2).

#include <QPersistentModelIndex>
#include <QTreeView>

namespace aliascope {

class PassDelegate;

class StageTree : public QTreeView {
    Q_OBJECT

public:
    explicit StageTree(QWidget* parent = nullptr);

    /// The widget that stands under a row while it is not hidden; it becomes a part of the list.
    void setForm(QWidget* form);
    /// The row that the form belongs to; an invalid index shows it nowhere.
    void setFormRow(const QModelIndex& index);

protected:
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
    void resizeEvent(QResizeEvent* event) override;
    void updateGeometries() override;
    void scrollContentsBy(int dx, int dy) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int roomForForm() const;
    void makeRoom();
    void placeForm();

    PassDelegate* delegate_;
    QWidget* form_ = nullptr;
    QPersistentModelIndex formRow_;
};

}  // namespace aliascope
