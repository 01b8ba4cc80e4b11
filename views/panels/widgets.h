#pragma once
// Small parts that panels are put together from.

#include <QAbstractItemView>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>

#include "views/models/format.h"
#include "views/session/session.h"

class QComboBox;
class QGridLayout;
class QVBoxLayout;

namespace aliascope {

/// A horizontal line of 1 px.
QFrame* rule(QWidget* parent);
/// Quiet text; wraps.
QLabel* quietLabel(const QString& text, QWidget* parent);
/// One line that takes what room there is and ends in an ellipsis; text() stays whole.
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};
/// A heading inside a panel: bold, ink.
QLabel* heading(const QString& text, QWidget* parent, qreal scale = 1.0);
QToolButton* iconButton(const QString& icon, const QString& text, const QString& objectName, QWidget* parent);
QPushButton* textButton(const QString& text, const QString& objectName, QWidget* parent);
/// A box to choose from; its list is named too.
QComboBox* choiceBox(const QString& accessibleName, const QString& objectName, QWidget* parent);
/// A field with a magnifier and a clear button; `objectName` and the accessible name are set.
QLineEdit* filterField(const QString& placeholder, const QString& objectName, QWidget* parent);
/// Rows of Metrics::row(), no grid, whole rows selected, sortable.
void dressTable(QTableView* table, const QString& objectName, const QString& accessibleName);

/// Links in rich text: `node:<uid>`, `storage:<n>`, `stage:<n>`, `decision:<id>`.
QString nodeLink(Uid uid, const std::string& name);
QString storageLink(int storage);
QString stageLink(int stage, const QString& text);
/// Does what a link says; false when it is none of ours.
bool followLink(Session& session, const QString& link, Origin origin);

/// Two columns: quiet keys, values that wrap, may hold links and can be copied.
class FactGrid : public QWidget {
    Q_OBJECT

public:
    explicit FactGrid(QWidget* parent = nullptr);
    void clear();
    /// `value` is rich text; escape what comes from files. Values of `mono` rows use the fixed font.
    void add(const QString& key, const QString& value, bool mono = false, const QString& tooltip = {});
    bool isEmpty() const { return row_ == 0; }

signals:
    void linkActivated(const QString& link);

private:
    QGridLayout* grid_;
    int row_ = 0;
};

/// A square in the verdict's colour with its glyph; the word stands beside it, in ink.
void paintVerdictGlyph(QPainter& painter, const QRect& square, VerdictKind kind);

class VerdictLabel : public QWidget {
    Q_OBJECT

public:
    explicit VerdictLabel(QWidget* parent = nullptr);
    void setKind(VerdictKind kind);
    VerdictKind kind() const { return kind_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    VerdictKind kind_ = VerdictKind::Unknown;
};

/// Paints the glyph before the word of a verdict column.
class VerdictDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Paints cells in the fixed font, elided in the middle.
class MonoDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace aliascope
