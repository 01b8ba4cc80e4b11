#include "views/panels/nodes_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "core/recording/find_nodes.h"
#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {

void NodeFilterProxy::setKept(std::vector<bool> kept) {
    kept_ = std::move(kept);
    refilter();
}

bool NodeFilterProxy::keeps(int row) const { return kept_.empty() || (std::size_t(row) < kept_.size() && kept_[std::size_t(row)]); }

NodesPanel::NodesPanel(Session& session, QWidget* parent)
    : QWidget(parent), session_(session), model_(new NodeTableModel(this)), proxy_(new NodeFilterProxy(this)) {
    proxy_->setSourceModel(model_);
    proxy_->setSortRole(NodeTableModel::SortRole);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    head->setSpacing(Metrics::gap());
    filter_ = filterField(tr("Filter nodes: words, op:clone, bytes>1M, changed"), QStringLiteral("nodes.filter"), this);
    filter_->setMaximumWidth(Metrics::em(24));
    head->addWidget(filter_, 2);
    head->addStretch(1);
    count_ = new QLabel(this);
    count_->setProperty("quiet", true);
    head->addWidget(count_);
    column->addLayout(head);
    column->addWidget(rule(this));
    table_ = new QTableView(this);
    table_->setModel(proxy_);
    dressTable(table_, QStringLiteral("nodes.table"), tr("Nodes of the stage"));
    table_->sortByColumn(NodeTableModel::Name, Qt::AscendingOrder);
    for (int mono : {NodeTableModel::Mark, NodeTableModel::Name, NodeTableModel::Op, NodeTableModel::Type})
        table_->setItemDelegateForColumn(mono, new MonoDelegate(table_));
    constexpr std::array<qreal, NodeTableModel::ColumnCount> widths = {2.5, 18, 16, 28, 7, 5, 5, 12};
    for (int c = 0; c < NodeTableModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    column->addWidget(table_, 1);

    connect(filter_, &QLineEdit::textChanged, this, &NodesPanel::search);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!following_ && now.isValid()) session_.selectNode(now.data(NodeTableModel::UidRole).toULongLong(), Origin::Nodes);
    });
    connect(&session_, &Session::stageChanged, this, &NodesPanel::showStage);
    connect(&session_, &Session::selectionChanged, this, &NodesPanel::follow);
    showStage();
}

void NodesPanel::focusFilter() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

void NodesPanel::showStage() {
    following_ = true;
    proxy_->setKept({});
    model_->setContents(session_.view());
    following_ = false;
    search();
    follow(session_.selection(), Origin::Program);
    updateCount();
}

void NodesPanel::search() {
    const StageViewPtr view = session_.view();
    const auto typed = query::typedFind(filter_->text().toStdString());
    filter_->setToolTip(typed.error ? qstr(typed.error->format()) : QString());
    const auto keep = [this](std::vector<bool> kept) {
        following_ = true;
        proxy_->setKept(std::move(kept));
        following_ = false;
        updateCount();
    };
    if (!view || filter_->text().trimmed().isEmpty()) return keep({});
    session_.ask(
        QStringLiteral("nodes.filter"),
        [view, find = typed.find, decisions = session_.data().decisions](const Recording&, const JobContext& job) {
            std::vector<bool> kept(view->snapshot->nodes.size(), false);
            FindContext context;
            context.changes = view->changes.get();
            context.storages = view->storages.get();
            context.decisions = decisions.get();
            for (const std::uint32_t at : findNodes(*view->snapshot, context, find, job.cancelToken())) kept[at] = true;
            return kept;
        },
        [this, view, keep](std::vector<bool> kept) {
            if (view == session_.view()) keep(std::move(kept));
        });
}

QString NodesPanel::command() const {
    QStringList options{QStringLiteral("--stage"), QString::number(std::max(1, session_.stage()))};
    if (const QString text = filter_->text().trimmed(); !text.isEmpty())
        options << QStringLiteral("--find") << text;
    else
        options << QStringLiteral("--as") << QStringLiteral("json");
    return commandLine(session_, QStringLiteral("show"), options);
}

void NodesPanel::updateCount() {
    const int shown = proxy_->rowCount(), all = model_->rowCount();
    count_->setText(all == 0 ? QString() : shown == all ? tr("%1 nodes").arg(grouped(all)) : tr("%1 of %2 nodes").arg(grouped(shown), grouped(all)));
}

void NodesPanel::follow(const Selection& selection, Origin origin) {
    if (origin == Origin::Nodes) return;
    following_ = true;
    const QModelIndex at = proxy_->mapFromSource(model_->indexOf(selection.node));
    if (at.isValid()) {
        table_->setCurrentIndex(at);
        table_->scrollTo(at);
    } else {
        table_->clearSelection();
        table_->setCurrentIndex({});
    }
    following_ = false;
}

}  // namespace aliascope
