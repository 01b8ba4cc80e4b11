#include "views/panels/chunk_panel.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>
#include <array>

#include "views/canvas/metrics.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {

ChunkPanel::ChunkPanel(Session& session, QWidget* parent) : QWidget(parent), session_(session), model_(new ChunkModel(this)) {
    build();
    connect(&session_, &Session::recordingChanged, this, &ChunkPanel::refresh);
    connect(&session_, &Session::selectionChanged, this, &ChunkPanel::follow);
    refresh();
}

void ChunkPanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    auto* head = new QHBoxLayout;
    head->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    head->setSpacing(Metrics::gap());
    auto* label = new QLabel(tr("&Chunks"), this);
    chunks_ = new QSpinBox(this);
    chunks_->setObjectName(QStringLiteral("chunk.number"));
    chunks_->setAccessibleName(tr("Number of chunks"));
    chunks_->findChild<QLineEdit*>()->setAccessibleName(chunks_->accessibleName());
    chunks_->setRange(2, 4096);
    chunks_->setValue(8);
    label->setBuddy(chunks_);
    extended_ = new QCheckBox(tr("&Extended rules"), this);
    extended_->setObjectName(QStringLiteral("chunk.extended"));
    extended_->setAccessibleName(tr("Extended rules"));
    extended_->setToolTip(tr("More operators than PyTorch 2.11 follows: views, slices, soft-capping, further losses"));
    auto* run = textButton(tr("Cut"), QStringLiteral("chunk.cut"), this);
    run->setToolTip(tr("Runs the joint-graph passes with so many chunks, as a further lane"));
    head->addWidget(label);
    head->addWidget(chunks_);
    head->addWidget(extended_);
    head->addWidget(run);
    head->addSpacing(Metrics::pad());
    verdict_ = new QLabel(this);
    verdict_->setObjectName(QStringLiteral("chunk.verdict"));
    verdict_->setAccessibleName(tr("Can this graph be chunked"));
    verdict_->setTextFormat(Qt::RichText);
    verdict_->setWordWrap(true);
    verdict_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    head->addWidget(verdict_, 1);
    column->addLayout(head);
    peaks_ = quietLabel(QString(), this);
    peaks_->setObjectName(QStringLiteral("chunk.peaks"));
    peaks_->setContentsMargins(Metrics::pad(), 0, Metrics::pad(), Metrics::gap());
    column->addWidget(peaks_);
    column->addWidget(rule(this));

    table_ = new QTableView(this);
    table_->setModel(model_);
    dressTable(table_, QStringLiteral("chunk.table"), tr("Nodes of the chunked region"));
    table_->setSortingEnabled(false);
    for (int mono : {ChunkModel::Node, ChunkModel::Operator, ChunkModel::Scale}) table_->setItemDelegateForColumn(mono, new MonoDelegate(table_));
    constexpr std::array<qreal, ChunkModel::ColumnCount> widths = {18, 20, 7, 8, 8, 14};
    for (int c = 0; c < ChunkModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    column->addWidget(table_, 1);
    column->addStretch();

    connect(run, &QPushButton::clicked, this, &ChunkPanel::cut);
    connect(verdict_, &QLabel::linkActivated, this, [this](const QString& link) { followLink(session_, link, Origin::Decisions); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!following_ && now.isValid()) session_.selectNode(Uid(now.data(ChunkModel::UidRole).toULongLong()), Origin::Nodes);
    });
}

int ChunkPanel::chunkStage() const {
    int stage = 0;
    for (const StageRow& row : session_.data().stages)
        if (row.pass == "auto-chunk") stage = row.idx;
    return stage;
}

const DecisionRow* ChunkPanel::verdict() const {
    if (!session_.isOpen()) return nullptr;
    const int stage = chunkStage();
    for (const DecisionRow& d : *session_.data().decisions)
        if (stage > 0 && d.stage == stage) return &d;  // the amplifier's comes first
    return nullptr;
}

void ChunkPanel::refresh() {
    adopt({});
    showVerdict();
    if (const int stage = chunkStage(); session_.isOpen() && stage > 0)
        session_.ask(
            QStringLiteral("chunk"),
            [lane = session_.data().lane, stage](const Recording& recording, const JobContext&) {
                return Answer{recording.chunkRows(lane, stage), recording.chunkEstimates(lane, stage)};
            },
            [this](const Answer& answer) { adopt(answer); });
}

void ChunkPanel::adopt(const Answer& answer) {
    following_ = true;
    model_->setContents(answer.rows);
    following_ = false;
    QStringList peaks;
    for (const ChunkEstimateRow& e : answer.estimates) {
        const QString text = tr("%1: %2").arg(e.chunks).arg(bytesText(e.peakBytes));
        peaks << (e.chosen ? tr("%1 (chosen)").arg(text) : text);
    }
    peaks_->setText(peaks.isEmpty() ? QString()
                                    : tr("Predicted peak by number of chunks, inputs not counted:   %1").arg(peaks.join(QStringLiteral("    "))));
    peaks_->setVisible(!peaks.isEmpty());
    table_->setVisible(!answer.rows.empty());
    follow(session_.selection(), Origin::Program);
}

void ChunkPanel::showVerdict() {
    const DecisionRow* d = verdict();
    if (!d) {
        verdict_->setText(session_.isOpen() ? tr("The auto-chunker did not run in this lane.")
                                            : tr("Open a training graph: the plan of its chunks is shown here."));
        return;
    }
    const bool applied = d->code == "CHUNKED";
    QString text = QStringLiteral("<b>%1</b>  %2").arg(applied ? tr("Applied.") : tr("Not applied."), qstr(d->sentence).toHtmlEscaped());
    if (!applied && d->blockerUid && !d->blocker.empty()) text += QStringLiteral("  ") + nodeLink(*d->blockerUid, d->blocker);
    verdict_->setText(text);
}

void ChunkPanel::cut() {
    if (!session_.isOpen()) return;
    const QString mode = extended_->isChecked() ? QStringLiteral(",mode=extended") : QString();
    session_.runPipeline(QStringLiteral("torch-joint{num-chunks=%1%2}").arg(chunks_->value()).arg(mode));
}

void ChunkPanel::follow(const Selection& selection, Origin) {
    const int row = selection.node == kNoUid ? -1 : model_->rowOf(selection.node);
    following_ = true;
    if (row >= 0)
        table_->selectRow(row);
    else
        table_->clearSelection();
    following_ = false;
}

QString ChunkPanel::command() const {
    QStringList options = {QStringLiteral("--plan"), QStringLiteral("--chunks"), QString::number(chunks_->value())};
    if (extended_->isChecked()) options << QStringLiteral("--mode") << QStringLiteral("extended");
    return commandLine(session_, QStringLiteral("chunk"), options);
}

}  // namespace aliascope
