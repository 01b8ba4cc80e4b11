#pragma once
// Stages of a lane, and the rewrites inside each, for the timeline (ui.md 2.2).

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/query/find.h"
#include "core/recording/recording.h"

namespace aliascope {

class PassListModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Columns { Name, Nodes, Added, Removed, Modified, Clones, CopiesBack, ByteDelta, Rewrites, Time, ColumnCount };
    enum Roles {
        IndexRole = Qt::UserRole,  ///< stage number; of a rewrite its stage's
        StageNameRole,
        IsRewriteRole,
        ChangedRole,
        StateRole,
        NodesRole,
        AddedRole,
        RemovedRole,
        ModifiedRole,
        ClonesRole,
        CopiesRole,
        BytesRole,
        ByteDeltaRole,      ///< cloned plus copied back, this stage minus the one before
        TouchedRole,        ///< touched the selected node
        MessageRole,        ///< of a failed, skipped, stale or switched-off stage
        LargestChangeRole,  ///< most nodes changed by any stage, for the bar
        SortRole,
    };

    explicit PassListModel(QObject* parent = nullptr);

    /// `steps`: rows after the first one that stand for a step of the pipeline and can be dragged to another place.
    void setStages(std::vector<StageRow> stages, int steps = 0);
    /// Answers rewritesWanted.
    void setRewrites(int stage, std::vector<RewriteRow> rewrites);
    /// Stages that touched the selection carry a tick.
    void setTouched(std::set<int> stages);
    QModelIndex indexOfStage(int stage) const;
    const StageRow* stageAt(const QModelIndex& index) const;
    const RewriteRow* rewriteAt(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    bool hasChildren(const QModelIndex& parent = {}) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column, const QModelIndex& parent) const override;
    /// Changes nothing but says what is wanted; the list follows the pipeline.
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column, const QModelIndex& parent) override;

signals:
    void rewritesWanted(int stage);
    void moveWanted(int fromStep, int toStep);

private:
    struct Stage {
        StageRow row;
        std::int64_t byteDelta = 0;
        bool asked = false, touched = false;
        std::vector<RewriteRow> rewrites;
    };
    QVariant stageData(const Stage& stage, int column, int role) const;
    QVariant rewriteData(const Stage& stage, const RewriteRow& rewrite, int column, int role) const;

    std::vector<Stage> stages_;
    std::int64_t largestChange_ = 1;
    int steps_ = 0;
};

/// What passes did beyond counts, by stage: what the filter asks about and the table does not show.
struct PassFacts {
    std::set<std::string> ops, names, rules;  ///< operators of nodes that it added, removed or changed; their names; rules that it applied
};
using PassFactsPtr = std::shared_ptr<const std::map<int, PassFacts>>;
/// Reads the facts of every stage of a lane. Nothing when cancelled. Job threads only.
PassFactsPtr readPassFacts(const Recording& recording, std::int64_t lane, const std::vector<StageRow>& stages, const CancelToken& cancel);

class PassFilterProxy : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit PassFilterProxy(QObject* parent = nullptr);
    void setChangedOnly(bool on);
    /// The language of ui.md 3.7; what is typed so far filters.
    void setQuery(const QString& query);
    /// Null = not read yet: terms about operators, rules and nodes then find nothing.
    void setFacts(PassFactsPtr facts);
    void setDecisions(std::shared_ptr<const std::vector<DecisionRow>> decisions);
    /// What is wrong with the text; empty when nothing is.
    const QString& mistake() const { return mistake_; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    bool changedOnly_ = false;
    query::Find find_;
    QString mistake_;
    PassFactsPtr facts_;
    std::shared_ptr<const std::vector<DecisionRow>> decisions_;
};

}  // namespace aliascope
