#include "views/panels/log_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

LogPanel::LogPanel(Session& session, QWidget* parent) : QWidget(parent), session_(session), model_(new DiagnosticModel(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    table_ = new QTableView(this);
    table_->setModel(model_);
    dressTable(table_, QStringLiteral("log.table"), tr("Messages"));
    table_->setSortingEnabled(false);
    constexpr std::array<qreal, DiagnosticModel::ColumnCount> widths = {6, 12, 50, 16};
    for (int c = 0; c < DiagnosticModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    column->addWidget(table_, 1);
    empty_ = quietLabel(QString(), this);
    empty_->setAlignment(Qt::AlignCenter);
    column->addWidget(empty_, 1);
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        const DiagnosticRow* row = model_->at(index.row());
        if (row && row->uid) session_.selectNode(*row->uid, Origin::Program);
    });
    connect(&session_, &Session::recordingChanged, this, &LogPanel::show);
    show();
}

void LogPanel::show() {
    model_->setContents(session_.data().diagnostics);
    const bool any = model_->rowCount() > 0;
    table_->setVisible(any);
    empty_->setVisible(!any);
    empty_->setText(session_.isOpen() ? tr("The file was read and every pass ran without a message.")
                                      : tr("Messages of readers and passes stand here."));
}

}  // namespace aliascope
