#pragma once
// The pipeline of the open lane as the user edits it: order, options, what is switched off (ui.md 2.2, 3.3). Each edit is one step of undo. Nothing
// is computed here: stages from the first edit on are stale until the text is run. Belongs to the UI thread.

#include <QObject>
#include <QUndoStack>
#include <string>
#include <vector>

#include "core/pipeline/pipeline.h"
#include "core/recording/recording.h"

namespace aliascope {

struct DraftStep {
    PipelineStep step;
    bool enabled = true;
    int stage = 0;  ///< recorded stage that shows the same pass; 0 = none
    std::string str() const { return step.str(); }
};

class PipelineDraft : public QObject {
    Q_OBJECT

public:
    explicit PipelineDraft(QObject* parent = nullptr);

    /// The pipeline that a lane was recorded with. Edits stay where the text is what they had come to; another text forgets them.
    void load(const std::string& pipeline, const std::vector<StageRow>& stages);
    /// False for lanes that another compiler recorded.
    bool editable() const { return !recorded_.empty(); }
    const std::vector<DraftStep>& steps() const { return steps_; }
    /// Index of the first step that differs from the recorded pipeline; steps().size() when none does.
    std::size_t firstEdited() const;
    bool edited() const;
    /// What runs: steps that are switched off left out.
    QString text() const;
    QUndoStack* undoStack() { return &undo_; }

    void setEnabled(std::size_t step, bool on);
    void setOption(std::size_t step, const std::string& key, const std::string& value);
    /// Puts the step `by` places later; negative = earlier. False at the ends.
    bool move(std::size_t step, int by);
    void duplicate(std::size_t step);

signals:
    void changed();

private:
    class Edit;
    void push(const QString& text, std::vector<DraftStep> after);
    void replace(std::vector<DraftStep> steps);
    void findStages();

    std::vector<DraftStep> recorded_, steps_;
    std::vector<StageRow> stages_;
    QUndoStack undo_;
};

}  // namespace aliascope
