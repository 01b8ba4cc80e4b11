#pragma once
// Up to six storages that the reader gave a colour and a pattern (ui.md 2.3). A storage is known by its base, so that it keeps its colour while
// stages are stepped through. Belongs to the UI thread.

#include <QObject>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/recording/recording.h"
#include "views/session/selection.h"

class QUndoStack;

namespace aliascope {

struct StageView;

inline constexpr int kPinnedStorages = 6;

struct StoragePin {
    std::int64_t lane = 0;
    Uid base = kNoUid;  ///< kNoUid = the slot is free
    std::string name;   ///< of the base, when it was pinned
    friend bool operator==(const StoragePin&, const StoragePin&) = default;
};

/// Which slot a storage of one stage has: what painters ask.
struct StorageColours {
    std::array<int, kPinnedStorages> storages{-1, -1, -1, -1, -1, -1};  ///< by slot; -1 = none in this stage
    bool any = false;                                                   ///< storages are pinned, in this stage or in another
    /// As long as nothing is pinned every storage has one of the six; after that only those that are. -1 = none.
    int slotOf(int storage) const;
    bool pinned(int storage) const;
    /// To point a storage out: its own slot, else one that no other storage has.
    int shownSlotOf(int storage) const;
    friend bool operator==(const StorageColours&, const StorageColours&) = default;
};

class StoragePins : public QObject {
    Q_OBJECT

public:
    using Slots = std::array<StoragePin, kPinnedStorages>;
    /// Edits go to `undo`.
    explicit StoragePins(QUndoStack& undo, QObject* parent = nullptr);

    const Slots& pins() const { return pins_; }
    bool any() const;
    /// Gives the slot to a storage, which leaves another slot that it had; takes it away from a storage that has this one already.
    void toggle(int slot, const StoragePin& pin);
    void clear();
    /// What a session was left with; no step of undo.
    void restore(const std::vector<NoteRow>& rows);
    std::vector<NoteRow> rows() const;
    StorageColours coloursIn(const StageView& view) const;
    /// Of the pins of `lane` in a stage of another lane, of which `counterparts` says what node stands for which of `lane`.
    StorageColours coloursIn(const StageView& view, std::int64_t lane, const std::unordered_map<Uid, Uid>& counterparts) const;

signals:
    void changed();

private:
    class Edit;
    void replace(const Slots& pins);

    QUndoStack& undo_;
    Slots pins_;
};

}  // namespace aliascope
