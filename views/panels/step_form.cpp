#include "views/panels/step_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

StepForm::StepForm(PipelineDraft& draft, QWidget* parent) : QWidget(parent), draft_(draft) {
    setObjectName(QStringLiteral("passes.form"));
    setAccessibleName(tr("Options of the step"));
    setProperty("surface", QStringLiteral("canvas"));
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Metrics::em(2.4), Metrics::gap(), Metrics::pad(), Metrics::gap());
    column->setSpacing(Metrics::gap());
    auto* head = new QHBoxLayout;
    head->setSpacing(Metrics::tight());
    title_ = heading({}, this);
    title_->setObjectName(QStringLiteral("passes.form.title"));
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    head->addWidget(title_, 1);
    enabled_ = new QCheckBox(tr("on"), this);
    enabled_->setObjectName(QStringLiteral("passes.form.enabled"));
    enabled_->setAccessibleName(tr("The pass runs"));
    enabled_->setToolTip(tr("Switch the pass on or off"));
    head->addWidget(enabled_);
    up_ = iconButton(QStringLiteral("up"), tr("Earlier (Alt+Shift+Up)"), QStringLiteral("passes.form.up"), this);
    down_ = iconButton(QStringLiteral("down"), tr("Later (Alt+Shift+Down)"), QStringLiteral("passes.form.down"), this);
    copy_ = iconButton(QStringLiteral("copy"), tr("Run it twice: duplicate the step"), QStringLiteral("passes.form.duplicate"), this);
    for (QToolButton* button : {up_, down_, copy_}) head->addWidget(button);
    column->addLayout(head);
    options_ = new QWidget(this);
    form_ = new QFormLayout(options_);
    form_->setContentsMargins(0, 0, 0, 0);
    form_->setSpacing(Metrics::tight());
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
    column->addWidget(options_);
    state_ = quietLabel({}, this);
    state_->setObjectName(QStringLiteral("passes.form.state"));
    column->addWidget(state_);
    run_ = textButton(tr("Run the edited pipeline"), QStringLiteral("passes.form.run"), this);
    column->addWidget(run_);

    connect(enabled_, &QCheckBox::toggled, this, [this](bool on) {
        if (!filling_ && step_ >= 0) draft_.setEnabled(std::size_t(step_), on);
    });
    const auto move = [this](int by) {
        if (step_ < 0 || !draft_.move(std::size_t(step_), by)) return;
        emit stepMoved(step_ + by);
    };
    connect(up_, &QToolButton::clicked, this, [move] { move(-1); });
    connect(down_, &QToolButton::clicked, this, [move] { move(1); });
    connect(copy_, &QToolButton::clicked, this, [this] {
        if (step_ >= 0) draft_.duplicate(std::size_t(step_));
    });
    connect(run_, &QPushButton::clicked, this, &StepForm::runWanted);
    connect(&draft_, &PipelineDraft::changed, this, &StepForm::fill);
    fill();
}

/// The form stands in a list that scrolls: the wheel must not change what lies under the pointer on its way.
bool StepForm::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) return QWidget::eventFilter(watched, event);
    event->ignore();
    return true;
}

void StepForm::setStep(int step) {
    if (step == step_) return;
    step_ = step;
    fill();
}

void StepForm::fill() {
    filling_ = true;
    const bool known = step_ >= 0 && std::size_t(step_) < draft_.steps().size();
    for (QWidget* part : std::initializer_list<QWidget*>{enabled_, up_, down_, copy_}) part->setEnabled(known);
    if (known) {
        const DraftStep& step = draft_.steps()[std::size_t(step_)];
        title_->setText(tr("Step %1").arg(step_ + 1));  // its name stands in the row above
        title_->setToolTip(qstr(std::string(step.step.pass->help())));
        enabled_->setChecked(step.enabled);
        up_->setEnabled(step_ > 0);
        down_->setEnabled(std::size_t(step_) + 1 < draft_.steps().size());
        showOptions(step.step);
    } else {
        clearOptions();
        title_->setText(draft_.editable() ? tr("imported") : tr("no pipeline"));
        title_->setToolTip({});
    }
    const bool edited = draft_.edited();
    if (!draft_.editable())
        state_->setText(tr("These stages were written by another compiler: there is no pipeline to edit."));
    else if (edited)
        state_->setText(tr("Edited: step %1 and what follows is stale until it is run.").arg(draft_.firstEdited() + 1));
    else
        state_->setText(known && form_->rowCount() == 0 ? tr("This pass has no options.") : QString());
    state_->setVisible(!state_->text().isEmpty());
    run_->setVisible(edited);
    filling_ = false;
}

void StepForm::clearOptions() {
    while (form_->rowCount() > 0) form_->removeRow(form_->rowCount() - 1);
    shown_ = nullptr;
}

/// Fields of the pass that is shown already keep the focus and take the new values.
void StepForm::showOptions(const PipelineStep& step) {
    if (shown_ != step.pass || shownStep_ != step_) {
        clearOptions();
        for (const PassOption& option : step.pass->options()) addOption(option, step.options.get(option.key));
        shown_ = step.pass;
        shownStep_ = step_;
        return;
    }
    for (const PassOption& option : step.pass->options()) {
        const QString value = qstr(step.options.get(option.key));
        QWidget* field = options_->findChild<QWidget*>(QStringLiteral("passes.form.option.") + qstr(option.key));
        if (auto* box = qobject_cast<QComboBox*>(field)) box->setCurrentText(value);
        if (auto* line = qobject_cast<QLineEdit*>(field)) line->setText(value);
    }
}

void StepForm::addOption(const PassOption& option, const std::string& value) {
    const QString name = QStringLiteral("passes.form.option.") + qstr(option.key);
    QString key = qstr(option.key);
    key.replace(QLatin1Char('-'), QLatin1Char(' '));
    // Queued: an edit fills the form anew, and the field that said so with it.
    const auto set = [this, key = option.key, step = step_](const QString& text) {
        if (filling_) return;
        QMetaObject::invokeMethod(
            this,
            [this, key, step, text] {
                if (step == step_) draft_.setOption(std::size_t(step), key, text.toStdString());
            },
            Qt::QueuedConnection);
    };
    QWidget* field = nullptr;
    if (option.type == PassOption::Type::Enum) {
        QComboBox* box = choiceBox(key, name, options_);
        for (const std::string& word : option.values) box->addItem(qstr(word));
        box->setCurrentText(qstr(value));
        box->installEventFilter(this);
        connect(box, &QComboBox::textActivated, this, set);
        field = box;
    } else {
        auto* line = new QLineEdit(qstr(value), options_);
        line->setObjectName(name);
        line->setAccessibleName(key);
        if (value.empty()) line->setPlaceholderText(tr("default"));
        connect(line, &QLineEdit::editingFinished, this, [set, line] { set(line->text()); });
        field = line;
    }
    field->setToolTip(qstr(option.help));
    auto* label = new QLabel(key, options_);
    label->setBuddy(field);
    form_->addRow(label, field);
}

}  // namespace aliascope
