#pragma once
// Words of the glossary where a panel first uses them: a dotted line below, the meaning as tooltip (ui.md 0).

#include <QHeaderView>
#include <QLabel>

namespace aliascope {

/// A label; if its text is a word of the glossary, dotted and explained.
class TermLabel : public QLabel {
    Q_OBJECT

public:
    explicit TermLabel(const QString& text, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool known_ = false;
};

/// The header of a table, with words of the glossary dotted and explained.
class TermHeader : public QHeaderView {
    Q_OBJECT

public:
    explicit TermHeader(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool viewportEvent(QEvent* event) override;
};

}  // namespace aliascope
