#include "views/panels/run_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QIntValidator>
#include <QProgressBar>
#include <QRegularExpressionValidator>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/models/run_history_model.h"
#include "views/panels/command_line.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

constexpr int kPollMs = 100;
enum StageChoice { kCurrentStage, kAllStages };

QCheckBox* checkBox(const QString& text, const QString& objectName, bool on, const QString& tip, QWidget* parent) {
    auto* box = new QCheckBox(text, parent);
    box->setObjectName(objectName);
    box->setAccessibleName(text);
    box->setToolTip(tip);
    box->setChecked(on);
    return box;
}

QSpinBox* spinBox(const QString& accessibleName, const QString& objectName, int least, int most, int value, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setObjectName(objectName);
    box->setAccessibleName(accessibleName);
    box->setRange(least, most);
    box->setValue(value);
    for (QLineEdit* field : box->findChildren<QLineEdit*>()) {
        field->setObjectName(objectName + QStringLiteral(".field"));
        field->setAccessibleName(accessibleName);
    }
    return box;
}

QLineEdit* field(const QString& text, const QString& placeholder, const QString& accessibleName, const QString& objectName, QWidget* parent) {
    auto* line = new QLineEdit(text, parent);
    line->setObjectName(objectName);
    line->setPlaceholderText(placeholder);
    line->setAccessibleName(accessibleName);
    return line;
}

QWidget* rowOf(std::initializer_list<QWidget*> parts, QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Metrics::gap());
    for (QWidget* part : parts) row->addWidget(part);
    row->addStretch(1);
    return box;
}

}  // namespace

RunPanel::RunPanel(Session& session, QWidget* parent) : QWidget(parent), session_(session), history_(new RunHistoryModel(this)) {
    setObjectName(QStringLiteral("run"));
    build();
    connect(&session_, &Session::recordingChanged, this, &RunPanel::showHistory);
    connect(&session_, &Session::runsChanged, this, &RunPanel::showHistory);
    connect(&session_, &Session::runStarted, this, &RunPanel::enable);
    connect(&session_, &Session::runFinished, this, &RunPanel::finished);
    connect(&session_, &Session::stageChanged, this, [this] {
        if (pendingNode_ == kNoUid) return;
        const Uid uid = pendingNode_;
        pendingNode_ = kNoUid;
        session_.selectNode(uid, Origin::Run);
    });
    connect(&poll_, &QTimer::timeout, this, &RunPanel::showProgress);
    showHistory();
}

// --- building -----------------------------------------------------------------------------------------------------------------------------

void RunPanel::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildButtons());
    column->addWidget(rule(this));
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(buildForm());

    auto* right = new QWidget(splitter);
    auto* rows = new QVBoxLayout(right);
    rows->setContentsMargins(0, 0, 0, 0);
    table_ = new QTableView(right);
    table_->setModel(history_);
    dressTable(table_, QStringLiteral("run.history"), tr("Runs"));
    table_->setSortingEnabled(false);
    constexpr std::array<qreal, RunHistoryModel::ColumnCount> widths = {3.5, 14, 5, 9.5, 6, 9, 6, 6, 20};
    for (int c = 0; c < RunHistoryModel::ColumnCount; ++c) table_->setColumnWidth(c, Metrics::em(widths[std::size_t(c)]));
    table_->setColumnHidden(RunHistoryModel::Message, true);  // messages are rows of their own
    rows->addWidget(table_);
    empty_ = quietLabel(QString(), right);
    empty_->setObjectName(QStringLiteral("run.empty"));
    empty_->setAlignment(Qt::AlignCenter);
    rows->addWidget(empty_, 1);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({Metrics::em(30), Metrics::em(64)});
    column->addWidget(splitter, 1);

    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (index.data(RunHistoryModel::MessageRole).toBool()) openRow(index);
    });
    connect(table_, &QTableView::activated, this, &RunPanel::openRow);
}

QWidget* RunPanel::buildButtons() {
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(Metrics::pad(), Metrics::tight(), Metrics::pad(), Metrics::tight());
    row->setSpacing(Metrics::gap());
    run_ = textButton(tr("Run  F5"), QStringLiteral("run.start"), head);
    run_->setProperty("primary", true);
    runAll_ = textButton(tr("Run all stages  Ctrl+F5"), QStringLiteral("run.startAll"), head);
    row->addWidget(run_);
    row->addWidget(runAll_);
    said_ = new ElidedLabel(head);
    said_->setObjectName(QStringLiteral("run.said"));
    row->addWidget(said_, 1);
    bar_ = new QProgressBar(head);
    bar_->setObjectName(QStringLiteral("run.progress"));
    bar_->setAccessibleName(tr("Progress of the run"));
    bar_->setTextVisible(false);
    bar_->setFixedWidth(Metrics::em(14));
    row->addWidget(bar_);
    cancel_ = textButton(tr("Cancel  Shift+F5"), QStringLiteral("run.cancel"), head);
    row->addWidget(cancel_);
    connect(run_, &QPushButton::clicked, this, &RunPanel::run);
    connect(runAll_, &QPushButton::clicked, this, &RunPanel::runAll);
    connect(cancel_, &QPushButton::clicked, this, &RunPanel::cancel);
    return head;
}

QWidget* RunPanel::buildForm() {
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("run.formScroll"));
    scroll->setAccessibleName(tr("How to run"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    form_ = new QWidget(scroll);
    form_->setObjectName(QStringLiteral("run.form"));
    form_->setProperty("surface", QStringLiteral("panel"));
    auto* grid = new QFormLayout(form_);
    grid->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    grid->setHorizontalSpacing(Metrics::pad());
    grid->setVerticalSpacing(Metrics::em(0.35));
    grid->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    grid->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    grid->addRow(tr("Device"), buildDevice(form_));
    grid->addRow(tr("Inputs"), buildInputs(form_));
    grid->addRow(tr("Record"), buildRecord(form_));
    grid->addRow(tr("Repeat"), buildLimits(form_));
    grid->addRow(tr("Tolerance"), buildTolerance(form_));
    buildChecks(form_);
    grid->addRow(tr("Judge"), doubles_);
    grid->addRow(tr("Find"), stale_);
    grid->addRow(tr("Unknown"), standIn_);
    for (QLabel* label : form_->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly)) label->setProperty("quiet", true);
    scroll->setWidget(form_);
    scroll->setMinimumWidth(Metrics::em(29));
    return scroll;
}

QWidget* RunPanel::buildDevice(QWidget* form) {
    device_ = choiceBox(tr("Device"), QStringLiteral("run.device"), form);
    device_->addItem(tr("CPU, fast"), QStringLiteral("cpu"));
    device_->addItem(tr("CPU, reference"), QStringLiteral("cpu-ref"));
    device_->addItem(tr("CUDA: no module for it in this build"), QStringLiteral("cuda:0"));
    if (auto* items = qobject_cast<QStandardItemModel*>(device_->model())) items->item(device_->count() - 1)->setEnabled(false);
    device_->setToolTip(
        tr("The reference computes in double precision and slowly: the yardstick. CUDA needs a module that this build does not have."));
    device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    device_->setMinimumContentsLength(11);
    stages_ = choiceBox(tr("Stages"), QStringLiteral("run.stages"), form);
    stages_->addItem(tr("current stage"));
    stages_->addItem(tr("all stages"));
    return rowOf({device_, stages_}, form);
}

QWidget* RunPanel::buildInputs(QWidget* form) {
    seed_ = field(QStringLiteral("0"), QString(), tr("Seed"), QStringLiteral("run.seed"), form);
    seed_->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,18}")), seed_));
    seed_->setMaximumWidth(Metrics::em(5));
    auto* word = new QLabel(tr("seed"), form);
    word->setProperty("quiet", true);
    inputs_ = field(QString(), tr("random, or a file"), tr("File of inputs"), QStringLiteral("run.inputs"), form);
    inputs_->setMinimumWidth(Metrics::em(12));
    inputs_->setToolTip(tr("safetensors, npz or npy; empty: random values that fit how each input is used"));
    choose_ = textButton(tr("..."), QStringLiteral("run.choose"), form);
    choose_->setAccessibleName(tr("Choose a file of inputs"));
    connect(choose_, &QPushButton::clicked, this, &RunPanel::chooseInputs);
    return rowOf({inputs_, choose_, word, seed_}, form);
}

QWidget* RunPanel::buildRecord(QWidget* form) {
    memory_ = checkBox(tr("memory"), QStringLiteral("run.memory"), true, tr("Every allocation and release, for the memory view"), form);
    numerics_ =
        checkBox(tr("numerics"), QStringLiteral("run.numerics"), true, tr("A digest of every value, and the comparison with the first stage"), form);
    time_ = checkBox(tr("time"), QStringLiteral("run.time"), true, tr("Time of every node"), form);
    return rowOf({memory_, numerics_, time_}, form);
}

QWidget* RunPanel::buildLimits(QWidget* form) {
    repeat_ = spinBox(tr("Repeats"), QStringLiteral("run.repeat"), 1, 10'000, 1, form);
    repeat_->setToolTip(tr("Timed repetitions of each stage"));
    limit_ = spinBox(tr("Time limit in seconds"), QStringLiteral("run.limit"), 0, 86'400, 600, form);
    limit_->setSuffix(tr(" s"));
    limit_->setSpecialValueText(tr("none"));
    auto* limitWord = new QLabel(tr("limit"), form);
    limitWord->setProperty("quiet", true);
    return rowOf({repeat_, limitWord, limit_}, form);
}

QWidget* RunPanel::buildTolerance(QWidget* form) {
    rtol_ = field(QString(), tr("policy"), tr("Relative tolerance; empty: the policy per dtype"), QStringLiteral("run.rtol"), form);
    atol_ = field(QString(), tr("policy"), tr("Absolute tolerance; empty: the policy per dtype"), QStringLiteral("run.atol"), form);
    auto* rtolWord = new QLabel(tr("rtol"), form);
    auto* atolWord = new QLabel(tr("atol"), form);
    for (QLabel* word : {rtolWord, atolWord}) word->setProperty("quiet", true);
    for (QLineEdit* tolerance : {rtol_, atol_}) {
        tolerance->setMaximumWidth(Metrics::em(4.5));
        tolerance->setToolTip(tolerance->accessibleName());
        tolerance->setValidator(
            new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]*\\.?[0-9]*([eE][-+]?[0-9]{1,3})?")), tolerance));
    }
    return rowOf({rtolWord, rtol_, atolWord, atol_}, form);
}

void RunPanel::buildChecks(QWidget* form) {
    doubles_ = checkBox(tr("by errors against doubles"), QStringLiteral("run.doubles"), false,
                        tr("The first stage runs in double precision too: a later stage differs where its values lie further from that than those of "
                           "the first stage do. Slower; the numerics view shows the errors."),
                        form);
    stale_ = checkBox(tr("reads of overwritten values"), QStringLiteral("run.stale"), false,
                      tr("Watch every read: one that sees another value than the first stage's program would is a finding"), form);
    standIn_ = checkBox(tr("stand in for operators without a body"), QStringLiteral("run.standIn"), false,
                        tr("Values of such operators, and of what uses them, mean nothing; memory and shapes do"), form);
}

// --- running ------------------------------------------------------------------------------------------------------------------------------

std::optional<double> RunPanel::tolerance(const QLineEdit* line) const {
    bool ok = false;
    const double value = line->text().toDouble(&ok);
    return ok && value >= 0 ? std::optional(value) : std::nullopt;
}

RunRequest RunPanel::request(bool all) const {
    RunRequest request;
    request.device = device_->currentData().toString();
    if (!all) request.stages = {session_.stage()};
    request.inputs = inputs_->text().trimmed();
    request.seed = seed_->text().toULongLong();
    request.memory = memory_->isChecked();
    request.numerics = numerics_->isChecked();
    request.time = time_->isChecked();
    request.repeat = repeat_->value();
    request.limitSeconds = limit_->value();
    request.standIn = standIn_->isChecked();
    request.doubles = doubles_->isChecked();
    request.findStaleReads = stale_->isChecked();
    request.rtol = tolerance(rtol_);
    request.atol = tolerance(atol_);
    return request;
}

void RunPanel::run() { start(stages_->currentIndex() == kAllStages); }

void RunPanel::runCurrent() { start(false); }

void RunPanel::runAll() { start(true); }

void RunPanel::start(bool all) {
    if (!session_.isOpen() || session_.stage() == 0) return;
    all_ = all;
    if (!session_.runStages(request(all))) said_->setText(tr("A run is in progress: cancel it first."));
}

void RunPanel::focusFirst() { device_->setFocus(Qt::ShortcutFocusReason); }

void RunPanel::cancel() { session_.jobs().cancel(session_.runningJob()); }

void RunPanel::enable() {
    const bool open = session_.isOpen(), running = session_.runningJob() != 0;
    run_->setEnabled(open && !running);
    runAll_->setEnabled(open && !running);
    form_->setEnabled(open && !running);
    bar_->setVisible(running);
    cancel_->setVisible(running);
    if (running) {
        poll_.start(kPollMs);
        showProgress();
    } else {
        poll_.stop();
    }
}

void RunPanel::showProgress() {
    for (const JobInfo& job : session_.jobs().visible()) {
        if (job.id != session_.runningJob()) continue;
        bar_->setRange(0, job.fraction < 0 ? 0 : 1000);
        if (job.fraction >= 0) bar_->setValue(int(job.fraction * 1000));
        said_->setText(QStringLiteral("%1   %2   %3 s").arg(job.title, job.detail).arg(double(job.elapsedMs) / 1000, 0, 'f', 1));
    }
}

void RunPanel::finished(const RunReport& report) {
    enable();
    QString text;
    if (report.error) {
        text = report.error->what;
        if (!report.error->where.isEmpty()) text += QStringLiteral(" (%1)").arg(report.error->where);
        if (!report.error->todo.isEmpty()) text += QLatin1Char(' ') + report.error->todo;
    } else if (report.cancelled) {
        text = tr("Cancelled. %1 ran to the end and are recorded.").arg(counted(report.stages, tr("stage"), tr("stages")));
    } else if (report.failed) {
        text = tr("A stage did not run to its end: the row of its run says why. %1 did.").arg(counted(report.stages, tr("stage"), tr("stages")));
    } else if (report.differing > 0) {
        text = tr("%1 of %2 give other numbers than the first stage.").arg(report.differing).arg(counted(report.compared, tr("stage"), tr("stages")));
    } else if (report.compared > 0) {
        text = tr("%1 ran; every one gives what the first gives.").arg(counted(report.stages, tr("stage"), tr("stages")));
    } else {
        text = tr("%1 ran.").arg(counted(report.stages, tr("stage"), tr("stages")));
    }
    said_->setText(text);
    said_->setToolTip(text);
    said_->setAccessibleName(text);
    if (all_ && !report.error && report.differing > 0) emit numericsWanted();
}

void RunPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (dirty_) showHistory();
}

void RunPanel::showHistory() {
    enable();
    dirty_ = !isVisible();
    auto show = [this](std::vector<RunHistoryRow> rows) {
        table_->clearSpans();
        history_->setContents(std::move(rows));
        for (int row = 0; row < history_->rowCount(); ++row)
            if (history_->index(row, 0).data(RunHistoryModel::MessageRole).toBool())
                table_->setSpan(row, RunHistoryModel::Stage, 1, RunHistoryModel::ColumnCount - RunHistoryModel::Stage);
        const bool any = history_->rowCount() > 0;
        table_->setVisible(any);
        empty_->setVisible(!any);
        empty_->setText(session_.isOpen()
                            ? tr("Nothing was run yet.\nF5 runs the current stage, Ctrl+F5 all of them and compares each with the first.")
                            : tr("Open a graph: its stages can be run here, the original program included."));
    };
    if (!session_.isOpen() || dirty_) return show({});
    session_.ask(
        QStringLiteral("runs"), [lane = session_.data().lane](const Recording& recording, const JobContext&) { return runHistory(recording, lane); },
        [recording = session_.data().recording, show, this](std::vector<RunHistoryRow> rows) {
            if (recording == session_.data().recording) show(std::move(rows));
        });
}

void RunPanel::openRow(const QModelIndex& index) {
    const int stage = index.data(RunHistoryModel::StageRole).toInt();
    if (!index.data(RunHistoryModel::MessageRole).toBool()) {
        emit memoryWanted(stage, index.data(RunHistoryModel::RunRole).toLongLong());
        return;
    }
    const Uid uid = index.data(RunHistoryModel::UidRole).toULongLong();
    if (uid == kNoUid) return;
    if (stage == session_.stage()) {
        session_.selectNode(uid, Origin::Run);
        return;
    }
    pendingNode_ = uid;
    session_.setStage(stage);
}

void RunPanel::chooseInputs() {
    auto* dialog = new QFileDialog(this, tr("Inputs"));
    dialog->setObjectName(QStringLiteral("run.dialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Tensors (*.safetensors *.npz *.npy)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, inputs_, &QLineEdit::setText);
    dialog->open();
}

QString RunPanel::command() const {
    const RunRequest r = request(stages_->currentIndex() == kAllStages);
    QStringList options{QStringLiteral("--device"), r.device};
    if (!r.stages.empty()) options << QStringLiteral("--stage") << QString::number(r.stages.front());
    if (!r.inputs.isEmpty()) options << QStringLiteral("--inputs") << r.inputs;
    options << QStringLiteral("--seed") << QString::number(r.seed);
    if (r.repeat > 1) options << QStringLiteral("--repeat") << QString::number(r.repeat);
    if (r.limitSeconds > 0) options << QStringLiteral("--timeout") << QString::number(r.limitSeconds);
    if (r.rtol) options << QStringLiteral("--rtol") << QString::number(*r.rtol);
    if (r.atol) options << QStringLiteral("--atol") << QString::number(*r.atol);
    if (r.doubles) options << QStringLiteral("--reference") << QStringLiteral("f64");
    if (r.standIn) options << QStringLiteral("--stand-in");
    if (r.findStaleReads) options << QStringLiteral("--sanitize") << QStringLiteral("reads");
    return commandLine(session_, QStringLiteral("exec"), options);
}

}  // namespace aliascope
