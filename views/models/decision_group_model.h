#pragma once
// Decisions in groups, by operator, reason, verdict, argument or stage, with the bytes of each group added up (ui.md 2.6).

#include <QAbstractItemModel>
#include <vector>

#include "views/models/decision_model.h"

namespace aliascope {

enum class DecisionGrouping : std::uint8_t { None, Operator, Reason, Verdict, Argument, Stage };
inline constexpr int kDecisionGroupings = 6;
/// `no groups`, `by operator`, …
QString groupingText(DecisionGrouping grouping);

class DecisionGroupModel : public QAbstractItemModel {
    Q_OBJECT

public:
    /// Children show what `rows` shows of the same decision; `rows` must outlive this.
    explicit DecisionGroupModel(const DecisionModel& rows, QObject* parent = nullptr);
    /// `shown`: rows of the decision model, in the order in which they are wanted.
    void setContents(DecisionGrouping grouping, const std::vector<int>& shown);
    const DecisionRow* decisionAt(const QModelIndex& index) const;
    QModelIndex indexOf(std::int64_t decision) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Group {
        QString key;
        std::vector<int> rows;
        std::int64_t copies = 0, reported = 0, cloned = 0;
    };
    QVariant groupData(const Group& group, int column, int role) const;

    const DecisionModel& rows_;
    std::vector<Group> groups_;
};

}  // namespace aliascope
