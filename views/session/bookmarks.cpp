#include "views/session/bookmarks.h"

#include <QUndoStack>
#include <algorithm>

#include "views/models/format.h"

namespace aliascope {

class Bookmarks::Edit : public QUndoCommand {
public:
    Edit(Bookmarks& owner, const QString& text, std::vector<NoteRow> after)
        : QUndoCommand(text), owner_(owner), before_(owner.rows_), after_(std::move(after)) {}
    void undo() override { owner_.replace(before_); }
    void redo() override { owner_.replace(after_); }

private:
    Bookmarks& owner_;
    std::vector<NoteRow> before_, after_;
};

Bookmarks::Bookmarks(QUndoStack& undo, QObject* parent) : QObject(parent), undo_(undo) {}

void Bookmarks::replace(std::vector<NoteRow> rows) {
    if (rows == rows_) return;
    rows_ = std::move(rows);
    emit changed();
}

void Bookmarks::push(const QString& text, std::vector<NoteRow> after) { undo_.push(new Edit(*this, text, std::move(after))); }

int Bookmarks::indexOf(std::int64_t lane, int stage, const std::optional<Uid>& uid) const {
    const auto at =
        std::find_if(rows_.begin(), rows_.end(), [&](const NoteRow& row) { return row.lane == lane && row.stage == stage && row.uid == uid; });
    return at == rows_.end() ? -1 : int(at - rows_.begin());
}

bool Bookmarks::toggle(NoteRow place) {
    if (const int at = indexOf(place.lane, place.stage, place.uid); at >= 0) {
        remove(at);
        return false;
    }
    place.kind = "bookmark";
    std::vector<NoteRow> after = rows_;
    const QString text = qstr(place.text);
    after.push_back(std::move(place));
    push(tr("bookmark %1").arg(text), std::move(after));
    return true;
}

void Bookmarks::remove(int index) {
    if (index < 0 || index >= int(rows_.size())) return;
    std::vector<NoteRow> after = rows_;
    after.erase(after.begin() + index);
    push(tr("remove the bookmark %1").arg(qstr(rows_[std::size_t(index)].text)), std::move(after));
}

void Bookmarks::rename(int index, const std::string& text) {
    if (index < 0 || index >= int(rows_.size()) || rows_[std::size_t(index)].text == text || text.empty()) return;
    std::vector<NoteRow> after = rows_;
    after[std::size_t(index)].text = text;
    push(tr("rename the bookmark %1").arg(qstr(text)), std::move(after));
}

void Bookmarks::restore(std::vector<NoteRow> rows) { replace(std::move(rows)); }

}  // namespace aliascope
