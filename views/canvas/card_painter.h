#pragma once
// Paints one card, chip or dot of the graph (ui.md 4.2). Knows what a card shows, not where it stands.
// Belongs to the UI thread.

#include <QFont>
#include <QPainter>
#include <optional>
#include <string>
#include <unordered_map>

#include "views/canvas/graph_canvas.h"
#include "views/models/format.h"

namespace aliascope {

enum class DetailLevel : std::uint8_t { Far, Middle, Near };

/// Fonts of one zoom step, snapped to whole pixels.
struct CardFonts {
    explicit CardFonts(double zoom);
    QFont title, name, small, chip, band;
};

/// What a card says, made from the stage for visible cards only.
struct CardText {
    QString tag, op, name, shape, bytes, detail, badge;
    bool verdict = false;  ///< detail is a verdict chip, not a source line
    VerdictKind kind = VerdictKind::Unknown;
    QString verdictWord;
};

class CardPainter {
public:
    CardPainter(const StageView& view, const std::unordered_map<Uid, const DecisionRow*>& decisions, ColourMode mode, double zoom,
                const HeatMap* heat = nullptr, const StorageColours& storages = {});

    DetailLevel level() const { return level_; }
    static DetailLevel levelOf(double zoom);

    /// Paints the card into `r` (device-independent pixels).
    void paint(QPainter& p, const PlacedCard& card, const QRectF& r) const;
    CardText textOf(std::uint32_t node) const;
    /// `68 nodes  +3 ~1` of a collapsed group.
    QString groupSummary(std::int32_t group) const;
    const CardFonts& fonts() const { return fonts_; }

private:
    void paintNear(QPainter& p, const PlacedCard& card, const QRectF& r) const;
    void paintMiddle(QPainter& p, const PlacedCard& card, const QRectF& r) const;
    void paintFar(QPainter& p, const PlacedCard& card, const QRectF& r) const;
    void paintGroup(QPainter& p, const PlacedCard& card, const QRectF& r) const;
    void paintVerdict(QPainter& p, const CardText& text, const QRectF& row) const;
    void paintHeat(QPainter& p, std::uint32_t node, const QRectF& r) const;
    /// Of every storage in the mode Storage, else of the pinned ones.
    void paintStorageBar(QPainter& p, std::uint32_t node, const QRectF& r) const;
    QColor fill(std::uint32_t node) const;
    /// Step of the heat ramp; nothing = no heat.
    std::optional<int> heatStep(std::uint32_t node) const;
    QColor familyColour(Family family) const;
    void countGroups();

    const StageView& view_;
    const std::unordered_map<Uid, const DecisionRow*>& decisions_;
    ColourMode mode_;
    const HeatMap* heat_;
    StorageColours storages_;
    double zoom_;
    DetailLevel level_;
    CardFonts fonts_;
    struct GroupCount {
        int nodes = 0, added = 0, changed = 0, clones = 0, decisions = 0;
    };
    std::vector<GroupCount> groups_;
};

}  // namespace aliascope
