#pragma once
// Places that the reader wants to come back to: a node of a stage, or a whole stage (ui.md 3.1). Each edit is one step of undo. Belongs to the UI
// thread.

#include <QObject>
#include <vector>

#include "core/recording/recording.h"

class QUndoStack;

namespace aliascope {

class Bookmarks : public QObject {
    Q_OBJECT

public:
    /// Edits go to `undo`.
    explicit Bookmarks(QUndoStack& undo, QObject* parent = nullptr);

    /// In the order in which they were set.
    const std::vector<NoteRow>& rows() const { return rows_; }
    /// Index of the bookmark of a place; -1 when it has none.
    int indexOf(std::int64_t lane, int stage, const std::optional<Uid>& uid) const;
    /// Sets a bookmark, or takes away the one of the same place. True when it is set now.
    bool toggle(NoteRow place);
    void remove(int index);
    /// What the reader calls it.
    void rename(int index, const std::string& text);
    /// What a session was left with; no step of undo.
    void restore(std::vector<NoteRow> rows);

signals:
    void changed();

private:
    class Edit;
    void push(const QString& text, std::vector<NoteRow> after);
    void replace(std::vector<NoteRow> rows);

    QUndoStack& undo_;
    std::vector<NoteRow> rows_;
};

}  // namespace aliascope
