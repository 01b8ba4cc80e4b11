#pragma once
// The bundled samples and the files opened lately, as lists for the start page (ui.md 2.13).

#include <QAbstractListModel>
#include <QStringList>
#include <vector>

#include "views/session/opening.h"

namespace aliascope {

struct Sample {
    QString file, title, pipeline, ops, story;
    OpenRequest request() const;
};

/// Of samples.json, in its order.
const std::vector<Sample>& bundledSamples();

/// What a row of either list says.
enum StartRoles { TitleRole = Qt::UserRole, DetailRole, MissingRole };

class SampleModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
};

class RecentModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    void setPaths(QStringList paths);
    const QStringList& paths() const { return paths_; }
    /// Puts `path` first; keeps 20.
    void add(const QString& path);
    void remove(int row);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    QStringList paths_;
};

}  // namespace aliascope
