#include "views/panels/error_banner.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/canvas/palette.h"
#include "views/panels/theme.h"
#include "views/panels/widgets.h"

namespace aliascope {

ErrorBanner::ErrorBanner(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("error.banner"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::pad() + Metrics::gap(), Metrics::pad(), Metrics::pad(), Metrics::pad());
    row->setSpacing(Metrics::pad());
    icon_ = new QLabel(this);
    row->addWidget(icon_, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(Metrics::tight());
    what_ = heading(QString(), this);
    what_->setObjectName(QStringLiteral("error.what"));
    what_->setWordWrap(true);
    what_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    what_->setFocusPolicy(Qt::NoFocus);
    where_ = quietLabel(QString(), this);
    where_->setObjectName(QStringLiteral("error.where"));
    excerpt_ = new QLabel(this);
    excerpt_->setObjectName(QStringLiteral("error.excerpt"));
    excerpt_->setTextFormat(Qt::PlainText);
    excerpt_->setFont(Metrics::monoFont(0.95));
    excerpt_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    excerpt_->setFocusPolicy(Qt::NoFocus);
    excerpt_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    todo_ = new QLabel(this);
    todo_->setObjectName(QStringLiteral("error.todo"));
    todo_->setWordWrap(true);
    column->addWidget(what_);
    column->addWidget(where_);
    column->addWidget(excerpt_);
    column->addWidget(todo_);
    row->addLayout(column, 1);
    copy_ = textButton(tr("Copy"), QStringLiteral("error.copy"), this);
    row->addWidget(copy_, 0, Qt::AlignTop);
    close_ = iconButton(QStringLiteral("close"), tr("Close this message"), QStringLiteral("error.close"), this);
    row->addWidget(close_, 0, Qt::AlignTop);
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(plainText()); });
    connect(close_, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void ErrorBanner::showReport(const ErrorReport& report) {
    report_ = report;
    const int side = Metrics::em(1.5);
    icon_->setPixmap(
        themedIcon(report.internal ? QStringLiteral("fault") : QStringLiteral("warning"), Role::Ink).pixmap(QSize(side, side), devicePixelRatioF()));
    what_->setText(report.what);
    where_->setText(report.code.isEmpty()    ? report.where
                    : report.where.isEmpty() ? report.code
                                             : QStringLiteral("%1  \u00b7  %2").arg(report.where, report.code));
    where_->setVisible(!where_->text().isEmpty());
    excerpt_->setText(report.excerpt);
    excerpt_->setVisible(!report.excerpt.isEmpty());
    todo_->setText(report.internal && report.todo.isEmpty()
                       ? tr("This is a fault of the program; please report it with the text that Copy gives. The session stays open.")
                       : report.todo);
    todo_->setVisible(!todo_->text().isEmpty());
    setAccessibleName(tr("Error: %1").arg(report.what));
    show();
}

QString ErrorBanner::plainText() const {
    QStringList lines{report_.what};
    for (const QString& part : {where_->text(), report_.excerpt, todo_->text()})
        if (!part.isEmpty()) lines << part;
    return lines.join(QLatin1Char('\n'));
}

void ErrorBanner::paintEvent(QPaintEvent*) {
    const Palette& p = Palette::active();
    QPainter painter(this);
    const Role role = report_.internal ? Role::Wrong : Role::Avoidable;
    painter.fillRect(rect(), p.mix(Role::Panel, role, 0.12));
    painter.fillRect(0, 0, Metrics::em(0.3), height(), p(role));
    painter.fillRect(0, height() - p.line(), width(), p.line(), p(Role::Line));
}

}  // namespace aliascope
