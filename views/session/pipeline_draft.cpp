#include "views/session/pipeline_draft.h"

#include <QUndoCommand>
#include <algorithm>
#include <map>

#include "views/models/format.h"

namespace aliascope {

class PipelineDraft::Edit : public QUndoCommand {
public:
    Edit(PipelineDraft& draft, const QString& text, std::vector<DraftStep> after)
        : QUndoCommand(text), draft_(draft), before_(draft.steps_), after_(std::move(after)) {}
    void undo() override { draft_.replace(before_); }
    void redo() override { draft_.replace(after_); }

private:
    PipelineDraft& draft_;
    std::vector<DraftStep> before_, after_;
};

namespace {

std::string textOf(const std::vector<DraftStep>& steps) {
    std::string out;
    for (const DraftStep& step : steps) {
        if (!step.enabled) continue;
        if (!out.empty()) out += ',';
        out += step.str();
    }
    return out;
}

bool same(const DraftStep& a, const DraftStep& b) { return a.enabled == b.enabled && a.str() == b.str(); }

}  // namespace

PipelineDraft::PipelineDraft(QObject* parent) : QObject(parent) {}

void PipelineDraft::load(const std::string& pipeline, const std::vector<StageRow>& stages) {
    const Result<Pipeline> parsed = pipeline.empty() ? Result<Pipeline>(Pipeline()) : parsePipeline(pipeline);
    std::vector<DraftStep> recorded;
    if (parsed)
        for (const PipelineStep& step : parsed->steps) recorded.push_back({step});
    stages_ = stages;
    const bool ran = !steps_.empty() && !recorded.empty() && textOf(recorded) == textOf(steps_);
    recorded_ = std::move(recorded);
    if (!ran) undo_.clear();
    replace(recorded_);
}

std::size_t PipelineDraft::firstEdited() const {
    std::size_t i = 0;
    while (i < steps_.size() && i < recorded_.size() && same(steps_[i], recorded_[i])) ++i;
    return i;
}

bool PipelineDraft::edited() const { return firstEdited() < std::max(steps_.size(), recorded_.size()); }

QString PipelineDraft::text() const { return QString::fromStdString(textOf(steps_)); }

void PipelineDraft::push(const QString& text, std::vector<DraftStep> after) { undo_.push(new Edit(*this, text, std::move(after))); }

void PipelineDraft::replace(std::vector<DraftStep> steps) {
    steps_ = std::move(steps);
    findStages();
    emit changed();
}

/// Stages stand in the order of the recorded steps, one each; a step keeps the stage of the same pass, counted by occurrence.
void PipelineDraft::findStages() {
    std::map<std::string_view, std::vector<int>> stagesOf;
    for (std::size_t i = 0; i < recorded_.size() && i + 1 < stages_.size(); ++i)
        stagesOf[recorded_[i].step.pass->name()].push_back(stages_[i + 1].idx);
    std::map<std::string_view, std::size_t> seen;
    for (DraftStep& step : steps_) {
        const auto& known = stagesOf[step.step.pass->name()];
        const std::size_t nth = seen[step.step.pass->name()]++;
        step.stage = nth < known.size() ? known[nth] : 0;
    }
}

void PipelineDraft::setEnabled(std::size_t at, bool on) {
    if (at >= steps_.size() || steps_[at].enabled == on) return;
    std::vector<DraftStep> after = steps_;
    after[at].enabled = on;
    const QString name = qstr(std::string(after[at].step.pass->name()));
    push(on ? tr("switch on %1").arg(name) : tr("switch off %1").arg(name), std::move(after));
}

void PipelineDraft::setOption(std::size_t at, const std::string& key, const std::string& value) {
    if (at >= steps_.size() || steps_[at].step.options.get(key) == value) return;
    std::vector<DraftStep> after = steps_;
    after[at].step.options.set(key, value);
    const QString text = tr("set %1 of %2").arg(qstr(key), qstr(std::string(steps_[at].step.pass->name())));
    push(text, std::move(after));
}

bool PipelineDraft::move(std::size_t at, int by) {
    const auto to = std::int64_t(at) + by;
    if (at >= steps_.size() || to < 0 || to >= std::ssize(steps_)) return false;
    std::vector<DraftStep> after = steps_;
    DraftStep moved = std::move(after[at]);
    after.erase(after.begin() + std::ptrdiff_t(at));
    after.insert(after.begin() + to, std::move(moved));
    push(tr("move %1").arg(qstr(std::string(steps_[at].step.pass->name()))), std::move(after));
    return true;
}

void PipelineDraft::duplicate(std::size_t at) {
    if (at >= steps_.size()) return;
    std::vector<DraftStep> after = steps_;
    const DraftStep copy = after[at];
    after.insert(after.begin() + std::ptrdiff_t(at) + 1, copy);
    push(tr("duplicate %1").arg(qstr(std::string(copy.step.pass->name()))), std::move(after));
}

}  // namespace aliascope
