#include "views/panels/filter_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include "views/canvas/metrics.h"
#include "views/panels/theme.h"
#include "views/panels/widgets.h"
#include "views/session/drawing_filter.h"

namespace aliascope {

void changeFilter(Session& session, const std::function<void(DrawingFilter&)>& change) {
    DrawingOptions options = session.drawing();
    change(options.filter);
    session.setDrawing(options);
}

FilterMenu::FilterMenu(Session& session, QToolButton* button) : QObject(button), session_(session), menu_(new QMenu(button)) {
    menu_->setObjectName(QStringLiteral("stage.filter.menu"));
    menu_->setAccessibleName(tr("Filters of the graph"));
    button->setMenu(menu_);
    button->setPopupMode(QToolButton::InstantPopup);
    connect(menu_, &QMenu::aboutToShow, this, &FilterMenu::fill);
}

QAction* FilterMenu::add(const QString& name, const QString& text, bool checked, std::function<void(DrawingFilter&)> change) {
    QAction* action = menu_->addAction(text);
    action->setObjectName(QStringLiteral("stage.filter.") + name);
    action->setCheckable(true);
    action->setChecked(checked);
    connect(action, &QAction::triggered, this, [this, change = std::move(change)] { changeFilter(session_, change); });
    return action;
}

void FilterMenu::fill() {
    menu_->clear();
    const DrawingFilter& filter = session_.drawing().filter;
    const StageViewPtr& view = session_.view();
    const NodeRow* node = view ? view->node(session_.selection().node) : nullptr;
    add(QStringLiteral("changed"), tr("Only what changed, and its neighbours"), filter.changedOnly,
        [](DrawingFilter& f) { f.changedOnly = !f.changedOnly; });
    for (int width : {0, 1, 2, 4}) {
        QAction* steps = add(QStringLiteral("changed.%1").arg(width), tr("    \u00b1 %1 steps").arg(width),
                             filter.changedOnly && filter.changedWidth == width, [width](DrawingFilter& f) {
                                 f.changedOnly = true;
                                 f.changedWidth = width;
                             });
        steps->setVisible(filter.changedOnly);
    }
    const int storage = session_.selection().storage;
    add(QStringLiteral("storage"), storage >= 0 ? tr("Only storage S%1 and who uses it").arg(storage) : tr("Only the selected storage"),
        filter.storage >= 0, [storage](DrawingFilter& f) { f.storage = f.storage >= 0 ? -1 : storage; })
        ->setEnabled(storage >= 0 || filter.storage >= 0);
    const std::string module = node ? node->module : std::string();
    add(QStringLiteral("module"), module.empty() ? tr("Only the selected module") : tr("Only module %1").arg(qstr(module)), !filter.module.empty(),
        [module](DrawingFilter& f) { f.module = f.module.empty() ? module : std::string(); })
        ->setEnabled(!module.empty() || !filter.module.empty());
    menu_->addSeparator();
    add(QStringLiteral("inputs"), tr("Hide inputs"), filter.hideInputs, [](DrawingFilter& f) { f.hideInputs = !f.hideInputs; });
    add(QStringLiteral("shapes"), tr("Hide shape arithmetic"), filter.hideShapes, [](DrawingFilter& f) { f.hideShapes = !f.hideShapes; });
    add(QStringLiteral("results"), tr("Fold getitem into what it takes from"), filter.foldResults,
        [](DrawingFilter& f) { f.foldResults = !f.foldResults; });
    menu_->addSeparator();
    QAction* all = menu_->addAction(tr("Show everything"));
    all->setObjectName(QStringLiteral("stage.filter.none"));
    all->setEnabled(filter.narrows());
    connect(all, &QAction::triggered, this, [this] { changeFilter(session_, [](DrawingFilter& f) { f = {}; }); });
}

FilterBar::FilterBar(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("stage.filters"));
    setAccessibleName(tr("Active filters"));
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.2), Metrics::pad(), Metrics::em(0.2));
    row->setSpacing(Metrics::gap());
    chips_ = new QHBoxLayout;
    chips_->setSpacing(Metrics::gap());
    row->addLayout(chips_);
    hidden_ = new ElidedLabel(this);
    hidden_->setObjectName(QStringLiteral("stage.filters.hidden"));
    row->addWidget(hidden_, 1);
    showAnyway_ = iconButton(QStringLiteral("graph"), tr("Show it anyway"), QStringLiteral("stage.filters.showAnyway"), this);
    showAnyway_->setText(tr("Show it anyway"));
    showAnyway_->setToolButtonStyle(Qt::ToolButtonTextOnly);
    row->addWidget(showAnyway_);
    connect(showAnyway_, &QToolButton::clicked, this, [this] {
        const Uid uid = session_.selection().node;
        changeFilter(session_, [uid](DrawingFilter& f) {
            f.hidden.erase(uid);
            f.shown.insert(uid);
        });
    });
    connect(&session_, &Session::stageChanged, this, &FilterBar::refresh);
    connect(&session_, &Session::selectionChanged, this, &FilterBar::showHiddenSelection);
    refresh();
}

void FilterBar::refresh() {
    for (QToolButton* button : buttons_) {
        chips_->removeWidget(button);
        button->hide();
        button->deleteLater();  // it may be the one that was clicked
    }
    buttons_.clear();
    const StageViewPtr& view = session_.view();
    if (view) {
        for (const FilterChip& chip : filterChips(view->options.filter, *view)) {
            QToolButton* button = iconButton(QStringLiteral("close"), tr("Remove the filter: %1").arg(qstr(chip.text)),
                                             QStringLiteral("stage.filters.chip.") + qstr(chip.name), this);
            button->setText(qstr(chip.text));
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            connect(button, &QToolButton::clicked, this,
                    [this, without = chip.without] { changeFilter(session_, [&](DrawingFilter& f) { f = without; }); });
            chips_->addWidget(button);
            buttons_.push_back(button);
        }
    }
    showHiddenSelection();
}

void FilterBar::showHiddenSelection() {
    const StageViewPtr& view = session_.view();
    const Uid uid = session_.selection().node;
    const bool hides = view && uid != kNoUid && view->isHidden(uid);
    if (hides)
        hidden_->setText(tr("%1 is hidden by a filter.").arg(percentName(view->node(uid)->name)));
    else if (view && view->hiddenCount > 0)
        hidden_->setText(tr("%1 of %2 nodes hidden").arg(grouped(view->hiddenCount), grouped(std::int64_t(view->hidden.size()))));
    else
        hidden_->setText({});
    hidden_->setAccessibleName(hidden_->text());
    showAnyway_->setVisible(hides);
    setVisible(!buttons_.empty());
}

QString FilterBar::said() const {
    QStringList parts;
    for (const QToolButton* button : buttons_) parts << button->text();
    if (!hidden_->text().isEmpty()) parts << hidden_->text();
    return parts.join(QStringLiteral(" | "));
}

}  // namespace aliascope
