#pragma once
// Which bytes of a storage each of its values covers: one bar per value over one axis (ui.md 2.5). The table above it is its twin.

#include <QWidget>
#include <vector>

#include "views/session/alias_rows.h"

namespace aliascope {

class ByteMapCanvas : public QWidget {
    Q_OBJECT

public:
    explicit ByteMapCanvas(QWidget* parent = nullptr);
    void setRows(AliasRowsPtr rows);
    void setSelection(Uid uid);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void selected(aliascope::Uid uid);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    int rowHeight() const;
    int labelWidth() const;
    QRect bar(std::size_t row) const;
    int rowAt(int y) const;
    void paintAxis(QPainter& painter) const;
    void paintRow(QPainter& painter, std::size_t row) const;

    AliasRowsPtr rows_;
    std::vector<const AliasMember*> shown_;  ///< with a known place; writes are drawn on the value that they write
    std::int64_t extent_ = 0;
    Uid selected_ = kNoUid;
};

}  // namespace aliascope
