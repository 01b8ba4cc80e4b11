// Marks of the reader in the open session: colours of storages, bookmarks.

#include <QDateTime>

#include "views/models/format.h"
#include "views/session/session.h"

namespace aliascope {

void Session::readMarks() {
    readingMarks_ = true;
    storagePins_.restore({});
    bookmarks_.restore({});
    readingMarks_ = false;
    struct Marks {
        std::vector<NoteRow> pins, bookmarks;
    };
    ask(
        QStringLiteral("marks"),
        [](const Recording& recording, const JobContext&) {
            return Marks{recording.notes("pin"), recording.notes("bookmark")};
        },
        [this, recording = data_.recording](Marks marks) {
            if (recording != data_.recording) return;
            readingMarks_ = true;
            storagePins_.restore(marks.pins);
            bookmarks_.restore(std::move(marks.bookmarks));
            readingMarks_ = false;
        });
}

/// At once, so that a crash loses no mark; one writer at a time, so that the newest list is the last to be written.
void Session::writeMarks() {
    if (readingMarks_ || !isOpen()) return;
    marksChanged_ = writingMarks_;
    if (writingMarks_) return;
    writingMarks_ = true;
    jobs_.start(
        QString(), QString(), JobQueue::Kind::Quiet,
        [recording = data_.recording, pins = storagePins_.rows(), bookmarks = bookmarks_.rows()](const JobContext&) {
            const Status written = recording->setNotes("pin", pins);
            return written ? recording->setNotes("bookmark", bookmarks) : written;
        },
        [this](const Status& written) {
            writingMarks_ = false;
            if (!written) emit notice(tr("The mark is not kept in the file: %1").arg(reportOf(written.error()).what));
            if (marksChanged_) writeMarks();
        });
}

bool Session::pinStorage(int slot) {
    const StorageRow* storage = view_ && selection_.storage >= 0 ? view_->storage(selection_.storage) : nullptr;
    if (!storage) return false;
    storagePins_.toggle(slot, {data_.lane, storage->base, storage->baseName});
    return true;
}

bool Session::toggleBookmark() {
    const StageRow* row = stageRow(stage_);
    if (!row || !view_) return false;
    const NodeRow* node = view_->node(selection_.node);
    NoteRow place;
    place.created = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    place.lane = data_.lane;
    place.stage = stage_;
    if (node) place.uid = node->uid;
    place.text = node ? "%" + node->name : row->name;
    return bookmarks_.toggle(std::move(place));
}

void Session::goTo(std::int64_t lane, int stage, Uid uid) {
    wantedPlace_ = NoteRow();
    wantedPlace_->lane = lane;
    wantedPlace_->stage = stage;
    if (uid != kNoUid) wantedPlace_->uid = uid;
    if (lane != data_.lane) return setLane(lane);
    if (stage != stage_ || !view_ || view_->stage != stage) return setStage(stage);
    arrive();
}

/// What is on the screen may be the place that was asked for, or still the one before.
void Session::arrive() {
    if (!wantedPlace_ || !view_ || view_->lane != wantedPlace_->lane || view_->stage != wantedPlace_->stage) return;
    const std::optional<Uid> uid = wantedPlace_->uid;
    wantedPlace_.reset();
    if (uid) selectNode(*uid, Origin::Command);
}

}  // namespace aliascope
