#pragma once
// Values of the stages side by side: rows are values, columns are stages, a cell says whether the stage still computes the same (ui.md 2.9).

#include <QAbstractTableModel>
#include <memory>
#include <optional>

#include "core/query/find.h"
#include "core/recording/value_matrix.h"
#include "views/models/row_filter.h"
#include "views/session/selection.h"

namespace aliascope {

class NumericsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// The value, the first stage, one column per compared stage, and the errors against doubles where a run has them.
    static constexpr int kValue = 0, kReference = 1, kFirstCell = 2;
    enum Roles {
        GlyphRole = Qt::UserRole,  ///< one character: `.` within tolerance, X differs and begins here, x inherited, n not finite, - no counterpart, ~
                                   ///< not comparable
        ErrorRole,                 ///< text of the largest error; empty where nothing differs
        StageRole,                 ///< of a cell's column
        UidRole,                   ///< of the cell's node in that stage
        DiffersRole                ///< of a row
    };

    explicit NumericsModel(QObject* parent = nullptr);
    void setContents(std::shared_ptr<const ValueMatrix> matrix);
    const std::shared_ptr<const ValueMatrix>& matrix() const { return matrix_; }
    /// Null where the stage has no such value, and outside the compared stages.
    const ComparedRow* cell(const QModelIndex& index) const;
    QModelIndex firstDivergence() const;
    /// Row of a node's value; -1 when it has none.
    int rowOf(Uid uid) const;
    /// The column of errors against a run in doubles; -1 while no value has one.
    int errorColumn() const { return hasErrors_ ? kFirstCell + int(matrix_->columns.size()) : -1; }
    /// Largest error of the row's value: against doubles where there is one, else against the first stage. Nothing where nothing was measured.
    std::optional<double> largestError(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QChar glyph(const QModelIndex& index) const;
    QString error(const QModelIndex& index) const;
    QString words(const QModelIndex& index) const;
    QVariant errorData(int row, int role) const;

    std::shared_ptr<const ValueMatrix> matrix_;
    bool hasErrors_ = false;
};

class NumericsFilterProxy : public RowFilterProxy {
    Q_OBJECT

public:
    using RowFilterProxy::RowFilterProxy;
    void setOnlyDifferences(bool on);
    /// A text of the find language (ui.md 3.7): words are parts of the value's name, `error>1e-3` asks for its largest error. What is typed so far
    /// filters; returns what is wrong with the rest, or nothing.
    QString setQuery(const QString& text);

protected:
    bool keeps(int row) const override;

private:
    bool onlyDifferences_ = false;
    std::optional<query::Find> find_;  ///< nothing = every value
};

/// `1.5e-07`, `3`, `inf`, as the command line writes it.
QString errorText(double error);
/// `differs, and it begins here`, … for people.
QString comparedWords(const ComparedRow& value);

}  // namespace aliascope
