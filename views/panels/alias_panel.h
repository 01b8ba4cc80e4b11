#pragma once
// Which values are the same memory: storages, their members and writes, and the byte map of the selected one (ui.md 2.5).

#include <QWidget>

#include "views/models/alias_tree_model.h"
#include "views/session/session.h"

class QLabel;
class QScrollArea;
class QTreeView;

namespace aliascope {

class ByteMapCanvas;

class AliasPanel : public QWidget {
    Q_OBJECT

public:
    explicit AliasPanel(Session& session, QWidget* parent = nullptr);
    /// Next or previous write to the storage of the selection, in program order; false when there is none.
    bool goToWrite(int direction);
    /// Overlap, gap and containment of the two rows that are selected; what is known of the storage when it is one.
    QString comparison() const;
    ByteMapCanvas* map() const { return map_; }
    QString command() const;

private:
    void build();
    void showStage();
    void follow(const Selection& selection, Origin origin);
    void load(int storage);
    void showMap(const AliasRowsPtr& rows);
    void showRow(int storage, Uid uid);
    void compareWith(Uid uid);
    void compareSelectedRows();
    void showComparison();
    QWidget* buildMap(QWidget* parent);

    Session& session_;
    AliasTreeModel* model_;
    QLabel *head_ = nullptr, *mapHead_ = nullptr, *overlap_ = nullptr;
    QTreeView* tree_ = nullptr;
    QWidget* mapBox_ = nullptr;
    ByteMapCanvas* map_ = nullptr;
    QScrollArea* mapScroll_ = nullptr;
    QLabel *pair_ = nullptr, *cursor_ = nullptr;
    Uid compared_ = kNoUid;
    bool following_ = false;
    int pendingWrite_ = 0;
};

}  // namespace aliascope
