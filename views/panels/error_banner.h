#pragma once
// What went wrong, where, what to do: a strip at the top of the view, never a dialog (ui.md 3.4).

#include <QWidget>

#include "views/session/error_report.h"

class QLabel;
class QToolButton;
class QPushButton;

namespace aliascope {

class ErrorBanner : public QWidget {
    Q_OBJECT

public:
    explicit ErrorBanner(QWidget* parent = nullptr);
    void showReport(const ErrorReport& report);
    const ErrorReport& report() const { return report_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString plainText() const;

    ErrorReport report_;
    QLabel *icon_, *what_, *where_, *todo_, *excerpt_;
    QPushButton* copy_;
    QToolButton* close_;
};

}  // namespace aliascope
