#pragma once
// Decisions of a lane: verdict, subject, reason, blocker, bytes (ui.md 2.6).

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/query/find.h"
#include "core/recording/recording.h"
#include "views/models/format.h"
#include "views/models/row_filter.h"

namespace aliascope {

class DecisionModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using Rows = std::vector<DecisionRow>;
    enum Columns { Verdict, What, Argument, Reason, Blocker, Reported, Cloned, Stage, ColumnCount };
    enum Roles { IdRole = Qt::UserRole, KindRole, SortRole };

    explicit DecisionModel(QObject* parent = nullptr);
    void setContents(std::shared_ptr<const Rows> rows);
    const std::shared_ptr<const Rows>& rows() const { return rows_; }
    const DecisionRow* at(int row) const;
    /// What the column Verdict is sorted by: avoidable copies first, what is well last, and in the order of the rows.
    std::int64_t rank(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const Rows> rows_;
    std::vector<std::uint8_t> ranks_;  ///< of verdicts, by row
};

class DecisionFilterProxy : public RowFilterProxy {
    Q_OBJECT

public:
    explicit DecisionFilterProxy(QObject* parent = nullptr);
    /// The language for finding (ui.md 3.7); what has been typed so far filters. Returns what is wrong with the rest; empty = nothing.
    QString setQuery(const QString& query);
    /// Passes of stages by stage id, for `pass:`.
    void setPasses(std::unordered_map<std::int64_t, std::string> passes) { passes_ = std::move(passes); }
    /// Kinds that are shown; none set = all.
    void setKinds(std::vector<VerdictKind> kinds);
    const DecisionRow* decisionAt(const QModelIndex& proxyIndex) const;

protected:
    bool keeps(int row) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    const DecisionModel* model() const;
    std::optional<query::Find> find_;
    std::unordered_map<std::int64_t, std::string> passes_;
    std::vector<VerdictKind> kinds_;
};

}  // namespace aliascope
