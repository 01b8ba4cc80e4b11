#include "views/panels/why_card.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "core/recording/log_explanation.h"
#include "views/canvas/evidence_picture.h"
#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/force_line.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

QString checkGlyph(const std::string& result) {
    if (result == "ok") return QStringLiteral("\u2713");
    if (result == "failed") return QStringLiteral("\u00d7");
    if (result == "skipped") return QStringLiteral("\u2013");
    return QStringLiteral("?");
}

QString bytesRow(const DecisionRow& d, const std::optional<std::int64_t>& bytes) {
    if (bytes) return bytesText(*bytes);
    return d.bytesExpr.empty() ? QObject::tr("not known") : qstr(d.bytesExpr) + QStringLiteral(" B");
}

}  // namespace

WhyCard::WhyCard(Session& session, QWidget* parent) : QScrollArea(parent), session_(session) {
    setObjectName(QStringLiteral("why.card"));
    setAccessibleName(tr("Why"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    build();
    connect(&session_, &Session::selectionChanged, this, [this](const Selection& selection, Origin) { follow(selection); });
    connect(&session_, &Session::recordingChanged, this, [this] { follow({}); });
    follow({});
}

void WhyCard::build() {
    auto* body = new QWidget(this);
    body->setProperty("surface", QStringLiteral("panel"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(Metrics::pad(), Metrics::pad(), Metrics::pad(), Metrics::pad());
    column->setSpacing(Metrics::gap());

    explanation_ = new QLabel(body);
    explanation_->setObjectName(QStringLiteral("why.explanation"));
    explanation_->setWordWrap(true);
    explanation_->setTextFormat(Qt::RichText);
    explanation_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    explanation_->setFocusPolicy(Qt::NoFocus);
    explanation_->setMargin(Metrics::gap());
    explanation_->setAutoFillBackground(true);
    explanation_->setBackgroundRole(QPalette::AlternateBase);
    explanation_->hide();
    column->addWidget(explanation_);
    auto* top = new QHBoxLayout;
    top->setSpacing(Metrics::tight());
    verdict_ = new VerdictLabel(body);
    top->addWidget(verdict_);
    top->addStretch(1);
    counter_ = quietLabel(QString(), body);
    counter_->setWordWrap(false);
    top->addWidget(counter_);
    previous_ = iconButton(QStringLiteral("back"), tr("Previous decision about this node"), QStringLiteral("why.previous"), body);
    next_ = iconButton(QStringLiteral("forward"), tr("Next decision about this node"), QStringLiteral("why.next"), body);
    top->addWidget(previous_);
    top->addWidget(next_);
    column->addLayout(top);
    headline_ = heading(QString(), body, 1.05);
    headline_->setWordWrap(true);
    column->addWidget(headline_);
    sentence_ = new QLabel(body);
    sentence_->setObjectName(QStringLiteral("why.sentence"));
    sentence_->setWordWrap(true);
    sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    sentence_->setFocusPolicy(Qt::NoFocus);
    column->addWidget(sentence_);

    details_ = new QWidget(body);
    auto* detail = new QVBoxLayout(details_);
    detail->setContentsMargins(0, Metrics::tight(), 0, 0);
    detail->setSpacing(Metrics::gap());
    costs_ = new QLabel(details_);
    costs_->setObjectName(QStringLiteral("why.costs"));
    costs_->setWordWrap(true);
    costs_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    costs_->setFocusPolicy(Qt::NoFocus);
    detail->addWidget(costs_);
    picture_ = new EvidencePicture(details_);
    detail->addWidget(picture_);
    detail->addWidget(rule(details_));
    facts_ = new FactGrid(details_);
    checksHeading_ = heading(tr("Questions asked"), details_);
    detail->addSpacing(Metrics::tight());
    detail->addWidget(checksHeading_);
    auto* checks = new QWidget(details_);
    checks_ = new QVBoxLayout(checks);
    checks_->setContentsMargins(0, 0, 0, 0);
    checks_->setSpacing(Metrics::em(0.35));
    detail->addWidget(checks);
    adviceHeading_ = heading(tr("What would change it"), details_);
    advice_ = new QLabel(details_);
    advice_->setWordWrap(true);
    advice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    advice_->setFocusPolicy(Qt::NoFocus);
    detail->addSpacing(Metrics::tight());
    detail->addWidget(adviceHeading_);
    detail->addWidget(advice_);
    force_ = new ForceLine(session_, details_);
    detail->addWidget(force_);
    detail->addWidget(rule(details_));
    detail->addWidget(facts_);
    detail->addSpacing(Metrics::tight());
    auto* buttons = new QGridLayout;
    buttons->setSpacing(Metrics::gap());
    blocker_ = textButton(tr("Show blocker  J"), QStringLiteral("why.blocker"), details_);
    byteMap_ = textButton(tr("Byte map"), QStringLiteral("why.byteMap"), details_);
    history_ = textButton(tr("History"), QStringLiteral("why.history"), details_);
    copyCommand_ = textButton(tr("Copy as command"), QStringLiteral("why.copyCommand"), details_);
    copyMarkdown_ = textButton(tr("Copy as Markdown"), QStringLiteral("why.copyMarkdown"), details_);
    buttons->addWidget(blocker_, 0, 0);
    buttons->addWidget(byteMap_, 0, 1);
    buttons->addWidget(history_, 0, 2);
    buttons->addWidget(copyCommand_, 1, 0);
    buttons->addWidget(copyMarkdown_, 1, 1, 1, 2);
    buttons->setColumnStretch(3, 1);
    detail->addLayout(buttons);
    column->addWidget(details_);
    column->addStretch(1);
    setWidget(body);

    connect(facts_, &FactGrid::linkActivated, this, [this](const QString& link) { followLink(session_, link, Origin::Why); });
    connect(picture_, &EvidencePicture::nodeChosen, this, [this](qulonglong uid) { session_.selectNode(uid, Origin::Why); });
    connect(blocker_, &QPushButton::clicked, this, &WhyCard::showBlocker);
    connect(byteMap_, &QPushButton::clicked, this, [this] {
        if (const EvidencePtr& evidence = picture_->evidence(); evidence && evidence->storage >= 0)
            session_.selectStorage(evidence->storage, Origin::Why);
        emit byteMapWanted();
    });
    connect(history_, &QPushButton::clicked, this, &WhyCard::historyWanted);
    connect(copyCommand_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(command()); });
    connect(copyMarkdown_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(markdown()); });
    connect(previous_, &QToolButton::clicked, this, [this] { showAt((number_ + ids_.size() - 1) % ids_.size()); });
    connect(next_, &QToolButton::clicked, this, [this] { showAt((number_ + 1) % ids_.size()); });
}

QString WhyCard::explanation() const { return line_.isEmpty() ? QString() : explanation_->text(); }

void WhyCard::explain(const QString& line) {
    line_ = line.trimmed();
    explanation_->show();
    const std::optional<LogLine> parsed = parseLogLine(line_.toStdString());
    if (!parsed || !session_.isOpen()) {
        explanation_->setText(parsed ? tr("Open the graph that the line is about first.")
                                     : tr("This is no line about re-inplacing. Expected: <tt>For node NAME, attempted to reinplace [...]. We were "
                                          "unable to reinplace [...]; [...] ...</tt>"));
        return;
    }
    session_.ask(
        QStringLiteral("explain"),
        [lane = session_.data().lane, line = *parsed](const Recording& recording, const JobContext&) {
            return explainLogLine(recording, lane, line);
        },
        [this](const LogExplanation& said) {
            auto list = [](const std::vector<std::string>& words) {
                QStringList out;
                for (const std::string& word : words) out << qstr(word).toHtmlEscaped();
                return out.isEmpty() ? tr("nothing") : out.join(QStringLiteral(", "));
            };
            explanation_->setText(tr("<b>The log line says:</b> attempted %1. %2").arg(list(said.attempted), qstr(said.sentence).toHtmlEscaped()));
            if (said.decisions.empty()) return;
            for (const DecisionRow& d : *session_.data().decisions) {
                if (d.id != said.decisions.front()) continue;
                explaining_ = true;
                session_.selectDecision(d, Origin::Why);
                explaining_ = false;
                break;
            }
            ids_ = said.decisions;
            showAt(0);
        });
}

/// What could have decided about a node that nothing decided about.
QString WhyCard::nothingConsidered(Uid uid) const {
    const StageViewPtr& view = session_.view();
    const auto at = view ? view->indexOf(uid) : std::nullopt;
    QString text = tr("No pass considered this node. ");
    if (!at) return text + tr("It does not stand in this stage.");
    switch (view->family[*at]) {
        case Family::Input:
            return text + tr("It is an input: passes decide about the calls that write it, and whether it is written back at the end.");
        case Family::View:
            return text +
                   tr("It is a view and copies nothing. canonicalize-views and views-to-reshape rewrite views; what writes through one is decided by "
                      "functionalize and reinplace.");
        case Family::Copy:
            return text + tr("It is a copy that stood in the graph as it was read. remove-noops takes away clones that nothing needs, cse and dce "
                             "those that "
                             "repeat or that nobody uses.");
        case Family::Write:
        case Family::Wrapper:
        case Family::Custom:
            return text + tr("functionalize and reinplace decide about operators that write an argument. Run torch-v1 or torch-v2 (F5).");
        case Family::Matmul:
            return text + tr("It writes no argument. fuse-attention, pad-matmul and auto-chunk are the passes that look at it.");
        default:
            return text +
                   tr("It writes no argument, so that no copy is kept for it. cse, dce and remove-noops are the passes that could take it away.");
    }
}

void WhyCard::follow(const Selection& selection) {
    if (!explaining_) {
        line_.clear();
        explanation_->hide();
    }
    ids_.clear();
    std::size_t at = 0;
    if (session_.isOpen()) {
        for (const DecisionRow* d : decisionsAbout(session_.data(), selection.node)) ids_.push_back(d->id);
        if (selection.decision) {
            const auto chosen = std::find(ids_.begin(), ids_.end(), *selection.decision);
            at = std::size_t(chosen - ids_.begin());
            if (chosen == ids_.end()) ids_.push_back(*selection.decision);
        }
    }
    if (ids_.empty()) {
        card_.reset();
        if (!session_.isOpen() || selection.node == kNoUid) {
            fillNothing(tr("Select a node, a copy or a row of the decisions, then press W."));
        } else if (session_.data().decisions->empty()) {
            fillNothing(
                tr("No pass of this pipeline made a decision yet. Run torch-v1 or torch-v2 (F5): functionalize and reinplace are the passes that "
                   "decide about writes."));
        } else {
            fillNothing(nothingConsidered(selection.node));
        }
        return;
    }
    showAt(at);
}

void WhyCard::showAt(std::size_t number) {
    number_ = number;
    struct Read {
        std::optional<DecisionRow> card;
        EvidencePtr evidence;
    };
    session_.ask(
        QStringLiteral("why"),
        [id = ids_[number], lane = session_.data().lane](const Recording& recording, const JobContext&) {
            Read read{recording.decisionCard(id), nullptr};
            if (read.card) read.evidence = loadEvidence(recording, lane, *read.card);
            return read;
        },
        [this](Read read) {
            card_ = std::move(read.card);
            picture_->setEvidence(std::move(read.evidence));
            if (card_) fill();
        });
}

void WhyCard::fillNothing(const QString& sentence) {
    picture_->setEvidence(nullptr);
    for (QWidget* widget : std::initializer_list<QWidget*>{verdict_, headline_, details_, counter_, previous_, next_}) widget->hide();
    sentence_->setText(sentence);
    sentence_->setProperty("quiet", true);
    sentence_->style()->unpolish(sentence_);
    sentence_->style()->polish(sentence_);
}

void WhyCard::fill() {
    const DecisionRow& d = *card_;
    sentence_->setProperty("quiet", false);
    sentence_->style()->unpolish(sentence_);
    sentence_->style()->polish(sentence_);
    verdict_->setKind(verdictKind(d));
    for (QWidget* widget : std::initializer_list<QWidget*>{verdict_, headline_, details_}) widget->show();
    const bool several = ids_.size() > 1;
    counter_->setText(tr("%1 of %2").arg(number_ + 1).arg(ids_.size()));
    for (QWidget* widget : std::initializer_list<QWidget*>{counter_, previous_, next_}) widget->setVisible(several);
    const QString op = qstr(d.op).replace(QLatin1String("::"), QLatin1String("."));
    headline_->setText(d.argument.empty() ? QStringLiteral("%1  %2").arg(percentName(d.node), op)
                                          : tr("%1 of %2").arg(qstr(d.argument), percentName(d.node)));
    sentence_->setText(qstr(d.sentence));

    facts_->clear();
    facts_->add(tr("Reason"), reasonText(d.code).toHtmlEscaped());
    facts_->add(tr("Node"), d.uid ? nodeLink(*d.uid, d.node) : percentName(d.node).toHtmlEscaped(), true);
    if (!d.op.empty()) facts_->add(tr("Operator"), op.toHtmlEscaped(), true);
    if (!d.origin.empty() && d.origin != d.node)
        facts_->add(tr("Stems from"), d.originUid ? nodeLink(*d.originUid, d.origin) : percentName(d.origin).toHtmlEscaped(), true);
    if (!d.blocker.empty())
        facts_->add(tr("In the way"), d.blockerUid ? nodeLink(*d.blockerUid, d.blocker) : percentName(d.blocker).toHtmlEscaped(), true);
    facts_->add(tr("Stage"), stageLink(d.stage, QStringLiteral("%1 %2").arg(d.stage).arg(qstr(d.stageName))));
    facts_->add(tr("Reported"), d.counted ? bytesRow(d, d.reportedBytes) : tr("not counted by PyTorch's log"), false,
                d.reportedBytes ? exactBytes(*d.reportedBytes) : QString());
    if (d.verdict == "clone" || d.clonedBytes)
        facts_->add(tr("Cloned"), bytesRow(d, d.clonedBytes), false, d.clonedBytes ? exactBytes(*d.clonedBytes) : QString());
    if (d.neededBytes) facts_->add(tr("Needed"), bytesText(*d.neededBytes), false, exactBytes(*d.neededBytes));
    if (!d.avoidedBy.empty()) facts_->add(tr("Avoided by"), qstr(d.avoidedBy).toHtmlEscaped());
    if (!d.rule.empty()) facts_->add(tr("Rule"), qstr(d.rule).toHtmlEscaped());
    fillChecks();
    static const Evidence none;
    fillCosts(picture_->evidence() ? *picture_->evidence() : none);
    adviceHeading_->setVisible(!d.advice.empty());
    advice_->setVisible(!d.advice.empty());
    QString advice = qstr(d.advice);
    if (!advice.isEmpty()) advice[0] = advice[0].toUpper();
    if (!advice.isEmpty() && !advice.endsWith(QLatin1Char('.'))) advice += QLatin1Char('.');
    advice_->setText(advice);
    force_->setDecision(card_);
    blocker_->setVisible(d.blockerUid.has_value());
    blocker_->setText(picture_->evidence() && picture_->evidence()->blockerIsLater ? tr("Show reader  J") : tr("Show blocker  J"));
    blocker_->setAccessibleName(blocker_->text());
    byteMap_->setVisible(picture_->evidence() && picture_->evidence()->storage >= 0);
}

/// What torch reports and what is copied; and what a copy costs in either form of custom operators: v1 copies the view, v2 the base it is cut from.
void WhyCard::fillCosts(const Evidence& evidence) {
    const DecisionRow& d = *card_;
    QStringList parts;
    if (d.verdict == "clone" && d.clonedBytes) {
        const bool fromStart =
            evidence.argument && *d.clonedBytes > evidence.argumentBytes.value_or(*d.clonedBytes) && *d.clonedBytes == evidence.argument->end();
        const QString copied =
            tr("the clone copies %1%2.").arg(bytesText(*d.clonedBytes), fromStart ? tr(", from the start of the storage") : QString());
        parts << (d.counted && d.reportedBytes ? tr("torch reports %1; %2").arg(bytesText(*d.reportedBytes), copied)
                                               : tr("torch does not count it; %1").arg(copied));
    }
    if ((d.verdict == "clone" || d.verdict == "in-place") && evidence.argumentBytes && evidence.storageBytes)
        parts << tr("If copied: view %1, base %2.").arg(bytesText(*evidence.argumentBytes), bytesText(*evidence.storageBytes));
    costs_->setVisible(!parts.isEmpty());
    costs_->setText(parts.join(QLatin1Char(' ')));
    costs_->setToolTip(tr("v1 copies the view, from the start of its storage where it has an offset; v2 copies the base"));
}

void WhyCard::fillChecks() {
    while (QLayoutItem* item = checks_->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    checksHeading_->setVisible(!card_->checks.empty());
    for (const CheckRow& check : card_->checks) {
        auto* row = new QWidget(details_);
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(Metrics::gap());
        auto* glyph = heading(checkGlyph(check.result), row);
        glyph->setFixedWidth(Metrics::em(1));
        glyph->setToolTip(qstr(check.result));
        auto* text = new QLabel(row);
        text->setWordWrap(true);
        QString shown = qstr(check.question);
        if (check.result == "failed") shown += tr(" \u2014 no");
        if (!check.detail.empty()) shown += QStringLiteral(": ") + qstr(check.detail);
        text->setText(shown);
        if (check.result == "skipped") text->setProperty("quiet", true);
        line->addWidget(glyph, 0, Qt::AlignTop);
        line->addWidget(text, 1);
        checks_->addWidget(row);
    }
}

bool WhyCard::showBlocker() {
    if (!card_ || !card_->blockerUid) return false;
    session_.selectNode(*card_->blockerUid, Origin::Why);
    return true;
}

QString WhyCard::command() const {
    if (!card_) return {};
    QStringList options{QStringLiteral("--node"), qstr(card_->origin.empty() ? card_->node : card_->origin)};
    if (!card_->argument.empty()) options << QStringLiteral("--arg") << qstr(card_->argument);
    if (!line_.isEmpty()) options = {QStringLiteral("--line"), line_};
    return commandLine(session_, QStringLiteral("why"), options);
}

QString WhyCard::markdown() const {
    if (!card_) return {};
    const DecisionRow& d = *card_;
    QStringList lines{QStringLiteral("**%1**: %2").arg(verdictWord(verdictKind(d)), qstr(d.sentence)), QString(),
                      QStringLiteral("- reason: %1").arg(reasonText(d.code)),
                      QStringLiteral("- node: `%1`, stage %2 %3").arg(qstr(d.node)).arg(d.stage).arg(qstr(d.stageName))};
    if (!d.blocker.empty()) lines << QStringLiteral("- in the way: `%1`").arg(qstr(d.blocker));
    lines << QStringLiteral("- bytes: reported %1, cloned %2").arg(bytesText(d.reportedBytes), bytesText(d.clonedBytes));
    for (const CheckRow& check : d.checks)
        lines << QStringLiteral("- [%1] %2%3")
                     .arg(check.result == "ok" ? QStringLiteral("x") : QStringLiteral(" "), qstr(check.question),
                          check.detail.empty() ? QString() : QStringLiteral(": ") + qstr(check.detail));
    if (!d.advice.empty()) lines << QStringLiteral("- what would change it: %1").arg(qstr(d.advice));
    lines << QString() << QStringLiteral("`%1`").arg(command());
    return lines.join(QLatin1Char('\n'));
}

}  // namespace aliascope
