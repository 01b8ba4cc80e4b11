#include "views/panels/force_line.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/recording/forced_write.h"
#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

/// Job threads only.
QString forced(const std::shared_ptr<Recording>& recording, std::int64_t lane, const std::shared_ptr<const OpRegistry>& ops,
               const DecisionRow& decision, const JobContext& job) {
    StageRunOptions options;
    options.run.cancel = job.cancelToken();
    options.run.sanitize = exec::Sanitize::Reads;
    job.progress(-1, "choosing inputs");
    auto runs = StageRuns::create(recording, lane, *ops, std::move(options));
    if (!runs) return qstr(runs.error().sentence());
    job.progress(-1, "running both graphs");
    const auto write = forceWrite(**runs, *recording, lane, decision, *ops);
    if (!write) return qstr(write.error().sentence());
    QString out = qstr(write->sentence());
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < write->reads.size() && i < most; ++i)
        out += QLatin1Char('\n') + qstr(warning(write->reads[i].code, write->reads[i].params).sentence());
    if (write->reads.size() > most) out += QObject::tr("\nAnd %1 more reads.").arg(write->reads.size() - most);
    return out;
}

}  // namespace

ForceLine::ForceLine(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Metrics::gap());
    button_ = textButton(tr("What if it were written in place?"), QStringLiteral("why.force"), this);
    button_->setToolTip(tr("Leaves the copy out, runs both graphs on the same inputs, and says what goes wrong"));
    column->addWidget(button_, 0, Qt::AlignLeft);
    answer_ = new QLabel(this);
    answer_->setObjectName(QStringLiteral("why.forced"));
    answer_->setWordWrap(true);
    answer_->setTextFormat(Qt::PlainText);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    answer_->setFocusPolicy(Qt::NoFocus);
    answer_->hide();
    column->addWidget(answer_);
    connect(button_, &QPushButton::clicked, this, &ForceLine::force);
}

void ForceLine::setDecision(const std::optional<DecisionRow>& decision) {
    const bool same = decision && decision_ && decision->id == decision_->id;
    decision_ = decision;
    setVisible(decision && decision->verdict == "clone" && decision->uid);
    if (same) return;
    answer_->clear();
    answer_->hide();
}

void ForceLine::force() {
    if (!decision_ || running_ || !session_.isOpen()) return;
    running_ = true;
    button_->setEnabled(false);
    const std::int64_t id = decision_->id;
    session_.jobs().start(
        tr("Running without the copy"), QString(), JobQueue::Kind::Visible,
        [recording = session_.data().recording, lane = session_.data().lane, ops = session_.ops(), decision = *decision_](const JobContext& job) {
            return forced(recording, lane, ops, decision, job);
        },
        [this, id](const QString& text) { show(id, text); });
}

QString ForceLine::answer() const { return answer_->text(); }

void ForceLine::show(std::int64_t decision, const QString& text) {
    running_ = false;
    button_->setEnabled(true);
    if (!decision_ || decision_->id != decision) return;
    answer_->setText(text);
    answer_->show();
}

}  // namespace aliascope
