#include "views/panels/history_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {

HistoryPanel::HistoryPanel(Session& session, QWidget* parent) : QWidget(parent), session_(session), model_(new HistoryModel(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    head_ = quietLabel(QString(), this);
    head_->setMargin(Metrics::pad());
    column->addWidget(head_);
    table_ = new QTableView(this);
    table_->setModel(model_);
    dressTable(table_, QStringLiteral("history.table"), tr("History of the node"));
    table_->setSortingEnabled(false);
    table_->setItemDelegateForColumn(HistoryModel::Others, new MonoDelegate(table_));
    constexpr std::array<qreal, HistoryModel::ColumnCount> widths = {9, 6, 7, 10};
    for (int c = 0; c < HistoryModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    column->addWidget(table_, 1);
    column->addStretch(0);
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) { session_.setStage(index.data(HistoryModel::StageRole).toInt()); });
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { session_.setStage(index.data(HistoryModel::StageRole).toInt()); });
    connect(&session_, &Session::selectionChanged, this, [this](const Selection& selection, Origin) { follow(selection); });
    follow({});
}

void HistoryPanel::follow(const Selection& selection) {
    auto nothing = [this](const QString& sentence) {
        model_->setContents({});
        head_->setText(sentence);
        table_->hide();
    };
    if (selection.node == kNoUid || !session_.isOpen()) {
        nothing(tr("Select a node: what each pass did to it stands here."));
        return;
    }
    const NodeRow* node = session_.view() ? session_.view()->node(selection.node) : nullptr;
    const QString name = node ? percentName(node->name) : tr("the node");
    session_.ask(
        QStringLiteral("history"),
        [lane = session_.data().lane, uid = selection.node](const Recording& recording, const JobContext&) { return recording.history(lane, uid); },
        [this, name, nothing](std::vector<HistoryRow> rows) {
            if (rows.empty()) {
                nothing(tr("No pass touched %1.").arg(name));
                return;
            }
            head_->setText(tr("%1: click a row to go to that stage.").arg(name));
            model_->setContents(std::move(rows));
            table_->show();
        });
}

QString HistoryPanel::command() const {
    const NodeRow* node = session_.view() ? session_.view()->node(session_.selection().node) : nullptr;
    if (!node) return {};
    return commandLine(session_, QStringLiteral("history"),
                       {QStringLiteral("--node"), qstr(node->name), QStringLiteral("--stage"), QString::number(session_.stage())});
}

bool HistoryPanel::goToTouch(bool first) {
    const HistoryRow* row = model_->at(first ? 0 : model_->rowCount() - 1);
    if (!row) return false;
    session_.setStage(row->stage);
    return true;
}

}  // namespace aliascope
