#include "views/panels/trail_banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"
#include "views/session/node_life.h"

namespace aliascope {
namespace {

constexpr std::size_t kShownPins = 4;

struct Trail {
    Uid uid = kNoUid;
    std::vector<NodeLife> lives;
};

QString link(const QString& target, const QString& text) {
    return QStringLiteral("<a style=\"text-decoration:none\" href=\"%1\">%2</a>").arg(target.toHtmlEscaped(), text.toHtmlEscaped());
}

/// `here: %x` and how it was called before; `%x -> %y` and the stages where it changed hands. Names are links: to the pinned node, or to the stage
/// where one stood last.
QString said(const Trail& trail, int stage) {
    const NodeLife& first = trail.lives.front();
    if (!first.gone && first.first <= stage) {
        const QString here = QObject::tr("here: %1").arg(link(QStringLiteral("node:%1").arg(trail.uid), percentName(first.name)));
        if (first.earlier.empty()) return here;
        QStringList earlier;
        for (const std::string& name : first.earlier) earlier << percentName(name).toHtmlEscaped();
        return here + QStringLiteral(" \u2190 ") + earlier.join(QStringLiteral(" \u2190 "));
    }
    if (!first.gone)
        return QObject::tr("%1 is made in %2")
            .arg(percentName(first.name).toHtmlEscaped(), stageLink(first.first, QObject::tr("stage %1").arg(first.first)));
    QString out = percentName(first.name).toHtmlEscaped();
    for (std::size_t i = 0; i < trail.lives.size() && trail.lives[i].gone; ++i) {
        const NodeLife& life = trail.lives[i];
        const QString where = stageLink(life.last + 1, QObject::tr("stage %1").arg(life.last + 1));
        if (life.replacedBy.empty()) return out + QStringLiteral(" \u2192 ") + QObject::tr("removed in %1").arg(where);
        QStringList names;
        for (std::size_t n = 0; n < life.replacedBy.size() && n < 2; ++n)
            names << link(QStringLiteral("name:") + QString::fromStdString(life.replacedBy[n]), percentName(life.replacedBy[n]));
        if (life.replacedBy.size() > 2) names << QObject::tr("%1 more").arg(life.replacedBy.size() - 2);
        out += QStringLiteral(" \u2192 ") + QObject::tr("%1 in %2").arg(names.join(QStringLiteral(", ")), where);
    }
    return out;
}

}  // namespace

TrailBanner::TrailBanner(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("stage.trail"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.2), Metrics::pad(), Metrics::em(0.2));
    row->setSpacing(Metrics::gap());
    label_ = new QLabel(this);
    label_->setObjectName(QStringLiteral("stage.trail.text"));
    label_->setTextFormat(Qt::RichText);
    label_->setWordWrap(true);
    row->addWidget(label_, 1);
    QToolButton* unpin = iconButton(QStringLiteral("close"), tr("Unpin all"), QStringLiteral("stage.trail.unpin"), this);
    row->addWidget(unpin, 0, Qt::AlignTop);
    connect(unpin, &QToolButton::clicked, this, [this] {
        const std::unordered_set<Uid> pins = session_.pins();
        for (const Uid uid : pins) session_.togglePin(uid);
    });
    connect(label_, &QLabel::linkActivated, this, [this](const QString& target) {
        if (!target.startsWith(QLatin1String("name:"))) {
            followLink(session_, target, Origin::Program);
            return;
        }
        const NodeRow* node = session_.view() ? session_.view()->nodeNamed(target.mid(5).toStdString()) : nullptr;
        if (node) session_.selectNode(node->uid, Origin::Program);
    });
    connect(&session_, &Session::pinsChanged, this, &TrailBanner::update);
    connect(&session_, &Session::stageChanged, this, &TrailBanner::update);
    connect(&session_, &Session::recordingChanged, this, &TrailBanner::update);
    hide();
}

QString TrailBanner::text() const { return isHidden() ? QString() : label_->text(); }

void TrailBanner::update() {
    const StageViewPtr view = session_.view();
    std::vector<Uid> pins(session_.pins().begin(), session_.pins().end());
    std::sort(pins.begin(), pins.end());
    if (pins.empty() || !view) return hide();
    session_.ask(
        QStringLiteral("trail"),
        [lane = view->lane, stage = view->stage, pins](const Recording& recording, const JobContext& job) {
            std::vector<Trail> out;
            for (std::size_t i = 0; i < pins.size() && i < kShownPins && !job.cancelled(); ++i)
                if (Trail trail{pins[i], trailOf(recording, lane, stage, pins[i])}; !trail.lives.empty()) out.push_back(std::move(trail));
            return out;
        },
        [this, view, count = pins.size()](const std::vector<Trail>& trails) {
            if (view != session_.view() || session_.pins().empty()) return;
            QStringList parts;
            for (const Trail& trail : trails) parts << said(trail, view->stage);
            if (count > kShownPins) parts << tr("%1 more pinned").arg(count - kShownPins);
            label_->setText(tr("Pinned") + QStringLiteral("&nbsp;&nbsp; ") + parts.join(QStringLiteral("&nbsp;&nbsp; \u00b7 &nbsp;&nbsp;")));
            show();
        });
}

void TrailBanner::paintEvent(QPaintEvent*) {
    const Palette& p = Palette::active();
    QPainter painter(this);
    painter.fillRect(rect(), p.mix(Role::Panel, Role::Pin, 0.06));
    painter.fillRect(0, height() - p.line(), width(), p.line(), p(Role::Line));
}

}  // namespace aliascope
