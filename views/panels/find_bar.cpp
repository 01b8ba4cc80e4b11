#include "views/panels/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <algorithm>

#include "core/recording/find_nodes.h"
#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {

FindBar::FindBar(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("stage.find"));
    setAccessibleName(tr("Find in this stage"));
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.3), Metrics::pad(), Metrics::em(0.3));
    row->setSpacing(Metrics::gap());
    field_ = filterField(tr("Find: words, op:clone, storage:S3, bytes>1M, changed, -view \u2026"), QStringLiteral("stage.find.text"), this);
    field_->installEventFilter(this);
    row->addWidget(field_, 3);
    count_ = new ElidedLabel(this);
    count_->setObjectName(QStringLiteral("stage.find.count"));
    row->addWidget(count_, 2);
    QToolButton* up = iconButton(QStringLiteral("up"), tr("Previous hit (Shift+F3)"), QStringLiteral("stage.find.previous"), this);
    QToolButton* down = iconButton(QStringLiteral("down"), tr("Next hit (F3)"), QStringLiteral("stage.find.next"), this);
    QToolButton* close = iconButton(QStringLiteral("close"), tr("Close (Esc)"), QStringLiteral("stage.find.close"), this);
    for (QToolButton* button : {up, down, close}) row->addWidget(button);
    connect(up, &QToolButton::clicked, this, [this] { step(-1); });
    connect(down, &QToolButton::clicked, this, [this] { step(1); });
    connect(close, &QToolButton::clicked, this, &FindBar::left);
    connect(field_, &QLineEdit::textChanged, this, &FindBar::seek);
    connect(&session_, &Session::stageChanged, this, &FindBar::seek);
    connect(&session_, &Session::selectionChanged, this, &FindBar::say);
    hide();
}

void FindBar::open() {
    show();
    field_->setFocus(Qt::ShortcutFocusReason);
    field_->selectAll();
}

void FindBar::setText(const QString& text) { field_->setText(text); }
QString FindBar::text() const { return field_->text(); }
QString FindBar::said() const { return count_->text(); }

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched != field_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        const int direction = key->modifiers() & Qt::ShiftModifier ? -1 : 1;
        // Enter may come faster than the answer.
        if (seen_ == session_.view())
            step(direction);
        else
            stepWhenFound_ = true;
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void FindBar::seek() {
    const StageViewPtr view = session_.view();
    const query::Typed typed = query::typedFind(field_->text().toStdString());
    mistake_ = typed.error ? tr("column %1: %2").arg(typed.error->column).arg(qstr(typed.error->sentence())) : QString();
    if (!view || typed.find.empty()) {
        hits_.reset();
        seen_ = view;
        say();
        emit hitsChanged();
        return;
    }
    seen_.reset();
    session_.ask(
        QStringLiteral("find"),
        [view, find = typed.find, decisions = session_.data().decisions](const Recording&, const JobContext& job) -> FindHits {
            const FindContext context{view->changes.get(), view->storages.get(), decisions.get(), nullptr};
            return std::make_shared<const std::vector<std::uint32_t>>(findNodes(*view->snapshot, context, find, job.cancelToken()));
        },
        [this, view](const FindHits& hits) {
            if (view != session_.view()) return;
            hits_ = hits;
            seen_ = view;
            emit hitsChanged();
            if (stepWhenFound_) step(1);
            stepWhenFound_ = false;
            say();
        });
}

void FindBar::say() {
    if (!hits_) {
        count_->setText(mistake_);
        count_->setAccessibleName(mistake_);
        return;
    }
    const StageViewPtr& view = session_.view();
    const auto here = view ? view->indexOf(session_.selection().node) : std::nullopt;
    std::size_t at = 0;
    std::size_t inGroups = 0, hidden = 0;
    if (view && seen_ == view) {
        for (std::size_t i = 0; i < hits_->size(); ++i) {
            const std::uint32_t node = (*hits_)[i];
            if (here && node == *here) at = i + 1;
            if (view->hidden[node])
                ++hidden;
            else if (const std::int32_t card = view->drawing->cardOfNode[node]; card >= 0 && view->drawing->cards[std::size_t(card)].group >= 0)
                ++inGroups;
        }
    }
    QStringList parts;
    if (hits_->empty())
        parts << tr("nothing found");
    else if (at > 0)
        parts << tr("%1 of %2").arg(at).arg(grouped(std::int64_t(hits_->size())));
    else
        parts << counted(std::int64_t(hits_->size()), tr("hit"), tr("hits"));
    if (inGroups > 0) parts << tr("%1 inside closed groups").arg(grouped(std::int64_t(inGroups)));
    if (hidden > 0) parts << tr("%1 hidden by filters").arg(grouped(std::int64_t(hidden)));
    if (!mistake_.isEmpty()) parts << mistake_;
    count_->setText(parts.join(QStringLiteral(", ")));
    count_->setAccessibleName(count_->text());
}

bool FindBar::step(int direction) {
    const StageViewPtr& view = session_.view();
    if (!hits_ || hits_->empty() || !view || seen_ != view) return false;
    const auto here = view->indexOf(session_.selection().node);
    std::uint32_t next = direction > 0 ? hits_->front() : hits_->back();  // round the end
    if (here) {
        if (direction > 0) {
            const auto after = std::upper_bound(hits_->begin(), hits_->end(), *here);
            if (after != hits_->end()) next = *after;
        } else {
            const auto before = std::lower_bound(hits_->begin(), hits_->end(), *here);
            if (before != hits_->begin()) next = *(before - 1);
        }
    }
    const Uid uid = view->snapshot->nodes[next]->uid;
    openGroupsOf(next);
    session_.selectNode(uid, Origin::Command);
    say();
    return true;
}

/// Every closed group from the outermost in: the node gets a card of its own.
void FindBar::openGroupsOf(std::uint32_t node) {
    const StageView& view = *session_.view();
    if (view.closedGroupOf(node).empty()) return;
    DrawingOptions options = session_.drawing();
    const auto& groups = view.drawingInput->groups;
    // An input without a group of its own stands in that of its only user.
    const std::int32_t shown = view.drawing->cards[std::size_t(view.drawing->cardOfNode[node])].group;
    for (auto g = view.groupOf[node] == ~0u ? shown : std::int32_t(view.groupOf[node]); g >= 0; g = groups[std::size_t(g)].parent) {
        const LayoutGroup& group = groups[std::size_t(g)];
        if (!group.collapsed) continue;
        if (!options.toggled.erase(group.title)) options.toggled.insert(group.title);
    }
    session_.setDrawing(options);
}

QString FindBar::command() const {
    if (text().trimmed().isEmpty()) return {};
    return commandLine(session_, QStringLiteral("show"),
                       {QStringLiteral("--stage"), QString::number(session_.stage()), QStringLiteral("--find"), text()});
}

}  // namespace aliascope
