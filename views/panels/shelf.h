#pragma once
// Inputs above the graph and what is returned below it, as names to click: they stay in sight wherever the drawing is scrolled to (ui.md 2.3).

#include <QWidget>

#include "views/session/session.h"

class QLabel;

namespace aliascope {

class Shelf : public QWidget {
    Q_OBJECT

public:
    enum class Kind : std::uint8_t { Inputs, Outputs };
    Shelf(Session& session, Kind kind, QWidget* parent = nullptr);
    /// The names, in order, as many as fit, and how many there are.
    QString said() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void fill();

    Session& session_;
    Kind kind_;
    QLabel* label_ = nullptr;
    std::vector<Uid> shown_;  ///< everything that could stand here
};

}  // namespace aliascope
