#pragma once
// Facts of the selected node: operator, type, bytes, storage, operands, users, source (ui.md 2.1, tab Node).

#include <QScrollArea>

#include "views/session/session.h"

class QLabel;
class QPushButton;

namespace aliascope {

class FactGrid;

class NodeCard : public QScrollArea {
    Q_OBJECT

public:
    explicit NodeCard(Session& session, QWidget* parent = nullptr);

signals:
    void whyWanted();
    void copyCommandWanted();

private:
    void show(const Selection& selection);
    void showNode(const StageView& view, std::uint32_t at);
    void showDecisions(Uid uid);

    Session& session_;
    QLabel* title_;
    QLabel* operator_;
    QLabel* empty_;
    FactGrid* facts_;
    QLabel* code_;
    QPushButton* why_;
    QPushButton* copyCommand_;
};

}  // namespace aliascope
