#include "views/panels/find_all_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/models/find_model.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

constexpr int kOpenedHits = 400;  // stages stand open while all their hits are not many more than a few screens

}  // namespace

FindAllPanel::FindAllPanel(Session& session, QWidget* parent) : QWidget(parent), session_(session), model_(new FindModel(this)) {
    setObjectName(QStringLiteral("find"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    head->setSpacing(Metrics::gap());
    field_ = filterField(tr("Find in all stages: words, op:clone, storage:S3, bytes>1M, verdict:clone"), QStringLiteral("find.text"), this);
    field_->installEventFilter(this);
    head->addWidget(field_, 2);
    count_ = new ElidedLabel(this);
    count_->setObjectName(QStringLiteral("find.count"));
    count_->setProperty("quiet", true);
    head->addWidget(count_, 3);
    column->addLayout(head);
    column->addWidget(rule(this));
    tree_ = new QTreeView(this);
    tree_->setObjectName(QStringLiteral("find.tree"));
    tree_->setAccessibleName(tr("Hits by stage"));
    tree_->setModel(model_);
    tree_->setUniformRowHeights(true);
    tree_->setIndentation(Metrics::em(1));
    tree_->setItemDelegate(new MonoDelegate(tree_));
    tree_->header()->setObjectName(QStringLiteral("find.tree.header"));
    tree_->header()->setFixedHeight(Metrics::row());
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(FindModel::Type, QHeaderView::Stretch);
    tree_->setColumnWidth(FindModel::Name, Metrics::em(22));
    tree_->setColumnWidth(FindModel::Operator, Metrics::em(18));
    tree_->setColumnWidth(FindModel::Storage, Metrics::em(5));
    tree_->setColumnWidth(FindModel::Bytes, Metrics::em(7));
    column->addWidget(tree_, 1);
    connect(field_, &QLineEdit::textChanged, this, &FindAllPanel::seek);
    connect(tree_, &QTreeView::activated, this, &FindAllPanel::goTo);
    connect(tree_, &QTreeView::clicked, this, &FindAllPanel::goTo);
    connect(&session_, &Session::recordingChanged, this, [this] {
        stages_.reset();
        seek();
    });
}

void FindAllPanel::open(const QString& text) {
    if (field_->text().isEmpty()) field_->setText(text);
    field_->setFocus(Qt::ShortcutFocusReason);
    field_->selectAll();
}

QString FindAllPanel::said() const { return count_->text(); }

void FindAllPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (dirty_) seek();
}

/// Down from the field goes into the hits, Enter to the first of them.
bool FindAllPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != field_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key != Qt::Key_Down && key != Qt::Key_Return && key != Qt::Key_Enter) return QWidget::eventFilter(watched, event);
    const QModelIndex first = model_->index(0, 0, model_->index(0, 0));
    if (!first.isValid()) return true;
    tree_->setCurrentIndex(first);
    tree_->setFocus(Qt::OtherFocusReason);
    if (key != Qt::Key_Down) goTo(first);
    return true;
}

void FindAllPanel::seek() {
    const query::Typed typed = query::typedFind(field_->text().toStdString());
    mistake_ = typed.error ? tr("column %1: %2").arg(typed.error->column).arg(qstr(typed.error->sentence())) : QString();
    dirty_ = !isVisible();
    if (!session_.isOpen() || typed.find.empty() || dirty_) return adopt(nullptr);
    struct Found {
        LaneStagesPtr stages;
        std::shared_ptr<const std::vector<StageHits>> hits;
    };
    session_.jobs().start(
        tr("Searching all stages"), QStringLiteral("find.all"), JobQueue::Kind::Visible,
        [recording = session_.data().recording, lane = session_.data().lane, decisions = session_.data().decisions, known = stages_,
         find = typed.find](const JobContext& job) {
            Found found{known ? known : readLaneStages(*recording, lane, decisions, job.cancelToken(), job.progressFunction()), nullptr};
            if (found.stages && !job.cancelled())
                found.hits = std::make_shared<const std::vector<StageHits>>(findInStages(*found.stages, find, job.cancelToken()));
            return found;
        },
        [this, recording = session_.data().recording](const Found& found) {
            if (recording != session_.data().recording || !found.stages || found.stages->lane != session_.data().lane) return;
            stages_ = found.stages;
            adopt(found.hits);
        });
}

void FindAllPanel::adopt(const std::shared_ptr<const std::vector<StageHits>>& hits) {
    model_->setContents(hits);
    const auto found = std::int64_t(model_->count());
    if (hits && found <= kOpenedHits) tree_->expandAll();
    QStringList parts;
    if (hits && found == 0)
        parts << tr("nothing found in any stage");
    else if (hits)
        parts << tr("%1 in %2")
                     .arg(counted(found, tr("hit"), tr("hits")), counted(std::int64_t(hits->size()), tr("changed stage"), tr("changed stages")));
    if (!mistake_.isEmpty()) parts << mistake_;
    count_->setText(parts.join(QStringLiteral(", ")));
    count_->setAccessibleName(count_->text());
}

void FindAllPanel::goTo(const QModelIndex& index) {
    if (index.isValid()) session_.goTo(session_.data().lane, index.data(FindModel::StageRole).toInt(), index.data(FindModel::UidRole).toULongLong());
}

QString FindAllPanel::command() const {
    const QModelIndex now = tree_->currentIndex();
    const int stage = now.isValid() ? now.data(FindModel::StageRole).toInt() : std::max(1, session_.stage());
    QStringList options{QStringLiteral("--stage"), QString::number(stage)};
    if (const QString text = field_->text().trimmed(); !text.isEmpty()) options << QStringLiteral("--find") << text;
    return commandLine(session_, QStringLiteral("show"), options);
}

}  // namespace aliascope
