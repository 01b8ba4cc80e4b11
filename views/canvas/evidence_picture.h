#pragma once
// The picture of a Why card: base, argument, write and what stands in the way, one below the other in program order, and the bytes that are meant on
// a bar of the storage. The facts of the card and text() are its twins (ui.md 2.6).

#include <QWidget>

#include "views/session/evidence.h"

namespace aliascope {

class EvidencePicture : public QWidget {
    Q_OBJECT

public:
    explicit EvidencePicture(QWidget* parent = nullptr);
    void setEvidence(EvidencePtr evidence);
    const EvidencePtr& evidence() const { return evidence_; }
    /// The same in words, one line a step.
    QString text() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Where a step is drawn; for tests and clicks.
    QRect stepRect(std::size_t step) const;

signals:
    void nodeChosen(qulonglong uid);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    bool hasBar() const;
    int barTop() const;
    void paintStep(QPainter& painter, std::size_t step) const;
    void paintLink(QPainter& painter, std::size_t step) const;
    void paintBar(QPainter& painter) const;
    void paintRange(QPainter& painter, const QRect& area, std::int64_t from, std::int64_t to, const QColor& colour, Qt::BrushStyle style) const;

    EvidencePtr evidence_;
};

}  // namespace aliascope
