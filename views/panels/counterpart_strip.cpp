#include "views/panels/counterpart_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"
#include "views/session/node_life.h"

namespace aliascope {
CounterpartStrip::CounterpartStrip(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("stage.counterpart"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.3), Metrics::pad(), Metrics::em(0.3));
    row->setSpacing(Metrics::pad());
    label_ = new QLabel(this);
    label_->setObjectName(QStringLiteral("stage.counterpart.text"));
    label_->setWordWrap(true);
    label_->setTextFormat(Qt::RichText);
    label_->setFocusPolicy(Qt::NoFocus);
    row->addWidget(label_, 1);
    go_ = textButton(tr("Go to its stage"), QStringLiteral("stage.counterpart.go"), this);
    row->addWidget(go_);
    connect(label_, &QLabel::linkActivated, this, [this](const QString& target) {
        const NodeRow* node = session_.view() ? session_.view()->nodeNamed(target.toStdString()) : nullptr;
        if (node) session_.selectNode(node->uid, Origin::Program);
    });
    connect(go_, &QPushButton::clicked, this, [this] { session_.setStage(target_); });
    connect(&session_, &Session::selectionChanged, this, &CounterpartStrip::update);
    connect(&session_, &Session::stageChanged, this, &CounterpartStrip::update);
    connect(&session_, &Session::recordingChanged, this, &CounterpartStrip::update);
    hide();
}

QString CounterpartStrip::text() const { return label_->text(); }

void CounterpartStrip::update() {
    const Uid uid = session_.selection().node;
    const StageViewPtr& view = session_.view();
    if (uid == kNoUid || !view || view->node(uid)) {
        hide();
        return;
    }
    session_.ask(
        QStringLiteral("counterpart"),
        [lane = session_.data().lane, stage = view->stage, uid](const Recording& recording, const JobContext&) {
            return lifeOf(recording, lane, stage, uid);
        },
        [this, uid, stage = view->stage](const std::optional<NodeLife>& life) {
            if (session_.selection().node != uid || !session_.view() || session_.view()->stage != stage || session_.view()->node(uid)) return;
            if (!life) {
                label_->setText(tr("The selected node does not stand in any stage of this lane."));
                go_->hide();
                show();
                return;
            }
            const QString name = percentName(life->name).toHtmlEscaped();
            target_ = life->gone ? life->last : life->first;
            const StageRow* change = session_.stageRow(life->gone ? life->last + 1 : life->first);
            const QString stageName = change ? QStringLiteral("%1 %2").arg(change->idx).arg(qstr(change->name)) : QString::number(target_);
            if (!life->gone) {
                label_->setText(tr("%1 does not exist yet in stage %2; it is made in stage %3.").arg(name).arg(stage).arg(stageName));
            } else if (life->replacedBy.empty()) {
                label_->setText(tr("%1 is no longer in stage %2: removed in stage %3.").arg(name).arg(stage).arg(stageName));
            } else {
                QStringList names;
                for (std::size_t i = 0; i < life->replacedBy.size() && i < 3; ++i)
                    names << QStringLiteral("<a style=\"text-decoration:none\" href=\"%1\">%%1</a>").arg(qstr(life->replacedBy[i]));
                if (life->replacedBy.size() > 3) names << tr("%1 more").arg(life->replacedBy.size() - 3);
                label_->setText(tr("%1 is no longer in stage %2: replaced by %4 in stage %3.")
                                    .arg(name)
                                    .arg(stage)
                                    .arg(stageName, names.join(QStringLiteral(", "))));
            }
            go_->setText(tr("Go to stage %1").arg(target_));
            go_->setAccessibleName(go_->text());
            go_->show();
            show();
        });
}

void CounterpartStrip::paintEvent(QPaintEvent*) {
    const Palette& p = Palette::active();
    QPainter painter(this);
    painter.fillRect(rect(), p.mix(Role::Panel, Role::Changed, 0.08));
    painter.fillRect(0, height() - p.line(), width(), p.line(), p(Role::Line));
}

}  // namespace aliascope
