#pragma once
// How a session was left: lane, stage, selection, drawing, what is shown. Kept in the session file itself, so that it opens as it was left
// (ui.md 3.6).

#include <QByteArray>
#include <QObject>
#include <QTimer>

#include "views/session/session.h"

class QTabWidget;

namespace aliascope {

class StagePanel;

class WindowState : public QObject {
    Q_OBJECT

public:
    /// Reads the state of what is opened and writes it back after changes, on job threads. Sessions of samples and of files that were not saved have
    /// none.
    WindowState(Session& session, StagePanel& stage, QTabWidget& inspector, QTabWidget& tables, QObject* parent);
    /// `wanted`: the request named a stage or a node, which goes before what was left.
    void setWanted(bool wanted) { wanted_ = wanted; }
    /// Writes at once what has changed since the last time.
    void flush();

private:
    void restore();
    void apply(const QByteArray& state);
    void finish();
    void changed();
    QByteArray current() const;

    Session& session_;
    StagePanel& stage_;
    QTabWidget &inspector_, &tables_;
    QTimer later_;
    QString path_;                 ///< of the session that was restored
    std::string node_;             ///< to select as soon as the stage is there
    std::int64_t wantedLane_ = 0;  ///< on its way; what is shown until then is of another lane
    int wantedStage_ = 0;
    QByteArray written_;
    bool wanted_ = false;
};

}  // namespace aliascope
