#include "views/panels/shelf.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QRegularExpression>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

Shelf::Shelf(Session& session, Kind kind, QWidget* parent) : QWidget(parent), session_(session), kind_(kind) {
    setObjectName(kind == Kind::Inputs ? QStringLiteral("graph.inputs") : QStringLiteral("graph.outputs"));
    setAccessibleName(kind == Kind::Inputs ? tr("Inputs") : tr("Returned values"));
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.15), Metrics::pad(), Metrics::em(0.15));
    label_ = new QLabel(this);
    label_->setObjectName(objectName() + QStringLiteral(".names"));
    label_->setTextFormat(Qt::RichText);
    label_->setFont(Metrics::uiFont(0.9));
    label_->setFocusPolicy(Qt::NoFocus);
    label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(label_, 1);
    connect(label_, &QLabel::linkActivated, this, [this](const QString& link) { followLink(session_, link, Origin::Graph); });
    connect(&session_, &Session::stageChanged, this, &Shelf::refresh);
    hide();
}

QString Shelf::said() const {
    QString text = label_->text();
    return text.remove(QRegularExpression(QStringLiteral("<[^>]*>")));
}

void Shelf::resizeEvent(QResizeEvent*) { fill(); }

void Shelf::refresh() {
    shown_.clear();
    const StageViewPtr& view = session_.view();
    if (view) {
        for (std::uint32_t i = 0; i < view->snapshot->nodes.size(); ++i) {
            const NodeRow& node = *view->snapshot->nodes[i];
            if (!node.body.empty()) continue;
            if (kind_ == Kind::Inputs && view->family[i] == Family::Input) shown_.push_back(node.uid);
            if (kind_ == Kind::Outputs && view->family[i] == Family::Output)
                for (std::uint32_t e : view->inputs(node.uid)) shown_.push_back(view->snapshot->edges[e].from);
        }
    }
    if (kind_ == Kind::Outputs) {  // a value may be returned more than once
        std::vector<Uid> once;
        std::unordered_set<Uid> seen;
        for (Uid uid : shown_)
            if (seen.insert(uid).second) once.push_back(uid);
        shown_ = std::move(once);
    }
    setVisible(!shown_.empty());
    fill();
}

/// As many names as fit; a line that wraps or is cut in the middle of a name would be worse than a number.
void Shelf::fill() {
    const StageViewPtr& view = session_.view();
    if (!view) return label_->clear();
    const QString title = kind_ == Kind::Inputs ? tr("Inputs") : tr("Returns");
    const QFontMetrics metrics(label_->font());
    const QString total = tr("%1 of %2").arg(shown_.size()).arg(shown_.size());
    int room = width() - 2 * Metrics::pad() - metrics.horizontalAdvance(title + total) - Metrics::em(2);
    QStringList names;
    for (Uid uid : shown_) {
        const NodeRow* node = view->node(uid);
        if (!node) continue;
        const QString storage = node->storage >= 0 ? QStringLiteral(" (S%1)").arg(node->storage) : QString();
        const int width = metrics.horizontalAdvance(percentName(node->name) + storage + QStringLiteral("   "));
        if (width > room) break;
        room -= width;
        names << nodeLink(uid, node->name) + storage;
    }
    label_->setText(QStringLiteral("%1&nbsp; %2&nbsp; %3")
                        .arg(title, names.join(QStringLiteral("&nbsp; ")), tr("%1 of %2").arg(names.size()).arg(shown_.size())));
    label_->setAccessibleName(said());
}

}  // namespace aliascope
