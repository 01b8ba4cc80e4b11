#include "views/panels/import_sheet.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

ImportSheet::ImportSheet(Session& session, QWidget* parent) : QWidget(parent), session_(session), model_(new UnitModel(this)) {
    setObjectName(QStringLiteral("import.sheet"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Metrics::em(3), Metrics::em(3), Metrics::em(3), Metrics::em(2));
    column->setSpacing(Metrics::gap());
    title_ = heading(QString(), this, 1.5);
    note_ = quietLabel(QString(), this);
    column->addWidget(title_);
    column->addWidget(note_);
    column->addSpacing(Metrics::gap());
    table_ = new QTableView(this);
    table_->setModel(model_);
    dressTable(table_, QStringLiteral("import.list"), tr("Graphs of the file"));
    table_->setSortingEnabled(false);
    constexpr std::array<qreal, UnitModel::ColumnCount> widths = {4, 22, 7, 12, 7, 20};
    for (int c = 0; c < UnitModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    column->addWidget(table_, 8);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(Metrics::gap());
    auto* open = textButton(tr("Open this graph"), QStringLiteral("import.open"), this);
    open->setProperty("primary", true);
    auto* cancel = textButton(tr("Back"), QStringLiteral("import.cancel"), this);
    buttons->addWidget(open);
    buttons->addWidget(cancel);
    buttons->addStretch(1);
    column->addSpacing(Metrics::gap());
    column->addLayout(buttons);
    column->addStretch(1);
    connect(open, &QPushButton::clicked, this, &ImportSheet::accept);
    connect(table_, &QTableView::activated, this, &ImportSheet::accept);
    connect(cancel, &QPushButton::clicked, this, &ImportSheet::dismissed);
}

void ImportSheet::showChoice() {
    const auto document = session_.pendingDocument();
    if (!document) return;
    model_->setData(document);
    title_->setText(tr("%1 holds %2 graphs")
                        .arg(document->path.empty() ? tr("The text") : qstr(document->path.substr(document->path.find_last_of('/') + 1)))
                        .arg(model_->rowCount()));
    note_->setText(document->diagnostics.empty()
                       ? tr("Choose the one to look at; the largest is selected.")
                       : tr("Choose the one to look at; the largest is selected. %1, the first: %2")
                             .arg(counted(qint64(document->diagnostics.size()), tr("message about the file"), tr("messages about the file")),
                                  qstr(document->diagnostics.front().sentence())));
    table_->setCurrentIndex(model_->index(model_->largest(), UnitModel::Label));
    table_->setMaximumHeight((model_->rowCount() + 1) * Metrics::row() + Metrics::gap());
    table_->setFocus();
}

void ImportSheet::accept() {
    const QModelIndex at = table_->currentIndex();
    if (at.isValid()) session_.openUnit(model_->unitAt(at.row()));
}

void ImportSheet::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), Palette::active()(Role::Panel)); }

}  // namespace aliascope
