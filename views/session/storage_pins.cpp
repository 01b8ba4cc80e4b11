#include "views/session/storage_pins.h"

#include <QUndoStack>
#include <algorithm>

#include "views/models/format.h"
#include "views/session/stage_view.h"

namespace aliascope {

namespace {

/// Storage of a stage that was made for `base`; -1 = none.
int storageOf(const StageView& view, Uid base) {
    for (const StorageRow& storage : *view.storages)
        if (storage.base == base) return storage.id;
    return -1;
}

}  // namespace

int StorageColours::slotOf(int storage) const {
    if (storage < 0) return -1;
    if (!any) return storage % kPinnedStorages;
    const auto at = std::find(storages.begin(), storages.end(), storage);
    return at == storages.end() ? -1 : int(at - storages.begin());
}

bool StorageColours::pinned(int storage) const { return any && slotOf(storage) >= 0; }

int StorageColours::shownSlotOf(int storage) const {
    if (const int slot = slotOf(storage); slot >= 0 || storage < 0) return slot;
    const auto free = std::find(storages.begin(), storages.end(), -1);
    return free == storages.end() ? 0 : int(free - storages.begin());
}

class StoragePins::Edit : public QUndoCommand {
public:
    Edit(StoragePins& pins, const QString& text, const Slots& after) : QUndoCommand(text), pins_(pins), before_(pins.pins_), after_(after) {}
    void undo() override { pins_.replace(before_); }
    void redo() override { pins_.replace(after_); }

private:
    StoragePins& pins_;
    Slots before_, after_;
};

StoragePins::StoragePins(QUndoStack& undo, QObject* parent) : QObject(parent), undo_(undo) {}

bool StoragePins::any() const {
    return std::any_of(pins_.begin(), pins_.end(), [](const StoragePin& pin) { return pin.base != kNoUid; });
}

void StoragePins::replace(const Slots& pins) {
    if (pins == pins_) return;
    pins_ = pins;
    emit changed();
}

void StoragePins::toggle(int slot, const StoragePin& pin) {
    if (slot < 0 || slot >= kPinnedStorages || pin.base == kNoUid) return;
    const auto same = [&](const StoragePin& other) { return other.lane == pin.lane && other.base == pin.base; };
    Slots after = pins_;
    const bool had = same(after[std::size_t(slot)]);
    for (StoragePin& other : after)
        if (same(other)) other = {};
    if (!had) after[std::size_t(slot)] = pin;
    const QString what = percentName(pin.name);
    undo_.push(new Edit(*this, had ? tr("release the colour of %1").arg(what) : tr("give %1 colour %2").arg(what).arg(slot + 1), after));
}

void StoragePins::clear() {
    if (any()) undo_.push(new Edit(*this, tr("release all colours"), {}));
}

void StoragePins::restore(const std::vector<NoteRow>& rows) {
    Slots pins;
    for (const NoteRow& row : rows) {
        const std::size_t blank = row.text.find(' ');
        const int slot = int(row.text.empty() ? -1 : row.text[0] - '1');
        if (slot < 0 || slot >= kPinnedStorages || blank == std::string::npos || !row.uid) continue;
        pins[std::size_t(slot)] = {row.lane, *row.uid, row.text.substr(blank + 1)};
    }
    replace(pins);
}

std::vector<NoteRow> StoragePins::rows() const {
    std::vector<NoteRow> out;
    for (std::size_t slot = 0; slot < pins_.size(); ++slot) {
        if (pins_[slot].base == kNoUid) continue;
        NoteRow row;
        row.lane = pins_[slot].lane;
        row.uid = pins_[slot].base;
        row.kind = "pin";
        row.text = std::to_string(slot + 1) + " " + pins_[slot].name;
        out.push_back(std::move(row));
    }
    return out;
}

StorageColours StoragePins::coloursIn(const StageView& view) const {
    StorageColours out;
    out.any = any();
    for (std::size_t slot = 0; slot < pins_.size() && out.any; ++slot)
        if (pins_[slot].base != kNoUid && pins_[slot].lane == view.lane) out.storages[slot] = storageOf(view, pins_[slot].base);
    return out;
}

StorageColours StoragePins::coloursIn(const StageView& view, std::int64_t lane, const std::unordered_map<Uid, Uid>& counterparts) const {
    StorageColours out = coloursIn(view);
    for (std::size_t slot = 0; slot < pins_.size() && out.any; ++slot) {
        if (pins_[slot].base == kNoUid || pins_[slot].lane != lane) continue;
        const auto counterpart = counterparts.find(pins_[slot].base);
        if (counterpart != counterparts.end()) out.storages[slot] = storageOf(view, counterpart->second);
    }
    return out;
}

}  // namespace aliascope
