#pragma once
// Digits, then Enter: to the stage of that number (ui.md 3.2). Digits that are typed into a field stay there.

#include <QObject>
#include <QString>
#include <QTimer>
#include <vector>

class QShortcut;
class QWidget;

namespace aliascope {

class StageNumber : public QObject {
    Q_OBJECT

public:
    /// Listens in the whole window of `window`.
    explicit StageNumber(QWidget* window);
    void setEnabled(bool on);

signals:
    /// `stage: 1_`; empty when the number is given up.
    void typed(const QString& shown);
    void chosen(int stage);

private:
    void add(int digit);
    void finish(bool choose);

    std::vector<QShortcut*> digits_, ends_;  ///< the latter only while there is a number: Enter means other things else
    QTimer patience_;
    int number_ = 0;
};

}  // namespace aliascope
