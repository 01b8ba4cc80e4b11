#include "views/panels/summary_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QRegularExpression>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

QString link(const QString& query, const QString& text) {
    return QStringLiteral("<a style=\"text-decoration:none\" href=\"find:%1\">%2</a>").arg(query.toHtmlEscaped(), text.toHtmlEscaped());
}

}  // namespace

SummaryStrip::SummaryStrip(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("summary.strip"));
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.35), Metrics::pad(), Metrics::em(0.35));
    label_ = new QLabel(this);
    label_->setObjectName(QStringLiteral("summary.text"));
    label_->setTextFormat(Qt::RichText);
    label_->setFocusPolicy(Qt::NoFocus);
    label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(label_, 1);
    connect(label_, &QLabel::linkActivated, this, [this](const QString& target) {
        if (target.startsWith(QLatin1String("find:"))) emit decisionsWanted(target.mid(5));
        followLink(session_, target, Origin::Program);
    });
    connect(&session_, &Session::recordingChanged, this, &SummaryStrip::show);
    show();
}

void SummaryStrip::show() {
    if (!session_.isOpen() || session_.data().stages.empty()) {
        label_->clear();
        return;
    }
    const LaneData& data = session_.data();
    const StageRow& last = data.stages.back();
    int copies = 0, avoidable = 0, inPlace = 0;
    for (const DecisionRow& d : *data.decisions) {
        const VerdictKind kind = verdictKind(d);
        copies += d.verdict == "clone" ? 1 : 0;
        avoidable += kind == VerdictKind::Avoidable ? 1 : 0;
        inPlace += kind == VerdictKind::InPlace ? 1 : 0;
    }
    QStringList parts;
    if (copies == 0 && inPlace > 0) {
        parts << link(QStringLiteral("verdict:in-place"),
                      inPlace == 1 ? tr("The one written argument is in place") : tr("All %1 written arguments are in place").arg(inPlace));
    } else if (copies > 0) {
        parts << link(QStringLiteral("verdict:clone"), counted(copies, tr("written argument copied"), tr("written arguments copied"))) +
                     (avoidable > 0 ? tr(", %1 avoidable").arg(avoidable) : QString());
        if (inPlace > 0) parts << link(QStringLiteral("verdict:in-place"), tr("%1 in place").arg(inPlace));
    } else {
        parts << tr("No pass decided about a write");
    }
    const QString clones = counted(last.clones, tr("clone"), tr("clones"));
    parts << (last.clonedBytes ? tr("%1, %2 cloned").arg(clones, bytesText(last.clonedBytes)) : tr("%1 of unknown size").arg(clones));
    parts << tr("%1 copied back").arg(bytesText(last.copiedBackBytes));
    if (last.selfCopies > 0) parts << counted(last.selfCopies, tr("self-copy"), tr("self-copies"));
    const QString lane = session_.lane() ? qstr(session_.lane()->name) : QString();
    label_->setText(
        QStringLiteral("<b>%1</b>&nbsp;&nbsp;&nbsp;%2").arg(lane.toHtmlEscaped(), parts.join(QStringLiteral("&nbsp;&nbsp;\u00b7&nbsp;&nbsp;"))));
    label_->setAccessibleName(text());
}

QString SummaryStrip::text() const {
    QString plain = label_->text();
    static const QRegularExpression tags(QStringLiteral("<[^>]*>"));
    return plain.remove(tags).replace(QLatin1String("&nbsp;"), QLatin1String(" ")).simplified();
}

}  // namespace aliascope
