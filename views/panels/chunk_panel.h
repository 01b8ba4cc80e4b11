#pragma once
// The auto-chunker's plan (ui.md 2.11): what it cut of the lane on screen or why it did not, the predicted peaks, and how each node is cut.

#include <QWidget>
#include <vector>

#include "views/models/chunk_model.h"
#include "views/session/session.h"

class QCheckBox;
class QLabel;
class QSpinBox;
class QTableView;
class QToolButton;

namespace aliascope {

class ChunkPanel : public QWidget {
    Q_OBJECT

public:
    explicit ChunkPanel(Session& session, QWidget* parent = nullptr);
    /// The command line that prints this plan.
    QString command() const;

private:
    struct Answer {
        std::vector<ChunkRow> rows;
        std::vector<ChunkEstimateRow> estimates;
    };

    void build();
    void refresh();
    void adopt(const Answer& answer);
    void showVerdict();
    void cut();
    void follow(const Selection& selection, Origin origin);
    /// The last stage of the lane in which the pass ran; 0 = none.
    int chunkStage() const;
    const DecisionRow* verdict() const;

    Session& session_;
    ChunkModel* model_;
    QSpinBox* chunks_ = nullptr;
    QCheckBox* extended_ = nullptr;
    QLabel *verdict_ = nullptr, *peaks_ = nullptr;
    QTableView* table_ = nullptr;
    bool following_ = false;
};

}  // namespace aliascope
